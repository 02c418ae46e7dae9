/* SPDX-License-Identifier: BSD-3-Clause */
/* Compares forces and torques of the engine at every step with a loop over all pairs in all images,
 * which calls the contact kernel and keeps its own memories. */
#include "../must.h"
#include "../parts.h"
#include "crowd.h"

#include <stdlib.h>
#include <string.h>

/* Memory of a contact, identified by its spheres and the position of the image. */
typedef struct recall {
    uint32_t p, q;
    int wall;
    tw_vec3 branch;
    tw_contact_memory memory;
    tw_contact_parts extra;
} recall;

typedef struct history {
    recall *all;
    size_t count;
} history;

/* One contact after a step. */
typedef struct load {
    crowd_touch touch;
    tw_contact_memory memory;
    tw_contact_parts extra;
    tw_contact_load load;
} load;

typedef struct tally {
    size_t contacts, walls, fresh, sliding, ended;
    size_t
        returned; /* new contacts in a step in which one of the bodies was wrapped into the cell */
    double worst_contact, worst_force, worst_torque, worst_couple;
    double largest_couple;
} tally;

/* The image of the old branch vector nearest to the new one: no body moves by half a cell. */
static tw_vec3 old_branch(const crowd_view *old, const crowd_touch *t)
{
    const tw_vec3 between = tw_vec3_sub(old->spheres[t->q].x, old->spheres[t->p].x);
    const tw_vec3 s = tensor_apply(old->inverse, tw_vec3_sub(t->branch, between));
    const tw_vec3 whole =
        tw_vec3_make(old->periodic[0] ? rint(s.x) : 0.0, old->periodic[1] ? rint(s.y) : 0.0,
                     old->periodic[2] ? rint(s.z) : 0.0);
    return tw_vec3_add(between, tensor_apply(old->cell, whole));
}

/* Displacement of a sphere, independent of its current image. */
static tw_vec3 moved(const crowd_view *old, const crowd_view *now, uint32_t sphere)
{
    const tw_vec3 d = tw_vec3_sub(now->spheres[sphere].x, old->spheres[sphere].x);
    const tw_vec3 s = tensor_apply(now->inverse, d);
    const tw_vec3 whole =
        tw_vec3_make(now->periodic[0] ? rint(s.x) : 0.0, now->periodic[1] ? rint(s.y) : 0.0,
                     now->periodic[2] ? rint(s.z) : 0.0);
    return tw_vec3_sub(d, tensor_apply(now->cell, whole));
}

static int returned(const crowd_view *old, const crowd_view *now, uint32_t sphere)
{
    const tw_vec3 d = tw_vec3_sub(now->spheres[sphere].x, old->spheres[sphere].x);
    return support_distance(d, moved(old, now, sphere)) > 1e-6;
}

static const recall *find(const history *known_contacts, const crowd_touch *t, tw_vec3 branch)
{
    for (size_t i = 0; i < known_contacts->count; i++) {
        const recall *r = &known_contacts->all[i];
        if (r->p == t->p && r->q == t->q && r->wall == t->wall &&
            (t->wall || support_distance(r->branch, branch) < 1e-9))
            return r;
    }
    return NULL;
}

static tw_vec3 turn_of(const crowd_view *old, const crowd_view *now, uint32_t sphere)
{
    const uint32_t body = now->spheres[sphere].body;
    return tensor_turn_between(old->bodies[body].q, now->bodies[body].q);
}

/* A plane does not rotate; its contact point follows the sphere. With the Gibbs vector g of the
 * sphere's rotation and the mean arm, du = dx_wall - dx - 2 g x arm (theory, Eqs. 2 to 4). */
