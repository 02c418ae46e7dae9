/* SPDX-License-Identifier: BSD-3-Clause */
/* Sliding turns into rolling; friction does not act between spheres that roll on each other like
 * gears. */
#include "../must.h"
#include "tensor.h"

static const double radius = 0.01, density = 2500.0, friction = 0.3, gravity = 9.81, launch = 1.0;
/* Stiff, so that the deflections neglected in the closed form are small. */
static const double stiffness = 1e7;

typedef struct slide {
    tw_contact_law law;
    double overlap;            /* under its own weight */
    double mass, arm, inertia; /* lever arm: R minus half of the overlap under its own weight */
    double roll_time;          /* end of slip, by the closed form */
    double roll_speed;
} slide;

/* A sphere with u0 and no spin: u' = -mu g, omega' = mu m g a/I, so the contact point comes to rest
 * at t = u0/(mu g (1 + m a^2/I)) = 2/7 u0/(mu g) for a = R. The angular momentum about a point of
 * the plane, m a u + I omega, is conserved: u = u0/(1 + I/(m a^2)) = 5/7 u0. */
static slide slide_of(int32_t normal, double damping)
{
    slide s;
    s.law = support_law(stiffness, stiffness, friction);
    s.mass = density * 4.0 / 3.0 * SUPPORT_PI * radius * radius * radius;
    s.overlap = s.mass * gravity / stiffness;
    if (normal == (int32_t)TW_CONTACT_HERTZ) {
        /* The same tangential stiffness under its own weight. */
        s.law.normal = normal;
        s.law.kn = s.law.kt = stiffness / sqrt(s.overlap);
    }
    s.law.nu_n = s.law.nu_t = damping;
    if (damping > 0.0) s.law.flags |= TW_CONTACT_BY_MASS;
    s.arm = radius - 0.5 * s.overlap;
    s.inertia = 0.4 * s.mass * radius * radius;
    const double ratio = s.mass * s.arm * s.arm / s.inertia;
    s.roll_time = launch / (friction * gravity * (1.0 + ratio));
    s.roll_speed = launch / (1.0 + 1.0 / ratio);
    return s;
}

static const tw_vec3 up = {0.6, 0.0, 0.8}, ahead = {0.8, 0.0, -0.6}, axle = {0.0, 1.0, 0.0};

/* On a plane with a normal opposite to gravity, in equilibrium in the normal direction. */
static tw_sim *launch_on_plane(const slide *s, double dt)
{
    tw_sim_def def = scene_open_cube(1.0, &s->law);
    def.density = density;
    def.gravity = tw_vec3_scale(-gravity, up);
    def.dt = dt;
    tw_sim *sim = scene_create(&def);
    tw_wall_def wall = tw_wall_def_default();
    wall.point = tw_vec3_make(0.4, 0.5, 0.5);
    wall.normal = up;
    assert_int_equal(must_add_wall(sim, &wall), 0);
    const double height = radius - s->overlap;
    const tw_vec3 none = {0.0, 0.0, 0.0};
    const tw_body_def body = scene_sphere(radius, tw_vec3_add_scaled(wall.point, height, up),
                                          tw_vec3_scale(launch, ahead), none);
    scene_add(sim, &body);
    return sim;
}

typedef struct watch {
    double roll_time;            /* end of the first step that did not slide */
    double speed, spin, samples; /* sums while it rolls */
    double worst_moment;         /* of the angular momentum about the plane, relative */
    double from;                 /* sampling starts here */
    slide s;
} watch;

static int look(tw_sim *sim, void *context)
{
    watch *w = context;
    const tw_body_state body = must_body(sim, 0);
    tw_contact_state contact;
    assert_int_equal(must_contacts(sim), 1);
    must_get_contacts(sim, &contact);
    if (!contact.sliding && w->roll_time == 0.0) w->roll_time = tw_sim_time(sim);
    const double speed = tw_vec3_dot(body.v, ahead), spin = tw_vec3_dot(body.w, axle);
    const double moment = w->s.mass * w->s.arm * speed + w->s.inertia * spin;
    const double right = w->s.mass * w->s.arm * launch;
    w->worst_moment = support_most(w->worst_moment, fabs(moment / right - 1.0));
    if (tw_sim_time(sim) > w->from) {
        w->speed += speed;
        w->spin += spin;
        w->samples += 1.0;
    }
    return 0;
}

