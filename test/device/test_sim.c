/* SPDX-License-Identifier: BSD-3-Clause */
/* A simulation on a device and one on the CPU are the same, seen through the public interface: what
 * is read, what is set between steps, where it goes on, and how it fails. */
#define _POSIX_C_SOURCE 200809L /* setenv */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../determinism/specimen.h"
#include "../must.h"
#include "sim/sim_internal.h"

enum { SIDE = 4 };

typedef struct both {
    tw_sim *cpu, *device;
} both;

static both make(specimen_kind kind)
{
    both b = {specimen_make(kind, SIDE, 3), specimen_make(kind, SIDE, 3)};
    tw_error error;
    must_succeed(tw_sim_set_device(b.cpu, "cpu", &error), &error);
    must_succeed(tw_sim_set_device(b.device, "emulated", &error), &error);
    return b;
}

static void end(both *b)
{
    tw_sim_free(b->cpu);
    tw_sim_free(b->device);
}

static void run(both *b, uint64_t steps)
{
    specimen_run(b->cpu, steps);
    specimen_run(b->device, steps);
}

static void assert_same(const both *b)
{
    assert_int_equal(tw_sim_steps(b->cpu), tw_sim_steps(b->device));
    assert_true(tw_sim_hash(b->cpu) == tw_sim_hash(b->device));
}

static void assert_same_numbers(const both *b)
{
    const tw_control_report p = tw_sim_get_control_report(b->cpu),
                            q = tw_sim_get_control_report(b->device);
    const tw_mat3 g = tw_sim_velocity_gradient(b->cpu), h = tw_sim_velocity_gradient(b->device);
    const tw_mat3 c = tw_sim_cell(b->cpu), d = tw_sim_cell(b->device);
    const double t = tw_sim_time(b->cpu), u = tw_sim_time(b->device);
    const double dt = tw_sim_dt(b->cpu), du = tw_sim_dt(b->device);
    size_t m = 0, n = 1;
    assert_memory_equal(&p, &q, sizeof p);
    assert_memory_equal(&g, &h, sizeof g);
    assert_memory_equal(&c, &d, sizeof c);
    assert_memory_equal(&t, &u, sizeof t);
    assert_memory_equal(&dt, &du, sizeof dt);
    tw_sim_contact_count(b->cpu, &m, NULL);
    tw_sim_contact_count(b->device, &n, NULL);
    assert_int_equal(m, n);
    for (size_t k = 0; k < tw_sim_wall_count(b->cpu); k++) {
        tw_wall_state v, w;
        tw_sim_get_wall(b->cpu, k, &v, NULL);
        tw_sim_get_wall(b->device, k, &w, NULL);
        assert_memory_equal(&v.force, &w.force, sizeof v.force);
        assert_memory_equal(&v.torque, &w.torque, sizeof v.torque);
        assert_memory_equal(&v.point, &w.point, sizeof v.point);
        assert_memory_equal(&v.work, &w.work, sizeof v.work);
    }
}

/* In an order in which each look but the first finds the arrays of the device newer. */
static void test_looks_are_the_same(void **state)
{
    (void)state;
    for (int kind = 0; kind < SPECIMEN_KINDS; kind++) {
        both b = make((specimen_kind)kind);
        run(&b, 40);
        assert_same_numbers(&b);
        assert_int_equal(b.device->owner,
                         TW_SIM_OWNER_DEVICE); /* none of these brings the arrays */
        const tw_measure m = must_measure(b.cpu), n = must_measure(b.device);
        assert_memory_equal(&m, &n, sizeof m);
        assert_int_equal(b.device->owner, TW_SIM_OWNER_DEVICE); /* nor does a measure */
        run(&b, 40);
        const tw_body_state v = must_body(b.cpu, 7), w = must_body(b.device, 7);
        assert_memory_equal(&v.x, &w.x, sizeof v.x);
        assert_memory_equal(&v.force, &w.force, sizeof v.force);
        assert_true(b.device->schedule.deferred); /* a look makes no list */
        run(&b, 120);
        assert_same(&b);
        assert_true(b.device->schedule.deferred && !b.cpu->schedule.deferred);
        const tw_measure again = must_measure(b.cpu), there = must_measure(b.device);
        assert_memory_equal(&again, &there, sizeof again);
        assert_same_numbers(&b);
        end(&b);
    }
}

/* ---- Measures ---- */

