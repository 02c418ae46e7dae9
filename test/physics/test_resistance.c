/* SPDX-License-Identifier: BSD-3-Clause */
/* A sphere on a plane with rolling and twisting resistance: rest and acceleration on a slope, the
 * distance of a roll, the time of a spin. */
#include "../must.h"
#include "tensor.h"

static const double radius = 0.01, density = 2500.0, gravity = 9.81;
static const double friction = 0.6, rolling = 0.1, twisting = 0.05;
/* Deflections under the weight, 1e-7 m, are neglected or small terms in the closed forms. */
static const double stiffness = 1e6;
static const tw_vec3 up = {0.6, 0.0, 0.8}, ahead = {0.8, 0.0, -0.6}, axle = {0.0, 1.0, 0.0};
static const tw_vec3 none = {0.0, 0.0, 0.0};

/* Quick tests have Hertz contacts alone: theirs is the longer code. */
static int32_t first_normal(void)
{
    return scene_thorough() ? (int32_t)TW_CONTACT_LINEAR : (int32_t)TW_CONTACT_HERTZ;
}

typedef struct ball {
    double mass, inertia, weight; /* weight: on the plane */
    double overlap, arm;          /* arm: R minus half of the overlap */
    double dt;
    tw_sim *sim;
} ball;

/* At rest in the normal direction. `damping` is a ratio. */
static ball ball_on_slope(int32_t normal, double slope, double damping, tw_vec3 v, tw_vec3 w)
{
    ball b;
    b.mass = density * 4.0 / 3.0 * SUPPORT_PI * radius * radius * radius;
    b.inertia = 0.4 * b.mass * radius * radius;
    b.weight = b.mass * gravity * cos(slope);
    b.overlap = b.weight / stiffness;
    b.arm = radius - 0.5 * b.overlap;
    b.dt = 0.08 * sqrt(b.mass / (3.5 * stiffness));
    tw_contact_law law = support_law(stiffness, stiffness, friction);
    if (normal == (int32_t)TW_CONTACT_HERTZ) {
        law.normal = normal;
        law.kn = law.kt = stiffness / sqrt(b.overlap);
    }
    law.k_r = law.k_w = 0.7 * law.kt;
    law.mu_r = rolling;
    law.mu_w = twisting;
    law.nu_t = law.nu_r = damping;
    if (damping > 0.0) law.flags |= TW_CONTACT_BY_MASS;
    tw_sim_def def = scene_open_cube(1.0, &law);
    def.density = density;
    def.gravity =
        tw_vec3_add_scaled(tw_vec3_scale(-gravity * cos(slope), up), gravity * sin(slope), ahead);
    def.dt = b.dt;
    b.sim = scene_create(&def);
    tw_wall_def wall = tw_wall_def_default();
    wall.point = tw_vec3_make(0.4, 0.5, 0.5);
    wall.normal = up;
    must_add_wall(b.sim, &wall);
    const tw_vec3 x = tw_vec3_add_scaled(wall.point, radius - b.overlap, up);
    const tw_body_def body = scene_sphere(radius, x, v, w);
    scene_add(b.sim, &body);
    return b;
}

static double travel(const tw_sim *sim)
{
    return tw_vec3_dot(must_body(sim, 0).displacement, ahead);
}

/* The plane holds with the couple mu_r N R about a contact with the arm a: up to
 * tan(slope) = mu_r R/a. */
static void a_sphere_rolls_from_the_slope_of_its_rolling_friction_on(void **state)
{
    (void)state;
    for (int32_t normal = first_normal(); normal < (int32_t)TW_CONTACT_NORMALS; normal++) {
        const double edge = atan(rolling), time = 0.05;
        const ball held = ball_on_slope(normal, 0.99 * edge, 0.3, none, none);
        scene_run(held.sim, (uint64_t)(time / held.dt));
        const double start = travel(held.sim);
        scene_run(held.sim, (uint64_t)(time / held.dt));
        /* The slope appears at once, so the sphere is on its way when the spring has reached the
         * limit after d = mu_r N/k_r, with an energy of up to half of the force times d. Only the
         * last 1 % of the limit brakes it, over up to 50 d. */
        const double deflection = held.weight * rolling / (0.7 * stiffness);
        expect_at_most(fabs(travel(held.sim)), 55.0 * deflection);
        expect_at_most(fabs(travel(held.sim) - start), 1e-3 * deflection);
        tw_sim_free(held.sim);
        const ball loose = ball_on_slope(normal, 1.01 * edge, 0.3, none, none);
        const uint64_t steps = (uint64_t)(time / loose.dt);
        scene_run(loose.sim, steps);
        const double first = tw_vec3_dot(must_body(loose.sim, 0).v, ahead);
        scene_run(loose.sim, steps);
        const double gain = tw_vec3_dot(must_body(loose.sim, 0).v, ahead) - first;
        const double a = 5.0 / 7.0 * gravity * (sin(1.01 * edge) - rolling * cos(1.01 * edge));
        /* 1 % of the force: an arm that is shorter by 5e-6 counts 100 times. */
        expect_at_most(fabs(gain / (a * (double)steps * loose.dt) - 1.0), 1e-3);
        tw_sim_free(loose.sim);
    }
}

