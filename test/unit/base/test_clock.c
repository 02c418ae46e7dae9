/* SPDX-License-Identifier: BSD-3-Clause */
#define _POSIX_C_SOURCE 200809L /* nanosleep */
#include "check.h"

#include "base/environment.h"

#include <time.h>

static void sleep_for(double seconds)
{
    const struct timespec pause = {0, (long)(1e9 * seconds)};
    nanosleep(&pause, NULL);
}

/* A sleeping thread uses wall time but no processor time: half of the sleep is far more than the
 * calls take, even in an emulator. */
static void a_sleep_takes_wall_time_and_no_processor_time(void **state)
{
    (void)state;
    const double wall = tw_clock(), own = tw_clock_thread();
    sleep_for(0.2);
    check_at_most(0.2, tw_clock() - wall);
    check_at_most(tw_clock_thread() - own, 0.1);
}

static void work_takes_processor_time_and_at_least_as_much_wall_time(void **state)
{
    (void)state;
    const double wall = tw_clock(), own = tw_clock_thread();
    while (tw_clock_thread() - own < 0.1)
        continue;
    check_at_most(0.1, tw_clock() - wall + 0.02); /* clocks of processors may have ticks of 10 ms */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_sleep_takes_wall_time_and_no_processor_time),
        cmocka_unit_test(work_takes_processor_time_and_at_least_as_much_wall_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
