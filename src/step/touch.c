/* SPDX-License-Identifier: BSD-3-Clause */
#include "step/touch.h"

#include <stdio.h>
#include <string.h>

#include "base/environment.h"
#include "base/error.h"
#include "base/parallel.h"
#include "base/sum.h"
#include "search/search.h"
#include "step/touch_begin.h"
#include "step/touch_force.h"
#include "step/touch_surface.h"
#include "step/touch_wall.h"
#include "world/events.h"
#include "world/schedule.h"

static uint32_t (*const near[])(const tw_tiles *tiles, uint32_t begin, uint32_t end, double edge,
                                uint32_t *hits) = {TW_SIMD_EACH(tw_touch_near)};

static void make_contact(const tw_model *model, tw_state *state, tw_schedule *schedule,
                         tw_tile *tile, uint32_t candidate)
{
    tw_tile_candidate *s = &schedule->tiles.candidate[candidate];
    const uint32_t slot = tw_touch_begin_contact(model, state, schedule, tile, s->pair, s->p, s->q);
    schedule->slots.candidate[slot] = candidate;
    s->p = tile->sphere_slot + tile->sphere_slots - 2; /* the idle ones do not touch */
    s->q = s->p + 1;
}

/* By pair, so that slots depend on the state alone. They are nearly in order already. */
static void sort_by_pair(uint32_t *hits, uint32_t count, const tw_tile_candidate *candidate)
{
    for (uint32_t gap = count / 2; gap > 0; gap = gap == 2 ? 1 : gap * 5 / 11) {
        for (uint32_t i = gap; i < count; i++) {
            const uint32_t one = hits[i];
            uint32_t at = i;
            for (; at >= gap && candidate[hits[at - gap]].pair > candidate[one].pair; at -= gap)
                hits[at] = hits[at - gap];
            hits[at] = one;
        }
    }
}

/* Drops the candidates that are contacts, which would be looked at in every step: there are many
 * where the list was made before they touched. Such a contact that ends is added again. */
static void drop_contacts(const tw_schedule *schedule, tw_tile *tile)
{
    tw_tile_candidate *candidate = schedule->tiles.candidate + tile->candidate;
    const uint32_t idle = tile->sphere_slot + tile->sphere_slots - 2;
    uint32_t kept = 0, at = 0;
    for (int rank = 0; rank <= TW_CANDIDATE_RANKS; rank++) {
        uint32_t *end = rank < TW_CANDIDATE_RANKS ? &tile->rank_end[rank] : &tile->candidates;
        for (; at < *end; at++)
            if (candidate[at].p != idle) candidate[kept++] = candidate[at];
        *end = kept;
    }
    for (uint32_t s = 0; s < tile->slots; s++)
        schedule->slots.candidate[tile->slot + s] = TW_NO_PAIR;
}

uint32_t tw_touch_part_overlaps(const tw_model *model, const tw_state *state,
                                const tw_schedule *schedule, const tw_tile *tile)
{
    const tw_tiles *t = &schedule->tiles;
    uint32_t *hits = t->hit + tile->candidate;
    const double approach =
        tw_travel_approach(schedule, state->skin, tile->travel_relative, tile->travel_neighbours);
    const double rank = floor(approach / state->skin * (1.0 + 1e-9) * TW_CANDIDATE_RANKS);
    const uint32_t last = TW_CANDIDATE_RANKS - 1, first = tile->candidate;
    const uint32_t listed = tile->rank_end[rank < last ? (uint32_t)rank : last];
    const double edge = tw_model_begin(model);
    uint32_t count = near[tw_simd_level()](t, first, first + listed, edge, hits);
    count += near[tw_simd_level()](t, first + tile->rank_end[last], first + tile->candidates, edge,
                                   hits + count);
    if (count > 1) sort_by_pair(hits, count, t->candidate);
    return count;
}

void tw_touch_candidates_begin(const tw_model *model, tw_state *state, tw_schedule *schedule,
                               tw_tile *tile)
{
    const uint32_t *hits = schedule->tiles.hit + tile->candidate;
    const uint32_t count = tw_touch_part_overlaps(model, state, schedule, tile);
    for (uint32_t k = 0; k < count; k++)
        make_contact(model, state, schedule, tile, hits[k]);
    if (count > tile->candidates / 8) drop_contacts(schedule, tile);
}

