/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim/sim_device.h"

#include <stdlib.h>

#include "base/error.h"
#include "search/search.h"
#include "sim/sim_place.h"
#include "step/step.h"

/* ---- Which copy is newer ---- */

int tw_sim_device_used(const tw_sim *sim)
{
    return !tw_sim_place_is_cpu(sim->place);
}

/* The device has failed. What it had computed since arrays were last brought is lost, and without
 * that the state here is not one. */
static tw_status give_up(tw_sim *sim, tw_status status)
{
    if (sim->ahead) sim->failed = status;
    sim->loaded = sim->ahead = 0;
    return status;
}

/* The device gets the numbers that have changed here. */
static void update(tw_sim *sim)
{
    if (sim->updated) return;
    tw_device_update(sim->device, &sim->model, &sim->state, &sim->servo);
    sim->updated = 1;
    sim->tallied = 0;
}

/* A caller's simulation is const where it only looks: which copy it sees is our affair. */
tw_status tw_sim_device_fetch(const tw_sim *sim, tw_error *error)
{
    if (!sim->ahead) return TW_STATUS_OK;
    tw_sim *own = (tw_sim *)(uintptr_t)sim;
    tw_sim_inside_use_threads(sim);
    update(own); /* numbers come back with the arrays */
    const tw_status status =
        tw_device_fetch(own->device, &own->model, &own->state, &own->schedule, error);
    if (status != TW_STATUS_OK) return give_up(own, status);
    own->ahead = 0;
    return TW_STATUS_OK;
}

tw_status tw_sim_device_list(const tw_sim *sim, tw_error *error)
{
    tw_sim *own = (tw_sim *)(uintptr_t)sim;
    const tw_status status = tw_sim_device_fetch(sim, error);
    if (status != TW_STATUS_OK) return status;
    tw_sim_inside_use_threads(sim);
    return tw_search_complete(&own->model, &own->state, &own->schedule, error);
}

int tw_sim_device_is_better(const tw_sim *sim)
{
    return sim->ahead || (sim->loaded && sim->schedule.deferred);
}

tw_status tw_sim_device_take(tw_sim *sim, tw_error *error)
{
    const tw_status status = tw_sim_device_fetch(sim, error);
    sim->loaded = 0;
    return status;
}

/* A run may ask several times about one state: for a condition, a row, a summary. */
tw_status tw_sim_device_tally(tw_sim *sim, tw_tally *tally, tw_move_energy *energy, tw_error *error)
{
    tw_status status = TW_STATUS_OK;
    update(sim);
    if (!sim->tallied) {
        status = tw_device_tally(sim->device, &sim->model, &sim->tally, &sim->energy, error);
        if (status == TW_STATUS_DEVICE) return give_up(sim, status);
        if (status != TW_STATUS_OK) return status;
        tw_device_numbers(sim->device, &sim->state, &sim->schedule, &sim->servo);
        sim->tallied = 1;
    }
    *tally = sim->tally;
    *energy = sim->energy;
    return status;
}

void tw_sim_device_renew(tw_sim *sim)
{
    sim->updated = 0;
}

/* ---- The choice ---- */

tw_status tw_sim_set_device(tw_sim *sim, const char *name, tw_error *error)
{
    const char *place;
    tw_device *device = NULL;
    tw_error_clear(error);
    tw_status status = tw_sim_place_find(name, &place, error);
    if (status == TW_STATUS_OK && place == sim->place && (sim->device || !tw_sim_device_used(sim)))
        return TW_STATUS_OK;
    if (status == TW_STATUS_OK) status = tw_sim_device_take(sim, error);
    if (status == TW_STATUS_OK && !tw_sim_place_is_cpu(place))
        status = tw_device_open(place, &device, error);
    if (status == TW_STATUS_OK && device)
        status = tw_device_fits(device, &sim->model, &sim->state, &sim->schedule, error);
    if (status != TW_STATUS_OK) {
        tw_device_close(device);
        return status;
    }
    if (sim->device) tw_device_close(sim->device);
    sim->device = device;
    sim->place = place;
    return TW_STATUS_OK;
}

