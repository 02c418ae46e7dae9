/* SPDX-License-Identifier: BSD-3-Clause */
/* What a run writes about probes: a row for each, the fits, and a summary. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "run/probes.h"

#define PI 3.14159265358979323846

static const char *const splits[TW_SPLITS] = {"unload", "no_slip"};
static const char *const suffixes[TW_COMPONENTS] = {"xx", "yy", "zz", "yz", "xz", "xy"};

static tw_status write_file(tw_runner *run, tw_draft *draft, const char *stage, const char *name)
{
    const tw_path path = tw_probes_path(run, stage, name);
    if (!draft->text)
        return tw_error_set(run->error, TW_STATUS_MEMORY, "no memory for %s", path.text);
    const tw_status status = tw_files_write(path.text, draft->text, draft->length, run->error);
    free(draft->text);
    return status;
}

static void add(tw_draft *draft, double value)
{
    tw_draft_add(draft, isnan(value) ? ",nan" : ",%.17g", value + 0.0);
}

/* ---- The table of probes ---- */

static void add_names(tw_draft *draft, const char *what)
{
    for (int k = 0; k < TW_COMPONENTS; k++)
        tw_draft_add(draft, ",%s_%s", what, suffixes[k]);
}

static void add_header(tw_draft *draft)
{
    static const char *const tensors[] = {
        "strain",         "stress",         "reversible",         "irreversible",
        "no_slip_strain", "no_slip_stress", "no_slip_reversible", "no_slip_irreversible"};
    tw_draft_add(draft, "law,probe,angle,direction_xx,direction_yy,direction_zz");
    for (size_t i = 0; i < sizeof tensors / sizeof *tensors; i++)
        add_names(draft, tensors[i]);
    tw_draft_add(draft,
                 ",strain_1,strain_2,strain_3,stress_1,stress_2,stress_3,irreversible_1,"
                 "irreversible_2,irreversible_3,no_slip_irreversible_1,no_slip_irreversible_2,"
                 "no_slip_irreversible_3,x,y,z,no_slip_x,no_slip_y,no_slip_z,at_limit,"
                 "friction_work,unbalanced,unload_unbalanced,no_slip_unbalanced,steps,unload_steps,"
                 "no_slip_steps,rested,unload_rested,no_slip_rested\n");
}

static void add_tensor(tw_draft *draft, const double tensor[TW_COMPONENTS])
{
    for (int k = 0; k < TW_COMPONENTS; k++)
        add(draft, tensor ? tensor[k] : nan(""));
}

static void add_split(tw_draft *draft, const double strain[TW_COMPONENTS],
                      const double *irreversible)
{
    for (int k = 0; k < TW_COMPONENTS; k++)
        add(draft, irreversible ? strain[k] - irreversible[k] : nan(""));
    add_tensor(draft, irreversible);
}

static void find_point(const tw_probes *probes, const double *tensor, double out[TW_SPACE_MAX])
{
    for (int k = 0; k < TW_SPACE_MAX; k++)
        out[k] = nan("");
    if (tensor) tw_directions_point(&probes->directions, tensor, out);
    if (!probes->directions.sphere) out[2] = nan("");
}

static void add_point(tw_draft *draft, const double point[TW_SPACE_MAX])
{
    for (int k = 0; k < TW_SPACE_MAX; k++)
        add(draft, point[k]);
}

/* Along the direction of the stress increment, as far as |irreversible strain|/|stress|. */
static void add_place(tw_draft *draft, int n, const double stress[TW_SPACE_MAX],
                      const double irreversible[TW_SPACE_MAX])
{
    double size = 0.0, far = 0.0;
    for (int k = 0; k < n; k++) {
        size += stress[k] * stress[k];
        far += irreversible[k] * irreversible[k];
    }
    for (int k = 0; k < TW_SPACE_MAX; k++)
        add(draft, k < n ? sqrt(far) / size * stress[k] : nan(""));
}

