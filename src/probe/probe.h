/* SPDX-License-Identifier: BSD-3-Clause */
/* One probe: a small loading from a saved state, the way back to the stress it came from, and the
 * same loading with contacts that cannot slide. docs/theory/probes.md has the definitions.
 *
 * Components are in the order of twirl/control.h; strains and stresses are positive in compression,
 * shear strains are engineering ones. */
#ifndef TW_PROBE_PROBE_H
#define TW_PROBE_PROBE_H

#include <stdbool.h>

#include <twirl/sim.h>

typedef struct tw_probe_def {
    tw_contact_law law;
    bool by_stress;               /* else by strain */
    double change[TW_COMPONENTS]; /* what the loading imposes [Pa] or [-] */
    double magnitude;             /* of the probes of the suite, also where `change` is zero */
    uint64_t steps;               /* of the loading, and of the way back */
    double rest;                  /* unbalanced force at which all is at rest [-] */
    uint64_t rest_steps;          /* the most that is waited for it, each time; 0: not at all */
    bool load, unload, twin;      /* which runs are made; no unloading without loading */
} tw_probe_def;

enum { TW_PROBE_LOAD, TW_PROBE_UNLOAD, TW_PROBE_TWIN, TW_PROBE_PHASES };

/* One list for fields, writer and reader: name, length. Numbers are NaN where a phase was not run.
 */
#define TW_PROBE_COUNTS(X)                                                                         \
    X(steps, TW_PROBE_PHASES)  /* taken, rest included */                                          \
    X(rested, TW_PROBE_PHASES) /* 1: came to rest before rest_steps */
#define TW_PROBE_NUMBERS(X)                                                                        \
    X(strain, TW_COMPONENTS)       /* at the end of the loading [-] */                             \
    X(stress, TW_COMPONENTS)       /* what it has changed by then [Pa] */                          \
    X(left, TW_COMPONENTS)         /* strain after the way back [-] */                             \
    X(missed, TW_COMPONENTS)       /* stress that the way back has left [Pa] */                    \
    X(twin_strain, TW_COMPONENTS)  /* the same without slip */                                     \
    X(twin_stress, TW_COMPONENTS)  /* */                                                           \
    X(unbalanced, TW_PROBE_PHASES) /* at the end [-] */                                            \
    X(at_limit, TW_PROBE_PHASES)   /* share of contacts at the friction limit, at the end [-] */   \
    X(friction_work, TW_PROBE_PHASES) /* lost to friction per volume [J/m^3] */

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
    tw_sim *(*open)(void *context, tw_error *error); /* a copy of the state; freed by the probe */
    int (*step)(void *context); /* after every step; non-zero ends it: TW_STATUS_INTERRUPTED */
} tw_probe_watch;

tw_status tw_probe_run(const tw_probe_def *def, const tw_probe_watch *watch,
                       tw_probe_result *result, tw_error *error);

/* Stress of contacts and velocities together, symmetric [Pa]. */
void tw_probe_stress(const tw_measure *measure, double stress[TW_COMPONENTS]);

/* Share of the contacts that slide or are within 1e-5 of their friction limit. */
tw_status tw_probe_at_limit(const tw_sim *sim, double *share, tw_error *error);

/* Kelvin's form, in which the size of a tensor is that of the vector: shears times sqrt 2 for
 * stresses, over sqrt 2 for engineering strains. */
void tw_probe_kelvin_stress(const double stress[TW_COMPONENTS], double out[TW_COMPONENTS]);
void tw_probe_kelvin_strain(const double strain[TW_COMPONENTS], double out[TW_COMPONENTS]);
double tw_probe_size(const double kelvin[TW_COMPONENTS]);

#endif
