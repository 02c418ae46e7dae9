/* SPDX-License-Identifier: BSD-3-Clause */
/* The tangent of a state against differences of the contact kernel: random crowds of spheres and
 * clusters, between walls and in periodic cells, with every law. */
#include "crowd.h"
#include "support.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <twirl/statics.h>

#include "base/mat3.h"
#include "base/quat.h"
#include "must.h"

/* ---- Forces after a finite motion, by the kernel ---- */

typedef struct state {
    tw_sim *sim;
    tw_body_state *body;
    tw_sphere_state *sphere;
    tw_contact_state *contact;
    size_t *first;
    size_t bodies, contacts;
} state;

static state look(tw_sim *sim)
{
    tw_error error;
    state s = {.sim = sim, .bodies = tw_sim_body_count(sim)};
    must_prepare(sim);
    must_succeed(tw_sim_contact_count(sim, &s.contacts, &error), &error);
    s.body = calloc(s.bodies, sizeof *s.body);
    s.sphere = calloc(tw_sim_sphere_count(sim), sizeof *s.sphere);
    s.contact = calloc(s.contacts, sizeof *s.contact);
    s.first = calloc(s.bodies + 1, sizeof *s.first);
    must_succeed(tw_sim_get_bodies(sim, s.body, s.bodies, &error), &error);
    must_succeed(tw_sim_get_contacts(sim, s.contact, s.contacts, &error), &error);
    tw_sim_get_spheres(sim, s.sphere, tw_sim_sphere_count(sim), NULL);
    for (size_t i = 0; i < tw_sim_sphere_count(sim); i++)
        s.first[s.sphere[i].body + 1] = i + 1;
    return s;
}

static void forget(state *s)
{
    free(s->body);
    free(s->sphere);
    free(s->contact);
    free(s->first);
    tw_sim_free(s->sim);
}

static tw_vec3 read3(const double *v)
{
    return tw_vec3_make(v[0], v[1], v[2]);
}

static void add3(double *out, double sign, tw_vec3 v)
{
    out[0] += sign * v.x;
    out[1] += sign * v.y;
    out[2] += sign * v.z;
}

/* Where a body is: displacement with the cell, and the offset of a sphere after the rotation. */
static tw_vec3 moved(const state *s, const double *z, uint32_t body)
{
    const tw_mat3 *gradient = (const tw_mat3 *)(const void *)(z + 6 * s->bodies);
    return tw_vec3_add(read3(z + 6 * body), tw_mat3_mul_vec(*gradient, s->body[body].x));
}

static tw_vec3 offset(const state *s, const double *z, uint32_t body, uint32_t member, tw_vec3 *old)
{
    *old = tw_vec3_sub(s->sphere[s->first[body] + member].x, s->body[body].x);
    return tw_quat_rotate(tw_quat_from_rotation(read3(z + 6 * body + 3)), *old);
}

