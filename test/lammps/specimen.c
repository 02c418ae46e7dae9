/* SPDX-License-Identifier: BSD-3-Clause */
/* A specimen for LAMMPS, and the results of the engine for it: the reference of test_engine.py.
 *
 *     lammps_specimen PREFIX SIDE spheres|clusters triaxial|shear RATE STEPS EVERY [hertz]
 *
 * SIDE^3 bodies are compressed, then deformed with friction until the contacts carry tangential
 * forces. That state is written for LAMMPS: PREFIX.data, PREFIX.contacts, for clusters
 * PREFIX.bodies. Box and bodies already include the affine part of the next step, because fix
 * deform applies it at the end of a step and the engine at the beginning. Then the engine deforms
 * the specimen further by RATE per step: PREFIX.curve has time and stress every EVERY steps,
 * PREFIX.forces the contacts at the end. hertz: Hertz contacts with rolling and twisting resistance
 * in place of linear springs. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <twirl/sim.h>

#include "../must.h"
#include "../seed.h"

#define DT 0.05

typedef struct order {
    const char *prefix;
    int side, clusters, shear;
    double rate;
    uint64_t steps, every;
    int hertz;
} order;

static tw_error error;

static void must(int good)
{
    if (good) return;
    fprintf(stderr, "lammps_specimen: %s\n", error.text[0] ? error.text : "failed");
    exit(1);
}

static void run(tw_sim *sim, tw_mat3 rate, uint64_t steps)
{
    tw_sim_set_velocity_gradient(sim, &rate);
    must(tw_sim_run(sim, steps, &error) == TW_STATUS_OK);
}

static tw_mat3 isotropic(double rate)
{
    const double r = rate / DT;
    return (tw_mat3){{r, 0.0, 0.0, 0.0, r, 0.0, 0.0, 0.0, r}};
}

/* A lattice of bodies of several sizes and random orientations, compressed without friction until
 * it carries load. */
static tw_sim *pack(const order *o)
{
    uint64_t state = seed_or(11);
    const double a = o->clusters ? 1.9 : 1.2, edge = a * o->side;
    tw_sim_def def = tw_sim_def_default();
    def.cell = (tw_mat3){{edge, 0.0, 0.0, 0.0, edge, 0.0, 0.0, 0.0, edge}};
    def.law.kn = def.law.kt = 1.0;
    def.law.nu_n = def.law.nu_t = 0.1;
    def.density = 6.0 / 3.14159265358979324;
    def.dt = DT;
    def.dt_forced = 1; /* some seeds pack a cluster so that the bound of the step is 0.96 DT */
    def.threads = 1;
    tw_sim *sim = tw_sim_create(&def, &error);
    must(sim != NULL);
    tw_body_def body = tw_body_def_default();
    if (o->clusters) {
        body.shape = must_add_shape_bumpy(sim, 6, 0.6, 0.8, 0.64);
    }
    for (int i = 0; i < o->side * o->side * o->side; i++) {
        const int n = o->side;
        body.size = 0.45 + 0.1 * seed_uniform(&state);
        body.x = tw_vec3_make(a * (i % n + 0.5), a * (i / n % n + 0.5), a * (i / n / n + 0.5));
        body.q.w = 1.0;
        body.q.x = seed_uniform(&state) - 0.5;
        body.q.y = seed_uniform(&state) - 0.5;
        body.q.z = seed_uniform(&state) - 0.5;
        body.v.x = 0.04 * (seed_uniform(&state) - 0.5);
        body.v.y = 0.04 * (seed_uniform(&state) - 0.5);
        body.v.z = 0.04 * (seed_uniform(&state) - 0.5);
        must(tw_sim_add_body(sim, &body, NULL, &error) == TW_STATUS_OK);
    }
    /* Fast while loose; then with pauses, so that the stress is that of a packing, up to overlaps
     * of about 1e-3 diameters. */
    while (1.0 - must_measure(sim).porosity < 0.58)
        run(sim, isotropic(-1e-4), 50);
    must(tw_sim_set_damping(sim, 0.5, 0.5, 0.0, &error) == TW_STATUS_OK);
    do {
        run(sim, isotropic(-2e-5), 50);
        run(sim, isotropic(0.0), 300);
    } while (must_measure(sim).p < 1e-3);
    must(tw_sim_set_damping(sim, 0.0, 0.0, 0.0, &error) == TW_STATUS_OK);
    return sim;
}

