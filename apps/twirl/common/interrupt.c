/* SPDX-License-Identifier: BSD-3-Clause */
#include "common/interrupt.h"

#include <signal.h>
#include <stddef.h>

static volatile sig_atomic_t interrupt_flag;

static void handle_signal(int number)
{
    if (!interrupt_flag) {
        interrupt_flag = number;
        return;
    }
    signal(number, SIG_DFL);
    raise(number); /* blocked in its own handler; delivered when this returns */
}

void tw_interrupt_watch(void)
{
    static const int numbers[] = {SIGINT, SIGTERM, SIGHUP};
    for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++) {
        struct sigaction before, watch = {0};
        if (sigaction(numbers[k], NULL, &before) != 0 || before.sa_handler == SIG_IGN) continue;
        watch.sa_handler = handle_signal;
        watch.sa_flags = SA_RESTART; /* writes under way are completed */
        sigemptyset(&watch.sa_mask);
        sigaction(numbers[k], &watch, NULL);
    }
}

int tw_interrupt_signal(void)
{
    return interrupt_flag;
}

const char *tw_interrupt_name(int number)
{
    switch (number) {
    case SIGINT:
        return "SIGINT";
    case SIGTERM:
        return "SIGTERM";
    default:
        return "SIGHUP";
    }
}
