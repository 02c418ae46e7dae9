/* SPDX-License-Identifier: BSD-3-Clause */
#include "scene.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <twirl/math.h>

#include "../../test/must.h"
#include "search/search.h"
#include "sim/sim_internal.h"

enum { SIDE = 10, PACKED = SIDE * SIDE * SIDE };

static const double density = 6.0 / TW_MATH_PI; /* mass 1 for a diameter of 1 */
static const double pressure = 1e-3, friction = 0.5, viscosity = 0.1;
static const double slow = 1e-5; /* shear rate: inertial number 4.5e-4 */

static void stop(const char *text)
{
    fprintf(stderr, "scene: %s\n", text);
    exit(1);
}

static void must(tw_status status, const tw_error *error)
{
    if (status != TW_STATUS_OK) stop(error->text);
}

void scene_run(tw_sim *sim, uint64_t steps)
{
    tw_error error;
    must(tw_sim_run(sim, steps, &error), &error);
}

static double uniform(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return (double)((z ^ (z >> 31)) >> 11) * 0x1p-53;
}

static void set_gradient(tw_sim *sim, double x, double y, double z)
{
    const tw_mat3 gradient = {{x, 0.0, 0.0, 0.0, y, 0.0, 0.0, 0.0, z}};
    tw_sim_set_velocity_gradient(sim, &gradient);
}

/* Shorter along z, wider along x and y, at constant volume. */
static void shear(tw_sim *sim, double rate)
{
    set_gradient(sim, 0.5 * rate, 0.5 * rate, -rate);
}

static void set_friction(tw_sim *sim, double mu)
{
    tw_error error;
    tw_contact_law law = tw_sim_get_definition(sim).law;
    law.mu = mu;
    must(tw_sim_set_law(sim, &law, &error), &error);
}

static void set_damping(tw_sim *sim, double rate)
{
    tw_error error;
    must(tw_sim_set_damping(sim, rate, rate, 0.0, &error), &error);
}

static tw_sim *empty(tw_mat3 cell, int clusters, int hertz, int threads)
{
    tw_error error;
    tw_sim_def def = tw_sim_def_default();
    def.cell = cell;
    def.law.kn = def.law.kt = 1.0;
    if (hertz) {
        def.law.normal = TW_CONTACT_HERTZ;
        def.law.kn = 15.0;
        def.law.kt = 20.0;
    }
    def.law.mu = friction;
    def.law.nu_n = viscosity;
    def.density = density;
    def.threads = threads;
    tw_sim *sim = tw_sim_create(&def, &error);
    if (!sim) stop(error.text);
    if (clusters) must_add_shape_bumpy(sim, 6, 0.6, 0.8, 0.64);
    return sim;
}

/* ---- The packing ---- */

/* Separate bodies with random offsets and orientations; size ratio up to 1.5, so that no crystal
 * forms. */
static tw_sim *loose(int clusters, int hertz)
{
    const double pitch = clusters ? 1.4 : 1.3, mean = clusters ? 0.41 : 0.5;
    const double edge = pitch * SIDE, reach = clusters ? 1.24 : 1.0;
    const tw_mat3 cell = {{edge, 0.0, 0.0, 0.0, edge, 0.0, 0.0, 0.0, edge}};
    tw_error error;
    tw_sim *sim = empty(cell, clusters, hertz, 1);
    uint64_t state = 7;
    tw_body_def body = tw_body_def_default();
    body.shape = (uint32_t)clusters;
    for (int i = 0; i < PACKED; i++) {
        body.size = mean * (0.8 + 0.4 * uniform(&state));
        const double room = pitch - 2.0 * reach * body.size;
        body.x.x = pitch * (i % SIDE) + room * uniform(&state);
        body.x.y = pitch * (i / SIDE % SIDE) + room * uniform(&state);
        body.x.z = pitch * (i / SIDE / SIDE) + room * uniform(&state);
        body.q.x = uniform(&state) - 0.5;
        body.q.y = uniform(&state) - 0.5;
        body.q.z = uniform(&state) - 0.5;
        must(tw_sim_add_body(sim, &body, NULL, &error), &error);
    }
    return sim;
}

/* Compresses fast until the bodies carry load, then by servo until they are in equilibrium under
 * the pressure. */
static int press(tw_sim *sim, void *context)
{
    int *settled = context;
    if (tw_sim_steps(sim) % 20 != 0) return 0;
    const tw_measure m = must_measure(sim);
    const double fast = 3e-3, lack = 1.0 - m.p / pressure;
    const double rate =
        m.p < 0.01 * pressure ? fast : fast * tw_math_min(1.0, tw_math_max(-1.0, 0.1 * lack));
    set_gradient(sim, -rate, -rate, -rate);
    *settled = fabs(lack) < 0.05 && m.unbalanced < 5e-3 ? *settled + 1 : 0;
    return *settled > 5;
}

