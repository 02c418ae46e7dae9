/* SPDX-License-Identifier: BSD-3-Clause */
#include "exchange/frame.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/mat3.h"

void tw_frame_free(tw_frame *frame)
{
    free(frame->spheres);
    free(frame->contacts);
    free(frame->first);
    memset(frame, 0, sizeof *frame);
}

/* calloc(0) may return NULL, which would look like a failure. */
static void *frame_array(size_t count, size_t size)
{
    return calloc(count + 1, size);
}

/* What the spheres of a body share. */
typedef struct frame_body {
    tw_body_state state;
    tw_mat3 stress; /* without the factor 1/V until it is complete */
    uint32_t contacts;
} frame_body;

static void frame_fill_sphere(tw_frame_sphere *sphere, const frame_body *body)
{
    const tw_body_state *s = &body->state;
    const tw_vec3 arm = tw_vec3_sub(sphere->x, s->x);
    sphere->v = tw_vec3_add(s->v_half, tw_vec3_cross(s->w_half, arm));
    sphere->w = s->w_half;
    sphere->shape = s->shape;
    sphere->type = s->type;
    sphere->displacement = s->displacement;
    sphere->coordination = body->contacts;
    sphere->stress = body->stress;
    sphere->pressure = (body->stress.m[0] + body->stress.m[4] + body->stress.m[8]) / 3.0;
}

static bool frame_take_spheres(tw_frame *frame, const tw_sim *sim, const frame_body *bodies)
{
    const size_t count = frame->sphere_count;
    tw_sphere_state *states = frame_array(count, sizeof *states);
    if (!states) return false;
    tw_sim_get_spheres(sim, states);
    for (size_t i = 0; i < count; i++) {
        tw_frame_sphere *sphere = &frame->spheres[i];
        sphere->x = states[i].x;
        sphere->radius = states[i].radius;
        sphere->body = states[i].body;
        sphere->member = states[i].member;
        if (sphere->member == 0) frame->first[sphere->body] = (uint32_t)i;
        frame_fill_sphere(sphere, &bodies[sphere->body]);
    }
    free(states);
    return true;
}

static void frame_load(frame_body *body, tw_vec3 arm, tw_vec3 force)
{
    const tw_mat3 part = tw_mat3_outer(arm, force);
    body->contacts++;
    body->stress = tw_mat3_add_scaled(body->stress, -1.0, part);
}

static void frame_take_bodies(const tw_frame *frame, const tw_sim *sim, frame_body *bodies,
                              size_t count)
{
    const double scale = tw_sim_definition(sim).mass_scale;
    for (size_t id = 0; id < count; id++)
        tw_sim_body(sim, (uint32_t)id, &bodies[id].state, NULL); /* it exists */
    for (size_t i = 0; i < frame->contact_count; i++) {
        const tw_contact_state *c = &frame->contacts[i];
        /* The point is near the image of p that is in the list, which x is. */
        const tw_vec3 arm = tw_vec3_sub(c->point, bodies[c->body_p].state.x);
        frame_load(&bodies[c->body_p], arm, c->force);
        if (c->body_q == TW_NO_BODY) continue;
        frame_load(&bodies[c->body_q], tw_vec3_sub(arm, c->branch), tw_vec3_scale(-1.0, c->force));
    }
    for (size_t id = 0; id < count; id++) {
        const tw_body_state *b = &bodies[id].state;
        const double volume = b->mass / (tw_sim_material_density(sim, b->material) * scale);
        bodies[id].stress = tw_mat3_scale(1.0 / volume, bodies[id].stress);
    }
}

tw_status tw_frame_take(tw_frame *frame, const tw_sim *sim, tw_error *error)
{
    const size_t count = tw_sim_bodies(sim);
    frame->sphere_count = tw_sim_spheres(sim);
    frame->contact_count = 0;
    tw_sim_contacts(sim, &frame->contact_count, NULL); /* none are known before preparation */
    frame->spheres = frame_array(frame->sphere_count, sizeof *frame->spheres);
    frame->contacts = frame_array(frame->contact_count, sizeof *frame->contacts);
    frame->first = frame_array(count, sizeof *frame->first);
    frame_body *bodies = frame_array(count, sizeof *bodies);
    bool taken = frame->spheres && frame->contacts && frame->first && bodies;
    if (taken) {
        if (frame->contact_count > 0) tw_sim_get_contacts(sim, frame->contacts, NULL);
        frame_take_bodies(frame, sim, bodies, count);
        taken = frame_take_spheres(frame, sim, bodies);
    }
    free(bodies);
    if (taken) return TW_STATUS_OK;
    tw_frame_free(frame);
    return tw_error_set_memory(error);
}
