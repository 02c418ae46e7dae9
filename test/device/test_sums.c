/* SPDX-License-Identifier: BSD-3-Clause */
/* Whole steps of a device, with its servo, sums and energy balance, stable step and stiffness:
 * against the CPU, bit by bit. */
#include <math.h>
#include <string.h>

#include <twirl/material.h>

#include "../must.h"
#include "mirror.h"
#include "packing.h"

#include "base/sum.h"
#include "device/device_runtime_host.h"
#include "device/device_stable.h"
#include "device/device_sums.h"
#include "device/device_sums_few.h"
#include "step/stable.h"

static const double grain = 1e-3, gap = 1.97e-3;

typedef struct scene {
    const char *name;
    int bumpy, box, side;
    double local, mass, spin;
    tw_contact_law law;
} scene;

static void add_bodies(tw_sim *sim, const scene *c, uint32_t shape)
{
    support_random random = {29};
    for (int i = 0; i < c->side * c->side * c->side; i++) {
        const int k[3] = {i % c->side, i / c->side % c->side, i / c->side / c->side};
        tw_body_def body = tw_body_def_default();
        body.shape = shape;
        body.size = (c->bumpy ? 0.86 : 1.0) * grain * support_uniform(&random, 0.93, 1.01);
        body.x.x = gap * (k[0] + 0.5 + support_uniform(&random, -0.02, 0.02));
        body.x.y = gap * (k[1] + 0.5 + support_uniform(&random, -0.02, 0.02));
        body.x.z = gap * (k[2] + 0.51 + support_uniform(&random, -0.02, 0.02));
        body.q = tensor_quat(tensor_random_turn(&random));
        body.v = support_vector(&random, 0.01, 0.05);
        body.w = support_vector(&random, 5.0, 20.0);
        body.fixed = c->box && i % 37 == 5;
        scene_add(sim, &body);
    }
}

/* Clusters must be arranged: on a lattice they would fly apart. */
static tw_sim *make_packing(const scene *c)
{
    packing_def def = packing_def_default();
    def.side = c->side;
    def.bumpy = 1;
    def.overlap = 3e-3;
    tw_sim *sim = packing_make(&def);
    scene_set_law(sim, &c->law);
    scene_set_damping(sim, c->mass, c->spin, c->local);
    return sim;
}

static tw_sim *make(const scene *c)
{
    if (c->bumpy && !c->box) return make_packing(c);
    const double edge = c->side * gap;
    tw_sim_def def = tw_sim_def_default();
    def.cell = tensor_diagonal(edge, edge, edge);
    def.law = c->law;
    def.damping_local = c->local;
    def.damping_mass = c->mass;
    def.damping_spin = c->spin;
    def.threads = 1;
    if (c->box) {
        def.periodic[2] = 0;
        def.gravity = tw_vec3_make(1.0, 0.0, -9.8);
    }
    tw_sim *sim = scene_create(&def);
    add_bodies(sim, c, c->bumpy ? must_add_shape_bumpy(sim, 6, 0.6, 0.8, 0.64) : 0);
    for (int k = 0; c->box && k < 2; k++) {
        tw_wall_def wall = tw_wall_def_default();
        wall.point.z = k ? 1.005 * edge : 0.0;
        wall.normal = tw_vec3_make(0.0, 0.0, k ? -1.0 : 1.0);
        wall.servo = k;
        wall.force = k ? 2.0 : 0.0;
        must_add_wall(sim, &wall);
    }
    return sim;
}

static void set_control(tw_sim *sim, const scene *c, int shear)
{
    tw_error error;
    tw_control control = tw_control_default();
    if (c->box) return;
    for (int k = TW_XX; k <= TW_ZZ; k++)
        control.row[k] = tw_control_stress(k, 1e5);
    if (shear) {
        control.row[TW_XZ] = tw_control_rate(TW_XZ, 20.0);
        control.row[TW_XY].ramp = 100.0;
        control.row[TW_XY].target = 3.0;
        control.simple_shear = 1;
    }
    must_succeed(tw_sim_set_control(sim, &control, &error), &error);
}

