/* SPDX-License-Identifier: BSD-3-Clause */
/* Conversion between rows of numbers, one row per body or contact, and lanes, one per row. */
#ifndef TW_STEP_ROWS_H
#define TW_STEP_ROWS_H

#include "base/lanes.h"
#include "base/quat.h"
#include "contact/lanes.h"
#include "world/schedule.h"

static inline tw_lanes tw_rows_get(const double *from)
{
    return *(const tw_lanes_any *)from;
}

static inline void tw_rows_put(double *to, tw_lanes v)
{
    *(tw_lanes_any *)to = v;
}

/* TW_LANES entries of three rows of a bundle, from `at` on. */
static inline tw_lanes3 tw_rows_get3(double (*from)[TW_BUNDLE], size_t at)
{
    return tw_lanes3_make(tw_rows_get(from[0] + at), tw_rows_get(from[1] + at),
                          tw_rows_get(from[2] + at));
}

static inline void tw_rows_put3(double to[3][TW_BUNDLE], size_t at, const tw_lanes3 *v)
{
    tw_rows_put(to[0] + at, v->x);
    tw_rows_put(to[1] + at, v->y);
    tw_rows_put(to[2] + at, v->z);
}

/* TW_JOIN: eight numbers of two fours. */
#if defined(__clang__) || __GNUC__ >= 12
#define TW_SHUFFLE __builtin_shufflevector
#define TW_JOIN(a, b) __builtin_shufflevector((a), (b), 0, 1, 2, 3, 4, 5, 6, 7)
#else /* its older form: as many as each has; an index of -1, for any, is taken modulo their count \
       */
#define TW_SHUFFLE(a, b, ...) __builtin_shuffle((a), (b), (tw_lanes_mask){__VA_ARGS__})
#define TW_JOIN(a, b) ((tw_lanes){(a)[0], (a)[1], (a)[2], (a)[3], (b)[0], (b)[1], (b)[2], (b)[3]})
#endif

/* ---- Arrays of vectors ---- */

/* TW_LANES vectors, 3 * TW_LANES numbers. */
static inline __attribute__((always_inline)) tw_lanes3 tw_rows_load3_whole(const tw_vec3 *from)
{
    const tw_lanes a = tw_rows_get(&from->x), b = tw_rows_get(&from->x + TW_LANES);
    const tw_lanes c = tw_rows_get(&from->x + (ptrdiff_t)2 * TW_LANES);
#if TW_LANES == 2
    return tw_lanes3_make(TW_SHUFFLE(a, b, 0, 3), TW_SHUFFLE(a, c, 1, 2), TW_SHUFFLE(b, c, 0, 3));
#elif TW_LANES == 4
    const tw_lanes x = TW_SHUFFLE(a, b, 0, 3, 6, -1), y = TW_SHUFFLE(a, b, 1, 4, 7, -1);
    const tw_lanes z = TW_SHUFFLE(a, b, 2, 5, -1, -1);
    return tw_lanes3_make(TW_SHUFFLE(x, c, 0, 1, 2, 5), TW_SHUFFLE(y, c, 0, 1, 2, 6),
                          TW_SHUFFLE(z, c, 0, 1, 4, 7));
#else
    const tw_lanes x = TW_SHUFFLE(a, b, 0, 3, 6, 9, 12, 15, -1, -1);
    const tw_lanes y = TW_SHUFFLE(a, b, 1, 4, 7, 10, 13, -1, -1, -1);
    const tw_lanes z = TW_SHUFFLE(a, b, 2, 5, 8, 11, 14, -1, -1, -1);
    return tw_lanes3_make(TW_SHUFFLE(x, c, 0, 1, 2, 3, 4, 5, 10, 13),
                          TW_SHUFFLE(y, c, 0, 1, 2, 3, 4, 8, 11, 14),
                          TW_SHUFFLE(z, c, 0, 1, 2, 3, 4, 9, 12, 15));
#endif
}

