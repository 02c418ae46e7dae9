/* SPDX-License-Identifier: BSD-3-Clause */
/* The identity of a run: a number that its files carry, so that those of different runs are told
 * apart. It follows from the scenario and the first state, not from chance or time: two runs of the
 * same scenario are the same run, and their files are equal. */
#ifndef TW_RUN_RUN_IDENTITY_H
#define TW_RUN_RUN_IDENTITY_H

#include <stdint.h>

/* `resolved` is the text of the scenario. The folder of an input file does not count, only its
 * name, because projects are moved; what is in the file counts through `first`, the hash of the
 * first state. */
uint64_t tw_run_identity(const char *resolved, uint64_t first);

#endif
