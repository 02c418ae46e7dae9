/* SPDX-License-Identifier: BSD-3-Clause */
/* Steps and rotations of an emulated device against those of the CPU, bit by bit: grains that are
 * squeezed, sheared, released and turned, by every class of laws, with walls, gravity, fixed bodies
 * and the servo. */
#include <math.h>
#include <string.h>

#include <twirl/material.h>

#include "../must.h"
#include "packing.h"
#include "tensor.h"

#include "sim/sim_internal.h"

static const double grain = 1e-3, gap = 1.98e-3;

/* A scene on both, and what has occurred in it. */
typedef struct both {
    const char *name;
    tw_sim *cpu, *device;
    size_t slid, ended;
    uint64_t searches;
} both;

typedef struct scene {
    const char *name;
    tw_contact_law law;
    int bumpy, side;
    double speed, spin, dt; /* dt 0: the stable step */
    double rate;            /* factor of the velocity gradients */
    double turn;            /* in a step of a rotation as a whole; 0: none [rad] */
    int fixed;              /* a body is fixed */
} scene;

/* ---- Comparison ---- */

static both begin(const char *name, tw_sim *sim)
{
    tw_error error;
    both b = {.name = name, .cpu = sim, .device = scene_copy(sim)};
    must_succeed(tw_sim_set_device(b.device, "emulated", &error), &error);
    return b;
}

static void compare(both *b)
{
    const tw_state *x = &b->cpu->state, *y = &b->device->state;
    const unsigned long long step = x->steps;
    if (tw_sim_hash(b->cpu) != tw_sim_hash(b->device))
        fail_msg("%s, step %llu: the state differs", b->name, step);
    if (memcmp(&x->balance, &y->balance, sizeof x->balance) != 0)
        fail_msg("%s, step %llu: friction %a on the CPU, %a on the device; cell %a, %a; walls %a, "
                 "%a; damping %a, %a",
                 b->name, step, x->balance.lost.by[TW_CONTACT_LOST_FRICTION],
                 y->balance.lost.by[TW_CONTACT_LOST_FRICTION], x->balance.cell, y->balance.cell,
                 x->balance.walls, y->balance.walls, x->balance.lost.by[TW_CONTACT_LOST_DAMPING],
                 y->balance.lost.by[TW_CONTACT_LOST_DAMPING]);
    if (memcmp(&x->sums, &y->sums, sizeof x->sums) != 0)
        fail_msg("%s, step %llu: %zu contacts on the CPU, %zu on the device; energies %a, %a",
                 b->name, step, x->sums.contacts, y->sums.contacts,
                 x->sums.stored.of[TW_CONTACT_STORED_TANGENTIAL],
                 y->sums.stored.of[TW_CONTACT_STORED_TANGENTIAL]);
    if (tw_math_bits(x->dt) != tw_math_bits(y->dt))
        fail_msg("%s, step %llu: dt is %a on the CPU, %a on the device", b->name, step, x->dt,
                 y->dt);
    b->slid += x->sums.sliding;
}

static void run(both *b, const tw_mat3 *gradient, int steps, int every)
{
    if (gradient) {
        tw_sim_set_velocity_gradient(b->cpu, gradient);
        tw_sim_set_velocity_gradient(b->device, gradient);
    }
    for (int k = 0; k < steps; k += every) {
        const size_t before = b->cpu->state.sums.contacts;
        scene_run(b->cpu, (uint64_t)every);
        scene_run(b->device, (uint64_t)every);
        compare(b);
        if (b->cpu->state.sums.contacts < before) b->ended++;
    }
}

static void turn(both *b, double size)
{
    tw_error error;
    for (int k = 0; k < 5; k++) {
        const tw_vec3 by = {0.5 * size, -0.3 * size, 0.8 * size};
        must_succeed(tw_sim_rotate(b->cpu, by, 1, &error), &error);
        must_succeed(tw_sim_rotate(b->device, by, 1, &error), &error);
        compare(b);
    }
}

