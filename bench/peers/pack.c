/* SPDX-License-Identifier: BSD-3-Clause */
/* Makes the packings that all codes of bench/peers start from.
 *
 *     bench_peers_pack [--clusters] [--side N] [--copies X Y Z] OUT.h5
 *     bench_peers_pack --from TABLE [--hertz] [--copies X Y Z] OUT.h5
 *
 * N^3 (default 22^3 = 10,648) bodies of volume pi/6 and mass 1 in a periodic cube, kn = kt = 1: the
 * diameter (of the sphere of equal volume, for clusters) is the unit of length, sqrt(m/k) that of
 * time. A lattice with random velocities is melted, then compressed without friction in stages that
 * get slower, relaxed, and sheared a little with friction. The relaxed state is written from a
 * fresh simulation: no velocities, no tangential forces, with the law and the triaxial strain rate
 * of the benchmark already set. Copies fill a larger cell with periodic images of the same packing,
 * so that the work per body is the same at every size. --from starts from a table of
 * bench_peers_export, which does not depend on the checkpoint format; with --hertz it is relaxed
 * again with Hertz contacts. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <twirl/math.h>
#include <twirl/sim.h>

#include "../../test/must.h"
#include "peers.h"

typedef struct order {
    int clusters;
    int hertz;
    int side;      /* bodies per edge */
    int copies[3]; /* along x, y, z */
    const char *from, *out;
} order;

/* Density and how it is reached: found by trial, for a mean overlap of 6e-4. */
typedef struct recipe {
    double solid;   /* solid fraction [-] */
    double peak;    /* highest solid fraction on the way, as a multiple of `solid` */
    double dt;      /* time step of the relaxation: stable without friction */
    int rounds;     /* rounds of 500 relaxation steps at the peak */
    uint64_t shear; /* steps of shear, at ten times the rate of the benchmark */
} recipe;

static const recipe spheres = {0.64, 1.0, 0.3, 20, 2000};   /* Z from 6 to 5 */
static const recipe clusters = {0.661, 1.0, 0.15, 10, 700}; /* Z from 12.7 to 11.7 */

static void stop(const tw_error *error)
{
    fprintf(stderr, "bench_peers_pack: %s\n", error->text);
    exit(1);
}

static void must(tw_status status, const tw_error *error)
{
    if (status != TW_STATUS_OK) stop(error);
}

static double uniform(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return (double)((z ^ (z >> 31)) >> 11) * 0x1p-53;
}

static tw_vec3 random_vector(uint64_t *state, double size)
{
    const double x = uniform(state) - 0.5, y = uniform(state) - 0.5, z = uniform(state) - 0.5;
    return tw_vec3_make(2.0 * size * x, 2.0 * size * y, 2.0 * size * z);
}

static tw_sim *empty(tw_mat3 cell)
{
    tw_error error;
    tw_sim_def def = tw_sim_def_default();
    def.cell = cell;
    def.law.kn = def.law.kt = 1.0;
    def.density = PEERS_DENSITY;
    def.dt = PEERS_DT;
    def.dt_forced = 1; /* the same for all codes; the bound is a little lower for some clusters */
    tw_sim *sim = tw_sim_create(&def, &error);
    if (!sim) stop(&error);
    return sim;
}

/* The size at which the cluster has the volume pi/6. */
static double cluster_size(void)
{
    tw_error error;
    tw_sim *sim = empty((tw_mat3){{9.0, 0.0, 0.0, 0.0, 9.0, 0.0, 0.0, 0.0, 9.0}});
    tw_body_def body = tw_body_def_default();
    must(peers_add_cluster(sim, &error), &error);
    body.shape = 1;
    body.size = 1.0;
    must(tw_sim_add_body(sim, &body, NULL, &error), &error);
    const double mass = must_body(sim, 0).mass;
    tw_sim_free(sim);
    return tw_math_cbrt(1.0 / mass);
}

