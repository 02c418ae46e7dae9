/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/equations.h"

#include <math.h>

#include "base/error.h"

static const char *row_wrong(const tw_control_row *row)
{
    if (row->mode != TW_CONTROL_RATE && row->mode != TW_CONTROL_STRESS)
        return "mode must be TW_CONTROL_RATE or TW_CONTROL_STRESS";
    const double weight = tw_equations_weight(row);
    if (!(weight > 0.0 && isfinite(weight))) return "weight must be finite and not all zero";
    if (!isfinite(row->target)) return "target must be finite";
    if (!(row->ramp >= 0.0 && isfinite(row->ramp))) return "ramp must be 0 (immediate) or positive";
    return NULL;
}

tw_status tw_equations_check(const tw_control *control, tw_error *error)
{
    for (int k = 0; k < TW_COMPONENTS; k++) {
        const char *wrong = row_wrong(&control->row[k]);
        if (wrong) return tw_error_set(error, TW_STATUS_INPUT, "control: row %d: %s", k, wrong);
    }
    if (control->simple_shear != 0 && control->simple_shear != 1)
        return tw_error_set(error, TW_STATUS_INPUT, "control: simple_shear must be 0 or 1");
    if (!(control->rate_max >= 0.0 && isfinite(control->rate_max)))
        return tw_error_set(error, TW_STATUS_INPUT,
                            "control: rate_max must be 0 (automatic) or positive");
    if (!(control->tolerance > 0.0 && isfinite(control->tolerance)))
        return tw_error_set(error, TW_STATUS_INPUT, "control: tolerance must be positive");
    tw_stiffness_response one = {{{0.0}}, {{0.0}}};
    for (int k = 0; k < TW_COMPONENTS; k++)
        one.elastic[k][k] = 1.0;
    tw_equations rows;
    tw_equations_fill(&rows, control, &one, 1.0);
    if (tw_equations_solve(&rows)) return TW_STATUS_OK;
    return tw_error_set(
        error, TW_STATUS_INPUT,
        "control: the six rows must be independent: each component controlled once, "
        "in rate or in stress");
}
