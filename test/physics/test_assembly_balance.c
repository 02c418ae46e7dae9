/* SPDX-License-Identifier: BSD-3-Clause */
/* The energy balance of an assembly with Hertz contacts, rolling and twisting resistance and
 * damping: every part that is stored or dissipated is counted, and what is missing is the error of
 * the integration, of second order in the step. */
#include "../must.h"
#include "tensor.h"

#include <stdlib.h>
#include <string.h>

#include <twirl/material.h>

static const double grain = 1e-3; /* radius [m] */

static tw_material sand(void)
{
    tw_material m = tw_material_default();
    m.normal = TW_CONTACT_HERTZ;
    m.young = 1e9;
    m.poisson = 0.25;
    m.friction = 0.4;
    m.rolling_friction = 0.1;
    m.twisting_friction = 0.05;
    m.kr_ratio = 0.5;
    m.kw_ratio = 0.3;
    return m;
}

static tw_sim *assembly(const tw_contact_law *law, double dt)
{
    enum { SIDE = 4 };
    const double gap = 1.99 * grain;
    support_random random = {77};
    tw_sim_def def = tw_sim_def_default();
    def.cell = tensor_diagonal(SIDE * gap, SIDE * gap, SIDE * gap);
    def.law = *law;
    def.dt = dt;
    def.threads = 1;
    tw_sim *sim = scene_create(&def);
    for (int i = 0; i < SIDE * SIDE * SIDE; i++) {
        const tw_vec3 at = {i % SIDE + 0.5, i / SIDE % SIDE + 0.5, i / SIDE / SIDE + 0.5};
        const tw_vec3 x =
            tw_vec3_add_scaled(tw_vec3_scale(0.05 * grain, support_unit(&random)), gap, at);
        const tw_vec3 v = tw_vec3_scale(1e-3, support_unit(&random));
        const tw_vec3 w = tw_vec3_scale(1.0, support_unit(&random));
        const tw_body_def body = scene_sphere(grain * support_uniform(&random, 0.9, 1.0), x, v, w);
        scene_add(sim, &body);
    }
    return sim;
}

static void strain(tw_sim *sim, double rate, double shear, double time)
{
    const tw_mat3 gradient = {{-rate, shear, 0.0, 0.0, -rate, 0.0, 0.0, 0.0, -rate}};
    const double end = tw_sim_time(sim) + time;
    tw_sim_set_velocity_gradient(sim, &gradient);
    while (tw_sim_time(sim) < end)
        scene_run(sim, 1);
}

/* Pressed and brought to rest by damping of the bodies; then without it sheared by 2 %. The work of
 * the shear, what was lost in it, and what is missing. */
static tw_energy load(const tw_contact_law *law, double dt, double *used, double *missing)
{
    tw_sim *sim = assembly(law, dt);
    scene_set_damping(sim, 3000.0, 3000.0, 0.0);
    strain(sim, 40.0, 0.0, 1.5e-3);
    strain(sim, 0.0, 0.0, 1.5e-3);
    scene_set_damping(sim, 0.0, 0.0, 0.0);
    const tw_energy before = must_measure(sim).energy;
    strain(sim, 2.0, 20.0, 1e-3);
    tw_energy e = must_measure(sim).energy;
    e.cell -= before.cell;
    e.friction -= before.friction;
    e.micro_slip -= before.micro_slip;
    e.rolling -= before.rolling;
    e.twisting -= before.twisting;
    e.contact_damping -= before.contact_damping;
    *missing = fabs(e.residual - before.residual) / e.cell;
    *used = tw_sim_dt(sim);
    tw_sim_free(sim);
    return e;
}

/* `most`: missing part of the work at the default step. */
static void check(const char *name, const tw_contact_law *law, double most)
{
    double missing[2], dt = 0.0;
    for (int k = 0; k < 2; k++) {
        const tw_energy e = load(law, 0.5 * dt, &dt, &missing[k]); /* the default, then half */
        print_message(
            "%s: dt %.2e s, work %.3e J: friction %.1e, micro-slip %.1e, rolling %.1e, "
            "twisting %.1e, damping %.1e; stored %.1e + %.1e + %.1e + %.1e; missing %.1e\n",
            name, dt, e.cell, e.friction / e.cell, e.micro_slip / e.cell, e.rolling / e.cell,
            e.twisting / e.cell, e.contact_damping / e.cell, e.normal / e.cell,
            e.tangential / e.cell, e.stored_rolling / e.cell, e.stored_twisting / e.cell,
            missing[k]);
        assert_true(e.friction > 0.0 && e.rolling > 0.0 && e.twisting > 0.0);
        assert_true(e.stored_rolling > 0.0 && e.stored_twisting > 0.0);
    }
    expect_at_most(missing[0], most);
    expect_at_most(missing[1],
                   0.35 * missing[0]); /* a quarter, for a motion that is not quite the same */
}

static void nothing_is_lost_with_damping(void **state)
{
    (void)state;
    tw_material m = sand();
    m.restitution = 0.7;
    m.tangential_damping = m.rolling_damping = m.twisting_damping = 0.1;
    tw_contact_law law;
    assert_null(tw_material_pair_law(&m, &m, &law));
    check("damped", &law, 1e-5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_is_lost_with_damping),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
