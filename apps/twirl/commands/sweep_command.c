/* SPDX-License-Identifier: BSD-3-Clause */
/* twirl sweep: runs a scenario for all combinations of given values. */
#include "commands/commands.h"

#include "base/parallel.h"
#include "common/args.h"
#include "common/output.h"
#include "common/scene.h"
#include "plot/plot_paint.h"
#include "scenario/scenario.h"
#include "sweep/sweep_figure.h"
#include "sweep/sweep_folder.h"
#include "sweep/sweep_grid.h"
#include "sweep/sweep_pool.h"
#include "sweep/sweep_results.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <twirl/sim.h>

enum { TAKE_MAX = 128 };

typedef struct sweep_options {
    tw_scenario_options scenario;
    tw_sweep_grid grid; /* `vary` only, at first */
    tw_sweep_take take[TAKE_MAX];
    tw_sweep_request request;
    const char *out;
    uint64_t jobs; /* 0: one per processor */
    int threads;
    const char *device; /* NULL: not given */
    bool resume, quiet, no_figures;
} sweep_options;

static void add_vary(const struct argp_state *state, const char *option, char *text, void *member)
{
    char problem[400];
    tw_sweep_grid *grid = member;
    (void)option;
    if (grid->vary_count == TW_SWEEP_VARY_MAX) {
        argp_error(state, "--vary: at most %d keys can vary", (int)TW_SWEEP_VARY_MAX);
        return;
    }
    tw_sweep_vary *vary = &grid->vary[grid->vary_count];
    if (!tw_sweep_vary_parse(vary, text, problem, sizeof problem))
        argp_error(state, "--vary %s: %s", text, problem);
    for (size_t k = 0; k < grid->vary_count; k++)
        if (strcmp(grid->vary[k].key, vary->key) == 0)
            argp_error(state, "--vary: '%s' is given twice", vary->key);
    grid->vary_count++;
}

static void add_take(const struct argp_state *state, const char *option, char *text, void *member)
{
    char problem[400];
    sweep_options *set = member;
    tw_sweep_request *request = &set->request;
    (void)option;
    if (request->take_count == TAKE_MAX)
        argp_error(state, "--take: at most %d can be given", (int)TAKE_MAX);
    else if (tw_sweep_take_parse(&set->take[request->take_count], text, problem, sizeof problem))
        request->take_count++;
    else
        argp_error(state, "--take %s: %s", text, problem);
}

static const tw_args_option options[] = {
    {"vary", "KEY=VALUES",
     "a key and its values: material.friction=0.1,0.3,0.5; A..B or A..B..STEP for whole numbers, "
     "specimen.seed=1..3; A:B:N for N numbers at equal distances, 50:200:4 kPa; may be repeated, "
     "and all combinations are run",
     add_vary, offsetof(sweep_options, grid)},
    {"out", "DIR",
     "folder for all output; default: the name of FILE without its extension and _sweep",
     tw_args_folder, offsetof(sweep_options, out)},
    {"take", "WHAT",
     "another column of the table, from the history: triaxial.coordination, porosity@strain=0.05, "
     "max(q), void_ratio@max(stress_ratio), mean(coordination)@strain=0.1..0.2; may be repeated",
     add_take, 0},
    {"stage", "NAME,...",
     "the stage to evaluate, or successive ones as one test; default: the last test, which is all "
     "stages that load the specimen one after the other",
     tw_args_text, offsetof(sweep_options, request.stage)},
    {"jobs", "N", "number of runs at a time; default: one per processor, or one with --device cuda",
     tw_args_count, offsetof(sweep_options, jobs)},
    {"threads", "N",
     "number of threads of each run; default: processors divided by jobs; results do not depend "
     "on it",
     tw_args_threads, offsetof(sweep_options, threads)},
    {"device", "NAME", TW_ARGS_DEVICE_HELP, tw_args_device, offsetof(sweep_options, device)},
    {"resume", NULL,
     "continue the sweep in DIR if there is one, also with more values; finished cases are not run "
     "again",
     tw_args_flag, offsetof(sweep_options, resume)},
    {"no-figures", NULL, "tables only, without gnuplot", tw_args_flag,
     offsetof(sweep_options, no_figures)},
    {"quiet", NULL, "do not report progress", tw_args_flag, offsetof(sweep_options, quiet)},
    {0}};

