/* SPDX-License-Identifier: BSD-3-Clause */
/* Gravity, boundaries, single grains, surfaces and their motions, and stages that run in time. */
#include "support.h"

#include <math.h>

/* Two lines; surfaces follow. */
#define G                                                                                          \
    "specimen: {grains: [{x: [0, 0, 1], d: 10 mm}]}\n"                                             \
    "material: {kn: 1e5}\n"
#define SURFACE(text) G "surfaces: [{name: a, " text "}]\n"
#define MOVE(text) SURFACE("form: rectangle, from: [0, 0, 0], to: [1, 1, 0], move: [{" text "}]")
#define SERVO(text)                                                                                \
    SURFACE("form: cylinder, from: [0, 0, 0], to: [0, 0, 1], radius: 1, servo: {" text "}")
#define STAGE(text)                                                                                \
    G "gravity: [0, 0, -9.81]\n"                                                                   \
      "surfaces: [{name: a, form: plane, normal: [0, 0, 1], move: [{velocity: [1, 0, 0]}]}]\n"     \
      "stages: [{path: drive, " text "}]\n"

static void new_units_are_converted_to_si(void **state)
{
    (void)state;
    tw_scenario *s = support_read(
        G "gravity: [0, 0, -9.81 m/s^2]\n"
          "surfaces:\n"
          "  - {name: a, form: disc, radius: 1, move: [{velocity: [6 mm/min, 0, -2 mm/s]}]}\n"
          "  - {name: b, form: disc, radius: 1, move: [{rotate: {axis: [0, 0, 2], rate: 30 rpm}},\n"
          "     {oscillate: {along: [1, 0, 0], amplitude: 1 mm, frequency: 0.05 kHz}}]}\n"
          "  - {name: c, form: disc, radius: 1, servo: {pressure: 2 kPa, area: 5 cm^2, along: [0, "
          "0, -1]}}\n",
        NULL);
    assert_true(s->gravity[2] == -9.81);
    assert_true(s->surfaces[0].move[0].velocity[0] == 1e-4);
    assert_true(s->surfaces[0].move[0].velocity[2] == -2e-3);
    assert_true(fabs(s->surfaces[1].move[0].rotate.rate - 3.14159265358979) < 1e-14);
    assert_true(s->surfaces[1].move[1].oscillate.frequency == 50.0);
    assert_true(s->surfaces[2].servo.area == 5e-4);
    tw_scenario_free(s);
}

static void a_boundary_is_one_word_or_one_for_each_axis(void **state)
{
    (void)state;
    tw_scenario *s = support_read(G "boundary: open\n", NULL);
    for (int k = 0; k < 3; k++)
        assert_int_equal(s->boundary.edge[k], TW_SCENARIO_EDGE_OPEN);
    tw_scenario_free(s);
    s = support_read("specimen: {file: a.csv}\nmaterial: {kn: 1}\nboundary: {y: open}\n", NULL);
    assert_int_equal(s->boundary.edge[0], TW_SCENARIO_EDGE_PERIODIC);
    assert_int_equal(s->boundary.edge[1], TW_SCENARIO_EDGE_OPEN);
    assert_int_equal(s->boundary.edge[2], TW_SCENARIO_EDGE_PERIODIC);
    tw_scenario_free(s);
    s = support_read("specimen: {file: a.csv}\nmaterial: {kn: 1}\n", NULL);
    assert_int_equal(s->boundary.edge[0], -1); /* as in the file */
    tw_scenario_free(s);
    support_refused(G "boundary: opened\n", "a.yaml:3:11: boundary: 'opened' is unknown; did you "
                                            "mean 'open'? Choices: periodic, walls, open\n");
}

/* Local damping would brake the fall. */
static void local_damping_is_off_with_gravity(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        double local;
    } cases[] = {{G, 0.3},
                 {G "gravity: [0, 0, -9.81]\n", 0.0},
                 {G "gravity: [0, 0, 0]\n", 0.3},
                 {G "gravity: [0, 0, -9.81]\ndamping: {local: 0.2}\n", 0.2}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        tw_scenario *s = support_read(cases[i].text, NULL);
        assert_true(s->damping.local == cases[i].local);
        tw_scenario_free(s);
    }
}

