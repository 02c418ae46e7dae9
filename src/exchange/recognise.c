/* SPDX-License-Identifier: BSD-3-Clause */
/* The kind of a file, from its content. */
#include "exchange/specimen.h"

#include <assert.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include <twirl/exchange.h>

#include "base/error.h"
#include "base/file.h"
#include "base/text_file.h"
#include "exchange/mesh_read.h"

static tw_exchange_kind exchange_unknown(const char *path, const char *found, tw_error *error)
{
    tw_error_set(
        error, TW_STATUS_INPUT,
        "%s: %s; expected a D-file (first line 4 or 7), a CSV of spheres (first line "
        "x,y,z,radius or a # comment), spheres of YADE (x y z r in each line), a data file "
        "or dump of LAMMPS, a checkpoint (HDF5), or a surface (STL or OBJ)",
        tw_error_shorten_path(path).text, found);
    return TW_EXCHANGE_UNKNOWN;
}

/* The first line of a data file may be anything; a later one states the number of atoms. */
static bool exchange_is_data(const char *path)
{
    enum { HEAD = 40 };
    tw_lines lines;
    if (!tw_lines_open(&lines, path, NULL)) return false;
    bool found = false;
    for (int i = 0; i < HEAD && !found && tw_lines_next_filled(&lines); i++) {
        char *fields[2];
        double number;
        lines.text[strcspn(lines.text, "#")] = '\0';
        found = lines.number > 1 && tw_lines_split_blanks(lines.text, fields, 2) == 2 &&
                strcmp(fields[1], "atoms") == 0 && !tw_lines_number(fields[0], &number);
    }
    tw_lines_close(&lines);
    return found;
}

/* Whether the line begins as one of YADE's: four numbers, or x y z r, separated by blanks. */
static bool exchange_is_xyzr(const char *line)
{
    char copy[TW_LINES_LENGTH_MAX + 1], *fields[4];
    static const char *const names[4] = {"x", "y", "z", "r"};
    bool numbers = true, named = true;
    snprintf(copy, sizeof copy, "%s", line);
    if (strchr(copy, ',') || tw_lines_split_blanks(copy, fields, 4) < 4) return false;
    for (int k = 0; k < 4; k++) {
        double number;
        named = named && strcmp(fields[k], names[k]) == 0;
        numbers = numbers && tw_lines_number(fields[k], &number) == NULL;
    }
    return numbers || named;
}

/* A CSV of spheres and a file of YADE may begin with comments. */
static tw_exchange_kind exchange_after_comments(tw_lines *lines)
{
    while (lines->text[strspn(lines->text, " \t")] == '#')
        if (!tw_lines_next_filled(lines)) return TW_EXCHANGE_CSV;
    return exchange_is_xyzr(lines->text) ? TW_EXCHANGE_XYZR : TW_EXCHANGE_CSV;
}

/* A comment or a comma makes it a CSV, four numbers a file of YADE, a single one a D-file. Whatever
 * else may be wrong is left to the reader, which has the better message. */
static tw_exchange_kind exchange_judge(tw_lines *lines, tw_error *error)
{
    if (!tw_lines_next_filled(lines)) {
        if (lines->status == TW_STATUS_FILE) return TW_EXCHANGE_UNKNOWN;
        const bool empty = lines->status == TW_STATUS_OK;
        return exchange_unknown(lines->path, empty ? "the file is empty" : "not a text file",
                                error);
    }
    const tw_text_quotation shown = tw_text_quote(lines->text, strlen(lines->text));
    if (strncmp(lines->text, "ITEM:", 5) == 0) return TW_EXCHANGE_LAMMPS_DUMP;
    if (exchange_is_data(lines->path)) return TW_EXCHANGE_LAMMPS_DATA;
    if (tw_mesh_read_is_obj(lines->path)) return TW_EXCHANGE_OBJ;
    if (lines->text[strspn(lines->text, " \t")] == '#') return exchange_after_comments(lines);
    if (strchr(lines->text, ',')) return TW_EXCHANGE_CSV;
    if (exchange_is_xyzr(lines->text)) return TW_EXCHANGE_XYZR;
    char *field;
    double number;
    if (tw_lines_split_blanks(lines->text, &field, 1) == 1 && !tw_lines_number(field, &number))
        return TW_EXCHANGE_DFILE;
    char text[300];
    snprintf(text, sizeof text, "the first line is %s", shown.text);
    return exchange_unknown(lines->path, text, error);
}

/* A checkpoint begins with a label. Other HDF5 files are left to tw_sim_load, which has the better
 * message. */
static bool exchange_is_checkpoint(const char *path)
{
    static const char label[] = "twirl checkpoint ";
    static const unsigned char hdf5[8] = {0x89, 'H', 'D', 'F', '\r', '\n', 0x1A, '\n'};
    char first[sizeof label] = "";
    FILE *file = tw_read_file_stream(path);
    if (!file) return false;
    const size_t got = fread(first, 1, sizeof label - 1, file);
    (void)fclose(file);
    return strcmp(first, label) == 0 ||
           (got >= sizeof hdf5 && memcmp(first, hdf5, sizeof hdf5) == 0);
}

tw_exchange_kind tw_exchange_recognise(const char *path, tw_error *error)
{
    assert(path);
    tw_error_clear(error);
    if (exchange_is_checkpoint(path)) return TW_EXCHANGE_CHECKPOINT;
    if (tw_mesh_read_is_stl(path)) return TW_EXCHANGE_STL;
    tw_lines lines;
    if (!tw_lines_open(&lines, path, error)) return TW_EXCHANGE_UNKNOWN;
    const tw_exchange_kind kind = exchange_judge(&lines, error);
    tw_lines_close(&lines);
    return kind;
}

tw_specimen *tw_specimen_read(const char *path, tw_error *error)
{
    assert(path);
    static tw_specimen *(*const readers[])(const char *path, tw_error *error) = {
        [TW_EXCHANGE_UNKNOWN] = NULL,
        [TW_EXCHANGE_DFILE] = tw_specimen_read_dfile,
        [TW_EXCHANGE_CSV] = tw_specimen_read_csv,
        [TW_EXCHANGE_CHECKPOINT] = NULL,
        [TW_EXCHANGE_LAMMPS_DATA] = tw_specimen_read_lammps_data,
        [TW_EXCHANGE_LAMMPS_DUMP] = tw_specimen_read_lammps_dump,
        [TW_EXCHANGE_XYZR] = tw_specimen_read_xyzr,
        [TW_EXCHANGE_STL] = NULL,
        [TW_EXCHANGE_OBJ] = NULL};
    const tw_exchange_kind kind = tw_exchange_recognise(path, error);
    if (kind != TW_EXCHANGE_UNKNOWN && !readers[kind])
        tw_error_set(error, TW_STATUS_INPUT,
                     "%s: is a %s; expected a D-file, a CSV or x_y_z_r file of "
                     "spheres, or a data file or dump of LAMMPS",
                     tw_error_shorten_path(path).text,
                     kind == TW_EXCHANGE_CHECKPOINT ? "checkpoint (HDF5)" : "surface");
    return readers[kind] ? readers[kind](path, error) : NULL;
}