enum { WIDE = 20 }; /* cubes along an edge of the lattice */
static const double radius = 1e-3;

static tw_sim *make_empty(const char *place, double edge, int floor)
{
    tw_sim_def def = tw_sim_def_default();
    tw_wall_def wall = tw_wall_def_default();
    tw_error error;
    def.device = place;
    def.law = (tw_contact_law){.kn = 1e5, .kt = 0.8e5, .mu = 0.4};
    for (int k = 0; k < 9; k += 4)
        def.cell.m[k] = edge;
    if (floor) { /* with a law that is not plain */
        def.law.k_r = def.law.k_w = 0.3e5;
        def.law.mu_r = def.law.mu_w = 0.1;
        def.periodic[2] = 0;
    }
    tw_sim *sim = tw_sim_create(&def, &error);
    if (!sim) fail_msg("%s", error.text);
    wall.point.z = -0.998 * radius;
    if (floor) must_add_wall(sim, &wall);
    return sim;
}

/* Spheres that touch twelve others, or nearly so. */
static tw_sim *make_lattice(const char *place, int floor)
{
    const double cube = 1.998 * radius / sqrt(2.0);
    tw_sim *sim = make_empty(place, WIDE * cube, floor);
    uint32_t seed = 7;
    for (int i = 0; i < WIDE * WIDE * WIDE; i++) {
        const int x = i % WIDE, y = i / WIDE % WIDE, z = i / WIDE / WIDE;
        tw_body_def body = tw_body_def_default();
        if ((x + y + z) % 2 != 0) continue;
        seed = seed * 1664525u + 1013904223u;
        const double random = seed * 0x1p-32;
        body.size = radius * (1.0 - 4e-4 * random);
        body.x = tw_vec3_scale(cube, tw_vec3_make(x, y, z));
        body.v = tw_vec3_make(random, 0.3 - random, 0.5 * random);
        body.w = tw_vec3_make(50.0 * random, -20.0, 0.0);
        body.half_step = 1;
        must_succeed(tw_sim_add_body(sim, &body, NULL, NULL), NULL);
    }
    return sim;
}

static tw_measure assert_same_measures(const both *b)
{
    const tw_measure m = must_measure(b->cpu), n = must_measure(b->device);
    assert_memory_equal(&m, &n, sizeof m);
    tw_measure balance, there, expected = m;
    must_succeed(tw_sim_measure_balance(b->cpu, &balance, NULL), NULL);
    must_succeed(tw_sim_measure_balance(b->device, &there, NULL), NULL);
    assert_memory_equal(&balance, &there, sizeof balance);
    expected.rattlers = 0;
    expected.overlap_max = 0.0;
    expected.coordination_mechanical = m.coordination;
    memset(expected.mobilisation, 0, sizeof expected.mobilisation);
    memset(&expected.anisotropy, 0, sizeof expected.anisotropy);
    expected.strong_fraction = expected.strong_p = expected.strong_q = 0.0;
    expected.redundancy = balance.redundancy;
    assert_memory_equal(&balance, &expected, sizeof balance);
    return m;
}

/* Enough contacts and bodies in a tile, and chunks of pairs, that the teams of a device take
 * several turns. */
static void test_measures_of_many_contacts(void **state)
{
    (void)state;
    for (int floor = 0; floor < 2; floor++) {
        both b = {make_lattice("cpu", floor), make_lattice("emulated", floor)};
        run(&b, 3);
        const tw_measure m = assert_same_measures(&b);
        const tw_tile *tile = b.cpu->schedule.tiles.tile;
        assert_true(b.cpu->schedule.pairs.count > 256 * 64);
        assert_true(tile->slots > 8 * 256 && tile->bodies > 256);
        assert_true(m.energy.tangential > 0.0 && m.energy.kinetic > 0.0);
        if (floor) assert_true(tile->walls > 32 && m.energy.stored_twisting > 0.0);
        end(&b);
    }
}

/* Three rows of touching spheres that begin at a fixed one: upwards, downwards, and between two
 * fixed ones, where nothing is loose. */
static tw_sim *make_rows(const char *place, int count)
{
    const double edge = 2.0 * (count + 3) * radius;
    tw_sim *sim = make_empty(place, edge, 0);
    for (int row = 0; row < 3; row++) {
        for (int k = 0; k <= count; k++) {
            tw_body_def body = tw_body_def_default();
            const double along = (1.0 + 1.999 * k) * radius;
            body.size = radius;
            body.x.x = row == 1 ? edge - along : along;
            body.x.y = (3.0 * row + 1.0) * radius;
            body.fixed = k == 0 || (row == 2 && k == count);
            must_succeed(tw_sim_add_body(sim, &body, NULL, NULL), NULL);
        }
    }
    return sim;
}

