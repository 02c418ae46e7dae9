/* SPDX-License-Identifier: BSD-3-Clause */
/* Round trips through files of LAMMPS, and refusal of invalid files. */
#include "files.h"

#include <math.h>

#include "../must.h"
#include "lammps_scenes.h"

enum { SPHERES_MAX = 400 };

static void dump_survives_the_round_trip(void **state)
{
    (void)state;
    tw_error error;
    static tw_sphere_state s[SPHERES_MAX], t[SPHERES_MAX];
    for (int i = 0; i < LAMMPS_SCENES; i++) {
        tw_sim *sim = lammps_scene_make(&lammps_scenes[i]);
        assert_int_equal(tw_export_lammps(sim, "state.dump", &error), TW_STATUS_OK);
        tw_specimen *specimen = tw_specimen_read("state.dump", &error);
        if (!specimen) fail_msg("%s", error.text);
        assert_int_equal(specimen->periodic[2], !lammps_scenes[i].open);
        assert_null(specimen->mass);
        const tw_sim_def def = tw_sim_get_definition(sim);
        tw_sim *again = tw_specimen_build(specimen, &def, &error);
        assert_non_null(again);
        tw_specimen_free(specimen);
        tw_sim_get_spheres(sim, s, SPHERES_MAX, NULL);
        tw_sim_get_spheres(again, t, SPHERES_MAX, NULL);
        for (size_t k = 0; k < tw_sim_sphere_count(sim); k++)
            check_at_most(tw_vec3_norm(tw_vec3_sub(s[k].x, t[k].x)), 3e-16);
        for (uint32_t id = 0; id < tw_sim_body_count(sim); id++) {
            const tw_body_state p = must_body(sim, id), q = must_body(again, id);
            check_at_most(tw_vec3_norm(tw_vec3_sub(p.v_half, q.v_half)), 1e-14);
            check_at_most(tw_vec3_norm(tw_vec3_sub(p.w_half, q.w_half)),
                          1e-12 * (1.0 + tw_vec3_norm(p.w_half)));
        }
        tw_sim_free(again);
        tw_sim_free(sim);
    }
}

#define BOX "0 2 xlo xhi\n-1 1 ylo yhi\n0 2 zlo zhi\n"

static void molecules_become_clusters(void **state)
{
    (void)state;
    tw_error error;
    /* molecule 7 across the upper face of x, without image flags; 0 means no molecule */
    files_write("a.data", "any words, 3 atoms\n\n5 atoms # so many\n1 atom types\n" BOX
                          "0.5 0 0 xy xz yz\n\nMasses\n\n1 1\n\nPair Coeffs # twirl\n\n1 3 3\n\n"
                          "Atoms # hybrid sphere molecular\n\n"
                          "5 1 0.1 -0.5 1 0.4 2 7\n1 6 1.9 -0.5 1 0.4 2 7\n3 4 1 0 1 0.2 2 0\n"
                          "4 1 1 0.5 1 0.2 2 0\n2 1 1.0 0.5 0.1 0.2 2 9\n\n"
                          "Velocities\n\n1 1 2 3 0 0 1\n5 1 2.2 3 0 0 1\n2 0 0 0 0 0 0\n");
    tw_specimen *s = tw_specimen_read("a.data", &error);
    if (!s) fail_msg("%s", error.text);
    assert_int_equal(s->body_count, 4);
    assert_int_equal(s->shape_count, 1);
    assert_int_equal(tw_specimen_sphere_count(s), 5);
    assert_true(s->bodies[0].x.x == 1.0 && s->bodies[0].x.y == 1.0); /* from the corner */
    assert_int_equal(s->bodies[0].type, 4);
    assert_int_equal(s->bodies[1].type, 1);
    assert_int_equal(s->bodies[2].type, 6); /* that of the first atom, with id 1 */
    assert_true(s->bodies[2].shape == 1 && s->bodies[2].x.x == 1.9 && s->bodies[2].v.z == 3.0);
    /* sphere 5 beyond the face: 0.2 from the first, in units of the body's size, 1/8 */
    check_at_most(fabs(s->shapes[0].spheres[1].centre.x - 0.2 * 8.0), 1e-14);
    /* both members, each 2 times its volume */
    check_at_most(fabs(s->mass[2] / (2.0 * 2.0 * 4.18879020478639 * 0.008) - 1.0), 1e-14);
    double density;
    assert_int_equal(tw_specimen_get_density(s, &density, &error),
                     TW_STATUS_INPUT); /* they overlap */
    check_text(&error, "the same density");
    tw_specimen_free(s);
}

