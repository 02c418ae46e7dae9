/* SPDX-License-Identifier: BSD-3-Clause */
/* Scenes with grains: shapes, sizes, walls, damping, and enough bodies for several threads. */
#include "../must.h"
#include "scene.h"

static const double gap = 1.98 * SCENE_GRAIN;

static const tw_mat3 squeeze = {{-80.0, 0.0, 100.0, 10.0, -60.0, 0.0, 0.0, 0.0, -70.0}};
static const tw_mat3 squeeze_fast = {{-700.0, 0.0, 200.0, 50.0, -600.0, 0.0, 0.0, 0.0, -650.0}};

static void play_spheres(golden *g)
{
    tw_sim_def def = scene_def(g, 6 * gap);
    const scene_grains grains = {6, 0.93, 1.02, SCENE_SPHERE, 1, 0.2, 200.0, 0, 21};
    def.law.nu_n = def.law.nu_t = 0.1;
    def.damping_mass = 500.0;
    tw_sim *sim = scene_create(&def);
    scene_fill(sim, &grains);
    tw_sim_set_velocity_gradient(sim, &squeeze);
    scene_run(sim, 1000);
    golden_record(g, "squeezed", sim);
    const tw_mat3 back = {{40.0, 0.0, -60.0, 0.0, 20.0, 0.0, 0.0, 0.0, 10.0}};
    tw_sim_set_velocity_gradient(sim, &back);
    scene_run(sim, 1000);
    golden_record(g, "released", sim);
    tw_sim_free(sim);
}

static void play_clusters(golden *g)
{
    tw_sim_def def = scene_def(g, 5 * gap);
    const scene_grains grains = {5, 0.93, 1.02, SCENE_TETRA, 2, 0.2, 200.0, 0, 22};
    def.law.nu_n = def.law.nu_t = 0.1;
    def.damping_mass = 500.0;
    tw_sim *sim = scene_create(&def);
    scene_fill(sim, &grains);
    tw_sim_set_velocity_gradient(sim, &squeeze_fast);
    scene_run(sim, 600);
    golden_record(g, "squeezed", sim);
    scene_set_damping(sim, 0.0, 300.0, 0.3);
    const tw_mat3 shear = {{0.0, 300.0, 0.0, 0.0, 0.0, 0.0, 100.0, 0.0, 0.0}};
    tw_sim_set_velocity_gradient(sim, &shear);
    scene_run(sim, 600);
    golden_record(g, "sheared", sim);
    tw_sim_free(sim);
}

/* Five shapes, sizes from 0.4 to 1.05, in a skew cell sheared until its edges are reduced. */
static void play_mixture(golden *g)
{
    tw_sim_def def = scene_skew_def(g, 4 * gap);
    const scene_grains grains = {4, 0.4, 1.05, SCENE_SPHERE, SCENE_SHAPES, 0.5, 300.0, 0, 23};
    def.mass_scale = 2.0;
    def.dt_fraction = 0.4;
    tw_sim *sim = scene_create(&def);
    scene_fill(sim, &grains);
    scene_press(sim, 0.05, 300);
    scene_set_friction(sim, 0.5);
    golden_record(g, "pressed", sim);
    const tw_mat3 shear = {{0.0, 0.0, 200.0, 0.0, -5.0, 0.0, 0.0, 0.0, -5.0}};
    tw_sim_set_velocity_gradient(sim, &shear);
    scene_run(sim, 600);
    golden_record(g, "sheared", sim);
    tw_sim_free(sim);
}

static void add_wall(tw_sim *sim, const tw_wall_def *wall)
{
    must_add_wall(sim, wall);
}

/* Grains between a moving floor, a lid under a given force, two side walls and a slope; some are
 * fixed. */
