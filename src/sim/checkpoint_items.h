/* SPDX-License-Identifier: BSD-3-Clause */
/* The list of all items of a checkpoint. Writer and reader go through the same list, so they
 * cannot disagree. */
#ifndef TW_SIM_CHECKPOINT_ITEMS_H
#define TW_SIM_CHECKPOINT_ITEMS_H

#include <stddef.h>
#include <stdint.h>

#include "sim/checkpoint_data.h"

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

typedef struct tw_checkpoint_item {
    const char *group, *name, *unit;
    tw_checkpoint_form form;
    int column;            /* 1: a dataset of `rows` values; 0: of one, without that dimension */
    size_t rows;           /* 1 if it is not a column */
    void *base;            /* may be NULL without rows */
    size_t offset, stride; /* value r begins at base + offset + r stride [bytes] */
} tw_checkpoint_item;

enum { TW_CHECKPOINT_ITEMS_MAX = 160 };

typedef struct tw_checkpoint_list {
    tw_checkpoint_item item[TW_CHECKPOINT_ITEMS_MAX];
    size_t count;
} tw_checkpoint_list;

/* The counts in `data` are known, and the arrays have room for them. */
void tw_checkpoint_list_make(tw_checkpoint_list *list, tw_checkpoint_data *data);

/* Extents of the item's dataset, zero beyond its rank; returns the rank. */
int tw_checkpoint_item_extents(const tw_checkpoint_item *item, uint64_t extent[3]);

/* The values themselves where they lie one behind the other, else NULL. */
void *tw_checkpoint_item_in_place(const tw_checkpoint_item *item);

/* Value of a row. */
void *tw_checkpoint_item_value(const tw_checkpoint_item *item, size_t row);

/* Values of the item, one after the other, to and from `packed`. */
void tw_checkpoint_item_pack(const tw_checkpoint_item *item, void *packed);
void tw_checkpoint_item_unpack(const tw_checkpoint_item *item, const void *packed);

#endif
