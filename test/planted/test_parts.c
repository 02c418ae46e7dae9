/* SPDX-License-Identifier: BSD-3-Clause */
/* Parts of contacts that only these tests have (plant.py): in the table, and in the engine beside a
 * record of every contact that the test keeps itself. */
#include "tensor.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <twirl/contact_parts.h>
#include <twirl/mesh.h>

static const uint32_t planted = 128 | 256 | 512 | 1024 | 2048;

/* ---- The table ---- */

static tw_contact_parts random_parts(support_random *random)
{
    tw_contact_parts parts;
    double *number = (double *)&parts;
    for (size_t k = 0; k < TW_CONTACT_NUMBERS; k++)
        number[k] = support_uniform(random, -1.0, 1.0);
    return parts;
}

static void exchanging_twice_changes_nothing(void **state)
{
    (void)state;
    support_random random = {61};
    const tw_contact_parts a = random_parts(&random);
    const tw_contact_parts b = tw_contact_parts_exchanged(&a), c = tw_contact_parts_exchanged(&b);
    assert_memory_equal(&a, &c, sizeof a);
    assert_memory_equal(&a.fr, &b.fr, sizeof a.fr);
    assert_true(b.drag.x == -a.drag.x && b.rate.z == -a.rate.z && b.drag_w == a.drag_w);
    assert_true(b.three[0] == -a.three[0] && b.three[1] == a.three[1] && b.three[2] == -a.three[2]);
    for (int k = 0; k < 8; k++)
        assert_true(b.knots[k] == (k % 2 ? -a.knots[k] : a.knots[k]));
    assert_memory_equal(&a.arm_p, &b.arm_q, sizeof a.arm_p);
    assert_memory_equal(&a.arm_q, &b.arm_p, sizeof a.arm_p);
    assert_true(b.first.y == -a.first.y && b.spin.z == -a.spin.z);
    assert_memory_equal(&a.along, &b.along, sizeof a.along);
    for (int k = 0; k < 2; k++)
        assert_true(b.marks[k].e == -a.marks[k].e && b.marks[k].n_x_e == a.marks[k].n_x_e);
}

static void parts_are_packed_by_need(void **state)
{
    (void)state;
    support_random random = {62};
    const tw_contact_parts a = random_parts(&random), zero = tw_contact_parts_unpack(0, NULL);
    double numbers[TW_CONTACT_NUMBERS + 1];
    for (uint32_t needs = 0; needs <= TW_CONTACT_EXTRA_ALL; needs++) {
        const uint32_t count = tw_contact_parts_numbers(needs);
        tw_contact_parts expected = zero;
        numbers[count] = 7.0;
        tw_contact_parts_pack(&a, needs, numbers);
        assert_true(numbers[count] == 7.0);
        const tw_contact_parts b = tw_contact_parts_unpack(needs, numbers);
        tw_contact_parts_copy(&expected, &a, needs);
        assert_memory_equal(&b, &expected, sizeof b);
        const tw_contact_extra extra = tw_contact_extra_of(needs, numbers);
        const tw_contact_parts c = tw_contact_parts_get(&extra, 0);
        assert_memory_equal(&c, &expected, sizeof c);
        for (uint32_t k = 0; k < tw_contact_part_count(); k++)
            assert_int_equal(extra.part[k] != NULL, (tw_contact_part_at(k)->need & needs) != 0);
    }
    assert_int_equal(tw_contact_part_at(tw_contact_part_named("knots"))->numbers, 8);
    assert_null(tw_contact_part_at(tw_contact_part_named("knot")));
}

/* ---- The engine ---- */

enum { BODIES = 120, WALLS = 2, ENDS = BODIES + WALLS, STEPS = 600 };
static const double edge = 0.16;

/* A contact as the test sees it, from the body with the lower id; the higher one may be a wall. */
typedef struct record {
    uint64_t seen;
    double three[3], knots[8];
    tw_vec3 arm_p, arm_q; /* in the axes of the bodies */
    tw_vec3 spin;
    double first[3], along[3], marks[4]; /* as they were */
} record;

typedef struct world {
    tw_sim *sim;
    uint64_t step;
    record record[BODIES][ENDS];
    tw_vec3 turn[ENDS], moved[ENDS]; /* in this step */
    tw_vec3 x[ENDS];                 /* at its end */
    tw_quat q[ENDS];
    size_t contacts, older, walls;
} world;

