/* SPDX-License-Identifier: BSD-3-Clause */
#include "shape.h"

static double draw_growth(support_random *random)
{
    switch (support_bits(random) % 6) {
    case 0:
        return 0.0;
    case 1:
        return -support_log_uniform(random, 1e-6, 0.999999);
    case 2:
        return -1.0 + support_log_uniform(random, 1e-6, 1.0); /* nearly opening */
    case 3:
        return support_uniform(random, -0.999, 1.0);
    default:
        return support_log_uniform(random, 1e-6, 1e3);
    }
}

static double draw_mobilisation(support_random *random)
{
    switch (support_bits(random) % 6) {
    case 0:
        return 0.0;
    case 3:
        return support_log_uniform(random, 1e-6, 1.0);
    case 1:
        return 1.0 - support_log_uniform(random, 1e-12, 1.0);
    case 2:
        return support_uniform(random, 0.0, 1.0);
    default:
        return 1.0;
    }
}

/* Angle of ft0 from the movement. Not nearer than 1e-6 to straight against it: that direction is an
 * unstable equilibrium, where the rounding of the inputs (1e-16) alone costs 1e-16 / 1e-6. */
static double draw_angle(support_random *random)
{
    const double side = support_bits(random) & 1 ? 1.0 : -1.0;
    switch (support_bits(random) % 5) {
    case 0:
        return side * (SUPPORT_PI - support_log_uniform(random, 1e-6, 1.0));
    case 1:
        return side * support_log_uniform(random, 1e-9, 1.0);
    case 2:
        return side * 0.5 * SUPPORT_PI;
    default:
        return support_uniform(random, -SUPPORT_PI, SUPPORT_PI);
    }
}

shape shape_draw(support_random *random)
{
    shape s;
    s.growth = draw_growth(random);
    s.size = support_log_uniform(random, 1e-6, 1e2);
    s.use = draw_mobilisation(random);
    s.angle = draw_angle(random);
    if (support_bits(random) % 8 == 0) {
        /* Force, movement and the circle at the end all small alike: the onset is late, and found
         * among numbers of the size of mu fn0. */
        const double left = support_log_uniform(random, 1e-6, 1e-1);
        s.growth = left - 1.0;
        s.size = left * support_log_uniform(random, 0.1, 10.0);
        s.use = left * support_log_uniform(random, 0.1, 10.0);
    }
    return s;
}
