/* SPDX-License-Identifier: BSD-3-Clause */
#include "probe/directions.h"

#include <math.h>
#include <string.h>
#include <twirl/math.h>

int tw_directions_dimensions(const tw_directions *directions)
{
    return directions->sphere ? 3 : 2;
}

/* Fibonacci spiral: equal steps along z, the golden angle about it. */
static void spiral(size_t k, size_t count, double unit[3])
{
    const double golden = TW_MATH_PI * (3.0 - sqrt(5.0));
    const double z = 1.0 - (2.0 * (double)k + 1.0) / (double)count;
    const double across = sqrt(1.0 - z * z);
    unit[0] = across * tw_math_cos(golden * (double)k);
    unit[1] = across * tw_math_sin(golden * (double)k);
    unit[2] = z;
}

void tw_directions_at(const tw_directions *directions, size_t k, double unit[TW_COMPONENTS])
{
    memset(unit, 0, TW_COMPONENTS * sizeof *unit);
    if (directions->sphere) {
        spiral(k, directions->count, unit);
        return;
    }
    const double angle = 2.0 * TW_MATH_PI * (double)k / (double)directions->count;
    const double volume = tw_math_cos(angle) / sqrt(3.0), shear = tw_math_sin(angle) / sqrt(6.0);
    for (int i = 0; i < 3; i++)
        unit[i] = volume + (i == directions->axis ? 2.0 : -1.0) * shear;
}

void tw_directions_point(const tw_directions *directions, const double tensor[TW_COMPONENTS],
                         double point[TW_DIRECTIONS_MAX])
{
    if (directions->sphere) {
        memcpy(point, tensor, 3 * sizeof *point);
        return;
    }
    const double sum = tensor[TW_XX] + tensor[TW_YY] + tensor[TW_ZZ];
    point[0] = sum / sqrt(3.0);
    point[1] = (3.0 * tensor[directions->axis] - sum) / sqrt(6.0);
    point[2] = 0.0;
}

double tw_directions_angle(const double point[TW_DIRECTIONS_MAX])
{
    const double angle = 180.0 / TW_MATH_PI * tw_math_atan2(point[1], point[0]);
    return angle < 0.0 ? angle + 360.0 : angle;
}
