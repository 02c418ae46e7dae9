/* SPDX-License-Identifier: BSD-3-Clause */
#include "exchange/export_vtk.h"

#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include <twirl/exchange.h>

#include "base/text.h"
#include "exchange/frame.h"
#include "exchange/vtk.h"

const char *const tw_export_vtk_parts[TW_EXPORT_VTK_PARTS] = {"spheres", "contacts", "cell"};
static const char *const vtk_extensions[TW_EXPORT_VTK_PARTS] = {"vtu", "vtp", "vtp"};

enum { VTK_NAME_MAX = 200 }; /* leaves room in NAME_MAX for part, frame and extension */

/* Ids of bodies fit, and TW_NO_BODY becomes -1. */
static const tw_vtk_type vtk_id = TW_VTK_INT32;

void tw_export_vtk_file_name(char *text, size_t size, const char *name, int part, uint64_t frame)
{
    snprintf(text, size, "%s_%s_%06" PRIu64 ".%s", name, tw_export_vtk_parts[part], frame,
             vtk_extensions[part]);
}

bool tw_export_vtk_check_name(const char *name, tw_error *error)
{
    if (*name != '\0' && strlen(name) <= VTK_NAME_MAX && !strchr(name, '/')) return true;
    tw_error_set(error, TW_STATUS_INPUT,
                 "%s cannot be a file prefix; expected 1 to %d bytes without '/'",
                 tw_text_quote(name, strlen(name)).text, (int)VTK_NAME_MAX);
    return false;
}

bool tw_export_vtk_path(char *path, size_t size, const char *directory, const char *file,
                        tw_error *error)
{
    const int used = snprintf(path, size, "%s/%s", directory, file);
    if (used >= 0 && (size_t)used < size) return true;
    tw_error_set(error, TW_STATUS_FILE, "cannot write in %s: the path is too long",
                 tw_error_shorten_path(directory).text);
    return false;
}

static void vtk_print_spheres(tw_outfile *out, const tw_sim *sim, const tw_frame *frame)
{
    const size_t n = frame->sphere_count, stride = sizeof *frame->spheres;
    const tw_frame_sphere *s = frame->spheres;
    const tw_vtk_array data[] = {
        {"radius", TW_VTK_FLOAT64, 1, n, &s->radius, stride, 0, 0},
        {"body", vtk_id, 1, n, &s->body, stride, 0, 0},
        {"member", vtk_id, 1, n, &s->member, stride, 0, 0},
        {"type", vtk_id, 1, n, &s->type, stride, 0, 0},
        {"shape", vtk_id, 1, n, &s->shape, stride, 0, 0},
        {"velocity", TW_VTK_FLOAT64, 3, n, &s->v, stride, 0, 0},
        {"spin", TW_VTK_FLOAT64, 3, n, &s->w, stride, 0, 0},
        {"displacement", TW_VTK_FLOAT64, 3, n, &s->displacement, stride, 0, 0},
        {"stress", TW_VTK_FLOAT64, 9, n, &s->stress, stride, 0, 0},
        {"pressure", TW_VTK_FLOAT64, 1, n, &s->pressure, stride, 0, 0},
        {"coordination", TW_VTK_INT32, 1, n, &s->coordination, stride, 0, 0},
    };
    const tw_vtk_array points[] = {{"position", TW_VTK_FLOAT64, 3, n, &s->x, stride, 0, 0}};
    /* A vertex (type 1) for each point: some filters need cells. */
    const tw_vtk_array cells[] = {
        {"connectivity", TW_VTK_INT64, 1, n, NULL, 0, 0, 1},
        {"offsets", TW_VTK_INT64, 1, n, NULL, 0, 1, 1},
        {"types", TW_VTK_UINT8, 1, n, NULL, 0, 1, 0},
    };
    const tw_vtk_group groups[] = {{"PointData", data, sizeof data / sizeof data[0]},
                                   {"Points", points, 1},
                                   {"Cells", cells, 3}};
    char piece[96];
    snprintf(piece, sizeof piece, "NumberOfPoints=\"%zu\" NumberOfCells=\"%zu\"", n, n);
    tw_vtk_print(out, "UnstructuredGrid", piece, tw_sim_time(sim), groups, 3);
}

