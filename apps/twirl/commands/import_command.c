/* SPDX-License-Identifier: BSD-3-Clause */
/* twirl import: makes a checkpoint from a file of another program. */
#include "commands/commands.h"

#include "base/error.h"
#include "base/mat3.h"
#include "common/args.h"
#include "common/law_options.h"
#include "common/output.h"
#include "common/scene.h"

#include <twirl/exchange.h>

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct import_options {
    const char *input;
    char output[PATH_MAX];
    tw_law_options law;
    double density; /* NaN: not given */
    tw_args_matrix gradient, cell;
    int open[3]; /* 1: not periodic along this edge */
} import_options;

static void read_open(const struct argp_state *state, const char *option, char *text, void *member)
{
    int *open = member;
    if (text[0] == '\0' || text[strspn(text, "abc")] != '\0')
        argp_error(state, "--%s: '%s': expected some of the letters a, b, c", option, text);
    for (; *text; text++)
        open[*text - 'a'] = 1;
}

static const tw_args_option options[] = {
    {NULL, "FILE", "the assembly to read", tw_args_once, offsetof(import_options, input)},
    {"out", "CHECKPOINT", "checkpoint to write; default: derived from the name of FILE, with .h5",
     tw_args_path, offsetof(import_options, output)},
    {"density", "NUMBER",
     "density of the grains [kg/m^3]; default: from the masses in the file, otherwise 2650",
     tw_args_positive, offsetof(import_options, density)},
    {"gradient", "NUMBERS",
     "velocity gradient of the cell [1/s], 3 or 9 numbers, which the velocities in the file "
     "include",
     tw_args_read_matrix, offsetof(import_options, gradient)},
    {"cell", "NUMBERS",
     "for a file without a cell: its edges along x, y and z [m], or 9 numbers row by row with the "
     "edges as columns; its corner is the origin, and it is periodic but for --open",
     tw_args_read_matrix, offsetof(import_options, cell)},
    {"open", "EDGES", "edges along which the cell is not periodic: some of the letters a, b, c",
     read_open, offsetof(import_options, open)},
    {0}};

static const char description[] =
    "Makes a checkpoint from FILE: a LAMMPS data file or text dump, an OVAL or DEMPLA D-file, a "
    "CSV file of spheres, or spheres of YADE (x y z r in each line). --kn, --kt and --mu (or those "
    "of another law) are required, as these files contain no contact law; only a LAMMPS data file "
    "may, written by 'write_data ... pair ij' with pair_style twirl. "
    "Contacts start without tangential forces."
    "\vLAMMPS files may contain spheres, and molecules as rigid clusters. The last frame of a dump "
    "is read. A data file does not say along which edges its box is periodic: all, except those "
    "given with --open.\n\n"
    "Exit status: 0 success, 1 out of memory or output not written, 2 bad options or unreadable "
    "file.";

static const tw_args_command command_line = {.own = {options, NULL},
                                             .shared = &tw_law_options_table,
                                             .shared_offset = offsetof(import_options, law),
                                             .arguments = "FILE",
                                             .description = description};

/* Velocities in other programs include the affine motion about the centre of the cell; here they do
 * not. */
static tw_status subtract_affine(tw_sim *sim, const tw_mat3 *gradient, tw_error *error)
{
    const tw_mat3 cell = tw_sim_cell(sim);
    const tw_vec3 middle = tw_mat3_mul_vec(cell, tw_vec3_make(0.5, 0.5, 0.5));
    for (uint32_t id = 0; id < tw_sim_body_count(sim); id++) {
        tw_body_state b;
        tw_status status = tw_sim_get_body(sim, id, &b, error);
        if (status != TW_STATUS_OK) return status;
        const tw_vec3 affine = tw_mat3_mul_vec(*gradient, tw_vec3_sub(b.x, middle));
        status = tw_sim_set_body_velocity(sim, id, tw_vec3_sub(b.v, affine), b.w, error);
        if (status != TW_STATUS_OK) return status;
    }
    tw_sim_set_velocity_gradient(sim, gradient);
    return TW_STATUS_OK;
}

static tw_status choose_density(const import_options *set, const tw_specimen *specimen,
                                tw_sim_def *def, tw_error *error)
{
    if (!isnan(set->density)) {
        def->density = set->density;
        return TW_STATUS_OK;
    }
    if (!specimen->mass) return TW_STATUS_OK;
    const tw_status status = tw_specimen_get_density(specimen, &def->density, error);
    if (status != TW_STATUS_INPUT) return status;
    const size_t used = strlen(error->text);
    snprintf(error->text + used, sizeof error->text - used, "; set it with --density");
    return status;
}

static bool set_cell(const import_options *set, tw_specimen *specimen, tw_error *error)
{
    if (set->cell.given && specimen->cell_given) {
        tw_error_set(error, TW_STATUS_INPUT, "--cell: %s has a cell", set->input);
        return false;
    }
    for (int k = 0; k < 3; k++) {
        if (set->cell.given) specimen->periodic[k] = 1;
        specimen->periodic[k] = specimen->periodic[k] && !set->open[k];
    }
    if (set->cell.given) specimen->cell = set->cell.value;
    return true;
}

/* The law of the options or, if there are none, the laws of the file: then kn stays 0. */
static bool choose_law(const import_options *set, const tw_specimen *specimen, tw_contact_law *law,
                       tw_error *error)
{
    bool given = true;
    tw_contact_law any = tw_contact_law_default();
    any.kn = 1.0;
    if (specimen->laws && tw_law_options_change(&set->law, &any, &given, error) == TW_STATUS_OK &&
        !given)
        return true;
    return tw_law_options_make(&set->law, law, error) == TW_STATUS_OK;
}

/* NULL on failure. */
static tw_sim *build(const import_options *set, tw_error *error)
{
    tw_sim_def def = tw_sim_def_default();
    tw_specimen *specimen = tw_specimen_read(set->input, error);
    if (!specimen) return NULL;
    tw_sim *sim = NULL;
    if (choose_law(set, specimen, &def.law, error) && set_cell(set, specimen, error) &&
        choose_density(set, specimen, &def, error) == TW_STATUS_OK)
        sim = tw_specimen_build(specimen, &def, error);
    bool good = sim && tw_sim_prepare(sim, error) == TW_STATUS_OK;
    tw_specimen_free(specimen);
    if (good && set->gradient.given)
        good = subtract_affine(sim, &set->gradient.value, error) == TW_STATUS_OK;
    if (good) return sim;
    tw_sim_free(sim);
    return NULL;
}

int tw_import_command(int argc, char **argv)
{
    import_options set = {.law = tw_law_options_none(), .density = nan("")};
    tw_error error = {TW_STATUS_OK, ""};
    tw_args_parse(&command_line, argc, argv, &set);
    if (!set.output[0]) {
        tw_file_name_stem(set.output, sizeof set.output - 4, set.input);
        strcat(set.output, ".h5");
    }
    tw_sim *sim = build(&set, &error);
    if (!sim)
        return tw_output_fail(argv[0], tw_exit_status_reading(error.status), "%s", error.text);
    const tw_status status = tw_sim_save(sim, set.output, &error);
    tw_sim_free(sim);
    if (status == TW_STATUS_OK) return TW_EXIT_OK;
    return tw_output_fail(argv[0], TW_EXIT_ENVIRONMENT, "%s", error.text);
}
