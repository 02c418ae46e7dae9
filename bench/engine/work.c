/* SPDX-License-Identifier: BSD-3-Clause */
#include "work.h"

#include "search/search.h"
#include "search/tiling.h"

const char *work_name(int phase)
{
    static const char *name[PHASES] = {"move", "detect", "force", "gather", "search"};
    return name[phase];
}

/* ---- Operations ---- */

/* Vectors and matrices. */
enum {
    ADD = 3,
    SCALE = 3,
    ADD_SCALED = 6,
    DOT = 5,
    CROSS = 9,
    MAP = 15, /* matrix times vector */
    NORM = DOT + 1,
    QUAT_MUL = 28,
    QUAT_MATRIX = 30,
    SERIES = 4 /* a + x (b + x c) */
};

/* A body in step/move.c, without gravity and damping of bodies. */
enum {
    KICK = 1 + ADD_SCALED + MAP + ADD_SCALED /* v */ + SCALE + ADD_SCALED /* l */ +
           (ADD + DOT + 1) + 2 /* energy */,
    MOVE = SCALE + MAP + MAP + ADD + ADD,
    TURN = 1 + SCALE, /* equal moments */
    TURN_ANY = 2 * (SCALE + CROSS) + ADD_SCALED + ADD + 5 * (2 + 3 + 4 + 6 + 8) + QUAT_MUL + 1 +
               SCALE, /* extra for unequal moments; factors 0 and 1 do not count */
    TURNED = QUAT_MUL + 7 + 2 + 4,
    TRAVEL = MAP + ADD + DOT,
    SWING = QUAT_MUL + NORM + 2 + 1 + ADD + NORM + 3, /* extra for bodies of several spheres */
    BODY_SLOT = ADD,
    SPHERE_SLOT = MAP + ADD, /* per sphere of such a body; the matrix is shared */
    BODY = KICK + MOVE + TURN + TURNED + TRAVEL + BODY_SLOT
};

/* world/schedule.c and step/touch.c */
enum { GHOST = ADD + MAP + ADD + ADD, GHOST_SPHERE = 2 * ADD, CANDIDATE = ADD + DOT + 2 };

/* A contact in step/touch_lanes.c: move; tw_lanes_try with its parts in the order of the source;
 * finish. */
enum {
    FIRST = 1 + ADD + NORM + 1 + SCALE + 1 /* n, zeta */ + 1 + ADD_SCALED + 2 + ADD + 1 + SCALE +
            1 + ADD_SCALED + CROSS + ADD /* du */,
    TWIST = DOT + DOT + 4 + 2 + 5,
    CARRY = 2 * ADD + DOT + 1 + SERIES + TWIST + 1 + DOT + 1 + ADD_SCALED /* ft0 */ + DOT + DOT +
            6 + ADD_SCALED + 3 + ADD_SCALED /* dxi */,
    TRY = 1 + 2 * SERIES + SCALE + ADD_SCALED /* what stays */ + 6 + SCALE +
          ADD_SCALED /* what turns */ + CROSS + ADD + 2 + DOT /* and the limit */,
    LAST = 1 + ADD_SCALED /* f */ + 2 + ADD_SCALED + CROSS /* torque */ +
           4 * ADD /* force accumulators */ + 2 + DOT + 1 /* energies */,
    DRAG = SCALE + ADD + DOT + 1, /* with contact damping */
    ACCUMULATE = 3 * 4 + 9 * 2,   /* per body slot, after all contacts of the tile */
    STICK = FIRST + CARRY + TRY + LAST
};

/* Extra for a sliding contact: contact/slide.h. */
enum {
    UNTWIST = 1 + 2 * SERIES + 6 + 2 * (SCALE + ADD_SCALED + CROSS),
    INSTANT = (1 + DOT + 1 + 1) + (1 + DOT + 1) + (1 + DOT + 1 + 1) + 3 + 1 + 3 + 1,
    FACTOR = 2 + 2 + 12 + 3 + 10 + 14,
    MEAN = 2 + 4 + 6 + 3 + 8 + 6 + 9 + 12,
    SLIDE = UNTWIST + INSTANT + 5 + 1 + 3 + 1 + ADD_SCALED + 3 * DOT + 2 + 4 + 1 + 5 /* q, x */ +
            FACTOR + 3 + 3 + 4 + 5 + SCALE + 3 + ADD_SCALED /* ft */ + DOT + 7 + MEAN /* work */ +
            2 * ADD + DOT + 4 + 3
};

