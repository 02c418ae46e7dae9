/* SPDX-License-Identifier: BSD-3-Clause */
#include "figure/figure_internal.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <twirl/math.h>

#include "base/error.h"

typedef struct envelope {
    const tw_figure_envelope_probe *probe;
    size_t count;
    const char *name;      /* of the figures */
    bool is_young;         /* the response is Young's modulus, its companion the isotropic one */
    bool is_strain;        /* the response is a strain: to stress probes */
    bool has_other;        /* there is a companion: reversible strain, or stress without slip */
    int end, other;        /* parts of the probes: the response and its companion */
    double reach;          /* largest coordinate of any response */
    size_t (*triangle)[3]; /* neighbouring probes, counterclockwise from outside */
    size_t triangles;
    double unit; /* of the response, in SI units */
    char symbol[16], unit_name[32];
} envelope;

static tw_vec3 way_of(const envelope *e, size_t i)
{
    return e->probe[i].part[TW_FIGURE_ENVELOPE_DIRECTION];
}

/* ---- The surface: the convex hull of the directions, by gift wrapping ---- */

/* Six times the volume of the tetrahedron, positive if d is beyond the plane of a, b, c. */
static double beyond(tw_vec3 a, tw_vec3 b, tw_vec3 c, tw_vec3 d)
{
    return tw_vec3_dot(tw_vec3_cross(tw_vec3_sub(b, a), tw_vec3_sub(c, a)), tw_vec3_sub(d, a));
}

/* The point with which the edge from i to j makes a triangle that no point is beyond. */
static size_t wrap(const envelope *e, size_t i, size_t j)
{
    size_t best = e->count;
    for (size_t k = 0; k < e->count; k++) {
        if (k == i || k == j) continue;
        if (best == e->count ||
            beyond(way_of(e, i), way_of(e, j), way_of(e, best), way_of(e, k)) > 0.0)
            best = k;
    }
    return best;
}

/* An edge of the hull: the point nearest to the first is its neighbour on a sphere. */
static size_t nearest_to_first(const envelope *e)
{
    size_t best = 1;
    double closest = -HUGE_VAL;
    for (size_t k = 1; k < e->count; k++) {
        const double near = tw_vec3_dot(way_of(e, 0), way_of(e, k));
        if (near > closest) {
            closest = near;
            best = k;
        }
    }
    return best;
}

/* The triangle with the edge from i to j; the number of triangles: none. */
static size_t triangle_with(const envelope *e, size_t i, size_t j)
{
    for (size_t t = 0; t < e->triangles; t++) {
        const size_t *v = e->triangle[t];
        for (int k = 0; k < 3; k++)
            if (v[k] == i && v[(k + 1) % 3] == j) return t;
    }
    return e->triangles;
}

/* A closed surface on n points has 2n - 4 triangles. False: the directions do not surround the
 * origin, or points coincide. */
static bool triangulate(envelope *e)
{
    const tw_vec3 origin = {0.0, 0.0, 0.0};
    const size_t most = 2 * e->count - 4, first = nearest_to_first(e);
    e->triangles = 0;
    e->triangle[e->triangles++][0] = 0;
    e->triangle[0][1] = first;
    e->triangle[0][2] = wrap(e, 0, first);
    for (size_t t = 0; t < e->triangles; t++) {
        for (int k = 0; k < 3; k++) {
            const size_t i = e->triangle[t][(k + 1) % 3], j = e->triangle[t][k];
            if (triangle_with(e, i, j) < e->triangles) continue;
            if (e->triangles == most) return false;
            const size_t third = wrap(e, i, j);
            e->triangle[e->triangles][0] = i;
            e->triangle[e->triangles][1] = j;
            e->triangle[e->triangles++][2] = third;
        }
    }
    for (size_t t = 0; t < e->triangles; t++) {
        const size_t *v = e->triangle[t];
        if (!(beyond(way_of(e, v[0]), way_of(e, v[1]), way_of(e, v[2]), origin) < 0.0))
            return false;
    }
    return e->triangles == most;
}

/* ---- The responses ---- */

