/* SPDX-License-Identifier: BSD-3-Clause */
/* Prescribed motions of walls: where they are against closed forms with libm, after a restart and
 * on a device in every bit, and the work that they do. Lengths are in radii of the ball. */
#include "../must.h"
#include "tensor.h"

#include <math.h>
#include <string.h>

enum { KINDS = 8, ROWS = 5 };

static const tw_vec3 origin = {0.0, 0.0, 0.0}, up = {0.0, 0.0, 1.0}, across = {0.0, 1.0, 0.0};

/* From 0.3 at t = 0; the last row is passed in 600 steps. */
static const tw_wall_motion_row table[ROWS] = {
    {-1.0, 0.3}, {0.25, 0.3}, {0.75, 0.45}, {1.5, 0.15}, {2.25, 0.2}};

static tw_wall_motion make_motion(int kind, int cubic)
{
    tw_wall_motion m = {0};
    m.kind = kind;
    m.cubic = cubic;
    m.along = kind == TW_WALL_MOTION_VELOCITY ? tw_vec3_make(0.11, -0.023, 0.037)
                                              : tw_vec3_make(0.4, 2.0, -0.3);
    m.through = tw_vec3_make(0.2, -1.0, 0.7);
    m.rate = 0.31;
    m.amplitude = 0.17;
    m.frequency = 0.77;
    m.phase = 0.6;
    m.row = table;
    m.rows = ROWS;
    return m;
}

/* All kinds, tables without and with corners. */
static tw_wall_motion motion_of_kind(int k)
{
    return make_motion(k < 6 ? k : k - 2, k >= 6);
}

/* ---- Scenes ---- */

/* A ball of radius and mass 1 at the lowest place of a horizontal drum of radius 4. */
static tw_sim *make_drum(const char *device, double nu, double dt)
{
    const tw_profile_point corner[2] = {{4.0, -6.0}, {4.0, 6.0}};
    tw_contact_law law = support_law(1000.0, 800.0, 0.9);
    law.nu_n = nu;
    tw_sim_def def = scene_open_cube(1.0, &law);
    def.gravity.z = -1.0;
    def.dt = dt;
    def.density = 3.0 / (4.0 * TW_MATH_PI);
    def.skin = 0.1;
    def.device = device;
    tw_sim *sim = scene_create(&def);
    const tw_body_def ball = scene_sphere(1.0, tw_vec3_make(0.0, 0.1, -3.0 - 1e-3), origin, origin);
    scene_add(sim, &ball);
    tw_wall_def drum = tw_wall_def_default();
    drum.form = TW_WALL_PROFILE;
    drum.corner = corner;
    drum.corners = 2;
    drum.q = tensor_quat(tw_vec3_make(-0.5 * TW_MATH_PI, 0.0, 0.0));
    must_add_wall(sim, &drum);
    return sim;
}

static void set_motion(tw_sim *sim, size_t wall, const tw_wall_motion *parts, size_t count)
{
    tw_error error;
    must_succeed(tw_sim_set_wall_motion(sim, wall, parts, count, &error), &error);
}

/* ---- The same in other words ---- */

static double slope(int i)
{
    const tw_wall_motion_row *a = &table[i - 1], *b = &table[i], *c = &table[i + 1];
    if (i == 0 || i == ROWS - 1) return 0.0;
    const double ab = b->time - a->time, bc = c->time - b->time, ac = c->time - a->time;
    return -a->value * bc / (ab * ac) + b->value * (bc - ab) / (ab * bc) +
           c->value * ab / (ac * bc);
}

static double table_value(int cubic, double t)
{
    int i = 0;
    if (t >= table[ROWS - 1].time) return table[ROWS - 1].value;
    while (table[i + 1].time < t)
        i++;
    const double h = table[i + 1].time - table[i].time, u = (t - table[i].time) / h, w = 1.0 - u;
    if (!cubic) return w * table[i].value + u * table[i + 1].value;
    return (1.0 + 2.0 * u) * w * w * table[i].value + u * u * (3.0 - 2.0 * u) * table[i + 1].value +
           h * u * w * (w * slope(i) - u * slope(i + 1));
}

static double value_of(const tw_wall_motion *m, double t)
{
    if (m->kind == TW_WALL_MOTION_VELOCITY) return t;
    if (m->kind == TW_WALL_MOTION_ROTATE) return m->rate * t;
    if (m->kind <= TW_WALL_MOTION_SWING)
        return m->amplitude * (sin(2.0 * TW_MATH_PI * m->frequency * t + m->phase) - sin(m->phase));
    return table_value(m->cubic, t) - table_value(m->cubic, 0.0);
}

