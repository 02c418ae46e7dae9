/* SPDX-License-Identifier: BSD-3-Clause */
/* Kick and move of bodies, which gather their forces: step/move_lanes.c, step/step.c and
 * world/schedule.c on a device. */
#ifndef TW_DEVICE_MOVE_H
#define TW_DEVICE_MOVE_H

#include "device/device_access.h"
#include "device/device_world.h"
#include "step/motion.h"
#include "world/schedule.h"

/* Forces on bodies: step/step.c on a device. As long as there is a list they are in the body
 * slots, from which the next move gathers them; the columns are written where someone reads them.
 * So it is with rotations, where the body slots hold them as they are. */

/* Adds force and torque of a body slot. */
TW_INLINE void tw_device_gather_add(const tw_device_forces *forces, uint32_t slot,
                                    tw_device_rows_six *sum)
{
    const tw_device_rows_six row = tw_device_rows_get_six(forces->body_load + 6 * (size_t)slot);
    sum->a = tw_vec3_add(sum->a, row.a);
    sum->b = tw_vec3_add(sum->b, row.b);
}

/* Force and torque on a body: of its own body slot, then of its ghosts in the order of tiles. */
TW_INLINE tw_device_rows_six tw_device_gather_slots(const tw_tiles *tiles,
                                                    const tw_device_forces *forces, uint32_t i)
{
    const tw_tile *tile = &tiles->tile[tw_tiles_home(tiles, i)];
    const uint32_t first = tiles->ghost_first[i], end = tiles->ghost_first[i + 1];
    tw_device_rows_six sum;
    sum.a = sum.b = tw_vec3_make(0.0, 0.0, 0.0);
    tw_device_gather_add(forces, tile->body_slot + (i - tile->body), &sum);
    for (uint32_t v = first; v < end; v++)
        tw_device_gather_add(forces, tiles->ghost_slot[v], &sum);
    return sum;
}

TW_INLINE void tw_device_gather_forces(const tw_tiles *tiles, const tw_device_forces *forces,
                                       tw_bodies *bodies, uint32_t i)
{
    const tw_device_rows_six sum = tw_device_gather_slots(tiles, forces, i);
    bodies->force[i] = sum.a;
    bodies->torque[i] = sum.b;
}

/* A body: its columns, from its body slots. */
TW_INLINE void tw_device_gather(const tw_schedule *schedule, const tw_device_forces *forces,
                                tw_state *state, uint32_t i)
{
    tw_device_gather_forces(&schedule->tiles, forces, &state->bodies, i);
    state->bodies.gibbs[i] = tw_motion_gibbs_of(state, schedule, i);
}

/* A body in every step: those that are fixed, whose work is summed. After an excessive overlap
 * there is no sum, as on the CPU. */
TW_INLINE void tw_device_gather_fixed(const tw_tiles *tiles, const tw_device_run *run,
                                      const tw_device_forces *forces, tw_bodies *bodies, uint32_t i)
{
    if (run->bad_pair == UINT64_MAX && bodies->flags[i] & TW_BODY_FIXED)
        tw_device_gather_forces(tiles, forces, bodies, i);
}

/* Kick and move of bodies, their slots and ghosts: step/move_lanes.c and world/schedule.c on a
 * device. */

/* The larger of *at and of `value`; one that is not a number is ignored, as on the CPU. */
TW_INLINE void tw_device_move_farthest(uint64_t *at, double value)
{
    tw_device_atomic_most(at, value > 0.0 ? value : 0.0);
}

/* A body, and the parts of the world that it is moved with. */
typedef struct tw_device_body {
    const tw_model *model;
    const tw_cell *cell;
    const tw_spheres *spheres;
    const tw_move_context *move;
    const tw_device_list *list;
    tw_bodies *bodies;
    tw_tiles *tiles;
    tw_device_run *run;
    uint32_t i;
} tw_device_body;

