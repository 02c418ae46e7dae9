/* SPDX-License-Identifier: BSD-3-Clause */
/* Results of the probes of a stage: docs/theory/probes.md. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <twirl/math.h>

#include "base/json.h"
#include "base/text.h"
#include "run/files.h"
#include "run/probes.h"
#include "run/run.h"

/* ---- Evaluation ---- */

/* Irreversible strain is found by unloading, or by comparison with the no-slip companion. */
enum { SPLIT_UNLOAD, SPLIT_NO_SLIP, SPLITS };

/* Evaluation of the probes of one law. */
typedef struct probes_evaluation {
    /* For each split: */
    double (*irreversible[SPLITS])[TW_COMPONENTS]; /* strain per direction */
    bool fitted[SPLITS];
    const char *unfit[SPLITS]; /* why a requested split has no fit */
    tw_fit_mechanism mechanism[SPLITS];

    double difference; /* between the splits, relative to the irreversible strain; NaN: no fit */

    /* Elastic tensor, fitted to the no-slip companions. */
    bool elastic;                                    /* it is known */
    double stiffness[TW_COMPONENTS * TW_COMPONENTS]; /* stress by engineering strain [Pa] */
    double elastic_rms;                              /* residual, relative [-] */

    /* Elastic tensor in the space of the directions. */
    bool plane_known;
    double plane[9];  /* [Pa], or [1/Pa] for stress probes */
    double plane_rms; /* relative [-] */

    double drift;    /* response of the null probe, relative to the mean of the others [-] */
    size_t restless; /* measurements taken before equilibrium was reached */
    double missed;   /* largest stress left after unloading, relative to the probe [-] */

    /* Stress probes alone: */
    double stiffest;  /* least strain by stress of a probe [1/Pa] */
    size_t collapsed; /* probes that have run away to another equilibrium */
    double collapse;  /* largest strain by stress, by the least [-] */
} probes_evaluation;

/* "unload", "no_slip". */
static const char *split_name(int split)
{
    return split == SPLIT_UNLOAD ? "unload" : "no_slip";
}

static const tw_probe_result *result_of(const tw_run_probes *probes, size_t law, size_t number)
{
    return &probes->result[tw_run_probes_index(probes, law, number)];
}

/* ---- Elastic tensor ---- */

/* Strains (x) and stresses (y) of the no-slip companions, in Kelvin's form. */
static bool gather_no_slip(const tw_run_probes *probes, size_t law, double **x, double **y)
{
    const size_t count = probes->each - 1;
    *x = malloc(count * TW_COMPONENTS * sizeof **x);
    *y = malloc(count * TW_COMPONENTS * sizeof **y);
    if (!*x || !*y) return false;
    for (size_t i = 0; i < count; i++) {
        const tw_probe_result *r = result_of(probes, law, i + 1);
        tw_probe_kelvin_strain(r->no_slip_strain, *x + i * TW_COMPONENTS);
        tw_probe_kelvin_stress(r->no_slip_stress, *y + i * TW_COMPONENTS);
    }
    return true;
}

/* Fit in the space of the directions, to the probes in these directions alone. */
static bool fit_plane(const tw_run_probes *probes, const double *x, const double *y,
                      probes_evaluation *out)
{
    const size_t count = probes->directions.count;
    const int n = tw_directions_dimensions(&probes->directions);
    double *points = malloc(2 * count * (size_t)n * sizeof *points);
    if (!points) return false;
    for (size_t i = 0; i < 2 * count; i++) {
        double point[TW_DIRECTIONS_MAX];
        const double *from = i < count ? x + i * TW_COMPONENTS : y + (i - count) * TW_COMPONENTS;
        tw_directions_point(&probes->directions, from, point);
        memcpy(points + i * (size_t)n, point, (size_t)n * sizeof *points);
    }
    const double *strain = points, *stress = points + count * (size_t)n;
    double matrix[TW_FIT_MAX * TW_FIT_MAX];
    out->plane_known = tw_fit_matrix(n, count, probes->by_stress ? stress : strain,
                                     probes->by_stress ? strain : stress, matrix, &out->plane_rms);
    memcpy(out->plane, matrix, sizeof out->plane);
    free(points);
    return true;
}

static bool read_elastic(const tw_run_probes *probes, size_t law, double kelvin[36],
                         probes_evaluation *out)
{
    double *x = NULL, *y = NULL;
    const bool good = gather_no_slip(probes, law, &x, &y) && fit_plane(probes, x, y, out);
    if (good && probes->elastic > 0)
        out->elastic =
            tw_fit_matrix(TW_COMPONENTS, probes->each - 1, x, y, kelvin, &out->elastic_rms);
    for (int i = 0; out->elastic && i < TW_COMPONENTS * TW_COMPONENTS; i++) {
        const double row = i / TW_COMPONENTS < TW_YZ ? 1.0 : sqrt(0.5);
        const double column = i % TW_COMPONENTS < TW_YZ ? 1.0 : sqrt(0.5);
        out->stiffness[i] = row * column * kelvin[i];
    }
    free(x);
    free(y);
    return good;
}

/* ---- Irreversible strains ---- */

