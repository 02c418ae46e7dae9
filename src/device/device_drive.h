/* SPDX-License-Identifier: BSD-3-Clause */
/* Steps on a device: the host starts them, and acts where they halt. Includer: a runtime first. */
#ifndef TW_DEVICE_DRIVE_H
#define TW_DEVICE_DRIVE_H

#include "base/environment.h"
#include "base/error.h"
#include "device/device_bodies.h"
#include "device/device_candidates.h"
#include "device/device_exchange.h"
#include "device/device_launch.h"
#include "device/device_measure.h"
#include "device/device_memory.h"
#include "device/device_move.h"
#include "device/device_search.h"
#include "device/device_stable.h"
#include "device/device_step.h"
#include "step/motion.h"
#include "step/move.h"

/* A rigid rotation of everything: tw_step_rotate on a device. */

/* One item: cell and walls; what the move phase sets for those that follow. */
TW_INLINE void tw_device_rotate_frame(const tw_model *model, tw_state *state, tw_schedule *schedule,
                                      tw_move_context *move, tw_device_run *run, uint32_t i)
{
    const tw_rotate by = tw_rotate_of(run->turn);
    (void)i;
    tw_rotate_frame(&by, state);
    move->affine = tw_cell_affine(&state->cell);
    run->own = run->absolute = 0;
    run->bad_pair = run->bad_body = UINT64_MAX;
    tw_device_candidates_prepare(model, schedule, run);
    schedule->stretch = tw_travel_stretch(&state->cell);
}

/* A body: also its own body slot, and its travel. */
TW_INLINE void tw_device_rotate_body(const tw_model *model, const tw_cell *cell,
                                     const tw_spheres *spheres, const tw_move_context *move,
                                     const tw_device_list *list, tw_bodies *bodies, tw_tiles *tiles,
                                     tw_device_run *run, tw_device_touch *touch, uint32_t i)
{
    const tw_rotate by = tw_rotate_of(run->turn);
    const int mass = (run->flags & TW_CONTACT_BY_MASS) && !(bodies->flags[i] & TW_BODY_FIXED);
    tw_device_move_reset(run, list, touch, i);
    tw_rotate_body(&by, bodies, i);
    const tw_device_body body = {model, cell, spheres, move, list, bodies, tiles, run, i};
    const tw_device_move_start start = tw_device_move_begin(&body);
    tw_device_move_load(&body, &start, bodies->x[i], by.gibbs, mass ? bodies->mass[i] : 0.0);
    tw_device_move_watch(&body, start.x_ref, bodies->x[i], bodies->q[i]);
}

TW_DEVICE_ITEM(tw_device_rotate_frame, 1, (model), (state, schedule, move, run))
TW_DEVICE_ITEM(tw_device_rotate_body, 1, (model, cell, spheres, move, list),
               (bodies, tiles, run, touch))

/* `world` has run.rigid and run.turn, and is not halted. The phases may halt because the
 * list is stale: tw_device_launch_step then completes the rotation. */
static inline void tw_device_rotate_all(tw_device_runtime *runtime, tw_device_world *world,
                                        const tw_device_world *host)
{
    tw_device_rotate_frame_each(runtime, world, 1);
    tw_device_rotate_body_each(runtime, world, host->list.bodies);
    if (!host->schedule.tiles.single)
        tw_device_move_sphere_each(runtime, world, host->list.spheres);
    tw_device_launch_step(runtime, world, host, 1, 1);
}

static inline tw_status tw_device_drive_open(const tw_device_kind *kind, tw_device **device,
                                             tw_error *error)
{
    tw_device_instance *d = (tw_device_instance *)calloc(1, sizeof *d);
    *device = NULL;
    if (!d) return tw_error_set(error, TW_STATUS_MEMORY, "not enough memory for a device");
    d->head.kind = kind;
    d->head.own = d;
    tw_status status = tw_device_runtime_open(&d->runtime, error);
    if (status == TW_STATUS_OK) {
        d->world = (tw_device_world *)tw_device_runtime_alloc(&d->runtime, sizeof *d->world);
        if (!d->world)
            status = tw_error_set(error, TW_STATUS_MEMORY, "no memory is left on the device");
    }
    if (status != TW_STATUS_OK) {
        tw_device_runtime_close(&d->runtime);
        free(d);
        return status;
    }
    *device = &d->head;
    return TW_STATUS_OK;
}

