/* SPDX-License-Identifier: BSD-3-Clause */
/* CSV of spheres: round trip and refusal of invalid files. */
#include "files.h"

#include <math.h>
#include <sys/resource.h>

#include <signal.h>

#include "../comma_locale.h"
#include "../must.h"

enum { BODIES = 40, SPHERES_MAX = 4 * BODIES };

/* A sheared and rotated cell with spheres and asymmetric clusters of several sizes. */
static tw_sim *make_sim(void)
{
    tw_error error;
    tw_sim_def def = check_def();
    const tw_mat3 cell = {{1.0, 0.2, -0.1, 0.05, 0.9, 0.3, 0.0, -0.02, 1.1}};
    def.cell = cell;
    def.periodic[2] = 0;
    tw_sim *sim = tw_sim_create(&def, &error);
    assert_non_null(sim);
    const tw_sphere spheres[] = {
        {{0.1, 0.2, 0.3}, 1.0}, {{1.2, 0.1, -0.2}, 0.5}, {{0.3, -0.9, 0.1}, 0.7}};
    assert_int_equal(must_add_shape(sim, spheres, 3), 1);
    assert_int_equal(must_add_shape(sim, spheres, 2), 2);
    uint32_t seed = 1;
    for (int i = 0; i < BODIES; i++) {
        double r[8];
        for (int k = 0; k < 8; k++) {
            seed = seed * 1664525u + 1013904223u;
            r[k] = (double)(seed >> 8) / (1 << 24);
        }
        tw_body_def body = tw_body_def_default();
        body.shape = (uint32_t)(i % 3);
        body.type = 1 + (uint32_t)(i % 4);
        body.size = 0.01 + 0.05 * r[0];
        body.x = tw_vec3_make(r[1], r[2], r[3]);
        const tw_quat q = {r[4] - 0.5, r[5] - 0.5, r[6] - 0.5, r[7] + 0.1};
        body.q = q;
        assert_int_equal(tw_sim_add_body(sim, &body, NULL, &error), TW_STATUS_OK);
    }
    return sim;
}

static tw_sim *build_file(const char *path)
{
    tw_error error;
    const tw_sim_def def = check_def();
    tw_specimen *specimen = tw_specimen_read(path, &error);
    if (!specimen) print_error("%s\n", error.text);
    assert_non_null(specimen);
    tw_sim *sim = tw_specimen_build(specimen, &def, &error);
    assert_non_null(sim);
    tw_specimen_free(specimen);
    return sim;
}

static void a_written_file_is_read_back(void **state)
{
    (void)state;
    tw_error error;
    tw_sim *sim = make_sim();
    assert_int_equal(tw_export_csv(sim, "a.csv", &error), TW_STATUS_OK);
    tw_sim *again = build_file("a.csv");
    const size_t count = tw_sim_sphere_count(sim);
    assert_int_equal(tw_sim_body_count(again), BODIES);
    assert_int_equal(tw_sim_sphere_count(again), count);
    assert_true(count <= SPHERES_MAX);
    const tw_mat3 cell = tw_sim_cell(sim), cell_again = tw_sim_cell(again);
    assert_memory_equal(&cell, &cell_again, sizeof cell);
    assert_int_equal(tw_sim_get_definition(again).periodic[1], 1);
    assert_int_equal(tw_sim_get_definition(again).periodic[2], 0);
    static tw_sphere_state a[SPHERES_MAX], b[SPHERES_MAX];
    tw_sim_get_spheres(sim, a, SPHERES_MAX, NULL);
    tw_sim_get_spheres(again, b, SPHERES_MAX, NULL);
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(a[i].body, b[i].body);
        assert_int_equal(a[i].member, b[i].member);
        assert_true(a[i].radius == b[i].radius);
        /* positions below 1.5, converted to the centre of mass and back */
        check_at_most(tw_vec3_norm(tw_vec3_sub(a[i].x, b[i].x)), 1e-14);
    }
    /* The centre of mass is that of the union; it, mass and moments are unchanged. */
    for (uint32_t id = 0; id < BODIES; id++) {
        const tw_body_state p = must_body(sim, id), q = must_body(again, id);
        check_at_most(tw_vec3_norm(tw_vec3_sub(p.x, q.x)), 1e-14);
        check_at_most(fabs(p.mass / q.mass - 1.0), 1e-12);
        assert_int_equal(q.type, 1 + id % 4);
        const double trace_p = p.inertia.x + p.inertia.y + p.inertia.z;
        check_at_most(fabs((q.inertia.x + q.inertia.y + q.inertia.z) / trace_p - 1.0), 1e-12);
    }
    tw_sim_free(again);
    tw_sim_free(sim);
}

