/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TWIRL_APP_RENDER_PNG_H
#define TWIRL_APP_RENDER_PNG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <twirl/types.h>

/* Writes pixels 0xAARRGGBB, with colours multiplied by alpha, as RGB, or as RGBA if `alpha`; and
 * the resolution. The file appears under its name when it is complete. */
tw_status tw_render_png_write(const uint32_t *pixels, size_t width, size_t height, double dpi,
                              bool alpha, const char *path, tw_error *error);

#endif
