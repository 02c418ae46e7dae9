/* SPDX-License-Identifier: BSD-3-Clause */
/* The run state is read back bitwise; a file with any change is refused. */
#include "check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "run/files.h"
#include "run/state.h"

static const char path[] = "test_run_state.txt";

/* Every field has a different value. */
static tw_run_state make_state(void)
{
    tw_run_state state;
    uint64_t next = 0;
    memset(&state, 0, sizeof state);
#define COUNT(name) state.name = UINT64_MAX - next++;
#define COUNTS(name, length)                                                                       \
    for (int k = 0; k < (length); k++)                                                             \
        state.name[k] = UINT64_MAX - next++;
#define HASH(name) state.name = UINT64_MAX - next++;
#define NUMBER(name) state.name = 1.0 / (double)(3 + next++);
#define NUMBERS(name, length)                                                                      \
    for (int k = 0; k < (length); k++)                                                             \
        state.name[k] = -1.0 / (double)(3 + next++);
#define FILES(list, count)                                                                         \
    for (int k = 0; k < (count); k++) {                                                            \
        snprintf(state.list[k].name, sizeof state.list[k].name, "materials.csv");                  \
        state.list[k].length = UINT64_MAX - next++;                                                \
        state.list[k].hash = UINT64_MAX - next++;                                                  \
    }
#include "run/run_state.def"
    state.phase = TW_RUN_STATE_DONE;
    state.begun = state.probing = 1;
    return state;
}

static void write_state(const tw_run_state *state)
{
    tw_error error;
    if (tw_run_state_write(state, path, &error) != TW_STATUS_OK) fail_msg("%s", error.text);
}

static char *read_text(void)
{
    tw_error error;
    char *text = tw_read_file_all(path, NULL, &error);
    if (!text) fail_msg("%s", error.text);
    return text;
}

static void every_field_is_restored(void **test)
{
    (void)test;
    tw_run_state state = make_state(), found;
    tw_error error;
    state.target = (double)INFINITY;
    memset(&found, 0, sizeof found);
    write_state(&state);
    if (tw_run_state_read(&found, path, &error) != TW_STATUS_OK) fail_msg("%s", error.text);
    assert_memory_equal(&found, &state, sizeof state);
}

static void a_run_without_series_has_no_lines_of_them(void **test)
{
    (void)test;
    tw_run_state state = make_state(), found;
    tw_error error;
    memset(state.series, 0, sizeof state.series);
    write_state(&state);
    char *text = read_text();
    assert_null(strstr(text, "series"));
    free(text);
    memset(&found, 1, sizeof found);
    assert_int_equal(tw_run_state_read(&found, path, &error), TW_STATUS_OK);
    assert_memory_equal(&found, &state, sizeof state);
}

static void an_unset_value_is_restored_as_unset(void **test)
{
    (void)test;
    tw_run_state state = make_state(), found;
    tw_error error;
    state.target = (double)NAN;
    write_state(&state);
    assert_int_equal(tw_run_state_read(&found, path, &error), TW_STATUS_OK);
    assert_true(isnan(found.target));
}

static void check_refused(const char *text)
{
    tw_run_state found;
    tw_error error;
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
    assert_int_equal(tw_run_state_read(&found, path, &error), TW_STATUS_INPUT);
    assert_non_null(strstr(error.text, path));
    assert_true(strstr(error.text, "damaged") || strstr(error.text, "another version"));
}

static void other_texts_are_refused(void **test)
{
    (void)test;
    tw_run_state state = make_state();
    write_state(&state);
    char *text = read_text();
    char *changed = malloc(strlen(text) + 100);
    assert_non_null(changed);
    check_refused("");
    check_refused("nonsense");
    /* Any other character at any place. */
    for (size_t k = 0; text[k]; k++) {
        if (k >= strlen("twirl run state ") && text[k] != '\n' && k % 7 != 0) continue;
        strcpy(changed, text);
        changed[k] = text[k] == 'x' ? 'y' : 'x';
        check_refused(changed);
    }
    sprintf(changed, "another heading\n%s", text);
    check_refused(changed);
    sprintf(changed, "%smore 1\n", text);
    check_refused(changed);
    /* Truncated after each line, and within some. */
    for (size_t length = 0; length < strlen(text); length++) {
        if (length % 17 != 0 && text[length - 1] != '\n') continue;
        sprintf(changed, "%.*s", (int)length, text);
        check_refused(changed);
    }
    free(changed);
    free(text);
}

static void other_versions_are_named(void **test)
{
    (void)test;
    tw_run_state found;
    tw_error error;
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs("twirl run state 1\nphase 0\n", file);
    fclose(file);
    assert_int_equal(tw_run_state_read(&found, path, &error), TW_STATUS_INPUT);
    assert_non_null(strstr(error.text, "another version"));
}

/* With a right check: a program that is wrong, not a file. */
static void impossible_values_are_refused(void **test)
{
    (void)test;
    tw_run_state state = make_state(), found;
    tw_error error;
    state.phase = TW_RUN_STATE_DONE + 1;
    write_state(&state);
    assert_int_equal(tw_run_state_read(&found, path, &error), TW_STATUS_INPUT);
    state = make_state();
    state.time = (double)NAN;
    write_state(&state);
    assert_int_equal(tw_run_state_read(&found, path, &error), TW_STATUS_INPUT);
    static const char *const names[] = {"../materials.csv",  "materials",   ".csv",
                                        "materials.csv.txt", "regions.csv", "material s.csv"};
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        state = make_state();
        snprintf(state.series[0].name, sizeof state.series[0].name, "%s", names[k]);
        write_state(&state);
        assert_int_equal(tw_run_state_read(&found, path, &error), TW_STATUS_INPUT);
    }
    state = make_state();
    state.phase = TW_RUN_STATE_START; /* with a checkpoint */
    write_state(&state);
    assert_int_equal(tw_run_state_read(&found, path, &error), TW_STATUS_INPUT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_field_is_restored),
        cmocka_unit_test(a_run_without_series_has_no_lines_of_them),
        cmocka_unit_test(an_unset_value_is_restored_as_unset),
        cmocka_unit_test(other_texts_are_refused),
        cmocka_unit_test(other_versions_are_named),
        cmocka_unit_test(impossible_values_are_refused),
    };
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    remove(path);
    return failed;
}
