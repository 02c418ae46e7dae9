/* SPDX-License-Identifier: BSD-3-Clause */
#include "exchange/lammps/atoms.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mat3.h"
#include "base/memory.h"
#include "exchange/lammps/lammps.h"

static const char *const names[TW_ATOMS_COLUMNS] = {
    "id",          "type",        "mol",          "body",      "x",         "y",
    "z",           "xu",          "yu",           "zu",        "xs",        "ys",
    "zs",          "ix",          "iy",           "iz",        "radius",    "diameter",
    "mass",        "density",     "vx",           "vy",        "vz",        "omegax",
    "omegay",      "omegaz",      "coordination", "c_disp[1]", "c_disp[2]", "c_disp[3]",
    "c_stress[1]", "c_stress[2]", "c_stress[3]"};

static tw_vec3 vector_at(const double *v, int first)
{
    return tw_vec3_make(v[first], v[first + 1], v[first + 2]);
}

static bool has3(const tw_atoms *atoms, int first)
{
    return atoms->present[first] && atoms->present[first + 1] && atoms->present[first + 2];
}

/* Whether it is a dump of tw_export_lammps: in one of LAMMPS c_stress would be something else. */
static bool has_results(const tw_atoms *atoms)
{
    return atoms->present[TW_ATOMS_BODY] && atoms->present[TW_ATOMS_CONTACTS] &&
           has3(atoms, TW_ATOMS_DISPLACEMENT) && has3(atoms, TW_ATOMS_STRESS_XX);
}

bool tw_atoms_set_columns(tw_atoms *atoms, char **given, size_t count)
{
    tw_lines *lines = &atoms->reader.lines;
    if (count > TW_ATOMS_FIELDS_MAX)
        return tw_lines_refuse(lines, "%zu columns exceed the limit of %d", count,
                               (int)TW_ATOMS_FIELDS_MAX);
    memset(atoms->present, 0, sizeof atoms->present);
    atoms->fields = count;
    for (size_t i = 0; i < count; i++) {
        int column = TW_ATOMS_COLUMNS - 1;
        while (column >= 0 && strcmp(given[i], names[column]) != 0)
            column--;
        atoms->column_of[i] = column;
        if (column < 0) continue;
        if (atoms->present[column])
            return tw_lines_refuse(lines, "column '%s' appears twice", names[column]);
        atoms->present[column] = true;
    }
    if (!atoms->present[TW_ATOMS_ID]) return tw_lines_refuse(lines, "column 'id' is missing");
    if (!has3(atoms, TW_ATOMS_X) && !has3(atoms, TW_ATOMS_XU) && !has3(atoms, TW_ATOMS_XS))
        return tw_lines_refuse(lines, "no positions; expected columns x y z, xu yu zu or xs ys zs");
    if (!atoms->present[TW_ATOMS_RADIUS] && !atoms->present[TW_ATOMS_DIAMETER])
        return tw_lines_refuse(lines, "no sizes; expected a column radius or diameter");
    return true;
}

/* The position relative to the corner of the box, unwrapped where the file allows it. */
static tw_vec3 position_of(const tw_atoms *atoms, const double *v)
{
    const int first = has3(atoms, TW_ATOMS_XU)  ? TW_ATOMS_XU
                      : has3(atoms, TW_ATOMS_X) ? TW_ATOMS_X
                                                : TW_ATOMS_XS;
    const tw_vec3 given = vector_at(v, first);
    const tw_vec3 x =
        first == TW_ATOMS_XS ? tw_mat3_mul_vec(atoms->h, given) : tw_vec3_sub(given, atoms->origin);
    if (first == TW_ATOMS_XU || !has3(atoms, TW_ATOMS_IX)) return x;
    return tw_vec3_add(x, tw_mat3_mul_vec(atoms->h, vector_at(v, TW_ATOMS_IX)));
}

static bool check_row(tw_atoms *atoms, const double *v)
{
    static const struct {
        int column;
        double least;
        const char *expected;
    } integer[] = {
        {TW_ATOMS_ID, 1.0, "a positive integer"},
        {TW_ATOMS_MOL, 0.0, "a non-negative integer"},
        {TW_ATOMS_BODY, 0.0, "a non-negative integer"},
        {TW_ATOMS_IX, -1e15, "an integer"},
        {TW_ATOMS_IX + 1, -1e15, "an integer"},
        {TW_ATOMS_IX + 2, -1e15, "an integer"},
    };
    tw_lines *lines = &atoms->reader.lines;
    for (size_t i = 0; i < sizeof integer / sizeof integer[0]; i++) {
        const int column = integer[i].column;
        if (atoms->present[column] && !tw_lines_is_integer(v[column], integer[i].least))
            return tw_lines_refuse(lines, "column '%s': expected %s, found %.17g", names[column],
                                   integer[i].expected, v[column]);
    }
    if (atoms->present[TW_ATOMS_TYPE] && !tw_specimen_check_type(lines, "type", v[TW_ATOMS_TYPE]))
        return false;
    static const int positive[] = {TW_ATOMS_RADIUS, TW_ATOMS_DIAMETER, TW_ATOMS_MASS,
                                   TW_ATOMS_DENSITY};
    for (size_t i = 0; i < sizeof positive / sizeof positive[0]; i++) {
        if (atoms->present[positive[i]] && !(v[positive[i]] > 0.0))
            return tw_lines_refuse(lines,
                                   "column '%s': must be positive, found %g; only spheres can be "
                                   "read",
                                   names[positive[i]], v[positive[i]]);
    }
    return true;
}

