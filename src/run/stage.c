/* SPDX-License-Identifier: BSD-3-Clause */
/* One stage: how it begins, and whether it is at its end. */
#include <math.h>
#include <string.h>
#include <twirl/math.h>

#include "base/error.h"
#include "probe/probe.h"
#include "run/runner.h"

static double put(double given, double present)
{
    return isnan(given) ? present : given;
}

/* What is in force during the stage: what nobody gave is that of the specimen, not that of the
 * stage before. */
static tw_status put_constants(tw_runner *run, const tw_scenario_stage *stage)
{
    const tw_sim_def def = run->specimen;
    tw_contact_law law = def.law;
    tw_scenario_put_law(run->scenario, stage, &law);
    tw_status status = tw_sim_set_law(run->sim, &law, run->error);
    if (status == TW_STATUS_OK)
        status = tw_sim_set_damping(run->sim, put(stage->damping.mass, def.damping_mass),
                                    put(stage->damping.spin, def.damping_spin),
                                    put(stage->damping.local, def.damping_local), run->error);
    return status;
}

/* The state of the stage before, unless another is asked for. */
static tw_status load_start(tw_runner *run, const tw_scenario_stage *stage)
{
    if (!stage->from) return TW_STATUS_OK;
    const tw_path path = tw_path_in(run->plan->folder, "states", stage->from, ".h5");
    tw_sim *sim = tw_sim_load(path.text, run->error);
    if (!sim) return run->error->status;
    tw_sim_free(run->sim);
    run->sim = sim;
    tw_sim_set_threads(sim, run->plan->threads);
    return TW_STATUS_OK;
}

static tw_status choose_rate(tw_runner *run, const tw_scenario_stage *stage, double p)
{
    if (isnan(stage->rate) && isnan(stage->inertial_number)) return TW_STATUS_OK;
    /* A stage that brings the pressure may start without. */
    if (stage->path == TW_SCENARIO_ISOTROPIC && !(p > 1e-3 * stage->pressure)) p = stage->pressure;
    run->place.rate[0] =
        isnan(stage->rate) ? tw_runner_rate(run, stage->inertial_number, p) : stage->rate;
    if (run->place.rate[0] > 0.0) return TW_STATUS_OK;
    return tw_error_set(run->error, TW_STATUS_INPUT,
                        "stage '%s': the grains carry no pressure when it starts, so that its "
                        "inertial_number gives no rate; give 'rate' instead",
                        stage->name);
}

static tw_status put_control(tw_runner *run, const tw_scenario_stage *stage,
                             const tw_path_stress *now)
{
    const tw_place *place = &run->place;
    if (stage->path == TW_SCENARIO_FREE_FLIGHT || stage->path == TW_SCENARIO_PROBES ||
        stage->path == TW_SCENARIO_ROTATE) {
        const tw_mat3 still = {{0.0}};
        tw_sim_set_velocity_gradient(run->sim, &still);
        return TW_STATUS_OK;
    }
    const double way = place->reversals[0] % 2 == 0 ? 1.0 : -1.0;
    const tw_control control = tw_path_control(stage, place->rate[0], place->target[0], way, now);
    return tw_sim_set_control(run->sim, &control, run->error);
}

/* Of shear, what goes the way of the stage; an axial stress is the same both ways. */
static double stress_to_end(const tw_scenario_stage *stage, const tw_path_stress *now)
{
    const double along = tw_path_stress_along(stage, now);
    return stage->path == TW_SCENARIO_SIMPLE_SHEAR ? tw_path_sign(stage) * along : along;
}

static void remember_start(tw_place *place, const tw_scenario_stage *stage,
                           const tw_path_stress *now)
{
    place->start[TW_START_STRESS] = stress_to_end(stage, now);
    place->start[TW_START_Q] = now->q;
    place->start[TW_START_P] = now->p;
    place->start[TW_START_RATIO] = tw_path_ratio(stage, now);
    place->start[TW_START_CYCLED] = tw_path_cycled(stage, now);
}

/* What settling changes is told in the end. */
static tw_status remember_rest(tw_runner *run, const tw_measure *measure)
{
    double *start = run->place.start;
    start[TW_START_UNBALANCED] = measure->unbalanced;
    return tw_probe_at_limit(run->sim, &start[TW_START_AT_LIMIT], run->error);
}

tw_status tw_stage_begin(tw_runner *run)
{
    const tw_scenario_stage *stage = tw_runner_stage(run);
    tw_status status = load_start(run, stage);
    if (status == TW_STATUS_OK) status = put_constants(run, stage);
    /* No step, but the forces are known then, and what is wrong with the state as well. */
    if (status == TW_STATUS_OK) status = tw_sim_run(run->sim, 0, run->error);
    if (status != TW_STATUS_OK) return status;
    tw_runner_begin(run);
    const tw_measure m = tw_sim_measure(run->sim);
    const tw_path_stress now = tw_runner_stress(run);
    remember_start(&run->place, stage, &now);
    run->place.target[0] = tw_path_target(stage, &now);
    status = choose_rate(run, stage, now.p);
    if (status == TW_STATUS_OK && stage->path == TW_SCENARIO_PROBES)
        status = remember_rest(run, &m);
    if (status == TW_STATUS_OK) status = put_control(run, stage, &now);
    if (status != TW_STATUS_OK) return status;
    return tw_runner_note(run, "stage %d of %d, %s: %s, p %g Pa, porosity %.5f",
                          (int)run->place.stage[0] + 1, (int)run->scenario->stage_count,
                          stage->name, tw_scenario_path_name(stage->path), now.p, m.porosity);
}

/* ---- Ends ---- */

