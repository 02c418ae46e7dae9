/* SPDX-License-Identifier: BSD-3-Clause */
/* States brought to equilibrium and increments: forces by the engine, a state that was disturbed
 * comes back, and dynamics that settle, or load slowly, end in the same. */
#include "lattice.h"
#include "packing.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <twirl/statics.h>

#include "base/quat.h"
#include "must.h"
#include "probe/probe.h"

enum { SIX = TW_COMPONENTS };

static tw_sim *make(int bumpy, int settled)
{
    packing_def def = packing_def_default();
    def.bumpy = bumpy;
    def.side = 4;
    tw_sim *sim = packing_make(&def);
    const tw_mat3 rate = packing_shear(packing_slow_rate()), still = {{0.0}};
    tw_sim_set_velocity_gradient(sim, &rate);
    scene_set_damping(sim, 0.0, 0.0, 0.5);
    scene_run(sim, 3000);
    if (settled) {
        tw_sim_set_velocity_gradient(sim, &still);
        scene_run(sim, 30000);
    }
    return sim;
}

static tw_sim *increase(tw_sim *from, int by_stress, const double *change, size_t parts,
                        tw_statics_increment *out)
{
    tw_error error;
    tw_statics_increment_def def = tw_statics_increment_def_default();
    def.by_stress = by_stress;
    def.parts = parts;
    if (change) memcpy(def.change, change, sizeof def.change);
    tw_sim *end = tw_statics_increase(from, &def, out, &error);
    must_succeed(end ? TW_STATUS_OK : error.status, &error);
    print_message("%s %g: fraction %g, residual %.1e, %zu iterations, %zu snaps, moved %.1e m\n",
                  by_stress ? "stress" : "strain", change ? change[2] : 0.0, out->fraction,
                  out->residual, out->iterations, out->snaps, out->moved);
    return end;
}

static double worst_force(tw_sim *sim)
{
    tw_error error;
    const size_t bodies = tw_sim_body_count(sim);
    tw_body_state *body = calloc(bodies, sizeof *body);
    double most = 0.0;
    must_succeed(tw_sim_get_bodies(sim, body, bodies, &error), &error);
    for (size_t i = 0; i < bodies; i++) {
        most = support_most(most, tw_vec3_norm(body[i].force));
        most = support_most(most, tw_vec3_norm(body[i].torque) / body[i].size);
    }
    free(body);
    return most / must_measure(sim).force_mean;
}

static double stress_of(const tw_measure *m, int k)
{
    static const int at[SIX][2] = {{0, 0}, {4, 4}, {8, 8}, {5, 7}, {2, 6}, {1, 3}};
    return 0.5 * (m->stress.m[at[k][0]] + m->stress.m[at[k][1]]);
}

/* A state saved in loading, with damping: the engine finds no force on any body afterwards, and
 * nothing moves when it goes on. */
static void a_state_in_loading_comes_to_rest(void **context)
{
    (void)context;
    for (int bumpy = 0; bumpy < 2; bumpy++) {
        tw_statics_increment how;
        tw_sim *sim = make(bumpy, 0);
        assert_true(worst_force(sim) > 1e-4);
        tw_sim *still = increase(sim, 0, NULL, 1, &how);
        assert_int_equal(how.reached, 1);
        /* The tolerance, 1e-10, is of the root mean square. */
        expect_at_most(worst_force(still), 1e-8);
        expect_at_most(fabs(how.residual - worst_force(still)), 1e-8);
        const tw_measure before = must_measure(still), start = must_measure(sim);
        for (int k = 0; k < SIX; k++)
            expect_at_most(fabs(stress_of(&before, k) - stress_of(&start, k) - how.stress[k]),
                           0.1 * start.p); /* damping was a part of the stress */
        scene_run(still, 1000);
        const tw_measure after = must_measure(still);
        for (int k = 0; k < SIX; k++)
            expect_at_most(fabs(stress_of(&after, k) - stress_of(&before, k)), 1e-6 * start.p);
        tw_sim_free(still);
        tw_sim_free(sim);
    }
}

