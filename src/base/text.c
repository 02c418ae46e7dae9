/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/text.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
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
    if (first < 0x80) return first >= 0x20 && first != 0x7F;
    const size_t length = first >= 0xF5   ? 0
                          : first >= 0xF0 ? 4
                          : first >= 0xE0 ? 3
                          : first >= 0xC2 ? 2
                                          : 0;
    if (length > left) return 0;
    for (size_t i = 1; i < length; i++)
        if (((unsigned char)text[i] & 0xC0u) != 0x80u) return 0;
    return length;
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
