/* SPDX-License-Identifier: BSD-3-Clause */
/* Contacts as a caller sees them: by ids. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <twirl/contact_law.h>

#include "base/environment.h"
#include "base/error.h"
#include "search/search.h"
#include "sim/sim_internal.h"
#include "step/move.h"
#include "step/step.h"
#include "step/touch_force.h"
#include "step/touch_wall.h"
#include "world/schedule.h"

tw_status tw_sim_contact_count(const tw_sim *sim, size_t *count, tw_error *error)
{
    assert(sim && count);
    const tw_status status = tw_sim_internal_check_prepared(sim, error);
    if (status == TW_STATUS_OK)
        *count = sim->owner == TW_SIM_OWNER_DEVICE ? sim->state.sums.contacts
                                                   : tw_schedule_contacts(&sim->schedule);
    return status;
}

static tw_contact_state contact_of(const tw_model *model, const tw_state *state,
                                   const tw_schedule *schedule, size_t k)
{
    const tw_pair *pair = &schedule->pairs.pair[k];
    const uint32_t slot = schedule->pairs.slot[k];
    const tw_contact_memory memory = tw_bundle_get(state->contacts.bundle, slot);
    const tw_bodies *b = &state->bodies;
    const tw_touch_force force = tw_touch_force_of(model, state, schedule, k);
    const uint32_t bp = force.p;
    tw_contact_state c = {
        .force = force.force, .couple = force.couple, .point = force.point, .branch = force.branch};
    c.body_p = b->id[bp];
    c.member_p = pair->p - schedule->spheres.first[bp];
    c.n = memory.n;
    c.zeta = memory.zeta;
    const tw_contact_law law = tw_pair_law(model, state, schedule, pair);
    c.fn = tw_contact_law_normal_force(&law, memory.zeta);
    c.ft = memory.ft;
    c.sliding = state->contacts.sliding[slot];
    if (state->contacts.extras.parts) {
        const tw_contact_parts extra = tw_extras_get(&state->contacts.extras, slot);
        const tw_contact_shares shares =
            tw_contact_parts_shares(&extra, tw_pair_law_radius(schedule, pair), memory.n);
        c.fr = shares.fr;
        c.mt = shares.mt;
        c.rate = shares.rate;
        c.rate_r = shares.rate_r;
        c.rate_w = shares.rate_w;
    }
    if (tw_pair_is_wall(pair)) {
        c.body_q = TW_NO_BODY;
        c.member_q = pair->q;
        return c;
    }
    const uint32_t bq = schedule->spheres.body[pair->q];
    c.body_q = b->id[bq];
    c.member_q = pair->q - schedule->spheres.first[bq];
    c.shift[0] = pair->shift.i;
    c.shift[1] = pair->shift.j;
    c.shift[2] = pair->shift.k;
    return c;
}

/* The contact with p and q exchanged. */
static tw_contact_state seen_from_q(const tw_state *state, tw_contact_state c)
{
    const tw_contact_state d = c;
    const tw_shift shift = {d.shift[0], d.shift[1], d.shift[2]};
    c.point = tw_vec3_sub(d.point, tw_cell_offset(&state->cell.h, shift));
    c.body_p = d.body_q;
    c.body_q = d.body_p;
    c.member_p = d.member_q;
    c.member_q = d.member_p;
    for (int k = 0; k < 3; k++)
        c.shift[k] = (int8_t)-d.shift[k];
    c.n = tw_vec3_scale(-1.0, d.n);
    c.ft = tw_vec3_scale(-1.0, d.ft);
    c.force = tw_vec3_scale(-1.0, d.force);
    c.rate = tw_vec3_scale(-1.0, d.rate);
    c.couple = tw_vec3_scale(-1.0, d.couple); /* fr and mt are the same from either side */
    c.branch = tw_vec3_scale(-1.0, d.branch);
    return c;
}

