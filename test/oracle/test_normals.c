/* SPDX-License-Identifier: BSD-3-Clause */
/* Linear and Hertz contacts in one specimen: each step of each contact is that of
 * tw_contact_advance, from what the contact remembered and how its bodies moved; a device has the
 * same bits, and so has a simulation that was saved on the way. */
#include "../must.h"
#include "../physics/tensor.h"

#include <math.h>
#include <stdlib.h>

enum { BODIES = 216, STEPS = 400 };
static const double edge = 0.13, radius = 0.01;

/* What is known between two steps. */
typedef struct moment {
    tw_body_state body[BODIES];
    tw_contact_state *contact;
    size_t count;
    double *part[TW_CONTACT_PARTS_MAX];
} moment;

static tw_contact_law linear_law(double kn)
{
    tw_contact_law law = support_law(kn, 0.8 * kn, 0.3);
    law.nu_n = law.nu_t = 0.2;
    return law;
}

static tw_contact_law hertz_law(void)
{
    tw_contact_law law = support_law(1e9, 1.2e9, 0.25);
    law.normal = TW_CONTACT_HERTZ;
    law.flags = TW_CONTACT_BY_RADIUS | TW_CONTACT_BY_MASS;
    law.nu_n = 0.1;
    law.k_r = law.k_w = 1e9;
    law.mu_r = law.mu_w = 0.1;
    law.nu_r = 0.05;
    return law;
}

/* `first`: the laws of material 0, whose lanes the steps have. */
static tw_sim *cloud(const char *device, int hertz_first)
{
    tw_error error;
    support_random random = {17};
    tw_sim_def def = tw_sim_def_default();
    const tw_contact_law linear = linear_law(2e4), other = linear_law(5e4), hertz = hertz_law();
    def.cell = tensor_diagonal(edge, edge, edge);
    def.periodic[2] = 0;
    def.law = hertz_first ? hertz : linear;
    def.threads = 1;
    def.dt = 2e-5;
    def.device = device;
    tw_sim *sim = scene_create(&def);
    assert_int_equal(tw_sim_add_material(sim, "other", 2000.0, NULL, &error), TW_STATUS_OK);
    const tw_contact_law laws[4] = {def.law, other, other, hertz_first ? linear : hertz};
    assert_int_equal(tw_sim_set_laws(sim, laws, 4, &error), TW_STATUS_OK);
    for (int i = 0; i < BODIES; i++) {
        const tw_vec3 x = {0.0215 * (i % 6) + 0.011, 0.0215 * (i / 6 % 6) + 0.011,
                           0.0215 * (i / 36) + 0.011};
        const double fast = support_uniform(&random, 0.3, 1.0);
        const tw_vec3 v = tw_vec3_scale(fast, support_unit(&random));
        const tw_vec3 w = tw_vec3_scale(80.0, support_unit(&random));
        tw_body_def body = scene_sphere(support_uniform(&random, 0.9, 1.0) * radius, x, v, w);
        body.material = (uint32_t)(support_uniform(&random, 0.0, 2.0));
        scene_add(sim, &body);
    }
    for (uint32_t k = 0; k < 2; k++) {
        tw_wall_def wall = tw_wall_def_default();
        wall.point = tw_vec3_make(0.0, 0.0, k == 0 ? 0.0 : edge);
        wall.normal = tw_vec3_make(0.0, 0.0, k == 0 ? 1.0 : -1.0);
        wall.material = k;
        assert_int_equal(tw_sim_add_wall(sim, &wall, NULL, &error), TW_STATUS_OK);
    }
    return sim;
}

static void look(const tw_sim *sim, moment *m)
{
    m->contact = scene_contacts(sim, &m->count);
    for (uint32_t k = 0; k < tw_contact_part_count(); k++) {
        const tw_contact_part *part = tw_contact_part_at(k);
        const size_t numbers = part->numbers * m->count;
        m->part[k] = calloc(numbers + 1, sizeof *m->part[k]);
        assert_non_null(m->part[k]);
        assert_int_equal(tw_sim_get_contact_part(sim, part->name, m->part[k], numbers, NULL),
                         TW_STATUS_OK);
    }
    for (uint32_t i = 0; i < BODIES; i++)
        m->body[i] = must_body(sim, i);
}

static void forget(moment *m)
{
    free(m->contact);
    for (uint32_t k = 0; k < tw_contact_part_count(); k++)
        free(m->part[k]);
}

/* The rotation vector from one orientation to another. */
static tw_vec3 turn_of(const tw_body_state *from, const tw_body_state *to)
{
    const tw_quat a = from->q, b = to->q; /* b a* */
    const tw_vec3 u = {a.x, a.y, a.z}, v = {b.x, b.y, b.z};
    const tw_vec3 part =
        tw_vec3_sub(tw_vec3_sub(tw_vec3_scale(a.w, v), tw_vec3_scale(b.w, u)), tw_vec3_cross(v, u));
    const double w = a.w * b.w + tw_vec3_dot(u, v), size = tw_vec3_norm(part);
    return size > 0.0 ? tw_vec3_scale(2.0 * atan2(size, fabs(w)) / size * copysign(1.0, w), part)
                      : part;
}

typedef struct counts {
    size_t linear, hertz, fresh, sliding;
} counts;

