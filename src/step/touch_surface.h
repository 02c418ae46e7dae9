/* SPDX-License-Identifier: BSD-3-Clause */
/* The contacts of a sphere with a wall in a step: inline code for the CPU and for devices, in the
 * common subset of C11, C++17 and CUDA.
 *
 * With a surface of elements a sphere has the contacts of shape/basins.h. Each is advanced by the
 * law as if it were alone, and exerts its share of the force. Its memory is that of the contact
 * that was in the same basin; a basin that comes out of another one takes a copy, so that the force
 * goes on over an edge; any other one begins. */
#ifndef TW_STEP_TOUCH_SURFACE_H
#define TW_STEP_TOUCH_SURFACE_H

#include "step/touch_one.h"
#include "world/schedule.h"

#define TW_TOUCH_NOWHERE (-1)

/* A contact to be advanced. */
typedef struct tw_touch_place {
    tw_contact_memory memory; /* before the step */
    tw_contact_parts extra;   /* likewise */
    tw_surface_point at;      /* after it */
    tw_vec3 pass;             /* what passes add to its force [N] */
    double ceded, energy;     /* tw_contact_parts_share */
    double own;               /* its share before the step */
    double left;              /* energy of contacts that end in it, of springs along the surface */
    int pair;                 /* that it will belong to, counted from the first of the group */
    int unused;
} tw_touch_place;

/* The workspace of a pair, which the arrays of tw_touch_basins share. */
enum { TW_TOUCH_BASINS_INTS = 5 };
static_assert(sizeof(tw_near) + 3 * sizeof(tw_pass) + sizeof(tw_touch_place) +
                      TW_TOUCH_BASINS_INTS * sizeof(int) <=
                  TW_TILES_WALL_WORK * sizeof(double),
              "the arrays have room");

/* A sphere at a wall. */
typedef struct tw_touch_wall {
    const tw_wall *wall;
    tw_contact_law law;  /* that of the pair, as the kernel takes it */
    tw_contact_wall now; /* but for n and distance */
    tw_vec3 x;
    uint32_t pair, slot; /* of the group: the first pair and its contact slot, */
    int count;           /* and how many pairs there are */
    int contacts;        /* to be advanced */
    tw_touch_place *place;
    tw_touch_place alone; /* of a wall without elements */
} tw_touch_wall;

TW_INLINE tw_contact_wall tw_touch_wall_now(const tw_touch_wall *w, const tw_surface_point *at)
{
    tw_contact_wall now = w->now;
    now.n = at->n;
    now.distance = at->d;
    return now;
}

/* The memory and extras of pair i of the group, which is in contact. */
TW_INLINE void tw_touch_wall_remember(const tw_touch_wall *w, const tw_contacts *contacts, int i,
                                      tw_touch_place *place)
{
    place->memory = tw_bundle_get(contacts->bundle, w->slot + (uint32_t)i);
    place->extra = tw_extras_get(&contacts->extras, w->slot + (uint32_t)i);
}

/* From where the wall and the sphere were at the start of the step. `flat`: the contact is on a
 * plane or a facet, however it is bounded. */
TW_INLINE void tw_touch_wall_begin(const tw_model *model, const tw_touch_wall *w, uint32_t element,
                                   int flat, tw_touch_place *place)
{
    const tw_contact_wall now = tw_touch_wall_now(w, &place->at);
    place->memory = tw_contact_wall_memory_fresh_inline(&now);
    if (!flat) {
        tw_wall before = *w->wall;
        before.q = tw_quat_mul(tw_quat_conj(tw_quat_from_rotation(before.turn)), before.q);
        const tw_vec3 from = tw_vec3_add(now.from, now.moved);
        const tw_surface_point at =
            tw_surface_nearest(model, &before, element, tw_vec3_add(before.point, from));
        place->memory.n = at.n;
        place->memory.zeta = now.radius - at.d;
    }
    place->extra = tw_contact_parts_begin(&place->memory);
}

/* A place for pair i, whose contact shares nothing. */
TW_INLINE tw_touch_place *tw_touch_wall_seat(tw_touch_wall *w, int i, tw_surface_point at)
{
    tw_touch_place *place = &w->place[w->contacts++];
    place->at = at;
    place->pass = tw_vec3_make(0.0, 0.0, 0.0);
    place->ceded = place->energy = place->left = 0.0;
    place->own = 1.0;
    place->pair = i;
    return place;
}