/* A lattice of solid fraction 0.42, hot enough to melt within about 500 units of time. */
static tw_sim *lattice(const order *o)
{
    tw_error error;
    uint64_t state = 7;
    const double a = tw_math_cbrt(1.0 / (PEERS_DENSITY * 0.42)), edge = a * o->side;
    tw_sim *sim = empty((tw_mat3){{edge, 0.0, 0.0, 0.0, edge, 0.0, 0.0, 0.0, edge}});
    tw_body_def body = tw_body_def_default();
    body.size = 0.5;
    if (o->clusters) {
        must(peers_add_cluster(sim, &error), &error);
        body.shape = 1;
        body.size = cluster_size();
    }
    for (int i = 0; i < o->side * o->side * o->side; i++) {
        const int n = o->side;
        const tw_vec3 site = tw_vec3_make(i % n + 0.5, i / n % n + 0.5, i / n / n + 0.5);
        body.x = tw_vec3_scale(a, site);
        body.q.x = uniform(&state) - 0.5;
        body.q.y = uniform(&state) - 0.5;
        body.q.z = uniform(&state) - 0.5;
        body.v = random_vector(&state, 0.03);
        body.w = random_vector(&state, o->clusters ? 0.03 : 0.0);
        must(tw_sim_add_body(sim, &body, NULL, &error), &error);
    }
    return sim;
}

static void report(tw_sim *sim, const char *stage)
{
    const tw_measure m = must_measure(sim);
    fprintf(stderr,
            "%-9s steps %6llu  solid %.5f  contacts %7zu  Z %.3f  overlap %.3e  p %.4e  "
            "unbalanced %.1e\n",
            stage, (unsigned long long)tw_sim_steps(sim), 1.0 - m.porosity, m.contacts,
            m.coordination, m.overlap_mean, m.p, m.unbalanced);
}

/* Isotropic compression or expansion at `rate` per unit of time, to a solid fraction. */
static void compress(tw_sim *sim, double rate, double solid)
{
    tw_error error;
    const tw_measure m = must_measure(sim);
    const double strain = tw_math_log(solid / (1.0 - m.porosity)) / 3.0;
    const double steps = ceil(fabs(strain) / (rate * tw_sim_dt(sim)));
    if (!(steps > 0.0)) return;
    const double exact = -strain / (steps * tw_sim_dt(sim));
    const tw_mat3 in = {{exact, 0.0, 0.0, 0.0, exact, 0.0, 0.0, 0.0, exact}};
    const tw_mat3 rest = {{0.0}};
    tw_sim_set_velocity_gradient(sim, &in);
    must(tw_sim_run(sim, (uint64_t)steps, &error), &error);
    tw_sim_set_velocity_gradient(sim, &rest);
    report(sim, "compress");
}

/* FIRE relaxation: keeps the velocity components along the forces, and stops when they do negative
 * work. Contact damping alone takes ten times as long near jamming. */
typedef struct descent {
    double mixing;
    int downhill; /* steps since it last stopped */
} descent;

static int descend(tw_sim *sim, void *context)
{
    descent *d = context;
    const uint32_t count = (uint32_t)tw_sim_body_count(sim);
    double power = 0.0, ff = 0.0, vv = 0.0;
    for (uint32_t i = 0; i < count; i++) {
        const tw_body_state b = must_body(sim, i);
        power += tw_vec3_dot(b.force, b.v) + tw_vec3_dot(b.torque, b.w);
        ff += tw_vec3_dot(b.force, b.force) + tw_vec3_dot(b.torque, b.torque);
        vv += tw_vec3_dot(b.v, b.v) + tw_vec3_dot(b.w, b.w);
    }
    const int uphill = !(power > 0.0);
    d->downhill = uphill ? 0 : d->downhill + 1;
    d->mixing = uphill ? 0.1 : d->downhill > 5 ? 0.99 * d->mixing : d->mixing;
    const double keep = uphill ? 0.0 : 1.0 - d->mixing;
    const double turn = uphill || !(ff > 0.0) ? 0.0 : d->mixing * sqrt(vv / ff);
    for (uint32_t i = 0; i < count; i++) {
        const tw_body_state b = must_body(sim, i);
        must_set_body_velocity(sim, i, tw_vec3_add_scaled(tw_vec3_scale(keep, b.v), turn, b.force),
                               tw_vec3_add_scaled(tw_vec3_scale(keep, b.w), turn, b.torque));
    }
    return 0;
}

