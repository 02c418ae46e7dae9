/* SPDX-License-Identifier: BSD-3-Clause */
/* The colour bar of a picture, or the key of its classes. */
#ifndef TWIRL_APP_RENDER_BAR_H
#define TWIRL_APP_RENDER_BAR_H

#include "render/render_canvas.h"
#include "render/render_content.h"
#include "render/render_view.h"

/* The width that it needs [em]; 0: the colours have no meaning. It does not depend on the font. */
double tw_render_bar_width(const tw_render_quantity *quantity, const tw_render_classes *classes);

/* Upright, with title, unit and round ticks. An end is pointed if there are values beyond it. */
void tw_render_bar(const tw_render_canvas *canvas, tw_render_box box,
                   const tw_render_choice *choice, const tw_render_legend *legend);

#endif
