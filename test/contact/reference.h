/* SPDX-License-Identifier: BSD-3-Clause */
/* The rate equations of a linear-frictional contact, integrated numerically.
 *
 * In a fixed tangent plane the movement du and the overlap zeta0 -> zeta1 proceed in proportion to
 * a in [0, 1]. While the force is inside the circle mu fn(a) it follows kt dxi. Slip onset is found
 * by bisection. While it slides, |ft| = mu fn and its unit direction m obeys
 *
 *     dm/da = (kt / (mu fn)) (dxi - (dxi.m) m),
 *
 * integrated by an adaptive Dormand-Prince 5(4) pair together with the work of ft on dxi. There is
 * no closed form inside: that is what it is here to judge.
 */
#ifndef TWIRL_TEST_CONTACT_REFERENCE_H
#define TWIRL_TEST_CONTACT_REFERENCE_H

#include <twirl/vec3.h>

/* Local error per step that keeps force and work within 1e-11, see test_reference.c. */
#define REFERENCE_TOLERANCE 1e-13

/* mu, kn and kt above zero; zeta0 or zeta1 above zero. */
typedef struct reference_step {
    double kn;    /* [N/m] */
    double kt;    /* [N/m] */
    double mu;    /* [-] */
    double zeta0; /* overlap at the start, negative for a gap [m] */
    double zeta1; /* overlap at the end [m] */
    tw_vec3 n;    /* unit normal, constant [-] */
    tw_vec3 ft0;  /* tangential force at the start [N] */
    tw_vec3 du;   /* movement of q against p; its part along n does not count [m] */
} reference_step;

typedef struct reference_result {
    tw_vec3 ft1; /* tangential force at the end; the last one before opening for zeta1 <= 0 [N] */
    double work; /* integral of ft.dxi [J] */
    double alpha_s; /* fraction at which sliding starts, 1 where it does not */
    double cosine;  /* direction of the force against the movement when sliding starts */
    int sliding;    /* 1: it slid */
    long steps;     /* integration steps taken */
} reference_result;

reference_result reference_integrate(const reference_step *step, double tolerance);

/* The same problem by `count` equal increments of "add kt dxi, cut back to the circle" (Moreau's
 * catching-up scheme): first order, shares no line with the integrator. Fills ft1 and work. */
reference_result reference_catch_up(const reference_step *step, long count);

#endif
