/* SPDX-License-Identifier: BSD-3-Clause */
/* D-files: valid files are read, and others are refused with a helpful message. */
#include "../must.h"
#include "files.h"

static const char spheres[] = "4\n"
                              " 2  1.0E-2 2.0E-2 3.0E-2\n"
                              " 1.0E-3 -2.0E-3 3.0E-3\n"
                              " 0.5E-3 1.0E-3 2.0E-3 3.0E-3\n"
                              " 0.25D-3 4.0D-3 5.0D-3 6.0D-3\n";

/* A quarter turn about z. */
static const char bumpies[] = "7\n2 1 1 1\n0 0 0\n6\n0.6 0.8 0.64\n"
                              "0.1 0.3 0.4 0.5 1 0 0 0\n"
                              "0.2 0.7 0.6 0.5 0.70710678118654752 0 0 0.70710678118654752\n";

static tw_specimen *read_text(const char *text, tw_error *error)
{
    files_write("d", text);
    return tw_specimen_read_dfile("d", error);
}

static void spheres_and_the_sheared_cell_are_read(void **state)
{
    (void)state;
    tw_error error;
    tw_specimen *s = read_text(spheres, &error);
    assert_non_null(s);
    assert_int_equal(error.status, TW_STATUS_OK);
    const double h[9] = {1e-2, 1e-3, -2e-3, 0, 2e-2, 3e-3, 0, 0, 3e-2};
    assert_memory_equal(s->cell.m, h, sizeof h);
    assert_true(s->cell_given && s->periodic[0] && s->periodic[1] && s->periodic[2]);
    assert_int_equal(s->shape_count, 0);
    assert_int_equal(s->body_count, 2);
    assert_int_equal(tw_specimen_sphere_count(s), 2);
    assert_true(s->bodies[0].size == 0.5e-3 && s->bodies[1].size == 0.25e-3);
    assert_true(s->bodies[1].x.x == 4e-3 && s->bodies[1].x.y == 5e-3 && s->bodies[1].x.z == 6e-3);
    assert_int_equal(s->bodies[1].shape, 0);
    tw_specimen_free(s);
}

/* The volume of a sheared cell is that of the unsheared one, and single spheres keep their radius.
 */
static void a_simulation_has_the_cell_and_the_bodies(void **state)
{
    (void)state;
    tw_error error;
    tw_specimen *s = read_text(spheres, &error);
    const tw_sim_def def = check_def();
    tw_sim *sim = tw_specimen_build(s, &def, &error);
    assert_non_null(sim);
    tw_sphere_state out[2];
    assert_int_equal(tw_sim_sphere_count(sim), 2);
    tw_sim_get_spheres(sim, out, 2, NULL);
    assert_true(out[0].radius == 0.5e-3 && out[1].radius == 0.25e-3);
    const tw_mat3 cell = tw_sim_cell(sim);
    assert_memory_equal(&cell, &s->cell, sizeof cell);
    /* a few rounding errors */
    check_at_most(fabs(must_measure(sim).volume / 6e-6 - 1.0), 1e-14);
    tw_sim_free(sim);
    tw_specimen_free(s);
}

/* Satellite 1 is on the x axis of the body. Rotated by +90 degrees it is on y in space; the inverse
 * convention would put it on -y. */
static void orientations_rotate_from_body_to_space(void **state)
{
    (void)state;
    tw_error error;
    tw_specimen *s = read_text(bumpies, &error);
    assert_non_null(s);
    assert_int_equal(s->shape_count, 1);
    assert_int_equal(tw_specimen_sphere_count(s), 14);
    const tw_sim_def def = check_def();
    tw_sim *sim = tw_specimen_build(s, &def, &error);
    assert_non_null(sim);
    tw_sphere_state out[14];
    assert_int_equal(tw_sim_sphere_count(sim), 14);
    tw_sim_get_spheres(sim, out, 14, NULL);
    const tw_vec3 expected[14] = {[0] = {0.3, 0.4, 0.5},
                                  [1] = {0.364, 0.4, 0.5},
                                  [7] = {0.7, 0.6, 0.5},
                                  [8] = {0.7, 0.728, 0.5}};
    for (int i = 0; i < 14; i++) {
        assert_int_equal(out[i].body, i / 7);
        assert_int_equal(out[i].member, i % 7);
        const double size = i < 7 ? 0.1 : 0.2;
        check_at_most(fabs(out[i].radius - size * (i % 7 == 0 ? 0.8 : 0.6)), 1e-16);
        /* a few rounding errors of numbers below 1 */
        if (i % 7 < 2) check_at_most(tw_vec3_norm(tw_vec3_sub(out[i].x, expected[i])), 1e-15);
    }
    tw_sim_free(sim);
    tw_specimen_free(s);
}

