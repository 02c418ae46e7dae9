/* SPDX-License-Identifier: BSD-3-Clause */
/* The stress of a loaded assembly rotates with it. */
#include "packing.h"

#include <stdlib.h>

#include "../must.h"

static tw_sim *stock;

/* Compressed, then sheared until many contacts slide. */
static int load_stock(void **state)
{
    (void)state;
    packing_def def = packing_def_default();
    def.side = 4;
    tw_sim *sim = packing_make(&def);
    const tw_mat3 shear = packing_shear(packing_slow_rate()), still = tensor_zero();
    const tw_vec3 none = {0.0, 0.0, 0.0};
    scene_set_damping(sim, 0.0, 0.0, 0.2);
    tw_sim_set_velocity_gradient(sim, &shear);
    do {
        scene_run(sim, 200);
    } while (must_measure(sim).sliding_fraction < 0.1);
    tw_sim_set_velocity_gradient(sim, &still);
    scene_set_damping(sim, 0.0, 0.0, 0.0); /* local damping is not objective */
    for (uint32_t id = 0; id < tw_sim_body_count(sim); id++)
        must_set_body_velocity(sim, id, none, none);
    stock = sim;
    return 0;
}

static int free_stock(void **state)
{
    (void)state;
    tw_sim_free(stock);
    return 0;
}

static tw_sim *loaded(void)
{
    return scene_copy(stock);
}

static tw_mat3 stress_of(tw_sim *sim)
{
    return must_measure(sim).stress;
}

static void rotate(tw_sim *sim, tw_vec3 turn, uint64_t steps)
{
    tw_error error = {TW_STATUS_OK, ""};
    const tw_status status = tw_sim_rotate(sim, turn, steps, &error);
    if (status != TW_STATUS_OK) fail_msg("rotation: %s", error.text);
}

static const tw_vec3 axes[] = {
    {1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}, {0.48, -0.6, 0.64}};

static void stress_rotates_with_the_assembly(void **state)
{
    (void)state;
    static const uint64_t increments[] = {1000, 100, 10};
    tw_sim *sim = loaded();
    for (int a = 0; a < 4; a++)
        for (int i = 0; i < 3; i++) {
            const tw_mat3 before = stress_of(sim);
            const tw_energy before_turn = must_measure(sim).energy;
            const tw_vec3 turn = tw_vec3_scale(0.5 * SUPPORT_PI, axes[a]);
            rotate(sim, turn, increments[i]);
            const tw_mat3 back = tensor_transpose(tensor_rotation(turn));
            const tw_measure m = must_measure(sim);
            const double error = tensor_distance(tensor_turned(m.stress, back), before);
            /* Rounding: 1e-16 of the cell for positions, relative to overlaps of 1e-4 of it, 1000
             * times. */
            expect_at_most(error / tensor_norm(before), 1e-10);
            /* There is no relative motion, so no work is done. */
            const double scale = before_turn.normal + before_turn.tangential;
            expect_at_most(fabs(m.energy.normal - before_turn.normal), 1e-10 * scale);
            expect_at_most(fabs(m.energy.tangential - before_turn.tangential), 1e-10 * scale);
            expect_at_most(fabs(m.energy.friction - before_turn.friction), 1e-10 * scale);
            expect_at_most(fabs(m.energy.cell - before_turn.cell), 1e-10 * scale);
            expect_at_most(fabs(m.energy.residual - before_turn.residual), 1e-10 * scale);
        }
    tw_sim_free(sim);
}

/* The stress `before` as it is, turned back, after a rotation in which the normal forces rotate and
 * the tangential ones do not, or only with their plane: seen from the assembly, these turn back by
 * the rotation, or by its twist about n. */
static tw_mat3 lagging(tw_sim *sim, tw_mat3 before, tw_vec3 turn, int tilted)
{
    size_t count;
    tw_contact_state *contact = scene_contacts(sim, &count);
    const double volume = must_measure(sim).volume;
    for (size_t c = 0; c < count; c++) {
        const tw_vec3 n = contact[c].n, ft = contact[c].ft;
        const tw_vec3 lag = tilted ? tw_vec3_scale(tw_vec3_dot(turn, n), n) : turn;
        const tw_vec3 off = tw_vec3_sub(ft, support_rotate(ft, tw_vec3_scale(-1.0, lag)));
        const tw_vec3 branch = contact[c].branch;
        const double l[3] = {branch.x, branch.y, branch.z};
        for (int i = 0; i < 3; i++) {
            before.m[3 * i] += l[i] * off.x / volume;
            before.m[3 * i + 1] += l[i] * off.y / volume;
            before.m[3 * i + 2] += l[i] * off.z / volume;
        }
    }
    free(contact);
    return before;
}

/* Error of the stress after a rotation of 90 degrees in this many increments with this law, and its
 * distance from that of forces that lag. */
