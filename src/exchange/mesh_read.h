/* SPDX-License-Identifier: BSD-3-Clause */
/* Surfaces of triangles from files: STL, of text or binary, and OBJ. */
#ifndef TW_EXCHANGE_MESH_READ_H
#define TW_EXCHANGE_MESH_READ_H

#include <stdbool.h>

/* Whether a file is one, by its content or the end of its name. */
bool tw_mesh_read_is_stl(const char *path);
bool tw_mesh_read_is_obj(const char *path);

#endif
