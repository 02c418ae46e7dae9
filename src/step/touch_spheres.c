/* SPDX-License-Identifier: BSD-3-Clause */
/* Contacts between spheres, TW_LANES at once: a first run takes all as if they stuck, a second the
 * short slides, the rest go one by one. A contact's bits do not depend on its neighbours in the
 * lanes. */
#include "contact/slide.h"
#include "step/motion.h"
#include "step/touch.h"

/* Bundles are advanced in blocks whose data stay in the nearest cache, pass by pass: short chains
 * of dependent operations keep the machine busy. */
enum { BLOCK = 32 };

/* A bundle between the passes. */
typedef struct item {
    tw_lanes3 n1, du, xp;
    tw_lanes3 half_p, half_q;
    tw_lanes3 ft0, dxi; /* of the trial */
    tw_lanes3 ft;
    tw_lanes zeta1, rp, phi;
    tw_lanes_mask small, done; /* done: ft is right, forces are still to be added */
} item;

/* Sums in lanes, added up when the tile is done. */
typedef struct lane_sums {
    tw_lanes normal, tangential, friction, viscous;
} lane_sums;

typedef struct runner {
    tw_touch *touch;
    tw_tile *tile;
    lane_sums sums;
    double *sum;
    double rate;             /* of contact damping: force per movement in the step; 0: none */
    double shallow, deepest; /* overlaps beyond are looked at one by one */
    int slippery;            /* without friction */
    item item[BLOCK];
} runner;

static inline tw_lanes only(tw_lanes_mask mask, tw_lanes v)
{
    return (tw_lanes)(mask & (tw_lanes_mask)v);
}

static inline tw_lanes3 only3(tw_lanes_mask mask, tw_lanes3 v)
{
    return tw_lanes3_make(only(mask, v.x), only(mask, v.y), only(mask, v.z));
}

/* ---- First pass: normal, overlap and movement ---- */

/* Eqs. 1 to 5, or the first-order movement of the other laws. */
static inline __attribute__((always_inline)) void move(int32_t kind, const runner *r, size_t at,
                                                       item *k)
{
    const tw_world *w = r->touch->world;
    const tw_contacts *c = &w->contacts;
    tw_bundle *bundle = &c->bundle[at];
    const size_t slot = at * TW_LANES;
    tw_lanes xp[4], xq[4], hp[4], hq[4];
    tw_rows_spots(w->tiles.spot, c->spot_p + slot, xp);
    tw_rows_spots(w->tiles.spot, c->spot_q + slot, xq);
    tw_rows_halves(w->tiles.half, c->seat_p + slot, hp);
    tw_rows_halves(w->tiles.half, c->seat_q + slot, hq);
    const tw_lanes3 n0 = tw_rows_get3(bundle->n), from = tw_lanes3_make(xp[0], xp[1], xp[2]);
    const tw_lanes3 half_p = tw_lanes3_make(hp[0], hp[1], hp[2]);
    const tw_lanes3 half_q = tw_lanes3_make(hq[0], hq[1], hq[2]);
    const tw_lanes zeta0 = tw_rows_get(bundle->zeta), both = xp[3] + xq[3];
    const tw_lanes3 branch = tw_lanes3_sub(tw_lanes3_make(xq[0], xq[1], xq[2]), from);
    const tw_lanes length = tw_slide_sqrt(tw_lanes3_dot(branch, branch));
    const tw_lanes3 n1 = tw_lanes3_scale(1.0 / length, branch);
    const tw_lanes zeta1 = both - length;
    const tw_lanes3 centres = tw_lanes3_add_scaled(branch, zeta0 - both, n0);
    const int exact = kind == TW_CONTACT_EXACT;
    const tw_lanes half = exact ? 0.25 * (zeta0 + zeta1) : 0.5 * zeta1;
    const tw_lanes3 twice = tw_lanes3_add(exact ? n0 : n1, n1);
    const tw_lanes3 lever =
        tw_lanes3_add_scaled(tw_lanes3_scale(xp[3] - half, half_p), xq[3] - half, half_q);
    k->n1 = n1;
    k->zeta1 = zeta1;
    k->du = tw_lanes3_sub(centres, tw_lanes3_cross(lever, twice));
    k->xp = from;
    k->rp = xp[3];
    k->half_p = half_p;
    k->half_q = half_q;
}

/* ---- Second pass: those that stick ---- */

