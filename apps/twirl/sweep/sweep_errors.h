/* SPDX-License-Identifier: BSD-3-Clause */
/* Errors or warnings of all cases; the same text in several cases is printed once. */
#ifndef TWIRL_APP_SWEEP_ERRORS_H
#define TWIRL_APP_SWEEP_ERRORS_H

#include <stdbool.h>
#include <stddef.h>

typedef struct tw_sweep_error {
    char *text, *first; /* first: the case */
    size_t cases;
} tw_sweep_error;

typedef struct tw_sweep_errors {
    tw_sweep_error *error;
    size_t count;
    size_t grid_size; /* number of cases of the sweep */
    bool out_of_memory;
} tw_sweep_errors;

void tw_sweep_errors_add(tw_sweep_errors *errors, const char *name, const char *text);

void tw_sweep_errors_print(const tw_sweep_errors *errors);
void tw_sweep_errors_free(tw_sweep_errors *errors);

#endif