static tw_vec3 place_of(uint32_t i)
{
    return tw_vec3_make(0.03 * (i % 5) + 0.015, 0.03 * (i / 5 % 5) + 0.015,
                        0.03 * (i / 25) + 0.015);
}

static tw_sim *cloud(const char *device)
{
    tw_error error;
    support_random random = {11};
    tw_sim_def def = tw_sim_def_default();
    def.cell = tensor_diagonal(edge, edge, edge);
    def.periodic[2] = 0;
    def.law = support_law(2e3, 1.5e3, 0.625);
    def.dt_fraction = 0.2;
    def.threads = 1;
    def.device = device;
    tw_sim *sim = scene_create(&def);
    for (int i = 0; i < BODIES; i++) {
        const double speed = support_uniform(&random, 0.2, 1.5);
        const tw_vec3 v = tw_vec3_scale(speed, support_unit(&random));
        const tw_vec3 w = tw_vec3_scale(90.0, support_unit(&random));
        const tw_body_def body = scene_sphere(0.0135, place_of((uint32_t)i), v, w);
        scene_add(sim, &body);
    }
    for (int k = 0; k < WALLS; k++) {
        tw_wall_def wall = tw_wall_def_default();
        wall.point = tw_vec3_make(0.0, 0.0, k == 0 ? 0.0 : edge);
        wall.normal = tw_vec3_make(0.0, 0.0, k == 0 ? 1.0 : -1.0);
        assert_int_equal(tw_sim_add_wall(sim, &wall, NULL, &error), TW_STATUS_OK);
    }
    return sim;
}

static tw_mat3 axes_of(const tw_sim *sim, uint32_t id)
{
    tw_body_state body;
    if (id >= BODIES) return tensor_diagonal(1.0, 1.0, 1.0); /* a wall */
    assert_int_equal(tw_sim_get_body(sim, id, &body, NULL), TW_STATUS_OK);
    return tensor_of_quat(body.q);
}

static void follow(record *r, const tw_contact_state *c, const tw_mat3 axes[2], uint64_t step)
{
    if (r->seen == 0 || r->seen + 1 != step) {
        memset(r, 0, sizeof *r);
        r->arm_p = tensor_apply(tensor_transpose(axes[0]), c->n);
        r->arm_q = tensor_apply(tensor_transpose(axes[1]), tw_vec3_scale(-1.0, c->n));
    }
    r->seen = step;
    r->three[0] += c->n.x;
    r->three[1] += 1.0;
    r->three[2] += c->n.y;
    memmove(r->knots, r->knots + 2, 6 * sizeof *r->knots);
    r->knots[6] = c->zeta;
    r->knots[7] = c->n.z;
}

static double *part_of(const tw_sim *sim, const char *name, size_t count)
{
    const size_t numbers = tw_contact_part_at(tw_contact_part_named(name))->numbers;
    double *out = calloc(numbers * count + 1, sizeof *out);
    assert_non_null(out);
    assert_int_equal(tw_sim_get_contact_part(sim, name, out, numbers * count, NULL), TW_STATUS_OK);
    if (count > 0)
        assert_int_equal(tw_sim_get_contact_part(sim, name, out, numbers * count - 1, NULL),
                         TW_STATUS_INPUT);
    return out;
}

static tw_vec3 vector_at(const double *part, size_t k)
{
    return tw_vec3_make(part[3 * k], part[3 * k + 1], part[3 * k + 2]);
}

