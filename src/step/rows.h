/* SPDX-License-Identifier: BSD-3-Clause */
/* Rows of numbers, one per contact, to and from lanes, one per number. */
#ifndef TW_STEP_ROWS_H
#define TW_STEP_ROWS_H

#include "base/quat.h"
#include "world/tiles.h"

/* Lanes in memory that need not be aligned to their own size. */
typedef double tw_rows_any __attribute__((vector_size(8 * TW_LANES), aligned(8), may_alias));

static inline tw_lanes tw_rows_get(const double *from)
{
    return *(const tw_rows_any *)from;
}

static inline void tw_rows_put(double *to, tw_lanes v)
{
    *(tw_rows_any *)to = v;
}

static inline tw_lanes3 tw_rows_get3(double (*from)[TW_LANES])
{
    return tw_lanes3_make(tw_rows_get(from[0]), tw_rows_get(from[1]), tw_rows_get(from[2]));
}

static inline void tw_rows_put3(double to[3][TW_LANES], const tw_lanes3 *v)
{
    tw_rows_put(to[0], v->x);
    tw_rows_put(to[1], v->y);
    tw_rows_put(to[2], v->z);
}

/* Entries 0 .. count - 1 of an array of vectors, one per lane; the last is repeated in lanes that
 * are left over, and not stored. */
static inline __attribute__((always_inline)) tw_lanes3 tw_rows_load3(const tw_vec3 *from,
                                                                     size_t count)
{
    tw_lanes3 v;
#if TW_LANES == 2
    if (count == 2) {
        const tw_lanes a = tw_rows_get(&from[0].x), c = tw_rows_get(&from[1].y);
        const tw_lanes b = tw_rows_get(&from[0].z);
        return tw_lanes3_make(__builtin_shufflevector(a, b, 0, 3),
                              __builtin_shufflevector(a, c, 1, 2),
                              __builtin_shufflevector(b, c, 0, 3));
    }
#endif
    for (size_t l = 0; l < TW_LANES; l++) {
        const tw_vec3 *one = &from[l < count ? l : count - 1];
        v.x[l] = one->x;
        v.y[l] = one->y;
        v.z[l] = one->z;
    }
    return v;
}

