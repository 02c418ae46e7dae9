/* SPDX-License-Identifier: BSD-3-Clause */
#include "mirror.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "search/search.h"
#include "step/step.h"
#include "world/schedule.h"

#include "device/device_runtime_host.h"

#include "device/device_exchange.h"
#include "device/device_rotate.h"
#include "device/device_stable.h"
#include "device/device_step.h"
#include "device/device_stiffness.h"
#include "device/device_stored.h"

static void *room(size_t count, size_t size)
{
    void *p = calloc(count + 1, size);
    if (!p) abort();
    return p;
}

static uint32_t ghost_sphere_slot(const tw_schedule *s, const tw_tile *tile, const tw_pair *pair)
{
    const tw_tiles *t = &s->tiles;
    const uint32_t own = tile->sphere_slots - 2 - tile->ghost_spheres;
    const tw_tile *home = &t->tile[tw_tiles_home(t, s->spheres.body[pair->q])];
    for (uint32_t g = 0; g < tile->ghosts && t->single; g++) {
        const tw_tile_ghost *ghost = &t->ghost[tile->ghost + g];
        if (ghost->body == pair->q && tw_shift_key(ghost->shift) == tw_shift_key(pair->shift))
            return tile->sphere_slot + own + g;
    }
    for (uint32_t g = 0; g < tile->ghost_spheres && !t->single; g++) {
        const tw_tile_ghost_sphere *one = &t->ghost_sphere[tile->ghost_sphere + g];
        const tw_tile_ghost *ghost =
            &t->ghost[tile->ghost + one->body_slot - tile->body_slot - tile->bodies];
        const uint32_t sphere = one->source - home->sphere_slot + s->spheres.first[home->body];
        if (ghost->tile == (uint32_t)(home - t->tile) && sphere == pair->q &&
            tw_shift_key(ghost->shift) == tw_shift_key(pair->shift))
            return tile->sphere_slot + own + g;
    }
    abort();
}

static void set_ends(tw_device_world *w)
{
    tw_schedule *s = &w->schedule;
    tw_vec3 *centres = room(w->spheres, sizeof *centres);
    tw_schedule_sphere_centres(&w->state, s, w->state.bodies.x_ref, w->state.bodies.q_ref, centres);
    for (uint32_t t = 0; t < w->tiles; t++) {
        const tw_tile *tile = &s->tiles.tile[t];
        for (uint32_t k = tile->pair; k < tile->pair + tile->pairs; k++) {
            const tw_pair *pair = &s->pairs.pair[k];
            w->rank[k] = TW_DEVICE_RANK_NONE;
            if (tw_pair_is_plane(pair)) continue;
            const uint32_t first = s->spheres.first[tile->body], q = s->spheres.body[pair->q];
            const int ghost = pair->shift.i || pair->shift.j || pair->shift.k || q < tile->body ||
                              q >= tile->body + tile->bodies;
            w->ends[k].p = tile->sphere_slot + pair->p - first;
            w->ends[k].q =
                ghost ? ghost_sphere_slot(s, tile, pair) : tile->sphere_slot + pair->q - first;
            tw_vec3 b = tw_vec3_sub(centres[pair->q], centres[pair->p]);
            b = tw_vec3_add(b, tw_cell_offset(&w->state.cell.h_ref, pair->shift));
            const double gap =
                tw_vec3_norm(b) - s->spheres.radius[pair->p] - s->spheres.radius[pair->q];
            const double rank = floor(gap / w->state.skin * TW_CANDIDATE_RANKS);
            if (s->pairs.slot[k] == TW_NO_SLOT)
                w->rank[k] = (uint8_t)(rank < 0.0 ? 0 : rank < 16.0 ? rank : 15.0);
        }
    }
    free(centres);
}

