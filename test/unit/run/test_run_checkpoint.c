/* SPDX-License-Identifier: BSD-3-Clause */
/* A run whose device fails names the checkpoint that is there, not one that could not be written.
 */
#include "check.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "run/checkpoint.h"

static const char folder[] = "test_run_checkpoint";
static const char *const files[] = {"checkpoint_b.h5", "run_state_b.txt", "history.csv",
                                    "run.output.log",  "warnings.txt",    "files.txt"};

static int make_folder(void **state)
{
    (void)state;
    return mkdir(folder, 0777);
}

static int remove_folder(void **state)
{
    (void)state;
    for (size_t k = 0; k < sizeof files / sizeof *files; k++)
        (void)unlink(tw_folder_path_join(folder, files[k]).text);
    (void)rmdir(tw_folder_path_join(folder, "checkpoint_a.h5").text);
    return rmdir(folder);
}

static void open_files(tw_run *run)
{
    tw_run_append_file *const opened[] = {&run->output.history, &run->output.log,
                                          &run->output.warnings, &run->output.files};
    for (size_t k = 0; k < sizeof opened / sizeof *opened; k++)
        assert_int_equal(tw_run_append_file_open(
                             opened[k], tw_folder_path_join(folder, files[2 + k]), 0, run->error),
                         TW_STATUS_OK);
}

static tw_sim *make_sim(void)
{
    tw_error error;
    tw_sim_def def = tw_sim_def_default();
    def.law.kn = def.law.kt = 1e5;
    for (int k = 0; k < 3; k++)
        def.cell.m[4 * k] = 1.0;
    tw_sim *sim = tw_sim_create(&def, &error);
    if (!sim) fail_msg("%s", error.text);
    return sim;
}

static void fail_device(tw_run *run)
{
    tw_error_set(run->error, TW_STATUS_DEVICE, "the device has failed");
    assert_int_equal(tw_run_checkpoint_tell(run, run->error), TW_STATUS_DEVICE);
}

static void what_could_not_be_written_is_not_named(void **state)
{
    (void)state;
    tw_error error;
    const tw_run_plan plan = {.folder = folder};
    tw_run run = {.plan = &plan, .sim = make_sim(), .error = &error};
    open_files(&run);
    fail_device(&run);
    assert_string_equal(error.text, "the device has failed"); /* nothing saved yet */
    run.state.phase = TW_RUN_STATE_STAGES;
    run.state.steps = 100;
    assert_int_equal(tw_run_checkpoint_commit(&run), TW_STATUS_OK);
    /* A folder in the place of the next checkpoint: also root cannot write there. */
    assert_int_equal(mkdir(tw_folder_path_join(folder, "checkpoint_a.h5").text, 0777), 0);
    run.state.steps = 200;
    assert_int_not_equal(tw_run_checkpoint_commit(&run), TW_STATUS_OK);
    fail_device(&run);
    assert_non_null(strstr(error.text, "last saved at step 100, in checkpoint_b.h5"));
    assert_true(tw_run_file_exists(tw_folder_path_join(folder, "checkpoint_b.h5").text));
    tw_run_append_file_close(&run.output.history);
    tw_run_append_file_close(&run.output.log);
    tw_run_append_file_close(&run.output.warnings);
    tw_run_append_file_close(&run.output.files);
    tw_sim_free(run.sim);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(what_could_not_be_written_is_not_named, make_folder,
                                        remove_folder),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