static tw_mat3 path(const order *o, double rate)
{
    const double r = rate / DT;
    if (o->shear) return (tw_mat3){{0.0, r, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0}};
    return (tw_mat3){{0.5 * r, 0.0, 0.0, 0.0, 0.5 * r, 0.0, 0.0, 0.0, -r}};
}

/* LAMMPS neglects a term of the order of rate times velocity for bodies that move relative to the
 * cell; at small velocities it is far below the tolerance. */
static void calm(tw_sim *sim, tw_mat3 rest)
{
    must(tw_sim_set_damping(sim, 0.5, 0.5, 0.0, &error) == TW_STATUS_OK);
    run(sim, rest, 2000);
    must(tw_sim_set_damping(sim, 0.0, 0.0, 0.0, &error) == TW_STATUS_OK);
}

static FILE *open_file(const order *o, const char *what)
{
    char name[512];
    snprintf(name, sizeof name, "%s.%s", o->prefix, what);
    FILE *file = fopen(name, "w");
    if (!file) {
        perror(name);
        exit(1);
    }
    return file;
}

/* Velocities at the full step: half a kick later than those of the engine. LAMMPS adds the other
 * half. It moves bodies with (1 - L dt/2)^-1 v (engine.md, equation 4). */
static tw_vec3 velocity(const tw_body_state *b, const tw_mat3 *l)
{
    const tw_vec3 v = tw_vec3_add_scaled(b->v_half, 0.5 * DT / b->mass, b->force);
    return tw_vec3_make((v.x + 0.5 * DT * l->m[1] * v.y) / (1.0 - 0.5 * DT * l->m[0]),
                        v.y / (1.0 - 0.5 * DT * l->m[4]), v.z / (1.0 - 0.5 * DT * l->m[8]));
}

static tw_vec3 spin(const tw_body_state *b)
{
    return tw_vec3_add_scaled(b->w_half, 0.5 * DT / b->inertia.x, b->torque);
}

/* Positions in the cell and image flags. The cell is upper triangular. */
static tw_vec3 wrap(const tw_mat3 *h, tw_vec3 x, int image[3])
{
    image[2] = (int)floor(x.z / h->m[8]);
    x = tw_vec3_add_scaled(x, -image[2], tw_vec3_make(h->m[2], h->m[5], h->m[8]));
    image[1] = (int)floor(x.y / h->m[4]);
    x = tw_vec3_add_scaled(x, -image[1], tw_vec3_make(h->m[1], h->m[4], 0.0));
    image[0] = (int)floor((x.x - h->m[1] / h->m[4] * x.y) / h->m[0]);
    return tw_vec3_add_scaled(x, -image[0], tw_vec3_make(h->m[0], 0.0, 0.0));
}

/* The affine displacement of a step (engine.md, equation 4), for a path as above. */
static tw_vec3 affine(const tw_mat3 *l, tw_vec3 x)
{
    const double a[3] = {0.5 * DT * l->m[0], 0.5 * DT * l->m[4], 0.5 * DT * l->m[8]};
    return tw_vec3_make((1.0 + a[0]) / (1.0 - a[0]) * x.x + DT * l->m[1] * x.y,
                        (1.0 + a[1]) / (1.0 - a[1]) * x.y, (1.0 + a[2]) / (1.0 - a[2]) * x.z);
}

static tw_mat3 next_cell(const tw_sim *sim, const tw_mat3 *l)
{
    const tw_mat3 h = tw_sim_cell(sim);
    tw_mat3 out;
    for (int k = 0; k < 3; k++) {
        const tw_vec3 edge = affine(l, tw_vec3_make(h.m[k], h.m[3 + k], h.m[6 + k]));
        out.m[k] = edge.x;
        out.m[3 + k] = edge.y;
        out.m[6 + k] = edge.z;
    }
    return out;
}

