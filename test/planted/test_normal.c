/* SPDX-License-Identifier: BSD-3-Clause */
/* A third normal law (plant.py), fn = kn zeta^2 with constant other stiffnesses: kernel and engine
 * against integrated rate equations, CPU and device against each other. */
#include "tensor.h"

#include <math.h>
#include <stdlib.h>

static const int32_t square = 2; /* as planted */

static tw_contact_law law_of(double kn, double kt, double mu)
{
    tw_contact_law law = support_law(kn, kt, mu);
    law.normal = square;
    return law;
}

/* ---- The kernel ---- */

static const double deepest = 1e-3; /* [m] */

/* Overlap and movement along the plane at time a of a contact that loads and unloads once. */
static double overlap(double a)
{
    return deepest * (0.1 + 0.9 * sin(SUPPORT_PI * a) * sin(SUPPORT_PI * a));
}

static double along(double a)
{
    return 1.2e-3 * sin(2.5 * SUPPORT_PI * a);
}

/* The tangential force after all of it, by steps of the engine; the sum of the works. */
static double advance(const tw_contact_law *law, int steps, double *dissipated, int *slides)
{
    const tw_vec3 n = {0.0, 0.0, 1.0}, zero = {0.0, 0.0, 0.0};
    tw_contact_memory memory = support_memory(n, overlap(0.0), zero);
    *dissipated = 0.0;
    *slides = 0;
    for (int k = 1; k <= steps; k++) {
        const double a = (double)k / steps, before = (double)(k - 1) / steps;
        const tw_vec3 du = {along(a) - along(before), 0.0, 0.0};
        const tw_contact_motion motion = support_motion(n, overlap(a), du);
        tw_contact_load load;
        tw_contact_advance(law, &motion, 1.0, &memory, NULL, &load);
        expect_at_most(fabs(load.fn - law->kn * overlap(a) * overlap(a)), 1e-15 * load.fn);
        expect_at_most(fabs(load.work_normal - load.fn * overlap(a) / 3.0),
                       1e-15 * load.work_normal);
        *dissipated += load.work_dissipated;
        *slides += load.sliding;
    }
    return memory.ft.x;
}

/* The rate equations in steps so short that their error does not count. */
static double integrate(const tw_contact_law *law, double *dissipated)
{
    enum { STEPS = 4000000 };
    double ft = 0.0;
    *dissipated = 0.0;
    for (int k = 1; k <= STEPS; k++) {
        const double a = (double)k / STEPS, move = along(a) - along(a - 1.0 / STEPS);
        const double limit = law->mu * law->kn * overlap(a) * overlap(a),
                     trial = ft + law->kt * move;
        const double before = ft;
        ft = fmax(-limit, fmin(limit, trial));
        *dissipated += (trial - ft) / law->kt * 0.5 * (before + ft);
    }
    return ft;
}

static void a_step_is_of_second_order(void **state)
{
    (void)state;
    const tw_contact_law law = law_of(2e8, 1.5e5, 0.4);
    double lost, work;
    int slides;
    const double exact = integrate(&law, &lost);
    for (int steps = 200; steps <= 6400; steps *= 2) {
        /* It ends in a slide, so its force is exact. What it loses depends on where in a step
         * slides begin and end; twice the error of the chords of the path bounds it. */
        const double chord = 2.5 * SUPPORT_PI / steps;
        expect_at_most(fabs(advance(&law, steps, &work, &slides) - exact), 1e-12 * fabs(exact));
        expect_at_most(fabs(work - lost), 2.0 * 0.125 * chord * chord * lost);
        expect_at_least((double)slides, 0.1 * steps);
        expect_at_least((double)(steps - slides), 0.1 * steps);
    }
}

/* ---- The engine ---- */

static const double radius = 0.01, speed = 1.0;

/* Overlap of two spheres that have met head-on. */
static double meet(double dt, int steps)
{
    tw_contact_law law = law_of(2e8, 0.0, 0.0);
    tw_sim_def def = scene_open_cube(0.1, &law);
    const tw_vec3 none = {0.0, 0.0, 0.0};
    def.dt = dt;
    tw_sim *sim = scene_create(&def);
    for (int k = 0; k < 2; k++) {
        const double side = k == 0 ? -1.0 : 1.0;
        const tw_vec3 x = {0.05 + side * (radius + 1e-6), 0.05, 0.05},
                      v = {-side * speed, 0.0, 0.0};
        const tw_body_def body = scene_sphere(radius, x, v, none);
        scene_add(sim, &body);
    }
    scene_run(sim, (uint64_t)steps);
    size_t count;
    tw_contact_state *c = scene_contacts(sim, &count);
    assert_int_equal(count, 1);
    const double zeta = c[0].zeta;
    free(c);
    tw_sim_free(sim);
    return zeta;
}

