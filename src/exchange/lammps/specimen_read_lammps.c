/* SPDX-License-Identifier: BSD-3-Clause */
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <twirl/math.h>

#include "base/mat3.h"
#include "exchange/lammps/atoms.h"
#include "exchange/lammps/lammps.h"

/* A data file of LAMMPS: a title, which is ignored, a header, and sections, each under its name. */

enum { WORDS_MAX = 32, TYPES_MAX = 4000 };

/* Atom styles as given after "Atoms #", and their columns. Image flags may follow. */
static const struct {
    const char *style, *columns;
} styles[] = {
    {"sphere", "id type diameter density x y z"},
    {"hybrid sphere molecular", "id type x y z diameter density mol"},
    {"hybrid", "id type x y z diameter density mol"}, /* as write_data writes it */
    {"hybrid molecular sphere", "id type x y z mol diameter density"},
    {"bpm/sphere", "id mol type diameter density x y z"},
};
enum { STYLES = sizeof styles / sizeof styles[0] };

typedef struct data_file {
    tw_atoms *atoms;
    double declared; /* atoms */
    double types;    /* of atoms */
    bool counted;    /* `declared` is set */
    double low[3], high[3], tilt[3];
    bool bounded[3];
    char style[64]; /* of atoms; "" if the file does not name it */
    bool sorted;    /* the atoms have been read */
} data_file;

/* Splits the line into words, without its comment. */
static size_t words_of(tw_lines *lines, char **words)
{
    lines->text[strcspn(lines->text, "#")] = '\0';
    return tw_lines_split_blanks(lines->text, words, WORDS_MAX);
}

static bool read_bounds(data_file *file, char **words)
{
    tw_lines *lines = &file->atoms->reader.lines;
    const int k = words[2][0] - 'x';
    double bounds[2];
    if (!tw_lines_read_numbers(lines, words, 2, bounds)) return false;
    if (!(bounds[1] > bounds[0]) || !isfinite(bounds[1] - bounds[0]))
        return tw_lines_refuse(lines, "the box has no extent along %c: %g to %g", 'x' + k,
                               bounds[0], bounds[1]);
    if (file->bounded[k]) return tw_lines_refuse(lines, "%s %s is given twice", words[2], words[3]);
    file->bounded[k] = true;
    file->low[k] = bounds[0];
    file->high[k] = bounds[1];
    return true;
}

/* A count of anything but atoms. */
static bool read_count(data_file *file, char **words, size_t count)
{
    static const char *const foreign[] = {"bonds",      "angles", "dihedrals", "impropers",
                                          "ellipsoids", "lines",  "triangles", "bodies"};
    tw_lines *lines = &file->atoms->reader.lines;
    double number;
    if (!tw_lines_read_numbers(lines, words, 1, &number)) return false;
    for (size_t i = 0; i < sizeof foreign / sizeof foreign[0]; i++) {
        if (strcmp(words[1], foreign[i]) == 0 && number != 0.0)
            return tw_lines_refuse(lines,
                                   "%s %s: only spheres and rigid molecules of spheres can be read",
                                   words[0], foreign[i]);
        if (strcmp(words[1], foreign[i]) == 0) return true;
    }
    const char *last = words[count - 1];
    if (count == 3 && strcmp(words[1], "atom") == 0 && strcmp(last, "types") == 0)
        file->types = number;
    if (strcmp(last, "types") == 0 || strcmp(words[1], "extra") == 0) return true;
    return tw_lines_refuse(lines,
                           "unknown header keyword '%s'; expected atoms, atom types, xlo xhi, ylo "
                           "yhi, zlo zhi, xy xz yz, or a section such as Atoms",
                           words[1]);
}

static bool read_header_line(data_file *file, char **words, size_t count)
{
    tw_lines *lines = &file->atoms->reader.lines;
    if (count == 4 && strlen(words[2]) == 3 && strcmp(words[2] + 1, "lo") == 0 &&
        words[2][0] >= 'x' && words[2][0] <= 'z')
        return read_bounds(file, words);
    if (count == 6 && strcmp(words[3], "xy") == 0 && strcmp(words[4], "xz") == 0 &&
        strcmp(words[5], "yz") == 0)
        return tw_lines_read_numbers(lines, words, 3, file->tilt);
    if (count == 2 && strcmp(words[1], "atoms") == 0) {
        if (file->counted) return tw_lines_refuse(lines, "the number of atoms is given twice");
        file->counted = true;
        return tw_lines_read_numbers(lines, words, 1, &file->declared);
    }
    if (count < 2)
        return tw_lines_refuse(lines, "no keyword after %s",
                               tw_text_quote(words[0], strlen(words[0])).text);
    return read_count(file, words, count);
}

