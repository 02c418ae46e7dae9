/* SPDX-License-Identifier: BSD-3-Clause */
/* The bar of colours of a picture. */
#ifndef TWIRL_APP_RENDER_BAR_H
#define TWIRL_APP_RENDER_BAR_H

#include "render/render_content.h"
#include "render/render_paint.h"

/* Draws the range of the colours into the lower left corner, with its name, unit and ends; one bar
 * for contacts that stick and one for those that slide. None for colours that mean no number, and
 * none in a picture that is too small to hold it. */
void tw_render_bar(tw_render_picture *picture, const tw_render_choice *choice,
                   const tw_render_legend *legend);

#endif