static void compare(const tw_sim *cpu, const tw_sim *sim, const tw_device_world *w,
                    const char *name)
{
    const tw_state *a = &cpu->state, *b = &sim->state;
    const unsigned long long step = a->steps;
    double kinetic[TW_COMPONENTS];
    tw_servo_kinetic(&a->bodies, kinetic);
    if (a->steps != b->steps || tw_math_bits(a->time) != tw_math_bits(b->time))
        fail_msg("%s, step %llu: time differs", name, step);
    if (memcmp(&a->balance, &b->balance, sizeof a->balance) != 0)
        fail_msg("%s, step %llu: balance: friction %a %a, cell %a %a, walls %a %a, damping %a %a",
                 name, step, a->balance.friction, b->balance.friction, a->balance.cell,
                 b->balance.cell, a->balance.walls, b->balance.walls, a->balance.body_damping,
                 b->balance.body_damping);
    if (memcmp(&a->sums.moment, &b->sums.moment, sizeof a->sums.moment) != 0)
        fail_msg("%s, step %llu: moments %a and %a", name, step, a->sums.moment.m[0],
                 b->sums.moment.m[0]);
    if (a->sums.contacts != b->sums.contacts || a->sums.sliding != b->sums.sliding)
        fail_msg("%s, step %llu: %zu and %zu contacts", name, step, a->sums.contacts,
                 b->sums.contacts);
    if (tw_math_bits(a->dt) != tw_math_bits(b->dt))
        fail_msg("%s, step %llu: dt %a and %a", name, step, a->dt, b->dt);
    if (memcmp(kinetic, w->kinetic, sizeof kinetic) != 0)
        fail_msg("%s, step %llu: kinetic stress %a and %a", name, step, kinetic[0], w->kinetic[0]);
    if (memcmp(&cpu->servo, &sim->servo, sizeof cpu->servo) != 0)
        fail_msg("%s, step %llu: servo differs", name, step);
    if (tw_sim_hash(cpu) != tw_sim_hash(sim)) fail_msg("%s, step %llu: state differs", name, step);
}

/* The stable step, with the lists of contacts as the last step left them, and from scratch. */
static void compare_stable(tw_sim *cpu, tw_device_world *w, const char *name)
{
    const tw_stable_limit limit = tw_stable_find(&cpu->model, &cpu->state, &cpu->schedule);
    uint8_t *changed = calloc(w->body_slots, 1);
    memcpy(changed, w->changed, w->body_slots);
    for (int again = 0; again < 2; again++) {
        tw_device_stable_begin(w, 0);
        for (uint32_t i = 0; i < w->bodies; i++)
            tw_device_stable_body(w, i);
        if (w->run.least_dt != tw_math_bits(limit.dt))
            fail_msg("%s, step %llu: stable steps %a and %a", name,
                     (unsigned long long)cpu->state.steps, limit.dt,
                     tw_math_of_bits(w->run.least_dt));
        memset(w->changed, 1, w->body_slots);
    }
    for (uint32_t i = 0; i < w->bodies; i++) {
        const tw_tile_springs sum = tw_device_stable_springs(w, i);
        assert_int_equal(tw_device_stable_contacts(w, i), cpu->schedule.tiles.degree[i]);
        if (!tw_stable_is_uniform(&w->model, w->run.extras))
            assert_memory_equal(&sum, &cpu->schedule.tiles.springs[i], sizeof sum);
    }
    memcpy(w->changed, changed, w->body_slots);
    free(changed);
}

static void run(const scene *c)
{
    static const int parts[] = {1, 1, 1, 40, 57, 1, 110};
    tw_sim *cpu = make(c), *sim = scene_copy(cpu);
    for (int shear = 0; shear < 2; shear++) {
        tw_device_world *w = calloc(1, sizeof *w);
        set_control(cpu, c, shear);
        set_control(sim, c, shear);
        scene_run(cpu, 1);
        scene_run(sim, 1);
        mirror_make(w, sim);
        for (size_t k = 0; k < sizeof parts / sizeof *parts; k++) {
            const uint64_t steps = (uint64_t)scene_cases(parts[k]);
            scene_run(cpu, steps);
            w->run.apart = k % 2 == 0; /* tiles are joined like many */
            assert_int_equal(mirror_run(w, sim, steps), TW_DEVICE_DONE);
            mirror_back(w, sim);
            compare(cpu, sim, w, c->name);
            compare_stable(cpu, w, c->name);
        }
        print_message("%s: step %llu, search %llu, %zu contacts, %zu slide, friction %g J\n",
                      c->name, (unsigned long long)cpu->state.steps,
                      (unsigned long long)cpu->state.searches, cpu->state.sums.contacts,
                      cpu->state.sums.sliding, cpu->state.balance.friction);
        mirror_free(w);
        free(w);
        /* A new list, as the CPU's candidates are not kept up. */
        sim->schedule.valid = cpu->schedule.valid = 0;
    }
    tw_sim_free(cpu);
    tw_sim_free(sim);
}

