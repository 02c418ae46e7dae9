/* SPDX-License-Identifier: BSD-3-Clause */
/* Contacts that end at a larger gap than that at which they begin, and whose force jumps at both
 * (plant.py): one contact against closed forms, the balance of energy in collisions, contacts of a
 * cloud against a record of who has touched whom, and the same bits after a file and on a device.
 */
#include "tensor.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double reach = 3e-3, pull = 2e-4; /* as planted: end, force over kn [m] */
static const double radius = 0.01;

static tw_contact_law liquid(double kn)
{
    return support_law(kn, 0.75 * kn, 0.375);
}

/* ---- The kernel ---- */

static tw_contact_load advance(const tw_contact_law *law, tw_contact_memory *memory, double *alive,
                               double zeta, double along)
{
    const tw_vec3 n = {0.0, 0.0, 1.0}, du = {along, 0.0, zeta - memory->zeta};
    const tw_contact_motion motion = support_motion(n, zeta, du);
    const tw_contact_extra extra = tw_contact_extra_of(TW_CONTACT_EXTRA_ALIVE, alive);
    tw_contact_load load;
    tw_contact_advance(law, &motion, 1.0, memory, &extra, &load);
    return load;
}

static void a_contact_remembers_that_it_has_begun(void **state)
{
    (void)state;
    const tw_contact_law law = liquid(1e5);
    const tw_vec3 n = {0.0, 0.0, 1.0}, zero = {0.0, 0.0, 0.0};
    const double f0 = pull * law.kn, given = f0 * reach;
    double alive = 0.0;
    assert_int_equal(tw_contact_law_extras(&law), TW_CONTACT_EXTRA_ALIVE);
    tw_contact_memory memory = support_memory(n, -4e-3, zero);
    tw_contact_load load = advance(&law, &memory, &alive, -1e-3, 1e-3);
    assert_false(load.touching);
    expect_at_most(tw_vec3_norm(load.f) + fabs(load.work_normal) + load.work_dissipated, 0.0);

    /* Begins half-way: the mean force of that half, less half of the force at the end. */
    load = advance(&law, &memory, &alive, 1e-3, 1e-4);
    const double press = law.kn * 1e-3, mean = 0.5 * press - f0;
    assert_true(load.touching && alive == 1.0);
    expect_at_most(fabs(load.fn - (press - f0)), 1e-9);
    expect_at_most(fabs(load.f.z + load.fn + 0.5 * mean - 0.5 * load.fn), 1e-9);
    expect_at_most(fabs(load.work_dissipated - given), 1e-12);
    expect_at_most(fabs(load.work_normal - (0.5 * press * 1e-3 - f0 * (1e-3 + reach))), 1e-12);
    expect_at_most(fabs(memory.ft.x - 0.5e-4 * law.kt), 1e-9);

    /* Grips no more, and pulls; there is no friction. */
    load = advance(&law, &memory, &alive, -1e-3, 1e-4);
    assert_true(load.touching && !load.sliding);
    expect_at_most(fabs(load.f.z - f0), 1e-9);
    expect_at_most(tw_vec3_norm(memory.ft), 0.0);
    load = advance(&law, &memory, &alive, -2e-3, 1e-4);
    expect_at_most(fabs(load.f.z - f0) + fabs(load.f.x), 1e-9);
    expect_at_most(fabs(load.work_normal + f0 * (reach - 2e-3)), 1e-12);
    expect_at_most(load.work_dissipated, 0.0);

    /* Ends after a quarter of the step, where nothing is stored. */
    load = advance(&law, &memory, &alive, -6e-3, 1e-4);
    assert_true(!load.touching && alive == 0.0);
    expect_at_most(fabs(load.f.z - f0 * (0.25 - 0.5)), 1e-9);
    expect_at_most(fabs(load.work_dissipated) + fabs(load.work_normal) + fabs(load.fn), 1e-12);
    load = advance(&law, &memory, &alive, -1e-3, 0.0);
    expect_at_most((double)load.touching + tw_vec3_norm(load.f), 0.0);
}

/* ---- Collisions ---- */

/* Two grains meet off their centres, spinning, and part. The residual of the balance, over the
 * energy at the start. */
