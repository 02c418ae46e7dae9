/* SPDX-License-Identifier: BSD-3-Clause */
/* Many contacts at once are the same contacts one by one, by a call or inline, to the last bit. */
#include <stdlib.h>
#include <string.h>

#include <twirl/contact_inline.h>

#include "support.h"

enum { COUNT = 5000, LAWS = 36, STEPS = 3 };

typedef struct crowd {
    tw_contact_law laws[LAWS];
    uint32_t law_of[COUNT];
    tw_contact_motion motion[COUNT];
    tw_contact_memory memory[COUNT];
    tw_contact_parts extra[COUNT];
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
        /* most rotations small, as in a simulation; some are not */
        const double tilt = support_log_uniform(random, 1e-7, 1e-2);
        motion->n = nudge(random, c->memory[i].n, tilt);
        motion->zeta = support_uniform(random, -0.3e-4, 2e-4);
        motion->du = support_vector(random, 1e-8, 1e-3);
        motion->turn_p = support_vector(random, 1e-7, i % 7 ? 1e-3 : 3.0);
        motion->turn_q = support_vector(random, 1e-7, i % 7 ? 1e-3 : 3.0);
        motion->radius = support_log_uniform(random, 1e-3, 1e1);
        motion->mass = support_log_uniform(random, 1e-6, 1.0);
        motion->ratio = support_uniform(random, 0.0, 1.0);
        if (i % 500 == 0) motion->du = tw_vec3_scale(1e200, motion->du); /* squares overflow */
    }
}

/* Each kind and normal law alone, with resistance to rolling and twisting, with damping, with all
 * of it by radius and mass, and with some refinements. */
static tw_contact_law draw_law(support_random *random, uint32_t i)
{
    tw_contact_law law = support_law_of((int32_t)(i % 3));
    law.mu = 0.1 * (1.0 + i % 12);
    if (i >= 12 && law.kind != TW_CONTACT_PAPER) law = support_hertz_like(law, 1e-4);
    if (i % 4 >= 2) law = support_resisting_law(law);
    if (i % 6 >= 3) law.nu_n = 3.0;
    if (i % 8 >= 5) law.nu_t = law.nu_r = law.nu_w = 0.3;
    if (i % 5 == 4) law.flags = support_bits(random) & 15;
    if (i >= 24) law.refine = support_bits(random) & TW_CONTACT_ALL;
    assert_null(tw_contact_law_check(&law));
    return law;
}

static crowd *make_crowd(support_random *random)
{
    crowd *c = (crowd *)malloc(sizeof *c);
    assert_non_null(c);
    for (uint32_t i = 0; i < LAWS; i++)
        c->laws[i] = draw_law(random, i);
    for (int i = 0; i < COUNT; i++) {
        /* runs of one law as well as a law of its own for each */
        c->law_of[i] =
            i < COUNT / 2 ? (uint32_t)(i / 50) % LAWS : (uint32_t)(support_bits(random) % LAWS);
        c->memory[i].n = support_unit(random);
        c->memory[i].zeta = support_uniform(random, -0.3e-4, 1e-4);
        c->memory[i].ft = tw_vec3_make(0.0, 0.0, 0.0);
        c->extra[i] = (tw_contact_parts){.fw = 0.0};
    }
    return c;
}

/* One contact alone, by a call. */
typedef struct single {
    tw_contact_memory memory;
    tw_contact_parts extra;
    tw_contact_load load;
} single;

static single take(const crowd *c, int i)
{
    single one = {.memory = c->memory[i], .extra = c->extra[i], .load = c->load[i]};
    return one;
}

static void expect_same(const single *a, const single *b)
{
    assert_memory_equal(&a->load, &b->load, sizeof a->load);
    assert_memory_equal(&a->memory, &b->memory, sizeof a->memory);
    assert_memory_equal(&a->extra, &b->extra, sizeof a->extra);
}

/* Several steps with and without law_of; contact i alone against contact i in the crowd. */
static void march(const uint32_t *law_of, crowd *c, support_random *random)
{
    for (int step = 0; step < STEPS; step++) {
        single before[COUNT / 5];
        draw_motions(random, c);
        for (int i = 0; i < COUNT / 5; i++)
            before[i] = take(c, 5 * i);
        const tw_contact_extra extra = support_extra(c->extra);
        tw_contact_advance_batch(c->laws, law_of, c->motion, 1e-4, c->memory, &extra, c->load,
                                 COUNT);
        for (int i = 0; i < COUNT / 5; i++) {
            const tw_contact_law *law = &c->laws[law_of != NULL ? law_of[5 * i] : 0];
            const tw_contact_motion *motion = &c->motion[5 * i];
            const single there = take(c, 5 * i);
            single here = before[i], inlined = before[i];
            tw_contact_advance_inline(law, motion, 1e-4, &inlined.memory, &inlined.extra,
                                      &inlined.load);
            support_advance(law, motion, 1e-4, &here.memory, &here.extra, &here.load);
            expect_same(&inlined, &here);
            expect_same(&here, &there);
        }
    }
}

