/* SPDX-License-Identifier: BSD-3-Clause */
/* How a stage begins and reverses; when and why it ends, and how far it is. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <twirl/contact_energies.h>
#include <twirl/math.h>

#include "base/text.h"
#include "probe/probe.h"
#include "run/checkpoint.h"
#include "run/stage.h"
#include "run/surfaces.h"

static double value_or(double given, double fallback)
{
    return isnan(given) ? fallback : given;
}

/* ---- Conditions that are a number to be reached ---- */

typedef struct condition {
    const char *key, *name, *unit;
    double limit; /* NaN: not set */
    double start, now;
    uint64_t every;                /* steps between looks at it; 0: each */
    const tw_scenario_reached *of; /* a surface; NULL: none */
} condition;

enum { CONDITIONS = 15, REST_STEPS = 10 * TW_RUN_CHECK_STEPS };

/* The strain over which a dilation rate is measured. It says that a specimen is in the critical
 * state when it is all past the peak. */
static const double dilation_window = 0.02;

static double void_ratio_of(const tw_run *run, double volume)
{
    return volume / run->grains.solid - 1.0;
}

/* Whether the present step is one in which a condition is looked at. */
static bool is_due(const tw_run *run, uint64_t every)
{
    return every == 0 || run->ended || run->state.stage_steps % every == 0;
}

/* The largest speed of a grain over sqrt(g d). Grains that begin to fall are not at rest: not known
 * before they could have fallen by a diameter. */
static double unrest(const tw_run *run)
{
    const tw_vec3 g = tw_sim_get_definition(run->sim).gravity;
    const double d = run->grains.diameter, fall = sqrt(d / tw_vec3_norm(g));
    tw_body_columns bodies;
    double most = 0.0;
    if (!is_due(run, REST_STEPS) || !(run->state.stage_time > fall) ||
        tw_sim_get_body_columns(run->sim, &bodies, NULL) != TW_STATUS_OK)
        return (double)NAN;
    for (size_t i = 0; i < bodies.count; i++)
        most = tw_math_max(most, tw_vec3_dot(bodies.v_half[i], bodies.v_half[i]));
    return sqrt(most) * fall / d;
}

static double distance_moved(const tw_run *run, const tw_scenario_reached *of)
{
    const double *from = run->state.start_place;
    const tw_vec3 start = tw_vec3_make(from[0], from[1], from[2]);
    return tw_vec3_norm(tw_vec3_sub(tw_run_surfaces_place(run, of), start));
}

/* Of the surface since the stage began, in a second. */
static double turning(const tw_run *run, const tw_scenario_reached *of)
{
    const tw_scenario_motion *rotation =
        of->surface ? tw_scenario_rotation_of(run->scenario, run->state.stage, of->surface) : NULL;
    return rotation ? fabs(rotation->rate) / (2.0 * TW_MATH_PI) : (double)NAN;
}

