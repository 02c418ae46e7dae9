/* SPDX-License-Identifier: BSD-3-Clause */
#define _POSIX_C_SOURCE 200809L /* mkdtemp */
#include "tensor.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "../must.h"

tw_mat3 tensor_zero(void)
{
    return tensor_diagonal(0.0, 0.0, 0.0);
}

tw_mat3 tensor_diagonal(double a, double b, double c)
{
    const tw_mat3 r = {{a, 0.0, 0.0, 0.0, b, 0.0, 0.0, 0.0, c}};
    return r;
}

tw_mat3 tensor_of_columns(tw_vec3 a, tw_vec3 b, tw_vec3 c)
{
    const tw_mat3 r = {{a.x, b.x, c.x, a.y, b.y, c.y, a.z, b.z, c.z}};
    return r;
}

tw_mat3 tensor_mul(tw_mat3 a, tw_mat3 b)
{
    tw_mat3 r;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            r.m[3 * i + j] =
                a.m[3 * i] * b.m[j] + a.m[3 * i + 1] * b.m[3 + j] + a.m[3 * i + 2] * b.m[6 + j];
    return r;
}

tw_mat3 tensor_transpose(tw_mat3 a)
{
    const tw_mat3 r = {{a.m[0], a.m[3], a.m[6], a.m[1], a.m[4], a.m[7], a.m[2], a.m[5], a.m[8]}};
    return r;
}

tw_mat3 tensor_add_scaled(tw_mat3 a, double s, tw_mat3 b)
{
    for (int k = 0; k < 9; k++)
        a.m[k] += s * b.m[k];
    return a;
}

tw_mat3 tensor_outer(tw_vec3 a, tw_vec3 b)
{
    const tw_mat3 r = {{a.x * b.x, a.x * b.y, a.x * b.z, a.y * b.x, a.y * b.y, a.y * b.z, a.z * b.x,
                        a.z * b.y, a.z * b.z}};
    return r;
}

tw_vec3 tensor_apply(tw_mat3 a, tw_vec3 v)
{
    return tw_vec3_make(a.m[0] * v.x + a.m[1] * v.y + a.m[2] * v.z,
                        a.m[3] * v.x + a.m[4] * v.y + a.m[5] * v.z,
                        a.m[6] * v.x + a.m[7] * v.y + a.m[8] * v.z);
}

tw_vec3 tensor_column(tw_mat3 a, int column)
{
    return tw_vec3_make(a.m[column], a.m[3 + column], a.m[6 + column]);
}

double tensor_det(tw_mat3 a)
{
    return tw_vec3_dot(tensor_column(a, 0),
                       tw_vec3_cross(tensor_column(a, 1), tensor_column(a, 2)));
}

tw_mat3 tensor_inverse(tw_mat3 a)
{
    const tw_vec3 u = tensor_column(a, 0), v = tensor_column(a, 1), w = tensor_column(a, 2);
    const double inv = 1.0 / tensor_det(a);
    return tensor_transpose(tensor_of_columns(tw_vec3_scale(inv, tw_vec3_cross(v, w)),
                                              tw_vec3_scale(inv, tw_vec3_cross(w, u)),
                                              tw_vec3_scale(inv, tw_vec3_cross(u, v))));
}

double tensor_norm(tw_mat3 a)
{
    double sum = 0.0;
    for (int k = 0; k < 9; k++)
        sum += a.m[k] * a.m[k];
    return sqrt(sum);
}

double tensor_distance(tw_mat3 a, tw_mat3 b)
{
    return tensor_norm(tensor_add_scaled(a, -1.0, b));
}

tw_mat3 tensor_rotation(tw_vec3 turn)
{
    return tensor_of_columns(support_rotate(tw_vec3_make(1.0, 0.0, 0.0), turn),
                             support_rotate(tw_vec3_make(0.0, 1.0, 0.0), turn),
                             support_rotate(tw_vec3_make(0.0, 0.0, 1.0), turn));
}

static support_spin spin_of(tw_quat q)
{
    const support_spin spin = {q.w, {q.x, q.y, q.z}};
    return spin;
}

tw_mat3 tensor_of_quat(tw_quat q)
{
    const support_spin none = {1.0, {0.0, 0.0, 0.0}};
    return tensor_rotation(support_spin_between(none, spin_of(q)));
}

tw_mat3 tensor_turned(tw_mat3 a, tw_mat3 r)
{
    return tensor_mul(tensor_mul(r, a), tensor_transpose(r));
}