/* One end makes the next one a rattler: in some order of pairs only one in each pass. */
static void test_rattlers_in_rows(void **state)
{
    (void)state;
    enum { COUNT = 30 };
    both b = {make_rows("cpu", COUNT), make_rows("emulated", COUNT)};
    run(&b, 1);
    const tw_measure m = assert_same_measures(&b);
    assert_int_equal(m.contacts, 3 * COUNT);
    assert_int_equal(m.rattlers, 2 * COUNT);
    assert_true(m.coordination_mechanical == 2.0 * COUNT / (COUNT + 3));
    assert_int_equal(b.device->owner, TW_SIM_OWNER_DEVICE);
    end(&b);
}

/* The second look at a state is that of the first, unless something was set in between. */
static void test_a_state_is_measured_once(void **state)
{
    (void)state;
    const tw_mat3 gradient = {{-100.0, 50.0, 0.0, 0.0, -80.0, 0.0, 0.0, 0.0, 0.0}};
    both b = make(SPECIMEN_MIXTURE);
    run(&b, 30);
    const tw_measure m = assert_same_measures(&b);
    assert_true(b.device->valid & TW_SIM_VALID_TALLY);
    b.device->tally.rattler[TW_TALLY_RATTLERS]++; /* shows whether it is used */
    const tw_measure again = must_measure(b.device);
    assert_int_equal(again.rattlers, m.rattlers + 1);
    tw_sim_set_velocity_gradient(b.cpu, &gradient);
    tw_sim_set_velocity_gradient(b.device, &gradient);
    const tw_measure other = assert_same_measures(&b);
    assert_true(other.energy.kinetic != m.energy.kinetic);
    run(&b, 30);
    assert_same_measures(&b);
    assert_same(&b);
    end(&b);
}

static void stir(tw_sim *sim)
{
    const tw_vec3 none = tw_vec3_make(0.0, 0.0, 0.0);
    for (uint32_t id = 0; id < SIDE * SIDE * SIDE; id += 3) {
        const tw_vec3 v = tw_vec3_make(id % 2 ? 8.0 : -8.0, id % 4 > 1 ? 6.0 : -6.0, 0.0);
        must_succeed(tw_sim_set_body_velocity(sim, id, v, none, NULL), NULL);
    }
}

/* The mean density depends on the order of bodies, in the last digit. A search changes it. */
static void test_density_of_several_materials(void **state)
{
    (void)state;
    both b = make(SPECIMEN_MIXTURE);
    double first = 0.0;
    int other = 0;
    stir(b.cpu);
    stir(b.device);
    for (int k = 0; k < 6; k++) {
        run(&b, 60);
        const tw_measure m = assert_same_measures(&b);
        const double density = tw_model_density(&b.cpu->model, &b.cpu->state.bodies);
        if (k == 0) first = density;
        other += density != first;
        assert_true(m.inertial_number > 0.0);
    }
    assert_true(other > 0);
    end(&b);
}

/* ---- Places ---- */

static void test_a_simulation_moves_between_places(void **state)
{
    (void)state;
    both b = make(SPECIMEN_CLUSTERS);
    tw_error error;
    run(&b, 60);
    must_succeed(tw_sim_set_device(b.device, "cpu", &error), &error);
    assert_string_equal(tw_sim_device(b.device), "cpu");
    assert_true(tw_sim_device_memory(b.device) == 0.0);
    run(&b, 60);
    assert_false(b.device->schedule.deferred);
    must_succeed(tw_sim_set_device(b.device, "emulated", &error), &error);
    assert_string_equal(tw_sim_device(b.device), "emulated");
    run(&b, 60);
    /* Some hundred bytes at least for each body. */
    assert_true(tw_sim_device_memory(b.device) > 500.0 * (double)tw_sim_body_count(b.device));
    assert_same(&b);
    end(&b);
}

