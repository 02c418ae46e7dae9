/* SPDX-License-Identifier: BSD-3-Clause */
#include "search/travel.h"

#include <math.h>

/* Upper bound of the angle between two orientations. */
static double angle_between(tw_quat a, tw_quat b)
{
    const tw_quat d = tw_quat_mul(a, tw_quat_conj(b));
    const double s = sqrt(d.x * d.x + d.y * d.y + d.z * d.z);
    return s < 0.1 ? 2.004 * s : 3.1416 * s;
}

static tw_travel farther(tw_travel a, tw_travel b)
{
    return (tw_travel){a.own > b.own ? a.own : b.own,
                       a.absolute > b.absolute ? a.absolute : b.absolute};
}

/* Single spheres without walls: only the displacement relative to the flow matters. */
static tw_travel travel_single(const tw_bodies *b, const tw_mat3 *affine, size_t begin, size_t end)
{
    double square = 0.0;
    for (size_t i = begin; i < end; i++) {
        const tw_vec3 d = tw_vec3_sub(b->x[i], tw_mat3_mul_vec(*affine, b->x_ref[i]));
        const double d2 = tw_vec3_dot(d, d);
        square = d2 > square ? d2 : square;
    }
    return (tw_travel){sqrt(square), 0.0};
}

static tw_travel travel_any(const tw_model *model, const tw_state *state, const tw_mat3 *affine,
                            size_t begin, size_t end)
{
    const tw_bodies *b = &state->bodies;
    tw_travel most = {0.0, 0.0};
    for (size_t i = begin; i < end; i++) {
        const tw_shape *shape = &model->shapes[b->shape[i]];
        const double radius = shape->radius * b->size[i];
        const double swing = shape->count > 1 ? radius * angle_between(b->q[i], b->q_ref[i]) : 0.0;
        const tw_vec3 carried = tw_mat3_mul_vec(*affine, b->x_ref[i]);
        const tw_travel one = {tw_vec3_norm(tw_vec3_sub(b->x[i], carried)) + swing,
                               tw_vec3_norm(tw_vec3_sub(b->x[i], b->x_ref[i])) + swing};
        most = farther(most, one);
    }
    return most;
}

void tw_travel_of_tile(const tw_model *model, const tw_state *state, const tw_tiles *tiles,
                       const tw_mat3 *affine, tw_tile *tile, uint32_t first)
{
    const size_t begin = tile->body + first, end = tile->body + tile->bodies;
    const tw_travel most = tiles->single && state->wall_count == 0
                               ? travel_single(&state->bodies, affine, begin, end)
                               : travel_any(model, state, affine, begin, end);
    tile->own = most.own;
    tile->absolute = most.absolute;
}

tw_travel tw_travel_farthest(const tw_tiles *tiles)
{
    tw_travel most = {0.0, 0.0};
    for (size_t k = 0; k < tiles->count; k++) {
        const tw_tile *tile = &tiles->tile[k];
        most = farther(most, (tw_travel){tile->own, tile->absolute});
    }
    return most;
}
