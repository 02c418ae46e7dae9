/* SPDX-License-Identifier: BSD-3-Clause */
/* Oblique impacts of a sphere on a wall and of two equal spheres, from near-normal to grazing, in
 * the stick, stick-slip and full-slip branches. They are compared with a piecewise closed form and
 * with an independent integration with finite overlaps. */
#include "../must.h"
#include "impact_reference.h"
#include "tensor.h"

static const double radius = 2.5e-3, density = 4000.0, friction = 0.092;
static const double normal_stiffness = 1.72e7, tangential_stiffness = 1.48e7;
static const double full_speed = 3.9;
/* The closed form is the limit of small overlaps. The equations are linear in the speed, so the
 * speed can be low: the overlap is 6e-7 R, and the rounding of positions 1e-9 of it. */
static const double low_speed = 3.9e-4;

/* Stick from the start below 6.1 degrees, no stick above 28.2 degrees. */
static const double angles[] = {1, 3, 5, 6, 7, 9, 12, 16, 20, 24, 27, 28, 29, 35, 45, 60, 75, 85};
enum { ANGLES = sizeof angles / sizeof angles[0] };

typedef struct collision {
    int sides;           /* 1: wall, 2: two spheres */
    double speed, angle; /* from the normal [deg] */
    double per_contact;  /* steps in the contact time */
    double phase;        /* steps before the spheres touch */
} collision;

typedef struct outcome {
    impact_end end;
    double off_plane; /* velocity out of the plane of the impact, relative */
    double before, after;
    tw_energy energy;
} outcome;

static double sphere_mass(void)
{
    return density * 4.0 / 3.0 * SUPPORT_PI * radius * radius * radius;
}

static impact_pair pair_of(const collision *c)
{
    const double angle = c->angle * SUPPORT_PI / 180.0;
    const impact_pair pair = {c->sides,
                              radius,
                              sphere_mass(),
                              normal_stiffness,
                              tangential_stiffness,
                              friction,
                              c->speed * cos(angle),
                              c->speed * sin(angle),
                              0,
                              0.0};
    return pair;
}

/* An arbitrary frame, not aligned with the axes of the engine. */
typedef struct frame {
    tw_vec3 n, t, b;
} frame;

static frame frame_of(double angle)
{
    support_random random = {(uint64_t)(1000.0 * angle)};
    frame f;
    f.n = support_unit(&random);
    f.t = support_tangent(&random, f.n);
    f.b = tw_vec3_cross(f.n, f.t);
    return f;
}

static tw_sim *scene_of(const collision *c, const impact_pair *pair, const frame *f, double dt)
{
    const tw_contact_law law = support_law(pair->kn, pair->kt, pair->mu);
    tw_sim_def def = scene_open_cube(20.0 * radius, &law);
    def.density = density;
    def.dt = dt;
    tw_sim *sim = scene_create(&def);
    const tw_vec3 middle = tw_vec3_make(10.0 * radius, 10.0 * radius, 10.0 * radius);
    const tw_vec3 none = {0.0, 0.0, 0.0};
    /* Velocity of q relative to p, as in the reference. */
    const tw_vec3 v =
        tw_vec3_add_scaled(tw_vec3_scale(-pair->normal, f->n), pair->tangential, f->t);
    const double share = 1.0 / c->sides, ahead = c->phase * dt;
    tw_vec3 x = tw_vec3_add_scaled(middle, -radius, f->n);
    x = tw_vec3_add_scaled(x, share * ahead, v);
    tw_body_def body = scene_sphere(radius, x, tw_vec3_scale(-share, v), none);
    scene_add(sim, &body);
    if (c->sides == 2) {
        x = tw_vec3_add_scaled(middle, radius, f->n);
        body = scene_sphere(radius, tw_vec3_add_scaled(x, -share * ahead, v),
                            tw_vec3_scale(share, v), none);
        scene_add(sim, &body);
        return sim;
    }
    tw_wall_def wall = tw_wall_def_default();
    wall.point = middle;
    wall.normal = tw_vec3_scale(-3.0, f->n); /* of any length */
    must_add_wall(sim, &wall);
    return sim;
}