static void blank_lines_crlf_and_a_missing_last_newline_change_nothing(void **state)
{
    (void)state;
    tw_error error;
    tw_specimen *s =
        read_text("\xEF\xBB\xBF\n4\r\n\r\n1 1 1 1\r\n0\t0 0\r\n\n0.1 0.2 0.3 0.4 ", &error);
    assert_non_null(s);
    assert_int_equal(s->body_count, 1);
    assert_true(s->bodies[0].x.z == 0.4);
    tw_specimen_free(s);
}

/* Orientations printed with few digits are normalised. */
static void orientations_are_normalised(void **state)
{
    (void)state;
    tw_error error;
    tw_specimen *s =
        read_text("7\n1 1 1 1\n0 0 0\n6\n0.6 0.8 0.64\n0.1 0 0 0 0.707 0 0 0.707\n", &error);
    assert_non_null(s);
    const tw_quat q = s->bodies[0].q;
    check_at_most(fabs(q.w * q.w + q.z * q.z - 1.0), 1e-15);
    tw_specimen_free(s);
}

#define HEAD4 "4\n1 1 1 1\n0 0 0\n"
#define HEAD7 "7\n1 1 1 1\n0 0 0\n6\n0.6 0.8 0.64\n"

static const struct {
    const char *text, *where, *what;
} bad[] = {
    {"", "d:0:", "the kind of shape, 4 or 7"},
    {"\n\n", "d:2:", "the kind of shape, 4 or 7"},
    {"5\n1 1 1 1\n", "d:1:", "unknown kind of shape 5"},
    {"four\n", "d:1:", "'four' is not a number"},
    {"4 4\n", "d:1:", "wrong number of values: 2 instead of 1"},
    {"4\n", "d:1:", "number of grains, cell sizes h11 h22 h33"},
    {"4\n0 1 1 1\n0 0 0\n", "d:2:", "from 1 to 4294967294, found 0"},
    {"4\n-3 1 1 1\n0 0 0\n", "d:2:", "found -3"},
    {"4\n1.5 1 1 1\n0 0 0\n", "d:2:", "found 1.5"},
    {"4\n1e18 1 1 1\n0 0 0\n", "d:2:", "a number of grains from 1 to 4294967294"},
    {"4\n1 1 0 1\n0 0 0\n", "d:2:", "must be positive"},
    {"4\n1 1 -1 1\n0 0 0\n", "d:2:", "must be positive"},
    {"4\n1 1 nan 1\n0 0 0\n", "d:2:", "'nan' is not a finite number"},
    {"4\n1 1 1\n0 0 0\n", "d:2:", "wrong number of values: 3 instead of 4"},
    {"4\n1 1 1 1\n0 0\n", "d:3:", "wrong number of values: 2 instead of 3"},
    {"4\n1 1 1 1\n0 0 inf\n", "d:3:", "'inf' is not a finite number"},
    {"4\n1 1 1 1\n", "d:2:", "cell offsets h12 h13 h23"},
    {HEAD4, "d:3:", "ends after 0 of 1 grains"},
    {"4\n4000000000 1 1 1\n0 0 0\n0.1 0 0 0\n", "d:4:", "ends after 1 of 4000000000 grains"},
    {HEAD4 "0.1 0 0\n", "d:4:", "wrong number of values: 3 instead of 4"},
    {HEAD4 "0.1 0 0 0 1\n", "d:4:", "wrong number of values: 5 instead of 4"},
    {HEAD4 "0.1 0 0 0\n0.1 0 0 0\n", "d:5:", "unexpected '0.1 0 0 0' after the last grain"},
    {HEAD4 "-0.1 0 0 0\n", "d:4:", "rad must be positive, found -0.1"},
    {HEAD4 "0 0 0 0\n", "d:4:", "rad must be positive, found 0"},
    {HEAD4 "0.1 0 NaN 0\n", "d:4:", "'NaN' is not a finite number"},
    {HEAD4 "0.1 0 1e999 0\n", "d:4:", "beyond the range of a double"},
    {HEAD4 "0.1 0 1.2.3 0\n", "d:4:", "'1.2.3' is not a number"},
    {HEAD4 "0.1 0 1,2 0\n", "d:4:", "'1,2' is not a number"},
    {HEAD4 "0.1 \x01 0 0\n", "d:4:", "'\\x01' is not a number"},
    {"7\n1 1 1 1\n0 0 0\n", "d:3:", "number of satellites"},
    {"7\n1 1 1 1\n0 0 0\n5\n0.6 0.8 0.64\n", "d:4:", "satellites, found 5"},
    {"7\n1 1 1 1\n0 0 0\n6\n0.6 -0.8 0.64\n", "d:5:", "must be positive, found 0.6 -0.8 0.64"},
    {"7\n1 1 1 1\n0 0 0\n6\n0.6 0.8\n", "d:5:", "wrong number of values: 2 instead of 3"},
    {HEAD7 "0.1 0 0 0 0 0 0 0\n", "d:6:", "expected a unit quaternion"},
    {HEAD7 "0.1 0 0 0 2 0 0 0\n", "d:6:", "norm 2"},
    {HEAD7 "0.1 0 0 0 1 0 0\n", "d:6:", "wrong number of values: 7 instead of 8"},
    {HEAD7 "0.1 0 0 0 1 0 0 nan\n", "d:6:", "'nan' is not a finite number"},
};

