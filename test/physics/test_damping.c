/* SPDX-License-Identifier: BSD-3-Clause */
/* Oblique collisions with damping: tangential damping within friction is of second order in the
 * step. Local damping does not depend on velocities that are roundings. */
#include "../must.h"
#include "collision.h"
#include "impact_reference.h"

#include <math.h>

static const double radius = 5e-3, density = 2650.0, speed = 0.3;

/* A sphere hits a wall; `slip` is the tangential velocity in units of mu times the normal one. */
static collision collision_of(int hertz, double slip)
{
    collision c = {.sides = 1, .radius = radius, .density = density, .normal = speed};
    const double m = collision_mass(radius, density);
    c.law = support_law(1e6, 0.8e6, 0.4);
    c.tangential = slip * c.law.mu * speed;
    c.time = SUPPORT_PI * sqrt(m / c.law.kn);
    if (hertz) {
        c.law.normal = TW_CONTACT_HERTZ;
        c.law.kn = 1e8;
        c.law.kt = 0.9e8;
        c.time = collision_hertz_time(m, c.law.kn, speed);
    }
    return c;
}

typedef struct trial {
    double slip, ratio;
} trial;

/* Sticks first and slides later, slides first and sticks later, both; weak and strong dashpots. */
static const trial trials[] = {{0.7, 0.1}, {0.7, 0.5}, {2.0, 0.05}, {2.0, 0.2}, {2.0, 0.8},
                               {4.0, 0.1}, {4.0, 0.5}, {5.5, 0.1},  {5.5, 0.5}};
enum { TRIALS = sizeof trials / sizeof trials[0], PHASES = 5, SIZES = 4, COARSEST = 75 };

/* Root mean square over phases of the errors of the velocity of the contact point, in units of mu
 * times the normal velocity, by number of steps. */
static void errors_of(int hertz, const trial *t, double error[SIZES])
{
    collision c = collision_of(hertz, t->slip);
    const double m = collision_mass(radius, density);
    c.law.nu_t = 2.0 * t->ratio * sqrt(m * c.law.kt);
    const impact_pair pair = {1,        radius,       m,     c.law.kn,  c.law.kt, c.law.mu,
                              c.normal, c.tangential, hertz, c.law.nu_t};
    /* Its own error is of second order where modes change: 1e-9 for as many steps. */
    const impact_end right = impact_integrate(&pair, 40000);
    for (int k = 0; k < SIZES; k++) {
        error[k] = 0.0;
        for (int i = 0; i < PHASES; i++) {
            c.steps = COARSEST << k;
            c.phase = (i + 0.3) / PHASES;
            const collision_end end = collision_run(&c);
            const double off = end.tangential - right.tangential - radius * (end.spin - right.spin);
            error[k] += off * off / PHASES;
        }
        error[k] = sqrt(error[k]) / (c.law.mu * c.normal);
    }
}

static void tangential_damping_within_friction_is_of_second_order(void **state)
{
    (void)state;
    for (int hertz = 0; hertz < 2; hertz++)
        for (int i = 0; i < TRIALS; i++) {
            double error[SIZES];
            errors_of(hertz, &trials[i], error);
            print_message("hertz %d, slip %.1f, ratio %.2f:", hertz, trials[i].slip,
                          trials[i].ratio);
            for (int k = 0; k < SIZES; k++)
                print_message(" %.1e", error[k]);
            const double order = log2(error[0] / error[SIZES - 1]) / (SIZES - 1);
            print_message(", order %.2f\n", order);
            /* (pi/75)^2 = 1.8e-3, times velocities up to 5.5 units and damping. */
            expect_at_most(error[0], 1e-2);
            expect_at_least(order, 1.7);
        }
}

