/* SPDX-License-Identifier: BSD-3-Clause */
/* Contacts between spheres by one linear law without damping, rolling and twisting: what
 * step/touch_spheres.c and touch.c do, one contact at a time. The first pass
 * takes contacts that did not slide in the step before, and keeps those that stick; device_slides.h
 * takes the others; the last one the few that are left. The movement is computed again there: that
 * is less than storing it. */
#ifndef TW_DEVICE_PLAIN_H
#define TW_DEVICE_PLAIN_H

#include <string.h>

#include "device/device_bits.h"
#include "device/device_rows.h"
#include "device/device_world.h"
#include "step/touch_one.h"

/* The law, known to be linear. */
TW_INLINE tw_contact_law tw_device_plain_law(const tw_device_world *w)
{
    tw_contact_law law = w->model.laws[0];
    law.normal = TW_CONTACT_LINEAR;
    return law;
}

/* The exact law with all refinements. */
TW_INLINE int tw_device_plain_is_exact(const tw_contact_law *law)
{
    return law->kind == TW_CONTACT_EXACT && tw_contact_refine_of(law) == TW_CONTACT_ALL;
}

/* Where the force of the contact in slot s acts, relative to the tile's origin. */
TW_INLINE tw_vec3 tw_device_plain_point(const tw_device_world *w, uint32_t s, double zeta,
                                        tw_vec3 n)
{
    const tw_tile_sphere_slot p =
        tw_device_rows_sphere(&w->schedule.tiles.sphere_slot[w->schedule.slots.sphere_p[s]]);
    return tw_vec3_add_scaled(tw_vec3_make(p.x[0], p.x[1], p.x[2]), p.radius - 0.5 * zeta, n);
}

/* The step of the contact in slot s. */
TW_INLINE tw_contact_step tw_device_plain_step(int32_t kind, const tw_device_world *w, uint32_t s)
{
    const tw_tiles *tiles = &w->schedule.tiles;
    const tw_slots *slots = &w->schedule.slots;
    const tw_tile_sphere_slot p = tw_device_rows_sphere(&tiles->sphere_slot[slots->sphere_p[s]]),
                              q = tw_device_rows_sphere(&tiles->sphere_slot[slots->sphere_q[s]]);
    const tw_contact_memory memory = tw_bundle_get(w->state.contacts.bundle, s);
    const tw_vec3 from = tw_vec3_make(p.x[0], p.x[1], p.x[2]);
    tw_contact_spheres spheres;
    spheres.branch = tw_vec3_sub(tw_vec3_make(q.x[0], q.x[1], q.x[2]), from);
    spheres.length = sqrt(tw_vec3_dot(spheres.branch, spheres.branch));
    spheres.n = tw_vec3_scale(1.0 / spheres.length, spheres.branch);
    spheres.radius_p = p.radius;
    spheres.radius_q = q.radius;
    spheres.half_p = tw_device_rows_half(&tiles->half[slots->body_p[s]]);
    spheres.half_q = tw_device_rows_half(&tiles->half[slots->body_q[s]]);
    tw_contact_step step;
    step.n0 = memory.n;
    step.zeta0 = memory.zeta;
    step.ft0 = memory.ft;
    step.n1 = spheres.n;
    step.du = tw_contact_spheres_movement(kind, &spheres, step.n0, step.zeta0, &step.zeta1);
    step.twist_p = tw_contact_twist_of(kind, spheres.half_p, step.n0, step.n1);
    step.twist_q = tw_contact_twist_of(kind, spheres.half_q, step.n0, step.n1);
    return step;
}

/* Memory and force at the end of the step; how the contact was advanced, and whether it slides. All
 * addresses are read before the first number is written, or a device would wait for each of them.
 */
TW_INLINE void tw_device_plain_put(tw_device_world *w, uint32_t s, const tw_contact_law *law,
                                   const tw_contact_memory *memory, int how, int sliding)
{
    double *const load = w->load + 6 * (size_t)s;
    uint8_t *const hows = w->slot_state, *const slidings = w->state.contacts.sliding;
    const tw_vec3 f = tw_contact_law_elastic_force(law, memory);
    const tw_vec3 t = tw_vec3_cross(tw_device_plain_point(w, s, memory->zeta, memory->n), f);
    tw_bundle_put(w->state.contacts.bundle, s, memory);
    tw_device_rows_put_six(load, f, t);
    hows[s] = (uint8_t)how;
    slidings[s] = (uint8_t)sliding;
}

