/* SPDX-License-Identifier: BSD-3-Clause */
/* Prescribed motions: points of a wall against the parts applied to them one by one, with libm;
 * velocities against differences and integrals. */
#include "check.h"

#include "world/drive.h"

#include <math.h>

/* Rounding of nine parts with lengths up to 10, and of phases up to 20. */
static const double rounding = 1e-13;

enum { ROWS = 6, PARTS = 9 };

static const tw_drive_row table[1 + ROWS] = {{-9.0, 7.0}, {0.5, 0.0},  {0.75, 1.0}, {1.75, -0.5},
                                             {2.0, -0.4}, {3.25, 2.0}, {4.0, 1.5}};

static tw_drive_part make_part(int kind, tw_vec3 along, tw_vec3 through)
{
    tw_drive_part part = {0};
    part.kind = kind;
    part.along = along;
    part.through = through;
    part.first = 1;
    part.rows = ROWS;
    return part;
}

/* One of each kind, and both forms of the table, in random order. */
static void make_parts(tw_random *random, tw_drive_part *parts)
{
    static const int kinds[PARTS] = {TW_DRIVE_VELOCITY, TW_DRIVE_ROTATE,      TW_DRIVE_OSCILLATE,
                                     TW_DRIVE_SWING,    TW_DRIVE_TABLE,       TW_DRIVE_TABLE_ANGLE,
                                     TW_DRIVE_TABLE,    TW_DRIVE_TABLE_ANGLE, TW_DRIVE_ROTATE};
    for (int i = 0; i < PARTS; i++) {
        const tw_vec3 along = check_unit(random);
        parts[i] = make_part(kinds[i], along, check_vector(random, -1.0, 1.0));
        parts[i].cubic = i > 5;
        parts[i].rate = check_between(random, -3.0, 3.0);
        parts[i].amplitude = check_between(random, 0.1, 1.0);
        parts[i].frequency = check_between(random, 0.2, 0.6);
        parts[i].phase = check_between(random, -3.0, 3.0);
    }
    for (int i = PARTS - 1; i > 0; i--) {
        const int j = (int)(tw_random_uniform(random) * (i + 1));
        const tw_drive_part part = parts[i];
        parts[i] = parts[j];
        parts[j] = part;
    }
}

/* ---- The same, in other words ---- */

/* By the four polynomials of Hermite. */
static double table_value(int cubic, double t)
{
    const tw_drive_row *row = table + 1;
    int i = 0;
    if (t <= row[0].time || t >= row[ROWS - 1].time)
        return row[t <= row[0].time ? 0 : ROWS - 1].value;
    while (row[i + 1].time < t)
        i++;
    const double h = row[i + 1].time - row[i].time, u = (t - row[i].time) / h, w = 1.0 - u;
    if (!cubic) return w * row[i].value + u * row[i + 1].value;
    double m[2];
    for (int k = 0; k < 2; k++) { /* derivative of the polynomial of Lagrange */
        const tw_drive_row *a = &row[i + k] - 1, *b = a + 1, *c = b + 1;
        m[k] = 0.0;
        if (i + k == 0 || i + k == ROWS - 1) continue;
        const double ab = b->time - a->time, bc = c->time - b->time, ac = c->time - a->time;
        m[k] = -a->value * bc / (ab * ac) + b->value * (bc - ab) / (ab * bc) +
               c->value * ab / (ac * bc);
    }
    return (1.0 + 2.0 * u) * w * w * row[i].value + u * u * (3.0 - 2.0 * u) * row[i + 1].value +
           h * u * w * (w * m[0] - u * m[1]);
}

static double value_of(const tw_drive_part *part, double t)
{
    switch (part->kind) {
    case TW_DRIVE_VELOCITY:
        return t;
    case TW_DRIVE_ROTATE:
        return part->rate * t;
    case TW_DRIVE_OSCILLATE:
    case TW_DRIVE_SWING:
        return part->amplitude *
               (sin(2.0 * CHECK_PI * part->frequency * t + part->phase) - sin(part->phase));
    default:
        return table_value(part->cubic, t);
    }
}