static inline __attribute__((always_inline)) void stick(int32_t kind, uint32_t refine, runner *r,
                                                        size_t at, item *k)
{
    const tw_world *w = r->touch->world;
    tw_bundle *bundle = &w->contacts.bundle[at];
    tw_lanes_step step;
    step.n0 = tw_rows_get3(bundle->n);
    step.zeta0 = tw_rows_get(bundle->zeta);
    step.ft0 = tw_rows_get3(bundle->ft);
    step.n1 = k->n1;
    step.zeta1 = k->zeta1;
    step.du = k->du;
    step.half_p = k->half_p;
    step.half_q = k->half_q;
    tw_lanes_trial t = tw_lanes_try(kind, refine, &w->law, &step);
    if (r->slippery) { /* nothing to carry, nothing to lose */
        t.inside = tw_lanes3_dot(step.ft0, step.ft0) == 0.0;
        t.ft = tw_lanes3_scale(TW_SPLAT_LANES(0.0), step.ft0);
    }
    const tw_lanes_mask done = t.inside & t.small & (step.zeta0 > 0.0) & (step.zeta1 > r->shallow) &
                               (step.zeta1 < r->deepest);
    k->ft0 = t.ft0;
    k->dxi = t.dxi;
    k->phi = t.phi;
    k->small = t.small;
    k->done = done;
    k->ft = t.ft;
    if (kind != TW_CONTACT_EXACT && !r->slippery) { /* what first-order carries make or lose */
        const double half_kt = w->law.kt > 0.0 ? 0.5 / w->law.kt : 0.0;
        r->sums.friction +=
            only(done, tw_lanes_trial_work(&w->law, &t) - half_kt * tw_lanes_change(t.ft0, t.ft));
    }
    for (size_t l = 0; l < TW_LANES; l++)
        w->contacts.sliding[at * TW_LANES + l] = (uint8_t)r->slippery;
}

/* ---- Those that do not stick ---- */

static void put3(tw_lanes3 *to, size_t lane, tw_vec3 v)
{
    to->x[lane] = v.x;
    to->y[lane] = v.y;
    to->z[lane] = v.z;
}

/* Short slides: lane l of the group is contact at[l] of the block that begins at `slot`. */
static tw_lanes_mask slide(runner *r, uint32_t slot, const size_t *at, tw_lanes_mask used)
{
    const tw_world *w = r->touch->world;
    const tw_contacts *c = &w->contacts;
    tw_lanes_step step;
    tw_lanes_trial t;
    tw_lanes3 n1;
    for (size_t l = 0; l < TW_LANES; l++) {
        const item *k = &r->item[at[l] / TW_LANES];
        const size_t from = at[l] % TW_LANES;
        step.zeta0[l] = tw_bundle_get(c->bundle, slot + (uint32_t)at[l]).zeta;
        step.zeta1[l] = k->zeta1[from];
        put3(&n1, l, tw_lanes3_get(&k->n1, from));
        put3(&t.ft0, l, tw_lanes3_get(&k->ft0, from));
        put3(&t.dxi, l, tw_lanes3_get(&k->dxi, from));
        t.phi[l] = k->phi[from];
        t.small[l] = k->small[from];
    }
    tw_lanes_trial_twist(&t, n1);
    const tw_slide s = tw_slide_try(&w->law, &step, &t);
    const tw_lanes_mask done = s.holds & (step.zeta1 < r->deepest) & used;
    r->sums.friction += only(done, s.work - 0.5 / w->law.kt * s.change);
    for (size_t l = 0; l < TW_LANES; l++) {
        item *k = &r->item[at[l] / TW_LANES];
        if (!done[l]) continue;
        put3(&k->ft, at[l] % TW_LANES, tw_lanes3_get(&s.ft, l));
        k->done[at[l] % TW_LANES] = -1;
        c->sliding[slot + at[l]] = 1;
    }
    return done;
}

/* Any contact: number `at` of the block. Its forces are added here. */
static void advance_one(runner *r, uint32_t slot, size_t at)
{
    tw_touch *touch = r->touch;
    tw_world *w = touch->world;
    const tw_contacts *c = &w->contacts;
    item *k = &r->item[at / TW_LANES];
    const size_t l = at % TW_LANES;
    const tw_pair *pair = &w->pairs.pair[c->pair[slot]];
    const tw_spot *p = &w->tiles.spot[c->spot_p[slot]], *q = &w->tiles.spot[c->spot_q[slot]];
    const uint32_t refine = tw_contact_refine_of(w->law.kind, w->law.refine);
    tw_contact_memory memory = tw_bundle_get(c->bundle, slot);
    const tw_vec3 xp = tw_vec3_make(p->x[0], p->x[1], p->x[2]);
    const tw_vec3 xq = tw_vec3_make(q->x[0], q->x[1], q->x[2]);
    const tw_contact_pair both = {
        tw_vec3_sub(xq, xp), tw_touch_turn(touch, w->spheres.body[pair->p]),
        tw_touch_turn(touch, w->spheres.body[pair->q]), p->radius, q->radius};
    tw_contact_motion motion = tw_contact_pair_motion_inline(w->law.kind, &both, &memory);
    tw_contact_load load;
    /* First-order kinematics would see movement in a rigid turn, where there is none. */
    if (touch->rigid_turn && w->law.kind != TW_CONTACT_EXACT)
        motion.du = tw_vec3_make(0.0, 0.0, 0.0);
    if (k->small[l] && !touch->rigid_turn) {
        /* The movement of the lanes, so that it is that of the trial. */
        motion.n = tw_lanes3_get(&k->n1, l);
        motion.zeta = k->zeta1[l];
        motion.du = tw_lanes3_get(&k->du, l);
        const tw_contact_trial trial = {
            tw_lanes3_get(&k->ft0, l), tw_lanes3_get(&k->dxi, l), k->phi[l], {0.0, 0.0, 0.0}, 1, 0};
        tw_contact_advance_any(w->law.kind, refine, &w->law, &motion, w->dt, &trial, &memory,
                               &load);
    } else {
        tw_contact_advance(&w->law, &motion, w->dt, &memory, &load);
    }
    tw_touch_book(touch, slot, &memory, &load, tw_math_min(p->radius, q->radius), r->sum);
    if (load.touching) {
        const tw_vec3 point = tw_vec3_add_scaled(xp, p->radius - 0.5 * memory.zeta, memory.n);
        tw_touch_push(&w->tiles.push[c->seat_p[slot]], 1.0, point, load.f);
        tw_touch_push(&w->tiles.push[c->seat_q[slot]], -1.0, point, load.f);
    } else {
        tw_touch_part(w, r->tile, slot);
        memory = tw_bundle_get(c->bundle, slot);
    }
    put3(&k->n1, l, memory.n);
    k->zeta1[l] = memory.zeta;
    put3(&k->ft, l, memory.ft);
}

