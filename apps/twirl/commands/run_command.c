/* SPDX-License-Identifier: BSD-3-Clause */
/* twirl run: a scenario from its specimen to its last stage. */
#include "commands/commands.h"
#include "common/args.h"
#include "common/interrupt.h"
#include "scenario/run_progress.h"
#include "scenario/scenario_options.h"

#include <twirl/run.h>

#include <stdio.h>
#include <string.h>

typedef struct settings {
    tw_scenario_options scenario;
    const char *out;
    int threads;
    bool resume, quiet;
} settings;

enum { KEY_OUT = 256, KEY_THREADS, KEY_RESUME, KEY_QUIET };

static const struct argp_option options[] = {
    {"out", KEY_OUT, "DIR", 0,
     "the folder for everything that is written; default: the name of "
     "FILE without its ending, in the present folder",
     0},
    {"threads", KEY_THREADS, "N", 0,
     "default: OMP_NUM_THREADS, or one per processor; results do not depend on it", 0},
    {"resume", KEY_RESUME, NULL, 0, "go on with the run in DIR, if there is one", 0},
    {"quiet", KEY_QUIET, NULL, 0, "say nothing of progress", 0},
    {0}};

static const struct argp_child children[] = {{&tw_scenario_options_argp, 0, NULL, 0}, {0}};

static int parse_threads(const struct argp_state *state, const char *text)
{
    const uint64_t value = tw_args_count(state, "threads", text);
    if (value > 4096) argp_error(state, "--threads: '%s' is more than 4096", text);
    return (int)value;
}

static error_t parse_option(int key, char *text, struct argp_state *state)
{
    settings *set = state->input;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &set->scenario;
        break;
    case KEY_OUT:
        if (!*text) argp_error(state, "--out: the name is empty");
        set->out = text;
        break;
    case KEY_THREADS:
        set->threads = parse_threads(state, text);
        break;
    case KEY_RESUME:
        set->resume = true;
        break;
    case KEY_QUIET:
        set->quiet = true;
        break;
    default:
        return ARGP_ERR_UNKNOWN;
    }
    return 0;
}

static const char description[] =
    "Runs the scenario in FILE: makes its specimen, runs its stages one after the other, and "
    "writes what is measured into DIR."
    "\vSIGINT and SIGTERM end the run after the present step, with the state saved; --resume goes "
    "on, bit for bit, also after a crash. A second signal ends it at once.\n\n"
    "Exit status: 0 done, 2 bad options or a scenario that cannot be run, 1 no memory or no "
    "output, 3 the simulation has left the range of its model or cannot do what is asked, 130 "
    "(143) ended by SIGINT (SIGTERM) with the state saved.";

static const struct argp argp = {options, parse_option, "FILE", description, children, NULL, NULL};

/* The name of FILE without folders and ending. */
static void choose_folder(char *folder, size_t size, const char *path)
{
    const char *slash = strrchr(path, '/');
    snprintf(folder, size, "%s", slash ? slash + 1 : path);
    char *dot = strrchr(folder, '.');
    if (dot && dot != folder) *dot = '\0';
}

static int after_step(const tw_run_view *view, void *context)
{
    tw_run_progress_step(context, view);
    return tw_interrupt_signal() != 0;
}

static void note(const char *text, void *context)
{
    tw_run_progress_note(context, text);
}

static int exit_status(tw_status status)
{
    switch (status) {
    case TW_STATUS_OK:
        return TW_EXIT_OK;
    case TW_STATUS_INPUT:
    case TW_STATUS_VERSION:
        return TW_EXIT_USAGE;
    case TW_STATUS_PHYSICS:
        return TW_EXIT_PHYSICS;
    case TW_STATUS_INTERRUPTED:
        return TW_EXIT_SIGNAL + tw_interrupt_signal();
    default:
        return TW_EXIT_ENVIRONMENT;
    }
}

#if defined(__clang__) /* names itself */
static const char program[] = "twirl " TWIRL_VERSION ", " __VERSION__;
#elif defined(__GNUC__)
static const char program[] = "twirl " TWIRL_VERSION ", gcc " __VERSION__;
#else
static const char program[] = "twirl " TWIRL_VERSION;
#endif

static int run(const settings *set, const char *command, const tw_scenario *scenario)
{
    char folder[4096];
    tw_error error;
    tw_run_progress progress = tw_run_progress_start(command, set->quiet);
    choose_folder(folder, sizeof folder, set->scenario.path);
    const tw_run_plan plan = {.folder = set->out ? set->out : folder,
                              .resume = set->resume,
                              .threads = set->threads,
                              .program = program,
                              .context = &progress,
                              .step = after_step,
                              .note = note};
    tw_interrupt_watch();
    const tw_status status = tw_run_scenario(scenario, &plan, &error);
    tw_run_progress_clear(&progress);
    if (status == TW_STATUS_INTERRUPTED)
        fprintf(stderr, "%s: ended by %s; the same command with --resume goes on\n", command,
                tw_interrupt_name(tw_interrupt_signal()));
    else if (status != TW_STATUS_OK)
        fprintf(stderr, "%s: %s\n", command, error.text);
    if (status == TW_STATUS_OK || status == TW_STATUS_INTERRUPTED) tw_run_progress_end(&progress);
    return exit_status(status);
}

int tw_run_command(int argc, char **argv)
{
    settings set = {0};
    tw_args_parse(&argp, argc, argv, &set);
    tw_scenario *scenario = NULL;
    int status = tw_scenario_options_read(&set.scenario, argv[0], &scenario);
    if (status == TW_EXIT_OK) status = run(&set, argv[0], scenario);
    tw_scenario_free(scenario);
    tw_scenario_options_free(&set.scenario);
    return status;
}