/* Strains and times start from zero; the sign of the strain does not matter. */
static size_t list_conditions(const tw_run *run, const tw_scenario_end *end,
                              condition list[CONDITIONS])
{
    const tw_scenario_stage *stage = tw_run_stage(run);
    const tw_run_state *s = &run->state;
    const tw_scenario_traits t = tw_scenario_stage_traits(stage);
    const tw_run_loading_stress now =
        tw_scenario_ends_at_stress(stage) ? tw_run_stress(run->sim) : (tw_run_loading_stress){0};
    const double strain = fabs(tw_run_loading_path_strain(stage, s->strain));
    const condition all[CONDITIONS] = {
        {"strain", t.strain, "", end->strain, 0.0, strain, 0, NULL},
        {"time", "time", " s", end->time, 0.0, s->stage_time, 0, NULL},
        {"stress", t.stress, " Pa", end->stress, s->start_stress,
         tw_run_loading_end_stress(stage, &now), 0, NULL},
        {"q", "q", " Pa", end->q, s->start_q, tw_run_loading_q(stage, &now), 0, NULL},
        {"pressure", "p", " Pa", end->pressure, s->start_p, now.p, 0, NULL},
        {"stress_ratio", t.ratio, "", end->stress_ratio, s->start_ratio,
         tw_run_loading_ratio(stage, &now), 0, NULL},
        {"past_peak", "strain past the peak", "", end->past_peak, 0.0, strain - s->peak_strain, 0,
         NULL},
        {"dilation_rate", "dilation rate", "", end->dilation_rate, s->peak_dilation,
         strain > s->peak_strain + dilation_window ? s->dilation : (double)NAN, 0, NULL},
        {"void_ratio", "void ratio", "", end->void_ratio, void_ratio_of(run, s->volume),
         void_ratio_of(run, tw_run_volume(run->sim)), 0, NULL},
        {"ru", "pore pressure ratio", "", end->ru, 0.0,
         1.0 - tw_run_loading_confining(stage, &now) / s->start_confining, 0, NULL},
        {"rest", "speed over sqrt(g d)", "", end->rest, HUGE_VAL,
         isnan(end->rest) ? end->rest : unrest(run), REST_STEPS, NULL},
        {"force", "force of the surface", " N", end->force.force, s->start_force,
         tw_run_surfaces_force(run, &end->force), TW_RUN_CHECK_STEPS, &end->force},
        {"torque", "torque of the surface", " N m", end->torque.torque, s->start_torque,
         tw_run_surfaces_torque(run, &end->torque), TW_RUN_CHECK_STEPS, &end->torque},
        {"moved", "movement of the surface", " m", end->moved.by, 0.0,
         distance_moved(run, &end->moved), TW_RUN_CHECK_STEPS, &end->moved},
        {"turns", "turns of the surface", "", end->turns.by, 0.0,
         s->stage_time * turning(run, &end->turns), 0, &end->turns}};
    size_t count = 0;
    for (size_t k = 0; k < CONDITIONS; k++)
        if (!isnan(all[k].limit)) list[count++] = all[k];
    return count;
}

/* Passed from above or from below, depending on where it started. */
static bool is_met(const condition *c)
{
    return c->start < c->limit ? c->now >= c->limit : c->now <= c->limit;
}

static void end_by(tw_run *run, const char *key, const char *text)
{
    run->ended = true;
    snprintf(run->end.key, sizeof run->end.key, "%s", key);
    snprintf(run->end.text, sizeof run->end.text, "%s", text);
    run->end.missed[0] = '\0';
}

/* The dilation rate, at marks of strain. */
static void watch_dilation(tw_run *run, double strain)
{
    tw_run_state *s = &run->state;
    const uint64_t mark = (uint64_t)(strain / dilation_window * TW_RUN_STATE_MARKS);
    if (mark < s->marks) return;
    const double volume = tw_math_log(tw_run_volume(run->sim));
    for (; s->marks <= mark; s->marks++) {
        double *at = &s->marked_volume[s->marks % TW_RUN_STATE_MARKS];
        if (s->marks >= TW_RUN_STATE_MARKS) s->dilation = (volume - *at) / dilation_window;
        *at = volume;
    }
}

/* The peak so far, where the stage ends by it. */
static void watch_peak(tw_run *run)
{
    const tw_scenario_stage *stage = tw_run_stage(run);
    tw_run_state *s = &run->state;
    if (isnan(stage->end.past_peak) && isnan(stage->end.dilation_rate)) return;
    const tw_run_loading_stress now = tw_run_stress(run->sim);
    const double ratio = tw_run_loading_mobilised(stage, &now);
    const double strain = fabs(tw_run_loading_path_strain(stage, s->strain));
    watch_dilation(run, strain);
    if (!(ratio > s->peak_ratio)) return;
    s->peak_ratio = ratio;
    s->peak_strain = strain;
    s->peak_dilation = s->dilation;
}

static void check_conditions(tw_run *run)
{
    condition list[CONDITIONS];
    watch_peak(run);
    const size_t count = list_conditions(run, &tw_run_stage(run)->end, list);
    for (size_t k = 0; k < count && !run->ended; k++) {
        const condition *c = &list[k];
        char text[sizeof run->end.text];
        if (!is_due(run, c->every) || !is_met(c)) continue;
        snprintf(text, sizeof text, "ended at %s %.6g%s (end.%s)", c->name, c->limit, c->unit,
                 c->key);
        end_by(run, c->key, text);
    }
}

/* ---- Other conditions ---- */

