/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/status.h"

#include <stdarg.h>
#include <stdio.h>

const char *tw_status_text(tw_status status)
{
    static const char *const texts[] = {
#define TW_STATUS_TEXT(name, text) text,
        TW_STATUS_LIST(TW_STATUS_TEXT)
#undef TW_STATUS_TEXT
    };
    const unsigned index = (unsigned)status;
    return index < TW_STATUS_COUNT ? texts[index] : "unknown status";
}

void tw_error_clear(tw_error *error)
{
    if (!error) return;
    error->status = TW_STATUS_OK;
    error->text[0] = '\0';
}

tw_status tw_error_set(tw_error *error, tw_status status, const char *format, ...)
{
    if (!error) return status;
    error->status = status;
    va_list arguments;
    va_start(arguments, format);
    if (vsnprintf(error->text, sizeof error->text, format, arguments) < 0) error->text[0] = '\0';
    va_end(arguments);
    return status;
}
