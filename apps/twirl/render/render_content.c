/* SPDX-License-Identifier: BSD-3-Clause */
#include "render/render_content.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <twirl/math.h>

#include "base/mat3.h"
#include "common/output.h"

static void parts_add(tw_render_parts *parts, const tw_render_part *part)
{
    if (parts->count == parts->capacity) {
        const size_t capacity = parts->capacity ? 2 * parts->capacity : 1024;
        parts->part = tw_exit_unless(realloc(parts->part, capacity * sizeof *parts->part));
        parts->capacity = capacity;
    }
    parts->part[parts->count++] = *part;
}

void tw_render_parts_free(tw_render_parts *parts)
{
    free(parts->part);
    free(parts->wall);
    free(parts->section.colour);
    *parts = (tw_render_parts){0};
}

static const double margin = 0.02; /* fraction of the box, on each side */

tw_render_view tw_render_view_from(double azimuth, double elevation)
{
    const double degree = TW_MATH_PI / 180.0;
    const double ca = tw_math_cos(azimuth * degree), sa = tw_math_sin(azimuth * degree);
    const double ce = tw_math_cos(elevation * degree), se = tw_math_sin(elevation * degree);
    tw_render_view view = {0};
    view.towards = tw_vec3_make(ce * ca, ce * sa, se);
    view.right = tw_vec3_make(-sa, ca, 0.0);
    view.up = tw_vec3_cross(view.towards, view.right);
    return view;
}

tw_render_frame tw_render_frame_empty(void)
{
    const struct tw_render_extent none = {DBL_MAX, -DBL_MAX};
    return (tw_render_frame){none, none, none};
}

static void widen(struct tw_render_extent *r, tw_vec3 x, double radius, tw_vec3 direction)
{
    const double at = tw_vec3_dot(x, direction);
    r->low = tw_math_min(r->low, at - radius);
    r->high = tw_math_max(r->high, at + radius);
}

void tw_render_frame_include(tw_render_frame *frame, const tw_render_view *view, tw_vec3 x,
                             double radius)
{
    widen(&frame->right, x, radius, view->right);
    widen(&frame->up, x, radius, view->up);
    widen(&frame->towards, x, radius, view->towards);
}

void tw_render_frame_add(tw_render_frame *frame, const tw_render_view *view,
                         const tw_render_parts *parts)
{
    for (size_t i = 0; i < parts->count; i++) {
        const tw_render_part *part = &parts->part[i];
        if (part->finish == TW_RENDER_GAP) continue;
        tw_render_frame_include(frame, view, part->a, part->radius);
        tw_render_frame_include(frame, view, part->b, part->radius);
    }
    for (size_t i = 0; i < 3 * parts->wall_count; i++)
        tw_render_frame_include(frame, view, parts->wall[i], 0.0);
}

void tw_render_view_fit(tw_render_view *view, const tw_render_frame *frame, tw_render_box box)
{
    const struct tw_render_extent x = frame->right, y = frame->up;
    const double across = (x.high - x.low) / box.width;
    const double upright = (y.high - y.low) / box.height;
    view->middle_x = 0.5 * (x.low + x.high);
    view->middle_y = 0.5 * (y.low + y.high);
    view->centre_x = box.x + 0.5 * box.width;
    view->centre_y = box.y + 0.5 * box.height;
    view->pixel = tw_math_max(across, upright) / (1.0 - 2.0 * margin);
    view->far = frame->towards.low;
    view->near = frame->towards.high;
}

tw_vec3 tw_render_view_project(const tw_render_view *view, tw_vec3 x)
{
    const double scale = 1.0 / view->pixel;
    return tw_vec3_make(view->centre_x + scale * (tw_vec3_dot(x, view->right) - view->middle_x),
                        view->centre_y - scale * (tw_vec3_dot(x, view->up) - view->middle_y),
                        scale * tw_vec3_dot(x, view->towards));
}

bool tw_render_view_covers(const tw_render_view *view, const tw_render_parts *parts,
                           tw_render_box box)
{
    for (size_t i = 0; i < parts->count; i++) {
        const tw_render_part *part = &parts->part[i];
        const tw_vec3 a = tw_render_view_project(view, part->a);
        const tw_vec3 b = tw_render_view_project(view, part->b);
        const double r = part->radius / view->pixel;
        if (tw_math_max(a.x, b.x) + r > box.x && tw_math_min(a.x, b.x) - r < box.x + box.width &&
            tw_math_max(a.y, b.y) + r > box.y && tw_math_min(a.y, b.y) - r < box.y + box.height)
            return true;
    }
    return false;
}