static void end(both *b)
{
    b->searches = b->cpu->state.searches;
    print_message("%s: contacts that slide %zu, steps in which some part %zu, searches %llu\n",
                  b->name, b->slid, b->ended, (unsigned long long)b->searches);
    tw_sim_free(b->cpu);
    tw_sim_free(b->device);
}

/* ---- Grains in a periodic cell ---- */

static void fill(tw_sim *sim, const scene *c, uint32_t shape)
{
    support_random random = {17};
    for (int i = 0; i < c->side * c->side * c->side; i++) {
        const int k[3] = {i % c->side, i / c->side % c->side, i / c->side / c->side};
        tw_body_def body = tw_body_def_default();
        const double y = gap * (k[1] + support_uniform(&random, 0.48, 0.52));
        body.shape = shape;
        body.size = (c->bumpy ? 0.8 : 1.0) * grain * support_uniform(&random, 0.9, 1.02);
        body.x.x = gap * (k[0] + support_uniform(&random, 0.48, 0.52));
        body.x.y = y;
        body.x.z = gap * (k[2] + support_uniform(&random, 0.48, 0.52));
        body.q = tensor_quat(tensor_random_turn(&random));
        body.v = support_vector(&random, 0.5 * c->speed, c->speed);
        body.w = support_vector(&random, 0.5 * c->spin, c->spin);
        body.fixed = c->fixed && i == 5;
        scene_add(sim, &body);
    }
}

static tw_sim_def definition(const scene *c)
{
    const double edge = c->side * gap;
    tw_sim_def def = tw_sim_def_default();
    def.cell = tensor_diagonal(edge, edge, edge);
    def.law = c->law;
    def.density = 2650.0;
    def.damping_mass = 300.0;
    def.dt = c->dt;
    def.threads = 1;
    return def;
}

static tw_sim *make(const scene *c)
{
    const tw_sim_def def = definition(c);
    tw_sim *sim = scene_create(&def);
    fill(sim, c, c->bumpy ? must_add_shape_bumpy(sim, 6, 0.6, 0.8, 0.64) : 0);
    must_prepare(sim);
    return sim;
}

static both play(const scene *c)
{
    const tw_mat3 squeeze = {{-200.0, 0.0, 100.0, 10.0, -150.0, 0.0, 0.0, 0.0, -180.0}};
    const tw_mat3 release = {{80.0, 300.0, 0.0, 0.0, 60.0, 0.0, 50.0, 0.0, 70.0}};
    const tw_mat3 scaled = tensor_add_scaled(tensor_zero(), c->rate, squeeze);
    both b = begin(c->name, make(c));
    run(&b, &scaled, scene_cases(20), 1);
    run(&b, NULL, scene_cases(230), 23);
    run(&b, &release, scene_cases(150), 15);
    if (c->turn > 0.0) turn(&b, c->turn);
    run(&b, &release, 10, 1);
    end(&b);
    if (!scene_thorough()) return b;
    assert_true(b.ended > 0 && b.searches > 1);
    return b;
}

static tw_contact_law law_of(int32_t kind, uint32_t refine, double kt, double mu)
{
    tw_contact_law law = support_law(1e5, kt, mu);
    law.kind = kind;
    law.refine = refine;
    return law;
}

