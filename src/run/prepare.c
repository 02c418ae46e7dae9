/* SPDX-License-Identifier: BSD-3-Clause */

#include "run/prepare.h"

#include <math.h>
#include <stdio.h>

#include <twirl/math.h>

#include "run/checkpoint.h"
#include "run/stage.h"

enum {
    TRIALS_MAX = 24,     /* of the search for friction */
    STEPS_MAX = 20000000 /* of one phase */
};

/* Beyond these limits the void ratio hardly depends on friction. */
static const double friction_max = 1.0, friction_high = 0.98, friction_low = 1e-4;

static const tw_scenario_preparation *requested(const tw_run *run)
{
    return &run->scenario->specimen.preparation;
}

static bool has_pressure(const tw_run *run)
{
    return !isnan(requested(run)->pressure);
}

static bool searches_friction(const tw_run *run)
{
    return requested(run)->friction == TW_SCENARIO_AUTO;
}

static double void_ratio_requested(const tw_run *run)
{
    const tw_scenario_preparation *r = requested(run);
    return isnan(r->porosity) ? r->void_ratio : r->porosity / (1.0 - r->porosity);
}

/* ---- Begin ---- */

/* Bisects the square root: at low friction the void ratio is steep. */
static double next_friction(const tw_run_state *state)
{
    const double high = state->high_void_ratio > 0.0 ? state->high_friction : friction_max;
    const double root = 0.5 * (sqrt(state->low_friction) + sqrt(high));
    return root * root;
}

static tw_status set_friction(tw_run *run)
{
    tw_run_state *state = &run->state;
    state->friction = searches_friction(run) ? next_friction(state) : requested(run)->friction;
    return tw_run_laws_set_friction(run->sim, state->friction, run->error);
}

typedef struct friction_words {
    char text[60];
} friction_words;

static friction_words describe_friction(const tw_run *run)
{
    friction_words words = {"the friction of the materials"};
    if (!isnan(run->state.friction))
        snprintf(words.text, sizeof words.text, "friction %g", run->state.friction);
    return words;
}

static tw_status begin_compression(tw_run *run)
{
    const tw_scenario_preparation *r = requested(run);
    const double rate =
        isnan(r->rate) ? tw_run_rate(&run->grains, r->inertial_number, r->pressure) : r->rate;
    tw_measure m;
    tw_status status = set_friction(run);
    if (status == TW_STATUS_OK) status = tw_sim_measure(run->sim, &m, run->error);
    if (status != TW_STATUS_OK) return status;
    tw_run_balance_keep(run, &m.energy);
    tw_control control =
        has_pressure(run) ? tw_run_loading_press(r->pressure, rate) : tw_run_loading_shrink(rate);
    status = tw_run_log(run, "specimen: compression with %s", describe_friction(run).text);
    return status == TW_STATUS_OK ? tw_run_set_control(run, &control) : status;
}

tw_status tw_run_prepare_begin(tw_run *run)
{
    tw_run_reset_stage(run);
    if (run->state.phase == TW_RUN_STATE_COMPRESS) return begin_compression(run);
    tw_control control = has_pressure(run) ? tw_run_loading_isotropic(requested(run)->pressure)
                                           : tw_control_default();
    return tw_run_set_control(run, &control);
}

/* ---- End ---- */

static tw_status check_settling(tw_run *run)
{
    tw_measure m;
    const tw_status status = tw_run_measure_balance(run, &m);
    if (status != TW_STATUS_OK) return status;
    const tw_control_status servo = tw_sim_get_control_report(run->sim).status;
    const bool held = !has_pressure(run) || servo == TW_CONTROL_HOLDING;
    run->ended = held && run->unbalanced < requested(run)->unbalanced;
    /* Settling only makes a packing denser, so a trial that is too dense already has failed. */
    if (searches_friction(run))
        run->ended |= m.void_ratio < void_ratio_requested(run) - requested(run)->tolerance;
    if (run->ended || run->state.stage_steps < STEPS_MAX) return TW_STATUS_OK;
    return tw_error_set(run->error, TW_STATUS_PHYSICS,
                        "specimen: not in equilibrium after %d steps: the unbalanced force is %g, "
                        "preparation.unbalanced is %g; more damping may help",
                        (int)STEPS_MAX, m.unbalanced, requested(run)->unbalanced);
}

static tw_status check_compression(tw_run *run, bool due)
{
    if (!has_pressure(run)) {
        run->ended = tw_run_volume(run->sim) / run->grains.solid - 1.0 <= void_ratio_requested(run);
        return TW_STATUS_OK;
    }
    run->ended = due && tw_sim_get_control_report(run->sim).status == TW_CONTROL_HOLDING;
    if (run->ended || run->state.stage_steps < STEPS_MAX) return TW_STATUS_OK;
    return tw_error_set(run->error, TW_STATUS_PHYSICS,
                        "specimen: the pressure of %g Pa is not reached after %d steps of "
                        "compression; a lower rate or more damping may help",
                        requested(run)->pressure, (int)STEPS_MAX);
}

tw_status tw_run_prepare_check(tw_run *run)
{
    const bool due = run->state.stage_steps % TW_RUN_CHECK_STEPS == 0;
    if (run->state.phase == TW_RUN_STATE_COMPRESS) return check_compression(run, due);
    return due ? check_settling(run) : TW_STATUS_OK;
}

uint64_t tw_run_prepare_idle_steps(const tw_run *run)
{
    if (run->state.phase == TW_RUN_STATE_COMPRESS && !has_pressure(run)) return 1;
    return tw_run_steps_until_multiple(run->state.stage_steps, TW_RUN_CHECK_STEPS);
}

