/* SPDX-License-Identifier: BSD-3-Clause */
#include "rates.h"

#include <math.h>

double rates_normal_force(const rates_step *step, double zeta)
{
    return step->hertz ? step->kn * zeta * sqrt(zeta) : step->kn * zeta;
}

double rates_stiffness(const rates_step *step, double zeta)
{
    return step->hertz ? step->k * sqrt(zeta) : step->k;
}

double rates_stored(const rates_step *step, double zeta, double along, double across)
{
    return zeta > 0.0 ? 0.5 * (along * along + across * across) / rates_stiffness(step, zeta) : 0.0;
}

/* A path cannot start or end at fn = 0, where the turning rate is infinite. It starts or ends at
 * this fraction of the other end's overlap instead; force and work are off by about as much. */
static const double nearly_open = 1e-12;

/* Forces in units of `limit`, the larger friction limit of the two ends; energies of losses in
 * units of limit^2/stiff, work in units of limit length. The variable u is zero at the end with the
 * smaller overlap, so that the overlap keeps its relative accuracy however small it becomes. */
typedef struct path {
    const rates_step *step;
    double limit, stiff;  /* of the end with the larger overlap */
    double small, growth; /* zeta = small + u growth */
    double begin, end;    /* of u */
    double origin;        /* a = u + origin */
    double loss;          /* the tolerance of losses is relative to this, in their units */
    int slides;           /* mode */
} path;

enum { STATES = 4 }; /* force or its direction, along and across; work; loss in this mode */

/* What the rates need, at one overlap. */
typedef struct local {
    double limit;      /* mu fn, in units */
    double limit_rate; /* its derivative by u */
    double push;       /* k |xi'| in units of force */
    double soft;       /* k/stiff */
    double log_rate;   /* k'/k by u */
} local;

static local local_at(const path *p, double u)
{
    const double zeta = p->small + u * p->growth, power = p->step->hertz ? 1.5 : 1.0;
    local at;
    at.limit = p->step->mu * rates_normal_force(p->step, zeta) / p->limit;
    at.limit_rate = power * at.limit * p->growth / zeta;
    at.soft = rates_stiffness(p->step, zeta) / p->stiff;
    at.push = at.soft * p->stiff * p->step->length / p->limit;
    at.log_rate = (power - 1.0) * p->growth / zeta;
    return at;
}

static int rescales(const path *p)
{
    return p->step->rescale && p->growth < 0.0;
}

static void stick_rate(const path *p, double u, const double y[STATES], double dy[STATES])
{
    const local at = local_at(p, u);
    const double scale = rescales(p) ? at.log_rate : 0.0;
    const double fading = rescales(p) ? -at.log_rate : at.log_rate;
    dy[0] = at.push + scale * y[0];
    dy[1] = scale * y[1];
    dy[2] = y[0];
    dy[3] = 0.5 * (y[0] * y[0] + y[1] * y[1]) * fading / at.soft;
}

static void slide_rate(const path *p, double u, const double y[STATES], double dy[STATES])
{
    const local at = local_at(p, u);
    const double turn = -y[1] * at.push / at.limit;
    dy[0] = -y[1] * turn;
    dy[1] = y[0] * turn;
    dy[2] = at.limit * y[0];
    dy[3] = at.limit * (at.push * y[0] - at.limit_rate + 0.5 * at.limit * at.log_rate) / at.soft;
}

static void rate(const path *p, double u, const double y[STATES], double dy[STATES])
{
    if (p->slides)
        slide_rate(p, u, y, dy);
    else
        stick_rate(p, u, y, dy);
}

/* Increments of y over h by the midpoint rule in n steps, n even: an error in even powers of h/n.
 */
static void midpoint(const path *p, double u, double h, int n, const double y[STATES],
                     double rise[STATES])
{
    double before[STATES] = {0}, dy[STATES];
    rate(p, u, y, dy);
    for (int k = 0; k < STATES; k++)
        rise[k] = h / n * dy[k];
    for (int i = 1; i < n; i++) {
        double at[STATES];
        for (int k = 0; k < STATES; k++)
            at[k] = y[k] + rise[k];
        rate(p, u + h * i / n, at, dy);
        for (int k = 0; k < STATES; k++) {
            const double next = before[k] + 2.0 * h / n * dy[k];
            before[k] = rise[k];
            rise[k] = next;
        }
    }
}