static void one_linear_law(void **state)
{
    (void)state;
    const uint32_t all = TW_CONTACT_ALL;
    const scene scenes[] = {
        {"spheres", law_of(TW_CONTACT_EXACT, all, 0.8e5, 0.4), 0, 6, 0.2, 200.0, 1e-6, 1.0, 0.05,
         0},
        {"with a fixed body", law_of(TW_CONTACT_EXACT, all, 0.8e5, 0.4), 0, 4, 0.2, 200.0, 1e-6,
         1.0, 0.05, 1},
        {"bumpy grains", law_of(TW_CONTACT_EXACT, all, 0.8e5, 0.1), 1, 5, 0.2, 200.0, 1e-6, 4.0,
         3e-4, 0},
        {"fast spin, stiff", law_of(TW_CONTACT_EXACT, all, 1e6, 0.3), 0, 4, 1.0, 20000.0, 5e-7, 1.0,
         0.0, 0},
        {"conventional", law_of(TW_CONTACT_CONVENTIONAL, all, 0.8e5, 0.4), 0, 5, 0.2, 200.0, 1e-6,
         1.0, 0.05, 0},
        {"paper", law_of(TW_CONTACT_PAPER, all, 0.8e5, 0.4), 1, 4, 0.2, 200.0, 1e-6, 4.0, 0.0, 0},
        {"no tilt", law_of(TW_CONTACT_EXACT, all & ~(uint32_t)TW_CONTACT_TILT, 1e5, 0.3), 0, 4, 0.2,
         200.0, 1e-6, 1.0, 0.0, 0},
        {"no twirl", law_of(TW_CONTACT_EXACT, all & ~(uint32_t)TW_CONTACT_TWIRL, 1e5, 0.3), 0, 4,
         0.2, 200.0, 1e-6, 1.0, 0.0, 0},
    };
    for (size_t k = 0; k < sizeof scenes / sizeof *scenes; k++) {
        const both b = play(&scenes[k]);
        if (scene_thorough()) assert_true(b.slid > 0);
    }
}

/* Contacts without friction slide, with a friction too small to square they are advanced one by
 * one, and without tangential stiffness they have no short slides. */
static void degenerate_laws(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        double kt, mu;
    } laws[] = {{"frictionless", 0.8e5, 0.0},
                {"hardly any friction", 0.8e5, 1e-75},
                {"no tangential spring", 0.0, 0.4},
                {"hardly any of both", 0.0, 1e-75}};
    for (size_t k = 0; k < sizeof laws / sizeof *laws; k++) {
        const scene c = {laws[k].name,
                         law_of(TW_CONTACT_EXACT, TW_CONTACT_ALL, laws[k].kt, laws[k].mu),
                         0,
                         4,
                         0.2,
                         200.0,
                         1e-6,
                         1.0,
                         0.0,
                         0};
        play(&c);
    }
}

/* ---- Laws of materials ---- */

static tw_material sand(int32_t normal)
{
    tw_material m = tw_material_default();
    m.normal = normal;
    m.kn = 1e5;
    m.kt = 0.8e5;
    m.young = 5e8;
    m.poisson = 0.25;
    m.friction = 0.4;
    return m;
}

static tw_contact_law law_between(const tw_material *a, const tw_material *b)
{
    tw_contact_law law;
    const char *why = tw_material_pair_law(a, b, &law);
    if (why) fail_msg("%s", why);
    return law;
}

static void play_law(const char *name, const tw_contact_law *law, int bumpy)
{
    const scene c = {name, *law, bumpy, 4, 0.2, 200.0, 0.0, bumpy ? 4.0 : 1.0, 0.03, 1};
    play(&c);
}

static void hertz_contacts(void **state)
{
    (void)state;
    tw_material m = sand(TW_CONTACT_HERTZ);
    tw_contact_law law = law_between(&m, &m);
    play_law("Hertz", &law, 0);
    law.kind = TW_CONTACT_CONVENTIONAL;
    play_law("Hertz, conventional", &law, 1);
    m.restitution = 0.6;
    m.tangential_damping = 0.1;
    law = law_between(&m, &m);
    play_law("Hertz with damping", &law, 0);
    law.flags |= TW_CONTACT_NO_TENSION;
    play_law("Hertz with damping that does not pull", &law, 1);
}

