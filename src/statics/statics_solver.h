/* SPDX-License-Identifier: BSD-3-Clause */
/* A sparse direct solver, in a module that is opened when it is needed: sequential MUMPS defines
 * names of MPI, which must not meet those of a real one. */
#ifndef TW_STATICS_STATICS_SOLVER_H
#define TW_STATICS_STATICS_SOLVER_H

#include <stdbool.h>
#include <stddef.h>

#include <twirl/types.h>

/* What the module exports, under the name TW_STATICS_SOLVER_SYMBOL. Functions return 0, or a number
 * of the solver's: negative for an error. */
typedef struct tw_statics_solver_module {
    int version;         /* TW_STATICS_SOLVER_VERSION */
    void *(*find)(void); /* once, before all others: the library of the solver, or NULL */
    /* Analyses the pattern of n x n elements, counted from 1; equal ones are added. Keeps the
     * pointers. */
    int (*analyse)(void **handle, int n, long long count, int *row, int *column);
    /* Pivots below `small` are counted, and their unknowns set to zero. */
    int (*factor)(void *handle, double *value, double small, int *small_pivots);
    int (*solve)(void *handle, int columns, double *x);
    /* mantissa 2^exponent */
    void (*determinant)(void *handle, double *mantissa, int *exponent);
    void (*close)(void *handle);
} tw_statics_solver_module;

enum { TW_STATICS_SOLVER_VERSION = 2 };
#define TW_STATICS_SOLVER_SYMBOL "tw_statics_solver_mumps"
extern const tw_statics_solver_module tw_statics_solver_mumps;

typedef struct tw_statics_solver {
    const tw_statics_solver_module *module;
    void *handle;
    int *row, *column;
    double *value;
    int n;
    long long count;
} tw_statics_solver;

/* Room for a matrix; the caller fills row, column and value. {0} is none. */
tw_status tw_statics_solver_open(tw_statics_solver *solver, size_t n, size_t count,
                                 tw_error *error);
void tw_statics_solver_close(tw_statics_solver *solver);

/* Analyses once, then factorises. */
tw_status tw_statics_solver_factor(tw_statics_solver *solver, double small, size_t *small_pivots,
                                   tw_error *error);
tw_status tw_statics_solver_solve(tw_statics_solver *solver, size_t columns, double *x,
                                  tw_error *error);

#endif
