/* SPDX-License-Identifier: BSD-3-Clause */
/* twirl convert: from one form of file to another. */
#include "args.h"
#include "commands.h"
#include "scene.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include <twirl/text.h>

typedef struct settings {
    const char *input, *output;
} settings;

static error_t parse_option(int key, char *text, struct argp_state *state)
{
    settings *set = state->input;
    switch (key) {
    case ARGP_KEY_ARG:
        if (set->output) argp_error(state, "IN and OUT are enough: '%s' is the third", text);
        if (set->input) {
            set->output = text;
        } else {
            set->input = text;
        }
        break;
    case ARGP_KEY_END:
        if (!set->input) argp_error(state, "IN is missing: the file to read");
        if (!set->output) argp_error(state, "OUT is missing: the file or directory to write");
        break;
    default:
        return ARGP_ERR_UNKNOWN;
    }
    return 0;
}

static const char description[] =
    "Reads IN (a D-file of OVAL or DEMPLA, a CSV of spheres, or a checkpoint) and writes it as "
    "OUT. "
    "The ending of OUT says what it becomes:"
    "\v"
    "  .csv                 spheres, for twirl itself and for tables\n"
    "  .dump, .lammpstrj    LAMMPS dump of the spheres, for OVITO\n"
    "  .local               LAMMPS dump local of the contacts, for OVITO\n"
    "  / or a directory     spheres, contacts and cell as .vtu, .vtp and .pvd, for ParaView\n\n"
    "Only a checkpoint knows contacts.\n\n"
    "Exit status: 0 done, 2 bad options or a file that cannot be read, 1 no memory or no output.";

static const struct argp argp = {NULL, parse_option, "IN OUT", description, NULL, NULL, NULL};

typedef tw_status exporter(const tw_sim *sim, const settings *set, tw_error *error);

static tw_status write_csv(const tw_sim *sim, const settings *set, tw_error *error)
{
    return tw_export_csv(sim, set->output, error);
}

static tw_status write_dump(const tw_sim *sim, const settings *set, tw_error *error)
{
    return tw_export_lammps(sim, set->output, error);
}

static tw_status write_local(const tw_sim *sim, const settings *set, tw_error *error)
{
    return tw_export_lammps_contacts(sim, set->output, error);
}

/* The frame's files are named after the input. An ending that says nothing but the format is left
 * out; the dot of a number, as in sand_0.566, stays. */
static void choose_name(char *name, size_t size, const char *input)
{
    static const char *const endings[] = {".csv", ".h5", ".hdf5", ".txt"};
    const char *slash = strrchr(input, '/');
    snprintf(name, size, "%s", slash ? slash + 1 : input);
    const size_t length = strlen(name);
    for (size_t i = 0; i < sizeof endings / sizeof endings[0]; i++) {
        const size_t ending = strlen(endings[i]);
        if (length > ending && strcmp(name + length - ending, endings[i]) == 0)
            name[length - ending] = '\0';
    }
}

static tw_status write_series(const tw_sim *sim, const settings *set, tw_error *error)
{
    char name[NAME_MAX + 1];
    choose_name(name, sizeof name, set->input);
    tw_export_series *series = tw_export_series_open(set->output, name, error);
    if (!series) return error->status;
    const tw_status status = tw_export_series_add(series, sim, error);
    tw_export_series_close(series);
    return status;
}

static const struct {
    const char *ending;
    exporter *write;
} forms[] = {{".csv", write_csv},
             {".dump", write_dump},
             {".lammpstrj", write_dump},
             {".local", write_local}};
enum { FORMS = sizeof forms / sizeof forms[0] };

/* NULL: an ending that says nothing. */
static exporter *choose_form(const char *path)
{
    struct stat about;
    const size_t length = strlen(path);
    if (length > 0 && path[length - 1] == '/') return write_series;
    if (stat(path, &about) == 0 && S_ISDIR(about.st_mode)) return write_series;
    for (size_t i = 0; i < FORMS; i++) {
        const size_t ending = strlen(forms[i].ending);
        if (length > ending && strcmp(path + length - ending, forms[i].ending) == 0)
            return forms[i].write;
    }
    return NULL;
}

static int refuse_form(const char *command, const char *path)
{
    const char *known[FORMS];
    for (size_t i = 0; i < FORMS; i++)
        known[i] = forms[i].ending;
    const char *slash = strrchr(path, '/'), *dot = strrchr(slash ? slash : path, '.');
    const char *ending = dot ? dot : "";
    fprintf(stderr,
            "%s: OUT %s: ending %s: did you mean '%s'? (.csv, .dump, .lammpstrj, .local, or a "
            "directory with / at its end)\n",
            command, tw_text_quote(path, strlen(path)).text,
            tw_text_quote(ending, strlen(ending)).text, tw_nearest(ending, known, FORMS));
    return TW_EXIT_USAGE;
}

int tw_convert_command(int argc, char **argv)
{
    settings set = {0};
    tw_error error;
    tw_scene scene;
    tw_args_parse(&argp, argc, argv, &set);
    exporter *write = choose_form(set.output);
    if (!write) return refuse_form(argv[0], set.output);
    if (!tw_scene_open(&scene, set.input, &error)) {
        fprintf(stderr, "%s: %s\n", argv[0], error.text);
        return tw_scene_exit_status(&error);
    }
    const tw_status status = write(scene.sim, &set, &error);
    tw_scene_free(&scene);
    if (status == TW_STATUS_OK) return TW_EXIT_OK;
    fprintf(stderr, "%s: %s\n", argv[0], error.text);
    return status == TW_STATUS_INPUT ? TW_EXIT_USAGE : TW_EXIT_ENVIRONMENT;
}
