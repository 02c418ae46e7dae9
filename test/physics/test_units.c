/* SPDX-License-Identifier: BSD-3-Clause */
/* Every measure of a state, recomputed from the lists of contacts and bodies. */
#include "packing.h"

#include <stdlib.h>
#include <string.h>

#include "../must.h"

typedef struct view {
    tw_sim *sim;
    tw_measure m;
    tw_contact_state *contacts;
    size_t count, bodies;
} view;

static view view_of(tw_sim *sim)
{
    view v;
    v.sim = sim;
    v.m = must_measure(sim);
    v.contacts = scene_contacts(sim, &v.count);
    v.bodies = tw_sim_body_count(sim);
    return v;
}

static void view_free(view *v)
{
    free(v->contacts);
    tw_sim_free(v->sim);
}

/* Bumpy grains during shear. */
static view sheared_grains(void)
{
    packing_def def = packing_def_default();
    def.side = 4;
    tw_sim *sim = packing_make(&def);
    const tw_mat3 shear = packing_shear(4.0 * packing_slow_rate());
    tw_sim_set_velocity_gradient(sim, &shear);
    scene_run(sim, 1500);
    return view_of(sim);
}

/* Spheres compressed without friction, then with or without friction, released until many contacts
 * are lost. Many of them are rattlers then, some only after other rattlers are removed. */
static view loose_spheres(double friction)
{
    packing_def def = packing_def_default();
    def.bumpy = 0;
    def.friction = 0.0;
    tw_sim *sim = packing_make(&def);
    tw_contact_law law = packing_law();
    law.mu = friction;
    scene_set_law(sim, &law);
    const size_t pressed = must_contacts(sim);
    const tw_mat3 swell = tensor_diagonal(0.5, 0.5, 0.5);
    tw_sim_set_velocity_gradient(sim, &swell);
    while (3 * must_contacts(sim) > 2 * pressed)
        scene_run(sim, 1);
    return view_of(sim);
}

/* Spheres between a floor and a lid, periodic along x and y, compressed by the lid. */
static view pressed_layer(void)
{
    const int side = scene_thorough() ? 4 : 3;
    const double r = 1e-3, pitch = 2.05 * r, width = side * pitch;
    support_random random = {5};
    tw_sim_def def = tw_sim_def_default();
    def.cell = tensor_diagonal(width, width, width);
    def.periodic[2] = 0;
    def.law = packing_law();
    def.damping_mass = 3e3;
    def.damping_spin = 3e3;
    tw_sim *sim = scene_create(&def);
    const tw_vec3 none = {0.0, 0.0, 0.0};
    for (int i = 0; i < side * side * side; i++) {
        const int k[3] = {i % side, i / side % side, i / side / side};
        const tw_vec3 jitter = tw_vec3_scale(0.02 * r, support_unit(&random));
        const tw_vec3 x =
            tw_vec3_make(pitch * (k[0] + 0.5) + jitter.x, pitch * (k[1] + 0.5) + jitter.y,
                         pitch * (k[2] + 0.5) + jitter.z);
        const tw_body_def body = scene_sphere(r, x, none, none);
        scene_add(sim, &body);
    }
    tw_wall_def wall = tw_wall_def_default();
    assert_int_equal(must_add_wall(sim, &wall), 0);
    wall.point.z = width;
    wall.normal.z = -1.0;
    wall.servo = 1;
    wall.force = 5.0; /* overlaps of about 1e-3 R */
    wall.v_max = 0.2;
    assert_int_equal(must_add_wall(sim, &wall), 1);
    for (int i = 0; i < 100; i++) {
        scene_run(sim, 1000);
        const double lid = must_wall(sim, 1).force.z, ground = must_wall(sim, 0).force.z;
        if (fabs(lid - wall.force) < 1e-4 * wall.force && fabs(lid + ground) < 1e-4 * wall.force)
            break;
    }
    return view_of(sim);
}

static int to_wall(const tw_contact_state *c)
{
    return c->body_q == TW_NO_BODY;
}