static void check_steps(tw_run *run, const char *key, uint64_t limit)
{
    char text[sizeof run->end.text];
    if (run->state.stage_steps < limit) return;
    snprintf(text, sizeof text, "ended after %" PRIu64 " %s (%s)", limit,
             limit == 1 ? "step" : "steps", key);
    end_by(run, "steps", text);
}

/* *measured: there is a new value of the unbalanced force. */
static tw_status measure_unbalanced(tw_run *run, bool *measured)
{
    tw_measure m;
    *measured = run->state.stage_steps % TW_RUN_CHECK_STEPS == 0;
    return *measured ? tw_run_measure_balance(run, &m) : TW_STATUS_OK;
}

static tw_status check_equilibrium(tw_run *run, const tw_scenario_end *end)
{
    bool measured;
    if (isnan(end->unbalanced)) return TW_STATUS_OK;
    const tw_status status = measure_unbalanced(run, &measured);
    if (!measured || status != TW_STATUS_OK || !(run->unbalanced < end->unbalanced)) return status;
    const tw_control_report servo = tw_sim_get_control_report(run->sim);
    if (servo.ramping || (servo.status != TW_CONTROL_OFF && servo.status != TW_CONTROL_HOLDING))
        return TW_STATUS_OK;
    char text[sizeof run->end.text];
    snprintf(text, sizeof text, "ended with %sunbalanced force below %g (end.unbalanced)",
             servo.status == TW_CONTROL_HOLDING ? "its stresses reached and " : "",
             end->unbalanced);
    end_by(run, "unbalanced", text);
    return TW_STATUS_OK;
}

/* The state before probes must pass several checks in a row: a vibration passes through equilibrium
 * again and again. */
static tw_status check_settling(tw_run *run, const tw_scenario_probes *probes)
{
    enum { CHECKS = 5 };
    tw_run_state *state = &run->state;
    bool measured;
    const tw_status status = measure_unbalanced(run, &measured);
    if (status != TW_STATUS_OK) return status;
    if (measured)
        state->settled_checks = run->unbalanced < probes->settle ? state->settled_checks + 1 : 0;
    run->ended = state->settled_checks >= CHECKS || state->stage_steps >= probes->settle_steps;
    return TW_STATUS_OK;
}

/* ---- Cycles ---- */

static double amplitude_of(const tw_scenario_cycle *cycle)
{
    return isnan(cycle->strain) ? cycle->stress : cycle->strain;
}

/* Where it reverses, in the present direction. */
static double turning_point(const tw_run *run, const tw_scenario_cycle *cycle)
{
    return (run->state.reversals % 2 == 0 ? 1.0 : -cycle->return_to) * amplitude_of(cycle);
}

/* How far the cycled strain or stress is from its start, in the present direction. */
static double cycled(const tw_run *run)
{
    const tw_scenario_stage *stage = tw_run_stage(run);
    const tw_run_state *state = &run->state;
    const double sign = tw_run_loading_sign(stage) * (state->reversals % 2 == 0 ? 1.0 : -1.0);
    if (!isnan(stage->cycle.strain)) return sign * tw_run_loading_path_strain(stage, state->strain);
    const tw_run_loading_stress now = tw_run_stress(run->sim);
    return sign * (tw_run_loading_cycled(stage, &now) - state->start_cycled);
}

double tw_run_stage_end_cycles(const tw_run *run)
{
    const tw_scenario_stage *stage = tw_run_stage(run);
    if (!stage || stage->path != TW_SCENARIO_CYCLIC) return (double)NAN;
    const double back = stage->cycle.return_to, most = amplitude_of(&stage->cycle);
    const double middle = (run->state.reversals % 2 == 0 ? 1.0 : -1.0) * (1.0 + back) * most;
    const double way = (2.0 * cycled(run) - middle) / ((1.0 - back) * most); /* from -1 to 1 */
    const double first = tw_math_max(-1.0, -(1.0 + back) / (1.0 - back));
    /* A step goes a little past the amplitude. */
    return 0.5 * (double)run->state.reversals +
           0.25 * (tw_math_max(-1.0, tw_math_min(way, 1.0)) - first);
}

