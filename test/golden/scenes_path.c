/* SPDX-License-Identifier: BSD-3-Clause */
/* Scenes with packings: loading paths, rotations, low friction, restarts. */
#include "scene.h"

/* ---- Paths ---- */

static void go(golden *g, tw_sim *sim, const tw_control *control, const char *mark)
{
    scene_control(sim, control);
    scene_run(sim, 400);
    golden_record(g, mark, sim);
}

static void play_paths(golden *g)
{
    const double p = SCENE_PRESSURE, third = 1.0 / 3.0;
    tw_sim *sim = scene_packing(g, 4, SCENE_BUMPY, 31);
    scene_set_damping(sim, 0.0, 0.0, 0.4);

    tw_control triaxial = tw_control_default();
    triaxial.row[TW_XX] = tw_control_stress(TW_XX, p);
    triaxial.row[TW_YY] = tw_control_stress(TW_YY, p);
    triaxial.row[TW_ZZ] = tw_control_rate(TW_ZZ, -5.0);
    go(g, sim, &triaxial, "triaxial");

    tw_control constant_p = tw_control_default();
    constant_p.row[TW_XX] = (tw_control_row){TW_CONTROL_RATE, {1.0, -1.0}, 0.0, 0.0};
    constant_p.row[TW_YY] = (tw_control_row){TW_CONTROL_STRESS, {third, third, third}, p, 0.0};
    constant_p.row[TW_ZZ] = tw_control_rate(TW_ZZ, 5.0);
    go(g, sim, &constant_p, "constant_p");

    tw_control undrained = constant_p;
    undrained.row[TW_YY] = (tw_control_row){TW_CONTROL_RATE, {1.0, 1.0, 1.0}, 0.0, 0.0};
    undrained.row[TW_ZZ].target = -5.0;
    go(g, sim, &undrained, "undrained");

    tw_control shear = tw_control_default();
    shear.row[TW_YY] = tw_control_stress(TW_YY, 1.5 * p);
    shear.row[TW_YY].ramp = 1e7;
    shear.row[TW_YZ] = tw_control_stress(TW_YZ, 0.0);
    shear.row[TW_XY] = tw_control_rate(TW_XY, 10.0);
    shear.simple_shear = 1;
    go(g, sim, &shear, "simple_shear");

    tw_control lode = scene_isotropic(p, 0.0);
    const tw_vec3 principal = tw_control_principal(p, 0.3 * p, 0.4);
    lode.row[TW_XX].target = principal.x;
    lode.row[TW_YY].target = principal.y;
    lode.row[TW_ZZ].target = principal.z;
    go(g, sim, &lode, "true_triaxial");
    tw_sim_free(sim);
}

/* ---- Rigid rotation ---- */

static void play_rotation(golden *g)
{
    static const char *const marks[] = {"exact", "paper", "conventional"};
    const golden_path path = golden_file(g, "start.h5");
    tw_sim *sim = scene_packing(g, 3, SCENE_BUMPY, 32);
    const tw_mat3 shear = {{0.0, 40.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0}};
    tw_sim_set_velocity_gradient(sim, &shear);
    scene_run(sim, 400);
    scene_save(sim, path.text);
    tw_sim_free(sim);
    for (int32_t kind = 0; kind < TW_CONTACT_KINDS; kind++) {
        sim = scene_load(g, path.text);
        tw_contact_law law = tw_sim_get_definition(sim).law;
        law.kind = kind;
        scene_set_law(sim, &law);
        scene_rotate(sim, tw_vec3_make(0.7, -0.4, 1.1), 200);
        scene_rotate(sim, tw_vec3_make(0.0, 2.5, 0.3), 2);
        golden_record(g, marks[kind], sim);
        tw_sim_free(sim);
    }
}

/* ---- Platens ---- */

