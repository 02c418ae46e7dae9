/* SPDX-License-Identifier: BSD-3-Clause */
/* The end of a step and the start of the next, each one item that many threads share. */
#ifndef TW_DEVICE_TURN_H
#define TW_DEVICE_TURN_H

#include <assert.h>
#include <string.h>

#include "control/servo_steer.h"
#include "device/device_candidates.h"
#include "device/device_events.h"
#include "device/device_small.h"
#include "device/device_world.h"
#include "search/search.h"
#include "step/move_begin.h"
#include "step/stable.h"
#include "world/state.h"

/* The end of a step: tiles are joined where they are few; then the energy balance, and whether work
 * of the host is required now (dt check, stiffness). One item, which many threads share. */

enum {
    TW_DEVICE_FINISH_LOAD, /* what is read more than once; some tiles of each sum */
    TW_DEVICE_FINISH_TOTAL,
    TW_DEVICE_FINISH_NOTE, /* whether to halt; balance */
    TW_DEVICE_FINISH_HALT,
    TW_DEVICE_FINISH_STAGES
};

/* Warps besides those of the start of the next step. */
enum {
    TW_DEVICE_FINISH_SUMS = 4, /* this warp and those after it */
    TW_DEVICE_FINISH_WALLS =
        TW_DEVICE_FINISH_SUMS +
        (TW_DEVICE_SMALL_ITEMS + TW_DEVICE_SMALL_WARP - 1) / TW_DEVICE_SMALL_WARP,
    TW_DEVICE_FINISH_PARTED, /* two, a thread per tile */
    TW_DEVICE_FINISH_THREADS = TW_DEVICE_FINISH_PARTED * TW_DEVICE_SMALL_WARP + TW_DEVICE_FEW_TILES
};

typedef struct tw_device_finish_work {
    tw_device_small_sums sums;
    tw_mat3 moment;
    uint32_t halted; /* before this phase, which then does nothing */
    uint32_t halt;   /* the step was the last for now */
} tw_device_finish_work;

/* ---- Sums ---- */

/* Many tiles are joined already. */
TW_INLINE void tw_device_finish_load(const tw_tiles *tiles, const tw_device_run *run,
                                     const tw_device_list *list, const tw_device_touch *touch,
                                     tw_device_sums *sums, tw_device_finish_work *work,
                                     uint32_t thread)
{
    const uint32_t item = tw_device_small_in(TW_DEVICE_FINISH_SUMS, thread),
                   wall = tw_device_small_in(TW_DEVICE_FINISH_WALLS, thread),
                   tile = tw_device_small_in(TW_DEVICE_FINISH_PARTED, thread);
    tw_device_small_load(tiles, list, touch, sums, &work->sums, item, wall, tile);
    if (!tw_device_is_small(list) && item < TW_DEVICE_SUMS)
        work->sums.total[item] = sums->total[item];
    if (wall == 0) work->halted = run->halt;
}

/* A thread for each sum. */
TW_INLINE void tw_device_finish_total(const tw_device_list *list, tw_device_finish_work *work,
                                      uint32_t sum)
{
    if (sum >= TW_DEVICE_SUMS) return;
    if (tw_device_is_small(list)) tw_device_small_total(list, &work->sums, sum);
    if (sum < TW_DEVICE_SUM_LOST)
        work->moment.m[sum - TW_DEVICE_SUM_MOMENT] = work->sums.total[sum];
}

/* ---- Energy balance ---- */

/* Work of the body and contact phases, except for that of the cell; stored energies are computed
 * where they are asked for. */
TW_INLINE void tw_device_finish_balance(tw_state *state, const double *total, int moved)
{
    tw_energy_balance *balance = &state->balance;
    const double *lost = total + TW_DEVICE_SUM_LOST;
    const double *part = total + TW_DEVICE_SUM_PART;
    double sum[TW_MOVE_SUMS] = {0.0};
    sum[TW_MOVE_DAMPING] = part[TW_DEVICE_PART_DAMPING];
    sum[TW_MOVE_GRAVITY] = part[TW_DEVICE_PART_GRAVITY];
    sum[TW_MOVE_DRIVEN] = part[TW_DEVICE_PART_DRIVEN];
    if (moved) tw_move_begin_balance(state, sum);
    for (int k = 0; k < TW_CONTACT_LOST_KINDS; k++)
        balance->lost.by[k] += lost[k];
}

