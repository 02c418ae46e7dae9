/* SPDX-License-Identifier: BSD-3-Clause */
/* Many contacts at once are the same contacts one by one, by a call or inline, to the last bit. */
#include <stdlib.h>
#include <string.h>

#include <twirl/contact_inline.h>

#include "support.h"

enum { COUNT = 5000, LAWS = 12, STEPS = 3 };

typedef struct crowd {
    tw_contact_law laws[LAWS];
    uint32_t law_of[COUNT];
    tw_contact_motion motion[COUNT];
    tw_contact_memory memory[COUNT];
    tw_contact_load load[COUNT];
} crowd;

static tw_vec3 nudge(support_random *random, tw_vec3 v, double size)
{
    const tw_vec3 w = tw_vec3_add_scaled(v, size, support_unit(random));
    return tw_vec3_scale(1.0 / tw_vec3_norm(w), w);
}

static void draw_motions(support_random *random, crowd *c)
{
    for (int i = 0; i < COUNT; i++) {
        tw_contact_motion *motion = &c->motion[i];
        motion->n = nudge(random, c->memory[i].n, 0.01);
        motion->zeta = support_uniform(random, -0.3e-4, 2e-4);
        motion->du = support_vector(random, 1e-8, 1e-3);
        motion->turn_p = support_vector(random, 1e-4, 3.0);
        motion->turn_q = support_vector(random, 1e-4, 3.0);
        if (i % 500 == 0) motion->du = tw_vec3_scale(1e200, motion->du); /* squares overflow */
    }
}

static crowd *make_crowd(support_random *random)
{
    crowd *c = (crowd *)malloc(sizeof *c);
    assert_non_null(c);
    for (uint32_t i = 0; i < LAWS; i++) {
        c->laws[i] = support_law_of((int32_t)(i % 3));
        c->laws[i].mu = 0.1 * (1.0 + i);
        c->laws[i].nu_n = i % 2 ? 3.0 : 0.0;
        if (i >= 6) c->laws[i].refine = support_bits(random) & TW_CONTACT_ALL;
    }
    for (int i = 0; i < COUNT; i++) {
        /* runs of one law as well as a law of its own for each */
        c->law_of[i] =
            i < COUNT / 2 ? (uint32_t)(i / 100) % LAWS : (uint32_t)(support_bits(random) % LAWS);
        c->memory[i].n = support_unit(random);
        c->memory[i].zeta = support_uniform(random, -0.3e-4, 1e-4);
        c->memory[i].ft = tw_vec3_make(0.0, 0.0, 0.0);
    }
    return c;
}

/* Several steps with and without law_of; contact i alone against contact i in the crowd. */
static void march(const uint32_t *law_of, crowd *c, support_random *random)
{
    for (int step = 0; step < STEPS; step++) {
        tw_contact_memory before[COUNT / 10];
        draw_motions(random, c);
        for (int i = 0; i < COUNT / 10; i++)
            before[i] = c->memory[10 * i];
        tw_contact_advance_batch(c->laws, law_of, c->motion, 1e-4, c->memory, NULL, c->load, COUNT);
        for (int i = 0; i < COUNT / 10; i++) {
            const tw_contact_law *law = &c->laws[law_of != NULL ? law_of[10 * i] : 0];
            tw_contact_load load, same;
            tw_contact_memory inlined = before[i];
            tw_contact_advance_inline(law, &c->motion[10 * i], 1e-4, &inlined, NULL, &same);
            tw_contact_advance(law, &c->motion[10 * i], 1e-4, &before[i], NULL, &load);
            assert_memory_equal(&same, &load, sizeof load);
            assert_memory_equal(&inlined, &before[i], sizeof inlined);
            assert_memory_equal(&load, &c->load[10 * i], sizeof load);
            assert_memory_equal(&before[i], &c->memory[10 * i], sizeof before[i]);
        }
    }
}

static void a_batch_gives_the_bits_of_single_calls(void **state)
{
    (void)state;
    support_random random = {31};
    crowd *c = make_crowd(&random);
    march(c->law_of, c, &random);
    int sliding = 0, touching = 0;
    for (int i = 0; i < COUNT; i++) {
        sliding += c->load[i].sliding;
        touching += c->load[i].touching;
    }
    assert_true(sliding > COUNT / 10 && touching - sliding > COUNT / 10); /* both were there */
    free(c);
}

