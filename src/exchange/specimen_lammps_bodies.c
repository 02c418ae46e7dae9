/* SPDX-License-Identifier: BSD-3-Clause */
/* The file of bodies that `fix rigid/small ... infile` reads: their number, then a line for each,
 *     molecule mass x y z ixx iyy izz ixy ixz iyz vx vy vz lx ly lz ix iy iz
 * of which mass and inertia count here; all else is in the file of atoms too. */
#include "exchange/lines.h"
#include "exchange/specimen.h"

#include <math.h>
#include <stdlib.h>

enum { FIELDS_MAX = 20, MOLECULE = 0, MASS = 1, IXX = 5, IYY = 6, IZZ = 7, FIELDS_LEAST = 11 };

static bool read_numbers(tw_lines *lines, size_t least, double *values)
{
    char *fields[FIELDS_MAX];
    const size_t found = tw_lines_split_blanks(lines->text, fields, FIELDS_MAX);
    if (found < least || found > FIELDS_MAX)
        return tw_lines_refuse(lines,
                               "%zu numbers; molecule mass x y z ixx iyy izz ixy ixz iyz vx vy vz "
                               "lx ly lz ix iy iz are expected",
                               found);
    for (size_t i = 0; i < found; i++) {
        const char *fault = tw_lines_number(fields[i], &values[i]);
        if (fault) return tw_lines_refuse(lines, "%s %s", tw_fault_quote(fields[i]).text, fault);
    }
    return true;
}

/* The index of the body that was this molecule; body_count where there is none. Bodies are in
 * ascending order of molecules. */
static size_t find(const tw_specimen *specimen, double molecule)
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
    double v[FIELDS_MAX];
    if (!read_numbers(lines, FIELDS_LEAST, v)) return false;
    const size_t body = find(specimen, v[MOLECULE]);
    if (body == specimen->body_count)
        return tw_lines_refuse(lines, "there is no molecule %.17g", v[MOLECULE]);
    if (specimen->moment[body] > 0.0)
        return tw_lines_refuse(lines, "molecule %.17g is given twice", v[MOLECULE]);
    const double moment = v[IXX] + v[IYY] + v[IZZ];
    if (!(v[MASS] > 0.0)) return tw_lines_refuse(lines, "mass %g; it must be above 0", v[MASS]);
    if (!(moment > 0.0) || !isfinite(moment))
        return tw_lines_refuse(lines, "moments of inertia %g %g %g; they must be above 0", v[IXX],
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
        return tw_lines_refuse(lines, "the number of bodies is expected, alone");
    while (tw_lines_next_filled(lines)) {
        if (!read_body(lines, specimen)) return false;
        count++;
    }
    if (lines->status != TW_STATUS_OK) return false;
    if (count != declared)
        return tw_lines_refuse(lines, "the file ends with %.0f bodies; its first line says %.17g",
                               count, declared);
    return true;
}

tw_status tw_specimen_read_lammps_bodies(tw_specimen *specimen, const char *path, tw_error *error)
{
    tw_lines lines;
    tw_fault_clear(error);
    if (!specimen->molecule || !specimen->mass)
        return tw_fault_set(error, TW_STATUS_INPUT,
                            "%s: belongs to a file of LAMMPS with molecules and masses",
                            tw_fault_path(path).text);
    free(specimen->moment);
    specimen->moment = calloc(specimen->body_count + 1, sizeof *specimen->moment);
    if (!specimen->moment) return tw_fault_memory(error);
    if (!tw_lines_open(&lines, path, error)) return lines.status;
    (void)read_bodies(&lines, specimen);
    tw_lines_close(&lines);
    return lines.status;
}
