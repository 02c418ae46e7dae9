/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/text_buffer.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Room for `more` characters and the 0 behind them. */
static bool make_room(tw_text_buffer *buffer, size_t more)
{
    if (buffer->failed) return false;
    if (more < buffer->capacity - buffer->length) return true;
    enum { SPARE = 256 };
    char *text = NULL;
    size_t capacity = 0;
    if (more < SIZE_MAX / 4 && buffer->length < SIZE_MAX / 4) {
        capacity = 2 * (buffer->length + more) + SPARE;
        text = realloc(buffer->text, capacity);
    }
    if (!text) {
        buffer->failed = true;
        return false;
    }
    buffer->text = text;
    buffer->capacity = capacity;
    return true;
}

void tw_text_buffer_add_bytes(tw_text_buffer *buffer, const void *bytes, size_t count)
{
    if (!make_room(buffer, count)) return;
    if (count > 0) memcpy(buffer->text + buffer->length, bytes, count);
    buffer->length += count;
    buffer->text[buffer->length] = '\0';
}

void tw_text_buffer_add_list(tw_text_buffer *buffer, const char *format, va_list arguments)
{
    va_list again;
    va_copy(again, arguments);
    const int length = vsnprintf(NULL, 0, format, arguments);
    if (length < 0) buffer->failed = true;
    if (length >= 0 && make_room(buffer, (size_t)length)) {
        vsnprintf(buffer->text + buffer->length, (size_t)length + 1, format, again);
        buffer->length += (size_t)length;
    }
    va_end(again);
}

void tw_text_buffer_add(tw_text_buffer *buffer, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    tw_text_buffer_add_list(buffer, format, arguments);
    va_end(arguments);
}

void tw_text_buffer_add_json_string(tw_text_buffer *buffer, const char *text)
{
    tw_text_buffer_add_bytes(buffer, "\"", 1);
    for (; *text; text++) {
        const unsigned char byte = (unsigned char)*text;
        if (byte < 0x20) {
            tw_text_buffer_add(buffer, "\\u%04x", (unsigned)byte);
        } else {
            if (byte == '"' || byte == '\\') tw_text_buffer_add_bytes(buffer, "\\", 1);
            tw_text_buffer_add_bytes(buffer, text, 1);
        }
    }
    tw_text_buffer_add_bytes(buffer, "\"", 1);
}

void tw_text_buffer_add_json_number(tw_text_buffer *buffer, double value)
{
    if (isfinite(value))
        tw_text_buffer_add(buffer, "%.17g", value + 0.0); /* -0 becomes 0 */
    else
        tw_text_buffer_add(buffer, "null");
}

void tw_text_buffer_clear(tw_text_buffer *buffer)
{
    buffer->length = 0;
    if (buffer->text) buffer->text[0] = '\0';
}

char *tw_text_buffer_take(tw_text_buffer *buffer)
{
    tw_text_buffer_add_bytes(buffer, "", 0);
    char *text = buffer->text;
    if (buffer->failed) {
        free(text);
        text = NULL;
    }
    *buffer = (tw_text_buffer){0};
    return text;
}

void tw_text_buffer_free(tw_text_buffer *buffer)
{
    free(buffer->text);
    *buffer = (tw_text_buffer){0};
}