/* What the end of a move needs, read at its start: a device would wait for it there. */
typedef struct tw_device_move_start {
    tw_vec3 x_ref;
    double radius;
    uint32_t first, end; /* ghosts */
} tw_device_move_start;

TW_INLINE tw_device_move_start tw_device_move_begin(const tw_device_body *b)
{
    const tw_device_move_start start = {
        b->bodies->x_ref[b->i], b->tiles->single ? b->spheres->radius[b->i] : 0.0,
        b->tiles->ghost_first[b->i], b->tiles->ghost_first[b->i + 1]};
    return start;
}

/* Travel of a body since the list was made: see tw_travel_of_tile. */
TW_INLINE void tw_device_move_watch(const tw_device_body *b, tw_vec3 x_ref, tw_vec3 x, tw_quat q)
{
    const double square = tw_motion_body_strayed(&b->move->affine, x, x_ref);
    const int single = b->tiles->single, walls = b->list->walls > 0;
    if (single && !walls) {
        tw_device_move_farthest(&b->run->own, square);
        return;
    }
    double swing = 0.0;
    if (!single) {
        const tw_shape *shape = &b->model->shapes[b->bodies->shape[b->i]];
        const double reach = shape->count > 1 ? shape->radius * b->bodies->size[b->i] : 0.0;
        swing = reach * tw_motion_body_angle(q, tw_device_rows_quat(&b->bodies->q_ref[b->i]));
    }
    tw_device_move_farthest(&b->run->own, sqrt(square) + swing);
    if (!walls) return;
    const tw_vec3 way = tw_vec3_sub(x, x_ref);
    tw_device_move_farthest(&b->run->absolute, sqrt(tw_vec3_dot(way, way)) + swing);
}

TW_INLINE void tw_device_move_put(tw_tiles *tiles, uint32_t at, tw_vec3 half, double mass,
                                  tw_vec3 x, double radius)
{
    tw_device_rows_put(tiles->half[at].v, half.x, half.y, half.z, mass);
    tw_device_rows_put(tiles->centre[at].x, x.x, x.y, x.z, radius);
}

/* The own body slot of a body, which is also the sphere slot of a single sphere, and those of its
 * ghosts. Whole rows are written: a part of one would have to be read first. */
TW_INLINE void tw_device_move_load(const tw_device_body *b, const tw_device_move_start *start,
                                   tw_vec3 x, tw_vec3 gibbs, double mass)
{
    tw_tiles *tiles = b->tiles;
    const tw_tile *tile = &tiles->tile[tw_tiles_home(tiles, b->i)];
    const uint32_t at = tile->body_slot + (b->i - tile->body);
    const tw_vec3 from = tw_vec3_sub(x, tile->origin);
    const tw_vec3 half = tiles->gibbs_in_half ? gibbs : tw_tile_load_half(gibbs);
    tw_device_move_put(tiles, at, half, mass, from, start->radius);
    for (uint32_t v = start->first; v < start->end; v++) {
        const tw_device_image image = b->list->image[v];
        tw_vec3 moved = tw_vec3_sub(tile->origin, tiles->tile[image.tile].origin);
        moved = tw_vec3_add(moved, tw_cell_offset(&b->cell->h, image.shift));
        tw_device_move_put(tiles, tiles->ghost_slot[v], half, mass, tw_vec3_add(from, moved),
                           start->radius);
    }
}

/* Whether there is this part of the sums of the step; none in a rigid rotation. If not, what is in
 * its array has no meaning. */
TW_INLINE int tw_device_move_has(const tw_move_context *move, const tw_device_run *run,
                                 uint32_t part)
{
    if (run->rigid) return 0;
    if (part == TW_DEVICE_PART_DAMPING) return move->kick.has_damping;
    if (part == TW_DEVICE_PART_GRAVITY) return move->kick.has_gravity;
    return part == TW_DEVICE_PART_CELL || run->fixed;
}