static void add_row(tw_draft *draft, const tw_probes *probes, size_t law, size_t i,
                    const tw_probes_reading *reading)
{
    const tw_probe_result *r = &probes->result[tw_probes_index(probes, law, i + 1)];
    const int n = tw_directions_dimensions(&probes->directions);
    double unit[TW_COMPONENTS], point[4][TW_SPACE_MAX];
    const double *split[TW_SPLITS];
    for (int s = 0; s < TW_SPLITS; s++)
        split[s] = reading->irreversible[s] ? reading->irreversible[s][i] : NULL;
    tw_directions_at(&probes->directions, i, unit);
    tw_draft_add(draft, "%s,%zu", probes->laws[law].label, i + 1);
    add(draft,
        probes->directions.sphere ? nan("") : 360.0 * (double)i / (double)probes->directions.count);
    for (int k = 0; k < 3; k++)
        add(draft, unit[k]);
    add_tensor(draft, r->strain);
    add_tensor(draft, r->stress);
    add_split(draft, r->strain, split[TW_SPLIT_UNLOAD]);
    add_tensor(draft, r->twin_strain);
    add_tensor(draft, r->twin_stress);
    add_split(draft, r->strain, split[TW_SPLIT_NO_SLIP]);
    const double *const tensors[4] = {r->strain, r->stress, split[0], split[1]};
    for (int k = 0; k < 4; k++) {
        find_point(probes, tensors[k], point[k]);
        add_point(draft, point[k]);
    }
    add_place(draft, n, point[1], point[2]);
    add_place(draft, n, point[1], point[3]);
    add(draft, r->at_limit[TW_PROBE_LOAD]);
    add(draft, r->friction_work[TW_PROBE_LOAD]);
    for (int k = 0; k < TW_PROBE_PHASES; k++)
        add(draft, r->unbalanced[k]);
    for (int k = 0; k < TW_PROBE_PHASES; k++)
        tw_draft_add(draft, ",%" PRIu64, r->steps[k]);
    for (int k = 0; k < TW_PROBE_PHASES; k++)
        tw_draft_add(draft, ",%" PRIu64, r->rested[k]);
    tw_draft_add(draft, "\n");
}

/* ---- The table of fits ---- */

static const char fits_header[] =
    "law,split,circle,points,modulus,diameter,rms,direction_angle,direction_1,direction_2,"
    "direction_3,flow_angle,flow_1,flow_2,flow_3,flow_rms\n";

static double angle_of(const tw_probes *probes, const double *direction)
{
    return probes->directions.sphere ? nan("") : tw_directions_angle(direction);
}

static void add_fit(tw_draft *draft, const tw_probes *probes, size_t law, int split,
                    const tw_fit_mechanism *m, bool loading)
{
    const tw_fit_circle *c = loading ? &m->loading : &m->unloading;
    static const double none[TW_SPACE_MAX] = {0.0};
    const double *flow = loading ? m->flow : none;
    tw_draft_add(draft, "%s,%s,%s,%zu", probes->laws[law].label, splits[split],
                 loading ? "loading" : "unloading", c->count);
    add(draft, c->diameter > 0.0 ? 1.0 / c->diameter : nan(""));
    add(draft, c->diameter);
    add(draft, c->rms);
    add(draft, angle_of(probes, c->direction));
    add_point(draft, c->direction);
    add(draft, loading ? angle_of(probes, flow) : nan(""));
    add_point(draft, flow);
    add(draft, loading ? 180.0 / PI * m->flow_rms : nan(""));
    tw_draft_add(draft, "\n");
}

/* ---- The summary ---- */

static void pair(tw_draft *draft, const char *name, double value)
{
    tw_draft_add(draft, ", \"%s\": ", name);
    tw_draft_number(draft, value);
}

static void list(tw_draft *draft, const char *name, const double *values, size_t count)
{
    tw_draft_add(draft, ", \"%s\": [", name);
    for (size_t i = 0; i < count; i++) {
        if (i > 0) tw_draft_add(draft, ", ");
        tw_draft_number(draft, values[i]);
    }
    tw_draft_add(draft, "]");
}

static void add_circle(tw_draft *draft, const tw_probes *probes, const tw_fit_circle *c)
{
    const size_t n = (size_t)tw_directions_dimensions(&probes->directions);
    tw_draft_add(draft, "{\"points\": %zu", c->count);
    pair(draft, "modulus", c->diameter > 0.0 ? 1.0 / c->diameter : nan(""));
    pair(draft, "diameter", c->diameter);
    pair(draft, "rms", c->rms);
    if (!probes->directions.sphere) pair(draft, "angle", tw_directions_angle(c->direction));
    list(draft, "direction", c->direction, n);
    tw_draft_add(draft, "}");
}

