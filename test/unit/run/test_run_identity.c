/* SPDX-License-Identifier: BSD-3-Clause */
/* The identity of a run depends on the scenario and the first state, not on folders. */
#include "check.h"

#include "run/files.h"

static const char text[] = "specimen:\n  file: data/sand.csv\nmaterial:\n  friction: 0.5\n";

static void folders_of_input_files_do_not_count(void **state)
{
    (void)state;
    const uint64_t is = tw_run_identity(text, 1);
    assert_true(
        tw_run_identity("specimen:\n  file: /a/b/sand.csv\nmaterial:\n  friction: 0.5\n", 1) == is);
    assert_true(tw_run_identity("specimen:\n  file: sand.csv\nmaterial:\n  friction: 0.5\n", 1) ==
                is);
    assert_true(tw_run_identity("specimen:\n  file: \"a b/sand.csv\"\nmaterial:\n  friction: 0.5\n",
                                1) == is);
    assert_true(tw_run_identity("a:\n    - file: x/grain.txt\n", 1) ==
                tw_run_identity("a:\n    - file: grain.txt\n", 1));
}

static void everything_else_counts(void **state)
{
    (void)state;
    static const char *const others[] = {
        "specimen:\n  file: data/clay.csv\nmaterial:\n  friction: 0.5\n",
        "specimen:\n  checkpoint: data/sand.csv\nmaterial:\n  friction: 0.5\n",
        "specimen:\n  file: data/sand.csv\nmaterial:\n  friction: 0.6\n",
        "specimen:\n  file: data/sand.csv\nmaterial:\n  friction: 0.5\ntitle: a/b\n",
        "specimen:\n  file: data/sand.csv\nmaterial:\n  friction: 0.5\ntitle: b\n",
        "",
    };
    const size_t count = sizeof others / sizeof *others;
    assert_true(tw_run_identity(text, 1) != tw_run_identity(text, 2));
    for (size_t i = 0; i < count; i++) {
        assert_true(tw_run_identity(others[i], 1) != tw_run_identity(text, 1));
        for (size_t k = 0; k < i; k++)
            assert_true(tw_run_identity(others[i], 1) != tw_run_identity(others[k], 1));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(folders_of_input_files_do_not_count),
        cmocka_unit_test(everything_else_counts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