/* Forces on walls, and their work: step/step.c. */
TW_INLINE void tw_device_finish_walls(const tw_device_sums *sums, tw_state *state, double gathered,
                                      int moved)
{
    if (moved) state->balance.walls += gathered;
    for (size_t k = 0; k < state->wall_count; k++) {
        tw_wall *wall = &state->walls[k];
        tw_touch_wall_set(wall, sums->wall_sum + TW_TILE_ACCUMULATOR * k);
        if (moved) tw_wall_book(wall, &state->balance.walls);
    }
}

TW_INLINE void tw_device_finish_cell(const tw_schedule *schedule, tw_state *state,
                                     const tw_device_finish_work *work)
{
    const tw_mat3 back = schedule->cell_back;
    double *done = &state->balance.cell;
    *done += work->sums.total[TW_DEVICE_SUM_PART + TW_DEVICE_PART_CELL];
    *done = tw_move_begin_cell_work(&back, &work->moment, *done);
}

/* ---- Work of the host that is now required ---- */

/* Number of contacts, and why the device has to halt. All inputs are loaded up front to overlap
 * latency. */
TW_INLINE void tw_device_finish_due(tw_state *state, tw_device_run *run,
                                    tw_device_finish_work *work, const tw_servo *servo)
{
    const int moved = !run->rigid, steered = servo->on,
              bad = (run->bad_pair != UINT64_MAX) | (run->bad_body != UINT64_MAX);
    const uint64_t left = run->steps;
    state->sums.contacts = (size_t)work->sums.total[TW_DEVICE_SUM_CONTACTS];
    state->sums.sliding = (size_t)work->sums.total[TW_DEVICE_SUM_SLIDING];
    const int dt = tw_stable_is_due(state, run->before),
              stale = tw_stiffness_is_stale(&servo->stiffness, state);
    uint32_t halt = 0;
    halt |= dt ? TW_DEVICE_CHECK_DT : 0u;
    halt |= steered && stale ? TW_DEVICE_STIFFNESS : 0u;
    halt |= left == 1 ? TW_DEVICE_DONE : 0u;
    halt |= tw_device_events_are_many(run) ? TW_DEVICE_EVENTS : 0u;
    if (moved && !bad) run->steps = left - 1;
    if (!moved) halt = 0;
    work->halt = bad ? TW_DEVICE_FAILED : halt;
}

/* Notes the step: a thread for each number. */
TW_INLINE void tw_device_finish_pass(const tw_state *state, tw_device_run *run, uint32_t k)
{
    tw_device_history_step *passed = &run->record[run->passed % TW_DEVICE_HISTORY_STEPS];
    if (k < 9)
        passed->gradient.m[k] = state->cell.gradient.m[k];
    else if (k == 9)
        passed->time = state->time;
}

/* ---- Stages ---- */

/* In warps of their own. `servo` is w->servo or a copy. */
TW_INLINE void tw_device_finish_note(const tw_schedule *schedule, tw_state *state,
                                     tw_device_run *run, tw_device_sums *sums,
                                     tw_device_finish_work *work, const tw_servo *servo,
                                     uint32_t thread)
{
    const uint32_t warp = thread / TW_DEVICE_SMALL_WARP - TW_DEVICE_FINISH_SUMS,
                   k = thread % TW_DEVICE_SMALL_WARP, kinetic = k - 9;
    const int moved = !run->rigid; /* no time passes in a rigid rotation */
    if (warp == 0 && k == 0) {
        tw_device_finish_balance(state, work->sums.total, moved);
        if (run->bad_pair == UINT64_MAX)
            tw_device_finish_walls(sums, state, work->sums.total[TW_DEVICE_SUM_DRIVEN_GATHER],
                                   moved);
    } else if (warp == 1 && k == 0) {
        if (moved) tw_device_finish_cell(schedule, state, work);
    } else if (warp == 2) {
        tw_device_finish_pass(state, run, k);
    } else if (warp == 4 && k == 0) {
        tw_device_finish_due(state, run, work, servo);
    } else if (warp == 3) {
        if (k < 9) state->sums.moment.m[k] = work->moment.m[k];
        if (kinetic < TW_COMPONENTS)
            sums->kinetic[kinetic] = work->sums.total[TW_DEVICE_SUM_KINETIC + kinetic];
    }
}

