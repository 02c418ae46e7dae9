/* SPDX-License-Identifier: BSD-3-Clause */
#include "plot/envelope.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <twirl/math.h>

#include "base/error.h"
#include "base/file.h"
#include "base/text.h"
#include "common/output.h"

/* ---- Reading ---- */

enum { FIELDS_MAX = 160, PARTS = 6 };

/* Triples of columns NAME_xx, NAME_yy, NAME_zz. */
static const char *const parts[PARTS] = {"direction",  "strain",       "stress",
                                         "reversible", "irreversible", "no_slip_stress"};

typedef struct probe_table {
    size_t field[PARTS][3]; /* FIELDS_MAX: none */
    double (*value)[PARTS][3];
    size_t count, capacity;
    size_t fields; /* of the header */
    char law[64];
    const char *path;
    unsigned long line;
} probe_table;

/* The number of fields, of which up to FIELDS_MAX are stored. */
static size_t split(char *line, char **field)
{
    size_t count = 0;
    line[strcspn(line, "\r\n")] = '\0';
    for (char *next = line; next; count++) {
        if (count < FIELDS_MAX) field[count] = next;
        next = strchr(next, ',');
        if (next) *next++ = '\0';
    }
    return count;
}

static void name_column(char *name, size_t size, int part, int k)
{
    static const char *const ends[] = {"xx", "yy", "zz"};
    snprintf(name, size, "%s_%s", parts[part], ends[k]);
}

/* False: there are no directions in space, as with probes in a plane. */
static bool read_header(probe_table *r, char *line)
{
    char *field[FIELDS_MAX], name[64];
    r->fields = split(line, field);
    if (r->fields > FIELDS_MAX) return false;
    for (int p = 0; p < PARTS; p++) {
        for (int k = 0; k < 3; k++) {
            name_column(name, sizeof name, p, k);
            r->field[p][k] = FIELDS_MAX;
            for (size_t f = 0; f < r->fields; f++)
                if (strcmp(field[f], name) == 0) r->field[p][k] = f;
            if (p < 3 && r->field[p][k] == FIELDS_MAX) return false;
        }
    }
    return true;
}

static bool make_room(probe_table *r)
{
    if (r->count < r->capacity) return true;
    const size_t capacity = r->capacity ? 2 * r->capacity : 128;
    void *more = realloc(r->value, capacity * sizeof *r->value);
    if (!more) return false;
    r->value = more;
    r->capacity = capacity;
    return true;
}

/* NULL, or what is wrong with the text. A quantity that was not computed is "nan". */
static const char *read_value(const char *text, double *value)
{
    *value = (double)NAN;
    if (strcmp(text, "nan") == 0 || strcmp(text, "-nan") == 0) return NULL;
    return tw_text_number(text, value);
}

static tw_status read_values(probe_table *r, char **field, tw_error *error)
{
    for (int p = 0; p < PARTS; p++) {
        for (int k = 0; k < 3; k++) {
            const size_t f = r->field[p][k];
            char name[64];
            const char *text = f == FIELDS_MAX ? "nan" : field[f];
            const char *problem = read_value(text, &r->value[r->count][p][k]);
            if (!problem) continue;
            name_column(name, sizeof name, p, k);
            return tw_error_set(error, TW_STATUS_INPUT, "%s:%lu: column '%s': %s %s",
                                tw_error_shorten_path(r->path).text, r->line, name,
                                tw_text_quote(text, strlen(text)).text, problem);
        }
    }
    r->count++;
    return TW_STATUS_OK;
}

static tw_status read_row(probe_table *r, char *line, tw_error *error)
{
    char *field[FIELDS_MAX];
    const size_t count = split(line, field);
    if (count != r->fields)
        return tw_error_set(error, TW_STATUS_INPUT, "%s:%lu: %zu field%s, but the header has %zu",
                            tw_error_shorten_path(r->path).text, r->line, count,
                            tw_output_plural(count), r->fields);
    if (r->count == 0) snprintf(r->law, sizeof r->law, "%s", field[0]);
    if (strcmp(r->law, field[0]) != 0) return TW_STATUS_OK;
    return make_room(r) ? read_values(r, field, error) : tw_error_set_memory(error);
}

static tw_status read_file(probe_table *r, tw_error *error)
{
    char *line = NULL;
    size_t capacity = 0;
    FILE *file = tw_read_file_stream(r->path);
    if (!file) return tw_error_set_system(error, "read", r->path);
    tw_status status = TW_STATUS_OK;
    if (getline(&line, &capacity, file) > 0 && read_header(r, line))
        for (r->line = 2; status == TW_STATUS_OK && getline(&line, &capacity, file) > 0; r->line++)
            status = read_row(r, line, error);
    if (status == TW_STATUS_OK && ferror(file))
        status = tw_error_set_system(error, "read", r->path);
    free(line);
    fclose(file);
    return status;
}

