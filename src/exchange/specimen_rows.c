/* SPDX-License-Identifier: BSD-3-Clause */
#include "exchange/specimen_rows.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <twirl/math.h>

#include "base/memory.h"

/* The numbers after "# key:", separated by white space or commas. */
static bool rows_comment_numbers(tw_specimen_rows *rows, char *text, const char *key, size_t count,
                                 double *values)
{
    for (char *at = text; *at; at++)
        if (*at == ',') *at = ' ';
    char *fields[9];
    const size_t found = tw_lines_split_blanks(text, fields, count);
    if (found != count)
        return tw_lines_refuse(&rows->reader.lines,
                               "# %s: wrong number of values: %zu instead of %zu", key, found,
                               count);
    return tw_lines_read_numbers(&rows->reader.lines, fields, count, values);
}

static bool rows_read_cell(tw_specimen_rows *rows, char *text)
{
    double e[9];
    tw_specimen *specimen = rows->reader.specimen;
    if (specimen->cell_given) return tw_lines_refuse(&rows->reader.lines, "# cell: given twice");
    if (!rows_comment_numbers(rows, text, "cell", 9, e)) return false;
    const tw_vec3 a = {e[0], e[1], e[2]}, b = {e[3], e[4], e[5]}, c = {e[6], e[7], e[8]};
    const double volume = tw_vec3_dot(a, tw_vec3_cross(b, c));
    if (!isfinite(volume) || volume == 0.0)
        return tw_lines_refuse(&rows->reader.lines,
                               "# cell: ax ay az bx by bz cx cy cz span a volume of %g; it must "
                               "be finite and not zero",
                               volume);
    const tw_mat3 cell = {{a.x, b.x, c.x, a.y, b.y, c.y, a.z, b.z, c.z}};
    specimen->cell = cell;
    specimen->cell_given = 1;
    return true;
}

static bool rows_read_periodic(tw_specimen_rows *rows, char *text)
{
    double flags[3];
    if (rows->periodic_given)
        return tw_lines_refuse(&rows->reader.lines, "# periodic: given twice");
    if (!rows_comment_numbers(rows, text, "periodic", 3, flags)) return false;
    for (int k = 0; k < 3; k++) {
        if (flags[k] != 0.0 && flags[k] != 1.0)
            return tw_lines_refuse(&rows->reader.lines, "# periodic: expected 0 or 1, found %g",
                                   flags[k]);
        rows->reader.specimen->periodic[k] = (int)flags[k];
    }
    rows->periodic_given = true;
    return true;
}

bool tw_specimen_rows_next(tw_specimen_rows *rows)
{
    while (tw_lines_next_filled(&rows->reader.lines)) {
        char *text = rows->reader.lines.text + strspn(rows->reader.lines.text, " \t");
        if (*text != '#') return true;
        text += 1 + strspn(text + 1, " \t");
        if (strncmp(text, "cell:", 5) == 0 && !rows_read_cell(rows, text + 5)) return false;
        if (strncmp(text, "periodic:", 9) == 0 && !rows_read_periodic(rows, text + 9)) return false;
        if (strncmp(text, "format ", 7) == 0 && rows->format[0] == '\0')
            snprintf(rows->format, sizeof rows->format, "%s", text + 7);
    }
    return false;
}

bool tw_specimen_rows_add(tw_specimen_rows *rows, const tw_sphere *sphere, double body,
                          uint32_t type)
{
    if (tw_buffer_reserve(&rows->row, &rows->capacity, rows->count + 1, sizeof *rows->row) !=
        TW_STATUS_OK) {
        tw_error_set_memory(rows->reader.lines.error);
        return false;
    }
    rows->row[rows->count] = (tw_specimen_rows_row){*sphere, body, type, rows->count};
    rows->count++;
    return true;
}

static int rows_compare(const void *left, const void *right)
{
    const tw_specimen_rows_row *a = left, *b = right;
    if (a->body != b->body) return a->body < b->body ? -1 : 1;
    return a->row < b->row ? -1 : 1;
}

/* The bounding box of all spheres, for a file without a cell. */
static tw_mat3 rows_box(const tw_specimen_rows *rows)
{
    tw_vec3 low = rows->row[0].sphere.centre, high = low;
    for (size_t i = 0; i < rows->count; i++) {
        const tw_sphere s = rows->row[i].sphere;
        low.x = tw_math_min(low.x, s.centre.x - s.radius);
        low.y = tw_math_min(low.y, s.centre.y - s.radius);
        low.z = tw_math_min(low.z, s.centre.z - s.radius);
        high.x = tw_math_max(high.x, s.centre.x + s.radius);
        high.y = tw_math_max(high.y, s.centre.y + s.radius);
        high.z = tw_math_max(high.z, s.centre.z + s.radius);
    }
    const tw_mat3 box = {{high.x - low.x, 0, 0, 0, high.y - low.y, 0, 0, 0, high.z - low.z}};
    return box;
}

bool tw_specimen_rows_finish(tw_specimen_rows *rows)
{
    tw_specimen *specimen = rows->reader.specimen;
    if (rows->periodic_given && !specimen->cell_given)
        return tw_lines_refuse(&rows->reader.lines, "'# periodic:' without '# cell:'");
    if (rows->count == 0) return tw_lines_refuse(&rows->reader.lines, "the file has no spheres");
    if (!specimen->cell_given) specimen->cell = rows_box(rows);
    for (int k = 0; k < 3 && specimen->cell_given && !rows->periodic_given; k++)
        specimen->periodic[k] = 1;
    qsort(rows->row, rows->count, sizeof *rows->row, rows_compare);
    for (size_t i = 0, next; i < rows->count; i = next) {
        const tw_specimen_rows_row *first = &rows->row[i];
        for (next = i + 1;
             next < rows->count && first->body >= 0.0 && rows->row[next].body == first->body;)
            next++;
        tw_body_def *body = tw_specimen_add_spheres(specimen, first, next - i, sizeof *first,
                                                    rows->reader.lines.error);
        if (!body) return false;
        body->type = first->type;
    }
    return true;
}
