/* SPDX-License-Identifier: BSD-3-Clause */
#include "run/surfaces.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <twirl/exchange.h>
#include <twirl/math.h>

#include "base/error.h"
#include "base/file.h"
#include "base/quat.h"
#include "base/text.h"
#include "run/file_list.h"

static tw_vec3 vector_of(const double v[3])
{
    return isnan(v[0]) ? tw_vec3_make(0.0, 0.0, 0.0) : tw_vec3_make(v[0], v[1], v[2]);
}

static tw_status refuse(const char *name, tw_error *error)
{
    const tw_error why = *error;
    return tw_error_set(error, why.status, "surface '%s': %s", name, why.text);
}

/* ---- Motions ---- */

static double or_zero(double value)
{
    return isnan(value) ? 0.0 : value;
}

static tw_wall_motion motion_of(const tw_scenario_move *m)
{
    tw_wall_motion out = {.kind = TW_WALL_MOTION_VELOCITY};
    const tw_scenario_motion *from = &m->rotate;
    if (!isnan(m->velocity[0])) {
        out.along = vector_of(m->velocity);
        return out;
    }
    if (!isnan(m->rotate.rate)) {
        out.kind = TW_WALL_MOTION_ROTATE;
        out.rate = from->rate;
    } else if (!isnan(m->oscillate.amplitude)) {
        from = &m->oscillate;
        out.kind = TW_WALL_MOTION_OSCILLATE;
        out.amplitude = from->amplitude;
    } else if (!isnan(m->swing.angle)) {
        from = &m->swing;
        out.kind = TW_WALL_MOTION_SWING;
        out.amplitude = from->angle;
    } else {
        from = &m->table;
        const tw_scenario_rows *rows = from->points.count > 0 ? &from->points : &from->angles;
        out.kind = rows == &from->points ? TW_WALL_MOTION_TABLE : TW_WALL_MOTION_TABLE_ANGLE;
        out.row = (const tw_wall_motion_row *)(const void *)rows->value; /* time, value */
        out.rows = rows->count;
        out.cubic = from->cubic == 1;
    }
    const bool turns = out.kind == TW_WALL_MOTION_ROTATE || out.kind == TW_WALL_MOTION_SWING ||
                       out.kind == TW_WALL_MOTION_TABLE_ANGLE;
    out.along = vector_of(turns ? from->axis : from->along);
    out.through = vector_of(from->through);
    out.frequency = or_zero(from->frequency);
    out.phase = or_zero(from->phase);
    return out;
}

static tw_status set_motion(tw_sim *sim, size_t wall, const tw_scenario_move *move, size_t count,
                            tw_error *error)
{
    tw_wall_motion parts[TW_WALL_MOTION_PARTS_MAX];
    for (size_t k = 0; k < count; k++)
        parts[k] = motion_of(&move[k]);
    return tw_sim_set_wall_motion(sim, wall, parts, count, error);
}

/* ---- Servos ---- */

/* Of a flat surface [m^2]. */
static double area_of(const tw_scenario_surface *s)
{
    double area = 1.0;
    if (s->form == TW_SCENARIO_FORM_DISC)
        return TW_MATH_PI * (s->radius * s->radius - s->inner_radius * s->inner_radius);
    for (int k = 0; k < 3; k++)
        if (s->to[k] > s->from[k]) area *= s->to[k] - s->from[k];
    return area;
}

/* `of`: the surface that it is of; NULL: one of a checkpoint. */
static void put_servo(const tw_scenario_servo *s, const tw_scenario_surface *of, tw_wall_def *def)
{
    const double area = isnan(s->area) && of ? area_of(of) : s->area;
    def->servo = isnan(s->torque) ? TW_WALL_SERVO_FORCE : TW_WALL_SERVO_TORQUE;
    def->force = or_zero(isnan(s->force) ? s->pressure * area : s->force);
    def->torque = or_zero(s->torque);
    def->v_max = or_zero(isnan(s->torque) ? s->v_max : s->rate_max);
    def->along = vector_of(s->along);
}

/* ---- Forms ---- */

