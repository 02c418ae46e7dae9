/* SPDX-License-Identifier: BSD-3-Clause */
/* Impacts of Hertz-Mindlin spheres: closed forms of central and gliding impacts, an independent
 * integration of the others, Maw, Barber & Fawcett's limits, and the benchmarks of Chung & Ooi,
 * Granular Matter 13 (2011) 643: their spheres, materials and velocities. */
#include "collision.h"
#include "impact_reference.h"

#include <math.h>

typedef struct material {
    double young, poisson, density;
} material;

static const material glass = {48e9, 0.20, 2800.0}, limestone = {20e9, 0.25, 2500.0},
                      aluminium = {70e9, 0.30, 2699.0}, magnesium = {40e9, 0.35, 1800.0},
                      oxide = {380e9, 0.23, 4000.0}, iron = {100e9, 0.25, 7000.0},
                      copper = {120e9, 0.35, 8900.0}, steel = {208e9, 0.30, 7850.0},
                      polyethylene = {1e9, 0.40, 1400.0},
                      alloy = {70e9, 0.33, 2700.0}; /* the aluminium of tests 6 to 8 */

/* A wall is rigid: the compliance of one body alone. */
static tw_contact_law law_of(const material *m, int sides, double mu)
{
    tw_contact_law law = support_law(0.0, 0.0, mu);
    const double shear = m->young / (2.0 * (1.0 + m->poisson));
    law.normal = TW_CONTACT_HERTZ;
    law.flags = TW_CONTACT_BY_RADIUS;
    law.kn = 4.0 / 3.0 * m->young / (1.0 - m->poisson * m->poisson) / sides;
    law.kt = 8.0 * shear / (2.0 - m->poisson) / sides;
    return law;
}

static double stiffness_of(const collision *c)
{
    return c->law.kn * sqrt(collision_reduced_radius(c));
}

static collision collision_of(const material *m, int sides, double mu, double radius, double normal)
{
    collision c = {.sides = sides,
                   .law = law_of(m, sides, mu),
                   .radius = radius,
                   .density = m->density,
                   .normal = normal,
                   .steps = 400.0,
                   .phase = 0.37};
    c.time = collision_hertz_time(collision_reduced_mass(&c), stiffness_of(&c), normal);
    return c;
}

static void set_restitution(collision *c, double e)
{
    c->law.nu_n = tw_contact_law_damping_ratio(e, 0);
    c->law.flags |= TW_CONTACT_BY_MASS;
}

/* Errors of duration, overlap, force and of the energy balance, relative. */
typedef struct errors {
    double part[4];
} errors;

static errors central(const collision *c)
{
    const collision_end end = collision_run(c);
    const double k = stiffness_of(c);
    const double deep = collision_hertz_overlap(collision_reduced_mass(c), k, c->normal);
    expect_at_most(fabs(end.normal / c->normal - 1.0), 1e-4);
    const errors e = {{end.duration / c->time - 1.0, end.overlap / deep - 1.0,
                       end.force / (k * pow(deep, 1.5)) - 1.0, end.energy.residual / end.before}};
    return e;
}

/* Chung & Ooi, tests 1 and 2. */
static void central_impacts_have_hertz_duration_overlap_and_force(void **state)
{
    (void)state;
    const collision cases[] = {
        collision_of(&glass, 2, 0.35, 0.01, 20.0), collision_of(&limestone, 2, 0.35, 0.01, 20.0),
        collision_of(&aluminium, 1, 0.0, 0.1, 0.2), collision_of(&magnesium, 1, 0.0, 0.1, 0.2)};
    enum { CASES = sizeof cases / sizeof cases[0], PHASES = 4 };
    double error[3][4] = {{0.0}};
    for (int fine = 0; fine < 3; fine++) {
        for (int i = 0; i < CASES * PHASES; i++) {
            collision c = cases[i / PHASES];
            c.steps = 50.0 * (1 << fine);
            c.phase = (i % PHASES + 0.5) / PHASES;
            const errors e = central(&c);
            for (int part = 0; part < 4; part++)
                error[fine][part] += e.part[part] * e.part[part] / (CASES * PHASES);
        }
        for (int part = 0; part < 4; part++)
            error[fine][part] = sqrt(error[fine][part]);
    }
    for (int part = 0; part < 4; part++) {
        print_message("%s: %.1e %.1e %.1e at 50, 100, 200 steps\n",
                      (const char *[]){"duration", "overlap", "force", "residual"}[part],
                      error[0][part], error[1][part], error[2][part]);
        /* (pi/50)^2 = 4e-3; second order: 16, where first order would give 4. */
        expect_at_most(error[0][part], 4e-3);
        expect_at_least(error[0][part] / error[2][part], 12.0);
    }
}

