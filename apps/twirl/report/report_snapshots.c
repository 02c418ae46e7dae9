/* SPDX-License-Identifier: BSD-3-Clause */
#include "report/report_snapshots.h"

#include <math.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <twirl/sim.h>

#include "base/error.h"
#include "base/file.h"
#include "base/json.h"
#include "base/mat3.h"
#include "base/quat.h"
#include "common/scene.h"
#include "common/scene_figure.h"

/* ---- The bodies and contacts shown ---- */

enum { NOT_SHOWN = -1 };

typedef struct shown_body {
    tw_body_state state;
    double speed; /* half a step earlier, as in the files of `twirl export` */
} shown_body;

typedef struct shown_contact {
    tw_contact_state state;
    uint32_t p, q; /* places of the bodies */
    double fn;     /* damping included */
} shown_contact;

typedef struct scene {
    const tw_sim *sim;
    size_t bodies; /* of the simulation */
    size_t shapes;
    int64_t *place; /* of each body, in the order of ids, among those shown; NOT_SHOWN */
    shown_body *body;
    shown_contact *contact;
    size_t body_count, contact_count; /* shown */
} scene;

/* The position between the two faces of the second edge, 0 to 1 inside of the cell. The slab is in
 * the middle: its faces show the inside of the specimen. */
static bool is_in_slab(const tw_mat3 *inverse, tw_vec3 x, double width)
{
    const double y = tw_mat3_mul_vec(*inverse, x).y;
    return y >= 0.5 * (1.0 - width) && y <= 0.5 * (1.0 + width);
}

static void choose_bodies(scene *s, size_t most)
{
    const tw_mat3 inverse = tw_mat3_inverse(tw_sim_cell(s->sim));
    const double width = (double)most / (double)(s->bodies + 1);
    for (size_t k = 0; k < s->bodies; k++) {
        shown_body *body = &s->body[s->body_count];
        tw_sim_get_body(s->sim, tw_sim_body_id(s->sim, k), &body->state, NULL); /* it exists */
        if (body->state.shape >= s->shapes) s->shapes = (size_t)body->state.shape + 1;
        body->speed = tw_vec3_norm(body->state.v_half);
        s->place[k] = NOT_SHOWN;
        if (s->bodies > most && !is_in_slab(&inverse, body->state.x, width)) continue;
        s->place[k] = (int64_t)s->body_count++;
    }
}

static int64_t place_of(const scene *s, uint32_t id)
{
    return s->place[tw_sim_body_row(s->sim, id)];
}

static void choose_contacts(scene *s, const tw_contact_state *all, size_t count)
{
    for (size_t k = 0; k < count; k++) {
        const tw_contact_state *c = &all[k];
        const bool wall = c->body_q == TW_NO_BODY;
        const int64_t p = place_of(s, c->body_p), q = wall ? UINT32_MAX : place_of(s, c->body_q);
        if (p == NOT_SHOWN || q == NOT_SHOWN) continue;
        s->contact[s->contact_count++] =
            (shown_contact){*c, (uint32_t)p, (uint32_t)q, -tw_vec3_dot(c->force, c->n)};
    }
}

static void scene_free(scene *s)
{
    free(s->body);
    free(s->place);
    free(s->contact);
}

static bool scene_open(scene *s, const tw_sim *sim, size_t most)
{
    size_t contacts;
    tw_contact_state *all;
    *s = (scene){.sim = sim, .bodies = tw_sim_body_count(sim), .shapes = 1};
    const tw_status status = tw_sim_list_contacts(sim, &all, &contacts, NULL);
    s->body = malloc((s->bodies + 1) * sizeof *s->body);
    s->place = malloc((s->bodies + 1) * sizeof *s->place);
    s->contact = malloc((contacts + 1) * sizeof *s->contact);
    const bool good = status == TW_STATUS_OK && s->body && s->place && s->contact;
    if (good) choose_bodies(s, most);
    if (good) choose_contacts(s, all, contacts);
    free(all);
    return good;
}

