/* SPDX-License-Identifier: BSD-3-Clause */
/* Free tops: bodies with three different moments of inertia in free flight. */
#include "../must.h"
#include "top_reference.h"

/* Three spheres on x and two on y without overlap: the inertia is a plain sum, without a union. */
static const tw_sphere cross_shape[] = {{{1.5, 0.0, 0.0}, 0.4},
                                        {{-1.5, 0.0, 0.0}, 0.4},
                                        {{0.0, 0.9, 0.0}, 0.5},
                                        {{0.0, -0.9, 0.0}, 0.5},
                                        {{0.0, 0.0, 0.0}, 0.3}};
/* An L: its principal axes are not the axes of the input. */
static const tw_sphere l_shape[] = {
    {{0.0, 0.0, 0.0}, 0.5}, {{1.1, 0.0, 0.0}, 0.5}, {{2.2, 0.0, 0.0}, 0.5}, {{0.0, 1.2, 0.1}, 0.6}};

static const double size = 0.01, density = 2000.0;

typedef struct flight {
    const tw_sphere *spheres;
    size_t count;
    tw_quat q;
    tw_vec3 w;
    double dt;
} flight;

static tw_sim *take_off(const flight *f)
{
    const tw_contact_law law = support_law(1e6, 1e6, 0.5);
    tw_sim_def def = scene_open_cube(1.0, &law);
    def.density = density;
    def.dt = f->dt;
    tw_sim *sim = scene_create(&def);
    tw_body_def body = tw_body_def_default();
    body.shape = must_add_shape(sim, f->spheres, f->count);
    body.size = size;
    body.x = tw_vec3_make(0.5, 0.5, 0.5);
    body.q = f->q;
    body.w = f->w;
    scene_add(sim, &body);
    return sim;
}

/* The state of the top from two orientations: the mean angular velocity and the orientation
 * half-way give momentum and energy to second order. */
typedef struct reading {
    tw_vec3 momentum;
    double energy;
} reading;

static reading read_step(const tw_mat3 *inertia, tw_quat from, tw_quat to, double dt)
{
    const tw_vec3 turn = tensor_turn_between(from, to);
    const tw_quat half = tensor_quat_mul(tensor_quat(tw_vec3_scale(0.5, turn)), from);
    const tw_mat3 space = tensor_turned(*inertia, tensor_of_quat(half));
    const tw_vec3 w = tw_vec3_scale(1.0 / dt, turn);
    reading r;
    r.momentum = tensor_apply(space, w);
    r.energy = 0.5 * tw_vec3_dot(w, r.momentum);
    return r;
}

typedef struct errors {
    double momentum, energy;             /* maximum over the flight, relative */
    double balance;                      /* of the energy computed by the engine */
    double drift_momentum, drift_energy; /* mean of the last window minus mean of the first */
} errors;

/* Flies `steps` steps; samples every step of the first and the last thousand, or tenth if that is
 * more, so that oscillations cancel in the means. */
static errors fly(const flight *f, uint64_t steps)
{
    const tw_mat3 inertia = top_inertia(f->spheres, f->count, size, density);
    tw_sim *sim = take_off(f);
    const tw_mat3 space = tensor_turned(inertia, tensor_of_quat(f->q));
    const tw_vec3 l0 = tensor_apply(space, f->w);
    const double e0 = 0.5 * tw_vec3_dot(f->w, l0);
    const uint64_t window = steps > 10000 ? steps / 10 : 1000;
    errors worst = {0};
    tw_vec3 sum_l[2] = {{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}};
    double sum_e[2] = {0.0, 0.0};
    for (int part = 0; part < 2; part++) {
        for (uint64_t i = 0; i < window; i++) {
            const tw_quat from = must_body(sim, 0).q;
            scene_run(sim, 1);
            const reading r = read_step(&inertia, from, must_body(sim, 0).q, f->dt);
            worst.momentum =
                support_most(worst.momentum, support_distance(r.momentum, l0) / tw_vec3_norm(l0));
            worst.energy = support_most(worst.energy, fabs(r.energy / e0 - 1.0));
            const double balance = fabs(must_measure(sim).energy.rotational / e0 - 1.0);
            worst.balance = support_most(worst.balance, balance);
            sum_l[part] = tw_vec3_add_scaled(sum_l[part], 1.0 / (double)window, r.momentum);
            sum_e[part] += r.energy / (double)window;
        }
        if (part == 0 && steps > 2 * window) scene_run(sim, steps - 2 * window);
    }
    worst.drift_momentum = support_distance(sum_l[1], sum_l[0]) / tw_vec3_norm(l0);
    worst.drift_energy = fabs(sum_e[1] - sum_e[0]) / e0;
    tw_sim_free(sim);
    return worst;
}

