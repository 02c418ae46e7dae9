/* SPDX-License-Identifier: BSD-3-Clause */
#include "world/world.h"

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

void tw_tile_seat_own(const tw_world *w, const tw_tile *tile, uint32_t first)
{
    const tw_bodies *b = &w->bodies;
    const uint32_t spheres = b->sphere_first[tile->body];
    const int exact = w->law.kind == TW_CONTACT_EXACT;
    tw_half *half = w->tiles.half + tile->seat;
    tw_spot *centre = w->tiles.centre + tile->seat, *spot = w->tiles.spot + tile->spot;
    for (uint32_t k = first; k < tile->bodies; k++) {
        const uint32_t i = tile->body + k;
        const tw_vec3 x = tw_vec3_sub(b->x[i], tile->origin);
        put(half[k].v, exact ? b->gibbs[i] : half_rotation(b->gibbs[i]));
        put(centre[k].x, x);
        if (w->tiles.single) continue;
        const uint32_t begin = b->sphere_first[i], end = b->sphere_first[i + 1];
        const tw_mat3 r = tw_quat_matrix(b->q[i]);
        for (uint32_t s = begin; s < end; s++) {
            tw_vec3 at = x;
            if (end > begin + 1) at = tw_vec3_add(x, tw_mat3_mul_vec(r, w->spheres.offset[s]));
            put(spot[s - spheres].x, at);
            spot[s - spheres].radius = w->spheres.radius[s];
        }
    }
}

void tw_tile_seat_guests(const tw_world *w, tw_tile *tile)
{
    const tw_tiles *t = &w->tiles;
    const uint32_t first = tile->seat + tile->bodies;
    const tw_guest *guest = t->guest + tile->guest;
    tile->others = tile->own;
    for (uint32_t k = 0; k < tile->guests; k++) {
        const tw_spot *home = &t->centre[guest[k].source];
        const tw_tile *from = &t->tile[guest[k].tile];
        tw_vec3 moved = tw_vec3_sub(from->origin, tile->origin);
        tile->others = from->own > tile->others ? from->own : tile->others;
        moved = tw_vec3_add(moved, tw_cell_offset(&w->cell.h, guest[k].shift));
        t->half[first + k] = t->half[guest[k].source];
        tw_spot *here = &t->centre[first + k];
        here->x[0] = home->x[0] + moved.x;
        here->x[1] = home->x[1] + moved.y;
        here->x[2] = home->x[2] + moved.z;
    }
    if (t->single) return;
    tw_spot *spot = t->spot + (tile->spot + tile->spots - 2 - tile->visits);
    for (uint32_t k = 0; k < tile->visits; k++) {
        const tw_guest_spot *from = &t->guest_spot[tile->visit + k];
        const tw_spot *here = &t->centre[from->seat];
        const tw_spot *home = &t->centre[guest[from->seat - first].source];
        for (int j = 0; j < 3; j++)
            spot[k].x[j] = t->spot[from->source].x[j] + (here->x[j] - home->x[j]);
    }
}

uint32_t tw_tile_seat_of(const tw_world *w, const tw_tile *tile, uint32_t spot)
{
    const uint32_t own = tile->spots - 2 - tile->visits, k = spot - tile->spot;
    if (w->tiles.single) return tile->seat + k;
    if (k >= own) return w->tiles.guest_spot[tile->visit + k - own].seat;
    const uint32_t sphere = w->bodies.sphere_first[tile->body] + k;
    return tile->seat + w->spheres.body[sphere] - tile->body;
}

void tw_tile_empty(tw_world *w, const tw_tile *tile, uint32_t slot)
{
    tw_contacts *c = &w->contacts;
    const tw_contact_memory idle = {{1.0, 0.0, 0.0}, 0.0, {0.0, 0.0, 0.0}};
    tw_bundle_put(c->bundle, slot, &idle);
    if (c->dragged) tw_bundle_force_put(c->drag, slot, idle.ft);
    c->pair[slot] = c->suitor[slot] = TW_NO_PAIR;
    c->sliding[slot] = 0;
    c->spot_p[slot] = tile->spot + tile->spots - 2;
    c->spot_q[slot] = c->spot_p[slot] + 1;
    if (w->tiles.single) return;
    c->seat_p[slot] = tile->seat + tile->seats - 2;
    c->seat_q[slot] = c->seat_p[slot] + 1;
}
