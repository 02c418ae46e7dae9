/* SPDX-License-Identifier: BSD-3-Clause */
/* The motion of a sphere at a plane: against the velocity at the contact, integrated over time, and
 * as the limit of the motion of two spheres. That at a wall which turns: a ball, against the motion
 * of two spheres, and with the sphere as one rigid body. */
#include "support.h"

/* A sphere and a plane that move steadily for a time of 1. */
typedef struct ride {
    double radius;
    tw_vec3 normal, centre, point; /* at the start */
    tw_vec3 sphere, plane, spin;   /* velocities */
} ride;

static const int32_t kinds[] = {TW_CONTACT_EXACT, TW_CONTACT_PAPER, TW_CONTACT_CONVENTIONAL};
enum { KINDS = sizeof kinds / sizeof kinds[0] };

/* Overlaps of a tenth of the radius, movements and rotations of as much. */
static ride draw_ride(support_random *random)
{
    ride r;
    r.radius = support_log_uniform(random, 0.1, 10.0);
    r.normal = support_unit(random);
    r.point = support_vector(random, 0.1, 10.0);
    const double distance = r.radius * support_uniform(random, 0.85, 0.95);
    const double aside = support_uniform(random, -5.0, 5.0);
    const tw_vec3 along = tw_vec3_scale(aside, support_tangent(random, r.normal));
    r.centre = tw_vec3_add(r.point, tw_vec3_add_scaled(along, distance, r.normal));
    r.sphere = support_vector(random, 0.03 * r.radius, 0.04 * r.radius);
    r.plane = support_vector(random, 0.03 * r.radius, 0.04 * r.radius);
    r.spin = support_vector(random, 0.05, 0.1);
    return r;
}

static double distance_at(const ride *r, double time)
{
    const tw_vec3 x = tw_vec3_add_scaled(r->centre, time, r->sphere);
    const tw_vec3 p = tw_vec3_add_scaled(r->point, time, r->plane);
    return tw_vec3_dot(tw_vec3_sub(x, p), r->normal);
}

/* Velocity of the plane minus that of the sphere's material at the middle of the overlap. */
static tw_vec3 velocity_at(const ride *r, double time)
{
    const double arm = r->radius - 0.5 * (r->radius - distance_at(r, time));
    const tw_vec3 lever = tw_vec3_scale(-arm, r->normal);
    return tw_vec3_sub(r->plane, tw_vec3_add(r->sphere, tw_vec3_cross(r->spin, lever)));
}

static tw_vec3 integrate(const ride *r)
{
    enum { POINTS = 1000 };
    tw_vec3 sum = {0.0, 0.0, 0.0};
    for (int i = 0; i < POINTS; i++)
        sum = tw_vec3_add_scaled(sum, 1.0 / POINTS, velocity_at(r, (i + 0.5) / POINTS));
    return sum;
}

static tw_contact_plane plane_at(const ride *r, double time, double step)
{
    const tw_vec3 moved = tw_vec3_scale(step, tw_vec3_sub(r->plane, r->sphere));
    const tw_contact_plane plane = {
        r->normal, distance_at(r, time), moved, tw_vec3_scale(step, r->spin), r->radius, 0.0};
    return plane;
}

/* The sum of the movements of `steps` steps, minus the integral, in radii. */
static double error_of(const ride *r, int32_t kind, int steps)
{
    tw_vec3 sum = {0.0, 0.0, 0.0};
    tw_contact_memory memory = {{0.0, 0.0, 0.0}, 0.0, {0.0, 0.0, 0.0}};
    for (int i = 1; i <= steps; i++) {
        const tw_contact_plane plane = plane_at(r, (double)i / steps, 1.0 / steps);
        if (i == 1) memory = tw_contact_plane_memory_fresh(&plane);
        const tw_contact_motion motion = tw_contact_plane_motion(kind, &plane, &memory);
        sum = tw_vec3_add(sum, motion.du);
        memory.n = motion.n;
        memory.zeta = motion.zeta;
    }
    return support_distance(sum, integrate(r)) / r->radius;
}

/* The Gibbs vector differs from half the rotation vector by |turn|^2/12 of it: with turns of 0.1
 * that is 1e-4 of a movement of 0.1 radii, and less by the square of the number of steps. */