static int by_ids(const void *left, const void *right)
{
    const tw_contact_state *a = left, *b = right;
    if (a->body_p != b->body_p) return a->body_p < b->body_p ? -1 : 1;
    if (a->body_q != b->body_q) return a->body_q < b->body_q ? -1 : 1;
    if (a->member_p != b->member_p) return a->member_p < b->member_p ? -1 : 1;
    if (a->member_q != b->member_q) return a->member_q < b->member_q ? -1 : 1;
    for (int k = 0; k < 3; k++) {
        if (a->shift[k] != b->shift[k]) return a->shift[k] < b->shift[k] ? -1 : 1;
    }
    return 0;
}

tw_status tw_sim_get_contacts(const tw_sim *sim, tw_contact_state *out, size_t capacity,
                              tw_error *error)
{
    TW_CALL_HERE(sim && (out || capacity == 0));
    tw_status status = tw_sim_internal_check_prepared(sim, error);
    if (status == TW_STATUS_OK) status = tw_sim_device_fetch(sim, error);
    if (status != TW_STATUS_OK) return status;
    const tw_model *model = &sim->model;
    const tw_state *state = &sim->state;
    const tw_schedule *schedule = &sim->schedule;
    const size_t count = tw_schedule_contacts(schedule);
    if (capacity < count) return tw_error_set_count(error, "contacts", count, capacity);
    size_t at = 0;
    for (size_t k = 0; k < schedule->pairs.count; k++) {
        if (!tw_pairs_touch(&schedule->pairs, k)) continue;
        const tw_contact_state c = contact_of(model, state, schedule, k);
        out[at++] = c.body_q < c.body_p ? seen_from_q(state, c) : c;
    }
    qsort(out, at, sizeof *out, by_ids);
    return TW_STATUS_OK;
}

tw_status tw_sim_list_contacts(const tw_sim *sim, tw_contact_state **contacts, size_t *count,
                               tw_error *error)
{
    assert(sim && contacts && count);
    *contacts = NULL;
    *count = 0;
    if (tw_sim_contact_count(sim, count, NULL) != TW_STATUS_OK) return TW_STATUS_OK;
    *contacts = malloc((*count + 1) * sizeof **contacts);
    return *contacts ? tw_sim_get_contacts(sim, *contacts, *count, error)
                     : tw_error_set_memory(error);
}

/* ---- Parts by name ---- */

typedef struct part_names {
    char text[256];
} part_names;

static part_names known_parts(void)
{
    part_names names = {""};
    const tw_contact_part *part;
    for (uint32_t k = 0; (part = tw_contact_part_at(k)); k++) {
        const size_t at = strlen(names.text);
        snprintf(names.text + at, sizeof names.text - at, "%s%s", k ? ", " : "", part->name);
    }
    return names;
}

/* A contact as tw_sim_get_contacts gives it, and where it is. */
typedef struct placed {
    tw_contact_state contact;
    uint32_t slot;
    int exchanged;
} placed;

/* In the order of tw_sim_get_contacts; NULL: no memory. The caller frees it. */
static placed *place_contacts(const tw_sim *sim, size_t *count)
{
    const tw_pairs *pairs = &sim->schedule.pairs;
    *count = tw_schedule_contacts(&sim->schedule);
    placed *all = malloc((*count + 1) * sizeof *all);
    for (size_t k = 0, at = 0; all && k < pairs->count; k++) {
        if (!tw_pairs_touch(pairs, k)) continue;
        tw_contact_state c = contact_of(&sim->model, &sim->state, &sim->schedule, k);
        const int exchanged = c.body_q < c.body_p;
        if (exchanged) c = seen_from_q(&sim->state, c);
        all[at++] = (placed){c, pairs->slot[k], exchanged};
    }
    if (all) qsort(all, *count, sizeof *all, by_ids);
    return all;
}

/* Finds the part of this name and the contacts, which the caller frees. */
static tw_status find_part(const tw_sim *sim, const char *name, size_t capacity, uint32_t *part,
                           placed **all, size_t *count, tw_error *error)
{
    *part = tw_contact_part_named(name);
    const tw_contact_part *is = tw_contact_part_at(*part);
    if (!is)
        return tw_error_set(error, TW_STATUS_INPUT, "contacts have no part '%s'; there are %s",
                            name, known_parts().text);
    *all = place_contacts(sim, count);
    if (!*all) return tw_error_set_memory(error);
    if (capacity >= *count * is->numbers) return TW_STATUS_OK;
    return tw_error_set_count(error, name, *count * is->numbers, capacity);
}

