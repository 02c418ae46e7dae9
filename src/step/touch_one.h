/* SPDX-License-Identifier: BSD-3-Clause */
/* One contact in a step, by any law, with all that it remembers: inline code for the CPU and for
 * devices, in the common subset of C11, C++17 and CUDA.
 *
 * `rigid` is not NULL where everything, walls included, rotates rigidly by this rotation vector;
 * `still`: no time passes. */
#ifndef TW_STEP_TOUCH_ONE_H
#define TW_STEP_TOUCH_ONE_H

#include <twirl/contact_inline.h>

#include "contact/contact_batch.h"
#include "step/motion.h"
#include "world/schedule.h"

/* A device has no library to call. */
#if defined(__CUDACC__)
#define TW_TOUCH_ONE_LAW tw_contact_advance_inline
#else
#define TW_TOUCH_ONE_LAW tw_contact_advance_parts
#endif

/* What is known of the laws, mostly to the compiler. */
typedef struct tw_touch_traits {
    int32_t kind;
    uint32_t refine;
    int32_t normal;
    uint32_t parts; /* extras */
    int varied;     /* constants of the contacts differ */
    int plain;      /* one linear law, without rolling, twisting and damping */
} tw_touch_traits;

TW_INLINE tw_touch_traits tw_touch_traits_of(const tw_model *model, uint32_t extras)
{
    const tw_contact_law *law = model->laws;
    const uint32_t parts = extras & ~(uint32_t)TW_CONTACT_EXTRA_SHARED; /* of walls alone */
    const int plain = tw_model_is_uniform(model) && !parts;
    const int varied = model->material_count > 1 || (law->flags & TW_CONTACT_BY_SIZE) != 0;
    const tw_touch_traits h = {law->kind, tw_contact_refine_of(law), law->normal,
                               parts,     varied && !plain,          plain};
    return h;
}

/* Parts that lanes know; laws that need others are advanced one by one. */
enum {
    TW_TOUCH_IN_LANES = TW_CONTACT_EXTRA_ROLLING | TW_CONTACT_EXTRA_TWISTING |
                        TW_CONTACT_EXTRA_DAMPED | TW_CONTACT_EXTRA_SHARED
};

/* Whether there is rolling or twisting. */
TW_INLINE int tw_touch_turns(tw_touch_traits h)
{
    return (h.parts & ~(uint32_t)TW_CONTACT_EXTRA_DAMPING) != 0;
}

typedef struct tw_touch_one {
    tw_contact_memory memory;
    tw_contact_parts extra;
    tw_contact_load load;
    int acts; /* force and couple of the load */
} tw_touch_one;

/* Rotation vector of a body in the step. */
TW_INLINE tw_vec3 tw_touch_one_turn(const tw_state *state, const tw_schedule *schedule,
                                    const tw_vec3 *rigid, uint32_t body)
{
    return rigid ? *rigid : tw_motion_rotation(tw_motion_gibbs_of(state, schedule, body));
}

/* The movement in the step of the contact of spheres in this slot. */
TW_INLINE tw_contact_motion tw_touch_one_motion(const tw_state *state, const tw_schedule *schedule,
                                                const tw_vec3 *rigid, uint32_t slot,
                                                const tw_contact_law *law,
                                                const tw_contact_memory *memory)
{
    const tw_pair *pair = &schedule->pairs.pair[schedule->slots.pair[slot]];
    const tw_tile_sphere_slot *p = &schedule->tiles.sphere_slot[schedule->slots.sphere_p[slot]],
                              *q = &schedule->tiles.sphere_slot[schedule->slots.sphere_q[slot]];
    const tw_contact_pair both = {
        tw_vec3_make(q->x[0] - p->x[0], q->x[1] - p->x[1], q->x[2] - p->x[2]),
        tw_touch_one_turn(state, schedule, rigid, schedule->spheres.body[pair->p]),
        tw_touch_one_turn(state, schedule, rigid, schedule->spheres.body[pair->q]),
        p->radius,
        q->radius,
        tw_pair_law_mass(state, schedule, pair)};
    tw_contact_motion motion = tw_contact_pair_motion_inline(law->kind, &both, memory);
    /* First-order kinematics would find movement in a rigid rotation. */
    if (rigid && law->kind != TW_CONTACT_EXACT) motion.du = tw_vec3_make(0.0, 0.0, 0.0);
    return motion;
}

/* Parts that the law turns in a rigid rotation: those of its springs. The table turns others. */
enum {
    TW_TOUCH_TURNED_BY_LAW =
        TW_CONTACT_EXTRA_ROLLING | TW_CONTACT_EXTRA_TWISTING | TW_CONTACT_EXTRA_ALIVE
};

