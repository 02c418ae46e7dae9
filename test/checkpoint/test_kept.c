/* SPDX-License-Identifier: BSD-3-Clause */
/* Files kept from earlier versions, in kept/, are read as what they were: the same hash, and the
 * same one after more steps. `checkpoint_kept write FILE` makes one. */
#define _POSIX_C_SOURCE 200809L
#include "check.h"

#include <stdio.h>

#include "../must.h"

/* The state in the files, of all versions; it changes with the arithmetic of the scene, for new
 * files, and where checkpoints have other items. */
static const uint64_t recorded = 0x84968bd1f09b7c21, continued = 0xc0826c5a142831df;

/* Clumps and spheres of two materials between a servo wall and the cell: contacts roll and are
 * damped, but do not twist. */
static tw_sim *make_scene(void)
{
    tw_error error;
    tw_sim_def def = tw_sim_def_default();
    def.cell.m[0] = def.cell.m[4] = def.cell.m[8] = 4.0;
    def.periodic[2] = 0;
    def.law.kn = def.law.kt = def.law.k_r = 1e8;
    def.law.mu = 0.625;
    def.law.mu_r = 0.1;
    def.law.nu_n = def.law.nu_t = 5e3;
    def.gravity.z = -9.81;
    def.threads = 1;
    tw_sim *sim = tw_sim_create(&def, &error);
    assert_non_null(sim);
    must_succeed(tw_sim_add_material(sim, "steel", 7800.0, NULL, &error), &error);
    def.law.mu = 0.25;
    must_succeed(tw_sim_set_pair_law(sim, 0, 1, &def.law, &error), &error);
    must_add_shape_bumpy(sim, 6, 0.6, 0.8, 0.64);
    must_add_wall(sim, &(tw_wall_def){.struct_size = sizeof(tw_wall_def),
                                      .normal = {0, 0, 1},
                                      .servo = 1,
                                      .force = 1e5,
                                      .v_max = 1.0});
    for (int i = 0; i < 8; i++) {
        tw_body_def body = tw_body_def_default();
        body.shape = (uint32_t)(i ^ i >> 1 ^ i >> 2) & 1; /* neighbours differ */
        body.size = 0.6;
        body.material = (uint32_t)i / 4;
        body.v = tw_vec3_make(0.01 * i, 0.2 - 0.4 * (i >> 1 & 1), 0.3 - 0.6 * (i >> 2));
        body.x =
            tw_vec3_make(1.0 + 1.33 * (i & 1), 1.0 + 1.33 * (i >> 1 & 1), 0.73 + 1.33 * (i >> 2));
        must_succeed(tw_sim_add_body(sim, &body, NULL, &error), &error);
    }
    must_succeed(tw_sim_run(sim, 10, &error), &error);
    return sim;
}

static void check_file(const char *name)
{
    tw_error error;
    char path[512];
    snprintf(path, sizeof path, "%s/%s", KEPT, name);
    tw_sim *sim = tw_sim_load(path, &error);
    if (!sim) fail_msg("%s", error.text);
    assert_string_equal(tw_sim_label(sim), "kept");
    assert_int_equal(tw_sim_steps(sim), 10);
    assert_true(must_contacts(sim) > 8);
    assert_int_equal(tw_sim_hash(sim), recorded);
    must_succeed(tw_sim_run(sim, 10, &error), &error);
    assert_int_equal(tw_sim_hash(sim), continued);
    tw_sim_free(sim);
}

static void files_of_earlier_versions_are_what_they_were(void **state)
{
    (void)state;
    check_file("format_7.h5");
    check_file("format_8.h5");
}

int main(int argc, char **argv)
{
    tw_error error;
    if (argc == 3) {
        tw_sim *sim = make_scene();
        must_succeed(tw_sim_save_labelled(sim, argv[2], "kept", &error), &error);
        printf("%zu contacts, hash 0x%016llx", must_contacts(sim),
               (unsigned long long)tw_sim_hash(sim));
        must_succeed(tw_sim_run(sim, 10, &error), &error);
        printf(", 10 steps later 0x%016llx\n", (unsigned long long)tw_sim_hash(sim));
        tw_sim_free(sim);
        return 0;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(files_of_earlier_versions_are_what_they_were),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
