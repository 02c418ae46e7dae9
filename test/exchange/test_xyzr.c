/* SPDX-License-Identifier: BSD-3-Clause */
/* Files of YADE: x y z r in each line, with clumps or materials. */
#include "files.h"

static tw_specimen *read_text(const char *text)
{
    tw_error error;
    files_write("c.txt", text);
    assert_int_equal(tw_exchange_recognise("c.txt", &error), TW_EXCHANGE_XYZR);
    tw_specimen *s = tw_specimen_read("c.txt", &error);
    if (!s) print_error("%s\n", error.text);
    assert_non_null(s);
    return s;
}

/* As export.text writes it. */
static void spheres_without_clumps(void **state)
{
    (void)state;
    static const char *const heads[] = {"#format x_y_z_r\n", "", "x y z r\n", "# my spheres\n\n"};
    for (size_t i = 0; i < sizeof heads / sizeof heads[0]; i++) {
        char text[200];
        snprintf(text, sizeof text, "%s1\t2\t3\t0.5\n-1.5e-3\t0\t1e2\t0.25\n", heads[i]);
        tw_specimen *s = read_text(text);
        assert_int_equal(s->body_count, 2);
        assert_int_equal(s->shape_count, 0);
        assert_false(s->cell_given);
        assert_true(s->bodies[0].x.x == 1.0 && s->bodies[0].x.z == 3.0 && s->bodies[0].size == 0.5);
        assert_true(s->bodies[1].x.x == -1.5e-3 && s->bodies[1].size == 0.25);
        assert_int_equal(s->bodies[1].type, 1);
        tw_specimen_free(s);
    }
}

/* As export.textClumps writes it; spheres in no clump have the clump -1. */
static void clumps_become_bodies(void **state)
{
    (void)state;
    static const char *const heads[] = {"", "#format x_y_z_r_clumpId\n"};
    for (int i = 0; i < 2; i++) {
        char text[300];
        snprintf(text, sizeof text,
                 "%s0 0 0 1 9\n5 0 0 1 -1\n1 0 0 0.5 9\n0 5 0 1 4\n7 0 0 1 -1\n0 6 0 1 4\n"
                 "0 7 0 1 4\n",
                 heads[i]);
        tw_specimen *s = read_text(text);
        assert_int_equal(s->body_count, 4);
        assert_int_equal(tw_specimen_sphere_count(s), 7);
        assert_true(s->bodies[0].x.x == 5.0 && s->bodies[0].shape == 0);
        assert_true(s->bodies[1].x.x == 7.0 && s->bodies[1].shape == 0);
        assert_int_equal(s->shapes[s->bodies[2].shape - 1].count, 3);
        assert_int_equal(s->shapes[s->bodies[3].shape - 1].count, 2);
        tw_specimen_free(s);
    }
}

/* The cell and the materials, counted from 0 in YADE. */
static void materials_become_types(void **state)
{
    (void)state;
    tw_specimen *s = read_text("#format id_x_y_z_r_matId\n# cell: 4 0 0 0 5 0 0 0 6\n"
                               "# periodic: 1 1 0\n17 1 2 3 0.5 2\n18 1 2 4 0.5 0\n");
    assert_int_equal(s->bodies[0].type, 3);
    assert_int_equal(s->bodies[1].type, 1);
    assert_true(s->cell_given && s->cell.m[4] == 5.0);
    assert_true(s->periodic[1] && !s->periodic[2]);
    tw_specimen_free(s);
}

static void every_defect_is_refused_with_its_line(void **state)
{
    (void)state;
    static const struct {
        const char *text, *where, *what;
    } bad[] = {
        {"#format x_y_z_r_attrs\n1 2 3 4 5\n",
         "c.txt:2:", "unknown column 'attrs'; expected x y z r"},
        {"#format x_y_z\n1 2 3 4\n", "c.txt:2:", "column 'r' is missing"},
        {"#format x_y_z_r_r\n1 2 3 4 5\n", "c.txt:2:", "column 'r' appears twice"},
        {"#format x_y_z_r\n1 2 3 4 5\n", "c.txt:2:", "wrong number of fields: 5 instead of 4"},
        {"x y z r colour\n1 2 3 4 5\n", "c.txt:1:", "unknown column 'colour'"},
        {"x y z r\n", "c.txt:1:", "no spheres"},
        {"1 2 3 4\n1 2 3\n", "c.txt:2:", "wrong number of fields: 3 instead of 4"},
        {"1 2 3 4\n1 2 3 4 5\n", "c.txt:2:", "wrong number of fields: 5 instead of 4"},
        {"1 2 3 4 5 6\n", "c.txt:1:", "wrong number of fields: 6 instead of 4"},
        {"1 2 3 4\n1 2 x 4\n", "c.txt:2:", "column 'z': 'x' is not a number"},
        {"1 2 3 4\n1 2 nan 4\n", "c.txt:2:", "'nan' is not a finite number"},
        {"1 2 3 4\n1 2 3 0\n", "c.txt:2:", "column 'r': must be positive, found 0"},
        {"1 2 3 4 -2\n", "c.txt:1:", "column 'clumpId': expected a whole number, -1 for"},
        {"1 2 3 4 0.5\n", "c.txt:1:", "column 'clumpId'"},
        {"#format x_y_z_r_matId\n1 2 3 4 -1\n", "c.txt:2:", "column 'matId + 1'"},
        {"# cell: 1 1 1\n1 2 3 4\n", "c.txt:1:", "# cell: wrong number of values"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        tw_error error;
        files_write("c.txt", bad[i].text);
        assert_int_equal(tw_exchange_recognise("c.txt", &error), TW_EXCHANGE_XYZR);
        assert_null(tw_specimen_read("c.txt", &error));
        assert_int_equal(error.status, TW_STATUS_INPUT);
        check_text(&error, bad[i].where);
        check_text(&error, bad[i].what);
    }
}

/* A comment before a CSV header, a D-file: other readers. */
static void other_tables_are_left_to_their_readers(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        tw_exchange_kind kind;
    } other[] = {{"# x y z r\nx,y,z,r\n1,2,3,4\n", TW_EXCHANGE_CSV},
                 {"#format x_y_z_r\n1,2,3,4\n", TW_EXCHANGE_CSV},
                 {"1, 2, 3, 4\n", TW_EXCHANGE_CSV},
                 {"4\n1 2 3 4\n", TW_EXCHANGE_DFILE},
                 {"1 2 3\n", TW_EXCHANGE_UNKNOWN}};
    for (size_t i = 0; i < sizeof other / sizeof other[0]; i++) {
        tw_error error;
        files_write("c.txt", other[i].text);
        assert_int_equal(tw_exchange_recognise("c.txt", &error), other[i].kind);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(spheres_without_clumps),
        cmocka_unit_test(clumps_become_bodies),
        cmocka_unit_test(materials_become_types),
        cmocka_unit_test(every_defect_is_refused_with_its_line),
        cmocka_unit_test(other_tables_are_left_to_their_readers),
    };
    return cmocka_run_group_tests(tests, files_enter, files_leave);
}
