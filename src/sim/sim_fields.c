/* SPDX-License-Identifier: BSD-3-Clause */
/* Local fields of a state by coarse graining (docs/theory/measures.md). */
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#include <twirl/math.h>
#include <twirl/sim.h>

#include "base/environment.h"
#include "base/error.h"
#include "base/mat3.h"

/* Weighted sums over the grains at a point. Places are relative to the point, and before to the
 * point that had the same fractions of the cell. */
typedef struct motion {
    double weight, grains;
    tw_vec3 now, before;
    tw_mat3 product, square; /* now (x) before, before (x) before */
} motion;

typedef struct lattice {
    const tw_sim_field_grid *grid;
    tw_mat3 cell, inverse, cell_before;
    int periodic[3];
    double reach[3]; /* of the window, in fractions of the edges */
    double scale;    /* of the weight */
    tw_sim_field *out;
    motion *motions; /* NULL: no earlier state */
} lattice;

double tw_sim_mean_diameter(const tw_sim *sim)
{
    TW_CALL_HERE(sim);
    const size_t count = tw_sim_body_count(sim);
    double sum = 0.0;
    for (size_t k = 0; k < count; k++) {
        tw_body_state body;
        tw_sim_get_body(sim, tw_sim_body_id(sim, k), &body, NULL); /* it exists */
        sum += tw_math_cbrt(6.0 / TW_MATH_PI * tw_sim_body_volume(sim, &body));
    }
    return sum / (double)count;
}

/* Points whose weight may not be 0, `reach` around `middle` (fractions of an edge): also those of
 * periodic images, outside 0 .. count - 1. */
typedef struct extent {
    int64_t first[3], last[3];
} extent;

static extent extent_of(const lattice *l, tw_vec3 middle, const double reach[3])
{
    const double s[] = {middle.x, middle.y, middle.z};
    extent e;
    for (int k = 0; k < 3; k++) {
        const double n = (double)l->grid->count[k], at = l->grid->at[k];
        double first = ceil((s[k] - reach[k] - at) * n), last = floor((s[k] + reach[k] - at) * n);
        if (!l->periodic[k]) {
            first = tw_math_max(first, 0.0);
            last = tw_math_min(last, n - 1.0);
        }
        e.first[k] = (int64_t)first;
        e.last[k] = (int64_t)last;
    }
    return e;
}

static size_t wrap(int64_t i, size_t count)
{
    const int64_t n = (int64_t)count, rest = i % n;
    return (size_t)(rest < 0 ? rest + n : rest);
}

typedef void visit_point(lattice *l, size_t point, tw_vec3 fractions, const void *item);

static void visit(lattice *l, const extent *e, visit_point *call, const void *item)
{
    const size_t *n = l->grid->count;
    const double *at = l->grid->at;
    for (int64_t k = e->first[2]; k <= e->last[2]; k++) {
        for (int64_t j = e->first[1]; j <= e->last[1]; j++) {
            const size_t row = n[0] * (wrap(j, n[1]) + n[1] * wrap(k, n[2]));
            for (int64_t i = e->first[0]; i <= e->last[0]; i++)
                call(l, row + wrap(i, n[0]),
                     tw_vec3_make(at[0] + (double)i / (double)n[0],
                                  at[1] + (double)j / (double)n[1],
                                  at[2] + (double)k / (double)n[2]),
                     item);
        }
    }
}

typedef struct mover {
    tw_vec3 fractions, before; /* of the edges of the cell; before: by the nearest image */
    double volume;
    bool known; /* the earlier state has it */
} mover;

static void add_grain(lattice *l, size_t point, tw_vec3 fractions, const void *item)
{
    const mover *g = item;
    const double w = l->grid->window;
    const tw_vec3 now = tw_mat3_mul_vec(l->cell, tw_vec3_sub(g->fractions, fractions));
    const double rest = 1.0 - tw_vec3_dot(now, now) / (w * w);
    if (!(rest > 0.0)) return;
    const double weight = l->scale * rest * rest * g->volume;
    l->out[point].grains += 1.0;
    l->out[point].porosity -= weight;
    if (!g->known) return;
    motion *m = &l->motions[point];
    m->grains += 1.0;
    const tw_vec3 before = tw_mat3_mul_vec(l->cell_before, tw_vec3_sub(g->before, fractions));
    m->weight += weight;
    m->now = tw_vec3_add_scaled(m->now, weight, now);
    m->before = tw_vec3_add_scaled(m->before, weight, before);
    m->product = tw_mat3_add_scaled(m->product, weight, tw_mat3_outer(now, before));
    m->square = tw_mat3_add_scaled(m->square, weight, tw_mat3_outer(before, before));
}

static double nearest(double moved, int periodic)
{
    return periodic ? moved - floor(moved + 0.5) : moved;
}

