/* SPDX-License-Identifier: BSD-3-Clause */
#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <twirl/run.h>

#include "base/error.h"
#include "base/hash.h"
#include "base/text.h"
#include "run/files.h"
#include "run/state.h"

static const char heading[] = "twirl run state 5\n";

/* The last line has the hash of everything before it. */
static const char check_name[] = "check ";
enum { CHECK_LINE = sizeof check_name - 1 + 16 + 1 };

static uint64_t check_of(const char *text, size_t length)
{
    return tw_hash_of(text, length, 2);
}

const char *tw_run_state_pair(const tw_run_state *state)
{
    return state->commit % 2 == 0 ? "a" : "b";
}

/* ---- Writing ---- */

static void write_counts(tw_text_buffer *text, const char *name, const uint64_t *value,
                         size_t length)
{
    for (size_t k = 0; k < length; k++)
        tw_text_buffer_add(text, "%s %" PRIu64 "\n", name, value[k]);
}

static void write_numbers(tw_text_buffer *text, const char *name, const double *value,
                          size_t length)
{
    for (size_t k = 0; k < length; k++)
        tw_text_buffer_add(text, "%s %a\n", name, value[k]);
}

/* A run without series has no lines. */
static void write_files(tw_text_buffer *text, const char *name, const tw_run_state_series *file,
                        size_t count)
{
    for (size_t k = 0; k < count && *file[k].name; k++)
        tw_text_buffer_add(text, "%s %s %" PRIu64 " %016" PRIx64 "\n", name, file[k].name,
                           file[k].length, file[k].hash);
}

tw_status tw_run_state_write(const tw_run_state *state, const char *path, tw_error *error)
{
    tw_text_buffer text = {0};
    tw_text_buffer_add(&text, "%s", heading);
#define COUNT(name) write_counts(&text, #name, &state->name, 1);
#define COUNTS(name, length) write_counts(&text, #name, state->name, length);
#define HASH(name) tw_text_buffer_add(&text, #name " %016" PRIx64 "\n", state->name);
#define NUMBER(name) write_numbers(&text, #name, &state->name, 1);
#define NUMBERS(name, length) write_numbers(&text, #name, state->name, length);
#define FILES(name, count) write_files(&text, #name, state->name, count);
#include "run/run_state.def"
    if (!text.failed)
        tw_text_buffer_add(&text, "%s%016" PRIx64 "\n", check_name,
                           check_of(text.text, text.length));
    return tw_replace_file_text(path, &text, error);
}

/* ---- Reading ---- */

/* Moves *line to the next line and returns the text after `name`, or NULL if the line has another
 * name. */
static const char *next_value(const char **line, const char *name)
{
    const size_t length = strlen(name);
    const char *end = strchr(*line, '\n');
    if (!end || strncmp(*line, name, length) != 0 || (*line)[length] != ' ') return NULL;
    const char *value = *line + length + 1;
    *line = end + 1;
    return value;
}

static bool read_counts(const char **line, const char *name, uint64_t *value, size_t length,
                        int base)
{
    for (size_t k = 0; k < length; k++) {
        const char *text = next_value(line, name);
        char *end;
        if (!text) return false;
        value[k] = strtoull(text, &end, base);
        if (end != *line - 1) return false;
    }
    return true;
}

static bool read_numbers(const char **line, const char *name, double *value, size_t length)
{
    for (size_t k = 0; k < length; k++) {
        const char *text = next_value(line, name);
        char *end;
        if (!text) return false;
        value[k] = strtod(text, &end);
        if (end != *line - 1) return false;
    }
    return true;
}

/* Another version may have others. */
static bool is_series(const char *name)
{
    size_t k = 0;
    while (tw_run_series_at(k) && strcmp(tw_run_series_at(k)->name, name) != 0)
        k++;
    return tw_run_series_at(k) != NULL;
}

static bool read_files(const char **line, const char *name, tw_run_state_series *file, size_t count)
{
    char stem[28];
    memset(file, 0, count * sizeof *file);
    for (size_t k = 0; k <= count; k++) {
        int used = -1;
        const char *text = next_value(line, name);
        if (!text) return true;
        if (k == count ||
            sscanf(text, "%27[a-z_].csv %" SCNu64 " %" SCNx64 "%n", stem, &file[k].length,
                   &file[k].hash, &used) != 3 ||
            text + used != *line - 1 || !is_series(stem))
            return false;
        snprintf(file[k].name, sizeof file[k].name, "%s.csv", stem);
    }
    return true;
}

