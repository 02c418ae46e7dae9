/* SPDX-License-Identifier: BSD-3-Clause */
#include "exchange/mesh_read.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include <twirl/exchange.h>
#include <twirl/vec3.h>

#include "base/environment.h"
#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/text_file.h"

enum { STL_HEAD = 84, STL_FACET = 50, CORNERS_MAX = 64 /* of a polygon */ };

static bool has_ending(const char *path, const char *ending)
{
    const size_t length = strlen(path), end = strlen(ending);
    return length > end && strcasecmp(path + length - end, ending) == 0;
}

/* The first word of a file of text; false for others. */
static bool read_first_word(const char *path, char *word, size_t size)
{
    tw_lines lines;
    char *field = "";
    if (!tw_lines_open(&lines, path, NULL)) return false;
    bool found = tw_lines_next_filled(&lines);
    while (found && lines.text[strspn(lines.text, " \t")] == '#')
        found = tw_lines_next_filled(&lines);
    if (found) (void)tw_lines_split_blanks(lines.text, &field, 1);
    snprintf(word, size, "%s", field);
    tw_lines_close(&lines);
    return found;
}

/* ---- STL: triangles, each with its corners ---- */

static uint32_t little(const unsigned char *b)
{
    return b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
}

static double little_float(const unsigned char *b)
{
    const uint32_t bits = little(b);
    float value;
    memcpy(&value, &bits, sizeof value);
    return (double)value;
}

/* A binary file may begin as one of text does: its length decides. */
static bool is_binary(const char *path, uint64_t *bytes, uint32_t *facets)
{
    unsigned char head[STL_HEAD] = {0};
    FILE *file = tw_read_file_stream(path);
    if (!file) return false;
    const size_t got = fread(head, 1, sizeof head, file);
    (void)fclose(file);
    const int descriptor = tw_read_file_open(path, bytes);
    if (descriptor >= 0) (void)close(descriptor);
    *facets = little(head + 80);
    return got == sizeof head && *bytes == STL_HEAD + (uint64_t)STL_FACET * *facets;
}

bool tw_mesh_read_is_stl(const char *path)
{
    char word[8] = "";
    uint64_t bytes = 0;
    uint32_t facets;
    return has_ending(path, ".stl") || is_binary(path, &bytes, &facets) ||
           (read_first_word(path, word, sizeof word) && strcasecmp(word, "solid") == 0);
}

static tw_status read_binary(tw_mesh_soup *soup, const char *path, tw_error *error)
{
    size_t length;
    char *text = tw_read_file_all(path, &length, error);
    if (!text) return error->status;
    tw_error wrong;
    tw_status status = TW_STATUS_OK;
    const size_t facets =
        length < STL_HEAD ? 0 : (length - STL_HEAD) / STL_FACET; /* it may shrink */
    for (size_t i = 0; i < facets && status == TW_STATUS_OK; i++) {
        const unsigned char *at = (const unsigned char *)text + STL_HEAD + STL_FACET * i;
        tw_vec3 corner[3];
        for (int k = 0; k < 3; k++) {
            const unsigned char *c = at + 12 + 12 * k; /* after a normal */
            corner[k] = tw_vec3_make(little_float(c), little_float(c + 4), little_float(c + 8));
        }
        status = tw_mesh_soup_add(soup, corner[0], corner[1], corner[2], (uint32_t)i + 1, &wrong);
    }
    if (status != TW_STATUS_OK)
        tw_error_set(error, status, "%s: %s", tw_error_shorten_path(path).text, wrong.text);
    free(text);
    return status;
}

static bool read_corner(tw_lines *lines, char **fields, size_t count, size_t most, tw_vec3 *x)
{
    double value[3];
    if (count < 4 || count > most)
        return tw_lines_refuse(lines, "%zu numbers after %s; expected x y z", count - 1, fields[0]);
    if (!tw_lines_read_numbers(lines, fields + 1, 3, value)) return false;
    *x = tw_vec3_make(value[0], value[1], value[2]);
    return true;
}

