/* SPDX-License-Identifier: BSD-3-Clause */
/* Grains at random positions in a periodic cell, without overlap, in all of it or region by region:
 * any process or thread makes any region alone, and finds the positions that another one finds. */
#ifndef TW_RUN_REGIONS_H
#define TW_RUN_REGIONS_H

#include <stdbool.h>
#include <stdint.h>

#include <twirl/types.h>

typedef enum tw_run_scatter_result {
    TW_SCATTER_DONE,
    TW_SCATTER_FULL, /* there is no room for all of them */
    TW_SCATTER_STOPPED,
    TW_SCATTER_NO_MEMORY
} tw_run_scatter_result;

/* Called many times a second with the share of the grains that are placed. Non-zero: stop. */
typedef struct tw_run_scatter_watch {
    int (*placed)(double share, void *context); /* may be NULL */
    void *context;
} tw_run_scatter_watch;

/* What the positions depend on: the same wherever a region is made. A position that is tried for a
 * grain follows from seed, fill, and the numbers of grain and try alone. Set what comes before
 * `many`. */
typedef struct tw_run_regions {
    tw_mat3 cell; /* upper triangular */
    bool whole;   /* one region; otherwise so where the cell is below 10 diameters */
    uint64_t count, seed;
    uint64_t fill;                                   /* 0: the specimen */
    double largest;                                  /* no bounding radius is above [m] */
    double (*radius)(uint64_t grain, void *context); /* of its bounding sphere [m] */
    void *context;

    int64_t many[3];   /* regions along the edges */
    bool divided[3];   /* along the edges: there are planes between regions, if of only one */
    int64_t reach[3];  /* diameter of the largest grain, seen along an edge, in units of a region */
    double portion[8]; /* parts of a region: their share of its volume, summed up [-] */
} tw_run_regions;

void tw_run_regions_divide(tw_run_regions *regions);

uint64_t tw_run_regions_count(const tw_run_regions *regions);

/* The grains of a region are those from its first to that of the next region. */
uint64_t tw_run_regions_first(const tw_run_regions *regions, uint64_t region);

/* Whether grains of the region may be between these fractions of the edges of the cell. */
bool tw_run_regions_meets(const tw_run_regions *regions, uint64_t region, const double low[3],
                          const double high[3]);

/* Positions of the grains of a region, whose bounding spheres overlap neither each other nor those
 * of other regions. TW_SCATTER_FULL: there is no room for them, or for those next to them. `watch`
 * may be NULL. */
tw_run_scatter_result tw_run_regions_scatter(const tw_run_regions *regions, uint64_t region,
                                             const tw_run_scatter_watch *watch, tw_vec3 *x);

#endif
