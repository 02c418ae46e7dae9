/* SPDX-License-Identifier: BSD-3-Clause */
/* Contacts with walls, and contacts between spheres by any law. */
#ifndef TW_DEVICE_LAWS_H
#define TW_DEVICE_LAWS_H

#include "device/device_access.h"
#include "device/device_plain.h"
#include "device/device_world.h"
#include "step/touch_one.h"
#include "step/touch_surface.h"
#include "step/touch_wall.h"

/* Contacts of spheres and walls: step/touch.c. */

/* Of a pair: the numbers of its row. */
enum {
    TW_DEVICE_WALL_FORCE, /* on the sphere */
    TW_DEVICE_WALL_COUPLE = 3,
    TW_DEVICE_WALL_POINT = 6,   /* relative to the tile's origin */
    TW_DEVICE_WALL_SPRINGS = 9, /* tw_touch_wall_springs */
    TW_DEVICE_WALL_ARM = 11,    /* tw_touch_wall_moment_arm */
    TW_DEVICE_WALL_LOAD = 14
};

TW_INLINE const double *tw_device_walls_load(const tw_device_touch *touch, uint32_t k)
{
    return touch->wall_load + TW_DEVICE_WALL_LOAD * (size_t)k;
}

TW_INLINE tw_vec3 tw_device_walls_get(const double *from)
{
    return tw_vec3_make(from[0], from[1], from[2]);
}

TW_INLINE void tw_device_walls_put(double *to, tw_vec3 v)
{
    to[0] = v.x;
    to[1] = v.y;
    to[2] = v.z;
}

/* What a contact has lost, in ways that its law has. */
TW_INLINE void tw_device_laws_lose(tw_device_touch *touch, uint32_t slot,
                                   const double lost[TW_CONTACT_LOST_KINDS])
{
    for (int k = 0; k < TW_CONTACT_LOST_KINDS; k++)
        if (touch->lost[k]) touch->lost[k][slot] = lost[k];
}

/* One that was advanced one by one. */
TW_INLINE void tw_device_laws_lose_singly(tw_device_touch *touch, uint32_t slot,
                                          const tw_contact_load *load)
{
    const tw_contact_lost lost = tw_contact_lost_of(load);
    tw_device_laws_lose(touch, slot, lost.by);
}

/* A contact with a wall. */
TW_INLINE void tw_device_walls_add_one(const tw_model *model, tw_state *state,
                                       tw_schedule *schedule, tw_device_run *run,
                                       tw_device_touch *touch, const tw_tile *tile,
                                       const tw_touch_wall *w, int c, const tw_touch_one *one)
{
    const uint32_t i = (uint32_t)w->place[c].pair, at = w->pair + i, slot = w->slot + i;
    const tw_vec3 none = tw_vec3_make(0.0, 0.0, 0.0);
    const int touching = one->load.touching;
    const double r = w->now.radius;
    schedule->pairs.slot[at] = touching ? slot : TW_NO_SLOT;
    schedule->slots.pair[slot] = at;
    touch->slot_state[slot] = (uint8_t)(touching ? TW_DEVICE_SINGLE : TW_DEVICE_ENDED);
    tw_device_laws_lose_singly(touch, slot, &one->load);
    if (touching) {
        state->contacts.sliding[slot] = (uint8_t)one->load.sliding;
        if (tw_touch_one_is_bad(&one->load, one->memory.zeta, 0.5 * r))
            tw_device_atomic_min(&run->bad_pair, at);
    }
    double *load = touch->wall_load +
                   TW_DEVICE_WALL_LOAD * (size_t)(tile->wall_pair + (slot - tile->wall_slot));
    tw_device_walls_put(load + TW_DEVICE_WALL_FORCE, one->acts ? one->load.f : none);
    tw_device_walls_put(load + TW_DEVICE_WALL_COUPLE, one->acts ? one->load.couple : none);
    const tw_vec3 point = tw_vec3_add_scaled(tw_vec3_sub(w->x, tile->origin),
                                             r - 0.5 * one->memory.zeta, one->memory.n);
    tw_device_walls_put(load + TW_DEVICE_WALL_POINT, point);
    tw_device_walls_put(load + TW_DEVICE_WALL_ARM,
                        tw_touch_wall_moment_arm(w->wall, tile->origin, point));
    tw_touch_wall_springs(model, state, schedule, &schedule->pairs.pair[at], &one->memory,
                          &one->extra, tw_touch_wall_arm(w->wall, tile->origin, point), touching,
                          one->load.sliding, load + TW_DEVICE_WALL_SPRINGS);
}

