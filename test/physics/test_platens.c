/* SPDX-License-Identifier: BSD-3-Clause */
/* Cells with platens, where it is known what their servo does to them and to what is between. */
#include <math.h>
#include <string.h>

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

static size_t add_platens(tw_sim *sim, int edge)
{
    tw_error error;
    size_t lower;
    must_succeed(tw_sim_add_platens(sim, edge, 0, &lower, &error), &error);
    return lower;
}

static void control(tw_sim *sim, const tw_control *wanted)
{
    tw_error error;
    must_succeed(tw_sim_set_control(sim, wanted, &error), &error);
}

static double pressed(const tw_sim *sim, size_t wall)
{
    const tw_wall_state w = must_wall(sim, wall);
    return -tw_vec3_dot(w.force, w.normal);
}

/* Forces on both platens across an edge over their area, from cell and walls. */
static double stress_on(const tw_sim *sim, int edge, size_t lower)
{
    const tw_mat3 h = tw_sim_cell(sim);
    const double area = h.m[4 * ((edge + 1) % 3)] * h.m[4 * ((edge + 2) % 3)];
    return 0.5 * (pressed(sim, lower) + pressed(sim, lower + 1)) / area;
}

/* ---- A cubic lattice in equilibrium ---- */

enum { SIDE = 4 };
static const double depth = 1e-4; /* overlap of all contacts [m] */

/* Overlaps are between neighbours, and at platens; across a periodic edge likewise. */
static double edge_of(int walled)
{
    return SIDE * (2.0 * radius - depth) - (walled ? depth : 0.0);
}

static tw_sim *lattice_between(const int walled[3], const tw_contact_law *law, double dt)
{
    tw_sim_def def = scene_open_cube(1.0, law);
    def.density = density;
    def.dt = dt;
    for (int k = 0; k < 3; k++) {
        def.cell.m[4 * k] = edge_of(walled[k]);
        def.periodic[k] = !walled[k];
    }
    tw_sim *sim = scene_create(&def);
    for (int k = 0; k < SIDE * SIDE * SIDE; k++) {
        const double pitch = 2.0 * radius - depth, first = radius - depth;
        const tw_vec3 x = {first + pitch * (k % SIDE), first + pitch * (k / SIDE % SIDE),
                           first + pitch * (k / (SIDE * SIDE))};
        const tw_body_def body = scene_sphere(radius, x, none, none);
        scene_add(sim, &body);
    }
    for (int k = 0; k < 3; k++)
        if (walled[k]) add_platens(sim, k);
    return sim;
}

/* The lattice at the start: columns of this force on the area that each has. */
static double stress_across(const int walled[3], int edge)
{
    return SIDE * SIDE * kn * depth /
           (edge_of(walled[(edge + 1) % 3]) * edge_of(walled[(edge + 2) % 3]));
}

static const int ways[3][3] = {{1, 1, 1}, {0, 0, 1}, {1, 0, 1}};
enum { WAYS = 3 };

/* On platens the force over their area; over the volume, contacts with platens count to the middle
 * of their overlap, so that a column is longer than the cell by an overlap. */
static void the_stress_is_that_on_the_platens(void **state)
{
    (void)state;
    const tw_contact_law law = support_law(kn, 0.8 * kn, 0.5);
    for (int way = 0; way < WAYS; way++) {
        const int *walled = ways[way];
        tw_sim *sim = lattice_between(walled, &law, 0.02 * unit_time());
        const tw_measure m = must_measure(sim);
        double p = 0.0;
        for (int k = 0; k < 3; k++) {
            const double stress = stress_across(walled, k);
            const double volume = stress * edge_of(0) / edge_of(walled[k]);
            expect_at_most(fabs(m.stress.m[4 * k] / stress - 1.0), 1e-11);
            expect_at_most(fabs(m.stress_volume.m[4 * k] / volume - 1.0), 1e-11);
            p += stress / 3.0;
        }
        expect_at_most(fabs(m.p / p - 1.0), 1e-11);
        tw_sim_free(sim);
    }
}

static tw_control raised(const int walled[3], double factor)
{
    tw_control c = tw_control_default();
    for (int k = 0; k < 3; k++)
        c.row[k] = tw_control_stress(k, factor * stress_across(walled, k));
    return c;
}

