/* SPDX-License-Identifier: BSD-3-Clause */
/* A text that grows, so that nothing is ever cut. */
#ifndef TW_SCENARIO_GROWING_H
#define TW_SCENARIO_GROWING_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

#if defined(__GNUC__)
#define TW_GROWING_PRINTF(text, first) __attribute__((format(printf, text, first)))
#else
#define TW_GROWING_PRINTF(text, first)
#endif

/* Starts as zeros; `text` is to be freed, and NULL as long as nothing was put. */
typedef struct tw_growing {
    char *text;
    size_t length, capacity;
    bool failed; /* out of memory: what follows is dropped */
} tw_growing;

void tw_growing_put(tw_growing *g, const char *format, ...) TW_GROWING_PRINTF(2, 3);
void tw_growing_put_list(tw_growing *g, const char *format, va_list arguments);

#endif
