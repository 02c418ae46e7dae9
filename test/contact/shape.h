/* SPDX-License-Identifier: BSD-3-Clause */
/* Random steps of a slider in its plane, over the whole domain: growing, shrinking, nearly opening;
 * from no force to the limit, in all directions; from tiny movements to a hundred slip distances.
 */
#ifndef TWIRL_TEST_CONTACT_SHAPE_H
#define TWIRL_TEST_CONTACT_SHAPE_H

#include "support.h"

/* A step in units of the contact: everything but its scale and its place in space. */
typedef struct shape {
    double growth; /* zeta1 / zeta0 - 1 */
    double size;   /* kt |dxi| / (mu fn0) */
    double use;    /* |ft0| / (mu fn0) */
    double angle;  /* of ft0 from the movement */
} shape;

shape shape_draw(support_random *random);

#endif
