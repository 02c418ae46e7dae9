/* SPDX-License-Identifier: BSD-3-Clause */
/* The seal of a checkpoint: its first 512 bytes, which HDF5 leaves free (the "user block"). It
 * names the format and has the length of the file and the hash of all that follows.
 *
 * The hash is outside of HDF5 and covers every byte because that library is not made for hostile or
 * damaged files and has crashed on some: it only reads files with an intact seal. */
#ifndef TW_SIM_CHECKPOINT_SEAL_H
#define TW_SIM_CHECKPOINT_SEAL_H

#include <stdint.h>

#include <twirl/types.h>

/* The only version that is read. */
enum { TW_CHECKPOINT_VERSION = 7, TW_CHECKPOINT_SEAL_BYTES = 512 };

/* Writes the seal of a complete file, open for reading and writing. The path is for messages. */
tw_status tw_checkpoint_seal_write(int file, const char *path, tw_error *error);

/* Refuses anything that is not, byte for byte, a file that was sealed. `bytes` is its length. */
tw_status tw_checkpoint_seal_check(int file, const char *path, uint64_t bytes, tw_error *error);

#endif
