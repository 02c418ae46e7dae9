/* SPDX-License-Identifier: BSD-3-Clause */
#include "surface.h"

tw_sim *make_scene(const char *device, const tw_contact_law *law, double along, double gravity,
                   double dt)
{
    tw_sim_def def = scene_open_cube(1.0, law);
    def.gravity = tw_vec3_make(along, 0.0, -gravity);
    def.dt = dt;
    def.density = 3.0 / (4.0 * CHECK_PI);
    def.skin = 0.1;
    def.device = device;
    return scene_create(&def);
}

void add_ball(tw_sim *sim, tw_vec3 x, tw_vec3 v, tw_vec3 w)
{
    const tw_body_def body = scene_sphere(1.0, x, v, w);
    scene_add(sim, &body);
}

tw_wall_def plane(tw_vec3 point, tw_vec3 normal)
{
    tw_wall_def def = tw_wall_def_default();
    def.point = point;
    def.normal = normal;
    return def;
}

size_t add_wall(tw_sim *sim, const tw_wall_def *def)
{
    size_t number;
    tw_error error;
    if (tw_sim_add_wall(sim, def, &number, &error) != TW_STATUS_OK) fail_msg("%s", error.text);
    return number;
}

void triangle(tw_mesh_soup *soup, tw_vec3 a, tw_vec3 b, tw_vec3 c)
{
    assert_int_equal(tw_mesh_soup_add(soup, a, b, c, (uint32_t)soup->count + 1, NULL),
                     TW_STATUS_OK);
}

size_t add_mesh(tw_sim *sim, tw_mesh_soup *soup)
{
    tw_wall_def def = tw_wall_def_default();
    tw_mesh mesh;
    tw_error error;
    if (tw_mesh_make(&mesh, soup, 1.0, &error) != TW_STATUS_OK) fail_msg("%s", error.text);
    def.form = TW_WALL_MESH;
    def.mesh = &mesh;
    const size_t number = add_wall(sim, &def);
    tw_mesh_free(&mesh);
    tw_mesh_soup_free(soup);
    return number;
}

void add_patch(tw_mesh_soup *soup, int m, int n, place at, void *context)
{
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++) {
            const tw_vec3 a = at(context, (double)i / m, (double)j / n),
                          b = at(context, (double)(i + 1) / m, (double)j / n),
                          c = at(context, (double)(i + 1) / m, (double)(j + 1) / n),
                          d = at(context, (double)i / m, (double)(j + 1) / n);
            triangle(soup, a, b, c);
            triangle(soup, a, c, d);
        }
}

tw_body_state ball_of(const tw_sim *sim, uint32_t id)
{
    tw_body_state b;
    assert_int_equal(tw_sim_get_body(sim, id, &b, NULL), TW_STATUS_OK);
    return b;
}

void add_led_ball(tw_sim *sim, tw_vec3 x)
{
    const tw_vec3 none = {0.0, 0.0, 0.0};
    tw_body_def body = scene_sphere(1.0, x, none, none);
    body.fixed = 1;
    scene_add(sim, &body);
}

void lead(tw_sim *sim, double dt, tw_vec3 to, tw_vec3 w)
{
    const tw_vec3 way = tw_vec3_sub(to, ball_of(sim, 0).x);
    tw_error error;
    if (tw_sim_set_body_velocity(sim, 0, tw_vec3_scale(1.0 / dt, way), w, &error) != TW_STATUS_OK)
        fail_msg("%s", error.text);
    scene_run(sim, 1);
}
