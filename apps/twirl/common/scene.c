/* SPDX-License-Identifier: BSD-3-Clause */
#include "common/scene.h"

#include <dirent.h>
#include <float.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/error.h"
#include "base/mat3.h"

/* Volume of all grains [m^3]; NaN or infinite if that of one is, or is too small for a double. */
static double solid_of(const tw_sim *sim)
{
    double sum = 0.0;
    for (size_t k = 0; k < tw_sim_body_count(sim); k++) {
        tw_body_state body;
        tw_sim_get_body(sim, tw_sim_body_id(sim, k), &body, NULL); /* it exists */
        const double volume = tw_sim_body_volume(sim, &body);
        if (!(volume > DBL_MIN)) return (double)NAN;
        sum += volume;
    }
    return sum;
}

/* Numbers that no specimen can have. Grains may be outside of a cell that is not periodic, and a
 * checkpoint may be of a simulation that went wrong. */
static bool is_possible(const tw_scene *scene, const char *path, tw_error *error)
{
    const tw_sim_def def = tw_sim_get_definition(scene->sim);
    const double solid = solid_of(scene->sim), volume = fabs(tw_mat3_det(tw_sim_cell(scene->sim)));
    if (!isfinite(solid) || !isfinite(volume)) {
        tw_error_set(error, TW_STATUS_INPUT,
                     "%s: the volume of the grains or of the cell is beyond the range of a double",
                     tw_error_shorten_path(path).text);
        return false;
    }
    const bool closed = def.periodic[0] && def.periodic[1] && def.periodic[2];
    if (!scene->specimen || !closed || solid < volume) return true;
    tw_error_set(error, TW_STATUS_INPUT,
                 "%s: the grains have a volume of %.6g m^3, more than the %.6g m^3 of their "
                 "periodic cell",
                 tw_error_shorten_path(path).text, solid, volume);
    return false;
}

bool tw_scene_open(tw_scene *scene, const char *path, tw_error *error)
{
    struct stat about;
    *scene = (tw_scene){.kind = TW_EXCHANGE_UNKNOWN};
    if (stat(path, &about) == 0 && S_ISDIR(about.st_mode)) {
        tw_error_set(error, TW_STATUS_INPUT,
                     "%s is a folder; the states of a run are files in it, such as stages/NAME.h5",
                     path);
        return false;
    }
    scene->kind = tw_exchange_recognise(path, error);
    if (scene->kind == TW_EXCHANGE_UNKNOWN) return false;
    if (scene->kind == TW_EXCHANGE_CHECKPOINT) {
        scene->sim = tw_sim_load(path, error);
    } else {
        tw_sim_def def = tw_sim_def_default();
        def.law.kn = def.law.kt = 1.0;
        scene->specimen = tw_specimen_read(path, error);
        if (scene->specimen) scene->sim = tw_specimen_build(scene->specimen, &def, error);
    }
    if (scene->sim && is_possible(scene, path, error)) return true;
    tw_scene_free(scene);
    return false;
}

void tw_scene_free(tw_scene *scene)
{
    tw_specimen_free(scene->specimen);
    tw_sim_free(scene->sim);
    scene->specimen = NULL;
    scene->sim = NULL;
}

/* ---- States of a run ---- */

/* The number in STAGE_NUMBER.ending; NULL: the name is another one. */
static const char *number_in(const char *name, const char *stage, const char *ending)
{
    const size_t stem = strlen(stage);
    if (strncmp(name, stage, stem) != 0 || name[stem] != '_') return NULL;
    const char *number = name + stem + 1;
    const size_t digits = strspn(number, "0123456789");
    return digits > 0 && strcmp(number + digits, ending) == 0 ? number : NULL;
}

/* Numbers have as many digits as they need, with zeros before them. */
static int compare_names(const void *a, const void *b)
{
    const char *p = a, *q = b;
    const size_t p_length = strlen(p), q_length = strlen(q);
    if (p_length != q_length) return p_length < q_length ? -1 : 1;
    return strcmp(p, q);
}

bool tw_scene_series_find(tw_scene_series *series, const char *folder, const char *stage,
                          const char *ending)
{
    size_t capacity = 0;
    bool good = true;
    *series = (tw_scene_series){.count = 0};
    DIR *list = opendir(folder);
    for (struct dirent *entry; list && good && (entry = readdir(list)) != NULL;) {
        if (!number_in(entry->d_name, stage, ending)) continue;
        if (series->count == capacity) {
            capacity = capacity ? 2 * capacity : 64;
            void *more = realloc(series->name, capacity * sizeof *series->name);
            good = more != NULL;
            if (!good) break;
            series->name = more;
        }
        snprintf(series->name[series->count++], sizeof *series->name, "%s", entry->d_name);
    }
    if (list) closedir(list);
    if (series->count > 0) qsort(series->name, series->count, sizeof *series->name, compare_names);
    if (!good) tw_scene_series_free(series);
    return good;
}

void tw_scene_series_free(tw_scene_series *series)
{
    free(series->name);
    *series = (tw_scene_series){.count = 0};
}

tw_folder_path tw_scene_start(const char *folder, const tw_scenario *scenario, size_t k)
{
    const char *from = scenario->stages[k].from;
    if (from) return tw_folder_path_in(folder, "states", from, ".h5");
    if (k == 0) return tw_folder_path_in(folder, "states", "specimen", ".h5");
    return tw_folder_path_in(folder, "stages", scenario->stages[k - 1].name, ".h5");
}

double tw_scene_steps(const char *path)
{
    tw_sim *sim = tw_sim_load(path, NULL);
    const double steps = sim ? (double)tw_sim_steps(sim) : (double)NAN;
    tw_sim_free(sim);
    return steps;
}

static void copy_name(char *name, size_t size, const char *path)
{
    const char *slash = strrchr(path, '/');
    snprintf(name, size, "%s", slash ? slash + 1 : path);
}

void tw_file_name_base(char *name, size_t size, const char *path)
{
    copy_name(name, size, path);
    char *dot = strrchr(name, '.');
    if (dot && dot != name) *dot = '\0';
}

void tw_file_name_stem(char *name, size_t size, const char *path)
{
    static const char *const endings[] = {".csv",  ".h5",   ".hdf5",      ".txt",
                                          ".data", ".dump", ".lammpstrj", ".local"};
    copy_name(name, size, path);
    const size_t length = strlen(name);
    for (size_t i = 0; i < sizeof endings / sizeof endings[0]; i++) {
        const size_t ending = strlen(endings[i]);
        if (length > ending && strcmp(name + length - ending, endings[i]) == 0)
            name[length - ending] = '\0';
    }
}
