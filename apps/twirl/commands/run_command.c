/* SPDX-License-Identifier: BSD-3-Clause */
/* twirl run: runs a scenario. */
#include "commands/run_command.h"

#include "common/args.h"
#include "common/command_line.h"
#include "common/exit_status.h"
#include "common/file_name.h"
#include "common/interrupt.h"
#include "scenario/run_display.h"
#include "scenario/scenario_options.h"

#include <twirl/run.h>

#include <stdbool.h>
#include <stdio.h>

typedef struct run_options {
    tw_scenario_options scenario;
    const char *out, *specimen;
    int threads;
    const char *device; /* NULL: not given */
    double interval;    /* of progress lines [s]; 0: the default */
    bool resume, restart, quiet;
} run_options;

enum {
    KEY_OUT = 256,
    KEY_THREADS,
    KEY_DEVICE,
    KEY_RESUME,
    KEY_RESTART,
    KEY_SPECIMEN,
    KEY_PROGRESS,
    KEY_QUIET
};

static const struct argp_option options[] = {
    {"out", KEY_OUT, "DIR", 0,
     "folder for all output; default: the name of FILE without its extension, in the current "
     "folder",
     0},
    {"threads", KEY_THREADS, "N", 0,
     "number of threads; default: OMP_NUM_THREADS, or one per processor; results do not depend on "
     "it",
     0},
    {"device", KEY_DEVICE, "NAME", 0, TW_ARGS_DEVICE_HELP, 0},
    {"resume", KEY_RESUME, NULL, 0, "continue the run in DIR if there is one", 0},
    {"restart", KEY_RESTART, NULL, 0,
     "start over; a folder DIR that holds a run is first renamed to DIR.old, DIR.old2 ...", 0},
    {"specimen", KEY_SPECIMEN, "DIR", 0,
     "take the specimen from the run in DIR, whose scenario must be the preparation of this one "
     "and "
     "no more, as in the specimens of twirl sweep; the results are the same as without it",
     0},
    {"progress", KEY_PROGRESS, "SECONDS", 0,
     "time between progress lines; default: 0.5 on a terminal, 10 elsewhere", 0},
    {"quiet", KEY_QUIET, NULL, 0, "do not report progress", 0},
    {0}};

static const struct argp_child children[] = {{&tw_scenario_options_argp, 0, NULL, 0}, {0}};

static error_t parse_option(int key, char *text, struct argp_state *state)
{
    run_options *set = state->input;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &set->scenario;
        break;
    case KEY_OUT:
        if (!*text) argp_error(state, "--out: the name of the folder is empty");
        set->out = text;
        break;
    case KEY_THREADS:
        set->threads = tw_args_threads(state, text);
        break;
    case KEY_DEVICE:
        set->device = tw_args_device(state, text);
        break;
    case KEY_RESUME:
        set->resume = true;
        break;
    case KEY_RESTART:
        set->restart = true;
        break;
    case KEY_SPECIMEN:
        if (!*text) argp_error(state, "--specimen: the name of the folder is empty");
        set->specimen = text;
        break;
    case KEY_PROGRESS:
        set->interval = tw_args_positive(state, "progress", text);
        break;
    case KEY_QUIET:
        set->quiet = true;
        break;
    case ARGP_KEY_END:
        if (set->resume && set->restart)
            argp_error(state, "--resume continues the run, --restart moves it aside: give one");
        break;
    default:
        return ARGP_ERR_UNKNOWN;
    }
    return 0;
}

static const char description[] =
    "Runs the scenario in FILE: prepares its specimen, runs its stages in order, and writes the "
    "results into DIR."
    "\vSIGINT, SIGTERM and SIGHUP stop the run after the current step and save its state. --resume "
    "continues it, also after a crash, with identical results bit for bit. A second signal stops "
    "it at "
    "once.\n\n"
    "Exit status: 0 success, 1 out of memory, no device or output not written, 2 bad options or a "
    "scenario "
    "that cannot be run, 3 the simulation left the range of its model or cannot reach its target, "
    "128 plus the number of the signal: stopped by SIGINT, SIGTERM or SIGHUP (130, 143, 129) with "
    "the state saved.";

static const struct argp argp = {options, parse_option, "FILE", description, children, NULL, NULL};

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

static void log_line(const char *line, void *context)
{
    tw_run_display_message(context, line);
}

#if defined(__clang__) /* __VERSION__ includes the name */
static const char program[] = "twirl " TWIRL_VERSION ", " __VERSION__;
#elif defined(__GNUC__)
static const char program[] = "twirl " TWIRL_VERSION ", gcc " __VERSION__;
#else
static const char program[] = "twirl " TWIRL_VERSION;
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
    char folder[4096];
    tw_error error;
    tw_run_display display = tw_run_display_start(command, set->quiet);
    tw_file_name_base(folder, sizeof folder, set->scenario.path);
    const tw_run_plan plan = {.folder = set->out ? set->out : folder,
                              .resume = set->resume,
                              .specimen = set->specimen,
                              .restart = set->restart,
                              .threads = set->threads,
                              .device = set->device,
                              .program = program,
                              .context = &display,
                              .step = after_step,
                              .log = log_line,
                              .remark = print_remark};
    if (set->interval > 0.0) display.line.interval = set->interval;
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

int tw_run_command(int argc, char **argv)
{
    run_options set = {0};
    tw_args_parse(&argp, argc, argv, &set);
    tw_scenario *scenario = NULL;
    int status = tw_scenario_options_read(&set.scenario, argv[0], &scenario);
    if (status == TW_EXIT_OK) status = run(&set, scenario, argc, argv);
    tw_scenario_free(scenario);
    tw_scenario_options_free(&set.scenario);
    return status;
}