/* A value that is both fixed and varied is a mistake. */
static void check_options(const struct argp_state *state, void *settings)
{
    const sweep_options *set = settings;
    if (set->grid.vary_count == 0)
        argp_error(state, "--vary is missing: a key and its values, as in "
                          "--vary material.friction=0.1,0.3,0.5");
    for (size_t k = 0; k < set->grid.vary_count; k++) {
        const char *key = set->grid.vary[k].key;
        for (size_t i = 0; i < set->scenario.set.count; i++)
            if (strncmp(set->scenario.set.of[i], key, strlen(key)) == 0 &&
                set->scenario.set.of[i][strlen(key)] == '=')
                argp_error(state, "'%s' is given by --set and by --vary", key);
    }
}

static const char description[] =
    "Runs the scenario in FILE for all combinations of the values of --vary, several at a time, "
    "and writes a table with a row for each case: DIR/table.csv, with means over specimen.seed in "
    "DIR/table_mean.csv, and the figures DIR/sweep.svg and DIR/sweep_values.svg. All cases are "
    "checked before the first one starts. A specimen that several cases share is prepared once."
    "\vSIGINT, SIGTERM and SIGHUP stop the runs, which save their states. --resume continues, also "
    "after a crash, and gives the same table bit for bit. It may have more values of --vary, and "
    "other --take and --stage: they are evaluated from the histories.\n\n"
    "Exit status: 0 success, 1 out of memory or output not written, 2 bad options or a scenario "
    "that cannot be run, 3 a case left the range of its model or cannot reach its target (the "
    "table has the others), 128 and the number of the signal if stopped by one.";

static const tw_args_command command_line = {.own = {options, check_options},
                                             .shared = &tw_scenario_options_table,
                                             .shared_offset = offsetof(sweep_options, scenario),
                                             .arguments = "FILE",
                                             .description = description};

/* ---- Runs ---- */

static int run_cases(sweep_options *set, const char *folder, const char *command)
{
    tw_sweep_grid *grid = &set->grid;
    tw_sweep_pool pool = {.command = command, .quiet = set->quiet};
    const int processors = tw_parallel_default();
    /* Programs take turns on a GPU: two together took 1.5 times as long as one after the other. */
    const bool gpu = tw_sim_device_traits(set->device) & TW_SIM_DEVICE_GPU;
    const size_t most = gpu ? 1 : (size_t)processors;
    size_t jobs = set->jobs > 0 ? (size_t)set->jobs : most;
    if (jobs > grid->case_count) jobs = grid->case_count;
    const int share = processors / (int)jobs;
    pool.device = set->device;
    pool.jobs = jobs;
    pool.threads = set->threads > 0 ? set->threads : share > 1 ? share : 1;
    tw_sweep_pool_make(&pool, grid, folder);
    tw_sweep_pool_run(&pool);
    const int status = tw_sweep_pool_finish(&pool, grid);
    if (!tw_interrupt_signal()) return status;
    return tw_output_fail(command, TW_EXIT_SIGNAL + tw_interrupt_signal(),
                          "stopped by %s; to continue, repeat the command with --resume",
                          tw_interrupt_name(tw_interrupt_signal()));
}

/* ---- Results ---- */

/* The first figures of the set, if it has any; then the set is freed. curves.csv has all cases. */
static tw_status draw(tw_figure_set *figures, size_t most, const tw_sweep_results *results,
                      tw_status status, const char *folder, tw_error *error)
{
    tw_plot_style style = tw_plot_style_default();
    tw_plot_style_finish(&style);
    const size_t count = figures->figure_count < most ? figures->figure_count : most;
    if (status == TW_STATUS_OK && count > 0 && figures->figures->line_count > 0) {
        status = tw_plot_paint_curves(figures, 1, folder, error);
        tw_sweep_figure_means(figures, results);
    }
    for (size_t k = 0; k < count && status == TW_STATUS_OK; k++)
        status = tw_plot_paint(figures, &figures->figures[k], 1, &style, folder, error);
    tw_figure_set_free(figures);
    return status;
}

