/* SPDX-License-Identifier: BSD-3-Clause */
#include "exchange/export.h"

#include <assert.h>
#include <inttypes.h>
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <twirl/exchange.h>
#include <twirl/sim.h>
#include <twirl/types.h>

#include "base/error.h"
#include "base/file.h"
#include "base/mat3.h"
#include "base/memory.h"
#include "base/text.h"

void tw_frame_free(tw_frame *frame)
{
    free(frame->spheres);
    free(frame->contacts);
    free(frame->first);
    memset(frame, 0, sizeof *frame);
}

/* calloc(0) may return NULL, which would look like a failure. */
static void *frame_array(size_t count, size_t size)
{
    return calloc(count + 1, size);
}

/* What the spheres of a body share. */
typedef struct frame_body {
    tw_body_state state;
    tw_mat3 stress; /* without the factor 1/V until it is complete */
    uint32_t contacts;
} frame_body;

static void frame_fill_sphere(tw_frame_sphere *sphere, const frame_body *body)
{
    const tw_body_state *s = &body->state;
    const tw_vec3 arm = tw_vec3_sub(sphere->x, s->x);
    sphere->v = tw_vec3_add(s->v_half, tw_vec3_cross(s->w_half, arm));
    sphere->w = s->w_half;
    sphere->shape = s->shape;
    sphere->type = s->type;
    sphere->displacement = s->displacement;
    sphere->coordination = body->contacts;
    sphere->stress = body->stress;
    sphere->pressure = (body->stress.m[0] + body->stress.m[4] + body->stress.m[8]) / 3.0;
}

static bool frame_take_spheres(tw_frame *frame, const tw_sim *sim, const frame_body *bodies)
{
    const size_t count = frame->sphere_count;
    tw_sphere_state *states = frame_array(count, sizeof *states);
    if (!states) return false;
    tw_sim_get_spheres(sim, states, count, NULL);
    for (size_t i = 0; i < count; i++) {
        tw_frame_sphere *sphere = &frame->spheres[i];
        sphere->x = states[i].x;
        sphere->radius = states[i].radius;
        sphere->body = states[i].body;
        sphere->member = states[i].member;
        const size_t row = tw_sim_body_row(sim, sphere->body);
        if (sphere->member == 0) frame->first[row] = (uint32_t)i;
        frame_fill_sphere(sphere, &bodies[row]);
    }
    free(states);
    return true;
}

static void frame_load(frame_body *body, tw_vec3 arm, tw_vec3 force)
{
    const tw_mat3 part = tw_mat3_outer(arm, force);
    body->contacts++;
    body->stress = tw_mat3_add_scaled(body->stress, -1.0, part);
}

static void frame_take_bodies(const tw_frame *frame, const tw_sim *sim, frame_body *bodies,
                              size_t count)
{
    for (size_t k = 0; k < count; k++)
        tw_sim_get_body(sim, tw_sim_body_id(sim, k), &bodies[k].state, NULL); /* it exists */
    for (size_t i = 0; i < frame->contact_count; i++) {
        const tw_contact_state *c = &frame->contacts[i];
        /* The point is near the image of p that is in the list, which x is. */
        frame_body *p = &bodies[tw_sim_body_row(sim, c->body_p)];
        const tw_vec3 arm = tw_vec3_sub(c->point, p->state.x);
        frame_load(p, arm, c->force);
        if (c->body_q == TW_NO_BODY) continue;
        frame_load(&bodies[tw_sim_body_row(sim, c->body_q)], tw_vec3_sub(arm, c->branch),
                   tw_vec3_scale(-1.0, c->force));
    }
    for (size_t k = 0; k < count; k++) {
        const tw_body_state *b = &bodies[k].state;
        const double volume = tw_sim_body_volume(sim, b);
        bodies[k].stress = tw_mat3_scale(1.0 / volume, bodies[k].stress);
    }
}

tw_status tw_frame_take(tw_frame *frame, const tw_sim *sim, tw_error *error)
{
    const size_t count = tw_sim_body_count(sim);
    frame->sphere_count = tw_sim_sphere_count(sim);
    const tw_status status =
        tw_sim_list_contacts(sim, &frame->contacts, &frame->contact_count, error);
    frame->spheres = frame_array(frame->sphere_count, sizeof *frame->spheres);
    frame->first = frame_array(count, sizeof *frame->first);
    frame_body *bodies = frame_array(count, sizeof *bodies);
    bool taken = status == TW_STATUS_OK && frame->spheres && frame->first && bodies;
    if (taken) {
        frame_take_bodies(frame, sim, bodies, count);
        taken = frame_take_spheres(frame, sim, bodies);
    }
    free(bodies);
    if (taken) return TW_STATUS_OK;
    tw_frame_free(frame);
    return status == TW_STATUS_OK ? tw_error_set_memory(error) : status;
}

