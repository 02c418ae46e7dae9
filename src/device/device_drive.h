/* SPDX-License-Identifier: BSD-3-Clause */
/* Steps on a device: the host starts them, and acts where they halt. Includer: a runtime first. */
#ifndef TW_DEVICE_DRIVE_H
#define TW_DEVICE_DRIVE_H

#include "base/error.h"
#include "device/device_exchange.h"
#include "device/device_gather.h"
#include "device/device_launch.h"
#include "device/device_measure.h"
#include "device/device_memory.h"
#include "device/device_room.h"
#include "device/device_rotate.h"
#include "device/device_search.h"
#include "device/device_stable.h"
#include "device/device_step.h"
#include "device/device_stiffness.h"
#include "device/device_stored.h"
#include "step/move.h"

TW_DEVICE_ITEM(tw_device_gather, TW_DEVICE_ALWAYS, 1) /* a body: force, torque, rotation */

/* Steps launched per poll by the host; launches after a halt are no-ops. */
enum { TW_DEVICE_BATCH = 50 };

static inline tw_status tw_device_drive_open(const tw_device_kind *kind, tw_device **device,
                                             tw_error *error)
{
    tw_device_instance *d = (tw_device_instance *)calloc(1, sizeof *d);
    *device = NULL;
    if (!d) return tw_error_set(error, TW_STATUS_MEMORY, "not enough memory for a device");
    d->head.kind = kind;
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

/* Brings the world, and the state of the device with it. */
static inline tw_status tw_device_drive_look(tw_device_instance *d, tw_error *error)
{
    tw_device_memory_pull(d);
    return tw_device_runtime_wait(&d->runtime, error);
}

/* Forces and rotations to the columns of bodies. Without a list they are there. */
static inline void tw_device_drive_gather(tw_device_instance *d)
{
    tw_device_memory_pull(d);
    if (d->host.schedule.valid) tw_device_gather_each(&d->runtime, d->world, d->host.bodies);
}

/* A new list, and whether dt is still right. Forces and rotations go with the bodies: body slots
 * are new. */
static inline tw_status tw_device_drive_search(tw_device_instance *d, tw_error *error)
{
    tw_device_drive_gather(d);
    tw_status status = tw_device_search_refresh(d, error);
    if (status == TW_STATUS_OK) status = tw_device_stable_check(d);
    return status;
}

/* Acts on a halt. `forces` is set if the step is still to be completed. */
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
        tw_device_drive_gather(d);
        status = tw_device_room_make(d, error);
        *forces = 1;
    }
    if (status == TW_STATUS_OK && halt & TW_DEVICE_CHECK_DT)
        status = tw_device_stable_check_contacts(d);
    /* After the last step it waits for the next: there may be another control by then. */
    if (status == TW_STATUS_OK && halt & TW_DEVICE_STIFFNESS && !(halt & TW_DEVICE_DONE)) {
        status = tw_device_stiffness_refresh(d);
        d->host.servo.stiffness.step = d->host.state.steps; /* without waiting for it */
    }
    if (status == TW_STATUS_OK && halt & ~(uint32_t)(TW_DEVICE_DONE | TW_DEVICE_STIFFNESS))
        status = tw_device_drive_look(d, error);
    if (status == TW_STATUS_OK && d->host.run.halt & TW_DEVICE_FAILED)
        return tw_device_drive_report(d, error);
    return status;
}

static inline tw_status tw_device_drive_start(tw_device_instance *d, uint64_t steps,
                                              tw_error *error)
{
    tw_status status = tw_device_drive_look(d, error);
    if (status != TW_STATUS_OK) return status;
    d->host.run.steps = steps;
    d->host.run.halt = 0;
    d->host.run.passed = 0;
    d->host.run.rigid = 0;
    tw_device_memory_push(d);
    if (d->host.servo.on && tw_stiffness_is_stale(&d->host.servo.stiffness, &d->host.state)) {
        status = tw_device_stiffness_refresh(d);
        if (status == TW_STATUS_OK) status = tw_device_drive_look(d, error);
    }
    return status;
}

