/* SPDX-License-Identifier: BSD-3-Clause */
/* Contacts between spheres by one linear law without damping, rolling and twisting: what
 * step/touch_lanes.c does, one contact at a time. The first pass takes contacts that did not slide
 * in the step before, and keeps those that stick; another one, concurrently, the others; the last
 * one the few that are left. The movement is computed again there: that is less than storing it. */
#ifndef TW_DEVICE_PLAIN_H
#define TW_DEVICE_PLAIN_H

#include <string.h>

#include "device/device_access.h"
#include "device/device_world.h"
#include "step/touch_one.h"

/* The law, known to be linear. */
TW_INLINE tw_contact_law tw_device_plain_law(const tw_model *model)
{
    tw_contact_law law = model->laws[0];
    law.normal = TW_CONTACT_LINEAR;
    return law;
}

/* The exact law with all refinements. */
TW_INLINE int tw_device_plain_is_exact(const tw_contact_law *law)
{
    return law->kind == TW_CONTACT_EXACT && tw_contact_refine_of(law) == TW_CONTACT_ALL;
}

/* A contact slot of spheres, and the parts of the world that its contact is advanced with. */
typedef struct tw_device_contact {
    const tw_model *model;
    const tw_schedule *schedule;
    const tw_device_list *list;
    tw_state *state;
    tw_device_run *run;
    tw_device_touch *touch;
    uint32_t s;
} tw_device_contact;

/* Where the force of the contact in slot s acts, relative to the tile's origin. */
TW_INLINE tw_vec3 tw_device_plain_point(const tw_device_contact *at, double zeta, tw_vec3 n)
{
    const uint32_t s = at->s;
    const tw_tile_sphere_slot p =
        tw_device_rows_sphere(&at->schedule->tiles.sphere_slot[at->schedule->slots.sphere_p[s]]);
    return tw_vec3_add_scaled(tw_vec3_make(p.x[0], p.x[1], p.x[2]), p.radius - 0.5 * zeta, n);
}

