/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TWIRL_APP_RENDER_PNG_H
#define TWIRL_APP_RENDER_PNG_H

#include <stdbool.h>
#include <stddef.h>

#include "render/render_paint.h"

/* Writes the picture; the file takes its name only when it is complete. False: the text is in
 * `error`. */
bool tw_render_png_write(const tw_render_picture *picture, const char *path, char *error,
                         size_t size);

#endif
