/* SPDX-License-Identifier: BSD-3-Clause */
#include "probe/probe.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <twirl/math.h>
#include <twirl/statics.h>

#include "base/error.h"

int tw_directions_dimensions(const tw_directions *directions)
{
    return directions->sphere ? 3 : 2;
}

/* Fibonacci spiral: equal steps along z, the golden angle about it. */
static void spiral(size_t k, size_t count, double unit[3])
{
    const double golden = TW_MATH_PI * (3.0 - sqrt(5.0));
    const double z = 1.0 - (2.0 * (double)k + 1.0) / (double)count;
    const double across = sqrt(1.0 - z * z);
    unit[0] = across * tw_math_cos(golden * (double)k);
    unit[1] = across * tw_math_sin(golden * (double)k);
    unit[2] = z;
}

void tw_directions_at(const tw_directions *directions, size_t k, double unit[TW_COMPONENTS])
{
    memset(unit, 0, TW_COMPONENTS * sizeof *unit);
    if (directions->sphere) {
        spiral(k, directions->count, unit);
        return;
    }
    const double angle = 2.0 * TW_MATH_PI * (double)k / (double)directions->count;
    const double volume = tw_math_cos(angle) / sqrt(3.0), shear = tw_math_sin(angle) / sqrt(6.0);
    for (int i = 0; i < 3; i++)
        unit[i] = volume + (i == directions->axis ? 2.0 : -1.0) * shear;
}

void tw_directions_point(const tw_directions *directions, const double tensor[TW_COMPONENTS],
                         double point[TW_DIRECTIONS_MAX])
{
    if (directions->sphere) {
        memcpy(point, tensor, 3 * sizeof *point);
        return;
    }
    const double sum = tensor[TW_XX] + tensor[TW_YY] + tensor[TW_ZZ];
    point[0] = sum / sqrt(3.0);
    point[1] = (3.0 * tensor[directions->axis] - sum) / sqrt(6.0);
    point[2] = 0.0;
}

double tw_directions_angle(const double point[TW_DIRECTIONS_MAX])
{
    const double angle = 180.0 / TW_MATH_PI * tw_math_atan2(point[1], point[0]);
    return angle < 0.0 ? angle + 360.0 : angle;
}

static double dot(int n, const double *a, const double *b)
{
    double sum = 0.0;
    for (int k = 0; k < n; k++)
        sum += a[k] * b[k];
    return sum;
}

static double length(int n, const double *a)
{
    return sqrt(dot(n, a, a));
}

/* ---- Linear equations ---- */

static void swap_rows(int columns, double *a, double *b)
{
    for (int k = 0; k < columns; k++) {
        const double keep = a[k];
        a[k] = b[k];
        b[k] = keep;
    }
}

/* Gauss-Jordan elimination with row pivots; singular if a pivot is below 1e-12 of the largest
 * element. */
static bool eliminate(int n, double a[TW_FIT_MAX][TW_FIT_MAX + 1])
{
    double most = 0.0;
    for (int i = 0; i < n; i++)
        for (int k = 0; k < n; k++)
            most = tw_math_max(most, fabs(a[i][k]));
    for (int c = 0; c < n; c++) {
        int best = c;
        for (int i = c + 1; i < n; i++)
            if (fabs(a[i][c]) > fabs(a[best][c])) best = i;
        if (!(fabs(a[best][c]) > 1e-12 * most)) return false;
        swap_rows(n + 1, a[c], a[best]);
        for (int i = 0; i < n; i++) {
            const double factor = i == c ? 0.0 : a[i][c] / a[c][c];
            for (int k = c; k <= n; k++)
                a[i][k] -= factor * a[c][k];
        }
    }
    for (int i = 0; i < n; i++)
        a[i][n] /= a[i][i];
    return true;
}

bool tw_fit_solve(int size, const double *matrix, const double *y, double *x)
{
    double a[TW_FIT_MAX][TW_FIT_MAX + 1];
    for (int i = 0; i < size; i++) {
        memcpy(a[i], matrix + i * size, (size_t)size * sizeof *matrix);
        a[i][size] = y[i];
    }
    if (!eliminate(size, a)) return false;
    for (int i = 0; i < size; i++)
        x[i] = a[i][size];
    return true;
}