/* ---- Arrays ---- */

/* `count` numbers of each item, from `offset` on: double as f32, uint32_t, int8_t, or uint32_t as
 * u8. */
typedef enum item_kind { F32, U32, I8, U8 } item_kind;

typedef struct item_array {
    const char *name;
    size_t offset, count;
    item_kind kind;
} item_array;

static const item_array body_arrays[] = {{"x", offsetof(shown_body, state.x), 3, F32},
                                         {"size", offsetof(shown_body, state.size), 1, F32},
                                         {"q", offsetof(shown_body, state.q), 4, F32},
                                         {"shape", offsetof(shown_body, state.shape), 1, U32},
                                         {"speed", offsetof(shown_body, speed), 1, F32},
                                         {"material", offsetof(shown_body, state.material), 1, U8},
                                         {"id", offsetof(shown_body, state.id), 1, U32}};

static const item_array contact_arrays[] = {
    {"p", offsetof(shown_contact, p), 1, U32},
    {"q", offsetof(shown_contact, q), 1, U32},
    {"shift", offsetof(shown_contact, state.shift), 3, I8},
    {"f", offsetof(shown_contact, state.force), 3, F32},
    {"fn", offsetof(shown_contact, fn), 1, F32},
    {"point", offsetof(shown_contact, state.point), 3, F32},
    {"sliding", offsetof(shown_contact, state.sliding), 1, U8}};

static uint32_t bits_of(const char *from, item_kind kind, size_t number)
{
    uint32_t bits = 0;
    double value;
    if (kind == F32) {
        memcpy(&value, from + number * sizeof value, sizeof value);
        const float single = (float)value;
        memcpy(&bits, &single, sizeof bits);
    } else if (kind == I8) {
        bits = (unsigned char)from[number];
    } else {
        memcpy(&bits, from + number * sizeof bits, sizeof bits);
    }
    return bits;
}

/* False: out of memory. */
static bool add_array(tw_text_buffer *out, const item_array *a, const void *items, size_t size,
                      size_t count)
{
    const size_t width = a->kind == F32 || a->kind == U32 ? 4 : 1;
    unsigned char *memory = malloc(count * a->count * width + 1), *next = memory;
    if (!memory) return false;
    for (size_t i = 0; i < count * a->count; i++) {
        const char *item = (const char *)items + i / a->count * size;
        const uint32_t bits = bits_of(item + a->offset, a->kind, i % a->count);
        for (size_t k = 0; k < width; k++)
            *next++ = (unsigned char)(bits >> (8 * k));
    }
    tw_json_base64(out, a->name, memory, (size_t)(next - memory));
    free(memory);
    return true;
}

static bool add_bodies(tw_text_buffer *out, const scene *s)
{
    bool shapes = false, materials = false, moves = false, good = true;
    for (size_t k = 0; k < s->body_count; k++) {
        shapes = shapes || s->body[k].state.shape > 0;
        materials = materials || s->body[k].state.material > 0;
        moves = moves || s->body[k].speed > 0.0;
    }
    /* In the order of body_arrays. */
    const bool there[] = {true, true, shapes, shapes, moves, materials, s->body_count != s->bodies};
    tw_json_begin(out, "bodies", '{');
    tw_json_count(out, "count", s->body_count);
    tw_json_count(out, "total", s->bodies);
    for (size_t k = 0; good && k < sizeof there / sizeof *there; k++)
        if (there[k])
            good = add_array(out, &body_arrays[k], s->body, sizeof *s->body, s->body_count);
    tw_json_end(out, '}');
    return good;
}

static bool add_contacts(tw_text_buffer *out, const scene *s)
{
    bool good = true;
    tw_json_begin(out, "contacts", '{');
    tw_json_count(out, "count", s->contact_count);
    for (size_t k = 0; good && k < sizeof contact_arrays / sizeof *contact_arrays; k++)
        good = add_array(out, &contact_arrays[k], s->contact, sizeof *s->contact, s->contact_count);
    tw_json_end(out, '}');
    return good;
}

