/* SPDX-License-Identifier: BSD-3-Clause */
/* The state of a run and the check of its history. The first byte selects:
 *   0  the rest is the file of a run state
 *   1  changes to a valid one, each of a position (2 bytes) and a byte; it then gets a new check
 *   2  the same without a new check: must be refused unless nothing has changed
 *   3  a burst of up to four bytes in a valid history: must be found, whatever and wherever it is
 */
#define _GNU_SOURCE
#include "fuzz.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/hash.h"
#include "run/files.h"
#include "run/state.h"

enum { CHECK_LINE = 23 }; /* "check ", 16 digits, newline */

static char *good, *changed; /* a valid run state, and its changed copy */
static size_t good_size;

static const char header[] = "step,time,check\n";
static tw_text_buffer history;

static void make_history(void)
{
    uint32_t check = tw_run_history_check_start(7, header);
    tw_text_buffer_add(&history, "%s", header);
    for (int k = 0; k < 9; k++) {
        tw_text_buffer row = {0};
        tw_text_buffer_add(&row, "%d,%.17g", 50 * k, 0.1 * k);
        tw_run_history_check_add(&check, &row);
        tw_text_buffer_add(&history, "%s", row.text);
        free(row.text);
    }
    if (history.failed || tw_run_history_check_find(7, header, history.text, &check) != 0)
        fuzz_fail("a valid history is refused");
}

static void clean_up(void)
{
    free(good);
    free(changed);
    free(history.text);
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc, (void)argv;
    tw_error error;
    char folder[] = "/tmp/twirl_fuzz_XXXXXX", path[64];
    tw_run_state state = {.identity = 1, .commit = 4, .phase = TW_RUN_STATE_STAGES, .steps = 200};
    state.time = 0.25;
    if (!mkdtemp(folder)) fuzz_fail("cannot create a folder");
    snprintf(path, sizeof path, "%s/run_state_a.txt", folder);
    if (tw_run_state_write(&state, path, &error) != TW_STATUS_OK) fuzz_fail(error.text);
    good = tw_read_file_all(path, &good_size, &error);
    unlink(path);
    rmdir(folder);
    changed = malloc(good_size + 1);
    if (!good || !changed) fuzz_fail("no run state");
    make_history();
    atexit(clean_up);
    return 0;
}

static void read_state(const char *text, size_t size, int must_refuse)
{
    tw_error error = {TW_STATUS_OK, ""};
    tw_run_state state;
    const char *path = fuzz_file((const uint8_t *)text, size);
    const tw_status status = tw_run_state_read(&state, path, &error);
    if ((status == TW_STATUS_OK) != (error.text[0] == '\0')) fuzz_fail("status and error disagree");
    if (status == TW_STATUS_OK && must_refuse) fuzz_fail("damage was not detected");
    if (status == TW_STATUS_OK && !(state.phase <= TW_RUN_STATE_DONE && isfinite(state.time)))
        fuzz_fail("an impossible state is accepted");
}

static void change_state(const uint8_t *data, size_t size, int renew)
{
    memcpy(changed, good, good_size + 1);
    for (size_t at = 0; at + 3 <= size; at += 3)
        changed[(data[at] | (size_t)data[at + 1] << 8) % good_size] = (char)data[at + 2];
    const size_t before = good_size - CHECK_LINE;
    if (renew)
        snprintf(changed + before, CHECK_LINE + 1, "check %016" PRIx64 "\n",
                 tw_hash_of(changed, before, 2));
    read_state(changed, good_size, !renew && memcmp(changed, good, good_size) != 0);
}

static void change_history(const uint8_t *data, size_t size)
{
    uint32_t check;
    if (size < 3) return;
    char *text = strdup(history.text);
    if (!text) fuzz_fail("out of memory");
    const size_t at = (data[0] | (size_t)data[1] << 8) % history.length;
    for (size_t k = 2; k < size && k < 6 && at + k - 2 < history.length; k++)
        if (data[k]) text[at + k - 2] = (char)data[k];
    const int same = strcmp(text, history.text) == 0;
    const size_t line = tw_run_history_check_find(7, header, text, &check);
    if (same != (line == 0))
        fuzz_fail(same ? "a valid history is refused" : "a change is not found");
    free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0) return -1;
    if (data[0] % 4 == 0)
        read_state((const char *)data + 1, size - 1, 0);
    else if (data[0] % 4 == 3)
        change_history(data + 1, size - 1);
    else
        change_state(data + 1, size - 1, data[0] % 4 == 1);
    return 0;
}
