/* SPDX-License-Identifier: BSD-3-Clause */
/* The response envelope of probes in all directions of principal space: the surface through the
 * ends of their responses, and its sections. */
#ifndef TWIRL_APP_ENVELOPE_H
#define TWIRL_APP_ENVELOPE_H

#include <stdbool.h>
#include <stddef.h>

#include <twirl/types.h>

typedef struct tw_envelope {
    size_t count;       /* probes */
    double (*way)[3];   /* unit directions of loading */
    double (*end)[3];   /* response: strain to stress probes, stress to strain probes [-] or [Pa] */
    double (*other)[3]; /* reversible strain; stress without slip */
    double *share;      /* irreversible over largest irreversible strain; NaN: not known */
    bool is_strain;     /* the response is a strain */
    bool has_other;     /* `other` has numbers */
    size_t (*triangle)[3]; /* neighbouring probes, counterclockwise from outside */
    size_t triangles;      /* 0: there is no surface */
} tw_envelope;

/* The probes of the first law in a probes.csv. They have no surface if their directions are in a
 * plane or do not surround the origin. TW_STATUS_INPUT: a row is damaged. Free it even after a
 * failure. */
tw_status tw_envelope_read(tw_envelope *envelope, const char *path, tw_error *error);
void tw_envelope_free(tw_envelope *envelope);

/* Largest coordinate of any end, in absolute value. */
double tw_envelope_reach(const tw_envelope *envelope);

/* The section of the surface through `at` (`end` or `other`) by the coordinate plane across `axis`:
 * closed curves. Calls `add` for each point in turn; `begins` is true for the first of a curve. */
void tw_envelope_cut(const tw_envelope *envelope, double (*at)[3], int axis,
                     void (*add)(void *target, const double point[3], bool begins), void *target);

/* Distance from the origin to the surface `end` along an axis; 0 if the axis does not meet it. */
double tw_envelope_radius(const tw_envelope *envelope, int axis);

#endif
