/* SPDX-License-Identifier: BSD-3-Clause */
/* Round trips through files of LAMMPS, and refusal of invalid files. */
#include "files.h"

#include <math.h>

#include "../must.h"
#include "lammps_scenes.h"

enum { SPHERES_MAX = 400, CONTACTS_MAX = 1000 };

static tw_sim *there_and_back(tw_sim *sim, const lammps_scene *scene)
{
    tw_error error;
    tw_lammps_options options = tw_lammps_options_default();
    if (tw_export_lammps_run(sim, "state", &options, &error) != TW_STATUS_OK)
        fail_msg("%s", error.text);
    tw_specimen *specimen = tw_specimen_read("state.data", &error);
    if (!specimen) fail_msg("%s", error.text);
    specimen->periodic[2] = !scene->open;
    tw_sim_def def = tw_sim_definition(sim);
    double density = 0.0;
    assert_int_equal(tw_specimen_density(specimen, &density, &error), TW_STATUS_OK);
    check_at_most(fabs(density / def.density - 1.0), 1e-14);
    tw_sim *again = tw_specimen_build(specimen, &def, &error);
    if (!again) fail_msg("%s", error.text);
    tw_specimen_free(specimen);
    assert_int_equal(tw_sim_prepare(again, &error), TW_STATUS_OK);
    return again;
}

/* Overlaps, sizes, masses and moments do not depend on the frame and must be the same. */
static void specimen_survives_the_round_trip(void **state)
{
    (void)state;
    static tw_contact_state a[CONTACTS_MAX], b[CONTACTS_MAX];
    static tw_sphere_state s[SPHERES_MAX], t[SPHERES_MAX];
    for (int i = 0; i < LAMMPS_SCENES; i++) {
        const lammps_scene *scene = &lammps_scenes[i];
        tw_sim *sim = lammps_scene_make(scene), *again = there_and_back(sim, scene);
        assert_int_equal(tw_sim_bodies(sim), tw_sim_bodies(again));
        assert_int_equal(tw_sim_spheres(sim), tw_sim_spheres(again));
        assert_true(tw_sim_spheres(sim) <= SPHERES_MAX && must_contacts(sim) <= CONTACTS_MAX);
        tw_sim_get_spheres(sim, s);
        tw_sim_get_spheres(again, t);
        for (size_t k = 0; k < tw_sim_spheres(sim); k++) {
            assert_int_equal(s[k].body, t[k].body);
            assert_int_equal(s[k].member, t[k].member);
            check_at_most(fabs(s[k].radius - t[k].radius), 1e-17);
        }
        for (uint32_t id = 0; id < tw_sim_bodies(sim); id++) {
            const tw_body_state p = must_body(sim, id), q = must_body(again, id);
            check_at_most(fabs(p.mass / q.mass - 1.0), 1e-13); /* unions, computed again */
            const tw_vec3 m = p.inertia, n = q.inertia;
            check_at_most(fabs((m.x + m.y + m.z) / (n.x + n.y + n.z) - 1.0), 1e-13);
        }
        size_t count = 0, walls = must_measure(sim).wall_contacts;
        must_get_contacts(sim, a);
        must_get_contacts(again, b);
        for (size_t k = 0; k < must_contacts(sim); k++) {
            if (a[k].body_q == TW_NO_BODY) continue;
            assert_int_equal(a[k].body_p, b[count].body_p);
            assert_int_equal(a[k].body_q, b[count].body_q);
            assert_int_equal(a[k].member_p, b[count].member_p);
            /* lengths of 0.1 m: a few rounding errors of 1.4e-17 m, below 1e-14 of the cell */
            check_at_most(fabs(a[k].zeta - b[count].zeta), 3e-16);
            count++;
        }
        assert_int_equal(count + walls, must_contacts(sim));
        assert_int_equal(count, must_contacts(again));
        tw_sim_free(again);
        tw_sim_free(sim);
    }
}

