/* SPDX-License-Identifier: BSD-3-Clause */
#include "sim/checkpoint_items.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "shape/mesh_pairs.h"
#include "world/surface.h"

/* Spheres of all shapes in one array. */
static int gather_shapes(tw_checkpoint_data *data)
{
    const tw_model *model = data->model;
    for (size_t i = 0; i < model->shape_count; i++)
        data->sphere_count += model->shapes[i].count;
    if (!tw_buffer_zeros(&data->shape_spheres, model->shape_count, sizeof *data->shape_spheres) ||
        !tw_buffer_zeros(&data->spheres, data->sphere_count, sizeof *data->spheres))
        return 0;
    size_t at = 0;
    for (size_t i = 0; i < model->shape_count; i++) {
        const tw_shape *shape = &model->shapes[i];
        memcpy(data->spheres + at, shape->spheres, shape->count * sizeof *shape->spheres);
        data->shape_spheres[i] = shape->count;
        at += shape->count;
    }
    return 1;
}

static int reserve_surfaces(tw_checkpoint_data *data)
{
    return tw_buffer_zeros(&data->surface, data->surface_count, sizeof *data->surface) &&
           tw_buffer_zeros(&data->surface_point, data->point_count, sizeof *data->surface_point) &&
           tw_buffer_zeros(&data->surface_corner, data->corner_count, sizeof *data->surface_corner);
}

static int gather_surfaces(tw_checkpoint_data *data)
{
    const tw_model *model = data->model;
    data->surface_count = model->surface_count;
    for (size_t i = 0; i < model->surface_count; i++) {
        const tw_model_surface *s = &model->surfaces[i];
        data->point_count += s->vertices + s->profile.points;
        if (s->kind == TW_SURFACE_MESH) data->corner_count += (size_t)3 * s->elements;
    }
    if (!reserve_surfaces(data)) return 0;
    tw_vec3 *point = data->surface_point;
    uint32_t *corner = data->surface_corner;
    for (size_t i = 0; i < model->surface_count; i++) {
        const tw_model_surface *s = &model->surfaces[i];
        data->surface[i].kind = s->kind;
        data->surface[i].points = s->vertices + s->profile.points;
        data->surface[i].elements = s->elements;
        for (uint32_t k = 0; k < s->profile.points; k++)
            *point++ = tw_vec3_make(s->profile.point[k].rho, 0.0, s->profile.point[k].z);
        for (uint32_t k = 0; k < s->vertices; k++)
            *point++ = s->vertex[k];
        for (uint32_t k = 0; s->kind == TW_SURFACE_MESH && k < s->elements; k++)
            for (int j = 0; j < 3; j++)
                *corner++ = s->facets.facet[k].vertex[j];
    }
    return 1;
}

/* Whether walls have more than planes that have never turned. */
static int is_framed(const tw_state *state)
{
    for (size_t k = 0; k < state->wall_count; k++) {
        const tw_wall *wall = &state->walls[k];
        if (wall->surface != TW_SURFACE_PLANE || tw_vec3_max_abs(wall->spin) > 0.0 ||
            wall->q.w != 1.0 || wall->drive_count > 0)
            return 1;
    }
    return 0;
}

static int is_steered(const tw_state *state)
{
    for (size_t k = 0; k < state->wall_count; k++)
        if (state->walls[k].servo && !tw_surface_presses(&state->walls[k])) return 1;
    return 0;
}

static int has_absent(const tw_state *state)
{
    for (size_t k = 0; k < state->wall_count; k++)
        if (state->walls[k].absent) return 1;
    return 0;
}

int tw_checkpoint_data_gather(tw_checkpoint_data *data, const tw_model *model,
                              const tw_state *state, const tw_schedule *schedule,
                              const tw_servo *servo)
{
    /* The data serve the reader too, so they are not const. */
    *data = (tw_checkpoint_data){.model = (tw_model *)model,
                                 .state = (tw_state *)state,
                                 .servo = (tw_servo *)servo,
                                 .framed = is_framed(state),
                                 .steered = is_steered(state),
                                 .absent = has_absent(state),
                                 .listed = schedule ? schedule->valid : 1};
    return gather_shapes(data) && gather_surfaces(data) &&
           (!schedule || tw_contact_list_gather(model, state, schedule, 1, 0, 0, &data->contacts));
}

tw_status tw_checkpoint_data_reserve(tw_checkpoint_data *data, size_t materials, size_t shapes,
                                     size_t bodies, size_t walls, tw_error *error)
{
    tw_model *model = data->model;
    const tw_wall wall = {
        .surface = TW_SURFACE_PLANE, .q = tw_quat_identity(), .q_ref = tw_quat_identity()};
    for (size_t i = 0; i < materials; i++) {
        const tw_status added = tw_model_add_material(model, "", 0.0, error);
        if (added != TW_STATUS_OK) return added;
    }
    if (!tw_buffer_zeros(&model->shapes, shapes, sizeof *model->shapes))
        return tw_error_set(error, TW_STATUS_MEMORY, "not enough memory for %zu shapes", shapes);
    model->shape_count = model->shape_capacity = shapes;
    if (!tw_buffer_zeros(&data->shape_spheres, shapes, sizeof *data->shape_spheres) ||
        !tw_buffer_zeros(&data->spheres, data->sphere_count, sizeof *data->spheres) ||
        !reserve_surfaces(data) ||
        !tw_buffer_zeros(&model->drive, model->drive_count, sizeof *model->drive) ||
        !tw_buffer_zeros(&model->drive_row, model->drive_row_count, sizeof *model->drive_row) ||
        !tw_contact_list_make(&data->contacts, data->contacts.count, data->contacts.parts))
        return tw_error_set(error, TW_STATUS_MEMORY, "not enough memory for %zu contacts",
                            data->contacts.count);
    tw_status status = tw_state_reserve_bodies(data->state, bodies, error);
    for (size_t i = 0; i < bodies && status == TW_STATUS_OK; i++)
        status = tw_state_add_body(data->state, error);
    for (size_t i = 0; i < walls && status == TW_STATUS_OK; i++)
        status = tw_state_add_wall(data->state, &wall, error);
    return status;
}

