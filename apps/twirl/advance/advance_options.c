/* SPDX-License-Identifier: BSD-3-Clause */
#include "advance/advance_options.h"

#include "common/args.h"

#include <math.h>
#include <string.h>
#include <sys/stat.h>

enum {
    KEY_STEPS = 256,
    KEY_OUT,
    KEY_GRADIENT,
    KEY_DENSITY,
    KEY_DT,
    KEY_FORCE_DT,
    KEY_LOCAL,
    KEY_MASS,
    KEY_SPIN,
    KEY_EVERY,
    KEY_HISTORY,
    KEY_REPORT,
    KEY_VTK,
    KEY_FRAME,
    KEY_THREADS,
    KEY_DEVICE,
    KEY_RESUME,
    KEY_HASH,
    KEY_QUIET
};

static const struct argp_option options[] = {
    {"steps", KEY_STEPS, "N", 0, "number of steps after the state in FILE; required", 0},
    {"out", KEY_OUT, "CHECKPOINT", 0, "checkpoint to write; required", 0},
    {"gradient", KEY_GRADIENT, "NUMBERS", 0,
     "velocity gradient [1/s], negative in compression: the 3 numbers of its diagonal or all 9, "
     "row "
     "by row; default: as in the checkpoint, otherwise 0",
     0},
    {"density", KEY_DENSITY, "NUMBER", 0, "density of the grains [kg/m^3]; default: 2650", 0},
    {"dt", KEY_DT, "NUMBER", 0, "time step [s]; default: half the stable step", 0},
    {"force-dt", KEY_FORCE_DT, NULL, 0, "allow a --dt above the stable step", 0},
    {"local-damping", KEY_LOCAL, "NUMBER", 0,
     "Cundall's local damping [-], at least 0 and below 1; default: 0", 0},
    {"mass-damping", KEY_MASS, "NUMBER", 0, "damping of velocities [1/s]; default: 0", 0},
    {"spin-damping", KEY_SPIN, "NUMBER", 0, "damping of angular momenta [1/s]; default: 0", 0},
    {"every", KEY_EVERY, "N", 0, "write a checkpoint every N steps; default: every 30 seconds", 0},
    {"history", KEY_HISTORY, "FILE", 0, "write a history of measured quantities as CSV", 0},
    {"report", KEY_REPORT, "N", 0,
     "write a row of the history every N steps; default: 100 rows in total", 0},
    {"vtk", KEY_VTK, "DIR", 0, "write frames for ParaView into DIR", 0},
    {"frame", KEY_FRAME, "N", 0, "write a frame every N steps; default: 10 frames in total", 0},
    {"threads", KEY_THREADS, "N", 0,
     "number of threads; default: OMP_NUM_THREADS, or one per processor; results do not depend on "
     "it",
     0},
    {"device", KEY_DEVICE, "NAME", 0, TW_ARGS_DEVICE_HELP, 0},
    {"resume", KEY_RESUME, NULL, 0,
     "continue from CHECKPOINT if it exists, up to the same last step", 0},
    {"hash", KEY_HASH, NULL, 0, "print a hash of the state at the end", 0},
    {"quiet", KEY_QUIET, NULL, 0, "do not report progress", 0},
    {0}};

static const struct argp_child children[] = {{&tw_law_options_argp, 0, NULL, 0}, {0}};

static double parse_damping(const struct argp_state *state, const char *option, const char *text,
                            double limit)
{
    const double value = tw_args_number(state, option, text);
    if (value >= 0.0 && value < limit) return value;
    if (limit < 2.0) argp_error(state, "--%s: '%s' must be at least 0 and below 1", option, text);
    argp_error(state, "--%s: '%s' must not be negative", option, text);
    return value;
}

static error_t parse_number(int key, char *text, struct argp_state *state)
{
    tw_advance_options *set = state->input;
    switch (key) {
    case KEY_DENSITY:
        set->density = tw_args_positive(state, "density", text);
        break;
    case KEY_DT:
        set->dt = tw_args_positive(state, "dt", text);
        break;
    case KEY_LOCAL:
        set->local = parse_damping(state, "local-damping", text, 1.0);
        break;
    case KEY_MASS:
        set->mass = parse_damping(state, "mass-damping", text, HUGE_VAL);
        break;
    case KEY_SPIN:
        set->spin = parse_damping(state, "spin-damping", text, HUGE_VAL);
        break;
    case KEY_STEPS:
        set->steps = tw_args_count(state, "steps", text);
        break;
    case KEY_EVERY:
        set->plan.every = tw_args_count(state, "every", text);
        break;
    case KEY_REPORT:
        set->plan.report = tw_args_count(state, "report", text);
        break;
    case KEY_FRAME:
        set->plan.frame = tw_args_count(state, "frame", text);
        break;
    default:
        return ARGP_ERR_UNKNOWN;
    }
    return 0;
}