static void play_box(golden *g)
{
    const double edge = 5 * gap;
    tw_sim_def def = scene_def(g, edge);
    const scene_grains grains = {5,     0.8, 1.02, SCENE_SPHERE, SCENE_LOPSIDED + 1, 0.2,
                                 200.0, 37,  24};
    def.periodic[0] = def.periodic[2] = 0;
    def.gravity = tw_vec3_make(100.0, 0.0, -3000.0);
    def.law.nu_n = def.law.nu_t = 0.1;
    def.damping_local = 0.2;
    def.damping_spin = 20.0;
    tw_sim *sim = scene_create(&def);
    tw_wall_def floor = tw_wall_def_default(), lid = floor, slope = floor, side = floor;
    floor.v.x = 0.3;
    lid.point.z = edge;
    lid.normal.z = -1.0;
    lid.servo = 1;
    lid.force = 20.0;
    lid.v_max = 10.0;
    slope.point.z = -0.1 * edge;
    slope.normal = tw_vec3_make(0.1, 0.0, 1.0);
    side.normal = tw_vec3_make(1.0, 0.0, 0.0);
    add_wall(sim, &floor);
    add_wall(sim, &lid);
    add_wall(sim, &slope);
    add_wall(sim, &side);
    side.point.x = edge;
    side.normal.x = -1.0;
    add_wall(sim, &side);
    scene_fill(sim, &grains);
    const tw_mat3 narrow = {{0.0, 0.0, 0.0, 0.0, -400.0, 0.0, 0.0, 0.0, 0.0}};
    tw_sim_set_velocity_gradient(sim, &narrow);
    scene_run(sim, 1000);
    golden_record(g, "filled", sim);
    const tw_mat3 still = {{0.0}};
    tw_sim_set_velocity_gradient(sim, &still);
    must_set_wall_velocity(sim, 0, tw_vec3_make(0.0, -0.5, 0.2));
    tw_sim_set_gravity(sim, tw_vec3_make(0.0, 200.0, -9.81));
    scene_run(sim, 1000);
    golden_record(g, "moved", sim);
    tw_sim_free(sim);
}

/* A bowl of triangles about the origin, of this width. */
static tw_mesh make_bowl(double width)
{
    enum { CELLS = 14 };
    tw_mesh_soup soup = {0};
    tw_mesh mesh;
    tw_vec3 x[CELLS + 1][CELLS + 1];
    for (int i = 0; i <= CELLS; i++)
        for (int j = 0; j <= CELLS; j++) {
            const double u = (double)i / CELLS - 0.5, v = (double)j / CELLS - 0.5;
            x[i][j] = tw_vec3_make(width * u, width * v, width * (u * u + v * v));
        }
    for (int i = 0; i < CELLS; i++)
        for (int j = 0; j < CELLS; j++) {
            const uint32_t number = (uint32_t)(2 * (i * CELLS + j));
            tw_mesh_soup_add(&soup, x[i][j], x[i + 1][j], x[i + 1][j + 1], number, NULL);
            tw_mesh_soup_add(&soup, x[i][j], x[i + 1][j + 1], x[i][j + 1], number + 1, NULL);
        }
    if (tw_mesh_make(&mesh, &soup, 1.0, NULL) != TW_STATUS_OK) mesh.facet_count = 0;
    tw_mesh_soup_free(&soup);
    return mesh;
}

/* Grains in a bowl that turns and a cylinder that tilts, over a ball that rises and a plane that
 * turns. */
static void play_surfaces(golden *g)
{
    const double edge = 5 * gap;
    const tw_profile_point corner[] = {{0.75 * edge, -edge}, {0.75 * edge, 0.0}, {edge, edge}};
    const tw_vec3 centre = {0.5 * edge, 0.5 * edge, -0.2 * edge};
    const scene_grains grains = {5,     0.8, 1.02, SCENE_SPHERE, SCENE_LOPSIDED + 1, 0.2,
                                 200.0, 41,  27};
    tw_sim_def def = scene_def(g, edge);
    for (int k = 0; k < 3; k++)
        def.periodic[k] = 0;
    def.gravity = tw_vec3_make(100.0, 0.0, -3000.0);
    def.law.nu_n = def.law.nu_t = 0.05;
    def.law.k_r = 0.3 * def.law.kn;
    def.law.mu_r = 0.1;
    tw_sim *sim = scene_create(&def);
    tw_mesh bowl = make_bowl(2.5 * edge);
    tw_wall_def wall = tw_wall_def_default();
    wall.form = TW_WALL_MESH;
    wall.mesh = &bowl;
    wall.point = centre;
    wall.spin = tw_vec3_make(3.0, 0.0, 60.0);
    add_wall(sim, &wall);
    wall.form = TW_WALL_PROFILE;
    wall.corner = corner;
    wall.corners = sizeof corner / sizeof *corner;
    wall.spin = tw_vec3_make(0.0, 4.0, -50.0);
    add_wall(sim, &wall);
    wall.form = TW_WALL_SPHERE;
    wall.radius = 0.3 * edge;
    wall.point.z = -0.4 * edge;
    wall.v.z = 0.02;
    add_wall(sim, &wall);
    wall = tw_wall_def_default();
    wall.point.z = -0.15 * edge;
    wall.spin.z = 40.0;
    add_wall(sim, &wall);
    tw_mesh_free(&bowl);
    scene_fill(sim, &grains);
    scene_run(sim, 1500);
    golden_record(g, "filled", sim);
    must_set_wall_velocity(sim, 0, tw_vec3_make(0.05, 0.0, 0.0));
    scene_run(sim, 1000);
    golden_record(g, "moved", sim);
    tw_sim_free(sim);
}

