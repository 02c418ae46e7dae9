/* SPDX-License-Identifier: BSD-3-Clause */
/* Every allocation of the engine fails once: a small run is played again and again, and in the n-th
 * play the n-th allocation fails, alone or with all that follow until the call returns. The call
 * must say so, nothing may leak, and the state may not be torn: the run continues to the same bits,
 * also from a checkpoint saved right after the failure; or the simulation refuses both.
 *
 * The linker sends the engine's calls through the functions below (--wrap); those inside of shared
 * libraries, such as HDF5, are not affected. */
#define _POSIX_C_SOURCE 200809L /* mkdtemp */
#include "specimen.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../must.h"
#include "sim/sim_internal.h"

/* ---- Allocations ---- */

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *old, size_t size);
void *__real_aligned_alloc(size_t align, size_t size);
void __real_free(void *block);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *old, size_t size);
void *__wrap_aligned_alloc(size_t align, size_t size);
void __wrap_free(void *block);
int __wrap_fsync(int file);

enum { BLOCKS_MAX = 4096 };

static void *blocks[BLOCKS_MAX]; /* live ones */
static size_t live;
static size_t calls, fail_at; /* the number of the call that fails, from 1; 0: none */
static int fail_on;           /* 1: all later ones fail too */

static int fails(void)
{
    calls++;
    return fail_at > 0 && (fail_on ? calls >= fail_at : calls == fail_at);
}

static void *born(void *block)
{
    if (block && live < BLOCKS_MAX) blocks[live++] = block;
    return block;
}

static void gone(const void *block)
{
    for (size_t k = live; block && k-- > 0;) {
        if (blocks[k] != block) continue;
        blocks[k] = blocks[--live];
        return;
    }
}

void *__wrap_malloc(size_t size)
{
    return fails() ? NULL : born(__real_malloc(size));
}

void *__wrap_calloc(size_t count, size_t size)
{
    return fails() ? NULL : born(__real_calloc(count, size));
}

void *__wrap_realloc(void *old, size_t size)
{
    if (fails()) return NULL;
    gone(old);
    return born(__real_realloc(old, size));
}

void *__wrap_aligned_alloc(size_t align, size_t size)
{
    return fails() ? NULL : born(__real_aligned_alloc(align, size));
}

void __wrap_free(void *block)
{
    gone(block);
    __real_free(block);
}

/* Nothing is written often enough to wait for the disk. */
int __wrap_fsync(int file)
{
    (void)file;
    return 0;
}

/* ---- The run ---- */

enum { FIRST = 12, SECOND = 14 }; /* bodies at the start, and later */

typedef struct play {
    tw_sim *sim;
    int walls;     /* 1: between a floor and a lid with a servo; 0: under stress control */
    char path[80]; /* of its checkpoint */
    tw_measure measure;
    tw_contact_state contacts[128];
    size_t count;
    uint64_t begin; /* step at which the present run began */
} play;

static const double grain = 1e-3;

static tw_status create(play *p, tw_error *error)
{
    tw_sim_def def = tw_sim_def_default();
    for (int k = 0; k < 9; k += 4)
        def.cell.m[k] = 4.1 * grain;
    def.periodic[2] = !p->walls;
    def.law.kn = 1e5;
    def.law.kt = 0.8e5;
    def.law.mu = 0.3;
    def.law.nu_n = def.law.nu_t = 0.2;
    def.damping_local = 0.1;
    def.skin = 0.02 * grain;
    def.threads = 1;
    p->sim = tw_sim_create(&def, error);
    if (!p->sim) return error->status;
    return tw_sim_record_events(p->sim, 1u << TW_EVENT_CONTACT_BEGAN | 1u << TW_EVENT_CONTACT_ENDED,
                                error);
}