/* After that. */
TW_INLINE void tw_device_finish_halt(tw_device_run *run, const tw_device_finish_work *work,
                                     uint32_t thread)
{
    if (thread != TW_DEVICE_FINISH_SUMS * TW_DEVICE_SMALL_WARP) return;
    run->halt |= work->halt;
    if (!run->rigid && !(work->halt & TW_DEVICE_FAILED)) run->passed++;
}

TW_INLINE void tw_device_finish(const tw_servo *servo, const tw_device_list *list, tw_state *state,
                                tw_schedule *schedule, tw_device_run *run, tw_device_touch *touch,
                                tw_device_forces *forces, tw_device_sums *sums,
                                tw_device_finish_work *work, uint32_t i, uint32_t stage,
                                uint32_t thread)
{
    const uint32_t parted = tw_device_small_in(TW_DEVICE_FINISH_PARTED, thread);
    (void)i;
    if (stage == TW_DEVICE_FINISH_LOAD) {
        tw_device_finish_load(&schedule->tiles, run, list, touch, sums, work, thread);
        return;
    }
    if (work->halted) return;
    if (stage == TW_DEVICE_FINISH_TOTAL) {
        tw_device_finish_total(list, work, thread);
    } else if (stage == TW_DEVICE_FINISH_NOTE) {
        tw_device_finish_note(schedule, state, run, sums, work, servo, thread);
        tw_device_small_part(list, state, schedule, touch, forces, &work->sums, 0, parted);
    } else {
        tw_device_finish_halt(run, work, thread);
        tw_device_small_part(list, state, schedule, touch, forces, &work->sums, 1, parted);
    }
}

/* The start of a step: servo, cell and walls; and the end of one step with the start of the next.
 * One item, which many threads share, a thread per element of a matrix: no more than 14 quotients
 * and two square roots have to wait for each other. What is read from memory is loaded in the first
 * stage: later ones would wait for it. */

enum {
    TW_DEVICE_STEER_LOAD,    /* copies */
    TW_DEVICE_STEER_TOTAL,   /* sums of the step before */
    TW_DEVICE_STEER_READ,    /* stress, set points */
    TW_DEVICE_STEER_RESPOND, /* response, drift, deviations */
    TW_DEVICE_STEER_FILL,    /* the equations; whether to halt, balance */
    TW_DEVICE_STEER_COLUMN,  /* elimination, a column in each stage; then the solution */
    TW_DEVICE_STEER_RATES = TW_DEVICE_STEER_COLUMN + TW_COMPONENTS, /* strain rates, gradient */
    TW_DEVICE_STEER_FACTORS,  /* of the affine map of the step */
    TW_DEVICE_STEER_INVERSES, /* of these */
    TW_DEVICE_STEER_FLOW,     /* their products; cell; map since the list was made */
    TW_DEVICE_STEER_STRAIN,   /* its strain; walls */
    TW_DEVICE_STEER_END,
    TW_DEVICE_STEER_STAGES,
    TW_DEVICE_STEER_THREADS = TW_DEVICE_FINISH_SUMS * TW_DEVICE_SMALL_WARP
};

/* tw_device_steer_load has a thread for each word. */
static_assert(sizeof(tw_servo) <= 8 * TW_DEVICE_STEER_THREADS, "too few threads");

/* What the threads share: copies of what they read more than once, and numbers on the way. */
typedef struct tw_device_steer_work {
    tw_device_finish_work end; /* of the step before */
    tw_device_servo_work start;
    tw_mat3 factor[TW_MOVE_BEGIN_FACTORS], inverse[TW_MOVE_BEGIN_FACTORS];
    tw_mat3 inverse_ref; /* of the cell of the list */
    tw_mat3 carried;     /* tw_cell_carried */
    tw_move_flow flow;
    tw_mat3 h, affine, strain;
    uint32_t walls;   /* there are walls */
    uint32_t refused; /* TW_DEVICE_CELL or TW_DEVICE_WALL: there is no step by this gradient */
} tw_device_steer_work;

