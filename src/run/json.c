/* SPDX-License-Identifier: BSD-3-Clause */
#include "run/json.h"

void tw_json_add_number(tw_text_buffer *text, const char *name, double value)
{
    tw_text_buffer_add(text, ", \"%s\": ", name);
    tw_text_buffer_add_json_number(text, value);
}

void tw_json_add_list(tw_text_buffer *text, const char *name, const double *values, size_t count)
{
    tw_text_buffer_add(text, ", \"%s\": [", name);
    for (size_t i = 0; i < count; i++) {
        if (i > 0) tw_text_buffer_add(text, ", ");
        tw_text_buffer_add_json_number(text, values[i]);
    }
    tw_text_buffer_add(text, "]");
}