/* A collision without tension that slides throughout. */
static collision gliding(int hertz, int sides, double restitution)
{
    collision c = collision_of(hertz, 30.0);
    /* So slow that the normal of two spheres turns by 1e-3 at most. */
    c.normal *= 1e-3;
    c.tangential *= 1e-3;
    c.sides = sides;
    c.radius_q = 1.7 * radius;
    if (hertz) c.time = collision_hertz_time(collision_reduced_mass(&c), c.law.kn, c.normal);
    c.law.flags = TW_CONTACT_BY_MASS | TW_CONTACT_NO_TENSION;
    c.law.nu_n = tw_contact_law_damping_ratio(restitution, c.law.flags);
    c.law.nu_t = 0.3;
    c.phase = 0.37;
    return c;
}

/* Friction takes mu times the normal impulse: its limit follows the force that acts. */
static void gliding_without_tension_obeys_coulomb(void **state)
{
    (void)state;
    static const double wanted[] = {0.9, 0.5, 0.3, 0.1};
    for (int i = 0; i < 16; i++) {
        collision c = gliding(i & 1, 1 + (i >> 1 & 1), wanted[i / 4]);
        double residual[2];
        for (int fine = 0; fine < 2; fine++) {
            c.steps = fine ? 800.0 : 200.0;
            const collision_end end = collision_run(&c);
            const double impulse = c.law.mu * (c.normal + end.normal);
            residual[fine] = fabs(end.energy.residual) / end.before;
            if (!fine)
                print_message("%s, %d sides, e %.1f: %.9f of mu times the normal impulse\n",
                              tw_contact_normal_name(c.law.normal), c.sides, wanted[i / 4],
                              (c.tangential - end.tangential) / impulse);
            const double allowed = c.sides == 1 ? 1e-9 : 1e-3;
            expect_at_most(fabs(c.tangential - end.tangential - impulse), allowed * impulse);
        }
        print_message("residual %.1e, %.1e\n", residual[0], residual[1]);
        /* Second order: (pi/200)^2 = 2.5e-4 of what friction takes, a third of the energy. */
        expect_at_most(residual[0], 8e-5);
        expect_at_most(residual[1], 5e-6);
    }
}

/* Spin after some steps of a sphere that slides onto its place on a floor with friction, and that
 * had this spin before. */
static double spin_after(double before)
{
    const tw_contact_law law = support_law(1e4, 0.8e4, 0.5);
    const double pressed = 1e-5;
    tw_sim_def def = scene_open_cube(1.0, &law);
    def.gravity.z = -law.kn * pressed / collision_mass(radius, density);
    def.density = density;
    def.damping_local = 0.3;
    def.dt = 1e-5;
    tw_sim *sim = scene_create(&def);
    const tw_wall_def floor = tw_wall_def_default();
    must_add_wall(sim, &floor);
    const tw_body_def body =
        scene_sphere(radius, tw_vec3_make(0.5, 0.5, radius - pressed), tw_vec3_make(1e-3, 0.0, 0.0),
                     tw_vec3_make(0.0, before, 0.0));
    scene_add(sim, &body);
    scene_run(sim, 20);
    const double after = must_body(sim, 0).w.y;
    tw_sim_free(sim);
    return after;
}

/* Its sign is that of the velocity when the force acts: in the first step in which a torque acts,
 * the velocity of half a step ago is a rounding. */
static void local_damping_does_not_follow_roundings(void **state)
{
    (void)state;
    const double rest = spin_after(0.0), one = spin_after(1e-17), other = spin_after(-1e-17);
    print_message("spin %.17g, %.17g, %.17g\n", rest, one, other);
    assert_true(rest > 1e-6); /* the torque has acted */
    /* The difference of 2e-17 stays what it is; rounding. */
    expect_at_most(fabs(one - rest), 1e-12 * rest);
    expect_at_most(fabs(other - rest), 1e-12 * rest);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tangential_damping_within_friction_is_of_second_order),
        cmocka_unit_test(gliding_without_tension_obeys_coulomb),
        cmocka_unit_test(local_damping_does_not_follow_roundings),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