/* Parts that begin with the contact, are sums, or are those of the last step. */
static void compare_history(record *r, const tw_contact_state *c, tw_vec3 turn, tw_vec3 moved,
                            size_t k, double *const part[4])
{
    const double *first = part[0] + 3 * k, *along = part[2] + 3 * k, *marks = part[3] + 4 * k;
    const tw_vec3 e = vector_at(part[2], k), old = vector_at(r->along, 0);
    const int begins = r->three[1] == 1.0;
    r->spin = tw_vec3_add(r->spin, turn);
    expect_at_most(support_distance(vector_at(part[1], k), r->spin), 1e-10);
    expect_at_most(fabs(tw_vec3_norm(e) - 1.0), 1e-12);
    expect_at_most(fabs(tw_vec3_dot(e, c->n)), 1e-12);
    if (begins) {
        const tw_vec3 before = tw_vec3_sub(c->branch, moved);
        const tw_vec3 n =
            c->body_q == TW_NO_BODY ? c->n : tw_vec3_scale(1.0 / tw_vec3_norm(before), before);
        expect_at_most(support_distance(vector_at(part[0], k), n), 1e-12);
    } else {
        assert_memory_equal(first, r->first, sizeof r->first);
        assert_memory_equal(marks + 2, r->marks, 2 * sizeof *marks);
        expect_at_most(support_distance(e, old), 0.1);
    }
    memcpy(r->first, first, sizeof r->first);
    memcpy(r->along, along, sizeof r->along);
    memcpy(r->marks, marks, sizeof r->marks);
}

/* The shortest way from a to b, which may have gone round the periodic cell. */
static tw_vec3 way(tw_vec3 a, tw_vec3 b)
{
    const tw_vec3 d = tw_vec3_sub(b, a);
    return tw_vec3_make(d.x - edge * round(d.x / edge), d.y - edge * round(d.y / edge), d.z);
}

static void follow_bodies(world *w)
{
    for (uint32_t i = 0; i < BODIES; i++) {
        tw_body_state body;
        assert_int_equal(tw_sim_get_body(w->sim, i, &body, NULL), TW_STATUS_OK);
        w->turn[i] = tensor_turn_between(w->q[i], body.q);
        w->moved[i] = way(w->x[i], body.x);
        w->q[i] = body.q;
        w->x[i] = body.x;
    }
}

static void compare_step(world *w)
{
    size_t count;
    tw_contact_state *c = scene_contacts(w->sim, &count);
    double *three = part_of(w->sim, "three", count), *knots = part_of(w->sim, "knots", count);
    double *arm_p = part_of(w->sim, "arm_p", count), *arm_q = part_of(w->sim, "arm_q", count);
    double *part[4] = {part_of(w->sim, "first", count), part_of(w->sim, "spin", count),
                       part_of(w->sim, "along", count), part_of(w->sim, "marks", count)};
    follow_bodies(w);
    for (size_t k = 0; k < count; k++) {
        const uint32_t p = c[k].body_p;
        const int wall = c[k].body_q == TW_NO_BODY;
        const uint32_t q = wall ? BODIES + c[k].member_q : c[k].body_q;
        record *r = &w->record[p][q];
        const tw_mat3 axes[2] = {axes_of(w->sim, p), axes_of(w->sim, q)};
        follow(r, &c[k], axes, w->step);
        const tw_vec3 mine = tensor_apply(axes[0], r->arm_p),
                      theirs = tensor_apply(axes[1], r->arm_q);
        const double *a = arm_p + 3 * k, *b = arm_q + 3 * k;
        for (int j = 0; j < 3; j++)
            expect_at_most(fabs(three[3 * k + (size_t)j] - r->three[j]), 1e-12 * r->three[1]);
        for (int j = 0; j < 8; j++)
            expect_at_most(fabs(knots[8 * k + (size_t)j] - r->knots[j]), 0.0);
        expect_at_most(support_distance(tw_vec3_make(a[0], a[1], a[2]), mine), 1e-12);
        expect_at_most(support_distance(tw_vec3_make(b[0], b[1], b[2]), theirs), 1e-12);
        compare_history(r, &c[k], tw_vec3_sub(w->turn[q], w->turn[p]),
                        tw_vec3_sub(w->moved[q], w->moved[p]), k, part);
        w->older += r->three[1] > 4.0;
        w->walls += (size_t)wall;
    }
    w->contacts += count;
    for (int k = 0; k < 4; k++)
        free(part[k]);
    free(c);
    free(three);
    free(knots);
    free(arm_p);
    free(arm_q);
}