int tw_checkpoint_data_add_parts(tw_checkpoint_data *data, uint32_t parts)
{
    tw_contact_list *list = &data->contacts, more = *list;
    more.extra = NULL;
    more.parts |= parts;
    if (!tw_buffer_zeros(&more.extra, list->count,
                         tw_contact_parts_numbers(more.parts) * sizeof *more.extra))
        return 0;
    for (size_t k = 0; k < list->count; k++) {
        const tw_contact_parts all = tw_contact_list_get(list, k);
        tw_contact_list_put(&more, k, &all);
    }
    tw_buffer_drop(&list->extra);
    *list = more;
    return 1;
}

static tw_status scatter_mesh(tw_checkpoint_data *data, uint32_t vertices, uint32_t facets,
                              const tw_vec3 *point, const uint32_t *corner, tw_error *error)
{
    tw_mesh mesh = {.vertex_count = vertices, .facet_count = facets};
    tw_status status = TW_STATUS_MEMORY;
    if (tw_buffer_zeros(&mesh.vertex, vertices, sizeof *mesh.vertex) &&
        tw_buffer_zeros(&mesh.facet, facets, sizeof *mesh.facet)) {
        memcpy(mesh.vertex, point, vertices * sizeof *point);
        for (uint32_t k = 0; k < facets; k++)
            memcpy(mesh.facet[k].vertex, corner + (size_t)3 * k, sizeof mesh.facet[k].vertex);
        if (tw_mesh_pairs_link(&mesh))
            status = mesh.area > 0.0 && isfinite(mesh.area)
                         ? tw_model_add_mesh(data->model, &mesh, error)
                         : tw_error_set(error, TW_STATUS_FILE, "a surface has no area");
    }
    tw_mesh_free(&mesh);
    return status;
}

static tw_status scatter_profile(tw_checkpoint_data *data, uint32_t points, uint32_t segments,
                                 const tw_vec3 *point, tw_error *error)
{
    tw_profile_point *corner = NULL;
    tw_status status = TW_STATUS_MEMORY;
    if (tw_buffer_zeros(&corner, points, sizeof *corner)) {
        for (uint32_t k = 0; k < points; k++)
            corner[k] = (tw_profile_point){point[k].x, point[k].z};
        status = tw_model_add_profile(data->model, corner, points, segments == points, error);
    }
    tw_buffer_drop(&corner);
    return status;
}

tw_status tw_checkpoint_data_scatter(tw_checkpoint_data *data, tw_error *error)
{
    tw_status status = TW_STATUS_OK;
    size_t at = 0;
    for (size_t i = 0; i < data->model->shape_count; i++) {
        tw_shape *shape = &data->model->shapes[i];
        const size_t count = (size_t)data->shape_spheres[i];
        if (!tw_buffer_zeros(&shape->spheres, count, sizeof *shape->spheres))
            return tw_error_set_memory(error);
        memcpy(shape->spheres, data->spheres + at, count * sizeof *shape->spheres);
        shape->count = count;
        at += count;
    }
    for (size_t k = 0; k < data->state->wall_count && !data->steered; k++)
        data->state->walls[k].along = data->state->walls[k].normal;
    const tw_vec3 *point = data->surface_point;
    const uint32_t *corner = data->surface_corner;
    for (size_t i = 0; i < data->surface_count && status == TW_STATUS_OK; i++) {
        const uint32_t points = data->surface[i].points, elements = data->surface[i].elements;
        const int mesh = data->surface[i].kind == TW_SURFACE_MESH;
        status = mesh ? scatter_mesh(data, points, elements, point, corner, error)
                      : scatter_profile(data, points, elements, point, error);
        point += points;
        corner += mesh ? 3 * elements : 0;
    }
    return status == TW_STATUS_MEMORY ? tw_error_set_memory(error) : status;
}

void tw_checkpoint_data_free(tw_checkpoint_data *data)
{
    tw_buffer_drop(&data->shape_spheres);
    tw_buffer_drop(&data->spheres);
    tw_buffer_drop(&data->surface);
    tw_buffer_drop(&data->surface_point);
    tw_buffer_drop(&data->surface_corner);
    tw_contact_list_free(&data->contacts);
    tw_buffer_free(&data->row, &data->row_capacity);
}

_Static_assert(sizeof(size_t) == sizeof(uint64_t), "counts are stored with 64 bits");
_Static_assert((int)TW_WALL_NAME == (int)TW_MODEL_NAME, "names have one form");

/* Units and limits of the columns in world/body_columns.def. A new column does not compile without
 * them. */
