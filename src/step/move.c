/* SPDX-License-Identifier: BSD-3-Clause */
/* Velocities and positions: the two halves of a leap-frog step. */
#include "base/sum.h"
#include "step/motion.h"
#include "step/step.h"

enum { DAMPED, STIRRED, TRANSLATION, ROTATION, KICK_SUMS };

typedef struct kick_context {
    const tw_world *world;
    tw_kick kick;
    int apply; /* 0: only the energies of the kick that is due */
} kick_context;

/* Energies of a kick go with the mean of the velocities before and after: then kinetic energy,
 * taken as m v_before.v_after/2, changes by just the work of the mean force over each displacement.
 */
static void kick_body(const kick_context *c, size_t i, double *sum)
{
    const tw_world *w = c->world;
    const tw_bodies *b = &w->bodies;
    const double dt = c->kick.dt;
    const tw_vec3 f = tw_motion_force(w, i);
    const tw_vec3 drag = tw_motion_local(w->damping_local, f, b->v[i]);
    const tw_vec3 v = tw_motion_kicked(w, &c->kick, i, tw_vec3_add(f, drag));
    const tw_vec3 mean = tw_vec3_scale(0.5, tw_vec3_add(b->v[i], v));
    const tw_vec3 stir = tw_mat3_mul_vec(w->cell.gradient, mean);
    sum[DAMPED] +=
        dt * (b->mass[i] * w->damping_mass * tw_vec3_dot(mean, mean) - tw_vec3_dot(drag, mean));
    sum[STIRRED] -= dt * b->mass[i] * tw_vec3_dot(mean, stir);

    const tw_vec3 brake = tw_motion_local(w->damping_local, b->torque[i], b->l[i]);
    const tw_vec3 l = tw_motion_spun(w, &c->kick, i, tw_vec3_add(b->torque[i], brake));
    const tw_vec3 l_mean = tw_vec3_scale(0.5, tw_vec3_add(b->l[i], l));
    const tw_vec3 omega = tw_motion_omega(b->q[i], b->inertia[i], l_mean);
    sum[DAMPED] += dt * (w->damping_spin * tw_vec3_dot(l_mean, omega) - tw_vec3_dot(brake, omega));
    if (c->apply) {
        b->v[i] = v;
        b->l[i] = l;
    } else {
        const tw_vec3 spin = tw_motion_omega(b->q[i], b->inertia[i], l);
        sum[TRANSLATION] += 0.5 * b->mass[i] * tw_vec3_dot(b->v[i], v);
        sum[ROTATION] += 0.5 * tw_vec3_dot(b->l[i], spin);
    }
}

static void kick_tile(void *context, size_t number, double *sum)
{
    const kick_context *c = context;
    const tw_tile *tile = &c->world->tiles.tile[number];
    for (size_t i = tile->body; i < tile->body + tile->bodies; i++) {
        if (!(c->world->bodies.flags[i] & TW_BODY_FIXED)) kick_body(c, i, sum);
    }
}

void tw_step_kick(tw_world *world)
{
    kick_context context = {world, tw_kick_make(world), 1};
    double sum[KICK_SUMS];
    tw_sum_parts(world->tiles.count, KICK_SUMS, kick_tile, &context, sum);
    world->books.body_damping += sum[DAMPED];
    world->books.cell += sum[STIRRED];
}

tw_step_between tw_step_energies(const tw_world *world)
{
    kick_context context = {world, tw_kick_make(world), 0};
    double sum[KICK_SUMS];
    tw_sum_parts(world->tiles.count, KICK_SUMS, kick_tile, &context, sum);
    return (tw_step_between){sum[TRANSLATION], sum[ROTATION], 0.5 * sum[DAMPED],
                             0.5 * sum[STIRRED]};
}

/* The affine map of the step by the midpoint rule: a rotation for a spin, second order otherwise.
 */
typedef struct flow {
    tw_mat3 map;     /* x -> x + dt grad v (x + x')/2 */
    tw_mat3 own;     /* its effect on the fluctuation displacement */
    tw_mat3 forward; /* map - 1 */
    tw_mat3 back;    /* 1 - map^-1 */
} flow;

