/* SPDX-License-Identifier: BSD-3-Clause */
/* One holder at a time; a stale file is no obstacle. */
#include "check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "run/files.h"
#include "run/folder.h"

static const char folder[] = "test_run_lock";

static int make_folder(void **state)
{
    (void)state;
    return mkdir(folder, 0777);
}

static int remove_folder(void **state)
{
    (void)state;
    (void)unlink(tw_folder_path_join(folder, "lock").text);
    return rmdir(folder);
}

static tw_status take(tw_run_lock *lock, tw_error *error)
{
    return tw_run_lock_take(lock, folder, error);
}

static void there_is_one_holder(void **state)
{
    (void)state;
    tw_run_lock one, other;
    tw_error error;
    char me[60];
    assert_int_equal(take(&one, &error), TW_STATUS_OK);
    if (one.unsupported) skip();
    assert_int_equal(take(&other, &error), TW_STATUS_INPUT);
    snprintf(me, sizeof me, "test_run_lock is in use by process %ld on ", (long)getpid());
    assert_non_null(strstr(error.text, me));
    tw_run_lock_release(&other); /* holds nothing */
    assert_true(tw_run_file_exists(one.path.text));
    tw_run_lock_release(&one);
    assert_false(tw_run_file_exists(one.path.text));
    assert_int_equal(take(&other, &error), TW_STATUS_OK);
    tw_run_lock_release(&other);
}

static void a_file_that_was_left_is_taken_over(void **state)
{
    (void)state;
    tw_run_lock lock;
    tw_error error;
    FILE *file = fopen(tw_folder_path_join(folder, "lock").text, "w");
    assert_non_null(file);
    fputs("process 1 on another machine, with a long name\n", file);
    fclose(file);
    assert_int_equal(take(&lock, &error), TW_STATUS_OK);
    char *text = tw_read_file_all(lock.path.text, NULL, &error);
    assert_non_null(text);
    assert_int_equal(atol(text + strlen("process ")), getpid());
    assert_null(strstr(text, "another machine"));
    assert_string_equal(lock.before, "process 1 on another machine, with a long name");
    free(text);
    tw_run_lock_release(&lock);
    assert_int_equal(take(&lock, &error), TW_STATUS_OK);
    assert_string_equal(lock.before, "");
    tw_run_lock_release(&lock);
}

static void a_folder_that_is_not_there_is_an_error(void **state)
{
    (void)state;
    tw_run_lock lock;
    tw_error error;
    assert_int_equal(tw_run_lock_take(&lock, "no_such", &error), TW_STATUS_FILE);
    assert_non_null(strstr(error.text, "no_such/lock"));
    tw_run_lock_release(&lock);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(there_is_one_holder, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(a_file_that_was_left_is_taken_over, make_folder,
                                        remove_folder),
        cmocka_unit_test(a_folder_that_is_not_there_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
