/* SPDX-License-Identifier: BSD-3-Clause */
/* Walls that move so that a given force presses on them, or turn so that a torque resists them,
 * where it is known what that does. */
#include "../must.h"
#include "tensor.h"

#include <string.h>

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

/* ---- Any direction, any form ---- */

/* What the wall does to the grains, along the direction or about the axis of its servo. */
static double exerted(const tw_sim *sim, size_t wall)
{
    const tw_wall_state w = must_wall(sim, wall);
    return -tw_vec3_dot(w.servo == TW_WALL_SERVO_TORQUE ? w.torque : w.force, w.along);
}

/* Columns of spheres in a lattice that is turned with all around it, at rest between floor and lid:
 * grains do not move in the first step. `across` is the part of the direction along the lid. */
static tw_sim *make_columns(tw_vec3 turn, double across, double force)
{
    enum { SIDE = 4 };
    const tw_mat3 r = tensor_rotation(turn);
    const double at_rest = 1000.0, depth = at_rest / kn / (SIDE * SIDE),
                 pitch = 2.0 * radius - depth;
    const tw_contact_law law = support_law(kn, 0.8 * kn, 2.0);
    tw_sim *sim = make(&law, 0.02 * unit_time());
    tw_wall_def floor = tw_wall_def_default(), lid = plate(SIDE * pitch - depth, 1, force, 1e3);
    lid.along = tensor_apply(r, tw_vec3_make(across, -0.3 * across, -2.0));
    lid.normal = tensor_apply(r, lid.normal);
    lid.point = tensor_apply(r, lid.point);
    floor.normal = tensor_apply(r, floor.normal);
    for (int k = 0; k < SIDE * SIDE * SIDE; k++) {
        const tw_vec3 x = {2.1 * radius * (k % SIDE), 2.1 * radius * (k / SIDE % SIDE),
                           radius - depth + pitch * (k / (SIDE * SIDE))};
        const tw_body_def body = scene_sphere(radius, tensor_apply(r, x), none, none);
        scene_add(sim, &body);
    }
    must_add_wall(sim, &floor);
    must_add_wall(sim, &lid);
    return sim;
}

static void a_plane_meets_its_force_along_any_direction(void **state)
{
    (void)state;
    support_random random = {7};
    for (int k = 0; k < 20; k++) {
        const double force = support_uniform(&random, 800.0, 1300.0);
        tw_sim *sim = make_columns(tensor_random_turn(&random), k % 5, force);
        must_prepare(sim);
        assert_true(fabs(exerted(sim, 1) / force - 1.0) > 1e-3);
        scene_run(sim, 1);
        expect_at_most(fabs(exerted(sim, 1) / force - 1.0), 1e-12);
        expect_at_most(fabs(must_wall(sim, 1).target / force - 1.0), 0.0);
        tw_sim_free(sim);
    }
}

/* A lid on fixed spheres, of any form that is flat: on the spheres of radius `radius` at the height
 * 0.5, pressed in by the depths below. */
enum { FORMS = 3, SPHERES = 3 };
static const double depths[SPHERES] = {1e-4, 2e-4, 5e-4},
                    places[SPHERES][2] = {{0.25, 0.1}, {-0.3, 0.0}, {0.05, -0.2}};
static const tw_contact_law sticks = {.kn = 1e6, .kt = 0.8e6, .mu = 0.5};