/* Two triangles of the face across an axis, on the low or the high side. */
static tw_status add_face(tw_mesh_soup *soup, const tw_scenario_surface *s, int axis, bool high,
                          uint32_t number, tw_error *error)
{
    const int u = (axis + 1) % 3, v = (axis + 2) % 3;
    double corner[4][3];
    for (int k = 0; k < 4; k++) {
        corner[k][axis] = high ? s->to[axis] : s->from[axis];
        corner[k][u] = k == 1 || k == 2 ? s->to[u] : s->from[u];
        corner[k][v] = k >= 2 ? s->to[v] : s->from[v];
    }
    tw_status status = tw_mesh_soup_add(soup, vector_of(corner[0]), vector_of(corner[1]),
                                        vector_of(corner[2]), number, error);
    if (status == TW_STATUS_OK)
        status = tw_mesh_soup_add(soup, vector_of(corner[0]), vector_of(corner[2]),
                                  vector_of(corner[3]), number, error);
    return status;
}

static bool is_mesh(const tw_scenario_surface *s)
{
    return s->form == TW_SCENARIO_FORM_MESH || s->form == TW_SCENARIO_FORM_BOX ||
           s->form == TW_SCENARIO_FORM_RECTANGLE;
}

static tw_status make_mesh(const tw_scenario_surface *s, tw_mesh *mesh, tw_error *error)
{
    tw_mesh_soup soup = {0};
    tw_status status = TW_STATUS_OK;
    if (s->form == TW_SCENARIO_FORM_MESH) return tw_mesh_read(mesh, s->file, s->scale, error);
    for (int face = 0; face < 6 && status == TW_STATUS_OK; face++) {
        const int axis = face / 2;
        const bool flat = s->from[axis] == s->to[axis];
        const bool wanted =
            s->form == TW_SCENARIO_FORM_BOX ? !(s->open & 1u << face) : flat && face % 2 == 0;
        if (wanted) status = add_face(&soup, s, axis, face % 2 == 1, (uint32_t)face + 1, error);
    }
    if (status == TW_STATUS_OK) status = tw_mesh_make(mesh, &soup, 1.0, error);
    tw_mesh_soup_free(&soup);
    return status;
}

/* The shortest rotation of z onto a direction. */
static tw_quat towards(tw_vec3 axis)
{
    const tw_vec3 a = tw_vec3_scale(1.0 / tw_vec3_norm(axis), axis);
    if (a.z < 0.0 && fabs(a.x) + fabs(a.y) < 1e-9) return (tw_quat){0.0, 1.0, 0.0, 0.0};
    const double w = sqrt(0.5 * (1.0 + a.z)), part = 0.5 / w;
    return (tw_quat){w, -part * a.y, part * a.x, 0.0};
}

/* Corners of a surface of revolution; its own or `corner`. */
static void put_profile(const tw_scenario_surface *s, tw_profile_point corner[2], tw_wall_def *def)
{
    const bool tube = s->form == TW_SCENARIO_FORM_CYLINDER || s->form == TW_SCENARIO_FORM_CONE;
    const tw_vec3 from = vector_of(s->from), way = tw_vec3_sub(vector_of(s->to), from);
    def->form = TW_WALL_PROFILE;
    def->point = tube ? from : vector_of(s->centre);
    def->q = tube                ? towards(way)
             : isnan(s->axis[0]) ? tw_wall_def_default().q
                                 : towards(vector_of(s->axis));
    def->corner = corner;
    def->corners = 2;
    if (s->form == TW_SCENARIO_FORM_PROFILE) {
        def->corner = (const tw_profile_point *)(const void *)s->points.value; /* rho, z */
        def->corners = s->points.count;
        def->closed = s->closed == 1;
    } else if (tube) {
        corner[0] = (tw_profile_point){s->radius, 0.0};
        corner[1] = (tw_profile_point){s->form == TW_SCENARIO_FORM_CONE ? s->radius_to : s->radius,
                                       tw_vec3_norm(way)};
    } else {
        corner[0] = (tw_profile_point){s->inner_radius, 0.0};
        corner[1] = (tw_profile_point){s->radius, 0.0};
    }
}

