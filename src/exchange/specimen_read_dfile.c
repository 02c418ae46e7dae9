/* SPDX-License-Identifier: BSD-3-Clause */
/* D-files: assemblies of the programs OVAL and DEMPLA. Text, numbers separated by white space:
 *
 *     kind                                  4: spheres, 7: bumpy grains
 *     count  h11 h22 h33                    [m]
 *     h12 h13 h23                           [m]
 *     satellites                            kind 7 only
 *     satellite, central, distance          kind 7 only; relative to the rad of the grain
 *     rad x1 x2 x3 [q0 q1 q2 q3]            one grain per line; the quaternion for kind 7 only
 *
 * The cell is the upper triangular matrix h, edges as columns.
 *
 * The quaternion has the scalar first and rotates from the axes of the grain to space, like
 * tw_quat. This was determined from a published assembly of 10,648 grains (74,536 spheres, void
 * ratio 0.566 at near-zero stress): with this convention 48,083 pairs of spheres overlap, by at
 * most 0.0032 of the smaller radius and 0.00023 on average; with the inverse rotation by up to 2.5
 * radii and 0.29 on average; with the scalar last by up to 2.2 radii in either sense. That assembly
 * has 6 satellites, on the axes of the body. Other numbers use the directions of
 * tw_sim_add_shape_bumpy, which no file has confirmed yet. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "exchange/specimen_reader.h"

enum { DFILE_SPHERES = 4, DFILE_BUMPIES = 7, DFILE_FIELDS_MAX = 8 };

/* Deviation of the norm from 1 that is taken for rounding: files print few or many digits. */
static const double dfile_quat_slack = 1e-2;

typedef struct dfile {
    tw_specimen_reader reader; /* must come first */
    int kind;
    uint32_t count; /* of grains, as stated in the file */
} dfile;

/* The next line that is not blank; it must have `count` numbers, described by `names`. */
static bool dfile_numbers(dfile *file, size_t count, const char *names, double *values)
{
    tw_lines *lines = &file->reader.lines;
    for (size_t i = 0; i < count; i++)
        values[i] = 0.0;
    if (!tw_lines_next_filled(lines)) {
        if (lines->status != TW_STATUS_OK) return false;
        return tw_lines_refuse(lines, "the file ends here; expected %s", names);
    }
    char *fields[DFILE_FIELDS_MAX];
    const size_t found = tw_lines_split_blanks(lines->text, fields, DFILE_FIELDS_MAX);
    for (size_t i = 0; i < found && i < count; i++) {
        const char *why = tw_lines_number(fields[i], &values[i]);
        if (why)
            return tw_lines_refuse(lines, "%s %s; expected %s",
                                   tw_text_quote(fields[i], strlen(fields[i])).text, why, names);
    }
    if (found == count) return true;
    return tw_lines_refuse(lines, "wrong number of values: %zu instead of %zu (%s)", found, count,
                           names);
}

static bool dfile_read_kind(dfile *file)
{
    double kind;
    if (!dfile_numbers(file, 1, "the kind of shape, 4 or 7", &kind)) return false;
    if (kind != DFILE_SPHERES && kind != DFILE_BUMPIES)
        return tw_lines_refuse(&file->reader.lines,
                               "unknown kind of shape %g; known kinds are 4 (spheres) and 7 "
                               "(bumpy grains)",
                               kind);
    file->kind = (int)kind;
    return true;
}

static bool dfile_read_cell(dfile *file)
{
    double size[4], offset[3];
    if (!dfile_numbers(file, 4, "number of grains, cell sizes h11 h22 h33", size)) return false;
    if (!(size[0] >= 1.0 && size[0] <= UINT32_MAX - 1.0) || size[0] != floor(size[0]))
        return tw_lines_refuse(&file->reader.lines,
                               "expected a number of grains from 1 to %.0f, found %.17g",
                               UINT32_MAX - 1.0, size[0]);
    if (!(size[1] > 0.0 && size[2] > 0.0 && size[3] > 0.0))
        return tw_lines_refuse(&file->reader.lines, "cell sizes must be positive, found %g %g %g",
                               size[1], size[2], size[3]);
    if (!dfile_numbers(file, 3, "cell offsets h12 h13 h23", offset)) return false;
    const tw_mat3 cell = {
        {size[1], offset[0], offset[1], 0.0, size[2], offset[2], 0.0, 0.0, size[3]}};
    file->count = (uint32_t)size[0];
    file->reader.specimen->cell = cell;
    file->reader.specimen->cell_given = 1;
    for (int k = 0; k < 3; k++)
        file->reader.specimen->periodic[k] = 1;
    return true;
}