/* A body as it is drawn. */
typedef struct grain {
    tw_vec3 x;     /* centre, in the cell */
    tw_vec3 shift; /* from its position in the simulation */
    bool shown;
} grain;

typedef struct content {
    const tw_render_state *state;
    const tw_render_choice *choice;
    tw_vec3 edge[3], reciprocal[3]; /* edge[i] . reciprocal[i] = 1, other products 0 */
    int periodic[3];
    tw_vec3 box[2];         /* around grains and walls */
    double low[3], high[3]; /* range along the edges [-] */
    grain *grains;
    double *values; /* of bodies or contacts */
    size_t grain_count;
} content;

static void measure_cell(content *c, tw_render_legend *legend)
{
    const tw_mat3 cell = tw_sim_cell(c->state->sim);
    const tw_sim_def def = tw_sim_get_definition(c->state->sim);
    for (int i = 0; i < 3; i++) {
        c->edge[i] = tw_mat3_column(cell, i);
        c->reciprocal[i] = tw_mat3_row(tw_mat3_inverse(cell), i);
        c->periodic[i] = def.periodic[i];
    }
    c->box[0] = c->choice->box[0];
    c->box[1] = c->choice->box[1];
    if (!c->choice->boxed)
        (void)tw_exit_unless(tw_sim_get_extent(c->state->sim, c->box, NULL) == TW_STATUS_OK ? c
                                                                                            : NULL);
    memcpy(legend->box, c->box, sizeof c->box);
    for (int i = 0; i < 3; i++) {
        c->low[i] = c->periodic[i] ? 0.0 : HUGE_VAL;
        c->high[i] = c->periodic[i] ? 1.0 : -HUGE_VAL;
        for (int corner = 0; corner < 8 && !c->periodic[i]; corner++) {
            const tw_vec3 x = {c->box[corner & 1].x, c->box[corner >> 1 & 1].y,
                               c->box[corner >> 2].z};
            c->low[i] = tw_math_min(c->low[i], tw_vec3_dot(x, c->reciprocal[i]));
            c->high[i] = tw_math_max(c->high[i], tw_vec3_dot(x, c->reciprocal[i]));
        }
    }
}

static bool is_periodic(const content *c)
{
    return c->periodic[0] && c->periodic[1] && c->periodic[2];
}

/* Where a fraction of the choice is along an edge. */
static double place_along(const content *c, int edge, double fraction)
{
    if (c->choice->subject == TW_RENDER_FIELD) return fraction;
    return c->low[edge] + fraction * (c->high[edge] - c->low[edge]);
}

/* Of lines, for a specimen of this size. */
static double line_radius(const content *c)
{
    const tw_vec3 size = tw_vec3_sub(c->box[1], c->box[0]);
    const double volume = is_periodic(c)
                              ? tw_vec3_dot(c->edge[0], tw_vec3_cross(c->edge[1], c->edge[2]))
                              : size.x * size.y * size.z;
    return 0.0015 * tw_math_cbrt(fabs(volume));
}

static grain place_grain(const content *c, uint32_t id)
{
    tw_body_state body;
    tw_sim_get_body(c->state->sim, id, &body, NULL); /* it exists */
    const tw_render_choice *choice = c->choice;
    grain g = {.x = body.x, .shown = true};
    for (int i = 0; i < 3; i++) {
        if (c->periodic[i])
            g.x = tw_vec3_add_scaled(g.x, -floor(tw_vec3_dot(g.x, c->reciprocal[i])), c->edge[i]);
    }
    g.shift = tw_vec3_sub(g.x, body.x);
    if (choice->sliced) {
        const double at = tw_vec3_dot(g.x, c->reciprocal[choice->edge]);
        g.shown = at >= place_along(c, choice->edge, choice->from) &&
                  at <= place_along(c, choice->edge, choice->to);
    }
    return g;
}

static tw_colour arbitrary_colour(const tw_render_choice *choice, uint32_t id)
{
    const tw_colour colour = tw_colour_of_id(id);
    const double light = tw_colour_lightness(colour);
    return choice->grey ? (tw_colour){light, light, light} : colour;
}

