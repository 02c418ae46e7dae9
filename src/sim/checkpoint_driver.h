/* SPDX-License-Identifier: BSD-3-Clause */
/* HDF5 reads and writes a checkpoint through these functions, and not by calls of its own, because
 * it does not survive a write that fails: the file cannot be closed, and the process crashes when
 * it ends. Here such a write is remembered and HDF5 hears nothing of it; the caller looks at
 * `number`. Short and interrupted reads and writes are completed.
 *
 * Rejected: a file image in memory (the core driver of HDF5). A state of many grains would need as
 * much memory again as its file is long, at the moment when memory is needed most. */
#ifndef TW_SIM_CHECKPOINT_DRIVER_H
#define TW_SIM_CHECKPOINT_DRIVER_H

#include <hdf5.h>
#include <stdbool.h>
#include <stdint.h>

typedef struct tw_checkpoint_driver {
    H5FD_t base;      /* for HDF5; must be first */
    int descriptor;   /* the caller's: open for reading, and for writing if HDF5 is to write */
    int number;       /* errno of the first read or write that failed, or 0 */
    haddr_t eoa;      /* the length that HDF5 wants */
    haddr_t eof;      /* the length of the file */
    hid_t registered; /* as a driver of HDF5 */
} tw_checkpoint_driver;

/* `bytes` is the length of the file. */
void tw_checkpoint_driver_start(tw_checkpoint_driver *driver, int descriptor, uint64_t bytes);

/* A list of properties to open a file with, for the caller to close; negative on failure. One file
 * only, and `driver` stays where it is. */
hid_t tw_checkpoint_driver_access(tw_checkpoint_driver *driver);

/* After HDF5 has closed a file that it has written: gives it its length. */
void tw_checkpoint_driver_complete(tw_checkpoint_driver *driver);

void tw_checkpoint_driver_end(tw_checkpoint_driver *driver);

#endif
