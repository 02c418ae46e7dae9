/* SPDX-License-Identifier: BSD-3-Clause */
/* Bodies that come and go between steps: what stays is not disturbed, the balances of energy and
 * momentum hold, and the simulation continues as one that is built anew from the same bodies and
 * contacts; with the same bits after a restart, with any number of threads, on a device. */
#include "specimen.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../must.h"
#include "sim/sim_internal.h"

enum { SIDE = 6, LEAVE = 40, COME = 30 };

static const double grain = 1e-3; /* [m] */

/* ---- A state, seen from outside ---- */

typedef struct seen {
    tw_body_state *body;
    tw_contact_state *contact;
    size_t bodies, contacts;
    tw_energy energy;
    tw_vec3 momentum; /* [N s] */
    double scale;     /* of momenta [N s] */
} seen;

static seen look(tw_sim *sim)
{
    tw_error error;
    seen s = {.energy = must_measure(sim).energy, .bodies = tw_sim_body_count(sim)};
    s.body = calloc(s.bodies + 1, sizeof *s.body);
    assert_non_null(s.body);
    must_succeed(tw_sim_get_bodies(sim, s.body, s.bodies, &error), &error);
    must_succeed(tw_sim_list_contacts(sim, &s.contact, &s.contacts, &error), &error);
    for (size_t k = 0; k < s.bodies; k++) {
        assert_int_equal(s.body[k].id, tw_sim_body_id(sim, k));
        assert_int_equal(tw_sim_body_row(sim, s.body[k].id), k);
        assert_true(k == 0 || s.body[k].id > s.body[k - 1].id);
        s.momentum = tw_vec3_add_scaled(s.momentum, s.body[k].mass, s.body[k].v);
        s.scale += s.body[k].mass * tw_vec3_norm(s.body[k].v);
    }
    return s;
}

static void forget(seen *s)
{
    free(s->body);
    free(s->contact);
}

static const tw_body_state *find(const seen *s, uint32_t id)
{
    for (size_t k = 0; k < s->bodies; k++)
        if (s->body[k].id == id) return &s->body[k];
    return NULL;
}

static int has(const uint32_t *ids, size_t count, uint32_t id)
{
    for (size_t k = 0; k < count; k++)
        if (ids[k] == id) return 1;
    return 0;
}

static void expect_near(tw_vec3 a, tw_vec3 b, double most, const char *what, uint32_t id)
{
    const double off = tw_vec3_norm(tw_vec3_sub(a, b));
    if (!(off <= most)) fail_msg("%s of body %u differs by %g, more than %g", what, id, off, most);
}

static double largest_force(const seen *s)
{
    double most = 0.0;
    for (size_t k = 0; k < s->contacts; k++)
        most = fmax(most, tw_vec3_norm(s->contact[k].force));
    return most;
}

/* The force on a body, and the torque, without those of its contacts and its weight: rounding, and
 * what contacts have given that ended in the last step. */
static void rest_of(const tw_sim *sim, const seen *s, const tw_body_state *b, tw_vec3 rest[2])
{
    rest[0] = tw_vec3_add_scaled(b->force, -b->mass, tw_sim_get_definition(sim).gravity);
    rest[1] = b->torque;
    for (size_t i = 0; i < s->contacts; i++) {
        const tw_contact_state *c = &s->contact[i];
        for (int q = 0; q < 2; q++) {
            if ((q ? c->body_q : c->body_p) != b->id) continue;
            const double sign = q ? 1.0 : -1.0;
            const tw_vec3 x = q ? tw_vec3_add(find(s, c->body_p)->x, c->branch) : b->x;
            rest[0] = tw_vec3_add_scaled(rest[0], sign, c->force);
            rest[1] = tw_vec3_add_scaled(rest[1], sign, c->couple);
            rest[1] = tw_vec3_add_scaled(rest[1], sign,
                                         tw_vec3_cross(tw_vec3_sub(c->point, x), c->force));
        }
    }
}

