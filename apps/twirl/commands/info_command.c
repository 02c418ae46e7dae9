/* SPDX-License-Identifier: BSD-3-Clause */
/* twirl info: describes the contents of a file, or the results of a run. */
#include "commands/info_command.h"

#include "base/file.h"
#include "commands/info_law.h"
#include "commands/info_run.h"
#include "common/args.h"
#include "common/exit_status.h"
#include "common/output.h"
#include "common/scene.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <twirl/math.h>

enum { LABEL_WIDTH = 16 };

#define PRINT(...) tw_output_line(LABEL_WIDTH, __VA_ARGS__)

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

static int compare_numbers(const void *left, const void *right)
{
    const double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

/* Sizes of the bodies: volumes of their unions of spheres, diameters of spheres of equal volume. */
typedef struct grains {
    double solid;             /* volume of all [m^3] */
    double smallest, largest; /* diameters [m] */
    double d50;               /* median by volume [m] */
} grains;

static double diameter_of(double volume)
{
    return tw_math_cbrt(6.0 / TW_MATH_PI * volume);
}

/* False: out of memory. Does not use tw_sim_measure, which searches for contacts first: that may
 * take very long for a file with absurd sizes. */
static bool measure_grains(const tw_sim *sim, grains *g)
{
    const size_t count = tw_sim_bodies(sim);
    const double scale = tw_sim_definition(sim).mass_scale;
    double *volume = malloc((count + 1) * sizeof *volume), below = 0.0;
    *g = (grains){0};
    if (!volume) return false;
    for (size_t i = 0; i < count; i++) {
        tw_body_state body;
        tw_sim_body(sim, (uint32_t)i, &body, NULL); /* it exists */
        volume[i] = body.mass / (tw_sim_material_density(sim, body.material) * scale);
        g->solid += volume[i];
    }
    qsort(volume, count, sizeof *volume, compare_numbers);
    size_t middle = 0;
    while (middle + 1 < count && below + volume[middle] < 0.5 * g->solid)
        below += volume[middle++];
    if (count > 0) {
        g->smallest = diameter_of(volume[0]);
        g->largest = diameter_of(volume[count - 1]);
        g->d50 = diameter_of(volume[middle]);
    }
    free(volume);
    return true;
}

static uint32_t shape_of(const tw_sim *sim, size_t id)
{
    tw_body_state body;
    tw_sim_body(sim, (uint32_t)id, &body, NULL); /* it exists */
    return body.shape;
}

/* Number of different shapes; 0: out of memory. */
static size_t count_shapes(const tw_sim *sim)
{
    const size_t bodies = tw_sim_bodies(sim);
    uint32_t most = 0;
    for (size_t i = 0; i < bodies; i++) {
        const uint32_t shape = shape_of(sim, i);
        if (shape > most) most = shape;
    }
    bool *seen = calloc((size_t)most + 1, sizeof *seen);
    size_t count = 0;
    for (size_t i = 0; seen && i < bodies; i++) {
        const uint32_t shape = shape_of(sim, i);
        count += !seen[shape];
        seen[shape] = true;
    }
    free(seen);
    return count;
}

/* Only where a file has given types. */
static void print_types(const tw_sim *sim)
{
    uint32_t least = UINT32_MAX, most = 0;
    for (uint32_t id = 0; id < tw_sim_bodies(sim); id++) {
        tw_body_state body;
        tw_sim_body(sim, id, &body, NULL); /* it exists */
        if (body.type < least) least = body.type;
        if (body.type > most) most = body.type;
    }
    if (most > 1) PRINT("types", "%" PRIu32 " to %" PRIu32, least, most);
}

static void print_bodies(const tw_sim *sim, const grains *g)
{
    const size_t shapes = count_shapes(sim);
    PRINT("bodies", "%zu, %zu shape%s", tw_sim_bodies(sim), shapes, tw_output_plural(shapes));
    print_types(sim);
    PRINT("spheres", "%zu", tw_sim_spheres(sim));
    if (tw_sim_walls(sim) > 0) PRINT("walls", "%zu", tw_sim_walls(sim));
    PRINT("diameter", "%.6g to %.6g m, D50 %.6g m (spheres of equal volume)", g->smallest,
          g->largest, g->d50);
}

static void print_cell(const tw_scene *scene, const grains *g)
{
    const tw_sim_def def = tw_sim_definition(scene->sim);
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
    const tw_sim_def def = tw_sim_definition(sim);
    if (tw_sim_materials(sim) == 1)
        PRINT("density", "%g kg/m^3, mass scale %g", def.density, def.mass_scale);
    else
        PRINT("mass scale", "%g", def.mass_scale);
    PRINT("damping", "mass %g 1/s, spin %g 1/s, local %g", def.damping_mass, def.damping_spin,
          def.damping_local);
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
    PRINT("unbalanced", "%.4g, inertial number %.4g", m->unbalanced, m->inertial_number);
    PRINT("energy", "kinetic %.6g, rotational %.6g, normal %.6g, tangential %.6g J", e->kinetic,
          e->rotational, e->normal, e->tangential);
    if (e->stored_rolling > 0.0 || e->stored_twisting > 0.0)
        PRINT("", "rolling %.6g, twisting %.6g J", e->stored_rolling, e->stored_twisting);
    PRINT("dissipated", "friction %.6g, contact damping %.6g, body damping %.6g J", e->friction,
          e->contact_damping, e->body_damping);
    if (e->micro_slip != 0.0 || e->rolling != 0.0 || e->twisting != 0.0)
        PRINT("", "micro-slip %.6g, rolling %.6g, twisting %.6g J", e->micro_slip, e->rolling,
              e->twisting);
    PRINT("energy input", "cell %.6g, walls %.6g, gravity %.6g, start %.6g J, residual %.3g J",
          e->cell, e->walls, e->gravity, e->start, e->residual);
    PRINT("hash", "%016" PRIx64, tw_sim_hash(sim));
    if (*tw_sim_label(sim)) PRINT("label", "%s", tw_sim_label(sim));
    return TW_STATUS_OK;
}

typedef struct info_options {
    const char *path;
} info_options;

static const tw_args_option options[] = {
    {NULL, "FILE", NULL, tw_args_once, offsetof(info_options, path)}, {0}};

static void check_settings(const struct argp_state *state, void *settings)
{
    const info_options *set = settings;
    if (!set->path) argp_error(state, "FILE is missing: the file to describe");
}

static const char description[] =
    "Describes the contents of FILE: a checkpoint, an OVAL or DEMPLA D-file, a CSV file of "
    "spheres, "
    "or a LAMMPS data file or dump. Of the folder of a run: peak, modulus, critical state and "
    "other "
    "results of each stage, as defined for twirl sweep."
    "\vExit status: 0 success, 1 out of memory or output not written, 2 bad options or unreadable "
    "file.";

static const tw_args_command command_line = {
    .own = {options, check_settings}, .arguments = "FILE", .description = description};

int tw_info_command(int argc, char **argv)
{
    info_options set = {0};
    tw_error error;
    tw_scene scene;
    int status = TW_EXIT_OK;
    tw_args_parse(&command_line, argc, argv, &set);
    if (tw_info_run_is_folder(set.path))
        return tw_output_finish(argv[0], tw_info_run_print(set.path, argv[0]));
    if (!tw_scene_open(&scene, set.path, &error)) {
        fprintf(stderr, "%s: %s\n", argv[0], error.text);
        return tw_exit_status_reading(error.status);
    }
    grains sizes;
    const bool measured = measure_grains(scene.sim, &sizes);
    print_kind(&scene, set.path);
    print_bodies(scene.sim, &sizes);
    print_cell(&scene, &sizes);
    if (scene.kind == TW_EXCHANGE_CHECKPOINT) {
        tw_info_law_print(scene.sim, LABEL_WIDTH);
        print_settings(scene.sim);
        if (print_state(scene.sim, &error) != TW_STATUS_OK) {
            fprintf(stderr, "%s: %s: %s\n", argv[0], set.path, error.text);
            status = tw_exit_status_reading(error.status);
        }
    }
    tw_scene_free(&scene);
    if (!measured) fprintf(stderr, "%s: out of memory\n", argv[0]);
    return tw_output_finish(argv[0], measured ? status : TW_EXIT_ENVIRONMENT);
}
