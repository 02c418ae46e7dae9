/* SPDX-License-Identifier: BSD-3-Clause */
/* Reading text from users: numbers, and quotations for messages. */
#ifndef TW_BASE_TEXT_H
#define TW_BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>

/* Reads all of `text` as a finite number. Returns NULL on success, otherwise the reason, to follow
 * the text in a message: "is not a number". The decimal mark is that of the locale: a point in
 * programs that never call setlocale, and between tw_plain_enter and tw_plain_leave. */
const char *tw_text_number(const char *text, double *value);

/* Whether a name or label is without control characters, which could steer a terminal. */
bool tw_text_is_plain(const char *text);

/* 'text' for an error message: bytes that cannot be printed are escaped, long text is truncated. */
typedef struct tw_text_quotation {
    char text[208];
} tw_text_quotation;

tw_text_quotation tw_text_quote(const char *text, size_t length);

#endif