static tw_sim *make_lid(const char *device, int form, const tw_wall_def *servo)
{
    static const tw_profile_point disc[] = {{0.0, 0.0}, {0.5, 0.0}};
    static const tw_vec3 corner[] = {{-1, -1, 0}, {1, 1, 0}, {1, -1, 0}, {-1, 1, 0}};
    tw_contact_law law = support_law(sticks.kn, sticks.kt, sticks.mu);
    tw_sim_def def = scene_open_cube(1.0, &law);
    tw_mesh_soup soup = {0};
    tw_mesh mesh = {0};
    tw_error error;
    def.density = density;
    def.dt = 0.1 * unit_time();
    def.device = device;
    tw_sim *sim = scene_create(&def);
    for (int k = 0; k < SPHERES; k++) {
        const tw_vec3 x = {places[k][0], places[k][1], depths[k] - radius};
        tw_body_def body = scene_sphere(radius, x, none, none);
        body.fixed = 1;
        scene_add(sim, &body);
    }
    tw_wall_def lid = *servo;
    lid.normal.z = -1.0;
    if (form == 1) {
        lid.form = TW_WALL_PROFILE;
        lid.corner = disc;
        lid.corners = 2;
    } else if (form == 2) {
        lid.form = TW_WALL_MESH;
        lid.mesh = &mesh;
        must_succeed(tw_mesh_soup_add(&soup, corner[0], corner[2], corner[1], 1, &error), &error);
        must_succeed(tw_mesh_soup_add(&soup, corner[0], corner[1], corner[3], 1, &error), &error);
        must_succeed(tw_mesh_make(&mesh, &soup, 1.0, &error), &error);
    }
    must_add_wall(sim, &lid);
    tw_mesh_soup_free(&soup);
    tw_mesh_free(&mesh);
    return sim;
}

static tw_wall_def servo_of(int kind, tw_vec3 along, double target, double v_max)
{
    tw_wall_def def = tw_wall_def_default();
    def.servo = kind;
    def.along = along;
    def.force = def.torque = target;
    def.v_max = v_max;
    return def;
}

static void lids_of_any_form_meet_a_force(void **state)
{
    (void)state;
    for (int form = 0; form < FORMS; form++) {
        const tw_wall_def servo =
            servo_of(TW_WALL_SERVO_FORCE, tw_vec3_make(0.2, -0.1, -1.0), 880.0, 1e3);
        tw_sim *sim = make_lid("cpu", form, &servo);
        scene_run(sim, 1);
        expect_at_most(fabs(exerted(sim, 0) / 880.0 - 1.0), 1e-12);
        scene_run(sim, 100);
        expect_at_most(fabs(exerted(sim, 0) / 880.0 - 1.0), 1e-11);
        expect_at_most(tw_vec3_norm(must_wall(sim, 0).v), 1e-9);
        tw_sim_free(sim);
    }
}

/* Contacts that stick have kt r^2 each. The arc that each goes is bent by the angle of the turn,
 * whose square is what the torque is off by after one step. */
static void lids_of_any_form_meet_a_torque(void **state)
{
    (void)state;
    double stiffness = 0.0;
    for (int k = 0; k < SPHERES; k++)
        stiffness += sticks.kt * (places[k][0] * places[k][0] + places[k][1] * places[k][1]);
    for (int form = 0; form < FORMS; form++) {
        const double torque = 2.0, angle = torque / stiffness;
        const tw_wall_def servo =
            servo_of(TW_WALL_SERVO_TORQUE, tw_vec3_make(0.0, 0.0, 3.0), torque, 1e3);
        tw_sim *sim = make_lid("cpu", form, &servo);
        scene_run(sim, 1);
        print_message("form %d: %.17g N m\n", form, exerted(sim, 0));
        expect_at_most(fabs(exerted(sim, 0) / torque - 1.0), angle * angle + 1e-12);
        scene_run(sim, 100);
        const tw_wall_state now = must_wall(sim, 0);
        expect_at_most(fabs(exerted(sim, 0) / torque - 1.0), 1e-11);
        expect_at_most(tw_vec3_norm(now.spin), 1e-9);
        expect_at_most(fabs(2.0 * now.q.z / angle - 1.0), angle * angle + 1e-9);
        expect_at_most(tw_vec3_norm(tw_vec3_sub(now.point, none)), 0.0);
        /* what the springs have is what the lid has done */
        expect_at_most(fabs(now.work / (0.5 * torque * angle) - 1.0), 1e-6);
        tw_sim_free(sim);
    }
}

/* What all contacts together can bear is mu times their forces and arms. Beyond that the lid turns
 * at v_max, whether it has stuck before or not; a smaller torque stops it. */
