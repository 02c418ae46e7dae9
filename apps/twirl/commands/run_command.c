/* SPDX-License-Identifier: BSD-3-Clause */
/* twirl run: runs a scenario. */
#include "commands/commands.h"

#include "common/args.h"
#include "common/build.h"
#include "common/output.h"
#include "common/scene.h"
#include "scenario/scenario.h"

#include <twirl/run.h>
#include <twirl/scenario.h>

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

typedef struct run_options {
    tw_scenario_options scenario;
    const char *out, *specimen;
    int threads;
    const char *device; /* NULL: not given */
    double interval;    /* of progress lines [s]; 0: the default */
    bool resume, extend, restart, quiet;
} run_options;

static const tw_args_option options[] = {
    {"out", "DIR",
     "folder for all output; default: the name of FILE without its extension, in the current "
     "folder",
     tw_args_folder, offsetof(run_options, out)},
    {"threads", "N",
     "number of threads; default: OMP_NUM_THREADS, or one per processor; results do not depend on "
     "it",
     tw_args_threads, offsetof(run_options, threads)},
    {"device", "NAME", TW_ARGS_DEVICE_HELP, tw_args_device, offsetof(run_options, device)},
    {"resume", NULL, "continue the run in DIR if there is one", tw_args_flag,
     offsetof(run_options, resume)},
    {"extend", NULL,
     "continue the run in DIR with a longer scenario: a larger end of its last stage, more stages "
     "after it, other output; a finished run goes on",
     tw_args_flag, offsetof(run_options, extend)},
    {"restart", NULL,
     "start over; a folder DIR that holds a run is first renamed to DIR.old, DIR.old2 ...",
     tw_args_flag, offsetof(run_options, restart)},
    {"specimen", "DIR|STATE",
     "take the specimen from the run in DIR, whose scenario must prepare the same one: if it has "
     "no "
     "stages, as the specimens of twirl sweep, the results are the same as without it; otherwise, "
     "and from a state, as with specimen.checkpoint, with the stiffness of the state in place of a "
     "stiffness_level",
     tw_args_folder, offsetof(run_options, specimen)},
    {"progress", "SECONDS", "time between progress lines; default: 0.5 on a terminal, 10 elsewhere",
     tw_args_positive, offsetof(run_options, interval)},
    {"quiet", NULL, "do not report progress", tw_args_flag, offsetof(run_options, quiet)},
    {0}};

static void check_settings(const struct argp_state *state, void *settings)
{
    const run_options *set = settings;
    if ((set->resume || set->extend) && set->restart)
        argp_error(state, "--%s continues the run, --restart sets it aside: give one",
                   set->extend ? "extend" : "resume");
}

static const char description[] =
    "Runs the scenario in FILE: prepares its specimen, runs its stages in order, and writes the "
    "results into DIR."
    "\vSIGINT, SIGTERM and SIGHUP stop the run after the current step and save its state. --resume "
    "continues it, also after a crash, with identical results bit for bit. A second signal stops "
    "it at "
    "once. --extend also takes a scenario that goes further: states and rows from there on are "
    "those of a run that had been asked for at once.\n\n"
    "Exit status: 0 success, 1 out of memory, no device or output not written, 2 bad options or a "
    "scenario "
    "that cannot be run, 3 the simulation left the range of its model or cannot reach its target, "
    "128 plus the number of the signal: stopped by SIGINT, SIGTERM or SIGHUP (130, 143, 129) with "
    "the state saved.";

static const tw_args_command command_line = {.own = {options, check_settings},
                                             .shared = &tw_scenario_options_table,
                                             .shared_offset = offsetof(run_options, scenario),
                                             .arguments = "FILE",
                                             .description = description};

static int after_step(const tw_run_view *view, void *context)
{
    tw_run_display_step(context, view);
    return tw_interrupt_signal() != 0;
}

/* Also with --quiet. */
static void print_remark(const char *line, void *context)
{
    tw_run_display *display = context;
    tw_progress_clear(&display->line);
    fprintf(stderr, "%s: %s\n", display->line.command, line);
}

static void keep_times(const tw_run_timing *timing, void *context)
{
    tw_run_display *display = context;
    display->timing = *timing;
}

static void log_line(const char *line, void *context)
{
    tw_run_display_message(context, line);
}

#if defined(__clang__) /* __VERSION__ includes the name */
static const char compiler[] = ", " __VERSION__;
#elif defined(__GNUC__)
static const char compiler[] = ", gcc " __VERSION__;
#else
static const char compiler[] = "";
#endif

/* The device has failed in a run that has been saved. */
static void print_how_to_move(const char *command, int argc, char **argv)
{
    const char *const extra[] = {"--resume", "--device", "cpu", NULL};
    const char *const without[] = {"--resume", "--restart", "--device=", NULL};
    fprintf(stderr, "%s: to continue on the CPU:\n", command);
    tw_command_line_print("run", extra, without, argc, argv);
}

