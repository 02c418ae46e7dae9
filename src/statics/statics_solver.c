/* SPDX-License-Identifier: BSD-3-Clause */
#include "statics/statics_solver.h"

#include <dlfcn.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <twirl/statics.h>

#include "base/error.h"
#include "base/memory.h"

/* ---- The module ---- */

static const char module_file[] = "twirl/twirl_statics_mumps.so"; /* in the folder of libraries */

/* As near as the folder of libraries is to the file that holds this code, a program or a library,
 * in a build tree or installed. */
static void *open_near(void)
{
    enum { UP = 5 };
    Dl_info here;
    char folder[PATH_MAX], path[PATH_MAX + 128];
    if (!dladdr(module_file, &here) || !here.dli_fname) return NULL;
    if (!realpath(here.dli_fname, folder) && !realpath("/proc/self/exe", folder)) return NULL;
    for (int k = 0; k < UP; k++) {
        char *slash = strrchr(folder, '/');
        if (!slash) return NULL;
        *slash = '\0';
        snprintf(path, sizeof path, "%s/%s/%s", folder, TWIRL_LIBDIR, module_file);
        if (TWIRL_LIBDIR[0] == '/') snprintf(path, sizeof path, "%s/%s", TWIRL_LIBDIR, module_file);
        void *module = dlopen(path, RTLD_NOW | RTLD_LOCAL);
        if (module) return module;
    }
    return NULL;
}

/* Opened once and never closed: the runtime of Fortran does not survive that. */
static const tw_statics_solver_module *module;

static void open_module(void)
{
    const char *given = getenv("TWIRL_STATICS_MODULE");
    void *found = given ? dlopen(given, RTLD_NOW | RTLD_LOCAL) : open_near();
    const tw_statics_solver_module *it = found ? dlsym(found, TW_STATICS_SOLVER_SYMBOL) : NULL;
    void *library = it && it->version == TW_STATICS_SOLVER_VERSION ? it->find() : NULL;
    if (!library) return;
    module = it;
    /* An OpenBLAS with threads is slower here. */
    void (*set_threads)(int);
    void *limit = dlsym(library, "openblas_set_num_threads");
    memcpy(&set_threads, &limit, sizeof set_threads); /* ISO C has no conversion */
    if (limit) set_threads(1);
}

static tw_status find_module(tw_error *error)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, open_module);
    if (module) return TW_STATUS_OK;
    return tw_error_set(error, TW_STATUS_FILE,
                        "statics needs the sparse solver MUMPS, which was not found: apt-get "
                        "install libmumps-seq-dev libopenblas0-serial; where twirl was built "
                        "without it, scripts/setup installs both: then configure and build again");
}

tw_status tw_statics_check_solver(tw_error *error)
{
    tw_error_clear(error);
    return find_module(error);
}

/* ---- One matrix ---- */

tw_status tw_statics_solver_open(tw_statics_solver *solver, size_t n, size_t count, tw_error *error)
{
    *solver = (tw_statics_solver){0};
    const tw_status status = find_module(error);
    if (status != TW_STATUS_OK) return status;
    if (n > INT_MAX)
        return tw_error_set(error, TW_STATUS_INPUT, "%zu unknowns are too many for MUMPS", n);
    solver->module = module;
    solver->n = (int)n;
    solver->count = (long long)count;
    if (tw_buffer_zeros(&solver->row, count, sizeof *solver->row) &&
        tw_buffer_zeros(&solver->column, count, sizeof *solver->column) &&
        tw_buffer_zeros(&solver->value, count, sizeof *solver->value))
        return TW_STATUS_OK;
    tw_statics_solver_close(solver);
    return tw_error_set_memory(error);
}

void tw_statics_solver_close(tw_statics_solver *solver)
{
    if (solver->handle) solver->module->close(solver->handle);
    tw_buffer_drop(&solver->row);
    tw_buffer_drop(&solver->column);
    tw_buffer_drop(&solver->value);
    *solver = (tw_statics_solver){0};
}

/* MUMPS's numbers of errors that a user can do something about. */
static tw_status refuse(int number, const char *what, tw_error *error)
{
    enum { SINGULAR = -10, NO_MEMORY = -13 };
    if (number == NO_MEMORY || number == -8 || number == -9) return tw_error_set_memory(error);
    if (number == SINGULAR)
        return tw_error_set(error, TW_STATUS_PHYSICS,
                            "the stiffness of the state is singular even with the shift: grains "
                            "move without any resistance");
    return tw_error_set(error, TW_STATUS_PHYSICS, "MUMPS could not %s the matrix: its error is %d",
                        what, number);
}

tw_status tw_statics_solver_factor(tw_statics_solver *solver, double small, size_t *small_pivots,
                                   tw_error *error)
{
    int number = 0, found = 0;
    if (!solver->handle) {
        number = solver->module->analyse(&solver->handle, solver->n, solver->count, solver->row,
                                         solver->column);
        if (number < 0) return refuse(number, "analyse", error);
    }
    number = solver->module->factor(solver->handle, solver->value, small, &found);
    if (small_pivots) *small_pivots = (size_t)found;
    return number < 0 ? refuse(number, "factorise", error) : TW_STATUS_OK;
}

tw_status tw_statics_solver_solve(tw_statics_solver *solver, bool transposed, size_t columns,
                                  double *x, tw_error *error)
{
    if (columns == 0) return TW_STATUS_OK;
    const int number = solver->module->solve(solver->handle, transposed, (int)columns, x);
    return number < 0 ? refuse(number, "solve with", error) : TW_STATUS_OK;
}