/* From rest to a stress that is a tenth higher, at once: their contacts are all that resists. */
static void one_step_gives_the_stress(void **state)
{
    (void)state;
    for (int way = 0; way < WAYS; way++) {
        for (int damped = 0; damped < 2; damped++) {
            tw_contact_law law = support_law(kn, 0.8 * kn, 0.5);
            law.nu_n = damped ? 0.3 * sqrt(kn * mass()) : 0.0;
            tw_sim *sim = lattice_between(ways[way], &law, 0.02 * unit_time());
            const size_t lower = tw_sim_wall_count(sim) - 2; /* along z */
            const double now = stress_across(ways[way], 2), wanted = 1.1 * now;
            tw_control c = tw_control_default();
            c.row[TW_ZZ] = tw_control_stress(TW_ZZ, wanted);
            c.rate_max = 1e6;
            control(sim, &c);
            scene_run(sim, 1);
            /* What is needed, and with the strain e of the midpoint rule 1/(1 - e/2) times that. */
            const double e = tw_sim_velocity_gradient(sim).m[8] * 0.02 * unit_time();
            const double expected = now + (wanted - now) / (1.0 - 0.5 * e);
            assert_true(fabs(e) < 3e-4);
            expect_at_most(fabs(stress_on(sim, 2, lower) / expected - 1.0), 1e-12);
            tw_sim_free(sim);
        }
    }
}

/* All stresses are a tenth higher, and then the grains move. */
static void platens_meet_their_stress(void **state)
{
    (void)state;
    const tw_contact_law law = support_law(kn, kn, 0.0);
    for (int way = 0; way < WAYS; way++) {
        const int *walled = ways[way];
        tw_sim *sim = lattice_between(walled, &law, 0.02 * unit_time());
        tw_control c = raised(walled, 1.1);
        c.rate_max = 1e6; /* all of it in a step */
        control(sim, &c);
        double off = 0.0;
        for (int step = 0; step < 1000; step++) {
            size_t lower = 0;
            scene_run(sim, 1);
            for (int k = 0; k < 3; lower += walled[k] ? 2 : 0, k++) {
                const double wanted = 1.1 * stress_across(walled, k);
                const double found =
                    walled[k] ? stress_on(sim, k, lower) : tw_sim_get_control_report(sim).stress[k];
                /* second order: of the tenth, the strains of three edges, 2.5e-4 to 5e-4 each */
                if (step == 0 && walled[k]) expect_at_most(fabs(found / wanted - 1.0), 1e-4);
                if (step > 0) off = support_most(off, fabs(found / wanted - 1.0));
            }
        }
        print_message("%d%d%d: deviation %.3g\n", walled[0], walled[1], walled[2], off);
        expect_at_most(off, 1e-3);
        /* With damping it comes to rest, with the same force on both platens. */
        tw_contact_law damped = law;
        damped.nu_n = 0.5 * sqrt(kn * mass());
        tw_error error;
        must_succeed(tw_sim_set_law(sim, &damped, &error), &error);
        must_succeed(tw_sim_set_dt(sim, 0.04 * unit_time(), 0, &error), &error);
        scene_run(sim, way == 0 ? 9000 : 0);
        size_t lower = 0;
        for (int k = 0; k < 3; lower += walled[k] ? 2 : 0, k++) {
            if (way > 0) continue; /* likewise, at a cost */
            expect_at_most(fabs(stress_on(sim, k, lower) / (1.1 * stress_across(walled, k)) - 1.0),
                           1e-10);
            expect_at_most(fabs(pressed(sim, lower) / pressed(sim, lower + 1) - 1.0), 1e-10);
        }
        tw_sim_free(sim);
    }
}

/* ---- Motion ---- */

/* The upper platen is where the edge ends, by the midpoint rule; what it does not touch stays where
 * it is, in the cell that is strained. */
