/* SPDX-License-Identifier: BSD-3-Clause */
/* Names for output files, from the path of another file. */
#ifndef TWIRL_APP_FILE_NAME_H
#define TWIRL_APP_FILE_NAME_H

#include <stddef.h>

/* Without the folder and the last extension. */
void tw_file_name_base(char *name, size_t size, const char *path);

/* Without the folder and the extensions of file formats that are known here. Keeps the dot of a
 * number, as in sand_0.566. */
void tw_file_name_stem(char *name, size_t size, const char *path);

#endif
