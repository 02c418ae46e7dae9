/* SPDX-License-Identifier: BSD-3-Clause */
/* What the commands share in reading their command lines. Every refusal ends the program with
 * status TW_EXIT_USAGE and names the option, its value and what would be right. */
#ifndef TWIRL_APP_ARGS_H
#define TWIRL_APP_ARGS_H

#include <argp.h>
#include <stddef.h>
#include <stdint.h>

#include <twirl/types.h>

enum {
    TW_EXIT_OK = 0,
    TW_EXIT_ENVIRONMENT = 1, /* a disk that is full, a program that is missing */
    TW_EXIT_USAGE = 2,       /* bad options or bad input */
    TW_EXIT_PHYSICS = 3,     /* a simulation has left the range of its model */
    TW_EXIT_SIGNAL = 128     /* plus the number of the signal that ended the run */
};

/* argp_parse, after looking for options nobody knows: getopt's own message cannot name the nearest.
 * argv[0] is the name for messages, such as "twirl contact". */
void tw_args_parse(const struct argp *argp, int argc, char **argv, void *input);

/* A finite number. */
double tw_args_number(const struct argp_state *state, const char *option, const char *text);

/* A finite number above zero. */
double tw_args_positive(const struct argp_state *state, const char *option, const char *text);

/* A velocity gradient: the 3 numbers of its diagonal or all 9, row by row. */
tw_mat3 tw_args_gradient(const struct argp_state *state, const char *option, const char *text);

/* A path, copied. */
void tw_args_path(const struct argp_state *state, const char *option, const char *text, char *path,
                  size_t size);

/* The name of a file without its folder, and without an ending that says nothing but the format;
 * the dot of a number, as in sand_0.566, stays. */
void tw_args_stem(char *name, size_t size, const char *path);

/* A whole number above zero. */
uint64_t tw_args_count(const struct argp_state *state, const char *option, const char *text);

/* Refuses text[0..length), which should be one of `known`; `what` says what they are: "a law". */
void tw_args_refuse_name(const struct argp_state *state, const char *option, const char *text,
                         size_t length, const char *what, const char *const *known, size_t count);

#endif