static void check_cycles(tw_run *run, uint64_t cycles)
{
    char text[sizeof run->end.text];
    if (cycles == TW_SCENARIO_NONE || tw_run_stage_end_cycles(run) < (double)cycles) return;
    snprintf(text, sizeof text, "ended after %" PRIu64 " %s (end.cycles)", cycles,
             cycles == 1 ? "cycle" : "cycles");
    end_by(run, "cycles", text);
}

/* Checks the end conditions after a step: sets run->ended and run->end. */
static tw_status check_end(tw_run *run)
{
    const tw_scenario_stage *stage = tw_run_stage(run);
    const tw_scenario_end *end = &stage->end;
    if (stage->path == TW_SCENARIO_PROBES) return check_settling(run, &stage->probes);
    if (stage->path == TW_SCENARIO_ROTATE) {
        check_steps(run, "rotation.increments", stage->rotation.increments);
        return TW_STATUS_OK;
    }
    check_conditions(run);
    if (!run->ended) check_steps(run, "end.steps", end->steps);
    if (!run->ended && stage->path == TW_SCENARIO_CYCLIC) check_cycles(run, end->cycles);
    return run->ended ? TW_STATUS_OK : check_equilibrium(run, end);
}

/* Reversals, and the middle of a cycle, where it ends. */
static uint64_t steps_until_reversal(const tw_run *run, const tw_scenario_cycle *cycle)
{
    const double each = tw_run_step_strain(run);
    if (isnan(cycle->strain)) return 1;
    const double way = cycled(run);
    return tw_run_min_steps(tw_run_steps_until(turning_point(run, cycle) - way, each),
                            tw_run_steps_until(fabs(way), each));
}

uint64_t tw_run_stage_end_idle_steps(const tw_run *run)
{
    const tw_scenario_stage *stage = tw_run_stage(run);
    const tw_scenario_end *end = &stage->end;
    const tw_run_state *s = &run->state;
    uint64_t steps = tw_run_steps_until_multiple(s->stage_steps, TW_RUN_CHECK_STEPS);
    if (stage->path == TW_SCENARIO_PROBES)
        return tw_run_min_steps(
            steps, tw_run_steps_until_multiple(s->stage_steps, stage->probes.settle_steps));
    if (tw_scenario_ends_at_stress(stage) || !isnan(end->void_ratio) ||
        (!isnan(end->strain) && !tw_scenario_stage_traits(stage).driven))
        return 1;
    if (!isnan(end->strain)) {
        const double left = end->strain - fabs(tw_run_loading_path_strain(stage, s->strain));
        steps = tw_run_min_steps(steps, tw_run_steps_until(left, tw_run_step_strain(run)));
    }
    if (end->turns.surface)
        steps = tw_run_min_steps(
            steps, tw_run_steps_until(end->turns.by / turning(run, &end->turns) - s->stage_time,
                                      tw_sim_dt(run->sim)));
    if (!isnan(end->time))
        steps = tw_run_min_steps(
            steps, tw_run_steps_until(end->time - s->stage_time, tw_sim_dt(run->sim)));
    if (stage->path == TW_SCENARIO_CYCLIC)
        steps = tw_run_min_steps(steps, steps_until_reversal(run, &stage->cycle));
    return tw_run_min_steps(steps, tw_run_steps_until_multiple(s->stage_steps, end->steps));
}

void tw_run_stage_end_keep(tw_run *run)
{
    const tw_run_loading_stress now = tw_run_stress(run->sim);
    run->state.pore_pressure = value_or(tw_run_pore_pressure(run, &now), 0.0);
}

static bool is_limit(const char *key)
{
    return strcmp(key, "strain") == 0 || strcmp(key, "time") == 0 || strcmp(key, "steps") == 0;
}

/* A stage that has gone on to a limit of strain or time ends without what it was for. Cycles often
 * do so. */
static tw_status log_missed(tw_run *run)
{
    const tw_scenario_stage *stage = tw_run_stage(run);
    condition list[CONDITIONS];
    tw_status status = TW_STATUS_OK;
    if (!is_limit(run->end.key) || stage->path == TW_SCENARIO_CYCLIC) return status;
    const size_t count = list_conditions(run, &stage->end, list);
    for (size_t k = 0; k < count && status == TW_STATUS_OK; k++) {
        const condition *c = &list[k];
        if (is_limit(c->key)) continue;
        tw_text_add_word(run->end.missed, sizeof run->end.missed, c->key);
        status = tw_run_warn(run, "end.%s was not reached: %s is %.4g%s, not %.6g%s", c->key,
                             c->name, c->now, c->unit, c->limit, c->unit);
    }
    return status;
}