static void set_motion(tw_sim *sim, const tw_wall_def *wall, const tw_wall_motion *parts,
                       size_t count)
{
    tw_error error;
    const size_t number = must_add_wall(sim, wall);
    must_succeed(tw_sim_set_wall_motion(sim, number, parts, count, &error), &error);
}

/* Grains in a bowl that swings and turns and a cylinder that goes to and fro and turns, over a ball
 * and between planes that follow tables. */
static void play_driven(golden *g)
{
    static const tw_wall_motion_row row[] = {
        {0.0, 0.0}, {4e-4, 1e-4}, {9e-4, -5e-5}, {1.8e-3, 1.5e-4}, {3e-3, 0.0}};
    const double edge = 5 * gap;
    const tw_profile_point corner[] = {
        {0.73 * edge, -edge}, {0.73 * edge, 0.5 * edge}, {edge, edge}};
    const tw_vec3 centre = {0.5 * edge, 0.5 * edge, -0.2 * edge}, up = {0.0, 0.0, 1.0};
    const scene_grains grains = {5,     0.8, 1.02, SCENE_SPHERE, SCENE_LOPSIDED + 1, 2.0,
                                 200.0, 43,  28};
    const tw_wall_motion velocity = {.kind = TW_WALL_MOTION_VELOCITY, .along = {0.1, 0.05, 0.0}};
    tw_wall_motion turn = {.kind = TW_WALL_MOTION_ROTATE, .along = up, .rate = 60.0};
    tw_wall_motion sway = {.kind = TW_WALL_MOTION_OSCILLATE, .along = {0.3, -1.0, 0.1}};
    tw_wall_motion swing = {.kind = TW_WALL_MOTION_SWING, .along = {1.0, 0.2, 0.0}};
    tw_wall_motion table = {.kind = TW_WALL_MOTION_TABLE, .along = up, .row = row, .rows = 5};
    tw_wall_motion angle = table;
    turn.through = swing.through = angle.through = centre;
    sway.amplitude = 1e-4;
    swing.amplitude = 0.03;
    sway.frequency = swing.frequency = 400.0;
    swing.phase = 1.0;
    angle.kind = TW_WALL_MOTION_TABLE_ANGLE;
    tw_sim_def def = scene_def(g, edge);
    for (int k = 0; k < 3; k++)
        def.periodic[k] = 0;
    def.gravity = tw_vec3_make(100.0, 0.0, -3000.0);
    def.law.nu_n = def.law.nu_t = 0.05;
    tw_sim *sim = scene_create(&def);
    tw_mesh bowl = make_bowl(2.5 * edge);
    tw_wall_def wall = tw_wall_def_default();
    const tw_wall_motion two[] = {swing, turn}, three[] = {sway, angle, turn};
    wall.form = TW_WALL_MESH;
    wall.mesh = &bowl;
    wall.point = centre;
    set_motion(sim, &wall, two, 2);
    wall.form = TW_WALL_PROFILE;
    wall.corner = corner;
    wall.corners = sizeof corner / sizeof *corner;
    set_motion(sim, &wall, three, 3);
    wall.form = TW_WALL_SPHERE;
    wall.radius = 0.3 * edge;
    wall.point.z = -0.32 * edge;
    table.cubic = 1;
    set_motion(sim, &wall, &table, 1);
    wall = tw_wall_def_default();
    wall.point.z = -0.15 * edge;
    set_motion(sim, &wall, &velocity, 1);
    wall.point.z = edge;
    wall.normal.z = -1.0;
    table.cubic = 0;
    set_motion(sim, &wall, &table, 1);
    tw_mesh_free(&bowl);
    scene_fill(sim, &grains);
    scene_run(sim, 2000);
    golden_record(g, "filled", sim);
    scene_run(sim, 800);
    golden_record(g, "moved", sim);
    tw_sim_free(sim);
}

/* Grains in a can that a torque turns about a horizontal axis, under a disc that is pressed into
 * them and turns; then a torque turns this, too. */