/* One contact that there is after a step. */
static void check_contact(const tw_sim *sim, const moment *before, const moment *after, size_t i,
                          counts *sum)
{
    const tw_contact_state *c = &after->contact[i], *old = NULL;
    double parts[64] = {0.0};
    size_t at = 0;
    tw_contact_law law;
    tw_contact_load load;
    if (c->body_q == TW_NO_BODY) return;
    const tw_body_state *p = &after->body[c->body_p], *q = &after->body[c->body_q],
                        *p0 = &before->body[c->body_p], *q0 = &before->body[c->body_q];
    for (size_t k = 0; k < before->count; k++)
        if (before->contact[k].body_p == c->body_p && before->contact[k].body_q == c->body_q) {
            old = &before->contact[k];
            at = k;
        }
    assert_int_equal(tw_sim_get_pair_law(sim, p->material, q->material, &law, NULL), TW_STATUS_OK);
    const tw_contact_pair pair = {c->branch,      turn_of(p0, p),
                                  turn_of(q0, q), p->size,
                                  q->size,        p->mass * q->mass / (p->mass + q->mass)};
    const tw_vec3 moved = tw_vec3_sub(tw_vec3_sub(q->displacement, q0->displacement),
                                      tw_vec3_sub(p->displacement, p0->displacement));
    tw_contact_memory memory =
        tw_contact_memory_fresh(tw_vec3_sub(c->branch, moved), p->size, q->size);
    if (old) memory = (tw_contact_memory){old->n, old->zeta, old->ft};
    tw_contact_extra extra = {.stride = 0};
    size_t used = 0;
    for (uint32_t k = 0; k < tw_contact_part_count(); k++) {
        const uint32_t numbers = tw_contact_part_at(k)->numbers;
        extra.part[k] = parts + used;
        for (uint32_t j = 0; j < numbers; j++)
            parts[used++] = old ? before->part[k][numbers * at + j] : 0.0;
        assert_true(used < sizeof parts / sizeof *parts);
    }
    const tw_contact_motion motion = tw_contact_pair_motion(law.kind, &pair, &memory);
    tw_contact_advance(&law, &motion, tw_sim_get_definition(sim).dt, &memory, &extra, &load);
    /* Rotations are those of quaternions, positions large: rounding of 1e-17 m, times kt. */
    const double small = 1e-9 * (0.01 + tw_vec3_norm(load.f));
    expect_at_most(support_distance(load.f, c->force), small);
    expect_at_most(support_distance(memory.ft, c->ft), small);
    expect_at_most(support_distance(load.couple, c->couple), small * radius);
    assert_int_equal(load.touching, 1);
    sum->linear += law.normal == TW_CONTACT_LINEAR;
    sum->hertz += law.normal == TW_CONTACT_HERTZ;
    sum->fresh += !old;
    sum->sliding += c->sliding != 0;
}

static void check_steps(const char *device, int hertz_first)
{
    tw_sim *sim = cloud(device, hertz_first);
    moment *m = calloc(2, sizeof *m);
    counts sum = {0, 0, 0, 0};
    assert_non_null(m);
    scene_run(sim, 600);
    look(sim, &m[0]);
    for (int k = 1; k <= STEPS; k++) {
        moment *before = &m[(k + 1) % 2], *after = &m[k % 2];
        scene_run(sim, 1);
        look(sim, after);
        for (size_t i = 0; i < after->count; i++)
            check_contact(sim, before, after, i, &sum);
        forget(before);
    }
    forget(&m[STEPS % 2]);
    expect_at_least((double)sum.linear, 1000.0);
    expect_at_least((double)sum.hertz, 500.0);
    expect_at_least((double)sum.fresh, 10.0);
    expect_at_least((double)sum.sliding, 100.0);
    free(m);
    tw_sim_free(sim);
}

static void each_contact_follows_its_own_law(void **state)
{
    (void)state;
    check_steps("cpu", 0);
    check_steps("cpu", 1);
}

static void on_a_device_too(void **state)
{
    (void)state;
    check_steps("emulated", 0);
    check_steps("emulated", 1);
}

static void with_the_same_bits_and_energy_kept(void **state)
{
    (void)state;
    for (int first = 0; first < 2; first++) {
        tw_sim *cpu = cloud("cpu", first), *device = cloud("emulated", first);
        for (int k = 0; k < 10; k++) {
            scene_run(cpu, 150);
            scene_run(device, 150);
            assert_true(tw_sim_hash(cpu) == tw_sim_hash(device));
            if (k != 5) continue;
            tw_sim *again = scene_copy(cpu); /* by way of a file */
            tw_sim_free(cpu);
            cpu = again;
        }
        const tw_energy e = must_measure(cpu).energy, d = must_measure(device).energy;
        expect_at_least(e.micro_slip, 0.0);
        expect_at_least(e.rolling, 1e-12);
        expect_at_least(e.contact_damping, 1e-12);
        expect_at_most(fabs(e.residual), 0.01 * e.start); /* the error of the integration */
        assert_true(e.normal == d.normal && e.tangential == d.tangential);
        tw_sim_free(cpu);
        tw_sim_free(device);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_contact_follows_its_own_law),
        cmocka_unit_test(on_a_device_too),
        cmocka_unit_test(with_the_same_bits_and_energy_kept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
