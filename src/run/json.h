/* SPDX-License-Identifier: BSD-3-Clause */
/* Members of JSON objects. */
#ifndef TW_RUN_JSON_H
#define TW_RUN_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/text.h"

/* , "NAME": VALUE */
void tw_json_add_number(tw_text_buffer *text, const char *name, double value);
/* , "NAME": [VALUE, ...] */
void tw_json_add_list(tw_text_buffer *text, const char *name, const double *values, size_t count);

/* Closes the object with a member "check", the hash of all before it. */
void tw_json_close(tw_text_buffer *text, uint64_t seed);
/* Whether the text is such an object, closed with this seed and unchanged. */
bool tw_json_is_whole(const char *text, size_t length, uint64_t seed);

#endif
