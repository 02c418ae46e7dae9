/* SPDX-License-Identifier: BSD-3-Clause */
/* The specimen before it is compressed. */
#include "run/specimen.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <twirl/exchange.h>
#include <twirl/math.h>
#include <twirl/run.h>

#include "base/error.h"
#include "base/mat3.h"
#include "base/parallel.h"
#include "base/random.h"
#include "base/text.h"

/* ---- Positions without overlap ---- */

/* Attempts for one grain before the cell counts as full. */
enum { ATTEMPTS = 2000 };

/* Grains between two calls of the watch: at most a tenth of a second. */
enum { WATCHED = 64 };

/* Positions that are drawn at a time, and those that a thread looks at before it takes others. */
enum { DRAWN_MIN = 64, DRAWN_MAX = 1 << 14, CHUNK = 128 };

static const uint32_t none = UINT32_MAX;

/* A box of a grid: the last of its grains, and the round in which it came. No box is thinner than
 * the largest grain, so overlapping grains are in the same box or in neighbours. */
typedef struct grid_box {
    uint32_t last, round;
} grid_box;

/* A grain that has its place; numbers of grains are in the order of placing. */
typedef struct settled {
    double at[3]; /* as fractions of the edges */
    double radius;
    uint32_t before; /* in the same box */
} settled;

/* What is known of a drawn position without the grains that are placed in the same round. */
typedef enum verdict { TAKEN, OPEN, FREE } verdict;

/* A position where the next grain may go. */
typedef struct proposal {
    double at[3];
    verdict found;
} proposal;

/* Grains are placed one after the other, largest first, each at the first of the drawn positions
 * that is free. Nearly all time goes to positions that are not. They are found in rounds, by all
 * threads: many positions are drawn, and compared with the grains placed so far, for the smallest
 * and the largest radius of the grains that may be tried there. Sums and products of positive
 * numbers do not decrease as one of them grows, not even rounded, so that for a radius between the
 * two nothing else would be found. Then the positions are gone through in their order; those near a
 * grain of the same round, or free for the smaller radius only, are looked at again. */
typedef struct scatter {
    const tw_mat3 *cell;
    int64_t many[3];
    grid_box *boxes;
    settled *grains;
    proposal *trials;
    uint32_t round;
    double least, most; /* radii of grains that may be tried in this round */
} scatter;

/* Boxes near a position: along each edge the one before, its own and the one behind, with what
 * takes the position there to the image of the box. */
typedef struct nearby {
    int64_t box[3][3];
    double shift[3][3];
} nearby;

static nearby near_to(const scatter *s, const double at[3])
{
    nearby near;
    int64_t stride = 1;
    for (int k = 0; k < 3; k++) {
        const int64_t many = s->many[k];
        int64_t own = (int64_t)(at[k] * (double)many); /* 0 <= at < 1 */
        if (own == many) own--;
        for (int j = 0; j < 3; j++) {
            const int64_t i = own + j - 1, turns = i < 0 ? -1 : i >= many ? 1 : 0;
            near.box[k][j] = stride * (i - turns * many);
            near.shift[k][j] = (double)turns - at[k];
        }
        stride *= many;
    }
    return near;
}

/* The own box is the first of the 27, most likely to have a grain that is in the way. */
static int64_t near_box(const nearby *near, int n, double shift[3])
{
    const int of = n == 0 ? 13 : n <= 13 ? n - 1 : n;
    const int j[3] = {of % 3, of / 3 % 3, of / 9};
    for (int k = 0; k < 3; k++)
        shift[k] = near->shift[k][j[k]];
    return near->box[0][j[0]] + near->box[1][j[1]] + near->box[2][j[2]];
}

/* For grains with radii from `least` to `most`. */
static verdict judge(const scatter *s, const double at[3], double least, double most)
{
    const nearby near = near_to(s, at);
    verdict found = FREE;
    for (int n = 0; n < 27; n++) {
        double shift[3];
        const int64_t at_box = near_box(&near, n, shift);
        for (uint32_t i = s->boxes[at_box].last; i != none; i = s->grains[i].before) {
            const settled *other = &s->grains[i];
            const tw_vec3 away = {other->at[0] + shift[0], other->at[1] + shift[1],
                                  other->at[2] + shift[2]};
            const tw_vec3 branch = tw_mat3_mul_vec(*s->cell, away);
            const double square = tw_vec3_dot(branch, branch);
            const double apart = least + other->radius, safe = most + other->radius;
            if (square < apart * apart) return TAKEN;
            if (square < safe * safe) found = OPEN;
        }
    }
    return found;
}

static void judge_trials(void *context, size_t begin, size_t end)
{
    const scatter *s = context;
    for (size_t k = begin; k < end; k++)
        s->trials[k].found = judge(s, s->trials[k].at, s->least, s->most);
}

/* Whether a grain has been placed nearby in this round. */
static bool is_disturbed(const scatter *s, const nearby *near)
{
    uint32_t latest = 0;
    for (int row = 0; row < 9; row++) {
        const grid_box *boxes = s->boxes + near->box[1][row % 3] + near->box[2][row / 3];
        for (int k = 0; k < 3; k++) {
            const uint32_t round = boxes[near->box[0][k]].round;
            latest = round > latest ? round : latest;
        }
    }
    return latest == s->round;
}