static tw_colour colour_of(const content *c, tw_render_legend *legend, size_t i)
{
    const tw_render_choice *choice = c->choice;
    const tw_render_scale scale = choice->quantity->scale;
    const tw_render_class *class = tw_render_classes_at(&legend->classes, c->values[i]);
    if (class) return class->colour;
    if (scale == TW_RENDER_SCALE_NONE)
        return arbitrary_colour(choice, tw_sim_body_id(c->state->sim, i));
    if (scale == TW_RENDER_SCALE_CLASSES) return arbitrary_colour(choice, (uint32_t)c->values[i]);
    return tw_colour_at(choice->map, tw_render_range_share(&legend->range, c->values[i]));
}

static void count_shown(const content *c, tw_render_legend *legend, size_t i)
{
    tw_render_class *class = tw_render_classes_at(&legend->classes, c->values[i]);
    legend->shown++;
    if (class) class->shown++;
}

/* Over all bodies or contacts, so that a slice has the same colours as the whole. */
static void find_legend(const content *c, size_t count, tw_render_legend *legend)
{
    double *sorted = tw_exit_unless(malloc((count + 1) * sizeof *sorted));
    for (size_t i = 0; i < count; i++)
        sorted[i] = c->values[i];
    legend->classes = tw_render_classes_find(c->state->sim, c->choice->quantity, c->choice->grey,
                                             c->values, count);
    legend->range =
        tw_render_range_find(&c->choice->range, c->choice->quantity->scale, sorted, count);
    free(sorted);
}

/* Through a fraction of an edge, parallel to the other two. */
static tw_render_plane cut_plane(const content *c)
{
    const tw_vec3 across = c->reciprocal[c->choice->cut_edge];
    const double sign = tw_vec3_dot(across, c->choice->towards) < 0.0 ? -1.0 : 1.0;
    const double scale = sign / tw_vec3_norm(across);
    return (tw_render_plane){tw_vec3_scale(scale, across),
                             scale * place_along(c, c->choice->cut_edge, c->choice->cut_at)};
}

static bool is_cut_off(const tw_render_parts *parts, tw_vec3 x, double radius)
{
    return parts->cut && tw_vec3_dot(parts->plane.normal, x) - parts->plane.offset >= radius;
}

/* Share of the size of a body that is drawn: what a certificate does not name would hide what it
 * names. */
static double share_of(const content *c, size_t row)
{
    const bool small = tw_render_quantity_is_certificate(c->choice->quantity);
    return small && !(c->values[row] > 0.0) ? 0.3 : 1.0;
}

static void add_grains(const content *c, tw_render_parts *parts, tw_render_legend *legend)
{
    const size_t count = tw_sim_sphere_count(c->state->sim);
    tw_sphere_state *spheres = tw_exit_unless(malloc((count + 1) * sizeof *spheres));
    tw_sim_get_spheres(c->state->sim, spheres, count, NULL);
    const bool glass = c->choice->glass;
    parts->cut = c->choice->cut;
    if (parts->cut) parts->plane = cut_plane(c);
    size_t counted = SIZE_MAX; /* the spheres of a body follow each other */
    for (size_t i = 0; i < count; i++) {
        const size_t row = tw_sim_body_row(c->state->sim, spheres[i].body);
        const grain *g = &c->grains[row];
        if (!g->shown) continue;
        const double share = glass ? 1.0 : share_of(c, row), radius = share * spheres[i].radius;
        const tw_vec3 whole = tw_vec3_add(spheres[i].x, g->shift);
        const tw_vec3 x =
            share < 1.0 ? tw_vec3_add_scaled(g->x, share, tw_vec3_sub(whole, g->x)) : whole;
        if (is_cut_off(parts, x, radius)) continue;
        if (!glass && counted != row) count_shown(c, legend, row);
        counted = row;
        parts_add(parts,
                  &(tw_render_part){.a = x,
                                    .b = x,
                                    .radius = radius,
                                    .colour = glass ? c->choice->line : colour_of(c, legend, row),
                                    .finish = glass ? TW_RENDER_GLASS : TW_RENDER_GRAIN});
    }
    free(spheres);
}

