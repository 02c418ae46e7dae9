/* SPDX-License-Identifier: BSD-3-Clause */
/* Contacts between spheres, TW_LANES at once: a first run takes all as if they stuck, a second the
 * short slides, the rest go one by one. A contact's bits do not depend on its neighbours in the
 * lanes. */
#include "contact/slide.h"
#include "step/rows.h"
#include "step/touch.h"

/* Bundles are advanced in blocks, so that what the first run leaves to the others is in the nearest
 * cache. */
enum { BLOCK = 32 };

/* What a contact brings to the second run. */
typedef struct left_over {
    tw_lanes3 n0, ft0, n1, du;
    tw_lanes3 carried, dxi; /* old force and movement, in the plane at the end of the step */
    tw_lanes zeta0, zeta1;
    tw_lanes_mask small;
} left_over;

/* Sums in lanes, added up when the tile is done. */
typedef struct lane_sums {
    tw_lanes normal, tangential, friction, viscous;
} lane_sums;

typedef struct runner {
    tw_touch *touch;
    tw_tile *tile;
    lane_sums sums;
    double *sum;
    double rate;    /* of contact damping: force per movement in the step; 0: none */
    double deepest; /* overlaps beyond are looked at one by one */
    left_over kept[BLOCK];
} runner;

static inline tw_lanes only(tw_lanes_mask mask, tw_lanes v)
{
    return (tw_lanes)(mask & (tw_lanes_mask)v);
}

static inline tw_lanes3 only3(tw_lanes_mask mask, tw_lanes3 v)
{
    return tw_lanes3_make(only(mask, v.x), only(mask, v.y), only(mask, v.z));
}

/* Normal, overlap and movement (Eqs. 1 to 5, or the first-order movement of the other laws). */
static inline __attribute__((always_inline)) void
set_motion(int32_t kind, tw_lanes3 branch, tw_lanes rp, tw_lanes rq, tw_lanes_step *step)
{
    const tw_lanes length = tw_slide_sqrt(tw_lanes3_dot(branch, branch)), both = rp + rq;
    step->n1 = tw_lanes3_scale(1.0 / length, branch);
    step->zeta1 = both - length;
    const tw_lanes3 centres = tw_lanes3_add_scaled(branch, step->zeta0 - both, step->n0);
    const int exact = kind == TW_CONTACT_EXACT;
    const tw_lanes half = exact ? 0.25 * (step->zeta0 + step->zeta1) : 0.5 * step->zeta1;
    const tw_lanes3 twice = tw_lanes3_add(exact ? step->n0 : step->n1, step->n1);
    const tw_lanes3 lever =
        tw_lanes3_add_scaled(tw_lanes3_scale(rp - half, step->half_p), rq - half, step->half_q);
    step->du = tw_lanes3_sub(centres, tw_lanes3_cross(lever, twice));
}

/* Force of the lanes in `mask`, whose tangential force is ft, on their bodies; the others get none.
 */
static inline __attribute__((always_inline)) void
push(runner *r, tw_lanes_mask mask, const tw_lanes3 *ft, const tw_lanes3 *n, tw_lanes zeta,
     const tw_lanes3 *du, const tw_lanes3 *xp, tw_lanes rp, const uint32_t *seat_p,
     const uint32_t *seat_q)
{
    const tw_world *w = r->touch->world;
    tw_lanes3 f = tw_lanes3_add_scaled(*ft, -w->law.kn * zeta, *n);
    if (r->rate > 0.0) {
        f = tw_lanes3_add_scaled(f, TW_SPLAT_LANES(r->rate), *du);
        r->sums.viscous += only(mask, tw_lanes3_dot(*du, *du));
    }
    f = only3(mask, f);
    const tw_lanes3 point = tw_lanes3_add_scaled(*xp, rp - 0.5 * zeta, *n);
    const tw_lanes3 t = tw_lanes3_cross(point, f);
    tw_rows_push(w->tiles.push, seat_p, seat_q, &f, &t);
    r->sums.normal += only(mask, zeta * zeta);
    r->sums.tangential += only(mask, tw_lanes3_dot(*ft, *ft));
}