static void check_forces(tw_sim *sim, const seen *s)
{
    const double most = largest_force(s);
    for (size_t k = 0; k < s->bodies; k++) {
        tw_vec3 rest[2];
        const tw_vec3 none = {0.0, 0.0, 0.0};
        rest_of(sim, s, &s->body[k], rest);
        expect_near(rest[0], none, 1e-12 * most, "the force", s->body[k].id);
        expect_near(rest[1], none, 1e-12 * most * grain, "the torque", s->body[k].id);
    }
    for (size_t w = 0; w < tw_sim_wall_count(sim); w++) {
        const tw_wall_state wall = must_wall(sim, w);
        tw_vec3 sum = {0.0, 0.0, 0.0}, turn = sum;
        for (size_t i = 0; i < s->contacts; i++) {
            const tw_contact_state *c = &s->contact[i];
            if (c->body_q != TW_NO_BODY || c->member_q != w) continue;
            const tw_vec3 arm = tw_vec3_sub(c->point, wall.point);
            sum = tw_vec3_sub(sum, c->force);
            turn = tw_vec3_sub(turn, tw_vec3_add(tw_vec3_cross(arm, c->force), c->couple));
        }
        expect_near(wall.force, sum, 1e-11 * most, "the force on wall", (uint32_t)w);
        expect_near(wall.torque, turn, 1e-10 * most * grain, "the torque on wall", (uint32_t)w);
    }
}

/* Runs until no contact has ended in the last step: only the body knows of its force. */
static void settle(tw_sim *sim)
{
    for (int again = 1; again;) {
        specimen_run(sim, 1);
        seen s = look(sim);
        const double most = 1e-13 * largest_force(&s);
        again = 0;
        for (size_t k = 0; k < s.bodies; k++) {
            tw_vec3 rest[2];
            rest_of(sim, &s, &s.body[k], rest);
            again |= !(tw_vec3_norm(rest[0]) <= most && tw_vec3_norm(rest[1]) <= most * grain);
        }
        forget(&s);
    }
}

/* Contacts between bodies that stay: what they remember has the same bits. Returns the number of
 * others after the change. */
static size_t check_contacts(const seen *before, const seen *after, const uint32_t *gone,
                             size_t leaving)
{
    size_t at = 0, new = 0;
    for (size_t k = 0; k < before->contacts; k++) {
        const tw_contact_state *a = &before->contact[k], *b;
        if (has(gone, leaving, a->body_p) || has(gone, leaving, a->body_q)) continue;
        for (;; new ++, at++) {
            assert_true(at < after->contacts);
            b = &after->contact[at];
            if (b->body_p == a->body_p && b->body_q == a->body_q && b->member_p == a->member_p &&
                b->member_q == a->member_q && tw_vec3_norm(tw_vec3_sub(a->n, b->n)) == 0.0)
                break;
        }
        at++;
        assert_true(a->zeta == b->zeta && a->fn == b->fn && a->sliding == b->sliding);
        assert_true(tw_vec3_norm(tw_vec3_sub(a->ft, b->ft)) == 0.0);
        assert_true(tw_vec3_norm(tw_vec3_sub(a->force, b->force)) == 0.0);
        assert_true(tw_vec3_norm(tw_vec3_sub(a->couple, b->couple)) == 0.0);
        assert_true(tw_vec3_norm(tw_vec3_sub(a->rate, b->rate)) == 0.0);
    }
    return new + after->contacts - at;
}