tw_status tw_export_frame(const tw_sim *sim, const char *path, tw_export_frame_printer *print,
                          tw_error *error)
{
    assert(sim && path);
    tw_error_clear(error);
    tw_frame frame;
    tw_status status = tw_frame_take(&frame, sim, error);
    if (status != TW_STATUS_OK) return status;
    tw_outfile out;
    status = tw_outfile_open(&out, path, error);
    if (status == TW_STATUS_OK) {
        print(&out, sim, &frame);
        status = tw_outfile_finish(&out, error);
    }
    tw_frame_free(&frame);
    return status;
}

static void print_csv(tw_outfile *out, const tw_sim *sim, const tw_frame *frame)
{
    const tw_mat3 h = tw_sim_cell(sim);
    const tw_sim_def def = tw_sim_get_definition(sim);
    tw_outfile_print(out, "# cell:");
    for (int k = 0; k < 9; k++) /* edge by edge: the columns */
        tw_outfile_print(out, " %.17g", h.m[3 * (k % 3) + k / 3]);
    tw_outfile_print(out, "\n# periodic: %d %d %d\n", def.periodic[0] != 0, def.periodic[1] != 0,
                     def.periodic[2] != 0);
    bool typed = false;
    for (size_t i = 0; i < frame->sphere_count; i++)
        typed = typed || frame->spheres[i].type != 1;
    tw_outfile_print(out, "x,y,z,radius,body,member%s\n", typed ? ",type" : "");
    for (size_t i = 0; i < frame->sphere_count; i++) {
        const tw_frame_sphere *s = &frame->spheres[i];
        tw_outfile_print(out, "%.17g,%.17g,%.17g,%.17g,%lu,%lu", s->x.x, s->x.y, s->x.z, s->radius,
                         (unsigned long)s->body, (unsigned long)s->member);
        if (typed) tw_outfile_print(out, ",%lu", (unsigned long)s->type);
        tw_outfile_print(out, "\n");
    }
}

tw_status tw_export_csv(const tw_sim *sim, const char *path, tw_error *error)
{
    assert(sim && path);
    return tw_export_frame(sim, path, print_csv, error);
}

/* VTK's XML files, with numbers in base64 of native byte order. Appended raw data would be a
 * quarter smaller but is not valid XML: ParaView on Debian 12 and Ubuntu rejects it since the
 * security updates of expat (VTK issue 19258). */

typedef enum vtk_type { VTK_FLOAT64, VTK_INT64, VTK_INT32, VTK_UINT8 } vtk_type;

/* A column of items of `components` numbers each, `stride` bytes apart in memory, so that fields of
 * structs need no copy; or, if `first` is NULL, the numbers start, start + step, start + 2 step,
 * ...
 */
typedef struct vtk_array {
    const char *name;
    vtk_type type;
    int components;
    size_t count;
    const void *first;
    size_t stride;
    int64_t start, step;
} vtk_array;

/* An element of the file, such as PointData, and its arrays. */
typedef struct vtk_group {
    const char *element;
    const vtk_array *arrays;
    size_t count;
} vtk_group;

static const char *const vtk_type_names[] = {"Float64", "Int64", "Int32", "UInt8"};
static const size_t vtk_type_sizes[] = {8, 8, 4, 1};

/* "LittleEndian" or "BigEndian". */
static const char *vtk_byte_order(void)
{
    const uint16_t one = 1;
    unsigned char first;
    memcpy(&first, &one, 1);
    return first ? "LittleEndian" : "BigEndian";
}

static size_t vtk_item_size(const vtk_array *array)
{
    return vtk_type_sizes[array->type] * (size_t)array->components;
}

/* ---- Base64 ---- */

typedef struct base64 {
    tw_outfile *out;
    unsigned char bytes[3072];
    size_t held; /* bytes in use */
} base64;

static void base64_flush(base64 *b)
{
    char text[sizeof b->bytes / 3 * 4];
    tw_outfile_write(b->out, text, tw_text_base64(b->bytes, b->held, text));
    b->held = 0;
}

static void base64_write(base64 *b, const void *data, size_t size)
{
    const unsigned char *byte = data;
    for (size_t i = 0; i < size; i++) {
        b->bytes[b->held++] = byte[i];
        if (b->held == sizeof b->bytes) base64_flush(b);
    }
}

/* ---- Arrays ---- */

static void vtk_write_sequence(base64 *b, const vtk_array *array)
{
    for (size_t i = 0; i < array->count; i++) {
        const int64_t value = array->start + (int64_t)i * array->step;
        const int32_t small = (int32_t)value;
        const uint8_t tiny = (uint8_t)value;
        if (array->type == VTK_INT64)
            base64_write(b, &value, sizeof value);
        else if (array->type == VTK_INT32)
            base64_write(b, &small, sizeof small);
        else
            base64_write(b, &tiny, sizeof tiny);
    }
}

