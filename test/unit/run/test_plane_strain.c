/* SPDX-License-Identifier: BSD-3-Clause */
/* Plane strain of a face-centred cubic lattice: one axis is strained, the next is fixed, the stress
 * along the third is held. For springs kn and kt = a kn between neighbours the moduli have the
 * ratio C12/C11 = (1 - a)/(2 + 2 a), so the stress along the fixed axis grows by C12/(C11 + C12) =
 * (1 - a)/(3 + a) of the axial one; q is the invariant of the three. */
#include "check.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <twirl/run.h>
#include <twirl/scenario.h>
#include <unistd.h>

typedef struct seen {
    uint64_t steps;
    tw_mat3 first_cell, last_cell;
    double first[TW_COMPONENTS], last[TW_COMPONENTS]; /* stresses, positive in compression */
    double strain;
} seen;

static int watch(const tw_run_view *view, void *context)
{
    seen *s = context;
    if (view->stage_number == 0) return 0;
    const tw_control_report report = tw_sim_get_control_report(view->sim);
    s->last_cell = tw_sim_cell(view->sim);
    s->strain = view->strain;
    memcpy(s->last, report.stress, sizeof s->last);
    if (s->steps++ != 100) return 0; /* the rate has been reached */
    s->first_cell = s->last_cell;
    memcpy(s->first, s->last, sizeof s->first);
    return 0;
}

static seen run_stage(double ratio, const char *stage, double *q_last)
{
    char folder[] = "plane_strain_XXXXXX", text[600], line[4096] = "";
    seen s = {0};
    tw_error error;
    tw_scenario_errors errors;
    const int length =
        snprintf(text, sizeof text,
                 "specimen: {count: 32, arrangement: fcc, preparation: {pressure: 100 kPa}}\n"
                 "material: {kn: 1e6 N/m, kt_ratio: %g, friction: 1000}\n"
                 "stages:\n  - %s\noutput: {history: {steps: 100}}\n",
                 ratio, stage);
    tw_scenario *scenario =
        tw_scenario_read_text(text, (size_t)length, "plane_strain.yaml", NULL, 0, &errors);
    if (!scenario) fail_msg("%s", errors.count ? errors.text[0] : "out of memory");
    assert_non_null(mkdtemp(folder));
    const tw_run_plan plan = {.folder = folder, .step = watch, .context = &s};
    if (tw_run_scenario(scenario, &plan, &error) != TW_STATUS_OK) fail_msg("%s", error.text);
    tw_scenario_free(scenario);
    tw_scenario_errors_free(&errors);
    /* q_last of the last row. */
    snprintf(text, sizeof text, "%s/history.csv", folder);
    FILE *file = fopen(text, "r");
    assert_non_null(file);
    int column = -1;
    while (fgets(line, sizeof line, file)) {
        const char *at = line;
        for (int k = 0; *at; k++) {
            const size_t length_of = strcspn(at, ",\n");
            if (column < 0 && strncmp(at, "q,", 2) == 0) column = k;
            if (column == k) *q_last = strtod(at, NULL);
            at += length_of + (at[length_of] ? 1 : 0);
        }
    }
    fclose(file);
    assert_true(column >= 0);
    snprintf(text, sizeof text, "rm -r %s", folder);
    assert_int_equal(system(text), 0);
    return s;
}

static void a_lattice_has_the_stresses_of_its_moduli(void **state)
{
    static const double ratios[] = {0.0, 0.5, 1.0};
    (void)state;
    for (size_t k = 0; k < sizeof ratios / sizeof *ratios; k++) {
        double q = 0.0;
        const seen s = run_stage(
            ratios[k], "{path: plane_strain, inertial_number: 1e-6, end: {strain: 1e-6}}", &q);
        const double axial = s.last[TW_ZZ] - s.first[TW_ZZ], fixed = s.last[TW_XX] - s.first[TW_XX],
                     expected = (1.0 - ratios[k]) / (3.0 + ratios[k]);
        assert_true(s.steps > 200);
        assert_true(s.strain >= 1e-6);
        assert_true(axial > 100.0);
        /* Overlaps are 3e-5 diameters: so small are the forces beside the stiffness. */
        check_at_most(fabs(fixed / axial - expected), 1e-4);
        check_at_most(fabs(s.last[TW_YY] - s.first[TW_YY]), 1e-6 * axial);
        check_at_most(fabs(s.last_cell.m[0] - s.first_cell.m[0]), 1e-12 * s.first_cell.m[0]);
        assert_true(s.last_cell.m[4] > s.first_cell.m[4]);
        const double x = s.last[TW_XX], y = s.last[TW_YY], z = s.last[TW_ZZ];
        const double invariant =
            sqrt(0.5 * ((x - y) * (x - y) + (y - z) * (y - z) + (z - x) * (z - x)));
        check_at_most(fabs(q - invariant), 0.05 * invariant); /* the row is up to 100 steps old */
    }
}

static void extension_is_the_opposite(void **state)
{
    double q = 0.0;
    (void)state;
    const seen s = run_stage(0.5,
                             "{path: plane_strain, axis: x, direction: extension, inertial_number: "
                             "1e-6, end: {strain: 1e-6}}",
                             &q);
    const double axial = s.last[TW_XX] - s.first[TW_XX], fixed = s.last[TW_YY] - s.first[TW_YY];
    assert_true(axial < -100.0);
    check_at_most(fabs(fixed / axial - 0.5 / 3.5), 1e-4);
    check_at_most(fabs(s.last_cell.m[4] - s.first_cell.m[4]), 1e-12 * s.first_cell.m[4]);
    assert_true(q < 0.0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_lattice_has_the_stresses_of_its_moduli),
                                       cmocka_unit_test(extension_is_the_opposite)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
