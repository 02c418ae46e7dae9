/* SPDX-License-Identifier: BSD-3-Clause */
#include "run/place.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "run/files.h"

static const char heading[] = "twirl run, place 1\n";

tw_status tw_place_write(const tw_place *place, const char *path, tw_error *error)
{
    tw_draft draft = tw_draft_start();
    tw_draft_add(&draft, "%s", heading);
#define COUNT(name, many)                                                                          \
    for (size_t k = 0; k < (many); k++)                                                            \
        tw_draft_add(&draft, #name " %" PRIu64 "\n", place->name[k]);
#define NUMBER(name, many)                                                                         \
    for (size_t k = 0; k < (many); k++)                                                            \
        tw_draft_add(&draft, #name " %a\n", place->name[k]);
    TW_PLACE_COUNTS(COUNT)
    TW_PLACE_NUMBERS(NUMBER)
#undef COUNT
#undef NUMBER
    if (!draft.text) return tw_error_set(error, TW_STATUS_MEMORY, "no memory for %s", path);
    const tw_status status = tw_files_write(path, draft.text, draft.length, error);
    free(draft.text);
    return status;
}

/* The text behind `name` on this line, and the next line; NULL: another name. */
static const char *next_value(const char **line, const char *name)
{
    const size_t length = strlen(name);
    const char *end = strchr(*line, '\n');
    if (!end || strncmp(*line, name, length) != 0 || (*line)[length] != ' ') return NULL;
    const char *value = *line + length + 1;
    *line = end + 1;
    return value;
}

static bool parse(tw_place *place, const char *text)
{
    const char *line = text, *value;
    if (strncmp(line, heading, sizeof heading - 1) != 0) return false;
    line += sizeof heading - 1;
#define COUNT(name, many)                                                                          \
    for (size_t k = 0; k < (many); k++) {                                                          \
        if (!(value = next_value(&line, #name))) return false;                                     \
        place->name[k] = strtoull(value, NULL, 10);                                                \
    }
#define NUMBER(name, many)                                                                         \
    for (size_t k = 0; k < (many); k++) {                                                          \
        if (!(value = next_value(&line, #name))) return false;                                     \
        place->name[k] = strtod(value, NULL);                                                      \
    }
    TW_PLACE_COUNTS(COUNT)
    TW_PLACE_NUMBERS(NUMBER)
#undef COUNT
#undef NUMBER
    return *line == '\0' && place->phase[0] <= TW_PLACE_DONE && place->slot[0] < 2;
}

tw_status tw_place_read(tw_place *place, const char *path, tw_error *error)
{
    char *text = tw_files_read(path, error);
    if (!text) return error->status;
    const bool good = parse(place, text);
    free(text);
    if (good) return TW_STATUS_OK;
    return tw_error_set(error, TW_STATUS_INPUT,
                        "%s: not what this version of the program writes; start the run anew",
                        path);
}