static tw_status add_surface(const tw_scenario *scenario, const tw_scenario_surface *s, tw_sim *sim,
                             tw_error *error)
{
    tw_wall_def def = tw_wall_def_default();
    tw_profile_point corner[2];
    tw_mesh mesh = {0};
    size_t wall;
    tw_status status = TW_STATUS_OK;
    def.name = s->name;
    if (tw_scenario_has_servo(&s->servo)) put_servo(&s->servo, s, &def);
    def.material = s->material ? (uint32_t)tw_scenario_find_material(scenario, s->material) : 0;
    switch (s->form) {
    case TW_SCENARIO_FORM_PLANE:
        def.point = vector_of(s->point);
        def.normal = vector_of(s->normal);
        break;
    case TW_SCENARIO_FORM_SPHERE:
        def.form = TW_WALL_SPHERE;
        def.point = vector_of(s->centre);
        def.radius = s->inside == 1 ? -s->radius : s->radius;
        break;
    default:
        if (!is_mesh(s)) {
            put_profile(s, corner, &def);
            break;
        }
        status = make_mesh(s, &mesh, error);
        def.form = TW_WALL_MESH;
        def.point = vector_of(s->centre);
        def.mesh = &mesh;
        def.front = s->front == 1;
        break;
    }
    if (status == TW_STATUS_OK) status = tw_sim_add_wall(sim, &def, &wall, error);
    if (status == TW_STATUS_OK && s->present == 0)
        status = tw_sim_set_wall_present(sim, wall, 0, error);
    if (status == TW_STATUS_OK && s->move_count > 0)
        status = set_motion(sim, wall, s->move, s->move_count, error);
    tw_mesh_free(&mesh);
    return status == TW_STATUS_OK ? status : refuse(s->name, error);
}

tw_status tw_run_surfaces_add(const tw_scenario *scenario, tw_sim *sim, tw_error *error)
{
    tw_status status = TW_STATUS_OK;
    for (size_t k = 0; k < scenario->surface_count && status == TW_STATUS_OK; k++)
        status = add_surface(scenario, &scenario->surfaces[k], sim, error);
    return status;
}

/* ---- Grains at the start ---- */

/* Beyond this part of a radius of curvature contacts are not those of a plane. */
#define FIT 0.9

/* Inside a surface of revolution, at a place in its frame: the smallest radius around it; infinity
 * if it is outside. */
static double radius_around(const tw_wall_def *def, tw_vec3 x)
{
    const double rho = sqrt(x.x * x.x + x.y * x.y);
    double least = HUGE_VAL;
    for (size_t k = 0; k + 1 < def->corners + (size_t)(def->closed != 0); k++) {
        const tw_profile_point a = def->corner[k], b = def->corner[(k + 1) % def->corners];
        const double part = (x.z - a.z) / (b.z - a.z);
        const double here = a.rho + part * (b.rho - a.rho);
        if (part >= 0.0 && part <= 1.0 && rho < here) least = tw_math_min(least, here);
    }
    return least;
}

static double room_for(const tw_scenario_surface *s, tw_vec3 x)
{
    tw_profile_point corner[2];
    tw_wall_def def = tw_wall_def_default();
    if (s->form == TW_SCENARIO_FORM_PLANE || is_mesh(s)) return HUGE_VAL;
    if (s->form == TW_SCENARIO_FORM_SPHERE) return s->inside == 1 ? s->radius : HUGE_VAL;
    put_profile(s, corner, &def);
    return radius_around(&def, tw_quat_rotate_back(def.q, tw_vec3_sub(x, def.point)));
}

static tw_status check_fit(const tw_scenario *scenario, tw_sim *sim, tw_error *error)
{
    const size_t count = tw_sim_sphere_count(sim);
    tw_sphere_state *spheres = malloc((count + 1) * sizeof *spheres);
    tw_status status =
        spheres ? tw_sim_get_spheres(sim, spheres, count, error) : tw_error_set_memory(error);
    for (size_t i = 0; i < count * scenario->surface_count && status == TW_STATUS_OK; i++) {
        const tw_sphere_state *g = &spheres[i % count];
        const tw_scenario_surface *s = &scenario->surfaces[i / count];
        const double room = room_for(s, g->x);
        if (g->radius > FIT * room)
            status = tw_error_set(error, TW_STATUS_INPUT,
                                  "grain %u hardly fits into surface '%s': its radius %.4g m is "
                                  "above %g of the radius around it, %.4g m",
                                  g->body, s->name, g->radius, FIT, room);
    }
    free(spheres);
    return status;
}

