/* SPDX-License-Identifier: BSD-3-Clause */
/* The rate equations of one spring-slider of a contact (sliding, rolling or twisting), linear or
 * Hertz, integrated numerically.
 *
 * The plane is fixed; overlap and movement proceed in proportion to a in [0, 1]. With the normal
 * force fn(zeta) and the stiffness k(zeta), both constants times a power of the overlap:
 *
 *   sticking   f' = k xi', and + f k'/k where the overlap shrinks and the force is rescaled;
 *              loss in micro-slip f^2 |k'|/(2 k^2) (negative where it is not rescaled)
 *   sliding    |f| = mu fn, its direction m obeys m' = k/(mu fn) (xi' - (xi'.m) m);
 *              loss f.xi' - (f^2/(2 k))'
 *
 * Both are integrated by extrapolation of the midpoint rule (Gragg, Bulirsch and Stoer) with step
 * control. The instant at which it starts to slide is located by bisection, and the integrator
 * returns to sticking wherever the slide would turn inwards. There is no closed form inside, and
 * nothing that holds for one power of the overlap only.
 */
#ifndef TWIRL_TEST_CONTACT_RATES_H
#define TWIRL_TEST_CONTACT_RATES_H

/* Local error that keeps force and work within 1e-11, see test_rates.c. */
#define RATES_TOLERANCE 1e-13

/* kn, k and mu above zero; zeta0 or zeta1 above zero. */
typedef struct rates_step {
    int hertz;            /* 0: fn = kn zeta; 1: fn = kn zeta^(3/2), stiffness k zeta^(1/2) */
    int rescale;          /* 1: the force shrinks with its stiffness */
    double kn, k, mu;     /* constants */
    double zeta0, zeta1;  /* overlap at the start and at the end [m] */
    double along, across; /* force at the start, along the movement and across it [N] */
    double length;        /* of the movement [m] */
} rates_step;

typedef struct rates_result {
    double along, across; /* force at the end; the last before parting for zeta1 <= 0 [N] */
    double work;          /* integral of f.xi' [J] */
    double lost;          /* while sliding [J] */
    double micro;         /* lost while sticking [J] */
    double alpha_s;       /* fraction at which it starts to slide, 1 if it does not */
    double cosine;        /* of the angle between force and movement there */
    int sliding;          /* 1: slides at the end */
    int slides;           /* times it started to slide */
    long steps;           /* integration steps taken */
} rates_result;

rates_result rates_integrate(const rates_step *step, double tolerance);

/* The same problem by `count` equal increments: rescale, add k xi' with the stiffness halfway, cut
 * back to the limit. First order, shares no line with the integrator. Fills force and work. */
rates_result rates_catch_up(const rates_step *step, long count);

/* Normal force, stiffness and stored energy of the slider at an overlap. */
double rates_normal_force(const rates_step *step, double zeta);
double rates_stiffness(const rates_step *step, double zeta);
double rates_stored(const rates_step *step, double zeta, double along, double across);

#endif
