/* SPDX-License-Identifier: BSD-3-Clause */
/* A text dump of LAMMPS, "dump custom". The last frame is read. */
#include <math.h>
#include <string.h>

#include <twirl/math.h>

#include "base/mat3.h"
#include "exchange/lammps/atoms.h"

typedef struct dump_file {
    tw_atoms *atoms;
    size_t count; /* atoms of the frame */
    bool counted, bounded, filled;
} dump_file;

/* The next line, which must exist: the frame is not complete. */
static bool next(dump_file *file, const char *what)
{
    tw_lines *lines = &file->atoms->reader.lines;
    if (tw_lines_next_filled(lines)) return true;
    return lines->status == TW_STATUS_OK &&
           tw_lines_refuse(lines, "the file ends here; expected %s", what);
}

static bool next_numbers(dump_file *file, const char *what, size_t count, double *values)
{
    tw_lines *lines = &file->atoms->reader.lines;
    char *fields[4];
    if (!next(file, what)) return false;
    const size_t found = tw_lines_split_blanks(lines->text, fields, 4);
    if (found != count)
        return tw_lines_refuse(lines, "wrong number of values: %zu instead of %zu (%s)", found,
                               count, what);
    return tw_lines_read_numbers(lines, fields, count, values);
}

/* "pp pp ff": an edge is periodic if both its faces are. */
static bool take_boundary(dump_file *file, char **words, size_t count)
{
    tw_lines *lines = &file->atoms->reader.lines;
    int *periodic = file->atoms->reader.specimen->periodic;
    for (int k = 0; k < 3; k++)
        periodic[k] = 1;
    if (count == 0) return true; /* old dumps do not say */
    if (count != 3)
        return tw_lines_refuse(lines, "wrong number of boundary flags: %zu instead of 3", count);
    for (int k = 0; k < 3; k++)
        periodic[k] = strcmp(words[k], "pp") == 0;
    return true;
}

/* The bounds of a tilted box are those of its bounding box. */
static bool read_bounds(dump_file *file, bool tilted)
{
    double b[3][4] = {{0}};
    for (int k = 0; k < 3; k++) {
        if (!next_numbers(file, tilted ? "box bounds lo hi tilt" : "box bounds lo hi",
                          tilted ? 3 : 2, b[k]))
            return false;
    }
    const double xy = b[0][2], xz = b[1][2], yz = b[2][2];
    const double low_x = b[0][0] - tw_math_min(tw_math_min(0.0, xy + xz), tw_math_min(xy, xz));
    const double high_x = b[0][1] - tw_math_max(tw_math_max(0.0, xy + xz), tw_math_max(xy, xz));
    const double low_y = b[1][0] - tw_math_min(0.0, yz), high_y = b[1][1] - tw_math_max(0.0, yz);
    const tw_mat3 h = {{high_x - low_x, xy, xz, 0, high_y - low_y, yz, 0, 0, b[2][1] - b[2][0]}};
    file->atoms->h = h;
    file->atoms->origin = tw_vec3_make(low_x, low_y, b[2][0]);
    return true;
}

/* A general triclinic box, as in LAMMPS since 2024: per line, an edge and a number of the origin.
 */
static bool read_edges(dump_file *file)
{
    double o[3];
    for (int k = 0; k < 3; k++) {
        double e[4] = {0};
        if (!next_numbers(file, "an edge of the box and the origin", 4, e)) return false;
        for (int i = 0; i < 3; i++)
            file->atoms->h.m[3 * i + k] = e[i];
        o[k] = e[3];
    }
    file->atoms->origin = tw_vec3_make(o[0], o[1], o[2]);
    return true;
}

