/* SPDX-License-Identifier: BSD-3-Clause */
/* One probe: a small loading from a saved state, unloading to the initial stress, and its no-slip
 * companion, which is the same loading with contacts that cannot slide. Definitions:
 * docs/theory/probes.md.
 *
 * Components are in the order of twirl/control.h. Strains and stresses are positive in compression;
 * shear strains are engineering strains. */
#ifndef TW_PROBE_PROBE_H
#define TW_PROBE_PROBE_H

#include <stdbool.h>

#include <twirl/sim.h>

typedef struct tw_probe_def {
    int32_t kind;                 /* of the contact laws, a tw_contact_kind */
    uint32_t without;             /* refinements to switch off; everything else as in the state */
    bool by_stress;               /* else by strain */
    double change[TW_COMPONENTS]; /* imposed increment [Pa] or [-] */
    double magnitude;             /* of the probes of the suite, even if `change` is zero */
    uint64_t steps;               /* of the loading, and of the unloading */
    double rest;                  /* unbalanced force that counts as equilibrium [-] */
    uint64_t rest_steps;          /* limit of each wait for equilibrium; 0: no wait */
    bool load, unload, no_slip;   /* which phases are run; no unloading without loading */
} tw_probe_def;

enum { TW_PROBE_LOAD, TW_PROBE_UNLOAD, TW_PROBE_NO_SLIP, TW_PROBE_PHASES };

/* Fields of the result, for the structure, its writer and its reader: X(name, length). Numbers are
 * NaN for a phase that was not run. */
#define TW_PROBE_COUNTS(X)                                                                         \
    X(steps, TW_PROBE_PHASES)  /* taken, waiting included */                                       \
    X(rested, TW_PROBE_PHASES) /* 1: equilibrium was reached within rest_steps */
#define TW_PROBE_NUMBERS(X)                                                                        \
    X(strain, TW_COMPONENTS)          /* increment at the end of the loading [-] */                \
    X(stress, TW_COMPONENTS)          /* the same [Pa] */                                          \
    X(left, TW_COMPONENTS)            /* strain left after unloading [-] */                        \
    X(missed, TW_COMPONENTS)          /* stress left after unloading [Pa] */                       \
    X(no_slip_strain, TW_COMPONENTS)  /* as strain, of the no-slip companion */                    \
    X(no_slip_stress, TW_COMPONENTS)  /* as stress */                                              \
    X(unbalanced, TW_PROBE_PHASES)    /* at the end [-] */                                         \
    X(at_limit, TW_PROBE_PHASES)      /* fraction of contacts at the friction limit [-] */         \
    X(friction_work, TW_PROBE_PHASES) /* dissipated per volume [J/m^3] */

typedef struct tw_probe_result {
#define TW_PROBE_COUNT(name, length) uint64_t name[length];
#define TW_PROBE_NUMBER(name, length) double name[length];
    TW_PROBE_COUNTS(TW_PROBE_COUNT)
    TW_PROBE_NUMBERS(TW_PROBE_NUMBER)
#undef TW_PROBE_COUNT
#undef TW_PROBE_NUMBER
} tw_probe_result;

typedef struct tw_probe_watch {
    void *context;
    tw_sim *(*open)(void *context, tw_error *error); /* a copy of the state; the probe frees it */
    /* Called after every step; may be NULL. Non-zero stops the probe: TW_STATUS_INTERRUPTED. */
    int (*step)(void *context);
} tw_probe_watch;

tw_status tw_probe_run(const tw_probe_def *def, const tw_probe_watch *watch,
                       tw_probe_result *result, tw_error *error);

/* Fraction of the contacts that slide or are within 1e-5 of their friction limit. */
tw_status tw_probe_at_limit(const tw_sim *sim, double *fraction, tw_error *error);

/* Kelvin's form, in which the norm of the vector is that of the tensor: shear stresses are
 * multiplied by sqrt 2, engineering shear strains divided by it. */
void tw_probe_kelvin_stress(const double stress[TW_COMPONENTS], double out[TW_COMPONENTS]);
void tw_probe_kelvin_strain(const double strain[TW_COMPONENTS], double out[TW_COMPONENTS]);
double tw_probe_norm(const double kelvin[TW_COMPONENTS]);

#endif
