/* SPDX-License-Identifier: BSD-3-Clause */
/* Properties of every key in the list. */
#include "support.h"

#include <ctype.h>
#include <math.h>

#include "scenario/values.h"

/* ---- A scenario in which a key is used ---- */

typedef struct key_case {
    const tw_key_section *section;
    const tw_key *key;
    char path[200];  /* of the key, as a setting: "stages[1].end.strain" */
    char kinds[100]; /* a setting that selects a kind with this key, or "" */
} key_case;

typedef void (*key_check)(const key_case *v);

/* The first word among the choices of `key` that is in `mask`. */
static const char *word_in(const tw_key *key, uint32_t mask)
{
    for (size_t i = 0; i < key->choice_count; i++)
        if (tw_key_in(TW_KEY_KIND(key->choices[i].value), mask)) return key->choices[i].word;
    return "";
}

static void walk(const tw_key_section *section, const char *path, const char *kinds, key_check see)
{
    for (size_t i = 0; i < section->key_count; i++) {
        const tw_key *key = &section->keys[i];
        key_case v = {.section = section, .key = key};
        snprintf(v.path, sizeof v.path, "%s%s%s", path, *path ? "." : "", key->name);
        snprintf(v.kinds, sizeof v.kinds, "%s", kinds);
        if (section->selector == TW_KEY_SELECT_CHOICE || section->selector == TW_KEY_SELECT_PATH)
            snprintf(v.kinds, sizeof v.kinds, "%s.%s=%s", path, section->keys[0].name,
                     word_in(&section->keys[0], key->used));
        /* subsections of a stage depend on its path */
        else if (strncmp(path, "stages[1]", 9) == 0 && key->used) {
            const tw_key_section *stages = tw_key_find(tw_key_root(), "stages")->section;
            snprintf(v.kinds, sizeof v.kinds, "stages[1].path=%s",
                     word_in(&stages->keys[0], key->used));
        }
        see(&v);
        if (!key->section) continue;
        char below[220];
        snprintf(below, sizeof below, "%s%s", v.path, key->type == TW_KEY_LIST ? "[1]" : "");
        walk(key->section, below, v.kinds, see);
    }
}

static const char base[] = "specimen: {preparation: {pressure: 1e5}, shapes: [{shape: sphere}]}\n"
                           "material: {kn: 1e5}\n"
                           "stages: [{path: relax}]\n";

/* The errors with that value at `path`, the path of the key or of a substitute; "" if there are
 * none.
 */
static char *errors_at(const key_case *v, const char *path, const char *value)
{
    enum { LISTS = 3 };
    char setting[400], item[LISTS][240];
    const char *settings[LISTS + 2];
    size_t count = 0;
    /* first an item for each list that the base does not have, then the kind, then the key, which
     * may be the selector itself */
    for (const char *at = v->path; (at = strstr(at, "[1]")) != NULL; at++) {
        const size_t length = (size_t)(at - v->path);
        if (length == 6 || strncmp(v->path, "specimen.shapes", length) == 0) continue; /* stages */
        assert_true(count < LISTS);
        snprintf(item[count], sizeof *item, "%.*s=[{}]", (int)length, v->path);
        settings[count] = item[count];
        count++;
    }
    if (*v->kinds) settings[count++] = v->kinds;
    snprintf(setting, sizeof setting, "%s=%s", path, value);
    settings[count++] = setting;
    tw_scenario_errors errors;
    tw_scenario *scenario =
        tw_scenario_read_text(base, strlen(base), "a.yaml", settings, count, &errors);
    char *lines = calloc(100000, 1);
    assert_non_null(lines);
    for (size_t i = 0; i < errors.count; i++) {
        strcat(lines, errors.text[i]);
        strcat(lines, "\n");
    }
    tw_scenario_errors_free(&errors);
    tw_scenario_free(scenario);
    return lines;
}

static char *errors_of(const key_case *v, const char *value)
{
    return errors_at(v, v->path, value);
}

static void number_text(const tw_key *key, double value, char *text, size_t size)
{
    char one[64];
    tw_unit_write(key->unit, value, one, sizeof one);
    if (key->type == TW_KEY_VECTOR)
        snprintf(text, size, "[%s, %s, %s]", one, one, one);
    else
        snprintf(text, size, "%s", one);
}

/* Whether the errors say that this key is out of range. */
static bool out_of_range(const key_case *v, const char *lines)
{
    char words[300];
    for (const char *at = lines; (at = strstr(at, "is out of range")) != NULL; at++) {
        const char *start = at;
        while (start > lines && start[-1] != '\n')
            start--;
        snprintf(words, sizeof words, ": %s", v->path);
        const char *found = strstr(start, words);
        if (found && found < at) return true;
    }
    return false;
}

static size_t ranges; /* number of limits tried */

