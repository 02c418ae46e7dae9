/* SPDX-License-Identifier: BSD-3-Clause */
/* Contacts: tile by tile, who touches and what the law makes of it. */
#include "step/touch.h"

#include <string.h>

#include "base/clock.h"
#include "base/status.h"
#include "base/sum.h"
#include "step/motion.h"
#include "step/step.h"

static void (*const touch_spheres[])(tw_touch *touch, tw_tile *tile,
                                     double *sum) = {TW_SIMD_EACH(tw_touch_spheres)};

/* Remembers a pair that went wrong: the first in the list, whoever comes first. */
static void report(tw_touch *touch, size_t pair)
{
    size_t known = atomic_load(&touch->bad);
    while (pair < known && !atomic_compare_exchange_weak(&touch->bad, &known, pair)) {
    }
}

tw_vec3 tw_touch_turn(const tw_touch *touch, uint32_t body)
{
    return touch->rigid_turn ? *touch->rigid_turn
                             : tw_motion_rotation(touch->world->bodies.gibbs[body]);
}

/* Counts a contact that was advanced on its own. */
static void count_single(tw_touch *touch, uint32_t slot, const tw_contact_load *load,
                         double allowed, double zeta, double *sum)
{
    const tw_contacts *c = &touch->world->contacts;
    sum[TW_TOUCH_FRICTION] += load->work_dissipated;
    sum[TW_TOUCH_VISCOUS] += load->work_viscous;
    if (!load->touching) return;
    c->sliding[slot] = (uint8_t)load->sliding;
    const double force = load->f.x + load->f.y + load->f.z;
    if (!(fabs(force) < 1e300) || !(zeta < allowed)) report(touch, c->pair[slot]);
    sum[TW_TOUCH_CONTACTS] += 1.0;
    sum[TW_TOUCH_SLIDING] += load->sliding;
}

int tw_touch_alone(tw_touch *touch, tw_tile *tile, uint32_t slot, tw_touch_single *one, double *sum)
{
    tw_world *w = touch->world;
    const tw_contacts *c = &w->contacts;
    const tw_contact_law *law = &w->law;
    const tw_pair *pair = &w->pairs.pair[c->pair[slot]];
    const tw_sphere_slot *p = &w->tiles.sphere_slot[c->sphere_p[slot]], *q = &w->tiles.sphere_slot[c->sphere_q[slot]];
    tw_contact_memory memory = tw_bundle_get(c->bundle, slot);
    const tw_contact_pair both = {
        tw_vec3_make(q->x[0] - p->x[0], q->x[1] - p->x[1], q->x[2] - p->x[2]),
        tw_touch_turn(touch, w->spheres.body[pair->p]),
        tw_touch_turn(touch, w->spheres.body[pair->q]), p->radius, q->radius};
    tw_contact_motion motion = tw_contact_pair_motion_inline(law->kind, &both, &memory);
    tw_contact_load load;
    /* First-order kinematics would see movement in a rigid turn, where there is none. */
    if (touch->rigid_turn && law->kind != TW_CONTACT_EXACT) motion.du = tw_vec3_make(0.0, 0.0, 0.0);
    if (one->small && !touch->rigid_turn) {
        /* The movement of the lanes, so that it is that of the trial. */
        motion.n = one->n;
        motion.zeta = one->zeta;
        motion.du = one->du;
        const tw_contact_trial trial = {one->ft0, one->dxi, one->phi, {0.0, 0.0, 0.0}, 1, 0};
        tw_contact_advance_any(law->kind, tw_contact_refine_of(law->kind, law->refine), law,
                               &motion, w->dt, &trial, &memory, &load);
    } else {
        tw_contact_advance(law, &motion, w->dt, &memory, &load);
    }
    const double radius = p->radius < q->radius ? p->radius : q->radius;
    count_single(touch, slot, &load, 0.5 * radius, memory.zeta, sum);
    if (!load.touching) {
        tw_touch_part(w, tile, slot);
        memory = tw_bundle_get(c->bundle, slot);
    }
    one->n = memory.n;
    one->zeta = memory.zeta;
    one->ft = memory.ft;
    one->du = motion.du;
    return load.touching;
}

