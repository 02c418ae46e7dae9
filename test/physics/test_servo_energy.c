/* SPDX-License-Identifier: BSD-3-Clause */
/* Control of the cell: its work is in the energy balance, and it does not excite vibrations. */
#include "../must.h"
#include "pressed.h"

static tw_sim *stock;

static int make_stock(void **state)
{
    (void)state;
    stock = pressed_make(0.1, 4);
    return 0;
}

static int free_stock(void **state)
{
    (void)state;
    tw_sim_free(stock);
    return 0;
}

/* Triaxial compression along an axis, the other stresses held. */
static tw_control compress(int axis, double rate)
{
    tw_control control = pressed_isotropic(pressed_p);
    control.row[axis] = tw_control_rate(axis, -rate);
    return control;
}

/* Root mean square of the residual over twenty samples and three axes, relative to the path of the
 * cell's work: the sum of absolute values, because the work may pass through zero. */
static double residual_of(double dt, uint64_t steps)
{
    enum { MOMENTS = 20 };
    double sum = 0.0;
    for (int axis = 0; axis < 3; axis++) {
        tw_sim *sim = pressed_copy(stock, 0.5, 0.0);
        tw_error error = {TW_STATUS_OK, ""};
        assert_int_equal(tw_sim_set_dt(sim, dt, 0, &error), TW_STATUS_OK);
        const tw_control control = compress(axis, pressed_rate(2e-3));
        pressed_control(sim, &control);
        scene_run(sim, 2); /* after the forces that still include the damping of the preparation */
        const tw_energy start = must_measure(sim).energy;
        double square = 0.0, path = 0.0, work = start.cell;
        for (int k = 0; k < MOMENTS; k++) {
            scene_run(sim, steps / MOMENTS);
            const tw_energy now = must_measure(sim).energy;
            const double change = now.residual - start.residual;
            square += change * change / MOMENTS;
            path += fabs(now.cell - work);
            work = now.cell;
        }
        sum += square / (3.0 * path * path);
        tw_sim_free(sim);
    }
    return sqrt(sum);
}

/* With a gradient that changes every step the residual is still of second order: halving the step
 * divides it by four, up to the scatter of slip events; a first-order error would give 2. */
static void energy_balances_to_second_order_under_control(void **state)
{
    (void)state;
    const double half = 0.5 * must_stable_step(stock).dt;
    const double coarse = residual_of(half, 800);
    expect_at_most(coarse, 1e-5);
    if (!scene_thorough()) return;
    const double fine = residual_of(0.5 * half, 1600);
    print_message("residual/path %.2e, with half the step %.2e\n", coarse, fine);
    expect_at_least(coarse / fine, 3.0);
}

/* Kinetic and elastic energy plus pressure times volume: constant in a cell whose stress is always
 * p. Kinetic energy alone is exchanged with the springs, in a packing with a soft spot by more than
 * the cell takes. */
static double enthalpy_of(tw_sim *sim)
{
    const tw_measure m = must_measure(sim);
    const tw_energy e = m.energy;
    return e.kinetic + e.rotational + e.normal + e.tangential + pressed_p * m.volume;
}

/* A packing without slip and damping vibrates forever after an impulse. With its stresses held the
 * vibrations decay: a cell at constant stress takes energy out of the motion and never adds any. In
 * twelve specimens 1000 steps took 0.04 to 0.3 of the energy of the impulse. */
static void holding_stress_takes_energy_out_of_vibrations(void **state)
{
    (void)state;
    tw_sim *sim = pressed_copy(stock, 10.0, 0.0);
    const tw_control control = pressed_isotropic(pressed_p);
    const double knock = 1e-5 * sqrt(pressed_p / 2650.0);
    support_random random = {5};
    const tw_vec3 none = {0.0, 0.0, 0.0};
    scene_set_damping(sim, 0.0, 0.0, 0.5); /* nearly at rest */
    scene_run(sim, 1500);
    scene_set_damping(sim, 0.0, 0.0, 0.0);
    double given = 0.0;
    for (uint32_t id = 0; id < tw_sim_body_count(sim); id++) {
        must_set_body_velocity(sim, id, tw_vec3_scale(knock, support_unit(&random)), none);
        given += 0.5 * must_body(sim, id).mass * knock * knock;
    }
    pressed_control(sim, &control);
    scene_run(sim, 500); /* half of it goes into the springs */
    double last = enthalpy_of(sim);
    for (int part = 0; part < 4; part++) {
        scene_run(sim, 1000);
        const double now = enthalpy_of(sim);
        print_message("taken in 1000 steps: %.3f of the impulse", (last - now) / given);
        expect_at_least(last - now, 0.01 * given);
        last = now;
    }
    assert_int_equal(must_measure(sim).sliding, 0);
    tw_sim_free(sim);
}

/* A rigid rotation changes the stress components of an anisotropic state: the servo must measure
 * them again. */
static void the_servo_holds_the_stress_after_a_rigid_rotation(void **state)
{
    (void)state;
    tw_sim *sim = pressed_copy(stock, 0.5, 0.05);
    tw_control control = pressed_isotropic(pressed_p);
    control.row[TW_ZZ].target = 1.3 * pressed_p;
    control.row[TW_ZZ].ramp = 0.3 * pressed_p / (1000.0 * tw_sim_dt(sim));
    pressed_control(sim, &control);
    scene_run(sim, 1500);
    tw_error error = {TW_STATUS_OK, ""};
    assert_int_equal(tw_sim_rotate(sim, tw_vec3_make(0.5 * SUPPORT_PI, 0.0, 0.0), 100, &error),
                     TW_STATUS_OK);
    control = pressed_isotropic(pressed_p); /* the old z axis is now along y */
    control.row[TW_YY].target = 1.3 * pressed_p;
    pressed_control(sim, &control);
    expect_at_most(pressed_watch(sim, &control, 500).worst, scene_thorough() ? 1e-3 : 8e-3);
    tw_sim_free(sim);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(energy_balances_to_second_order_under_control),
        cmocka_unit_test(holding_stress_takes_energy_out_of_vibrations),
        cmocka_unit_test(the_servo_holds_the_stress_after_a_rigid_rotation),
    };
    return cmocka_run_group_tests(tests, make_stock, free_stock);
}