tw_status tw_sim_get_contact_part(const tw_sim *sim, const char *name, double *out, size_t capacity,
                                  tw_error *error)
{
    assert(sim && name && (out || capacity == 0));
    placed *all = NULL;
    uint32_t part = 0;
    size_t count = 0;
    tw_status status = tw_sim_internal_check_prepared(sim, error);
    if (status == TW_STATUS_OK) status = tw_sim_device_fetch(sim, error);
    if (status == TW_STATUS_OK) status = find_part(sim, name, capacity, &part, &all, &count, error);
    for (size_t k = 0; k < count && status == TW_STATUS_OK; k++) {
        tw_contact_parts parts = tw_extras_get(&sim->state.contacts.extras, all[k].slot);
        if (all[k].exchanged) parts = tw_contact_parts_exchanged(&parts);
        const size_t numbers = tw_contact_part_at(part)->numbers;
        const double *from = tw_contact_extra_of(TW_CONTACT_EXTRA_ALL, (double *)&parts).part[part];
        memcpy(out + k * numbers, from, numbers * sizeof *out);
    }
    free(all);
    return status;
}

tw_status tw_sim_set_contact_part(tw_sim *sim, const char *name, const double *values, size_t count,
                                  tw_error *error)
{
    assert(sim && name && (values || count == 0));
    placed *all = NULL;
    uint32_t part = 0;
    size_t contacts = 0;
    tw_extras *extras = &sim->state.contacts.extras;
    tw_status status = tw_sim_prepare(sim, error);
    if (status == TW_STATUS_OK) status = tw_sim_device_take(sim, error);
    if (status == TW_STATUS_OK) status = tw_sim_device_list(sim, error);
    if (status == TW_STATUS_OK) status = find_part(sim, name, count, &part, &all, &contacts, error);
    if (status == TW_STATUS_OK && !(tw_contact_part_at(part)->need & tw_model_extras(&sim->model)))
        status = tw_error_set(error, TW_STATUS_INPUT, "no law of this simulation needs '%s'", name);
    for (size_t k = 0; k < contacts && status == TW_STATUS_OK; k++) {
        const size_t numbers = tw_contact_part_at(part)->numbers;
        tw_contact_parts parts = tw_extras_get(extras, all[k].slot);
        if (all[k].exchanged) parts = tw_contact_parts_exchanged(&parts);
        double *to = tw_contact_extra_of(TW_CONTACT_EXTRA_ALL, (double *)&parts).part[part];
        memcpy(to, values + k * numbers, numbers * sizeof *to);
        if (all[k].exchanged) parts = tw_contact_parts_exchanged(&parts);
        tw_extras_put(extras, all[k].slot, &parts);
    }
    free(all);
    return status;
}

/* Memories of contacts given by the caller. They are assigned like those of a checkpoint; the
 * forces on bodies, which a checkpoint contains, are computed here. */

/* Distance allowed between a given contact and the bodies, in units of the radii. */
static const double position_tolerance = 1e-4;

static int find_sphere(const tw_state *state, const tw_schedule *schedule, uint32_t body,
                       uint32_t member, uint32_t *sphere)
{
    const tw_spheres *s = &schedule->spheres;
    if (body >= tw_state_next_id(state)) return 0;
    const uint32_t i = s->index_of[body];
    if (i == UINT32_MAX || member >= s->first[i + 1] - s->first[i]) return 0;
    *sphere = s->first[i] + member;
    return 1;
}

/* The surfaces of a contact, whatever their images. Returns 0 if there is no such body, member or
 * wall. */
static int find_surfaces(const tw_state *state, const tw_schedule *schedule,
                         const tw_contact_state *c, tw_pair *out)
{
    *out = (tw_pair){.q = c->member_q, .surface = TW_SURFACE_GRAIN};
    if (!find_sphere(state, schedule, c->body_p, c->member_p, &out->p)) return 0;
    if (c->body_q == TW_NO_BODY) {
        if (c->member_q >= state->wall_count) return 0;
        out->surface = (uint8_t)state->walls[c->member_q].surface;
        return 1;
    }
    return find_sphere(state, schedule, c->body_q, c->member_q, &out->q);
}