static void rolling_and_twisting(void **state)
{
    (void)state;
    tw_material m = sand(TW_CONTACT_LINEAR);
    m.rolling_friction = 0.05;
    tw_contact_law law = law_between(&m, &m);
    play_law("rolling", &law, 0);
    law.k_w = law.kt;
    law.mu_w = 0.02;
    play_law("rolling and twisting", &law, 1);
    m = sand(TW_CONTACT_HERTZ);
    m.rolling_friction = 0.05;
    m.twisting_friction = 0.02;
    law = law_between(&m, &m);
    play_law("rolling and twisting of Hertz contacts", &law, 0);
    law.nu_n = law.nu_t = law.nu_r = law.nu_w = 0.2;
    law.flags |= TW_CONTACT_BY_MASS;
    play_law("the same with damping of all", &law, 0);
}

/* Stiffness by a modulus and the radii, with the levers of YADE. */
static void stiffness_follows_the_size(void **state)
{
    (void)state;
    tw_material m = sand(TW_CONTACT_LINEAR);
    m.kn = m.kt = 0.0;
    m.modulus = 1e5 / grain;
    m.kt_ratio = 0.8;
    tw_contact_law law = law_between(&m, &m);
    play_law("modulus", &law, 0);
    m.rolling_friction = 0.05;
    m.twisting_friction = 0.02;
    m.kr_ratio = m.kw_ratio = 0.1;
    m.yade_levers = 1;
    law = law_between(&m, &m);
    play_law("modulus, rolling and twisting as in YADE", &law, 1);
    law.nu_n = law.nu_t = law.nu_r = law.nu_w = 0.2;
    law.flags |= TW_CONTACT_BY_MASS;
    play_law("the same with damping", &law, 0);
    law.kind = TW_CONTACT_CONVENTIONAL;
    play_law("the same, conventional", &law, 1);
}

static void damped_linear_contacts(void **state)
{
    (void)state;
    const tw_material m = sand(TW_CONTACT_LINEAR);
    tw_contact_law law = law_between(&m, &m);
    law.nu_n = law.nu_t = 0.05;
    play_law("damping", &law, 0);
    law.kind = TW_CONTACT_PAPER;
    play_law("damping, law of the paper", &law, 0);
}

/* ---- Walls ---- */

/* Sand, steel and wood on a steel floor, under a lid of wood. */
static tw_sim *make_materials(void)
{
    tw_material m[3] = {sand(TW_CONTACT_HERTZ), sand(TW_CONTACT_HERTZ), sand(TW_CONTACT_HERTZ)};
    tw_contact_law laws[3][3];
    tw_error error;
    m[0].rolling_friction = m[2].rolling_friction = 0.1;
    m[1].young = 4.0 * m[0].young;
    m[1].friction = 0.2;
    m[1].restitution = 0.8;
    m[2].young = 0.5 * m[0].young;
    m[2].restitution = 0.5;
    for (int a = 0; a < 3; a++)
        for (int b = 0; b < 3; b++)
            laws[a][b] = law_between(&m[a], &m[b]);
    /* One pair has constants of its own, not by radius and mass. */
    laws[0][1] = tw_contact_law_at(&laws[0][1], 0.5 * grain, 5e-6, 1.0);
    laws[1][0] = laws[0][1];
    const scene c = {"materials", laws[0][0], 0, 5, 0.2, 200.0, 0.0, 1.0, 0.0, 1};
    tw_sim_def def = definition(&c);
    def.periodic[2] = 0;
    def.gravity = tw_vec3_make(100.0, 0.0, -1000.0);
    tw_sim *sim = scene_create(&def);
    must_succeed(tw_sim_add_material(sim, "steel", 7800.0, NULL, &error), &error);
    must_succeed(tw_sim_add_material(sim, "wood", 700.0, NULL, &error), &error);
    must_succeed(tw_sim_set_laws(sim, &laws[0][0], 9, &error), &error);
    tw_wall_def floor = tw_wall_def_default(), lid = floor;
    floor.material = 1;
    floor.v.x = 0.3;
    lid.material = 2;
    lid.point.z = c.side * gap;
    lid.normal.z = -1.0;
    lid.servo = 1;
    lid.force = 10.0;
    lid.v_max = 5.0;
    must_add_wall(sim, &floor);
    must_add_wall(sim, &lid);
    fill(sim, &c, 0);
    for (uint32_t i = 0; i < tw_sim_body_count(sim); i++)
        must_succeed(tw_sim_set_body_material(sim, i, i % 3, &error), &error);
    must_prepare(sim);
    return sim;
}

