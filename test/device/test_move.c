/* SPDX-License-Identifier: BSD-3-Clause */
/* The phases of a device that move bodies and sum forces, against those of the CPU. */
#include "mirror.h"
#include "tensor.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../must.h"
#include "search/search.h"
#include "step/move.h"
#include "step/step.h"
#include "world/schedule.h"

#include "device/device_runtime_host.h"

/* Tiles are small here: they are to have several chunks. */
#define TW_DEVICE_ACCUMULATE_CHUNK 32
#include "device/device_step.h"

enum { SPHERES, CLUSTERS, MIXED };

typedef struct scene {
    const char *name;
    int shapes;               /* SPHERES ... */
    int fixed_every;          /* 0: none is fixed */
    int walls;                /* two, and the cell is not periodic along z */
    double gravity;           /* [m/s^2] */
    double mass, spin, local; /* damping */
    int32_t kind;
    int dense_every; /* 0: all have one density */
} scene;

static const scene scenes[] = {
    {"spheres", SPHERES, 0, 0, 0.0, 0.0, 0.0, 0.0, TW_CONTACT_EXACT, 0},
    {"spheres of two densities", SPHERES, 0, 0, 0.0, 0.0, 0.0, 0.0, TW_CONTACT_EXACT, 3},
    {"spheres, gravity, walls", SPHERES, 7, 1, 9.81, 0.0, 0.0, 0.0, TW_CONTACT_EXACT, 0},
    {"spheres, damping", SPHERES, 5, 0, 0.0, 300.0, 0.0, 0.3, TW_CONTACT_CONVENTIONAL, 0},
    {"clusters, damping, gravity", CLUSTERS, 6, 0, 9.81, 200.0, 500.0, 0.2, TW_CONTACT_EXACT, 0},
    {"clusters", CLUSTERS, 0, 0, 0.0, 0.0, 0.0, 0.0, TW_CONTACT_CONVENTIONAL, 0},
    {"mixed", MIXED, 0, 0, 0.0, 0.0, 0.0, 0.5, TW_CONTACT_EXACT, 0},
    {"mixed, walls", MIXED, 9, 1, 9.81, 100.0, 0.0, 0.0, TW_CONTACT_PAPER, 0}};
enum { SCENES = sizeof scenes / sizeof *scenes };

static const double grain = 1e-3;

static void add_walls(tw_sim *sim, double edge)
{
    tw_wall_def wall = tw_wall_def_default();
    wall.point = tw_vec3_make(0.0, 0.0, 0.0);
    wall.normal = tw_vec3_make(0.0, 0.0, 1.0);
    wall.v = tw_vec3_make(0.0, 0.0, 0.1);
    must_add_wall(sim, &wall);
    wall.point = tw_vec3_make(0.0, 0.0, edge);
    wall.normal = tw_vec3_make(0.0, 0.0, -1.0);
    must_add_wall(sim, &wall);
}

/* A lattice of bodies that overlap a little, with random velocities, in a cell that shears; some
 * steps have been made. */
