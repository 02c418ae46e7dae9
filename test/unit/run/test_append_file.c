/* SPDX-License-Identifier: BSD-3-Clause */
/* A growing file is truncated to the rows before a checkpoint. */
#define _XOPEN_SOURCE 700 /* truncate */
#include "check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "run/files.h"

static const char name[] = "test_append_file.txt";

static tw_run_append_file open_file(uint64_t length)
{
    tw_run_append_file file;
    tw_error error;
    if (tw_run_append_file_open(&file, tw_folder_path_join(".", name), length, &error) !=
        TW_STATUS_OK)
        fail_msg("%s", error.text);
    return file;
}

static void add(tw_run_append_file *file, const char *text)
{
    tw_error error;
    if (tw_run_append_file_add(file, text, strlen(text), &error) != TW_STATUS_OK)
        fail_msg("%s", error.text);
}

static void check_content(const char *text)
{
    tw_error error;
    char *found = tw_read_file_all(name, NULL, &error);
    assert_non_null(found);
    assert_string_equal(found, text);
    free(found);
}

static void rows_after_the_checkpoint_are_removed(void **state)
{
    (void)state;
    tw_error error;
    tw_run_append_file file = open_file(0);
    add(&file, "header\n");
    add(&file, "row 1\n");
    const uint64_t kept = file.length;
    add(&file, "row 2\nhalf a r");
    assert_int_equal(tw_run_append_file_sync(&file, &error), TW_STATUS_OK);
    tw_run_append_file_close(&file);
    check_content("header\nrow 1\nrow 2\nhalf a r");
    file = open_file(kept);
    assert_int_equal(file.length, kept);
    add(&file, "row two\n");
    tw_run_append_file_close(&file);
    check_content("header\nrow 1\nrow two\n");
}

static void a_file_that_lost_rows_is_refused(void **state)
{
    (void)state;
    tw_run_append_file file = open_file(0);
    tw_error error;
    add(&file, "row\n");
    tw_run_append_file_close(&file);
    assert_int_equal(tw_run_append_file_open(&file, tw_folder_path_join(".", name), 5, &error),
                     TW_STATUS_INPUT);
    assert_non_null(strstr(error.text, name));
    tw_run_append_file_close(&file);
    check_content("row\n");
}

static void a_file_that_another_program_changes_is_refused(void **state)
{
    (void)state;
    tw_run_append_file file = open_file(0);
    tw_error error;
    add(&file, "row 1\n");
    assert_int_equal(truncate(name, 0), 0);
    assert_int_equal(tw_run_append_file_add(&file, "row 2\n", 6, &error), TW_STATUS_FILE);
    assert_non_null(strstr(error.text, "0 bytes, but the run wrote 6"));
    assert_int_equal(tw_run_append_file_sync(&file, &error), TW_STATUS_FILE);
    check_content("");
    tw_run_append_file_close(&file);
    file = open_file(0);
    assert_int_equal(unlink(name), 0);
    assert_int_equal(tw_run_append_file_sync(&file, &error), TW_STATUS_FILE);
    assert_non_null(strstr(error.text, "removed or replaced"));
    tw_run_append_file_close(&file);
}

static void changes_before_the_checkpoint_are_noticed(void **state)
{
    (void)state;
    tw_run_append_file file = open_file(0);
    tw_error error;
    add(&file, "row 1\n");
    add(&file, "row 2\n");
    const uint64_t length = file.length, hash = tw_hash_value(&file.hash);
    add(&file, "row 3\n");
    tw_run_append_file_close(&file);
    assert_int_equal(tw_run_append_file_check(name, length, hash, &error), TW_STATUS_OK);
    file = open_file(length); /* the hash goes on from there */
    assert_true(tw_hash_value(&file.hash) == hash);
    tw_run_append_file_close(&file);
    assert_int_equal(tw_run_append_file_check(name, length + 1, hash, &error), TW_STATUS_INPUT);
    assert_non_null(strstr(error.text, "12 of 13 bytes"));
    file = open_file(0);
    add(&file, "row 1\nrow 3\n");
    tw_run_append_file_close(&file);
    assert_int_equal(tw_run_append_file_check(name, length, hash, &error), TW_STATUS_INPUT);
    assert_non_null(strstr(error.text, "changed"));
}

static void failures_name_the_file(void **state)
{
    (void)state;
    tw_run_append_file file;
    tw_error error;
    assert_int_equal(
        tw_run_append_file_open(&file, tw_folder_path_join("no_such", name), 0, &error),
        TW_STATUS_FILE);
    assert_non_null(strstr(error.text, name));
    tw_run_append_file_close(&file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_after_the_checkpoint_are_removed),
        cmocka_unit_test(a_file_that_lost_rows_is_refused),
        cmocka_unit_test(a_file_that_another_program_changes_is_refused),
        cmocka_unit_test(changes_before_the_checkpoint_are_noticed),
        cmocka_unit_test(failures_name_the_file),
    };
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    remove(name);
    return failed;
}
