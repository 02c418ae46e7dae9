/* SPDX-License-Identifier: BSD-3-Clause */
/* Numbers and quotations in what a user typed. */
#ifndef TWIRL_APP_TEXT_H
#define TWIRL_APP_TEXT_H

#include <stddef.h>

/* Reads the whole of `text` as a finite number. NULL on success, otherwise the rest of a sentence
 * that begins with the text: "is not a number". */
const char *tw_text_number(const char *text, double *value);

/* A quotation fit for an error message: 'text', control bytes escaped, long text cut short. */
typedef struct tw_text_quotation {
    char text[208];
} tw_text_quotation;

tw_text_quotation tw_text_quote(const char *text, size_t length);

#endif