/* Puts the grain there unless others are in the way. */
static bool place(scatter *s, const proposal *t, uint32_t grain, double radius)
{
    if (t->found == TAKEN) return false;
    const nearby near = near_to(s, t->at);
    if ((t->found == OPEN || is_disturbed(s, &near)) && judge(s, t->at, radius, radius) != FREE)
        return false;
    double shift[3];
    grid_box *own = &s->boxes[near_box(&near, 0, shift)];
    s->grains[grain] = (settled){{t->at[0], t->at[1], t->at[2]}, radius, own->last};
    *own = (grid_box){grain, s->round};
    return true;
}

typedef struct ranked {
    double radius;
    uint64_t grain;
} ranked;

static int larger_first(const void *a, const void *b)
{
    const ranked *x = a, *y = b;
    if (x->radius != y->radius) return x->radius < y->radius ? 1 : -1;
    return x->grain < y->grain ? -1 : x->grain > y->grain;
}

/* Number of boxes, not many more than grains; 0 if the largest grain is too large for the cell.
 * Which positions are free does not depend on it. */
static int64_t divide(scatter *s, double largest, uint64_t count)
{
    const tw_mat3 inverse = tw_mat3_inverse(*s->cell);
    double most[3], all = 1.0;
    for (int k = 0; k < 3; k++) { /* a row of the inverse is normal to two edges */
        const double height = 1.0 / tw_vec3_norm(tw_mat3_row(inverse, k));
        most[k] = tw_math_min(floor(height / (2.0 * largest)), 1024.0);
        all *= most[k];
    }
    const double shrink = tw_math_cbrt(all / (4.0 * (double)count + 64.0));
    for (int k = 0; k < 3; k++) {
        if (shrink > 1.0) most[k] = tw_math_max(floor(most[k] / shrink), 1.0);
        s->many[k] = (int64_t)most[k];
    }
    return s->many[0] * s->many[1] * s->many[2];
}

/* Calls the watch for every 64th grain. */
static int is_stopped(const tw_run_scatter_watch *watch, uint64_t grain, double share)
{
    return watch->placed && grain % WATCHED == 0 ? watch->placed(share, watch->context) : 0;
}

/* Few positions while there are few grains: those of one round must not get in each other's way. */
static size_t drawn_with(uint64_t grains)
{
    const uint64_t part = grains / 8;
    return part < DRAWN_MIN ? DRAWN_MIN : part > DRAWN_MAX ? DRAWN_MAX : (size_t)part;
}

static void draw_trials(scatter *s, size_t count, tw_random *random)
{
    for (size_t i = 0; i < count; i++)
        for (int k = 0; k < 3; k++)
            s->trials[i].at[k] = tw_random_uniform(random);
}

static tw_run_scatter_result place_all(scatter *s, const ranked *order, uint64_t count,
                                       tw_random *random, const tw_run_scatter_watch *watch)
{
    uint64_t next = 0;
    int attempts = 0;
    tw_run_scatter_result result = TW_SCATTER_DONE;
    while (next < count && result == TW_SCATTER_DONE) {
        const size_t drawn = drawn_with(next);
        const uint64_t last = count - next < drawn ? count - 1 : next + drawn - 1;
        const tw_random before = *random;
        draw_trials(s, drawn, random);
        s->round++;
        s->least = order[last].radius;
        s->most = order[next].radius;
        tw_parallel_for(drawn, CHUNK, judge_trials, s);
        size_t used = 0;
        while (used < drawn && next < count && result == TW_SCATTER_DONE) {
            if (place(s, &s->trials[used++], (uint32_t)next, order[next].radius)) {
                attempts = 0;
                if (is_stopped(watch, next, (double)next / (double)count))
                    result = TW_SCATTER_STOPPED;
                next++;
            } else if (++attempts == ATTEMPTS) {
                result = TW_SCATTER_FULL;
            }
        }
        if (used == drawn) continue;
        *random = before; /* what was drawn in vain is drawn again by the next who asks */
        draw_trials(s, used, random);
    }
    return result;
}

tw_run_scatter_result tw_run_scatter(tw_body_def *bodies, const double *radius, uint64_t count,
                                     const tw_mat3 *cell, tw_random *random,
                                     const tw_run_scatter_watch *watch)
{
    scatter s = {.cell = cell};
    ranked *order = malloc(count * sizeof *order);
    if (!order) return TW_SCATTER_NO_MEMORY;
    for (uint64_t i = 0; i < count; i++)
        order[i] = (ranked){radius[i], i};
    qsort(order, count, sizeof *order, larger_first);
    const int64_t all = divide(&s, order[0].radius, count);
    s.boxes = malloc((size_t)(all + 1) * sizeof *s.boxes);
    s.grains = malloc(count * sizeof *s.grains);
    s.trials = malloc(drawn_with(count) * sizeof *s.trials);
    tw_run_scatter_result result = !(s.boxes && s.grains && s.trials) ? TW_SCATTER_NO_MEMORY
                                   : all > 0                          ? TW_SCATTER_DONE
                                                                      : TW_SCATTER_FULL;
    for (int64_t k = 0; result == TW_SCATTER_DONE && k < all; k++)
        s.boxes[k] = (grid_box){none, 0};
    if (result == TW_SCATTER_DONE) result = place_all(&s, order, count, random, watch);
    for (uint64_t i = 0; result == TW_SCATTER_DONE && i < count; i++)
        bodies[order[i].grain].x = tw_mat3_mul_vec(
            *cell, tw_vec3_make(s.grains[i].at[0], s.grains[i].at[1], s.grains[i].at[2]));
    free(order);
    free(s.boxes);
    free(s.grains);
    free(s.trials);
    return result;
}

