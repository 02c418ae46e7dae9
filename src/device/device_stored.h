/* SPDX-License-Identifier: BSD-3-Clause */
/* Energy stored in the contacts after the last step, with the bits of the CPU: no step needs it, so
 * it is summed when the host looks. Includer: a runtime first. */
#ifndef TW_DEVICE_STORED_H
#define TW_DEVICE_STORED_H

#include "base/sum_lanes.h"
#include "base/sum_tree.h"
#include "device/device_laws.h"
#include "device/device_memory.h"
#include "world/stored.h"

enum {
    TW_DEVICE_STORED_NORMAL,
    TW_DEVICE_STORED_TANGENTIAL,
    TW_DEVICE_STORED_ROLLING,
    TW_DEVICE_STORED_TWISTING,
    TW_DEVICE_STORED_SUMS
};

TW_INLINE double tw_device_stored_pick(const tw_stored *stored, uint32_t which)
{
    switch (which) {
    case TW_DEVICE_STORED_NORMAL:
        return stored->normal;
    case TW_DEVICE_STORED_TANGENTIAL:
        return stored->tangential;
    case TW_DEVICE_STORED_ROLLING:
        return stored->rolling;
    default:
        return stored->twisting;
    }
}

/* A contact that was advanced one by one. */
TW_INLINE double tw_device_stored_single(const tw_device_world *w, uint32_t s, uint32_t which)
{
    const tw_pair *pair = &w->schedule.pairs.pair[w->schedule.slots.pair[s]];
    const tw_contact_law law = tw_pair_law(&w->model, &w->state, &w->schedule, pair);
    const tw_contact_memory memory = tw_bundle_get(w->state.contacts.bundle, s);
    const tw_contact_extra extra = tw_extras_get(&w->state.contacts.extras, s);
    const tw_stored stored = tw_touch_one_stored(&law, &memory, &extra);
    return tw_device_stored_pick(&stored, which);
}

/* One of step/touch_laws.c that was advanced in lanes. */
TW_INLINE double tw_device_stored_lanes(const tw_device_world *w, uint32_t s, uint32_t which)
{
    const tw_device_laws_how h = tw_device_laws_any(w);
    const tw_extras *extras = &w->state.contacts.extras;
    const tw_contact_memory memory = tw_bundle_get(w->state.contacts.bundle, s);
    const double zeta0 = h.normal == TW_CONTACT_HERTZ ? w->zeta_before[s] : memory.zeta;
    tw_device_laws_contact c;
    tw_device_laws_law(h, w, s, &c);
    const tw_contact_course course =
        tw_contact_course_of(h.kind, h.refine, &c.law, zeta0, memory.zeta);
    if (which == TW_DEVICE_STORED_NORMAL)
        return tw_contact_law_stored_normal_by(&c.law, memory.zeta, course.fn1);
    if (which == TW_DEVICE_STORED_TANGENTIAL)
        return tw_contact_touch_stored(h.normal, &course, c.soft,
                                       tw_vec3_dot(memory.ft, memory.ft));
    if (which == TW_DEVICE_STORED_ROLLING && extras->fr) {
        const tw_vec3 fr = tw_bundle_force_get(extras->fr, s);
        return tw_contact_touch_stored(h.normal, &course, tw_contact_law_compliance(c.law.k_r),
                                       tw_vec3_dot(fr, fr));
    }
    if (which == TW_DEVICE_STORED_TWISTING && extras->fw) {
        const double fw = extras->fw[s / TW_BUNDLE].x[s % TW_BUNDLE];
        return tw_contact_touch_stored(h.normal, &course, tw_contact_law_compliance(c.law.k_w) * fw,
                                       fw);
    }
    return 0.0;
}

/* A contact of step/touch_spheres.c, up to a factor. */
TW_INLINE double tw_device_stored_plain(const tw_device_world *w, uint32_t s, uint32_t which)
{
    const tw_contact_memory memory = tw_bundle_get(w->state.contacts.bundle, s);
    if (which == TW_DEVICE_STORED_NORMAL) return tw_contact_law_normal_term(memory.zeta);
    if (which == TW_DEVICE_STORED_TANGENTIAL) return tw_contact_law_tangential_term(memory.ft);
    return 0.0;
}

TW_INLINE double tw_device_stored_factor(const tw_device_world *w, uint32_t which)
{
    return which == TW_DEVICE_STORED_NORMAL ? tw_contact_law_normal_factor(w->model.laws)
                                            : tw_contact_law_tangential_factor(w->model.laws);
}