static int turns(const tw_wall_motion *m)
{
    return m->kind % 2 == 1;
}

/* Where a point of the wall is. */
static tw_vec3 carry(const tw_wall_motion *m, double t, tw_vec3 x)
{
    const double s = value_of(m, t), length = tw_vec3_norm(m->along);
    if (m->kind == TW_WALL_MOTION_VELOCITY) return tw_vec3_add_scaled(x, s, m->along);
    if (!turns(m)) return tw_vec3_add_scaled(x, s / length, m->along);
    const tw_mat3 r = tensor_rotation(tw_vec3_scale(s / length, m->along));
    return tw_vec3_add(m->through, tensor_apply(r, tw_vec3_sub(x, m->through)));
}

static tw_vec3 place_in(const tw_wall_state *w, tw_vec3 x)
{
    return tw_vec3_add(w->point, tensor_apply(tensor_of_quat(w->q), x));
}

/* ---- Tests ---- */

static void walls_are_where_the_time_says(void **state)
{
    (void)state;
    const tw_vec3 arm = {0.3, -1.2, 2.1};
    for (int k = 0; k < KINDS; k++) {
        const tw_wall_motion m = motion_of_kind(k);
        tw_error error;
        tw_sim *sim = make_drum("cpu", 0.0, 0.004);
        scene_run(sim, 37); /* the motion does not begin with the simulation */
        const double start = tw_sim_time(sim);
        const tw_vec3 x = place_in(&(tw_wall_state){.q = must_wall(sim, 0).q}, arm);
        set_motion(sim, 0, &m, 1);
        for (int j = 0; j < 4; j++) {
            scene_run(sim, 250);
            if (j == 1) must_succeed(tw_sim_set_dt(sim, 0.0033, 0, &error), &error);
            const double t = tw_sim_time(sim) - start, h = 1e-5;
            const tw_wall_state w = must_wall(sim, 0);
            assert_true(w.driven);
            expect_at_most(support_distance(place_in(&w, arm), carry(&m, t, x)), 1e-13);
            /* The velocity, by differences: their rounding and third order. */
            const tw_vec3 ahead = carry(&m, t + h, x), behind = carry(&m, t - h, x);
            const tw_vec3 v =
                tw_vec3_add(w.v, tw_vec3_cross(w.spin, tensor_apply(tensor_of_quat(w.q), arm)));
            expect_at_most(support_distance(v, tw_vec3_scale(0.5 / h, tw_vec3_sub(ahead, behind))),
                           1e-9);
            if (m.kind == TW_WALL_MOTION_VELOCITY) { /* a sum would have other bits */
                const tw_vec3 there = tw_vec3_scale(t, m.along);
                assert_memory_equal(&w.point, &there, sizeof there);
            }
        }
        tw_sim_free(sim);
    }
}

/* All parts at once, and a table of another wall. */
static tw_sim *make_driven(const char *device, int k)
{
    tw_wall_def plate = tw_wall_def_default();
    tw_wall_motion parts[3] = {motion_of_kind(k), motion_of_kind((k + 3) % KINDS),
                               motion_of_kind((k + 6) % KINDS)};
    tw_wall_motion turn = make_motion(TW_WALL_MOTION_TABLE_ANGLE, 0);
    tw_sim *sim = make_drum(device, 0.002, 0.004);
    plate.point.y = -1.0;
    plate.normal = across;
    const size_t wall = must_add_wall(sim, &plate);
    scene_run(sim, 37);
    turn.along = across;
    for (int i = 0; i < 3; i++) {
        parts[i].through = origin;
        if (turns(&parts[i])) parts[i].along = across;
    }
    set_motion(sim, wall, &turn, 1);
    set_motion(sim, 0, parts, (size_t)(1 + k % 3));
    return sim;
}

