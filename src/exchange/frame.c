/* SPDX-License-Identifier: BSD-3-Clause */
#include "exchange/frame.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"

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

static void frame_fill_body(tw_frame *frame, const tw_body_state *body, tw_frame_sphere *sphere)
{
    const tw_vec3 arm = tw_vec3_sub(sphere->x, body->x);
    sphere->v = tw_vec3_add(body->v_half, tw_vec3_cross(body->w_half, arm));
    sphere->w = body->w_half;
    sphere->shape = body->shape;
    if (sphere->member == 0) frame->first[body->id] = (uint32_t)(sphere - frame->spheres);
}

static bool frame_take_spheres(tw_frame *frame, const tw_sim *sim)
{
    const size_t count = frame->sphere_count;
    tw_sphere_state *states = frame_array(count, sizeof *states);
    if (!states) return false;
    tw_sim_get_spheres(sim, states);
    tw_body_state body = {.id = TW_NO_BODY};
    for (size_t i = 0; i < count; i++) {
        tw_frame_sphere *sphere = &frame->spheres[i];
        sphere->x = states[i].x;
        sphere->radius = states[i].radius;
        sphere->body = states[i].body;
        sphere->member = states[i].member;
        if (body.id != sphere->body) tw_sim_body(sim, sphere->body, &body, NULL); /* it exists */
        frame_fill_body(frame, &body, sphere);
    }
    free(states);
    return true;
}

static void frame_count_contacts(tw_frame *frame, uint32_t *contacts)
{
    for (size_t i = 0; i < frame->contact_count; i++) {
        contacts[frame->contacts[i].body_p]++;
        if (frame->contacts[i].body_q != TW_NO_BODY) contacts[frame->contacts[i].body_q]++;
    }
    for (size_t i = 0; i < frame->sphere_count; i++)
        frame->spheres[i].coordination = contacts[frame->spheres[i].body];
}

tw_status tw_frame_take(tw_frame *frame, const tw_sim *sim, tw_error *error)
{
    const size_t bodies = tw_sim_bodies(sim);
    frame->sphere_count = tw_sim_spheres(sim);
    frame->contact_count = 0;
    tw_sim_contacts(sim, &frame->contact_count, NULL); /* none are known before preparation */
    frame->spheres = frame_array(frame->sphere_count, sizeof *frame->spheres);
    frame->contacts = frame_array(frame->contact_count, sizeof *frame->contacts);
    frame->first = frame_array(bodies, sizeof *frame->first);
    uint32_t *contacts = frame_array(bodies, sizeof *contacts);
    if (frame->spheres && frame->contacts && frame->first && contacts &&
        frame_take_spheres(frame, sim)) {
        if (frame->contact_count > 0) tw_sim_get_contacts(sim, frame->contacts, NULL);
        frame_count_contacts(frame, contacts);
        free(contacts);
        return TW_STATUS_OK;
    }
    free(contacts);
    tw_frame_free(frame);
    return tw_error_set_memory(error);
}