/* ---- Materials ---- */

/* Makes the materials of a new simulation, with the laws of their pairs. */
static bool add_materials(tw_sim *sim, const tw_scenario *s, tw_error *error)
{
    const size_t count = s->material_count;
    if (count == 0) return true;
    if (tw_sim_name_material(sim, 0, s->materials[0].name, error) != TW_STATUS_OK) return false;
    for (size_t k = 1; k < count; k++) {
        const tw_scenario_material *m = &s->materials[k];
        if (tw_sim_add_material(sim, m->name, m->density, NULL, error) != TW_STATUS_OK)
            return false;
    }
    tw_contact_law *laws = malloc(count * count * sizeof *laws);
    for (size_t i = 0; laws && i < count * count; i++)
        tw_scenario_put_law(s, NULL, i / count, i % count, &laws[i]);
    const tw_status status = laws ? tw_sim_set_laws(sim, laws, error) : tw_error_set_memory(error);
    free(laws);
    return status == TW_STATUS_OK;
}

/* Whether the list has exactly the materials of a checkpoint. */
static bool check_materials(const tw_sim *sim, const tw_scenario *s, tw_error *error)
{
    char names[300] = "";
    size_t found = 0;
    if (s->material_count == 0) return true;
    for (uint32_t k = 0; k < tw_sim_materials(sim); k++) {
        const char *name = tw_sim_material_name(sim, k);
        tw_text_add_word(names, sizeof names, name);
        found += tw_scenario_find_material(s, name) < s->material_count;
    }
    if (found == tw_sim_materials(sim) && found == s->material_count) return true;
    tw_error_set(error, TW_STATUS_INPUT,
                 "materials: they are not those of the checkpoint %s, which are: %s",
                 tw_error_shorten_path(s->specimen.checkpoint).text, names);
    return false;
}

/* Sets the material of each body of a file by its type. */
static bool find_materials(tw_specimen *specimen, const tw_scenario *s, tw_error *error)
{
    for (size_t i = 0; i < specimen->body_count; i++) {
        tw_body_def *body = &specimen->bodies[i];
        size_t k = 0;
        while (k < s->material_count && s->materials[k].type != body->type)
            k++;
        if (k == s->material_count) {
            tw_error_set(error, TW_STATUS_INPUT,
                         "specimen.file: %s has grains of type %u, but none of the materials has "
                         "this type; add 'type: %u' to one of them, or another material",
                         tw_error_shorten_path(s->specimen.file).text, body->type, body->type);
            return false;
        }
        body->material = (uint32_t)k;
    }
    return true;
}

/* ---- Grains ---- */

tw_sim_def tw_run_grains_definition(const tw_scenario *s)
{
    tw_sim_def def = tw_sim_def_default();
    tw_scenario_put_law(s, NULL, 0, 0, &def.law);
    def.density = tw_scenario_material_at(s, 0)->density;
    def.damping_local = s->damping.local;
    def.damping_mass = s->damping.mass;
    def.damping_spin = s->damping.spin;
    def.mass_scale = s->time_step.mass_scale;
    if (!isnan(s->time_step.fraction)) def.dt_fraction = s->time_step.fraction;
    if (!isnan(s->time_step.dt)) def.dt = s->time_step.dt;
    def.dt_forced = s->time_step.force == 1;
    return def;
}

/* ---- From files ---- */

static tw_sim *from_checkpoint(const tw_scenario *s, tw_error *error)
{
    tw_sim *sim = tw_sim_load(s->specimen.checkpoint, error);
    if (!sim) return NULL;
    const double dt = s->time_step.dt;
    if (check_materials(sim, s, error) &&
        (isnan(dt) || tw_sim_set_dt(sim, dt, s->time_step.force == 1, error) == TW_STATUS_OK))
        return sim;
    tw_sim_free(sim);
    return NULL;
}

static tw_sim *build_specimen(tw_specimen *specimen, const tw_scenario *s, tw_error *error)
{
    tw_sim_def def = tw_run_grains_definition(s);
    if (s->material_count == 0) return tw_specimen_build(specimen, &def, error);
    if (!find_materials(specimen, s, error)) return NULL;
    def.cell = specimen->cell;
    memcpy(def.periodic, specimen->periodic, sizeof def.periodic);
    tw_sim *sim = tw_sim_create(&def, error);
    if (sim && add_materials(sim, s, error) &&
        tw_specimen_add(specimen, sim, error) == TW_STATUS_OK)
        return sim;
    tw_sim_free(sim);
    return NULL;
}