static error_t parse_switch(int key, char *text, struct argp_state *state)
{
    tw_advance_options *set = state->input;
    switch (key) {
    case KEY_GRADIENT:
        set->gradient = tw_args_gradient(state, "gradient", text);
        set->gradient_given = true;
        break;
    case KEY_OUT:
        set->plan.out = text;
        break;
    case KEY_HISTORY:
        set->plan.history = text;
        break;
    case KEY_VTK:
        set->plan.vtk = text;
        break;
    case KEY_THREADS:
        set->threads = tw_args_threads(state, text);
        break;
    case KEY_DEVICE:
        set->device = tw_args_device(state, text);
        break;
    case KEY_FORCE_DT:
        set->force_dt = true;
        break;
    case KEY_RESUME:
        set->resume = true;
        break;
    case KEY_HASH:
        set->hash = true;
        break;
    case KEY_QUIET:
        set->plan.quiet = true;
        break;
    default:
        return parse_number(key, text, state);
    }
    return 0;
}

static bool same_file(const char *a, const char *b)
{
    struct stat x, y;
    if (stat(a, &x) != 0 || stat(b, &y) != 0) return strcmp(a, b) == 0;
    return x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

static void check_settings(const struct argp_state *state, tw_advance_options *set)
{
    tw_advance_plan *plan = &set->plan;
    if (!set->input)
        argp_error(state, "FILE is missing: a checkpoint, a D-file, a CSV file or a LAMMPS file");
    if (set->steps == 0) argp_error(state, "--steps is missing: the number of steps to run");
    if (!plan->out) argp_error(state, "--out is missing: the checkpoint to write");
    if (same_file(set->input, plan->out))
        argp_error(
            state,
            "--out: '%s' is FILE itself, which --resume would still need; choose another name",
            plan->out);
    if (!plan->history && plan->report > 0)
        argp_error(state, "--report has no effect without --history");
    if (!plan->vtk && plan->frame > 0) argp_error(state, "--frame has no effect without --vtk");
    if (set->force_dt && isnan(set->dt)) argp_error(state, "--force-dt has no effect without --dt");
    if (plan->report == 0) plan->report = set->steps / 100 > 0 ? set->steps / 100 : 1;
    if (plan->frame == 0) plan->frame = set->steps / 10 > 0 ? set->steps / 10 : 1;
}

static error_t parse_option(int key, char *text, struct argp_state *state)
{
    tw_advance_options *set = state->input;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &set->law;
        break;
    case ARGP_KEY_ARG:
        tw_args_once(state, "FILE", text, &set->input);
        break;
    case ARGP_KEY_END:
        check_settings(state, set);
        break;
    default:
        return parse_switch(key, text, state);
    }
    return 0;
}

static const char description[] =
    "Continues the state in FILE for a number of steps. FILE is a checkpoint, an OVAL or DEMPLA "
    "D-file, a CSV or x_y_z_r file of spheres, or a LAMMPS data file or dump. A checkpoint "
    "contains its "
    "contact "
    "law, and options replace its values; with any other file --kn, --kt and --mu are required."
    "\vSIGINT, SIGTERM and SIGHUP stop the run after the current step: the state is saved and the "
    "command "
    "that resumes the run is printed. A second signal stops it at once.\n\n"
    "Exit status: 0 success, 1 out of memory or output not written, 2 bad options or unreadable "
    "file, 3 the simulation left the range of its model, 130 (143, 129) stopped by SIGINT "
    "(SIGTERM, SIGHUP) with the state saved.";

static const struct argp argp = {options, parse_option, "FILE", description, children, NULL, NULL};

void tw_advance_options_parse(tw_advance_options *set, int argc, char **argv)
{
    *set = (tw_advance_options){.law = tw_law_options_none()};
    set->density = set->dt = set->local = set->mass = set->spin = nan("");
    set->plan.command = argv[0];
    tw_args_parse(&argp, argc, argv, set);
}