/* Written and read again, it is the same. */
static void scenarios_with_surfaces_go_round(void **state)
{
    (void)state;
    static const char text[] =
        "specimen: {grains: [{x: [0, 0, 1 cm], d: 10 mm, velocity: [0, 0, -1], spin: [1 rpm, 0, "
        "0]}]}\n"
        "boundary: open\n"
        "gravity: [0, 0, -9.81]\n"
        "materials: [{name: sand, kn: 1e5}, {name: steel, kn: 1e6}]\n"
        "surfaces:\n"
        "  - {form: plane, name: plane, normal: [0, 1, 1], material: steel}\n"
        "  - {form: sphere, name: sphere, radius: 1, inside: yes}\n"
        "  - {form: profile, name: profile, points: [[0.1, 0.5], [0.1, 0], [0, 0]], closed: no}\n"
        "  - {form: cone, name: cone, from: [0, 0, 0], to: [0, 0, 1], radius: 2, radius_to: 0}\n"
        "  - {form: box, name: box, from: [0, 0, 0], to: [1, 1, 1], open: [top, left]}\n"
        "  - {form: disc, name: disc, radius: 1, present: no, move: [{velocity: [0, 0, 1 mm/s]},\n"
        "     {swing: {axis: [0, 0, 1], angle: 10 deg, frequency: 1, phase: 90 deg}},\n"
        "     {table: {angles: [[0, 0 deg], [1 s, 90 deg]], axis: [0, 0, 1], cubic: yes}}]}\n"
        "stages:\n"
        "  - path: drive\n"
        "    surfaces: [{name: disc, present: yes, servo: {force: 1 kN, along: [0, 0, -1]}},\n"
        "      {name: box, move: [{rotate: {axis: [1, 0, 0], through: [0, 1, 0], rate: 1 "
        "deg/s}}]},\n"
        "      {name: cone, rest: yes}]\n"
        "    end: {time: 1, rest: 0.01, force: {surface: disc, along: [0, 0, 1], force: 1 mN},\n"
        "      torque: {surface: box, torque: 1 N m}, moved: {surface: disc, by: 1 mm},\n"
        "      turns: {surface: box, by: 0.5}}\n";
    tw_scenario *first = support_read(text, NULL);
    char *yaml = tw_scenario_write_text(first);
    tw_scenario *second = support_read(yaml, NULL);
    assert_true(support_equal(tw_key_root(), first, second));
    char *again = tw_scenario_write_text(second), *words = tw_scenario_describe(first, "stages", 0);
    assert_string_equal(again, yaml);
    support_has(words, "until time 1 s or rest 0.01 (force: surface disc, along [0, 0, 1], force "
                       "0.001 N)");
    free(words);
    free(again);
    free(yaml);
    tw_scenario_free(first);
    tw_scenario_free(second);
}

