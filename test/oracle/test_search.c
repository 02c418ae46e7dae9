/* SPDX-License-Identifier: BSD-3-Clause */
/* The engine finds all contacts and no others: comparison with all pairs in all images. */
#include "../must.h"
#include "crowd.h"
#include "packing.h"

#include <stdlib.h>

/* Smaller overlaps may be found by only one of the two: rounding of positions several cells away.
 */
static const double blur = 1e-14;

/* A contact of the engine in the convention of crowd_brute_force. */
static crowd_touch seen_by_engine(const crowd_view *v, const size_t *first, tw_contact_state c)
{
    crowd_touch t = {0};
    t.p = (uint32_t)first[c.body_p] + c.member_p;
    t.zeta = c.zeta;
    if (c.body_q == TW_NO_BODY) {
        t.wall = 1;
        t.q = c.member_q;
        t.branch = tw_vec3_scale(v->spheres[t.p].radius - c.zeta, c.n);
        return t;
    }
    t.q = (uint32_t)first[c.body_q] + c.member_q;
    for (int k = 0; k < 3; k++)
        t.shift[k] = c.shift[k];
    const double length = v->spheres[t.p].radius + v->spheres[t.q].radius - c.zeta;
    t.branch = tw_vec3_scale(length, c.n);
    int around = c.body_p > c.body_q;
    if (c.body_p == c.body_q) {
        int k = 0;
        while (k < 2 && c.shift[k] == 0)
            k++;
        around = c.shift[k] < 0;
    }
    if (!around) return t;
    const uint32_t p = t.p;
    t.p = t.q;
    t.q = p;
    t.branch = tw_vec3_scale(-1.0, t.branch);
    for (int k = 0; k < 3; k++)
        t.shift[k] = -t.shift[k];
    return t;
}

static int by_key(const void *left, const void *right)
{
    const crowd_touch *a = left, *b = right;
    if (a->p != b->p) return a->p < b->p ? -1 : 1;
    if (a->wall != b->wall) return a->wall < b->wall ? -1 : 1;
    if (a->q != b->q) return a->q < b->q ? -1 : 1;
    for (int k = 0; k < 3; k++)
        if (a->shift[k] != b->shift[k]) return a->shift[k] < b->shift[k] ? -1 : 1;
    return 0;
}

static crowd_list engine_list(const tw_sim *sim, const crowd_view *v)
{
    size_t count, *first = calloc((size_t)tw_sim_next_id(sim) + 1, sizeof *first);
    assert_non_null(first);
    for (size_t i = v->sphere_count; i > 0; i--)
        first[v->spheres[i - 1].body] = i - 1;
    tw_contact_state *all = scene_contacts(sim, &count);
    crowd_list list = {calloc(count + 1, sizeof *list.touch), count, count};
    assert_non_null(list.touch);
    for (size_t i = 0; i < count; i++)
        list.touch[i] = seen_by_engine(v, first, all[i]);
    free(all);
    free(first);
    return list;
}

static void describe(const char *what, const crowd_view *v, const crowd_touch *t, uint64_t seed)
{
    print_error("seed %llu: %s: sphere %u of body %u, %s %u, image %d %d %d, overlap %g\n",
                (unsigned long long)seed, what, t->p, v->spheres[t->p].body,
                t->wall ? "wall" : "sphere", t->q, t->shift[0], t->shift[1], t->shift[2], t->zeta);
}

/* Common contacts must agree in position; a contact in only one list must be due to rounding. */
static size_t compare(const crowd_view *v, const crowd_list *right, const crowd_list *found,
                      uint64_t seed)
{
    size_t i = 0, k = 0, bad = 0;
    while (i < right->count || k < found->count) {
        const crowd_touch *a = &right->touch[i], *b = &found->touch[k];
        const int order = i == right->count ? 1 : (k == found->count ? -1 : by_key(a, b));
        if (order < 0) {
            if (a->zeta > blur && ++bad) describe("missed", v, a, seed);
            i++;
        } else if (order > 0) {
            if (++bad) describe("invented", v, b, seed);
            k++;
        } else {
            const double off = support_distance(a->branch, b->branch) + fabs(a->zeta - b->zeta);
            if (!(off < 1e-13) && ++bad) describe("displaced", v, a, seed);
            i++;
            k++;
        }
    }
    return bad;
}

