/* SPDX-License-Identifier: BSD-3-Clause */
/* Parts of the JSON document of a report: base64, and copies of documents. */
#ifndef TWIRL_APP_REPORT_JSON_H
#define TWIRL_APP_REPORT_JSON_H

#include <stdbool.h>
#include <stddef.h>

#include "base/text.h"

/* Base64 in quotes, or without them. */
void tw_report_json_bytes(tw_text_buffer *out, const void *bytes, size_t count);
void tw_report_json_base64(tw_text_buffer *out, const void *bytes, size_t count);

/* Copies a JSON document. False: it is not well-formed, and null was added. */
bool tw_report_json_copy(tw_text_buffer *out, const char *text, size_t length);

#endif
