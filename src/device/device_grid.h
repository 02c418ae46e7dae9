/* SPDX-License-Identifier: BSD-3-Clause */
/* Bodies in bins, as in search/list.c. The members of a bin are in any order: pairs are ordered
 * when all are found. */
#ifndef TW_DEVICE_GRID_H
#define TW_DEVICE_GRID_H

#include "device/device_atomic.h"
#include "device/device_world.h"
#include "search/list.h"

/* Extremes are found by this many items, each for every so-manieth body. */
enum { TW_DEVICE_GRID_ITEMS = 16384 };

/* A whole number that has the order of x, and back. */
TW_INLINE uint64_t tw_device_grid_ordered(double x)
{
    const uint64_t bits = tw_math_bits(x), sign = UINT64_C(1) << 63;
    return bits & sign ? ~bits : bits | sign;
}

TW_INLINE double tw_device_grid_unordered(uint64_t number)
{
    const uint64_t sign = UINT64_C(1) << 63;
    return tw_math_of_bits(number & sign ? number & ~sign : ~number);
}

/* Before the extremes are found. */
TW_INLINE void tw_device_grid_begin(tw_device_world *w, uint32_t i)
{
    tw_device_search *search = &w->search;
    (void)i;
    search->least = search->radius_min = tw_math_bits(DBL_MAX);
    for (int k = 0; k < 3; k++) {
        search->low[k] = tw_device_grid_ordered(DBL_MAX);
        search->high[k] = tw_device_grid_ordered(-DBL_MAX);
    }
    for (int k = 0; k < TW_BINS_CLASSES; k++) {
        search->radius_max[k] = 0;
        search->members[k] = 0;
    }
    search->bins.h = w->state.cell.h_ref;
    search->bins.inverse = tw_mat3_inverse(w->state.cell.h_ref);
    search->bins.margin = w->state.skin;
    for (int k = 0; k < 3; k++)
        search->bins.periodic[k] = w->state.cell.periodic[k];
}

/* Sizes, and the range along free edges. */
TW_INLINE void tw_device_grid_measure(tw_device_world *w, uint32_t i)
{
    tw_device_search *search = &w->search;
    const tw_bins *bins = &search->bins;
    const tw_spheres *s = &w->schedule.spheres;
    const int free = !bins->periodic[0] || !bins->periodic[1] || !bins->periodic[2];
    double least = DBL_MAX, radius_min = DBL_MAX;
    double low[3] = {DBL_MAX, DBL_MAX, DBL_MAX}, high[3] = {-DBL_MAX, -DBL_MAX, -DBL_MAX};
    for (uint32_t k = i; k < w->bodies; k += TW_DEVICE_GRID_ITEMS) {
        const double bound = tw_list_bound(&w->model, &w->state, k);
        search->bound[k] = bound;
        least = tw_math_min(least, bound);
        for (uint32_t p = s->first[k]; p < s->first[k + 1]; p++)
            radius_min = tw_math_min(radius_min, s->radius[p]);
        if (!free) continue;
        const tw_vec3 x = tw_mat3_mul_vec(bins->inverse, w->state.bodies.x_ref[k]);
        const double at[3] = {x.x, x.y, x.z};
        for (int e = 0; e < 3; e++) {
            low[e] = tw_math_min(low[e], at[e]);
            high[e] = tw_math_max(high[e], at[e]);
        }
    }
    tw_device_atomic_least(&search->least, least);
    tw_device_atomic_least(&search->radius_min, radius_min);
    for (int e = 0; e < 3 && free; e++) {
        tw_device_atomic_min(&search->low[e], tw_device_grid_ordered(low[e]));
        tw_device_atomic_max(&search->high[e], tw_device_grid_ordered(high[e]));
    }
}

/* One item. */
TW_INLINE void tw_device_grid_least(tw_device_world *w, uint32_t i)
{
    (void)i;
    w->search.bins.least = tw_math_of_bits(w->search.least);
}

/* Classes. */
TW_INLINE void tw_device_grid_classes(tw_device_world *w, uint32_t i)
{
    tw_device_search *search = &w->search;
    double radius_max[TW_BINS_CLASSES];
    uint32_t members[TW_BINS_CLASSES];
    for (int k = 0; k < TW_BINS_CLASSES; k++) {
        radius_max[k] = 0.0;
        members[k] = 0;
    }
    for (uint32_t k = i; k < w->bodies; k += TW_DEVICE_GRID_ITEMS) {
        const double bound = search->bound[k];
        const int number = tw_bins_class_of(&search->bins, bound);
        radius_max[number] = tw_math_max(radius_max[number], bound);
        members[number]++;
    }
    for (int k = 0; k < TW_BINS_CLASSES; k++) {
        if (members[k] == 0) continue;
        tw_device_atomic_most(&search->radius_max[k], radius_max[k]);
        tw_device_atomic_add(&search->members[k], members[k]);
    }
}

/* One item: the bins; what the schedule keeps of the sizes. */
TW_INLINE void tw_device_grid_cut(tw_device_world *w, uint32_t i)
{
    tw_device_search *search = &w->search;
    tw_bins *bins = &search->bins;
    (void)i;
    w->schedule.bound = 0.0;
    w->schedule.radius_min = tw_math_of_bits(search->radius_min);
    w->schedule.stretch = 0.0;
    bins->class_count = 0;
    for (int k = 0; k < TW_BINS_CLASSES; k++) {
        bins->classes[k].radius_max = tw_math_of_bits(search->radius_max[k]);
        bins->classes[k].count = search->members[k];
        if (search->members[k] > 0) bins->class_count = k + 1;
        w->schedule.bound = tw_math_max(w->schedule.bound, bins->classes[k].radius_max);
    }
    for (int k = 0; k < 3; k++)
        tw_bins_set_range(bins, k, tw_device_grid_unordered(search->low[k]),
                          tw_device_grid_unordered(search->high[k]));
    search->bin_count = tw_bins_cut_all(bins);
    search->narrow = tw_bins_too_narrow(bins);
}

TW_INLINE size_t tw_device_grid_bin(const tw_device_world *w, uint32_t i)
{
    const tw_bins *bins = &w->search.bins;
    const tw_bins_class *c = &bins->classes[tw_bins_class_of(bins, w->search.bound[i])];
    int bin[3];
    tw_bins_at(bins, c, w->state.bodies.x_ref[i], bin);
    return tw_bins_number(c, bin);
}

/* A body: its place in its bin. */
TW_INLINE void tw_device_grid_enter(tw_device_world *w, uint32_t i)
{
    w->search.place[i] = tw_device_atomic_add(&w->search.start[tw_device_grid_bin(w, i)], 1);
}

/* Once the bins are counted. */
TW_INLINE void tw_device_grid_fill(tw_device_world *w, uint32_t i)
{
    w->search.member[w->search.start[tw_device_grid_bin(w, i)] + w->search.place[i]] = i;
}

#endif