/* Numbers of compared contacts. The tests require them only to show that enough was compared: half
 * or less of the smallest number among a dozen seeds. */
typedef struct tally {
    size_t contacts, images, own, walls;
} tally;

/* Compares the current contacts and returns their numbers by kind. */
static tally check(const tw_sim *sim, uint64_t seed)
{
    crowd_view v = crowd_view_of(sim);
    crowd_list right = crowd_brute_force(&v, -blur), found = engine_list(sim, &v);
    qsort(right.touch, right.count, sizeof *right.touch, by_key);
    qsort(found.touch, found.count, sizeof *found.touch, by_key);
    assert_int_equal(compare(&v, &right, &found, seed), 0);
    tally t = {right.count, 0, 0, 0};
    for (size_t i = 0; i < right.count; i++) {
        const crowd_touch *now = &right.touch[i], *next = now + 1;
        t.walls += now->wall != 0;
        if (now->wall) continue;
        t.own += v.spheres[now->p].body == v.spheres[now->q].body;
        t.images += i + 1 < right.count && !next->wall && now->p == next->p && now->q == next->q;
    }
    free(right.touch);
    free(found.touch);
    crowd_view_free(&v);
    return t;
}

static void add(tally *sum, tally t)
{
    sum->contacts += t.contacts;
    sum->images += t.images;
    sum->own += t.own;
    sum->walls += t.walls;
}

/* Contacts also exist before the first step. */
static tally check_at_rest(const crowd_def *def)
{
    tw_sim *sim = crowd_make(def);
    scene_run(sim, 0);
    const tally t = check(sim, def->seed);
    tw_sim_free(sim);
    return t;
}

static void contacts_agree_in_random_cells_of_spheres_and_clusters(void **state)
{
    (void)state;
    tally sum = {0};
    for (int i = 0; i < scene_cases(40); i++) {
        crowd_def def = crowd_def_default(1000 + (uint64_t)i);
        def.shear = i % 4 * 0.6; /* up to cells that need reduction */
        def.clusters = i % 3 != 0;
        def.ratio = i % 2 ? 1.5 : 10.0;
        def.tries = 100;
        def.room = 4.0;
        add(&sum, check_at_rest(&def));
    }
    print_message("%zu contacts\n", sum.contacts);
    if (scene_thorough()) assert_true(sum.contacts > 500);
}

/* Cells narrower than two diameters: a body touches several images of another, and its own images.
 */
static void contacts_agree_in_cells_of_a_few_diameters(void **state)
{
    (void)state;
    tally sum = {0};
    for (int i = 0; i < scene_cases(150); i++) {
        crowd_def def = crowd_def_default(2000 + (uint64_t)i);
        support_random random = {def.seed};
        def.room = support_uniform(&random, 1.5, 2.5);
        def.shear = i % 3 * 0.7;
        def.ratio = i % 2 ? 1.5 : 5.0;
        def.tries = 25;
        add(&sum, check_at_rest(&def));
    }
    print_message("%zu contacts, %zu through more than one image, %zu with itself\n", sum.contacts,
                  sum.images, sum.own);
    if (scene_thorough()) assert_true(sum.images > 2 && sum.own > 2);
}

static void contacts_agree_with_walls_and_axes_that_are_not_periodic(void **state)
{
    (void)state;
    tally sum = {0};
    for (int i = 0; i < scene_cases(42); i++) {
        crowd_def def = crowd_def_default(3000 + (uint64_t)i);
        for (int k = 0; k < 3; k++)
            def.periodic[k] = (i % 7) >> k & 1;
        def.walls = i % 5 != 0;
        def.ratio = i % 3 ? 2.0 : 10.0;
        add(&sum, check_at_rest(&def));
    }
    print_message("%zu contacts, %zu with walls\n", sum.contacts, sum.walls);
    if (scene_thorough()) assert_true(sum.walls > 40);
}

/* Dense packings of 64 bodies in simple shear to a strain of 3, along one edge in the plane of two:
 * the cell is reduced at each integer strain. (In other directions a small cell gets thin and
 * crushes bodies between their own images.) The cell is rotated, so that no edge is along an axis.
 */
