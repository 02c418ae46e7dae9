/* SPDX-License-Identifier: BSD-3-Clause */
/* The datasets of a checkpoint in memory: what tw_sim_save would write, and a source to load from,
 * without HDF5 and without a seal. */
#ifndef TWIRL_TEST_CHECKPOINT_TABLE_H
#define TWIRL_TEST_CHECKPOINT_TABLE_H

#include <twirl/sim.h>

#include "sim/checkpoint_items.h"

typedef struct checkpoint_table_set {
    const char *group, *name;
    tw_checkpoint_form form;
    tw_checkpoint_set about;
    unsigned char *values;
    size_t bytes;
    bool gone; /* it is missing */
} checkpoint_table_set;

typedef struct checkpoint_table {
    checkpoint_table_set set[TW_CHECKPOINT_ITEMS_MAX];
    size_t count, next;    /* next: where the search for a name begins */
    unsigned char *memory; /* of all values */
    size_t used;
} checkpoint_table;

void checkpoint_table_save(checkpoint_table *table, const tw_sim *sim);
void checkpoint_table_copy(checkpoint_table *copy, const checkpoint_table *table);
void checkpoint_table_free(checkpoint_table *table);

/* NULL, with a message, for a table that is refused. */
tw_sim *checkpoint_table_load(checkpoint_table *table, tw_error *error);

/* New rows are zero. */
void checkpoint_table_resize(checkpoint_table *table, checkpoint_table_set *set, size_t rows);

/* Bytes of a row; how many rows there are. */
size_t checkpoint_table_row(const checkpoint_table_set *set);
size_t checkpoint_table_rows(const checkpoint_table_set *set);

/* 0: not the same values. */
int checkpoint_table_equal(const checkpoint_table_set *a, const checkpoint_table_set *b);

#endif