/* Split by the no-slip companion. Strain probes: the stress lost by slip, divided by the elastic
 * stiffness. Stress probes: the difference of strain. */
static void split_by_no_slip(const tw_run_probes *probes, const tw_probe_result *r,
                             const double kelvin[36], bool known, double out[TW_COMPONENTS])
{
    double lost[TW_COMPONENTS];
    for (int k = 0; k < TW_COMPONENTS; k++) {
        lost[k] = r->no_slip_stress[k] - r->stress[k];
        out[k] = probes->by_stress ? r->strain[k] - r->no_slip_strain[k] : nan("");
    }
    if (probes->by_stress || !known) return;
    tw_probe_kelvin_stress(lost, lost);
    if (!tw_fit_solve(TW_COMPONENTS, kelvin, lost, out)) return;
    for (int k = TW_YZ; k < TW_COMPONENTS; k++)
        out[k] *= sqrt(2.0);
}

/* Without slip there is no irreversible strain, but unloading still leaves a small one, within the
 * tolerance of the servo, and a circle must not be fitted to that. Laws that are not exact count a
 * little friction work even without slip; the no-slip companions, if any, show the difference. */
static bool has_slid(const tw_run_probes *probes, size_t law)
{
    const bool companions = probes->stage->probes.no_slip == 1;
    for (size_t i = 0; i < probes->directions.count; i++) {
        const tw_probe_result *r = result_of(probes, law, i + 1);
        if (!(r->friction_work[TW_PROBE_LOAD] > 0.0)) continue;
        if (!companions || memcmp(r->stress, r->no_slip_stress, sizeof r->stress) != 0 ||
            memcmp(r->strain, r->no_slip_strain, sizeof r->strain) != 0)
            return true;
    }
    return false;
}

static bool fit_split(const tw_run_probes *probes, size_t law, int split, probes_evaluation *out)
{
    const size_t count = probes->directions.count;
    if (!has_slid(probes, law)) {
        out->unfit[split] = "no contact slid during loading; larger probes may help";
        return true;
    }
    tw_fit_point *points = malloc(count * sizeof *points);
    if (!points) return false;
    for (size_t i = 0; i < count; i++) {
        tw_directions_point(&probes->directions, result_of(probes, law, i + 1)->stress,
                            points[i].stress);
        tw_directions_point(&probes->directions, out->irreversible[split][i], points[i].plastic);
    }
    out->fitted[split] = tw_fit_mechanism_find(tw_directions_dimensions(&probes->directions),
                                               points, count, &out->mechanism[split]);
    if (!out->fitted[split]) out->unfit[split] = "too few directions, or no irreversible strain";
    free(points);
    return true;
}

static double difference_of(const tw_run_probes *probes, const probes_evaluation *r)
{
    double off = 0.0, all = 0.0;
    for (size_t i = 0; i < probes->directions.count; i++)
        for (int k = 0; k < TW_COMPONENTS; k++) {
            const double weight = k < TW_YZ ? 1.0 : 0.5;
            const double a = r->irreversible[SPLIT_UNLOAD][i][k];
            const double b = r->irreversible[SPLIT_NO_SLIP][i][k];
            off += weight * (a - b) * (a - b);
            all += weight * a * a;
        }
    return sqrt(off / all);
}

/* ---- Reliability ---- */

static double response_size(const tw_run_probes *probes, const tw_probe_result *r)
{
    double kelvin[TW_COMPONENTS];
    if (probes->by_stress)
        tw_probe_kelvin_strain(r->strain, kelvin);
    else
        tw_probe_kelvin_stress(r->stress, kelvin);
    return tw_probe_norm(kelvin);
}

static void judge(const tw_run_probes *probes, size_t law, probes_evaluation *out)
{
    const size_t count = probes->directions.count;
    double responses = 0.0;
    for (size_t i = 0; i < count; i++) {
        const tw_probe_result *r = result_of(probes, law, i + 1);
        double missed[TW_COMPONENTS], stress[TW_COMPONENTS];
        responses += response_size(probes, r) / (double)count;
        tw_probe_kelvin_stress(r->missed, missed);
        tw_probe_kelvin_stress(r->stress, stress);
        out->missed = tw_math_max(out->missed, tw_probe_norm(missed) / tw_probe_norm(stress));
    }
    out->drift = response_size(probes, result_of(probes, law, 0)) / responses;
    for (size_t i = 0; i < probes->each; i++)
        for (int phase = 0; phase < TW_PROBE_PHASES; phase++) {
            const tw_probe_result *r = result_of(probes, law, i);
            out->restless += r->steps[phase] > 0 && !r->rested[phase];
        }
}

/* Strain by stress of a probe [1/Pa]. */
static double softness_of(const tw_probe_result *r)
{
    double strain[TW_COMPONENTS], stress[TW_COMPONENTS];
    tw_probe_kelvin_strain(r->strain, strain);
    tw_probe_kelvin_stress(r->stress, stress);
    return tw_probe_norm(strain) / tw_probe_norm(stress);
}

static bool is_static(const tw_run_probes *probes)
{
    return probes->stage->probes.method == TW_SCENARIO_METHOD_STATIC;
}

