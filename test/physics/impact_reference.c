/* SPDX-License-Identifier: BSD-3-Clause */
#include "impact_reference.h"

#include <math.h>

#define PI 3.14159265358979323846

typedef struct instant {
    double t, f, s; /* time, friction, velocity of the contact point */
} instant;

static instant stick_at(const instant *from, double kappa, double t)
{
    const double w = sqrt(3.5 / kappa), x = w * (t - from->t);
    const double b = from->s / (kappa * w);
    const instant now = {t, from->f * cos(x) + b * sin(x),
                         kappa * w * (b * cos(x) - from->f * sin(x))};
    return now;
}

/* The end of a stick: |F| reaches sin(t) from below. */
static instant stick_end(const instant *from, double kappa)
{
    const double step = 1e-3;
    double low = from->t + 1e-6;
    for (;;) {
        const double high = fmin(low + step, PI);
        const instant at = stick_at(from, kappa, high);
        if (high >= PI || fabs(at.f) > sin(high)) break;
        low = high;
    }
    double high = fmin(low + step, PI);
    for (int i = 0; i < 60; i++) {
        const double middle = 0.5 * (low + high);
        if (fabs(stick_at(from, kappa, middle).f) > sin(middle)) {
            high = middle;
        } else {
            low = middle;
        }
    }
    return stick_at(from, kappa, low);
}

/* The end of a slip in the direction `sign`: s = s1 - 7/2 sign (cos t1 - cos t) meets sign kappa
 * cos t, which is linear in the cosine. */
static instant slip_end(const instant *from, double sign, double kappa)
{
    const double c1 = cos(from->t);
    const double c = (3.5 * c1 - sign * from->s) / (3.5 - kappa);
    const double cosine = c > -1.0 && c < c1 ? c : -1.0;
    const double t = acos(cosine);
    const instant end = {t, sign * sin(t), from->s - 3.5 * sign * (c1 - cosine)};
    return end;
}

impact_result impact_closed_form(double a, double kappa)
{
    impact_result result = {0.0, a > kappa, 0};
    instant now = {0.0, 0.0, a};
    int slips = result.starts_slip;
    double sign = 1.0;
    while (now.t < PI - 1e-9) {
        if (slips) {
            now = slip_end(&now, sign, kappa);
        } else {
            result.sticks = 1;
            now = stick_end(&now, kappa);
            sign = now.f < 0.0 ? -1.0 : 1.0;
        }
        slips = !slips;
    }
    result.impulse = (a - now.s) / 3.5;
    return result;
}

enum { BX, BY, VX, VY, SPIN, FRICTION, STATES };

typedef struct kinematics {
    double nx, ny; /* normal; the tangent is (-ny, nx) */
    double zeta, zeta_rate, arm, slip;
} kinematics;

static kinematics look(const impact_pair *pair, const double *y)
{
    kinematics k = {1.0, 0.0, 0.0, 0.0, 0.0, 0.0};
    double length = y[BX];
    if (pair->sides == 2) {
        length = hypot(y[BX], y[BY]);
        k.nx = y[BX] / length;
        k.ny = y[BY] / length;
    }
    k.zeta = pair->sides * pair->radius - length;
    k.zeta_rate = -(y[VX] * k.nx + y[VY] * k.ny);
    k.arm = pair->radius - 0.5 * k.zeta;
    k.slip = y[VY] * k.nx - y[VX] * k.ny - pair->sides * k.arm * y[SPIN];
    return k;
}

typedef struct springs {
    double fn, fn_rate;
    double kt, shrink; /* tangential stiffness, and its relative rate while it falls */
    double nu;         /* of the tangential dashpot */
} springs;

static springs springs_of(const impact_pair *pair, const kinematics *k)
{
    springs s = {pair->kn * k->zeta, pair->kn * k->zeta_rate, pair->kt, 0.0, pair->nu_t};
    if (pair->hertz) {
        const double root = sqrt(fmax(k->zeta, 0.0));
        s.fn = pair->kn * root * k->zeta;
        s.fn_rate = 1.5 * pair->kn * root * k->zeta_rate;
        s.kt = pair->kt * root;
        s.nu = pair->nu_t * sqrt(root);
        if (k->zeta_rate < 0.0 && k->zeta > 0.0) s.shrink = 0.5 * k->zeta_rate / k->zeta;
    }
    return s;
}

