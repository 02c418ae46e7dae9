/* SPDX-License-Identifier: BSD-3-Clause */
/* twirl info: describes the contents of a file, or the results of a run. */
#include "commands/commands.h"

#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <twirl/contact_law.h>
#include <twirl/exchange.h>
#include <twirl/figure.h>
#include <twirl/math.h>
#include <twirl/run.h>
#include <twirl/scenario.h>
#include <twirl/sim.h>

#include "base/file.h"
#include "common/args.h"
#include "common/output.h"
#include "common/scene.h"
#include "common/scene_figure.h"
#include "plot/plot_paint.h"
#include "scenario/scenario.h"

/* ---- Figures ---- */

/* With the curve that was asked for, where the state is in states or stages of a run. */
static tw_status draw_grading(const tw_scene_grains *g, const char *path, const char *directory,
                              tw_error *error)
{
    tw_figure_set set = {.run_count = 0};
    tw_scenario_errors errors;
    const char *slash = strrchr(path, '/');
    char *file = tw_exit_text("%.*s../scenario.yaml", slash ? (int)(slash + 1 - path) : 0, path);
    tw_scenario *scenario = tw_scenario_read_begun(file, NULL, 0, &errors);
    tw_exit_unless(tw_scene_figure_grading(&set, g, scenario) ? &set : NULL);
    tw_scenario_free(scenario);
    tw_scenario_errors_free(&errors);
    free(file);
    return tw_plot_paint_set(&set, directory, error);
}

static tw_status draw_forces(const tw_sim *sim, const char *directory, tw_error *error)
{
    tw_figure_set set = {.run_count = 0};
    tw_error found;
    if (tw_scene_figure_forces(&set, sim, &found) == TW_STATUS_OK)
        return tw_plot_paint_set(&set, directory, error);
    tw_figure_set_free(&set);
    return tw_error_set(error, found.status, "--forces: %s", found.text);
}

/* ---- Materials and contact laws ---- */

/* Constants that serve all radii are those of elastic half-spaces. */
static void describe_springs(const tw_contact_law *law, char *text, size_t size)
{
    const bool linear = tw_contact_normal_is_linear(law->normal);
    const char *normal = tw_contact_normal_name(law->normal);
    if (linear && law->flags & TW_CONTACT_BY_RADIUS)
        snprintf(text, size, "modulus %g Pa, kt/kn %g", 0.5 * law->kn, law->kt / law->kn);
    else if (law->flags & TW_CONTACT_BY_RADIUS)
        snprintf(text, size, "%s, E* %g Pa, G* %g Pa", normal, 0.75 * law->kn, 0.125 * law->kt);
    else
        snprintf(text, size, "%s%skn %g %s, kt %g %s", linear ? "" : normal, linear ? "" : ", ",
                 law->kn, tw_contact_constant_unit(law->normal, "kn"), law->kt,
                 tw_contact_constant_unit(law->normal, "kt"));
}

static const char *damping_unit(const tw_contact_law *law)
{
    if (law->flags & TW_CONTACT_BY_MASS) return "(damping ratios)";
    return tw_contact_constant_unit(law->normal, "nu_n");
}

static void print_without(const tw_contact_law *law, int width)
{
    char text[64] = "";
    size_t used = 0;
    if (law->kind != TW_CONTACT_EXACT) return;
    for (uint32_t bit = 1; bit < TW_CONTACT_ALL; bit *= 2) {
        if (!(law->refine & bit) && used < sizeof text)
            used += (size_t)snprintf(text + used, sizeof text - used, "%s%s", used ? ", " : "",
                                     tw_contact_refinement_name(bit));
    }
    if (used > 0) tw_output_line(stdout, width, "", "without %s", text);
}

