/* SPDX-License-Identifier: BSD-3-Clause */
#include "render/render_state.h"

#include <stdlib.h>

#include "common/output.h"

bool tw_render_file_open(tw_render_file *file, const char *path, tw_error *error)
{
    tw_render_state *state = &file->state;
    if (!tw_scene_open(&file->scene, path, error)) return false;
    const tw_scene *scene = &file->scene;
    *state = (tw_render_state){.sim = scene->sim,
                               .foreign = scene->kind != TW_EXCHANGE_CHECKPOINT,
                               .results = scene->specimen ? scene->specimen->results : NULL};
    tw_sim_contacts(scene->sim, &state->contact_count,
                    NULL); /* none are known before preparation */
    state->contacts = tw_exit_unless(malloc((state->contact_count + 1) * sizeof *state->contacts));
    if (state->contact_count > 0) tw_sim_get_contacts(scene->sim, state->contacts, NULL);
    return true;
}

void tw_render_file_close(tw_render_file *file)
{
    free(file->state.contacts);
    tw_scene_free(&file->scene);
}