static void check_cloud(const char *device)
{
    world *w = calloc(1, sizeof *w);
    assert_non_null(w);
    w->sim = cloud(device);
    for (uint32_t i = 0; i < ENDS; i++)
        w->q[i] = tensor_quat(tw_vec3_make(0.0, 0.0, 0.0));
    for (uint32_t i = 0; i < BODIES; i++)
        w->x[i] = place_of(i);
    while (w->step < STEPS) {
        scene_run(w->sim, 1);
        w->step++;
        compare_step(w);
        if (w->step != STEPS / 2) continue;
        tw_sim *again = scene_copy(w->sim); /* by way of a file */
        assert_true(tw_sim_hash(again) == tw_sim_hash(w->sim));
        tw_sim_free(w->sim);
        w->sim = again;
    }
    expect_at_least((double)w->older, 2000.0);
    expect_at_least((double)w->walls, 100.0);
    tw_sim_free(w->sim);
    free(w);
}

static void the_engine_keeps_them_through_steps_searches_and_files(void **state)
{
    (void)state;
    check_cloud("cpu");
}

static void and_a_device(void **state)
{
    (void)state;
    check_cloud("emulated");
}

/* ---- Rotations, changes, neighbours ---- */

static const char *const name[] = {"three", "knots", "arm_p", "arm_q",
                                   "first", "spin",  "along", "marks"};
enum { THREE, KNOTS, ARM_P, ARM_Q, FIRST, SPIN, ALONG, MARKS, NAMES };

typedef struct all_parts {
    size_t count;
    tw_contact_state *contact;
    double *part[NAMES];
} all_parts;

static all_parts parts_of(const tw_sim *sim)
{
    all_parts all;
    all.contact = scene_contacts(sim, &all.count);
    for (int k = 0; k < NAMES; k++)
        all.part[k] = part_of(sim, name[k], all.count);
    return all;
}

static void free_parts(all_parts *all)
{
    free(all->contact);
    for (int k = 0; k < NAMES; k++)
        free(all->part[k]);
}

static void assert_same_part(const all_parts *a, const all_parts *b, int part)
{
    const size_t numbers = tw_contact_part_at(tw_contact_part_named(name[part]))->numbers;
    assert_int_equal(a->count, b->count);
    assert_memory_equal(a->part[part], b->part[part], numbers * a->count * sizeof(double));
}

/* Vectors turn with everything, numbers stay. */
static void check_rotation(const char *device)
{
    tw_error error;
    const tw_vec3 turn = {0.4, -0.7, 0.9};
    tw_sim *sim = cloud(device);
    scene_run(sim, 300);
    all_parts a = parts_of(sim);
    if (tw_sim_rotate(sim, turn, 7, &error) != TW_STATUS_OK) fail_msg("%s", error.text);
    all_parts b = parts_of(sim);
    expect_at_least((double)a.count, 10.0);
    for (int part = ARM_P; part <= ALONG; part++)
        for (size_t k = 0; k < a.count; k++) {
            const tw_vec3 turned = support_rotate(vector_at(a.part[part], k), turn);
            expect_at_least(tw_vec3_norm(turned), 1e-6);
            expect_at_most(support_distance(vector_at(b.part[part], k), turned), 1e-13);
        }
    assert_same_part(&a, &b, THREE);
    assert_same_part(&a, &b, KNOTS);
    assert_same_part(&a, &b, MARKS);
    free_parts(&a);
    free_parts(&b);
    tw_sim_free(sim);
}

static void they_turn_with_everything(void **state)
{
    (void)state;
    check_rotation("cpu");
    check_rotation("emulated");
}

/* Scaled where friction falls, kept where it rises; forgotten by a law that does not need them, and
 * those of an older contact when it needs them again. */
