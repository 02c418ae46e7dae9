/* SPDX-License-Identifier: BSD-3-Clause */
/* Command lines. A command has a table of its options: how each is read, and into which member of
 * the command's settings. Every error ends the program with TW_EXIT_USAGE, after a message that
 * names the option, its value and what is expected. */
#ifndef TWIRL_APP_ARGS_H
#define TWIRL_APP_ARGS_H

#include <argp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <twirl/types.h>

/* Reads the text of an option into its member; `option` is its name without dashes, or that of a
 * positional argument. */
typedef void tw_args_reader(const struct argp_state *state, const char *option, char *text,
                            void *member);

/* A row of a table, by what it has: name and reader, an option; a name alone, another name of the
 * option above, or its short form; an argument without a name, the positional arguments, which must
 * be given if there is help, what they are, and are a text or a list; help alone, the heading of a
 * group. A row of zeros ends the table. */
typedef struct tw_args_option {
    const char *name, *argument; /* argument: NULL, it takes none */
    const char *help;
    tw_args_reader *read;
    size_t offset; /* of the member in the settings */
} tw_args_option;

/* Options, and a check of the settings when all are read; NULL: none. */
typedef struct tw_args_table {
    const tw_args_option *options;
    void (*check)(const struct argp_state *state, void *settings);
} tw_args_table;

typedef struct tw_args_command {
    tw_args_table own;
    const tw_args_table *shared; /* with other commands, or NULL; checked first */
    size_t shared_offset;        /* of its settings in those of the command */
    const char *arguments;       /* positional ones, for the line of usage */
    const char *description;
} tw_args_command;

/* Reads a command line. argv[0] is the name for messages, such as "twirl contact". */
void tw_args_parse(const tw_args_command *command, int argc, char **argv, void *settings);

/* ---- Readers ---- */

/* bool: true, false. */
tw_args_reader tw_args_flag, tw_args_no_flag;

/* const char *: any text; a positional argument that may be given once. */
tw_args_reader tw_args_text, tw_args_once;

/* const char *: the name of a folder, not empty. */
tw_args_reader tw_args_folder;

/* tw_args_list: any number of texts, to be freed by the command. */
typedef struct tw_args_list {
    const char **of; /* NULL: none */
    size_t count;
} tw_args_list;

tw_args_reader tw_args_add;

/* Words separated by commas; an option given again adds to them. */
tw_args_reader tw_args_words;

/* double: finite; finite and greater than 0. */
tw_args_reader tw_args_number, tw_args_positive;

/* uint64_t: greater than 0. */
tw_args_reader tw_args_count;

/* int: a number of threads. */
tw_args_reader tw_args_threads;

/* const char *: the name of a device. Whether this machine has it is found out later. */
tw_args_reader tw_args_device;

#define TW_ARGS_DEVICE_HELP                                                                        \
    "where steps are computed: cpu, cuda (a GPU) or emulated (the code of the GPU run on the "     \
    "CPU: "                                                                                        \
    "slow, for tests); default: TWIRL_DEVICE, or cpu; results do not depend on it. In twirl-lmp "  \
    "also lammps, the default there: the processes of the job, with other roundings"

/* char[PATH_MAX]: a path. */
tw_args_reader tw_args_path;

/* The 3 numbers of a diagonal or all 9, row by row. */
typedef struct tw_args_matrix {
    tw_mat3 value;
    bool given;
} tw_args_matrix;

tw_args_reader tw_args_read_matrix;

/* The number of text[0..length) among the known names. Ends the program if it is none of them;
 * `what` says what they are: "a law". */
size_t tw_args_choice(const struct argp_state *state, const char *option, const char *text,
                      size_t length, const char *what, const char *const *known, size_t count);

/* Manual pages and tables for shell completion, from the texts of --help. */

/* Options of every command that are not in its help: the build and the shells use them. */
#define TW_MANUAL_PAGE "--print-manual" /* the manual page, as roff */
#define TW_MANUAL_OPTIONS                                                                          \
    "--print-options" /* NAME, ARGUMENT and text of each option, with tabs                         \
                       */

/* A command, and how `twirl --help` lists it. */
typedef struct tw_command {
    const char *name;
    int (*run)(int argc, char **argv);
    const char *summary;
} tw_command;

/* Prints the start of the page of "twirl NAME": title and summary. */
void tw_manual_begin(const char *name, const char *summary);

/* Prints the page of the program itself. */
void tw_manual_print_program(const char *purpose, const tw_command *commands, size_t count);

/* The width or height of a picture, on paper or in pixels. */

/* A length of 0 is not set. */
typedef struct tw_picture_length {
    double value; /* in pixels or centimetres */
    bool pixels;
} tw_picture_length;

/* Reads 850, 850px, 8.5cm, 85mm, 3.3in or 240pt, also with spaces before the unit. False: not a
 * positive length. */
bool tw_picture_length_read(const char *text, tw_picture_length *length);

#endif