static void platens_move_and_grains_do_not_follow(void **state)
{
    (void)state;
    const tw_contact_law law = support_law(kn, kn, 0.0);
    tw_sim_def def = scene_open_cube(0.2, &law);
    def.dt = 5e-5;
    tw_sim *sim = scene_create(&def);
    const tw_body_def body = scene_sphere(radius, tw_vec3_make(0.05, 0.06, 0.03), none, none);
    scene_add(sim, &body);
    for (int k = 0; k < 3; k++)
        add_platens(sim, k);
    const tw_mat3 rate = {{-1.0, 0.0, 0.0, 0.0, 0.5, 0.0, 0.0, 0.0, -2.0}};
    tw_sim_set_velocity_gradient(sim, &rate);
    scene_run(sim, 500);
    const tw_body_state now = must_body(sim, 0);
    assert_memory_equal(&now.x, &body.x, sizeof body.x);
    for (int k = 0; k < 3; k++) {
        const double half = 0.5 * def.dt * rate.m[4 * k], edge = tw_sim_cell(sim).m[4 * k];
        const tw_wall_state lower = must_wall(sim, (size_t)(2 * k)),
                            upper = must_wall(sim, (size_t)(2 * k + 1));
        const double at[3] = {upper.point.x, upper.point.y, upper.point.z},
                     v[3] = {upper.v.x, upper.v.y, upper.v.z};
        assert_true(lower.platen && upper.platen && !upper.servo);
        expect_at_most(fabs(edge / (0.2 * pow((1.0 + half) / (1.0 - half), 500.0)) - 1.0), 1e-13);
        expect_at_most(fabs(at[k] - edge), 0.0);
        expect_at_most(fabs(v[k] / (rate.m[4 * k] * edge) - 1.0), 2e-4); /* half a step earlier */
        expect_at_most(tw_vec3_norm(lower.point) + tw_vec3_norm(lower.v), 0.0);
        assert_int_equal(upper.name[0], "xyz"[k]);
    }
    tw_sim_free(sim);
}

/* A sphere between two platens, of which one moves away and back: an impact at known speed. The
 * spring is two contacts, of which only one is driven. */
static void a_sphere_is_driven_by_a_platen(void **state)
{
    (void)state;
    const tw_contact_law law = support_law(kn, kn, 0.0);
    const double dt = 0.005 * unit_time(), edge = 2.0 * radius, rate = -1e-3 / unit_time();
    tw_sim_def def = scene_open_cube(edge, &law);
    def.density = density;
    def.dt = dt;
    tw_sim *sim = scene_create(&def);
    const tw_body_def body = scene_sphere(radius, tw_vec3_make(radius, radius, radius), none, none);
    scene_add(sim, &body);
    add_platens(sim, 2);
    const tw_mat3 gradient = {{0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, rate}};
    tw_sim_set_velocity_gradient(sim, &gradient);
    double off = 0.0;
    for (int k = 1; k <= 1000; k++) {
        scene_run(sim, 1);
        /* m u'' = -2 k u + k s, with s the way of the upper platen, nearly v t */
        const double t = k * dt, v = rate * edge, w = sqrt(2.0 * kn / mass());
        const double u = 0.5 * v * (t - sin(w * t) / w);
        off = support_most(off, fabs(must_body(sim, 0).x.z - radius - u));
    }
    const double way = fabs(rate) * edge * 1000.0 * dt;
    print_message("off %.3g of the way\n", off / way);
    expect_at_most(off / way, 3e-3); /* s is v t less its strain of 5e-3, halved */
    tw_sim_free(sim);
}

/* ---- A packing ---- */

static tw_sim *packing_between(const int walled[3], const tw_contact_law *law, double dt)
{
    enum { EDGE = 3 };
    const double pitch = 2.02 * radius;
    tw_sim_def def = scene_open_cube(EDGE * pitch, law);
    support_random random = {17};
    def.density = density;
    def.dt = dt;
    for (int k = 0; k < 3; k++)
        def.periodic[k] = !walled[k];
    tw_sim *sim = scene_create(&def);
    for (int k = 0; k < EDGE * EDGE * EDGE; k++) {
        const int at[3] = {k % EDGE, k / EDGE % EDGE, k / (EDGE * EDGE)};
        double x[3];
        for (int j = 0; j < 3; j++)
            x[j] = pitch * (at[j] + 0.5) + 0.02 * radius * support_uniform(&random, -1.0, 1.0);
        const double size = radius * support_uniform(&random, 0.94, 0.97);
        const tw_body_def body = scene_sphere(size, tw_vec3_make(x[0], x[1], x[2]), none, none);
        scene_add(sim, &body);
    }
    for (int k = 0; k < 3; k++)
        if (walled[k]) add_platens(sim, k);
    return sim;
}

