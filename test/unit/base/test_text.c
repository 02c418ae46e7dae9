/* SPDX-License-Identifier: BSD-3-Clause */
/* Text from users: numbers, quotations, and suggestions for misspelt names. */
#define _POSIX_C_SOURCE 200809L /* setenv */
#include "base/environment.h"
#include "base/text.h"
#include "check.h"

#include <errno.h>

#include "../../comma_locale.h"

static void distance_counts_typing_errors(void **state)
{
    (void)state;
    static const struct {
        const char *a, *b;
        size_t distance;
    } cases[] = {{"", "", 0},         {"rate", "rate", 0},  {"rate", "RATE", 0},
                 {"rate", "rat", 1},  {"rate", "ratee", 1}, {"rate", "rite", 1},
                 {"rate", "raet", 1}, {"rate", "", 4},      {"kitten", "sitting", 3},
                 {"ab", "bx", 2},     {"ab", "xa", 2}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_int_equal(tw_nearest_distance(cases[i].a, cases[i].b), cases[i].distance);
        assert_int_equal(tw_nearest_distance(cases[i].b, cases[i].a), cases[i].distance);
    }
}

static void only_the_first_63_characters_are_compared(void **state)
{
    (void)state;
    char a[101], b[101];
    memset(a, 'a', 100);
    a[100] = '\0';
    memcpy(b, a, sizeof a);
    b[0] = 'x';
    b[62] = 'x';
    b[63] = 'x';
    assert_int_equal(tw_nearest_distance(a, b), 2);
}

static void the_first_of_the_nearest_names_is_suggested(void **state)
{
    (void)state;
    static const char *const known[] = {"friction", "fraction", "from"};
    assert_string_equal(tw_nearest("frction", known, 3), "friction");
    assert_string_equal(tw_nearest("form", known, 3), "from");
    assert_string_equal(tw_nearest("fric", known, 3), "friction"); /* a beginning */
    assert_null(tw_nearest("x", known, 0));
}

/* One error in a short word, two in one of six letters; a single letter is near nothing. */
static void only_near_names_are_suggested(void **state)
{
    (void)state;
    static const struct {
        const char *word, *known;
        bool near;
    } cases[] = {{"km", "kn", true},
                 {"k", "kn", false},
                 {"mk", "kn", false},
                 {"ra", "rate", false},
                 {"rat", "rate", true},
                 {"sahpe", "shape", true},
                 {"sahep", "shape", false},
                 {"strian", "strain", true},
                 {"stirian", "strain", true},
                 {"hertz", "exact", false},
                 {"gravity", "title", false},
                 {"rolling_resistance", "stiffness_level", false},
                 {"paraview", "lammps", false},
                 {"ovito", "vtk", false},
                 {"frobnicate", "out", false},
                 {"STRAIN", "strain", true}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        if (tw_nearest_is_near(cases[i].word, cases[i].known) != cases[i].near)
            fail_msg("%s and %s", cases[i].word, cases[i].known);
        assert_true((tw_nearest(cases[i].word, &cases[i].known, 1) != NULL) == cases[i].near);
    }
}

static void numbers_are_complete_and_finite(void **state)
{
    (void)state;
    double value = 7.0;
    assert_null(tw_text_number("-1.5e-3", &value));
    assert_true(value == -1.5e-3);
    static const char *const bad[] = {"", " 1", "1 ", "1x", "x", "inf", "nan", "1e999"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_non_null(tw_text_number(bad[i], &value));
    assert_true(value == -1.5e-3);
    assert_string_equal(tw_text_number("1e999", &value), "is beyond the range of a double");
    errno = ERANGE; /* of an earlier call */
    assert_string_equal(tw_text_number("inf", &value), "is not a finite number");
}

static void quotations_are_short_and_clean(void **state)
{
    (void)state;
    assert_string_equal(tw_text_quote("a\x1b[0m\n", 6).text, "'a\\x1b[0m\\x0a'");
    assert_string_equal(tw_text_quote("\x89HDF \xc3\xa9\xc3", 8).text, "'\\x89HDF \xc3\xa9\\xc3'");
    assert_string_equal(tw_text_quote("", 0).text, "''");
    char text[500];
    memset(text, '\x01', sizeof text);
    /* 48 bytes, each as \x01 */
    assert_int_equal(strlen(tw_text_quote(text, sizeof text).text), 4 * 48 + strlen("''..."));
    memset(text, 'a', sizeof text);
    /* a two-byte character at the cut is dropped completely */
    memcpy(text + 47, "\xc3\xa9", 2);
    const tw_text_quotation cut = tw_text_quote(text, sizeof text);
    assert_int_equal(strlen(cut.text), 47 + strlen("''..."));
    assert_true(strcmp(cut.text + 48, "...'") == 0);
}

static void plain_numbers_have_a_point_in_every_locale(void **state)
{
    (void)state;
    if (!comma_locale_set(LC_ALL)) skip();
    tw_c_locale plain;
    double value = 0.0;
    assert_non_null(tw_text_number("0.5", &value));
    assert_true(tw_c_locale_push(&plain));
    assert_null(tw_text_number("0.5", &value));
    tw_c_locale_pop(&plain);
    assert_true(value == 0.5);
    assert_non_null(tw_text_number("0.5", &value));
    tw_c_locale_pop(&plain); /* twice does no harm */
    setlocale(LC_ALL, "C");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(distance_counts_typing_errors),
        cmocka_unit_test(only_the_first_63_characters_are_compared),
        cmocka_unit_test(the_first_of_the_nearest_names_is_suggested),
        cmocka_unit_test(only_near_names_are_suggested),
        cmocka_unit_test(numbers_are_complete_and_finite),
        cmocka_unit_test(quotations_are_short_and_clean),
        cmocka_unit_test(plain_numbers_have_a_point_in_every_locale),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
