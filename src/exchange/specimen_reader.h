/* SPDX-License-Identifier: BSD-3-Clause */
/* What the readers of specimens share: the file and the specimen it fills. Each reader begins its
 * own struct with this one. */
#ifndef TW_EXCHANGE_SPECIMEN_READER_H
#define TW_EXCHANGE_SPECIMEN_READER_H

#include <stdbool.h>

#include "exchange/lines.h"
#include "exchange/specimen.h"

typedef struct tw_specimen_reader {
    tw_lines lines;
    tw_specimen *specimen;
} tw_specimen_reader;

/* Opens the file, has `read` fill the specimen, and returns it; NULL on failure. */
tw_specimen *tw_specimen_reader_run(tw_specimen_reader *reader, const char *path,
                                    bool (*read)(tw_specimen_reader *reader), tw_error *error);

#endif
