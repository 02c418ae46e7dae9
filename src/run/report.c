/* SPDX-License-Identifier: BSD-3-Clause */
/* Output of a run: frames, rows of the history, summaries. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <twirl/history_columns.h>
#include <twirl/math.h>
#include <twirl/statics.h>

#include "base/file.h"
#include "base/json.h"
#include "base/mat3.h"
#include "base/text.h"
#include "run/checkpoint.h"
#include "run/file_list.h"
#include "run/report.h"
#include "run/series.h"
#include "run/stage.h"

/* ---- Frames ---- */

/* Time does not advance in a rotation, so its frames are numbered by increments. */
static double frame_time(const tw_run *run)
{
    const tw_scenario_stage *stage = tw_run_stage(run);
    return stage && stage->path == TW_SCENARIO_ROTATE ? (double)run->state.stage_steps
                                                      : tw_sim_time(run->sim);
}

static tw_status open_series(tw_run *run)
{
    const tw_folder_path folder = tw_folder_path_join(run->plan->folder, "vtk");
    run->output.series = tw_export_series_open(folder.text, tw_run_stage_name(run), run->error);
    if (!run->output.series) return run->error->status;
    char comment[40];
    snprintf(comment, sizeof comment, "run %016" PRIx64, run->state.identity);
    tw_status status = tw_export_series_set_comment(run->output.series, comment, run->error);
    if (status != TW_STATUS_OK || run->state.frame_at[TW_RUN_STATE_VTK] == 0) return status;
    /* A resumed stage already has frames. */
    char start[300];
    size_t count;
    snprintf(start, sizeof start, "vtk/%s_cell_", tw_run_stage_name(run));
    double *times = tw_run_files_times(run, start, ".vtp", &count);
    if (!times) return run->error->status;
    status = tw_export_series_restore(run->output.series, times, count, run->error);
    free(times);
    return status;
}

/* Lists the files of a frame, or those with the lists of frames. */
static tw_status list_vtk(tw_run *run, uint64_t frame, double time)
{
    char name[400] = "vtk/";
    tw_status status = TW_STATUS_OK;
    const int parts = tw_export_series_part_count(run->output.series);
    for (int part = 0; part < parts && status == TW_STATUS_OK; part++) {
        tw_export_series_file_name(run->output.series, part, frame, name + 4, sizeof name - 4);
        status = tw_run_files_add(run, name, time);
    }
    return status;
}

tw_status tw_run_report_reopen(tw_run *run)
{
    char name[400] = "vtk/";
    tw_status status = TW_STATUS_OK;
    const int parts = run->output.series ? tw_export_series_part_count(run->output.series) : 0;
    for (int part = 0; part < parts; part++) {
        tw_export_series_file_name(run->output.series, part, TW_EXPORT_SERIES_LIST, name + 4,
                                   sizeof name - 4);
        if (status == TW_STATUS_OK) status = tw_run_files_withdraw(run, name);
    }
    return status;
}

static tw_status add_vtk(tw_run *run)
{
    if (!run->output.series) {
        const tw_status status = open_series(run);
        if (status != TW_STATUS_OK) return status;
    }
    const double time = frame_time(run);
    const tw_status status =
        tw_export_series_add_at(run->output.series, run->sim, time, run->error);
    if (status != TW_STATUS_OK) return status;
    return list_vtk(run, tw_export_series_frame_count(run->output.series) - 1, time);
}

/* The k-th frame of a stage, from 0, in all formats. */
static tw_folder_path frame_name(const tw_run *run, const char *group, uint64_t k,
                                 const char *ending)
{
    tw_folder_path name;
    snprintf(name.text, sizeof name.text, "%s/%s_%06" PRIu64 "%s", group, tw_run_stage_name(run), k,
             ending);
    return name;
}

static tw_status add_lammps(tw_run *run)
{
    const char *folder = run->plan->folder;
    const uint64_t k = run->state.frames[TW_RUN_STATE_LAMMPS];
    const tw_folder_path dump = frame_name(run, "lammps", k, ".dump"),
                         local = frame_name(run, "lammps", k, ".local");
    tw_status status = tw_folder_make(tw_folder_path_join(folder, "lammps").text, run->error);
    if (status == TW_STATUS_OK)
        status =
            tw_export_lammps(run->sim, tw_folder_path_join(folder, dump.text).text, run->error);
    if (status == TW_STATUS_OK)
        status = tw_export_lammps_contacts(run->sim, tw_folder_path_join(folder, local.text).text,
                                           run->error);
    if (status == TW_STATUS_OK) status = tw_run_files_add(run, dump.text, frame_time(run));
    return status == TW_STATUS_OK ? tw_run_files_add(run, local.text, frame_time(run)) : status;
}

/* From 1: the first state is that of the end of the previous stage. */
static tw_status add_state(tw_run *run)
{
    const uint64_t k = run->state.frames[TW_RUN_STATE_ON_WAY] + 1;
    return tw_run_checkpoint_keep(run, frame_name(run, "states", k, "").text);
}