/* Compressed, then in triaxial compression: between platens along these edges. */
static void play_between(golden *g, const int walled[3], uint32_t shape, const char *const mark[2])
{
    tw_sim_def def = scene_def(g, 4 * 2.06 * SCENE_GRAIN);
    const scene_grains grains = {4, 0.8, 0.97, shape, 1, 0.1, 50.0, 0, 35};
    for (int k = 0; k < 3; k++)
        def.periodic[k] = !walled[k];
    tw_sim *sim = scene_create(&def);
    tw_control control = tw_control_default();
    for (int k = 0; k < 3; k++)
        if (walled[k]) tw_sim_add_platens(sim, k, 0, NULL, NULL);
    scene_fill(sim, &grains);
    scene_set_damping(sim, 0.0, 0.0, 0.5);
    for (int k = 0; k < 3; k++)
        control.row[k] = tw_control_stress(k, SCENE_PRESSURE);
    scene_control(sim, &control);
    scene_run(sim, 4000);
    golden_record(g, mark[0], sim);
    control.row[TW_ZZ] = tw_control_rate(TW_ZZ, -10.0);
    scene_control(sim, &control);
    scene_run(sim, 800);
    golden_record(g, mark[1], sim);
    tw_sim_free(sim);
}

static void play_platens(golden *g)
{
    const int all[3] = {1, 1, 1}, one[3] = {0, 0, 1};
    const char *const first[2] = {"pressed", "loaded"}, *const second[2] = {"lid", "lowered"};
    play_between(g, all, SCENE_SPHERE, first);
    play_between(g, one, SCENE_TETRA, second);
}

/* ---- Low friction ---- */

/* Prepared with almost no friction, so that nine of ten contacts slide; then friction increases. */
static void play_slippery(golden *g)
{
    const double edge = 5 * 1.98 * SCENE_GRAIN;
    const tw_sim_def def = scene_def(g, edge);
    const scene_grains grains = {5, 0.93, 1.02, SCENE_SPHERE, 2, 0.2, 200.0, 0, 33};
    tw_sim *sim = scene_create(&def);
    scene_fill(sim, &grains);
    scene_press(sim, 1e-3, 50);
    golden_record(g, "slippery", sim);
    scene_set_damping(sim, 0.0, 0.0, 0.3);
    scene_set_friction(sim, 0.5);
    scene_run(sim, 500);
    golden_record(g, "rough", sim);
    scene_set_friction(sim, 0.0);
    scene_run(sim, 300);
    golden_record(g, "smooth", sim);
    tw_sim_free(sim);
}

/* ---- Restart ---- */

/* Saved in the middle of a ramp and continued by another simulation: the hash must not change. */
static void play_restart(golden *g)
{
    const golden_path path = golden_file(g, "middle.h5");
    tw_sim *sim = scene_packing(g, 4, SCENE_LOPSIDED, 34);
    tw_control control = scene_isotropic(1.5 * SCENE_PRESSURE, 0.0);
    control.row[TW_ZZ].ramp = 5e7;
    control.row[TW_XY] = tw_control_rate(TW_XY, 30.0);
    scene_control(sim, &control);
    scene_run(sim, 333);
    scene_save(sim, path.text);
    golden_record(g, "saved", sim);
    tw_sim *other = scene_load(g, path.text);
    scene_run(sim, 444);
    scene_run(other, 444);
    if (tw_sim_hash(sim) != tw_sim_hash(other))
        golden_fail("restart: the loaded simulation continued differently from the saved one");
    tw_sim_free(sim);
    golden_record(g, "loaded", other);
    tw_sim_free(other);
}

const golden_scene golden_path_scenes[] = {
    {"paths", "triaxial, constant p, undrained, simple shear, true triaxial", play_paths},
    {"rotation", "a sheared packing rotated rigidly, three laws", play_rotation},
    {"platens", "pressed and loaded between platens, along all edges and one", play_platens},
    {"slippery", "friction near zero: nine of ten contacts slide", play_slippery},
    {"restart", "saved in a ramp, loaded, continued", play_restart},
    {0}};
