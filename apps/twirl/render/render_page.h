/* SPDX-License-Identifier: BSD-3-Clause */
/* The page around the content: colour bar, axes and scale bar, and the file. */
#ifndef TWIRL_APP_RENDER_PAGE_H
#define TWIRL_APP_RENDER_PAGE_H

#include <cairo.h>

#include <twirl/types.h>

#include "render/render_content.h"
#include "render/render_options.h"

/* Draws the parts and what is around them, and writes the file: PNG, or PDF or SVG with the grains
 * as a bitmap under vector lines and text. It appears under its name when it is complete. *pixel is
 * the width of a pixel [m]. */
tw_status tw_render_page(const tw_render_options *set, const tw_render_parts *parts,
                         const tw_render_legend *legend, int threads, const char *path,
                         double *pixel, tw_error *error);

/* As tw_render_page, but a bitmap without a file, for the caller to destroy: a picture of a film,
 * whose place, scale and layout depend on the frame alone. NULL: out of memory. */
cairo_surface_t *tw_render_page_bitmap(const tw_render_options *set, const tw_render_frame *frame,
                                       const tw_render_parts *parts, const tw_render_legend *legend,
                                       int threads, double *pixel);

#endif