static tw_sim *from_file(const tw_scenario *s, tw_error *error)
{
    tw_specimen *specimen = tw_specimen_read(s->specimen.file, error);
    if (!specimen) return NULL;
    tw_sim *sim = NULL;
    if (specimen->cell_given)
        sim = build_specimen(specimen, s, error);
    else
        tw_error_set(error, TW_STATUS_INPUT,
                     "specimen.file: %s has no cell; add a line '# cell: ...'", s->specimen.file);
    tw_specimen_free(specimen);
    return sim;
}

/* ---- Shapes ---- */

static tw_status add_shape(tw_sim *sim, const tw_scenario_shape *shape, uint32_t *number,
                           tw_error *error)
{
    *number = 0; /* the sphere */
    if (shape->shape == TW_SCENARIO_SPHERE) return TW_STATUS_OK;
    if (shape->shape == TW_SCENARIO_BUMPY)
        return tw_sim_add_shape_bumpy(sim, (int)shape->satellites, shape->satellite_radius,
                                      shape->central_radius, shape->distance, number, error);
    const size_t count = shape->spheres.count;
    tw_sphere *spheres = malloc(count * sizeof *spheres);
    if (!spheres) return tw_error_set_memory(error);
    for (size_t i = 0; i < count; i++) {
        const double *v = shape->spheres.value + 4 * i;
        spheres[i] = (tw_sphere){{v[0], v[1], v[2]}, v[3]};
    }
    const tw_status status = tw_sim_add_shape(sim, spheres, count, number, error);
    free(spheres);
    return status;
}

/* A shape of size 1: its number, volume, and bounding radius about the centre of mass; and the
 * material of its grains. */
typedef struct kind {
    uint32_t shape;
    double volume, radius;
    uint32_t material;
} kind;

static bool add_shapes(tw_sim *sim, const tw_scenario *s, kind *kinds, tw_error *error)
{
    for (size_t k = 0; k < s->specimen.shape_count; k++) {
        const tw_scenario_shape *shape = &s->specimen.shapes[k];
        if (add_shape(sim, shape, &kinds[k].shape, error) != TW_STATUS_OK) return false;
        kinds[k].material = (uint32_t)tw_scenario_shape_material(s, shape);
    }
    return true;
}

/* Has the engine compute the volumes: a scratch simulation with one body of each shape. */
static bool measure_shapes(const tw_scenario *s, kind *kinds, tw_error *error)
{
    const size_t count = s->specimen.shape_count;
    const tw_mat3 unit = {{1, 0, 0, 0, 1, 0, 0, 0, 1}};
    tw_sim_def def = tw_run_grains_definition(s);
    def.cell = unit;
    memset(def.periodic, 0, sizeof def.periodic);
    tw_sim *sim = tw_sim_create(&def, error);
    bool good = sim && add_shapes(sim, s, kinds, error);
    for (size_t k = 0; good && k < count; k++) {
        tw_body_def body = tw_body_def_default();
        body.shape = kinds[k].shape;
        body.size = 1.0;
        good = tw_sim_add_body(sim, &body, NULL, error) == TW_STATUS_OK;
    }
    tw_sphere_state *spheres = good ? malloc(tw_sim_spheres(sim) * sizeof *spheres) : NULL;
    if (spheres) {
        tw_sim_get_spheres(sim, spheres);
        for (size_t i = 0; i < tw_sim_spheres(sim); i++) {
            kind *k = &kinds[spheres[i].body];
            k->radius = tw_math_max(k->radius, tw_vec3_norm(spheres[i].x) + spheres[i].radius);
            tw_body_state body;
            tw_sim_body(sim, spheres[i].body, &body, NULL); /* it exists */
            k->volume = body.mass / (def.density * def.mass_scale);
        }
    } else if (good) {
        tw_error_set_memory(error);
    }
    free(spheres);
    tw_sim_free(sim);
    return spheres != NULL;
}

/* ---- Sizes ---- */

static double draw_on_curve(const tw_scenario_rows *curve, double fraction)
{
    const double *v = curve->value;
    size_t i = 1;
    while (i + 1 < curve->count && v[2 * i + 1] <= fraction)
        i++;
    const double part = (fraction - v[2 * i - 1]) / (v[2 * i + 1] - v[2 * i - 1]);
    return v[2 * i - 2] *
           tw_math_pow(v[2 * i] / v[2 * i - 2], tw_math_min(tw_math_max(part, 0.0), 1.0));
}

static double draw(const tw_scenario_sizes *s, tw_random *random)
{
    double d;
    switch (s->distribution) {
    case TW_SCENARIO_UNIFORM:
        return s->d_min + (s->d_max - s->d_min) * tw_random_uniform(random);
    case TW_SCENARIO_LOGNORMAL:
        do
            d = s->d50 * tw_math_exp(s->deviation * tw_random_normal(random));
        while (d < s->d_min || d > s->d_max);
        return d;
    case TW_SCENARIO_GRADING:
        return draw_on_curve(&s->curve, tw_random_uniform(random));
    default:
        return s->d;
    }
}

/* Distributions by volume: a draw is accepted with a probability proportional to 1/d^3. */
static double draw_diameter(const tw_scenario_sizes *s, tw_random *random)
{
    const bool curve = s->distribution == TW_SCENARIO_GRADING;
    if (!curve && s->by != TW_SCENARIO_VOLUME) return draw(s, random);
    const double smallest = curve ? s->curve.value[0] : s->d_min;
    for (;;) {
        const double d = draw(s, random), part = smallest / d;
        if (tw_random_uniform(random) <= part * part * part) return d;
    }
}

