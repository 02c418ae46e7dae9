/* SPDX-License-Identifier: BSD-3-Clause */
/* What a contact remembers besides tw_contact_memory, as values: the parts of
 * detail/contact_parts.def. Calls may overlap in several threads. Source compatible only,
 * before 1.0. */
#ifndef TWIRL_CONTACT_PARTS_H
#define TWIRL_CONTACT_PARTS_H

#include <string.h>

#include <twirl/contact_law.h>

#define TW_CONTACT_TYPE_NUMBER double
#define TW_CONTACT_TYPE_INDEX double
#define TW_CONTACT_TYPE_ALONG tw_contact_along
#define TW_CONTACT_TYPE_VECTOR tw_vec3
#define TW_CONTACT_TYPE_AXIAL tw_vec3
#define TW_CONTACT_TYPE_TANGENT tw_vec3
#define TW_CONTACT_TYPE_IN_P tw_vec3
#define TW_CONTACT_TYPE_IN_Q tw_vec3
#define TW_CONTACT_TIMES_1
#define TW_CONTACT_TIMES_2 [2]
#define TW_CONTACT_TIMES_3 [3]
#define TW_CONTACT_TIMES_4 [4]
#define TW_CONTACT_TIMES_8 [8]

/* Coordinates along a tangent e and along n x e. */
typedef struct tw_contact_along {
    double e, n_x_e;
} tw_contact_along;

/* The parts that a law needs; others are zero. */
typedef struct tw_contact_parts {
#define TW_CONTACT_PART(name, form, count, unit, need, flips, partner)                             \
    TW_CONTACT_TYPE_##form name TW_CONTACT_TIMES_##count;
#include <twirl/detail/contact_parts.def>
} tw_contact_parts;

/* Numbers of a part. */
#define TW_CONTACT_WIDTH(name)                                                                     \
    ((uint32_t)(sizeof(((tw_contact_parts *)0)->name) / (sizeof(double))))

enum {
#define TW_CONTACT_PART(name, form, count, unit, need, flips, partner) TW_CONTACT_PART_##name,
#include <twirl/detail/contact_parts.def>
    TW_CONTACT_PARTS,
    TW_CONTACT_NUMBERS = sizeof(tw_contact_parts) / sizeof(double) /* of all */
};

enum {
#define TW_CONTACT_PART(name, form, count, unit, need, flips, partner)                             \
    TW_CONTACT_NEED_##name = (need),
#include <twirl/detail/contact_parts.def>
    TW_CONTACT_NEED_NONE = 0
};

/* Those of parts for which the table has such a row. */
enum {
    TW_CONTACT_EXTRA_BEGINS = 0
#define TW_CONTACT_PART(name, form, count, unit, need, flips, partner)
#define TW_CONTACT_BEGINS(name, value) | TW_CONTACT_NEED_##name
#include <twirl/detail/contact_parts.def>
    ,
    TW_CONTACT_EXTRA_CHANGED = 0
#define TW_CONTACT_PART(name, form, count, unit, need, flips, partner)
#define TW_CONTACT_CHANGED(name, factor) | TW_CONTACT_NEED_##name
#include <twirl/detail/contact_parts.def>
};

/* All bits of tw_contact_law_extras. */
enum {
    TW_CONTACT_EXTRA_ALL = 0
#define TW_CONTACT_PART(name, form, count, unit, need, flips, partner) | (need)
#include <twirl/detail/contact_parts.def>
};

/* ---- One after the other: the parts that some law needs ---- */

TW_INLINE uint32_t tw_contact_parts_numbers(uint32_t needs)
{
    uint32_t count = 0;
#define TW_CONTACT_PART(name, form, count_of, unit, need, flips, partner)                          \
    if (needs & (need)) count += TW_CONTACT_WIDTH(name);
#include <twirl/detail/contact_parts.def>
    return count;
}

TW_INLINE void tw_contact_parts_pack(const tw_contact_parts *parts, uint32_t needs, double *to)
{
#define TW_CONTACT_PART(name, form, count, unit, need, flips, partner)                             \
    if (needs & (need)) {                                                                          \
        memcpy(to, &parts->name, sizeof parts->name);                                              \
        to += TW_CONTACT_WIDTH(name);                                                              \
    }
#include <twirl/detail/contact_parts.def>
}