static void check_change(const char *device)
{
    tw_sim *sim = cloud(device);
    tw_contact_law law = support_law(2e3, 1.5e3, 0.5625);
    scene_run(sim, 300);
    all_parts a = parts_of(sim);
    scene_set_law(sim, &law);
    all_parts b = parts_of(sim);
    expect_at_least((double)a.count, 10.0);
    for (int part = 0; part < NAMES; part++)
        if (part != KNOTS) assert_same_part(&a, &b, part);
    for (size_t k = 0; k < 8 * a.count; k++)
        assert_true(b.part[KNOTS][k] == 0.9 * a.part[KNOTS][k]);
    law.mu = 0.625;
    scene_set_law(sim, &law);
    all_parts c = parts_of(sim);
    assert_same_part(&b, &c, KNOTS);
    law.mu = 0.5;
    scene_set_law(sim, &law);
    all_parts d = parts_of(sim);
    for (size_t k = 0; k < 8 * d.count; k++)
        assert_true(d.part[KNOTS][k] == 0.0);
    law.mu = 0.625;
    scene_set_law(sim, &law);
    all_parts e = parts_of(sim);
    size_t exchanged = 0;
    for (size_t k = 0; k < e.count; k++) {
        const double *p = e.part[ARM_P] + 3 * k, *q = e.part[ARM_Q] + 3 * k;
        const int other = p[0] != 0.0;
        exchanged += (size_t)other;
        for (size_t j = 0; j < 3; j++) {
            assert_true(fabs(e.part[THREE][3 * k + j]) == (e.contact[k].zeta > 0.007));
            assert_true(q[j] == (other ? 0.0 : e.contact[k].n.x));
            assert_true(p[j] == (other ? -e.contact[k].n.x : 0.0));
            assert_true(e.part[FIRST][3 * k + j] == 0.0);
        }
    }
    assert_in_range(exchanged, 1, e.count - 1);
    for (all_parts *one[] = {&a, &b, &c, &d, &e}, **at = one; at < one + 5; at++)
        free_parts(*at);
    tw_sim_free(sim);
}

static void changes_of_laws_do_what_the_table_says(void **state)
{
    (void)state;
    check_change("cpu");
    check_change("emulated");
}

static const double slope = 0.05;

static void add_valley(tw_sim *sim)
{
    tw_error error;
    tw_mesh_soup soup = {0};
    tw_mesh mesh;
    const double rise = tan(slope);
    for (int side = -1; side <= 1; side += 2) {
        const tw_vec3 a = {0.0, -4.0, 0.0}, b = {0.0, 4.0, 0.0},
                      far = {4.0 * side, 0.0, 4.0 * rise};
        const tw_status status = side < 0 ? tw_mesh_soup_add(&soup, a, b, far, 1, &error)
                                          : tw_mesh_soup_add(&soup, b, a, far, 2, &error);
        assert_int_equal(status, TW_STATUS_OK);
    }
    if (tw_mesh_make(&mesh, &soup, 1.0, &error) != TW_STATUS_OK) fail_msg("%s", error.text);
    tw_wall_def def = tw_wall_def_default();
    def.form = TW_WALL_MESH;
    def.mesh = &mesh;
    if (tw_sim_add_wall(sim, &def, NULL, &error) != TW_STATUS_OK) fail_msg("%s", error.text);
    tw_mesh_free(&mesh);
    tw_mesh_soup_free(&soup);
}

/* A ball that is led down one side of a valley, so flat that it overlaps the lowest line when it
 * begins to press on the other side: there its contact is a copy of the first one, but for `three`,
 * which begins at zero. */
static void check_neighbour(const char *device)
{
    const double dt = 1e-3, step = 1e-3, start = -0.4;
    const tw_vec3 zero = {0.0, 0.0, 0.0}, down = {cos(slope), 0.0, -sin(slope)};
    const tw_contact_law law = support_law(1e3, 8e2, 0.625);
    tw_sim_def def = scene_open_cube(20.0, &law);
    def.dt = dt;
    def.skin = 0.1;
    def.device = device;
    tw_sim *sim = scene_create(&def);
    const tw_vec3 lowest = {0.0, 0.0, 0.99 / cos(slope)};
    tw_body_def body = scene_sphere(1.0, tw_vec3_add_scaled(lowest, start, down), zero, zero);
    body.fixed = 1;
    scene_add(sim, &body);
    add_valley(sim);
    all_parts a = {0}, b = {0};
    int k = 0;
    for (; k < 1000 && b.count < 2; k++) {
        assert_int_equal(
            tw_sim_set_body_velocity(sim, 0, tw_vec3_scale(step / dt, down), zero, NULL),
            TW_STATUS_OK);
        scene_run(sim, 1);
        free_parts(&a);
        a = b;
        b = parts_of(sim);
    }
    assert_int_equal(a.count, 1);
    assert_int_equal(b.count, 2);
    expect_at_least(k, 50);
    const size_t new = b.part[THREE][1] == 1.0 ? 0 : 1;
    assert_true(b.part[THREE][3 * new + 1] == 1.0);
    assert_true(b.part[THREE][3 * (1 - new) + 1] == a.part[THREE][1] + 1.0);
    assert_memory_equal(b.part[KNOTS] + 8 * new, a.part[KNOTS] + 2, 6 * sizeof(double));
    assert_memory_equal(b.part[FIRST] + 3 * new, a.part[FIRST], 3 * sizeof(double));
    free_parts(&a);
    free_parts(&b);
    tw_sim_free(sim);
}