static void check_slide(const slide *s)
{
    const double unit = launch / (friction * gravity);
    /* 12 steps per radian of the tangential oscillator, of frequency sqrt(7 kt/(2 m)). */
    const double frequency = sqrt(3.5 * stiffness / s->mass), dt = 1.0 / 12.0 / frequency;
    tw_sim *sim = launch_on_plane(s, dt);
    watch w = {.s = *s, .from = 1.1 * s->roll_time};
    /* After slip the spring keeps oscillating with F = mu m g cos(frequency t), unless it is
     * damped; averages over 60 periods. */
    const double span = 60.0 * 2.0 * SUPPORT_PI / frequency;
    tw_error error;
    must_succeed(tw_sim_run_hooked(sim, (uint64_t)((w.from + span) / dt), look, &w, &error),
                 &error);
    /* The spring first deflects by mu m g/kt: 3e-9 m of 8e-2 m. Times are resolved to a step. */
    print_message("t mu g/u0 = %.7f, u/u0 = %.7f, omega R/u0 = %.7f, moment %.1e\n",
                  w.roll_time / unit, w.speed / w.samples, w.spin / w.samples * radius,
                  w.worst_moment);
    expect_at_most(fabs(w.roll_time - s->roll_time), 2.0 * dt + 1e-6 * s->roll_time);
    expect_at_most(fabs(w.roll_time / unit - 2.0 / 7.0), 2e-6 + 2.0 * dt / unit);
    /* Contribution of the oscillation to the mean: its amplitude mu g sqrt(7 m/(2 kt)) = 2e-4,
     * times one step of 3800. */
    expect_at_most(fabs(w.speed / w.samples / s->roll_speed - 1.0), 1e-6);
    expect_at_most(fabs(w.speed / w.samples / launch - 5.0 / 7.0), 1e-6);
    expect_at_most(fabs(w.spin / w.samples * radius / launch - 5.0 / 7.0), 1e-6);
    /* Conserved by every kick: rounding of 6e4 kicks, and of the overlap in the arm. */
    expect_at_most(w.worst_moment, 1e-9);
    tw_sim_free(sim);
}

/* Quick tests have Hertz contacts alone: theirs is the longer code. */
static int32_t first_normal(void)
{
    return scene_thorough() ? (int32_t)TW_CONTACT_LINEAR : (int32_t)TW_CONTACT_HERTZ;
}

/* For linear springs and Hertz contacts, and with damping, which does not act on a contact that
 * slides. */
static void
a_sliding_sphere_rolls_after_two_sevenths_of_the_time_with_five_sevenths_of_the_speed(void **state)
{
    (void)state;
    for (int32_t normal = first_normal(); normal < (int32_t)TW_CONTACT_NORMALS; normal++)
        for (int damped = 0; damped < 2; damped++) {
            const slide s = slide_of(normal, damped ? 0.2 : 0.0);
            check_slide(&s);
        }
}

static void friction_dissipates_two_sevenths_of_the_energy_of_a_slide(void **state)
{
    (void)state;
    const slide s = slide_of(TW_CONTACT_LINEAR, 0.0);
    const double dt = 0.1 / sqrt(3.5 * stiffness / s.mass);
    tw_sim *sim = launch_on_plane(&s, dt);
    scene_run(sim, (uint64_t)(1.1 * s.roll_time / dt));
    const tw_energy e = must_measure(sim).energy;
    const double before = 0.5 * s.mass * launch * launch;
    /* 1/2 m u0^2 (1 - 5/7); the spring keeps (mu m g)^2/(2 kt), 1e-8 of it. Friction jumps in the
     * first step, which causes an error of up to one step of it: mu m g u0 dt. */
    const double jump = 2.0 * friction * gravity * dt / launch;
    expect_at_most(fabs(e.friction / before - 2.0 / 7.0), jump);
    expect_at_most(fabs(e.residual), jump * before);
    /* In normal equilibrium gravity and the plane do no work, except for the small bounce started
     * by rounding. */
    expect_at_most(fabs(e.gravity), 1e-9 * before);
    tw_sim_free(sim);
}