static tw_sim *make(const scene *s)
{
    const int side = 6;
    const double reach = s->shapes == SPHERES ? 1.0 : 1.05, pitch = 1.95 * reach * grain;
    support_random random = {17};
    tw_sim_def def = tw_sim_def_default();
    def.cell = tensor_diagonal(side * pitch, side * pitch, side * pitch);
    def.periodic[2] = !s->walls;
    def.law = support_law_of(s->kind);
    def.law.kn = def.law.kt = 1e5;
    def.law.mu = 0.5;
    if (s->mass > 0.0) { /* laws that need the masses of bodies */
        def.law.flags |= TW_CONTACT_BY_MASS;
        def.law.nu_n = 0.1;
    }
    def.gravity.z = -s->gravity;
    def.damping_mass = s->mass;
    def.damping_spin = s->spin;
    def.damping_local = s->local;
    tw_error error;
    tw_sim *sim = scene_create(&def);
    uint32_t shape[2] = {0, 0}, dense = 0;
    if (s->dense_every > 0)
        must_succeed(tw_sim_add_material(sim, "dense", 5000.0, &dense, &error), &error);
    if (s->shapes != SPHERES) {
        const tw_sphere pair[3] = {
            {{-0.3, 0.0, 0.0}, 0.9}, {{0.3, 0.1, 0.0}, 0.8}, {{0.1, 0.4, 0.2}, 0.7}};
        shape[0] = must_add_shape_bumpy(sim, 6, 0.6, 0.9, 0.55);
        shape[1] = s->shapes == MIXED ? 0 : must_add_shape(sim, pair, 3);
    }
    for (int i = 0; i < side * side * side; i++) {
        tw_body_def body = tw_body_def_default();
        body.shape = shape[i % 2];
        body.size = grain * support_uniform(&random, 0.99, 1.01);
        body.x = tw_vec3_make(pitch * (i % side + 0.5), pitch * (i / side % side + 0.5),
                              pitch * (i / side / side + 0.5));
        body.q = tensor_quat(tensor_random_turn(&random));
        body.v = support_vector(&random, 0.01, 0.1);
        body.w = support_vector(&random, 1.0, 300.0);
        body.fixed = s->fixed_every > 0 && i % s->fixed_every == 0;
        if (s->dense_every > 0 && i % s->dense_every == 0) body.material = dense;
        scene_add(sim, &body);
    }
    if (s->walls) add_walls(sim, side * pitch);
    tw_mat3 gradient = tensor_diagonal(-20.0, 10.0, 0.0);
    if (!s->walls) gradient.m[2] = 15.0;
    tw_sim_set_velocity_gradient(sim, &gradient);
    scene_run(sim, 5);
    return sim;
}

#define same(a, b, count) assert_memory_equal(a, b, (count) * sizeof *(a))

static void check_columns(const tw_bodies *a, const tw_bodies *b)
{
    assert_int_equal(a->count, b->count);
    same(a->v, b->v, a->count);
    same(a->l, b->l, a->count);
    same(a->x, b->x, a->count);
    same(a->q, b->q, a->count);
    same(a->dx, b->dx, a->count);
    same(a->gibbs, b->gibbs, a->count);
}

/* Centres of bodies have a radius only if every body is one sphere. */
static void check_slots(const tw_schedule *a, const tw_schedule *b)
{
    const tw_tiles *s = &a->tiles, *t = &b->tiles;
    for (size_t k = 0; k < s->count; k++) {
        const tw_tile *tile = &s->tile[k];
        same(s->half + tile->body_slot, t->half + tile->body_slot, tile->body_slots);
        same(s->sphere_slot + tile->sphere_slot, t->sphere_slot + tile->sphere_slot,
             tile->sphere_slots);
        for (uint32_t i = tile->body_slot; i < tile->body_slot + tile->body_slots; i++)
            same(s->centre[i].x, t->centre[i].x, 3);
    }
}

static double total(const double *part, uint32_t count)
{
    double sum = 0.0;
    for (uint32_t i = 0; i < count; i++)
        sum += part[i];
    return sum;
}

/* Orders of summation differ: the number of terms times the rounding of the largest sum. */
static void check_sum(double before, double after, const double *part, uint32_t count)
{
    double scale = fabs(before) + fabs(after);
    for (uint32_t i = 0; i < count; i++)
        scale += fabs(part[i]);
    expect_at_most(fabs(after - before - total(part, count)), 1e-15 * count * scale);
}

static void check_parts(const tw_device_world *w, const tw_energy_balance *before,
                        const tw_energy_balance *after, int fixed)
{
    const double damping = total(w->part[TW_DEVICE_PART_DAMPING], w->bodies);
    const double gravity = total(w->part[TW_DEVICE_PART_GRAVITY], w->bodies);
    check_sum(before->body_damping, after->body_damping, w->part[TW_DEVICE_PART_DAMPING],
              w->bodies);
    check_sum(before->gravity, after->gravity, w->part[TW_DEVICE_PART_GRAVITY], w->bodies);
    assert_true(w->move.kick.damped ? damping > 0.0 : damping == 0.0);
    assert_true(w->move.kick.heavy ? gravity != 0.0 : gravity == 0.0);
    assert_true(total(w->part[TW_DEVICE_PART_CELL], w->bodies) != 0.0);
    assert_true((total(w->part[TW_DEVICE_PART_DRIVEN], w->bodies) != 0.0) == fixed);
    if (w->state.wall_count == 0)
        check_sum(before->walls, after->walls, w->part[TW_DEVICE_PART_DRIVEN], w->bodies);
}

