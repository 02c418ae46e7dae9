/* SPDX-License-Identifier: BSD-3-Clause */
/* The terms of the energy balance in motions with a closed form. */
#include "../must.h"
#include "tensor.h"

static const double radius = 1e-2, density = 2500.0;
static const tw_vec3 none = {0.0, 0.0, 0.0};

static double sphere_mass(void)
{
    return density * 4.0 / 3.0 * SUPPORT_PI * radius * radius * radius;
}

static tw_sim_def open_def(const tw_contact_law *law, double dt)
{
    tw_sim_def def = scene_open_cube(1.0, law);
    def.density = density;
    def.dt = dt;
    return def;
}

static void free_fall_gains_the_work_of_gravity(void **state)
{
    (void)state;
    const tw_contact_law law = support_law(1e5, 1e5, 0.5);
    tw_sim_def def = open_def(&law, 1e-4);
    def.gravity = tw_vec3_make(1.0, -2.0, -9.81);
    tw_sim *sim = scene_create(&def);
    const tw_vec3 x0 = {0.3, 0.5, 0.6}, v0 = {0.3, 0.1, 1.0};
    const tw_body_def body = scene_sphere(radius, x0, v0, none);
    scene_add(sim, &body);
    const uint64_t steps = 2000;
    scene_run(sim, steps);
    const tw_body_state end = must_body(sim, 0);
    const tw_energy e = must_measure(sim).energy;
    /* Leap-frog is exact for a constant force. */
    const double time = (double)steps * def.dt;
    const tw_vec3 x =
        tw_vec3_add_scaled(tw_vec3_add_scaled(x0, time, v0), 0.5 * time * time, def.gravity);
    expect_at_most(support_distance(end.x, x), 1e-13);
    const tw_vec3 moved = tw_vec3_sub(end.x, x0);
    const double work = sphere_mass() * tw_vec3_dot(def.gravity, moved);
    const double scale = sphere_mass() * tw_vec3_dot(def.gravity, def.gravity) * time * time;
    expect_at_most(fabs(e.gravity - work), 1e-12 * scale);
    expect_at_most(fabs(e.kinetic - e.start - work), 1e-12 * scale);
    expect_at_most(fabs(e.residual), 1e-12 * scale);
    tw_sim_free(sim);
}

static void damping_slows_at_its_rate_and_dissipates_the_energy(void **state)
{
    (void)state;
    const double rate = 50.0, spin_rate = 20.0, dt = 1e-4;
    const uint64_t steps = 400;
    const tw_contact_law law = support_law(1e5, 1e5, 0.5);
    tw_sim_def def = open_def(&law, dt);
    def.damping_mass = rate;
    def.damping_spin = spin_rate;
    tw_sim *sim = scene_create(&def);
    const tw_vec3 v0 = {0.3, -0.1, 0.2}, w0 = {10.0, 30.0, -20.0};
    const tw_body_def body = scene_sphere(radius, tw_vec3_make(0.5, 0.5, 0.5), v0, w0);
    scene_add(sim, &body);
    scene_run(sim, steps);
    const tw_body_state end = must_body(sim, 0);
    const tw_energy e = must_measure(sim).energy;
    const double time = (double)steps * dt;
    /* (1 - c dt/2)/(1 + c dt/2) per step instead of exp(-c dt): (c dt)^2/12 times c t, 4e-6. */
    expect_at_most(fabs(end.v.x / v0.x * exp(rate * time) - 1.0), 1e-5);
    expect_at_most(fabs(end.w.y / w0.y * exp(spin_rate * time) - 1.0), 1e-5);
    expect_at_most(support_distance(end.v, tw_vec3_scale(end.v.x / v0.x, v0)), 1e-14);
    /* The loss of each motion follows from its remaining energy. Second order: (c dt)^2 = 2.5e-5.
     */
    const double taken = e.kinetic * (exp(2.0 * rate * time) - 1.0) +
                         e.rotational * (exp(2.0 * spin_rate * time) - 1.0);
    expect_at_most(fabs(e.body_damping / taken - 1.0), 5e-5);
    expect_at_most(fabs(e.residual), 1e-4 * e.start);
    tw_sim_free(sim);
}

/* Outcome of a central impact, relative to speed and energy before it. */
typedef struct impact {
    double speed, damped, missing;
} impact;

/* Central impact on a wall with the contact damping nu: m z'' + nu z' + kn z = 0 from z = 0 back to
 * z = 0 (the law allows tension near the end), so e = exp(-pi D/sqrt(1 - D^2)), with D = nu/(2
 * sqrt(kn m)). */
static impact restitution(double share, int steps)
{
    const double m = sphere_mass(), kn = 1e6;
    tw_contact_law law = support_law(kn, kn, 0.5);
    law.nu_n = share * 2.0 * sqrt(kn * m);
    const double dt = SUPPORT_PI * sqrt(m / kn) / steps;
    const tw_sim_def def = open_def(&law, dt);
    tw_sim *sim = scene_create(&def);
    tw_wall_def wall = tw_wall_def_default();
    wall.point = tw_vec3_make(0.0, 0.0, 0.5);
    assert_int_equal(must_add_wall(sim, &wall), 0);
    const double speed = 0.1;
    const tw_body_def body =
        scene_sphere(radius, tw_vec3_make(0.5, 0.5, 0.5 + radius + 0.5 * dt * speed),
                     tw_vec3_make(0.0, 0.0, -speed), none);
    scene_add(sim, &body);
    scene_run(sim, (uint64_t)(2 * steps));
    assert_int_equal(must_contacts(sim), 0);
    const tw_energy e = must_measure(sim).energy;
    const impact end = {must_body(sim, 0).v.z / speed, e.contact_damping / e.start,
                        fabs(e.residual) / e.start};
    tw_sim_free(sim);
    return end;
}