static tw_contact_law soil(void)
{
    tw_contact_law law = support_law(1e8, 0.8e8, 0.3);
    law.normal = TW_CONTACT_HERTZ;
    law.nu_n = law.nu_t = 2.0;
    return law;
}

static const double pressure = 1e4;

static tw_control triaxial(void)
{
    tw_control c = tw_control_default();
    c.row[TW_XX] = tw_control_stress(TW_XX, pressure);
    c.row[TW_YY] = tw_control_stress(TW_YY, pressure);
    c.row[TW_ZZ] = tw_control_rate(TW_ZZ, -0.5);
    return c;
}

static tw_control isotropic(void)
{
    tw_control c = tw_control_default();
    for (int k = 0; k < 3; k++)
        c.row[k] = tw_control_stress(k, pressure);
    return c;
}

/* Compressed, then loaded. A checkpoint in the middle, and the code of the GPU, change nothing. */
static void a_packing_is_loaded_the_same_everywhere(void **state)
{
    (void)state;
    const tw_contact_law law = soil();
    tw_error error;
    for (int way = 0; way < WAYS; way++) {
        tw_sim *sim = packing_between(ways[way], &law, 0.0), *emulated;
        scene_set_damping(sim, 0.0, 0.0, 0.3);
        must_succeed(tw_sim_set_device(sim, "cpu", &error), &error);
        emulated = tw_sim_copy(sim, &error);
        must_succeed(tw_sim_set_device(emulated, "emulated", &error), &error);
        tw_control c = isotropic();
        c.rate_max = 10.0;
        control(sim, &c);
        control(emulated, &c);
        scene_run(sim, 1500);
        scene_run(emulated, 1500);
        assert_true(tw_sim_hash(sim) == tw_sim_hash(emulated));
        print_message("deviation %.3g\n", tw_sim_get_control_report(sim).deviation);
        assert_true(tw_sim_get_control_report(sim).deviation < 1e-2);
        c = triaxial();
        control(sim, &c);
        control(emulated, &c);
        scene_run(sim, 150);
        scene_run(emulated, 150);
        tw_sim *copy = scene_copy(sim);
        assert_true(tw_sim_hash(sim) == tw_sim_hash(copy));
        scene_run(sim, 150);
        scene_run(copy, 150);
        scene_run(emulated, 150);
        assert_true(tw_sim_hash(sim) == tw_sim_hash(copy));
        assert_true(tw_sim_hash(sim) == tw_sim_hash(emulated));
        const tw_measure m = must_measure(sim), n = must_measure(emulated);
        assert_memory_equal(&m, &n, sizeof m);
        assert_true(m.q > 0.1 * m.p && m.wall_contacts > 0);
        tw_sim_free(sim);
        tw_sim_free(copy);
        tw_sim_free(emulated);
    }
}

/* Of the work put in, over a time in which contacts stick: slides that begin and end within a step
 * would scatter what remains. */
static double residual(const int walled[3], double dt, uint64_t steps, double *work)
{
    tw_contact_law law = support_law(1e9, 0.8e9, 1e3);
    law.normal = TW_CONTACT_HERTZ;
    tw_sim *sim = lattice_between(walled, &law, dt);
    tw_control c = tw_control_default();
    const tw_measure before = must_measure(sim);
    for (int k = 0; k < 2; k++)
        c.row[k] = tw_control_stress(k, 1.2 * before.stress.m[4 * k]);
    for (int k = 0; k < 2; k++)
        c.row[k].ramp = 0.2 * before.stress.m[4 * k] / ((double)steps * dt);
    c.row[TW_ZZ] = tw_control_rate(TW_ZZ, -1e-3 / ((double)steps * dt));
    c.rate_max = 1e6;
    control(sim, &c);
    scene_run(sim, steps);
    const tw_measure m = must_measure(sim);
    *work = fabs(m.energy.walls) + fabs(m.energy.cell);
    expect_at_most(fabs(m.stress.m[0] / (1.2 * before.stress.m[0]) - 1.0), 5e-3);
    tw_sim_free(sim);
    return m.energy.residual;
}