static tw_contact_motion wall_motion(const crowd_view *old, const crowd_view *now,
                                     const crowd_touch *t, tw_contact_memory *memory)
{
    const tw_wall_state *wall = &now->walls[t->q];
    const double r = now->spheres[t->p].radius;
    const tw_vec3 d = moved(old, now, t->p), turn = turn_of(old, now, t->p);
    const tw_vec3 slid = tw_vec3_sub(wall->point, old->walls[t->q].point);
    tw_contact_motion motion = {tw_vec3_scale(-1.0, wall->normal),
                                t->zeta,
                                {0.0, 0.0, 0.0},
                                turn,
                                {0.0, 0.0, 0.0},
                                0.0,
                                0.0,
                                0.0};
    if (memory->zeta == 0.0) {
        const tw_vec3 from =
            tw_vec3_sub(tw_vec3_sub(now->spheres[t->p].x, d), old->walls[t->q].point);
        memory->n = motion.n;
        memory->zeta = r - tw_vec3_dot(from, wall->normal);
    }
    const double angle = tw_vec3_norm(turn);
    const double gibbs = angle > 0.0 ? tan(0.5 * angle) / angle : 0.5;
    const tw_vec3 arm = tw_vec3_scale(r - 0.25 * (memory->zeta + t->zeta), motion.n);
    motion.du =
        tw_vec3_sub(tw_vec3_sub(slid, d), tw_vec3_scale(2.0 * gibbs, tw_vec3_cross(turn, arm)));
    return motion;
}

/* Couples k Rp Rq and limits mu fn min(Rp, Rq), for a law whose couples are k radius^2 and mu fn
 * radius. */
static void apply_levers(double rp, double rq, double radius, tw_contact_law *law)
{
    law->k_r *= rp * rq / (radius * radius);
    law->k_w *= rp * rq / (radius * radius);
    law->mu_r *= fmin(rp, rq) / radius;
    law->mu_w *= fmin(rp, rq) / radius;
    law->flags &= ~(uint32_t)TW_CONTACT_YADE_LEVERS;
}

/* The law of two materials, and the reduced radius and mass. */
static tw_contact_law law_of(const tw_sim *sim, const crowd_view *v, const crowd_touch *t,
                             double *radius, double *mass)
{
    const tw_sphere_state *p = &v->spheres[t->p], *q = t->wall ? NULL : &v->spheres[t->q];
    const tw_body_state *a = &v->bodies[p->body], *b = q ? &v->bodies[q->body] : NULL;
    tw_contact_law law;
    tw_error error;
    *radius = q ? 1.0 / (1.0 / p->radius + 1.0 / q->radius) : p->radius;
    *mass = b ? 1.0 / (1.0 / a->mass + 1.0 / b->mass) : a->mass;
    const uint32_t material = b ? b->material : v->walls[t->q].material;
    assert_int_equal(tw_sim_get_pair_law(sim, a->material, material, &law, &error), TW_STATUS_OK);
    const double rp = p->radius, rq = q ? q->radius : rp;
    if (law.flags & (uint32_t)TW_CONTACT_YADE_LEVERS) apply_levers(rp, rq, *radius, &law);
    if (law.normal == (int32_t)TW_CONTACT_LINEAR && law.flags & (uint32_t)TW_CONTACT_BY_RADIUS) {
        double *const k[] = {&law.kn, &law.kt, &law.k_r, &law.k_w};
        for (int i = 0; i < 4; i++)
            *k[i] *= *radius;
        law.flags &= ~(uint32_t)TW_CONTACT_BY_RADIUS;
    }
    return law;
}

static load advance(const tw_sim *sim, double dt, const crowd_view *old, const crowd_view *now,
                    const history *known_contacts, const crowd_touch *t, tally *sum)
{
    load out = {0};
    tw_contact_motion motion;
    double radius, mass;
    const tw_contact_law law = law_of(sim, now, t, &radius, &mass);
    out.touch = *t;
    const tw_vec3 before = t->wall ? t->branch : old_branch(old, t);
    const recall *known = find(known_contacts, t, before);
    if (known != NULL) {
        out.memory = known->memory;
        out.extra = known->extra;
    }
    sum->fresh += known == NULL;
    sum->returned +=
        known == NULL && !t->wall && (returned(old, now, t->p) || returned(old, now, t->q));
    if (t->wall) {
        motion = wall_motion(old, now, t, &out.memory);
    } else {
        const double rp = now->spheres[t->p].radius, rq = now->spheres[t->q].radius;
        const tw_contact_pair pair = {
            t->branch, turn_of(old, now, t->p), turn_of(old, now, t->q), rp, rq, 0.0};
        if (known == NULL) out.memory = tw_contact_memory_fresh(before, rp, rq);
        motion = tw_contact_pair_motion(law.kind, &pair, &out.memory);
    }
    motion.radius = radius;
    motion.mass = mass;
    support_advance(&law, &motion, dt, &out.memory, &out.extra, &out.load);
    return out;
}

