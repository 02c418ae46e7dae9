/* SPDX-License-Identifier: BSD-3-Clause */
/* Bodies that come and go while a device has the state: it changes them itself, with the bits of
 * the CPU, and events. `device_bodies cuda` tests a GPU; 77: there is none. */
#define _POSIX_C_SOURCE 200809L /* setenv */
#include "../determinism/specimen.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../must.h"
#include "sim/sim_internal.h"

enum { SIDE = 5, SOME = 24, MANY = 12 * SOME, TURNS = 9 };

static const char *device = "emulated";
static const double grain = 1e-3; /* [m] */

/* ---- The same on both ---- */

typedef struct both {
    tw_sim *cpu, *device;
    uint64_t seed;
} both;

static const struct {
    specimen_kind kind;
    int plain, hertz; /* without damping; stiffening */
} cases[] = {{SPECIMEN_SPHERES, 0, 0},  {SPECIMEN_SPHERES, 1, 0},  {SPECIMEN_SPHERES, 1, 1},
             {SPECIMEN_CLUSTERS, 0, 0}, {SPECIMEN_CLUSTERS, 1, 0}, {SPECIMEN_BOX, 0, 0},
             {SPECIMEN_BOX, 1, 0},      {SPECIMEN_BOX, 0, 1},      {SPECIMEN_MIXTURE, 0, 0}};

static tw_sim *make_one(size_t number, const char *place)
{
    tw_error error;
    tw_sim *sim = specimen_make(cases[number].kind, SIDE, 11);
    tw_contact_law law = tw_sim_get_definition(sim).law;
    if (cases[number].plain) law.nu_n = law.nu_t = 0.0;
    if (cases[number].hertz) {
        law.normal = TW_CONTACT_HERTZ;
        law.flags = TW_CONTACT_BY_RADIUS;
        law.kn = 2e9;
        law.kt = 1.6e9;
    }
    if (cases[number].kind != SPECIMEN_MIXTURE)
        must_succeed(tw_sim_set_law(sim, &law, &error), &error);
    must_succeed(tw_sim_set_device(sim, place, &error), &error);
    must_succeed(tw_sim_record_events(sim, (1u << TW_EVENT_KINDS) - 1, &error), &error);
    return sim;
}

