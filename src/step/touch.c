/* SPDX-License-Identifier: BSD-3-Clause */
/* Contacts: who touches, and what the law makes of it. */
#include <twirl/contact_inline.h>

#include "base/status.h"
#include "base/sum.h"
#include "step/step.h"

enum { MOMENT = 0, NORMAL = 9, TANGENTIAL, FRICTION, VISCOUS, CONTACTS, SLIDING, TOUCH_SUMS };

/* Pairs are advanced in blocks that stay in the nearest cache. */
enum { BLOCK = 128 };

typedef struct touch_context {
    tw_world *world;
    const tw_vec3 *rigid_turn; /* not NULL: everything turns rigidly by this, walls too */
    size_t bad;                /* a pair with a runaway overlap or a number that is not finite */
} touch_context;

typedef struct block {
    tw_contact_motion motion[BLOCK];
    tw_contact_memory memory[BLOCK];
    tw_contact_load load[BLOCK];
    tw_vec3
        branch[BLOCK]; /* between the spheres; between sphere and wall: to the foot of the normal */
    size_t pair[BLOCK];
    size_t count;
} block;

/* Where the centre of a sphere was at the start of the step, against where it is now. */
static tw_vec3 sphere_displacement(const tw_world *w, uint32_t sphere)
{
    const tw_bodies *b = &w->bodies;
    const uint32_t body = w->spheres.body[sphere];
    const tw_vec3 arm = tw_vec3_sub(w->spheres.x[sphere], b->x[body]);
    const tw_quat turned = tw_quat_from_rotation(b->turn[body]);
    const tw_vec3 before = tw_quat_rotate_back(turned, arm);
    return tw_vec3_add(b->dx[body], tw_vec3_sub(arm, before));
}

/* Spheres: adds the pair to the block if it touches or did. */
static void meet_sphere(const touch_context *c, size_t k, block *blk)
{
    const tw_world *w = c->world;
    const tw_pair *pair = &w->pairs.pair[k];
    const tw_spheres *s = &w->spheres;
    const double rp = s->radius[pair->p], rq = s->radius[pair->q];
    tw_vec3 branch = tw_vec3_sub(s->x[pair->q], s->x[pair->p]);
    const tw_shift shift = pair->shift;
    if (shift.i | shift.j | shift.k)
        branch = tw_vec3_add(branch, tw_cell_offset(&w->cell.h, shift));
    if (!pair->touching && tw_vec3_dot(branch, branch) >= (rp + rq) * (rp + rq)) return;

    const size_t at = blk->count++;
    tw_contact_memory *memory = &blk->memory[at];
    if (pair->touching) {
        *memory = w->pairs.memory[k];
    } else {
        tw_vec3 moved =
            tw_vec3_sub(sphere_displacement(w, pair->q), sphere_displacement(w, pair->p));
        const tw_vec3 slid = tw_vec3_sub(tw_cell_offset(&w->cell.h, shift),
                                         tw_cell_offset(&w->cell.h_before, shift));
        moved = tw_vec3_add(moved, slid);
        *memory = tw_contact_memory_fresh_inline(tw_vec3_sub(branch, moved), rp, rq);
    }
    const tw_contact_pair both = {branch, w->bodies.turn[s->body[pair->p]],
                                  w->bodies.turn[s->body[pair->q]], rp, rq};
    blk->motion[at] = tw_contact_pair_motion_inline(w->law.kind, &both, memory);
    /* First-order kinematics would see movement in a rigid turn, where there is none. */
    if (c->rigid_turn && w->law.kind != TW_CONTACT_EXACT)
        blk->motion[at].du = tw_vec3_make(0.0, 0.0, 0.0);
    blk->branch[at] = branch;
    blk->pair[at] = k;
}