static void add_mechanism(tw_draft *draft, const tw_probes *probes, const tw_fit_mechanism *m)
{
    const size_t n = (size_t)tw_directions_dimensions(&probes->directions);
    tw_draft_add(draft, "{\"loading\": ");
    add_circle(draft, probes, &m->loading);
    tw_draft_add(draft, ", \"unloading\": ");
    add_circle(draft, probes, &m->unloading);
    if (!probes->directions.sphere) pair(draft, "flow_angle", tw_directions_angle(m->flow));
    list(draft, "flow", m->flow, n);
    pair(draft, "flow_rms", 180.0 / PI * m->flow_rms);
    tw_draft_add(draft, "}");
}

static void add_law(tw_draft *draft, const tw_probes *probes, size_t law,
                    const tw_probes_reading *r)
{
    const size_t n = (size_t)tw_directions_dimensions(&probes->directions);
    tw_draft_add(draft, "%s{\"law\": \"%s\", \"restless\": %zu", law > 0 ? ", " : "",
                 probes->laws[law].label, r->restless);
    pair(draft, "drift", r->drift);
    if (probes->stage->probes.unload == 1) pair(draft, "missed", r->missed);
    if (!isnan(r->difference)) pair(draft, "split_difference", r->difference);
    for (int s = 0; s < TW_SPLITS; s++) {
        if (r->unfit[s]) tw_draft_add(draft, ", \"%s_no_fit\": \"%s\"", splits[s], r->unfit[s]);
        if (!r->fitted[s]) continue;
        tw_draft_add(draft, ", \"%s\": ", splits[s]);
        add_mechanism(draft, probes, &r->mechanism[s]);
    }
    if (r->plane_known) {
        list(draft, probes->by_stress ? "plane_compliance" : "plane_stiffness", r->plane, n * n);
        pair(draft, "plane_rms", r->plane_rms);
    }
    if (r->elastic) {
        list(draft, "stiffness", r->stiffness, TW_COMPONENTS * TW_COMPONENTS);
        pair(draft, "stiffness_rms", r->elastic_rms);
    }
    tw_draft_add(draft, "}");
}

typedef struct settling {
    double from[4], to[4]; /* p, q, share of contacts at the limit, unbalanced */
    bool reached;
} settling;

static tw_status look_at_settling(tw_runner *run, const tw_probes *probes, settling *out)
{
    static const int places[4] = {TW_START_P, TW_START_Q, TW_START_AT_LIMIT, TW_START_UNBALANCED};
    const tw_measure m = tw_sim_measure(run->sim);
    const tw_path_stress now = tw_runner_stress(run);
    for (int k = 0; k < 4; k++)
        out->from[k] = run->place.start[places[k]];
    out->to[0] = now.p;
    out->to[1] = now.q;
    out->to[3] = m.unbalanced;
    out->reached = m.unbalanced < probes->stage->probes.settle;
    return tw_probe_at_limit(run->sim, &out->to[2], run->error);
}

static void add_settling(tw_draft *draft, const tw_runner *run, const settling *s)
{
    static const char *const names[4] = {"p", "q", "at_limit", "unbalanced"};
    tw_draft_add(draft, "\"settle\": {\"steps\": %" PRIu64 ", \"reached\": %s",
                 run->place.stage_steps[0], s->reached ? "true" : "false");
    for (int k = 0; k < 4; k++) {
        const double both[2] = {s->from[k], s->to[k]};
        list(draft, names[k], both, 2);
    }
    tw_draft_add(draft, "}");
}

/* ---- For people ---- */

static tw_status note_settling(tw_runner *run, const tw_probes *probes, const settling *s)
{
    const char *name = probes->stage->name;
    if (probes->stage->probes.settle_steps == 0) return TW_STATUS_OK;
    tw_status status = tw_runner_note(
        run,
        "%s: settled in %" PRIu64 " steps: unbalanced %.2g to %.2g, p %.6g to %.6g Pa, q/p %.4f to "
        "%.4f, contacts at the friction limit %.2f to %.2f %%",
        name, run->place.stage_steps[0], s->from[3], s->to[3], s->from[0], s->to[0],
        s->from[0] > 0.0 ? s->from[1] / s->from[0] : 0.0,
        s->to[0] > 0.0 ? s->to[1] / s->to[0] : 0.0, 100.0 * s->from[2], 100.0 * s->to[2]);
    if (status != TW_STATUS_OK || s->reached) return status;
    return tw_runner_note(run, "%s: the state is not at rest: settle is %g; raise settle_steps",
                          name, probes->stage->probes.settle);
}

static int label_width(const tw_probes *probes)
{
    size_t most = strlen("law");
    for (size_t i = 0; i < probes->law_count; i++)
        if (strlen(probes->laws[i].label) > most) most = strlen(probes->laws[i].label);
    return (int)most;
}