static void a_lid_that_slides_turns_at_its_limit_and_stops(void **state)
{
    (void)state;
    const double v_max = 0.2;
    double most = 0.0;
    for (int k = 0; k < SPHERES; k++)
        most += sticks.mu * sticks.kn * depths[k] *
                sqrt(places[k][0] * places[k][0] + places[k][1] * places[k][1]);
    tw_wall_def servo =
        servo_of(TW_WALL_SERVO_TORQUE, tw_vec3_make(0.0, 0.0, 1.0), 1.01 * most, v_max);
    tw_sim *sim = make_lid("cpu", 1, &servo);
    scene_run(sim, 3000);
    for (int k = 0; k < 100; k++) {
        scene_run(sim, 1);
        expect_at_most(fabs(must_wall(sim, 0).spin.z / v_max - 1.0), 1e-15);
        /* forces follow the turn by an angle of 2e-3 */
        expect_at_most(fabs(exerted(sim, 0) / most - 1.0), 1e-5);
    }
    tw_error error;
    servo.torque = 0.5 * most;
    must_succeed(tw_sim_set_wall_servo(sim, 0, &servo, &error), &error);
    scene_run(sim, 3000);
    expect_at_most(fabs(exerted(sim, 0) / servo.torque - 1.0), 1e-9);
    expect_at_most(tw_vec3_norm(must_wall(sim, 0).spin), 1e-9);
    servo.servo = 0;
    must_succeed(tw_sim_set_wall_servo(sim, 0, &servo, &error), &error);
    const tw_quat before = must_wall(sim, 0).q;
    scene_run(sim, 100);
    const tw_wall_state after = must_wall(sim, 0);
    assert_memory_equal(&before, &after.q, sizeof before);
    expect_at_most(fabs(after.torque.z / (-0.5 * most) - 1.0), 1e-9);
    tw_sim_free(sim);
}

/* ---- A ball in a drum that a torque turns; lengths in radii of the ball, whose mass and weight
 * are 1 ---- */

static const double drum_kn = 1000.0, drum_kt = 800.0, drum_radius = 4.0;

static tw_sim *make_drum(const char *device, int hertz, double torque, double dt)
{
    static const tw_profile_point corner[2] = {{4.0, -6.0}, {4.0, 6.0}};
    tw_contact_law law = support_law(drum_kn, drum_kt, 0.9);
    if (hertz) {
        law = support_law(3e4, 2.4e4, 0.9);
        law.normal = TW_CONTACT_HERTZ;
    }
    tw_sim_def def = scene_open_cube(1.0, &law);
    def.gravity.z = -1.0;
    def.dt = dt;
    def.density = 3.0 / (4.0 * SUPPORT_PI);
    def.device = device;
    tw_sim *sim = scene_create(&def);
    const tw_vec3 v = {0.0, 0.0, hertz ? 0.02 : 0.0};
    const tw_body_def ball =
        scene_sphere(1.0, tw_vec3_make(0.0, 0.1, 1.0 - drum_radius - 1.0 / drum_kn), v, none);
    scene_add(sim, &ball);
    tw_wall_def drum = servo_of(TW_WALL_SERVO_TORQUE, tw_vec3_make(0.0, 1.0, 0.0), torque, 10.0);
    drum.form = TW_WALL_PROFILE;
    drum.corner = corner;
    drum.corners = 2;
    drum.q = tensor_quat(tw_vec3_make(-0.5 * SUPPORT_PI, 0.0, 0.0));
    must_add_wall(sim, &drum);
    return sim;
}

/* The angle of the ball is that of a pendulum of the length of its path, on which the force at the
 * rim of the drum acts; that of the servo is off by the inertia of what rides on its contact. By a
 * midpoint rule with steps that are far too small to matter. */