static double mean_force(const tw_render_state *state)
{
    double sum = 0.0;
    for (size_t i = 0; i < state->contact_count; i++)
        sum += state->contacts[i].fn;
    return state->contact_count > 0 ? sum / (double)state->contact_count : 0.0;
}

/* The 99th percentile, or the largest if that is 0; 0: no force at all. */
static double strong_force(const tw_render_state *state)
{
    double *forces = tw_exit_unless(malloc((state->contact_count + 1) * sizeof *forces));
    for (size_t i = 0; i < state->contact_count; i++)
        forces[i] = state->contacts[i].fn;
    const tw_render_range_choice usual = {.kind = TW_RENDER_RANGE_AUTO};
    const tw_render_range range =
        tw_render_range_find(&usual, TW_RENDER_SCALE_ZERO, forces, state->contact_count);
    free(forces);
    return range.high > 0.0 ? range.high : range.most;
}

/* A rod, and behind it a wider gap: it separates the rod from others that it crosses. */
static void add_rod(tw_render_parts *parts, const tw_render_part *rod, double spacing)
{
    tw_render_part gap = *rod;
    gap.radius += 0.25 * rod->radius;
    gap.back = spacing;
    gap.finish = TW_RENDER_GAP;
    parts_add(parts, rod);
    parts_add(parts, &gap);
}

/* Always as two halves, which need not join across a periodic face. */
static void add_chain(const content *c, const tw_contact_state *contact, double radius,
                      tw_colour colour, double spacing, tw_render_parts *parts)
{
    const grain *p = &c->grains[tw_sim_body_row(c->state->sim, contact->body_p)];
    tw_render_part rod = {.a = p->x, .radius = radius, .colour = colour, .finish = TW_RENDER_CHAIN};
    if (contact->body_q == TW_NO_BODY) {
        rod.b = tw_vec3_add(contact->point, p->shift);
        if (p->shown) add_rod(parts, &rod, spacing);
        return;
    }
    const grain *q = &c->grains[tw_sim_body_row(c->state->sim, contact->body_q)];
    rod.b = tw_vec3_add_scaled(p->x, 0.5, contact->branch);
    if (p->shown) add_rod(parts, &rod, spacing);
    rod.a = q->x;
    rod.b = tw_vec3_add_scaled(q->x, -0.5, contact->branch);
    if (q->shown) add_rod(parts, &rod, spacing);
}

/* The thickness is proportional to the force. That of the 99th percentile is 0.36 times the mean
 * spacing of the bodies, or their diameter where there may be none in a part of the cell: one
 * extreme force does not make all others thin. */
static void add_chains(const content *c, tw_render_parts *parts, tw_render_legend *legend)
{
    const tw_render_state *state = c->state;
    const double least = c->choice->above * mean_force(state);
    const double strong = c->choice->strong > 0.0 ? c->choice->strong : strong_force(state);
    legend->strong = strong;
    const double volume = fabs(tw_vec3_dot(c->edge[0], tw_vec3_cross(c->edge[1], c->edge[2])));
    const double spacing = is_periodic(c) ? tw_math_cbrt(volume / (double)c->grain_count)
                                          : tw_sim_mean_diameter(state->sim);
    for (size_t i = 0; strong > 0.0 && i < state->contact_count; i++) {
        const tw_contact_state *contact = &state->contacts[i];
        if (contact->fn < least || !(contact->fn > 0.0)) continue;
        const size_t before = parts->count;
        const double radius = 0.18 * spacing * contact->fn / strong;
        add_chain(c, contact, radius, colour_of(c, legend, i), spacing, parts);
        if (parts->count > before) count_shown(c, legend, i);
    }
}

/* In pieces: painting visits every sample of the bounding box of a rod, which is large for a long,
 * oblique one. */
static void add_edge(const content *c, tw_render_parts *parts, tw_vec3 from, tw_vec3 edge,
                     double radius)
{
    const double length = tw_vec3_norm(edge) / radius; /* of the cell: about 700 */
    const int pieces = length > 20.0 ? 32 : 1;
    for (int i = 0; i < pieces; i++) {
        const tw_render_part piece = {.a = tw_vec3_add_scaled(from, (double)i / pieces, edge),
                                      .b = tw_vec3_add_scaled(from, (i + 1.0) / pieces, edge),
                                      .radius = radius,
                                      .colour = c->choice->line,
                                      .finish = TW_RENDER_LINE};
        parts_add(parts, &piece);
    }
}

