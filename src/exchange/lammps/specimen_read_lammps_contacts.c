/* SPDX-License-Identifier: BSD-3-Clause */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <twirl/contact_law.h>
#include <twirl/exchange.h>

#include "base/memory.h"
#include "base/text_file.h"
#include "exchange/lammps/lammps.h"

/* The file that `fix rigid/small ... infile` reads: the number of bodies, then a line for each,
 *     molecule mass x y z ixx iyy izz ixy ixz iyz vx vy vz lx ly lz ix iy iz
 * Mass and moments of inertia are used; everything else is in the file of atoms too. */

enum { FIELDS_MAX = 20, MOLECULE = 0, MASS = 1, IXX = 5, IYY = 6, IZZ = 7, BODY_FIELDS = 11 };

static bool read_numbers(tw_lines *lines, size_t least, double *values)
{
    char *fields[FIELDS_MAX];
    const size_t found = tw_lines_split_blanks(lines->text, fields, FIELDS_MAX);
    if (found < least || found > FIELDS_MAX)
        return tw_lines_refuse(lines,
                               "wrong number of values: %zu; expected molecule mass x y z ixx iyy "
                               "izz ixy ixz iyz vx vy vz lx ly lz ix iy iz",
                               found);
    return tw_lines_read_numbers(lines, fields, found, values);
}

/* The index of the body of this molecule, or body_count; bodies are in the order of molecules. */
static size_t find_body(const tw_specimen *specimen, uint64_t molecule)
{
    size_t low = 0, high = specimen->body_count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (specimen->molecule[middle] < molecule)
            low = middle + 1;
        else
            high = middle;
    }
    const bool found = low < specimen->body_count && specimen->molecule[low] == molecule;
    return found && molecule > 0 ? low : specimen->body_count;
}

static bool read_body(tw_lines *lines, tw_specimen *specimen)
{
    double v[FIELDS_MAX] = {0};
    if (!read_numbers(lines, BODY_FIELDS, v)) return false;
    const size_t body = find_body(specimen, tw_lammps_id(v[MOLECULE]));
    if (body == specimen->body_count)
        return tw_lines_refuse(lines, "no molecule has the number %.17g", v[MOLECULE]);
    if (specimen->moment[body] > 0.0)
        return tw_lines_refuse(lines, "molecule %.17g is given twice", v[MOLECULE]);
    const double moment = v[IXX] + v[IYY] + v[IZZ];
    if (!(v[MASS] > 0.0)) return tw_lines_refuse(lines, "mass must be positive, found %g", v[MASS]);
    if (!(moment > 0.0) || !isfinite(moment))
        return tw_lines_refuse(lines, "moments of inertia must be positive, found %g %g %g", v[IXX],
                               v[IYY], v[IZZ]);
    specimen->mass[body] = v[MASS];
    specimen->moment[body] = moment;
    return true;
}

static bool read_bodies(tw_lines *lines, tw_specimen *specimen)
{
    char *field;
    double declared = 0.0, count = 0.0;
    if (!tw_lines_next_filled(lines))
        return lines->status == TW_STATUS_OK && tw_lines_refuse(lines, "the file is empty");
    if (tw_lines_split_blanks(lines->text, &field, 1) != 1 || tw_lines_number(field, &declared))
        return tw_lines_refuse(lines, "expected the number of bodies");
    while (tw_lines_next_filled(lines)) {
        if (!read_body(lines, specimen)) return false;
        count++;
    }
    if (lines->status != TW_STATUS_OK) return false;
    if (count != declared)
        return tw_lines_refuse(lines,
                               "the number of bodies is %.0f, but the first line states %.17g",
                               count, declared);
    return true;
}

tw_status tw_specimen_read_lammps_bodies(tw_specimen *specimen, const char *path, tw_error *error)
{
    tw_lines lines;
    tw_error_clear(error);
    if (!specimen->molecule || !specimen->mass)
        return tw_error_set(error, TW_STATUS_INPUT,
                            "%s: needs a LAMMPS data file or dump with molecules and masses",
                            tw_error_shorten_path(path).text);
    free(specimen->moment);
    specimen->moment = calloc(specimen->body_count + 1, sizeof *specimen->moment);
    if (!specimen->moment) return tw_error_set_memory(error);
    if (!tw_lines_open(&lines, path, error)) return lines.status;
    (void)read_bodies(&lines, specimen);
    tw_lines_close(&lines);
    return lines.status;
}

/* The contact files of pair_style twirl: the number of contacts and the names of further columns,
 * then a line for each contact,
 *     id1 id2  nx ny nz  zeta  ftx fty ftz  ...
 * Comments start with #. plugins/lammps/README.md describes the columns. */