/* zeta'' = -2 kn zeta^2/m, by the method of Runge and Kutta. */
static double collide(double mass, double time)
{
    enum { STEPS = 20000 };
    const double h = (time - 1e-6 / speed) / STEPS, c = -2.0 * 2e8 / mass; /* the gap is 2e-6 */
    double z = 0.0, v = 2.0 * speed;
    for (int k = 0; k < STEPS; k++) {
        const double k1 = c * z * z, z2 = z + 0.5 * h * v, k2 = c * z2 * z2;
        const double z3 = z2 + 0.25 * h * h * k1, k3 = c * z3 * z3;
        const double z4 = z + h * v + 0.5 * h * h * k2, k4 = c * z4 * z4;
        z += h * v + h * h / 6.0 * (k1 + k2 + k3);
        v += h / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4);
    }
    return z;
}

static void spheres_that_collide_move_by_its_equation(void **state)
{
    (void)state;
    const double mass = 2650.0 * 4.0 / 3.0 * SUPPORT_PI * radius * radius * radius;
    const double time = 4e-4, exact = collide(mass, time);
    double error[4];
    for (int k = 0; k < 4; k++)
        error[k] = fabs(meet(time / (100 << k), 100 << k) - exact);
    expect_at_least(exact, 1e-5);
    for (int k = 1; k < 3; k++) {
        expect_at_least(error[k] / error[k + 1], 3.5);
        expect_at_most(error[k] / error[k + 1], 4.5);
    }
}

enum { BODIES = 250 };

static tw_sim *cloud(const tw_contact_law *law, const char *device)
{
    tw_error error;
    support_random random = {11};
    tw_sim_def def = tw_sim_def_default();
    def.cell = tensor_diagonal(0.16, 0.16, 0.16);
    def.periodic[2] = 0;
    def.law = *law;
    def.threads = 1;
    def.device = device;
    tw_sim *sim = scene_create(&def);
    for (int i = 0; i < BODIES; i++) {
        const tw_vec3 x = {0.0225 * (i % 7) + 0.011, 0.0225 * (i / 7 % 7) + 0.011,
                           0.0225 * (i / 49) + 0.0112};
        const double size = support_uniform(&random, 0.9, 1.1);
        const double fast = support_uniform(&random, 0.5, 2.0);
        const tw_vec3 v = tw_vec3_scale(fast, support_unit(&random));
        const tw_vec3 w = tw_vec3_scale(100.0, support_unit(&random));
        const tw_body_def body = scene_sphere(size * radius, x, v, w);
        scene_add(sim, &body);
    }
    for (int k = 0; k < 2; k++) {
        tw_wall_def wall = tw_wall_def_default();
        wall.point = tw_vec3_make(0.0, 0.0, k == 0 ? 0.0 : 0.16);
        wall.normal = tw_vec3_make(0.0, 0.0, k == 0 ? 1.0 : -1.0);
        assert_int_equal(tw_sim_add_wall(sim, &wall, NULL, &error), TW_STATUS_OK);
    }
    return sim;
}

/* Both devices take the same steps; forces follow from the overlaps. */
static void check_cloud(const tw_contact_law *law)
{
    tw_sim *cpu = cloud(law, "cpu"), *device = cloud(law, "emulated");
    size_t contacts = 0, sliding = 0;
    for (int k = 0; k < 40; k++) {
        size_t count;
        scene_run(cpu, 30);
        scene_run(device, 30);
        assert_true(tw_sim_hash(cpu) == tw_sim_hash(device));
        tw_contact_state *c = scene_contacts(cpu, &count);
        for (size_t i = 0; i < count; i++) {
            const double fn = law->kn * c[i].zeta * c[i].zeta;
            expect_at_most(fabs(c[i].fn - fn), 1e-14 * fn);
            if (!(law->flags & TW_CONTACT_NO_TENSION)) /* then damping presses, too */
                expect_at_most(tw_vec3_norm(c[i].ft), law->mu * fn * (1.0 + 1e-12));
            sliding += c[i].sliding != 0;
        }
        contacts += count;
        free(c);
    }
    expect_at_least((double)sliding, 20.0);
    expect_at_least((double)(contacts - sliding), 100.0);
    tw_measure m;
    assert_int_equal(tw_sim_measure(cpu, &m, NULL), TW_STATUS_OK);
    expect_at_most(fabs(m.energy.residual),
                   0.01 * m.energy.start); /* the error of the integration */
    tw_sim_free(cpu);
    tw_sim_free(device);
}

static void a_cloud_has_the_same_bits_on_a_device(void **state)
{
    (void)state;
    tw_contact_law law = law_of(2e8, 1e5, 0.3);
    check_cloud(&law);
    law.k_r = law.k_w = law.kt;
    law.mu_r = law.mu_w = 0.1;
    check_cloud(&law);
    law.nu_n = law.nu_t = 0.05;
    law.nu_r = law.nu_w = 0.02;
    law.flags |= TW_CONTACT_NO_TENSION;
    check_cloud(&law);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_step_is_of_second_order),
        cmocka_unit_test(spheres_that_collide_move_by_its_equation),
        cmocka_unit_test(a_cloud_has_the_same_bits_on_a_device),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