/* In the order of pairs, in which forces are summed. */
TW_INLINE void tw_touch_wall_sort(tw_touch_wall *w)
{
    for (int i = 1; i < w->contacts; i++) {
        const tw_touch_place one = w->place[i];
        int at = i;
        for (; at > 0 && w->place[at - 1].pair > one.pair; at--)
            w->place[at] = w->place[at - 1];
        w->place[at] = one;
    }
}

/* Energy of the springs along the surface of a contact that is alone. */
TW_INLINE double tw_touch_wall_held(const tw_touch_wall *w, const tw_contact_memory *memory,
                                    const tw_contact_parts *extra)
{
    tw_contact_parts alone = *extra;
    double sum = 0.0;
    tw_contact_parts_share(&alone, 0.0, tw_vec3_make(0.0, 0.0, 0.0), 0.0);
    const tw_contact_stored stored = tw_contact_stored_of(&w->law, memory, &alone);
    for (int k = 0; k < TW_CONTACT_STORED_KINDS; k++)
        if (k != TW_CONTACT_STORED_NORMAL) sum += stored.of[k];
    return sum;
}

/* ---- Surfaces of elements ---- */

/* The elements that are nearer than the sphere can touch, and how they are connected. */
typedef struct tw_touch_basins {
    tw_near *near;
    tw_pass *pass;
    int *pair;    /* of an element, counted from the first of the group */
    int *lowest;  /* element of a contact where it is */
    int *from;    /* pair whose memory a contact goes on with */
    int *room[2]; /* workspace */
    int elements, contacts, passes;
    int parted; /* pairs in contact whose element is farther */
} tw_touch_basins;

TW_INLINE tw_touch_basins tw_touch_basins_in(double *work, int count)
{
    tw_touch_basins g;
    memset(&g, 0, sizeof g);
    g.near = (tw_near *)(void *)work;
    g.pass = (tw_pass *)(void *)(g.near + count);
    g.pair = (int *)(void *)((tw_touch_place *)(void *)(g.pass + 3 * (ptrdiff_t)count) + count);
    g.lowest = g.pair + count;
    g.from = g.lowest + count;
    g.room[0] = g.from + count;
    g.room[1] = g.room[0] + count;
    return g;
}

/* Contacts and passes. */
TW_INLINE void tw_touch_basins_find(const tw_model_surface *surface, const tw_pairs *pairs,
                                    const tw_touch_wall *w, double reach, tw_touch_basins *g)
{
    const tw_vec3 x = tw_surface_inwards(w->wall, w->x);
    const int mesh = surface->kind == TW_SURFACE_MESH;
    const double far = tw_facets_far(&surface->grid, reach);
    for (int i = 0; i < w->count; i++) {
        const uint32_t k = w->pair + (uint32_t)i, element = tw_pair_element(&pairs->pair[k]);
        g->parted += tw_pairs_touch(pairs, k); /* unless it is near */
        if (mesh && tw_facets_is_far(&surface->facets, element, x, far)) continue;
        const tw_near near = tw_surface_near(surface, element, x);
        if (!(near.d < reach) || (w->wall->front && tw_surface_is_behind(surface, element, x)))
            continue;
        g->parted -= tw_pairs_touch(pairs, k);
        g->pair[g->elements] = i;
        g->near[g->elements++] = near;
    }
    g->contacts = tw_basin_find(g->near, g->elements, reach, g->room[0], g->lowest);
    if (g->contacts < 2) return;
    g->passes = tw_surface_passes(surface, g->near, g->elements, x, w->now.radius, g->pass);
    g->passes = tw_pass_choose(g->pass, g->passes, g->near, g->lowest, g->contacts, g->room[0]);
}

/* Which of the contacts there were goes on in each basin: that with the largest share, then the one
 * of the first element. */
TW_INLINE void tw_touch_basins_match(const tw_pairs *pairs, const tw_contacts *contacts,
                                     const tw_touch_wall *w, tw_touch_basins *g)
{
    for (int k = 0; k < g->contacts; k++)
        g->from[k] = TW_TOUCH_NOWHERE;
    for (int e = 0; e < g->elements; e++) {
        const int i = g->pair[e];
        int *from = &g->from[g->near[e].basin];
        if (!tw_pairs_touch(pairs, w->pair + (uint32_t)i)) continue;
        if (*from != TW_TOUCH_NOWHERE) {
            const tw_contact_parts here = tw_extras_get(&contacts->extras, w->slot + (uint32_t)i),
                                   there =
                                       tw_extras_get(&contacts->extras, w->slot + (uint32_t)*from);
            if (!(tw_contact_parts_own(&here) > tw_contact_parts_own(&there))) continue;
        }
        *from = i;
    }
}