static bool add_atom(tw_atoms *atoms, const double *v)
{
    if (tw_buffer_reserve(&atoms->atom, &atoms->capacity, atoms->count + 1, sizeof *atoms->atom) !=
        TW_STATUS_OK) {
        atoms->reader.lines.status = tw_error_set_memory(atoms->reader.lines.error);
        return false;
    }
    tw_atoms_atom *a = &atoms->atom[atoms->count++];
    memset(a, 0, sizeof *a);
    a->id = (uint64_t)v[TW_ATOMS_ID];
    a->type = atoms->present[TW_ATOMS_TYPE] ? (uint32_t)v[TW_ATOMS_TYPE] : 1;
    a->mol = atoms->present[TW_ATOMS_MOL]    ? (uint64_t)v[TW_ATOMS_MOL]
             : atoms->present[TW_ATOMS_BODY] ? (uint64_t)v[TW_ATOMS_BODY] + 1
                                             : 0;
    a->sphere.radius =
        atoms->present[TW_ATOMS_RADIUS] ? v[TW_ATOMS_RADIUS] : 0.5 * v[TW_ATOMS_DIAMETER];
    const double r = a->sphere.radius;
    a->sphere.centre = position_of(atoms, v);
    a->mass = atoms->present[TW_ATOMS_MASS] ? v[TW_ATOMS_MASS]
              : atoms->present[TW_ATOMS_DENSITY]
                  ? v[TW_ATOMS_DENSITY] * TW_LAMMPS_FRAME_4PI3 * (r * r * r)
                  : 0.0;
    a->v = vector_at(v, TW_ATOMS_VX);
    a->w = vector_at(v, TW_ATOMS_WX);
    const tw_vec3 stress = vector_at(v, TW_ATOMS_STRESS_XX);
    a->result = (tw_specimen_result){.displacement = vector_at(v, TW_ATOMS_DISPLACEMENT),
                                     .pressure = (stress.x + stress.y + stress.z) / 3.0,
                                     .contacts = v[TW_ATOMS_CONTACTS]};
    a->line = atoms->reader.lines.number;
    return true;
}

bool tw_atoms_read_row(tw_atoms *atoms)
{
    tw_lines *lines = &atoms->reader.lines;
    char *fields[TW_ATOMS_FIELDS_MAX];
    double v[TW_ATOMS_COLUMNS] = {0};
    const size_t found = tw_lines_split_blanks(lines->text, fields, TW_ATOMS_FIELDS_MAX);
    if (found != atoms->fields)
        return tw_lines_refuse(lines, "wrong number of fields: %zu instead of %zu", found,
                               atoms->fields);
    for (size_t i = 0; i < found; i++) {
        const int column = atoms->column_of[i];
        if (column >= 0 && !tw_lines_read_number(lines, names[column], fields[i], &v[column]))
            return false;
    }
    return check_row(atoms, v) && add_atom(atoms, v);
}

static int by_id(const void *left, const void *right)
{
    const tw_atoms_atom *a = left, *b = right;
    return a->id < b->id ? -1 : a->id > b->id;
}

bool tw_atoms_sort(tw_atoms *atoms)
{
    if (atoms->count == 0) return tw_lines_refuse(&atoms->reader.lines, "the file has no atoms");
    qsort(atoms->atom, atoms->count, sizeof *atoms->atom, by_id);
    for (size_t i = 1; i < atoms->count; i++) {
        const tw_atoms_atom *a = &atoms->atom[i];
        if (a->id != a[-1].id) continue;
        const size_t first = a->line < a[-1].line ? a->line : a[-1].line;
        atoms->reader.lines.number = a->line + a[-1].line - first;
        return tw_lines_refuse(&atoms->reader.lines, "id %" PRIu64 " is already used in line %zu",
                               a->id, first);
    }
    return true;
}

bool tw_atoms_read_velocity(tw_atoms *atoms)
{
    tw_lines *lines = &atoms->reader.lines;
    char *fields[7];
    double v[7];
    const size_t found = tw_lines_split_blanks(lines->text, fields, 7);
    if (found != 4 && found != 7)
        return tw_lines_refuse(
            lines, "wrong number of fields: %zu; expected id vx vy vz and, for spheres, wx wy wz",
            found);
    if (!tw_lines_read_numbers(lines, fields, found, v)) return false;
    const tw_atoms_atom key = {.id = tw_lammps_id(v[0])};
    tw_atoms_atom *a = bsearch(&key, atoms->atom, atoms->count, sizeof *atoms->atom, by_id);
    if (!a) return tw_lines_refuse(lines, "no atom has the id %.17g", v[0]);
    if (a->moves) return tw_lines_refuse(lines, "the velocity of atom %.17g is given twice", v[0]);
    a->moves = true;
    a->v = tw_vec3_make(v[1], v[2], v[3]);
    if (found == 7) a->w = tw_vec3_make(v[4], v[5], v[6]);
    atoms->present[TW_ATOMS_VX] = true;
    if (found == 7) atoms->present[TW_ATOMS_WX] = true;
    return true;
}