static double unbalanced_of(const view *v)
{
    double sum = 0.0;
    for (uint32_t id = 0; id < v->bodies; id++)
        sum += tw_vec3_norm(must_body(v->sim, id).force);
    return sum / (double)v->bodies;
}

static void check_sums(const view *v)
{
    tw_mat3 stress = tensor_zero(), fabric = tensor_zero();
    double overlap = 0.0, deepest = 0.0, force = 0.0, whole = 0.0;
    size_t walls = 0, sliding = 0;
    for (size_t i = 0; i < v->count; i++) {
        const tw_contact_state *c = &v->contacts[i];
        stress = tensor_add_scaled(stress, -1.0 / v->m.volume, tensor_outer(c->branch, c->force));
        fabric = tensor_add_scaled(fabric, 1.0 / (double)v->count, tensor_outer(c->n, c->n));
        overlap += c->zeta / (double)v->count;
        deepest = fmax(deepest, c->zeta);
        force += c->fn / (double)v->count;
        whole += tw_vec3_norm(c->force) / (double)v->count;
        walls += (size_t)to_wall(c);
        sliding += (size_t)(c->sliding != 0);
    }
    /* Rounding of sums of about 500 terms. */
    expect_at_most(tensor_distance(stress, v->m.stress), 1e-12 * tensor_norm(stress));
    expect_at_most(tensor_distance(fabric, v->m.fabric), 1e-13);
    expect_at_most(fabs(v->m.fabric.m[0] + v->m.fabric.m[4] + v->m.fabric.m[8] - 1.0), 1e-13);
    const double *f = fabric.m, xy = f[0] - f[4], yz = f[4] - f[8], zx = f[8] - f[0];
    const double shears = f[1] * f[1] + f[2] * f[2] + f[5] * f[5];
    const double deviator = sqrt(0.5 * (xy * xy + yz * yz + zx * zx) + 3.0 * shears);
    expect_at_most(fabs(v->m.fabric_deviator - deviator), 1e-13);
    expect_at_most(fabs(v->m.p - (stress.m[0] + stress.m[4] + stress.m[8]) / 3.0),
                   1e-12 * tensor_norm(stress));
    expect_at_most(fabs(v->m.overlap_mean / overlap - 1.0), 1e-12);
    assert_true(v->m.overlap_max == deepest);
    expect_at_most(fabs(v->m.force_mean / force - 1.0), 1e-12);
    expect_at_most(fabs(v->m.unbalanced - unbalanced_of(v) / whole), 1e-10 * v->m.unbalanced);
    assert_int_equal(v->m.contacts, v->count);
    assert_int_equal(v->m.wall_contacts, walls);
    assert_int_equal(v->m.sliding, sliding);
    expect_at_most(fabs(v->m.sliding_fraction - (double)sliding / (double)v->count), 1e-15);
    const double ends = 2.0 * (double)v->count - (double)walls;
    expect_at_most(fabs(v->m.coordination - ends / (double)v->bodies), 1e-12);
}

static tw_mat3 deviator_of(tw_mat3 t)
{
    const double p = (t.m[0] + t.m[4] + t.m[8]) / 3.0;
    for (int i = 0; i < 3; i++) {
        for (int j = i; j < 3; j++) {
            const double mean = 0.5 * (t.m[3 * i + j] + t.m[3 * j + i]) - (i == j ? p : 0.0);
            t.m[3 * i + j] = t.m[3 * j + i] = mean;
        }
    }
    return t;
}

static double product_of(tw_mat3 a, tw_mat3 b)
{
    double sum = 0.0;
    for (int k = 0; k < 9; k++)
        sum += a.m[k] * b.m[k];
    return sum;
}

