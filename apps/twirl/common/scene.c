/* SPDX-License-Identifier: BSD-3-Clause */
#include "common/scene.h"

#include <stddef.h>
#include <sys/stat.h>

#include "base/error.h"

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