/* With less friction than it was made with a state has no equilibrium near: it moves until there is
 * one, which is that of the engine and within the new limits. */
static void a_state_that_gives_way_comes_to_rest(void **context)
{
    (void)context;
    tw_error error;
    tw_contact_law law;
    tw_statics_increment how;
    tw_sim *sim = make(0, 0);
    must_succeed(tw_sim_get_pair_law(sim, 0, 0, &law, &error), &error);
    law.mu *= 0.2;
    must_succeed(tw_sim_set_laws(sim, &law, 1, &error), &error);
    const tw_mat3 cell = tw_sim_cell(sim);
    tw_sim *still = increase(sim, 0, NULL, 1, &how);
    const tw_mat3 after = tw_sim_cell(still);
    assert_int_equal(how.reached, 1);
    assert_true(how.moved > must_measure(sim).overlap_mean);
    assert_memory_equal(&after, &cell, sizeof cell);
    expect_at_most(worst_force(still), 1e-8);
    const tw_measure before = must_measure(still);
    scene_run(still, 1000);
    const tw_measure later = must_measure(still);
    for (int k = 0; k < SIX; k++)
        expect_at_most(fabs(stress_of(&later, k) - stress_of(&before, k)), 1e-6 * before.p);
    size_t count;
    must_succeed(tw_sim_contact_count(still, &count, &error), &error);
    tw_contact_state *contact = calloc(count, sizeof *contact);
    must_succeed(tw_sim_get_contacts(still, contact, count, &error), &error);
    for (size_t k = 0; k < count; k++)
        assert_true(tw_vec3_norm(contact[k].ft) <=
                    (1.0 + 1e-12) * law.mu * law.kn * contact[k].zeta);
    free(contact);
    tw_sim_free(still);
    tw_sim_free(sim);
}

/* What is at rest does not move, in any orientation; a small push is undone. */
static void a_disturbed_state_comes_back(void **context)
{
    (void)context;
    tw_error error;
    tw_statics_increment how;
    tw_sim *sim = make(0, 1), *still = increase(sim, 0, NULL, 1, &how);
    assert_int_equal(how.reached, 1);
    const size_t bodies = tw_sim_body_count(sim);
    const tw_measure m = must_measure(still);
    tw_sim *turned = tw_sim_copy(still, &error);
    must_succeed(tw_sim_rotate(turned, tw_vec3_make(0.3, -0.2, 0.1), 100, &error), &error);
    tw_sim *same = increase(turned, 0, NULL, 1, &how);
    assert_int_equal(how.reached, 1);
    expect_at_most(how.moved, 1e-6 * m.overlap_mean);
    /* Well below the distance to the friction limits of a settled state. */
    double *moves = calloc(6 * bodies, sizeof *moves);
    const tw_mat3 none = {{0.0}};
    for (size_t i = 0; i < 6 * bodies; i++)
        moves[i] = i % 6 < 3 ? 1e-7 * m.overlap_mean * sin(1.3 * (double)i) : 0.0;
    tw_sim *pushed = tw_sim_copy(still, &error);
    must_succeed(tw_sim_displace(pushed, &none, moves, 6 * bodies, &error), &error);
    assert_true(worst_force(pushed) > 1e-9);
    tw_sim *back = increase(pushed, 0, NULL, 1, &how);
    assert_int_equal(how.reached, 1);
    const tw_measure end = must_measure(back);
    for (int k = 0; k < SIX; k++)
        expect_at_most(fabs(stress_of(&end, k) - stress_of(&m, k)), 1e-8 * m.p);
    free(moves);
    tw_sim_free(back);
    tw_sim_free(pushed);
    tw_sim_free(same);
    tw_sim_free(turned);
    tw_sim_free(still);
    tw_sim_free(sim);
}

/* Slow loading from the same state, then rest, ends where the increment does; stress increments are
 * the reverse of strain increments where they reach the same state. */
