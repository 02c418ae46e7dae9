/* SPDX-License-Identifier: BSD-3-Clause */
/* Members of JSON objects. */
#ifndef TW_RUN_JSON_H
#define TW_RUN_JSON_H

#include <stddef.h>

#include "base/text_buffer.h"

/* , "NAME": VALUE */
void tw_json_add_number(tw_text_buffer *text, const char *name, double value);
/* , "NAME": [VALUE, ...] */
void tw_json_add_list(tw_text_buffer *text, const char *name, const double *values, size_t count);

#endif