static tw_contact_law law(void)
{
    tw_contact_law law = {.kn = 1e5, .kt = 6e4, .mu = 0.4};
    return law;
}

static void spheres_under_constant_pressure(void **state)
{
    (void)state;
    const scene c = {"spheres", 0, 0, 8, 0.2, 0.0, 0.0, law()};
    run(&c);
}

static void clusters_under_constant_pressure(void **state)
{
    (void)state;
    const scene c = {"clusters", 1, 0, 4, 0.1, 200.0, 100.0, law()};
    run(&c);
}

static void walls_gravity_and_fixed_bodies(void **state)
{
    (void)state;
    const scene c = {"box", 0, 1, 6, 0.1, 10.0, 20.0, law()};
    run(&c);
}

/* ---- Other laws ---- */

static tw_contact_law law_of(const tw_material *m)
{
    tw_contact_law law;
    const char *why = tw_material_pair_law(m, m, &law);
    if (why) fail_msg("%s", why);
    return law;
}

static tw_material sand(void)
{
    tw_material m = tw_material_default();
    m.normal = TW_CONTACT_LINEAR;
    m.kn = 1e5;
    m.kt = 0.8e5;
    m.young = 5e8;
    m.poisson = 0.25;
    m.mu = 0.4;
    return m;
}

static void hertz_springs_with_restitution(void **state)
{
    (void)state;
    tw_material m = sand();
    m.normal = TW_CONTACT_HERTZ;
    m.restitution = 0.6;
    const scene c = {"Hertz", 0, 0, 6, 0.0, 0.0, 0.0, law_of(&m)};
    run(&c);
}

static void rolling_and_twisting(void **state)
{
    (void)state;
    tw_material m = sand();
    m.mu_r = 0.1;
    m.mu_w = 0.05;
    const scene c = {"rolling", 1, 1, 4, 0.1, 0.0, 0.0, law_of(&m)};
    run(&c);
}

/* ---- The tree over many tiles ---- */

static void one_tile(void *context, size_t tile, double *sum)
{
    *sum = ((const double *)context)[tile];
}

static void tiles_are_joined_as_on_the_cpu(void **state)
{
    (void)state;
    enum { MOST = 64 * 70 + 3 };
    support_random random = {5};
    tw_device_sums_work work;
    tw_device_sums_few few;
    tw_device_world *w = calloc(1, sizeof *w);
    w->run.fixed = 1; /* the sum of a tile is taken as it is */
    double *x = calloc(MOST, sizeof *x), *room = calloc(MOST, sizeof *room), wanted;
    for (int i = 0; i < MOST; i++)
        x[i] = support_uniform(&random, -1.0, 1.0);
    for (uint32_t n = 1; n <= MOST; n = n < 70 ? n + 1 : n * 3 / 2 + 1) {
        const uint32_t tiles = n < MOST / 2 ? n : MOST;
        w->tiles = tiles;
        w->groups = (tiles + 63) / 64;
        w->tile_sum = calloc((size_t)TW_DEVICE_SUM_ROOM * tiles, sizeof(double));
        w->group_sum = calloc((size_t)TW_DEVICE_SUM_ROOM * w->groups, sizeof(double));
        w->sum_count = calloc(tw_device_sums_count_room(w->groups), sizeof(uint32_t));
        tw_sum_parts(tiles, 1, one_tile, x, room, &wanted);
        for (uint32_t t = 0; t < tiles; t++) /* in any order */
            tw_device_sums_put(w, 3, tiles - 1 - t, x[tiles - 1 - t]);
        assert_true(tw_math_bits(w->total[3]) == tw_math_bits(wanted));
        memcpy(tw_device_sums_tile(w, TW_DEVICE_SUM_DRIVEN_GATHER, 0), x, tiles * sizeof *x);
        for (uint32_t stage = 0; stage <= TW_DEVICE_SUMS_LEVELS; stage++)
            for (uint32_t thread = TW_DEVICE_SUMS_THREADS; thread-- > 0;)
                tw_device_sums_total(w, &work, TW_DEVICE_SUM_DRIVEN_GATHER, stage, thread);
        assert_true(tw_math_bits(w->total[TW_DEVICE_SUM_DRIVEN_GATHER]) == tw_math_bits(wanted));
        if (tiles <= TW_DEVICE_FEW_TILES) {
            for (uint32_t k = TW_DEVICE_SUMS_FEW_BRANCHES; k-- > 0;)
                tw_device_sums_few_branch(
                    w, &few, TW_DEVICE_SUM_DRIVEN_GATHER * TW_DEVICE_SUMS_FEW_BRANCHES + k, 1);
            tw_device_sums_few_total(w, &few, TW_DEVICE_SUM_DRIVEN_GATHER);
            assert_true(tw_math_bits(few.total[TW_DEVICE_SUM_DRIVEN_GATHER]) ==
                        tw_math_bits(wanted));
        }
        free(w->tile_sum);
        free(w->group_sum);
        free(w->sum_count);
    }
    free(room);
    free(x);
    free(w);
}

