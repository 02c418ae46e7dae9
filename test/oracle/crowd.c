/* SPDX-License-Identifier: BSD-3-Clause */
#include "crowd.h"

#include <stdlib.h>

#include "../must.h"

static const double largest = 1e-2; /* radius of the largest sphere or cluster [m] */

crowd_def crowd_def_default(uint64_t seed)
{
    crowd_def def = {0};
    def.seed = seed;
    def.tries = 60;
    def.ratio = 3.0;
    def.clusters = 1;
    def.room = 5.0;
    def.shear = 0.4;
    def.overlap = 0.33;
    def.periodic[0] = def.periodic[1] = def.periodic[2] = 1;
    def.law = support_law(1e5, 0.8e5, 0.4);
    return def;
}

crowd_view crowd_view_of(const tw_sim *sim)
{
    crowd_view v;
    const tw_sim_def def = tw_sim_get_definition(sim);
    v.cell = tw_sim_cell(sim);
    v.inverse = tensor_inverse(v.cell);
    for (int k = 0; k < 3; k++)
        v.periodic[k] = def.periodic[k];
    v.sphere_count = tw_sim_sphere_count(sim);
    v.body_count = tw_sim_body_count(sim);
    v.wall_count = tw_sim_wall_count(sim);
    v.spheres = calloc(v.sphere_count + 1, sizeof *v.spheres);
    v.bodies = calloc(v.body_count + 1, sizeof *v.bodies);
    v.walls = calloc(v.wall_count + 1, sizeof *v.walls);
    assert_true(v.spheres != NULL && v.bodies != NULL && v.walls != NULL);
    tw_sim_get_spheres(sim, v.spheres, v.sphere_count, NULL);
    for (size_t i = 0; i < v.body_count; i++)
        v.bodies[i] = must_body(sim, tw_sim_body_id(sim, i));
    for (size_t i = 0; i < v.wall_count; i++)
        v.walls[i] = must_wall(sim, i);
    return v;
}

void crowd_view_free(crowd_view *view)
{
    free(view->spheres);
    free(view->bodies);
    free(view->walls);
}

static void accumulator(crowd_list *list, crowd_touch touch)
{
    if (list->count == list->capacity) {
        list->capacity *= 2;
        crowd_touch *more = realloc(list->touch, list->capacity * sizeof *more);
        assert_non_null(more);
        list->touch = more;
    }
    list->touch[list->count++] = touch;
}

static int forward(const int *s)
{
    for (int k = 0; k < 3; k++)
        if (s[k] != 0) return s[k] > 0;
    return 0;
}

/* The images of q that may come within `reach` of p: the planes of the cell are 1/|row of the
 * inverse| apart. */
static void image_range(const crowd_view *v, tw_vec3 between, double reach, int *low, int *high)
{
    const tw_vec3 at = tensor_apply(v->inverse, between);
    const double part[3] = {at.x, at.y, at.z};
    for (int k = 0; k < 3; k++) {
        const double *row = v->inverse.m + (ptrdiff_t)3 * k;
        const double span = reach * sqrt(row[0] * row[0] + row[1] * row[1] + row[2] * row[2]);
        low[k] = v->periodic[k] ? (int)ceil(-part[k] - span) : 0;
        high[k] = v->periodic[k] ? (int)floor(-part[k] + span) : 0;
    }
}

static void pair_images(const crowd_view *v, uint32_t p, uint32_t q, double least, crowd_list *list)
{
    const tw_sphere_state *a = &v->spheres[p], *b = &v->spheres[q];
    const int same = a->body == b->body;
    const tw_vec3 between = tw_vec3_sub(b->x, a->x);
    int low[3], high[3], s[3];
    image_range(v, between, a->radius + b->radius + fabs(least), low, high);
    for (s[0] = low[0]; s[0] <= high[0]; s[0]++)
        for (s[1] = low[1]; s[1] <= high[1]; s[1]++)
            for (s[2] = low[2]; s[2] <= high[2]; s[2]++) {
                if (same && !forward(s)) continue;
                crowd_touch t = {p, q, 0, {s[0], s[1], s[2]}, between, 0.0};
                t.branch =
                    tw_vec3_add(between, tensor_apply(v->cell, tw_vec3_make(s[0], s[1], s[2])));
                t.zeta = a->radius + b->radius - tw_vec3_norm(t.branch);
                if (t.zeta > least) accumulator(list, t);
            }
}