static void restarts_and_devices_give_the_same_bits(void **state)
{
    (void)state;
    size_t touches = 0; /* where it is saved */
    for (int k = 0; k < KINDS; k++) {
        tw_error error;
        tw_sim *sim = make_driven("cpu", k), *device = make_driven("emulated", k);
        scene_run(sim, 401);
        touches += must_contacts(sim);
        tw_sim *copy = scene_copy(sim), *on_device = scene_copy(sim);
        must_succeed(tw_sim_set_device(on_device, "emulated", &error), &error);
        scene_run(device, 123);
        scene_run(device, 278);
        assert_true(tw_sim_hash(device) == tw_sim_hash(sim));
        tw_sim *back = scene_copy(device);
        tw_sim *all[] = {sim, copy, on_device, device, back};
        for (size_t i = 0; i < 5; i++) {
            scene_run(all[i], 399);
            if (tw_sim_hash(all[i]) != tw_sim_hash(sim)) fail_msg("kind %d, copy %zu", k, i);
            const tw_wall_state a = must_wall(all[i], 0), b = must_wall(sim, 0);
            assert_memory_equal(&a.point, &b.point, sizeof a.point);
            assert_memory_equal(&a.spin, &b.spin, sizeof a.spin);
        }
        for (size_t i = 0; i < 5; i++)
            tw_sim_free(all[i]);
    }
    print_message("%zu contacts\n", touches);
    assert_true(touches >= KINDS / 2);
}

/* A plate that is farther away than when the list was made comes back and meets the ball before the
 * next list. */
static void a_restart_goes_on_with_the_list_there_was(void **state)
{
    (void)state;
    const tw_contact_law law = support_law(1000.0, 800.0, 0.3);
    tw_sim_def def = scene_open_cube(1.0, &law);
    def.dt = 0.004;
    def.skin = 0.1;
    tw_sim *sim = scene_create(&def);
    const tw_body_def ball =
        scene_sphere(1.0, tw_vec3_make(0.0, 0.0, 1.046), tw_vec3_make(0.0, 0.0, -0.048), origin);
    const tw_wall_def plate = tw_wall_def_default();
    tw_wall_motion m = {.kind = TW_WALL_MOTION_OSCILLATE, .along = up, .amplitude = 0.03};
    m.frequency = 1.0;
    m.phase = 0.5 * TW_MATH_PI;
    scene_add(sim, &ball);
    must_add_wall(sim, &plate);
    set_motion(sim, 0, &m, 1);
    scene_run(sim, 125);
    tw_sim *copy = scene_copy(sim);
    for (int k = 0; k < 2; k++) {
        scene_run(k ? copy : sim, 120);
        assert_int_equal(must_contacts(k ? copy : sim), 1);
    }
    assert_true(tw_sim_hash(copy) == tw_sim_hash(sim));
    tw_sim_free(sim);
    tw_sim_free(copy);
}

/* Rows of tables move when another wall has more or less of them. */
static void tables_of_other_walls_stay(void **state)
{
    (void)state;
    tw_sim *sim[2];
    for (int j = 0; j < 2; j++) {
        tw_wall_motion sway = make_motion(TW_WALL_MOTION_TABLE, 1),
                       turn = make_motion(TW_WALL_MOTION_TABLE_ANGLE, 0);
        tw_wall_def plate = tw_wall_def_default();
        sim[j] = make_drum("cpu", 0.0, 0.004);
        plate.point.z = -20.0;
        must_add_wall(sim[j], &plate);
        turn.along = up;
        set_motion(sim[j], 0, &sway, 1);
        scene_run(sim[j], 100);
        if (j == 1) set_motion(sim[j], 1, &turn, 1);
        scene_run(sim[j], 100);
        if (j == 1) set_motion(sim[j], 1, &sway, 1);
        scene_run(sim[j], 100);
        if (j == 1) set_motion(sim[j], 1, NULL, 0);
        scene_run(sim[j], 100);
    }
    const tw_body_state a = must_body(sim[0], 0), b = must_body(sim[1], 0);
    const tw_wall_state v = must_wall(sim[0], 0), w = must_wall(sim[1], 0);
    assert_memory_equal(&a.x, &b.x, sizeof a.x);
    assert_memory_equal(&v.point, &w.point, sizeof v.point);
    for (int j = 0; j < 2; j++)
        tw_sim_free(sim[j]);
}