TW_INLINE void tw_device_move_part(const tw_device_body *b, tw_device_sums *sums, uint32_t part,
                                   double value)
{
    if (tw_device_move_has(b->move, b->run, part)) sums->part[part][b->i] = value;
}

TW_MATH_CALL void tw_device_move_fixed(tw_device_body b, tw_device_sums *sums)
{
    const double work = tw_move_driven(b.bodies, b.i, b.move->kick.dt, b.bodies->x[b.i],
                                       tw_device_rows_quat(&b.bodies->q[b.i]));
    tw_device_move_part(&b, sums, TW_DEVICE_PART_DAMPING, 0.0);
    tw_device_move_part(&b, sums, TW_DEVICE_PART_CELL, 0.0);
    tw_device_move_part(&b, sums, TW_DEVICE_PART_GRAVITY, 0.0);
    tw_device_move_part(&b, sums, TW_DEVICE_PART_DRIVEN, -work);
    const tw_device_move_start start = tw_device_move_begin(&b);
    tw_device_move_load(&b, &start, b.bodies->x[b.i], b.bodies->gibbs[b.i], 0.0);
    tw_device_move_watch(&b, start.x_ref, b.bodies->x[b.i], b.bodies->q[b.i]);
}

/* With body i: clears bits, before contacts are advanced. */
TW_INLINE void tw_device_move_reset(const tw_device_run *run, const tw_device_list *list,
                                    tw_device_touch *touch, uint32_t i)
{
    const uint32_t words = tw_device_bits_words(list->slots);
    for (uint32_t k = i; k < words; k += list->bodies)
        touch->slid[k] = touch->single[k] = touch->sliders[run->slider_buffer][k] = 0;
}

/* A body: velocities, position, orientation; its own body slot, and some bits of contacts. */
TW_INLINE void tw_device_move_body(const tw_model *model, const tw_cell *cell,
                                   const tw_spheres *spheres, const tw_move_context *move,
                                   const tw_device_list *list, const tw_device_forces *forces,
                                   tw_bodies *bodies, tw_tiles *tiles, tw_device_run *run,
                                   tw_device_touch *touch, tw_device_sums *sums, uint32_t i)
{
    const tw_device_body body = {model, cell, spheres, move, list, bodies, tiles, run, i};
    tw_device_move_reset(run, list, touch, i);
    const double dt = move->kick.dt;
    if (run->fixed && bodies->flags[i] & TW_BODY_FIXED) {
        tw_device_move_fixed(body, sums);
        return;
    }
    const tw_device_move_start start = tw_device_move_begin(&body);
    tw_motion_body_kicked k;
    k.v0 = bodies->v[i];
    k.l0 = bodies->l[i];
    k.q = tw_device_rows_quat(&bodies->q[i]);
    k.mass = bodies->mass[i];
    k.inertia = bodies->inertia[i];
    k.damping = 0.0;
    const tw_vec3 x0 = bodies->x[i];
    const tw_device_rows_six load = tw_device_gather_slots(tiles, forces, i);
    tw_motion_body_kick(model, &move->kick, load.a, load.b, &k);
    tw_vec3 own;
    const tw_vec3 dx = tw_motion_body_displacement(&move->flow, dt, k.v, x0, &own);
    const tw_vec3 turn = tw_motion_body_turn(k.q, k.inertia, k.l, dt);
    const tw_motion_body_moved now = tw_motion_body_move_by(k.q, turn, x0, dx);
    tw_device_move_watch(&body, start.x_ref, now.x, now.q);
    tw_device_move_load(&body, &start, now.x, now.turn, move->masses ? k.mass : 0.0);
    bodies->v[i] = k.v;
    bodies->l[i] = k.l;
    bodies->dx[i] = dx;
    if (!tiles->gibbs_in_half) bodies->gibbs[i] = now.turn;
    bodies->x[i] = now.x;
    tw_device_rows_put(&bodies->q[i].w, now.q.w, now.q.x, now.q.y, now.q.z);
    tw_device_move_part(&body, sums, TW_DEVICE_PART_DAMPING, k.damping);
    tw_device_move_part(&body, sums, TW_DEVICE_PART_CELL, k.cell);
    tw_device_move_part(&body, sums, TW_DEVICE_PART_GRAVITY,
                        tw_motion_body_drop(model->gravity, k.mass, own));
    tw_device_move_part(&body, sums, TW_DEVICE_PART_DRIVEN, 0.0);
}