/* The pair whose memory contact k takes: its own, or that of a contact on the other side of the
 * lowest pass. */
TW_INLINE int tw_touch_basins_source(const tw_touch_basins *g, int k)
{
    if (g->from[k] != TW_TOUCH_NOWHERE) return g->from[k];
    for (int i = 0; i < g->passes; i++) {
        const tw_pass *pass = &g->pass[i];
        const int other = pass->a == k ? pass->b : pass->b == k ? pass->a : k;
        if (g->from[other] != TW_TOUCH_NOWHERE) return g->from[other];
    }
    return TW_TOUCH_NOWHERE;
}

/* Shares the loads of the passes: half the way each, in proportion. */
TW_INLINE void tw_touch_basins_share(const tw_touch_wall *w, const tw_touch_basins *g, int k,
                                     tw_touch_place *place)
{
    const double f = tw_contact_law_normal_force(&w->law, w->now.radius - place->at.d);
    double passed = 0.0;
    for (int i = 0; i < g->passes; i++) {
        const tw_pass *pass = &g->pass[i];
        if (pass->a != k && pass->b != k) continue;
        const double part = pass->a == k ? pass->share : 1.0 - pass->share,
                     zeta = w->now.radius - pass->d,
                     load = part * tw_contact_law_normal_force(&w->law, zeta);
        place->pass = tw_vec3_add_scaled(place->pass, load, tw_quat_rotate(w->wall->q, pass->n));
        place->energy += part * tw_contact_law_stored_normal(&w->law, zeta);
        passed += load;
    }
    if (f > 0.0) place->ceded = passed < f ? passed / f : 1.0;
}

/* Contacts whose basin goes on with another one. */
TW_INLINE void tw_touch_basins_drop(const tw_pairs *pairs, const tw_contacts *contacts,
                                    const tw_touch_wall *w, const tw_touch_basins *g, int k,
                                    tw_touch_place *place)
{
    tw_touch_place other;
    for (int e = 0; e < g->elements; e++) {
        const int i = g->pair[e];
        if (g->near[e].basin != k || i == g->from[k] ||
            !tw_pairs_touch(pairs, w->pair + (uint32_t)i))
            continue;
        tw_touch_wall_remember(w, contacts, i, &other);
        place->left +=
            tw_contact_parts_own(&other.extra) * tw_touch_wall_held(w, &other.memory, &other.extra);
    }
}

/* Contacts of a group, from the passes of a surface of elements. */
TW_INLINE void tw_touch_wall_find(const tw_model *model, const tw_state *state,
                                  const tw_schedule *schedule, double *work, tw_touch_wall *w)
{
    const tw_pairs *pairs = &schedule->pairs;
    const tw_contacts *contacts = &state->contacts;
    const double reach = w->now.radius - tw_contact_law_end(&w->law);
    tw_touch_basins g = tw_touch_basins_in(work, w->count);
    w->place = (tw_touch_place *)(void *)(g.pass + 3 * (ptrdiff_t)w->count);
    tw_touch_basins_find(&model->surfaces[w->wall->model], pairs, w, reach, &g);
    tw_touch_basins_match(pairs, contacts, w, &g);
    for (int k = 0; k < g.contacts; k++) {
        const tw_near *near = &g.near[g.lowest[k]];
        const int from = tw_touch_basins_source(&g, k);
        tw_surface_point at;
        at.n = tw_quat_rotate(w->wall->q, near->n);
        at.d = near->d;
        if (from == TW_TOUCH_NOWHERE && !tw_contact_law_begins(&w->law, w->now.radius - at.d))
            continue;
        tw_touch_place *place = tw_touch_wall_seat(w, g.pair[g.lowest[k]], at);
        tw_touch_basins_share(w, &g, k, place);
        if (from == TW_TOUCH_NOWHERE)
            tw_touch_wall_begin(model, w, near->element,
                                w->wall->surface == TW_SURFACE_MESH && near->kind == TW_NEAR_FACE,
                                place);
        else
            tw_touch_wall_remember(w, contacts, from, place);
        if (from != g.from[k]) tw_contact_parts_to_neighbour(&place->extra);
        place->own = from == TW_TOUCH_NOWHERE ? 1.0 - place->ceded
                     : from != g.from[k]      ? 0.0
                                              : tw_contact_parts_own(&place->extra);
        tw_touch_basins_drop(pairs, contacts, w, &g, k, place);
    }
    /* Those whose element is out of reach open. */
    for (int i = 0, next = 0; g.parted > 0; i++) {
        const uint32_t k = w->pair + (uint32_t)i;
        const int near = next < g.elements && g.pair[next] == i;
        next += near;
        if (near || !tw_pairs_touch(pairs, k)) continue;
        const tw_surface_point at =
            tw_surface_nearest(model, w->wall, tw_pair_element(&pairs->pair[k]), w->x);
        tw_touch_place *place = tw_touch_wall_seat(w, i, at);
        tw_touch_wall_remember(w, contacts, i, place);
        place->own = tw_contact_parts_own(&place->extra);
        place->ceded = 1.0 - place->own;
        g.parted--;
    }
    tw_touch_wall_sort(w);
}

