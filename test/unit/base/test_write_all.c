/* SPDX-License-Identifier: BSD-3-Clause */
/* All bytes are written in order, even if write takes only some of them or is interrupted; an error
 * stops it. An interrupted sync is repeated. */
#define _POSIX_C_SOURCE 200809L /* off_t */
#include "check.h"

#include <errno.h>
#include <unistd.h>

#include "base/file.h"

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

ssize_t __wrap_pwrite(int file, const void *bytes, size_t count, off_t at);

ssize_t __wrap_pwrite(int file, const void *bytes, size_t count, off_t at)
{
    assert_int_equal(at, 1000 + (off_t)used);
    return __wrap_write(file, bytes, count);
}

int __wrap_fsync(int file);

/* Is interrupted in every other call, and fails without room. */
int __wrap_fsync(int file)
{
    assert_int_equal(file, 7);
    errno = calls++ % 2 == 0 ? EINTR : EIO;
    return errno == EINTR || room == 0 ? -1 : 0;
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
        start(at_once, sizeof written);
        assert_int_equal(tw_write_all_at(7, text, sizeof text, 1000), sizeof text);
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
    start(3, 5);
    assert_int_equal(tw_write_all_at(7, "0123456789", 10, 1000), 5);
    assert_int_equal(errno, ENOSPC);
}

static void a_sync_that_is_interrupted_is_repeated(void **state)
{
    (void)state;
    start(1, 1);
    assert_true(tw_write_all_sync(7));
    assert_int_equal(calls, 2);
    start(1, 0);
    assert_false(tw_write_all_sync(7));
    assert_int_equal(errno, EIO);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_bytes_are_written_in_order),
        cmocka_unit_test(one_call_if_write_takes_all),
        cmocka_unit_test(an_error_stops_it_with_the_count_so_far),
        cmocka_unit_test(a_sync_that_is_interrupted_is_repeated),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