/* Adds a contact of a sphere with a wall. */
static void add_wall(tw_touch_context *touch, const tw_tile *tile, const tw_touch_wall *w, int c,
                     const tw_touch_one *one, double *sum)
{
    const tw_state *state = touch->state;
    tw_schedule *schedule = touch->schedule;
    const tw_tiles *t = &schedule->tiles;
    const size_t number = (size_t)(tile - t->tile);
    const uint32_t at = w->pair + (uint32_t)w->place[c].pair,
                   slot = w->slot + (uint32_t)w->place[c].pair;
    const tw_pair *pair = &schedule->pairs.pair[at];
    const double r = w->now.radius;
    schedule->pairs.slot[at] = one->load.touching ? slot : TW_NO_SLOT;
    schedule->slots.pair[slot] = at;
    tw_touch_single_add(touch, slot, one, 0.5 * r, sum);
    if (!one->acts) return;
    const tw_vec3 f = one->load.f,
                  point = tw_vec3_add_scaled(tw_vec3_sub(w->x, tile->origin),
                                             r - 0.5 * one->memory.zeta, one->memory.n);
    const uint32_t body_slot = tile->body_slot + schedule->spheres.body[pair->p] - tile->body;
    tw_touch_context_accumulate(&t->accumulator[body_slot], point, f);
    t->accumulator[body_slot].torque[0] += one->load.couple.x;
    t->accumulator[body_slot].torque[1] += one->load.couple.y;
    t->accumulator[body_slot].torque[2] += one->load.couple.z;
    double springs[2];
    const tw_wall *wall = &state->walls[pair->q];
    tw_touch_wall_springs(touch->model, state, schedule, pair, &one->memory, &one->extra,
                          tw_touch_wall_arm(wall, tile->origin, point), one->load.touching,
                          one->load.sliding, springs);
    tw_touch_wall_add(&t->wall_accumulator[number * state->wall_count + pair->q], wall,
                      tile->origin, point, f, one->load.couple, springs);
    const tw_mat3 moment = tw_mat3_outer(tw_touch_wall_moment_arm(wall, tile->origin, point), f);
    for (int j = 0; j < 9; j++)
        sum[TW_TOUCH_MOMENT + j] += moment.m[j];
}

/* Finds and advances the wall contacts of a tile. */
static void advance_walls(tw_touch_context *touch, const tw_tile *tile, double *sum)
{
    tw_schedule *schedule = touch->schedule;
    const tw_tiles *t = &schedule->tiles;
    tw_touch_wall w;
    for (uint32_t k = 0; k < tile->walls; k += (uint32_t)w.count) {
        const uint32_t at = tile->wall_pair + k;
        tw_touch_wall_look(touch->model, touch->state, schedule, touch->rigid_turn,
                           t->wall_pair[at], tile->wall_slot + k, tw_tiles_wall_work(t, at), &w);
        for (int i = 0; w.count > 1 && i < w.count; i++)
            schedule->pairs.slot[w.pair + (uint32_t)i] = TW_NO_SLOT;
        for (int c = 0; c < w.contacts; c++) {
            tw_touch_one one;
            tw_touch_wall_advance(touch->model, touch->state, schedule, touch->rigid_turn,
                                  touch->still, &w, c, &one);
            add_wall(touch, tile, &w, c, &one, sum);
        }
    }
}

typedef void (*touch_function)(tw_touch_context *touch, tw_tile *tile, double *sum);

static const touch_function touch_lanes[] = {TW_SIMD_EACH(tw_touch_lanes)};

int tw_touch_part_advance(const tw_model *model, tw_state *state, tw_schedule *schedule,
                          tw_tile *tile, double sum[TW_TOUCH_SUMS])
{
    tw_touch_context touch = {model, state, schedule, NULL, 0, SIZE_MAX};
    touch_lanes[tw_simd_level()](&touch, tile, sum);
    return atomic_load(&touch.bad) == SIZE_MAX;
}

/* Moves torques to the bodies' centres, and sums the moments of forces at these centres: forces
 * come in pairs, so this is the sum over the branches between bodies. For the body slots of one
 * lane of the sum. */