static void set_near(tw_device_world *w)
{
    const tw_schedule *s = &w->schedule;
    for (int run = 0; run < 2; run++) {
        uint32_t *next = room(w->body_slots + 1, sizeof *next);
        for (uint32_t i = 0; i < w->body_slots && run; i++)
            next[i] = w->near_first[i];
        for (uint32_t t = 0; t < w->tiles; t++) {
            const tw_tile *tile = &s->tiles.tile[t];
            for (uint32_t k = tile->pair; k < tile->pair + tile->pairs; k++) {
                if (tw_pair_is_plane(&s->pairs.pair[k])) continue;
                const uint32_t p = tw_tile_load_body_slot(s, tile, w->ends[k].p);
                const uint32_t q = tw_tile_load_body_slot(s, tile, w->ends[k].q);
                if (run) {
                    w->near[next[p]] = k;
                    w->near[next[q]] = k | TW_DEVICE_AS_Q;
                }
                next[p]++;
                next[q]++;
            }
        }
        for (uint32_t i = 0; i < w->body_slots && !run; i++)
            w->near_first[i + 1] = w->near_first[i] + next[i];
        if (!run) {
            w->near = room(w->near_first[w->body_slots], sizeof *w->near);
            w->seat = room(w->near_first[w->body_slots], sizeof *w->seat);
        }
        free(next);
    }
    for (uint32_t i = 0; i < w->body_slots; i++)
        w->changed[i] = 1;
}

static void set_choices(tw_device_world *w)
{
    tw_device_run *run = &w->run;
    tw_device_exchange_choose(run, &w->model);
    tw_device_exchange_choose_bodies(run, &w->model, &w->state);
    w->schedule.tiles.turned = w->model.laws->kind == TW_CONTACT_EXACT;
    run->bad_pair = run->bad_body = UINT64_MAX;
    run->gathered = 1;
    run->before = w->state.sums.contacts;
}

static void set_ghost(tw_device_world *w, uint32_t tile, uint32_t g)
{
    const tw_tiles *t = &w->schedule.tiles;
    const tw_tile *in = &t->tile[tile];
    const uint32_t body = t->ghost[g].body;
    w->ghost_tile[g] = tile;
    for (uint32_t v = t->ghost_first[body]; v < t->ghost_first[body + 1]; v++) {
        if (t->ghost_slot[v] != in->body_slot + in->bodies + (g - in->ghost)) continue;
        w->image[v].tile = tile;
        w->image[v].shift = t->ghost[g].shift;
    }
}