/* step/step.c */
enum { GATHER = 6 + 2 + 8, GATHER_GHOST = 6 };

static double flops_of(int phase, const work_counts *c)
{
    switch (phase) {
    case PHASE_MOVE: {
        const double alone = c->bodies * BODY + c->unequal * TURN_ANY;
        return c->single ? alone
                         : alone + c->bodies * (SWING + QUAT_MATRIX) + c->spheres * SPHERE_SLOT;
    }
    case PHASE_DETECT:
        return c->ghosts * GHOST + c->candidates * CANDIDATE +
               (c->single ? 0.0 : c->ghost_spheres * GHOST_SPHERE);
    case PHASE_FORCE:
        return c->slots * (STICK + (c->viscous ? DRAG : 0)) + c->sliding * SLIDE +
               c->body_slots * ACCUMULATE;
    case PHASE_GATHER:
        return c->bodies * GATHER + c->ghosts * GATHER_GHOST;
    default:
        return 0.0; /* the search only moves data */
    }
}

/* ---- Bytes ---- */

enum {
    INDEX_SIZE = sizeof(uint32_t),
    REAL_SIZE = sizeof(double),
    VEC_SIZE = sizeof(tw_vec3),
    QUAT_SIZE = sizeof(tw_quat),
    HALF_SIZE = sizeof(tw_tile_half),
    SPHERE_SLOT_SIZE = sizeof(tw_tile_sphere_slot),
    ACCUMULATOR_SIZE = sizeof(tw_tile_accumulator),
    GHOST_SIZE = sizeof(tw_tile_ghost),
    GHOST_SPHERE_SIZE = sizeof(tw_tile_ghost_sphere),
    CANDIDATE_SIZE = sizeof(tw_tile_candidate),
    PAIR_SIZE = sizeof(tw_pair),
    ENDS_SIZE = sizeof(tw_tiling_ends),
    MEMORY_SIZE = sizeof(tw_bundle) / TW_BUNDLE, /* of a contact */
    DRAG_SIZE = sizeof(tw_bundle_force) / TW_BUNDLE
};

static double move_bytes(const work_counts *c)
{
    const double read = INDEX_SIZE /* flags */ + REAL_SIZE /* mass */ + QUAT_SIZE +
                        7 * VEC_SIZE /* v, l, inertia, force, torque, x, x_ref */;
    const double write = 5 * VEC_SIZE /* dx, gibbs, x, v, l */ + QUAT_SIZE + HALF_SIZE +
                         SPHERE_SLOT_SIZE /* centre */;
    const double alone = c->bodies * (read + write);
    if (c->single) return alone;
    return alone +
           c->bodies *
               (2 * INDEX_SIZE + REAL_SIZE + QUAT_SIZE) /* shape, first sphere, size, q_ref */
           + c->spheres * (VEC_SIZE /* offset */ + SPHERE_SLOT_SIZE);
}

static double detect_bytes(const work_counts *c)
{
    const double ghosts = c->ghosts * (GHOST_SIZE + 2 * HALF_SIZE + 2 * SPHERE_SLOT_SIZE);
    const double ghost_spheres =
        c->single ? 0.0 : c->ghost_spheres * (GHOST_SPHERE_SIZE + 2 * SPHERE_SLOT_SIZE);
    return ghosts + ghost_spheres + c->body_slots * ACCUMULATOR_SIZE +
           c->candidates * CANDIDATE_SIZE +
           tw_math_min(c->sphere_slots, 2.0 * c->candidates) * SPHERE_SLOT_SIZE;
}

static double contact_bytes(const work_counts *c)
{
    return MEMORY_SIZE + (c->viscous ? DRAG_SIZE : 0) + (c->single ? 2 : 4) * INDEX_SIZE + 1;
}

