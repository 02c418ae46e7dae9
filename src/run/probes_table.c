/* SPDX-License-Identifier: BSD-3-Clause */
#include "run/probes_table.h"

#include <inttypes.h>
#include <math.h>
#include <twirl/math.h>

static const char *const suffixes[TW_COMPONENTS] = {"xx", "yy", "zz", "yz", "xz", "xy"};

static void add(tw_text_buffer *text, double value)
{
    tw_text_buffer_add(text, isnan(value) ? ",nan" : ",%.17g", value + 0.0);
}

/* ---- Probes ---- */

static void add_names(tw_text_buffer *text, const char *what)
{
    for (int k = 0; k < TW_COMPONENTS; k++)
        tw_text_buffer_add(text, ",%s_%s", what, suffixes[k]);
}

void tw_probes_table_add_header(tw_text_buffer *text)
{
    static const char *const tensors[] = {
        "strain",         "stress",         "reversible",         "irreversible",
        "no_slip_strain", "no_slip_stress", "no_slip_reversible", "no_slip_irreversible"};
    tw_text_buffer_add(text, "law,probe,angle,direction_xx,direction_yy,direction_zz");
    for (size_t i = 0; i < sizeof tensors / sizeof *tensors; i++)
        add_names(text, tensors[i]);
    tw_text_buffer_add(
        text, ",strain_1,strain_2,strain_3,stress_1,stress_2,stress_3,irreversible_1,"
              "irreversible_2,irreversible_3,no_slip_irreversible_1,no_slip_irreversible_2,"
              "no_slip_irreversible_3,x,y,z,no_slip_x,no_slip_y,no_slip_z,at_limit,"
              "friction_work,unbalanced,unload_unbalanced,no_slip_unbalanced,steps,unload_steps,"
              "no_slip_steps,rested,unload_rested,no_slip_rested\n");
}

static void add_tensor(tw_text_buffer *text, const double tensor[TW_COMPONENTS])
{
    for (int k = 0; k < TW_COMPONENTS; k++)
        add(text, tensor ? tensor[k] : nan(""));
}

static void add_split(tw_text_buffer *text, const double strain[TW_COMPONENTS],
                      const double *irreversible)
{
    for (int k = 0; k < TW_COMPONENTS; k++)
        add(text, irreversible ? strain[k] - irreversible[k] : nan(""));
    add_tensor(text, irreversible);
}

static void find_point(const tw_probes *probes, const double *tensor, double out[TW_DIRECTIONS_MAX])
{
    for (int k = 0; k < TW_DIRECTIONS_MAX; k++)
        out[k] = nan("");
    if (tensor) tw_directions_point(&probes->directions, tensor, out);
    if (!probes->directions.sphere) out[2] = nan("");
}

static void add_point(tw_text_buffer *text, const double point[TW_DIRECTIONS_MAX])
{
    for (int k = 0; k < TW_DIRECTIONS_MAX; k++)
        add(text, point[k]);
}

/* The point of a circle: along the stress increment, at the distance |irreversible
 * strain|/|stress|.
 */
static void add_circle_point(tw_text_buffer *text, int n, const double stress[TW_DIRECTIONS_MAX],
                             const double irreversible[TW_DIRECTIONS_MAX])
{
    double stress_square = 0.0, strain_square = 0.0;
    for (int k = 0; k < n; k++) {
        stress_square += stress[k] * stress[k];
        strain_square += irreversible[k] * irreversible[k];
    }
    for (int k = 0; k < TW_DIRECTIONS_MAX; k++)
        add(text, k < n ? sqrt(strain_square) / stress_square * stress[k] : nan(""));
}

