/* SPDX-License-Identifier: BSD-3-Clause */
#include "scenario/values.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <twirl/math.h>
#include <twirl/scenario.h>

#include "base/text.h"
#include "scenario/hint.h"
#include "scenario/plausible.h"
#include "scenario/text_copy.h"
#include "scenario/word_list.h"

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
        tw_word_list_add(text, size, key->choices[i].word);
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

#define NAME_EXPECTED "up to 64 letters, digits, '_' or '-', starting with a letter or digit"

tw_values_expectation tw_values_expected(const tw_key *key)
{
    static const char *const fixed[] = {
        [TW_KEY_SWITCH] = "yes or no",         [TW_KEY_TEXT] = "text",
        [TW_KEY_NAME] = NAME_EXPECTED,         [TW_KEY_FILE] = "the path of a file",
        [TW_KEY_PAIR] = "a list of two names", [TW_KEY_MAP] = "a section",
        [TW_KEY_LIST] = "a list of sections",
    };
    tw_values_expectation words = {""};
    const size_t size = sizeof words.text;
    const tw_values_limits range = describe_range(&key->range, key->unit);
    char list[300] = "";
    switch (key->type) {
    case TW_KEY_NUMBER:
        describe_number(key->unit, &key->range, list, sizeof list);
        snprintf(words.text, size, "%s%s%s%s", list, key->word ? " or '" : "",
                 key->word ? key->word : "", key->word ? "'" : "");
        break;
    case TW_KEY_COUNT:
        snprintf(words.text, size, "a whole number %s", range.text);
        break;
    case TW_KEY_CHOICE:
    case TW_KEY_SET:
        list_choices(key, list, sizeof list);
        snprintf(words.text, size, "%s of %s", key->type == TW_KEY_SET ? "a list of any" : "one",
                 list);
        break;
    case TW_KEY_VECTOR:
        snprintf(words.text, size, "a list of three numbers%s%s", *range.text ? ", each " : "",
                 range.text);
        break;
    case TW_KEY_ROWS:
        snprintf(words.text, size, "a list of lists of %zu numbers", key->column_count);
        break;
    default:
        snprintf(words.text, size, "%s", fixed[key->type]);
        break;
    }
    return words;
}

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
    if (!tw_plausible_check(unit, number, why->text, sizeof why->text)) return false;
    *value = number;
    return true;
}

static bool read_count(const tw_key *key, const char *text, uint64_t *value, tw_values_error *why)
{
    double number = 0.0;
    char wrong[200];
    const bool whole = tw_unit_read(TW_UNIT_NONE, text, &number, wrong, sizeof wrong) &&
                       !strchr(text, '%') && number == floor(number);
    if (whole && number >= 0.0 && number <= 0x1p53 && in_range(&key->range, number)) {
        *value = (uint64_t)number;
        return true;
    }
    snprintf(why->text, sizeof why->text, "%s; expected %s",
             whole ? "is out of range" : "is not a whole number", tw_values_expected(key).text);
    return false;
}

static bool read_switch(const char *text, int32_t *value, tw_values_error *why)
{
    static const char *const words[] = {"no", "yes", "false", "true"};
    for (int32_t i = 0; i < 4; i++) {
        if (strcmp(text, words[i]) != 0) continue;
        *value = i % 2;
        return true;
    }
    snprintf(why->text, sizeof why->text, "is not valid; expected yes or no");
    return false;
}

/* Why a word is not a choice of `key`: a hint, a near word, or none. */
static void refuse_choice(const tw_key *key, const char *text, tw_values_error *why)
{
    enum { MOST = 32 };
    const char *known[MOST];
    char place[40], hinted[300], list[300] = "";
    assert(key->choice_count <= MOST);
    for (size_t i = 0; i < key->choice_count; i++)
        known[i] = key->choices[i].word;
    list_choices(key, list, sizeof list);
    snprintf(place, sizeof place, "%s:", key->name);
    const tw_hint *hint = tw_hint_find(place, text);
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

static bool read_text(const char *text, char **value, tw_values_error *why)
{
    char *copy = tw_text_copy(text, strlen(text));
    why->text[0] = '\0';
    if (!copy) return false;
    free(*value);
    *value = copy;
    return true;
}

/* A number, or the word in its place. */
static bool read_number_or_word(const tw_key *key, const char *text, double *value,
                                tw_values_error *why)
{
    if (key->word && strcmp(text, key->word) == 0) {
        *value = key->word_value;
        return true;
    }
    if (tw_values_read_number(key->unit, &key->range, text, value, why)) return true;
    size_t used = strlen(why->text);
    if (key->word) snprintf(why->text + used, sizeof why->text - used, " or '%s'", key->word);
    used = strlen(why->text);
    if (strcmp(key->name, "friction") == 0 && strstr(why->text, tw_unit_noun(TW_UNIT_ANGLE)))
        snprintf(why->text + used, sizeof why->text - used,
                 "; friction is the tangent of the angle: 30 deg is 0.577");
    return false;
}

static bool read_choice(const tw_key *key, const char *text, int32_t *value, tw_values_error *why)
{
    const tw_key_choice *choice = find_choice(key, text, why);
    if (choice) *value = (int32_t)choice->value;
    return choice != NULL;
}

static bool read_set(const tw_key *key, const char *text, uint32_t *value, tw_values_error *why)
{
    const tw_key_choice *choice = find_choice(key, text, why);
    if (choice && *value == TW_SCENARIO_NO_SET) *value = 0;
    if (choice) *value |= (uint32_t)choice->value;
    return choice != NULL;
}

static bool read_name(const char *text, char **value, tw_values_error *why)
{
    if (is_name(text)) return read_text(text, value, why);
    snprintf(why->text, sizeof why->text, "is not a valid name; expected %s", NAME_EXPECTED);
    return false;
}

bool tw_values_read(const tw_key *key, const char *text, void *field, tw_values_error *why)
{
    switch (key->type) {
    case TW_KEY_NUMBER:
        return read_number_or_word(key, text, field, why);
    case TW_KEY_COUNT:
        return read_count(key, text, field, why);
    case TW_KEY_SWITCH:
        return read_switch(text, field, why);
    case TW_KEY_CHOICE:
        return read_choice(key, text, field, why);
    case TW_KEY_SET:
        return read_set(key, text, field, why);
    case TW_KEY_NAME:
    case TW_KEY_PAIR: /* one of the two */
        return read_name(text, field, why);
    case TW_KEY_TEXT:
    case TW_KEY_FILE:
        return read_text(text, field, why);
    case TW_KEY_VECTOR:
    case TW_KEY_ROWS:
    case TW_KEY_MAP:
    case TW_KEY_LIST:
        break;
    }
    assert(0);
    return false;
}

void tw_values_set_default(const tw_key *key, void *field)
{
    tw_values_error why;
    bool valid = true;
    if (key->type == TW_KEY_VECTOR) {
        for (int i = 0; i < 3; i++)
            valid = valid && tw_values_read_number(key->unit, &key->range, key->default_value,
                                                   (double *)field + i, &why);
    } else if (key->type == TW_KEY_SET && *key->default_value == '\0') {
        *(uint32_t *)field = 0;
    } else {
        valid = tw_values_read(key, key->default_value, field, &why);
    }
    assert(valid); /* keys.def has a default outside its own range */
    (void)valid;
}
