/* SPDX-License-Identifier: BSD-3-Clause */
#include "packing.h"
#include "../must.h"

static const double stiffness = 1e5, grain = 1e-3, density = 2650.0;

packing_def packing_def_default(void)
{
    const packing_def def = {5, 1, 1.3, 0.1, 1e-3, 1};
    return def;
}

tw_contact_law packing_law(void)
{
    return support_law(stiffness, stiffness, 0.5);
}

tw_mat3 packing_shear(double rate)
{
    return tensor_diagonal(-rate, 0.5 * rate, 0.5 * rate);
}

/* Overlap/size is p size/kn, up to the number of contacts. */
static double pressure_of(double overlap)
{
    return overlap * stiffness / grain;
}

double packing_slow_rate(void)
{
    return 1e-3 / (2.0 * grain * sqrt(density / pressure_of(1e-3)));
}

static void place(tw_sim *sim, const packing_def *def, double edge)
{
    support_random random = {def->seed};
    uint32_t shape = 0;
    if (def->bumpy) {
        shape = must_add_shape_bumpy(sim, 6, 0.6, 0.8, 0.64);
    }
    const double pitch = edge / def->side;
    const int count = def->side * def->side * def->side;
    for (int i = 0; i < count; i++) {
        tw_body_def body = tw_body_def_default();
        body.shape = shape;
        body.size = grain * support_uniform(&random, 1.0, def->spread) / sqrt(def->spread);
        const int k[3] = {i % def->side, i / def->side % def->side, i / def->side / def->side};
        const double jitter = 0.5 * pitch - 1.25 * body.size;
        body.x.x = pitch * (k[0] + 0.5) + jitter * support_uniform(&random, -1.0, 1.0);
        body.x.y = pitch * (k[1] + 0.5) + jitter * support_uniform(&random, -1.0, 1.0);
        body.x.z = pitch * (k[2] + 0.5) + jitter * support_uniform(&random, -1.0, 1.0);
        body.q = tensor_quat(tensor_random_turn(&random));
        scene_add(sim, &body);
    }
}

typedef struct press {
    double pressure, fast;
    uint64_t steps, settled; /* steps near the target pressure so far */
} press;

/* Compresses fast until the grains carry pressure, then by servo until they are in equilibrium. */
static int press_on(tw_sim *sim, void *context)
{
    press *p = context;
    if (p->steps++ % 10 != 0) return 0;
    const tw_measure m = must_measure(sim);
    const double lack = 1.0 - m.p / p->pressure;
    const double rate = p->fast * fmin(1.0, fmax(-1.0, 0.1 * lack));
    const tw_mat3 gradient = m.p < 0.01 * p->pressure
                                 ? tensor_diagonal(-p->fast, -p->fast, -p->fast)
                                 : tensor_diagonal(-rate, -rate, -rate);
    tw_sim_set_velocity_gradient(sim, &gradient);
    p->settled = fabs(lack) < 0.1 && m.unbalanced < 1e-3 ? p->settled + 1 : 0;
    return p->settled > 5;
}

static tw_sim_def loose(const packing_def *def, double edge)
{
    const double mass = density * 4.6 * grain * grain * grain;
    tw_sim_def sim = tw_sim_def_default();
    sim.cell = tensor_diagonal(edge, edge, edge);
    sim.law = packing_law();
    sim.law.mu = def->friction;
    sim.law.nu_n = sim.law.nu_t = 0.2 * sqrt(mass * stiffness);
    sim.density = density;
    sim.damping_local = 0.5;
    sim.dt_fraction = 0.8;
    return sim;
}

tw_sim *packing_make(const packing_def *wanted)
{
    packing_def small = *wanted;
    const packing_def *def = &small;
    if (!scene_thorough() && small.side > 3) small.side = 3;
    const double edge = 2.9 * grain * sqrt(def->spread) * def->side;
    const tw_sim_def loose_def = loose(def, edge);
    tw_sim *sim = scene_create(&loose_def);
    place(sim, def, edge);
    press p = {pressure_of(def->overlap), 200.0, 0, 0};
    tw_error error = {TW_STATUS_OK, ""};
    const tw_status status = tw_sim_run_hooked(sim, 200000, press_on, &p, &error);
    if (status != TW_STATUS_INTERRUPTED)
        fail_msg("no packing after %llu steps: %s", (unsigned long long)p.steps, error.text);
    const tw_contact_law law = packing_law();
    const tw_mat3 still = tensor_zero();
    const tw_vec3 none = {0.0, 0.0, 0.0};
    tw_sim_set_velocity_gradient(sim, &still);
    scene_set_law(sim, &law);
    scene_set_damping(sim, 0.0, 0.0, 0.0);
    /* The forces of the last step still include damping: one more step without it. */
    for (int again = 0; again < 2; again++) {
        for (uint32_t id = 0; id < tw_sim_body_count(sim); id++)
            must_set_body_velocity(sim, id, none, none);
        if (again == 0) scene_run(sim, 1);
    }
    return sim;
}
