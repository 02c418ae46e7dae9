/* SPDX-License-Identifier: BSD-3-Clause */
/* The search of the device gives what that of the CPU gives, bit for bit: order of bodies, list,
 * contacts, errors. */
#include "../must.h"
#include "packing.h"

#include <stdlib.h>
#include <string.h>

#include "search/search.h"
#include "sim/sim_internal.h"

#include "device/device_runtime_host.h"

#include "device/device_exchange.h"
#include "device/device_search.h"

/* ---- Scenes ---- */

/* Bodies on a jittered lattice with neighbours in contact. */
typedef struct scene {
    const char *name;
    int side[3];
    double ratio; /* largest size over smallest; the largest ones touch */
    double large; /* size of one body among them, in sizes of the others; 0: none */
    int clusters; /* every third body is a cluster, every third a pair of spheres */
    double skin;  /* in sizes; 0: automatic */
    double shear; /* of the cell, in edges */
    int periodic[3];
    int walls;
    double damping; /* of contacts, as a fraction of sqrt(mass stiffness) */
} scene;

static const scene scenes[] = {
    {"equal spheres", {13, 12, 11}, 1.0, 0.0, 0, 0.0, 0.0, {1, 1, 1}, 0, 0.0},
    {"10:1", {9, 9, 8}, 10.0, 0.0, 0, 1.3, 0.3, {1, 1, 1}, 0, 0.0},
    {"one large sphere", {9, 8, 9}, 1.2, 4.5, 0, 0.3, 0.0, {1, 0, 1}, 0, 0.0},
    {"clusters", {7, 6, 7}, 1.3, 0.0, 1, 0.2, 0.3, {1, 1, 1}, 0, 0.1},
    {"narrow cell", {1, 9, 2}, 2.0, 0.0, 1, 2.2, 0.5, {1, 1, 1}, 0, 0.0},
    {"box", {8, 7, 6}, 2.0, 0.0, 1, 0.0, 0.0, {0, 0, 0}, 1, 0.0},
    {"free edges", {9, 7, 5}, 3.0, 0.0, 0, 0.4, 0.0, {0, 1, 0}, 1, 0.1},
};

enum { SCENES = sizeof scenes / sizeof *scenes };

static const double grain = 1e-3; /* size of the largest bodies [m] */

static void add_walls(tw_sim *sim, const scene *s, const tw_mat3 *cell)
{
    for (int k = 0; k < 3; k++) {
        for (int side = 0; side < 2 && s->walls && !s->periodic[k]; side++) {
            tw_wall_def wall = tw_wall_def_default();
            const double sign = side ? -1.0 : 1.0;
            wall.normal =
                tw_vec3_make(k == 0 ? sign : 0.0, k == 1 ? sign : 0.0, k == 2 ? sign : 0.0);
            wall.point = tw_vec3_scale(side ? 0.99 : 0.01, tensor_column(*cell, k));
            must_add_wall(sim, &wall);
        }
    }
}

static tw_sim *empty_scene(const scene *s, double spacing)
{
    tw_sim_def def = tw_sim_def_default();
    def.cell = tensor_zero();
    for (int k = 0; k < 3; k++) {
        def.cell.m[4 * k] = s->side[k] * spacing;
        def.periodic[k] = s->periodic[k];
    }
    def.cell.m[1] = s->shear * def.cell.m[0];
    def.cell.m[5] = -s->shear * def.cell.m[4];
    def.skin = s->skin * grain;
    def.law = packing_law();
    def.law.nu_n = def.law.nu_t = s->damping;
    tw_sim *sim = scene_create(&def);
    static const tw_sphere two[] = {{{-0.4, 0.0, 0.0}, 0.6}, {{0.4, 0.0, 0.0}, 0.6}};
    must_add_shape_bumpy(sim, 6, 0.5, 0.6, 0.5);
    must_add_shape(sim, two, 2);
    add_walls(sim, s, &def.cell);
    return sim;
}

