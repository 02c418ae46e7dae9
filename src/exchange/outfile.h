/* SPDX-License-Identifier: BSD-3-Clause */
/* Text output through base/file.h, with a decimal point in every locale. Write errors are
 * kept until finish. */
#ifndef TW_EXCHANGE_OUTFILE_H
#define TW_EXCHANGE_OUTFILE_H

#include <stddef.h>
#include <stdio.h>

#include <twirl/types.h>

#include "base/environment.h"
#include "base/error.h"
#include "base/file.h"

typedef struct tw_outfile {
    tw_replace_file file;
    FILE *stream;
    tw_plain plain;
} tw_outfile;

/* If this succeeds, finish must follow. */
tw_status tw_outfile_open(tw_outfile *out, const char *path, tw_error *error);

void tw_outfile_print(tw_outfile *out, const char *format, ...) TW_PRINTF_LIKE(2, 3);
void tw_outfile_write(tw_outfile *out, const void *bytes, size_t count);

/* Escapes &, <, > and quotation marks for XML. */
void tw_outfile_print_xml(tw_outfile *out, const char *text);

tw_status tw_outfile_finish(tw_outfile *out, tw_error *error);

#endif