void mirror_make(tw_device_world *w, tw_sim *sim)
{
    memset(w, 0, sizeof *w);
    w->model = sim->model;
    w->state = sim->state;
    w->schedule = sim->schedule;
    w->servo = sim->servo;
    const tw_tiles *t = &w->schedule.tiles;
    const tw_tile *last = &t->tile[t->count - 1];
    w->tiles = (uint32_t)t->count;
    w->groups = (w->tiles + 63) / 64;
    w->bodies = (uint32_t)w->state.bodies.count;
    w->spheres = (uint32_t)w->schedule.spheres.count;
    w->pairs = (uint32_t)w->schedule.pairs.count;
    w->body_slots = last->body_slot + last->body_slots;
    w->ghosts = last->ghost + last->ghosts;
    w->ghost_spheres = last->ghost_sphere + last->ghost_spheres;
    w->slots = last->wall_slot + tw_tile_round_up(last->walls);
    w->wall_pairs = last->wall_pair + last->walls;
    w->tile = room(w->tiles, sizeof *w->tile);
    w->bundle_tile = room(w->slots / TW_BUNDLE, sizeof *w->bundle_tile);
    w->ghost_tile = room(w->ghosts, sizeof *w->ghost_tile);
    w->image = room(w->ghosts, sizeof *w->image);
    w->ghost_sphere_tile = room(w->ghost_spheres, sizeof *w->ghost_sphere_tile);
    for (uint32_t k = 0; k < w->tiles; k++) {
        const tw_tile *tile = &t->tile[k];
        const uint32_t end = tile->wall_slot + tw_tile_round_up(tile->walls);
        for (uint32_t s = tile->slot; s < end; s += TW_BUNDLE)
            w->bundle_tile[s / TW_BUNDLE] = k;
        /* The CPU sets up slots when it takes them. */
        for (uint32_t s = tile->slot + tw_tile_round_up(tile->slots); s < tile->wall_slot; s++)
            tw_tile_load_empty(&w->state, &w->schedule, tile, s);
        for (uint32_t g = 0; g < tile->ghosts; g++)
            set_ghost(w, k, tile->ghost + g);
        for (uint32_t g = 0; g < tile->ghost_spheres; g++)
            w->ghost_sphere_tile[tile->ghost_sphere + g] = k;
    }
    w->ends = room(w->pairs, sizeof *w->ends);
    w->rank = room(w->pairs + 4, sizeof *w->rank);
    w->hit = room(w->pairs, sizeof *w->hit);
    w->ended = room(w->slots, sizeof *w->ended);
    w->near_first = room(w->body_slots + 1, sizeof *w->near_first);
    w->seats = room(w->body_slots, sizeof *w->seats);
    w->first = room(w->body_slots, sizeof *w->first);
    w->changed = room(w->body_slots, sizeof *w->changed);
    w->load = room(6 * (size_t)w->slots, sizeof(double));
    w->body_load = room(6 * (size_t)w->body_slots, sizeof(double));
    set_choices(w);
    for (int k = 0; k < TW_DEVICE_LOSSES; k++)
        if (k == TW_DEVICE_FRICTION || !w->run.plain) w->lost[k] = room(w->slots, sizeof(double));
    w->zeta_before = room(w->slots, sizeof *w->zeta_before);
    w->how = room(w->slots, 1);
    w->slid = room(tw_device_bits_words(w->slots), sizeof *w->slid);
    w->single = room(tw_device_bits_words(w->slots), sizeof *w->single);
    for (int k = 0; k < 2; k++)
        w->sliders[k] = room(tw_device_bits_words(w->slots), sizeof *w->sliders[k]);
    w->open = room(w->slots, sizeof *w->open);
    w->hard = room(w->slots, sizeof *w->hard);
    for (int k = 0; k < TW_DEVICE_PARTS; k++)
        w->part[k] = room(w->bodies, sizeof(double));
    w->lane_sum = room(tw_device_sums_lane_room(w->tiles, w->state.wall_count), sizeof(double));
    w->tile_sum = room((size_t)w->tiles * TW_DEVICE_SUM_ROOM, sizeof(double));
    w->group_sum = room((size_t)w->groups * TW_DEVICE_SUM_ROOM, sizeof(double));
    w->sum_count = room(tw_device_sums_count_room(w->groups), sizeof *w->sum_count);
    w->wall_load = room((size_t)w->wall_pairs * 9, sizeof(double));
    for (uint32_t k = 0; k < w->pairs; k++) {
        const uint32_t slot = w->schedule.pairs.slot[k];
        if (slot == TW_NO_SLOT || tw_pair_is_plane(&w->schedule.pairs.pair[k])) continue;
        w->how[slot] = TW_DEVICE_LANES;
        w->tile[w->bundle_tile[slot / TW_BUNDLE]].contacts++;
    }
    set_ends(w);
    set_near(w);
}

void mirror_free(tw_device_world *w)
{
    void *all[] = {w->tile,        w->bundle_tile,
                   w->ghost_tile,  w->image,
                   w->ends,        w->rank,
                   w->hit,         w->ended,
                   w->near_first,  w->near,
                   w->seat,        w->seats,
                   w->changed,     w->how,
                   w->open,        w->hard,
                   w->lane_sum,    w->tile_sum,
                   w->sum_count,   w->group_sum,
                   w->wall_load,   w->ghost_sphere_tile,
                   w->zeta_before, w->slid,
                   w->single,      w->sliders[0],
                   w->sliders[1],  w->first};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++)
        free(all[k]);
    free(w->load);
    free(w->body_load);
    for (int k = 0; k < TW_DEVICE_LOSSES; k++)
        free(w->lost[k]);
    for (int k = 0; k < TW_DEVICE_PARTS; k++)
        free(w->part[k]);
}

void mirror_back(tw_device_world *w, tw_sim *sim)
{
    for (uint32_t i = 0; i < w->bodies; i++)
        tw_device_gather(w, i);
    w->run.gathered = 1;
    w->run.turned = 0;
    sim->state = w->state;
    sim->schedule = w->schedule;
    sim->schedule.tiles.turned = 0;
    sim->servo = w->servo;
}

