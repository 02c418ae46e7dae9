/* SPDX-License-Identifier: BSD-3-Clause */
#include "step/stable.h"

#include <assert.h>
#include <string.h>

#include "base/environment.h"
#include "base/error.h"
#include "base/parallel.h"

static_assert(2 * sizeof(tw_tile_springs) == sizeof(tw_tile_accumulator), "room for the block");

enum {
    GRAIN = 512,  /* pairs or bodies in a chunk of work */
    BLOCK = 32768 /* pairs in a block: 1 MB, which stays in the cache */
};

typedef struct stable {
    const tw_model *model;
    const tw_state *state;
    const tw_schedule *schedule;
    int uniform;
    tw_tile_springs *springs; /* sums over the contacts of each body */
    tw_tile_springs *block;   /* of pairs first, first + 1 ..; not set where they do not touch */
    size_t first, room;       /* in the block */
    size_t parts;             /* of the bodies, */
    tw_stable_limit least[TW_PARALLEL_PARTS_MAX]; /* and the limit of each */
} stable;

static void block_chunk(void *context, size_t begin, size_t end)
{
    const stable *s = context;
    for (size_t k = begin; k < end; k++) {
        if (tw_pairs_touch(&s->schedule->pairs, s->first + k))
            s->block[k] = tw_stable_contact(s->model, s->state, s->schedule, s->first + k);
    }
}

/* Added in the order of the pairs, whatever the number of threads. */
static void sum_springs(stable *s)
{
    const tw_schedule *schedule = s->schedule;
    const tw_pairs *pairs = &schedule->pairs;
    memset(s->springs, 0, s->state->bodies.count * sizeof *s->springs);
    for (s->first = 0; s->first < pairs->count; s->first += s->room) {
        const size_t left = pairs->count - s->first, count = left < s->room ? left : s->room;
        tw_parallel_for(count, GRAIN, block_chunk, s);
        for (size_t k = 0; k < count; k++) {
            const tw_pair *pair = &pairs->pair[s->first + k];
            if (!tw_pairs_touch(pairs, s->first + k)) continue;
            tw_stable_add(&s->springs[schedule->spheres.body[pair->p]], &s->block[k]);
            if (!tw_pair_is_wall(pair))
                tw_stable_add(&s->springs[tw_schedule_body_q(schedule, pair)], &s->block[k]);
        }
    }
}

static void limit_part(void *context, size_t part)
{
    stable *s = context;
    const tw_parallel_range range = tw_parallel_part(s->state->bodies.count, s->parts, part);
    tw_stable_limit limit = {DBL_MAX, 0, 0.0, 0};
    for (size_t i = range.begin; i < range.end; i++) {
        if (s->state->bodies.flags[i] & TW_BODY_FIXED) continue;
        const uint32_t contacts = s->schedule->tiles.degree[i];
        const tw_stable_limit one =
            s->uniform ? tw_stable_of_uniform(s->model, s->state, contacts, i)
                       : tw_stable_of_body(s->model, s->state, &s->springs[i], contacts, i);
        if (one.dt < limit.dt) limit = one;
    }
    s->least[part] = limit;
}

tw_stable_limit tw_stable_find(const tw_model *model, const tw_state *state, tw_schedule *schedule)
{
    TW_CLOCK_HERE(TW_SIM_PHASE_STABLE);
    const size_t n = state->bodies.count;
    stable s = {.model = model, .state = state, .schedule = schedule};
    s.uniform = tw_stable_is_uniform(model, tw_model_extras(model));
    /* In the memory of the force accumulators, which have twice the size: forces have been
     * gathered. */
    s.springs = (tw_tile_springs *)schedule->tiles.accumulator;
    s.block = s.springs + n;
    s.room = n < BLOCK ? n : BLOCK;
    s.parts = tw_parallel_parts(n, GRAIN);
    tw_schedule_count_contacts(state, schedule, schedule->tiles.degree);
    if (!s.uniform) sum_springs(&s);
    tw_parallel_run(s.parts, limit_part, &s);
    tw_stable_limit limit = s.least[0]; /* the first of equal ones, as in one part */
    for (size_t part = 1; part < s.parts; part++) {
        if (s.least[part].dt < limit.dt) limit = s.least[part];
    }
    return limit;
}

tw_status tw_stable_refuse(const tw_state *state, const tw_stable_limit *limit, tw_error *error)
{
    const uint32_t id = state->bodies.id[limit->body];
    const double mass = state->bodies.mass[limit->body];
    if (limit->contacts == 0)
        return tw_error_set(
            error, TW_STATUS_PHYSICS,
            "dt = %g s is above the stable step of %g s for a single contact of "
            "stiffness %g N/m on body %u with a mass of %g kg: use a smaller dt, or "
            "set dt_forced",
            state->dt, limit->dt, limit->stiffness, id, mass);
    return tw_error_set(
        error, TW_STATUS_PHYSICS,
        "dt = %g s is above the stable step of %g s: body %u has a mass of %g kg and "
        "%u contact%s with a total stiffness of %g N/m: use a smaller dt, or set dt_forced",
        state->dt, limit->dt, id, mass, limit->contacts, limit->contacts == 1 ? "" : "s",
        limit->stiffness);
}