/* A sphere: its own sphere slot, where not every body is a single sphere. */
TW_INLINE void tw_device_move_sphere(const tw_model *model, const tw_bodies *bodies,
                                     const tw_spheres *spheres, tw_tiles *tiles, uint32_t s)
{
    const uint32_t i = spheres->body[s];
    const tw_tile *tile = &tiles->tile[tw_tiles_home(tiles, i)];
    const tw_shape *shape = &model->shapes[bodies->shape[i]];
    const tw_sphere one = shape->spheres[s - spheres->first[i]];
    const double size = bodies->size[i];
    const double *centre = tiles->centre[tile->body_slot + (i - tile->body)].x;
    tw_vec3 x = tw_vec3_make(centre[0], centre[1], centre[2]);
    if (shape->count > 1) {
        const tw_mat3 r = tw_quat_matrix(tw_device_rows_quat(&bodies->q[i]));
        x = tw_vec3_add(x, tw_mat3_mul_vec(r, tw_vec3_scale(size, one.centre)));
    }
    tw_device_rows_put(tiles->sphere_slot[tile->sphere_slot + (s - spheres->first[tile->body])].x,
                       x.x, x.y, x.z, size * one.radius);
}

/* A ghost: its body slot, after something else than a move. */
TW_INLINE void tw_device_move_ghost(const tw_cell *cell, const tw_device_list *list,
                                    tw_tiles *tiles, uint32_t g)
{
    const tw_tile *tile = &tiles->tile[list->ghost_tile[g]];
    const tw_tile_ghost ghost = tiles->ghost[g];
    const uint32_t at = tile->body_slot + tile->bodies + (g - tile->ghost);
    const tw_tile_sphere_slot home = tw_device_rows_sphere(&tiles->centre[ghost.source]);
    tw_vec3 moved = tw_vec3_sub(tiles->tile[ghost.tile].origin, tile->origin);
    moved = tw_vec3_add(moved, tw_cell_offset(&cell->h, ghost.shift));
    const tw_tile_half *from = &tiles->half[ghost.source];
    const tw_vec3 x = tw_vec3_make(home.x[0], home.x[1], home.x[2]);
    tw_device_move_put(tiles, at, tw_device_rows_half(from), from->mass, tw_vec3_add(x, moved),
                       home.radius);
}

/* A sphere of a ghost: its sphere slot. */
TW_INLINE void tw_device_move_ghost_sphere(const tw_device_list *list, tw_tiles *tiles, uint32_t g)
{
    const tw_tile *tile = &tiles->tile[list->ghost_sphere_tile[g]];
    const tw_tile_ghost_sphere from = tiles->ghost_sphere[g];
    const uint32_t ghost = tile->ghost + (from.body_slot - tile->body_slot - tile->bodies);
    const uint32_t at = tile->sphere_slot + (tile->sphere_slots - 2 - tile->ghost_spheres) +
                        (g - tile->ghost_sphere);
    const tw_tile_sphere_slot one = tw_device_rows_sphere(&tiles->sphere_slot[from.source]);
    const double *here = tiles->centre[from.body_slot].x,
                 *home = tiles->centre[tiles->ghost[ghost].source].x;
    tw_device_rows_put(tiles->sphere_slot[at].x, one.x[0] + (here[0] - home[0]),
                       one.x[1] + (here[1] - home[1]), one.x[2] + (here[2] - home[2]), one.radius);
}

#endif