/* Those that are periodic: others bound nothing. */
static void add_cell(const content *c, tw_render_parts *parts)
{
    for (int i = 0; i < 12; i++) {
        const int u = (i / 4 + 1) % 3, v = (i / 4 + 2) % 3;
        const tw_vec3 from =
            tw_vec3_add(tw_vec3_scale(i % 2 ? c->high[u] : c->low[u], c->edge[u]),
                        tw_vec3_scale(i / 2 % 2 ? c->high[v] : c->low[v], c->edge[v]));
        if (c->periodic[i / 4]) add_edge(c, parts, from, c->edge[i / 4], line_radius(c));
    }
}

/* What a cut leaves of an edge. */
static void add_wall_edge(const content *c, tw_render_parts *parts, tw_vec3 a, tw_vec3 b)
{
    const double h = tw_vec3_dot(parts->plane.normal, a) - parts->plane.offset;
    const double i = tw_vec3_dot(parts->plane.normal, b) - parts->plane.offset;
    if (parts->cut && h > 0.0 && i > 0.0) return;
    const tw_vec3 at = tw_vec3_add_scaled(a, h / (h - i), tw_vec3_sub(b, a));
    if (parts->cut && h > 0.0) a = at;
    if (parts->cut && i > 0.0) b = at;
    add_edge(c, parts, a, tw_vec3_sub(b, a), line_radius(c));
}

static void add_wall(const content *c, tw_render_parts *parts, const tw_wall_surface *s)
{
    for (size_t k = 0, first = 0; k < s->facet_count; first = s->end[k++])
        for (size_t i = first + 1; i + 1 < s->end[k]; i++) {
            const uint32_t corner[] = {s->corner[first], s->corner[i], s->corner[i + 1]};
            if (parts->wall_count == parts->wall_capacity) {
                parts->wall_capacity = 2 * parts->wall_capacity + 1024;
                parts->wall = tw_exit_unless(
                    realloc(parts->wall, 3 * parts->wall_capacity * sizeof *parts->wall));
            }
            for (int j = 0; j < 3; j++)
                parts->wall[3 * parts->wall_count + (size_t)j] = s->vertex[corner[j]];
            parts->wall_count++;
        }
    for (size_t k = 0; k < s->edge_count; k++)
        add_wall_edge(c, parts, s->vertex[s->edge[2 * k]], s->vertex[s->edge[2 * k + 1]]);
}

static void add_walls(const content *c, tw_render_parts *parts)
{
    for (size_t k = 0; k < tw_sim_wall_count(c->state->sim); k++) {
        tw_wall_surface surface;
        const tw_status status = tw_sim_get_wall_surface(c->state->sim, k, c->box, &surface, NULL);
        (void)tw_exit_unless(status == TW_STATUS_OK ? &surface : NULL);
        add_wall(c, parts, &surface);
        tw_wall_surface_free(&surface);
    }
}

/* The two edges that the section has, so that `across`, `up` and the third are a right-handed turn.
 */
static void find_sides(const tw_render_choice *choice, int *across, int *up)
{
    *across = (choice->cut_edge + 1) % 3;
    *up = (choice->cut_edge + 2) % 3;
}

/* Points so close that the field is smooth between them. */
static size_t points_along(tw_vec3 edge, double window)
{
    return (size_t)tw_math_min(tw_math_max(ceil(16.0 * tw_vec3_norm(edge) / window), 16.0), 512.0);
}

/* Values that are known, for the range. */
static size_t known(const double *values, size_t count, double *out)
{
    size_t found = 0;
    for (size_t i = 0; i < count; i++)
        if (isfinite(values[i])) out[found++] = values[i];
    return found;
}

static void colour_section(const content *c, tw_render_section *section, tw_render_legend *legend)
{
    static const tw_colour unknown = {0.85, 0.85, 0.85};
    const size_t count = section->across * section->up;
    double *sorted = tw_exit_unless(malloc((count + 1) * sizeof *sorted));
    legend->shown = known(c->values, count, sorted);
    legend->range =
        tw_render_range_find(&c->choice->range, c->choice->quantity->scale, sorted, legend->shown);
    free(sorted);
    section->colour = tw_exit_unless(malloc((count + 1) * sizeof *section->colour));
    for (size_t i = 0; i < count; i++)
        section->colour[i] = isfinite(c->values[i]) ? colour_of(c, legend, i) : unknown;
}