static double norm(const double v[3])
{
    return sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
}

/* What was prescribed has the same magnitude in all probes. */
static bool is_prescribed(const probe_table *r, int part)
{
    double low = HUGE_VAL, high = 0.0;
    for (size_t i = 0; i < r->count; i++) {
        low = tw_math_min(low, norm(r->value[i][part]));
        high = tw_math_max(high, norm(r->value[i][part]));
    }
    return high < 1.02 * low;
}

static bool keep(tw_envelope *e, const probe_table *r)
{
    enum { DIRECTION, STRAIN, STRESS, REVERSIBLE, IRREVERSIBLE, NO_SLIP };
    double largest = 0.0;
    e->count = r->count;
    e->is_strain = is_prescribed(r, STRESS);
    e->has_other = true;
    e->way = malloc(r->count * sizeof *e->way);
    e->end = malloc(r->count * sizeof *e->end);
    e->other = malloc(r->count * sizeof *e->other);
    e->share = malloc(r->count * sizeof *e->share);
    if (!e->way || !e->end || !e->other || !e->share) return false;
    for (size_t i = 0; i < r->count; i++)
        largest = tw_math_max(largest, norm(r->value[i][IRREVERSIBLE]));
    for (size_t i = 0; i < r->count; i++) {
        const double(*v)[3] = (const double(*)[3])r->value[i];
        const int other = e->is_strain ? REVERSIBLE : NO_SLIP;
        memcpy(e->way[i], v[DIRECTION], sizeof e->way[i]);
        memcpy(e->end[i], v[e->is_strain ? STRAIN : STRESS], sizeof e->end[i]);
        memcpy(e->other[i], v[other], sizeof e->other[i]);
        e->share[i] = norm(v[IRREVERSIBLE]) / largest;
        e->has_other = e->has_other && isfinite(norm(v[other]));
    }
    return true;
}

/* ---- The surface: the convex hull of the directions, by gift wrapping ---- */

/* Six times the volume of the tetrahedron, positive if d is beyond the plane of a, b, c. */
static double beyond(const double *a, const double *b, const double *c, const double *d)
{
    double u[3], v[3], w[3];
    for (int k = 0; k < 3; k++) {
        u[k] = b[k] - a[k];
        v[k] = c[k] - a[k];
        w[k] = d[k] - a[k];
    }
    return (u[1] * v[2] - u[2] * v[1]) * w[0] + (u[2] * v[0] - u[0] * v[2]) * w[1] +
           (u[0] * v[1] - u[1] * v[0]) * w[2];
}

/* The point with which the edge from i to j makes a triangle that no point is beyond. */
static size_t wrap(const tw_envelope *e, size_t i, size_t j)
{
    size_t best = e->count;
    for (size_t k = 0; k < e->count; k++) {
        if (k == i || k == j) continue;
        if (best == e->count || beyond(e->way[i], e->way[j], e->way[best], e->way[k]) > 0.0)
            best = k;
    }
    return best;
}

/* An edge of the hull: the point nearest to the first is its neighbour on a sphere. */
static size_t nearest_to_first(const tw_envelope *e)
{
    size_t best = 1;
    double closest = -HUGE_VAL;
    for (size_t k = 1; k < e->count; k++) {
        const double *a = e->way[0], *b = e->way[k];
        const double near = a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
        if (near > closest) {
            closest = near;
            best = k;
        }
    }
    return best;
}

static bool has_edge(const tw_envelope *e, size_t i, size_t j)
{
    for (size_t t = 0; t < e->triangles; t++) {
        const size_t *v = e->triangle[t];
        for (int k = 0; k < 3; k++)
            if (v[k] == i && v[(k + 1) % 3] == j) return true;
    }
    return false;
}

/* A closed surface on n points has 2n - 4 triangles. False: the directions do not surround the
 * origin, or points coincide. */