static void try_limit(const key_case *v, double value, bool refused)
{
    char text[200];
    number_text(v->key, value, text, sizeof text);
    char *lines = errors_of(v, text);
    if (out_of_range(v, lines) != refused)
        fail_msg("%s=%s should %sbe out of range:\n%s", v->path, text, refused ? "" : "not ",
                 lines);
    free(lines);
    ranges++;
}

static void see_range(const key_case *v)
{
    const tw_key_range *r = &v->key->range;
    const tw_key_type type = v->key->type;
    if (type != TW_KEY_NUMBER && type != TW_KEY_COUNT && type != TW_KEY_VECTOR) return;
    const double gap = type == TW_KEY_COUNT ? 1.0 : 1e-9;
    const bool low = r->has & TW_KEY_RANGE_LOW, high = r->has & TW_KEY_RANGE_HIGH;
    assert_false(high && !low);
    if (type == TW_KEY_COUNT) assert_true(low && high && !(r->has & TW_KEY_RANGE_LOW_OPEN));
    if (low) {
        const bool open = r->has & TW_KEY_RANGE_LOW_OPEN;
        try_limit(v, r->low, open);
        if (!(type == TW_KEY_COUNT && r->low == 0.0)) try_limit(v, r->low - gap, true);
        if (open) try_limit(v, r->low + gap, false);
    }
    if (high) {
        const bool open = r->has & TW_KEY_RANGE_HIGH_OPEN;
        try_limit(v, r->high, open);
        try_limit(v, r->high + fmax(gap, 1e-9 * r->high), true);
        if (open) try_limit(v, r->high - gap, false);
    }
}

static void every_key_refuses_values_out_of_range(void **state)
{
    (void)state;
    ranges = 0;
    walk(tw_key_root(), "", "", see_range);
    assert_true(ranges > 150);
}

/* ---- Types ---- */

static void must_refuse(const key_case *v, const char *value, const char *words)
{
    char *lines = errors_of(v, value), start[300];
    snprintf(start, sizeof start, "': %s", v->path); /* after the setting, which may be shortened */
    const char *found = strstr(lines, start);
    if (!found || !strstr(found, words))
        fail_msg("%s=%s should be refused with '%s':\n%s", v->path, value, words, lines);
    free(lines);
}

static void see_type(const key_case *v)
{
    switch (v->key->type) {
    case TW_KEY_NUMBER:
        must_refuse(v, "zzz", "is not a number");
        must_refuse(v, "[1, 2]", "is a list of 2");
        must_refuse(v, "{a: 1}", "is a section");
        must_refuse(v, "~", "has no value");
        must_refuse(v, "1 furlong", "unit");
        break;
    case TW_KEY_COUNT:
        must_refuse(v, "zzz", "is not a whole number");
        must_refuse(v, "1.5", "is not a whole number");
        must_refuse(v, "200 %", "is not a whole number");
        must_refuse(v, "1e30", "is out of range");
        must_refuse(v, "[]", "is a list of 0");
        break;
    case TW_KEY_SWITCH:
        must_refuse(v, "2", "is not valid; expected yes or no");
        must_refuse(v, "[yes]", "is a list of 1");
        break;
    case TW_KEY_CHOICE:
        must_refuse(v, "zzz", "is unknown; ");
        must_refuse(v, "[a]", "is a list of 1");
        break;
    case TW_KEY_SET:
        must_refuse(v, "[zzz]", "is unknown; ");
        must_refuse(v, "{a: 1}", "is a section");
        break;
    case TW_KEY_NAME:
        must_refuse(v, "a/b", "is not a valid name");
        must_refuse(v, "-a", "is not a valid name");
        must_refuse(v, "[a]", "is a list of 1");
        break;
    case TW_KEY_FILE:
        must_refuse(v, "no-such-file", "cannot be read: No such file or directory");
        must_refuse(v, "/", "cannot be read: not a regular file");
        break;
    case TW_KEY_TEXT:
        must_refuse(v, "{a: 1}", "is a section");
        break;
    case TW_KEY_PAIR:
        must_refuse(v, "[a, b, c]", "is a list of 3 items; expected a list of two names");
        must_refuse(v, "a", "is a single value");
        must_refuse(v, "[a, b/c]", "[2]: 'b/c' is not a valid name");
        break;
    case TW_KEY_VECTOR:
        must_refuse(v, "[1, 2]", "is a list of 2 items; expected a list of three numbers");
        must_refuse(v, "3", "is a single value");
        must_refuse(v, "[1, a, 3]", "[2]: 'a' is not a number");
        must_refuse(v, "[1, [2], 3]", "[2]: is a list of 1 item; expected a");
        break;
    case TW_KEY_ROWS:
        must_refuse(v, "[]", "is a list of 0");
        must_refuse(v, "[1, 2]", "[1]: is a single value; expected a list of");
        must_refuse(v, "3", "is a single value");
        break;
    case TW_KEY_MAP:
        must_refuse(v, "3",
                    v->key->section->selector == TW_KEY_SELECT_WORD
                        ? "is unknown; choices"
                        : "is a single value; expected a section");
        must_refuse(v, "[1]", "is a list of 1 item; expected a section");
        break;
    case TW_KEY_LIST:
        must_refuse(v, "3", "is a single value; expected a list of sections");
        must_refuse(v, "[]", "the list is empty");
        must_refuse(v, "[3]", "[1]: is a single value; expected a section");
        break;
    }
}

