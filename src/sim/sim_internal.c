/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim/sim_internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <twirl/simd.h>

#include "base/environment.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "search/search.h"
#include "step/step.h"

/* Refuses instructions that TWIRL_SIMD names and the processor does not have. */
static tw_status check_simd(tw_error *error)
{
    char text[128];
    if (tw_simd_check(text, sizeof text)) return TW_STATUS_OK;
    return tw_error_set(error, TW_STATUS_INPUT, "%s", text);
}

tw_sim *tw_sim_internal_make(tw_error *error)
{
    if (check_simd(error) != TW_STATUS_OK) return NULL;
    const tw_device_place *place = tw_device_find(NULL, error);
    if (!place) return NULL;
    tw_sim *sim = calloc(1, sizeof *sim);
    if (!sim) {
        tw_error_set(error, TW_STATUS_MEMORY, "not enough memory for a simulation");
        return NULL;
    }
    sim->place = place;
    tw_model_init(&sim->model);
    tw_state_init(&sim->state);
    tw_schedule_init(&sim->schedule);
    return sim;
}

void tw_sim_internal_use_threads(const tw_sim *sim)
{
    tw_parallel_set_threads(sim->threads > 0 ? sim->threads : tw_parallel_default());
}

tw_sim *tw_sim_internal_times_begin(tw_sim *sim)
{
    if (sim->timed++ > 0) return sim;
    tw_sim_internal_use_threads(sim);
    sim->timed_threads = tw_parallel_threads();
    sim->timed_from = tw_parallel_times(sim->timed_threads);
    return sim;
}

tw_sim_times tw_sim_get_times(const tw_sim *sim)
{
    if (sim->timed == 0) return sim->times;
    const tw_sim_times now = tw_parallel_times(sim->timed_threads);
    tw_sim_times sum = sim->times;
    tw_clock_add_between(&sim->timed_from, &now, &sum);
    return sum;
}

void tw_sim_internal_times_end(tw_sim **sim)
{
    tw_sim *s = *sim;
    if (s->timed == 1) s->times = tw_sim_get_times(s);
    s->timed--;
}

tw_status tw_sim_internal_refuse_failed(const tw_sim *sim, tw_error *error)
{
    return tw_error_set(error, sim->failed == TW_STATUS_DEVICE ? sim->failed : TW_STATUS_PHYSICS,
                        "the simulation failed at step %llu: go back to an earlier checkpoint",
                        (unsigned long long)sim->state.steps);
}

int tw_sim_is_prepared(const tw_sim *sim)
{
    return sim->schedule.valid && sim->state.balance.started && !sim->schedule.pending;
}

tw_status tw_sim_internal_check_prepared(const tw_sim *sim, tw_error *error)
{
    tw_error_clear(error);
    if (tw_sim_is_prepared(sim)) return TW_STATUS_OK;
    return tw_error_set(error, TW_STATUS_INPUT,
                        "contacts and forces are not known yet: call tw_sim_prepare");
}

int tw_sim_internal_is_finite(tw_vec3 v)
{
    return isfinite(v.x) && isfinite(v.y) && isfinite(v.z);
}

size_t tw_sim_internal_index_of(const tw_sim *sim, uint32_t id)
{
    const tw_bodies *b = &sim->state.bodies;
    const tw_spheres *s = &sim->schedule.spheres;
    if (id >= tw_state_next_id(&sim->state)) return SIZE_MAX;
    /* Bodies that were added are at the end; the others are where the last list has them. */
    const size_t i = id < s->ids ? s->index_of[id] : (size_t)(id - sim->state.departed);
    return i < b->count && b->id[i] == id ? i : tw_state_find_body(&sim->state, id);
}

tw_status tw_sim_internal_order_ids(const tw_state *state, const tw_spheres *spheres,
                                    uint32_t **ids, size_t *capacity, tw_error *error)
{
    if (state->departed == 0) return TW_STATUS_OK;
    if (tw_buffer_reserve(ids, capacity, state->bodies.count + 1, sizeof **ids) != TW_STATUS_OK)
        return tw_error_set_memory(error);
    for (size_t id = 0, at = 0; id < spheres->ids; id++)
        if (spheres->index_of[id] != UINT32_MAX) (*ids)[at++] = (uint32_t)id;
    return TW_STATUS_OK;
}

