/* SPDX-License-Identifier: BSD-3-Clause */
/* The contact phase: tile by tile, contacts begin, are advanced by their law, and end; forces are
 * summed in the accumulators of the tiles. */
#ifndef TW_STEP_TOUCH_H
#define TW_STEP_TOUCH_H

#include <stdatomic.h>

#include <twirl/contact_inline.h>

#include "base/simd.h"
#include "step/motion.h"
#include "step/touch_one.h"
#include "step/touch_part.h"
#include "world/schedule.h"

/* What the tiles of the contact phase share. */
typedef struct tw_touch_context {
    const tw_model *model;
    tw_state *state;
    tw_schedule *schedule;
    const tw_vec3 *rigid_turn; /* not NULL: everything, walls included, rotates rigidly by this */
    int still;                 /* no time passes: in a rotation, and where nothing moves */
    atomic_size_t bad;         /* the first pair with an excessive overlap or a non-finite force */
} tw_touch_context;

/* Adds the force f at `point`, relative to the tile's origin. */
static inline void tw_touch_context_accumulate(tw_tile_accumulator *sum, tw_vec3 point, tw_vec3 f)
{
    const tw_vec3 t = tw_vec3_cross(point, f);
    sum->force[0] += f.x;
    sum->force[1] += f.y;
    sum->force[2] += f.z;
    sum->torque[0] += t.x;
    sum->torque[1] += t.y;
    sum->torque[2] += t.z;
}

/* Makes contacts of the candidates of a tile that have come to overlap. */
void tw_touch_candidates_begin(const tw_model *model, tw_state *state, tw_schedule *schedule,
                               tw_tile *tile);

/* Makes the contact in a slot a candidate again. */
void tw_touch_candidates_end(tw_state *state, tw_schedule *schedule, tw_tile *tile, uint32_t slot);

/* Advances the contact of spheres in a slot by a plain law and adds its work to the sums. Returns 0
 * if it has ended: its slot is then empty. *memory is that of the slot. */
int tw_touch_single_advance(tw_touch_context *touch, tw_tile *tile, uint32_t slot,
                            const tw_touch_carried *by, tw_contact_memory *memory, double *sum);

/* Adds the work of a contact of any law, after tw_touch_one_advance. */
void tw_touch_single_add(tw_touch_context *touch, uint32_t slot, const tw_touch_one *one,
                         double allowed, double *sum);

/* Advances the sphere contacts of a tile, several at a time. */
TW_SIMD_DECLARE(void, tw_touch_lanes, tw_touch_context *touch, tw_tile *tile, double *sum);

/* Writes the numbers of the candidates begin .. end - 1 that overlap by more than `edge` and
 * returns how many there are. `hits` has room for one more. */
TW_SIMD_DECLARE(uint32_t, tw_touch_near, const tw_tiles *tiles, uint32_t begin, uint32_t end,
                double edge, uint32_t *hits);

/* Contacts that are new begin where they are; no time passes. */
void tw_touch_begin_still(const tw_model *model, tw_state *state, tw_schedule *schedule);

/* What contacts with surfaces of elements share, after a change of laws. */
void tw_touch_share(const tw_model *model, tw_state *state, const tw_schedule *schedule);

/* `rigid_turn`: not NULL if everything rotates rigidly in the step, by this rotation vector. */
tw_status tw_touch_contacts(const tw_model *model, tw_state *state, tw_schedule *schedule,
                            const tw_vec3 *rigid_turn, int still, tw_error *error);

/* The error that the contacts of a state give: that of the first pair with an excessive overlap or
 * a force that is not finite. */
tw_status tw_touch_explain(const tw_model *model, const tw_state *state,
                           const tw_schedule *schedule, tw_error *error);

#endif