/* The step of the contact in slot s. */
TW_INLINE tw_contact_step tw_device_plain_step(const tw_device_contact *at, int32_t kind)
{
    const uint32_t s = at->s;
    const tw_tile_sphere_slot
        p = tw_device_rows_sphere(
            &at->schedule->tiles.sphere_slot[at->schedule->slots.sphere_p[s]]),
        q = tw_device_rows_sphere(
            &at->schedule->tiles.sphere_slot[at->schedule->slots.sphere_q[s]]);
    const tw_contact_memory memory = tw_bundle_get(at->state->contacts.bundle, s);
    const tw_vec3 from = tw_vec3_make(p.x[0], p.x[1], p.x[2]);
    tw_contact_spheres spheres;
    spheres.branch = tw_vec3_sub(tw_vec3_make(q.x[0], q.x[1], q.x[2]), from);
    spheres.length = sqrt(tw_vec3_dot(spheres.branch, spheres.branch));
    spheres.n = tw_vec3_scale(1.0 / spheres.length, spheres.branch);
    spheres.radius_p = p.radius;
    spheres.radius_q = q.radius;
    spheres.half_p = tw_device_rows_half(&at->schedule->tiles.half[at->schedule->slots.body_p[s]]);
    spheres.half_q = tw_device_rows_half(&at->schedule->tiles.half[at->schedule->slots.body_q[s]]);
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
TW_INLINE void tw_device_plain_put(const tw_device_contact *at, const tw_contact_law *law,
                                   const tw_contact_memory *memory, int how, int sliding)
{
    const uint32_t s = at->s;
    double *const load = at->touch->load + 6 * (size_t)s;
    uint8_t *const hows = at->touch->slot_state, *const slidings = at->state->contacts.sliding;
    const tw_vec3 f = tw_contact_law_elastic_force(law, memory);
    const tw_vec3 t = tw_vec3_cross(tw_device_plain_point(at, memory->zeta, memory->n), f);
    tw_bundle_put(at->state->contacts.bundle, s, memory);
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

TW_INLINE tw_touch_carried tw_device_plain_carry(const tw_device_contact *at, int32_t kind,
                                                 uint32_t refine)
{
    tw_touch_carried by;
    by.step = tw_device_plain_step(at, kind);
    by.trial = tw_contact_try_carry(kind, refine, &by.step);
    return by;
}

/* Advances it if it sticks; otherwise says whether it may be a short slide. A slot without a
 * contact (occupied = 0) is computed as well, with the idle spheres that it names, and nothing is
 * written: a device would wait for `occupied` before it reads anything else. */
TW_INLINE int tw_device_plain_stick(const tw_device_contact *at, int32_t kind, uint32_t refine,
                                    const tw_contact_law *law, const tw_touch_carried *by,
                                    int occupied)
{
    const uint32_t s = at->s;
    const double shallow = at->run->shallow, deepest = at->run->deepest;
    const int slippery = !(law->mu > 0.0);
    const tw_contact_step step = by->step;
    tw_contact_trial t = by->trial;
    tw_contact_springs springs;
    memset(&springs, 0, sizeof springs);
    springs.p1 = step.zeta1; /* of a linear law nothing is used */
    tw_contact_try_limit(kind, refine, law, &springs, &step, &t);
    if (slippery) { /* no tangential force */
        t.inside = tw_vec3_dot(step.ft0, step.ft0) == 0.0;
        t.ft = tw_vec3_scale(0.0, step.ft0);
    }
    const int simple = t.small & tw_contact_law_grips(law, step.zeta0) & (step.zeta1 < deepest);
    const tw_contact_memory memory = {step.n1, step.zeta1, t.ft};
    if (occupied & t.inside & simple & (step.zeta1 > shallow)) {
        /* With TW_DEVICE_LAW_EXACT_LINEAR it is 0, and not read if the contact does not slide. */
        if (kind != TW_CONTACT_EXACT || refine != TW_CONTACT_ALL || slippery)
            at->touch->lost[TW_CONTACT_LOST_FRICTION][s] =
                tw_device_plain_stick_lost(kind, law, &t);
        tw_device_plain_put(at, law, &memory, TW_DEVICE_LANES, slippery);
        return TW_DEVICE_PLAIN_DONE;
    }
    if (!occupied) return TW_DEVICE_PLAIN_DONE;
    return kind == TW_CONTACT_EXACT && refine == TW_CONTACT_ALL && law->kt > 0.0 &&
                   simple & tw_contact_law_grips(law, step.zeta1)
               ? TW_DEVICE_PLAIN_MAY_SLIDE
               : TW_DEVICE_PLAIN_GENERAL;
}

/* Lists a contact that did not stick. */
TW_INLINE void tw_device_plain_list(const tw_device_contact *at, int result)
{
    const uint32_t s = at->s;
    if (result != TW_DEVICE_PLAIN_DONE)
        at->touch->general_queue[tw_device_atomic_next(&at->run->general_queue)] =
            result == TW_DEVICE_PLAIN_MAY_SLIDE ? s | TW_DEVICE_MAY_SLIDE : s;
}

/* Whether there was a contact in slot s before the step: new ones may be made at the same time, and
 * are in the list of the rest. Slots of walls lie between those of spheres. */
TW_INLINE int tw_device_plain_is_old(const tw_device_contact *at)
{
    const uint32_t s = at->s;
    if (at->touch->slot_state[s] == TW_DEVICE_EMPTY) return 0;
    return at->list->wall_pairs == 0 ||
           s < at->schedule->tiles.tile[at->list->bundle_tile[s / TW_BUNDLE]].wall_slot;
}

/* The exact law with all refinements, known to the compiler: registers for the others would slow it
 * down. Contacts that slid in the step before are those of tw_device_slides. */
TW_INLINE void tw_device_plain_exact(const tw_device_contact *at)
{
    const int old = tw_device_plain_is_old(at) &
                    !tw_device_bits_has(at->touch->sliders[1 - at->run->slider_buffer], at->s);
    if (at->list->wall_pairs > 0 && !old) return; /* slots of walls name no spheres */
    const tw_contact_law law = tw_device_plain_law(at->model);
    const tw_touch_carried by = tw_device_plain_carry(at, TW_CONTACT_EXACT, TW_CONTACT_ALL);
    tw_device_plain_list(
        at, tw_device_plain_stick(at, TW_CONTACT_EXACT, TW_CONTACT_ALL, &law, &by, old));
}

/* Any plain law. */
TW_INLINE int tw_device_plain_try(const tw_device_contact *at)
{
    const tw_contact_law law = tw_device_plain_law(at->model);
    const uint32_t refine = tw_contact_refine_of(&law);
    const tw_touch_carried by = tw_device_plain_carry(at, law.kind, refine);
    return tw_device_plain_stick(at, law.kind, refine, &law, &by, 1);
}

TW_INLINE void tw_device_plain(const tw_device_contact *at)
{
    if (tw_device_plain_is_old(at)) tw_device_plain_list(at, tw_device_plain_try(at));
}

/* ---- Short slides ---- */

/* 0: it is not one. */
TW_INLINE int tw_device_plain_slide(const tw_device_contact *at, const tw_contact_law *law,
                                    const tw_touch_carried *by)
{
    const uint32_t s = at->s;
    const tw_contact_step step = by->step;
    tw_contact_trial t = by->trial;
    tw_contact_trial_twist(&t, step.n1);
    const tw_contact_springs springs =
        tw_contact_springs_of(TW_CONTACT_EXACT, TW_CONTACT_ALL, law, step.zeta0, step.zeta1);
    const tw_contact_slide slide = tw_contact_slide_try(law, &springs, &step, &t);
    if (!(slide.holds & (step.zeta1 < at->run->deepest))) return 0;
    const tw_contact_memory memory = {step.n1, step.zeta1, slide.ft};
    at->touch->lost[TW_CONTACT_LOST_FRICTION][s] =
        slide.work - tw_contact_law_tangential_factor(law) * slide.change;
    tw_device_bits_set(at->touch->slid, s);
    tw_device_bits_set(at->touch->sliders[at->run->slider_buffer], s);
    tw_device_plain_put(at, law, &memory, TW_DEVICE_LANES, 1);
    return 1;
}

/* Slides a contact of which nothing is known yet. */
TW_INLINE int tw_device_plain_slide_only(const tw_device_contact *at)
{
    const tw_contact_law law = tw_device_plain_law(at->model);
    const tw_touch_carried by = tw_device_plain_carry(at, TW_CONTACT_EXACT, TW_CONTACT_ALL);
    return tw_device_plain_slide(at, &law, &by);
}

/* ---- The remaining contacts ---- */

/* A contact that has parted: its slot is emptied once the forces are summed. */
TW_INLINE void tw_device_plain_end(const tw_device_contact *at)
{
    const uint32_t s = at->s;
    const uint32_t t = at->list->bundle_tile[s / TW_BUNDLE],
                   first = at->schedule->tiles.tile[t].slot;
    at->touch->ended[first + tw_device_atomic_add(&at->touch->tile[t].ended, 1)] = s;
    at->touch->slot_state[s] = TW_DEVICE_ENDED;
    for (int k = 0; k < 6; k++)
        at->touch->load[6 * (size_t)s + (size_t)k] = 0.0;
}

/* The memory of a contact that was advanced one by one, and what `load` says. */
TW_INLINE void tw_device_plain_settle(const tw_device_contact *at, const tw_contact_law *law,
                                      const tw_contact_memory *memory, const tw_contact_load *load)
{
    const uint32_t s = at->s;
    at->touch->lost[TW_CONTACT_LOST_FRICTION][s] = load->work_dissipated;
    tw_device_bits_set(at->touch->single, s);
    if (!load->touching) {
        tw_device_plain_end(at);
        return;
    }
    if (tw_touch_one_is_bad(load, memory->zeta,
                            tw_touch_one_allowed(&at->schedule->tiles, &at->schedule->slots, s)))
        tw_device_atomic_min(&at->run->bad_pair, at->schedule->slots.pair[s]);
    if (load->sliding) tw_device_bits_set(at->touch->sliders[at->run->slider_buffer], s);
    tw_device_plain_put(at, law, memory, TW_DEVICE_SINGLE, load->sliding);
}

TW_INLINE void tw_device_plain_general(const tw_device_contact *at)
{
    const uint32_t s = at->s;
    const tw_contact_law *law = at->model->laws;
    const tw_touch_carried by = tw_device_plain_carry(at, law->kind, tw_contact_refine_of(law));
    tw_touch_one one;
    one.memory = tw_bundle_get(at->state->contacts.bundle, s);
    tw_touch_one_plain(at->state, at->schedule, at->run->rigid ? &at->run->turn : NULL, s, law, &by,
                       &one);
    tw_device_plain_settle(at, law, &one.memory, &one.load);
}

/* A new contact that, by rounding, overlapped at the start of the step already: as one that was
 * there. */
TW_MATH_CALL int tw_device_plain_new(tw_device_contact at)
{
    const int result = tw_device_plain_try(&at);
    return result == TW_DEVICE_PLAIN_DONE ||
           (result == TW_DEVICE_PLAIN_MAY_SLIDE && tw_device_plain_slide_only(&at));
}

TW_INLINE void tw_device_plain_any(const tw_device_contact *at)
{
    const uint32_t s = at->s;
    if (at->touch->slot_state[s] == TW_DEVICE_EMPTY &&
        tw_contact_law_grips(at->model->laws, tw_bundle_get(at->state->contacts.bundle, s).zeta) &&
        tw_device_plain_new(*at))
        return;
    tw_device_plain_general(at);
}

/* A contact of the list. */
TW_INLINE void tw_device_plain_rest(const tw_model *model, const tw_schedule *schedule,
                                    const tw_device_list *list, tw_state *state, tw_device_run *run,
                                    tw_device_touch *touch, uint32_t i)
{
    const uint32_t entry = touch->general_queue[i];
    const tw_device_contact at = {
        model, schedule, list, state, run, touch, entry & ~TW_DEVICE_MAY_SLIDE};
    if (!(entry & TW_DEVICE_MAY_SLIDE) || !tw_device_plain_slide_only(&at))
        tw_device_plain_any(&at);
}

/* Contacts by one exact linear law that slid in the step before. Nearly all of them slide again, so
 * they are not tried with those that stick, but concurrently: a bit for each contact that slides
 * says at the next step which they are. Where the bits do not say so, contacts that slide are
 * found with those that stick, and are among the rest: the bits need not be right. */

/* Teams of threads, each with some words of bits at a time. */
enum { TW_DEVICE_SLIDES_THREADS = 64, TW_DEVICE_SLIDES_WORDS = 64 };

typedef struct tw_device_slides_work {
    uint32_t count;
    uint16_t slot[32 * TW_DEVICE_SLIDES_WORDS]; /* those of the words, from the first one on */
} tw_device_slides_work;

/* Two to sixteen teams for each multiprocessor of a large device. Of a million spheres a team has
 * about as many contacts as threads. */
TW_INLINE uint32_t tw_device_slides_teams(const tw_device_list *list)
{
    const uint32_t least = 264, most = 2112, some = tw_device_bits_words(list->slots) / 32;
    if (some < least) return least;
    return some < most ? some : most;
}

/* Words of a team at a time. */
TW_INLINE uint32_t tw_device_slides_share(const tw_device_list *list)
{
    return tw_device_world_share(tw_device_bits_words(list->slots), tw_device_slides_teams(list),
                                 TW_DEVICE_SLIDES_WORDS);
}

/* Three for some words: a new list, the list, its contacts. */
TW_INLINE uint32_t tw_device_slides_stages(const tw_device_list *list, uint32_t i)
{
    const uint32_t round = tw_device_slides_teams(list) * tw_device_slides_share(list);
    (void)i;
    return 3 * ((tw_device_bits_words(list->slots) + round - 1) / round);
}

/* Lists the contacts of word number k of the team. */
TW_INLINE void tw_device_slides_list(const tw_device_run *run, const tw_device_list *list,
                                     const tw_device_touch *touch, tw_device_slides_work *work,
                                     uint32_t first, uint32_t k)
{
    if (first + k >= tw_device_bits_words(list->slots)) return;
    const uint32_t bits = touch->sliders[1 - run->slider_buffer][first + k];
    uint32_t count = 0;
    for (uint32_t left = bits; left; left &= left - 1)
        count++;
    if (count == 0) return;
    uint32_t at = tw_device_atomic_add(&work->count, count);
    for (uint32_t left = bits; left; left &= left - 1)
        work->slot[at++] = (uint16_t)(32 * k + tw_device_bits_lowest(left));
}

TW_INLINE void tw_device_slides_advance(const tw_device_contact *at)
{
    if (!tw_device_plain_is_old(at)) return;
    const tw_contact_law law = tw_device_plain_law(at->model);
    const tw_touch_carried by = tw_device_plain_carry(at, TW_CONTACT_EXACT, TW_CONTACT_ALL);
    const int result = tw_device_plain_stick(at, TW_CONTACT_EXACT, TW_CONTACT_ALL, &law, &by, 1);
    if (result == TW_DEVICE_PLAIN_DONE) return;
    if (result == TW_DEVICE_PLAIN_MAY_SLIDE && tw_device_plain_slide(at, &law, &by)) return;
    tw_device_plain_list(at, TW_DEVICE_PLAIN_GENERAL);
}

TW_INLINE void tw_device_slides(const tw_model *model, const tw_schedule *schedule,
                                const tw_device_list *list, tw_state *state, tw_device_run *run,
                                tw_device_touch *touch, tw_device_slides_work *work, uint32_t i,
                                uint32_t stage, uint32_t thread)
{
    const uint32_t share = tw_device_slides_share(list),
                   first = (stage / 3 * tw_device_slides_teams(list) + i) * share;
    if (stage % 3 == 0 && thread == 0) work->count = 0;
    if (stage % 3 == 1 && thread < share)
        tw_device_slides_list(run, list, touch, work, first, thread);
    if (stage % 3 == 2)
        for (uint32_t k = thread; k < work->count; k += TW_DEVICE_SLIDES_THREADS) {
            const tw_device_contact at = {
                model, schedule, list, state, run, touch, 32 * first + work->slot[k]};
            tw_device_slides_advance(&at);
        }
}

/* Contacts by one exact linear law that neither stick nor slide a short way: those that begin, that
 * part, that slide far; and those that have just begun to slide. What tw_device_plain_rest does by
 * any law, with the law known to the compiler; a team of threads shares the integral over a long
 * slide, which takes most of the time. Numbers out of range, large rotations and rigid ones are
 * left to the general code. */

enum {
    TW_DEVICE_GENERAL_THREADS = 32,
    TW_DEVICE_GENERAL_SHARE = 8, /* contacts of a team at a time, at most */
    TW_DEVICE_GENERAL_STAGES = 4
};

/* A contact between the stages. */
typedef struct tw_device_general {
    int slid; /* a short way, and is done */
    int rare; /* for the general code */
    tw_contact_memory memory;
    tw_contact_load load;
    tw_contact_deferred_work deferred;
    tw_contact_mean mean; /* where the slide is long: deferred.open */
    double turn[8], fade[8];
} tw_device_general;

typedef struct tw_device_general_team {
    tw_device_general contact[TW_DEVICE_GENERAL_SHARE];
    double part[TW_DEVICE_GENERAL_SHARE * TW_CONTACT_INTERVALS]; /* of their integrals, in turn */
} tw_device_general_team;

TW_INLINE uint32_t tw_device_general_parts(const tw_device_general *c)
{
    return c->deferred.open ? (uint32_t)c->mean.integral.count : 0;
}

/* The step, without the work of a long slide. */
TW_INLINE void tw_device_general_advance(const tw_device_contact *at, tw_device_general *c)
{
    const uint32_t s = at->s;
    const int32_t kind = TW_CONTACT_EXACT;
    const uint32_t refine = TW_CONTACT_ALL;
    const tw_contact_law law = tw_device_plain_law(at->model);
    const tw_contact_step step = tw_device_plain_step(at, kind);
    tw_contact_trial trial = tw_contact_try_carry(kind, refine, &step);
    const tw_contact_memory before = {step.n0, step.zeta0, step.ft0};
    tw_contact_motion motion;
    memset(&motion, 0, sizeof motion); /* rotations and masses are not used */
    motion.n = step.n1;
    motion.zeta = step.zeta1;
    motion.du = step.du;
    c->deferred.open = 0;
    /* New contacts that overlapped before, by rounding, may stick. */
    const int old = at->touch->slot_state[s] != TW_DEVICE_EMPTY;
    c->rare = at->run->rigid || !trial.small || (tw_contact_law_grips(&law, step.zeta0) && !old) ||
              tw_contact_out_of_range(&law, &motion, &before);
    if (c->rare) return;
    trial.small = 1;
    c->memory.n = step.n1;
    c->memory.zeta = step.zeta1;
    c->memory.ft =
        tw_contact_step_any(kind, refine, &law, &motion, &before, &trial, &c->load, &c->deferred);
    if (c->deferred.open) c->mean = tw_contact_mean_of(&c->deferred.turning, 1.0);
}

/* An entry of the list. */
TW_INLINE void tw_device_general_begin(const tw_device_contact *at, int may_slide,
                                       tw_device_general *c)
{
    c->deferred.open = 0;
    c->rare = 0;
    c->slid = may_slide ? tw_device_plain_slide_only(at) : 0;
    if (!c->slid) tw_device_general_advance(at, c);
}

/* Nodes of the integrals. */
TW_INLINE void tw_device_general_nodes(tw_device_general *c, int pair)
{
    if (tw_device_general_parts(c) == 0) return;
    tw_contact_quadrature_nodes(&c->mean.integral, tw_contact_quadrature_node(pair),
                                tw_contact_quadrature_weight(pair), c->turn + 2 * pair,
                                c->fade + 2 * pair);
}

/* Intervals of the integrals: number i of all. */
TW_INLINE int tw_device_general_interval(tw_device_general_team *team, uint32_t count, uint32_t i)
{
    uint32_t at = i;
    for (uint32_t k = 0; k < count; k++) {
        const tw_device_general *c = &team->contact[k];
        const uint32_t parts = tw_device_general_parts(c);
        if (at < parts) {
            team->part[i] =
                tw_contact_quadrature_part(&c->mean.integral, c->turn, c->fade, (int)at);
            return 1;
        }
        at -= parts;
    }
    return 0;
}

/* Adds the work of a long slide, of which the parts begin with number `first`. */
TW_INLINE void tw_device_general_add(const tw_device_general_team *team, uint32_t first,
                                     tw_device_general *c)
{
    const tw_contact_quadrature *integral = &c->mean.integral;
    double sum = 0.0;
    for (int i = 0; i < integral->count; i++)
        sum += team->part[first + (uint32_t)i];
    if (integral->count > 0) sum *= integral->half;
    tw_contact_load_add(&c->deferred, c->mean.factor * (c->mean.flat + sum), &c->load);
}

TW_CONTACT_RARE void tw_device_general_rare(tw_device_contact at)
{
    tw_device_plain_any(&at);
}

TW_INLINE void tw_device_general_finish(const tw_device_contact *at, tw_device_general_team *team,
                                        uint32_t k)
{
    tw_device_general *c = &team->contact[k];
    uint32_t first = 0;
    if (c->slid) return;
    for (uint32_t j = 0; j < k; j++)
        first += tw_device_general_parts(&team->contact[j]);
    if (c->deferred.open) tw_device_general_add(team, first, c);
    if (c->rare || tw_contact_overflows(&c->load)) {
        tw_device_general_rare(*at);
        return;
    }
    const tw_contact_law law = tw_device_plain_law(at->model);
    tw_device_plain_settle(at, &law, &c->memory, &c->load);
}

/* Teams for a list of contacts that is not known yet: of a small specimen one for each contact, as
 * threads that do different things would wait for each other. */
TW_INLINE uint32_t tw_device_general_teams(const tw_device_list *list)
{
    const uint32_t few = 1056, most = 2048, some = list->slots / 256, each = list->slots / 16 + 1;
    if (some < few) return each < few ? each : few;
    return some < most ? some : most;
}

/* Contacts of a team at a time. */
TW_INLINE uint32_t tw_device_general_share(const tw_device_run *run, const tw_device_list *list)
{
    return tw_device_world_share(run->general_queue, tw_device_general_teams(list),
                                 TW_DEVICE_GENERAL_SHARE);
}

TW_INLINE uint32_t tw_device_general_stages(const tw_device_run *run, const tw_device_list *list)
{
    const uint32_t n = run->general_queue,
                   round = tw_device_general_teams(list) * tw_device_general_share(run, list);
    return n > 0 ? TW_DEVICE_GENERAL_STAGES * ((n - 1) / round + 1) : 0;
}

/* A team: some contacts of the list, and again some. */
TW_INLINE void tw_device_general_stage(const tw_model *model, const tw_schedule *schedule,
                                       const tw_device_list *list, tw_state *state,
                                       tw_device_run *run, tw_device_touch *touch,
                                       tw_device_general_team *team, uint32_t i, uint32_t stage,
                                       uint32_t thread)
{
    const uint32_t share = tw_device_general_share(run, list),
                   first = (stage / TW_DEVICE_GENERAL_STAGES * tw_device_general_teams(list) + i) *
                           share,
                   left = first < run->general_queue ? run->general_queue - first : 0,
                   count = left < share ? left : share, part = stage % TW_DEVICE_GENERAL_STAGES;
    if ((part == 0 || part == 3) && thread < count) {
        const uint32_t entry = touch->general_queue[first + thread];
        const tw_device_contact at = {
            model, schedule, list, state, run, touch, entry & ~TW_DEVICE_MAY_SLIDE};
        if (part == 0)
            tw_device_general_begin(&at, (entry & TW_DEVICE_MAY_SLIDE) != 0,
                                    &team->contact[thread]);
        else
            tw_device_general_finish(&at, team, thread);
    }
    if (part == 1 && thread < 4 * count)
        tw_device_general_nodes(&team->contact[thread / 4], (int)(thread % 4));
    if (part == 2)
        for (uint32_t k = thread; tw_device_general_interval(team, count, k);)
            k += TW_DEVICE_GENERAL_THREADS;
}

#endif