uint32_t tw_sim_next_id(const tw_sim *sim)
{
    return (uint32_t)tw_state_next_id(&sim->state);
}

uint32_t tw_sim_body_id(const tw_sim *sim, size_t row)
{
    if (row >= sim->state.bodies.count) return TW_NO_BODY;
    return sim->state.departed ? sim->ids[row] : (uint32_t)row;
}

size_t tw_sim_body_row(const tw_sim *sim, uint32_t id)
{
    size_t low = 0, high = sim->state.bodies.count;
    if (sim->state.departed == 0) return id < high ? id : SIZE_MAX;
    while (low < high) {
        const size_t mid = low + (high - low) / 2;
        if (sim->ids[mid] < id)
            low = mid + 1;
        else
            high = mid;
    }
    return tw_sim_body_id(sim, low) == id && id != TW_NO_BODY ? low : SIZE_MAX;
}

tw_status tw_sim_internal_no_body(const tw_sim *sim, uint32_t id, tw_error *error)
{
    if (id < tw_state_next_id(&sim->state))
        return tw_error_set(error, TW_STATUS_INPUT,
                            "there is no body %u: it has left the simulation", id);
    return tw_error_set(error, TW_STATUS_INPUT, "there is no body %u: the simulation has %zu", id,
                        sim->state.bodies.count);
}

/* All images of a body are at the same distance from a wall only if every periodic edge is
 * perpendicular to its normal. The tolerance covers the rounding of a rotated cell. */
int tw_sim_internal_edge_across(const tw_state *state, const tw_wall *wall)
{
    for (int k = 0; k < 3; k++) {
        const tw_vec3 edge = tw_mat3_column(state->cell.h, k);
        if (state->cell.periodic[k] &&
            !(fabs(tw_vec3_dot(wall->normal, edge)) <= 1e-9 * tw_vec3_norm(edge)))
            return k;
    }
    return -1;
}

const char *tw_sim_internal_servo_wrong(const tw_cell *cell, const tw_wall *wall)
{
    const int turns = wall->servo == TW_WALL_TURNS, plane = wall->surface == TW_SURFACE_PLANE;
    if (!wall->servo) return NULL;
    if (!(wall->target >= 0.0 && isfinite(wall->target) && wall->v_max >= 0.0))
        return turns ? "torque and v_max must not be negative, torque must be finite"
                     : "force and v_max must not be negative, force must be finite";
    if (isinf(wall->v_max) && !tw_surface_presses(wall))
        return "only the servo of a plane along its normal may have no v_max: where contacts slide "
               "nothing else limits a speed";
    if (!turns) return NULL;
    if (plane && tw_vec3_norm(tw_vec3_cross(wall->along, wall->normal)) > 1e-9)
        return "a plane can turn about its normal only";
    if (plane && wall->v_max == 0.0)
        return "give v_max: a plane has no size from which that of a torque would follow";
    for (int k = 0; k < 3; k++)
        if (cell->periodic[k]) return "a servo for a torque needs a cell without periodic edges";
    return NULL;
}

const char *tw_sim_internal_drive_wrong(const tw_wall *wall, const tw_drive_part *part,
                                        const tw_drive_row *row)
{
    const double numbers = part->rate + part->amplitude + part->frequency + part->phase;
    const int turns = tw_drive_turns(part);
    const int wrong =
        part->kind != TW_DRIVE_VELOCITY && !(fabs(tw_vec3_norm(part->along) - 1.0) < 1e-6);
    if (wrong || !tw_sim_internal_is_finite(part->along) ||
        !tw_sim_internal_is_finite(part->through) || !isfinite(numbers))
        return "its numbers must be finite, a direction or axis not zero";
    if (turns && wall->surface == TW_SURFACE_PLANE &&
        tw_vec3_norm(tw_vec3_cross(part->along, wall->normal)) > 1e-9)
        return "a plane can turn about its normal only";
    for (uint32_t k = 0; k < part->rows; k++) {
        const tw_drive_row *at = &row[part->first + k];
        if (!isfinite(at->time) || !isfinite(at->value)) return "its table must be finite";
        if (k > 0 && !(at->time > at[-1].time)) return "times of its table must ascend";
    }
    return NULL;
}

