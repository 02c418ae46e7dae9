/* SPDX-License-Identifier: BSD-3-Clause */
#include "response/response_rows.h"

#include <math.h>
#include <stdlib.h>

#include <twirl/math.h>

static const tw_history_column stresses[] = {TW_HISTORY_stress_xx, TW_HISTORY_stress_yy,
                                             TW_HISTORY_stress_zz, TW_HISTORY_stress_yz,
                                             TW_HISTORY_stress_xz, TW_HISTORY_stress_xy};
enum { COMPONENTS = 6 };

typedef struct row_source {
    const tw_scenario_stage *stage;
    tw_figure_rows history;
    int32_t path; /* the base of a cyclic one */
    double sign;  /* -1 for shear in extension or backward */
} row_source;

static row_source source_of(const tw_scenario_stage *stage, tw_figure_rows history)
{
    const bool back =
        stage->path != TW_SCENARIO_OEDOMETER &&
        (stage->direction == TW_SCENARIO_EXTENSION || stage->direction == TW_SCENARIO_BACKWARD);
    return (row_source){.stage = stage,
                        .history = history,
                        .path = stage->path == TW_SCENARIO_CYCLIC ? stage->cycle.base : stage->path,
                        .sign = back ? -1.0 : 1.0};
}

static double component(const row_source *s, size_t row, int k)
{
    return s->history.row[row].value[stresses[k]];
}

static double lateral_stress(const row_source *s, size_t row)
{
    if (s->stage->axis < 0) return (double)NAN;
    return 0.5 * (component(s, row, (s->stage->axis + 1) % 3) +
                  component(s, row, (s->stage->axis + 2) % 3));
}

/* Conjugate to the strain of the path. */
static double stress_along(const row_source *s, size_t row)
{
    const double along = s->history.row[row].value[TW_HISTORY_stress];
    switch (s->path) {
    case TW_SCENARIO_TRIAXIAL:
    case TW_SCENARIO_CONSTANT_P:
    case TW_SCENARIO_UNDRAINED:
        return s->sign * (along - lateral_stress(s, row));
    case TW_SCENARIO_SIMPLE_SHEAR:
        return s->sign * along;
    default:
        return along; /* q of true_triaxial, the axial stress of oedometer, p */
    }
}

static double stress_ratio(const row_source *s, size_t row)
{
    if (s->path != TW_SCENARIO_SIMPLE_SHEAR)
        return s->history.row[row].value[TW_HISTORY_stress_ratio];
    const int normal = s->stage->plane == TW_SCENARIO_XY ? 1 : 2;
    return stress_along(s, row) / component(s, row, normal);
}

static double mobilised_angle(const row_source *s, size_t row)
{
    double stress[COMPONENTS];
    for (int k = 0; k < COMPONENTS; k++)
        stress[k] = component(s, row, k);
    return tw_figure_friction_angle(stress);
}

static void fill_row(const tw_response_rows *rows, const row_source *s, size_t i, double least)
{
    const double *v = s->history.row[i].value;
    double *const *out = rows->column;
    const double p = v[TW_HISTORY_p];
    const bool carries = p >= least;
    out[TW_RESPONSE_ROWS_STRAIN][i] = s->sign * v[TW_HISTORY_strain];
    out[TW_RESPONSE_ROWS_STRESS][i] = stress_along(s, i);
    out[TW_RESPONSE_ROWS_RATIO][i] = carries ? stress_ratio(s, i) : (double)NAN;
    out[TW_RESPONSE_ROWS_ANGLE][i] = carries ? mobilised_angle(s, i) : (double)NAN;
    out[TW_RESPONSE_ROWS_VOLUME][i] = v[TW_HISTORY_strain_volume];
    out[TW_RESPONSE_ROWS_P][i] = p;
    out[TW_RESPONSE_ROWS_LATERAL][i] = lateral_stress(s, i);
    out[TW_RESPONSE_ROWS_LOG_STRESS][i] = tw_math_log(stress_along(s, i));
    out[TW_RESPONSE_ROWS_VOID_RATIO][i] = v[TW_HISTORY_void_ratio];
    out[TW_RESPONSE_ROWS_COORDINATION][i] = v[TW_HISTORY_coordination];
    out[TW_RESPONSE_ROWS_CYCLE][i] = v[TW_HISTORY_cycle];
    out[TW_RESPONSE_ROWS_RU][i] = v[TW_HISTORY_ru];
}

bool tw_response_rows_make(tw_response_rows *rows, const tw_scenario_stage *stage,
                           tw_figure_rows history, double p_least)
{
    const row_source s = source_of(stage, history);
    *rows = (tw_response_rows){.count = history.count};
    rows->values = calloc(TW_RESPONSE_ROWS_COLUMNS * history.count, sizeof *rows->values);
    if (!rows->values) return false;
    for (size_t c = 0; c < TW_RESPONSE_ROWS_COLUMNS; c++)
        rows->column[c] = rows->values + c * history.count;
    const double least = p_least * history.row[0].value[TW_HISTORY_p];
    for (size_t i = 0; i < history.count; i++)
        fill_row(rows, &s, i, least);
    return true;
}

void tw_response_rows_free(tw_response_rows *rows)
{
    free(rows->values);
    *rows = (tw_response_rows){.count = 0};
}

tw_response_series tw_response_rows_series(const tw_response_rows *rows,
                                           tw_response_rows_column column)
{
    return (tw_response_series){rows->column[TW_RESPONSE_ROWS_STRAIN], rows->column[column],
                                rows->count};
}
