/* SPDX-License-Identifier: BSD-3-Clause */
/* Ending a run from outside. After tw_interrupt_watch the first SIGINT or SIGTERM only sets a flag:
 * the run polls it between steps, saves, and ends in good order. A second one ends the program at
 * once, as if nobody watched: a checkpoint that is being written is then lost, the one before it
 * stays. */
#ifndef TWIRL_APP_INTERRUPT_H
#define TWIRL_APP_INTERRUPT_H

/* A signal that is ignored when this is called (nohup, a shell's background job) stays ignored. */
void tw_interrupt_watch(void);

/* 0 as long as nobody wants the run to end, then the number of the signal. */
int tw_interrupt_signal(void);

/* "SIGINT" or "SIGTERM", for messages. */
const char *tw_interrupt_name(int number);

#endif