static void move(tw_device_world *w)
{
    for (uint32_t i = w->bodies; i-- > 0;)
        w->run.alike ? tw_device_move_alike(w, i) : tw_device_move(w, i);
    for (uint32_t s = 0; s < w->spheres && !w->run.single; s++)
        tw_device_move_sphere(w, s);
    for (uint32_t g = 0; g < w->ghost_spheres && !w->run.single; g++)
        tw_device_move_ghost_sphere(w, g);
    for (uint32_t i = 0; i < w->bodies; i++)
        tw_device_gather(w, i); /* rotations */
}

static void check_travel(const tw_device_world *w, const tw_schedule *schedule)
{
    const tw_travel most = tw_travel_farthest(&schedule->tiles);
    const double own = tw_math_of_bits(w->run.own);
    const int square = w->run.single && w->state.wall_count == 0;
    assert_true(most.own > 0.0);
    assert_true((square ? sqrt(own) : own) == most.own);
    if (w->state.wall_count > 0) assert_true(tw_math_of_bits(w->run.absolute) == most.absolute);
}

static void test_bodies_move_as_on_the_cpu(void **unused)
{
    (void)unused;
    for (int k = 0; k < SCENES; k++) {
        tw_sim *a = make(&scenes[k]), *b = make(&scenes[k]);
        const tw_energy_balance before = a->state.balance;
        tw_device_world w;
        mirror_make(&w, b);
        assert_int_equal(w.run.fixed, scenes[k].fixed_every > 0);
        assert_int_equal(w.run.single, scenes[k].shapes == SPHERES);
        assert_int_equal(w.run.alike, k == 0); /* exact law, no cluster, none fixed */
        assert_true(w.ghosts > 0 && w.tiles > 1);
        assert_int_equal((w.run.flags & TW_CONTACT_BY_MASS) != 0, scenes[k].mass > 0.0);
        tw_device_runtime runtime = {0, 0, 0};
        tw_device_steer_each(&runtime, &w);
        move(&w);
        tw_move_bodies(&a->model, &a->state, &a->schedule);
        for (size_t t = 0; t < a->schedule.tiles.count; t++)
            tw_tile_load_ghosts(&a->state, &a->schedule, &a->schedule.tiles.tile[t]);
        printf("%s: %u ghosts\n", scenes[k].name, w.ghosts);
        check_columns(&a->state.bodies, &w.state.bodies);
        check_slots(&a->schedule, &w.schedule);
        check_travel(&w, &a->schedule);
        check_parts(&w, &before, &a->state.balance, w.run.fixed);
        mirror_free(&w);
        tw_sim_free(a);
        tw_sim_free(b);
    }
}

/* ---- Forces ---- */

/* Random loads of all contacts; sums depend on their order. */
static void load(tw_device_world *w, support_random *random)
{
    for (uint32_t s = 0; s < w->slots; s++) {
        const int used = w->schedule.slots.pair[s] != TW_NO_PAIR;
        for (int j = 0; j < 6; j++)
            w->load[6 * (size_t)s + (size_t)j] = used ? support_uniform(random, -1.0, 1.0) : 0.0;
    }
    for (uint32_t k = 0; k < w->tiles; k++) {
        const tw_tile *tile = &w->schedule.tiles.tile[k];
        for (uint32_t i = 0; i < tile->walls; i++) {
            w->how[tile->wall_slot + i] = i % 3 ? TW_DEVICE_SINGLE : TW_DEVICE_EMPTY;
            for (uint32_t j = 0; j < 9; j++)
                w->wall_load[9 * (tile->wall_pair + i) + j] = support_uniform(random, -1.0, 1.0);
        }
    }
}

