/* SPDX-License-Identifier: BSD-3-Clause */
/* Command lines. Every error ends the program with TW_EXIT_USAGE, after a message that names the
 * option, its value and what is expected. */
#ifndef TWIRL_APP_ARGS_H
#define TWIRL_APP_ARGS_H

#include <argp.h>
#include <stddef.h>
#include <stdint.h>

#include <twirl/types.h>

/* argp_parse, after a check for unknown options: getopt's own message does not suggest the nearest
 * name. argv[0] is the name for messages, such as "twirl contact". */
void tw_args_parse(const struct argp *argp, int argc, char **argv, void *input);

/* A positional argument that may be given once; *value is NULL before. `name` is "FILE". */
void tw_args_once(const struct argp_state *state, const char *name, const char *text,
                  const char **value);

/* A finite number. */
double tw_args_number(const struct argp_state *state, const char *option, const char *text);

/* A finite number greater than 0. */
double tw_args_positive(const struct argp_state *state, const char *option, const char *text);

/* A velocity gradient: the 3 numbers of its diagonal or all 9, row by row. */
tw_mat3 tw_args_gradient(const struct argp_state *state, const char *option, const char *text);

/* An integer greater than 0. */
uint64_t tw_args_count(const struct argp_state *state, const char *option, const char *text);

/* The value of --threads. */
int tw_args_threads(const struct argp_state *state, const char *text);

/* The value of --device. Whether there is such a device on this machine is found out later. */
const char *tw_args_device(const struct argp_state *state, const char *text);

#define TW_ARGS_DEVICE_HELP                                                                        \
    "where steps are computed: cpu, cuda (a GPU) or emulated (the code of the GPU run on the "     \
    "CPU: "                                                                                        \
    "slow, for tests); default: TWIRL_DEVICE, or cpu; results do not depend on it"

/* Copies a path. */
void tw_args_path(const struct argp_state *state, const char *option, const char *text, char *path,
                  size_t size);

/* Ends the program because text[0..length) is not one of the known names; `what` says what they
 * are: "a law". */
void tw_args_refuse_name(const struct argp_state *state, const char *option, const char *text,
                         size_t length, const char *what, const char *const *known, size_t count);

#endif