/* Contacts with a second body numbered `first` or higher. */
static crowd_list contacts_from(const crowd_view *v, double least, uint32_t first)
{
    crowd_list list = {malloc(64 * sizeof *list.touch), 0, 64};
    assert_non_null(list.touch);
    for (uint32_t p = 0; p < v->sphere_count; p++) {
        for (uint32_t q = 0; q < v->sphere_count; q++)
            if (v->spheres[q].body >= v->spheres[p].body && v->spheres[q].body >= first)
                pair_images(v, p, q, least, &list);
        for (uint32_t w = 0; w < v->wall_count; w++) {
            const tw_wall_state *wall = &v->walls[w];
            const tw_vec3 from = tw_vec3_sub(v->spheres[p].x, wall->point);
            const double d = tw_vec3_dot(from, wall->normal);
            const crowd_touch t = {
                p, w, 1, {0, 0, 0}, tw_vec3_scale(-d, wall->normal), v->spheres[p].radius - d};
            if (t.zeta > least) accumulator(&list, t);
        }
    }
    return list;
}

crowd_list crowd_brute_force(const crowd_view *v, double least)
{
    return contacts_from(v, least, 0);
}

/* ---- Random crowds ---- */

static const tw_sphere corner[] = {
    {{0.0, 0.0, 0.0}, 0.4}, {{0.6, 0.0, 0.0}, 0.35}, {{0.0, 0.5, 0.2}, 0.3}};

static void add_walls(tw_sim *sim, const crowd_def *def, const tw_mat3 *cell)
{
    const tw_mat3 inverse = tensor_inverse(*cell);
    for (int k = 0; k < 3; k++) {
        if (def->periodic[k] || !def->walls) continue;
        /* Normal to the other two edges, so that their images see the same plane. */
        const double *row = inverse.m + (ptrdiff_t)3 * k;
        for (int side = 0; side < 2; side++) {
            tw_wall_def wall = tw_wall_def_default();
            wall.normal = tw_vec3_scale(side ? -1.0 : 1.0, tw_vec3_make(row[0], row[1], row[2]));
            wall.material = def->laws ? (uint32_t)(CROWD_MATERIALS - 1) : 0;
            wall.point = tw_vec3_scale(side ? 0.97 : 0.03, tensor_column(*cell, k));
            must_add_wall(sim, &wall);
        }
    }
}

static tw_mat3 random_cell(const crowd_def *def, support_random *random)
{
    const double edge = def->room * largest;
    tw_mat3 h = tensor_zero();
    for (int k = 0; k < 3; k++)
        h.m[4 * k] = edge * support_uniform(random, 0.8, 1.3);
    /* Shears along periodic edges keep the planes spanned by the others. */
    const double s = def->shear * edge;
    if (def->periodic[0]) h.m[1] = s * support_uniform(random, -1.0, 1.0);
    if (def->periodic[0]) h.m[2] = s * support_uniform(random, -1.0, 1.0);
    if (def->periodic[1]) h.m[5] = s * support_uniform(random, -1.0, 1.0);
    return tensor_mul(tensor_rotation(tensor_random_turn(random)), h);
}

