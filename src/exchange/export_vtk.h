/* SPDX-License-Identifier: BSD-3-Clause */
/* Shared with export_series.c: frames with a comment, and names of files. */
#ifndef TW_EXCHANGE_EXPORT_VTK_H
#define TW_EXCHANGE_EXPORT_VTK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <twirl/sim.h>
#include <twirl/types.h>

#include "exchange/outfile.h"

/* tw_export_vtk with a comment at the end of each file; "" for none. */
tw_status tw_export_vtk_with(const tw_sim *sim, const char *directory, const char *name,
                             uint64_t frame, const char *comment, tw_error *error);

enum { TW_EXPORT_VTK_PARTS = 3 };
extern const char *const tw_export_vtk_parts[TW_EXPORT_VTK_PARTS];

/* NAME_PART_FRAME.EXTENSION, without a directory. */
void tw_export_vtk_file_name(char *text, size_t size, const char *name, int part, uint64_t frame);

/* DIRECTORY/FILE; false with an error if that is too long. */
bool tw_export_vtk_path(char *path, size_t size, const char *directory, const char *file,
                        tw_error *error);

/* A comment behind the end of an XML document; none if it is "". */
void tw_export_vtk_print_comment(tw_outfile *out, const char *comment);

/* False with an error if `name` cannot be part of a file name. */
bool tw_export_vtk_check_name(const char *name, tw_error *error);

#endif
