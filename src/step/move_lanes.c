/* SPDX-License-Identifier: BSD-3-Clause */
/* Kick and move of bodies, TW_LANES at a time. Compiled once per level of base/simd.h. */
#include "step/move_lanes.h"

#include "base/clock.h"
#include "search/travel.h"
#include "step/motion_lanes.h"
#include "step/move_driven.h"
#include "world/tile_load.h"

/* Bodies i .. i + count - 1 of a tile, number `first` and up in its sums. */
typedef struct group {
    size_t i, first, count;
} group;

typedef struct lane_sums {
    tw_lanes_sum sum[TW_MOVE_LANE_SUMS];
} lane_sums;

static inline void add(lane_sums *sums, int which, const group *g, tw_lanes v)
{
    tw_lanes_sum_add(&sums->sum[which], g->first, v);
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

/* Bodies before and after a kick. */
typedef struct kicked {
    tw_lanes_mask mask; /* bodies that are not driven */
    tw_lanes mass;
    tw_lanes3 inertia, v0, l0, v, l;
    tw_rows_quat q;
} kicked;

/* Energies of a kick use the mean of the velocities before and after: kinetic energy, defined as
 * m v_before.v_after/2, then changes by exactly the work of the mean force over each displacement.
 * With X = dt (grad v + damping)/2 the mean solves (1 + X) mean = v_before + dt f/(2m) = u, so that
 * X mean = u - mean costs nothing. */
static inline __attribute__((always_inline)) kicked kick_bodies(const tw_move_context *m,
                                                                const group *g, lane_sums *sums)
{
    const tw_model *model = m->model;
    const tw_state *state = m->state;
    const tw_bodies *b = &state->bodies;
    const size_t i = g->i, count = g->count;
    const double dt = m->kick.dt;
    const tw_lanes two = TW_SPLAT_LANES(2.0);
    kicked k;
    k.mask = free_lanes(b->flags + i, count);
    k.mass = tw_rows_load(b->mass + i, count);
    k.v0 = tw_rows_load3(b->v + i, count);
    k.l0 = tw_rows_load3(b->l + i, count);
    k.inertia = tw_rows_load3(b->inertia + i, count);
    k.q = tw_rows_load_quat(b->q + i, count);
    tw_lanes3 f = tw_rows_load3(b->force + i, count), torque = tw_rows_load3(b->torque + i, count);
    if (m->kick.heavy) {
        const tw_lanes3 gravity = {TW_SPLAT_LANES(model->gravity.x),
                                   TW_SPLAT_LANES(model->gravity.y),
                                   TW_SPLAT_LANES(model->gravity.z)};
        f = tw_lanes3_add_scaled(f, k.mass, gravity);
    }
    tw_lanes3 drag = {two, two, two}, brake = drag;
    if (m->kick.damped) {
        drag = tw_motion_local(model->damping_local, f, k.v0);
        brake = tw_motion_local(model->damping_local, torque, k.l0);
        f = tw_lanes3_add(f, drag);
        torque = tw_lanes3_add(torque, brake);
    }
    const tw_lanes3 u = tw_lanes3_add_scaled(k.v0, 0.5 * dt / k.mass, f);
    const tw_lanes3 mean = tw_motion_mul(&m->kick.inverse, u);
    k.v = tw_lanes3_sub(tw_lanes3_scale(two, mean), k.v0);
    k.l = tw_lanes3_add_scaled(tw_lanes3_scale(TW_SPLAT_LANES(m->kick.spin_keep), k.l0),
                               TW_SPLAT_LANES(dt * m->kick.spin_gain), torque);

    tw_lanes cell_work = two * tw_lanes3_dot(tw_lanes3_sub(u, mean), mean);
    if (m->kick.damped) {
        const tw_lanes3 l_mean = tw_lanes3_scale(TW_SPLAT_LANES(0.5), tw_lanes3_add(k.l0, k.l));
        const tw_lanes3 omega = tw_motion_omega(k.q, k.inertia, l_mean);
        const tw_lanes by_mass = dt * model->damping_mass * tw_lanes3_dot(mean, mean);
        const tw_lanes lost =
            k.mass * by_mass + dt * (model->damping_spin * tw_lanes3_dot(l_mean, omega) -
                                     tw_lanes3_dot(drag, mean) - tw_lanes3_dot(brake, omega));
        cell_work -= by_mass;
        add(sums, TW_MOVE_DAMPING, g, tw_lanes_only(k.mask, lost));
    }
    add(sums, TW_MOVE_CELL, g, tw_lanes_only(k.mask, -k.mass * cell_work));
    return k;
}

static inline __attribute__((always_inline)) void add_energies(const tw_move_context *m,
                                                               const group *g, lane_sums *sums)
{
    const kicked k = kick_bodies(m, g, sums);
    const tw_lanes3 spin = tw_motion_omega(k.q, k.inertia, k.l);
    add(sums, TW_MOVE_TRANSLATION, g,
        tw_lanes_only(k.mask, 0.5 * k.mass * tw_lanes3_dot(k.v0, k.v)));
    add(sums, TW_MOVE_ROTATION, g, tw_lanes_only(k.mask, 0.5 * tw_lanes3_dot(k.l0, spin)));
}

static void total(const lane_sums *sums, double *sum)
{
    for (int k = 0; k < TW_MOVE_LANE_SUMS; k++)
        sum[k] += tw_lanes_sum_total(&sums->sum[k]);
}

void TW_SIMD_NAME(tw_move_lanes_energies)(void *context, size_t number, double *sum)
{
    const tw_move_context *m = context;
    const tw_tile *tile = &m->schedule->tiles.tile[number];
    lane_sums sums = {0};
    group g = {tile->body, 0, TW_LANES};
    for (; g.first + TW_LANES <= tile->bodies; g.first += TW_LANES, g.i += TW_LANES)
        add_energies(m, &g, &sums);
    g.count = tile->bodies - g.first;
    if (g.count > 0) add_energies(m, &g, &sums);
    total(&sums, sum);
}

/* Stores the velocities of free bodies, and moves driven ones one by one. */
static void move_driven(const tw_move_context *m, const group *g, const kicked *k,
                        const tw_lanes3 *x, double *sum)
{
    tw_bodies *b = &m->out->bodies;
    for (size_t l = 0; l < g->count; l++) {
        if (k->mask[l]) {
            b->v[g->i + l] = tw_lanes3_get(&k->v, l);
            b->l[g->i + l] = tw_lanes3_get(&k->l, l);
        } else {
            const tw_quat before = tw_quat_make(k->q.w[l], k->q.x[l], k->q.y[l], k->q.z[l]);
            sum[TW_MOVE_DRIVEN] -=
                tw_move_driven(b, g->i + l, m->kick.dt, tw_lanes3_get(x, l), before);
        }
    }
}

/* Bodies after the step. */
typedef struct moved {
    tw_lanes3 x, turn; /* position, Gibbs vector of the rotation in the step */
    tw_rows_quat q;
} moved;

/* Returns 1 if none of them is driven: *out then holds all of them. */
static inline __attribute__((always_inline)) int
move_bodies(const tw_move_context *m, const group *g, lane_sums *sums, double *sum, moved *out)
{
    const tw_model *model = m->model;
    const tw_state *state = m->state;
    tw_bodies *b = &m->out->bodies;
    const size_t i = g->i, count = g->count;
    const kicked k = kick_bodies(m, g, sums);
    const tw_lanes3 x0 = tw_rows_load3(b->x + i, count);
    const tw_lanes3 own =
        tw_motion_mul(&m->flow.own, tw_lanes3_scale(TW_SPLAT_LANES(state->dt), k.v));
    const tw_lanes3 dx = tw_lanes3_add(tw_motion_mul(&m->flow.forward, x0), own);
    if (m->kick.heavy) {
        /* Gravity does no work on the affine part, which never reaches the fluctuations. */
        const tw_lanes drop =
            model->gravity.x * own.x + model->gravity.y * own.y + model->gravity.z * own.z;
        add(sums, TW_MOVE_GRAVITY, g, tw_lanes_only(k.mask, k.mass * drop));
    }
    const tw_lanes3 gibbs = tw_motion_turn(k.q, k.inertia, k.l, state->dt);
    const tw_rows_quat by = {TW_SPLAT_LANES(1.0), gibbs.x, gibbs.y, gibbs.z};
    const tw_rows_quat q = tw_motion_quat_normalise(tw_motion_quat_mul(by, k.q));
    out->x = tw_lanes3_add(x0, dx);
    out->turn = gibbs;
    out->q = q;
    tw_rows_store3(b->dx + i, dx, count);
    tw_rows_store3(b->gibbs + i, gibbs, count);
    tw_rows_store3(b->x + i, out->x, count);
    tw_rows_store_quat(b->q + i, q, count);
    if (count == TW_LANES && tw_lanes_all(k.mask)) {
        tw_rows_store3(b->v + i, k.v, count);
        tw_rows_store3(b->l + i, k.l, count);
        return 1;
    }
    move_driven(m, g, &k, &x0, sum);
    return 0;
}

/* Fills body slots, and the sphere slots of single spheres, from values still in registers. */
static inline __attribute__((always_inline)) void
load_bodies(const tw_move_context *m, const tw_tile *tile, const group *g, const moved *now)
{
    const tw_schedule *schedule = m->schedule;
    const tw_tiles *t = &schedule->tiles;
    const size_t at = tile->body_slot + g->first;
    const tw_lanes3 origin = {TW_SPLAT_LANES(tile->origin.x), TW_SPLAT_LANES(tile->origin.y),
                              TW_SPLAT_LANES(tile->origin.z)};
    const tw_lanes3 from = tw_lanes3_sub(now->x, origin);
    const tw_lanes zero = TW_SPLAT_LANES(0.0);
    const tw_lanes radius = t->single ? tw_rows_get(schedule->spheres.radius + g->i) : zero;
    const tw_lanes centre[4] = {from.x, from.y, from.z, radius};
    tw_lanes mass = zero;
    if (m->masses) {
        const tw_bodies *b = &m->state->bodies;
        for (size_t l = 0; l < TW_LANES; l++)
            mass[l] = b->flags[g->i + l] & TW_BODY_FIXED ? 0.0 : b->mass[g->i + l];
    }
    const tw_lanes half[4] = {now->turn.x, now->turn.y, now->turn.z, mass};
    tw_rows_store4(t->centre[at].x, centre);
    tw_rows_store4(t->half[at].v, half);
}

static inline tw_lanes larger(tw_lanes a, tw_lanes b)
{
    return tw_lanes_select(a > b, a, b);
}

/* Displacements since the list was made: see tw_travel_of_tile. */
typedef struct travel {
    tw_lanes square; /* single spheres: square of the displacement relative to the flow */
    tw_lanes own, absolute;
} travel;

static inline __attribute__((always_inline)) void
watch_bodies(const tw_move_context *m, const group *g, const moved *now, travel *far)
{
    const tw_model *model = m->model;
    const tw_state *state = m->state;
    const tw_schedule *schedule = m->schedule;
    const tw_bodies *b = &state->bodies;
    const tw_lanes3 x_ref = tw_rows_load3(b->x_ref + g->i, TW_LANES);
    const tw_lanes3 d = tw_lanes3_sub(now->x, tw_motion_mul(&m->affine, x_ref));
    const tw_lanes square = tw_lanes3_dot(d, d);
    if (schedule->tiles.single && state->wall_count == 0) {
        far->square = larger(square, far->square);
        return;
    }
    tw_lanes reach;
    for (size_t l = 0; l < TW_LANES; l++) {
        const tw_shape *shape = &model->shapes[b->shape[g->i + l]];
        reach[l] = shape->count > 1 ? shape->radius * b->size[g->i + l] : 0.0;
    }
    const tw_rows_quat ref = tw_rows_load_quat(b->q_ref + g->i, TW_LANES);
    const tw_lanes swing = reach * tw_motion_angle(now->q, ref);
    far->own = larger(tw_lanes_sqrt(square) + swing, far->own);
    if (state->wall_count == 0) return;
    const tw_lanes3 way = tw_lanes3_sub(now->x, x_ref);
    far->absolute = larger(tw_lanes_sqrt(tw_lanes3_dot(way, way)) + swing, far->absolute);
}

/* Fills the sphere slots of clusters, body by body, from number 0 to `end` of the tile. Offsets
 * come from shape and size: stored for all spheres they would be the longest column of all. Unused
 * lanes spill into the next body of the tile, which is filled afterwards. */
static void load_spheres(const tw_move_context *m, const tw_tile *tile, uint32_t end)
{
    const tw_model *model = m->model;
    const tw_state *state = m->state;
    const tw_schedule *schedule = m->schedule;
    const tw_bodies *b = &state->bodies;
    tw_tile_sphere_slot *sphere_slot = schedule->tiles.sphere_slot + tile->sphere_slot;
    for (uint32_t k = 0; k < end; k++) {
        const size_t i = tile->body + k;
        const tw_shape *shape = &model->shapes[b->shape[i]];
        const double size = b->size[i];
        const tw_tile_sphere_slot centre = schedule->tiles.centre[tile->body_slot + k];
        if (shape->count == 1) {
            *sphere_slot++ = (tw_tile_sphere_slot){{centre.x[0], centre.x[1], centre.x[2]},
                                                   size * shape->spheres[0].radius};
            continue;
        }
        const tw_mat3 r = tw_quat_matrix(b->q[i]);
        for (size_t s = 0; s < shape->count; s += TW_LANES) {
            const double *rows[TW_LANES];
            tw_lanes in[4];
            for (size_t l = 0; l < TW_LANES; l++)
                rows[l] = &shape->spheres[s + l < shape->count ? s + l : s].centre.x;
            tw_rows_columns(rows, in);
            const tw_lanes3 offset = tw_lanes3_make(size * in[0], size * in[1], size * in[2]);
            const tw_lanes3 arm = tw_motion_mul(&r, offset);
            const tw_lanes row[4] = {centre.x[0] + arm.x, centre.x[1] + arm.y, centre.x[2] + arm.z,
                                     size * in[3]};
            tw_rows_store4(sphere_slot[s].x, row);
        }
        sphere_slot += shape->count;
    }
}

/* Number of bodies at the start of a tile with at least TW_LANES spheres behind them in the tile.
 */
static uint32_t with_spheres_behind(const tw_schedule *schedule, const tw_tile *tile,
                                    uint32_t bodies)
{
    const uint32_t *first = schedule->spheres.first + tile->body;
    while (bodies > 0 && first[bodies] + TW_LANES > first[tile->bodies])
        bodies--;
    return bodies;
}

static double largest(tw_lanes v)
{
    double most = v[0];
    for (int l = 1; l < TW_LANES; l++)
        most = v[l] > most ? v[l] : most;
    return most;
}

/* With the exact law bodies are loaded as they are moved, up to the first driven one. */
void TW_SIMD_NAME(tw_move_lanes_tile)(void *context, size_t number, double *sum)
{
    const tw_move_context *m = context;
    const tw_model *model = m->model;
    const tw_state *state = m->state;
    tw_schedule *schedule = m->schedule;
    const double start = tw_clock();
    tw_tile *tile = &schedule->tiles.tile[number];
    lane_sums sums = {0};
    group g = {tile->body, 0, TW_LANES};
    uint32_t loaded = 0; /* bodies before this number are */
    int all = model->laws->kind == TW_CONTACT_EXACT;
    travel far = {TW_SPLAT_LANES(0.0), TW_SPLAT_LANES(0.0), TW_SPLAT_LANES(0.0)};
    moved now;
    for (; g.first + TW_LANES <= tile->bodies; g.first += TW_LANES, g.i += TW_LANES) {
        all &= move_bodies(m, &g, &sums, sum, &now);
        if (!all) continue;
        load_bodies(m, tile, &g, &now);
        watch_bodies(m, &g, &now, &far);
        loaded += TW_LANES;
    }
    g.count = tile->bodies - g.first;
    if (g.count > 0) move_bodies(m, &g, &sums, sum, &now);
    total(&sums, sum);
    tw_travel_of_tile(model, state, &schedule->tiles, &m->affine, tile, loaded);
    const double square = sqrt(largest(far.square)), own = largest(far.own);
    const double absolute = largest(far.absolute);
    tile->own = own > tile->own ? own : tile->own;
    tile->own = square > tile->own ? square : tile->own;
    tile->absolute = absolute > tile->absolute ? absolute : tile->absolute;
    if (!schedule->tiles.single) {
        loaded = with_spheres_behind(schedule, tile, loaded);
        load_spheres(m, tile, loaded);
    }
    tw_tile_load_own(model, state, schedule, tile, loaded);
    sum[TW_MOVE_SECONDS] = tw_clock() - start;
}