/* The device has them in its body slots; a search in between moves bodies. */
static void test_forces_after_any_number_of_steps(void **state)
{
    (void)state;
    both b = make(SPECIMEN_CLUSTERS);
    const tw_mat3 shear = {{0.0, 0.0, 800.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0}};
    tw_sim_set_velocity_gradient(b.cpu, &shear);
    tw_sim_set_velocity_gradient(b.device, &shear);
    const uint64_t searches = b.cpu->state.searches;
    for (uint64_t steps = 1; steps < 12; steps++) {
        run(&b, steps);
        for (uint32_t id = 0; id < tw_sim_body_count(b.cpu); id++) {
            const tw_body_state v = must_body(b.cpu, id), w = must_body(b.device, id);
            assert_memory_equal(&v.force, &w.force, sizeof v.force);
            assert_memory_equal(&v.torque, &w.torque, sizeof v.torque);
        }
    }
    assert_true(b.cpu->state.searches > searches + 3);
    end(&b);
}

static tw_status set_law(tw_sim *sim, double friction, double stiffness)
{
    tw_contact_law law = tw_sim_get_definition(sim).law;
    law.mu *= friction;
    law.kn *= stiffness;
    return tw_sim_set_law(sim, &law, NULL);
}

/* Each change alone, with steps in between. */
static void change(tw_sim *sim, int number)
{
    const tw_mat3 gradient = {{-100.0, 50.0, 0.0, 0.0, -80.0, 0.0, 0.0, 0.0, 0.0}};
    tw_error error = {TW_STATUS_OK, ""};
    tw_status status = TW_STATUS_OK;
    if (number == 0) tw_sim_set_velocity_gradient(sim, &gradient);
    if (number == 1) tw_sim_set_gravity(sim, tw_vec3_make(0.0, 500.0, -1000.0));
    if (number == 2) status = tw_sim_set_damping(sim, 100.0, 5.0, 0.1, &error);
    if (number == 3) status = set_law(sim, 1.2, 1.2);
    if (number == 4)
        status = tw_sim_set_body_velocity(sim, 5, tw_vec3_make(1.0, -2.0, 0.5),
                                          tw_vec3_make(10.0, 0.0, 30.0), &error);
    if (number == 5)
        status = tw_sim_set_wall_velocity(sim, 0, tw_vec3_make(0.0, 0.0, 0.05), &error);
    if (number == 6) status = tw_sim_set_dt(sim, 0.5 * tw_sim_dt(sim), 0, &error);
    if (number == 7) tw_sim_reset_displacements(sim);
    if (number == 8) status = set_law(sim, 0.5, 1.0);
    must_succeed(status, &error);
}

/* A change of numbers followed by a look, which brings the arrays: the change must survive. */
static void test_settings_between_steps(void **state)
{
    (void)state;
    both b = make(SPECIMEN_BOX);
    run(&b, 30);
    for (int number = 0; number < 9; number++) {
        change(b.cpu, number);
        change(b.device, number);
        if (number % 2 == 0) assert_same(&b);
        run(&b, 15);
        assert_same_numbers(&b);
    }
    assert_same(&b);
    end(&b);
}

/* Between the stages of a run: the device keeps its arrays, and measures for the host. */
static void test_friction_and_displacements_need_no_upload(void **state)
{
    (void)state;
    tw_measure v, w;
    both b = make(SPECIMEN_SPHERES);
    run(&b, 30);
    assert_same(&b); /* brings the arrays */
    must_succeed(set_law(b.cpu, 0.5, 1.0), NULL);
    must_succeed(set_law(b.device, 0.5, 1.0), NULL);
    tw_sim_reset_displacements(b.cpu);
    tw_sim_reset_displacements(b.device);
    assert_true(b.device->owner != TW_SIM_OWNER_HOST && b.device->schedule.deferred);
    must_succeed(tw_sim_measure(b.cpu, &v, NULL), NULL);
    must_succeed(tw_sim_measure(b.device, &w, NULL), NULL);
    assert_memory_equal(&v, &w, sizeof v);
    run(&b, 30);
    for (uint32_t id = 0; id < tw_sim_body_count(b.cpu); id++) {
        const tw_vec3 moved = must_body(b.cpu, id).displacement,
                      there = must_body(b.device, id).displacement;
        assert_memory_equal(&moved, &there, sizeof moved);
    }
    assert_same(&b);
    end(&b);
}

typedef struct record {
    double time[64], stress[64];
    int count, fetched;
} record;