/* Materials and motion do not show in the types of a dump. */
static void types_are_exported(void **state)
{
    (void)state;
    tw_error error;
    tw_sim *sim = lammps_scene_make(&lammps_scenes[1]); /* spheres, clusters and a fixed body */
    for (uint32_t id = 0; id < tw_sim_body_count(sim); id++)
        assert_int_equal(tw_sim_set_body_type(sim, id, 1 + id % 4, &error), TW_STATUS_OK);
    assert_int_equal(tw_export_lammps(sim, "state.dump", &error), TW_STATUS_OK);
    tw_specimen *dump = tw_specimen_read("state.dump", &error);
    assert_non_null(dump);
    for (uint32_t id = 0; id < tw_sim_body_count(sim); id++)
        assert_int_equal(dump->bodies[id].type, 1 + id % 4);
    tw_specimen_free(dump);
    tw_sim_free(sim);
}

#define TYPES                                                                                      \
    "words\n\n3 atoms\n3 atom types\n" BOX                                                         \
    "\nAtoms # sphere\n\n1 1 0.4 2 0.5 0 1\n2 2 0.4 2 1 0 1\n3 3 0.4 2 1.5 0 1\n\n"                \
    "PairIJ Coeffs # twirl\n\n"

/* Types that have the same laws with all others are of one material. */
static void laws_of_types_become_materials(void **state)
{
    (void)state;
    tw_error error;
    files_write("laws.data", TYPES "1 1 linear 1e5 8e4 0.5\n1 2 linear 2e5 1e5 0.3 k_r 7 mu_r 0.1\n"
                                   "1 3 linear 1e5 8e4 0.5\n2 2 linear 3e5 2e5 0.2 no_tension yes\n"
                                   "2 3 linear 2e5 1e5 0.3 mu_r 0.1 k_r 7\n"
                                   "3 3 linear 1e5 8e4 0.5 no_tension no\n");
    tw_specimen *s = tw_specimen_read("laws.data", &error);
    if (!s) fail_msg("%s", error.text);
    assert_int_equal(s->types, 3);
    tw_sim_def def = check_def();
    def.law = tw_contact_law_default(); /* without a stiffness: that of the file */
    def.density = 2.0;
    tw_sim *sim = tw_specimen_build(s, &def, &error);
    if (!sim) fail_msg("%s", error.text);
    assert_int_equal(tw_sim_material_count(sim), 2);
    assert_string_equal(tw_sim_material_name(sim, 1), "type2");
    for (uint32_t id = 0; id < 3; id++)
        assert_int_equal(must_body(sim, id).material, id == 1 ? 1 : 0);
    static const double kn[2][2] = {{1e5, 2e5}, {2e5, 3e5}}, mu[2][2] = {{0.5, 0.3}, {0.3, 0.2}};
    for (uint32_t a = 0; a < 2; a++) {
        for (uint32_t b = 0; b < 2; b++) {
            tw_contact_law law;
            assert_int_equal(tw_sim_get_pair_law(sim, a, b, &law, &error), TW_STATUS_OK);
            assert_true(law.kn == kn[a][b] && law.mu == mu[a][b]);
            assert_true(law.k_r == (a == b ? 0.0 : 7.0) && law.mu_r == (a == b ? 0.0 : 0.1));
            assert_true(((law.flags & TW_CONTACT_NO_TENSION) != 0) == (a + b == 2));
        }
    }
    tw_sim_free(sim);
    def.law = check_def().law; /* its own law is the one of all */
    sim = tw_specimen_build(s, &def, &error);
    assert_non_null(sim);
    assert_int_equal(tw_sim_material_count(sim), 1);
    tw_sim_free(sim);
    tw_specimen_free(s);
}