static double collide(support_random *random, const char *device, uint64_t steps)
{
    const tw_contact_law law = liquid(2e4);
    tw_sim_def def = scene_open_cube(0.2, &law);
    const tw_vec3 none = {0.0, 0.0, 0.0}, at = {0.1, 0.1, 0.1};
    const tw_vec3 n = support_unit(random);
    const tw_vec3 side = tw_vec3_cross(n, support_unit(random));
    const double gap = support_uniform(random, 0.5e-3, 1.5e-3);
    const double speed = support_uniform(random, 3.0, 4.0);
    const tw_vec3 b = tw_vec3_add_scaled(tw_vec3_scale(2.0 * radius, n), 0.3 * radius, side);
    const tw_vec3 from = tw_vec3_scale((2.0 * radius + gap) / tw_vec3_norm(b), b);
    const tw_vec3 spin = tw_vec3_scale(100.0, support_unit(random));
    def.dt = 6e-3 / (double)steps;
    def.device = device;
    tw_sim *sim = scene_create(&def);
    const tw_body_def p = scene_sphere(radius, at, none, spin),
                      q = scene_sphere(radius, tw_vec3_add(at, from), tw_vec3_scale(-speed, n),
                                       tw_vec3_scale(-0.5, spin));
    scene_add(sim, &p);
    scene_add(sim, &q);
    scene_run(sim, steps);
    tw_measure m;
    tw_error error;
    assert_int_equal(tw_sim_measure(sim, &m, &error), TW_STATUS_OK);
    assert_int_equal(m.contacts, 0);
    /* It has been in contact: what the liquid took is gone. */
    expect_at_least(m.energy.friction, pull * law.kn * reach);
    tw_sim_free(sim);
    return m.energy.residual / m.energy.start;
}

static void collisions_keep_the_balance_to_second_order(void **state)
{
    (void)state;
    enum { COUNT = 400, ON_DEVICE = 20, HALVINGS = 4 };
    double rms[HALVINGS];
    for (int k = 0; k < HALVINGS; k++) {
        const uint64_t steps = UINT64_C(100) << k;
        support_random random = {71}, same = {71};
        double square = 0.0;
        for (int i = 0; i < COUNT; i++) {
            const double one = collide(&random, "cpu", steps);
            square += one * one;
            if (i < ON_DEVICE) assert_true(collide(&same, "emulated", steps) == one);
        }
        rms[k] = sqrt(square / COUNT);
    }
    for (int k = 0; k + 1 < HALVINGS; k++) {
        print_message("%.3g, by %.3g\n", rms[k], rms[k] / rms[k + 1]);
        expect_at_least(rms[k] / rms[k + 1], 3.5);
        expect_at_most(rms[k] / rms[k + 1], 4.5);
    }
}

/* ---- A cloud ---- */

enum { BODIES = 200, WALLS = 2 };
static const double edge = 0.16;

/* Grains of material 1 begin and end at -1 mm, and have a force of kn zeta; those of material 0 are
 * wet. */
static int is_wet(uint32_t p, uint32_t q)
{
    return p % 3 > 0 && (q >= BODIES || q % 3 > 0);
}