static bool is_plausible(const tw_run_state *state)
{
    bool good = state->phase <= TW_RUN_STATE_DONE && state->begun <= 1 && state->probing <= 1 &&
                (state->commit == 0) == (state->phase == TW_RUN_STATE_START);
    const double finite[] = {state->time,      state->stage_time,       state->clock,
                             state->travelled, state->last_path_strain, state->start_work,
                             state->worst};
    for (size_t k = 0; k < sizeof finite / sizeof *finite; k++)
        good = good && isfinite(finite[k]);
    for (int k = 0; k < TW_COMPONENTS; k++)
        good = good && isfinite(state->strain[k]) && isfinite(state->total_strain[k]);
    return good && !isinf(state->friction) && !isinf(state->volume) && !isinf(state->start_volume);
}

static bool parse(tw_run_state *state, const char *text)
{
    const char *line = text + sizeof heading - 1;
    bool good = true;
#define COUNT(name) good = good && read_counts(&line, #name, &state->name, 1, 10);
#define COUNTS(name, length) good = good && read_counts(&line, #name, state->name, length, 10);
#define HASH(name) good = good && read_counts(&line, #name, &state->name, 1, 16);
#define NUMBER(name) good = good && read_numbers(&line, #name, &state->name, 1);
#define NUMBERS(name, length) good = good && read_numbers(&line, #name, state->name, length);
#define FILES(name, count) good = good && read_files(&line, #name, state->name, count);
#include "run/run_state.def"
    return good && strncmp(line, check_name, sizeof check_name - 1) == 0 &&
           strlen(line) == CHECK_LINE && is_plausible(state);
}

static bool check_is_right(const char *text, size_t length)
{
    char line[CHECK_LINE + 1];
    if (length < CHECK_LINE || strlen(text) != length) return false;
    const size_t before = length - CHECK_LINE;
    snprintf(line, sizeof line, "%s%016" PRIx64 "\n", check_name, check_of(text, before));
    return strcmp(text + before, line) == 0;
}

static tw_status judge(tw_run_state *state, const char *path, const char *text, size_t length,
                       tw_error *error)
{
    static const char any[] = "twirl run state ";
    const tw_error_path name = tw_error_shorten_path(path);
    const bool whole = check_is_right(text, length);
    const bool ours = strncmp(text, heading, sizeof heading - 1) == 0;
    if (whole && ours && parse(state, text)) return TW_STATUS_OK;
    if (strncmp(text, any, sizeof any - 1) == 0 && (whole || !ours))
        return tw_error_set(error, TW_STATUS_INPUT,
                            "%s: written by another version of twirl: resume with that version",
                            name.text);
    return tw_error_set(error, TW_STATUS_INPUT, "%s: damaged, or changed by hand", name.text);
}

tw_status tw_run_state_read(tw_run_state *state, const char *path, tw_error *error)
{
    size_t length;
    char *text = tw_read_file_all(path, &length, error);
    if (!text) return error->status;
    const tw_status status = judge(state, path, text, length, error);
    free(text);
    return status;
}

tw_status tw_run_state_newest(tw_run_state *state, const char *folder, bool *found, tw_error *error)
{
    static const char *const names[] = {"run_state_a.txt", "run_state_b.txt"};
    tw_error reason = {.status = TW_STATUS_OK};
    *found = false;
    for (int k = 0; k < 2; k++) {
        tw_run_state next;
        tw_error now;
        const tw_folder_path path = tw_folder_path_join(folder, names[k]);
        if (!tw_run_file_exists(path.text)) continue;
        if (tw_run_state_read(&next, path.text, &now) != TW_STATUS_OK) {
            reason = now;
        } else if (!*found || next.commit > state->commit) {
            *state = next;
            *found = true;
        }
    }
    if (*found || reason.status == TW_STATUS_OK) return TW_STATUS_OK;
    if (error) *error = reason;
    return reason.status;
}

size_t tw_run_state_files(tw_run_state *state, tw_run_state_file list[TW_RUN_STATE_FILES])
{
    size_t count = 0;
    list[count++] = (tw_run_state_file){"files.txt", &state->files, &state->files_hash};
    list[count++] = (tw_run_state_file){"run.log", &state->log, &state->log_hash};
    list[count++] = (tw_run_state_file){"warnings.txt", &state->warnings, &state->warnings_hash};
    list[count++] = (tw_run_state_file){"history.csv", &state->history, &state->history_hash};
    for (tw_run_state_series *s = state->series; count < TW_RUN_STATE_FILES && *s->name; s++)
        list[count++] = (tw_run_state_file){s->name, &s->length, &s->hash};
    return count;
}
