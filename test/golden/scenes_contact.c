/* SPDX-License-Identifier: BSD-3-Clause */
/* Scenes with contacts beyond linear springs: Hertz, rolling, twisting, damping by ratios, and
 * several materials. */
#include <twirl/material.h>

#include "../must.h"
#include "scene.h"

static const double gap = 1.98 * SCENE_GRAIN;

static tw_material sand(int32_t normal)
{
    tw_material m = tw_material_default();
    m.normal = normal;
    m.kn = 1e5;
    m.kt = 0.8e5;
    m.young = 5e8;
    m.poisson = 0.25;
    m.friction = 0.4;
    return m;
}

static tw_contact_law law_of(const tw_material *a, const tw_material *b)
{
    tw_contact_law law;
    const char *why = tw_material_pair_law(a, b, &law);
    if (why) golden_fail("%s", why);
    return law;
}

/* Grains of this law are squeezed, sheared and released, and turned as a whole. */
static void play_law(golden *g, const tw_contact_law *law, uint32_t shape, uint64_t seed)
{
    tw_sim_def def = scene_def(g, 4 * gap);
    const scene_grains grains = {4, 0.9, 1.02, shape, 1, 0.2, 200.0, 0, seed};
    const tw_mat3 squeeze = {{-200.0, 0.0, 100.0, 10.0, -150.0, 0.0, 0.0, 0.0, -180.0}};
    const tw_mat3 release = {{80.0, 300.0, 0.0, 0.0, 60.0, 0.0, 50.0, 0.0, 70.0}};
    def.law = *law;
    def.damping_mass = 300.0;
    tw_sim *sim = scene_create(&def);
    scene_fill(sim, &grains);
    tw_sim_set_velocity_gradient(sim, &squeeze);
    scene_run(sim, 400);
    golden_record(g, "squeezed", sim);
    tw_sim_set_velocity_gradient(sim, &release);
    scene_run(sim, 300);
    golden_record(g, "released", sim);
    scene_rotate(sim, tw_vec3_make(0.3, -0.2, 0.5), 10);
    golden_record(g, "turned", sim);
    tw_sim_free(sim);
}

static void play_hertz(golden *g)
{
    const tw_material m = sand(TW_CONTACT_HERTZ);
    const tw_contact_law law = law_of(&m, &m);
    play_law(g, &law, SCENE_SPHERE, 51);
}

static void play_hertz_conventional(golden *g)
{
    const tw_material m = sand(TW_CONTACT_HERTZ);
    tw_contact_law law = law_of(&m, &m);
    law.kind = TW_CONTACT_CONVENTIONAL;
    play_law(g, &law, SCENE_BUMPY, 52);
}

static void play_rolling(golden *g)
{
    tw_material m = sand(TW_CONTACT_LINEAR);
    m.rolling_friction = 0.1;
    m.kr_ratio = 0.5;
    const tw_contact_law law = law_of(&m, &m);
    play_law(g, &law, SCENE_SPHERE, 53);
}

static void play_twisting(golden *g)
{
    tw_material m = sand(TW_CONTACT_HERTZ);
    m.twisting_friction = 0.05;
    m.rolling_friction = 0.08;
    m.kw_ratio = 0.3;
    const tw_contact_law law = law_of(&m, &m);
    play_law(g, &law, SCENE_SPHERE, 54);
}

/* Stiffness by a modulus and the radii, rolling and twisting as in YADE, with and without
 * damping. */
static void play_modulus(golden *g)
{
    for (int k = 0; k < 2; k++) {
        tw_material m = sand(TW_CONTACT_LINEAR);
        m.kn = m.kt = 0.0;
        m.modulus = 1e5 / SCENE_GRAIN;
        m.kt_ratio = 0.8;
        m.rolling_friction = 0.05;
        m.twisting_friction = 0.02;
        m.kr_ratio = m.kw_ratio = 0.1;
        m.yade_levers = 1;
        if (k == 1) m.restitution = 0.6;
        const tw_contact_law law = law_of(&m, &m);
        play_law(g, &law, SCENE_SPHERE, 57);
    }
}