static double work_of(const tw_energy *e)
{
    return e->cell + e->walls + e->gravity;
}

static double lost_of(const tw_energy *e)
{
#define ADD_LOST(to, NAME, name, member, way) +to->name
    return e->body_damping TW_CONTACT_LOST(ADD_LOST, e);
}

static double there(const tw_energy *e)
{
#define ADD_STORED(to, NAME, name, column, text) +to->column
    return e->kinetic + e->rotational TW_CONTACT_STORED(ADD_STORED, e);
}

/* Far above the errors of integration, 1e-3 at most with the time steps that are recommended: the
 * balance does not hold, whatever the reason. */
#define RESIDUAL_MAX 0.05

void tw_run_balance_keep(tw_run *run, const tw_energy *e)
{
    run->state.start_residual = e->residual;
    run->state.start_put = work_of(e);
    run->state.start_lost = lost_of(e);
}

tw_status tw_run_balance_log(tw_run *run, const tw_energy *e)
{
    const tw_run_state *s = &run->state;
    const double off = fabs(e->residual - s->start_residual);
    const double most = tw_math_max(
        there(e), tw_math_max(fabs(work_of(e) - s->start_put), fabs(lost_of(e) - s->start_lost)));
    if (!(off > RESIDUAL_MAX * most)) return TW_STATUS_OK;
    return tw_run_warn(run,
                       "the residual of the energy balance is %.2g of the energy put in, lost or "
                       "stored: results are not to be trusted; a smaller time_step.fraction may "
                       "help",
                       off / most);
}

/* What a reader of the results would not see in stresses: energies that do not balance, and grains
 * that no longer touch. */
static tw_status log_balance(tw_run *run)
{
    tw_measure m;
    tw_status status = tw_sim_measure(run->sim, &m, run->error);
    if (status == TW_STATUS_OK) status = tw_run_balance_log(run, &m.energy);
    const int32_t path = tw_run_stage(run)->path;
    if (status == TW_STATUS_OK && m.contacts == 0 && path != TW_SCENARIO_FREE_FLIGHT &&
        path != TW_SCENARIO_RELAX && path != TW_SCENARIO_DRIVE)
        status = tw_run_warn(run, "no contacts are left at the end: the specimen fell apart");
    return status;
}

tw_status tw_run_stage_end_log(tw_run *run)
{
    const tw_scenario_stage *stage = tw_run_stage(run);
    if (stage->path == TW_SCENARIO_PROBES) end_by(run, "probes", "ended with its last probe");
    if (stage->path == TW_SCENARIO_RATES) end_by(run, "rates", "ended with its last direction");
    tw_status status = tw_run_log(run, "%s: %s", stage->name, run->end.text);
    if (status == TW_STATUS_OK) status = log_missed(run);
    if (status == TW_STATUS_OK) status = log_balance(run);
    if (status == TW_STATUS_OK && stage->path == TW_SCENARIO_CYCLIC &&
        strcmp(run->end.key, "cycles") != 0)
        status = tw_run_log(run, "%s: in cycle %.0f", stage->name,
                            floor(tw_run_stage_end_cycles(run)) + 1.0);
    return status;
}

/* ---- Another end for a stage that has begun ---- */

static bool refuse_end(char *why, size_t size, const char *key, const char *reason)
{
    snprintf(why, size, "end.%s: %s", key, reason);
    return false;
}

/* Whether a new limit of a quantity that only grows lies ahead. */
static bool is_ahead(double limit, double before, double now, const char *key, char *why,
                     size_t size)
{
    if (limit == before || limit > now) return true;
    return refuse_end(why, size, key, "the stage has already passed it");
}

static bool is_growing(const tw_run *run, const condition *c)
{
    const tw_scenario_traits t = tw_scenario_stage_traits(tw_run_stage(run));
    return strcmp(c->key, "time") == 0 ||
           (strcmp(c->key, "strain") == 0 && t.driven && !t.cyclic && run->state.rate > 0.0);
}