static void add(tw_tile_accumulator *to, double sign, const double force[3], const double turn[3])
{
    for (int j = 0; j < 3; j++) {
        to->force[j] += sign * force[j];
        to->torque[j] += sign * turn[j];
    }
}

/* What a tile of the CPU does with these loads: slot by slot, then walls. */
static void accumulate_tile(const tw_device_world *w, const tw_schedule *schedule,
                            const tw_tile *tile)
{
    tw_tile_accumulator *to = schedule->tiles.accumulator;
    memset(to + tile->body_slot, 0, tile->body_slots * sizeof *to);
    for (uint32_t s = tile->slot; s < tile->slot + tile->slots; s++) {
        if (schedule->slots.pair[s] == TW_NO_PAIR) continue;
        const double f[3] = {w->load[6 * (size_t)s + 0], w->load[6 * (size_t)s + 1],
                             w->load[6 * (size_t)s + 2]};
        const double t[3] = {w->load[6 * (size_t)s + 3], w->load[6 * (size_t)s + 4],
                             w->load[6 * (size_t)s + 5]};
        add(&to[schedule->slots.body_p[s]], 1.0, f, t);
        add(&to[schedule->slots.body_q[s]], -1.0, f, t);
    }
    for (uint32_t k = 0; k < tile->walls; k++) {
        const uint32_t at = tile->wall_pair + k;
        const double *one = w->wall_load + (size_t)9 * at, none[3] = {0.0, 0.0, 0.0};
        if (w->how[tile->wall_slot + k] == TW_DEVICE_EMPTY) continue;
        const tw_pair *pair = &schedule->pairs.pair[schedule->tiles.wall_pair[at]];
        const uint32_t slot = tile->body_slot + schedule->spheres.body[pair->p] - tile->body;
        const tw_vec3 turn = tw_vec3_cross(tw_vec3_make(one[6], one[7], one[8]),
                                           tw_vec3_make(one[0], one[1], one[2]));
        const double t[3] = {turn.x, turn.y, turn.z};
        add(&to[slot], 1.0, one, t);
        add(&to[slot], 1.0, none, one + 3);
    }
    for (uint32_t k = tile->body_slot; k < tile->body_slot + tile->body_slots; k++) {
        const double *x = schedule->tiles.centre[k].x, *f = to[k].force;
        const tw_vec3 turn =
            tw_vec3_cross(tw_vec3_make(x[0], x[1], x[2]), tw_vec3_make(f[0], f[1], f[2]));
        to[k].torque[0] -= turn.x;
        to[k].torque[1] -= turn.y;
        to[k].torque[2] -= turn.z;
    }
}

static void accumulate(tw_device_world *w, int wide)
{
    tw_device_runtime runtime = {0, 0, 0};
    if (wide)
        tw_device_accumulate_wide_each(&runtime, w, w->tiles);
    else
        tw_device_accumulate_narrow_each(&runtime, w, w->tiles);
    assert_int_equal(w->run.gathered, 0);
    for (uint32_t i = 0; i < w->bodies; i++)
        tw_device_gather(w, i);
}

static tw_status accumulate_cpu(const tw_device_world *w, tw_sim *a, tw_error *error)
{
    for (size_t t = 0; t < a->schedule.tiles.count; t++)
        accumulate_tile(w, &a->schedule, &a->schedule.tiles.tile[t]);
    return tw_gather_forces(&a->state, &a->schedule, error);
}

/* The sum of the moments of forces in a tile. */
static void check_moment(const tw_device_world *w, uint32_t number)
{
    const tw_tile *tile = &w->schedule.tiles.tile[number];
    double m[9][TW_SUM_LANES] = {{0.0}};
    assert_true(tile->body_slots > 2 * TW_DEVICE_ACCUMULATE_CHUNK);
    for (uint32_t k = 0; k < tile->body_slots; k++) {
        const double *x = w->schedule.tiles.centre[tile->body_slot + k].x;
        const double *f = w->body_load + 6 * (size_t)(tile->body_slot + k);
        for (uint32_t j = 0; j < 9; j++)
            m[j][k % TW_SUM_LANES] += x[j / 3] * f[j % 3];
    }
    for (uint32_t j = 0; j < 9; j++) {
        const double sum = tw_sum_lanes_join(m[j]);
        same(&sum, tw_device_sums_tile(w, TW_DEVICE_SUM_MOMENT + j, number), 1);
    }
}