/* A pair with a wall, and those of its group. What is in wall_load counts where slot_state[slot] is
 * not TW_DEVICE_EMPTY. */
TW_INLINE void tw_device_walls(const tw_model *model, tw_state *state, tw_schedule *schedule,
                               tw_device_run *run, tw_device_touch *touch, uint32_t k)
{
    const uint32_t at = schedule->tiles.wall_pair[k], count = tw_schedule_group(schedule, at);
    const uint32_t body = schedule->spheres.body[schedule->pairs.pair[at].p];
    const tw_tile *tile = &schedule->tiles.tile[tw_tiles_home(&schedule->tiles, body)];
    const uint32_t slot = tile->wall_slot + (k - tile->wall_pair);
    const tw_vec3 *rigid = run->rigid ? &run->turn : NULL;
    tw_touch_wall w;
    if (count == 0) return;
    tw_touch_wall_look(model, state, schedule, rigid, at, slot,
                       tw_tiles_wall_work(&schedule->tiles, k), &w);
    for (uint32_t i = 0; i < count; i++) {
        touch->slot_state[slot + i] = TW_DEVICE_EMPTY;
        if (count > 1) schedule->pairs.slot[at + i] = TW_NO_SLOT;
    }
    for (int c = 0; c < w.contacts; c++) {
        tw_touch_one one;
        tw_touch_wall_advance(model, state, schedule, rigid, run->rigid, &w, c, &one);
        tw_device_walls_add_one(model, state, schedule, run, touch, tile, &w, c, &one);
    }
}

