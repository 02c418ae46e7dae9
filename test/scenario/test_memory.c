/* SPDX-License-Identifier: BSD-3-Clause */
/* Any failed allocation ends in an out-of-memory error, without leaks (run under the sanitizers).
 */
#include "support.h"

static long left = -1; /* allocations until one fails; below 0: none fails */

static bool fails(void)
{
    return left >= 0 && left-- == 0;
}

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *old, size_t size);
char *__real_strdup(const char *text);
char *__real_strndup(const char *text, size_t length);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *old, size_t size);
char *__wrap_strdup(const char *text);
char *__wrap_strndup(const char *text, size_t length);

void *__wrap_malloc(size_t size)
{
    return fails() ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t count, size_t size)
{
    return fails() ? NULL : __real_calloc(count, size);
}

void *__wrap_realloc(void *old, size_t size)
{
    return fails() ? NULL : __real_realloc(old, size);
}

char *__wrap_strdup(const char *text)
{
    return fails() ? NULL : __real_strdup(text);
}

char *__wrap_strndup(const char *text, size_t length)
{
    return fails() ? NULL : __real_strndup(text, length);
}

static const char good[] =
    "title: a\n"
    "specimen: {count: 500, shapes: [{shape: bumpy}, {shape: cluster, spheres: [[0, 0, 0, 1]]}],\n"
    "  preparation: {pressure: 1 kPa}, cell: {aspect: [1, 1, 2]}}\n"
    "material: {kn: 1e4, without: [tilt]}\n"
    "stages: [{path: relax, save: b}, {path: triaxial, from: b, end: {strain: 1}}]\n";

static const char mixed[] =
    "specimen: {preparation: {pressure: 1e5}, shapes: [{shape: sphere}, {material: b}]}\n"
    "materials: [{name: a, young: 1e9, restitution: 0.5}, {name: b, young: 2e9}]\n"
    "pairs: [{between: [b, a], friction: 0.1}]\n"
    "stages: [{path: relax, materials: [{name: b, friction: 0.2}]}, {path: triaxial, end: {strain: "
    "1}}]\n";

static const char *const settings[] = {"stages[2].rate=0.1 /s", "damping.local=0.1",
                                       "stages[1].name=first"};

/* The scenario as written without failures; NULL if it is invalid. */
static char *undisturbed_text(const char *text)
{
    tw_scenario_errors errors;
    tw_scenario *s = tw_scenario_read_text(text, strlen(text), "a.yaml", settings, 3, &errors);
    char *written = s ? tw_scenario_write_text(s) : NULL;
    tw_scenario_errors_free(&errors);
    tw_scenario_free(s);
    return written;
}

/* Reads `text` with the first, second, ... allocation failing, and returns how many there are. A
 * scenario that is read in spite of a failure must be complete. */
static long try_all(const char *text, bool right)
{
    char *wanted = undisturbed_text(text);
    assert_true((wanted != NULL) == right);
    for (long calls = 0; calls < 100000; calls++) {
        tw_scenario_errors errors;
        left = calls;
        tw_scenario *s = tw_scenario_read_text(text, strlen(text), "a.yaml", settings, 3, &errors);
        const bool undisturbed = left >= 0;
        left = -1;
        if (undisturbed) {
            assert_true((s != NULL) == right && !errors.out_of_memory);
        } else if (!s) {
            assert_true(errors.out_of_memory);
        } else {
            char *written = tw_scenario_write_text(s);
            assert_true(right);
            assert_string_equal(written, wanted);
            free(written);
        }
        tw_scenario_errors_free(&errors);
        tw_scenario_free(s);
        if (undisturbed) {
            free(wanted);
            return calls;
        }
    }
    free(wanted);
    return -1;
}

static void reading_survives_any_failed_allocation(void **state)
{
    (void)state;
    assert_true(try_all(good, true) > 50);
    assert_true(try_all(mixed, true) > 50);
    assert_true(try_all("specimen: {preparation: {pressure: 1e5}, shapes: [{material: c}]}\n"
                        "materials: [{name: a, kn: 1}, {name: a, young: 1}]\n"
                        "pairs: [{between: [a, d]}]\nstages: [{path: relax}, {path: relax}]\n",
                        false) > 20);
    assert_true(
        try_all("specimen: {cuont: 5}\nmaterial: {kn: -1}\nstages: [{path: rleax}]\n", false) > 20);
}

static void writing_survives_any_failed_allocation(void **state)
{
    (void)state;
    tw_scenario *s = support_read(good, NULL);
    for (int words = 0; words < 2; words++) {
        bool undisturbed = false;
        for (long calls = 0; !undisturbed; calls++) {
            left = calls;
            char *text = words ? tw_scenario_describe(s, "stages", 1) : tw_scenario_write_text(s);
            undisturbed = left >= 0;
            left = -1;
            assert_true((text != NULL) == undisturbed);
            free(text);
        }
    }
    tw_scenario_free(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reading_survives_any_failed_allocation),
        cmocka_unit_test(writing_survives_any_failed_allocation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
