/* SPDX-License-Identifier: BSD-3-Clause */
/* Contacts as a caller sees them: by ids. */
#include <stdlib.h>

#include <twirl/contact_law.h>

#include "base/environment.h"
#include "base/error.h"
#include "sim/sim_device.h"
#include "world/schedule.h"

static tw_status check_prepared(const tw_sim *sim, tw_error *error)
{
    tw_error_clear(error);
    return tw_sim_prepared(sim) ? TW_STATUS_OK : tw_sim_inside_refuse_unprepared(error);
}

tw_status tw_sim_contacts(const tw_sim *sim, size_t *count, tw_error *error)
{
    const tw_status status = check_prepared(sim, error);
    if (status == TW_STATUS_OK)
        *count = sim->ahead ? sim->state.sums.contacts : tw_schedule_contacts(&sim->schedule);
    return status;
}

static tw_contact_state contact_of(const tw_model *model, const tw_state *state,
                                   const tw_schedule *schedule, size_t k)
{
    const tw_pair *pair = &schedule->pairs.pair[k];
    const uint32_t slot = schedule->pairs.slot[k];
    const tw_contact_memory memory = tw_bundle_get(state->contacts.bundle, slot);
    const tw_bodies *b = &state->bodies;
    const uint32_t bp = schedule->spheres.body[pair->p];
    const tw_vec3 xp = tw_schedule_sphere_centre(state, schedule, pair->p);
    tw_contact_state c = {0};
    c.body_p = b->id[bp];
    c.member_p = pair->p - schedule->spheres.first[bp];
    c.n = memory.n;
    c.zeta = memory.zeta;
    const tw_contact_law law = tw_pair_law(model, state, schedule, pair);
    c.fn = tw_contact_law_normal_force(&law, memory.zeta);
    c.ft = memory.ft;
    c.force = tw_contacts_force(&state->contacts, &law, slot);
    c.sliding = state->contacts.sliding[slot];
    if (state->contacts.extras.parts) {
        const tw_contact_extra extra = tw_extras_get(&state->contacts.extras, slot);
        const double radius = tw_pair_law_radius(schedule, pair);
        c.fr = extra.fr;
        c.mt = radius * extra.fw;
        c.couple = tw_contact_couple(radius, memory.n, tw_vec3_add(extra.fr, extra.drag_r),
                                     extra.fw + extra.drag_w);
        c.rate = extra.rate;
        c.rate_r = extra.rate_r;
        c.rate_w = extra.rate_w;
    }
    c.point = tw_vec3_add_scaled(xp, schedule->spheres.radius[pair->p] - 0.5 * c.zeta, c.n);
    if (tw_pair_is_plane(pair)) {
        c.body_q = TW_NO_BODY;
        c.member_q = pair->q;
        c.branch = tw_vec3_sub(c.point, b->x[bp]);
        return c;
    }
    const uint32_t bq = schedule->spheres.body[pair->q];
    c.body_q = b->id[bq];
    c.member_q = pair->q - schedule->spheres.first[bq];
    c.shift[0] = pair->shift.i;
    c.shift[1] = pair->shift.j;
    c.shift[2] = pair->shift.k;
    c.branch =
        tw_vec3_add(tw_vec3_sub(b->x[bq], b->x[bp]), tw_cell_offset(&state->cell.h, pair->shift));
    return c;
}

/* The same contact with p and q exchanged. */
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

tw_status tw_sim_get_contacts(const tw_sim *sim, tw_contact_state *out, tw_error *error)
{
    TW_ARITHMETIC_HERE;
    tw_status status = check_prepared(sim, error);
    if (status == TW_STATUS_OK) status = tw_sim_device_fetch(sim, error);
    if (status != TW_STATUS_OK) return status;
    const tw_model *model = &sim->model;
    const tw_state *state = &sim->state;
    const tw_schedule *schedule = &sim->schedule;
    size_t at = 0;
    for (size_t k = 0; k < schedule->pairs.count; k++) {
        if (!tw_pairs_touch(&schedule->pairs, k)) continue;
        const tw_contact_state c = contact_of(model, state, schedule, k);
        out[at++] = c.body_q < c.body_p ? seen_from_q(state, c) : c;
    }
    qsort(out, at, sizeof *out, by_ids);
    return TW_STATUS_OK;
}
