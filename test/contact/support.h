/* SPDX-License-Identifier: BSD-3-Clause */
/* What the contact tests share: random numbers with fixed seeds, rotations, bounds with a text. */
#ifndef TWIRL_TEST_CONTACT_SUPPORT_H
#define TWIRL_TEST_CONTACT_SUPPORT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <twirl/contact.h>

#include "../parts.h"

#define SUPPORT_PI 3.14159265358979323846

/* Splitmix64: the whole state is one word, so a seed in the test is all there is to a failing case.
 */
typedef struct support_random {
    uint64_t state;
} support_random;

uint64_t support_bits(support_random *random);
double support_uniform(support_random *random, double low, double high);
double support_log_uniform(support_random *random, double low, double high);
tw_vec3 support_unit(support_random *random);
/* Any direction, with a length between low and high, evenly in its logarithm. */
tw_vec3 support_vector(support_random *random, double low, double high);
/* A unit vector perpendicular to n, at random about it. */
tw_vec3 support_tangent(support_random *random, tw_vec3 n);

/* `count` times the environment's TWIRL_TEST_SCALE (1 if unset), at least 1/10 of count. */
int support_count(int count);

/* v turned by a rotation vector, to rounding also for angles near zero and beyond pi. */
tw_vec3 support_rotate(tw_vec3 v, tw_vec3 turn);

/* Orientation of a body as a unit quaternion w + (x, y, z). */
typedef struct support_spin {
    double w;
    tw_vec3 v;
} support_spin;

support_spin support_spin_about(tw_vec3 axis, double angle);
/* First b, then a. */
support_spin support_spin_compose(support_spin a, support_spin b);
/* Rotation vector that takes orientation `from` to orientation `to`, angle below pi. */
tw_vec3 support_spin_between(support_spin from, support_spin to);

double support_distance(tw_vec3 a, tw_vec3 b);
int support_finite(tw_vec3 a);

/* Stored tangential energy of a contact. */
double support_stored(const tw_contact_law *law, tw_vec3 ft);

tw_contact_law support_law(double kn, double kt, double mu);
tw_contact_law support_law_of(int32_t kind);
/* The law with rolling and twisting resistance added: limits of 0.6 and 0.4 of that of sliding. */
tw_contact_law support_resisting_law(tw_contact_law law);
/* A Hertz law with the normal force and the stiffnesses of a linear one at this overlap. */
tw_contact_law support_hertz_like(tw_contact_law law, double zeta);
tw_contact_memory support_memory(tw_vec3 n, double zeta, tw_vec3 ft);
tw_contact_motion support_motion(tw_vec3 n, double zeta, tw_vec3 du);

/* The larger of the two; a NaN stays one, while fmax would pass over it. */
double support_most(double most, double value);

/* Fails the test unless value <= bound; a NaN fails. Prints both numbers. */
void support_at_most(double value, double bound, const char *text, const char *file, int line);
void support_at_least(double value, double bound, const char *text, const char *file, int line);
#define expect_at_most(value, bound) support_at_most((value), (bound), #value, __FILE__, __LINE__)
#define expect_at_least(value, bound) support_at_least((value), (bound), #value, __FILE__, __LINE__)

#endif