/* A list by the CPU. */
static tw_status search(tw_device_world *w, tw_sim *sim, tw_error *error)
{
    const tw_move_context move = w->move;
    const tw_device_run run = w->run;
    double kinetic[TW_COMPONENTS], *part[TW_DEVICE_PARTS];
    const tw_status status = tw_search_refresh(&sim->model, &sim->state, &sim->schedule, error);
    if (status != TW_STATUS_OK) return status;
    memcpy(kinetic, w->kinetic, sizeof kinetic);
    memcpy(part, w->part, sizeof part);
    for (int k = 0; k < TW_DEVICE_PARTS; k++)
        w->part[k] = NULL;
    mirror_free(w);
    mirror_make(w, sim);
    w->move = move;
    w->run.steps = run.steps;
    w->run.before = run.before;
    tw_device_candidates_prepare(w);
    w->run.listed = 1;
    w->run.apart = run.apart;
    w->run.rigid = run.rigid;
    w->run.still = run.still;
    w->run.turn = run.turn;
    memcpy(w->kinetic, kinetic, sizeof kinetic);
    for (int k = 0; k < TW_DEVICE_PARTS; k++)
        free(w->part[k]);
    memcpy(w->part, part, sizeof part); /* of the bodies in their order of before */
    return status;
}

/* What a device does: a search by the CPU, everything else as there. */
static tw_status act(tw_device_world *w, tw_sim *sim)
{
    tw_error error;
    tw_status status = TW_STATUS_OK;
    tw_device *d = room(1, sizeof *d);
    const uint32_t halt = w->run.halt;
    mirror_back(w, sim);
    if (halt & TW_DEVICE_SEARCH) status = search(w, sim, &error);
    w->run.halt = 0;
    d->world = w;
    d->known = *w;
    if (status == TW_STATUS_OK && halt & TW_DEVICE_SEARCH) status = tw_device_stable_check(d);
    if (status == TW_STATUS_OK && halt & TW_DEVICE_CHECK_DT)
        status = tw_device_stable_check_contacts(d);
    if (status == TW_STATUS_OK && halt & TW_DEVICE_STIFFNESS && !(halt & TW_DEVICE_DONE))
        status = tw_device_stiffness_refresh(d);
    if (status != TW_STATUS_OK) printf("mirror: %s\n", error.text);
    free(d);
    return w->run.halt ? TW_STATUS_PHYSICS : status;
}

uint32_t mirror_run(tw_device_world *w, tw_sim *sim, uint64_t steps)
{
    enum { ACT = TW_DEVICE_SEARCH | TW_DEVICE_CHECK_DT | TW_DEVICE_STIFFNESS };
    tw_device_runtime runtime = {0, 0, 0};
    w->run.steps = steps;
    w->run.halt = 0;
    w->run.rigid = w->run.still = 0;
    tw_servo_kinetic(&w->state.bodies, w->kinetic);
    if (w->servo.on && tw_stiffness_is_stale(&w->servo.stiffness, &w->state)) {
        w->run.halt = TW_DEVICE_STIFFNESS;
        if (act(w, sim) != TW_STATUS_OK) return TW_DEVICE_FAILED;
    }
    for (;;) {
        const uint32_t halt = w->run.halt;
        if (halt & ~(uint32_t)(ACT | TW_DEVICE_DONE)) return halt;
        if (halt & ACT && act(w, sim) != TW_STATUS_OK) return TW_DEVICE_FAILED;
        if (halt & TW_DEVICE_DONE) return TW_DEVICE_DONE;
        if (halt & TW_DEVICE_SEARCH)
            tw_device_step_forces(&runtime, w, w);
        else
            tw_device_step_many(&runtime, w, w, 1);
    }
}

uint32_t mirror_rotate(tw_device_world *w, tw_sim *sim, tw_vec3 turn)
{
    tw_device_runtime runtime = {0, 0, 0};
    w->run.halt = 0;
    w->run.rigid = w->run.still = 1;
    w->run.turn = turn;
    tw_device_rotate_all(&runtime, w, w);
    if (w->run.halt != TW_DEVICE_SEARCH) return w->run.halt;
    if (act(w, sim) != TW_STATUS_OK) return TW_DEVICE_FAILED;
    tw_device_step_forces(&runtime, w, w);
    return w->run.halt;
}

void mirror_stored(tw_device_world *w)
{
    tw_device_runtime runtime = {0, 0, 0};
    tw_device_stored_all(&runtime, w, w);
}