/* Adds minus force, minus torque and moment of contact `c` after the motion z. */
static void add_contact(const state *s, const double *z, const tw_contact_state *c, double *out)
{
    const int wall = c->body_q == TW_NO_BODY;
    const double rp = s->sphere[s->first[c->body_p] + c->member_p].radius;
    const double rq = wall ? 0.0 : s->sphere[s->first[c->body_q] + c->member_q].radius;
    const double lever = wall ? rp : rp * rq / (rp + rq);
    tw_vec3 dp0, dq0;
    const tw_vec3 dp = offset(s, z, c->body_p, c->member_p, &dp0);
    const tw_vec3 up = tw_vec3_add(moved(s, z, c->body_p), tw_vec3_sub(dp, dp0));
    tw_contact_law law;
    tw_error error;
    uint32_t other = 0;
    if (wall) {
        tw_wall_state at = must_wall(s->sim, c->member_q);
        other = at.material;
    } else {
        other = s->body[c->body_q].material;
    }
    must_succeed(tw_sim_get_pair_law(s->sim, s->body[c->body_p].material, other, &law, &error),
                 &error);
    tw_contact_memory memory = {c->n, c->zeta, c->ft};
    tw_contact_parts extra = {.fr = c->fr, .fw = c->mt / lever};
    tw_contact_load load;
    tw_contact_motion motion;
    tw_vec3 dq = {0, 0, 0},
            b = tw_vec3_scale(-1.0, tw_vec3_add(s->body[c->body_p].x, moved(s, z, c->body_p)));
    if (wall) {
        const tw_contact_plane plane = {.normal = tw_vec3_scale(-1.0, c->n),
                                        .distance = rp - c->zeta - tw_vec3_dot(c->n, up),
                                        .moved = tw_vec3_scale(-1.0, up),
                                        .turn_p = read3(z + 6 * c->body_p + 3),
                                        .radius = rp};
        motion = tw_contact_plane_motion(TW_CONTACT_EXACT, &plane, &memory);
    } else {
        const tw_mat3 *gradient = (const tw_mat3 *)(const void *)(z + 6 * s->bodies);
        dq = offset(s, z, c->body_q, c->member_q, &dq0);
        const tw_vec3 between =
            tw_vec3_add(tw_vec3_sub(read3(z + 6 * c->body_q), read3(z + 6 * c->body_p)),
                        tw_mat3_mul_vec(*gradient, c->branch));
        const tw_vec3 turned = tw_vec3_sub(tw_vec3_sub(dq, dq0), tw_vec3_sub(dp, dp0));
        b = tw_vec3_add(c->branch, between);
        const tw_contact_pair pair = {.branch = tw_vec3_add(tw_vec3_scale(rp + rq - c->zeta, c->n),
                                                            tw_vec3_add(between, turned)),
                                      .turn_p = read3(z + 6 * c->body_p + 3),
                                      .turn_q = read3(z + 6 * c->body_q + 3),
                                      .radius_p = rp,
                                      .radius_q = rq};
        motion = tw_contact_pair_motion(TW_CONTACT_EXACT, &pair, &memory);
    }
    law.nu_n = law.nu_t = law.nu_r = law.nu_w = 0.0;
    support_advance(&law, &motion, 1.0, &memory, &extra, &load);
    assert_true(load.touching && !load.sliding);
    const tw_vec3 ap = tw_vec3_add_scaled(dp, rp - 0.5 * memory.zeta, memory.n);
    add3(out + 6 * c->body_p, -1.0, load.f);
    add3(out + 6 * c->body_p + 3, -1.0, tw_vec3_add(tw_vec3_cross(ap, load.f), load.couple));
    const double f[3] = {load.f.x, load.f.y, load.f.z};
    for (int i = 0; i < 3; i++)
        add3(out + 6 * s->bodies + 3 * i, f[i], b);
    if (wall) return;
    const tw_vec3 aq = tw_vec3_add_scaled(dq, 0.5 * memory.zeta - rq, memory.n);
    add3(out + 6 * c->body_q, 1.0, load.f);
    add3(out + 6 * c->body_q + 3, 1.0, tw_vec3_add(tw_vec3_cross(aq, load.f), load.couple));
}

/* |K z - (r(z) - r(-z))/2| over |K z|, of bodies and of the cell, extrapolated from z and z/2. The
 * error that this takes away is of order z |z|: Hertz contacts differ in growing and shrinking. */
static void compare(const state *s, const tw_statics *statics, double *z, double off[2])
{
    const size_t n = tw_statics_size(statics), cell = n - 9;
    double *kz = calloc(n, sizeof *kz), *r[4] = {0};
    tw_statics_product(statics, z, kz);
    for (int k = 0; k < 4; k++) {
        r[k] = calloc(n, sizeof *r[k]);
        for (size_t c = 0; c < s->contacts; c++)
            add_contact(s, z, &s->contact[c], r[k]);
        for (size_t i = 0; i < n; i++)
            z[i] *= k == 1 ? -0.5 : -1.0;
    }
    for (int part = 0; part < 2; part++) {
        double rest = 0.0, all = 0.0;
        for (size_t i = part ? cell : 0; i < (part ? n : cell); i++) {
            const double whole = 0.5 * (r[0][i] - r[1][i]), half = 0.5 * (r[2][i] - r[3][i]);
            const double difference = 4.0 * half - whole;
            rest += (kz[i] - difference) * (kz[i] - difference);
            all += kz[i] * kz[i];
        }
        off[part] = sqrt(rest / all);
    }
    for (int k = 0; k < 4; k++)
        free(r[k]);
    free(kz);
}

static tw_contact_law sticky(int normal, double rolling)
{
    tw_contact_law law = tw_contact_law_default();
    law.kn = 1e6;
    law.kt = 0.8e6;
    law.mu = 1e6; /* nothing slides */
    law.normal = normal;
    if (rolling > 0.0) {
        law.k_r = rolling * law.kt;
        law.k_w = 0.5 * rolling * law.kt;
        law.mu_r = law.mu_w = 1e6;
    }
    return law;
}