static void check_bodies(const seen *before, const seen *after, const tw_sim *sim)
{
    const tw_sim_def def = tw_sim_get_definition(sim);
    for (size_t k = 0; k < after->bodies; k++) {
        const tw_body_state *b = &after->body[k], *a = find(before, b->id);
        if (!a) continue;
        tw_vec3 moved = tw_vec3_sub(b->x, a->x); /* bodies are wrapped into the cell */
        const tw_vec3 edges = tw_mat3_mul_vec(tw_mat3_inverse(def.cell), moved);
        const tw_vec3 whole = {rint(edges.x), rint(edges.y), rint(edges.z)};
        moved = tw_vec3_sub(moved, tw_mat3_mul_vec(def.cell, whole));
        expect_near(moved, tw_vec3_make(0, 0, 0), 1e-15, "the place", b->id);
        expect_near(a->displacement, b->displacement, 1e-15, "the displacement", b->id);
        expect_near(a->v, b->v, 1e-12 * (1.0 + tw_vec3_norm(a->v)), "the velocity", b->id);
        expect_near(a->w, b->w, 1e-12 * (1.0 + tw_vec3_norm(a->w)), "the spin", b->id);
    }
}

/* What has not been looked at is where `before` and `after` differ by the bodies that came and
 * went; returns contacts that are new. */
static size_t check_change(tw_sim *sim, const seen *before, const seen *after, const uint32_t *gone,
                           size_t leaving)
{
    const tw_energy *a = &before->energy, *b = &after->energy;
    const double all = a->kinetic + a->rotational + a->normal + a->tangential + fabs(a->cell) +
                       a->friction + a->contact_damping + a->body_damping;
    tw_vec3 momentum = before->momentum;
    double came = 0.0;
    for (size_t k = 0; k < before->bodies; k++)
        if (has(gone, leaving, before->body[k].id))
            momentum = tw_vec3_add_scaled(momentum, -before->body[k].mass, before->body[k].v);
    for (size_t k = 0; k < after->bodies; k++) {
        const tw_body_state *one = &after->body[k];
        if (find(before, one->id)) continue;
        momentum = tw_vec3_add_scaled(momentum, one->mass, one->v);
        came += 0.5 * one->mass * tw_vec3_dot(one->v, one->v);
    }
    expect_near(after->momentum, momentum, 1e-12 * (before->scale + after->scale), "the momentum",
                0);
    if (!(fabs(b->residual - a->residual) <= 1e-12 * (all + came)))
        fail_msg("the residual changes from %g to %g J, of %g J", a->residual, b->residual, all);
    assert_true(a->friction == b->friction && a->walls == b->walls);
    check_bodies(before, after, sim);
    check_forces(sim, after);
    assert_true(tw_sim_is_prepared(sim));
    assert_true(tw_sim_dt(sim) <= must_stable_step(sim).dt);
    return check_contacts(before, after, gone, leaving);
}

/* ---- A simulation that is built anew ---- */

static void copy_part(const tw_sim *from, tw_sim *to, const char *name, size_t contacts)
{
    tw_error error;
    const size_t room = 16 * contacts + 1;
    double *values = calloc(room, sizeof *values);
    assert_non_null(values);
    must_succeed(tw_sim_get_contact_part(from, name, values, room, &error), &error);
    must_succeed(tw_sim_set_contact_part(to, name, values, room, &error), &error);
    free(values);
}

/* The same bodies, contacts and walls, with ids 0, 1, 2 ... */
static tw_sim *build(specimen_kind kind, const tw_sim *sim, const seen *s)
{
    tw_error error;
    tw_sim *new = specimen_make_empty(kind, 1.0);
    new->state.cell = sim->state.cell;
    new->state.dt = sim->state.dt;
    new->state.skin = sim->state.skin;
    const size_t walls = sim->state.wall_count * sizeof *sim->state.walls;
    if (walls > 0) memcpy(new->state.walls, sim->state.walls, walls);
    for (size_t k = 0; k < s->bodies; k++) {
        const tw_body_state *b = &s->body[k];
        tw_body_def def = {sizeof def, b->shape, b->size, b->x,    b->q,       b->v_half,
                           b->w_half,  b->fixed, 1,       b->type, b->material};
        must_succeed(tw_sim_add_body(new, &def, NULL, &error), &error);
    }
    must_prepare(new);
    tw_contact_state *contact = calloc(s->contacts + 1, sizeof *contact);
    assert_non_null(contact);
    for (size_t k = 0; k < s->contacts; k++) {
        contact[k] = s->contact[k];
        contact[k].body_p = (uint32_t)tw_sim_body_row(sim, contact[k].body_p);
        if (contact[k].body_q != TW_NO_BODY)
            contact[k].body_q = (uint32_t)tw_sim_body_row(sim, contact[k].body_q);
    }
    must_succeed(tw_sim_set_contacts(new, contact, s->contacts, NULL, &error), &error);
    assert_int_equal(must_contacts(new), s->contacts);
    if (walls > 0) memcpy(new->state.walls, sim->state.walls, walls); /* what servos know */
    const tw_contact_part *part;
    for (uint32_t k = 0; (part = tw_contact_part_at(k)); k++)
        if (part->need & tw_model_extras(&sim->model)) copy_part(sim, new, part->name, s->contacts);
    free(contact);
    return new;
}