/* ---- Servo ---- */

/* Word k of a structure; 0 beyond. */
TW_INLINE uint64_t tw_device_steer_word(const void *from, size_t bytes, size_t k)
{
    uint64_t word = 0;
    if (k < bytes / sizeof word)
        memcpy(&word, __builtin_assume_aligned((const char *)from + k * sizeof word, sizeof word),
               sizeof word);
    return word;
}

TW_INLINE void tw_device_steer_keep(void *to, size_t bytes, size_t k, uint64_t word)
{
    if (k < bytes / sizeof word)
        memcpy(__builtin_assume_aligned((char *)to + k * sizeof word, sizeof word), &word,
               sizeof word);
}

/* A word of each structure for each thread: all are loaded before the first is kept. */
TW_INLINE void tw_device_steer_load(const tw_model *model, const tw_state *state,
                                    const tw_servo *servo, const tw_device_list *list,
                                    tw_device_steer_work *work, uint32_t thread)
{
    if (thread >= TW_DEVICE_STEER_THREADS) return;
    const uint64_t of_cell = tw_device_steer_word(&state->cell, sizeof work->start.cell, thread),
                   of_servo = tw_device_steer_word(servo, sizeof work->start.servo, thread),
                   of_model = tw_device_steer_word(model, sizeof work->start.model, thread),
                   of_law = tw_device_steer_word(model->laws, sizeof work->start.law, thread);
    tw_device_steer_keep(&work->start.cell, sizeof work->start.cell, thread, of_cell);
    tw_device_steer_keep(&work->start.servo, sizeof work->start.servo, thread, of_servo);
    tw_device_steer_keep(&work->start.model, sizeof work->start.model, thread, of_model);
    tw_device_steer_keep(&work->start.law, sizeof work->start.law, thread, of_law);
    if (thread != TW_DEVICE_STEER_THREADS - 1) return;
    work->start.dt = state->dt;
    work->start.bodies = state->bodies.count;
    work->walls = list->walls > 0;
    work->refused = 0;
}

TW_INLINE void tw_device_steer_servo(tw_cell *cell, tw_servo *servo, tw_device_steer_work *work,
                                     uint32_t stage, uint32_t thread)
{
    const uint32_t k = tw_device_small_in(2, thread);
    tw_device_servo_work *start = &work->start;
    if (!start->servo.on) return;
    if (stage == TW_DEVICE_STEER_READ)
        tw_device_servo_read(work->end.sums.total, &work->end.moment, start, thread);
    else if (stage == TW_DEVICE_STEER_RESPOND)
        tw_device_servo_respond(start, thread);
    else if (stage == TW_DEVICE_STEER_FILL)
        tw_device_servo_fill(start, thread);
    else if (stage >= TW_DEVICE_STEER_COLUMN && stage < TW_DEVICE_STEER_RATES)
        tw_device_servo_column(&start->by, (int)(stage - TW_DEVICE_STEER_COLUMN), thread);
    else if (stage == TW_DEVICE_STEER_RATES && thread == 0)
        tw_device_servo_rates(cell, start);
    else if (stage == TW_DEVICE_STEER_FACTORS && k < TW_COMPONENTS)
        tw_servo_steer_expect(&start->servo, start->dt, (int)k, &start->by);
    else if (stage == TW_DEVICE_STEER_INVERSES && k < 2 * TW_DEVICE_SMALL_WARP)
        for (size_t j = k; j < sizeof *servo / sizeof(uint64_t); j += 2 * TW_DEVICE_SMALL_WARP)
            tw_device_steer_keep(servo, sizeof *servo, j,
                                 tw_device_steer_word(&start->servo, sizeof *servo, j));
    if (stage == TW_DEVICE_STEER_COLUMN && k == 0)
        tw_device_servo_volume(&start->servo, tw_cell_volume(&start->cell), start->dt, &start->by);
}

