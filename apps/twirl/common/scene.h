/* SPDX-License-Identifier: BSD-3-Clause */
/* What `twirl info` and `twirl export` share: a simulation from any file that holds one. */
#ifndef TWIRL_APP_SCENE_H
#define TWIRL_APP_SCENE_H

#include <stdbool.h>

#include <twirl/exchange.h>

typedef struct tw_scene {
    tw_exchange_kind kind;
    tw_specimen *specimen; /* NULL for a checkpoint */
    tw_sim *sim;
} tw_scene;

/* False: error says why; nothing to free. A D-file or CSV gets a law without friction and of unit
 * stiffness: it is to be looked at, not run. */
bool tw_scene_open(tw_scene *scene, const char *path, tw_error *error);
void tw_scene_free(tw_scene *scene);

/* The exit status for an error in reading. */
int tw_scene_exit_status(const tw_error *error);

#endif
