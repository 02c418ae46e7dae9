/* SPDX-License-Identifier: BSD-3-Clause */
/* The contact files of pair_style twirl: the number of contacts, then a line for each,
 *     id1 id2  nx ny nz  zeta  ftx fty ftz  [fdx fdy fdz]
 * Comments start with #. plugins/lammps/README.md describes the columns. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <twirl/contact_law.h>
#include <twirl/exchange.h>

#include "base/buffer.h"
#include "exchange/lines.h"

enum { FIELDS_LEAST = 9, FIELDS_MOST = 12 };

/* The sphere of the specimen that an atom became. */
typedef struct atom_entry {
    double id;
    uint32_t body, member;
} atom_entry;

typedef struct contacts_file {
    tw_lines lines;
    tw_contact_law law;
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
        const size_t members = shape > 0 ? specimen->shapes[shape - 1].count : 1;
        for (size_t k = 0; k < members; k++, at++)
            r->atoms[at] = (atom_entry){specimen->atom[at], (uint32_t)i, (uint32_t)k};
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
    const atom_entry key = {id, 0, 0};
    const atom_entry *found = bsearch(&key, r->atoms, r->atom_count, sizeof *r->atoms, by_id);
    if (!found) tw_lines_refuse(&r->lines, "no atom has the id %.17g", id);
    return found;
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
    const tw_vec3 drag = {v[9], v[10], v[11]};
    c->force = tw_vec3_add(drag, tw_contact_law_spring_force(&r->law, c->n, c->zeta, c->ft));
    return true;
}

/* The next line that is more than a comment. Returns how many numbers it has; 0 at the end of the
 * file or on an error. */
static size_t next_numbers(contacts_file *r, double *v)
{
    while (tw_lines_next_filled(&r->lines)) {
        char *fields[FIELDS_MOST];
        r->lines.text[strcspn(r->lines.text, "#")] = '\0';
        const size_t found = tw_lines_split_blanks(r->lines.text, fields, FIELDS_MOST);
        const size_t kept = found < FIELDS_MOST ? found : FIELDS_MOST;
        if (!tw_lines_read_numbers(&r->lines, fields, kept, v)) return 0;
        if (found > 0) return found;
    }
    return 0;
}

static bool read_contacts(contacts_file *r)
{
    double declared[FIELDS_MOST] = {0};
    size_t found = next_numbers(r, declared);
    if (r->lines.status != TW_STATUS_OK) return false;
    if (found != 1) return tw_lines_refuse(&r->lines, "expected the number of contacts");
    for (;;) {
        double v[FIELDS_MOST] = {0};
        found = next_numbers(r, v);
        if (found == 0) break;
        if (found != FIELDS_LEAST && found != FIELDS_MOST)
            return tw_lines_refuse(&r->lines,
                                   "wrong number of values: %zu; expected id1 id2 nx ny nz zeta "
                                   "ftx fty ftz and, with damping, fdx fdy fdz",
                                   found);
        if (!add_contact(r, v)) return false;
    }
    if (r->lines.status != TW_STATUS_OK) return false;
    if ((double)r->count != declared[0])
        return tw_lines_refuse(&r->lines,
                               "the number of contacts is %zu, but the file states %.17g", r->count,
                               declared[0]);
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
    r->law = tw_sim_definition(sim).law;
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
