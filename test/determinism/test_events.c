/* SPDX-License-Identifier: BSD-3-Clause */
/* Events: against a record that is made by comparing bodies and contacts after every step; the same
 * on every device, with any number of threads and after a restart; and nothing else depends on
 * them. */
#define _POSIX_C_SOURCE 200809L /* setenv */
#include "specimen.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../must.h"

enum { SIDE = 5, LEAVE = 12, TURNS = 3, STEPS = 70, MOST = 1 << 16 };

static const uint32_t all = (1u << TW_EVENT_KINDS) - 1;

typedef struct record {
    tw_event *event;
    size_t count;
} record;

static record make_record(void)
{
    const record r = {calloc(MOST, sizeof *r.event), 0};
    assert_non_null(r.event);
    return r;
}

static void put(record *r, tw_event event)
{
    assert_true(r->count < MOST);
    r->event[r->count++] = event;
}

/* ---- By comparing ---- */

typedef struct seen {
    tw_body_state *body;
    tw_contact_state *contact;
    size_t bodies, contacts;
} seen;

static seen look(const tw_sim *sim)
{
    tw_error error;
    seen s = {.bodies = tw_sim_body_count(sim)};
    s.body = calloc(s.bodies + 1, sizeof *s.body);
    assert_non_null(s.body);
    must_succeed(tw_sim_get_bodies(sim, s.body, s.bodies, &error), &error);
    must_succeed(tw_sim_list_contacts(sim, &s.contact, &s.contacts, &error), &error);
    return s;
}

static void forget(seen *s)
{
    free(s->body);
    free(s->contact);
    *s = (seen){0};
}

/* Without the image, which a search changes. */
static int order(const tw_contact_state *a, const tw_contact_state *b)
{
    const uint32_t of_a[] = {a->body_p, a->body_q, a->member_p, a->member_q},
                   of_b[] = {b->body_p, b->body_q, b->member_p, b->member_q};
    for (int k = 0; k < 4; k++)
        if (of_a[k] != of_b[k]) return of_a[k] < of_b[k] ? -1 : 1;
    return 0;
}

static tw_event event_of(const tw_sim *sim, tw_event_kind kind)
{
    return (tw_event){
        .step = tw_sim_steps(sim), .time = tw_sim_time(sim), .kind = kind, .body_q = TW_NO_BODY};
}

static void put_contact(record *r, const tw_sim *sim, tw_event_kind kind, const tw_contact_state *c)
{
    tw_event e = event_of(sim, kind);
    e.body_p = c->body_p;
    e.body_q = c->body_q;
    e.member_p = c->member_p;
    e.member_q = c->member_q;
    memcpy(e.shift, c->shift, sizeof e.shift);
    put(r, e);
}

/* Both lists are in the order of pairs. */
static void compare_contacts(record *r, const tw_sim *sim, const seen *before, const seen *after)
{
    size_t i = 0, j = 0;
    while (i < before->contacts || j < after->contacts) {
        const tw_contact_state *a = &before->contact[i], *b = &after->contact[j];
        const int side = i == before->contacts ? 1 : j == after->contacts ? -1 : order(a, b);
        if (side < 0) put_contact(r, sim, TW_EVENT_CONTACT_ENDED, a);
        if (side > 0) put_contact(r, sim, TW_EVENT_CONTACT_BEGAN, b);
        i += side <= 0;
        j += side >= 0;
    }
}

static void put_body(record *r, const tw_sim *sim, tw_event_kind kind, const tw_body_state *b)
{
    tw_event e = event_of(sim, kind);
    e.body_p = b->id;
    e.mass = b->mass;
    e.x = b->x;
    put(r, e);
}

static void compare_bodies(record *r, const tw_sim *sim, const seen *before, const seen *after)
{
    size_t i = 0, j = 0;
    while (i < before->bodies || j < after->bodies) {
        const tw_body_state *a = &before->body[i], *b = &after->body[j];
        const int left = i < before->bodies && (j == after->bodies || a->id < b->id);
        const int came = i == before->bodies;
        if (left) put_body(r, sim, TW_EVENT_BODY_LEFT, a);
        if (came) put_body(r, sim, TW_EVENT_BODY_CAME, b);
        i += !came;
        j += !left;
    }
}

static void compare(record *r, const tw_sim *sim, seen *last)
{
    seen now = look(sim);
    compare_bodies(r, sim, last, &now);
    compare_contacts(r, sim, last, &now);
    forget(last);
    *last = now;
}

/* ---- The story of a specimen ---- */

typedef struct way {
    int threads;
    const char *device;
    uint64_t part; /* steps in a call */
    int restarts, taken_at_once;
    uint32_t kinds;
} way;