static inline __attribute__((always_inline)) void tw_rows_store3(tw_vec3 *to, tw_lanes3 v,
                                                                 size_t count)
{
#if TW_LANES == 2
    if (count == 2) {
        tw_rows_put(&to[0].x, __builtin_shufflevector(v.x, v.y, 0, 2));
        tw_rows_put(&to[0].z, __builtin_shufflevector(v.z, v.x, 0, 3));
        tw_rows_put(&to[1].y, __builtin_shufflevector(v.y, v.z, 1, 3));
        return;
    }
#endif
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

#if TW_LANES == 2

/* Rows of four numbers at a and b. */
static inline void tw_rows_turn(const double *a, const double *b, tw_lanes out[4])
{
    const tw_lanes a0 = tw_rows_get(a), a1 = tw_rows_get(a + 2);
    const tw_lanes b0 = tw_rows_get(b), b1 = tw_rows_get(b + 2);
    out[0] = __builtin_shufflevector(a0, b0, 0, 2);
    out[1] = __builtin_shufflevector(a0, b0, 1, 3);
    out[2] = __builtin_shufflevector(a1, b1, 0, 2);
    out[3] = __builtin_shufflevector(a1, b1, 1, 3);
}

static inline void tw_rows_spots(const tw_spot *spot, const uint32_t *i, tw_lanes out[4])
{
    tw_rows_turn(spot[i[0]].x, spot[i[1]].x, out);
}

static inline void tw_rows_halves(const tw_half *half, const uint32_t *i, tw_lanes out[4])
{
    tw_rows_turn(half[i[0]].v, half[i[1]].v, out);
}

/* Adds force f and torque t of each lane to the push of p's seat, and takes them from q's. */
static inline void tw_rows_push(tw_push *push, const uint32_t *p, const uint32_t *q,
                                const tw_lanes3 *f, const tw_lanes3 *t)
{
    const tw_lanes row[2][3] = {
        {__builtin_shufflevector(f->x, f->y, 0, 2), __builtin_shufflevector(f->z, t->x, 0, 2),
         __builtin_shufflevector(t->y, t->z, 0, 2)},
        {__builtin_shufflevector(f->x, f->y, 1, 3), __builtin_shufflevector(f->z, t->x, 1, 3),
         __builtin_shufflevector(t->y, t->z, 1, 3)}};
    for (int l = 0; l < 2; l++) {
        double *to_p = push[p[l]].force, *to_q = push[q[l]].force;
        for (int k = 0; k < 3; k++) {
            tw_rows_put(to_p + 2 * k, tw_rows_get(to_p + 2 * k) + row[l][k]);
        }
        for (int k = 0; k < 3; k++)
            tw_rows_put(to_q + 2 * k, tw_rows_get(to_q + 2 * k) - row[l][k]);
    }
}

#else

/* Four rows of four numbers: their columns. */
static inline void tw_rows_turn(tw_lanes a, tw_lanes b, tw_lanes c, tw_lanes d, tw_lanes out[4])
{
    const tw_lanes p = __builtin_shufflevector(a, b, 0, 4, 2, 6);
    const tw_lanes q = __builtin_shufflevector(a, b, 1, 5, 3, 7);
    const tw_lanes r = __builtin_shufflevector(c, d, 0, 4, 2, 6);
    const tw_lanes s = __builtin_shufflevector(c, d, 1, 5, 3, 7);
    out[0] = __builtin_shufflevector(p, r, 0, 1, 4, 5);
    out[1] = __builtin_shufflevector(q, s, 0, 1, 4, 5);
    out[2] = __builtin_shufflevector(p, r, 2, 3, 6, 7);
    out[3] = __builtin_shufflevector(q, s, 2, 3, 6, 7);
}

static inline void tw_rows_spots(const tw_spot *spot, const uint32_t *i, tw_lanes out[4])
{
    tw_rows_turn(tw_rows_get(spot[i[0]].x), tw_rows_get(spot[i[1]].x), tw_rows_get(spot[i[2]].x),
                 tw_rows_get(spot[i[3]].x), out);
}

static inline void tw_rows_halves(const tw_half *half, const uint32_t *i, tw_lanes out[4])
{
    tw_rows_turn(tw_rows_get(half[i[0]].v), tw_rows_get(half[i[1]].v), tw_rows_get(half[i[2]].v),
                 tw_rows_get(half[i[3]].v), out);
}

/* Adds force f and torque t of each lane to the push of p's seat, and takes them from q's. */
static inline void tw_rows_push(tw_push *push, const uint32_t *p, const uint32_t *q,
                                const tw_lanes3 *f, const tw_lanes3 *t)
{
    tw_lanes a[4], b[4];
    const tw_lanes zero = TW_SPLAT_LANES(0.0);
    tw_rows_turn(f->x, f->y, f->z, t->x, a);
    tw_rows_turn(t->y, t->z, zero, zero, b);
    for (int l = 0; l < 4; l++) {
        double *to_p = push[p[l]].force, *to_q = push[q[l]].force;
        tw_rows_put(to_p, tw_rows_get(to_p) + a[l]);
        tw_rows_put(to_p + 4, tw_rows_get(to_p + 4) + b[l]);
        tw_rows_put(to_q, tw_rows_get(to_q) - a[l]);
        tw_rows_put(to_q + 4, tw_rows_get(to_q + 4) - b[l]);
    }
}

#endif

/* A rotation per lane. */
typedef struct tw_lanes_quat {
    tw_lanes w, x, y, z;
} tw_lanes_quat;

static inline __attribute__((always_inline)) tw_lanes_quat tw_rows_load_quat(const tw_quat *from,
                                                                             size_t count)
{
    tw_lanes_quat q;
    if (count == TW_LANES) {
        tw_lanes out[4];
#if TW_LANES == 2
        tw_rows_turn(&from[0].w, &from[1].w, out);
#else
        tw_rows_turn(tw_rows_get(&from[0].w), tw_rows_get(&from[1].w), tw_rows_get(&from[2].w),
                     tw_rows_get(&from[3].w), out);
#endif
        return (tw_lanes_quat){out[0], out[1], out[2], out[3]};
    }
    for (size_t l = 0; l < TW_LANES; l++) {
        const tw_quat *one = &from[l < count ? l : count - 1];
        q.w[l] = one->w;
        q.x[l] = one->x;
        q.y[l] = one->y;
        q.z[l] = one->z;
    }
    return q;
}

static inline __attribute__((always_inline)) void tw_rows_store_quat(tw_quat *to, tw_lanes_quat q,
                                                                     size_t count)
{
#if TW_LANES == 2
    if (count == 2) {
        tw_rows_put(&to[0].w, __builtin_shufflevector(q.w, q.x, 0, 2));
        tw_rows_put(&to[0].y, __builtin_shufflevector(q.y, q.z, 0, 2));
        tw_rows_put(&to[1].w, __builtin_shufflevector(q.w, q.x, 1, 3));
        tw_rows_put(&to[1].y, __builtin_shufflevector(q.y, q.z, 1, 3));
        return;
    }
#endif
    for (size_t l = 0; l < count; l++)
        to[l] = tw_quat_make(q.w[l], q.x[l], q.y[l], q.z[l]);
}

#endif
