/* SPDX-License-Identifier: BSD-3-Clause */
#define _XOPEN_SOURCE 700 /* strnlen */
#include "base/text.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *tw_text_number(const char *text, double *value)
{
    char *end = NULL;
    errno = 0;
    const double number = strtod(text, &end);
    if (end == text || isspace((unsigned char)text[0]) || *end != '\0') return "is not a number";
    if (isinf(number) && errno == ERANGE) return "is beyond the range of a double";
    if (!isfinite(number)) return "is not a finite number";
    *value = number;
    return NULL;
}

bool tw_text_is_plain(const char *text)
{
    for (; *text; text++)
        if ((unsigned char)*text < ' ' || *text == 127) return false;
    return true;
}

/* Bytes of the UTF-8 character at `text`; 0 if it is not a printable one. */
static size_t character_length(const char *text, size_t left)
{
    const unsigned char first = (unsigned char)text[0];
    return first < 0x80 ? first >= 0x20 && first != 0x7F : tw_text_utf8_length(text, left);
}

tw_text_quotation tw_text_quote(const char *text, size_t length)
{
    enum { SHOWN = 48 }; /* at most four bytes each when escaped; quotes and dots fit too */
    tw_text_quotation quotation;
    char *out = quotation.text;
    size_t used = 0;
    *out++ = '\'';
    while (used < length) {
        const size_t whole = character_length(text + used, length - used);
        const size_t taken = whole ? whole : 1;
        if (used + taken > SHOWN) break;
        if (whole) {
            memcpy(out, text + used, whole);
            out += whole;
        } else {
            out += snprintf(out, 5, "\\x%02x", (unsigned)(unsigned char)text[used]);
        }
        used += taken;
    }
    const char *end = used < length ? "...'" : "'";
    memcpy(out, end, strlen(end) + 1);
    return quotation;
}

enum { LENGTH_MAX = 63 };

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

static int folded(char c)
{
    return tolower((unsigned char)c);
}

