/* SPDX-License-Identifier: BSD-3-Clause */
#include "scenario/shape_file.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/text.h"

enum { COLUMNS = 4, ROWS_MAX = 100000 };
static const char *const names[COLUMNS] = {"x", "y", "z", "r"};

typedef struct shape_file {
    const tw_review *review;
    tw_tree_node *node;
    const tw_key_path *key_path;
    const char *path;
    unsigned long line;
    int column_of[COLUMNS]; /* by field */
    double *value;
    size_t count, capacity; /* rows; numbers */
} shape_file;

TW_PRINTF_LIKE(2, 3) static bool refuse(const shape_file *file, const char *format, ...)
{
    char text[400];
    const char *slash = strrchr(file->path, '/');
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    tw_review_error(file->review, file->node, file->key_path, "file", "%s:%lu: %s",
                    slash ? slash + 1 : file->path, file->line, text);
    return false;
}

/* Cuts the line at blanks and commas, in place; returns the number of fields. */
static size_t split(char *text, char **fields)
{
    static const char between[] = " \t\r\n,;";
    size_t count = 0;
    text[strcspn(text, "#")] = '\0';
    for (char *at = text + strspn(text, between); *at; at += strspn(at, between)) {
        if (count < COLUMNS) fields[count] = at;
        count++;
        at += strcspn(at, between);
        if (*at) *at++ = '\0';
    }
    return count;
}

static bool take_names(shape_file *file, char **fields)
{
    bool present[COLUMNS] = {false};
    for (int i = 0; i < COLUMNS; i++) {
        const char *name = strcmp(fields[i], "radius") == 0 ? "r" : fields[i];
        int k = 0;
        while (k < COLUMNS && (present[k] || strcmp(name, names[k]) != 0))
            k++;
        if (k == COLUMNS)
            return refuse(file, "column %s; expected the names x y z r, or four numbers",
                          tw_text_quote(fields[i], strlen(fields[i])).text);
        present[k] = true;
        file->column_of[i] = k;
    }
    return true;
}

static bool add_row(shape_file *file, char **fields)
{
    if (file->count >= ROWS_MAX) return refuse(file, "exceeds the limit of %d spheres", ROWS_MAX);
    if (tw_buffer_reserve(&file->value, &file->capacity, COLUMNS * (file->count + 1),
                          sizeof *file->value) != TW_STATUS_OK) {
        tw_diagnostics_out_of_memory(file->review->diagnostics);
        return false;
    }
    for (int i = 0; i < COLUMNS; i++) {
        double *value = &file->value[COLUMNS * file->count + (size_t)file->column_of[i]];
        const char *problem = tw_text_number(fields[i], value);
        if (problem)
            return refuse(file, "%s %s", tw_text_quote(fields[i], strlen(fields[i])).text, problem);
    }
    file->count++;
    return true;
}

static bool take_line(shape_file *file, char *text)
{
    char *fields[COLUMNS];
    double number;
    const size_t count = split(text, fields);
    if (count == 0) return true;
    if (count != COLUMNS) return refuse(file, "%zu values; expected x y z r of a sphere", count);
    if (file->count == 0 && tw_text_number(fields[0], &number) != NULL)
        return take_names(file, fields);
    return add_row(file, fields);
}

static bool take_lines(shape_file *file, FILE *stream)
{
    char *text = NULL;
    size_t capacity = 0;
    bool good = true;
    for (ssize_t length; good && (length = getline(&text, &capacity, stream)) >= 0;) {
        file->line++;
        good = strlen(text) == (size_t)length ? take_line(file, text)
                                              : refuse(file, "NUL byte: not a text file");
    }
    if (good && ferror(stream)) good = refuse(file, "%s", tw_error_reason_of(errno).text);
    if (good && file->count == 0) good = refuse(file, "the file has no spheres");
    free(text);
    return good;
}

static void read_one(shape_file *file, tw_scenario_shape *shape)
{
    for (int i = 0; i < COLUMNS; i++)
        file->column_of[i] = i;
    FILE *stream = tw_read_file_stream(file->path);
    if (!stream) {
        refuse(file, "%s", tw_error_reason_of(errno).text);
        return;
    }
    if (take_lines(file, stream)) {
        shape->spheres = (tw_scenario_rows){file->value, file->count};
        file->value = NULL;
    }
    free(file->value);
    (void)fclose(stream);
}

void tw_shape_file_read_all(const tw_review *review, tw_scenario_specimen *specimen)
{
    const tw_key_path top = {NULL, "specimen", 0}, shapes = {&top, "shapes", 0};
    const tw_tree_node *list = tw_tree_find(tw_tree_find(review->root, "specimen"), "shapes");
    for (size_t i = 0; i < specimen->shape_count; i++) {
        tw_scenario_shape *shape = &specimen->shapes[i];
        const tw_key_path here = {&shapes, NULL, i + 1};
        tw_tree_node *node = tw_tree_item(list, i + 1);
        if (!shape->file || !node || node->invalid) continue;
        shape_file file = {.review = review, .node = node, .key_path = &here, .path = shape->file};
        read_one(&file, shape);
    }
}
