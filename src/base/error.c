/* SPDX-License-Identifier: BSD-3-Clause */
#define _POSIX_C_SOURCE 200809L /* strerror_r */
#include "base/error.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <twirl/types.h>

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

tw_status tw_error_set_system(tw_error *error, const char *verb, const char *path)
{
    const int number = errno;
    return tw_error_set(error, TW_STATUS_FILE, "cannot %s %s: %s", verb,
                        tw_error_shorten_path(path).text, tw_error_reason_of(number).text);
}

tw_status tw_error_set_memory(tw_error *error)
{
    return tw_error_set(error, TW_STATUS_MEMORY, "out of memory");
}

tw_status tw_error_set_count(tw_error *error, const char *of, size_t needed, size_t given)
{
    return tw_error_set(error, TW_STATUS_INPUT, "%s: %zu are needed, the array has %zu", of, needed,
                        given);
}

tw_error_path tw_error_shorten_path(const char *path)
{
    tw_error_path shown;
    const size_t length = strlen(path), room = sizeof shown.text - 1;
    if (length <= room)
        snprintf(shown.text, sizeof shown.text, "%s", path);
    else
        snprintf(shown.text, sizeof shown.text, "...%s", path + (length - room + 3));
    return shown;
}

tw_error_reason tw_error_reason_of(int number)
{
    tw_error_reason reason;
    /* Pipes and terminals cannot be read from a position. "Illegal seek" helps nobody. */
    if (number == ESPIPE)
        snprintf(reason.text, sizeof reason.text, "not a regular file");
    else if (strerror_r(number, reason.text, sizeof reason.text) != 0)
        snprintf(reason.text, sizeof reason.text, "error %d", number);
    return reason;
}

const char *tw_status_text(tw_status status)
{
    static const char *const texts[] = {
#define TW_STATUS_TEXT(name, text) text,
        TW_STATUS_LIST(TW_STATUS_TEXT)
#undef TW_STATUS_TEXT
    };
    const unsigned index = (unsigned)status;
    return index < sizeof texts / sizeof *texts ? texts[index] : "unknown status";
}
