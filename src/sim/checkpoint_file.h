/* SPDX-License-Identifier: BSD-3-Clause */
/* Items to and from an HDF5 file. No call prints; HDF5's own error printing is off as long as a
 * file is open here. */
#ifndef TW_SIM_CHECKPOINT_FILE_H
#define TW_SIM_CHECKPOINT_FILE_H

#include <hdf5.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <twirl/types.h>

#include "base/error.h"

#include "sim/checkpoint_driver.h"
#include "sim/checkpoint_items.h"
#include "sim/checkpoint_seal.h"
#include "sim/checkpoint_source.h"

typedef struct tw_checkpoint_file {
    tw_checkpoint_driver driver;
    bool written; /* it is being written, not read */
    hid_t file,
        plain; /* plain: how objects are made, without times, so that files are comparable */
    tw_error_path name;
    uint64_t bytes;     /* of the file, when it is read */
    unsigned char *row; /* values on their way, when it is written */
    size_t row_capacity;
    H5E_auto2_t printing; /* the caller's, to be restored */
    void *printing_data;
} tw_checkpoint_file;

/* Room for the seal, and the attributes that say what it is, in a file that is empty and open for
 * reading and writing. The path is for messages, the label is "" for none. */
tw_status tw_checkpoint_file_create(tw_checkpoint_file *file, int descriptor, const char *path,
                                    const char *label, tw_error *error);

/* A file whose seal has been checked; `bytes` is its length. */
tw_status tw_checkpoint_file_open(tw_checkpoint_file *file, int descriptor, const char *path,
                                  uint64_t bytes, tw_error *error);

/* The label, or "" if the file has none. */
tw_status tw_checkpoint_file_read_label(const tw_checkpoint_file *file, char *label, size_t size,
                                        tw_error *error);

/* Also after a failed create or open; `error` may be NULL. What has been written is complete only
 * when this returns OK. The descriptor stays open. */
tw_status tw_checkpoint_file_close(tw_checkpoint_file *file, tw_error *error);

tw_status tw_checkpoint_file_write(tw_checkpoint_file *file, const tw_checkpoint_item *item,
                                   tw_error *error);

/* The datasets of an open file. */
tw_checkpoint_source tw_checkpoint_file_source(tw_checkpoint_file *file);

#endif