/* `whose` is empty, or the names of the materials. */
static void print_law(const tw_contact_law *law, const char *whose, int width)
{
    char springs[96];
    describe_springs(law, springs, sizeof springs);
    tw_output_line(stdout, width, "law", "%s%s, %s, mu %g", whose, tw_contact_kind_name(law->kind),
                   springs, law->mu);
    if (law->mu_r > 0.0)
        tw_output_line(stdout, width, "", "rolling: mu_r %g, k_r/kt %g", law->mu_r,
                       law->k_r / law->kt);
    if (law->mu_w > 0.0)
        tw_output_line(stdout, width, "", "twisting: mu_w %g, k_w/kt %g", law->mu_w,
                       law->k_w / law->kt);
    if ((law->mu_r > 0.0 || law->mu_w > 0.0) && law->flags & TW_CONTACT_YADE_LEVERS)
        tw_output_line(stdout, width, "", "levers: yade");
    if (law->nu_n > 0.0 || law->nu_t > 0.0 || law->nu_r > 0.0 || law->nu_w > 0.0)
        tw_output_line(stdout, width, "", "damping: nu_n %g, nu_t %g, nu_r %g, nu_w %g %s%s",
                       law->nu_n, law->nu_t, law->nu_r, law->nu_w, damping_unit(law),
                       law->flags & TW_CONTACT_NO_TENSION ? ", no tension" : "");
    print_without(law, width);
}

/* One line for each law, more where it has rolling, twisting or damping; with several materials
 * their names and densities, and the laws by pair. */
static void print_laws(const tw_sim *sim, const tw_scene_grains *g, int label_width)
{
    const uint32_t count = (uint32_t)tw_sim_material_count(sim);
    for (uint32_t a = 0; count > 1 && a < count; a++) {
        size_t bodies = 0;
        for (size_t i = 0; i < g->count; i++)
            bodies += g->body[i].material == a;
        tw_output_line(stdout, label_width, a == 0 ? "materials" : "",
                       "%s, %zu bodies, density %g kg/m^3", tw_sim_material_name(sim, a), bodies,
                       tw_sim_material_density(sim, a));
    }
    for (uint32_t a = 0; a < count; a++) {
        for (uint32_t b = a; b < count; b++) {
            tw_contact_law law;
            tw_sim_get_pair_law(sim, a, b, &law, NULL); /* they exist */
            char whose[2 * TW_MATERIAL_NAME_MAX + 8] = "";
            if (count > 1)
                snprintf(whose, sizeof whose, "%s, %s: ", tw_sim_material_name(sim, a),
                         tw_sim_material_name(sim, b));
            print_law(&law, whose, label_width);
        }
    }
}

/* ---- The folder of a run ---- */

enum { RUN_LABEL_WIDTH = 24 };

static bool is_folder(const char *path)
{
    struct stat about;
    return stat(path, &about) == 0 && S_ISDIR(about.st_mode);
}

static bool is_file(const char *folder, const char *name)
{
    struct stat about;
    return stat(tw_folder_path_join(folder, name).text, &about) == 0;
}

static void print_results(const tw_figure_series *s)
{
    double *value = tw_exit_unless(malloc(tw_figure_result_count() * sizeof *value));
    tw_exit_unless(tw_figure_result_compute(s, value) ? value : NULL);
    for (size_t k = 0; k < tw_figure_result_count(); k++) {
        const tw_figure_result *result = tw_figure_result_at(k);
        const char *unit = tw_figure_result_unit(result);
        char label[RUN_LABEL_WIDTH + 1];
        snprintf(label, sizeof label, "  %s", result->name);
        if (!isnan(value[k]))
            tw_output_line(stdout, RUN_LABEL_WIDTH, label, "%.6g%s%s", value[k], *unit ? " " : "",
                           unit);
    }
    free(value);
}

/* The longest series that begins with this stage: its test. NULL: it has no rows. */
static const tw_figure_series *test_of(const tw_figure_set *set, const char *stage)
{
    const tw_figure_series *found = NULL;
    for (size_t i = 0; i < set->series_count; i++)
        if (strcmp(set->series[i].stage, stage) == 0 &&
            (!found || set->series[i].part_count > found->part_count))
            found = &set->series[i];
    return found;
}