static void take(tw_sim *sim, const way *by, record *r)
{
    tw_error error;
    const size_t there = tw_sim_event_count(sim), room = by->taken_at_once ? MOST - r->count : 7;
    size_t taken = 0, count;
    do {
        must_succeed(tw_sim_take_events(sim, r->event + r->count, room, &count, &error), &error);
        taken += count;
        r->count += count;
        assert_int_equal(tw_sim_event_count(sim), there - taken);
        assert_true(r->count + room <= MOST || by->taken_at_once);
    } while (count > 0);
    assert_int_equal(taken, there);
}

/* `expected`: what is seen after every call. */
static void step(tw_sim *sim, const way *by, uint64_t steps, record *r, record *expected,
                 seen *last)
{
    for (uint64_t k = 0; k < steps; k += by->part) {
        specimen_run(sim, steps - k < by->part ? steps - k : by->part);
        if (expected) compare(expected, sim, last);
        if (!by->taken_at_once) take(sim, by, r);
    }
}

static size_t choose(const tw_sim *sim, uint64_t seed, uint32_t *ids)
{
    size_t count = 0;
    for (size_t k = tw_sim_body_count(sim); k > 0 && count < LEAVE; k--) {
        seed = seed * UINT64_C(6364136223846793005) + 1;
        if (seed >> 61 == 0) ids[count++] = tw_sim_body_id(sim, k - 1);
    }
    return count;
}

static void exchange(tw_sim *sim, uint64_t seed, record *expected, seen *last)
{
    tw_error error;
    uint32_t gone[LEAVE];
    tw_body_def defs[LEAVE];
    const size_t count = choose(sim, seed, gone);
    for (size_t k = 0; k < count; k++) {
        const tw_body_state b = must_body(sim, gone[k]);
        defs[k] = tw_body_def_default();
        defs[k].shape = b.shape;
        defs[k].size = (k % 2 ? 1.02 : 0.7) * b.size;
        defs[k].material = b.material;
        defs[k].x = b.x;
        defs[k].v = tw_vec3_make(0.1, -0.05, 0.02);
    }
    assert_true(count > 3);
    must_succeed(tw_sim_remove_bodies(sim, gone, count, &error), &error);
    if (expected) compare(expected, sim, last);
    must_succeed(tw_sim_add_bodies(sim, defs, count, NULL, &error), &error);
    if (expected) compare(expected, sim, last);
}

static tw_sim *restart(tw_sim *sim, const way *by, specimen_kind kind, record *r)
{
    char name[64];
    tw_error error;
    snprintf(name, sizeof name, "events-%d.h5", (int)kind);
    if (tw_sim_event_count(sim) > 0) {
        assert_int_equal(tw_sim_save(sim, name, &error), TW_STATUS_INPUT);
        assert_non_null(strstr(error.text, "events have not been taken"));
    }
    take(sim, by, r);
    specimen_save(sim, name);
    tw_sim_free(sim);
    sim = specimen_load(name);
    remove(name);
    tw_sim_set_threads(sim, by->threads);
    must_succeed(tw_sim_set_device(sim, by->device, &error), &error);
    must_succeed(tw_sim_record_events(sim, by->kinds, &error), &error);
    return sim;
}

/* Returns the hash of the last state. */
static uint64_t story(specimen_kind kind, const way *by, record *r, record *expected)
{
    tw_error error;
    seen last = {0};
    tw_sim *sim = specimen_make(kind, SIDE, 11);
    tw_sim_set_threads(sim, by->threads);
    must_succeed(tw_sim_set_device(sim, by->device, &error), &error);
    must_succeed(tw_sim_record_events(sim, by->kinds, &error), &error);
    if (expected) {
        last = look(sim);
        must_prepare(sim);
        compare(expected, sim, &last);
    }
    for (uint64_t turn = 0; turn < TURNS; turn++) {
        step(sim, by, STEPS, r, expected, &last);
        if (by->restarts) sim = restart(sim, by, kind, r);
        exchange(sim, 3 + turn, expected, &last);
    }
    step(sim, by, STEPS, r, expected, &last);
    take(sim, by, r);
    const uint64_t hash = tw_sim_hash(sim);
    tw_sim_free(sim);
    forget(&last);
    return hash;
}

/* ---- Tests ---- */

static size_t of_kind(const record *r, tw_event_kind kind)
{
    size_t count = 0;
    for (size_t k = 0; k < r->count; k++)
        count += r->event[k].kind == kind;
    return count;
}