/* A point of the wall, by the formula of Rodrigues. */
static tw_vec3 carry(const tw_drive_part *parts, int count, double t, tw_vec3 x)
{
    for (int i = 0; i < count; i++) {
        const double s = value_of(&parts[i], t);
        const tw_vec3 n = parts[i].along;
        if (parts[i].kind % 2 == 0) {
            x = tw_vec3_add_scaled(x, s, n);
            continue;
        }
        const tw_vec3 r = tw_vec3_sub(x, parts[i].through), across = tw_vec3_cross(n, r);
        const tw_vec3 a = tw_vec3_add_scaled(tw_vec3_scale(cos(s), r), sin(s), across);
        x = tw_vec3_add(parts[i].through,
                        tw_vec3_add_scaled(a, (1.0 - cos(s)) * tw_vec3_dot(n, r), n));
    }
    return x;
}

static tw_vec3 point_at(const tw_drive_pose *pose, tw_vec3 arm)
{
    return tw_vec3_add(pose->centre, tw_quat_rotate(pose->q, arm));
}

static tw_drive_pose make_pose(tw_random *random)
{
    const tw_vec3 centre = check_vector(random, -1.0, 1.0), v = check_vector(random, -1.0, 1.0);
    return (tw_drive_pose){centre, tw_quat_from_rotation(v)};
}

/* ---- Tests ---- */

static void points_of_a_wall_go_through_the_parts_in_order(void **state)
{
    (void)state;
    tw_random random = tw_random_seed(50);
    for (int i = 0; i < 20000; i++) {
        tw_drive_part parts[PARTS];
        make_parts(&random, parts);
        const uint32_t count = i % 3 == 0 ? 1 : PARTS;
        const tw_drive_pose start = make_pose(&random);
        const tw_vec3 arm = check_vector(&random, -1.0, 1.0);
        const double t = check_between(&random, 0.0, 5.0);
        tw_quat q = start.q;
        if (count > 1) /* rotations make it a unit quaternion */
            q = (tw_quat){2.0 * q.w, 2.0 * q.x, 2.0 * q.y, 2.0 * q.z};
        const tw_drive_pose pose = tw_drive_at(parts, count, table, start.centre, q, t);
        const tw_vec3 x = carry(parts, (int)count, t, point_at(&start, arm));
        check_at_most(check_distance(point_at(&pose, arm), x), rounding);
        check_at_most(check_rotation_defect(tw_quat_matrix(pose.q)), rounding);
    }
}

static void a_translation_before_a_rotation_goes_round(void **state)
{
    (void)state;
    const tw_vec3 zero = {0, 0, 0}, along = {1, 0, 0}, axis = {0, 0, 1};
    tw_drive_part parts[3] = {make_part(TW_DRIVE_VELOCITY, along, zero),
                              make_part(TW_DRIVE_ROTATE, axis, zero)};
    parts[1].rate = 0.5 * CHECK_PI;
    parts[2] = parts[0];
    const tw_quat q = tw_quat_identity();
    const tw_drive_pose round = tw_drive_at(parts, 2, NULL, zero, q, 1.0);
    const tw_drive_pose straight = tw_drive_at(parts + 1, 2, NULL, zero, q, 1.0);
    check_at_most(check_distance(round.centre, tw_vec3_make(0, 1, 0)), rounding);
    assert_memory_equal(&straight.centre, &along, sizeof along);
    assert_memory_equal(&straight.q, &round.q, sizeof q);
}