/* Both go on in the same way: rounding, which grows a hundredfold in so many collisions. */
static void check_against_new(specimen_kind kind, const tw_sim *sim, const seen *s)
{
    enum { STEPS = 60 };
    tw_error error;
    tw_sim *new = build(kind, sim, s), *old = tw_sim_copy(sim, &error);
    assert_non_null(old);
    for (int turn = 0; turn < 2; turn++) {
        const double most = (turn ? 1e-10 : 1e-13) * grain;
        for (size_t k = 0; k < s->bodies; k++) {
            const tw_body_state a = must_body(old, tw_sim_body_id(old, k)),
                                b = must_body(new, (uint32_t)k);
            const tw_vec3 d = tw_vec3_sub(a.x, b.x),
                          h = tw_mat3_mul_vec(new->state.cell.inverse, d);
            const tw_vec3 whole = {rint(h.x), rint(h.y), rint(h.z)};
            expect_near(d, tw_mat3_mul_vec(new->state.cell.h, whole), most, "the place", a.id);
            expect_near(a.v, b.v, turn ? 1e-8 : 1e-12, "the velocity", a.id);
        }
        if (turn) break;
        specimen_run(old, STEPS);
        specimen_run(new, STEPS);
    }
    assert_int_equal(must_contacts(old), must_contacts(new));
    tw_sim_free(new);
    tw_sim_free(old);
}

/* ---- What comes and goes ---- */

/* A quarter of the bodies, spread over all, so that neighbours leave too. */
static size_t choose(const tw_sim *sim, uint64_t seed, uint32_t *ids)
{
    size_t count = 0;
    for (size_t k = 0; k < tw_sim_body_count(sim) && count < LEAVE; k++) {
        seed = seed * UINT64_C(6364136223846793005) + 1;
        if (seed >> 62 == 0) ids[count++] = tw_sim_body_id(sim, k);
    }
    return count;
}

/* Where bodies were: some a little larger, so that they touch others at once; with velocities, in
 * half of them half a step earlier, and one outside of the cell. */
static size_t fill(const seen *before, const uint32_t *gone, size_t leaving, tw_body_def *defs)
{
    size_t count = 0;
    for (size_t k = 0; k < leaving && count < COME; k++) {
        const tw_body_state *b = find(before, gone[k]);
        tw_body_def *def = &defs[count];
        *def = tw_body_def_default();
        def->shape = b->shape;
        def->size = b->size * (k % 3 == 0 ? 1.03 : k % 3 == 1 ? 0.8 : 0.5);
        def->material = b->material;
        def->type = 7;
        def->x = b->x;
        def->q = b->q;
        def->v = tw_vec3_make(0.1, -0.1 * (double)k, 0.05);
        def->w = tw_vec3_make(100.0, 20.0, -10.0);
        def->half_step = k % 2 == 0;
        def->fixed = k % 7 == 3;
        count++;
    }
    return count;
}

/* Removes, runs, and adds; `look_at`: compares each change. Returns contacts that began as bodies
 * came. */