/* What is asked for in the present stage, in the terms of frames. */
static tw_scenario_frames asked_for(const tw_run *run, int format)
{
    const tw_scenario_output output = tw_scenario_output_in(run->scenario, tw_run_stage(run));
    const tw_scenario_frames states = {.steps = output.states.steps,
                                       .strain = output.states.strain};
    if (format == TW_RUN_STATE_ON_WAY) return states;
    return format == TW_RUN_STATE_VTK ? output.vtk : output.lammps;
}

static bool frame_is_due(const tw_run *run, int format, bool end)
{
    const tw_scenario_frames asked = asked_for(run, format);
    const uint64_t step = run->state.stage_steps;
    if (end && asked.stages == 1) return true;
    if (step == 0 && format == TW_RUN_STATE_ON_WAY) return false;
    if (asked.steps != TW_SCENARIO_NONE && step % asked.steps == 0) return true;
    if (isnan(asked.strain) || !tw_scenario_stage_traits(tw_run_stage(run)).driven) return false;
    return step == 0 || tw_run_passes_multiple(run, asked.strain);
}

/* Steps in which none is due, at least 1. */
static uint64_t steps_until_frames(const tw_run *run)
{
    const tw_scenario_stage *stage = tw_run_stage(run);
    uint64_t steps = UINT64_MAX;
    for (int format = 0; stage && format < TW_RUN_STATE_FORMATS; format++) {
        const tw_scenario_frames asked = asked_for(run, format);
        steps = tw_run_min_steps(steps,
                                 tw_run_steps_until_multiple(run->state.stage_steps, asked.steps));
        if (!isnan(asked.strain) && tw_scenario_stage_traits(stage).driven)
            steps = tw_run_min_steps(steps, tw_run_steps_until_strain(run, asked.strain));
    }
    return steps;
}

/* Adds the frames that are due; `end`: the stage has ended. */
static tw_status add_frames(tw_run *run, bool end)
{
    static tw_status (*const add[TW_RUN_STATE_FORMATS])(tw_run *
                                                        run) = {[TW_RUN_STATE_VTK] = add_vtk,
                                                                [TW_RUN_STATE_LAMMPS] = add_lammps,
                                                                [TW_RUN_STATE_ON_WAY] = add_state};
    const uint64_t mark = run->state.stage_steps + 1;
    for (int k = 0; tw_run_stage(run) && k < TW_RUN_STATE_FORMATS; k++) {
        if (run->state.frame_at[k] == mark || !frame_is_due(run, k, end)) continue;
        const tw_status status = add[k](run);
        if (status != TW_STATUS_OK) return status;
        run->state.frame_at[k] = mark;
        run->state.frames[k]++;
    }
    return TW_STATUS_OK;
}

static void close_frames(tw_run *run)
{
    tw_export_series_close(run->output.series);
    run->output.series = NULL;
}

/* Closes the lists of the stage: they are complete. */
static tw_status end_frames(tw_run *run)
{
    const tw_status status =
        run->output.series ? list_vtk(run, TW_EXPORT_SERIES_LIST, 0.0) : TW_STATUS_OK;
    close_frames(run);
    return status;
}

/* ---- History ---- */

/* Platens are faces of the cell. */
static double work_on_cell(const tw_sim *sim, const tw_energy *e)
{
    bool platens = false;
    for (int k = 0; k < 3; k++)
        platens = platens || tw_sim_has_platens(sim, k);
    return platens ? e->cell + e->walls : e->cell;
}

/* Columns after step, time, stage and stage_step. `s`: run state, `m`: measure, `e`: energies,
 * `now`: stress. NaN: there is no such quantity. New columns go to the end: scripts may count. */