/* The first entry of wall_pair of this body, or of one behind it in the tile. */
TW_INLINE uint32_t tw_device_walls_first(const tw_tiles *tiles, const tw_pairs *pairs,
                                         const tw_spheres *spheres, const tw_tile *tile,
                                         uint32_t body)
{
    uint32_t low = tile->wall_pair, high = tile->wall_pair + tile->walls;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        const uint32_t p = pairs->pair[tiles->wall_pair[middle]].p;
        if (spheres->body[p] < body)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Adds the forces of walls on a body to the force accumulator of its own body slot, whose torque is
 * about the tile's origin. */
TW_INLINE void tw_device_walls_add(const tw_tiles *tiles, const tw_pairs *pairs,
                                   const tw_spheres *spheres, const tw_device_touch *touch,
                                   uint32_t body, double force[3], double torque[3])
{
    const tw_tile *tile = &tiles->tile[tw_tiles_home(tiles, body)];
    const uint32_t end = tile->wall_pair + tile->walls;
    for (uint32_t k = tw_device_walls_first(tiles, pairs, spheres, tile, body); k < end; k++) {
        if (spheres->body[pairs->pair[tiles->wall_pair[k]].p] != body) return;
        if (touch->slot_state[tile->wall_slot + (k - tile->wall_pair)] == TW_DEVICE_EMPTY) continue;
        const double *load = tw_device_walls_load(touch, k);
        const tw_vec3 turn = tw_vec3_cross(tw_device_walls_get(load + TW_DEVICE_WALL_POINT),
                                           tw_device_walls_get(load + TW_DEVICE_WALL_FORCE));
        const double both[3] = {turn.x, turn.y, turn.z};
        for (int j = 0; j < 3; j++) {
            force[j] += load[TW_DEVICE_WALL_FORCE + j];
            torque[j] += both[j];
            torque[j] += load[TW_DEVICE_WALL_COUPLE + j];
        }
    }
}

/* An element of what contacts with walls add to the sum of the moment in a tile. */
TW_INLINE double tw_device_walls_moment(const tw_tile *tile, const tw_device_touch *touch,
                                        uint32_t element)
{
    double moment = 0.0;
    for (uint32_t k = 0; k < tile->walls; k++) {
        if (touch->slot_state[tile->wall_slot + k] == TW_DEVICE_EMPTY) continue;
        const double *load = tw_device_walls_load(touch, tile->wall_pair + k);
        moment += load[TW_DEVICE_WALL_ARM + element / 3] * load[element % 3];
    }
    return moment;
}

/* A tile: the force accumulators of its walls. */
TW_INLINE void tw_device_walls_sum(const tw_state *state, const tw_pairs *pairs,
                                   const tw_device_list *list, const tw_device_touch *touch,
                                   tw_tiles *tiles, uint32_t number)
{
    const tw_tile *tile = &tiles->tile[number];
    tw_tile_accumulator *walls = tiles->wall_accumulator + number * list->walls;
    for (size_t k = 0; k < list->walls; k++)
        memset(&walls[k], 0, sizeof walls[k]);
    for (uint32_t k = tile->wall_pair; k < tile->wall_pair + tile->walls; k++) {
        if (touch->slot_state[tile->wall_slot + (k - tile->wall_pair)] == TW_DEVICE_EMPTY) continue;
        const uint32_t wall = pairs->pair[tiles->wall_pair[k]].q;
        const double *load = tw_device_walls_load(touch, k);
        tw_touch_wall_add(&walls[wall], &state->walls[wall], tile->origin,
                          tw_device_walls_get(load + TW_DEVICE_WALL_POINT),
                          tw_device_walls_get(load + TW_DEVICE_WALL_FORCE),
                          tw_device_walls_get(load + TW_DEVICE_WALL_COUPLE),
                          load + TW_DEVICE_WALL_SPRINGS);
    }
}

/* Contacts between spheres by any law: what step/touch_lanes.c does in lanes, one contact at a
 * time, with the same formulas (step/touch_formulas.inc). The first pass takes all contacts and
 * keeps those that neither slide nor roll; the second one simple slides; the last one the few that
 * are left. The movement is computed again in each. */

/* What a contact remembers, for the formulas. */
TW_INLINE tw_vec3 tw_contact_touch_get3(const tw_bundle_force *from, uint32_t slot)
{
    return tw_bundle_force_get(from, slot);
}

TW_INLINE double tw_contact_touch_get(const tw_bundle_number *from, uint32_t slot)
{
    return from[slot / TW_BUNDLE].x[slot % TW_BUNDLE];
}

TW_INLINE void tw_contact_touch_keep3(tw_bundle_force *to, uint32_t slot, int done, tw_vec3 v)
{
    if (done) tw_bundle_force_put(to, slot, v);
}

TW_INLINE void tw_contact_touch_keep(tw_bundle_number *to, uint32_t slot, int done, double v)
{
    if (done) to[slot / TW_BUNDLE].x[slot % TW_BUNDLE] = v;
}

#include <twirl/detail/scalar_params.inc>

#include "step/touch_formulas.inc"

#include <twirl/detail/undef.inc>

static inline int32_t tw_device_laws_choose(const tw_model *model)
{
    const tw_contact_law *law = model->laws;
    const uint32_t extras = tw_model_extras(model), damped = TW_CONTACT_EXTRA_DAMPING;
    const int exact = tw_device_plain_is_exact(law), uniform = tw_model_is_uniform(model);
    if (uniform && extras == 0) return exact ? TW_DEVICE_LAW_EXACT_LINEAR : TW_DEVICE_LAW_LINEAR;
    if (!exact || (extras & ~damped) != 0) return TW_DEVICE_LAW_ANY;
    if (tw_contact_normal_stiffens(law->normal))
        return extras ? TW_DEVICE_LAW_HERTZ_DAMPED : TW_DEVICE_LAW_HERTZ;
    return extras && uniform ? TW_DEVICE_LAW_LINEAR_DAMPED : TW_DEVICE_LAW_ANY;
}

/* Traits of a class of laws. The compiler knows those of classes in common use, which registers for
 * the others would slow down. */
TW_INLINE tw_touch_traits tw_device_laws_traits(const tw_model *model, const tw_device_run *run,
                                                int law)
{
    const int linear = law == TW_DEVICE_LAW_LINEAR_DAMPED;
    const tw_touch_traits exact = {TW_CONTACT_EXACT,
                                   TW_CONTACT_ALL,
                                   linear ? TW_CONTACT_LINEAR : TW_CONTACT_HERTZ,
                                   law == TW_DEVICE_LAW_HERTZ ? 0u
                                                              : (uint32_t)TW_CONTACT_EXTRA_DAMPING,
                                   !linear,
                                   0};
    return law == TW_DEVICE_LAW_ANY ? tw_touch_traits_of(model, run->extras) : exact;
}

/* ---- Laws and movement ---- */

/* Among several materials. */
TW_INLINE tw_contact_law tw_device_laws_of_materials(const tw_model *model, const tw_slots *slots,
                                                     const tw_device_run *run, uint32_t s,
                                                     double root, double mass, double ratio)
{
    tw_contact_law law = model->laws[slots->law[s]];
    const int by_radius = (law.flags & TW_CONTACT_BY_RADIUS) != 0,
              by_mass = (law.flags & TW_CONTACT_BY_MASS) != 0,
              levers = (law.flags & TW_CONTACT_YADE_LEVERS) != 0;
    law.flags = run->flags;
    return tw_contact_touch_law_of_materials(&law, by_radius, by_mass, levers, root, mass, ratio);
}

/* The law with the radius and mass of the contact. */
TW_INLINE void tw_device_laws_law(tw_touch_traits h, const tw_model *model,
                                  const tw_schedule *schedule, const tw_device_run *run, uint32_t s,
                                  tw_contact_touch_constants *c)
{
    const tw_slots *slots = &schedule->slots;
    const tw_contact_law *first = model->laws;
    uint32_t flags = first->flags;
    c->soft = tw_contact_law_compliance(first->kt);
    if (!h.varied) {
        c->law = *first;
    } else {
        const tw_tile_half *half = schedule->tiles.half;
        const double root = slots->root[s];
        double mass = 0.0;
        if (run->flags & TW_CONTACT_BY_MASS)
            mass = tw_contact_touch_mass(half[slots->body_p[s]].mass, half[slots->body_q[s]].mass);
        double ratio = 0.0;
        if (run->flags & TW_CONTACT_YADE_LEVERS) {
            const tw_tile_sphere_slot *sphere = schedule->tiles.sphere_slot;
            ratio = tw_contact_ratio(sphere[slots->sphere_p[s]].radius,
                                     sphere[slots->sphere_q[s]].radius);
        }
        if (model->material_count == 1) {
            c->law = tw_contact_law_at_root(first, root, mass, ratio);
            if (flags & TW_CONTACT_BY_RADIUS)
                c->soft *= tw_contact_law_radius_factor(first, slots->inv_root[s]);
        } else {
            flags = first[slots->law[s]].flags;
            c->law = tw_device_laws_of_materials(model, slots, run, s, root, mass, ratio);
            c->soft = tw_contact_law_compliance(c->law.kt);
        }
    }
    c->law.normal = h.normal;
    c->pulls = !(flags & TW_CONTACT_NO_TENSION);
}

/* No rolling and no twisting. */
TW_INLINE void tw_device_laws_straight(tw_contact_touch_contact *c)
{
    c->radius = c->twisted = 0.0;
    c->rolled = c->rolling.ft = tw_vec3_make(0.0, 0.0, 0.0);
    c->rolling.micro = c->rolling.lost = 0.0;
    c->rolling.done = 1;
    c->rolling.open = c->rolling.slides = 0;
    c->twisting.fw = c->twisting.lost = 0.0;
    c->twisting.yields = 0;
}

TW_INLINE void tw_device_laws_move(const tw_device_contact *at, tw_touch_traits h,
                                   tw_contact_touch_contact *c)
{
    const tw_tile_half *half = at->schedule->tiles.half;
    const tw_slots *slots = &at->schedule->slots;
    c->step = tw_device_plain_step(at, h.kind);
    c->point = tw_device_plain_point(at, c->step.zeta1, c->step.n1);
    tw_device_laws_law(h, at->model, at->schedule, at->run, at->s, &c->own);
    tw_device_laws_straight(c);
    if (!tw_touch_turns(h)) return;
    const double root = slots->root[at->s];
    c->radius = root * root;
    c->rolled = tw_contact_touch_rolled(
        h.kind, c->radius, c->step.n0, c->step.n1, tw_device_rows_half(&half[slots->body_p[at->s]]),
        tw_device_rows_half(&half[slots->body_q[at->s]]), &c->twisted);
}

/* ---- Springs ---- */

TW_INLINE double tw_device_laws_inv_dt(const tw_state *state)
{
    return state->dt > 0.0 ? 1.0 / state->dt : 0.0;
}

TW_INLINE void tw_device_laws_stick(tw_touch_traits h, const tw_state *state, uint32_t s,
                                    tw_contact_touch_contact *c)
{
    const tw_extras *extras = &state->contacts.extras;
    tw_contact_law *law = &c->own.law;
    tw_contact_touch_springs(h, &c->own, c);
    if (tw_contact_normal_stiffens(h.normal) && tw_contact_springs_far(&c->springs))
        tw_contact_touch_springs_far(h, &c->own, c);
    if ((h.parts & TW_CONTACT_EXTRA_DAMPING) && !c->own.pulls) {
        const tw_contact_damped damped =
            tw_contact_touch_damped(h.normal, law, &c->step, c, 0, tw_device_laws_inv_dt(state));
        law->mu = tw_contact_touch_friction(law, &damped, c->step.du,
                                            tw_contact_touch_get3(extras->rate, s));
    }
    tw_contact_touch_stick(h, &c->own, extras, s, &c->step, c);
}

TW_INLINE void tw_device_laws_slip(const tw_contact_law *law, const tw_contact_touch_contact *c,
                                   tw_contact_touch_slider *slider)
{
    const tw_contact_trial t = tw_contact_touch_slider_trial(slider, c->step.n1);
    const tw_contact_slide out = tw_contact_slide_try(law, &c->springs, &c->step, &t);
    if (!out.holds) return;
    slider->ft = out.ft;
    slider->micro = out.micro;
    slider->lost =
        tw_contact_touch_slide_lost(law->normal, tw_contact_law_compliance(law->kt), &out);
    slider->slides = slider->done = 1;
}

/* ---- Damping and forces ---- */

TW_INLINE void tw_device_laws_finish(const tw_device_contact *at, tw_touch_traits h,
                                     tw_contact_touch_contact *c)
{
    tw_state *state = at->state;
    tw_device_touch *touch = at->touch;
    const uint32_t s = at->s;
    const tw_extras *extras = &state->contacts.extras;
    const double inv_dt = tw_device_laws_inv_dt(state);
    const tw_vec3 n = c->step.n1, ft = c->sliding.ft;
    const tw_contact_memory memory = {n, c->step.zeta1, ft};
    c->done = 1;
    c->viscous = 0.0;
    tw_vec3 f = tw_vec3_sub(ft, tw_vec3_scale(tw_contact_law_force(&c->own.law, c->springs.p1), n));
    if (h.parts & TW_CONTACT_EXTRA_DAMPING) {
        tw_contact_touch_damp(h, &c->own, inv_dt, extras, s, &c->step, c);
        tw_contact_touch_damp_within(h, &c->own, !c->own.pulls, extras, s, c);
        tw_contact_touch_damp_keep(extras, s, c);
        f = tw_vec3_add(f, c->drag);
    }
    tw_vec3 t = tw_vec3_cross(c->point, f);
    if (tw_touch_turns(h))
        t = tw_vec3_add(t, tw_contact_touch_turn(h, &c->own, inv_dt, extras, s, c));
    tw_device_rows_put_six(touch->load + 6 * (size_t)s, f, t);
    double lost[TW_CONTACT_LOST_KINDS];
    lost[TW_CONTACT_LOST_FRICTION] = c->sliding.lost;
    lost[TW_CONTACT_LOST_MICRO_SLIP] =
        tw_contact_normal_stiffens(h.normal) ? c->sliding.micro : 0.0;
    lost[TW_CONTACT_LOST_ROLLING] = c->rolling.micro + c->rolling.lost;
    lost[TW_CONTACT_LOST_TWISTING] = c->twisting.lost;
    lost[TW_CONTACT_LOST_DAMPING] = c->viscous;
    tw_device_laws_lose(touch, s, lost);
    tw_bundle_put(state->contacts.bundle, s, &memory);
    if (tw_contact_normal_stiffens(h.normal)) touch->zeta_before[s] = c->step.zeta0;
    state->contacts.sliding[s] = (uint8_t)c->sliding.slides;
    touch->slot_state[s] = TW_DEVICE_LANES;
}

/* ---- The passes ---- */

/* A contact slot: does it neither slide nor roll? */
TW_INLINE void tw_device_laws(const tw_model *model, const tw_schedule *schedule,
                              const tw_device_list *list, tw_state *state, tw_device_run *run,
                              tw_device_touch *touch, uint32_t s, int law)
{
    const tw_touch_traits h = tw_device_laws_traits(model, run, law);
    const tw_device_contact at = {model, schedule, list, state, run, touch, s};
    const tw_tile *tile = &schedule->tiles.tile[list->bundle_tile[s / TW_BUNDLE]];
    if (s - tile->slot >= tile->slots || schedule->slots.pair[s] == TW_NO_PAIR) return;
    tw_contact_touch_contact c;
    tw_device_laws_move(&at, h, &c);
    tw_device_laws_stick(h, state, s, &c);
    /* Larger overlaps, and contacts with another normal law, are advanced one by one; where no time
     * passes, all are. */
    const uint32_t others = TW_CONTACT_EXTRA_ALL & ~(uint32_t)TW_TOUCH_IN_LANES;
    const int singly = run->rigid || (run->extras & others);
    const int same = model->material_count == 1 ||
                     model->laws[schedule->slots.law[s]].normal == model->laws->normal;
    const int flat = same & (c.step.zeta1 < (singly ? -1.0 : 0.5 * schedule->radius_min));
    if (flat & c.sliding.done & c.rolling.done) {
        tw_device_laws_finish(&at, h, &c);
        return;
    }
    const int open = (c.sliding.done | c.sliding.open) & (c.rolling.done | c.rolling.open);
    if (flat & open && h.kind == TW_CONTACT_EXACT && h.refine == TW_CONTACT_ALL)
        touch->slide_queue[tw_device_atomic_next(&run->slide_queue)] = s;
    else
        touch->general_queue[tw_device_atomic_next(&run->general_queue)] = s;
}

/* A contact that slides or rolls: only the exact law with all refinements has any. */
TW_INLINE void tw_device_laws_slide(const tw_model *model, const tw_schedule *schedule,
                                    const tw_device_list *list, tw_state *state, tw_device_run *run,
                                    tw_device_touch *touch, uint32_t i, int law)
{
    const tw_device_contact at = {model, schedule, list, state, run, touch, touch->slide_queue[i]};
    tw_touch_traits h = tw_device_laws_traits(model, run, law);
    h.kind = TW_CONTACT_EXACT;
    h.refine = TW_CONTACT_ALL;
    tw_contact_touch_contact c;
    tw_device_laws_move(&at, h, &c);
    tw_device_laws_stick(h, state, at.s, &c);
    if (c.sliding.open) tw_device_laws_slip(&c.own.law, &c, &c.sliding);
    if (c.rolling.open) {
        const tw_contact_law rolling = tw_contact_law_rolling(&c.own.law);
        tw_device_laws_slip(&rolling, &c, &c.rolling);
    }
    if (c.sliding.done & c.rolling.done)
        tw_device_laws_finish(&at, h, &c);
    else
        touch->general_queue[tw_device_atomic_next(&run->general_queue)] = at.s;
}

/* The remaining contacts. The last force of a damped contact that has parted acts in this step. */
TW_INLINE void tw_device_laws_general(const tw_model *model, const tw_schedule *schedule,
                                      const tw_device_list *list, tw_state *state,
                                      tw_device_run *run, tw_device_touch *touch, uint32_t i)
{
    const uint32_t s = touch->general_queue[i];
    const tw_contact_law *law = &model->laws[schedule->slots.law[s]];
    const tw_vec3 *rigid = run->rigid ? &run->turn : NULL;
    const tw_device_contact at = {model, schedule, list, state, run, touch, s};
    const tw_contact_step step = tw_device_plain_step(&at, law->kind);
    const tw_vec3 point = tw_device_plain_point(&at, step.zeta1, step.n1);
    tw_touch_one one;
    one.memory = tw_bundle_get(state->contacts.bundle, s);
    const tw_contact_motion motion =
        tw_touch_one_motion(state, schedule, rigid, s, law, &one.memory);
    tw_touch_one_advance(state, rigid, run->rigid, law, &motion, s, &one);
    tw_device_laws_lose_singly(touch, s, &one.load);
    tw_device_bits_set(touch->single, s);
    if (one.load.touching) {
        touch->slot_state[s] = TW_DEVICE_SINGLE;
        state->contacts.sliding[s] = (uint8_t)one.load.sliding;
        if (tw_touch_one_is_bad(&one.load, one.memory.zeta,
                                tw_touch_one_allowed(&schedule->tiles, &schedule->slots, s)))
            tw_device_atomic_min(&run->bad_pair, schedule->slots.pair[s]);
    } else {
        tw_device_plain_end(&at);
    }
    tw_device_rows_put_six(touch->load + 6 * (size_t)s, one.load.f,
                           tw_vec3_add(tw_vec3_cross(point, one.load.f), one.load.couple));
}

/* ---- Stored energies ---- */

/* One of step/touch_lanes.c that was advanced in lanes. */
TW_INLINE void tw_device_stored_lanes(const tw_model *model, const tw_contacts *contacts,
                                      const tw_schedule *schedule, const tw_device_run *run,
                                      const tw_device_touch *touch, uint32_t s, double *term)
{
    const tw_touch_traits h = tw_touch_traits_of(model, run->extras);
    const tw_extras *extras = &contacts->extras;
    const tw_contact_memory memory = tw_bundle_get(contacts->bundle, s);
    const double zeta0 = tw_contact_normal_stiffens(h.normal) ? touch->zeta_before[s] : memory.zeta;
    tw_contact_touch_constants c;
    tw_device_laws_law(h, model, schedule, run, s, &c);
    const tw_contact_springs springs =
        tw_contact_springs_of(h.kind, h.refine, &c.law, zeta0, memory.zeta);
    term[TW_CONTACT_STORED_NORMAL] =
        tw_contact_law_stored_normal_by(&c.law, memory.zeta, springs.p1);
    term[TW_CONTACT_STORED_TANGENTIAL] =
        tw_contact_touch_stored(h.normal, &springs, c.soft, tw_vec3_dot(memory.ft, memory.ft));
    if (extras->fr) {
        const tw_vec3 fr = tw_bundle_force_get(extras->fr, s);
        term[TW_CONTACT_STORED_ROLLING] = tw_contact_touch_stored(
            h.normal, &springs, tw_contact_law_compliance(c.law.k_r), tw_vec3_dot(fr, fr));
    }
    if (extras->fw) {
        const double fw = extras->fw[s / TW_BUNDLE].x[s % TW_BUNDLE];
        term[TW_CONTACT_STORED_TWISTING] = tw_contact_touch_stored(
            h.normal, &springs, tw_contact_law_compliance(c.law.k_w) * fw, fw);
    }
}

#endif