/* Books a contact with a wall, but for its force accumulator. */
static void count_wall(tw_touch *touch, uint32_t slot, const tw_contact_memory *memory,
                      const tw_contact_load *load, double radius, double *sum)
{
    const tw_world *w = touch->world;
    const tw_contacts *c = &w->contacts;
    count_single(touch, slot, load, 0.5 * radius, memory->zeta, sum);
    if (!load->touching) return;
    tw_bundle_put(c->bundle, slot, memory);
    if (c->viscous) {
        const tw_vec3 f = tw_vec3_add_scaled(memory->ft, -w->law.kn * memory->zeta, memory->n);
        tw_bundle_force_put(c->drag, slot, tw_vec3_sub(load->f, f));
    }
    sum[TW_TOUCH_NORMAL] += load->work_normal;
    if (w->law.kt > 0.0)
        sum[TW_TOUCH_TANGENTIAL] += 0.5 / w->law.kt * tw_vec3_dot(memory->ft, memory->ft);
}

/* A wall: a sphere of infinite radius that does not turn. */
static int wall_advance(const tw_touch *touch, const tw_pair *pair, int touching, uint32_t slot,
                        tw_vec3 x, tw_contact_memory *memory, tw_contact_load *load)
{
    const tw_world *w = touch->world;
    const tw_wall *wall = &w->walls[pair->q - w->spheres.count];
    const double r = w->spheres.radius[pair->p];
    const tw_vec3 n = tw_vec3_scale(-1.0, wall->normal);
    const double d = tw_vec3_dot(tw_vec3_sub(x, wall->point), wall->normal);
    if (!touching && d >= r) return 0;

    const tw_vec3 moved = tw_vec3_sub(wall->dx, tw_touch_displacement(w, pair->p));
    if (touching) {
        *memory = tw_bundle_get(w->contacts.bundle, slot);
    } else {
        const double gap = d + tw_vec3_dot(moved, wall->normal);
        *memory = (tw_contact_memory){n, r - gap, {0.0, 0.0, 0.0}};
    }
    const int exact = w->law.kind == TW_CONTACT_EXACT;
    tw_contact_motion motion = {n, r - d, moved, tw_touch_turn(touch, w->spheres.body[pair->p]),
                                tw_vec3_make(0.0, 0.0, 0.0)};
    const double half = exact ? 0.25 * (motion.zeta + memory->zeta) : 0.5 * motion.zeta;
    const tw_vec3 lever =
        tw_vec3_scale(2.0 * (r - half), tw_contact_half(w->law.kind, motion.turn_p));
    motion.du = tw_vec3_sub(moved, tw_vec3_cross(lever, n));
    if (touch->rigid_turn) {
        motion.du = tw_vec3_make(0.0, 0.0, 0.0);
        motion.turn_q = *touch->rigid_turn;
    }
    tw_contact_advance(&w->law, &motion, w->dt, memory, load);
    return 1;
}

void tw_touch_walls(tw_touch *touch, const tw_tile *tile, double *sum)
{
    const tw_world *w = touch->world;
    const tw_tiles *t = &w->tiles;
    const size_t number = (size_t)(tile - t->tile);
    for (uint32_t k = 0; k < tile->walls; k++) {
        const uint32_t at = t->wall_pair[tile->wall_pair + k], slot = tile->wall_slot + k;
        const tw_pair *pair = &w->pairs.pair[at];
        const tw_vec3 x = tw_world_sphere(w, pair->p);
        tw_contact_memory memory;
        tw_contact_load load;
        const int touching = tw_pairs_touch(&w->pairs, at);
        if (!wall_advance(touch, pair, touching, slot, x, &memory, &load)) continue;
        w->pairs.slot[at] = load.touching ? slot : TW_NO_SLOT;
        w->contacts.pair[slot] = at;
        const double r = w->spheres.radius[pair->p];
        count_wall(touch, slot, &memory, &load, r, sum);
        if (!load.touching) continue;
        const tw_vec3 point =
            tw_vec3_add_scaled(tw_vec3_sub(x, tile->origin), r - 0.5 * memory.zeta, memory.n);
        const uint32_t body_slot = tile->body_slot + w->spheres.body[pair->p] - tile->body;
        tw_touch_accumulate(&t->accumulator[body_slot], 1.0, point, load.f);
        tw_touch_accumulate(&t->wall_accumulator[number * w->wall_count + (pair->q - w->spheres.count)], -1.0,
                      point, load.f);
        /* The affine flow moves a body against the origin of space, not of the tile. */
        const tw_mat3 moment = tw_mat3_outer(tile->origin, load.f);
        for (int j = 0; j < 9; j++)
            sum[TW_TOUCH_MOMENT + j] -= moment.m[j];
    }
}