static void expect_same(const record *expected, const record *r, const char *what)
{
    for (size_t k = 0; k < expected->count && k < r->count; k++) {
        tw_event a = expected->event[k], b = r->event[k];
        if (memcmp(&a, &b, sizeof a) == 0) continue;
        fail_msg("%s: event %zu is %s of %u and %u in step %llu, not %s of %u and %u in step %llu",
                 what, k, tw_event_name(b.kind), b.body_p, b.body_q, (unsigned long long)b.step,
                 tw_event_name(a.kind), a.body_p, a.body_q, (unsigned long long)a.step);
    }
    assert_int_equal(expected->count, r->count);
}

/* What only the engine knows. */
static void ignore(record *r, const record *expected)
{
    for (size_t k = 0; k < r->count && k < expected->count; k++) {
        r->event[k].energy = 0.0;
        if (r->event[k].kind == TW_EVENT_CONTACT_ENDED)
            memcpy(r->event[k].shift, expected->event[k].shift, sizeof r->event[k].shift);
    }
}

static void they_are_what_has_happened(void **state)
{
    (void)state;
    for (int kind = 0; kind < SPECIMEN_KINDS; kind++) {
        record r = make_record(), expected = make_record();
        const way by = {1, "cpu", 1, 0, 0, all};
        story((specimen_kind)kind, &by, &r, &expected);
        for (int k = 0; k < TW_EVENT_KINDS; k++)
            assert_true(of_kind(&expected, (tw_event_kind)k) > 10);
        ignore(&r, &expected);
        expect_same(&expected, &r, "against states");
        free(r.event);
        free(expected.event);
    }
}

static void they_are_the_same_everywhere(void **state)
{
    (void)state;
    static const way ways[] = {
        {3, "cpu", STEPS, 1, 1, (1u << TW_EVENT_KINDS) - 1},
        {2, "emulated", 1, 0, 0, (1u << TW_EVENT_KINDS) - 1},
        {2, "emulated", STEPS, 1, 1, (1u << TW_EVENT_KINDS) - 1},
    };
    for (int kind = 0; kind < SPECIMEN_KINDS; kind++) {
        record first = make_record(), none = make_record();
        const way plain = {1, "cpu", 13, 0, 0, all}, off = {2, "cpu", STEPS, 0, 1, 0};
        const uint64_t hash = story((specimen_kind)kind, &plain, &first, NULL);
        assert_true(hash != 0);
        assert_true(story((specimen_kind)kind, &off, &none, NULL) == hash);
        assert_int_equal(none.count, 0);
        for (int k = 0; k < 4; k++) {
            record r = make_record();
            if (k == 3) setenv("TWIRL_DEVICE_TEST", "events=4 spare=1", 1);
            assert_true(story((specimen_kind)kind, &ways[k < 3 ? k : 2], &r, NULL) == hash);
            unsetenv("TWIRL_DEVICE_TEST");
            expect_same(&first, &r, ways[k < 3 ? k : 2].device);
            free(r.event);
        }
        free(first.event);
        free(none.event);
    }
}

static void only_those_that_are_asked_for(void **state)
{
    (void)state;
    record some = make_record(), every = make_record();
    const way by = {2, "cpu", STEPS, 0, 1, all};
    story(SPECIMEN_BOX, &by, &every, NULL);
    for (int kind = 0; kind < TW_EVENT_KINDS; kind++) {
        for (int device = 0; device < 2; device++) {
            const way one = {2, device ? "emulated" : "cpu", STEPS, 0, 1, 1u << kind};
            some.count = 0;
            story(SPECIMEN_BOX, &one, &some, NULL);
            assert_int_equal(some.count, of_kind(&every, (tw_event_kind)kind));
            assert_int_equal(of_kind(&some, (tw_event_kind)kind), some.count);
        }
    }
    free(some.event);
    free(every.event);
}