static void the_exact_movement_converges_to_the_integral_with_the_second_order(void **state)
{
    (void)state;
    support_random random = {61};
    double worst = 0.0;
    for (int i = 0; i < support_count(200); i++) {
        const ride r = draw_ride(&random);
        const double one = error_of(&r, TW_CONTACT_EXACT, 1);
        worst = fmax(worst, one);
        expect_at_most(one, 1e-4);
        expect_at_most(error_of(&r, TW_CONTACT_EXACT, 10), 0.0101 * one + 1e-14);
    }
    expect_at_least(worst, 1e-6); /* there was something to converge */
}

/* The others take the overlap at the end of the step: off by half its change in a step. */
static void the_first_order_movement_converges_with_the_first_order(void **state)
{
    (void)state;
    support_random random = {62};
    for (int i = 0; i < support_count(200); i++) {
        const ride r = draw_ride(&random);
        for (int k = 1; k < KINDS; k++) {
            const double one = error_of(&r, kinds[k], 1);
            expect_at_most(one, 0.1 * 0.04);
            expect_at_most(error_of(&r, kinds[k], 10), 0.11 * one + 1e-14);
        }
    }
}

static void a_fresh_memory_is_the_contact_at_the_start_of_the_step(void **state)
{
    (void)state;
    support_random random = {63};
    for (int i = 0; i < support_count(200); i++) {
        const ride r = draw_ride(&random);
        const tw_contact_plane plane = plane_at(&r, 1.0, 1.0);
        const tw_contact_memory memory = tw_contact_plane_memory_fresh(&plane);
        expect_at_most(fabs(memory.zeta - (r.radius - distance_at(&r, 0.0))), 1e-14 * 30.0);
        expect_at_most(support_distance(memory.n, tw_vec3_scale(-1.0, r.normal)), 0.0);
        expect_at_most(tw_vec3_norm(memory.ft), 0.0);
    }
}

/* Difference of the motions at a plane and at a sphere of radius `large` times that of the first,
 * in radii. */
static double difference(const ride *r, int32_t kind, double large)
{
    const tw_contact_plane plane = plane_at(r, 1.0, 1.0);
    const double radius = large * r->radius;
    const tw_vec3 none = {0.0, 0.0, 0.0};
    const tw_vec3 branch = tw_vec3_scale(-(plane.distance + radius), r->normal);
    const tw_contact_pair pair = {branch, plane.turn_p, none, r->radius, radius, 0.0};
    const tw_contact_memory at_plane = tw_contact_plane_memory_fresh(&plane);
    const tw_contact_memory at_sphere =
        tw_contact_memory_fresh(tw_vec3_sub(branch, plane.moved), r->radius, radius);
    const tw_contact_motion a = tw_contact_plane_motion(kind, &plane, &at_plane);
    const tw_contact_motion b = tw_contact_pair_motion(kind, &pair, &at_sphere);
    expect_at_most(support_distance(a.turn_p, b.turn_p) + tw_vec3_norm(a.turn_q), 0.0);
    return fabs(at_plane.zeta - at_sphere.zeta) / r->radius +
           support_distance(at_plane.n, at_sphere.n) + fabs(a.zeta - b.zeta) / r->radius +
           support_distance(a.n, b.n) + support_distance(a.du, b.du) / r->radius;
}

/* Normals differ by the movement over the large radius, 0.08/large, and the rest by less. */
static void a_plane_is_the_limit_of_a_large_sphere(void **state)
{
    (void)state;
    support_random random = {64};
    for (int i = 0; i < support_count(200); i++) {
        const ride r = draw_ride(&random);
        for (int k = 0; k < KINDS; k++) {
            expect_at_most(difference(&r, kinds[k], 1e3), 0.1 / 1e3);
            expect_at_most(difference(&r, kinds[k], 1e5), 0.1 / 1e5);
            expect_at_most(difference(&r, kinds[k], 1e7), 0.1 / 1e7 + 1e-8); /* and rounding */
        }
    }
}

/* A ball that moves and turns in a step of this length, as a sphere and as a wall. */
static tw_contact_pair ball_at(const ride *r, double step, tw_contact_wall *wall)
{
    const double large = 3.0 * r->radius, length = large + distance_at(r, 0.0);
    const tw_vec3 moved = tw_vec3_scale(step, tw_vec3_sub(r->plane, r->sphere));
    const tw_vec3 branch = tw_vec3_add_scaled(moved, -length, r->normal);
    const tw_vec3 p = tw_vec3_scale(step, r->spin), q = tw_vec3_make(-0.7 * p.z, p.x, 1.3 * p.y);
    const tw_contact_pair pair = {branch, p, q, r->radius, large, 0.0};
    const double to = tw_vec3_norm(branch);
    const tw_contact_wall as_wall = {tw_vec3_scale(1.0 / to, branch),
                                     moved,
                                     tw_vec3_scale(-1.0, branch),
                                     p,
                                     q,
                                     to - large,
                                     r->radius,
                                     0.0};
    *wall = as_wall;
    return pair;
}

