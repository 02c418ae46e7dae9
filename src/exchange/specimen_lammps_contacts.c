/* SPDX-License-Identifier: BSD-3-Clause */
/* The files of contacts of pair_style twirl: their number, then a line for each,
 *     id1 id2  nx ny nz  zeta  ftx fty ftz  [fdx fdy fdz]
 * with # before comments. plugins/lammps/README.md tells what they mean. */
#include "exchange/lines.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <twirl/exchange.h>

enum { FIELDS_LEAST = 9, FIELDS_MOST = 12 };

/* An atom, and which sphere of the specimen it is, in the order of bodies and members. */
typedef struct entry {
    double id;
    uint32_t body, member;
} entry;

typedef struct reader {
    tw_lines lines;
    double kn;
    entry *atoms; /* by id */
    size_t atom_count;
    tw_contact_state *contacts;
    size_t *line; /* of each contact */
    size_t count, capacity;
} reader;

static int by_id(const void *left, const void *right)
{
    const entry *a = left, *b = right;
    return a->id < b->id ? -1 : a->id > b->id;
}

static bool list_atoms(reader *r, const tw_specimen *specimen)
{
    r->atom_count = tw_specimen_spheres(specimen);
    r->atoms = calloc(r->atom_count + 1, sizeof *r->atoms);
    if (!r->atoms) return false;
    size_t at = 0;
    for (size_t i = 0; i < specimen->body_count; i++) {
        const uint32_t shape = specimen->bodies[i].shape;
        const size_t members = shape > 0 ? specimen->shapes[shape - 1].count : 1;
        for (size_t k = 0; k < members; k++, at++)
            r->atoms[at] = (entry){specimen->atom[at], (uint32_t)i, (uint32_t)k};
    }
    qsort(r->atoms, r->atom_count, sizeof *r->atoms, by_id);
    return true;
}

static bool grow(reader *r)
{
    if (r->count < r->capacity) return true;
    const size_t capacity = r->capacity ? 2 * r->capacity : 1024;
    tw_contact_state *contacts = realloc(r->contacts, capacity * sizeof *contacts);
    if (contacts) r->contacts = contacts;
    size_t *line = realloc(r->line, capacity * sizeof *line);
    if (line) r->line = line;
    if (contacts && line) {
        r->capacity = capacity;
        return true;
    }
    r->lines.status = tw_fault_memory(r->lines.error);
    return false;
}

static const entry *find_atom(reader *r, double id)
{
    const entry key = {id, 0, 0};
    const entry *found = bsearch(&key, r->atoms, r->atom_count, sizeof *r->atoms, by_id);
    if (!found) tw_lines_refuse(&r->lines, "there is no atom %.17g", id);
    return found;
}

static bool add_contact(reader *r, const double *v)
{
    const entry *p = find_atom(r, v[0]), *q = p ? find_atom(r, v[1]) : NULL;
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
    const tw_vec3 drag = {v[9], v[10], v[11]};
    c->force = tw_vec3_add(drag, tw_vec3_add_scaled(c->ft, -r->kn * c->zeta, c->n));
    return true;
}

/* The next line that is more than a comment; how many numbers it has, 0 at the end or on a fault.
 */
static size_t next_numbers(reader *r, double *v)
{
    while (tw_lines_next_filled(&r->lines)) {
        char *fields[FIELDS_MOST];
        r->lines.text[strcspn(r->lines.text, "#")] = '\0';
        const size_t found = tw_lines_split_blanks(r->lines.text, fields, FIELDS_MOST);
        for (size_t i = 0; i < found && i < FIELDS_MOST; i++) {
            const char *fault = tw_lines_number(fields[i], &v[i]);
            if (!fault) continue;
            tw_lines_refuse(&r->lines, "%s %s", tw_fault_quote(fields[i]).text, fault);
            return 0;
        }
        if (found > 0) return found;
    }
    return 0;
}

static bool read_contacts(reader *r)
{
    double declared[FIELDS_MOST] = {0};
    size_t found = next_numbers(r, declared);
    if (r->lines.status != TW_STATUS_OK) return false;
    if (found != 1) return tw_lines_refuse(&r->lines, "the number of contacts is expected, alone");
    for (;;) {
        double v[FIELDS_MOST] = {0};
        found = next_numbers(r, v);
        if (found == 0) break;
        if (found != FIELDS_LEAST && found != FIELDS_MOST)
            return tw_lines_refuse(&r->lines,
                                   "%zu numbers of a contact; id1 id2 nx ny nz zeta ftx fty ftz "
                                   "and, with damping, fdx fdy fdz are expected",
                                   found);
        if (!add_contact(r, v)) return false;
    }
    if (r->lines.status != TW_STATUS_OK) return false;
    if ((double)r->count != declared[0])
        return tw_lines_refuse(&r->lines, "the file ends with %zu contacts; it says %.17g",
                               r->count, declared[0]);
    return true;
}

static tw_status give(reader *r, tw_sim *sim)
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
    tw_fault_clear(error);
    if (!specimen->atom)
        return tw_fault_set(error, TW_STATUS_INPUT, "%s: belongs to a data file or dump of LAMMPS",
                            tw_fault_path(path).text);
    reader *r = calloc(1, sizeof *r);
    if (!r || !list_atoms(r, specimen)) {
        free(r);
        return tw_fault_memory(error);
    }
    r->kn = tw_sim_definition(sim).law.kn;
    tw_status status;
    if (tw_lines_open(&r->lines, path, error)) {
        status = read_contacts(r) ? give(r, sim) : r->lines.status;
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