#define COLUMN_id "-"
#define COLUMN_shape "-", .below = data->model->shape_count
#define COLUMN_flags "-", .below = (TW_BODY_FIXED | TW_BODY_PRESENT) + 1
#define COLUMN_size "m", .range = TW_CHECKPOINT_POSITIVE
#define COLUMN_mass "kg", .range = TW_CHECKPOINT_POSITIVE
#define COLUMN_inertia "kg m^2", .range = TW_CHECKPOINT_POSITIVE
#define COLUMN_x "m"
#define COLUMN_q "-", .range = TW_CHECKPOINT_UNIT
#define COLUMN_v "m/s"
#define COLUMN_l "kg m^2/s"
#define COLUMN_force "N"
#define COLUMN_torque "N m"
#define COLUMN_dx "m"
#define COLUMN_gibbs "-"
#define COLUMN_x_ref "m"
#define COLUMN_q_ref "-", .range = data->listed ? TW_CHECKPOINT_UNIT : TW_CHECKPOINT_ANY
#define COLUMN_type "-", .range = TW_CHECKPOINT_POSITIVE
#define COLUMN_material "-", .below = data->model->material_count
#define COLUMN_x_start "m"
#define COLUMN_image "-", .range = TW_CHECKPOINT_WHOLE

static const tw_checkpoint_form form_u8 = {TW_CHECKPOINT_U8, 0, 1, 1};
static const tw_checkpoint_form form_i32 = {TW_CHECKPOINT_I32, 0, 1, 1};
static const tw_checkpoint_form form_u32 = {TW_CHECKPOINT_U32, 0, 1, 1};
static const tw_checkpoint_form form_u64 = {TW_CHECKPOINT_U64, 0, 1, 1};
static const tw_checkpoint_form form_number = {TW_CHECKPOINT_F64, 0, 1, 1};
static const tw_checkpoint_form form_vector = {TW_CHECKPOINT_F64, 1, 1, 3};
static const tw_checkpoint_form form_four = {TW_CHECKPOINT_F64, 1, 1, 4};
static const tw_checkpoint_form form_six = {TW_CHECKPOINT_F64, 1, 1, TW_COMPONENTS};
static const tw_checkpoint_form form_matrix = {TW_CHECKPOINT_F64, 2, 3, 3};
static const tw_checkpoint_form form_shift = {TW_CHECKPOINT_I8, 1, 1, 3};
static const tw_checkpoint_form form_name = {TW_CHECKPOINT_U8, 1, 1, TW_MODEL_NAME};
static const tw_checkpoint_form form_flags = {TW_CHECKPOINT_I32, 1, 1, 3};

#define FORM_OF(value)                                                                             \
    _Generic((value), unsigned char                                                                \
             : form_u8, int                                                                        \
             : form_i32, unsigned                                                                  \
             : form_u32, unsigned long                                                             \
             : form_u64, unsigned long long                                                        \
             : form_u64, double                                                                    \
             : form_number, tw_vec3                                                                \
             : form_vector, tw_quat                                                                \
             : form_four, tw_sphere                                                                \
             : form_four, /* x, y, z, radius */                                                    \
               tw_mat3                                                                             \
             : form_matrix)

size_t tw_checkpoint_form_bytes(tw_checkpoint_form form)
{
    static const size_t bytes[] = {1, 1, 4, 4, 8, 8};
    return bytes[form.type] * form.down * form.across;
}

/* Limits of the values may be added to the result. */
static tw_checkpoint_item *list_add(tw_checkpoint_list *list, tw_checkpoint_item item)
{
    assert(list->count < TW_CHECKPOINT_ITEMS_MAX);
    item.all = item.rows;
    list->item[list->count] = item;
    return &list->item[list->count++];
}

/* One value. */
#define ADD_ONE(group, name, unit, value)                                                          \
    list_add(list, (tw_checkpoint_item){group, name, unit, FORM_OF(value), 0, 1, &(value), 0,      \
                                        .stride = sizeof(value)})

/* An array of values. */
#define ADD_COLUMN(group, name, unit, array, rows)                                                 \
    list_add(list, (tw_checkpoint_item){group, name, unit, FORM_OF(*(array)), 1, rows, array, 0,   \
                                        .stride = sizeof *(array)})

/* A member of the structs in an array. */
#define ADD_MEMBER(group, name, unit, array, type, member, rows)                                   \
    list_add(list, (tw_checkpoint_item){group, name, unit, FORM_OF(((type *)0)->member), 1, rows,  \
                                        array, offsetof(type, member), .stride = sizeof(type)})

static double missing_zero(const tw_checkpoint_data *data, size_t row)
{
    (void)data, (void)row;
    return 0.0;
}

static void list_cell(tw_checkpoint_list *list, tw_cell *cell, size_t walls)
{
    ADD_ONE("cell", "h", "m", cell->h);
    /* inverse follows from h, but computed in another place it might be rounded differently */
    ADD_ONE("cell", "inverse", "1/m", cell->inverse);
    ADD_ONE("cell", "h_before", "m", cell->h_before);
    ADD_ONE("cell", "h_ref", "m", cell->h_ref);
    ADD_ONE("cell", "gradient", "1/s", cell->gradient);
    list_add(list, (tw_checkpoint_item){"cell", "periodic", "-", form_flags, 0, 1, cell->periodic,
                                        0, .stride = sizeof cell->periodic})
        ->below = 2;
    tw_checkpoint_item *walled =
        list_add(list, (tw_checkpoint_item){"cell", "walled", "-", form_flags, 0, 1, cell->walled,
                                            0, .stride = sizeof cell->walled});
    walled->below = walls + 1;
    walled->missing = missing_zero;
}