/* ---- Contacts that part ---- */

/* Two of three contacts part: `ended` receives 1 for their slots. Returns how many. */
static uint32_t part_some(tw_device_world *w, uint8_t *ended)
{
    uint32_t count = 0;
    for (uint32_t slot = 0; slot < w->slots; slot++) {
        const uint32_t tile = w->bundle_tile[slot / TW_BUNDLE];
        if (w->how[slot] != TW_DEVICE_LANES || slot % 3 == 0) continue;
        w->ended[w->schedule.tiles.tile[tile].slot + w->tile[tile].ended++] = slot;
        ended[slot] = 1;
        count++;
    }
    return count;
}

/* More than are listed, too. */
static void contacts_that_part_are_removed(void **state)
{
    (void)state;
    const scene c = {"spheres", 0, 0, 8, 0.2, 0.0, 0.0, law()};
    tw_sim *sim = make(&c);
    scene_run(sim, 1);
    tw_device_world *w = calloc(1, sizeof *w);
    tw_device_sums_few few;
    mirror_make(w, sim);
    uint8_t *ended = calloc(w->slots, 1);
    uint32_t *pair = calloc(w->slots, sizeof *pair), *body = calloc(w->slots, sizeof *body);
    memcpy(pair, w->schedule.slots.pair, w->slots * sizeof *pair);
    memcpy(body, w->schedule.slots.body_p, w->slots * sizeof *body);
    memset(w->changed, 0, w->body_slots);
    assert_true(part_some(w, ended) > TW_DEVICE_SUMS_FEW_PARTED);
    for (uint32_t k = TW_DEVICE_FEW_TILES; k-- > 0;)
        tw_device_sums_few_ended(w, &few, k);
    for (uint32_t k = TW_DEVICE_FEW_TILES; k-- > 0;)
        tw_device_sums_few_list(w, &few, k);
    for (uint32_t k = TW_DEVICE_SUMS_FEW_PARTED; k-- > 0;)
        tw_device_sums_few_remove(w, &few, k);
    for (uint32_t slot = 0; slot < w->slots; slot++) {
        const tw_tile *tile = &w->schedule.tiles.tile[w->bundle_tile[slot / TW_BUNDLE]];
        if (ended[slot]) {
            assert_int_equal(w->how[slot], TW_DEVICE_EMPTY);
            assert_int_equal(w->schedule.pairs.slot[pair[slot]], TW_NO_SLOT);
            assert_int_equal(w->rank[pair[slot]], 0);
            assert_true(w->changed[body[slot]] && tile->slot + tile->empty <= slot);
        } else if (w->how[slot] != TW_DEVICE_EMPTY) {
            assert_int_equal(w->schedule.pairs.slot[pair[slot]], slot);
        }
    }
    for (uint32_t tile = 0; tile < w->tiles; tile++)
        assert_int_equal(w->tile[tile].ended, 0);
    mirror_free(w);
    free(w);
    free(ended);
    free(pair);
    free(body);
    tw_sim_free(sim);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(spheres_under_constant_pressure),
        cmocka_unit_test(clusters_under_constant_pressure),
        cmocka_unit_test(walls_gravity_and_fixed_bodies),
        cmocka_unit_test(hertz_springs_with_restitution),
        cmocka_unit_test(rolling_and_twisting),
        cmocka_unit_test(tiles_are_joined_as_on_the_cpu),
        cmocka_unit_test(contacts_that_part_are_removed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