/* The numbers follow a count of their bytes, in one piece of base64. */
static void vtk_print_array(tw_outfile *out, const vtk_array *array)
{
    const size_t size = vtk_item_size(array);
    const uint64_t bytes = (uint64_t)size * array->count;
    base64 b;
    b.out = out;
    b.held = 0;
    tw_outfile_print(out,
                     "        <DataArray type=\"%s\" Name=\"%s\" NumberOfComponents=\"%d\" "
                     "format=\"binary\">",
                     vtk_type_names[array->type], array->name, array->components);
    base64_write(&b, &bytes, sizeof bytes);
    if (array->first) {
        const char *item = array->first;
        for (size_t i = 0; i < array->count; i++, item += array->stride)
            base64_write(&b, item, size);
    } else {
        vtk_write_sequence(&b, array);
    }
    base64_flush(&b);
    tw_outfile_print(out, "</DataArray>\n");
}

/* Prints a file with one piece. `type` is UnstructuredGrid, PolyData or StructuredGrid, with the
 * attributes `whole`; `piece` holds those of the element Piece, such as the numbers of points and
 * cells. */
static void vtk_print(tw_outfile *out, const char *type, const char *whole, const char *piece,
                      double time, const vtk_group *groups, size_t count)
{
    tw_outfile_print(out,
                     "<?xml version=\"1.0\"?>\n"
                     "<VTKFile type=\"%s\" version=\"1.0\" byte_order=\"%s\" "
                     "header_type=\"UInt64\">\n  <%s%s>\n"
                     "    <FieldData>\n"
                     "      <DataArray type=\"Float64\" Name=\"TimeValue\" NumberOfTuples=\"1\" "
                     "format=\"ascii\">%.17g</DataArray>\n"
                     "    </FieldData>\n    <Piece %s>\n",
                     type, vtk_byte_order(), type, whole, time, piece);
    for (size_t i = 0; i < count; i++) {
        tw_outfile_print(out, "      <%s>\n", groups[i].element);
        for (size_t j = 0; j < groups[i].count; j++)
            vtk_print_array(out, &groups[i].arrays[j]);
        tw_outfile_print(out, "      </%s>\n", groups[i].element);
    }
    tw_outfile_print(out, "    </Piece>\n  </%s>\n</VTKFile>\n", type);
}

/* ---- Files for ParaView ---- */

enum { VTK_WALLS = 3, VTK_PARTS };
static const char *const vtk_parts[VTK_PARTS] = {"spheres", "contacts", "cell", "walls"};
static const char *const vtk_extensions[VTK_PARTS] = {"vtu", "vtp", "vtp", "vtp"};

/* Without walls there is no file of them. */
static int vtk_parts_of(const tw_sim *sim)
{
    return tw_sim_wall_count(sim) > 0 ? VTK_PARTS : VTK_WALLS;
}

enum { VTK_NAME_MAX = 200 }; /* leaves room in NAME_MAX for part, frame and extension */

/* Ids of bodies fit, and TW_NO_BODY becomes -1. */
static const vtk_type vtk_id = VTK_INT32;

/* NAME_PART_FRAME.EXTENSION, without a directory. */
static void vtk_file_name(char *text, size_t size, const char *name, int part, uint64_t frame)
{
    snprintf(text, size, "%s_%s_%06" PRIu64 ".%s", name, vtk_parts[part], frame,
             vtk_extensions[part]);
}

/* False with an error if `name` cannot be part of a file name. */
static bool vtk_check_name(const char *name, tw_error *error)
{
    if (*name != '\0' && strlen(name) <= VTK_NAME_MAX && !strchr(name, '/')) return true;
    tw_error_set(error, TW_STATUS_INPUT,
                 "%s cannot be a file prefix; expected 1 to %d bytes without '/'",
                 tw_text_quote(name, strlen(name)).text, (int)VTK_NAME_MAX);
    return false;
}

