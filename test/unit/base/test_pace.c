/* SPDX-License-Identifier: BSD-3-Clause */
/* base/parallel.h, pace: loops use threads as long as they are faster than one thread alone. */
#include "check.h"

#include "base/parallel.h"

/* Runs loops of 1 ms for this time; returns the fraction of it spent in parallel loops. */
static double run(tw_pace *pace, double seconds, double together, double alone)
{
    const int loops = (int)(1e3 * seconds);
    int shared = 0;
    for (int k = 0; k < loops; k++) {
        const bool mode = tw_pace_together(pace);
        shared += mode;
        tw_pace_record(pace, 1e-3, 1e-3 * (mode ? together : alone));
    }
    return (double)shared / loops;
}

static void threads_are_used_on_an_idle_machine(void **state)
{
    (void)state;
    tw_pace pace = {0};
    check_at_most(1.0 - run(&pace, 10.0, 1.9, 1.0), 0.0);
}

static void one_thread_works_alone_if_more_bring_no_gain(void **state)
{
    (void)state;
    tw_pace pace = {0};
    run(&pace, 0.1, 0.6, 0.65);
    check_at_most(run(&pace, 100.0, 0.6, 0.65), 0.07); /* tries threads one time in sixteen */
}

static void threads_are_used_if_they_are_faster_despite_others(void **state)
{
    (void)state;
    tw_pace pace = {0};
    run(&pace, 0.1, 0.95, 0.6);
    check_at_most(1.0 - run(&pace, 100.0, 0.95, 0.6), 0.07);
}

static void threads_are_used_again_soon_after_a_disturbance_ends(void **state)
{
    (void)state;
    tw_pace pace = {0};
    run(&pace, 10.0, 0.5, 0.6);
    run(&pace, 0.8, 1.9, 1.0);
    check_at_most(1.0 - run(&pace, 1.0, 1.9, 1.0), 0.0);
}

static void a_short_disturbance_changes_nothing(void **state)
{
    (void)state;
    tw_pace pace = {0};
    run(&pace, 10.0, 1.9, 1.0);
    run(&pace, 0.02, 0.0, 0.0);
    check_at_most(1.0 - run(&pace, 10.0, 1.9, 1.0), 0.0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(threads_are_used_on_an_idle_machine),
        cmocka_unit_test(one_thread_works_alone_if_more_bring_no_gain),
        cmocka_unit_test(threads_are_used_if_they_are_faster_despite_others),
        cmocka_unit_test(threads_are_used_again_soon_after_a_disturbance_ends),
        cmocka_unit_test(a_short_disturbance_changes_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
