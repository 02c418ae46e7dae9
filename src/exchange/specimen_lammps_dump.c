/* SPDX-License-Identifier: BSD-3-Clause */
/* A text dump of LAMMPS, "dump custom". The last frame counts. */
#include "exchange/atoms.h"

#include <math.h>
#include <string.h>
#include <twirl/math.h>

typedef struct dump {
    tw_atoms *atoms;
    double count; /* atoms of the frame */
    bool counted, bounded, filled;
} dump;

/* The next line; a file that ends inside a frame is refused. */
static bool next(dump *file, const char *what)
{
    tw_lines *lines = &file->atoms->lines;
    if (tw_lines_next_filled(lines)) return true;
    return lines->status == TW_STATUS_OK &&
           tw_lines_refuse(lines, "the file ends where %s should stand", what);
}

static bool next_numbers(dump *file, const char *what, size_t count, double *values)
{
    tw_lines *lines = &file->atoms->lines;
    char *fields[4];
    if (!next(file, what)) return false;
    const size_t found = tw_lines_split_blanks(lines->text, fields, 4);
    if (found != count)
        return tw_lines_refuse(lines, "%zu numbers where %s should stand, that is %zu", found, what,
                               count);
    for (size_t i = 0; i < count; i++) {
        const char *fault = tw_lines_number(fields[i], &values[i]);
        if (fault) return tw_lines_refuse(lines, "%s %s", tw_fault_quote(fields[i]).text, fault);
    }
    return true;
}

/* "pp pp ff": periodic where both faces are. */
static bool take_boundary(dump *file, char **words, size_t count)
{
    tw_lines *lines = &file->atoms->lines;
    int *periodic = file->atoms->specimen->periodic;
    for (int k = 0; k < 3; k++)
        periodic[k] = 1;
    if (count == 0) return true; /* very old dumps do not say */
    if (count != 3)
        return tw_lines_refuse(
            lines, "%zu words for the faces of the box; three are expected, such as pp", count);
    for (int k = 0; k < 3; k++)
        periodic[k] = strcmp(words[k], "pp") == 0;
    return true;
}

/* The bounds of a tilted box are those of the box about it. */
static bool read_bounds(dump *file, bool tilted)
{
    double b[3][4] = {{0}};
    for (int k = 0; k < 3; k++) {
        if (!next_numbers(file, tilted ? "lo hi tilt of the box" : "lo hi of the box",
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

/* A general box, as LAMMPS writes it since 2024: edges, and the origin in the last column. */
static bool read_edges(dump *file)
{
    double o[3];
    for (int k = 0; k < 3; k++) {
        double e[4];
        if (!next_numbers(file, "an edge of the box and its origin", 4, e)) return false;
        for (int i = 0; i < 3; i++)
            file->atoms->h.m[3 * i + k] = e[i];
        o[k] = e[3];
    }
    file->atoms->origin = tw_vec3_make(o[0], o[1], o[2]);
    return true;
}

static bool read_box(dump *file, char **words, size_t count)
{
    tw_lines *lines = &file->atoms->lines;
    const bool general =
        count >= 2 && strcmp(words[0], "abc") == 0 && strcmp(words[1], "origin") == 0;
    const bool tilted = count >= 3 && strcmp(words[0], "xy") == 0 && strcmp(words[1], "xz") == 0;
    const size_t skip = general ? 2 : tilted ? 3 : 0;
    if (!take_boundary(file, words + skip, count - skip)) return false;
    if (!(general ? read_edges(file) : read_bounds(file, tilted))) return false;
    const double *h = file->atoms->h.m;
    const tw_vec3 a = {h[0], h[3], h[6]}, b = {h[1], h[4], h[7]}, c = {h[2], h[5], h[8]};
    const double volume = tw_vec3_dot(a, tw_vec3_cross(b, c));
    if (!(fabs(volume) > 0.0) || !isfinite(volume))
        return tw_lines_refuse(lines, "the box has the volume %g", volume);
    file->bounded = true;
    return true;
}

static bool read_atoms(dump *file, char **names, size_t count)
{
    tw_atoms *atoms = file->atoms;
    if (!file->counted || !file->bounded)
        return tw_lines_refuse(&atoms->lines, "atoms before their number or the box");
    atoms->count = 0; /* an earlier frame is of no interest */
    if (!tw_atoms_set_columns(atoms, names, count)) return false;
    for (double i = 0; i < file->count; i++) {
        if (!next(file, "an atom")) return false;
        if (strncmp(atoms->lines.text, "ITEM:", 5) == 0)
            return tw_lines_refuse(&atoms->lines, "%.0f of %.0f atoms, then a new item", i,
                                   file->count);
        if (!tw_atoms_read_row(atoms)) return false;
    }
    file->filled = true;
    file->counted = file->bounded = false;
    return true;
}

static bool read_count(dump *file)
{
    if (!next_numbers(file, "the number of atoms", 1, &file->count)) return false;
    if (!(file->count >= 1.0) || file->count != floor(file->count))
        return tw_lines_refuse(&file->atoms->lines, "%g atoms; a whole number from 1 is expected",
                               file->count);
    file->counted = true;
    return true;
}

static bool read_item(dump *file)
{
    tw_lines *lines = &file->atoms->lines;
    char *words[TW_ATOMS_FIELDS_MAX + 3];
    const tw_fault_words shown = tw_fault_quote(lines->text);
    const size_t count = tw_lines_split_blanks(lines->text, words, TW_ATOMS_FIELDS_MAX + 3);
    if (count > TW_ATOMS_FIELDS_MAX + 3) return tw_lines_refuse(lines, "%zu words", count);
    if (count < 2 || strcmp(words[0], "ITEM:") != 0)
        return tw_lines_refuse(lines, "%s where a line ITEM: should stand", shown.text);
    if (strcmp(words[1], "ATOMS") == 0) return read_atoms(file, words + 2, count - 2);
    if (strcmp(words[1], "BOX") == 0 && count >= 3) return read_box(file, words + 3, count - 3);
    if (strcmp(words[1], "NUMBER") == 0 && count == 4 && strcmp(words[3], "ATOMS") == 0)
        return read_count(file);
    if (strcmp(words[1], "TIMESTEP") == 0 || strcmp(words[1], "TIME") == 0 ||
        strcmp(words[1], "UNITS") == 0)
        return next(file, "what the item says");
    return tw_lines_refuse(
        lines, "%s cannot be read; a dump of atoms is expected, made with dump custom", shown.text);
}

static bool read_dump(tw_atoms *atoms)
{
    dump file = {.atoms = atoms};
    while (tw_lines_next_filled(&atoms->lines))
        if (!read_item(&file)) return false;
    if (atoms->lines.status != TW_STATUS_OK) return false;
    if (!file.filled)
        return tw_lines_refuse(&atoms->lines, "the file ends without a frame of atoms");
    return tw_atoms_sort(atoms) && tw_atoms_finish(atoms);
}

tw_specimen *tw_specimen_read_lammps_dump(const char *path, tw_error *error)
{
    return tw_atoms_specimen(path, read_dump, error);
}