/* m a' = m g sin - F, I w' = F a - mu_r N R, a' = w' a. */
static void it_rolls_down_with_the_known_acceleration(void **state)
{
    (void)state;
    for (int32_t normal = first_normal(); normal < (int32_t)TW_CONTACT_NORMALS; normal++) {
        const double slope = 0.4, time = 0.05;
        const ball b = ball_on_slope(normal, slope, 0.3, none, none);
        const uint64_t steps = (uint64_t)(time / b.dt);
        scene_run(b.sim, steps);
        const double first = tw_vec3_dot(must_body(b.sim, 0).v, ahead);
        const double lost = must_measure(b.sim).energy.rolling;
        const double place = travel(b.sim);
        scene_run(b.sim, steps);
        const double second = tw_vec3_dot(must_body(b.sim, 0).v, ahead);
        const double a = (b.mass * gravity * sin(slope) - rolling * b.weight * radius / b.arm) /
                         (b.mass + b.inertia / (b.arm * b.arm));
        const double span = (double)steps * b.dt;
        expect_at_most(fabs((second - first) / (a * span) - 1.0), 1e-6);
        expect_at_most(fabs(a / (5.0 / 7.0 * gravity * (sin(slope) - rolling * cos(slope))) - 1.0),
                       2e-5);
        /* The work of the couple; with rolling, the arm turns the path into an angle. */
        const double work = rolling * b.weight * radius * (travel(b.sim) - place) / b.arm;
        expect_at_most(fabs((must_measure(b.sim).energy.rolling - lost) / work - 1.0), 1e-6);
        tw_sim_free(b.sim);
    }
}

typedef struct stop {
    tw_vec3 axis;
    double time;     /* of the first step that turned back */
    double farthest; /* [m] */
} stop;

static int look(tw_sim *sim, void *context)
{
    stop *s = context;
    const tw_body_state body = must_body(sim, 0);
    s->farthest = fmax(s->farthest, tw_vec3_dot(body.displacement, ahead));
    if (tw_vec3_dot(body.w, s->axis) > 0.0) return 0;
    s->time = tw_sim_time(sim);
    return 1;
}

static void run_to_stop(const ball *b, stop *s)
{
    tw_error error;
    assert_int_equal(tw_sim_run_hooked(b->sim, 1000000, look, s, &error), TW_STATUS_INTERRUPTED);
}

static void a_roll_ends_where_its_energy_is_spent(void **state)
{
    (void)state;
    for (int32_t normal = first_normal(); normal < (int32_t)TW_CONTACT_NORMALS; normal++) {
        const double speed = 0.2;
        const tw_vec3 v = tw_vec3_scale(speed, ahead);
        ball b = ball_on_slope(normal, 0.0, 0.0, v, tw_vec3_scale(speed / radius, axle));
        stop s = {axle, 0.0, 0.0};
        run_to_stop(&b, &s);
        const tw_energy e = must_measure(b.sim).energy;
        const double energy = 0.7 * b.mass * speed * speed;
        const double distance = 0.7 * speed * speed / (rolling * gravity);
        const double time = 2.0 * distance / speed;
        print_message("roll: %.7f of the distance, %.7f of the time, %.7f of the energy\n",
                      s.farthest / distance, s.time / time, e.rolling / energy);
        /* Arm and radius differ by 5e-6; the couple needs 1e-8 m to build up, of 3e-2 m; it starts
         * and ends with an error of a step in 5e4; the springs keep (mu_r m g)^2/(2 k). The contact
         * slips a little at the start: v and w R differ by 5e-6. The spring of friction swings with
         * the frequency f: its amplitude is that of the deceleration a, or 5/2 a in the spin, which
         * shifts the end by 5/2/f = 1.4e-4 s of 0.29 s. */
        expect_at_most(fabs(s.farthest / distance - 1.0), 5e-5);
        expect_at_most(fabs(s.time / time - 1.0), 5e-4);
        expect_at_most(fabs(e.rolling / energy - 1.0), 5e-5);
        expect_at_most(fabs(e.residual), 5e-5 * energy);
        expect_at_most(e.friction, 1e-6 * energy);
        expect_at_most(fabs(e.twisting), 1e-9 * energy);
        tw_sim_free(b.sim);
    }
}

/* I w' = -mu_w N R. */
static void a_spin_ends_after_the_known_time(void **state)
{
    (void)state;
    for (int32_t normal = first_normal(); normal < (int32_t)TW_CONTACT_NORMALS; normal++) {
        const double spin = 20.0;
        ball b = ball_on_slope(normal, 0.0, 0.0, none, tw_vec3_scale(spin, up));
        const double time = 0.4 * radius * spin / (twisting * gravity);
        const double energy = 0.5 * b.inertia * spin * spin;
        scene_run(b.sim, (uint64_t)(0.5 * time / b.dt));
        /* Deflections of the spring, 5e-9 m, in relation to a path of 2 cm; a step in 3e4. */
        expect_at_most(fabs(tw_vec3_dot(must_body(b.sim, 0).w, up) / spin - 0.5), 5e-5);
        expect_at_most(fabs(must_measure(b.sim).energy.twisting / energy - 0.75), 5e-5);
        stop s = {up, 0.0, 0.0};
        run_to_stop(&b, &s);
        const tw_energy e = must_measure(b.sim).energy;
        expect_at_most(fabs(s.time / time - 1.0), 1e-4);
        expect_at_most(fabs(e.twisting / energy - 1.0), 1e-4);
        expect_at_most(fabs(e.residual), 1e-4 * energy);
        /* It stays on its place. */
        expect_at_most(tw_vec3_norm(must_body(b.sim, 0).displacement), 1e-12);
        tw_sim_free(b.sim);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_sphere_rolls_from_the_slope_of_its_rolling_friction_on),
        cmocka_unit_test(it_rolls_down_with_the_known_acceleration),
        cmocka_unit_test(a_roll_ends_where_its_energy_is_spent),
        cmocka_unit_test(a_spin_ends_after_the_known_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