static void finish_lane(const tw_tiles *t, const tw_tile *tile, uint32_t lane,
                        double moment[9][TW_SUM_LANES])
{
    double m[9] = {0.0};
    for (uint32_t k = lane; k < tile->body_slots; k += TW_SUM_LANES) {
        const double *x = t->centre[tile->body_slot + k].x;
        tw_tile_accumulator *accumulator = &t->accumulator[tile->body_slot + k];
        const double *f = accumulator->force;
        accumulator->torque[0] -= x[1] * f[2] - x[2] * f[1];
        accumulator->torque[1] -= x[2] * f[0] - x[0] * f[2];
        accumulator->torque[2] -= x[0] * f[1] - x[1] * f[0];
        for (int i = 0; i < 3; i++) {
            for (int j = 0; j < 3; j++)
                m[3 * i + j] += x[i] * f[j];
        }
    }
    for (int j = 0; j < 9; j++)
        moment[j][lane] = m[j];
}

static void finish_accumulators(const tw_tiles *t, const tw_tile *tile, double *sum)
{
    double moment[9][TW_SUM_LANES];
    for (uint32_t lane = 0; lane < TW_SUM_LANES; lane++)
        finish_lane(t, tile, lane, moment);
    for (int j = 0; j < 9; j++)
        sum[TW_TOUCH_MOMENT + j] -= tw_sum_lanes_join(moment[j]);
}

static void touch_tile(void *context, size_t number, double *sum)
{
    tw_touch_context *touch = context;
    tw_state *state = touch->state;
    tw_schedule *schedule = touch->schedule;
    const tw_tiles *t = &schedule->tiles;
    tw_tile *tile = &t->tile[number];
    tw_clock_enter(TW_SIM_PHASE_DETECT);
    tw_tile_load_ghosts(state, schedule, tile);
    memset(t->accumulator + tile->body_slot, 0, tile->body_slots * sizeof *t->accumulator);
    memset(t->wall_accumulator + number * state->wall_count, 0,
           state->wall_count * sizeof *t->wall_accumulator);
    tw_touch_candidates_begin(touch->model, state, schedule, tile);
    tw_clock_enter(TW_SIM_PHASE_FORCE);
    touch_lanes[tw_simd_level()](touch, tile, sum);
    if (tile->walls > 0) {
        tw_clock_enter(TW_SIM_PHASE_WALLS);
        advance_walls(touch, tile, sum);
        tw_clock_enter(TW_SIM_PHASE_FORCE);
    }
    finish_accumulators(t, tile, sum);
}

void tw_touch_begin_still(const tw_model *model, tw_state *state, tw_schedule *schedule)
{
    for (size_t k = 0; k < schedule->tiles.count; k++) {
        tw_tile *tile = &schedule->tiles.tile[k];
        tw_tile_load_ghosts(state, schedule, tile);
        tw_touch_candidates_begin(model, state, schedule, tile);
        for (uint32_t w = 0; w < tile->walls; w++)
            tw_touch_wall_start(model, state, schedule,
                                schedule->tiles.wall_pair[tile->wall_pair + w], tile->wall_slot + w,
                                tw_tiles_wall_work(&schedule->tiles, tile->wall_pair + w));
    }
}

void tw_touch_share(const tw_model *model, tw_state *state, const tw_schedule *schedule)
{
    const tw_tiles *t = &schedule->tiles;
    tw_touch_wall w;
    for (size_t n = 0; t->wall_work && n < t->count; n++) {
        const tw_tile *tile = &t->tile[n];
        for (uint32_t k = 0; k < tile->walls; k += (uint32_t)w.count) {
            const uint32_t at = tile->wall_pair + k;
            tw_touch_wall_look(model, state, schedule, NULL, t->wall_pair[at], tile->wall_slot + k,
                               tw_tiles_wall_work(t, at), &w);
            for (int c = 0; c < w.contacts; c++) {
                tw_touch_place *place = &w.place[c];
                if (!tw_pairs_touch(&schedule->pairs, w.pair + (uint32_t)place->pair)) continue;
                tw_contact_parts_share(&place->extra, place->ceded, place->pass, place->energy);
                tw_extras_put(&state->contacts.extras, w.slot + (uint32_t)place->pair,
                              &place->extra);
            }
        }
    }
}

