/* SPDX-License-Identifier: BSD-3-Clause */
#include "run/probes_part.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static tw_file_path part_path(const tw_run *run, const tw_scenario_stage *stage)
{
    return tw_probes_path(run, stage->name, "part.txt");
}

/* A line: index, counts, numbers without rounding, and a full stop that marks it as complete. */
static void write_line(tw_text_buffer *text, size_t index, const tw_probe_result *result)
{
    tw_text_buffer_add(text, "%zu", index);
#define COUNT(name, many)                                                                          \
    for (size_t k = 0; k < (many); k++)                                                            \
        tw_text_buffer_add(text, " %" PRIu64, result->name[k]);
#define NUMBER(name, many)                                                                         \
    for (size_t k = 0; k < (many); k++)                                                            \
        tw_text_buffer_add(text, " %a", result->name[k]);
    TW_PROBE_COUNTS(COUNT)
    TW_PROBE_NUMBERS(NUMBER)
#undef COUNT
#undef NUMBER
    tw_text_buffer_add(text, " .\n");
}

/* The start of the next line, or NULL if this one is incomplete. */
static const char *read_line(const char *text, size_t *index, tw_probe_result *result)
{
    char *at;
    *index = strtoull(text, &at, 10);
    if (at == text) return NULL;
#define COUNT(name, many)                                                                          \
    for (size_t k = 0; k < (many); k++) {                                                          \
        if (*at != ' ') return NULL;                                                               \
        result->name[k] = strtoull(at + 1, &at, 10);                                               \
    }
#define NUMBER(name, many)                                                                         \
    for (size_t k = 0; k < (many); k++) {                                                          \
        if (*at != ' ') return NULL;                                                               \
        result->name[k] = strtod(at + 1, &at);                                                     \
    }
    TW_PROBE_COUNTS(COUNT)
    TW_PROBE_NUMBERS(NUMBER)
#undef COUNT
#undef NUMBER
    return strncmp(at, " .\n", 3) == 0 ? at + 3 : NULL;
}

tw_status tw_probes_part_open(const tw_run *run, tw_probes *probes, tw_append_file *part)
{
    const tw_file_path path = part_path(run, probes->stage);
    uint64_t length = 0;
    if (tw_file_exists(path.text)) {
        char *text = tw_file_read(path.text, run->error);
        if (!text) return run->error->status;
        tw_probe_result result;
        size_t index;
        for (const char *at = read_line(text, &index, &result); at && index < probes->total;
             at = read_line(at, &index, &result)) {
            probes->finished += !probes->done[index];
            probes->done[index] = true;
            probes->result[index] = result;
            length = (uint64_t)(at - text);
        }
        free(text);
    }
    return tw_append_file_open(part, path, length, run->error);
}

tw_status tw_probes_part_add(tw_append_file *part, size_t index, const tw_probe_result *result,
                             tw_error *error)
{
    tw_text_buffer line = {0};
    write_line(&line, index, result);
    return tw_append_file_add_text(part, &line, error);
}

void tw_probes_part_remove(const tw_run *run, const tw_scenario_stage *stage)
{
    unlink(part_path(run, stage).text);
}
