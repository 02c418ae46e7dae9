/* SPDX-License-Identifier: BSD-3-Clause */
/* Writes every kind of file from small simulations, and reference values as JSON, for the tests
 * in Python.
 *
 *     exchange_sample DIRECTORY
 *
 * sheared: a periodic, upper triangular cell with spheres and clusters that touch across its faces.
 * gaps:    the same, of which bodies have left between the frames.
 * box:     a cell not in LAMMPS' frame, not periodic along its third edge, with spheres on a wall.
 * hopper:  an open cell with spheres in a cone on a plane, and a plate of two triangles.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <twirl/exchange.h>

#include "../must.h"
#include "../seed.h"

enum { SPHERES_MAX = 1000, CONTACTS_MAX = 5000 };

static void stop(const char *what, const tw_error *error)
{
    fprintf(stderr, "exchange_sample: %s: %s\n", what, error->text);
    exit(1);
}

static tw_sim *make(const tw_mat3 *cell, int open_edge)
{
    tw_error error;
    tw_sim_def def = tw_sim_def_default();
    def.cell = *cell;
    if (open_edge >= 0) def.periodic[open_edge] = 0;
    def.law.kn = def.law.kt = 1e5;
    def.law.mu = 0.05;
    def.law.k_r = 4e4;
    def.law.mu_r = 0.1;
    def.law.nu_n = def.law.nu_t = 2.0;
    def.damping_mass = 5.0;
    tw_sim *sim = tw_sim_create(&def, &error);
    if (!sim) stop("create", &error);
    return sim;
}

/* A lattice of bodies with small overlaps, every second one a cluster. */
static void fill(tw_sim *sim, int rows, double size, uint32_t shapes)
{
    tw_error error;
    const tw_mat3 cell = tw_sim_cell(sim);
    const double *m = cell.m;
    uint64_t seed = seed_or(0);
    for (int i = 0; i < rows * rows * rows; i++) {
        const double s[3] = {(0.25 + i % rows) / rows, (0.25 + i / rows % rows) / rows,
                             (0.25 + i / rows / rows) / rows};
        tw_body_def body = tw_body_def_default();
        body.shape = (uint32_t)i % shapes;
        body.size = body.shape ? 0.83 * size : size;
        body.x = tw_vec3_make(m[0] * s[0] + m[1] * s[1] + m[2] * s[2],
                              m[3] * s[0] + m[4] * s[1] + m[5] * s[2],
                              m[6] * s[0] + m[7] * s[1] + m[8] * s[2]);
        body.x.x += seed_jitter(&seed, 1e-4);
        body.x.y += seed_jitter(&seed, 1e-4);
        body.x.z += seed_jitter(&seed, 1e-4);
        const tw_quat q = {1.0, 0.1 * i, 0.2, -0.05 * i};
        body.q = q;
        body.v = tw_vec3_make(0.01 * (i % 5), -0.02 * (i % 3), 0.01);
        body.w = tw_vec3_make(0.5, -0.3 * (i % 2), 0.2);
        body.type = 1 + (uint32_t)i % 3;
        if (tw_sim_add_body(sim, &body, NULL, &error) != TW_STATUS_OK) stop("body", &error);
    }
}

static void print_vec(FILE *file, const char *name, tw_vec3 v)
{
    fprintf(file, "\"%s\": [%.17g, %.17g, %.17g]", name, v.x, v.y, v.z);
}

static void print_spheres(FILE *file, const tw_sim *sim)
{
    static tw_sphere_state spheres[SPHERES_MAX];
    const size_t count = tw_sim_sphere_count(sim);
    if (count > SPHERES_MAX) exit(1);
    tw_sim_get_spheres(sim, spheres, SPHERES_MAX, NULL);
    fprintf(file, "\"spheres\": [");
    for (size_t i = 0; i < count; i++) {
        const tw_sphere_state *s = &spheres[i];
        const tw_body_state body = must_body(sim, s->body);
        fprintf(file, "%s\n{\"body\": %" PRIu32 ", \"member\": %" PRIu32 ", \"shape\": %" PRIu32,
                i ? "," : "", s->body, s->member, body.shape);
        fprintf(file, ", \"radius\": %.17g, ", s->radius);
        print_vec(file, "x", s->x);
        fprintf(file, ", ");
        print_vec(file, "centre", body.x);
        fprintf(file, ", ");
        print_vec(file, "v", body.v_half);
        fprintf(file, ", ");
        print_vec(file, "w", body.w_half);
        fprintf(file, ", \"type\": %" PRIu32 ", \"volume\": %.17g, ", body.type,
                body.mass / tw_sim_get_definition(sim).density);
        print_vec(file, "displacement", body.displacement);
        fprintf(file, "}");
    }
    fprintf(file, "],\n");
}

