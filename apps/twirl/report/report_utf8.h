/* SPDX-License-Identifier: BSD-3-Clause */
/* Text from files that may hold anything. */
#ifndef TWIRL_APP_REPORT_UTF8_H
#define TWIRL_APP_REPORT_UTF8_H

#include <stddef.h>

/* The number of bytes of the UTF-8 character at the start of `left` bytes, at least one; 0: it is
 * not one. Overlong forms, surrogates and numbers above U+10FFFF are not. */
size_t tw_report_utf8_length(const char *text, size_t left);

#endif