/* ---- Which copy is newer ---- */

int tw_sim_device_used(const tw_sim *sim)
{
    return !(sim->place->traits & TW_SIM_DEVICE_HOST);
}

/* The device has failed. What it had computed since arrays were last brought is lost, and without
 * that the state here is not one. */
static tw_status give_up(tw_sim *sim, tw_status status)
{
    if (sim->owner == TW_SIM_OWNER_DEVICE) sim->failed = status;
    sim->owner = TW_SIM_OWNER_HOST;
    return status;
}

/* The device gets the numbers that have changed here. */
static void update(tw_sim *sim)
{
    if (sim->valid & TW_SIM_VALID_NUMBERS) return;
    sim->device->kind->update(sim->device->own, &sim->model, &sim->state, &sim->servo);
    sim->valid |= TW_SIM_VALID_NUMBERS;
    sim->valid &= ~(unsigned)TW_SIM_VALID_TALLY;
}

/* ---- Arrays in parts ---- */

int tw_sim_device_streams(const tw_sim *sim)
{
    return sim->owner == TW_SIM_OWNER_DEVICE && sim->device->kind->stream_state;
}

tw_status tw_sim_device_stream(tw_sim *sim, const tw_device_sink *sink, tw_error *error)
{
    tw_tally tally;
    tw_move_energy energy;
    tw_error_clear(error);
    /* Steps do not sum the energies stored in contacts. */
    const tw_status status = tw_sim_device_tally(sim, &tally, &energy, error);
    if (status != TW_STATUS_OK) return status;
    return sim->device->kind->stream_state(sim->device->own, &sim->model, sink, error);
}

typedef struct receiving {
    tw_sim *sim;
    tw_contact_list contacts;
    size_t bodies, contact; /* so far */
} receiving;

static tw_status receive_bodies(void *context, const tw_bodies *part, tw_error *error)
{
    receiving *r = context;
    const tw_bodies *b = &r->sim->state.bodies;
    (void)error;
#define TW_COLUMN(type, name)                                                                      \
    memcpy(b->name + r->bodies, part->name, part->count * sizeof *b->name);
#include "world/body_columns.def"
    r->bodies += part->count;
    return TW_STATUS_OK;
}

static tw_status receive_contacts(void *context, const tw_device_contacts *part, tw_error *error)
{
    receiving *r = context;
    const tw_contact_list *from = part->list;
    tw_contact_list *to = &r->contacts;
    const size_t at = r->contact, count = from->count;
    if (at == 0 && !tw_contact_list_make(to, part->all, from->parts))
        return tw_error_set(error, TW_STATUS_MEMORY, "not enough memory for %zu contacts",
                            part->all);
    memcpy(to->pair + at, from->pair, count * sizeof *to->pair);
    memcpy(to->memory + at, from->memory, count * sizeof *to->memory);
    memcpy(to->slot + at, from->slot, count * sizeof *to->slot);
    memcpy(to->sliding + at, from->sliding, count * sizeof *to->sliding);
    const size_t numbers = to->extra ? tw_contact_parts_numbers(to->parts) : 0;
    if (numbers) memcpy(to->extra + at * numbers, from->extra, count * numbers * sizeof *to->extra);
    r->contact += count;
    return TW_STATUS_OK;
}

static tw_status receive(tw_sim *sim, tw_error *error)
{
    receiving r = {.sim = sim};
    const tw_device_sink sink = {&r, receive_bodies, receive_contacts};
    tw_status status = tw_state_reserve_bodies(&sim->state, sim->state.bodies.count, error);
    if (status == TW_STATUS_OK) status = tw_sim_device_stream(sim, &sink, error);
    sim->state.cell.h_ref = sim->state.cell.h;
    if (status == TW_STATUS_OK)
        status = tw_search_restore(&sim->model, &sim->state, &sim->schedule, &r.contacts, error);
    tw_contact_list_free(&r.contacts);
    return status;
}

