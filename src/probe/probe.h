/* SPDX-License-Identifier: BSD-3-Clause */
/* Probes of a specimen: one stress or strain probe, their directions, and fits to the responses. */
#ifndef TW_PROBE_PROBE_H
#define TW_PROBE_PROBE_H

#include <stdbool.h>
#include <stddef.h>

#include <twirl/control.h>
#include <twirl/sim.h>

/* Directions of probes, and projection of tensors on their space: the Rendulic plane about an axis,
 * or the space of the normal components. Both have orthonormal bases, so norms are those of the
 * tensors. */

enum { TW_DIRECTIONS_MAX = 3 };

typedef struct tw_directions {
    bool sphere; /* else the Rendulic plane */
    int axis;    /* of symmetry: 0, 1, 2 */
    size_t count;
} tw_directions;

/* Dimensions of the space: 2 or 3. */
int tw_directions_dimensions(const tw_directions *directions);

/* The k-th direction, as a unit tensor. */
void tw_directions_at(const tw_directions *directions, size_t k, double unit[TW_COMPONENTS]);

/* Projection of a tensor. Rendulic plane: (xx + yy + zz)/sqrt 3 and
 * sqrt(2/3) (axial - mean of the lateral ones). */
void tw_directions_point(const tw_directions *directions, const double tensor[TW_COMPONENTS],
                         double point[TW_DIRECTIONS_MAX]);

/* Angle of a point in the plane, from the volumetric axis to the deviatoric one [deg], 0 to 360. */
double tw_directions_angle(const double point[TW_DIRECTIONS_MAX]);

/* Fits to a set of probes: docs/theory/probes.md. */

/* One probe, as two points in the space of directions. */
typedef struct tw_fit_point {
    double stress[TW_DIRECTIONS_MAX];  /* increment [Pa] */
    double plastic[TW_DIRECTIONS_MAX]; /* irreversible part of the strain increment [-] */
} tw_fit_point;

/* A circle (sphere) through the origin. Its distance from the origin in the direction of a stress
 * increment is |irreversible strain|/|stress increment|. */
typedef struct tw_fit_circle {
    size_t count;                        /* number of fitted points */
    double diameter;                     /* [1/Pa] */
    double direction[TW_DIRECTIONS_MAX]; /* unit, from the origin through the centre */
    double
        rms; /* of the distances, relative to the diameter; NaN: no more points than unknowns [-] */
} tw_fit_circle;

/* One mechanism: irreversible strain = diameter flow (yield . stress increment) where the product
 * is positive. Irreversible strain on the other side is fitted by the second circle. */
typedef struct tw_fit_mechanism {
    tw_fit_circle loading, unloading; /* loading.direction is the yield direction */
    double flow[TW_DIRECTIONS_MAX];   /* unit */
    double flow_rms;                  /* weighted spread of the flow directions [rad] */
} tw_fit_mechanism;

/* False: too few points, or no irreversible strain at all. */
bool tw_fit_mechanism_find(int dimensions, const tw_fit_point *points, size_t count,
                           tw_fit_mechanism *out);

enum { TW_FIT_MAX = 6 };

/* Least-squares fit of y = A x. `matrix` is A by rows; x and y have `size` numbers per point.
 * `rms`: residual of y, relative; NaN: no more points than unknowns. False: the x do not span the
 * space. */
bool tw_fit_matrix(int size, size_t count, const double *x, const double *y,
                   double matrix[TW_FIT_MAX * TW_FIT_MAX], double *rms);

/* Solves A x = y, with A by rows. False: singular. */
bool tw_fit_solve(int size, const double *matrix, const double *y, double *x);

/* One probe: a small loading from a saved state, unloading to the initial stress, and its no-slip
 * companion, which is the same loading with contacts that cannot slide. Definitions:
 * docs/theory/probes.md.
 *
 * Components are in the order of twirl/control.h. Strains and stresses are positive in compression;
 * shear strains are engineering strains. */

typedef struct tw_probe_def {
    int32_t kind;                 /* of the contact laws, a tw_contact_kind */
    uint32_t without;             /* refinements to switch off; everything else as in the state */
    bool by_stress;               /* else by strain */
    double change[TW_COMPONENTS]; /* imposed increment [Pa] or [-] */
    double magnitude;             /* of the probes of the suite, even if `change` is zero */
    uint64_t steps;               /* of the loading, and of the unloading */
    double rest;                  /* unbalanced force that counts as equilibrium [-] */
    uint64_t rest_steps;          /* limit of each wait for equilibrium; 0: no wait */
    bool statically;              /* from equilibrium to equilibrium; iterations count as steps */
    bool load, unload, no_slip;   /* which phases are run; no unloading without loading */
} tw_probe_def;

enum { TW_PROBE_LOAD, TW_PROBE_UNLOAD, TW_PROBE_NO_SLIP, TW_PROBE_PHASES };

/* Fields of the result, for the structure, its writer and its reader: X(name, length). Numbers are
 * NaN for a phase that was not run. */
#define TW_PROBE_COUNTS(X)                                                                         \
    X(steps, TW_PROBE_PHASES)  /* taken, waiting included */                                       \
    X(rested, TW_PROBE_PHASES) /* 1: equilibrium was reached within rest_steps */                  \
    X(limit, TW_PROBE_PHASES)  /* 1: static, not reached, and a limit state */
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
