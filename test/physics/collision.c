/* SPDX-License-Identifier: BSD-3-Clause */
#include "collision.h"
#include "../must.h"

#include <math.h>

double collision_mass(double radius, double density)
{
    return density * 4.0 / 3.0 * SUPPORT_PI * radius * radius * radius;
}

static double radius_of_q(const collision *c)
{
    return c->radius_q > 0.0 ? c->radius_q : c->radius;
}

static double density_of_q(const collision *c)
{
    return c->density_q > 0.0 ? c->density_q : c->density;
}

/* What p has of a and b in series; a wall is infinite. */
static double reduced(const collision *c, double a, double b)
{
    return c->sides == 2 ? a * b / (a + b) : a;
}

double collision_reduced_mass(const collision *c)
{
    return reduced(c, collision_mass(c->radius, c->density),
                   collision_mass(radius_of_q(c), density_of_q(c)));
}

double collision_reduced_radius(const collision *c)
{
    return reduced(c, c->radius, radius_of_q(c));
}

/* m v^2/2 = (2/5) k z^(5/2). */
double collision_hertz_overlap(double m, double k, double speed)
{
    return pow(1.25 * m * speed * speed / k, 0.4);
}

/* 2 z/v times the integral of 1/sqrt(1 - x^(5/2)) from 0 to 1. */
double collision_hertz_time(double m, double k, double speed)
{
    const double factor = 0.8 * sqrt(SUPPORT_PI) * tgamma(0.4) / tgamma(0.9);
    return factor * collision_hertz_overlap(m, k, speed) / speed;
}

/* Not aligned with the axes of the engine. */
typedef struct frame {
    tw_vec3 n, t, b;
} frame;

static frame frame_of(const collision *c)
{
    support_random random = {(uint64_t)(1e6 * (c->phase + 3.0)) + (uint64_t)c->sides};
    frame f;
    f.n = support_unit(&random);
    f.t = support_tangent(&random, f.n);
    f.b = tw_vec3_cross(f.n, f.t);
    return f;
}

typedef struct scene {
    tw_sim *sim;
    tw_vec3 middle; /* point of first touch */
    double dt;
} scene;

static scene scene_of(const collision *c, const frame *f)
{
    const double q = radius_of_q(c), edge = 10.0 * (c->radius + q);
    tw_sim_def def = scene_open_cube(edge, &c->law);
    def.density = c->density;
    def.dt = c->time / c->steps;
    scene s = {scene_create(&def), tw_vec3_make(0.5 * edge, 0.5 * edge, 0.5 * edge), def.dt};
    const tw_vec3 v = tw_vec3_add_scaled(tw_vec3_scale(-c->normal, f->n), c->tangential, f->t);
    /* The centre of mass is at rest. */
    const double share = collision_reduced_mass(c) / collision_mass(c->radius, c->density);
    const double ahead = c->phase * def.dt;
    tw_vec3 x = tw_vec3_add_scaled(s.middle, -c->radius, f->n);
    tw_body_def body = scene_sphere(c->radius, tw_vec3_add_scaled(x, share * ahead, v),
                                    tw_vec3_scale(-share, v), tw_vec3_scale(c->spin, f->b));
    scene_add(s.sim, &body);
    if (c->sides == 2) {
        x = tw_vec3_add_scaled(s.middle, q, f->n);
        body = scene_sphere(q, tw_vec3_add_scaled(x, -(1.0 - share) * ahead, v),
                            tw_vec3_scale(1.0 - share, v), tw_vec3_scale(c->spin_q, f->b));
        if (c->density_q > 0.0) {
            assert_int_equal(tw_sim_add_material(s.sim, "q", c->density_q, &body.material, NULL),
                             TW_STATUS_OK);
            scene_set_law(s.sim, &c->law);
        }
        scene_add(s.sim, &body);
    } else {
        tw_wall_def wall = tw_wall_def_default();
        wall.point = s.middle;
        wall.normal = tw_vec3_scale(-1.0, f->n);
        must_add_wall(s.sim, &wall);
    }
    return s;
}

typedef struct watch {
    double now[2], before[2], older[2]; /* overlap, force */
    double most[2];
    int touched, slid_first, slid_always;
} watch;

/* The top of the parabola through the last three values, where the middle one is the largest. */
static double top(double older, double before, double now)
{
    const double bend = older - 2.0 * before + now, slope = 0.5 * (now - older);
    return bend < 0.0 ? before - 0.5 * slope * slope / bend : before;
}

static int look(tw_sim *sim, void *context)
{
    watch *w = context;
    tw_contact_state contact = {0};
    const size_t count = must_contacts(sim);
    if (count > 0) must_get_contacts(sim, &contact);
    if (count > 0 && !w->touched) w->slid_first = w->slid_always = contact.sliding;
    if (count > 0 && !contact.sliding) w->slid_always = 0;
    w->touched |= count > 0;
    const double value[2] = {contact.zeta, contact.fn};
    for (int i = 0; i < 2; i++) {
        w->older[i] = w->before[i];
        w->before[i] = w->now[i];
        w->now[i] = value[i];
        if (w->before[i] >= w->older[i] && w->before[i] > w->now[i])
            w->most[i] = fmax(w->most[i], top(w->older[i], w->before[i], w->now[i]));
    }
    return w->touched && count == 0;
}

collision_end collision_run(const collision *c)
{
    const frame f = frame_of(c);
    const scene s = scene_of(c, &f);
    const double start = must_measure(s.sim).energy.kinetic + must_measure(s.sim).energy.rotational;
    watch w = {0};
    tw_error error;
    const tw_status status =
        tw_sim_run_hooked(s.sim, (uint64_t)(20.0 * c->steps + c->phase), look, &w, &error);
    if (status != TW_STATUS_INTERRUPTED) fail_msg("the collision does not end: %s", error.text);
    /* Velocities at the present time are means of two half steps. */
    scene_run(s.sim, 2);
    assert_int_equal(must_contacts(s.sim), 0);
    const tw_body_state p = must_body(s.sim, 0);
    collision_end end = {.spin = tw_vec3_dot(p.w, f.b), .before = start};
    tw_vec3 x = tw_vec3_sub(s.middle, p.x), v = tw_vec3_scale(-1.0, p.v);
    double gap = tw_vec3_dot(x, f.n) - c->radius;
    if (c->sides == 2) {
        const tw_body_state q = must_body(s.sim, 1);
        end.spin_q = tw_vec3_dot(q.w, f.b);
        v = tw_vec3_add(v, q.v);
        gap = support_distance(q.x, p.x) - c->radius - radius_of_q(c);
    }
    end.normal = tw_vec3_dot(v, f.n);
    end.tangential = tw_vec3_dot(v, f.t);
    /* Out of the plane of the collision nothing happens. */
    expect_at_most(fabs(tw_vec3_dot(v, f.b)), 1e-6 * (c->normal + fabs(c->tangential)));
    end.duration = tw_sim_time(s.sim) - gap / end.normal - c->phase * s.dt;
    end.overlap = w.most[0];
    end.force = w.most[1];
    end.slid_first = w.slid_first;
    end.slid_always = w.slid_always;
    end.energy = must_measure(s.sim).energy;
    end.after = end.energy.kinetic + end.energy.rotational;
    tw_sim_free(s.sim);
    return end;
}
