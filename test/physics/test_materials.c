/* SPDX-License-Identifier: BSD-3-Clause */
/* Materials in the engine: laws of pairs, changes of laws, contacts given back, and the step of
 * Hertz contacts. */
#include "../must.h"
#include "packing.h"

#include <stdlib.h>
#include <string.h>

#include <twirl/contact_law.h>

static const double r = 1e-2;

static tw_contact_law hertz_law(double k)
{
    tw_contact_law law = support_law(k, 0.8 * k, 0.4);
    law.normal = TW_CONTACT_HERTZ;
    law.flags = TW_CONTACT_BY_RADIUS;
    law.k_r = law.k_w = 0.5 * law.kt;
    law.mu_r = 0.2;
    law.mu_w = 0.1;
    law.nu_n = law.nu_t = law.nu_r = 1.0;
    return law;
}

/* A row of spheres of three materials in contact, which spin and slide. */
static tw_sim *row(void)
{
    tw_error error;
    tw_sim_def def = tw_sim_def_default();
    def.cell = tensor_diagonal(0.1, 0.1, 0.1);
    def.law = hertz_law(1e8);
    def.dt = 5e-6; /* not automatic: another step would change the kinetic energy of half a step */
    def.threads = 1;
    def.periodic[2] = 0; /* room for a wall */
    tw_sim *sim = scene_create(&def);
    assert_int_equal(tw_sim_add_material(sim, "steel", 7800.0, NULL, &error), TW_STATUS_OK);
    assert_int_equal(tw_sim_add_material(sim, "wood", 700.0, NULL, &error), TW_STATUS_OK);
    for (int i = 0; i < 5; i++) {
        tw_body_def body =
            scene_sphere(r, tw_vec3_make(0.0199 * i, 0.001 * (i % 2), 0.0),
                         tw_vec3_make(0.0, 0.1 * i, 0.02), tw_vec3_make(5.0 * i, -20.0, 30.0 - i));
        body.material = (uint32_t)(i % 3);
        scene_add(sim, &body);
    }
    return sim;
}

static void materials_have_names_and_densities(void **state)
{
    (void)state;
    tw_error error;
    uint32_t number = 9;
    tw_sim *sim = row();
    assert_int_equal(tw_sim_material_count(sim), 3);
    assert_string_equal(tw_sim_material_name(sim, 0), "grains");
    assert_string_equal(tw_sim_material_name(sim, 2), "wood");
    assert_null(tw_sim_material_name(sim, 3));
    assert_true(tw_sim_material_density(sim, 1) == 7800.0);
    const double mass = must_body(sim, 1).mass;
    expect_at_most(fabs(mass / (7800.0 * 4.0 / 3.0 * SUPPORT_PI * r * r * r) - 1.0), 1e-14);
    assert_int_equal(tw_sim_add_material(sim, "wood", 1.0, NULL, &error), TW_STATUS_INPUT);
    assert_non_null(strstr(error.text, "of this name"));
    assert_int_equal(tw_sim_add_material(sim, "x", -1.0, NULL, &error), TW_STATUS_INPUT);
    assert_int_equal(tw_sim_add_material(sim, "x", 1.0, &number, &error), TW_STATUS_OK);
    assert_int_equal(number, 3);
    tw_contact_law law = support_law(1e5, 1e5, 0.1);
    assert_int_equal(tw_sim_set_pair_law(sim, 0, 4, &law, &error), TW_STATUS_INPUT);
    law.kind = TW_CONTACT_PAPER;
    assert_int_equal(tw_sim_set_pair_law(sim, 0, 1, &law, &error), TW_STATUS_INPUT);
    assert_non_null(strstr(error.text, "grains and steel: all laws must have the same kind"));
    assert_int_equal(tw_sim_set_body_material(sim, 0, 4, &error), TW_STATUS_INPUT);
    tw_sim_free(sim);
}

/* A stiffer pair: only its contacts change, the stored energy is that of the contacts, and the
 * change is not work. */
