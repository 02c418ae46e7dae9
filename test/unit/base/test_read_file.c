/* SPDX-License-Identifier: BSD-3-Clause */
/* Regular files alone are opened, without waiting for anything, and are read to the end, even if a
 * call returns only some of the bytes or is interrupted; the reason of a failure is in errno. */
#define _XOPEN_SOURCE 700 /* mkdtemp, mkfifo */
#include "check.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file.h"

/* Reading gives at most `most` bytes per call, is interrupted in every other one, and fails after
 * `room` bytes. */
static size_t most, room, used;
static int calls;

ssize_t __real_read(int file, void *bytes, size_t count);
ssize_t __real_pread(int file, void *bytes, size_t count, off_t at);
ssize_t __wrap_read(int file, void *bytes, size_t count);
ssize_t __wrap_pread(int file, void *bytes, size_t count, off_t at);

static bool fails(void)
{
    errno = calls++ % 2 == 1 ? EINTR : EIO;
    return errno == EINTR || used >= room;
}

ssize_t __wrap_read(int file, void *bytes, size_t count)
{
    if (fails()) return -1;
    const ssize_t got = __real_read(file, bytes, count < most ? count : most);
    if (got > 0) used += (size_t)got;
    return got;
}

ssize_t __wrap_pread(int file, void *bytes, size_t count, off_t at)
{
    if (fails()) return -1;
    const ssize_t got = __real_pread(file, bytes, count < most ? count : most, at);
    if (got > 0) used += (size_t)got;
    return got;
}

static char folder[64];

static int enter_folder(void **state)
{
    (void)state;
    snprintf(folder, sizeof folder, "/tmp/twirl-read-XXXXXX");
    if (!mkdtemp(folder) || chdir(folder) != 0) return -1;
    FILE *file = fopen("text", "wb");
    const bool written = file && fputs("0123456789", file) >= 0 && fclose(file) == 0;
    most = 3;
    room = 100;
    used = 0;
    calls = 0;
    return written ? 0 : -1;
}

static int remove_folder(void **state)
{
    (void)state;
    char command[160];
    snprintf(command, sizeof command, "rm -r %s", folder);
    return chdir("/") == 0 && system(command) == 0 ? 0 : -1;
}

static void everything_is_read_in_order(void **state)
{
    (void)state;
    char text[20] = "";
    uint64_t bytes;
    const int file = tw_read_file_open("text", &bytes);
    assert_true(file >= 0);
    assert_int_equal(bytes, 10);
    assert_int_equal(tw_read_file_at(file, text, 7, 2), 7);
    assert_string_equal(text, "2345678");
    assert_int_equal(tw_read_file_at(file, text, 8, 5), 5);
    assert_int_equal(errno, 0);
    tw_hash hash = tw_hash_start(3);
    assert_int_equal(tw_read_file_hash(file, 2, 9, &hash), 7);
    assert_int_equal(tw_hash_value(&hash), tw_hash_of("2345678", 7, 3));
    assert_int_equal(tw_read_file_hash(file, 4, 20, &hash), 6);
    assert_int_equal(errno, 0);
    close(file);
}

static void a_failure_is_not_the_end_of_the_file(void **state)
{
    (void)state;
    char text[20];
    const int file = tw_read_file_open("text", NULL);
    room = 4;
    assert_int_equal(tw_read_file_at(file, text, 20, 0), 6);
    assert_int_equal(errno, EIO);
    close(file);
}

static void other_than_regular_files_are_refused(void **state)
{
    (void)state;
    assert_int_equal(mkfifo("pipe", 0600), 0);
    assert_int_equal(tw_read_file_open("pipe", NULL), -1);
    assert_string_equal(tw_error_reason_of(errno).text, "not a regular file");
    assert_null(tw_read_file_stream("pipe"));
    assert_string_equal(tw_error_reason_of(errno).text, "not a regular file");
    assert_null(tw_read_file_stream("/dev/null"));
    assert_null(tw_read_file_stream("."));
    assert_int_equal(errno, EISDIR);
    assert_null(tw_read_file_stream("missing"));
    assert_int_equal(errno, ENOENT);
    assert_int_equal(symlink("text", "link"), 0);
    FILE *stream = tw_read_file_stream("link");
    assert_non_null(stream);
    assert_int_equal(fgetc(stream), '0');
    fclose(stream);
}

int main(void)
{
#define HERE(test) cmocka_unit_test_setup_teardown(test, enter_folder, remove_folder)
    const struct CMUnitTest tests[] = {
        HERE(everything_is_read_in_order),
        HERE(a_failure_is_not_the_end_of_the_file),
        HERE(other_than_regular_files_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