static void columns_and_clusters_may_be_in_any_order(void **state)
{
    (void)state;
    tw_error error;
    files_write("b.csv", "\xEF\xBB\xBF# comment\n\n radius , body,z,y,x\r\n"
                         "0.2, 7, 3, 2, 1\n\n# another\n0.1,3,6,5,4\n0.1,7,3,2,1.2\n");
    tw_specimen *s = tw_specimen_read_csv("b.csv", &error);
    assert_non_null(s);
    assert_int_equal(s->body_count, 2);
    assert_int_equal(s->shape_count, 1);
    assert_int_equal(tw_specimen_sphere_count(s), 3);
    assert_true(s->bodies[0].shape == 0 && s->bodies[0].size == 0.1 && s->bodies[0].x.x == 4.0);
    assert_true(s->bodies[1].shape == 1 && s->bodies[1].x.z == 3.0);
    assert_int_equal(s->shapes[0].count, 2);
    assert_false(s->cell_given);
    /* the bounding box: x from 0.8 to 4.1, y from 1.8 to 5.1, z from 2.8 to 6.1, with rounding */
    check_at_most(fabs(s->cell.m[0] - 3.3) + fabs(s->cell.m[4] - 3.3) + fabs(s->cell.m[8] - 3.3),
                  1e-14);
    tw_specimen_free(s);
}

static void without_a_body_column_each_row_is_a_sphere(void **state)
{
    (void)state;
    tw_error error;
    files_write("c.csv", "# cell: 1,0,0, 0.5,1,0, 0,0,1\nx,y,z,radius\n1,2,3,0.5\n1,2,3,0.5\n");
    tw_specimen *s = tw_specimen_read_csv("c.csv", &error);
    assert_non_null(s);
    assert_int_equal(s->body_count, 2);
    assert_true(s->cell_given && s->periodic[0] && s->periodic[1] && s->periodic[2]);
    assert_true(s->cell.m[1] == 0.5 && s->cell.m[3] == 0.0);
    tw_specimen_free(s);
}

/* As pandas writes them. */
static void ids_and_a_column_without_a_name_are_ignored(void **state)
{
    (void)state;
    tw_error error;
    files_write("c.csv", ",id,x,y,z,radius,member,body,type\n0,17,1,2,3,0.5,0,0,1\n");
    tw_specimen *s = tw_specimen_read_csv("c.csv", &error);
    assert_non_null(s);
    assert_int_equal(s->body_count, 1);
    assert_true(s->bodies[0].x.x == 1.0 && s->bodies[0].size == 0.5);
    tw_specimen_free(s);
}

static void a_size_may_be_a_radius_or_a_diameter(void **state)
{
    (void)state;
    static const char *const names[] = {"r", "radius", "d", "diameter"};
    for (int i = 0; i < 4; i++) {
        tw_error error;
        char text[100];
        snprintf(text, sizeof text, "x,type,y,%s,z\n1,7,2,0.75,3\n", names[i]);
        files_write("c.csv", text);
        tw_specimen *s = tw_specimen_read_csv("c.csv", &error);
        assert_non_null(s);
        assert_true(s->bodies[0].size == (i < 2 ? 0.75 : 0.375));
        assert_true(s->bodies[0].x.y == 2.0 && s->bodies[0].x.z == 3.0);
        assert_int_equal(s->bodies[0].type, 7);
        tw_specimen_free(s);
    }
}

#define HEAD "x,y,z,radius\n"

