/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TW_SCENARIO_TEXT_COPY_H
#define TW_SCENARIO_TEXT_COPY_H

#include <stddef.h>

/* The first `length` bytes with a 0 at the end, for the caller to free; NULL: out of memory. */
char *tw_text_copy(const char *text, size_t length);

#endif
