/* SPDX-License-Identifier: BSD-3-Clause */
/* Contacts between spheres, TW_LANES at once: those that stick in a first run, short slides in a
 * second, the rest one by one. A contact's bits do not depend on its neighbours in the lanes. */
#include "contact/slide.h"
#include "step/touch.h"

/* Pairs that touch or did are collected in blocks that stay in the nearest cache. */
enum { BLOCK = 256 };

typedef struct block {
    double x[BLOCK], y[BLOCK], z[BLOCK]; /* branch between the spheres */
    uint32_t pair[BLOCK];
    size_t count;
} block;

/* What a group of lanes starts from. */
typedef struct meeting {
    tw_lanes_step step;
    tw_lanes3 branch;
    tw_lanes rp, rq;
    tw_lanes3 arm_p, arm_q; /* from the centres of the bodies to those of the spheres */
    uint32_t pair[TW_LANES], slot[TW_LANES];
} meeting;

/* Sums in lanes, added up when the chunk is done. */
typedef struct lane_sums {
    tw_lanes moment[9];
    tw_lanes normal, tangential, friction, viscous;
} lane_sums;

/* ---- Who touches ---- */

static void make_fresh(tw_world *w, size_t k, tw_vec3 branch)
{
    const tw_pair *pair = &w->pairs.pair[k];
    tw_vec3 moved =
        tw_vec3_sub(tw_touch_displacement(w, pair->q), tw_touch_displacement(w, pair->p));
    const tw_vec3 slid = tw_vec3_sub(tw_cell_offset(&w->cell.h, pair->shift),
                                     tw_cell_offset(&w->cell.h_before, pair->shift));
    moved = tw_vec3_add(moved, slid);
    w->pairs.memory[tw_pairs_slot(&w->pairs, k)] = tw_contact_memory_fresh_inline(
        tw_vec3_sub(branch, moved), w->spheres.radius[pair->p], w->spheres.radius[pair->q]);
}

/* Adds pair k to the block if it touches or did. */
static inline void consider(tw_world *w, size_t k, block *blk)
{
    const tw_pair *pair = &w->pairs.pair[k];
    const tw_spheres *s = &w->spheres;
    tw_vec3 branch = tw_vec3_sub(s->x[pair->q], s->x[pair->p]);
    const tw_shift shift = pair->shift;
    if (shift.i | shift.j | shift.k)
        branch = tw_vec3_add(branch, tw_cell_offset(&w->cell.h, shift));
    const double reach = s->radius[pair->p] + s->radius[pair->q];
    const int near = tw_vec3_dot(branch, branch) < reach * reach;
    if (!pair->touching) {
        if (!near) return;
        make_fresh(w, k, branch);
    }
    const size_t at = blk->count++;
    blk->x[at] = branch.x;
    blk->y[at] = branch.y;
    blk->z[at] = branch.z;
    blk->pair[at] = (uint32_t)k;
}

/* ---- Movement ---- */

/* Twice the Gibbs vector of a turn below 2e-3 rad; larger ones are left to the scalar code. */
static inline tw_lanes3 gibbs_twice(tw_lanes3 turn)
{
    const tw_lanes h = 0.25 * tw_lanes3_dot(turn, turn);
    return tw_lanes3_scale(1.0 + h * (1.0 / 3 + h * (2.0 / 15)), turn);
}

static inline __attribute__((always_inline)) void set_motion(int32_t kind, meeting *m)
{
    tw_lanes_step *step = &m->step;
    const tw_lanes length = tw_slide_sqrt(tw_lanes3_dot(m->branch, m->branch));
    const tw_lanes both = m->rp + m->rq;
    step->n1 = tw_lanes3_scale(1.0 / length, m->branch);
    step->zeta1 = both - length;
    const tw_lanes3 centres = tw_lanes3_add_scaled(m->branch, step->zeta0 - both, step->n0);
    tw_lanes3 turn_p = step->turn_p, turn_q = step->turn_q;
    tw_lanes3 reach_p = tw_lanes3_scale(m->rp - 0.5 * step->zeta1, step->n1);
    tw_lanes3 reach_q = tw_lanes3_scale(m->rq - 0.5 * step->zeta1, step->n1);
    if (kind == TW_CONTACT_EXACT) {
        reach_p = tw_lanes3_add_scaled(tw_lanes3_scale(TW_SPLAT_LANES(0.5), reach_p),
                                       0.5 * m->rp - 0.25 * step->zeta0, step->n0);
        reach_q = tw_lanes3_add_scaled(tw_lanes3_scale(TW_SPLAT_LANES(0.5), reach_q),
                                       0.5 * m->rq - 0.25 * step->zeta0, step->n0);
        turn_p = gibbs_twice(turn_p);
        turn_q = gibbs_twice(turn_q);
    }
    step->du = tw_lanes3_sub(
        centres, tw_lanes3_add(tw_lanes3_cross(turn_q, reach_q), tw_lanes3_cross(turn_p, reach_p)));
}

