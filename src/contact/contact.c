/* SPDX-License-Identifier: BSD-3-Clause */
/* The kernel as a library. */
#include "contact/contact_batch.h"

#include <twirl/detail/contact_derivative.h>

typedef void (*batch_function)(const tw_contact_law *law, const tw_contact_motion *motion,
                               double dt, tw_contact_memory *memory, const tw_contact_extra *extra,
                               size_t first, tw_contact_load *load, size_t count);

static const batch_function batch[] = {TW_SIMD_EACH(tw_contact_batch)};

void tw_contact_advance(const tw_contact_law *law, const tw_contact_motion *motion, double dt,
                        tw_contact_memory *memory, const tw_contact_extra *extra,
                        tw_contact_load *load)
{
    batch[tw_simd_level()](law, motion, dt, memory, extra, 0, load, 1);
}

void tw_contact_advance_parts(const tw_contact_law *law, const tw_contact_motion *motion, double dt,
                              tw_contact_memory *memory, tw_contact_parts *parts,
                              tw_contact_load *load)
{
    tw_contact_extra extra;
    if (parts) extra = tw_contact_extra_of(TW_CONTACT_EXTRA_ALL, (double *)parts);
    batch[tw_simd_level()](law, motion, dt, memory, parts ? &extra : NULL, 0, load, 1);
}

void tw_contact_advance_batch(const tw_contact_law *laws, const uint32_t *law_of,
                              const tw_contact_motion *motion, double dt, tw_contact_memory *memory,
                              const tw_contact_extra *extra, tw_contact_load *load, size_t count)
{
    const batch_function advance = batch[tw_simd_level()];
    if (!law_of) {
        advance(laws, motion, dt, memory, extra, 0, load, count);
        return;
    }
    for (size_t begin = 0, end; begin < count; begin = end) {
        /* Usually they come in runs of one law. */
        end = begin + 1;
        while (end < count && law_of[end] == law_of[begin])
            end++;
        advance(&laws[law_of[begin]], motion + begin, dt, memory + begin, extra, begin,
                load + begin, end - begin);
    }
}

const char *tw_contact_derivative(const tw_contact_law *law, const tw_contact_motion *motion,
                                  const tw_contact_memory *memory, const tw_contact_extra *extra,
                                  tw_contact_tangent *tangent)
{
    if (!extra) return tw_contact_derivative_inline(law, motion, memory, NULL, tangent);
    const tw_contact_parts parts = tw_contact_parts_get(extra, 0);
    return tw_contact_derivative_inline(law, motion, memory, &parts, tangent);
}

const char *tw_contact_derivative_rate(const tw_contact_law *law, const tw_contact_memory *memory,
                                       const tw_contact_extra *extra, double radius,
                                       uint32_t branch, tw_contact_tangent *tangent)
{
    if (!extra)
        return tw_contact_derivative_rate_inline(law, memory, NULL, radius, branch, tangent);
    const tw_contact_parts parts = tw_contact_parts_get(extra, 0);
    return tw_contact_derivative_rate_inline(law, memory, &parts, radius, branch, tangent);
}

static const tw_contact_part part[] = {
#define TW_CONTACT_PART(name, form, count, unit, need, flips, partner)                             \
    {#name, unit, TW_CONTACT_WIDTH(name), need},
#include <twirl/detail/contact_parts.def>
};

uint32_t tw_contact_part_count(void)
{
    return TW_CONTACT_PARTS;
}

const tw_contact_part *tw_contact_part_at(uint32_t k)
{
    return k < TW_CONTACT_PARTS ? &part[k] : NULL;
}

uint32_t tw_contact_part_named(const char *name)
{
    uint32_t k = 0;
    while (k < TW_CONTACT_PARTS && strcmp(part[k].name, name) != 0)
        k++;
    return k;
}

tw_contact_extra tw_contact_extra_of(uint32_t needs, double *numbers)
{
    tw_contact_extra extra = {{NULL}, tw_contact_parts_numbers(needs)};
    for (uint32_t k = 0; k < TW_CONTACT_PARTS; k++) {
        if (!(part[k].need & needs)) continue;
        extra.part[k] = numbers;
        numbers += part[k].numbers;
    }
    return extra;
}

uint32_t tw_contact_extra_numbers(uint32_t needs)
{
    return tw_contact_parts_numbers(needs);
}

tw_contact_memory tw_contact_memory_fresh(tw_vec3 branch, double radius_p, double radius_q)
{
    return tw_contact_memory_fresh_inline(branch, radius_p, radius_q);
}

tw_contact_motion tw_contact_pair_motion(int32_t kind, const tw_contact_pair *pair,
                                         const tw_contact_memory *memory)
{
    return tw_contact_pair_motion_inline(kind, pair, memory);
}

tw_contact_memory tw_contact_wall_memory_fresh(const tw_contact_wall *wall)
{
    return tw_contact_wall_memory_fresh_inline(wall);
}

tw_contact_motion tw_contact_wall_motion(int32_t kind, const tw_contact_wall *wall,
                                         const tw_contact_memory *memory)
{
    return tw_contact_wall_motion_inline(kind, wall, memory);
}

tw_contact_memory tw_contact_plane_memory_fresh(const tw_contact_plane *plane)
{
    return tw_contact_plane_memory_fresh_inline(plane);
}

tw_contact_motion tw_contact_plane_motion(int32_t kind, const tw_contact_plane *plane,
                                          const tw_contact_memory *memory)
{
    return tw_contact_plane_motion_inline(kind, plane, memory);
}
