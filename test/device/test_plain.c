/* SPDX-License-Identifier: BSD-3-Clause */
/* Contacts on a device, by one linear law without damping: the phases `candidates` and `plain`
 * against the CPU, every step of grains that are squeezed, sheared, released and turned. What the
 * other phases of a device do is done here by the CPU or by a plain loop. */
#include <math.h>
#include <string.h>

#include "../must.h"
#include "mirror.h"
#include "tensor.h"

#include "base/sum.h"
#include "search/search.h"
#include "step/move.h"
#include "step/step.h"
#include "world/schedule.h"

#include "device/device_candidates.h"
#include "device/device_hard.h"
#include "device/device_slides.h"
#include "device/device_sums_contacts.h"

/* What has occurred. */
typedef struct tally {
    size_t stuck, slid, single, ended, begun, searches, slippery;
    size_t again;     /* slid in the step before, too */
    size_t far, rare; /* by a team: long slides; contacts left to the general code */
} tally;

typedef struct scene {
    const char *name;
    tw_contact_law law;
    int bumpy, side;
    double speed, spin, dt;
    double rate; /* factor of the velocity gradients */
    double turn; /* in a step of a rotation as a whole; 0: none [rad] */
} scene;

static const double grain = 1e-3, gap = 1.98e-3;

static tw_sim *make(const scene *c)
{
    support_random random = {17};
    const double edge = c->side * gap;
    tw_sim_def def = tw_sim_def_default();
    def.cell = tensor_diagonal(edge, edge, edge);
    def.cell.m[1] = 0.2 * edge; /* skew */
    def.law = c->law;
    def.density = 2650.0;
    def.damping_mass = 300.0;
    def.dt = c->dt;
    def.threads = 1;
    tw_sim *sim = scene_create(&def);
    const uint32_t shape = c->bumpy ? must_add_shape_bumpy(sim, 6, 0.6, 0.8, 0.64) : 0;
    for (int i = 0; i < c->side * c->side * c->side; i++) {
        const int k[3] = {i % c->side, i / c->side % c->side, i / c->side / c->side};
        tw_body_def body = tw_body_def_default();
        body.shape = shape;
        body.size = (c->bumpy ? 0.8 : 1.0) * grain * support_uniform(&random, 0.9, 1.02);
        const double y = gap * (k[1] + support_uniform(&random, -0.02, 0.02));
        body.x.x = gap * (k[0] + support_uniform(&random, -0.02, 0.02)) + 0.2 * y;
        body.x.y = y;
        body.x.z = gap * (k[2] + support_uniform(&random, -0.02, 0.02));
        body.q = tensor_quat(tensor_random_turn(&random));
        body.v = support_vector(&random, 0.5 * c->speed, c->speed);
        body.w = support_vector(&random, 0.5 * c->spin, c->spin);
        scene_add(sim, &body);
    }
    must_prepare(sim);
    return sim;
}

/* ---- A step whose contacts are advanced by the device code ---- */

static int in_use(const tw_device_world *w, uint32_t s)
{
    const tw_tile *tile = &w->schedule.tiles.tile[w->bundle_tile[s / TW_BUNDLE]];
    return s - tile->slot < tw_tile_round_up(tile->slots);
}

/* Torques go from the origin of the tile to the centre of the body. */
static void accumulate(tw_device_world *w)
{
    const tw_tiles *t = &w->schedule.tiles;
    memset(t->accumulator, 0, w->body_slots * sizeof *t->accumulator);
    for (uint32_t s = 0; s < w->slots; s++) {
        if (!in_use(w, s) || w->how[s] == TW_DEVICE_EMPTY) continue;
        double *p = t->accumulator[w->schedule.slots.body_p[s]].force;
        double *q = t->accumulator[w->schedule.slots.body_q[s]].force;
        const tw_device_rows_six row = tw_device_rows_get_six(w->load + 6 * (size_t)s);
        const double load[6] = {row.a.x, row.a.y, row.a.z, row.b.x, row.b.y, row.b.z};
        for (int k = 0; k < 6; k++)
            p[k] += load[k];
        for (int k = 0; k < 6; k++)
            q[k] -= load[k];
    }
    for (uint32_t k = 0; k < w->body_slots; k++) {
        const double *x = t->centre[k].x, *f = t->accumulator[k].force;
        double *torque = t->accumulator[k].torque;
        torque[0] -= x[1] * f[2] - x[2] * f[1];
        torque[1] -= x[2] * f[0] - x[0] * f[2];
        torque[2] -= x[0] * f[1] - x[1] * f[0];
    }
}