static void a_change_of_one_law_changes_its_contacts_alone(void **state)
{
    (void)state;
    tw_error error;
    tw_sim *sim = row();
    scene_run(sim, 20);
    size_t count, again;
    tw_contact_state *before = scene_contacts(sim, &count);
    const tw_energy old = must_measure(sim).energy;
    const tw_contact_law law = hertz_law(3e8);
    assert_int_equal(tw_sim_set_pair_law(sim, 1, 2, &law, &error), TW_STATUS_OK);
    const tw_energy now = must_measure(sim).energy;
    tw_contact_state *after = scene_contacts(sim, &again);
    assert_int_equal(count, again);
    double stored = 0.0;
    size_t changed = 0;
    for (size_t k = 0; k < count; k++) {
        const uint32_t a = before[k].body_p % 3, b = before[k].body_q % 3;
        const double factor = a + b == 3 ? 3.0 : 1.0;
        changed += factor > 1.0;
        expect_at_most(fabs(after[k].fn / (factor * before[k].fn) - 1.0), 1e-14);
        stored += 0.4 * after[k].fn * after[k].zeta;
    }
    assert_true(changed > 0 && changed < count);
    expect_at_most(fabs(now.normal / stored - 1.0), 1e-13);
    assert_true(now.stored_rolling > 0.0 && now.stored_rolling < old.stored_rolling);
    expect_at_most(fabs(now.residual - old.residual), 1e-14 * now.normal);
    free(before);
    free(after);
    tw_sim_free(sim);
}

/* A law loses rolling, twisting or damping while that of other pairs has it: the parts of its
 * contacts are zero then, those of other contacts stay, and stored energies follow. */
static void what_a_law_no_longer_needs_is_forgotten(void **state)
{
    (void)state;
    tw_error error;
    tw_sim *sim = row();
    scene_run(sim, 20);
    size_t count;
    tw_contact_law law = hertz_law(1e8);
    law.mu_r = law.nu_n = law.nu_t = law.nu_r = 0.0;
    tw_contact_state *before = scene_contacts(sim, &count), *after;
    const double old = must_measure(sim).energy.residual;
    must_succeed(tw_sim_set_pair_law(sim, 1, 2, &law, &error), &error);
    after = scene_contacts(sim, &count);
    double lost = 0.0, kept = 0.0;
    for (size_t k = 0; k < count; k++) {
        const int own = before[k].body_p % 3 + before[k].body_q % 3 == 3 &&
                        before[k].body_p % 3 != 0 && before[k].body_q % 3 != 0;
        if (own) {
            lost += tw_vec3_norm(before[k].fr) * tw_vec3_norm(before[k].rate);
            expect_at_most(tw_vec3_norm(after[k].fr) + tw_vec3_norm(after[k].rate), 0.0);
            expect_at_most(tw_vec3_norm(after[k].rate_r), 0.0);
            const tw_vec3 springs = tw_vec3_add_scaled(after[k].ft, -after[k].fn, after[k].n);
            expect_at_most(support_distance(after[k].force, springs), 1e-12 * after[k].fn);
        } else {
            kept += tw_vec3_norm(after[k].fr) * tw_vec3_norm(after[k].rate);
            assert_memory_equal(&before[k], &after[k], sizeof after[k]);
        }
    }
    assert_true(lost > 0.0 && kept > 0.0);
    const tw_energy now = must_measure(sim).energy;
    expect_at_most(fabs(now.residual - old), 1e-14 * now.normal);
    free(before);
    free(after);
    tw_sim_free(sim);
}