/* Hertz, rolling, twisting and damping. */
static tw_status set_laws(play *p, tw_error *error)
{
    tw_contact_law laws[4];
    for (int k = 0; k < 4; k++) {
        laws[k] = tw_sim_get_definition(p->sim).law;
        laws[k].normal = TW_CONTACT_HERTZ;
        laws[k].flags = TW_CONTACT_BY_RADIUS;
        laws[k].kn = laws[k].kt = k % 3 ? 1.5e8 : 1e8; /* the same for (0, 1) and (1, 0) */
        laws[k].k_r = laws[k].k_w = 0.2 * laws[k].kt;
        laws[k].mu_r = laws[k].mu_w = 0.1;
        laws[k].nu_r = laws[k].nu_w = 0.5;
    }
    return tw_sim_set_laws(p->sim, laws, 4, error);
}

static tw_status add_material(play *p, tw_error *error)
{
    if (tw_sim_material_count(p->sim) > 1) return TW_STATUS_OK;
    return tw_sim_add_material(p->sim, "steel", 7800.0, NULL, error);
}

static tw_status add_shape(play *p, tw_error *error)
{
    const tw_sphere pair[] = {{{0.0, 0.0, 0.0}, 0.8}, {{0.6, 0.1, 0.0}, 0.6}};
    return tw_sim_add_shape(p->sim, pair, 2, NULL, error);
}

static tw_status add_bumpy(play *p, tw_error *error)
{
    return tw_sim_add_shape_bumpy(p->sim, 4, 0.45, 0.6, 0.5, NULL, error);
}

/* Goes on with the bodies that are missing. */
static tw_status add_bodies(play *p, size_t count, tw_error *error)
{
    tw_status status = TW_STATUS_OK;
    while (tw_sim_body_count(p->sim) < count && status == TW_STATUS_OK) {
        const size_t i = tw_sim_body_count(p->sim);
        tw_body_def body = tw_body_def_default();
        body.shape = (uint32_t)(i % 3);
        body.material = (uint32_t)(i % tw_sim_material_count(p->sim));
        body.size = grain * (i < FIRST ? 0.9 : 0.15);
        const double x = 1.0 + 2.0 * (double)(i % 2), y = 1.0 + 2.0 * (double)(i / 2 % 2);
        const double z = 0.95 + 1.35 * (double)(i / 4);
        const double gap = i < FIRST ? 0.0 : 1.0; /* small ones go between the others */
        body.x = tw_vec3_scale(grain, tw_vec3_make(x - gap, y - gap, z - gap));
        body.v = tw_vec3_make(0.5 - 0.3 * (double)(i % 4), 0.7 * (double)(i % 2), -0.5);
        body.w = tw_vec3_make(100.0, 30.0 * (double)i, 0.0);
        status = tw_sim_add_body(p->sim, &body, NULL, error);
    }
    return status;
}

static tw_status add_first(play *p, tw_error *error)
{
    return add_bodies(p, FIRST, error);
}

static tw_status add_second(play *p, tw_error *error)
{
    return add_bodies(p, SECOND, error);
}

static tw_status add_floor(play *p, tw_error *error)
{
    const tw_wall_def floor = tw_wall_def_default();
    return p->walls ? tw_sim_add_wall(p->sim, &floor, NULL, error) : TW_STATUS_OK;
}

static tw_status add_lid(play *p, tw_error *error)
{
    tw_wall_def lid = tw_wall_def_default();
    lid.point.z = 4.7 * grain;
    lid.normal.z = -1.0;
    lid.servo = 1;
    lid.force = 5.0;
    lid.v_max = 2.0;
    return p->walls ? tw_sim_add_wall(p->sim, &lid, NULL, error) : TW_STATUS_OK;
}

static tw_status squeeze(play *p, tw_error *error)
{
    const tw_mat3 rate = {
        {-300.0, 100.0, 0.0, 0.0, -300.0, 0.0, 0.0, 0.0, p->walls ? 0.0 : -300.0}};
    (void)error;
    tw_sim_set_velocity_gradient(p->sim, &rate);
    p->begin = tw_sim_steps(p->sim);
    return TW_STATUS_OK;
}

