/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/json.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* ---- Writing ---- */

void tw_json_name(tw_text_buffer *out, const char *name)
{
    const char last = out->length > 0 ? out->text[out->length - 1] : '{';
    if (last != '{' && last != '[') tw_text_buffer_add(out, ", ");
    if (name) tw_text_buffer_add(out, "\"%s\": ", name);
}

void tw_json_begin(tw_text_buffer *out, const char *name, char bracket)
{
    tw_json_name(out, name);
    tw_text_buffer_add_bytes(out, &bracket, 1);
}

void tw_json_end(tw_text_buffer *out, char bracket)
{
    tw_text_buffer_add_bytes(out, &bracket, 1);
}

void tw_json_text(tw_text_buffer *out, const char *name, const char *text)
{
    tw_json_name(out, name);
    tw_text_buffer_add_json_string(out, text);
}

void tw_json_bytes(tw_text_buffer *out, const char *name, const char *text, size_t length)
{
    tw_json_name(out, name);
    tw_text_buffer_add_json_bytes(out, text, length);
}

void tw_json_number(tw_text_buffer *out, const char *name, double value)
{
    tw_json_name(out, name);
    tw_text_buffer_add_json_number(out, value);
}

void tw_json_count(tw_text_buffer *out, const char *name, size_t value)
{
    tw_json_name(out, name);
    tw_text_buffer_add(out, "%zu", value);
}

void tw_json_truth(tw_text_buffer *out, const char *name, bool value)
{
    tw_json_plain(out, name, value ? "true" : "false");
}

void tw_json_numbers(tw_text_buffer *out, const char *name, const double *values, size_t count,
                     size_t stride)
{
    tw_json_begin(out, name, '[');
    for (size_t i = 0; i < count; i++)
        tw_json_number(out, NULL, values[stride * i]);
    tw_json_end(out, ']');
}

void tw_json_plain(tw_text_buffer *out, const char *name, const char *text)
{
    tw_json_name(out, name);
    tw_text_buffer_add_bytes(out, text, strlen(text));
}

void tw_json_add_base64(tw_text_buffer *out, const void *bytes, size_t count)
{
    enum { BLOCK = 3072 };
    char text[BLOCK / 3 * 4];
    for (size_t k = 0; k < count; k += BLOCK) {
        const size_t part = count - k < BLOCK ? count - k : BLOCK;
        const size_t used = tw_text_base64((const char *)bytes + k, part, text);
        tw_text_buffer_add_bytes(out, text, used);
    }
}

void tw_json_base64(tw_text_buffer *out, const char *name, const void *bytes, size_t count)
{
    tw_json_name(out, name);
    tw_text_buffer_add_bytes(out, "\"", 1);
    tw_json_add_base64(out, bytes, count);
    tw_text_buffer_add_bytes(out, "\"", 1);
}

/* ---- Data dictionaries ---- */

void tw_json_package_begin(tw_text_buffer *out, const char *name)
{
    tw_json_begin(out, NULL, '{');
    tw_json_text(out, "profile", "tabular-data-package");
    tw_json_text(out, "name", name);
    tw_json_begin(out, "resources", '[');
}

void tw_json_package_end(tw_text_buffer *out)
{
    tw_json_end(out, ']');
    tw_json_end(out, '}');
    tw_text_buffer_add(out, "\n");
}

void tw_json_table_begin(tw_text_buffer *out, const char *name)
{
    tw_json_begin(out, NULL, '{');
    tw_json_text(out, "profile", "tabular-data-resource");
    tw_json_text(out, "name", name);
    tw_json_name(out, "path");
    tw_text_buffer_add(out, "\"%s.csv\"", name);
    tw_json_text(out, "format", "csv");
    tw_json_text(out, "mediatype", "text/csv");
    tw_json_text(out, "encoding", "utf-8");
    tw_json_begin(out, "schema", '{');
    tw_json_plain(out, "missingValues", "[\"\", \"nan\"]");
    tw_json_begin(out, "fields", '[');
}

void tw_json_table_end(tw_text_buffer *out)
{
    tw_json_end(out, ']');
    tw_json_end(out, '}');
    tw_json_end(out, '}');
}

void tw_json_table_add(tw_text_buffer *out, tw_json_field field)
{
    tw_json_begin(out, NULL, '{');
    tw_json_text(out, "name", field.name);
    tw_json_text(out, "type", field.type);
    if (strcmp(field.type, "string") != 0) tw_json_text(out, "unit", field.unit);
    tw_json_text(out, "title", field.title);
    tw_json_text(out, "description", field.description);
    tw_json_end(out, '}');
}

/* The k-th name of a column; false: it has no more. */
static bool put_name(const tw_json_field *field, size_t k, char name[64])
{
    static const char *const tensor[] = {"xx", "yy", "zz", "yz", "xz", "xy"}, *const point[] = {
                                                                                  "1", "2", "3"};
    const size_t length = strlen(field->name) - 1;
    const char last = field->name[length];
    const size_t count = last == '*' ? 6 : last == '#' ? 3 : 1;
    snprintf(name, 64, "%.*s%s", (int)(count > 1 ? length : length + 1), field->name,
             k >= count || count == 1 ? ""
             : count == 6             ? tensor[k]
                                      : point[k]);
    return k < count;
}

