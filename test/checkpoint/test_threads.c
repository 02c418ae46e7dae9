/* SPDX-License-Identifier: BSD-3-Clause */
/* Simulations that threads save and load at the same time, each its own. Not every HDF5 allows
 * several threads in it, so that of Debian, which does, is watched: no file is open while another
 * thread has one. */
#define _GNU_SOURCE
#include "check.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include <hdf5.h>
#include <twirl/sim.h>

static atomic_int open_files, together;

static void enter(void)
{
    if (atomic_fetch_add(&open_files, 1) > 0) atomic_fetch_add(&together, 1);
}

/* The function of the library, in whose place there is one here. */
static void find(const char *name, void *call)
{
    void *const found = dlsym(RTLD_NEXT, name);
    memcpy(call, &found, sizeof found);
}

hid_t H5Fcreate(const char *name, unsigned flags, hid_t creation, hid_t access)
{
    hid_t (*call)(const char *, unsigned, hid_t, hid_t);
    find("H5Fcreate", &call);
    enter();
    return call(name, flags, creation, access);
}

hid_t H5Fopen(const char *name, unsigned flags, hid_t access)
{
    hid_t (*call)(const char *, unsigned, hid_t);
    find("H5Fopen", &call);
    enter();
    return call(name, flags, access);
}

herr_t H5Fclose(hid_t file)
{
    herr_t (*call)(hid_t);
    find("H5Fclose", &call);
    const herr_t result = call(file);
    atomic_fetch_sub(&open_files, 1);
    return result;
}

enum { THREADS = 4, TIMES = 30 };

typedef struct worker {
    pthread_t thread;
    int number;
    tw_error error; /* of what failed */
    int done;
} worker;

static tw_sim *make(int number, tw_error *error)
{
    tw_sim_def def = tw_sim_def_default();
    def.law.kn = def.law.kt = 1.0;
    tw_sim *sim = tw_sim_create(&def, error);
    for (int k = 0; sim && k < 10 * (number + 1); k++) {
        tw_body_def body = tw_body_def_default();
        body.size = 0.01;
        body.x = tw_vec3_make(0.01 * k, 0.1 * number, 0.5);
        tw_sim_add_body(sim, &body, NULL, error);
    }
    return sim;
}

static void *work(void *context)
{
    worker *w = context;
    char path[40];
    snprintf(path, sizeof path, "test_threads_%d.h5", w->number);
    tw_sim *sim = make(w->number, &w->error);
    const uint64_t hash = sim ? tw_sim_hash(sim) : 0;
    for (; sim && w->done < TIMES; w->done++) {
        if (tw_sim_save(sim, path, &w->error) != TW_STATUS_OK) break;
        tw_sim *found = tw_sim_load(path, &w->error);
        const int same = found && tw_sim_hash(found) == hash;
        tw_sim_free(found);
        if (!same) break;
    }
    tw_sim_free(sim);
    remove(path);
    return NULL;
}

static void each_thread_reads_what_it_has_written(void **state)
{
    (void)state;
    worker workers[THREADS] = {{0}};
    for (int k = 0; k < THREADS; k++) {
        workers[k].number = k;
        assert_int_equal(pthread_create(&workers[k].thread, NULL, work, &workers[k]), 0);
    }
    for (int k = 0; k < THREADS; k++)
        pthread_join(workers[k].thread, NULL);
    for (int k = 0; k < THREADS; k++)
        if (workers[k].done < TIMES)
            fail_msg("thread %d, time %d: %s", k, workers[k].done, workers[k].error.text);
    assert_int_equal(atomic_load(&open_files), 0);
    assert_int_equal(atomic_load(&together), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(each_thread_reads_what_it_has_written)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