static bool can_replace(const tw_run *run, const condition *c, const condition *before, char *why,
                        size_t size)
{
    if (is_growing(run, c))
        return is_ahead(c->limit, before ? before->limit : nan(""), c->now, c->key, why, size);
    if (!before)
        return refuse_end(why, size, c->key,
                          "it was not an end of this stage, and may have been passed before");
    const bool rising = c->start < c->limit;
    if (rising == (c->start < before->limit) &&
        (rising ? c->limit >= before->limit : c->limit <= before->limit))
        return true;
    return refuse_end(why, size, c->key, "it is nearer than before, and may have been passed");
}

/* Whether they are of the same surface, and component. */
static bool are_alike(const condition *a, const condition *b)
{
    if (strcmp(a->key, b->key) != 0) return false;
    if (!a->of) return true;
    return strcmp(a->of->surface, b->of->surface) == 0 &&
           memcmp(a->of->along, b->of->along, sizeof a->of->along) == 0;
}

static double count_or_infinity(uint64_t count)
{
    return count == TW_SCENARIO_NONE ? HUGE_VAL : (double)count;
}

bool tw_run_stage_end_can_replace(const tw_run *run, const tw_scenario_end *before, char *why,
                                  size_t size)
{
    const tw_scenario_end *end = &tw_run_stage(run)->end;
    condition list[CONDITIONS], old[CONDITIONS];
    const size_t count = list_conditions(run, end, list);
    const size_t old_count = list_conditions(run, before, old);
    for (size_t k = 0; k < count; k++) {
        const condition *same = NULL;
        for (size_t i = 0; i < old_count; i++)
            if (are_alike(&old[i], &list[k])) same = &old[i];
        if (!can_replace(run, &list[k], same, why, size)) return false;
    }
    if (end->unbalanced > before->unbalanced ||
        (isnan(before->unbalanced) && end->unbalanced > 0.0))
        return refuse_end(why, size, "unbalanced",
                          "it is not stricter than before, and may have been passed");
    return is_ahead(count_or_infinity(end->steps), count_or_infinity(before->steps),
                    (double)run->state.stage_steps, "steps", why, size) &&
           is_ahead(count_or_infinity(end->cycles), count_or_infinity(before->cycles),
                    tw_run_stage_end_cycles(run), "cycles", why, size);
}

/* ---- Progress ---- */

static double share_of(const condition *c)
{
    return (c->now - c->start) / (c->limit - c->start);
}

/* Both are needed: the stresses, and equilibrium. The unbalanced force falls exponentially. */
static double equilibrium_share(const tw_run *run, double limit)
{
    const tw_scenario_stage *stage = tw_run_stage(run);
    double share = tw_run_settled(run, limit);
    if (tw_scenario_stage_traits(stage).keeps == TW_SCENARIO_KEEPS_PRESSURE &&
        tw_sim_get_control_report(run->sim).status == TW_CONTROL_APPROACHING) {
        const tw_run_loading_stress now = tw_run_stress(run->sim);
        const double pores = tw_run_loading_has_fluid(stage) ? 1.0 : 0.0;
        const condition p = {.limit = stage->pressure,
                             .start = run->state.start_p + pores * run->state.start_pore_pressure,
                             .now = now.p + (pores > 0.0 ? tw_run_pore_pressure(run, &now) : 0.0)};
        share = tw_math_min(share, share_of(&p));
    }
    return share;
}

double tw_run_stage_end_progress(const tw_run *run)
{
    const tw_scenario_stage *stage = tw_run_stage(run);
    const double steps = (double)run->state.stage_steps;
    if (stage->path == TW_SCENARIO_ROTATE) return steps / (double)stage->rotation.increments;
    if (stage->path == TW_SCENARIO_PROBES)
        return tw_math_max(tw_run_settled(run, stage->probes.settle),
                           steps / (double)stage->probes.settle_steps);
    condition list[CONDITIONS];
    const size_t count = list_conditions(run, &tw_run_stage(run)->end, list);
    const bool cyclic = stage->path == TW_SCENARIO_CYCLIC;
    double done = 0.0;
    if (cyclic && stage->end.cycles != TW_SCENARIO_NONE)
        done = tw_run_stage_end_cycles(run) / (double)stage->end.cycles;
    /* In cycles strain and stress go to and fro, and say little about when the stage ends. */
    for (size_t k = 0; k < count; k++)
        if (!cyclic || strcmp(list[k].key, "time") == 0)
            done = tw_math_max(done, share_of(&list[k])); /* ignores NaN */
    if (stage->end.steps != TW_SCENARIO_NONE)
        done = tw_math_max(done, steps / (double)stage->end.steps);
    if (!isnan(stage->end.unbalanced))
        done = tw_math_max(done, equilibrium_share(run, stage->end.unbalanced));
    return done > 0.0 ? tw_math_min(done, 1.0) : nan("");
}

