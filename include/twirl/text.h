/* SPDX-License-Identifier: BSD-3-Clause */
/* Reading text from users: numbers, quotations for messages, suggestions for misspelt names. */
#ifndef TWIRL_TEXT_H
#define TWIRL_TEXT_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Reads all of `text` as a finite number. Returns NULL on success, otherwise the reason, to follow
 * the text in a message: "is not a number". The decimal mark is that of the locale: a point in
 * programs that never call setlocale, and between tw_plain_enter and tw_plain_leave. */
const char *tw_text_number(const char *text, double *value);

/* 'text' for an error message: bytes that cannot be printed are escaped, long text is truncated. */
typedef struct tw_text_quotation {
    char text[208];
} tw_text_quotation;

tw_text_quotation tw_text_quote(const char *text, size_t length);

/* For "did you mean": the number of insertions, deletions, replacements and swaps of neighbours
 * between two words, ignoring case. Characters beyond the 63rd are not compared. */
size_t tw_nearest_distance(const char *a, const char *b);

/* The nearest of known[0..count), the first if there are several; NULL if count is 0. */
const char *tw_nearest(const char *word, const char *const *known, size_t count);

/* Between enter and leave, numbers are read and printed with a decimal point whatever the locale of
 * the program. Applies to the calling thread only. */
typedef struct tw_plain {
    void *plain, *before; /* locales */
} tw_plain;

/* Returns 0 if out of memory; there is nothing to leave then. */
int tw_plain_enter(tw_plain *plain);
void tw_plain_leave(tw_plain *plain);

#ifdef __cplusplus
}
#endif

#endif