/* ---- Contacts that stick ---- */

/* Work lost in a step that sticks: that of first-order carrying. */
TW_INLINE double tw_device_plain_stick_lost(int32_t kind, const tw_contact_law *law,
                                            const tw_contact_trial *t)
{
    if (kind == TW_CONTACT_EXACT || !(law->mu > 0.0)) return 0.0;
    return tw_contact_trial_work(law, t) -
           tw_contact_law_tangential_factor(law) * tw_contact_change(t->ft0, t->ft);
}

enum { TW_DEVICE_PLAIN_DONE, TW_DEVICE_PLAIN_MAY_SLIDE, TW_DEVICE_PLAIN_GENERAL };

/* A step, and what it begins with. */
typedef struct tw_device_plain_carried {
    tw_contact_step step;
    tw_contact_trial trial;
} tw_device_plain_carried;

TW_INLINE tw_device_plain_carried tw_device_plain_carry(int32_t kind, uint32_t refine,
                                                        const tw_device_world *w, uint32_t s)
{
    tw_device_plain_carried by;
    by.step = tw_device_plain_step(kind, w, s);
    by.trial = tw_contact_try_carry(kind, refine, &by.step);
    return by;
}

/* Advances it if it sticks; otherwise says whether it may be a short slide. A slot without a
 * contact (occupied = 0) is computed as well, with the idle spheres that it names, and nothing is
 * written: a device would wait for `occupied` before it reads anything else. */
TW_INLINE int tw_device_plain_stick(int32_t kind, uint32_t refine, tw_device_world *w, uint32_t s,
                                    const tw_contact_law *law, const tw_device_plain_carried *by,
                                    int occupied)
{
    const double shallow = w->run.shallow, deepest = w->run.deepest;
    const int slippery = !(law->mu > 0.0);
    const tw_contact_step step = by->step;
    tw_contact_trial t = by->trial;
    tw_contact_course course;
    memset(&course, 0, sizeof course);
    course.fn1 = step.zeta1; /* of a linear law nothing is used */
    tw_contact_try_limit(kind, refine, law, &course, &step, &t);
    if (slippery) { /* no tangential force */
        t.inside = tw_vec3_dot(step.ft0, step.ft0) == 0.0;
        t.ft = tw_vec3_scale(0.0, step.ft0);
    }
    const int simple = t.small & (step.zeta0 > 0.0) & (step.zeta1 < deepest);
    const tw_contact_memory memory = {step.n1, step.zeta1, t.ft};
    if (occupied & t.inside & simple & (step.zeta1 > shallow)) {
        /* Of TW_DEVICE_LAW_EXACT_LINEAR it is 0, and not read if the contact does not slide. */
        if (kind != TW_CONTACT_EXACT || refine != TW_CONTACT_ALL || slippery)
            w->lost[TW_DEVICE_FRICTION][s] = tw_device_plain_stick_lost(kind, law, &t);
        tw_device_plain_put(w, s, law, &memory, TW_DEVICE_LANES, slippery);
        return TW_DEVICE_PLAIN_DONE;
    }
    if (!occupied) return TW_DEVICE_PLAIN_DONE;
    return kind == TW_CONTACT_EXACT && refine == TW_CONTACT_ALL && law->kt > 0.0 &&
                   simple & (step.zeta1 > 0.0)
               ? TW_DEVICE_PLAIN_MAY_SLIDE
               : TW_DEVICE_PLAIN_GENERAL;
}

/* Lists a contact that did not stick. */
TW_INLINE void tw_device_plain_list(tw_device_world *w, uint32_t s, int result)
{
    if (result != TW_DEVICE_PLAIN_DONE)
        w->general_queue[tw_device_atomic_next(&w->run.general_queue)] =
            result == TW_DEVICE_PLAIN_MAY_SLIDE ? s | TW_DEVICE_MAY_SLIDE : s;
}

