/* SPDX-License-Identifier: BSD-3-Clause */
/* Central collisions with damping: restitution in closed form, second order in the step, and the
 * energy balance. */
#include "collision.h"

#include <math.h>

#include <twirl/material.h>

static const double radius = 5e-3, density = 2650.0, speed = 0.3;

/* Schwager & Poeschel (2007): m z'' + c z' + k z = 0 from z = 0 until the force, not the overlap,
 * is 0 again. With tension the contact lasts until z = 0. `ratio` is c/(2 sqrt(k m)). Hertz
 * contacts with damping proportional to z^(1/4) have the same restitution (Antypov & Elliott 2011):
 * in terms of z^(5/4) they obey the linear equation, with a time of their own. */
static double restitution_of(double ratio, int tension)
{
    const double w = sqrt(1.0 - ratio * ratio);
    const double end =
        tension ? SUPPORT_PI : SUPPORT_PI - atan2(2.0 * ratio * w, 1.0 - 2.0 * ratio * ratio);
    return exp(-ratio / w * end);
}

typedef struct kind {
    int32_t normal;
    int tension;
} kind;

static const kind kinds[] = {
    {TW_CONTACT_LINEAR, 1}, {TW_CONTACT_LINEAR, 0}, {TW_CONTACT_HERTZ, 1}, {TW_CONTACT_HERTZ, 0}};
enum { KINDS = sizeof kinds / sizeof kinds[0] };

static collision collision_of(const kind *k, double ratio, int sides)
{
    collision c = {.sides = sides, .radius = radius, .density = density, .normal = speed};
    c.radius_q = 1.7 * radius;
    c.law = support_law(1e6, 0.8e6, 0.5);
    const double m = collision_reduced_mass(&c);
    c.time = SUPPORT_PI * sqrt(m / c.law.kn);
    if (k->normal == (int32_t)TW_CONTACT_HERTZ) {
        c.law.normal = TW_CONTACT_HERTZ;
        c.law.flags |= TW_CONTACT_BY_RADIUS;
        c.law.kn = 1e9;
        c.law.kt = 0.8e9;
        c.time = collision_hertz_time(m, c.law.kn * sqrt(collision_reduced_radius(&c)), speed);
    }
    c.law.nu_n = ratio;
    c.law.flags |= TW_CONTACT_BY_MASS;
    if (!k->tension) c.law.flags |= TW_CONTACT_NO_TENSION;
    return c;
}

typedef struct errors {
    double restitution, residual;
} errors;

static const double ratios[] = {0.02, 0.1, 0.25, 0.45, 0.7};
enum { RATIOS = sizeof ratios / sizeof ratios[0], PHASES = 6 };

/* Root mean squares over ratios and phases of the first touch in its step. */
static errors errors_at(const kind *k, double steps)
{
    errors sum = {0.0, 0.0};
    for (int i = 0; i < RATIOS; i++)
        for (int j = 0; j < PHASES; j++) {
            collision c = collision_of(k, ratios[i], 1 + (i + j) % 2);
            c.steps = steps;
            c.phase = (j + 0.5) / PHASES;
            const collision_end end = collision_run(&c);
            const double right = restitution_of(ratios[i], k->tension);
            const double residual = end.energy.residual / end.before;
            sum.restitution += pow(end.normal / speed - right, 2.0);
            sum.residual += residual * residual;
            expect_at_least(end.energy.contact_damping, 0.0);
        }
    sum.restitution = sqrt(sum.restitution / (RATIOS * PHASES));
    sum.residual = sqrt(sum.residual / (RATIOS * PHASES));
    return sum;
}

