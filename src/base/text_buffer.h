/* SPDX-License-Identifier: BSD-3-Clause */
/* A text that grows as needed. Starts as zeros:
 *
 *     tw_text_buffer buffer = {0};
 *     tw_text_buffer_add(&buffer, "%d bodies\n", count);
 *     ...
 *     if (buffer.failed) ...
 *     tw_text_buffer_free(&buffer);
 *
 * Once memory has run out, `failed` is set and everything added later is dropped: ask at the end.
 */
#ifndef TW_BASE_TEXT_BUFFER_H
#define TW_BASE_TEXT_BUFFER_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

typedef struct tw_text_buffer {
    char *text;    /* with a 0 at the end; NULL as long as nothing was added */
    size_t length; /* without the 0 */
    size_t capacity;
    bool failed;
} tw_text_buffer;

void tw_text_buffer_add(tw_text_buffer *buffer, const char *format, ...) TW_PRINTF_LIKE(2, 3);
void tw_text_buffer_add_list(tw_text_buffer *buffer, const char *format, va_list arguments);
void tw_text_buffer_add_bytes(tw_text_buffer *buffer, const void *bytes, size_t count);

/* As JSON: a quoted string; a number with all its digits, or null if it is not finite. */
void tw_text_buffer_add_json_string(tw_text_buffer *buffer, const char *text);
void tw_text_buffer_add_json_number(tw_text_buffer *buffer, double value);

/* Drops the text and keeps the memory and `failed`. */
void tw_text_buffer_clear(tw_text_buffer *buffer);

/* The text, for the caller to free; "" if nothing was added, NULL if memory ran out. Leaves the
 * buffer as zeros. */
char *tw_text_buffer_take(tw_text_buffer *buffer);

/* Leaves the buffer as zeros. */
void tw_text_buffer_free(tw_text_buffer *buffer);

#endif
