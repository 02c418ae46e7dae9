/* SPDX-License-Identifier: BSD-3-Clause */
/* A run that saves continuously is killed (SIGKILL) at random times. The checkpoint can always be
 * read and continues the run. */
#define _POSIX_C_SOURCE 200809L
#include "specimen.h"

#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/random.h"
#include "random_state.h"

enum { KILLS = 50 };

static char *const folder = random_state_folder, *const path = random_state_file;

/* The child: continues from the checkpoint, and saves every other step until it is killed. */
static void run_for_ever(void)
{
    tw_error error;
    tw_sim *sim = tw_sim_load(path, &error);
    if (!sim) _exit(3);
    tw_sim_set_threads(sim, 1);
    for (;;)
        if (tw_sim_run(sim, 2, &error) != TW_STATUS_OK ||
            tw_sim_save(sim, path, &error) != TW_STATUS_OK)
            _exit(4);
}

static void wait_a_moment(double seconds)
{
    const double whole = floor(seconds);
    struct timespec moment = {(time_t)whole, (long)(1e9 * (seconds - whole))};
    while (nanosleep(&moment, &moment) != 0 && errno == EINTR)
        continue;
}

/* Number of temporary files: kills during writing. */
static int leftovers(void)
{
    int count = 0;
    DIR *all = opendir(folder);
    assert_non_null(all);
    for (struct dirent *entry; (entry = readdir(all));)
        count += strstr(entry->d_name, ".tmp") != NULL;
    closedir(all);
    return count;
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Time from the start of a run to its first save [s], the unit of kill times. */
static double time_to_save(void)
{
    const double start = now();
    tw_sim *sim = specimen_load(path);
    tw_sim_set_threads(sim, 1);
    specimen_run(sim, 2);
    specimen_save(sim, path);
    tw_sim_free(sim);
    return now() - start;
}

/* At a random time; or, of every other run, as soon as it writes. */
static void kill_once(double longest, bool writing, uint64_t *seed)
{
    int status;
    const int before = leftovers();
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) run_for_ever();
    wait_a_moment(longest * ((double)(tw_random_splitmix(seed) >> 11) * 0x1p-53));
    while (writing && leftovers() == before && waitpid(child, &status, WNOHANG) == 0)
        continue;
    assert_int_equal(kill(child, SIGKILL), 0);
    assert_int_equal(waitpid(child, &status, 0), child);
    if (!WIFSIGNALED(status))
        fail_msg("the run exited by itself with status %d", WEXITSTATUS(status));
}

/* The cell is fixed, because the number of steps is not known in advance. */
static tw_sim *make(void)
{
    const tw_mat3 still = {{0.0}};
    tw_sim *sim = specimen_make(SPECIMEN_SPHERES, 5, 3);
    tw_sim_set_velocity_gradient(sim, &still);
    return sim;
}

static void a_killed_run_leaves_a_readable_checkpoint(void **state)
{
    uint64_t seed = 17, last = 0;
    random_state_folder_make(state);
    tw_sim *sim = make();
    tw_sim_set_threads(sim, 1);
    specimen_run(sim, 1);
    specimen_save(sim, path);
    tw_sim_free(sim);
    double longest = 6.0 * time_to_save();
    /* At least until the runs have made progress, and some were killed while writing. */
    for (int k = 0; k < KILLS || last <= 10 || leftovers() < 3; k++) {
        kill_once(longest, k % 2 == 1, &seed);
        sim = specimen_load(path);
        assert_true(tw_sim_steps(sim) >= last);
        if (tw_sim_steps(sim) == last) longest *= 1.05; /* the machine is slower now */
        last = tw_sim_steps(sim);
        tw_sim_free(sim);
    }
    /* The saved state equals that of an uninterrupted run. */
    tw_sim *whole = make();
    specimen_run(whole, last);
    sim = specimen_load(path);
    assert_true(tw_sim_hash(sim) == tw_sim_hash(whole));
    tw_sim_free(sim);
    tw_sim_free(whole);
    random_state_folder_remove(state);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_killed_run_leaves_a_readable_checkpoint),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