static tw_status note_law(tw_runner *run, const tw_probes *probes, size_t law,
                          const tw_probes_reading *r)
{
    const char *name = probes->stage->name, *label = probes->laws[law].label;
    const int width = label_width(probes);
    tw_status status = TW_STATUS_OK;
    for (int s = 0; s < TW_SPLITS && status == TW_STATUS_OK; s++) {
        const tw_fit_mechanism *m = &r->mechanism[s];
        if (r->unfit[s])
            status = tw_runner_note(run, "%s: %-*s %-8s no fit: %s", name, width, label, splits[s],
                                    r->unfit[s]);
        if (!r->fitted[s]) continue;
        const double ratio = m->unloading.diameter / m->loading.diameter;
        if (probes->directions.sphere)
            status = tw_runner_note(
                run, "%s: %-*s %-8s %12.6g   [%.3f %.3f %.3f]  [%.3f %.3f %.3f] %7.2f %8.3f", name,
                width, label, splits[s], 1.0 / m->loading.diameter, m->loading.direction[0],
                m->loading.direction[1], m->loading.direction[2], m->flow[0], m->flow[1],
                m->flow[2], 100.0 * m->loading.rms, ratio);
        else
            status = tw_runner_note(run, "%s: %-*s %-8s %12.6g %12.2f %12.2f %7.2f %8.3f", name,
                                    width, label, splits[s], 1.0 / m->loading.diameter,
                                    tw_directions_angle(m->loading.direction),
                                    tw_directions_angle(m->flow), 100.0 * m->loading.rms, ratio);
    }
    if (status == TW_STATUS_OK && r->restless > 0)
        status = tw_runner_note(run,
                                "%s: %s: %zu runs were measured before they were at rest; raise "
                                "rest_steps",
                                name, label, r->restless);
    if (status == TW_STATUS_OK && r->drift > 1e-2)
        status = tw_runner_note(run,
                                "%s: %s: a probe that goes nowhere sees %.2g of what the others "
                                "see; settle longer",
                                name, label, r->drift);
    return status;
}

static tw_status note_header(tw_runner *run, const tw_probes *probes)
{
    return tw_runner_note(run, "%s: %-*s %-8s %12s %12s %12s %7s %8s", probes->stage->name,
                          label_width(probes), "law", "split", "modulus/Pa", "yield/deg",
                          "flow/deg", "rms/%", "small");
}

tw_status tw_probes_report(tw_runner *run, const tw_probes *probes)
{
    const char *name = probes->stage->name;
    tw_draft table = tw_draft_start(), fits = tw_draft_start(), summary = tw_draft_start();
    settling s;
    tw_status status = look_at_settling(run, probes, &s);
    if (status == TW_STATUS_OK) status = note_settling(run, probes, &s);
    if (status == TW_STATUS_OK) status = note_header(run, probes);
    add_header(&table);
    tw_draft_add(&fits, "%s", fits_header);
    tw_draft_add(&summary, "{");
    add_settling(&summary, run, &s);
    tw_draft_add(&summary, ", \"directions\": %zu, \"laws\": [", probes->directions.count);
    for (size_t law = 0; law < probes->law_count && status == TW_STATUS_OK; law++) {
        tw_probes_reading r;
        if (!tw_probes_read(probes, law, &r))
            status = tw_error_set(run->error, TW_STATUS_MEMORY, "no memory for the probes");
        for (size_t i = 0; i < probes->directions.count && status == TW_STATUS_OK; i++)
            add_row(&table, probes, law, i, &r);
        for (int k = 0; k < 2 * TW_SPLITS && status == TW_STATUS_OK; k++)
            if (r.fitted[k / 2])
                add_fit(&fits, probes, law, k / 2, &r.mechanism[k / 2], k % 2 == 0);
        if (status == TW_STATUS_OK) add_law(&summary, probes, law, &r);
        if (status == TW_STATUS_OK) status = note_law(run, probes, law, &r);
        tw_probes_reading_free(&r);
    }
    tw_draft_add(&summary, "]}");
    if (status == TW_STATUS_OK)
        status = write_file(run, &table, name, "probes.csv");
    else
        free(table.text);
    if (status == TW_STATUS_OK)
        status = write_file(run, &fits, name, "fits.csv");
    else
        free(fits.text);
    if (status == TW_STATUS_OK)
        status = write_file(run, &summary, name, "probes.json");
    else
        free(summary.text);
    return status;
}
