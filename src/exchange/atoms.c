/* SPDX-License-Identifier: BSD-3-Clause */
#include "exchange/atoms.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *const names[TW_ATOMS_COLUMNS] = {
    "id",      "mol", "body", "x",  "y",      "z",      "xu",     "yu",       "zu",
    "xs",      "ys",  "zs",   "ix", "iy",     "iz",     "radius", "diameter", "mass",
    "density", "vx",  "vy",   "vz", "omegax", "omegay", "omegaz"};

static const double whole_max = 9007199254740992.0; /* whole numbers up to here are exact */

static bool has3(const tw_atoms *atoms, int first)
{
    return atoms->present[first] && atoms->present[first + 1] && atoms->present[first + 2];
}

bool tw_atoms_set_columns(tw_atoms *atoms, char **given, size_t count)
{
    tw_lines *lines = &atoms->lines;
    if (count > TW_ATOMS_FIELDS_MAX)
        return tw_lines_refuse(lines, "%zu columns; at most %d are read", count,
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
    if (!atoms->present[TW_ATOMS_ID])
        return tw_lines_refuse(lines, "column 'id' is missing: the number of an atom");
    if (!has3(atoms, TW_ATOMS_X) && !has3(atoms, TW_ATOMS_XU) && !has3(atoms, TW_ATOMS_XS))
        return tw_lines_refuse(lines,
                               "no places: columns x y z, xu yu zu or xs ys zs are expected");
    if (!atoms->present[TW_ATOMS_RADIUS] && !atoms->present[TW_ATOMS_DIAMETER])
        return tw_lines_refuse(lines, "no sizes: a column radius or diameter is expected");
    return true;
}

static tw_vec3 edges(const tw_mat3 *h, const double *n)
{
    const double *m = h->m;
    return tw_vec3_make(m[0] * n[0] + m[1] * n[1] + m[2] * n[2],
                        m[3] * n[0] + m[4] * n[1] + m[5] * n[2],
                        m[6] * n[0] + m[7] * n[1] + m[8] * n[2]);
}

/* Where the atom is, not wrapped where the file can tell; from the corner of the box. */
static tw_vec3 place_of(const tw_atoms *atoms, const double *v)
{
    const int first = has3(atoms, TW_ATOMS_XU)  ? TW_ATOMS_XU
                      : has3(atoms, TW_ATOMS_X) ? TW_ATOMS_X
                                                : TW_ATOMS_XS;
    if (first == TW_ATOMS_XU)
        return tw_vec3_sub(tw_vec3_make(v[first], v[first + 1], v[first + 2]), atoms->origin);
    const tw_vec3 x =
        first == TW_ATOMS_XS
            ? edges(&atoms->h, v + first)
            : tw_vec3_sub(tw_vec3_make(v[first], v[first + 1], v[first + 2]), atoms->origin);
    return has3(atoms, TW_ATOMS_IX) ? tw_vec3_add(x, edges(&atoms->h, v + TW_ATOMS_IX)) : x;
}

static bool check_row(tw_atoms *atoms, const double *v)
{
    static const int whole[] = {TW_ATOMS_ID, TW_ATOMS_MOL, TW_ATOMS_BODY,
                                TW_ATOMS_IX, TW_ATOMS_IY,  TW_ATOMS_IZ};
    tw_lines *lines = &atoms->lines;
    for (size_t i = 0; i < sizeof whole / sizeof whole[0]; i++) {
        const double value = v[whole[i]], least = i == 0 ? 1.0 : i < 3 ? 0.0 : -whole_max;
        if (atoms->present[whole[i]] &&
            !(value >= least && value < whole_max && value == floor(value)))
            return tw_lines_refuse(lines, "column '%s': %.17g; a whole number%s is expected",
                                   names[whole[i]], value,
                                   i == 0  ? " from 1"
                                   : i < 3 ? " from 0"
                                           : "");
    }
    static const int positive[] = {TW_ATOMS_RADIUS, TW_ATOMS_DIAMETER, TW_ATOMS_MASS,
                                   TW_ATOMS_DENSITY};
    for (size_t i = 0; i < sizeof positive / sizeof positive[0]; i++) {
        if (atoms->present[positive[i]] && !(v[positive[i]] > 0.0))
            return tw_lines_refuse(lines,
                                   "column '%s': %g; it must be above 0: only spheres can be read",
                                   names[positive[i]], v[positive[i]]);
    }
    return true;
}

static bool grow(tw_atoms *atoms)
{
    if (atoms->count < atoms->capacity) return true;
    const size_t capacity = atoms->capacity ? 2 * atoms->capacity : 256;
    tw_atom *atom = realloc(atoms->atom, capacity * sizeof *atom);
    if (!atom) {
        atoms->lines.status = tw_fault_memory(atoms->lines.error);
        return false;
    }
    atoms->atom = atom;
    atoms->capacity = capacity;
    return true;
}

static bool add_atom(tw_atoms *atoms, const double *v)
{
    static const double ball = 4.18879020478639098461685784437; /* 4 pi/3 */
    if (!grow(atoms)) return false;
    tw_atom *a = &atoms->atom[atoms->count++];
    memset(a, 0, sizeof *a);
    a->id = v[TW_ATOMS_ID];
    a->mol = atoms->present[TW_ATOMS_MOL]    ? v[TW_ATOMS_MOL]
             : atoms->present[TW_ATOMS_BODY] ? v[TW_ATOMS_BODY] + 1.0
                                             : 0.0;
    a->sphere.radius =
        atoms->present[TW_ATOMS_RADIUS] ? v[TW_ATOMS_RADIUS] : 0.5 * v[TW_ATOMS_DIAMETER];
    const double r = a->sphere.radius;
    a->sphere.centre = place_of(atoms, v);
    a->mass = atoms->present[TW_ATOMS_MASS]      ? v[TW_ATOMS_MASS]
              : atoms->present[TW_ATOMS_DENSITY] ? v[TW_ATOMS_DENSITY] * ball * (r * r * r)
                                                 : 0.0;
    a->v = tw_vec3_make(v[TW_ATOMS_VX], v[TW_ATOMS_VY], v[TW_ATOMS_VZ]);
    a->w = tw_vec3_make(v[TW_ATOMS_WX], v[TW_ATOMS_WY], v[TW_ATOMS_WZ]);
    a->line = atoms->lines.number;
    return true;
}

bool tw_atoms_read_row(tw_atoms *atoms)
{
    tw_lines *lines = &atoms->lines;
    char *fields[TW_ATOMS_FIELDS_MAX];
    double v[TW_ATOMS_COLUMNS] = {0};
    const size_t found = tw_lines_split_blanks(lines->text, fields, TW_ATOMS_FIELDS_MAX);
    if (found != atoms->fields)
        return tw_lines_refuse(lines, "%zu fields of an atom; %zu are expected", found,
                               atoms->fields);
    for (size_t i = 0; i < found; i++) {
        const int column = atoms->column_of[i];
        if (column < 0) continue;
        const char *fault = tw_lines_number(fields[i], &v[column]);
        if (fault)
            return tw_lines_refuse(lines, "column '%s': %s %s", names[column],
                                   tw_fault_quote(fields[i]).text, fault);
    }
    return check_row(atoms, v) && add_atom(atoms, v);
}

static int by_id(const void *left, const void *right)
{
    const tw_atom *a = left, *b = right;
    return a->id < b->id ? -1 : a->id > b->id;
}

bool tw_atoms_sort(tw_atoms *atoms)
{
    if (atoms->count == 0) return tw_lines_refuse(&atoms->lines, "no atoms: nothing to read");
    qsort(atoms->atom, atoms->count, sizeof *atoms->atom, by_id);
    for (size_t i = 1; i < atoms->count; i++) {
        const tw_atom *a = &atoms->atom[i];
        if (a->id != a[-1].id) continue;
        const size_t first = a->line < a[-1].line ? a->line : a[-1].line;
        atoms->lines.number = a->line + a[-1].line - first;
        return tw_lines_refuse(&atoms->lines, "id %.17g is also that of line %zu", a->id, first);
    }
    return true;
}

bool tw_atoms_read_velocity(tw_atoms *atoms)
{
    tw_lines *lines = &atoms->lines;
    char *fields[7];
    double v[7];
    const size_t found = tw_lines_split_blanks(lines->text, fields, 7);
    if (found != 4 && found != 7)
        return tw_lines_refuse(lines,
                               "%zu fields of a velocity; id vx vy vz and, for spheres, wx wy wz "
                               "are expected",
                               found);
    for (size_t i = 0; i < found; i++) {
        const char *fault = tw_lines_number(fields[i], &v[i]);
        if (fault) return tw_lines_refuse(lines, "%s %s", tw_fault_quote(fields[i]).text, fault);
    }
    const tw_atom key = {.id = v[0]};
    tw_atom *a = bsearch(&key, atoms->atom, atoms->count, sizeof *atoms->atom, by_id);
    if (!a) return tw_lines_refuse(lines, "there is no atom %.17g", v[0]);
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
    const tw_atom *a = left, *b = right;
    if (a->mol != b->mol) return a->mol < b->mol ? -1 : 1;
    return by_id(left, right);
}

/* The nearest image of b to a, for a file that does not say which image it is. Edge by edge, the
 * last first: right for boxes in LAMMPS' frame and for bodies smaller than half of them. */
static tw_vec3 nearest(const tw_atoms *atoms, tw_vec3 a, tw_vec3 b)
{
    const double *h = atoms->h.m;
    tw_vec3 d = tw_vec3_sub(b, a);
    for (int k = 2; k >= 0; k--) {
        const tw_vec3 edge = {h[k], h[3 + k], h[6 + k]};
        const double part = (k == 0 ? d.x : k == 1 ? d.y : d.z) / h[4 * k];
        if (atoms->specimen->periodic[k]) d = tw_vec3_add_scaled(d, -round(part), edge);
    }
    return tw_vec3_add(a, d);
}

static bool add_body(tw_atoms *atoms, tw_atom *first, size_t count)
{
    const bool unwrapped = has3(atoms, TW_ATOMS_XU) || has3(atoms, TW_ATOMS_IX);
    const bool restricted = atoms->h.m[3] == 0.0 && atoms->h.m[6] == 0.0 && atoms->h.m[7] == 0.0;
    atoms->lines.number = first->line;
    if (count > 1 && !unwrapped && !restricted && !atoms->present[TW_ATOMS_BODY])
        return tw_lines_refuse(
            &atoms->lines,
            "a cluster in a box that is not in LAMMPS' frame: columns xu yu zu or ix "
            "iy iz are needed to put it together");
    if (count > 1 && atoms->present[TW_ATOMS_VX] && !atoms->present[TW_ATOMS_WX])
        return tw_lines_refuse(
            &atoms->lines,
            "a cluster with velocities but without angular velocities: columns omegax "
            "omegay omegaz (wx wy wz) are expected");
    double mass = 0.0;
    for (size_t i = 0; i < count; i++) {
        mass += first[i].mass;
        if (i > 0 && !unwrapped && !atoms->present[TW_ATOMS_BODY])
            first[i].sphere.centre = nearest(atoms, first->sphere.centre, first[i].sphere.centre);
    }
    tw_body_def *body =
        tw_specimen_add_spheres(atoms->specimen, first, count, sizeof *first, atoms->lines.error);
    if (!body) return false;
    body->v = first->v;
    body->w = first->w;
    const size_t body_at = atoms->specimen->body_count - 1;
    if (atoms->specimen->mass) atoms->specimen->mass[body_at] = mass;
    if (atoms->specimen->molecule) atoms->specimen->molecule[body_at] = first->mol;
    return true;
}

bool tw_atoms_finish(tw_atoms *atoms)
{
    tw_specimen *specimen = atoms->specimen;
    specimen->cell = atoms->h;
    specimen->cell_given = 1;
    const bool weighed = atoms->present[TW_ATOMS_MASS] || atoms->present[TW_ATOMS_DENSITY];
    const bool grouped = atoms->present[TW_ATOMS_MOL] || atoms->present[TW_ATOMS_BODY];
    if (weighed) specimen->mass = calloc(atoms->count, sizeof *specimen->mass);
    if (grouped) specimen->molecule = calloc(atoms->count, sizeof *specimen->molecule);
    specimen->atom = calloc(atoms->count, sizeof *specimen->atom);
    if ((weighed && !specimen->mass) || (grouped && !specimen->molecule) || !specimen->atom) {
        tw_fault_memory(atoms->lines.error);
        return false;
    }
    qsort(atoms->atom, atoms->count, sizeof *atoms->atom, by_molecule);
    for (size_t i = 0; i < atoms->count; i++)
        specimen->atom[i] = atoms->atom[i].id;
    for (size_t i = 0, next; i < atoms->count; i = next) {
        tw_atom *a = &atoms->atom[i];
        for (next = i + 1; next < atoms->count && a->mol > 0.0 && atoms->atom[next].mol == a->mol;)
            next++;
        if (!add_body(atoms, a, next - i)) return false;
    }
    return true;
}

tw_specimen *tw_atoms_specimen(const char *path, bool (*read)(tw_atoms *atoms), tw_error *error)
{
    tw_atoms *atoms = calloc(1, sizeof *atoms); /* its line is too long for the stack of a thread */
    tw_fault_clear(error);
    if (!atoms) tw_fault_memory(error);
    if (atoms) atoms->specimen = tw_specimen_make(error);
    if (!atoms || !atoms->specimen) {
        free(atoms);
        return NULL;
    }
    const bool opened = tw_lines_open(&atoms->lines, path, error);
    const bool done = opened && read(atoms);
    if (opened) tw_lines_close(&atoms->lines);
    tw_specimen *specimen = atoms->specimen;
    free(atoms->atom);
    free(atoms);
    if (done) return specimen;
    tw_specimen_free(specimen);
    return NULL;
}