/* ---- Stages ---- */

/* Laws and damping of the stage. Unset values default to the specimen's, not to those of the
 * previous stage. */
static tw_status set_constants(tw_run *run, const tw_scenario_stage *stage)
{
    const tw_sim_def def = run->specimen;
    tw_status status = tw_run_laws_set(run, stage);
    if (status == TW_STATUS_OK)
        status = tw_sim_set_damping(run->sim, value_or(stage->damping.mass, def.damping_mass),
                                    value_or(stage->damping.spin, def.damping_spin),
                                    value_or(stage->damping.local, def.damping_local), run->error);
    return status;
}

/* A stage starts from the end of the previous one unless `from` names another state. */
static tw_status load_start(tw_run *run, const tw_scenario_stage *stage)
{
    if (!stage->from) return TW_STATUS_OK;
    run->state.pore_pressure = 0.0;
    static const char *const folders[] = {"states", "stages"}; /* saved; the end of a stage */
    for (int k = 0; k < 2; k++) {
        const char *folder = run->plan->folder;
        if (tw_run_file_exists(tw_folder_path_in(folder, folders[k], stage->from, ".h5").text))
            return tw_run_checkpoint_return(run, tw_folder_path_join(folders[k], stage->from).text);
    }
    return tw_error_set(run->error, TW_STATUS_INPUT, /* a state on the way */
                        "stage '%s': no state '%s': the stage that would have saved it on its way "
                        "ended before",
                        tw_run_stage_name(run), stage->from);
}

static tw_status set_rate(tw_run *run, const tw_scenario_stage *stage, double p)
{
    const bool general = stage->path == TW_SCENARIO_GENERAL;
    if (general && isnan(stage->inertial_number)) {
        const double along = stage->control.component[tw_scenario_stage_followed(stage)].rate;
        run->state.rate = isnan(along) ? 0.0 : fabs(along);
        return TW_STATUS_OK;
    }
    if (isnan(stage->rate) && isnan(stage->inertial_number)) return TW_STATUS_OK;
    /* Isotropic compression may start without pressure. */
    if (tw_scenario_stage_traits(stage).keeps == TW_SCENARIO_KEEPS_PRESSURE &&
        !(p > 1e-3 * stage->pressure))
        p = stage->pressure;
    run->state.rate =
        isnan(stage->rate) ? tw_run_rate(&run->grains, stage->inertial_number, p) : stage->rate;
    if (run->state.rate > 0.0) return TW_STATUS_OK;
    return tw_error_set(run->error, TW_STATUS_INPUT,
                        "stage '%s': there is no pressure at its start, so inertial_number does "
                        "not define a strain rate; give 'rate' instead",
                        stage->name);
}

/* Direction relative to the first one: 1 or -1. */
static double direction_of(const tw_run_state *state)
{
    return state->reversals % 2 == 0 ? 1.0 : -1.0;
}

static tw_status set_control(tw_run *run, const tw_scenario_stage *stage,
                             const tw_run_loading_stress *now)
{
    const tw_run_state *state = &run->state;
    const tw_mat3 still = {{0.0}};
    tw_control control;
    if (tw_run_loading_control(stage, state->rate, state->target, direction_of(state), now,
                               &control)) {
        if (tw_run_loading_has_fluid(stage))
            control.fluid = (tw_control_fluid){stage->fluid.bulk, state->start_pore_pressure,
                                               state->volume, run->grains.solid};
        return tw_run_set_control(run, &control);
    }
    tw_sim_set_velocity_gradient(run->sim, &still);
    return TW_STATUS_OK;
}

