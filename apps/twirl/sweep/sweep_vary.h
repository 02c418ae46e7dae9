/* SPDX-License-Identifier: BSD-3-Clause */
/* --vary KEY=VALUES: a key of the scenario and the values it takes. VALUES are separated by commas;
 * each is a value as in --set, A..B or A..B..STEP for whole numbers, or A:B:N for N numbers at
 * equal distances, with a unit after it if needed. Commas within quotes or brackets do not
 * separate. */
#ifndef TWIRL_APP_SWEEP_VARY_H
#define TWIRL_APP_SWEEP_VARY_H

#include <stdbool.h>
#include <stddef.h>

enum { TW_SWEEP_VALUES_MAX = 10000 };

typedef struct tw_sweep_vary {
    char *key;
    char **value; /* as texts for --set */
    size_t count;
} tw_sweep_vary;

/* False: `problem` says what is wrong; empty: out of memory. Free it even after a failure. */
bool tw_sweep_vary_parse(tw_sweep_vary *vary, const char *text, char *problem, size_t size);
void tw_sweep_vary_free(tw_sweep_vary *vary);

/* The last name of the key: "friction" of material.friction, "rate" of stages[2].rate. */
const char *tw_sweep_vary_label(const tw_sweep_vary *vary);

/* Replicates differ in nothing but the seed. */
bool tw_sweep_vary_is_seed(const tw_sweep_vary *vary);

#endif