static void mistakes_are_named(void **state)
{
    (void)state;
    static const struct {
        const char *text, *words;
    } cases[] = {
        {SURFACE("form: plane"), "surfaces[1].normal: is missing"},
        {SURFACE("form: plane, normal: [0, 0, 0]"), "normal: is the zero vector"},
        {SURFACE("form: plane, normal: [0, 0, 1], radius: 1"),
         "radius: has no effect here; used with form: sphere, cylinder, cone, disc"},
        {SURFACE("form: stl"), "'stl' is unknown; use 'mesh'"},
        {SURFACE("form: mesh"), "surfaces[1].file: is missing"},
        {SURFACE("form: disc, radius: 1, inner_radius: 1"), "inner_radius: is not below `radius`"},
        {SURFACE("form: cylinder, from: [0, 0, 0], to: [0, 0, 0], radius: 1"),
         "to: is `from`: there is no axis"},
        {SURFACE("form: box, from: [0, 0, 0], to: [1, 1, 0]"),
         "to: 0 m is not above 0 m of `from` along z"},
        {SURFACE("form: box, from: [0, 0, 0], to: [1, 1, 1], open: [top, bottom, left, right, "
                 "front, back]"),
         "open: no face is left"},
        {SURFACE("form: rectangle, from: [0, 0, 0], to: [1, 1, 1]"),
         "to: has to agree with `from`"},
        {SURFACE("form: profile, points: [[1, 0]]"), "points: has one corner"},
        {SURFACE("form: profile, points: [[0, 0], [0, 1]]"),
         "segment from corner 1 is on the axis"},
        {SURFACE("form: disc, radius: 1, material: steel"), "there is no list 'materials'"},
        {G "surfaces: [{name: a, form: disc, radius: 1}, {name: a, form: disc, radius: 1}]\n",
         "surfaces[2].name: 'a' is already the name of surface 1"},
        {MOVE("rotate: {axis: [0, 0, 0], rate: 1}"), "rotate.axis: is the zero vector"},
        {MOVE("velocity: [1, 0, 0], rotate: {axis: [0, 0, 1], rate: 1}"),
         "cannot be combined with 'velocity'"},
        {MOVE("table: {points: [[0, 0], [1, 1]]}"), "table.along: is missing"},
        {MOVE("table: {points: [[0, 0], [0, 1]], along: [1, 0, 0]}"), "times must increase"},
        {SURFACE("form: plane, normal: [0, 0, 1], move: [{rotate: {axis: [1, 0, 0], rate: 1}}]"),
         "axis: a plane has no place to turn about but its normal"},
        {SERVO("force: 1"), "servo.along: is missing"},
        {SERVO("pressure: 1, along: [0, 0, 1]"), "servo.area: is missing"},
        {SERVO("force: 1, area: 1, along: [0, 0, 1]"), "servo.area: is for a pressure"},
        {SERVO("torque: 1, v_max: 1, along: [0, 0, 1]"), "a torque has 'rate_max'"},
        {SURFACE("form: disc, radius: 1, servo: {force: 1, along: [0, 0, 1]}, move: [{velocity: "
                 "[0, 0, 1]}]"),
         "servo: cannot be combined with 'move'"},
        {G "boundary: periodic\n", "boundary: single grains have no cell"},
        {SUPPORT_SMALL "boundary: open\n", "boundary: random grains are compressed in a periodic"},
        {SUPPORT_SMALL "gravity: [0, 0, -1]\n", "gravity: random grains are compressed"},
        {SUPPORT_SMALL "surfaces: [{name: a, form: plane, normal: [0, 0, 1]}]\n",
         "surfaces: random grains are compressed"},
        {"specimen: {checkpoint: a.csv}\nboundary: open\n", "boundary: is that of the checkpoint"},
        {"specimen: {file: a.csv}\nmaterial: {kn: 1}\nboundary: {z: open}\n"
         "surfaces: [{name: a, form: disc, radius: 1}]\n",
         "form: surfaces other than planes need a cell that is open along all axes"},
        {G "gravity: [0, 0, -1]\nstages: [{path: relax}]\n",
         "path: the cell is open, so it has no stress and strain; expected drive or free_flight"},
        {STAGE("end: {strain: 1}"), "end.strain: has no effect here"},
        {STAGE("surfaces: [{name: b, rest: yes}], end: {time: 1}"),
         "name: there is no surface 'b'; surfaces: a"},
        {STAGE("surfaces: [{name: a, rest: no}], end: {time: 1}"), "rest: has no effect"},
        {STAGE("end: {turns: {surface: a, by: 1}}"), "surface: 'a' has no `rotate` in its motion"},
        {STAGE("end: {moved: {surface: b, by: 1}}"), "surface: there is no surface 'b'"},
        {G "stages: [{path: drive, end: {rest: 0.1}}]\n", "there is no gravity"},
        {STAGE("end: {time: 1}") "output: {moduli: yes}\n",
         "moduli need a periodic cell without surfaces"},
        {"specimen: {grains: [{x: [0, 0, 0], d: 1}], count: 3}\nmaterial: {kn: 1}\n",
         "count: has no effect here; not used with specimen.grains"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *lines = support_errors(cases[i].text, NULL);
        support_has(lines, cases[i].words);
        free(lines);
    }
}

/* Of the motion in force: by the last stage that changed it, on the way that states come. */
static void turns_are_those_of_the_motion_in_force(void **state)
{
    (void)state;
    tw_scenario *s = support_read(
        G
        "surfaces: [{name: a, form: disc, radius: 1, move: [{rotate: {axis: [0, 0, 1], rate: "
        "1}}]}]\n"
        "stages:\n"
        "  - {path: drive, name: one, end: {time: 1}}\n"
        "  - {path: drive, name: two, end: {time: 1}, surfaces: [{name: a, move: [{rotate: {axis: "
        "[0, 0, 1], rate: 2}}]}]}\n"
        "  - {path: drive, name: three, end: {time: 1}, surfaces: [{name: a, rest: yes}]}\n"
        "  - {path: drive, name: four, from: two, end: {turns: {surface: a, by: 1}}}\n"
        "  - {path: drive, name: five, from: specimen, end: {turns: {surface: a, by: 1}}}\n",
        NULL);
    assert_true(tw_scenario_rotation_of(s, 0, "a")->rate == 1.0);
    assert_true(tw_scenario_rotation_of(s, 1, "a")->rate == 2.0);
    assert_null(tw_scenario_rotation_of(s, 2, "a"));
    assert_true(tw_scenario_rotation_of(s, 3, "a")->rate == 2.0);
    assert_true(tw_scenario_rotation_of(s, 4, "a")->rate == 1.0);
    assert_null(tw_scenario_rotation_of(s, 0, "b"));
    tw_scenario_free(s);
}

/* A file for the names in the texts. */
static int enter(void **state)
{
    const int status = support_enter_folder(state);
    if (status == 0) support_write("a.csv", "", 0);
    return status;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(new_units_are_converted_to_si),
        cmocka_unit_test(a_boundary_is_one_word_or_one_for_each_axis),
        cmocka_unit_test(local_damping_is_off_with_gravity),
        cmocka_unit_test(scenarios_with_surfaces_go_round),
        cmocka_unit_test(mistakes_are_named),
        cmocka_unit_test(turns_are_those_of_the_motion_in_force),
    };
    return cmocka_run_group_tests(tests, enter, support_leave_folder);
}