static void restitution_and_residual_converge_with_second_order(void **state)
{
    (void)state;
    for (int i = 0; i < KINDS; i++) {
        const errors coarse = errors_at(&kinds[i], 50.0), middle = errors_at(&kinds[i], 100.0),
                     fine = errors_at(&kinds[i], 200.0);
        print_message("%s, tension %d: restitution %.1e %.1e %.1e, residual %.1e %.1e %.1e\n",
                      tw_contact_normal_name(kinds[i].normal), kinds[i].tension, coarse.restitution,
                      middle.restitution, fine.restitution, coarse.residual, middle.residual,
                      fine.residual);
        /* (pi/50)^2 = 4e-3, times a factor below 1. */
        expect_at_most(coarse.restitution, 1.5e-3);
        expect_at_most(coarse.residual, 1.5e-3);
        /* First order would give 4. */
        expect_at_least(coarse.restitution / fine.restitution, 11.0);
        expect_at_least(coarse.residual / fine.residual, 11.0);
        expect_at_least(middle.restitution / fine.restitution, 3.0);
        expect_at_least(middle.residual / fine.residual, 3.0);
    }
}

/* The law of a material with this restitution. */
static collision collision_by(const kind *k, double restitution)
{
    tw_material m = tw_material_default();
    m.normal = k->normal;
    m.kn = m.kt = 1e6;
    m.young = 1e9;
    m.poisson = 0.3;
    m.restitution = restitution;
    m.no_tension = !k->tension;
    collision c = collision_of(k, 0.0, 2);
    assert_null(tw_material_pair_law(&m, &m, &c.law));
    c.phase = 0.37;
    if (k->normal == (int32_t)TW_CONTACT_HERTZ)
        c.time = collision_hertz_time(collision_reduced_mass(&c),
                                      c.law.kn * sqrt(collision_reduced_radius(&c)), speed);
    return c;
}

/* What is lost is what damping took. */
static void a_given_restitution_is_reached(void **state)
{
    (void)state;
    static const double wanted[] = {0.98, 0.9, 0.7, 0.5, 0.3, 0.2, 0.1};
    for (int i = 0; i < 7; i++)
        for (int k = 0; k < KINDS; k++) {
            double error[2];
            for (int fine = 0; fine < 2; fine++) {
                collision c = collision_by(&kinds[k], wanted[i]);
                c.steps = fine ? 800.0 : 200.0;
                const collision_end end = collision_run(&c);
                error[fine] = fabs(end.normal / speed - wanted[i]);
                const double lost = 1.0 - wanted[i] * wanted[i];
                /* Twice that of the velocity. */
                expect_at_most(fabs(end.energy.contact_damping / end.before - lost),
                               fine ? 4e-5 : 6e-4);
            }
            print_message("%s, tension %d: %.2f is off by %.1e, %.1e at 200, 800 steps\n",
                          tw_contact_normal_name(kinds[k].normal), kinds[k].tension, wanted[i],
                          error[0], error[1]);
            /* Second order: (pi/200)^2 = 2.5e-4, and a 16th of it. */
            expect_at_most(error[0], 2.5e-4);
            expect_at_most(error[1], 1.6e-5);
        }
}

/* Coefficients instead of ratios: the same numbers by hand. */
static void ratios_and_coefficients_agree(void **state)
{
    (void)state;
    for (int i = 0; i < KINDS; i += 2) {
        collision c = collision_of(&kinds[i], 0.3, 2), plain = c;
        const double m = collision_reduced_mass(&c), root = sqrt(collision_reduced_radius(&c));
        plain.law.flags = 0;
        if (kinds[i].normal == (int32_t)TW_CONTACT_HERTZ) {
            plain.law.kn *= root;
            plain.law.kt *= root;
            /* Tsuji, Tanaka & Ishida (1992): alpha sqrt(m k) z^(1/4), with alpha = sqrt(5) ratio
             * (Antypov & Elliott). */
            plain.law.nu_n = sqrt(5.0) * 0.3 * sqrt(m * plain.law.kn);
        } else {
            plain.law.nu_n = 2.0 * 0.3 * sqrt(m * plain.law.kn);
        }
        c.steps = plain.steps = 100.0;
        c.phase = plain.phase = 0.21;
        expect_at_most(fabs(collision_run(&c).normal - collision_run(&plain).normal), 1e-12);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(restitution_and_residual_converge_with_second_order),
        cmocka_unit_test(a_given_restitution_is_reached),
        cmocka_unit_test(ratios_and_coefficients_agree),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
