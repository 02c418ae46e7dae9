/* SPDX-License-Identifier: BSD-3-Clause */
#include "pairs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../test/must.h"

typedef struct state {
    tw_sim *sim;
    tw_mat3 cell;
    tw_sphere_state *sphere;
    tw_contact_state *contact;
    size_t contacts;
} state;

static bool fail(tw_error *error, tw_status status, const char *text)
{
    error->status = status;
    snprintf(error->text, sizeof error->text, "%s", text);
    return false;
}

static bool read_state(const char *path, state *out, tw_error *error)
{
    out->sim = tw_sim_load(path, error);
    if (!out->sim || tw_sim_prepare(out->sim, error) != TW_STATUS_OK) return false;
    out->cell = tw_sim_cell(out->sim);
    out->contacts = must_contacts(out->sim);
    const size_t spheres = tw_sim_sphere_count(out->sim);
    out->sphere = malloc((spheres + 1) * sizeof *out->sphere);
    out->contact = malloc((out->contacts + 1) * sizeof *out->contact);
    if (!out->sphere || !out->contact) return fail(error, TW_STATUS_MEMORY, "out of memory");
    tw_sim_get_spheres(out->sim, out->sphere, spheres, NULL);
    must_get_contacts(out->sim, out->contact);
    return true;
}

static void free_state(state *s)
{
    tw_sim_free(s->sim);
    free(s->sphere);
    free(s->contact);
}

/* Index of the first sphere of each body. */
static size_t *sphere_starts(const state *s)
{
    const size_t bodies = tw_sim_body_count(s->sim), spheres = tw_sim_sphere_count(s->sim);
    size_t *start = calloc(bodies + 1, sizeof *start);
    for (size_t i = 0; start && i < spheres; i++)
        start[s->sphere[i].body + 1]++;
    for (size_t i = 0; start && i < bodies; i++)
        start[i + 1] += start[i];
    return start;
}

static tw_vec3 column(const tw_mat3 *m, int j)
{
    return tw_vec3_make(m->m[j], m->m[3 + j], m->m[6 + j]);
}

static double determinant(const tw_mat3 *m)
{
    return tw_vec3_dot(column(m, 0), tw_vec3_cross(column(m, 1), column(m, 2)));
}

/* The image of `far` nearest to `near`: nothing moves by half a cell in a probe. */
static tw_vec3 nearest_image(const tw_mat3 *cell, tw_vec3 far, tw_vec3 near)
{
    const tw_vec3 edge[3] = {column(cell, 0), column(cell, 1), column(cell, 2)};
    const double volume = determinant(cell);
    const tw_vec3 off = tw_vec3_sub(far, near);
    tw_vec3 out = far;
    for (int i = 0; i < 3; i++) {
        const tw_vec3 across = tw_vec3_cross(edge[(i + 1) % 3], edge[(i + 2) % 3]);
        out = tw_vec3_add_scaled(out, -nearbyint(tw_vec3_dot(off, across) / volume), edge[i]);
    }
    return out;
}

/* The rotation vector from one orientation to the other. */
static tw_vec3 rotation(tw_quat from, tw_quat to)
{
    const tw_vec3 a = {from.x, from.y, from.z}, b = {to.x, to.y, to.z};
    double w = to.w * from.w + tw_vec3_dot(a, b);
    tw_vec3 v = tw_vec3_sub(tw_vec3_scale(from.w, b), tw_vec3_scale(to.w, a));
    v = tw_vec3_sub(v, tw_vec3_cross(b, a));
    if (w < 0.0) {
        w = -w;
        v = tw_vec3_scale(-1.0, v);
    }
    const double sine = tw_vec3_norm(v);
    return tw_vec3_scale(sine > 1e-12 ? 2.0 * tw_math_atan2(sine, w) / sine : 2.0, v);
}