/* First run: bundle `at` of the world as number i of the block. Returns which lanes are done. */
static inline __attribute__((always_inline)) tw_lanes_mask
stick(int32_t kind, uint32_t refine, runner *r, size_t at, left_over *kept)
{
    const tw_world *w = r->touch->world;
    const tw_contacts *c = &w->contacts;
    tw_bundle *bundle = &c->bundle[at];
    const uint32_t *p = c->spot_p + at * TW_LANES, *q = c->spot_q + at * TW_LANES;
    const uint32_t *seat_p = c->seat_p + at * TW_LANES, *seat_q = c->seat_q + at * TW_LANES;
    tw_lanes xp[4], xq[4], half[4];
    tw_lanes_step step;
    tw_rows_spots(w->tiles.spot, p, xp);
    tw_rows_spots(w->tiles.spot, q, xq);
    tw_rows_halves(w->tiles.seat, seat_p, half);
    step.half_p = tw_lanes3_make(half[0], half[1], half[2]);
    tw_rows_halves(w->tiles.seat, seat_q, half);
    step.half_q = tw_lanes3_make(half[0], half[1], half[2]);
    step.n0 = tw_rows_get3(bundle->n);
    step.zeta0 = tw_rows_get(bundle->zeta);
    step.ft0 = tw_rows_get3(bundle->ft);
    const tw_lanes3 from = tw_lanes3_make(xp[0], xp[1], xp[2]);
    const tw_lanes3 branch = tw_lanes3_sub(tw_lanes3_make(xq[0], xq[1], xq[2]), from);
    set_motion(kind, branch, xp[3], xq[3], &step);
    /* First-order kinematics would see movement in a rigid turn, where there is none. */
    if (r->touch->rigid_turn && kind != TW_CONTACT_EXACT)
        step.du = tw_lanes3_scale(TW_SPLAT_LANES(0.0), step.du);
    const tw_lanes_trial t = tw_lanes_try(kind, refine, &w->law, &step);
    const tw_lanes_mask done = t.sticks & (step.zeta1 < r->deepest);

    kept->n0 = step.n0;
    kept->ft0 = step.ft0;
    kept->zeta0 = step.zeta0;
    kept->n1 = step.n1;
    kept->du = step.du;
    kept->zeta1 = step.zeta1;
    kept->carried = t.ft0;
    kept->dxi = t.dxi;
    kept->small = t.small;
    push(r, done, &t.ft, &step.n1, step.zeta1, &step.du, &from, xp[3], seat_p, seat_q);
    if (kind != TW_CONTACT_EXACT) { /* what first-order carries make or lose */
        const double half_kt = w->law.kt > 0.0 ? 0.5 / w->law.kt : 0.0;
        r->sums.friction +=
            only(done, tw_lanes_trial_work(&w->law, &t) - half_kt * tw_lanes_change(t.ft0, t.ft));
    }
    tw_rows_put3(bundle->n, &step.n1);
    tw_rows_put(bundle->zeta, step.zeta1);
    tw_rows_put3(bundle->ft, &t.ft);
    if (r->rate > 0.0) {
        const tw_lanes3 drag = tw_lanes3_scale(TW_SPLAT_LANES(r->rate), step.du);
        tw_rows_put3(c->drag[at].f, &drag);
    }
    for (size_t l = 0; l < TW_LANES; l++)
        c->sliding[at * TW_LANES + l] = 0;
    return done;
}

/* ---- Those that do not stick ---- */

/* Lane l of the group is contact at[l] of the block. */
static inline tw_lanes kept_lane(const runner *r, const size_t *at, size_t offset)
{
    tw_lanes v;
    for (int l = 0; l < TW_LANES; l++) {
        const char *base = (const char *)&r->kept[at[l] / TW_LANES] + offset;
        v[l] = ((const double *)(const void *)base)[at[l] % TW_LANES];
    }
    return v;
}

static inline tw_lanes3 kept_lane3(const runner *r, const size_t *at, size_t offset)
{
    return tw_lanes3_make(kept_lane(r, at, offset), kept_lane(r, at, offset + sizeof(tw_lanes)),
                          kept_lane(r, at, offset + 2 * sizeof(tw_lanes)));
}