/* Logically const: synchronising the two copies is not observable. */
tw_status tw_sim_device_fetch(const tw_sim *sim, tw_error *error)
{
    if (sim->owner != TW_SIM_OWNER_DEVICE) return TW_STATUS_OK;
    tw_sim *own = (tw_sim *)(uintptr_t)sim;
    tw_sim_internal_use_threads(sim);
    update(own); /* numbers come back with the arrays */
    const tw_device_kind *kind = own->device->kind;
    const tw_status status = kind->stream_state ? receive(own, error)
                                                : kind->fetch(own->device->own, &own->model,
                                                              &own->state, &own->schedule, error);
    if (status != TW_STATUS_OK) return kind->stream_state ? status : give_up(own, status);
    own->owner = TW_SIM_OWNER_BOTH;
    own->valid &= ~(unsigned)TW_SIM_VALID_SIZES;
    return TW_STATUS_OK;
}

tw_status tw_sim_device_list(const tw_sim *sim, tw_error *error)
{
    tw_sim *own = (tw_sim *)(uintptr_t)sim;
    const tw_status status = tw_sim_device_fetch(sim, error);
    if (status != TW_STATUS_OK) return status;
    tw_sim_internal_use_threads(sim);
    return tw_search_complete(&own->model, &own->state, &own->schedule, error);
}

int tw_sim_device_is_better(const tw_sim *sim)
{
    return sim->owner == TW_SIM_OWNER_DEVICE ||
           (sim->owner == TW_SIM_OWNER_BOTH && sim->schedule.deferred);
}

tw_status tw_sim_device_take(tw_sim *sim, tw_error *error)
{
    const tw_status status = tw_sim_device_fetch(sim, error);
    if (status != TW_STATUS_OK && tw_sim_device_streams(sim)) return status;
    sim->owner = TW_SIM_OWNER_HOST;
    sim->valid &= ~(unsigned)TW_SIM_VALID_HASH;
    return status;
}

/* A run may ask several times about one state: for a condition, a row, a summary. */
tw_status tw_sim_device_tally(tw_sim *sim, tw_tally *tally, tw_move_energy *energy, tw_error *error)
{
    tw_status status = TW_STATUS_OK;
    update(sim);
    if (!(sim->valid & TW_SIM_VALID_TALLY)) {
        status = sim->device->kind->tally(sim->device->own, &sim->model, &sim->tally, &sim->energy,
                                          error);
        if (status == TW_STATUS_DEVICE) return give_up(sim, status);
        if (status != TW_STATUS_OK) return status;
        sim->device->kind->numbers(sim->device->own, &sim->state, &sim->schedule, &sim->servo);
        sim->valid |= TW_SIM_VALID_TALLY;
    }
    *tally = sim->tally;
    *energy = sim->energy;
    return status;
}

void tw_sim_device_renew(tw_sim *sim)
{
    sim->valid &= ~(unsigned)(TW_SIM_VALID_NUMBERS | TW_SIM_VALID_HASH);
}

/* ---- The choice ---- */

tw_status tw_sim_internal_no_events(const tw_device_place *place, tw_error *error)
{
    return tw_error_set(error, TW_STATUS_DEVICE,
                        "the device '%s' cannot record contacts that begin and end: choose another "
                        "one",
                        place->name);
}

tw_status tw_sim_set_device(tw_sim *sim, const char *name, tw_error *error)
{
    assert(sim);
    tw_device *device = NULL;
    tw_error_clear(error);
    const tw_device_place *place = tw_device_find(name, error);
    if (!place) return TW_STATUS_INPUT;
    if (place == sim->place && (sim->device || !tw_sim_device_used(sim))) return TW_STATUS_OK;
    if (sim->schedule.events && place->traits & TW_SIM_DEVICE_DIVIDED)
        return tw_sim_internal_no_events(place, error);
    tw_status status = tw_sim_device_take(sim, error);
    if (status == TW_STATUS_OK && !(place->traits & TW_SIM_DEVICE_HOST))
        status = tw_device_open(place, &device, error);
    if (status == TW_STATUS_OK && device)
        status = device->kind->fits(device->own, &sim->model, &sim->state, &sim->schedule, error);
    if (status != TW_STATUS_OK) {
        tw_device_close(device);
        return status;
    }
    tw_device_close(sim->device);
    sim->device = device;
    sim->place = place;
    return TW_STATUS_OK;
}