/* Platens, where the step before has left the sums of walls, or (NULL) in the walls. */
TW_INLINE void tw_device_steer_platens(const tw_state *state, const double *sums,
                                       tw_device_steer_work *work, uint32_t thread)
{
    const uint32_t edge = tw_device_small_in(3, thread);
    if (edge < 3)
        work->start.by.platens[edge] =
            tw_servo_steer_platens_at(&work->start.cell, state->walls, sums, (int)edge);
}

/* ---- Cell and walls ---- */

/* One element of an inverse. */
TW_INLINE double tw_device_steer_inverse(const tw_mat3 *a, int k)
{
    return tw_mat3_inverse_at(a, 1.0 / tw_mat3_det(*a), k);
}

/* Constants of the step: tw_move_begin_kick and tw_move_begin_flow. */
TW_INLINE void tw_device_steer_flow(const tw_device_run *run, tw_schedule *schedule,
                                    tw_move_context *move, tw_device_steer_work *work,
                                    uint32_t stage, uint32_t thread)
{
    const int matrix = (int)(thread / 9), k = (int)(thread % 9);
    const uint32_t other = tw_device_small_in(1, thread);
    tw_mat3 *gradient = &work->carried;
    tw_move_flow *flow = &work->flow;
    if (stage == TW_DEVICE_STEER_FACTORS && matrix < TW_MOVE_BEGIN_FACTORS) {
        const double rate = tw_cell_carried_at(&work->start.cell, k);
        work->factor[matrix].m[k] = tw_move_begin_factor_at(rate, work->start.model.damping_mass,
                                                            work->start.dt, matrix, k);
        if (matrix == 0) gradient->m[k] = rate;
    } else if (stage == TW_DEVICE_STEER_FACTORS && other == 0) {
        tw_move_begin_spin(&work->start.model, work->start.dt, &move->kick);
        move->masses = (run->flags & TW_CONTACT_BY_MASS) != 0;
    } else if (stage == TW_DEVICE_STEER_INVERSES && matrix < TW_MOVE_BEGIN_FACTORS) {
        const double value = tw_device_steer_inverse(&work->factor[matrix], k);
        work->inverse[matrix].m[k] = value;
        if (matrix == TW_MOVE_BEGIN_KICK) move->kick.inverse.m[k] = value;
        if (matrix == TW_MOVE_BEGIN_MINUS) flow->own.m[k] = move->flow.own.m[k] = value;
    } else if (stage == TW_DEVICE_STEER_FLOW && other < 9) {
        tw_move_begin_flow_at(&work->factor[TW_MOVE_BEGIN_PLUS], &work->inverse[TW_MOVE_BEGIN_PLUS],
                              gradient, work->start.dt, (int)other, flow);
        move->flow.map.m[other] = flow->map.m[other];
        move->flow.forward.m[other] = flow->forward.m[other];
        move->flow.back.m[other] = schedule->cell_back.m[other] = flow->back.m[other];
    }
}

/* Row i of a b, for row i of a. */
TW_INLINE tw_vec3 tw_device_steer_row(tw_vec3 row, const tw_mat3 *b)
{
    return tw_mat3_transpose_mul_vec(*b, row);
}

TW_INLINE void tw_device_steer_put(tw_mat3 *a, uint32_t i, tw_vec3 row)
{
    a->m[3 * i] = row.x;
    a->m[3 * i + 1] = row.y;
    a->m[3 * i + 2] = row.z;
}

/* Row i of the cell at the end of the step, and of the map since the list was made. By rows, no
 * thread waits for another: each has its own row of the map of the step. */
