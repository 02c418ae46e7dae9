/* SPDX-License-Identifier: BSD-3-Clause */
/* twirl advance: a state, many steps later. */
#include "advance/advance_options.h"
#include "commands/commands.h"
#include "common/args.h"
#include "common/interrupt.h"

#include <twirl/exchange.h>

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Bad input unless the machine is to blame. */
static int say_error(const tw_advance_options *set, const tw_error *error)
{
    fprintf(stderr, "%s: %s\n", set->plan.command, error->text);
    return error->status == TW_STATUS_MEMORY ? TW_EXIT_ENVIRONMENT : TW_EXIT_USAGE;
}

static tw_sim *refuse(tw_error *error, const char *text)
{
    error->status = TW_STATUS_INPUT;
    snprintf(error->text, sizeof error->text, "%s", text);
    return NULL;
}

static tw_sim *build(const tw_advance_options *set, tw_error *error)
{
    char text[400];
    tw_sim_def def = tw_sim_def_default();
    def.law = tw_law_options_start();
    tw_law_options_apply(&set->law, &def.law);
    if (!tw_law_options_check(&def.law, text, sizeof text)) return refuse(error, text);
    if (!isnan(set->density)) def.density = set->density;
    tw_specimen *specimen = tw_specimen_read(set->input, error);
    if (!specimen) return NULL;
    if (!specimen->cell_given && !set->plan.quiet) {
        fprintf(stderr, "%s: %s has no cell: nothing repeats, and nothing holds the grains\n",
                set->plan.command, set->input);
    }
    tw_sim *sim = tw_specimen_build(specimen, &def, error);
    tw_specimen_free(specimen);
    return sim;
}

static double chosen(double given, double present)
{
    return isnan(given) ? present : given;
}

/* What was given takes the place of what the state has. To do this again to a state that was saved
 * on the way changes nothing: a run taken up again goes on as it would have. */
static tw_status configure(tw_sim *sim, const tw_advance_options *set, tw_error *error)
{
    tw_sim_def def = tw_sim_definition(sim);
    tw_status status = TW_STATUS_OK;
    if (set->threads > 0) tw_sim_set_threads(sim, set->threads);
    if (set->gradient_given) tw_sim_set_velocity_gradient(sim, &set->gradient);
    if (tw_law_options_apply(&set->law, &def.law)) {
        if (!tw_law_options_check(&def.law, error->text, sizeof error->text))
            return error->status = TW_STATUS_INPUT;
        status = tw_sim_set_law(sim, &def.law, error);
    }
    if (status == TW_STATUS_OK)
        status = tw_sim_set_damping(sim, chosen(set->mass, def.damping_mass),
                                    chosen(set->spin, def.damping_spin),
                                    chosen(set->local, def.damping_local), error);
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
    return refuse(error, "--density: FILE is a checkpoint, its bodies have their masses already");
}

/* Puts the state that was saved on the way in place of the one at the start. */
static tw_sim *open_saved(tw_sim *start, const tw_advance_options *set, tw_error *error)
{
    const uint64_t begin = tw_sim_steps(start);
    const size_t bodies = tw_sim_bodies(start);
    tw_sim_free(start);
    tw_sim *sim = tw_sim_load(set->plan.out, error);
    if (!sim || (tw_sim_steps(sim) >= begin && tw_sim_bodies(sim) == bodies)) return sim;
    error->status = TW_STATUS_INPUT;
    snprintf(error->text, sizeof error->text,
             "--resume: %s does not continue %s: it has %zu bodies at step %" PRIu64
             ", FILE has %zu at step %" PRIu64,
             set->plan.out, set->input, tw_sim_bodies(sim), tw_sim_steps(sim), bodies, begin);
    tw_sim_free(sim);
    return NULL;
}

/* NULL: error says why. Fills the rest of the plan. */
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

/* A run of hours must not end with a file that cannot be written. */
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

/* One word of a command, as a shell takes it. */
static void print_word(const char *word)
{
    const char *plain = word;
    while (isalnum((unsigned char)*plain) || (*plain && strchr("_-+=./,:@%", *plain)))
        plain++;
    if (*word && !*plain) {
        fprintf(stderr, " %s", word);
        return;
    }
    fputs(" '", stderr);
    for (; *word; word++) {
        if (*word == '\'')
            fputs("'\\''", stderr);
        else
            fputc(*word, stderr);
    }
    fputc('\'', stderr);
}

static void say_how_to_resume(const tw_advance_options *set, const tw_sim *sim, int argc,
                              char **argv)
{
    fprintf(stderr,
            "%s: ended by %s at step %" PRIu64 " of %" PRIu64
            "; the state is in %s. To go on:\n   ",
            set->plan.command, tw_interrupt_name(tw_interrupt_signal()), tw_sim_steps(sim),
            set->plan.target, set->plan.out);
    print_word(program_invocation_name);
    fputs(" advance", stderr);
    if (!set->resume) fputs(" --resume", stderr);
    for (int i = 1; i < argc; i++)
        print_word(argv[i]);
    fputc('\n', stderr);
}

static int run(tw_sim *sim, const tw_advance_options *set, int argc, char **argv)
{
    const tw_advance_plan *plan = &set->plan;
    if (tw_sim_steps(sim) >= plan->target) {
        fprintf(stderr,
                "%s: nothing remains: %s is at step %" PRIu64 ", the run ends at %" PRIu64 "\n",
                plan->command, plan->out, tw_sim_steps(sim), plan->target);
        return TW_EXIT_OK;
    }
    if (!can_write(plan->out)) {
        fprintf(stderr, "%s: --out: cannot write %s: %s\n", plan->command, plan->out,
                strerror(errno));
        return TW_EXIT_ENVIRONMENT;
    }
    const int result = tw_advance_run(sim, plan);
    if (result > TW_EXIT_SIGNAL) say_how_to_resume(set, sim, argc, argv);
    return result;
}

static int print_hash(const char *command, const tw_sim *sim)
{
    printf("%016" PRIx64 "\n", tw_sim_hash(sim));
    if (fflush(stdout) == 0 && !ferror(stdout)) return TW_EXIT_OK;
    fprintf(stderr, "%s: cannot write stdout: %s\n", command, strerror(errno));
    return TW_EXIT_ENVIRONMENT;
}

int tw_advance_command(int argc, char **argv)
{
    tw_advance_options set;
    tw_error error;
    tw_advance_options_parse(&set, argc, argv);
    tw_sim *sim = open_state(&set, &error);
    if (!sim) return say_error(&set, &error);
    int result = run(sim, &set, argc, argv);
    if (result == TW_EXIT_OK && set.hash) result = print_hash(argv[0], sim);
    tw_sim_free(sim);
    return result;
}
