/* SPDX-License-Identifier: BSD-3-Clause */
/* Grains at random positions in a periodic cell, made region by region: any process or thread makes
 * any region alone, and finds the positions that another one finds. */
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

/* What the positions depend on: the same wherever a region is made. Set the first five fields. */
typedef struct tw_run_regions {
    tw_mat3 cell; /* upper triangular */
    uint64_t count, seed;
    double largest;                                  /* no bounding radius is above [m] */
    double (*radius)(uint64_t grain, void *context); /* of its bounding sphere [m] */
    void *context;

    int64_t many[3];   /* regions along the edges */
    int64_t reach[3];  /* diameter of the largest grain, seen along an edge, in units of a region */
    double portion[8]; /* parts of a region: their share of its volume, summed up [-] */
} tw_run_regions;

/* False: the cell is too small for the largest grain. */
bool tw_run_regions_divide(tw_run_regions *regions);

uint64_t tw_run_regions_count(const tw_run_regions *regions);

/* The grains of a region are those from its first to that of the next region. */
uint64_t tw_run_regions_first(const tw_run_regions *regions, uint64_t region);

/* Whether grains of the region may be between these fractions of the edges of the cell. */
bool tw_run_regions_meets(const tw_run_regions *regions, uint64_t region, const double low[3],
                          const double high[3]);

/* Positions of the grains of a region, whose bounding spheres overlap neither each other nor those
 * of other regions. TW_SCATTER_FULL: there is no room for them, or for those next to them. */
tw_run_scatter_result tw_run_regions_scatter(const tw_run_regions *regions, uint64_t region,
                                             tw_vec3 *x);

#endif
