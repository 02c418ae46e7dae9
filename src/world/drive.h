/* SPDX-License-Identifier: BSD-3-Clause */
/* Prescribed motions of a rigid wall, as functions of the time since they began. Positions follow
 * from the time and are not summed up: they do not drift, and are the same after a restart.
 *
 * A motion has parts, which act one after the other, each in the frame fixed in space: a wall that
 * is moved by the first and rotated by the second goes round the axis of the second. In the common
 * subset of C11, C++17 and CUDA. */
#ifndef TW_WORLD_DRIVE_H
#define TW_WORLD_DRIVE_H

#include <stdint.h>

#include "base/quat.h"

enum {
    TW_DRIVE_VELOCITY,    /* by `along` in every second */
    TW_DRIVE_ROTATE,      /* with `rate` about `along` */
    TW_DRIVE_OSCILLATE,   /* by amplitude (sin(2 pi frequency t + phase) - sin(phase)) */
    TW_DRIVE_SWING,       /* by an angle, likewise */
    TW_DRIVE_TABLE,       /* by a value of the table */
    TW_DRIVE_TABLE_ANGLE, /* by an angle of the table */
    TW_DRIVE_KINDS
};

/* What a kind does not have is 0. There is no padding. */
typedef struct tw_drive_part {
    int32_t kind;            /* TW_DRIVE_VELOCITY ... */
    int32_t cubic;           /* else linear between rows */
    uint32_t first, rows;    /* of the table; at least one */
    tw_vec3 along;           /* velocity [m/s], or unit: direction, or axis */
    tw_vec3 through;         /* point of the axis [m] */
    double rate;             /* [rad/s] */
    double amplitude;        /* [m or rad] */
    double frequency, phase; /* [Hz], [rad] */
} tw_drive_part;

/* Times ascend. */
typedef struct tw_drive_row {
    double time, value; /* [s], [m or rad] */
} tw_drive_row;

typedef struct tw_drive_pose {
    tw_vec3 centre; /* [m] */
    tw_quat q;
} tw_drive_pose;

typedef struct tw_drive_rates {
    tw_vec3 v;     /* of the centre [m/s] */
    tw_vec3 omega; /* [rad/s] */
} tw_drive_rates;

/* From a pose to a later one. */
typedef struct tw_drive_step {
    tw_vec3 dx;    /* of the centre [m] */
    tw_vec3 gibbs; /* of the rotation */
} tw_drive_step;

/* A displacement or an angle, and its derivative. */
typedef struct tw_drive_value {
    double s, rate;
} tw_drive_value;

TW_INLINE tw_drive_value tw_drive_value_make(double s, double rate)
{
    const tw_drive_value value = {s, rate};
    return value;
}

/* Whole periods are dropped first: they would take digits from the phase. */
TW_INLINE tw_drive_value tw_drive_sine(const tw_drive_part *part, double t)
{
    const double periods = part->frequency * t, circle = 2.0 * TW_MATH_PI;
    const double angle = circle * (periods - floor(periods)) + part->phase;
    return tw_drive_value_make(part->amplitude * (tw_math_sin(angle) - tw_math_sin(part->phase)),
                               part->amplitude * circle * part->frequency * tw_math_cos(angle));
}

/* Slope of a cubic at a row: that of the parabola through it and its neighbours (Catmull-Rom of any
 * intervals). 0 at the first and last, beyond which the value is constant. */
TW_INLINE double tw_drive_slope(const tw_drive_row *row, uint32_t rows, uint32_t i)
{
    if (i == 0 || i + 1 == rows) return 0.0;
    const double before = row[i].time - row[i - 1].time, after = row[i + 1].time - row[i].time;
    const double in = (row[i].value - row[i - 1].value) / before;
    const double out = (row[i + 1].value - row[i].value) / after;
    return (after * in + before * out) / (before + after);
}

/* At a corner of a linear table the derivative is that after it. */
TW_INLINE tw_drive_value tw_drive_look_up(const tw_drive_row *row, uint32_t rows, int cubic,
                                          double t)
{
    uint32_t low = 0, high = rows - 1;
    if (t >= row[high].time) return tw_drive_value_make(row[high].value, 0.0);
    if (!(t >= row[0].time)) return tw_drive_value_make(row[0].value, 0.0);
    while (high - low > 1) {
        const uint32_t middle = low + (high - low) / 2;
        if (row[middle].time <= t)
            low = middle;
        else
            high = middle;
    }
    const double from = row[low].value, span = row[high].time - row[low].time;
    const double u = (t - row[low].time) / span, d = (row[high].value - from) / span;
    if (!cubic) return tw_drive_value_make(from + u * (row[high].value - from), d);
    const double m = tw_drive_slope(row, rows, low), end = tw_drive_slope(row, rows, high);
    const double b = 3.0 * d - 2.0 * m - end, c = m + end - 2.0 * d;
    return tw_drive_value_make(from + u * span * (m + u * (b + u * c)),
                               m + u * (2.0 * b + 3.0 * u * c));
}