/* What was prescribed has the same magnitude in all probes. */
static bool is_prescribed(const envelope *e, int part)
{
    double low = HUGE_VAL, high = 0.0;
    for (size_t i = 0; i < e->count; i++) {
        low = tw_math_min(low, tw_vec3_norm(e->probe[i].part[part]));
        high = tw_math_max(high, tw_vec3_norm(e->probe[i].part[part]));
    }
    return high < 1.02 * low;
}

static void choose_response(envelope *e)
{
    e->is_strain = !e->is_young && is_prescribed(e, TW_FIGURE_ENVELOPE_STRESS);
    e->end = e->is_strain ? TW_FIGURE_ENVELOPE_STRAIN : TW_FIGURE_ENVELOPE_STRESS;
    e->other = e->is_strain ? TW_FIGURE_ENVELOPE_REVERSIBLE : TW_FIGURE_ENVELOPE_NO_SLIP;
    e->has_other = true;
    for (size_t i = 0; i < e->count; i++) {
        e->has_other = e->has_other && isfinite(tw_vec3_norm(e->probe[i].part[e->other]));
        const tw_vec3 v = e->probe[i].part[e->end];
        e->reach = tw_math_max(e->reach, tw_math_max(fabs(v.x), tw_math_max(fabs(v.y), fabs(v.z))));
    }
}

static void choose_unit(envelope *e)
{
    int exponent = 0;
    const tw_figure_axis_unit stress = tw_figure_axis_unit_of(TW_FIGURE_STRESS, e->reach);
    e->unit = e->is_strain ? 1.0 : stress.size;
    snprintf(e->symbol, sizeof e->symbol, "%s",
             e->is_young    ? "{E}"
             : e->is_strain ? "Δ{ε}"
                            : "Δ{σ}");
    snprintf(e->unit_name, sizeof e->unit_name, "%s", stress.name);
    if (!e->is_strain) return;
    for (; e->reach < 10.0 * e->unit && exponent > -15; exponent--)
        e->unit /= 10.0;
    snprintf(e->unit_name, sizeof e->unit_name, "10^{−%d}", -exponent);
}

/* From the origin to the surface along an axis; 0 if the axis does not meet it. */
static double radius_along(const envelope *e, int axis)
{
    for (size_t t = 0; t < e->triangles; t++) {
        double p[3][3], weight[3], sum = 0.0, height = 0.0;
        const int x = (axis + 1) % 3, y = (axis + 2) % 3;
        for (int k = 0; k < 3; k++)
            memcpy(p[k], &e->probe[e->triangle[t][k]].part[e->end], sizeof p[k]);
        for (int k = 0; k < 3; k++) {
            const double *a = p[(k + 1) % 3], *b = p[(k + 2) % 3];
            weight[k] = a[x] * b[y] - a[y] * b[x]; /* of the shadow of the triangle */
            sum += weight[k];
            height += weight[k] * p[k][axis];
        }
        const bool inside = (weight[0] >= 0.0 && weight[1] >= 0.0 && weight[2] >= 0.0) ||
                            (weight[0] <= 0.0 && weight[1] <= 0.0 && weight[2] <= 0.0);
        if (inside && sum != 0.0 && height / sum > 0.0) return height / sum;
    }
    return 0.0;
}

/* ---- Sections ---- */

/* A plane through the origin: its normal, and the directions right and up in it. */
typedef struct cut {
    const char *name;
    tw_vec3 normal, right, up;
} cut;

/* The curves of a section, as points of a shape with room for all triangles twice over. */
typedef struct section {
    const envelope *e;
    const cut *plane;
    int part; /* of the probes */
    tw_figure_shape *shape;
} section;

static double height_of(const section *s, size_t i)
{
    return tw_vec3_dot(s->plane->normal, s->e->probe[i].part[s->part]);
}

/* The edge from vertex k of the triangle to the next that crosses the plane upwards; 3: none. */
static int way_out(const section *s, const size_t v[3])
{
    int k = 0;
    while (k < 3 && !(height_of(s, v[k]) < 0.0 && height_of(s, v[(k + 1) % 3]) >= 0.0))
        k++;
    return k;
}