static size_t exchange(tw_sim *sim, specimen_kind kind, uint64_t seed, int look_at)
{
    tw_error error;
    uint32_t gone[LEAVE], first;
    tw_body_def defs[COME];
    if (look_at) settle(sim);
    seen before = look(sim);
    const size_t leaving = choose(sim, seed, gone);
    const size_t coming = fill(&before, gone, leaving, defs);
    const uint32_t next = tw_sim_next_id(sim);
    assert_true(leaving > 20 && coming > 20);
    must_succeed(tw_sim_remove_bodies(sim, gone, leaving, &error), &error);
    assert_int_equal(tw_sim_body_count(sim), before.bodies - leaving);
    if (look_at) {
        seen after = look(sim);
        assert_int_equal(check_change(sim, &before, &after, gone, leaving), 0);
        assert_true(after.contacts < before.contacts);
        check_against_new(kind, sim, &after);
        forget(&after);
    }
    forget(&before);
    before = look(sim);
    must_succeed(tw_sim_add_bodies(sim, defs, coming, &first, &error), &error);
    assert_int_equal(first, next);
    assert_int_equal(tw_sim_next_id(sim), next + coming);
    size_t began = 0;
    if (look_at) {
        seen after = look(sim);
        began = check_change(sim, &before, &after, NULL, 0);
        check_against_new(kind, sim, &after);
        forget(&after);
    }
    forget(&before);
    specimen_run(sim, 30);
    return began;
}

static int runs_in(specimen_kind kind)
{
    return kind == SPECIMEN_SPHERES ? 60 : 160;
}

static void check_kind(specimen_kind kind)
{
    tw_sim *sim = specimen_make(kind, SIDE, 11);
    tw_sim_set_threads(sim, 2);
    specimen_run(sim, (uint64_t)runs_in(kind));
    size_t began = 0;
    for (uint64_t turn = 0; turn < 3; turn++)
        began += exchange(sim, kind, 5 + turn, 1);
    assert_true(began > 3);
    tw_sim_free(sim);
}

static void what_stays_is_not_disturbed(void **state)
{
    (void)state;
    for (int kind = 0; kind < SPECIMEN_KINDS; kind++)
        check_kind((specimen_kind)kind);
}

/* ---- The same bits ---- */

static uint64_t story(specimen_kind kind, int threads, const char *device, int restarts)
{
    char name[64];
    tw_error error;
    tw_sim *sim = specimen_make(kind, SIDE, 11);
    snprintf(name, sizeof name, "bodies-%d.h5", (int)kind);
    tw_sim_set_threads(sim, threads);
    must_succeed(tw_sim_set_device(sim, device, &error), &error);
    specimen_run(sim, (uint64_t)runs_in(kind));
    for (uint64_t turn = 0; turn < 3; turn++) {
        exchange(sim, kind, 5 + turn, 0);
        if (!restarts) continue;
        specimen_save(sim, name);
        tw_sim_free(sim);
        sim = specimen_load(name);
        remove(name);
        tw_sim_set_threads(sim, threads);
        must_succeed(tw_sim_set_device(sim, device, &error), &error);
    }
    const uint64_t hash = tw_sim_hash(sim);
    tw_sim_free(sim);
    return hash;
}

static void bits_are_the_same_everywhere(void **state)
{
    (void)state;
    for (int kind = 0; kind < SPECIMEN_KINDS; kind++) {
        const uint64_t hash = story((specimen_kind)kind, 1, "cpu", 0);
        assert_true(hash != 0);
        assert_true(story((specimen_kind)kind, 3, "cpu", 1) == hash);
        assert_true(story((specimen_kind)kind, 7, "cpu", 0) == hash);
        assert_true(story((specimen_kind)kind, 2, "emulated", 1) == hash);
    }
}

/* ---- Ids ---- */

