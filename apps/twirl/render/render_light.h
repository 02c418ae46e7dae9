/* SPDX-License-Identifier: BSD-3-Clause */
/* The light on the parts of a picture. */
#ifndef TWIRL_APP_RENDER_LIGHT_H
#define TWIRL_APP_RENDER_LIGHT_H

#include <stdint.h>

#include "render/render_rod.h"

/* Which grains are near each grain and keep light from it. */
typedef struct tw_render_light {
    const tw_render_rod *rods;
    uint32_t *first; /* the neighbours of i are near[first[i]] ... near[first[i + 1] - 1] */
    uint32_t *near;
    double line; /* width of outlines [samples] */
} tw_render_light;

/* False: out of memory; there is nothing to free. */
bool tw_render_light_make(tw_render_light *light, const tw_render_parts *parts,
                          const tw_render_rod *rods, double line);
void tw_render_light_free(tw_render_light *light);

/* The fraction of its colour that the part shows at a point of its surface: 1 where the surface
 * faces the viewer and nothing is in the way. */
double tw_render_light_on(const tw_render_light *light, uint32_t number, tw_render_finish finish,
                          tw_vec3 at);

/* The same on the flat face of a grain that is cut by the plane. */
double tw_render_light_on_cut(const tw_render_light *light, uint32_t number,
                              const tw_render_plane *plane, tw_vec3 at);

#endif