static void a_copy_has_what_the_table_says(void **state)
{
    (void)state;
    check_neighbour("cpu");
    check_neighbour("emulated");
}

/* Where no law needs them there is no memory for them, and they are zero. */
static void laws_that_need_none_have_none(void **state)
{
    (void)state;
    tw_error error;
    tw_sim *sim = cloud("cpu");
    tw_contact_law law = support_law(2e3, 1.5e3, 0.625);
    assert_int_equal(tw_contact_law_extras(&law), planted);
    law.mu = 0.5;
    assert_int_equal(tw_contact_law_extras(&law), 0);
    scene_set_law(sim, &law);
    scene_run(sim, 200);
    size_t count;
    tw_contact_state *c = scene_contacts(sim, &count);
    expect_at_least((double)count, 3.0);
    double *knots = part_of(sim, "knots", count);
    for (size_t k = 0; k < 8 * count; k++)
        assert_true(knots[k] == 0.0);
    assert_int_equal(tw_sim_set_contact_part(sim, "knots", knots, 8 * count, &error),
                     TW_STATUS_INPUT);
    assert_non_null(strstr(error.text, "no law of this simulation needs 'knots'"));
    assert_int_equal(tw_sim_get_contact_part(sim, "knot", knots, 8 * count, &error),
                     TW_STATUS_INPUT);
    assert_non_null(strstr(error.text, "there are fr, fw, drag"));
    law.mu = 0.625;
    scene_set_law(sim, &law);
    for (size_t k = 0; k < 8 * count; k++)
        knots[k] = (double)k;
    assert_int_equal(tw_sim_set_contact_part(sim, "knots", knots, 8 * count, &error), TW_STATUS_OK);
    double *back = part_of(sim, "knots", count);
    assert_memory_equal(knots, back, 8 * count * sizeof *back);
    free(c);
    free(knots);
    free(back);
    tw_sim_free(sim);
}

/* A file of an earlier version, whose contacts have a friction of 0.625. */
static void states_without_them_have_what_the_table_says(void **state)
{
    (void)state;
    tw_error error;
    tw_sim *sim = tw_sim_load(KEPT "/format_8.h5", &error);
    if (!sim) fail_msg("%s", error.text);
    size_t count, above = 0;
    tw_contact_state *c = scene_contacts(sim, &count);
    double *three = part_of(sim, "three", count), *knots = part_of(sim, "knots", count);
    double *arm_q = part_of(sim, "arm_q", count), *drag = part_of(sim, "drag", count);
    for (size_t k = 0; k < count; k++) {
        above += c[k].zeta > 0.007;
        for (size_t j = 0; j < 3; j++) {
            assert_true(three[3 * k + j] == (c[k].zeta > 0.007));
            assert_true(arm_q[3 * k + j] == c[k].n.x);
        }
        for (size_t j = 0; j < 8; j++)
            assert_true(knots[8 * k + j] == 0.0);
        assert_true(drag[3 * k] != 0.0); /* it was in the file */
    }
    assert_in_range(above, 1, count - 1);
    free(c);
    free(three);
    free(knots);
    free(arm_q);
    free(drag);
    tw_sim_free(sim);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(exchanging_twice_changes_nothing),
        cmocka_unit_test(parts_are_packed_by_need),
        cmocka_unit_test(the_engine_keeps_them_through_steps_searches_and_files),
        cmocka_unit_test(and_a_device),
        cmocka_unit_test(they_turn_with_everything),
        cmocka_unit_test(changes_of_laws_do_what_the_table_says),
        cmocka_unit_test(a_copy_has_what_the_table_says),
        cmocka_unit_test(laws_that_need_none_have_none),
        cmocka_unit_test(states_without_them_have_what_the_table_says),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
