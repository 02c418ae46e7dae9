/* SPDX-License-Identifier: BSD-3-Clause */
#include "exchange/specimen.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <twirl/exchange.h>

#include "base/error.h"
#include "base/file.h"
#include "base/mat3.h"
#include "base/memory.h"
#include "base/quat.h"
#include "base/text_file.h"

void tw_specimen_free(tw_specimen *specimen)
{
    if (!specimen) return;
    for (size_t i = 0; i < specimen->shape_count; i++)
        free(specimen->shapes[i].spheres);
    free(specimen->shapes);
    free(specimen->bodies);
    free(specimen->mass);
    free(specimen->laws);
    free(specimen->results);
    free(specimen);
}

/* Makes room for one more. The count that a file states is never trusted: memory grows with the
 * rows that are there. */
static bool grow(tw_specimen_reader *reader, void *array, size_t *capacity, size_t count,
                 size_t size)
{
    if (tw_buffer_reserve(array, capacity, count + 1, size) == TW_STATUS_OK) return true;
    reader->lines.status = tw_error_set_memory(reader->lines.error);
    return false;
}

tw_body_def *tw_specimen_add_body(tw_specimen_reader *reader)
{
    tw_specimen *s = reader->specimen;
    if (!grow(reader, &s->bodies, &reader->body_capacity, s->body_count, sizeof *s->bodies))
        return NULL;
    s->bodies[s->body_count] = tw_body_def_default();
    return &s->bodies[s->body_count++];
}

tw_specimen_shape *tw_specimen_add_shape(tw_specimen_reader *reader)
{
    tw_specimen *s = reader->specimen;
    if (!grow(reader, &s->shapes, &reader->shape_capacity, s->shape_count, sizeof *s->shapes))
        return NULL;
    s->shapes[s->shape_count] = (tw_specimen_shape){0};
    return &s->shapes[s->shape_count++];
}

tw_body_def *tw_specimen_add_spheres(tw_specimen_reader *reader, const void *rows, size_t count,
                                     size_t stride)
{
    const char *row = rows;
    const tw_sphere first = *(const tw_sphere *)rows;
    tw_body_def *body = tw_specimen_add_body(reader);
    if (!body) return NULL;
    body->x = first.centre;
    body->size = first.radius;
    if (count == 1) return body;
    tw_specimen_shape *shape = tw_specimen_add_shape(reader);
    if (shape) shape->spheres = malloc(count * sizeof *shape->spheres);
    if (!shape || !shape->spheres) {
        reader->lines.status = tw_error_set_memory(reader->lines.error);
        return NULL;
    }
    body->shape = (uint32_t)reader->specimen->shape_count;
    body->size = ldexp(1.0, ilogb(first.radius));
    shape->count = count;
    for (size_t i = 0; i < count; i++, row += stride) {
        const tw_sphere *s = (const tw_sphere *)(const void *)row;
        const tw_vec3 arm = tw_vec3_sub(s->centre, first.centre);
        shape->spheres[i].centre =
            tw_vec3_make(arm.x / body->size, arm.y / body->size, arm.z / body->size);
        shape->spheres[i].radius = s->radius / body->size;
    }
    return body;
}

bool tw_specimen_check_type(tw_lines *lines, const char *column, double value)
{
    if (tw_lines_is_integer(value, 1.0) && value <= INT32_MAX) return true;
    return tw_lines_refuse(lines, "column '%s': expected a whole number from 1 to %d, found %.17g",
                           column, (int)INT32_MAX, value);
}

size_t tw_specimen_spheres(const tw_specimen *specimen)
{
    size_t count = 0;
    for (size_t i = 0; i < specimen->body_count; i++) {
        const uint32_t number = specimen->bodies[i].shape;
        const tw_specimen_shape *shape = number > 0 ? &specimen->shapes[number - 1] : NULL;
        count += !shape ? 1 : shape->satellites > 0 ? (size_t)shape->satellites + 1 : shape->count;
    }
    return count;
}

static tw_exchange_kind exchange_unknown(const char *path, const char *found, tw_error *error)
{
    tw_error_set(
        error, TW_STATUS_INPUT,
        "%s: %s; expected a D-file (first line 4 or 7), a CSV of spheres (first line "
        "x,y,z,radius or a # comment), spheres of YADE (x y z r in each line), a data file "
        "or dump of LAMMPS, or a checkpoint (HDF5)",
        tw_error_shorten_path(path).text, found);
    return TW_EXCHANGE_UNKNOWN;
}