static outcome collide(const collision *c)
{
    const impact_pair pair = pair_of(c);
    const frame f = frame_of(c->angle);
    const double contact_time = SUPPORT_PI * sqrt(pair.mass / (c->sides * pair.kn));
    tw_sim *sim = scene_of(c, &pair, &f, contact_time / c->per_contact);
    outcome out;
    scene_run(sim, (uint64_t)(c->phase + c->per_contact) + 4);
    const tw_measure end = must_measure(sim);
    assert_int_equal(end.contacts, 0);
    out.energy = end.energy;
    out.before = 0.5 * pair.mass * c->speed * c->speed / c->sides;
    const tw_body_state p = must_body(sim, 0);
    tw_vec3 v = tw_vec3_scale(-1.0, p.v);
    double spin = tw_vec3_dot(p.w, f.b);
    if (c->sides == 2) {
        const tw_body_state q = must_body(sim, 1);
        v = tw_vec3_add(q.v, v);
        /* p and q are equivalent, and no external force acts on the pair. */
        expect_at_most(support_distance(p.w, q.w) * radius, 1e-12 * c->speed);
        expect_at_most(tw_vec3_norm(tw_vec3_add(p.v, q.v)), 1e-12 * c->speed);
    }
    out.end = (impact_end){tw_vec3_dot(v, f.n), tw_vec3_dot(v, f.t), spin};
    out.off_plane = fabs(tw_vec3_dot(v, f.b)) / c->speed;
    out.after = end.energy.kinetic + end.energy.rotational;
    tw_sim_free(sim);
    return out;
}

/* Largest error of the tangential velocity and of the spin, in units of mu times the normal
 * velocity: full slip changes the velocity by 2. */
static double error_of(const collision *c, const outcome *out, const impact_end *right)
{
    const impact_pair pair = pair_of(c);
    const double unit = pair.mu * pair.normal;
    return fmax(fabs(out->end.tangential - right->tangential) / unit,
                fabs(out->end.spin - right->spin) * radius / unit);
}

static impact_end closed_end(const collision *c, impact_result *branch)
{
    const impact_pair pair = pair_of(c);
    *branch = impact_closed_form(pair.tangential / (pair.mu * pair.normal), pair.kn / pair.kt);
    const double change = pair.mu * pair.normal * branch->impulse;
    const impact_end end = {pair.normal, pair.tangential - change,
                            2.5 * change / (c->sides * radius)};
    return end;
}

static void every_branch_agrees_with_the_closed_form(void **state)
{
    (void)state;
    int stick_first = 0, slip_stick = 0, full_slip = 0;
    for (int i = 0; i < ANGLES; i++)
        for (int sides = 1; sides <= 2; sides++) {
            const collision c = {sides, low_speed, angles[i], 1000.0, 0.37};
            const outcome out = collide(&c);
            impact_result branch;
            const impact_end right = closed_end(&c, &branch);
            /* Second order in the step: (pi/1000)^2 = 1e-5; rotation of the normal of two spheres
             * during the impact: 1e-6 tan(angle). */
            const double turn = sides == 2 ? 2e-6 * tan(angles[i] * SUPPORT_PI / 180.0) : 0.0;
            expect_at_most(error_of(&c, &out, &right), 2e-5 + turn);
            expect_at_most(fabs(out.end.normal / right.normal - 1.0), 2e-5 + turn);
            /* Rounding: 3e-18 m in each of 1000 steps, for an overlap of 1.5e-9 m. */
            expect_at_most(out.off_plane, 1e-6);
            stick_first += !branch.starts_slip;
            slip_stick += branch.starts_slip && branch.sticks;
            full_slip += !branch.sticks;
        }
    assert_true(stick_first >= 8 && slip_stick >= 12 && full_slip >= 8);
}

/* The error due to first touch within a step depends on the phase, so the root mean square over
 * phases and angles is compared. */
static double error_at(double per_contact, int sides)
{
    enum { PHASES = 8 };
    double sum = 0.0;
    for (int i = 0; i < ANGLES; i++)
        for (int k = 0; k < PHASES; k++) {
            const collision c = {sides, low_speed, angles[i], per_contact, (k + 0.5) / PHASES};
            const outcome out = collide(&c);
            impact_result branch;
            const impact_end right = closed_end(&c, &branch);
            const double error = error_of(&c, &out, &right);
            sum += error * error;
        }
    return sqrt(sum / (ANGLES * PHASES));
}