/* Whether a static probe found no equilibrium under the whole load: because there is none near, */
static bool is_at_limit(const tw_run_probes *probes, size_t law, size_t number,
                        const probes_evaluation *e)
{
    const tw_probe_result *r = result_of(probes, law, number);
    (void)e;
    return is_static(probes) && !r->rested[TW_PROBE_LOAD] && r->limit[TW_PROBE_LOAD];
}

/* or because the method failed. */
static bool has_stalled(const tw_run_probes *probes, size_t law, size_t number,
                        const probes_evaluation *e)
{
    const tw_probe_result *r = result_of(probes, law, number);
    (void)e;
    return is_static(probes) && !r->rested[TW_PROBE_LOAD] && !r->limit[TW_PROBE_LOAD];
}

/* Whether a stress probe found no equilibrium near the state and ended in another one. Elastic
 * strains differ by a factor of about three with the direction, and slip makes them up to six times
 * larger in probes that stay; those that run away have 50 to 200 times the least (200 spheres near
 * the peak, docs/theory/probes.md). */
static bool has_collapsed(const tw_run_probes *probes, size_t law, size_t number,
                          const probes_evaluation *e)
{
    const double most = 30.0;
    return probes->by_stress && !is_static(probes) &&
           softness_of(result_of(probes, law, number)) > most * e->stiffest;
}

static void find_collapses(const tw_run_probes *probes, size_t law, probes_evaluation *out)
{
    const size_t count = probes->directions.count;
    out->stiffest = count > 0 ? softness_of(result_of(probes, law, 1)) : 0.0;
    for (size_t i = 2; i <= count; i++)
        out->stiffest = tw_math_min(out->stiffest, softness_of(result_of(probes, law, i)));
    for (size_t i = 1; i <= count; i++) {
        const double times = softness_of(result_of(probes, law, i)) / out->stiffest;
        out->collapsed += has_collapsed(probes, law, i, out);
        out->collapse = tw_math_max(out->collapse, times);
    }
}

/* False: out of memory. To be freed in any case. */
static bool evaluate(const tw_run_probes *probes, size_t law, probes_evaluation *out)
{
    const tw_scenario_probes *requested = &probes->stage->probes;
    const bool has[SPLITS] = {requested->unload == 1, requested->no_slip == 1};
    const size_t count = probes->directions.count;
    double kelvin[TW_COMPONENTS * TW_COMPONENTS];
    memset(out, 0, sizeof *out);
    out->difference = nan("");
    for (int s = 0; s < SPLITS; s++)
        if (has[s] && !(out->irreversible[s] = malloc(count * sizeof *out->irreversible[s])))
            return false;
    if (has[SPLIT_NO_SLIP] && !read_elastic(probes, law, kelvin, out)) return false;
    for (size_t i = 0; i < count; i++) {
        const tw_probe_result *r = result_of(probes, law, i + 1);
        if (has[SPLIT_UNLOAD]) memcpy(out->irreversible[SPLIT_UNLOAD][i], r->left, sizeof r->left);
        if (has[SPLIT_NO_SLIP])
            split_by_no_slip(probes, r, kelvin, out->elastic, out->irreversible[SPLIT_NO_SLIP][i]);
    }
    for (int s = 0; s < SPLITS; s++)
        if (has[s] && !fit_split(probes, law, s, out)) return false;
    if (out->fitted[SPLIT_UNLOAD] && out->fitted[SPLIT_NO_SLIP])
        out->difference = difference_of(probes, out);
    judge(probes, law, out);
    if (probes->by_stress) find_collapses(probes, law, out);
    return true;
}

static void free_evaluation(probes_evaluation *evaluation)
{
    for (int s = 0; s < SPLITS; s++)
        free(evaluation->irreversible[s]);
}

/* ---- Tables ---- */

static const char *const suffixes[TW_COMPONENTS] = {"xx", "yy", "zz", "yz", "xz", "xy"};

/* ---- Probes ---- */

/* Columns of a table. An ending in a star stands for the six components, in a hash for the three
 * coordinates in the space of the directions. The header of the table and its data dictionary
 * follow. */
typedef struct table_column {
    const char *name, *type, *unit, *text;
} table_column;