/* ---- Grains ---- */

static tw_quat draw_orientation(tw_random *random)
{
    const double u = tw_random_uniform(random), a = 2.0 * TW_MATH_PI * tw_random_uniform(random),
                 b = 2.0 * TW_MATH_PI * tw_random_uniform(random);
    return (tw_quat){sqrt(1.0 - u) * tw_math_sin(a), sqrt(1.0 - u) * tw_math_cos(a),
                     sqrt(u) * tw_math_sin(b), sqrt(u) * tw_math_cos(b)};
}

/* Shapes in exact proportions, in the order of the grains, which is unrelated to their positions.
 */
static size_t kind_of(const tw_scenario_specimen *s, uint64_t grain)
{
    double total = 0.0, sum = 0.0;
    for (size_t k = 0; k < s->shape_count; k++)
        total += s->shapes[k].share;
    const double at = total * ((double)grain + 0.5) / (double)s->count;
    for (size_t k = 0; k + 1 < s->shape_count; k++) {
        sum += s->shapes[k].share;
        if (at < sum) return k;
    }
    return s->shape_count - 1;
}

static bool stop(tw_error *error)
{
    tw_error_set(error, TW_STATUS_INTERRUPTED, "interrupted while grains were placed");
    return false;
}

/* A body without position. Returns its volume. */
static double draw_grain(const tw_scenario_specimen *s, const kind *k, tw_random *random,
                         tw_body_def *body, double *radius)
{
    const double d = draw_diameter(&s->sizes, random);
    *body = tw_body_def_default();
    body->shape = k->shape;
    body->material = k->material;
    body->type = 1 + k->material; /* for viewers and other programs */
    body->size = d * tw_math_cbrt(TW_MATH_PI / 6.0 / k->volume);
    body->q = draw_orientation(random);
    body->half_step = 1; /* at rest: the time is of no importance */
    *radius = k->radius * body->size;
    return TW_MATH_PI / 6.0 * d * d * d;
}

/* Bodies without positions. *sum: their volume. */
static bool draw_grains(const tw_scenario_specimen *s, const kind *kinds, tw_random *random,
                        const tw_run_scatter_watch *watch, tw_body_def *bodies, double *radius,
                        double *sum, tw_error *error)
{
    double volume = 0.0;
    for (uint64_t i = 0; i < s->count; i++) {
        if (is_stopped(watch, i, 0.0)) return stop(error);
        volume += draw_grain(s, &kinds[kind_of(s, i)], random, &bodies[i], &radius[i]);
    }
    *sum = volume;
    return true;
}

static tw_mat3 cell_of(const tw_scenario_cell *c, double volume)
{
    const double *a = c->aspect;
    const double unit = tw_math_cbrt(volume / (a[0] * a[1] * a[2]));
    return (tw_mat3){{unit * a[0], c->tilt[0] * unit * a[1], c->tilt[1] * unit * a[2], /* */
                      0.0, unit * a[1], c->tilt[2] * unit * a[2],                      /* */
                      0.0, 0.0, unit * a[2]}};
}

static tw_mat3 place_on_lattice(const tw_scenario_specimen *s, tw_body_def *bodies)
{
    static const double fcc[4][3] = {{0, 0, 0}, {0.5, 0.5, 0}, {0.5, 0, 0.5}, {0, 0.5, 0.5}};
    const uint64_t each = s->arrangement == TW_SCENARIO_FCC ? 4 : 1;
    const uint64_t n = (uint64_t)llround(tw_math_cbrt((double)(s->count / each)));
    const double pitch = each == 4 ? sqrt(2.0) * s->sizes.d : s->sizes.d;
    for (uint64_t i = 0; i < s->count; i++) {
        const double *site = fcc[i % each];
        const uint64_t cube = i / each;
        bodies[i].x.x = pitch * ((double)(cube % n) + site[0]);
        bodies[i].x.y = pitch * ((double)(cube / n % n) + site[1]);
        bodies[i].x.z = pitch * ((double)(cube / n / n) + site[2]);
    }
    const double edge = pitch * (double)n;
    return (tw_mat3){{edge, 0, 0, 0, edge, 0, 0, 0, edge}};
}

/* Of the volume of the cell, until all grains fit. */
static const double growth = 1.05;

static bool place_at_random(const tw_scenario_specimen *s, double volume, const double *radius,
                            tw_random *random, const tw_run_scatter_watch *watch,
                            tw_body_def *bodies, tw_mat3 *cell, tw_error *error)
{
    double room = volume / (1.0 - s->preparation.start_porosity);
    for (;; room *= growth) {
        *cell = cell_of(&s->cell, room);
        const tw_run_scatter_result placed =
            tw_run_scatter(bodies, radius, s->count, cell, random, watch);
        if (placed == TW_SCATTER_DONE) return true;
        if (placed == TW_SCATTER_FULL) continue;
        if (placed == TW_SCATTER_STOPPED) return stop(error);
        tw_error_set_memory(error);
        return false;
    }
}

