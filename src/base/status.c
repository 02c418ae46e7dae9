/* SPDX-License-Identifier: BSD-3-Clause */
#include <twirl/types.h>

const char *tw_status_text(tw_status status)
{
    static const char *const texts[] = {
#define TW_STATUS_TEXT(name, text) text,
        TW_STATUS_LIST(TW_STATUS_TEXT)
#undef TW_STATUS_TEXT
    };
    const unsigned index = (unsigned)status;
    return index < TW_STATUS_COUNT ? texts[index] : "unknown status";
}