static void a_motion_ends(void **state)
{
    (void)state;
    const tw_wall_motion m = make_motion(TW_WALL_MOTION_SWING, 0);
    const tw_vec3 v = {0.1, 0.0, 0.0};
    tw_error error;
    tw_sim *sim = make_drum("cpu", 0.0, 0.004);
    set_motion(sim, 0, &m, 1);
    scene_run(sim, 50);
    const char *prescribed = "wall 0: its motion is prescribed";
    assert_int_equal(tw_sim_set_wall_velocity(sim, 0, v, &error), TW_STATUS_INPUT);
    assert_non_null(strstr(error.text, prescribed));
    assert_int_equal(tw_sim_set_wall_spin(sim, 0, v, &error), TW_STATUS_INPUT);
    assert_non_null(strstr(error.text, prescribed));
    assert_int_equal(tw_sim_rotate(sim, v, 2, &error), TW_STATUS_INPUT);
    assert_non_null(strstr(error.text, "walls with prescribed motions are not rotated"));
    set_motion(sim, 0, NULL, 0);
    const tw_wall_state ended = must_wall(sim, 0);
    assert_true(!ended.driven && tw_vec3_max_abs(ended.v) == 0.0);
    assert_true(tw_vec3_max_abs(ended.spin) == 0.0);
    scene_run(sim, 50);
    const tw_wall_state later = must_wall(sim, 0);
    assert_memory_equal(&later.q, &ended.q, sizeof ended.q);
    must_succeed(tw_sim_set_wall_velocity(sim, 0, v, &error), &error);
    scene_run(sim, 50);
    expect_at_most(fabs(must_wall(sim, 0).point.x - ended.point.x - 50 * 0.004 * 0.1), 1e-14);
    must_succeed(tw_sim_rotate(sim, v, 2, &error), &error);
    tw_sim_free(sim);
}

static void what_is_no_motion_is_refused(void **state)
{
    (void)state;
    static const tw_wall_motion_row twice[2] = {{1.0, 0.0}, {1.0, 1.0}};
    static const tw_wall_motion_row infinite[2] = {{1.0, 0.0}, {2.0, HUGE_VAL}};
    tw_wall_motion bad[12];
    const char *const words[12] = {
        "no such kind",     "no such kind",   "must be finite",   "axis not zero",
        "about its normal", "has no rows",    "must ascend",      "its table must be finite",
        "must be finite",   "must be finite", "about its normal", "about its normal"};
    tw_error error;
    tw_sim *sim = make_drum("cpu", 0.0, 0.004);
    tw_wall_def plate = tw_wall_def_default();
    plate.normal = tw_vec3_make(0.3, 0.1, 2.0);
    must_add_wall(sim, &plate);
    plate.servo = 1;
    must_add_wall(sim, &plate);
    for (int k = 0; k < 12; k++)
        bad[k] = make_motion(k < 8 ? TW_WALL_MOTION_TABLE : TW_WALL_MOTION_SWING, 0);
    bad[0].kind = -1;
    bad[1].kind = 6;
    bad[2].along.y = (double)NAN;
    bad[3].along = origin;
    bad[4].kind = TW_WALL_MOTION_TABLE_ANGLE;
    bad[5].rows = 0;
    bad[6].row = twice;
    bad[7].row = infinite;
    bad[6].rows = bad[7].rows = 2;
    bad[8].phase = (double)NAN;
    bad[9].frequency = HUGE_VAL;
    bad[11].along = up;
    for (int k = 0; k < 12; k++) {
        const tw_wall_motion parts[2] = {make_motion(TW_WALL_MOTION_VELOCITY, 0), bad[k]};
        assert_int_equal(tw_sim_set_wall_motion(sim, 1, parts, 2, &error), TW_STATUS_INPUT);
        if (!strstr(error.text, "wall 1: part 1 of its motion") || !strstr(error.text, words[k]))
            fail_msg("%d: %s", k, error.text);
        assert_false(must_wall(sim, 1).driven);
    }
    const tw_wall_motion turn = {.kind = TW_WALL_MOTION_ROTATE, .along = plate.normal, .rate = 1.0};
    set_motion(sim, 1, &turn, 1);
    assert_int_equal(tw_sim_set_wall_motion(sim, 2, &turn, 1, &error), TW_STATUS_INPUT);
    assert_non_null(strstr(error.text, "wall 2: its servo moves it"));
    assert_int_equal(tw_sim_set_wall_motion(sim, 3, &turn, 1, &error), TW_STATUS_INPUT);
    assert_int_equal(tw_sim_set_wall_motion(sim, 0, &turn, 17, &error), TW_STATUS_INPUT);
    assert_non_null(strstr(error.text, "at most 16 parts"));
    tw_sim_free(sim);
}