void tw_json_table(tw_text_buffer *out, const char *name, const tw_json_field *fields, size_t count)
{
    char own[64];
    tw_json_table_begin(out, name);
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; put_name(&fields[i], k, own); k++) {
            tw_json_field field = fields[i];
            field.name = field.title = own;
            tw_json_table_add(out, field);
        }
    tw_json_table_end(out);
}

void tw_json_table_header(tw_text_buffer *out, const tw_json_field *fields, size_t count)
{
    char name[64];
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; put_name(&fields[i], k, name); k++)
            tw_text_buffer_add(out, "%s%s", i + k > 0 ? "," : "", name);
    tw_text_buffer_add(out, "\n");
}

/* ---- Copying ---- */

/* A reader of JSON that writes what it has read. */
typedef struct copying {
    tw_text_buffer *out;
    const char *next, *end;
} copying;

static bool copy_value(copying *c, int depth);

static char at(const copying *c, size_t place)
{
    return place < (size_t)(c->end - c->next) ? c->next[place] : '\0';
}

/* strchr alone would find the NUL that ends the set. */
static bool is_one_of(char c, const char *set)
{
    return c != '\0' && strchr(set, c);
}

static void skip_space(copying *c)
{
    while (is_one_of(at(c, 0), " \t\r\n"))
        c->next++;
}

static bool take(copying *c, char wanted)
{
    skip_space(c);
    if (at(c, 0) != wanted) return false;
    c->next++;
    tw_text_buffer_add_bytes(c->out, &wanted, 1);
    return true;
}

/* From one quotation mark to the next. Escapes of the source stay as they are. */
static bool copy_string(copying *c)
{
    if (!take(c, '"')) return false;
    while (at(c, 0) != '"') {
        const size_t left = (size_t)(c->end - c->next);
        if (left == 0) return false;
        const unsigned char byte = (unsigned char)*c->next;
        if (byte < 0x20) return false;
        if (byte == '\\') {
            const char escaped = at(c, 1);
            const size_t length = escaped == 'u' ? 6 : 2;
            if (left < length || !is_one_of(escaped, "\"\\/bfnrtu")) return false;
            if (length == 6 && strspn(c->next + 2, "0123456789abcdefABCDEF") < 4) return false;
            tw_text_buffer_add_bytes(c->out, c->next, length);
            c->next += length;
        } else {
            c->next += tw_text_buffer_add_json_character(c->out, c->next, left);
        }
    }
    return take(c, '"');
}

static size_t digits_at(const copying *c, size_t from)
{
    size_t count = 0;
    while (at(c, from + count) >= '0' && at(c, from + count) <= '9')
        count++;
    return count;
}

static bool copy_number(copying *c)
{
    size_t length = at(c, 0) == '-';
    const size_t whole = digits_at(c, length);
    if (whole == 0 || (whole > 1 && at(c, length) == '0')) return false;
    length += whole;
    if (at(c, length) == '.') {
        const size_t part = digits_at(c, length + 1);
        if (part == 0) return false;
        length += 1 + part;
    }
    if (at(c, length) == 'e' || at(c, length) == 'E') {
        const bool sign = at(c, length + 1) == '+' || at(c, length + 1) == '-';
        const size_t power = digits_at(c, length + 1 + sign);
        if (power == 0) return false;
        length += 1 + sign + power;
    }
    tw_text_buffer_add_bytes(c->out, c->next, length);
    c->next += length;
    return true;
}

static bool copy_word(copying *c)
{
    static const char *const words[] = {"true", "false", "null"};
    for (size_t k = 0; k < sizeof words / sizeof *words; k++) {
        const size_t length = strlen(words[k]);
        if ((size_t)(c->end - c->next) < length || memcmp(c->next, words[k], length) != 0) continue;
        tw_text_buffer_add_bytes(c->out, words[k], length);
        c->next += length;
        return true;
    }
    return false;
}

/* The members of an object or the elements of an array, after its first character. */
static bool copy_list(copying *c, char last, int depth)
{
    if (take(c, last)) return true;
    do {
        skip_space(c);
        if (last == '}' && (!copy_string(c) || !take(c, ':'))) return false;
        if (!copy_value(c, depth + 1)) return false;
    } while (take(c, ','));
    return take(c, last);
}

static bool copy_value(copying *c, int depth)
{
    enum { DEEPEST = 50 };
    if (depth > DEEPEST) return false;
    skip_space(c);
    switch (at(c, 0)) {
    case '{':
        return take(c, '{') && copy_list(c, '}', depth);
    case '[':
        return take(c, '[') && copy_list(c, ']', depth);
    case '"':
        return copy_string(c);
    default:
        return at(c, 0) == '-' || digits_at(c, 0) > 0 ? copy_number(c) : copy_word(c);
    }
}

bool tw_json_copy(tw_text_buffer *out, const char *name, const char *text, size_t length)
{
    copying c = {out, text, text + length};
    tw_json_name(out, name);
    const size_t before = out->length;
    bool good = copy_value(&c, 0);
    skip_space(&c);
    good = good && c.next == c.end;
    if (good || out->failed) return good;
    out->length = before;
    if (out->text) out->text[before] = '\0';
    tw_text_buffer_add(out, "null");
    return false;
}