static tw_status control(play *p, tw_error *error)
{
    tw_control request = tw_control_default();
    request.row[TW_XX] = tw_control_rate(TW_XX, -200.0);
    if (!p->walls) request.row[TW_YY] = tw_control_stress(TW_YY, 1e5);
    p->begin = tw_sim_steps(p->sim);
    return tw_sim_set_control(p->sim, &request, error);
}

/* Goes on with the steps that are missing. */
static tw_status run(play *p, tw_error *error)
{
    return tw_sim_run(p->sim, p->begin + 45 - tw_sim_steps(p->sim), error);
}

static tw_status prepare(play *p, tw_error *error)
{
    return tw_sim_prepare(p->sim, error);
}

static tw_status measure(play *p, tw_error *error)
{
    return tw_sim_measure(p->sim, &p->measure, error);
}

static tw_status get_contacts(play *p, tw_error *error)
{
    const tw_status status = tw_sim_contact_count(p->sim, &p->count, error);
    return status == TW_STATUS_OK ? tw_sim_get_contacts(p->sim, p->contacts, 128, error) : status;
}

static tw_status set_contacts(play *p, tw_error *error)
{
    return tw_sim_set_contacts(p->sim, p->contacts, p->count, NULL, error);
}

/* A checkpoint has none. */
static void take_events(tw_sim *sim)
{
    tw_event event[64];
    while (tw_sim_event_count(sim) > 0)
        (void)tw_sim_take_events(sim, event, 64, NULL, NULL);
}

static tw_status save(play *p, tw_error *error)
{
    take_events(p->sim);
    return tw_sim_save(p->sim, p->path, error);
}

/* Its allocations are not counted. */
static uint64_t hash_of(const tw_sim *sim)
{
    const size_t had = calls, fail = fail_at;
    fail_at = 0;
    const uint64_t hash = tw_sim_hash(sim);
    calls = had;
    fail_at = fail;
    return hash;
}

static tw_status load(play *p, tw_error *error)
{
    tw_sim *other = tw_sim_load(p->path, error);
    if (!other) return error->status;
    assert_true(hash_of(other) == hash_of(p->sim));
    tw_sim_free(p->sim);
    p->sim = other;
    tw_sim_set_threads(other, 1);
    return TW_STATUS_OK;
}

static tw_status turn(play *p, tw_error *error)
{
    return tw_sim_rotate(p->sim, tw_vec3_make(0.0, 0.0, 0.3), 5, error);
}

typedef tw_status (*action)(play *p, tw_error *error);

static const action actions[] = {
    create,   add_material, add_shape,    add_bumpy,    add_first, add_floor, squeeze,
    prepare,  run,          measure,      add_second,   prepare,   add_lid,   run,
    set_laws, control,      run,          get_contacts, save,      load,      control,
    run,      get_contacts, set_contacts, squeeze,      run,       turn,      measure};

enum { ACTIONS = sizeof actions / sizeof *actions };

/* ---- Plays ---- */

typedef struct outcome {
    uint64_t hash[ACTIONS]; /* after each action */
    uint64_t searches;
    size_t calls;
} outcome;

static play begin(const char *folder, int walls)
{
    play p = {.walls = walls};
    snprintf(p.path, sizeof p.path, "%s/state.h5", folder);
    return p;
}

static void end(play *p)
{
    tw_sim_free(p->sim);
    remove(p->path);
}

static outcome play_through(const char *folder, int walls)
{
    play p = begin(folder, walls);
    outcome o;
    calls = fail_at = 0;
    for (int at = 0; at < ACTIONS; at++) {
        tw_error error = {TW_STATUS_OK, ""};
        if (actions[at](&p, &error) != TW_STATUS_OK) fail_msg("action %d: %s", at, error.text);
        o.hash[at] = hash_of(p.sim);
    }
    o.searches = p.sim->state.searches;
    o.calls = calls;
    end(&p);
    return o;
}