/* Moments of directions, branch lengths and forces over the contacts (docs/theory/measures.md). */
static void check_anisotropy(const view *v)
{
    tw_mat3 fabric = tensor_zero(), length = fabric, push = fabric, whole = fabric, strong = fabric;
    double mean = 0.0, lengths = 0.0, pushes = 0.0;
    size_t above = 0;
    for (size_t i = 0; i < v->count; i++)
        mean += v->contacts[i].fn / (double)v->count;
    for (size_t i = 0; i < v->count; i++) {
        const tw_contact_state *c = &v->contacts[i];
        const double b = tw_vec3_dot(c->branch, c->n), f = -tw_vec3_dot(c->force, c->n);
        const tw_mat3 nn = tensor_outer(c->n, c->n);
        fabric = tensor_add_scaled(fabric, 1.0 / (double)v->count, nn);
        length = tensor_add_scaled(length, b, nn);
        push = tensor_add_scaled(push, f, nn);
        whole = tensor_add_scaled(whole, -1.0, tensor_outer(c->force, c->n));
        lengths += b;
        pushes += f;
        if (fabs(c->fn / mean - 1.0) < 1e-9) fail_msg("a contact with the mean force");
        if (c->fn < mean) continue;
        above++;
        strong = tensor_add_scaled(strong, -1.0 / v->m.volume, tensor_outer(c->branch, c->force));
    }
    const tw_mat3 a_c = tensor_add_scaled(tensor_zero(), 7.5, deviator_of(fabric));
    const tw_mat3 with_d = tensor_add_scaled(tensor_zero(), 7.5 / lengths, deviator_of(length));
    const tw_mat3 with_n = tensor_add_scaled(tensor_zero(), 7.5 / pushes, deviator_of(push));
    const tw_mat3 with_t = tensor_add_scaled(tensor_zero(), 7.5 / pushes, deviator_of(whole));
    const tw_mat3 expected[] = {
        a_c, tensor_add_scaled(with_d, -1.0, a_c), tensor_add_scaled(with_n, -1.0, a_c),
        tensor_add_scaled(tensor_add_scaled(tensor_zero(), 2.0 / 3.0, with_t), -2.0 / 3.0, with_n)};
    const tw_anisotropy *a = &v->m.anisotropy;
    const tw_mat3 found[] = {a->contacts, a->branches, a->normal, a->tangential};
    const double parts[] = {a->a_c, a->a_d, a->a_n, a->a_t};
    const tw_mat3 s = deviator_of(v->m.stress);
    const double q = sqrt(1.5 * product_of(s, s));
    double sum = 0.0;
    for (int k = 0; k < 4; k++) { /* rounding of sums of about 500 terms */
        expect_at_most(tensor_distance(found[k], expected[k]), 1e-12);
        expect_at_most(fabs(parts[k] - 1.5 * product_of(expected[k], s) / q), 1e-11);
        sum += (k == 3 ? 0.6 : 0.4) * parts[k];
    }
    expect_at_most(fabs(a->sum - sum), 1e-13);
    expect_at_most(fabs(v->m.strong_fraction - (double)above / (double)v->count), 1e-14);
    expect_at_most(fabs(v->m.strong_p - (strong.m[0] + strong.m[4] + strong.m[8]) / 3.0 / v->m.p),
                   1e-11);
    expect_at_most(fabs(v->m.strong_q - product_of(strong, s) / product_of(s, s)), 1e-10);
    assert_in_range(above, v->count / 10, v->count * 9 / 10);
}

/* Pairs of spheres far from each other, whose directions, radii and forces follow distributions
 * about z of second order, of given coefficients: g = c^2 - 1/3 of the cosine c to the axis. */
typedef struct planted {
    double a_c, a_d, a_n, a_t;
} planted;

enum { PLANTED_BANDS = 120, PLANTED_ROUND = 12 }; /* equal numbers of contacts; around the axis */

/* Where the share u of the contacts has a smaller cosine: c + a_c (c^3 - c)/3 = u. */
static double planted_cosine(double a_c, double u)
{
    double c = u;
    for (int k = 0; k < 50; k++)
        c -= (c + a_c * (c * c * c - c) / 3.0 - u) / (1.0 + a_c * (c * c - 1.0 / 3.0));
    return c;
}

