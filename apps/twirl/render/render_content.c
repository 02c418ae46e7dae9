/* SPDX-License-Identifier: BSD-3-Clause */
#include "render/render_content.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <twirl/math.h>

/* A body as it is drawn. */
typedef struct grain {
    tw_vec3 x;     /* centre, in the cell */
    tw_vec3 shift; /* from its position in the simulation */
    double value;  /* determines the colour */
    bool shown;
} grain;

typedef struct content {
    const tw_sim *sim;
    const tw_render_choice *choice;
    tw_vec3 edge[3], reciprocal[3]; /* edge[i] . reciprocal[i] = 1, other products 0 */
    int periodic[3];
    double density; /* density of the grains times the mass scale [kg/m^3] */
    grain *grains;
    tw_contact_state *contacts;
    size_t grain_count, contact_count;
} content;

static void measure_cell(content *c)
{
    const tw_mat3 cell = tw_sim_cell(c->sim);
    const tw_sim_def def = tw_sim_definition(c->sim);
    c->density = def.density * def.mass_scale;
    for (int i = 0; i < 3; i++) {
        c->edge[i] = tw_vec3_make(cell.m[i], cell.m[3 + i], cell.m[6 + i]);
        c->periodic[i] = def.periodic[i];
    }
    for (int i = 0; i < 3; i++) {
        const tw_vec3 area = tw_vec3_cross(c->edge[(i + 1) % 3], c->edge[(i + 2) % 3]);
        c->reciprocal[i] = tw_vec3_scale(1.0 / tw_vec3_dot(area, c->edge[i]), area);
    }
}

static double volume_of(const content *c)
{
    return fabs(tw_vec3_dot(c->edge[0], tw_vec3_cross(c->edge[1], c->edge[2])));
}

static double value_of(const content *c, const tw_body_state *body)
{
    switch (c->choice->by) {
    case TW_RENDER_BY_SIZE:
        return tw_math_cbrt(6.0 / TW_MATH_PI * body->mass / c->density);
    case TW_RENDER_BY_VELOCITY:
        return tw_vec3_norm(body->v_half);
    case TW_RENDER_BY_COORDINATION: /* counted later */
    case TW_RENDER_BY_ID:
        break;
    }
    return 0.0;
}

static grain place_grain(const content *c, uint32_t id)
{
    tw_body_state body;
    tw_sim_body(c->sim, id, &body, NULL); /* it exists */
    const tw_render_choice *choice = c->choice;
    grain g = {.x = body.x, .value = value_of(c, &body), .shown = true};
    for (int i = 0; i < 3; i++) {
        if (c->periodic[i])
            g.x = tw_vec3_add_scaled(g.x, -floor(tw_vec3_dot(g.x, c->reciprocal[i])), c->edge[i]);
    }
    g.shift = tw_vec3_sub(g.x, body.x);
    if (choice->sliced) {
        const double at = tw_vec3_dot(g.x, c->reciprocal[choice->edge]);
        g.shown = at >= choice->from && at <= choice->to;
    }
    return g;
}

static void place_grains(content *c)
{
    for (size_t i = 0; i < c->grain_count; i++)
        c->grains[i] = place_grain(c, (uint32_t)i);
    if (c->choice->by != TW_RENDER_BY_COORDINATION) return;
    for (size_t i = 0; i < c->contact_count; i++) {
        const tw_contact_state *contact = &c->contacts[i];
        c->grains[contact->body_p].value += 1.0;
        if (contact->body_q != TW_NO_BODY) c->grains[contact->body_q].value += 1.0;
    }
}

/* Over all bodies, so that a slice has the same colours as the whole. */
static void find_range(const content *c, tw_render_legend *legend)
{
    const bool from_zero = c->choice->by != TW_RENDER_BY_SIZE;
    legend->low = from_zero || c->grain_count == 0 ? 0.0 : DBL_MAX;
    for (size_t i = 0; i < c->grain_count; i++) {
        legend->low = tw_math_min(legend->low, c->grains[i].value);
        legend->high = tw_math_max(legend->high, c->grains[i].value);
        if (c->grains[i].shown) legend->shown++;
    }
}

static bool add_grains(const content *c, tw_render_parts *parts, tw_render_legend *legend)
{
    const size_t count = tw_sim_spheres(c->sim);
    tw_sphere_state *spheres = malloc((count + 1) * sizeof *spheres);
    bool good = spheres != NULL;
    if (good) tw_sim_get_spheres(c->sim, spheres);
    find_range(c, legend);
    for (size_t i = 0; good && i < count; i++) {
        const grain *g = &c->grains[spheres[i].body];
        if (!g->shown) continue;
        const tw_colour colour =
            c->choice->by == TW_RENDER_BY_ID
                ? tw_colour_of_id(spheres[i].body)
                : tw_colour_at(TW_COLOUR_VALUE, g->value, legend->low, legend->high);
        const tw_vec3 x = tw_vec3_add(spheres[i].x, g->shift);
        good = tw_render_parts_add(parts, x, x, spheres[i].radius, colour);
    }
    free(spheres);
    return good;
}

