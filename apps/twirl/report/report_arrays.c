/* SPDX-License-Identifier: BSD-3-Clause */
#include "report/report_arrays.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/mat3.h"
#include "base/quat.h"
#include "report/report_json.h"

/* ---- Binary arrays ---- */

typedef struct bytes {
    unsigned char *next;
} bytes;

static void put(bytes *to, uint32_t value, size_t size)
{
    for (size_t k = 0; k < size; k++)
        *to->next++ = (unsigned char)(value >> (8 * k));
}

static void put_float(bytes *to, double value)
{
    const float single = (float)value;
    uint32_t bits;
    memcpy(&bits, &single, sizeof bits);
    put(to, bits, sizeof bits);
}

static void put_vector(bytes *to, tw_vec3 v)
{
    put_float(to, v.x);
    put_float(to, v.y);
    put_float(to, v.z);
}

/* ---- The bodies shown ---- */

enum { NOT_SHOWN = -1 };

typedef struct scene {
    const tw_sim *sim;
    size_t bodies; /* of the simulation */
    size_t shown;
    size_t shapes;
    tw_body_state *body;       /* those shown */
    int64_t *place;            /* of each body among them, or NOT_SHOWN */
    tw_contact_state *contact; /* all */
    size_t contacts;
} scene;

static void scene_free(scene *s)
{
    free(s->body);
    free(s->place);
    free(s->contact);
}

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
    for (size_t id = 0; id < s->bodies; id++) {
        tw_body_state *body = &s->body[s->shown];
        tw_sim_body(s->sim, (uint32_t)id, body, NULL); /* it exists */
        if (body->shape >= s->shapes) s->shapes = (size_t)body->shape + 1;
        s->place[id] = NOT_SHOWN;
        if (s->bodies > most && !is_in_slab(&inverse, body->x, width)) continue;
        s->place[id] = (int64_t)s->shown++;
    }
}

static bool scene_open(scene *s, const tw_sim *sim, size_t most)
{
    *s = (scene){.sim = sim, .bodies = tw_sim_bodies(sim), .shapes = 1};
    tw_sim_contacts(sim, &s->contacts, NULL); /* none are known before preparation */
    s->body = malloc((s->bodies + 1) * sizeof *s->body);
    s->place = malloc((s->bodies + 1) * sizeof *s->place);
    s->contact = malloc((s->contacts + 1) * sizeof *s->contact);
    if (!s->body || !s->place || !s->contact) return false;
    if (s->contacts > 0) tw_sim_get_contacts(sim, s->contact, NULL);
    choose_bodies(s, most);
    return true;
}

/* ---- Shapes ---- */

static void add_sphere(tw_text_buffer *out, const tw_body_state *body, const tw_sphere_state *s)
{
    const double scale = 1.0 / body->size;
    const tw_vec3 arm = tw_quat_rotate_back(body->q, tw_vec3_sub(s->x, body->x));
    tw_text_buffer_add(out, "%s[%.9g, %.9g, %.9g, %.9g]", s->member > 0 ? ", " : "", scale * arm.x,
                       scale * arm.y, scale * arm.z, scale * s->radius);
}

/* The spheres of a shape are those of its first body, in the frame of the body. Spheres are sorted
 * by body. */
static bool add_shapes(tw_text_buffer *out, const scene *s)
{
    const size_t count = tw_sim_spheres(s->sim);
    tw_sphere_state *sphere = malloc((count + 1) * sizeof *sphere);
    size_t *first = malloc(s->shapes * sizeof *first); /* sphere of each shape */
    const bool good = sphere && first;
    if (good) {
        tw_sim_get_spheres(s->sim, sphere);
        for (size_t k = 0; k < s->shapes; k++)
            first[k] = count;
    }
    for (size_t k = count; good && k-- > 0;) {
        const int64_t place = s->place[sphere[k].body];
        if (place != NOT_SHOWN && sphere[k].member == 0) first[s->body[place].shape] = k;
    }
    for (size_t k = 0; good && k < s->shapes; k++) {
        tw_text_buffer_add(out, "%s[", k > 0 ? ", " : "");
        for (size_t at = first[k]; at < count && sphere[at].body == sphere[first[k]].body; at++)
            add_sphere(out, &s->body[s->place[sphere[at].body]], &sphere[at]);
        tw_text_buffer_add(out, "]");
    }
    free(sphere);
    free(first);
    return good;
}

