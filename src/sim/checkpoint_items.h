/* SPDX-License-Identifier: BSD-3-Clause */
/* What a checkpoint holds, in memory: between a simulation and the items of a file. */
#ifndef TW_SIM_CHECKPOINT_ITEMS_H
#define TW_SIM_CHECKPOINT_ITEMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <twirl/types.h>

#include "base/hash.h"
#include "control/servo.h"
#include "search/list.h"

/* Rows of datasets that are at hand in part. */
typedef struct tw_checkpoint_rows {
    size_t first; /* where they begin in the datasets */
    size_t all;   /* how many the datasets have; 0: those at hand are all */
} tw_checkpoint_rows;

/* Model, state, servo, and what is stored in another form than they have. */
typedef struct tw_checkpoint_data {
    tw_model *model;
    tw_state *state;
    tw_servo *servo;
    uint64_t *shape_spheres; /* how many spheres each shape has */
    tw_sphere *spheres;      /* of all shapes, one after the other */
    size_t sphere_count;
    /* Surfaces of elements: how many points and elements each has; points of profiles are rho, 0
     * and z, and what an element has of them are the vertices of a facet. */
    struct tw_checkpoint_surface {
        uint32_t kind, points, elements;
    } * surface;
    tw_vec3 *surface_point;
    uint32_t *surface_corner;
    size_t surface_count, point_count, corner_count;
    int framed;               /* some wall is not a plane, or has turned */
    int steered;              /* some servo is not that of a plane along its normal */
    int absent;               /* some wall is */
    tw_contact_list contacts; /* in the order they have or had; a state that is read has none yet */
    int32_t listed;           /* tw_schedule.valid. 1: tw_search_restore makes exactly the list that
                                 was in force. 0: bodies or walls were added after the list was made,
                                 or there was none; tw_search_keep holds the contacts, if any, until
                                 the next search */
    tw_checkpoint_rows bodies, contact_rows; /* of the columns of bodies and of `contacts` */
    unsigned char *row;                      /* values of an item on their way */
    size_t row_capacity;
} tw_checkpoint_data;

/* Gathers the data of a simulation, which is only read through `data`. 0: no memory. The caller
 * frees it in either case. Without a schedule there are no contacts: they come in parts, for a list
 * that is in force. */
int tw_checkpoint_data_gather(tw_checkpoint_data *data, const tw_model *model,
                              const tw_state *state, const tw_schedule *schedule,
                              const tw_servo *servo);

/* Room for as many materials, shapes, bodies and walls, for `sphere_count` spheres and
 * `contacts.count` contacts, in an empty model and state. */
tw_status tw_checkpoint_data_reserve(tw_checkpoint_data *data, size_t materials, size_t shapes,
                                     size_t bodies, size_t walls, tw_error *error);

/* Room for these parts of contacts too. 0: no memory. */
int tw_checkpoint_data_add_parts(tw_checkpoint_data *data, uint32_t parts);

/* Gives each shape its spheres and the model its surfaces; the counts have been checked. */
tw_status tw_checkpoint_data_scatter(tw_checkpoint_data *data, tw_error *error);

/* Frees all but model, state and servo. */
void tw_checkpoint_data_free(tw_checkpoint_data *data);

/* The list of all items of a checkpoint. Writer, reader and checks go through the same list, so
 * they cannot disagree. */

typedef enum tw_checkpoint_type {
    TW_CHECKPOINT_U8,
    TW_CHECKPOINT_I8,
    TW_CHECKPOINT_U32,
    TW_CHECKPOINT_I32,
    TW_CHECKPOINT_U64,
    TW_CHECKPOINT_F64
} tw_checkpoint_type;

/* One value of an item: a number, a vector (across numbers) or a matrix (down x across). */
typedef struct tw_checkpoint_form {
    tw_checkpoint_type type;
    uint8_t rank; /* 0, 1, 2 */
    uint8_t down, across;
} tw_checkpoint_form;

/* Bytes of one value. */
size_t tw_checkpoint_form_bytes(tw_checkpoint_form form);

/* The numbers that a value may consist of. */
typedef enum tw_checkpoint_range {
    TW_CHECKPOINT_ANY,      /* finite ones, and not so large that products of a few overflow */
    TW_CHECKPOINT_POSITIVE, /* and such that their inverses do not overflow */
    TW_CHECKPOINT_NOT_NEGATIVE,
    TW_CHECKPOINT_NOT_NEGATIVE_OR_INFINITE,
    TW_CHECKPOINT_UNIT, /* the squares of a vector add up to 1 */
    TW_CHECKPOINT_WHOLE /* that a double tells from its neighbours */
} tw_checkpoint_range;

