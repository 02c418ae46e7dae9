/* SPDX-License-Identifier: BSD-3-Clause */
#include "run/history_check.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"

uint32_t tw_history_check_start(uint64_t identity, const char *header)
{
    char text[17];
    snprintf(text, sizeof text, "%016" PRIx64, identity);
    return tw_crc32(tw_crc32(0, text, 16), header, strlen(header));
}

void tw_history_check_add(uint32_t *check, tw_text_buffer *row)
{
    tw_text_buffer_add(row, ",");
    if (row->failed) return;
    *check = tw_crc32(*check, row->text, row->length);
    tw_text_buffer_add(row, "%" PRIu32 "\n", *check);
}

/* Advances *check by one row; false if the row ends with another one. */
static bool row_is_right(const char *row, const char *end, uint32_t *check)
{
    char text[16];
    const char *comma = end;
    while (comma > row && comma[-1] != ',')
        comma--;
    *check = tw_crc32(*check, row, (size_t)(comma - row));
    const int length = snprintf(text, sizeof text, "%" PRIu32, *check);
    return end - comma == length && memcmp(comma, text, (size_t)length) == 0;
}

size_t tw_history_check_find(uint64_t identity, const char *header, const char *text,
                             uint32_t *check)
{
    size_t line = 1;
    *check = tw_history_check_start(identity, header);
    if (strncmp(text, header, strlen(header)) != 0) return line;
    for (const char *row = text + strlen(header); *row; line++) {
        const char *end = strchr(row, '\n');
        if (!end || !row_is_right(row, end, check)) return line + 1;
        row = end + 1;
    }
    return 0;
}