TW_INLINE tw_drive_value tw_drive_part_at(const tw_drive_part *part, const tw_drive_row *table,
                                          double t)
{
    switch (part->kind) {
    case TW_DRIVE_VELOCITY:
        return tw_drive_value_make(t, 1.0);
    case TW_DRIVE_ROTATE:
        return tw_drive_value_make(part->rate * t, part->rate);
    case TW_DRIVE_OSCILLATE:
    case TW_DRIVE_SWING:
        return tw_drive_sine(part, t);
    default:
        return tw_drive_look_up(table + part->first, part->rows, part->cubic, t);
    }
}

TW_INLINE int tw_drive_turns(const tw_drive_part *part)
{
    return part->kind == TW_DRIVE_ROTATE || part->kind == TW_DRIVE_SWING ||
           part->kind == TW_DRIVE_TABLE_ANGLE;
}

TW_INLINE int tw_drive_tabled(const tw_drive_part *part)
{
    return part->kind == TW_DRIVE_TABLE || part->kind == TW_DRIVE_TABLE_ANGLE;
}

/* Carries a pose, and the rates of one that moves, to time t. A part that has not moved leaves all
 * bits of the pose. */
TW_INLINE void tw_drive_follow(const tw_drive_part *parts, uint32_t count,
                               const tw_drive_row *table, double t, tw_drive_pose *pose,
                               tw_drive_rates *rates)
{
    for (uint32_t i = 0; i < count; i++) {
        const tw_drive_part *part = &parts[i];
        const tw_drive_value at = tw_drive_part_at(part, table, t);
        if (!tw_drive_turns(part)) {
            if (at.s != 0.0) pose->centre = tw_vec3_add_scaled(pose->centre, at.s, part->along);
            rates->v = tw_vec3_add_scaled(rates->v, at.rate, part->along);
            continue;
        }
        if (at.s != 0.0) {
            /* sine and cosine drop whole turns of any angle exactly */
            const double s = tw_math_sin(0.5 * at.s);
            const tw_quat turn = tw_quat_make(tw_math_cos(0.5 * at.s), s * part->along.x,
                                              s * part->along.y, s * part->along.z);
            const tw_vec3 arm = tw_vec3_sub(pose->centre, part->through);
            pose->centre = tw_vec3_add(part->through, tw_quat_rotate(turn, arm));
            pose->q = tw_quat_normalise(tw_quat_mul(turn, pose->q));
            rates->v = tw_quat_rotate(turn, rates->v);
            rates->omega = tw_quat_rotate(turn, rates->omega);
        }
        const tw_vec3 omega = tw_vec3_scale(at.rate, part->along);
        const tw_vec3 arm = tw_vec3_sub(pose->centre, part->through);
        rates->v = tw_vec3_add(rates->v, tw_vec3_cross(omega, arm));
        rates->omega = tw_vec3_add(rates->omega, omega);
    }
}

/* Where a wall is at time t that was at (centre, q) before the motion. */
TW_INLINE tw_drive_pose tw_drive_at(const tw_drive_part *parts, uint32_t count,
                                    const tw_drive_row *table, tw_vec3 centre, tw_quat q, double t)
{
    tw_drive_pose pose = {centre, q};
    tw_drive_rates rates = {{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}};
    tw_drive_follow(parts, count, table, t, &pose, &rates);
    return pose;
}

TW_INLINE tw_drive_rates tw_drive_velocity(const tw_drive_part *parts, uint32_t count,
                                           const tw_drive_row *table, tw_vec3 centre, double t)
{
    tw_drive_pose pose = {centre, {1.0, 0.0, 0.0, 0.0}};
    tw_drive_rates rates = {{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}};
    tw_drive_follow(parts, count, table, t, &pose, &rates);
    return rates;
}

/* For less than a half turn. Zero in every bit if the poses are the same: the Gibbs vector is the
 * vector part of (1 + (to.q - from.q) conj(from.q)), divided by the scalar part. */
TW_INLINE tw_drive_step tw_drive_between(tw_drive_pose from, tw_drive_pose to)
{
    const tw_quat change =
        tw_quat_make(to.q.w - from.q.w, to.q.x - from.q.x, to.q.y - from.q.y, to.q.z - from.q.z);
    const tw_quat turn = tw_quat_mul(change, tw_quat_conj(from.q));
    tw_drive_step step;
    step.dx = tw_vec3_sub(to.centre, from.centre);
    step.gibbs = tw_vec3_scale(1.0 / (1.0 + turn.w), tw_vec3_make(turn.x, turn.y, turn.z));
    return step;
}

#endif