static void add_crossing(const section *s, const size_t v[3], int k)
{
    const tw_vec3 a = s->e->probe[v[k]].part[s->part];
    const tw_vec3 b = s->e->probe[v[(k + 1) % 3]].part[s->part];
    const double below = height_of(s, v[k]), above = height_of(s, v[(k + 1) % 3]);
    const tw_vec3 point = tw_vec3_add_scaled(a, below / (below - above), tw_vec3_sub(b, a));
    double *at = s->shape->at[s->shape->count++];
    at[0] = tw_vec3_dot(s->plane->right, point) / s->e->unit;
    at[1] = tw_vec3_dot(s->plane->up, point) / s->e->unit;
}

/* A triangle that the plane cuts has one edge on which it goes upwards: the way out, to the
 * triangle of which it is the way in. */
static bool follow(const section *s)
{
    const envelope *e = s->e;
    bool *seen = calloc(e->triangles + 1, sizeof *seen);
    if (!seen) return false;
    for (size_t first = 0; first < e->triangles; first++) {
        const size_t before = s->shape->count;
        for (size_t t = first; !seen[t];) {
            const size_t *v = e->triangle[t];
            const int out = way_out(s, v);
            seen[t] = true;
            if (out == 3) break;
            if (t == first && before > 0) { /* another curve */
                s->shape->at[s->shape->count][0] = (double)NAN;
                s->shape->at[s->shape->count++][1] = (double)NAN;
            }
            add_crossing(s, v, out);
            t = triangle_with(e, v[(out + 1) % 3], v[out]);
            if (t == e->triangles) break;
        }
        if (s->shape->count > before) /* closes the curve */
            add_crossing(s, e->triangle[first], way_out(s, e->triangle[first]));
    }
    free(seen);
    return true;
}

static bool add_section(tw_figure *f, const envelope *e, const cut *plane, int part,
                        const char *title)
{
    tw_figure_shape *shape = tw_figure_parts_shape(f, TW_FIGURE_CURVE, title, 3 * e->triangles + 3);
    if (!shape) return false;
    const section s = {.e = e, .plane = plane, .part = part, .shape = shape};
    shape->count = 0;
    shape->style = (int)f->shape_count;
    shape->width = 1.8;
    if (e->is_young && part == e->other) {
        shape->style = -2;
        shape->dash = 2;
        shape->width = 1.0;
    }
    return follow(&s);
}

/* The irreversible strains of all probes, projected onto the plane. */
static bool add_irreversible(tw_figure *f, const envelope *e, const cut *plane)
{
    tw_figure_shape *s = tw_figure_parts_shape(f, TW_FIGURE_POINTS, "irreversible", e->count);
    if (!s) return false;
    s->style = 3;
    s->mark = 1;
    for (size_t i = 0; i < e->count; i++) {
        const tw_vec3 v = e->probe[i].part[TW_FIGURE_ENVELOPE_IRREVERSIBLE];
        s->at[i][0] = tw_vec3_dot(plane->right, v) / e->unit;
        s->at[i][1] = tw_vec3_dot(plane->up, v) / e->unit;
    }
    return true;
}

/* ---- The figures ---- */

static void label_axis(tw_figure_axis *axis, const envelope *e, tw_vec3 way)
{
    const char *s = e->symbol;
    const char letter = way.x == 1.0 ? 'x' : way.y == 1.0 ? 'y' : way.z == 1.0 ? 'z' : '\0';
    if (letter)
        snprintf(axis->label, sizeof axis->label, "%s_%c", s, letter);
    else if (way.z == 0.0)
        snprintf(axis->label, sizeof axis->label, "(%s_x − %s_y)/√2", s, s);
    else
        snprintf(axis->label, sizeof axis->label, "(2%s_z − %s_x − %s_y)/√6", s, s, s);
    snprintf(axis->unit, sizeof axis->unit, "%s", e->unit_name);
    axis->factor = 1.0 / e->unit;
}

