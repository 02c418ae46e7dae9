/* SPDX-License-Identifier: BSD-3-Clause */
#include "scenario/scenario.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include <twirl/contact.h>
#include <twirl/math.h>

#include "base/environment.h"
#include "base/text.h"
#include "common/args.h"
#include "common/output.h"
#include "common/scene.h"

static const tw_args_option options[] = {
    {NULL, "FILE", "a scenario", tw_args_once, offsetof(tw_scenario_options, path)},
    {"set", "KEY=VALUE",
     "override a key of FILE: material.friction=0.4, stages[2].rate=1e-3, "
     "stages[shear].end.strain=0.1; an empty VALUE removes the key; may be repeated",
     tw_args_add, offsetof(tw_scenario_options, set)},
    {0}};

const tw_args_table tw_scenario_options_table = {options, NULL};

void tw_scenario_options_free(tw_scenario_options *given)
{
    free(given->set.of);
    *given = (tw_scenario_options){0};
}

int tw_scenario_options_read(const tw_scenario_options *given, bool begun, const char *command,
                             tw_scenario **scenario)
{
    tw_scenario_errors errors;
    *scenario = (begun ? tw_scenario_read_begun : tw_scenario_read)(given->path, given->set.of,
                                                                    given->set.count, &errors);
    for (size_t i = 0; i < errors.warning_count; i++)
        fprintf(stderr, "%s\n", errors.warning[i]);
    for (size_t i = 0; i < errors.count; i++)
        fprintf(stderr, "%s\n", errors.text[i]);
    const int status = *scenario              ? TW_EXIT_OK
                       : errors.out_of_memory ? TW_EXIT_ENVIRONMENT
                                              : TW_EXIT_USAGE;
    if (errors.out_of_memory)
        fprintf(stderr, "%s: out of memory\n", command);
    else if (errors.count > 0)
        fprintf(stderr, "%s: %zu error%s in %s\n", command, errors.count,
                tw_output_plural(errors.count), given->path);
    tw_scenario_errors_free(&errors);
    return status;
}

enum { LABEL_WIDTH = 10 };

#define PRINT(...) tw_output_line(out, LABEL_WIDTH, __VA_ARGS__)

typedef struct quantity {
    char text[48];
} quantity;

/* "21 MB", "8.0 GB". */
static quantity bytes_of(double value)
{
    quantity w;
    const bool giga = value >= 1e9;
    const double shown = value / (giga ? 1e9 : 1e6);
    snprintf(w.text, sizeof w.text, "%.*f %s", shown < 10.0 ? 1 : 0, shown, giga ? "GB" : "MB");
    return w;
}

/* ", 4.2 s", ", 2:03", or nothing if the time is not known. */
static quantity time_of(double seconds)
{
    quantity w = {""};
    char text[32];
    if (isnan(seconds)) return w;
    if (seconds < 100.0)
        snprintf(text, sizeof text, "%.2g s", seconds);
    else
        tw_run_progress_duration(text, sizeof text, ceil(seconds));
    snprintf(w.text, sizeof w.text, ", %s", text);
    return w;
}

/* The lines of a text, which is freed. */
static void print_lines(FILE *out, int width, const char *label, char *text)
{
    for (char *line = tw_exit_unless(text), *end; line; line = end, label = "") {
        end = strchr(line, '\n');
        if (end) *end++ = '\0';
        if (*line) tw_output_line(out, width, label, "%s", line);
    }
    free(text);
}

/* ---- Specimen ---- */

/* The stage that holds a stress, which needs a closed cell; NULL: none. */
static const char *find_stressed(const tw_scenario *scenario)
{
    for (size_t i = 0; i < scenario->stage_count; i++) {
        const int32_t keeps = tw_scenario_stage_traits(&scenario->stages[i]).keeps;
        if (keeps != TW_SCENARIO_KEEPS_NOTHING && keeps != TW_SCENARIO_KEEPS_LATERAL_STRAIN)
            return scenario->stages[i].name;
    }
    return NULL;
}

