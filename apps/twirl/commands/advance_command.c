/* SPDX-License-Identifier: BSD-3-Clause */
/* twirl advance: continues a state. */
#include "commands/commands.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <twirl/exchange.h>
#include <twirl/types.h>

#include "advance/advance_run.h"
#include "base/error.h"
#include "common/args.h"
#include "common/law_options.h"
#include "common/output.h"

/* The command line of `twirl advance`. */

typedef struct advance_options {
    const char *input;
    tw_law_options law;
    double density, dt, local, mass, spin; /* NaN: not given */
    tw_args_matrix gradient;
    bool force_dt, resume, hash;
    int threads;        /* 0: not given */
    const char *device; /* NULL: not given */
    uint64_t steps;
    tw_advance_plan plan; /* without begin, target, resumed and saved */
} advance_options;

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

#define SET(member) offsetof(advance_options, member)

static const tw_args_option options[] = {
    {NULL, "FILE", "a checkpoint, a D-file, a CSV file or a LAMMPS file", tw_args_once, SET(input)},
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
    advance_options *set = settings;
    tw_advance_plan *plan = &set->plan;
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
                                             .shared_offset = offsetof(advance_options, law),
                                             .arguments = "FILE",
                                             .description = description};

/* Ends the program if something is missing or wrong. */
static void parse_options(advance_options *set, int argc, char **argv)
{
    *set = (advance_options){.law = tw_law_options_none()};
    set->density = set->dt = set->local = set->mass = set->spin = nan("");
    set->plan.command = argv[0];
    tw_args_parse(&command_line, argc, argv, set);
}

static tw_sim *build(const advance_options *set, tw_error *error)
{
    tw_sim_def def = tw_sim_def_default();
    if (tw_law_options_make(&set->law, &def.law, error) != TW_STATUS_OK) return NULL;
    if (!isnan(set->density)) def.density = set->density;
    tw_specimen *specimen = tw_specimen_read(set->input, error);
    if (!specimen) return NULL;
    if (!specimen->cell_given && !set->plan.quiet) {
        fprintf(stderr,
                "%s: warning: %s has no cell: there are no periodic boundaries and no walls\n",
                set->plan.command, set->input);
    }
    tw_sim *sim = tw_specimen_build(specimen, &def, error);
    tw_specimen_free(specimen);
    return sim;
}

static double given_or(double given, double current)
{
    return isnan(given) ? current : given;
}

/* Options apply to the law of every pair of materials. */
static tw_status change_laws(tw_sim *sim, const tw_law_options *given, tw_error *error)
{
    const uint32_t count = (uint32_t)tw_sim_materials(sim);
    tw_contact_law *laws = tw_exit_unless(malloc((size_t)count * count * sizeof *laws));
    tw_status status = TW_STATUS_OK;
    bool changed = false;
    for (uint32_t i = 0; i < count * count && status == TW_STATUS_OK; i++) {
        status = tw_sim_pair_law(sim, i / count, i % count, &laws[i], error);
        if (status == TW_STATUS_OK)
            status = tw_law_options_change(given, &laws[i], &changed, error);
    }
    if (status == TW_STATUS_OK && changed) status = tw_sim_set_laws(sim, laws, error);
    free(laws);
    return status;
}

/* Options replace the settings of the state. Repeating this on a state saved during the run changes
 * nothing, so a resumed run continues as it would have. */
static tw_status configure(tw_sim *sim, const advance_options *set, tw_error *error)
{
    tw_sim_def def = tw_sim_definition(sim);
    if (set->threads > 0) tw_sim_set_threads(sim, set->threads);
    if (set->gradient.given) tw_sim_set_velocity_gradient(sim, &set->gradient.value);
    tw_status status = tw_sim_set_device(sim, set->device, error);
    if (status == TW_STATUS_OK) status = change_laws(sim, &set->law, error);
    if (status == TW_STATUS_OK)
        status = tw_sim_set_damping(sim, given_or(set->mass, def.damping_mass),
                                    given_or(set->spin, def.damping_spin),
                                    given_or(set->local, def.damping_local), error);
    if (status == TW_STATUS_OK && !isnan(set->dt))
        status = tw_sim_set_dt(sim, set->dt, set->force_dt, error);
    return status;
}

/* The state at the start of the whole run. */
static tw_sim *open_input(const advance_options *set, tw_error *error)
{
    const tw_exchange_kind kind = tw_exchange_recognise(set->input, error);
    if (kind == TW_EXCHANGE_UNKNOWN) return NULL;
    if (kind != TW_EXCHANGE_CHECKPOINT) return build(set, error);
    if (isnan(set->density)) return tw_sim_load(set->input, error);
    tw_error_set(error, TW_STATUS_INPUT,
                 "--density: not used with a checkpoint, whose bodies have masses");
    return NULL;
}

