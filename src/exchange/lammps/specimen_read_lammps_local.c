/* SPDX-License-Identifier: BSD-3-Clause */
/* The contacts of a frame, as tw_export_lammps_contacts writes them. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include <twirl/exchange.h>

#include "base/mat3.h"
#include "base/memory.h"
#include "base/text_file.h"
#include "exchange/lammps/lammps.h"

/* Columns of TW_LAMMPS_FRAME_CONTACTS. */
enum {
    IMAGE = 2,
    BODY_P = 5,
    BODY_Q = 6,
    FN = 7,
    ZETA = 8,
    SLIDING = 9,
    FORCE = 10,
    FT = 13,
    POINT = 16,
    COLUMNS = 19
};

typedef struct local_file {
    tw_lines lines;
    const tw_sim *sim;
    tw_mat3 cell, turn;
    bool turned;
    tw_contact_state *contacts;
    size_t count, capacity;
} local_file;

static tw_vec3 vector_of(const local_file *r, const double *v)
{
    const tw_vec3 found = {v[0], v[1], v[2]};
    return r->turned ? tw_mat3_transpose_mul_vec(r->turn, found) : found;
}

static bool is_body(const local_file *r, double value)
{
    return tw_lines_is_integer(value, 0.0) && value < (double)tw_sim_body_count(r->sim);
}

static bool check_row(local_file *r, const double *v)
{
    if (!is_body(r, v[BODY_P]) || !is_body(r, v[BODY_Q]))
        return tw_lines_refuse(&r->lines, "the dump has no bodies %.17g and %.17g", v[BODY_P],
                               v[BODY_Q]);
    for (int k = 0; k < 3; k++)
        if (!tw_lines_is_integer(v[IMAGE + k], -100.0) || v[IMAGE + k] > 100.0)
            return tw_lines_refuse(&r->lines, "%.17g is no periodic image", v[IMAGE + k]);
    return true;
}

static bool local_read_row(local_file *r)
{
    char *fields[COLUMNS];
    double v[COLUMNS];
    const size_t found = tw_lines_split_blanks(r->lines.text, fields, COLUMNS);
    if (found != COLUMNS)
        return tw_lines_refuse(&r->lines, "wrong number of values: %zu instead of %d", found,
                               (int)COLUMNS);
    if (!tw_lines_read_numbers(&r->lines, fields, COLUMNS, v) || !check_row(r, v)) return false;
    if (tw_buffer_reserve(&r->contacts, &r->capacity, r->count + 1, sizeof *r->contacts) !=
        TW_STATUS_OK) {
        r->lines.status = tw_error_set_memory(r->lines.error);
        return false;
    }
    tw_contact_state *c = &r->contacts[r->count++];
    *c = (tw_contact_state){.body_p = (uint32_t)v[BODY_P],
                            .body_q = (uint32_t)v[BODY_Q],
                            .fn = v[FN],
                            .zeta = v[ZETA],
                            .sliding = v[SLIDING] != 0.0,
                            .force = vector_of(r, v + FORCE),
                            .ft = vector_of(r, v + FT),
                            .point = vector_of(r, v + POINT)};
    for (int k = 0; k < 3; k++)
        c->shift[k] = (int8_t)v[IMAGE + k];
    tw_body_state p, q;
    tw_sim_get_body(r->sim, c->body_p, &p, NULL); /* they exist */
    tw_sim_get_body(r->sim, c->body_q, &q, NULL);
    const tw_vec3 image = {v[IMAGE], v[IMAGE + 1], v[IMAGE + 2]};
    c->branch = tw_vec3_sub(tw_vec3_add(q.x, tw_mat3_mul_vec(r->cell, image)), p.x);
    return true;
}

/* The heads of a frame up to that of the table, with the number of its rows. */
static bool local_read_head(local_file *r, double *declared)
{
    static const char table[] = "ITEM: ENTRIES " TW_LAMMPS_FRAME_CONTACTS;
    tw_lines *lines = &r->lines;
    *declared = -1.0;
    while (tw_lines_next_filled(lines)) {
        if (strcmp(lines->text, table) == 0 && *declared >= 0.0) return true;
        const bool units = strcmp(lines->text, "ITEM: UNITS") == 0,
                   entries = strcmp(lines->text, "ITEM: NUMBER OF ENTRIES") == 0;
        if (!units && !entries) continue;
        if (!tw_lines_next_filled(lines)) break;
        if (units && !tw_lammps_frame_read_turn(lines, &r->turn, &r->turned)) return false;
        if (entries && tw_lines_number(lines->text, declared))
            return tw_lines_refuse(lines, "expected the number of contacts");
    }
    return lines->status == TW_STATUS_OK &&
           tw_lines_refuse(lines, "the file has no contacts of a dump of twirl");
}

static bool local_read(local_file *r)
{
    double declared;
    if (!local_read_head(r, &declared)) return false;
    while (tw_lines_next_filled(&r->lines))
        if (!local_read_row(r)) return false;
    if (r->lines.status != TW_STATUS_OK) return false;
    return (double)r->count == declared ||
           tw_lines_refuse(&r->lines, "the number of contacts is %zu, but the file states %.17g",
                           r->count, declared);
}

tw_status tw_specimen_read_lammps_local(const char *path, const tw_sim *sim,
                                        tw_contact_state **contacts, size_t *count, tw_error *error)
{
    assert(path && sim && contacts && count);
    local_file *r = calloc(1, sizeof *r);
    tw_error_clear(error);
    *contacts = NULL;
    *count = 0;
    if (!r) return tw_error_set_memory(error);
    r->sim = sim;
    r->cell = tw_sim_cell(sim);
    tw_status status = TW_STATUS_OK;
    bool good = tw_lines_open(&r->lines, path, error);
    if (!good) {
        status = r->lines.status;
    } else {
        good = local_read(r);
        if (!good) status = r->lines.status;
        tw_lines_close(&r->lines);
    }
    if (good) {
        *contacts = r->contacts;
        *count = r->count;
    } else {
        free(r->contacts);
    }
    free(r);
    return status;
}
