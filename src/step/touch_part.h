/* SPDX-License-Identifier: BSD-3-Clause */
/* The contact phase of one tile, for another program that divides bodies among its processes: it
 * loads bodies and ghosts into the tile, makes contacts and gathers the forces. */
#ifndef TW_STEP_TOUCH_PART_H
#define TW_STEP_TOUCH_PART_H

#include "world/schedule.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Sums of a tile. */
enum {
    TW_TOUCH_MOMENT = 0,
    TW_TOUCH_STORED = 9, /* as in tw_contact_stored */
    TW_TOUCH_LOST = TW_TOUCH_STORED + TW_CONTACT_STORED_KINDS,
    TW_TOUCH_CONTACTS = TW_TOUCH_LOST + TW_CONTACT_LOST_KINDS,
    TW_TOUCH_SLIDING,
    TW_TOUCH_SUMS
};

/* Lists the candidates of a tile that have come to overlap, in the order of pairs: their numbers
 * are in tiles.hit from tile->candidate on. Returns how many there are. */
uint32_t tw_touch_part_overlaps(const tw_model *model, const tw_state *state,
                                const tw_schedule *schedule, const tw_tile *tile);

/* Advances the contacts of spheres of a tile over a step, and adds forces to its accumulators, with
 * torques about its origin, and to the sums, except for moments. Returns 0 if an overlap is
 * excessive or a force not finite. */
int tw_touch_part_advance(const tw_model *model, tw_state *state, tw_schedule *schedule,
                          tw_tile *tile, double sum[TW_TOUCH_SUMS]);

#ifdef __cplusplus
}
#endif

#endif
