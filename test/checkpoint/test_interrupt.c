/* SPDX-License-Identifier: BSD-3-Clause */
/* SIGINT and SIGTERM let the run finish what it is at; a second one ends it at once. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "interrupt.h"

enum { SAVED = 7 };

static void wait_a_moment(void)
{
    const struct timespec moment = {0, 1000000};
    nanosleep(&moment, NULL);
}

typedef enum manner {
    HEED,  /* polls the flag, "saves" and ends */
    IGNORE /* does not look at the flag: hangs in its step */
} manner;

/* Starts a run; returns when it watches. */
static pid_t start_run(manner how)
{
    int ready[2];
    assert_int_equal(pipe(ready), 0);
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        tw_interrupt_watch();
        if (write(ready[1], "!", 1) != 1) _exit(1);
        while (how == IGNORE || !tw_interrupt_signal())
            wait_a_moment();
        _exit(tw_interrupt_signal() == SIGTERM ? SAVED : SAVED + 1);
    }
    char mark;
    assert_int_equal(read(ready[0], &mark, 1), 1);
    close(ready[0]);
    close(ready[1]);
    return child;
}

static int end_of(pid_t child)
{
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    return status;
}

static void the_first_signal_lets_the_run_finish_and_save(void **state)
{
    (void)state;
    pid_t child = start_run(HEED);
    kill(child, SIGTERM);
    int status = end_of(child);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == SAVED);
    child = start_run(HEED);
    kill(child, SIGINT);
    status = end_of(child);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == SAVED + 1);
    assert_string_equal(tw_interrupt_name(SIGTERM), "SIGTERM");
    assert_string_equal(tw_interrupt_name(SIGINT), "SIGINT");
}

static void the_second_signal_ends_the_run_at_once(void **state)
{
    (void)state;
    static const int pairs[][2] = {
        {SIGINT, SIGINT}, {SIGTERM, SIGTERM}, {SIGINT, SIGTERM}, {SIGTERM, SIGINT}};
    for (int k = 0; k < 4; k++) {
        const pid_t child = start_run(IGNORE);
        kill(child, pairs[k][0]);
        for (int i = 0; i < 50; i++) { /* the first must arrive before the second */
            wait_a_moment();
            assert_int_equal(waitpid(child, NULL, WNOHANG), 0);
        }
        kill(child, pairs[k][1]);
        const int status = end_of(child);
        assert_true(WIFSIGNALED(status) && WTERMSIG(status) == pairs[k][1]);
    }
}

static void an_ignored_signal_stays_ignored(void **state)
{
    (void)state;
    signal(SIGINT, SIG_IGN); /* the child has it from us */
    const pid_t child = start_run(HEED);
    signal(SIGINT, SIG_DFL);
    kill(child, SIGINT);
    kill(child, SIGINT);
    wait_a_moment();
    assert_int_equal(waitpid(child, NULL, WNOHANG), 0);
    kill(child, SIGTERM);
    const int status = end_of(child);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == SAVED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_first_signal_lets_the_run_finish_and_save),
        cmocka_unit_test(the_second_signal_ends_the_run_at_once),
        cmocka_unit_test(an_ignored_signal_stays_ignored),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
