/* SPDX-License-Identifier: BSD-3-Clause */
/* The colour bar of a picture. */
#ifndef TWIRL_APP_RENDER_BAR_H
#define TWIRL_APP_RENDER_BAR_H

#include "render/render_content.h"
#include "render/render_paint.h"

/* Draws the colour bar in the lower left corner, with name, unit and range; for force chains, one
 * bar for sticking and one for sliding contacts. Draws nothing if the colours are ids, or if the
 * picture is too small. */
void tw_render_bar(tw_render_picture *picture, const tw_render_choice *choice,
                   const tw_render_legend *legend);

#endif
