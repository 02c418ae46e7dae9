/* SPDX-License-Identifier: BSD-3-Clause */
/* After a failure the old file is unchanged and no temporary file is left. */
#define _XOPEN_SOURCE 700
#define _DEFAULT_SOURCE /* seteuid, mkdtemp */
#include "check.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file.h"

static char folder[64];

/* Log of calls in order: f sync of a file, d sync of a folder, r rename. Calls of the kind `broken`
 * fail. */
static char calls[16];
static char broken;

int __real_fsync(int file);
int __real_rename(const char *from, const char *to);

static int log_call(char kind)
{
    const size_t used = strlen(calls);
    assert_true(used < sizeof calls - 1);
    calls[used] = kind;
    calls[used + 1] = '\0';
    errno = EIO;
    return kind == broken;
}

int __wrap_fsync(int file)
{
    struct stat about;
    assert_int_equal(fstat(file, &about), 0);
    return log_call(S_ISDIR(about.st_mode) ? 'd' : 'f') ? -1 : __real_fsync(file);
}

int __wrap_rename(const char *from, const char *to)
{
    return log_call('r') ? -1 : __real_rename(from, to);
}

static int enter_folder(void **state)
{
    (void)state;
    calls[0] = broken = '\0';
    snprintf(folder, sizeof folder, "/tmp/twirl-replace-XXXXXX");
    return mkdtemp(folder) && chdir(folder) == 0 ? 0 : -1;
}

static int remove_folder(void **state)
{
    (void)state;
    char command[160];
    snprintf(command, sizeof command, "chmod -R u+w %s; rm -r %s", folder, folder);
    return chdir("/") == 0 && system(command) == 0 ? 0 : -1;
}

static void put(const char *path, const char *text)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

static void check_content(const char *path, const char *text)
{
    char found[256] = "";
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    found[fread(found, 1, sizeof found - 1, file)] = '\0';
    fclose(file);
    assert_string_equal(found, text);
}

static int temporaries(const char *path)
{
    int count = 0;
    DIR *opened = opendir(path);
    assert_non_null(opened);
    for (struct dirent *entry = readdir(opened); entry; entry = readdir(opened))
        count += strstr(entry->d_name, ".tmp") != NULL;
    closedir(opened);
    return count;
}

static void content_is_replaced_in_one_call(void **state)
{
    (void)state;
    put("a.txt", "the old content, which is longer");
    tw_error error;
    assert_int_equal(tw_replace_file_with("a.txt", "new", 3, &error), TW_STATUS_OK);
    check_content("a.txt", "new");
    assert_int_equal(tw_replace_file_with("fresh.txt", "", 0, &error), TW_STATUS_OK);
    check_content("fresh.txt", "");
    assert_int_equal(temporaries("."), 0);
}

/* The old content is kept until commit, however the new content is written. */
static void all_ways_of_writing_wait_for_commit(void **state)
{
    (void)state;
    for (int way = 0; way < 3; way++) {
        put("a.txt", "old");
        tw_replace_file file;
        assert_int_equal(tw_replace_file_begin(&file, "a.txt", TW_REPLACE_FILE_OR_DEVICE, NULL),
                         TW_STATUS_OK);
        assert_int_equal(temporaries("."), 1);
        if (way == 0) {
            assert_true(tw_replace_file_write(&file, "new", 3));
        } else if (way == 1) {
            assert_true(fputs("new", tw_replace_file_stream(&file)) >= 0);
            assert_ptr_equal(tw_replace_file_stream(&file), file.stream);
        } else {
            put(file.temporary, "new");
        }
        check_content("a.txt", "old");
        assert_int_equal(tw_replace_file_commit(&file, NULL), TW_STATUS_OK);
        check_content("a.txt", "new");
        assert_int_equal(temporaries("."), 0);
    }
}

/* A power failure at any time leaves the old file or the new one, never an empty one. */
static void the_file_is_synced_before_the_rename_and_the_folder_after(void **state)
{
    (void)state;
    assert_int_equal(mkdir("sub", 0777), 0);
    assert_int_equal(tw_replace_file_with("sub/a.txt", "new", 3, NULL), TW_STATUS_OK);
    assert_string_equal(calls, "frd");
    calls[0] = '\0';
    assert_int_equal(tw_replace_file_with("a.txt", "new", 3, NULL), TW_STATUS_OK);
    assert_string_equal(calls, "frd");
}