/* A wall: a sphere of infinite radius that does not turn. */
static void meet_wall(const touch_context *c, size_t k, block *blk)
{
    const tw_world *w = c->world;
    const tw_pair *pair = &w->pairs.pair[k];
    const tw_wall *wall = &w->walls[pair->q - w->spheres.count];
    const double r = w->spheres.radius[pair->p];
    const tw_vec3 n = tw_vec3_scale(-1.0, wall->normal);
    const double d = tw_vec3_dot(tw_vec3_sub(w->spheres.x[pair->p], wall->point), wall->normal);
    if (!pair->touching && d >= r) return;

    const tw_vec3 moved = tw_vec3_sub(wall->dx, sphere_displacement(w, pair->p));
    const size_t at = blk->count++;
    tw_contact_memory *memory = &blk->memory[at];
    tw_contact_motion *motion = &blk->motion[at];
    if (pair->touching) {
        *memory = w->pairs.memory[k];
    } else {
        *memory = (tw_contact_memory){n, r - d - tw_vec3_dot(moved, wall->normal), {0.0, 0.0, 0.0}};
    }
    motion->n = n;
    motion->zeta = r - d;
    motion->turn_p = w->bodies.turn[w->spheres.body[pair->p]];
    motion->turn_q = tw_vec3_make(0.0, 0.0, 0.0);
    tw_vec3 turn = motion->turn_p, arm = tw_vec3_scale(r - 0.5 * motion->zeta, n);
    if (w->law.kind == TW_CONTACT_EXACT) {
        turn = tw_vec3_scale(2.0 * tw_contact_gibbs_factor(turn), turn);
        arm = tw_vec3_scale(r - 0.25 * (motion->zeta + memory->zeta), n);
    }
    motion->du = tw_vec3_sub(moved, tw_vec3_cross(turn, arm));
    if (c->rigid_turn) {
        motion->du = tw_vec3_make(0.0, 0.0, 0.0);
        motion->turn_q = *c->rigid_turn;
    }
    blk->branch[at] = tw_vec3_scale(d, n);
    blk->pair[at] = k;
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
    const double rp = s->radius[pair->p];
    /* From p's centre to the middle of the overlap. */
    const tw_vec3 reach = tw_vec3_scale(rp - 0.5 * motion->zeta, motion->n);
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

static void block_finish(touch_context *c, block *blk, double *sum)
{
    const tw_world *w = c->world;
    const double half_kt = w->law.kt > 0.0 ? 0.5 / w->law.kt : 0.0;
    tw_contact_advance_batch(&w->law, NULL, blk->motion, w->dt, blk->memory, blk->load, blk->count);
    for (size_t i = 0; i < blk->count; i++) {
        const size_t k = blk->pair[i];
        tw_pair *pair = &w->pairs.pair[k];
        const tw_contact_load *load = &blk->load[i];
        sum[FRICTION] += load->work_dissipated;
        sum[VISCOUS] += load->work_viscous;
        pair->touching = (uint32_t)load->touching;
        if (!load->touching) continue;
        w->pairs.memory[k] = blk->memory[i];
        w->pairs.sliding[k] = (uint8_t)load->sliding;
        w->pairs.push[k] = push_of(w, pair, blk->branch[i], &blk->motion[i], load->f);
        if (is_bad(w, pair, load, &blk->motion[i])) {
#ifdef _OPENMP
#pragma omp atomic write
#endif
            c->bad = k;
        }

        const tw_vec3 b = body_branch(w, pair, blk->branch[i]), f = load->f;
        const double m[9] = {b.x * f.x, b.x * f.y, b.x * f.z, b.y * f.x, b.y * f.y,
                             b.y * f.z, b.z * f.x, b.z * f.y, b.z * f.z};
        for (int j = 0; j < 9; j++)
            sum[MOMENT + j] += m[j];
        sum[NORMAL] += load->work_normal;
        sum[TANGENTIAL] += half_kt * tw_vec3_dot(blk->memory[i].ft, blk->memory[i].ft);
        sum[CONTACTS] += 1.0;
        sum[SLIDING] += load->sliding;
    }
    blk->count = 0;
}

static void touch_chunk(void *context, size_t begin, size_t end, double *sum)
{
    touch_context *c = context;
    const tw_world *w = c->world;
    block blk;
    blk.count = 0;
    for (size_t k = begin; k < end; k++) {
        if (w->pairs.pair[k].q < w->spheres.count)
            meet_sphere(c, k, &blk);
        else
            meet_wall(c, k, &blk);
        if (blk.count == BLOCK) block_finish(c, &blk, sum);
    }
    block_finish(c, &blk, sum);
}

static tw_status runaway(const tw_world *w, size_t k, tw_error *error)
{
    const tw_pair *pair = &w->pairs.pair[k];
    const uint32_t p = w->bodies.id[w->spheres.body[pair->p]];
    const double zeta = w->pairs.memory[k].zeta, r = w->spheres.radius[pair->p];
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
    touch_context context = {world, rigid_turn, SIZE_MAX};
    double sum[TOUCH_SUMS];
    tw_sum_chunks(world->pairs.count, TOUCH_SUMS, touch_chunk, &context, sum);
    for (int j = 0; j < 9; j++)
        world->sums.moment.m[j] = sum[MOMENT + j];
    world->sums.normal = sum[NORMAL];
    world->sums.tangential = sum[TANGENTIAL];
    world->sums.contacts = (size_t)sum[CONTACTS];
    world->sums.sliding = (size_t)sum[SLIDING];
    world->books.friction += sum[FRICTION];
    world->books.contact_damping += sum[VISCOUS];
    return context.bad == SIZE_MAX ? TW_STATUS_OK : runaway(world, context.bad, error);
}
