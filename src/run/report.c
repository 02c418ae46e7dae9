/* SPDX-License-Identifier: BSD-3-Clause */
/* What a run writes about itself: rows of measures, frames, a file for each stage, the summary. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <twirl/math.h>

#include "base/error.h"
#include "run/runner.h"

static const char header[] =
    "step,time,stage,stage_step,strain,stress,strain_xx,strain_yy,strain_zz,strain_yz,strain_xz,"
    "strain_xy,strain_volume,stress_xx,stress_yy,stress_zz,stress_yz,stress_xz,stress_xy,p,q,"
    "stress_ratio,volume,porosity,void_ratio,coordination,coordination_mechanical,"
    "sliding_fraction,unbalanced,inertial_number,deviation,kinetic,rotational,normal,tangential,"
    "friction,contact_damping,body_damping,cell,start,residual\n";

tw_status tw_report_open(tw_runner *run)
{
    const bool fresh = run->place.history[0] == 0;
    tw_status status = tw_growth_open(&run->history, tw_path_of(run->plan->folder, "history.csv"),
                                      run->place.history[0], run->error);
    if (status == TW_STATUS_OK)
        status = tw_growth_open(&run->log, tw_path_of(run->plan->folder, "run.log"),
                                run->place.log[0], run->error);
    if (status == TW_STATUS_OK && fresh)
        status = tw_growth_add(&run->history, header, sizeof header - 1, run->error);
    return status;
}

void tw_report_close(tw_runner *run)
{
    tw_growth_close(&run->history);
    tw_growth_close(&run->log);
    tw_export_series_close(run->series);
    run->series = NULL;
}

/* ---- Rows ---- */

/* Strain and stress of a specimen that is made: volume and pressure. */
static void along_path(const tw_runner *run, const tw_path_stress *now, double out[2])
{
    const tw_scenario_stage *stage = tw_runner_stage(run);
    const double *e = run->place.strain;
    out[0] = stage ? tw_path_strain(stage, e) : e[TW_XX] + e[TW_YY] + e[TW_ZZ];
    out[1] = stage ? tw_path_stress_along(stage, now) : now->p;
}

static void add_row_text(tw_runner *run, tw_draft *row)
{
    const tw_measure m = tw_sim_measure(run->sim);
    const tw_path_stress now = tw_runner_stress(run);
    const tw_place *place = &run->place;
    const tw_energy *e = &m.energy;
    double along[2];
    along_path(run, &now, along);
    tw_draft_add(row, "%" PRIu64 ",%.17g,%s,%" PRIu64, place->steps[0], place->time[0] + 0.0,
                 tw_runner_stage_name(run), place->stage_steps[0]);
    const double values[] = {along[0],
                             along[1],
                             place->strain[0],
                             place->strain[1],
                             place->strain[2],
                             place->strain[3],
                             place->strain[4],
                             place->strain[5],
                             tw_math_log(place->volume[0] / m.volume),
                             now.s[0],
                             now.s[1],
                             now.s[2],
                             now.s[3],
                             now.s[4],
                             now.s[5],
                             now.p,
                             now.q,
                             now.p > 0.0 ? now.q / now.p : 0.0,
                             m.volume,
                             m.porosity,
                             m.void_ratio,
                             m.coordination,
                             m.coordination_mechanical,
                             m.sliding_fraction,
                             m.unbalanced,
                             m.inertial_number,
                             tw_sim_control(run->sim).deviation,
                             e->kinetic,
                             e->rotational,
                             e->normal,
                             e->tangential,
                             e->friction,
                             e->contact_damping,
                             e->body_damping,
                             e->cell,
                             e->start,
                             e->residual};
    for (size_t k = 0; k < sizeof values / sizeof *values; k++)
        tw_draft_add(row, ",%.17g", values[k] + 0.0);
    tw_draft_add(row, "\n");
}

static tw_status add_row(tw_runner *run)
{
    tw_place *place = &run->place;
    if (place->row_at[0] == place->stage_steps[0] + 1) return TW_STATUS_OK;
    place->row_at[0] = place->stage_steps[0] + 1;
    tw_draft row = tw_draft_start();
    add_row_text(run, &row);
    if (!row.text) return tw_error_set(run->error, TW_STATUS_MEMORY, "no memory for a row");
    const tw_status status = tw_growth_add(&run->history, row.text, row.length, run->error);
    free(row.text);
    return status;
}

/* ---- Frames ---- */

