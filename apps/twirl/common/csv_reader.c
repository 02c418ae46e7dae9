/* SPDX-License-Identifier: BSD-3-Clause */
#include "common/csv_reader.h"

#include "base/error.h"
#include "base/text.h"

#include <errno.h>
#include <stdarg.h>
#include <string.h>
#include <sys/stat.h>

/* A field of the line being read, trimmed and ended with NUL in place. */
typedef struct field {
    char *text;
    size_t length;
} field;

tw_csv_status tw_csv_reader_refuse(tw_csv_reader *reader, const char *format, ...)
{
    const int used =
        snprintf(reader->error, sizeof reader->error, "%s:%llu: ", reader->name, reader->line);
    if (used < 0 || (size_t)used >= sizeof reader->error) return TW_CSV_BAD;
    va_list rest;
    va_start(rest, format);
    vsnprintf(reader->error + used, sizeof reader->error - (size_t)used, format, rest);
    va_end(rest);
    return TW_CSV_BAD;
}

static tw_csv_status fail(tw_csv_reader *reader, tw_csv_status status, const char *what)
{
    snprintf(reader->error, sizeof reader->error, "%s: %s", reader->name, what);
    return status;
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

/* Into a fixed buffer: input without line ends must not use up the memory. */
static tw_csv_status read_line(tw_csv_reader *reader, size_t *length)
{
    size_t used = 0;
    int c;
    reader->line++;
    while ((c = getc_unlocked(reader->file)) != EOF && c != '\n') {
        if (used < TW_CSV_LINE_MAX) {
            reader->text[used++] = (char)c;
        } else if (reader->text[0] != '#') {
            return tw_csv_reader_refuse(reader, "line exceeds the limit of %d bytes",
                                        TW_CSV_LINE_MAX);
        }
    }
    if (c == EOF && ferror(reader->file))
        return fail(reader, TW_CSV_FAILED, tw_error_reason_of(errno).text);
    if (c == EOF && used == 0) {
        reader->line--;
        return TW_CSV_END;
    }
    if (used > 0 && reader->text[used - 1] == '\r') used--;
    if (reader->line == 1 && used >= 3 && memcmp(reader->text, "\xEF\xBB\xBF", 3) == 0) {
        used -= 3;
        memmove(reader->text, reader->text + 3, used);
    }
    reader->text[used] = '\0';
    *length = used;
    return TW_CSV_ROW;
}

static tw_csv_status read_content_line(tw_csv_reader *reader, size_t *length)
{
    for (;;) {
        const tw_csv_status status = read_line(reader, length);
        if (status != TW_CSV_ROW) return status;
        size_t first = 0;
        while (is_blank(reader->text[first]))
            first++;
        if (first < *length && reader->text[first] != '#') return TW_CSV_ROW;
    }
}

/* Takes the next field off the line; *cursor is NULL once the last one is taken. */
static field take_field(char **cursor, const char *line_end)
{
    char *text = *cursor;
    char *comma = memchr(text, ',', (size_t)(line_end - text));
    char *end = comma ? comma : text + (line_end - text);
    *cursor = comma ? comma + 1 : NULL;
    while (text < end && is_blank(*text))
        text++;
    while (end > text && is_blank(end[-1]))
        end--;
    *end = '\0';
    return (field){text, (size_t)(end - text)};
}

static bool has_nul(field f)
{
    return strlen(f.text) != f.length;
}

static tw_csv_status refuse_column(tw_csv_reader *reader, field f)
{
    const char *known[TW_CSV_COLUMNS_MAX];
    for (size_t i = 0; i < reader->column_count; i++)
        known[i] = reader->columns[i].name;
    const tw_text_quotation shown = tw_text_quote(f.text, f.length);
    double number;
    if (!has_nul(f) && !tw_text_number(f.text, &number)) {
        return tw_csv_reader_refuse(
            reader, "%s is a number, but a column name is expected: the header is missing",
            shown.text);
    }
    const char *nearest = tw_nearest(f.text, known, reader->column_count);
    if (nearest)
        return tw_csv_reader_refuse(reader, "unknown column %s: did you mean '%s'?", shown.text,
                                    nearest);
    char list[400] = "";
    for (size_t i = 0, used = 0; i < reader->column_count && used < sizeof list; i++)
        used += (size_t)snprintf(list + used, sizeof list - used, "%s%s", i ? ", " : "", known[i]);
    return tw_csv_reader_refuse(reader, "unknown column %s: known columns are %s", shown.text,
                                list);
}

/* Required columns are present, and groups are complete. */
static tw_csv_status check_presence(tw_csv_reader *reader)
{
    for (size_t i = 0; i < reader->column_count; i++) {
        const tw_csv_column *column = &reader->columns[i];
        if (reader->present[i]) continue;
        if (column->group == 0) {
            return tw_csv_reader_refuse(reader, "column '%s' is missing", column->name);
        }
        for (size_t j = 0; j < reader->column_count; j++) {
            if (reader->columns[j].group != column->group || !reader->present[j]) continue;
            return tw_csv_reader_refuse(reader,
                                        "column '%s' is missing: '%s' is present and requires it",
                                        column->name, reader->columns[j].name);
        }
    }
    return TW_CSV_ROW;
}

static tw_csv_status read_header(tw_csv_reader *reader)
{
    size_t length = 0;
    const tw_csv_status status = read_content_line(reader, &length);
    if (status == TW_CSV_END) {
        return fail(reader, TW_CSV_BAD, "no header: the first line must name the columns");
    }
    if (status != TW_CSV_ROW) return status;
    char *cursor = reader->text;
    while (cursor) {
        const field f = take_field(&cursor, reader->text + length);
        size_t column = 0;
        while (column < reader->column_count &&
               (has_nul(f) || strcmp(f.text, reader->columns[column].name) != 0))
            column++;
        if (column == reader->column_count) return refuse_column(reader, f);
        if (reader->present[column]) {
            return tw_csv_reader_refuse(reader, "column '%s' appears twice", f.text);
        }
        reader->present[column] = true;
        reader->column_of[reader->field_count++] = column;
    }
    return check_presence(reader);
}

tw_csv_status tw_csv_reader_open(tw_csv_reader *reader, const char *path,
                                 const tw_csv_column *columns, size_t column_count)
{
    const bool standard = !path || strcmp(path, "-") == 0;
    reader->columns = columns;
    reader->column_count = column_count;
    reader->field_count = 0;
    memset(reader->present, 0, sizeof reader->present);
    reader->name = standard ? "stdin" : path;
    reader->line = 0;
    reader->file = standard ? stdin : fopen(path, "r");
    if (!reader->file) return fail(reader, TW_CSV_BAD, tw_error_reason_of(errno).text);
    struct stat about;
    if (fstat(fileno(reader->file), &about) == 0 && S_ISDIR(about.st_mode)) {
        return fail(reader, TW_CSV_BAD, tw_error_reason_of(EISDIR).text);
    }
    return read_header(reader);
}

static tw_csv_status refuse_field_count(tw_csv_reader *reader, size_t seen, const char *extra)
{
    if (seen < reader->field_count) {
        const size_t column = reader->column_of[seen];
        return tw_csv_reader_refuse(reader, "column '%s' is missing: the row has %zu of %zu fields",
                                    reader->columns[column].name, seen, reader->field_count);
    }
    const size_t last = reader->column_of[reader->field_count - 1];
    return tw_csv_reader_refuse(
        reader, "unexpected field %s after the last column '%s': the header has %zu",
        tw_text_quote(extra, strlen(extra)).text, reader->columns[last].name, reader->field_count);
}

tw_csv_status tw_csv_reader_next(tw_csv_reader *reader, double *values)
{
    size_t length = 0;
    const tw_csv_status status = read_content_line(reader, &length);
    if (status != TW_CSV_ROW) return status;
    for (size_t i = 0; i < reader->column_count; i++)
        values[i] = 0.0;
    char *cursor = reader->text;
    for (size_t i = 0; i < reader->field_count; i++) {
        if (!cursor) return refuse_field_count(reader, i, NULL);
        const size_t column = reader->column_of[i];
        const field f = take_field(&cursor, reader->text + length);
        const char *problem =
            has_nul(f) ? "contains a NUL byte" : tw_text_number(f.text, &values[column]);
        if (problem) {
            return tw_csv_reader_refuse(reader, "column '%s': %s %s", reader->columns[column].name,
                                        tw_text_quote(f.text, f.length).text, problem);
        }
    }
    return cursor ? refuse_field_count(reader, reader->field_count, cursor) : TW_CSV_ROW;
}

void tw_csv_reader_close(tw_csv_reader *reader)
{
    if (reader->file && reader->file != stdin) fclose(reader->file);
    reader->file = NULL;
}