/* A cell of copies, at rest, without tangential forces. */
static tw_sim *copy(const tw_sim *packed, const size_t *times, int threads)
{
    tw_error error;
    const tw_mat3 one = tw_sim_cell(packed);
    tw_mat3 all = one;
    for (int k = 0; k < 9; k++)
        all.m[k] *= (double)times[k % 3];
    const int hertz = tw_sim_get_definition(packed).law.normal == TW_CONTACT_HERTZ;
    tw_sim *sim = empty(all, must_body(packed, 0).shape == 1, hertz, threads);
    tw_body_def body = tw_body_def_default();
    for (size_t c = 0; c < times[0] * times[1] * times[2]; c++) {
        const size_t image[3] = {c % times[0], c / times[0] % times[1], c / times[0] / times[1]};
        for (uint32_t id = 0; id < tw_sim_body_count(packed); id++) {
            const tw_body_state from = must_body(packed, id);
            body.shape = from.shape;
            body.size = from.size;
            body.q = from.q;
            body.x.x = from.x.x + one.m[0] * (double)image[0];
            body.x.y = from.x.y + one.m[4] * (double)image[1];
            body.x.z = from.x.z + one.m[8] * (double)image[2];
            must(tw_sim_add_body(sim, &body, NULL, &error), &error);
        }
    }
    return sim;
}

/* Copies have no tangential forces. The packing is relaxed from that state, so that its copies
 * start in equilibrium. */
static tw_sim *rest(tw_sim *sim)
{
    const size_t once[3] = {1, 1, 1};
    for (int k = 0; k < 3; k++) {
        tw_sim *fresh = copy(sim, once, 1);
        tw_sim_free(sim);
        sim = fresh;
        set_damping(sim, 0.05);
        scene_run(sim, 1000);
    }
    return sim;
}

/* Low friction and damping during compression, to get a dense packing quickly. */
static tw_sim *pack(int clusters, int hertz)
{
    tw_error error;
    tw_sim *sim = loose(clusters, hertz);
    int settled = 0;
    set_friction(sim, 0.1);
    set_damping(sim, 0.003);
    const tw_status status = tw_sim_run_hooked(sim, 300000, press, &settled, &error);
    if (status == TW_STATUS_OK) stop("the packing does not reach equilibrium");
    if (status != TW_STATUS_INTERRUPTED) stop(error.text);
    return rest(sim);
}

static tw_sim *load(const char *path, int clusters, int hertz)
{
    tw_error error;
    FILE *file = fopen(path, "rb");
    if (!file) return NULL;
    fclose(file);
    tw_sim *sim = tw_sim_load(path, &error);
    if (!sim) stop(error.text);
    if (tw_sim_body_count(sim) != PACKED || must_body(sim, 0).shape != (uint32_t)clusters ||
        (tw_sim_get_definition(sim).law.normal == TW_CONTACT_HERTZ) != hertz)
        stop("the file holds another packing; choose another file name");
    return sim;
}

/* ---- Scenes ---- */

/* Copies along each edge: as close to the requested number as possible with edges that differ by at
 * most a factor of two. */
static void choose_times(double wanted, size_t *times)
{
    double best = HUGE_VAL;
    const size_t most = 2 * (size_t)ceil(tw_math_cbrt(wanted));
    for (size_t a = 1; a <= most; a++) {
        for (size_t b = a; b <= 2 * a; b++) {
            for (size_t c = b; c <= 2 * a; c++) {
                const double off = fabs((double)(a * b * c) - wanted);
                if (off > best) continue;
                best = off;
                times[0] = a;
                times[1] = b;
                times[2] = c;
            }
        }
    }
}

tw_sim *scene_make(const scene_def *def)
{
    tw_error error;
    size_t times[3];
    tw_sim *packed = def->packing ? load(def->packing, def->clusters, def->hertz) : NULL;
    if (!packed) {
        packed = pack(def->clusters, def->hertz);
        if (def->packing) must(tw_sim_save(packed, def->packing, &error), &error);
    }
    choose_times((double)def->count / PACKED, times);
    tw_sim *sim = copy(packed, times, def->threads);
    tw_sim_free(packed);
    set_damping(sim, 0.05);
    scene_run(sim, SCENE_WARM - 100);
    set_damping(sim, 0.0);
    shear(sim, slow);
    scene_run(sim, 100);
    /* In the first list of a simulation every pair is a candidate, touching pairs included. The
     * measured steps must not use that list. */
    tw_sim_internal_use_threads(sim);
    must(tw_search_refresh(&sim->model, &sim->state, &sim->schedule, &error), &error);
    return sim;
}
