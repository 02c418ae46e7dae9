/* SPDX-License-Identifier: BSD-3-Clause */
/* Writes a scenario as YAML or as JSON: everything that is set, in the order of the list of keys. */
#include <twirl/scenario.h>

#include <math.h>
#include <stdbool.h>

#include "base/environment.h"
#include "base/text.h"
#include "scenario/fields.h"
#include "scenario/key.h"

typedef struct writer {
    tw_text_buffer text;
    bool json;
} writer;

/* The digits are the same in both; JSON has SI units only. */
static void put_number(writer *w, tw_unit unit, double value)
{
    char text[64];
    tw_unit_write(w->json ? TW_UNIT_NONE : unit, value, text, sizeof text);
    tw_text_buffer_add(&w->text, "%s", w->json && !isfinite(value) ? "null" : text);
}

static void put_word(writer *w, const char *word)
{
    tw_text_buffer_add(&w->text, w->json ? "\"%s\"" : "%s", word);
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

/* A text in quotes, with escapes that YAML and JSON have in common. */
static void put_text(writer *w, const char *text)
{
    tw_text_buffer_add(&w->text, "\"");
    for (size_t length; *text; text += length) {
        const uint32_t point = code_point((const unsigned char *)text, &length);
        if (is_literal(point))
            tw_text_buffer_add(&w->text, "%.*s", (int)length, text);
        else if (point == '"' || point == '\\')
            tw_text_buffer_add(&w->text, "\\%c", (char)point);
        else
            tw_text_buffer_add(&w->text, "\\u%04X", (unsigned)point);
    }
    tw_text_buffer_add(&w->text, "\"");
}

static void put_rows(writer *w, const tw_key *key, const tw_scenario_rows *rows)
{
    tw_text_buffer_add(&w->text, "[");
    for (size_t i = 0; i < rows->count; i++) {
        for (size_t k = 0; k < key->column_count; k++) {
            tw_text_buffer_add(&w->text, k == 0 ? (i ? ", [" : "[") : ", ");
            put_number(w, key->columns[k], rows->value[i * key->column_count + k]);
        }
        tw_text_buffer_add(&w->text, "]");
    }
    tw_text_buffer_add(&w->text, "]");
}

static void put_set(writer *w, const tw_key *key, uint32_t set)
{
    const char *between = "";
    tw_text_buffer_add(&w->text, "[");
    for (size_t i = 0; i < key->choice_count; i++) {
        if (!(set & (uint32_t)key->choices[i].value)) continue;
        tw_text_buffer_add(&w->text, "%s", between);
        put_word(w, key->choices[i].word);
        between = ", ";
    }
    tw_text_buffer_add(&w->text, "]");
}

static const char *word_of(const tw_key *key, int32_t value)
{
    for (size_t i = 0; i < key->choice_count; i++)
        if (key->choices[i].value == value) return key->choices[i].word;
    return "";
}

static void put_value(writer *w, const tw_key *key, const void *field)
{
    const double *number = field;
    switch (key->type) {
    case TW_KEY_NUMBER:
        if (key->word && *number == key->word_value)
            put_word(w, key->word);
        else
            put_number(w, key->unit, *number);
        break;
    case TW_KEY_COUNT:
        tw_text_buffer_add(&w->text, "%llu", (unsigned long long)*(const uint64_t *)field);
        break;
    case TW_KEY_SWITCH:
        if (w->json)
            tw_text_buffer_add(&w->text, *(const int32_t *)field ? "true" : "false");
        else
            tw_text_buffer_add(&w->text, *(const int32_t *)field ? "yes" : "no");
        break;
    case TW_KEY_CHOICE:
        put_word(w, word_of(key, *(const int32_t *)field));
        break;
    case TW_KEY_SET:
        put_set(w, key, *(const uint32_t *)field);
        break;
    case TW_KEY_VECTOR:
        for (int i = 0; i < 3; i++) {
            tw_text_buffer_add(&w->text, i ? ", " : "[");
            put_number(w, key->unit, number[i]);
        }
        tw_text_buffer_add(&w->text, "]");
        break;
    case TW_KEY_ROWS:
        put_rows(w, key, field);
        break;
    case TW_KEY_PAIR:
        for (int i = 0; i < 2; i++) {
            tw_text_buffer_add(&w->text, i ? ", " : "[");
            put_text(w, ((char *const *)field)[i]);
        }
        tw_text_buffer_add(&w->text, "]");
        break;
    default:
        put_text(w, *(char *const *)field);
        break;
    }
}

static void put_section(writer *w, const tw_key_section *section, const void *structure, int indent,
                        bool item);

static void put_list(writer *w, const tw_key *key, const void *structure, int indent)
{
    const tw_fields_list list = tw_fields_get_list(key, structure);
    for (size_t i = 0; i < list.count; i++) {
        if (w->json) tw_text_buffer_add(&w->text, "%s\n%*s", i ? "," : "[", indent + 2, "");
        put_section(w, key->section, list.items + i * key->section->size,
                    indent + (w->json ? 4 : 2), true);
    }
    if (w->json) tw_text_buffer_add(&w->text, "\n%*s]", indent, "");
}

static void put_key(writer *w, const tw_key *key, const void *structure, int indent)
{
    const bool below = key->type == TW_KEY_MAP || key->type == TW_KEY_LIST;
    tw_text_buffer_add(&w->text, w->json ? "\"%s\": " : below ? "%s:\n" : "%s: ", key->name);
    if (key->type == TW_KEY_MAP)
        put_section(w, key->section, tw_fields_at_const(key, structure), indent + 2, false);
    else if (key->type == TW_KEY_LIST)
        put_list(w, key, structure, indent);
    else
        put_value(w, key, tw_fields_at_const(key, structure));
    if (!w->json && !below) tw_text_buffer_add(&w->text, "\n");
}

/* `item`: an item of a list, in YAML with a dash before its first key. */
static void put_section(writer *w, const tw_key_section *section, const void *structure, int indent,
                        bool item)
{
    bool first = true;
    if (w->json) tw_text_buffer_add(&w->text, "{");
    for (size_t i = 0; i < section->key_count; i++) {
        const tw_key *key = &section->keys[i];
        if (!tw_fields_any(key, structure)) continue;
        if (w->json) tw_text_buffer_add(&w->text, first ? "\n" : ",\n");
        const bool dash = item && first && !w->json;
        tw_text_buffer_add(&w->text, "%*s%s", indent, "", dash ? "- " : "");
        if (dash) indent += 2;
        first = false;
        put_key(w, key, structure, indent);
    }
    if (w->json) tw_text_buffer_add(&w->text, "\n%*s}", indent - 2, "");
}

static char *write_text(const tw_scenario *scenario, bool json)
{
    writer w = {.json = json};
    tw_plain plain;
    if (!tw_plain_enter(&plain)) return NULL;
    put_section(&w, tw_key_root(), scenario, json ? 2 : 0, false);
    if (json) tw_text_buffer_add(&w.text, "\n");
    tw_plain_leave(&plain);
    return tw_text_buffer_take(&w.text);
}

char *tw_scenario_write_text(const tw_scenario *scenario)
{
    return write_text(scenario, false);
}

char *tw_scenario_write_json(const tw_scenario *scenario)
{
    return write_text(scenario, true);
}