static void an_increment_is_the_limit_of_slow_loading(void **context)
{
    (void)context;
    tw_error error;
    tw_statics_increment how, by_stress;
    tw_sim *sim = make(0, 1), *start = increase(sim, 0, NULL, 1, &how);
    const double change[SIX] = {-1e-5, -1e-5, 3e-5, 0.0, 0.0, 0.0};
    tw_sim *end = increase(start, 0, change, 1, &how);
    assert_int_equal(how.reached, 1);
    for (int k = 0; k < SIX; k++)
        expect_at_most(fabs(how.strain[k] - change[k]), 1e-12);
    tw_sim *slow = tw_sim_copy(start, &error);
    const uint64_t steps = 20000;
    const double time = (double)steps * tw_sim_dt(slow);
    const tw_mat3 rate = {
        {-change[0] / time, 0, 0, 0, -change[1] / time, 0, 0, 0, -change[2] / time}};
    const tw_mat3 still = {{0.0}};
    scene_set_damping(slow, 0.0, 0.0, 0.5);
    tw_sim_set_velocity_gradient(slow, &rate);
    scene_run(slow, steps);
    tw_sim_set_velocity_gradient(slow, &still);
    scene_run(slow, 5000);
    const tw_measure a = must_measure(slow), b = must_measure(start);
    double off = 0.0, size = 0.0;
    for (int k = 0; k < SIX; k++) {
        off = support_most(off, fabs(stress_of(&a, k) - stress_of(&b, k) - how.stress[k]));
        size = support_most(size, fabs(how.stress[k]));
    }
    /* The error of dynamics is of first order in the rate. */
    print_message("slow loading differs by %.1e of the change of stress\n", off / size);
    expect_at_most(off / size, 1e-2);
    tw_sim *same = increase(start, 1, how.stress, 1, &by_stress);
    if (by_stress.reached)
        for (int k = 0; k < SIX; k++)
            expect_at_most(fabs(by_stress.strain[k] - change[k]), 1e-3 * change[2]);
    tw_sim_free(same);
    tw_sim_free(slow);
    tw_sim_free(end);
    tw_sim_free(start);
    tw_sim_free(sim);
}

/* A load far beyond its strength: no error, and where it ended. */
static void a_load_that_is_too_large_is_not_reached(void **context)
{
    (void)context;
    tw_statics_increment how;
    tw_sim *sim = make(0, 1);
    const double p = must_measure(sim).p, change[SIX] = {-p, -p, 3.0 * p, 0.0, 0.0, 0.0};
    tw_sim *end = increase(sim, 1, change, 1, &how);
    assert_int_equal(how.reached, 0);
    print_message("limit %d, stalled %.1e\n", how.limit, how.stalled);
    assert_true(how.fraction < 1.0);
    tw_sim_free(end);
    tw_sim_free(sim);
}

/* Spheres on a simple cubic lattice: contacts across x and y carry the shear stress xy, and slide
 * at mu p. */
static void a_lattice_has_its_limit_state_where_all_contacts_slide(void **context)
{
    (void)context;
    const double r = 1e-3, zeta = 1e-6, mu = 0.4;
    const tw_contact_law law = support_law(1e6, 1e6, mu);
    tw_statics_increment how;
    tw_sim *sim = lattice_simple_cubic(r, zeta, 3, &law);
    const double p = must_measure(sim).p, far[SIX] = {0.0, 0.0, 0.0, 0.0, 0.0, 2.1 * mu * p};
    tw_sim *end = increase(sim, 1, far, 1, &how);
    assert_int_equal(how.reached, 0);
    assert_int_equal(how.limit, 1);
    assert_true(how.stalled > 1e-10);
    /* To the smallest step, and to overlaps by diameters. */
    expect_at_least(how.fraction, 1.0 / 2.1 - 1.0 / 64.0 - zeta / r);
    expect_at_most(how.fraction, 1.0 / 2.1 + zeta / r);
    tw_sim_free(end);
    const double below[SIX] = {0.0, 0.0, 0.0, 0.0, 0.0, 0.98 * mu * p};
    end = increase(sim, 1, below, 1, &how);
    assert_int_equal(how.reached, 1);
    assert_int_equal(how.limit, 0);
    tw_sim_free(end);
    tw_sim_free(sim);
}