/* By brute force from the contacts, a wall among them: counts exactly, stresses up to rounding. */
static void pairs_are_sums_over_their_contacts(void **state)
{
    (void)state;
    enum { PAIRS = 6 };
    tw_sim *sim = row();
    tw_wall_def wall = tw_wall_def_default();
    wall.normal = tw_vec3_make(0.0, 0.0, 1.0);
    wall.point = tw_vec3_make(0.0, 0.0, -0.999 * r);
    wall.material = 1;
    (void)must_add_wall(sim, &wall);
    scene_run(sim, 20);
    size_t count, all, walls = 0, counts[PAIRS] = {0}, sliding[PAIRS] = {0}, slid = 0;
    tw_sim_pair_measure found[PAIRS + 1];
    double stress[PAIRS + 1][9] = {{0.0}};
    tw_contact_state *contacts = scene_contacts(sim, &count);
    for (size_t k = 0; k < count; k++) {
        static const int place[3][3] = {{0, 1, 2}, {1, 3, 4}, {2, 4, 5}};
        const tw_contact_state *c = &contacts[k];
        const int pair = place[c->body_p % 3][c->body_q == TW_NO_BODY ? 1 : c->body_q % 3];
        const double *b = &c->branch.x, *f = &c->force.x;
        walls += c->body_q == TW_NO_BODY;
        counts[pair]++;
        sliding[pair] += c->sliding != 0;
        for (int i = 0; i < 9; i++) {
            const double part = -0.5 * (b[i / 3] * f[i % 3] + f[i / 3] * b[i % 3]);
            stress[pair][i] += part;
            stress[PAIRS][i] += part;
        }
    }
    const tw_measure m = must_measure(sim);
    must_succeed(tw_sim_measure_pairs(sim, found, PAIRS + 1, &all, NULL), NULL);
    assert_int_equal(tw_sim_measure_pairs(sim, found, 2, NULL, NULL), TW_STATUS_INPUT);
    assert_int_equal(all, PAIRS);
    const double *total = stress[PAIRS], p = (total[0] + total[4] + total[8]) / 3.0;
    double square = 0.0;
    for (int i = 0; i < 9; i++)
        square += total[i] * (total[i] - (i % 4 == 0 ? p : 0.0));
    for (int k = 0; k < PAIRS; k++) {
        double product = 0.0;
        for (int i = 0; i < 9; i++)
            product += stress[k][i] * (total[i] - (i % 4 == 0 ? p : 0.0));
        assert_int_equal(found[k].contacts, counts[k]);
        assert_int_equal(found[k].sliding, sliding[k]);
        slid += sliding[k];
        /* rounding of sums of a few contacts */
        expect_at_most(
            fabs(found[k].share_p - (stress[k][0] + stress[k][4] + stress[k][8]) / 3.0 / p), 1e-13);
        expect_at_most(fabs(found[k].share_q - product / square), 1e-13);
    }
    assert_true(walls > 0 && walls < count && slid > 0 && slid == m.sliding);
    assert_true(counts[1] > 0 && counts[2] > 0 && counts[4] > 0);
    free(contacts);
    tw_sim_free(sim);
}

/* Laws, and a material for which the given step is too large: after the refusal the simulation
 * goes on as one that was not asked. */
static void what_is_refused_changes_nothing(void **state)
{
    (void)state;
    tw_error error;
    tw_sim *sim = row(), *other = row();
    tw_contact_law laws[9];
    scene_run(sim, 20);
    scene_run(other, 20);
    for (uint32_t k = 0; k < 9; k++)
        assert_int_equal(tw_sim_get_pair_law(sim, k / 3, k % 3, &laws[k], &error), TW_STATUS_OK);
    laws[1].mu = 0.3;
    assert_int_equal(tw_sim_set_laws(sim, laws, 9, &error), TW_STATUS_INPUT);
    assert_non_null(
        strstr(error.text, "law of grains and steel: not the same as that of steel and grains"));
    laws[3].mu = 0.3;
    laws[8].refine = TW_CONTACT_FRESH;
    assert_int_equal(tw_sim_set_laws(sim, laws, 9, &error), TW_STATUS_INPUT);
    assert_non_null(
        strstr(error.text, "law of wood and wood: all laws must have the same refinements"));
    tw_contact_law stiff = hertz_law(1e16);
    assert_int_not_equal(tw_sim_set_pair_law(sim, 0, 1, &stiff, &error), TW_STATUS_OK);
    assert_non_null(strstr(error.text, "dt"));
    /* The law of wood on wood has no contact yet: the step is checked when a body becomes wood. */
    assert_int_equal(tw_sim_set_pair_law(sim, 2, 2, &stiff, &error), TW_STATUS_OK);
    assert_int_equal(tw_sim_set_pair_law(other, 2, 2, &stiff, &error), TW_STATUS_OK);
    assert_int_not_equal(tw_sim_set_body_material(sim, 1, 2, &error), TW_STATUS_OK);
    assert_int_equal(must_body(sim, 1).material, 1);
    assert_int_equal(tw_sim_set_body_material(sim, 99, 2, &error), TW_STATUS_INPUT);
    scene_run(sim, 50);
    scene_run(other, 50);
    assert_true(tw_sim_hash(sim) == tw_sim_hash(other));
    tw_sim_free(sim);
    tw_sim_free(other);
}

