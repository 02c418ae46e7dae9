/* SPDX-License-Identifier: BSD-3-Clause */
#include "check.h"

#include <math.h>
#include <stdlib.h>

#include "base/text.h"

static void text_of_any_length_is_kept(void **state)
{
    (void)state;
    tw_text_buffer buffer = {0};
    for (int i = 0; i < 5000; i++) {
        tw_text_buffer_add(&buffer, "%04d", i);
        tw_text_buffer_add_bytes(&buffer, "\0,", 2);
    }
    assert_false(buffer.failed);
    assert_int_equal(buffer.length, 5000 * 6);
    assert_int_equal(buffer.text[buffer.length], '\0');
    for (int i = 0; i < 5000; i++) {
        assert_int_equal(atoi(buffer.text + 6 * (size_t)i), i);
        assert_int_equal(buffer.text[6 * (size_t)i + 5], ',');
    }
    tw_text_buffer_free(&buffer);
    assert_null(buffer.text);
}

static void one_long_piece_fits(void **state)
{
    (void)state;
    tw_text_buffer buffer = {0};
    tw_text_buffer_add(&buffer, "a%*s", 100000, "b");
    assert_int_equal(buffer.length, 100001);
    assert_int_equal(buffer.text[100000], 'b');
    tw_text_buffer_clear(&buffer);
    assert_string_equal(buffer.text, "");
    tw_text_buffer_add(&buffer, "c");
    assert_string_equal(buffer.text, "c");
    tw_text_buffer_free(&buffer);
}

static void json_is_valid(void **state)
{
    (void)state;
    tw_text_buffer buffer = {0};
    tw_text_buffer_add_json_string(&buffer, "a\"b\\c\n\x01\xc3\xa9<\xff");
    static const double values[] = {0.1, -0.0, HUGE_VAL, (double)NAN};
    for (size_t i = 0; i < 4; i++) {
        tw_text_buffer_add_bytes(&buffer, " ", 1);
        tw_text_buffer_add_json_number(&buffer, values[i]);
    }
    char *text = tw_text_buffer_take(&buffer);
    assert_string_equal(
        text, "\"a\\\"b\\\\c\\n\\u0001\xc3\xa9\\u003c\\ufffd\" 0.10000000000000001 0 null null");
    free(text);
    assert_null(buffer.text);
}

static void failure_is_sticky_and_reported_at_the_end(void **state)
{
    (void)state;
    tw_text_buffer buffer = {0};
    tw_text_buffer_add(&buffer, "kept");
    tw_text_buffer_add_bytes(&buffer, "x", SIZE_MAX / 2); /* more memory than any machine has */
    assert_true(buffer.failed);
    tw_text_buffer_add(&buffer, "dropped");
    assert_string_equal(buffer.text, "kept");
    assert_null(tw_text_buffer_take(&buffer));
    assert_false(buffer.failed);
}

static void taking_nothing_gives_an_empty_text(void **state)
{
    (void)state;
    tw_text_buffer buffer = {0};
    char *text = tw_text_buffer_take(&buffer);
    assert_string_equal(text, "");
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(text_of_any_length_is_kept),
        cmocka_unit_test(one_long_piece_fits),
        cmocka_unit_test(json_is_valid),
        cmocka_unit_test(failure_is_sticky_and_reported_at_the_end),
        cmocka_unit_test(taking_nothing_gives_an_empty_text),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