static tw_sim *fill_scene(const scene *s)
{
    const double spacing = 1.96 * grain, large = s->large * grain;
    support_random random = {7};
    tw_sim *sim = empty_scene(s, spacing);
    const tw_mat3 cell = tw_sim_cell(sim);
    const tw_vec3 middle = tensor_apply(cell, tw_vec3_make(0.5, 0.5, 0.5));
    tw_body_def body = tw_body_def_default();
    body.size = large;
    body.x = middle;
    if (large > 0.0) scene_add(sim, &body);
    for (int i = 0; i < s->side[0] * s->side[1] * s->side[2]; i++) {
        const int at[3] = {i % s->side[0], i / s->side[0] % s->side[1],
                           i / s->side[0] / s->side[1]};
        tw_vec3 part;
        part.x = (at[0] + support_uniform(&random, 0.49, 0.51)) / s->side[0];
        part.y = (at[1] + support_uniform(&random, 0.49, 0.51)) / s->side[1];
        part.z = (at[2] + support_uniform(&random, 0.49, 0.51)) / s->side[2];
        body.x = tensor_apply(cell, part);
        body.q = tensor_quat(tensor_random_turn(&random));
        body.v = tw_vec3_scale(0.1, support_unit(&random));
        body.shape = s->clusters ? (uint32_t)(i % 3) : 0;
        body.size = grain;
        if (i % 2) body.size /= support_log_uniform(&random, 1.0, s->ratio);
        if (tw_vec3_norm(tw_vec3_sub(body.x, middle)) < large + grain && large > 0.0) continue;
        scene_add(sim, &body);
    }
    return sim;
}

/* With contacts that have tangential forces. */
static tw_sim *start(const scene *s)
{
    tw_sim *sim = fill_scene(s);
    must_prepare(sim);
    scene_run(sim, 20);
    assert_true(tw_schedule_contacts(&sim->schedule) > 0);
    return sim;
}

/* ---- A device ---- */

static tw_device_instance *device_of(const tw_sim *sim)
{
    tw_error error;
    tw_device_instance *d = calloc(1, sizeof *d);
    assert_non_null(d);
    d->world = calloc(1, sizeof *d->world);
    assert_non_null(d->world);
    must_succeed(
        tw_device_exchange_upload(d, &sim->model, &sim->state, &sim->schedule, &sim->servo, &error),
        &error);
    return d;
}

static void device_close(tw_device_instance *d)
{
    tw_device_exchange_drop(d);
    assert_int_equal(d->runtime.used, 0);
    free(d->world);
    free(d);
}

/* ---- The same changes on both sides ---- */

/* Moves everything by the part `by` of the edges, along free ones in the negative direction, and
 * each body a little. */
static void move(tw_state *state, double by, uint64_t seed)
{
    const int *periodic = state->cell.periodic;
    const tw_vec3 part = {by, periodic[1] ? -1.7 * by : -by, periodic[2] ? 0.6 * by : -by};
    const tw_vec3 all = tensor_apply(state->cell.h, part);
    for (size_t i = 0; i < state->bodies.count; i++) {
        support_random random = {seed + state->bodies.id[i]};
        const tw_vec3 a = tw_vec3_scale(0.2 * state->skin, support_unit(&random));
        tw_vec3 *x = &state->bodies.x[i];
        *x = tw_vec3_add(*x, tw_vec3_add(all, a));
        state->bodies.dx[i] = a;
    }
    for (size_t k = 0; k < state->wall_count; k++)
        state->walls[k].point = tw_vec3_add(state->walls[k].point, all);
}

/* Adds the first edge to the second, and the images of contacts follow: the search undoes it. */
static void shear(tw_state *state, tw_schedule *schedule)
{
    tw_mat3 *h = &state->cell.h, *before = &state->cell.h_before;
    for (int k = 0; k < 9; k += 3) {
        h->m[k + 1] += h->m[k];
        before->m[k + 1] += before->m[k];
    }
    state->cell.inverse = tw_mat3_inverse(*h);
    for (size_t k = 0; k < schedule->pairs.count; k++) {
        tw_shift *shift = &schedule->pairs.pair[k].shift;
        if (tw_pairs_touch(&schedule->pairs, k)) shift->i = (int8_t)(shift->i - shift->j);
    }
    for (size_t i = 0; i < state->bodies.count; i++)
        state->bodies.image[i].x -= state->bodies.image[i].y;
}

