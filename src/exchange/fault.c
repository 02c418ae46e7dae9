/* SPDX-License-Identifier: BSD-3-Clause */
#include "exchange/fault.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void tw_fault_clear(tw_error *error)
{
    if (!error) return;
    error->status = TW_STATUS_OK;
    error->text[0] = '\0';
}

tw_status tw_fault_set(tw_error *error, tw_status status, const char *format, ...)
{
    if (!error) return status;
    error->status = status;
    va_list arguments;
    va_start(arguments, format);
    if (vsnprintf(error->text, sizeof error->text, format, arguments) < 0) error->text[0] = '\0';
    va_end(arguments);
    return status;
}

tw_status tw_fault_system(tw_error *error, const char *verb, const char *path)
{
    char reason[128] = "unknown reason";
    if (strerror_r(errno, reason, sizeof reason) != 0) reason[sizeof reason - 1] = '\0';
    return tw_fault_set(error, TW_STATUS_FILE, "cannot %s %s: %s", verb, tw_fault_path(path).text,
                        reason);
}

tw_status tw_fault_memory(tw_error *error)
{
    return tw_fault_set(error, TW_STATUS_MEMORY, "out of memory");
}

tw_fault_words tw_fault_path(const char *path)
{
    tw_fault_words words;
    const size_t length = strlen(path), room = sizeof words.text - 1;
    const char *dots = length > room ? "..." : "";
    const char *shown = length > room ? path + (length - room + 3) : path;
    snprintf(words.text, sizeof words.text, "%s%s", dots, shown);
    return words;
}

tw_fault_words tw_fault_quote(const char *text)
{
    enum { SHOWN = 48 }; /* four bytes each when escaped, the quotes and the dots: fits */
    tw_fault_words words;
    char *out = words.text;
    *out++ = '\'';
    size_t i = 0;
    for (; text[i] != '\0' && i < SHOWN; i++) {
        const unsigned char byte = (unsigned char)text[i];
        if (byte < 0x20 || byte >= 0x7F) {
            out += snprintf(out, 5, "\\x%02x", (unsigned)byte);
        } else {
            *out++ = text[i];
        }
    }
    memcpy(out, text[i] ? "...'" : "'", text[i] ? 5 : 2);
    return words;
}
