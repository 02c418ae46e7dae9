/* SPDX-License-Identifier: BSD-3-Clause */
#include "run/run_state.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/text_buffer.h"
#include "run/file.h"

static const char heading[] = "twirl run state 1\n";

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

tw_status tw_run_state_write(const tw_run_state *state, const char *path, tw_error *error)
{
    tw_text_buffer text = {0};
    tw_text_buffer_add(&text, "%s", heading);
#define COUNT(name) write_counts(&text, #name, &state->name, 1);
#define COUNTS(name, length) write_counts(&text, #name, state->name, length);
#define NUMBER(name) write_numbers(&text, #name, &state->name, 1);
#define NUMBERS(name, length) write_numbers(&text, #name, state->name, length);
#include "run/run_state.def"
    return tw_file_replace(path, &text, error);
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

static bool read_counts(const char **line, const char *name, uint64_t *value, size_t length)
{
    for (size_t k = 0; k < length; k++) {
        const char *text = next_value(line, name);
        if (!text) return false;
        value[k] = strtoull(text, NULL, 10);
    }
    return true;
}

static bool read_numbers(const char **line, const char *name, double *value, size_t length)
{
    for (size_t k = 0; k < length; k++) {
        const char *text = next_value(line, name);
        if (!text) return false;
        value[k] = strtod(text, NULL);
    }
    return true;
}

static bool parse(tw_run_state *state, const char *text)
{
    const char *line = text;
    if (strncmp(line, heading, sizeof heading - 1) != 0) return false;
    line += sizeof heading - 1;
    bool good = true;
#define COUNT(name) good = good && read_counts(&line, #name, &state->name, 1);
#define COUNTS(name, length) good = good && read_counts(&line, #name, state->name, length);
#define NUMBER(name) good = good && read_numbers(&line, #name, &state->name, 1);
#define NUMBERS(name, length) good = good && read_numbers(&line, #name, state->name, length);
#include "run/run_state.def"
    return good && *line == '\0' && state->phase <= TW_RUN_STATE_DONE && state->slot < 2;
}

tw_status tw_run_state_read(tw_run_state *state, const char *path, tw_error *error)
{
    char *text = tw_file_read(path, error);
    if (!text) return error->status;
    const bool good = parse(state, text);
    free(text);
    if (good) return TW_STATUS_OK;
    return tw_error_set(
        error, TW_STATUS_INPUT,
        "%s: damaged, or written by another version of twirl; resume with that version, "
        "or start the run again in another folder",
        path);
}