/* ---- Search for friction ---- */

static tw_status refuse_target(tw_run *run, double target, double found)
{
    return tw_error_set(
        run->error, TW_STATUS_PHYSICS,
        "specimen.preparation: the void ratio %g (porosity %g) cannot be reached at this pressure: "
        "friction %g gives %g (porosity %g), the %s packing that can be reached",
        target, target / (1.0 + target), run->state.friction, found, found / (1.0 + found),
        found < target ? "loosest" : "densest");
}

/* *again: another trial is needed. */
static tw_status judge_friction(tw_run *run, double found, bool *again)
{
    tw_run_state *state = &run->state;
    const double target = void_ratio_requested(run), friction = state->friction;
    *again = !(fabs(found - target) <= requested(run)->tolerance);
    if (!*again) return TW_STATUS_OK;
    if (found < target) {
        state->low_friction = friction;
        state->low_void_ratio = found;
    } else {
        state->high_friction = friction;
        state->high_void_ratio = found;
    }
    if (found < target ? friction > friction_high : friction < friction_low)
        return refuse_target(run, target, found);
    state->trial++;
    if (state->trial < TRIALS_MAX) return TW_STATUS_OK;
    return tw_error_set(run->error, TW_STATUS_PHYSICS,
                        "specimen.preparation: no friction gives the void ratio %g within %g: "
                        "%.9g gives %g, %.9g gives %g; increase the tolerance or the number of "
                        "grains",
                        target, requested(run)->tolerance, state->low_friction,
                        state->low_void_ratio, state->high_friction, state->high_void_ratio);
}

static tw_status start_trial(tw_run *run)
{
    run->state.phase = TW_RUN_STATE_COMPRESS;
    return tw_run_checkpoint_return(run, "loose");
}

/* The stages start with the friction of the materials. */
static tw_status finish_specimen(tw_run *run, const tw_measure *m)
{
    tw_status status = tw_run_balance_log(run, &m->energy);
    if (status == TW_STATUS_OK) status = tw_run_laws_set(run, NULL);
    if (status == TW_STATUS_OK)
        status = tw_run_log(run,
                            "specimen: %s, p %g Pa, porosity %.5f, void ratio %.5f, "
                            "coordination %.3f",
                            describe_friction(run).text, m->p, m->porosity, m->void_ratio,
                            m->coordination);
    if (status == TW_STATUS_OK) status = tw_run_checkpoint_keep(run, "states/specimen");
    run->state.phase = TW_RUN_STATE_STAGES;
    return status;
}

tw_status tw_run_prepare_finish(tw_run *run)
{
    bool again = false;
    if (run->state.phase == TW_RUN_STATE_COMPRESS) {
        run->state.phase = TW_RUN_STATE_SETTLE;
        return TW_STATUS_OK;
    }
    tw_measure m;
    tw_status status = tw_sim_measure(run->sim, &m, run->error);
    if (status != TW_STATUS_OK) return status;
    run->state.prepared[1] = run->output.log.length;
    if (searches_friction(run)) {
        status = tw_run_log(run, "specimen: trial %d: friction %.6g, void ratio %.5f",
                            (int)run->state.trial + 1, run->state.friction, m.void_ratio);
        if (status == TW_STATUS_OK) status = judge_friction(run, m.void_ratio, &again);
        if (status != TW_STATUS_OK) return status;
    }
    return again ? start_trial(run) : finish_specimen(run, &m);
}

/* ---- Progress ---- */

size_t tw_run_prepare_trials(double tolerance)
{
    /* The void ratio of spheres grows by about 0.25 as the root of friction goes from 0 to 1, and
     * each trial halves the bracket. */
    const double halvings = tw_math_log(0.25 / (2.0 * tolerance)) / tw_math_log(2.0);
    return (size_t)tw_math_min(tw_math_max(halvings, 1.0), 1100.0); /* of the smallest double */
}

size_t tw_run_prepare_trials_expected(const tw_run *run)
{
    if (!searches_friction(run)) return 0;
    const size_t expected = tw_run_prepare_trials(requested(run)->tolerance),
                 now = run->state.trial + 1;
    return now > expected ? now : expected;
}

/* The void ratio at the end of the compression: as requested, or found by the earlier trials, or
 * typical of spheres. */
static double void_ratio_expected(const tw_run *run)
{
    const tw_run_state *state = &run->state;
    if (!has_pressure(run)) return void_ratio_requested(run);
    if (state->high_void_ratio > 0.0) return state->high_void_ratio;
    if (state->low_void_ratio > 0.0) return state->low_void_ratio;
    return 0.58 + 0.14 * tw_math_min(1.0, 2.0 * state->friction);
}

/* By volumetric strain, which grows steadily. What is left after the expected strain is not known,
 * so the last tenth approaches 1 ever more slowly. */
static double compressed(const tw_run *run)
{
    const double first = run->state.volume, now = tw_run_volume(run->sim);
    const double last = run->grains.solid * (1.0 + void_ratio_expected(run));
    if (!(last < first)) return nan("");
    const double share = tw_math_log(first / now) / tw_math_log(first / last);
    if (!has_pressure(run) || share < 0.9) return tw_math_min(share, 1.0);
    return 1.0 - 0.1 * tw_math_exp(-(share - 0.9) / 0.1);
}

double tw_run_prepare_progress(const tw_run *run)
{
    return run->state.phase == TW_RUN_STATE_COMPRESS
               ? compressed(run)
               : tw_run_settled(run, requested(run)->unbalanced);
}