static void print_contacts(FILE *file, const tw_sim *sim)
{
    static tw_contact_state contacts[CONTACTS_MAX];
    const size_t count = must_contacts(sim);
    if (count > CONTACTS_MAX) exit(1);
    must_get_contacts(sim, contacts);
    fprintf(file, "\"contacts\": [");
    for (size_t i = 0; i < count; i++) {
        const tw_contact_state *c = &contacts[i];
        fprintf(file, "%s\n{\"body_p\": %ld, \"body_q\": %ld, \"member_p\": %ld, \"member_q\": %ld",
                i ? "," : "", (long)c->body_p, c->body_q == TW_NO_BODY ? -1L : (long)c->body_q,
                (long)c->member_p, (long)c->member_q);
        fprintf(file,
                ", \"shift\": [%d, %d, %d], \"fn\": %.17g, \"zeta\": %.17g, \"sliding\": %d, ",
                c->shift[0], c->shift[1], c->shift[2], c->fn, c->zeta, c->sliding);
        print_vec(file, "ft", c->ft);
        fprintf(file, ", ");
        print_vec(file, "force", c->force);
        fprintf(file, ", ");
        print_vec(file, "point", c->point);
        fprintf(file, ", ");
        print_vec(file, "n", c->n);
        fprintf(file, ", ");
        print_vec(file, "fr", c->fr);
        fprintf(file, ", ");
        print_vec(file, "rate", c->rate);
        fprintf(file, "}");
    }
    fprintf(file, "],\n");
}

static void print_walls(FILE *file, const tw_sim *sim)
{
    fprintf(file, "\"walls\": [");
    for (size_t k = 0; k < tw_sim_wall_count(sim); k++) {
        const tw_wall_state wall = must_wall(sim, k);
        fprintf(file, "%s\n{\"form\": %d, ", k ? "," : "", wall.form);
        print_vec(file, "force", wall.force);
        fprintf(file, "}");
    }
    fprintf(file, "],\n");
}

static void print_truth(tw_sim *sim, const char *path)
{
    FILE *file = fopen(path, "w");
    if (!file) exit(1);
    const tw_mat3 h = tw_sim_cell(sim);
    const tw_sim_def def = tw_sim_get_definition(sim);
    fprintf(file, "{\"time\": %.17g, \"steps\": %" PRIu64 ",\n", tw_sim_time(sim),
            tw_sim_steps(sim));
    for (int k = 0; k < 3; k++) {
        const char *const names[] = {"a", "b", "c"};
        print_vec(file, names[k], tw_vec3_make(h.m[k], h.m[3 + k], h.m[6 + k]));
        fprintf(file, ",\n");
    }
    print_spheres(file, sim);
    print_contacts(file, sim);
    print_walls(file, sim);
    const tw_measure m = must_measure(sim);
    fprintf(file, "\"stress\": [%.17g", m.stress.m[0]);
    for (int k = 1; k < 9; k++)
        fprintf(file, ", %.17g", m.stress.m[k]);
    fprintf(file, "], \"cell_volume\": %.17g,\n", m.volume);
    fprintf(file, "\"periodic\": [%d, %d, %d]}\n", def.periodic[0], def.periodic[1],
            def.periodic[2]);
    if (fclose(file) != 0) exit(1);
}

/* Two frames; the truth is that of the second. `name` needs escaping in XML. */
static void write_frames(tw_sim *sim, const char *scene, uint64_t steps)
{
    static const uint32_t gone[] = {0, 7, 30, 31};
    tw_error error;
    char path[64];
    snprintf(path, sizeof path, "%s & <frames>", scene);
    tw_export_series *series = tw_export_series_open(scene, path, &error);
    if (!series) stop("series", &error);
    for (int frame = 0; frame < 2; frame++) {
        if (frame == 1 && strcmp(scene, "gaps") == 0 &&
            tw_sim_remove_bodies(sim, gone, 4, &error) != TW_STATUS_OK)
            stop("remove", &error);
        if (tw_sim_run(sim, steps, &error) != TW_STATUS_OK) stop("run", &error);
        if (tw_export_series_add(series, sim, &error) != TW_STATUS_OK) stop("frame", &error);
    }
    tw_export_series_close(series);
    snprintf(path, sizeof path, "%s.json", scene);
    print_truth(sim, path);
}