/* The first line of a data file may be anything; a later one states the number of atoms. */
static bool exchange_is_data(const char *path)
{
    enum { HEAD = 40 };
    tw_lines lines;
    if (!tw_lines_open(&lines, path, NULL)) return false;
    bool found = false;
    for (int i = 0; i < HEAD && !found && tw_lines_next_filled(&lines); i++) {
        char *fields[2];
        double number;
        lines.text[strcspn(lines.text, "#")] = '\0';
        found = lines.number > 1 && tw_lines_split_blanks(lines.text, fields, 2) == 2 &&
                strcmp(fields[1], "atoms") == 0 && !tw_lines_number(fields[0], &number);
    }
    tw_lines_close(&lines);
    return found;
}

/* Whether the line begins as one of YADE's: four numbers, or x y z r, separated by blanks. */
static bool exchange_is_xyzr(const char *line)
{
    char copy[TW_LINES_LENGTH_MAX + 1], *fields[4];
    static const char *const names[4] = {"x", "y", "z", "r"};
    bool numbers = true, named = true;
    snprintf(copy, sizeof copy, "%s", line);
    if (strchr(copy, ',') || tw_lines_split_blanks(copy, fields, 4) < 4) return false;
    for (int k = 0; k < 4; k++) {
        double number;
        named = named && strcmp(fields[k], names[k]) == 0;
        numbers = numbers && tw_lines_number(fields[k], &number) == NULL;
    }
    return numbers || named;
}

/* A CSV of spheres and a file of YADE may begin with comments. */
static tw_exchange_kind exchange_after_comments(tw_lines *lines)
{
    while (lines->text[strspn(lines->text, " \t")] == '#')
        if (!tw_lines_next_filled(lines)) return TW_EXCHANGE_CSV;
    return exchange_is_xyzr(lines->text) ? TW_EXCHANGE_XYZR : TW_EXCHANGE_CSV;
}

/* A comment or a comma makes it a CSV, four numbers a file of YADE, a single one a D-file. Whatever
 * else may be wrong is left to the reader, which has the better message. */
static tw_exchange_kind exchange_judge(tw_lines *lines, tw_error *error)
{
    if (!tw_lines_next_filled(lines)) {
        if (lines->status == TW_STATUS_FILE) return TW_EXCHANGE_UNKNOWN;
        const bool empty = lines->status == TW_STATUS_OK;
        return exchange_unknown(lines->path, empty ? "the file is empty" : "not a text file",
                                error);
    }
    const tw_text_quotation shown = tw_text_quote(lines->text, strlen(lines->text));
    if (strncmp(lines->text, "ITEM:", 5) == 0) return TW_EXCHANGE_LAMMPS_DUMP;
    if (exchange_is_data(lines->path)) return TW_EXCHANGE_LAMMPS_DATA;
    if (lines->text[strspn(lines->text, " \t")] == '#') return exchange_after_comments(lines);
    if (strchr(lines->text, ',')) return TW_EXCHANGE_CSV;
    if (exchange_is_xyzr(lines->text)) return TW_EXCHANGE_XYZR;
    char *field;
    double number;
    if (tw_lines_split_blanks(lines->text, &field, 1) == 1 && !tw_lines_number(field, &number))
        return TW_EXCHANGE_DFILE;
    char text[300];
    snprintf(text, sizeof text, "the first line is %s", shown.text);
    return exchange_unknown(lines->path, text, error);
}

/* A checkpoint begins with a label. Other HDF5 files are left to tw_sim_load, which has the better
 * message. */
static bool exchange_is_checkpoint(const char *path)
{
    static const char label[] = "twirl checkpoint ";
    static const unsigned char hdf5[8] = {0x89, 'H', 'D', 'F', '\r', '\n', 0x1A, '\n'};
    char first[sizeof label] = "";
    FILE *file = tw_read_file_stream(path);
    if (!file) return false;
    const size_t got = fread(first, 1, sizeof label - 1, file);
    (void)fclose(file);
    return strcmp(first, label) == 0 ||
           (got >= sizeof hdf5 && memcmp(first, hdf5, sizeof hdf5) == 0);
}

