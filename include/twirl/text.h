/* SPDX-License-Identifier: BSD-3-Clause */
/* What everything that reads text has in common: numbers, quotations for messages, and the known
 * name that was probably meant. */
#ifndef TWIRL_TEXT_H
#define TWIRL_TEXT_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Reads the whole of `text` as a finite number. NULL on success, otherwise the rest of a sentence
 * that begins with the text: "is not a number". The decimal mark is that of the locale: a point in
 * programs that never call setlocale, and between tw_plain_enter and tw_plain_leave. */
const char *tw_text_number(const char *text, double *value);

/* A quotation fit for an error message: 'text', control bytes escaped, long text cut short. */
typedef struct tw_text_quotation {
    char text[208];
} tw_text_quotation;

tw_text_quotation tw_text_quote(const char *text, size_t length);

/* "Did you mean". Insertions, deletions, replacements and swaps of neighbours that turn one word
 * into the other; upper and lower case are the same. Characters beyond the 63rd are not compared.
 */
size_t tw_nearest_distance(const char *a, const char *b);

/* The first of the nearest among known[0..count); NULL only if count is 0. */
const char *tw_nearest(const char *word, const char *const *known, size_t count);

/* Numbers with a decimal point, whatever locale the program around us has chosen. For the calling
 * thread alone, from enter to leave. */
typedef struct tw_plain {
    void *plain, *before; /* locales */
} tw_plain;

/* 0: out of memory; then there is nothing to leave. */
int tw_plain_enter(tw_plain *plain);
void tw_plain_leave(tw_plain *plain);

#ifdef __cplusplus
}
#endif

#endif
