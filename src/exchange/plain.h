/* SPDX-License-Identifier: BSD-3-Clause */
/* Numbers with a decimal point, whatever locale the program around us has chosen. For the calling
 * thread alone, from enter to leave. */
#ifndef TW_EXCHANGE_PLAIN_H
#define TW_EXCHANGE_PLAIN_H

#include <locale.h>
#include <stdbool.h>

typedef struct tw_plain {
    locale_t plain, before;
} tw_plain;

/* False: out of memory; then there is nothing to leave. */
static inline bool tw_plain_enter(tw_plain *plain)
{
    plain->plain = newlocale(LC_NUMERIC_MASK, "C", (locale_t)0);
    if (!plain->plain) return false;
    plain->before = uselocale(plain->plain);
    return true;
}

static inline void tw_plain_leave(tw_plain *plain)
{
    if (!plain->plain) return;
    uselocale(plain->before);
    freelocale(plain->plain);
    plain->plain = (locale_t)0;
}

#endif
