/* SPDX-License-Identifier: BSD-3-Clause */
/* Text: numbers and quotations, suggestions for misspelt names, texts that grow. */
#ifndef TW_BASE_TEXT_H
#define TW_BASE_TEXT_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

/* Reading text from users: numbers, and quotations for messages. */

/* Reads all of `text` as a finite number. Returns NULL on success, otherwise the reason, to follow
 * the text in a message: "is not a number". The decimal mark is that of the locale: a point in
 * programs that never call setlocale, and between tw_c_locale_push and tw_c_locale_pop. */
const char *tw_text_number(const char *text, double *value);

/* Number of bytes of the character of UTF-8 at `text`, of which `left` are there; 0: it is none. */
size_t tw_text_utf8_length(const char *text, size_t left);

/* Whether a name or label is without control characters, which could steer a terminal. */
bool tw_text_is_plain(const char *text);

/* 'text' for an error message: bytes that cannot be printed are escaped, long text is truncated. */
typedef struct tw_text_quotation {
    char text[208];
} tw_text_quotation;

tw_text_quotation tw_text_quote(const char *text, size_t length);

/* Base64 of RFC 4648, four letters for three bytes, without a 0 at the end; returns the number of
 * letters. Only the last piece of a text may have a length that three does not divide. */
size_t tw_text_base64(const void *bytes, size_t count, char *text);

/* Appends `word` to `text`, a list for messages, with ", " between words. Words that do not fit are
 * dropped. */
void tw_text_add_word(char *text, size_t size, const char *word);

/* Suggestions for misspelt names: "did you mean". */

/* The number of insertions, deletions, replacements and swaps of neighbours between two words,
 * ignoring case. Characters beyond the 63rd are not compared. */
size_t tw_nearest_distance(const char *a, const char *b);

/* Whether `word` may be a misspelling of `known`: one error, two in words of more than five
 * letters, or its first letters, at least three. A single letter is never near. */
bool tw_nearest_is_near(const char *word, const char *known);

/* The nearest of known[0..count), the first if there are several; NULL if none is near. */
const char *tw_nearest(const char *word, const char *const *known, size_t count);

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

typedef struct tw_text_buffer {
    char *text;    /* with a 0 at the end; NULL as long as nothing was added */
    size_t length; /* without the 0 */
    size_t capacity;
    bool failed;
} tw_text_buffer;

void tw_text_buffer_add(tw_text_buffer *buffer, const char *format, ...) TW_PRINTF_LIKE(2, 3);
void tw_text_buffer_add_list(tw_text_buffer *buffer, const char *format, va_list arguments);

/* Fields of a row of CSV, each after a comma: with all digits, or nan. */
void tw_text_buffer_add_csv(tw_text_buffer *buffer, const double *values, size_t count);
void tw_text_buffer_add_bytes(tw_text_buffer *buffer, const void *bytes, size_t count);

/* As JSON: a quoted string, or null for NULL; a number with all its digits, or null if it is not
 * finite. Texts may hold anything: every '<' is escaped, so that none can end a script element of a
 * page, and bytes that are not UTF-8 are replaced by U+FFFD. */
void tw_text_buffer_add_json_string(tw_text_buffer *buffer, const char *text);
void tw_text_buffer_add_json_bytes(tw_text_buffer *buffer, const char *text, size_t length);

/* One character of a string, without quotes; returns the number of bytes of it that were read. */
size_t tw_text_buffer_add_json_character(tw_text_buffer *buffer, const char *text, size_t left);
void tw_text_buffer_add_json_number(tw_text_buffer *buffer, double value);

/* Drops the text and keeps the memory and `failed`. */
void tw_text_buffer_clear(tw_text_buffer *buffer);

/* The text, for the caller to free; "" if nothing was added, NULL if memory ran out. Leaves the
 * buffer as zeros. */
char *tw_text_buffer_take(tw_text_buffer *buffer);

/* Leaves the buffer as zeros. */
void tw_text_buffer_free(tw_text_buffer *buffer);

#endif
