/* SPDX-License-Identifier: BSD-3-Clause */
/* The threads of base/parallel.h: every part is done once, whatever threads are available. */
#ifdef __linux__
#define _GNU_SOURCE /* sched_setaffinity */
#else
#define _POSIX_C_SOURCE 200809L
#endif
#include "check.h"

#include "base/parallel.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { THREADS_MOST = 8, PARTS_MOST = 3000 };

/* How often each part was done. Plain integers: the thread sanitizer reports races, and the total
 * count shows parts done twice. */
typedef struct tally {
    unsigned char seen[PARTS_MOST];
    atomic_size_t all;
} tally;

static void count(void *context, size_t part)
{
    tally *t = context;
    t->seen[part]++;
    atomic_fetch_add_explicit(&t->all, 1, memory_order_relaxed);
}

/* A loop, and one that uses threads even if the machine is busy. Returns 0 if every part was done
 * once in both; for use in threads, which must not call cmocka. */
static int try_loop(tally *t, size_t parts)
{
    memset(t->seen, 0, sizeof t->seen);
    atomic_store(&t->all, 0);
    tw_parallel_run(parts, count, t);
    tw_parallel_tasks(parts, tw_parallel_threads(), count, t);
    for (size_t k = 0; k < PARTS_MOST; k++) {
        if (t->seen[k] != (k < parts ? 2 : 0)) return 1;
    }
    return atomic_load(&t->all) != 2 * parts;
}

static void every_part_is_done_once(void **state)
{
    (void)state;
    static const size_t sizes[] = {0,  1,  2,  3,  4,   5,   6,   7,    8,         9,
                                   15, 16, 17, 31, 100, 255, 256, 1000, PARTS_MOST};
    static tally t;
    for (int round = 0; round < 20; round++) {
        for (int threads = 1; threads <= THREADS_MOST; threads++) {
            tw_parallel_set_threads(threads);
            for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++)
                if (try_loop(&t, sizes[k])) fail_msg("%d threads, %zu parts", threads, sizes[k]);
        }
    }
}

typedef struct chain {
    size_t parts;
    uint32_t now[64];
} chain;

/* Each part reads the results of all parts of the previous loop. */
static void mix(void *context, size_t part)
{
    chain *const *c = context;
    const chain *before = c[0];
    uint32_t sum = (uint32_t)part;
    for (size_t k = 0; k < before->parts; k++)
        sum = 31 * sum + before->now[k];
    c[1]->now[part] = sum;
}

static uint32_t run_chain(size_t parts, int loops)
{
    chain a = {parts, {0}}, b = {parts, {0}};
    chain *pair[2] = {&a, &b};
    for (int k = 0; k < loops; k++) {
        tw_parallel_tasks(parts, tw_parallel_threads(), mix, pair);
        chain *const swap = pair[0];
        pair[0] = pair[1];
        pair[1] = swap;
    }
    return pair[0]->now[0];
}

static void a_loop_sees_everything_written_by_the_previous_one(void **state)
{
    (void)state;
    static const size_t parts[] = {2, 3, 16, 64};
    for (size_t k = 0; k < sizeof parts / sizeof *parts; k++) {
        const int loops = 5000;
        tw_parallel_set_threads(1);
        const uint32_t wanted = run_chain(parts[k], loops);
        for (int threads = 2; threads <= 4; threads++) {
            tw_parallel_set_threads(threads);
            assert_int_equal(run_chain(parts[k], loops), wanted);
        }
    }
}

/* Pauses of any length: the other threads are awake, about to sleep, or asleep. */
static void a_loop_works_with_threads_awake_or_asleep(void **state)
{
    (void)state;
    tally *t = malloc(sizeof *t);
    tw_random random = tw_random_seed(71);
    assert_non_null(t);
    tw_parallel_set_threads(3);
    for (int k = 0; k < 2000; k++) {
        const struct timespec pause = {0, (long)(tw_random_next(&random) % 60000)};
        if (k % 3 == 0) nanosleep(&pause, NULL);
        for (volatile long turn = pause.tv_nsec; k % 3 == 1 && turn > 0; turn--)
            continue;
        assert_int_equal(try_loop(t, 10), 0);
    }
    free(t);
}

typedef struct user {
    pthread_t thread;
    int threads, failed;
} user;

static void *use(void *argument)
{
    user *u = argument;
    tally *t = malloc(sizeof *t);
    tw_parallel_set_threads(u->threads);
    u->failed = !t || tw_parallel_threads() != u->threads;
    for (int k = 0; k < 500 && !u->failed; k++)
        u->failed = try_loop(t, 1 + (size_t)k % 40);
    free(t);
    return NULL;
}

static void users_on_different_threads_do_not_interfere(void **state)
{
    (void)state;
    user users[4] = {{.threads = 2}, {.threads = 3}, {.threads = 1}, {.threads = 4}};
    tw_parallel_set_threads(1);
    const uint32_t wanted = run_chain(7, 100);
    tw_parallel_set_threads(2);
    for (int round = 0; round < 10; round++) {
        for (int k = 0; k < 4; k++)
            assert_int_equal(pthread_create(&users[k].thread, NULL, use, &users[k]), 0);
        assert_int_equal(run_chain(7, 100), wanted);
        for (int k = 0; k < 4; k++) {
            pthread_join(users[k].thread, NULL);
            assert_int_equal(users[k].failed, 0);
        }
    }
    assert_int_equal(tw_parallel_threads(), 2);
}

/* The address sanitizer would report a leak. */
static void a_team_ends_with_its_owner(void **state)
{
    (void)state;
    for (int k = 0; k < 30; k++) {
        user one = {.threads = 8};
        assert_int_equal(pthread_create(&one.thread, NULL, use, &one), 0);
        pthread_join(one.thread, NULL);
        assert_int_equal(one.failed, 0);
    }
}

