/* SPDX-License-Identifier: BSD-3-Clause */
/* Constructors of controls. */
#include <twirl/control.h>
#include <twirl/math.h>

static tw_control_row row_of(int32_t mode, int component, double target)
{
    tw_control_row row = {mode, {0.0}, target, 0.0};
    /* Without a weight the row is refused by tw_sim_set_control. */
    if (component >= 0 && component < TW_COMPONENTS) row.weight[component] = 1.0;
    return row;
}

tw_control_row tw_control_rate(int component, double rate)
{
    return row_of(TW_CONTROL_RATE, component, rate);
}

tw_control_row tw_control_stress(int component, double stress)
{
    return row_of(TW_CONTROL_STRESS, component, stress);
}

tw_control tw_control_default(void)
{
    tw_control control = {.tolerance = 1e-3};
    for (int k = 0; k < TW_COMPONENTS; k++)
        control.row[k] = tw_control_rate(k, 0.0);
    return control;
}

tw_vec3 tw_control_principal(double p, double q, double lode)
{
    const double third = 2.0 * TW_MATH_PI / 3.0, size = 2.0 / 3.0 * q;
    return tw_vec3_make(p + size * tw_math_cos(lode), p + size * tw_math_cos(lode - third),
                        p + size * tw_math_cos(lode + third));
}