static bool read_box(dump_file *file, char **words, size_t count)
{
    tw_lines *lines = &file->atoms->reader.lines;
    const bool general =
        count >= 2 && strcmp(words[0], "abc") == 0 && strcmp(words[1], "origin") == 0;
    const bool tilted = count >= 3 && strcmp(words[0], "xy") == 0 && strcmp(words[1], "xz") == 0;
    const size_t skip = general ? 2 : tilted ? 3 : 0;
    if (!take_boundary(file, words + skip, count - skip)) return false;
    if (!(general ? read_edges(file) : read_bounds(file, tilted))) return false;
    const double volume = tw_mat3_det(file->atoms->h);
    if (!(fabs(volume) > 0.0) || !isfinite(volume))
        return tw_lines_refuse(lines, "the box volume is %g", volume);
    file->bounded = true;
    return true;
}

static bool read_atoms(dump_file *file, char **names, size_t count)
{
    tw_atoms *atoms = file->atoms;
    if (!file->counted || !file->bounded)
        return tw_lines_refuse(&atoms->reader.lines, "ATOMS before NUMBER OF ATOMS or BOX BOUNDS");
    atoms->count = 0; /* drop the previous frame */
    if (!tw_atoms_set_columns(atoms, names, count)) return false;
    for (size_t i = 0; i < file->count; i++) {
        if (!next(file, "an atom")) return false;
        if (strncmp(atoms->reader.lines.text, "ITEM:", 5) == 0)
            return tw_lines_refuse(&atoms->reader.lines, "new item after %zu of %zu atoms", i,
                                   file->count);
        if (!tw_atoms_read_row(atoms)) return false;
    }
    file->filled = true;
    file->counted = file->bounded = false;
    return true;
}

static bool read_count(dump_file *file)
{
    double count = 0.0;
    if (!next_numbers(file, "the number of atoms", 1, &count)) return false;
    if (!tw_lines_is_integer(count, 1.0))
        return tw_lines_refuse(&file->atoms->reader.lines,
                               "expected a positive number of atoms, found %g", count);
    file->count = (size_t)count;
    file->counted = true;
    return true;
}

static bool read_item(dump_file *file)
{
    tw_lines *lines = &file->atoms->reader.lines;
    char *words[TW_ATOMS_FIELDS_MAX + 3];
    const tw_text_quotation shown = tw_text_quote(lines->text, strlen(lines->text));
    const size_t count = tw_lines_split_blanks(lines->text, words, TW_ATOMS_FIELDS_MAX + 3);
    if (count > TW_ATOMS_FIELDS_MAX + 3)
        return tw_lines_refuse(lines, "line with %zu words", count);
    if (count < 2 || strcmp(words[0], "ITEM:") != 0)
        return tw_lines_refuse(lines, "expected a line ITEM:, found %s", shown.text);
    if (strcmp(words[1], "ATOMS") == 0) return read_atoms(file, words + 2, count - 2);
    if (strcmp(words[1], "BOX") == 0 && count >= 3) return read_box(file, words + 3, count - 3);
    if (strcmp(words[1], "NUMBER") == 0 && count == 4 && strcmp(words[3], "ATOMS") == 0)
        return read_count(file);
    if (strcmp(words[1], "TIMESTEP") == 0 || strcmp(words[1], "TIME") == 0 ||
        strcmp(words[1], "UNITS") == 0)
        return next(file, "the value of the item");
    return tw_lines_refuse(lines, "unknown item %s; expected a dump of style custom", shown.text);
}

static bool read_dump(tw_atoms *atoms)
{
    dump_file file = {.atoms = atoms};
    while (tw_lines_next_filled(&atoms->reader.lines))
        if (!read_item(&file)) return false;
    if (atoms->reader.lines.status != TW_STATUS_OK) return false;
    if (!file.filled) return tw_lines_refuse(&atoms->reader.lines, "the file has no atoms");
    return tw_atoms_sort(atoms) && tw_atoms_finish(atoms);
}

tw_specimen *tw_specimen_read_lammps_dump(const char *path, tw_error *error)
{
    return tw_atoms_read(path, read_dump, error);
}