#define STORED_COLUMN(X, NAME, name, column, text) X(column, e->column)
#define LOST_COLUMN(X, NAME, name, member, way) X(name, e->name)
#define COLUMNS(X)                                                                                 \
    X(strain, tw_run_path_strain(run, s->strain))                                                  \
    X(stress, path_stress(run, &now))                                                              \
    X(strain_xx, s->strain[TW_XX])                                                                 \
    X(strain_yy, s->strain[TW_YY])                                                                 \
    X(strain_zz, s->strain[TW_ZZ])                                                                 \
    X(strain_yz, s->strain[TW_YZ])                                                                 \
    X(strain_xz, s->strain[TW_XZ])                                                                 \
    X(strain_xy, s->strain[TW_XY])                                                                 \
    X(strain_volume, tw_math_log(s->volume / m.volume))                                            \
    X(stress_xx, now.s[TW_XX])                                                                     \
    X(stress_yy, now.s[TW_YY])                                                                     \
    X(stress_zz, now.s[TW_ZZ])                                                                     \
    X(stress_yz, now.s[TW_YZ])                                                                     \
    X(stress_xz, now.s[TW_XZ])                                                                     \
    X(stress_xy, now.s[TW_XY])                                                                     \
    X(p, now.p)                                                                                    \
    X(q, q)                                                                                        \
    X(stress_ratio, now.p <= 0.0 ? 0.0 : q / now.p)                                                \
    X(volume, m.volume)                                                                            \
    X(porosity, m.porosity)                                                                        \
    X(void_ratio, m.void_ratio)                                                                    \
    X(coordination, m.coordination)                                                                \
    X(coordination_mechanical, m.coordination_mechanical)                                          \
    X(sliding_fraction, by_sliding(run, m.sliding_fraction))                                       \
    X(unbalanced, isinf(m.unbalanced) ? 0.0 : m.unbalanced)                                        \
    X(inertial_number, m.inertial_number)                                                          \
    X(deviation, tw_sim_get_control_report(run->sim).deviation)                                    \
    X(kinetic, e->kinetic)                                                                         \
    X(rotational, e->rotational)                                                                   \
    TW_CONTACT_STORED_FIRST(STORED_COLUMN, X)                                                      \
    TW_CONTACT_LOST_FIRST(LOST_COLUMN, X)                                                          \
    X(body_damping, e->body_damping)                                                               \
    X(cell, work_on_cell(run->sim, e))                                                             \
    X(start, e->start)                                                                             \
    X(residual, e->residual)                                                                       \
    X(fabric_xx, fabric.m[0])                                                                      \
    X(fabric_yy, fabric.m[4])                                                                      \
    X(fabric_zz, fabric.m[8])                                                                      \
    X(fabric_yz, fabric.m[5])                                                                      \
    X(fabric_xz, fabric.m[2])                                                                      \
    X(fabric_xy, fabric.m[1])                                                                      \
    X(fabric_deviator, of_contacts(&m, m.fabric_deviator))                                         \
    X(rattlers, (double)m.rattlers)                                                                \
    X(stress_deviator, now.q)                                                                      \
    X(ru, pore_pressure_ratio(run, &now))                                                          \
    X(cycle, tw_run_stage_end_cycles(run))                                                         \
    TW_CONTACT_STORED_MORE(STORED_COLUMN, X)                                                       \
    TW_CONTACT_LOST_MORE(LOST_COLUMN, X)                                                           \
    X(total_strain, tw_run_path_strain(run, s->total_strain))                                      \
    X(total_strain_xx, s->total_strain[TW_XX])                                                     \
    X(total_strain_yy, s->total_strain[TW_YY])                                                     \
    X(total_strain_zz, s->total_strain[TW_ZZ])                                                     \
    X(total_strain_yz, s->total_strain[TW_YZ])                                                     \
    X(total_strain_xz, s->total_strain[TW_XZ])                                                     \
    X(total_strain_xy, s->total_strain[TW_XY])                                                     \
    X(total_strain_volume, tw_math_log(s->start_volume / m.volume))                                \
    X(total_work, e->cell - s->start_work)                                                         \
    X(pore_pressure, tw_run_pore_pressure(run, &now))                                              \
    X(p_total, now.p + tw_run_pore_pressure(run, &now))                                            \
    X(anisotropy_contacts, of_contacts(&m, m.anisotropy.a_c))                                      \
    X(anisotropy_branches, of_contacts(&m, m.anisotropy.a_d))                                      \
    X(anisotropy_normal, of_contacts(&m, m.anisotropy.a_n))                                        \
    X(anisotropy_tangential, of_contacts(&m, m.anisotropy.a_t))                                    \
    X(anisotropy_sum, of_contacts(&m, m.anisotropy.sum))                                           \
    X(strong_fraction, of_contacts(&m, m.strong_fraction))                                         \
    X(strong_p, of_contacts(&m, m.strong_p))                                                       \
    X(strong_q, of_contacts(&m, m.strong_q))                                                       \
    X(friction_mobilised, of_contacts(&m, m.friction_mobilised))                                   \
    X(redundancy, by_sliding(run, m.redundancy))                                                   \
    X(bulk_modulus, c.bulk)                                                                        \
    X(shear_modulus, c.shear)                                                                      \
    X(stiffness_xx, c.stiffness[7 * TW_XX])                                                        \
    X(stiffness_yy, c.stiffness[7 * TW_YY])                                                        \
    X(stiffness_zz, c.stiffness[7 * TW_ZZ])                                                        \
    X(stiffness_yz, c.stiffness[7 * TW_YZ])                                                        \
    X(stiffness_xz, c.stiffness[7 * TW_XZ])                                                        \
    X(stiffness_xy, c.stiffness[7 * TW_XY])

/* Also of series. */
#define ROW_START "step,time,stage,stage_step"
static const char header[] =
    ROW_START COLUMNS(TW_HISTORY_COLUMN_NAME) TW_HISTORY_COLUMN_NAME(check, ) "\n";

/* ---- Data dictionary ---- */

typedef struct column_text {
    const char *name, *unit, *title;
} column_text;

static const column_text column_texts[TW_HISTORY_COLUMN_COUNT] = {
#define TEXT_OF(name, dimension, text) {#name, TW_HISTORY_UNIT_##dimension, text},
    TW_HISTORY_COLUMNS(TEXT_OF)
#undef TEXT_OF
};

/* More than the title says; a star stands for the rest of a name. Of those that fit the first
 * counts. docs/guide/run.md has the definitions. */