static void vtk_print_spheres(tw_outfile *out, const tw_sim *sim, const tw_frame *frame)
{
    const size_t n = frame->sphere_count, stride = sizeof *frame->spheres;
    const tw_frame_sphere *s = frame->spheres;
    const vtk_array data[] = {
        {"radius", VTK_FLOAT64, 1, n, &s->radius, stride, 0, 0},
        {"body", vtk_id, 1, n, &s->body, stride, 0, 0},
        {"member", vtk_id, 1, n, &s->member, stride, 0, 0},
        {"type", vtk_id, 1, n, &s->type, stride, 0, 0},
        {"shape", vtk_id, 1, n, &s->shape, stride, 0, 0},
        {"velocity", VTK_FLOAT64, 3, n, &s->v, stride, 0, 0},
        {"spin", VTK_FLOAT64, 3, n, &s->w, stride, 0, 0},
        {"displacement", VTK_FLOAT64, 3, n, &s->displacement, stride, 0, 0},
        {"stress", VTK_FLOAT64, 9, n, &s->stress, stride, 0, 0},
        {"pressure", VTK_FLOAT64, 1, n, &s->pressure, stride, 0, 0},
        {"coordination", VTK_INT32, 1, n, &s->coordination, stride, 0, 0},
    };
    const vtk_array points[] = {{"position", VTK_FLOAT64, 3, n, &s->x, stride, 0, 0}};
    /* A vertex (type 1) for each point: some filters need cells. */
    const vtk_array cells[] = {
        {"connectivity", VTK_INT64, 1, n, NULL, 0, 0, 1},
        {"offsets", VTK_INT64, 1, n, NULL, 0, 1, 1},
        {"types", VTK_UINT8, 1, n, NULL, 0, 1, 0},
    };
    const vtk_group groups[] = {{"PointData", data, sizeof data / sizeof data[0]},
                                {"Points", points, 1},
                                {"Cells", cells, 3}};
    char piece[96];
    snprintf(piece, sizeof piece, "NumberOfPoints=\"%zu\" NumberOfCells=\"%zu\"", n, n);
    vtk_print(out, "UnstructuredGrid", "", piece, tw_sim_time(sim), groups, 3);
}

/* Lines of two points each; `data` belongs to the lines. */
static void vtk_print_lines(tw_outfile *out, double time, const tw_vec3 *ends, size_t lines,
                            const vtk_array *data, size_t data_count)
{
    const vtk_array points[] = {{"position", VTK_FLOAT64, 3, 2 * lines, ends, sizeof *ends, 0, 0}};
    const vtk_array cells[] = {
        {"connectivity", VTK_INT64, 1, 2 * lines, NULL, 0, 0, 1},
        {"offsets", VTK_INT64, 1, lines, NULL, 0, 2, 2},
    };
    const vtk_group groups[] = {
        {"CellData", data, data_count}, {"Points", points, 1}, {"Lines", cells, 2}};
    char piece[192];
    snprintf(piece, sizeof piece,
             "NumberOfPoints=\"%zu\" NumberOfVerts=\"0\" NumberOfLines=\"%zu\" "
             "NumberOfStrips=\"0\" NumberOfPolys=\"0\"",
             2 * lines, lines);
    vtk_print(out, "PolyData", "", piece, time, groups, 3);
}

/* Columns that tw_contact_state does not have. */
typedef struct vtk_contacts {
    tw_vec3 *ends;
    double *ft_norm;
    double *part[TW_CONTACT_PARTS_MAX]; /* those that some law needs */
} vtk_contacts;

static void vtk_contacts_free(vtk_contacts *extra)
{
    free(extra->ends);
    free(extra->ft_norm);
    for (uint32_t k = 0; k < tw_contact_part_count(); k++)
        free(extra->part[k]);
}

/* The parts that some law of the simulation needs: bits of tw_contact_law_extras. */
static uint32_t vtk_find_parts(const tw_sim *sim)
{
    uint32_t needs = 0;
    const uint32_t count = (uint32_t)tw_sim_material_count(sim);
    for (uint32_t a = 0; a < count; a++) {
        for (uint32_t b = a; b < count; b++) {
            tw_contact_law law;
            if (tw_sim_get_pair_law(sim, a, b, &law, NULL) == TW_STATUS_OK)
                needs |= tw_contact_law_extras(&law);
        }
    }
    return needs;
}

static tw_status vtk_read_parts(vtk_contacts *extra, const tw_sim *sim, size_t contacts,
                                tw_error *error)
{
    tw_status status = TW_STATUS_OK;
    const uint32_t needs = contacts > 0 ? vtk_find_parts(sim) : 0;
    for (uint32_t k = 0; k < tw_contact_part_count() && status == TW_STATUS_OK; k++) {
        const tw_contact_part *part = tw_contact_part_at(k);
        if (!(part->need & needs)) continue;
        const size_t numbers = contacts * part->numbers;
        extra->part[k] = malloc(numbers * sizeof *extra->part[k]);
        status = extra->part[k]
                     ? tw_sim_get_contact_part(sim, part->name, extra->part[k], numbers, error)
                     : tw_error_set_memory(error);
    }
    return status;
}

static bool vtk_measure_contacts(vtk_contacts *extra, const tw_sim *sim, const tw_frame *frame)
{
    extra->ends = malloc((2 * frame->contact_count + 1) * sizeof *extra->ends);
    extra->ft_norm = malloc((frame->contact_count + 1) * sizeof *extra->ft_norm);
    if (!extra->ends || !extra->ft_norm) return false;
    for (size_t i = 0; i < frame->contact_count; i++) {
        const tw_contact_state *c = &frame->contacts[i];
        tw_body_state body;
        tw_sim_get_body(sim, c->body_p, &body, NULL); /* it exists */
        const tw_vec3 x = body.x;
        extra->ends[2 * i] = x;
        extra->ends[2 * i + 1] = c->body_q == TW_NO_BODY ? c->point : tw_vec3_add(x, c->branch);
        extra->ft_norm[i] = tw_vec3_norm(c->ft);
    }
    return true;
}