static void a_failed_sync_is_an_error(void **state)
{
    (void)state;
    static const char kinds[] = "frd";
    for (size_t i = 0; i < 3; i++) {
        tw_error error;
        put("a.txt", "old");
        calls[0] = '\0';
        broken = kinds[i];
        assert_int_equal(tw_replace_file_with("a.txt", "new", 3, &error), TW_STATUS_FILE);
        assert_string_equal(error.text, "cannot write a.txt: Input/output error");
        assert_int_equal(strlen(calls), i + 1);
        /* the folder is synced after the rename: the new content is there, but may be lost */
        check_content("a.txt", kinds[i] == 'd' ? "new" : "old");
        assert_int_equal(temporaries("."), 0);
    }
}

static void abort_keeps_the_old_content(void **state)
{
    (void)state;
    put("a.txt", "old");
    tw_replace_file file;
    for (int stream = 0; stream < 2; stream++) {
        assert_int_equal(tw_replace_file_begin(&file, "a.txt", TW_REPLACE_FILE_REGULAR, NULL),
                         TW_STATUS_OK);
        if (stream) assert_true(fputs("new", tw_replace_file_stream(&file)) >= 0);
        tw_replace_file_abort(&file);
        check_content("a.txt", "old");
        assert_int_equal(temporaries("."), 0);
    }
}

/* Two writers of one file are independent; the last to commit wins. */
static void two_writers_are_independent(void **state)
{
    (void)state;
    tw_replace_file one, two;
    assert_int_equal(tw_replace_file_begin(&one, "b", TW_REPLACE_FILE_REGULAR, NULL), TW_STATUS_OK);
    assert_int_equal(tw_replace_file_begin(&two, "b", TW_REPLACE_FILE_REGULAR, NULL), TW_STATUS_OK);
    assert_string_not_equal(one.temporary, two.temporary);
    assert_true(tw_replace_file_write(&one, "1", 1) && tw_replace_file_write(&two, "2", 1));
    assert_int_equal(tw_replace_file_commit(&two, NULL), TW_STATUS_OK);
    assert_int_equal(tw_replace_file_commit(&one, NULL), TW_STATUS_OK);
    check_content("b", "1");
}

/* A limit on the file size simulates a full disk. */
static void a_full_disk_keeps_the_old_content(void **state)
{
    (void)state;
    signal(SIGXFSZ, SIG_IGN);
    struct rlimit before;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    const struct rlimit small = {100, before.rlim_max};
    static const char much[1000];
    for (int stream = 0; stream < 2; stream++) {
        put("a.txt", "old");
        tw_replace_file file;
        tw_error error;
        assert_int_equal(tw_replace_file_begin(&file, "a.txt", TW_REPLACE_FILE_REGULAR, &error),
                         TW_STATUS_OK);
        assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
        if (stream)
            (void)fwrite(much, 1, sizeof much, tw_replace_file_stream(&file));
        else
            assert_false(tw_replace_file_write(&file, much, sizeof much));
        const tw_status status = tw_replace_file_commit(&file, &error);
        assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
        assert_int_equal(status, TW_STATUS_FILE);
        assert_string_equal(error.text, "cannot write a.txt: File too large");
        check_content("a.txt", "old");
        assert_int_equal(temporaries("."), 0);
    }
}

static void a_failed_rename_removes_the_temporary_file(void **state)
{
    (void)state;
    tw_replace_file file;
    tw_error error;
    assert_int_equal(tw_replace_file_begin(&file, "c", TW_REPLACE_FILE_REGULAR, &error),
                     TW_STATUS_OK);
    assert_int_equal(mkdir("c", 0777), 0);
    assert_int_equal(tw_replace_file_commit(&file, &error), TW_STATUS_FILE);
    assert_string_equal(error.text, "cannot write c: Is a directory");
    assert_int_equal(temporaries("."), 0);
}

static void check_refused(const char *path, tw_replace_file_kind kind, const char *text)
{
    tw_replace_file file;
    tw_error error;
    assert_int_equal(tw_replace_file_begin(&file, path, kind, &error), TW_STATUS_FILE);
    assert_string_equal(error.text, text);
    assert_int_equal(temporaries("."), 0);
}