static const struct {
    const char *name, *text;
} descriptions[] = {
    {"step", "of the whole run"},
    {"time", "simulated, of the whole run"},
    {"stage", "name of the stage; specimen: the preparation"},
    {"stage_step", "since the stage began"},
    {"strain_volume", "logarithm of the initial volume of the stage over the present one"},
    {"total_strain_volume", "logarithm of the initial volume of the test over the present one"},
    {"strain", "since the stage began; axial, shear or volumetric, as the path of the stage says"},
    {"strain_*", "since the stage began: strain rate of the cell integrated over time, positive in "
                 "compression; shear strains are engineering shear strains"},
    {"total_work", "since the test began: successive stages are one test"},
    {"total_strain*", "since the test began: successive stages are one test"},
    {"stress", "axial stress, shear stress, q or p, as the path of the stage says"},
    {"stress_ratio", "q over p; 0 without pressure"},
    {"stress_deviator", "sqrt(3 J2) of the stress"},
    {"stress_*", "of contacts and velocities, positive in compression, symmetric part"},
    {"p", "mean of the normal stresses, positive in compression"},
    {"q", "along an axis: axial minus mean lateral stress, negative in extension; plane_strain, "
          "general: sqrt(3 J2) with this sign; true_triaxial: along the Lode angle; on other paths "
          "sqrt(3 J2)"},
    {"volume", "of the periodic cell"},
    {"porosity", "volume of voids over volume of the cell"},
    {"void_ratio", "volume of voids over volume of grains"},
    {"coordination", "mean number of contacts of a grain"},
    {"unbalanced",
     "mean force on a grain over mean contact force; 0 without contacts, nan where the "
     "cell is open"},
    {"inertial_number", "of the deviatoric strain rate of the cell at the present pressure"},
    {"deviation", "largest difference between a controlled stress and its set point, over p"},
    {"fabric_deviator", "sqrt(3/2 F':F') of the fabric tensor"},
    {"fabric_*", "component of the mean of n n over the contacts, n the unit normal"},
    {"ru", "loss of confining stress since the stage began over its value then, at constant "
           "volume"},
    {"cycle", "completed cycles with the fraction of the present one"},
    {"rattlers", "grains with fewer than two contacts, those with other rattlers not counted"},
    {"bulk_modulus",
     "of the nearest isotropic stiffness, with output.moduli, where a state is kept"},
    {"shear_modulus",
     "of the nearest isotropic stiffness, with output.moduli, where a state is kept"},
    {"stiffness_*",
     "change of this stress by this strain, without slip, with output.moduli, where a "
     "state is kept"},
    {"check", "CRC-32 of the rows so far, which shows whether a row was changed"},
};

static bool is_described(const char *name, const char *as)
{
    const size_t length = strlen(as);
    return as[length - 1] == '*' ? strncmp(name, as, length - 1) == 0 : strcmp(name, as) == 0;
}

static void add_column(tw_text_buffer *text, const column_text *column)
{
    static const char *const whole[] = {"step", "stage_step"}, *const words[] = {"stage", "check"};
    const char *type = "number", *description = NULL;
    for (int k = 0; k < 2; k++) {
        if (strcmp(column->name, whole[k]) == 0) type = "integer";
        if (strcmp(column->name, words[k]) == 0) type = "string";
    }
    for (size_t k = 0; k < sizeof descriptions / sizeof *descriptions && !description; k++)
        if (is_described(column->name, descriptions[k].name)) description = descriptions[k].text;
    if (!description)
        description =
            strcmp(column->unit, "J") == 0 ? "since the first step of the specimen" : column->title;
    tw_json_table_add(
        text, (tw_json_field){column->name, type, column->unit, column->title, description});
}

/* Of all tables; history and series begin and end alike. */
char *tw_run_report_dictionary(tw_run *run)
{
    static const tw_history_column columns[] = {TW_HISTORY_step, TW_HISTORY_time, TW_HISTORY_stage,
                                                TW_HISTORY_stage_step,
#define COLUMN_OF(name, value) TW_HISTORY_##name,
                                                COLUMNS(COLUMN_OF)
#undef COLUMN_OF
    };
    tw_run_state_file list[TW_RUN_STATE_FILES];
    const size_t count = tw_run_state_files(&run->state, list);
    tw_text_buffer text = {0};
    tw_json_package_begin(&text, "twirl-run");
    for (size_t t = TW_RUN_STATE_HISTORY; t < count; t++) {
        const size_t own = t == TW_RUN_STATE_HISTORY ? sizeof columns / sizeof *columns : 4;
        char name[40];
        snprintf(name, sizeof name, "%.*s", (int)strcspn(list[t].name, "."), list[t].name);
        tw_json_table_begin(&text, name);
        for (size_t k = 0; k < own; k++)
            add_column(&text, &column_texts[columns[k]]);
        if (t > TW_RUN_STATE_HISTORY) tw_run_series_columns(run->sim, list[t].name, true, &text);
        add_column(&text, &column_texts[TW_HISTORY_check]);
        tw_json_table_end(&text);
    }
    tw_json_package_end(&text);
    if (!text.failed) return text.text;
    tw_text_buffer_free(&text);
    return NULL;
}