/* The other files show the second frame. */
static void write_files(tw_sim *sim, const char *scene, uint64_t steps)
{
    tw_error error;
    char path[64];
    write_frames(sim, scene, steps);
    snprintf(path, sizeof path, "%s.csv", scene);
    if (tw_export_csv(sim, path, &error) != TW_STATUS_OK) stop("csv", &error);
    snprintf(path, sizeof path, "%s.dump", scene);
    if (tw_export_lammps(sim, path, &error) != TW_STATUS_OK) stop("dump", &error);
    snprintf(path, sizeof path, "%s.local", scene);
    if (tw_export_lammps_contacts(sim, path, &error) != TW_STATUS_OK) stop("local", &error);
    snprintf(path, sizeof path, "%s.h5", scene);
    if (tw_sim_save(sim, path, &error) != TW_STATUS_OK) stop("save", &error);
    tw_sim_free(sim);
}

static void write_sheared(const char *scene)
{
    const tw_mat3 cell = {{0.10, 0.03, -0.02, 0, 0.09, -0.04, 0, 0, 0.11}};
    tw_sim *sim = make(&cell, -1);
    const tw_sphere pair[] = {{{-0.5, 0, 0}, 1.0}, {{0.9, 0.1, 0}, 0.6}, {{0.2, 0.8, 0.3}, 0.5}};
    must_add_shape(sim, pair, 3);
    fill(sim, 4, 0.0121, 2);
    const tw_mat3 gradient = {{-0.5, 2.0, 0, 0, -0.5, 0, 0, 0, -0.5}};
    tw_sim_set_velocity_gradient(sim, &gradient);
    write_files(sim, scene, 1);
}

static void write_box(void)
{
    const tw_mat3 cell = {{0.08, -0.02, 0.0, 0.01, 0.09, 0.01, 0.0, 0.0, 0.1}};
    tw_sim *sim = make(&cell, 2);
    fill(sim, 3, 0.0138, 1);
    tw_wall_def wall = tw_wall_def_default();
    wall.point = tw_vec3_make(0, 0, -0.004);
    must_add_wall(sim, &wall);
    const tw_vec3 down = {0, 0, -9.81};
    tw_sim_set_gravity(sim, down);
    write_files(sim, "box", 2);
}

static void write_hopper(void)
{
    tw_error error;
    const tw_mat3 cell = {{0.08, 0, 0, 0, 0.08, 0, 0, 0, 0.08}};
    tw_sim_def def = tw_sim_def_default();
    def.cell = cell;
    def.law.kn = def.law.kt = 1e4;
    def.law.mu = 0.5;
    def.gravity.z = -9.81;
    memset(def.periodic, 0, sizeof def.periodic);
    tw_sim *sim = tw_sim_create(&def, &error);
    if (!sim) stop("create", &error);
    fill(sim, 4, 0.0101, 1);
    tw_wall_def floor = tw_wall_def_default();
    floor.point.z = -0.0049;
    must_add_wall(sim, &floor);
    tw_mesh_soup soup = {0};
    tw_mesh mesh;
    const tw_vec3 at[] = {
        {0, 0, -0.0046}, {0.05, 0, -0.0047}, {0.05, 0.05, -0.0048}, {0, 0.05, -0.0047}};
    tw_mesh_soup_add(&soup, at[0], at[1], at[2], 1, NULL);
    tw_mesh_soup_add(&soup, at[0], at[2], at[3], 2, NULL);
    if (tw_mesh_make(&mesh, &soup, 1.0, &error) != TW_STATUS_OK) stop("mesh", &error);
    tw_wall_def plate = tw_wall_def_default();
    plate.form = TW_WALL_MESH;
    plate.mesh = &mesh;
    must_add_wall(sim, &plate);
    const tw_profile_point corner[] = {{0.049, -0.006}, {0.0791, 0.08}};
    tw_wall_def cone = tw_wall_def_default();
    cone.form = TW_WALL_PROFILE;
    cone.point = tw_vec3_make(0.035, 0.035, 0);
    cone.corner = corner;
    cone.corners = 2;
    must_add_wall(sim, &cone);
    tw_mesh_free(&mesh);
    tw_mesh_soup_free(&soup);
    write_frames(sim, "hopper", 3);
    if (tw_sim_save(sim, "hopper.h5", &error) != TW_STATUS_OK) stop("save", &error);
    /* a tube of so many parts that a report leaves it out */
    static tw_profile_point fine[1601];
    for (int k = 0; k <= 1600; k++)
        fine[k] = (tw_profile_point){0.2, 1e-4 * k};
    cone.corner = fine;
    cone.corners = 1601;
    must_add_wall(sim, &cone);
    if (tw_sim_save(sim, "fine.h5", &error) != TW_STATUS_OK) stop("save", &error);
    tw_sim_free(sim);
}

int main(int argc, char **argv)
{
    if (argc != 2 || chdir(argv[1]) != 0) {
        fprintf(stderr, "usage: exchange_sample DIRECTORY\n");
        return 2;
    }
    write_sheared("sheared");
    write_sheared("gaps");
    write_box();
    write_hopper();
    return 0;
}
