/* SPDX-License-Identifier: BSD-3-Clause */
#include "render/render_values.h"

#include <math.h>
#include <stdlib.h>
#include <twirl/math.h>

static double volume_of(const tw_sim *sim, const tw_body_state *body)
{
    const double scale = tw_sim_definition(sim).mass_scale;
    return body->mass / (tw_sim_material_density(sim, body->material) * scale);
}

static double part_of(tw_vec3 v, int component)
{
    const double c[] = {v.x, v.y, v.z};
    return component < 0 ? tw_vec3_norm(v) : c[component];
}

static tw_vec3 edge_of(const tw_mat3 *cell, int i)
{
    return tw_vec3_make(cell->m[i], cell->m[3 + i], cell->m[6 + i]);
}

/* Position in fractions of the edges of the cell. */
static tw_vec3 fractions(const tw_sim *sim, tw_vec3 x)
{
    const tw_mat3 cell = tw_sim_cell(sim);
    double s[3];
    for (int i = 0; i < 3; i++) {
        const tw_vec3 area =
            tw_vec3_cross(edge_of(&cell, (i + 1) % 3), edge_of(&cell, (i + 2) % 3));
        s[i] = tw_vec3_dot(area, x) / tw_vec3_dot(area, edge_of(&cell, i));
    }
    return tw_vec3_make(s[0], s[1], s[2]);
}

/* The cell carries the body from its old fractions; the rest is its own displacement, by the
 * nearest image. */
static tw_vec3 nonaffine(const tw_render_state *state, const tw_body_state *now)
{
    tw_body_state then;
    tw_sim_body(state->since, now->id, &then, NULL); /* the command has compared the numbers */
    const tw_mat3 cell = tw_sim_cell(state->sim);
    const tw_sim_def def = tw_sim_definition(state->sim);
    const tw_vec3 moved =
        tw_vec3_sub(fractions(state->sim, now->x), fractions(state->since, then.x));
    const double s[] = {moved.x, moved.y, moved.z};
    tw_vec3 sum = {0.0, 0.0, 0.0};
    for (int i = 0; i < 3; i++) {
        const double own = def.periodic[i] ? s[i] - floor(s[i] + 0.5) : s[i];
        sum = tw_vec3_add_scaled(sum, own, edge_of(&cell, i));
    }
    return sum;
}

static double body_value(const tw_render_state *state, const tw_render_quantity *quantity,
                         uint32_t id)
{
    tw_body_state body;
    tw_sim_body(state->sim, id, &body, NULL); /* it exists */
    switch (quantity->what) {
    case TW_RENDER_SIZE:
        return tw_math_cbrt(6.0 / TW_MATH_PI * volume_of(state->sim, &body));
    case TW_RENDER_VELOCITY:
        return part_of(body.v_half, quantity->component);
    case TW_RENDER_SPIN:
        return part_of(body.w_half, quantity->component);
    case TW_RENDER_DISPLACEMENT:
        return part_of(state->results ? state->results[id].displacement : body.displacement,
                       quantity->component);
    case TW_RENDER_NONAFFINE:
        return part_of(nonaffine(state, &body), quantity->component);
    case TW_RENDER_TYPE:
        return body.type;
    case TW_RENDER_MATERIAL:
        return body.material;
    case TW_RENDER_COORDINATION:
        return state->results ? state->results[id].contacts : 0.0; /* to be summed, below too */
    case TW_RENDER_PRESSURE:
        return state->results ? state->results[id].pressure : 0.0;
    default:
        return 0.0;
    }
}

bool tw_render_values_exist(const tw_render_state *state, const tw_render_quantity *quantity)
{
    switch (quantity->what) {
    case TW_RENDER_DISPLACEMENT:
    case TW_RENDER_COORDINATION:
    case TW_RENDER_PRESSURE:
        return !state->foreign || state->results;
    case TW_RENDER_RATTLERS:
        return !state->foreign;
    default:
        return true;
    }
}

static void count_contacts(const tw_render_state *state, double *values)
{
    for (size_t i = 0; i < state->contact_count; i++) {
        const tw_contact_state *c = &state->contacts[i];
        values[c->body_p] += 1.0;
        if (c->body_q != TW_NO_BODY) values[c->body_q] += 1.0;
    }
}

/* A third of the trace of the sum of force times arm over the volume, compression positive. The
 * mean over the bodies, weighted by volume, is p times the volume of the cell. */
