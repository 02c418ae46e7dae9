/* SPDX-License-Identifier: BSD-3-Clause */
/* Standard output of commands that print for people. */
#ifndef TWIRL_APP_OUTPUT_H
#define TWIRL_APP_OUTPUT_H

#include <stdint.h>

/* "" for 1, otherwise "s". */
const char *tw_output_plural(uint64_t count);

/* One line: the label in a column of `width` characters, then the text. */
void tw_output_line(int width, const char *label, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Flushes standard output. Returns `status`, or TW_EXIT_ENVIRONMENT after printing an error if
 * something could not be written. */
int tw_output_finish(const char *command, int status);

#endif