/* A ball that rolls in a drum that swings and goes to and fro. */
static double largest_residual(double dt)
{
    tw_sim *sim = make_drum("cpu", 0.0, dt);
    tw_wall_motion parts[2] = {make_motion(TW_WALL_MOTION_OSCILLATE, 0),
                               make_motion(TW_WALL_MOTION_SWING, 0)};
    parts[0].along = tw_vec3_make(1.0, 0.2, 0.3);
    parts[0].frequency = 0.05;
    parts[0].amplitude = 0.5;
    parts[0].phase = 0.5 * TW_MATH_PI; /* from rest */
    parts[1].along = across;
    parts[1].through = origin;
    parts[1].frequency = 0.06;
    parts[1].amplitude = 0.4;
    parts[1].phase = 0.5 * TW_MATH_PI;
    set_motion(sim, 0, parts, 2);
    double worst = 0.0, work = 0.0, lost = 0.0;
    for (int k = 0; k < 400; k++) {
        scene_run(sim, (uint64_t)lround(0.1 / dt));
        const tw_energy e = must_measure(sim).energy;
        worst = fmax(worst, fabs(e.residual));
        work = fmax(work, fabs(e.walls));
        lost = e.friction;
        assert_int_equal(must_contacts(sim), 1);
    }
    print_message("dt %g: residual %.3g, work %.3g, friction %.3g\n", dt, worst, work, lost);
    expect_at_least(work, 0.1);
    tw_sim_free(sim);
    return worst;
}

static void the_energy_residual_falls_with_the_square_of_dt(void **state)
{
    (void)state;
    const double a = largest_residual(0.01), b = largest_residual(0.005);
    const double c = largest_residual(0.0025);
    expect_at_most(c, 1e-3);
    expect_at_least(a / b, 3.5);
    expect_at_least(b / c, 3.5);
}

/* ---- Walls that go and come back ---- */

/* The ball has sunk to its place in the drum; then the drum is away for a while. */
static uint64_t run_without(const char *device, int restart, double *gap)
{
    tw_error error;
    tw_sim *sim = make_drum(device, 5.0, 0.01);
    const tw_wall_motion turn = {.kind = TW_WALL_MOTION_ROTATE, .along = across, .rate = 0.1};
    set_motion(sim, 0, &turn, 1);
    scene_run(sim, 200);
    const double before = must_measure(sim).energy.residual;
    expect_at_least(tw_vec3_norm(must_wall(sim, 0).force), 0.1);
    must_succeed(tw_sim_set_wall_present(sim, 0, 0, &error), &error);
    must_succeed(tw_sim_set_wall_present(sim, 0, 0, &error), &error); /* nothing more */
    assert_true(must_wall(sim, 0).absent && tw_vec3_norm(must_wall(sim, 0).force) == 0.0);
    assert_int_equal(must_contacts(sim), 0);
    *gap = fabs(must_measure(sim).energy.residual - before);
    const tw_vec3 v = must_body(sim, 0).v;
    scene_run(sim, 20);
    const tw_vec3 fallen = tw_vec3_sub(must_body(sim, 0).v, v);
    expect_at_most(fabs(fallen.x) + fabs(fallen.z + 0.2), 1e-12);
    if (restart) {
        tw_sim *again = scene_copy(sim);
        tw_sim_free(sim);
        sim = again;
        must_succeed(tw_sim_set_device(sim, device, &error), &error);
    }
    must_succeed(tw_sim_set_wall_present(sim, 0, 1, &error), &error);
    assert_int_equal(must_contacts(sim), 1);
    *gap = fmax(*gap, fabs(must_measure(sim).energy.residual - before));
    scene_run(sim, 100);
    const uint64_t hash = tw_sim_hash(sim);
    tw_sim_free(sim);
    return hash;
}

static void a_wall_goes_and_comes_back(void **state)
{
    (void)state;
    double gap;
    const uint64_t hash = run_without("cpu", 0, &gap);
    expect_at_most(gap, 1e-12); /* stored energy that goes and comes is no work */
    assert_true(hash == run_without("cpu", 1, &gap));
    assert_true(hash == run_without("emulated", 0, &gap));
    assert_true(hash == run_without("emulated", 1, &gap));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(walls_are_where_the_time_says),
        cmocka_unit_test(restarts_and_devices_give_the_same_bits),
        cmocka_unit_test(a_restart_goes_on_with_the_list_there_was),
        cmocka_unit_test(tables_of_other_walls_stay),
        cmocka_unit_test(a_motion_ends),
        cmocka_unit_test(what_is_no_motion_is_refused),
        cmocka_unit_test(the_energy_residual_falls_with_the_square_of_dt),
        cmocka_unit_test(a_wall_goes_and_comes_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