static both make(size_t number)
{
    return (both){make_one(number, "cpu"), make_one(number, device), 3 + number};
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

/* Dense by then, and hardly denser afterwards: bodies are as hard as before, and smaller. */
static void run_first(both *b, specimen_kind kind)
{
    run(b, kind == SPECIMEN_SPHERES ? 60 : 160);
    tw_sim *sims[] = {b->cpu, b->device};
    for (int k = 0; k < 2; k++) {
        tw_mat3 gradient = tw_sim_velocity_gradient(sims[k]);
        for (int j = 0; j < 9; j++)
            gradient.m[j] *= 0.1;
        tw_sim_set_velocity_gradient(sims[k], &gradient);
    }
}

static tw_event *take(tw_sim *sim, size_t *count)
{
    tw_error error;
    const size_t there = tw_sim_event_count(sim);
    tw_event *event = calloc(there + 1, sizeof *event);
    assert_non_null(event);
    must_succeed(tw_sim_take_events(sim, event, there, count, &error), &error);
    assert_int_equal(*count, there);
    return event;
}

static void expect_same_events(both *b)
{
    size_t m, n;
    tw_event *p = take(b->cpu, &m), *q = take(b->device, &n);
    assert_int_equal(m, n);
    for (size_t k = 0; k < n; k++)
        if (memcmp(&p[k], &q[k], sizeof *p) != 0)
            fail_msg("event %zu of %zu: %s of %u and %u, not %s of %u and %u", k, n,
                     tw_event_name(q[k].kind), q[k].body_p, q[k].body_q, tw_event_name(p[k].kind),
                     p[k].body_p, p[k].body_q);
    free(p);
    free(q);
}

/* What does not bring the arrays. */
static void expect_same_numbers(both *b)
{
    const tw_measure m = must_measure(b->cpu), n = must_measure(b->device);
    const tw_control_report v = tw_sim_get_control_report(b->cpu),
                            w = tw_sim_get_control_report(b->device);
    const double dt = tw_sim_dt(b->cpu), du = tw_sim_dt(b->device);
    assert_memory_equal(&dt, &du, sizeof dt);
    assert_memory_equal(&m, &n, sizeof m);
    assert_memory_equal(&v, &w, sizeof v);
    assert_int_equal(must_contacts(b->cpu), must_contacts(b->device));
    assert_int_equal(tw_sim_sphere_count(b->cpu), tw_sim_sphere_count(b->device));
    assert_int_equal(tw_sim_body_count(b->cpu), tw_sim_body_count(b->device));
    assert_int_equal(tw_sim_next_id(b->cpu), tw_sim_next_id(b->device));
    for (size_t k = 0; k <= tw_sim_body_count(b->cpu); k++) {
        const uint32_t id = tw_sim_body_id(b->cpu, k);
        assert_int_equal(id, tw_sim_body_id(b->device, k));
        assert_true(tw_sim_body_row(b->cpu, id) == tw_sim_body_row(b->device, id));
    }
    for (size_t k = 0; k < tw_sim_wall_count(b->cpu); k++) {
        const tw_wall_state p = must_wall(b->cpu, k), q = must_wall(b->device, k);
        assert_memory_equal(&p.force, &q.force, sizeof p.force);
        assert_memory_equal(&p.torque, &q.torque, sizeof p.torque);
    }
}

/* ---- What comes and goes ---- */

static uint64_t draw(both *b, uint64_t below)
{
    b->seed = b->seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (b->seed >> 33) % below;
}

/* Bodies that are apart, or next to each other; in any order. */
static size_t choose(both *b, size_t most, uint32_t *ids)
{
    const size_t n = tw_sim_body_count(b->cpu), step = 1 + draw(b, 4);
    size_t count = 0;
    for (size_t k = draw(b, n); count < most && count < n / step / 2; k = (k + step) % n)
        ids[count++] = tw_sim_body_id(b->cpu, k);
    for (size_t k = 0; k < count; k++) {
        const size_t j = draw(b, count);
        const uint32_t id = ids[k];
        ids[k] = ids[j];
        ids[j] = id;
    }
    return count;
}

/* Where one was: another shape, or several small spheres. */
static size_t replace(both *b, uint32_t id, tw_body_def *defs)
{
    const tw_body_state old = must_body(b->cpu, id);
    const int small = old.size < 0.6 * grain; /* it was one of several, or another shape */
    const size_t count = small || old.shape || draw(b, 3) ? 1 : 1 + draw(b, 8);
    const int other = !small && count == 1 && draw(b, 3) == 0;
    for (size_t k = 0; k < count; k++) {
        tw_body_def *def = &defs[k];
        *def = tw_body_def_default();
        def->shape = other ? (old.shape + 1 + (uint32_t)draw(b, 2)) % 3 : old.shape;
        def->size = old.size * (small       ? 1.0
                                : other     ? 0.55
                                : count > 1 ? 0.35
                                            : 0.7 + 0.05 * (double)draw(b, 7));
        def->material = (uint32_t)draw(b, tw_sim_material_count(b->cpu));
        def->type = 1 + (uint32_t)draw(b, 3);
        def->x = old.x;
        if (count > 1)
            def->x = tw_vec3_add_scaled(
                old.x, 0.4 * grain,
                tw_vec3_make(k & 1 ? 1.0 : -1.0, k & 2 ? 1.0 : -1.0, k & 4 ? 1.0 : -1.0));
        def->q = old.q;
        def->v = tw_vec3_make(0.1, -0.01 * (double)k, 0.05);
        def->w = tw_vec3_make(100.0, 20.0, -10.0);
        def->half_step = draw(b, 2) == 0;
        def->fixed = draw(b, 9) == 0;
    }
    return count;
}

/* The columns of the host are not read and not written: they are wrong meanwhile. */
static double *spoil(both *b)
{
    if (b->device->owner != TW_SIM_OWNER_DEVICE) return NULL;
    for (size_t i = 0; i < tw_sim_body_count(b->device); i++)
        b->device->state.bodies.mass[i] = -7.0;
    return b->device->state.bodies.mass;
}

static void expect_there(const both *b, const double *spoilt)
{
    assert_int_equal(b->device->owner, TW_SIM_OWNER_DEVICE);
    if (spoilt) assert_true(b->device->state.bodies.mass[0] == -7.0);
}

/* `there`: on the device. */
static void remove_some(both *b, const uint32_t *ids, size_t count, int there)
{
    tw_error error;
    must_succeed(tw_sim_remove_bodies(b->cpu, ids, count, &error), &error);
    const double *spoilt = there ? spoil(b) : NULL;
    must_succeed(tw_sim_remove_bodies(b->device, ids, count, &error), &error);
    if (there) expect_there(b, spoilt);
}

static void add_some(both *b, const tw_body_def *defs, size_t count, int there)
{
    tw_error error;
    uint32_t first[2];
    must_succeed(tw_sim_add_bodies(b->cpu, defs, count, &first[0], &error), &error);
    const double *spoilt = there ? spoil(b) : NULL;
    must_succeed(tw_sim_add_bodies(b->device, defs, count, &first[1], &error), &error);
    assert_int_equal(first[0], first[1]);
    if (there) expect_there(b, spoilt);
}

static void expect_same(both *b)
{
    expect_same_events(b);
    expect_same_numbers(b);
    assert_true(tw_sim_hash(b->cpu) == tw_sim_hash(b->device));
}

/* `looks`: what belongs to the arrays is compared after every change; otherwise they stay on the
 * device until the end of a turn. */
static void turn_over(both *b, int looks)
{
    uint32_t ids[SOME];
    tw_body_def defs[MANY];
    size_t coming = 0;
    const size_t leaving = choose(b, 1 + draw(b, SOME), ids);
    for (size_t k = 0; k < leaving; k++)
        coming += replace(b, ids[k], defs + coming);
    remove_some(b, ids, leaving, 1);
    expect_same_numbers(b);
    if (looks) expect_same(b);
    if (draw(b, 3) == 0) run(b, draw(b, 3)); /* where they were is still free */
    add_some(b, defs, coming, 1);
    expect_same_numbers(b);
    if (looks) expect_same(b);
    run(b, 1 + draw(b, 40));
    expect_same_numbers(b);
    expect_same(b);
}

static void bits_are_those_of_the_cpu(void **state)
{
    (void)state;
    for (size_t number = 0; number < sizeof cases / sizeof *cases; number++) {
        both b = make(number);
        run_first(&b, cases[number].kind);
        for (int turn = 0; turn < TURNS; turn++)
            turn_over(&b, turn % 2);
        end(&b);
    }
}

/* As above, with tiles that have no room for new contacts. */
static void tiles_may_be_full(void **state)
{
    (void)state;
    setenv("TWIRL_DEVICE_TEST", "spare=1 events=4", 1);
    for (size_t number = 0; number < sizeof cases / sizeof *cases; number += 3) {
        both b = make(number);
        run_first(&b, cases[number].kind);
        for (int turn = 0; turn < 4; turn++)
            turn_over(&b, 0);
        end(&b);
    }
    unsetenv("TWIRL_DEVICE_TEST");
}

/* The servo goes on. */
static void a_control_goes_on(void **state)
{
    (void)state;
    tw_error error;
    tw_control control = tw_control_default();
    for (int k = 0; k < 3; k++)
        control.row[k] = tw_control_stress(k, 2e4);
    both b = make(1);
    run(&b, 60);
    must_succeed(tw_sim_set_control(b.cpu, &control, &error), &error);
    must_succeed(tw_sim_set_control(b.device, &control, &error), &error);
    for (int turn = 0; turn < 4; turn++)
        turn_over(&b, turn % 2);
    end(&b);
}

/* Then the host does it, from the state that was. */
static void the_last_one_and_the_first(void **state)
{
    (void)state;
    tw_error error;
    for (size_t number = 0; number < sizeof cases / sizeof *cases; number += 4) {
        both b = make(number);
        uint32_t ids[SIDE * SIDE * SIDE];
        for (uint32_t k = 0; k < SIDE * SIDE * SIDE; k++)
            ids[k] = k;
        run(&b, 40);
        remove_some(&b, ids, SIDE * SIDE * SIDE - 1, 1);
        expect_same_numbers(&b);
        run(&b, 10);
        expect_same(&b);
        tw_body_def def = tw_body_def_default();
        def.size = grain;
        def.x = must_body(b.cpu, SIDE * SIDE * SIDE - 1).x;
        for (int k = 0; k < 2; k++)
            must_succeed(
                tw_sim_remove_bodies(k ? b.device : b.cpu, ids + SIDE * SIDE * SIDE - 1, 1, &error),
                &error);
        assert_int_equal(tw_sim_body_count(b.device), 0);
        for (int k = 0; k < 2; k++)
            must_succeed(tw_sim_add_bodies(k ? b.device : b.cpu, &def, 1, NULL, &error), &error);
        run(&b, 10);
        expect_same(&b);
        end(&b);
    }
}

/* The same words as on the CPU, and the same state. */
static void what_is_refused_changes_nothing(void **state)
{
    (void)state;
    tw_error p, q;
    for (size_t number = 0; number < sizeof cases / sizeof *cases; number++) {
        both b = make(number);
        run(&b, 80);
        const tw_body_state other = must_body(b.cpu, 20);
        tw_body_def def = tw_body_def_default();
        def.size = 0.9 * grain;
        def.x = other.x;
        const uint32_t gone[] = {20, 3, 20};
        for (int k = 0; k < 4; k++) {
            if (k == 2) {
                must_succeed(tw_sim_set_dt(b.cpu, 0.5 * tw_sim_dt(b.cpu), 0, &p), &p);
                must_succeed(tw_sim_set_dt(b.device, 0.5 * tw_sim_dt(b.device), 0, &q), &q);
                run(&b, 1);
                def.size = 0.01 * grain; /* light: the given dt is too large for it */
                def.x = tw_vec3_add_scaled(def.x, 1.2 * other.size, tw_vec3_make(0.6, 0.6, 0.6));
            }
            const tw_status first = k == 1 ? tw_sim_remove_bodies(b.cpu, gone, 3, &p)
                                           : tw_sim_add_bodies(b.cpu, &def, 1, NULL, &p);
            const tw_status second = k == 1 ? tw_sim_remove_bodies(b.device, gone, 3, &q)
                                            : tw_sim_add_bodies(b.device, &def, 1, NULL, &q);
            assert_int_equal(first, k == 1 ? TW_STATUS_INPUT : TW_STATUS_PHYSICS);
            assert_int_equal(first, second);
            assert_string_equal(p.text, q.text);
            expect_same(&b);
            run(&b, 20);
            expect_same(&b);
        }
        end(&b);
    }
}

/* A simulation that has run, on a device with so many bytes; 0: they are too few. */
static int make_within(size_t bytes, both *b)
{
    char text[64];
    tw_error error;
    snprintf(text, sizeof text, "memory=%zu", bytes);
    setenv("TWIRL_DEVICE_TEST", text, 1);
    *b = make(1);
    unsetenv("TWIRL_DEVICE_TEST");
    specimen_run(b->cpu, 20);
    if (tw_sim_run(b->device, 20, &error) == TW_STATUS_OK) return 1;
    end(b);
    return 0;
}

/* A kind that divides bodies among processes, as that of twirl-lmp: it has no exchange. */
static tw_device_kind divided;

static tw_status open_divided(tw_device **made, tw_error *error)
{
    const tw_status status = tw_device_emulated.open(made, error);
    if (status == TW_STATUS_OK) (*made)->kind = &divided;
    return status;
}

static void a_divided_device_refuses_by_name(void **state)
{
    (void)state;
    const uint32_t id = 3;
    tw_body_def body = tw_body_def_default();
    tw_error error;
    body.size = grain;
    divided = tw_device_emulated;
    divided.open = open_divided;
    divided.exchange = NULL;
    tw_device_register("lammps", &divided);
    tw_sim *sim = specimen_make(SPECIMEN_SPHERES, SIDE, 11);
    must_succeed(tw_sim_set_device(sim, "lammps", &error), &error);
    must_succeed(tw_sim_run(sim, 3, &error), &error);
    const uint64_t hash = tw_sim_hash(sim);
    assert_int_equal(tw_sim_remove_bodies(sim, &id, 1, &error), TW_STATUS_DEVICE);
    assert_non_null(strstr(error.text, "the device 'lammps' cannot remove bodies between steps"));
    assert_int_equal(tw_sim_add_bodies(sim, &body, 1, NULL, &error), TW_STATUS_DEVICE);
    assert_non_null(strstr(error.text, "the device 'lammps' cannot add bodies between steps"));
    assert_true(tw_sim_hash(sim) == hash);
    tw_sim_free(sim);
}

/* What does not fit on the device, in one place or another, is done by the host. */
static void memory_may_be_short(void **state)
{
    (void)state;
    enum { TIMES = 30, MORE = 16384 };
    both b;
    if (strcmp(device, "emulated") != 0) skip();
    size_t least = 1 << 20, most = 1 << 25;
    while (most - least > MORE) {
        const size_t middle = (least + most) / 2;
        const int fits = make_within(middle, &b);
        if (fits) end(&b);
        *(fits ? &most : &least) = middle;
    }
    size_t done = 0;
    for (size_t k = 0; k < TIMES; k++) {
        tw_error error;
        uint32_t ids[SOME];
        tw_body_def defs[MANY];
        size_t coming = 0;
        assert_true(make_within(most + k * MORE, &b));
        const size_t leaving = choose(&b, SOME, ids);
        for (size_t j = 0; j < leaving; j++)
            coming += replace(&b, ids[j], defs + coming);
        remove_some(&b, ids, leaving, 0);
        done += b.device->owner == TW_SIM_OWNER_DEVICE;
        expect_same(&b);
        specimen_run(b.cpu, 1);
        if (tw_sim_run(b.device, 1, &error) == TW_STATUS_OK) {
            add_some(&b, defs, coming, 0);
            done += b.device->owner == TW_SIM_OWNER_DEVICE;
            expect_same(&b);
        }
        end(&b);
    }
    assert_true(done > 4 && done < 2 * TIMES - 4);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bits_are_those_of_the_cpu),
        cmocka_unit_test(tiles_may_be_full),
        cmocka_unit_test(a_control_goes_on),
        cmocka_unit_test(the_last_one_and_the_first),
        cmocka_unit_test(what_is_refused_changes_nothing),
        cmocka_unit_test(a_divided_device_refuses_by_name),
        cmocka_unit_test(memory_may_be_short),
    };
    if (argc > 1) device = argv[1];
    if (tw_sim_check_device(device, NULL) != TW_STATUS_OK) return 77;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
