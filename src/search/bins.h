/* SPDX-License-Identifier: BSD-3-Clause */
/* Bins in the cell's own coordinates, one set per class of size, as inline code for every device.
 *
 * A class holds bodies whose radii differ by at most a factor of 2, so bins as wide as its largest
 * pair are never much too wide. Each body searches its own class and those of larger bodies: a size
 * ratio of 10:1 costs a few more lookups, but nothing quadratic. */
#ifndef TW_SEARCH_BINS_H
#define TW_SEARCH_BINS_H

#include <math.h>
#include <stddef.h>
#include <stdint.h>

#include "world/state.h"

enum { TW_BINS_CLASSES = 24 };

typedef struct tw_bins_class {
    double radius_max;
    int n[3];     /* bins along each edge */
    int reach[3]; /* largest distance of a near body, in bins */
    size_t count; /* bodies */
    size_t first; /* its first bin, where those of all classes are counted together */
} tw_bins_class;

typedef struct tw_bins {
    tw_mat3 h, inverse;
    int periodic[3];
    double margin;           /* bodies with a gap below this are near [m] */
    double least;            /* smallest radius [m] */
    double low[3], scale[3]; /* fractional coordinate to [0, 1] */
    double height[3];        /* width of that range across the planes of constant coordinate [m] */
    tw_bins_class classes[TW_BINS_CLASSES];
    int class_count;
} tw_bins;

/* Class of a body with this radius. */
TW_INLINE int tw_bins_class_of(const tw_bins *bins, double radius)
{
    if (!(bins->least > 0.0)) return 0;
    const int power = (int)(tw_math_bits(radius / bins->least) >> 52) - 1023; /* of two */
    return power < 0 ? 0 : (power < TW_BINS_CLASSES ? power : TW_BINS_CLASSES - 1);
}

/* `low` and `high`: range of the fractional coordinates of the bodies. Along a non-periodic edge
 * the bins span the bodies, not the cell. */
TW_INLINE void tw_bins_set_range(tw_bins *bins, int k, double low, double high)
{
    if (bins->periodic[k] || !(high > low)) {
        low = bins->periodic[k] ? 0.0 : low;
        high = low + 1.0;
    }
    bins->low[k] = low;
    bins->scale[k] = 1.0 / (high - low);
    bins->height[k] = (high - low) / tw_vec3_norm(tw_mat3_row(bins->inverse, k));
}

/* Bins of a class from its count and largest radius. Returns their number. */
TW_INLINE size_t tw_bins_cut(const tw_bins *bins, tw_bins_class *c)
{
    const double cut = 2.0 * c->radius_max + bins->margin;
    double number = 1.0;
    for (int k = 0; k < 3; k++) {
        const double most = floor(bins->height[k] / cut);
        c->n[k] = most >= 1.0 ? (int)tw_math_min(most, 1e6) : 1; /* not a number: 1 */
        number *= c->n[k];
    }
    /* Not many more bins than bodies. */
    const double shrink = tw_math_cbrt(number / (4.0 * (double)c->count + 64.0));
    for (int k = 0; k < 3; k++) {
        if (shrink > 1.0) c->n[k] = (int)tw_math_max(1.0, floor(c->n[k] / shrink));
        const double width = bins->height[k] / c->n[k];
        const double reach = ceil(cut / width * (1.0 - 1e-12));
        /* No images along a non-periodic edge; image numbers end at 127. */
        const double most = bins->periodic[k] ? 127.0 * c->n[k] : c->n[k];
        c->reach[k] = (int)tw_math_min(reach, most);
    }
    return (size_t)c->n[0] * (size_t)c->n[1] * (size_t)c->n[2];
}

/* Cuts all classes. Returns the number of all bins. */
TW_INLINE size_t tw_bins_cut_all(tw_bins *bins)
{
    size_t total = 0;
    for (int number = 0; number < bins->class_count; number++) {
        tw_bins_class *c = &bins->classes[number];
        c->first = total;
        if (c->count > 0) total += tw_bins_cut(bins, c);
    }
    return total;
}

/* Whether images could not be numbered. */
TW_INLINE int tw_bins_too_narrow(const tw_bins *bins)
{
    for (int number = 0; number < bins->class_count; number++) {
        const tw_bins_class *c = &bins->classes[number];
        for (int k = 0; k < 3; k++) {
            if (c->count > 0 && bins->periodic[k] && c->reach[k] >= 127 * c->n[k]) return 1;
        }
    }
    return 0;
}

TW_INLINE int tw_bins_clamp(double s, int n)
{
    const double bin = floor(s * n);
    return bin >= n ? n - 1 : (bin > 0.0 ? (int)bin : 0);
}

/* The bin of a position, in a class. */
TW_INLINE void tw_bins_at(const tw_bins *bins, const tw_bins_class *c, tw_vec3 x, int bin[3])
{
    const tw_vec3 s = tw_mat3_mul_vec(bins->inverse, x);
    bin[0] = tw_bins_clamp((s.x - bins->low[0]) * bins->scale[0], c->n[0]);
    bin[1] = tw_bins_clamp((s.y - bins->low[1]) * bins->scale[1], c->n[1]);
    bin[2] = tw_bins_clamp((s.z - bins->low[2]) * bins->scale[2], c->n[2]);
}

/* Its number, where those of all classes are counted together. */
TW_INLINE size_t tw_bins_number(const tw_bins_class *c, const int bin[3])
{
    return c->first + ((size_t)bin[2] * (size_t)c->n[1] + (size_t)bin[1]) * (size_t)c->n[0] +
           (size_t)bin[0];
}

/* Splits bin number `bin` along edge k into a bin of the cell and an image. Returns 0 beyond a free
 * edge. */
TW_INLINE int tw_bins_wrap(const tw_bins *bins, const tw_bins_class *c, int k, int bin,
                           int *wrapped, int *image)
{
    if (!bins->periodic[k]) {
        *wrapped = bin;
        *image = 0;
        return bin >= 0 && bin < c->n[k];
    }
    *image = bin >= 0 ? bin / c->n[k] : -((c->n[k] - 1 - bin) / c->n[k]);
    *wrapped = bin - *image * c->n[k];
    return 1;
}

/* A body that looks for those near it. Whether a pair at the limit is near depends on the side it
 * is seen from: that of the smaller class, or within a class of the lower index. */
typedef struct tw_bins_view {
    tw_vec3 x;     /* [m] */
    double radius; /* [m] */
    uint32_t body;
    int own;        /* those in view are of the same class */
    tw_shift shift; /* image of those in view */
    int above;      /* it comes after the cell itself */
    tw_vec3 from;   /* x, seen from that image [m] */
} tw_bins_view;

TW_INLINE void tw_bins_look_at(tw_bins_view *view, const tw_bins *bins, tw_shift shift)
{
    const tw_shift none = {0, 0, 0};
    view->shift = shift;
    view->above = tw_shift_key(shift) > tw_shift_key(none);
    view->from = tw_vec3_sub(view->x, tw_cell_offset(&bins->h, shift));
}

TW_INLINE int tw_bins_is_near(const tw_bins_view *view, const tw_bins *bins, uint32_t j, tw_vec3 x,
                              double radius)
{
    const tw_vec3 b = tw_vec3_sub(x, view->from);
    const double reach = view->radius + bins->margin + radius;
    /* Within a class a pair is found from both sides; it counts from the lower one. */
    if (view->own && (j < view->body || (j == view->body && !view->above))) return 0;
    return tw_vec3_dot(b, b) < reach * reach;
}

#endif