static void every_key_refuses_other_types(void **state)
{
    (void)state;
    walk(tw_key_root(), "", "", see_type);
}

/* ---- Words ---- */

static void see_choices(const key_case *v)
{
    for (size_t i = 0; i < v->key->choice_count; i++) {
        char *lines = errors_of(v, v->key->choices[i].word);
        if (strstr(lines, "is unknown; "))
            fail_msg("%s=%s:\n%s", v->path, v->key->choices[i].word, lines);
        free(lines);
    }
}

static void every_choice_is_known(void **state)
{
    (void)state;
    walk(tw_key_root(), "", "", see_choices);
}

static bool is_key(const tw_key_section *section, const char *name)
{
    bool found = tw_key_find(section, name) != NULL;
    for (size_t i = 0; i < section->key_count && !found; i++)
        found = section->keys[i].section && is_key(section->keys[i].section, name);
    return found;
}

/* A key with two letters swapped is recognised, unless that is another key. */
static void see_slip(const key_case *v)
{
    char name[64], path[300], words[400];
    snprintf(name, sizeof name, "%s", v->key->name);
    const size_t length = strlen(name);
    if (length < 4 || name[1] == name[2]) return;
    const char swap = name[1];
    name[1] = name[2], name[2] = swap;
    if (is_key(tw_key_root(), name)) return;
    snprintf(path, sizeof path, "%.*s%s", (int)(strlen(v->path) - length), v->path, name);
    char *lines = errors_at(v, path, "1");
    snprintf(words, sizeof words, "%s: unknown key; did you mean '%s'?", path, v->key->name);
    support_has(lines, words);
    free(lines);
}

static void swapped_letters_are_recognised_in_every_key(void **state)
{
    (void)state;
    walk(tw_key_root(), "", "", see_slip);
}

/* ---- The list ---- */

static void see_line(const key_case *v)
{
    const tw_key *key = v->key;
    assert_non_null(key->meaning);
    const size_t length = strlen(key->meaning);
    if (length < 3 || !islower((unsigned char)key->meaning[0]) || key->meaning[length - 1] == '.')
        /* except for proper names */
        if (strncmp(key->meaning, "Cundall", 7) != 0 && strncmp(key->meaning, "Young", 5) != 0 &&
            strncmp(key->meaning, "Poisson", 7) != 0)
            fail_msg("the meaning of %s: '%s'", v->path, key->meaning);
    for (const char *c = key->name; *c; c++)
        assert_true(islower((unsigned char)*c) || isdigit((unsigned char)*c) || *c == '_');
    /* an invalid default fails an assertion */
    if (key->default_value && key->type != TW_KEY_MAP && key->type != TW_KEY_LIST) {
        double room[3] = {0};
        tw_values_clear_one(key, room);
        tw_values_set_default(key, room);
    }
    /* required and default only where used */
    if (key->required && key->required != TW_KEY_KINDS_ALL && key->used)
        assert_int_equal(key->required & ~key->used, 0);
    if (key->default_kinds && key->used) assert_int_equal(key->default_kinds & ~key->used, 0);
    assert_true(key->choice_count <= 32);
}

static void every_entry_of_the_list_is_well_formed(void **state)
{
    (void)state;
    walk(tw_key_root(), "", "", see_line);
}

static void the_reference_has_every_key_once(void **state)
{
    (void)state;
    const size_t count = tw_scenario_key_count();
    assert_true(count > 100);
    for (size_t i = 0; i < count; i++) {
        tw_scenario_key_buffer buffer, other;
        const tw_scenario_key k = tw_scenario_key_at(i, &buffer);
        assert_true(*k.name && *k.type && *k.meaning && k.section && *k.section_meaning);
        for (size_t n = 0; n < i; n++) {
            const tw_scenario_key o = tw_scenario_key_at(n, &other);
            assert_true(strcmp(o.section, k.section) != 0 || strcmp(o.name, k.name) != 0);
        }
        for (size_t c = 0; c < k.choices; c++)
            assert_non_null(tw_scenario_key_choice(i, c, NULL));
        assert_null(tw_scenario_key_choice(i, k.choices, NULL));
    }
    tw_scenario_key_buffer buffer;
    assert_null(tw_scenario_key_at(count, &buffer).name);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_key_refuses_values_out_of_range),
        cmocka_unit_test(every_key_refuses_other_types),
        cmocka_unit_test(every_choice_is_known),
        cmocka_unit_test(swapped_letters_are_recognised_in_every_key),
        cmocka_unit_test(every_entry_of_the_list_is_well_formed),
        cmocka_unit_test(the_reference_has_every_key_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
