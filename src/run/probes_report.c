/* SPDX-License-Identifier: BSD-3-Clause */
/* Results of the probes of a stage: files and lines of the log. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <twirl/math.h>

#include "base/json.h"
#include "run/file_list.h"
#include "run/probes.h"

enum { SPLITS = TW_RUN_PROBES_SPLITS };

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
                    const tw_run_probes_evaluation *e)
{
    const size_t n = (size_t)tw_directions_dimensions(&probes->directions);
    tw_json_begin(text, NULL, '{');
    tw_json_text(text, "law", probes->laws[law].label);
    tw_json_count(text, "restless", e->restless);
    size_t collapsed = 0;
    for (size_t i = 1; i <= probes->directions.count; i++)
        collapsed += tw_run_probes_end_of(probes, law, i, e) == TW_RUN_PROBES_COLLAPSED;
    if (probes->by_stress) tw_json_count(text, "collapsed", collapsed);
    tw_json_number(text, "drift", e->drift);
    if (probes->stage->probes.unload == 1) tw_json_number(text, "missed", e->missed);
    if (!isnan(e->difference)) tw_json_number(text, "split_difference", e->difference);
    for (int s = 0; s < SPLITS; s++) {
        char no_fit[24];
        snprintf(no_fit, sizeof no_fit, "%s_no_fit", tw_run_probes_split_name(s));
        if (e->unfit[s]) tw_json_text(text, no_fit, e->unfit[s]);
        if (e->fitted[s])
            add_mechanism(text, tw_run_probes_split_name(s), probes, &e->mechanism[s]);
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
    const tw_run_loading_stress now = tw_run_stress(run->sim);
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
                            const tw_run_probes_evaluation *e)
{
    tw_status status = TW_STATUS_OK;
    for (int s = 0; s < SPLITS && status == TW_STATUS_OK; s++) {
        char row[512]; /* first columns */
        snprintf(row, sizeof row, "%s: %-*s %-8s", probes->stage->name, label_width(probes),
                 probes->laws[law].label, tw_run_probes_split_name(s));
        if (e->fitted[s])
            status = log_fit(run, probes, row, &e->mechanism[s]);
        else if (e->unfit[s])
            status = tw_run_log(run, "%s no fit: %s", row, e->unfit[s]);
    }
    return status;
}

/* Whether a circle was fitted to as many points as it has unknowns. */
static bool has_exact_fit(const tw_run_probes_evaluation *e)
{
    for (int s = 0; s < SPLITS; s++)
        if (e->fitted[s] && isnan(e->mechanism[s].loading.rms)) return true;
    return false;
}

/* Whether the fit of a split is poor, and there is something to fit: of an elastic response what is
 * irreversible is the error of the measurement. */
static bool has_poor_fit(const tw_run_probes_evaluation *e, int split)
{
    const tw_fit_circle *circle = &e->mechanism[split].loading;
    return e->fitted[split] && circle->rms > 0.05 && circle->diameter > 0.01 * e->mean;
}

/* The probes with this end: numbers, and angles where they have one. Returns how many. */
static size_t list_probes(const tw_run_probes *probes, size_t law,
                          const tw_run_probes_evaluation *e, tw_run_probes_end end,
                          tw_text_buffer *list)
{
    size_t count = 0;
    for (size_t i = 1; i <= probes->directions.count; i++) {
        double unit[TW_COMPONENTS], point[TW_DIRECTIONS_MAX];
        if (tw_run_probes_end_of(probes, law, i, e) != end) continue;
        tw_directions_at(&probes->directions, i - 1, unit);
        tw_directions_point(&probes->directions, unit, point);
        tw_text_buffer_add(list, "%s%zu", count++ > 0 ? ", " : "", i);
        if (!probes->directions.sphere)
            tw_text_buffer_add(list, " (%.4g deg)", tw_directions_angle(point));
    }
    return count;
}

