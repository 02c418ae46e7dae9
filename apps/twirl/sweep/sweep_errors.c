/* SPDX-License-Identifier: BSD-3-Clause */
#include "sweep/sweep_errors.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void tw_sweep_errors_add(tw_sweep_errors *errors, const char *name, const char *text)
{
    for (size_t i = 0; i < errors->count; i++) {
        if (strcmp(errors->error[i].text, text) != 0) continue;
        errors->error[i].cases++;
        return;
    }
    tw_sweep_error *more = realloc(errors->error, (errors->count + 1) * sizeof *more);
    const tw_sweep_error one = {strdup(text), strdup(name), 1};
    if (more) errors->error = more;
    if (more && one.text && one.first) {
        more[errors->count++] = one;
        return;
    }
    free(one.text);
    free(one.first);
    errors->out_of_memory = true;
}

static void print_one(const tw_sweep_errors *errors, const tw_sweep_error *e)
{
    if (e->cases == errors->grid_size)
        fprintf(stderr, "%s\n", e->text);
    else if (e->cases == 1)
        fprintf(stderr, "case %s: %s\n", e->first, e->text);
    else
        fprintf(stderr, "case %s and %zu more: %s\n", e->first, e->cases - 1, e->text);
}

void tw_sweep_errors_print(const tw_sweep_errors *errors)
{
    for (size_t i = 0; i < errors->count; i++)
        print_one(errors, &errors->error[i]);
}

void tw_sweep_errors_free(tw_sweep_errors *errors)
{
    for (size_t i = 0; i < errors->count; i++) {
        free(errors->error[i].text);
        free(errors->error[i].first);
    }
    free(errors->error);
    *errors = (tw_sweep_errors){.count = 0};
}
