/* SPDX-License-Identifier: BSD-3-Clause */
/* A sheared assembly of Hertz-Mindlin spheres with rolling and twisting resistance: the energy
 * balance closes to second order, and stress and couples rotate with the assembly. */
#include "packing.h"

#include <stdlib.h>

#include "../must.h"

static tw_sim *stock;    /* 216 spheres, compressed, at rest */
static double half_step; /* half of the stable step: the default */

static tw_contact_law hertz_law(double overlap)
{
    tw_contact_law law = packing_law();
    law.normal = TW_CONTACT_HERTZ;
    law.kn /= sqrt(overlap);
    law.kt = 0.8 * law.kn;
    law.k_r = law.k_w = 0.5 * law.kt;
    law.mu_r = 0.1;
    law.mu_w = 0.05;
    return law;
}

/* Spheres compressed with linear springs; Hertz springs with the same forces at the mean overlap
 * take their place. */
static int make_stock(void **state)
{
    (void)state;
    packing_def def = packing_def_default();
    def.side = 6;
    def.bumpy = 0;
    stock = packing_make(&def);
    const tw_contact_law law = hertz_law(must_measure(stock).overlap_mean);
    const tw_vec3 none = {0.0, 0.0, 0.0};
    scene_set_law(stock, &law);
    scene_set_damping(stock, 0.0, 0.0, 0.5);
    scene_run(stock, 2000);
    scene_set_damping(stock, 0.0, 0.0, 0.0);
    for (uint32_t id = 0; id < tw_sim_body_count(stock); id++)
        must_set_body_velocity(stock, id, none, none);
    half_step = 0.5 * must_stable_step(stock).dt;
    return 0;
}

static int free_stock(void **state)
{
    (void)state;
    tw_sim_free(stock);
    return 0;
}

static tw_sim *sheared(double dt, double times_slow)
{
    tw_sim *sim = scene_copy(stock);
    tw_error error = {TW_STATUS_OK, ""};
    const tw_mat3 shear = packing_shear(times_slow * packing_slow_rate());
    if (tw_sim_set_dt(sim, dt, 0, &error) != TW_STATUS_OK) fail_msg("dt: %s", error.text);
    tw_sim_set_velocity_gradient(sim, &shear);
    return sim;
}

static double path_of(const tw_energy *from, const tw_energy *to)
{
    return fabs(to->cell - from->cell) + fabs(to->friction - from->friction) +
           fabs(to->rolling - from->rolling) + fabs(to->twisting - from->twisting);
}

/* Root mean square of the residual over the run, relative to the work done back and forth. */
static double residual_of(double dt, uint64_t steps)
{
    enum { MOMENTS = 40 };
    tw_sim *sim = sheared(dt, 2.0);
    const tw_energy start = must_measure(sim).energy;
    tw_energy last = start;
    double sum = 0.0, path = 0.0;
    for (int i = 0; i < MOMENTS; i++) {
        scene_run(sim, steps / MOMENTS);
        const tw_energy now = must_measure(sim).energy;
        /* Each loss only grows, to the rounding of its sum. */
        const double least = -1e-12 * path;
        expect_at_least(now.friction - last.friction, least);
        expect_at_least(now.micro_slip - last.micro_slip, least);
        expect_at_least(now.rolling - last.rolling, least);
        expect_at_least(now.twisting - last.twisting, least);
        sum += pow(now.residual - start.residual, 2.0) / MOMENTS;
        path += path_of(&last, &now);
        last = now;
    }
    if (scene_thorough()) {
        expect_at_least(last.friction - start.friction, 1e-3 * path);
        expect_at_least(last.micro_slip - start.micro_slip, 1e-3 * path);
        expect_at_least(last.rolling - start.rolling, 1e-3 * path);
        expect_at_least(last.twisting - start.twisting, 1e-4 * path);
    }
    print_message("dt %.2e: residual %.2e; losses: friction %.3f, micro-slip %.3f, rolling %.3f, "
                  "twisting %.3f of the work\n",
                  dt, sqrt(sum) / path, (last.friction - start.friction) / path,
                  (last.micro_slip - start.micro_slip) / path,
                  (last.rolling - start.rolling) / path, (last.twisting - start.twisting) / path);
    tw_sim_free(sim);
    return sqrt(sum) / path;
}