/* probes.csv: a row per law and direction. */
static const table_column probe_columns[] = {
    {"law", "string", NULL, "contact law, with refinements that are switched off"},
    {"probe", "integer", "1", "number of the direction"},
    {"angle", "number", "deg", "angle in the Rendulic plane"},
    {"direction_xx", "number", "1", "normal component of the unit direction"},
    {"direction_yy", "number", "1", "normal component of the unit direction"},
    {"direction_zz", "number", "1", "normal component of the unit direction"},
    {"strain_*", "number", "1", "strain at the end of loading, positive in compression"},
    {"stress_*", "number", "Pa", "change of stress at the end of loading, positive in compression"},
    {"reversible_*", "number", "1", "part of the strain, by unloading"},
    {"irreversible_*", "number", "1", "part of the strain, by unloading"},
    {"no_slip_strain_*", "number", "1", "strain of the companion without slip"},
    {"no_slip_stress_*", "number", "Pa", "change of stress of the companion without slip"},
    {"no_slip_reversible_*", "number", "1", "part of the strain, by the companion without slip"},
    {"no_slip_irreversible_*", "number", "1", "part of the strain, by the companion without slip"},
    {"strain_#", "number", "1", "coordinate of the strain in the space of the directions"},
    {"stress_#", "number", "Pa", "coordinate of the stress in the space of the directions"},
    {"irreversible_#", "number", "1", "coordinate of the irreversible strain, by unloading"},
    {"no_slip_irreversible_#", "number", "1",
     "coordinate of the irreversible strain, by the companion without slip"},
    {"x", "number", "1/Pa", "plotted point: irreversible strain over stress, by unloading"},
    {"y", "number", "1/Pa", "plotted point: irreversible strain over stress, by unloading"},
    {"z", "number", "1/Pa", "plotted point: irreversible strain over stress, by unloading"},
    {"no_slip_x", "number", "1/Pa", "plotted point, by the companion without slip"},
    {"no_slip_y", "number", "1/Pa", "plotted point, by the companion without slip"},
    {"no_slip_z", "number", "1/Pa", "plotted point, by the companion without slip"},
    {"at_limit", "number", "1", "fraction of contacts at the friction limit after loading"},
    {"friction_work", "number", "J/m3", "energy dissipated by friction during loading"},
    {"unbalanced", "number", "1", "unbalanced force after loading"},
    {"unload_unbalanced", "number", "1", "unbalanced force after unloading"},
    {"no_slip_unbalanced", "number", "1", "unbalanced force of the companion without slip"},
    {"steps", "integer", "1", "steps of loading and settling"},
    {"unload_steps", "integer", "1", "steps of unloading and settling"},
    {"no_slip_steps", "integer", "1", "steps of the companion without slip"},
    {"rested", "integer", "1", "1: in equilibrium after loading"},
    {"unload_rested", "integer", "1", "1: in equilibrium after unloading"},
    {"no_slip_rested", "integer", "1", "1: the companion without slip is in equilibrium"},
};

/* fits.csv: two rows per law and split that has a fit, loading and unloading. */
static const table_column fit_columns[] = {
    {"law", "string", NULL, "contact law, with refinements that are switched off"},
    {"split", "string", NULL, "how irreversible strains were found: unload or no_slip"},
    {"circle", "string", NULL, "loading: the large circle; unloading: the opposite one"},
    {"points", "integer", "1", "number of points of the fit"},
    {"plastic_modulus", "number", "Pa", "1 over the diameter"},
    {"diameter", "number", "1/Pa", "of the circle or sphere"},
    {"rms", "number", "1", "residual of the fit over the diameter"},
    {"direction_angle", "number", "deg", "yield direction in the Rendulic plane"},
    {"direction_#", "number", "1", "yield direction, a unit vector"},
    {"flow_angle", "number", "deg", "flow direction in the Rendulic plane"},
    {"flow_#", "number", "1", "flow direction, a unit vector"},
    {"flow_rms", "number", "deg", "spread of the flow direction"},
};

enum { PROBE_COLUMNS = sizeof probe_columns / sizeof *probe_columns };
enum { FIT_COLUMNS = sizeof fit_columns / sizeof *fit_columns };

/* The k-th name of a column; NULL: it has no more. */
static const char *column_name(const table_column *column, int k, char name[40])
{
    static const char *const numbers[] = {"1", "2", "3"};
    const size_t length = strlen(column->name) - 1;
    const char last = column->name[length];
    const bool many = last == '*' || last == '#';
    if (k >= (last == '*' ? TW_COMPONENTS : last == '#' ? TW_DIRECTIONS_MAX : 1)) return NULL;
    snprintf(name, 40, "%.*s%s", (int)(many ? length : length + 1), column->name,
             last == '*'   ? suffixes[k]
             : last == '#' ? numbers[k]
                           : "");
    return name;
}

static void add_header(tw_text_buffer *text, const table_column *columns, size_t count)
{
    char name[40];
    for (size_t i = 0; i < count; i++)
        for (int k = 0; column_name(&columns[i], k, name); k++)
            tw_text_buffer_add(text, "%s%s", i > 0 || k > 0 ? "," : "", name);
    tw_text_buffer_add(text, "\n");
}

static void add_table(tw_text_buffer *text, const char *table, const table_column *columns,
                      size_t count)
{
    char name[40];
    tw_json_table_begin(text, table);
    for (size_t i = 0; i < count; i++)
        for (int k = 0; column_name(&columns[i], k, name); k++)
            tw_json_table_add(text, (tw_json_field){name, columns[i].type, columns[i].unit, name,
                                                    columns[i].text});
    tw_json_table_end(text);
}

static void add_dictionary(tw_text_buffer *text)
{
    tw_json_package_begin(text, "twirl-probes");
    add_table(text, "probes", probe_columns, PROBE_COLUMNS);
    add_table(text, "fits", fit_columns, FIT_COLUMNS);
    tw_json_package_end(text);
}

static void add_tensor(tw_text_buffer *text, const double tensor[TW_COMPONENTS])
{
    for (int k = 0; k < TW_COMPONENTS; k++)
        tw_run_csv_add(text, tensor ? tensor[k] : nan(""));
}