static void check_forces(const tw_device_world *w, tw_sim *a)
{
    for (uint32_t t = 0; t < w->tiles; t++)
        check_moment(w, t);
    tw_error error;
    assert_int_equal(accumulate_cpu(w, a, &error), TW_STATUS_OK);
    same(a->state.bodies.force, w->state.bodies.force, w->bodies);
    same(a->state.bodies.torque, w->state.bodies.torque, w->bodies);
    for (uint32_t b = 0; b < w->body_slots; b++)
        same(a->schedule.tiles.accumulator[b].force, w->body_load + 6 * (size_t)b, 6);
    assert_true(w->run.bad_body == UINT64_MAX);
}

/* Every third contact parts, in both simulations. */
static void part(tw_device_world *w, tw_sim *a)
{
    const tw_schedule *s = &w->schedule;
    for (uint32_t k = 0; k < w->tiles; k++) {
        const tw_tile *tile = &s->tiles.tile[k];
        for (uint32_t slot = tile->slot; slot < tile->slot + tile->slots; slot += 3) {
            if (s->slots.pair[slot] == TW_NO_PAIR) continue;
            w->changed[s->slots.body_p[slot]] = w->changed[s->slots.body_q[slot]] = 1;
            s->pairs.slot[s->slots.pair[slot]] = TW_NO_SLOT;
            tw_tile_load_empty(&w->state, &w->schedule, tile, slot);
            tw_tile_load_empty(&a->state, &a->schedule, tile, slot);
        }
    }
}

static void test_forces_are_summed_as_on_the_cpu(void **unused)
{
    (void)unused;
    for (int k = 0; k < SCENES; k++) {
        support_random random = {33};
        tw_sim *a = make(&scenes[k]), *b = make(&scenes[k]);
        tw_device_world w;
        mirror_make(&w, b);
        printf("%s: %zu contacts\n", scenes[k].name, w.state.sums.contacts);
        assert_true(w.state.sums.contacts > w.bodies / 2);
        load(&w, &random);
        accumulate(&w, 0);
        check_forces(&w, a);
        memset(w.tile_sum, 0, TW_DEVICE_SUM_ROOM * w.tiles * sizeof *w.tile_sum);
        memset(w.body_load, 0, 6 * (size_t)w.body_slots * sizeof *w.body_load);
        accumulate(&w, 1);
        check_forces(&w, a);
        part(&w, a);
        load(&w, &random);
        accumulate(&w, k % 2);
        check_forces(&w, a);
        mirror_free(&w);
        tw_sim_free(a);
        tw_sim_free(b);
    }
}

static void test_a_force_that_is_not_finite_is_reported(void **unused)
{
    (void)unused;
    support_random random = {5};
    tw_sim *a = make(&scenes[0]), *b = make(&scenes[0]);
    tw_device_world w;
    tw_error error;
    char text[64];
    mirror_make(&w, b);
    load(&w, &random);
    const uint32_t slot = w.schedule.tiles.tile[1].slot + 3;
    assert_true(w.schedule.slots.pair[slot] != TW_NO_PAIR);
    w.load[6 * (size_t)slot + 4] = (double)INFINITY;
    accumulate(&w, 0);
    assert_int_equal(accumulate_cpu(&w, a, &error), TW_STATUS_PHYSICS);
    assert_true(w.run.bad_body < w.bodies);
    snprintf(text, sizeof text, "body %u ", w.state.bodies.id[w.run.bad_body]);
    assert_non_null(strstr(error.text, text));
    mirror_free(&w);
    tw_sim_free(a);
    tw_sim_free(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bodies_move_as_on_the_cpu),
        cmocka_unit_test(test_forces_are_summed_as_on_the_cpu),
        cmocka_unit_test(test_a_force_that_is_not_finite_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