static flight flight_of(const tw_sphere *spheres, size_t count, uint64_t seed, double turn_per_step)
{
    support_random random = {seed};
    flight f = {spheres, count, tensor_quat(tensor_random_turn(&random)), {0.0, 0.0, 0.0}, 1e-5};
    f.w = tw_vec3_scale(turn_per_step / f.dt, support_unit(&random));
    return f;
}

static void the_inertia_of_a_shape_is_that_of_its_spheres(void **state)
{
    (void)state;
    const flight f = flight_of(l_shape, 4, 1, 1e-3);
    tw_sim *sim = take_off(&f);
    const tw_mat3 j = top_inertia(l_shape, 4, size, density);
    const tw_vec3 i = must_body(sim, 0).inertia;
    /* The invariants of the tensor, to the rounding of both sums. */
    const double trace = j.m[0] + j.m[4] + j.m[8];
    const tw_vec3 square = tw_vec3_make(i.x * i.x, i.y * i.y, i.z * i.z);
    expect_at_most(fabs(i.x + i.y + i.z - trace), 1e-12 * trace);
    expect_at_most(fabs(sqrt(square.x + square.y + square.z) - tensor_norm(j)), 1e-12 * trace);
    expect_at_most(fabs(i.x * i.y * i.z / tensor_det(j) - 1.0), 1e-11);
    assert_true(fabs(i.x - i.y) > 0.05 * i.x && fabs(i.y - i.z) > 0.05 * i.z);
    tw_sim_free(sim);
}

static void momentum_and_energy_neither_drift_nor_depend_on_the_axis(void **state)
{
    (void)state;
    const uint64_t steps = (uint64_t)scene_cases(20000);
    for (uint64_t seed = 1; seed <= 6; seed++) {
        const flight f =
            seed % 2 ? flight_of(cross_shape, 5, seed, 0.02) : flight_of(l_shape, 4, seed, 0.02);
        const errors e = fly(&f, steps);
        /* The square of the rotation per step, 4e-4, bounds the error of a second-order method. It
         * must not grow: over 20000 steps (60 turns) a drift of first order in the step would be of
         * order 1. */
        expect_at_most(e.momentum, 2e-4);
        expect_at_most(e.energy, 2e-4);
        expect_at_most(e.balance, 2e-4);
        expect_at_most(e.drift_momentum, 2e-5);
        expect_at_most(e.drift_energy, 2e-5);
    }
}

/* Nearly about the intermediate axis: the top flips over again and again. */
static flight tumble(double turn_per_step)
{
    const tw_mat3 j = top_inertia(cross_shape, 5, size, density);
    assert_true(j.m[0] < j.m[4] && j.m[4] < j.m[8]);
    flight f = {cross_shape, 5, {1.0, 0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}, 1e-5};
    f.w = tw_vec3_scale(turn_per_step / f.dt, tw_vec3_make(0.02, 1.0, 0.01));
    return f;
}

static void tumbling_about_the_intermediate_axis_conserves_energy_and_momentum(void **state)
{
    (void)state;
    const flight f = tumble(0.02);
    const uint64_t steps = (uint64_t)scene_cases(50000);
    const errors e = fly(&f, steps);
    expect_at_most(e.momentum, 2e-4);
    expect_at_most(e.energy, 2e-4);
    expect_at_most(e.drift_momentum, 2e-5);
    expect_at_most(e.drift_energy, 2e-5);
}

/* Error of the angular velocity in the body's frame against the elliptic functions, at the end of a
 * time of `turns` radians. */