tw_status tw_run_surfaces_check(const tw_scenario *scenario, tw_sim *sim, tw_error *error)
{
    if (scenario->surface_count == 0) return TW_STATUS_OK;
    const tw_status status = check_fit(scenario, sim, error);
    return status == TW_STATUS_OK ? tw_sim_prepare(sim, error) : status;
}

/* ---- In a run ---- */

size_t tw_run_surfaces_find(const tw_run *run, const char *name)
{
    tw_wall_state wall;
    for (size_t k = 0; k < tw_sim_wall_count(run->sim); k++)
        if (tw_sim_get_wall(run->sim, k, &wall, NULL) == TW_STATUS_OK &&
            strcmp(wall.name, name) == 0)
            return k;
    return SIZE_MAX;
}

static tw_wall_state look(const tw_run *run, const char *name)
{
    tw_wall_state wall;
    const tw_status status =
        tw_sim_get_wall(run->sim, tw_run_surfaces_find(run, name), &wall, NULL);
    return status == TW_STATUS_OK ? wall : (tw_wall_state){.force.x = (double)NAN};
}

static double component(tw_vec3 v, const double along[3])
{
    if (isnan(along[0])) return tw_vec3_norm(v);
    return tw_vec3_dot(v, vector_of(along)) / tw_vec3_norm(vector_of(along));
}

double tw_run_surfaces_force(const tw_run *run, const tw_scenario_reached *of)
{
    return of->surface ? component(look(run, of->surface).force, of->along) : (double)NAN;
}

double tw_run_surfaces_torque(const tw_run *run, const tw_scenario_reached *of)
{
    return of->surface ? component(look(run, of->surface).torque, of->along) : (double)NAN;
}

tw_vec3 tw_run_surfaces_place(const tw_run *run, const tw_scenario_reached *of)
{
    return of->surface ? look(run, of->surface).point : tw_vec3_make(0.0, 0.0, 0.0);
}

static tw_status change(tw_run *run, const tw_scenario_stage_surface *c)
{
    const tw_scenario *all = run->scenario;
    const size_t wall = tw_run_surfaces_find(run, c->name),
                 own = tw_scenario_find_surface(all, c->name);
    const bool servo = tw_scenario_has_servo(&c->servo);
    const bool moves = servo || c->rest == 1 || c->move_count > 0;
    tw_wall_def def = tw_wall_def_default(); /* no servo */
    tw_status status = TW_STATUS_OK;
    if (wall == SIZE_MAX)
        return tw_error_set(run->error, TW_STATUS_INPUT, "neither in `surfaces` nor in the state");
    if (look(run, c->name).servo && (moves || c->present == 0))
        status = tw_sim_set_wall_servo(run->sim, wall, &def, run->error);
    if (status == TW_STATUS_OK && c->present >= 0)
        status = tw_sim_set_wall_present(run->sim, wall, c->present, run->error);
    if (status == TW_STATUS_OK && moves)
        status = set_motion(run->sim, wall, c->move, c->move_count, run->error);
    if (!servo || status != TW_STATUS_OK) return status;
    put_servo(&c->servo, own < all->surface_count ? &all->surfaces[own] : NULL, &def);
    return tw_sim_set_wall_servo(run->sim, wall, &def, run->error);
}

tw_status tw_run_surfaces_begin(tw_run *run, const tw_scenario_stage *stage)
{
    for (size_t k = 0; k < stage->surface_count; k++)
        if (change(run, &stage->surfaces[k]) != TW_STATUS_OK)
            return refuse(stage->surfaces[k].name, run->error);
    return TW_STATUS_OK;
}

/* ---- The meshes of a new run ---- */

static tw_folder_path surface_file(const tw_scenario_surface *s)
{
    tw_folder_path name;
    snprintf(name.text, sizeof name.text, "surfaces/%s.stl", s->name);
    return name;
}