/* Distance between the given position of q and its present one, relative to p, in units of the
 * radii. */
static double misplaced(const tw_model *model, const tw_state *state, const tw_schedule *schedule,
                        const tw_pair *pair, tw_vec3 n, double zeta)
{
    const tw_vec3 x = tw_schedule_sphere_centre(state, schedule, pair->p);
    const double r = schedule->spheres.radius[pair->p];
    if (tw_pair_is_wall(pair)) {
        const tw_surface_point at =
            tw_surface_nearest(model, &state->walls[pair->q], tw_pair_element(pair), x);
        return tw_vec3_norm(tw_vec3_sub(n, at.n)) + fabs(at.d - r + zeta) / r;
    }
    const double sum = r + schedule->spheres.radius[pair->q];
    const tw_vec3 b =
        tw_vec3_add(tw_vec3_sub(tw_schedule_sphere_centre(state, schedule, pair->q), x),
                    tw_cell_offset(&state->cell.h, pair->shift));
    return tw_vec3_norm(tw_vec3_add_scaled(b, zeta - sum, n)) / sum;
}

/* Searches the pairs of a body for the image of the contact. `side` is -1 where the list has the
 * pair the other way round. SIZE_MAX: there is none. */
static size_t find_pair(const tw_model *model, const tw_state *state, const tw_schedule *schedule,
                        const tw_contact_state *c, const tw_pair *s, double *side)
{
    const int wall = tw_pair_is_wall(s);
    uint32_t body = schedule->spheres.body[s->p];
    if (!wall && schedule->spheres.body[s->q] < body) body = schedule->spheres.body[s->q];
    size_t best = SIZE_MAX;
    double least = position_tolerance;
    for (size_t k = schedule->pairs.first[body]; k < schedule->pairs.first[body + 1]; k++) {
        const tw_pair *pair = &schedule->pairs.pair[k];
        if (pair->surface != s->surface) continue;
        for (int turned = 0; turned < (wall ? 1 : 2); turned++) {
            if (pair->p != (turned ? s->q : s->p) || pair->q != (turned ? s->p : s->q)) continue;
            const double sign = turned ? -1.0 : 1.0;
            const double off =
                misplaced(model, state, schedule, pair, tw_vec3_scale(sign, c->n), c->zeta);
            if (!(off < least)) continue;
            least = off;
            best = k;
            *side = sign;
        }
    }
    return best;
}

static const char *contact_wrong(const tw_model *model, const tw_contact_state *c)
{
    const tw_vec3 f = c->force, t = c->ft, r = c->fr, m = c->couple;
    if (!(fabs(tw_vec3_norm(c->n) - 1.0) < 1e-6)) return "the normal is not a unit vector";
    if (!(c->zeta > tw_model_end(model) && isfinite(c->zeta)))
        return "the overlap must be positive";
    if (!isfinite(t.x + t.y + t.z + f.x + f.y + f.z)) return "a force is not finite";
    if (!isfinite(r.x + r.y + r.z + m.x + m.y + m.z + c->mt)) return "a couple is not finite";
    if (!isfinite(tw_vec3_norm(c->rate) + tw_vec3_norm(c->rate_r) + c->rate_w))
        return "a damping force is not finite";
    if (!(model->laws[0].refine & TW_CONTACT_TILT)) return NULL; /* it leaves them as they are */
    if (fabs(tw_vec3_dot(r, c->n)) > 1e-6 * tw_vec3_norm(r))
        return "the rolling force is not tangential";
    if (fabs(tw_vec3_dot(t, c->n)) > 1e-6 * tw_vec3_norm(t))
        return "the tangential force is not tangential";
    return NULL;
}

/* What remains of force and couple without springs is damping. Rolling and twisting are the same
 * from either side. */
