/* SPDX-License-Identifier: BSD-3-Clause */
#include "render/render_layout.h"

#include "render/render_axes.h"

static const double edge = 0.5, scale_height = 2.0; /* em */

static void place(tw_render_layout *l, const tw_render_request *r, const tw_render_view *view)
{
    const double em = r->em, room = r->width - l->bar.width;
    if (r->axes)
        l->axes = (tw_render_box){edge * em, r->height - (TW_RENDER_AXES_EM + edge) * em,
                                  TW_RENDER_AXES_EM * em, TW_RENDER_AXES_EM * em};
    if (r->scale) {
        l->scale_length = tw_render_axes_scale(view, 0.25 * room);
        const double width = l->scale_length / view->pixel;
        l->scale =
            (tw_render_box){room - width - 2.0 * edge * em, r->height - (scale_height + edge) * em,
                            width, scale_height * em};
    }
}

static bool collides(const tw_render_layout *l, const tw_render_view *view,
                     const tw_render_parts *parts)
{
    return (l->axes.width > 0.0 && tw_render_view_covers(view, parts, l->axes)) ||
           (l->scale.width > 0.0 && tw_render_view_covers(view, parts, l->scale));
}

tw_render_layout tw_render_layout_make(const tw_render_request *request,
                                       const tw_render_parts *parts, tw_render_view *view)
{
    const tw_render_request *r = request;
    const double em = r->em;
    tw_render_layout l = {.bar.width = 0.0};
    if (r->bar > 0.0 && r->width > 2.0 * r->bar * em && r->height > 8.0 * em)
        l.bar = (tw_render_box){r->width - r->bar * em, 0.0, r->bar * em, r->height};
    l.content = (tw_render_box){0.0, 0.0, r->width - l.bar.width, r->height};
    tw_render_view_fit(view, parts, l.content);
    if (l.content.width < 10.0 * em || r->height < 10.0 * em) return l;
    place(&l, r, view);
    /* No higher than needed: often the corners are almost free. */
    for (double strip = 0.5; strip <= TW_RENDER_AXES_EM + edge && collides(&l, view, parts);
         strip += 0.5) {
        l.content.height = r->height - strip * em;
        tw_render_view_fit(view, parts, l.content);
        place(&l, r, view); /* pixels have another size now */
    }
    return l;
}
