/* SPDX-License-Identifier: BSD-3-Clause */
/* Workspace of the search on a device. */
#ifndef TW_DEVICE_SEARCH_ROOM_H
#define TW_DEVICE_SEARCH_ROOM_H

#include "search/bins.h"
#include "world/schedule.h"

typedef struct tw_device_search {
    /* Contacts on their way from one list to the next, or from the host, in the order of pairs of
     * the list they come from. If no list can be made they stay here, with schedule.valid = 0. */
    tw_pair *contact_pair;    /* spheres by the present order of bodies */
    uint32_t *contact_slot;   /* where its memory is now */
    uint32_t *contact_target; /* its pair in the new list */
    uint32_t *contact_given;  /* slot to assign, counted from the first of its tile, if `given` */
    uint32_t count;           /* contacts */
    int32_t given;            /* 0: slots are assigned in the order of pairs */

    /* What is wrong. */
    uint32_t flat;     /* the cell has no volume, or is not finite */
    uint64_t bad_body; /* the first that is not finite; UINT64_MAX: none */
    uint64_t lost;     /* the first contact that is not in the new list; UINT64_MAX: none */

    /* Bodies on their way to a new order. */
    int32_t reduced; /* the cell is described by other edges, */
    tw_mat3 change;  /* in which images are numbered so: tw_rearrange_cell */
    uint32_t *key, *order, *spare_key, *spare_order;
    uint32_t *now;     /* new index of a body, by its old one */
    uint32_t *first;   /* first sphere of a body in the new order; bodies + 1 entries */
    tw_shift *wrapped; /* image that a body was in, by its old index */
    void *column;      /* a column in its new order */
    double *lane_radius, *group_radius; /* sums of radii: of lanes of tiles, of 64 tiles */

    /* Bodies near each other. */
    tw_bins bins;
    uint64_t low[3], high[3];             /* range along free edges: tw_device_grid_ordered */
    uint64_t least;                       /* bits of the least bounding radius, */
    uint64_t radius_min;                  /* of the least radius of a sphere, */
    uint64_t radius_max[TW_BINS_CLASSES]; /* and of the largest bounding radius of each class */
    uint32_t members[TW_BINS_CLASSES];    /* bodies of each class */
    int32_t narrow;                       /* tw_bins_too_narrow */
    uint64_t bin_count;                   /* of all classes */
    uint64_t total;                       /* pairs */
    double *bound;                        /* bounding radius of a body [m] */
    uint32_t *start;                      /* first member of each bin, all classes in turn */
    uint32_t *member;
    uint32_t *place; /* of a body among the members of its bin; then pairs of a body so far */
    tw_vec3 *centre; /* of a sphere in the reference state; x_ref if every body is one sphere */
} tw_device_search;

#endif