static void invalid_targets_are_refused_immediately(void **state)
{
    (void)state;
    assert_int_equal(mkdir("d", 0777), 0);
    check_refused("d", TW_REPLACE_FILE_OR_DEVICE, "cannot write d: Is a directory");
    check_refused("none/a", TW_REPLACE_FILE_OR_DEVICE,
                  "cannot write none/a: No such file or directory");
    check_refused("", TW_REPLACE_FILE_REGULAR, "cannot write : No such file or directory");
    check_refused("/dev/null", TW_REPLACE_FILE_REGULAR,
                  "cannot write /dev/null: not a regular file");
    char path[2 * TW_REPLACE_FILE_PATH_MAX];
    memset(path, 'x', sizeof path - 1);
    path[sizeof path - 1] = '\0';
    tw_replace_file file;
    assert_int_equal(tw_replace_file_begin(&file, path, TW_REPLACE_FILE_REGULAR, NULL),
                     TW_STATUS_FILE);
}

/* Root may write everywhere, so the test switches to another user. */
static void permissions_are_respected(void **state)
{
    (void)state;
    put("mine", "old");
    assert_int_equal(mkdir("closed", 0777), 0);
    put("closed/a", "old");
    assert_int_equal(chmod("mine", 0444) | chmod("closed/a", 0666) | chmod("closed", 0555), 0);
    assert_int_equal(chmod(".", 0777), 0);
    const bool root = geteuid() == 0;
    if (root && setreuid(65534, 0) != 0) skip(); /* access() uses the real user id */
    if (root && seteuid(65534) != 0) skip();
    check_refused("mine", TW_REPLACE_FILE_REGULAR, "cannot write mine: Permission denied");
    check_refused("closed/a", TW_REPLACE_FILE_REGULAR, "cannot write closed/a: Permission denied");
    if (root) assert_int_equal(seteuid(0) | setreuid(0, 0), 0);
    check_content("mine", "old");
    check_content("closed/a", "old");
}

static void a_symbolic_link_stays_one(void **state)
{
    (void)state;
    struct stat about;
    assert_int_equal(mkdir("store", 0777), 0);
    put("store/real", "old");
    assert_int_equal(symlink("store/real", "link"), 0);
    assert_int_equal(tw_replace_file_with("link", "new", 3, NULL), TW_STATUS_OK);
    check_content("store/real", "new");
    assert_int_equal(lstat("link", &about), 0);
    assert_true(S_ISLNK(about.st_mode));
}

static void devices_are_written_in_place(void **state)
{
    (void)state;
    tw_replace_file file;
    struct stat about;
    for (int full = 0; full < 2; full++) {
        const char *path = full ? "/dev/full" : "/dev/null";
        assert_int_equal(tw_replace_file_begin(&file, path, TW_REPLACE_FILE_OR_DEVICE, NULL),
                         TW_STATUS_OK);
        assert_string_equal(file.temporary, "");
        assert_int_equal(tw_replace_file_write(&file, "x", 1), !full);
        tw_error error;
        assert_int_equal(tw_replace_file_commit(&file, &error),
                         full ? TW_STATUS_FILE : TW_STATUS_OK);
        if (full)
            assert_string_equal(error.text, "cannot write /dev/full: No space left on device");
        assert_int_equal(stat(path, &about), 0);
        assert_true(S_ISCHR(about.st_mode));
    }
}

static void leftovers_of_killed_programs_are_removed(void **state)
{
    static const char *const left[] = {"a.h5.12.0.tmp", "b.3.14.tmp"};
    static const char *const others[] = {
        "a.h5",           "a.tmp",    "12.0.tmp", "b.12.tmp",
        "b.12.0.tmp.csv", "c..0.tmp", ".tmp",     "folder/b.3.14.tmp"};
    (void)state;
    assert_int_equal(mkdir("folder", 0777), 0);
    for (size_t k = 0; k < sizeof left / sizeof *left; k++)
        put(left[k], "partial");
    for (size_t k = 0; k < sizeof others / sizeof *others; k++)
        put(others[k], "whole");
    tw_replace_file_clean(".");
    for (size_t k = 0; k < sizeof left / sizeof *left; k++)
        assert_int_not_equal(access(left[k], F_OK), 0);
    for (size_t k = 0; k < sizeof others / sizeof *others; k++)
        check_content(others[k], "whole");
}