static void without_law_of_all_obey_the_first_law(void **state)
{
    (void)state;
    support_random random = {32};
    crowd *c = make_crowd(&random);
    for (uint32_t i = 0; i < 3; i++) {
        c->laws[0] = c->laws[i];
        march(NULL, c, &random);
    }
    free(c);
}

/* Cut into pieces of any length, it is the same work: threads may share it as they like. */
static void a_batch_may_be_cut_anywhere(void **state)
{
    (void)state;
    support_random random = {33};
    crowd *c = make_crowd(&random);
    draw_motions(&random, c);
    crowd *d = (crowd *)malloc(sizeof *d);
    assert_non_null(d);
    memcpy(d, c, sizeof *d);
    tw_contact_advance_batch(c->laws, c->law_of, c->motion, 1e-4, c->memory, NULL, c->load, COUNT);
    for (size_t begin = 0, size = 1; begin < COUNT; begin += size, size = size % 97 + 5) {
        if (size > COUNT - begin) size = COUNT - begin;
        tw_contact_advance_batch(d->laws, d->law_of + begin, d->motion + begin, 1e-4,
                                 d->memory + begin, NULL, d->load + begin, size);
    }
    assert_memory_equal(c->load, d->load, sizeof c->load);
    assert_memory_equal(c->memory, d->memory, sizeof c->memory);
    free(c);
    free(d);
}

/* The compiler may arrange the inline code otherwise: the same to rounding. */
static void inline_code_gives_what_the_library_gives(void **state)
{
    (void)state;
    support_random random = {34};
    crowd *c = make_crowd(&random);
    for (int step = 0; step < STEPS; step++) {
        draw_motions(&random, c);
        for (int i = 0; i < COUNT; i++) {
            const tw_contact_law *law = &c->laws[c->law_of[i]];
            tw_contact_memory memory = c->memory[i];
            tw_contact_load load, other;
            tw_contact_advance_inline(law, &c->motion[i], 1e-4, &memory, NULL, &load);
            tw_contact_advance(law, &c->motion[i], 1e-4, &c->memory[i], NULL, &other);
            const double force = tw_vec3_norm_scaled(other.f) + law->kn * 1e-4;
            expect_at_most(support_distance(load.f, other.f), 1e-12 * force);
            expect_at_most(support_distance(memory.ft, c->memory[i].ft), 1e-12 * force);
            assert_int_equal(load.sliding, other.sliding);
        }
    }
    free(c);
}

/* However few there are, and fewer than the lanes of a processor: those beside them stay as they
 * were, to the bit. An empty batch may come without arrays. */
static void a_batch_writes_to_its_own_contacts_alone(void **state)
{
    (void)state;
    enum { BEFORE = 3, MOST = 70, ALL = BEFORE + MOST + 9 };
    support_random random = {35};
    crowd *c = make_crowd(&random);
    draw_motions(&random, c);
    for (size_t count = 0; count <= MOST; count++) {
        tw_contact_memory memory[ALL], memory_before[ALL];
        tw_contact_load load[ALL], load_before[ALL];
        memcpy(memory, c->memory, sizeof memory);
        memset(load, 0xa5, sizeof load);
        memcpy(memory_before, memory, sizeof memory);
        memcpy(load_before, load, sizeof load);
        tw_contact_advance_batch(c->laws, c->law_of + BEFORE, c->motion + BEFORE, 1e-4,
                                 memory + BEFORE, NULL, load + BEFORE, count);
        for (size_t i = 0; i < ALL; i++) {
            const int own = i >= BEFORE && i < BEFORE + count;
            assert_int_equal(memcmp(&load[i], &load_before[i], sizeof load[i]) != 0, own);
            assert_int_equal(memcmp(&memory[i], &memory_before[i], sizeof memory[i]) != 0, own);
        }
    }
    tw_contact_advance_batch(c->laws, NULL, NULL, 1.0, NULL, NULL, NULL, 0);
    free(c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_batch_gives_the_bits_of_single_calls),
        cmocka_unit_test(without_law_of_all_obey_the_first_law),
        cmocka_unit_test(a_batch_may_be_cut_anywhere),
        cmocka_unit_test(inline_code_gives_what_the_library_gives),
        cmocka_unit_test(a_batch_writes_to_its_own_contacts_alone),
    };
    return cmocka_run_group_tests_name("contact_batch", tests, NULL, NULL);
}
