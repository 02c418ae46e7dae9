/* SPDX-License-Identifier: BSD-3-Clause */
/* A simulation from any kind of readable file, to inspect, draw or export. */
#ifndef TWIRL_APP_SCENE_H
#define TWIRL_APP_SCENE_H

#include <stdbool.h>
#include <stddef.h>

#include <limits.h>
#include <twirl/exchange.h>
#include <twirl/scenario.h>

#include "base/file.h"

typedef struct tw_scene {
    tw_exchange_kind kind;
    tw_specimen *specimen; /* NULL for a checkpoint */
    tw_sim *sim;
} tw_scene;

/* False: see error; there is nothing to free. Only a checkpoint has a contact law; anything else
 * gets one of unit stiffness without friction, which is not meant to be run. */
bool tw_scene_open(tw_scene *scene, const char *path, tw_error *error);
void tw_scene_free(tw_scene *scene);

/* States in the folder of a run. */

/* Names of the files STAGE_NUMBER.ending in a folder, in the order of their numbers. */
typedef struct tw_scene_series {
    char (*name)[NAME_MAX + 1];
    size_t count;
} tw_scene_series;

/* False: out of memory. A folder that does not exist is empty. */
bool tw_scene_series_find(tw_scene_series *series, const char *folder, const char *stage,
                          const char *ending);
void tw_scene_series_free(tw_scene_series *series);

/* The state that stage `k` of the scenario starts from, in the folder of its run. */
tw_folder_path tw_scene_start(const char *folder, const tw_scenario *scenario, size_t k);

/* The step count of a checkpoint; NaN: it cannot be read. */
double tw_scene_steps(const char *path);

/* Names for output files, from the path of another file. */

/* Without the folder and the last extension. */
void tw_file_name_base(char *name, size_t size, const char *path);

/* Without the folder and the extensions of file formats that are known here. Keeps the dot of a
 * number, as in sand_0.566. */
void tw_file_name_stem(char *name, size_t size, const char *path);

#endif