/* The smallest overlap, in sizes of the first body. */
static double least_overlap(const state *s)
{
    double least = HUGE_VAL;
    for (size_t k = 0; k < s->contacts; k++)
        least = fmin(least, s->contact[k].zeta / s->body[0].size);
    return least;
}

/* A crowd with tangential forces and couples; the first from `seed` on whose overlaps are large
 * enough for differences. */
static state make_crowd(uint64_t seed, int clusters, int walls, const tw_contact_law *law)
{
    for (;; seed += 100) {
        tw_error error;
        crowd_def def = crowd_def_default(seed);
        def.clusters = clusters;
        def.law = *law;
        def.walls = walls;
        for (int k = 0; k < 3; k++)
            def.periodic[k] = walls ? k != 2 : 1;
        def.overlap = 0.2;
        def.room = 4.0;
        def.tries = 150;
        def.speed = 5.0;
        tw_sim *sim = crowd_make(&def);
        must_succeed(tw_sim_run(sim, 4, &error), &error);
        state s = look(sim);
        if (least_overlap(&s) > 1e-3) return s;
        forget(&s);
    }
}

static tw_statics *must_create(tw_sim *sim, int geometric)
{
    tw_error error;
    tw_statics_def how = tw_statics_def_default();
    how.geometric = geometric;
    tw_statics *statics = tw_statics_create(sim, &how, &error);
    must_succeed(statics ? TW_STATUS_OK : error.status, &error);
    return statics;
}

static void compare_crowd(const char *name, uint64_t seed, int clusters, int walls,
                          const tw_contact_law *law, int geometric, double bound)
{
    state s = make_crowd(seed, clusters, walls, law);
    tw_statics *statics = must_create(s.sim, geometric);
    double tangential = 0.0, rolling = 0.0;
    size_t at_walls = 0;
    for (size_t k = 0; k < s.contacts; k++) {
        at_walls += s.contact[k].body_q == TW_NO_BODY;
        tangential = fmax(tangential, tw_vec3_norm(s.contact[k].ft) / s.contact[k].fn);
        rolling = fmax(rolling, tw_vec3_norm(s.contact[k].fr) / s.contact[k].fn);
    }
    assert_true(s.contacts > 20 && tangential > 0.01);
    assert_true(!walls || at_walls > 0);
    assert_true(!(law->k_r > 0.0) || rolling > 1e-3);
    const size_t n = tw_statics_size(statics);
    double *z = calloc(n, sizeof *z), off[2];
    support_random random = {seed};
    const double size = 1e-4 * least_overlap(&s) * s.body[0].size;
    for (size_t i = 0; i < n; i++) {
        const double one = support_uniform(&random, -1.0, 1.0);
        z[i] = size * one / (i < n - 9 && i % 6 < 3 ? 1.0 : s.body[0].size);
    }
    compare(&s, statics, z, off);
    printf("%s: %zu contacts, smallest overlap %.1e, differences %.1e bodies, %.1e cell\n", name,
           s.contacts, least_overlap(&s), off[0], off[1]);
    if (geometric) {
        assert_true(off[0] < bound);
        assert_true(off[1] < bound);
    } else {
        assert_true(off[0] > 1e-4); /* the geometric terms are seen */
    }
    free(z);
    tw_statics_free(statics);
    forget(&s);
}

/* Differences of the motion h have an error of rounding, 1e-16 of the forces over k h, and one of
 * order (h/overlap)^2: about 1e-9 here, with overlaps that are not too small. */
static void test_every_law_by_differences(void **context)
{
    (void)context;
    const tw_contact_law linear = sticky(TW_CONTACT_LINEAR, 0.0);
    const tw_contact_law hertz = sticky(TW_CONTACT_HERTZ, 0.0);
    const tw_contact_law rolling = sticky(TW_CONTACT_LINEAR, 0.3);
    tw_contact_law hertz_rolling = sticky(TW_CONTACT_HERTZ, 0.3);
    hertz_rolling.flags = TW_CONTACT_BY_RADIUS | TW_CONTACT_YADE_LEVERS;
    for (int clusters = 0; clusters < 2; clusters++) {
        for (int walls = 0; walls < 2; walls++) {
            compare_crowd("linear", 1, clusters, walls, &linear, 1, 1e-8);
            compare_crowd("hertz", 2, clusters, walls, &hertz, 1, 1e-8);
            compare_crowd("rolling", 3, clusters, walls, &rolling, 1, 1e-8);
            compare_crowd("hertz, rolling, by radius", 4, clusters, walls, &hertz_rolling, 1, 1e-8);
        }
    }
    compare_crowd("without geometric terms", 1, 1, 0, &linear, 0, 0.0);
}