tw_exchange_kind tw_exchange_recognise(const char *path, tw_error *error)
{
    tw_error_clear(error);
    if (exchange_is_checkpoint(path)) return TW_EXCHANGE_CHECKPOINT;
    tw_lines lines;
    if (!tw_lines_open(&lines, path, error)) return TW_EXCHANGE_UNKNOWN;
    const tw_exchange_kind kind = exchange_judge(&lines, error);
    tw_lines_close(&lines);
    return kind;
}

tw_specimen *tw_specimen_read(const char *path, tw_error *error)
{
    static tw_specimen *(*const readers[])(const char *path, tw_error *error) = {
        [TW_EXCHANGE_UNKNOWN] = NULL,
        [TW_EXCHANGE_DFILE] = tw_specimen_read_dfile,
        [TW_EXCHANGE_CSV] = tw_specimen_read_csv,
        [TW_EXCHANGE_CHECKPOINT] = NULL,
        [TW_EXCHANGE_LAMMPS_DATA] = tw_specimen_read_lammps_data,
        [TW_EXCHANGE_LAMMPS_DUMP] = tw_specimen_read_lammps_dump,
        [TW_EXCHANGE_XYZR] = tw_specimen_read_xyzr};
    const tw_exchange_kind kind = tw_exchange_recognise(path, error);
    if (kind == TW_EXCHANGE_CHECKPOINT)
        tw_error_set(error, TW_STATUS_INPUT,
                     "%s: is a checkpoint (HDF5); expected a D-file, a CSV or x_y_z_r file of "
                     "spheres, or a data file or dump of LAMMPS",
                     tw_error_shorten_path(path).text);
    return readers[kind] ? readers[kind](path, error) : NULL;
}

tw_specimen *tw_specimen_reader_run(tw_specimen_reader *reader, const char *path,
                                    bool (*read)(tw_specimen_reader *reader), tw_error *error)
{
    tw_error_clear(error);
    reader->specimen = calloc(1, sizeof *reader->specimen);
    if (!reader->specimen) {
        tw_error_set_memory(error);
        return NULL;
    }
    const bool opened = tw_lines_open(&reader->lines, path, error);
    const bool done = opened && read(reader);
    if (opened) tw_lines_close(&reader->lines);
    if (done) return reader->specimen;
    tw_specimen_free(reader->specimen);
    return NULL;
}

/* From the types of a file with laws to the materials of a simulation. */

static tw_contact_law law_of(const tw_specimen *specimen, const tw_sim_def *def, uint32_t a,
                             uint32_t b)
{
    tw_contact_law law = specimen->laws[(size_t)a * specimen->types + b];
    law.kind = def->law.kind;
    law.refine = def->law.refine;
    return law;
}

/* Whether two types have the same laws with all others, and so are of one material. Laws come from
 * a calloc and have no padding. */
static bool are_alike(const tw_specimen *specimen, uint32_t a, uint32_t b)
{
    const size_t n = specimen->types;
    return memcmp(&specimen->laws[a * n], &specimen->laws[b * n], n * sizeof *specimen->laws) == 0;
}

/* Fills the material of each type and the first type of each material; returns the number of
 * materials. */
static uint32_t classify(const tw_specimen *specimen, uint32_t *material, uint32_t *first)
{
    uint32_t count = 0;
    for (uint32_t a = 0; a < specimen->types; a++) {
        uint32_t k = 0;
        while (k < count && !are_alike(specimen, a, first[k]))
            k++;
        if (k == count) first[count++] = a;
        material[a] = k;
    }
    return count;
}

static bool add_materials(const tw_specimen *specimen, const tw_sim_def *def, tw_sim *sim,
                          const uint32_t *first, uint32_t count, tw_error *error)
{
    for (uint32_t k = 1; k < count; k++) {
        char name[32];
        snprintf(name, sizeof name, "type%lu", (unsigned long)first[k] + 1);
        if (tw_sim_add_material(sim, name, def->density, NULL, error) != TW_STATUS_OK) return false;
    }
    tw_contact_law *laws = malloc((size_t)count * count * sizeof *laws);
    if (!laws) {
        tw_error_set_memory(error);
        return false;
    }
    for (uint32_t a = 0; a < count; a++)
        for (uint32_t b = 0; b < count; b++)
            laws[(size_t)a * count + b] = law_of(specimen, def, first[a], first[b]);
    const tw_status status = tw_sim_set_laws(sim, laws, error);
    free(laws);
    return status == TW_STATUS_OK;
}

