/* SPDX-License-Identifier: BSD-3-Clause */
/* Types of keys: a row of functions for each, in the table at the end. */
#include "scenario/values.h"

#include <assert.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <twirl/math.h>
#include <twirl/scenario.h>

#include "base/file.h"
#include "base/text.h"
#include "scenario/schema.h"
#include "scenario/tree.h"

/* ---- What is expected ---- */

/* Angles are given in degrees. */
static tw_values_limits describe_range(const tw_key_range *range, tw_unit unit)
{
    tw_values_limits words = {""};
    const tw_key_range *r = range;
    tw_key_range degrees = *range;
    if (unit == TW_UNIT_ANGLE) {
        degrees.low = round(range->low * 180e6 / TW_MATH_PI) / 1e6;
        degrees.high = round(range->high * 180e6 / TW_MATH_PI) / 1e6;
        r = &degrees;
    }
    const bool low_open = r->has & TW_KEY_RANGE_LOW_OPEN,
               high_open = r->has & TW_KEY_RANGE_HIGH_OPEN;
    const char *format = NULL;
    if (!(r->has & TW_KEY_RANGE_LOW)) return words;
    if (!(r->has & TW_KEY_RANGE_HIGH)) {
        snprintf(words.text, sizeof words.text, low_open ? "above %.15g" : "%.15g or above",
                 r->low);
        return words;
    }
    if (low_open)
        format = high_open ? "above %.15g, below %.15g%s" : "above %.15g, up to %.15g%s";
    else
        format = high_open ? "from %.15g to below %.15g%s" : "from %.15g to %.15g%s";
    snprintf(words.text, sizeof words.text, format, r->low, r->high,
             unit == TW_UNIT_ANGLE ? " deg" : "");
    return words;
}

tw_values_limits tw_values_range(const tw_key *key)
{
    return describe_range(&key->range, key->unit);
}

static bool in_range(const tw_key_range *r, double x)
{
    if (r->has & TW_KEY_RANGE_LOW && (r->has & TW_KEY_RANGE_LOW_OPEN ? x <= r->low : x < r->low))
        return false;
    if (r->has & TW_KEY_RANGE_HIGH &&
        (r->has & TW_KEY_RANGE_HIGH_OPEN ? x >= r->high : x > r->high))
        return false;
    return true;
}

static void list_choices(const tw_key *key, char *text, size_t size)
{
    for (size_t i = 0; i < key->choice_count; i++)
        tw_text_add_word(text, size, key->choices[i].word);
}

static void describe_number(tw_unit unit, const tw_key_range *range, char *text, size_t size)
{
    const tw_values_limits limits = describe_range(range, unit);
    const char *symbol = unit == TW_UNIT_NONE || unit == TW_UNIT_ANGLE ? "" : tw_unit_symbol(unit);
    const bool starts_with_number = range->has == TW_KEY_RANGE_LOW; /* "0 or above" */
    snprintf(text, size, "%s%s%s%s%s%s%s", tw_unit_noun(unit), *limits.text ? " " : "",
             starts_with_number ? "of " : "", limits.text, *symbol ? " [" : "", symbol,
             *symbol ? "]" : "");
}

static void expect_number(const tw_key *key, char *text, size_t size)
{
    describe_number(key->unit, &key->range, text, size);
    const size_t used = strlen(text);
    if (key->word) snprintf(text + used, size - used, " or '%s'", key->word);
}

static void expect_count(const tw_key *key, char *text, size_t size)
{
    snprintf(text, size, "a whole number %s", tw_values_range(key).text);
}

static void expect_choices(const tw_key *key, char *text, size_t size)
{
    char list[300] = "";
    list_choices(key, list, sizeof list);
    snprintf(text, size, "%s %s", key->type == TW_KEY_SET ? "a list of any of" : "one of", list);
}

static void expect_vector(const tw_key *key, char *text, size_t size)
{
    const tw_values_limits range = tw_values_range(key);
    snprintf(text, size, "a list of three numbers%s%s", *range.text ? ", each " : "", range.text);
}

