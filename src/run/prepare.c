/* SPDX-License-Identifier: BSD-3-Clause */
/* Making a specimen: compression with the cell's shape kept until the grains carry, then rest under
 * six stresses; again with another friction where a void ratio is to be met. */
#include <math.h>

#include "base/error.h"
#include "run/runner.h"

enum {
    MOST_TRIALS = 24,     /* of friction */
    MOST_STEPS = 20000000 /* of one compression: what has not come to rest by then never will */
};

/* More makes no packing looser, less none denser: the void ratio hardly depends on friction there.
 */
static const double friction_max = 1.0, friction_high = 0.98, friction_low = 1e-4;

static const tw_scenario_preparation *wish_of(const tw_runner *run)
{
    return &run->scenario->specimen.preparation;
}

static bool has_pressure(const tw_runner *run)
{
    return !isnan(wish_of(run)->pressure);
}

static bool finds_friction(const tw_runner *run)
{
    return wish_of(run)->friction == TW_SCENARIO_AUTO;
}

static double void_ratio_wanted(const tw_scenario_preparation *wish)
{
    return isnan(wish->porosity) ? wish->void_ratio : wish->porosity / (1.0 - wish->porosity);
}

/* Halves of the square root: the void ratio falls steeply where there is little friction. */
static double next_friction(const tw_place *place)
{
    const double high = place->high[1] > 0.0 ? place->high[0] : friction_max;
    const double root = 0.5 * (sqrt(place->low[0]) + sqrt(high));
    return root * root;
}

static tw_status put_friction(tw_runner *run)
{
    tw_contact_law law = tw_sim_definition(run->sim).law;
    tw_place *place = &run->place;
    place->friction[0] = finds_friction(run) ? next_friction(place) : wish_of(run)->friction;
    law.mu = place->friction[0];
    return tw_sim_set_law(run->sim, &law, run->error);
}

static tw_status begin_compression(tw_runner *run)
{
    const tw_scenario_preparation *wish = wish_of(run);
    const double rate =
        isnan(wish->rate) ? tw_runner_rate(run, wish->inertial_number, wish->pressure) : wish->rate;
    tw_status status = put_friction(run);
    if (status != TW_STATUS_OK) return status;
    const tw_control control =
        has_pressure(run) ? tw_path_press(wish->pressure, rate) : tw_path_shrink(rate);
    status = tw_runner_note(run, "specimen: compression with friction %g", run->place.friction[0]);
    return status == TW_STATUS_OK ? tw_sim_set_control(run->sim, &control, run->error) : status;
}

tw_status tw_prepare_begin(tw_runner *run)
{
    tw_runner_begin(run);
    if (run->place.phase[0] == TW_PLACE_COMPRESS) return begin_compression(run);
    const tw_control control =
        has_pressure(run) ? tw_path_isotropic(wish_of(run)->pressure) : tw_control_default();
    return tw_sim_set_control(run->sim, &control, run->error);
}

static tw_status look_at_rest(tw_runner *run)
{
    const tw_measure m = tw_sim_measure(run->sim);
    const tw_control_status servo = tw_sim_control(run->sim).status;
    const bool held = !has_pressure(run) || servo == TW_CONTROL_HOLDING;
    run->ended = held && (m.contacts == 0 || m.unbalanced < wish_of(run)->unbalanced);
    /* Rest makes a packing denser, never looser: a trial that is too dense already is over. */
    if (finds_friction(run))
        run->ended |= m.void_ratio < void_ratio_wanted(wish_of(run)) - wish_of(run)->tolerance;
    if (run->ended || run->place.stage_steps[0] < MOST_STEPS) return TW_STATUS_OK;
    return tw_error_set(run->error, TW_STATUS_PHYSICS,
                        "specimen: not at rest after %d steps: the unbalanced force is %g, "
                        "preparation.unbalanced asks for %g; more damping may help",
                        (int)MOST_STEPS, m.unbalanced, wish_of(run)->unbalanced);
}

