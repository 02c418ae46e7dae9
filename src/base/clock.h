/* SPDX-License-Identifier: BSD-3-Clause */
/* Clocks for measuring how long something takes. */
#ifndef TW_BASE_CLOCK_H
#define TW_BASE_CLOCK_H

/* Monotonic wall-clock time, from an arbitrary origin [s]. */
double tw_clock(void);

/* Processor time used by the calling thread [s]. */
double tw_clock_thread(void);

#endif