static void settle(tw_sim *sim, int rounds, tw_sim_hook hook)
{
    tw_error error;
    descent d = {0.1, 0};
    for (int k = 0; k < rounds; k++) {
        must(tw_sim_run_hooked(sim, 500, hook, &d, &error), &error);
        report(sim, "settle");
    }
}

static void set_law(tw_sim *sim, double mu, double nu)
{
    tw_error error;
    tw_contact_law law = tw_sim_get_definition(sim).law;
    law.mu = mu;
    law.nu_n = nu;
    must(tw_sim_set_law(sim, &law, &error), &error);
}

/* The same bodies, at rest, in a cell of periodic copies, with this law. */
static tw_sim *replicate(const tw_sim *packed, const int *copies, tw_contact_law law)
{
    tw_error error;
    const tw_mat3 one = tw_sim_cell(packed);
    tw_mat3 cell = one;
    for (int k = 0; k < 9; k++)
        cell.m[k] *= copies[k % 3];
    tw_sim *sim = empty(cell);
    tw_body_def body = tw_body_def_default();
    must(peers_add_cluster(sim, &error), &error); /* shape 1; spheres are shape 0 */
    const size_t count = tw_sim_body_count(packed);
    for (int c = 0; c < copies[0] * copies[1] * copies[2]; c++) {
        const tw_vec3 shift =
            tw_vec3_make(one.m[0] * (c % copies[0]), one.m[4] * (c / copies[0] % copies[1]),
                         one.m[8] * (c / copies[0] / copies[1]));
        for (size_t i = 0; i < count; i++) {
            const tw_body_state from = must_body(packed, (uint32_t)i);
            body.shape = from.shape;
            body.size = from.size;
            body.x = tw_vec3_add(from.x, shift);
            body.q = from.q;
            must(tw_sim_add_body(sim, &body, NULL, &error), &error);
        }
    }
    const tw_mat3 rate = peers_rate(PEERS_STRAIN);
    must(tw_sim_set_law(sim, &law, &error), &error);
    tw_sim_set_velocity_gradient(sim, &rate);
    return sim;
}

/* The bodies of a table of bench_peers_export. */
static tw_sim *read_table(const char *path)
{
    tw_error error;
    char line[512];
    tw_sim *sim = NULL;
    FILE *in = fopen(path, "r");
    while (in && fgets(line, sizeof line, in)) {
        double edge[3];
        tw_body_def b = tw_body_def_default();
        if (sscanf(line, "cell %lf %lf %lf", &edge[0], &edge[1], &edge[2]) == 3) {
            sim = empty((tw_mat3){{edge[0], 0.0, 0.0, 0.0, edge[1], 0.0, 0.0, 0.0, edge[2]}});
            must(peers_add_cluster(sim, &error), &error);
        } else if (sim &&
                   sscanf(line, "body %lf %lf %lf %*f %*f %lf %lf %lf %lf %lf %u", &b.x.x, &b.x.y,
                          &b.x.z, &b.q.w, &b.q.x, &b.q.y, &b.q.z, &b.size, &b.shape) == 9) {
            must(tw_sim_add_body(sim, &b, NULL, &error), &error);
        }
    }
    if (in) fclose(in);
    if (!sim || tw_sim_body_count(sim) == 0) {
        fprintf(stderr, "bench_peers_pack: %s is not a table written by bench_peers_export\n",
                path);
        exit(1);
    }
    return sim;
}