static void add_grains(lattice *l, const tw_sim *sim, const tw_sim *since)
{
    const tw_mat3 inverse_before = tw_mat3_inverse(l->cell_before);
    for (size_t k = 0; k < tw_sim_body_count(sim); k++) {
        tw_body_state body, then;
        tw_sim_get_body(sim, tw_sim_body_id(sim, k), &body, NULL); /* it exists */
        mover g = {.fractions = tw_mat3_mul_vec(l->inverse, body.x),
                   .volume = tw_sim_body_volume(sim, &body)};
        g.known = since && tw_sim_get_body(since, body.id, &then, NULL) == TW_STATUS_OK;
        if (g.known) {
            const tw_vec3 d = tw_vec3_sub(g.fractions, tw_mat3_mul_vec(inverse_before, then.x));
            g.before = tw_vec3_sub(g.fractions, tw_vec3_make(nearest(d.x, l->periodic[0]),
                                                             nearest(d.y, l->periodic[1]),
                                                             nearest(d.z, l->periodic[2])));
        }
        const extent e = extent_of(l, g.fractions, l->reach);
        visit(l, &e, add_grain, &g);
    }
}

typedef struct bond {
    tw_vec3 fractions, branch; /* of the centre of p */
    double length;
    tw_mat3 moment; /* branch (x) force on p, which pushes p away from q: positive in extension */
} bond;

/* The weight is (k - u^2)^2 scale/w^4 at the distance u along the branch from the place nearest to
 * the point, k = w^2 less the square of the least distance. */
static void add_bond(lattice *l, size_t point, tw_vec3 fractions, const void *item)
{
    const bond *b = item;
    const double w = l->grid->window;
    const tw_vec3 y = tw_mat3_mul_vec(l->cell, tw_vec3_sub(fractions, b->fractions));
    const double foot = tw_vec3_dot(y, b->branch) / b->length;
    const double k = w * w - (tw_vec3_dot(y, y) - foot * foot);
    if (!(k > 0.0)) return;
    const double half = sqrt(k), low = tw_math_max(-foot, -half);
    const double high = tw_math_min(b->length - foot, half);
    if (!(high > low)) return;
    double sum = 0.0;
    for (int end = 0; end < 2; end++) {
        const double u = end ? high : low, u3 = u * u * u;
        sum += (end ? 1.0 : -1.0) * (k * k * u - 2.0 / 3.0 * k * u3 + 0.2 * u * u * u3);
    }
    const double weight = l->scale * sum / (w * w * w * w * b->length);
    tw_sim_field *field = &l->out[point];
    field->stress = tw_mat3_add_scaled(field->stress, -weight, b->moment);
}

static void add_bonds(lattice *l, const tw_sim *sim, const tw_contact_state *contacts, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const tw_contact_state *c = &contacts[i];
        tw_body_state body;
        tw_sim_get_body(sim, c->body_p, &body, NULL); /* it exists */
        const bond b = {.fractions = tw_mat3_mul_vec(l->inverse, body.x),
                        .branch = c->branch,
                        .length = tw_vec3_norm(c->branch),
                        .moment = tw_mat3_outer(c->branch, c->force)};
        if (!(b.length > 0.0)) continue;
        const tw_vec3 along = tw_mat3_mul_vec(l->inverse, c->branch);
        const double reach[] = {l->reach[0] + 0.5 * fabs(along.x),
                                l->reach[1] + 0.5 * fabs(along.y),
                                l->reach[2] + 0.5 * fabs(along.z)};
        const extent e = extent_of(l, tw_vec3_add_scaled(b.fractions, 0.5, along), reach);
        visit(l, &e, add_bond, &b);
    }
}

static tw_mat3 not_known(void)
{
    const double n = (double)NAN;
    return (tw_mat3){{n, n, n, n, n, n, n, n, n}};
}

/* Gradient of the displacement relative to the earlier state. */
static tw_mat3 gradient_of(const motion *m)
{
    if (!(m->grains >= 4.0)) return not_known();
    const double share = -1.0 / m->weight;
    const tw_mat3 product = tw_mat3_add_scaled(m->product, share, tw_mat3_outer(m->now, m->before));
    const tw_mat3 square =
        tw_mat3_add_scaled(m->square, share, tw_mat3_outer(m->before, m->before));
    const double mean = tw_mat3_trace(square) / 3.0;
    /* all in a plane, but for rounding: the smallest of three eigenvalues is next to nothing */
    if (!(tw_mat3_det(square) > 1e-9 * mean * mean * mean)) return not_known();
    return tw_mat3_sub(tw_mat3_mul(product, tw_mat3_inverse(square)), tw_mat3_identity());
}