static inline __attribute__((always_inline)) void tw_rows_store3_whole(tw_vec3 *to, tw_lanes3 v)
{
    tw_lanes a, b, c;
#if TW_LANES == 2
    a = TW_SHUFFLE(v.x, v.y, 0, 2);
    b = TW_SHUFFLE(v.z, v.x, 0, 3);
    c = TW_SHUFFLE(v.y, v.z, 1, 3);
#elif TW_LANES == 4
    a = TW_SHUFFLE(v.x, v.y, 0, 4, -1, 1);
    b = TW_SHUFFLE(v.x, v.y, 5, -1, 2, 6);
    c = TW_SHUFFLE(v.x, v.y, -1, 3, 7, -1);
    a = TW_SHUFFLE(a, v.z, 0, 1, 4, 3);
    b = TW_SHUFFLE(b, v.z, 0, 5, 2, 3);
    c = TW_SHUFFLE(c, v.z, 6, 1, 2, 7);
#else
    a = TW_SHUFFLE(v.x, v.y, 0, 8, -1, 1, 9, -1, 2, 10);
    b = TW_SHUFFLE(v.x, v.y, -1, 3, 11, -1, 4, 12, -1, 5);
    c = TW_SHUFFLE(v.x, v.y, 13, -1, 6, 14, -1, 7, 15, -1);
    a = TW_SHUFFLE(a, v.z, 0, 1, 8, 3, 4, 9, 6, 7);
    b = TW_SHUFFLE(b, v.z, 10, 1, 2, 11, 4, 5, 12, 7);
    c = TW_SHUFFLE(c, v.z, 0, 13, 2, 3, 14, 5, 6, 15);
#endif
    tw_rows_put(&to->x, a);
    tw_rows_put(&to->x + TW_LANES, b);
    tw_rows_put(&to->x + (ptrdiff_t)2 * TW_LANES, c);
}

/* Entries 0 .. count - 1 of an array of vectors, one per lane; unused lanes repeat the last one and
 * are not stored. */
static inline __attribute__((always_inline)) tw_lanes3 tw_rows_load3(const tw_vec3 *from,
                                                                     size_t count)
{
    tw_lanes3 v;
    if (count == TW_LANES) return tw_rows_load3_whole(from);
    for (size_t l = 0; l < TW_LANES; l++)
        tw_lanes3_put(&v, l, from[l < count ? l : count - 1]);
    return v;
}

static inline __attribute__((always_inline)) void tw_rows_store3(tw_vec3 *to, tw_lanes3 v,
                                                                 size_t count)
{
    if (count == TW_LANES) {
        tw_rows_store3_whole(to, v);
        return;
    }
    for (size_t l = 0; l < count; l++)
        to[l] = tw_lanes3_get(&v, l);
}

static inline __attribute__((always_inline)) tw_lanes tw_rows_load(const double *from, size_t count)
{
    tw_lanes v;
    if (count == TW_LANES) return tw_rows_get(from);
    for (size_t l = 0; l < TW_LANES; l++)
        v[l] = from[l < count ? l : count - 1];
    return v;
}

/* ---- Rows of four ---- */

/* Transposes four columns into rows. With four lanes or more, each of out[0], out[1] ... holds
 * TW_LANES / 4 rows; with two lanes, half a row. */
static inline __attribute__((always_inline)) void tw_rows_transpose(const tw_lanes in[4],
                                                                    tw_lanes out[4])
{
#if TW_LANES == 2
    out[0] = TW_SHUFFLE(in[0], in[1], 0, 2);
    out[1] = TW_SHUFFLE(in[2], in[3], 0, 2);
    out[2] = TW_SHUFFLE(in[0], in[1], 1, 3);
    out[3] = TW_SHUFFLE(in[2], in[3], 1, 3);
#elif TW_LANES == 4
    const tw_lanes p = TW_SHUFFLE(in[0], in[1], 0, 4, 2, 6);
    const tw_lanes q = TW_SHUFFLE(in[0], in[1], 1, 5, 3, 7);
    const tw_lanes r = TW_SHUFFLE(in[2], in[3], 0, 4, 2, 6);
    const tw_lanes s = TW_SHUFFLE(in[2], in[3], 1, 5, 3, 7);
    out[0] = TW_SHUFFLE(p, r, 0, 1, 4, 5);
    out[1] = TW_SHUFFLE(q, s, 0, 1, 4, 5);
    out[2] = TW_SHUFFLE(p, r, 2, 3, 6, 7);
    out[3] = TW_SHUFFLE(q, s, 2, 3, 6, 7);
#else
    const tw_lanes p = TW_SHUFFLE(in[0], in[1], 0, 8, 1, 9, 2, 10, 3, 11);
    const tw_lanes q = TW_SHUFFLE(in[0], in[1], 4, 12, 5, 13, 6, 14, 7, 15);
    const tw_lanes r = TW_SHUFFLE(in[2], in[3], 0, 8, 1, 9, 2, 10, 3, 11);
    const tw_lanes s = TW_SHUFFLE(in[2], in[3], 4, 12, 5, 13, 6, 14, 7, 15);
    out[0] = TW_SHUFFLE(p, r, 0, 1, 8, 9, 2, 3, 10, 11);
    out[1] = TW_SHUFFLE(p, r, 4, 5, 12, 13, 6, 7, 14, 15);
    out[2] = TW_SHUFFLE(q, s, 0, 1, 8, 9, 2, 3, 10, 11);
    out[3] = TW_SHUFFLE(q, s, 4, 5, 12, 13, 6, 7, 14, 15);
#endif
}