static void what_has_not_moved_keeps_all_bits(void **state)
{
    (void)state;
    tw_random random = tw_random_seed(51);
    assert_int_equal(sizeof(tw_drive_part), 4 * 4 + 10 * 8);
    for (int i = 0; i < 1000; i++) {
        tw_drive_part parts[PARTS];
        make_parts(&random, parts);
        tw_drive_pose start = make_pose(&random);
        if (i % 2) start.centre.y = -0.0;
        start.q.x *= 1.0 + 1e-10; /* not normalised again */
        tw_drive_pose pose = tw_drive_at(parts, PARTS, table, start.centre, start.q, 0.0);
        assert_memory_equal(&pose, &start, sizeof pose);
        for (int k = 0; k < PARTS; k++) {
            parts[k].rate = parts[k].amplitude = 0.0;
            if (parts[k].kind == TW_DRIVE_VELOCITY) parts[k].kind = TW_DRIVE_OSCILLATE;
        }
        pose = tw_drive_at(parts, PARTS, table, start.centre, start.q, 0.3 * table[1].time);
        assert_memory_equal(&pose, &start, sizeof pose);
        const tw_drive_step step = tw_drive_between(start, pose);
        assert_true(tw_vec3_max_abs(step.dx) == 0.0 && tw_vec3_max_abs(step.gibbs) == 0.0);
    }
}

static void a_billion_periods_keep_the_phase(void **state)
{
    (void)state;
    const tw_vec3 zero = {0, 0, 0}, z = {0, 0, 1}, x = {1, 0, 0};
    const tw_quat q = tw_quat_identity();
    tw_drive_part sine = make_part(TW_DRIVE_OSCILLATE, z, zero);
    tw_drive_part turn = make_part(TW_DRIVE_ROTATE, z, zero);
    sine.amplitude = 1.0;
    sine.phase = 0.4;
    for (int i = 0; i < 1000; i++) {
        /* products without rounding */
        const double part = i / 1024.0;
        sine.frequency = 0.25;
        const tw_drive_pose there = tw_drive_at(&sine, 1, NULL, zero, q, 4.0 * (1e9 + part));
        const double angle = 2.0 * CHECK_PI * part + 0.4;
        check_at_most(fabs(there.centre.z - (sin(angle) - sin(0.4))), 4.0 * DBL_EPSILON);
        turn.rate = 8.0;
        const double t = 0x1p30 + part;
        const tw_drive_pose turned = tw_drive_at(&turn, 1, NULL, x, q, t);
        check_at_most(check_distance(turned.centre, tw_vec3_make(cos(8.0 * t), sin(8.0 * t), 0.0)),
                      4.0 * DBL_EPSILON);
        /* with it: the phase at a time that is off by a rounding */
        sine.frequency = 49.9;
        const double late = 2e7 + part;
        const double periods = (double)fmodl((long double)sine.frequency * (long double)late, 1.0L);
        const double moved = tw_drive_at(&sine, 1, NULL, zero, q, late).centre.z;
        check_at_most(fabs(moved - (sin(2.0 * CHECK_PI * periods + 0.4) - sin(0.4))),
                      2.0 * CHECK_PI * 1e9 * DBL_EPSILON);
    }
}

static void steps_join_poses_through_half_and_whole_turns(void **state)
{
    (void)state;
    tw_random random = tw_random_seed(52);
    for (int i = 0; i < 1000; i++) {
        tw_drive_part part = make_part(TW_DRIVE_ROTATE, check_unit(&random), tw_vec3_make(1, 0, 0));
        const tw_drive_pose start = make_pose(&random);
        part.rate = CHECK_PI;
        const double h = 0.1, half = (double)(1 + i % 4);
        const tw_drive_pose a = tw_drive_at(&part, 1, NULL, start.centre, start.q, half - h);
        const tw_drive_pose b = tw_drive_at(&part, 1, NULL, start.centre, start.q, half + h);
        const tw_drive_step step = tw_drive_between(a, b);
        const tw_vec3 g = tw_vec3_scale(tan(CHECK_PI * h), part.along);
        check_at_most(check_distance(step.gibbs, g), rounding);
        check_at_most(check_distance(tw_vec3_add(a.centre, step.dx), b.centre), rounding);
        const tw_drive_pose at = tw_drive_at(&part, 1, NULL, start.centre, start.q, half);
        const tw_vec3 x = carry(&part, 1, half, start.centre);
        check_at_most(check_distance(at.centre, x), rounding);
    }
}