/* sqrt(factor d:d) with the deviator d of the symmetric part. */
static double deviator_of(const tw_mat3 *t, double factor)
{
    const double mean = tw_mat3_trace(*t) / 3.0;
    double sum = 0.0;
    for (int k = 0; k < 9; k++) {
        const double d = 0.5 * (t->m[k] + t->m[k % 3 * 3 + k / 3]) - (k % 4 == 0 ? mean : 0.0);
        sum += d * d;
    }
    return sqrt(factor * sum);
}

static void finish(lattice *l, size_t count, bool stressed)
{
    for (size_t i = 0; i < count; i++) {
        tw_sim_field *f = &l->out[i];
        const tw_mat3 g = l->motions ? gradient_of(&l->motions[i]) : not_known();
        f->strain = tw_mat3_scale(-0.5, tw_mat3_add(g, tw_mat3_transpose(g)));
        f->rotation =
            tw_vec3_make(0.5 * (g.m[7] - g.m[5]), 0.5 * (g.m[2] - g.m[6]), 0.5 * (g.m[3] - g.m[1]));
        f->volumetric_strain = tw_mat3_trace(f->strain);
        f->shear_strain = deviator_of(&f->strain, 2.0 / 3.0);
        if (!stressed) f->stress = not_known();
        f->p = tw_mat3_trace(f->stress) / 3.0;
        f->q = deviator_of(&f->stress, 1.5);
    }
}

static tw_status check(const lattice *l, tw_error *error)
{
    const tw_sim_field_grid *grid = l->grid;
    const double w = grid->window;
    double narrow = HUGE_VAL, total = 1.0;
    for (int k = 0; k < 3; k++) {
        narrow = tw_math_min(narrow, 1.0 / tw_vec3_norm(tw_mat3_row(l->inverse, k)));
        total *= (double)grid->count[k];
    }
    if (!(w > 0.0 && w <= narrow))
        return tw_error_set(error, TW_STATUS_INPUT,
                            "window: %g m is not above 0 and at most %g m, the least distance of "
                            "opposite faces of the cell",
                            w, narrow);
    if (!(total >= 1.0 && total <= 1e8))
        return tw_error_set(error, TW_STATUS_INPUT,
                            "count: %zu x %zu x %zu points are not from 1 to 100 million",
                            grid->count[0], grid->count[1], grid->count[2]);
    /* Other edges of the same lattice cannot be told from a large shear. */
    const tw_mat3 change =
        tw_mat3_sub(tw_mat3_mul(tw_mat3_inverse(l->cell_before), l->cell), tw_mat3_identity());
    if (!(tw_mat3_max_abs(change) < 0.5))
        return tw_error_set(error, TW_STATUS_INPUT,
                            "since: the edges of the cell have changed by half of themselves or "
                            "more, so that grains cannot be followed across its faces; take a "
                            "later state for the earlier one");
    return TW_STATUS_OK;
}

tw_status tw_sim_get_fields(const tw_sim *sim, const tw_sim *since,
                            const tw_contact_state *contacts, size_t contact_count,
                            const tw_sim_field_grid *grid, tw_sim_field *out, size_t capacity,
                            tw_error *error)
{
    TW_CALL_HERE(sim && grid && (out || capacity == 0));
    tw_error_clear(error);
    const tw_sim_def def = tw_sim_get_definition(sim);
    const double w = grid->window;
    lattice l = {.grid = grid, .cell = tw_sim_cell(sim), .out = out};
    l.inverse = tw_mat3_inverse(l.cell);
    l.cell_before = since ? tw_sim_cell(since) : l.cell;
    l.scale = 105.0 / (32.0 * TW_MATH_PI * w * w * w);
    for (int k = 0; k < 3; k++) {
        l.periodic[k] = def.periodic[k];
        l.reach[k] = w * tw_vec3_norm(tw_mat3_row(l.inverse, k));
    }
    tw_status status = check(&l, error);
    if (status != TW_STATUS_OK) return status;
    const size_t count = grid->count[0] * grid->count[1] * grid->count[2];
    if (capacity < count) return tw_error_set_count(error, "fields", count, capacity);
    tw_contact_state *own = NULL;
    if (!contacts) status = tw_sim_list_contacts(sim, &own, &contact_count, error);
    if (status != TW_STATUS_OK) {
        free(own);
        return status;
    }
    if (since) l.motions = calloc(count, sizeof *l.motions);
    if (!since || l.motions) {
        for (size_t i = 0; i < count; i++)
            out[i] = (tw_sim_field){.porosity = 1.0};
        add_grains(&l, sim, since);
        add_bonds(&l, sim, contacts ? contacts : own, contact_count);
        finish(&l, count, contacts || own);
    } else {
        status = tw_error_set_memory(error);
    }
    free(l.motions);
    free(own);
    return status;
}
