/* SPDX-License-Identifier: BSD-3-Clause */
/* Contacts: who touches, and what the law makes of it. */
#include "step/touch.h"

#include "base/status.h"
#include "base/sum.h"
#include "step/step.h"

tw_vec3 tw_touch_displacement(const tw_world *w, uint32_t sphere)
{
    const tw_bodies *b = &w->bodies;
    const uint32_t body = w->spheres.body[sphere];
    const tw_vec3 arm = tw_vec3_sub(w->spheres.x[sphere], b->x[body]);
    const tw_quat turned = tw_quat_from_rotation(b->turn[body]);
    const tw_vec3 before = tw_quat_rotate_back(turned, arm);
    return tw_vec3_add(b->dx[body], tw_vec3_sub(arm, before));
}

/* Remembers a pair that went wrong: the first in the list, whoever comes first. */
static void report(tw_touch *touch, size_t pair)
{
    size_t known = atomic_load(&touch->bad);
    while (pair < known && !atomic_compare_exchange_weak(&touch->bad, &known, pair)) {
    }
}

/* A wall: a sphere of infinite radius that does not turn. */
void tw_touch_wall(tw_touch *touch, size_t k, double *sum)
{
    const tw_world *w = touch->world;
    const tw_pair *pair = &w->pairs.pair[k];
    const tw_wall *wall = &w->walls[pair->q - w->spheres.count];
    const double r = w->spheres.radius[pair->p];
    const tw_vec3 n = tw_vec3_scale(-1.0, wall->normal);
    const double d = tw_vec3_dot(tw_vec3_sub(w->spheres.x[pair->p], wall->point), wall->normal);
    if (!pair->touching && d >= r) return;

    const tw_vec3 moved = tw_vec3_sub(wall->dx, tw_touch_displacement(w, pair->p));
    tw_contact_memory memory;
    if (pair->touching) {
        memory = w->pairs.memory[w->pairs.slot[k]];
    } else {
        const double gap = d + tw_vec3_dot(moved, wall->normal);
        memory = (tw_contact_memory){n, r - gap, {0.0, 0.0, 0.0}};
    }
    tw_contact_motion motion = {n, r - d, moved, w->bodies.turn[w->spheres.body[pair->p]],
                                tw_vec3_make(0.0, 0.0, 0.0)};
    tw_vec3 turn = motion.turn_p, arm = tw_vec3_scale(r - 0.5 * motion.zeta, n);
    if (w->law.kind == TW_CONTACT_EXACT) {
        turn = tw_vec3_scale(2.0 * tw_contact_gibbs_factor(turn), turn);
        arm = tw_vec3_scale(r - 0.25 * (motion.zeta + memory.zeta), n);
    }
    motion.du = tw_vec3_sub(moved, tw_vec3_cross(turn, arm));
    if (touch->rigid_turn) {
        motion.du = tw_vec3_make(0.0, 0.0, 0.0);
        motion.turn_q = *touch->rigid_turn;
    }
    tw_contact_load load;
    tw_contact_advance(&w->law, &motion, w->dt, &memory, &load);
    tw_touch_book(touch, k, tw_vec3_scale(d, n), &motion, &memory, &load, sum);
}

/* Vector from the centre of body p to that of q's image; for a wall, to the origin of space,
 * against which the affine flow moves the body. */
static tw_vec3 body_branch(const tw_world *w, const tw_pair *pair, tw_vec3 branch)
{
    const tw_spheres *s = &w->spheres;
    const tw_vec3 *x = w->bodies.x;
    const uint32_t bp = s->body[pair->p];
    if (pair->q >= s->count) return tw_vec3_scale(-1.0, x[bp]);
    const tw_vec3 to_p = tw_vec3_sub(s->x[pair->p], x[bp]);
    const tw_vec3 to_q = tw_vec3_sub(x[s->body[pair->q]], s->x[pair->q]);
    return tw_vec3_add(tw_vec3_add(to_p, branch), to_q);
}