static void ids_are_for_life(void **state)
{
    (void)state;
    tw_error error;
    tw_body_state body;
    tw_sim *sim = specimen_make(SPECIMEN_BOX, 3, 3);
    const uint32_t twice[] = {4, 9, 4}, some[] = {26, 0, 13}, none[] = {27};
    const tw_vec3 zero = {0.0, 0.0, 0.0};
    for (int prepared = 0; prepared < 2; prepared++) {
        if (prepared) must_prepare(sim);
        const uint64_t hash = tw_sim_hash(sim);
        assert_int_equal(tw_sim_remove_bodies(sim, twice, 3, &error), TW_STATUS_INPUT);
        assert_string_equal(error.text, "body 4 is given twice");
        assert_int_equal(tw_sim_remove_bodies(sim, none, 1, &error), TW_STATUS_INPUT);
        assert_string_equal(error.text, "there is no body 27: the simulation has 27");
        assert_true(tw_sim_hash(sim) == hash);
    }
    must_succeed(tw_sim_remove_bodies(sim, some, 3, &error), &error);
    for (int k = 0; k < 3; k++) {
        char text[64];
        snprintf(text, sizeof text, "there is no body %u: it has left the simulation", some[k]);
        assert_int_equal(tw_sim_get_body(sim, some[k], &body, &error), TW_STATUS_INPUT);
        assert_string_equal(error.text, text);
        assert_int_equal(tw_sim_set_body_velocity(sim, some[k], zero, zero, &error),
                         TW_STATUS_INPUT);
        assert_string_equal(error.text, text);
        assert_int_equal(tw_sim_set_body_type(sim, some[k], 2, &error), TW_STATUS_INPUT);
        assert_int_equal(tw_sim_set_body_material(sim, some[k], 0, &error), TW_STATUS_INPUT);
        assert_string_equal(error.text, text);
        assert_int_equal(tw_sim_remove_bodies(sim, &some[k], 1, &error), TW_STATUS_INPUT);
        assert_string_equal(error.text, text);
        assert_true(tw_sim_body_row(sim, some[k]) == SIZE_MAX);
    }
    assert_int_equal(tw_sim_next_id(sim), 27);
    tw_sim *copy = tw_sim_copy(sim, &error);
    assert_non_null(copy);
    assert_int_equal(tw_sim_next_id(copy), 27);
    assert_true(tw_sim_hash(copy) == tw_sim_hash(sim));
    copy->state.departed++; /* it is part of the state, */
    assert_true(tw_sim_hash(copy) != tw_sim_hash(sim));
    tw_sim_free(copy);
    specimen_drop_in(sim, 0.1);
    assert_int_equal(must_body(sim, 27).id, 27);
    assert_int_equal(tw_sim_body_id(sim, 24), 27);
    assert_false(tw_sim_is_prepared(sim)); /* as ever with tw_sim_add_body */
    must_succeed(tw_sim_remove_bodies(sim, none, 1, &error), &error);
    specimen_run(sim, 20);
    assert_int_equal(tw_sim_body_count(sim), 24);
    tw_sim_free(sim);
}

