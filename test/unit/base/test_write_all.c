/* SPDX-License-Identifier: BSD-3-Clause */
/* All bytes are written in order, even if write takes only some of them or is interrupted; an error
 * stops it. */
#include "check.h"

#include <errno.h>
#include <unistd.h>

#include "base/write_all.h"

/* Replacement of write: takes at most `most` bytes per call, is interrupted in every other call,
 * and fails after `room` bytes. */
static char written[64];
static size_t used, most, room;
static int calls;

ssize_t __wrap_write(int file, const void *bytes, size_t count);

ssize_t __wrap_write(int file, const void *bytes, size_t count)
{
    assert_int_equal(file, 7);
    if (calls++ % 2 == 1) {
        errno = EINTR;
        return -1;
    }
    if (used == room) {
        errno = ENOSPC;
        return -1;
    }
    size_t taken = count < most ? count : most;
    if (taken > room - used) taken = room - used;
    memcpy(written + used, bytes, taken);
    used += taken;
    return (ssize_t)taken;
}

static void start(size_t at_once, size_t in_all)
{
    used = 0;
    calls = 0;
    most = at_once;
    room = in_all;
}

static void all_bytes_are_written_in_order(void **state)
{
    (void)state;
    static const char text[] = "0123456789abcdefghijklmnopqrstuvwxyz";
    for (size_t at_once = 1; at_once <= sizeof text; at_once++) {
        start(at_once, sizeof written);
        assert_int_equal(tw_write_all(7, text, sizeof text), sizeof text);
        assert_int_equal(used, sizeof text);
        assert_string_equal(written, text);
    }
}

static void one_call_if_write_takes_all(void **state)
{
    (void)state;
    start(sizeof written, sizeof written);
    assert_int_equal(tw_write_all(7, "row\n", 4), 4);
    assert_int_equal(calls, 1);
    start(sizeof written, sizeof written);
    assert_int_equal(tw_write_all(7, NULL, 0), 0);
    assert_int_equal(calls, 0);
}

static void an_error_stops_it_with_the_count_so_far(void **state)
{
    (void)state;
    start(3, 5);
    assert_int_equal(tw_write_all(7, "0123456789", 10), 5);
    assert_int_equal(errno, ENOSPC);
    assert_memory_equal(written, "01234", 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_bytes_are_written_in_order),
        cmocka_unit_test(one_call_if_write_takes_all),
        cmocka_unit_test(an_error_stops_it_with_the_count_so_far),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
