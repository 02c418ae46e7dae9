/* SPDX-License-Identifier: BSD-3-Clause */
/* Walls that move so that a given force presses on them, where it is known what that does. */
#include "../must.h"
#include "tensor.h"

static const double radius = 1e-2, density = 2500.0, kn = 1e6;
static const tw_vec3 none = {0.0, 0.0, 0.0};

static double mass(void)
{
    return density * 4.0 / 3.0 * SUPPORT_PI * radius * radius * radius;
}

/* A period of a sphere on one contact is 2 pi of these. */
static double unit_time(void)
{
    return sqrt(mass() / kn);
}

static tw_sim *make(const tw_contact_law *law, double dt)
{
    tw_sim_def def = scene_open_cube(1.0, law);
    def.density = density;
    def.dt = dt;
    return scene_create(&def);
}

static void add(tw_sim *sim, double x, double z, int fixed)
{
    tw_body_def body = scene_sphere(radius, tw_vec3_make(x, 0.5, z), none, none);
    body.fixed = fixed;
    scene_add(sim, &body);
}

/* Above (side 1) or below (-1) the height z. */
static tw_wall_def plate(double z, int side, double force, double v_max)
{
    tw_wall_def wall = tw_wall_def_default();
    wall.point = tw_vec3_make(0.25, 0.0, z);
    wall.normal.z = -side;
    wall.servo = 1;
    wall.force = force;
    wall.v_max = v_max;
    return wall;
}

static double pressed(const tw_sim *sim, size_t wall)
{
    const tw_wall_state w = must_wall(sim, wall);
    return -tw_vec3_dot(w.force, w.normal);
}

/* On fixed spheres of different heights, which contacts with friction and damping resist: the
 * stiffness of linear contacts is all there is. Damping forces answer within some steps. */
static void the_force_is_met_after_one_step(void **state)
{
    (void)state;
    for (int damped = 0; damped < 2; damped++) {
        tw_contact_law law = support_law(kn, 0.8 * kn, 0.5);
        law.nu_n = damped ? 0.3 * sqrt(kn * mass()) : 0.0;
        tw_sim *sim = make(&law, 0.1 * unit_time());
        const double place[3] = {0.3, 0.5, 0.8}, depth[3] = {1e-4, 2e-4, 5e-4};
        tw_vec3 torque = none;
        const tw_wall_def lid = plate(0.5 + radius, 1, 1100.0, (double)INFINITY);
        for (int k = 0; k < 3; k++)
            add(sim, place[k], 0.5 + depth[k], 1);
        must_add_wall(sim, &lid);
        scene_run(sim, 1);
        print_message("damping %d: %.17g N\n", damped, pressed(sim, 0));
        expect_at_most(fabs(pressed(sim, 0) / lid.force - 1.0), 1e-12);
        scene_run(sim, 600);
        const tw_wall_state now = must_wall(sim, 0);
        expect_at_most(fabs(pressed(sim, 0) / lid.force - 1.0), 1e-11);
        expect_at_most(tw_vec3_norm(now.v), 1e-9);
        /* 1100 N are 1100 um of overlap: 100 um more than at the start for each. */
        expect_at_most(fabs(now.point.z - (lid.point.z - 1e-4)), 1e-15);
        for (int k = 0; k < 3; k++) {
            const tw_vec3 arm = {place[k] - now.point.x, 0.5 - now.point.y, 0.0};
            torque = tw_vec3_add(
                torque, tw_vec3_cross(arm, tw_vec3_make(0.0, 0.0, kn * (depth[k] + 1e-4))));
        }
        expect_at_most(tw_vec3_norm(tw_vec3_sub(now.torque, torque)), 1e-10 * tw_vec3_norm(torque));
        tw_sim_free(sim);
    }
}

/* Never faster than v_max, so that a contact is compressed by no more than a step of that beyond
 * the target. */