const char *tw_sim_device(const tw_sim *sim)
{
    return sim->place->name;
}

unsigned tw_sim_device_traits(const char *name)
{
    const tw_device_place *place = tw_device_find(name, NULL);
    return place ? place->traits : 0;
}

double tw_sim_device_memory(const tw_sim *sim)
{
    const char *name;
    size_t bytes, peak;
    double sum = 0.0;
    const bool known = sim->device && sim->device->kind->array;
    for (size_t k = 0; known && sim->device->kind->array(sim->device->own, k, &name, &bytes, &peak);
         k++)
        sum += (double)peak;
    return sum;
}

tw_status tw_sim_check_device(const char *name, tw_error *error)
{
    tw_device *device = NULL;
    tw_error_clear(error);
    const tw_device_place *place = tw_device_find(name, error);
    if (!place) return TW_STATUS_INPUT;
    if (place->traits & TW_SIM_DEVICE_HOST) return TW_STATUS_OK;
    const tw_status status = tw_device_open(place, &device, error);
    tw_device_close(device);
    return status;
}

/* ---- Steps ---- */

/* For tests: an emulated device fails in the step that is asked for. */
static int fails_in(const tw_sim *sim, uint64_t steps)
{
    uint64_t step = 0;
    if (!(sim->place->traits & TW_SIM_DEVICE_EMULATED) || !tw_device_test("fail_at", &step))
        return 0;
    return step > sim->state.steps && step - sim->state.steps <= steps;
}

static tw_status open_device(tw_sim *sim, tw_error *error)
{
    return sim->device ? TW_STATUS_OK : tw_device_open(sim->place, &sim->device, error);
}

tw_status tw_sim_device_generates(tw_sim *sim, int *there, tw_error *error)
{
    const tw_status status = tw_sim_device_used(sim) ? open_device(sim, error) : TW_STATUS_OK;
    *there = status == TW_STATUS_OK && sim->device && sim->device->kind->generate;
    return status;
}

tw_status tw_sim_device_generate(tw_sim *sim, size_t count, const char *recipe, int *room,
                                 tw_error *error)
{
    sim->state.bodies.count = count;
    const tw_status status =
        sim->device->kind->generate(sim->device->own, &sim->model, &sim->state, &sim->schedule,
                                    &sim->servo, recipe, room, error);
    const int made = status == TW_STATUS_OK && *room;
    if (!made) sim->state.bodies.count = 0;
    sim->schedule.valid = made;
    sim->owner = made ? TW_SIM_OWNER_DEVICE : TW_SIM_OWNER_HOST;
    if (made) sim->valid |= TW_SIM_VALID_NUMBERS | TW_SIM_VALID_SIZES;
    return status;
}

/* The device has all arrays: there are none here until they are fetched. */
static void hand_over(tw_sim *sim)
{
    sim->bodies = tw_servo_bodies_of(&sim->model, &sim->state.bodies);
    tw_state_drop_arrays(&sim->state);
    tw_schedule_drop_arrays(&sim->schedule);
    sim->owner = TW_SIM_OWNER_DEVICE;
}

/* Before steps: the device gets what has changed here. */
static tw_status sync_to_device(tw_sim *sim, tw_error *error)
{
    sim->valid &= ~(unsigned)(TW_SIM_VALID_TALLY | TW_SIM_VALID_HASH);
    tw_status status = open_device(sim, error);
    if (status != TW_STATUS_OK) return status;
    if (sim->owner == TW_SIM_OWNER_HOST) {
        status = sim->device->kind->upload(sim->device->own, &sim->model, &sim->state,
                                           &sim->schedule, &sim->servo, error);
        if (status == TW_STATUS_OK) {
            sim->owner = TW_SIM_OWNER_BOTH;
            sim->valid |= TW_SIM_VALID_NUMBERS;
        }
    } else {
        update(sim);
    }
    if (status == TW_STATUS_OK && sim->device->kind->stream_state &&
        sim->owner != TW_SIM_OWNER_DEVICE)
        hand_over(sim);
    return status;
}

