/* SPDX-License-Identifier: BSD-3-Clause */
/* Velocities and positions: the two halves of a leap-frog step. */
#include "base/sum.h"
#include "step/motion.h"
#include "step/step.h"

enum { DAMPED, STIRRED, TRANSLATION, ROTATION, KICK_SUMS };

typedef struct kick_context {
    const tw_world *world;
    tw_kick kick;
    int apply;  /* 0: only the energies of the kick that is due */
    int damped; /* bodies are damped */
} kick_context;

static inline tw_lanes only(tw_lanes_mask mask, tw_lanes v)
{
    return (tw_lanes)(mask & (tw_lanes_mask)v);
}

/* Lanes below `count` whose bodies are not driven. */
static inline __attribute__((always_inline)) tw_lanes_mask free_lanes(const uint32_t *flags,
                                                                      size_t count)
{
    tw_lanes_mask mask = {0};
    for (size_t l = 0; l < TW_LANES; l++)
        mask[l] = l < count && !(flags[l] & TW_BODY_FIXED) ? -1 : 0;
    return mask;
}

/* Energies of a kick go with the mean of the velocities before and after: then kinetic energy,
 * taken as m v_before.v_after/2, changes by just the work of the mean force over each displacement.
 */
static inline __attribute__((always_inline)) void kick_bodies(const kick_context *c, size_t i,
                                                              size_t count, tw_lanes *sum)
{
    const tw_world *w = c->world;
    const tw_bodies *b = &w->bodies;
    const double dt = c->kick.dt;
    const tw_lanes_mask mask = free_lanes(b->flags + i, count);
    const tw_lanes mass = tw_rows_load(b->mass + i, count);
    const tw_lanes3 gravity = {TW_SPLAT_LANES(w->gravity.x), TW_SPLAT_LANES(w->gravity.y),
                               TW_SPLAT_LANES(w->gravity.z)};
    const tw_lanes3 v0 = tw_rows_load3(b->v + i, count), l0 = tw_rows_load3(b->l + i, count);
    const tw_lanes3 inertia = tw_rows_load3(b->inertia + i, count);
    const tw_lanes_quat q = tw_rows_load_quat(b->q + i, count);
    tw_lanes3 f = tw_lanes3_add_scaled(tw_rows_load3(b->force + i, count), mass, gravity);
    tw_lanes3 torque = tw_rows_load3(b->torque + i, count);
    const tw_lanes3 drag = tw_motion_local(w->damping_local, f, v0);
    const tw_lanes3 brake = tw_motion_local(w->damping_local, torque, l0);
    if (w->damping_local > 0.0) {
        f = tw_lanes3_add(f, drag);
        torque = tw_lanes3_add(torque, brake);
    }
    const tw_lanes3 v = tw_lanes3_add(tw_motion_mul(&c->kick.keep, v0),
                                      tw_motion_mul(&c->kick.push, tw_lanes3_scale(dt / mass, f)));
    const tw_lanes3 l = tw_lanes3_add_scaled(tw_lanes3_scale(TW_SPLAT_LANES(c->kick.spin_keep), l0),
                                             TW_SPLAT_LANES(dt * c->kick.spin_push), torque);

    const tw_lanes half = TW_SPLAT_LANES(0.5);
    const tw_lanes3 mean = tw_lanes3_scale(half, tw_lanes3_add(v0, v));
    sum[STIRRED] -=
        only(mask, dt * mass * tw_lanes3_dot(mean, tw_motion_mul(&w->cell.gradient, mean)));
    if (c->damped) {
        const tw_lanes3 l_mean = tw_lanes3_scale(half, tw_lanes3_add(l0, l));
        const tw_lanes3 omega = tw_motion_omega(q, inertia, l_mean);
        const tw_lanes lost =
            mass * w->damping_mass * tw_lanes3_dot(mean, mean) - tw_lanes3_dot(drag, mean) +
            w->damping_spin * tw_lanes3_dot(l_mean, omega) - tw_lanes3_dot(brake, omega);
        sum[DAMPED] += only(mask, dt * lost);
    }
    if (c->apply) {
        tw_rows_store3(b->v + i, tw_motion_select3(mask, v, v0), count);
        tw_rows_store3(b->l + i, tw_motion_select3(mask, l, l0), count);
        return;
    }
    const tw_lanes3 spin = tw_motion_omega(q, inertia, l);
    sum[TRANSLATION] += only(mask, 0.5 * mass * tw_lanes3_dot(v0, v));
    sum[ROTATION] += only(mask, 0.5 * tw_lanes3_dot(l0, spin));
}

static double total(tw_lanes v)
{
    double sum = v[0];
    for (int l = 1; l < TW_LANES; l++)
        sum += v[l];
    return sum;
}