/* Checks and describes the file of a specimen. */
static int print_file(const tw_scenario *scenario, bool checkpoint, const char *command)
{
    const char *path = checkpoint ? scenario->specimen.checkpoint : scenario->specimen.file;
    FILE *const out = stdout;
    tw_error error;
    tw_scene scene;
    if (!tw_scene_open(&scene, path, &error))
        return tw_output_fail(command, tw_exit_status_reading(error.status), "%s", error.text);
    int status = TW_EXIT_OK;
    const bool is_checkpoint = scene.kind == TW_EXCHANGE_CHECKPOINT;
    const tw_sim_def def = tw_sim_get_definition(scene.sim);
    bool open = false;
    for (int k = 0; k < 3; k++)
        open = open || !(def.periodic[k] || tw_sim_has_platens(scene.sim, k));
    const char *stressed = checkpoint && open ? find_stressed(scenario) : NULL;
    if (is_checkpoint != checkpoint) {
        status =
            tw_output_fail(command, TW_EXIT_USAGE, "%s is %s; use 'specimen.%s'", path,
                           is_checkpoint ? "a checkpoint" : "not a checkpoint but a file of grains",
                           is_checkpoint ? "checkpoint" : "file");
    } else if (!checkpoint && !scene.specimen->cell_given && !tw_scenario_is_open(scenario)) {
        status = tw_output_fail(command, TW_EXIT_USAGE,
                                "%s has no cell; expected a line with its edges [m], such as "
                                "'# cell: 0.01 0 0 0 0.01 0 0 0 0.01' for a cube, or "
                                "'boundary: open'",
                                path);
    } else if (stressed) {
        status = tw_output_fail(
            command, TW_EXIT_USAGE,
            "stage '%s' needs a cell that is periodic, or has platens, along all edges, and that "
            "of %s has open ones",
            stressed, path);
    } else {
        PRINT("specimen", "%zu grain%s from %s", tw_sim_body_count(scene.sim),
              tw_output_plural(tw_sim_body_count(scene.sim)), path);
        if (checkpoint) PRINT("", "at step %" PRIu64, tw_sim_steps(scene.sim));
    }
    tw_scene_free(&scene);
    return status;
}

static int print_specimen(const tw_scenario *scenario, const tw_run_estimate *estimate,
                          const char *command)
{
    const tw_scenario_specimen *s = &scenario->specimen;
    FILE *const out = stdout;
    if (s->grain_count > 0) {
        PRINT("specimen", "%zu single grain%s", s->grain_count, tw_output_plural(s->grain_count));
        return TW_EXIT_OK;
    }
    if (!tw_scenario_is_generated(scenario))
        return print_file(scenario, s->checkpoint != NULL, command);
    print_lines(out, LABEL_WIDTH, "specimen", tw_scenario_describe(scenario, "specimen", 0));
    if (estimate && estimate->parts[0].steps > 0.0)
        PRINT("", "about %.2g steps%s", estimate->parts[0].steps,
              time_of(estimate->parts[0].seconds).text);
    return TW_EXIT_OK;
}

/* ---- Materials ---- */

void tw_scenario_summary_materials(FILE *out, const tw_scenario *s, int label_width)
{
    for (size_t i = 0; i < s->material_count; i++)
        print_lines(out, label_width, i == 0 ? "materials" : "",
                    tw_scenario_describe(s, "materials", i));
    for (size_t i = 0; i < s->pair_count; i++)
        print_lines(out, label_width, "", tw_scenario_describe(s, "pairs", i));
    if (s->material_count > 0) {
        tw_output_line(out, label_width, "", "law %s", tw_contact_kind_name(s->law));
        return;
    }
    if (s->specimen.checkpoint)
        tw_output_line(out, label_width, "material", "as in the checkpoint, unless set");
    print_lines(out, label_width, s->specimen.checkpoint ? "" : "material",
                tw_scenario_describe(s, "material", 0));
}

/* ---- Surfaces ---- */