TW_INLINE tw_contact_parts tw_contact_parts_unpack(uint32_t needs, const double *from)
{
    tw_contact_parts parts;
    memset(&parts, 0, sizeof parts);
#define TW_CONTACT_PART(name, form, count, unit, need, flips, partner)                             \
    if (needs & (need)) {                                                                          \
        memcpy(&parts.name, from, sizeof parts.name);                                              \
        from += TW_CONTACT_WIDTH(name);                                                            \
    }
#include <twirl/detail/contact_parts.def>
    return parts;
}

/* ---- In the arrays of a caller ---- */

TW_INLINE tw_contact_parts tw_contact_parts_get(const tw_contact_extra *extra, size_t contact)
{
    tw_contact_parts parts;
    const double *from;
    memset(&parts, 0, sizeof parts);
#define TW_CONTACT_PART(name, form, count, unit, need, flips, partner)                             \
    from = extra->part[TW_CONTACT_PART_##name];                                                    \
    if (from)                                                                                      \
        memcpy(&parts.name,                                                                        \
               from + contact * (extra->stride ? extra->stride : TW_CONTACT_WIDTH(name)),          \
               sizeof parts.name);
#include <twirl/detail/contact_parts.def>
    return parts;
}

TW_INLINE void tw_contact_parts_put(const tw_contact_extra *extra, size_t contact,
                                    const tw_contact_parts *parts)
{
    double *to;
#define TW_CONTACT_PART(name, form, count, unit, need, flips, partner)                             \
    to = extra->part[TW_CONTACT_PART_##name];                                                      \
    if (to)                                                                                        \
        memcpy(to + contact * (extra->stride ? extra->stride : TW_CONTACT_WIDTH(name)),            \
               &parts->name, sizeof parts->name);
#include <twirl/detail/contact_parts.def>
}

/* ---- What becomes of them ---- */

/* Takes some parts of others. */
TW_INLINE void tw_contact_parts_copy(tw_contact_parts *to, const tw_contact_parts *from,
                                     uint32_t needs)
{
#define TW_CONTACT_PART(name, form, count, unit, need, flips, partner)                             \
    if (needs & (need)) memcpy(&to->name, &from->name, sizeof to->name);
#include <twirl/detail/contact_parts.def>
}

/* The contact with p and q exchanged. */
TW_INLINE void tw_contact_parts_flip(double *numbers, size_t count, uint32_t flips)
{
    for (size_t k = 0; k < count; k++)
        if (flips >> k & 1u) numbers[k] = -numbers[k];
}

TW_INLINE tw_contact_parts tw_contact_parts_exchanged(const tw_contact_parts *parts)
{
    tw_contact_parts other;
#define TW_CONTACT_PART(name, form, count, unit, need, flips, partner)                             \
    memcpy(&other.name, &parts->partner, sizeof other.name);                                       \
    if ((flips) != 0) tw_contact_parts_flip((double *)&other.name, TW_CONTACT_WIDTH(name), flips);
#include <twirl/detail/contact_parts.def>
    return other;
}

/* The parts of a contact that is older than they are. */
TW_INLINE tw_contact_parts tw_contact_parts_missing(const tw_contact_memory *memory)
{
    tw_contact_parts parts;
    memset(&parts, 0, sizeof parts);
#define TW_CONTACT_PART(name, form, count, unit, need, flips, partner)
#define TW_CONTACT_MISSING(name, value)                                                            \
    for (size_t k = 0; k < TW_CONTACT_WIDTH(name); k++)                                            \
        ((double *)&parts.name)[k] = (value);
#include <twirl/detail/contact_parts.def>
    return parts;
}

/* Those of a contact that begins, whose memory is that before its first step. */
TW_INLINE tw_contact_parts tw_contact_parts_begin(const tw_contact_memory *memory)
{
    tw_contact_parts parts;
    (void)memory;
    memset(&parts, 0, sizeof parts);
#define TW_CONTACT_PART(name, form, count, unit, need, flips, partner)
#define TW_CONTACT_BEGINS(name, value)                                                             \
    for (size_t k = 0; k < TW_CONTACT_WIDTH(name); k++)                                            \
        ((double *)&parts.name)[k] = (value);
#include <twirl/detail/contact_parts.def>
    return parts;
}

TW_INLINE void tw_contact_parts_scale(double *numbers, size_t count, double factor)
{
    for (size_t k = 0; k < count; k++)
        if (factor != 1.0) numbers[k] = factor == 0.0 ? 0.0 : factor * numbers[k];
}

/* Of a contact that goes on at a neighbouring element of a wall. */
TW_INLINE void tw_contact_parts_to_neighbour(tw_contact_parts *parts)
{
    (void)parts;
#define TW_CONTACT_PART(name, form, count, unit, need, flips, partner)
#define TW_CONTACT_COPIED(name, factor)                                                            \
    tw_contact_parts_scale((double *)&parts->name, TW_CONTACT_WIDTH(name), factor);
#include <twirl/detail/contact_parts.def>
}

/* After a change of the law from `was` to `now`. What contacts share is no matter of the law.
 * Returns the needs of parts that may have less energy. */
TW_INLINE uint32_t tw_contact_parts_change(const tw_contact_law *was, const tw_contact_law *now,
                                           const tw_contact_memory *memory, tw_contact_parts *parts)
{
    const uint32_t of_walls = TW_CONTACT_EXTRA_SHARED,
                   had = tw_contact_law_extras_inline(was) | of_walls,
                   needs = tw_contact_law_extras_inline(now) | of_walls;
    const tw_contact_parts none = tw_contact_parts_unpack(0, NULL),
                           missing = tw_contact_parts_missing(memory);
#define TW_CONTACT_PART(name, form, count, unit, need, flips, partner)
#define TW_CONTACT_CHANGED(name, factor)                                                           \
    tw_contact_parts_scale((double *)&parts->name, TW_CONTACT_WIDTH(name), factor);
#include <twirl/detail/contact_parts.def>
    tw_contact_parts_copy(parts, &none, ~needs);
    tw_contact_parts_copy(parts, &missing, needs & ~had);
    return ~needs | TW_CONTACT_EXTRA_CHANGED;
}

/* Forms of vectors that turn in a step with their body, or as the tangential force does. */
#define TW_CONTACT_IS_CARRIED_NUMBER 0
#define TW_CONTACT_IS_CARRIED_INDEX 0
#define TW_CONTACT_IS_CARRIED_ALONG 0
#define TW_CONTACT_IS_CARRIED_VECTOR 0
#define TW_CONTACT_IS_CARRIED_AXIAL 0
#define TW_CONTACT_IS_CARRIED_TANGENT 1
#define TW_CONTACT_IS_CARRIED_IN_P 1
#define TW_CONTACT_IS_CARRIED_IN_Q 1

/* Forms of vectors that turn with a rigid rotation. */
#define TW_CONTACT_TURNS_NUMBER 0
#define TW_CONTACT_TURNS_INDEX 0
#define TW_CONTACT_TURNS_ALONG 0
#define TW_CONTACT_TURNS_VECTOR 1
#define TW_CONTACT_TURNS_AXIAL 1
#define TW_CONTACT_TURNS_TANGENT 1
#define TW_CONTACT_TURNS_IN_P 1
#define TW_CONTACT_TURNS_IN_Q 1

/* ---- As forces ---- */

/* What the parts of a contact do, for its reduced radius and normal. */
typedef struct tw_contact_shares {
    tw_vec3 drag;   /* damping force on p [N] */
    tw_vec3 couple; /* on p: rolling, twisting and their damping [N m] */
    tw_vec3 fr;     /* rolling force [N] */
    double mt;      /* twisting couple [N m] */
    tw_vec3 rate;   /* damping force on p, of rolling and of twisting: */
    tw_vec3 rate_r; /* the mean in the last step, without limits [N] */
    double rate_w;
} tw_contact_shares;

/* Damping force on p. */
TW_INLINE tw_vec3 tw_contact_parts_drag(const tw_contact_parts *parts)
{
    return parts->drag;
}

/* Couple on p of rolling and twisting, damping included. */
TW_INLINE tw_vec3 tw_contact_parts_couple(const tw_contact_parts *parts, double radius, tw_vec3 n)
{
    return tw_contact_couple(radius, n, tw_vec3_add(parts->fr, parts->drag_r),
                             parts->fw + parts->drag_w);
}

/* How much of its tangential force and couple a contact exerts: all but what others with the same
 * wall have of it. */
TW_INLINE double tw_contact_parts_own(const tw_contact_parts *parts)
{
    return 1.0 - parts->ceded;
}

/* The force on p of a contact that shares it; `pressing` of its force is that of the normal law. */
TW_INLINE tw_vec3 tw_contact_parts_force(const tw_contact_parts *parts, tw_vec3 pressing,
                                         tw_vec3 force)
{
    if (!(parts->ceded > 0.0)) return force;
    return tw_vec3_add(tw_vec3_add_scaled(force, -parts->ceded, tw_vec3_sub(force, pressing)),
                       parts->pass);
}

/* Likewise its couple, with `arm` from the centre of p. Forces of passes go through that as normal
 * forces do: what they would turn is taken away. */
TW_INLINE tw_vec3 tw_contact_parts_turn(const tw_contact_parts *parts, tw_vec3 arm, tw_vec3 couple)
{
    if (!(parts->ceded > 0.0)) return couple;
    return tw_vec3_sub(tw_vec3_scale(tw_contact_parts_own(parts), couple),
                       tw_vec3_cross(arm, parts->pass));
}

/* Sets what a contact shares. */
TW_INLINE void tw_contact_parts_share(tw_contact_parts *parts, double ceded, tw_vec3 pass,
                                      double energy)
{
    parts->ceded = ceded;
    parts->pass = pass;
    parts->pass_energy = energy;
}

TW_INLINE tw_contact_shares tw_contact_parts_shares(const tw_contact_parts *parts, double radius,
                                                    tw_vec3 n)
{
    tw_contact_shares s;
    s.drag = parts->drag;
    s.couple = tw_contact_parts_couple(parts, radius, n);
    s.fr = parts->fr;
    s.mt = radius * parts->fw;
    s.rate = parts->rate;
    s.rate_r = parts->rate_r;
    s.rate_w = parts->rate_w;
    return s;
}

/* Springs of rolling and twisting alone. */
TW_INLINE tw_contact_parts tw_contact_parts_of_springs(tw_vec3 fr, double fw)
{
    tw_contact_parts parts;
    memset(&parts, 0, sizeof parts);
    parts.fr = fr;
    parts.fw = fw;
    return parts;
}

TW_INLINE int tw_contact_parts_is_zero(tw_vec3 v)
{
    return v.x == 0.0 && v.y == 0.0 && v.z == 0.0;
}

/* The mean damping of the last step need not be known: that at its end is the best estimate. */
TW_INLINE void tw_contact_parts_complete(tw_contact_parts *parts)
{
    if (tw_contact_parts_is_zero(parts->rate)) parts->rate = parts->drag;
    if (tw_contact_parts_is_zero(parts->rate_r)) parts->rate_r = parts->drag_r;
    if (parts->rate_w == 0.0) parts->rate_w = parts->drag_w;
}

/* The parts of a contact that there is. Of the couple, what remains without springs is damping. */
TW_INLINE tw_contact_parts tw_contact_parts_of_shares(const tw_contact_shares *s, double radius,
                                                      tw_vec3 n)
{
    tw_contact_parts parts = tw_contact_parts_of_springs(s->fr, s->mt / radius);
    const tw_vec3 springs = tw_contact_couple(radius, n, parts.fr, parts.fw);
    const tw_vec3 rest = tw_vec3_sub(s->couple, springs);
    parts.drag = s->drag;
    parts.drag_r = tw_vec3_scale(1.0 / radius, tw_vec3_cross(n, rest));
    parts.drag_w = tw_vec3_dot(n, rest) / radius;
    parts.rate = s->rate;
    parts.rate_r = s->rate_r;
    parts.rate_w = s->rate_w;
    parts.alive = 1.0;
    tw_contact_parts_complete(&parts);
    return parts;
}

#endif
