/* SPDX-License-Identifier: BSD-3-Clause */
/* Command-line settings. */
#include "support.h"

#define TWO                                                                                        \
    SUPPORT_SMALL "stages:\n"                                                                      \
                  "  - path: isotropic\n"                                                          \
                  "    pressure: 100 kPa\n"                                                        \
                  "  - name: shear\n"                                                              \
                  "    path: triaxial\n"                                                           \
                  "    rate: 0.5\n"                                                                \
                  "    end: {strain: 0.1}\n"

static void settings_replace_add_and_remove(void **state)
{
    (void)state;
    tw_scenario *s =
        support_read(TWO, "material.friction=0.4", "stages[1].pressure=50 kPa",
                     "stages[2].rate=", "stages[shear].inertial_number=2e-3",
                     "stages[shear].end.stress_ratio=0.8", "specimen.cell.aspect=[1, 1, 2]",
                     "specimen.cell.aspect[1]=3", "output={history: {strain: 1 %}}", NULL);
    assert_true(s->material.friction == 0.4);
    assert_true(s->stages[0].pressure == 50e3);
    assert_true(s->stages[1].rate != s->stages[1].rate);
    assert_true(s->stages[1].inertial_number == 2e-3);
    assert_true(s->stages[1].end.strain == 0.1 && s->stages[1].end.stress_ratio == 0.8);
    assert_true(s->specimen.cell.aspect[0] == 3.0 && s->specimen.cell.aspect[2] == 2.0);
    assert_true(s->output.history.strain == 0.01);
    tw_scenario_free(s);
}

static void the_last_setting_wins(void **state)
{
    (void)state;
    tw_scenario *s = support_read(TWO, "specimen.seed=5", "specimen.seed=6", NULL);
    assert_int_equal(s->specimen.seed, 6);
    tw_scenario_free(s);
}

static void refused(const char *setting, const char *line)
{
    char *lines = support_errors(TWO, setting, NULL);
    if (strcmp(lines, line) != 0) fail_msg("expected:\n%s\nfound:\n%s", line, lines);
    free(lines);
}

static void errors_name_the_setting(void **state)
{
    (void)state;
    refused("material.friction=-1", "--set 'material.friction=-1': material.friction: '-1' is out "
                                    "of range; expected a number from 0 to 1000000\n");
    refused(
        "material.fricton=1",
        "--set 'material.fricton=1': material.fricton: unknown key; did you mean 'friction'?\n");
    refused("stages[3].rate=1",
            "--set 'stages[3].rate=1': no item '3'; the list has 2 items, numbered from 1\n");
    refused("stages[0].rate=1",
            "--set 'stages[0].rate=1': no item '0'; the list has 2 items, numbered from 1\n");
    refused("stages[sheer].rate=1",
            "--set 'stages[sheer].rate=1': no item named 'sheer'; named items: 'shear'\n");
    refused("stages.shear.rate=1",
            "--set 'stages.shear.rate=1': 'stages' is a list: write stages[shear]\n");
    refused("stages.rate=1", "--set 'stages.rate=1': 'stages' is a list: write stages[1] or "
                             "stages[NAME] for one of its items\n");
    refused("stages[2].damping.local=2",
            "--set 'stages[2].damping.local=2': stages[2].damping.local: '2' is out of range; "
            "expected a number from 0 to below 1\n");
    refused("material.kn.x=1",
            "--set 'material.kn.x=1': 'x' cannot be set: its parent is not a section\n");
    refused("material[1]=1", "--set 'material[1]=1': no item '1': its parent is not a list\n");
    refused("stages[2].inertial_number=1e-3",
            "--set 'stages[2].inertial_number=1e-3': stages[2].inertial_number: cannot be combined "
            "with 'rate'; remove one of them\n");
    refused("material.without=", "--set 'material.without=': no such key to remove\n");
    /* a setting has no line numbers */
    refused("damping={local: 0.1, local: 0.2}",
            "--set 'damping={local: 0.1, local: 0.2}': damping.local: is given twice\n");
    refused("specimen.cell.aspect=[1, 2",
            "--set 'specimen.cell.aspect=[1, 2': invalid YAML: did not find expected ',' or ']', "
            "while parsing a flow sequence (starting at line 1)\n");
    static const char *const forms[] = {
        "material.friction", "=1", ".a=1", "a..b=1", "a[=1", "a[]=1", "a[1]b=1", "a.=1"};
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        char line[300];
        snprintf(line, sizeof line,
                 "--set '%s': invalid setting; expected KEY=VALUE, where KEY is for example "
                 "material.friction or stages[2].rate\n",
                 forms[i]);
        refused(forms[i], line);
    }
}

static void a_conflict_in_the_file_names_the_setting(void **state)
{
    (void)state;
    char *lines = support_errors(
        SUPPORT_SMALL "stages: [{path: triaxial, inertial_number: 0.1, end: {strain: 1}}]\n",
        "stages[1].rate=1", NULL);
    assert_non_null(strstr(lines, "stages[1].inertial_number: cannot be combined with 'rate' of "
                                  "--set 'stages[1].rate=1'; remove one of them\n"));
    free(lines);
}

static void errors_of_settings_are_limited_too(void **state)
{
    (void)state;
    enum { MANY = 1500 };
    static const char *settings[MANY];
    tw_scenario_errors errors;
    for (int i = 0; i < MANY; i++)
        settings[i] = i % 2 ? "stages[9].end.strain=1" : "stages[none].end[3]=1";
    assert_null(tw_scenario_read_text(TWO, strlen(TWO), "a.yaml", settings, MANY, &errors));
    assert_int_equal(errors.count, 1000);
    tw_scenario_errors_free(&errors);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(settings_replace_add_and_remove),
        cmocka_unit_test(the_last_setting_wins),
        cmocka_unit_test(errors_name_the_setting),
        cmocka_unit_test(a_conflict_in_the_file_names_the_setting),
        cmocka_unit_test(errors_of_settings_are_limited_too),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
