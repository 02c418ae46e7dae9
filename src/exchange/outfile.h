/* SPDX-License-Identifier: BSD-3-Clause */
/* A file that takes its name only when it is complete. Errors in writing are kept until finish. */
#ifndef TW_EXCHANGE_OUTFILE_H
#define TW_EXCHANGE_OUTFILE_H

#include <limits.h>
#include <stddef.h>
#include <stdio.h>

#include <twirl/text.h>
#include <twirl/types.h>

#include "exchange/fault.h"

typedef struct tw_outfile {
    FILE *file;
    const char *path;         /* as the user gave it */
    char target[PATH_MAX];    /* the name the file takes in the end; "" where it has it already */
    char temporary[PATH_MAX]; /* the name it bears until then */
    tw_plain plain;
} tw_outfile;

/* Whatever it answers, TW_STATUS_OK alone must be followed by finish. */
tw_status tw_outfile_open(tw_outfile *out, const char *path, tw_error *error);

void tw_outfile_print(tw_outfile *out, const char *format, ...) TW_FAULT_PRINTF(2, 3);
void tw_outfile_write(tw_outfile *out, const void *bytes, size_t count);

/* With &, <, > and quotation marks as XML wants them. */
void tw_outfile_print_xml(tw_outfile *out, const char *text);

/* Closes the file and gives it its name, or removes it if anything went wrong. */
tw_status tw_outfile_finish(tw_outfile *out, tw_error *error);

#endif