static void kick_tile(void *context, size_t number, double *sum)
{
    const kick_context *c = context;
    const tw_tile *tile = &c->world->tiles.tile[number];
    tw_lanes sums[KICK_SUMS] = {{0.0}};
    size_t i = tile->body;
    const size_t end = i + tile->bodies;
    for (; i + TW_LANES <= end; i += TW_LANES)
        kick_bodies(c, i, TW_LANES, sums);
    if (i < end) kick_bodies(c, i, end - i, sums);
    for (int k = 0; k < KICK_SUMS; k++)
        sum[k] += total(sums[k]);
}

static kick_context kick_make(const tw_world *w, int apply)
{
    const int damped = w->damping_mass > 0.0 || w->damping_spin > 0.0 || w->damping_local > 0.0;
    return (kick_context){w, tw_kick_make(w), apply, damped};
}

void tw_step_kick(tw_world *world)
{
    kick_context context = kick_make(world, 1);
    double sum[KICK_SUMS];
    tw_sum_parts(world->tiles.count, KICK_SUMS, kick_tile, &context, sum);
    world->books.body_damping += sum[DAMPED];
    world->books.cell += sum[STIRRED];
}

tw_step_between tw_step_energies(const tw_world *world)
{
    kick_context context = kick_make(world, 0);
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
    int heavy;      /* there is gravity */
    tw_travel travel[TW_TILES_MAX];
} move_context;

/* Driven: `l` holds its angular velocity. */
static void move_driven(const tw_world *w, size_t i, tw_vec3 x, tw_quat q, double *sum)
{
    const tw_bodies *b = &w->bodies;
    const tw_quat turn = tw_quat_from_rotation(tw_vec3_scale(w->dt, b->l[i]));
    b->dx[i] = tw_vec3_scale(w->dt, b->v[i]);
    b->x[i] = tw_vec3_add(x, b->dx[i]);
    b->q[i] = tw_quat_normalise(tw_quat_mul(turn, q));
    b->gibbs[i] = tw_motion_gibbs(turn);
    sum[DRIVEN] -= 0.5 * tw_motion_work(b, i);
}

static inline __attribute__((always_inline)) void
move_bodies(const move_context *c, size_t i, size_t count, tw_lanes *fallen, double *sum)
{
    const tw_world *w = c->world;
    const tw_bodies *b = &w->bodies;
    const tw_lanes_mask mask = free_lanes(b->flags + i, count);
    const tw_lanes3 x = tw_rows_load3(b->x + i, count), l = tw_rows_load3(b->l + i, count);
    const tw_lanes3 v = tw_rows_load3(b->v + i, count);
    const tw_lanes3 inertia = tw_rows_load3(b->inertia + i, count);
    const tw_lanes_quat q = tw_rows_load_quat(b->q + i, count);
    const tw_lanes3 own = tw_motion_mul(&c->flow.own, tw_lanes3_scale(TW_SPLAT_LANES(w->dt), v));
    const tw_lanes3 dx = tw_lanes3_add(tw_motion_mul(&c->flow.forward, x), own);
    if (c->heavy) {
        /* The affine part is no work of gravity: it never reaches the fluctuations. */
        const tw_lanes drop = w->gravity.x * own.x + w->gravity.y * own.y + w->gravity.z * own.z;
        *fallen += only(mask, tw_rows_load(b->mass + i, count) * drop);
    }
    const tw_lanes3 g = tw_motion_turn(q, inertia, l, w->dt);
    const tw_lanes_quat turn = {TW_SPLAT_LANES(1.0), g.x, g.y, g.z};
    tw_quat before[TW_LANES];
    tw_vec3 from[TW_LANES];
    const int all = tw_motion_all(mask);
    if (!all) {
        tw_rows_store_quat(before, q, TW_LANES);
        tw_rows_store3(from, x, TW_LANES);
    }
    tw_rows_store_quat(b->q + i, tw_motion_quat_normalise(tw_motion_quat_mul(turn, q)), count);
    tw_rows_store3(b->dx + i, dx, count);
    tw_rows_store3(b->x + i, tw_lanes3_add(x, dx), count);
    tw_rows_store3(b->gibbs + i, g, count);
    for (size_t k = 0; !all && k < count; k++) {
        if (!mask[k]) move_driven(w, i + k, from[k], before[k], sum);
    }
}

static void move_tile(void *context, size_t number, double *sum)
{
    move_context *c = context;
    const tw_tile *tile = &c->world->tiles.tile[number];
    tw_lanes fallen = TW_SPLAT_LANES(0.0);
    size_t i = tile->body;
    const size_t end = i + tile->bodies;
    for (; i + TW_LANES <= end; i += TW_LANES)
        move_bodies(c, i, TW_LANES, &fallen, sum);
    if (i < end) move_bodies(c, i, end - i, &fallen, sum);
    sum[FALLEN] += total(fallen);
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
    context.heavy = tw_vec3_max_abs(world->gravity) > 0.0;
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
