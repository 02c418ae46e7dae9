/* SPDX-License-Identifier: BSD-3-Clause */
/* Memories that are given to contacts: tw_sim_set_contacts. */
#include "files.h"

#include <math.h>

#include "lammps_scenes.h"

enum { CONTACTS_MAX = 1000 };

/* A twin that has forgotten everything about its contacts but where they are. */
static tw_sim *forgetful_twin(tw_sim *sim, const tw_contact_state *contacts, size_t count)
{
    static tw_contact_state bare[CONTACTS_MAX];
    tw_error error;
    assert_int_equal(tw_sim_save(sim, "twin.h5", &error), TW_STATUS_OK);
    tw_sim *twin = tw_sim_load("twin.h5", &error);
    assert_non_null(twin);
    for (size_t k = 0; k < count; k++) {
        bare[k] = contacts[k];
        bare[k].ft = tw_vec3_make(0, 0, 0);
        bare[k].force = tw_vec3_scale(-bare[k].fn, bare[k].n);
        bare[k].sliding = 0;
    }
    if (tw_sim_set_contacts(twin, bare, count, NULL, &error) != TW_STATUS_OK)
        fail_msg("%s", error.text);
    check_at_most(tw_sim_measure(twin).energy.tangential, 0.0);
    return twin;
}

static void expect_same_state(tw_sim *sim, tw_sim *twin, double tolerance)
{
    const tw_measure a = tw_sim_measure(sim), b = tw_sim_measure(twin);
    double most = 0.0;
    for (uint32_t id = 0; id < tw_sim_bodies(sim); id++)
        most = fmax(most, tw_vec3_norm(tw_sim_body(sim, id).force));
    for (uint32_t id = 0; id < tw_sim_bodies(sim); id++) {
        const tw_body_state p = tw_sim_body(sim, id), q = tw_sim_body(twin, id);
        check_at_most(tw_vec3_norm(tw_vec3_sub(p.force, q.force)), tolerance * most);
        check_at_most(tw_vec3_norm(tw_vec3_sub(p.torque, q.torque)), tolerance * most * 0.01);
    }
    for (size_t k = 0; k < tw_sim_walls(sim); k++)
        check_at_most(
            tw_vec3_norm(tw_vec3_sub(tw_sim_wall(sim, k).force, tw_sim_wall(twin, k).force)),
            tolerance * most);
    for (int k = 0; k < 9; k++)
        check_at_most(fabs(a.stress.m[k] - b.stress.m[k]), tolerance * a.p);
    const double stored = a.energy.normal + a.energy.tangential;
    check_at_most(fabs(a.energy.tangential - b.energy.tangential), tolerance * stored);
    check_at_most(fabs(a.energy.residual - b.energy.residual), tolerance * stored);
    assert_int_equal(a.sliding, b.sliding);
}

/* What contacts have forgotten can be given back to them, in any order and from either side: walls,
 * stress, books and the steps that follow know no difference but rounding. */
static void contacts_remember_what_they_are_told(void **state)
{
    (void)state;
    static tw_contact_state contacts[CONTACTS_MAX];
    tw_error error;
    for (int i = 0; i < LAMMPS_SCENES; i++) {
        tw_sim *sim = lammps_scene_make(&lammps_scenes[i]);
        const size_t count = tw_sim_contacts(sim);
        tw_sim_get_contacts(sim, contacts);
        tw_sim *twin = forgetful_twin(sim, contacts, count);
        for (size_t k = 0; k < count; k += 3) { /* every third as the other body sees it */
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
        }
        const tw_contact_state first = contacts[0];
        contacts[0] = contacts[count - 1];
        contacts[count - 1] = first;
        if (tw_sim_set_contacts(twin, contacts, count, NULL, &error) != TW_STATUS_OK)
            fail_msg("%s", error.text);
        expect_same_state(sim, twin, 1e-12);
        assert_int_equal(tw_sim_run(sim, 20, &error), TW_STATUS_OK);
        assert_int_equal(tw_sim_run(twin, 20, &error), TW_STATUS_OK);
        expect_same_state(sim, twin, 1e-10);
        tw_sim_free(twin);
        tw_sim_free(sim);
    }
}

/* Each of these is refused as the contact it is, and the simulation does not notice. */
static void wrong_contacts_change_nothing(void **state)
{
    (void)state;
    enum { WRONG = 5 };
    static tw_contact_state contacts[CONTACTS_MAX];
    tw_sim *sim = lammps_scene_make(&lammps_scenes[LAMMPS_SCENES - 1]);
    const size_t count = tw_sim_contacts(sim);
    const uint64_t hash = tw_sim_hash(sim);
    tw_sim_get_contacts(sim, contacts);
    const tw_contact_state good = contacts[WRONG];
    tw_contact_state bad[8];
    for (size_t k = 0; k < 8; k++)
        bad[k] = good;
    bad[0].zeta *= 2.0;
    bad[1].n = tw_vec3_scale(-1.0, good.n);
    bad[2].n = tw_vec3_scale(1.01, good.n);
    bad[3].body_q = (uint32_t)tw_sim_bodies(sim);
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
        cmocka_unit_test(contacts_remember_what_they_are_told),
        cmocka_unit_test(wrong_contacts_change_nothing),
    };
    return cmocka_run_group_tests(tests, files_enter, files_leave);
}