/* In LAMMPS' own frame, positions are the same too, up to edges of the cell, and so are velocities:
 * those at the end of the step with the affine part, v + dt/2 f/m + grad v (x - middle) to first
 * order in dt grad v; the cell is at rest. */
static void positions_and_velocities_survive_the_round_trip(void **state)
{
    (void)state;
    const lammps_scene *scene = &lammps_scenes[3];
    tw_sim *sim = lammps_scene_make(scene), *again = there_and_back(sim, scene);
    const double *h = scene->cell.m;
    const double dt = tw_sim_dt(sim);
    for (uint32_t id = 0; id < tw_sim_bodies(sim); id++) {
        const tw_body_state p = must_body(sim, id), q = must_body(again, id);
        tw_vec3 d = tw_vec3_sub(p.x, q.x);
        for (int k = 2; k >= 0; k--) {
            const double part = k == 2 ? d.z : k == 1 ? d.y : d.x;
            const tw_vec3 edge = {h[k], h[3 + k], h[6 + k]};
            d = tw_vec3_add_scaled(d, -round(part / h[4 * k]), edge);
        }
        check_at_most(tw_vec3_norm(d), 3e-16);
        const tw_vec3 v =
            p.fixed ? p.v_half : tw_vec3_add_scaled(p.v_half, 0.5 * dt / p.mass, p.force);
        /* velocities of some m/s */
        check_at_most(tw_vec3_norm(tw_vec3_sub(v, q.v_half)), 1e-14);
        if (p.shape > 0 || p.fixed) continue;
        const tw_vec3 w = tw_vec3_add_scaled(p.w_half, 0.5 * dt / p.inertia.x, p.torque);
        check_at_most(tw_vec3_norm(tw_vec3_sub(w, q.w_half)), 1e-14 * (1.0 + tw_vec3_norm(w)));
    }
    tw_sim_free(again);
    tw_sim_free(sim);
}

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
        const tw_sim_def def = tw_sim_definition(sim);
        tw_sim *again = tw_specimen_build(specimen, &def, &error);
        assert_non_null(again);
        tw_specimen_free(specimen);
        tw_sim_get_spheres(sim, s);
        tw_sim_get_spheres(again, t);
        for (size_t k = 0; k < tw_sim_spheres(sim); k++)
            check_at_most(tw_vec3_norm(tw_vec3_sub(s[k].x, t[k].x)), 3e-16);
        for (uint32_t id = 0; id < tw_sim_bodies(sim); id++) {
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
    assert_int_equal(tw_specimen_spheres(s), 5);
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
    assert_int_equal(tw_specimen_density(s, &density, &error), TW_STATUS_INPUT); /* they overlap */
    check_text(&error, "the same density");
    tw_specimen_free(s);
}

