/* SPDX-License-Identifier: BSD-3-Clause */
/* Control of the cell: each of its six components in strain rate or in stress.
 *
 * A control has six rows. A row is a weighted sum of the six components and a target for it: a
 * strain rate or a stress. By default the cell is fixed. A triaxial test at constant lateral stress
 * sets three rows:
 *
 *     tw_control control = tw_control_default();
 *     control.row[TW_XX] = tw_control_stress(TW_XX, 1e5);
 *     control.row[TW_YY] = tw_control_stress(TW_YY, 1e5);
 *     control.row[TW_ZZ] = tw_control_rate(TW_ZZ, -0.1);
 *     tw_sim_set_control(sim, &control, &error);
 *
 * At constant mean stress and equal lateral strains, two of them are
 *
 *     control.row[TW_XX] = (tw_control_row){TW_CONTROL_RATE, {1, -1}, 0, 0};
 *     control.row[TW_YY] = (tw_control_row){TW_CONTROL_STRESS, {1/3., 1/3., 1/3.}, 1e5, 0};
 *
 * As in sim.h, stresses are positive in compression and strain rates in extension. Stress is the
 * symmetric part of the contact stress plus the kinetic stress of the fluctuation velocities. The
 * rows must be independent; their order does not matter. Functions have no state: any thread may
 * call them.
 */
#ifndef TWIRL_CONTROL_H
#define TWIRL_CONTROL_H

#include <stddef.h>
#include <stdint.h>

#include <twirl/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Components. Shear rates are engineering rates: dv_x/dy + dv_y/dx for xy. */
enum { TW_XX, TW_YY, TW_ZZ, TW_YZ, TW_XZ, TW_XY, TW_COMPONENTS };

typedef enum tw_control_mode { TW_CONTROL_RATE, TW_CONTROL_STRESS } tw_control_mode;

typedef struct tw_control_row {
    int32_t mode;                 /* tw_control_mode */
    double weight[TW_COMPONENTS]; /* of each component in the controlled sum [-] */
    double target;                /* [1/s] or [Pa] */
    double ramp; /* rate at which the set point moves from the present value to the target
                    [1/s^2] or [Pa/s]; 0: it jumps */
} tw_control_row;

/* A fluid in the pores that cannot drain. With it the stresses of rows are total ones: those of the
 * grains plus the pressure of the fluid, which follows from the volume V of the cell:
 * pressure + bulk ln((volume - solid)/(V - solid)). Its stiffness against a strain of the cell is
 * that of the fluid over the porosity, since the grains are taken as incompressible. */
typedef struct tw_control_fluid {
    double bulk;     /* bulk modulus; 0 (default): there is no fluid [Pa] */
    double pressure; /* of the fluid [Pa], */
    double volume;   /* where the cell has this volume [m^3] */
    double solid;    /* volume of the grains [m^3] */
} tw_control_fluid;

typedef struct tw_control {
    size_t struct_size; /* set by tw_control_default */
    tw_control_row row[TW_COMPONENTS];
    int32_t simple_shear; /* 1: simple shear: the velocity gradient is upper triangular (xy shears
                             along x, with the gradient along y). 0 (default): it is symmetric, and
                             the cell does not spin */
    double rate_max;      /* limit of the strain rate of stress control [1/s]; 0 (default):
                             automatic, see docs/guide/engine.md */
    double tolerance;     /* of stresses, for the status, relative to p [-]; default 1e-3 */
    tw_control_fluid fluid;
} tw_control;

/* Six strain rates of zero. */
TW_API tw_control tw_control_default(void);

/* A row that controls a single component, TW_XX to TW_XY. */
TW_API tw_control_row tw_control_rate(int component, double rate);
TW_API tw_control_row tw_control_stress(int component, double stress);

/* Principal stresses for mean stress p, deviator q = sqrt(3 J2) and Lode angle [rad]: the k-th is
 * p + 2/3 q cos(lode - 2 pi k/3). 0 is triaxial compression along the first, pi/3 triaxial
 * extension along the third. */
TW_API tw_vec3 tw_control_principal(double p, double q, double lode);

/* Whether the stresses are at their set points. */
typedef enum tw_control_status {
    TW_CONTROL_OFF,         /* no row is in stress control */
    TW_CONTROL_APPROACHING, /* the set points have not all been met yet, within tolerance */
    TW_CONTROL_HOLDING,     /* all set points are met */
    TW_CONTROL_MISSING      /* all have been met, but some are not now */
} tw_control_status;

/* Deviations are relative to p of the grains, or to the largest stress set point if that is larger.
 * The deviation of a sum is divided by the sum of the magnitudes of its weights. */
typedef struct tw_control_report {
    tw_control_status status;
    int32_t mode[TW_COMPONENTS];  /* tw_control_mode of each row */
    int32_t ramping;              /* 1: some set point has not reached its target yet */
    double set[TW_COMPONENTS];    /* present set point of each row [1/s] or [Pa] */
    double value[TW_COMPONENTS];  /* present value of each row; of a rate: in the last step */
    double stress[TW_COMPONENTS]; /* contact and kinetic stress; set even without a control [Pa] */
    double pore_pressure;         /* of the fluid; 0 if there is none [Pa] */
    double deviation;             /* largest present deviation of a stress row [-] */
    double worst;                 /* largest since all set points were first met [-] */
    uint64_t steps;               /* since the control was set */
    uint64_t limited;             /* steps with the strain rate at its limit */
    uint64_t missed;              /* steps out of tolerance since all set points were first met */
    double rate_max;              /* in force [1/s] */
} tw_control_report;

#ifdef __cplusplus
}
#endif

#endif