static bool add_facet(tw_lines *lines, tw_mesh_soup *soup, const tw_vec3 *corner, uint32_t number)
{
    tw_error wrong;
    const tw_status status =
        tw_mesh_soup_add(soup, corner[0], corner[1], corner[2], number, &wrong);
    if (status == TW_STATUS_MEMORY) lines->status = tw_error_set_memory(lines->error);
    if (status == TW_STATUS_INPUT) (void)tw_lines_refuse(lines, "%s", wrong.text);
    return status == TW_STATUS_OK;
}

/* Normals are ignored: they follow from the corners. */
static bool read_stl(tw_lines *lines, tw_mesh_soup *soup)
{
    static const char *const others[] = {"solid", "outer", "endloop", "endsolid"};
    char *fields[5];
    tw_vec3 corner[3];
    uint32_t number = 0;
    int corners = -1; /* outside of a facet */
    while (tw_lines_next_filled(lines)) {
        const size_t count = tw_lines_split_blanks(lines->text, fields, 5);
        const char *word = fields[0];
        bool known = false;
        for (size_t k = 0; k < sizeof others / sizeof *others; k++)
            known = known || strcasecmp(word, others[k]) == 0;
        if (strcasecmp(word, "facet") == 0) {
            if (corners >= 0) return tw_lines_refuse(lines, "facet; expected vertex or endfacet");
            corners = 0;
        } else if (strcasecmp(word, "vertex") == 0) {
            if (corners < 0 || corners == 3)
                return tw_lines_refuse(lines, "vertex; expected %s",
                                       corners < 0 ? "facet first" : "endfacet after three");
            if (!read_corner(lines, fields, count, 4, &corner[corners++])) return false;
        } else if (strcasecmp(word, "endfacet") == 0) {
            if (corners != 3)
                return tw_lines_refuse(lines, "endfacet; expected three vertices first");
            if (!add_facet(lines, soup, corner, ++number)) return false;
            corners = -1;
        } else if (!known) {
            return tw_lines_refuse(lines,
                                   "%s; expected facet, vertex, endfacet or another word of STL",
                                   tw_text_quote(word, strlen(word)).text);
        }
    }
    if (lines->status == TW_STATUS_OK && corners >= 0)
        return tw_lines_refuse(lines, "the file ends within a facet");
    return lines->status == TW_STATUS_OK;
}

/* ---- OBJ: vertices, and polygons by their numbers ---- */

static const char *const obj_words[] = {"v", "f", "vn", "vt",     "vp",     "o", "g",
                                        "s", "l", "p",  "mtllib", "usemtl", "#"};

static bool is_obj_word(const char *word)
{
    for (size_t k = 0; k < sizeof obj_words / sizeof *obj_words; k++)
        if (strcmp(word, obj_words[k]) == 0) return true;
    return word[0] == '#';
}

bool tw_mesh_read_is_obj(const char *path)
{
    char word[8] = "";
    return has_ending(path, ".obj") ||
           (read_first_word(path, word, sizeof word) && is_obj_word(word));
}

typedef struct obj_file {
    tw_lines lines;
    tw_mesh_soup *soup;
    tw_vec3 *vertex;
    size_t count, capacity;
    uint32_t polygons;
} obj_file;

/* "7", "7/1", "7//3", "7/1/3"; -1 is the last vertex so far. */
static bool read_obj_number(obj_file *file, char *field, tw_vec3 *x)
{
    double value;
    field[strcspn(field, "/")] = '\0';
    if (!tw_lines_read_number(&file->lines, NULL, field, &value)) return false;
    if (value < 0.0) value += (double)file->count + 1.0;
    if (!tw_lines_is_integer(value, 1.0) || value > (double)file->count)
        return tw_lines_refuse(&file->lines, "vertex %s; there are %zu before it",
                               tw_text_quote(field, strlen(field)).text, file->count);
    *x = file->vertex[(size_t)value - 1];
    return true;
}