/* The values for `fix rigid/small` replace the masses of atoms, and must be those of the unions. */
static void file_of_bodies_is_checked(void **state)
{
    (void)state;
    tw_error error;
    double density = 0.0;
    tw_sim *sim = lammps_scene_make(&lammps_scenes[1]);
    tw_lammps_options options = tw_lammps_options_default();
    assert_int_equal(tw_export_lammps_run(sim, "state", &options, &error), TW_STATUS_OK);
    tw_specimen *s = tw_specimen_read("state.data", &error);
    assert_non_null(s);
    for (size_t i = 0; i < s->body_count; i++) /* as if the masses of the atoms were meaningless */
        if (s->bodies[i].shape > 0 && i != 9) s->mass[i] = 1.0;
    assert_int_equal(tw_specimen_density(s, &density, &error), TW_STATUS_INPUT);
    assert_int_equal(tw_specimen_read_lammps_bodies(s, "state.bodies", &error), TW_STATUS_OK);
    assert_int_equal(tw_specimen_density(s, &density, &error), TW_STATUS_OK);
    check_at_most(fabs(density / tw_sim_definition(sim).density - 1.0), 1e-13);
    s->moment[1] *= 1.01;
    assert_int_equal(tw_specimen_density(s, &density, &error), TW_STATUS_INPUT);
    check_text(&error, "moments of inertia of body 1");
    static const struct {
        const char *text, *words;
    } cases[] = {
        {"", "empty"},
        {"a\n", "bad:1: expected the number of bodies"},
        {"1\n2 1 0 0 0 1 1 1\n", "bad:2: wrong number of values: 8"},
        {"1\n1000 1 0 0 0 1 1 1 0 0 0\n", "bad:2: no molecule has the number 1000"},
        {"1\n2.5 1 0 0 0 1 1 1 0 0 0\n", "bad:2: no molecule has the number 2.5"},
        {"1\n2 0 0 0 0 1 1 1 0 0 0\n", "mass must be positive, found 0"},
        {"1\n2 1 0 0 0 -1 0 0 0 0 0\n", "moments of inertia must be positive, found -1"},
        {"2\n2 1 0 0 0 1 1 1 0 0 0\n2 1 0 0 0 1 1 1 0 0 0\n", "given twice"},
        {"2\n2 1 0 0 0 1 1 1 0 0 0\n", "the number of bodies is 1, but the first line states 2"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        files_write("bad", cases[i].text);
        assert_int_equal(tw_specimen_read_lammps_bodies(s, "bad", &error), TW_STATUS_INPUT);
        check_text(&error, cases[i].words);
    }
    tw_specimen_free(s);
    tw_sim_free(sim);
}

/* Spheres keep their types in LAMMPS; members of clusters and fixed bodies have others there, by
 * which the script knows them. */
static void types_are_exported(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++) { /* spheres; spheres, clusters and a fixed body */
        tw_error error;
        tw_sim *sim = lammps_scene_make(&lammps_scenes[i]);
        const size_t count = tw_sim_bodies(sim);
        for (uint32_t id = 0; id < count; id++)
            assert_int_equal(tw_sim_set_body_type(sim, id, 1 + id % 4, &error), TW_STATUS_OK);
        const tw_lammps_options options = tw_lammps_options_default();
        assert_int_equal(tw_export_lammps_run(sim, "state", &options, &error), TW_STATUS_OK);
        assert_int_equal(tw_export_lammps(sim, "state.dump", &error), TW_STATUS_OK);
        tw_specimen *data = tw_specimen_read("state.data", &error);
        tw_specimen *dump = tw_specimen_read("state.dump", &error);
        assert_non_null(data);
        assert_non_null(dump);
        for (uint32_t id = 0; id < count; id++) {
            const tw_body_state b = must_body(sim, id);
            const uint32_t extra = b.fixed ? 8 : data->bodies[id].shape > 0 ? 4 : 0;
            assert_int_equal(data->bodies[id].type, 1 + id % 4 + extra);
            assert_int_equal(dump->bodies[id].type, 1 + id % 4);
        }
        char *script = files_read("state.in"), *text = files_read("state.data");
        assert_non_null(strstr(script, "group spheres type 1:4\n"));
        assert_true((strstr(script, "group clusters type 5:8\n") != NULL) == (i == 1));
        assert_non_null(strstr(text, "12 atom types\n"));
        free(script);
        free(text);
        tw_specimen_free(data);
        tw_specimen_free(dump);
        assert_int_equal(tw_sim_set_body_type(sim, 0, 1001, &error), TW_STATUS_OK);
        assert_int_equal(tw_export_lammps_run(sim, "state", &options, &error), TW_STATUS_INPUT);
        check_text(&error, "body 0 has the type 1001");
        tw_sim_free(sim);
    }
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
    assert_int_equal(tw_sim_materials(sim), 2);
    assert_string_equal(tw_sim_material_name(sim, 1), "type2");
    for (uint32_t id = 0; id < 3; id++)
        assert_int_equal(must_body(sim, id).material, id == 1 ? 1 : 0);
    static const double kn[2][2] = {{1e5, 2e5}, {2e5, 3e5}}, mu[2][2] = {{0.5, 0.3}, {0.3, 0.2}};
    for (uint32_t a = 0; a < 2; a++) {
        for (uint32_t b = 0; b < 2; b++) {
            tw_contact_law law;
            assert_int_equal(tw_sim_pair_law(sim, a, b, &law, &error), TW_STATUS_OK);
            assert_true(law.kn == kn[a][b] && law.mu == mu[a][b]);
            assert_true(law.k_r == (a == b ? 0.0 : 7.0) && law.mu_r == (a == b ? 0.0 : 0.1));
            assert_true(((law.flags & TW_CONTACT_NO_TENSION) != 0) == (a + b == 2));
        }
    }
    tw_sim_free(sim);
    def.law = check_def().law; /* its own law is the one of all */
    sim = tw_specimen_build(s, &def, &error);
    assert_non_null(sim);
    assert_int_equal(tw_sim_materials(sim), 1);
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

static void states_that_lammps_cannot_represent_are_refused(void **state)
{
    (void)state;
    tw_error error;
    tw_lammps_options options = tw_lammps_options_default();
    const lammps_scene *scene = &lammps_scenes[1];
    tw_sim *sim = lammps_scene_make(scene);
    assert_int_equal(tw_export_lammps_run(sim, "a b", &options, &error), TW_STATUS_INPUT);
    check_text(&error, "'a b'");
    assert_int_equal(tw_sim_set_damping(sim, 1.0, 0.0, 0.0, &error), TW_STATUS_OK);
    assert_int_equal(tw_export_lammps_run(sim, "r", &options, &error), TW_STATUS_INPUT);
    check_text(&error, "--drop-damping");
    options.drop_damping = 1;
    assert_int_equal(tw_export_lammps_run(sim, "r", &options, &error), TW_STATUS_OK);
    const tw_vec3 v = {1, 0, 0}, none = {0, 0, 0};
    must_set_body_velocity(sim, 9, v, none); /* the fixed one */
    assert_int_equal(tw_export_lammps_run(sim, "r", &options, &error), TW_STATUS_INPUT);
    check_text(&error, "body 9 moves at a prescribed velocity");
    tw_sim_free(sim);

    options = tw_lammps_options_default();
    sim = lammps_scene_make(&lammps_scenes[2]);
    const tw_mat3 upwards = {{0, 0, 0, 0, 0, 0, 0, 0, 1e-3}}, still = {{0}};
    tw_sim_set_velocity_gradient(sim, &upwards);
    assert_int_equal(tw_export_lammps_run(sim, "r", &options, &error), TW_STATUS_INPUT);
    check_text(&error, "--hold");
    options.hold = 1;
    assert_int_equal(tw_export_lammps_run(sim, "r", &options, &error), TW_STATUS_OK);
    options.hold = 0;
    tw_sim_set_velocity_gradient(sim, &still);
    must_set_wall_velocity(sim, 1, v);
    assert_int_equal(tw_export_lammps_run(sim, "r", &options, &error), TW_STATUS_OK);
    options.pair = TW_LAMMPS_HOOKE;
    assert_int_equal(tw_export_lammps_run(sim, "r", &options, &error), TW_STATUS_INPUT);
    check_text(&error, "wall 1 moves");
    options.pair = TW_LAMMPS_TWIRL;
    tw_sim_free(sim);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(specimen_survives_the_round_trip),
        cmocka_unit_test(positions_and_velocities_survive_the_round_trip),
        cmocka_unit_test(dump_survives_the_round_trip),
        cmocka_unit_test(molecules_become_clusters),
        cmocka_unit_test(file_of_bodies_is_checked),
        cmocka_unit_test(types_are_exported),
        cmocka_unit_test(laws_of_types_become_materials),
        cmocka_unit_test(bad_laws_of_types_are_refused),
        cmocka_unit_test(last_frame_of_a_dump_is_read),
        cmocka_unit_test(bad_files_are_refused_with_line_and_reason),
        cmocka_unit_test(states_that_lammps_cannot_represent_are_refused),
    };
    return cmocka_run_group_tests(tests, files_enter, files_leave);
}