/* ---- Rows ---- */

bool tw_run_report_has_rows(const char *folder)
{
    struct stat about;
    return stat(tw_folder_path_join(folder, "history.csv").text, &about) == 0 &&
           (size_t)about.st_size >= sizeof header;
}

/* The header of a table, for the caller to free; NULL: out of memory. */
static char *header_of(const tw_run *run, size_t table, const char *name)
{
    tw_text_buffer text = {0};
    tw_text_buffer_add(&text, table == TW_RUN_STATE_HISTORY ? header : ROW_START);
    if (table > TW_RUN_STATE_HISTORY) {
        tw_run_series_columns(run->sim, name, false, &text);
        tw_text_buffer_add(&text, TW_HISTORY_COLUMN_NAME(check, ) "\n");
    }
    return tw_text_buffer_take(&text);
}

static tw_status check_rows(tw_run *run, size_t table, const tw_run_state_file *file)
{
    const tw_folder_path path = tw_folder_path_join(run->plan->folder, file->name);
    if (!tw_run_file_exists(path.text))
        return tw_error_set(run->error, TW_STATUS_INPUT, "%s: missing",
                            tw_error_shorten_path(path.text).text);
    char *names = header_of(run, table, file->name);
    char *text = tw_run_file_part(run->plan->folder, file->name, *file->length, run->error);
    const size_t line = names && text ? tw_run_history_check_find(run->state.identity, names, text,
                                                                  &run->output.check[table])
                                      : 0;
    const tw_status status = !names ? tw_error_set_memory(run->error)
                             : text ? TW_STATUS_OK
                                    : run->error->status;
    free(names);
    free(text);
    if (line == 0) return status;
    return tw_error_set(
        run->error, TW_STATUS_INPUT,
        "%s: line %zu is not as written by this run, or lines before it are missing",
        tw_error_shorten_path(path.text).text, line);
}

tw_status tw_run_report_check(tw_run *run)
{
    tw_run_state_file list[TW_RUN_STATE_FILES];
    (void)tw_run_state_files(&run->state, list);
    return check_rows(run, TW_RUN_STATE_HISTORY, &list[TW_RUN_STATE_HISTORY]);
}

/* Pressure during preparation. */
static double path_stress(const tw_run *run, const tw_run_loading_stress *now)
{
    const tw_scenario_stage *stage = tw_run_stage(run);
    return stage ? tw_run_loading_path_stress(stage, now) : now->p;
}

/* In a rigid rotation contacts neither slide nor stick: what reaches the friction limit does so by
 * rounding. */
static double by_sliding(const tw_run *run, double value)
{
    const tw_scenario_stage *stage = tw_run_stage(run);
    return stage && stage->path == TW_SCENARIO_ROTATE ? (double)NAN : value;
}

static double pore_pressure_ratio(const tw_run *run, const tw_run_loading_stress *now)
{
    const tw_scenario_stage *stage = tw_run_stage(run);
    const double start = run->state.start_confining;
    if (!stage || !(start > 0.0)) return (double)NAN;
    return 1.0 - tw_run_loading_confining(stage, now) / start;
}

/* A mean over contacts. */
static double of_contacts(const tw_measure *m, double value)
{
    return m->contacts > 0 ? value : (double)NAN;
}

/* Moduli where a state is kept: as a stage begins and ends, and on the way; NaN elsewhere, where
 * nothing carries a load, and where the state gives way. */
static tw_status find_moduli(tw_run *run, const tw_measure *m, tw_statics_moduli *out)
{
    const tw_statics_def def = tw_statics_def_default();
    const bool kept = tw_run_stage(run) && (run->state.stage_steps == 0 || run->ended ||
                                            frame_is_due(run, TW_RUN_STATE_ON_WAY, false));
    const bool wanted = kept && run->scenario->output.moduli == 1 && m->contacts > 0;
    tw_statics *statics = wanted ? tw_statics_create(run->sim, &def, run->error) : NULL;
    tw_status status = wanted && !statics ? run->error->status : TW_STATUS_OK;
    if (statics) status = tw_statics_compute_moduli(statics, out, run->error);
    tw_statics_free(statics);
    if (wanted && status == TW_STATUS_OK && out->definite) return status;
    if (status == TW_STATUS_PHYSICS) tw_error_clear(run->error);
    out->bulk = out->shear = (double)NAN;
    for (int k = 0; k < TW_COMPONENTS * TW_COMPONENTS; k++)
        out->stiffness[k] = (double)NAN;
    return status == TW_STATUS_PHYSICS ? TW_STATUS_OK : status;
}

/* Successive stages are one test: it begins with the first of them, with each that starts from
 * another state, and with a phase of the preparation. */
static void begin_test(tw_run *run, const tw_measure *m)
{
    tw_run_state *s = &run->state;
    const tw_scenario_stage *stage = tw_run_stage(run);
    if (s->stage_steps > 0 || (stage && s->stage > 0 && !stage->from)) return;
    memset(s->total_strain, 0, sizeof s->total_strain);
    s->start_volume = m->volume;
    s->start_work = m->energy.cell;
}