static flow flow_make(const tw_world *w)
{
    flow f;
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
            if (wall->v_max > 0.0) v = fmin(fmax(v, -wall->v_max), wall->v_max);
            wall->v = tw_vec3_scale(v, wall->normal);
        }
        wall->dx = tw_vec3_scale(world->dt, wall->v);
        wall->point = tw_vec3_add(wall->point, wall->dx);
        wall->travel = tw_vec3_add(wall->travel, wall->dx);
        world->books.walls -= 0.5 * tw_vec3_dot(wall->force, wall->dx);
    }
}

enum { FALLEN, DRIVEN, MOVE_SUMS };

typedef struct move_context {
    tw_world *world;
    flow flow;
    tw_mat3 affine; /* from the cell of the list to the present one */
    tw_travel travel[TW_TILES_MAX];
} move_context;

static void move_body(const move_context *c, size_t i, double *sum)
{
    const tw_world *w = c->world;
    const tw_bodies *b = &w->bodies;
    tw_quat turn;
    if (b->flags[i] & TW_BODY_FIXED) {
        /* Driven: `l` holds its angular velocity. */
        b->dx[i] = tw_vec3_scale(w->dt, b->v[i]);
        turn = tw_quat_from_rotation(tw_vec3_scale(w->dt, b->l[i]));
    } else {
        const tw_vec3 own = tw_mat3_mul_vec(c->flow.own, tw_vec3_scale(w->dt, b->v[i]));
        b->dx[i] = tw_vec3_add(tw_mat3_mul_vec(c->flow.forward, b->x[i]), own);
        turn = tw_motion_rotate(b->q[i], b->inertia[i], b->l[i], w->dt);
        /* The affine part is no work of gravity: it never reaches the fluctuations. */
        sum[FALLEN] += b->mass[i] * tw_vec3_dot(w->gravity, own);
    }
    b->q[i] = tw_quat_normalise(tw_quat_mul(turn, b->q[i]));
    b->x[i] = tw_vec3_add(b->x[i], b->dx[i]);
    b->gibbs[i] = tw_motion_gibbs(turn);
    if (b->flags[i] & TW_BODY_FIXED) sum[DRIVEN] -= 0.5 * tw_motion_work(b, i);
}

static void move_tile(void *context, size_t number, double *sum)
{
    move_context *c = context;
    const tw_tile *tile = &c->world->tiles.tile[number];
    for (size_t i = tile->body; i < tile->body + tile->bodies; i++)
        move_body(c, i, sum);
    tw_tile_seat_own(c->world, tile);
    c->travel[number] =
        tw_search_travel(c->world, &c->affine, tile->body, tile->body + tile->bodies);
}

tw_travel tw_step_move(tw_world *world)
{
    tw_cell *cell = &world->cell;
    move_context context;
    context.world = world;
    context.flow = flow_make(world);
    double sum[MOVE_SUMS];
    /* Half of the cell's work with the forces before the step; the other half when they are known.
     */
    world->books.cell += 0.5 * work_of(&context.flow.forward, &world->sums.moment);
    world->cell_back = context.flow.back;
    cell->h_before = cell->h;
    cell->h = tw_mat3_mul(context.flow.map, cell->h);
    cell->inverse = tw_mat3_inverse(cell->h);
    context.affine = tw_mat3_mul(cell->h, tw_mat3_inverse(cell->h_ref));
    tw_sum_parts(world->tiles.count, MOVE_SUMS, move_tile, &context, sum);
    world->books.gravity += sum[FALLEN];
    world->books.walls += sum[DRIVEN];
    move_walls(world);
    world->time += world->dt;
    world->steps++;
    tw_travel most = {0.0, 0.0};
    for (size_t k = 0; k < world->tiles.count; k++) {
        const tw_travel *one = &context.travel[k];
        most.own = one->own <= most.own ? most.own : one->own;
        most.absolute = one->absolute <= most.absolute ? most.absolute : one->absolute;
    }
    return most;
}
