/* SPDX-License-Identifier: BSD-3-Clause */
/* What a command tells its user and its caller: exit status, lines of output, progress, signals. */
#ifndef TWIRL_APP_OUTPUT_H
#define TWIRL_APP_OUTPUT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include <twirl/types.h>

/* Exit statuses of the program. */
enum {
    TW_EXIT_OK = 0,
    TW_EXIT_ENVIRONMENT = 1, /* disk full, out of memory, gnuplot not installed */
    TW_EXIT_USAGE = 2,       /* bad options or bad input */
    TW_EXIT_PHYSICS = 3,     /* the simulation left the range of its model */
    TW_EXIT_SIGNAL = 128     /* plus the number of the signal that ended the run */
};

/* After an error while reading input: a file that cannot be read is bad input. */
int tw_exit_status_reading(tw_status status);

/* After an error while running or writing. */
int tw_exit_status_running(tw_status status);

/* Returns `memory`. NULL: prints that there is none, and ends the program. */
void *tw_exit_unless(void *memory);

/* A formatted text in memory of its own; there is always enough, as above. */
char *tw_exit_text(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Prints "COMMAND: MESSAGE" on standard error and returns the exit status. */
int tw_output_fail(const char *command, int status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Output for people. */

/* "" for 1, otherwise "s". */
const char *tw_output_plural(uint64_t count);

/* One line: the label in a column of `width` characters, then the text. */
void tw_output_line(FILE *out, int width, const char *label, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* Flushes standard output. Returns `status`, or TW_EXIT_ENVIRONMENT after printing an error if
 * something could not be written. */
int tw_output_finish(const char *command, int status);

/* The progress of a run on standard error: one line that is rewritten on a terminal, a line every
 * ten seconds elsewhere. */
typedef struct tw_progress {
    const char *command; /* name for messages */
    bool quiet, terminal;
    double started, shown; /* wall clock [s] */
    double interval;       /* between lines: 0.5 s on a terminal, 10 s elsewhere, unless changed */
} tw_progress;

tw_progress tw_progress_start(const char *command, bool quiet);

/* Whether it is time for a line; if so, the next one is due an interval later. */
bool tw_progress_due(tw_progress *progress, double now);

/* Replaces the line on a terminal, prints one elsewhere. Leading blanks align it on a terminal. */
void tw_progress_show(const tw_progress *progress, const char *line);

/* Clears the line on a terminal, so that a message can be printed. */
void tw_progress_clear(const tw_progress *progress);

/* Stopping a run with a signal. After tw_interrupt_watch the first SIGINT, SIGTERM or SIGHUP (a
 * closed terminal) only sets a flag: the run polls it between steps, saves its state and ends. A
 * second one ends the program at once, as by default: a checkpoint that is being written is lost,
 * the previous one stays. */

/* A signal that is ignored at this time (nohup, background job of a shell) stays ignored. */
void tw_interrupt_watch(void);

/* The number of the signal that arrived; 0 if none has. */
int tw_interrupt_signal(void);

/* "SIGINT", "SIGTERM" or "SIGHUP", for messages. */
const char *tw_interrupt_name(int number);

/* A command for the user to copy: how to continue what has ended. Prints "    twirl COMMAND EXTRA
 * ARGUMENTS" on standard error, quoted for a shell: the arguments argv[1 .. argc - 1] of this call
 * without the options in `without` and their values. Names that end in '=' have a value; both lists
 * end in NULL. */
void tw_command_line_print(const char *command, const char *const *extra,
                           const char *const *without, int argc, char **argv);

#endif