/* To the history with these values, and to the series. */
static tw_status add_rows(tw_run *run, const double *values, size_t count)
{
    const tw_run_state *s = &run->state;
    tw_run_state_file list[TW_RUN_STATE_FILES];
    const size_t end = tw_run_state_files(&run->state, list);
    tw_status status = TW_STATUS_OK;
    for (size_t k = TW_RUN_STATE_HISTORY; k < end && status == TW_STATUS_OK; k++) {
        tw_text_buffer row = {0};
        tw_text_buffer_add(&row, "%" PRIu64 ",%.17g,%s,%" PRIu64, s->steps, s->time + 0.0,
                           tw_run_stage_name(run), s->stage_steps);
        if (k == TW_RUN_STATE_HISTORY)
            tw_text_buffer_add_csv(&row, values, count);
        else
            status = tw_run_series_fill(run, list[k].name, &row);
        tw_run_history_check_add(&run->output.check[k], &row);
        if (status == TW_STATUS_OK)
            status = tw_run_append_file_add_text(&run->output.file[k], &row, run->error);
        tw_text_buffer_free(&row);
    }
    return status;
}

static tw_status add_row(tw_run *run)
{
    tw_run_state *s = &run->state;
    if (s->row_at == s->stage_steps + 1) return TW_STATUS_OK;
    s->row_at = s->stage_steps + 1;
    tw_measure m;
    tw_statics_moduli c;
    tw_status status = tw_run_measure(run, &m);
    if (status == TW_STATUS_OK) status = find_moduli(run, &m, &c);
    if (status != TW_STATUS_OK) return status;
    begin_test(run, &m);
    const tw_energy *e = &m.energy;
    const tw_run_loading_stress now = tw_run_stress(run->sim);
    const double q = tw_run_loading_q(tw_run_stage(run), &now);
    const tw_mat3 fabric = tw_mat3_scale(m.contacts > 0 ? 1.0 : (double)NAN, m.fabric);
    const double values[] = {COLUMNS(TW_HISTORY_COLUMN_VALUE)};
    const double pore_pressure = tw_run_pore_pressure(run, &now);
    if (pore_pressure < s->least_pore_pressure) s->least_pore_pressure = pore_pressure;
    return add_rows(run, values, sizeof values / sizeof *values);
}

/* When rows are due in the present stage. */
typedef struct spacing {
    uint64_t steps; /* 0: not by steps */
    double strain;  /* NaN: not by strain */
    bool cycles;    /* by parts of cycles of stress */
} spacing;

/* At least as many rows as TW_SCENARIO_STAGE_ROWS up to any step, and never more than
 * TW_SCENARIO_ROW_STEPS apart: how long a stage takes is not known, and may change as it is
 * extended. */
static uint64_t default_steps(uint64_t step)
{
    const uint64_t most = TW_SCENARIO_ROW_STEPS;
    uint64_t every = 1;
    while (every < most && step >= every * TW_SCENARIO_STAGE_ROWS)
        every *= 2;
    return every < most ? every : most;
}

static spacing row_spacing(const tw_run *run)
{
    const tw_scenario_stage *stage = tw_run_stage(run);
    const tw_scenario_history asked = tw_scenario_output_in(run->scenario, stage).history;
    if (stage && !isnan(asked.strain) && tw_scenario_stage_traits(stage).driven)
        return (spacing){.strain = asked.strain};
    if (asked.steps != TW_SCENARIO_NONE)
        return (spacing){.steps = asked.steps, .strain = (double)NAN};
    const bool cyclic = stage && stage->path == TW_SCENARIO_CYCLIC;
    const double cycle = cyclic ? tw_scenario_cycle_strain(stage) : (double)NAN;
    return (spacing){.steps = stage ? default_steps(run->state.stage_steps) : TW_SCENARIO_ROW_STEPS,
                     .strain = cycle / TW_SCENARIO_CYCLE_ROWS,
                     .cycles = cyclic && isnan(cycle)};
}

/* Stresses go to and fro from step to step, so each part of a cycle counts once. */
static bool passes_part_of_cycle(tw_run *run)
{
    const double part = floor(TW_SCENARIO_CYCLE_ROWS * tw_run_stage_end_cycles(run));
    if (!(part > (double)run->state.cycle_rows)) return false;
    run->state.cycle_rows = (uint64_t)part;
    return true;
}

static bool row_is_due(tw_run *run)
{
    const spacing rows = row_spacing(run);
    const bool part = rows.cycles && passes_part_of_cycle(run);
    if (!isnan(rows.strain) && tw_run_passes_multiple(run, rows.strain)) return true;
    return part || (rows.steps > 0 && run->state.stage_steps % rows.steps == 0) ||
           (tw_run_stage(run) && frame_is_due(run, TW_RUN_STATE_ON_WAY, false));
}

tw_status tw_run_report_step(tw_run *run)
{
    const tw_status status = row_is_due(run) ? add_row(run) : TW_STATUS_OK;
    return status == TW_STATUS_OK ? add_frames(run, false) : status;
}