static int run(const run_options *set, const tw_scenario *scenario, int argc, char **argv)
{
    const char *command = argv[0];
    char folder[4096], program[160];
    snprintf(program, sizeof program, "twirl %s%s", tw_build_version(), compiler);
    tw_error error;
    tw_run_display display = tw_run_display_start(command, set->quiet);
    tw_file_name_base(folder, sizeof folder, set->scenario.path);
    if (set->interval > 0.0) display.line.interval = set->interval;
    const tw_run_plan plan = {.folder = set->out ? set->out : folder,
                              .resume = set->resume,
                              .extend = set->extend,
                              .specimen = set->specimen,
                              .restart = set->restart,
                              .threads = set->threads,
                              .device = set->device,
                              .program = program,
                              .context = &display,
                              .step = after_step,
                              .log = log_line,
                              .remark = print_remark,
                              .timing = keep_times};
    tw_interrupt_watch();
    tw_run_display_announce(&display, scenario);
    const tw_status status = tw_run_scenario(scenario, &plan, &error);
    tw_progress_clear(&display.line);
    if (status == TW_STATUS_INTERRUPTED)
        fprintf(stderr, "%s: stopped by %s; to continue, repeat the command with --resume\n",
                command, tw_interrupt_name(tw_interrupt_signal()));
    else if (status != TW_STATUS_OK)
        fprintf(stderr, "%s: %s\n", command, error.text);
    if (status == TW_STATUS_DEVICE && (display.progress.steps > 0 || display.messages > 0))
        print_how_to_move(command, argc, argv);
    if (status == TW_STATUS_OK || status == TW_STATUS_INTERRUPTED) tw_run_display_end(&display);
    if (status == TW_STATUS_INTERRUPTED) return TW_EXIT_SIGNAL + tw_interrupt_signal();
    return tw_exit_status_running(status);
}

/* The scenario, or NULL. */
static tw_scenario *read_quietly(const char *path, const tw_args_list *set)
{
    tw_scenario_errors errors;
    tw_scenario *scenario = tw_scenario_read_begun(path, set->of, set->count, &errors);
    tw_scenario_errors_free(&errors);
    return scenario;
}

/* Whether the run in the folder goes on to stages and prepares the specimen of this scenario; an
 * error if it is another one. Without stages the run itself sees to it. */
static int find_stages(const run_options *set, const char *command, bool *found)
{
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/scenario.yaml", set->specimen);
    tw_scenario *other = read_quietly(path, &(tw_args_list){0});
    tw_scenario *mine = read_quietly(set->scenario.path, &set->scenario.set);
    *found = other && mine && other->stage_count > 0;
    char *theirs = *found ? tw_run_preparation(other) : NULL;
    char *own = *found ? tw_run_preparation(mine) : NULL;
    const bool same = theirs && own && strcmp(theirs, own) == 0;
    free(theirs);
    free(own);
    tw_scenario_free(other);
    tw_scenario_free(mine);
    if (!*found || same) return TW_EXIT_OK;
    return tw_output_fail(command, TW_EXIT_USAGE,
                          "--specimen %s: the run there prepares another specimen; compare its "
                          "scenario.yaml with this scenario, or take its specimen all the same: "
                          "--specimen %s/states/specimen.h5",
                          set->specimen, set->specimen);
}

/* Turns a state, or a run with stages, into settings; `text` keeps one of them. */
static int start_from_state(run_options *set, const char *command, char *text, size_t size)
{
    static char as_in_the_state[] = "material.stiffness_level=";
    char path[PATH_MAX], real[PATH_MAX];
    struct stat about;
    bool stages = false;
    const bool exists = stat(set->specimen, &about) == 0, folder = exists && S_ISDIR(about.st_mode);
    const int status = folder ? find_stages(set, command, &stages) : TW_EXIT_OK;
    if (status != TW_EXIT_OK || !exists || (folder && !stages)) return status;
    snprintf(path, sizeof path, "%s%s", set->specimen, folder ? "/states/specimen.h5" : "");
    if (!realpath(path, real))
        return tw_output_fail(command, TW_EXIT_USAGE, "--specimen: there is no %s", path);
    snprintf(text, size, "specimen={checkpoint: '%s'}", real);
    tw_args_add(NULL, NULL, text, &set->scenario.set);
    tw_args_add(NULL, NULL, as_in_the_state, &set->scenario.set);
    tw_scenario *scenario = read_quietly(set->scenario.path, &set->scenario.set);
    if (!scenario) set->scenario.set.count--; /* it has none, or errors of its own */
    tw_scenario_free(scenario);
    set->specimen = NULL;
    return TW_EXIT_OK;
}

int tw_run_command(int argc, char **argv)
{
    run_options set = {0};
    char text[PATH_MAX + 40];
    tw_args_parse(&command_line, argc, argv, &set);
    tw_scenario *scenario = NULL;
    int status = set.specimen ? start_from_state(&set, argv[0], text, sizeof text) : TW_EXIT_OK;
    if (status == TW_EXIT_OK)
        status =
            tw_scenario_options_read(&set.scenario, set.resume || set.extend, argv[0], &scenario);
    if (status == TW_EXIT_OK) status = run(&set, scenario, argc, argv);
    tw_scenario_free(scenario);
    tw_scenario_options_free(&set.scenario);
    return status;
}
