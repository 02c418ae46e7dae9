/* SPDX-License-Identifier: BSD-3-Clause */
#include <twirl/types.h> /* first, to check that the header is self-contained */

#include "check.h"

#include <errno.h>

#include "base/error.h"

enum {
#define TEST_STATUS(name, text) STATUS_##name,
    TW_STATUS_LIST(TEST_STATUS) STATUSES
};

static void every_status_has_its_own_text(void **state)
{
    (void)state;
    assert_int_equal(TW_STATUS_OK, 0);
    for (int i = 0; i < STATUSES; i++) {
        assert_true(strlen(tw_status_text((tw_status)i)) > 0);
        for (int k = 0; k < i; k++)
            assert_string_not_equal(tw_status_text((tw_status)i), tw_status_text((tw_status)k));
    }
    assert_string_equal(tw_status_text((tw_status)STATUSES), "unknown status");
}

static void an_error_carries_status_and_text(void **state)
{
    (void)state;
    tw_error error;
    const tw_status status =
        tw_error_set(&error, TW_STATUS_FILE, "%s:%d: no key '%s'", "a.yaml", 7, "mus");
    assert_int_equal(status, TW_STATUS_FILE);
    assert_int_equal(error.status, TW_STATUS_FILE);
    assert_string_equal(error.text, "a.yaml:7: no key 'mus'");
    tw_error_clear(&error);
    assert_int_equal(error.status, TW_STATUS_OK);
    assert_string_equal(error.text, "");
}

static void a_long_text_is_cut_to_fit(void **state)
{
    (void)state;
    char text[2000];
    memset(text, 'x', sizeof text);
    text[sizeof text - 1] = '\0';
    tw_error error;
    tw_error_set(&error, TW_STATUS_INPUT, "%s", text);
    assert_int_equal(strlen(error.text), sizeof error.text - 1);
}

static void the_error_may_be_null(void **state)
{
    (void)state;
    assert_int_equal(tw_error_set(NULL, TW_STATUS_MEMORY, "%d", 1), TW_STATUS_MEMORY);
    tw_error_clear(NULL);
}

static void a_system_error_has_verb_path_and_reason(void **state)
{
    (void)state;
    tw_error error;
    errno = ENOENT;
    assert_int_equal(tw_error_set_system(&error, "read", "a/b.csv"), TW_STATUS_FILE);
    assert_string_equal(error.text, "cannot read a/b.csv: No such file or directory");
    assert_true(strlen(tw_error_reason_of(123456).text) > 0);
    assert_int_equal(tw_error_set_memory(&error), TW_STATUS_MEMORY);
    assert_string_equal(error.text, "out of memory");
}

static void the_beginning_of_a_long_path_is_cut(void **state)
{
    (void)state;
    char path[1000];
    memset(path, 'x', sizeof path);
    memcpy(path + sizeof path - 6, "/last", 6);
    const tw_error_path shown = tw_error_shorten_path(path);
    assert_int_equal(strlen(shown.text), sizeof shown.text - 1);
    assert_memory_equal(shown.text, "...x", 4);
    assert_non_null(strstr(shown.text, "x/last"));
    assert_string_equal(tw_error_shorten_path("a").text, "a");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_status_has_its_own_text),
        cmocka_unit_test(an_error_carries_status_and_text),
        cmocka_unit_test(a_long_text_is_cut_to_fit),
        cmocka_unit_test(the_error_may_be_null),
        cmocka_unit_test(a_system_error_has_verb_path_and_reason),
        cmocka_unit_test(the_beginning_of_a_long_path_is_cut),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
