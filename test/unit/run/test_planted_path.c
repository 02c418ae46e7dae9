/* SPDX-License-Identifier: BSD-3-Clause */
/* A loading path is a row and a function: with both planted (plant_path.py), scenarios with the
 * path are read, checked, resolved and run, also in cycles. */
#include "check.h"

#include <stdio.h>
#include <stdlib.h>
#include <twirl/run.h>
#include <twirl/scenario.h>
#include <unistd.h>

static const char specimen[] = "specimen: {count: 32, arrangement: fcc, preparation: {pressure: "
                               "100 kPa}}\nmaterial: {kn: 1e6 N/m}\n";

typedef struct seen {
    uint64_t steps;
    double first, last; /* length of the cell along x in the stage */
    double strain;
    double lateral; /* stress along y */
} seen;

static tw_scenario *read_stage(const char *stage, const char *error)
{
    char text[600];
    tw_scenario_errors errors;
    const int length = snprintf(text, sizeof text, "%sstages:\n  - %s\n", specimen, stage);
    tw_scenario *scenario =
        tw_scenario_read_text(text, (size_t)length, "planted.yaml", NULL, 0, &errors);
    if (!scenario && !error) fail_msg("%s", errors.count ? errors.text[0] : "out of memory");
    if (error && (errors.count != 1 || !strstr(errors.text[0], error)))
        fail_msg("'%s' without '%s'", errors.count ? errors.text[0] : "no error", error);
    tw_scenario_errors_free(&errors);
    return scenario;
}

static int watch(const tw_run_view *view, void *context)
{
    seen *s = context;
    if (view->stage_number == 0) return 0;
    s->last = tw_sim_cell(view->sim).m[0];
    if (s->steps++ == 0) s->first = s->last;
    s->strain = view->strain;
    s->lateral = tw_sim_get_control_report(view->sim).stress[TW_YY];
    return 0;
}

static seen run_stage(const char *stage)
{
    char folder[] = "planted_path_XXXXXX", command[80];
    seen s = {0};
    tw_error error;
    tw_scenario *scenario = read_stage(stage, NULL);
    assert_non_null(mkdtemp(folder));
    const tw_run_plan plan = {.folder = folder, .step = watch, .context = &s};
    if (tw_run_scenario(scenario, &plan, &error) != TW_STATUS_OK) fail_msg("%s", error.text);
    tw_scenario_free(scenario);
    snprintf(command, sizeof command, "rm -r %s", folder);
    assert_int_equal(system(command), 0);
    return s;
}

static void it_is_resolved(void **state)
{
    (void)state;
    tw_scenario *scenario =
        read_stage("{path: wedge, axis: x, direction: extension, end: {q: -20 kPa}}", NULL);
    const tw_scenario_stage *stage = &scenario->stages[0];
    const tw_scenario_traits traits = tw_scenario_stage_traits(stage);
    assert_string_equal(tw_scenario_path_name(stage->path), "wedge");
    assert_string_equal(stage->name, "1_wedge");
    assert_string_equal(traits.strain, "axial strain");
    assert_true(traits.driven);
    assert_true(stage->lateral_stress == TW_SCENARIO_HOLD);
    tw_scenario_free(scenario);
}

static void its_keys_are_checked(void **state)
{
    (void)state;
    assert_null(read_stage("{path: wedge, plane: xz, end: {strain: 0.01}}", "plane"));
    assert_null(read_stage("{path: wedge}", "no end condition"));
    assert_null(read_stage("{path: wedge, direction: forward, end: {strain: 0.01}}",
                           "compression or extension"));
    assert_null(read_stage("{path: wedge, end: {stress_ratio: 3}}", "stay below q/p = 3"));
}

/* The strain passes its limit within one step. */
static void it_is_run(void **state)
{
    (void)state;
    const seen s = run_stage("{path: wedge, end: {strain: 0.001}}");
    assert_true(s.strain >= 0.001);
    check_at_most(s.strain, 0.001 * (1.0 + 2.0 / (double)s.steps));
    check_at_most(fabs(s.last - s.first), 1e-12 * s.first); /* rounding */
    check_at_most(fabs(s.lateral - 100e3), 1e3);
}

static void it_is_cycled(void **state)
{
    (void)state;
    const seen s =
        run_stage("{path: cyclic, cycle: {base: wedge, strain: 0.0005}, end: {cycles: 1}}");
    check_at_most(fabs(s.strain), 0.0005 * (1.0 + 8.0 / (double)s.steps));
    check_at_most(fabs(s.last - s.first), 1e-12 * s.first);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(it_is_resolved),
                                       cmocka_unit_test(its_keys_are_checked),
                                       cmocka_unit_test(it_is_run), cmocka_unit_test(it_is_cycled)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