/* Tests, and stages that are not part of one. */
static void print_stages(const tw_figure_set *set)
{
    const tw_scenario *scenario = set->runs->scenario;
    for (size_t i = 0, inside = 0; i < scenario->stage_count; i++) {
        const tw_scenario_stage *stage = &scenario->stages[i];
        const tw_figure_series *s = test_of(set, stage->name);
        if (inside > 0 && s) {
            inside--;
            continue;
        }
        inside = s && s->part_count > 1 ? s->part_count - 1 : 0;
        tw_output_line(stdout, RUN_LABEL_WIDTH, stage->name, "%s%s%s",
                       tw_scenario_path_name(stage->path), inside ? "; test: " : "",
                       inside ? s->label : "");
        if (s)
            print_results(s);
        else
            tw_output_line(stdout, RUN_LABEL_WIDTH, "", "no rows in the history");
    }
}

/* Prints the strength of tests at different pressures. */
static void print_strength(const tw_figure_set *set)
{
    tw_figure_strength_point *points =
        tw_exit_unless(calloc(set->series_count + 1, sizeof *points));
    const size_t count = tw_figure_strength_points(set, 0, points);
    tw_figure_strength all;
    if (tw_figure_strength_fit(points, count, &all))
        tw_output_line(stdout, RUN_LABEL_WIDTH, "strength",
                       "c %.4g Pa, phi %.4g deg; q = %.4g p; at the peaks of %zu tests",
                       all.cohesion, all.angle, all.ratio, count);
    free(points);
}

/* Prints what each test has shown: peak, modulus, critical state. Returns an exit status. */
static int print_run(const char *folder, const char *command)
{
    tw_figure_request request = tw_figure_request_default();
    tw_figure_set set;
    tw_error error;
    int status = TW_EXIT_OK;
    if (!is_file(folder, "scenario.yaml") || !is_file(folder, "history.csv"))
        return tw_output_fail(
            command, TW_EXIT_USAGE,
            "%s: not the folder of a run: it has no scenario.yaml with history.csv", folder);
    request.inputs = &folder;
    request.input_count = 1;
    request.every = 1;
    const tw_status read = tw_figure_set_read(&set, &request, &error);
    const tw_scenario *scenario = set.run_count > 0 ? set.runs->scenario : NULL;
    if (read != TW_STATUS_OK) {
        status = tw_output_fail(command, tw_exit_status_running(read), "%s", error.text);
    } else if (!scenario) {
        status = tw_output_fail(command, TW_EXIT_USAGE, "%s", set.runs->warning);
    } else {
        if (tw_run_results_check(folder, &error) != TW_STATUS_OK)
            fprintf(stderr, "%s: warning: %s\n", command, error.text);
        tw_output_line(stdout, RUN_LABEL_WIDTH, "run", "%zu stage%s, %s", scenario->stage_count,
                       tw_output_plural(scenario->stage_count),
                       is_file(folder, "summary.json") ? "complete" : "not complete");
        tw_scenario_summary_materials(stdout, scenario, RUN_LABEL_WIDTH);
        for (size_t k = 0; tw_run_series_at(k); k++) {
            char name[NAME_MAX];
            snprintf(name, sizeof name, "%s.csv", tw_run_series_at(k)->name);
            if (is_file(folder, name))
                tw_output_line(stdout, RUN_LABEL_WIDTH, "series", "%s: %s", name,
                               tw_run_series_at(k)->text);
        }
        print_stages(&set);
        print_strength(&set);
    }
    tw_figure_set_free(&set);
    return status;
}

/* ---- A state ---- */

enum { LABEL_WIDTH = 16 };

#define PRINT(...) tw_output_line(stdout, LABEL_WIDTH, __VA_ARGS__)

/* The first line of a checkpoint is "twirl checkpoint VERSION". */
static int version_of(const char *path)
{
    char line[64] = "";
    FILE *file = tw_read_file_stream(path);
    if (!file) return 0;
    const char *got = fgets(line, sizeof line, file);
    (void)fclose(file);
    return got ? (int)strtol(line + strcspn(line, "0123456789"), NULL, 10) : 0;
}