typedef struct nest {
    tally inner[12];
    atomic_int failed;
} nest;

static void run_inner(void *context, size_t part)
{
    nest *n = context;
    tw_parallel_set_threads(3); /* for this part only */
    if (try_loop(&n->inner[part], 50 + part)) atomic_store(&n->failed, 1);
    tw_parallel_tasks(50, 3, count, &n->inner[part]);
    if (n->inner[part].seen[49] != 3) atomic_store(&n->failed, 1);
}

static void nested_loops_are_done(void **state)
{
    (void)state;
    nest *n = calloc(1, sizeof *n);
    assert_non_null(n);
    for (int threads = 1; threads <= 4; threads++) {
        tw_parallel_set_threads(threads);
        for (int k = 0; k < 50; k++) {
            tw_parallel_run(12, run_inner, n);
            assert_int_equal(tw_parallel_threads(), threads);
            tw_parallel_tasks(12, 5 - threads, run_inner, n);
            assert_int_equal(tw_parallel_threads(), threads);
        }
        assert_int_equal(atomic_load(&n->failed), 0);
    }
    free(n);
}

static int child_of(pid_t child)
{
    int status = 0;
    assert_true(child >= 0);
    assert_int_equal(waitpid(child, &status, 0), child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 100 + WTERMSIG(status);
}

/* The child starts with one thread and makes others as needed. */
static void a_forked_process_has_its_own_team(void **state)
{
    (void)state;
    tally *t = malloc(sizeof *t);
    assert_non_null(t);
    for (int k = 0; k < 5; k++) {
        tw_parallel_set_threads(3);
        assert_int_equal(try_loop(t, 100), 0); /* the threads exist */
        const pid_t child = fork();
        if (child == 0) {
            alarm(100);
            int failed = try_loop(t, 100);
            tw_parallel_set_threads(4);
            for (int turn = 0; turn < 100 && !failed; turn++)
                failed = try_loop(t, 20);
            const pid_t grandchild = failed ? -1 : fork();
            if (grandchild == 0) _exit(try_loop(t, 30));
            int status = 1;
            _exit(failed || waitpid(grandchild, &status, 0) < 0 || status != 0);
        }
        assert_int_equal(try_loop(t, 100), 0);
        assert_int_equal(child_of(child), 0);
    }
    free(t);
}

/* Under sanitizers this limit would affect the threads of the sanitizer. */
static void loops_work_if_threads_cannot_be_created(void **state)
{
    (void)state;
    tally *t = malloc(sizeof *t);
    assert_non_null(t);
    const pid_t child = fork();
    if (child == 0) {
        const struct rlimit none = {0, 0};
        alarm(100);
        /* The limit does not apply to root, so root becomes another user first. */
        if (setrlimit(RLIMIT_NPROC, &none) != 0 || (getuid() == 0 && setuid(65534) != 0)) _exit(77);
        tw_parallel_set_threads(4);
        for (int k = 0; k < 100; k++)
            if (try_loop(t, 50)) _exit(1);
        _exit(0);
    }
    const int status = child_of(child);
    free(t);
    if (status == 77) skip();
    assert_int_equal(status, 0);
}

static void the_default_counts_the_available_processors(void **state)
{
    (void)state;
    unsetenv("OMP_NUM_THREADS");
    const int all = tw_parallel_default();
    assert_int_equal(all, tw_team_processors());
#ifdef __linux__
    cpu_set_t before, one;
    assert_int_equal(sched_getaffinity(0, sizeof before, &before), 0);
    assert_int_equal(CPU_COUNT(&before), all);
    CPU_ZERO(&one);
    for (size_t cpu = 0; cpu < CPU_SETSIZE && CPU_COUNT(&one) == 0; cpu++)
        if (CPU_ISSET(cpu, &before)) CPU_SET(cpu, &one);
    assert_int_equal(sched_setaffinity(0, sizeof one, &one), 0);
    assert_int_equal(tw_parallel_default(), 1);
    assert_int_equal(sched_setaffinity(0, sizeof before, &before), 0);
    assert_int_equal(tw_parallel_default(), all);
#endif
}

static double processor_time(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* One part takes long; waiting threads must not use processor time. */
static void rest(void *context, size_t part)
{
    (void)context;
    const struct timespec pause = {0, 400000000};
    if (part == 0) nanosleep(&pause, NULL);
}

static void waiting_threads_sleep(void **state)
{
    (void)state;
    const struct timespec pause = {0, 400000000};
    tw_parallel_set_threads(2);
    run_chain(8, 10);
    const double start = processor_time();
    tw_parallel_tasks(8, 2, rest, NULL);
    nanosleep(&pause, NULL);
    /* A thread that does not sleep uses 0.4 s in each pause. Those that sleep use less than 1 ms,
     * and in an emulator some times that. */
    check_at_most(processor_time() - start, 0.2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_part_is_done_once),
        cmocka_unit_test(a_loop_sees_everything_written_by_the_previous_one),
        cmocka_unit_test(a_loop_works_with_threads_awake_or_asleep),
        cmocka_unit_test(users_on_different_threads_do_not_interfere),
        cmocka_unit_test(a_team_ends_with_its_owner),
        cmocka_unit_test(nested_loops_are_done),
        cmocka_unit_test(a_forked_process_has_its_own_team),
        cmocka_unit_test(loops_work_if_threads_cannot_be_created),
        cmocka_unit_test(the_default_counts_the_available_processors),
        cmocka_unit_test(waiting_threads_sleep),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