static tw_status report_overlap(const tw_state *state, const tw_schedule *schedule, size_t k,
                                tw_error *error)
{
    const tw_pair *pair = &schedule->pairs.pair[k];
    const uint32_t *body = schedule->spheres.body, *id = state->bodies.id;
    const double *radius = schedule->spheres.radius;
    const double zeta = tw_bundle_get(state->contacts.bundle, schedule->pairs.slot[k]).zeta;
    const unsigned long long step = state->steps;
    const char *advice =
        "use stiffer contacts or a smaller dt, or see whether bodies overlapped at the start";
    const char *name = tw_pair_is_wall(pair) ? state->walls[pair->q].name : "";
    const char *open = *name ? " ('" : "", *close = *name ? "')" : "";
    if (tw_pair_is_wall(pair) && step == 0)
        return tw_error_set(error, TW_STATUS_PHYSICS,
                            "body %u overlaps wall %u%s%s%s by %g m at the start (radius %g m): "
                            "place it further away",
                            id[body[pair->p]], pair->q, open, name, close, zeta, radius[pair->p]);
    if (tw_pair_is_wall(pair)) {
        const tw_wall *wall = &state->walls[pair->q];
        char servo[96] = "";
        if (wall->servo && wall->servo != TW_WALL_PLATEN)
            snprintf(servo, sizeof servo, "its servo moves at up to v_max = %g %s: lower it, or ",
                     wall->v_max, wall->servo == TW_WALL_TURNS ? "rad/s" : "m/s");
        return tw_error_set(error, TW_STATUS_PHYSICS,
                            "step %llu: excessive overlap of body %u with wall %u: %g m, radius %g "
                            "m; %s%s",
                            step, id[body[pair->p]], pair->q, zeta, radius[pair->p], servo, advice);
    }
    if (step == 0)
        return tw_error_set(error, TW_STATUS_PHYSICS,
                            "bodies %u and %u overlap by %g m at the start (radii %g and %g m): "
                            "place them further apart",
                            id[body[pair->p]], id[body[pair->q]], zeta, radius[pair->p],
                            radius[pair->q]);
    return tw_error_set(
        error, TW_STATUS_PHYSICS,
        "step %llu: excessive overlap of bodies %u and %u: %g m, radii %g and %g m; "
        "%s",
        step, id[body[pair->p]], id[body[pair->q]], zeta, radius[pair->p], radius[pair->q], advice);
}

tw_status tw_touch_contacts(const tw_model *model, tw_state *state, tw_schedule *schedule,
                            const tw_vec3 *rigid_turn, int still, tw_error *error)
{
    const uint32_t parts = tw_model_extras(model);
    tw_touch_context touch = {model, state, schedule, rigid_turn, still, SIZE_MAX};
    double sum[TW_TOUCH_SUMS];
    const tw_status status = tw_events_watch(state, schedule, error);
    if (status != TW_STATUS_OK) return status;
    tw_extras_keep(&state->contacts.extras, parts);
    tw_sum_parts(schedule->tiles.count, TW_TOUCH_SUMS, touch_tile, &touch, schedule->tiles.sum,
                 sum);
    tw_events_note(state, schedule);
    for (int j = 0; j < 9; j++)
        state->sums.moment.m[j] = sum[TW_TOUCH_MOMENT + j];
    for (int k = 0; k < TW_CONTACT_STORED_KINDS; k++)
        state->sums.stored.of[k] = sum[TW_TOUCH_STORED + k];
    state->sums.contacts = (size_t)sum[TW_TOUCH_CONTACTS];
    state->sums.sliding = (size_t)sum[TW_TOUCH_SLIDING];
    for (int k = 0; k < TW_CONTACT_LOST_KINDS; k++)
        state->balance.lost.by[k] += sum[TW_TOUCH_LOST + k];
    const size_t bad = atomic_load(&touch.bad);
    return bad == SIZE_MAX ? TW_STATUS_OK : report_overlap(state, schedule, bad, error);
}

tw_status tw_touch_explain(const tw_model *model, const tw_state *state,
                           const tw_schedule *schedule, tw_error *error)
{
    for (size_t k = 0; k < schedule->pairs.count; k++) {
        if (tw_pairs_touch(&schedule->pairs, k) && tw_touch_force_is_bad(model, state, schedule, k))
            return report_overlap(state, schedule, k, error);
    }
    return TW_STATUS_OK;
}
