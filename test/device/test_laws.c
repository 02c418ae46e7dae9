/* SPDX-License-Identifier: BSD-3-Clause */
/* Contacts on a device by any law, contacts with walls, rigid rotations and stored energies:
 * against the CPU, every step of grains that are squeezed, sheared, released and turned. */
#include <math.h>
#include <string.h>

#include <twirl/material.h>

#include "../must.h"
#include "mirror.h"
#include "tensor.h"

/* What has occurred. */
typedef struct tally {
    size_t stuck, slid, single, ended, walls, walls_ended;
} tally;

static const double grain = 1e-3, gap = 1.98e-3;

static tw_material sand(int32_t normal)
{
    tw_material m = tw_material_default();
    m.normal = normal;
    m.kn = 1e5;
    m.kt = 0.8e5;
    m.young = 5e8;
    m.poisson = 0.25;
    m.mu = 0.4;
    return m;
}

static tw_contact_law law_of(const tw_material *a, const tw_material *b)
{
    tw_contact_law law;
    const char *why = tw_material_pair_law(a, b, &law);
    if (why) fail_msg("%s", why);
    return law;
}

static void fill(tw_sim *sim, int side, uint32_t shape, double size)
{
    support_random random = {23};
    for (int i = 0; i < side * side * side; i++) {
        const int k[3] = {i % side, i / side % side, i / side / side};
        tw_body_def body = tw_body_def_default();
        body.shape = shape;
        body.size = size * grain * support_uniform(&random, 0.9, 1.02);
        body.x.x = gap * (k[0] + support_uniform(&random, 0.48, 0.52));
        body.x.y = gap * (k[1] + support_uniform(&random, 0.48, 0.52));
        body.x.z = gap * (k[2] + support_uniform(&random, 0.48, 0.52));
        body.q = tensor_quat(tensor_random_turn(&random));
        body.v = support_vector(&random, 0.1, 0.2);
        body.w = support_vector(&random, 100.0, 200.0);
        body.fixed = i == 5;
        scene_add(sim, &body);
    }
}

static tw_sim_def definition(const tw_contact_law *law, int side)
{
    tw_sim_def def = tw_sim_def_default();
    def.cell = tensor_diagonal(side * gap, side * gap, side * gap);
    def.law = *law;
    def.damping_mass = 300.0;
    def.threads = 1;
    return def;
}

static tw_sim *make(const tw_contact_law *law, int bumpy)
{
    const tw_sim_def def = definition(law, 4);
    tw_sim *sim = scene_create(&def);
    const uint32_t shape = bumpy ? must_add_shape_bumpy(sim, 6, 0.6, 0.8, 0.64) : 0;
    fill(sim, 4, shape, bumpy ? 0.92 : 1.0);
    must_prepare(sim);
    return sim;
}