static tw_sim *planted_make(const planted *a)
{
    enum { COUNT = PLANTED_BANDS * PLANTED_ROUND, SIDE = 12 };
    const double radius = 0.01, kn = 1e6, f0 = 1e-3 * kn * 1e-3 * radius, room = 8.0 * radius;
    tw_sim_def def = tw_sim_def_default();
    def.cell = tensor_diagonal(SIDE * room, SIDE * room, SIDE * room);
    def.law = support_law(kn, kn, 10.0);
    tw_sim *sim = scene_create(&def);
    for (int k = 0; k < COUNT; k++) {
        const double c = planted_cosine(a->a_c, (k / PLANTED_ROUND + 0.5) / PLANTED_BANDS);
        const double turn = 2.0 * acos(-1.0) * (k % PLANTED_ROUND) / PLANTED_ROUND;
        const double s = sqrt(1.0 - c * c), g = c * c - 1.0 / 3.0;
        const tw_vec3 n = {s * cos(turn), s * sin(turn), c};
        tw_body_def body = tw_body_def_default();
        body.size = radius * (1.0 + a->a_d * g);
        body.x = tw_vec3_make(room * (k % SIDE + 0.5), room * (k / SIDE % SIDE + 0.5),
                              room * (k / (SIDE * SIDE) + 0.5));
        scene_add(sim, &body);
        const double overlap = f0 * (1.0 + a->a_n * g) / kn;
        body.x = tw_vec3_add_scaled(body.x, 2.0 * body.size - overlap, n);
        scene_add(sim, &body);
    }
    must_measure(sim);
    size_t count;
    tw_error error;
    tw_contact_state *contacts = scene_contacts(sim, &count);
    assert_int_equal(count, COUNT);
    for (size_t i = 0; i < count; i++) {
        tw_contact_state *c = &contacts[i];
        const double z = c->n.z, g = z * z - 1.0 / 3.0;
        const tw_vec3 along = {-c->n.x / 3.0, -c->n.y / 3.0, 2.0 * z / 3.0};
        const tw_vec3 ft = tw_vec3_scale(-f0 * a->a_t, tw_vec3_add_scaled(along, -g, c->n));
        c->force = tw_vec3_add(c->force, tw_vec3_sub(ft, c->ft));
        c->ft = ft;
    }
    must_succeed(tw_sim_set_contacts(sim, contacts, count, NULL, &error), &error);
    free(contacts);
    return sim;
}

/* Means over the contacts in closed form: of g^2 over c from 0 to 1 4/45, of g^3 16/945. */
static void check_planted(const planted *a)
{
    tw_sim *sim = planted_make(a);
    const tw_measure m = must_measure(sim);
    const double g2 = 4.0 / 45.0, g3 = 16.0 / 945.0;
    const double p_d = a->a_c * a->a_d, p_n = a->a_c * a->a_n;
    const double with_d = 11.25 * ((a->a_c + a->a_d) * g2 + p_d * g3) / (1.0 + p_d * g2);
    const double with_n = 11.25 * ((a->a_c + a->a_n) * g2 + p_n * g3) / (1.0 + p_n * g2);
    const double a_t = a->a_t * (1.0 + 2.0 / 21.0 * a->a_c) / (1.0 + p_n * g2);
    /* The rule of middles of 120 bands, and overlaps of 1e-6 of a radius in the branches. */
    const double close = 1e-4;
    expect_at_most(fabs(m.anisotropy.a_c - a->a_c), close);
    expect_at_most(fabs(m.anisotropy.a_d - (with_d - a->a_c)), close);
    expect_at_most(fabs(m.anisotropy.a_n - (with_n - a->a_c)), close);
    expect_at_most(fabs(m.anisotropy.a_t - a_t), close);
    /* The coefficients come back up to products with a_c ... */
    expect_at_most(fabs(m.anisotropy.a_n - a->a_n), 0.2 * fabs(p_n) * (1.0 + a->a_n) + close);
    expect_at_most(fabs(m.anisotropy.a_t - a->a_t), 0.2 * fabs(a->a_t) * a->a_c + close);
    /* ... and the sum is q/p up to products with a_d. */
    expect_at_most(fabs(m.anisotropy.sum - m.q / m.p),
                   0.1 * fabs(a->a_d) * (a->a_c + a->a_n + a->a_t) + close);
    print_message("a_c %.4f, a_d %.4f, a_n %.4f, a_t %.4f: sum %.4f, q/p %.4f\n", m.anisotropy.a_c,
                  m.anisotropy.a_d, m.anisotropy.a_n, m.anisotropy.a_t, m.anisotropy.sum,
                  m.q / m.p);
    tw_sim_free(sim);
}