/* Adds force and torque of a contact to its bodies; the force acts at the middle of the overlap. */
static void gather(const crowd_view *v, const load *l, tw_vec3 *force, tw_vec3 *torque)
{
    const tw_sphere_state *p = &v->spheres[l->touch.p];
    const tw_vec3 f = l->load.f, n = l->memory.n;
    const tw_vec3 arm_p = tw_vec3_add_scaled(tw_vec3_sub(p->x, v->bodies[p->body].x),
                                             p->radius - 0.5 * l->memory.zeta, n);
    force[p->body] = tw_vec3_add(force[p->body], f);
    torque[p->body] = tw_vec3_add(torque[p->body], tw_vec3_cross(arm_p, f));
    torque[p->body] = tw_vec3_add(torque[p->body], l->load.couple);
    if (l->touch.wall) return;
    const tw_sphere_state *q = &v->spheres[l->touch.q];
    const tw_vec3 arm_q = tw_vec3_add_scaled(tw_vec3_sub(q->x, v->bodies[q->body].x),
                                             0.5 * l->memory.zeta - q->radius, n);
    force[q->body] = tw_vec3_sub(force[q->body], f);
    torque[q->body] = tw_vec3_sub(torque[q->body], tw_vec3_cross(arm_q, f));
    torque[q->body] = tw_vec3_sub(torque[q->body], l->load.couple);
}

/* Compares with the same contact of the engine, listed in either order. */
static void compare_contact(const crowd_view *v, const tw_contact_state *all, size_t count,
                            const load *l, tally *sum)
{
    const tw_sphere_state *p = &v->spheres[l->touch.p];
    for (size_t i = 0; i < count; i++) {
        const tw_contact_state *c = &all[i];
        const int wall = c->body_q == TW_NO_BODY;
        if (wall != l->touch.wall) continue;
        const tw_sphere_state *q = wall ? NULL : &v->spheres[l->touch.q];
        const uint32_t body = wall ? TW_NO_BODY : q->body, member = wall ? l->touch.q : q->member;
        const int same = c->body_p == p->body && c->member_p == p->member && c->body_q == body &&
                         c->member_q == member && support_distance(c->n, l->memory.n) < 1e-6;
        const int around = !wall && c->body_q == p->body && c->member_q == p->member &&
                           c->body_p == body && c->member_p == member &&
                           tw_vec3_norm(tw_vec3_add(c->n, l->memory.n)) < 1e-6;
        if (!same && !around) continue;
        const double sign = same ? 1.0 : -1.0;
        const double off = support_distance(tw_vec3_scale(sign, c->force), l->load.f) +
                           support_distance(tw_vec3_scale(sign, c->ft), l->memory.ft) +
                           fabs(c->fn - l->load.fn) +
                           support_distance(c->fr, l->extra.fr); /* the same from either side */
        const tw_vec3 couple = tw_vec3_scale(sign, c->couple);
        sum->worst_couple =
            support_most(sum->worst_couple, support_distance(couple, l->load.couple));
        sum->worst_contact = support_most(sum->worst_contact, off);
        sum->sliding += (size_t)(c->sliding != 0);
        return;
    }
    fail_msg("the engine has no contact of sphere %u and %u, overlap %g", l->touch.p, l->touch.q,
             l->touch.zeta);
}

static void compare_bodies(const crowd_view *v, const tw_sim_def *def, const tw_vec3 *force,
                           const tw_vec3 *torque, tally *sum)
{
    for (size_t i = 0; i < v->body_count; i++) {
        const tw_body_state *b = &v->bodies[i];
        const tw_vec3 f = tw_vec3_add_scaled(force[i], b->mass, def->gravity);
        sum->worst_force = support_most(sum->worst_force, support_distance(b->force, f));
        sum->worst_torque = support_most(sum->worst_torque, support_distance(b->torque, torque[i]));
    }
}

