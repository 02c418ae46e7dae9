/* SPDX-License-Identifier: BSD-3-Clause */
/* An object with a check is recognised, and any change of it found. */
#include "check.h"

#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "run/files.h"

static void any_change_is_found(void **state)
{
    (void)state;
    tw_text_buffer text = {0};
    tw_text_buffer_add(&text, "{\"name\": \"settle\"");
    tw_json_number(&text, "p", 1e5);
    tw_run_json_close(&text, 7);
    assert_false(text.failed);
    assert_true(tw_run_json_is_whole(text.text, text.length, 7));
    assert_non_null(strstr(text.text, ", \"check\": \""));
    assert_int_equal(text.text[text.length - 1], '}');
    assert_false(tw_run_json_is_whole(text.text, text.length, 8)); /* of another run */
    for (size_t k = 0; k < text.length; k++) {
        assert_false(tw_run_json_is_whole(text.text, k, 7)); /* cut short */
        text.text[k] = (char)(text.text[k] ^ 1);
        assert_false(tw_run_json_is_whole(text.text, text.length, 7));
        text.text[k] = (char)(text.text[k] ^ 1);
    }
    tw_text_buffer_free(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_change_is_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