/* Cycles of stress are looked at after every step. */
uint64_t tw_run_report_idle_steps(const tw_run *run)
{
    const spacing rows = row_spacing(run);
    uint64_t steps = tw_run_steps_until_multiple(run->state.stage_steps, rows.steps);
    if (!isnan(rows.strain))
        steps = tw_run_min_steps(steps, tw_run_steps_until_strain(run, rows.strain));
    return tw_run_min_steps(rows.cycles ? 1 : steps, steps_until_frames(run));
}

tw_status tw_run_report_begin(tw_run *run)
{
    const tw_status status = add_row(run);
    return status == TW_STATUS_OK ? add_frames(run, false) : status;
}

tw_status tw_run_report_end(tw_run *run)
{
    tw_status status = add_row(run);
    if (status == TW_STATUS_OK) status = add_frames(run, true);
    if (status == TW_STATUS_OK) status = end_frames(run);
    return status;
}

/* ---- Files ---- */

/* The first line of a table that is new. */
static tw_status add_header(tw_run *run, size_t table, const char *name)
{
    char *names = header_of(run, table, name);
    if (!names) return tw_error_set_memory(run->error);
    run->output.check[table] = tw_run_history_check_start(run->state.identity, names);
    const tw_status status =
        tw_run_append_file_add(&run->output.file[table], names, strlen(names), run->error);
    free(names);
    return status;
}

tw_status tw_run_report_open(tw_run *run)
{
    const tw_run_state *state = &run->state;
    tw_run_state_file list[TW_RUN_STATE_FILES];
    const size_t count = tw_run_state_files(&run->state, list);
    tw_status status = TW_STATUS_OK;
    for (size_t k = 0; k < count && status == TW_STATUS_OK; k++) {
        status = tw_run_append_file_open(&run->output.file[k],
                                         tw_folder_path_join(run->plan->folder, list[k].name),
                                         *list[k].length, run->error);
        if (status != TW_STATUS_OK || k < TW_RUN_STATE_HISTORY) continue;
        if (*list[k].length == 0)
            status = add_header(run, k, list[k].name);
        else if (k > TW_RUN_STATE_HISTORY)
            status = check_rows(run, k, &list[k]);
    }
    if (status != TW_STATUS_OK) return status;
    (void)remove(tw_folder_path_join(run->plan->folder, "failure.txt").text);
    /* The lists of frames as they were at the run state, whatever followed. */
    const bool frames = state->begun && state->frame_at[TW_RUN_STATE_VTK] > 0;
    return frames ? open_series(run) : TW_STATUS_OK;
}

void tw_run_report_close(tw_run *run)
{
    for (size_t k = 0; k < TW_RUN_STATE_FILES; k++)
        tw_run_append_file_close(&run->output.file[k]);
    close_frames(run);
}

/* ---- Summaries ---- */

static void add_hash(tw_text_buffer *text, const char *name, uint64_t hash)
{
    tw_json_name(text, name);
    tw_text_buffer_add(text, "\"%016" PRIx64 "\"", hash);
}

/* What a stage of probes or rates has found. */
static bool add_found(tw_run *run, tw_text_buffer *text)
{
    const tw_scenario_stage *stage = tw_run_stage(run);
    const bool rates = stage && stage->path == TW_SCENARIO_RATES;
    if (!rates && !(stage && stage->path == TW_SCENARIO_PROBES)) return true;
    const tw_folder_path folder = tw_folder_path_in(run->plan->folder, "stages", stage->name, "");
    const tw_folder_path path =
        tw_folder_path_join(folder.text, rates ? "rates.json" : "probes.json");
    char *found = tw_read_file_all(path.text, NULL, run->error);
    if (!found) return false;
    found[strcspn(found, "\n")] = '\0';
    tw_json_plain(text, rates ? "rates" : "probes", found);
    free(found);
    return true;
}

static bool add_measures(tw_run *run, tw_text_buffer *text)
{
    const tw_scenario_stage *stage = tw_run_stage(run);
    const tw_run_state *state = &run->state;
    tw_measure m;
    if (tw_run_measure(run, &m) != TW_STATUS_OK) return false;
    const tw_run_loading_stress now = tw_run_stress(run->sim);
    const tw_control_report servo = tw_sim_get_control_report(run->sim);
    const double q = tw_run_loading_q(stage, &now);
    tw_json_number(text, "time", stage ? state->stage_time : state->time);
    tw_json_number(text, "strain", tw_run_path_strain(run, state->strain));
    tw_json_number(text, "stress", path_stress(run, &now));
    tw_json_number(text, "strain_volume", tw_math_log(state->volume / m.volume));
    tw_json_number(text, "p", now.p);
    tw_json_number(text, "q", q);
    tw_json_number(text, "stress_ratio", now.p > 0.0 ? q / now.p : nan(""));
    tw_json_number(text, "porosity", m.porosity);
    tw_json_number(text, "void_ratio", m.void_ratio);
    tw_json_number(text, "coordination", m.coordination);
    tw_json_number(text, "rattlers", (double)m.rattlers);
    tw_json_number(text, "fabric_deviator", of_contacts(&m, m.fabric_deviator));
    tw_json_number(text, "unbalanced", m.unbalanced);
    tw_json_number(text, "deviation_worst", tw_math_max(state->worst, servo.worst));
    if (stage && stage->path == TW_SCENARIO_CYCLIC)
        tw_json_number(text, "cycles", floor(tw_run_stage_end_cycles(run)));
    if (!stage) tw_json_number(text, "friction", state->friction);
    return true;
}

