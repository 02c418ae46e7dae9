/* SPDX-License-Identifier: BSD-3-Clause */
/* Memories of contacts set from outside: tw_sim_set_contacts. */
#include "files.h"

#include <math.h>

#include "../must.h"
#include "lammps_scenes.h"

enum { CONTACTS_MAX = 1000 };

/* A copy whose contacts have lost their memories. */
static tw_sim *copy_without_memories(tw_sim *sim, const tw_contact_state *contacts, size_t count)
{
    static tw_contact_state bare[CONTACTS_MAX];
    tw_error error;
    assert_int_equal(tw_sim_save(sim, "copy.h5", &error), TW_STATUS_OK);
    tw_sim *copy = tw_sim_load("copy.h5", &error);
    assert_non_null(copy);
    for (size_t k = 0; k < count; k++) {
        bare[k] = contacts[k];
        bare[k].ft = tw_vec3_make(0, 0, 0);
        bare[k].force = tw_vec3_scale(-bare[k].fn, bare[k].n);
        bare[k].sliding = 0;
    }
    if (tw_sim_set_contacts(copy, bare, count, NULL, &error) != TW_STATUS_OK)
        fail_msg("%s", error.text);
    check_at_most(must_measure(copy).energy.tangential, 0.0);
    return copy;
}

static void expect_same_state(tw_sim *sim, tw_sim *copy, double tolerance)
{
    const tw_measure a = must_measure(sim), b = must_measure(copy);
    double most = 0.0;
    for (uint32_t id = 0; id < tw_sim_body_count(sim); id++)
        most = fmax(most, tw_vec3_norm(must_body(sim, id).force));
    for (uint32_t id = 0; id < tw_sim_body_count(sim); id++) {
        const tw_body_state p = must_body(sim, id), q = must_body(copy, id);
        check_at_most(tw_vec3_norm(tw_vec3_sub(p.force, q.force)), tolerance * most);
        check_at_most(tw_vec3_norm(tw_vec3_sub(p.torque, q.torque)), tolerance * most * 0.01);
    }
    for (size_t k = 0; k < tw_sim_wall_count(sim); k++)
        check_at_most(tw_vec3_norm(tw_vec3_sub(must_wall(sim, k).force, must_wall(copy, k).force)),
                      tolerance * most);
    for (int k = 0; k < 9; k++)
        check_at_most(fabs(a.stress.m[k] - b.stress.m[k]), tolerance * a.p);
    const double stored = a.energy.normal + a.energy.tangential;
    check_at_most(fabs(a.energy.tangential - b.energy.tangential), tolerance * stored);
    check_at_most(fabs(a.energy.residual - b.energy.residual), tolerance * stored);
    assert_int_equal(a.sliding, b.sliding);
}

/* Memories can be restored in any order and from either side: forces, stress, energy balance and
 * the steps that follow agree except for rounding. */
static void memories_of_contacts_can_be_restored(void **state)
{
    (void)state;
    static tw_contact_state contacts[CONTACTS_MAX];
    tw_error error;
    for (int i = 0; i < LAMMPS_SCENES; i++) {
        tw_sim *sim = lammps_scene_make(&lammps_scenes[i]);
        const size_t count = must_contacts(sim);
        must_get_contacts(sim, contacts);
        tw_sim *copy = copy_without_memories(sim, contacts, count);
        for (size_t k = 0; k < count; k += 3) { /* every third from the side of the other body */
            tw_contact_state *c = &contacts[k];
            const tw_contact_state d = *c;
            if (c->body_q == TW_NO_BODY) continue;
            c->body_p = d.body_q;
            c->body_q = d.body_p;
            c->member_p = d.member_q;
            c->member_q = d.member_p;
            c->n = tw_vec3_scale(-1.0, d.n);
            c->ft = tw_vec3_scale(-1.0, d.ft);
            c->force = tw_vec3_scale(-1.0, d.force);
            c->rate = tw_vec3_scale(-1.0, d.rate);
            c->couple = tw_vec3_scale(-1.0, d.couple); /* fr and mt stay */
        }
        const tw_contact_state first = contacts[0];
        contacts[0] = contacts[count - 1];
        contacts[count - 1] = first;
        if (tw_sim_set_contacts(copy, contacts, count, NULL, &error) != TW_STATUS_OK)
            fail_msg("%s", error.text);
        expect_same_state(sim, copy, 1e-12);
        assert_int_equal(tw_sim_run(sim, 20, &error), TW_STATUS_OK);
        assert_int_equal(tw_sim_run(copy, 20, &error), TW_STATUS_OK);
        expect_same_state(sim, copy, 1e-10);
        tw_sim_free(copy);
        tw_sim_free(sim);
    }
}

/* The wrong contact is named, and the simulation stays as it was. */
static void wrong_contacts_change_nothing(void **state)
{
    (void)state;
    enum { WRONG = 5 };
    static tw_contact_state contacts[CONTACTS_MAX];
    tw_sim *sim = lammps_scene_make(&lammps_scenes[LAMMPS_SCENES - 1]);
    const size_t count = must_contacts(sim);
    const uint64_t hash = tw_sim_hash(sim);
    must_get_contacts(sim, contacts);
    const tw_contact_state good = contacts[WRONG];
    tw_contact_state bad[8];
    for (size_t k = 0; k < 8; k++)
        bad[k] = good;
    bad[0].zeta *= 2.0;
    bad[1].n = tw_vec3_scale(-1.0, good.n);
    bad[2].n = tw_vec3_scale(1.01, good.n);
    bad[3].body_q = (uint32_t)tw_sim_body_count(sim);
    bad[4].member_p = 1;
    bad[5].body_q = TW_NO_BODY; /* there are no walls */
    bad[6].ft.x = nan("");
    bad[7] = contacts[WRONG - 1]; /* twice */
    for (size_t k = 0; k < 8; k++) {
        tw_error error;
        size_t wrong = 0;
        contacts[WRONG] = bad[k];
        assert_int_equal(tw_sim_set_contacts(sim, contacts, count, &wrong, &error),
                         TW_STATUS_INPUT);
        assert_int_equal(wrong, WRONG);
        assert_true(error.text[0] != '\0');
        assert_true(tw_sim_hash(sim) == hash);
    }
    tw_sim_free(sim);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(memories_of_contacts_can_be_restored),
        cmocka_unit_test(wrong_contacts_change_nothing),
    };
    return cmocka_run_group_tests(tests, files_enter, files_leave);
}