static int by_molecule(const void *left, const void *right)
{
    const tw_atoms_atom *a = left, *b = right;
    if (a->mol != b->mol) return a->mol < b->mol ? -1 : 1;
    return by_id(left, right);
}

/* The image of b nearest to a, for files without image flags. Edge by edge, the last first, which
 * is right for boxes in LAMMPS' frame and bodies smaller than half the box. */
static tw_vec3 nearest_image(const tw_atoms *atoms, tw_vec3 a, tw_vec3 b)
{
    const double *h = atoms->h.m;
    tw_vec3 d = tw_vec3_sub(b, a);
    for (ptrdiff_t k = 2; k >= 0; k--) {
        const tw_vec3 edge = {h[k], h[3 + k], h[6 + k]};
        const double part = (k == 0 ? d.x : k == 1 ? d.y : d.z) / h[4 * k];
        if (atoms->reader.specimen->periodic[k]) d = tw_vec3_add_scaled(d, -round(part), edge);
    }
    return tw_vec3_add(a, d);
}

static bool add_body(tw_atoms *atoms, tw_atoms_atom *first, size_t count)
{
    const bool unwrapped = has3(atoms, TW_ATOMS_XU) || has3(atoms, TW_ATOMS_IX);
    const bool restricted = atoms->h.m[3] == 0.0 && atoms->h.m[6] == 0.0 && atoms->h.m[7] == 0.0;
    atoms->reader.lines.number = first->line;
    if (count > 1 && !unwrapped && !restricted && !atoms->present[TW_ATOMS_BODY])
        return tw_lines_refuse(&atoms->reader.lines,
                               "a cluster in a general triclinic box needs columns xu yu zu or ix "
                               "iy iz");
    if (count > 1 && atoms->present[TW_ATOMS_VX] && !atoms->present[TW_ATOMS_WX])
        return tw_lines_refuse(&atoms->reader.lines,
                               "a cluster with velocities needs angular velocities too: omegax "
                               "omegay omegaz, or wx wy wz");
    double mass = 0.0;
    for (size_t i = 0; i < count; i++) {
        mass += first[i].mass;
        if (i > 0 && !unwrapped && !atoms->present[TW_ATOMS_BODY])
            first[i].sphere.centre =
                nearest_image(atoms, first->sphere.centre, first[i].sphere.centre);
    }
    tw_body_def *body = tw_specimen_add_spheres(&atoms->reader, first, count, sizeof *first);
    if (!body) return false;
    body->type = first->type;
    body->v = first->v;
    body->w = first->w;
    const size_t body_at = atoms->reader.specimen->body_count - 1;
    if (atoms->reader.specimen->mass) atoms->reader.specimen->mass[body_at] = mass;
    if (atoms->reader.specimen->results) atoms->reader.specimen->results[body_at] = first->result;
    return true;
}

bool tw_atoms_finish(tw_atoms *atoms)
{
    tw_specimen *specimen = atoms->reader.specimen;
    specimen->cell = atoms->h;
    specimen->cell_given = 1;
    const bool weighed = atoms->present[TW_ATOMS_MASS] || atoms->present[TW_ATOMS_DENSITY];
    if (weighed) specimen->mass = calloc(atoms->count, sizeof *specimen->mass);
    const bool told = has_results(atoms);
    if (told) specimen->results = calloc(atoms->count, sizeof *specimen->results);
    if ((told && !specimen->results) || (weighed && !specimen->mass)) {
        tw_error_set_memory(atoms->reader.lines.error);
        return false;
    }
    qsort(atoms->atom, atoms->count, sizeof *atoms->atom, by_molecule);
    for (size_t i = 0, next; i < atoms->count; i = next) {
        tw_atoms_atom *a = &atoms->atom[i];
        for (next = i + 1; next < atoms->count && a->mol > 0 && atoms->atom[next].mol == a->mol;)
            next++;
        if (!add_body(atoms, a, next - i)) return false;
    }
    return true;
}

tw_specimen *tw_atoms_read(const char *path, bool (*read)(tw_specimen_reader *reader),
                           tw_error *error)
{
    tw_atoms *atoms = calloc(1, sizeof *atoms); /* too large for the stack of a thread */
    if (!atoms) {
        tw_error_set_memory(error);
        return NULL;
    }
    tw_specimen *specimen = tw_specimen_reader_run(&atoms->reader, path, read, error);
    free(atoms->atom);
    free(atoms);
    return specimen;
}