static double pendulum(double force, double rider, double length, double t)
{
    enum { STEPS = 20000 };
    const double h = t / STEPS;
    double angle = 0.0, rate = 0.0;
    for (int k = 0; k < STEPS; k++) {
        const double half = angle + 0.5 * h * rate;
        /* the rim accelerates by 7/2 of the force, 5/2 of it by spin, less gravity */
        const double f = (force + rider * sin(half)) / (1.0 + 3.5 * rider);
        const double a = (f - sin(half)) / length;
        angle += h * (rate + 0.5 * h * a);
        rate += h * a;
    }
    return angle;
}

static void a_ball_in_a_drum_swings_as_under_a_constant_force(void **state)
{
    (void)state;
    const double dt = 1e-3, torque = 0.4, depth = 1.0 / drum_kn, length = drum_radius - 1.0 + depth,
                 rim = drum_radius + 0.5 * depth;
    tw_sim *sim = make_drum("cpu", 0, torque, dt);
    scene_run(sim, 1);
    print_message("first step: %.17g\n", exerted(sim, 0) / torque);
    expect_at_most(fabs(exerted(sim, 0) / torque - 1.0), 1e-5);
    double off = 0.0, away = 0.0, largest = 0.0;
    for (int k = 1; k <= 80; k++) {
        scene_run(sim, k == 1 ? 49 : 50);
        const tw_vec3 x = must_body(sim, 0).x;
        const double rider = 10.0 * drum_kt * dt * dt,
                     expected = pendulum(torque / rim, rider, length, tw_sim_time(sim));
        largest = fmax(largest, expected);
        away = fmax(away, fabs(atan2(-x.x, -x.z) - expected));
        off = fmax(off, fabs(exerted(sim, 0) / torque - 1.0));
    }
    print_message("torque off by %.3g, angle by %.3g of %.3g\n", off, away, largest);
    expect_at_most(off, 1.1 * 3.5 * 10.0 * drum_kt * dt * dt);
    assert_true(largest > 0.15);
    expect_at_most(away / largest, 2e-3);
    tw_sim_free(sim);
}

static double drum_residual(double dt)
{
    tw_sim *sim = make_drum("cpu", 1, 0.4, dt);
    double worst = 0.0;
    /* In the first step the torque jumps while the contact stiffens: an error of first order. */
    scene_run(sim, 1);
    const double first = must_measure(sim).energy.residual;
    for (int k = 0; k < 40; k++) {
        scene_run(sim, (uint64_t)lround(0.05 / dt));
        worst = fmax(worst, fabs(must_measure(sim).energy.residual - first));
    }
    const tw_measure m = must_measure(sim);
    assert_true(m.energy.walls > 1e-3);
    expect_at_most(fabs(must_wall(sim, 0).work / m.energy.walls - 1.0), 1e-13);
    tw_sim_free(sim);
    return worst;
}

static void the_error_of_the_energy_under_a_torque_is_of_second_order(void **state)
{
    (void)state;
    double before = drum_residual(2e-3);
    for (int k = 1; k < 4; k++) {
        const double now = drum_residual(2e-3 / (1 << k));
        print_message("%.4g, ratio %.4g\n", now, before / now);
        expect_at_most(fabs(before / now - 4.0), 0.5);
        before = now;
    }
}

/* ---- The same bits ---- */

enum { SCENES = 6 };

static tw_sim *make_scene(const char *device, int k)
{
    tw_error error;
    tw_sim *sim;
    if (k == 0) {
        sim = make_columns(tw_vec3_make(0.3, -0.2, 0.7), 1.0, 120.0);
        must_succeed(tw_sim_set_device(sim, device, &error), &error);
        return sim;
    }
    if (k == 1) return make_drum(device, 0, 0.4, 2e-3);
    const int turns = k > 3;
    const tw_wall_def servo = servo_of(turns ? TW_WALL_SERVO_TORQUE : TW_WALL_SERVO_FORCE,
                                       tw_vec3_make(0.1 * !turns, 0.0, turns ? 1.0 : -1.0),
                                       turns ? 1e2 : 900.0, k == 3 ? 0.0 : 1e-2);
    return make_lid(device, k % 2 + 1, &servo);
}