static tw_body_def random_body(const crowd_def *def, const tw_mat3 *cell, const int32_t *shapes,
                               support_random *random)
{
    tw_body_def body = tw_body_def_default();
    const int shape = def->clusters ? (int)support_uniform(random, 0.0, 2.999) : 0;
    body.shape = (uint32_t)shapes[shape];
    body.size = largest / support_log_uniform(random, 1.0, 0.5 + 0.5 * def->ratio);
    tw_vec3 at;
    at.x = support_uniform(random, def->periodic[0] ? -0.7 : 0.1, def->periodic[0] ? 1.5 : 0.9);
    at.y = support_uniform(random, def->periodic[1] ? -0.7 : 0.1, def->periodic[1] ? 1.5 : 0.9);
    at.z = support_uniform(random, def->periodic[2] ? -0.7 : 0.1, def->periodic[2] ? 1.5 : 0.9);
    body.x = tensor_apply(*cell, at);
    body.q = tensor_quat(tensor_random_turn(random));
    const double v = def->speed * largest * support_uniform(random, 0.0, 1.0);
    body.v = tw_vec3_scale(v, support_unit(random));
    const double w = def->speed * support_uniform(random, 0.0, 1.0);
    body.w = tw_vec3_scale(w, support_unit(random));
    return body;
}

static tw_sim *empty_crowd(const crowd_def *def, const tw_mat3 *cell, int32_t *shapes)
{
    tw_sim_def sim_def = tw_sim_def_default();
    sim_def.cell = *cell;
    for (int k = 0; k < 3; k++)
        sim_def.periodic[k] = def->periodic[k];
    sim_def.law = def->laws ? def->laws[0] : def->law;
    sim_def.skin = def->skin;
    tw_sim *sim = scene_create(&sim_def);
    shapes[0] = 0;
    shapes[1] = (int32_t)must_add_shape_bumpy(sim, 6, 0.4, 0.5, 0.6);
    shapes[2] = (int32_t)must_add_shape(sim, corner, 3);
    assert_true(shapes[1] > 0 && shapes[2] > 0);
    if (def->laws) {
        tw_error error = {TW_STATUS_OK, ""};
        tw_sim_add_material(sim, "steel", 7800.0, NULL, &error);
        tw_sim_add_material(sim, "wood", 700.0, NULL, &error);
        tw_sim_set_laws(sim, def->laws, 9, &error);
        if (error.status != TW_STATUS_OK) fail_msg("%s", error.text);
    }
    add_walls(sim, def, cell);
    return sim;
}

/* Whether the last body overlaps anything by more than the limit. */
static int crowded(const crowd_def *def, const tw_sim *sim)
{
    crowd_view v = crowd_view_of(sim);
    crowd_list list = contacts_from(&v, 0.0, (uint32_t)v.body_count - 1);
    int too_much = 0;
    for (size_t i = 0; i < list.count; i++) {
        const crowd_touch *t = &list.touch[i];
        const double rp = v.spheres[t->p].radius, rq = t->wall ? rp : v.spheres[t->q].radius;
        if (t->zeta > def->overlap * fmin(rp, rq)) too_much = 1;
    }
    free(list.touch);
    crowd_view_free(&v);
    return too_much;
}

static tw_sim *filled(const crowd_def *def, const tw_mat3 *cell, const tw_body_def *in,
                      size_t count)
{
    int32_t shapes[3];
    tw_sim *sim = empty_crowd(def, cell, shapes);
    for (size_t k = 0; k < count; k++) {
        tw_body_def body = in[k];
        if (def->laws) body.material = (uint32_t)(k % CROWD_MATERIALS);
        scene_add(sim, &body);
    }
    return sim;
}

/* Each body is as large as its position allows, so that most touch another. */
tw_sim *crowd_make(const crowd_def *def)
{
    static const int32_t shapes[3] = {0, 1, 2}; /* numbered as in empty_crowd */
    support_random random = {def->seed};
    const tw_mat3 cell = random_cell(def, &random);
    tw_body_def *in = calloc((size_t)def->tries + 1, sizeof *in);
    assert_non_null(in);
    size_t count = 0;
    for (int i = 0; i < def->tries; i++) {
        in[count] = random_body(def, &cell, shapes, &random);
        for (int fits = 0; !fits && in[count].size > 0.999 * largest / def->ratio;
             in[count].size *= 0.8) {
            tw_sim *sim = filled(def, &cell, in, count + 1);
            fits = !crowded(def, sim);
            tw_sim_free(sim);
            if (!fits) continue;
            count++;
            break;
        }
    }
    assert_true(count > 0);
    tw_sim *sim = filled(def, &cell, in, count);
    free(in);
    return sim;
}