static inline void tw_device_drive_close(tw_device_instance *d)
{
    for (size_t k = 0; k < d->arrays; k++)
        tw_device_runtime_free(&d->runtime, d->array[k].room, d->array[k].bytes);
    tw_device_memory_scratch_free(d);
    tw_device_runtime_free(&d->runtime, d->world, sizeof *d->world);
    tw_device_runtime_close(&d->runtime);
    free(d);
}

/* The halt of the device is lifted, except for `kept`. */
static inline void tw_device_drive_release(tw_device_instance *d, uint32_t kept)
{
    d->host.run.halt &= kept;
    tw_device_runtime_send(&d->runtime, &d->world->run.halt, &d->host.run.halt,
                           sizeof d->host.run.halt);
}

static inline tw_status tw_device_drive_report(tw_device_instance *d, tw_error *error)
{
    const tw_device_run *run = &d->host.run;
    if (run->halt & TW_DEVICE_CELL)
        return tw_move_check_cell(&d->host.state.cell.gradient, d->host.state.dt, error);
    if (run->halt & TW_DEVICE_WALL) return tw_wall_tilt_refuse(run->wall, run->edge, error);
    return tw_error_set(error, TW_STATUS_PHYSICS, "step %llu failed",
                        (unsigned long long)d->host.state.steps);
}

/* The host takes the events, which are those of whole steps. */
static inline tw_status tw_device_drive_take_events(tw_device_instance *d, tw_error *error)
{
    const size_t count = d->host.run.events;
    if (count == 0) return TW_STATUS_OK;
    tw_events *to = d->events;
    const size_t from = to->count;
    tw_status status = tw_events_reserve(to, count, error);
    if (status != TW_STATUS_OK) return status;
    tw_device_runtime_bring(&d->runtime, to->event + from, d->host.events.event,
                            count * sizeof *to->event);
    d->host.run.events = 0;
    tw_device_runtime_send(&d->runtime, &d->world->run.events, &d->host.run.events,
                           sizeof d->host.run.events);
    status = tw_device_runtime_wait(&d->runtime, error);
    if (status != TW_STATUS_OK) return status;
    to->count += count;
    tw_events_sort(to, from);
    return TW_STATUS_OK;
}

/* Brings the world, and the state of the device with it; and events. */
static inline tw_status tw_device_drive_poll(tw_device_instance *d, tw_error *error)
{
    tw_device_memory_pull(d);
    const tw_status status = tw_device_runtime_wait(&d->runtime, error);
    return status == TW_STATUS_OK ? tw_device_drive_take_events(d, error) : status;
}

/* A new list. Forces and rotations go with the bodies: body slots are new. */
static inline tw_status tw_device_drive_search(tw_device_instance *d, tw_error *error)
{
    tw_clock_enter(TW_SIM_PHASE_SEARCH);
    tw_device_gather_all(d);
    return tw_device_search_refresh(d, error);
}

/* Acts on a halt, without waiting for what it starts: if that fails, steps that follow do
 * nothing. After the last one it waits. `forces` is set if the step is still to be completed. */
static inline tw_status tw_device_drive_act(tw_device_instance *d, int *forces, tw_error *error)
{
    const uint32_t halt = d->host.run.halt;
    tw_status status = TW_STATUS_OK;
    *forces = 0;
    if (halt & (TW_DEVICE_FAILED | TW_DEVICE_WALL | TW_DEVICE_CELL))
        return tw_device_drive_report(d, error);
    tw_device_drive_release(d, TW_DEVICE_DONE);
    if (halt & TW_DEVICE_SEARCH) {
        status = tw_device_drive_search(d, error);
        *forces = 1;
    } else if (halt & TW_DEVICE_ROOM) {
        tw_clock_enter(TW_SIM_PHASE_SEARCH);
        tw_device_gather_all(d);
        status = tw_device_room_make(d, error);
        *forces = 1;
    }
    if (status == TW_STATUS_OK && halt & TW_DEVICE_CHECK_DT) {
        tw_clock_enter(TW_SIM_PHASE_STABLE);
        tw_device_stable_check(d);
    }
    /* After the last step it waits for the next: there may be another control by then. */
    if (status == TW_STATUS_OK && halt & TW_DEVICE_STIFFNESS && !(halt & TW_DEVICE_DONE)) {
        tw_clock_enter(TW_SIM_PHASE_SERVO);
        status = tw_device_stiffness_refresh(d);
        d->host.servo.stiffness.step = d->host.state.steps; /* without waiting for it */
    }
    if (status == TW_STATUS_OK && halt & TW_DEVICE_DONE && halt & TW_DEVICE_CHECK_DT)
        status = tw_device_drive_poll(d, error);
    if (status == TW_STATUS_OK && d->host.run.halt & TW_DEVICE_FAILED)
        return tw_device_drive_report(d, error);
    return status;
}

