/* SPDX-License-Identifier: BSD-3-Clause */
/* Velocities and positions: a kick by the forces of the last step, then the move. */
#include "step/move.h"

#include "base/sum.h"
#include "step/motion.h"
#include "step/step.h"

static const tw_sum_part energies_of_tile[] = {TW_SIMD_EACH(tw_move_lanes_energies)};
static const tw_sum_part move_tile[] = {TW_SIMD_EACH(tw_move_lanes_tile)};

static tw_kick kick_make(const tw_world *w)
{
    tw_kick k;
    const tw_mat3 one = tw_mat3_identity();
    const tw_mat3 rate = tw_mat3_add_scaled(w->cell.gradient, w->damping_mass, one);
    k.inverse = tw_mat3_inverse(tw_mat3_add_scaled(one, 0.5 * w->dt, rate));
    k.spin_gain = 1.0 / (1.0 + 0.5 * w->dt * w->damping_spin);
    k.spin_keep = (1.0 - 0.5 * w->dt * w->damping_spin) * k.spin_gain;
    k.dt = w->dt;
    k.damped = w->damping_mass > 0.0 || w->damping_spin > 0.0 || w->damping_local > 0.0;
    k.heavy = tw_vec3_max_abs(w->gravity) > 0.0;
    return k;
}

tw_move_energy tw_move_energies(const tw_world *world)
{
    tw_move move = {.world = (tw_world *)world, .kick = kick_make(world)};
    double sum[TW_MOVE_LANE_SUMS];
    tw_sum_parts(world->tiles.count, TW_MOVE_LANE_SUMS, energies_of_tile[tw_simd_level()], &move,
                 world->tiles.sum, sum);
    return (tw_move_energy){sum[TW_MOVE_TRANSLATION], sum[TW_MOVE_ROTATION],
                             0.5 * sum[TW_MOVE_DAMPING], 0.5 * sum[TW_MOVE_CELL]};
}

static tw_flow flow_make(const tw_world *w)
{
    tw_flow f;
    const tw_mat3 one = tw_mat3_identity();
    const tw_mat3 *gradient = &w->cell.gradient;
    const tw_mat3 ahead = tw_mat3_add_scaled(one, 0.5 * w->dt, *gradient);
    const tw_mat3 behind = tw_mat3_add_scaled(one, -0.5 * w->dt, *gradient);
    f.own = tw_mat3_inverse(behind);
    f.map = tw_mat3_mul(f.own, ahead);
    f.forward = tw_mat3_scale(w->dt, tw_mat3_mul(f.own, *gradient));
    f.back = tw_mat3_scale(w->dt, tw_mat3_mul(tw_mat3_inverse(ahead), *gradient));
    return f;
}

/* sum of f.(E b) over contacts, from the moment sum of b (x) f */
static double work_of(const tw_mat3 *e, const tw_mat3 *moment)
{
    double sum = 0.0;
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++)
            sum += e->m[3 * i + j] * moment->m[3 * j + i];
    }
    return sum;
}

static void move_walls(tw_world *world)
{
    for (size_t k = 0; k < world->wall_count; k++) {
        tw_wall *wall = &world->walls[k];
        if (wall->servo) {
            /* Pushed too hard it gives way, too little it follows. */
            const double pressed = -tw_vec3_dot(wall->force, wall->normal);
            double v = wall->gain * (wall->target - pressed);
            if (wall->v_max > 0.0) v = tw_math_min(tw_math_max(v, -wall->v_max), wall->v_max);
            wall->v = tw_vec3_scale(v, wall->normal);
        }
        wall->dx = tw_vec3_scale(world->dt, wall->v);
        wall->point = tw_vec3_add(wall->point, wall->dx);
        wall->travel = tw_vec3_add(wall->travel, wall->dx);
        world->balance.walls -= 0.5 * tw_vec3_dot(wall->force, wall->dx);
    }
}

void tw_move_driven(const tw_world *w, size_t i, tw_vec3 x, tw_quat q, double *sum)
{
    const tw_bodies *b = &w->bodies;
    const tw_quat turn = tw_quat_from_rotation(tw_vec3_scale(w->dt, b->l[i]));
    b->dx[i] = tw_vec3_scale(w->dt, b->v[i]);
    b->x[i] = tw_vec3_add(x, b->dx[i]);
    b->q[i] = tw_quat_normalise(tw_quat_mul(turn, q));
    b->gibbs[i] = tw_motion_gibbs(turn);
    sum[TW_MOVE_DRIVEN] -= 0.5 * tw_motion_work(b, i);
}

tw_travel tw_move_bodies(tw_world *world)
{
    tw_cell *cell = &world->cell;
    tw_move move = {world, kick_make(world), flow_make(world), tw_mat3_identity()};
    double sum[TW_MOVE_SUMS];
    /* Half of the cell's work with the forces before the step; the other half when they are known.
     */
    world->balance.cell += 0.5 * work_of(&move.flow.forward, &world->sums.moment);
    world->cell_back = move.flow.back;
    cell->h_before = cell->h;
    cell->h = tw_mat3_mul(move.flow.map, cell->h);
    cell->inverse = tw_mat3_inverse(cell->h);
    move.affine = tw_mat3_mul(cell->h, tw_mat3_inverse(cell->h_ref));
    tw_sum_parts(world->tiles.count, TW_MOVE_SUMS, move_tile[tw_simd_level()], &move,
                 world->tiles.sum, sum);
    world->balance.body_damping += sum[TW_MOVE_DAMPING];
    world->balance.cell += sum[TW_MOVE_CELL];
    world->balance.gravity += sum[TW_MOVE_GRAVITY];
    world->balance.walls += sum[TW_MOVE_DRIVEN];
    world->times.move += sum[TW_MOVE_SECONDS];
    move_walls(world);
    world->time += world->dt;
    world->steps++;
    return tw_travel_farthest(world);
}