/* ---- Shapes ---- */

static void add_sphere(tw_text_buffer *out, const tw_body_state *body, const tw_sphere_state *s)
{
    const double scale = 1.0 / body->size;
    const tw_vec3 arm = tw_quat_rotate_back(body->q, tw_vec3_sub(s->x, body->x));
    tw_json_name(out, NULL);
    tw_text_buffer_add(out, "[%.9g, %.9g, %.9g, %.9g]", scale * arm.x, scale * arm.y, scale * arm.z,
                       scale * s->radius);
}

/* The spheres of a shape are those of its first body, in the frame of the body. Spheres are sorted
 * by body. */
static bool add_shapes(tw_text_buffer *out, const scene *s)
{
    const size_t count = tw_sim_sphere_count(s->sim);
    tw_sphere_state *sphere = malloc((count + 1) * sizeof *sphere);
    size_t *first = malloc(s->shapes * sizeof *first); /* sphere of each shape */
    const bool good = sphere && first;
    if (good) {
        tw_sim_get_spheres(s->sim, sphere, count, NULL);
        for (size_t k = 0; k < s->shapes; k++)
            first[k] = count;
    }
    for (size_t k = count; good && k-- > 0;) {
        const int64_t place = place_of(s, sphere[k].body);
        if (place != NOT_SHOWN && sphere[k].member == 0) first[s->body[place].state.shape] = k;
    }
    for (size_t k = 0; good && k < s->shapes; k++) {
        tw_json_begin(out, NULL, '[');
        for (size_t at = first[k]; at < count && sphere[at].body == sphere[first[k]].body; at++)
            add_sphere(out, &s->body[place_of(s, sphere[at].body)].state, &sphere[at]);
        tw_json_end(out, ']');
    }
    free(sphere);
    free(first);
    return good;
}

/* ---- All of a state ---- */

static void add_cell(tw_text_buffer *out, const tw_sim *sim)
{
    const tw_sim_def def = tw_sim_get_definition(sim);
    const tw_mat3 cell = tw_sim_cell(sim);
    tw_json_numbers(out, "cell", cell.m, 9, 1);
    tw_json_begin(out, "periodic", '[');
    for (int k = 0; k < 3; k++)
        tw_json_truth(out, NULL, def.periodic[k]);
    tw_json_end(out, ']');
    tw_json_begin(out, "materials", '[');
    for (size_t k = 0; k < tw_sim_material_count(sim); k++)
        tw_json_text(out, NULL, tw_sim_material_name(sim, (uint32_t)k));
    tw_json_end(out, ']');
}

/* ---- Walls ---- */

/* Of a state: browsers turn so many smoothly. */
enum { TRIANGLES_MAX = 200000 };

typedef struct shown_walls {
    tw_vec3 *x;
    uint32_t (*triangle)[3], (*edge)[2]; /* numbers of vertices */
    size_t vertices, triangles, edges, left_out;
} shown_walls;

static void walls_free(shown_walls *w)
{
    free(w->x);
    free(w->triangle);
    free(w->edge);
}

static size_t triangles_of(const tw_wall_surface *s)
{
    return s->facet_count > 0 ? s->end[s->facet_count - 1] - 2 * s->facet_count : 0;
}