/* Contacts read and given back: forces and torques of the bodies stay. */
static void contacts_given_back_change_nothing(void **state)
{
    (void)state;
    tw_error error;
    tw_sim *sim = row();
    scene_run(sim, 20);
    tw_body_state before[5];
    for (uint32_t i = 0; i < 5; i++)
        before[i] = must_body(sim, i);
    size_t count;
    double couple = 0.0;
    tw_contact_state *contacts = scene_contacts(sim, &count);
    for (size_t k = 0; k < count; k++)
        couple = fmax(couple, tw_vec3_norm(contacts[k].couple));
    assert_true(couple > 1e-6);
    assert_int_equal(tw_sim_set_contacts(sim, contacts, count, NULL, &error), TW_STATUS_OK);
    for (uint32_t i = 0; i < 5; i++) {
        const tw_body_state b = must_body(sim, i);
        expect_at_most(support_distance(b.force, before[i].force), 1e-12);
        expect_at_most(support_distance(b.torque, before[i].torque), 1e-14);
    }
    contacts[0].fr = contacts[0].n; /* not tangential */
    assert_int_equal(tw_sim_set_contacts(sim, contacts, count, NULL, &error), TW_STATUS_INPUT);
    free(contacts);
    tw_sim_free(sim);
}

/* What follows from a law that cannot turn tangential forces into the contact plane, and from one
 * without tangential springs. */
static void contacts_given_back_have_what_their_law_keeps(void **state)
{
    (void)state;
    tw_error error;
    packing_def wanted = packing_def_default();
    const tw_mat3 gradient = packing_shear(packing_slow_rate());
    for (int way = 0; way < 3; way++) { /* springs; none; none, and nothing is given back */
        size_t count, wrong = 0;
        tw_sim *sim = packing_make(&wanted);
        tw_contact_law law = packing_law();
        law.refine &= ~(uint32_t)TW_CONTACT_TILT;
        scene_set_law(sim, &law);
        tw_sim_set_velocity_gradient(sim, &gradient);
        scene_run(sim, 2000);
        if (way > 0) law.kt = 0.0;
        tw_contact_state *given = scene_contacts(sim, &count);
        scene_set_law(sim, &law);
        const tw_energy before = must_measure(sim).energy;
        double tilted = 0.0, left = 0.0;
        for (size_t k = 0; k < count; k++)
            tilted = fmax(tilted, fabs(tw_vec3_dot(given[k].ft, given[k].n)) /
                                      (tw_vec3_norm(given[k].ft) + 1e-300));
        assert_true(tilted > 1e-4); /* the case occurs */
        if (way < 2) must_succeed(tw_sim_set_contacts(sim, given, count, &wrong, &error), &error);
        free(given);
        given = scene_contacts(sim, &count);
        for (size_t k = 0; k < count; k++)
            left = fmax(left, tw_vec3_norm(given[k].ft));
        free(given);
        assert_true(way == 0 ? left > 1e-3 : left == 0.0);
        const tw_energy after = must_measure(sim).energy;
        const double scale = before.normal + before.friction;
        print_message("tilted %.1e, left %.1e N, residual %.1e, %.1e of %.1e J\n", tilted, left,
                      before.residual, after.residual, scale);
        expect_at_most(fabs(after.residual - before.residual), 1e-12 * scale);
        scene_run(sim, 1000);
        /* Forces that stay would push grains along: 0.1 of the scale. */
        expect_at_most(fabs(must_measure(sim).energy.residual - after.residual), 1e-2 * scale);
        tw_sim_free(sim);
    }
}

/* Velocities of half a step ago stay, so those of the present time change by half a kick of the
 * forces that are new, unless they are set after the contacts. */