static tw_sim *cloud(const char *device)
{
    tw_error error;
    support_random random = {11};
    tw_sim_def def = tw_sim_def_default();
    const tw_vec3 none = {0.0, 0.0, 0.0};
    def.cell = tensor_diagonal(edge, edge, edge);
    def.periodic[2] = 0;
    def.law = liquid(2e3);
    def.dt_fraction = 0.2;
    def.threads = 1;
    def.device = device;
    tw_sim *sim = scene_create(&def);
    const tw_contact_law early = support_law(2e3, 1.5e3, 0.2);
    uint32_t one;
    assert_int_equal(tw_sim_add_material(sim, "early", 2650.0, &one, &error), TW_STATUS_OK);
    assert_int_equal(tw_sim_set_pair_law(sim, 0, one, &early, &error), TW_STATUS_OK);
    assert_int_equal(tw_sim_set_pair_law(sim, one, one, &early, &error), TW_STATUS_OK);
    for (int i = 0; i < BODIES; i++) {
        const tw_vec3 x = {0.0225 * (i % 7) + 0.011, 0.0225 * (i / 7 % 7) + 0.011,
                           0.0225 * (i / 49) + 0.0112};
        const double size = support_uniform(&random, 0.9, 1.1);
        const double speed = support_uniform(&random, 0.3, 1.2);
        const tw_vec3 v = tw_vec3_scale(speed, support_unit(&random));
        tw_body_def body = scene_sphere(size * radius, x, v, none);
        body.material = i % 3 == 0 ? one : 0;
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

/* Who has touched whom, and walls, since they were last apart. */
typedef struct record {
    int alive[BODIES][BODIES + WALLS];
    size_t apart, ended; /* contacts beyond the skin; that have ended */
} record;

static double overlap_of(const tw_sim *sim, const tw_sphere_state *s, int p, int q)
{
    if (q < BODIES) {
        const double x = remainder(s[q].x.x - s[p].x.x, edge),
                     y = remainder(s[q].x.y - s[p].x.y, edge), z = s[q].x.z - s[p].x.z;
        return s[p].radius + s[q].radius - sqrt(x * x + y * y + z * z);
    }
    tw_wall_state wall;
    assert_int_equal(tw_sim_get_wall(sim, (size_t)(q - BODIES), &wall, NULL), TW_STATUS_OK);
    return s[p].radius - tw_vec3_dot(tw_vec3_sub(s[p].x, wall.point), wall.normal);
}

static void check_record(const tw_sim *sim, record *r)
{
    static tw_sphere_state s[BODIES];
    static int found[BODIES][BODIES + WALLS];
    size_t count, alive = 0;
    tw_sim_get_spheres(sim, s, BODIES, NULL);
    tw_contact_state *c = scene_contacts(sim, &count);
    memset(found, 0, sizeof found);
    for (size_t k = 0; k < count; k++) {
        const uint32_t q =
            c[k].body_q == TW_NO_BODY ? (uint32_t)BODIES + c[k].member_q : c[k].body_q;
        found[c[k].body_p][q]++;
        const double pressed = is_wet(c[k].body_p, q) ? fmax(c[k].zeta, 0.0) - pull : c[k].zeta;
        expect_at_most(fabs(c[k].fn - 2e3 * pressed), 1e-12);
        r->apart += c[k].zeta < -1.5e-3; /* the skin is 1 mm */
    }
    free(c);
    for (int p = 0; p < BODIES; p++) {
        for (int q = p + 1; q < BODIES + WALLS; q++) {
            const double zeta = overlap_of(sim, s, p, q);
            const int lived = r->alive[p][q], wet = is_wet((uint32_t)p, (uint32_t)q);
            const int lives = zeta > (!wet ? -1e-3 : lived ? -reach : 0.0);
            r->ended += lived && !lives;
            r->alive[p][q] = lives;
            alive += (size_t)lives;
            assert_int_equal(found[p][q], lives);
        }
    }
    assert_int_equal(count, alive);
}

static void contacts_are_those_that_have_touched_and_not_parted(void **state)
{
    (void)state;
    static record r;
    tw_sim *sim = cloud("cpu");
    for (int k = 0; k < 3000; k++) {
        scene_run(sim, 1);
        check_record(sim, &r);
    }
    expect_at_least((double)r.apart, 1000.0);
    expect_at_least((double)r.ended, 50.0);
    tw_sim_free(sim);
}

/* In each round the file is one of a few steps ago, so that its list is still in use. */
static void files_and_devices_have_the_same_bits(void **state)
{
    (void)state;
    tw_error error;
    tw_sim *sim = cloud("cpu"), *device = cloud("emulated");
    scene_run(sim, 600);
    scene_run(device, 600);
    for (int k = 0; k < 100; k++) {
        tw_sim *copy = scene_copy(sim), *other = NULL;
        if (k % 5 == 0) {
            other = scene_copy(device);
            assert_int_equal(tw_sim_set_device(other, "emulated", &error), TW_STATUS_OK);
        }
        for (int i = 0; i < 3; i++) {
            scene_run(sim, 3);
            scene_run(copy, 3);
            scene_run(device, 3);
            if (other) scene_run(other, 3);
            assert_int_equal(tw_sim_hash(sim), tw_sim_hash(copy));
            assert_int_equal(tw_sim_hash(sim), tw_sim_hash(device));
            if (other) assert_int_equal(tw_sim_hash(sim), tw_sim_hash(other));
        }
        tw_sim_free(copy);
        tw_sim_free(other);
    }
    tw_sim_free(sim);
    tw_sim_free(device);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_contact_remembers_that_it_has_begun),
        cmocka_unit_test(collisions_keep_the_balance_to_second_order),
        cmocka_unit_test(contacts_are_those_that_have_touched_and_not_parted),
        cmocka_unit_test(files_and_devices_have_the_same_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
