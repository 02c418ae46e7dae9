/* SPDX-License-Identifier: BSD-3-Clause */
/* Items to and from an HDF5 file. No call prints; HDF5's own error printing is off as long as a
 * file is open here. */
#ifndef TW_SIM_CHECKPOINT_FILE_H
#define TW_SIM_CHECKPOINT_FILE_H

#include <hdf5.h>
#include <stddef.h>
#include <stdint.h>

#include <twirl/types.h>

#include "base/error.h"

#include "sim/checkpoint_items.h"
#include "sim/checkpoint_seal.h"
#include "sim/checkpoint_source.h"

typedef struct tw_checkpoint_file {
    hid_t file,
        plain; /* plain: how objects are made, without times, so that files are comparable */
    tw_error_path name;
    uint64_t bytes;     /* of the file, when it is read */
    unsigned char *row; /* values on their way, when it is written */
    size_t row_capacity;
    H5E_auto2_t printing; /* the caller's, to be restored */
    void *printing_data;
} tw_checkpoint_file;

/* A new file with room for the seal, and the attributes that say what it is, over an existing empty
 * one. The label is "" for none. `bytes` is about what it will hold: that much is reserved on the
 * disk. */
tw_status tw_checkpoint_file_create(tw_checkpoint_file *file, const char *path, const char *label,
                                    uint64_t bytes, tw_error *error);

/* A file whose seal has been checked; `bytes` is its length. */
tw_status tw_checkpoint_file_open(tw_checkpoint_file *file, const char *path, uint64_t bytes,
                                  tw_error *error);

/* The label, or "" if the file has none. */
tw_status tw_checkpoint_file_read_label(const tw_checkpoint_file *file, char *label, size_t size,
                                        tw_error *error);

/* Also after a failed create or open. The file is complete only when this returns OK; `error`
 * may be NULL. */
tw_status tw_checkpoint_file_close(tw_checkpoint_file *file, tw_error *error);

tw_status tw_checkpoint_file_write(tw_checkpoint_file *file, const tw_checkpoint_item *item,
                                   tw_error *error);

/* The datasets of an open file. */
tw_checkpoint_source tw_checkpoint_file_source(tw_checkpoint_file *file);

#endif