static tw_contact_parts extra_of(const tw_contact_state *c, double side, tw_vec3 elastic,
                                 double radius)
{
    const tw_contact_shares shares = {.drag = tw_vec3_scale(side, tw_vec3_sub(c->force, elastic)),
                                      .couple = c->couple,
                                      .fr = c->fr,
                                      .mt = c->mt,
                                      .rate = tw_vec3_scale(side, c->rate),
                                      .rate_r = c->rate_r,
                                      .rate_w = c->rate_w};
    return tw_contact_parts_of_shares(&shares, radius, c->n);
}

/* Puts one memory into `all`. number[pair] is its position there, counted from 1. */
static const char *merge_one(const tw_model *model, const tw_state *state,
                             const tw_schedule *schedule, const tw_contact_state *c,
                             uint32_t *number, tw_contact_list *all)
{
    tw_pair s;
    double side = 1.0;
    const char *wrong = contact_wrong(model, c);
    if (wrong) return wrong;
    if (!find_surfaces(state, schedule, c, &s)) return "no such body, member or wall";
    if (tw_surface_has_elements(s.surface))
        return "contacts with surfaces of elements cannot be given: they share their forces";
    const size_t k = find_pair(model, state, schedule, c, &s, &side);
    if (k == SIZE_MAX) return "there is no contact in this direction with this overlap";
    if (number[k] == 0) {
        all->pair[all->count] = schedule->pairs.pair[k];
        number[k] = (uint32_t)++all->count;
    }
    const size_t at = number[k] - 1;
    if (all->slot[at] == TW_NO_SLOT) return "the contact is given twice";
    all->slot[at] = TW_NO_SLOT;
    const tw_contact_law law = tw_pair_law(model, state, schedule, &all->pair[at]);
    const tw_vec3 elastic = tw_contact_law_spring_force(&law, c->n, c->zeta, c->ft);
    const double holds = law.kt > 0.0 ? side : 0.0; /* no spring would turn or release it */
    all->memory[at] =
        (tw_contact_memory){tw_vec3_scale(side, c->n), c->zeta, tw_vec3_scale(holds, c->ft)};
    const tw_contact_parts extra =
        extra_of(c, side, elastic, tw_pair_law_radius(schedule, &all->pair[at]));
    tw_contact_list_put(all, at, &extra);
    all->sliding[at] = c->sliding != 0;
    return NULL;
}

/* ---- The given forces ---- */

static void add_stored(const tw_model *model, tw_state *state, const tw_schedule *schedule,
                       const tw_contact_state *c)
{
    tw_pair pair;
    find_surfaces(state, schedule, c, &pair); /* it is one of ours: cannot fail */
    const tw_contact_law law = tw_pair_law(model, state, schedule, &pair);
    const tw_contact_memory memory = {c->n, c->zeta, c->ft};
    const tw_contact_parts extra =
        tw_contact_parts_of_springs(c->fr, c->mt / tw_pair_law_radius(schedule, &pair));
    const tw_contact_stored one = tw_contact_stored_of(&law, &memory, &extra);
    tw_stored_add(&state->sums.stored, &one);
}

/* All but the energies. */
static void add_force(tw_state *state, const tw_schedule *schedule, const tw_contact_state *c)
{
    const uint32_t *index_of = schedule->spheres.index_of;
    const int wall = c->body_q == TW_NO_BODY;
    const tw_touch_force force = {.p = index_of[c->body_p],
                                  .q = wall ? c->member_q : index_of[c->body_q],
                                  .wall = wall,
                                  .force = c->force,
                                  .couple = c->couple,
                                  .point = c->point,
                                  .branch = c->branch};
    tw_touch_force_add(state, &force);
}

static void add_forces(const tw_model *model, tw_state *state, tw_schedule *schedule,
                       const tw_contact_state *contacts, size_t count)
{
    memset(state->bodies.force, 0, state->bodies.count * sizeof *state->bodies.force);
    memset(state->bodies.torque, 0, state->bodies.count * sizeof *state->bodies.torque);
    memset(&state->sums, 0, sizeof state->sums);
    for (size_t k = 0; k < state->wall_count; k++) {
        const double none[TW_TILE_ACCUMULATOR] = {0.0}; /* what resists a servo is not known */
        tw_touch_wall_set(&state->walls[k], none);
        state->walls[k].predicted = 0;
    }
    for (size_t k = 0; k < count; k++) {
        state->sums.contacts++;
        state->sums.sliding += (size_t)contacts[k].sliding;
        add_force(state, schedule, &contacts[k]);
        add_stored(model, state, schedule, &contacts[k]);
    }
}

