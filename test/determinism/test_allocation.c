/* SPDX-License-Identifier: BSD-3-Clause */
/* A run in its steady state asks the system for no memory, searches included, and a body is found
 * by its number without looking at all of them. The linker sends the engine's calls through the
 * counters below (--wrap). */
#define _POSIX_C_SOURCE 200809L
#include "specimen.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "../must.h"
#include "world/state.h"

static atomic_size_t calls;

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *old, size_t size);
void *__real_aligned_alloc(size_t align, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *old, size_t size);
void *__wrap_aligned_alloc(size_t align, size_t size);

void *__wrap_malloc(size_t size)
{
    calls++;
    return __real_malloc(size);
}

void *__wrap_calloc(size_t count, size_t size)
{
    calls++;
    return __real_calloc(count, size);
}

void *__wrap_realloc(void *old, size_t size)
{
    calls++;
    return __real_realloc(old, size);
}

void *__wrap_aligned_alloc(size_t align, size_t size)
{
    calls++;
    return __real_aligned_alloc(align, size);
}

/* A shear of `strain` in `steps` steps. */
static void shear(tw_sim *sim, double strain, uint64_t steps)
{
    tw_mat3 gradient = {{0.0}};
    gradient.m[1] = strain / ((double)steps * tw_sim_dt(sim));
    tw_sim_set_velocity_gradient(sim, &gradient);
    specimen_run(sim, steps);
}

static void steer(tw_sim *sim, uint64_t steps)
{
    tw_error error;
    tw_control control = tw_control_default();
    control.row[TW_YY] = tw_control_stress(TW_YY, must_measure(sim).stress.m[4]);
    if (tw_sim_set_control(sim, &control, &error) != TW_STATUS_OK) fail_msg("%s", error.text);
    specimen_run(sim, steps);
}

/* The skin is a tenth of a radius, so a strain of 0.05 outdates any list: it is made at least four
 * times in what is counted. While the specimen warms up the list may still grow a little. */
static void a_steady_run_allocates_nothing(void **state)
{
    (void)state;
    for (int kind = SPECIMEN_SPHERES; kind <= SPECIMEN_CLUSTERS; kind++) {
        tw_sim *sim = specimen_make((specimen_kind)kind, 6, 5);
        tw_sim_set_threads(sim, 2);
        specimen_run(sim, 500); /* pressed until it is dense */
        const size_t before = calls;
        shear(sim, 0.6, 6000);
        const size_t warm = calls;
        shear(sim, 0.2, 2000);
        print_message("%zu calls to warm up, %zu in the steady state\n", warm - before,
                      calls - warm);
        assert_int_equal(calls, warm);
        steer(sim, 500);
        assert_int_equal(calls, warm);
        tw_sim_free(sim);
    }
    assert_true(calls > 0); /* the counters do count */
}

static size_t searched; /* times that all bodies were looked at for one */

size_t __real_tw_state_find_body(const tw_state *state, uint32_t id);
size_t __wrap_tw_state_find_body(const tw_state *state, uint32_t id);

size_t __wrap_tw_state_find_body(const tw_state *state, uint32_t id)
{
    searched++;
    return __real_tw_state_find_body(state, id);
}

/* All bodies, by both ways, which must agree on the position of the last. */
static void look_at_bodies(const tw_sim *sim)
{
    const size_t count = tw_sim_body_count(sim), spheres = tw_sim_sphere_count(sim);
    tw_sphere_state *sphere = malloc(spheres * sizeof *sphere);
    assert_non_null(sphere);
    tw_sim_get_spheres(sim, sphere, spheres, NULL);
    for (uint32_t id = 0; id < count; id++)
        must_body(sim, id);
    assert_int_equal(sphere[spheres - 1].body, count - 1);
    assert_true(sphere[spheres - 1].x.x == must_body(sim, (uint32_t)count - 1).x.x);
    free(sphere);
}

/* After a run bodies are sorted in space, and one that is added makes their list outdated. */
static void bodies_are_found_by_number_after_one_is_added(void **state)
{
    (void)state;
    char path[] = "/tmp/twirl_look_XXXXXX";
    const int file = mkstemp(path);
    assert_true(file >= 0);
    close(file);
    tw_sim *sim = specimen_make(SPECIMEN_SPHERES, 6, 5);
    look_at_bodies(sim);
    specimen_run(sim, 100);
    look_at_bodies(sim);
    specimen_drop_in(sim, 1e-6);
    specimen_drop_in(sim, 1e-6);
    look_at_bodies(sim);
    specimen_save(sim, path);
    tw_sim_free(sim);
    sim = specimen_load(path);
    look_at_bodies(sim);
    assert_int_equal(searched, 0);
    tw_sim_free(sim);
    remove(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_steady_run_allocates_nothing),
        cmocka_unit_test(bodies_are_found_by_number_after_one_is_added),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
