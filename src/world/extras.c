/* SPDX-License-Identifier: BSD-3-Clause */
#include "world/extras.h"

#include <string.h>

#include "base/buffer.h"
#include "base/quat.h"

tw_contact_extra tw_extras_get(const tw_extras *extras, uint32_t slot)
{
    tw_contact_extra extra;
    memset(&extra, 0, sizeof extra);
#define TW_EXTRA_VECTOR(bit, name)                                                                 \
    if (extras->name) extra.name = tw_bundle_force_get(extras->name, slot);
#define TW_EXTRA_NUMBER(bit, name)                                                                 \
    if (extras->name) extra.name = extras->name[slot / TW_BUNDLE].x[slot % TW_BUNDLE];
#include "world/extra_parts.def"
#undef TW_EXTRA_VECTOR
#undef TW_EXTRA_NUMBER
    return extra;
}

void tw_extras_put(tw_extras *extras, uint32_t slot, const tw_contact_extra *extra)
{
#define TW_EXTRA_VECTOR(bit, name)                                                                 \
    if (extras->name) tw_bundle_force_put(extras->name, slot, extra->name);
#define TW_EXTRA_NUMBER(bit, name)                                                                 \
    if (extras->name) extras->name[slot / TW_BUNDLE].x[slot % TW_BUNDLE] = extra->name;
#include "world/extra_parts.def"
#undef TW_EXTRA_VECTOR
#undef TW_EXTRA_NUMBER
}

/* Rolling and twisting movements are products of the normal and a difference of rotations: both
 * change their signs, so the forces, which belong to q and to p, do not. */
tw_contact_extra tw_extras_exchanged(const tw_contact_extra *extra)
{
    tw_contact_extra other = *extra;
    other.drag = tw_vec3_scale(-1.0, extra->drag);
    other.rate = tw_vec3_scale(-1.0, extra->rate);
    return other;
}

tw_contact_extra tw_extras_turned(const tw_contact_extra *extra, tw_vec3 turn)
{
    const tw_quat q = tw_quat_from_rotation(turn);
    tw_contact_extra turned = *extra;
#define TW_EXTRA_VECTOR(bit, name) turned.name = tw_quat_rotate(q, extra->name);
#define TW_EXTRA_NUMBER(bit, name)
#include "world/extra_parts.def"
#undef TW_EXTRA_VECTOR
#undef TW_EXTRA_NUMBER
    return turned;
}

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