enum { FIELDS_LEAST = 9, FIELDS_MOST = FIELDS_LEAST + TW_LAMMPS_LAW_EXTRAS };

/* The sphere of the specimen that an atom became. */
typedef struct atom_entry {
    uint64_t id;
    uint32_t body, member;
    double radius;
} atom_entry;

typedef struct contacts_file {
    tw_lines lines;
    const tw_sim *sim;
    const tw_lammps_law_columns *columns[TW_LAMMPS_LAW_COLUMNS];
    size_t column_count;
    size_t fields;     /* numbers in a row */
    atom_entry *atoms; /* by id */
    size_t atom_count;
    tw_contact_state *contacts;
    size_t *line; /* of each contact */
    size_t count, capacity, line_capacity;
} contacts_file;

static int by_id(const void *left, const void *right)
{
    const atom_entry *a = left, *b = right;
    return a->id < b->id ? -1 : a->id > b->id;
}

static bool list_atoms(contacts_file *r, const tw_specimen *specimen)
{
    r->atom_count = tw_specimen_spheres(specimen);
    r->atoms = calloc(r->atom_count + 1, sizeof *r->atoms);
    if (!r->atoms) return false;
    size_t at = 0;
    for (size_t i = 0; i < specimen->body_count; i++) {
        const uint32_t shape = specimen->bodies[i].shape;
        const tw_specimen_shape *cluster = shape > 0 ? &specimen->shapes[shape - 1] : NULL;
        const size_t members = cluster ? cluster->count : 1;
        for (size_t k = 0; k < members; k++, at++) {
            const double size = specimen->bodies[i].size;
            const double radius = cluster ? size * cluster->spheres[k].radius : size;
            r->atoms[at] = (atom_entry){specimen->atom[at], (uint32_t)i, (uint32_t)k, radius};
        }
    }
    qsort(r->atoms, r->atom_count, sizeof *r->atoms, by_id);
    return true;
}

static bool grow(contacts_file *r)
{
    const size_t count = r->count + 1;
    if (tw_buffer_reserve(&r->contacts, &r->capacity, count, sizeof *r->contacts) == TW_STATUS_OK &&
        tw_buffer_reserve(&r->line, &r->line_capacity, count, sizeof *r->line) == TW_STATUS_OK)
        return true;
    r->lines.status = tw_error_set_memory(r->lines.error);
    return false;
}

static const atom_entry *find_atom(contacts_file *r, double id)
{
    const atom_entry key = {.id = tw_lammps_id(id)};
    const atom_entry *found = bsearch(&key, r->atoms, r->atom_count, sizeof *r->atoms, by_id);
    if (!found) tw_lines_refuse(&r->lines, "no atom has the id %.17g", id);
    return found;
}

/* Forces and couples with damping, from the columns that the file has. */
static void set_forces(const contacts_file *r, tw_contact_state *c, double radius,
                       const double *values)
{
    tw_contact_extra extra = {0};
    double *numbers = (double *)(void *)&extra;
    for (size_t i = 0; i < r->column_count; i++) {
        const tw_lammps_law_columns *columns = r->columns[i];
        memcpy(numbers + columns->begin, values, (size_t)columns->count * sizeof *values);
        values += columns->count;
    }
    tw_body_state p, q;
    tw_contact_law law;
    tw_sim_body(r->sim, c->body_p, &p, NULL); /* they exist */
    tw_sim_body(r->sim, c->body_q, &q, NULL);
    tw_sim_pair_law(r->sim, p.material, q.material, &law, NULL);
    law = tw_contact_law_at(&law, radius, 0.0, 1.0);
    c->force = tw_vec3_add(extra.drag, tw_contact_law_spring_force(&law, c->n, c->zeta, c->ft));
    c->rate = extra.rate;
    c->rate_r = extra.rate_r;
    c->rate_w = extra.rate_w;
    c->fr = extra.fr;
    c->mt = radius * extra.fw;
    const tw_vec3 rolling = tw_vec3_cross(tw_vec3_add(extra.fr, extra.drag_r), c->n);
    c->couple = tw_vec3_scale(radius, tw_vec3_add_scaled(rolling, extra.fw + extra.drag_w, c->n));
}

static bool add_contact(contacts_file *r, const double *v)
{
    const atom_entry *p = find_atom(r, v[0]), *q = p ? find_atom(r, v[1]) : NULL;
    if (!q || !grow(r)) return false;
    r->line[r->count] = r->lines.number;
    tw_contact_state *c = &r->contacts[r->count++];
    *c = (tw_contact_state){.body_p = p->body,
                            .body_q = q->body,
                            .member_p = p->member,
                            .member_q = q->member,
                            .n = {v[2], v[3], v[4]},
                            .zeta = v[5],
                            .ft = {v[6], v[7], v[8]}};
    set_forces(r, c, p->radius * q->radius / (p->radius + q->radius), v + FIELDS_LEAST);
    return true;
}