/* A step has failed on the device: its state says why, in the words of the CPU. */
static tw_status explain(tw_sim *sim, tw_status failed, tw_error *error)
{
    const tw_status status = tw_sim_device_list(sim, error);
    if (status != TW_STATUS_OK) {
        sim->failed = status;
        return status;
    }
    tw_error_clear(error);
    sim->failed = tw_step_explain(&sim->model, &sim->state, &sim->schedule, error);
    if (sim->failed == TW_STATUS_OK)
        sim->failed = tw_error_set(error, failed, "step %llu: the step has failed",
                                   (unsigned long long)sim->state.steps);
    return sim->failed;
}

static tw_status report_device_loss(tw_sim *sim, tw_status status, tw_error *error)
{
    tw_error why = {status, ""};
    if (error) why = *error;
    give_up(sim, status);
    return tw_error_set(error, status, "after step %llu: %s%s",
                        (unsigned long long)sim->state.steps, why.text,
                        sim->failed ? "; what it had computed since then is lost" : "");
}

/* After steps: numbers come back. */
static tw_status sync_from_device(tw_sim *sim, tw_status status, tw_error *error)
{
    if (status == TW_STATUS_DEVICE || status == TW_STATUS_MEMORY)
        return report_device_loss(sim, status, error);
    sim->device->kind->numbers(sim->device->own, &sim->state, &sim->schedule, &sim->servo);
    sim->owner = TW_SIM_OWNER_DEVICE;
    return status == TW_STATUS_PHYSICS ? explain(sim, status, error) : status;
}

tw_status tw_sim_device_run(tw_sim *sim, uint64_t steps, tw_error *error)
{
    tw_status status = sync_to_device(sim, error);
    if (status != TW_STATUS_OK) return status;
    status = fails_in(sim, steps)
                 ? tw_error_set(error, TW_STATUS_DEVICE, "the emulated device has failed")
                 : sim->device->kind->run(sim->device->own, steps, error);
    return sync_from_device(sim, status, error);
}

tw_status tw_sim_device_exchange(tw_sim *sim, const tw_device_bodies *bodies, int *done,
                                 tw_error *error)
{
    *done = 0;
    if (sim->owner == TW_SIM_OWNER_HOST || !sim->device->kind->exchange) return TW_STATUS_OK;
    tw_status status = sync_to_device(sim, error);
    if (status != TW_STATUS_OK) return status;
    status = sim->device->kind->exchange(sim->device->own, bodies, done, error);
    if (status != TW_STATUS_OK) return report_device_loss(sim, status, error);
    if (!*done) return TW_STATUS_OK;
    sim->valid &= ~(unsigned)TW_SIM_VALID_SIZES;
    return sync_from_device(sim, status, error);
}

size_t tw_sim_device_history(const tw_sim *sim, tw_sim_step_record *out)
{
    tw_device_history_step passed[TW_DEVICE_HISTORY_STEPS];
    const size_t count = sim->device ? sim->device->kind->history(sim->device->own, passed) : 0;
    for (size_t k = 0; k < count; k++)
        out[k] = (tw_sim_step_record){passed[k].time, passed[k].gradient};
    return count;
}

tw_status tw_sim_device_rotates(tw_sim *sim, int *there, tw_error *error)
{
    const tw_status status = tw_sim_device_used(sim) ? open_device(sim, error) : TW_STATUS_OK;
    *there = status == TW_STATUS_OK && sim->device && sim->device->kind->rotate;
    return status;
}

tw_status tw_sim_device_rotate(tw_sim *sim, tw_vec3 turn, tw_error *error)
{
    const tw_status status = sync_to_device(sim, error);
    if (status != TW_STATUS_OK) return status;
    return sync_from_device(sim, sim->device->kind->rotate(sim->device->own, turn, error), error);
}