static void print_kind(const tw_scene *scene, const char *path)
{
    const tw_specimen *specimen = scene->specimen;
    if (scene->kind == TW_EXCHANGE_CHECKPOINT)
        PRINT("kind", "checkpoint, format version %d", version_of(path));
    if (scene->kind == TW_EXCHANGE_CSV) PRINT("kind", "CSV file of spheres");
    if (scene->kind == TW_EXCHANGE_XYZR) PRINT("kind", "x_y_z_r file of spheres, as of YADE");
    if (scene->kind == TW_EXCHANGE_LAMMPS_DATA) PRINT("kind", "LAMMPS data file");
    if (scene->kind == TW_EXCHANGE_LAMMPS_DUMP) PRINT("kind", "LAMMPS dump");
    if (scene->kind != TW_EXCHANGE_DFILE) return;
    PRINT("kind", "OVAL/DEMPLA D-file, %s", specimen->shape_count > 0 ? "bumpy grains" : "spheres");
    for (size_t i = 0; i < specimen->shape_count; i++) {
        const tw_specimen_shape *s = &specimen->shapes[i];
        PRINT("shape",
              "%d satellites of radius %g at %g from the centre of a sphere of radius %g [-]",
              s->satellites, s->satellite_radius, s->distance, s->central_radius);
    }
}

static void print_walls(const tw_sim *sim)
{
    static const char *const forms[] = {
        [TW_WALL_PLANE] = "plane",
        [TW_WALL_SPHERE] = "sphere",
        [TW_WALL_PROFILE] = "profile of revolution",
        [TW_WALL_MESH] = "mesh",
    };
    for (size_t k = 0; k < tw_sim_wall_count(sim); k++) {
        tw_wall_state w;
        char label[32], force[96] = "";
        tw_sim_get_wall(sim, k, &w, NULL); /* it exists */
        snprintf(label, sizeof label, "wall %zu", k);
        if (!isnan(w.force.x))
            snprintf(force, sizeof force, ", force (%.6g %.6g %.6g) N", w.force.x, w.force.y,
                     w.force.z);
        PRINT(label, "%s%s%s at (%.6g %.6g %.6g) m%s%s", forms[w.form], *w.name ? " " : "", w.name,
              w.point.x, w.point.y, w.point.z, force,
              w.absent   ? ", not present"
              : w.platen ? ", a platen"
              : w.servo  ? ", held by a servo"
              : w.driven ? ", with a prescribed motion"
                         : "");
    }
}

static void print_bodies(const tw_sim *sim, const tw_scene_grains *g)
{
    uint32_t type = UINT32_MAX, last_type = 0, last_shape = 0;
    size_t shapes = 0;
    for (size_t i = 0; i < g->count; i++) {
        const tw_body_state *body = &g->body[i];
        if (body->type < type) type = body->type;
        if (body->type > last_type) last_type = body->type;
        if (body->shape > last_shape) last_shape = body->shape;
    }
    bool *seen = tw_exit_unless(calloc((size_t)last_shape + 1, sizeof *seen));
    for (size_t i = 0; i < g->count; i++) {
        shapes += !seen[g->body[i].shape];
        seen[g->body[i].shape] = true;
    }
    free(seen);
    PRINT("bodies", "%zu, %zu shape%s", g->count, shapes, tw_output_plural(shapes));
    /* Only where a file has given types. */
    if (last_type > 1) PRINT("types", "%" PRIu32 " to %" PRIu32, type, last_type);
    PRINT("spheres", "%zu", tw_sim_sphere_count(sim));
    print_walls(sim);
    double d[TW_SCENE_SIZES];
    for (int k = 0; k < TW_SCENE_SIZES; k++)
        d[k] = tw_scene_grains_size(g, tw_scene_sizes[k].share);
    PRINT("diameter", "%.6g to %.6g m, D50 %.6g m (spheres of equal volume)",
          tw_scene_grains_size(g, 0.0), tw_scene_grains_size(g, 1.0), d[2]);
    if (g->count > 0)
        PRINT("grading", "D10 %.6g m, D30 %.6g m, D60 %.6g m, Cu %.4g, Cc %.4g", d[0], d[1], d[3],
              d[3] / d[0], d[1] * d[1] / (d[0] * d[3]));
}