/* Torques about the bodies' centres, and the moment of all forces of the tile: they come in pairs,
 * so what each body gets at its centre has the moment of the branches between them. */
static void finish_accumulators(const tw_tiles *t, const tw_tile *tile, double *sum)
{
    double m[9] = {0.0};
    for (uint32_t k = tile->body_slot; k < tile->body_slot + tile->body_slots; k++) {
        const double *x = t->centre[k].x;
        tw_accumulator *accumulator = &t->accumulator[k];
        const double *f = accumulator->force;
        accumulator->torque[0] -= x[1] * f[2] - x[2] * f[1];
        accumulator->torque[1] -= x[2] * f[0] - x[0] * f[2];
        accumulator->torque[2] -= x[0] * f[1] - x[1] * f[0];
        for (int i = 0; i < 3; i++) {
            for (int j = 0; j < 3; j++)
                m[3 * i + j] += x[i] * f[j];
        }
    }
    for (int j = 0; j < 9; j++)
        sum[TW_TOUCH_MOMENT + j] -= m[j];
}

static void touch_tile(void *context, size_t number, double *sum)
{
    tw_touch *touch = context;
    tw_world *w = touch->world;
    const tw_tiles *t = &w->tiles;
    tw_tile *tile = &t->tile[number];
    const double start = tw_clock();
    tw_tile_load_ghosts(w, tile);
    memset(t->accumulator + tile->body_slot, 0, tile->body_slots * sizeof *t->accumulator);
    memset(t->wall_accumulator + number * w->wall_count, 0, w->wall_count * sizeof *t->wall_accumulator);
    tw_touch_meet(w, tile);
    const double met = tw_clock();
    touch_spheres[tw_simd_level()](touch, tile, sum);
    tw_touch_walls(touch, tile, sum);
    finish_accumulators(t, tile, sum);
    sum[TW_TOUCH_MEET_SECONDS] = met - start;
    sum[TW_TOUCH_FORCE_SECONDS] = tw_clock() - met;
}

static tw_status runaway(const tw_world *w, size_t k, tw_error *error)
{
    const tw_pair *pair = &w->pairs.pair[k];
    const uint32_t p = w->bodies.id[w->spheres.body[pair->p]];
    const double zeta = tw_bundle_get(w->contacts.bundle, w->pairs.slot[k]).zeta;
    const double r = w->spheres.radius[pair->p];
    if (pair->q >= w->spheres.count) {
        return tw_error_set(error, TW_STATUS_PHYSICS,
                            "step %llu: body %u has run into wall %zu: overlap %g m, radius %g m",
                            (unsigned long long)w->steps, p, pair->q - w->spheres.count, zeta, r);
    }
    return tw_error_set(error, TW_STATUS_PHYSICS,
                        "step %llu: bodies %u and %u have run into each other: overlap %g m, radii "
                        "%g and %g m; a smaller step or stiffer contacts may be needed",
                        (unsigned long long)w->steps, p, w->bodies.id[w->spheres.body[pair->q]],
                        zeta, r, w->spheres.radius[pair->q]);
}

tw_status tw_touch_contacts(tw_world *world, const tw_vec3 *rigid_turn, tw_error *error)
{
    tw_touch touch = {world, rigid_turn, SIZE_MAX};
    double sum[TW_TOUCH_SUMS];
    world->contacts.viscous = world->law.nu > 0.0 && world->dt > 0.0;
    tw_sum_parts(world->tiles.count, TW_TOUCH_SUMS, touch_tile, &touch, world->tiles.sum, sum);
    for (int j = 0; j < 9; j++)
        world->sums.moment.m[j] = sum[TW_TOUCH_MOMENT + j];
    world->sums.normal = sum[TW_TOUCH_NORMAL];
    world->sums.tangential = sum[TW_TOUCH_TANGENTIAL];
    world->sums.contacts = (size_t)sum[TW_TOUCH_CONTACTS];
    world->sums.sliding = (size_t)sum[TW_TOUCH_SLIDING];
    world->balance.friction += sum[TW_TOUCH_FRICTION];
    world->balance.contact_damping += sum[TW_TOUCH_VISCOUS];
    world->times.meet += sum[TW_TOUCH_MEET_SECONDS];
    world->times.force += sum[TW_TOUCH_FORCE_SECONDS];
    const size_t bad = atomic_load(&touch.bad);
    return bad == SIZE_MAX ? TW_STATUS_OK : runaway(world, bad, error);
}