static double force_bytes(const work_counts *c)
{
    const double centres = c->single ? 0.0 : c->body_slots * SPHERE_SLOT_SIZE;
    return c->slots * (contact_bytes(c) + MEMORY_SIZE) + c->sphere_slots * SPHERE_SLOT_SIZE +
           centres + c->body_slots * (HALF_SIZE + 2 * ACCUMULATOR_SIZE);
}

static double gather_bytes(const work_counts *c)
{
    return c->bodies * (ACCUMULATOR_SIZE + 2 * INDEX_SIZE + 3 * VEC_SIZE) +
           c->ghosts * (INDEX_SIZE + ACCUMULATOR_SIZE);
}

static double body_bytes(void)
{
    size_t sum = 0;
#define TW_COLUMN(type, name) sum += sizeof(type);
#include "world/body_columns.def"
#undef TW_COLUMN
    return (double)sum;
}

/* Bodies are reordered; pairs and slots are written and read; memories of contacts are moved; the
 * rest is written. */
static double search_bytes(const work_counts *c)
{
    return c->bodies * 2 * body_bytes() + 2 * c->spheres * VEC_SIZE +
           c->pairs * (2 * PAIR_SIZE + INDEX_SIZE + 2 * ENDS_SIZE) +
           (c->pairs - c->contacts) * CANDIDATE_SIZE +
           c->contacts * (contact_bytes(c) + MEMORY_SIZE) + c->sphere_slots * SPHERE_SLOT_SIZE +
           c->body_slots * HALF_SIZE + c->ghosts * GHOST_SIZE;
}

work work_of(int phase, const work_counts *c)
{
    double (*const bytes[PHASES])(const work_counts *) = {move_bytes, detect_bytes, force_bytes,
                                                          gather_bytes, search_bytes};
    return (work){flops_of(phase, c), bytes[phase](c)};
}

/* ---- Counts ---- */

/* As in tw_touch_candidates_begin. */
static double candidates_of(const tw_state *state, const tw_schedule *schedule, const tw_tile *tile)
{
    const double rank = floor(
        tw_travel_approach(schedule, state->skin, tile->travel_relative, tile->travel_neighbours) /
        state->skin * TW_CANDIDATE_RANKS);
    const uint32_t last = TW_CANDIDATE_RANKS - 1;
    const uint32_t listed = tile->rank_end[rank < last ? (uint32_t)rank : last];
    return listed + (tile->candidates - tile->rank_end[last]);
}

work_counts work_count(const tw_state *state, const tw_schedule *schedule)
{
    work_counts c = {0};
    c.bodies = (double)state->bodies.count;
    c.spheres = (double)schedule->spheres.count;
    c.contacts = (double)state->sums.contacts;
    c.sliding = (double)state->sums.sliding;
    c.pairs = (double)schedule->pairs.count;
    c.single = schedule->tiles.single;
    c.viscous = state->contacts.extras.drag != NULL;
    for (size_t k = 0; k < schedule->tiles.count; k++) {
        const tw_tile *tile = &schedule->tiles.tile[k];
        c.slots += (tile->slots + TW_BUNDLE - 1) / TW_BUNDLE * TW_BUNDLE;
        c.body_slots += tile->body_slots;
        c.ghosts += tile->ghosts;
        c.sphere_slots += tile->sphere_slots;
        c.ghost_spheres += tile->ghost_spheres;
        c.candidates += candidates_of(state, schedule, tile);
    }
    for (size_t i = 0; i < state->bodies.count; i++) {
        const tw_vec3 moment = state->bodies.inertia[i];
        c.unequal += !(moment.x == moment.y && moment.y == moment.z);
    }
    c.resident = c.bodies * (body_bytes() + 3 * INDEX_SIZE) + c.slots * contact_bytes(&c) +
                 (c.sphere_slots + (c.single ? 0.0 : c.body_slots)) * SPHERE_SLOT_SIZE +
                 c.body_slots * (HALF_SIZE + ACCUMULATOR_SIZE) +
                 c.ghosts * (GHOST_SIZE + INDEX_SIZE) + c.candidates * CANDIDATE_SIZE;
    return c;
}
