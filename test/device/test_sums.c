/* SPDX-License-Identifier: BSD-3-Clause */
/* Whole steps of a device, with its servo, sums and energy balance, stable step and stiffness:
 * against the CPU, bit by bit. */
#include <math.h>
#include <string.h>

#include "../must.h"
#include "mirror.h"
#include "tensor.h"

#include "base/sum.h"
#include "device/device_sums.h"

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

static tw_sim *make(const scene *c)
{
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

static void run(const scene *c)
{
    static const int parts[] = {1, 1, 1, 40, 57, 1, 110};
    tw_sim *cpu = make(c), *sim = make(c);
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
            assert_int_equal(mirror_run(w, sim, steps), TW_DEVICE_DONE);
            mirror_back(w, sim);
            compare(cpu, sim, w, c->name);
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
    const scene c = {"clusters", 1, 0, 5, 0.0, 200.0, 100.0, law()};
    run(&c);
}

static void walls_gravity_and_fixed_bodies(void **state)
{
    (void)state;
    const scene c = {"box", 0, 1, 6, 0.1, 10.0, 20.0, law()};
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
    tw_device_world *w = calloc(1, sizeof *w);
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
        free(w->tile_sum);
        free(w->group_sum);
        free(w->sum_count);
    }
    free(room);
    free(x);
    free(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(spheres_under_constant_pressure),
        cmocka_unit_test(clusters_under_constant_pressure),
        cmocka_unit_test(walls_gravity_and_fixed_bodies),
        cmocka_unit_test(tiles_are_joined_as_on_the_cpu),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
