/* SPDX-License-Identifier: BSD-3-Clause */
/* Model, state and servo in a file, and back: all that determines how the simulation continues, to
 * the bit. docs/guide/checkpoint.md describes the format. */
#ifndef TW_SIM_CHECKPOINT_H
#define TW_SIM_CHECKPOINT_H

#include <stdbool.h>
#include <stdint.h>

#include <twirl/sim.h>
#include <twirl/types.h>

#include "sim/checkpoint_items.h"

/* Whether a label is short enough and has no control characters. */
bool tw_checkpoint_label_is_good(const char *label);

/* Writes path.PID.tmp beside `path`, syncs it and renames it: at any moment the file of that name
 * is complete, the old one or the new one. On failure the old one stays and the temporary one is
 * removed. Two threads must not write the same path at the same time. The label is "" for none.
 *
 * The same bytes in parts, for a state that is nowhere as a whole: after a begin that succeeded,
 * put as often as needed, then end. */
typedef struct tw_checkpoint_writer tw_checkpoint_writer;
tw_status tw_checkpoint_begin(tw_checkpoint_writer **writer, const char *label, const char *path,
                              tw_error *error);

/* Writes rows at hand of the columns of a group, "bodies" or "contacts", and before the first of
 * them all items that come before these; NULL: all items that are not written yet. */
tw_status tw_checkpoint_put(tw_checkpoint_writer *writer, tw_checkpoint_data *data,
                            const char *group, tw_error *error);

/* The hash of what has been put. */
uint64_t tw_checkpoint_written_hash(const tw_checkpoint_writer *writer);

/* Completes the file, or removes it unless `status` is OK; returns the first status that is not. */
tw_status tw_checkpoint_end(tw_checkpoint_writer *writer, tw_status status, tw_error *error);

/* All of it in one part. */
tw_status tw_checkpoint_write(tw_checkpoint_data *data, const char *label, const char *path,
                              tw_error *error);

/* Model and state of `data` are as tw_model_init and tw_state_init leave them, the servo is all
 * zero, and so is the rest. The caller frees the data. On failure there are no contacts, and model
 * and state can only be freed. Statuses: FILE for a file that cannot be read, is not a checkpoint
 * or is damaged, VERSION for one of another version, MEMORY. */
tw_status tw_checkpoint_read(tw_checkpoint_data *data, char label[TW_SIM_LABEL_MAX + 1],
                             const char *path, tw_error *error);

/* As tw_checkpoint_read, from another source than a file. */
tw_status tw_checkpoint_read_from(const tw_checkpoint_source *source, tw_checkpoint_data *data,
                                  tw_error *error);

/* The seal of a checkpoint: its first 512 bytes, which HDF5 leaves free (the "user block"). It
 * names the format and has the length of the file and the hash of all that follows.
 *
 * The hash is outside of HDF5 and covers every byte because that library is not made for hostile or
 * damaged files and has crashed on some: it only reads files with an intact seal. */

/* The version that is written, and the first that is read. */
enum { TW_CHECKPOINT_VERSION = 8, TW_CHECKPOINT_OLDEST = 7, TW_CHECKPOINT_SEAL_BYTES = 512 };

/* Writes the seal of a complete file, open for reading and writing. The path is for messages. */
tw_status tw_checkpoint_seal_write(int file, const char *path, tw_error *error);

/* Refuses anything that is not, byte for byte, a file that was sealed. `bytes` is its length. */
tw_status tw_checkpoint_seal_check(int file, const char *path, uint64_t bytes, tw_error *error);

/* Whether the integers of a checkpoint that index something or have few values are in range. */
tw_status tw_checkpoint_check(const tw_checkpoint_data *data, const tw_checkpoint_list *list,
                              const char *name, tw_error *error);

/* Whether lengths, masses and positions of a checkpoint can be those of a state that can be run.
 * The list of items is made again, as limits depend on values. */
tw_status tw_checkpoint_check_numbers(tw_checkpoint_data *data, const char *path, tw_error *error);

#endif