static bool finish_header(data_file *file)
{
    tw_lines *lines = &file->atoms->reader.lines;
    for (int k = 0; k < 3; k++) {
        if (!file->bounded[k])
            return tw_lines_refuse(lines, "the header has no box bounds %clo %chi", 'x' + k,
                                   'x' + k);
    }
    if (!file->counted) return tw_lines_refuse(lines, "the header has no number of atoms");
    const double *low = file->low, *high = file->high, *tilt = file->tilt;
    const tw_mat3 h = {
        {high[0] - low[0], tilt[0], tilt[1], 0, high[1] - low[1], tilt[2], 0, 0, high[2] - low[2]}};
    file->atoms->h = h;
    file->atoms->origin = tw_vec3_make(low[0], low[1], low[2]);
    for (int k = 0; k < 3; k++)
        file->atoms->reader.specimen->periodic[k] = 1;
    return true;
}

static bool set_columns(data_file *file, const char *columns, bool images)
{
    char text[128], *names[WORDS_MAX];
    snprintf(text, sizeof text, "%s%s", columns, images ? " ix iy iz" : "");
    const size_t count = tw_lines_split_blanks(text, names, WORDS_MAX);
    return tw_atoms_set_columns(file->atoms, names, count);
}

static size_t fields_in(const char *columns)
{
    size_t count = 1;
    for (; *columns; columns++)
        count += *columns == ' ';
    return count;
}

/* The columns of the style that the file names, or of the one with this number of fields. */
static bool choose_columns(data_file *file, size_t fields)
{
    const char *style = file->style;
    for (size_t i = 0; i < STYLES; i++) {
        const size_t wanted = fields_in(styles[i].columns);
        if (style[0] ? strcmp(style, styles[i].style) != 0 : i > 1) continue;
        if (fields == wanted || fields == wanted + 3)
            return set_columns(file, styles[i].columns, fields == wanted + 3);
        if (style[0])
            return tw_lines_refuse(
                &file->atoms->reader.lines,
                "wrong number of fields: %zu; style %s has '%s', with or without ix iy iz", fields,
                style, styles[i].columns);
    }
    if (style[0])
        return tw_lines_refuse(&file->atoms->reader.lines,
                               "unknown atom_style %s; expected sphere, hybrid sphere molecular or "
                               "bpm/sphere",
                               style);
    return tw_lines_refuse(
        &file->atoms->reader.lines,
        "wrong number of fields: %zu; atom_style sphere has '%s', hybrid sphere molecular '%s'",
        fields, styles[0].columns, styles[1].columns);
}

/* The words after #, with single blanks between them. */
static void take_style(data_file *file)
{
    const char *text = file->atoms->reader.lines.text;
    char *style = file->style;
    const char *comment = strchr(text, '#');
    char copy[64] = "", *words[4];
    if (comment) snprintf(copy, sizeof copy, "%s", comment + 1);
    const size_t count = tw_lines_split_blanks(copy, words, 4);
    style[0] = '\0';
    for (size_t i = 0; i < count && i < 4; i++) {
        const size_t used = strlen(style);
        snprintf(style + used, sizeof file->style - used, "%s%s", i ? " " : "", words[i]);
    }
}

/* Whether the line begins a section; rows begin with a number. */
static bool is_section(const char *text)
{
    return isalpha((unsigned char)text[strspn(text, " \t")]) != 0;
}

/* Reads the rows of a section up to the line that begins the next one; *more: there is one. */
static bool read_rows(data_file *file, bool (*take)(data_file *file), bool *more)
{
    tw_lines *lines = &file->atoms->reader.lines;
    *more = false;
    while (tw_lines_next_filled(lines)) {
        if (is_section(lines->text)) {
            *more = true;
            return true;
        }
        char *text = lines->text + strspn(lines->text, " \t");
        if (*text == '#') continue;
        lines->text[strcspn(lines->text, "#")] = '\0';
        if (take && !take(file)) return false;
    }
    return lines->status == TW_STATUS_OK;
}

static bool take_atom(data_file *file)
{
    tw_atoms *atoms = file->atoms;
    if (atoms->count == 0) {
        char copy[TW_LINES_LENGTH_MAX + 1], *fields[1];
        memcpy(copy, atoms->reader.lines.text, strlen(atoms->reader.lines.text) + 1);
        if (!choose_columns(file, tw_lines_split_blanks(copy, fields, 1))) return false;
    }
    return tw_atoms_read_row(atoms);
}