/* Time; of a rotation, in which it stands, the increments. */
static double frame_time(const tw_runner *run)
{
    const tw_scenario_stage *stage = tw_runner_stage(run);
    return stage && stage->path == TW_SCENARIO_ROTATE ? (double)run->place.stage_steps[0]
                                                      : tw_sim_time(run->sim);
}

static tw_status add_vtk(tw_runner *run)
{
    const tw_path folder = tw_path_of(run->plan->folder, "vtk");
    size_t frames;
    if (!run->series) {
        tw_status status = TW_STATUS_OK;
        run->series = tw_export_series_open(folder.text, tw_runner_stage_name(run), run->error);
        if (!run->series) return run->error->status;
        /* A stage that was cut short has frames already, perhaps that of this very step: it is
         * written anew. */
        const double before = nextafter(frame_time(run), -1.0);
        if (run->place.frames[0] > 0)
            status = tw_export_series_resume(run->series, before, &frames, run->error);
        if (status != TW_STATUS_OK) return status;
    }
    run->place.frames[0] = run->place.stage_steps[0] + 1;
    return tw_export_series_add_at(run->series, run->sim, frame_time(run), run->error);
}

static tw_status add_lammps(tw_runner *run)
{
    const tw_path folder = tw_path_of(run->plan->folder, "lammps");
    const char *stage = tw_runner_stage_name(run);
    tw_path grains, contacts;
    tw_status status = tw_files_make_folder(folder.text, run->error);
    if (status != TW_STATUS_OK) return status;
    run->place.frames[1] = run->place.stage_steps[0] + 1;
    const uint64_t step = run->place.stage_steps[0];
    const int a = snprintf(grains.text, sizeof grains.text, "%s/lammps/%s_%09" PRIu64 ".dump",
                           run->plan->folder, stage, step);
    const int b = snprintf(contacts.text, sizeof contacts.text, "%s/lammps/%s_%09" PRIu64 ".local",
                           run->plan->folder, stage, step);
    if ((size_t)a >= sizeof grains.text || (size_t)b >= sizeof contacts.text)
        return tw_error_set(run->error, TW_STATUS_INPUT, "the name of the folder is too long");
    status = tw_export_lammps(run->sim, grains.text, run->error);
    if (status != TW_STATUS_OK) return status;
    return tw_export_lammps_contacts(run->sim, contacts.text, run->error);
}

static bool passes_multiple(const tw_runner *run, double strain)
{
    return floor(run->travelled_before / strain) != floor(run->place.travelled[0] / strain);
}

static tw_status add_frames(tw_runner *run, bool end)
{
    const tw_scenario_output *out = &run->scenario->output;
    const tw_scenario_frames *wish[2] = {&out->vtk, &out->lammps};
    const tw_scenario_stage *stage = tw_runner_stage(run);
    const uint64_t step = run->place.stage_steps[0];
    for (int k = 0; stage && k < 2; k++) {
        const bool counted = wish[k]->steps != TW_SCENARIO_NONE;
        const bool strained = !isnan(wish[k]->strain) && tw_path_is_driven(stage);
        bool due = end && wish[k]->stages == 1;
        if (counted) due |= step % wish[k]->steps == 0;
        if (strained) due |= step == 0 || passes_multiple(run, wish[k]->strain);
        if (!due || run->place.frames[k] == step + 1) continue;
        const tw_status status = k == 0 ? add_vtk(run) : add_lammps(run);
        if (status != TW_STATUS_OK) return status;
    }
    return TW_STATUS_OK;
}

tw_status tw_report_step(tw_runner *run)
{
    const tw_scenario_history *wish = &run->scenario->output.history;
    const tw_scenario_stage *stage = tw_runner_stage(run);
    const bool strained = stage && !isnan(wish->strain) && tw_path_is_driven(stage);
    const bool due = strained ? passes_multiple(run, wish->strain)
                              : run->place.stage_steps[0] % wish->steps == 0;
    const tw_status status = due ? add_row(run) : TW_STATUS_OK;
    return status == TW_STATUS_OK ? add_frames(run, false) : status;
}

tw_status tw_report_edge(tw_runner *run, bool end)
{
    tw_status status = add_row(run);
    if (status == TW_STATUS_OK) status = add_frames(run, end);
    if (!end) return status;
    tw_export_series_close(run->series);
    run->series = NULL;
    return status;
}

/* ---- Summaries ---- */

static void add_pair(tw_draft *draft, const char *name, double value)
{
    tw_draft_add(draft, ", \"%s\": ", name);
    tw_draft_number(draft, value);
}