static void the_balance_closes_with_second_order(void **state)
{
    (void)state;
    const double coarse = residual_of(half_step, 800);
    expect_at_most(coarse, 1e-5);
    if (!scene_thorough()) return;
    /* 16 for second order, 4 for first; the onset of slip scatters it. */
    expect_at_least(coarse / residual_of(0.25 * half_step, 3200), 10.0);
}

static void stress_forces_and_couples_rotate_with_the_assembly(void **state)
{
    (void)state;
    static const uint64_t increments[] = {300, 10};
    const tw_vec3 none = {0.0, 0.0, 0.0}, turn = {0.9, -0.5, 1.2};
    const tw_mat3 still = tensor_zero();
    tw_sim *loaded = sheared(half_step, 20.0);
    scene_run(loaded, 400);
    tw_sim_set_velocity_gradient(loaded, &still);
    for (uint32_t id = 0; id < tw_sim_body_count(loaded); id++)
        must_set_body_velocity(loaded, id, none, none);
    for (int i = 0; i < 2; i++) {
        tw_sim *sim = scene_copy(loaded);
        size_t count, again;
        tw_contact_state *before = scene_contacts(sim, &count);
        const tw_measure was = must_measure(sim);
        tw_error error = {TW_STATUS_OK, ""};
        must_succeed(tw_sim_rotate(sim, turn, increments[i], &error), &error);
        tw_contact_state *after = scene_contacts(sim, &again);
        const tw_measure is = must_measure(sim);
        const tw_mat3 back = tensor_transpose(tensor_rotation(turn));
        const double size = tensor_norm(was.stress);
        double largest[3] = {0.0, 0.0, 0.0}, worst = 0.0;
        assert_int_equal(again, count);
        for (size_t k = 0; k < count; k++) {
            const tw_contact_state *a = &after[k], *b = &before[k];
            worst = support_most(worst, support_distance(a->ft, support_rotate(b->ft, turn)));
            worst = support_most(worst, support_distance(a->fr, support_rotate(b->fr, turn)));
            worst = support_most(worst, fabs(a->mt - b->mt) / 1e-3);
            largest[0] = fmax(largest[0], tw_vec3_norm(b->ft));
            largest[1] = fmax(largest[1], tw_vec3_norm(b->fr));
            largest[2] = fmax(largest[2], fabs(b->mt) / 1e-3);
        }
        print_message("%u increments: stress %.1e, contacts %.1e of the mean force\n",
                      (unsigned)increments[i],
                      tensor_distance(tensor_turned(is.stress, back), was.stress) / size,
                      worst / was.force_mean);
        /* All of them are there: at least 1 % of the mean force. */
        for (int k = 0; k < 3; k++)
            expect_at_least(largest[k], 0.01 * was.force_mean);
        /* Rounding: 1e-16 of the cell in positions, of overlaps of 1e-4 of it, 300 times. */
        expect_at_most(tensor_distance(tensor_turned(is.stress, back), was.stress), 1e-10 * size);
        expect_at_most(worst, 1e-10 * was.force_mean);
        expect_at_most(fabs(is.energy.residual - was.energy.residual), 1e-10 * was.energy.normal);
        free(before);
        free(after);
        tw_sim_free(sim);
    }
    tw_sim_free(loaded);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_balance_closes_with_second_order),
        cmocka_unit_test(stress_forces_and_couples_rotate_with_the_assembly),
    };
    return cmocka_run_group_tests(tests, make_stock, free_stock);
}