static double tumble_error(double turn_per_step, double turns)
{
    flight f = tumble(turn_per_step);
    const tw_mat3 j = top_inertia(f.spheres, f.count, size, density);
    tw_sim *sim = take_off(&f);
    const uint64_t steps = (uint64_t)(turns / turn_per_step + 0.5);
    scene_run(sim, steps - 1);
    const tw_quat from = must_body(sim, 0).q;
    scene_run(sim, 1);
    const tw_quat to = must_body(sim, 0).q;
    const tw_vec3 turn = tensor_turn_between(from, to);
    const tw_quat half = tensor_quat_mul(tensor_quat(tw_vec3_scale(0.5, turn)), from);
    const tw_vec3 w =
        tensor_apply(tensor_transpose(tensor_of_quat(half)), tw_vec3_scale(1.0 / f.dt, turn));
    const double time = ((double)steps - 0.5) * f.dt;
    const tw_vec3 right = top_euler(tw_vec3_make(j.m[0], j.m[4], j.m[8]), f.w, time);
    tw_sim_free(sim);
    return support_distance(w, right) / tw_vec3_norm(f.w);
}

static void tumbling_follows_the_elliptic_functions(void **state)
{
    (void)state;
    /* 25 radians: the top has flipped over once and is on its way back. */
    const double coarse = tumble_error(0.02, 25.0), middle = tumble_error(0.01, 25.0),
                 fine = tumble_error(0.005, 25.0);
    print_message("tumbling: error %.2e, %.2e, %.2e at 0.02, 0.01, 0.005 rad\n", coarse, middle,
                  fine);
    /* The square of the rotation per step times the growth of errors about the unstable axis. */
    expect_at_most(fine, 25.0 * 0.005 * 0.005 * 25.0);
    expect_at_least(coarse / middle, 3.3);
    expect_at_least(middle / fine, 3.3);
}

/* A symmetric top: its axis precesses about the angular momentum at the rate |L|/I, with the
 * transverse moment I. */
static double precession_error(double turn_per_step, double turns)
{
    static const tw_sphere rod[] = {
        {{1.2, 0.0, 0.0}, 0.6}, {{-1.2, 0.0, 0.0}, 0.6}, {{0.0, 0.0, 0.0}, 0.55}};
    flight f = flight_of(rod, 3, 11, turn_per_step);
    const tw_mat3 j = top_inertia(rod, 3, size, density);
    const tw_mat3 r = tensor_of_quat(f.q);
    const tw_vec3 l = tensor_apply(tensor_turned(j, r), f.w);
    tw_sim *sim = take_off(&f);
    const uint64_t steps = (uint64_t)(turns / turn_per_step + 0.5);
    scene_run(sim, steps);
    const tw_vec3 axis = tensor_column(tensor_of_quat(must_body(sim, 0).q), 0);
    const double time = (double)steps * f.dt;
    const tw_vec3 right = support_rotate(tensor_column(r, 0), tw_vec3_scale(time / j.m[4], l));
    tw_sim_free(sim);
    return support_distance(axis, right);
}

static void a_symmetric_top_precesses_at_the_known_rate(void **state)
{
    (void)state;
    const double coarse = precession_error(0.02, 40.0), fine = precession_error(0.01, 40.0);
    print_message("precession: error %.2e, %.2e at 0.02, 0.01 rad\n", coarse, fine);
    /* 40 rad times the square of the rotation per step over 12; rounding of 4000 steps where the
     * method is exact. */
    expect_at_most(fine, 40.0 * 1e-4 / 12.0);
    if (fine > 1e-9) expect_at_least(coarse / fine, 3.3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_inertia_of_a_shape_is_that_of_its_spheres),
        cmocka_unit_test(momentum_and_energy_neither_drift_nor_depend_on_the_axis),
        cmocka_unit_test(tumbling_about_the_intermediate_axis_conserves_energy_and_momentum),
        cmocka_unit_test(tumbling_follows_the_elliptic_functions),
        cmocka_unit_test(a_symmetric_top_precesses_at_the_known_rate),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