/* A fan of triangles, which must look to one side. */
static bool read_polygon(obj_file *file, char **fields, size_t count)
{
    tw_vec3 corner[CORNERS_MAX], first = {0.0, 0.0, 0.0};
    if (count < 4 || count - 1 > CORNERS_MAX)
        return tw_lines_refuse(&file->lines, "a polygon of %zu corners; expected 3 to %d",
                               count - 1, CORNERS_MAX);
    file->polygons++;
    for (size_t i = 0; i + 1 < count; i++)
        if (!read_obj_number(file, fields[i + 1], &corner[i])) return false;
    for (size_t i = 1; i + 2 < count; i++) {
        const tw_vec3 part[] = {corner[0], corner[i], corner[i + 1]};
        const tw_vec3 n =
            tw_vec3_cross(tw_vec3_sub(part[1], part[0]), tw_vec3_sub(part[2], part[0]));
        if (i == 1) first = n;
        if (tw_vec3_dot(n, first) < 0.0)
            return tw_lines_refuse(&file->lines,
                                   "a polygon that is not convex; divide it into triangles");
        if (!add_facet(&file->lines, file->soup, part, file->polygons)) return false;
    }
    return true;
}

static bool read_obj(obj_file *file)
{
    char *fields[CORNERS_MAX + 2];
    while (tw_lines_next_filled(&file->lines)) {
        const size_t count = tw_lines_split_blanks(file->lines.text, fields, CORNERS_MAX + 2);
        tw_vec3 x;
        if (!is_obj_word(fields[0]))
            return tw_lines_refuse(&file->lines, "%s; expected v, f or another word of OBJ",
                                   tw_text_quote(fields[0], strlen(fields[0])).text);
        if (strcmp(fields[0], "f") == 0 && !read_polygon(file, fields, count)) return false;
        if (strcmp(fields[0], "v") != 0) continue;
        if (!read_corner(&file->lines, fields, count, 8, &x)) return false; /* weight or colour */
        if (tw_buffer_reserve(&file->vertex, &file->capacity, file->count + 1,
                              sizeof *file->vertex) != TW_STATUS_OK) {
            file->lines.status = tw_error_set_memory(file->lines.error);
            return false;
        }
        file->vertex[file->count++] = x;
    }
    return file->lines.status == TW_STATUS_OK;
}

/* ---- Both ---- */

static bool read_text(obj_file *file, const char *path)
{
    char word[8] = "";
    if (!tw_mesh_read_is_stl(path)) return read_obj(file);
    if (read_first_word(path, word, sizeof word) && strcasecmp(word, "solid") == 0)
        return read_stl(&file->lines, file->soup);
    file->lines.status = tw_error_set(
        file->lines.error, TW_STATUS_INPUT,
        "%s: neither STL of text, which begins with solid, nor binary STL of the length that its "
        "header says",
        tw_error_shorten_path(path).text);
    return false;
}

tw_status tw_mesh_read(tw_mesh *mesh, const char *path, double scale, tw_error *error)
{
    TW_CALL_HERE(mesh && path);
    tw_mesh_soup soup = {0};
    tw_error local;
    uint64_t bytes = 0;
    uint32_t facets;
    tw_error *found = error ? error : &local;
    memset(mesh, 0, sizeof *mesh);
    tw_error_clear(found);
    tw_status status = TW_STATUS_OK;
    if (is_binary(path, &bytes, &facets)) {
        status = read_binary(&soup, path, found);
    } else {
        obj_file file = {.soup = &soup};
        if (tw_lines_open(&file.lines, path, found)) (void)read_text(&file, path);
        status = file.lines.status;
        tw_lines_close(&file.lines);
        free(file.vertex);
    }
    if (status == TW_STATUS_OK) {
        status = tw_mesh_make(mesh, &soup, scale, &local);
        if (status != TW_STATUS_OK)
            tw_error_set(found, status, "%s: %s", tw_error_shorten_path(path).text, local.text);
    }
    tw_mesh_soup_free(&soup);
    return status;
}