/* Whether there was a contact in slot s before the step: new ones may be made at the same time, and
 * are in the list of the rest. Slots of walls lie between those of spheres. */
TW_INLINE int tw_device_plain_is_old(const tw_device_world *w, uint32_t s)
{
    if (w->slot_state[s] == TW_DEVICE_EMPTY) return 0;
    return w->wall_pairs == 0 ||
           s < w->schedule.tiles.tile[w->bundle_tile[s / TW_BUNDLE]].wall_slot;
}

/* The exact law with all refinements, known to the compiler: registers for the others would slow it
 * down. Contacts that slid in the step before are those of device_slides.h. */
TW_INLINE void tw_device_plain_exact(tw_device_world *w, uint32_t s)
{
    const int old =
        tw_device_plain_is_old(w, s) & !tw_device_bits_has(w->sliders[1 - w->run.slider_buffer], s);
    if (w->wall_pairs > 0 && !old) return; /* slots of walls name no spheres */
    const tw_contact_law law = tw_device_plain_law(w);
    const tw_device_plain_carried by =
        tw_device_plain_carry(TW_CONTACT_EXACT, TW_CONTACT_ALL, w, s);
    tw_device_plain_list(
        w, s, tw_device_plain_stick(TW_CONTACT_EXACT, TW_CONTACT_ALL, w, s, &law, &by, old));
}

/* Any plain law. */
TW_INLINE int tw_device_plain_try(tw_device_world *w, uint32_t s)
{
    const tw_contact_law law = tw_device_plain_law(w);
    const uint32_t refine = tw_contact_refine_of(&law);
    const tw_device_plain_carried by = tw_device_plain_carry(law.kind, refine, w, s);
    return tw_device_plain_stick(law.kind, refine, w, s, &law, &by, 1);
}

TW_INLINE void tw_device_plain(tw_device_world *w, uint32_t s)
{
    if (tw_device_plain_is_old(w, s)) tw_device_plain_list(w, s, tw_device_plain_try(w, s));
}

/* ---- Short slides ---- */

/* 0: it is not one. */
TW_INLINE int tw_device_plain_slide(tw_device_world *w, uint32_t s, const tw_contact_law *law,
                                    const tw_device_plain_carried *by)
{
    const tw_contact_step step = by->step;
    tw_contact_trial t = by->trial;
    tw_contact_trial_twist(&t, step.n1);
    const tw_contact_course course =
        tw_contact_course_of(TW_CONTACT_EXACT, TW_CONTACT_ALL, law, step.zeta0, step.zeta1);
    const tw_contact_slide slide = tw_contact_slide_try(law, &course, &step, &t);
    if (!(slide.holds & (step.zeta1 < w->run.deepest))) return 0;
    const tw_contact_memory memory = {step.n1, step.zeta1, slide.ft};
    w->lost[TW_DEVICE_FRICTION][s] =
        slide.work - tw_contact_law_tangential_factor(law) * slide.change;
    tw_device_bits_set(w->slid, s);
    tw_device_bits_set(w->sliders[w->run.slider_buffer], s);
    tw_device_plain_put(w, s, law, &memory, TW_DEVICE_LANES, 1);
    return 1;
}

/* The same for a contact of which nothing is known yet. */
TW_INLINE int tw_device_plain_slide_only(tw_device_world *w, uint32_t s)
{
    const tw_contact_law law = tw_device_plain_law(w);
    const tw_device_plain_carried by =
        tw_device_plain_carry(TW_CONTACT_EXACT, TW_CONTACT_ALL, w, s);
    return tw_device_plain_slide(w, s, &law, &by);
}

/* ---- The remaining contacts ---- */