static double mean_force(const content *c)
{
    double sum = 0.0;
    for (size_t i = 0; i < c->contact_count; i++)
        sum += c->contacts[i].fn;
    return c->contact_count > 0 ? sum / (double)c->contact_count : 0.0;
}

/* Always as two halves, which need not join across a periodic face. */
static bool add_chain(const content *c, const tw_contact_state *contact, double radius,
                      tw_colour colour, tw_render_parts *parts)
{
    const grain *p = &c->grains[contact->body_p];
    if (contact->body_q == TW_NO_BODY) {
        const tw_vec3 end = tw_vec3_add(contact->point, p->shift);
        return !p->shown || tw_render_parts_add(parts, p->x, end, radius, colour);
    }
    const grain *q = &c->grains[contact->body_q];
    const tw_vec3 p_end = tw_vec3_add_scaled(p->x, 0.5, contact->branch);
    const tw_vec3 q_end = tw_vec3_add_scaled(q->x, -0.5, contact->branch);
    return (!p->shown || tw_render_parts_add(parts, p->x, p_end, radius, colour)) &&
           (!q->shown || tw_render_parts_add(parts, q->x, q_end, radius, colour));
}

/* Thickness and colour are proportional to the force; the thickest rod is half as wide as the mean
 * spacing of the bodies. */
static bool add_chains(const content *c, tw_render_parts *parts, tw_render_legend *legend)
{
    const double least = c->choice->above * mean_force(c);
    const double widest = 0.25 * tw_math_cbrt(volume_of(c) / (double)c->grain_count);
    for (size_t i = 0; i < c->contact_count; i++)
        legend->high = tw_math_max(legend->high, c->contacts[i].fn);
    for (size_t i = 0; i < c->contact_count; i++) {
        const tw_contact_state *contact = &c->contacts[i];
        if (contact->fn < least || !(contact->fn > 0.0)) continue;
        const size_t before = parts->count;
        const tw_colour colour =
            tw_colour_at(contact->sliding ? TW_COLOUR_SLIDES : TW_COLOUR_STICKS, contact->fn,
                         legend->low, legend->high);
        if (!add_chain(c, contact, widest * contact->fn / legend->high, colour, parts))
            return false;
        if (parts->count > before) legend->shown++;
    }
    return true;
}

/* In pieces: painting visits every sample of the bounding box of a rod, which is large for a long,
 * oblique one. */
static bool add_edge(tw_render_parts *parts, tw_vec3 from, tw_vec3 edge, double radius)
{
    enum { PIECES = 32 };
    const tw_colour grey = {0.25, 0.27, 0.30};
    bool good = true;
    for (int i = 0; good && i < PIECES; i++) {
        const tw_vec3 a = tw_vec3_add_scaled(from, (double)i / PIECES, edge);
        const tw_vec3 b = tw_vec3_add_scaled(from, (i + 1.0) / PIECES, edge);
        good = tw_render_parts_add(parts, a, b, radius, grey);
    }
    return good;
}

static bool add_cell(const content *c, tw_render_parts *parts)
{
    const double radius = 0.0015 * tw_math_cbrt(volume_of(c));
    bool good = true;
    for (int i = 0; good && i < 12; i++) {
        const tw_vec3 *edge = &c->edge[i / 4];
        const tw_vec3 u = c->edge[(i / 4 + 1) % 3], v = c->edge[(i / 4 + 2) % 3];
        const tw_vec3 from = tw_vec3_add(tw_vec3_scale(i % 2, u), tw_vec3_scale(i / 2 % 2, v));
        good = add_edge(parts, from, *edge, radius);
    }
    return good;
}

bool tw_render_content(const tw_sim *sim, const tw_render_choice *choice, tw_render_parts *parts,
                       tw_render_legend *legend)
{
    content c = {.sim = sim, .choice = choice};
    *legend = (tw_render_legend){0};
    c.grain_count = tw_sim_bodies(sim);
    tw_sim_contacts(sim, &c.contact_count, NULL); /* none are known before preparation */
    c.grains = malloc((c.grain_count + 1) * sizeof *c.grains);
    c.contacts = malloc((c.contact_count + 1) * sizeof *c.contacts);
    bool good = c.grains && c.contacts;
    if (good) {
        measure_cell(&c);
        if (c.contact_count > 0) tw_sim_get_contacts(sim, c.contacts, NULL);
        place_grains(&c);
        good = (choice->chains ? add_chains : add_grains)(&c, parts, legend) &&
               (!choice->cell || add_cell(&c, parts));
    }
    free(c.grains);
    free(c.contacts);
    return good;
}