/* Where overlap and normal both change, the points of contact are not the same: they differ by half
 * the product of the changes. */
static void a_ball_as_a_wall_moves_as_a_sphere_to_the_third_order(void **state)
{
    (void)state;
    support_random random = {65};
    double worst = 0.0;
    for (int i = 0; i < support_count(200); i++) {
        const ride r = draw_ride(&random);
        tw_contact_wall wall;
        const tw_contact_pair pair = ball_at(&r, 1.0, &wall);
        const tw_contact_memory memory = tw_contact_memory_fresh(
            tw_vec3_sub(pair.branch, wall.moved), pair.radius_p, pair.radius_q);
        const tw_contact_motion a = tw_contact_wall_motion(TW_CONTACT_EXACT, &wall, &memory),
                                b = tw_contact_pair_motion(TW_CONTACT_EXACT, &pair, &memory);
        const double angle = tw_vec3_norm(pair.turn_q), deeper = a.zeta - memory.zeta;
        const tw_vec3 apart =
            tw_vec3_cross(tw_vec3_scale(0.5 * deeper * tan(0.5 * angle) / angle, pair.turn_q),
                          tw_vec3_sub(a.n, memory.n));
        expect_at_most(fabs(a.zeta - b.zeta), 1e-14 * wall.radius);
        expect_at_most(support_distance(a.n, b.n) + support_distance(a.turn_q, b.turn_q), 0.0);
        expect_at_most(support_distance(tw_vec3_sub(a.du, b.du), apart), 1e-14 * wall.radius);
        worst = fmax(worst, tw_vec3_norm(apart) / wall.radius);
    }
    expect_at_least(worst, 1e-6);
}

/* Wall and sphere as one body: nothing moves at the contact, whatever the angle. */
static void a_rigid_motion_of_wall_and_sphere_is_none(void **state)
{
    (void)state;
    support_random random = {66};
    for (int i = 0; i < support_count(200); i++) {
        const double radius = support_log_uniform(&random, 0.1, 10.0), distance = 0.93 * radius;
        const tw_vec3 n0 = support_unit(&random), from = support_vector(&random, 0.1, 20.0);
        const tw_vec3 turn = support_vector(&random, 1e-6, 1.5);
        const tw_vec3 g = tw_vec3_scale(tan(0.5 * tw_vec3_norm(turn)) / tw_vec3_norm(turn), turn);
        /* Carries a vector of the start along, by Rodrigues' formula in the Gibbs vector. */
        const tw_vec3 vectors[2] = {n0, from};
        tw_vec3 now[2];
        for (int k = 0; k < 2; k++) {
            const tw_vec3 across = tw_vec3_cross(g, vectors[k]);
            now[k] = tw_vec3_add_scaled(vectors[k], 2.0 / (1.0 + tw_vec3_dot(g, g)),
                                        tw_vec3_add(across, tw_vec3_cross(g, across)));
        }
        const tw_contact_wall wall = {
            now[0], tw_vec3_sub(from, now[1]), now[1], turn, turn, distance, radius, 0.0};
        const tw_contact_memory memory = {n0, radius - distance, {0.0, 0.0, 0.0}};
        const tw_contact_motion motion = tw_contact_wall_motion(TW_CONTACT_EXACT, &wall, &memory);
        expect_at_most(tw_vec3_norm(motion.du), 1e-14 * (radius + tw_vec3_norm(from)));
        const tw_contact_memory fresh = tw_contact_wall_memory_fresh(&wall);
        expect_at_most(fabs(fresh.zeta - memory.zeta), 1e-14 * (radius + tw_vec3_norm(from)));
        expect_at_most(support_distance(fresh.n, n0), 1e-14);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_exact_movement_converges_to_the_integral_with_the_second_order),
        cmocka_unit_test(the_first_order_movement_converges_with_the_first_order),
        cmocka_unit_test(a_fresh_memory_is_the_contact_at_the_start_of_the_step),
        cmocka_unit_test(a_plane_is_the_limit_of_a_large_sphere),
        cmocka_unit_test(a_ball_as_a_wall_moves_as_a_sphere_to_the_third_order),
        cmocka_unit_test(a_rigid_motion_of_wall_and_sphere_is_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
