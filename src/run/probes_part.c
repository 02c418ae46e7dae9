/* SPDX-License-Identifier: BSD-3-Clause */
#include "run/probes_part.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/hash.h"

static tw_file_path part_path(const tw_run *run, const tw_scenario_stage *stage)
{
    return tw_probes_path(run, stage->name, "part.txt");
}

/* Ends a line: hash of the run, the stage and the text before it. */
static uint64_t check_of(const tw_run *run, const tw_scenario_stage *stage, const char *line,
                         size_t length)
{
    const uint64_t seed = tw_hash_of(stage->name, strlen(stage->name), run->state.identity);
    return tw_hash_of(line, length, seed);
}

/* A line: index, counts, numbers without rounding, check. */
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
}

/* False if a value is missing or something follows. */
static bool read_line(const char *text, const char *end, size_t *index, tw_probe_result *result)
{
    char *at;
    *index = strtoull(text, &at, 10);
    if (at == text) return false;
#define COUNT(name, many)                                                                          \
    for (size_t k = 0; k < (many); k++) {                                                          \
        if (*at != ' ') return false;                                                              \
        result->name[k] = strtoull(at + 1, &at, 10);                                               \
    }
#define NUMBER(name, many)                                                                         \
    for (size_t k = 0; k < (many); k++) {                                                          \
        if (*at != ' ') return false;                                                              \
        result->name[k] = strtod(at + 1, &at);                                                     \
    }
    TW_PROBE_COUNTS(COUNT)
    TW_PROBE_NUMBERS(NUMBER)
#undef COUNT
#undef NUMBER
    return at == end;
}

/* Where the check of a line begins, if it is right: at the last space; else NULL. `end` is its
 * newline. */
static const char *find_check(const tw_run *run, const tw_scenario_stage *stage, const char *line,
                              const char *end)
{
    char check[24];
    const int length = 17;
    if (end - line < length || end[-length] != ' ') return NULL;
    snprintf(check, sizeof check, " %016" PRIx64,
             check_of(run, stage, line, (size_t)(end - line - length)));
    return memcmp(end - length, check, (size_t)length) == 0 ? end - length : NULL;
}

/* Takes the results of whole lines, and keeps these lines in `good`. Probes on damaged ones run
 * again. */
static void take_lines(const tw_run *run, tw_probes *probes, const char *text, tw_text_buffer *good)
{
    tw_probe_result result;
    size_t index;
    for (const char *end; (end = strchr(text, '\n')) != NULL; text = end + 1) {
        const char *check = find_check(run, probes->stage, text, end);
        if (!check || !read_line(text, check, &index, &result) || index >= probes->total ||
            probes->done[index])
            continue;
        probes->finished++;
        probes->done[index] = true;
        probes->result[index] = result;
        tw_text_buffer_add_bytes(good, text, (size_t)(end + 1 - text));
    }
}

tw_status tw_probes_part_open(const tw_run *run, tw_probes *probes, tw_append_file *part)
{
    const tw_file_path path = part_path(run, probes->stage);
    const tw_file_path folder =
        tw_file_path_in(run->plan->folder, "stages", probes->stage->name, "");
    tw_text_buffer good = {0};
    tw_status status = tw_file_make_folder(folder.text, run->error);
    if (status != TW_STATUS_OK) return status;
    if (tw_file_exists(path.text)) {
        char *text = tw_file_read(path.text, run->error);
        if (!text) return run->error->status;
        take_lines(run, probes, text, &good);
        free(text);
    }
    const uint64_t length = good.length;
    if (length > 0) status = tw_file_replace(path.text, &good, run->error);
    return status == TW_STATUS_OK ? tw_append_file_open(part, path, length, run->error) : status;
}

tw_status tw_probes_part_add(const tw_run *run, const tw_probes *probes, tw_append_file *part,
                             size_t index, tw_error *error)
{
    tw_text_buffer line = {0};
    write_line(&line, index, &probes->result[index]);
    if (!line.failed)
        tw_text_buffer_add(&line, " %016" PRIx64 "\n",
                           check_of(run, probes->stage, line.text, line.length));
    return tw_append_file_add_text(part, &line, error);
}

void tw_probes_part_remove(const tw_run *run, const tw_scenario_stage *stage)
{
    const tw_file_path path = part_path(run, stage);
    if (unlink(path.text) != 0 && errno != ENOENT) tw_run_remark_left(run, path.text);
}