static void bad_laws_of_types_are_refused(void **state)
{
    (void)state;
    static const struct {
        const char *rows, *words;
    } cases[] = {
        {"1 1 linear 1e5 8e4 0.5\n", "no row for types 1 2"},
        {"1 4 linear 1e5 8e4 0.5\n", "there is no atom type 4: the header has 3"},
        {"1 1\n", "expected two types and the coefficients"},
        {"1 1 soft 1e5 8e4 0.5\n", "expected linear, linear/radius, hertz or hertz/radius"},
        {"1 1 linear 1e5 8e4 0.5 k_r\n", "keywords with a value each"},
        {"1 1 linear 1e5 8e4 0.5 no_tension maybe\n", "no_tension must be yes or no"},
        {"1 1 linear 1e5 8e4 0.5 glue 1\n", "unknown keyword"},
        {"1 1 linear -1e5 8e4 0.5\n", "kn"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        char text[600];
        tw_error error;
        snprintf(text, sizeof text, TYPES "%s", cases[k].rows);
        files_write("laws.data", text);
        assert_null(tw_specimen_read("laws.data", &error));
        check_text(&error, cases[k].words);
        check_text(&error, "laws.data:");
    }
}

static void last_frame_of_a_dump_is_read(void **state)
{
    (void)state;
    tw_error error;
    files_write(
        "b.dump",
        "ITEM: TIMESTEP\n0\nITEM: NUMBER OF ATOMS\n1\nITEM: BOX BOUNDS pp pp ff\n0 1\n0 1\n0 1\n"
        "ITEM: ATOMS id type radius xs ys zs\n4 1 0.1 0.5 0.5 0.5\n"
        "ITEM: TIMESTEP\n1\nITEM: NUMBER OF ATOMS\n2\nITEM: BOX BOUNDS xy xz yz pp pp ff\n"
        "-1 4 1\n0 3 0\n0 3 0\nITEM: ATOMS id c_3[1] diameter x y z\n2 q 0.4 1 2 3\n1 q 0.2 0 0 "
        "0\n");
    tw_specimen *s = tw_specimen_read("b.dump", &error);
    if (!s) fail_msg("%s", error.text);
    assert_int_equal(s->body_count, 2);
    assert_true(s->cell.m[0] == 4.0 && s->cell.m[1] == 1.0 && s->periodic[1] == 1 &&
                s->periodic[2] == 0);
    assert_true(s->bodies[0].size == 0.1 && s->bodies[0].x.x == 1.0 && s->bodies[1].size == 0.2);
    tw_specimen_free(s);
}

static void bad_files_are_refused_with_line_and_reason(void **state)
{
    (void)state;
#define DATA(n, rest) "x\n" n " atoms\n" BOX rest
#define DUMP                                                                                       \
    "ITEM: TIMESTEP\n0\nITEM: NUMBER OF ATOMS\n1\nITEM: BOX BOUNDS pp pp pp\n0 1\n0 1\n0 1\n"
    static const struct {
        const char *text, *words;
    } cases[] = {
        {DATA("1", "Atoms # sphere\n\n1 1 0.4 2 0 0\n"),
         "bad:8: wrong number of fields: 6; style sphere"},
        {DATA("1", "Atoms # charge\n\n1 1 0.4 2 0 0\n"), "bad:8: unknown atom_style charge"},
        {DATA("1", "Atoms\n\n1 1 0.4 2 0 0 a\n"), "bad:8: column 'z': 'a' is not a number"},
        {DATA("1", "Atoms\n\n1 1 0 2 0 0 0\n"),
         "bad:8: column 'diameter': must be positive, found 0"},
        {DATA("1", "Atoms\n\n1.5 1 1 2 0 0 0\n"),
         "bad:8: column 'id': expected a positive integer, found 1.5"},
        {DATA("1", "Atoms\n\n1 1 1 -2 0 0 0\n"), "column 'density': must be positive, found -2"},
        {DATA("2", "Atoms\n\n1 1 1 2 0 0 0\n1 1 1 2 0 0 0\n"),
         "bad:9: id 1 is already used in line 8"},
        {DATA("2", "Atoms\n\n1 1 1 2 0 0 0\n"),
         "the number of atoms is 1, but the header states 2"},
        {DATA("0", "Atoms\n\n"), "no atoms"},
        {DATA("1", "Velocities\n\n1 0 0 0\n"), "Velocities must follow Atoms"},
        {DATA("1", "Atoms\n\n1 1 1 2 0 0 0\n\nVelocities\n\n2 0 0 0\n"), "no atom has the id 2"},
        {DATA("1", "Atoms\n\n1 1 1 2 0 0 0\n\nVelocities\n\n1 0 0\n"),
         "bad:12: wrong number of fields: 3"},
        {DATA("1", "Atoms\n\n1 1 1 2 0 0 0\n\nBonds\n\n1 1 1 2\n"), "unknown section 'Bonds'"},
        {DATA("1", "3 bonds\n\nAtoms\n\n1 1 1 2 0 0 0\n"), "3 bonds"},
        {DATA("1", "3 woes\n\nAtoms\n\n1 1 1 2 0 0 0\n"), "unknown header keyword 'woes'"},
        {DATA("1", ""), "no section Atoms"},
        {"x\n1 atoms\n0 0 xlo xhi\n", "bad:3: the box has no extent along x"},
        {"x\n1 atoms\n0 1 xlo xhi\n\nAtoms\n", "no box bounds ylo yhi"},
        {DATA("2", "Atoms\n\n1 1 0 0 0 1 1 3\n2 1 1 0 0 1 1 3\n\nVelocities\n\n1 0 0 1\n"),
         "needs angular velocities"},
        {DUMP "ITEM: ATOMS id x y z\n1 0 0 0\n", "bad:9: no sizes"},
        {DUMP "ITEM: ATOMS id radius x y\n1 1 0 0\n", "no positions"},
        {DUMP "ITEM: ATOMS radius x y z\n1 1 0 0\n", "column 'id' is missing"},
        {DUMP "ITEM: ATOMS id id radius x y z\n", "'id' appears twice"},
        {DUMP "ITEM: ATOMS id radius x y z\n", "ends here; expected an atom"},
        {DUMP "ITEM: ATOMS id radius x y z\nITEM: TIMESTEP\n", "new item after 0 of 1 atoms"},
        {DUMP "ITEM: ENTRIES a b\n", "unknown item 'ITEM: ENTRIES a b'"},
        {DUMP, "the file has no atoms"},
        {"ITEM: BOX BOUNDS pp pp pp\n0 1\n0 1\n1 1\n", "volume is 0"},
        {"ITEM: BOX BOUNDS pp\n0 1\n0 1\n1 1\n", "boundary flags: 1 instead of 3"},
        {"ITEM: NUMBER OF ATOMS\n1.5\n", "number of atoms, found 1.5"},
        {"ITEM: ATOMS id\n", "ATOMS before NUMBER OF ATOMS"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        tw_error error = {TW_STATUS_OK, ""};
        files_write("bad", cases[i].text);
        assert_null(tw_specimen_read("bad", &error));
        check_text(&error, cases[i].words);
        assert_int_equal(error.status, TW_STATUS_INPUT);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(dump_survives_the_round_trip),
        cmocka_unit_test(molecules_become_clusters),
        cmocka_unit_test(types_are_exported),
        cmocka_unit_test(laws_of_types_become_materials),
        cmocka_unit_test(bad_laws_of_types_are_refused),
        cmocka_unit_test(last_frame_of_a_dump_is_read),
        cmocka_unit_test(bad_files_are_refused_with_line_and_reason),
    };
    return cmocka_run_group_tests(tests, files_enter, files_leave);
}