/* Spring and dashpot, within friction. */
static double friction(const impact_pair *pair, const springs *s, double spring, double slip)
{
    const double limit = pair->mu * fmax(s->fn, 0.0);
    return fmax(fmin(spring + s->nu * slip, limit), -limit);
}

/* Mode 0: stick; +-1: slip. */
static void rates(const impact_pair *pair, int mode, const double *y, double *dy)
{
    const kinematics k = look(pair, y);
    const springs s = springs_of(pair, &k);
    const double spring = mode == 0 ? y[FRICTION] : mode * pair->mu * s.fn;
    const double ft = friction(pair, &s, spring, k.slip);
    const double inv = pair->sides / pair->mass;
    dy[BX] = y[VX];
    dy[BY] = y[VY];
    dy[VX] = inv * (s.fn * k.nx + ft * k.ny);
    dy[VY] = inv * (s.fn * k.ny - ft * k.nx);
    dy[SPIN] = k.arm * ft / (0.4 * pair->mass * pair->radius * pair->radius);
    dy[FRICTION] = mode == 0 ? s.kt * k.slip + s.shrink * spring : 0.0;
}

static void runge_kutta(const impact_pair *pair, int mode, double h, double *y)
{
    static const double part[4] = {0.5, 0.5, 1.0, 0.0};
    static const double weight[4] = {1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6};
    double at[STATES], sum[STATES] = {0}, dy[STATES];
    for (int i = 0; i < STATES; i++)
        at[i] = y[i];
    for (int stage = 0; stage < 4; stage++) {
        rates(pair, mode, at, dy);
        for (int i = 0; i < STATES; i++) {
            sum[i] += weight[stage] * dy[i];
            at[i] = y[i] + part[stage] * h * dy[i];
        }
    }
    for (int i = 0; i < STATES; i++)
        y[i] += h * sum[i];
}

/* Changes of mode are detected at the end of a step. Forces are continuous there, so the error is
 * of second order in the step, 1e-8 for 1e4 steps. */
static int next_mode(const impact_pair *pair, int mode, double *y)
{
    const kinematics k = look(pair, y);
    const springs s = springs_of(pair, &k);
    const double limit = pair->mu * s.fn;
    if (mode == 0 && fabs(y[FRICTION]) > limit) mode = y[FRICTION] < 0.0 ? -1 : 1;
    if (mode != 0) {
        y[FRICTION] = mode * limit;
        if (mode * s.kt * k.slip + s.shrink * limit <= pair->mu * s.fn_rate) mode = 0;
    }
    return mode;
}

impact_end impact_integrate(const impact_pair *pair, int steps)
{
    /* Duration of a central impact; Hertz's constant, to the digits needed for a step. */
    const double m = pair->mass / pair->sides, k = pair->kn;
    const double h =
        (pair->hertz ? 3.2181 * pow(m * m / (k * k * pair->normal), 0.2) : PI * sqrt(m / k)) /
        steps;
    double y[STATES] = {pair->sides * pair->radius, 0.0, -pair->normal, pair->tangential, 0.0, 0.0};
    /* With Hertz springs friction starts as (2/3) kt/kn tangential/normal times the normal force.
     */
    const double start = (pair->hertz ? 2.0 / 3.0 : 1.0) * pair->kt * pair->tangential;
    int mode = start > pair->mu * pair->kn * pair->normal ? 1 : 0;
    for (int i = 0; i < 2 * steps; i++) {
        runge_kutta(pair, mode, h, y);
        if (look(pair, y).zeta <= 0.0) break;
        mode = next_mode(pair, mode, y);
    }
    const impact_end end = {y[VX], y[VY], y[SPIN]};
    return end;
}
