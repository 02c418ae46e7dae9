/* SPDX-License-Identifier: BSD-3-Clause */
/* Compares the stiffness used by the servo with the stress change in one step of affine strain of a
 * packing of clusters, whose branch vectors are not along the contact normals. */
#include "packing.h"

#include <stdlib.h>

#include "../must.h"
#include "control/stiffness.h"
#include "sim/sim_internal.h"

static const double strain = 1e-9; /* less than the overlap of the lightest contact */

static void stress_of(tw_sim *sim, double out[TW_COMPONENTS])
{
    const tw_mat3 s = must_measure(sim).stress;
    out[TW_XX] = s.m[0];
    out[TW_YY] = s.m[4];
    out[TW_ZZ] = s.m[8];
    out[TW_YZ] = 0.5 * (s.m[5] + s.m[7]);
    out[TW_XZ] = 0.5 * (s.m[2] + s.m[6]);
    out[TW_XY] = 0.5 * (s.m[1] + s.m[3]);
}

/* Stress after one step with this strain of one component; no strain if the component is -1. */
static void strained(const tw_sim *from, int component, double out[TW_COMPONENTS])
{
    static const int at[TW_COMPONENTS][2] = {{0, 0}, {4, 4}, {8, 8}, {5, 7}, {2, 6}, {1, 3}};
    tw_sim *sim = scene_copy(from);
    tw_mat3 gradient = tensor_zero();
    const double rate = strain / tw_sim_dt(sim);
    if (component >= 0) {
        gradient.m[at[component][0]] += 0.5 * rate;
        gradient.m[at[component][1]] += 0.5 * rate;
    }
    tw_sim_set_velocity_gradient(sim, &gradient);
    scene_run(sim, 1);
    stress_of(sim, out);
    assert_int_equal(sim->state.sums.contacts, from->state.sums.contacts);
    assert_int_equal(sim->state.sums.sliding, from->state.sums.sliding);
    tw_sim_free(sim);
}

/* Grains are not exactly at rest: runs to a state whose contacts do not change in a step. */
static void find_calm(tw_sim *sim)
{
    for (int k = 0; k < 100; k++) {
        tw_sim *copy = scene_copy(sim);
        const tw_sums before = sim->state.sums;
        scene_run(copy, 1);
        const int calm = copy->state.sums.contacts == before.contacts &&
                         copy->state.sums.sliding == before.sliding;
        tw_sim_free(copy);
        if (calm) return;
        scene_run(sim, 1);
    }
}

/* The change of geometry under existing forces contributes some p, a few thousandths of the
 * stiffness for overlaps of a thousandth of the size. In thirty packings it was at most 2.3 p. */
/* `coupling`: a bound of what else is left out [Pa]. */
static void check(tw_sim *sim, const char *name, double coupling)
{
    find_calm(sim);
    const double dt = tw_sim_dt(sim);
    tw_stiffness stiffness = {.made = 0};
    tw_stiffness_refresh(&stiffness, &sim->model, &sim->state, &sim->schedule);
    const tw_stiffness_response response =
        tw_stiffness_respond(&stiffness, &sim->model, &sim->state);
    double still[TW_COMPONENTS], worst = 0.0, size = 0.0;
    strained(sim, -1, still);
    for (int j = 0; j < TW_COMPONENTS; j++) {
        double now[TW_COMPONENTS];
        strained(sim, j, now);
        for (int i = 0; i < TW_COMPONENTS; i++) {
            const double found = (still[i] - now[i]) / strain;
            const double right = response.elastic[i][j] + response.viscous[i][j] / dt;
            worst = support_most(worst, fabs(found - right));
            size = support_most(size, fabs(right));
        }
    }
    print_message("%s: largest entry %.3e Pa, off by %.1e of it\n", name, size, worst / size);
    expect_at_most(worst, 5.0 * must_measure(sim).p + coupling);
}

static void the_affine_stiffness_agrees_with_one_step(void **state)
{
    (void)state;
    packing_def def = packing_def_default();
    def.side = 3;
    tw_sim *sim = packing_make(&def);
    tw_error error = {TW_STATUS_OK, ""};
    tw_contact_law law = packing_law();
    tw_sim_set_threads(sim, 1);
    law.kt = 0.6 * law.kn;
    law.mu = 1e6; /* nothing slides, even under the lightest load */
    scene_set_law(sim, &law);
    scene_run(sim, 1);
    check(sim, "springs", 0.0);
    law.nu_n = law.nu_t = 0.5 * law.kn * tw_sim_dt(sim);
    scene_set_law(sim, &law);
    assert_int_equal(tw_sim_set_dt(sim, 0.2 * tw_sim_dt(sim), 0, &error), TW_STATUS_OK);
    scene_run(sim, 1);
    check(sim, "springs and dashpots", 0.0);
    law.mu = 0.0; /* everything slides */
    scene_set_law(sim, &law);
    scene_run(sim, 1);
    check(sim, "without friction", 0.0);
    tw_sim_free(sim);
}

/* The stiffness of the engine has no coupling of tangential forces with overlaps: as a Hertz
 * contact opens, its tangential force shrinks by ft/(2 zeta) per overlap. In a strain e the overlap
 * of a branch l changes by at most e l, and the force ft acts on the stress by ft l/V. A sum of
 * signs that is far below this bound, but depends on the packing. */
static double coupling_of(tw_sim *sim)
{
    tw_error error = {TW_STATUS_OK, ""};
    size_t count = 0;
    assert_int_equal(tw_sim_contact_count(sim, &count, &error), TW_STATUS_OK);
    tw_contact_state *contacts = malloc((count + 1) * sizeof *contacts);
    assert_non_null(contacts);
    assert_int_equal(tw_sim_get_contacts(sim, contacts, count, &error), TW_STATUS_OK);
    double sum = 0.0;
    for (size_t k = 0; k < count; k++) {
        const double l2 = tw_vec3_dot(contacts[k].branch, contacts[k].branch);
        sum += l2 * tw_vec3_norm(contacts[k].ft) / (2.0 * contacts[k].zeta);
    }
    free(contacts);
    return sum / tw_mat3_det(sim->state.cell.h);
}

/* Hertz springs as stiff as the linear ones at the mean overlap take their place. The stiffness
 * that the servo has is that of the new contacts at once. */
static void the_stiffness_is_that_of_the_present_laws(void **state)
{
    (void)state;
    packing_def def = packing_def_default();
    def.side = 3;
    tw_sim *sim = packing_make(&def);
    tw_error error = {TW_STATUS_OK, ""};
    tw_contact_law law = packing_law();
    tw_control control = tw_control_default();
    for (int k = TW_XX; k <= TW_ZZ; k++)
        control.row[k] = tw_control_stress(k, must_measure(sim).p);
    law.mu = 1e6;
    scene_set_law(sim, &law);
    assert_int_equal(tw_sim_set_control(sim, &control, &error), TW_STATUS_OK);
    scene_run(sim, 2);
    assert_int_equal(sim->servo.stiffness.made, 1);
    law.normal = TW_CONTACT_HERTZ;
    law.kn /= sqrt(must_measure(sim).overlap_mean);
    law.kt = 0.6 * law.kn;
    scene_set_law(sim, &law);
    assert_int_equal(sim->servo.stiffness.made, 0);
    tw_sim_set_velocity_gradient(sim, &(tw_mat3){{0.0}});
    scene_run(sim, 1);
    check(sim, "Hertz", coupling_of(sim));
    tw_sim_free(sim);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_affine_stiffness_agrees_with_one_step),
                                       cmocka_unit_test(the_stiffness_is_that_of_the_present_laws)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