static void change(tw_state *state, tw_schedule *schedule, int round)
{
    if (round == 1 && state->cell.periodic[0] && state->cell.periodic[1]) shear(state, schedule);
    move(state, round ? 0.43 : 0.11, (uint64_t)(1000 * round + 5));
    for (size_t k = 0; k < state->wall_count; k++)
        state->walls[k].travel = tw_vec3_make(1e-9, 0.0, 0.0);
}

/* ---- Comparison ---- */

#define SAME(a, b, count) assert_memory_equal(a, b, (count) * sizeof *(a))

static void compare_bodies(const tw_state *a, const tw_state *b)
{
    assert_int_equal(a->bodies.count, b->bodies.count);
#define TW_COLUMN(type, name) SAME(a->bodies.name, b->bodies.name, a->bodies.count);
#include "world/body_columns.def"
    SAME(&a->cell.h, &b->cell.h, 1);
    SAME(&a->cell.inverse, &b->cell.inverse, 1);
    SAME(&a->cell.h_before, &b->cell.h_before, 1);
    SAME(&a->cell.h_ref, &b->cell.h_ref, 1);
    SAME(&a->skin, &b->skin, 1);
    SAME(a->walls, b->walls, a->wall_count);
    assert_int_equal(a->searches, b->searches);
}

static void compare_spheres(const tw_schedule *a, const tw_schedule *b, size_t bodies)
{
    const tw_spheres *s = &a->spheres, *t = &b->spheres;
    assert_int_equal(s->count, t->count);
    SAME(s->first, t->first, bodies + 1);
    SAME(s->index_of, t->index_of, bodies);
    SAME(s->body, t->body, s->count);
    SAME(s->radius, t->radius, s->count);
    for (size_t i = 0; i < bodies; i++) {
        const uint32_t first = s->first[i], count = s->first[i + 1] - first;
        if (count > 1) SAME(s->offset + first, t->offset + first, count);
    }
}

/* A contact in slot s here, slot t there. */
static void compare_contact(const tw_contacts *a, uint32_t s, const tw_contacts *b, uint32_t t)
{
    const tw_contact_memory m = tw_bundle_get(a->bundle, s), n = tw_bundle_get(b->bundle, t);
    const tw_contact_parts e = tw_extras_get(&a->extras, s), f = tw_extras_get(&b->extras, t);
    SAME(&m, &n, 1);
    SAME(&e, &f, 1);
}

/* Counted from the first one of its tile, a contact has the slot of the CPU. */
static void compare_contacts(const tw_sim *sim, const tw_device_world *w, int sliding)
{
    const tw_contacts *a = &sim->state.contacts, *b = &w->state.contacts;
    const tw_pairs *p = &sim->schedule.pairs;
    for (size_t k = 0; k < p->count; k++) {
        const uint32_t tile = tw_device_tiling_tile_of(&w->schedule, (uint32_t)k);
        const uint32_t s = p->slot[k], t = w->schedule.pairs.slot[k];
        assert_true((s == TW_NO_SLOT) == (t == TW_NO_SLOT));
        if (s == TW_NO_SLOT) continue;
        const tw_tile *here = &sim->schedule.tiles.tile[tile],
                      *there = &w->schedule.tiles.tile[tile];
        if (tw_pair_is_wall(&p->pair[k]))
            assert_int_equal(s - here->wall_slot, t - there->wall_slot);
        else
            assert_int_equal(s - here->slot, t - there->slot);
        compare_contact(a, s, b, t);
        if (sliding) assert_int_equal(a->sliding[s], b->sliding[t]);
    }
}