static void every_defect_is_refused_with_its_line(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        tw_error error;
        assert_null(read_text(bad[i].text, &error));
        assert_int_equal(error.status, TW_STATUS_INPUT);
        check_text(&error, bad[i].where);
        check_text(&error, bad[i].what);
        assert_null(read_text(bad[i].text, NULL)); /* `error` may be NULL */
    }
}

static void files_that_are_not_text_are_refused(void **state)
{
    (void)state;
    tw_error error;
    files_write_bytes("d", "4\n1 1 \0 1", 9);
    assert_null(tw_specimen_read_dfile("d", &error));
    check_text(&error, "d:2: NUL byte");
    char *line = calloc(1, 20001);
    memset(line, '1', 20000);
    files_write("d", line);
    free(line);
    assert_null(tw_specimen_read_dfile("d", &error));
    check_text(&error, "d:1: line exceeds the limit of 8191 bytes");
    assert_null(tw_specimen_read_dfile("absent", &error));
    assert_int_equal(error.status, TW_STATUS_FILE);
    check_text(&error, "cannot read absent: No such file");
    assert_null(tw_specimen_read_dfile(".", &error));
    check_text(&error, "directory");
}

/* A message has room for the reason, however long the path. */
static void long_paths_leave_room_for_the_reason(void **state)
{
    (void)state;
    char path[3000] = "";
    while (strlen(path) < sizeof path - 10)
        strcat(path, "./././");
    strcat(path, "d");
    files_write("d", HEAD4 "0.1 0 0 x\n");
    tw_error error;
    assert_null(tw_specimen_read_dfile(path, &error));
    check_text(&error, "/d:4: 'x' is not a number");
}

static void files_are_recognised_by_their_content(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        tw_exchange_kind kind;
    } samples[] = {
        {spheres, TW_EXCHANGE_DFILE},
        {"\n\n 7 \n", TW_EXCHANGE_DFILE},
        {"x,y,z,radius\n", TW_EXCHANGE_CSV},
        {"# anything\n", TW_EXCHANGE_CSV},
        {"twirl checkpoint 1\n", TW_EXCHANGE_CHECKPOINT},
        {"\x89HDF\r\n\x1A\n", TW_EXCHANGE_CHECKPOINT},
        {"", TW_EXCHANGE_UNKNOWN},
        {"Dear reader\n", TW_EXCHANGE_UNKNOWN},
    };
    tw_error error;
    for (size_t i = 0; i < sizeof samples / sizeof samples[0]; i++) {
        files_write("d", samples[i].text);
        assert_int_equal(tw_exchange_recognise("d", &error), samples[i].kind);
        if (samples[i].kind == TW_EXCHANGE_UNKNOWN) check_text(&error, "expected a D-file");
        if (samples[i].kind == TW_EXCHANGE_CHECKPOINT) assert_null(tw_specimen_read("d", &error));
    }
    assert_int_equal(tw_exchange_recognise("absent", &error), TW_EXCHANGE_UNKNOWN);
    check_text(&error, "No such file");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(spheres_and_the_sheared_cell_are_read),
        cmocka_unit_test(a_simulation_has_the_cell_and_the_bodies),
        cmocka_unit_test(orientations_rotate_from_body_to_space),
        cmocka_unit_test(blank_lines_crlf_and_a_missing_last_newline_change_nothing),
        cmocka_unit_test(orientations_are_normalised),
        cmocka_unit_test(every_defect_is_refused_with_its_line),
        cmocka_unit_test(files_that_are_not_text_are_refused),
        cmocka_unit_test(long_paths_leave_room_for_the_reason),
        cmocka_unit_test(files_are_recognised_by_their_content),
    };
    return cmocka_run_group_tests(tests, files_enter, files_leave);
}
