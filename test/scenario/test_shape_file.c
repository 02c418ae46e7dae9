/* SPDX-License-Identifier: BSD-3-Clause */
/* Clusters from files: the spheres, and the messages. */
#include "support.h"

#define HEAD                                                                                       \
    "specimen:\n  preparation: {pressure: 1e5}\n  shapes: [{shape: cluster, file: clump.txt}]\n"   \
    "material: {kn: 1e5}\n"

static void write_text(const char *text)
{
    support_write("clump.txt", text, strlen(text));
}

static void spheres_are_those_of_the_file(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "-1 0 0 1\n0.5\t0.25 0 0.75\n",
        "# a clump\r\n\r\n-1 0 0 1 # the first\r\n.5 .25 0 .75",
        "x,y,z,r\n-1,0,0,1\n0.5,0.25,0,0.75\n",
        "radius z y x\n1 0 0 -1\n7.5e-1 0 0.25 0.5\n",
        "-1, 0, 0, 1\n0.5; 0.25; 0; 0.75\n",
    };
    static const double wanted[] = {-1.0, 0.0, 0.0, 1.0, 0.5, 0.25, 0.0, 0.75};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        write_text(texts[i]);
        tw_scenario *s = support_read(HEAD, NULL);
        const tw_scenario_shape *shape = &s->specimen.shapes[0];
        assert_int_equal(shape->spheres.count, 2);
        assert_memory_equal(shape->spheres.value, wanted, sizeof wanted);
        assert_null(shape->file);
        tw_scenario_free(s);
    }
}

/* The resolved scenario does not need the file. */
static void a_resolved_scenario_has_the_spheres(void **state)
{
    (void)state;
    write_text("0 0 0 1\n0.1 0 0.3333333333333333 1\n");
    tw_scenario *s = support_read(HEAD, NULL);
    char *text = tw_scenario_write_text(s);
    remove("clump.txt");
    tw_scenario *again = support_read(text, NULL);
    assert_true(support_equal(tw_key_root(), s, again));
    assert_int_equal(again->specimen.shapes[0].spheres.count, 2);
    free(text);
    tw_scenario_free(again);
    tw_scenario_free(s);
}

static void every_defect_is_named_with_file_and_line(void **state)
{
    (void)state;
    static const struct {
        const char *text, *message;
    } bad[] = {
        {"", "clump.txt:0: the file has no spheres"},
        {"x y z r\n# nothing\n", "clump.txt:2: the file has no spheres"},
        {"0 0 0 1\n\n1 0 0\n", "clump.txt:3: 3 values; expected x y z r of a sphere"},
        {"0 0 0 1 2\n", "clump.txt:1: 5 values; expected x y z r of a sphere"},
        {"x y z q\n", "clump.txt:1: column 'q'; expected the names x y z r, or four numbers"},
        {"x y z z\n", "clump.txt:1: column 'z'; expected the names x y z r, or four numbers"},
        {"0 0 0 1\n0 0 zero 1\n", "clump.txt:2: 'zero' is not a number"},
        {"0 0 0 1\n0 0 nan 1\n", "clump.txt:2: 'nan' is not a finite number"},
        {"0 0 0 1\nx y z r\n", "clump.txt:2: 'x' is not a number"},
        {"0 0 0 1\n0 0 1 0\n", "sphere 2 has radius 0; expected a number above 0"},
        {"0 0 0 1\n5 0 0 1\n", "the spheres of a grain must touch or overlap, but there is a gap "
                               "between sphere 1 and sphere 2"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        char line[300];
        write_text(bad[i].text);
        snprintf(line, sizeof line, "a.yaml:3:35: specimen.shapes[1].file: %s\n", bad[i].message);
        support_refused(HEAD, line);
    }
    support_write("clump.txt", "0 0 \0 1\n", 8);
    support_refused(HEAD, "a.yaml:3:35: specimen.shapes[1].file: clump.txt:1: NUL byte: not a text "
                          "file\n");
    remove("clump.txt");
    support_refused(HEAD, "a.yaml:3:35: specimen.shapes[1].file: 'clump.txt' cannot be read: No "
                          "such file or directory (relative to the working directory)\n");
}

static void spheres_or_a_file(void **state)
{
    (void)state;
    write_text("0 0 0 1\n");
    char *errors =
        support_errors("specimen: {preparation: {pressure: 1e5}, shapes: [{shape: cluster, "
                       "spheres: [[0, 0, 0, 1]], file: clump.txt}]}\nmaterial: {kn: 1}\n",
                       NULL);
    support_has(errors, "specimen.shapes[1].file: cannot be combined with 'spheres'");
    free(errors);
    errors = support_errors("specimen: {preparation: {pressure: 1e5}, shapes: [{shape: cluster}]}\n"
                            "material: {kn: 1}\n",
                            NULL);
    support_has(errors, "specimen.shapes[1].spheres: is missing; expected a list of lists of 4 "
                        "numbers, or 'file' instead");
    free(errors);
    errors = support_errors("specimen: {preparation: {pressure: 1e5}, shapes: [{shape: bumpy, "
                            "file: clump.txt}]}\nmaterial: {kn: 1}\n",
                            NULL);
    support_has(errors, "specimen.shapes[1].file: has no effect here");
    free(errors);
}

/* Any bytes are read or refused. */
static void random_bytes_do_no_harm(void **state)
{
    (void)state;
    static const char good[] = "x,y,z,r\n0 0 0 1 # a\n0.5, 0.25; 1e-3 0.75\n";
    static const char alphabet[] = "0 1.-e,;\n#xr\t\"\xFF";
    uint32_t seed = 1;
    int accepted = 0, refused = 0;
    for (int i = 0; i < 500; i++) {
        char bytes[sizeof good];
        memcpy(bytes, good, sizeof good);
        for (int k = 0; k < 1 + i % 4; k++) {
            seed = seed * 1664525u + 1013904223u;
            bytes[(seed >> 8) % (sizeof good - 1)] =
                alphabet[(seed >> 20) % (sizeof alphabet)]; /* with NUL */
        }
        support_write("clump.txt", bytes, sizeof good - 1);
        tw_scenario_errors errors;
        tw_scenario *s = tw_scenario_read_text(HEAD, strlen(HEAD), "a.yaml", NULL, 0, &errors);
        if (s) assert_true(s->specimen.shapes[0].spheres.count > 0);
        assert_true((s != NULL) == (errors.count == 0));
        accepted += s != NULL;
        refused += s == NULL;
        tw_scenario_free(s);
        tw_scenario_errors_free(&errors);
    }
    print_message("%d accepted, %d refused\n", accepted, refused);
    assert_true(accepted > 20 && refused > 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(spheres_are_those_of_the_file),
        cmocka_unit_test(a_resolved_scenario_has_the_spheres),
        cmocka_unit_test(every_defect_is_named_with_file_and_line),
        cmocka_unit_test(spheres_or_a_file),
        cmocka_unit_test(random_bytes_do_no_harm),
    };
    return cmocka_run_group_tests(tests, support_enter_folder, support_leave_folder);
}
