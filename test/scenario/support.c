/* SPDX-License-Identifier: BSD-3-Clause */
#include "support.h"

#include <unistd.h>

#include "scenario/values.h"

enum { SETTINGS_MAX = 16 };

static size_t collect(va_list arguments, const char *settings[SETTINGS_MAX])
{
    size_t count = 0;
    for (const char *next = va_arg(arguments, const char *); next;
         next = va_arg(arguments, const char *)) {
        assert_true(count < SETTINGS_MAX);
        settings[count++] = next;
    }
    return count;
}

tw_scenario *support_read(const char *text, ...)
{
    const char *settings[SETTINGS_MAX];
    tw_scenario_errors errors;
    va_list arguments;
    va_start(arguments, text);
    const size_t count = collect(arguments, settings);
    va_end(arguments);
    tw_scenario *scenario =
        tw_scenario_read_text(text, strlen(text), "a.yaml", settings, count, &errors);
    for (size_t i = 0; i < errors.count; i++)
        print_error("%s\n", errors.text[i]);
    assert_non_null(scenario);
    assert_int_equal(errors.count, 0);
    tw_scenario_errors_free(&errors);
    return scenario;
}

static char *join(char *const *text, size_t count)
{
    size_t size = 1;
    for (size_t i = 0; i < count; i++)
        size += strlen(text[i]) + 1;
    char *lines = calloc(size, 1);
    assert_non_null(lines);
    for (size_t i = 0; i < count; i++) {
        strcat(lines, text[i]);
        strcat(lines, "\n");
    }
    return lines;
}

char *support_errors(const char *text, ...)
{
    const char *settings[SETTINGS_MAX];
    tw_scenario_errors errors;
    va_list arguments;
    va_start(arguments, text);
    const size_t count = collect(arguments, settings);
    va_end(arguments);
    tw_scenario *scenario =
        tw_scenario_read_text(text, strlen(text), "a.yaml", settings, count, &errors);
    if (scenario) fail_msg("this was accepted:\n%s", text);
    assert_true(errors.count > 0);
    assert_false(errors.out_of_memory);
    char *lines = join(errors.text, errors.count);
    tw_scenario_errors_free(&errors);
    return lines;
}

void support_refused(const char *text, const char *lines)
{
    char *found = support_errors(text, NULL);
    if (strcmp(found, lines) != 0)
        fail_msg("scenario:\n%s\nexpected:\n%s\nfound:\n%s", text, lines, found);
    free(found);
}

void support_has(const char *lines, const char *words)
{
    if (!strstr(lines, words)) fail_msg("'%s' is not in:\n%s", words, lines);
}

static bool same_list(const tw_key *key, const char *a, const char *b)
{
    const tw_values_list p = tw_values_get_list(key, a), q = tw_values_get_list(key, b);
    const size_t size = key->section->size;
    for (size_t i = 0; p.count == q.count && i < q.count; i++)
        if (!support_equal(key->section, p.items + i * size, q.items + i * size)) return false;
    return p.count == q.count;
}

static bool same_rows(const tw_scenario_rows *a, const tw_scenario_rows *b, size_t columns)
{
    return a->count == b->count &&
           (a->count == 0 ||
            memcmp(a->value, b->value, a->count * columns * sizeof *a->value) == 0);
}

static bool same_text(const char *a, const char *b)
{
    return a && b ? strcmp(a, b) == 0 : a == b;
}

static bool same(const tw_key *key, const char *a, const char *b)
{
    const void *p = a + key->offset, *q = b + key->offset;
    switch (key->type) {
    case TW_KEY_NUMBER:
        return memcmp(p, q, sizeof(double)) == 0;
    case TW_KEY_COUNT:
        return memcmp(p, q, sizeof(uint64_t)) == 0;
    case TW_KEY_SWITCH:
    case TW_KEY_CHOICE:
    case TW_KEY_SET:
        return memcmp(p, q, sizeof(int32_t)) == 0;
    case TW_KEY_TEXT:
    case TW_KEY_NAME:
    case TW_KEY_FILE:
        return same_text(*(char *const *)p, *(char *const *)q);
    case TW_KEY_PAIR:
        return same_text(((char *const *)p)[0], ((char *const *)q)[0]) &&
               same_text(((char *const *)p)[1], ((char *const *)q)[1]);
    case TW_KEY_VECTOR:
        return memcmp(p, q, 3 * sizeof(double)) == 0;
    case TW_KEY_ROWS:
        return same_rows(p, q, key->column_count);
    case TW_KEY_MAP:
        return support_equal(key->section, p, q);
    case TW_KEY_LIST:
        return same_list(key, a, b);
    }
    return false;
}

bool support_equal(const tw_key_section *section, const void *a, const void *b)
{
    for (size_t i = 0; i < section->key_count; i++) {
        if (same(&section->keys[i], a, b)) continue;
        print_error("%s.%s differs\n", section->path, section->keys[i].name);
        return false;
    }
    return true;
}

char *support_file(const char *path, size_t *length)
{
    FILE *file = fopen(path, "rb");
    if (!file) fail_msg("cannot read %s", path);
    assert_int_equal(fseek(file, 0, SEEK_END), 0);
    const long size = ftell(file);
    assert_true(size >= 0);
    rewind(file);
    char *bytes = calloc((size_t)size + 1, 1);
    assert_non_null(bytes);
    assert_int_equal(fread(bytes, 1, (size_t)size, file), size);
    fclose(file);
    *length = (size_t)size;
    return bytes;
}

void support_warned(const char *text, const char *lines)
{
    tw_scenario_errors errors;
    tw_scenario *scenario = tw_scenario_read_text(text, strlen(text), "a.yaml", NULL, 0, &errors);
    char *found = join(errors.warning, errors.warning_count);
    for (size_t i = 0; i < errors.count; i++)
        print_error("%s\n", errors.text[i]);
    assert_non_null(scenario);
    if (strcmp(found, lines) != 0)
        fail_msg("scenario:\n%s\nexpected:\n%s\nfound:\n%s", text, lines, found);
    free(found);
    tw_scenario_errors_free(&errors);
    tw_scenario_free(scenario);
}

/* ---- A folder ---- */

static char folder[] = "/tmp/twirl_scenario_XXXXXX";
static char written[40];

int support_enter_folder(void **state)
{
    (void)state;
    return mkdtemp(folder) && chdir(folder) == 0 ? 0 : -1;
}

int support_leave_folder(void **state)
{
    (void)state;
    remove(written);
    return chdir("/") == 0 && rmdir(folder) == 0 ? 0 : -1;
}

void support_write(const char *name, const void *bytes, size_t count)
{
    snprintf(written, sizeof written, "%s", name);
    FILE *file = fopen(name, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, count, file), count);
    assert_int_equal(fclose(file), 0);
}