bool tw_fit_matrix(int size, size_t count, const double *x, const double *y,
                   double matrix[TW_FIT_MAX * TW_FIT_MAX], double *rms)
{
    const size_t n = (size_t)size;
    double square[TW_FIT_MAX * TW_FIT_MAX] = {0.0}; /* sum of x x^T: symmetric */
    for (size_t p = 0; p < count; p++)
        for (size_t i = 0; i < n * n; i++)
            square[i] += x[p * n + i / n] * x[p * n + i % n];
    for (size_t row = 0; row < n; row++) {
        double right[TW_FIT_MAX] = {0.0};
        for (size_t p = 0; p < count; p++)
            for (size_t k = 0; k < n; k++)
                right[k] += y[p * n + row] * x[p * n + k];
        if (!tw_fit_solve(size, square, right, matrix + row * n)) return false;
    }
    double all = 0.0, left = 0.0;
    for (size_t i = 0; i < count * n; i++) {
        const double off = y[i] - dot(size, matrix + i % n * n, x + i / n * n);
        all += y[i] * y[i];
        left += off * off;
    }
    *rms = all > 0.0 ? sqrt(left / all) : 0.0;
    if (count <= n) *rms = nan("");
    return true;
}

/* ---- Circles ---- */

/* Direction of the stress increment; returns the distance of the point along it. */
static double ray_of(int n, const tw_fit_point *point, double unit[TW_DIRECTIONS_MAX])
{
    const double size = length(n, point->stress);
    for (int k = 0; k < n; k++)
        unit[k] = size > 0.0 ? point->stress[k] / size : 0.0;
    return size > 0.0 ? length(n, point->plastic) / size : 0.0;
}

/* Whether a point is on the side of the circle; all are if `half` is NULL. */
static bool belongs(int n, const tw_fit_point *point, const double *half, double sign)
{
    return !half || sign * dot(n, point->stress, half) > 0.0;
}

/* Least-squares fit of r = a . unit to the points on one side of `half`. */
static bool fit_ray(int n, const tw_fit_point *points, size_t count, const double *half,
                    double sign, double a[TW_DIRECTIONS_MAX])
{
    double square[TW_DIRECTIONS_MAX * TW_DIRECTIONS_MAX] = {0.0}, right[TW_DIRECTIONS_MAX] = {0.0};
    for (size_t p = 0; p < count; p++) {
        double unit[TW_DIRECTIONS_MAX];
        const double r = ray_of(n, &points[p], unit);
        if (!belongs(n, &points[p], half, sign)) continue;
        for (int i = 0; i < n; i++) {
            right[i] += r * unit[i];
            for (int k = 0; k < n; k++)
                square[i * n + k] += unit[i] * unit[k];
        }
    }
    return tw_fit_solve(n, square, right, a);
}

static tw_fit_circle circle_of(int n, const tw_fit_point *points, size_t count, const double *half,
                               double sign, const double a[TW_DIRECTIONS_MAX])
{
    tw_fit_circle circle = {.diameter = length(n, a)};
    double sum = 0.0;
    for (int k = 0; k < n; k++)
        circle.direction[k] = circle.diameter > 0.0 ? a[k] / circle.diameter : 0.0;
    for (size_t p = 0; p < count; p++) {
        double unit[TW_DIRECTIONS_MAX];
        const double r = ray_of(n, &points[p], unit);
        if (!belongs(n, &points[p], half, sign)) continue;
        const double off = r - dot(n, a, unit);
        circle.count++;
        sum += off * off;
    }
    if (circle.count > 0 && circle.diameter > 0.0)
        circle.rms = sqrt(sum / (double)circle.count) / circle.diameter;
    if (circle.count <= (size_t)n) circle.rms = nan("");
    return circle;
}

/* Mean flow direction, each probe weighted by its distance on the fitted circle. */
static void find_flow(int n, const tw_fit_point *points, size_t count, const double *half,
                      tw_fit_mechanism *out)
{
    double flow[TW_DIRECTIONS_MAX] = {0.0}, weights = 0.0, sum = 0.0;
    for (size_t p = 0; p < count; p++) {
        double unit[TW_DIRECTIONS_MAX];
        ray_of(n, &points[p], unit);
        const double weight = dot(n, out->loading.direction, unit);
        if (!belongs(n, &points[p], half, 1.0)) continue;
        for (int k = 0; k < n; k++)
            flow[k] += weight * points[p].plastic[k] / length(n, points[p].stress);
    }
    const double size = length(n, flow);
    for (int k = 0; k < n; k++)
        out->flow[k] = size > 0.0 ? flow[k] / size : 0.0;
    for (size_t p = 0; p < count; p++) {
        const double r = length(n, points[p].plastic) / length(n, points[p].stress);
        if (!belongs(n, &points[p], half, 1.0) || !(r > 0.0)) continue;
        const double cosine = dot(n, out->flow, points[p].plastic) / length(n, points[p].plastic);
        const double angle = tw_math_acos(tw_math_max(-1.0, tw_math_min(1.0, cosine)));
        weights += r * r;
        sum += r * r * angle * angle;
    }
    out->flow_rms = weights > 0.0 ? sqrt(sum / weights) : 0.0;
}

