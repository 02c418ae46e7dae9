/* SPDX-License-Identifier: BSD-3-Clause */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "run/probes.h"

/* A line: the number of the probe, its counts and numbers, to the bit, and a full stop. */
static void write_line(tw_draft *draft, size_t index, const tw_probe_result *result)
{
    tw_draft_add(draft, "%zu", index);
#define COUNT(name, many)                                                                          \
    for (size_t k = 0; k < (many); k++)                                                            \
        tw_draft_add(draft, " %" PRIu64, result->name[k]);
#define NUMBER(name, many)                                                                         \
    for (size_t k = 0; k < (many); k++)                                                            \
        tw_draft_add(draft, " %a", result->name[k]);
    TW_PROBE_COUNTS(COUNT)
    TW_PROBE_NUMBERS(NUMBER)
#undef COUNT
#undef NUMBER
    tw_draft_add(draft, " .\n");
}

/* The next line, or NULL where there is no whole one. */
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

tw_status tw_probes_part_open(tw_runner *run, tw_probes *probes, tw_growth *part)
{
    const tw_path path = tw_probes_path(run, probes->stage->name, "part.txt");
    uint64_t good = 0;
    if (tw_files_exist(path.text)) {
        char *text = tw_files_read(path.text, run->error);
        if (!text) return run->error->status;
        tw_probe_result result;
        size_t index;
        for (const char *at = read_line(text, &index, &result); at && index < probes->total;
             at = read_line(at, &index, &result)) {
            probes->finished += !probes->done[index];
            probes->done[index] = true;
            probes->result[index] = result;
            good = (uint64_t)(at - text);
        }
        free(text);
    }
    return tw_growth_open(part, path, good, run->error);
}

tw_status tw_probes_part_add(tw_growth *part, size_t index, const tw_probe_result *result,
                             tw_error *error)
{
    tw_draft draft = tw_draft_start();
    write_line(&draft, index, result);
    if (!draft.text) return tw_error_set(error, TW_STATUS_MEMORY, "no memory for a probe");
    const tw_status status = tw_growth_add(part, draft.text, draft.length, error);
    free(draft.text);
    return status;
}