static int note(tw_sim *sim, void *context)
{
    record *r = context;
    tw_mat3 gradient = tw_sim_velocity_gradient(sim);
    r->time[r->count] = tw_sim_time(sim);
    r->stress[r->count] = tw_sim_get_control_report(sim).stress[TW_XX];
    gradient.m[0] *= 1.01;
    tw_sim_set_velocity_gradient(sim, &gradient);
    r->fetched += sim->owner != TW_SIM_OWNER_DEVICE;
    return ++r->count == 50;
}

static void test_a_hook_sees_and_sets_numbers(void **state)
{
    (void)state;
    both b = make(SPECIMEN_SPHERES);
    record p = {.count = 0}, q = {.count = 0};
    assert_int_equal(tw_sim_run_hooked(b.cpu, 60, note, &p, NULL), TW_STATUS_INTERRUPTED);
    assert_int_equal(tw_sim_run_hooked(b.device, 60, note, &q, NULL), TW_STATUS_INTERRUPTED);
    assert_int_equal(q.fetched, 0);
    assert_memory_equal(p.time, q.time, sizeof p.time);
    assert_memory_equal(p.stress, q.stress, sizeof p.stress);
    assert_same(&b);
    end(&b);
}

typedef struct watch {
    tw_sim_step_record passed[200];
    size_t count, looks, most;
} watch;

/* Asks to be called after 1, 7, 100 and 20 steps, and again; ends after 180 or more. */
static uint64_t look(tw_sim *sim, const tw_sim_step_record *steps, size_t count, void *context)
{
    static const uint64_t next[] = {7, 100, 20, 1};
    watch *w = context;
    assert_true(steps[count - 1].time == tw_sim_time(sim));
    assert_true(w->count + count < 200);
    memcpy(w->passed + w->count, steps, count * sizeof *steps);
    w->count += count;
    w->most = count > w->most ? count : w->most;
    return w->count >= 180 ? 0 : next[w->looks++ % 4];
}

/* The device waits for the host less often, and tells all steps. */
static void test_steps_between_looks(void **state)
{
    (void)state;
    both b = make(SPECIMEN_SPHERES);
    tw_control control = tw_control_default();
    watch *p = calloc(1, sizeof *p), *q = calloc(1, sizeof *q);
    run(&b, 30);
    control.row[TW_XX] =
        tw_control_stress(TW_XX, 1.1 * tw_sim_get_control_report(b.cpu).stress[TW_XX]);
    control.row[TW_ZZ] = tw_control_rate(TW_ZZ, -10.0);
    must_succeed(tw_sim_set_control(b.cpu, &control, NULL), NULL);
    must_succeed(tw_sim_set_control(b.device, &control, NULL), NULL);
    assert_int_equal(tw_sim_run_batched(b.device, look, q, NULL), TW_STATUS_INTERRUPTED);
    assert_int_equal(q->most, TW_DEVICE_HISTORY_STEPS);
    must_succeed(tw_sim_set_device(b.cpu, "cpu", NULL), NULL);
    while (p->count < q->count) {
        must_succeed(tw_sim_run(b.cpu, 1, NULL), NULL);
        p->passed[p->count++] =
            (tw_sim_step_record){tw_sim_time(b.cpu), tw_sim_velocity_gradient(b.cpu)};
    }
    assert_true(memcmp(&p->passed[0].velocity_gradient, &p->passed[9].velocity_gradient,
                       sizeof p->passed[0].velocity_gradient) != 0);
    assert_memory_equal(p->passed, q->passed, q->count * sizeof *p->passed);
    assert_same(&b);
    p->count = p->looks = p->most = 0;
    assert_int_equal(tw_sim_run_batched(b.cpu, look, p, NULL), TW_STATUS_INTERRUPTED);
    assert_int_equal(p->most, 1); /* on the CPU after every step */
    assert_int_equal(p->count, 180);
    free(p);
    free(q);
    end(&b);
}

static void test_control_and_rotation(void **state)
{
    (void)state;
    both b = make(SPECIMEN_SPHERES);
    tw_control control = tw_control_default();
    run(&b, 100);
    const tw_control_report now = tw_sim_get_control_report(b.cpu);
    control.row[TW_XX] = tw_control_stress(TW_XX, 1.1 * now.stress[TW_XX]);
    control.row[TW_YY] = tw_control_stress(TW_YY, now.stress[TW_YY]);
    control.row[TW_ZZ] = tw_control_rate(TW_ZZ, -10.0);
    must_succeed(tw_sim_set_control(b.cpu, &control, NULL), NULL);
    must_succeed(tw_sim_set_control(b.device, &control, NULL), NULL);
    run(&b, 60);
    assert_same_numbers(&b);
    must_succeed(tw_sim_rotate(b.cpu, tw_vec3_make(0.1, 0.4, -0.2), 20, NULL), NULL);
    must_succeed(tw_sim_rotate(b.device, tw_vec3_make(0.1, 0.4, -0.2), 20, NULL), NULL);
    assert_same_numbers(&b);
    run(&b, 30);
    assert_same(&b);
    end(&b);
}