static void write_data(const order *o, const tw_sim *sim, const tw_sphere_state *spheres)
{
    const size_t count = tw_sim_sphere_count(sim);
    const tw_mat3 l = path(o, o->rate), h = next_cell(sim, &l);
    FILE *file = open_file(o, "data");
    fprintf(file, "specimen\n\n%zu atoms\n1 atom types\n", count);
    fprintf(file, "0 %.17g xlo xhi\n0 %.17g ylo yhi\n0 %.17g zlo zhi\n", h.m[0], h.m[4], h.m[8]);
    if (o->shear) fprintf(file, "%.17g %.17g %.17g xy xz yz\n", h.m[1], h.m[2], h.m[5]);
    fprintf(file, "\nAtoms\n\n");
    for (size_t i = 0; i < count; i++) {
        const tw_sphere_state *s = &spheres[i];
        const tw_body_state b = must_body(sim, s->body);
        int image[3];
        const tw_vec3 offset = tw_vec3_sub(s->x, b.x);
        const tw_vec3 x = wrap(&h, tw_vec3_add(affine(&l, b.x), offset), image);
        /* Members of a cluster share its mass; the mass of the body is in the file of bodies. */
        const double mass = b.mass / (o->clusters ? 7.0 : 1.0);
        const double density = mass / (4.0 / 3.0 * 3.14159265358979324 * pow(s->radius, 3.0));
        if (o->clusters)
            fprintf(file, "%zu 1 %.17g %.17g %.17g %.17g %.17g %u", i + 1, x.x, x.y, x.z,
                    2.0 * s->radius, density, s->body + 1);
        else
            fprintf(file, "%zu 1 %.17g %.17g %.17g %.17g %.17g", i + 1, 2.0 * s->radius, density,
                    x.x, x.y, x.z);
        fprintf(file, " %d %d %d\n", image[0], image[1], image[2]);
    }
    fprintf(file, "\nVelocities\n\n");
    for (size_t i = 0; i < count; i++) {
        const tw_body_state b = must_body(sim, spheres[i].body);
        const tw_vec3 v = velocity(&b, &l), w = spin(&b);
        fprintf(file, "%zu %.17g %.17g %.17g %.17g %.17g %.17g\n", i + 1, v.x, v.y, v.z, w.x, w.y,
                w.z);
    }
    fclose(file);
}

static void write_bodies(const order *o, const tw_sim *sim)
{
    const tw_mat3 l = path(o, o->rate), h = next_cell(sim, &l);
    FILE *file = open_file(o, "bodies");
    fprintf(file, "%zu\n", tw_sim_body_count(sim));
    for (uint32_t i = 0; i < tw_sim_body_count(sim); i++) {
        const tw_body_state b = must_body(sim, i);
        int image[3];
        const tw_vec3 x = wrap(&h, affine(&l, b.x), image), v = velocity(&b, &l);
        const tw_vec3 momentum = tw_vec3_scale(b.inertia.x, spin(&b));
        fprintf(file, "%u %.17g %.17g %.17g %.17g %.17g %.17g %.17g 0 0 0", i + 1, b.mass, x.x, x.y,
                x.z, b.inertia.x, b.inertia.y, b.inertia.z);
        fprintf(file, " %.17g %.17g %.17g %.17g %.17g %.17g %d %d %d\n", v.x, v.y, v.z, momentum.x,
                momentum.y, momentum.z, image[0], image[1], image[2]);
    }
    fclose(file);
}

/* The number of a sphere in the data file. */
static size_t id_of(const order *o, uint32_t body, uint32_t member)
{
    return o->clusters ? 7 * (size_t)body + member + 1 : body + 1;
}

/* Of a contact between spheres. */
static double reduced_radius(const tw_sim *sim, const tw_contact_state *c)
{
    const double p = must_body(sim, c->body_p).size, q = must_body(sim, c->body_q).size;
    return p * q / (p + q);
}

