/* SPDX-License-Identifier: BSD-3-Clause */
/* What time it is, for telling how long something took. */
#ifndef TW_BASE_CLOCK_H
#define TW_BASE_CLOCK_H

/* Seconds since some moment of the past. */
double tw_clock(void);

/* Seconds for which the calling thread had a processor. */
double tw_clock_own(void);

#endif
