/* SPDX-License-Identifier: BSD-3-Clause */
#include <twirl/text.h>

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdbool.h>
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

tw_text_quotation tw_text_quote(const char *text, size_t length)
{
    enum { SHOWN = 48 }; /* four bytes each when escaped, the quotes and the dots: fits */
    const bool cut = length > SHOWN;
    size_t shown = cut ? SHOWN : length;
    /* Not in the middle of a UTF-8 character. */
    while (cut && shown > 0 && ((unsigned char)text[shown] & 0xC0u) == 0x80u)
        shown--;
    tw_text_quotation quotation;
    char *out = quotation.text;
    *out++ = '\'';
    for (size_t i = 0; i < shown; i++) {
        const unsigned char byte = (unsigned char)text[i];
        if (byte < 0x20 || byte == 0x7F) {
            out += snprintf(out, 5, "\\x%02x", (unsigned)byte);
        } else {
            *out++ = text[i];
        }
    }
    memcpy(out, cut ? "...'" : "'", cut ? 5 : 2);
    return quotation;
}