/* An empty simulation with materials and shapes. */
static tw_sim *build_empty(const tw_scenario *s, tw_mat3 cell, kind *kinds, tw_error *error)
{
    tw_sim_def def = tw_run_grains_definition(s);
    def.cell = cell;
    tw_sim *sim = tw_sim_create(&def, error);
    if (sim && add_materials(sim, s, error) && add_shapes(sim, s, kinds, error)) return sim;
    tw_sim_free(sim);
    return NULL;
}

static tw_sim *build(const tw_scenario *s, const tw_body_def *bodies, tw_mat3 cell, kind *kinds,
                     const tw_run_scatter_watch *watch, tw_error *error)
{
    tw_sim *sim = build_empty(s, cell, kinds, error);
    bool good = sim != NULL;
    for (uint64_t i = 0; good && i < s->specimen.count; i++) {
        good = tw_sim_add_body(sim, &bodies[i], NULL, error) == TW_STATUS_OK;
        if (good && is_stopped(watch, i, 1.0)) good = stop(error);
    }
    if (good) return sim;
    tw_sim_free(sim);
    return NULL;
}

/* ---- Grains by regions ---- */

struct tw_run_recipe {
    const tw_scenario *scenario;
    kind *kinds;
    uint64_t stride; /* grains are numbered by region: those of a shape are far apart */
    tw_run_regions regions;
};

/* Multiples of it, modulo the count, are all numbers of grains, evenly spread. */
static uint64_t find_stride(uint64_t count)
{
    const double golden = 0.6180339887498949;
    for (uint64_t stride = (uint64_t)(golden * (double)count) + 1;; stride++) {
        uint64_t a = count, b = stride;
        while (b) {
            const uint64_t rest = a % b;
            a = b;
            b = rest;
        }
        if (a == 1) return stride;
    }
}

static double make_grain(const tw_run_recipe *r, uint64_t grain, tw_body_def *body, double *radius)
{
    const tw_scenario_specimen *s = &r->scenario->specimen;
    tw_random random = tw_random_keyed(s->seed, grain);
    const size_t k = kind_of(s, grain * r->stride % s->count);
    return draw_grain(s, &r->kinds[k], &random, body, radius);
}

static double radius_of(uint64_t grain, void *context)
{
    tw_body_def unused;
    double radius;
    make_grain(context, grain, &unused, &radius);
    return radius;
}

static double largest_radius(const tw_run_recipe *r)
{
    const tw_scenario_specimen *specimen = &r->scenario->specimen;
    const tw_scenario_sizes *s = &specimen->sizes;
    const double d = s->distribution == TW_SCENARIO_GRADING
                         ? s->curve.value[2 * s->curve.count - 2]
                         : (s->distribution == TW_SCENARIO_MONO ? s->d : s->d_max);
    double most = 0.0;
    for (size_t k = 0; k < specimen->shape_count; k++)
        most = tw_math_max(most, r->kinds[k].radius *
                                     (d * tw_math_cbrt(TW_MATH_PI / 6.0 / r->kinds[k].volume)));
    return most * (1.0 + 1e-12); /* of sizes that are rounded */
}

tw_run_recipe *tw_run_recipe_open(const tw_scenario *scenario, tw_error *error)
{
    const tw_scenario_specimen *s = &scenario->specimen;
    tw_run_recipe *r = calloc(1, sizeof *r);
    kind *kinds = calloc(s->shape_count, sizeof *kinds);
    if (!r || !kinds) {
        free(r);
        free(kinds);
        tw_error_set_memory(error);
        return NULL;
    }
    *r = (tw_run_recipe){scenario, kinds, find_stride(s->count), {.count = s->count}};
    if (!measure_shapes(scenario, kinds, error)) {
        tw_run_recipe_free(r);
        return NULL;
    }
    r->regions.seed = s->seed;
    r->regions.largest = largest_radius(r);
    r->regions.radius = radius_of;
    r->regions.context = r;
    return r;
}

void tw_run_recipe_free(tw_run_recipe *recipe)
{
    if (recipe) free(recipe->kinds);
    free(recipe);
}

const tw_run_regions *tw_run_recipe_divide(tw_run_recipe *recipe, const tw_mat3 *cell)
{
    recipe->regions.cell = *cell;
    return tw_run_regions_divide(&recipe->regions) ? &recipe->regions : NULL;
}

tw_run_scatter_result tw_run_recipe_make(const tw_run_recipe *recipe, uint64_t region,
                                         tw_body_def *bodies)
{
    const uint64_t first = tw_run_regions_first(&recipe->regions, region),
                   count = tw_run_regions_first(&recipe->regions, region + 1) - first;
    double unused;
    tw_vec3 *x = malloc((count + 1) * sizeof *x);
    const tw_run_scatter_result result =
        x ? tw_run_regions_scatter(&recipe->regions, region, x) : TW_SCATTER_NO_MEMORY;
    for (uint64_t i = 0; i < count && result == TW_SCATTER_DONE; i++) {
        make_grain(recipe, first + i, &bodies[i], &unused);
        bodies[i].x = x[i];
    }
    free(x);
    return result;
}

/* The volume of all grains is a sum over blocks: whoever makes a block finds the same bits, and no
 * process needs all grains. Blocks and regions are made so many together. */