/* Adds materials and laws; returns the material of each type, [type - 1], to be freed, or NULL with
 * an error. The simulation has material 0 alone, with the law of the first type. */
static uint32_t *materials_add(const tw_specimen *specimen, const tw_sim_def *def, tw_sim *sim,
                               tw_error *error)
{
    uint32_t *material = calloc(specimen->types, sizeof *material);
    uint32_t *first = calloc(specimen->types, sizeof *first);
    bool added = material && first;
    if (!added) tw_error_set_memory(error);
    if (added)
        added =
            add_materials(specimen, def, sim, first, classify(specimen, material, first), error);
    free(first);
    if (added) return material;
    free(material);
    return NULL;
}

/* From a specimen to a simulation. */

static bool build_shapes(tw_sim *sim, const tw_specimen *specimen, tw_error *error)
{
    for (size_t i = 0; i < specimen->shape_count; i++) {
        const tw_specimen_shape *s = &specimen->shapes[i];
        const tw_status status =
            s->satellites > 0 ? tw_sim_add_shape_bumpy(sim, s->satellites, s->satellite_radius,
                                                       s->central_radius, s->distance, NULL, error)
                              : tw_sim_add_shape(sim, s->spheres, s->count, NULL, error);
        if (status != TW_STATUS_OK) return false;
    }
    return true;
}

/* Finds the centre of mass of each shape in its own frame: adds one body of each, of size 1 and not
 * rotated, to a scratch simulation, and compares sphere 0 there with sphere 0 as given. This layer
 * has no other access to the volumes of unions of spheres. */
static bool build_measure(tw_sim *scratch, const tw_specimen *specimen, tw_vec3 *centres,
                          tw_error *error)
{
    if (!build_shapes(scratch, specimen, error)) return false;
    for (size_t i = 0; i < specimen->shape_count; i++) {
        tw_body_def body = tw_body_def_default();
        body.shape = (uint32_t)(i + 1);
        body.size = 1.0;
        if (tw_sim_add_body(scratch, &body, NULL, error) != TW_STATUS_OK) return false;
    }
    const size_t count = tw_sim_spheres(scratch);
    tw_sphere_state *spheres = malloc(count * sizeof *spheres);
    if (!spheres) {
        tw_error_set_memory(error);
        return false;
    }
    tw_sim_get_spheres(scratch, spheres);
    for (size_t i = 0; i < count; i++) {
        const tw_sphere_state *s = &spheres[i];
        const tw_specimen_shape *shape = &specimen->shapes[s->body];
        if (s->member != 0 || shape->satellites > 0) continue; /* bumpy grains are symmetric */
        centres[s->body] = tw_vec3_sub(shape->spheres[0].centre, s->x);
    }
    free(spheres);
    return true;
}

/* The centres of mass of the shapes in their frames; NULL on failure. */
static tw_vec3 *build_centres(const tw_specimen *specimen, const tw_sim_def *def, tw_error *error)
{
    tw_vec3 *centres = calloc(specimen->shape_count + 1, sizeof *centres);
    if (!centres) tw_error_set_memory(error);
    bool clusters = false;
    for (size_t i = 0; i < specimen->shape_count; i++)
        clusters = clusters || specimen->shapes[i].satellites == 0;
    if (!centres || !clusters) return centres;
    tw_sim_def measuring = *def;
    measuring.cell = tw_mat3_identity();
    for (int k = 0; k < 3; k++)
        measuring.periodic[k] = 0;
    tw_sim *scratch = tw_sim_create(&measuring, error);
    const bool measured = scratch && build_measure(scratch, specimen, centres, error);
    tw_sim_free(scratch);
    if (measured) return centres;
    free(centres);
    return NULL;
}