/* Sand, steel and wood on a steel floor, under a lid of wood. */
static tw_sim *make_materials(int32_t normal)
{
    enum { SIDE = 5 };
    tw_material m[3] = {sand(normal), sand(normal), sand(normal)};
    tw_contact_law laws[3][3];
    tw_error error;
    m[0].mu_r = m[2].mu_r = 0.1;
    m[1].young = 4.0 * m[0].young;
    m[1].mu = 0.2;
    m[1].restitution = 0.8;
    m[2].young = 0.5 * m[0].young;
    m[2].restitution = 0.5;
    for (int a = 0; a < 3; a++)
        for (int b = 0; b < 3; b++)
            laws[a][b] = law_of(&m[a], &m[b]);
    /* One pair has constants of its own, not by radius and mass. */
    laws[0][1] = tw_contact_law_at(&laws[0][1], 0.5 * grain, 5e-6);
    laws[1][0] = laws[0][1];
    tw_sim_def def = definition(&laws[0][0], SIDE);
    def.periodic[2] = 0;
    def.gravity = tw_vec3_make(100.0, 0.0, -1000.0);
    tw_sim *sim = scene_create(&def);
    must_succeed(tw_sim_add_material(sim, "steel", 7800.0, NULL, &error), &error);
    must_succeed(tw_sim_add_material(sim, "wood", 700.0, NULL, &error), &error);
    must_succeed(tw_sim_set_laws(sim, &laws[0][0], &error), &error);
    tw_wall_def floor = tw_wall_def_default(), lid = floor;
    floor.material = 1;
    floor.v.x = 0.3;
    lid.material = 2;
    lid.point.z = SIDE * gap;
    lid.normal.z = -1.0;
    lid.servo = 1;
    lid.force = 10.0;
    lid.v_max = 5.0;
    lid.gain = 1e-3; /* one of 0 is chosen by tw_sim_run */
    must_add_wall(sim, &floor);
    must_add_wall(sim, &lid);
    fill(sim, SIDE, 0, 1.0);
    for (uint32_t i = 0; i < tw_sim_bodies(sim); i++)
        must_succeed(tw_sim_set_body_material(sim, i, i % 3, &error), &error);
    must_prepare(sim);
    return sim;
}

static void count(const tw_device_world *w, tally *seen)
{
    for (uint32_t s = 0; s < w->slots; s++) {
        const tw_tile *tile = &w->schedule.tiles.tile[w->bundle_tile[s / TW_BUNDLE]];
        const int slides = w->state.contacts.sliding[s], wall = s >= tile->wall_slot;
        seen->stuck += w->how[s] == TW_DEVICE_LANES && !slides;
        seen->slid += w->how[s] == TW_DEVICE_LANES && slides;
        seen->single += !wall && w->how[s] == TW_DEVICE_SINGLE;
        seen->walls += wall && w->how[s] == TW_DEVICE_SINGLE;
        seen->walls_ended += wall && w->how[s] == TW_DEVICE_ENDED;
    }
}

/* ---- Comparison ---- */

static void same_bits(double a, double b, const char *what, uint64_t step)
{
    if (tw_math_bits(a) != tw_math_bits(b))
        fail_msg("step %llu: %s: %a on the CPU, %a on the device", (unsigned long long)step, what,
                 a, b);
}

static void compare_contacts(const tw_sim *a, const tw_sim *b, uint64_t step)
{
    const tw_pairs *p = &a->schedule.pairs;
    const tw_contacts *x = &a->state.contacts, *y = &b->state.contacts;
    if (p->count != b->schedule.pairs.count ||
        memcmp(p->slot, b->schedule.pairs.slot, p->count * sizeof *p->slot) != 0)
        fail_msg("step %llu: contacts differ", (unsigned long long)step);
    for (size_t k = 0; k < p->count; k++) {
        const uint32_t slot = p->slot[k];
        if (slot == TW_NO_SLOT) continue;
        const tw_contact_memory m = tw_bundle_get(x->bundle, slot),
                                o = tw_bundle_get(y->bundle, slot);
        const tw_contact_extra e = tw_extras_get(&x->extras, slot),
                               f = tw_extras_get(&y->extras, slot);
        if (memcmp(&m, &o, sizeof m) != 0)
            fail_msg("step %llu: memory of pair %zu (%s): overlaps %a and %a, ft.x %a and %a",
                     (unsigned long long)step, k,
                     tw_pair_is_plane(&p->pair[k]) ? "wall" : "spheres", m.zeta, o.zeta, m.ft.x,
                     o.ft.x);
        if (memcmp(&e, &f, sizeof e) != 0)
            fail_msg("step %llu: extras of pair %zu: fr.x %a and %a, drag.x %a and %a",
                     (unsigned long long)step, k, e.fr.x, f.fr.x, e.drag.x, f.drag.x);
        if (x->sliding[slot] != y->sliding[slot])
            fail_msg("step %llu: pair %zu slides in one of them", (unsigned long long)step, k);
    }
}

