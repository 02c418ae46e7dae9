/* SPDX-License-Identifier: BSD-3-Clause */
/* Velocities and positions: a kick by the forces of the last step, then the move. */
#include "base/clock.h"
#include "base/sum.h"
#include "step/motion.h"
#include "step/step.h"

enum { DAMPED, STIRRED, TRANSLATION, ROTATION, FALLEN, MOVE_SUMS };

typedef struct kick_context {
    const tw_world *world;
    tw_kick kick;
    int damped, heavy; /* bodies are damped; there is gravity */
} kick_context;

static kick_context kick_make(const tw_world *w)
{
    const int damped = w->damping_mass > 0.0 || w->damping_spin > 0.0 || w->damping_local > 0.0;
    return (kick_context){w, tw_kick_make(w), damped, tw_vec3_max_abs(w->gravity) > 0.0};
}

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

/* Bodies before and after a kick, in lanes. */
typedef struct kicked {
    tw_lanes_mask mask; /* bodies that are not driven */
    tw_lanes mass;
    tw_lanes3 inertia, v0, l0, v, l;
    tw_lanes_quat q;
} kicked;

/* Energies of a kick go with the mean of the velocities before and after: then kinetic energy,
 * taken as m v_before.v_after/2, changes by just the work of the mean force over each displacement.
 * With X = dt (grad v + damping)/2 the mean solves (1 + X) mean = v_before + dt f/(2m) = u, so that
 * X mean = u - mean comes for nothing. */
static inline __attribute__((always_inline)) kicked kick_bodies(const kick_context *c, size_t i,
                                                                size_t count, tw_lanes *sum)
{
    const tw_world *w = c->world;
    const tw_bodies *b = &w->bodies;
    const double dt = c->kick.dt;
    const tw_lanes two = TW_SPLAT_LANES(2.0);
    kicked k;
    k.mask = free_lanes(b->flags + i, count);
    k.mass = tw_rows_load(b->mass + i, count);
    k.v0 = tw_rows_load3(b->v + i, count);
    k.l0 = tw_rows_load3(b->l + i, count);
    k.inertia = tw_rows_load3(b->inertia + i, count);
    k.q = tw_rows_load_quat(b->q + i, count);
    tw_lanes3 f = tw_rows_load3(b->force + i, count), torque = tw_rows_load3(b->torque + i, count);
    if (c->heavy) {
        const tw_lanes3 gravity = {TW_SPLAT_LANES(w->gravity.x), TW_SPLAT_LANES(w->gravity.y),
                                   TW_SPLAT_LANES(w->gravity.z)};
        f = tw_lanes3_add_scaled(f, k.mass, gravity);
    }
    tw_lanes3 drag = {two, two, two}, brake = drag;
    if (c->damped) {
        drag = tw_motion_local(w->damping_local, f, k.v0);
        brake = tw_motion_local(w->damping_local, torque, k.l0);
        f = tw_lanes3_add(f, drag);
        torque = tw_lanes3_add(torque, brake);
    }
    const tw_lanes3 u = tw_lanes3_add_scaled(k.v0, 0.5 * dt / k.mass, f);
    const tw_lanes3 mean = tw_motion_mul(&c->kick.push, u);
    k.v = tw_lanes3_sub(tw_lanes3_scale(two, mean), k.v0);
    k.l = tw_lanes3_add_scaled(tw_lanes3_scale(TW_SPLAT_LANES(c->kick.spin_keep), k.l0),
                               TW_SPLAT_LANES(dt * c->kick.spin_push), torque);

    tw_lanes stirred = two * tw_lanes3_dot(tw_lanes3_sub(u, mean), mean);
    if (c->damped) {
        const tw_lanes3 l_mean = tw_lanes3_scale(TW_SPLAT_LANES(0.5), tw_lanes3_add(k.l0, k.l));
        const tw_lanes3 omega = tw_motion_omega(k.q, k.inertia, l_mean);
        const tw_lanes by_mass = dt * w->damping_mass * tw_lanes3_dot(mean, mean);
        const tw_lanes lost =
            k.mass * by_mass + dt * (w->damping_spin * tw_lanes3_dot(l_mean, omega) -
                                     tw_lanes3_dot(drag, mean) - tw_lanes3_dot(brake, omega));
        stirred -= by_mass;
        sum[DAMPED] += only(k.mask, lost);
    }
    sum[STIRRED] -= only(k.mask, k.mass * stirred);
    return k;
}

static double total(tw_lanes v)
{
    double sum = v[0];
    for (int l = 1; l < TW_LANES; l++)
        sum += v[l];
    return sum;
}

static inline __attribute__((always_inline)) void weigh_bodies(const kick_context *c, size_t i,
                                                               size_t count, tw_lanes *sum)
{
    const kicked k = kick_bodies(c, i, count, sum);
    const tw_lanes3 spin = tw_motion_omega(k.q, k.inertia, k.l);
    sum[TRANSLATION] += only(k.mask, 0.5 * k.mass * tw_lanes3_dot(k.v0, k.v));
    sum[ROTATION] += only(k.mask, 0.5 * tw_lanes3_dot(k.l0, spin));
}

static void weigh_tile(void *context, size_t number, double *sum)
{
    const kick_context *c = context;
    const tw_tile *tile = &c->world->tiles.tile[number];
    tw_lanes sums[MOVE_SUMS] = {{0.0}};
    size_t i = tile->body;
    const size_t end = i + tile->bodies;
    for (; i + TW_LANES <= end; i += TW_LANES)
        weigh_bodies(c, i, TW_LANES, sums);
    if (i < end) weigh_bodies(c, i, end - i, sums);
    for (int k = 0; k < MOVE_SUMS; k++)
        sum[k] += total(sums[k]);
}

