/* SPDX-License-Identifier: BSD-3-Clause */
#include "report/report_utf8.h"

size_t tw_report_utf8_length(const char *text, size_t left)
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