size_t tw_text_base64(const void *bytes, size_t count, char *text)
{
    static const char letters[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const unsigned char *from = bytes;
    size_t used = 0;
    for (size_t k = 0; k < count; k += 3) {
        const size_t left = count - k;
        const uint32_t group = (uint32_t)from[k] << 16 |
                               (left > 1 ? (uint32_t)from[k + 1] << 8 : 0) |
                               (left > 2 ? (uint32_t)from[k + 2] : 0);
        text[used++] = letters[group >> 18];
        text[used++] = letters[group >> 12 & 63];
        text[used++] = left > 1 ? letters[group >> 6 & 63] : '=';
        text[used++] = left > 2 ? letters[group & 63] : '=';
    }
    return used;
}

void tw_text_add_word(char *text, size_t size, const char *word)
{
    const size_t used = strlen(text);
    snprintf(text + used, size - used, "%s%s", used ? ", " : "", word);
}

/* Optimal string alignment: a swap counts once, as the most common typing error. */
size_t tw_nearest_distance(const char *a, const char *b)
{
    size_t cost[LENGTH_MAX + 1][LENGTH_MAX + 1];
    const size_t rows = strnlen(a, LENGTH_MAX);
    const size_t columns = strnlen(b, LENGTH_MAX);
    for (size_t j = 0; j <= columns; j++)
        cost[0][j] = j;
    for (size_t i = 1; i <= rows; i++) {
        cost[i][0] = i;
        for (size_t j = 1; j <= columns; j++) {
            const size_t differ = folded(a[i - 1]) != folded(b[j - 1]);
            size_t best = least(cost[i - 1][j], cost[i][j - 1]) + 1;
            best = least(best, cost[i - 1][j - 1] + differ);
            if (i > 1 && j > 1 && folded(a[i - 1]) == folded(b[j - 2]) &&
                folded(a[i - 2]) == folded(b[j - 1])) {
                best = least(best, cost[i - 2][j - 2] + 1);
            }
            cost[i][j] = best;
        }
    }
    return cost[rows][columns];
}

static bool is_start_of(const char *word, const char *known)
{
    size_t length = 0;
    for (; word[length]; length++)
        if (folded(word[length]) != folded(known[length])) return false;
    return length >= 3;
}

bool tw_nearest_is_near(const char *word, const char *known)
{
    const size_t length = strnlen(word, LENGTH_MAX), allowed = length > 5 ? 2 : length > 1;
    return is_start_of(word, known) || tw_nearest_distance(word, known) <= allowed;
}

const char *tw_nearest(const char *word, const char *const *known, size_t count)
{
    const char *nearest = NULL;
    size_t shortest = SIZE_MAX;
    for (size_t i = 0; i < count; i++) {
        const size_t distance = tw_nearest_distance(word, known[i]);
        if (distance >= shortest || !tw_nearest_is_near(word, known[i])) continue;
        shortest = distance;
        nearest = known[i];
    }
    return nearest;
}

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

void tw_text_buffer_add_csv(tw_text_buffer *buffer, const double *values, size_t count)
{
    for (size_t k = 0; k < count; k++)
        if (!isfinite(values[k])) /* printf may write "-nan" */
            tw_text_buffer_add(buffer, ",nan");
        else
            tw_text_buffer_add(buffer, ",%.17g", values[k] + 0.0); /* turns -0 into 0 */
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

static bool is_plain(unsigned char byte)
{
    return byte >= 0x20 && byte < 0x7F && byte != '"' && byte != '\\' && byte != '<';
}

size_t tw_text_buffer_add_json_character(tw_text_buffer *buffer, const char *text, size_t left)
{
    const size_t length = tw_text_utf8_length(text, left);
    if (is_plain((unsigned char)*text))
        tw_text_buffer_add_bytes(buffer, text, 1);
    else if (length == 0)
        tw_text_buffer_add(buffer, "\\ufffd");
    else if (length > 1)
        tw_text_buffer_add_bytes(buffer, text, length);
    else if (*text == '\n')
        tw_text_buffer_add(buffer, "\\n");
    else if (*text == '"' || *text == '\\')
        tw_text_buffer_add(buffer, "\\%c", *text);
    else
        tw_text_buffer_add(buffer, "\\u%04x", (unsigned)(unsigned char)*text);
    return length > 0 ? length : 1;
}

void tw_text_buffer_add_json_bytes(tw_text_buffer *buffer, const char *text, size_t length)
{
    tw_text_buffer_add_bytes(buffer, "\"", 1);
    for (size_t k = 0; k < length;) {
        size_t plain = 0;
        while (k + plain < length && is_plain((unsigned char)text[k + plain]))
            plain++;
        tw_text_buffer_add_bytes(buffer, text + k, plain);
        k += plain;
        if (k < length) k += tw_text_buffer_add_json_character(buffer, text + k, length - k);
    }
    tw_text_buffer_add_bytes(buffer, "\"", 1);
}

void tw_text_buffer_add_json_string(tw_text_buffer *buffer, const char *text)
{
    if (text)
        tw_text_buffer_add_json_bytes(buffer, text, strlen(text));
    else
        tw_text_buffer_add(buffer, "null");
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

size_t tw_text_utf8_length(const char *text, size_t left)
{
    const unsigned char *byte = (const unsigned char *)text;
    const unsigned char first = byte[0];
    if (first < 0x80) return 1;
    const size_t length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
    if (first < 0xC2 || first > 0xF4 || left < length) return 0;
    for (size_t k = 1; k < length; k++)
        if ((byte[k] & 0xC0) != 0x80) return 0;
    if (first == 0xE0 && byte[1] < 0xA0) return 0;
    if (first == 0xED && byte[1] > 0x9F) return 0;
    if (first == 0xF0 && byte[1] < 0x90) return 0;
    if (first == 0xF4 && byte[1] > 0x8F) return 0;
    return length;
}