static double ablate(int32_t kind, uint32_t refine, uint64_t increments, double *distance)
{
    tw_sim *sim = loaded();
    tw_contact_law law = packing_law();
    law.kind = kind;
    law.refine = refine;
    scene_set_law(sim, &law);
    const tw_mat3 before = stress_of(sim);
    const tw_vec3 turn = tw_vec3_scale(0.5 * SUPPORT_PI, axes[0]);
    const tw_mat3 expected = lagging(sim, before, turn, (refine & TW_CONTACT_TILT) != 0);
    rotate(sim, turn, increments);
    const tw_mat3 back = tensor_transpose(tensor_rotation(turn));
    const tw_mat3 after = tensor_turned(stress_of(sim), back);
    tw_sim_free(sim);
    *distance = tensor_distance(after, expected) / tensor_norm(before);
    const double error = tensor_distance(after, before) / tensor_norm(before);
    print_message("%-12s refine %2u, %4u increments: error %.1e, from lagging %.1e\n",
                  tw_contact_kind_name(kind), refine, (unsigned)increments, error, *distance);
    return error;
}

static void stress_is_wrong_without_tilt_or_twirl(void **state)
{
    (void)state;
    const uint32_t both = TW_CONTACT_ALL, tilt = both - TW_CONTACT_TWIRL;
    const uint32_t neither = tilt - TW_CONTACT_TILT;
    /* First order in the increment d: each turns tangential forces, which are smaller than all, by
     * d^2/2 too little at most. */
    const double first_order = 0.5 * (0.5 * SUPPORT_PI) * (0.5 * SUPPORT_PI);
    double distance;
    /* The tangential forces lag by 90 degrees, or by their twist, for any increment. */
    expect_at_least(ablate(TW_CONTACT_PAPER, neither, 4000, &distance), 0.01);
    expect_at_most(distance, first_order / 4000);
    expect_at_least(ablate(TW_CONTACT_PAPER, tilt, 4000, &distance), 0.01);
    expect_at_most(distance, first_order / 4000);
    /* With both, the law of the paper is accurate to first order in the increment, and the exact
     * law is exact. */
    const double coarse = ablate(TW_CONTACT_PAPER, both, 1000, &distance);
    const double fine = ablate(TW_CONTACT_PAPER, both, 4000, &distance);
    expect_at_most(coarse, first_order / 1000);
    expect_at_least(coarse / fine, 3.0);
    expect_at_most(ablate(TW_CONTACT_EXACT, both, 10, &distance), 1e-10);
}

/* Individual contacts: errors could cancel in the stress. */
static void every_contact_force_rotates_with_the_assembly(void **state)
{
    (void)state;
    tw_sim *sim = loaded();
    size_t count, again;
    tw_contact_state *before = scene_contacts(sim, &count);
    const tw_vec3 turn = {0.9, -0.5, 1.2};
    rotate(sim, turn, 50);
    tw_contact_state *after = scene_contacts(sim, &again);
    assert_int_equal(again, count);
    const double mean = must_measure(sim).force_mean;
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(after[i].body_p, before[i].body_p);
        assert_int_equal(after[i].body_q, before[i].body_q);
        expect_at_most(support_distance(after[i].ft, support_rotate(before[i].ft, turn)),
                       1e-10 * mean);
        expect_at_most(fabs(after[i].fn - before[i].fn), 1e-10 * mean);
        expect_at_most(support_distance(after[i].n, support_rotate(before[i].n, turn)), 1e-12);
    }
    free(before);
    free(after);
    tw_sim_free(sim);
}

/* A run continued after a rotation of the whole assembly is the rotated run. */
static void a_run_continued_after_a_rotation_is_the_rotated_run(void **state)
{
    (void)state;
    const tw_vec3 turn = {0.9, -0.5, 1.2};
    const tw_mat3 shear = packing_shear(packing_slow_rate());
    const tw_mat3 r = tensor_rotation(turn), turned = tensor_turned(shear, r);
    tw_sim *here = loaded(), *there = loaded();
    tw_error error = {TW_STATUS_OK, ""};
    const double dt = 0.5 * must_stable_step(here).dt; /* given, so that it does not change */
    assert_int_equal(tw_sim_set_dt(here, dt, 0, &error), TW_STATUS_OK);
    assert_int_equal(tw_sim_set_dt(there, dt, 0, &error), TW_STATUS_OK);
    tw_sim_set_velocity_gradient(here, &shear);
    scene_run(here, 50);
    tw_sim_set_velocity_gradient(there, &shear);
    scene_run(there, 50);
    rotate(there, turn, 20);
    tw_sim_set_velocity_gradient(there, &turned);
    scene_run(here, 50);
    scene_run(there, 50);
    const tw_mat3 s = stress_of(here), back = tensor_transpose(r);
    /* Rounding, amplified by 50 steps with sliding: far below the 1e-2 of a wrong velocity. */
    expect_at_most(tensor_distance(tensor_turned(stress_of(there), back), s),
                   1e-8 * tensor_norm(s));
    tw_sim_free(here);
    tw_sim_free(there);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stress_rotates_with_the_assembly),
        cmocka_unit_test(every_contact_force_rotates_with_the_assembly),
        cmocka_unit_test(stress_is_wrong_without_tilt_or_twirl),
        cmocka_unit_test(a_run_continued_after_a_rotation_is_the_rotated_run),
    };
    return cmocka_run_group_tests(tests, load_stock, free_stock);
}
