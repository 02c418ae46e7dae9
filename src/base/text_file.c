/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/text_file.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include "base/file.h"

static bool lines_fail(tw_lines *lines, tw_status status)
{
    lines->status = status;
    return false;
}

bool tw_lines_open(tw_lines *lines, const char *path, tw_error *error)
{
    lines->path = path;
    lines->number = 0;
    lines->ended = false;
    lines->status = TW_STATUS_OK;
    lines->error = error;
    lines->file = tw_read_file_stream(path);
    if (!lines->file) return lines_fail(lines, tw_error_set_system(error, "read", path));
    if (tw_c_locale_push(&lines->plain)) return true;
    lines->status = tw_error_set_memory(error);
    (void)fclose(lines->file);
    lines->file = NULL;
    return false;
}

void tw_lines_close(tw_lines *lines)
{
    if (!lines->file) return;
    (void)fclose(lines->file);
    lines->file = NULL;
    tw_c_locale_pop(&lines->plain);
}

bool tw_lines_refuse(tw_lines *lines, const char *format, ...)
{
    char text[sizeof lines->error->text];
    va_list arguments;
    va_start(arguments, format);
    if (vsnprintf(text, sizeof text, format, arguments) < 0) text[0] = '\0';
    va_end(arguments);
    return lines_fail(lines,
                      tw_error_set(lines->error, TW_STATUS_INPUT, "%s:%zu: %s",
                                   tw_error_shorten_path(lines->path).text, lines->number, text));
}

/* A line without its terminator; false at the end of the file or if the line is invalid. */
static bool lines_take(tw_lines *lines)
{
    size_t length = 0;
    int byte = getc(lines->file);
    if (byte == EOF) return false;
    lines->number++;
    for (; byte != EOF && byte != '\n'; byte = getc(lines->file)) {
        if (byte == '\0') return tw_lines_refuse(lines, "NUL byte: not a text file");
        if (length == TW_LINES_LENGTH_MAX)
            return tw_lines_refuse(lines, "line exceeds the limit of %d bytes",
                                   (int)TW_LINES_LENGTH_MAX);
        lines->text[length++] = (char)byte;
    }
    if (length > 0 && lines->text[length - 1] == '\r') length--;
    lines->text[length] = '\0';
    return true;
}

bool tw_lines_next(tw_lines *lines)
{
    if (lines->ended || lines->status != TW_STATUS_OK) return false;
    errno = 0;
    const bool taken = lines_take(lines);
    if (ferror(lines->file))
        return lines_fail(lines, tw_error_set_system(lines->error, "read", lines->path));
    lines->ended = !taken && lines->status == TW_STATUS_OK;
    if (taken && lines->number == 1 && strncmp(lines->text, "\xEF\xBB\xBF", 3) == 0)
        memmove(lines->text, lines->text + 3, strlen(lines->text + 3) + 1);
    return taken;
}

bool tw_lines_next_filled(tw_lines *lines)
{
    while (tw_lines_next(lines))
        if (lines->text[strspn(lines->text, " \t\f\v\r")] != '\0') return true;
    return false;
}

size_t tw_lines_split_blanks(char *text, char **fields, size_t max)
{
    static const char blanks[] = " \t\f\v\r";
    size_t count = 0;
    for (char *at = text + strspn(text, blanks); *at; at += strspn(at, blanks)) {
        if (count < max) fields[count] = at;
        count++;
        at += strcspn(at, blanks);
        if (*at) *at++ = '\0';
    }
    return count;
}

static char *lines_trim(char *text)
{
    while (isspace((unsigned char)*text))
        text++;
    size_t length = strlen(text);
    while (length > 0 && isspace((unsigned char)text[length - 1]))
        length--;
    text[length] = '\0';
    return text;
}

size_t tw_lines_split_commas(char *text, char **fields, size_t max)
{
    size_t count = 0;
    for (char *at = text; at;) {
        char *comma = strchr(at, ',');
        if (comma) *comma = '\0';
        if (count < max) fields[count] = lines_trim(at);
        count++;
        at = comma ? comma + 1 : NULL;
    }
    return count;
}

const char *tw_lines_number(char *text, double *value)
{
    if (*text == '\0') return "is empty; expected a number";
    char *exponent = strpbrk(text, "dD");
    /* not the digit d of a hexadecimal number, which strtod would read */
    if (exponent && exponent > text && strpbrk(text, "xX") == NULL &&
        (isdigit((unsigned char)exponent[-1]) || exponent[-1] == '.'))
        *exponent = 'e';
    return tw_text_number(text, value);
}

bool tw_lines_read_number(tw_lines *lines, const char *column, char *field, double *value)
{
    const char *why = tw_lines_number(field, value);
    if (!why) return true;
    const tw_text_quotation shown = tw_text_quote(field, strlen(field));
    if (column) return tw_lines_refuse(lines, "column '%s': %s %s", column, shown.text, why);
    return tw_lines_refuse(lines, "%s %s", shown.text, why);
}

bool tw_lines_read_numbers(tw_lines *lines, char **fields, size_t count, double *values)
{
    for (size_t i = 0; i < count; i++)
        if (!tw_lines_read_number(lines, NULL, fields[i], &values[i])) return false;
    return true;
}

bool tw_lines_is_integer(double value, double least)
{
    static const double limit = 9007199254740992.0; /* 2^53 */
    return value >= least && value < limit && value == floor(value);
}

tw_status tw_outfile_open(tw_outfile *out, const char *path, tw_error *error)
{
    const tw_status status =
        tw_replace_file_begin(&out->file, path, TW_REPLACE_FILE_OR_DEVICE, error);
    if (status != TW_STATUS_OK) return status;
    out->stream = tw_replace_file_stream(&out->file);
    if (out->stream && tw_c_locale_push(&out->plain)) return TW_STATUS_OK;
    tw_replace_file_abort(&out->file);
    return tw_error_set_memory(error);
}

void tw_outfile_print(tw_outfile *out, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    (void)vfprintf(out->stream, format, values);
    va_end(values);
}

void tw_outfile_write(tw_outfile *out, const void *bytes, size_t count)
{
    (void)fwrite(bytes, 1, count, out->stream);
}

void tw_outfile_print_xml(tw_outfile *out, const char *text)
{
    for (; *text; text++) {
        const char *entity = *text == '&'    ? "&amp;"
                             : *text == '<'  ? "&lt;"
                             : *text == '>'  ? "&gt;"
                             : *text == '"'  ? "&quot;"
                             : *text == '\'' ? "&apos;"
                                             : NULL;
        if (entity)
            (void)fputs(entity, out->stream);
        else
            (void)putc(*text, out->stream);
    }
}

tw_status tw_outfile_finish(tw_outfile *out, tw_error *error)
{
    tw_c_locale_pop(&out->plain);
    return tw_replace_file_commit(&out->file, error);
}