static tw_status write_draft(tw_runner *run, tw_draft *draft, tw_path path)
{
    if (!draft->text)
        return tw_error_set(run->error, TW_STATUS_MEMORY, "no memory for %s", path.text);
    const tw_status status = tw_files_write(path.text, draft->text, draft->length, run->error);
    free(draft->text);
    return status;
}

static bool add_probes(tw_runner *run, tw_draft *draft)
{
    const tw_path path = tw_path_of(
        tw_path_in(run->plan->folder, "stages", tw_runner_stage_name(run), "").text, "probes.json");
    char *text = tw_files_read(path.text, run->error);
    if (!text) return false;
    tw_draft_add(draft, ", \"probes\": %s", text);
    free(text);
    return true;
}

tw_status tw_report_stage(tw_runner *run)
{
    const tw_scenario_stage *stage = tw_runner_stage(run);
    const tw_place *place = &run->place;
    const tw_measure m = tw_sim_measure(run->sim);
    const tw_path_stress now = tw_runner_stress(run);
    const tw_control_report servo = tw_sim_control(run->sim);
    double along[2];
    tw_draft draft = tw_draft_start();
    along_path(run, &now, along);
    tw_draft_add(&draft, "{\"name\": ");
    tw_draft_quote(&draft, tw_runner_stage_name(run));
    tw_draft_add(&draft, ", \"path\": \"%s\", \"steps\": %" PRIu64,
                 stage ? tw_scenario_path_name(stage->path) : "preparation",
                 stage ? place->stage_steps[0] : place->steps[0]);
    add_pair(&draft, "time", stage ? place->stage_time[0] : place->time[0]);
    add_pair(&draft, "strain", along[0]);
    add_pair(&draft, "stress", along[1]);
    add_pair(&draft, "strain_volume", tw_math_log(place->volume[0] / m.volume));
    add_pair(&draft, "p", now.p);
    add_pair(&draft, "q", now.q);
    add_pair(&draft, "stress_ratio", now.p > 0.0 ? now.q / now.p : nan(""));
    add_pair(&draft, "porosity", m.porosity);
    add_pair(&draft, "void_ratio", m.void_ratio);
    add_pair(&draft, "coordination", m.coordination);
    add_pair(&draft, "unbalanced", m.unbalanced);
    add_pair(&draft, "deviation_worst", tw_math_max(place->worst[0], servo.worst));
    if (!stage) add_pair(&draft, "friction", place->friction[0]);
    if (stage && stage->path == TW_SCENARIO_PROBES && !add_probes(run, &draft)) {
        free(draft.text);
        return run->error->status;
    }
    tw_draft_add(&draft, ", \"hash\": \"%016" PRIx64 "\"}", tw_sim_hash(run->sim));
    return write_draft(run, &draft,
                       tw_path_in(run->plan->folder, "stages", tw_runner_stage_name(run), ".json"));
}

/* What the stages have left, in their order. */
static bool add_stage(tw_runner *run, tw_draft *draft, const char *name)
{
    const tw_path path = tw_path_in(run->plan->folder, "stages", name, ".json");
    if (!tw_files_exist(path.text)) return true; /* a specimen from a file */
    char *text = tw_files_read(path.text, run->error);
    if (!text) return false;
    const bool first = draft->length > 0 && draft->text && draft->text[draft->length - 1] == '[';
    tw_draft_add(draft, "%s\n    %s", first ? "" : ",", text);
    free(text);
    return true;
}

tw_status tw_report_summary(tw_runner *run)
{
    const tw_scenario *s = run->scenario;
    tw_draft draft = tw_draft_start();
    tw_draft_add(&draft, "{\n  \"title\": ");
    tw_draft_quote(&draft, s->title ? s->title : "");
    tw_draft_add(&draft, ",\n  \"program\": ");
    tw_draft_quote(&draft, run->plan->program ? run->plan->program : "");
    tw_draft_add(&draft, ",\n  \"bodies\": %zu,\n  \"steps\": %" PRIu64 ",\n  \"time\": ",
                 tw_sim_bodies(run->sim), run->place.steps[0]);
    tw_draft_number(&draft, run->place.time[0]);
    tw_draft_add(&draft, ",\n  \"stages\": [");
    bool good = add_stage(run, &draft, "specimen");
    for (size_t i = 0; good && i < s->stage_count; i++)
        good = add_stage(run, &draft, s->stages[i].name);
    tw_draft_add(&draft, "\n  ]\n}\n");
    if (good) return write_draft(run, &draft, tw_path_of(run->plan->folder, "summary.json"));
    free(draft.text);
    return run->error->status;
}