static void compare(const tw_sim *sim, const tw_device_instance *d, int sliding)
{
    const tw_schedule *a = &sim->schedule, *b = &d->host.schedule;
    const size_t bodies = sim->state.bodies.count;
    compare_bodies(&sim->state, &d->host.state);
    compare_spheres(a, b, bodies);
    assert_int_equal(a->pairs.count, b->pairs.count);
    assert_int_equal(a->pairs.count, d->host.list.pairs);
    SAME(a->pairs.first, b->pairs.first, bodies + 1);
    SAME(a->pairs.pair, b->pairs.pair, a->pairs.count);
    SAME(&a->bound, &b->bound, 1);
    SAME(&a->radius_min, &b->radius_min, 1);
    assert_int_equal(a->valid, b->valid);
    compare_contacts(sim, &d->host, sliding);
}

/* The bins span the bodies along free edges: a range that is too wide would only cost time. */
static void check_range(const tw_device_world *w)
{
    const tw_bins *bins = &w->search.bins;
    const tw_mat3 inverse = tw_mat3_inverse(w->state.cell.h_ref);
    for (int k = 0; k < 3; k++) {
        double low = (double)INFINITY, high = -(double)INFINITY;
        for (size_t i = 0; i < w->state.bodies.count; i++) {
            const tw_vec3 s = tw_mat3_mul_vec(inverse, w->state.bodies.x[i]);
            const double at[3] = {s.x, s.y, s.z};
            low = fmin(low, at[k]);
            high = fmax(high, at[k]);
        }
        assert_true(bins->low[k] == (w->state.cell.periodic[k] ? 0.0 : low));
        if (!w->state.cell.periodic[k]) assert_true(bins->scale[k] == 1.0 / (high - low));
    }
}

/* ---- Tests ---- */

/* What the scenes are to contain. */
typedef struct census {
    int classes, own_images, far_images, long_lists, planes, turned, reduced;
} census;

static void count(census *c, const tw_sim *sim, const tw_device_instance *d)
{
    const tw_pairs *p = &sim->schedule.pairs;
    const uint32_t *body = sim->schedule.spheres.body;
    int classes = 0;
    for (int k = 0; k < TW_BINS_CLASSES; k++)
        classes += d->host.search.members[k] > 0;
    if (classes > c->classes) c->classes = classes;
    c->reduced += d->host.search.reduced;
    for (size_t k = 0; k < p->count; k++) {
        const tw_pair *pair = &p->pair[k];
        c->planes += tw_pair_is_wall(pair);
        if (tw_pair_is_wall(pair)) continue;
        c->own_images += body[pair->p] == body[pair->q];
        c->far_images += abs(pair->shift.i) > 1;
    }
    for (size_t i = 0; i < sim->state.bodies.count; i++)
        c->long_lists += p->first[i + 1] - p->first[i] > 64;
}

static void search_is_that_of_the_cpu(void **unused)
{
    census c = {0};
    (void)unused;
    for (int k = 0; k < SCENES; k++) {
        tw_error error;
        tw_sim *sim = start(&scenes[k]);
        tw_device_instance *d = device_of(sim);
        for (int round = 0; round < 3; round++) {
            change(&sim->state, &sim->schedule, round);
            change(&d->host.state, &d->host.schedule, round);
            tw_device_memory_push(d);
            must_succeed(tw_search_refresh(&sim->model, &sim->state, &sim->schedule, &error),
                         &error);
            must_succeed(tw_device_search_refresh(d, &error), &error);
            compare(sim, d, 1);
            check_range(&d->host);
            count(&c, sim, d);
        }
        device_close(d);
        tw_sim_free(sim);
    }
    assert_true(c.classes >= 4 && c.own_images > 0 && c.far_images > 0 && c.long_lists > 0 &&
                c.planes > 0 && c.reduced > 0);
}