/* Losses of a tile: those in lanes, those one by one. */
static void add_losses(void *context, size_t number, double *sum)
{
    const tw_device_world *w = context;
    const tw_tile *tile = &w->schedule.tiles.tile[number];
    double lane[8] = {0.0};
    for (uint32_t k = 0; k < tile->slots; k++) {
        const uint32_t s = tile->slot + k;
        const int loses = w->model.laws->kind != TW_CONTACT_EXACT || w->state.contacts.sliding[s];
        if (w->how[s] == TW_DEVICE_LANES && loses) lane[k % 8] += w->lost[TW_DEVICE_FRICTION][s];
        if (w->how[s] == TW_DEVICE_SINGLE || w->how[s] == TW_DEVICE_ENDED)
            sum[0] += w->lost[TW_DEVICE_FRICTION][s];
    }
    sum[0] +=
        ((lane[0] + lane[4]) + (lane[2] + lane[6])) + ((lane[1] + lane[5]) + (lane[3] + lane[7]));
}

/* A device does not clear slots that are not in use yet. */
static void make_mirror(tw_device_world *w, tw_sim *sim)
{
    mirror_make(w, sim);
    for (uint32_t s = 0; s < w->slots; s++) {
        if (in_use(w, s)) continue;
        w->how[s] = TW_DEVICE_EMPTY;
        w->schedule.slots.pair[s] = 0;
    }
}

static void count(const tw_device_world *w, tally *seen)
{
    const int slippery = !(w->model.laws->mu > 0.0);
    for (uint32_t s = 0; s < w->slots; s++) {
        if (!in_use(w, s)) continue;
        const int slides = w->state.contacts.sliding[s];
        seen->slippery += slippery && slides && w->how[s] == TW_DEVICE_LANES;
        seen->stuck += w->how[s] == TW_DEVICE_LANES && !slides;
        seen->slid += w->how[s] == TW_DEVICE_LANES && slides && !slippery;
        seen->single += w->how[s] == TW_DEVICE_SINGLE;
        seen->ended += w->how[s] == TW_DEVICE_ENDED;
    }
}

static void remove_ended(tw_device_world *w)
{
    for (uint32_t t = 0; t < w->tiles; t++) {
        tw_tile *tile = &w->schedule.tiles.tile[t];
        for (uint32_t i = 0; i < w->tile[t].ended; i++) {
            const uint32_t s = w->ended[tile->slot + i];
            assert_int_equal(w->how[s], TW_DEVICE_ENDED);
            w->schedule.pairs.slot[w->schedule.slots.pair[s]] = TW_NO_SLOT;
            w->rank[w->schedule.slots.pair[s]] = 0;
            w->how[s] = TW_DEVICE_EMPTY;
            tw_tile_load_empty(&w->state, &w->schedule, tile, s);
            if (s - tile->slot < tile->empty) tile->empty = s - tile->slot;
        }
        w->tile[t].ended = 0;
    }
}

/* The CPU's simulation as the device sees it after the move. */
static void take_over(tw_device_world *w, const tw_sim *sim)
{
    double own = 0.0;
    w->state = sim->state;
    w->schedule = sim->schedule;
    for (uint32_t t = 0; t < w->tiles; t++) {
        tw_tile_load_ghosts(&w->state, &w->schedule, &w->schedule.tiles.tile[t]);
        own = fmax(own, w->schedule.tiles.tile[t].own);
    }
    w->run.own = tw_math_bits(w->run.single ? own * own : own);
}