static void assert_same(const tw_sim *a, const tw_sim *b, size_t wall)
{
    const tw_wall_state v = must_wall(a, wall), w = must_wall(b, wall);
    assert_true(tw_sim_hash(a) == tw_sim_hash(b));
    assert_true(v.work != 0.0);
    assert_memory_equal(&v.work, &w.work, sizeof v.work);
    assert_memory_equal(&v.along, &w.along, sizeof v.along);
}

static void a_copy_a_checkpoint_and_a_device_give_the_same_bits(void **state)
{
    (void)state;
    for (int k = 0; k < SCENES; k++) {
        const size_t wall = k == 0;
        tw_error error;
        tw_sim *sim = make_scene("cpu", k), *there = make_scene("emulated", k);
        for (int part = 0; part < 4; part++) {
            scene_run(sim, 1 + 77 * (uint64_t)part);
            scene_run(there, 1 + 77 * (uint64_t)part);
            assert_same(sim, there, wall);
            tw_sim *again = scene_copy(sim), *copy = tw_sim_copy(sim, &error);
            assert_non_null(copy);
            assert_same(sim, again, wall);
            scene_run(again, 50);
            scene_run(copy, 50);
            scene_run(sim, 50);
            scene_run(there, 50);
            assert_same(sim, again, wall);
            assert_same(sim, copy, wall);
            tw_sim_free(again);
            tw_sim_free(copy);
        }
        tw_sim_free(sim);
        tw_sim_free(there);
    }
}

static void what_is_no_servo_is_refused(void **state)
{
    (void)state;
    const tw_vec3 x = {1.0, 0.0, 0.0}, z = {0.0, 0.0, 1.0};
    const double nan = (double)NAN, most = (double)INFINITY;
    const struct {
        int kind, form, periodic;
        tw_vec3 along;
        double target, v_max;
        const char *words;
    } wrong[] = {
        {3, 0, 0, z, 1.0, 1.0, "there is no such servo"},
        {-1, 0, 0, z, 1.0, 1.0, "there is no such servo"},
        {1, 1, 0, {nan, 0.0, 0.0}, 1.0, 1.0, "along must be finite"},
        {1, 1, 0, x, -1.0, 1.0, "force and v_max must not be negative"},
        {2, 1, 0, x, -1.0, 1.0, "torque and v_max must not be negative"},
        {2, 1, 0, x, nan, 1.0, "torque must be finite"},
        {1, 1, 0, z, 1.0, most, "only the servo of a plane along its normal may have no v_max"},
        {1, 0, 0, x, 1.0, most, "only the servo of a plane along its normal may have no v_max"},
        {2, 0, 0, z, 1.0, most, "only the servo of a plane along its normal may have no v_max"},
        {2, 0, 0, x, 1.0, 1.0, "a plane can turn about its normal only"},
        {2, 0, 0, z, 1.0, 0.0, "give v_max"},
        {2, 0, 1, z, 1.0, 1.0, "a cell without periodic edges"}};
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
        tw_error error;
        tw_sim_def def = scene_open_cube(1.0, &sticks);
        def.periodic[0] = wrong[k].periodic;
        tw_sim *sim = scene_create(&def);
        tw_wall_def wall = servo_of(wrong[k].kind, wrong[k].along, wrong[k].target, wrong[k].v_max);
        wall.form = wrong[k].form;
        wall.radius = 1.0;
        assert_int_equal(tw_sim_add_wall(sim, &wall, NULL, &error), TW_STATUS_INPUT);
        if (!strstr(error.text, "wall 0: ") || !strstr(error.text, wrong[k].words))
            fail_msg("%zu: %s", k, error.text);
        wall.servo = 0;
        wall.along = z;
        must_add_wall(sim, &wall);
        wall.servo = wrong[k].kind;
        wall.along = wrong[k].along;
        assert_int_equal(tw_sim_set_wall_servo(sim, 0, &wall, &error), TW_STATUS_INPUT);
        if (!strstr(error.text, wrong[k].words)) fail_msg("%zu: %s", k, error.text);
        assert_int_equal(must_wall(sim, 0).servo, 0);
        tw_sim_free(sim);
    }
}