bool tw_fit_mechanism_find(int dimensions, const tw_fit_point *points, size_t count,
                           tw_fit_mechanism *out)
{
    const int n = dimensions;
    double a[TW_DIRECTIONS_MAX] = {0.0}, half[TW_DIRECTIONS_MAX], other[TW_DIRECTIONS_MAX] = {0.0};
    memset(out, 0, sizeof *out);
    /* The fit to all points finds the side of the larger circle. Then fits to the points on that
     * side alone, until the side does not change; it can take as many values as there are points.
     */
    if (!fit_ray(n, points, count, NULL, 1.0, a)) return false;
    for (size_t again = 0; again <= count; again++) {
        memcpy(half, a, sizeof half);
        if (!(length(n, half) > 0.0) || !fit_ray(n, points, count, half, 1.0, a)) return false;
        if (memcmp(half, a, (size_t)n * sizeof *a) == 0) break;
    }
    out->loading = circle_of(n, points, count, half, 1.0, a);
    if (fit_ray(n, points, count, half, -1.0, other))
        out->unloading = circle_of(n, points, count, half, -1.0, other);
    find_flow(n, points, count, half, out);
    return out->loading.diameter > 0.0;
}

/* Friction coefficient of the no-slip companion: contacts slide as they open. With a much larger
 * one that takes an overlap which positions do not resolve, so that a tangential force is let go of
 * at once, which has no static path. */
static const double no_slip_friction = 1e3;

/* Tolerance of a stress before it is measured, relative to the probe. */
static const double stress_tolerance = 1e-3;

/* Equilibrium must hold in CHECKS successive checks, CHECK_STEPS apart: a vibration passes through
 * it again and again. */
enum { CHECKS = 5, CHECK_STEPS = 10 };

/* ---- Measures ---- */

/* Contact and kinetic stress together, symmetric [Pa]. */
static void probe_stress(const tw_measure *measure, double stress[TW_COMPONENTS])
{
    const double *a = measure->stress.m, *b = measure->stress_kinetic.m;
    stress[TW_XX] = a[0] + b[0];
    stress[TW_YY] = a[4] + b[4];
    stress[TW_ZZ] = a[8] + b[8];
    stress[TW_YZ] = 0.5 * (a[5] + a[7] + b[5] + b[7]);
    stress[TW_XZ] = 0.5 * (a[2] + a[6] + b[2] + b[6]);
    stress[TW_XY] = 0.5 * (a[1] + a[3] + b[1] + b[3]);
}

void tw_probe_kelvin_stress(const double stress[TW_COMPONENTS], double out[TW_COMPONENTS])
{
    for (int k = 0; k < TW_COMPONENTS; k++)
        out[k] = (k < TW_YZ ? 1.0 : sqrt(2.0)) * stress[k];
}

void tw_probe_kelvin_strain(const double strain[TW_COMPONENTS], double out[TW_COMPONENTS])
{
    for (int k = 0; k < TW_COMPONENTS; k++)
        out[k] = (k < TW_YZ ? 1.0 : sqrt(0.5)) * strain[k];
}

double tw_probe_norm(const double kelvin[TW_COMPONENTS])
{
    double sum = 0.0;
    for (int k = 0; k < TW_COMPONENTS; k++)
        sum += kelvin[k] * kelvin[k];
    return sqrt(sum);
}

static uint32_t material_of(const tw_sim *sim, uint32_t body)
{
    tw_body_state state;
    tw_sim_get_body(sim, body, &state, NULL); /* it exists */
    return state.material;
}