/* False: out of memory. */
static bool walls_add(shown_walls *w, const tw_wall_surface *s)
{
    const size_t triangles = triangles_of(s);
    const uint32_t base = (uint32_t)w->vertices;
    if (triangles == 0) return true;
    if (triangles > TRIANGLES_MAX - w->triangles) {
        w->left_out++;
        return true;
    }
    tw_vec3 *x = realloc(w->x, (w->vertices + s->vertex_count + 1) * sizeof *x);
    if (x) w->x = x;
    void *triangle = realloc(w->triangle, (w->triangles + triangles + 1) * sizeof *w->triangle);
    if (triangle) w->triangle = triangle;
    void *edge = realloc(w->edge, (w->edges + s->edge_count + 1) * sizeof *w->edge);
    if (edge) w->edge = edge;
    if (!x || !triangle || !edge) return false;
    memcpy(x + w->vertices, s->vertex, s->vertex_count * sizeof *x);
    w->vertices += s->vertex_count;
    for (size_t k = 0, first = 0; k < s->facet_count; first = s->end[k++])
        for (size_t i = first + 1; i + 1 < s->end[k]; i++, w->triangles++) {
            w->triangle[w->triangles][0] = base + s->corner[first];
            w->triangle[w->triangles][1] = base + s->corner[i];
            w->triangle[w->triangles][2] = base + s->corner[i + 1];
        }
    for (size_t k = 0; k < s->edge_count; k++, w->edges++) {
        w->edge[w->edges][0] = base + s->edge[2 * k];
        w->edge[w->edges][1] = base + s->edge[2 * k + 1];
    }
    return true;
}

/* Adds the extent, and walls if there are any. False: out of memory. */
static bool add_walls(tw_text_buffer *out, const tw_sim *sim)
{
    static const item_array x = {"x", 0, 3, F32}, triangle = {"triangle", 0, 3, U32},
                            edge = {"edge", 0, 2, U32};
    shown_walls w = {.left_out = 0};
    tw_vec3 box[2];
    bool good = tw_sim_get_extent(sim, box, NULL) == TW_STATUS_OK;
    const double extent[] = {box[0].x, box[0].y, box[0].z, box[1].x, box[1].y, box[1].z};
    if (good) tw_json_numbers(out, "extent", extent, 6, 1);
    for (size_t k = 0; good && k < tw_sim_wall_count(sim); k++) {
        tw_wall_surface surface;
        good = tw_sim_get_wall_surface(sim, k, box, &surface, NULL) == TW_STATUS_OK &&
               walls_add(&w, &surface);
        tw_wall_surface_free(&surface);
    }
    if (good && tw_sim_wall_count(sim) > 0) {
        tw_json_begin(out, "walls", '{');
        tw_json_count(out, "vertices", w.vertices);
        tw_json_count(out, "triangles", w.triangles);
        tw_json_count(out, "edges", w.edges);
        tw_json_count(out, "left_out", w.left_out);
        good = add_array(out, &x, w.x, sizeof *w.x, w.vertices) &&
               add_array(out, &triangle, w.triangle, sizeof *w.triangle, w.triangles) &&
               add_array(out, &edge, w.edge, sizeof *w.edge, w.edges);
        tw_json_end(out, '}');
    }
    walls_free(&w);
    return good;
}

/* Adds figures of the whole specimen: forces, if there are any, and grading. False: out of memory.
 */
static bool add_figures(tw_text_buffer *out, const tw_sim *sim, const tw_scenario *scenario)
{
    tw_figure_set set = {.run_count = 0};
    tw_scene_grains grains;
    bool good = tw_scene_grains_measure(&grains, sim) &&
                tw_scene_figure_forces(&set, sim, NULL) != TW_STATUS_MEMORY;
    if (good && grains.count > 0) good = tw_scene_figure_grading(&set, &grains, scenario);
    char *text = good ? tw_figure_document_figures(&set) : NULL;
    if (text) tw_json_plain(out, "figures", text);
    free(text);
    tw_scene_grains_free(&grains);
    tw_figure_set_free(&set);
    return text != NULL;
}

/* The members cell ... figures. A specimen of more than `most` bodies is cut to a slab with about
 * that many. False: out of memory. */
