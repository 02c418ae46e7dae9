/* SPDX-License-Identifier: BSD-3-Clause */
/* VTK's XML files, with numbers in base64 of native byte order. Appended raw data would be a
 * quarter smaller but is not valid XML: ParaView on Debian 12 and Ubuntu rejects it since the
 * security updates of expat (VTK issue 19258). */
#ifndef TW_EXCHANGE_VTK_H
#define TW_EXCHANGE_VTK_H

#include <stddef.h>
#include <stdint.h>

#include "exchange/outfile.h"

typedef enum tw_vtk_type { TW_VTK_FLOAT64, TW_VTK_INT64, TW_VTK_INT32, TW_VTK_UINT8 } tw_vtk_type;

/* A column of items of `components` numbers each, `stride` bytes apart in memory, so that fields of
 * structs need no copy; or, if `first` is NULL, the numbers start, start + step, start + 2 step,
 * ...
 */
typedef struct tw_vtk_array {
    const char *name;
    tw_vtk_type type;
    int components;
    size_t count;
    const void *first;
    size_t stride;
    int64_t start, step;
} tw_vtk_array;

/* An element of the file, such as PointData, and its arrays. */
typedef struct tw_vtk_group {
    const char *element;
    const tw_vtk_array *arrays;
    size_t count;
} tw_vtk_group;

/* Prints a file with one piece. `type` is UnstructuredGrid or PolyData; `piece` holds the
 * attributes of the element Piece, that is the numbers of points and cells. */
void tw_vtk_print(tw_outfile *out, const char *type, const char *piece, double time,
                  const tw_vtk_group *groups, size_t count);

/* "LittleEndian" or "BigEndian". */
const char *tw_vtk_byte_order(void);

#endif
