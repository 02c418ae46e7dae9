/* SPDX-License-Identifier: BSD-3-Clause */
/* Two spheres on a prescribed smooth motion, followed step by step through the sphere-pair
 * functions, the way an embedding program would. */
#ifndef TWIRL_TEST_CONTACT_JOURNEY_H
#define TWIRL_TEST_CONTACT_JOURNEY_H

#include "support.h"

/* Where the pair is at one instant. */
typedef struct journey_pose {
    tw_vec3 branch;              /* centre of q minus centre of p */
    support_spin spin_p, spin_q; /* orientations of the bodies */
} journey_pose;

typedef struct journey {
    journey_pose (*pose)(const void *context, double t);
    const void *context;
    double radius_p, radius_q;
    double begin, end; /* of t */
} journey;

/* What came out: memory at the end and sums over the steps. */
typedef struct journey_end {
    tw_contact_memory memory;
    tw_contact_parts extra;
    double work_tangential, work_reversible, work_dissipated, work_micro;
    double work_rolling, lost_rolling, work_twisting, lost_twisting;
    int touching, sliding; /* number of steps that ended so */
} journey_end;

/* From no force at `begin`, or as a fresh contact where it does not touch there. */
journey_end journey_run(const journey *way, const tw_contact_law *law, int steps);

/* The rotation `spin` of the whole pair. */
journey_pose journey_turned(journey_pose pose, support_spin spin);

/* One step of a pair from pose to pose. */
tw_contact_load journey_step(const journey *way, const tw_contact_law *law, journey_pose from,
                             journey_pose to, tw_contact_memory *memory, tw_contact_parts *extra);

/* A rolling, sliding, twirling motion of unequal spheres, t in [0, 1.6]: overlap varies, it sticks
 * first and slides later. */
journey journey_rolling(void);

/* The same with an overlap that only grows, or only shrinks. */
journey journey_loading(void);
journey journey_unloading(void);

/* The same bodies touching at 0.2 or so, sliding, and parting again before 1.6. */
journey journey_life(void);

#endif
