/* SPDX-License-Identifier: BSD-3-Clause */
/* Labels of checkpoints. */
#include "check.h"

#include <stdio.h>
#include <string.h>

#include <twirl/sim.h>

static const char path[] = "test_label.h5";

static tw_sim *make(void)
{
    tw_error error;
    tw_sim_def def = tw_sim_def_default();
    def.law.kn = def.law.kt = 1.0;
    tw_sim *sim = tw_sim_create(&def, &error);
    assert_non_null(sim);
    tw_body_def body = tw_body_def_default();
    body.size = 0.1;
    assert_int_equal(tw_sim_add_body(sim, &body, NULL, &error), TW_STATUS_OK);
    return sim;
}

static tw_sim *load(void)
{
    tw_error error;
    tw_sim *sim = tw_sim_load(path, &error);
    if (!sim) fail_msg("%s", error.text);
    return sim;
}

static void a_label_is_read_back(void **state)
{
    (void)state;
    char longest[TW_SIM_LABEL_MAX + 1];
    memset(longest, 'x', sizeof longest - 1);
    longest[TW_SIM_LABEL_MAX] = '\0';
    const char *const labels[] = {"run 0123 states/dense step 7", "\xc3\xbc", longest, ""};
    tw_sim *sim = make();
    for (size_t k = 0; k < sizeof labels / sizeof *labels; k++) {
        tw_error error;
        assert_int_equal(tw_sim_save_labelled(sim, path, labels[k], &error), TW_STATUS_OK);
        tw_sim *found = load();
        assert_string_equal(tw_sim_label(found), labels[k]);
        assert_true(tw_sim_hash(found) == tw_sim_hash(sim));
        /* It belongs to the file, and is not passed on. */
        assert_int_equal(tw_sim_save(found, path, &error), TW_STATUS_OK);
        tw_sim_free(found);
        found = load();
        assert_string_equal(tw_sim_label(found), "");
        tw_sim_free(found);
    }
    assert_string_equal(tw_sim_label(sim), "");
    tw_sim_free(sim);
}

static void other_texts_are_refused(void **state)
{
    (void)state;
    char longer[TW_SIM_LABEL_MAX + 2];
    memset(longer, 'x', sizeof longer - 1);
    longer[TW_SIM_LABEL_MAX + 1] = '\0';
    const char *const labels[] = {"two\nlines", "\x1b[31m", "\x7f", longer};
    tw_sim *sim = make();
    for (size_t k = 0; k < sizeof labels / sizeof *labels; k++) {
        tw_error error;
        assert_int_equal(tw_sim_save_labelled(sim, path, labels[k], &error), TW_STATUS_INPUT);
        assert_non_null(strstr(error.text, "label"));
    }
    tw_sim_free(sim);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_label_is_read_back),
        cmocka_unit_test(other_texts_are_refused),
    };
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    remove(path);
    return failed;
}