static void vtk_print_contacts(tw_outfile *out, const tw_sim *sim, const tw_frame *frame,
                               const vtk_contacts *extra)
{
    const size_t n = frame->contact_count, stride = sizeof *frame->contacts;
    const tw_contact_state *c = frame->contacts;
    vtk_array data[16 + TW_CONTACT_PARTS_MAX] = {
        {"fn", VTK_FLOAT64, 1, n, &c->fn, stride, 0, 0},
        {"ft", VTK_FLOAT64, 3, n, &c->ft, stride, 0, 0},
        {"ft_norm", VTK_FLOAT64, 1, n, extra->ft_norm, sizeof(double), 0, 0},
        {"force", VTK_FLOAT64, 3, n, &c->force, stride, 0, 0},
        {"zeta", VTK_FLOAT64, 1, n, &c->zeta, stride, 0, 0},
        {"sliding", VTK_INT32, 1, n, &c->sliding, stride, 0, 0},
        {"body_p", vtk_id, 1, n, &c->body_p, stride, 0, 0},
        {"body_q", vtk_id, 1, n, &c->body_q, stride, 0, 0},
    };
    size_t arrays = 0;
    while (data[arrays].name)
        arrays++;
    for (uint32_t k = 0; k < tw_contact_part_count(); k++) {
        const tw_contact_part *part = tw_contact_part_at(k);
        const vtk_array array = {.name = part->name,
                                 .type = VTK_FLOAT64,
                                 .components = (int)part->numbers,
                                 .count = n,
                                 .first = extra->part[k],
                                 .stride = part->numbers * sizeof(double)};
        if (extra->part[k]) data[arrays++] = array;
    }
    vtk_print_lines(out, tw_sim_time(sim), extra->ends, n, data, arrays);
}

static void vtk_print_cell(tw_outfile *out, const tw_sim *sim)
{
    const tw_mat3 h = tw_sim_cell(sim);
    tw_vec3 ends[24];
    int count = 0;
    /* from each corner along each edge that leads away from the origin */
    for (int corner = 0; corner < 8; corner++) {
        tw_vec3 x = {0.0, 0.0, 0.0};
        for (int k = 0; k < 3; k++)
            if (corner >> k & 1) x = tw_vec3_add(x, tw_vec3_make(h.m[k], h.m[3 + k], h.m[6 + k]));
        for (int k = 0; k < 3; k++) {
            if (corner >> k & 1) continue;
            ends[count++] = x;
            ends[count++] = tw_vec3_add(x, tw_vec3_make(h.m[k], h.m[3 + k], h.m[6 + k]));
        }
    }
    vtk_print_lines(out, tw_sim_time(sim), ends, 12, NULL, 0);
}

/* The facets of all walls. */
typedef struct vtk_walls {
    tw_vec3 *points, *force;
    int64_t *corner, *end;
    uint32_t *wall;
    size_t point_count, facet_count, corner_count;
} vtk_walls;

static void vtk_walls_free(vtk_walls *walls)
{
    free(walls->points);
    free(walls->force);
    free(walls->corner);
    free(walls->end);
    free(walls->wall);
}

static bool vtk_reserve_walls(vtk_walls *all, const tw_wall_surface *s, size_t count)
{
    size_t points = 0, facets = 0, corners = 0;
    for (size_t k = 0; k < count; k++) {
        points += s[k].vertex_count;
        facets += s[k].facet_count;
        corners += s[k].facet_count > 0 ? s[k].end[s[k].facet_count - 1] : 0; /* absent: none */
    }
    all->points = frame_array(points, sizeof *all->points);
    all->force = frame_array(facets, sizeof *all->force);
    all->wall = frame_array(facets, sizeof *all->wall);
    all->end = frame_array(facets, sizeof *all->end);
    all->corner = frame_array(corners, sizeof *all->corner);
    return all->points && all->force && all->wall && all->end && all->corner;
}

static void vtk_add_wall(vtk_walls *all, const tw_wall_surface *s, size_t wall)
{
    const size_t points = all->point_count, facets = all->facet_count, corners = all->corner_count;
    if (s->facet_count == 0) return;
    const size_t more = s->end[s->facet_count - 1];
    memcpy(all->points + points, s->vertex, s->vertex_count * sizeof *s->vertex);
    memcpy(all->force + facets, s->force, s->facet_count * sizeof *s->force);
    for (size_t k = 0; k < more; k++)
        all->corner[corners + k] = (int64_t)(points + s->corner[k]);
    for (size_t k = 0; k < s->facet_count; k++) {
        all->end[facets + k] = (int64_t)(corners + s->end[k]);
        all->wall[facets + k] = (uint32_t)wall;
    }
    all->point_count += s->vertex_count;
    all->facet_count += s->facet_count;
    all->corner_count += more;
}