/* As stiff as the linear law at an overlap of 1e-3. */
static void set_hertz(tw_contact_law *law)
{
    law->normal = TW_CONTACT_HERTZ;
    law->kn = law->kt = law->k_r = law->k_w = 30.0;
    law->mu_r = 0.05;
    law->mu_w = 0.03;
    law->nu_n = law->nu_t = 0.5;
}

static void write_contacts(const order *o, const tw_sim *sim, const char *what)
{
    const size_t count = must_contacts(sim);
    tw_contact_state *contacts = malloc((count + 1) * sizeof *contacts);
    must(contacts != NULL);
    must_get_contacts(sim, contacts);
    FILE *file = open_file(o, what);
    fprintf(file, "# twirl contacts 2\n%zu drag rate%s\n", count, o->hertz ? " fr fw" : "");
    for (size_t i = 0; i < count; i++) {
        const tw_contact_state *c = &contacts[i];
        const tw_vec3 elastic = tw_vec3_add_scaled(c->ft, -c->fn, c->n);
        const tw_vec3 drag = tw_vec3_sub(c->force, elastic);
        fprintf(file, "%zu %zu %.17g %.17g %.17g %.17g %.17g %.17g %.17g %.17g %.17g %.17g",
                id_of(o, c->body_p, c->member_p), id_of(o, c->body_q, c->member_q), c->n.x, c->n.y,
                c->n.z, c->zeta, c->ft.x, c->ft.y, c->ft.z, drag.x, drag.y, drag.z);
        fprintf(file, " %.17g %.17g %.17g", c->rate.x, c->rate.y, c->rate.z);
        if (o->hertz)
            fprintf(file, " %.17g %.17g %.17g %.17g", c->fr.x, c->fr.y, c->fr.z,
                    c->mt / reduced_radius(sim, c));
        fprintf(file, "\n");
    }
    fclose(file);
    free(contacts);
}

static void write_curve(const order *o, tw_sim *sim)
{
    FILE *file = open_file(o, "curve");
    const tw_mat3 rate = path(o, o->rate);
    for (uint64_t step = o->every; step <= o->steps; step += o->every) {
        run(sim, rate, o->every);
        const tw_measure m = must_measure(sim);
        fprintf(file, "%llu %.17g %.17g %.17g %.17g\n", (unsigned long long)step, m.stress.m[0],
                m.stress.m[4], m.stress.m[8], 0.5 * (m.stress.m[1] + m.stress.m[3]));
    }
    fclose(file);
}

int main(int argc, char **argv)
{
    if (argc != 8 && argc != 9) {
        fprintf(stderr, "usage: lammps_specimen PREFIX SIDE spheres|clusters triaxial|shear RATE "
                        "STEPS EVERY [hertz]\n");
        return 2;
    }
    const order o = {argv[1],
                     atoi(argv[2]),
                     !strcmp(argv[3], "clusters"),
                     !strcmp(argv[4], "shear"),
                     atof(argv[5]),
                     (uint64_t)atoll(argv[6]),
                     (uint64_t)atoll(argv[7]),
                     argc == 9};
    tw_sim *sim = pack(&o);
    tw_contact_law law = tw_sim_get_definition(sim).law;
    law.mu = 0.55;
    if (o.hertz) set_hertz(&law);
    must(tw_sim_set_law(sim, &law, &error) == TW_STATUS_OK);
    run(sim, path(&o, 1e-6), 1500);
    calm(sim, path(&o, 0.0));
    const size_t count = tw_sim_sphere_count(sim);
    tw_sphere_state *spheres = malloc(count * sizeof *spheres);
    must(spheres != NULL);
    tw_sim_get_spheres(sim, spheres, count, NULL);
    write_data(&o, sim, spheres);
    write_contacts(&o, sim, "contacts");
    if (o.clusters) write_bodies(&o, sim);
    write_curve(&o, sim);
    write_contacts(&o, sim, "forces");
    free(spheres);
    tw_sim_free(sim);
    return 0;
}
