/* SPDX-License-Identifier: BSD-3-Clause */
/* File names shared with export_series.c. */
#ifndef TW_EXCHANGE_EXPORT_VTK_H
#define TW_EXCHANGE_EXPORT_VTK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <twirl/types.h>

enum { TW_EXPORT_VTK_PARTS = 3 };
extern const char *const tw_export_vtk_parts[TW_EXPORT_VTK_PARTS];

/* NAME_PART_FRAME.EXTENSION, without a directory. */
void tw_export_vtk_file_name(char *text, size_t size, const char *name, int part, uint64_t frame);

/* DIRECTORY/FILE; false with an error if that is too long. */
bool tw_export_vtk_path(char *path, size_t size, const char *directory, const char *file,
                        tw_error *error);

/* False with an error if `name` cannot be part of a file name. */
bool tw_export_vtk_check_name(const char *name, tw_error *error);

#endif
