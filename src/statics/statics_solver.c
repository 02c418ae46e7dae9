/* SPDX-License-Identifier: BSD-3-Clause */
#include "statics/statics_solver.h"

#include <dlfcn.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <twirl/statics.h>

#include "base/error.h"
#include "base/memory.h"

/* ---- The module ---- */

static const char module_file[] = TWIRL_MODULE; /* in the folder of libraries */

/* Opened once and never closed: the runtime of Fortran does not survive that. */
static const tw_statics_solver_module *module;
static char refusal[500]; /* why it is not open */
static bool short_of_memory;

static void *refuse_to_open(const char *why)
{
    snprintf(refusal, sizeof refusal, "%s", why ? why : "no reason given");
    return NULL;
}

static void *open_file(const char *path)
{
    void *found = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    return found ? found : refuse_to_open(dlerror());
}

/* As near as the folder of libraries is to the file that holds this code, a program or a library,
 * in a build tree or installed. */
static void *open_near(void)
{
    enum { UP = 5 };
    Dl_info here;
    char folder[PATH_MAX], path[PATH_MAX + 128];
    refuse_to_open("twirl was built or installed without its module for it");
    if (!dladdr(module_file, &here) || !here.dli_fname) return NULL;
    if (!realpath(here.dli_fname, folder) && !realpath("/proc/self/exe", folder)) return NULL;
    for (int k = 0; k < UP; k++) {
        char *slash = strrchr(folder, '/');
        if (!slash) return NULL;
        *slash = '\0';
        snprintf(path, sizeof path, "%s/%s/%s", folder, TWIRL_LIBDIR, module_file);
        if (TWIRL_LIBDIR[0] == '/') snprintf(path, sizeof path, "%s/%s", TWIRL_LIBDIR, module_file);
        if (access(path, F_OK) == 0) return open_file(path);
    }
    return NULL;
}

/* OpenBLAS takes a buffer when it first needs one, 128 MiB of addresses or less, and where memory
 * is short asks for it again for ever: so it takes it here, if there is room for it. */
static bool fill_buffer(void *library)
{
    enum { SIDE = 128 }; /* smaller products need no buffer */
    const int n = SIDE;
    const double one = 1.0, none = 0.0;
    void (*multiply)(const char *, const char *, const int *, const int *, const int *,
                     const double *, const double *, const int *, const double *, const int *,
                     const double *, double *, const int *, size_t, size_t);
    void *found = dlsym(library, "dgemm_");
    void *room = malloc((size_t)136 << 20);
    double *x = room ? calloc((size_t)2 * SIDE * SIDE, sizeof *x) : NULL;
    free(room);
    memcpy(&multiply, &found, sizeof multiply); /* ISO C has no conversion */
    if (x && found)
        multiply("N", "N", &n, &n, &n, &one, x, &n, x, &n, &none, x + (ptrdiff_t)SIDE * SIDE, &n, 1,
                 1);
    free(x);
    return x != NULL;
}

static void open_module(void)
{
    const char *given = getenv("TWIRL_STATICS_MODULE");
    void *found = given ? open_file(given) : open_near();
    if (!found) return;
    const tw_statics_solver_module *it = dlsym(found, TW_STATICS_SOLVER_SYMBOL);
    if (!it || it->version != TW_STATICS_SOLVER_VERSION) {
        refuse_to_open("the file is no module for it, or one of another version");
        return;
    }
    void *library = it->find();
    if (!library) {
        refuse_to_open(dlerror());
        return;
    }
    /* An OpenBLAS with threads is slower here. */
    void (*set_threads)(int);
    void *limit = dlsym(library, "openblas_set_num_threads");
    memcpy(&set_threads, &limit, sizeof set_threads);
    if (limit) set_threads(1);
    short_of_memory = !fill_buffer(library);
    if (!short_of_memory) module = it;
}

static tw_status find_module(tw_error *error)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, open_module);
    if (module) return TW_STATUS_OK;
    if (short_of_memory) return tw_error_set_memory(error);
    return tw_error_set(error, TW_STATUS_FILE,
                        "statics needs the sparse solver MUMPS, which could not be opened: %s. To "
                        "install it: apt-get install libmumps-seq-dev libopenblas0-serial; where "
                        "twirl was built without it, scripts/setup installs both: then configure "
                        "and build again",
                        refusal);
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

tw_status tw_statics_solver_solve(tw_statics_solver *solver, size_t columns, double *x,
                                  tw_error *error)
{
    if (columns == 0) return TW_STATUS_OK;
    const int number = solver->module->solve(solver->handle, (int)columns, x);
    return number < 0 ? refuse(number, "solve with", error) : TW_STATUS_OK;
}
