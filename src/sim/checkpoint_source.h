/* SPDX-License-Identifier: BSD-3-Clause */
/* Where the datasets of a checkpoint come from: an HDF5 file, or memory in tests. Types and extents
 * are checked here, whatever the source. */
#ifndef TW_SIM_CHECKPOINT_SOURCE_H
#define TW_SIM_CHECKPOINT_SOURCE_H

#include <stdbool.h>

#include <twirl/types.h>

#include "sim/checkpoint_items.h"

/* Values are taken from nowhere but the sealed file: the seal does not cover other files, and a
 * file of a stranger could name those of the reader. */
typedef enum tw_checkpoint_place {
    TW_CHECKPOINT_PLACE_HERE,
    TW_CHECKPOINT_PLACE_GROUP_LINKED, /* the group is a symbolic link, perhaps to another file */
    TW_CHECKPOINT_PLACE_LINKED,       /* the dataset is */
    TW_CHECKPOINT_PLACE_SCATTERED     /* in other files, or in pieces, which might be compressed */
} tw_checkpoint_place;

typedef struct tw_checkpoint_set {
    tw_checkpoint_place place; /* the rest is known only of those that are here */
    int type;                  /* tw_checkpoint_type; -1: another */
    int rank;                  /* -1: more than three dimensions, or none at all */
    uint64_t extent[3];
} tw_checkpoint_set;

typedef struct tw_checkpoint_source {
    const char *name; /* for messages */
    uint64_t bytes;   /* no dataset has more */
    void *context;
    /* False if there is no such dataset. */
    bool (*find)(void *context, const char *group, const char *name, tw_checkpoint_set *found);
    /* Values of a dataset that has the type and extents of the item. */
    tw_status (*load)(void *context, const tw_checkpoint_item *item, void *values, tw_error *error);
    unsigned char *row; /* values on their way */
    size_t row_capacity;
} tw_checkpoint_source;

/* Frees the memory for values on their way. */
void tw_checkpoint_source_close(tw_checkpoint_source *source);

/* How many rows a dataset has: its first extent, never more than the source has bytes for. */
tw_status tw_checkpoint_source_rows(tw_checkpoint_source *source, const char *group,
                                    const char *name, size_t row_bytes, size_t *rows,
                                    tw_error *error);

/* The dataset must have the type and the extents of the item. */
tw_status tw_checkpoint_source_read(tw_checkpoint_source *source, const tw_checkpoint_item *item,
                                    tw_error *error);

#endif
