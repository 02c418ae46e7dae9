/* SPDX-License-Identifier: BSD-3-Clause */
/* Writes a scenario as YAML: everything that is set, in the order of the list of keys. */
#include <twirl/scenario.h>

#include <stdbool.h>

#include "base/environment.h"
#include "base/text.h"
#include "scenario/fields.h"
#include "scenario/key.h"

static void put_number(tw_text_buffer *w, tw_unit unit, double value)
{
    char text[64];
    tw_unit_write(unit, value, text, sizeof text);
    tw_text_buffer_add(w, "%s", text);
}

/* The code point at `text`, and its length in bytes. libyaml has checked that it is UTF-8. */
static uint32_t code_point(const unsigned char *text, size_t *length)
{
    if (text[0] < 0x80) {
        *length = 1;
        return text[0];
    }
    *length = text[0] >= 0xF0 ? 4 : text[0] >= 0xE0 ? 3 : 2;
    uint32_t value = text[0] & (0x7Fu >> *length);
    for (size_t i = 1; i < *length; i++)
        value = value << 6 | (text[i] & 0x3Fu);
    return value;
}

/* Whether a character needs no escape in quotes: not a control character, not a line break. */
static bool is_literal(uint32_t point)
{
    if (point == '"' || point == '\\') return false;
    if (point == 0x2028 || point == 0x2029 || point == 0xFEFF || point == 0xFFFE || point == 0xFFFF)
        return false;
    return (point >= 0x20 && point < 0x7F) || point >= 0xA0;
}

static void put_text(tw_text_buffer *w, const char *text)
{
    tw_text_buffer_add(w, "\"");
    for (size_t length; *text; text += length) {
        const uint32_t point = code_point((const unsigned char *)text, &length);
        if (is_literal(point))
            tw_text_buffer_add(w, "%.*s", (int)length, text);
        else if (point == '"' || point == '\\')
            tw_text_buffer_add(w, "\\%c", (char)point);
        else
            tw_text_buffer_add(w, "\\u%04X", (unsigned)point);
    }
    tw_text_buffer_add(w, "\"");
}

static void put_rows(tw_text_buffer *w, const tw_key *key, const tw_scenario_rows *rows)
{
    tw_text_buffer_add(w, "[");
    for (size_t i = 0; i < rows->count; i++) {
        for (size_t k = 0; k < key->column_count; k++) {
            tw_text_buffer_add(w, k == 0 ? (i ? ", [" : "[") : ", ");
            put_number(w, key->columns[k], rows->value[i * key->column_count + k]);
        }
        tw_text_buffer_add(w, "]");
    }
    tw_text_buffer_add(w, "]");
}

static void put_set(tw_text_buffer *w, const tw_key *key, uint32_t set)
{
    const char *between = "";
    tw_text_buffer_add(w, "[");
    for (size_t i = 0; i < key->choice_count; i++) {
        if (!(set & (uint32_t)key->choices[i].value)) continue;
        tw_text_buffer_add(w, "%s%s", between, key->choices[i].word);
        between = ", ";
    }
    tw_text_buffer_add(w, "]");
}

static const char *word_of(const tw_key *key, int32_t value)
{
    for (size_t i = 0; i < key->choice_count; i++)
        if (key->choices[i].value == value) return key->choices[i].word;
    return "";
}

static void put_value(tw_text_buffer *w, const tw_key *key, const void *field)
{
    const double *number = field;
    switch (key->type) {
    case TW_KEY_NUMBER:
        if (key->word && *number == key->word_value)
            tw_text_buffer_add(w, "%s", key->word);
        else
            put_number(w, key->unit, *number);
        break;
    case TW_KEY_COUNT:
        tw_text_buffer_add(w, "%llu", (unsigned long long)*(const uint64_t *)field);
        break;
    case TW_KEY_SWITCH:
        tw_text_buffer_add(w, "%s", *(const int32_t *)field ? "yes" : "no");
        break;
    case TW_KEY_CHOICE:
        tw_text_buffer_add(w, "%s", word_of(key, *(const int32_t *)field));
        break;
    case TW_KEY_SET:
        put_set(w, key, *(const uint32_t *)field);
        break;
    case TW_KEY_VECTOR:
        for (int i = 0; i < 3; i++) {
            tw_text_buffer_add(w, i ? ", " : "[");
            put_number(w, key->unit, number[i]);
        }
        tw_text_buffer_add(w, "]");
        break;
    case TW_KEY_ROWS:
        put_rows(w, key, field);
        break;
    case TW_KEY_PAIR:
        for (int i = 0; i < 2; i++) {
            tw_text_buffer_add(w, i ? ", " : "[");
            put_text(w, ((char *const *)field)[i]);
        }
        tw_text_buffer_add(w, "]");
        break;
    default:
        put_text(w, *(char *const *)field);
        break;
    }
    tw_text_buffer_add(w, "\n");
}

static void put_section(tw_text_buffer *w, const tw_key_section *section, const void *structure,
                        int indent, bool item);

static void put_list(tw_text_buffer *w, const tw_key *key, const void *structure, int indent)
{
    const tw_fields_list list = tw_fields_get_list(key, structure);
    for (size_t i = 0; i < list.count; i++)
        put_section(w, key->section, list.items + i * key->section->size, indent + 2, true);
}

/* `item`: an item of a list, with a dash before its first key. */
static void put_section(tw_text_buffer *w, const tw_key_section *section, const void *structure,
                        int indent, bool item)
{
    for (size_t i = 0; i < section->key_count; i++) {
        const tw_key *key = &section->keys[i];
        if (!tw_fields_any(key, structure)) continue;
        tw_text_buffer_add(w, "%*s%s%s:", indent, "", item ? "- " : "", key->name);
        if (item) indent += 2;
        item = false;
        if (key->type == TW_KEY_MAP) {
            tw_text_buffer_add(w, "\n");
            put_section(w, key->section, tw_fields_at_const(key, structure), indent + 2, false);
        } else if (key->type == TW_KEY_LIST) {
            tw_text_buffer_add(w, "\n");
            put_list(w, key, structure, indent);
        } else {
            tw_text_buffer_add(w, " ");
            put_value(w, key, tw_fields_at_const(key, structure));
        }
    }
}

char *tw_scenario_write_text(const tw_scenario *scenario)
{
    tw_text_buffer w = {0};
    tw_plain plain;
    if (!tw_plain_enter(&plain)) return NULL;
    put_section(&w, tw_key_root(), scenario, 0, false);
    tw_plain_leave(&plain);
    return tw_text_buffer_take(&w);
}
