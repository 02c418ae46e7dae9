/* SPDX-License-Identifier: BSD-3-Clause */
/* The state in a file, with what is drawn of it. */
#ifndef TWIRL_APP_RENDER_STATE_H
#define TWIRL_APP_RENDER_STATE_H

#include "common/scene.h"
#include "render/render_quantity.h"

typedef struct tw_render_file {
    tw_scene scene;
    tw_render_state state;
} tw_render_file;

/* With what the quantity needs besides: the certificate of NAME.h5 is that of NAME/rates.json.
 * False: see error; there is nothing to close. */
bool tw_render_file_open(tw_render_file *file, const char *path, const tw_render_quantity *quantity,
                         tw_error *error);
void tw_render_file_close(tw_render_file *file);

#endif