static bool take_velocity(data_file *file)
{
    return tw_atoms_read_velocity(file->atoms);
}

static bool read_atoms(data_file *file, bool *more)
{
    tw_lines *lines = &file->atoms->reader.lines;
    if (file->sorted) return tw_lines_refuse(lines, "there is a second section Atoms");
    take_style(file);
    if (!read_rows(file, take_atom, more)) return false;
    if ((double)file->atoms->count != file->declared)
        return tw_lines_refuse(lines, "the number of atoms is %zu, but the header states %.17g",
                               file->atoms->count, file->declared);
    file->sorted = true;
    const size_t number = lines->number;
    if (!tw_atoms_sort(file->atoms)) return false;
    lines->number = number;
    return true;
}

/* Takes memory for the laws of all pairs of types; those with kn = 0 are not given. */
static bool begin_laws(data_file *file)
{
    tw_specimen *specimen = file->atoms->reader.specimen;
    tw_lines *lines = &file->atoms->reader.lines;
    if (specimen->laws) return tw_lines_refuse(lines, "there is a second section PairIJ Coeffs");
    if (!tw_lines_is_integer(file->types, 1.0) || file->types > TYPES_MAX)
        return tw_lines_refuse(lines,
                               "the section PairIJ Coeffs needs a header with 1 to %d atom "
                               "types",
                               (int)TYPES_MAX);
    specimen->types = (uint32_t)file->types;
    specimen->laws = calloc((size_t)specimen->types * specimen->types, sizeof *specimen->laws);
    if (specimen->laws) return true;
    lines->status = tw_error_set_memory(lines->error);
    return false;
}

/* A row `i j` and the coefficients of pair_style twirl. */
static bool take_law(data_file *file)
{
    tw_specimen *specimen = file->atoms->reader.specimen;
    tw_lines *lines = &file->atoms->reader.lines;
    char *words[WORDS_MAX];
    double ij[2];
    const size_t count = tw_lines_split_blanks(lines->text, words, WORDS_MAX);
    if (count < 3 || count > WORDS_MAX)
        return tw_lines_refuse(lines,
                               "expected two types and the coefficients of pair_style twirl");
    if (!tw_lines_read_numbers(lines, words, 2, ij)) return false;
    for (int k = 0; k < 2; k++) {
        if (!tw_lines_is_integer(ij[k], 1.0) || ij[k] > (double)specimen->types)
            return tw_lines_refuse(lines, "there is no atom type %.17g: the header has %u", ij[k],
                                   specimen->types);
    }
    const size_t i = (size_t)ij[0] - 1, j = (size_t)ij[1] - 1, n = specimen->types;
    tw_contact_law law = tw_contact_law_default();
    if (!tw_lammps_law_read(lines, words + 2, count - 2, &law)) return false;
    specimen->laws[i * n + j] = specimen->laws[j * n + i] = law;
    return true;
}

static bool read_laws(data_file *file, bool *more)
{
    if (!begin_laws(file) || !read_rows(file, take_law, more)) return false;
    const tw_specimen *specimen = file->atoms->reader.specimen;
    const size_t n = specimen->types;
    for (size_t k = 0; k < n * n; k++) {
        if (!(specimen->laws[k].kn > 0.0))
            return tw_lines_refuse(&file->atoms->reader.lines,
                                   "the section PairIJ Coeffs has no row for types %zu %zu",
                                   k / n + 1, k % n + 1);
    }
    return true;
}

static bool read_section(data_file *file, bool *more)
{
    static const char *const ignored[] = {"Masses", "Coeffs"};
    tw_lines *lines = &file->atoms->reader.lines;
    char copy[64] = "", *words[4];
    snprintf(copy, sizeof copy, "%.*s", (int)strcspn(lines->text, "#"), lines->text);
    const size_t count = tw_lines_split_blanks(copy, words, 4);
    if (count == 1 && strcmp(words[0], "Atoms") == 0) return read_atoms(file, more);
    if (count == 1 && strcmp(words[0], "Velocities") == 0) {
        if (!file->sorted)
            return tw_lines_refuse(lines, "the section Velocities must follow Atoms");
        return read_rows(file, take_velocity, more);
    }
    if (count == 2 && strcmp(words[0], "PairIJ") == 0 && strcmp(words[1], "Coeffs") == 0) {
        take_style(file);
        if (strcmp(file->style, "twirl") == 0) return read_laws(file, more);
    }
    for (size_t i = 0; i < 2 && count > 0 && count <= 4; i++) {
        if (strcmp(words[count - 1], ignored[i]) == 0) return read_rows(file, NULL, more);
    }
    return tw_lines_refuse(
        lines,
        "unknown section %s; expected Atoms, Velocities or PairIJ Coeffs (Masses "
        "and other Coeffs are ignored)",
        tw_text_quote(lines->text, strlen(lines->text)).text);
}