static void list_shapes(tw_checkpoint_list *list, tw_checkpoint_data *data)
{
    tw_shape *shapes = data->model->shapes;
    const size_t n = data->model->shape_count;
    ADD_COLUMN("shapes", "count", "-", data->shape_spheres, n);
    ADD_COLUMN("shapes", "spheres", "size of the body", data->spheres, data->sphere_count);
    ADD_MEMBER("shapes", "volume", "size^3", shapes, tw_shape, volume, n);
    ADD_MEMBER("shapes", "moments", "density size^5", shapes, tw_shape, moments, n);
    ADD_MEMBER("shapes", "radius", "size of the body", shapes, tw_shape, radius, n);
    ADD_MEMBER("shapes", "centre", "size of the body", shapes, tw_shape, centre, n);
    ADD_MEMBER("shapes", "axes", "-", shapes, tw_shape, axes, n);
}

/* The columns from item `from` on are at hand in part. */
static void set_rows(tw_checkpoint_list *list, size_t from, tw_checkpoint_rows rows)
{
    for (size_t k = from; k < list->count && rows.all > 0; k++) {
        tw_checkpoint_item *item = &list->item[k];
        if (!item->column || item->absent) continue;
        item->first = rows.first;
        item->all = rows.all;
    }
}

static void list_bodies(tw_checkpoint_list *list, const tw_checkpoint_data *data)
{
    const tw_bodies *b = &data->state->bodies;
    const size_t from = list->count;
#define TW_COLUMN(type, column_name) ADD_BODIES(column_name, false)
#define TW_COLUMN_NOTE(type, column_name) ADD_BODIES(column_name, true)
#define ADD_BODIES(column_name, is_note)                                                           \
    list_add(list, (tw_checkpoint_item){.group = "bodies",                                         \
                                        .name = #column_name,                                      \
                                        .note = is_note,                                           \
                                        .form = FORM_OF(*b->column_name),                          \
                                        .column = 1,                                               \
                                        .rows = b->count,                                          \
                                        .base = b->column_name,                                    \
                                        .stride = sizeof *b->column_name,                          \
                                        .unit = COLUMN_##column_name});
#include "world/body_columns.def"
#undef ADD_BODIES
    set_rows(list, from, data->bodies);
}

static void list_walls(tw_checkpoint_list *list, const tw_checkpoint_data *data)
{
    tw_wall *walls = data->state->walls;
    const size_t n = data->state->wall_count;
    ADD_MEMBER("walls", "point", "m", walls, tw_wall, point, n);
    ADD_MEMBER("walls", "normal", "-", walls, tw_wall, normal, n)->range = TW_CHECKPOINT_UNIT;
    ADD_MEMBER("walls", "v", "m/s", walls, tw_wall, v, n);
    ADD_MEMBER("walls", "dx", "m", walls, tw_wall, dx, n);
    ADD_MEMBER("walls", "travel", "m", walls, tw_wall, travel, n);
    ADD_MEMBER("walls", "force", "N", walls, tw_wall, force, n);
    ADD_MEMBER("walls", "servo", "-", walls, tw_wall, servo, n)->below = TW_WALL_PLATEN + 1;
    ADD_MEMBER("walls", "material", "-", walls, tw_wall, material, n)->below =
        data->model->material_count;
    ADD_MEMBER("walls", "target", "N, N m", walls, tw_wall, target, n);
    ADD_MEMBER("walls", "v_max", "m/s, 1/s", walls, tw_wall, v_max, n)->range =
        TW_CHECKPOINT_NOT_NEGATIVE_OR_INFINITE;
    ADD_MEMBER("walls", "torque", "N m", walls, tw_wall, torque, n)->missing = missing_zero;
    ADD_MEMBER("walls", "stiffness", "N/m, N m", walls, tw_wall, stiffness, n)->missing =
        missing_zero;
    ADD_MEMBER("walls", "damping", "N s/m, N m s", walls, tw_wall, damping, n)->missing =
        missing_zero;
    ADD_MEMBER("walls", "expected", "N, N m", walls, tw_wall, expected, n)->missing = missing_zero;
    ADD_MEMBER("walls", "drift", "N/s, N m/s", walls, tw_wall, drift, n)->missing = missing_zero;
    tw_checkpoint_item *predicted =
        ADD_MEMBER("walls", "predicted", "-", walls, tw_wall, predicted, n);
    predicted->below = 2;
    predicted->missing = missing_zero;
    if (data->steered) {
        ADD_MEMBER("walls", "along", "-", walls, tw_wall, along, n)->range = TW_CHECKPOINT_UNIT;
        ADD_MEMBER("walls", "stiffness_before", "N/m, N m", walls, tw_wall, stiffness_before, n);
    }
    tw_checkpoint_item *work = ADD_MEMBER("walls", "work", "J", walls, tw_wall, work, n);
    tw_checkpoint_item *name =
        list_add(list, (tw_checkpoint_item){"walls", "name", "-", form_name, 1, n, walls,
                                            offsetof(tw_wall, name), .stride = sizeof *walls});
    work->missing = name->missing = missing_zero;
    work->note = name->note = true;
    work->absent = name->absent = n == 0;
    if (data->absent) ADD_MEMBER("walls", "absent", "-", walls, tw_wall, absent, n)->below = 2;
    if (!data->framed) return;
    ADD_MEMBER("walls", "surface", "-", walls, tw_wall, surface, n)->below = TW_SURFACE_KINDS;
    ADD_MEMBER("walls", "q", "-", walls, tw_wall, q, n)->range = TW_CHECKPOINT_UNIT;
    ADD_MEMBER("walls", "q_ref", "-", walls, tw_wall, q_ref, n)->range = TW_CHECKPOINT_UNIT;
    ADD_MEMBER("walls", "spin", "1/s", walls, tw_wall, spin, n);
    ADD_MEMBER("walls", "turn", "-", walls, tw_wall, turn, n);
    ADD_MEMBER("walls", "radius", "m", walls, tw_wall, radius, n);
    ADD_MEMBER("walls", "middle", "m", walls, tw_wall, middle, n);
    ADD_MEMBER("walls", "half", "m", walls, tw_wall, half, n);
    ADD_MEMBER("walls", "model", "-", walls, tw_wall, model, n)->below =
        data->surface_count > 0 ? data->surface_count : 1;
    ADD_MEMBER("walls", "front", "-", walls, tw_wall, front, n)->below = 2;
}

/* Prescribed motions of walls. */
static void list_motions(tw_checkpoint_list *list, const tw_checkpoint_data *data)
{
    const tw_model *model = data->model;
    tw_wall *walls = data->state->walls;
    tw_drive_part *parts = model->drive;
    const size_t n = data->state->wall_count, m = model->drive_count;
    if (m == 0) return;
    ADD_MEMBER("walls", "motion_first", "-", walls, tw_wall, drive_first, n);
    ADD_MEMBER("walls", "motion_parts", "-", walls, tw_wall, drive_count, n);
    ADD_MEMBER("walls", "motion_start", "s", walls, tw_wall, drive_start, n);
    ADD_MEMBER("walls", "motion_point", "m", walls, tw_wall, drive_point, n);
    ADD_MEMBER("walls", "motion_q", "-", walls, tw_wall, drive_q, n);
    ADD_MEMBER("motions", "kind", "-", parts, tw_drive_part, kind, m)->below = TW_DRIVE_KINDS;
    ADD_MEMBER("motions", "cubic", "-", parts, tw_drive_part, cubic, m)->below = 2;
    ADD_MEMBER("motions", "first", "-", parts, tw_drive_part, first, m);
    ADD_MEMBER("motions", "rows", "-", parts, tw_drive_part, rows, m);
    ADD_MEMBER("motions", "along", "m/s, -", parts, tw_drive_part, along, m);
    ADD_MEMBER("motions", "through", "m", parts, tw_drive_part, through, m);
    ADD_MEMBER("motions", "rate", "1/s", parts, tw_drive_part, rate, m);
    ADD_MEMBER("motions", "amplitude", "m, -", parts, tw_drive_part, amplitude, m);
    ADD_MEMBER("motions", "frequency", "1/s", parts, tw_drive_part, frequency, m);
    ADD_MEMBER("motions", "phase", "-", parts, tw_drive_part, phase, m);
    ADD_MEMBER("tables", "time", "s", model->drive_row, tw_drive_row, time, model->drive_row_count);
    ADD_MEMBER("tables", "value", "m, -", model->drive_row, tw_drive_row, value,
               model->drive_row_count);
}

/* What walls of elements are made of. */
static void list_surfaces(tw_checkpoint_list *list, const tw_checkpoint_data *data)
{
    struct tw_checkpoint_surface *s = data->surface;
    const size_t n = data->surface_count;
    if (n == 0) return;
    ADD_MEMBER("surfaces", "kind", "-", s, struct tw_checkpoint_surface, kind, n)->below =
        TW_SURFACE_KINDS;
    ADD_MEMBER("surfaces", "points", "-", s, struct tw_checkpoint_surface, points, n);
    ADD_MEMBER("surfaces", "elements", "-", s, struct tw_checkpoint_surface, elements, n);
    ADD_COLUMN("surfaces", "point", "m", data->surface_point, data->point_count);
    ADD_COLUMN("surfaces", "corner", "-", data->surface_corner, data->corner_count);
}

typedef double (*missing_fn)(const tw_checkpoint_data *data, size_t row);

#define TW_CONTACT_PART(name, form, count, unit, need, flips, partner)
#define TW_CONTACT_MISSING(name, value)                                                            \
    static double missing_##name(const tw_checkpoint_data *data, size_t row)                       \
    {                                                                                              \
        const tw_contact_memory *memory = &data->contacts.memory[row];                             \
        return value;                                                                              \
    }
#include <twirl/detail/contact_parts.def>

static const missing_fn missing_part[TW_CONTACT_PARTS + 1] = {
    [TW_CONTACT_PARTS] = NULL,
#define TW_CONTACT_PART(name, form, count, unit, need, flips, partner)
#define TW_CONTACT_MISSING(name, value) [TW_CONTACT_PART_##name] = missing_##name,
#include <twirl/detail/contact_parts.def>
};

/* The parts of contacts that are in use; others have no dataset. */
static void list_parts(tw_checkpoint_list *list, const tw_contact_list *c)
{
    const size_t numbers = tw_contact_parts_numbers(c->parts);
    size_t at = 0;
    const tw_contact_part *part;
    for (uint32_t k = 0; (part = tw_contact_part_at(k)); k++) {
        const int used = (c->parts & part->need) != 0;
        tw_checkpoint_form form = form_number;
        if (part->numbers > 1) {
            form = form_vector;
            form.across = (unsigned char)part->numbers;
        }
        list_add(list,
                 (tw_checkpoint_item){
                     "contacts", part->name, part->unit, form, 1, used ? c->count : 0, c->extra,
                     at * sizeof(double), .stride = numbers * sizeof(double),
                     .missing = missing_part[k] ? missing_part[k] : missing_zero, .absent = !used});
        at += used ? part->numbers : 0;
    }
}

static void list_contacts(tw_checkpoint_list *list, tw_checkpoint_data *data)
{
    tw_contact_list *c = &data->contacts;
    const size_t n = c->count, from = list->count;
    ADD_ONE("contacts", "listed", "-", data->listed)->below = 2;
    ADD_MEMBER("contacts", "p", "-", c->pair, tw_pair, p, n);
    ADD_MEMBER("contacts", "q", "-", c->pair, tw_pair, q, n);
    ADD_MEMBER("contacts", "surface", "-", c->pair, tw_pair, surface, n)->below = TW_SURFACE_KINDS;
    list_add(list, (tw_checkpoint_item){"contacts", "shift", "-", form_shift, 1, n, c->pair,
                                        offsetof(tw_pair, shift), .stride = sizeof(tw_pair)});
    ADD_COLUMN("contacts", "slot", "-", c->slot, n);
    ADD_MEMBER("contacts", "n", "-", c->memory, tw_contact_memory, n, n)->range =
        TW_CHECKPOINT_UNIT;
    ADD_MEMBER("contacts", "zeta", "m", c->memory, tw_contact_memory, zeta, n)->range =
        tw_model_end(data->model) < 0.0 ? TW_CHECKPOINT_ANY : TW_CHECKPOINT_NOT_NEGATIVE;
    ADD_MEMBER("contacts", "ft", "N", c->memory, tw_contact_memory, ft, n);
    list_parts(list, c);
    ADD_COLUMN("contacts", "sliding", "-", c->sliding, n)->below = 2;
    set_rows(list, from, data->contact_rows);
}

/* Units are those of linear springs. */
static void list_materials(tw_checkpoint_list *list, tw_model *model)
{
    tw_model_material *materials = model->materials;
    const size_t n = model->material_count, pairs = tw_model_law_count(model);
    list_add(list,
             (tw_checkpoint_item){"materials", "name", "-", form_name, 1, n, materials,
                                  offsetof(tw_model_material, name), .stride = sizeof *materials})
        ->note = true;
    ADD_MEMBER("materials", "density", "kg/m^3", materials, tw_model_material, density, n)->range =
        TW_CHECKPOINT_POSITIVE;
#define ADD_LAW(group, name, unit, member)                                                         \
    ADD_MEMBER(group, name, unit, model->laws, tw_contact_law, member, pairs)
#define TW_CONTACT_CONSTANT(name, units, change, scale, word, ratio)                               \
    ADD_LAW("laws", #name, units, name)->range =                                                   \
        strcmp(#name, "kn") == 0 ? TW_CHECKPOINT_POSITIVE : TW_CHECKPOINT_ANY;
#define TW_CONTACT_UNITS(linear, hertz) linear
#include <twirl/detail/contact_constants.def>
    ADD_LAW("laws", "kind", "-", kind);
    ADD_LAW("laws", "refine", "-", refine);
    ADD_LAW("laws", "normal", "-", normal);
    ADD_LAW("laws", "flags", "-", flags);
#undef ADD_LAW
}

static void list_settings(tw_checkpoint_list *list, tw_model *model)
{
    ADD_ONE("settings", "mass_scale", "-", model->mass_scale)->range = TW_CHECKPOINT_POSITIVE;
    ADD_ONE("settings", "gravity", "m/s^2", model->gravity);
    ADD_ONE("settings", "damping_mass", "1/s", model->damping_mass)->range =
        TW_CHECKPOINT_NOT_NEGATIVE;
    ADD_ONE("settings", "damping_spin", "1/s", model->damping_spin)->range =
        TW_CHECKPOINT_NOT_NEGATIVE;
    ADD_ONE("settings", "damping_local", "-", model->damping_local)->range =
        TW_CHECKPOINT_NOT_NEGATIVE;
    ADD_ONE("settings", "skin_requested", "m", model->skin_requested)->range =
        TW_CHECKPOINT_NOT_NEGATIVE;
    ADD_ONE("settings", "dt_fraction", "-", model->dt_fraction)->range = TW_CHECKPOINT_POSITIVE;
    ADD_ONE("settings", "dt_automatic", "-", model->dt_automatic)->below = 2;
    ADD_ONE("settings", "dt_forced", "-", model->dt_forced)->below = 2;
}

static void list_state(tw_checkpoint_list *list, const tw_model *model, tw_state *state)
{
    ADD_ONE("state", "skin", "m", state->skin)->range = TW_CHECKPOINT_NOT_NEGATIVE;
    /* An automatic one is not known before the first step. */
    ADD_ONE("state", "dt", "s", state->dt)->range =
        model->dt_automatic ? TW_CHECKPOINT_NOT_NEGATIVE : TW_CHECKPOINT_POSITIVE;
    ADD_ONE("state", "time", "s", state->time);
    ADD_ONE("state", "steps", "-", state->steps);
    ADD_ONE("state", "searches", "-", state->searches);
    ADD_ONE("state", "departed", "-", state->departed)->missing = missing_zero;
    tw_energy_balance *balance = &state->balance;
#define ADD_LOST(to, NAME, name, member, way)                                                      \
    ADD_ONE("energy_balance", #name, "J", balance->lost.by[TW_CONTACT_LOST_##NAME]);
#define ADD_STORED(to, NAME, name, column, text)                                                   \
    ADD_ONE("sums", #name, "J", state->sums.stored.of[TW_CONTACT_STORED_##NAME]);
    TW_CONTACT_LOST_FIRST(ADD_LOST, )
    ADD_ONE("energy_balance", "body_damping", "J", balance->body_damping);
    ADD_ONE("energy_balance", "cell", "J", balance->cell);
    ADD_ONE("energy_balance", "walls", "J", balance->walls);
    ADD_ONE("energy_balance", "gravity", "J", balance->gravity);
    ADD_ONE("energy_balance", "start", "J", balance->start);
    ADD_ONE("energy_balance", "started", "-", balance->started)->below = 2;
    TW_CONTACT_LOST_MORE(ADD_LOST, )
    tw_sums *sums = &state->sums;
    ADD_ONE("sums", "moment", "J", sums->moment);
    TW_CONTACT_STORED(ADD_STORED, )
    ADD_ONE("sums", "contacts", "-", sums->contacts);
    ADD_ONE("sums", "sliding", "-", sums->sliding);
}

static void list_control(tw_checkpoint_list *list, tw_servo *servo)
{
    tw_control *request = &servo->request;
    tw_control_row *row = request->row;
    tw_stiffness *stiffness = &servo->stiffness;
    ADD_ONE("control", "on", "-", servo->on)->below = 2;
    ADD_MEMBER("control", "mode", "-", row, tw_control_row, mode, TW_COMPONENTS);
    list_add(list, (tw_checkpoint_item){"control", "weight", "-", form_six, 1, TW_COMPONENTS, row,
                                        offsetof(tw_control_row, weight), .stride = sizeof *row});
    ADD_MEMBER("control", "target", "1/s, Pa", row, tw_control_row, target, TW_COMPONENTS);
    ADD_MEMBER("control", "ramp", "1/s^2, Pa/s", row, tw_control_row, ramp, TW_COMPONENTS);
    ADD_ONE("control", "simple_shear", "-", request->simple_shear)->below = 2;
    ADD_ONE("control", "rate_max_requested", "1/s", request->rate_max);
    ADD_ONE("control", "tolerance", "-", request->tolerance);
    tw_control_fluid *fluid = &request->fluid;
    ADD_ONE("control", "fluid_bulk", "Pa", fluid->bulk)->missing = missing_zero;
    ADD_ONE("control", "fluid_pressure", "Pa", fluid->pressure)->missing = missing_zero;
    ADD_ONE("control", "fluid_volume", "m^3", fluid->volume)->missing = missing_zero;
    ADD_ONE("control", "fluid_solid", "m^3", fluid->solid)->missing = missing_zero;
    ADD_COLUMN("control", "set", "1/s, Pa", servo->set, TW_COMPONENTS);
    ADD_COLUMN("control", "expected", "Pa", servo->expected, TW_COMPONENTS);
    ADD_COLUMN("control", "drift", "Pa/s", servo->drift, TW_COMPONENTS);
    ADD_ONE("control", "predicted", "-", servo->predicted)->below = 2;
    ADD_ONE("control", "rate_max", "1/s", servo->rate_max);
    ADD_ONE("control", "volume", "m^3", servo->volume);
    ADD_ONE("control", "met", "-", servo->met)->below = 2;
    ADD_ONE("control", "worst", "-", servo->worst);
    ADD_ONE("control", "steps", "-", servo->steps);
    ADD_ONE("control", "limited", "-", servo->limited);
    ADD_ONE("control", "missed", "-", servo->missed);
    ADD_COLUMN("control", "stiffness_normal", "1/m", stiffness->normal, TW_STIFFNESS_PAIRS);
    ADD_COLUMN("control", "stiffness_branch", "1/m", stiffness->branch, TW_COMPONENTS);
    ADD_ONE("control", "stiffness_kt", "-", stiffness->kt);
    ADD_ONE("control", "stiffness_nu_n", "s", stiffness->nu_n);
    ADD_ONE("control", "stiffness_nu_t", "s", stiffness->nu_t);
    ADD_ONE("control", "stiffness_contacts", "-", stiffness->contacts);
    ADD_ONE("control", "stiffness_step", "-", stiffness->step);
    ADD_ONE("control", "stiffness_made", "-", stiffness->made)->below = 2;
}

void tw_checkpoint_list_make(tw_checkpoint_list *list, tw_checkpoint_data *data)
{
    list->count = 0;
    list_cell(list, &data->state->cell, data->state->wall_count);
    list_shapes(list, data);
    list_bodies(list, data);
    list_walls(list, data);
    list_surfaces(list, data);
    list_motions(list, data);
    list_contacts(list, data);
    list_materials(list, data->model);
    list_settings(list, data->model);
    list_state(list, data->model, data->state);
    list_control(list, data->servo);
}

int tw_checkpoint_item_extents(const tw_checkpoint_item *item, uint64_t extent[3])
{
    int rank = 0;
    memset(extent, 0, 3 * sizeof *extent);
    if (item->column) extent[rank++] = item->all;
    if (item->form.rank == 2) extent[rank++] = item->form.down;
    if (item->form.rank >= 1) extent[rank++] = item->form.across;
    return rank;
}

void *tw_checkpoint_item_value(const tw_checkpoint_item *item, size_t row)
{
    return (unsigned char *)item->base + item->offset + row * item->stride;
}

typedef struct packing {
    const tw_checkpoint_item *item;
    unsigned char *packed;
    bool back;
} packing;

static void copy_rows(void *context, size_t begin, size_t end)
{
    const packing *c = context;
    const size_t bytes = tw_checkpoint_form_bytes(c->item->form);
    unsigned char *at = c->packed + begin * bytes;
    for (size_t r = begin; r < end; r++, at += bytes) {
        void *value = tw_checkpoint_item_value(c->item, r);
        memcpy(c->back ? value : at, c->back ? at : value, bytes);
    }
}

void tw_checkpoint_item_copy(const tw_checkpoint_item *item, void *packed, bool back)
{
    enum { ROWS = 8192 };
    packing c = {item, packed, back};
    if (item->rows == 0 || packed == tw_checkpoint_item_value(item, 0)) return;
    tw_parallel_for(item->rows, ROWS, copy_rows, &c);
}

void *tw_checkpoint_item_room(const tw_checkpoint_item *item, tw_checkpoint_data *data,
                              const char *name, tw_error *error)
{
    /* In a file, rows are limited by those of a dataset that was counted: no overflow. */
    const size_t each = tw_checkpoint_form_bytes(item->form), bytes = item->rows * each;
    if (item->rows > 0 && item->stride == each) return tw_checkpoint_item_value(item, 0);
    if (tw_buffer_reserve(&data->row, &data->row_capacity, bytes + 1, 1) == TW_STATUS_OK)
        return data->row;
    tw_error_set(error, TW_STATUS_MEMORY, "%s: no memory for %zu rows of %s/%s", name, item->rows,
                 item->group, item->name);
    return NULL;
}

/* All numbers of a value of the item are this one. */
static void set_numbers(const tw_checkpoint_item *item, double number, unsigned char *value)
{
    const tw_checkpoint_form one = {item->form.type, 0, 1, 1};
    const size_t bytes = tw_checkpoint_form_bytes(one), all = tw_checkpoint_form_bytes(item->form);
    union {
        uint8_t u8;
        uint32_t u32;
        uint64_t u64;
        double f64;
    } as = {0};
    if (item->form.type == TW_CHECKPOINT_F64)
        as.f64 = number;
    else if (bytes == sizeof as.u8)
        as.u8 = (uint8_t)number;
    else if (bytes == sizeof as.u32)
        as.u32 = (uint32_t)number;
    else
        as.u64 = (uint64_t)number;
    for (size_t at = 0; at < all; at += bytes)
        memcpy(value + at, &as, bytes);
}

bool tw_checkpoint_item_left_out(const tw_checkpoint_item *item, const tw_checkpoint_data *data)
{
    unsigned char value[9 * sizeof(double)];
    if (item->column || !item->missing) return item->absent;
    set_numbers(item, item->missing(data, 0), value);
    return memcmp(value, tw_checkpoint_item_value(item, 0), tw_checkpoint_form_bytes(item->form)) ==
           0;
}

void tw_checkpoint_item_fill(const tw_checkpoint_item *item, const tw_checkpoint_data *data)
{
    for (size_t r = 0; r < item->rows; r++)
        set_numbers(item, item->missing(data, r), tw_checkpoint_item_value(item, r));
}

void tw_checkpoint_hashes_add(tw_checkpoint_hashes *hashes, size_t k,
                              const tw_checkpoint_item *item, const void *values)
{
    tw_hash *hash = &hashes->item[k];
    if (item->rows == 0 || item->note) return;
    if (hash->length == 0) {
        *hash = tw_hash_start(1);
        tw_hash_add(hash, item->group, strlen(item->group));
        tw_hash_add(hash, item->name, strlen(item->name));
    }
    tw_hash_add(hash, values, item->rows * tw_checkpoint_form_bytes(item->form));
}

uint64_t tw_checkpoint_hashes_value(const tw_checkpoint_hashes *hashes)
{
    tw_hash all = tw_hash_start(1);
    for (size_t k = 0; k < TW_CHECKPOINT_ITEMS_MAX; k++) {
        if (hashes->item[k].length == 0) continue;
        const uint64_t value = tw_hash_value(&hashes->item[k]);
        tw_hash_add(&all, &value, sizeof value);
    }
    return tw_hash_value(&all);
}

uint64_t tw_checkpoint_hash(tw_checkpoint_data *data)
{
    tw_checkpoint_list list;
    tw_checkpoint_hashes hashes = {0};
    tw_checkpoint_list_make(&list, data);
    for (size_t k = 0; k < list.count; k++) {
        const tw_checkpoint_item *item = &list.item[k];
        if (tw_checkpoint_item_left_out(item, data) || item->note) continue;
        void *values = tw_checkpoint_item_room(item, data, "the hash", NULL);
        if (!values) return 0;
        tw_checkpoint_item_copy(item, values, false);
        tw_checkpoint_hashes_add(&hashes, k, item, values);
    }
    return tw_checkpoint_hashes_value(&hashes);
}
