/* SPDX-License-Identifier: BSD-3-Clause */
/* twirl advance: continues a state. */
#include "commands/advance_command.h"

#include "advance/advance_options.h"
#include "base/error.h"
#include "common/args.h"
#include "common/command_line.h"
#include "common/exit_status.h"
#include "common/interrupt.h"
#include "common/output.h"

#include <twirl/exchange.h>

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static tw_sim *build(const tw_advance_options *set, tw_error *error)
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
    tw_contact_law *laws = malloc((size_t)count * count * sizeof *laws);
    if (!laws) return tw_error_set_memory(error);
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
static tw_status configure(tw_sim *sim, const tw_advance_options *set, tw_error *error)
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
static tw_sim *open_input(const tw_advance_options *set, tw_error *error)
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
static tw_sim *open_saved(tw_sim *start, const tw_advance_options *set, tw_error *error)
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
static tw_sim *open_state(tw_advance_options *set, tw_error *error)
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

static void print_how_to_resume(const tw_advance_options *set, const tw_sim *sim, int argc,
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
static void print_how_to_move(const tw_advance_options *set, int argc, char **argv)
{
    const char *const extra[] = {"--resume", "--device", "cpu", NULL};
    const char *const without[] = {"--resume", "--device=", NULL};
    fprintf(stderr, "%s: to continue on the CPU:\n", set->plan.command);
    tw_command_line_print("advance", extra, without, argc, argv);
}

static int run(tw_sim *sim, const tw_advance_options *set, int argc, char **argv)
{
    const tw_advance_plan *plan = &set->plan;
    if (tw_sim_steps(sim) >= plan->target) {
        fprintf(stderr,
                "%s: nothing to do: %s is at step %" PRIu64 " and the run ends at step %" PRIu64
                "\n",
                plan->command, plan->out, tw_sim_steps(sim), plan->target);
        return TW_EXIT_OK;
    }
    if (!can_write(plan->out)) {
        fprintf(stderr, "%s: --out: cannot write %s: %s\n", plan->command, plan->out,
                tw_error_reason_of(errno).text);
        return TW_EXIT_ENVIRONMENT;
    }
    bool device_failed = false;
    const int result = tw_advance_run(sim, plan, &device_failed);
    if (result > TW_EXIT_SIGNAL) print_how_to_resume(set, sim, argc, argv);
    if (device_failed) print_how_to_move(set, argc, argv);
    return result;
}

int tw_advance_command(int argc, char **argv)
{
    tw_advance_options set;
    tw_error error;
    tw_advance_options_parse(&set, argc, argv);
    tw_sim *sim = open_state(&set, &error);
    if (!sim) {
        fprintf(stderr, "%s: %s\n", argv[0], error.text);
        return tw_exit_status_reading(error.status);
    }
    int result = run(sim, &set, argc, argv);
    if (result == TW_EXIT_OK && set.hash) {
        printf("%016" PRIx64 "\n", tw_sim_hash(sim));
        result = tw_output_finish(argv[0], result);
    }
    tw_sim_free(sim);
    return result;
}