enum { ROWS = 7 };

/* Error in units of what is wanted: of a force relative to the limit there, of a direction against
 * the movement relative to its part across, since that grows. */
static double error_size(const path *p, double limit, const double y[STATES],
                         const double error[STATES])
{
    const double force = p->slides ? 1.0 : limit;
    const double across = p->slides && y[0] < 0.0 ? fmax(fabs(y[1]), 1e-15) : force;
    const double size = fmax(fabs(error[0]) / force, fabs(error[1]) / across);
    return fmax(size, fmax(fabs(error[2]), fabs(error[3]) / p->loss));
}

/* One step of order 14 from y to next; returns the size of the last correction. */
static double extrapolate(const path *p, double u, double h, const double y[STATES],
                          double next[STATES])
{
    double table[ROWS][STATES], error[STATES] = {0};
    for (int row = 0; row < ROWS; row++) {
        double rise[STATES];
        midpoint(p, u, h, 2 * (row + 1), y, rise);
        for (int k = 0; k < STATES; k++) {
            for (int j = 0; j < row; j++) {
                const double ratio = (double)(row + 1) / (double)(row - j);
                const double above = table[j][k];
                table[j][k] = rise[k];
                error[k] = (rise[k] - above) / (ratio * ratio - 1.0);
                rise[k] += error[k];
            }
            table[row][k] = rise[k];
        }
    }
    for (int k = 0; k < STATES; k++)
        next[k] = y[k] + table[ROWS - 1][k];
    return error_size(p, local_at(p, u + h).limit, y, error);
}

/* How far a force is outside the limit, and how fast it would go there while sticking. */
static double excess(const path *p, double u, const double f[STATES])
{
    return hypot(f[0], f[1]) - local_at(p, u).limit;
}

static double outward(const path *p, double u, const double f[STATES])
{
    const local at = local_at(p, u);
    const double size = hypot(f[0], f[1]);
    const double scale = rescales(p) ? at.log_rate * size : 0.0;
    const double cosine = size > 0.0 ? f[0] / size : 1.0;
    return at.push * cosine + scale - at.limit_rate;
}

static int leaves(const path *p, double u, const double f[STATES])
{
    return excess(p, u, f) > 0.0 && outward(p, u, f) > 0.0;
}

/* The part of a step of length h that ends where the force leaves the circle. */
static double bisect(const path *p, double u, double h, const double y[STATES])
{
    double inside = 0.0, outside = h;
    for (int i = 0; i < 100; i++) {
        const double middle = 0.5 * (inside + outside);
        double next[STATES];
        if (!(middle > inside && middle < outside)) break;
        extrapolate(p, u, middle, y, next);
        if (leaves(p, u + middle, next))
            outside = middle;
        else
            inside = middle;
    }
    return inside;
}

static path make_path(const rates_step *step)
{
    path p = {.step = step, .growth = step->zeta1 - step->zeta0};
    const double big = fmax(step->zeta0, step->zeta1), small = fmin(step->zeta0, step->zeta1);
    p.limit = step->mu * rates_normal_force(step, big);
    p.stiff = rates_stiffness(step, big);
    p.small = fmax(small, nearly_open * big);
    const double span = p.growth == 0.0 ? 1.0 : (big - p.small) / fabs(p.growth);
    p.begin = p.growth < 0.0 ? -span : 0.0;
    p.end = p.begin + span;
    p.origin = p.growth < 0.0 ? -p.begin : 1.0 - span;
    const double stored = rates_stored(step, step->zeta0, step->along, step->across);
    p.loss = (p.limit * step->length + 0.01 * stored) / (p.limit * p.limit / p.stiff);
    return p;
}

/* Changes the mode: y becomes a direction, or a force again. Books the loss of the mode left. */
static void change_mode(path *p, double u, double y[STATES], rates_result *out)
{
    const double unit = p->limit * p->limit / p->stiff;
    const double size = p->slides ? local_at(p, u).limit : 1.0 / hypot(y[0], y[1]);
    *(p->slides ? &out->lost : &out->micro) += unit * y[3];
    y[0] *= size;
    y[1] *= size;
    y[3] = 0.0;
    p->slides = !p->slides;
    if (!p->slides) return;
    if (out->slides++ == 0) {
        out->alpha_s = u + p->origin;
        out->cosine = y[0];
    }
}

