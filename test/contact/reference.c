/* SPDX-License-Identifier: BSD-3-Clause */
#include "reference.h"

/* For the setting up: where mu fn falls by orders of magnitude, double would lose them. */
typedef long double real;

/* A contact's path cannot start or end at fn = 0, where the turning rate is infinite. It starts or
 * ends at this fraction of the other end's fn instead. The flow never increases a difference of
 * forces, so the force is off by at most this fraction of mu fn, and the work by its square. */
static const real nearly_open = 1e-12L;

/* The step in plane coordinates: axis 1 along the movement, axis 2 along n x movement. */
typedef struct plane {
    real e1[3], e2[3];
    real c0, s0; /* force at the start */
    real length; /* |dxi| */
    real kt, mu;
    real fn0, dfn;   /* fn(a) = fn0 + a dfn */
    real begin, end; /* the window of a in which fn > 0 */
} plane;

static real dot(const real a[3], const real b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void load_vector(real out[3], tw_vec3 v)
{
    out[0] = (real)v.x;
    out[1] = (real)v.y;
    out[2] = (real)v.z;
}

static real normal_force(const plane *in, real a)
{
    return in->fn0 + a * in->dfn;
}

/* Tangential part of v, given as direction and length. */
static real split(real direction[3], tw_vec3 v, const real n[3])
{
    load_vector(direction, v);
    const real along = dot(direction, n) / dot(n, n);
    for (int i = 0; i < 3; i++)
        direction[i] -= along * n[i];
    const real length = sqrtl(dot(direction, direction));
    for (int i = 0; i < 3 && length > 0.0L; i++)
        direction[i] /= length;
    return length;
}

static void set_window(plane *in)
{
    const real fn1 = in->fn0 + in->dfn;
    in->begin = 0.0L;
    in->end = 1.0L;
    if (in->fn0 <= 0.0L) in->begin = (nearly_open * fn1 - in->fn0) / in->dfn;
    if (fn1 <= 0.0L) in->end = in->fn0 * (nearly_open - 1.0L) / in->dfn;
}

static plane to_plane(const reference_step *step)
{
    plane in;
    real n[3], force[3];
    load_vector(n, step->n);
    in.length = split(in.e1, step->du, n);
    const real h = split(force, step->ft0, n);
    for (int i = 0; i < 3 && !(in.length > 0.0L); i++)
        in.e1[i] = force[i]; /* no movement: any axis will do */
    in.e2[0] = n[1] * in.e1[2] - n[2] * in.e1[1];
    in.e2[1] = n[2] * in.e1[0] - n[0] * in.e1[2];
    in.e2[2] = n[0] * in.e1[1] - n[1] * in.e1[0];
    in.c0 = h * dot(force, in.e1);
    in.s0 = h * dot(force, in.e2);
    in.kt = (real)step->kt;
    in.mu = (real)step->mu;
    in.fn0 = (real)step->kn * (real)step->zeta0;
    in.dfn = (real)step->kn * ((real)step->zeta1 - (real)step->zeta0);
    set_window(&in);
    return in;
}

/* How far an elastic force would be outside the circle. */
static real excess(const plane *in, real a)
{
    const real c = in->c0 + (a - in->begin) * in->kt * in->length;
    return sqrtl(c * c + in->s0 * in->s0) - in->mu * normal_force(in, a);
}

/* The excess is convex in a and starts at or below zero: it leaves the circle once, if at all. */
static real bisect_onset(const plane *in)
{
    real inside = in->begin, outside = in->end;
    for (int i = 0; i < 80; i++) {
        const real middle = 0.5L * (inside + outside);
        if (middle <= inside || middle >= outside) break;
        if (excess(in, middle) > 0.0L)
            outside = middle;
        else
            inside = middle;
    }
    return inside;
}

/* The slide in double: u = a minus its value at the end with the smaller fn, so that fn keeps its
 * relative accuracy however small it becomes. */
typedef struct slip {
    double fn_small, dfn; /* fn(u) = fn_small + u dfn */
    double fn_big;        /* the larger fn of the two ends */
    double rate;          /* kt |dxi| / mu */
    double begin, end;    /* of u */
} slip;

enum { STATES = 3 }; /* m along the movement, m across it, work / (mu fn_big |dxi|) */

static slip make_slip(const plane *in, real onset)
{
    const real origin = in->dfn > 0.0L ? onset : in->end;
    const slip s = {.fn_small = (double)normal_force(in, origin),
                    .dfn = (double)in->dfn,
                    .fn_big = (double)fmaxl(normal_force(in, onset), normal_force(in, in->end)),
                    .rate = (double)(in->kt * in->length / in->mu),
                    .begin = (double)(onset - origin),
                    .end = (double)(in->end - origin)};
    return s;
}

/* The part of dxi across m is written as (dxi.p) p, p = m turned by 90 degrees: the same vector as
 * dxi - (dxi.m) m, without the cancellation when m is nearly along dxi. */
static void slip_rate(const slip *s, double u, const double y[STATES], double dy[STATES])
{
    const double fn = s->fn_small + u * s->dfn;
    const double across = -y[1] * s->rate / fn;
    dy[0] = -y[1] * across;
    dy[1] = y[0] * across;
    dy[2] = fn / s->fn_big * y[0];
}

/* Dormand & Prince (1980), RK5(4)7M. The last row of `stage` is the fifth-order solution. */
static const double node[7] = {0.0, 1.0 / 5, 3.0 / 10, 4.0 / 5, 8.0 / 9, 1.0, 1.0};
static const double stage[7][6] = {
    {0},
    {1.0 / 5},
    {3.0 / 40, 9.0 / 40},
    {44.0 / 45, -56.0 / 15, 32.0 / 9},
    {19372.0 / 6561, -25360.0 / 2187, 64448.0 / 6561, -212.0 / 729},
    {9017.0 / 3168, -355.0 / 33, 46732.0 / 5247, 49.0 / 176, -5103.0 / 18656},
    {35.0 / 384, 0.0, 500.0 / 1113, 125.0 / 192, -2187.0 / 6784, 11.0 / 84},
};
static const double embedded[7] = {71.0 / 57600,      0.0,        -71.0 / 16695, 71.0 / 1920,
                                   -17253.0 / 339200, 22.0 / 525, -1.0 / 40};

/* Error in units of what is wanted: of the direction absolutely, of its part across the movement
 * relatively while it grows (m against the movement), of the work relative to mu fn_big |dxi| da.
 */
static double error_size(double h, const double y[STATES], const double error[STATES])
{
    const double across = y[0] < 0.0 ? fmax(fabs(y[1]), 1e-15) : 1.0;
    const double size = fmax(fabs(error[0]), fabs(error[1]) / across);
    return fmax(size, fabs(error[2]) / h);
}

/* One trial step from y to next; the estimated error in the units of error_size. */
static double trial_step(const slip *s, double u, double h, const double y[STATES],
                         double next[STATES])
{
    double rate[7][STATES], error[STATES] = {0};
    for (int i = 0; i < 7; i++) {
        for (int k = 0; k < STATES; k++) {
            double sum = 0.0;
            for (int j = 0; j < i; j++)
                sum += stage[i][j] * rate[j][k];
            next[k] = y[k] + h * sum;
        }
        slip_rate(s, u + node[i] * h, next, rate[i]);
    }
    for (int k = 0; k < STATES; k++)
        for (int i = 0; i < 7; i++)
            error[k] += h * embedded[i] * rate[i][k];
    return error_size(h, y, error);
}

static long slide(const slip *s, double y[STATES], double tolerance)
{
    double u = s->begin, h = 1e-3 * (s->end - u);
    long steps = 0;
    while (u < s->end) {
        double next[STATES];
        const int last = u + h >= s->end;
        if (last) h = s->end - u;
        const double error = trial_step(s, u, h, y, next) / tolerance;
        steps++;
        if (error <= 1.0) {
            const double length = sqrt(next[0] * next[0] + next[1] * next[1]);
            y[0] = next[0] / length;
            y[1] = next[1] / length;
            y[2] = next[2];
            u = last ? s->end : u + h;
        }
        h *= fmin(5.0, fmax(0.2, 0.9 * pow(error + 1e-30, -0.2)));
    }
    return steps;
}

static tw_vec3 to_space(const plane *in, real c, real s)
{
    return tw_vec3_make((double)(c * in->e1[0] + s * in->e2[0]),
                        (double)(c * in->e1[1] + s * in->e2[1]),
                        (double)(c * in->e1[2] + s * in->e2[2]));
}

reference_result reference_integrate(const reference_step *step, double tolerance)
{
    const plane in = to_plane(step);
    reference_result out = {.alpha_s = 1.0};
    const int slides = excess(&in, in.end) > 0.0L;
    const real a = slides ? bisect_onset(&in) : in.end;
    const real moved = (a - in.begin) * in.length;
    const real c = in.c0 + in.kt * moved;
    real work = 0.5L * (in.c0 + c) * moved;
    out.ft1 = to_space(&in, c, in.s0);
    if (slides) {
        const slip s = make_slip(&in, a);
        const real h = sqrtl(c * c + in.s0 * in.s0);
        double y[STATES] = {(double)(c / h), (double)(in.s0 / h), 0.0};
        out.sliding = 1;
        out.alpha_s = (double)a;
        out.cosine = y[0];
        out.steps = slide(&s, y, tolerance);
        const real limit = in.mu * normal_force(&in, in.end);
        out.ft1 = to_space(&in, limit * (real)y[0], limit * (real)y[1]);
        work += in.mu * in.length * (real)(s.fn_big * y[2]);
    }
    out.work = (double)work;
    return out;
}

reference_result reference_catch_up(const reference_step *step, long count)
{
    const plane in = to_plane(step);
    reference_result out = {.alpha_s = 1.0};
    const double h = (double)((in.end - in.begin) / (real)count), length = (double)in.length;
    const double fn = (double)normal_force(&in, in.begin), dfn = (double)in.dfn;
    double c = (double)in.c0, s = (double)in.s0, work = 0.0;
    for (long i = 1; i <= count; i++) {
        const double before = c, limit = step->mu * (fn + (double)i * h * dfn);
        c += h * step->kt * length;
        const double size = sqrt(c * c + s * s);
        if (size > limit) {
            c *= limit / size;
            s *= limit / size;
        }
        work += 0.5 * (before + c) * h * length;
    }
    out.ft1 = to_space(&in, (real)c, (real)s);
    out.work = work;
    return out;
}