static size_t contacts_of(const tw_device_world *w)
{
    size_t contacts = 0;
    for (uint32_t k = 0; k < w->pairs; k++)
        contacts += w->schedule.pairs.slot[k] != TW_NO_SLOT;
    return contacts;
}

/* A phase of n items, the last one first: their order must not matter. */
static void each(void (*phase)(tw_device_world *, uint32_t), tw_device_world *w, uint32_t n)
{
    for (uint32_t i = n; i-- > 0;)
        phase(w, i);
}

/* Contacts that slid before, by teams, the last one first. */
static void advance_slides(tw_device_world *w, tally *seen)
{
    static tw_device_slides_work work;
    for (uint32_t i = tw_device_slides_teams(w); i-- > 0;) {
        for (uint32_t stage = 0; stage < tw_device_slides_stages(w, i); stage++) {
            for (uint32_t k = TW_DEVICE_SLIDES_THREADS; k-- > 0;)
                tw_device_slides(w, &work, i, stage, k);
            if (stage % 3 == 2) seen->again += work.count;
        }
    }
}

/* The remaining contacts by teams, a few at a time. */
static void advance_hard(tw_device_world *w, uint32_t share, tally *seen)
{
    static tw_device_hard_team team;
    for (uint32_t first = 0; first < w->run.hard; first += share) {
        const uint32_t left = w->run.hard - first, some = left < share ? left : share;
        for (uint32_t stage = 0; stage < TW_DEVICE_HARD_STAGES; stage++) {
            for (uint32_t k = TW_DEVICE_HARD_THREADS; k-- > 0;)
                tw_device_hard_stage(w, &team, first, some, stage, k);
            for (uint32_t k = 0; k < some && stage == 0; k++) {
                seen->rare += team.contact[k].rare != 0;
                seen->far += team.contact[k].later.open != 0;
            }
        }
    }
}

/* Candidates by teams, the last one first. */
static void find_candidates(tw_device_world *w)
{
    static tw_device_candidates_team team;
    for (uint32_t i = tw_device_candidates_teams(w); i-- > 0;)
        for (uint32_t stage = 0; stage < TW_DEVICE_CANDIDATES_STAGES; stage++)
            for (uint32_t k = TW_DEVICE_CANDIDATES_THREADS; k-- > 0;)
                tw_device_candidates(w, &team, i, stage, k);
}

/* From the move on. */
static void advance(tw_device_world *w, tw_sim *sim, tally *seen)
{
    tw_error error;
    double lost, *room = calloc(w->tiles + 1, sizeof *room);
    take_over(w, sim);
    tw_device_candidates_prepare(w);
    tw_device_candidates_stretch(w);
    for (uint32_t i = 0; i < w->bodies; i++)
        tw_device_sums_contacts_reset(w, i);
    const int stale = tw_search_stale(&sim->state, &sim->schedule);
    find_candidates(w);
    assert_int_equal(w->run.halt, stale ? TW_DEVICE_SEARCH : 0);
    if (stale) {
        const int32_t rigid = w->run.rigid;
        const tw_vec3 turn = w->run.turn;
        must_succeed(tw_search_refresh(&sim->model, &sim->state, &sim->schedule, &error), &error);
        mirror_free(w);
        make_mirror(w, sim);
        take_over(w, sim);
        w->run.rigid = rigid;
        w->run.turn = turn;
        tw_device_candidates_prepare(w);
        w->run.listed = 1;
        find_candidates(w);
        assert_int_equal(w->run.halt, 0);
        seen->searches++;
    }
    const size_t before = contacts_of(w);
    each(tw_device_candidates_begin, w, w->tiles);
    seen->begun += contacts_of(w) - before;
    /* What is for the exact law alone, and what is for any, in turn: both have to do for it. */
    const uint64_t step = sim->state.steps;
    if (w->run.exact && step % 3 > 0) {
        advance_slides(w, seen);
        each(tw_device_plain_exact, w, w->slots);
    } else {
        each(tw_device_plain, w, w->slots);
    }
    if (w->run.exact && step % 4 < 3)
        advance_hard(w, 1 + (uint32_t)step % TW_DEVICE_HARD_SHARE, seen);
    else
        each(tw_device_plain_rest, w, w->run.hard);
    accumulate(w);
    tw_sum_parts(w->tiles, 1, add_losses, w, room, &lost);
    w->state.balance.friction += lost;
    count(w, seen);
    remove_ended(w);
    must_succeed(tw_gather_forces(&w->state, &w->schedule, &error), &error);
    mirror_back(w, sim);
    free(room);
}

