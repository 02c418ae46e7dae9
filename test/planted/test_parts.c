/* SPDX-License-Identifier: BSD-3-Clause */
/* Parts of contacts that only these tests have (plant.py): in the table, and in the engine beside a
 * record of every contact that the test keeps itself. */
#include "tensor.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <twirl/contact_parts.h>

static const uint32_t planted = 128 | 256 | 512;

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
} record;

typedef struct world {
    tw_sim *sim;
    uint64_t step;
    record record[BODIES][ENDS];
    size_t contacts, older, walls;
} world;

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
        const tw_vec3 x = {0.03 * (i % 5) + 0.015, 0.03 * (i / 5 % 5) + 0.015,
                           0.03 * (i / 25) + 0.015};
        const double speed = support_uniform(&random, 0.2, 1.5);
        const tw_vec3 v = tw_vec3_scale(speed, support_unit(&random));
        const tw_vec3 w = tw_vec3_scale(90.0, support_unit(&random));
        const tw_body_def body = scene_sphere(0.0135, x, v, w);
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

static void compare_step(world *w)
{
    size_t count;
    tw_contact_state *c = scene_contacts(w->sim, &count);
    double *three = part_of(w->sim, "three", count), *knots = part_of(w->sim, "knots", count);
    double *arm_p = part_of(w->sim, "arm_p", count), *arm_q = part_of(w->sim, "arm_q", count);
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
        w->older += r->three[1] > 4.0;
        w->walls += (size_t)wall;
    }
    w->contacts += count;
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
        cmocka_unit_test(laws_that_need_none_have_none),
        cmocka_unit_test(states_without_them_have_what_the_table_says),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