static void a_table_has_its_rows_and_a_cubic_no_corners(void **state)
{
    (void)state;
    const tw_drive_row *row = table + 1;
    int corners = 0;
    for (int cubic = 0; cubic < 2; cubic++) {
        for (int i = 0; i < ROWS; i++) {
            const double t = row[i].time;
            const tw_drive_value before = tw_drive_look_up(row, ROWS, cubic, nextafter(t, -9.0));
            const tw_drive_value at = tw_drive_look_up(row, ROWS, cubic, t);
            assert_true(at.s == row[i].value);
            check_at_most(fabs(before.s - at.s), rounding);
            if (cubic) check_at_most(fabs(before.rate - at.rate), 10.0 * rounding);
            corners += !cubic && fabs(before.rate - at.rate) > 0.1;
        }
        assert_true(tw_drive_look_up(row, ROWS, cubic, 1e9).s == row[ROWS - 1].value);
        assert_true(tw_drive_look_up(row, ROWS, cubic, -1e9).s == row[0].value);
        assert_true(tw_drive_look_up(row, 1, cubic, 0.7).s == row[0].value);
    }
    assert_int_equal(corners, ROWS);
    /* between the inner rows a cubic is exact for parabolas */
    tw_drive_row parabola[ROWS];
    for (int i = 0; i < ROWS; i++)
        parabola[i] = (tw_drive_row){row[i].time, row[i].time * (row[i].time - 3.0)};
    for (double t = row[1].time; t < row[ROWS - 2].time; t += 0.01) {
        const tw_drive_value at = tw_drive_look_up(parabola, ROWS, 1, t);
        check_at_most(fabs(at.s - t * (t - 3.0)), rounding);
        check_at_most(fabs(at.rate - (2.0 * t - 3.0)), rounding);
    }
}

/* Largest error of central differences of places and orientations. */
static double difference_error(double h)
{
    tw_random random = tw_random_seed(53);
    double worst = 0.0;
    for (int i = 0; i < 300; i++) {
        tw_drive_part parts[PARTS];
        make_parts(&random, parts);
        const tw_drive_pose start = make_pose(&random);
        const double t = 1.0 + 0.5 * tw_random_uniform(&random); /* not at a row */
        const tw_drive_pose a = tw_drive_at(parts, PARTS, table, start.centre, start.q, t - h);
        const tw_drive_pose b = tw_drive_at(parts, PARTS, table, start.centre, start.q, t + h);
        const tw_drive_step step = tw_drive_between(a, b);
        const tw_drive_rates rates = tw_drive_velocity(parts, PARTS, table, start.centre, t);
        const double s = 0.5 / h;
        worst = check_most(worst, check_distance(tw_vec3_scale(s, step.dx), rates.v));
        worst = check_most(worst, check_distance(tw_vec3_scale(2.0 * s, step.gibbs), rates.omega));
    }
    return worst;
}

static void velocities_are_the_limit_of_differences(void **state)
{
    (void)state;
    double before = difference_error(8e-3);
    for (double h = 4e-3; h > 4e-4; h *= 0.5) {
        const double error = difference_error(h);
        check_at_most(fabs(before / error - 4.0), 0.1);
        before = error;
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(points_of_a_wall_go_through_the_parts_in_order),
        cmocka_unit_test(a_translation_before_a_rotation_goes_round),
        cmocka_unit_test(what_has_not_moved_keeps_all_bits),
        cmocka_unit_test(a_billion_periods_keep_the_phase),
        cmocka_unit_test(steps_join_poses_through_half_and_whole_turns),
        cmocka_unit_test(a_table_has_its_rows_and_a_cubic_no_corners),
        cmocka_unit_test(velocities_are_the_limit_of_differences),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