/* Also before anything is prepared, and the last one; then others come. */
static void all_may_leave(void **state)
{
    (void)state;
    tw_error error;
    for (int kind = 0; kind < SPECIMEN_KINDS; kind++)
        for (int prepared = 0; prepared < 2; prepared++) {
            char name[64];
            snprintf(name, sizeof name, "none-%d.h5", kind);
            tw_sim *sim = specimen_make((specimen_kind)kind, 3, 5);
            if (prepared) specimen_run(sim, 50);
            tw_energy then = {0};
            if (prepared) then = must_measure(sim).energy;
            const double residual = then.residual;
            const double scale = then.kinetic + then.rotational + then.normal + then.tangential +
                                 fabs(then.cell) + fabs(then.gravity) + then.contact_damping;
            uint32_t ids[27];
            for (uint32_t k = 0; k < 27; k++)
                ids[k] = 26 - k;
            must_succeed(tw_sim_remove_bodies(sim, ids, 20, &error), &error);
            must_succeed(tw_sim_remove_bodies(sim, ids + 20, 7, &error), &error);
            assert_int_equal(tw_sim_body_count(sim), 0);
            assert_int_equal(tw_sim_run(sim, 1, &error), TW_STATUS_INPUT);
            assert_string_equal(error.text, "there are no bodies");
            specimen_save(sim, name);
            tw_sim_free(sim);
            sim = specimen_load(name);
            remove(name);
            tw_body_def def = tw_body_def_default();
            const tw_mat3 h = tw_sim_cell(sim);
            def.size = 0.2 * grain;
            def.x = tw_vec3_make(0.5 * h.m[0], 0.5 * h.m[4], 0.5 * h.m[8]);
            def.v = tw_vec3_make(0.01, 0.02, 0.03);
            uint32_t id;
            must_succeed(tw_sim_add_bodies(sim, &def, 1, &id, &error), &error);
            assert_int_equal(id, 27);
            const tw_energy e = must_measure(sim).energy;
            if (!(fabs(e.residual - residual) <= 1e-13 * scale + 1e-25))
                fail_msg("%s: the residual is %g, it was %g J", name, e.residual, residual);
            specimen_run(sim, 5);
            tw_sim_free(sim);
        }
}

/* ---- What is refused ---- */

static void a_refused_body_changes_nothing(void **state)
{
    (void)state;
    tw_error error;
    tw_sim *sim = specimen_make(SPECIMEN_BOX, 4, 3);
    specimen_run(sim, 100);
    const uint64_t hash = tw_sim_hash(sim);
    const tw_body_state other = must_body(sim, 20);
    tw_body_def defs[2] = {tw_body_def_default(), tw_body_def_default()};
    defs[0].size = 0.01 * grain;
    defs[0].x = tw_vec3_make(0.0, 0.0, -grain); /* behind the floor */
    assert_int_equal(tw_sim_add_bodies(sim, defs, 1, NULL, &error), TW_STATUS_PHYSICS);
    assert_non_null(strstr(error.text, "with wall 0"));
    defs[0].size = 0.9 * grain;
    defs[0].x = other.x;
    assert_int_equal(tw_sim_add_bodies(sim, defs, 1, NULL, &error), TW_STATUS_PHYSICS);
    assert_non_null(strstr(error.text, "excessive overlap"));
    defs[1].size = -1.0;
    assert_int_equal(tw_sim_add_bodies(sim, defs, 2, NULL, &error), TW_STATUS_INPUT);
    assert_string_equal(error.text, "body 65: size must be positive");
    assert_true(tw_sim_hash(sim) == hash);
    const uint32_t place[] = {20};
    must_succeed(tw_sim_remove_bodies(sim, place, 1, &error), &error);
    must_succeed(tw_sim_set_dt(sim, tw_sim_dt(sim), 0, &error), &error);
    const uint64_t now = tw_sim_hash(sim);
    defs[0].size = 0.02 * grain; /* light: the given dt is too large for it */
    assert_int_equal(tw_sim_add_bodies(sim, defs, 1, NULL, &error), TW_STATUS_PHYSICS);
    assert_non_null(strstr(error.text, "above the stable step"));
    assert_true(tw_sim_hash(sim) == now);
    must_succeed(tw_sim_set_dt(sim, 0.0, 0, &error), &error);
    const double dt = tw_sim_dt(sim);
    must_succeed(tw_sim_add_bodies(sim, defs, 1, NULL, &error), &error);
    assert_true(tw_sim_dt(sim) < 0.1 * dt); /* an automatic one is that of the new body */
    assert_true(tw_sim_dt(sim) <= must_stable_step(sim).dt);
    tw_sim_free(sim);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_stays_is_not_disturbed),
        cmocka_unit_test(bits_are_the_same_everywhere),
        cmocka_unit_test(ids_are_for_life),
        cmocka_unit_test(all_may_leave),
        cmocka_unit_test(a_refused_body_changes_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