static inline tw_status tw_device_drive_start(tw_device_instance *d, uint64_t steps,
                                              tw_error *error)
{
    tw_status status = tw_device_drive_poll(d, error);
    if (status != TW_STATUS_OK) return status;
    d->host.run.steps = steps;
    d->host.run.halt = 0;
    d->host.run.passed = 0;
    d->host.run.rigid = 0;
    tw_device_memory_push(d);
    if (d->host.servo.on && tw_stiffness_is_stale(&d->host.servo.stiffness, &d->host.state)) {
        status = tw_device_stiffness_refresh(d);
        if (status == TW_STATUS_OK) status = tw_device_drive_poll(d, error);
    }
    return status;
}

/* Steps to start per poll, up to where the device is known, or likely, to halt, of which it does
 * not do the rest. `done`: complete by then; `left`: those asked for after them. */
static inline uint32_t tw_device_drive_batch(const tw_device_instance *d, uint64_t done,
                                             uint64_t left)
{
    const tw_device_world *host = &d->host;
    const uint32_t likely = d->batch > 0 ? d->batch : TW_DEVICE_BATCH;
    uint64_t steps = left < likely ? left : likely;
    const uint64_t dt = TW_STABLE_STEPS - done % TW_STABLE_STEPS;
    const uint64_t age = done - host->servo.stiffness.step;
    steps = steps < dt ? steps : dt;
    if (host->servo.on && age < TW_STIFFNESS_STEPS && TW_STIFFNESS_STEPS - age < steps)
        steps = TW_STIFFNESS_STEPS - age;
    return (uint32_t)steps;
}

/* So many steps of a batch have passed. Where grains still fly the device halts every few
 * steps, for stiffness, dt or a new list, and the rest of a batch would be kernels that do nothing.
 */
static inline void tw_device_drive_learn(tw_device_instance *d, uint32_t started, uint64_t passed)
{
    if (passed == 0) return; /* one that was resumed has halted */
    if (passed < started)
        d->batch = (uint32_t)passed;
    else if (started == d->batch)
        d->batch = 2 * d->batch < TW_DEVICE_BATCH ? 2 * d->batch : TW_DEVICE_BATCH;
}

static inline tw_status tw_device_drive_run(tw_device_instance *d, uint64_t steps, tw_error *error)
{
    int forces = 0, steered = 0; /* a step is to be completed; the next one has begun */
    if (steps == 0) return TW_STATUS_OK;
    d->stored = 0;
    TW_CLOCK_HERE(TW_SIM_PHASE_WAITING);
    tw_status status = tw_device_drive_start(d, steps, error);
    while (status == TW_STATUS_OK && !(d->host.run.halt & TW_DEVICE_DONE)) {
        const uint64_t before = d->host.state.steps - (uint64_t)steered;
        const uint32_t started =
            tw_device_drive_batch(d, before, d->host.run.steps - (uint64_t)forces);
        const double start = tw_clock();
        tw_clock_enter(TW_SIM_PHASE_WAITING); /* of which the device's phases get their share */
        if (forces) tw_device_launch_step(&d->runtime, d->world, &d->host, 1, 0);
        tw_device_launch_steps(&d->runtime, d->world, &d->host, started, steered | forces);
        tw_clock_enter(TW_SIM_PHASE_WAITING); /* the emulation has been in others */
        status = tw_device_drive_poll(d, error);
        steered = d->host.run.halt == 0;
        const uint64_t passed = d->host.state.steps - (uint64_t)steered - before;
        tw_device_runtime_share(&d->runtime, tw_clock() - start, passed == started);
        tw_device_drive_learn(d, started, passed);
        forces = 0;
        while (status == TW_STATUS_OK && d->host.run.halt & ~(uint32_t)TW_DEVICE_DONE && !forces)
            status = tw_device_drive_act(d, &forces, error);
    }
    return status;
}

