/* SPDX-License-Identifier: BSD-3-Clause */
/* Displacements across periodic faces, in cells that shear and whose edges are chosen anew; types
 * of bodies. Neither affects the motion. */
#include <stdlib.h>

#include "../must.h"
#include "tensor.h"

enum { BODIES = 20 };

/* Spheres with room to fly and collide in a cell of about 1 m. */
static tw_sim *gas_make(uint64_t seed)
{
    support_random random = {seed};
    tw_sim_def def = tw_sim_def_default();
    const tw_mat3 cell = {{1.0, 0.1, 0.0, 0.0, 0.9, -0.2, 0.05, 0.0, 1.1}};
    def.cell = cell;
    def.density = 1000.0;
    def.law = support_law(1e3, 1e3, 0.5);
    def.damping_mass = 0.5;
    def.skin = 0.05;
    def.threads = 1;
    tw_sim *sim = scene_create(&def);
    for (int i = 0; i < BODIES; i++) {
        const double a = support_uniform(&random, 0.0, 1.0),
                     b = support_uniform(&random, -0.3, 0.3);
        const double c = support_uniform(&random, -0.3, 0.3), s = (i + a) / BODIES;
        tw_body_def body = scene_sphere(0.05, tw_vec3_make(s, 0.3 * (i % 3), 0.2 * (i % 5)),
                                        tw_vec3_make(b, c, b - c), tw_vec3_make(c, a, b));
        body.type = 1 + (uint32_t)i % 2;
        scene_add(sim, &body);
    }
    return sim;
}

static double nearest(double part)
{
    return part - rint(part);
}

static tw_mat3 whole(tw_mat3 a)
{
    for (int k = 0; k < 9; k++)
        a.m[k] = rint(a.m[k]);
    return a;
}

/* Follows the bodies from step to step in coordinates of the cell. In a step they move by far less
 * than half a cell and the cell deforms by far less than half an edge, so that whole numbers are
 * the engine's choice of an image or of other edges. */
typedef struct walk {
    tw_mat3 h;
    tw_vec3 start[BODIES], at[BODIES];
    double crossed; /* sum of faces crossed */
    int changes;    /* of the edges */
} walk;

static void walk_start(walk *w, const tw_sim *sim)
{
    *w = (walk){.h = tw_sim_cell(sim)};
    for (uint32_t id = 0; id < BODIES; id++) {
        w->start[id] = must_body(sim, id).x;
        w->at[id] = tensor_apply(tensor_inverse(w->h), w->start[id]);
    }
}

static void walk_on(walk *w, const tw_sim *sim)
{
    const tw_mat3 h = tw_sim_cell(sim);
    const tw_mat3 change = whole(tensor_mul(tensor_inverse(w->h), h));
    const tw_mat3 back = whole(tensor_inverse(change));
    w->changes += tensor_distance(change, tensor_diagonal(1.0, 1.0, 1.0)) > 0.5;
    for (uint32_t id = 0; id < BODIES; id++) {
        const tw_vec3 s = tensor_apply(tensor_inverse(h), must_body(sim, id).x);
        const tw_vec3 at = tensor_apply(back, w->at[id]);
        w->at[id] = tw_vec3_add(
            at, tw_vec3_make(nearest(s.x - at.x), nearest(s.y - at.y), nearest(s.z - at.z)));
        w->crossed += tw_vec3_norm(tw_vec3_sub(w->at[id], s)) > 0.5;
    }
    w->h = h;
}

static void walk_compare(const walk *w, const tw_sim *sim)
{
    for (uint32_t id = 0; id < BODIES; id++) {
        const tw_vec3 expected = tw_vec3_sub(tensor_apply(w->h, w->at[id]), w->start[id]);
        const tw_vec3 found = must_body(sim, id).displacement;
        /* Coordinates up to about 10 m, and some hundred roundings of 1e-16 of that. */
        expect_at_most(tw_vec3_norm(tw_vec3_sub(found, expected)), 1e-12);
    }
}