static void print_cell(const tw_scene *scene, const tw_scene_grains *g)
{
    const tw_sim_def def = tw_sim_get_definition(scene->sim);
    const tw_mat3 cell = tw_sim_cell(scene->sim);
    const double *h = cell.m;
    if (scene->specimen && !scene->specimen->cell_given) {
        PRINT("cell", "none; the spheres fill a box of %.6g x %.6g x %.6g m", h[0], h[4], h[8]);
        PRINT("solid volume", "%.6g m^3", g->solid);
        return;
    }
    for (int k = 0; k < 3; k++)
        PRINT(k == 0 ? "cell" : "", "%.10g %.10g %.10g m, %s", h[k], h[3 + k], h[6 + k],
              def.periodic[k] ? "periodic" : "not periodic");
    const tw_vec3 a = {h[0], h[3], h[6]}, b = {h[1], h[4], h[7]}, c = {h[2], h[5], h[8]};
    const double volume = fabs(tw_vec3_dot(a, tw_vec3_cross(b, c)));
    PRINT("volume", "%.6g m^3, solid %.6g m^3", volume, g->solid);
    if (g->solid < volume)
        PRINT("porosity", "%.6f, void ratio %.6f", 1.0 - g->solid / volume,
              volume / g->solid - 1.0);
    else
        PRINT("porosity", "none: the grains have more volume than the cell");
}

static void print_settings(const tw_sim *sim)
{
    const tw_sim_def def = tw_sim_get_definition(sim);
    if (tw_sim_material_count(sim) == 1)
        PRINT("density", "%g kg/m^3, mass scale %g", def.density, def.mass_scale);
    else
        PRINT("mass scale", "%g", def.mass_scale);
    PRINT("damping", "mass %g 1/s, spin %g 1/s, local %g", def.damping_mass, def.damping_spin,
          def.damping_local);
}

/* What contacts and their forces are like. */
static void print_contacts(const tw_measure *m)
{
    const tw_anisotropy *a = &m->anisotropy;
    if (m->contacts == 0) return;
    if (m->q > 0.0)
        PRINT("anisotropy", "a_c %.4f, a_d %.4f, a_n %.4f, a_t %.4f: sum %.4f, q/p %.4f", a->a_c,
              a->a_d, a->a_n, a->a_t, a->sum, m->q / m->p);
    if (isnan(m->strong_q))
        PRINT("strong contacts", "%.4f of all, with %.4f of p", m->strong_fraction, m->strong_p);
    else
        PRINT("strong contacts", "%.4f of all, with %.4f of p and %.4f of q", m->strong_fraction,
              m->strong_p, m->strong_q);
    PRINT("friction", "mean mobilised %.4f, redundancy %.4f", m->friction_mobilised, m->redundancy);
}

/* Energies that come last in their table, in a line of their own, if there are any. */
#define STORED_TEXT(to, NAME, name, column, text) #name,
#define STORED_VALUE(e, NAME, name, column, text) (e)->column,
#define LOST_TEXT(to, NAME, name, member, way) way,
#define LOST_VALUE(e, NAME, name, member, way) (e)->name,

static void print_energies(const char *const *text, const double *value, size_t count)
{
    char line[256] = "";
    size_t used = 0;
    bool any = false;
    for (size_t k = 0; k < count && used < sizeof line; k++) {
        any = any || value[k] != 0.0;
        used += (size_t)snprintf(line + used, sizeof line - used, "%s%s %.6g", k ? ", " : "",
                                 text[k], value[k]);
    }
    if (any) PRINT("", "%s J", line);
}

