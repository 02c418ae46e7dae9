/* SPDX-License-Identifier: BSD-3-Clause */
/* Filling a tw_error. The type itself is public: <twirl/types.h>. */
#ifndef TW_BASE_ERROR_H
#define TW_BASE_ERROR_H

#include <stddef.h>

#include <twirl/types.h>

#if defined(__GNUC__)
#define TW_PRINTF_LIKE(text, first) __attribute__((format(printf, text, first)))
#else
#define TW_PRINTF_LIKE(text, first)
#endif

/* In every function below `error` may be NULL: then only the status is returned. */

void tw_error_clear(tw_error *error);

/* Writes the message, truncated to fit, and returns `status`, so that a failing function can end
 * with `return tw_error_set(error, TW_STATUS_INPUT, ...)`. */
tw_status tw_error_set(tw_error *error, tw_status status, const char *format, ...)
    TW_PRINTF_LIKE(3, 4);

/* "cannot VERB PATH: REASON" with the reason for the current errno; returns TW_STATUS_FILE. `verb`
 * is "read", "write", "create the folder" ... */
tw_status tw_error_set_system(tw_error *error, const char *verb, const char *path);

/* "out of memory"; returns TW_STATUS_MEMORY. */
tw_status tw_error_set_memory(tw_error *error);

/* An array of the caller's that is too small, or has another count; returns TW_STATUS_INPUT. */
tw_status tw_error_set_count(tw_error *error, const char *of, size_t needed, size_t given);

typedef struct tw_error_path {
    char text[256];
} tw_error_path;

/* A path for a message. A long one loses its beginning, so that the rest of the message fits. */
tw_error_path tw_error_shorten_path(const char *path);

typedef struct tw_error_reason {
    char text[128];
} tw_error_reason;

/* strerror for threads; ESPIPE is "not a regular file". */
tw_error_reason tw_error_reason_of(int number);

#endif
