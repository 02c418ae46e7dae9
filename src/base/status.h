/* SPDX-License-Identifier: BSD-3-Clause */
/* Filling a tw_error; the types themselves are public. */
#ifndef TW_BASE_STATUS_H
#define TW_BASE_STATUS_H

#include <twirl/types.h>

#if defined(__GNUC__)
#define TW_PRINTF_LIKE(text, first) __attribute__((format(printf, text, first)))
#else
#define TW_PRINTF_LIKE(text, first)
#endif

void tw_error_clear(tw_error *error);

/* Writes the message (cut to fit) and returns `status`, so that a failing function can end with
 * `return tw_error_set(error, TW_STATUS_INPUT, ...)`. `error` may be NULL: then only the status
 * goes up. */
tw_status tw_error_set(tw_error *error, tw_status status, const char *format, ...)
    TW_PRINTF_LIKE(3, 4);

#endif