/* The longest step that the path can bear: a fraction of the distance to zeta = 0, where powers of
 * the overlap are not smooth and an estimate of the error is worth nothing. */
static double longest_step(const path *p, double u)
{
    const double zeta = p->small + u * p->growth;
    return p->growth != 0.0 ? 0.5 * zeta / fabs(p->growth) : p->end - p->begin;
}

/* Carries y from u over h, or over less where the mode changes. Returns how far it came. */
static double accept(path *p, double u, double h, double y[STATES], double next[STATES],
                     rates_result *out)
{
    const int onset = !p->slides && leaves(p, u + h, next);
    const double came = onset ? bisect(p, u, h, y) : h;
    if (onset && came > 0.0) extrapolate(p, u, came, y, next);
    for (int k = 0; k < STATES && came > 0.0; k++)
        y[k] = next[k];
    if (p->slides) {
        const double size = hypot(y[0], y[1]);
        y[0] /= size;
        y[1] /= size;
        const double f[STATES] = {y[0] * local_at(p, u + came).limit,
                                  y[1] * local_at(p, u + came).limit, 0.0, 0.0};
        if (outward(p, u + came, f) < -1e-12 * local_at(p, u + came).push)
            change_mode(p, u + came, y, out);
    } else if (onset) {
        change_mode(p, u + came, y, out);
    }
    return came;
}

rates_result rates_integrate(const rates_step *step, double tolerance)
{
    path p = make_path(step);
    rates_result out = {.alpha_s = 1.0};
    double y[STATES] = {step->along / p.limit, step->across / p.limit, 0.0, 0.0};
    double u = p.begin, h = 0.01 * (p.end - p.begin);
    const double start = local_at(&p, u).limit;
    if (excess(&p, u, y) > -4e-16 * start && outward(&p, u, y) > 0.0) change_mode(&p, u, y, &out);
    while (u < p.end) {
        double next[STATES];
        h = fmin(h, longest_step(&p, u));
        const int last = u + h >= p.end;
        if (last) h = p.end - u;
        const double error = extrapolate(&p, u, h, y, next) / tolerance;
        out.steps++;
        if (error <= 1.0 || h < 1e-14 * (p.end - u)) {
            const double came = accept(&p, u, h, y, next, &out);
            u = last && came == h ? p.end : u + came;
        }
        h *= fmin(4.0, fmax(0.1, 0.9 * pow(error + 1e-30, -1.0 / 13.0)));
    }
    out.sliding = p.slides;
    out.work = p.limit * step->length * y[2];
    *(p.slides ? &out.lost : &out.micro) += p.limit * p.limit / p.stiff * y[3];
    const double size = p.limit * (p.slides ? local_at(&p, p.end).limit : 1.0);
    out.along = size * y[0];
    out.across = size * y[1];
    return out;
}

rates_result rates_catch_up(const rates_step *step, long count)
{
    const path p = make_path(step);
    rates_result out = {.alpha_s = 1.0};
    const double h = (p.end - p.begin) / (double)count;
    double c = step->along, s = step->across, work = 0.0, old = p.small + p.begin * p.growth;
    for (long i = 1; i <= count; i++) {
        const double zeta = p.small + (p.begin + (double)i * h) * p.growth, before = c;
        const double shrink = step->rescale && zeta < old
                                  ? rates_stiffness(step, zeta) / rates_stiffness(step, old)
                                  : 1.0;
        c = shrink * c + h * rates_stiffness(step, 0.5 * (old + zeta)) * step->length;
        s = shrink * s;
        const double size = hypot(c, s), limit = step->mu * rates_normal_force(step, zeta);
        if (size > limit) {
            c *= limit / size;
            s *= limit / size;
        }
        work += 0.5 * (before + c) * h * step->length;
        old = zeta;
    }
    out.along = c;
    out.across = s;
    out.work = work;
    return out;
}