static double friction_of(const tw_sim *sim, const tw_contact_state *contact)
{
    tw_contact_law law;
    tw_wall_state wall = {.material = 0};
    if (tw_sim_material_count(sim) == 1) return tw_sim_get_definition(sim).law.mu;
    if (contact->body_q == TW_NO_BODY) tw_sim_get_wall(sim, contact->member_q, &wall, NULL);
    const uint32_t q =
        contact->body_q == TW_NO_BODY ? wall.material : material_of(sim, contact->body_q);
    tw_sim_get_pair_law(sim, material_of(sim, contact->body_p), q, &law, NULL); /* they exist */
    return law.mu;
}

tw_status tw_probe_at_limit(const tw_sim *sim, double *fraction, tw_error *error)
{
    size_t count, at_limit = 0;
    tw_contact_state *contacts;
    const tw_status status = tw_sim_list_contacts(sim, &contacts, &count, error);
    for (size_t i = 0; i < count && status == TW_STATUS_OK; i++) {
        const tw_vec3 t = contacts[i].ft;
        const double force = sqrt(t.x * t.x + t.y * t.y + t.z * t.z);
        const double limit = friction_of(sim, &contacts[i]) * contacts[i].fn;
        at_limit += contacts[i].sliding || force >= (1.0 - 1e-5) * limit;
    }
    *fraction = count > 0 ? (double)at_limit / (double)count : 0.0;
    free(contacts);
    return status;
}

/* ---- One copy of the state ---- */

typedef struct trial {
    const tw_probe_def *def;
    const tw_probe_watch *watch;
    tw_sim *sim;
    double strain[TW_COMPONENTS]; /* since the start */
    double clock;                 /* simulation time at the last step [s] */
    uint64_t steps;               /* of the current phase */
    uint64_t left;                /* remaining steps of a strain-controlled loading */
    double start[TW_COMPONENTS];  /* stress [Pa] */
    double friction;              /* energy dissipated before the current phase [J] */
} trial;

/* Spreads the remaining strain over the remaining steps: the time step may change on the way. */
static void set_strain_rate(trial *t)
{
    const double *target = t->def->change;
    double rate[TW_COMPONENTS] = {0.0};
    for (int k = 0; k < TW_COMPONENTS && t->left > 0; k++)
        rate[k] = (t->strain[k] - target[k]) / ((double)t->left * tw_sim_dt(t->sim));
    const tw_mat3 gradient = {{rate[TW_XX], 0.5 * rate[TW_XY], 0.5 * rate[TW_XZ], /* */
                               0.5 * rate[TW_XY], rate[TW_YY], 0.5 * rate[TW_YZ], /* */
                               0.5 * rate[TW_XZ], 0.5 * rate[TW_YZ], rate[TW_ZZ]}};
    tw_sim_set_velocity_gradient(t->sim, &gradient);
}

static int after_step(tw_sim *sim, void *context)
{
    trial *t = context;
    const tw_mat3 gradient = tw_sim_velocity_gradient(sim);
    const double now = tw_sim_time(sim), dt = now - t->clock, *m = gradient.m;
    const double rate[TW_COMPONENTS] = {m[0], m[4], m[8], m[5] + m[7], m[2] + m[6], m[1] + m[3]};
    for (int k = 0; k < TW_COMPONENTS; k++)
        t->strain[k] -= dt * rate[k];
    t->clock = now;
    t->steps++;
    if (t->left > 0) {
        t->left--;
        set_strain_rate(t);
    }
    return t->watch->step && t->watch->step(t->watch->context);
}

static tw_status advance(trial *t, uint64_t steps, tw_error *error)
{
    return tw_sim_run_hooked(t->sim, steps, after_step, t, error);
}

/* The laws of the state with kind and refinements of the probe; `slips` is false for the no-slip
 * companion, whose contacts do not roll or twist beyond their springs either. */
static tw_status set_laws(trial *t, bool slips, tw_error *error)
{
    const size_t count = tw_sim_material_count(t->sim);
    tw_contact_law *laws = malloc(count * count * sizeof *laws);
    if (!laws) return tw_error_set_memory(error);
    for (size_t i = 0; i < count * count; i++) {
        tw_contact_law *law = &laws[i];
        tw_sim_get_pair_law(t->sim, (uint32_t)(i / count), (uint32_t)(i % count), law, NULL);
        law->kind = t->def->kind;
        law->refine &= ~t->def->without;
        if (slips) continue;
        law->mu = no_slip_friction;
        if (law->mu_r > 0.0) law->mu_r = no_slip_friction;
        if (law->mu_w > 0.0) law->mu_w = no_slip_friction;
    }
    const tw_status status = tw_sim_set_laws(t->sim, laws, count * count, error);
    free(laws);
    return status;
}

