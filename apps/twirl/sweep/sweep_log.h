/* SPDX-License-Identifier: BSD-3-Clause */
/* What a run has printed last. */
#ifndef TWIRL_APP_SWEEP_LOG_H
#define TWIRL_APP_SWEEP_LOG_H

#include <stddef.h>

/* The last line, without the name of the command; "" if there is none. */
void tw_sweep_log_last(const char *path, char *line, size_t size);

/* The share of the run that is done, from its last line of progress, "[2/3] shear 40.0 %": stages
 * count the same. 0: not known. */
double tw_sweep_log_share(const char *path);

#endif
