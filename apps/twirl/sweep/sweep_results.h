/* SPDX-License-Identifier: BSD-3-Clause */
/* The results of all cases: a table of numbers with a row for each case. */
#ifndef TWIRL_APP_SWEEP_RESULTS_H
#define TWIRL_APP_SWEEP_RESULTS_H

#include <stdbool.h>
#include <stddef.h>

#include "sweep/sweep_grid.h"
#include "sweep/sweep_take.h"

/* What to evaluate. */
typedef struct tw_sweep_request {
    const char *stage; /* or several, separated by commas; NULL: the last test */
    tw_sweep_take *take;
    size_t take_count;
} tw_sweep_request;

typedef struct tw_sweep_results {
    const tw_sweep_grid *grid;
    const char **name; /* of the columns */
    size_t columns;
    size_t *result; /* their numbers, of columns that are not taken */
    double *value;  /* case by case; NaN: none */
    bool *done;     /* by case */
    char **test;    /* by case that is done: its stages that are evaluated, separated by commas */
} tw_sweep_results;

/* Whether every case has the stages that are asked for. Returns an exit status; errors have been
 * printed. */
int tw_sweep_results_check(const tw_sweep_grid *grid, const tw_sweep_request *request,
                           const char *command);

/* Evaluates the histories of the cases that are done. Returns an exit status; errors have been
 * printed. Free the results even after a failure. */
int tw_sweep_results_read(tw_sweep_results *results, const tw_sweep_grid *grid, const char *folder,
                          const tw_sweep_request *request, const char *command);
void tw_sweep_results_free(tw_sweep_results *results);

/* The number of a column; SIZE_MAX: there is none. */
size_t tw_sweep_results_find(const tw_sweep_results *results, const char *name);

typedef struct tw_sweep_statistics {
    size_t count;
    double mean, deviation; /* NaN for fewer than one (two) values */
} tw_sweep_statistics;

/* Statistics of a column over the cases of a group that have a number. */
tw_sweep_statistics tw_sweep_results_statistics(const tw_sweep_results *results, size_t group,
                                                size_t column);

/* FOLDER/table.csv: a row for each case. */
tw_status tw_sweep_results_write(const tw_sweep_results *results, const char *folder,
                                 tw_error *error);

/* FOLDER/table_mean.csv: means and standard deviations over specimen.seed, which must vary. */
tw_status tw_sweep_results_write_means(const tw_sweep_results *results, const char *folder,
                                       tw_error *error);

/* FOLDER/datapackage.json: names, units and meaning of the columns of both. */
tw_status tw_sweep_results_write_dictionary(const tw_sweep_results *results, const char *folder,
                                            const tw_sweep_request *request, tw_error *error);

#endif