/* The columns of the rows of four numbers at row[0], row[1] ... */
static inline __attribute__((always_inline)) void tw_rows_columns(const double *const row[TW_LANES],
                                                                  tw_lanes out[4])
{
#if TW_LANES == 2
    const tw_lanes a0 = tw_rows_get(row[0]), a1 = tw_rows_get(row[0] + 2);
    const tw_lanes b0 = tw_rows_get(row[1]), b1 = tw_rows_get(row[1] + 2);
    out[0] = TW_SHUFFLE(a0, b0, 0, 2);
    out[1] = TW_SHUFFLE(a0, b0, 1, 3);
    out[2] = TW_SHUFFLE(a1, b1, 0, 2);
    out[3] = TW_SHUFFLE(a1, b1, 1, 3);
#elif TW_LANES == 4
    const tw_lanes in[4] = {tw_rows_get(row[0]), tw_rows_get(row[1]), tw_rows_get(row[2]),
                            tw_rows_get(row[3])};
    tw_rows_transpose(in, out);
#else
    typedef double four __attribute__((vector_size(32), aligned(8), may_alias));
    tw_lanes both[4]; /* rows k and k + 4 */
    for (int k = 0; k < 4; k++)
        both[k] = TW_JOIN(*(const four *)row[k], *(const four *)row[k + 4]);
    const tw_lanes p = TW_SHUFFLE(both[0], both[1], 0, 8, 2, 10, 4, 12, 6, 14);
    const tw_lanes q = TW_SHUFFLE(both[0], both[1], 1, 9, 3, 11, 5, 13, 7, 15);
    const tw_lanes r = TW_SHUFFLE(both[2], both[3], 0, 8, 2, 10, 4, 12, 6, 14);
    const tw_lanes s = TW_SHUFFLE(both[2], both[3], 1, 9, 3, 11, 5, 13, 7, 15);
    out[0] = TW_SHUFFLE(p, r, 0, 1, 8, 9, 4, 5, 12, 13);
    out[1] = TW_SHUFFLE(q, s, 0, 1, 8, 9, 4, 5, 12, 13);
    out[2] = TW_SHUFFLE(p, r, 2, 3, 10, 11, 6, 7, 14, 15);
    out[3] = TW_SHUFFLE(q, s, 2, 3, 10, 11, 6, 7, 14, 15);
#endif
}

/* Stores consecutive rows of four numbers. */
static inline __attribute__((always_inline)) void tw_rows_store4(double *to, const tw_lanes in[4])
{
    tw_lanes rows[4];
    tw_rows_transpose(in, rows);
    for (ptrdiff_t k = 0; k < 4; k++)
        tw_rows_put(to + k * TW_LANES, rows[k]);
}

static inline __attribute__((always_inline)) void
tw_rows_spheres(const tw_tile_sphere_slot *sphere_slot, const uint32_t *i, tw_lanes out[4])
{
    const double *row[TW_LANES];
    for (int l = 0; l < TW_LANES; l++)
        row[l] = sphere_slot[i[l]].x;
    tw_rows_columns(row, out);
}

static inline __attribute__((always_inline)) void tw_rows_halves(const tw_tile_half *half,
                                                                 const uint32_t *i, tw_lanes out[4])
{
    const double *row[TW_LANES];
    for (int l = 0; l < TW_LANES; l++)
        row[l] = half[i[l]].v;
    tw_rows_columns(row, out);
}

/* Adds force f and torque t of each lane to the force accumulator of p and subtracts them from that
 * of q: lane by lane, so that sums are in the order of slots. */
