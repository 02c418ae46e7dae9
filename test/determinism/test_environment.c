/* SPDX-License-Identifier: BSD-3-Clause */
/* The bits of a simulation do not depend on the floating-point environment of the program: rounding
 * mode, traps, and numbers flushed to zero; and the program has its environment back afterwards. */
#define _GNU_SOURCE /* feenableexcept */
#include "specimen.h"

#include <fenv.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../must.h"

typedef struct environment {
    int rounding; /* -1: that of the start */
    int traps;    /* exceptions that trap */
    int flush;    /* subnormal numbers count as 0 */
} environment;

static void set_flush(int on)
{
#if defined __x86_64__
    const unsigned bits = 0x8040; /* FTZ, DAZ */
    const unsigned now = __builtin_ia32_stmxcsr();
    __builtin_ia32_ldmxcsr(on ? now | bits : now & ~bits);
#elif defined __aarch64__
    const unsigned bits = 1u << 24; /* FZ */
    unsigned long now;
    __asm__ volatile("mrs %0, fpcr" : "=r"(now));
    now = on ? now | bits : now & ~(unsigned long)bits;
    __asm__ volatile("msr fpcr, %0" : : "r"(now));
#else
    (void)on;
#endif
}

/* 0: this machine has no such traps. */
static int set(const environment *e)
{
    if (e->rounding >= 0) assert_int_equal(fesetround(e->rounding), 0);
    if (e->flush) set_flush(1);
    return e->traps == 0 || feenableexcept(e->traps) != -1;
}

static void reset(void)
{
    fesetenv(FE_DFL_ENV);
    set_flush(0);
}

/* A hook has the environment of the program. */
static int look(tw_sim *sim, void *context)
{
    const environment *e = context;
    (void)sim;
    assert_true(e->rounding < 0 || fegetround() == e->rounding);
    return 0;
}

/* One more body, in the middle of the cell. Where that is was computed without the environment. */
static void drop_in(tw_sim *sim, const environment *e)
{
    tw_error error;
    reset();
    const tw_mat3 h = tw_sim_cell(sim);
    tw_body_def body = tw_body_def_default();
    body.size = 0.3 * must_body(sim, 0).size;
    body.x = tw_vec3_make(0.5 * (h.m[0] + h.m[1] + h.m[2]), 0.5 * (h.m[3] + h.m[4] + h.m[5]),
                          0.5 * (h.m[6] + h.m[7] + h.m[8]));
    body.w = tw_vec3_make(0.1, 0.2, 0.3);
    set(e);
    must_succeed(tw_sim_add_body(sim, &body, NULL, &error), &error);
}

/* The specimen is made by the test, whose own arithmetic depends on the environment. */
static uint64_t run_in(specimen_kind kind, int threads, environment e)
{
    tw_error error;
    char path[] = "/tmp/twirl_environment_XXXXXX";
    const int file = mkstemp(path);
    assert_true(file >= 0);
    close(file);
    tw_sim *sim = specimen_make(kind, 4, 5);
    tw_sim_set_threads(sim, threads);
    if (!set(&e)) {
        print_message("no traps here\n");
        e.traps = 0;
    }
    specimen_run(sim, 150);
    must_succeed(tw_sim_run_hooked(sim, 20, look, &e, &error), &error);
    drop_in(sim, &e);
    specimen_run(sim, 30);
    specimen_save(sim, path);
    tw_sim_free(sim);
    sim = specimen_load(path);
    tw_sim_set_threads(sim, threads);
    specimen_run(sim, 50);
    const tw_measure m = must_measure(sim);
    uint64_t bits;
    memcpy(&bits, &m.p, sizeof bits);
    const uint64_t hash = tw_sim_hash(sim) ^ bits;
    assert_true(e.rounding < 0 || fegetround() == e.rounding);
    reset();
    tw_sim_free(sim);
    remove(path);
    return hash;
}

static void the_environment_of_the_program_does_not_matter(void **state)
{
    (void)state;
    static const environment tried[] = {{FE_TONEAREST, 0, 0},
                                        {FE_UPWARD, 0, 0},
                                        {FE_DOWNWARD, 0, 0},
                                        {FE_TOWARDZERO, 0, 0},
                                        {-1, FE_INVALID | FE_DIVBYZERO | FE_OVERFLOW, 0},
                                        {FE_UPWARD, FE_INVALID | FE_DIVBYZERO | FE_OVERFLOW, 1},
                                        {-1, 0, 1}};
    for (int kind = SPECIMEN_SPHERES; kind <= SPECIMEN_MIXTURE; kind++) {
        const environment usual = {-1, 0, 0};
        const uint64_t hash = run_in((specimen_kind)kind, 1, usual);
        for (int threads = 1; threads <= 3; threads += 2)
            for (size_t k = 0; k < sizeof tried / sizeof *tried; k++)
                if (run_in((specimen_kind)kind, threads, tried[k]) != hash)
                    fail_msg("specimen %d, environment %zu, %d threads: other bits", kind, k,
                             threads);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_environment_of_the_program_does_not_matter)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