static void the_error_of_the_energy_is_of_second_order(void **state)
{
    (void)state;
    for (int way = 0; way < WAYS; way++) {
        const double stiffness = 1.5 * 1e9 * sqrt(depth),
                     period = 2.0 * SUPPORT_PI * sqrt(mass() / stiffness);
        double work, before = residual(ways[way], period / 100.0, 300, &work);
        for (int k = 1; k < 3; k++) {
            const double now = residual(ways[way], period / (100 << k), 300u << k, &work);
            print_message("way %d, T/%d: residual %.3g of the work, ratio %.4g\n", way, 100 << k,
                          fabs(now / work), before / now);
            expect_at_most(fabs(before / now - 4.0), 0.6);
            if (k == 2) expect_at_most(fabs(now / work), 1e-5);
            before = now;
        }
    }
}

/* ---- Refused ---- */

static void what_platens_cannot_do_is_refused(void **state)
{
    (void)state;
    const tw_contact_law law = support_law(kn, kn, 0.0);
    const int walled[3] = {0, 0, 1};
    tw_sim *sim = lattice_between(walled, &law, 0.02 * unit_time());
    tw_error error;
    tw_control c = isotropic();
    tw_mat3 shear = tensor_zero();
    assert_int_equal(tw_sim_add_platens(sim, 0, 0, NULL, &error), TW_STATUS_INPUT);
    assert_non_null(strstr(error.text, "edge a of the cell is periodic"));
    assert_int_equal(tw_sim_add_platens(sim, 2, 0, NULL, &error), TW_STATUS_INPUT);
    assert_non_null(strstr(error.text, "already"));
    assert_int_equal(tw_sim_set_wall_velocity(sim, 1, none, &error), TW_STATUS_INPUT);
    assert_non_null(strstr(error.text, "platen"));
    assert_int_equal(tw_sim_set_wall_spin(sim, 1, none, &error), TW_STATUS_INPUT);
    assert_int_equal(tw_sim_set_wall_motion(sim, 1, NULL, 0, &error), TW_STATUS_INPUT);
    assert_int_equal(tw_sim_rotate(sim, tw_vec3_make(0.0, 0.0, 0.1), 1, &error), TW_STATUS_INPUT);
    c.row[TW_XZ] = tw_control_stress(TW_XZ, 0.0);
    assert_int_equal(tw_sim_set_control(sim, &c, &error), TW_STATUS_INPUT);
    assert_non_null(strstr(error.text, "row 4: platens are not sheared"));
    c.row[TW_XZ] = tw_control_rate(TW_XZ, 0.0);
    c.row[TW_XY] = tw_control_stress(TW_XY, 0.0); /* across periodic edges */
    control(sim, &c);
    shear.m[2] = 1.0;
    tw_sim_set_velocity_gradient(sim, &shear);
    assert_int_equal(tw_sim_run(sim, 1, &error), TW_STATUS_INPUT);
    assert_non_null(strstr(error.text, "platen"));
    tw_sim_free(sim);
    tw_sim_def def = scene_open_cube(1.0, &law);
    def.cell.m[1] = 0.1;
    sim = scene_create(&def);
    assert_int_equal(tw_sim_add_platens(sim, 0, 0, NULL, &error), TW_STATUS_INPUT);
    assert_int_equal(tw_sim_add_platens(sim, 3, 0, NULL, &error), TW_STATUS_INPUT);
    assert_int_equal(tw_sim_add_platens(sim, 2, 1, NULL, &error), TW_STATUS_INPUT);
    assert_int_equal(tw_sim_add_platens(sim, 2, 0, NULL, &error), TW_STATUS_OK);
    tw_sim_free(sim);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_stress_is_that_on_the_platens),
        cmocka_unit_test(one_step_gives_the_stress),
        cmocka_unit_test(platens_meet_their_stress),
        cmocka_unit_test(platens_move_and_grains_do_not_follow),
        cmocka_unit_test(a_sphere_is_driven_by_a_platen),
        cmocka_unit_test(a_packing_is_loaded_the_same_everywhere),
        cmocka_unit_test(the_error_of_the_energy_is_of_second_order),
        cmocka_unit_test(what_platens_cannot_do_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