TW_INLINE double *tw_device_stored_room(const tw_device_world *w, uint32_t which, uint32_t tile)
{
    return w->lane_sum + ((size_t)which * w->tiles + tile) * TW_SUM_LANES;
}

/* Tile, sum and lane: contacts of spheres in lanes. */
TW_INLINE void tw_device_stored_lane(tw_device_world *w, uint32_t i)
{
    const uint32_t at = i / TW_SUM_LANES, lane = i % TW_SUM_LANES;
    const uint32_t number = at / TW_DEVICE_STORED_SUMS, which = at % TW_DEVICE_STORED_SUMS;
    const tw_tile *tile = &w->schedule.tiles.tile[number];
    const uint32_t end = tile->slot + tile->slots;
    const int plain = w->run.plain;
    double sum = 0.0;
    for (uint32_t s = tile->slot + lane; s < end; s += TW_SUM_LANES) {
        const int how = w->how[s];
        if (plain && (how == TW_DEVICE_LANES || how == TW_DEVICE_SINGLE))
            sum += tw_device_stored_plain(w, s, which);
        else if (!plain && how == TW_DEVICE_LANES)
            sum += tw_device_stored_lanes(w, s, which);
    }
    tw_device_stored_room(w, which, number)[lane] = sum;
}

/* Tile and sum: contacts of spheres one by one, the lanes, then contacts with walls. */
TW_INLINE void tw_device_stored(tw_device_world *w, uint32_t i)
{
    const uint32_t number = i / TW_DEVICE_STORED_SUMS, which = i % TW_DEVICE_STORED_SUMS;
    const tw_tile *tile = &w->schedule.tiles.tile[number];
    const uint32_t end = tile->slot + tile->slots;
    const double all = tw_sum_lanes_join(tw_device_stored_room(w, which, number));
    double sum = 0.0;
    for (uint32_t s = tile->slot; s < end && !w->run.plain; s++)
        if (w->how[s] == TW_DEVICE_SINGLE) sum += tw_device_stored_single(w, s, which);
    sum += w->run.plain ? tw_device_stored_factor(w, which) * all : all;
    for (uint32_t s = tile->wall_slot; s < tile->wall_slot + tile->walls; s++)
        if (w->how[s] == TW_DEVICE_SINGLE) sum += tw_device_stored_single(w, s, which);
    w->tile_sum[(size_t)which * w->tiles + number] = sum;
}

/* A sum over all tiles. */
TW_INLINE void tw_device_stored_join(tw_device_world *w, uint32_t which)
{
    const double *part = w->tile_sum + (size_t)which * w->tiles;
    tw_sums *sums = &w->state.sums;
    tw_sum_tree tree;
    tree.count = 0;
    for (uint32_t k = 0; k < w->tiles; k++)
        tw_sum_tree_add(&tree, part[k]);
    const double sum = tw_sum_tree_total(&tree);
    switch (which) {
    case TW_DEVICE_STORED_NORMAL:
        sums->normal = sum;
        break;
    case TW_DEVICE_STORED_TANGENTIAL:
        sums->tangential = sum;
        break;
    case TW_DEVICE_STORED_ROLLING:
        sums->rolling = sum;
        break;
    default:
        sums->twisting = sum;
        break;
    }
}

TW_DEVICE_TASK(tw_device_stored_lane)
TW_DEVICE_TASK(tw_device_stored)
TW_DEVICE_TASK(tw_device_stored_join)

/* Sets state.sums.normal, tangential, rolling and twisting of the world on the device, after a step
 * or rotation that is complete and before the next search. */
static inline void tw_device_stored_all(tw_device_runtime *runtime, tw_device_world *world,
                                        const tw_device_world *known)
{
    tw_device_stored_lane_each(runtime, world, TW_SUM_LANES * TW_DEVICE_STORED_SUMS * known->tiles);
    tw_device_stored_each(runtime, world, TW_DEVICE_STORED_SUMS * known->tiles);
    tw_device_stored_join_each(runtime, world, TW_DEVICE_STORED_SUMS);
}

static inline tw_status tw_device_stored_refresh(tw_device *d)
{
    tw_device_stored_all(&d->runtime, d->world, &d->known);
    return TW_STATUS_OK;
}

#endif