static tw_status open_copy(trial *t, bool slips, tw_error *error)
{
    const tw_mat3 still = {{0.0}};
    t->sim = t->watch->open(t->watch->context, error);
    if (!t->sim) return error->status;
    tw_sim_set_threads(t->sim, 1);
    tw_sim_set_velocity_gradient(t->sim, &still);
    tw_status status = set_laws(t, slips, error);
    if (status == TW_STATUS_OK) status = tw_sim_prepare(t->sim, error);
    tw_measure m;
    if (status == TW_STATUS_OK) status = tw_sim_measure(t->sim, &m, error);
    if (status != TW_STATUS_OK) return status;
    probe_stress(&m, t->start);
    t->clock = tw_sim_time(t->sim);
    t->friction = m.energy.friction;
    return TW_STATUS_OK;
}

/* ---- Static probes ---- */

/* Parts of a static probe, each a step of the exact law. */
enum { PARTS = 4 };

static tw_status increase(trial *t, bool by_stress, const double *change, uint64_t *rested,
                          uint64_t *limit, tw_error *error)
{
    tw_statics_increment_def def = tw_statics_increment_def_default();
    tw_statics_increment how;
    def.by_stress = by_stress;
    def.parts = change ? PARTS : 1;
    def.watch = t->watch->step;
    def.context = t->watch->context;
    if (change) memcpy(def.change, change, sizeof def.change);
    tw_sim *next = tw_statics_increase(t->sim, &def, &how, error);
    if (!next) return error->status;
    tw_sim_free(t->sim);
    t->sim = next;
    t->steps += how.iterations;
    *rested = how.reached ? 1 : 0;
    *limit = how.limit ? 1 : 0;
    for (int k = 0; k < TW_COMPONENTS; k++)
        t->strain[k] += how.strain[k];
    return TW_STATUS_OK;
}

/* The state that static probes start from is in equilibrium. */
static tw_status begin_statically(trial *t, tw_error *error)
{
    uint64_t rested, limit;
    tw_measure m;
    tw_status status = increase(t, false, NULL, &rested, &limit, error);
    if (status == TW_STATUS_OK && !rested)
        status = tw_error_set(error, TW_STATUS_PHYSICS,
                              "the state could not be brought to static equilibrium: settle it");
    if (status == TW_STATUS_OK) status = tw_sim_measure(t->sim, &m, error);
    if (status != TW_STATUS_OK) return status;
    probe_stress(&m, t->start);
    t->friction = m.energy.friction;
    return TW_STATUS_OK;
}

/* ---- Loading ---- */

/* Ramps all six stresses to `target` in the steps of the probe and holds them. `size`: norm of the
 * stress increment. */
static tw_status ramp_stress(trial *t, const double target[TW_COMPONENTS], double size,
                             tw_error *error)
{
    tw_measure m;
    const tw_status status = tw_sim_measure(t->sim, &m, error);
    if (status != TW_STATUS_OK) return status;
    const double time = (double)t->def->steps * tw_sim_dt(t->sim);
    double now[TW_COMPONENTS], scale = fabs(m.p);
    tw_control control = tw_control_default();
    probe_stress(&m, now);
    for (int k = 0; k < TW_COMPONENTS; k++) {
        control.row[k] = tw_control_stress(k, target[k]);
        control.row[k].ramp = fabs(target[k] - now[k]) / time;
        scale = tw_math_max(scale, fabs(target[k]));
    }
    control.tolerance = stress_tolerance * size / scale;
    return tw_sim_set_control(t->sim, &control, error);
}

static bool is_held(const tw_sim *sim)
{
    const tw_control_report servo = tw_sim_get_control_report(sim);
    return !servo.ramping && (servo.status == TW_CONTROL_OFF || servo.status == TW_CONTROL_HOLDING);
}

/* Waits for equilibrium, with the cell held in strain or stress. */
static tw_status wait_for_rest(trial *t, uint64_t *rested, tw_error *error)
{
    const tw_probe_def *def = t->def;
    int calm = 0;
    tw_status status = TW_STATUS_OK;
    for (uint64_t done = 0; done < def->rest_steps && calm < CHECKS;) {
        const uint64_t part =
            def->rest_steps - done < CHECK_STEPS ? def->rest_steps - done : CHECK_STEPS;
        tw_measure m;
        status = advance(t, part, error);
        if (status == TW_STATUS_OK) status = tw_sim_measure_balance(t->sim, &m, error);
        if (status != TW_STATUS_OK) return status;
        done += part;
        calm = m.unbalanced < def->rest && is_held(t->sim) ? calm + 1 : 0;
    }
    *rested = calm >= CHECKS;
    return status;
}