/* The CPU fails likewise, and afterwards both have the same contacts without a list. */
static void same_failure(const scene *s, void (*spoil)(tw_state *state), tw_status wanted)
{
    tw_error here, there;
    tw_sim *sim = start(s);
    tw_device_instance *d = device_of(sim);
    spoil(&sim->state);
    spoil(&d->host.state);
    tw_device_memory_push(d);
    if (tw_search_refresh(&sim->model, &sim->state, &sim->schedule, &here) != wanted)
        fail_msg("%s: no error", s->name);
    assert_int_equal(tw_device_search_refresh(d, &there), wanted);
    assert_string_equal(here.text, there.text);
    compare_bodies(&sim->state, &d->host.state);
    assert_int_equal(sim->schedule.valid, d->host.schedule.valid);
    if (!d->host.schedule.valid) {
        assert_int_equal(sim->schedule.pairs.count, d->host.search.count);
        SAME(sim->schedule.pairs.pair, d->host.search.contact_pair, d->host.search.count);
        for (uint32_t k = 0; k < d->host.search.count; k++) {
            const uint32_t slot = d->host.search.contact_slot[k];
            compare_contact(&sim->state.contacts, sim->schedule.pairs.slot[k],
                            &d->host.state.contacts, slot);
            assert_false(d->host.state.contacts.sliding[slot]);
        }
    }
    device_close(d);
    tw_sim_free(sim);
}

static void lose(tw_state *state)
{
    for (size_t i = 0; i < state->bodies.count; i++)
        if (state->bodies.id[i] % 2) state->bodies.x[i].x += 1.5 * grain;
}

static void diverge(tw_state *state)
{
    for (size_t i = 0; i < state->bodies.count; i++)
        if (state->bodies.id[i] % 30 == 11) state->bodies.x[i].y = (double)NAN;
}

static void flatten(tw_state *state)
{
    state->cell.inverse.m[4] = (double)INFINITY;
}

/* Thin in the sense of the images: more than a hundred would be within reach. */
static void thin(tw_state *state)
{
    for (int k = 0; k < 9; k += 3) {
        state->cell.h.m[k + 2] *= 1e-4;
        state->cell.h_before.m[k + 2] *= 1e-4;
    }
    state->cell.inverse = tw_mat3_inverse(state->cell.h);
}

static void failures_are_those_of_the_cpu(void **unused)
{
    (void)unused;
    same_failure(&scenes[0], lose, TW_STATUS_PHYSICS);
    same_failure(&scenes[3], lose, TW_STATUS_PHYSICS);
    same_failure(&scenes[5], lose, TW_STATUS_PHYSICS);
    same_failure(&scenes[0], diverge, TW_STATUS_PHYSICS);
    same_failure(&scenes[0], flatten, TW_STATUS_PHYSICS);
    same_failure(&scenes[0], thin, TW_STATUS_INPUT);
}

/* A search that runs out of memory, wherever it does, is repeated without a difference. */
static void search_survives_lack_of_memory(void **unused)
{
    int failures = 0;
    (void)unused;
    for (int k = 0; k < SCENES; k += 3) {
        tw_error error;
        tw_sim *sim = start(&scenes[k]);
        tw_device_instance *d = device_of(sim);
        change(&sim->state, &sim->schedule, 2);
        change(&d->host.state, &d->host.schedule, 2);
        tw_device_memory_push(d);
        must_succeed(tw_search_refresh(&sim->model, &sim->state, &sim->schedule, &error), &error);
        tw_device_memory_scratch_free(d);
        for (size_t more = 1;; more += more / 2 + 2000) {
            d->runtime.limit = d->runtime.used + more;
            const tw_status status = tw_device_search_refresh(d, &error);
            if (status == TW_STATUS_OK) break;
            assert_int_equal(status, TW_STATUS_MEMORY);
            tw_device_memory_scratch_free(d);
            failures++;
        }
        compare(sim, d, 0);
        device_close(d);
        tw_sim_free(sim);
    }
    assert_true(failures > 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(search_is_that_of_the_cpu),
        cmocka_unit_test(failures_are_those_of_the_cpu),
        cmocka_unit_test(search_survives_lack_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