static void add_row(tw_text_buffer *text, const tw_probes *probes, size_t law, size_t i,
                    const tw_probes_evaluation *evaluation)
{
    const tw_probe_result *r = &probes->result[tw_probes_index(probes, law, i + 1)];
    const int n = tw_directions_dimensions(&probes->directions);
    double unit[TW_COMPONENTS], point[4][TW_DIRECTIONS_MAX];
    const double *split[TW_PROBES_EVALUATION_SPLITS];
    for (int s = 0; s < TW_PROBES_EVALUATION_SPLITS; s++)
        split[s] = evaluation->irreversible[s] ? evaluation->irreversible[s][i] : NULL;
    tw_directions_at(&probes->directions, i, unit);
    tw_text_buffer_add(text, "%s,%zu", probes->laws[law].label, i + 1);
    add(text,
        probes->directions.sphere ? nan("") : 360.0 * (double)i / (double)probes->directions.count);
    for (int k = 0; k < 3; k++)
        add(text, unit[k]);
    add_tensor(text, r->strain);
    add_tensor(text, r->stress);
    add_split(text, r->strain, split[TW_PROBES_EVALUATION_UNLOAD]);
    add_tensor(text, r->no_slip_strain);
    add_tensor(text, r->no_slip_stress);
    add_split(text, r->strain, split[TW_PROBES_EVALUATION_NO_SLIP]);
    const double *const tensors[4] = {r->strain, r->stress, split[0], split[1]};
    for (int k = 0; k < 4; k++) {
        find_point(probes, tensors[k], point[k]);
        add_point(text, point[k]);
    }
    add_circle_point(text, n, point[1], point[2]);
    add_circle_point(text, n, point[1], point[3]);
    add(text, r->at_limit[TW_PROBE_LOAD]);
    add(text, r->friction_work[TW_PROBE_LOAD]);
    for (int k = 0; k < TW_PROBE_PHASES; k++)
        add(text, r->unbalanced[k]);
    for (int k = 0; k < TW_PROBE_PHASES; k++)
        tw_text_buffer_add(text, ",%" PRIu64, r->steps[k]);
    for (int k = 0; k < TW_PROBE_PHASES; k++)
        tw_text_buffer_add(text, ",%" PRIu64, r->rested[k]);
    tw_text_buffer_add(text, "\n");
}

void tw_probes_table_add_rows(tw_text_buffer *text, const tw_probes *probes, size_t law,
                              const tw_probes_evaluation *evaluation)
{
    for (size_t i = 0; i < probes->directions.count; i++)
        add_row(text, probes, law, i, evaluation);
}

/* ---- Fits ---- */

void tw_probes_table_add_fits_header(tw_text_buffer *text)
{
    tw_text_buffer_add(text, "law,split,circle,points,plastic_modulus,diameter,rms,direction_angle,"
                             "direction_1,direction_2,direction_3,flow_angle,flow_1,flow_2,flow_3,"
                             "flow_rms\n");
}

static double angle_of(const tw_probes *probes, const double *direction)
{
    return probes->directions.sphere ? nan("") : tw_directions_angle(direction);
}

static void add_fit(tw_text_buffer *text, const tw_probes *probes, size_t law, int split,
                    const tw_fit_mechanism *m, bool loading)
{
    const tw_fit_circle *c = loading ? &m->loading : &m->unloading;
    static const double none[TW_DIRECTIONS_MAX] = {0.0};
    const double *flow = loading ? m->flow : none;
    tw_text_buffer_add(text, "%s,%s,%s,%zu", probes->laws[law].label,
                       tw_probes_evaluation_split_name(split), loading ? "loading" : "unloading",
                       c->count);
    add(text, c->diameter > 0.0 ? 1.0 / c->diameter : nan(""));
    add(text, c->diameter);
    add(text, c->rms);
    add(text, angle_of(probes, c->direction));
    add_point(text, c->direction);
    add(text, loading ? angle_of(probes, flow) : nan(""));
    add_point(text, flow);
    add(text, loading ? 180.0 / TW_MATH_PI * m->flow_rms : nan(""));
    tw_text_buffer_add(text, "\n");
}

void tw_probes_table_add_fits(tw_text_buffer *text, const tw_probes *probes, size_t law,
                              const tw_probes_evaluation *evaluation)
{
    for (int split = 0; split < TW_PROBES_EVALUATION_SPLITS; split++) {
        if (!evaluation->fitted[split]) continue;
        add_fit(text, probes, law, split, &evaluation->mechanism[split], true);
        add_fit(text, probes, law, split, &evaluation->mechanism[split], false);
    }
}