/* Replaces the state at the start by the one saved during the run. */
static tw_sim *open_saved(tw_sim *start, const advance_options *set, tw_error *error)
{
    const uint64_t begin = tw_sim_steps(start);
    const size_t bodies = tw_sim_bodies(start);
    tw_sim_free(start);
    tw_sim *sim = tw_sim_load(set->plan.out, error);
    if (!sim || (tw_sim_steps(sim) >= begin && tw_sim_bodies(sim) == bodies)) return sim;
    tw_error_set(error, TW_STATUS_INPUT,
                 "--resume: %s does not continue %s: it has %zu bodies at step %" PRIu64
                 ", FILE has %zu at step %" PRIu64,
                 set->plan.out, set->input, tw_sim_bodies(sim), tw_sim_steps(sim), bodies, begin);
    tw_sim_free(sim);
    return NULL;
}

/* NULL: see error. Completes the plan. */
static tw_sim *open_state(advance_options *set, tw_error *error)
{
    tw_advance_plan *plan = &set->plan;
    tw_sim *sim = open_input(set, error);
    if (!sim) return NULL;
    plan->begin = tw_sim_steps(sim);
    plan->target = plan->begin + set->steps;
    plan->resumed = set->resume;
    plan->saved = set->resume && access(plan->out, F_OK) == 0;
    if (plan->saved) sim = open_saved(sim, set, error);
    if (!sim || configure(sim, set, error) == TW_STATUS_OK) return sim;
    tw_sim_free(sim);
    return NULL;
}

/* Checked at the start: a run of hours must not end with a file that cannot be written. */
static bool can_write(const char *path)
{
    char folder[4096];
    const char *slash = strrchr(path, '/');
    if (access(path, F_OK) == 0) return access(path, W_OK) == 0;
    if (!slash) return access(".", W_OK) == 0;
    const int length = slash == path ? 1 : (int)(slash - path);
    const int used = snprintf(folder, sizeof folder, "%.*s", length, path);
    return (size_t)used < sizeof folder && access(folder, W_OK) == 0;
}

static void print_how_to_resume(const advance_options *set, const tw_sim *sim, int argc,
                                char **argv)
{
    fprintf(stderr,
            "%s: stopped by %s at step %" PRIu64 " of %" PRIu64
            "; the state is in %s. To continue:\n",
            set->plan.command, tw_interrupt_name(tw_interrupt_signal()), tw_sim_steps(sim),
            set->plan.target, set->plan.out);
    const char *const extra[] = {"--resume", NULL}, *const without[] = {"--resume", NULL};
    tw_command_line_print("advance", extra, without, argc, argv);
}

/* The device has failed: from the last checkpoint, or from the start if there is none yet. */
static void print_how_to_move(const advance_options *set, int argc, char **argv)
{
    const char *const extra[] = {"--resume", "--device", "cpu", NULL};
    const char *const without[] = {"--resume", "--device=", NULL};
    fprintf(stderr, "%s: to continue on the CPU:\n", set->plan.command);
    tw_command_line_print("advance", extra, without, argc, argv);
}

static int run(tw_sim *sim, const advance_options *set, int argc, char **argv)
{
    const tw_advance_plan *plan = &set->plan;
    if (tw_sim_steps(sim) >= plan->target) {
        fprintf(stderr,
                "%s: nothing to do: %s is at step %" PRIu64 " and the run ends at step %" PRIu64
                "\n",
                plan->command, plan->out, tw_sim_steps(sim), plan->target);
        return TW_EXIT_OK;
    }
    if (!can_write(plan->out))
        return tw_output_fail(plan->command, TW_EXIT_ENVIRONMENT, "--out: cannot write %s: %s",
                              plan->out, tw_error_reason_of(errno).text);
    bool device_failed = false;
    const int result = tw_advance_run(sim, plan, &device_failed);
    if (result > TW_EXIT_SIGNAL) print_how_to_resume(set, sim, argc, argv);
    if (device_failed) print_how_to_move(set, argc, argv);
    return result;
}

int tw_advance_command(int argc, char **argv)
{
    advance_options set;
    tw_error error;
    parse_options(&set, argc, argv);
    tw_sim *sim = open_state(&set, &error);
    if (!sim)
        return tw_output_fail(argv[0], tw_exit_status_reading(error.status), "%s", error.text);
    int result = run(sim, &set, argc, argv);
    if (result == TW_EXIT_OK && set.hash) {
        printf("%016" PRIx64 "\n", tw_sim_hash(sim));
        result = tw_output_finish(argv[0], result);
    }
    tw_sim_free(sim);
    return result;
}