/* Both axes reach a little beyond what is drawn. */
static void set_axes(tw_figure *f)
{
    double reach = 0.0;
    for (size_t k = 0; k < f->shape_count; k++)
        for (size_t i = 0; i < f->shapes[k].count; i++)
            for (int c = 0; c < 2; c++)
                reach = tw_math_max(
                    reach, isfinite(f->shapes[k].at[i][c]) ? fabs(f->shapes[k].at[i][c]) : 0.0);
    const tw_figure_axis_request both = {.low = -reach, .high = reach};
    f->x = tw_figure_axis_choose(&both);
    f->x.high = tw_math_max(f->x.high, 1.08 * reach);
    f->x.low = -f->x.high;
    f->y = f->x;
}

static tw_figure *add_figure(tw_figure_set *set, const envelope *e, const char *kind,
                             const char *title)
{
    tw_figure *f = e->is_young ? tw_figure_parts_figure(set, "young", "own", "Young's modulus")
                               : tw_figure_parts_figure(set, kind, "probes", title);
    if (f) f->equal = 1;
    return f;
}

static bool add_cut(tw_figure_set *set, const envelope *e, const cut *plane, bool panel)
{
    tw_figure *f = add_figure(set, e, "envelope_section", "Section of the envelope");
    if (!f) return false;
    snprintf(f->name, sizeof f->name, "%s_%s", e->name, plane->name);
    if (panel) snprintf(f->sheet, sizeof f->sheet, "%s", e->name);
    f->key = TW_FIGURE_KEY_ABOVE;
    const char *other = e->is_young ? "isotropic fit" : e->is_strain ? "reversible" : "no slip";
    if (!add_section(f, e, plane, e->end, e->is_young ? "{E} by direction" : "total") ||
        (e->has_other && !add_section(f, e, plane, e->other, other)) ||
        (e->is_strain && e->has_other && !add_irreversible(f, e, plane)))
        return false;
    set_axes(f);
    label_axis(&f->x, e, plane->right);
    label_axis(&f->y, e, plane->up);
    return true;
}

static bool fill_surface(tw_figure_surface *s, const envelope *e)
{
    double largest = 0.0;
    s->points = malloc(e->count * sizeof *s->points);
    s->shares = malloc(e->count * sizeof *s->shares);
    s->triangles = malloc(e->triangles * sizeof *s->triangles);
    if (!s->points || !s->shares || !s->triangles) return false;
    s->point_count = e->count;
    s->triangle_count = e->triangles;
    memcpy(s->triangles, e->triangle, e->triangles * sizeof *s->triangles);
    for (size_t i = 0; i < e->count; i++)
        largest =
            tw_math_max(largest, tw_vec3_norm(e->probe[i].part[TW_FIGURE_ENVELOPE_IRREVERSIBLE]));
    for (size_t i = 0; i < e->count; i++) {
        s->shares[i] = tw_vec3_norm(e->probe[i].part[TW_FIGURE_ENVELOPE_IRREVERSIBLE]) / largest;
        const tw_vec3 v = e->probe[i].part[e->end];
        s->points[i][0] = v.x / e->unit;
        s->points[i][1] = v.y / e->unit;
        s->points[i][2] = v.z / e->unit;
    }
    s->reach = e->reach / e->unit;
    for (int k = 0; k < 3; k++) {
        s->radius[k] = radius_along(e, k) / e->unit;
        snprintf(s->labels[k], sizeof s->labels[k], "%s_%c", e->symbol, "xyz"[k]);
    }
    return true;
}

static bool add_view(tw_figure_set *set, const envelope *e)
{
    tw_figure *f = add_figure(set, e, "envelope", "Response envelope");
    if (!f) return false;
    snprintf(f->name, sizeof f->name, "%s", e->name);
    snprintf(f->sheet, sizeof f->sheet, "%s", e->name);
    f->x = f->y = tw_figure_axis_fixed(-1.6 * e->reach / e->unit, 1.6 * e->reach / e->unit);
    f->x.factor = f->y.factor = 1.0 / e->unit;
    snprintf(f->x.unit, sizeof f->x.unit, "%s", e->unit_name);
    snprintf(f->y.unit, sizeof f->y.unit, "%s", e->unit_name);
    f->bare = 1;
    f->surface = calloc(1, sizeof *f->surface);
    return f->surface && fill_surface(f->surface, e);
}