enum { BLOCK = 1024, TOGETHER = 64 };

typedef struct together {
    const tw_run_recipe *recipe;
    uint64_t first;
    double volume[TOGETHER]; /* of blocks */
    tw_body_def *bodies;     /* of regions */
    tw_run_scatter_result results[TOGETHER];
} together;

static void add_blocks(void *context, size_t begin, size_t end)
{
    together *t = context;
    for (size_t k = begin; k < end; k++) {
        const uint64_t from = (t->first + k) * BLOCK, count = t->recipe->regions.count;
        tw_body_def unused;
        double radius;
        t->volume[k] = 0.0;
        for (uint64_t i = from; i < from + BLOCK && i < count; i++)
            t->volume[k] += make_grain(t->recipe, i, &unused, &radius);
    }
}

static bool add_volumes(const tw_run_recipe *r, const tw_run_scatter_watch *watch, double *sum,
                        tw_error *error)
{
    const uint64_t all = (r->regions.count + BLOCK - 1) / BLOCK;
    together t = {.recipe = r};
    for (*sum = 0.0; t.first < all; t.first += TOGETHER) {
        const uint64_t some = all - t.first < TOGETHER ? all - t.first : TOGETHER;
        if (is_stopped(watch, 0, 0.0)) return stop(error);
        tw_parallel_for(some, 1, add_blocks, &t);
        for (uint64_t k = 0; k < some; k++)
            *sum += t.volume[k];
    }
    return true;
}

static void make_regions(void *context, size_t begin, size_t end)
{
    together *t = context;
    for (size_t k = begin; k < end; k++) {
        tw_body_def *bodies = t->bodies + tw_run_regions_first(&t->recipe->regions, t->first + k);
        t->results[k] = tw_run_recipe_make(t->recipe, t->first + k, bodies);
    }
}

static tw_run_scatter_result
make_all_regions(const tw_run_recipe *r, const tw_run_scatter_watch *watch, tw_body_def *bodies)
{
    const uint64_t all = tw_run_regions_count(&r->regions);
    together t = {.recipe = r, .bodies = bodies};
    for (; t.first < all; t.first += TOGETHER) {
        const uint64_t some = all - t.first < TOGETHER ? all - t.first : TOGETHER;
        if (is_stopped(watch, 0, (double)t.first / (double)all)) return TW_SCATTER_STOPPED;
        tw_parallel_for(some, 1, make_regions, &t);
        for (uint64_t k = 0; k < some; k++)
            if (t.results[k] != TW_SCATTER_DONE) return t.results[k];
    }
    return TW_SCATTER_DONE;
}

/* NULL with *full: there is no room for the grains in this cell. */
static tw_sim *make_here(const tw_run_recipe *r, const tw_run_scatter_watch *watch, bool *full,
                         tw_error *error)
{
    tw_body_def *bodies = malloc(r->regions.count * sizeof *bodies);
    const tw_run_scatter_result placed =
        bodies ? make_all_regions(r, watch, bodies) : TW_SCATTER_NO_MEMORY;
    tw_sim *sim = NULL;
    *full = placed == TW_SCATTER_FULL;
    if (placed == TW_SCATTER_DONE)
        sim = build(r->scenario, bodies, r->regions.cell, r->kinds, watch, error);
    else if (placed == TW_SCATTER_STOPPED)
        stop(error);
    else
        tw_error_set_memory(error);
    free(bodies);
    return sim;
}

static void grain_of(uint64_t id, tw_body_def *out, void *context)
{
    double unused;
    make_grain(context, id, out, &unused);
}

/* *here: the device does not make grains. */
static tw_sim *make_there(tw_run_recipe *r, const char *device, bool *here, bool *full,
                          tw_error *error)
{
    tw_sim_made made = TW_SIM_MADE_NOT;
    char *text = tw_scenario_write_text(r->scenario);
    tw_sim *sim = text ? build_empty(r->scenario, r->regions.cell, r->kinds, error) : NULL;
    if (!text) tw_error_set_memory(error);
    *here = sim && tw_sim_set_device(sim, device, error) == TW_STATUS_OK &&
            tw_sim_make_bodies(sim, r->regions.count, grain_of, r, text, &made, error) ==
                TW_STATUS_OK &&
            made == TW_SIM_MADE_NOT;
    *full = made == TW_SIM_MADE_NO_ROOM;
    free(text);
    if (made == TW_SIM_MADE) return sim;
    tw_sim_free(sim);
    return NULL;
}

static tw_sim *generate_by_regions(const tw_scenario *s, const char *device,
                                   const tw_run_scatter_watch *watch, double *porosity,
                                   tw_error *error)
{
    tw_run_recipe *r = tw_run_recipe_open(s, error);
    tw_sim *sim = NULL;
    double volume = 0.0;
    bool full = r && add_volumes(r, watch, &volume, error);
    for (double room = volume / (1.0 - s->specimen.preparation.start_porosity); full;
         room *= growth) {
        const tw_mat3 cell = cell_of(&s->specimen.cell, room);
        bool here = false;
        full = false;
        *porosity = 1.0 - volume / (cell.m[0] * cell.m[4] * cell.m[8]);
        const bool divided = tw_run_recipe_divide(r, &cell) != NULL;
        if (divided) sim = make_there(r, device, &here, &full, error);
        if (here) sim = make_here(r, watch, &full, error);
        if (!divided)
            tw_error_set(error, TW_STATUS_INPUT,
                         "specimen.arrangement: regions need a loose cell of 10 diameters of the "
                         "largest grain, with all its bumps, between opposite faces; use random, "
                         "or more grains");
    }
    tw_run_recipe_free(r);
    return sim;
}