/* ---- Comparison ---- */

static int equal(const void *a, const void *b, size_t bytes)
{
    return memcmp(a, b, bytes) == 0;
}

static void compare_contacts(const tw_sim *a, const tw_sim *b, uint64_t step)
{
    const tw_schedule *s = &a->schedule, *d = &b->schedule;
    const size_t pairs = s->pairs.count;
    if (pairs != d->pairs.count || !equal(s->pairs.slot, d->pairs.slot, pairs * sizeof(uint32_t)))
        fail_msg("step %llu: contacts differ", (unsigned long long)step);
    for (size_t k = 0; k < pairs; k++) {
        const uint32_t slot = s->pairs.slot[k];
        if (slot == TW_NO_SLOT) continue;
        const tw_contact_memory x = tw_bundle_get(a->state.contacts.bundle, slot);
        const tw_contact_memory y = tw_bundle_get(b->state.contacts.bundle, slot);
        if (!equal(&x, &y, sizeof x))
            fail_msg("step %llu: memory of pair %zu: overlaps %a and %a, ft.x %a and %a",
                     (unsigned long long)step, k, x.zeta, y.zeta, x.ft.x, y.ft.x);
        if (a->state.contacts.sliding[slot] != b->state.contacts.sliding[slot])
            fail_msg("step %llu: pair %zu slides in one of them", (unsigned long long)step, k);
    }
}

static void compare(const tw_sim *a, const tw_sim *b, uint64_t step)
{
    const size_t n = a->state.bodies.count;
    compare_contacts(a, b, step);
    if (!equal(a->state.bodies.force, b->state.bodies.force, n * sizeof(tw_vec3)) ||
        !equal(a->state.bodies.torque, b->state.bodies.torque, n * sizeof(tw_vec3)))
        fail_msg("step %llu: forces differ", (unsigned long long)step);
    if (tw_math_bits(a->state.balance.friction) != tw_math_bits(b->state.balance.friction))
        fail_msg("step %llu: losses %a and %a", (unsigned long long)step, a->state.balance.friction,
                 b->state.balance.friction);
}

static void run_both(tw_device_world *w, tw_sim *cpu, tw_sim *sim, tw_mat3 gradient, int steps,
                     tally *seen)
{
    tw_sim_set_velocity_gradient(cpu, &gradient);
    tw_sim_set_velocity_gradient(sim, &gradient);
    for (int k = 0; k < steps; k++) {
        scene_run(cpu, 1);
        tw_move_bodies(&sim->model, &sim->state, &sim->schedule);
        advance(w, sim, seen);
        assert_true(w->run.bad_pair == UINT64_MAX);
        compare(cpu, sim, cpu->state.steps);
    }
}