static bool add_all(tw_figure_set *set, envelope *e)
{
    const double a = 1.0 / sqrt(2.0), b = 1.0 / sqrt(6.0);
    const cut cuts[] = {{"xy", {0, 0, 1}, {1, 0, 0}, {0, 1, 0}},
                        {"xz", {0, 1, 0}, {1, 0, 0}, {0, 0, 1}},
                        {"yz", {1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
                        {"deviatoric", {1, 1, 1}, {a, -a, 0}, {-b, -b, 2.0 * b}}};
    choose_response(e);
    choose_unit(e);
    bool good = add_view(set, e);
    for (int k = 0; good && k < (e->is_young ? 3 : 4); k++)
        good = add_cut(set, e, &cuts[k], k < 3);
    return good;
}

static bool add_envelope(tw_figure_set *set, envelope *e)
{
    for (size_t i = 0; i < e->count; i++)
        if (!isfinite(tw_vec3_norm(way_of(e, i)))) return true;
    if (e->count < 4) return true;
    e->triangle = malloc(2 * e->count * sizeof *e->triangle);
    if (!e->triangle) return false;
    const bool good = !triangulate(e) || add_all(set, e);
    free(e->triangle);
    return good;
}

bool tw_figure_envelope_add(tw_figure_set *set, const char *name,
                            const tw_figure_envelope_probe *probes, size_t count)
{
    char full[TW_FIGURE_NAME_MAX + 16];
    snprintf(full, sizeof full, "%.*s_envelope", TW_FIGURE_NAME_MAX, name);
    return add_envelope(set, &(envelope){.probe = probes, .count = count, .name = full});
}

/* ---- Young's modulus ---- */

/* A spiral from pole to pole. */
tw_vec3 tw_figure_young_direction(size_t k)
{
    const double z = 1.0 - 2.0 * (double)k / (TW_FIGURE_YOUNG_DIRECTIONS - 1);
    const double turn = TW_MATH_PI * (3.0 - sqrt(5.0)) * (double)k, r = sqrt(1.0 - z * z);
    return tw_vec3_make(r * tw_math_cos(turn), r * tw_math_sin(turn), z);
}

tw_status tw_figure_young_add(tw_figure_set *set, const tw_statics_moduli *moduli, tw_error *error)
{
    assert(set && moduli);
    tw_figure_envelope_probe *p = calloc(TW_FIGURE_YOUNG_DIRECTIONS, sizeof *p);
    double young[TW_FIGURE_YOUNG_DIRECTIONS], least = HUGE_VAL;
    for (size_t k = 0; k < TW_FIGURE_YOUNG_DIRECTIONS; k++) {
        young[k] = tw_statics_moduli_young(moduli, tw_figure_young_direction(k));
        least = tw_math_min(least, young[k]);
    }
    for (size_t k = 0; p && k < TW_FIGURE_YOUNG_DIRECTIONS; k++) {
        const tw_vec3 n = tw_figure_young_direction(k);
        p[k].part[TW_FIGURE_ENVELOPE_DIRECTION] = n;
        p[k].part[TW_FIGURE_ENVELOPE_STRESS] = tw_vec3_scale(young[k], n);
        p[k].part[TW_FIGURE_ENVELOPE_NO_SLIP] = tw_vec3_scale(moduli->young, n);
        p[k].part[TW_FIGURE_ENVELOPE_IRREVERSIBLE] = tw_vec3_scale(young[k] - least, n);
    }
    envelope e = {.probe = p, .count = TW_FIGURE_YOUNG_DIRECTIONS, .name = "young", .is_young = 1};
    const bool good = p && (!moduli->definite || add_envelope(set, &e));
    free(p);
    return good ? TW_STATUS_OK : tw_error_set_memory(error);
}
