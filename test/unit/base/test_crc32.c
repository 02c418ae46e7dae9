/* SPDX-License-Identifier: BSD-3-Clause */
/* CRC-32 against its published check value. */
#include "check.h"

#include "base/hash.h"

static void the_check_value_is_right(void **state)
{
    (void)state;
    assert_int_equal(tw_crc32(0, "123456789", 9), 0xcbf43926u);
    assert_int_equal(tw_crc32(0, "", 0), 0);
}

static void parts_give_the_same_as_the_whole(void **state)
{
    (void)state;
    const char *const text = "123456789";
    for (size_t k = 0; k <= 9; k++)
        assert_int_equal(tw_crc32(tw_crc32(0, text, k), text + k, 9 - k), 0xcbf43926u);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_check_value_is_right),
        cmocka_unit_test(parts_give_the_same_as_the_whole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
