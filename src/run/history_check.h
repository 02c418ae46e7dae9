/* SPDX-License-Identifier: BSD-3-Clause */
/* The column `check` of the history: a CRC-32 over the identity of the run and everything up to and
 * including the comma before it, without the checks of earlier rows. A row that was changed,
 * removed, moved or taken from another run has a wrong check, as have all rows after it. */
#ifndef TW_RUN_HISTORY_CHECK_H
#define TW_RUN_HISTORY_CHECK_H

#include <stddef.h>
#include <stdint.h>

#include "base/text.h"

/* The check of the header, which has no column for it. */
uint32_t tw_history_check_start(uint64_t identity, const char *header);

/* Completes a row by its check and a newline. */
void tw_history_check_add(uint32_t *check, tw_text_buffer *row);

/* Number of the first line of the history with a wrong check, 1 for the header; 0: all are right,
 * and *check is the last. */
size_t tw_history_check_find(uint64_t identity, const char *header, const char *text,
                             uint32_t *check);

#endif