/* ---- Platens ---- */

/* How far a point that is now at x has moved in the step with the periodic edges of the cell. */
TW_INLINE tw_vec3 tw_touch_wall_carried(const tw_cell *cell, tw_vec3 x)
{
    const tw_mat3 change = tw_mat3_sub(cell->h, cell->h_before);
    const tw_vec3 moved = tw_mat3_mul_vec(change, tw_mat3_mul_vec(cell->inverse, x));
    return tw_vec3_make(cell->walled[0] ? 0.0 : moved.x, cell->walled[1] ? 0.0 : moved.y,
                        cell->walled[2] ? 0.0 : moved.z);
}

/* The face of a platen is stretched with the periodic edges, as all images of a sphere are at the
 * same place of it: the part of the movement of a sphere, now at x, that is no slip. The mean of
 * those from its place before and to its place now (docs/theory/engine.md, Eq. 7). */
TW_INLINE tw_vec3 tw_touch_wall_stretch(const tw_cell *cell, tw_vec3 x, tw_vec3 moved)
{
    const tw_vec3 before = tw_vec3_sub(x, moved);
    tw_vec3 from = tw_vec3_make(0.0, 0.0, 0.0);
    for (int k = 0; k < 3; k++) /* each gains a factor of the strain */
        from = tw_touch_wall_carried(cell, tw_vec3_add(before, from));
    return tw_vec3_scale(0.5, tw_vec3_add(from, tw_touch_wall_carried(cell, x)));
}

/* What stands for the place of a contact in the moment of the forces, relative to the origin of a
 * tile: the affine flow is about the origin of space, with a platen about the contact. */
TW_INLINE tw_vec3 tw_touch_wall_moment_arm(const tw_wall *wall, tw_vec3 origin, tw_vec3 point)
{
    return wall->servo == TW_WALL_PLATEN ? point : tw_vec3_scale(-1.0, origin);
}

/* ---- Any wall ---- */

/* The contacts of the group that begins with pair number k, whose slot is `slot`; `work`: that of
 * its pairs. */
TW_INLINE void tw_touch_wall_look(const tw_model *model, const tw_state *state,
                                  const tw_schedule *schedule, const tw_vec3 *rigid, uint32_t k,
                                  uint32_t slot, double *work, tw_touch_wall *w)
{
    const tw_pairs *pairs = &schedule->pairs;
    const tw_pair *pair = &pairs->pair[k];
    const uint32_t body = schedule->spheres.body[pair->p];
    const tw_wall *wall = &state->walls[pair->q];
    w->wall = wall;
    w->law = tw_pair_law(model, state, schedule, pair);
    w->x = tw_schedule_sphere_centre(state, schedule, pair->p);
    w->pair = k;
    w->slot = slot;
    w->count = (int)tw_schedule_group(schedule, k);
    w->contacts = 0;
    w->place = &w->alone;
    const tw_vec3 moved = tw_motion_displacement(state, schedule, pair->p);
    w->now.moved = tw_vec3_sub(wall->dx, moved);
    if (wall->servo == TW_WALL_PLATEN)
        w->now.moved = tw_vec3_add(w->now.moved, tw_touch_wall_stretch(&state->cell, w->x, moved));
    w->now.from = tw_vec3_sub(w->x, wall->point);
    w->now.turn_p = tw_touch_one_turn(state, schedule, rigid, body);
    w->now.turn_q = rigid ? *rigid : wall->turn;
    w->now.radius = schedule->spheres.radius[pair->p];
    w->now.mass = tw_pair_law_mass(state, schedule, pair);
    if (tw_surface_has_elements(pair->surface)) {
        tw_touch_wall_find(model, state, schedule, work, w);
        return;
    }
    const tw_surface_point at = tw_surface_nearest(model, wall, 0, w->x);
    const int touching = tw_pairs_touch(pairs, k);
    if (!touching && !tw_contact_law_begins(&w->law, w->now.radius - at.d)) return;
    tw_touch_place *place = tw_touch_wall_seat(w, 0, at);
    if (touching)
        tw_touch_wall_remember(w, &state->contacts, 0, place);
    else
        tw_touch_wall_begin(model, w, 0, wall->surface == TW_SURFACE_PLANE, place);
}