static void contact_damping_gives_the_known_restitution(void **state)
{
    (void)state;
    static const double shares[] = {0.02, 0.1, 0.3};
    for (int i = 0; i < 3; i++) {
        const double d = shares[i], right = exp(-SUPPORT_PI * d / sqrt(1.0 - d * d));
        for (int steps = 200; steps <= 800; steps *= 4) {
            const impact end = restitution(d, steps);
            const double order = SUPPORT_PI * SUPPORT_PI / steps / steps; /* second */
            expect_at_most(fabs(end.speed - right), order);
            expect_at_most(fabs(end.damped - (1.0 - right * right)), order);
            expect_at_most(end.missing, order);
        }
    }
}

/* A sphere between a fixed and a moving wall: the work of the wall equals the energy of the two
 * springs. */
static void the_work_of_a_moving_wall_is_stored_in_the_springs(void **state)
{
    (void)state;
    const double kn = 1e6, depth = 1e-5;
    const tw_contact_law law = support_law(kn, kn, 0.5);
    const double dt = 0.1 * sqrt(sphere_mass() / kn);
    tw_sim_def def = open_def(&law, dt);
    tw_sim *sim = scene_create(&def);
    const uint64_t steps = 40000;
    tw_wall_def wall = tw_wall_def_default();
    wall.point = tw_vec3_make(0.0, 0.0, 0.5 - radius);
    assert_int_equal(must_add_wall(sim, &wall), 0);
    wall.point.z = 0.5 + radius;
    wall.normal = tw_vec3_make(0.0, 0.0, -1.0);
    wall.v.z = -depth / ((double)steps * dt);
    assert_int_equal(must_add_wall(sim, &wall), 1);
    const tw_body_def body = scene_sphere(radius, tw_vec3_make(0.5, 0.5, 0.5), none, none);
    scene_add(sim, &body);
    scene_run(sim, steps);
    const tw_energy e = must_measure(sim).energy;
    const double stored = 0.25 * kn * depth * depth; /* two springs in series */
    /* The wall starts abruptly: the sphere oscillates with half of its speed, and the force with
     * sqrt(m kn/2) times that, here 2e-4 of the final force. */
    expect_at_most(fabs(e.normal / stored - 1.0), 1e-3);
    expect_at_most(fabs(e.walls / stored - 1.0), 1e-3);
    expect_at_most(fabs(e.residual), 1e-7 * stored);
    const tw_wall_state floor = must_wall(sim, 0), lid = must_wall(sim, 1);
    expect_at_most(fabs(floor.force.z / (-0.5 * kn * depth) - 1.0), 1e-3);
    expect_at_most(fabs(lid.force.z / (0.5 * kn * depth) - 1.0), 1e-3);
    expect_at_most(fabs(lid.point.z - (0.5 + radius - depth)), 1e-12);
    tw_sim_free(sim);
}

/* The same with a servo-controlled lid, which must come to rest at its force. */
static void a_servo_wall_reaches_its_force(void **state)
{
    (void)state;
    const double kn = 1e6, target = 3.0;
    const tw_contact_law law = support_law(kn, kn, 0.5);
    tw_sim_def def = open_def(&law, 0.1 * sqrt(sphere_mass() / kn));
    def.damping_mass = 0.2 * sqrt(kn / sphere_mass());
    tw_sim *sim = scene_create(&def);
    tw_wall_def wall = tw_wall_def_default();
    wall.point = tw_vec3_make(0.0, 0.0, 0.5 - radius);
    assert_int_equal(must_add_wall(sim, &wall), 0);
    wall.point.z = 0.5 + 1.0001 * radius;
    wall.normal = tw_vec3_make(0.0, 0.0, -1.0);
    wall.servo = 1;
    wall.force = target;
    assert_int_equal(must_add_wall(sim, &wall), 1);
    const tw_body_def body = scene_sphere(radius, tw_vec3_make(0.5, 0.5, 0.5), none, none);
    scene_add(sim, &body);
    scene_run(sim, 20000);
    /* Exponential approach: complete by now for any gain. */
    expect_at_most(fabs(must_wall(sim, 1).force.z / target - 1.0), 1e-6);
    expect_at_most(fabs(must_wall(sim, 0).force.z / -target - 1.0), 1e-6);
    const tw_energy e = must_measure(sim).energy;
    const double stored = target * target / kn; /* two springs, F^2/2kn each */
    expect_at_most(fabs(e.normal / stored - 1.0), 1e-5);
    expect_at_most(fabs(e.residual), 1e-2 * stored);
    tw_sim_free(sim);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(free_fall_gains_the_work_of_gravity),
        cmocka_unit_test(damping_slows_at_its_rate_and_dissipates_the_energy),
        cmocka_unit_test(contact_damping_gives_the_known_restitution),
        cmocka_unit_test(the_work_of_a_moving_wall_is_stored_in_the_springs),
        cmocka_unit_test(a_servo_wall_reaches_its_force),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