/* ---- Errors ---- */

static void assert_same_failure(both *b, uint64_t steps, const char *word)
{
    tw_error p, q;
    const tw_status here = tw_sim_run(b->cpu, steps, &p), there = tw_sim_run(b->device, steps, &q);
    assert_int_equal(here, there);
    assert_int_not_equal(here, TW_STATUS_OK);
    assert_string_equal(p.text, q.text);
    if (!strstr(p.text, word)) fail_msg("%s", p.text);
}

static void assert_same_forces(const both *b)
{
    const tw_bodies *p = &b->cpu->state.bodies, *q = &b->device->state.bodies;
    assert_int_not_equal(b->device->owner, TW_SIM_OWNER_DEVICE);
    assert_memory_equal(p->force, q->force, p->count * sizeof *p->force);
    assert_memory_equal(p->torque, q->torque, p->count * sizeof *p->torque);
}

/* No body touches another: otherwise a contact would be named. */
static void test_a_body_that_is_not_finite_is_named(void **state)
{
    (void)state;
    const tw_mat3 spread = {{500.0, 0.0, 0.0, 0.0, 500.0, 0.0, 0.0, 0.0, 500.0}}, still = {{0.0}};
    const tw_vec3 fast = tw_vec3_make(1e308, 0.0, 0.0), none = tw_vec3_make(0.0, 0.0, 0.0);
    both b = make(SPECIMEN_CLUSTERS);
    size_t contacts = 1;
    tw_sim_set_velocity_gradient(b.cpu, &spread);
    tw_sim_set_velocity_gradient(b.device, &spread);
    for (int k = 0; k < 100 && contacts > 0; k++) {
        run(&b, 20);
        tw_sim_contact_count(b.device, &contacts, NULL);
    }
    assert_int_equal(contacts, 0);
    tw_sim_set_velocity_gradient(b.cpu, &still);
    tw_sim_set_velocity_gradient(b.device, &still);
    run(&b, 1);
    const uint64_t searches = b.cpu->state.searches;
    must_succeed(tw_sim_set_body_velocity(b.cpu, 5, fast, none, NULL), NULL);
    must_succeed(tw_sim_set_body_velocity(b.device, 5, fast, none, NULL), NULL);
    assert_same_failure(&b, 5, "body 5 has a non-finite position or force");
    assert_int_equal(b.cpu->state.searches, searches); /* which would have named it, too */
    end(&b);
}

static void test_failures_have_the_same_words(void **state)
{
    (void)state;
    const tw_mat3 crush = {{-2000.0, 0.0, 0.0, 0.0, -2000.0, 0.0, 0.0, 0.0, -2000.0}};
    const tw_mat3 tilt = {{0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 50.0, 0.0, 0.0}};
    const tw_mat3 burst = {{0.0, 0.0, 0.0, 0.0, 1e9, 0.0, 0.0, 0.0, 0.0}}, rest = {{0.0}};
    both b = make(SPECIMEN_CLUSTERS);
    tw_sim_set_velocity_gradient(b.cpu, &crush);
    tw_sim_set_velocity_gradient(b.device, &crush);
    assert_same_failure(&b, 5000, "excessive overlap");
    assert_same_forces(&b); /* those of the step before */
    assert_same_failure(&b, 1, "go back to an earlier checkpoint");
    end(&b);
    b = make(SPECIMEN_BOX);
    run(&b, 20);
    tw_sim_set_velocity_gradient(b.cpu, &tilt);
    tw_sim_set_velocity_gradient(b.device, &tilt);
    assert_same_failure(&b, 5, "out of the plane of the wall");
    assert_same(&b);
    tw_sim_set_velocity_gradient(b.cpu, &burst);
    tw_sim_set_velocity_gradient(b.device, &burst);
    assert_same_failure(&b, 5, "moves the cell by");
    assert_same(&b);
    tw_sim_set_velocity_gradient(b.cpu, &rest); /* nothing has been changed */
    tw_sim_set_velocity_gradient(b.device, &rest);
    run(&b, 5);
    assert_same(&b);
    end(&b);
    b = make(SPECIMEN_CLUSTERS); /* contacts form: the stable step falls below this one */
    must_prepare(b.cpu);
    must_succeed(tw_sim_set_dt(b.cpu, 1.8 * tw_sim_dt(b.cpu), 0, NULL), NULL);
    must_prepare(b.device);
    must_succeed(tw_sim_set_dt(b.device, 1.8 * tw_sim_dt(b.device), 0, NULL), NULL);
    assert_same_failure(&b, 5000, "is above the stable step");
    end(&b);
}