/* Outline of the section; it is there without the cell, too. */
static void add_outline(const content *c, tw_render_parts *parts, int across, int up)
{
    const double radius = line_radius(c);
    const tw_vec3 from = tw_vec3_scale(c->choice->cut_at, c->edge[c->choice->cut_edge]);
    for (int far = 0; far < 2; far++) {
        add_edge(c, parts, tw_vec3_add_scaled(from, far, c->edge[up]), c->edge[across], radius);
        add_edge(c, parts, tw_vec3_add_scaled(from, far, c->edge[across]), c->edge[up], radius);
    }
}

static tw_status add_field(content *c, tw_render_parts *parts, tw_render_legend *legend,
                           tw_error *error)
{
    const tw_render_state *state = c->state;
    const double window = c->choice->window * tw_sim_mean_diameter(state->sim);
    int across, up;
    find_sides(c->choice, &across, &up);
    tw_sim_field_grid grid = {
        {1, 1, 1}, {c->choice->cut_at, c->choice->cut_at, c->choice->cut_at}, window};
    const int sides[] = {across, up};
    for (int k = 0; k < 2; k++) {
        grid.count[sides[k]] = points_along(c->edge[sides[k]], window);
        grid.at[sides[k]] = 0.5 / (double)grid.count[sides[k]];
    }
    const size_t rows = grid.count[up], columns = grid.count[across], count = rows * columns;
    tw_sim_field *fields = tw_exit_unless(malloc((count + 1) * sizeof *fields));
    const tw_status status = tw_sim_get_fields(state->sim, state->since, state->contacts,
                                               state->contact_count, &grid, fields, count, error);
    if (status == TW_STATUS_OK) {
        /* Fields count the edges in their order. */
        c->values = tw_exit_unless(malloc((count + 1) * sizeof *c->values));
        for (size_t i = 0; i < count; i++) {
            const size_t at = across < up ? i : i / columns + i % columns * rows;
            c->values[i] = tw_render_value_of_field(c->choice->quantity, &fields[at]);
        }
        parts->cut = true;
        parts->plane = cut_plane(c);
        parts->section = (tw_render_section){.across = columns,
                                             .up = rows,
                                             .to_across = c->reciprocal[across],
                                             .to_up = c->reciprocal[up],
                                             .joined = {c->periodic[across], c->periodic[up]}};
        colour_section(c, &parts->section, legend);
        legend->window = window;
        add_outline(c, parts, across, up);
    }
    free(fields);
    return status;
}

tw_status tw_render_content(const tw_render_state *state, const tw_render_choice *choice,
                            tw_render_parts *parts, tw_render_legend *legend, tw_error *error)
{
    content c = {.state = state, .choice = choice, .grain_count = tw_sim_body_count(state->sim)};
    *legend = (tw_render_legend){.shown = 0};
    if (choice->subject == TW_RENDER_FIELD) {
        measure_cell(&c, legend);
        const tw_status status = add_field(&c, parts, legend, error);
        if (status == TW_STATUS_OK && choice->cell) add_cell(&c, parts);
        if (status == TW_STATUS_OK && choice->walls) add_walls(&c, parts);
        free(c.values);
        return status;
    }
    const bool chains = choice->subject == TW_RENDER_CHAINS;
    const size_t values = chains ? state->contact_count : c.grain_count;
    c.grains = tw_exit_unless(malloc((c.grain_count + 1) * sizeof *c.grains));
    c.values = tw_exit_unless(malloc((values + 1) * sizeof *c.values));
    tw_render_values(state, choice->quantity, c.values);
    find_legend(&c, values, legend);
    measure_cell(&c, legend);
    for (size_t i = 0; i < c.grain_count; i++)
        c.grains[i] = place_grain(&c, tw_sim_body_id(state->sim, i));
    if (chains) add_chains(&c, parts, legend);
    if (!chains || choice->glass) add_grains(&c, parts, legend);
    if (choice->cell) add_cell(&c, parts);
    if (choice->walls) add_walls(&c, parts);
    free(c.grains);
    free(c.values);
    return TW_STATUS_OK;
}
