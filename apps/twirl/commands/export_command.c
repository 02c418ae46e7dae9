/* SPDX-License-Identifier: BSD-3-Clause */
/* twirl export: writes a state for other programs. */
#include "commands/commands.h"

#include "common/args.h"
#include "common/output.h"
#include "common/scene.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

typedef struct export_options {
    const struct format *format;
    const char *input;
    char output[PATH_MAX]; /* "": derived from the input */
    tw_lammps_options lammps;
    const char *lammps_option; /* the last one given, or NULL */
} export_options;

typedef tw_status exporter(tw_sim *sim, const export_options *set, tw_error *error);

static tw_status write_csv(tw_sim *sim, const export_options *set, tw_error *error)
{
    return tw_export_csv(sim, set->output, error);
}

static tw_status write_dump(tw_sim *sim, const export_options *set, tw_error *error)
{
    return tw_export_lammps(sim, set->output, error);
}

static tw_status write_contacts(tw_sim *sim, const export_options *set, tw_error *error)
{
    return tw_export_lammps_contacts(sim, set->output, error);
}

/* No steps, but it computes dt and the forces of a state that has not been run. */
static tw_status write_lammps(tw_sim *sim, const export_options *set, tw_error *error)
{
    const tw_status status = tw_sim_prepare(sim, error);
    if (status != TW_STATUS_OK) return status;
    return tw_export_lammps_run(sim, set->output, &set->lammps, error);
}

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

static const struct format {
    const char *name, *extension; /* extension: default of the output */
    exporter *write;
} formats[] = {{"lammps", "", write_lammps},
               {"dump", ".dump", write_dump},
               {"contacts", ".local", write_contacts},
               {"vtk", "_vtk", write_vtk},
               {"csv", ".csv", write_csv}};
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

/* ---- Options of FORMAT lammps ---- */

static void read_pair(const struct argp_state *state, const char *option, char *text, void *member)
{
    static const char *const pairs[] = {[TW_LAMMPS_TWIRL] = "twirl", [TW_LAMMPS_HOOKE] = "hooke"};
    export_options *set = member;
    set->lammps_option = option;
    set->lammps.pair = (tw_lammps_pair)tw_args_choice(state, "--pair", text, strlen(text),
                                                      "a pair style", pairs, 2);
}

static void read_hold(const struct argp_state *state, const char *option, char *text, void *member)
{
    export_options *set = member;
    (void)state, (void)text;
    set->lammps_option = option;
    set->lammps.hold = 1;
}

static void read_drop(const struct argp_state *state, const char *option, char *text, void *member)
{
    export_options *set = member;
    (void)state, (void)text;
    set->lammps_option = option;
    set->lammps.drop_damping = 1;
}

static void read_steps(const struct argp_state *state, const char *option, char *text, void *member)
{
    export_options *set = member;
    set->lammps_option = option;
    tw_args_count(state, option, text, &set->lammps.steps);
}

static const tw_args_option options[] = {
    {NULL, "FORMAT IN", NULL, read_argument, 0},
    {"out", "OUT",
     "output file, folder (vtk) or prefix of the file names (lammps); default: derived from the "
     "name "
     "of IN",
     tw_args_path, offsetof(export_options, output)},
    {"pair", "NAME",
     "lammps: twirl (default), which keeps the contacts, or hooke for gran/hooke/history of a "
     "plain "
     "LAMMPS",
     read_pair, 0},
    {"hold", NULL, "lammps: keep the cell fixed; default: it keeps deforming as in the last step",
     read_hold, 0},
    {"drop-damping", NULL, "lammps: omit the damping of bodies", read_drop, 0},
    {"steps", "N", "lammps: number of steps in the script; default: 1000", read_steps, 0},
    {0}};

static void check_settings(const struct argp_state *state, void *settings)
{
    export_options *set = settings;
    if (!set->format) argp_error(state, "FORMAT is missing: lammps, dump, contacts, vtk or csv");
    if (!set->input) argp_error(state, "IN is missing: the file to read");
    if (set->lammps_option && set->format->write != write_lammps)
        argp_error(state, "--%s has no effect on %s", set->lammps_option, set->format->name);
    if (set->output[0]) return;
    tw_file_name_stem(set->output, sizeof set->output, set->input);
    const size_t used = strlen(set->output);
    snprintf(set->output + used, sizeof set->output - used, "%s", set->format->extension);
}

static const char description[] =
    "Reads IN (a checkpoint, an OVAL or DEMPLA D-file, a CSV or x_y_z_r file of spheres, a LAMMPS "
    "data file "
    "or "
    "dump) and writes it for another program."
    "\v"
    "FORMAT is one of\n"
    "  lammps      OUT.in, .data, .bodies, .contacts, to continue in LAMMPS\n"
    "  dump        LAMMPS dump of the spheres, for OVITO\n"
    "  contacts    LAMMPS dump local of the contacts, for OVITO\n"
    "  vtk         spheres, contacts and cell as .vtu, .vtp and .pvd, for ParaView\n"
    "  csv         spheres, for twirl itself and for spreadsheets\n\n"
    "Only a checkpoint contains contacts and a contact law.\n\n"
    "Exit status: 0 success, 1 out of memory or output not written, 2 bad options or unreadable "
    "file.";

static const tw_args_command command_line = {
    .own = {options, check_settings}, .arguments = "FORMAT IN", .description = description};

int tw_export_command(int argc, char **argv)
{
    export_options set = {.lammps = tw_lammps_options_default()};
    tw_error error;
    tw_scene scene;
    tw_args_parse(&command_line, argc, argv, &set);
    if (!tw_scene_open(&scene, set.input, &error))
        return tw_output_fail(argv[0], tw_exit_status_reading(error.status), "%s", error.text);
    if (set.format->write == write_lammps && scene.kind != TW_EXCHANGE_CHECKPOINT) {
        tw_scene_free(&scene);
        return tw_output_fail(argv[0], TW_EXIT_USAGE,
                              "%s: no contact law; expected a checkpoint, which 'twirl import' can "
                              "make of this file",
                              set.input);
    }
    const tw_status status = set.format->write(scene.sim, &set, &error);
    tw_scene_free(&scene);
    if (status == TW_STATUS_OK) return TW_EXIT_OK;
    return tw_output_fail(argv[0], status == TW_STATUS_INPUT ? TW_EXIT_USAGE : TW_EXIT_ENVIRONMENT,
                          "%s", error.text);
}
