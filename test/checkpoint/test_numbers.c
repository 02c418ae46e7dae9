/* SPDX-License-Identifier: BSD-3-Clause */
/* A file with a valid checksum but impossible numbers is refused, and the message names the
 * dataset. */
#define _POSIX_C_SOURCE 200809L
#include "check.h"

#include <hdf5.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <twirl/sim.h>

#include "../must.h"
#include "random_state.h"

static char *const path = random_state_file;

/* Two spheres that touch each other and a wall. */
static void save_good(void)
{
    tw_error error;
    tw_sim_def def = tw_sim_def_default();
    def.cell.m[0] = def.cell.m[4] = def.cell.m[8] = 4.0;
    def.periodic[2] = 0;
    def.law.kn = def.law.kt = def.law.k_r = def.law.k_w = 1e6;
    def.law.mu = 0.5;
    def.law.mu_r = def.law.mu_w = 0.1;
    def.law.nu_n = def.law.nu_r = def.law.nu_w = 10.0;
    tw_sim *sim = tw_sim_create(&def, &error);
    assert_non_null(sim);
    const tw_wall_def wall = tw_wall_def_default();
    assert_int_equal(must_add_wall(sim, &wall), 0);
    const tw_wall_motion_row row[2] = {{0.0, 0.0}, {1.0, 1e-3}};
    const tw_wall_motion motion = {
        .kind = TW_WALL_MOTION_TABLE, .along = {0.0, 0.0, -1.0}, .row = row, .rows = 2};
    must_succeed(tw_sim_set_wall_motion(sim, 0, &motion, 1, &error), &error);
    for (int i = 0; i < 2; i++) {
        tw_body_def body = tw_body_def_default();
        body.size = 0.5;
        body.x = tw_vec3_make(1.0 + 0.99 * i, 1.0, 0.49);
        assert_int_equal(tw_sim_add_body(sim, &body, NULL, &error), TW_STATUS_OK);
    }
    assert_int_equal(tw_sim_run(sim, 2, &error), TW_STATUS_OK);
    assert_int_equal(must_contacts(sim), 3);
    assert_int_equal(tw_sim_save(sim, path, &error), TW_STATUS_OK);
    tw_sim_free(sim);
}

/* Replaces the first number of a dataset by `value` and updates the checksum. */
static void spoil(const char *set, double value)
{
    const hid_t file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);
    const hid_t data = H5Dopen2(file, set, H5P_DEFAULT);
    assert_true(data >= 0);
    double numbers[64];
    assert_true(H5Dget_storage_size(data) <= sizeof numbers);
    assert_true(H5Dread(data, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, numbers) >= 0);
    numbers[0] = value;
    assert_true(H5Dwrite(data, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, numbers) >= 0);
    H5Dclose(data);
    H5Fclose(file);
    random_state_seal();
}