static void materials_and_walls(void **state)
{
    (void)state;
    const tw_mat3 press = {{0.0, 0.0, 0.0, 0.0, -300.0, 0.0, 0.0, 0.0, 0.0}},
                  release = {{0.0, 0.0, 0.0, 0.0, 200.0, 0.0, 0.0, 0.0, 0.0}}, rest = {{0.0}};
    both b = begin("materials", make_materials());
    run(&b, &press, scene_cases(200), 10);
    assert_true(must_wall(b.cpu, 0).force.z != 0.0);
    run(&b, &release, scene_cases(200), 10);
    turn(&b, 0.03);
    run(&b, &rest, 5, 1);
    end(&b);
}

/* ---- The servo ---- */

enum { STILL, SHEAR, FLUID, CONTROLS };

static void set_control(tw_sim *sim, int kind)
{
    tw_error error;
    tw_control control = tw_control_default();
    for (int k = TW_XX; k <= TW_ZZ; k++)
        control.row[k] = tw_control_stress(k, 1e5);
    if (kind == FLUID) { /* total stresses, strained along z */
        tw_measure m;
        must_succeed(tw_sim_measure(sim, &m, &error), &error);
        control.fluid = (tw_control_fluid){1e7, 2e4, m.volume, m.solid_volume};
        control.row[TW_ZZ] = tw_control_rate(TW_ZZ, -20.0);
    }
    if (kind == SHEAR) {
        control.row[TW_XZ] = tw_control_rate(TW_XZ, 20.0);
        control.row[TW_XY].ramp = 100.0;
        control.row[TW_XY].target = 3.0;
        control.simple_shear = 1;
    }
    must_succeed(tw_sim_set_control(sim, &control, &error), &error);
}

static void constant_pressure(void **state)
{
    (void)state;
    static const int parts[] = {1, 1, 1, 40, 57, 1, 110};
    for (int bumpy = 0; bumpy < 2; bumpy++) {
        packing_def def = packing_def_default();
        def.side = bumpy ? 4 : 8;
        def.bumpy = bumpy;
        def.overlap = 3e-3;
        tw_sim *sim = packing_make(&def);
        scene_set_damping(sim, bumpy ? 200.0 : 0.0, bumpy ? 100.0 : 0.0, 0.2);
        both b = begin(bumpy ? "clusters, servo" : "spheres, servo", sim);
        for (int kind = STILL; kind < CONTROLS; kind++) {
            set_control(b.cpu, kind);
            set_control(b.device, kind);
            for (size_t k = 0; k < sizeof parts / sizeof *parts; k++)
                run(&b, NULL, scene_cases(parts[k]), scene_cases(parts[k]));
            assert_memory_equal(&b.cpu->servo, &b.device->servo, sizeof b.cpu->servo);
        }
        assert_true(tw_sim_get_control_report(b.cpu).pore_pressure !=
                    2e4); /* the volume did change */
        end(&b);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_linear_law),
        cmocka_unit_test(degenerate_laws),
        cmocka_unit_test(hertz_contacts),
        cmocka_unit_test(rolling_and_twisting),
        cmocka_unit_test(stiffness_follows_the_size),
        cmocka_unit_test(damped_linear_contacts),
        cmocka_unit_test(materials_and_walls),
        cmocka_unit_test(constant_pressure),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
