/* SPDX-License-Identifier: BSD-3-Clause */
/* A scenario as YAML, by the list of keys: everything that is set, in the order of the list. */
#include <twirl/scenario.h>

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <twirl/text.h>

#include "scenario/growing.h"
#include "scenario/keys.h"

static void put_number(tw_growing *w, tw_unit unit, double value)
{
    char text[64];
    tw_units_write(unit, value, text, sizeof text);
    tw_growing_put(w, "%s", text);
}

/* The code point at `text`, and its length in bytes; the text is UTF-8, libyaml has seen to it. */
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

/* What may stand as it is between quotes: no control characters, no line breaks of any kind. */
static bool is_harmless(uint32_t point)
{
    if (point == '"' || point == '\\') return false;
    if (point == 0x2028 || point == 0x2029 || point == 0xFEFF || point == 0xFFFE || point == 0xFFFF)
        return false;
    return (point >= 0x20 && point < 0x7F) || point >= 0xA0;
}

static void put_text(tw_growing *w, const char *text)
{
    tw_growing_put(w, "\"");
    for (size_t length; *text; text += length) {
        const uint32_t point = code_point((const unsigned char *)text, &length);
        if (is_harmless(point))
            tw_growing_put(w, "%.*s", (int)length, text);
        else if (point == '"' || point == '\\')
            tw_growing_put(w, "\\%c", (char)point);
        else
            tw_growing_put(w, "\\u%04X", (unsigned)point);
    }
    tw_growing_put(w, "\"");
}

static void put_rows(tw_growing *w, const tw_key *key, const tw_scenario_rows *rows)
{
    tw_growing_put(w, "[");
    for (size_t i = 0; i < rows->count; i++) {
        for (size_t k = 0; k < key->column_count; k++) {
            tw_growing_put(w, k == 0 ? (i ? ", [" : "[") : ", ");
            put_number(w, key->columns[k], rows->value[i * key->column_count + k]);
        }
        tw_growing_put(w, "]");
    }
    tw_growing_put(w, "]");
}

static void put_set(tw_growing *w, const tw_key *key, uint32_t set)
{
    const char *between = "";
    tw_growing_put(w, "[");
    for (size_t i = 0; i < key->choice_count; i++) {
        if (!(set & (uint32_t)key->choices[i].value)) continue;
        tw_growing_put(w, "%s%s", between, key->choices[i].word);
        between = ", ";
    }
    tw_growing_put(w, "]");
}

static const char *word_of(const tw_key *key, int32_t value)
{
    for (size_t i = 0; i < key->choice_count; i++)
        if (key->choices[i].value == value) return key->choices[i].word;
    return "";
}

static bool is_set(const tw_key *key, const void *field)
{
    switch (key->type) {
    case TW_KEY_NUMBER:
    case TW_KEY_VECTOR:
        return !isnan(*(const double *)field);
    case TW_KEY_COUNT:
        return *(const uint64_t *)field != TW_SCENARIO_NONE;
    case TW_KEY_SWITCH:
    case TW_KEY_CHOICE:
        return *(const int32_t *)field >= 0;
    case TW_KEY_SET:
        return *(const uint32_t *)field != TW_SCENARIO_NO_SET;
    case TW_KEY_TEXT:
    case TW_KEY_NAME:
    case TW_KEY_FILE:
        return *(char *const *)field != NULL;
    case TW_KEY_ROWS:
        return ((const tw_scenario_rows *)field)->count > 0;
    case TW_KEY_MAP:
    case TW_KEY_LIST:
        break;
    }
    return false;
}

static void put_value(tw_growing *w, const tw_key *key, const void *field)
{
    const double *number = field;
    switch (key->type) {
    case TW_KEY_NUMBER:
        if (key->word && *number == key->word_value)
            tw_growing_put(w, "%s", key->word);
        else
            put_number(w, key->unit, *number);
        break;
    case TW_KEY_COUNT:
        tw_growing_put(w, "%llu", (unsigned long long)*(const uint64_t *)field);
        break;
    case TW_KEY_SWITCH:
        tw_growing_put(w, "%s", *(const int32_t *)field ? "yes" : "no");
        break;
    case TW_KEY_CHOICE:
        tw_growing_put(w, "%s", word_of(key, *(const int32_t *)field));
        break;
    case TW_KEY_SET:
        put_set(w, key, *(const uint32_t *)field);
        break;
    case TW_KEY_VECTOR:
        for (int i = 0; i < 3; i++) {
            tw_growing_put(w, i ? ", " : "[");
            put_number(w, key->unit, number[i]);
        }
        tw_growing_put(w, "]");
        break;
    case TW_KEY_ROWS:
        put_rows(w, key, field);
        break;
    default:
        put_text(w, *(char *const *)field);
        break;
    }
    tw_growing_put(w, "\n");
}

static bool any_set(const tw_section *section, const char *structure);

static bool holds_any(const tw_key *key, const char *structure)
{
    if (key->type == TW_KEY_MAP) return any_set(key->section, structure + key->offset);
    if (key->type == TW_KEY_LIST) {
        size_t count;
        memcpy(&count, structure + key->count_offset, sizeof count);
        return count > 0;
    }
    return is_set(key, structure + key->offset);
}

static bool any_set(const tw_section *section, const char *structure)
{
    for (size_t i = 0; i < section->key_count; i++)
        if (holds_any(&section->keys[i], structure)) return true;
    return false;
}

static void put_section(tw_growing *w, const tw_section *section, const char *structure, int indent,
                        bool item);

static void put_list(tw_growing *w, const tw_key *key, const char *structure, int indent)
{
    const char *items;
    size_t count;
    memcpy(&items, structure + key->offset, sizeof items);
    memcpy(&count, structure + key->count_offset, sizeof count);
    for (size_t i = 0; i < count; i++)
        put_section(w, key->section, items + i * key->section->size, indent + 2, true);
}

/* `item`: of a list, so that a dash goes before its first key. */
static void put_section(tw_growing *w, const tw_section *section, const char *structure, int indent,
                        bool item)
{
    for (size_t i = 0; i < section->key_count; i++) {
        const tw_key *key = &section->keys[i];
        if (!holds_any(key, structure)) continue;
        tw_growing_put(w, "%*s%s%s:", indent, "", item ? "- " : "", key->name);
        if (item) indent += 2;
        item = false;
        if (key->type == TW_KEY_MAP) {
            tw_growing_put(w, "\n");
            put_section(w, key->section, structure + key->offset, indent + 2, false);
        } else if (key->type == TW_KEY_LIST) {
            tw_growing_put(w, "\n");
            put_list(w, key, structure, indent);
        } else {
            tw_growing_put(w, " ");
            put_value(w, key, structure + key->offset);
        }
    }
}

char *tw_scenario_write_text(const tw_scenario *scenario)
{
    tw_growing w = {0};
    tw_plain plain;
    if (!tw_plain_enter(&plain)) return NULL;
    tw_growing_put(&w, "%s", "");
    put_section(&w, tw_keys_root(), (const char *)scenario, 0, false);
    tw_plain_leave(&plain);
    if (!w.failed) return w.text;
    free(w.text);
    return NULL;
}