static tw_status finish(trial *t, int phase, double stress[TW_COMPONENTS], tw_probe_result *result,
                        tw_error *error)
{
    tw_measure m;
    tw_status status = TW_STATUS_OK;
    if (!t->def->statically) status = wait_for_rest(t, &result->rested[phase], error);
    if (status == TW_STATUS_OK) status = tw_sim_measure(t->sim, &m, error);
    if (status != TW_STATUS_OK) return status;
    probe_stress(&m, stress);
    for (int k = 0; k < TW_COMPONENTS; k++)
        stress[k] -= t->start[k];
    result->steps[phase] = t->steps;
    result->unbalanced[phase] = m.unbalanced;
    result->friction_work[phase] = (m.energy.friction - t->friction) / m.volume;
    t->friction = m.energy.friction;
    t->steps = 0;
    return tw_probe_at_limit(t->sim, &result->at_limit[phase], error);
}

static tw_status load(trial *t, int phase, tw_probe_result *result, tw_error *error)
{
    const tw_probe_def *def = t->def;
    tw_status status = TW_STATUS_OK;
    if (def->statically)
        return increase(t, def->by_stress, def->change, &result->rested[phase],
                        &result->limit[phase], error);
    if (def->by_stress) {
        double target[TW_COMPONENTS];
        for (int k = 0; k < TW_COMPONENTS; k++)
            target[k] = t->start[k] + def->change[k];
        status = ramp_stress(t, target, def->magnitude, error);
    } else {
        t->left = def->steps;
        set_strain_rate(t);
    }
    return status == TW_STATUS_OK ? advance(t, def->steps, error) : status;
}

static tw_status unload(trial *t, tw_probe_result *result, tw_error *error)
{
    double kelvin[TW_COMPONENTS];
    tw_status status;
    if (t->def->statically) {
        for (int k = 0; k < TW_COMPONENTS; k++)
            kelvin[k] = -result->stress[k];
        status = increase(t, true, kelvin, &result->rested[TW_PROBE_UNLOAD],
                          &result->limit[TW_PROBE_UNLOAD], error);
    } else {
        tw_probe_kelvin_stress(result->stress, kelvin);
        status = ramp_stress(t, t->start, tw_probe_norm(kelvin), error);
        if (status == TW_STATUS_OK) status = advance(t, t->def->steps, error);
    }
    if (status == TW_STATUS_OK) status = finish(t, TW_PROBE_UNLOAD, result->missed, result, error);
    memcpy(result->left, t->strain, sizeof result->left);
    return status;
}

/* The loading with contacts that slip or not, and for those that slip the unloading. */
static tw_status run_trial(const tw_probe_def *def, const tw_probe_watch *watch, bool slips,
                           tw_probe_result *result, tw_error *error)
{
    trial t = {.def = def, .watch = watch};
    const int phase = slips ? TW_PROBE_LOAD : TW_PROBE_NO_SLIP;
    double *stress = slips ? result->stress : result->no_slip_stress;
    tw_status status = open_copy(&t, slips, error);
    if (status == TW_STATUS_OK && def->statically) status = begin_statically(&t, error);
    if (status == TW_STATUS_OK) status = load(&t, phase, result, error);
    if (status == TW_STATUS_OK) status = finish(&t, phase, stress, result, error);
    memcpy(slips ? result->strain : result->no_slip_strain, t.strain, sizeof t.strain);
    if (status == TW_STATUS_OK && slips && def->unload) status = unload(&t, result, error);
    tw_sim_free(t.sim);
    return status;
}

tw_status tw_probe_run(const tw_probe_def *def, const tw_probe_watch *watch,
                       tw_probe_result *result, tw_error *error)
{
    tw_status status = TW_STATUS_OK;
    memset(result, 0, sizeof *result);
#define UNKNOWN(name, length)                                                                      \
    for (int k = 0; k < (length); k++)                                                             \
        result->name[k] = nan("");
    TW_PROBE_NUMBERS(UNKNOWN)
#undef UNKNOWN
    if (def->load) status = run_trial(def, watch, true, result, error);
    if (def->no_slip && status == TW_STATUS_OK)
        status = run_trial(def, watch, false, result, error);
    return status;
}