static void play_servos(golden *g)
{
    const double edge = 5 * gap;
    const tw_profile_point can[] = {
        {0.0, -0.9 * edge}, {0.84 * edge, -0.9 * edge}, {0.84 * edge, 0.9 * edge}};
    const tw_profile_point disc[] = {{0.0, 0.0}, {0.6 * edge, 0.0}};
    const scene_grains grains = {5,     0.8, 1.02, SCENE_SPHERE, SCENE_LOPSIDED + 1, 0.2,
                                 200.0, 41,  29};
    tw_sim_def def = scene_def(g, edge);
    for (int k = 0; k < 3; k++)
        def.periodic[k] = 0;
    def.gravity = tw_vec3_make(100.0, 0.0, -8000.0);
    def.law.nu_n = def.law.nu_t = 0.05;
    def.law.k_r = 0.3 * def.law.kn;
    def.law.mu_r = 0.1;
    tw_sim *sim = scene_create(&def);
    tw_wall_def wall = tw_wall_def_default();
    wall.form = TW_WALL_PROFILE;
    wall.corner = can;
    wall.corners = sizeof can / sizeof *can;
    wall.point = tw_vec3_make(0.5 * edge, 0.5 * edge, 0.5 * edge);
    wall.q = (tw_quat){0.8, -0.6, 0.0, 0.0};
    wall.servo = TW_WALL_SERVO_TORQUE;
    wall.along = tw_vec3_make(0.0, 2.0, 0.3);
    wall.torque = 5e-3;
    wall.v_max = 50.0;
    add_wall(sim, &wall);
    wall.corner = disc;
    wall.corners = 2;
    wall.q = tw_wall_def_default().q;
    wall.point.z = 1.05 * edge;
    wall.servo = TW_WALL_SERVO_FORCE;
    wall.along = tw_vec3_make(0.1, 0.0, -1.0);
    wall.force = 3.0;
    wall.v_max = 5.0;
    wall.spin.z = 20.0;
    add_wall(sim, &wall);
    scene_fill(sim, &grains);
    scene_run(sim, 2500);
    golden_record(g, "pressed", sim);
    wall.spin.z = 0.0;
    wall.servo = TW_WALL_SERVO_TORQUE;
    wall.along = tw_vec3_make(0.0, 0.0, 1.0);
    wall.torque = 2e-3;
    wall.v_max = 0.0;
    must_set_wall_servo(sim, 1, &wall);
    scene_run(sim, 150);
    golden_record(g, "turned", sim);
    tw_sim_free(sim);
}

/* Above 2000 bodies every loop of the engine runs in parallel. */
static void play_crowd(golden *g)
{
    tw_sim_def def = scene_def(g, 13 * gap);
    const scene_grains grains = {13, 0.93, 1.02, SCENE_SPHERE, 1, 0.2, 200.0, 0, 25};
    def.law.nu_n = def.law.nu_t = 0.1;
    tw_sim *sim = scene_create(&def);
    scene_fill(sim, &grains);
    tw_sim_set_velocity_gradient(sim, &squeeze);
    scene_run(sim, 200);
    golden_record(g, "squeezed", sim);
    const double p = must_measure(sim).p;
    const tw_control control = scene_isotropic(0.9 * p, 0.0);
    scene_control(sim, &control);
    scene_run(sim, 200);
    golden_record(g, "held", sim);
    tw_sim_free(sim);
}

static void play_crowd_clusters(golden *g)
{
    tw_sim_def def = scene_def(g, 11 * gap);
    const scene_grains grains = {11,    0.93, 1.02, SCENE_SPHERE, SCENE_LOPSIDED + 1, 0.2,
                                 200.0, 0,    26};
    def.law.nu_n = def.law.nu_t = 0.1;
    def.damping_mass = 500.0;
    tw_sim *sim = scene_create(&def);
    scene_fill(sim, &grains);
    tw_sim_set_velocity_gradient(sim, &squeeze_fast);
    scene_run(sim, 300);
    golden_record(g, "squeezed", sim);
    tw_sim_free(sim);
}

const golden_scene golden_grain_scenes[] = {
    {"spheres", "spheres compressed, sheared, released; contact and mass damping", play_spheres},
    {"clusters", "clusters of two shapes; all kinds of damping", play_clusters},
    {"mixture", "five shapes of many sizes in a skew cell; scaled masses", play_mixture},
    {"box", "walls, one of them servo-controlled, gravity, fixed bodies", play_box},
    {"surfaces", "a mesh, a profile, a sphere and a plane that turn", play_surfaces},
    {"driven", "walls of every form with motions of every kind", play_driven},
    {"servos", "a can that a torque turns, a disc that is pressed and turned", play_servos},
    {"crowd", "2197 spheres, for threads", play_crowd},
    {"crowd_clusters", "1331 spheres and clusters, for threads", play_crowd_clusters},
    {0}};