/* One step of the engine and the same step by brute force; updates the history. */
static void step(tw_sim *sim, history *known_contacts, tally *sum)
{
    const tw_sim_def def = tw_sim_get_definition(sim);
    crowd_view old = crowd_view_of(sim);
    scene_run(sim, 1);
    crowd_view now = crowd_view_of(sim);
    crowd_list list = crowd_brute_force(&now, -1e-3); /* contacts, and those that have ended */
    recall *fresh = calloc(list.count + 1, sizeof *fresh);
    tw_vec3 *force = calloc(now.body_count + 1, sizeof *force);
    tw_vec3 *torque = calloc(now.body_count + 1, sizeof *torque);
    assert_true(fresh != NULL && force != NULL && torque != NULL);
    size_t count;
    tw_contact_state *all = scene_contacts(sim, &count);
    size_t touching = 0;
    for (size_t i = 0; i < list.count; i++) {
        const crowd_touch *t = &list.touch[i];
        if (!(t->zeta > 0.0) && !find(known_contacts, t, t->wall ? t->branch : old_branch(&old, t)))
            continue;
        const load l = advance(sim, tw_sim_dt(sim), &old, &now, known_contacts, t, sum);
        gather(&now, &l, force, torque);
        sum->largest_couple = fmax(sum->largest_couple, tw_vec3_norm(l.load.couple));
        if (!(t->zeta > 0.0)) {
            sum->ended += tw_vec3_norm(l.load.f) > 0.0;
            continue;
        }
        compare_contact(&now, all, count, &l, sum);
        fresh[touching++] = (recall){t->p, t->q, t->wall, t->branch, l.memory, l.extra};
        sum->walls += t->wall != 0;
    }
    assert_int_equal(count, touching);
    compare_bodies(&now, &def, force, torque, sum);
    sum->contacts += touching;
    free(known_contacts->all);
    *known_contacts = (history){fresh, touching};
    free(all);
    free(list.touch);
    free(force);
    free(torque);
    crowd_view_free(&old);
    crowd_view_free(&now);
}

/* Contacts at the start have no history: their memory is the position only. */
static history first_history(const tw_sim *sim)
{
    crowd_view v = crowd_view_of(sim);
    crowd_list list = crowd_brute_force(&v, 0.0);
    history known_contacts = {calloc(list.count + 1, sizeof *known_contacts.all), list.count};
    assert_non_null(known_contacts.all);
    for (size_t i = 0; i < list.count; i++) {
        const crowd_touch *t = &list.touch[i];
        const double rp = v.spheres[t->p].radius, rq = t->wall ? 0.0 : v.spheres[t->q].radius;
        known_contacts.all[i] =
            (recall){.p = t->p, .q = t->q, .wall = t->wall, .branch = t->branch};
        known_contacts.all[i].memory = tw_contact_memory_fresh(t->branch, rp, rq);
    }
    free(list.touch);
    crowd_view_free(&v);
    return known_contacts;
}

static void follow(const crowd_def *def, int steps, tally *sum)
{
    tw_sim *sim = crowd_make(def);
    tw_mat3 gradient = {{5.0, 30.0, 0.0, -10.0, -5.0, 8.0, 3.0, 0.0, -2.0}};
    if (!def->walls) tw_sim_set_velocity_gradient(sim, &gradient);
    tw_sim_set_gravity(sim, tw_vec3_make(1.0, 2.0, -9.0));
    for (size_t w = 0; w < tw_sim_wall_count(sim); w++)
        must_set_wall_velocity(sim, w, tw_vec3_make(0.3, -0.2, 0.1));
    scene_run(sim, 0);
    history known_contacts = first_history(sim);
    for (int i = 0; i < steps; i++)
        step(sim, &known_contacts, sum);
    free(known_contacts.all);
    tw_sim_free(sim);
}