static const struct {
    const char *text, *where, *what;
} bad[] = {
    {"", "c.csv:0:", "no header"},
    {"# only a comment\n", "c.csv:1:", "no header"},
    {"x,y,z\n", "c.csv:1:", "column 'radius' is missing"},
    {"x,y,z,radius,colour\n", "c.csv:1:", "unknown column 'colour'"},
    {"x,y,z,radius,x\n", "c.csv:1:", "column 'x' appears twice"},
    {"x,y,z,radius,body,member,x\n", "c.csv:1:", "column 'x' appears twice"},
    {"x,y,z,radius,body,member,type,radius,x\n", "c.csv:1:", "column 'radius' appears twice"},
    {"x,y,z,radius,body,member,type,d,id,,x\n", "c.csv:1:", "11 columns"},
    {"x,y,z,r,radius\n", "c.csv:1:", "columns 'r' and 'radius' mean the same"},
    {"x,y,z,r,d\n", "c.csv:1:", "columns 'r' and 'd': give one of them"},
    {"x,y,z,r\n1,2,3,-4\n", "c.csv:2:", "column 'r': must be positive, found -4"},
    {"x,y,z,d\n1,2,3,0\n", "c.csv:2:", "column 'd': must be positive, found 0"},
    {"x,y,z,r,type\n1,2,3,4,0\n", "c.csv:2:", "column 'type': expected a whole number from 1"},
    {"x,y,z,r,type\n1,2,3,4,1.5\n", "c.csv:2:", "from 1 to 2147483647, found 1.5"},
    {"x,y,z,r,type\n1,2,3,4,1e10\n", "c.csv:2:", "from 1 to 2147483647, found 10000000000"},
    {"1,2,3,4\n", "c.csv:1:", "unknown column '1'"},
    {HEAD, "c.csv:1:", "no spheres"},
    {HEAD "1,2,3\n", "c.csv:2:", "wrong number of fields: 3 instead of 4"},
    {HEAD "1,2,3,4,5\n", "c.csv:2:", "wrong number of fields: 5 instead of 4"},
    {HEAD "1,2,,4\n", "c.csv:2:", "column 'z': '' is empty"},
    {HEAD "1,2,three,4\n", "c.csv:2:", "column 'z': 'three' is not a number"},
    {HEAD "1,2,nan,4\n", "c.csv:2:", "column 'z': 'nan' is not a finite number"},
    {HEAD "1,2,3,-4\n", "c.csv:2:", "column 'radius': must be positive, found -4"},
    {HEAD "1,2,3,0\n", "c.csv:2:", "column 'radius': must be positive, found 0"},
    {"x,y,z,radius,body\n1,2,3,4,-1\n",
     "c.csv:2:", "column 'body': expected a non-negative integer, found -1"},
    {"x,y,z,radius,body\n1,2,3,4,0.5\n",
     "c.csv:2:", "column 'body': expected a non-negative integer, found 0.5"},
    {"x,y,z,radius,body\n1,2,3,4,1e300\n", "c.csv:2:", "expected a non-negative integer"},
    {"# cell: 1 2 3\n" HEAD, "c.csv:1:", "# cell: wrong number of values: 3 instead of 9"},
    {"# cell: 1 0 0 0 1 0 0 0 x\n" HEAD, "c.csv:1:", "'x' is not a number"},
    {"# cell: 1 0 0 0 1 0 1 1 0\n" HEAD, "c.csv:1:", "span a volume of 0"},
    {"# cell: 1 0 0 0 1 0 0 0 1\n# cell: 1 0 0 0 1 0 0 0 1\n" HEAD, "c.csv:2:", "given twice"},
    {"# cell: 1 0 0 0 1 0 0 0 1\n# periodic: 1 2 0\n" HEAD, "c.csv:2:", "expected 0 or 1, found 2"},
    {"# periodic: 1 1 1\n" HEAD "1,2,3,4\n", "c.csv:3:", "without '# cell:'"},
};

static void every_defect_is_refused_with_its_line(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        tw_error error;
        files_write("c.csv", bad[i].text);
        assert_null(tw_specimen_read_csv("c.csv", &error));
        assert_int_equal(error.status, TW_STATUS_INPUT);
        check_text(&error, bad[i].where);
        check_text(&error, bad[i].what);
    }
}

