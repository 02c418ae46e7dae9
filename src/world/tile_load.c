/* SPDX-License-Identifier: BSD-3-Clause */
#include "world/tile_load.h"

/* The rotation vector of a Gibbs vector. */
static tw_vec3 half_rotation(tw_vec3 g)
{
    const double t2 = tw_vec3_dot(g, g), t = sqrt(t2);
    /* atan(t)/t */
    return tw_vec3_scale(
        t < 1e-2 ? 1.0 - t2 * (1.0 / 3 - t2 * (1.0 / 5 - t2 * (1.0 / 7))) : tw_math_atan(t) / t, g);
}

static inline void put(double *to, tw_vec3 v)
{
    to[0] = v.x;
    to[1] = v.y;
    to[2] = v.z;
}

void tw_tile_load_own(const tw_model *model, const tw_state *state, tw_schedule *schedule,
                      const tw_tile *tile, uint32_t first)
{
    const tw_bodies *b = &state->bodies;
    const uint32_t spheres = schedule->spheres.first[tile->body];
    const int exact = model->laws->kind == TW_CONTACT_EXACT;
    const int masses = (tw_model_flags(model) & TW_CONTACT_BY_MASS) != 0;
    tw_tile_half *half = schedule->tiles.half + tile->body_slot;
    tw_tile_sphere_slot *centre = schedule->tiles.centre + tile->body_slot,
                        *sphere_slot = schedule->tiles.sphere_slot + tile->sphere_slot;
    for (uint32_t k = first; k < tile->bodies; k++) {
        const uint32_t i = tile->body + k;
        const tw_vec3 x = tw_vec3_sub(b->x[i], tile->origin);
        put(half[k].v, exact ? b->gibbs[i] : half_rotation(b->gibbs[i]));
        half[k].mass = masses && !(b->flags[i] & TW_BODY_FIXED) ? b->mass[i] : 0.0;
        put(centre[k].x, x);
        if (schedule->tiles.single) continue;
        const uint32_t begin = schedule->spheres.first[i], end = schedule->spheres.first[i + 1];
        const tw_mat3 r = tw_quat_matrix(b->q[i]);
        for (uint32_t s = begin; s < end; s++) {
            tw_vec3 at = x;
            if (end > begin + 1)
                at = tw_vec3_add(x, tw_mat3_mul_vec(r, schedule->spheres.offset[s]));
            put(sphere_slot[s - spheres].x, at);
            sphere_slot[s - spheres].radius = schedule->spheres.radius[s];
        }
    }
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

uint32_t tw_tile_load_body_slot(const tw_schedule *schedule, const tw_tile *tile,
                                uint32_t sphere_slot)
{
    const uint32_t own = tile->sphere_slots - 2 - tile->ghost_spheres,
                   k = sphere_slot - tile->sphere_slot;
    if (schedule->tiles.single) return tile->body_slot + k;
    if (k >= own) return schedule->tiles.ghost_sphere[tile->ghost_sphere + k - own].body_slot;
    const uint32_t sphere = schedule->spheres.first[tile->body] + k;
    return tile->body_slot + schedule->spheres.body[sphere] - tile->body;
}

void tw_tile_load_empty(tw_state *state, tw_schedule *schedule, const tw_tile *tile, uint32_t slot)
{
    tw_contacts *c = &state->contacts;
    const tw_contact_memory idle = {{1.0, 0.0, 0.0}, 0.0, {0.0, 0.0, 0.0}};
    tw_bundle_put(c->bundle, slot, &idle);
    if (c->extras.parts) {
        const tw_contact_extra none = {0};
        tw_extras_put(&c->extras, slot, &none);
    }
    schedule->slots.pair[slot] = schedule->slots.candidate[slot] = TW_NO_PAIR;
    schedule->slots.law[slot] = 0;
    schedule->slots.root[slot] = schedule->slots.inv_root[slot] = 1.0;
    c->sliding[slot] = 0;
    schedule->slots.sphere_p[slot] = tile->sphere_slot + tile->sphere_slots - 2;
    schedule->slots.sphere_q[slot] = schedule->slots.sphere_p[slot] + 1;
    if (schedule->tiles.single) return;
    schedule->slots.body_p[slot] = tile->body_slot + tile->body_slots - 2;
    schedule->slots.body_q[slot] = schedule->slots.body_p[slot] + 1;
}