static void expect_rows(const tw_key *key, char *text, size_t size)
{
    snprintf(text, size, "a list of lists of %zu numbers", key->column_count);
}

/* ---- From a text to a field ---- */

#define NAME_EXPECTED "up to 64 letters, digits, '_' or '-', starting with a letter or digit"

bool tw_values_read_number(tw_unit unit, const tw_key_range *range, const char *text, double *value,
                           tw_values_error *why)
{
    char wrong[200], right[200];
    double number;
    if (!tw_unit_read(unit, text, &number, wrong, sizeof wrong)) {
        describe_number(unit, range, right, sizeof right);
        /* messages about units say what is expected themselves */
        if (strstr(wrong, "expected") || strstr(wrong, "unit"))
            snprintf(why->text, sizeof why->text, "%s", wrong);
        else
            snprintf(why->text, sizeof why->text, "%s; expected %s", wrong, right);
        return false;
    }
    if (!in_range(range, number)) {
        describe_number(unit, range, right, sizeof right);
        snprintf(why->text, sizeof why->text, "is out of range; expected %s", right);
        return false;
    }
    if (!tw_unit_is_plausible(unit, number, why->text, sizeof why->text)) return false;
    *value = number;
    return true;
}

/* What a word of other programs means as the value of `key`, or NULL. */
static const tw_hint *find_hint(const tw_key *key, const char *text)
{
    char place[40];
    snprintf(place, sizeof place, "%s:", key->name);
    return tw_hint_find(place, text);
}

static bool read_count(const tw_key *key, const char *text, void *field, tw_values_error *why)
{
    double number = 0.0;
    char wrong[200];
    const bool whole = tw_unit_read(TW_UNIT_NONE, text, &number, wrong, sizeof wrong) &&
                       !strchr(text, '%') && number == floor(number);
    if (whole && number >= 0.0 && number <= 0x1p53 && in_range(&key->range, number)) {
        *(uint64_t *)field = (uint64_t)number;
        return true;
    }
    snprintf(why->text, sizeof why->text, "%s; expected %s",
             whole ? "is out of range" : "is not a whole number", tw_values_expected(key).text);
    return false;
}

static bool read_switch(const tw_key *key, const char *text, void *field, tw_values_error *why)
{
    static const char *const words[] = {"no", "yes", "false", "true"};
    for (int32_t i = 0; i < 4; i++) {
        if (strcmp(text, words[i]) != 0) continue;
        *(int32_t *)field = i % 2;
        return true;
    }
    snprintf(why->text, sizeof why->text, "is not valid; expected %s",
             tw_values_expected(key).text);
    return false;
}

/* Why a word is not a choice of `key`: a hint, a near word, or none. */
static void refuse_choice(const tw_key *key, const char *text, tw_values_error *why)
{
    enum { MOST = 32 };
    const char *known[MOST];
    char hinted[300], list[300] = "";
    assert(key->choice_count <= MOST);
    for (size_t i = 0; i < key->choice_count; i++)
        known[i] = key->choices[i].word;
    list_choices(key, list, sizeof list);
    const tw_hint *hint = find_hint(key, text);
    const char *nearest = tw_nearest(text, known, key->choice_count);
    if (hint) {
        tw_hint_describe(hint, hinted, sizeof hinted);
        snprintf(why->text, sizeof why->text, "is unknown; %s. Choices: %s", hinted, list);
    } else if (nearest) {
        snprintf(why->text, sizeof why->text, "is unknown; did you mean '%s'? Choices: %s", nearest,
                 list);
    } else {
        snprintf(why->text, sizeof why->text, "is unknown; choices: %s", list);
    }
}

/* The choice, or NULL with the reason in `why`. */
static const tw_key_choice *find_choice(const tw_key *key, const char *text, tw_values_error *why)
{
    const tw_key_choice *choice = tw_key_find_choice(key, text);
    if (!choice) refuse_choice(key, text, why);
    return choice;
}

