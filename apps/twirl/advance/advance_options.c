/* SPDX-License-Identifier: BSD-3-Clause */
#include "advance/advance_options.h"

#include "common/args.h"

#include <math.h>
#include <string.h>
#include <sys/stat.h>

static void read_damping(const struct argp_state *state, const char *option, char *text,
                         void *member)
{
    double *value = member;
    tw_args_number(state, option, text, value);
    if (*value < 0.0) argp_error(state, "--%s: '%s' must not be negative", option, text);
}

static void read_local(const struct argp_state *state, const char *option, char *text, void *member)
{
    double *value = member;
    tw_args_number(state, option, text, value);
    if (!(*value >= 0.0 && *value < 1.0))
        argp_error(state, "--%s: '%s' must be at least 0 and below 1", option, text);
}

#define SET(member) offsetof(tw_advance_options, member)

static const tw_args_option options[] = {
    {NULL, "FILE", NULL, tw_args_once, SET(input)},
    {"steps", "N", "number of steps after the state in FILE; required", tw_args_count, SET(steps)},
    {"out", "CHECKPOINT", "checkpoint to write; required", tw_args_text, SET(plan.out)},
    {"gradient", "NUMBERS",
     "velocity gradient [1/s], negative in compression: the 3 numbers of its diagonal or all 9, "
     "row "
     "by row; default: as in the checkpoint, otherwise 0",
     tw_args_read_matrix, SET(gradient)},
    {"density", "NUMBER", "density of the grains [kg/m^3]; default: 2650", tw_args_positive,
     SET(density)},
    {"dt", "NUMBER", "time step [s]; default: half the stable step", tw_args_positive, SET(dt)},
    {"force-dt", NULL, "allow a --dt above the stable step", tw_args_flag, SET(force_dt)},
    {"local-damping", "NUMBER", "Cundall's local damping [-], at least 0 and below 1; default: 0",
     read_local, SET(local)},
    {"mass-damping", "NUMBER", "damping of velocities [1/s]; default: 0", read_damping, SET(mass)},
    {"spin-damping", "NUMBER", "damping of angular momenta [1/s]; default: 0", read_damping,
     SET(spin)},
    {"every", "N", "write a checkpoint every N steps; default: every 30 seconds", tw_args_count,
     SET(plan.every)},
    {"history", "FILE", "write a history of measured quantities as CSV", tw_args_text,
     SET(plan.history)},
    {"report", "N", "write a row of the history every N steps; default: 100 rows in total",
     tw_args_count, SET(plan.report)},
    {"vtk", "DIR", "write frames for ParaView into DIR", tw_args_text, SET(plan.vtk)},
    {"frame", "N", "write a frame every N steps; default: 10 frames in total", tw_args_count,
     SET(plan.frame)},
    {"threads", "N",
     "number of threads; default: OMP_NUM_THREADS, or one per processor; results do not depend on "
     "it",
     tw_args_threads, SET(threads)},
    {"device", "NAME", TW_ARGS_DEVICE_HELP, tw_args_device, SET(device)},
    {"resume", NULL, "continue from CHECKPOINT if it exists, up to the same last step",
     tw_args_flag, SET(resume)},
    {"hash", NULL, "print a hash of the state at the end", tw_args_flag, SET(hash)},
    {"quiet", NULL, "do not report progress", tw_args_flag, SET(plan.quiet)},
    {0}};

static bool same_file(const char *a, const char *b)
{
    struct stat x, y;
    if (stat(a, &x) != 0 || stat(b, &y) != 0) return strcmp(a, b) == 0;
    return x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

static void check_settings(const struct argp_state *state, void *settings)
{
    tw_advance_options *set = settings;
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

static const tw_args_command command_line = {.own = {options, check_settings},
                                             .shared = &tw_law_options_table,
                                             .shared_offset = offsetof(tw_advance_options, law),
                                             .arguments = "FILE",
                                             .description = description};

void tw_advance_options_parse(tw_advance_options *set, int argc, char **argv)
{
    *set = (tw_advance_options){.law = tw_law_options_none()};
    set->density = set->dt = set->local = set->mass = set->spin = nan("");
    set->plan.command = argv[0];
    tw_args_parse(&command_line, argc, argv, set);
}