/* `material` is that of each type, or NULL: as the bodies have it. */
static bool build_bodies(tw_sim *sim, const tw_specimen *specimen, const tw_vec3 *centres,
                         const uint32_t *material, tw_error *error)
{
    for (size_t i = 0; i < specimen->body_count; i++) {
        tw_body_def body = specimen->bodies[i];
        body.half_step = 1; /* as tw_frame_take reports them */
        if (material && body.type <= specimen->types) body.material = material[body.type - 1];
        if (body.shape > 0 && body.shape <= specimen->shape_count) {
            const tw_vec3 arm = tw_quat_rotate(body.q, centres[body.shape - 1]);
            body.x = tw_vec3_add_scaled(body.x, body.size, arm);
            body.v = tw_vec3_add_scaled(body.v, body.size, tw_vec3_cross(body.w, arm));
        }
        if (tw_sim_add_body(sim, &body, NULL, error) != TW_STATUS_OK) return false;
    }
    return true;
}

static bool build_all(tw_sim *sim, const tw_specimen *specimen, const uint32_t *material,
                      tw_error *error)
{
    const tw_sim_def def = tw_sim_definition(sim);
    tw_vec3 *centres = build_centres(specimen, &def, error);
    const bool built = centres && build_shapes(sim, specimen, error) &&
                       build_bodies(sim, specimen, centres, material, error);
    free(centres);
    return built;
}

tw_status tw_specimen_add(const tw_specimen *specimen, tw_sim *sim, tw_error *error)
{
    tw_error own;
    tw_error *where = error ? error : &own;
    tw_error_clear(where);
    return build_all(sim, specimen, NULL, where) ? TW_STATUS_OK : where->status;
}

tw_sim *tw_specimen_build(const tw_specimen *specimen, const tw_sim_def *def, tw_error *error)
{
    tw_error_clear(error);
    tw_sim_def wanted = *def;
    wanted.cell = specimen->cell;
    for (int k = 0; k < 3; k++)
        wanted.periodic[k] = specimen->periodic[k];
    const bool laws = specimen->laws && def->law.kn == 0.0; /* those of the file */
    if (laws) wanted.law = law_of(specimen, def, 0, 0);
    tw_sim *sim = tw_sim_create(&wanted, error);
    uint32_t *material = sim && laws ? materials_add(specimen, def, sim, error) : NULL;
    const bool built = sim && (material || !laws) && build_all(sim, specimen, material, error);
    free(material);
    if (built) return sim;
    tw_sim_free(sim);
    return NULL;
}

/* The engine has one density for all grains. The tolerance is for LAMMPS: in a deforming box, a
 * cluster across a face is off by the strain of a step, because `fix deform` moves the box after
 * the atoms, and so are its volume and density. */
static const double density_slack = 1e-3;

/* Checks that the mass is that of a union of this density; the simulation has density 1. */
static tw_status check_body(const tw_specimen *specimen, const tw_sim *sim, uint32_t i,
                            double density, tw_error *error)
{
    tw_body_state b;
    const tw_status status = tw_sim_body(sim, i, &b, error);
    if (status != TW_STATUS_OK) return status;
    const double own = specimen->mass[i] / b.mass;
    if (!(fabs(own / density - 1.0) <= density_slack))
        return tw_error_set(error, TW_STATUS_INPUT,
                            "body %u has a density of %.9g kg/m^3, the mean is %.9g kg/m^3; all "
                            "grains must have the same density",
                            i, own, density);
    return TW_STATUS_OK;
}

tw_status tw_specimen_density(const tw_specimen *specimen, double *density, tw_error *error)
{
    tw_error_clear(error);
    if (!specimen->mass) return tw_error_set(error, TW_STATUS_INPUT, "the file has no masses");
    tw_sim_def def = tw_sim_def_default();
    def.law.kn = 1.0;
    def.density = 1.0; /* masses are then volumes */
    tw_sim *sim = tw_specimen_build(specimen, &def, error);
    if (!sim) return error ? error->status : TW_STATUS_INPUT;
    double mass = 0.0, volume = 0.0;
    for (uint32_t i = 0; i < specimen->body_count; i++) {
        tw_body_state body;
        tw_sim_body(sim, i, &body, NULL); /* it exists */
        mass += specimen->mass[i];
        volume += body.mass;
    }
    *density = mass / volume;
    tw_status status = TW_STATUS_OK;
    for (uint32_t i = 0; i < specimen->body_count && status == TW_STATUS_OK; i++)
        status = check_body(specimen, sim, i, *density, error);
    tw_sim_free(sim);
    return status;
}