static bool add_state(tw_text_buffer *out, const tw_sim *sim, const tw_scenario *scenario,
                      size_t most)
{
    scene s;
    bool good = scene_open(&s, sim, most);
    if (good) {
        add_cell(out, sim);
        tw_json_begin(out, "shapes", '[');
        good = add_shapes(out, &s);
        tw_json_end(out, ']');
        good = good && add_walls(out, sim) && add_bodies(out, &s) && add_contacts(out, &s) &&
               add_figures(out, sim, scenario);
    }
    scene_free(&s);
    return good && !out->failed;
}

/* ---- What there is ---- */

static const char preparation[] = "specimen";

static void add_if_there(tw_report_snapshots *list, const tw_report_run *run, const char *stage,
                         const char *folder)
{
    tw_report_snapshot *next = &list->of[list->count];
    *next = (tw_report_snapshot){.latest = false};
    snprintf(next->stage, sizeof next->stage, "%s", stage);
    const int used = snprintf(next->file, sizeof next->file, "%s/%s.h5", folder, stage);
    if (used < 0 || (size_t)used >= sizeof next->file) return;
    list->count += tw_report_file_exists(run->folder, next->file);
}

/* False: out of memory. */
static bool add_on_the_way(tw_report_snapshots *list, const tw_report_run *run, const char *stage)
{
    tw_scene_series series;
    if (!tw_scene_series_find(&series, tw_folder_path_join(run->folder, "states").text, stage,
                              ".h5"))
        return false;
    tw_report_snapshot *more =
        realloc(list->of, (list->capacity + series.count) * sizeof *list->of);
    if (more) {
        list->of = more;
        list->capacity += series.count;
    }
    for (size_t k = 0; more && k < series.count; k++) {
        tw_report_snapshot *next = &list->of[list->count];
        *next = (tw_report_snapshot){.within = true};
        snprintf(next->stage, sizeof next->stage, "%s", stage);
        const int used = snprintf(next->file, sizeof next->file, "states/%.150s", series.name[k]);
        list->count += used > 0 && (size_t)used < sizeof next->file;
    }
    tw_scene_series_free(&series);
    return more != NULL;
}

/* The last state on the way may be the end of its stage, which stays. */
static void drop_repeated(tw_report_snapshots *list, const tw_report_run *run)
{
    if (list->count < 2) return;
    tw_report_snapshot *end = &list->of[list->count - 1], *before = end - 1;
    if (end->within || !before->within || strcmp(before->stage, end->stage) != 0) return;
    if (tw_scene_steps(tw_folder_path_join(run->folder, before->file).text) !=
        tw_scene_steps(tw_folder_path_join(run->folder, end->file).text))
        return;
    *before = *end;
    list->count--;
}

/* The stage that was in progress when the run saved its state last. */
static const char *present_stage(const tw_report_run *run)
{
    const size_t number = run->saved.stage_number;
    if (number == 0) return preparation;
    return number <= run->scenario->stage_count ? run->scenario->stages[number - 1].name : "";
}

bool tw_report_snapshots_find(tw_report_snapshots *list, const tw_report_run *run)
{
    const tw_scenario *scenario = run->scenario;
    const size_t stages = scenario ? scenario->stage_count : 0;
    *list = (tw_report_snapshots){.of = malloc((stages + 2) * sizeof *list->of),
                                  .capacity = stages + 2};
    if (!list->of) return false;
    add_if_there(list, run, preparation, "states");
    for (size_t k = 0; k < stages; k++) {
        if (!add_on_the_way(list, run, scenario->stages[k].name)) {
            tw_report_snapshots_free(list);
            return false;
        }
        add_if_there(list, run, scenario->stages[k].name, "stages");
        drop_repeated(list, run);
    }
    /* Between two stages it is the end of the first one; at the very start it is all there is. */
    const bool latest = scenario && run->state != TW_RUN_STATUS_FINISHED && run->saved.found &&
                        (run->saved.within || list->count == 0) && *run->saved.checkpoint;
    if (!latest) return true;
    tw_report_snapshot *last = &list->of[list->count++];
    *last = (tw_report_snapshot){.latest = true};
    snprintf(last->stage, sizeof last->stage, "%s", present_stage(run));
    snprintf(last->file, sizeof last->file, "%s", run->saved.checkpoint);
    return true;
}