TW_INLINE void tw_device_steer_edges(tw_cell *cell, tw_move_context *move,
                                     tw_device_steer_work *work, uint32_t i)
{
    const double *own = work->flow.own.m + (ptrdiff_t)3 * i,
                 *before = work->start.cell.h.m + (ptrdiff_t)3 * i;
    tw_vec3 row = tw_vec3_make(own[0], own[1], own[2]);
    row = tw_device_steer_row(row, &work->factor[TW_MOVE_BEGIN_PLUS]);
    row = tw_device_steer_row(row, &work->start.cell.h);
    row = tw_vec3_scale(tw_move_begin_stretch(&work->start.cell, work->start.dt, (int)i), row);
    tw_device_steer_put(&work->h, i, row);
    tw_device_steer_put(&cell->h, i, row);
    row =
        tw_cell_affine_row(&work->start.cell, (int)i, tw_device_steer_row(row, &work->inverse_ref));
    tw_device_steer_put(&work->affine, i, row);
    tw_device_steer_put(&move->affine, i, row);
    tw_device_steer_put(&cell->h_before, i, tw_vec3_make(before[0], before[1], before[2]));
}

/* The cell moves to the end of the step: tw_move_begin_cell and tw_travel_stretch. */
TW_INLINE void tw_device_steer_cell(tw_state *state, tw_schedule *schedule, tw_move_context *move,
                                    tw_device_steer_work *work, uint32_t stage, uint32_t thread)
{
    const uint32_t other = tw_device_small_in(1, thread);
    const int k = (int)thread;
    if (stage == TW_DEVICE_STEER_FLOW && thread < 3) {
        tw_device_steer_edges(&state->cell, move, work, thread);
    } else if (stage == TW_DEVICE_STEER_STRAIN) {
        if (thread < 9) work->strain.m[k] = tw_travel_strain_at(&work->affine, k);
        if (other == 0)
            state->balance.cell += 0.5 * tw_move_begin_work(&work->flow.forward, &work->end.moment);
    } else if (stage == TW_DEVICE_STEER_END) {
        if (thread == 0) schedule->stretch = tw_travel_stretch_of(&work->strain);
        if (other < 9) state->cell.inverse.m[other] = tw_device_steer_inverse(&work->h, (int)other);
    }
}

/* By one thread. */
TW_INLINE void tw_device_steer_check(const tw_state *state, tw_device_run *run,
                                     tw_device_steer_work *work)
{
    if (!tw_move_begin_is_small(&work->start.cell.gradient, work->start.dt))
        work->refused = TW_DEVICE_CELL;
    else if (work->walls && tw_wall_tilt_find(state, &run->wall, &run->edge))
        work->refused = TW_DEVICE_WALL;
}

TW_INLINE void tw_device_steer_count(const tw_model *model, const tw_schedule *schedule,
                                     tw_state *state, tw_device_run *run)
{
    tw_device_candidates_prepare(model, schedule, run);
    run->before = state->sums.contacts;
    state->time += state->dt;
    state->steps++;
    run->own = run->absolute = 0;
    run->bad_pair = run->bad_body = UINT64_MAX;
}

/* ---- The stages ---- */

/* From the second stage on. */
TW_INLINE void tw_device_steer_on(const tw_model *model, tw_state *state, tw_schedule *schedule,
                                  tw_servo *servo, tw_move_context *move, tw_device_run *run,
                                  tw_device_steer_work *work, uint32_t stage, uint32_t thread)
{
    const uint32_t ref = tw_device_small_in(3, thread), wall = tw_device_small_in(2, thread),
                   end = 2 * TW_DEVICE_SMALL_WARP;
    if (stage == TW_DEVICE_STEER_TOTAL && thread == TW_DEVICE_STEER_THREADS - 1)
        work->start.model.laws = &work->start.law;
    if (stage == TW_DEVICE_STEER_TOTAL || (stage > TW_DEVICE_STEER_FILL && work->end.halt)) return;
    tw_device_steer_servo(&state->cell, servo, work, stage, thread);
    if (stage == TW_DEVICE_STEER_COLUMN && ref < 9)
        work->inverse_ref.m[ref] = tw_device_steer_inverse(&work->start.cell.h_ref, (int)ref);
    if (stage < TW_DEVICE_STEER_FACTORS) return;
    if (stage > TW_DEVICE_STEER_FACTORS && work->refused) {
        if (stage == TW_DEVICE_STEER_END && thread == 0) run->halt |= work->refused;
        return;
    }
    if (stage == TW_DEVICE_STEER_FACTORS && ref == 0) tw_device_steer_check(state, run, work);
    if (work->walls && stage == TW_DEVICE_STEER_STRAIN && wall < end)
        for (size_t k = wall; k < state->wall_count; k += end)
            tw_move_begin_wall(model, &state->cell, &state->walls[k], schedule->bound, state->time,
                               work->start.dt);
    tw_device_steer_flow(run, schedule, move, work, stage, thread);
    tw_device_steer_cell(state, schedule, move, work, stage, thread);
    if (stage == TW_DEVICE_STEER_END && tw_device_small_in(2, thread) == 0)
        tw_device_steer_count(model, schedule, state, run);
}