static void add_split(tw_text_buffer *text, const double strain[TW_COMPONENTS],
                      const double *irreversible)
{
    for (int k = 0; k < TW_COMPONENTS; k++)
        tw_run_csv_add(text, irreversible ? strain[k] - irreversible[k] : nan(""));
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

static void add_point(tw_text_buffer *text, const double point[TW_DIRECTIONS_MAX])
{
    for (int k = 0; k < TW_DIRECTIONS_MAX; k++)
        tw_run_csv_add(text, point[k]);
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
        tw_run_csv_add(text, k < n ? sqrt(strain_square) / stress_square * stress[k] : nan(""));
}

static void add_row(tw_text_buffer *text, const tw_run_probes *probes, size_t law, size_t i,
                    const probes_evaluation *evaluation)
{
    const tw_probe_result *r = &probes->result[tw_run_probes_index(probes, law, i + 1)];
    const int n = tw_directions_dimensions(&probes->directions);
    double unit[TW_COMPONENTS], point[4][TW_DIRECTIONS_MAX];
    const double *split[SPLITS];
    for (int s = 0; s < SPLITS; s++)
        split[s] = evaluation->irreversible[s] ? evaluation->irreversible[s][i] : NULL;
    tw_directions_at(&probes->directions, i, unit);
    tw_text_buffer_add(text, "%s,%zu", probes->laws[law].label, i + 1);
    tw_run_csv_add(text, probes->directions.sphere
                             ? nan("")
                             : 360.0 * (double)i / (double)probes->directions.count);
    for (int k = 0; k < 3; k++)
        tw_run_csv_add(text, unit[k]);
    add_tensor(text, r->strain);
    add_tensor(text, r->stress);
    add_split(text, r->strain, split[SPLIT_UNLOAD]);
    add_tensor(text, r->no_slip_strain);
    add_tensor(text, r->no_slip_stress);
    add_split(text, r->strain, split[SPLIT_NO_SLIP]);
    const double *const tensors[4] = {r->strain, r->stress, split[0], split[1]};
    for (int k = 0; k < 4; k++) {
        find_point(probes, tensors[k], point[k]);
        add_point(text, point[k]);
    }
    add_circle_point(text, n, point[1], point[2]);
    add_circle_point(text, n, point[1], point[3]);
    tw_run_csv_add(text, r->at_limit[TW_PROBE_LOAD]);
    tw_run_csv_add(text, r->friction_work[TW_PROBE_LOAD]);
    for (int k = 0; k < TW_PROBE_PHASES; k++)
        tw_run_csv_add(text, r->unbalanced[k]);
    for (int k = 0; k < TW_PROBE_PHASES; k++)
        tw_text_buffer_add(text, ",%" PRIu64, r->steps[k]);
    for (int k = 0; k < TW_PROBE_PHASES; k++)
        tw_text_buffer_add(text, ",%" PRIu64, r->rested[k]);
    tw_text_buffer_add(text, "\n");
}

static void add_rows(tw_text_buffer *text, const tw_run_probes *probes, size_t law,
                     const probes_evaluation *evaluation)
{
    for (size_t i = 0; i < probes->directions.count; i++)
        add_row(text, probes, law, i, evaluation);
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
    tw_text_buffer_add(text, "%s,%s,%s,%zu", probes->laws[law].label, split_name(split),
                       loading ? "loading" : "unloading", c->count);
    tw_run_csv_add(text, c->diameter > 0.0 ? 1.0 / c->diameter : nan(""));
    tw_run_csv_add(text, c->diameter);
    tw_run_csv_add(text, c->rms);
    tw_run_csv_add(text, angle_of(probes, c->direction));
    add_point(text, c->direction);
    tw_run_csv_add(text, loading ? angle_of(probes, flow) : nan(""));
    add_point(text, flow);
    tw_run_csv_add(text, loading ? 180.0 / TW_MATH_PI * m->flow_rms : nan(""));
    tw_text_buffer_add(text, "\n");
}

static void add_fits(tw_text_buffer *text, const tw_run_probes *probes, size_t law,
                     const probes_evaluation *evaluation)
{
    for (int split = 0; split < SPLITS; split++) {
        if (!evaluation->fitted[split]) continue;
        add_fit(text, probes, law, split, &evaluation->mechanism[split], true);
        add_fit(text, probes, law, split, &evaluation->mechanism[split], false);
    }
}

/* ---- probes.json ---- */

static void add_circle(tw_text_buffer *text, const char *name, const tw_run_probes *probes,
                       const tw_fit_circle *c)
{
    const size_t n = (size_t)tw_directions_dimensions(&probes->directions);
    tw_json_begin(text, name, '{');
    tw_json_count(text, "points", c->count);
    tw_json_number(text, "plastic_modulus", c->diameter > 0.0 ? 1.0 / c->diameter : nan(""));
    tw_json_number(text, "diameter", c->diameter);
    tw_json_number(text, "rms", c->rms);
    if (!probes->directions.sphere)
        tw_json_number(text, "angle", tw_directions_angle(c->direction));
    tw_json_numbers(text, "direction", c->direction, n, 1);
    tw_json_end(text, '}');
}

static void add_mechanism(tw_text_buffer *text, const char *name, const tw_run_probes *probes,
                          const tw_fit_mechanism *m)
{
    const size_t n = (size_t)tw_directions_dimensions(&probes->directions);
    tw_json_begin(text, name, '{');
    add_circle(text, "loading", probes, &m->loading);
    add_circle(text, "unloading", probes, &m->unloading);
    if (!probes->directions.sphere)
        tw_json_number(text, "flow_angle", tw_directions_angle(m->flow));
    tw_json_numbers(text, "flow", m->flow, n, 1);
    tw_json_number(text, "flow_rms", 180.0 / TW_MATH_PI * m->flow_rms);
    tw_json_end(text, '}');
}

static void add_law(tw_text_buffer *text, const tw_run_probes *probes, size_t law,
                    const probes_evaluation *e)
{
    const size_t n = (size_t)tw_directions_dimensions(&probes->directions);
    tw_json_begin(text, NULL, '{');
    tw_json_text(text, "law", probes->laws[law].label);
    tw_json_count(text, "restless", e->restless);
    if (probes->by_stress) tw_json_count(text, "collapsed", e->collapsed);
    tw_json_number(text, "drift", e->drift);
    if (probes->stage->probes.unload == 1) tw_json_number(text, "missed", e->missed);
    if (!isnan(e->difference)) tw_json_number(text, "split_difference", e->difference);
    for (int s = 0; s < SPLITS; s++) {
        char no_fit[24];
        snprintf(no_fit, sizeof no_fit, "%s_no_fit", split_name(s));
        if (e->unfit[s]) tw_json_text(text, no_fit, e->unfit[s]);
        if (e->fitted[s]) add_mechanism(text, split_name(s), probes, &e->mechanism[s]);
    }
    if (e->plane_known) {
        tw_json_numbers(text, probes->by_stress ? "plane_compliance" : "plane_stiffness", e->plane,
                        n * n, 1);
        tw_json_number(text, "plane_rms", e->plane_rms);
    }
    if (e->elastic) {
        tw_json_numbers(text, "stiffness", e->stiffness, TW_COMPONENTS * TW_COMPONENTS, 1);
        tw_json_number(text, "stiffness_rms", e->elastic_rms);
    }
    tw_json_end(text, '}');
}

/* The state before and after settling. */
typedef struct snapshot {
    double p, q, at_limit, unbalanced;
} snapshot;

typedef struct settling {
    snapshot from, to;
    bool reached;
} settling;

static tw_status find_settling(const tw_run *run, const tw_run_probes *probes, settling *out)
{
    const tw_run_state *state = &run->state;
    tw_measure m;
    const tw_status status = tw_sim_measure(run->sim, &m, run->error);
    if (status != TW_STATUS_OK) return status;
    const tw_run_loading_stress now = tw_run_stress(run);
    out->from =
        (snapshot){state->start_p, state->start_q, state->start_at_limit, state->start_unbalanced};
    out->to = (snapshot){now.p, now.q, nan(""), m.unbalanced};
    out->reached = m.unbalanced < probes->stage->probes.settle;
    return tw_probe_at_limit(run->sim, &out->to.at_limit, run->error);
}

static void add_settling(tw_text_buffer *text, const tw_run *run, const settling *s)
{
    const snapshot *from = &s->from, *to = &s->to;
    tw_json_begin(text, "settle", '{');
    tw_json_count(text, "steps", run->state.stage_steps);
    tw_json_truth(text, "reached", s->reached);
    tw_json_numbers(text, "p", (const double[]){from->p, to->p}, 2, 1);
    tw_json_numbers(text, "q", (const double[]){from->q, to->q}, 2, 1);
    tw_json_numbers(text, "at_limit", (const double[]){from->at_limit, to->at_limit}, 2, 1);
    tw_json_numbers(text, "unbalanced", (const double[]){from->unbalanced, to->unbalanced}, 2, 1);
    tw_json_end(text, '}');
}

/* ---- Log ---- */

static double stress_ratio(const snapshot *s)
{
    return s->p > 0.0 ? s->q / s->p : 0.0;
}

static tw_status log_settling(tw_run *run, const tw_run_probes *probes, const settling *s)
{
    const char *name = probes->stage->name;
    const snapshot *from = &s->from, *to = &s->to;
    const uint64_t steps = run->state.stage_steps;
    if (probes->stage->probes.settle_steps == 0) return TW_STATUS_OK;
    const tw_status status = tw_run_log(
        run,
        "%s: settled in %" PRIu64 " step%s: unbalanced %.2g to %.2g, p %.6g to %.6g Pa, q/p %.4f "
        "to %.4f, contacts at the friction limit %.2f to %.2f %%",
        name, steps, steps == 1 ? "" : "s", from->unbalanced, to->unbalanced, from->p, to->p,
        stress_ratio(from), stress_ratio(to), 100.0 * from->at_limit, 100.0 * to->at_limit);
    if (status != TW_STATUS_OK || s->reached) return status;
    return tw_run_warn(run,
                       "the state is not in equilibrium: the unbalanced force is above settle, "
                       "%g; increase settle_steps",
                       probes->stage->probes.settle);
}

static int label_width(const tw_run_probes *probes)
{
    size_t width = strlen("law");
    for (size_t i = 0; i < probes->law_count; i++)
        if (strlen(probes->laws[i].label) > width) width = strlen(probes->laws[i].label);
    return (int)width;
}

static tw_status log_header(tw_run *run, const tw_run_probes *probes)
{
    return tw_run_log(run, "%s: %-*s %-8s %18s %12s %12s %7s %8s", probes->stage->name,
                      label_width(probes), "law", "split", "plastic modulus/Pa", "yield/deg",
                      "flow/deg", "rms/%", "small");
}

static tw_status log_fit(tw_run *run, const tw_run_probes *probes, const char *row,
                         const tw_fit_mechanism *m)
{
    const double modulus = 1.0 / m->loading.diameter;
    char rms[24] = "-"; /* as many points as unknowns lie on the circle, whatever they are */
    if (!isnan(m->loading.rms)) snprintf(rms, sizeof rms, "%.2f", 100.0 * m->loading.rms);
    const double ratio = m->unloading.diameter / m->loading.diameter;
    const double *yield = m->loading.direction, *flow = m->flow;
    if (probes->directions.sphere)
        return tw_run_log(run, "%s %18.6g   [%.3f %.3f %.3f]  [%.3f %.3f %.3f] %7s %8.3f", row,
                          modulus, yield[0], yield[1], yield[2], flow[0], flow[1], flow[2], rms,
                          ratio);
    return tw_run_log(run, "%s %18.6g %12.2f %12.2f %7s %8.3f", row, modulus,
                      tw_directions_angle(yield), tw_directions_angle(flow), rms, ratio);
}

static tw_status log_splits(tw_run *run, const tw_run_probes *probes, size_t law,
                            const probes_evaluation *e)
{
    tw_status status = TW_STATUS_OK;
    for (int s = 0; s < SPLITS && status == TW_STATUS_OK; s++) {
        char row[512]; /* first columns */
        snprintf(row, sizeof row, "%s: %-*s %-8s", probes->stage->name, label_width(probes),
                 probes->laws[law].label, split_name(s));
        if (e->fitted[s])
            status = log_fit(run, probes, row, &e->mechanism[s]);
        else if (e->unfit[s])
            status = tw_run_log(run, "%s no fit: %s", row, e->unfit[s]);
    }
    return status;
}

/* Whether a circle was fitted to as many points as it has unknowns. */
static bool has_exact_fit(const probes_evaluation *e)
{
    for (int s = 0; s < SPLITS; s++)
        if (e->fitted[s] && isnan(e->mechanism[s].loading.rms)) return true;
    return false;
}

/* Strain by stress, in the mean over the probes of a law [1/Pa]. */
static double compliance_of(const tw_run_probes *probes, size_t law)
{
    double strains = 0.0, stresses = 0.0;
    for (size_t i = 1; i < probes->each; i++) {
        const tw_probe_result *r = result_of(probes, law, i);
        for (int k = 0; k < TW_COMPONENTS; k++) {
            strains += r->strain[k] * r->strain[k];
            stresses += r->stress[k] * r->stress[k];
        }
    }
    return sqrt(strains / stresses);
}

/* Whether the fit of a split is poor, and there is something to fit: of an elastic response what is
 * irreversible is the error of the measurement. */
static bool has_poor_fit(const tw_run_probes *probes, size_t law, const probes_evaluation *e,
                         int split)
{
    const tw_fit_circle *circle = &e->mechanism[split].loading;
    return e->fitted[split] && circle->rms > 0.05 &&
           circle->diameter > 0.01 * compliance_of(probes, law);
}

typedef bool (*probe_choice)(const tw_run_probes *probes, size_t law, size_t number,
                             const probes_evaluation *e);

/* Lists probes: numbers, and angles where they have one. */
static tw_text_buffer list_probes(const tw_run_probes *probes, size_t law,
                                  const probes_evaluation *e, probe_choice belongs)
{
    tw_text_buffer list = {0};
    for (size_t i = 1; i <= probes->directions.count; i++) {
        double unit[TW_COMPONENTS], point[TW_DIRECTIONS_MAX];
        if (!belongs(probes, law, i, e)) continue;
        tw_directions_at(&probes->directions, i - 1, unit);
        tw_directions_point(&probes->directions, unit, point);
        tw_text_buffer_add(&list, "%s%zu", list.length > 0 ? ", " : "", i);
        if (!probes->directions.sphere)
            tw_text_buffer_add(&list, " (%.4g deg)", tw_directions_angle(point));
    }
    return list;
}

static tw_status log_limits(tw_run *run, const tw_run_probes *probes, size_t law,
                            const probes_evaluation *e)
{
    tw_status status = TW_STATUS_OK;
    for (int stalled = 0; stalled < 2 && status == TW_STATUS_OK; stalled++) {
        tw_text_buffer list = list_probes(probes, law, e, stalled ? has_stalled : is_at_limit);
        if (list.failed) status = tw_error_set_memory(run->error);
        if (list.length > 0 && !list.failed)
            status = tw_run_warn(
                run,
                "%s: %s under the whole increment of the probes %s; their rows are "
                "those of the last equilibrium that was found",
                probes->laws[law].label,
                stalled ? "no convergence: Newton's method found no equilibrium, which may exist,"
                        : "limit state: no equilibrium was found",
                list.text);
        tw_text_buffer_free(&list);
    }
    return status;
}

static tw_status log_collapses(tw_run *run, const tw_run_probes *probes, size_t law,
                               const probes_evaluation *e)
{
    tw_text_buffer list = list_probes(probes, law, e, has_collapsed);
    const tw_status status =
        list.failed ? tw_error_set_memory(run->error)
                    : tw_run_warn(run,
                                  "%s: probe%s %s collapsed on the way: the strain is "
                                  "up to %.3g times that of the stiffest probe, and belongs to "
                                  "another state; the state does not carry this stress increment, "
                                  "reduce it",
                                  probes->laws[law].label, e->collapsed == 1 ? "" : "s", list.text,
                                  e->collapse);
    tw_text_buffer_free(&list);
    return status;
}

static tw_status log_law(tw_run *run, const tw_run_probes *probes, size_t law,
                         const probes_evaluation *e)
{
    const char *label = probes->laws[law].label;
    tw_status status = log_splits(run, probes, law, e);
    if (status == TW_STATUS_OK && has_exact_fit(e))
        status = tw_run_warn(run, "%s: too few directions for an error of the fit; increase count",
                             label);
    for (int s = 0; s < SPLITS && status == TW_STATUS_OK; s++)
        if (has_poor_fit(probes, law, e, s))
            status =
                tw_run_warn(run,
                            "%s, %s: the %s misses the points by %.2g %% of its diameter "
                            "(rms): its modulus describes them poorly%s",
                            label, split_name(s), probes->directions.sphere ? "sphere" : "circle",
                            100.0 * e->mechanism[s].loading.rms,
                            probes->directions.sphere ? "" : "; see the figure of circles");
    if (status == TW_STATUS_OK && e->collapsed > 0) status = log_collapses(run, probes, law, e);
    if (status == TW_STATUS_OK) status = log_limits(run, probes, law, e);
    if (status == TW_STATUS_OK && e->restless > 0 && !is_static(probes))
        status = tw_run_warn(run,
                             "%s: %zu measurement%s taken before equilibrium was reached; "
                             "increase rest_steps",
                             label, e->restless, e->restless == 1 ? " was" : "s were");
    if (status == TW_STATUS_OK && e->drift > 1e-2)
        status = tw_run_warn(run,
                             "%s: the null probe has %.2g of the response of the others: the "
                             "state drifts; settle longer",
                             label, e->drift);
    return status;
}

/* ---- All output ---- */

typedef struct output {
    tw_text_buffer table, fits, dictionary, summary;
} output;

static tw_status add_laws(tw_run *run, const tw_run_probes *probes, output *out)
{
    tw_status status = TW_STATUS_OK;
    for (size_t law = 0; law < probes->law_count && status == TW_STATUS_OK; law++) {
        probes_evaluation e;
        if (evaluate(probes, law, &e)) {
            add_rows(&out->table, probes, law, &e);
            add_fits(&out->fits, probes, law, &e);
            add_law(&out->summary, probes, law, &e);
            status = log_law(run, probes, law, &e);
        } else {
            status = tw_error_set_memory(run->error);
        }
        free_evaluation(&e);
    }
    return status;
}

/* Frees the text in any case. */
static tw_status write_text(tw_run *run, const tw_run_probes *probes, const char *name,
                            tw_text_buffer *text, tw_status status)
{
    const char *stage = probes->stage->name;
    if (status == TW_STATUS_OK) {
        status = tw_run_file_replace(tw_run_probes_path(run, stage, name).text, text, run->error);
        return status == TW_STATUS_OK
                   ? tw_run_files_add(run, tw_folder_path_in("stages", stage, name, "").text, 0.0)
                   : status;
    }
    tw_text_buffer_free(text);
    return status;
}

tw_status tw_run_probes_report(tw_run *run, const tw_run_probes *probes)
{
    output out = {0};
    settling s;
    tw_status status = find_settling(run, probes, &s);
    if (status == TW_STATUS_OK) status = log_settling(run, probes, &s);
    if (status == TW_STATUS_OK) status = log_header(run, probes);
    add_header(&out.table, probe_columns, PROBE_COLUMNS);
    add_header(&out.fits, fit_columns, FIT_COLUMNS);
    add_dictionary(&out.dictionary);
    tw_json_begin(&out.summary, NULL, '{');
    add_settling(&out.summary, run, &s);
    tw_json_count(&out.summary, "directions", probes->directions.count);
    tw_json_begin(&out.summary, "laws", '[');
    if (status == TW_STATUS_OK) status = add_laws(run, probes, &out);
    tw_text_buffer_add(&out.summary, "]}");
    status = write_text(run, probes, "probes.csv", &out.table, status);
    status = write_text(run, probes, "fits.csv", &out.fits, status);
    status = write_text(run, probes, "datapackage.json", &out.dictionary, status);
    return write_text(run, probes, "probes.json", &out.summary, status);
}