static void a_plate_that_comes_from_afar_does_not_shoot_over(void **state)
{
    (void)state;
    for (int hertz = 0; hertz < 2; hertz++) {
        tw_contact_law law = support_law(kn, kn, 0.5);
        if (hertz) law.normal = TW_CONTACT_HERTZ;
        if (hertz) law.kn = law.kt = 1e8;
        const double dt = 0.05 * unit_time(), v_max = 0.1, reach = v_max * dt, gap = 77.3 * reach,
                     at_target = 2.6 * reach, target = tw_contact_law_normal_force(&law, at_target);
        tw_sim *sim = make(&law, dt);
        add(sim, 0.5, 0.5, 1);
        const tw_wall_def lid = plate(0.5 + radius + gap, 1, target, v_max);
        must_add_wall(sim, &lid);
        double most = 0.0;
        for (int k = 1; k < 400; k++) {
            scene_run(sim, 1);
            most = fmax(most, pressed(sim, 0));
            const double moved = lid.point.z - must_wall(sim, 0).point.z;
            if (k <= 79) expect_at_most(fabs(moved / (k * reach) - 1.0), 1e-9);
        }
        print_message("hertz %d: at most %.4g of the target\n", hertz, most / target);
        expect_at_most(fabs(pressed(sim, 0) / target - 1.0), 1e-9);
        expect_at_most(most, hertz ? tw_contact_law_normal_force(&law, at_target + reach)
                                   : target * (1.0 + 1e-9));
        tw_sim_free(sim);
    }
}

/* The servo follows a change of the rate of the force with a lag of ten steps: a plate resists
 * acceleration like a mass of 10 K dt^2 that rides on its grains. */
static double rider(double dt)
{
    return 10.0 * kn * dt * dt;
}

/* A free sphere on a floor, at rest under the lid, whose force then grows by a tenth: after one
 * step it is there, and the sphere moves as under a constant force, u = (dF/k)(1 - cos wt). */
static void a_sphere_moves_as_under_a_constant_force(void **state)
{
    (void)state;
    const double force = 100.0, more = 0.1 * force, depth = force / kn, dt = 0.02 * unit_time();
    const tw_contact_law law = support_law(kn, kn, 0.0);
    tw_sim *sim = make(&law, dt);
    tw_wall_def floor = tw_wall_def_default();
    const tw_wall_def lid = plate(0.5 + radius - depth, 1, force + more, (double)INFINITY);
    floor.point.z = 0.5 - radius + depth;
    add(sim, 0.5, 0.5, 0);
    must_add_wall(sim, &floor);
    must_add_wall(sim, &lid);
    scene_run(sim, 1);
    expect_at_most(fabs(pressed(sim, 1) / lid.force - 1.0), 1e-12);
    double off = 0.0, away = 0.0;
    for (int k = 1; k < 1000; k++) {
        scene_run(sim, 1);
        const double w = sqrt(kn / (mass() + rider(dt))), u = more / kn * (1.0 - cos(w * k * dt));
        off = fmax(off, fabs(pressed(sim, 1) / lid.force - 1.0));
        away = fmax(away, fabs(0.5 - must_body(sim, 0).x.z - u) / (more / kn));
    }
    print_message("deviation %.3g of the force, %.3g of the movement\n", off, away);
    /* that of the mass at the largest acceleration, a tenth more as it begins at once */
    expect_at_most(off, 1.1 * rider(dt) / mass() * more / lid.force);
    expect_at_most(away, 0.02);
    tw_sim_free(sim);
}

/* Columns of spheres in a lattice, without friction. */
static void a_lattice_keeps_the_force_while_it_moves(void **state)
{
    (void)state;
    enum { SIDE = 4 };
    const double force = 100.0, depth = force / kn / (SIDE * SIDE), pitch = 2.0 * radius - depth;
    const tw_contact_law law = support_law(kn, kn, 0.0);
    tw_sim *sim = make(&law, 0.02 * unit_time());
    const tw_wall_def floor = tw_wall_def_default(),
                      lid = plate(SIDE * pitch - depth, 1, 1.1 * force, (double)INFINITY);
    for (int k = 0; k < SIDE * SIDE * SIDE; k++) {
        const tw_vec3 x = {2.1 * radius * (k % SIDE), 2.1 * radius * (k / SIDE % SIDE),
                           radius - depth + pitch * (k / (SIDE * SIDE))};
        const tw_body_def body = scene_sphere(radius, x, none, none);
        scene_add(sim, &body);
    }
    must_add_wall(sim, &floor);
    must_add_wall(sim, &lid);
    must_prepare(sim);
    expect_at_most(fabs(pressed(sim, 1) / force - 1.0), 1e-10);
    scene_run(sim, 1);
    expect_at_most(fabs(pressed(sim, 1) / lid.force - 1.0), 1e-12);
    double off = 0.0;
    for (int k = 1; k < 2000; k++) {
        scene_run(sim, 1);
        off = fmax(off, fabs(pressed(sim, 1) / lid.force - 1.0));
    }
    print_message("deviation %.3g\n", off);
    expect_at_most(off, 1e-3);
    /* With friction and damping it comes to rest. */
    tw_contact_law rough = support_law(kn, kn, 0.5);
    rough.nu_n = rough.nu_t = 0.5 * sqrt(kn * mass());
    tw_error error;
    must_succeed(tw_sim_set_law(sim, &rough, &error), &error);
    must_succeed(tw_sim_set_dt(sim, 0.05 * unit_time(), 0, &error), &error);
    scene_run(sim, 20000);
    expect_at_most(fabs(pressed(sim, 1) / lid.force - 1.0), 1e-10);
    expect_at_most(fabs(pressed(sim, 0) / lid.force - 1.0), 1e-10);
    tw_sim_free(sim);
}