/* After the host has acted: the sums are those that were noted. */
TW_INLINE void tw_device_steer_sums(const tw_state *state, const tw_device_run *run,
                                    const tw_device_sums *sums, tw_device_finish_work *end,
                                    uint32_t k)
{
    const uint32_t kinetic = k - 9;
    if (k < 9) end->moment.m[k] = state->sums.moment.m[k];
    if (kinetic < TW_COMPONENTS)
        end->sums.total[TW_DEVICE_SUM_KINETIC + kinetic] = sums->kinetic[kinetic];
    if (k > 0) return;
    end->sums.total[TW_DEVICE_SUM_CONTACTS] = (double)state->sums.contacts;
    end->sums.total[TW_DEVICE_SUM_SLIDING] = (double)state->sums.sliding;
    end->halted = run->halt;
    end->halt = 0;
}

TW_INLINE void tw_device_steer(const tw_model *model, const tw_device_list *list,
                               const tw_device_sums *sums, tw_state *state, tw_schedule *schedule,
                               tw_servo *servo, tw_move_context *move, tw_device_run *run,
                               tw_device_steer_work *work, uint32_t i, uint32_t stage,
                               uint32_t thread)
{
    (void)i;
    if (stage == TW_DEVICE_STEER_LOAD) {
        tw_device_steer_load(model, state, servo, list, work, thread);
        tw_device_steer_sums(state, run, sums, &work->end, thread);
    } else if (!work->end.halted) {
        if (stage == TW_DEVICE_STEER_TOTAL) tw_device_steer_platens(state, NULL, work, thread);
        tw_device_steer_on(model, state, schedule, servo, move, run, work, stage, thread);
    }
}

/* The end of a step, and the start of the next unless the device halts: up to the equations
 * nothing is changed. Other warps do meanwhile what the next step does not wait for. */
TW_INLINE void tw_device_turn(const tw_model *model, const tw_device_list *list, tw_state *state,
                              tw_schedule *schedule, tw_servo *servo, tw_move_context *move,
                              tw_device_run *run, tw_device_touch *touch, tw_device_forces *forces,
                              tw_device_sums *sums, tw_device_steer_work *work, uint32_t i,
                              uint32_t stage, uint32_t thread)
{
    const uint32_t parted = tw_device_small_in(TW_DEVICE_FINISH_PARTED, thread);
    (void)i;
    tw_device_finish_work *end = &work->end;
    if (stage == TW_DEVICE_STEER_LOAD) {
        tw_device_steer_load(model, state, servo, list, work, thread);
        tw_device_finish_load(&schedule->tiles, run, list, touch, sums, end, thread);
        return;
    }
    if (end->halted) return;
    if (stage == TW_DEVICE_STEER_TOTAL) {
        tw_device_finish_total(list, end, thread);
        tw_device_steer_platens(state, sums->wall_sum, work, thread);
    } else if (stage == TW_DEVICE_STEER_FILL) {
        tw_device_finish_note(schedule, state, run, sums, end, &work->start.servo, thread);
    } else if (stage == TW_DEVICE_STEER_COLUMN) {
        tw_device_finish_halt(run, end, thread);
        tw_device_small_part(list, state, schedule, touch, forces, &end->sums, 0, parted);
    } else if (stage == TW_DEVICE_STEER_COLUMN + 1) {
        tw_device_small_part(list, state, schedule, touch, forces, &end->sums, 1, parted);
    }
    if (thread < TW_DEVICE_STEER_THREADS)
        tw_device_steer_on(model, state, schedule, servo, move, run, work, stage, thread);
}

#endif
