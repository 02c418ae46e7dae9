/* SPDX-License-Identifier: BSD-3-Clause */
/* The loops of a cyclic stage. */
#ifndef TWIRL_APP_RESPONSE_LOOPS_H
#define TWIRL_APP_RESPONSE_LOOPS_H

#include "response/response_rows.h"

typedef struct tw_response_loop {
    double modulus; /* double amplitude of stress over that of strain [Pa] */
    double damping; /* energy of the loop over 4 pi times that of the elastic triangle [-] */
} tw_response_loop;

/* NaN: there is no such cycle, or no pore pressure. */
typedef struct tw_response_loops {
    double cycles;       /* at the end, with the fraction of the last one */
    double ru_max;       /* largest pore-pressure ratio */
    double liquefaction; /* cycles until it is 0.95 */
    tw_response_loop first, last;
} tw_response_loops;

tw_response_loops tw_response_loops_of(const tw_response_rows *rows);

#endif