static bool dfile_read_shape(dfile *file)
{
    double satellites, r[3];
    if (file->kind != DFILE_BUMPIES) return true;
    if (!dfile_numbers(file, 1, "number of satellites, 2, 3, 4, 6 or 8", &satellites)) return false;
    if (satellites != 2 && satellites != 3 && satellites != 4 && satellites != 6 && satellites != 8)
        return tw_lines_refuse(&file->reader.lines, "expected 2, 3, 4, 6 or 8 satellites, found %g",
                               satellites);
    if (!dfile_numbers(file, 3, "satellite radius, central radius, distance", r)) return false;
    if (!(r[0] > 0.0 && r[1] > 0.0 && r[2] > 0.0))
        return tw_lines_refuse(&file->reader.lines,
                               "satellite radius, central radius and distance must be positive, "
                               "found %g %g %g",
                               r[0], r[1], r[2]);
    tw_specimen_shape *shape =
        tw_specimen_add_shape(file->reader.specimen, file->reader.lines.error);
    if (!shape) return false;
    shape->satellites = (int)satellites;
    shape->satellite_radius = r[0];
    shape->central_radius = r[1];
    shape->distance = r[2];
    return true;
}

static bool dfile_read_orientation(dfile *file, const double *q, tw_body_def *body)
{
    const double length = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    if (!(fabs(length - 1.0) <= dfile_quat_slack))
        return tw_lines_refuse(&file->reader.lines,
                               "expected a unit quaternion, found %g %g %g %g with norm %g", q[0],
                               q[1], q[2], q[3], length);
    const tw_quat unit = {q[0] / length, q[1] / length, q[2] / length, q[3] / length};
    body->q = unit;
    body->shape = 1;
    return true;
}

static bool dfile_read_grain(dfile *file)
{
    double v[DFILE_FIELDS_MAX];
    const bool bumpy = file->kind == DFILE_BUMPIES;
    const char *names = bumpy ? "rad x1 x2 x3 q0 q1 q2 q3 of a grain" : "rad x1 x2 x3 of a grain";
    if (!dfile_numbers(file, bumpy ? 8 : 4, names, v)) return false;
    if (!(v[0] > 0.0))
        return tw_lines_refuse(&file->reader.lines, "rad must be positive, found %g", v[0]);
    tw_body_def *body = tw_specimen_add_body(file->reader.specimen, file->reader.lines.error);
    if (!body) return false;
    body->size = v[0];
    body->x = tw_vec3_make(v[1], v[2], v[3]);
    return !bumpy || dfile_read_orientation(file, v + 4, body);
}

static bool dfile_read(tw_specimen_reader *reader)
{
    dfile *file = (dfile *)reader;
    if (!dfile_read_kind(file) || !dfile_read_cell(file) || !dfile_read_shape(file)) return false;
    for (uint32_t i = 0; i < file->count; i++) {
        if (dfile_read_grain(file)) continue;
        if (file->reader.lines.ended)
            tw_lines_refuse(&file->reader.lines,
                            "the file ends after %" PRIu32 " of %" PRIu32 " grains", i,
                            file->count);
        return false;
    }
    if (tw_lines_next_filled(&file->reader.lines))
        return tw_lines_refuse(
            &file->reader.lines, "unexpected %s after the last grain",
            tw_text_quote(file->reader.lines.text, strlen(file->reader.lines.text)).text);
    return file->reader.lines.status == TW_STATUS_OK;
}

tw_specimen *tw_specimen_read_dfile(const char *path, tw_error *error)
{
    dfile file = {.kind = 0};
    return tw_specimen_reader_run(&file.reader, path, dfile_read, error);
}
