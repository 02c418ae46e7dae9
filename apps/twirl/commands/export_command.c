/* SPDX-License-Identifier: BSD-3-Clause */
/* twirl export: writes a state for other programs. */
#include "commands/commands.h"

#include "common/args.h"
#include "common/output.h"
#include "common/scene.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct export_options {
    const struct format *format;
    const char *input;
    char output[PATH_MAX]; /* "": derived from the input */
    /* Options of the format fields */
    const char *since; /* NULL: not given */
    double window;     /* in mean diameters; 0: not given */
} export_options;

static tw_status write_vtk(tw_sim *sim, const export_options *set, tw_error *error)
{
    char name[NAME_MAX + 1];
    tw_file_name_stem(name, sizeof name, set->input);
    tw_export_series *series = tw_export_series_open(set->output, name, error);
    if (!series) return error->status;
    const tw_status status = tw_export_series_add(series, sim, error);
    tw_export_series_close(series);
    return status;
}

/* Two points to a window, in equal parts of the edges. */
static tw_sim_field_grid grid_of(const tw_sim *sim, double window)
{
    const tw_mat3 h = tw_sim_cell(sim);
    tw_sim_field_grid grid = {.window = window};
    for (int k = 0; k < 3; k++) {
        const double length = tw_vec3_norm(tw_vec3_make(h.m[k], h.m[3 + k], h.m[6 + k]));
        const double parts = ceil(2.0 * length / window);
        grid.count[k] = parts >= 1.0 && parts <= 1000.0 ? (size_t)parts : 1000;
        grid.at[k] = 0.5 / (double)grid.count[k];
    }
    return grid;
}

static tw_status write_fields(tw_sim *sim, const export_options *set, tw_error *error)
{
    tw_scene since = {.sim = NULL};
    const double window = (set->window > 0.0 ? set->window : 3.0) * tw_sim_mean_diameter(sim);
    const tw_sim_field_grid grid = grid_of(sim, window);
    if (set->since && !tw_scene_open(&since, set->since, error))
        return tw_exit_status_reading(error->status) == TW_EXIT_USAGE ? TW_STATUS_INPUT
                                                                      : error->status;
    const size_t count = grid.count[0] * grid.count[1] * grid.count[2];
    tw_sim_field *fields = tw_exit_unless(malloc(count * sizeof *fields));
    tw_status status = tw_sim_get_fields(sim, since.sim, NULL, 0, &grid, fields, count, error);
    if (status == TW_STATUS_OK)
        status = tw_export_fields(sim, &grid, fields, count, set->output, error);
    if (status == TW_STATUS_OK)
        printf("%s: %zu x %zu x %zu points, coarse graining in %.6g m\n", set->output,
               grid.count[0], grid.count[1], grid.count[2], window);
    free(fields);
    if (set->since) tw_scene_free(&since);
    return status;
}

static const struct format {
    const char *name, *extension; /* extension: default of the output */
    tw_status (*write)(const tw_sim *sim, const char *path, tw_error *error); /* of one file, or */
    tw_status (*write_all)(tw_sim *sim, const export_options *set, tw_error *error);
} formats[] = {{"dump", ".dump", tw_export_lammps, NULL},
               {"contacts", ".local", tw_export_lammps_contacts, NULL},
               {"vtk", "_vtk", NULL, write_vtk},
               {"fields", "_fields.vts", NULL, write_fields},
               {"csv", ".csv", tw_export_csv, NULL}};
enum { FORMATS = sizeof formats / sizeof formats[0] };

/* FORMAT, then IN. */
static void read_argument(const struct argp_state *state, const char *name, char *text,
                          void *member)
{
    export_options *set = member;
    const char *known[FORMATS];
    (void)name;
    if (set->format) {
        tw_args_once(state, "IN", text, &set->input);
        return;
    }
    for (size_t i = 0; i < FORMATS; i++)
        known[i] = formats[i].name;
    set->format =
        &formats[tw_args_choice(state, "FORMAT", text, strlen(text), "a format", known, FORMATS)];
}

static const tw_args_option options[] = {
    {NULL, "FORMAT IN", NULL, read_argument, 0},
    {"out", "OUT", "output file or folder (vtk); default: derived from the name of IN",
     tw_args_path, offsetof(export_options, output)},
    {"since", "FILE", "fields: an earlier state, for strain and rotation since then", tw_args_text,
     offsetof(export_options, since)},
    {"window", "N",
     "fields: radius of the coarse graining in mean diameters of the grains; default: 3",
     tw_args_positive, offsetof(export_options, window)},
    {0}};

static void check_settings(const struct argp_state *state, void *settings)
{
    export_options *set = settings;
    if (!set->format) argp_error(state, "FORMAT is missing: dump, contacts, vtk, fields or csv");
    if (!set->input) argp_error(state, "IN is missing: the file to read");
    if ((set->since || set->window > 0.0) && set->format->write_all != write_fields)
        argp_error(state, "--%s has no effect on %s", set->since ? "since" : "window",
                   set->format->name);
    if (set->output[0]) return;
    tw_file_name_stem(set->output, sizeof set->output, set->input);
    const size_t used = strlen(set->output);
    snprintf(set->output + used, sizeof set->output - used, "%s", set->format->extension);
}

static const char description[] =
    "Reads IN (a checkpoint, an OVAL or DEMPLA D-file, a CSV or x_y_z_r file of spheres, a LAMMPS "
    "data file or dump) and writes it for another program."
    "\v"
    "FORMAT is one of\n"
    "  dump        LAMMPS dump of the spheres, for OVITO\n"
    "  contacts    LAMMPS dump local of the contacts, for OVITO\n"
    "  vtk         spheres, contacts, cell and walls as .vtu, .vtp and .pvd, for ParaView\n"
    "  fields      local porosity, stress, strain by coarse graining as .vts, for ParaView\n"
    "  csv         spheres, for twirl itself and for spreadsheets\n\n"
    "Only a checkpoint contains contacts.\n\n"
    "Exit status: 0 success, 1 out of memory or output not written, 2 bad options or unreadable "
    "file.";

static const tw_args_command command_line = {
    .own = {options, check_settings}, .arguments = "FORMAT IN", .description = description};

int tw_export_command(int argc, char **argv)
{
    export_options set = {0};
    tw_error error;
    tw_scene scene;
    tw_args_parse(&command_line, argc, argv, &set);
    if (!tw_scene_open(&scene, set.input, &error))
        return tw_output_fail(argv[0], tw_exit_status_reading(error.status), "%s", error.text);
    const tw_status status = set.format->write ? set.format->write(scene.sim, set.output, &error)
                                               : set.format->write_all(scene.sim, &set, &error);
    tw_scene_free(&scene);
    if (status == TW_STATUS_OK) return TW_EXIT_OK;
    return tw_output_fail(argv[0], status == TW_STATUS_INPUT ? TW_EXIT_USAGE : TW_EXIT_ENVIRONMENT,
                          "%s", error.text);
}
