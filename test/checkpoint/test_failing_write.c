/* SPDX-License-Identifier: BSD-3-Clause */
/* Every write of a checkpoint fails once: the call says so, the file that was there stays, nothing
 * else is left, and the process still ends as it should. That end is why each try has a process of
 * its own: HDF5 crashes in its exit handler if one of its own writes has failed.
 *
 * The functions below take the place of those of libc, for HDF5 as well. */
#define _DEFAULT_SOURCE /* syscall */
#include "check.h"

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "random_state.h"
#include "sim/checkpoint.h"

enum { ENDED_WELL = 0, NOT_REFUSED = 3, NO_FAILURE = 4, TRIES_MAX = 10000 };

static int calls, fail_at; /* the number of the call that fails, from 1; 0: none */
static int most;           /* bytes that a call takes, and every other one is interrupted; 0: all */

ssize_t pwrite64(int file, const void *bytes, size_t count, off_t at);
int ftruncate64(int file, off_t length);

static int fails(void)
{
    errno = EIO;
    return ++calls == fail_at;
}

ssize_t pwrite64(int file, const void *bytes, size_t count, off_t at)
{
    if (fails()) return -1;
    if (most > 0 && calls % 2 == 0) {
        errno = EINTR;
        return -1;
    }
    const size_t taken = most > 0 && count > (size_t)most ? (size_t)most : count;
    return (ssize_t)syscall(SYS_pwrite64, file, bytes, taken, at);
}

ssize_t pwrite(int file, const void *bytes, size_t count, off_t at)
{
    return pwrite64(file, bytes, count, at);
}

int ftruncate64(int file, off_t length)
{
    return fails() ? -1 : (int)syscall(SYS_ftruncate, file, length);
}

int ftruncate(int file, off_t length)
{
    return ftruncate64(file, length);
}

static tw_status save(tw_error *error)
{
    random_state sample;
    tw_servo servo;
    random_state_make(&sample, (random_state_size){12, 2, 30}, 7);
    random_state_servo(&servo, 7);
    const tw_status status = random_state_save(&sample, &servo, "", random_state_file, error);
    random_state_free(&sample);
    return status;
}

/* In a process of its own, which ends as programs do. */
static int try_to_save(int failing)
{
    const pid_t process = fork();
    assert_true(process >= 0);
    if (process == 0) {
        tw_error error;
        signal(SIGSEGV, SIG_DFL); /* cmocka would go on with its tests, here in the child */
        fail_at = failing;
        calls = 0;
        const tw_status status = save(&error);
        if (calls < failing) exit(status == TW_STATUS_OK ? NO_FAILURE : NOT_REFUSED);
        const int refused = status == TW_STATUS_FILE && strstr(error.text, random_state_file) &&
                            strstr(error.text, "Input/output error");
        exit(refused ? ENDED_WELL : NOT_REFUSED);
    }
    int status;
    assert_int_equal(waitpid(process, &status, 0), process);
    if (WIFSIGNALED(status)) fail_msg("call %d fails: signal %d", failing, WTERMSIG(status));
    return WEXITSTATUS(status);
}

static size_t files(void)
{
    size_t count = 0;
    DIR *all = opendir(random_state_folder);
    assert_non_null(all);
    for (struct dirent *entry; (entry = readdir(all));)
        count += entry->d_name[0] != '.';
    closedir(all);
    return count;
}

static size_t content(unsigned char **bytes)
{
    FILE *file = fopen(random_state_file, "rb");
    assert_non_null(file);
    assert_int_equal(fseek(file, 0, SEEK_END), 0);
    const size_t size = (size_t)ftell(file);
    rewind(file);
    *bytes = malloc(size);
    assert_non_null(*bytes);
    assert_int_equal(fread(*bytes, 1, size, file), size);
    fclose(file);
    return size;
}

static void a_failed_write_is_an_error_and_no_crash(void **state)
{
    (void)state;
    FILE *old = fopen(random_state_file, "wb");
    assert_non_null(old);
    fputs("old", old);
    fclose(old);
    int failing = 1, end;
    for (; (end = try_to_save(failing)) == ENDED_WELL; failing++) {
        unsigned char *bytes;
        assert_true(failing < TRIES_MAX);
        assert_int_equal(content(&bytes), 3);
        assert_memory_equal(bytes, "old", 3);
        assert_int_equal(files(), 1);
        free(bytes);
    }
    assert_int_equal(end, NO_FAILURE);
    assert_true(failing > 5); /* there were writes to fail */
}

static void short_and_interrupted_writes_are_completed(void **state)
{
    (void)state;
    tw_error error;
    unsigned char *plain, *pieces;
    assert_int_equal(save(&error), TW_STATUS_OK);
    const size_t size = content(&plain);
    most = 100;
    assert_int_equal(save(&error), TW_STATUS_OK);
    most = 0;
    assert_int_equal(content(&pieces), size);
    assert_memory_equal(plain, pieces, size);
    free(plain);
    free(pieces);
}

int main(void)
{
#define HERE(test)                                                                                 \
    cmocka_unit_test_setup_teardown(test, random_state_folder_make, random_state_folder_remove)
    const struct CMUnitTest tests[] = {
        HERE(a_failed_write_is_an_error_and_no_crash),
        HERE(short_and_interrupted_writes_are_completed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