static tw_status vtk_gather_walls(vtk_walls *all, const tw_sim *sim, tw_error *error)
{
    const size_t count = tw_sim_wall_count(sim);
    tw_wall_surface *surfaces = frame_array(count, sizeof *surfaces);
    if (!surfaces) return tw_error_set_memory(error);
    tw_status status = TW_STATUS_OK;
    for (size_t k = 0; k < count && status == TW_STATUS_OK; k++)
        status = tw_sim_get_wall_surface(sim, k, NULL, &surfaces[k], error);
    if (status == TW_STATUS_OK && !vtk_reserve_walls(all, surfaces, count))
        status = tw_error_set_memory(error);
    for (size_t k = 0; k < count; k++) {
        if (status == TW_STATUS_OK) vtk_add_wall(all, &surfaces[k], k);
        tw_wall_surface_free(&surfaces[k]);
    }
    free(surfaces);
    return status;
}

static void vtk_print_walls(tw_outfile *out, double time, const vtk_walls *w)
{
    const size_t n = w->facet_count;
    const vtk_array data[] = {{"wall", vtk_id, 1, n, w->wall, sizeof *w->wall, 0, 0},
                              {"force", VTK_FLOAT64, 3, n, w->force, sizeof *w->force, 0, 0}};
    const vtk_array points[] = {
        {"position", VTK_FLOAT64, 3, w->point_count, w->points, sizeof *w->points, 0, 0}};
    const vtk_array cells[] = {
        {"connectivity", VTK_INT64, 1, w->corner_count, w->corner, sizeof *w->corner, 0, 0},
        {"offsets", VTK_INT64, 1, n, w->end, sizeof *w->end, 0, 0}};
    const vtk_group groups[] = {{"CellData", data, 2}, {"Points", points, 1}, {"Polys", cells, 2}};
    char piece[192];
    snprintf(piece, sizeof piece,
             "NumberOfPoints=\"%zu\" NumberOfVerts=\"0\" NumberOfLines=\"0\" "
             "NumberOfStrips=\"0\" NumberOfPolys=\"%zu\"",
             w->point_count, n);
    vtk_print(out, "PolyData", "", piece, time, groups, 3);
}

/* A comment behind the end of an XML document; none if it is "". */
static void vtk_print_comment(tw_outfile *out, const char *comment)
{
    if (*comment) tw_outfile_print(out, "<!-- %s -->\n", comment);
}

static tw_status vtk_write_part(int part, const char *path, const tw_sim *sim,
                                const tw_frame *frame, const vtk_contacts *extra,
                                const vtk_walls *walls, const char *comment, tw_error *error)
{
    tw_outfile out;
    const tw_status status = tw_outfile_open(&out, path, error);
    if (status != TW_STATUS_OK) return status;
    if (part == 0)
        vtk_print_spheres(&out, sim, frame);
    else if (part == 1)
        vtk_print_contacts(&out, sim, frame, extra);
    else if (part == VTK_WALLS)
        vtk_print_walls(&out, tw_sim_time(sim), walls);
    else
        vtk_print_cell(&out, sim);
    vtk_print_comment(&out, comment);
    return tw_outfile_finish(&out, error);
}

static bool find_path(tw_folder_path *path, const char *folder, const char *name, tw_error *error)
{
    *path = tw_folder_path_join(folder, name);
    if (*path->text) return true;
    tw_error_set(error, TW_STATUS_FILE, "cannot write in %s: the path is too long",
                 tw_error_shorten_path(folder).text);
    return false;
}

/* tw_export_vtk with a comment at the end of each file; "" for none. */
static tw_status export_vtk_with(const tw_sim *sim, const char *directory, const char *name,
                                 uint64_t frame, const char *comment, tw_error *error)
{
    assert(sim && directory && name);
    tw_error_clear(error);
    if (!vtk_check_name(name, error)) return TW_STATUS_INPUT;
    tw_frame taken;
    tw_status status = tw_frame_take(&taken, sim, error);
    if (status != TW_STATUS_OK) return status;
    vtk_contacts extra = {NULL, NULL, {NULL}};
    vtk_walls walls = {.point_count = 0};
    if (!vtk_measure_contacts(&extra, sim, &taken)) status = tw_error_set_memory(error);
    if (status == TW_STATUS_OK) status = vtk_read_parts(&extra, sim, taken.contact_count, error);
    if (status == TW_STATUS_OK) status = vtk_gather_walls(&walls, sim, error);
    for (int part = 0; part < vtk_parts_of(sim) && status == TW_STATUS_OK; part++) {
        char file[NAME_MAX + 1];
        tw_folder_path path;
        vtk_file_name(file, sizeof file, name, part, frame);
        status = find_path(&path, directory, file, error)
                     ? vtk_write_part(part, path.text, sim, &taken, &extra, &walls, comment, error)
                     : TW_STATUS_FILE;
    }
    vtk_walls_free(&walls);
    vtk_contacts_free(&extra);
    tw_frame_free(&taken);
    return status;
}