/* With all digits: what is read from it is the same mesh. */
static tw_status write_mesh(tw_run *run, const tw_scenario_surface *s, const tw_mesh *mesh)
{
    tw_text_buffer text = {0};
    const tw_folder_path name = surface_file(s);
    tw_text_buffer_add(&text, "solid %s\n", s->name);
    for (size_t i = 0; i < mesh->facet_count; i++) {
        const uint32_t *at = mesh->facet[i].vertex;
        const tw_vec3 a = mesh->vertex[at[0]];
        const tw_vec3 normal =
            tw_vec3_cross(tw_vec3_sub(mesh->vertex[at[1]], a), tw_vec3_sub(mesh->vertex[at[2]], a));
        const tw_vec3 n = tw_vec3_scale(1.0 / tw_vec3_norm(normal), normal);
        tw_text_buffer_add(&text, "facet normal %g %g %g\n outer loop\n", n.x, n.y, n.z);
        for (int k = 0; k < 3; k++) {
            const tw_vec3 v = tw_vec3_add(mesh->vertex[at[k]], vector_of(s->centre));
            tw_text_buffer_add(&text, "  vertex %.17g %.17g %.17g\n", v.x, v.y, v.z);
        }
        tw_text_buffer_add(&text, " endloop\nendfacet\n");
    }
    tw_text_buffer_add(&text, "endsolid %s\n", s->name);
    const tw_status status = tw_replace_file_text(
        tw_folder_path_join(run->plan->folder, name.text).text, &text, run->error);
    return status == TW_STATUS_OK ? tw_run_files_add(run, name.text, 0.0) : status;
}

/* A length of 10 to 10,000 grains: else it may be in another unit. */
static tw_status log_mesh(tw_run *run, const tw_scenario_surface *s, const tw_mesh *mesh)
{
    const tw_vec3 size = tw_vec3_sub(mesh->high, mesh->low);
    const double ratio = tw_vec3_max_abs(size) / run->grains.diameter;
    tw_status status =
        tw_run_log(run, "surface '%s': %zu facets, %g x %g x %g m, %s", s->name, mesh->facet_count,
                   size.x, size.y, size.z, isnan(mesh->volume) ? "open" : "closed");
    for (int k = 0; k < TW_MESH_FINDINGS && status == TW_STATUS_OK; k++)
        if (mesh->found[k].count > 0 && k != TW_MESH_BOUNDARY)
            status = tw_run_log(run, "surface '%s': %zu %s, first facet %" PRIu32, s->name,
                                mesh->found[k].count, tw_mesh_finding_text((tw_mesh_finding)k),
                                mesh->found[k].first);
    if (status == TW_STATUS_OK && s->form == TW_SCENARIO_FORM_MESH && !(ratio >= 10.0) &&
        ratio > 0.0)
        status = tw_run_warn(run,
                             "surface '%s' is as long as %.3g grains; if its file is not in "
                             "metres, give `scale`",
                             s->name, ratio);
    else if (status == TW_STATUS_OK && s->form == TW_SCENARIO_FORM_MESH && ratio > 1e4)
        status = tw_run_warn(run,
                             "surface '%s' is as long as %.3g grains; if its file is in mm, give "
                             "'scale: 1e-3'",
                             s->name, ratio);
    return status;
}

tw_status tw_run_surfaces_write(tw_run *run)
{
    const tw_scenario *scenario = run->scenario;
    tw_status status = TW_STATUS_OK;
    for (size_t k = 0; k < scenario->surface_count && status == TW_STATUS_OK; k++) {
        const tw_scenario_surface *s = &scenario->surfaces[k];
        tw_mesh mesh = {0};
        if (!is_mesh(s)) continue;
        status =
            tw_folder_make(tw_folder_path_join(run->plan->folder, "surfaces").text, run->error);
        if (status == TW_STATUS_OK) status = make_mesh(s, &mesh, run->error);
        if (status == TW_STATUS_OK) status = write_mesh(run, s, &mesh);
        if (status == TW_STATUS_OK) status = log_mesh(run, s, &mesh);
        tw_mesh_free(&mesh);
    }
    return status;
}