/* A servo leaves the other movement to the caller; a prescribed motion is the whole movement. */
static void a_servo_and_a_motion_exclude_each_other(void **state)
{
    (void)state;
    const tw_wall_motion motion = {.along = {1.0, 0.0, 0.0}};
    for (int kind = 1; kind <= 2; kind++) {
        tw_error error;
        const tw_wall_def servo = servo_of(kind, tw_vec3_make(0.0, 0.0, 1.0), 1.0, 1.0);
        tw_sim *sim = make_lid("cpu", 1, &servo);
        const tw_vec3 v = {1e-4, 0.0, 0.0};
        const tw_status moves = tw_sim_set_wall_velocity(sim, 0, v, &error);
        if (kind == 1) assert_string_equal(error.text, "wall 0: its servo chooses v");
        const tw_status turns = tw_sim_set_wall_spin(sim, 0, v, &error);
        if (kind == 2) assert_string_equal(error.text, "wall 0: its servo chooses spin");
        assert_int_equal(moves, kind == 1 ? TW_STATUS_INPUT : TW_STATUS_OK);
        assert_int_equal(turns, kind == 2 ? TW_STATUS_INPUT : TW_STATUS_OK);
        scene_run(sim, 1);
        const tw_wall_state now = must_wall(sim, 0);
        const tw_vec3 given = kind == 1 ? now.spin : now.v;
        assert_memory_equal(&given, &v, sizeof v);
        assert_int_equal(tw_sim_set_wall_motion(sim, 0, &motion, 1, &error), TW_STATUS_INPUT);
        assert_non_null(strstr(error.text, "wall 0: its servo moves it"));
        tw_wall_def none_left = servo;
        none_left.servo = 0;
        must_succeed(tw_sim_set_wall_servo(sim, 0, &none_left, &error), &error);
        must_succeed(tw_sim_set_wall_motion(sim, 0, &motion, 1, &error), &error);
        assert_int_equal(tw_sim_set_wall_servo(sim, 0, &servo, &error), TW_STATUS_INPUT);
        assert_non_null(strstr(error.text, "wall 0: its motion is prescribed"));
        tw_sim_free(sim);
    }
}

/* Without a limit given that of a torque is that of the force at the rim. */
static void a_small_torque_approaches_slowly(void **state)
{
    (void)state;
    const double torque = 1e-3, rim = 0.5;
    const tw_wall_def servo =
        servo_of(TW_WALL_SERVO_TORQUE, tw_vec3_make(0.0, 0.0, 1.0), torque, 0.0);
    tw_sim *sim = make_lid("cpu", 1, &servo);
    tw_wall_def away = servo;
    away.form = TW_WALL_SPHERE;
    away.point.z = 10.0;
    away.radius = rim;
    must_add_wall(sim, &away);
    scene_run(sim, 10);
    const double step = 0.1 * torque / rim / sticks.kn / rim;
    expect_at_most(fabs(must_wall(sim, 1).spin.z * tw_sim_dt(sim) / step - 1.0), 1e-12);
    expect_at_most(fabs(tw_vec3_norm(must_wall(sim, 1).torque)), 0.0);
    tw_sim_free(sim);
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
        cmocka_unit_test(a_plane_meets_its_force_along_any_direction),
        cmocka_unit_test(lids_of_any_form_meet_a_force),
        cmocka_unit_test(lids_of_any_form_meet_a_torque),
        cmocka_unit_test(a_lid_that_slides_turns_at_its_limit_and_stops),
        cmocka_unit_test(a_ball_in_a_drum_swings_as_under_a_constant_force),
        cmocka_unit_test(the_error_of_the_energy_under_a_torque_is_of_second_order),
        cmocka_unit_test(a_copy_a_checkpoint_and_a_device_give_the_same_bits),
        cmocka_unit_test(what_is_no_servo_is_refused),
        cmocka_unit_test(a_servo_and_a_motion_exclude_each_other),
        cmocka_unit_test(a_small_torque_approaches_slowly),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
