/* SPDX-License-Identifier: BSD-3-Clause */
/* Writing JSON, and copying documents of others. `name` is that of a member of an object; NULL: an
 * element of an array, or a document. Commas are written where they are needed. */
#ifndef TW_BASE_JSON_H
#define TW_BASE_JSON_H

#include <stdbool.h>
#include <stddef.h>

#include "base/text.h"

/* The name alone: a value must follow. */
void tw_json_name(tw_text_buffer *out, const char *name);

/* '{' or '[', and '}' or ']'. */
void tw_json_begin(tw_text_buffer *out, const char *name, char bracket);
void tw_json_end(tw_text_buffer *out, char bracket);

/* Values, as tw_text_buffer_add_json_string and the like write them. */
void tw_json_text(tw_text_buffer *out, const char *name, const char *text); /* NULL: null */
void tw_json_bytes(tw_text_buffer *out, const char *name, const char *text, size_t length);
void tw_json_number(tw_text_buffer *out, const char *name, double value);
void tw_json_count(tw_text_buffer *out, const char *name, size_t value);
void tw_json_truth(tw_text_buffer *out, const char *name, bool value);

/* An array of numbers, every `stride`-th of the values. */
void tw_json_numbers(tw_text_buffer *out, const char *name, const double *values, size_t count,
                     size_t stride);

/* Text that is JSON already. */
void tw_json_plain(tw_text_buffer *out, const char *name, const char *text);

/* Bytes as a string, and the same without its quotes. */
void tw_json_base64(tw_text_buffer *out, const char *name, const void *bytes, size_t count);
void tw_json_add_base64(tw_text_buffer *out, const void *bytes, size_t count);

/* Copies a document, without its blanks. False: it is not well-formed, and null was added. */
bool tw_json_copy(tw_text_buffer *out, const char *name, const char *text, size_t length);

/* ---- A data dictionary: a tabular data package of frictionlessdata.io ---- */

/* A column. The unit counts for numbers only, "1" if there is none. */
typedef struct tw_json_field {
    const char *name, *type; /* "number", "integer" or "string" */
    const char *unit, *title, *description;
} tw_json_field;

/* Tables between the begin and end of a package, fields between those of a table. */
void tw_json_package_begin(tw_text_buffer *out, const char *name);
void tw_json_package_end(tw_text_buffer *out);
void tw_json_table_begin(tw_text_buffer *out, const char *name); /* in NAME.csv */
void tw_json_table_end(tw_text_buffer *out);
void tw_json_table_add(tw_text_buffer *out, tw_json_field field);

/* Columns of a table, in its dictionary and as the header of NAME.csv. A name that ends in a star
 * stands for the six components of a tensor, in a hash for the coordinates 1 to 3. Titles are the
 * names. */
void tw_json_table(tw_text_buffer *out, const char *name, const tw_json_field *fields,
                   size_t count);
void tw_json_table_header(tw_text_buffer *out, const tw_json_field *fields, size_t count);

#endif