/* Rounding: positions of 1e-1 m carry 1e-17 m, rotations 1e-16 of a radius of 1e-2 m, springs of
 * 1e5 N/m: 1e-12 N per step, over the steps of a contact; the forces are about 10 N. */
static void expect_equal(const tally *sum)
{
    print_message(
        "%zu contacts, %zu with walls, %zu new, %zu sliding: off by %.1e N, bodies %.1e N, "
        "%.1e N m\n",
        sum->contacts, sum->walls, sum->fresh, sum->sliding, sum->worst_contact, sum->worst_force,
        sum->worst_torque);
    expect_at_most(sum->worst_contact, 1e-9);
    expect_at_most(sum->worst_force, 1e-9);
    expect_at_most(sum->worst_torque, 1e-11);
    expect_at_most(sum->worst_couple, 1e-11);
    if (scene_thorough()) assert_true(sum->fresh > 10 && sum->sliding > 10);
}

static void forces_agree_in_periodic_cells_for_every_law(void **state)
{
    (void)state;
    for (int32_t kind = 0; kind < TW_CONTACT_KINDS; kind++) {
        tally sum = {0};
        for (int i = 0; i < scene_cases(6); i++) {
            crowd_def def = crowd_def_default(6000 + (uint64_t)i);
            def.law.kind = kind;
            def.law.nu_n = def.law.nu_t = i % 2 ? 1.0 : 0.0;
            def.speed = 100.0;
            def.ratio = i % 3 ? 3.0 : 8.0;
            def.room = i % 3 == 2 ? 2.2 : 4.0;
            follow(&def, 60, &sum);
        }
        expect_equal(&sum);
    }
}

static void forces_agree_with_walls_and_open_axes(void **state)
{
    (void)state;
    tally sum = {0};
    for (int i = 0; i < scene_cases(7); i++) {
        crowd_def def = crowd_def_default(7000 + (uint64_t)i);
        for (int k = 0; k < 3; k++)
            def.periodic[k] = i >> k & 1;
        def.walls = 1;
        def.speed = 100.0;
        follow(&def, 60, &sum);
    }
    if (scene_thorough()) assert_true(sum.walls > 200);
    expect_equal(&sum);
}

enum { LINEAR, LINEAR_BY_RADIUS, HERTZ, FORMS }; /* of stiffness */

/* Three materials; walls are of the last one. With everything that a law can have, and forces of
 * about 10 N. Levers of contacts that are by radius are those of YADE, but for the last material.
 */
static void make_laws(int32_t kind, int form, tw_contact_law laws[CROWD_MATERIALS][CROWD_MATERIALS])
{
    for (int a = 0; a < CROWD_MATERIALS; a++) {
        for (int b = 0; b <= a; b++) {
            const double stiff = 1.0 + 0.4 * a + 0.3 * b,
                         k = form == HERTZ ? 1.5e7 * stiff : 1e5 * stiff;
            tw_contact_law law = support_law(k, 0.8 * k, 0.2 + 0.1 * a);
            law.kind = kind;
            if (form == LINEAR_BY_RADIUS) {
                law.flags = TW_CONTACT_BY_RADIUS;
                if (a != CROWD_MATERIALS - 1) law.flags |= TW_CONTACT_YADE_LEVERS;
                law.kn /= 3e-3;
                law.kt /= 3e-3;
            }
            if (form == HERTZ) {
                law.normal = TW_CONTACT_HERTZ;
                law.flags = TW_CONTACT_BY_RADIUS;
                law.kn *= 12.0;
                law.kt *= 10.0;
            }
            if (a != 1) { /* contacts of material 1 roll freely */
                law.k_r = 0.3 * law.kt;
                law.k_w = 0.2 * law.kt;
                law.mu_r = 0.1;
                law.mu_w = 0.05 + 0.02 * b;
            }
            if (kind != TW_CONTACT_PAPER) {
                law.flags |= TW_CONTACT_BY_MASS;
                law.nu_n = law.nu_t = law.nu_r = law.nu_w = 0.03 * (a + b);
            }
            laws[a][b] = laws[b][a] = law;
        }
    }
}