/* As tw_touch_single_advance. */
TW_INLINE void tw_device_plain_advance(const tw_device_world *w, uint32_t s,
                                       const tw_contact_step *step, tw_contact_memory *memory,
                                       tw_contact_load *load)
{
    const tw_contact_law *law = w->model.laws;
    const uint32_t refine = tw_contact_refine_of(law);
    const tw_vec3 *turn = w->run.rigid ? &w->run.turn : NULL;
    const tw_contact_trial carried = tw_contact_try_carry(law->kind, refine, step);
    tw_contact_motion motion = tw_touch_one_motion(&w->state, &w->schedule, turn, s, law, memory);
    if (carried.small && !turn) { /* the movement of the trial */
        const tw_contact_trial trial = {carried.ft0,     carried.dxi, carried.phi,
                                        {0.0, 0.0, 0.0}, 1,           0};
        motion.n = step->n1;
        motion.zeta = step->zeta1;
        motion.du = step->du;
        tw_contact_advance_any(law->kind, refine, law, &motion, &trial, memory, load);
    } else {
        TW_TOUCH_ONE_LAW(law, &motion, w->state.dt, memory, NULL, load);
    }
}

/* A contact that has parted: its slot is emptied once the forces are summed. */
TW_INLINE void tw_device_plain_end(tw_device_world *w, uint32_t s)
{
    const uint32_t t = w->bundle_tile[s / TW_BUNDLE], first = w->schedule.tiles.tile[t].slot;
    w->ended[first + tw_device_atomic_add(&w->tile[t].ended, 1)] = s;
    w->slot_state[s] = TW_DEVICE_ENDED;
    for (int k = 0; k < 6; k++)
        w->load[6 * (size_t)s + (size_t)k] = 0.0;
}

/* The memory of a contact that was advanced one by one, and what `load` says. */
TW_INLINE void tw_device_plain_settle(tw_device_world *w, uint32_t s, const tw_contact_law *law,
                                      const tw_contact_memory *memory, const tw_contact_load *load)
{
    const tw_tile_sphere_slot *spheres = w->schedule.tiles.sphere_slot;
    const double rp = spheres[w->schedule.slots.sphere_p[s]].radius,
                 rq = spheres[w->schedule.slots.sphere_q[s]].radius;
    const double allowed = 0.5 * (rp < rq ? rp : rq);
    w->lost[TW_DEVICE_FRICTION][s] = load->work_dissipated;
    tw_device_bits_set(w->single, s);
    if (!load->touching) {
        tw_device_plain_end(w, s);
        return;
    }
    if (tw_touch_one_is_bad(load, memory->zeta, allowed))
        tw_device_atomic_min(&w->run.bad_pair, w->schedule.slots.pair[s]);
    if (load->sliding) tw_device_bits_set(w->sliders[w->run.slider_buffer], s);
    tw_device_plain_put(w, s, law, memory, TW_DEVICE_SINGLE, load->sliding);
}

TW_INLINE void tw_device_plain_general(tw_device_world *w, uint32_t s)
{
    const tw_contact_step step = tw_device_plain_step(w->model.laws->kind, w, s);
    tw_contact_memory memory = tw_bundle_get(w->state.contacts.bundle, s);
    tw_contact_load load;
    tw_device_plain_advance(w, s, &step, &memory, &load);
    tw_device_plain_settle(w, s, w->model.laws, &memory, &load);
}

/* A new contact that, by rounding, overlapped at the start of the step already: as one that was
 * there. */
TW_MATH_CALL int tw_device_plain_new(tw_device_world *w, uint32_t s)
{
    const int result = tw_device_plain_try(w, s);
    return result == TW_DEVICE_PLAIN_DONE ||
           (result == TW_DEVICE_PLAIN_MAY_SLIDE && tw_device_plain_slide_only(w, s));
}

TW_INLINE void tw_device_plain_any(tw_device_world *w, uint32_t s)
{
    if (w->slot_state[s] == TW_DEVICE_EMPTY &&
        tw_bundle_get(w->state.contacts.bundle, s).zeta > 0.0 && tw_device_plain_new(w, s))
        return;
    tw_device_plain_general(w, s);
}

/* A contact of the list. */
TW_INLINE void tw_device_plain_rest(tw_device_world *w, uint32_t i)
{
    const uint32_t entry = w->general_queue[i], s = entry & ~TW_DEVICE_MAY_SLIDE;
    if (entry & TW_DEVICE_MAY_SLIDE && tw_device_plain_slide_only(w, s)) return;
    tw_device_plain_any(w, s);
}

#endif