tw_status tw_prepare_look(tw_runner *run)
{
    const bool look = run->place.stage_steps[0] % TW_RUNNER_LOOK == 0;
    if (run->place.phase[0] == TW_PLACE_SETTLE) return look ? look_at_rest(run) : TW_STATUS_OK;
    if (has_pressure(run)) {
        run->ended = look && tw_sim_control(run->sim).status == TW_CONTROL_HOLDING;
        if (!run->ended && run->place.stage_steps[0] >= MOST_STEPS)
            return tw_error_set(run->error, TW_STATUS_PHYSICS,
                                "specimen: the pressure of %g Pa is not held after %d steps of "
                                "compression; a slower one or more damping may help",
                                wish_of(run)->pressure, (int)MOST_STEPS);
    } else {
        const double wanted = void_ratio_wanted(wish_of(run));
        run->ended = tw_runner_volume(run) / run->solid - 1.0 <= wanted;
    }
    return TW_STATUS_OK;
}

/* ---- Friction that is found ---- */

static tw_status refuse_target(tw_runner *run, double wanted, double found)
{
    return tw_error_set(
        run->error, TW_STATUS_PHYSICS,
        "specimen.preparation: the void ratio %g (porosity %g) cannot be met at this pressure: "
        "friction %g gives %g (porosity %g), and that is as %s as it gets",
        wanted, wanted / (1.0 + wanted), run->place.friction[0], found, found / (1.0 + found),
        found < wanted ? "loose" : "dense");
}

/* *again: another trial is needed. */
static tw_status judge_friction(tw_runner *run, double found, bool *again)
{
    tw_place *place = &run->place;
    const double wanted = void_ratio_wanted(wish_of(run)), mine = place->friction[0];
    *again = !(fabs(found - wanted) <= wish_of(run)->tolerance);
    if (!*again) return TW_STATUS_OK;
    if (found < wanted) {
        place->low[0] = mine;
        place->low[1] = found;
    } else {
        place->high[0] = mine;
        place->high[1] = found;
    }
    if (found < wanted ? mine > friction_high : mine < friction_low)
        return refuse_target(run, wanted, found);
    place->trial[0]++;
    if (place->trial[0] < MOST_TRIALS) return TW_STATUS_OK;
    return tw_error_set(run->error, TW_STATUS_PHYSICS,
                        "specimen.preparation: no friction gives the void ratio %g within %g: "
                        "%.9g gives %g, %.9g gives %g; a larger tolerance or more grains help",
                        wanted, wish_of(run)->tolerance, place->low[0], place->low[1],
                        place->high[0], place->high[1]);
}

static tw_status start_again(tw_runner *run)
{
    const tw_path loose = tw_path_of(run->plan->folder, "loose.h5");
    tw_sim *sim = tw_sim_load(loose.text, run->error);
    if (!sim) return run->error->status;
    tw_sim_free(run->sim);
    run->sim = sim;
    tw_sim_set_threads(sim, run->plan->threads);
    run->place.phase[0] = TW_PLACE_COMPRESS;
    return TW_STATUS_OK;
}

/* The friction of the material is that of the stages. */
static tw_status finish_specimen(tw_runner *run, const tw_measure *m)
{
    const tw_path path = tw_path_in(run->plan->folder, "states", "specimen", ".h5");
    tw_contact_law law = tw_sim_definition(run->sim).law;
    tw_scenario_put_law(run->scenario, NULL, &law);
    tw_status status = tw_sim_set_law(run->sim, &law, run->error);
    if (status == TW_STATUS_OK)
        status = tw_runner_note(run,
                                "specimen: friction %g, p %g Pa, porosity %.5f, void ratio %.5f, "
                                "coordination %.3f",
                                run->place.friction[0], m->p, m->porosity, m->void_ratio,
                                m->coordination);
    if (status == TW_STATUS_OK) status = tw_sim_save(run->sim, path.text, run->error);
    run->place.phase[0] = TW_PLACE_STAGES;
    return status;
}

tw_status tw_prepare_finish(tw_runner *run)
{
    bool again = false;
    if (run->place.phase[0] == TW_PLACE_COMPRESS) {
        run->place.phase[0] = TW_PLACE_SETTLE;
        return TW_STATUS_OK;
    }
    const tw_measure m = tw_sim_measure(run->sim);
    if (finds_friction(run)) {
        tw_status status =
            tw_runner_note(run, "specimen: trial %d: friction %.6g, void ratio %.5f",
                           (int)run->place.trial[0] + 1, run->place.friction[0], m.void_ratio);
        if (status == TW_STATUS_OK) status = judge_friction(run, m.void_ratio, &again);
        if (status != TW_STATUS_OK) return status;
    }
    return again ? start_again(run) : finish_specimen(run, &m);
}
