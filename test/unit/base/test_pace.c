/* SPDX-License-Identifier: BSD-3-Clause */
/* pace.h: loops go to the threads as long as they get more done than one alone. */
#include "check.h"

#include "base/pace.h"

/* Loops of 1 ms for so long; returns the share of the time that was spent together. */
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

static void threads_work_together_on_an_idle_machine(void **state)
{
    (void)state;
    tw_pace pace = {0};
    check_at_most(1.0 - run(&pace, 10.0, 1.9, 1.0), 0.0);
}

static void one_works_alone_where_more_get_no_more_done(void **state)
{
    (void)state;
    tw_pace pace = {0};
    run(&pace, 0.1, 0.6, 0.65);
    check_at_most(run(&pace, 100.0, 0.6, 0.65), 0.07); /* tries them one time in sixteen */
}

static void threads_get_their_share_where_it_is_more(void **state)
{
    (void)state;
    tw_pace pace = {0};
    run(&pace, 0.1, 0.95, 0.6);
    check_at_most(1.0 - run(&pace, 100.0, 0.95, 0.6), 0.07);
}

static void they_are_back_soon_after_the_others_have_gone(void **state)
{
    (void)state;
    tw_pace pace = {0};
    run(&pace, 10.0, 0.5, 0.6);
    run(&pace, 0.8, 1.9, 1.0);
    check_at_most(1.0 - run(&pace, 1.0, 1.9, 1.0), 0.0);
}

static void a_moment_of_disturbance_changes_nothing(void **state)
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
        cmocka_unit_test(threads_work_together_on_an_idle_machine),
        cmocka_unit_test(one_works_alone_where_more_get_no_more_done),
        cmocka_unit_test(threads_get_their_share_where_it_is_more),
        cmocka_unit_test(they_are_back_soon_after_the_others_have_gone),
        cmocka_unit_test(a_moment_of_disturbance_changes_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
