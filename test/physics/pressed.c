/* SPDX-License-Identifier: BSD-3-Clause */
#include "pressed.h"
#include "../must.h"

const double pressed_p = 1e5, pressed_diameter = 2e-3;
static const double stiffness = 2e5, density = 2650.0;

tw_contact_law pressed_law(double mu)
{
    return support_law(stiffness, 0.8 * stiffness, mu);
}

double pressed_nu(double share)
{
    const double d = pressed_diameter;
    return share * sqrt(density * SUPPORT_PI / 6.0 * d * d * d * stiffness);
}

double pressed_rate(double inertial)
{
    return inertial * sqrt(pressed_p / density) / pressed_diameter;
}

tw_sim *pressed_loose(int side, double mu, uint64_t seed)
{
    const double d = pressed_diameter, pitch = 1.12 * d, edge = pitch * side;
    support_random random = {seed};
    tw_sim_def def = tw_sim_def_default();
    def.cell = tensor_diagonal(edge, edge, edge);
    def.law = pressed_law(mu);
    def.law.nu_n = def.law.nu_t = pressed_nu(0.05);
    def.density = density;
    def.damping_local = 0.2;
    def.threads = 1; /* two would be slower for so few bodies */
    tw_sim *sim = scene_create(&def);
    for (int i = 0; i < side * side * side; i++) {
        const tw_vec3 site = {i % side + 0.5, i / side % side + 0.5, i / side / side + 0.5};
        tw_vec3 shake, v;
        shake.x = support_uniform(&random, -0.02, 0.02) * d;
        shake.y = support_uniform(&random, -0.02, 0.02) * d;
        shake.z = support_uniform(&random, -0.02, 0.02) * d;
        v.x = support_uniform(&random, -0.5, 0.5);
        v.y = support_uniform(&random, -0.5, 0.5);
        v.z = support_uniform(&random, -0.5, 0.5);
        const double radius = 0.5 * d * support_uniform(&random, 0.85, 1.05);
        const tw_body_def body = scene_sphere(radius, tw_vec3_add_scaled(shake, pitch, site), v,
                                              tw_vec3_make(0.0, 0.0, 0.0));
        scene_add(sim, &body);
    }
    return sim;
}

tw_control pressed_isotropic(double p)
{
    tw_control control = tw_control_default();
    for (int k = 0; k < TW_COMPONENTS; k++)
        control.row[k] = tw_control_stress(k, k < TW_YZ ? p : 0.0);
    return control;
}

void pressed_control(tw_sim *sim, const tw_control *control)
{
    tw_error error = {TW_STATUS_OK, ""};
    if (tw_sim_set_control(sim, control, &error) != TW_STATUS_OK) fail_msg("%s", error.text);
}

tw_sim *pressed_make(double mu, uint64_t seed)
{
    tw_sim *sim = pressed_loose(scene_thorough() ? 8 : 4, mu, seed);
    tw_control control = pressed_isotropic(pressed_p);
    control.rate_max = pressed_rate(5e-2); /* in a hurry */
    pressed_control(sim, &control);
    for (int k = 0; k < 400; k++) {
        scene_run(sim, 200);
        if (tw_sim_get_control_report(sim).status != TW_CONTROL_HOLDING) continue;
        if (must_measure(sim).unbalanced < 1e-3) break;
    }
    expect_at_most(must_measure(sim).unbalanced, 1e-3);
    return sim;
}

tw_sim *pressed_copy(const tw_sim *sim, double mu, double damping)
{
    tw_sim *copy = scene_copy(sim);
    tw_contact_law law = pressed_law(mu);
    law.nu_n = law.nu_t = pressed_nu(damping);
    tw_sim_set_threads(copy, 1);
    scene_set_law(copy, &law);
    scene_set_damping(copy, 0.0, 0.0, 0.0);
    return copy;
}

tw_mat3 pressed_stress(tw_sim *sim)
{
    const tw_measure m = must_measure(sim);
    return tensor_add_scaled(m.stress, 1.0, m.stress_kinetic);
}

typedef struct watch {
    const tw_control *control;
    uint64_t steps;
    tw_contact_state *before; /* contacts one step before the sample */
    size_t contacts;
    pressed_seen seen;
} watch;

static tw_contact_state *contacts_of(const tw_sim *sim, size_t *count)
{
    *count = must_contacts(sim);
    tw_contact_state *all = malloc((*count + 1) * sizeof *all);
    assert_non_null(all);
    must_get_contacts(sim, all);
    return all;
}

/* The order of tw_sim_get_contacts. */
static int order(const tw_contact_state *a, const tw_contact_state *b)
{
    const uint32_t left[] = {a->body_p, a->body_q, a->member_p, a->member_q};
    const uint32_t right[] = {b->body_p, b->body_q, b->member_p, b->member_q};
    for (int k = 0; k < 4; k++)
        if (left[k] != right[k]) return left[k] < right[k] ? -1 : 1;
    return 0;
}

/* Whether one of these contacts has ended. */
static int has_ended(const tw_sim *sim, const tw_contact_state *before, size_t contacts)
{
    size_t count, at = 0, found = 0;
    tw_contact_state *now = contacts_of(sim, &count);
    for (size_t k = 0; k < contacts; k++) {
        while (at < count && order(&now[at], &before[k]) < 0)
            at++;
        found += at < count && order(&now[at], &before[k]) == 0;
    }
    free(now);
    return found < contacts;
}

static int look(tw_sim *sim, void *context)
{
    watch *w = context;
    if (++w->steps % 11 == 10) {
        free(w->before);
        w->before = contacts_of(sim, &w->contacts);
    }
    if (w->steps % 11 != 0) return 0;
    const tw_mat3 s = pressed_stress(sim);
    const double part[TW_COMPONENTS] = {s.m[0],
                                        s.m[4],
                                        s.m[8],
                                        0.5 * (s.m[5] + s.m[7]),
                                        0.5 * (s.m[2] + s.m[6]),
                                        0.5 * (s.m[1] + s.m[3])};
    double scale = (s.m[0] + s.m[4] + s.m[8]) / 3.0, off = 0.0;
    const tw_control_report report = tw_sim_get_control_report(sim);
    for (int k = 0; k < TW_COMPONENTS; k++) {
        const tw_control_row *row = &w->control->row[k];
        double sum = 0.0, weight = 0.0;
        for (int j = 0; j < TW_COMPONENTS; j++) {
            sum += row->weight[j] * part[j];
            weight += fabs(row->weight[j]);
        }
        if (row->mode != TW_CONTROL_STRESS) continue;
        scale = support_most(scale, fabs(report.set[k]) / weight);
        off = support_most(off, fabs(sum - report.set[k]) / weight);
    }
    w->seen.worst = support_most(w->seen.worst, off / scale);
    if (has_ended(sim, w->before, w->contacts)) return 0;
    w->seen.compared++;
    w->seen.confirmed = support_most(w->seen.confirmed, off / scale);
    w->seen.differs = support_most(w->seen.differs, fabs(off / scale - report.deviation));
    return 0;
}

pressed_seen pressed_watch(tw_sim *sim, const tw_control *control, uint64_t steps)
{
    watch w = {.control = control};
    tw_error error = {TW_STATUS_OK, ""};
    if (tw_sim_run_hooked(sim, steps, look, &w, &error) != TW_STATUS_OK) fail_msg("%s", error.text);
    free(w.before);
    return w.seen;
}