static void compare(const tw_sim *a, const tw_sim *b)
{
    const uint64_t step = a->state.steps;
    const tw_bodies *x = &a->state.bodies, *y = &b->state.bodies;
    const tw_energy_balance *p = &a->state.balance, *q = &b->state.balance;
    compare_contacts(a, b, step);
#define TW_COLUMN(type, name)                                                                      \
    if (memcmp(x->name, y->name, x->count * sizeof *x->name) != 0)                                 \
        fail_msg("step %llu: %s differs", (unsigned long long)step, #name);
#include "world/body_columns.def"
#undef TW_COLUMN
    assert_memory_equal(&a->state.cell, &b->state.cell, sizeof a->state.cell);
    for (size_t k = 0; k < a->state.wall_count; k++)
        if (memcmp(&a->state.walls[k], &b->state.walls[k], sizeof(tw_wall)) != 0)
            fail_msg("step %llu: wall %zu differs", (unsigned long long)step, k);
    same_bits(p->friction, q->friction, "friction", step);
    same_bits(p->micro_slip, q->micro_slip, "micro-slip", step);
    same_bits(p->rolling, q->rolling, "rolling", step);
    same_bits(p->twisting, q->twisting, "twisting", step);
    same_bits(p->contact_damping, q->contact_damping, "damping", step);
    assert_memory_equal(p, q, sizeof *p);
    same_bits(a->state.sums.normal, b->state.sums.normal, "normal energy", step);
    same_bits(a->state.sums.tangential, b->state.sums.tangential, "tangential energy", step);
    same_bits(a->state.sums.rolling, b->state.sums.rolling, "rolling energy", step);
    same_bits(a->state.sums.twisting, b->state.sums.twisting, "twisting energy", step);
    assert_memory_equal(&a->state.sums, &b->state.sums, sizeof a->state.sums);
    same_bits(a->state.dt, b->state.dt, "time step", step);
}

/* After a step or rotation of both. */
static void look(tw_device_world *w, const tw_sim *cpu, tw_sim *sim, size_t before, tally *seen)
{
    mirror_stored(w);
    mirror_back(w, sim);
    compare(cpu, sim);
    count(w, seen);
    if (cpu->state.sums.contacts < before) seen->ended += before - cpu->state.sums.contacts;
}

static void run_both(tw_device_world *w, tw_sim *cpu, tw_sim *sim, tw_mat3 gradient, int steps,
                     tally *seen)
{
    tw_sim_set_velocity_gradient(cpu, &gradient);
    w->state.cell.gradient = gradient;
    for (int k = 0; k < steps; k++) {
        const size_t before = cpu->state.sums.contacts;
        scene_run(cpu, 1);
        assert_int_equal(mirror_run(w, sim, 1), TW_DEVICE_DONE);
        look(w, cpu, sim, before, seen);
    }
}

static void turn_both(tw_device_world *w, tw_sim *cpu, tw_sim *sim, tally *seen)
{
    const tw_vec3 turn = {0.02, -0.01, 0.03};
    tw_error error;
    for (int k = 0; k < 5; k++) {
        const size_t before = cpu->state.sums.contacts;
        must_succeed(tw_sim_rotate(cpu, turn, 1, &error), &error);
        assert_int_equal(mirror_rotate(w, sim, turn), 0);
        look(w, cpu, sim, before, seen);
    }
}

static tally play(const char *name, tw_sim *cpu, tw_sim *sim, const tw_mat3 *gradient)
{
    tw_device_world w;
    tally s = {0};
    mirror_make(&w, sim);
    const int exact = w.model.laws->kind == TW_CONTACT_EXACT;
    assert_false(w.run.plain);
    run_both(&w, cpu, sim, gradient[0], scene_cases(200), &s);
    run_both(&w, cpu, sim, gradient[1], scene_cases(200), &s);
    turn_both(&w, cpu, sim, &s);
    run_both(&w, cpu, sim, gradient[2], 5, &s);
    print_message("%s: stuck %zu, slid %zu, singly %zu, ended %zu, walls %zu, ended %zu\n", name,
                  s.stuck, s.slid, s.single, s.ended, s.walls, s.walls_ended);
    mirror_free(&w);
    tw_sim_free(cpu);
    tw_sim_free(sim);
    if (!scene_thorough()) return s;
    assert_true(s.stuck > 0 && s.single > 0 && s.ended > 0);
    if (exact) assert_true(s.slid > 0);
    return s;
}

static void play_law(const char *name, const tw_contact_law *law, int bumpy)
{
    const tw_mat3 both[3] = {{{-200.0, 0.0, 100.0, 10.0, -150.0, 0.0, 0.0, 0.0, -180.0}},
                             {{80.0, 300.0, 0.0, 0.0, 60.0, 0.0, 50.0, 0.0, 70.0}}};
    play(name, make(law, bumpy), make(law, bumpy), both);
}

static void hertz_contacts_have_the_bits_of_the_cpu(void **state)
{
    (void)state;
    tw_material m = sand(TW_CONTACT_HERTZ);
    tw_contact_law law = law_of(&m, &m);
    play_law("Hertz", &law, 0);
    law.kind = TW_CONTACT_CONVENTIONAL;
    play_law("Hertz, conventional", &law, 1);
    m.restitution = 0.6;
    m.damping_t = 0.1;
    law = law_of(&m, &m);
    play_law("Hertz with damping", &law, 0);
    law.flags |= TW_CONTACT_NO_TENSION;
    play_law("Hertz with damping that does not pull", &law, 1);
}

static void rolling_and_twisting_have_the_bits_of_the_cpu(void **state)
{
    (void)state;
    tw_material m = sand(TW_CONTACT_LINEAR);
    m.mu_r = 0.05;
    tw_contact_law law = law_of(&m, &m);
    play_law("rolling", &law, 0);
    law.k_w = law.kt;
    law.mu_w = 0.02;
    play_law("rolling and twisting", &law, 1);
    m = sand(TW_CONTACT_HERTZ);
    m.mu_r = 0.05;
    m.mu_w = 0.02;
    law = law_of(&m, &m);
    play_law("rolling and twisting of Hertz contacts", &law, 0);
    law.nu_n = law.nu_t = law.nu_r = law.nu_w = 0.2;
    law.flags |= TW_CONTACT_BY_MASS;
    play_law("the same with damping of all", &law, 0);
}

static void damped_linear_contacts_have_the_bits_of_the_cpu(void **state)
{
    (void)state;
    const tw_material m = sand(TW_CONTACT_LINEAR);
    tw_contact_law law = law_of(&m, &m);
    law.nu_n = law.nu_t = 0.05;
    play_law("damping", &law, 0);
    law.kind = TW_CONTACT_PAPER;
    play_law("damping, law of the paper", &law, 0);
}

static void materials_and_walls_have_the_bits_of_the_cpu(void **state)
{
    (void)state;
    const tw_mat3 both[3] = {{{0.0, 0.0, 0.0, 0.0, -300.0, 0.0, 0.0, 0.0, 0.0}},
                             {{0.0, 0.0, 0.0, 0.0, 200.0, 0.0, 0.0, 0.0, 0.0}}};
    const tally s =
        play("materials", make_materials(TW_CONTACT_HERTZ), make_materials(TW_CONTACT_HERTZ), both);
    if (scene_thorough()) assert_true(s.walls > 0 && s.walls_ended > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hertz_contacts_have_the_bits_of_the_cpu),
        cmocka_unit_test(rolling_and_twisting_have_the_bits_of_the_cpu),
        cmocka_unit_test(damped_linear_contacts_have_the_bits_of_the_cpu),
        cmocka_unit_test(materials_and_walls_have_the_bits_of_the_cpu),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