static tw_status log_end(tw_run *run, const tw_run_probes *probes, size_t law,
                         const tw_run_probes_evaluation *e, tw_run_probes_end end)
{
    static const char *const found[] = {
        [TW_RUN_PROBES_LIMIT] = "limit state: no equilibrium was found",
        [TW_RUN_PROBES_STALLED] =
            "no convergence: Newton's method found no equilibrium, which may exist,"};
    const char *label = probes->laws[law].label;
    tw_text_buffer list = {0};
    const size_t count = list_probes(probes, law, e, end, &list);
    tw_status status = TW_STATUS_OK;
    if (list.failed)
        status = tw_error_set_memory(run->error);
    else if (count > 0 && end == TW_RUN_PROBES_COLLAPSED)
        status = tw_run_warn(run,
                             "%s: probe%s %s collapsed on the way: the strain is up to %.3g times "
                             "that of the stiffest probe, and belongs to another state; the state "
                             "does not carry this stress increment, reduce it",
                             label, count == 1 ? "" : "s", list.text, e->collapse);
    else if (count > 0)
        status = tw_run_warn(run,
                             "%s: %s under the whole increment of the probes %s; their rows are "
                             "those of the last equilibrium that was found",
                             label, found[end], list.text);
    tw_text_buffer_free(&list);
    return status;
}

static tw_status log_law(tw_run *run, const tw_run_probes *probes, size_t law,
                         const tw_run_probes_evaluation *e)
{
    const char *label = probes->laws[law].label;
    tw_status status = log_splits(run, probes, law, e);
    if (status == TW_STATUS_OK && has_exact_fit(e))
        status = tw_run_warn(run, "%s: too few directions for an error of the fit; increase count",
                             label);
    for (int s = 0; s < SPLITS && status == TW_STATUS_OK; s++)
        if (has_poor_fit(e, s))
            status = tw_run_warn(run,
                                 "%s, %s: the %s misses the points by %.2g %% of its diameter "
                                 "(rms): its modulus describes them poorly%s",
                                 label, tw_run_probes_split_name(s),
                                 probes->directions.sphere ? "sphere" : "circle",
                                 100.0 * e->mechanism[s].loading.rms,
                                 probes->directions.sphere ? "" : "; see the figure of circles");
    for (int end = TW_RUN_PROBES_LIMIT; end <= TW_RUN_PROBES_COLLAPSED; end++)
        if (status == TW_STATUS_OK) status = log_end(run, probes, law, e, (tw_run_probes_end)end);
    if (status == TW_STATUS_OK && e->restless > 0 && !tw_run_probes_are_static(probes))
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

static tw_status add_laws(tw_run *run, const tw_run_probes *probes, tw_run_probes_tables *tables,
                          tw_text_buffer *summary)
{
    tw_status status = TW_STATUS_OK;
    for (size_t law = 0; law < probes->law_count && status == TW_STATUS_OK; law++) {
        tw_run_probes_evaluation e;
        if (tw_run_probes_evaluate(probes, law, &e)) {
            tw_run_probes_tables_add(tables, probes, law, &e);
            add_law(summary, probes, law, &e);
            status = log_law(run, probes, law, &e);
        } else {
            status = tw_error_set_memory(run->error);
        }
        tw_run_probes_evaluation_free(&e);
    }
    return status;
}

/* Frees the text in any case. */
static tw_status write_text(tw_run *run, const tw_run_probes *probes, const char *name,
                            tw_text_buffer *text, tw_status status)
{
    const char *stage = probes->stage->name;
    if (status == TW_STATUS_OK)
        status = tw_replace_file_text(tw_run_probes_path(run, stage, name).text, text, run->error);
    if (status == TW_STATUS_OK)
        status = tw_run_files_add(run, tw_folder_path_in("stages", stage, name, "").text, 0.0);
    tw_text_buffer_free(text);
    return status;
}

tw_status tw_run_probes_report(tw_run *run, const tw_run_probes *probes)
{
    tw_run_probes_tables tables = {0};
    tw_text_buffer summary = {0};
    settling s;
    tw_status status = find_settling(run, probes, &s);
    if (status == TW_STATUS_OK) status = log_settling(run, probes, &s);
    if (status == TW_STATUS_OK) status = log_header(run, probes);
    tw_run_probes_tables_begin(&tables);
    tw_json_begin(&summary, NULL, '{');
    add_settling(&summary, run, &s);
    tw_json_count(&summary, "directions", probes->directions.count);
    tw_json_begin(&summary, "laws", '[');
    if (status == TW_STATUS_OK) status = add_laws(run, probes, &tables, &summary);
    tw_text_buffer_add(&summary, "]}");
    status = write_text(run, probes, "probes.csv", &tables.probes, status);
    status = write_text(run, probes, "fits.csv", &tables.fits, status);
    status = write_text(run, probes, "datapackage.json", &tables.dictionary, status);
    return write_text(run, probes, "probes.json", &summary, status);
}
