/* SPDX-License-Identifier: BSD-3-Clause */
/* The neighbour list: which spheres may come into contact before it is made again. */
#ifndef TW_SEARCH_SEARCH_H
#define TW_SEARCH_SEARCH_H

#include "search/list.h"
#include "world/schedule.h"

#ifdef __cplusplus
extern "C" {
#endif

/* True if a contact may have formed that the list does not know. Sets schedule->stretch. */
int tw_search_stale(const tw_state *state, tw_schedule *schedule);

/* Makes a new list: bodies are wrapped into the cell and sorted in space, a strongly sheared cell
 * is described by shorter edges, contacts keep their memories. None of this changes the physics. On
 * failure the state is still whole, the schedule not valid, and the call can be repeated. */
tw_status tw_search_refresh(const tw_model *model, tw_state *state, tw_schedule *schedule,
                            tw_error *error);

/* Makes the list that belongs to x_ref, q_ref and h_ref, in the present order of bodies, and
 * assigns these contacts to slots: a restored state gets exactly the list it had. */
tw_status tw_search_restore(const tw_model *model, tw_state *state, tw_schedule *schedule,
                            const tw_contact_list *contacts, tw_error *error);

/* Holds contacts without a list, until the next search: when bodies or walls have been added, or no
 * list could be made. The spheres must be listed. */
tw_status tw_search_keep(tw_state *state, tw_schedule *schedule, const tw_contact_list *contacts,
                         tw_error *error);

/* As tw_search_restore, but the list is left to tw_search_complete: until then the schedule holds
 * spheres and contacts, which is enough to look at them and to save them, but not for a step. */
tw_status tw_search_defer(const tw_model *model, tw_state *state, tw_schedule *schedule,
                          const tw_contact_list *contacts, tw_error *error);

/* Makes a deferred list; does nothing if there is none. After a failure it is deferred still. */
tw_status tw_search_complete(const tw_model *model, tw_state *state, tw_schedule *schedule,
                             tw_error *error);

/* How far bodies have moved since the neighbour list was made. */

/* Largest displacement of a sphere since the list was made [m]. */
typedef struct tw_travel {
    double relative; /* relative to the affine flow */
    double absolute; /* in space */
} tw_travel;

/* Sets the travel of a tile from its bodies, starting with number `first`; `affine` maps the cell
 * of the list to the present one. */
void tw_travel_of_tile(const tw_model *model, const tw_state *state, const tw_tiles *tiles,
                       const tw_mat3 *affine, tw_tile *tile, uint32_t first);

/* Upper bound of the decrease of the gap between two bodies since the list was made, given their
 * displacements relative to the flow [m]. */
TW_INLINE double tw_travel_approach(const tw_schedule *schedule, double skin, double own_p,
                                    double own_q)
{
    return own_p + own_q + schedule->stretch * (2.0 * schedule->bound + skin);
}

/* Element k of A^T A - 1, for the affine flow A since the list was made. */
TW_INLINE double tw_travel_strain_at(const tw_mat3 *affine, int k)
{
    const int i = k / 3, j = k % 3;
    const double *a = affine->m;
    return a[i] * a[j] + a[3 + i] * a[3 + j] + a[6 + i] * a[6 + j] - (i == j ? 1.0 : 0.0);
}

/* Bound of the relative shortening of distances by the flow: |A b| >= |b| (1 - stretch). */
TW_INLINE double tw_travel_stretch_of(const tw_mat3 *strain)
{
    double stretch = 0.0;
    for (int k = 0; k < 9; k++)
        stretch += strain->m[k] * strain->m[k];
    return sqrt(stretch);
}

TW_INLINE double tw_travel_stretch(const tw_cell *cell)
{
    const tw_mat3 affine = tw_cell_affine(cell);
    tw_mat3 strain;
    for (int k = 0; k < 9; k++)
        strain.m[k] = tw_travel_strain_at(&affine, k);
    return tw_travel_stretch_of(&strain);
}

/* Whether a contact may have formed that the list does not know; schedule->stretch is set. */
TW_INLINE int tw_travel_exceeds(const tw_state *state, const tw_schedule *schedule,
                                tw_travel travel)
{
    if (!(tw_travel_approach(schedule, state->skin, travel.relative, travel.relative) <
          state->skin))
        return 1;
    for (size_t k = 0; k < state->wall_count; k++) {
        const double moved = tw_surface_travel(&state->walls[k]);
        if (!(travel.absolute + moved < state->skin)) return 1;
    }
    return 0;
}

#ifdef __cplusplus
}
#endif

#endif
