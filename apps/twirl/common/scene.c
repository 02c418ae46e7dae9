/* SPDX-License-Identifier: BSD-3-Clause */
#include "common/scene.h"

#include <stddef.h>

bool tw_scene_open(tw_scene *scene, const char *path, tw_error *error)
{
    *scene = (tw_scene){.kind = tw_exchange_recognise(path, error)};
    if (scene->kind == TW_EXCHANGE_UNKNOWN) return false;
    if (scene->kind == TW_EXCHANGE_CHECKPOINT) {
        scene->sim = tw_sim_load(path, error);
    } else {
        tw_sim_def def = tw_sim_def_default();
        def.law.kn = def.law.kt = 1.0;
        scene->specimen = tw_specimen_read(path, error);
        if (scene->specimen) scene->sim = tw_specimen_build(scene->specimen, &def, error);
    }
    if (scene->sim) return true;
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