const char *tw_sim_device(const tw_sim *sim)
{
    return sim->place;
}

tw_status tw_sim_check_device(const char *name, tw_error *error)
{
    const char *place;
    tw_device *device = NULL;
    tw_error_clear(error);
    tw_status status = tw_sim_place_find(name, &place, error);
    if (status != TW_STATUS_OK || tw_sim_place_is_cpu(place)) return status;
    status = tw_device_open(place, &device, error);
    if (status == TW_STATUS_OK) tw_device_close(device);
    return status;
}

/* ---- Steps ---- */

/* For tests: an emulated device fails in the step that TWIRL_DEVICE_FAIL_AT names. */
static int fails_in(const tw_sim *sim, uint64_t steps)
{
    const char *at = tw_sim_place_is_emulated(sim->place) ? getenv("TWIRL_DEVICE_FAIL_AT") : NULL;
    const uint64_t step = at ? strtoull(at, NULL, 10) : 0;
    return step > sim->state.steps && step - sim->state.steps <= steps;
}

/* Before steps: the device gets what has changed here. */
static tw_status send(tw_sim *sim, tw_error *error)
{
    tw_status status = TW_STATUS_OK;
    sim->tallied = 0;
    if (!sim->device) status = tw_device_open(sim->place, &sim->device, error);
    if (status != TW_STATUS_OK) return status;
    if (!sim->loaded) {
        status = tw_device_upload(sim->device, &sim->model, &sim->state, &sim->schedule,
                                  &sim->servo, error);
        sim->loaded = sim->updated = status == TW_STATUS_OK;
    } else {
        update(sim);
    }
    return status;
}

/* A step has failed on the device: its state says why, in the words of the CPU. */
static tw_status explain(tw_sim *sim, tw_status failed, tw_error *error)
{
    const tw_status status = tw_sim_device_list(sim, error);
    if (status != TW_STATUS_OK) return status;
    tw_error_clear(error);
    sim->failed = tw_step_explain(&sim->model, &sim->state, &sim->schedule, error);
    if (sim->failed == TW_STATUS_OK)
        sim->failed = tw_error_set(error, failed, "step %llu: the step has failed",
                                   (unsigned long long)sim->state.steps);
    return sim->failed;
}

static tw_status lose(tw_sim *sim, tw_status status, tw_error *error)
{
    tw_error why = {status, ""};
    if (error) why = *error;
    give_up(sim, status);
    return tw_error_set(error, status, "after step %llu: %s%s",
                        (unsigned long long)sim->state.steps, why.text,
                        sim->failed ? "; what it had computed since then is lost" : "");
}

/* After steps: numbers come back. */
static tw_status bring(tw_sim *sim, tw_status status, tw_error *error)
{
    if (status == TW_STATUS_DEVICE || status == TW_STATUS_MEMORY) return lose(sim, status, error);
    tw_device_numbers(sim->device, &sim->state, &sim->schedule, &sim->servo);
    sim->ahead = 1;
    return status == TW_STATUS_PHYSICS ? explain(sim, status, error) : status;
}

tw_status tw_sim_device_run(tw_sim *sim, uint64_t steps, tw_error *error)
{
    tw_status status = send(sim, error);
    if (status != TW_STATUS_OK) return status;
    status = fails_in(sim, steps)
                 ? tw_error_set(error, TW_STATUS_DEVICE, "the emulated device has failed")
                 : tw_device_advance(sim->device, steps, error);
    return bring(sim, status, error);
}

size_t tw_sim_device_passed(const tw_sim *sim, tw_sim_passed *out)
{
    tw_device_passed passed[TW_DEVICE_PASSED];
    const size_t count = sim->device ? tw_device_steps_passed(sim->device, passed) : 0;
    for (size_t k = 0; k < count; k++)
        out[k] = (tw_sim_passed){passed[k].time, passed[k].gradient};
    return count;
}

tw_status tw_sim_device_rotate(tw_sim *sim, tw_vec3 turn, tw_error *error)
{
    const tw_status status = send(sim, error);
    if (status != TW_STATUS_OK) return status;
    return bring(sim, tw_device_rotate(sim->device, turn, error), error);
}
