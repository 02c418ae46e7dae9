/* SPDX-License-Identifier: BSD-3-Clause */
/* The file that `fix rigid/small ... infile` reads: the number of bodies, then a line for each,
 *     molecule mass x y z ixx iyy izz ixy ixz iyz vx vy vz lx ly lz ix iy iz
 * Mass and moments of inertia are used; everything else is in the file of atoms too. */
#include <math.h>
#include <stdlib.h>

#include <twirl/exchange.h>

#include "exchange/lines.h"

enum { FIELDS_MAX = 20, MOLECULE = 0, MASS = 1, IXX = 5, IYY = 6, IZZ = 7, FIELDS_LEAST = 11 };

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
static size_t find_body(const tw_specimen *specimen, double molecule)
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
    return found && molecule > 0.0 ? low : specimen->body_count;
}

static bool read_body(tw_lines *lines, tw_specimen *specimen)
{
    double v[FIELDS_MAX] = {0};
    if (!read_numbers(lines, FIELDS_LEAST, v)) return false;
    const size_t body = find_body(specimen, v[MOLECULE]);
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
