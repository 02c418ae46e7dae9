/* SPDX-License-Identifier: BSD-3-Clause */
/* Writes rows of text to a file or to standard output, whole rows only. A file appears under its
 * name when it is complete. */
#ifndef TWIRL_APP_ROW_WRITER_H
#define TWIRL_APP_ROW_WRITER_H

#include <stdbool.h>

#include <twirl/types.h>

#include "base/file.h"
#include "base/text.h"

typedef struct tw_row_writer {
    bool standard; /* standard output, not `file` */
    bool terminal; /* write each row immediately */
    tw_replace_file file;
    tw_text_buffer rows; /* not written yet */
    int number;          /* errno of the first failed write to standard output, or 0 */
} tw_row_writer;

/* `path` NULL or "-" is standard output. After success, finish or abandon must follow. */
tw_status tw_row_writer_open(tw_row_writer *writer, const char *path, tw_error *error);

/* One row, or several; the format includes the line ends. False if writing failed; the reason is
 * kept for finish. */
bool tw_row_writer_add(tw_row_writer *writer, const char *format, ...) TW_PRINTF_LIKE(2, 3);

/* Writes the rest and closes. After a failure, here or before, the old file is kept. */
tw_status tw_row_writer_finish(tw_row_writer *writer, tw_error *error);

/* Leaves the old file, if any, as it was. Rows for standard output are written. */
void tw_row_writer_abandon(tw_row_writer *writer);

#endif