/* A tolerance that rounding does not allow: no equilibrium is found, and that is no limit state. */
static void a_failure_of_the_method_is_no_limit_state(void **context)
{
    (void)context;
    tw_error error;
    tw_statics_increment how;
    tw_statics_increment_def def = tw_statics_increment_def_default();
    tw_sim *sim = make(0, 1);
    def.tolerance = 1e-30;
    def.by_stress = 1;
    def.change[2] = 1e-3 * must_measure(sim).p;
    tw_sim *end = tw_statics_increase(sim, &def, &how, &error);
    must_succeed(end ? TW_STATUS_OK : error.status, &error);
    assert_int_equal(how.reached, 0);
    assert_int_equal(how.limit, 0);
    print_message("stalled at %.1e, body %u\n", how.stalled, how.stalled_worst);
    assert_true(how.stalled > 0.0 && how.stalled < 1e-8);
    assert_true(how.stalled_worst < tw_sim_body_count(sim));
    tw_sim_free(end);
    tw_sim_free(sim);
}

static tw_sim *open_copy(void *context, tw_error *error)
{
    return tw_sim_copy(context, error);
}

/* The same probe by both methods. Then a larger one, in which contacts of the companion open. */
static void a_static_probe_is_the_limit_of_a_dynamic_one(void **context)
{
    (void)context;
    tw_error error;
    tw_statics_increment how;
    tw_sim *sim = make(0, 1), *start = increase(sim, 0, NULL, 1, &how);
    scene_set_damping(start, 0.0, 0.0, 0.5);
    const double p = must_measure(start).p;
    tw_probe_def def = {.kind = TW_CONTACT_EXACT,
                        .by_stress = true,
                        .change = {0.0, 0.0, 1e-3 * p, 0.0, 0.0, 0.0},
                        .magnitude = 1e-3 * p,
                        .steps = 20000,
                        .rest = 1e-8,
                        .rest_steps = 20000,
                        .load = true,
                        .unload = true,
                        .no_slip = true};
    const tw_probe_watch watch = {start, open_copy, NULL};
    tw_probe_result dynamic, still;
    must_succeed(tw_probe_run(&def, &watch, &dynamic, &error), &error);
    def.statically = true;
    must_succeed(tw_probe_run(&def, &watch, &still, &error), &error);
    double off[3] = {0.0}, size = 0.0;
    for (int k = 0; k < SIX; k++) {
        size = support_most(size, fabs(dynamic.strain[k]));
        off[0] = support_most(off[0], fabs(still.strain[k] - dynamic.strain[k]));
        off[1] = support_most(off[1], fabs(still.left[k] - dynamic.left[k]));
        off[2] = support_most(off[2], fabs(still.no_slip_strain[k] - dynamic.no_slip_strain[k]));
        expect_at_most(fabs(still.stress[k] - def.change[k]), 1e-6 * def.magnitude);
        expect_at_most(fabs(still.missed[k]), 1e-6 * def.magnitude);
    }
    print_message("static probe: strain %.1e, left %.1e, without slip %.1e of the strain\n",
                  off[0] / size, off[1] / size, off[2] / size);
    for (int phase = 0; phase < TW_PROBE_PHASES; phase++)
        assert_int_equal(still.rested[phase], 1);
    /* Dynamics: stress to 1e-3 of the probe, and of first order in the number of steps. */
    for (int k = 0; k < 3; k++)
        expect_at_most(off[k] / size, 1e-2);
    def.load = false;
    def.change[2] = -0.1 * p;
    must_succeed(tw_probe_run(&def, &watch, &still, &error), &error);
    assert_int_equal(still.rested[TW_PROBE_NO_SLIP], 1);
    tw_sim_free(start);
    tw_sim_free(sim);
}