static tally shear_packing(const packing_def *def, uint64_t seed, size_t *reductions)
{
    enum { LOOKS = 60 };
    const double rate = 200.0, time = 0.015;
    tally sum = {0};
    tw_sim *sim = packing_make(def);
    tw_error error = {TW_STATUS_OK, ""};
    assert_int_equal(tw_sim_rotate(sim, tw_vec3_make(0.7, -1.1, 0.4), 10, &error), TW_STATUS_OK);
    const tw_mat3 cell = tw_sim_cell(sim);
    const tw_vec3 a = tensor_column(cell, 0), b = tensor_column(cell, 1 + (int)seed % 2);
    const double s = rate / (tw_vec3_norm(a) * tw_vec3_norm(b));
    const tw_mat3 gradient = tensor_add_scaled(tensor_zero(), s, tensor_outer(a, b));
    scene_set_damping(sim, 1e3, 1e3, 0.0);
    /* Grains dilate as they flow, less so at low friction: starts with 10 % more volume. */
    const tw_contact_law law = support_law(packing_law().kn, packing_law().kt, 0.1);
    scene_set_law(sim, &law);
    const tw_mat3 swell = tensor_diagonal(40.0, 40.0, 40.0);
    double start = tw_sim_time(sim);
    tw_sim_set_velocity_gradient(sim, &swell);
    while (tw_sim_time(sim) - start < 8e-4)
        scene_run(sim, 1);
    tw_sim_set_velocity_gradient(sim, &gradient);
    start = tw_sim_time(sim);
    tw_mat3 last = tw_sim_cell(sim);
    for (int i = 0; i < LOOKS; i++) {
        while (tw_sim_time(sim) - start < time * (i + 1) / LOOKS)
            scene_run(sim, 7);
        add(&sum, check(sim, seed));
        /* A change of an edge by half its length is a reduction: the strain between two checks is
         * 0.05. */
        const tw_mat3 now = tw_sim_cell(sim);
        *reductions += tensor_distance(now, last) > 0.4 * tensor_norm(now) / sqrt(3.0);
        last = now;
    }
    tw_sim_free(sim);
    return sum;
}

static void contacts_agree_in_long_shears_with_reductions_of_the_cell(void **state)
{
    (void)state;
    tally sum = {0};
    size_t reductions = 0;
    for (int i = 0; i < scene_cases(2); i++) {
        packing_def def = packing_def_default();
        def.side = 4;
        def.bumpy = i % 2 == 0;
        def.spread = def.bumpy ? 1.3 : 2.5;
        def.seed = (uint64_t)i + 1;
        add(&sum, shear_packing(&def, def.seed, &reductions));
    }
    print_message("%zu contacts, %zu reductions\n", sum.contacts, reductions);
    if (scene_thorough()) assert_true(sum.contacts > 400 && reductions >= 6);
}

/* Initial overlap of crowds that are released: the energy of overlaps of a third would drive small
 * bodies half a radius into large ones, and the engine would stop. */
static const double small_overlap = 0.2, swift = 40.0;

/* Bodies in free flight through the faces of the cell. */
static void contacts_agree_for_flights_through_a_rotating_cell(void **state)
{
    (void)state;
    tally sum = {0};
    for (int i = 0; i < scene_cases(6); i++) {
        crowd_def def = crowd_def_default(4000 + (uint64_t)i);
        def.speed = swift;
        def.overlap = small_overlap;
        def.skin = i % 2 ? 1e-3 : 0.0; /* a tenth of the largest radius: frequent searches */
        tw_sim *sim = crowd_make(&def);
        tw_mat3 gradient = tensor_zero();
        gradient.m[1] = 20.0;
        gradient.m[5] = -20.0;
        tw_sim_set_velocity_gradient(sim, &gradient);
        for (int look = 0; look < 50; look++) {
            scene_run(sim, 53);
            add(&sum, check(sim, def.seed));
        }
        tw_sim_free(sim);
    }
    print_message("%zu contacts\n", sum.contacts);
    if (scene_thorough()) assert_true(sum.contacts > 100);
}