/* Short slides: a group of contacts `at` of the block that begins at slot `slot`. */
static tw_lanes_mask slide(runner *r, uint32_t slot, const size_t *at, tw_lanes_mask used)
{
    const tw_world *w = r->touch->world;
    const tw_contacts *c = &w->contacts;
    tw_lanes_step step;
    tw_lanes_trial t;
    step.zeta0 = kept_lane(r, at, offsetof(left_over, zeta0));
    step.zeta1 = kept_lane(r, at, offsetof(left_over, zeta1));
    step.n1 = kept_lane3(r, at, offsetof(left_over, n1));
    step.du = kept_lane3(r, at, offsetof(left_over, du));
    t.ft0 = kept_lane3(r, at, offsetof(left_over, carried));
    t.dxi = kept_lane3(r, at, offsetof(left_over, dxi));
    for (int l = 0; l < TW_LANES; l++)
        t.small[l] = r->kept[at[l] / TW_LANES].small[at[l] % TW_LANES];
    const tw_slide s = tw_slide_try(&w->law, &step, &t);
    const tw_lanes_mask done = s.holds & (step.zeta1 < r->deepest) & used;

    uint32_t p[TW_LANES], seat_p[TW_LANES], seat_q[TW_LANES];
    for (int l = 0; l < TW_LANES; l++) {
        const uint32_t k = slot + (uint32_t)at[l];
        p[l] = c->spot_p[k];
        seat_p[l] = c->seat_p[k];
        seat_q[l] = c->seat_q[k];
    }
    tw_lanes xp[4];
    tw_rows_spots(w->tiles.spot, p, xp);
    const tw_lanes3 from = tw_lanes3_make(xp[0], xp[1], xp[2]);
    push(r, done, &s.ft, &step.n1, step.zeta1, &step.du, &from, xp[3], seat_p, seat_q);
    r->sums.friction += only(done, s.work - 0.5 / w->law.kt * s.change);
    for (int l = 0; l < TW_LANES; l++) {
        if (!done[l]) continue;
        const uint32_t k = slot + (uint32_t)at[l];
        tw_bundle *bundle = &c->bundle[k / TW_LANES];
        bundle->ft[0][k % TW_LANES] = s.ft.x[l];
        bundle->ft[1][k % TW_LANES] = s.ft.y[l];
        bundle->ft[2][k % TW_LANES] = s.ft.z[l];
        c->sliding[k] = 1;
    }
    return done;
}

/* Any contact: number `at` of the block. */
static void advance_one(runner *r, uint32_t slot, size_t at)
{
    tw_touch *touch = r->touch;
    tw_world *w = touch->world;
    const tw_contacts *c = &w->contacts;
    const left_over *kept = &r->kept[at / TW_LANES];
    const size_t l = at % TW_LANES;
    const tw_pair *pair = &w->pairs.pair[c->pair[slot]];
    const tw_spot *p = &w->tiles.spot[c->spot_p[slot]], *q = &w->tiles.spot[c->spot_q[slot]];
    const uint32_t refine = tw_contact_refine_of(w->law.kind, w->law.refine);
    tw_contact_memory memory = {tw_lanes3_get(&kept->n0, l), kept->zeta0[l],
                                tw_lanes3_get(&kept->ft0, l)};
    const tw_vec3 xp = tw_vec3_make(p->x[0], p->x[1], p->x[2]);
    const tw_vec3 xq = tw_vec3_make(q->x[0], q->x[1], q->x[2]);
    const tw_contact_pair both = {
        tw_vec3_sub(xq, xp), tw_touch_turn(touch, w->spheres.body[pair->p]),
        tw_touch_turn(touch, w->spheres.body[pair->q]), p->radius, q->radius};
    tw_contact_motion motion = tw_contact_pair_motion_inline(w->law.kind, &both, &memory);
    tw_contact_load load;
    if (touch->rigid_turn && w->law.kind != TW_CONTACT_EXACT)
        motion.du = tw_vec3_make(0.0, 0.0, 0.0);
    if (kept->small[l] && !touch->rigid_turn) {
        /* The movement of the lanes, so that it is that of the trial. */
        motion.n = tw_lanes3_get(&kept->n1, l);
        motion.zeta = kept->zeta1[l];
        motion.du = tw_lanes3_get(&kept->du, l);
        const tw_contact_trial trial = {
            tw_lanes3_get(&kept->carried, l), tw_lanes3_get(&kept->dxi, l), {0.0, 0.0, 0.0}, 1, 0};
        tw_contact_advance_any(w->law.kind, refine, &w->law, &motion, w->dt, &trial, &memory,
                               &load);
    } else {
        tw_contact_advance(&w->law, &motion, w->dt, &memory, &load);
    }
    tw_touch_book(touch, slot, &memory, &load, fmin(p->radius, q->radius), r->sum);
    if (!load.touching) {
        tw_touch_part(w, r->tile, slot);
        return;
    }
    const tw_vec3 point = tw_vec3_add_scaled(xp, p->radius - 0.5 * memory.zeta, memory.n);
    tw_touch_push(&w->tiles.push[c->seat_p[slot]], 1.0, point, load.f);
    tw_touch_push(&w->tiles.push[c->seat_q[slot]], -1.0, point, load.f);
}