/* Restitution 0.6 by ratios, of springs and of Hertz contacts. */
static void play_restitution(golden *g)
{
    static const int32_t normals[] = {TW_CONTACT_LINEAR, TW_CONTACT_HERTZ};
    for (int k = 0; k < 2; k++) {
        tw_material m = sand(normals[k]);
        m.restitution = 0.6;
        m.tangential_damping = m.rolling_damping = m.twisting_damping = 0.1;
        m.rolling_friction = m.twisting_friction = 0.1;
        m.no_tension = k;
        const tw_contact_law law = law_of(&m, &m);
        play_law(g, &law, SCENE_SPHERE, 55);
    }
}

/* Sand, steel and wood on a steel floor, under a lid of wood. */
static void play_materials(golden *g)
{
    const double edge = 5 * gap;
    tw_material m[3] = {sand(TW_CONTACT_HERTZ), sand(TW_CONTACT_HERTZ), sand(TW_CONTACT_HERTZ)};
    tw_contact_law laws[3][3];
    tw_error error;
    m[0].rolling_friction = m[2].rolling_friction = 0.1;
    m[1].young = 4.0 * m[0].young;
    m[1].friction = 0.2;
    m[1].restitution = 0.8;
    m[2].young = 0.5 * m[0].young;
    m[2].restitution = 0.5;
    m[2].tangential_damping = 0.2;
    for (int a = 0; a < 3; a++) {
        for (int b = 0; b < 3; b++)
            laws[a][b] = law_of(&m[a], &m[b]);
    }
    tw_sim_def def = scene_def(g, edge);
    const scene_grains grains = {5, 0.7, 1.02, SCENE_SPHERE, 2, 0.2, 200.0, 41, 56};
    def.periodic[2] = 0;
    def.law = laws[0][0];
    def.gravity = tw_vec3_make(100.0, 0.0, -1000.0);
    def.damping_local = 0.1;
    tw_sim *sim = scene_create(&def);
    if (tw_sim_add_material(sim, "steel", 7800.0, NULL, &error) != TW_STATUS_OK ||
        tw_sim_add_material(sim, "wood", 700.0, NULL, &error) != TW_STATUS_OK ||
        tw_sim_set_laws(sim, &laws[0][0], 9, &error) != TW_STATUS_OK)
        golden_fail("%s", error.text);
    tw_wall_def floor = tw_wall_def_default(), lid = floor;
    floor.material = 1;
    floor.v.x = 0.3;
    lid.material = 2;
    lid.point.z = edge;
    lid.normal.z = -1.0;
    lid.servo = 1;
    lid.force = 10.0;
    lid.v_max = 5.0;
    must_add_wall(sim, &floor);
    must_add_wall(sim, &lid);
    scene_fill(sim, &grains);
    for (uint32_t i = 0; i < tw_sim_body_count(sim); i++) {
        if (tw_sim_set_body_material(sim, i, i % 3, &error) != TW_STATUS_OK)
            golden_fail("%s", error.text);
    }
    const tw_mat3 narrow = {{0.0, 0.0, 0.0, 0.0, -300.0, 0.0, 0.0, 0.0, 0.0}};
    tw_sim_set_velocity_gradient(sim, &narrow);
    scene_run(sim, 500);
    golden_record(g, "filled", sim);
    const tw_contact_law slippery = laws[0][1];
    laws[0][1].mu = laws[1][0].mu = 0.05;
    if (tw_sim_set_laws(sim, &laws[0][0], 9, &error) != TW_STATUS_OK ||
        tw_sim_set_pair_law(sim, 0, 2, &slippery, &error) != TW_STATUS_OK)
        golden_fail("%s", error.text);
    scene_run(sim, 300);
    golden_record(g, "changed", sim);
    tw_sim_free(sim);
}

const golden_scene golden_contact_scenes[] = {
    {"hertz", "spheres with Hertz-Mindlin contacts, squeezed, sheared and turned", play_hertz},
    {"hertz_conventional", "bumpy grains by the conventional law", play_hertz_conventional},
    {"rolling", "linear springs with rolling resistance", play_rolling},
    {"twisting", "Hertz contacts that resist rolling and twisting", play_twisting},
    {"restitution", "damping by ratios, linear and Hertz", play_restitution},
    {"modulus", "stiffness by a modulus and the radii, levers of YADE", play_modulus},
    {"materials", "three materials and walls of two of them", play_materials},
    {NULL, NULL, NULL}};