/* Entries at[0..3] of the block. */
static inline __attribute__((always_inline)) meeting meet(int32_t kind, const tw_touch *touch,
                                                          const block *blk, const size_t *at)
{
    const tw_world *w = touch->world;
    const tw_spheres *s = &w->spheres;
    const tw_pair *pair = w->pairs.pair;
    const tw_contact_memory *memory = w->pairs.memory;
    meeting m;
    uint32_t p[TW_LANES], q[TW_LANES], bp[TW_LANES], bq[TW_LANES];
    for (int l = 0; l < TW_LANES; l++) {
        m.pair[l] = blk->pair[at[l]];
        m.slot[l] = w->pairs.slot[m.pair[l]];
        p[l] = pair[m.pair[l]].p;
        q[l] = pair[m.pair[l]].q;
        bp[l] = s->body[p[l]];
        bq[l] = s->body[q[l]];
    }
    m.branch =
        tw_lanes3_make(TW_GATHER(blk->x, at, ), TW_GATHER(blk->y, at, ), TW_GATHER(blk->z, at, ));
    m.rp = TW_GATHER(s->radius, p, );
    m.rq = TW_GATHER(s->radius, q, );
    m.step.n0 = TW_GATHER3(memory, m.slot, .n);
    m.step.zeta0 = TW_GATHER(memory, m.slot, .zeta);
    m.step.ft0 = TW_GATHER3(memory, m.slot, .ft);
    m.step.turn_p = TW_GATHER3(w->bodies.turn, bp, );
    m.step.turn_q = TW_GATHER3(w->bodies.turn, bq, );
    m.arm_p = tw_lanes3_sub(TW_GATHER3(s->x, p, ), TW_GATHER3(w->bodies.x, bp, ));
    m.arm_q = tw_lanes3_sub(TW_GATHER3(s->x, q, ), TW_GATHER3(w->bodies.x, bq, ));
    set_motion(kind, &m);
    /* First-order kinematics would see movement in a rigid turn, where there is none. */
    if (kind != TW_CONTACT_EXACT && touch->rigid_turn)
        m.step.du = tw_lanes3_scale(TW_SPLAT_LANES(0.0), m.step.du);
    return m;
}

/* ---- What comes of it ---- */

static inline tw_lanes only(tw_lanes_mask mask, tw_lanes v)
{
    return (tw_lanes)(mask & (tw_lanes_mask)v);
}

static inline void store3(tw_vec3 *to, const tw_lanes3 *from, int lane)
{
    to->x = from->x[lane];
    to->y = from->y[lane];
    to->z = from->z[lane];
}

