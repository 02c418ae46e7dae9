/* SPDX-License-Identifier: BSD-3-Clause */
/* Texts of errors. */
#ifndef TW_EXCHANGE_FAULT_H
#define TW_EXCHANGE_FAULT_H

#include <stddef.h>

#include <twirl/types.h>

#if defined(__GNUC__)
#define TW_FAULT_PRINTF(text, first) __attribute__((format(printf, text, first)))
#else
#define TW_FAULT_PRINTF(text, first)
#endif

void tw_fault_clear(tw_error *error);

/* Fills `error`, which may be NULL, and returns `status`. */
tw_status tw_fault_set(tw_error *error, tw_status status, const char *format, ...)
    TW_FAULT_PRINTF(3, 4);

/* "cannot read PATH: the system's reason" for the present errno; `verb` is "read", "write", ... */
tw_status tw_fault_system(tw_error *error, const char *verb, const char *path);

tw_status tw_fault_memory(tw_error *error);

/* Part of a message. */
typedef struct tw_fault_words {
    char text[256];
} tw_fault_words;

/* A path, its beginning cut off where it is so long that the rest of the message would be lost. */
tw_fault_words tw_fault_path(const char *path);

/* 'text', control bytes escaped, long text cut short. */
tw_fault_words tw_fault_quote(const char *text);

#endif