/* Up to where it is known that the device will halt. */
static inline uint32_t tw_device_drive_batch(const tw_device_world *host)
{
    uint64_t steps = host->run.steps < TW_DEVICE_BATCH ? host->run.steps : TW_DEVICE_BATCH;
    const uint64_t dt = TW_STABLE_STEPS - host->state.steps % TW_STABLE_STEPS;
    const uint64_t age = host->state.steps - host->servo.stiffness.step;
    steps = steps < dt ? steps : dt;
    if (host->servo.on && age < TW_STIFFNESS_STEPS && TW_STIFFNESS_STEPS - age < steps)
        steps = TW_STIFFNESS_STEPS - age;
    return (uint32_t)steps;
}

static inline tw_status tw_device_drive_run(tw_device_instance *d, uint64_t steps, tw_error *error)
{
    int forces = 0;
    if (steps == 0) return TW_STATUS_OK;
    tw_status status = tw_device_drive_start(d, steps, error);
    while (status == TW_STATUS_OK && !(d->host.run.halt & TW_DEVICE_DONE)) {
        if (forces) tw_device_launch_forces(&d->runtime, d->world, &d->host);
        tw_device_launch_steps(&d->runtime, d->world, &d->host, tw_device_drive_batch(&d->host));
        status = tw_device_drive_look(d, error);
        forces = 0;
        while (status == TW_STATUS_OK && d->host.run.halt & ~(uint32_t)TW_DEVICE_DONE && !forces)
            status = tw_device_drive_act(d, &forces, error);
    }
    return status;
}

static inline size_t tw_device_drive_passed(tw_device_instance *d, tw_device_passed *out)
{
    tw_device_memory_pull(d);
    const uint32_t all = d->host.run.passed;
    const uint32_t count = all < TW_DEVICE_PASSED ? all : TW_DEVICE_PASSED;
    for (uint32_t k = 0; k < count; k++)
        out[k] = d->host.passed[(all - count + k) % TW_DEVICE_PASSED];
    return count;
}

/* Energies stored in the contacts are computed only where they are asked for. A step that is not
 * complete has none. */
static inline tw_status tw_device_drive_fetch(tw_device_instance *d, const tw_model *model,
                                              tw_state *state, tw_schedule *schedule,
                                              tw_error *error)
{
    tw_device_drive_gather(d);
    if (d->host.schedule.valid && !d->host.schedule.pending)
        tw_device_stored_all(&d->runtime, d->world, &d->host);
    return tw_device_exchange_fetch(d, model, state, schedule, error);
}

static inline tw_status tw_device_drive_measure(tw_device_instance *d, const tw_model *model,
                                                tw_tally *tally, tw_move_energy *energy,
                                                tw_error *error)
{
    tw_device_drive_gather(d);
    return tw_device_measure_all(d, model, tally, energy, error);
}

/* One increment of a rigid rotation. */
static inline tw_status tw_device_drive_rotate(tw_device_instance *d, tw_vec3 turn, tw_error *error)
{
    int forces = 0;
    tw_status status = tw_device_drive_look(d, error);
    if (status != TW_STATUS_OK) return status;
    d->host.run.steps = 1;
    status = tw_device_rotate_step(d, turn);
    if (status == TW_STATUS_OK) status = tw_device_drive_look(d, error);
    while (status == TW_STATUS_OK && d->host.run.halt & ~(uint32_t)TW_DEVICE_DONE) {
        status = tw_device_drive_act(d, &forces, error);
        if (status != TW_STATUS_OK || !forces) continue;
        tw_device_launch_forces(&d->runtime, d->world, &d->host);
        status = tw_device_drive_look(d, error);
    }
    return status;
}

#endif