/* From above or from below, wherever it started. */
static bool passes(double wanted, double start, double now)
{
    if (isnan(wanted)) return false;
    return start < wanted ? now >= wanted : now <= wanted;
}

static bool wants_stress(const tw_scenario_end *end)
{
    return !isnan(end->stress) || !isnan(end->q) || !isnan(end->pressure) ||
           !isnan(end->stress_ratio);
}

static bool stress_ends(tw_runner *run, const tw_scenario_stage *stage)
{
    const tw_scenario_end *end = &stage->end;
    const double *start = run->place.start;
    const tw_path_stress now = tw_runner_stress(run);
    if (passes(end->stress, start[TW_START_STRESS], stress_to_end(stage, &now))) return true;
    if (passes(end->q, start[TW_START_Q], now.q)) return true;
    if (passes(end->pressure, start[TW_START_P], now.p)) return true;
    return passes(end->stress_ratio, start[TW_START_RATIO], tw_path_ratio(stage, &now));
}

static bool rest_ends(const tw_runner *run, const tw_scenario_end *end)
{
    if (isnan(end->unbalanced) || run->place.stage_steps[0] % TW_RUNNER_LOOK != 0) return false;
    if (!(tw_sim_measure(run->sim).unbalanced < end->unbalanced)) return false;
    const tw_control_report servo = tw_sim_control(run->sim);
    return !servo.ramping && (servo.status == TW_CONTROL_OFF || servo.status == TW_CONTROL_HOLDING);
}

/* Turns where the amplitude is reached. A cycle is full when it is back where it started, on its
 * way to the first side again. */
static tw_status look_at_cycle(tw_runner *run, const tw_scenario_stage *stage)
{
    tw_place *place = &run->place;
    const bool by_strain = !isnan(stage->cycle.strain);
    tw_path_stress now = {{0.0}, 0.0, 0.0, {0.0}};
    if (!by_strain) now = tw_runner_stress(run);
    const double way = tw_path_sign(stage) * (place->reversals[0] % 2 == 0 ? 1.0 : -1.0);
    const double value =
        way * (by_strain ? tw_path_strain(stage, place->strain)
                         : tw_path_cycled(stage, &now) - place->start[TW_START_CYCLED]);
    if (stage->end.cycles != TW_SCENARIO_NONE && place->reversals[0] >= 2 * stage->end.cycles &&
        value >= 0.0)
        run->ended = true;
    if (value < (by_strain ? stage->cycle.strain : stage->cycle.stress)) return TW_STATUS_OK;
    place->worst[0] = tw_math_max(place->worst[0], tw_sim_control(run->sim).worst);
    place->reversals[0]++;
    return put_control(run, stage, &now);
}

/* The state before probes: at rest at some looks in a row, for a vibration passes through balance
 * again and again; or the steps are spent. */
static void look_at_rest(tw_runner *run, const tw_scenario_probes *probes)
{
    enum { LOOKS = 5 };
    tw_place *place = &run->place;
    if (place->stage_steps[0] % TW_RUNNER_LOOK == 0) {
        const bool calm = tw_sim_measure(run->sim).unbalanced < probes->settle;
        place->calm[0] = calm ? place->calm[0] + 1 : 0;
    }
    run->ended = place->calm[0] >= LOOKS || place->stage_steps[0] >= probes->settle_steps;
}

tw_status tw_stage_look(tw_runner *run)
{
    const tw_scenario_stage *stage = tw_runner_stage(run);
    const tw_scenario_end *end = &stage->end;
    const tw_place *place = &run->place;
    if (stage->path == TW_SCENARIO_ROTATE) {
        run->ended = place->stage_steps[0] >= stage->rotation.increments;
        return TW_STATUS_OK;
    }
    if (stage->path == TW_SCENARIO_PROBES) {
        look_at_rest(run, &stage->probes);
        return TW_STATUS_OK;
    }
    run->ended = fabs(tw_path_strain(stage, place->strain)) >= end->strain ||
                 place->stage_time[0] >= end->time || place->stage_steps[0] >= end->steps;
    if (!run->ended && wants_stress(end)) run->ended = stress_ends(run, stage);
    if (!run->ended) run->ended = rest_ends(run, end);
    if (stage->path == TW_SCENARIO_CYCLIC && !run->ended) return look_at_cycle(run, stage);
    return TW_STATUS_OK;
}

static double cycles_done(const tw_runner *run, const tw_scenario_stage *stage)
{
    return stage->end.cycles == TW_SCENARIO_NONE
               ? 0.0
               : 0.5 * (double)run->place.reversals[0] / (double)stage->end.cycles;
}

double tw_stage_share(const tw_runner *run)
{
    const tw_scenario_stage *stage = tw_runner_stage(run);
    if (!stage || stage->path == TW_SCENARIO_PROBES) return nan("");
    const tw_scenario_end *end = &stage->end;
    const tw_place *place = &run->place;
    const double steps = (double)place->stage_steps[0];
    if (stage->path == TW_SCENARIO_ROTATE) return steps / (double)stage->rotation.increments;
    const bool cyclic = stage->path == TW_SCENARIO_CYCLIC;
    double share = cyclic ? cycles_done(run, stage) : 0.0;
    if (!cyclic)
        share = tw_math_max(share, fabs(tw_path_strain(stage, place->strain)) / end->strain);
    share = tw_math_max(share, place->stage_time[0] / end->time); /* leaves out what is NaN */
    if (end->steps != TW_SCENARIO_NONE) share = tw_math_max(share, steps / (double)end->steps);
    return share > 0.0 ? tw_math_min(share, 1.0) : nan("");
}
