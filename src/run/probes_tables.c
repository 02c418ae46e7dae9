/* SPDX-License-Identifier: BSD-3-Clause */
/* Tables of the probes of a stage: probes.csv, fits.csv and their dictionary. */
#include <inttypes.h>
#include <math.h>

#include <twirl/math.h>

#include "base/json.h"
#include "run/probes.h"

/* ---- Columns: tw_json_table ---- */

/* probes.csv: a row per law and direction. */
static const tw_json_field probe_columns[] = {
    {"law", "string", NULL, NULL, "contact law, with refinements that are switched off"},
    {"probe", "integer", "1", NULL, "number of the direction"},
    {"angle", "number", "deg", NULL, "angle in the Rendulic plane"},
    {"direction_xx", "number", "1", NULL, "normal component of the unit direction"},
    {"direction_yy", "number", "1", NULL, "normal component of the unit direction"},
    {"direction_zz", "number", "1", NULL, "normal component of the unit direction"},
    {"strain_*", "number", "1", NULL, "strain at the end of loading, positive in compression"},
    {"stress_*", "number", "Pa", NULL,
     "change of stress at the end of loading, positive in compression"},
    {"reversible_*", "number", "1", NULL, "part of the strain, by unloading"},
    {"irreversible_*", "number", "1", NULL, "part of the strain, by unloading"},
    {"no_slip_strain_*", "number", "1", NULL, "strain of the companion without slip"},
    {"no_slip_stress_*", "number", "Pa", NULL, "change of stress of the companion without slip"},
    {"no_slip_reversible_*", "number", "1", NULL,
     "part of the strain, by the companion without slip"},
    {"no_slip_irreversible_*", "number", "1", NULL,
     "part of the strain, by the companion without slip"},
    {"strain_#", "number", "1", NULL, "coordinate of the strain in the space of the directions"},
    {"stress_#", "number", "Pa", NULL, "coordinate of the stress in the space of the directions"},
    {"irreversible_#", "number", "1", NULL, "coordinate of the irreversible strain, by unloading"},
    {"no_slip_irreversible_#", "number", "1", NULL,
     "coordinate of the irreversible strain, by the companion without slip"},
    {"x", "number", "1/Pa", NULL, "plotted point: irreversible strain over stress, by unloading"},
    {"y", "number", "1/Pa", NULL, "plotted point: irreversible strain over stress, by unloading"},
    {"z", "number", "1/Pa", NULL, "plotted point: irreversible strain over stress, by unloading"},
    {"no_slip_x", "number", "1/Pa", NULL, "plotted point, by the companion without slip"},
    {"no_slip_y", "number", "1/Pa", NULL, "plotted point, by the companion without slip"},
    {"no_slip_z", "number", "1/Pa", NULL, "plotted point, by the companion without slip"},
    {"at_limit", "number", "1", NULL, "fraction of contacts at the friction limit after loading"},
    {"friction_work", "number", "J/m3", NULL, "energy dissipated by friction during loading"},
    {"unbalanced", "number", "1", NULL, "unbalanced force after loading"},
    {"unload_unbalanced", "number", "1", NULL, "unbalanced force after unloading"},
    {"no_slip_unbalanced", "number", "1", NULL, "unbalanced force of the companion without slip"},
    {"steps", "integer", "1", NULL, "steps of loading and settling"},
    {"unload_steps", "integer", "1", NULL, "steps of unloading and settling"},
    {"no_slip_steps", "integer", "1", NULL, "steps of the companion without slip"},
    {"rested", "integer", "1", NULL, "1: in equilibrium after loading"},
    {"unload_rested", "integer", "1", NULL, "1: in equilibrium after unloading"},
    {"no_slip_rested", "integer", "1", NULL, "1: the companion without slip is in equilibrium"},
};

/* fits.csv: two rows per law and split that has a fit, loading and unloading. */
static const tw_json_field fit_columns[] = {
    {"law", "string", NULL, NULL, "contact law, with refinements that are switched off"},
    {"split", "string", NULL, NULL, "how irreversible strains were found: unload or no_slip"},
    {"circle", "string", NULL, NULL, "loading: the large circle; unloading: the opposite one"},
    {"points", "integer", "1", NULL, "number of points of the fit"},
    {"plastic_modulus", "number", "Pa", NULL, "1 over the diameter"},
    {"diameter", "number", "1/Pa", NULL, "of the circle or sphere"},
    {"rms", "number", "1", NULL, "residual of the fit over the diameter"},
    {"direction_angle", "number", "deg", NULL, "yield direction in the Rendulic plane"},
    {"direction_#", "number", "1", NULL, "yield direction, a unit vector"},
    {"flow_angle", "number", "deg", NULL, "flow direction in the Rendulic plane"},
    {"flow_#", "number", "1", NULL, "flow direction, a unit vector"},
    {"flow_rms", "number", "deg", NULL, "spread of the flow direction"},
};

enum {
    PROBE_COLUMNS = sizeof probe_columns / sizeof *probe_columns,
    FIT_COLUMNS = sizeof fit_columns / sizeof *fit_columns
};

void tw_run_probes_tables_begin(tw_run_probes_tables *tables)
{
    tw_json_table_header(&tables->probes, probe_columns, PROBE_COLUMNS);
    tw_json_table_header(&tables->fits, fit_columns, FIT_COLUMNS);
    tw_json_package_begin(&tables->dictionary, "twirl-probes");
    tw_json_table(&tables->dictionary, "probes", probe_columns, PROBE_COLUMNS);
    tw_json_table(&tables->dictionary, "fits", fit_columns, FIT_COLUMNS);
    tw_json_package_end(&tables->dictionary);
}

