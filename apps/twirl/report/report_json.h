/* SPDX-License-Identifier: BSD-3-Clause */
/* Parts of the JSON document of a report, whose texts come from files that may hold anything: every
 * '<' is escaped, so that no text can end a script element, and bytes that are not UTF-8 are
 * replaced by U+FFFD. */
#ifndef TWIRL_APP_REPORT_JSON_H
#define TWIRL_APP_REPORT_JSON_H

#include <stdbool.h>
#include <stddef.h>

#include "base/text.h"

void tw_report_json_string(tw_text_buffer *out, const char *text, size_t length);

/* A quoted string, or null for NULL. */
void tw_report_json_text(tw_text_buffer *out, const char *text);

/* Base64 in quotes, or without them. */
void tw_report_json_bytes(tw_text_buffer *out, const void *bytes, size_t count);
void tw_report_json_base64(tw_text_buffer *out, const void *bytes, size_t count);

/* Copies a JSON document. False: it is not well-formed, and null was added. */
bool tw_report_json_copy(tw_text_buffer *out, const char *text, size_t length);

#endif
