/* SPDX-License-Identifier: BSD-3-Clause */
/* Manual pages and tables for shell completion, from the texts of --help. */
#ifndef TWIRL_APP_MANUAL_H
#define TWIRL_APP_MANUAL_H

#include <argp.h>
#include <stdbool.h>
#include <stddef.h>

/* Options of every command that are not in its help: the build and the shells use them. */
#define TW_MANUAL_PAGE "--print-manual" /* the manual page, as roff */
#define TW_MANUAL_OPTIONS                                                                          \
    "--print-options" /* NAME, ARGUMENT and text of each option, with tabs                         \
                       */

/* A command, as listed by `twirl --help`. */
typedef struct tw_manual_command {
    const char *name;
    const char *summary;
} tw_manual_command;

/* Prints the start of the page of "twirl NAME": title and summary. */
void tw_manual_begin(const char *name, const char *summary);

/* Prints the rest of it. `command` is the full name. */
void tw_manual_print(const struct argp *argp, const char *command);

/* Prints the table of options, with those that argp adds. */
void tw_manual_print_options(const struct argp *argp);

/* Prints the page of the program itself. */
void tw_manual_print_program(const char *purpose, const tw_manual_command *commands, size_t count);

#endif