static void anisotropies_of_planted_distributions_come_back(void **state)
{
    (void)state;
    const planted cases[] = {{0.01, 0.0, 0.02, 0.01}, {0.5, 0.0, 0.0, 0.0}, {0.0, 0.0, 0.8, 0.0},
                             {0.0, 0.0, 0.0, 0.3},    {0.9, 0.0, 1.3, 0.3}, {0.6, 0.1, 0.8, 0.3}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
        check_planted(&cases[k]);
}

/* `changed`: friction has just been lowered, and forces are beyond their limits. */
static void check_mobilisation(const view *v, int changed)
{
    const double mu = tw_sim_get_definition(v->sim).law.mu;
    double bins[TW_MOBILISATION_BINS] = {0}, sum = 0.0, off = 0.0, border = 0.0, mean = 0.0;
    for (size_t i = 0; i < v->count; i++) {
        const tw_contact_state *c = &v->contacts[i];
        /* Without friction every contact is fully mobilised. */
        const double used = mu > 0.0 ? tw_vec3_norm(c->ft) / (mu * c->fn) : 1.0;
        if (!changed) expect_at_most(used, 1.0 + 1e-12);
        mean += fmin(used, 1.0) / (double)v->count;
        const double place = used * TW_MOBILISATION_BINS, share = 1.0 / (double)v->count;
        bins[(int)fmin(place, TW_MOBILISATION_BINS - 1)] += share;
        /* One on the border of two bins, up to rounding, may be in either. */
        if (fabs(place - round(place)) < 1e-9 && round(place) < TW_MOBILISATION_BINS && place > 0.0)
            border += share;
        if (c->sliding) expect_at_least(used, 1.0 - 1e-9);
    }
    for (int k = 0; k < TW_MOBILISATION_BINS; k++) {
        sum += v->m.mobilisation[k];
        off += fabs(v->m.mobilisation[k] - bins[k]);
    }
    expect_at_most(fabs(sum - 1.0), 1e-12);
    expect_at_most(off, 2.0 * border + 1e-12);
    expect_at_most(fabs(v->m.friction_mobilised - mean), 1e-12);
}

/* Removes bodies that carry no load until none is left: those with fewer than two contacts with
 * remaining bodies, or fewer than four for a sphere without friction. */
static void check_rattlers(const view *v)
{
    int *gone = calloc(v->bodies, sizeof *gone);
    int *left = calloc(v->bodies, sizeof *left);
    assert_true(gone != NULL && left != NULL);
    const int slippery = !(tw_sim_get_definition(v->sim).law.mu > 0.0);
    size_t rattlers = 0, before;
    double ends = 0.0, constraints = 0.0;
    do {
        before = rattlers;
        ends = constraints = 0.0;
        memset(left, 0, v->bodies * sizeof *left);
        for (size_t i = 0; i < v->count; i++) {
            const tw_contact_state *c = &v->contacts[i];
            const int wall = to_wall(c);
            if (gone[c->body_p] || (!wall && gone[c->body_q])) continue;
            left[c->body_p]++;
            if (!wall) left[c->body_q]++;
            ends += wall ? 1.0 : 2.0;
            constraints += slippery || c->sliding ? 1.0 : 3.0;
        }
        for (uint32_t id = 0; id < v->bodies; id++) {
            const int least = slippery && must_body(v->sim, id).shape == 0 ? 4 : 2;
            if (gone[id] || left[id] >= least) continue;
            gone[id] = 1;
            rattlers++;
        }
    } while (rattlers != before);
    double freedoms = 0.0;
    for (uint32_t id = 0; id < v->bodies; id++)
        if (!gone[id]) freedoms += slippery && must_body(v->sim, id).shape == 0 ? 3.0 : 6.0;
    assert_int_equal(v->m.rattlers, rattlers);
    unsigned char *list = calloc(v->bodies, 1);
    must_succeed(tw_sim_get_rattlers(v->sim, list, v->bodies, NULL), NULL);
    for (size_t id = 0; id < v->bodies; id++)
        assert_int_equal(list[id], gone[id]);
    free(list);
    if (freedoms > 0.0) expect_at_most(fabs(v->m.redundancy - constraints / freedoms), 1e-12);
    if (rattlers < v->bodies)
        expect_at_most(fabs(v->m.coordination_mechanical - ends / (double)(v->bodies - rattlers)),
                       1e-12);
    free(gone);
    free(left);
}

static void check_bodies(const view *v)
{
    double mass = 0.0;
    tw_mat3 kinetic = tensor_zero();
    for (uint32_t id = 0; id < v->bodies; id++) {
        const tw_body_state b = must_body(v->sim, id);
        mass += b.mass;
        kinetic =
            tensor_add_scaled(kinetic, b.mass / v->m.volume, tensor_outer(b.v_half, b.v_half));
    }
    const double solid = mass / tw_sim_get_definition(v->sim).density;
    expect_at_most(fabs(v->m.solid_volume / solid - 1.0), 1e-12);
    expect_at_most(fabs(v->m.volume / fabs(tensor_det(tw_sim_cell(v->sim))) - 1.0), 1e-12);
    expect_at_most(fabs(v->m.porosity - (1.0 - solid / v->m.volume)), 1e-12);
    expect_at_most(fabs(v->m.void_ratio - (v->m.volume / solid - 1.0)), 1e-12);
    expect_at_most(tensor_distance(kinetic, v->m.stress_kinetic), 1e-12 * tensor_norm(kinetic));
}

static void check_all(view v)
{
    check_sums(&v);
    check_anisotropy(&v);
    check_mobilisation(&v, 0);
    check_rattlers(&v);
    check_bodies(&v);
    view_free(&v);
}

static void measures_of_sheared_clusters_agree_with_the_lists(void **state)
{
    (void)state;
    const view v = sheared_grains();
    print_message("%zu contacts, %zu slide, %zu rattlers\n", v.count, v.m.sliding, v.m.rattlers);
    assert_true(v.m.sliding > 3);
    check_all(v);
}

static void measures_of_spheres_with_rattlers_agree_with_the_lists(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++) {
        const view v = loose_spheres(i ? 0.5 : 0.0);
        print_message("%zu contacts, %zu slide, %zu rattlers\n", v.count, v.m.sliding,
                      v.m.rattlers);
        assert_true(v.m.rattlers > 0);
        check_all(v);
    }
}

