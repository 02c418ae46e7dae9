/* SPDX-License-Identifier: BSD-3-Clause */
#include "world/extras.h"

#include <string.h>

#include "base/memory.h"

static bool copy_array(void *to, const void *from, size_t had, size_t bundles, size_t size)
{
    unsigned char *array = NULL;
    if (!tw_buffer_zeros(&array, bundles, size)) return false;
    if (from) memcpy(array, from, had * size);
    memcpy(to, &array, sizeof array); /* `to` is the address of a pointer of any type */
    return true;
}

bool tw_extras_copy(tw_extras *to, const tw_extras *from, uint32_t parts, size_t had,
                    size_t bundles)
{
    bool ok = true;
    memset(to, 0, sizeof *to);
    to->parts = parts;
#define TW_EXTRA_VECTOR(bit, name)                                                                 \
    if (parts & (bit)) ok = ok && copy_array(&to->name, from->name, had, bundles, sizeof *to->name);
#define TW_EXTRA_NUMBER(bit, name) TW_EXTRA_VECTOR(bit, name)
#include "world/extra_parts.def"
#undef TW_EXTRA_VECTOR
#undef TW_EXTRA_NUMBER
    if (!ok) tw_extras_free(to);
    return ok;
}

void tw_extras_free(tw_extras *extras)
{
    tw_extras_keep(extras, 0);
}

void tw_extras_keep(tw_extras *extras, uint32_t parts)
{
#define TW_EXTRA_VECTOR(bit, name)                                                                 \
    if (!(parts & (bit))) tw_buffer_drop(&extras->name);
#define TW_EXTRA_NUMBER(bit, name) TW_EXTRA_VECTOR(bit, name)
#include "world/extra_parts.def"
#undef TW_EXTRA_VECTOR
#undef TW_EXTRA_NUMBER
    extras->parts &= parts;
}