/* Between two plates with different forces a column is accelerated by their difference. */
static void two_servos_accelerate_what_is_between_them(void **state)
{
    (void)state;
    enum { COUNT = 4 };
    const double below = 100.0, above = 99.0, depth = below / kn, pitch = 2.0 * radius - depth,
                 dt = 0.05 * unit_time();
    const tw_contact_law law = support_law(kn, kn, 0.0);
    tw_sim *sim = make(&law, dt);
    for (int k = 0; k < COUNT; k++)
        add(sim, 0.5, 0.5 + pitch * k, 0);
    const tw_wall_def floor = plate(0.5 - 0.5 * pitch, -1, below, (double)INFINITY),
                      lid = plate(0.5 + (COUNT - 0.5) * pitch, 1, above, (double)INFINITY);
    must_add_wall(sim, &floor);
    must_add_wall(sim, &lid);
    const int steps = 2000;
    scene_run(sim, (uint64_t)steps);
    double moved = 0.0;
    for (int k = 0; k < COUNT; k++)
        moved += (must_body(sim, (uint32_t)k).x.z - (0.5 + pitch * k)) / COUNT;
    const double t = steps * dt,
                 free = 0.5 * (below - above) / (COUNT * mass() + 2.0 * rider(dt)) * t * t;
    print_message("moved by %.6g of %g m; %g and %g N\n", moved / free, free, pressed(sim, 0),
                  pressed(sim, 1));
    expect_at_most(fabs(moved / free - 1.0), 1e-3);
    expect_at_most(fabs(pressed(sim, 0) / below - 1.0), 1e-3);
    expect_at_most(fabs(pressed(sim, 1) / above - 1.0), 1e-3);
    tw_sim_free(sim);
}

/* A sphere on Hertz contacts that stick in a groove, whose lid comes down on it. Slides that begin
 * and end within a step would scatter what remains. */
static double residual(double dt, uint64_t steps)
{
    tw_contact_law law = support_law(1e9, 0.8e9, 0.3);
    law.normal = TW_CONTACT_HERTZ;
    tw_sim *sim = make(&law, dt);
    const double depth = 1e-4;
    tw_wall_def floor = tw_wall_def_default(), slope = floor;
    slope.normal = tw_vec3_make(1.0, 0.0, 1.0);
    slope.point = tw_vec3_make(0.5, 0.5, 0.5 - (radius - depth) * sqrt(2.0));
    floor.normal.x = -0.5;
    floor.point = tw_vec3_make(0.5, 0.5, 0.5 - (radius - depth) * sqrt(1.25));
    const tw_wall_def lid =
        plate(0.5 + radius - depth, 1, 2.0 * tw_contact_law_normal_force(&law, depth), 1.0);
    add(sim, 0.5, 0.5, 0);
    must_add_wall(sim, &floor);
    must_add_wall(sim, &slope);
    must_add_wall(sim, &lid);
    scene_run(sim, steps);
    const double found = must_measure(sim).energy.residual;
    expect_at_most(fabs(pressed(sim, 2) / lid.force - 1.0), 5e-3);
    tw_sim_free(sim);
    return found;
}

static void the_error_of_the_energy_is_of_second_order(void **state)
{
    (void)state;
    double before = residual(1e-6, 600);
    for (int k = 1; k < 4; k++) {
        const double now = residual(1e-6 / (1 << k), 600u << k);
        print_message("ratio %.4g\n", before / now);
        expect_at_most(fabs(before / now - 4.0), 0.5);
        before = now;
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_force_is_met_after_one_step),
        cmocka_unit_test(a_plate_that_comes_from_afar_does_not_shoot_over),
        cmocka_unit_test(a_sphere_moves_as_under_a_constant_force),
        cmocka_unit_test(a_lattice_keeps_the_force_while_it_moves),
        cmocka_unit_test(two_servos_accelerate_what_is_between_them),
        cmocka_unit_test(the_error_of_the_energy_is_of_second_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