tw_quat tensor_quat(tw_vec3 turn)
{
    const double angle = tw_vec3_norm(turn);
    if (!(angle > 0.0)) return (tw_quat){1.0, 0.0, 0.0, 0.0};
    const support_spin spin = support_spin_about(turn, angle);
    return (tw_quat){spin.w, spin.v.x, spin.v.y, spin.v.z};
}

tw_quat tensor_quat_mul(tw_quat a, tw_quat b)
{
    const support_spin c = support_spin_compose(spin_of(a), spin_of(b));
    return (tw_quat){c.w, c.v.x, c.v.y, c.v.z};
}

tw_vec3 tensor_turn_between(tw_quat from, tw_quat to)
{
    return support_spin_between(spin_of(from), spin_of(to));
}

tw_vec3 tensor_random_turn(support_random *random)
{
    const tw_vec3 axis = support_unit(random);
    return tw_vec3_scale(support_uniform(random, 0.0, 3.1), axis);
}

static double test_scale(void)
{
    const char *text = getenv("TWIRL_TEST_SCALE");
    return text != NULL ? atof(text) : 1.0;
}

int scene_cases(int count)
{
    return (int)fmin(fmax(test_scale() * count, 1.0), 1e8);
}

int scene_thorough(void)
{
    return test_scale() >= 1.0;
}

static void scene_ok(tw_status status, const tw_error *error)
{
    if (status == TW_STATUS_OK) return;
    fail_msg("%s: %s", tw_status_text(status), error->text);
}

tw_sim *scene_create(const tw_sim_def *def)
{
    tw_error error = {TW_STATUS_OK, ""};
    tw_sim *sim = tw_sim_create(def, &error);
    if (sim == NULL) fail_msg("no simulation: %s", error.text);
    return sim;
}

void scene_add(tw_sim *sim, const tw_body_def *body)
{
    tw_error error = {TW_STATUS_OK, ""};
    scene_ok(tw_sim_add_body(sim, body, NULL, &error), &error);
}

void scene_run(tw_sim *sim, uint64_t steps)
{
    tw_error error = {TW_STATUS_OK, ""};
    scene_ok(tw_sim_run(sim, steps, &error), &error);
}

void scene_set_law(tw_sim *sim, const tw_contact_law *law)
{
    tw_error error = {TW_STATUS_OK, ""};
    scene_ok(tw_sim_set_law(sim, law, &error), &error);
}

void scene_set_damping(tw_sim *sim, double mass, double spin, double local)
{
    tw_error error = {TW_STATUS_OK, ""};
    scene_ok(tw_sim_set_damping(sim, mass, spin, local, &error), &error);
}

tw_sim_def scene_open_cube(double edge, const tw_contact_law *law)
{
    tw_sim_def def = tw_sim_def_default();
    def.cell = tensor_diagonal(edge, edge, edge);
    def.periodic[0] = def.periodic[1] = def.periodic[2] = 0;
    def.law = *law;
    def.threads = 1;
    return def;
}

tw_body_def scene_sphere(double radius, tw_vec3 x, tw_vec3 v, tw_vec3 w)
{
    tw_body_def body = tw_body_def_default();
    body.size = radius;
    body.x = x;
    body.v = v;
    body.w = w;
    return body;
}

scene_file scene_file_make(void)
{
    scene_file file;
    const char *place = getenv("TMPDIR");
    (void)snprintf(file.folder, sizeof file.folder, "%.40s/twirl-XXXXXX",
                   place && *place ? place : "/tmp");
    if (!mkdtemp(file.folder)) fail_msg("cannot create %s", file.folder);
    (void)snprintf(file.path, sizeof file.path, "%s/state.h5", file.folder);
    return file;
}

void scene_file_remove(const scene_file *file)
{
    (void)remove(file->path);
    if (rmdir(file->folder) != 0) fail_msg("cannot remove %s", file->folder);
}

tw_sim *scene_copy(const tw_sim *sim)
{
    const scene_file file = scene_file_make();
    tw_error error = {TW_STATUS_OK, ""};
    scene_ok(tw_sim_save(sim, file.path, &error), &error);
    tw_sim *copy = tw_sim_load(file.path, &error);
    scene_file_remove(&file);
    if (copy == NULL) fail_msg("no copy: %s", error.text);
    return copy;
}

tw_contact_state *scene_contacts(const tw_sim *sim, size_t *count)
{
    *count = must_contacts(sim);
    tw_contact_state *all = malloc((*count + 1) * sizeof *all);
    assert_non_null(all);
    must_get_contacts(sim, all);
    return all;
}
