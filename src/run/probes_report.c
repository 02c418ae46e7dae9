/* SPDX-License-Identifier: BSD-3-Clause */
#include "run/probes_report.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <twirl/math.h>

#include "base/text.h"
#include "run/json.h"
#include "run/probes_evaluation.h"
#include "run/probes_table.h"
#include "run/run_files.h"

/* ---- probes.json ---- */

static void add_circle(tw_text_buffer *text, const tw_probes *probes, const tw_fit_circle *c)
{
    const size_t n = (size_t)tw_directions_dimensions(&probes->directions);
    tw_text_buffer_add(text, "{\"points\": %zu", c->count);
    tw_json_add_number(text, "plastic_modulus", c->diameter > 0.0 ? 1.0 / c->diameter : nan(""));
    tw_json_add_number(text, "diameter", c->diameter);
    tw_json_add_number(text, "rms", c->rms);
    if (!probes->directions.sphere)
        tw_json_add_number(text, "angle", tw_directions_angle(c->direction));
    tw_json_add_list(text, "direction", c->direction, n);
    tw_text_buffer_add(text, "}");
}

static void add_mechanism(tw_text_buffer *text, const tw_probes *probes, const tw_fit_mechanism *m)
{
    const size_t n = (size_t)tw_directions_dimensions(&probes->directions);
    tw_text_buffer_add(text, "{\"loading\": ");
    add_circle(text, probes, &m->loading);
    tw_text_buffer_add(text, ", \"unloading\": ");
    add_circle(text, probes, &m->unloading);
    if (!probes->directions.sphere)
        tw_json_add_number(text, "flow_angle", tw_directions_angle(m->flow));
    tw_json_add_list(text, "flow", m->flow, n);
    tw_json_add_number(text, "flow_rms", 180.0 / TW_MATH_PI * m->flow_rms);
    tw_text_buffer_add(text, "}");
}

static void add_law(tw_text_buffer *text, const tw_probes *probes, size_t law,
                    const tw_probes_evaluation *e)
{
    const size_t n = (size_t)tw_directions_dimensions(&probes->directions);
    tw_text_buffer_add(text, "%s{\"law\": \"%s\", \"restless\": %zu", law > 0 ? ", " : "",
                       probes->laws[law].label, e->restless);
    tw_json_add_number(text, "drift", e->drift);
    if (probes->stage->probes.unload == 1) tw_json_add_number(text, "missed", e->missed);
    if (!isnan(e->difference)) tw_json_add_number(text, "split_difference", e->difference);
    for (int s = 0; s < TW_PROBES_EVALUATION_SPLITS; s++) {
        if (e->unfit[s])
            tw_text_buffer_add(text, ", \"%s_no_fit\": \"%s\"", tw_probes_evaluation_split_name(s),
                               e->unfit[s]);
        if (!e->fitted[s]) continue;
        tw_text_buffer_add(text, ", \"%s\": ", tw_probes_evaluation_split_name(s));
        add_mechanism(text, probes, &e->mechanism[s]);
    }
    if (e->plane_known) {
        tw_json_add_list(text, probes->by_stress ? "plane_compliance" : "plane_stiffness", e->plane,
                         n * n);
        tw_json_add_number(text, "plane_rms", e->plane_rms);
    }
    if (e->elastic) {
        tw_json_add_list(text, "stiffness", e->stiffness, TW_COMPONENTS * TW_COMPONENTS);
        tw_json_add_number(text, "stiffness_rms", e->elastic_rms);
    }
    tw_text_buffer_add(text, "}");
}

/* The state before and after settling. */
typedef struct snapshot {
    double p, q, at_limit, unbalanced;
} snapshot;

typedef struct settling {
    snapshot from, to;
    bool reached;
} settling;

static tw_status find_settling(const tw_run *run, const tw_probes *probes, settling *out)
{
    const tw_run_state *state = &run->state;
    tw_measure m;
    const tw_status status = tw_sim_measure(run->sim, &m, run->error);
    if (status != TW_STATUS_OK) return status;
    const tw_loading_stress now = tw_run_stress(run);
    out->from =
        (snapshot){state->start_p, state->start_q, state->start_at_limit, state->start_unbalanced};
    out->to = (snapshot){now.p, now.q, nan(""), m.unbalanced};
    out->reached = m.unbalanced < probes->stage->probes.settle;
    return tw_probe_at_limit(run->sim, &out->to.at_limit, run->error);
}

static void add_change(tw_text_buffer *text, const char *name, double from, double to)
{
    const double both[2] = {from, to};
    tw_json_add_list(text, name, both, 2);
}

static void add_settling(tw_text_buffer *text, const tw_run *run, const settling *s)
{
    tw_text_buffer_add(text, "\"settle\": {\"steps\": %" PRIu64 ", \"reached\": %s",
                       run->state.stage_steps, s->reached ? "true" : "false");
    add_change(text, "p", s->from.p, s->to.p);
    add_change(text, "q", s->from.q, s->to.q);
    add_change(text, "at_limit", s->from.at_limit, s->to.at_limit);
    add_change(text, "unbalanced", s->from.unbalanced, s->to.unbalanced);
    tw_text_buffer_add(text, "}");
}

/* ---- Log ---- */

static double stress_ratio(const snapshot *s)
{
    return s->p > 0.0 ? s->q / s->p : 0.0;
}