/* ---- Last pass: forces on bodies, memories ---- */

static inline __attribute__((always_inline)) void finish(runner *r, size_t at, const item *k)
{
    const tw_world *w = r->touch->world;
    const tw_contacts *c = &w->contacts;
    tw_bundle *bundle = &c->bundle[at];
    const tw_lanes_mask done = k->done;
    const tw_lanes3 n = k->n1, ft = k->ft, du = k->du;
    const tw_lanes zeta = k->zeta1;
    tw_lanes3 f = tw_lanes3_add_scaled(ft, -w->law.kn * zeta, n);
    if (r->rate > 0.0) {
        const tw_lanes3 drag = tw_lanes3_scale(TW_SPLAT_LANES(r->rate), du);
        f = tw_lanes3_add(f, drag);
        r->sums.viscous += only(done, tw_lanes3_dot(du, du));
        if (tw_motion_all(done)) {
            tw_rows_put3(c->drag[at].f, &drag);
        } else {
            for (size_t l = 0; l < TW_LANES; l++) {
                if (done[l])
                    tw_bundle_force_put(c->drag, (uint32_t)(at * TW_LANES + l),
                                        tw_lanes3_get(&drag, l));
            }
        }
    }
    f = only3(done, f);
    const tw_lanes3 point = tw_lanes3_add_scaled(k->xp, k->rp - 0.5 * zeta, n);
    const tw_lanes3 t = tw_lanes3_cross(point, f);
    tw_rows_push(w->tiles.push, c->seat_p + at * TW_LANES, c->seat_q + at * TW_LANES, &f, &t);
    r->sums.normal += only(done, zeta * zeta);
    r->sums.tangential += only(done, tw_lanes3_dot(ft, ft));
    tw_rows_put3(bundle->n, &n);
    tw_rows_put(bundle->zeta, zeta);
    tw_rows_put3(bundle->ft, &ft);
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
    const size_t first = slot / TW_LANES;
    for (size_t i = 0; i < bundles; i++)
        move(kind, r, first + i, &r->item[i]);
    for (size_t i = 0; i < bundles; i++)
        stick(kind, refine, r, first + i, &r->item[i]);
    for (size_t i = 0; i < bundles * TW_LANES; i++) {
        left[lefts] = (uint16_t)i;
        lefts += r->item[i / TW_LANES].done[i % TW_LANES] == 0;
    }
    r->sum[TW_TOUCH_CONTACTS] += (double)(bundles * TW_LANES - lefts);
    if (r->slippery) r->sum[TW_TOUCH_SLIDING] += (double)(bundles * TW_LANES - lefts);
    /* Empty slots did not stick. */
    size_t real = 0;
    for (size_t i = 0; i < lefts; i++) {
        left[real] = left[i];
        real += w->contacts.pair[slot + left[i]] != TW_NO_PAIR;
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
    for (size_t i = 0; i < bundles; i++)
        finish(r, first + i, &r->item[i]);
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
    runner r;
    r.touch = touch;
    r.tile = tile;
    r.sums = (lane_sums){0};
    r.sum = sum;
    r.rate = rate;
    /* Where the square of the friction limit has all its digits; in a rigid turn nowhere. */
    const double limit = law->mu * law->kn;
    r.slippery = !(law->mu > 0.0);
    r.shallow = r.slippery ? 0.0 : sqrt(TW_CONTACT_TINY) / limit;
    r.deepest = 0.5 * w->radius_min;
    if (!r.slippery) r.deepest = tw_math_min(r.deepest, sqrt(TW_CONTACT_HUGE) / limit);
    if (touch->rigid_turn) r.deepest = -1.0;
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