void tw_report_snapshots_free(tw_report_snapshots *list)
{
    free(list->of);
    *list = (tw_report_snapshots){.count = 0};
}

/* ---- One snapshot ---- */

/* The row of a state on the way: that of its step in the stage, or the last one before it. */
static bool find_row_within(const tw_report_run *run, const tw_figure_part *part, const tw_sim *sim,
                            size_t *row)
{
    const tw_scenario *scenario = run->scenario;
    size_t k = 0;
    while (k < scenario->stage_count && strcmp(scenario->stages[k].name, part->stage) != 0)
        k++;
    if (k == scenario->stage_count || !sim) return false;
    const tw_folder_path start = tw_scene_start(run->folder, scenario, k);
    const double step = (double)tw_sim_steps(sim) - tw_scene_steps(start.text);
    for (size_t i = part->count; i-- > 0;) {
        *row = part->first + i;
        if (run->rows.rows[*row].value[TW_HISTORY_stage_step] <= step) return true;
    }
    return false;
}

/* The row of the history at which the state was saved; false: there is none, or it is not known
 * without the state. */
static bool find_row(const tw_report_run *run, const tw_report_snapshot *snapshot,
                     const tw_sim *sim, size_t *row)
{
    const tw_figure_history *history = &run->rows;
    const tw_figure_part *part = tw_figure_history_part(history, snapshot->stage);
    *row = 0;
    if (snapshot->within) return part && find_row_within(run, part, sim, row);
    if (snapshot->latest) {
        for (size_t k = history->count; k-- > 0;) {
            *row = k;
            if (history->rows[k].value[TW_HISTORY_step] <= (double)run->saved.steps) return true;
        }
        return false;
    }
    if (part) *row = part->first + part->count - 1;
    /* A specimen that was not prepared is the state in the first row. */
    return part || (history->count > 0 && strcmp(snapshot->stage, preparation) == 0);
}

/* Begins the object; `sim` may be NULL. */
static void add_place(tw_text_buffer *out, const tw_report_run *run,
                      const tw_report_snapshot *snapshot, const tw_sim *sim)
{
    size_t row;
    const bool found = find_row(run, snapshot, sim, &row), latest = snapshot->latest;
    const double *at = found ? run->rows.rows[row].value : NULL, none = (double)NAN;
    tw_json_begin(out, NULL, '{');
    tw_json_text(out, "stage", snapshot->stage);
    tw_json_truth(out, "latest", latest);
    tw_json_truth(out, "within", snapshot->within);
    tw_json_number(out, "step",
                   latest  ? (double)run->saved.steps
                   : found ? at[TW_HISTORY_step]
                           : none);
    tw_json_number(out, "time", latest ? run->saved.time : found ? at[TW_HISTORY_time] : none);
    tw_json_number(out, "row", found ? (double)row : none);
}

tw_status tw_report_snapshots_add_one(tw_text_buffer *out, const tw_report_run *run,
                                      const tw_report_snapshot *snapshot, size_t grains,
                                      size_t *bodies, tw_error *error)
{
    const tw_folder_path path = tw_folder_path_join(run->folder, snapshot->file);
    if (!*path.text) return tw_error_set(error, TW_STATUS_INPUT, "the path is too long");
    tw_sim *sim = tw_sim_load(path.text, error);
    if (!sim) return error->status;
    add_place(out, run, snapshot, sim);
    const bool good = add_state(out, sim, run->scenario, grains);
    if (bodies) *bodies = tw_sim_body_count(sim);
    tw_json_end(out, '}');
    tw_sim_free(sim);
    return good ? TW_STATUS_OK : tw_error_set_memory(error);
}