tw_status tw_run_report_stage(tw_run *run)
{
    const tw_scenario_stage *stage = tw_run_stage(run);
    const char *name = tw_run_stage_name(run);
    tw_text_buffer text = {0};
    tw_json_begin(&text, NULL, '{');
    tw_json_text(&text, "name", name);
    add_hash(&text, "run", run->state.identity);
    tw_json_text(&text, "path", stage ? tw_scenario_path_name(stage->path) : "preparation");
    tw_json_count(&text, "steps", stage ? run->state.stage_steps : run->state.steps);
    if (stage) tw_json_text(&text, "end", run->end.key);
    if (stage) tw_json_text(&text, "end_text", run->end.text);
    if (run->end.missed[0]) tw_json_text(&text, "missed", run->end.missed);
    if (!add_measures(run, &text) || !add_found(run, &text)) {
        tw_text_buffer_free(&text);
        return run->error->status;
    }
    if (tw_sim_hash_known(run->sim)) add_hash(&text, "hash", tw_sim_hash(run->sim));
    tw_run_json_close(&text, run->state.identity);
    const tw_folder_path path = tw_folder_path_in(run->plan->folder, "stages", name, ".json");
    return tw_replace_file_text(path.text, &text, run->error);
}

/* Whether the object begins with this name. */
static bool is_named(const char *object, const char *name)
{
    tw_text_buffer text = {0};
    tw_json_begin(&text, NULL, '{');
    tw_json_text(&text, "name", name);
    tw_json_name(&text, "run");
    const bool same = !text.failed && strncmp(object, text.text, text.length) == 0;
    tw_text_buffer_free(&text);
    return same;
}

/* Appends stages/NAME.json. A specimen from a file has none. */
static bool add_stage(tw_run *run, tw_text_buffer *text, const char *name, bool *first)
{
    const tw_folder_path path = tw_folder_path_in(run->plan->folder, "stages", name, ".json");
    if (!tw_run_file_exists(path.text)) return true;
    size_t length;
    char *stage = tw_read_file_all(path.text, &length, run->error);
    if (!stage) return false;
    if (!tw_run_json_is_whole(stage, length, run->state.identity) || !is_named(stage, name)) {
        free(stage);
        tw_error_set(run->error, TW_STATUS_INPUT,
                     "%s: not the summary that this run has written: damaged, changed, or of "
                     "another run",
                     tw_error_shorten_path(path.text).text);
        return false;
    }
    tw_text_buffer_add(text, "%s\n    %s", *first ? "" : ",", stage);
    *first = false;
    free(stage);
    return true;
}

static bool add_warnings(tw_run *run, tw_text_buffer *text)
{
    char *list = tw_run_file_part(run->plan->folder, "warnings.txt", run->output.warnings.length,
                                  run->error);
    if (!list) return false;
    for (char *line = list, *end; (end = strchr(line, '\n')); line = end + 1) {
        *end = '\0';
        tw_text_buffer_add(text, "%s\n    ", line == list ? "" : ",");
        tw_text_buffer_add_json_string(text, line);
    }
    free(list);
    return true;
}

tw_status tw_run_report_summary(tw_run *run)
{
    const tw_scenario *s = run->scenario;
    tw_text_buffer text = {0};
    tw_text_buffer_add(&text, "{\n  \"title\": ");
    tw_text_buffer_add_json_string(&text, s->title ? s->title : "");
    tw_text_buffer_add(&text, ",\n  \"program\": ");
    tw_text_buffer_add_json_string(&text, run->plan->program ? run->plan->program : "");
    tw_text_buffer_add(&text, ",\n  \"run\": \"%016" PRIx64 "\"", run->state.identity);
    tw_text_buffer_add(&text, ",\n  \"warnings\": [");
    bool first = true, good = add_warnings(run, &text);
    tw_text_buffer_add(&text,
                       "],\n  \"bodies\": %zu,\n  \"steps_lammps\": %" PRIu64
                       ",\n  \"steps\": %" PRIu64 ",\n  \"time\": ",
                       tw_sim_body_count(run->sim), run->state.lammps_steps, run->state.steps);
    tw_text_buffer_add_json_number(&text, run->state.time);
    tw_text_buffer_add(&text, ",\n  \"stages\": [");
    good = good && add_stage(run, &text, "specimen", &first);
    for (size_t i = 0; good && i < s->stage_count; i++)
        good = add_stage(run, &text, s->stages[i].name, &first);
    tw_text_buffer_add(&text, "\n  ]\n}\n");
    if (good)
        return tw_replace_file_text(tw_folder_path_join(run->plan->folder, "summary.json").text,
                                    &text, run->error);
    tw_text_buffer_free(&text);
    return run->error->status;
}
