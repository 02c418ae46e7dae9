/* SPDX-License-Identifier: BSD-3-Clause */
#include "step/step.h"

#include <twirl/math.h>

#include "base/clock.h"
#include "base/status.h"
#include "step/motion.h"

/* A step that is chosen gives way to the stable one, but does not grow again by itself: that would
 * tie the results to the moments at which the list is made. One that was given must stay below it.
 */
tw_status tw_step_check_dt(tw_world *world, tw_error *error)
{
    const tw_stable_limit bound = tw_stable_find(world);
    if (world->dt_automatic) {
        const double target = world->dt_fraction * bound.dt;
        if (!(world->dt > 0.0) || world->dt > tw_math_min(1.6 * target, bound.dt)) world->dt = target;
        return TW_STATUS_OK;
    }
    if (world->dt <= bound.dt || world->dt_forced) return TW_STATUS_OK;
    return tw_error_set(
        error, TW_STATUS_PHYSICS,
        "dt = %g s is above the stable step of %g s: body %u has %u contacts of "
        "stiffness %g N/m together and a mass of %g kg; take a smaller dt, or force it",
        world->dt, bound.dt, world->bodies.id[bound.body], bound.contacts, bound.stiffness,
        world->bodies.mass[bound.body]);
}

/* Finds who is near whom, if that may have changed, then contacts and forces. */
static tw_status contacts_and_forces(tw_world *world, tw_travel travel, const tw_vec3 *rigid_turn,
                                     tw_error *error)
{
    tw_status status = TW_STATUS_OK;
    if (tw_search_stale(world, travel)) {
        const double start = tw_clock();
        status = tw_search_refresh(world, error);
        world->times.search += tw_clock() - start;
        if (status == TW_STATUS_OK) status = tw_step_check_dt(world, error);
    }
    if (status == TW_STATUS_OK) status = tw_touch_contacts(world, rigid_turn, error);
    if (status == TW_STATUS_OK) status = tw_gather_forces(world, error);
    return status;
}

/* The other half of the cell's work, with the forces after the step. */
static void add_cell_work(tw_world *world)
{
    const tw_mat3 *e = &world->cell_back, *m = &world->sums.moment;
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++)
            world->balance.cell += 0.5 * e->m[3 * i + j] * m->m[3 * j + i];
    }
}

/* The stable step falls as contacts form. Where nothing moves far the list may stand for good, as
 * in a lattice: so the step is also looked at when many contacts came at once, and now and then. */
static tw_status heed_contacts(tw_world *world, size_t before, tw_error *error)
{
    const size_t now = world->sums.contacts;
    if (50 * now <= 51 * before && world->steps % 100 != 0) return TW_STATUS_OK;
    if (now == 0 || world->dt <= tw_stable_find(world).dt) return TW_STATUS_OK;
    return tw_step_check_dt(world, error);
}

tw_status tw_step_advance(tw_world *world, tw_error *error)
{
    const size_t before = world->sums.contacts;
    const tw_travel travel = tw_move_bodies(world);
    tw_status status = contacts_and_forces(world, travel, NULL, error);
    add_cell_work(world);
    if (status == TW_STATUS_OK) status = heed_contacts(world, before, error);
    return status;
}

tw_status tw_step_rotate(tw_world *world, tw_vec3 turn, tw_error *error)
{
    tw_bodies *b = &world->bodies;
    const tw_quat q = tw_quat_from_rotation(turn);
    const tw_vec3 gibbs = tw_motion_gibbs(q);
    const tw_mat3 r = tw_quat_matrix(q);
    world->cell.h_before = world->cell.h;
    world->cell.h = tw_mat3_mul(r, world->cell.h);
    world->cell.inverse = tw_mat3_inverse(world->cell.h);
    for (size_t i = 0; i < b->count; i++) {
        const tw_vec3 x = tw_mat3_mul_vec(r, b->x[i]);
        b->dx[i] = tw_vec3_sub(x, b->x[i]);
        b->x[i] = x;
        b->q[i] = tw_quat_normalise(tw_quat_mul(q, b->q[i]));
        b->gibbs[i] = gibbs;
        b->v[i] = tw_mat3_mul_vec(r, b->v[i]);
        b->l[i] = tw_mat3_mul_vec(r, b->l[i]);
    }
    for (size_t k = 0; k < world->wall_count; k++) {
        tw_wall *wall = &world->walls[k];
        const tw_vec3 point = tw_mat3_mul_vec(r, wall->point);
        wall->dx = tw_vec3_sub(point, wall->point);
        wall->travel = tw_vec3_add(wall->travel, wall->dx);
        wall->point = point;
        wall->normal = tw_mat3_mul_vec(r, wall->normal);
        wall->v = tw_mat3_mul_vec(r, wall->v);
    }
    const tw_mat3 affine = tw_mat3_mul(world->cell.h, tw_mat3_inverse(world->cell.h_ref));
    for (size_t k = 0; k < world->tiles.count; k++) {
        tw_tile *tile = &world->tiles.tile[k];
        tw_tile_load_own(world, tile, 0);
        tw_travel_of_tile(world, &affine, tile, 0);
    }
    return contacts_and_forces(world, tw_travel_farthest(world), &turn, error);
}

static void begin_balance(tw_world *world)
{
    const tw_move_energy now = tw_move_energies(world);
    world->balance = (tw_energy_balance){0};
    world->balance.start =
        now.translation + now.rotation + world->sums.normal + world->sums.tangential;
    world->balance.body_damping = -now.damped; /* the first half of the first kick is no more ours */
    world->balance.cell = -now.cell_work;
    world->balance.started = 1;
}

tw_status tw_step_prepare(tw_world *world, tw_error *error)
{
    if (world->placed && world->balance.started) return TW_STATUS_OK;
    tw_bodies *b = &world->bodies;
    const tw_vec3 zero = {0.0, 0.0, 0.0};
    world->cell.h_before = world->cell.h;
    for (size_t i = 0; i < b->count; i++)
        b->dx[i] = b->gibbs[i] = zero;
    for (size_t k = 0; k < world->wall_count; k++)
        world->walls[k].dx = zero;
    tw_status status = tw_search_refresh(world, error);
    if (status == TW_STATUS_OK) status = tw_touch_contacts(world, NULL, error);
    if (status == TW_STATUS_OK) status = tw_gather_forces(world, error);
    if (status == TW_STATUS_OK) status = tw_step_check_dt(world, error);
    if (status == TW_STATUS_OK && !world->balance.started) begin_balance(world);
    return status;
}