/* The bodies are turned by the CPU, the contacts by the device. */
static void turn_both(tw_device_world *w, tw_sim *cpu, tw_sim *sim, double size, tally *seen)
{
    tw_error error;
    const tw_vec3 turn = {0.5 * size, -0.3 * size, 0.8 * size};
    const uint64_t searches = cpu->state.searches;
    tw_bodies *to = &sim->state.bodies;
    const tw_bodies *from = &cpu->state.bodies;
    const tw_mat3 h_ref = sim->state.cell.h_ref;
    for (int k = 0; k < 5; k++) {
        must_succeed(tw_sim_rotate(cpu, turn, 1, &error), &error);
        assert_true(cpu->state.searches == searches); /* it would sort the bodies */
        sim->state.cell = cpu->state.cell;
        sim->state.cell.h_ref = h_ref;
        memcpy(to->x, from->x, to->count * sizeof *to->x);
        memcpy(to->q, from->q, to->count * sizeof *to->q);
        memcpy(to->v, from->v, to->count * sizeof *to->v);
        memcpy(to->l, from->l, to->count * sizeof *to->l);
        memcpy(to->dx, from->dx, to->count * sizeof *to->dx);
        memcpy(to->gibbs, from->gibbs, to->count * sizeof *to->gibbs);
        for (uint32_t t = 0; t < w->tiles; t++) {
            tw_tile *tile = &sim->schedule.tiles.tile[t];
            tw_tile_load_own(&sim->model, &sim->state, &sim->schedule, tile, 0);
            tile->own = cpu->schedule.tiles.tile[t].own;
        }
        w->run.rigid = 1;
        w->run.turn = turn;
        advance(w, sim, seen);
        compare(cpu, sim, (uint64_t)k);
    }
    w->run.rigid = 0;
}

static tally play(const scene *c)
{
    const tw_mat3 squeeze = {{-200.0, 0.0, 100.0, 10.0, -150.0, 0.0, 0.0, 0.0, -180.0}};
    const tw_mat3 release = {{80.0, 300.0, 0.0, 0.0, 60.0, 0.0, 50.0, 0.0, 70.0}};
    tw_sim *cpu = make(c), *sim = make(c);
    tw_device_world w;
    tally seen = {0};
    make_mirror(&w, sim);
    assert_true(w.run.plain);
    run_both(&w, cpu, sim, tensor_add_scaled(tensor_zero(), c->rate, squeeze), scene_cases(250),
             &seen);
    run_both(&w, cpu, sim, release, scene_cases(150), &seen);
    if (c->turn > 0.0) {
        turn_both(&w, cpu, sim, c->turn, &seen);
        run_both(&w, cpu, sim, release, 10, &seen);
    }
    print_message(
        "%s: stuck %zu, slid %zu, singly %zu, ended %zu, begun %zu, searches %zu, far %zu, "
        "rare %zu, again %zu\n",
        c->name, seen.stuck, seen.slid, seen.single, seen.ended, seen.begun, seen.searches,
        seen.far, seen.rare, seen.again);
    mirror_free(&w);
    tw_sim_free(cpu);
    tw_sim_free(sim);
    return seen;
}

static tw_contact_law law_of(int32_t kind, uint32_t refine, double kt, double mu)
{
    tw_contact_law law = support_law(1e5, kt, mu);
    law.kind = kind;
    law.refine = refine;
    return law;
}

static void expect_all(const tally *s)
{
    if (!scene_thorough()) return;
    assert_true(s->stuck > 0);
    assert_true(s->single > 0);
    assert_true(s->ended > 0);
    assert_true(s->begun > 0);
    assert_true(s->searches > 0);
}

static void the_exact_law_has_the_bits_of_the_cpu(void **state)
{
    (void)state;
    const uint32_t all = TW_CONTACT_ALL;
    const scene scenes[] = {
        {"spheres", law_of(TW_CONTACT_EXACT, all, 0.8e5, 0.4), 0, 6, 0.2, 200.0, 1e-6, 1.0, 0.05},
        {"bumpy grains", law_of(TW_CONTACT_EXACT, all, 0.8e5, 0.1), 1, 5, 0.2, 200.0, 1e-6, 4.0,
         3e-4},
        {"fast spin, stiff", law_of(TW_CONTACT_EXACT, all, 1e6, 0.3), 0, 4, 1.0, 20000.0, 5e-7, 1.0,
         0.0},
    };
    for (size_t k = 0; k < sizeof scenes / sizeof *scenes; k++) {
        const tally s = play(&scenes[k]);
        expect_all(&s);
        if (!scene_thorough()) continue;
        assert_true(s.slid > 0);
        /* By teams both ways: most in one piece, large rotations by the general code. */
        assert_true(s.again > s.slid / 4 && s.far > 0 && s.rare < s.begun + s.ended + s.single);
        if (k == 2) assert_true(s.rare > 0);
    }
}