/* ---- Generated grains ---- */

static tw_sim *generate(const tw_scenario *s, const tw_run_scatter_watch *watch, double *porosity,
                        tw_error *error)
{
    const tw_scenario_specimen *specimen = &s->specimen;
    tw_random random = tw_random_seed(specimen->seed);
    kind *kinds = calloc(specimen->shape_count, sizeof *kinds);
    tw_body_def *bodies = malloc(specimen->count * sizeof *bodies);
    double *radius = malloc(specimen->count * sizeof *radius);
    tw_sim *sim = NULL;
    if (!kinds || !bodies || !radius) {
        tw_error_set_memory(error);
    } else if (measure_shapes(s, kinds, error)) {
        tw_mat3 cell;
        double volume;
        bool placed = draw_grains(specimen, kinds, &random, watch, bodies, radius, &volume, error);
        if (placed && specimen->arrangement == TW_SCENARIO_RANDOM)
            placed =
                place_at_random(specimen, volume, radius, &random, watch, bodies, &cell, error);
        else if (placed)
            cell = place_on_lattice(specimen, bodies);
        if (placed) sim = build(s, bodies, cell, kinds, watch, error);
        if (placed) *porosity = 1.0 - volume / (cell.m[0] * cell.m[4] * cell.m[8]);
    }
    free(kinds);
    free(bodies);
    free(radius);
    return sim;
}

tw_sim *tw_run_grains_make(const tw_scenario *scenario, const char *device,
                           const tw_run_scatter_watch *watch, double *porosity, tw_error *error)
{
    *porosity = nan("");
    if (scenario->specimen.checkpoint) return from_checkpoint(scenario, error);
    if (scenario->specimen.file) return from_file(scenario, error);
    if (scenario->specimen.arrangement == TW_SCENARIO_REGIONS)
        return generate_by_regions(scenario, device, watch, porosity, error);
    return generate(scenario, watch, porosity, error);
}

tw_status tw_run_grains_set_device(const tw_scenario *scenario, tw_sim *sim, const char *device,
                                   tw_error *error)
{
    const tw_status status = tw_sim_set_device(sim, device, error);
    const tw_scenario_specimen *s = &scenario->specimen;
    const char *file = s->checkpoint ? s->checkpoint : s->file;
    if (status != TW_STATUS_INPUT || !file) return status;
    const tw_error why = *error;
    return tw_error_set(error, status, "specimen.%s: %s: %s", s->checkpoint ? "checkpoint" : "file",
                        tw_error_shorten_path(file).text, why.text);
}

tw_status tw_run_check_device(const tw_scenario *scenario, const char *device, tw_error *error)
{
    double unused;
    if (tw_scenario_is_generated(scenario)) return tw_sim_check_device(device, error);
    tw_sim *sim = tw_run_grains_make(scenario, NULL, NULL, &unused, error);
    if (!sim) return error->status;
    const tw_status status = tw_run_grains_set_device(scenario, sim, device, error);
    tw_sim_free(sim);
    return status;
}

/* ---- Copies ---- */

static bool add_copy(tw_sim *copy, const tw_sim *sim, tw_vec3 shift, tw_error *error)
{
    for (size_t i = 0; i < tw_sim_bodies(sim); i++) {
        tw_body_state from;
        tw_sim_body(sim, (uint32_t)i, &from, NULL); /* it exists */
        tw_body_def body = tw_body_def_default();
        body.shape = from.shape;
        body.size = from.size;
        body.x = tw_vec3_add(from.x, shift);
        body.q = from.q;
        body.v = from.v_half;
        body.w = from.w_half;
        body.half_step = 1;
        body.material = from.material;
        body.type = from.type;
        if (tw_sim_add_body(copy, &body, NULL, error) != TW_STATUS_OK) return false;
    }
    return true;
}

tw_sim *tw_run_grains_repeat(const tw_scenario *scenario, const tw_sim *sim, int n, tw_error *error)
{
    const tw_mat3 cell = tw_sim_cell(sim);
    tw_sim_def def = tw_sim_definition(sim);
    for (int k = 0; k < 9; k++)
        def.cell.m[k] = n * cell.m[k];
    kind *kinds = calloc(scenario->specimen.shape_count, sizeof *kinds);
    tw_sim *copy = kinds ? tw_sim_create(&def, error) : NULL;
    bool good =
        copy && add_materials(copy, scenario, error) && add_shapes(copy, scenario, kinds, error);
    for (int k = 0; good && k < n * n * n; k++) {
        const tw_vec3 at = {k % n, k / n % n, k / n / n};
        good = add_copy(copy, sim, tw_mat3_mul_vec(cell, at), error);
    }
    free(kinds);
    if (good) return copy;
    tw_sim_free(copy);
    return NULL;
}