/* ---- Bodies ---- */

typedef void put_body(bytes *to, const tw_body_state *body);

static void put_position(bytes *to, const tw_body_state *body)
{
    put_vector(to, body->x);
}

static void put_size(bytes *to, const tw_body_state *body)
{
    put_float(to, body->size);
}

static void put_orientation(bytes *to, const tw_body_state *body)
{
    put_float(to, body->q.w);
    put_float(to, body->q.x);
    put_float(to, body->q.y);
    put_float(to, body->q.z);
}

static void put_shape(bytes *to, const tw_body_state *body)
{
    put(to, body->shape, 4);
}

static void put_material(bytes *to, const tw_body_state *body)
{
    put(to, body->material, 1);
}

static void put_id(bytes *to, const tw_body_state *body)
{
    put(to, body->id, 4);
}

/* Half a step earlier, as in the files of `twirl export`. */
static void put_speed(bytes *to, const tw_body_state *body)
{
    put_float(to, tw_vec3_norm(body->v_half));
}

/* An array with `size` bytes for each body. */
static bool add_of_bodies(tw_text_buffer *out, const scene *s, const char *name, size_t size,
                          put_body *function)
{
    unsigned char *memory = malloc(s->shown * size + 1);
    if (!memory) return false;
    bytes to = {memory};
    for (size_t k = 0; k < s->shown; k++)
        function(&to, &s->body[k]);
    tw_text_buffer_add(out, ", \"%s\": ", name);
    tw_report_json_bytes(out, memory, s->shown * size);
    free(memory);
    return true;
}

static bool add_bodies(tw_text_buffer *out, const scene *s)
{
    bool shapes = false, materials = false, moves = false;
    for (size_t k = 0; k < s->shown; k++) {
        shapes = shapes || s->body[k].shape > 0;
        materials = materials || s->body[k].material > 0;
        moves = moves || tw_vec3_norm(s->body[k].v_half) > 0.0;
    }
    tw_text_buffer_add(out, ", \"bodies\": {\"count\": %zu, \"total\": %zu", s->shown, s->bodies);
    const bool good = add_of_bodies(out, s, "x", 12, put_position) &&
                      add_of_bodies(out, s, "size", 4, put_size) &&
                      (!shapes || (add_of_bodies(out, s, "q", 16, put_orientation) &&
                                   add_of_bodies(out, s, "shape", 4, put_shape))) &&
                      (!moves || add_of_bodies(out, s, "speed", 4, put_speed)) &&
                      (!materials || add_of_bodies(out, s, "material", 1, put_material)) &&
                      (s->shown == s->bodies || add_of_bodies(out, s, "id", 4, put_id));
    tw_text_buffer_add(out, "}");
    return good;
}

/* ---- Contacts ---- */

typedef void put_contact(bytes *to, const tw_contact_state *contact, const scene *s);

static void put_p(bytes *to, const tw_contact_state *contact, const scene *s)
{
    put(to, (uint32_t)s->place[contact->body_p], 4);
}

static void put_q(bytes *to, const tw_contact_state *contact, const scene *s)
{
    const bool wall = contact->body_q == TW_NO_BODY;
    put(to, wall ? UINT32_MAX : (uint32_t)s->place[contact->body_q], 4);
}

static void put_shift(bytes *to, const tw_contact_state *contact, const scene *s)
{
    (void)s;
    for (int k = 0; k < 3; k++)
        put(to, (uint32_t)contact->shift[k], 1);
}

static void put_force(bytes *to, const tw_contact_state *contact, const scene *s)
{
    (void)s;
    put_vector(to, contact->force);
}

static void put_normal_force(bytes *to, const tw_contact_state *contact, const scene *s)
{
    (void)s;
    put_float(to, -tw_vec3_dot(contact->force, contact->n)); /* damping included */
}