void tw_report_snapshots_add_heading(tw_text_buffer *out, const tw_report_run *run,
                                     const tw_report_snapshot *snapshot, size_t number)
{
    struct stat about = {0};
    (void)stat(tw_folder_path_join(run->folder, snapshot->file).text, &about);
    add_place(out, run, snapshot, NULL);
    tw_json_count(out, "number", number);
    tw_json_name(out, "version");
    tw_text_buffer_add(out, "\"%lld.%09ld\"}", (long long)about.st_mtim.tv_sec,
                       about.st_mtim.tv_nsec);
}

/* ---- A choice of them ---- */

/* Whether snapshot k of `count` is one of `most` at equal distances, the last included. */
static bool is_chosen(size_t k, size_t count, size_t most)
{
    if (most >= count) return true;
    if (k == count - 1 || most < 2) return k == count - 1;
    for (size_t j = 0; j < most; j++)
        if (j * (count - 1) / (most - 1) == k) return true;
    return false;
}

/* An element of the list of warnings. */
static void tell(tw_text_buffer *warnings, const char *format, ...) TW_PRINTF_LIKE(2, 3);

static void tell(tw_text_buffer *warnings, const char *format, ...)
{
    tw_text_buffer text = {0};
    va_list rest;
    va_start(rest, format);
    tw_text_buffer_add_list(&text, format, rest);
    va_end(rest);
    tw_json_text(warnings, NULL, text.text);
    tw_text_buffer_free(&text);
}

/* False: out of memory. One that cannot be read is left out. */
static bool write_one(tw_text_buffer *text, const tw_report_run *run,
                      const tw_report_snapshot *snapshot, size_t grains, size_t *bodies,
                      tw_text_buffer *warnings)
{
    tw_error error;
    const tw_status status =
        tw_report_snapshots_add_one(text, run, snapshot, grains, bodies, &error);
    if (status == TW_STATUS_OK) return true;
    if (status == TW_STATUS_MEMORY) return false;
    tell(warnings, "a state is not shown: %s", error.text);
    tw_text_buffer_clear(text);
    return true;
}

static void add_element(tw_text_buffer *out, const tw_text_buffer *element)
{
    if (element->length > 0) tw_json_plain(out, NULL, element->text);
}

static bool add_chosen(tw_text_buffer *out, const tw_report_run *run,
                       const tw_report_snapshots *list, const tw_report_snapshots_options *options,
                       size_t bytes, tw_text_buffer *warnings)
{
    const size_t count = list->count;
    size_t bodies = 0;
    tw_text_buffer last = {0};
    bool good = write_one(&last, run, &list->of[count - 1], options->grains, &bodies, warnings);
    if (bodies > options->grains)
        tell(warnings,
             "the specimen has %zu grains: a slab of about %zu is shown; --grains %zu shows all of "
             "them",
             bodies, options->grains, bodies);
    size_t most = last.length > 0 ? bytes / last.length : count;
    if (most < 1) most = 1;
    if (most < options->most && most < count)
        tell(warnings,
             "%zu of %zu states are shown, to keep the report small: --snapshots all shows all of "
             "them",
             most, count);
    if (most > options->most) most = options->most;
    for (size_t k = 0; good && k + 1 < count; k++) {
        tw_text_buffer one = {0};
        if (!is_chosen(k, count, most)) continue;
        good = write_one(&one, run, &list->of[k], options->grains, NULL, warnings);
        add_element(out, &one);
        tw_text_buffer_free(&one);
    }
    add_element(out, &last);
    tw_text_buffer_free(&last);
    return good;
}

bool tw_report_snapshots_add(tw_text_buffer *out, const tw_report_run *run,
                             const tw_report_snapshots_options *options, size_t bytes,
                             tw_text_buffer *warnings)
{
    tw_report_snapshots list;
    bool good = tw_report_snapshots_find(&list, run);
    if (good && list.count > 0 && options->most > 0)
        good = add_chosen(out, run, &list, options, bytes, warnings);
    tw_report_snapshots_free(&list);
    return good && !out->failed;
}