static inline size_t tw_device_drive_history(tw_device_instance *d, tw_device_history_step *out)
{
    tw_device_memory_pull(d);
    const uint32_t all = d->host.run.passed;
    const uint32_t count = all < TW_DEVICE_HISTORY_STEPS ? all : TW_DEVICE_HISTORY_STEPS;
    for (uint32_t k = 0; k < count; k++)
        out[k] = d->host.run.record[(all - count + k) % TW_DEVICE_HISTORY_STEPS];
    return count;
}

/* Energies stored in the contacts are computed only where they are asked for. A step that is not
 * complete has none. */
static inline tw_status tw_device_drive_fetch(tw_device_instance *d, const tw_model *model,
                                              tw_state *state, tw_schedule *schedule,
                                              tw_error *error)
{
    tw_device_gather_all(d);
    if (d->host.schedule.valid && !d->host.schedule.pending) tw_device_stored_renew(d);
    return tw_device_exchange_fetch(d, model, state, schedule, error);
}

static inline tw_status tw_device_drive_measure(tw_device_instance *d, const tw_model *model,
                                                tw_tally *tally, tw_move_energy *energy,
                                                tw_error *error)
{
    tw_device_gather_all(d);
    return tw_device_measure_all(d, model, tally, energy, error);
}

/* One increment of a rigid rotation. */
static inline tw_status tw_device_drive_rotate(tw_device_instance *d, tw_vec3 turn, tw_error *error)
{
    int forces = 0;
    d->stored = 0;
    TW_CLOCK_HERE(TW_SIM_PHASE_MOVE);
    tw_status status = tw_device_drive_poll(d, error);
    if (status != TW_STATUS_OK) return status;
    d->host.run.steps = 1;
    d->host.run.rigid = 1; /* and remains */
    d->host.run.turn = turn;
    d->host.run.halt = 0;
    tw_device_memory_push(d);
    tw_device_rotate_all(&d->runtime, d->world, &d->host);
    status = tw_device_drive_poll(d, error);
    while (status == TW_STATUS_OK && d->host.run.halt & ~(uint32_t)TW_DEVICE_DONE) {
        status = tw_device_drive_act(d, &forces, error);
        if (status != TW_STATUS_OK || !forces) continue;
        tw_clock_enter(TW_SIM_PHASE_MOVE);
        tw_device_launch_step(&d->runtime, d->world, &d->host, 1, 1);
        status = tw_device_drive_poll(d, error);
    }
    return status;
}

/* ---- The kind of device ---- */

#ifdef TW_DEVICE_KIND /* its name is defined by the sources of kinds */

static tw_status open_device(tw_device **device, tw_error *error)
{
    return tw_device_drive_open(&TW_DEVICE_KIND, device, error);
}

static tw_status exchange_bodies(tw_device_instance *d, const tw_device_bodies *by, int *done,
                                 tw_error *error)
{
    const tw_status status = tw_device_drive_poll(d, error);
    *done = 0;
    if (status != TW_STATUS_OK) return status;
    tw_device_gather_all(d);
    return tw_device_bodies_exchange(d, by, done, error);
}

const tw_device_kind TW_DEVICE_KIND = {open_device,
                                       tw_device_drive_close,
                                       tw_device_exchange_fits,
                                       tw_device_exchange_upload,
                                       NULL,
                                       tw_device_exchange_update,
                                       tw_device_exchange_reset_displacements,
                                       tw_device_drive_run,
                                       tw_device_drive_rotate,
                                       tw_device_exchange_numbers,
                                       tw_device_drive_history,
                                       tw_device_drive_fetch,
                                       tw_device_drive_measure,
                                       tw_device_memory_array,
                                       NULL,
                                       exchange_bodies};

#endif

#endif
