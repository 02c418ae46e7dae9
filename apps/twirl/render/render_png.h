/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TWIRL_APP_RENDER_PNG_H
#define TWIRL_APP_RENDER_PNG_H

#include <twirl/types.h>

#include "render/render_paint.h"

/* Writes the picture; the file appears under its name when it is complete. */
tw_status tw_render_png_write(const tw_render_picture *picture, const char *path, tw_error *error);

#endif