static void print_surfaces(FILE *out, const tw_scenario *s)
{
    for (size_t i = 0; i < s->surface_count; i++)
        print_lines(out, LABEL_WIDTH, i == 0 ? "surfaces" : "",
                    tw_scenario_describe(s, "surfaces", i));
}

/* ---- Boundary ---- */

static void print_boundary(FILE *out, const tw_scenario *s)
{
    bool platens = false;
    for (int k = 0; k < 3; k++)
        platens = platens || tw_scenario_has_platens(s, k);
    if (platens) print_lines(out, LABEL_WIDTH, "boundary", tw_scenario_describe(s, "boundary", 0));
}

/* ---- Stages ---- */

/* Prints the text, if there is any, and frees it. */
static void print_text(FILE *out, const char *label, tw_text_buffer *text)
{
    if (text->length > 0) PRINT(label, "%s%s", text->text, text->failed ? "..." : "");
    tw_text_buffer_free(text);
}

/* By statics: it has iterations, no steps in time. */
static bool is_static(const tw_scenario_stage *stage)
{
    const bool probes = stage->path == TW_SCENARIO_PROBES;
    const bool statics = probes && stage->probes.method == TW_SCENARIO_METHOD_STATIC;
    return stage->path == TW_SCENARIO_RATES || statics;
}

/* `steps` and `seconds` that it takes, NaN: not known; `bound`: something else may end it before.
 */
static void print_stage(FILE *out, const tw_scenario *s, size_t i, double steps, double seconds,
                        bool bound)
{
    char label[32];
    char *text = tw_exit_unless(tw_scenario_describe(s, "stages", i));
    const bool at_most = bound && strstr(text, " or ");
    snprintf(label, sizeof label, "stage %zu", i + 1);
    print_lines(out, LABEL_WIDTH, label, text);
    if (steps > 0.0)
        PRINT("", "%sabout %.2g %s%s", at_most ? "up to " : "", steps,
              is_static(&s->stages[i]) ? "iterations" : "steps", time_of(seconds).text);
}

void tw_scenario_summary_all(FILE *out, const tw_scenario *scenario)
{
    print_lines(out, LABEL_WIDTH, "specimen", tw_scenario_describe(scenario, "specimen", 0));
    print_boundary(out, scenario);
    tw_scenario_summary_materials(out, scenario, LABEL_WIDTH);
    print_surfaces(out, scenario);
    for (size_t i = 0; i < scenario->stage_count; i++)
        print_stage(out, scenario, i, nan(""), nan(""), false);
}

/* Steps in time, and iterations of statics; bound: at most. */
typedef struct counts {
    double steps, iterations;
    bool bound;
} counts;

static tw_text_buffer counts_text(const counts *total)
{
    tw_text_buffer text = {0};
    const bool steps = total->steps > 0.0 || total->iterations == 0.0;
    if (total->bound) tw_text_buffer_add(&text, "up to ");
    if (steps) tw_text_buffer_add(&text, "about %.2g steps", total->steps);
    if (total->iterations > 0.0)
        tw_text_buffer_add(&text, "%s %.2g iterations", steps ? " and" : "about",
                           total->iterations);
    return text;
}

static void print_estimate(FILE *out, const tw_run_estimate *e, const counts *total)
{
    if (isnan(e->steps)) {
        PRINT("total", "the length of some stages is not known before they are run");
    } else {
        tw_text_buffer total_text = counts_text(total);
        tw_text_buffer_add(&total_text, "%s on this machine", time_of(e->seconds).text);
        print_text(out, "total", &total_text);
    }
    tw_text_buffer text = {0};
    tw_text_buffer_add(&text, "memory %s", bytes_of(e->memory).text);
    if (e->made_there)
        tw_text_buffer_add(&text, " and %s per million of its grains in each process",
                           bytes_of(1e6 * e->grain_memory).text);
    else if (e->divided)
        tw_text_buffer_add(&text, " in the first process, which makes all grains");
    if (e->device_memory > 0.0)
        tw_text_buffer_add(&text, ", on the device %s", bytes_of(e->device_memory).text);
    tw_text_buffer_add(&text, ", disk %s without frames", bytes_of(e->disk).text);
    print_text(out, "", &text);
    PRINT("", "estimated by a trial with %" PRIu64 " grains", e->grains);
}