static void other_laws_have_the_bits_of_the_cpu(void **state)
{
    (void)state;
    const uint32_t all = TW_CONTACT_ALL;
    const scene scenes[] = {
        {"conventional", law_of(TW_CONTACT_CONVENTIONAL, all, 0.8e5, 0.4), 0, 5, 0.2, 200.0, 1e-6,
         1.0, 0.05},
        {"paper", law_of(TW_CONTACT_PAPER, all, 0.8e5, 0.4), 1, 4, 0.2, 200.0, 1e-6, 4.0, 0.0},
        {"no tilt", law_of(TW_CONTACT_EXACT, all & ~(uint32_t)TW_CONTACT_TILT, 1e5, 0.3), 0, 4, 0.2,
         200.0, 1e-6, 1.0, 0.0},
        {"no twirl", law_of(TW_CONTACT_EXACT, all & ~(uint32_t)TW_CONTACT_TWIRL, 1e5, 0.3), 0, 4,
         0.2, 200.0, 1e-6, 1.0, 0.0},
    };
    for (size_t k = 0; k < sizeof scenes / sizeof *scenes; k++) {
        const tally s = play(&scenes[k]);
        expect_all(&s);
    }
}

/* Contacts without friction slide, with a friction too small to square they are advanced one by
 * one, and without tangential stiffness they have no short slides. */
static void degenerate_laws_have_the_bits_of_the_cpu(void **state)
{
    (void)state;
    const uint32_t all = TW_CONTACT_ALL;
    const scene scenes[] = {
        {"frictionless", law_of(TW_CONTACT_EXACT, all, 0.8e5, 0.0), 0, 4, 0.2, 200.0, 1e-6, 1.0,
         0.0},
        {"hardly any friction", law_of(TW_CONTACT_EXACT, all, 0.8e5, 1e-75), 0, 4, 0.2, 200.0, 1e-6,
         1.0, 0.0},
        {"no tangential spring", law_of(TW_CONTACT_EXACT, all, 0.0, 0.4), 0, 4, 0.2, 200.0, 1e-6,
         1.0, 0.0},
        {"hardly any of both", law_of(TW_CONTACT_EXACT, all, 0.0, 1e-75), 0, 4, 0.2, 200.0, 1e-6,
         1.0, 0.0},
    };
    const tally frictionless = play(&scenes[0]), tiny = play(&scenes[1]), free = play(&scenes[2]);
    const tally neither = play(&scenes[3]);
    if (!scene_thorough()) return;
    assert_true(frictionless.slippery > 0);
    assert_true(tiny.stuck == 0 && tiny.slid == 0 && tiny.single > 0 && tiny.rare > 0);
    assert_true(free.stuck > 0 && free.slid == 0);
    assert_true(neither.stuck == 0 && neither.slid == 0 && neither.single > 0);
}

/* Soft spheres that fly into each other: the device names the pair that the CPU's error names, the
 * first one of several. */