/* Dense and nearly in equilibrium, without friction. */
static tw_sim *jam(const order *o, const recipe *r)
{
    tw_error error;
    tw_sim *sim = lattice(o);
    /* Forced, because the bound includes tangential springs, which have no effect without friction.
     */
    must(tw_sim_set_dt(sim, 0.1, 1, &error), &error);
    must(tw_sim_run(sim, 5000, &error), &error);
    report(sim, "melt");
    set_law(sim, 0.0, 0.1);
    compress(sim, 2e-4, 0.95 * r->solid);
    compress(sim, 2e-5, 0.99 * r->solid);
    compress(sim, 1e-5, r->peak * r->solid);
    set_law(sim, 0.0, 0.0);
    must(tw_sim_set_dt(sim, r->dt, 1, &error), &error);
    settle(sim, r->rounds, descend);
    compress(sim, 1e-4, r->solid);
    settle(sim, 6, descend);
    return sim;
}

/* Relaxed `times` times from the same positions without tangential forces, because the benchmark
 * starts from such a state and should start in equilibrium; before the first, `shear` steps of
 * shear with friction, which opens contacts. */
static tw_sim *loosen(tw_sim *sim, tw_contact_law law, uint64_t shear, int times)
{
    tw_error error;
    const int once[3] = {1, 1, 1};
    const tw_mat3 rest = {{0.0}};
    for (int k = 0; k < times; k++) {
        tw_sim *fresh = replicate(sim, once, law);
        tw_sim_free(sim);
        sim = fresh;
        must(tw_sim_set_damping(sim, 0.05, 0.05, 0.0, &error), &error);
        if (k == 0 && shear > 0) {
            const tw_mat3 rate = peers_rate(10.0 * PEERS_STRAIN);
            tw_sim_set_velocity_gradient(sim, &rate);
            must(tw_sim_run(sim, shear, &error), &error);
            report(sim, "shear");
        }
        tw_sim_set_velocity_gradient(sim, &rest);
        settle(sim, 1, NULL);
    }
    return sim;
}

static tw_sim *pack(const order *o)
{
    const recipe *r = o->clusters ? &clusters : &spheres;
    return loosen(jam(o, r), peers_law(), r->shear, 3);
}

static int read_arguments(int argc, char **argv, order *o)
{
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--clusters") == 0)
            o->clusters = 1;
        else if (strcmp(argv[i], "--hertz") == 0)
            o->hertz = 1;
        else if (strcmp(argv[i], "--side") == 0 && i + 1 < argc)
            o->side = atoi(argv[++i]);
        else if (strcmp(argv[i], "--from") == 0 && i + 1 < argc)
            o->from = argv[++i];
        else if (strcmp(argv[i], "--copies") == 0 && i + 3 < argc)
            for (int k = 0; k < 3; k++)
                o->copies[k] = atoi(argv[++i]);
        else if (argv[i][0] != '-' && !o->out)
            o->out = argv[i];
        else
            return 0;
    }
    return o->out && o->side > 0 && o->copies[0] > 0 && o->copies[1] > 0 && o->copies[2] > 0;
}

int main(int argc, char **argv)
{
    tw_error error;
    order o = {0, 0, 22, {1, 1, 1}, NULL, NULL};
    if (!read_arguments(argc, argv, &o)) {
        fprintf(stderr, "usage: bench_peers_pack [--clusters] [--side N] [--from TABLE] "
                        "[--hertz] [--copies X Y Z] OUT.h5\n");
        return 2;
    }
    tw_sim *packed = o.from ? read_table(o.from) : pack(&o);
    /* No step, but it builds the index of bodies; without it each lookup is a linear search. */
    must(tw_sim_prepare(packed, &error), &error);
    const tw_contact_law law = o.hertz ? peers_hertz_law() : peers_law();
    if (o.hertz) packed = loosen(packed, law, 0, 3);
    tw_sim *sim = replicate(packed, o.copies, law);
    tw_sim_free(packed);
    must(tw_sim_save(sim, o.out, &error), &error);
    report(sim, "written");
    tw_sim_free(sim);
    return 0;
}