/* Forces beyond their limits by any factor are in the last bin; so are those beyond 1/DBL_MAX of a
 * limit, of which the quotient is infinite. */
static void forces_beyond_a_lower_friction_limit_count_as_mobilised(void **state)
{
    (void)state;
    static const double frictions[] = {1e-8, 1e-9, 1e-18, 1e-300, 5e-324, 0.0};
    view v = sheared_grains();
    for (size_t i = 0; i < sizeof frictions / sizeof *frictions; i++) {
        tw_contact_law law = tw_sim_get_definition(v.sim).law;
        law.mu = frictions[i];
        scene_set_law(v.sim, &law);
        v.m = must_measure(v.sim);
        check_mobilisation(&v, 1);
        /* Some contacts of frictional grains have a tangential force of exactly 0: new ones. */
        expect_at_least(v.m.mobilisation[TW_MOBILISATION_BINS - 1], 0.9);
    }
    view_free(&v);
}

static void measures_between_walls_agree_with_the_lists(void **state)
{
    (void)state;
    view v = pressed_layer();
    print_message("%zu contacts, %zu with walls, %zu rattlers\n", v.count, v.m.wall_contacts,
                  v.m.rattlers);
    assert_true(v.m.wall_contacts > 3);
    check_all(v);
}

/* If every body is in equilibrium, the sum of b (x) f over contacts equals that of x (x) f over the
 * contact points of walls; so the vertical stress times the volume is the force of the lid times
 * the height, up to the overlaps. The grains are in equilibrium to 1e-4 of the force. */