static void a_batch_gives_the_bits_of_single_calls(void **state)
{
    (void)state;
    support_random random = {31};
    crowd *c = make_crowd(&random);
    march(c->law_of, c, &random);
    int sliding = 0, touching = 0, micro = 0, rolls = 0, rests = 0, twists = 0, damped = 0;
    for (int i = 0; i < COUNT; i++) {
        const tw_contact_load *load = &c->load[i];
        sliding += load->sliding;
        touching += load->touching;
        micro += load->work_micro > 0.0 && !load->sliding;
        rolls += load->lost_rolling > 0.5 * fabs(load->work_rolling);
        rests += load->work_rolling != 0.0 && load->lost_rolling == 0.0;
        twists += load->lost_twisting > 0.5 * fabs(load->work_twisting);
        damped += load->work_viscous != 0.0;
    }
    print_message("%d touch, %d slide, %d stick with micro-slip, %d and %d roll, %d twist, %d are "
                  "damped\n",
                  touching, sliding, micro, rolls, rests, twists, damped);
    assert_true(micro > COUNT / 50 && rolls > COUNT / 50 && rests > COUNT / 50);
    assert_true(twists > COUNT / 50 && damped > COUNT / 50);
    assert_true(sliding > COUNT / 10 && touching - sliding > COUNT / 10); /* both were there */
    free(c);
}

static void without_law_of_all_obey_the_first_law(void **state)
{
    (void)state;
    support_random random = {32};
    crowd *c = make_crowd(&random);
    for (uint32_t i = 0; i < LAWS; i += (uint32_t)(LAWS / support_count(LAWS))) {
        c->laws[0] = c->laws[i];
        march(NULL, c, &random);
    }
    free(c);
}

/* A law that needs no extras may come without, in a call and in a batch. */
static void laws_without_extras_need_no_array(void **state)
{
    (void)state;
    support_random random = {36};
    crowd *c = make_crowd(&random);
    crowd *d = (crowd *)malloc(sizeof *d);
    assert_non_null(d);
    int tried = 0;
    draw_motions(&random, c);
    for (uint32_t i = 0; i < LAWS; i++) {
        const tw_contact_law *law = &c->laws[i];
        if (tw_contact_law_extras(law) != 0) continue;
        memcpy(d, c, sizeof *d);
        const tw_contact_extra extra = support_extra(c->extra);
        tw_contact_advance_batch(law, NULL, c->motion, 1e-4, c->memory, &extra, c->load, COUNT);
        tw_contact_advance_batch(law, NULL, d->motion, 1e-4, d->memory, NULL, d->load, COUNT);
        assert_memory_equal(c->load, d->load, sizeof c->load);
        assert_memory_equal(c->memory, d->memory, sizeof c->memory);
        assert_memory_equal(c->extra, d->extra, sizeof c->extra);
        tried++;
    }
    assert_true(tried >= 4);
    free(c);
    free(d);
}

/* Cut into pieces of any length, with parts in arrays of their own, it is the same work: threads
 * may share it as they like. */
static void a_batch_may_be_cut_anywhere(void **state)
{
    (void)state;
    support_random random = {33};
    crowd *c = make_crowd(&random);
    draw_motions(&random, c);
    crowd *d = (crowd *)malloc(sizeof *d);
    assert_non_null(d);
    memcpy(d, c, sizeof *d);
    const tw_contact_extra extra = support_extra(c->extra);
    tw_contact_advance_batch(c->laws, c->law_of, c->motion, 1e-4, c->memory, &extra, c->load,
                             COUNT);
    double *const apart = (double *)calloc(COUNT * TW_CONTACT_NUMBERS, sizeof *apart);
    assert_non_null(apart);
    for (size_t begin = 0, size = 1; begin < COUNT; begin += size, size = size % 97 + 5) {
        if (size > COUNT - begin) size = COUNT - begin;
        tw_contact_extra pieces = {{NULL}, 0};
        double *at = apart;
        for (uint32_t k = 0; k < tw_contact_part_count(); k++) {
            const uint32_t numbers = tw_contact_part_at(k)->numbers;
            pieces.part[k] = at + begin * numbers;
            at += COUNT * numbers;
        }
        tw_contact_advance_batch(d->laws, d->law_of + begin, d->motion + begin, 1e-4,
                                 d->memory + begin, &pieces, d->load + begin, size);
    }
    assert_memory_equal(c->load, d->load, sizeof c->load);
    assert_memory_equal(c->memory, d->memory, sizeof c->memory);
    const double *at = apart;
    for (uint32_t k = 0; k < tw_contact_part_count(); k++) {
        const uint32_t numbers = tw_contact_part_at(k)->numbers;
        for (size_t i = 0; i < COUNT; i++, at += numbers)
            assert_memory_equal(extra.part[k] + i * extra.stride, at, numbers * sizeof *at);
    }
    free(apart);
    free(c);
    free(d);
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
        tw_contact_parts extra[ALL], extra_before[ALL];
        tw_contact_load load[ALL], load_before[ALL];
        memcpy(memory, c->memory, sizeof memory);
        memset(load, 0xa5, sizeof load);
        memset(extra, 0, sizeof extra);
        memcpy(extra_before, extra, sizeof extra);
        memcpy(memory_before, memory, sizeof memory);
        memcpy(load_before, load, sizeof load);
        const tw_contact_extra from = support_extra(extra + BEFORE);
        tw_contact_advance_batch(c->laws, c->law_of + BEFORE, c->motion + BEFORE, 1e-4,
                                 memory + BEFORE, &from, load + BEFORE, count);
        for (size_t i = 0; i < ALL; i++) {
            const int own = i >= BEFORE && i < BEFORE + count;
            assert_int_equal(memcmp(&load[i], &load_before[i], sizeof load[i]) != 0, own);
            assert_int_equal(memcmp(&memory[i], &memory_before[i], sizeof memory[i]) != 0, own);
            if (!own) assert_memory_equal(&extra[i], &extra_before[i], sizeof extra[i]);
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
        cmocka_unit_test(laws_without_extras_need_no_array),
        cmocka_unit_test(a_batch_writes_to_its_own_contacts_alone),
    };
    return cmocka_run_group_tests_name("contact_batch", tests, NULL, NULL);
}