static void contacts_agree_with_moving_walls_and_open_axes(void **state)
{
    (void)state;
    tally sum = {0};
    for (int i = 0; i < scene_cases(8); i++) {
        crowd_def def = crowd_def_default(5000 + (uint64_t)i);
        for (int k = 0; k < 3; k++)
            def.periodic[k] = (i % 7) >> k & 1;
        def.walls = 1;
        def.speed = swift;
        def.overlap = small_overlap;
        tw_sim *sim = crowd_make(&def);
        scene_set_damping(sim, 100.0, 100.0, 0.0);
        for (size_t w = 0; w < tw_sim_wall_count(sim); w++)
            must_set_wall_velocity(sim, w, tw_vec3_scale(0.05, must_wall(sim, w).normal));
        for (int look = 0; look < 50; look++) {
            scene_run(sim, 53);
            add(&sum, check(sim, def.seed));
        }
        tw_sim_free(sim);
    }
    print_message("%zu contacts, %zu with walls\n", sum.contacts, sum.walls);
    if (scene_thorough()) assert_true(sum.walls > 50);
}

/* Every few steps some leave, and come again where they were, or where their image was: contacts
 * are known before a step. */
static void contacts_agree_as_bodies_come_and_go(void **state)
{
    (void)state;
    enum { MOST = 60 };
    tally sum = {0};
    size_t changes = 0;
    tw_error error;
    for (int i = 0; i < scene_cases(24); i++) {
        crowd_def def = crowd_def_default(6000 + (uint64_t)i);
        support_random random = {def.seed};
        for (int k = 0; k < 3; k++)
            def.periodic[k] = i % 2 || (i % 7) >> k & 1;
        def.walls = 1;
        def.speed = swift;
        def.overlap = small_overlap;
        if (i % 3 == 0) def.room = 2.5;
        tw_sim *sim = crowd_make(&def);
        for (int look = 0; look < 20; look++) {
            uint32_t ids[MOST];
            tw_body_def defs[MOST];
            size_t count = 0;
            scene_run(sim, 31);
            const tw_mat3 cell = tw_sim_cell(sim);
            for (size_t k = 0; k < tw_sim_body_count(sim) && count < MOST; k++) {
                if (support_uniform(&random, 0.0, 1.0) > 0.4) continue;
                const tw_body_state b = must_body(sim, tw_sim_body_id(sim, k));
                defs[count] = (tw_body_def){sizeof *defs, b.shape, b.size, b.x,    b.q,       b.v,
                                            b.w,          b.fixed, 0,      b.type, b.material};
                for (int e = 0; e < 3; e++)
                    if (def.periodic[e] && support_uniform(&random, 0.0, 1.0) > 0.5)
                        defs[count].x = tw_vec3_add_scaled(b.x, e - 2.0, tensor_column(cell, e));
                ids[count++] = b.id;
            }
            const size_t before = must_contacts(sim);
            must_succeed(tw_sim_remove_bodies(sim, ids, count, &error), &error);
            changes += count;
            if (tw_sim_body_count(sim) > 0) add(&sum, check(sim, def.seed));
            must_succeed(tw_sim_add_bodies(sim, defs, count, NULL, &error), &error);
            must_prepare(sim);
            add(&sum, check(sim, def.seed));
            assert_int_equal(must_contacts(sim), before);
        }
        tw_sim_free(sim);
    }
    print_message("%zu contacts, %zu with walls, %zu bodies came again\n", sum.contacts, sum.walls,
                  changes);
    if (scene_thorough()) assert_true(sum.contacts > 1000 && sum.walls > 100 && changes > 500);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(contacts_agree_in_random_cells_of_spheres_and_clusters),
        cmocka_unit_test(contacts_agree_in_cells_of_a_few_diameters),
        cmocka_unit_test(contacts_agree_with_walls_and_axes_that_are_not_periodic),
        cmocka_unit_test(contacts_agree_in_long_shears_with_reductions_of_the_cell),
        cmocka_unit_test(contacts_agree_for_flights_through_a_rotating_cell),
        cmocka_unit_test(contacts_agree_with_moving_walls_and_open_axes),
        cmocka_unit_test(contacts_agree_as_bodies_come_and_go),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
