/* SPDX-License-Identifier: GPL-2.0-only */
#include "engine/tiled_contacts.h"

#include <algorithm>
#include <cstring>

#include "search/search.h"
#include "search/tiling.h"
#include "step/touch_begin.h"

using namespace LAMMPS_NS;

namespace twirl_lammps
{

TiledContacts::~TiledContacts()
{
    schedule.spheres = {}; /* in the arena, as the pairs are */
    schedule.pairs = {};
    tw_schedule_free(&schedule);
}

/* ---- Lists ---- */

int TiledContacts::tile_of(const AtomPair &atoms) const
{
    return atoms.j < atom->nlocal ? INNER : ACROSS;
}

ContactState turned(const tw_mat3 &by, const ContactState &contact)
{
    return turned_by([&](const tw_vec3 &v) { return tw_mat3_mul_vec(by, v); }, contact);
}

/* Memory of the tiles. */
void TiledContacts::make_room(size_t atoms, const uint32_t *pairs)
{
    tw_tiles &t = schedule.tiles;
    tw_spheres &all = schedule.spheres;
    const size_t spheres = kept->clusters ? kept->clusters->x.size() : atoms;
    const size_t near = kept->near.size();
    bool ok = true;
    tw_arena_reset(&schedule.tiled);
    const auto take = [&](auto *&array, size_t count) {
        void *room = tw_arena_take(&schedule.tiled, count, sizeof *array);
        array = static_cast<std::decay_t<decltype(array)>>(room);
        ok = ok && room;
    };
    t = {};
    schedule.slots = {};
    all = {};
    schedule.pairs = {};
    t.count = TILES;
    t.size = UINT32_MAX;
    t.single = !kept->clusters;
    take(t.tile, TILES);
    take(schedule.pairs.pair, near + 1);
    take(schedule.pairs.slot, near + 1);
    take(all.first, atoms + 1);
    take(all.body, spheres + 1);
    take(all.radius, spheres + 1);
    if (!t.single) take(all.offset, spheres + 1);
    tw_tile total = {};
    total.body_slot = static_cast<uint32_t>(atoms + 2); /* the same for both tiles */
    total.sphere_slot = static_cast<uint32_t>(spheres + 2);
    total.candidate = static_cast<uint32_t>(near);
    total.slot = tw_tile_round_up(pairs[INNER]) + tw_tile_round_up(pairs[ACROSS]);
    if (!ok || tw_tiling_take(&state, &schedule, &total, nullptr) != TW_STATUS_OK)
        error->one(FLERR, std::string("not enough memory for the contacts of this process"));
    schedule.pairs.count = near;
    all.count = spheres;
    std::memset(t.tile, 0, TILES * sizeof *t.tile);
    std::memset(t.half, 0, (atoms + 2) * sizeof *t.half);
    uint32_t slot = 0, candidate = 0;
    for (int k = 0; k < TILES; k++) {
        tw_tile *tile = &t.tile[k];
        tile->bodies = static_cast<uint32_t>(atom->nlocal);
        tile->body_slots = total.body_slot;
        tile->sphere_slots = total.sphere_slot;
        tile->slot = slot;
        tile->room = tw_tile_round_up(pairs[k]);
        tile->candidate = candidate;
        slot += tile->room;
        candidate += pairs[k];
    }
    tw_tiling_place_idle(&model, &state, &schedule, t.tile);
}

void TiledContacts::list_spheres(uint32_t atoms)
{
    tw_spheres &all = schedule.spheres;
    tw_tiles &t = schedule.tiles;
    const tw_bodies &b = state.bodies;
    uint32_t at = 0;
    schedule.radius_min = HUGE_VAL;
    for (uint32_t i = 0; i < atoms; i++) {
        const tw_shape &shape = model.shapes[b.shape[i]];
        all.first[i] = at;
        if (!t.single) t.centre[i].radius = 0.0;
        for (size_t k = 0; k < shape.count; k++, at++) {
            all.body[at] = i;
            all.radius[at] = t.sphere_slot[at].radius = b.size[i] * shape.spheres[k].radius;
            if (!t.single) all.offset[at] = tw_vec3_scale(b.size[i], shape.spheres[k].centre);
            schedule.radius_min = std::min(schedule.radius_min, all.radius[at]);
        }
    }
    all.first[atoms] = at;
}

/* In the order of pairs. */
void TiledContacts::list_contacts()
{
    for (size_t k = 0; k < kept->touch.size(); k++) {
        const AtomPair &atoms = kept->touch[k];
        tw_tile *tile = &schedule.tiles.tile[tile_of(atoms)];
        const auto number = static_cast<uint32_t>(atoms.near);
        const auto p = static_cast<uint32_t>(atoms.p), q = static_cast<uint32_t>(atoms.q);
        const ContactState contact = turned(frame, kept->contacts[k]);
        const uint32_t slot = tw_touch_begin_take(&state, &schedule, tile, tile->slots);
        schedule.pairs.pair[number] = {p, q, {0, 0, 0}, TW_SURFACE_GRAIN};
        tw_touch_begin_seat(&model, &state, &schedule, tile, slot, &contact.memory, number, p, q);
        tw_extras_put(&state.contacts.extras, slot, &contact.extra);
        state.contacts.sliding[slot] = contact.sliding > 0;
    }
}

/* By their gaps, as in a search of the engine. */
void TiledContacts::list_candidates()
{
    const std::vector<AtomPair> &candidates = kept->candidates;
    std::vector<uint8_t> rank(candidates.size());
    uint32_t next[TILES][TW_CANDIDATE_RANKS + 1] = {};
    for (size_t k = 0; k < candidates.size(); k++) {
        const double *p = schedule.tiles.sphere_slot[candidates[k].p].x,
                     *q = schedule.tiles.sphere_slot[candidates[k].q].x;
        const double radii =
            schedule.spheres.radius[candidates[k].p] + schedule.spheres.radius[candidates[k].q];
        const tw_vec3 branch = tw_vec3_make(q[0] - p[0], q[1] - p[1], q[2] - p[2]);
        rank[k] = static_cast<uint8_t>(
            tw_tiling_slots_rank_of(&model, &state, tw_vec3_norm(branch) - radii));
        next[tile_of(candidates[k])][rank[k] + 1]++;
    }
    for (int t = 0; t < TILES; t++) {
        tw_tile *tile = &schedule.tiles.tile[t];
        for (int r = 0; r < TW_CANDIDATE_RANKS; r++) {
            next[t][r + 1] += next[t][r];
            tile->rank_end[r] = next[t][r + 1];
        }
        tile->candidates = next[t][TW_CANDIDATE_RANKS];
    }
    for (size_t k = 0; k < candidates.size(); k++) {
        const auto p = static_cast<uint32_t>(candidates[k].p),
                   q = static_cast<uint32_t>(candidates[k].q),
                   number = static_cast<uint32_t>(candidates[k].near);
        const int t = tile_of(candidates[k]);
        schedule.pairs.pair[number] = {p, q, {0, 0, 0}, TW_SURFACE_GRAIN};
        schedule.pairs.slot[number] = TW_NO_SLOT;
        schedule.tiles.candidate[schedule.tiles.tile[t].candidate + next[t][rank[k]]++] = {p, q,
                                                                                           number};
    }
}

void TiledContacts::list_edges()
{
    std::vector<char> is_edge(static_cast<size_t>(atom->nlocal), 0);
    edges.clear();
    for (const std::vector<AtomPair> *pairs : {&kept->touch, &kept->candidates})
        for (const AtomPair &atoms : *pairs) {
            if (tile_of(atoms) != ACROSS || is_edge[atoms.i]) continue;
            is_edge[atoms.i] = 1;
            edges.push_back(atoms.i);
        }
}

/* From the pairs and contacts of FixTwirlMemory, which gives them away. */
void TiledContacts::list()
{
    const auto atoms = static_cast<uint32_t>(atom->nlocal + atom->nghost);
    uint32_t pairs[TILES] = {};
    for (const std::vector<AtomPair> *some : {&kept->touch, &kept->candidates})
        for (const AtomPair &one : *some)
            pairs[tile_of(one)]++;
    make_room(atoms, pairs);
    keep_extras();
    list_spheres(atoms);
    load(0, static_cast<uint32_t>(atom->nlocal));
    load_ghosts();
    list_contacts();
    list_candidates();
    list_edges();
    kept->touch.clear();
    kept->candidates.clear();
    kept->contacts.resize(0);
    listed = true;
    brought = false;
}

void TiledContacts::keep_extras()
{
    const uint32_t parts = tw_model_extras(&model);
    if (tw_state_need_extras(&state, parts, nullptr) != TW_STATUS_OK)
        error->one(FLERR, std::string("not enough memory for the contacts of this process"));
    tw_extras_keep(&state.contacts.extras, parts);
}

void TiledContacts::bring()
{
    if (!listed || brought) return;
    const tw_mat3 back = tw_mat3_transpose(frame);
    kept->keep_extras(state.contacts.extras.parts);
    kept->touch.clear();
    kept->contacts.resize(0);
    for (int t = 0; t < TILES; t++) {
        const tw_tile &tile = schedule.tiles.tile[t];
        for (uint32_t slot = tile.slot; slot < tile.slot + tile.slots; slot++) {
            const uint32_t number = schedule.slots.pair[slot];
            if (number == TW_NO_PAIR) continue;
            const tw_pair &pair = schedule.pairs.pair[number];
            const uint32_t *body = schedule.spheres.body;
            kept->touch.push_back({static_cast<int>(body[pair.p]), static_cast<int>(body[pair.q]),
                                   static_cast<int>(number), static_cast<int>(pair.p),
                                   static_cast<int>(pair.q)});
            kept->contacts.add(turned(back, {tw_bundle_get(state.contacts.bundle, slot), 0.0,
                                             state.contacts.sliding[slot],
                                             tw_extras_get(&state.contacts.extras, slot)}));
        }
    }
    brought = true;
}

/* ---- A step ---- */

void TiledContacts::load(uint32_t begin, uint32_t end)
{
    const bool exact = model.laws->kind == TW_CONTACT_EXACT;
    const bool masses = (tw_model_flags(&model) & TW_CONTACT_BY_MASS) != 0;
    for (uint32_t k = begin; k < end; k++)
        tw_tile_load_body(&state, &schedule, schedule.tiles.tile, k, exact, masses);
}

/* LAMMPS has sent positions and velocities of ghosts, in its axes. */
void TiledContacts::load_ghosts()
{
    const auto first = static_cast<uint32_t>(atom->nlocal), end = first + atom->nghost;
    tw_bodies &b = state.bodies;
    for (uint32_t i = first; i < end; i++) {
        const tw_vec3 turn =
            tw_vec3_scale(state.dt, tw_mat3_mul_vec(frame, vec3_of(atom->omega[i])));
        b.x[i] = tw_mat3_mul_vec(frame, vec3_of(atom->x[i]));
        b.gibbs[i] = tw_contact_half(TW_CONTACT_EXACT, turn);
    }
    load(first, end);
}

tw_vec3 TiledContacts::velocity(uint32_t i) const
{
    if (i < static_cast<uint32_t>(atom->nlocal)) return state.bodies.v[i];
    return tw_mat3_mul_vec(frame, vec3_of(atom->v[i]));
}

static tw_vec3 vector_of(const tw_tile_sphere_slot &slot)
{
    return tw_vec3_make(slot.x[0], slot.x[1], slot.x[2]);
}

/* The branch between spheres p and q at the start of the step: images move with the cell, and all
 * have the same fluctuation velocity. Spheres of a cluster have turned with it. */
tw_vec3 TiledContacts::branch_before(uint32_t p, uint32_t q) const
{
    const tw_tiles &t = schedule.tiles;
    const uint32_t i = schedule.spheres.body[p], j = schedule.spheres.body[q];
    const tw_vec3 v = tw_vec3_sub(velocity(j), velocity(i));
    const tw_vec3 branch = tw_vec3_sub(vector_of(t.centre[j]), vector_of(t.centre[i]));
    /* The dt of this step: the state may have the next one. */
    const tw_vec3 slid = tw_vec3_add_scaled(branch, -update->dt, tw_mat3_mul_vec(flow.own, v));
    const tw_vec3 before = tw_vec3_sub(slid, tw_mat3_mul_vec(flow.back, slid));
    if (t.single) return before;
    const auto arm = [&](uint32_t sphere, uint32_t body) {
        const tw_vec3 g = state.bodies.gibbs[body];
        const tw_vec3 now =
            tw_vec3_sub(vector_of(t.sphere_slot[sphere]), vector_of(t.centre[body]));
        return tw_quat_rotate_back(tw_quat_normalise(tw_quat_make(1.0, g.x, g.y, g.z)), now);
    };
    return tw_vec3_add(before, tw_vec3_sub(arm(q, j), arm(p, i)));
}

void TiledContacts::begin_contacts(tw_tile *tile)
{
    const uint32_t count = tw_touch_part_overlaps(&model, &state, &schedule, tile);
    const uint32_t idle = tile->sphere_slot + tile->sphere_slots - 2;
    for (uint32_t k = 0; k < count; k++) {
        const uint32_t number = schedule.tiles.hit[tile->candidate + k];
        tw_tile_candidate *one = &schedule.tiles.candidate[number];
        const tw_contact_memory fresh = tw_contact_memory_fresh_inline(
            branch_before(one->p, one->q), schedule.spheres.radius[one->p],
            schedule.spheres.radius[one->q]);
        const uint32_t at =
            tw_touch_begin_find(schedule.slots.pair + tile->slot, tile->empty, tile->slots);
        const uint32_t slot = tw_touch_begin_take(&state, &schedule, tile, at);
        tw_touch_begin_seat(&model, &state, &schedule, tile, slot, &fresh, one->pair, one->p,
                            one->q);
        schedule.slots.candidate[slot] = number;
        one->p = idle;
        one->q = idle + 1;
    }
}

/* The moment of the force on a body, about the origin. */
void TiledContacts::add_moment(uint32_t i, double factor)
{
    const double *x = schedule.tiles.centre[i].x, *f = schedule.tiles.accumulator[i].force;
    for (int k = 0; k < 3; k++)
        for (int l = 0; l < 3; l++)
            sum[TW_TOUCH_MOMENT + 3 * k + l] += factor * x[k] * f[l];
}

/* Forces on the bodies of this process, with torques about their centres. */
void TiledContacts::finish()
{
    const tw_tiles &t = schedule.tiles;
    const tw_bodies &b = state.bodies;
    for (int i = 0; i < atom->nlocal; i++) {
        const tw_tile_accumulator &a = t.accumulator[i];
        const tw_vec3 f = tw_vec3_make(a.force[0], a.force[1], a.force[2]);
        const tw_vec3 torque = tw_vec3_make(a.torque[0], a.torque[1], a.torque[2]);
        b.force[i] = f;
        b.torque[i] = tw_vec3_sub(torque, tw_vec3_cross(vector_of(t.centre[i]), f));
        add_moment(static_cast<uint32_t>(i), -1.0);
    }
}

void TiledContacts::advance()
{
    const bool fresh = !listed;
    if (fresh) list();
    if (!moved) return;
    tw_tiles &t = schedule.tiles;
    const auto first = static_cast<uint32_t>(atom->nlocal), end = first + atom->nghost;
    if (!fresh) load_ghosts();
    keep_extras();
    std::memset(t.accumulator, 0, t.tile->body_slots * sizeof *t.accumulator);
    std::fill(sum, sum + TW_TOUCH_SUMS, 0.0);
    bad = false;
    brought = false;
    for (const int k : {ACROSS, INNER}) {
        tw_tile *tile = &t.tile[k];
        tile->travel_relative = tile->travel_neighbours = fresh ? 0.0 : far;
        begin_contacts(tile);
        if (!tw_touch_part_advance(&model, &state, &schedule, tile, sum)) bad = true;
        if (k != ACROSS) continue;
        for (double &one : sum)
            one *= 0.5;
        for (uint32_t i = first; i < end; i++)
            add_moment(i, -0.5);
        for (const int i : edges) /* finish() adds all of it */
            add_moment(static_cast<uint32_t>(i), 0.5);
    }
    finish();
}

} // namespace twirl_lammps