static tw_status log_settling(tw_run *run, const tw_probes *probes, const settling *s)
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
                       "%s: the state is not in equilibrium: the unbalanced force is above settle, "
                       "%g; increase settle_steps",
                       name, probes->stage->probes.settle);
}

static int label_width(const tw_probes *probes)
{
    size_t width = strlen("law");
    for (size_t i = 0; i < probes->law_count; i++)
        if (strlen(probes->laws[i].label) > width) width = strlen(probes->laws[i].label);
    return (int)width;
}

static tw_status log_header(tw_run *run, const tw_probes *probes)
{
    return tw_run_log(run, "%s: %-*s %-8s %18s %12s %12s %7s %8s", probes->stage->name,
                      label_width(probes), "law", "split", "plastic modulus/Pa", "yield/deg",
                      "flow/deg", "rms/%", "small");
}

static tw_status log_fit(tw_run *run, const tw_probes *probes, const char *row,
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

static tw_status log_splits(tw_run *run, const tw_probes *probes, size_t law,
                            const tw_probes_evaluation *e)
{
    tw_status status = TW_STATUS_OK;
    for (int s = 0; s < TW_PROBES_EVALUATION_SPLITS && status == TW_STATUS_OK; s++) {
        char row[512]; /* first columns */
        snprintf(row, sizeof row, "%s: %-*s %-8s", probes->stage->name, label_width(probes),
                 probes->laws[law].label, tw_probes_evaluation_split_name(s));
        if (e->fitted[s])
            status = log_fit(run, probes, row, &e->mechanism[s]);
        else if (e->unfit[s])
            status = tw_run_log(run, "%s no fit: %s", row, e->unfit[s]);
    }
    return status;
}

/* Whether a circle was fitted to as many points as it has unknowns. */
static bool has_exact_fit(const tw_probes_evaluation *e)
{
    for (int s = 0; s < TW_PROBES_EVALUATION_SPLITS; s++)
        if (e->fitted[s] && isnan(e->mechanism[s].loading.rms)) return true;
    return false;
}

static tw_status log_law(tw_run *run, const tw_probes *probes, size_t law,
                         const tw_probes_evaluation *e)
{
    const char *name = probes->stage->name, *label = probes->laws[law].label;
    tw_status status = log_splits(run, probes, law, e);
    if (status == TW_STATUS_OK && has_exact_fit(e))
        status = tw_run_warn(
            run, "%s: %s: too few directions for an error of the fit; increase count", name, label);
    if (status == TW_STATUS_OK && e->restless > 0)
        status = tw_run_warn(run,
                             "%s: %s: %zu measurement%s taken before equilibrium was reached; "
                             "increase rest_steps",
                             name, label, e->restless, e->restless == 1 ? " was" : "s were");
    if (status == TW_STATUS_OK && e->drift > 1e-2)
        status = tw_run_warn(run,
                             "%s: %s: the null probe has %.2g of the response of the others: the "
                             "state drifts; settle longer",
                             name, label, e->drift);
    return status;
}

/* ---- All output ---- */

typedef struct output {
    tw_text_buffer table, fits, summary;
} output;

static tw_status add_laws(tw_run *run, const tw_probes *probes, output *out)
{
    tw_status status = TW_STATUS_OK;
    for (size_t law = 0; law < probes->law_count && status == TW_STATUS_OK; law++) {
        tw_probes_evaluation e;
        if (tw_probes_evaluation_make(probes, law, &e)) {
            tw_probes_table_add_rows(&out->table, probes, law, &e);
            tw_probes_table_add_fits(&out->fits, probes, law, &e);
            add_law(&out->summary, probes, law, &e);
            status = log_law(run, probes, law, &e);
        } else {
            status = tw_error_set_memory(run->error);
        }
        tw_probes_evaluation_free(&e);
    }
    return status;
}

/* Frees the text in any case. */
static tw_status write_text(tw_run *run, const tw_probes *probes, const char *name,
                            tw_text_buffer *text, tw_status status)
{
    const char *stage = probes->stage->name;
    if (status == TW_STATUS_OK) {
        status = tw_file_replace(tw_probes_path(run, stage, name).text, text, run->error);
        return status == TW_STATUS_OK
                   ? tw_run_files_add(run, tw_file_path_in("stages", stage, name, "").text, 0.0)
                   : status;
    }
    tw_text_buffer_free(text);
    return status;
}

tw_status tw_probes_report(tw_run *run, const tw_probes *probes)
{
    output out = {0};
    settling s;
    tw_status status = find_settling(run, probes, &s);
    if (status == TW_STATUS_OK) status = log_settling(run, probes, &s);
    if (status == TW_STATUS_OK) status = log_header(run, probes);
    tw_probes_table_add_header(&out.table);
    tw_probes_table_add_fits_header(&out.fits);
    tw_text_buffer_add(&out.summary, "{");
    add_settling(&out.summary, run, &s);
    tw_text_buffer_add(&out.summary, ", \"directions\": %zu, \"laws\": [",
                       probes->directions.count);
    if (status == TW_STATUS_OK) status = add_laws(run, probes, &out);
    tw_text_buffer_add(&out.summary, "]}");
    status = write_text(run, probes, "probes.csv", &out.table, status);
    status = write_text(run, probes, "fits.csv", &out.fits, status);
    return write_text(run, probes, "probes.json", &out.summary, status);
}