static void stress_of_a_layer_equals_the_load_of_the_lid(void **state)
{
    (void)state;
    view v = pressed_layer();
    const tw_wall_state lid = must_wall(v.sim, 1), ground = must_wall(v.sim, 0);
    const double height = lid.point.z - ground.point.z, found = v.m.stress.m[8] * v.m.volume;
    double pushed = 0.0, deepest = 0.0;
    for (size_t i = 0; i < v.count; i++) {
        const tw_contact_state *c = &v.contacts[i];
        if (!to_wall(c)) continue;
        pushed -= c->point.z * c->force.z;
        deepest = fmax(deepest, c->zeta);
    }
    expect_at_most(fabs(lid.force.z / -ground.force.z - 1.0), 1e-3);
    expect_at_most(fabs(found / pushed - 1.0), 1e-3);
    expect_at_most(fabs(found / (lid.force.z * height) - 1.0), 1e-3 + deepest / height);
    view_free(&v);
}

/* |deviator| d sqrt(rho/p), with the diameter of the sphere of a grain's volume. */
static void inertial_number_agrees_with_its_definition(void **state)
{
    (void)state;
    view v = sheared_grains();
    const double rate = 4.0 * packing_slow_rate();
    double diameter = 0.0;
    for (uint32_t id = 0; id < v.bodies; id++)
        diameter += cbrt(6.0 / SUPPORT_PI * must_body(v.sim, id).mass / 2650.0) / (double)v.bodies;
    /* Deviatoric strain rate sqrt(2/3 d:d), which is the axial rate in triaxial compression. */
    expect_at_most(fabs(v.m.inertial_number / (rate * diameter * sqrt(2650.0 / v.m.p)) - 1.0),
                   1e-6);
    view_free(&v);
}

/* A contact with the own image of a rattler is one contact, though of two ends. */
static void a_rattler_may_touch_its_own_image(void **state)
{
    (void)state;
    tw_sim_def def = tw_sim_def_default();
    def.cell = tensor_diagonal(0.19, 1.0, 1.0);
    def.law = support_law(1e6, 1e6, 0.0);
    tw_sim *sim = scene_create(&def);
    tw_body_def body = tw_body_def_default();
    body.size = 0.1;
    scene_add(sim, &body);
    body.size = 0.05;
    body.x = tw_vec3_make(0.0, 0.5, 0.5);
    body.fixed = 1; /* no rattler */
    scene_add(sim, &body);
    const tw_measure m = must_measure(sim);
    assert_int_equal(m.contacts, 1);
    assert_int_equal(m.rattlers, 1);
    expect_at_most(m.coordination, 1.0);
    expect_at_most(fabs(m.coordination_mechanical), 0.0);
    tw_sim_free(sim);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(anisotropies_of_planted_distributions_come_back),
        cmocka_unit_test(measures_of_sheared_clusters_agree_with_the_lists),
        cmocka_unit_test(measures_of_spheres_with_rattlers_agree_with_the_lists),
        cmocka_unit_test(a_rattler_may_touch_its_own_image),
        cmocka_unit_test(forces_beyond_a_lower_friction_limit_count_as_mobilised),
        cmocka_unit_test(measures_between_walls_agree_with_the_lists),
        cmocka_unit_test(stress_of_a_layer_equals_the_load_of_the_lid),
        cmocka_unit_test(inertial_number_agrees_with_its_definition),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
