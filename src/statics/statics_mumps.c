/* SPDX-License-Identifier: BSD-3-Clause */
/* The module with MUMPS. It is a shared object of its own: statics_solver.h says why. */
#include "statics/statics_solver.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include <dmumps_c.h>

enum { INITIALISE = -1, END = -2, ANALYSE = 1, FACTOR = 2, SOLVE = 3 };

/* MUMPS itself is looked for when the module is used, so that a package with the module can do
 * without the package of MUMPS. */
static void (*mumps)(DMUMPS_STRUC_C *);

/* SCOTCH orders the unknowns, with random numbers that go on from one matrix to the next, and on
 * all cores. Both would give the same matrix another order each time, and so other rounding. NULL:
 * a MUMPS without SCOTCH. */
static void (*begin_random_numbers)(void);

static void *find(void)
{
    setenv("SCOTCH_PTHREAD_NUMBER", "1", 1);
    void *library = dlopen(TWIRL_MUMPS_NAME, RTLD_NOW | RTLD_LOCAL);
    void *found = library ? dlsym(library, "dmumps_c") : NULL;
    void *begin = library ? dlsym(library, "SCOTCH_randomReset") : NULL;
    memcpy(&mumps, &found, sizeof mumps); /* ISO C has no conversion */
    memcpy(&begin_random_numbers, &begin, sizeof begin);
    return found ? library : NULL;
}

static DMUMPS_STRUC_C *call(void *handle, int job)
{
    DMUMPS_STRUC_C *m = handle;
    m->job = job;
    mumps(m);
    return m;
}

static void set(DMUMPS_STRUC_C *m, int control, int value)
{
    m->icntl[control - 1] = value;
}

static void end(void *handle)
{
    if (!handle) return;
    free(call(handle, END));
}

static int analyse(void **handle, int n, long long count, int *row, int *column)
{
    DMUMPS_STRUC_C *m = calloc(1, sizeof *m);
    *handle = m;
    if (!m) return -13; /* MUMPS's number for no memory */
    m->par = 1;
    m->comm_fortran = -987654; /* MPI_COMM_WORLD */
    call(m, INITIALISE);
    for (int k = 1; k <= 4; k++) /* prints nothing */
        set(m, k, k == 4 ? 0 : -1);
    set(m, 6, 0);   /* the diagonal is strong: no permutation */
    set(m, 7, 3);   /* order with SCOTCH; METIS saves 5 % of the operations */
    set(m, 8, 0);   /* scaled already: pivots are stiffnesses */
    set(m, 14, 60); /* room for pivots that are put off [%] */
    set(m, 24, 1);  /* small pivots */
    set(m, 33, 1);  /* determinant */
    m->cntl[0] = 0.01;
    m->n = n;
    m->nnz = count;
    m->irn = row;
    m->jcn = column;
    if (begin_random_numbers) begin_random_numbers();
    return call(m, ANALYSE)->infog[0];
}

static int factor(void *handle, double *value, double small, int *small_pivots)
{
    DMUMPS_STRUC_C *m = handle;
    m->a = value;
    m->cntl[2] = -small; /* negative: not relative to the matrix */
    set(m, 24, small > 0.0);
    int status = call(m, FACTOR)->infog[0];
    while ((status == -8 || status == -9) && m->icntl[13] < 1000) { /* too little room */
        set(m, 14, 2 * m->icntl[13]);
        status = call(m, FACTOR)->infog[0];
    }
    *small_pivots = m->infog[27];
    return status;
}

static int solve(void *handle, int columns, double *x)
{
    DMUMPS_STRUC_C *m = handle;
    set(m, 27, 64); /* columns at a time */
    m->rhs = x;
    m->nrhs = columns;
    m->lrhs = m->n;
    return call(m, SOLVE)->infog[0];
}

static void determinant(void *handle, double *mantissa, int *exponent)
{
    const DMUMPS_STRUC_C *m = handle;
    *mantissa = m->rinfog[11];
    *exponent = m->infog[33];
}

__attribute__((visibility("default"))) const tw_statics_solver_module tw_statics_solver_mumps = {
    .version = TW_STATICS_SOLVER_VERSION,
    .find = find,
    .analyse = analyse,
    .factor = factor,
    .solve = solve,
    .determinant = determinant,
    .close = end,
};