tw_step_between tw_step_energies(const tw_world *world)
{
    kick_context context = kick_make(world);
    double sum[MOVE_SUMS];
    tw_sum_parts(world->tiles.count, MOVE_SUMS, weigh_tile, &context, sum);
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
            if (wall->v_max > 0.0) v = tw_math_min(tw_math_max(v, -wall->v_max), wall->v_max);
            wall->v = tw_vec3_scale(v, wall->normal);
        }
        wall->dx = tw_vec3_scale(world->dt, wall->v);
        wall->point = tw_vec3_add(wall->point, wall->dx);
        wall->travel = tw_vec3_add(wall->travel, wall->dx);
        world->books.walls -= 0.5 * tw_vec3_dot(wall->force, wall->dx);
    }
}

enum { DRIVEN = MOVE_SUMS, SECONDS, ALL_SUMS };

typedef struct move_context {
    tw_world *world;
    kick_context kick;
    flow flow;
    tw_mat3 affine; /* from the cell of the list to the present one */
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
move_bodies(const move_context *c, size_t i, size_t count, tw_lanes *sums, double *sum)
{
    const tw_world *w = c->world;
    const tw_bodies *b = &w->bodies;
    const kicked k = kick_bodies(&c->kick, i, count, sums);
    const tw_lanes3 x = tw_rows_load3(b->x + i, count);
    const tw_lanes3 own = tw_motion_mul(&c->flow.own, tw_lanes3_scale(TW_SPLAT_LANES(w->dt), k.v));
    const tw_lanes3 dx = tw_lanes3_add(tw_motion_mul(&c->flow.forward, x), own);
    if (c->kick.heavy) {
        /* The affine part is no work of gravity: it never reaches the fluctuations. */
        const tw_lanes drop = w->gravity.x * own.x + w->gravity.y * own.y + w->gravity.z * own.z;
        sums[FALLEN] += only(k.mask, k.mass * drop);
    }
    const tw_lanes3 g = tw_motion_turn(k.q, k.inertia, k.l, w->dt);
    const tw_lanes_quat turn = {TW_SPLAT_LANES(1.0), g.x, g.y, g.z};
    const tw_lanes_quat q = tw_motion_quat_normalise(tw_motion_quat_mul(turn, k.q));
    tw_rows_store3(b->dx + i, dx, count);
    tw_rows_store3(b->gibbs + i, g, count);
    tw_rows_store3(b->x + i, tw_lanes3_add(x, dx), count);
    tw_rows_store_quat(b->q + i, q, count);
    if (count == TW_LANES && tw_motion_all(k.mask)) {
        tw_rows_store3(b->v + i, k.v, count);
        tw_rows_store3(b->l + i, k.l, count);
        return;
    }
    for (size_t l = 0; l < count; l++) {
        if (k.mask[l]) {
            b->v[i + l] = tw_lanes3_get(&k.v, l);
            b->l[i + l] = tw_lanes3_get(&k.l, l);
        } else {
            const tw_quat before = tw_quat_make(k.q.w[l], k.q.x[l], k.q.y[l], k.q.z[l]);
            move_driven(w, i + l, tw_lanes3_get(&x, l), before, sum);
        }
    }
}

static void move_tile(void *context, size_t number, double *sum)
{
    move_context *c = context;
    const double start = tw_clock();
    const tw_tile *tile = &c->world->tiles.tile[number];
    tw_lanes sums[MOVE_SUMS] = {{0.0}};
    size_t i = tile->body;
    const size_t end = i + tile->bodies;
    for (; i + TW_LANES <= end; i += TW_LANES)
        move_bodies(c, i, TW_LANES, sums, sum);
    if (i < end) move_bodies(c, i, end - i, sums, sum);
    for (int k = 0; k < MOVE_SUMS; k++)
        sum[k] += total(sums[k]);
    tw_tile_seat_own(c->world, tile);
    c->travel[number] = tw_search_travel(c->world, &c->affine, tile->body, end);
    sum[SECONDS] = tw_clock() - start;
}

tw_travel tw_step_move(tw_world *world)
{
    tw_cell *cell = &world->cell;
    move_context context;
    context.world = world;
    context.kick = kick_make(world);
    context.flow = flow_make(world);
    double sum[ALL_SUMS];
    /* Half of the cell's work with the forces before the step; the other half when they are known.
     */
    world->books.cell += 0.5 * work_of(&context.flow.forward, &world->sums.moment);
    world->cell_back = context.flow.back;
    cell->h_before = cell->h;
    cell->h = tw_mat3_mul(context.flow.map, cell->h);
    cell->inverse = tw_mat3_inverse(cell->h);
    context.affine = tw_mat3_mul(cell->h, tw_mat3_inverse(cell->h_ref));
    tw_sum_parts(world->tiles.count, ALL_SUMS, move_tile, &context, sum);
    world->books.body_damping += sum[DAMPED];
    world->books.cell += sum[STIRRED];
    world->books.gravity += sum[FALLEN];
    world->books.walls += sum[DRIVEN];
    world->times.move += sum[SECONDS];
    move_walls(world);
    world->time += world->dt;
    world->steps++;
    tw_travel most = {0.0, 0.0};
    for (size_t k = 0; k < world->tiles.count; k++) {
        const tw_travel *one = &context.travel[k];
        most.own = one->own > most.own ? one->own : most.own;
        most.absolute = one->absolute > most.absolute ? one->absolute : most.absolute;
    }
    return most;
}