static tw_push push_of(const tw_world *w, const tw_pair *pair, tw_vec3 branch,
                       const tw_contact_motion *motion, tw_vec3 force)
{
    const tw_spheres *s = &w->spheres;
    /* From p's centre to the middle of the overlap. */
    const tw_vec3 reach = tw_vec3_scale(s->radius[pair->p] - 0.5 * motion->zeta, motion->n);
    const tw_vec3 arm_p =
        tw_vec3_add(tw_vec3_sub(s->x[pair->p], w->bodies.x[s->body[pair->p]]), reach);
    tw_push push = {force, tw_vec3_cross(arm_p, force), {0.0, 0.0, 0.0}};
    if (pair->q < s->count) {
        const tw_vec3 to_q = tw_vec3_sub(s->x[pair->q], w->bodies.x[s->body[pair->q]]);
        const tw_vec3 arm_q = tw_vec3_add(to_q, tw_vec3_sub(reach, branch));
        push.torque_q = tw_vec3_cross(force, arm_q);
    }
    return push;
}

static int is_bad(const tw_world *w, const tw_pair *pair, const tw_contact_load *load,
                  const tw_contact_motion *motion)
{
    const double force = load->f.x + load->f.y + load->f.z;
    double least = w->spheres.radius[pair->p];
    if (pair->q < w->spheres.count) least = fmin(least, w->spheres.radius[pair->q]);
    return !(fabs(force) < 1e300) || !(motion->zeta < 0.5 * least);
}

void tw_touch_book(tw_touch *touch, size_t k, tw_vec3 branch, const tw_contact_motion *motion,
                   const tw_contact_memory *memory, const tw_contact_load *load, double *sum)
{
    const tw_world *w = touch->world;
    tw_pair *pair = &w->pairs.pair[k];
    sum[TW_TOUCH_FRICTION] += load->work_dissipated;
    sum[TW_TOUCH_VISCOUS] += load->work_viscous;
    pair->touching = (uint32_t)load->touching;
    if (!load->touching) return;
    const uint32_t slot = tw_pairs_slot(&touch->world->pairs, k);
    w->pairs.memory[slot] = *memory;
    w->pairs.sliding[slot] = (uint8_t)load->sliding;
    w->pairs.push[slot] = push_of(w, pair, branch, motion, load->f);
    if (is_bad(w, pair, load, motion)) report(touch, k);

    const tw_mat3 moment = tw_mat3_outer(body_branch(w, pair, branch), load->f);
    for (int j = 0; j < 9; j++)
        sum[TW_TOUCH_MOMENT + j] += moment.m[j];
    sum[TW_TOUCH_NORMAL] += load->work_normal;
    if (w->law.kt > 0.0)
        sum[TW_TOUCH_TANGENTIAL] += 0.5 / w->law.kt * tw_vec3_dot(memory->ft, memory->ft);
    sum[TW_TOUCH_CONTACTS] += 1.0;
    sum[TW_TOUCH_SLIDING] += load->sliding;
}

static void touch_chunk(void *context, size_t begin, size_t end, double *sum)
{
    tw_touch *touch = context;
    const tw_world *w = touch->world;
    tw_touch_spheres(touch, begin, end, sum);
    if (w->wall_count == 0) return;
    for (size_t k = begin; k < end; k++) {
        if (w->pairs.pair[k].q >= w->spheres.count) tw_touch_wall(touch, k, sum);
    }
}

static tw_status runaway(const tw_world *w, size_t k, tw_error *error)
{
    const tw_pair *pair = &w->pairs.pair[k];
    const uint32_t p = w->bodies.id[w->spheres.body[pair->p]];
    const double zeta = w->pairs.memory[w->pairs.slot[k]].zeta, r = w->spheres.radius[pair->p];
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

tw_status tw_step_touch(tw_world *world, const tw_vec3 *rigid_turn, tw_error *error)
{
    tw_touch touch = {world, rigid_turn, SIZE_MAX};
    double sum[TW_TOUCH_SUMS];
    tw_sum_chunks(world->pairs.count, TW_TOUCH_SUMS, touch_chunk, &touch, sum);
    for (int j = 0; j < 9; j++)
        world->sums.moment.m[j] = sum[TW_TOUCH_MOMENT + j];
    world->sums.normal = sum[TW_TOUCH_NORMAL];
    world->sums.tangential = sum[TW_TOUCH_TANGENTIAL];
    world->sums.contacts = (size_t)sum[TW_TOUCH_CONTACTS];
    world->sums.sliding = (size_t)sum[TW_TOUCH_SLIDING];
    world->books.friction += sum[TW_TOUCH_FRICTION];
    world->books.contact_damping += sum[TW_TOUCH_VISCOUS];
    const size_t bad = atomic_load(&touch.bad);
    return bad == SIZE_MAX ? TW_STATUS_OK : runaway(world, bad, error);
}