/* What a contact that has been advanced exerts. Where shares change, energy of the springs along
 * the surface comes or goes: it counts as friction. */
TW_INLINE void tw_touch_wall_share(const tw_touch_wall *w, const tw_touch_place *place,
                                   tw_touch_one *one)
{
    const double own = 1.0 - place->ceded;
    if (own == 1.0 && place->own == 1.0 && place->left == 0.0) return;
    const double held = 0.5 * (tw_touch_wall_held(w, &place->memory, &place->extra) +
                               tw_touch_wall_held(w, &one->memory, &one->extra));
    const tw_vec3 pressing =
        tw_vec3_scale(-tw_contact_law_normal_force(&w->law, one->memory.zeta), one->memory.n);
    tw_contact_parts_share(&one->extra, place->ceded, place->pass, place->energy);
    one->load.f = tw_contact_parts_force(&one->extra, pressing, one->load.f);
    one->load.couple = tw_contact_parts_turn(
        &one->extra, tw_vec3_scale(w->now.radius - 0.5 * one->memory.zeta, one->memory.n),
        one->load.couple);
#define TW_TOUCH_WALL_LOSS(to, NAME, name, member, text)                                           \
    one->load.member *= 0.5 * (place->own + own);
    TW_CONTACT_LOST(TW_TOUCH_WALL_LOSS, )
#undef TW_TOUCH_WALL_LOSS
    one->load.work_dissipated += (place->own - own) * held + place->left;
}

/* Advances contact number c. Its slot, which is that of its pair, has it if it still touches. */
TW_INLINE void tw_touch_wall_advance(const tw_model *model, tw_state *state,
                                     const tw_schedule *schedule, const tw_vec3 *rigid, int still,
                                     const tw_touch_wall *w, int c, tw_touch_one *one)
{
    const tw_touch_place *place = &w->place[c];
    const uint32_t slot = w->slot + (uint32_t)place->pair;
    const tw_pair *pair = &schedule->pairs.pair[w->pair];
    const tw_contact_law *law = &model->laws[tw_pair_law_index(model, state, schedule, pair)];
    const tw_contact_wall now = tw_touch_wall_now(w, &place->at);
    one->memory = place->memory;
    one->extra = place->extra;
    tw_contact_motion motion = tw_contact_wall_motion_inline(law->kind, &now, &one->memory);
    if (rigid) motion.du = tw_vec3_make(0.0, 0.0, 0.0);
    tw_touch_one_law(state, rigid, still, law, &motion, one);
    tw_touch_wall_share(w, place, one);
    if (!one->load.touching) return;
    tw_bundle_put(state->contacts.bundle, slot, &one->memory);
    if (state->contacts.extras.parts) tw_extras_put(&state->contacts.extras, slot, &one->extra);
}

/* Begins the contacts of a group that has none. No time passes. */
TW_INLINE void tw_touch_wall_start(const tw_model *model, tw_state *state, tw_schedule *schedule,
                                   uint32_t k, uint32_t slot, double *work)
{
    tw_touch_wall w;
    tw_touch_one one;
    if (tw_schedule_group(schedule, k) == 0 || tw_schedule_touch(schedule, k)) return;
    tw_touch_wall_look(model, state, schedule, NULL, k, slot, work, &w);
    for (int c = 0; c < w.contacts; c++) {
        const uint32_t at = (uint32_t)w.place[c].pair;
        tw_touch_wall_advance(model, state, schedule, NULL, 1, &w, c, &one);
        if (!one.load.touching) continue;
        schedule->pairs.slot[k + at] = slot + at;
        schedule->slots.pair[slot + at] = k + at;
        state->contacts.sliding[slot + at] = 0;
    }
}

#endif