static void an_excessive_overlap_is_that_of_the_cpu(void **state)
{
    (void)state;
    scene c = {"collision", law_of(TW_CONTACT_EXACT, TW_CONTACT_ALL, 1e3, 0.4),
               0,           4,
               60.0,        200.0,
               1e-6,        1.0,
               0.0};
    c.law.kn = 1e3;
    tw_sim *cpu = make(&c), *sim = make(&c);
    tw_device_world w;
    tw_error error = {TW_STATUS_OK, ""};
    tally seen = {0};
    make_mirror(&w, sim);
    for (int k = 0; k < 200 && w.run.bad_pair == UINT64_MAX; k++) {
        must_succeed(error.status, &error);
        (void)tw_sim_run(cpu, 1, &error);
        tw_move_bodies(&sim->model, &sim->state, &sim->schedule);
        advance(&w, sim, &seen);
    }
    assert_int_equal(error.status, TW_STATUS_PHYSICS);
    assert_true(w.run.bad_pair < w.pairs);
    const tw_pair *pair = &w.schedule.pairs.pair[w.run.bad_pair];
    char text[64];
    snprintf(text, sizeof text, "bodies %u and %u:", sim->state.bodies.id[pair->p],
             sim->state.bodies.id[pair->q]);
    if (!strstr(error.text, text)) fail_msg("%s: %s", text, error.text);
    int deep = 0;
    for (uint32_t s = 0; s < w.slots; s++)
        deep += in_use(&w, s) && tw_bundle_get(w.state.contacts.bundle, s).zeta > 0.51 * grain;
    assert_true(deep > 1);
    compare_contacts(cpu, sim, cpu->state.steps); /* the CPU has not summed the forces */
    mirror_free(&w);
    tw_sim_free(sim);
    /* The same with all phases. */
    sim = make(&c);
    mirror_make(&w, sim);
    assert_int_equal(mirror_run(&w, sim, 200), TW_DEVICE_FAILED);
    mirror_back(&w, sim);
    compare(cpu, sim, cpu->state.steps);
    assert_true(tw_sim_hash(cpu) == tw_sim_hash(sim));
    mirror_free(&w);
    tw_sim_free(cpu);
    tw_sim_free(sim);
}

/* With all phases of the device, for each choice of passes. */
static void whole_runs_have_the_state_of_the_cpu(void **state)
{
    (void)state;
    const uint32_t all = TW_CONTACT_ALL;
    const tw_mat3 squeeze = {{-200.0, 0.0, 100.0, 10.0, -150.0, 0.0, 0.0, 0.0, -180.0}};
    const tw_contact_law laws[] = {
        law_of(TW_CONTACT_EXACT, all, 0.8e5, 0.4), law_of(TW_CONTACT_EXACT, all, 0.8e5, 0.0),
        law_of(TW_CONTACT_CONVENTIONAL, all, 0.8e5, 0.4), law_of(TW_CONTACT_EXACT, 0, 0.8e5, 0.4)};
    for (size_t k = 0; k < sizeof laws / sizeof *laws; k++) {
        const scene c = {"whole", laws[k], 0, 5, 0.2, 200.0, 1e-6, 1.0, 0.0};
        tw_sim *cpu = make(&c), *sim = make(&c);
        tw_device_world w;
        tw_sim_set_velocity_gradient(cpu, &squeeze);
        tw_sim_set_velocity_gradient(sim, &squeeze);
        mirror_make(&w, sim);
        assert_int_equal(w.run.exact, k < 2);
        for (int part = 0; part < 3; part++) {
            const uint64_t steps = (uint64_t)scene_cases(70);
            scene_run(cpu, steps);
            assert_int_equal(mirror_run(&w, sim, steps), TW_DEVICE_DONE);
            mirror_back(&w, sim);
            compare(cpu, sim, cpu->state.steps);
            assert_true(tw_sim_hash(cpu) == tw_sim_hash(sim));
        }
        mirror_free(&w);
        tw_sim_free(cpu);
        tw_sim_free(sim);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_exact_law_has_the_bits_of_the_cpu),
        cmocka_unit_test(other_laws_have_the_bits_of_the_cpu),
        cmocka_unit_test(degenerate_laws_have_the_bits_of_the_cpu),
        cmocka_unit_test(an_excessive_overlap_is_that_of_the_cpu),
        cmocka_unit_test(whole_runs_have_the_state_of_the_cpu),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