static inline __attribute__((always_inline)) void
tw_rows_accumulate(tw_tile_accumulator *accumulator, const uint32_t *p, const uint32_t *q,
                   const tw_lanes3 *f, const tw_lanes3 *t)
{
    /* row[l]: the contribution of lane l, in the layout of an accumulator. */
    enum { PARTS = TW_LANES == 2 ? 3 : 8 / TW_LANES };
    tw_lanes row[TW_LANES][PARTS];
#if TW_LANES == 2
    const tw_lanes in[3][2] = {{f->x, f->y}, {f->z, t->x}, {t->y, t->z}};
    for (int k = 0; k < 3; k++) {
        row[0][k] = TW_SHUFFLE(in[k][0], in[k][1], 0, 2);
        row[1][k] = TW_SHUFFLE(in[k][0], in[k][1], 1, 3);
    }
#else
    const tw_lanes zero = TW_SPLAT_LANES(0.0);
    const tw_lanes first[4] = {f->x, f->y, f->z, t->x}, second[4] = {t->y, t->z, zero, zero};
    tw_lanes a[4], b[4];
    tw_rows_transpose(first, a);
    tw_rows_transpose(second, b);
    for (int k = 0; k < 4; k++) {
#if TW_LANES == 4
        row[k][0] = a[k];
        row[k][1] = b[k];
#else
        row[2 * k][0] = TW_SHUFFLE(a[k], b[k], 0, 1, 2, 3, 8, 9, 10, 11);
        row[2 * k + 1][0] = TW_SHUFFLE(a[k], b[k], 4, 5, 6, 7, 12, 13, 14, 15);
#endif
    }
#endif
    for (int l = 0; l < TW_LANES; l++) {
        double *to_p = accumulator[p[l]].force, *to_q = accumulator[q[l]].force;
        for (ptrdiff_t k = 0; k < PARTS; k++)
            tw_rows_put(to_p + k * TW_LANES, tw_rows_get(to_p + k * TW_LANES) + row[l][k]);
        for (ptrdiff_t k = 0; k < PARTS; k++)
            tw_rows_put(to_q + k * TW_LANES, tw_rows_get(to_q + k * TW_LANES) - row[l][k]);
    }
}

/* One quaternion per lane. */
typedef struct tw_rows_quat {
    tw_lanes w, x, y, z;
} tw_rows_quat;

static inline __attribute__((always_inline)) tw_rows_quat tw_rows_load_quat(const tw_quat *from,
                                                                            size_t count)
{
    const double *row[TW_LANES];
    tw_lanes out[4];
    for (size_t l = 0; l < TW_LANES; l++)
        row[l] = &from[l < count ? l : count - 1].w;
    tw_rows_columns(row, out);
    return (tw_rows_quat){out[0], out[1], out[2], out[3]};
}

static inline __attribute__((always_inline)) void tw_rows_store_quat(tw_quat *to, tw_rows_quat q,
                                                                     size_t count)
{
    if (count == TW_LANES) {
        const tw_lanes in[4] = {q.w, q.x, q.y, q.z};
        tw_rows_store4(&to->w, in);
        return;
    }
    for (size_t l = 0; l < count; l++)
        to[l] = tw_quat_make(q.w[l], q.x[l], q.y[l], q.z[l]);
}

/* Branches between spheres, TW_LANES at a time. */

/* A branch and its length: slow operations, started one group ahead. */
typedef struct tw_touch_branch {
    tw_lanes3 from, b;
    tw_lanes rp, rq, length, inverse;
} tw_touch_branch;

static inline __attribute__((always_inline)) tw_touch_branch
tw_touch_branch_look(const tw_schedule *schedule, size_t slot)
{
    tw_lanes xp[4], xq[4];
    tw_touch_branch out;
    tw_rows_spheres(schedule->tiles.sphere_slot, schedule->slots.sphere_p + slot, xp);
    tw_rows_spheres(schedule->tiles.sphere_slot, schedule->slots.sphere_q + slot, xq);
    out.from = tw_lanes3_make(xp[0], xp[1], xp[2]);
    out.b = tw_lanes3_sub(tw_lanes3_make(xq[0], xq[1], xq[2]), out.from);
    out.rp = xp[3];
    out.rq = xq[3];
    out.length = tw_lanes_sqrt(tw_lanes3_dot(out.b, out.b));
    out.inverse = 1.0 / out.length;
    return out;
}

#endif
