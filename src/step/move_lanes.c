/* SPDX-License-Identifier: BSD-3-Clause */
/* Kick and move of bodies, TW_LANES at a time. Compiled once per level of base/simd.h. */
#include "search/search.h"
#include "step/motion.h"
#include "step/move.h"
#include "step/rows.h"
#include "world/schedule.h"

/* The equations of motion of TW_LANES bodies: tw_motion_lanes_*. */

#include "base/lanes_params.inc"
#define TW_QUAT tw_rows_quat
#undef TW_NAME
#define TW_NAME(verb) tw_motion_lanes_##verb
#include "step/motion_ops.inc"

#include <twirl/detail/undef.inc>

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
    tw_motion_lanes_kicked by;
} kicked;

static inline __attribute__((always_inline)) kicked kick_bodies(const tw_move_context *m,
                                                                const group *g, lane_sums *sums)
{
    const tw_bodies *b = &m->state->bodies;
    const size_t i = g->i, count = g->count;
    kicked k;
    k.mask = free_lanes(b->flags + i, count);
    k.by.mass = tw_rows_load(b->mass + i, count);
    k.by.v0 = tw_rows_load3(b->v + i, count);
    k.by.l0 = tw_rows_load3(b->l + i, count);
    k.by.inertia = tw_rows_load3(b->inertia + i, count);
    k.by.q = tw_rows_load_quat(b->q + i, count);
    tw_motion_lanes_kick(m->model, &m->kick, tw_rows_load3(b->force + i, count),
                         tw_rows_load3(b->torque + i, count), &k.by);
    if (m->kick.has_damping) add(sums, TW_MOVE_DAMPING, g, tw_lanes_only(k.mask, k.by.damping));
    add(sums, TW_MOVE_CELL, g, tw_lanes_only(k.mask, k.by.cell));
    return k;
}

static inline __attribute__((always_inline)) void add_energies(const tw_move_context *m,
                                                               const group *g, lane_sums *sums)
{
    const kicked k = kick_bodies(m, g, sums);
    const tw_lanes3 spin = tw_motion_lanes_omega(k.by.q, k.by.inertia, k.by.l);
    add(sums, TW_MOVE_TRANSLATION, g,
        tw_lanes_only(k.mask, 0.5 * k.by.mass * tw_lanes3_dot(k.by.v0, k.by.v)));
    add(sums, TW_MOVE_ROTATION, g, tw_lanes_only(k.mask, 0.5 * tw_lanes3_dot(k.by.l0, spin)));
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
            b->v[g->i + l] = tw_lanes3_get(&k->by.v, l);
            b->l[g->i + l] = tw_lanes3_get(&k->by.l, l);
        } else {
            const tw_rows_quat *q = &k->by.q;
            const tw_quat before = tw_quat_make(q->w[l], q->x[l], q->y[l], q->z[l]);
            sum[TW_MOVE_DRIVEN] -=
                tw_move_driven(b, g->i + l, m->kick.dt, tw_lanes3_get(x, l), before);
        }
    }
}

/* Returns 1 if none of them is driven: *out then holds all of them. */
static inline __attribute__((always_inline)) int move_bodies(const tw_move_context *m,
                                                             const group *g, lane_sums *sums,
                                                             double *sum,
                                                             tw_motion_lanes_moved *out)
{
    tw_bodies *b = &m->out->bodies;
    const size_t i = g->i, count = g->count;
    const kicked k = kick_bodies(m, g, sums);
    const tw_lanes3 x0 = tw_rows_load3(b->x + i, count);
    tw_lanes3 own;
    const tw_lanes3 dx = tw_motion_lanes_displacement(&m->flow, m->state->dt, k.by.v, x0, &own);
    if (m->kick.has_gravity) {
        const tw_lanes work = tw_motion_lanes_drop(m->model->gravity, k.by.mass, own);
        add(sums, TW_MOVE_GRAVITY, g, tw_lanes_only(k.mask, work));
    }
    *out = tw_motion_lanes_move(&k.by, m->state->dt, x0, dx);
    tw_rows_store3(b->dx + i, dx, count);
    tw_rows_store3(b->gibbs + i, out->turn, count);
    tw_rows_store3(b->x + i, out->x, count);
    tw_rows_store_quat(b->q + i, out->q, count);
    if (count == TW_LANES && tw_lanes_all(k.mask)) {
        tw_rows_store3(b->v + i, k.by.v, count);
        tw_rows_store3(b->l + i, k.by.l, count);
        return 1;
    }
    const kicked one_by_one = k; /* k itself stays in registers */
    move_driven(m, g, &one_by_one, &x0, sum);
    return 0;
}

/* Fills body slots, and the sphere slots of single spheres, from values still in registers. */
static inline __attribute__((always_inline)) void load_bodies(const tw_move_context *m,
                                                              const tw_tile *tile, const group *g,
                                                              const tw_motion_lanes_moved *now)
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

static inline __attribute__((always_inline)) void watch_bodies(const tw_move_context *m,
                                                               const group *g,
                                                               const tw_motion_lanes_moved *now,
                                                               travel *far)
{
    const tw_model *model = m->model;
    const tw_state *state = m->state;
    const tw_schedule *schedule = m->schedule;
    const tw_bodies *b = &state->bodies;
    const tw_lanes3 x_ref = tw_rows_load3(b->x_ref + g->i, TW_LANES);
    const tw_lanes square = tw_motion_lanes_strayed(&m->affine, now->x, x_ref);
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
    const tw_lanes swing = reach * tw_motion_lanes_angle(now->q, ref);
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
            const tw_lanes3 arm = tw_motion_lanes_mul(&r, offset);
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
    tw_tile *tile = &schedule->tiles.tile[number];
    lane_sums sums = {0};
    group g = {tile->body, 0, TW_LANES};
    uint32_t loaded = 0; /* bodies before this number are */
    int all = model->laws->kind == TW_CONTACT_EXACT;
    travel far = {TW_SPLAT_LANES(0.0), TW_SPLAT_LANES(0.0), TW_SPLAT_LANES(0.0)};
    tw_motion_lanes_moved now;
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
    tile->travel_relative = own > tile->travel_relative ? own : tile->travel_relative;
    tile->travel_relative = square > tile->travel_relative ? square : tile->travel_relative;
    tile->travel_absolute = absolute > tile->travel_absolute ? absolute : tile->travel_absolute;
    if (!schedule->tiles.single) {
        loaded = with_spheres_behind(schedule, tile, loaded);
        load_spheres(m, tile, loaded);
    }
    tw_tile_load_own(model, state, schedule, tile, loaded);
}
