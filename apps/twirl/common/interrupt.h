/* SPDX-License-Identifier: BSD-3-Clause */
/* Stopping a run with a signal. After tw_interrupt_watch the first SIGINT, SIGTERM or SIGHUP (a
 * closed terminal) only sets a flag: the run polls it between steps, saves its state and ends. A
 * second one ends the program at once, as by default: a checkpoint that is being written is lost,
 * the previous one stays. */
#ifndef TWIRL_APP_INTERRUPT_H
#define TWIRL_APP_INTERRUPT_H

/* A signal that is ignored at this time (nohup, background job of a shell) stays ignored. */
void tw_interrupt_watch(void);

/* The number of the signal that arrived; 0 if none has. */
int tw_interrupt_signal(void);

/* "SIGINT", "SIGTERM" or "SIGHUP", for messages. */
const char *tw_interrupt_name(int number);

#endif