/* The fields of the next line that is more than a comment; 0 at the end of the file or on an
 * error. */
static size_t next_fields(contacts_file *r, char **fields)
{
    while (tw_lines_next_filled(&r->lines)) {
        r->lines.text[strcspn(r->lines.text, "#")] = '\0';
        const size_t found = tw_lines_split_blanks(r->lines.text, fields, FIELDS_MOST);
        if (found > 0) return found;
    }
    return 0;
}

static const tw_lammps_law_columns *columns_named(const char *name)
{
    for (size_t i = 0; i < TW_LAMMPS_LAW_COLUMNS; i++)
        if (strcmp(tw_lammps_law_columns_of_extras[i].name, name) == 0)
            return &tw_lammps_law_columns_of_extras[i];
    return NULL;
}

static bool add_columns(contacts_file *r, const char *name)
{
    const tw_lammps_law_columns *columns = columns_named(name);
    if (!columns)
        return tw_lines_refuse(&r->lines,
                               "there are no columns %s; expected fr, fw, drag, rate, "
                               "drag_r, rate_r, drag_w, rate_w",
                               tw_text_quote(name, strlen(name)).text);
    for (size_t i = 0; i < r->column_count; i++)
        if (r->columns[i] == columns)
            return tw_lines_refuse(&r->lines, "the columns %s are named twice", name);
    r->columns[r->column_count++] = columns;
    r->fields += (size_t)columns->count;
    return true;
}

/* The first line: the number of contacts, and the names of columns. */
static bool read_head(contacts_file *r, double *declared)
{
    char *fields[FIELDS_MOST];
    const size_t found = next_fields(r, fields);
    if (r->lines.status != TW_STATUS_OK) return false;
    if (found == 0 || found > FIELDS_MOST || tw_lines_number(fields[0], declared))
        return tw_lines_refuse(&r->lines, "expected the number of contacts");
    r->fields = FIELDS_LEAST;
    for (size_t i = 1; i < found; i++)
        if (!add_columns(r, fields[i])) return false;
    return true;
}

static bool read_row(contacts_file *r, char **fields, size_t found)
{
    double v[FIELDS_MOST] = {0};
    /* A damping force may follow without a name. */
    if (r->column_count == 0 && r->count == 0 && found == FIELDS_LEAST + 3 &&
        !add_columns(r, "drag"))
        return false;
    if (found != r->fields)
        return tw_lines_refuse(&r->lines,
                               "wrong number of values: %zu; expected %zu: id1 id2 nx ny nz zeta "
                               "ftx fty ftz and the columns named with the number of contacts",
                               found, r->fields);
    return tw_lines_read_numbers(&r->lines, fields, found, v) && add_contact(r, v);
}

static bool read_contacts(contacts_file *r)
{
    double declared = 0.0;
    if (!read_head(r, &declared)) return false;
    for (;;) {
        char *fields[FIELDS_MOST];
        const size_t found = next_fields(r, fields);
        if (found == 0) break;
        if (!read_row(r, fields, found)) return false;
    }
    if (r->lines.status != TW_STATUS_OK) return false;
    if ((double)r->count != declared)
        return tw_lines_refuse(&r->lines,
                               "the number of contacts is %zu, but the file states %.17g", r->count,
                               declared);
    return true;
}

static tw_status set_contacts(contacts_file *r, tw_sim *sim)
{
    size_t wrong = 0;
    const tw_status status =
        tw_sim_set_contacts(sim, r->contacts, r->count, &wrong, r->lines.error);
    if (status != TW_STATUS_INPUT || !r->lines.error) return status;
    tw_error why = *r->lines.error;
    r->lines.number = r->line[wrong];
    tw_lines_refuse(&r->lines, "%.300s", why.text);
    return status;
}

tw_status tw_specimen_read_lammps_contacts(const tw_specimen *specimen, const char *path,
                                           tw_sim *sim, tw_error *error)
{
    tw_error_clear(error);
    if (!specimen->atom)
        return tw_error_set(error, TW_STATUS_INPUT, "%s: needs a LAMMPS data file or dump",
                            tw_error_shorten_path(path).text);
    contacts_file *r = calloc(1, sizeof *r);
    if (!r || !list_atoms(r, specimen)) {
        free(r);
        return tw_error_set_memory(error);
    }
    r->sim = sim;
    tw_status status;
    if (tw_lines_open(&r->lines, path, error)) {
        status = read_contacts(r) ? set_contacts(r, sim) : r->lines.status;
        tw_lines_close(&r->lines);
    } else {
        status = r->lines.status;
    }
    free(r->atoms);
    free(r->contacts);
    free(r->line);
    free(r);
    return status;
}
