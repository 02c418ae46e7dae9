/* SPDX-License-Identifier: BSD-3-Clause */
#include "render/render_state.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/output.h"

/* The contacts of FRAME.dump are in FRAME.local beside it. False: there is no such file. */
static bool find_contacts(const char *path, char *contacts, size_t size)
{
    const size_t length = strlen(path), ending = strlen(".dump");
    if (length <= ending || strcmp(path + length - ending, ".dump") != 0) return false;
    const int used = snprintf(contacts, size, "%.*s.local", (int)(length - ending), path);
    return used > 0 && (size_t)used < size && access(contacts, F_OK) == 0;
}

bool tw_render_file_open(tw_render_file *file, const char *path, tw_error *error)
{
    tw_render_state *state = &file->state;
    char contacts[PATH_MAX];
    if (!tw_scene_open(&file->scene, path, error)) return false;
    const tw_scene *scene = &file->scene;
    *state = (tw_render_state){.sim = scene->sim,
                               .foreign = scene->kind != TW_EXCHANGE_CHECKPOINT,
                               .results = scene->specimen ? scene->specimen->results : NULL};
    if (find_contacts(path, contacts, sizeof contacts) && state->results) {
        if (tw_specimen_read_lammps_local(contacts, scene->sim, &state->contacts,
                                          &state->contact_count, error) == TW_STATUS_OK)
            return true;
        tw_scene_free(&file->scene);
        return false;
    }
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