/* Lines of two points each; `data` belongs to the lines. */
static void vtk_print_lines(tw_outfile *out, double time, const tw_vec3 *ends, size_t lines,
                            const tw_vtk_array *data, size_t data_count)
{
    const tw_vtk_array points[] = {
        {"position", TW_VTK_FLOAT64, 3, 2 * lines, ends, sizeof *ends, 0, 0}};
    const tw_vtk_array cells[] = {
        {"connectivity", TW_VTK_INT64, 1, 2 * lines, NULL, 0, 0, 1},
        {"offsets", TW_VTK_INT64, 1, lines, NULL, 0, 2, 2},
    };
    const tw_vtk_group groups[] = {
        {"CellData", data, data_count}, {"Points", points, 1}, {"Lines", cells, 2}};
    char piece[192];
    snprintf(piece, sizeof piece,
             "NumberOfPoints=\"%zu\" NumberOfVerts=\"0\" NumberOfLines=\"%zu\" "
             "NumberOfStrips=\"0\" NumberOfPolys=\"0\"",
             2 * lines, lines);
    tw_vtk_print(out, "PolyData", piece, time, groups, 3);
}

/* Columns that tw_contact_state does not have. */
typedef struct vtk_contacts {
    tw_vec3 *ends;
    double *ft_norm;
} vtk_contacts;

static bool vtk_measure_contacts(vtk_contacts *extra, const tw_sim *sim, const tw_frame *frame)
{
    extra->ends = malloc((2 * frame->contact_count + 1) * sizeof *extra->ends);
    extra->ft_norm = malloc((frame->contact_count + 1) * sizeof *extra->ft_norm);
    if (!extra->ends || !extra->ft_norm) return false;
    for (size_t i = 0; i < frame->contact_count; i++) {
        const tw_contact_state *c = &frame->contacts[i];
        tw_body_state body;
        tw_sim_body(sim, c->body_p, &body, NULL); /* it exists */
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
    const tw_vtk_array data[] = {
        {"fn", TW_VTK_FLOAT64, 1, n, &c->fn, stride, 0, 0},
        {"ft", TW_VTK_FLOAT64, 3, n, &c->ft, stride, 0, 0},
        {"ft_norm", TW_VTK_FLOAT64, 1, n, extra->ft_norm, sizeof(double), 0, 0},
        {"force", TW_VTK_FLOAT64, 3, n, &c->force, stride, 0, 0},
        {"zeta", TW_VTK_FLOAT64, 1, n, &c->zeta, stride, 0, 0},
        {"sliding", TW_VTK_INT32, 1, n, &c->sliding, stride, 0, 0},
        {"body_p", vtk_id, 1, n, &c->body_p, stride, 0, 0},
        {"body_q", vtk_id, 1, n, &c->body_q, stride, 0, 0},
    };
    vtk_print_lines(out, tw_sim_time(sim), extra->ends, n, data, sizeof data / sizeof data[0]);
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

void tw_export_vtk_print_comment(tw_outfile *out, const char *comment)
{
    if (*comment) tw_outfile_print(out, "<!-- %s -->\n", comment);
}

static tw_status vtk_write_part(int part, const char *path, const tw_sim *sim,
                                const tw_frame *frame, const vtk_contacts *extra,
                                const char *comment, tw_error *error)
{
    tw_outfile out;
    const tw_status status = tw_outfile_open(&out, path, error);
    if (status != TW_STATUS_OK) return status;
    if (part == 0)
        vtk_print_spheres(&out, sim, frame);
    else if (part == 1)
        vtk_print_contacts(&out, sim, frame, extra);
    else
        vtk_print_cell(&out, sim);
    tw_export_vtk_print_comment(&out, comment);
    return tw_outfile_finish(&out, error);
}

tw_status tw_export_vtk(const tw_sim *sim, const char *directory, const char *name, uint64_t frame,
                        tw_error *error)
{
    return tw_export_vtk_with(sim, directory, name, frame, "", error);
}

tw_status tw_export_vtk_with(const tw_sim *sim, const char *directory, const char *name,
                             uint64_t frame, const char *comment, tw_error *error)
{
    tw_error_clear(error);
    if (!tw_export_vtk_check_name(name, error)) return TW_STATUS_INPUT;
    tw_frame taken;
    tw_status status = tw_frame_take(&taken, sim, error);
    if (status != TW_STATUS_OK) return status;
    vtk_contacts extra = {NULL, NULL};
    if (!vtk_measure_contacts(&extra, sim, &taken)) status = tw_error_set_memory(error);
    for (int part = 0; part < TW_EXPORT_VTK_PARTS && status == TW_STATUS_OK; part++) {
        char file[NAME_MAX + 1], path[PATH_MAX];
        tw_export_vtk_file_name(file, sizeof file, name, part, frame);
        status = tw_export_vtk_path(path, sizeof path, directory, file, error)
                     ? vtk_write_part(part, path, sim, &taken, &extra, comment, error)
                     : TW_STATUS_FILE;
    }
    free(extra.ends);
    free(extra.ft_norm);
    tw_frame_free(&taken);
    return status;
}
