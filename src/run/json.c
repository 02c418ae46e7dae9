/* SPDX-License-Identifier: BSD-3-Clause */
#include "run/json.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/hash.h"

void tw_json_add_number(tw_text_buffer *text, const char *name, double value)
{
    tw_text_buffer_add(text, ", \"%s\": ", name);
    tw_text_buffer_add_json_number(text, value);
}

void tw_json_add_list(tw_text_buffer *text, const char *name, const double *values, size_t count)
{
    tw_text_buffer_add(text, ", \"%s\": [", name);
    for (size_t i = 0; i < count; i++) {
        if (i > 0) tw_text_buffer_add(text, ", ");
        tw_text_buffer_add_json_number(text, values[i]);
    }
    tw_text_buffer_add(text, "]");
}

enum { END_LENGTH = 30 };

/* , "check": "HASH"} */
static void write_end(char text[END_LENGTH + 1], const char *before, size_t length, uint64_t seed)
{
    snprintf(text, END_LENGTH + 1, ", \"check\": \"%016" PRIx64 "\"}",
             tw_hash_of(before, length, seed));
}

void tw_json_close(tw_text_buffer *text, uint64_t seed)
{
    char end[END_LENGTH + 1];
    if (text->failed) return;
    write_end(end, text->text, text->length, seed);
    tw_text_buffer_add(text, "%s", end);
}

bool tw_json_is_whole(const char *text, size_t length, uint64_t seed)
{
    char end[END_LENGTH + 1];
    if (length < END_LENGTH) return false;
    write_end(end, text, length - END_LENGTH, seed);
    return memcmp(text + length - END_LENGTH, end, END_LENGTH) == 0;
}
