/* SPDX-License-Identifier: BSD-3-Clause */
#define _XOPEN_SOURCE 700 /* locales of a thread */
#include "base/plain.h"

#include <locale.h>

int tw_plain_enter(tw_plain *plain)
{
    plain->plain = newlocale(LC_NUMERIC_MASK, "C", (locale_t)0);
    if (!plain->plain) return 0;
    plain->before = uselocale((locale_t)plain->plain);
    return 1;
}

void tw_plain_leave(tw_plain *plain)
{
    if (!plain->plain) return;
    uselocale((locale_t)plain->before);
    freelocale((locale_t)plain->plain);
    plain->plain = NULL;
}
