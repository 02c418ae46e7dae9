/* SPDX-License-Identifier: BSD-3-Clause */
#include "world/tile_load.h"

void tw_tile_load_own(const tw_model *model, const tw_state *state, tw_schedule *schedule,
                      const tw_tile *tile, uint32_t first)
{
    const int exact = model->laws->kind == TW_CONTACT_EXACT;
    const int masses = (tw_model_flags(model) & TW_CONTACT_BY_MASS) != 0;
    for (uint32_t k = first; k < tile->bodies; k++)
        tw_tile_load_body(state, schedule, tile, k, exact, masses);
}

void tw_tile_load_ghosts(const tw_state *state, tw_schedule *schedule, tw_tile *tile)
{
    const tw_tiles *t = &schedule->tiles;
    const uint32_t first = tile->body_slot + tile->bodies;
    const tw_tile_ghost *ghost = t->ghost + tile->ghost;
    tile->others = tile->own;
    for (uint32_t k = 0; k < tile->ghosts; k++) {
        const tw_tile_sphere_slot *home = &t->centre[ghost[k].source];
        const tw_tile *from = &t->tile[ghost[k].tile];
        tw_vec3 moved = tw_vec3_sub(from->origin, tile->origin);
        tile->others = from->own > tile->others ? from->own : tile->others;
        moved = tw_vec3_add(moved, tw_cell_offset(&state->cell.h, ghost[k].shift));
        t->half[first + k] = t->half[ghost[k].source];
        tw_tile_sphere_slot *here = &t->centre[first + k];
        here->x[0] = home->x[0] + moved.x;
        here->x[1] = home->x[1] + moved.y;
        here->x[2] = home->x[2] + moved.z;
    }
    if (t->single) return;
    tw_tile_sphere_slot *sphere_slot =
        t->sphere_slot + (tile->sphere_slot + tile->sphere_slots - 2 - tile->ghost_spheres);
    for (uint32_t k = 0; k < tile->ghost_spheres; k++) {
        const tw_tile_ghost_sphere *from = &t->ghost_sphere[tile->ghost_sphere + k];
        const tw_tile_sphere_slot *here = &t->centre[from->body_slot];
        const tw_tile_sphere_slot *home = &t->centre[ghost[from->body_slot - first].source];
        for (int j = 0; j < 3; j++)
            sphere_slot[k].x[j] = t->sphere_slot[from->source].x[j] + (here->x[j] - home->x[j]);
    }
}