int tw_scenario_summary(const tw_scenario *scenario, const char *path,
                        const tw_run_estimate *estimate, const char *command)
{
    FILE *const out = stdout;
    counts total = {.steps = estimate ? estimate->parts[0].steps : 0.0};
    bool known = true;
    PRINT("scenario", "%s", scenario->title ? scenario->title : path);
    const int status = print_specimen(scenario, estimate, command);
    if (status != TW_EXIT_OK) return status;
    print_boundary(out, scenario);
    tw_scenario_summary_materials(out, scenario, LABEL_WIDTH);
    print_surfaces(out, scenario);
    for (size_t i = 0; i < scenario->stage_count; i++) {
        const uint64_t by_strain = tw_scenario_stage_steps(scenario, i);
        const double steps = estimate        ? estimate->parts[i + 1].steps
                             : by_strain > 0 ? (double)by_strain
                                             : nan("");
        print_stage(out, scenario, i, steps, estimate ? estimate->parts[i + 1].seconds : nan(""),
                    !estimate || estimate->parts[i + 1].bound);
        known = known && !isnan(steps);
        total.bound = total.bound || (estimate && estimate->parts[i + 1].bound && !isnan(steps));
        *(is_static(&scenario->stages[i]) ? &total.iterations : &total.steps) +=
            isnan(steps) ? 0.0 : steps;
    }
    if (estimate) {
        print_estimate(out, estimate, &total);
    } else if (total.steps + total.iterations > 0.0) {
        tw_text_buffer text = counts_text(&total);
        tw_text_buffer_add(&text, "%s", known ? "" : ", plus stages of unknown length");
        print_text(out, "total", &text);
    }
    if (!estimate && !isnan(tw_scenario_memory(scenario)))
        PRINT("", "memory about %s", bytes_of(tw_scenario_memory(scenario)).text);
    return TW_EXIT_OK;
}

tw_run_display tw_run_display_start(const char *command, bool quiet)
{
    return (tw_run_display){.line = tw_progress_start(command, quiet),
                            .progress = tw_run_progress_start()};
}

void tw_run_display_announce(const tw_run_display *display, const tw_scenario *scenario)
{
    char text[200];
    if (display->line.quiet) return;
    tw_run_progress_plan(scenario, text, sizeof text);
    fprintf(stderr, "%s: %s\n", display->line.command, text);
}

static void print_times(const tw_run_timing *timing)
{
    char table[2000];
    tw_run_timing_table(timing, table, sizeof table);
    fputs(table, stderr);
}

void tw_run_display_step(tw_run_display *display, const tw_run_view *view)
{
    char text[560];
    tw_run_progress_step(&display->progress, view);
    if (!tw_progress_due(&display->line, tw_clock())) return;
    tw_run_progress_line(&display->progress, view, text, sizeof text);
    tw_progress_show(&display->line, text);
}

void tw_run_display_message(tw_run_display *display, const char *text)
{
    display->messages++;
    if (display->line.quiet) return;
    tw_progress_clear(&display->line);
    fprintf(stderr, "%s: %s\n", display->line.command, text);
}

void tw_run_display_end(const tw_run_display *display)
{
    const tw_progress *line = &display->line;
    const tw_run_progress *progress = &display->progress;
    char text[200] = "the run is complete; nothing is left to do"; /* resumed after its end */
    if (line->quiet) return;
    tw_progress_clear(line);
    if (progress->steps == 0 && progress->part.phase) return; /* stopped while grains were placed */
    if (progress->steps > 0 || display->messages > 0)
        tw_run_progress_total(progress, text, sizeof text);
    fprintf(stderr, "%s: %s\n", line->command, text);
    if (display->timing.steps > 0) print_times(&display->timing);
}