/* The strength is also printed. */
static tw_status draw_figures(const tw_sweep_results *results, const char *folder, bool drawn,
                              tw_error *error)
{
    tw_figure_set figures;
    tw_status status = TW_STATUS_OK;
    tw_sweep_figure_strength(&figures, results);
    status = draw(&figures, drawn ? 2 : 0, results, status, folder, error);
    if (!drawn || status != TW_STATUS_OK) return status;
    status = tw_sweep_figure_curves(&figures, results, folder, error);
    status = draw(&figures, 1, results, status, folder, error);
    if (status != TW_STATUS_OK) return status;
    tw_sweep_figure_values(&figures, results);
    return draw(&figures, 1, results, status, folder, error);
}

static int report(const sweep_options *set, const char *folder, const char *command)
{
    tw_sweep_results results;
    tw_error error;
    int status = tw_sweep_results_read(&results, &set->grid, folder, &set->request, command);
    if (status == TW_EXIT_OK) {
        tw_status written = tw_sweep_results_write(&results, folder, &error);
        if (written == TW_STATUS_OK && tw_sweep_grid_has_seeds(&set->grid))
            written = tw_sweep_results_write_means(&results, folder, &error);
        if (written == TW_STATUS_OK)
            written = tw_sweep_results_write_dictionary(&results, folder, &set->request, &error);
        if (written == TW_STATUS_OK)
            written = draw_figures(&results, folder, !set->no_figures, &error);
        if (written != TW_STATUS_OK)
            status = tw_output_fail(command, TW_EXIT_ENVIRONMENT, "%s", error.text);
    }
    size_t done = 0;
    for (size_t i = 0; results.done && i < set->grid.case_count; i++)
        done += results.done[i];
    if (status == TW_EXIT_OK)
        printf("%s/table.csv: %zu of %zu case%s\n", folder, done, set->grid.case_count,
               tw_output_plural(set->grid.case_count));
    tw_sweep_results_free(&results);
    return status;
}

/* Before anything is written. */
static int check_device(const sweep_options *set, const char *command)
{
    tw_error error;
    const tw_status status = tw_sim_check_device(set->device, &error);
    if (status == TW_STATUS_OK) return TW_EXIT_OK;
    return tw_output_fail(command, tw_exit_status_running(status), "%s", error.text);
}

static int sweep(sweep_options *set, const char *command)
{
    char folder[4096];
    tw_file_name_base(folder, sizeof folder - 8, set->scenario.path);
    strcat(folder, "_sweep");
    if (set->out) snprintf(folder, sizeof folder, "%s", set->out);
    int status = check_device(set, command);
    if (status != TW_EXIT_OK) return status;
    status = tw_sweep_grid_make(&set->grid, set->scenario.path, set->scenario.set.of,
                                set->scenario.set.count, command);
    if (status == TW_EXIT_OK) status = tw_sweep_results_check(&set->grid, &set->request, command);
    if (status != TW_EXIT_OK) return status;
    tw_interrupt_watch();
    status = tw_sweep_folder_open(folder, &set->grid, set->scenario.path, set->scenario.set.of,
                                  set->scenario.set.count, set->resume, command);
    if (status == TW_EXIT_OK) {
        status = run_cases(set, folder, command);
        if (status < TW_EXIT_SIGNAL && status != TW_EXIT_USAGE) { /* no folder was refused */
            const int reported = report(set, folder, command);
            if (status == TW_EXIT_OK) status = reported;
        }
        tw_sweep_folder_close(folder);
    }
    return status;
}

int tw_sweep_command(int argc, char **argv)
{
    sweep_options *set = tw_exit_unless(calloc(1, sizeof *set));
    set->request.take = set->take;
    tw_args_parse(&command_line, argc, argv, set);
    const int status = tw_output_finish(argv[0], sweep(set, argv[0]));
    tw_sweep_grid_free(&set->grid);
    tw_scenario_options_free(&set->scenario);
    free(set);
    return status;
}