/* Names become file names: ASCII only, whatever the locale. */
static bool is_name(const char *text)
{
    static const char good[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-";
    const size_t length = strlen(text);
    return length > 0 && length <= 64 && strspn(text, good) == length && !strchr("_-", text[0]);
}

static bool read_text(const tw_key *key, const char *text, void *field, tw_values_error *why)
{
    char **value = field;
    (void)key;
    char *copy = strdup(text);
    why->text[0] = '\0';
    if (!copy) return false;
    free(*value);
    *value = copy;
    return true;
}

/* A number, or the word in its place. */
static bool read_number(const tw_key *key, const char *text, void *field, tw_values_error *why)
{
    double *value = field;
    if (key->word && strcmp(text, key->word) == 0) {
        *value = key->word_value;
        return true;
    }
    if (tw_values_read_number(key->unit, &key->range, text, value, why)) return true;
    size_t used = strlen(why->text);
    const tw_hint *hint = find_hint(key, text);
    if (hint) {
        char hinted[300];
        tw_hint_describe(hint, hinted, sizeof hinted);
        snprintf(why->text, sizeof why->text, "is not a number; %s", hinted);
        return false;
    }
    if (key->word) snprintf(why->text + used, sizeof why->text - used, " or '%s'", key->word);
    used = strlen(why->text);
    if (strcmp(key->name, "friction") == 0 && strstr(why->text, tw_unit_noun(TW_UNIT_ANGLE)))
        snprintf(why->text + used, sizeof why->text - used,
                 "; friction is the tangent of the angle: 30 deg is 0.577");
    return false;
}

static bool read_choice(const tw_key *key, const char *text, void *field, tw_values_error *why)
{
    const tw_key_choice *choice = find_choice(key, text, why);
    if (choice) *(int32_t *)field = (int32_t)choice->value;
    return choice != NULL;
}

static bool read_set(const tw_key *key, const char *text, void *field, tw_values_error *why)
{
    uint32_t *value = field;
    const tw_key_choice *choice = find_choice(key, text, why);
    if (choice && *value == TW_SCENARIO_NO_SET) *value = 0;
    if (choice) *value |= (uint32_t)choice->value;
    return choice != NULL;
}

static bool read_name(const tw_key *key, const char *text, void *field, tw_values_error *why)
{
    if (is_name(text)) return read_text(key, text, field, why);
    snprintf(why->text, sizeof why->text, "is not a valid name; expected %s", NAME_EXPECTED);
    return false;
}

/* One number for all three, as in a default. */
static bool read_vector(const tw_key *key, const char *text, void *field, tw_values_error *why)
{
    double *value = field;
    if (!tw_values_read_number(key->unit, &key->range, text, value, why)) return false;
    value[1] = value[2] = value[0];
    return true;
}

/* ---- Files ---- */

static void refuse_file(tw_diagnostics *diagnostics, tw_tree_node *node, const char *folder,
                        const char *reason)
{
    const tw_text_quotation quoted = tw_text_quote(node->text, strlen(node->text));
    if (node->text[0] == '/')
        tw_diagnostics_add(diagnostics, node->location, node, NULL, "%s cannot be read: %s",
                           quoted.text, reason);
    else
        tw_diagnostics_add(diagnostics, node->location, node, NULL,
                           "%s cannot be read: %s (relative to %s)", quoted.text, reason,
                           *folder ? folder : "the working directory");
}

/* As realpath for a file that is not there any more. NULL: out of memory, or no working directory.
 */
static char *whole_path_of(const char *path)
{
    if (path[0] == '/') return strdup(path);
    char *here = realpath(".", NULL);
    char *whole = here ? strdup(tw_folder_path_join(here, path).text) : NULL;
    free(here);
    return whole;
}

/* Makes *path absolute; reports an error if there is no such file and the run has yet to begin. A
 * path is relative to the folder of the scenario, in a setting to the working directory. */
static void find_file(tw_diagnostics *diagnostics, tw_tree_node *node, char **path)
{
    const bool whole_path = (*path)[0] == '/' || node->location.source > 0;
    const char *slash = whole_path ? NULL : strrchr(diagnostics->name, '/');
    tw_folder_path folder = {""};
    if (slash)
        snprintf(folder.text, sizeof folder.text, "%.*s",
                 (int)(slash - diagnostics->name) + (slash == diagnostics->name),
                 diagnostics->name);
    struct stat about;
    const tw_folder_path joined = tw_folder_path_join(folder.text, *path);
    const char *given = slash ? joined.text : *path;
    char *whole = realpath(given, NULL);
    const bool found = whole && stat(whole, &about) == 0;
    const bool gone = !whole && *given && diagnostics->begun && (whole = whole_path_of(given));
    const bool good = gone || (found && S_ISREG(about.st_mode));
    if (!good)
        refuse_file(diagnostics, node, folder.text,
                    found ? "not a regular file" : tw_error_reason_of(errno).text);
    free(good ? *path : whole);
    if (good) *path = whole;
}

/* ---- From a node of the tree to a field ---- */

void tw_values_refuse_kind(tw_diagnostics *diagnostics, tw_tree_node *node, const char *expected)
{
    char found[60];
    if (tw_tree_is_null(node))
        snprintf(found, sizeof found, "has no value");
    else if (node->kind == TW_TREE_LIST)
        snprintf(found, sizeof found, "is a list of %zu item%s", node->count,
                 node->count == 1 ? "" : "s");
    else
        snprintf(found, sizeof found, "is a %s",
                 node->kind == TW_TREE_MAP ? "section" : "single value");
    tw_diagnostics_add(diagnostics, node->location, node, NULL, "%s; expected %s", found, expected);
}

static void refuse_value(tw_diagnostics *diagnostics, tw_tree_node *node, const char *why)
{
    if (*why == '\0')
        tw_diagnostics_out_of_memory(diagnostics);
    else
        tw_diagnostics_add(diagnostics, node->location, node, NULL, "%s %s",
                           tw_text_quote(node->text, strlen(node->text)).text, why);
    tw_tree_mark_invalid(node);
}

static bool is_value(const tw_tree_node *node)
{
    return node->kind == TW_TREE_SCALAR && !tw_tree_is_null(node);
}

static void take_scalar(tw_diagnostics *diagnostics, const tw_key *key, tw_tree_node *node,
                        void *field)
{
    tw_values_error why;
    if (!is_value(node)) {
        tw_values_refuse_kind(diagnostics, node, tw_values_expected(key).text);
        return;
    }
    if (!tw_values_read(key, node->text, field, &why)) {
        if (key->negative && node->text[0] == '-' && *why.text) {
            const size_t used = strlen(why.text);
            snprintf(why.text + used, sizeof why.text - used, "; %s", key->negative);
        }
        refuse_value(diagnostics, node, why.text);
        return;
    }
}

static void take_file(tw_diagnostics *diagnostics, const tw_key *key, tw_tree_node *node,
                      void *field)
{
    take_scalar(diagnostics, key, node, field);
    if (!node->invalid && *(char **)field) find_file(diagnostics, node, field);
}

/* The numbers of one list, all with the unit of the key, or each with its own. False: an error was
 * reported. */
static bool take_numbers(tw_diagnostics *diagnostics, const tw_key *key, const tw_tree_node *list,
                         const tw_unit *units, double *value)
{
    static const tw_key_range any = {0};
    const tw_key_range *range = key->type == TW_KEY_VECTOR ? &key->range : &any;
    size_t i = 0;
    for (tw_tree_node *child = list->first; child; child = child->next, i++) {
        const tw_unit unit = units ? units[i] : key->unit;
        tw_values_error why;
        if (!is_value(child)) {
            tw_values_refuse_kind(diagnostics, child, tw_unit_noun(unit));
            return false;
        }
        if (!tw_values_read_number(unit, range, child->text, &value[i], &why)) {
            refuse_value(diagnostics, child, why.text);
            return false;
        }
    }
    return true;
}

static void take_vector(tw_diagnostics *diagnostics, const tw_key *key, tw_tree_node *node,
                        void *field)
{
    double value[3];
    if (node->kind != TW_TREE_LIST || node->count != 3)
        tw_values_refuse_kind(diagnostics, node, tw_values_expected(key).text);
    else if (take_numbers(diagnostics, key, node, NULL, value))
        memcpy(field, value, sizeof value);
}

static void take_rows(tw_diagnostics *diagnostics, const tw_key *key, tw_tree_node *node,
                      void *field)
{
    if (node->kind != TW_TREE_LIST || node->count == 0) {
        tw_values_refuse_kind(diagnostics, node, tw_values_expected(key).text);
        return;
    }
    const size_t columns = key->column_count;
    double *value = malloc(node->count * columns * sizeof *value);
    if (!value) {
        tw_diagnostics_out_of_memory(diagnostics);
        return;
    }
    size_t i = 0;
    for (tw_tree_node *row = node->first; row; row = row->next, i++) {
        char expected[60];
        snprintf(expected, sizeof expected, "a list of %zu numbers", columns);
        if (row->kind != TW_TREE_LIST || row->count != columns)
            tw_values_refuse_kind(diagnostics, row, expected);
        else
            take_numbers(diagnostics, key, row, key->columns, value + i * columns);
    }
    if (node->invalid)
        free(value);
    else
        *(tw_scenario_rows *)field = (tw_scenario_rows){value, i};
}

/* A list of words, or a single word. */
static void take_set(tw_diagnostics *diagnostics, const tw_key *key, tw_tree_node *node,
                     void *field)
{
    uint32_t *set = field;
    if (node->kind != TW_TREE_LIST) {
        take_scalar(diagnostics, key, node, field);
        return;
    }
    *set = 0;
    for (tw_tree_node *child = node->first; child; child = child->next)
        take_scalar(diagnostics, key, child, field);
    if (node->invalid) *set = TW_SCENARIO_NO_SET;
}

static void take_pair(tw_diagnostics *diagnostics, const tw_key *key, tw_tree_node *node,
                      void *field)
{
    if (node->kind != TW_TREE_LIST || node->count != 2) {
        tw_values_refuse_kind(diagnostics, node, tw_values_expected(key).text);
        return;
    }
    take_scalar(diagnostics, key, node->first, field);
    take_scalar(diagnostics, key, node->last, (char **)field + 1);
}

/* ---- From a field to a text ---- */

/* The digits are the same in both; JSON has SI units only. */
static void put_digits(tw_values_writer *w, tw_unit unit, double value)
{
    char text[64];
    if (w->words)
        tw_unit_describe(unit, value, text, sizeof text);
    else
        tw_unit_write(w->json ? TW_UNIT_NONE : unit, value, text, sizeof text);
    tw_text_buffer_add(&w->text, "%s", w->json && !isfinite(value) ? "null" : text);
}

static void put_word(tw_values_writer *w, const char *word)
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
static void put_quoted(tw_values_writer *w, const char *text)
{
    if (w->words) {
        put_word(w, text);
        return;
    }
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

static void put_rows(tw_values_writer *w, const tw_key *key, const void *field)
{
    const tw_scenario_rows *rows = field;
    if (w->words) {
        tw_text_buffer_add(&w->text, "of %zu rows", rows->count);
        return;
    }
    tw_text_buffer_add(&w->text, "[");
    for (size_t i = 0; i < rows->count; i++) {
        for (size_t k = 0; k < key->column_count; k++) {
            tw_text_buffer_add(&w->text, k == 0 ? (i ? ", [" : "[") : ", ");
            put_digits(w, key->columns[k], rows->value[i * key->column_count + k]);
        }
        tw_text_buffer_add(&w->text, "]");
    }
    tw_text_buffer_add(&w->text, "]");
}

static void put_set(tw_values_writer *w, const tw_key *key, const void *field)
{
    const uint32_t set = *(const uint32_t *)field;
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

static void put_number(tw_values_writer *w, const tw_key *key, const void *field)
{
    const double number = *(const double *)field;
    if (key->word && number == key->word_value)
        put_word(w, key->word);
    else
        put_digits(w, key->unit, number);
}

static void put_count(tw_values_writer *w, const tw_key *key, const void *field)
{
    (void)key;
    tw_text_buffer_add(&w->text, "%llu", (unsigned long long)*(const uint64_t *)field);
}

static void put_switch(tw_values_writer *w, const tw_key *key, const void *field)
{
    static const char *const words[] = {"no", "yes", "false", "true"};
    (void)key;
    tw_text_buffer_add(&w->text, "%s", words[2 * w->json + (*(const int32_t *)field != 0)]);
}

static void put_choice(tw_values_writer *w, const tw_key *key, const void *field)
{
    for (size_t i = 0; i < key->choice_count; i++)
        if (key->choices[i].value == *(const int32_t *)field) put_word(w, key->choices[i].word);
}

static void put_text(tw_values_writer *w, const tw_key *key, const void *field)
{
    (void)key;
    put_quoted(w, *(char *const *)field);
}

static void put_pair(tw_values_writer *w, const tw_key *key, const void *field)
{
    char *const *names = field;
    tw_text_buffer_add(&w->text, "[");
    put_text(w, key, &names[0]);
    tw_text_buffer_add(&w->text, ", ");
    put_text(w, key, &names[1]);
    tw_text_buffer_add(&w->text, "]");
}

static void put_vector(tw_values_writer *w, const tw_key *key, const void *field)
{
    for (int i = 0; i < 3; i++) {
        tw_text_buffer_add(&w->text, i ? ", " : "[");
        put_digits(w, key->unit, ((const double *)field)[i]);
    }
    tw_text_buffer_add(&w->text, "]");
}

/* ---- The table ---- */

static const double no_number = (double)NAN;
static const uint64_t no_count = TW_SCENARIO_NONE;
static const int32_t no_choice = -1;
static const uint32_t no_set = TW_SCENARIO_NO_SET;
static char *const no_text = NULL;
static const tw_scenario_rows no_rows = {NULL, 0};

#define OF(value) &(value), sizeof(value)

/* What a type does not need is NULL or 0. Maps and lists are read in fill.c. */
static const struct type {
    const char *name;     /* for the reference */
    const char *expected; /* NULL: as `expect` says */
    void (*expect)(const tw_key *key, char *text, size_t size);
    bool (*read)(const tw_key *key, const char *text, void *field, tw_values_error *why);
    void (*take)(tw_diagnostics *diagnostics, const tw_key *key, tw_tree_node *node, void *field);
    void (*put)(tw_values_writer *w, const tw_key *key, const void *field);
    const void *unset;  /* value of a field, or of each of its elements, that is not set */
    size_t size, count; /* of an element; their number */
    bool owned;         /* an element begins with a pointer to memory of its own */
} types[] = {
    /* clang-format off */
    [TW_KEY_NUMBER] = {"number", NULL, expect_number, read_number, take_scalar, put_number, OF(no_number), 1, false},
    [TW_KEY_COUNT] = {"whole number", NULL, expect_count, read_count, take_scalar, put_count, OF(no_count), 1, false},
    [TW_KEY_SWITCH] = {"yes or no", "yes or no", NULL, read_switch, take_scalar, put_switch, OF(no_choice), 1, false},
    [TW_KEY_CHOICE] = {"choice", NULL, expect_choices, read_choice, take_scalar, put_choice, OF(no_choice), 1, false},
    [TW_KEY_SET] = {"list of choices", NULL, expect_choices, read_set, take_set, put_set, OF(no_set), 1, false},
    [TW_KEY_TEXT] = {"text", "text", NULL, read_text, take_scalar, put_text, OF(no_text), 1, true},
    [TW_KEY_NAME] = {"name", NAME_EXPECTED, NULL, read_name, take_scalar, put_text, OF(no_text), 1, true},
    [TW_KEY_FILE] = {"file", "the path of a file", NULL, read_text, take_file, put_text, OF(no_text), 1, true},
    [TW_KEY_PAIR] = {"two names", "a list of two names", NULL, read_name, take_pair, put_pair, OF(no_text), 2, true},
    [TW_KEY_VECTOR] = {"three numbers", NULL, expect_vector, read_vector, take_vector, put_vector, OF(no_number), 3, false},
    [TW_KEY_ROWS] = {"rows of numbers", NULL, expect_rows, NULL, take_rows, put_rows, OF(no_rows), 1, true},
    [TW_KEY_MAP] = {.name = "section", .expected = "a section"},
    [TW_KEY_LIST] = {.name = "list of sections", .expected = "a list of sections"},
    /* clang-format on */
};

const char *tw_values_type_name(const tw_key *key)
{
    return types[key->type].name;
}

tw_values_expectation tw_values_expected(const tw_key *key)
{
    const struct type *type = &types[key->type];
    tw_values_expectation words = {""};
    if (type->expect)
        type->expect(key, words.text, sizeof words.text);
    else
        snprintf(words.text, sizeof words.text, "%s", type->expected);
    return words;
}

bool tw_values_read(const tw_key *key, const char *text, void *field, tw_values_error *why)
{
    return types[key->type].read(key, text, field, why);
}

void tw_values_take(tw_diagnostics *diagnostics, const tw_key *key, tw_tree_node *node, void *field)
{
    types[key->type].take(diagnostics, key, node, field);
}

void tw_values_put(tw_values_writer *w, const tw_key *key, const void *field)
{
    types[key->type].put(w, key, field);
}

void tw_values_set_default(const tw_key *key, void *field)
{
    tw_values_error why;
    bool valid = true;
    if (key->type == TW_KEY_SET && *key->default_value == '\0')
        *(uint32_t *)field = 0;
    else
        valid = tw_values_read(key, key->default_value, field, &why);
    assert(valid); /* keys.def has a default outside its own range */
    (void)valid;
}

/* ---- Fields ---- */

tw_values_list tw_values_get_list(const tw_key *key, const void *structure)
{
    tw_values_list list;
    memcpy(&list.items, (const char *)structure + key->offset, sizeof list.items);
    memcpy(&list.count, (const char *)structure + key->count_offset, sizeof list.count);
    return list;
}

void tw_values_set_list(const tw_key *key, void *structure, tw_values_list list)
{
    memcpy((char *)structure + key->offset, &list.items, sizeof list.items);
    memcpy((char *)structure + key->count_offset, &list.count, sizeof list.count);
}

void tw_values_clear_one(const tw_key *key, void *field)
{
    const struct type *type = &types[key->type];
    for (size_t i = 0; i < type->count; i++)
        memcpy((char *)field + i * type->size, type->unset, type->size);
}

void tw_values_clear(const tw_key_section *section, void *structure)
{
    memset(structure, 0, section->size);
    for (size_t i = 0; i < section->key_count; i++) {
        const tw_key *key = &section->keys[i];
        if (key->type == TW_KEY_MAP)
            tw_values_clear(key->section, tw_values_at(key, structure));
        else
            tw_values_clear_one(key, tw_values_at(key, structure));
    }
}

bool tw_values_any(const tw_key *key, const void *structure)
{
    const struct type *type = &types[key->type];
    const void *field = tw_values_at_const(key, structure);
    if (key->type == TW_KEY_LIST) return tw_values_get_list(key, structure).count > 0;
    for (size_t i = 0; key->type == TW_KEY_MAP && i < key->section->key_count; i++)
        if (tw_values_any(&key->section->keys[i], field)) return true;
    if (type->unset == &no_number) return !isnan(*(const double *)field);
    return type->unset && memcmp(field, type->unset, type->size) != 0;
}

static void free_list(const tw_key *key, const void *structure)
{
    const tw_values_list list = tw_values_get_list(key, structure);
    for (size_t i = 0; i < list.count; i++)
        tw_values_free(key->section, list.items + i * key->section->size);
    free(list.items);
}

void tw_values_free(const tw_key_section *section, void *structure)
{
    for (size_t i = 0; i < section->key_count; i++) {
        const tw_key *key = &section->keys[i];
        const struct type *type = &types[key->type];
        void *field = tw_values_at(key, structure), *owned;
        if (key->type == TW_KEY_MAP) tw_values_free(key->section, field);
        if (key->type == TW_KEY_LIST) free_list(key, structure);
        for (size_t k = 0; type->owned && k < type->count; k++) {
            memcpy(&owned, (char *)field + k * type->size, sizeof owned);
            free(owned);
        }
    }
}
