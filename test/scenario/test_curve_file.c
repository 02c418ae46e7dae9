/* SPDX-License-Identifier: BSD-3-Clause */
/* Grading curves from files: the points, and the messages. */
#include "support.h"

#define HEAD                                                                                       \
    "specimen:\n  preparation: {pressure: 1e5}\n  sizes: {distribution: grading, file: s.csv}\n"   \
    "material: {kn: 1e5}\n"

static void write_text(const char *text)
{
    support_write("s.csv", text, strlen(text));
}

static void points_are_those_of_the_file(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "0.25 mm, 0 %\n0.5 mm, 30 %\n2 mm, 100 %\n",
        "sieve [mm], passing [%]\n2.0, 100\n0.5, 30\n0.25, 0\n",
        "Sieve size (mm);Mass passing (%)\r\n2;100\r\n0.5;30\r\n0.25;0\r\n",
        "# of the laboratory\n\nd [um]\tfiner\n250\t0\n500\t0.3 # the middle\n2 mm\t1",
    };
    tw_scenario *given =
        support_read("specimen:\n  preparation: {pressure: 1e5}\n  sizes: {distribution: grading, "
                     "curve: [[0.25 mm, 0 %], [0.5 mm, 30 %], [2 mm, 100 %]]}\n"
                     "material: {kn: 1e5}\n",
                     NULL);
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        write_text(texts[i]);
        tw_scenario *s = support_read(HEAD, NULL);
        assert_true(support_equal(tw_key_root(), given, s));
        assert_null(s->specimen.sizes.file);
        tw_scenario_free(s);
    }
    tw_scenario_free(given);
}

/* The resolved scenario does not need the file. */
static void a_resolved_scenario_has_the_curve(void **state)
{
    (void)state;
    write_text("0.3 mm, 0\n0.7 mm, 0.3333333333333333\n1 mm, 1\n");
    tw_scenario *s = support_read(HEAD, NULL);
    char *text = tw_scenario_write_text(s);
    remove("s.csv");
    tw_scenario *again = support_read(text, NULL);
    assert_true(support_equal(tw_key_root(), s, again));
    assert_int_equal(again->specimen.sizes.curve.count, 3);
    free(text);
    tw_scenario_free(again);
    tw_scenario_free(s);
}

static void every_defect_is_named_with_file_and_line(void **state)
{
    (void)state;
    static const struct {
        const char *text, *message;
    } bad[] = {
        {"", "s.csv:0: the file has no points"},
        {"sieve [mm], passing [%]\n", "s.csv:1: the file has no points"},
        {"1 mm, 0\n\n2 mm\n",
         "s.csv:3: 1 value; expected a diameter and the mass passing, as in '0.5 mm, 30 %'"},
        {"1 mm, 0, 3\n",
         "s.csv:1: 3 values; expected a diameter and the mass passing, as in '0.5 mm, 30 %'"},
        {"sieve, passing [%]\n0.5, 0\n", "s.csv:2: diameter '0.5' has no unit; write '0.5 mm', or "
                                         "in the first line 'sieve [mm], passing [%]'"},
        {"1 mm, 0\n2 mm, 100\n", "s.csv:2: mass passing '100' is above 1; write '100 %', or in the "
                                 "first line 'sieve [mm], passing [%]'"},
        {"1 mm, 0\n2 mm, all\n", "s.csv:2: mass passing 'all' is not a number"},
        {"1 mm, 0 %\n2 mm, 100 %\nsieve, passing\n", "s.csv:3: diameter 'sieve' is not a number"},
        {"1 mm, 0 %\n", "has one point; expected at least two"},
        {"1 mm, 0 %\n1 mm, 100 %\n",
         "point 2: diameter 0.001 m is not above 0.001 m; diameters must increase"},
        {"d [mm]; f [%]\n2,0; 100\n1; 0\n",
         "s.csv:2: diameter '2,0' has a decimal comma; use a decimal point"},
        {"sieve [mm], retained [%]\n2, 0\n1, 100\n",
         "s.csv:1: 'retained [%]' is what stays on each sieve; give what passes it: 100 % minus "
         "what this sieve and the coarser ones retain"},
        {"1 mm, 3 %\n2 mm, 100 %\n",
         "fractions run from 0.03 to 1; expected 0 to 1 (100 %): add the diameter than which no "
         "grain is finer, with 0 %"},
        {"1 mm, 0 %\n2 mm, 90 %\n", "fractions run from 0 to 0.9; expected 0 to 1 (100 %)"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        char line[300];
        write_text(bad[i].text);
        snprintf(line, sizeof line, "a.yaml:3:40: specimen.sizes.file: %s\n", bad[i].message);
        support_refused(HEAD, line);
    }
    static const char *const units[] = {"1 Pa, 0\n2 mm, 1\n", "d [mn], f [%]\n1, 0\n2, 100\n",
                                        "d [mm]; f [%]\n1,5; 0\n2; 100\n"};
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++) {
        write_text(units[i]);
        char *errors = support_errors(HEAD, NULL);
        support_has(errors, i == 0 ? "s.csv:1: diameter '1 Pa' " : "s.csv:2: diameter '1");
        free(errors);
    }
    remove("s.csv");
    support_refused(HEAD, "a.yaml:3:40: specimen.sizes.file: 's.csv' cannot be read: No such file "
                          "or directory (relative to the working directory)\n");
}

static void a_curve_or_a_file(void **state)
{
    (void)state;
    write_text("1 mm, 0\n2 mm, 1\n");
    char *errors = support_errors("specimen: {preparation: {pressure: 1e5}, sizes: {distribution: "
                                  "grading, curve: [[1 mm, 0], [2 mm, 1]], file: s.csv}}\n"
                                  "material: {kn: 1}\n",
                                  NULL);
    support_has(errors, "specimen.sizes.file: cannot be combined with 'curve'");
    free(errors);
    errors = support_errors("specimen: {preparation: {pressure: 1e5}, sizes: {distribution: "
                            "grading}}\nmaterial: {kn: 1}\n",
                            NULL);
    support_has(errors, "specimen.sizes.curve: is missing; expected a list of lists of 2 numbers, "
                        "or 'file' instead");
    free(errors);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(points_are_those_of_the_file),
        cmocka_unit_test(a_resolved_scenario_has_the_curve),
        cmocka_unit_test(every_defect_is_named_with_file_and_line),
        cmocka_unit_test(a_curve_or_a_file),
    };
    return cmocka_run_group_tests(tests, support_enter_folder, support_leave_folder);
}