tw_status tw_export_vtk(const tw_sim *sim, const char *directory, const char *name, uint64_t frame,
                        tw_error *error)
{
    assert(sim && directory && name);
    return export_vtk_with(sim, directory, name, frame, "", error);
}

/* Corners of the cells around the points. */
static tw_vec3 *grid_corners(const tw_sim *sim, const tw_sim_field_grid *grid)
{
    const tw_mat3 h = tw_sim_cell(sim);
    const size_t n[] = {grid->count[0] + 1, grid->count[1] + 1, grid->count[2] + 1};
    tw_vec3 *corners = malloc(n[0] * n[1] * n[2] * sizeof *corners);
    for (size_t i = 0; corners && i < n[0] * n[1] * n[2]; i++) {
        const size_t at[] = {i % n[0], i / n[0] % n[1], i / n[0] / n[1]};
        corners[i] = tw_vec3_make(0.0, 0.0, 0.0);
        for (int k = 0; k < 3; k++) {
            const double s = grid->at[k] + ((double)at[k] - 0.5) / (double)grid->count[k];
            corners[i] =
                tw_vec3_add_scaled(corners[i], s, tw_vec3_make(h.m[k], h.m[3 + k], h.m[6 + k]));
        }
    }
    return corners;
}

tw_status tw_export_fields(const tw_sim *sim, const tw_sim_field_grid *grid,
                           const tw_sim_field *fields, size_t count, const char *path,
                           tw_error *error)
{
    assert(sim && grid && (fields || count == 0) && path);
    tw_outfile out;
    tw_error_clear(error);
    const size_t *c = grid->count, n = c[0] * c[1] * c[2], stride = sizeof *fields;
    bool moved = false;
    if (count < n) return tw_error_set_count(error, "fields", n, count);
    for (size_t i = 0; i < n; i++)
        moved = moved || fields[i].shear_strain == fields[i].shear_strain;
    const vtk_array data[] = {
        {"grains", VTK_FLOAT64, 1, n, &fields->grains, stride, 0, 0},
        {"porosity", VTK_FLOAT64, 1, n, &fields->porosity, stride, 0, 0},
        {"stress", VTK_FLOAT64, 9, n, &fields->stress, stride, 0, 0},
        {"p", VTK_FLOAT64, 1, n, &fields->p, stride, 0, 0},
        {"q", VTK_FLOAT64, 1, n, &fields->q, stride, 0, 0},
        {"strain", VTK_FLOAT64, 9, n, &fields->strain, stride, 0, 0},
        {"volumetric_strain", VTK_FLOAT64, 1, n, &fields->volumetric_strain, stride, 0, 0},
        {"shear_strain", VTK_FLOAT64, 1, n, &fields->shear_strain, stride, 0, 0},
        {"rotation", VTK_FLOAT64, 3, n, &fields->rotation, stride, 0, 0},
    };
    const size_t all = sizeof data / sizeof data[0];
    tw_vec3 *corners = grid_corners(sim, grid);
    if (!corners) return tw_error_set_memory(error);
    const vtk_array points[] = {{"position", VTK_FLOAT64, 3, (c[0] + 1) * (c[1] + 1) * (c[2] + 1),
                                 corners, sizeof *corners, 0, 0}};
    const vtk_group groups[] = {{"CellData", data, moved ? all : all - 4}, {"Points", points, 1}};
    char piece[96], whole[112];
    snprintf(piece, sizeof piece, "Extent=\"0 %zu 0 %zu 0 %zu\"", c[0], c[1], c[2]);
    snprintf(whole, sizeof whole, " Whole%s", piece);
    tw_status status = tw_outfile_open(&out, path, error);
    if (status == TW_STATUS_OK) {
        vtk_print(&out, "StructuredGrid", whole, piece, tw_sim_time(sim), groups, 2);
        status = tw_outfile_finish(&out, error);
    }
    free(corners);
    return status;
}

struct tw_export_series {
    char *directory, *name;
    double *times; /* of the frames */
    size_t count, capacity;
    int parts; /* of a frame */
    char comment[201];
};