/* A step in which no time passes: the springs follow, damping stays as it was, turned with the
 * bodies. */
TW_INLINE void tw_touch_one_still(const tw_vec3 *rigid, double dt, const tw_contact_law *law,
                                  const tw_contact_motion *motion, tw_touch_one *one)
{
    tw_contact_law undamped = *law;
    tw_contact_law_undamp(&undamped);
    const tw_contact_parts before = one->extra;
    if (tw_contact_law_is_acting(law) && tw_contact_law_grips(law, motion->zeta)) {
        const tw_contact_law at =
            tw_contact_law_at_inline(law, motion->radius, motion->mass, motion->ratio);
        const double p = tw_contact_law_pressing(&at, motion->zeta);
        const double acting = p - tw_vec3_dot(before.drag, one->memory.n);
        undamped.mu = p > 0.0 ? law->mu * tw_math_max(acting / p, 0.0) : law->mu;
    }
    TW_TOUCH_ONE_LAW(&undamped, motion, dt, &one->memory, &one->extra, &one->load);
    const tw_contact_parts turned = rigid ? tw_extras_turned(&before, *rigid) : before;
    tw_contact_parts_copy(&one->extra, &turned,
                          rigid ? ~(uint32_t)TW_TOUCH_TURNED_BY_LAW : TW_CONTACT_EXTRA_DAMPED);
    if (one->load.touching)
        tw_contact_parts_add_damping(&turned, motion->radius, one->memory.n, &one->load);
}

/* Advances a contact by the law, from the memory and the extras in `one`. */
TW_INLINE void tw_touch_one_law(const tw_state *state, const tw_vec3 *rigid, int still,
                                const tw_contact_law *law, const tw_contact_motion *motion,
                                tw_touch_one *one)
{
    memset(&one->load, 0, sizeof one->load);
    if (still)
        tw_touch_one_still(rigid, state->dt, law, motion, one);
    else
        TW_TOUCH_ONE_LAW(law, motion, state->dt, &one->memory, &one->extra, &one->load);
    one->acts = one->load.touching || tw_contact_law_acts_on(law);
}

/* Likewise, of spheres, with the extras of its slot. */
TW_INLINE void tw_touch_one_advance(tw_state *state, const tw_vec3 *rigid, int still,
                                    const tw_contact_law *law, const tw_contact_motion *motion,
                                    uint32_t slot, tw_touch_one *one)
{
    tw_contacts *c = &state->contacts;
    memset(&one->extra, 0, sizeof one->extra);
    if (c->extras.parts) one->extra = tw_extras_get(&c->extras, slot);
    tw_touch_one_law(state, rigid, still, law, motion, one);
    if (!one->load.touching) return;
    tw_bundle_put(c->bundle, slot, &one->memory);
    if (c->extras.parts) tw_extras_put(&c->extras, slot, &one->extra);
}

/* A step, and what its trial begins with. */
typedef struct tw_touch_carried {
    tw_contact_step step;
    tw_contact_trial trial;
} tw_touch_carried;

/* Advances the contact of spheres in this slot, from the memory in `one`, by a law without extras:
 * with the movement and the trial of `by` if rotations are small. Of its step n1, zeta1 and du are
 * used. */
TW_INLINE void tw_touch_one_plain(const tw_state *state, const tw_schedule *schedule,
                                  const tw_vec3 *rigid, uint32_t slot, const tw_contact_law *law,
                                  const tw_touch_carried *by, tw_touch_one *one)
{
    tw_contact_motion motion = tw_touch_one_motion(state, schedule, rigid, slot, law, &one->memory);
    if (by->trial.small && !rigid) {
        motion.n = by->step.n1;
        motion.zeta = by->step.zeta1;
        motion.du = by->step.du;
        tw_contact_advance_any(law->kind, tw_contact_refine_of(law), law, &motion, &by->trial,
                               &one->memory, &one->load);
    } else {
        TW_TOUCH_ONE_LAW(law, &motion, state->dt, &one->memory, NULL, &one->load);
    }
}

/* Whether the overlap exceeds the allowed one, or the force is not finite. */
TW_INLINE int tw_touch_one_is_bad(const tw_contact_load *load, double zeta, double allowed)
{
    const double force = load->f.x + load->f.y + load->f.z;
    return !(fabs(force) < 1e300) || !(zeta < allowed);
}

/* The overlap that is allowed between the spheres of a contact. */
TW_INLINE double tw_touch_one_allowed(const tw_tiles *tiles, const tw_slots *slots, uint32_t slot)
{
    const double rp = tiles->sphere_slot[slots->sphere_p[slot]].radius,
                 rq = tiles->sphere_slot[slots->sphere_q[slot]].radius;
    return 0.5 * (rp < rq ? rp : rq);
}

#endif
