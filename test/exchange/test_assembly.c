/* SPDX-License-Identifier: BSD-3-Clause */
/* The published assembly DNevada_Sand_e_0.566, which is not part of the repository: the environment
 * variable TWIRL_DATA names its directory. */
#include "files.h"

#include <math.h>

#include "../must.h"

static char path[4096];

static void the_assembly_is_complete_and_has_the_void_ratio_of_its_name(void **state)
{
    (void)state;
    tw_error error;
    assert_int_equal(tw_exchange_recognise(path, &error), TW_EXCHANGE_DFILE);
    tw_specimen *specimen = tw_specimen_read(path, &error);
    assert_non_null(specimen);
    assert_int_equal(specimen->body_count, 10648);
    assert_int_equal(tw_specimen_sphere_count(specimen), 74536);
    const tw_sim_def def = check_def();
    tw_sim *sim = tw_specimen_build(specimen, &def, &error);
    assert_non_null(sim);
    assert_int_equal(tw_sim_body_count(sim), 10648);
    assert_int_equal(tw_sim_sphere_count(sim), 74536);
    /* the name has three digits, and its author may have used a less precise volume */
    check_at_most(fabs(must_measure(sim).void_ratio - 0.566), 0.003);
    tw_sim_free(sim);
    tw_specimen_free(specimen);
}

/* With the wrong convention for orientations, spheres overlap by more than their radius. With the
 * right one, an independent computation found 48,083 overlaps, the largest 1.1312046993561e-7 m. A
 * step must have a length: one of 1e-12 s moves nothing. */
static void overlaps_are_small(void **state)
{
    (void)state;
    tw_error error;
    tw_specimen *specimen = tw_specimen_read_dfile(path, &error);
    assert_non_null(specimen);
    tw_sim_def def = check_def();
    def.dt = 1e-12;
    tw_sim *sim = tw_specimen_build(specimen, &def, &error);
    assert_non_null(sim);
    assert_int_equal(tw_sim_run(sim, 1, &error), TW_STATUS_OK);
    const size_t count = must_contacts(sim);
    tw_contact_state *contacts = malloc(count * sizeof *contacts);
    assert_non_null(contacts);
    must_get_contacts(sim, contacts);
    double largest = 0.0, relative = 0.0;
    for (size_t i = 0; i < count; i++) {
        const tw_contact_state *c = &contacts[i];
        const double p = must_body(sim, c->body_p).size * (c->member_p ? 0.6 : 0.8);
        const double q = must_body(sim, c->body_q).size * (c->member_q ? 0.6 : 0.8);
        largest = fmax(largest, c->zeta);
        relative = fmax(relative, c->zeta / fmin(p, q));
    }
    print_message("%zu contacts, largest overlap %g m, %g of the smaller radius\n", count, largest,
                  relative);
    assert_int_equal(count, 48083);
    check_at_most(relative, 0.004);
    /* ten thousand times the rounding error of a coordinate */
    check_at_most(fabs(largest - 1.1312046993561e-7), 1e-15);
    free(contacts);
    tw_sim_free(sim);
    tw_specimen_free(specimen);
}

int main(void)
{
    const char *directory = getenv("TWIRL_DATA");
    if (!directory) {
        puts("TWIRL_DATA is not set: the directory with DNevada_Sand_e_0.566; skipped");
        return 77;
    }
    snprintf(path, sizeof path, "%s/DNevada_Sand_e_0.566", directory);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_assembly_is_complete_and_has_the_void_ratio_of_its_name),
        cmocka_unit_test(overlaps_are_small),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
