/* SPDX-License-Identifier: BSD-3-Clause */
/* Numbers with a decimal point whatever the locale of the program. */
#ifndef TW_BASE_PLAIN_H
#define TW_BASE_PLAIN_H

/* Between enter and leave, numbers are read and printed with a decimal point. Applies to the
 * calling thread only. */
typedef struct tw_plain {
    void *plain, *before; /* locales */
} tw_plain;

/* Returns 0 if out of memory; there is nothing to leave then. */
int tw_plain_enter(tw_plain *plain);
void tw_plain_leave(tw_plain *plain);

#endif
