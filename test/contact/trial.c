/* SPDX-License-Identifier: BSD-3-Clause */
#include "trial.h"

#include "shape.h"

/* Stiffness from the size of the step: the movements of the three are of similar length, since
 * rolling and twisting are two components of one rotation. */
static rates_step draw_part(support_random *random, const trial *t, double length)
{
    const shape s = shape_draw(random);
    const double overlap = t->zeta0 > 0.0 ? t->zeta0 : t->zeta1;
    rates_step part = {.hertz = t->law.normal == TW_CONTACT_HERTZ,
                       .rescale = (t->law.refine & TW_CONTACT_RESCALE) != 0,
                       .kn = t->law.kn,
                       .k = 1.0,
                       .zeta0 = t->zeta0,
                       .zeta1 = t->zeta1};
    part.mu = support_log_uniform(random, 1e-2, 3.0);
    const double limit = part.mu * rates_normal_force(&part, overlap);
    part.length = length * support_log_uniform(random, 0.1, 10.0);
    /* the size is that of the movement while they touch */
    const double whole = fabs(t->zeta1 - t->zeta0);
    const double share = t->zeta0 > 0.0 && t->zeta1 > 0.0 ? 1.0 : overlap / whole;
    part.k = fmax(s.size, 1e-6) * limit / (share * part.length) / rates_stiffness(&part, overlap);
    if (t->zeta0 > 0.0) {
        part.along = s.use * limit * cos(s.angle);
        part.across = s.use * limit * sin(s.angle);
    }
    return part;
}

trial trial_draw(support_random *random, int32_t normal, int rescale, trial_kind kind)
{
    trial t = {.law = tw_contact_law_default(), .n = support_unit(random)};
    t.law.normal = normal;
    if (!rescale) t.law.refine &= ~(uint32_t)TW_CONTACT_RESCALE;
    t.law.kn = support_log_uniform(random, 1.0, 1e9);
    t.zeta0 = support_log_uniform(random, 1e-9, 1e-2);
    t.zeta1 = t.zeta0 * (1.0 + fmax(shape_draw(random).growth, -0.95));
    if (kind == TRIAL_FRESH) t.zeta0 = -t.zeta1 * support_log_uniform(random, 1e-6, 1e3);
    if (kind == TRIAL_PARTING) t.zeta1 = -t.zeta0 * support_log_uniform(random, 1e-6, 1e3);
    const double length = fmax(t.zeta0, t.zeta1) * support_log_uniform(random, 1e-3, 1e3);
    t.radius = length * support_log_uniform(random, 1e1, 1e5);
    for (int i = 0; i < TRIAL_PARTS; i++) {
        t.part[i] = draw_part(random, &t, length);
        t.along[i] = support_tangent(random, t.n);
    }
    t.along[TRIAL_TWISTING] = tw_vec3_scale(support_bits(random) & 1 ? 1.0 : -1.0, t.n);
    t.part[TRIAL_TWISTING].along =
        copysign(hypot(t.part[TRIAL_TWISTING].along, t.part[TRIAL_TWISTING].across),
                 t.part[TRIAL_TWISTING].along);
    t.part[TRIAL_TWISTING].across = 0.0;
    t.law.kt = t.part[TRIAL_SLIDING].k;
    t.law.mu = t.part[TRIAL_SLIDING].mu;
    if (support_bits(random) % 4 != 0) {
        t.law.k_r = t.part[TRIAL_ROLLING].k;
        t.law.mu_r = t.part[TRIAL_ROLLING].mu;
    }
    if (support_bits(random) % 4 != 0) {
        t.law.k_w = t.part[TRIAL_TWISTING].k;
        t.law.mu_w = t.part[TRIAL_TWISTING].mu;
    }
    return t;
}

tw_vec3 trial_in_space(const trial *t, trial_part part, double along, double across)
{
    const tw_vec3 v = tw_vec3_scale(along, t->along[part]);
    return tw_vec3_add_scaled(v, across, tw_vec3_cross(t->n, t->along[part]));
}

/* The rotation vector with this Gibbs vector. */
static tw_vec3 turn_of(tw_vec3 gibbs)
{
    const double size = tw_vec3_norm(gibbs);
    return size > 0.0 ? tw_vec3_scale(2.0 * atan(size) / size, gibbs) : gibbs;
}

/* The movement of rolling is 2 R n x (g_q - g_p), that of twisting 2 R n.(g_q - g_p). */
tw_contact_motion trial_motion(const trial *t)
{
    const tw_vec3 du = tw_vec3_scale(t->part[TRIAL_SLIDING].length, t->along[TRIAL_SLIDING]);
    const tw_vec3 roll = tw_vec3_scale(t->part[TRIAL_ROLLING].length, t->along[TRIAL_ROLLING]);
    tw_contact_motion motion = support_motion(t->n, t->zeta1, du);
    tw_vec3 g = tw_vec3_cross(roll, t->n);
    g = tw_vec3_add_scaled(g, t->part[TRIAL_TWISTING].length, t->along[TRIAL_TWISTING]);
    g = tw_vec3_scale(0.25 / t->radius, g);
    motion.turn_q = turn_of(g);
    motion.turn_p = tw_vec3_scale(-1.0, motion.turn_q);
    motion.radius = t->radius;
    return motion;
}

tw_contact_memory trial_memory(const trial *t)
{
    const rates_step *p = &t->part[TRIAL_SLIDING];
    return support_memory(t->n, t->zeta0, trial_in_space(t, TRIAL_SLIDING, p->along, p->across));
}

tw_contact_parts trial_extra(const trial *t)
{
    const rates_step *roll = &t->part[TRIAL_ROLLING], *twist = &t->part[TRIAL_TWISTING];
    tw_contact_parts extra = {.fw = 0.0};
    if (t->law.mu_r > 0.0) extra.fr = trial_in_space(t, TRIAL_ROLLING, roll->along, roll->across);
    if (t->law.mu_w > 0.0)
        extra.fw = tw_vec3_dot(trial_in_space(t, TRIAL_TWISTING, twist->along, 0.0), t->n);
    return extra;
}

tw_contact_load trial_advance(const trial *t, tw_contact_memory *memory, tw_contact_parts *extra)
{
    const tw_contact_motion motion = trial_motion(t);
    tw_contact_load load;
    *memory = trial_memory(t);
    *extra = trial_extra(t);
    support_advance(&t->law, &motion, 1.0, memory, extra, &load);
    return load;
}
