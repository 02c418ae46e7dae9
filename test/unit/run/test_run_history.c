/* SPDX-License-Identifier: BSD-3-Clause */
/* Readers of a history learn that it was changed, and at which line; that of a run under way may
 * end anywhere. */
#include "check.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <twirl/run.h>
#include <unistd.h>

#include "run/files.h"
#include "run/state.h"

enum { ROWS = 5 };

static const char folder[] = "test_run_history";
static const char *const files[] = {"run_state_a.txt", "run_state_b.txt", "history.csv"};

static int make_folder(void **state)
{
    (void)state;
    return mkdir(folder, 0777);
}

static int remove_folder(void **state)
{
    (void)state;
    for (int k = 0; k < 3; k++)
        (void)unlink(tw_folder_path_join(folder, files[k]).text);
    return rmdir(folder);
}

static tw_text_buffer make_history(uint64_t identity)
{
    static const char header[] = "step,p,check\n";
    tw_text_buffer text = {0};
    uint32_t check = tw_run_history_check_start(identity, header);
    tw_text_buffer_add(&text, "%s", header);
    for (int k = 1; k <= ROWS; k++) {
        tw_text_buffer row = {0};
        tw_text_buffer_add(&row, "%d,%g", k, 0.25 * k);
        tw_run_history_check_add(&check, &row);
        tw_text_buffer_add(&text, "%s", row.text);
        tw_text_buffer_free(&row);
    }
    return text;
}

static void write_history(const char *text, size_t length)
{
    FILE *file = fopen(tw_folder_path_join(folder, "history.csv").text, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(text, 1, length, file), length);
    assert_int_equal(fclose(file), 0);
}

static void write_state(int pair, uint64_t commit, uint64_t phase, uint64_t length)
{
    tw_error error;
    const tw_run_state state = {.identity = 7, .commit = commit, .phase = phase, .history = length};
    if (tw_run_state_write(&state, tw_folder_path_join(folder, files[pair]).text, &error) !=
        TW_STATUS_OK)
        fail_msg("%s", error.text);
}

static void expect(const char *words)
{
    tw_error error;
    const tw_status status = tw_run_results_check(folder, &error);
    assert_int_equal(tw_run_results_check(folder, NULL), status);
    assert_int_equal(status, words ? TW_STATUS_INPUT : TW_STATUS_OK);
    if (words && !strstr(error.text, words)) fail_msg("'%s' without '%s'", error.text, words);
}

static void any_change_is_found(void **state)
{
    (void)state;
    tw_text_buffer text = make_history(7);
    size_t line = 1;
    write_history(text.text, text.length);
    write_state(0, 2, TW_RUN_STATE_STAGES, 30);
    write_state(1, 3, TW_RUN_STATE_DONE, text.length);
    expect(NULL);
    for (size_t k = 0; k < text.length; k++) {
        char words[40];
        const char old = text.text[k], new[] = {'\0', (char)(old ^ 1)};
        snprintf(words, sizeof words, "history.csv:%zu: ", line > 1 ? line : 2);
        for (int change = 0; change < 2; change++) {
            text.text[k] = new[change];
            write_history(text.text, text.length);
            expect(words);
        }
        text.text[k] = old;
        line += old == '\n';
    }
    tw_text_buffer_free(&text);
    assert_int_equal(line, ROWS + 2);
}

static void only_a_finished_history_has_an_end(void **state)
{
    (void)state;
    tw_text_buffer text = make_history(7);
    for (uint64_t phase = TW_RUN_STATE_STAGES; phase <= TW_RUN_STATE_DONE; phase++) {
        write_state(0, 4, phase, text.length);
        for (size_t length = 0; length < text.length; length++) {
            write_history(text.text, length);
            expect(phase == TW_RUN_STATE_DONE ? "history.csv:" : NULL);
        }
    }
    tw_text_buffer_free(&text);
}

static void the_run_is_that_of_the_states(void **state)
{
    (void)state;
    tw_text_buffer other = make_history(8);
    write_history(other.text, other.length);
    tw_text_buffer_free(&other);
    expect("history.csv:2: the history belongs to another run");
    for (int k = 0; k < 2; k++) {
        FILE *file = fopen(tw_folder_path_join(folder, files[k]).text, "w");
        assert_non_null(file);
        assert_int_equal(fclose(file), 0);
        expect(k == 0 ? "history.csv:2: " : "run_state_b.txt: damaged");
    }
    for (int k = 0; k < 2; k++)
        assert_int_equal(unlink(tw_folder_path_join(folder, files[k]).text), 0);
    expect(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_change_is_found),
        cmocka_unit_test(only_a_finished_history_has_an_end),
        cmocka_unit_test(the_run_is_that_of_the_states),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
