/* SPDX-License-Identifier: BSD-3-Clause */
/* Calls of the engine that must succeed in a test: they return the result, or abort with the error
 * message. */
#ifndef TEST_MUST_H
#define TEST_MUST_H

#include <stdio.h>
#include <stdlib.h>

#include <twirl/sim.h>

static inline void must_succeed(tw_status status, const tw_error *error)
{
    if (status == TW_STATUS_OK) return;
    fprintf(stderr, "%s: %s\n", tw_status_text(status), error->text);
    abort();
}

static inline void must_prepare(tw_sim *sim)
{
    tw_error error;
    must_succeed(tw_sim_prepare(sim, &error), &error);
}

static inline tw_measure must_measure(tw_sim *sim)
{
    tw_error error;
    tw_measure measure;
    must_succeed(tw_sim_measure(sim, &measure, &error), &error);
    return measure;
}

static inline tw_body_state must_body(const tw_sim *sim, uint32_t id)
{
    tw_error error;
    tw_body_state body;
    must_succeed(tw_sim_get_body(sim, id, &body, &error), &error);
    return body;
}

static inline tw_wall_state must_wall(const tw_sim *sim, size_t number)
{
    tw_error error;
    tw_wall_state wall;
    must_succeed(tw_sim_get_wall(sim, number, &wall, &error), &error);
    return wall;
}

static inline size_t must_add_wall(tw_sim *sim, const tw_wall_def *def)
{
    tw_error error;
    size_t wall;
    must_succeed(tw_sim_add_wall(sim, def, &wall, &error), &error);
    return wall;
}

static inline uint32_t must_add_shape(tw_sim *sim, const tw_sphere *spheres, size_t count)
{
    tw_error error;
    uint32_t shape;
    must_succeed(tw_sim_add_shape(sim, spheres, count, &shape, &error), &error);
    return shape;
}

static inline uint32_t must_add_shape_bumpy(tw_sim *sim, int satellites, double satellite_radius,
                                            double central_radius, double distance)
{
    tw_error error;
    uint32_t shape;
    must_succeed(tw_sim_add_shape_bumpy(sim, satellites, satellite_radius, central_radius, distance,
                                        &shape, &error),
                 &error);
    return shape;
}

static inline void must_set_body_velocity(tw_sim *sim, uint32_t id, tw_vec3 v, tw_vec3 w)
{
    tw_error error;
    must_succeed(tw_sim_set_body_velocity(sim, id, v, w, &error), &error);
}

static inline void must_set_wall_servo(tw_sim *sim, size_t wall, const tw_wall_def *def)
{
    tw_error error;
    must_succeed(tw_sim_set_wall_servo(sim, wall, def, &error), &error);
}

static inline void must_set_wall_velocity(tw_sim *sim, size_t wall, tw_vec3 v)
{
    tw_error error;
    must_succeed(tw_sim_set_wall_velocity(sim, wall, v, &error), &error);
}

static inline tw_stable_step must_stable_step(tw_sim *sim)
{
    tw_error error;
    tw_stable_step step;
    must_succeed(tw_sim_get_stable_step(sim, &step, &error), &error);
    return step;
}

static inline size_t must_contacts(const tw_sim *sim)
{
    tw_error error;
    size_t count;
    must_succeed(tw_sim_contact_count(sim, &count, &error), &error);
    return count;
}

static inline void must_get_contacts(const tw_sim *sim, tw_contact_state *out)
{
    tw_error error;
    must_succeed(tw_sim_get_contacts(sim, out, must_contacts(sim), &error), &error);
}

#endif