static bool read_data(tw_specimen_reader *reader)
{
    tw_atoms *atoms = (tw_atoms *)reader;
    data_file file = {.atoms = atoms};
    tw_lines *lines = &atoms->reader.lines;
    bool more = false;
    if (!tw_lines_next(lines))
        return lines->status == TW_STATUS_OK && tw_lines_refuse(lines, "the file is empty");
    while (!more && tw_lines_next_filled(lines)) {
        char *words[WORDS_MAX];
        more = is_section(lines->text);
        const size_t count = more ? 0 : words_of(lines, words);
        if (count > WORDS_MAX) return tw_lines_refuse(lines, "header line with %zu words", count);
        if (count > 0 && !read_header_line(&file, words, count)) return false;
    }
    if (lines->status != TW_STATUS_OK || !finish_header(&file)) return false;
    while (more)
        if (!read_section(&file, &more)) return false;
    if (!file.sorted) return tw_lines_refuse(lines, "the file has no section Atoms");
    return tw_atoms_finish(atoms);
}

tw_specimen *tw_specimen_read_lammps_data(const char *path, tw_error *error)
{
    return tw_atoms_read(path, read_data, error);
}

/* A text dump of LAMMPS, "dump custom". The last frame is read. */

typedef struct dump_file {
    tw_atoms *atoms;
    size_t count; /* atoms of the frame */
    bool counted, bounded, filled;
    bool turned;  /* tw_export_lammps has turned the frame, */
    tw_mat3 turn; /* by this */
} dump_file;

/* The next line, which must exist: the frame is not complete. */
static bool next(dump_file *file, const char *what)
{
    tw_lines *lines = &file->atoms->reader.lines;
    if (tw_lines_next_filled(lines)) return true;
    return lines->status == TW_STATUS_OK &&
           tw_lines_refuse(lines, "the file ends here; expected %s", what);
}

static bool read_units(dump_file *file)
{
    return next(file, "the units") &&
           tw_lammps_frame_read_turn(&file->atoms->reader.lines, &file->turn, &file->turned);
}

/* Back to the axes of the simulation. */
static void turn_back(dump_file *file)
{
    tw_atoms *atoms = file->atoms;
    const tw_mat3 back = tw_mat3_transpose(file->turn);
    atoms->h = tw_mat3_mul(back, atoms->h);
    atoms->origin = tw_mat3_mul_vec(back, atoms->origin);
    for (size_t i = 0; i < atoms->count; i++) {
        tw_atoms_atom *a = &atoms->atom[i];
        tw_vec3 *const vectors[] = {&a->sphere.centre, &a->v, &a->w, &a->result.displacement};
        for (size_t k = 0; k < sizeof vectors / sizeof *vectors; k++)
            *vectors[k] = tw_mat3_mul_vec(back, *vectors[k]);
    }
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
static bool dump_read_bounds(dump_file *file, bool tilted)
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
    if (!(general ? read_edges(file) : dump_read_bounds(file, tilted))) return false;
    const double volume = tw_mat3_det(file->atoms->h);
    if (!(fabs(volume) > 0.0) || !isfinite(volume))
        return tw_lines_refuse(lines, "the box volume is %g", volume);
    file->bounded = true;
    return true;
}

static bool dump_read_atoms(dump_file *file, char **names, size_t count)
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
    if (file->turned) turn_back(file);
    file->filled = true;
    file->counted = file->bounded = file->turned = false;
    return true;
}

static bool dump_read_count(dump_file *file)
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
    if (strcmp(words[1], "ATOMS") == 0) return dump_read_atoms(file, words + 2, count - 2);
    if (strcmp(words[1], "BOX") == 0 && count >= 3) return read_box(file, words + 3, count - 3);
    if (strcmp(words[1], "NUMBER") == 0 && count == 4 && strcmp(words[3], "ATOMS") == 0)
        return dump_read_count(file);
    if (strcmp(words[1], "UNITS") == 0) return read_units(file);
    if (strcmp(words[1], "TIMESTEP") == 0 || strcmp(words[1], "TIME") == 0)
        return next(file, "the value of the item");
    return tw_lines_refuse(lines, "unknown item %s; expected a dump of style custom", shown.text);
}

static bool read_dump(tw_specimen_reader *reader)
{
    tw_atoms *atoms = (tw_atoms *)reader;
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
