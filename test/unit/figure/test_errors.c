/* SPDX-License-Identifier: BSD-3-Clause */
/* Errors may be NULL. */
#include "check.h"

#include <stdio.h>

#include <twirl/figure.h>

static void a_table_of_rates_that_is_missing_or_empty(void **state)
{
    (void)state;
    static const char name[] = "test_figure_errors.csv";
    tw_figure_set set = {0};
    assert_int_equal(tw_figure_rates_add(&set, "there_is_none.csv", "", NULL), TW_STATUS_FILE);
    FILE *file = fopen(name, "w");
    assert_non_null(file);
    assert_int_equal(fclose(file), 0);
    assert_int_equal(tw_figure_rates_add(&set, name, "", NULL), TW_STATUS_INPUT);
    assert_int_equal(set.figure_count, 0);
    assert_int_equal(remove(name), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_table_of_rates_that_is_missing_or_empty),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