typedef struct tw_checkpoint_item {
    const char *group, *name, *unit;
    tw_checkpoint_form form;
    int column;            /* 1: a dataset of `rows` values; 0: of one, without that dimension */
    size_t rows;           /* at hand; 1 if it is not a column */
    void *base;            /* may be NULL without rows */
    size_t offset, stride; /* value r begins at base + offset + r stride [bytes] */
    tw_checkpoint_range range;
    uint64_t below; /* integers are below this: indices, and 2 for flags; 0: any */
    /* The value of a row, of all its numbers, in a file without the dataset, when all that the file
     * has is known. One value that is this one has no dataset, and is not hashed. NULL: the dataset
     * is required. */
    double (*missing)(const tw_checkpoint_data *data, size_t row);
    bool absent;       /* no law needs this part of contacts: no dataset */
    bool note;         /* does not affect the motion: not hashed */
    size_t first, all; /* of the dataset: where `rows` begin, and how many it has */
} tw_checkpoint_item;

enum { TW_CHECKPOINT_ITEMS_MAX = 256 };

typedef struct tw_checkpoint_list {
    tw_checkpoint_item item[TW_CHECKPOINT_ITEMS_MAX];
    size_t count;
} tw_checkpoint_list;

/* The counts in `data` are known, and the arrays have room for them. */
void tw_checkpoint_list_make(tw_checkpoint_list *list, tw_checkpoint_data *data);

/* Extents of the item's dataset, zero beyond its rank; returns the rank. */
int tw_checkpoint_item_extents(const tw_checkpoint_item *item, uint64_t extent[3]);

/* Value of a row. */
void *tw_checkpoint_item_value(const tw_checkpoint_item *item, size_t row);

/* Copies the values of the item, one after the other, to `packed`, or with `back` from there. */
void tw_checkpoint_item_copy(const tw_checkpoint_item *item, void *packed, bool back);

/* Where the values of the item are to be one after the other: where they are, if they are so there,
 * or else room in data->row. NULL: no memory; `name` of the file is for the message. */
void *tw_checkpoint_item_room(const tw_checkpoint_item *item, tw_checkpoint_data *data,
                              const char *name, tw_error *error);

/* Whether it has no dataset. */
bool tw_checkpoint_item_left_out(const tw_checkpoint_item *item, const tw_checkpoint_data *data);

/* Gives all rows the values of an item that is missing. */
void tw_checkpoint_item_fill(const tw_checkpoint_item *item, const tw_checkpoint_data *data);

/* The hash of a state: of each item on its own, as their rows may come in parts, and of all these.
 * Items without rows, those left out and notes do not count. */
typedef struct tw_checkpoint_hashes {
    tw_hash item[TW_CHECKPOINT_ITEMS_MAX]; /* all zero: no row yet */
} tw_checkpoint_hashes;

/* Adds the rows at hand of item k; `values`: one after the other. */
void tw_checkpoint_hashes_add(tw_checkpoint_hashes *hashes, size_t k,
                              const tw_checkpoint_item *item, const void *values);
uint64_t tw_checkpoint_hashes_value(const tw_checkpoint_hashes *hashes);

/* Hash of all items; 0: no memory. */
uint64_t tw_checkpoint_hash(tw_checkpoint_data *data);

/* Where the datasets of a checkpoint come from: an HDF5 file, or memory in tests. Types and extents
 * are checked here, whatever the source. */

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

enum { TW_CHECKPOINT_NAME = 64 }; /* bytes, with the end */

typedef struct tw_checkpoint_source {
    const char *name; /* for messages */
    uint64_t bytes;   /* no dataset has more */
    void *context;
    /* False if there is no such dataset. */
    bool (*find)(void *context, const char *group, const char *name, tw_checkpoint_set *found);
    /* Values of a dataset that has the type and extents of the item. */
    tw_status (*load)(void *context, const tw_checkpoint_item *item, void *values, tw_error *error);
    /* The k-th name in a group that is here, or with "/" of the groups, in any order, cut if it is
     * longer. False: there are no more. NULL: nothing that the list has not. */
    bool (*entry)(void *context, const char *group, size_t k, char name[TW_CHECKPOINT_NAME]);
} tw_checkpoint_source;

/* How many rows a dataset has: its first extent, never more than the source has bytes for. */
tw_status tw_checkpoint_source_rows(const tw_checkpoint_source *source, const char *group,
                                    const char *name, size_t row_bytes, size_t *rows,
                                    tw_error *error);

/* The dataset must have the type and the extents of the item. One that is missing changes nothing
 * here, if it may be. */
tw_status tw_checkpoint_source_read(const tw_checkpoint_source *source,
                                    const tw_checkpoint_item *item, tw_checkpoint_data *data,
                                    tw_error *error);

/* When all that is there has been read: items that are missing have the values that the list says,
 * and all that is there is of the list. */
tw_status tw_checkpoint_source_complete(const tw_checkpoint_source *source,
                                        tw_checkpoint_data *data, tw_error *error);

#endif
