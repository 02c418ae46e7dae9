/* SPDX-License-Identifier: BSD-3-Clause */
#include <twirl/types.h> /* first: a public header stands alone */

#include "check.h"

#include "base/status.h"

static void every_status_has_a_text_of_its_own(void **state)
{
    (void)state;
    assert_int_equal(TW_STATUS_OK, 0);
    for (int i = 0; i < TW_STATUS_COUNT; i++) {
        assert_true(strlen(tw_status_text((tw_status)i)) > 0);
        for (int k = 0; k < i; k++)
            assert_string_not_equal(tw_status_text((tw_status)i), tw_status_text((tw_status)k));
    }
    assert_string_equal(tw_status_text(TW_STATUS_COUNT), "unknown status");
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

static void nobody_has_to_ask_for_the_text(void **state)
{
    (void)state;
    assert_int_equal(tw_error_set(NULL, TW_STATUS_MEMORY, "%d", 1), TW_STATUS_MEMORY);
    tw_error_clear(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_status_has_a_text_of_its_own),
        cmocka_unit_test(an_error_carries_status_and_text),
        cmocka_unit_test(a_long_text_is_cut_to_fit),
        cmocka_unit_test(nobody_has_to_ask_for_the_text),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
