/* SPDX-License-Identifier: BSD-3-Clause */
/* Filling a specimen from a file. */
#ifndef TW_EXCHANGE_SPECIMEN_H
#define TW_EXCHANGE_SPECIMEN_H

#include <stdbool.h>

#include <twirl/exchange.h>

#include "base/text_file.h"

/* What the readers of specimens share: the file and the specimen it fills. Each reader begins its
 * own struct with this one. */
typedef struct tw_specimen_reader {
    tw_lines lines;
    tw_specimen *specimen;
    size_t shape_capacity, body_capacity;
} tw_specimen_reader;

/* Opens the file, has `read` fill the specimen, and returns it; NULL on failure. */
tw_specimen *tw_specimen_reader_run(tw_specimen_reader *reader, const char *path,
                                    bool (*read)(tw_specimen_reader *reader), tw_error *error);

/* The readers that tw_specimen_read chooses from. */
tw_specimen *tw_specimen_read_dfile(const char *path, tw_error *error);
tw_specimen *tw_specimen_read_csv(const char *path, tw_error *error);
tw_specimen *tw_specimen_read_xyzr(const char *path, tw_error *error);
tw_specimen *tw_specimen_read_lammps_data(const char *path, tw_error *error);
tw_specimen *tw_specimen_read_lammps_dump(const char *path, tw_error *error);

/* Refuses what is not the type of a body: a whole number from 1 to 2^31 - 1. */
bool tw_specimen_check_type(tw_lines *lines, const char *column, double value);

/* Add a body with default values, or a shape, all zero. NULL: out of memory, which is set as the
 * error. The pointer is valid until the next one is added. */
tw_body_def *tw_specimen_add_body(tw_specimen_reader *reader);
tw_specimen_shape *tw_specimen_add_shape(tw_specimen_reader *reader);

/* Adds a body made of `count` rows of `stride` bytes, each of which begins with a tw_sphere. One
 * row makes a sphere. Several make a cluster with a shape of its own: not rotated, the origin at
 * the first sphere, and the size a power of two, so that no radius is rounded. */
tw_body_def *tw_specimen_add_spheres(tw_specimen_reader *reader, const void *rows, size_t count,
                                     size_t stride);

#endif