static void put_point(bytes *to, const tw_contact_state *contact, const scene *s)
{
    (void)s;
    put_vector(to, contact->point);
}

static void put_sliding(bytes *to, const tw_contact_state *contact, const scene *s)
{
    (void)s;
    put(to, contact->sliding != 0, 1);
}

static bool is_shown(const tw_contact_state *contact, const scene *s)
{
    return s->place[contact->body_p] != NOT_SHOWN &&
           (contact->body_q == TW_NO_BODY || s->place[contact->body_q] != NOT_SHOWN);
}

static bool add_of_contacts(tw_text_buffer *out, const scene *s, const char *name, size_t size,
                            put_contact *function)
{
    unsigned char *memory = malloc(s->contacts * size + 1);
    if (!memory) return false;
    bytes to = {memory};
    for (size_t k = 0; k < s->contacts; k++)
        if (is_shown(&s->contact[k], s)) function(&to, &s->contact[k], s);
    tw_text_buffer_add(out, ", \"%s\": ", name);
    tw_report_json_bytes(out, memory, (size_t)(to.next - memory));
    free(memory);
    return true;
}

static bool add_contacts(tw_text_buffer *out, const scene *s)
{
    size_t count = 0;
    for (size_t k = 0; k < s->contacts; k++)
        count += is_shown(&s->contact[k], s);
    tw_text_buffer_add(out, ", \"contacts\": {\"count\": %zu", count);
    const bool good = add_of_contacts(out, s, "p", 4, put_p) &&
                      add_of_contacts(out, s, "q", 4, put_q) &&
                      add_of_contacts(out, s, "shift", 3, put_shift) &&
                      add_of_contacts(out, s, "f", 12, put_force) &&
                      add_of_contacts(out, s, "fn", 4, put_normal_force) &&
                      add_of_contacts(out, s, "point", 12, put_point) &&
                      add_of_contacts(out, s, "sliding", 1, put_sliding);
    tw_text_buffer_add(out, "}");
    return good;
}

/* ---- All ---- */

static void add_cell(tw_text_buffer *out, const tw_sim *sim)
{
    const tw_sim_def def = tw_sim_definition(sim);
    const tw_mat3 cell = tw_sim_cell(sim);
    tw_text_buffer_add(out, "\"cell\": [");
    for (int k = 0; k < 9; k++) {
        if (k > 0) tw_text_buffer_add(out, ", ");
        tw_text_buffer_add_json_number(out, cell.m[k]);
    }
    tw_text_buffer_add(out, "], \"periodic\": [");
    for (int k = 0; k < 3; k++)
        tw_text_buffer_add(out, "%s%s", k > 0 ? ", " : "", def.periodic[k] ? "true" : "false");
    tw_text_buffer_add(out, "], \"materials\": [");
    for (size_t k = 0; k < tw_sim_materials(sim); k++) {
        if (k > 0) tw_text_buffer_add(out, ", ");
        tw_text_buffer_add_json_string(out, tw_sim_material_name(sim, (uint32_t)k));
    }
    tw_text_buffer_add(out, "], \"walls\": [");
    for (size_t k = 0; k < tw_sim_walls(sim); k++) {
        tw_wall_state wall;
        tw_sim_wall(sim, k, &wall, NULL); /* it exists */
        tw_text_buffer_add(out, "%s[%.9g, %.9g, %.9g, %.9g, %.9g, %.9g]", k > 0 ? ", " : "",
                           wall.point.x, wall.point.y, wall.point.z, wall.normal.x, wall.normal.y,
                           wall.normal.z);
    }
    tw_text_buffer_add(out, "], \"shapes\": [");
}

bool tw_report_arrays_add(tw_text_buffer *out, const tw_sim *sim, size_t most)
{
    scene s;
    bool good = scene_open(&s, sim, most);
    if (good) {
        add_cell(out, sim);
        good = add_shapes(out, &s);
        tw_text_buffer_add(out, "]");
        good = good && add_bodies(out, &s) && add_contacts(out, &s);
    }
    scene_free(&s);
    return good && !out->failed;
}