/* Books the lanes of `mask`, whose tangential force is ft. */
static inline __attribute__((always_inline)) void book(tw_touch *touch, const meeting *m,
                                                       const tw_lanes3 *ft, tw_lanes_mask mask,
                                                       int sliding, lane_sums *sums)
{
    const tw_world *w = touch->world;
    const tw_contact_law *law = &w->law;
    const tw_lanes_step *step = &m->step;
    const tw_lanes fn = law->kn * step->zeta1;
    tw_lanes3 f = tw_lanes3_add_scaled(*ft, -fn, step->n1);
    if (law->nu > 0.0 && w->dt > 0.0) {
        const double rate = law->nu / w->dt;
        f = tw_lanes3_add_scaled(f, TW_SPLAT_LANES(rate), step->du);
        sums->viscous += only(mask, rate * tw_lanes3_dot(step->du, step->du));
    }
    const tw_lanes3 reach = tw_lanes3_scale(m->rp - 0.5 * step->zeta1, step->n1);
    const tw_lanes3 to_p = tw_lanes3_add(m->arm_p, reach);
    const tw_lanes3 to_q = tw_lanes3_add(m->arm_q, tw_lanes3_sub(reach, m->branch));
    const tw_lanes3 torque_p = tw_lanes3_cross(to_p, f), torque_q = tw_lanes3_cross(f, to_q);
    const tw_lanes3 b = tw_lanes3_add(m->branch, tw_lanes3_sub(m->arm_p, m->arm_q));
    const tw_lanes bs[3] = {b.x, b.y, b.z}, fs[3] = {f.x, f.y, f.z};
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++)
            sums->moment[3 * i + j] += only(mask, bs[i] * fs[j]);
    }
    sums->normal += only(mask, 0.5 * fn * step->zeta1);
    sums->tangential += only(mask, tw_lanes3_dot(*ft, *ft));
    for (int l = 0; l < TW_LANES; l++) {
        if (!mask[l]) continue;
        const uint32_t slot = m->slot[l];
        tw_contact_memory *memory = &w->pairs.memory[slot];
        tw_push *push = &w->pairs.push[slot];
        store3(&memory->n, &step->n1, l);
        memory->zeta = step->zeta1[l];
        store3(&memory->ft, ft, l);
        store3(&push->force, &f, l);
        store3(&push->torque_p, &torque_p, l);
        store3(&push->torque_q, &torque_q, l);
        w->pairs.sliding[slot] = (uint8_t)sliding;
        w->pairs.pair[m->pair[l]].touching = 1;
    }
}

/* Overlaps beyond half a radius, and numbers that are none. */
static inline tw_lanes_mask is_sound(const meeting *m, const tw_lanes3 *ft)
{
    const tw_lanes least = tw_slide_select(m->rp < m->rq, m->rp, m->rq);
    const tw_lanes f2 = tw_lanes3_dot(*ft, *ft);
    return (m->step.zeta1 < 0.5 * least) & (f2 < 1e300);
}

static void advance_one(tw_touch *touch, const meeting *m, const tw_lanes_trial *trials,
                        size_t lane, double *sum)
{
    const tw_world *w = touch->world;
    const tw_lanes_step *step = &m->step;
    const size_t k = m->pair[lane];
    const tw_pair *pair = &w->pairs.pair[k];
    const uint32_t refine = tw_contact_refine_of(w->law.kind, w->law.refine);
    tw_contact_memory memory = w->pairs.memory[m->slot[lane]];
    const tw_vec3 branch = tw_lanes3_get(&m->branch, lane);
    const tw_contact_pair both = {branch, w->bodies.turn[w->spheres.body[pair->p]],
                                  w->bodies.turn[w->spheres.body[pair->q]],
                                  w->spheres.radius[pair->p], w->spheres.radius[pair->q]};
    tw_contact_motion motion = tw_contact_pair_motion_inline(w->law.kind, &both, &memory);
    tw_contact_load load;
    if (trials->small[lane]) {
        /* The movement of the lanes, so that it is that of the trial. */
        motion.n = tw_lanes3_get(&step->n1, lane);
        motion.zeta = step->zeta1[lane];
        motion.du = tw_lanes3_get(&step->du, lane);
        const tw_contact_trial trial = tw_lanes_trial_get(trials, lane);
        tw_contact_advance_any(w->law.kind, refine, &w->law, &motion, w->dt, &trial, &memory,
                               &load);
    } else {
        tw_contact_advance(&w->law, &motion, w->dt, &memory, &load);
    }
    tw_touch_book(touch, k, branch, &motion, &memory, &load, sum);
}

static inline tw_lanes_mask used_lanes(size_t left)
{
    tw_lanes_mask used = {0};
    for (size_t l = 0; l < TW_LANES; l++)
        used[l] = l < left ? -1 : 0;
    return used;
}

