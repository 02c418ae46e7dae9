/* SPDX-License-Identifier: BSD-3-Clause */
/* The first SIGINT or SIGTERM lets the run finish its step; the second one kills it. */
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

#include "common/output.h"

enum { SAVED = 7 };

static void wait_a_moment(void)
{
    const struct timespec moment = {0, 1000000};
    nanosleep(&moment, NULL);
}

typedef struct run {
    pid_t process;
    int marks; /* pipe: one byte when the child is ready, one when it has seen the signal */
} run;

static void await_mark(const run *started)
{
    char mark;
    assert_int_equal(read(started->marks, &mark, 1), 1);
}

/* Starts a run that ends when asked to; if `stubborn`, it hangs in its step. */
static run start_run(int stubborn)
{
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    const run started = {fork(), ends[0]};
    assert_true(started.process >= 0);
    if (started.process == 0) {
        tw_interrupt_watch();
        if (write(ends[1], "!", 1) != 1) _exit(1);
        while (!tw_interrupt_signal())
            wait_a_moment();
        if (write(ends[1], "!", 1) != 1) _exit(1);
        while (stubborn)
            wait_a_moment();
        _exit(tw_interrupt_signal() == SIGTERM ? SAVED : SAVED + 1);
    }
    close(ends[1]);
    await_mark(&started);
    return started;
}

static int end_of(const run *started)
{
    int status;
    assert_int_equal(waitpid(started->process, &status, 0), started->process);
    close(started->marks);
    return status;
}

static void after_the_first_signal_the_run_finishes_and_saves(void **state)
{
    (void)state;
    run child = start_run(0);
    kill(child.process, SIGTERM);
    int status = end_of(&child);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == SAVED);
    child = start_run(0);
    kill(child.process, SIGINT);
    status = end_of(&child);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == SAVED + 1);
    assert_string_equal(tw_interrupt_name(SIGTERM), "SIGTERM");
    assert_string_equal(tw_interrupt_name(SIGINT), "SIGINT");
}

static void the_second_signal_kills_the_run(void **state)
{
    (void)state;
    static const int pairs[][2] = {
        {SIGINT, SIGINT}, {SIGTERM, SIGTERM}, {SIGINT, SIGTERM}, {SIGTERM, SIGINT}};
    for (int k = 0; k < 4; k++) {
        const run child = start_run(1);
        kill(child.process, pairs[k][0]);
        await_mark(&child);
        assert_int_equal(waitpid(child.process, NULL, WNOHANG), 0);
        kill(child.process, pairs[k][1]);
        const int status = end_of(&child);
        assert_true(WIFSIGNALED(status) && WTERMSIG(status) == pairs[k][1]);
    }
}

static void an_ignored_signal_stays_ignored(void **state)
{
    (void)state;
    signal(SIGINT, SIG_IGN); /* inherited by the child */
    const run child = start_run(0);
    signal(SIGINT, SIG_DFL);
    kill(child.process, SIGINT);
    kill(child.process, SIGINT);
    wait_a_moment();
    assert_int_equal(waitpid(child.process, NULL, WNOHANG), 0);
    kill(child.process, SIGTERM);
    const int status = end_of(&child);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == SAVED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(after_the_first_signal_the_run_finishes_and_saves),
        cmocka_unit_test(the_second_signal_kills_the_run),
        cmocka_unit_test(an_ignored_signal_stays_ignored),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