static bool triangulate(tw_envelope *e)
{
    const size_t most = 2 * e->count - 4;
    const size_t first = nearest_to_first(e);
    e->triangles = 0;
    e->triangle[e->triangles++][0] = 0;
    e->triangle[0][1] = first;
    e->triangle[0][2] = wrap(e, 0, first);
    for (size_t t = 0; t < e->triangles; t++) {
        for (int k = 0; k < 3; k++) {
            const size_t i = e->triangle[t][(k + 1) % 3], j = e->triangle[t][k];
            if (has_edge(e, i, j)) continue;
            if (e->triangles == most) return false;
            const size_t third = wrap(e, i, j);
            e->triangle[e->triangles][0] = i;
            e->triangle[e->triangles][1] = j;
            e->triangle[e->triangles++][2] = third;
        }
    }
    static const double origin[3] = {0.0, 0.0, 0.0};
    for (size_t t = 0; t < e->triangles; t++) {
        const size_t *v = e->triangle[t];
        if (!(beyond(e->way[v[0]], e->way[v[1]], e->way[v[2]], origin) < 0.0)) return false;
    }
    return e->triangles == most;
}

tw_status tw_envelope_read(tw_envelope *envelope, const char *path, tw_error *error)
{
    probe_table r = {.path = path};
    *envelope = (tw_envelope){.count = 0};
    tw_status status = read_file(&r, error);
    if (status == TW_STATUS_OK && r.count > 3) {
        envelope->triangle = malloc(2 * r.count * sizeof *envelope->triangle);
        if (!envelope->triangle || !keep(envelope, &r))
            status = tw_error_set_memory(error);
        else if (!triangulate(envelope))
            envelope->triangles = 0;
    }
    free(r.value);
    return status;
}

void tw_envelope_free(tw_envelope *envelope)
{
    free(envelope->way);
    free(envelope->end);
    free(envelope->other);
    free(envelope->share);
    free(envelope->triangle);
    *envelope = (tw_envelope){.count = 0};
}

double tw_envelope_reach(const tw_envelope *envelope)
{
    double reach = 0.0;
    for (size_t i = 0; i < envelope->count; i++)
        for (int k = 0; k < 3; k++)
            reach = tw_math_max(reach, fabs(envelope->end[i][k]));
    return reach;
}

/* ---- Sections ---- */

/* Whether the edge from vertex k to the next crosses the plane in this direction. */
static bool crosses(double (*at)[3], const size_t *v, int k, int axis, bool upwards)
{
    const bool from = at[v[k]][axis] >= 0.0, to = at[v[(k + 1) % 3]][axis] >= 0.0;
    return upwards ? !from && to : from && !to;
}

static void crossing(double (*at)[3], const size_t *v, int k, int axis, double point[3])
{
    const double *a = at[v[k]], *b = at[v[(k + 1) % 3]];
    const double t = a[axis] / (a[axis] - b[axis]);
    for (int c = 0; c < 3; c++)
        point[c] = a[c] + t * (b[c] - a[c]);
}

/* The triangle on the other side of the edge from vertex k of t to the next. */
static size_t across(const tw_envelope *e, size_t t, int k)
{
    const size_t i = e->triangle[t][k], j = e->triangle[t][(k + 1) % 3];
    for (size_t other = 0; other < e->triangles; other++) {
        const size_t *v = e->triangle[other];
        for (int m = 0; m < 3; m++)
            if (v[m] == j && v[(m + 1) % 3] == i) return other;
    }
    return t;
}

/* A triangle that the plane cuts has one edge on which it goes upwards: the way out, to the
 * triangle of which it is the way in. */
void tw_envelope_cut(const tw_envelope *envelope, double (*at)[3], int axis,
                     void (*add)(void *target, const double point[3], bool begins), void *target)
{
    bool *seen = calloc(envelope->triangles + 1, sizeof *seen);
    if (!seen) return;
    for (size_t first = 0; first < envelope->triangles; first++) {
        bool begins = true;
        size_t t = first;
        while (!seen[t]) {
            int out = 0;
            while (out < 3 && !crosses(at, envelope->triangle[t], out, axis, true))
                out++;
            seen[t] = true;
            if (out == 3) break;
            double point[3];
            crossing(at, envelope->triangle[t], out, axis, point);
            add(target, point, begins);
            begins = false;
            t = across(envelope, t, out);
        }
        if (!begins) { /* closes the curve */
            double point[3];
            for (int k = 0; k < 3; k++) {
                if (!crosses(at, envelope->triangle[first], k, axis, true)) continue;
                crossing(at, envelope->triangle[first], k, axis, point);
                add(target, point, false);
            }
        }
    }
    free(seen);
}

double tw_envelope_radius(const tw_envelope *envelope, int axis)
{
    for (size_t t = 0; t < envelope->triangles; t++) {
        const double *p[3];
        double weight[3], sum = 0.0, height = 0.0;
        const int x = (axis + 1) % 3, y = (axis + 2) % 3;
        for (int k = 0; k < 3; k++)
            p[k] = envelope->end[envelope->triangle[t][k]];
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