static tw_status print_state(tw_sim *sim, tw_error *error)
{
    tw_measure measure;
    const tw_measure *m = &measure;
    const tw_status status = tw_sim_measure(sim, &measure, error);
    if (status != TW_STATUS_OK) return status;
    const double *s = m->stress.m;
    const tw_energy *e = &m->energy;
    PRINT("time", "%.17g s, %" PRIu64 " steps, dt %.6g s", tw_sim_time(sim), tw_sim_steps(sim),
          tw_sim_dt(sim));
    PRINT("contacts", "%zu, %zu sliding, %zu with walls", m->contacts, m->sliding,
          m->wall_contacts);
    PRINT("coordination", "%.4f, without %zu rattlers %.4f", m->coordination, m->rattlers,
          m->coordination_mechanical);
    PRINT("overlap", "mean %.6g m, largest %.6g m", m->overlap_mean, m->overlap_max);
    for (size_t k = 0; k < 9; k += 3)
        PRINT(k == 0 ? "stress" : "", "%12.5e %12.5e %12.5e Pa", s[k], s[k + 1], s[k + 2]);
    PRINT("p", "%.6g Pa", m->p);
    print_contacts(m);
    PRINT("unbalanced", "%.4g, inertial number %.4g", m->unbalanced, m->inertial_number);
    PRINT("energy", "kinetic %.6g, rotational %.6g, normal %.6g, tangential %.6g J", e->kinetic,
          e->rotational, e->normal, e->tangential);
    print_energies((const char *[]){TW_CONTACT_STORED_MORE(STORED_TEXT, )},
                   (double[]){TW_CONTACT_STORED_MORE(STORED_VALUE, e)},
                   TW_CONTACT_STORED_KINDS - TW_CONTACT_STORED_EARLY);
    PRINT("dissipated", "friction %.6g, contact damping %.6g, body damping %.6g J", e->friction,
          e->contact_damping, e->body_damping);
    print_energies((const char *[]){TW_CONTACT_LOST_MORE(LOST_TEXT, )},
                   (double[]){TW_CONTACT_LOST_MORE(LOST_VALUE, e)},
                   TW_CONTACT_LOST_KINDS - TW_CONTACT_LOST_EARLY);
    PRINT("energy input", "cell %.6g, walls %.6g, gravity %.6g, start %.6g J, residual %.3g J",
          e->cell, e->walls, e->gravity, e->start, e->residual);
    PRINT("hash", "%016" PRIx64, tw_sim_hash(sim));
    if (*tw_sim_label(sim)) PRINT("label", "%s", tw_sim_label(sim));
    return TW_STATUS_OK;
}

/* ---- A surface ---- */

static void print_surface(const tw_mesh *mesh, tw_exchange_kind kind)
{
    const tw_vec3 size = tw_vec3_sub(mesh->high, mesh->low);
    PRINT("kind", "surface, %s", kind == TW_EXCHANGE_STL ? "STL" : "OBJ");
    PRINT("facets", "%zu, of %zu triangles in the file", mesh->facet_count, mesh->read);
    PRINT("vertices", "%zu, and %zu edges", mesh->vertex_count, mesh->edge_count);
    PRINT("size", "%.6g x %.6g x %.6g, from %.6g %.6g %.6g, in units of the file", size.x, size.y,
          size.z, mesh->low.x, mesh->low.y, mesh->low.z);
    PRINT("area", "%.6g", mesh->area);
    if (isnan(mesh->volume))
        PRINT("closed", "no");
    else
        PRINT("closed", "yes, volume %.6g, normals %s", fabs(mesh->volume),
              mesh->volume > 0.0 ? "outwards" : "inwards");
    PRINT("shortest edge", "%.6g", mesh->shortest);
    if (mesh->sharpest > 0.0)
        PRINT("bends", "%.4g to %.4g deg", mesh->gentlest * (180.0 / TW_MATH_PI),
              mesh->sharpest * (180.0 / TW_MATH_PI));
    for (int k = 0; k < TW_MESH_FINDINGS; k++) {
        const tw_mesh_count *c = &mesh->found[k];
        if (c->count > 0)
            PRINT("found", "%s: %zu, the first at facet %" PRIu32,
                  tw_mesh_finding_text((tw_mesh_finding)k), c->count, c->first);
    }
}

