/* SPDX-License-Identifier: BSD-3-Clause */
/* Whole files in the folder of a run. */
#ifndef TWIRL_APP_REPORT_FILE_H
#define TWIRL_APP_REPORT_FILE_H

#include <stdbool.h>
#include <stddef.h>

typedef struct tw_report_file {
    char *text; /* with a 0 at the end; NULL: there is no such file */
    size_t length;
} tw_report_file;

/* FOLDER/NAME; a file that is not there or cannot be read is NULL. */
tw_report_file tw_report_file_read(const char *folder, const char *name);

bool tw_report_file_exists(const char *folder, const char *name);

/* Without an incomplete last line: the run may be writing it. */
void tw_report_file_cut(tw_report_file *file);

void tw_report_file_free(tw_report_file *file);

#endif