static void impossible_numbers_are_refused(void **state)
{
    (void)state;
    static const struct {
        const char *set;
        double value;
    } cases[] = {
        {"cell/h", 0.0},
        {"cell/h", (double)NAN},
        {"cell/h_ref", 0.0},
        {"cell/h_before", (double)NAN},
        {"cell/gradient", HUGE_VAL},
        {"shapes/spheres", 3.0},
        {"shapes/radius", -1.0},
        {"shapes/radius", (double)NAN},
        {"bodies/size", 0.0},
        {"bodies/size", (double)NAN},
        {"bodies/size", 200.0},
        {"state/skin", 200.0},
        {"bodies/mass", -1.0},
        {"bodies/inertia", 0.0},
        {"bodies/x", (double)NAN},
        {"bodies/x", 1e30},
        {"bodies/q", 0.0},
        {"bodies/x_ref", 1e30},
        {"bodies/q_ref", (double)NAN},
        {"bodies/v", HUGE_VAL},
        {"bodies/l", (double)NAN},
        {"bodies/dx", (double)NAN},
        {"bodies/gibbs", (double)NAN},
        {"walls/point", (double)NAN},
        {"walls/normal", 2.0},
        {"contacts/n", 5.0},
        {"contacts/zeta", (double)NAN},
        {"contacts/ft", HUGE_VAL},
        {"bodies/force", (double)NAN},
        {"bodies/torque", HUGE_VAL},
        {"contacts/drag", (double)NAN},
        {"contacts/rate", HUGE_VAL},
        {"contacts/fr", (double)NAN},
        {"contacts/fw", (double)NAN},
        {"contacts/drag_r", (double)NAN},
        {"contacts/rate_w", (double)NAN},
        {"sums/rolling", (double)NAN},
        {"walls/v", (double)NAN},
        {"walls/force", HUGE_VAL},
        {"walls/v_max", -1.0},
        {"walls/work", (double)NAN},
        {"walls/motion_q", 2.0},
        {"walls/motion_start", (double)NAN},
        {"walls/motion_point", HUGE_VAL},
        {"motions/along", HUGE_VAL},
        {"motions/rate", (double)NAN},
        {"tables/time", (double)NAN},
        {"tables/value", HUGE_VAL},
        {"energy_balance/friction", (double)NAN},
        {"sums/moment", (double)NAN},
        {"control/drift", HUGE_VAL},
        {"settings/skin_requested", 200.0},
        {"materials/density", -1.0},
        {"settings/gravity", (double)NAN},
        {"state/skin", (double)NAN},
        {"state/dt", -1.0},
        /* finite, but the state would have infinite measures or none */
        {"bodies/mass", 1e-320},
        {"bodies/inertia", 1e-320},
        {"bodies/v", 1e300},
        {"contacts/zeta", 1e300},
        {"contacts/zeta", -1e-300},
        {"contacts/ft", -1e300},
        {"laws/kn", 1e308},
        {"laws/kn", 1e-320},
        {"materials/density", 1e-320},
        {"settings/mass_scale", 0.0},
        {"settings/mass_scale", 1e-320},
        {"settings/dt_fraction", 0.0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        tw_error error;
        save_good();
        spoil(cases[i].set, cases[i].value);
        tw_sim *sim = tw_sim_load(path, &error);
        if (sim) fail_msg("%s = %g was accepted", cases[i].set, cases[i].value);
        char words[64];
        snprintf(words, sizeof words, " of %s has an invalid number",
                 strcmp(cases[i].set, "shapes/radius") == 0 && isfinite(cases[i].value)
                     ? "shapes/spheres"
                     : cases[i].set);
        if (!strstr(error.text, words)) fail_msg("%s: %s", cases[i].set, error.text);
    }
}

static void assert_refused(const char *word)
{
    tw_error error;
    assert_null(tw_sim_load(path, &error));
    if (!strstr(error.text, word)) fail_msg("%s: %s", word, error.text);
}

/* 0 means that an automatic step is not known yet. */
static void a_fixed_time_step_is_positive(void **state)
{
    (void)state;
    tw_error error;
    save_good();
    spoil("state/dt", 0.0);
    tw_sim *sim = tw_sim_load(path, &error);
    if (!sim) fail_msg("%s", error.text);
    assert_true(isfinite(must_measure(sim).p));
    tw_sim_free(sim);
    spoil("settings/dt_automatic", 0.0);
    assert_refused(" of state/dt has an invalid number");
}

static void names_have_no_control_characters(void **state)
{
    (void)state;
    save_good();
    spoil("materials/name", 27.0); /* ESC */
    assert_refused("materials/name: row 0 has control characters");
    save_good();
    spoil("walls/name", 27.0);
    assert_refused("walls/name: row 0 has control characters");
}

static void motions_of_walls_are_checked(void **state)
{
    (void)state;
    save_good();
    spoil("tables/time", 1.0);
    assert_refused("the motion of wall 0: times of its table must ascend");
    save_good();
    spoil("motions/along", 1.0); /* its x: longer than 1 */
    assert_refused("the motion of wall 0: its numbers must be finite, a direction or axis");
    save_good();
    spoil("motions/kind", TW_WALL_MOTION_TABLE_ANGLE); /* about the normal */
    tw_error error;
    tw_sim *sim = tw_sim_load(path, &error);
    if (!sim) fail_msg("%s", error.text);
    tw_sim_free(sim);
    spoil("walls/servo", 1.0);
    assert_refused("walls/servo");
}

/* Two platens across the third edge. */
static void save_between(void)
{
    tw_error error;
    tw_sim_def def = tw_sim_def_default();
    tw_body_def body = tw_body_def_default();
    def.periodic[2] = 0;
    def.law.kn = 1e6;
    body.size = 0.1;
    body.x = tw_vec3_make(0.5, 0.5, 0.5);
    tw_sim *sim = tw_sim_create(&def, &error);
    must_succeed(tw_sim_add_body(sim, &body, NULL, &error), &error);
    must_succeed(tw_sim_add_platens(sim, 2, 0, NULL, &error), &error);
    must_succeed(tw_sim_save(sim, path, &error), &error);
    tw_sim_free(sim);
}

static void platens_are_checked(void **state)
{
    (void)state;
    static const struct {
        const char *set;
        double value;
        const char *words;
    } cases[] = {{"cell/walled", 1.0, "cell/walled"}, /* across a periodic edge */
                 {"cell/walled", 9.0, "cell/walled"},
                 {"walls/servo", 0.0, "cell/walled"},
                 {"walls/servo", 4.0, "walls/servo"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        save_between();
        spoil(cases[i].set, cases[i].value);
        assert_refused(cases[i].words);
    }
    save_good();
    spoil("walls/motion_parts", 0.0);
    spoil("walls/servo", 3.0); /* without an edge */
    assert_refused("walls/servo");
}

/* Beyond the limit of friction by any factor, which is no reason to refuse a state. */
static void extreme_contacts_are_measured(void **state)
{
    (void)state;
    static const struct {
        const char *set;
        double value;
    } cases[] = {{"contacts/ft", 1e20}, {"contacts/zeta", 1e-300}, {"contacts/zeta", 0.0}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        tw_error error;
        save_good();
        spoil(cases[i].set, cases[i].value);
        tw_sim *sim = tw_sim_load(path, &error);
        if (!sim) fail_msg("%s", error.text);
        const tw_measure m = must_measure(sim);
        double sum = 0.0;
        for (int k = 0; k < TW_MOBILISATION_BINS; k++)
            sum += m.mobilisation[k];
        assert_true(fabs(sum - 1.0) < 1e-12); /* rounding of three thirds */
        assert_true(isfinite(m.p) && isfinite(m.energy.tangential));
        tw_sim_free(sim);
    }
}

/* The same procedure with the original number. */
static void an_unchanged_file_is_accepted(void **state)
{
    (void)state;
    tw_error error;
    save_good();
    spoil("walls/normal", 0.0); /* its x */
    tw_sim *sim = tw_sim_load(path, &error);
    if (!sim) fail_msg("%s", error.text);
    tw_sim_free(sim);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(impossible_numbers_are_refused),
        cmocka_unit_test(a_fixed_time_step_is_positive),
        cmocka_unit_test(names_have_no_control_characters),
        cmocka_unit_test(motions_of_walls_are_checked),
        cmocka_unit_test(platens_are_checked),
        cmocka_unit_test(extreme_contacts_are_measured),
        cmocka_unit_test(an_unchanged_file_is_accepted),
    };
    return cmocka_run_group_tests(tests, random_state_folder_make, random_state_folder_remove);
}