/* Returns an exit status; -1: the file is no surface. */
static int describe_surface(const char *path, const char *command)
{
    tw_mesh mesh;
    tw_error error;
    const tw_exchange_kind kind = tw_exchange_recognise(path, NULL);
    if (kind != TW_EXCHANGE_STL && kind != TW_EXCHANGE_OBJ) return -1;
    const tw_status status = tw_mesh_read(&mesh, path, 1.0, &error);
    if (status != TW_STATUS_OK)
        return tw_output_fail(command, tw_exit_status_reading(status), "%s", error.text);
    print_surface(&mesh, kind);
    tw_mesh_free(&mesh);
    return TW_EXIT_OK;
}

typedef struct info_options {
    const char *path, *grading, *forces;
} info_options;

static const tw_args_option options[] = {
    {NULL, "FILE", "the file to describe", tw_args_once, offsetof(info_options, path)},
    {"grading", "DIR", "also draw the grading curve of the grains, as DIR/grading.svg and .png",
     tw_args_folder, offsetof(info_options, grading)},
    {"forces", "DIR",
     "also draw the distribution of normal contact forces, as DIR/forces.svg and .png",
     tw_args_folder, offsetof(info_options, forces)},
    {0}};

static const char description[] =
    "Describes the contents of FILE: a checkpoint, an OVAL or DEMPLA D-file, a CSV file of "
    "spheres, a LAMMPS data file or dump, or a surface of triangles (STL, OBJ). Of the folder of a "
    "run: peak, modulus, critical state and "
    "other "
    "results of each stage, as defined for twirl sweep."
    "\vExit status: 0 success, 1 out of memory, output not written or gnuplot failed, 2 bad "
    "options or unreadable file.";

static const tw_args_command command_line = {
    .own = {options, NULL}, .arguments = "FILE", .description = description};

int tw_info_command(int argc, char **argv)
{
    info_options set = {0};
    tw_error error;
    tw_scene scene;
    int status = TW_EXIT_OK;
    tw_args_parse(&command_line, argc, argv, &set);
    if (is_folder(set.path) && (set.grading || set.forces))
        return tw_output_fail(argv[0], TW_EXIT_USAGE,
                              "--%s: give a state of the run: %s/states/specimen.h5",
                              set.grading ? "grading" : "forces", set.path);
    if (is_folder(set.path)) return tw_output_finish(argv[0], print_run(set.path, argv[0]));
    status = describe_surface(set.path, argv[0]);
    if (status >= 0) return tw_output_finish(argv[0], status);
    status = TW_EXIT_OK;
    if (!tw_scene_open(&scene, set.path, &error))
        return tw_output_fail(argv[0], tw_exit_status_reading(error.status), "%s", error.text);
    tw_scene_grains all;
    tw_exit_unless(tw_scene_grains_measure(&all, scene.sim) ? &all : NULL);
    print_kind(&scene, set.path);
    print_bodies(scene.sim, &all);
    print_cell(&scene, &all);
    if (scene.kind == TW_EXCHANGE_CHECKPOINT) {
        print_laws(scene.sim, &all, LABEL_WIDTH);
        print_settings(scene.sim);
        if (print_state(scene.sim, &error) != TW_STATUS_OK)
            status = tw_output_fail(argv[0], tw_exit_status_reading(error.status), "%s: %s",
                                    set.path, error.text);
    }
    if (set.grading && all.count > 0 && status == TW_EXIT_OK &&
        draw_grading(&all, set.path, set.grading, &error) != TW_STATUS_OK)
        status = tw_output_fail(argv[0], tw_exit_status_running(error.status), "%s", error.text);
    if (set.forces && status == TW_EXIT_OK &&
        draw_forces(scene.sim, set.forces, &error) != TW_STATUS_OK)
        status = tw_output_fail(argv[0], tw_exit_status_running(error.status), "%s", error.text);
    tw_scene_free(&scene);
    tw_scene_grains_free(&all);
    return tw_output_finish(argv[0], status);
}