static void test_a_device_that_fails(void **state)
{
    (void)state;
    tw_error error;
    both b = make(SPECIMEN_SPHERES);
    run(&b, 20);
    setenv("TWIRL_DEVICE_TEST", "fail_at=31", 1);
    run(&b, 10);
    assert_same(&b); /* brings the arrays: nothing is lost by the failure */
    assert_int_equal(tw_sim_run(b.device, 10, &error), TW_STATUS_DEVICE);
    assert_int_equal(tw_sim_steps(b.device), 30);
    must_succeed(tw_sim_set_device(b.device, "cpu", &error), &error);
    run(&b, 10);
    assert_same(&b);
    must_succeed(tw_sim_set_device(b.device, "emulated", &error), &error);
    setenv("TWIRL_DEVICE_TEST", "fail_at=61", 1);
    run(&b, 15);
    assert_int_equal(tw_sim_run(b.device, 10, &error), TW_STATUS_DEVICE);
    assert_non_null(strstr(error.text, "is lost"));
    assert_int_equal(tw_sim_run(b.device, 10, &error), TW_STATUS_DEVICE);
    assert_non_null(strstr(error.text, "go back to an earlier checkpoint"));
    assert_int_equal(tw_sim_save(b.device, "never.h5", &error), TW_STATUS_DEVICE);
    unsetenv("TWIRL_DEVICE_TEST");
    end(&b);
}

static void test_names_of_devices(void **state)
{
    (void)state;
    tw_error error;
    tw_sim_def def = tw_sim_def_default();
    def.law.kn = 1.0;
    def.device = "gpu";
    assert_null(tw_sim_create(&def, &error));
    assert_string_equal(
        error.text, "device gpu: there is no such device; use cpu, cuda, lammps (in twirl-lmp), or "
                    "emulated (the code of the GPU run on the CPU, slow, for tests)");
    def.device = NULL;
    setenv("TWIRL_DEVICE", "gpu", 1);
    assert_null(tw_sim_create(&def, &error));
    assert_non_null(strstr(error.text, "TWIRL_DEVICE=gpu"));
    setenv("TWIRL_DEVICE", "emulated", 1);
    tw_sim *sim = tw_sim_create(&def, &error);
    assert_string_equal(tw_sim_device(sim), "emulated");
    assert_int_equal(tw_sim_set_device(sim, "gpu", &error), TW_STATUS_INPUT);
    assert_string_equal(tw_sim_device(sim), "emulated");
    unsetenv("TWIRL_DEVICE");
    must_succeed(tw_sim_set_device(sim, NULL, &error), &error);
    assert_string_equal(tw_sim_device(sim), "cpu");
    tw_sim_free(sim);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_names_of_devices),
        cmocka_unit_test(test_looks_are_the_same),
        cmocka_unit_test(test_measures_of_many_contacts),
        cmocka_unit_test(test_rattlers_in_rows),
        cmocka_unit_test(test_a_state_is_measured_once),
        cmocka_unit_test(test_density_of_several_materials),
        cmocka_unit_test(test_forces_after_any_number_of_steps),
        cmocka_unit_test(test_a_simulation_moves_between_places),
        cmocka_unit_test(test_settings_between_steps),
        cmocka_unit_test(test_friction_and_displacements_need_no_upload),
        cmocka_unit_test(test_a_hook_sees_and_sets_numbers),
        cmocka_unit_test(test_steps_between_looks),
        cmocka_unit_test(test_control_and_rotation),
        cmocka_unit_test(test_failures_have_the_same_words),
        cmocka_unit_test(test_a_body_that_is_not_finite_is_named),
        cmocka_unit_test(test_a_device_that_fails),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