/* Bodies in free flight, whose energies no other change disturbs. */
static void energies_are_those_of_the_balance(void **state)
{
    (void)state;
    tw_error error;
    tw_sim_def def = tw_sim_def_default();
    def.law.kn = 1e5;
    def.gravity = tw_vec3_make(0.0, 0.0, -9.81);
    def.dt = 1e-6;
    tw_sim *sim = tw_sim_create(&def, &error);
    assert_non_null(sim);
    tw_body_def defs[8];
    for (int k = 0; k < 8; k++) {
        defs[k] = tw_body_def_default();
        defs[k].size = 0.01 * (1 + k);
        defs[k].x = tw_vec3_make(0.25 + 0.5 * (k & 1), 0.25 + 0.25 * (k & 2), 0.2 + 0.1 * (k & 4));
        defs[k].v = tw_vec3_make(0.1 * k, 0.2, -0.3);
        defs[k].w = tw_vec3_make(3.0, -k, 5.0);
    }
    must_succeed(tw_sim_record_events(sim, all, &error), &error);
    must_succeed(tw_sim_add_bodies(sim, defs, 8, NULL, &error), &error);
    specimen_run(sim, 10);
    tw_event event[8];
    size_t count;
    must_succeed(tw_sim_take_events(sim, event, 8, &count, &error), &error);
    assert_int_equal(count, 8);
    for (size_t k = 0; k < 8; k++)
        assert_true(event[k].kind == TW_EVENT_BODY_CAME && event[k].body_p == k &&
                    event[k].energy == 0.0);
    for (int turn = 0; turn < 2; turn++) {
        const uint32_t gone[] = {6, 1, 4}, ids[] = {1, 4, 6};
        const tw_body_def more[] = {defs[1], defs[4], defs[6]};
        const tw_energy before = must_measure(sim).energy;
        must_succeed(turn ? tw_sim_add_bodies(sim, more, 3, NULL, &error)
                          : tw_sim_remove_bodies(sim, gone, 3, &error),
                     &error);
        const tw_energy after = must_measure(sim).energy;
        must_succeed(tw_sim_take_events(sim, event, 8, &count, &error), &error);
        assert_int_equal(count, 3);
        double sum = 0.0;
        for (size_t k = 0; k < 3; k++) {
            const uint32_t id = turn ? 8 + (uint32_t)k : ids[k];
            const double size = more[k].size;
            assert_int_equal(event[k].kind, turn ? TW_EVENT_BODY_CAME : TW_EVENT_BODY_LEFT);
            assert_int_equal(event[k].body_p, id);
            assert_true(event[k].energy > 0.0 && event[k].step == 10);
            const double mass = 2650.0 * 4.0 / 3.0 * acos(-1.0) * size * size * size;
            assert_true(fabs(event[k].mass / mass - 1.0) < 1e-12);
            sum += event[k].energy;
        }
        const double change = after.kinetic + after.rotational - before.kinetic - before.rotational;
        assert_true(fabs(change - (turn ? sum : -sum)) < 1e-13 * before.kinetic);
        assert_true(fabs(after.start - before.start - (turn ? sum : -sum)) <
                    1e-13 * before.kinetic);
    }
    tw_sim_free(sim);
}

static void what_is_refused(void **state)
{
    (void)state;
    tw_error error;
    tw_event event[3];
    size_t count = 7;
    tw_sim *sim = specimen_make(SPECIMEN_BOX, 3, 3);
    assert_int_equal(tw_sim_record_events(sim, 1u << TW_EVENT_KINDS, &error), TW_STATUS_INPUT);
    assert_string_equal(error.text, "there are no events of kind 4");
    specimen_run(sim, 5);
    assert_int_equal(tw_sim_event_count(sim), 0);
    must_succeed(tw_sim_take_events(sim, event, 3, &count, &error), &error);
    assert_int_equal(count, 0);
    assert_string_equal(tw_event_name(TW_EVENT_CONTACT_ENDED), "contact_ended");
    assert_null(tw_event_name(TW_EVENT_KINDS));
    must_succeed(tw_sim_record_events(sim, all, &error), &error);
    assert_int_equal(tw_sim_set_device(sim, "lammps", &error), TW_STATUS_DEVICE);
    assert_non_null(strstr(error.text, "cannot record contacts"));
    /* A change that is refused has no events. */
    const uint32_t twice[] = {4, 9, 4};
    assert_int_equal(tw_sim_remove_bodies(sim, twice, 3, &error), TW_STATUS_INPUT);
    tw_body_def def = tw_body_def_default();
    def.x = must_body(sim, 13).x;
    def.size = must_body(sim, 13).size;
    assert_int_equal(tw_sim_add_bodies(sim, &def, 1, NULL, &error), TW_STATUS_PHYSICS);
    assert_int_equal(tw_sim_event_count(sim), 0);
    must_succeed(tw_sim_remove_bodies(sim, twice, 2, &error), &error);
    const size_t there = tw_sim_event_count(sim);
    assert_true(there >= 2);
    tw_sim *copy = tw_sim_copy(sim, &error);
    assert_non_null(copy);
    assert_int_equal(tw_sim_event_count(copy), 0);
    must_succeed(tw_sim_remove_bodies(copy, twice + 1, 0, &error), &error);
    assert_int_equal(tw_sim_event_count(copy), 0);
    must_succeed(tw_sim_record_events(sim, 0, &error), &error); /* those that are there stay */
    assert_int_equal(tw_sim_event_count(sim), there);
    tw_sim_free(copy);
    tw_sim_free(sim);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(they_are_what_has_happened),
        cmocka_unit_test(they_are_the_same_everywhere),
        cmocka_unit_test(only_those_that_are_asked_for),
        cmocka_unit_test(energies_are_those_of_the_balance),
        cmocka_unit_test(what_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