typedef struct spins {
    tw_vec3 n, p, q; /* line of centres, spins */
    tw_vec3 after_p, after_q;
    double sideways; /* velocity normal to the line of centres after the collision, relative to the
                        approach */
} spins;

static void collide(spins *s)
{
    const double speed = 1.0, m = density * 4.0 / 3.0 * SUPPORT_PI * radius * radius * radius;
    const tw_contact_law law = support_law(1e7, 0.8e7, 0.5);
    tw_sim_def def = scene_open_cube(20.0 * radius, &law);
    def.density = density;
    const double contact_time = SUPPORT_PI * sqrt(m / (2.0 * law.kn));
    def.dt = contact_time / 100.0;
    tw_sim *sim = scene_create(&def);
    const tw_vec3 middle = tw_vec3_make(0.1, 0.1, 0.1);
    const double apart = radius + 3.3 * def.dt * speed;
    tw_body_def body = scene_sphere(radius, tw_vec3_add_scaled(middle, -apart, s->n),
                                    tw_vec3_scale(speed, s->n), s->p);
    scene_add(sim, &body);
    body = scene_sphere(radius, tw_vec3_add_scaled(middle, apart, s->n),
                        tw_vec3_scale(-speed, s->n), s->q);
    scene_add(sim, &body);
    scene_run(sim, 110);
    assert_int_equal(must_contacts(sim), 0);
    const tw_body_state p = must_body(sim, 0), q = must_body(sim, 1);
    /* A collision did occur. */
    expect_at_most(tw_vec3_dot(p.v, s->n), -0.99 * speed);
    s->after_p = p.w;
    s->after_q = q.w;
    s->sideways = tw_vec3_norm(tw_vec3_cross(p.v, s->n)) / speed;
    tw_sim_free(sim);
}

/* The contact points move by omega x R n on p and by omega x (-R n) on q: equal for opposite spins
 * about any axis. So there is no slip and no tangential force. */
static void opposite_spins_are_kept_in_a_central_collision(void **state)
{
    (void)state;
    support_random random = {2024};
    for (int i = 0; i < scene_cases(40); i++) {
        spins s;
        s.n = support_unit(&random);
        const double spin = support_uniform(&random, 1.0, 500.0);
        s.p = tw_vec3_scale(spin, support_unit(&random));
        s.q = tw_vec3_scale(-1.0, s.p);
        collide(&s);
        /* Rounding of displacements in 100 steps, 1e-17 m each, relative to the overlap of 1e-4 m.
         */
        expect_at_most(radius * support_distance(s.after_p, s.p), 1e-11);
        expect_at_most(radius * support_distance(s.after_q, s.q), 1e-11);
        expect_at_most(s.sideways, 1e-11);
    }
}

/* In contrast, equal spins normal to the line of centres cause slip, and spins about it do not. */
static void equal_spins_are_kept_only_about_the_line_of_centres(void **state)
{
    (void)state;
    support_random random = {7};
    for (int i = 0; i < scene_cases(10); i++) {
        spins s;
        s.n = support_unit(&random);
        s.p = s.q = tw_vec3_scale(100.0, support_tangent(&random, s.n));
        collide(&s);
        expect_at_least(tw_vec3_norm(s.p) - tw_vec3_norm(s.after_p), 1.0);
        expect_at_least(s.sideways, 1e-3);
        s.p = s.q = tw_vec3_scale(100.0, s.n);
        collide(&s);
        expect_at_most(radius * support_distance(s.after_p, s.p), 1e-11);
        expect_at_most(s.sideways, 1e-11);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(
            a_sliding_sphere_rolls_after_two_sevenths_of_the_time_with_five_sevenths_of_the_speed),
        cmocka_unit_test(friction_dissipates_two_sevenths_of_the_energy_of_a_slide),
        cmocka_unit_test(opposite_spins_are_kept_in_a_central_collision),
        cmocka_unit_test(equal_spins_are_kept_only_about_the_line_of_centres),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