/* Turning everything turns forces, torques and moments, and changes nothing else. */
static void test_a_rigid_rotation_turns_the_forces(void **context)
{
    (void)context;
    for (int rolling = 0; rolling < 2; rolling++) {
        const tw_contact_law law = sticky(TW_CONTACT_LINEAR, 0.3 * rolling);
        state s = make_crowd(7, 1, 0, &law);
        tw_statics *statics = must_create(s.sim, 1);
        const size_t n = tw_statics_size(statics), cell = n - 9;
        double *z = calloc(n, sizeof *z), *kz = calloc(n, sizeof *kz), *r = calloc(n, sizeof *r);
        const tw_vec3 w = {0.3, -0.5, 0.8};
        const tw_mat3 spin = tw_mat3_cross(w);
        for (size_t k = 0; k < s.contacts; k++)
            add_contact(&s, z, &s.contact[k], r); /* before the rotation */
        for (size_t i = 0; i < cell; i += 6)
            add3(z + i + 3, 1.0, w);
        memcpy(z + cell, spin.m, sizeof spin.m);
        tw_statics_product(statics, z, kz);
        double off = 0.0, scale = 0.0;
        for (size_t i = 0; i < cell; i += 3) {
            const tw_vec3 turned = tw_vec3_cross(w, read3(r + i));
            const double lever = i % 6 == 0 ? 1.0 : s.body[i / 6].size;
            off = support_most(off, tw_vec3_norm(tw_vec3_sub(read3(kz + i), turned)) / lever);
        }
        tw_mat3 moment;
        memcpy(moment.m, r + cell, sizeof moment.m);
        const tw_mat3 turned =
            tw_mat3_add(tw_mat3_mul(spin, moment), tw_mat3_mul(moment, tw_mat3_transpose(spin)));
        for (size_t k = 0; k < 9; k++)
            off = support_most(off, fabs(kz[cell + k] - turned.m[k]) / s.body[0].size);
        /* What the stiffnesses of the contacts of a body would make of the motion: rounding. */
        double *stiffness = calloc(s.bodies, sizeof *stiffness);
        for (size_t k = 0; k < s.contacts; k++) {
            const double one = law.kn * tw_vec3_norm(s.contact[k].branch) * tw_vec3_norm(w);
            stiffness[s.contact[k].body_p] += one;
            stiffness[s.contact[k].body_q] += one;
        }
        for (size_t i = 0; i < s.bodies; i++)
            scale = fmax(scale, stiffness[i]);
        free(stiffness);
        expect_at_most(off / scale, 1e-15);
        free(z);
        free(kz);
        free(r);
        tw_statics_free(statics);
        forget(&s);
    }
}

static void test_states_without_a_tangent_are_refused(void **context)
{
    (void)context;
    const tw_statics_def how = tw_statics_def_default();
    const tw_vec3 none = {0.0, 0.0, 0.0}, far = {1.999, 0.0, 0.0}, fast = {1e200, 0.0, 0.0};
    tw_error error;
    tw_sim_def def = tw_sim_def_default();
    def.cell = tw_mat3_diagonal(10.0, 10.0, 10.0);
    def.law = support_law(1e6, 1e6, 0.5);
    tw_sim *sim = scene_create(&def);
    assert_null(tw_statics_create(sim, &how, &error));
    assert_string_equal(error.text, "the state has no bodies");
    const tw_body_def first = scene_sphere(1.0, none, none, none),
                      second = scene_sphere(1.0, far, none, none);
    scene_add(sim, &first);
    scene_add(sim, &second);
    tw_statics_free(must_create(sim, 1));
    must_set_body_velocity(sim, 0, fast, none);
    assert_int_equal(tw_sim_run(sim, 1, &error), TW_STATUS_PHYSICS);
    assert_null(tw_statics_create(sim, &how, &error)); /* it has failed */
    assert_int_equal(error.status, TW_STATUS_PHYSICS);
    print_message("%s\n", error.text);
    tw_sim_free(sim);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_law_by_differences),
        cmocka_unit_test(test_a_rigid_rotation_turns_the_forces),
        cmocka_unit_test(test_states_without_a_tangent_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