/* Chung & Ooi, test 3. */
static void restitution_is_that_of_the_material(void **state)
{
    (void)state;
    for (int i = 1; i <= 4; i++) {
        const material *m = i % 2 ? &oxide : &iron;
        collision c = collision_of(m, 1, 0.0, 2.5e-3, 3.9);
        set_restitution(&c, 0.2 * i);
        /* (pi/400)^2 = 6e-5. */
        expect_at_most(fabs(collision_run(&c).normal / c.normal - 0.2 * i), 6e-5);
    }
}

static collision oblique(const material *m, int sides, double angle, double normal_part)
{
    const double turn = angle * SUPPORT_PI / 180.0, speed = 3.9;
    collision c =
        collision_of(m, sides, 0.092, 2.5e-3, normal_part > 0.0 ? normal_part : speed * cos(turn));
    c.tangential = c.normal * tan(turn);
    return c;
}

static const double angles[] = {2, 5, 9, 14, 20, 27, 35, 45, 60, 75};
enum { ANGLES = sizeof angles / sizeof angles[0] };

/* Chung & Ooi, test 4, without and with restitution 0.98. */
static void oblique_impacts_agree_with_an_independent_integration(void **state)
{
    (void)state;
    for (int i = 0; i < ANGLES; i++)
        for (int sides = 1; sides <= 2; sides++) {
            collision c = oblique(&oxide, sides, angles[i], 0.0);
            c.steps = 600.0;
            const double root = sqrt(collision_reduced_radius(&c));
            const impact_pair pair = {sides,
                                      c.radius,
                                      collision_mass(c.radius, c.density),
                                      c.law.kn * root,
                                      c.law.kt * root,
                                      c.law.mu,
                                      c.normal,
                                      c.tangential,
                                      1,
                                      0.0};
            const impact_end right = impact_integrate(&pair, 10000);
            const collision_end end = collision_run(&c);
            const double unit = c.law.mu * c.normal;
            /* (pi/600)^2 = 2.7e-5 of the normal force, which is 1/mu = 11 times friction. */
            expect_at_most(fabs(end.tangential - right.tangential) / unit, 1e-4);
            expect_at_most(fabs(end.spin - right.spin) * c.radius / unit, 2.5e-4);
            expect_at_most(fabs(end.normal / right.normal - 1.0), 3e-5);
        }
}

/* While it slides throughout, the impulse of friction is mu times that of the normal force, with
 * damping too: the impulse of a damper between two touches at zero overlap is 0. */
static void sliding_impacts_obey_coulomb(void **state)
{
    (void)state;
    int slid = 0;
    for (int i = 0; i < ANGLES; i++)
        for (int linear = 0; linear < 2; linear++) {
            collision c = oblique(&oxide, 1, angles[i], 0.0);
            set_restitution(&c, 0.98);
            if (linear) {
                c.law.normal = TW_CONTACT_LINEAR;
                c.law.flags = TW_CONTACT_BY_MASS;
                c.law.kn = 1.72e7;
                c.law.kt = 1.48e7;
                c.law.nu_t = 0.1; /* acts only while it sticks */
                c.time = SUPPORT_PI * sqrt(collision_reduced_mass(&c) / c.law.kn);
            }
            const collision_end end = collision_run(&c);
            /* Towards its end the spring may slide back while the limit shrinks. */
            if (!end.slid_always || end.tangential < c.radius * end.spin) continue;
            slid++;
            const double impulse = c.law.mu * (c.normal + end.normal);
            expect_at_most(fabs(end.normal / c.normal - 0.98), 6e-5);
            /* Rounding only. */
            expect_at_most(fabs(c.tangential - end.tangential - impulse), 1e-9 * impulse);
            /* The arm is shorter than the radius by half of the overlap, below 1 %. */
            const double spin = 2.5 * impulse / c.radius;
            expect_at_most(end.spin / spin, 1.0);
            expect_at_least(end.spin / spin, 0.99);
        }
    assert_true(slid >= 8);
}

/* Maw, Barber & Fawcett (1976, 1981): psi = 2 (1 - nu)/(mu (2 - nu)) times the ratio of tangential
 * and normal velocity of the contact point, chi = 7 (1 - nu)/(2 (2 - nu)) for a solid sphere.
 * Impacts with psi < 1 start without gross sliding, and those with psi > 4 chi - 1 slide throughout
 * and leave with psi - 4 chi. They resolve the slip annulus. A single spring, which has the
 * stiffness of the whole area, has the same start, and slides throughout for psi > 4 chi - 2/3:
 * where the annulus sticks again at the end, it sticks a little earlier. */
static void check_limits(const material *m, double mu, double radius)
{
    const double chi = 3.5 * (1.0 - m->poisson) / (2.0 - m->poisson);
    const double low = 1e-3; /* [m/s]: closed forms are for overlaps much below the radius */
    const double unit = mu * (2.0 - m->poisson) / (2.0 * (1.0 - m->poisson)) * low;
    const double psi[] = {0.99, 1.01, 4.0 * chi - 0.68, 4.0 * chi - 0.65, 6.0 * chi};
    for (int i = 0; i < 5; i++) {
        collision c = collision_of(m, 1, mu, radius, low);
        c.tangential = psi[i] * unit;
        c.steps = 2000.0;
        const collision_end end = collision_run(&c);
        assert_int_equal(end.slid_first, i > 0);
        assert_int_equal(end.slid_always, i >= 3);
        const double after = (end.tangential - c.radius * end.spin) / unit;
        if (i >= 3) expect_at_most(fabs(after - (psi[i] - 4.0 * chi)), 1e-4);
    }
}