/* What the reader cannot detect, the simulation refuses; its error is passed on. */
static void a_cell_that_is_too_flat_is_refused_by_the_simulation(void **state)
{
    (void)state;
    tw_error error;
    const tw_sim_def def = check_def();
    files_write("c.csv", "# cell: 1 0 0 1 1e-9 0 0 0 1\n" HEAD "1,2,3,4\n");
    tw_specimen *s = tw_specimen_read_csv("c.csv", &error);
    assert_non_null(s);
    assert_null(tw_specimen_build(s, &def, &error));
    check_text(&error, "cell");
    tw_specimen_free(s);
}

static void numbers_have_a_point_in_every_locale(void **state)
{
    (void)state;
    if (!comma_locale_set(LC_NUMERIC)) {
        print_message("no locale with a decimal comma is installed\n");
        skip();
    }
    tw_error error;
    tw_sim *sim = make_sim();
    assert_int_equal(tw_export_csv(sim, "l.csv", &error), TW_STATUS_OK);
    tw_sim *again = build_file("l.csv");
    assert_int_equal(tw_sim_sphere_count(again), tw_sim_sphere_count(sim));
    assert_int_equal(localeconv()->decimal_point[0], ','); /* the program's locale is unchanged */
    setlocale(LC_NUMERIC, "C");
    tw_sim_free(again);
    tw_sim_free(sim);
}

/* A limit on the file size simulates a full disk. */
static void a_failed_export_leaves_the_old_file_and_nothing_else(void **state)
{
    (void)state;
    tw_error error;
    tw_sim *sim = make_sim();
    files_write("old.csv", "old");
    const size_t before = files_count();
    struct rlimit limit, small;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
    small = limit;
    small.rlim_cur = 1000;
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    const tw_status status = tw_export_csv(sim, "old.csv", &error);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
    assert_int_equal(status, TW_STATUS_FILE);
    check_text(&error, "cannot write old.csv: File too large");
    assert_int_equal(files_count(), before);
    char *text = files_read("old.csv");
    assert_string_equal(text, "old");
    free(text);
    assert_int_equal(tw_export_csv(sim, "absent/a.csv", &error), TW_STATUS_FILE);
    check_text(&error, "cannot write absent/a.csv: No such file");
    assert_int_equal(tw_export_csv(sim, ".", &error), TW_STATUS_FILE);
    assert_int_equal(tw_export_csv(sim, "/dev/full", &error), TW_STATUS_FILE);
    check_text(&error, "cannot write /dev/full: No space left");
    assert_int_equal(tw_export_vtk(sim, ".", "a/b", 0, &error), TW_STATUS_INPUT);
    assert_int_equal(tw_export_vtk(sim, ".", "", 0, &error), TW_STATUS_INPUT);
    char folder[4090]; /* with a file in it longer than any path */
    memset(folder, 'x', sizeof folder);
    folder[sizeof folder - 1] = '\0';
    assert_int_equal(tw_export_vtk(sim, folder, "a", 0, &error), TW_STATUS_FILE);
    check_text(&error, "the path is too long");
    assert_null(tw_export_series_open("old.csv", "a", &error));
    check_text(&error, "Not a directory");
    assert_int_equal(files_count(), before);
    tw_sim_free(sim);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_written_file_is_read_back),
        cmocka_unit_test(columns_and_clusters_may_be_in_any_order),
        cmocka_unit_test(without_a_body_column_each_row_is_a_sphere),
        cmocka_unit_test(ids_and_a_column_without_a_name_are_ignored),
        cmocka_unit_test(a_size_may_be_a_radius_or_a_diameter),
        cmocka_unit_test(every_defect_is_refused_with_its_line),
        cmocka_unit_test(a_cell_that_is_too_flat_is_refused_by_the_simulation),
        cmocka_unit_test(numbers_have_a_point_in_every_locale),
        cmocka_unit_test(a_failed_export_leaves_the_old_file_and_nothing_else),
    };
    return cmocka_run_group_tests(tests, files_enter, files_leave);
}