static void add_number(tw_text_buffer *text, double value)
{
    tw_text_buffer_add_csv(text, &value, 1);
}

/* ---- Probes ---- */

/* NULL: there is none. */
static void add_tensor(tw_text_buffer *text, const double *tensor)
{
    for (int k = 0; k < TW_COMPONENTS; k++)
        add_number(text, tensor ? tensor[k] : nan(""));
}

static void add_split(tw_text_buffer *text, const double strain[TW_COMPONENTS],
                      const double *irreversible)
{
    for (int k = 0; k < TW_COMPONENTS; k++)
        add_number(text, irreversible ? strain[k] - irreversible[k] : nan(""));
    add_tensor(text, irreversible);
}

static void find_point(const tw_run_probes *probes, const double *tensor,
                       double out[TW_DIRECTIONS_MAX])
{
    for (int k = 0; k < TW_DIRECTIONS_MAX; k++)
        out[k] = nan("");
    if (tensor) tw_directions_point(&probes->directions, tensor, out);
    if (!probes->directions.sphere) out[2] = nan("");
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
        add_number(text, k < n ? sqrt(strain_square) / stress_square * stress[k] : nan(""));
}

static void add_row(tw_text_buffer *text, const tw_run_probes *probes, size_t law, size_t i,
                    const tw_run_probes_evaluation *evaluation)
{
    const tw_probe_result *r = tw_run_probes_result(probes, law, i + 1);
    const int n = tw_directions_dimensions(&probes->directions);
    double unit[TW_COMPONENTS], point[4][TW_DIRECTIONS_MAX];
    const double *split[TW_RUN_PROBES_SPLITS];
    for (int s = 0; s < TW_RUN_PROBES_SPLITS; s++)
        split[s] = evaluation->irreversible[s] ? evaluation->irreversible[s][i] : NULL;
    tw_directions_at(&probes->directions, i, unit);
    tw_text_buffer_add(text, "%s,%zu", probes->laws[law].label, i + 1);
    add_number(text, probes->directions.sphere
                         ? nan("")
                         : 360.0 * (double)i / (double)probes->directions.count);
    tw_text_buffer_add_csv(text, unit, 3);
    add_tensor(text, r->strain);
    add_tensor(text, r->stress);
    add_split(text, r->strain, split[TW_RUN_PROBES_UNLOAD]);
    add_tensor(text, r->no_slip_strain);
    add_tensor(text, r->no_slip_stress);
    add_split(text, r->strain, split[TW_RUN_PROBES_NO_SLIP]);
    const double *const tensors[4] = {r->strain, r->stress, split[0], split[1]};
    for (int k = 0; k < 4; k++) {
        find_point(probes, tensors[k], point[k]);
        tw_text_buffer_add_csv(text, point[k], TW_DIRECTIONS_MAX);
    }
    add_circle_point(text, n, point[1], point[2]);
    add_circle_point(text, n, point[1], point[3]);
    add_number(text, r->at_limit[TW_PROBE_LOAD]);
    add_number(text, r->friction_work[TW_PROBE_LOAD]);
    tw_text_buffer_add_csv(text, r->unbalanced, TW_PROBE_PHASES);
    for (int k = 0; k < TW_PROBE_PHASES; k++)
        tw_text_buffer_add(text, ",%" PRIu64, r->steps[k]);
    for (int k = 0; k < TW_PROBE_PHASES; k++)
        tw_text_buffer_add(text, ",%" PRIu64, r->rested[k]);
    tw_text_buffer_add(text, "\n");
}

/* ---- Fits ---- */

static double angle_of(const tw_run_probes *probes, const double *direction)
{
    return probes->directions.sphere ? nan("") : tw_directions_angle(direction);
}

static void add_fit(tw_text_buffer *text, const tw_run_probes *probes, size_t law, int split,
                    const tw_fit_mechanism *m, bool loading)
{
    const tw_fit_circle *c = loading ? &m->loading : &m->unloading;
    static const double none[TW_DIRECTIONS_MAX] = {0.0};
    const double *flow = loading ? m->flow : none;
    tw_text_buffer_add(text, "%s,%s,%s,%zu", probes->laws[law].label,
                       tw_run_probes_split_name(split), loading ? "loading" : "unloading",
                       c->count);
    add_number(text, c->diameter > 0.0 ? 1.0 / c->diameter : nan(""));
    add_number(text, c->diameter);
    add_number(text, c->rms);
    add_number(text, angle_of(probes, c->direction));
    tw_text_buffer_add_csv(text, c->direction, TW_DIRECTIONS_MAX);
    add_number(text, loading ? angle_of(probes, flow) : nan(""));
    tw_text_buffer_add_csv(text, flow, TW_DIRECTIONS_MAX);
    add_number(text, loading ? 180.0 / TW_MATH_PI * m->flow_rms : nan(""));
    tw_text_buffer_add(text, "\n");
}

void tw_run_probes_tables_add(tw_run_probes_tables *tables, const tw_run_probes *probes, size_t law,
                              const tw_run_probes_evaluation *e)
{
    for (size_t i = 0; i < probes->directions.count; i++)
        add_row(&tables->probes, probes, law, i, e);
    for (int k = 0; k < 2 * TW_RUN_PROBES_SPLITS; k++)
        if (e->fitted[k / 2])
            add_fit(&tables->fits, probes, law, k / 2, &e->mechanism[k / 2], k % 2 == 0);
}