static void displacements_go_across_faces_and_other_edges(void **state)
{
    (void)state;
    tw_sim *sim = gas_make(1);
    const tw_mat3 gradient = {{-0.05, 1.0, 0.0, 0.0, 0.05, 0.0, 0.3, 0.0, 0.0}};
    tw_sim_set_velocity_gradient(sim, &gradient);
    scene_run(sim, 3);
    walk w;
    tw_sim_reset_displacements(sim);
    walk_start(&w, sim);
    for (int step = 0; step < 600; step++) {
        scene_run(sim, 1);
        walk_on(&w, sim);
        if (step % 50 == 0) walk_compare(&w, sim);
    }
    walk_compare(&w, sim);
    print_message("%.1f s, %g images, %d changes of edges, body 0 moved by %g m\n",
                  tw_sim_time(sim), w.crossed, w.changes,
                  tw_vec3_norm(must_body(sim, 0).displacement));
    assert_true(w.changes > 1 && w.crossed > 1000.0);
    tw_sim_free(sim);
}

/* A body that meets nothing moves by v t from where it was added. */
static void displacement_of_free_flight(void **state)
{
    (void)state;
    tw_sim_def def = tw_sim_def_default();
    def.law = support_law(1e3, 1e3, 0.5);
    tw_sim *sim = scene_create(&def);
    const tw_vec3 v = {3.0, -2.0, 0.5};
    const tw_body_def body =
        scene_sphere(0.1, tw_vec3_make(0.2, 0.3, 0.9), v, tw_vec3_make(0.0, 0.0, 0.0));
    scene_add(sim, &body);
    expect_at_most(tw_vec3_norm(must_body(sim, 0).displacement), 0.0);
    scene_run(sim, 2000);
    const double time = tw_sim_time(sim);
    assert_true(3.0 * time > 5.0); /* edges of 1 m */
    const tw_vec3 off = tw_vec3_sub(must_body(sim, 0).displacement, tw_vec3_scale(time, v));
    expect_at_most(tw_vec3_norm(off), 1e-11 * time); /* 2000 sums */
    tw_sim_free(sim);
}

/* With the checkpoint, and without any effect on the hash, which is that of the motion. */
static void displacements_and_types_survive_a_restart(void **state)
{
    (void)state;
    tw_error error;
    tw_sim *sim = gas_make(2), *other = gas_make(2);
    scene_run(sim, 300);
    scene_run(other, 150);
    tw_sim *copy = scene_copy(other);
    scene_run(copy, 150);
    assert_int_equal(tw_sim_hash(sim), tw_sim_hash(copy));
    for (uint32_t id = 0; id < BODIES; id++) {
        const tw_body_state a = must_body(sim, id), b = must_body(copy, id);
        assert_memory_equal(&a.displacement, &b.displacement, sizeof a.displacement);
        assert_true(tw_vec3_norm(a.displacement) > 0.0);
        assert_int_equal(b.type, 1 + id % 2);
    }
    const uint64_t hash = tw_sim_hash(sim);
    tw_sim_reset_displacements(sim);
    assert_int_equal(tw_sim_hash(sim), hash);
    expect_at_most(tw_vec3_norm(must_body(sim, 7).displacement), 0.0);
    assert_int_equal(tw_sim_set_body_type(sim, 7, 5, &error), TW_STATUS_OK);
    assert_int_equal(must_body(sim, 7).type, 5);
    assert_int_equal(tw_sim_hash(sim), hash);
    assert_int_equal(tw_sim_set_body_type(sim, 7, 0, &error), TW_STATUS_INPUT);
    assert_int_equal(tw_sim_set_body_type(sim, BODIES, 1, &error), TW_STATUS_INPUT);
    tw_body_def body = tw_body_def_default();
    assert_int_equal(body.type, 1);
    body.size = 1.0;
    body.type = 0;
    assert_int_equal(tw_sim_add_body(sim, &body, NULL, &error), TW_STATUS_INPUT);
    tw_sim_free(sim);
    tw_sim_free(other);
    tw_sim_free(copy);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(displacements_go_across_faces_and_other_edges),
        cmocka_unit_test(displacement_of_free_flight),
        cmocka_unit_test(displacements_and_types_survive_a_restart),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