static inline __attribute__((always_inline)) void
block_run(int32_t kind, uint32_t refine, tw_touch *touch, block *blk, lane_sums *sums, double *sum)
{
    const tw_world *w = touch->world;
    const int whole = kind == TW_CONTACT_EXACT && refine == TW_CONTACT_ALL;
    const double half_kt = w->law.kt > 0.0 ? 0.5 / w->law.kt : 0.0;
    uint16_t left[BLOCK];
    size_t at[TW_LANES];
    size_t lefts = 0;
    for (size_t i = 0; i < blk->count; i += TW_LANES) {
        tw_lanes_members(at, i, blk->count);
        const meeting m = meet(kind, touch, blk, at);
        const tw_lanes_trial t = tw_lanes_try(kind, refine, &w->law, &m.step);
        const tw_lanes_mask mask = t.sticks & is_sound(&m, &t.ft) & used_lanes(blk->count - i);
        book(touch, &m, &t.ft, mask, 0, sums);
        if (kind != TW_CONTACT_EXACT) /* what first-order carries make or lose */
            sums->friction += only(mask, t.work - half_kt * t.change);
        for (size_t l = 0; l < TW_LANES && i + l < blk->count; l++) {
            if (mask[l])
                sum[TW_TOUCH_CONTACTS] += 1.0;
            else
                left[lefts++] = (uint16_t)(i + l);
        }
    }
    for (size_t i = 0; i < lefts; i += TW_LANES) {
        tw_lanes_members(at, i, lefts);
        for (size_t l = 0; l < TW_LANES; l++)
            at[l] = left[at[l]];
        const meeting m = meet(kind, touch, blk, at);
        const tw_lanes_trial t = tw_lanes_try(kind, refine, &w->law, &m.step);
        tw_lanes_mask mask = {0};
        if (whole) {
            const tw_slide slide = tw_slide_try(&w->law, &m.step, &t);
            mask = slide.holds & is_sound(&m, &slide.ft) & used_lanes(lefts - i);
            book(touch, &m, &slide.ft, mask, 1, sums);
            sums->friction += only(mask, slide.work - half_kt * slide.change);
        }
        for (size_t l = 0; l < TW_LANES && i + l < lefts; l++) {
            if (mask[l]) {
                sum[TW_TOUCH_CONTACTS] += 1.0;
                sum[TW_TOUCH_SLIDING] += 1.0;
            } else {
                advance_one(touch, &m, &t, l, sum);
            }
        }
    }
    blk->count = 0;
}

static void block_advance(tw_touch *touch, block *blk, lane_sums *sums, double *sum)
{
    const int32_t kind = touch->world->law.kind;
    const uint32_t refine = tw_contact_refine_of(kind, touch->world->law.refine);
    if (kind == TW_CONTACT_EXACT && refine == TW_CONTACT_ALL)
        block_run(TW_CONTACT_EXACT, TW_CONTACT_ALL, touch, blk, sums, sum);
    else if (kind == TW_CONTACT_CONVENTIONAL && refine == TW_CONTACT_TILT)
        block_run(TW_CONTACT_CONVENTIONAL, TW_CONTACT_TILT, touch, blk, sums, sum);
    else
        block_run(kind, refine, touch, blk, sums, sum);
}

static double total(tw_lanes v)
{
    double sum = v[0];
    for (int l = 1; l < TW_LANES; l++)
        sum += v[l];
    return sum;
}

void tw_touch_spheres(tw_touch *touch, size_t begin, size_t end, double *sum)
{
    tw_world *w = touch->world;
    lane_sums sums = {0};
    block blk;
    blk.count = 0;
    for (size_t k = begin; k < end; k++) {
        if (w->pairs.pair[k].q >= w->spheres.count) continue;
        consider(w, k, &blk);
        if (blk.count == BLOCK) block_advance(touch, &blk, &sums, sum);
    }
    if (blk.count > 0) block_advance(touch, &blk, &sums, sum);
    for (int j = 0; j < 9; j++)
        sum[TW_TOUCH_MOMENT + j] += total(sums.moment[j]);
    sum[TW_TOUCH_NORMAL] += total(sums.normal);
    if (w->law.kt > 0.0) sum[TW_TOUCH_TANGENTIAL] += 0.5 / w->law.kt * total(sums.tangential);
    sum[TW_TOUCH_FRICTION] += total(sums.friction);
    sum[TW_TOUCH_VISCOUS] += total(sums.viscous);
}