static inline tw_lanes_mask used_lanes(size_t left)
{
    tw_lanes_mask used = {0};
    for (size_t l = 0; l < TW_LANES; l++)
        used[l] = l < left ? -1 : 0;
    return used;
}

/* ---- Blocks ---- */

static inline __attribute__((always_inline)) void
run_block(int32_t kind, uint32_t refine, runner *r, uint32_t slot, size_t bundles)
{
    const tw_world *w = r->touch->world;
    const int whole = kind == TW_CONTACT_EXACT && refine == TW_CONTACT_ALL && w->law.kt > 0.0;
    uint16_t left[BLOCK * TW_LANES];
    size_t lefts = 0, at[TW_LANES];
    for (size_t i = 0; i < bundles; i++) {
        const tw_lanes_mask done = stick(kind, refine, r, slot / TW_LANES + i, &r->kept[i]);
        for (size_t l = 0; l < TW_LANES; l++) {
            left[lefts] = (uint16_t)(i * TW_LANES + l);
            lefts += done[l] == 0;
        }
    }
    r->sum[TW_TOUCH_CONTACTS] += (double)(bundles * TW_LANES - lefts);
    /* Empty slots did not stick. */
    size_t real = 0;
    for (size_t k = 0; k < lefts; k++) {
        left[real] = left[k];
        real += w->contacts.pair[slot + left[k]] != TW_NO_PAIR;
    }
    for (size_t i = 0; i < real; i += TW_LANES) {
        tw_lanes_members(at, i, real);
        for (size_t l = 0; l < TW_LANES; l++)
            at[l] = left[at[l]];
        tw_lanes_mask done = {0};
        if (whole) done = slide(r, slot, at, used_lanes(real - i));
        for (size_t l = 0; l < TW_LANES && i + l < real; l++) {
            if (done[l]) {
                r->sum[TW_TOUCH_CONTACTS] += 1.0;
                r->sum[TW_TOUCH_SLIDING] += 1.0;
            } else {
                advance_one(r, slot + (uint32_t)at[l], at[l]);
            }
        }
    }
}

static void run_exact(runner *r, uint32_t slot, size_t bundles)
{
    run_block(TW_CONTACT_EXACT, TW_CONTACT_ALL, r, slot, bundles);
}

static void run_conventional(runner *r, uint32_t slot, size_t bundles)
{
    run_block(TW_CONTACT_CONVENTIONAL, TW_CONTACT_TILT, r, slot, bundles);
}

static void run_any(runner *r, uint32_t slot, size_t bundles)
{
    const tw_contact_law *law = &r->touch->world->law;
    run_block(law->kind, tw_contact_refine_of(law->kind, law->refine), r, slot, bundles);
}

static double total(tw_lanes v)
{
    double sum = v[0];
    for (int l = 1; l < TW_LANES; l++)
        sum += v[l];
    return sum;
}

void tw_touch_spheres(tw_touch *touch, tw_tile *tile, double *sum)
{
    const tw_world *w = touch->world;
    const tw_contact_law *law = &w->law;
    const uint32_t refine = tw_contact_refine_of(law->kind, law->refine);
    const double rate = w->contacts.dragged ? law->nu / w->dt : 0.0;
    runner r = {.touch = touch, .tile = tile, .sum = sum, .rate = rate};
    r.deepest = touch->rigid_turn ? -1.0 : 0.5 * w->radius_min;
    const size_t bundles = (tile->slots + TW_LANES - 1) / TW_LANES;
    for (size_t i = 0; i < bundles; i += BLOCK) {
        const uint32_t slot = tile->slot + (uint32_t)(i * TW_LANES);
        const size_t count = bundles - i < BLOCK ? bundles - i : BLOCK;
        if (law->kind == TW_CONTACT_EXACT && refine == TW_CONTACT_ALL)
            run_exact(&r, slot, count);
        else if (law->kind == TW_CONTACT_CONVENTIONAL && refine == TW_CONTACT_TILT)
            run_conventional(&r, slot, count);
        else
            run_any(&r, slot, count);
    }
    sum[TW_TOUCH_NORMAL] += 0.5 * law->kn * total(r.sums.normal);
    if (law->kt > 0.0) sum[TW_TOUCH_TANGENTIAL] += 0.5 / law->kt * total(r.sums.tangential);
    sum[TW_TOUCH_FRICTION] += total(r.sums.friction);
    sum[TW_TOUCH_VISCOUS] += rate * total(r.sums.viscous);
}
