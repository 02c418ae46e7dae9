/* SPDX-License-Identifier: BSD-3-Clause */
#include "journey.h"

tw_contact_load journey_step(const journey *way, const tw_contact_law *law, journey_pose from,
                             journey_pose to, tw_contact_memory *memory, tw_contact_parts *extra)
{
    tw_contact_pair pair;
    pair.branch = to.branch;
    pair.turn_p = support_spin_between(from.spin_p, to.spin_p);
    pair.turn_q = support_spin_between(from.spin_q, to.spin_q);
    pair.radius_p = way->radius_p;
    pair.radius_q = way->radius_q;
    pair.mass = 0.0;
    /* a pair that does not touch stores nothing: its memory is rebuilt from the step's movement */
    if (!(memory->zeta > 0.0)) {
        *memory = tw_contact_memory_fresh(from.branch, way->radius_p, way->radius_q);
        *extra = (tw_contact_parts){.fw = 0.0};
    }
    const tw_contact_motion motion = tw_contact_pair_motion(law->kind, &pair, memory);
    tw_contact_load load;
    support_advance(law, &motion, 1.0, memory, extra, &load);
    return load;
}

journey_end journey_run(const journey *way, const tw_contact_law *law, int steps)
{
    journey_end out = {.touching = 0};
    journey_pose from = way->pose(way->context, way->begin);
    out.memory = tw_contact_memory_fresh(from.branch, way->radius_p, way->radius_q);
    for (int i = 1; i <= steps; i++) {
        const double t = way->begin + (way->end - way->begin) * (double)i / (double)steps;
        const journey_pose to = way->pose(way->context, t);
        const tw_contact_load load = journey_step(way, law, from, to, &out.memory, &out.extra);
        out.work_tangential += load.work_tangential;
        out.work_reversible += load.work_reversible;
        out.work_dissipated += load.work_dissipated;
        out.work_micro += load.work_micro;
        out.work_rolling += load.work_rolling;
        out.lost_rolling += load.lost_rolling;
        out.work_twisting += load.work_twisting;
        out.lost_twisting += load.lost_twisting;
        out.touching += load.touching;
        out.sliding += load.sliding;
        from = to;
    }
    return out;
}

journey_pose journey_turned(journey_pose pose, support_spin spin)
{
    const support_spin still = {1.0, {0.0, 0.0, 0.0}};
    pose.branch = support_rotate(pose.branch, support_spin_between(still, spin));
    pose.spin_p = support_spin_compose(spin, pose.spin_p);
    pose.spin_q = support_spin_compose(spin, pose.spin_q);
    return pose;
}

/* Overlap of the motions below. */
typedef double (*overlap)(double t);

static double breathing(double t)
{
    return 0.04 * (1.0 + 0.4 * sin(2.5 * t));
}

static double growing(double t)
{
    return 0.03 * (1.0 + 0.5 * t + 0.2 * t * t);
}

static double shrinking(double t)
{
    return 0.06 * (1.0 - 0.3 * t - 0.05 * t * t);
}

static double touch_and_go(double t)
{
    return 0.05 * (0.6 - (t - 0.9) * (t - 0.9) / 0.7);
}

static journey_pose roll(double zeta, double t)
{
    const tw_vec3 ez = {0.0, 0.0, 1.0};
    const tw_vec3 a = {1.0, 0.3, -0.2}, b = {0.1, 1.0, 0.4}, c = {0.5, -0.4, 1.0};
    journey_pose pose;
    pose.branch = support_rotate(ez, tw_vec3_make(0.0, 0.5 * t, 0.0));
    pose.branch = support_rotate(pose.branch, tw_vec3_make(0.4 * sin(t), 0.0, 0.0));
    pose.branch = tw_vec3_scale(1.6 - zeta, pose.branch);
    pose.spin_p = support_spin_compose(support_spin_about(b, 0.3 * t),
                                       support_spin_about(a, 0.2 * sin(2.0 * t)));
    pose.spin_q = support_spin_compose(support_spin_about(c, 0.5 * t - 0.2 * t * t),
                                       support_spin_about(b, 0.4 * t));
    return pose;
}

static journey_pose roll_as(const void *context, double t)
{
    return roll((*(const overlap *)context)(t), t);
}

static journey way_of(const overlap *shape)
{
    const journey way = {roll_as, shape, 1.0, 0.6, 0.0, 1.6};
    return way;
}

journey journey_rolling(void)
{
    static const overlap shape = breathing;
    return way_of(&shape);
}

journey journey_loading(void)
{
    static const overlap shape = growing;
    return way_of(&shape);
}

journey journey_unloading(void)
{
    static const overlap shape = shrinking;
    return way_of(&shape);
}

journey journey_life(void)
{
    static const overlap shape = touch_and_go;
    return way_of(&shape);
}
