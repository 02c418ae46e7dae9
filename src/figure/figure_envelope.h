/* SPDX-License-Identifier: BSD-3-Clause */
/* The response envelope of probes in all directions of principal space: the surface through the
 * ends of their responses, and its sections. */
#ifndef TWIRL_FIGURE_ENVELOPE_H
#define TWIRL_FIGURE_ENVELOPE_H

#include <stdbool.h>

#include <twirl/figure.h>

/* What the surface needs of a probe: components xx, yy, zz. */
typedef enum tw_figure_envelope_part {
    TW_FIGURE_ENVELOPE_DIRECTION,
    TW_FIGURE_ENVELOPE_STRAIN,
    TW_FIGURE_ENVELOPE_STRESS,
    TW_FIGURE_ENVELOPE_REVERSIBLE,
    TW_FIGURE_ENVELOPE_IRREVERSIBLE,
    TW_FIGURE_ENVELOPE_NO_SLIP,
    TW_FIGURE_ENVELOPE_PARTS
} tw_figure_envelope_part;

typedef struct tw_figure_envelope_probe {
    double part[TW_FIGURE_ENVELOPE_PARTS][3];
} tw_figure_envelope_probe;

/* Adds NAME, the view of the surface, and NAME_xy, NAME_xz, NAME_yz, NAME_deviatoric, its sections.
 * Nothing if the directions are in a plane or do not surround the origin. False: out of memory. */
bool tw_figure_envelope_add(tw_figure_set *set, const char *name,
                            const tw_figure_envelope_probe *probes, size_t count);

#endif