tw_export_series *tw_export_series_open(const char *directory, const char *name, tw_error *error)
{
    assert(directory && name);
    tw_error_clear(error);
    if (!vtk_check_name(name, error)) return NULL;
    if (tw_folder_make(directory, error) != TW_STATUS_OK) return NULL;
    tw_export_series *series = calloc(1, sizeof *series);
    if (series) {
        series->parts = VTK_WALLS;
        series->directory = strdup(directory);
        series->name = strdup(name);
        if (series->directory && series->name) return series;
    }
    tw_export_series_close(series);
    tw_error_set_memory(error);
    return NULL;
}

void tw_export_series_close(tw_export_series *series)
{
    if (!series) return;
    free(series->directory);
    free(series->name);
    free(series->times);
    free(series);
}

tw_status tw_export_series_set_comment(tw_export_series *series, const char *comment,
                                       tw_error *error)
{
    assert(series && comment);
    tw_error_clear(error);
    if (strlen(comment) >= sizeof series->comment || strstr(comment, "--") || strchr(comment, '\n'))
        return tw_error_set(error, TW_STATUS_INPUT,
                            "the comment of a series is one line of at most %zu bytes without "
                            "'--'",
                            sizeof series->comment - 1);
    strcpy(series->comment, comment);
    return TW_STATUS_OK;
}

static bool series_remember(tw_export_series *series, double time)
{
    if (tw_buffer_reserve(&series->times, &series->capacity, series->count + 1,
                          sizeof *series->times) != TW_STATUS_OK)
        return false;
    series->times[series->count++] = time;
    return true;
}

void tw_export_series_file_name(const tw_export_series *series, int part, uint64_t frame,
                                char *name, size_t size)
{
    if (frame == TW_EXPORT_SERIES_LIST)
        snprintf(name, size, "%s_%s.pvd", series->name, vtk_parts[part]);
    else
        vtk_file_name(name, size, series->name, part, frame);
}

size_t tw_export_series_frame_count(const tw_export_series *series)
{
    return series->count;
}

int tw_export_series_part_count(const tw_export_series *series)
{
    return series->parts;
}

/* Rewritten with every frame: nothing can be appended to XML. */
static tw_status series_write_list(const tw_export_series *series, int part, tw_error *error)
{
    char file[NAME_MAX + 1];
    tw_folder_path path;
    tw_export_series_file_name(series, part, TW_EXPORT_SERIES_LIST, file, sizeof file);
    if (!find_path(&path, series->directory, file, error)) return TW_STATUS_FILE;
    tw_outfile out;
    const tw_status status = tw_outfile_open(&out, path.text, error);
    if (status != TW_STATUS_OK) return status;
    tw_outfile_print(&out,
                     "<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"1.0\" "
                     "byte_order=\"%s\">\n  <Collection>\n",
                     vtk_byte_order());
    for (size_t i = 0; i < series->count; i++) {
        vtk_file_name(file, sizeof file, series->name, part, i);
        tw_outfile_print(&out, "    <DataSet timestep=\"%.17g\" part=\"0\" file=\"",
                         series->times[i]);
        tw_outfile_print_xml(&out, file);
        tw_outfile_print(&out, "\"/>\n");
    }
    tw_outfile_print(&out, "  </Collection>\n</VTKFile>\n");
    vtk_print_comment(&out, series->comment);
    return tw_outfile_finish(&out, error);
}

static tw_status series_write_lists(const tw_export_series *series, tw_error *error)
{
    tw_status status = TW_STATUS_OK;
    for (int part = 0; part < series->parts && status == TW_STATUS_OK; part++)
        status = series_write_list(series, part, error);
    return status;
}

tw_status tw_export_series_add(tw_export_series *series, const tw_sim *sim, tw_error *error)
{
    assert(series && sim);
    return tw_export_series_add_at(series, sim, tw_sim_time(sim), error);
}

tw_status tw_export_series_add_at(tw_export_series *series, const tw_sim *sim, double time,
                                  tw_error *error)
{
    assert(series && sim);
    const tw_status status = export_vtk_with(sim, series->directory, series->name, series->count,
                                             series->comment, error);
    if (status != TW_STATUS_OK) return status;
    if (!series_remember(series, time)) return tw_error_set_memory(error);
    series->parts = vtk_parts_of(sim);
    return series_write_lists(series, error);
}

tw_status tw_export_series_restore(tw_export_series *series, const double *times, size_t count,
                                   tw_error *error)
{
    assert(series && (times || count == 0));
    tw_error_clear(error);
    series->count = 0;
    for (size_t i = 0; i < count; i++)
        if (!series_remember(series, times[i])) return tw_error_set_memory(error);
    char walls[NAME_MAX + 1];
    vtk_file_name(walls, sizeof walls, series->name, VTK_WALLS, 0);
    const bool there =
        access(tw_folder_path_join(series->directory, walls).text, F_OK) == 0 && count > 0;
    series->parts = there ? VTK_PARTS : VTK_WALLS;
    return series_write_lists(series, error);
}