/* Surfaces that end the stage. */
static void keep_surfaces(tw_run *run, const tw_scenario_end *end)
{
    const tw_vec3 place = tw_run_surfaces_place(run, &end->moved);
    run->state.start_force = tw_run_surfaces_force(run, &end->force);
    run->state.start_torque = tw_run_surfaces_torque(run, &end->torque);
    run->state.start_place[0] = place.x;
    run->state.start_place[1] = place.y;
    run->state.start_place[2] = place.z;
}

static void keep_start(tw_run_state *state, const tw_scenario_stage *stage,
                       const tw_run_loading_stress *now)
{
    state->start_stress = tw_run_loading_end_stress(stage, now);
    state->start_q = tw_run_loading_q(stage, now);
    state->start_p = now->p;
    state->start_ratio = tw_run_loading_ratio(stage, now);
    state->peak_ratio = tw_run_loading_mobilised(stage, now);
    state->peak_strain = 0.0;
    state->peak_dilation = state->dilation = (double)NAN;
    state->marks = 0;
    state->start_cycled = tw_run_loading_cycled(stage, now);
    state->start_confining = tw_run_loading_confining(stage, now);
    state->start_pore_pressure = value_or(stage->fluid.back_pressure, state->pore_pressure);
}

tw_status tw_run_stage_begin(tw_run *run)
{
    const tw_scenario_stage *stage = tw_run_stage(run);
    tw_status status = load_start(run, stage);
    if (status == TW_STATUS_OK) status = set_constants(run, stage);
    if (status == TW_STATUS_OK) status = tw_run_surfaces_begin(run, stage);
    if (status == TW_STATUS_OK && run->state.steps == 0)
        status = tw_run_surfaces_check(run->scenario, run->sim, run->error);
    if (status == TW_STATUS_OK) status = tw_sim_prepare(run->sim, run->error);
    tw_sim_reset_displacements(run->sim);
    tw_measure m;
    if (status == TW_STATUS_OK) status = tw_run_measure(run, &m);
    if (status == TW_STATUS_OK) status = tw_run_limits_log_overlap(run);
    if (status != TW_STATUS_OK) return status;
    tw_run_reset_stage(run);
    const tw_run_loading_stress now = tw_run_stress(run->sim);
    keep_start(&run->state, stage, &now);
    keep_surfaces(run, &stage->end);
    tw_run_balance_keep(run, &m.energy);
    run->state.target = tw_run_loading_target(stage, &now, run->state.start_pore_pressure);
    status = set_rate(run, stage, now.p);
    if (status == TW_STATUS_OK && stage->path == TW_SCENARIO_PROBES) {
        run->state.start_unbalanced = m.unbalanced;
        status = tw_probe_at_limit(run->sim, &run->state.start_at_limit, run->error);
    }
    if (status == TW_STATUS_OK) status = set_control(run, stage, &now);
    if (status != TW_STATUS_OK) return status;
    if (tw_run_is_open(run->sim))
        return tw_run_log(run, "stage %d of %d, %s: %s", (int)run->state.stage + 1,
                          (int)run->scenario->stage_count, stage->name,
                          tw_scenario_path_name(stage->path));
    static const char *const shears[] = {", shear stresses free", ", shear stresses zero"};
    return tw_run_log(
        run, "stage %d of %d, %s: %s%s, p %g Pa, porosity %.5f", (int)run->state.stage + 1,
        (int)run->scenario->stage_count, stage->name, tw_scenario_path_name(stage->path),
        stage->shear_stress < 0 ? "" : shears[stage->shear_stress], now.p, m.porosity);
}

/* Reverses when the amplitude is reached. */
static tw_status reverse(tw_run *run, const tw_scenario_stage *stage)
{
    tw_run_state *state = &run->state;
    if (cycled(run) < turning_point(run, &stage->cycle)) return TW_STATUS_OK;
    const tw_run_loading_stress now = tw_run_stress(run->sim);
    state->worst = tw_math_max(state->worst, tw_sim_get_control_report(run->sim).worst);
    state->reversals++;
    return set_control(run, stage, &now);
}

tw_status tw_run_stage_check(tw_run *run)
{
    const tw_scenario_stage *stage = tw_run_stage(run);
    const tw_status status = check_end(run);
    if (status != TW_STATUS_OK || run->ended || stage->path != TW_SCENARIO_CYCLIC) return status;
    return reverse(run, stage);
}