/* A contact of state k (0 before, 1 after), with its spheres in the other state. */
static paper_pair pair_of(const state *s, const size_t *start, const tw_contact_state *c, int k)
{
    paper_pair pair;
    const tw_sphere_state *p[2], *q[2];
    tw_body_state body_p[2], body_q[2];
    for (int i = 0; i < 2; i++) {
        p[i] = &s[i].sphere[start[c->body_p] + c->member_p];
        q[i] = &s[i].sphere[start[c->body_q] + c->member_q];
        body_p[i] = must_body(s[i].sim, c->body_p);
        body_q[i] = must_body(s[i].sim, c->body_q);
    }
    pair.radius_p = p[0]->radius;
    pair.radius_q = q[0]->radius;
    pair.branch[k] = tw_vec3_scale(pair.radius_p + pair.radius_q - c->zeta, c->n);
    pair.body_branch[k] = c->branch;
    const int o = 1 - k;
    pair.branch[o] = nearest_image(&s[o].cell, tw_vec3_sub(q[o]->x, p[o]->x), pair.branch[k]);
    pair.body_branch[o] =
        nearest_image(&s[o].cell, tw_vec3_sub(body_q[o].x, body_p[o].x), c->branch);
    pair.turn_p = rotation(body_p[0].q, body_p[1].q);
    pair.turn_q = rotation(body_q[0].q, body_q[1].q);
    pair.memory = k == 0 ? (tw_contact_memory){c->n, c->zeta, c->ft}
                         : tw_contact_memory_fresh(pair.branch[0], pair.radius_p, pair.radius_q);
    return pair;
}

static bool was_touching(const paper_pair *pair)
{
    return tw_vec3_norm(pair->branch[0]) < pair->radius_p + pair->radius_q;
}

static bool collect(const state s[2], paper_pairs *pairs, tw_error *error)
{
    size_t *start = sphere_starts(&s[0]);
    pairs->count = 0;
    pairs->pair = malloc((s[0].contacts + s[1].contacts + 1) * sizeof *pairs->pair);
    for (int k = 0; k < 2; k++)
        pairs->volume[k] = fabs(determinant(&s[k].cell));
    if (start && pairs->pair) {
        for (size_t i = 0; i < s[0].contacts; i++)
            pairs->pair[pairs->count++] = pair_of(s, start, &s[0].contact[i], 0);
        for (size_t i = 0; i < s[1].contacts; i++) {
            const paper_pair pair = pair_of(s, start, &s[1].contact[i], 1);
            if (!was_touching(&pair)) pairs->pair[pairs->count++] = pair;
        }
    }
    const bool done = start && pairs->pair;
    free(start);
    return done ? true : fail(error, TW_STATUS_MEMORY, "out of memory");
}

void paper_pair_advance(const tw_contact_law *law, const paper_pair *pair, double s0, double s1,
                        tw_contact_memory *memory, tw_contact_load *load)
{
    const double share = s1 - s0;
    const tw_contact_pair now = {paper_pair_branch(pair, s1),
                                 tw_vec3_scale(share, pair->turn_p),
                                 tw_vec3_scale(share, pair->turn_q),
                                 pair->radius_p,
                                 pair->radius_q,
                                 0.0};
    /* A pair that has opened, or has not touched yet, has no memory. */
    if (!(memory->zeta > 0.0))
        *memory =
            tw_contact_memory_fresh(paper_pair_branch(pair, s0), pair->radius_p, pair->radius_q);
    const tw_contact_motion motion = tw_contact_pair_motion(law->kind, &now, memory);
    tw_contact_advance(law, &motion, 1.0, memory, NULL, load);
}

bool paper_pairs_read(const char *before, const char *after, paper_pairs *pairs,
                      tw_contact_law *law, tw_error *error)
{
    state s[2] = {{.sim = NULL}, {.sim = NULL}};
    bool done = read_state(before, &s[0], error) && read_state(after, &s[1], error);
    if (done && tw_sim_sphere_count(s[0].sim) != tw_sim_sphere_count(s[1].sim))
        done = fail(error, TW_STATUS_INPUT, "the two states do not have the same grains");
    if (done) {
        *law = tw_sim_get_definition(s[0].sim).law;
        done = collect(s, pairs, error);
    }
    free_state(&s[0]);
    free_state(&s[1]);
    return done;
}