/* A small sphere that just touches two neighbours of a simple cubic lattice, beside their contact,
 * which approach. If the line between the points of contact lies in both cones of friction there
 * are two solutions: it is held, as in the rates, or pushed out; and the verdict says so. With less
 * friction it is pushed out. */
static void an_increment_keeps_a_pinched_rattler(void **context)
{
    (void)context;
    enum { SIDE = 3 };
    const double r = 1e-3, overlap = 1e-3 * r, d = 2.0 * r - overlap, angle = 0.35, small = 1e-8;
    const double near = (1.0 - 1e-7 * overlap / r) * (0.5 * d / cos(angle) - r);
    const double change[SIX] = {1.0, 0.0, 0.0, 0.0, 0.0, 0.0};
    for (int slips = 0; slips < 2; slips++) {
        tw_contact_law law = packing_law();
        tw_error error;
        tw_statics_increment how;
        tw_statics_judgement judgement;
        tw_statics_rate rate[2];
        if (slips) law.mu = 0.9 * tan(angle);
        tw_sim *sim = lattice_simple_cubic(r, overlap, SIDE, &law);
        const tw_vec3 none = {0.0, 0.0, 0.0}, first = must_body(sim, 0).x;
        const tw_vec3 at = {first.x + 0.5 * d + 1e-8 * overlap, first.y,
                            first.z + 0.5 * d * tan(angle)};
        const tw_body_def body = scene_sphere(near, at, none, none);
        scene_add(sim, &body);
        for (int without = 0; without < 2; without++) {
            tw_statics_def def = tw_statics_def_default();
            if (without) def.zero_gap = 0.0;
            tw_statics *statics = tw_statics_create(sim, &def, &error);
            tw_statics_rates *rates = tw_statics_rates_create(statics, &error);
            must_succeed(rates ? TW_STATUS_OK : error.status, &error);
            must_succeed(tw_statics_rates_solve(rates, 0, change, &rate[without], &error), &error);
            if (!without)
                must_succeed(tw_statics_rates_judge(rates, 0, &judgement, &error), &error);
            tw_statics_rates_free(rates);
            tw_statics_free(statics);
        }
        double by[SIX], off = 0.0, held = 0.0;
        for (int k = 0; k < SIX; k++)
            by[k] = small * change[k];
        tw_sim *end = increase(sim, 0, by, 1, &how);
        for (int k = 0; k < SIX; k++) {
            off = support_most(off, fabs(how.stress[k] / small - rate[0].stress[k]));
            held = support_most(held, fabs(rate[1].stress[k] - rate[0].stress[k]));
        }
        print_message("held by %.1e, off by %.1e\n", held, off);
        assert_int_equal(judgement.verdict, slips ? TW_STATICS_UNIQUE : TW_STATICS_UNDECIDED);
        if (slips)
            expect_at_most(held, 1e-6 * fabs(rate[0].stress[0]));
        else /* the gap is 5e-4 of the motion */
            expect_at_most(off, 1e-2 * held);
        tw_sim_free(end);
        tw_sim_free(sim);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_increment_keeps_a_pinched_rattler),
        cmocka_unit_test(a_state_in_loading_comes_to_rest),
        cmocka_unit_test(a_state_that_gives_way_comes_to_rest),
        cmocka_unit_test(a_disturbed_state_comes_back),
        cmocka_unit_test(an_increment_is_the_limit_of_slow_loading),
        cmocka_unit_test(a_static_probe_is_the_limit_of_a_dynamic_one),
        cmocka_unit_test(a_load_that_is_too_large_is_not_reached),
        cmocka_unit_test(a_lattice_has_its_limit_state_where_all_contacts_slide),
        cmocka_unit_test(a_failure_of_the_method_is_no_limit_state),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