/* Repeats the action that failed, and does some more. */
static void go_on(play *p, int at, size_t number, const outcome *reference)
{
    const int last = at + 3 < ACTIONS ? at + 3 : ACTIONS;
    for (; at < last; at++) {
        tw_error error = {TW_STATUS_OK, ""};
        if (actions[at](p, &error) != TW_STATUS_OK)
            fail_msg("action %d, after allocation %zu failed: %s", at, number, error.text);
        if (hash_of(p->sim) != reference->hash[at])
            fail_msg("action %d, after allocation %zu failed: other bits", at, number);
    }
}

/* A checkpoint of the state after a failure, if it can be saved, continues with the same bits. */
static void go_on_from_checkpoint(const play *from, int at, size_t number, const outcome *reference)
{
    tw_error error;
    play p = *from;
    strcat(p.path, ".after");
    take_events(from->sim);
    const tw_status saved = tw_sim_save(from->sim, p.path, &error);
    if (from->sim->schedule.pending) {
        assert_int_equal(saved, TW_STATUS_MEMORY);
        assert_non_null(strstr(error.text, "incomplete"));
        return;
    }
    must_succeed(saved, &error);
    p.sim = tw_sim_load(p.path, &error);
    if (!p.sim) fail_msg("action %d, allocation %zu: %s", at, number, error.text);
    tw_sim_set_threads(p.sim, 1);
    go_on(&p, at, number, reference);
    end(&p);
}

/* A simulation that cannot continue refuses to, and is not saved. */
static int refuses(const play *p)
{
    tw_error error;
    if (!p->sim || !p->sim->failed) return 0;
    assert_int_equal(tw_sim_run(p->sim, 1, &error), TW_STATUS_PHYSICS);
    assert_non_null(strstr(error.text, "failed"));
    assert_int_equal(tw_sim_save(p->sim, p->path, &error), TW_STATUS_PHYSICS);
    return 1;
}

static void play_with_failure(const char *folder, int walls, size_t number, int on,
                              const outcome *reference)
{
    play p = begin(folder, walls);
    tw_error error = {TW_STATUS_OK, ""};
    tw_status status = TW_STATUS_OK;
    int at = -1;
    calls = 0;
    fail_at = number;
    fail_on = on;
    while (calls < number)
        status = actions[++at](&p, &error);
    fail_at = 0;
    if (status == TW_STATUS_OK) { /* less was enough */
        assert_true(hash_of(p.sim) == reference->hash[at]);
        end(&p);
        return;
    }
    if (status != TW_STATUS_MEMORY || !strstr(error.text, "memory"))
        fail_msg("action %d, allocation %zu: status %d: %s", at, number, (int)status, error.text);
    if (!refuses(&p)) {
        if (p.sim && on) go_on_from_checkpoint(&p, at, number, reference);
        go_on(&p, at, number, reference);
    }
    end(&p);
}

static void check_scene(int walls)
{
    char folder[64] = "memory-XXXXXX";
    assert_non_null(mkdtemp(folder));
    const size_t before = live;
    const outcome reference = play_through(folder, walls);
    assert_int_equal(live, before);
    assert_true(reference.searches > 10);
    /* Below 1, as with sanitizers, which are many times slower: either alone or with all later
     * ones. */
    const char *scale = getenv("TWIRL_TEST_SCALE");
    const int both = !scale || atof(scale) >= 1.0;
    for (size_t n = 1; n <= reference.calls; n++)
        for (int on = 0; on < 2; on++) {
            if (!both && on != (int)(n % 2)) continue;
            play_with_failure(folder, walls, n, on, &reference);
            if (live != before) fail_msg("allocation %zu: %zu leaks", n, live - before);
        }
    print_message("%zu allocations, %d searches\n", reference.calls, (int)reference.searches);
    assert_int_equal(rmdir(folder), 0); /* no file is left */
}

static void a_box_survives_any_failed_allocation(void **state)
{
    (void)state;
    check_scene(1);
}

static void a_controlled_cell_survives_any_failed_allocation(void **state)
{
    (void)state;
    check_scene(0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_box_survives_any_failed_allocation),
        cmocka_unit_test(a_controlled_cell_survives_any_failed_allocation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