static void add_pressure(const tw_render_state *state, double *values)
{
    for (size_t i = 0; i < state->contact_count; i++) {
        const tw_contact_state *c = &state->contacts[i];
        tw_body_state p, q;
        tw_sim_body(state->sim, c->body_p, &p, NULL);
        const tw_vec3 arm = tw_vec3_sub(c->point, p.x);
        values[c->body_p] -= tw_vec3_dot(c->force, arm) / (3.0 * volume_of(state->sim, &p));
        if (c->body_q == TW_NO_BODY) continue;
        tw_sim_body(state->sim, c->body_q, &q, NULL);
        const tw_vec3 other = tw_vec3_sub(arm, c->branch);
        values[c->body_q] += tw_vec3_dot(c->force, other) / (3.0 * volume_of(state->sim, &q));
    }
}

static bool is_rattler(const tw_render_state *state, uint32_t id, uint32_t contacts, bool slippery)
{
    tw_body_state body;
    tw_sim_body(state->sim, id, &body, NULL);
    return contacts < (slippery && body.shape == 0 ? 4u : 2u) && !body.fixed;
}

/* No pair of materials has friction. */
static bool is_slippery(const tw_sim *sim)
{
    const uint32_t count = (uint32_t)tw_sim_materials(sim);
    bool slippery = true;
    for (uint32_t a = 0; a < count; a++) {
        for (uint32_t b = a; b < count; b++) {
            tw_contact_law law;
            tw_sim_pair_law(sim, a, b, &law, NULL); /* they exist */
            slippery = slippery && !(law.mu > 0.0 && law.kt > 0.0);
        }
    }
    return slippery;
}

/* As in tw_measure: fewer than two contacts (spheres without friction: four), those of other
 * rattlers not counted. */
static bool find_rattlers(const tw_render_state *state, double *values)
{
    const bool slippery = is_slippery(state->sim);
    const size_t count = tw_sim_bodies(state->sim);
    uint32_t *left = malloc((count + 1) * sizeof *left);
    if (!left) return false;
    for (bool again = true; again;) {
        again = false;
        for (size_t i = 0; i < count; i++)
            left[i] = 0;
        for (size_t i = 0; i < state->contact_count; i++) {
            const tw_contact_state *c = &state->contacts[i];
            const bool wall = c->body_q == TW_NO_BODY;
            if (values[c->body_p] > 0.0 || (!wall && values[c->body_q] > 0.0)) continue;
            left[c->body_p]++;
            if (!wall) left[c->body_q]++;
        }
        for (size_t i = 0; i < count; i++) {
            if (values[i] > 0.0 || !is_rattler(state, (uint32_t)i, left[i], slippery)) continue;
            values[i] = 1.0;
            again = true;
        }
    }
    free(left);
    return true;
}

static double friction_of(const tw_sim *sim, const tw_contact_state *contact)
{
    tw_body_state p, q;
    tw_wall_state wall;
    tw_contact_law law;
    tw_sim_body(sim, contact->body_p, &p, NULL); /* they exist */
    if (contact->body_q == TW_NO_BODY) {
        tw_sim_wall(sim, contact->member_q, &wall, NULL);
        tw_sim_pair_law(sim, p.material, wall.material, &law, NULL);
    } else {
        tw_sim_body(sim, contact->body_q, &q, NULL);
        tw_sim_pair_law(sim, p.material, q.material, &law, NULL);
    }
    return law.mu;
}

static double contact_value(const tw_render_state *state, const tw_render_quantity *quantity,
                            const tw_contact_state *contact)
{
    const double limit = friction_of(state->sim, contact) * contact->fn;
    switch (quantity->what) {
    case TW_RENDER_SLIDING:
        return contact->sliding ? 1.0 : 0.0;
    case TW_RENDER_MOBILISATION:
        return limit > 0.0 ? tw_vec3_norm(contact->ft) / limit : 0.0;
    default:
        return contact->fn;
    }
}

bool tw_render_values(const tw_render_state *state, const tw_render_quantity *quantity,
                      double *values)
{
    if (tw_render_quantity_of_contacts(quantity)) {
        for (size_t i = 0; i < state->contact_count; i++)
            values[i] = contact_value(state, quantity, &state->contacts[i]);
        return true;
    }
    for (size_t i = 0; i < tw_sim_bodies(state->sim); i++)
        values[i] = body_value(state, quantity, (uint32_t)i);
    if (quantity->what == TW_RENDER_COORDINATION) count_contacts(state, values);
    if (quantity->what == TW_RENDER_PRESSURE) add_pressure(state, values);
    return quantity->what != TW_RENDER_RATTLERS || find_rattlers(state, values);
}