/* The change of energy is not work: it changes the start of the balance. */
static void add_change(const tw_model *model, tw_state *state, tw_schedule *schedule,
                       tw_move_energy before, tw_sums sums)
{
    const tw_move_energy after = tw_move_energies(model, state, schedule);
    state->balance.start +=
        after.translation + after.rotation - before.translation - before.rotation;
    for (int k = 0; k < TW_CONTACT_STORED_KINDS; k++)
        state->balance.start += state->sums.stored.of[k] - sums.stored.of[k];
    state->balance.body_damping -= after.damping_work - before.damping_work;
    state->balance.cell -= after.cell_work - before.cell_work;
}

/* ---- Assignment ---- */

static tw_status merge(const tw_model *model, const tw_state *state, const tw_schedule *schedule,
                       const tw_contact_state *contacts, size_t count, tw_contact_list *all,
                       size_t *wrong, tw_error *error)
{
    uint32_t *number = calloc(schedule->pairs.count + 1, sizeof *number);
    /* Given forces count, damped or not. */
    if (!number ||
        !tw_contact_list_gather(model, state, schedule, 0, count, TW_CONTACT_EXTRA_DAMPING, all)) {
        free(number);
        return tw_error_set(error, TW_STATUS_MEMORY, "not enough memory for %zu contacts", count);
    }
    for (size_t k = 0, at = 0; k < schedule->pairs.count; k++) {
        if (tw_pairs_touch(&schedule->pairs, k)) number[k] = (uint32_t)++at;
    }
    const char *why = NULL;
    size_t k = 0;
    for (; k < count && !why; k++)
        why = merge_one(model, state, schedule, &contacts[k], number, all);
    free(number);
    if (!why) return TW_STATUS_OK;
    if (wrong) *wrong = k - 1;
    return tw_error_set(error, TW_STATUS_INPUT, "%s", why);
}

/* Makes the list with all contacts. Given ones have no slot yet, so all get the next one. */
static tw_status assign(const tw_model *model, tw_state *state, tw_schedule *schedule,
                        tw_contact_list *all, tw_error *error)
{
    uint32_t *slot = all->slot;
    all->slot = NULL;
    const tw_status status = tw_search_restore(model, state, schedule, all, error);
    all->slot = slot;
    return status;
}

tw_status tw_sim_set_contacts(tw_sim *sim, const tw_contact_state *contacts, size_t count,
                              size_t *wrong, tw_error *error)
{
    TW_CALL_HERE(sim && (contacts || count == 0));
    const tw_model *model = &sim->model;
    tw_state *state = &sim->state;
    tw_schedule *schedule = &sim->schedule;
    tw_contact_list all = {0};
    tw_status status = tw_sim_prepare(sim, error);
    if (status == TW_STATUS_OK) status = tw_sim_device_take(sim, error);
    if (status == TW_STATUS_OK) status = tw_sim_device_list(sim, error);
    if (status != TW_STATUS_OK) return status;
    const tw_move_energy before = tw_move_energies(model, state, schedule);
    const tw_sums sums = state->sums;
    status = merge(model, state, schedule, contacts, count, &all, wrong, error);
    tw_contact_state *now = malloc((all.count + 1) * sizeof *now);
    if (status == TW_STATUS_OK && !now)
        status =
            tw_error_set(error, TW_STATUS_MEMORY, "not enough memory for %zu contacts", all.count);
    if (status == TW_STATUS_OK) {
        status = assign(model, state, schedule, &all, error);
        sim->failed = status; /* the list is lost */
    }
    if (status == TW_STATUS_OK) {
        tw_sim_get_contacts(sim, now, all.count, NULL); /* prepared: cannot fail */
        add_forces(model, state, schedule, now, all.count);
        add_change(model, state, schedule, before, sums);
        tw_servo_forget(&sim->servo);
        status = tw_step_check_dt(model, state, schedule, error);
    }
    free(now);
    tw_contact_list_free(&all);
    return status;
}