static void velocities_are_set_after_contacts(void **state)
{
    (void)state;
    const tw_vec3 none = {0.0, 0.0, 0.0};
    const double force = 3.0;
    tw_error error;
    tw_sim_def def = tw_sim_def_default();
    def.law.kn = def.law.kt = 1e6;
    def.law.mu = 0.5;
    def.threads = 1;
    tw_sim *sim = scene_create(&def);
    const tw_vec3 at = {0.5, 0.5, 0.5}, above = {0.5, 0.5, 0.5 + 1.9 * r};
    for (int i = 0; i < 2; i++) {
        const tw_body_def body = scene_sphere(r, i ? above : at, none, none);
        scene_add(sim, &body);
    }
    assert_int_equal(tw_sim_prepare(sim, &error), TW_STATUS_OK);
    size_t count;
    tw_contact_state *contacts = scene_contacts(sim, &count);
    assert_int_equal(count, 1);
    contacts[0].ft = tw_vec3_make(force, 0.0, 0.0);
    contacts[0].force = tw_vec3_add(contacts[0].force, contacts[0].ft);
    assert_int_equal(tw_sim_set_contacts(sim, contacts, count, NULL, &error), TW_STATUS_OK);
    const uint32_t p = contacts[0].body_p;
    const tw_body_state moving = must_body(sim, p);
    const double kick = 0.5 * tw_sim_dt(sim) * force / moving.mass;
    expect_at_most(fabs(moving.v.x - kick), 1e-12 * kick);
    expect_at_most(fabs(moving.v.y) + fabs(moving.v.z), 1e-12 * kick);
    for (uint32_t i = 0; i < 2; i++)
        assert_int_equal(tw_sim_set_body_velocity(sim, i, none, none, &error), TW_STATUS_OK);
    const tw_body_state still = must_body(sim, p);
    expect_at_most(tw_vec3_norm(still.v), 1e-12 * kick);
    expect_at_most(fabs(still.v_half.x + kick), 1e-12 * kick);
    free(contacts);
    tw_sim_free(sim);
}

/* A sphere falls on another: an automatic step is short enough for the collision before it begins,
 * and stays below the stable step as the contact stiffens. */
static void the_step_follows_hertz_contacts_as_they_stiffen(void **state)
{
    (void)state;
    const tw_vec3 none = {0.0, 0.0, 0.0};
    tw_sim_def def = tw_sim_def_default();
    def.law = hertz_law(1e9);
    def.law.nu_n = def.law.nu_t = def.law.nu_r = 0.0;
    def.threads = 1;
    tw_sim *sim = scene_create(&def);
    tw_body_def body = scene_sphere(r, tw_vec3_make(0.5, 0.5, 0.5), none, none);
    body.fixed = 1;
    scene_add(sim, &body);
    body = scene_sphere(r, tw_vec3_make(0.5, 0.5, 0.5203), tw_vec3_make(0.0, 0.0, -5.0), none);
    scene_add(sim, &body);
    scene_run(sim, 0);
    const double first = tw_sim_dt(sim), start = must_measure(sim).energy.kinetic;
    size_t touched = 0;
    for (int i = 0; i < 3000 && must_body(sim, 1).v.z < 4.9; i++) {
        scene_run(sim, 1);
        touched += must_contacts(sim);
        expect_at_most(tw_sim_dt(sim), must_stable_step(sim).dt);
    }
    assert_true(touched > 5);
    expect_at_most(tw_sim_dt(sim), first);
    expect_at_most(fabs(must_measure(sim).energy.kinetic / start - 1.0), 2e-2);
    tw_sim_free(sim);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(materials_have_names_and_densities),
        cmocka_unit_test(a_change_of_one_law_changes_its_contacts_alone),
        cmocka_unit_test(what_a_law_no_longer_needs_is_forgotten),
        cmocka_unit_test(pairs_are_sums_over_their_contacts),
        cmocka_unit_test(what_is_refused_changes_nothing),
        cmocka_unit_test(contacts_given_back_change_nothing),
        cmocka_unit_test(contacts_given_back_have_what_their_law_keeps),
        cmocka_unit_test(velocities_are_set_after_contacts),
        cmocka_unit_test(the_step_follows_hertz_contacts_as_they_stiffen),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
