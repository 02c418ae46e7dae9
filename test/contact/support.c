/* SPDX-License-Identifier: BSD-3-Clause */
#include "support.h"

#include <stdlib.h>

uint64_t support_bits(support_random *random)
{
    uint64_t z = (random->state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

double support_uniform(support_random *random, double low, double high)
{
    const double unit = (double)(support_bits(random) >> 11) * 0x1p-53;
    return low + (high - low) * unit;
}

double support_log_uniform(support_random *random, double low, double high)
{
    return exp(support_uniform(random, log(low), log(high)));
}

tw_vec3 support_unit(support_random *random)
{
    for (;;) {
        tw_vec3 v;
        v.x = support_uniform(random, -1.0, 1.0);
        v.y = support_uniform(random, -1.0, 1.0);
        v.z = support_uniform(random, -1.0, 1.0);
        const double length = tw_vec3_norm(v);
        if (length > 0.1 && length < 1.0) return tw_vec3_scale(1.0 / length, v);
    }
}

tw_vec3 support_vector(support_random *random, double low, double high)
{
    const double length = support_log_uniform(random, low, high);
    return tw_vec3_scale(length, support_unit(random));
}

tw_vec3 support_tangent(support_random *random, tw_vec3 n)
{
    for (;;) {
        const tw_vec3 v = support_unit(random);
        const tw_vec3 t = tw_vec3_add_scaled(v, -tw_vec3_dot(v, n), n);
        const double length = tw_vec3_norm(t);
        if (length > 0.1) return tw_vec3_scale(1.0 / length, t);
    }
}

int support_count(int count)
{
    const char *text = getenv("TWIRL_TEST_SCALE");
    const double scale = text != NULL ? atof(text) : 1.0;
    const double scaled = scale * (double)count;
    const double least = 0.1 * (double)count;
    return (int)fmin(fmax(scaled, least), 1e8);
}

tw_vec3 support_rotate(tw_vec3 v, tw_vec3 turn)
{
    const double angle = tw_vec3_norm(turn);
    if (!(angle > 0.0)) return v;
    const tw_vec3 axis = tw_vec3_scale(1.0 / angle, turn);
    const double half = sin(0.5 * angle);
    const tw_vec3 once = tw_vec3_cross(axis, v);
    const tw_vec3 twice = tw_vec3_cross(axis, once);
    return tw_vec3_add_scaled(tw_vec3_add_scaled(v, sin(angle), once), 2.0 * half * half, twice);
}

support_spin support_spin_about(tw_vec3 axis, double angle)
{
    const double length = tw_vec3_norm(axis);
    const support_spin spin = {cos(0.5 * angle), tw_vec3_scale(sin(0.5 * angle) / length, axis)};
    return spin;
}

support_spin support_spin_compose(support_spin a, support_spin b)
{
    support_spin c;
    c.w = a.w * b.w - tw_vec3_dot(a.v, b.v);
    c.v = tw_vec3_cross(a.v, b.v);
    c.v = tw_vec3_add_scaled(c.v, a.w, b.v);
    c.v = tw_vec3_add_scaled(c.v, b.w, a.v);
    return c;
}

tw_vec3 support_spin_between(support_spin from, support_spin to)
{
    const support_spin back = {from.w, tw_vec3_scale(-1.0, from.v)};
    support_spin step = support_spin_compose(to, back);
    if (step.w < 0.0) step = (support_spin){-step.w, tw_vec3_scale(-1.0, step.v)};
    const double sine = tw_vec3_norm(step.v);
    if (!(sine > 0.0)) return tw_vec3_make(0.0, 0.0, 0.0);
    return tw_vec3_scale(2.0 * atan2(sine, step.w) / sine, step.v);
}

double support_distance(tw_vec3 a, tw_vec3 b)
{
    return tw_vec3_norm_scaled(tw_vec3_sub(a, b));
}

int support_finite(tw_vec3 a)
{
    return isfinite(a.x) && isfinite(a.y) && isfinite(a.z);
}

double support_stored(const tw_contact_law *law, tw_vec3 ft)
{
    return 0.5 * tw_vec3_dot(ft, ft) / law->kt;
}

tw_contact_law support_law(double kn, double kt, double mu)
{
    tw_contact_law law = tw_contact_law_default();
    law.kn = kn;
    law.kt = kt;
    law.mu = mu;
    return law;
}

tw_contact_law support_law_of(int32_t kind)
{
    tw_contact_law law = support_law(1e6, 0.8e6, 0.5);
    law.kind = kind;
    return law;
}

tw_contact_law support_resisting_law(tw_contact_law law)
{
    law.mu_r = 0.6 * law.mu;
    law.k_r = 0.9 * law.kt;
    law.mu_w = 0.4 * law.mu;
    law.k_w = 0.7 * law.kt;
    return law;
}

tw_contact_law support_hertz_like(tw_contact_law law, double zeta)
{
    law.normal = TW_CONTACT_HERTZ;
    law.kn /= sqrt(zeta);
    law.kt /= sqrt(zeta);
    law.k_r /= sqrt(zeta);
    law.k_w /= sqrt(zeta);
    return law;
}

tw_contact_memory support_memory(tw_vec3 n, double zeta, tw_vec3 ft)
{
    const tw_contact_memory memory = {n, zeta, ft};
    return memory;
}

tw_contact_motion support_motion(tw_vec3 n, double zeta, tw_vec3 du)
{
    const tw_vec3 still = {0.0, 0.0, 0.0};
    const tw_contact_motion motion = {n, zeta, du, still, still, 0.0, 0.0, 0.0};
    return motion;
}

double support_most(double most, double value)
{
    return isnan(most) || value <= most ? most : value;
}

void support_at_most(double value, double bound, const char *text, const char *file, int line)
{
    if (value <= bound) return;
    print_error("%s = %.17g exceeds %.17g\n", text, value, bound);
    _fail(file, line);
}

void support_at_least(double value, double bound, const char *text, const char *file, int line)
{
    if (value >= bound) return;
    print_error("%s = %.17g is below %.17g\n", text, value, bound);
    _fail(file, line);
}
