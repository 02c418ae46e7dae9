/* SPDX-License-Identifier: BSD-3-Clause */
/* A simulation from any kind of readable file, to inspect, draw or export. */
#ifndef TWIRL_APP_SCENE_H
#define TWIRL_APP_SCENE_H

#include <stdbool.h>
#include <stddef.h>

#include <twirl/exchange.h>

typedef struct tw_scene {
    tw_exchange_kind kind;
    tw_specimen *specimen; /* NULL for a checkpoint */
    tw_sim *sim;
} tw_scene;

/* False: see error; there is nothing to free. Only a checkpoint has a contact law; anything else
 * gets one of unit stiffness without friction, which is not meant to be run. */
bool tw_scene_open(tw_scene *scene, const char *path, tw_error *error);
void tw_scene_free(tw_scene *scene);

/* Names for output files, from the path of another file. */

/* Without the folder and the last extension. */
void tw_file_name_base(char *name, size_t size, const char *path);

/* Without the folder and the extensions of file formats that are known here. Keeps the dot of a
 * number, as in sand_0.566. */
void tw_file_name_stem(char *name, size_t size, const char *path);

#endif