static void leftovers_of_one_file_are_removed_if_their_program_has_ended(void **state)
{
    (void)state;
    char ended[40], mine[40], live[40], other[40];
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) _exit(0);
    assert_int_equal(waitpid(child, NULL, 0), child);
    snprintf(ended, sizeof ended, "a.h5.%ld.0.tmp", (long)child);
    snprintf(mine, sizeof mine, "a.h5.%ld.1.tmp", (long)getpid());
    snprintf(live, sizeof live, "a.h5.%ld.0.tmp", (long)getppid());
    snprintf(other, sizeof other, "aa.h5.%ld.0.tmp", (long)child);
    const char *const all[] = {ended, mine, live, other};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++)
        put(all[k], "partial");
    tw_replace_file_clean_target("a.h5");
    for (size_t k = 0; k < sizeof all / sizeof *all; k++)
        assert_int_equal(access(all[k], F_OK) == 0, k >= 2);
    put("a.h5", "whole");
    put(ended, "partial");
    assert_int_equal(symlink("a.h5", "link"), 0);
    tw_replace_file_clean_target("./link"); /* it is where a write would be */
    assert_int_not_equal(access(ended, F_OK), 0);
    check_content("a.h5", "whole");
}

static void a_folder_may_exist_but_not_as_a_file_nor_without_its_own_folder(void **state)
{
    (void)state;
    tw_error error;
    assert_int_equal(tw_folder_make("here", &error), TW_STATUS_OK);
    assert_int_equal(tw_folder_make("here", &error), TW_STATUS_OK);
    assert_int_equal(tw_folder_make(tw_folder_path_join("here", "there").text, &error),
                     TW_STATUS_OK);
    assert_int_equal(access("here/there", F_OK), 0);
    put("file", "content");
    assert_int_equal(tw_folder_make("file", &error), TW_STATUS_FILE);
    assert_non_null(strstr(error.text, "cannot create the folder file: Not a directory"));
    assert_int_equal(tw_folder_make("gone/there", &error), TW_STATUS_FILE);
    assert_non_null(strstr(error.text, "there is no folder gone to create it in"));
}

static void a_path_is_joined_whole_or_not_at_all(void **state)
{
    (void)state;
    char name[TW_REPLACE_FILE_PATH_MAX];
    assert_string_equal(tw_folder_path_join("here", "there").text, "here/there");
    assert_string_equal(tw_folder_path_in("a", "b", "c", ".d").text, "a/b/c.d");
    memset(name, 'x', sizeof name);
    name[sizeof name - sizeof "here/"] = '\0';
    assert_int_equal(strlen(tw_folder_path_join("here", name).text), sizeof name - 1);
    assert_string_equal(tw_folder_path_join("here.", name).text, "");
    assert_string_equal(tw_folder_path_in("here", "b", name, "").text, "");
}

#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, enter_folder, remove_folder)

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_FOLDER(content_is_replaced_in_one_call),
        IN_FOLDER(all_ways_of_writing_wait_for_commit),
        IN_FOLDER(the_file_is_synced_before_the_rename_and_the_folder_after),
        IN_FOLDER(a_failed_sync_is_an_error),
        IN_FOLDER(abort_keeps_the_old_content),
        IN_FOLDER(two_writers_are_independent),
        IN_FOLDER(a_full_disk_keeps_the_old_content),
        IN_FOLDER(a_failed_rename_removes_the_temporary_file),
        IN_FOLDER(invalid_targets_are_refused_immediately),
        IN_FOLDER(permissions_are_respected),
        IN_FOLDER(a_symbolic_link_stays_one),
        IN_FOLDER(leftovers_of_killed_programs_are_removed),
        IN_FOLDER(leftovers_of_one_file_are_removed_if_their_program_has_ended),
        IN_FOLDER(devices_are_written_in_place),
        cmocka_unit_test(a_path_is_joined_whole_or_not_at_all),
        IN_FOLDER(a_folder_may_exist_but_not_as_a_file_nor_without_its_own_folder),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
