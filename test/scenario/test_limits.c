/* SPDX-License-Identifier: BSD-3-Clause */
/* Unsupported YAML, invalid YAML and hostile input. */
#include "support.h"

#include <time.h>

#include "scenario/tree.h"
#include "scenario/values.h"

#define S SUPPORT_SMALL

static void unsupported_yaml_is_refused(void **state)
{
    (void)state;
    support_refused(
        S "stages: &all [{path: relax}]\n",
        "a.yaml:3:9: anchors (&) and aliases (*) are not supported; write the value out\n");
    support_refused(
        S "stages: *all\n",
        "a.yaml:3:9: anchors (&) and aliases (*) are not supported; write the value out\n");
    support_refused(S "damping: {<<: {local: 0.1}}\n",
                    "a.yaml:3:11: merge keys (<<) are not supported; write the keys out\n");
    support_refused(S "damping: {local: !!float 0.1}\n",
                    "a.yaml:3:18: tags (!) are not supported; remove the tag\n");
    support_refused(S "---\nstages: [{path: relax}]\n",
                    "a.yaml:3:1: second YAML document; a scenario is a single document\n");
    support_refused(S "? [a, b]\n: 3\n",
                    "a.yaml:3:3: a key must be a plain word, not a map or a list\n");
}

static void syntax_errors_are_located(void **state)
{
    (void)state;
    support_refused("", "a.yaml: is empty\n");
    support_refused("# only a comment\n", "a.yaml: is empty\n");
    support_refused("- a\n- b\n",
                    "a.yaml:1:1: has no keys; expected 'specimen:', 'material:' or 'stages:'\n");
    support_refused("specimen: {count: 3\nmaterial: 2\n",
                    "a.yaml:2:9: invalid YAML: did not find expected ',' or '}', while parsing a "
                    "flow mapping (starting at line 1)\n");
    support_refused("a:\n\t- b\n", "a.yaml:2:1: found a tab; YAML is indented with spaces\n");
    support_refused("specimen:\n  count: 100\n  \tseed: 3\n",
                    "a.yaml:3:3: found a tab; YAML is indented with spaces\n");
    support_refused("title: \xff\n",
                    "a.yaml: not valid UTF-8: invalid leading UTF-8 octet at byte 7\n");
    support_refused("title: \"a\\0b\"\n", "a.yaml:1:8: text contains a NUL character\n");
}

/* Ten lines that would expand to 10^9 values, and a list that contains itself: refused at the first
 * anchor. */
static void alias_bombs_are_refused_immediately(void **state)
{
    (void)state;
    char bomb[4000] = "a: &a [x, x, x, x, x, x, x, x, x, x]\n";
    for (char c = 'b'; c < 'k'; c++) {
        char line[200];
        snprintf(line, sizeof line, "%c: &%c [*%c, *%c, *%c, *%c, *%c, *%c, *%c, *%c, *%c, *%c]\n",
                 c, c, c - 1, c - 1, c - 1, c - 1, c - 1, c - 1, c - 1, c - 1, c - 1, c - 1);
        strcat(bomb, line);
    }
    const clock_t start = clock();
    char *lines = support_errors(bomb, NULL);
    support_has(lines, "a.yaml:1:4: anchors");
    free(lines);
    lines = support_errors("a: &a [*a]\n", NULL);
    support_has(lines, "a.yaml:1:4: anchors");
    free(lines);
    assert_true(clock() - start < CLOCKS_PER_SEC);
}

static char *repeat(const char *before, const char *text, size_t times)
{
    const size_t front = strlen(before), length = strlen(text);
    char *all = malloc(front + times * length + 1);
    assert_non_null(all);
    memcpy(all, before, front);
    for (size_t i = 0; i < times; i++)
        memcpy(all + front + i * length, text, length);
    all[front + times * length] = '\0';
    return all;
}

static void expect(char *text, const char *words, size_t count)
{
    tw_scenario_errors errors;
    const clock_t start = clock();
    assert_null(tw_scenario_read_text(text, strlen(text), "a.yaml", NULL, 0, &errors));
    /* generous, for slow sanitizer builds, but short enough to detect a hang */
    assert_true(clock() - start < 20 * CLOCKS_PER_SEC);
    assert_int_equal(errors.count, count);
    support_has(errors.text[count - 1], words);
    tw_scenario_errors_free(&errors);
    free(text);
}

static void excessive_sizes_are_refused(void **state)
{
    (void)state;
    expect(repeat("a: ", "[", 100000), "a.yaml:1:19: nesting exceeds the limit of 16 levels", 1);
    expect(repeat("a: ", "{a: ", 1000), "nesting exceeds the limit of 16 levels", 1);
    expect(repeat("", "- ", 200000), "nesting exceeds the limit of 16 levels", 1);
    expect(repeat("", "# comment\n", TW_TREE_PARSE_BYTES_MAX / 10 + 1),
           "a.yaml: exceeds the limit of 1048576 bytes", 1);
    expect(repeat(S "stages:\n", " - path: relax\n", TW_FILL_ITEMS_MAX + 1),
           "a.yaml:4:2: stages: exceeds the limit of 1000 items", 1);
    char *keys = calloc(20, 300);
    assert_non_null(keys);
    for (int i = 0; i < 300; i++)
        snprintf(keys + strlen(keys), 20, "k%d: 1\n", i);
    expect(keys, "a.yaml:257:1: section exceeds the limit of 256 keys", 1);
}

static void at_most_a_thousand_errors_are_listed(void **state)
{
    (void)state;
    expect(repeat(S "stages:\n", " - {path: relax, hld: 1, axs: 2, rte: 1}\n", TW_FILL_ITEMS_MAX),
           "(limit of 1000 errors reached)", TW_DIAGNOSTICS_MAX);
}

/* Long values are kept completely; long quotations in messages end in dots. */
static void long_texts_are_not_truncated_silently(void **state)
{
    (void)state;
    char *text = repeat(S "title: ", "word ", 20000);
    tw_scenario *s = support_read(text, NULL);
    assert_int_equal(strlen(s->title), 20000 * 5 - 1);
    tw_scenario_free(s);
    free(text);
    expect(repeat(S "damping:\n  local: ", "a", 5000), "...' is not a number", 1);
    expect(repeat(S "stages:\n  - path: relax\n    name: ", "a", 65), "...' is not a valid name",
           1);
    char *key = repeat(S, "k", 700);
    strcpy(key + strlen(key) - 3, ": 1");
    expect(key, "...: unknown key", 1);
}

static void unicode_and_line_ends_are_preserved(void **state)
{
    (void)state;
    tw_scenario *s =
        support_read("\xEF\xBB\xBF" S "title: \"Sand \xc3\xa9\\n\\t\\\"x\\\"\"\r\n", NULL);
    assert_string_equal(s->title, "Sand \xc3\xa9\n\t\"x\"");
    tw_scenario_free(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(unsupported_yaml_is_refused),
        cmocka_unit_test(syntax_errors_are_located),
        cmocka_unit_test(alias_bombs_are_refused_immediately),
        cmocka_unit_test(excessive_sizes_are_refused),
        cmocka_unit_test(at_most_a_thousand_errors_are_listed),
        cmocka_unit_test(long_texts_are_not_truncated_silently),
        cmocka_unit_test(unicode_and_line_ends_are_preserved),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