static void forces_agree_for_a_mixture_with_rolling_twisting_and_damping(void **state)
{
    (void)state;
    for (int32_t kind = 0; kind < TW_CONTACT_KINDS; kind++) {
        for (int form = 0; form < (kind == TW_CONTACT_PAPER ? HERTZ : FORMS); form++) {
            tw_contact_law laws[CROWD_MATERIALS][CROWD_MATERIALS];
            tally sum = {0};
            make_laws(kind, form, laws);
            for (int i = 0; i < scene_cases(4); i++) {
                crowd_def def = crowd_def_default(8000 + (uint64_t)i);
                def.laws = &laws[0][0];
                def.speed = 100.0;
                def.walls = kind == TW_CONTACT_EXACT; /* wall_motion is that of the exact law */
                def.periodic[0] = i % 2 || !def.walls;
                follow(&def, 60, &sum);
            }
            print_message("couples up to %.1e N m, %zu contacts with a last force\n",
                          sum.largest_couple, sum.ended);
            expect_equal(&sum);
            assert_true(sum.largest_couple > 1e-3);
            if (scene_thorough() && kind != TW_CONTACT_PAPER) assert_true(sum.ended > 10);
            if (scene_thorough() && kind == TW_CONTACT_EXACT) assert_true(sum.walls > 50);
        }
    }
}

/* Two spheres in a fast deforming cell: q leaves through a face at about step `leave` and meets p
 * at about step `meet`. */
static void cross_and_meet(double leave, double meet, tally *sum)
{
    const double edge = 0.1, r = 0.01, dt = 1e-5, speed = 5.0;
    const tw_vec3 v = {speed, 0.6 * speed, 0.0}, none = {0.0, 0.0, 0.0};
    tw_sim_def def = tw_sim_def_default();
    def.cell = tensor_diagonal(edge, edge, edge);
    def.law = support_law(1e5, 0.8e5, 0.4);
    def.dt = dt;
    def.skin = 1e-5; /* a search in every step, which wraps bodies into the cell */
    tw_sim *sim = scene_create(&def);
    /* Along n the flow brings them together at a rate of 280/s. */
    const tw_mat3 gradient = {{300.0, 200.0, 0.0, -100.0, -300.0, 0.0, 0.0, 50.0, -400.0}};
    tw_sim_set_velocity_gradient(sim, &gradient);
    const tw_vec3 q = {edge - leave * dt * speed, 0.3 * edge, 0.5 * edge};
    const tw_vec3 n = {-0.28, 0.96, 0.0};
    const double apart = 2.0 * r + meet * dt * (tw_vec3_dot(v, n) + 2.0 * r * 280.0);
    tw_body_def body = scene_sphere(r, tw_vec3_add_scaled(q, apart, n), none, none);
    scene_add(sim, &body);
    body = scene_sphere(r, q, v, tw_vec3_make(40.0, -70.0, 90.0));
    scene_add(sim, &body);
    scene_run(sim, 0);
    history known_contacts = first_history(sim);
    for (int i = 0; i < 8; i++)
        step(sim, &known_contacts, sum);
    free(known_contacts.all);
    tw_sim_free(sim);
}

static void forces_agree_if_a_contact_starts_as_a_body_is_wrapped(void **state)
{
    (void)state;
    tally sum = {0};
    for (int leave = 0; leave < 14; leave++)
        for (int meet = 0; meet < 14; meet++)
            cross_and_meet(0.13 + 0.37 * leave, 0.21 + 0.37 * meet, &sum);
    print_message("%zu new, %zu of them as a body was wrapped\n", sum.fresh, sum.returned);
    assert_true(sum.returned > 10);
    expect_equal(&sum);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(forces_agree_in_periodic_cells_for_every_law),
        cmocka_unit_test(forces_agree_with_walls_and_open_axes),
        cmocka_unit_test(forces_agree_for_a_mixture_with_rolling_twisting_and_damping),
        cmocka_unit_test(forces_agree_if_a_contact_starts_as_a_body_is_wrapped),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