static void errors_fall_with_the_square_of_the_step(void **state)
{
    (void)state;
    for (int sides = 1; sides <= 2; sides++) {
        const double coarse = error_at(40.0, sides), middle = error_at(80.0, sides),
                     fine = error_at(160.0, sides);
        print_message("%d side(s): error %.2e, %.2e, %.2e at 40, 80, 160 steps\n", sides, coarse,
                      middle, fine);
        /* (pi/40)^2 = 6e-3. */
        expect_at_most(coarse, 6e-3);
        expect_at_least(coarse / middle, 3.3);
        expect_at_least(middle / fine, 3.3);
    }
}

static void finite_overlaps_and_turning_normals_agree_with_an_independent_integration(void **state)
{
    (void)state;
    for (int i = 0; i < ANGLES; i++)
        for (int sides = 1; sides <= 2; sides++) {
            const collision c = {sides, full_speed, angles[i], 1000.0, 0.37};
            const impact_pair pair = pair_of(&c);
            const impact_end right = impact_integrate(&pair, 10000);
            const outcome out = collide(&c);
            /* As above. Grazing spheres touch for less than the contact time of a central impact,
             * so they have fewer steps. */
            expect_at_most(error_of(&c, &out, &right), 4e-5);
            expect_at_most(fabs(out.end.normal - right.normal) / right.normal, 4e-5);
            expect_at_most(out.off_plane, 1e-10);
        }
}

static void full_slip_on_a_wall_has_the_known_ratio_and_spin(void **state)
{
    (void)state;
    for (int i = 0; i < ANGLES; i++) {
        const collision c = {1, full_speed, angles[i], 400.0, 0.61};
        const impact_pair pair = pair_of(&c);
        if (angles[i] < 28.5) continue;
        const outcome out = collide(&c);
        const double e = out.end.normal / pair.normal;
        const double ratio = out.end.tangential / pair.tangential;
        const double tangent = tan(angles[i] * SUPPORT_PI / 180.0);
        /* J = mu m (1 + e) V cos: exact for any overlap; rounding only. */
        expect_at_most(fabs(ratio - (1.0 - friction * (1.0 + e) / tangent)), 1e-10);
        /* J R/I, but with the lever arm R - zeta/2: the force-weighted mean of zeta is pi/4 of the
         * largest overlap V cos/omega. The error of the step is (pi/400)^2 = 6e-5. */
        const double spin = 2.5 * friction * (1.0 + e) * pair.normal / radius;
        const double deepest = pair.normal * sqrt(pair.mass / pair.kn);
        const double arm = 1.0 - SUPPORT_PI / 8.0 * deepest / radius;
        expect_at_most(fabs(out.end.spin / (spin * arm) - 1.0), 6e-5);
        expect_at_most(fabs(out.end.spin / spin - 1.0), 3e-3);
    }
}

static void impacts_lose_the_energy_dissipated_by_friction(void **state)
{
    (void)state;
    for (int sides = 1; sides <= 2; sides++)
        for (int i = 0; i < ANGLES; i++) {
            double residual[2];
            for (int fine = 0; fine < 2; fine++) {
                const collision c = {sides, full_speed, angles[i], fine ? 800.0 : 200.0, 0.5};
                const outcome out = collide(&c);
                assert_true(out.energy.friction >= 0.0);
                residual[fine] = fabs(out.before - out.after - out.energy.friction) / out.before;
                /* The residual of the balance is the same. */
                expect_at_most(fabs(out.energy.start - out.before), 1e-12 * out.before);
                const double rest = out.energy.start - out.after - out.energy.friction;
                expect_at_most(fabs(out.energy.residual - rest), 1e-12 * out.before);
                assert_true(out.energy.normal == 0.0 && out.energy.tangential == 0.0);
            }
            /* (pi/200)^2 = 2.5e-4, (pi/800)^2 = 1.5e-5. */
            expect_at_most(residual[0], 2.5e-4);
            expect_at_most(residual[1], 1.5e-5);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_branch_agrees_with_the_closed_form),
        cmocka_unit_test(errors_fall_with_the_square_of_the_step),
        cmocka_unit_test(finite_overlaps_and_turning_normals_agree_with_an_independent_integration),
        cmocka_unit_test(full_slip_on_a_wall_has_the_known_ratio_and_spin),
        cmocka_unit_test(impacts_lose_the_energy_dissipated_by_friction),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