/* Chung & Ooi, tests 4 and 5. */
static void limits_of_sliding_are_those_of_maw_barber_and_fawcett(void **state)
{
    (void)state;
    check_limits(&oxide, 0.092, 2.5e-3);
    check_limits(&steel, 0.3, 1e-5);
    check_limits(&polyethylene, 0.3, 1e-5);
}

/* A spinning sphere of radius 0.1 m meets a wall or another sphere at 0.2 m/s, restitution 0.5. */
static collision spinning(const material *m, int sides, double spin)
{
    collision c = collision_of(m, sides, 0.4, 0.1, 0.2);
    c.spin = spin;
    set_restitution(&c, 0.5);
    c.steps = 800.0;
    return c;
}

/* Chung & Ooi, tests 6 and 8: at a wall, and at a sphere of 5 times the radius and 1000 times the
 * density. */
static void spinning_spheres_leave_as_coulomb_demands(void **state)
{
    (void)state;
    static const double spins[] = {6.0, 14.0, 21.0};
    for (int i = 0; i < 12; i++) {
        collision c = spinning(i % 2 ? &copper : &alloy, 1 + i / 6, spins[i / 2 % 3]);
        if (c.sides == 2) {
            c.radius_q = 5.0 * c.radius;
            c.density_q = 1000.0 * c.density;
            c.time = collision_hertz_time(collision_reduced_mass(&c), stiffness_of(&c), c.normal);
        }
        const collision_end end = collision_run(&c);
        assert_int_equal(end.slid_always, 1);
        const double impulse = c.law.mu * collision_reduced_mass(&c) * (c.normal + end.normal);
        const double m = collision_mass(c.radius, c.density);
        expect_at_most(fabs(end.normal / c.normal - 0.5), 1e-4);
        /* Overlaps of 1e-4 of the radius, in arm and direction. */
        const double velocity = impulse / collision_reduced_mass(&c);
        expect_at_most(fabs(end.tangential / velocity - 1.0), 5e-4);
        const double turned = 2.5 * impulse / (m * c.radius);
        expect_at_most(fabs((c.spin - end.spin) / turned - 1.0), 5e-4);
        if (c.sides == 2) {
            const double other =
                2.5 * impulse / (collision_mass(c.radius_q, c.density_q) * c.radius_q);
            /* A part in 6e5 of the other spin, which is found to rounding. */
            expect_at_most(fabs(end.spin_q / -other - 1.0), 5e-4);
        }
    }
}

/* Chung & Ooi, test 7: equal spheres with opposite spins touch without slip. */
static void opposite_spins_do_not_slip(void **state)
{
    (void)state;
    static const double spins[] = {6.0, 14.0, 21.0};
    for (int i = 0; i < 6; i++) {
        collision c = spinning(i % 2 ? &copper : &alloy, 2, spins[i / 2]);
        c.spin_q = -c.spin;
        const collision_end end = collision_run(&c);
        expect_at_most(fabs(end.normal / c.normal - 0.5), 1e-4);
        /* Rounding of the movement of the surfaces, over some thousand steps. */
        expect_at_most(fabs(end.tangential / c.normal), 1e-9);
        expect_at_most(fabs(end.spin / c.spin - 1.0), 1e-9);
        expect_at_most(fabs(end.spin_q / c.spin_q - 1.0), 1e-9);
    }
}

/* Where friction is exactly 0 no springs stick that could slip: nothing is lost. */
static void frictionless_impacts_lose_nothing(void **state)
{
    (void)state;
    for (int sides = 1; sides <= 2; sides++) {
        collision c = spinning(&copper, sides, 14.0);
        c.law.mu = 0.0;
        c.tangential = 0.3 * c.normal;
        const collision_end end = collision_run(&c);
        assert_true(end.energy.micro_slip == 0.0 && end.energy.friction == 0.0);
        /* Second order in steps of 1/400 of the contact; micro-slip added 2e-6. */
        expect_at_most(fabs(end.energy.residual), 1e-7 * end.before);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(central_impacts_have_hertz_duration_overlap_and_force),
        cmocka_unit_test(restitution_is_that_of_the_material),
        cmocka_unit_test(oblique_impacts_agree_with_an_independent_integration),
        cmocka_unit_test(sliding_impacts_obey_coulomb),
        cmocka_unit_test(limits_of_sliding_are_those_of_maw_barber_and_fawcett),
        cmocka_unit_test(spinning_spheres_leave_as_coulomb_demands),
        cmocka_unit_test(opposite_spins_do_not_slip),
        cmocka_unit_test(frictionless_impacts_lose_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
