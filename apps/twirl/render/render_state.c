/* SPDX-License-Identifier: BSD-3-Clause */
#include "render/render_state.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file.h"
#include "common/output.h"

/* The contacts of FRAME.dump are in FRAME.local beside it. False: there is no such file. */
static bool find_contacts(const char *path, char *contacts, size_t size)
{
    const size_t length = strlen(path), ending = strlen(".dump");
    if (length <= ending || strcmp(path + length - ending, ".dump") != 0) return false;
    const int used = snprintf(contacts, size, "%.*s.local", (int)(length - ending), path);
    return used > 0 && (size_t)used < size && access(contacts, F_OK) == 0;
}

/* From the folder of the stage, or the one that `twirl rates` has written. */
static tw_status read_certificate(tw_render_state *state, const char *path, tw_error *error)
{
    const tw_statics_judgement *found = &state->rates.judgement;
    const size_t length = strlen(path), ending = strlen(".h5"),
                 bodies = tw_sim_body_count(state->sim);
    const tw_error_path shown = tw_error_shorten_path(path);
    tw_folder_path folder;
    if (length <= ending || strcmp(path + length - ending, ".h5") != 0)
        return tw_error_set(error, TW_STATUS_INPUT,
                            "%s: only a checkpoint NAME.h5 has a certificate, in NAME/rates.json",
                            shown.text);
    const int stem = (int)(strlen(shown.text) - ending);
    snprintf(folder.text, sizeof folder.text, "%.*s", (int)(length - ending), path);
    if (access(tw_folder_path_join(folder.text, "rates.json").text, F_OK) != 0)
        return tw_error_set(error, TW_STATUS_INPUT,
                            "%s: there is no %.*s/rates.json with its certificate; 'twirl rates %s "
                            "--out %.*s' writes it",
                            shown.text, stem, shown.text, shown.text, stem, shown.text);
    const tw_status status = tw_statics_survey_read(folder.text, &state->rates, error);
    if (status != TW_STATUS_OK) return status;
    if (found->verdict != TW_STATICS_NOT_UNIQUE)
        return tw_error_set(error, TW_STATUS_INPUT,
                            "%.*s/rates.json: the verdict is '%s', without a certificate", stem,
                            shown.text, tw_statics_verdict_name(found->verdict));
    if (found->certificate_count == 0)
        return tw_error_set(error, TW_STATUS_INPUT,
                            "%.*s/rates.json: the certificate is all contacts at the friction "
                            "limit together; --chains --color mobilisation shows them",
                            stem, shown.text);
    for (size_t k = 0; k < found->certificate_count; k++) {
        const tw_contact_state *c = &state->rates.certificate[k];
        if (tw_sim_body_row(state->sim, c->body_p) < bodies &&
            (c->body_q == TW_NO_BODY || tw_sim_body_row(state->sim, c->body_q) < bodies))
            continue;
        return tw_error_set(error, TW_STATUS_INPUT,
                            "%.*s/rates.json is that of another state: %s has %zu bodies, and none "
                            "with an id of its certificate",
                            stem, shown.text, shown.text, bodies);
    }
    return TW_STATUS_OK;
}

bool tw_render_file_open(tw_render_file *file, const char *path, const tw_render_quantity *quantity,
                         tw_error *error)
{
    tw_render_state *state = &file->state;
    char contacts[PATH_MAX];
    if (!tw_scene_open(&file->scene, path, error)) return false;
    const tw_scene *scene = &file->scene;
    *state = (tw_render_state){.sim = scene->sim,
                               .foreign = scene->kind != TW_EXCHANGE_CHECKPOINT,
                               .results = scene->specimen ? scene->specimen->results : NULL};
    if (tw_render_quantity_is_certificate(quantity) &&
        read_certificate(state, path, error) != TW_STATUS_OK) {
        tw_scene_free(&file->scene);
        return false;
    }
    if (find_contacts(path, contacts, sizeof contacts) && state->results) {
        if (tw_specimen_read_lammps_local(contacts, scene->sim, &state->contacts,
                                          &state->contact_count, error) == TW_STATUS_OK)
            return true;
        tw_scene_free(&file->scene);
        return false;
    }
    if (tw_sim_list_contacts(scene->sim, &state->contacts, &state->contact_count, error) ==
        TW_STATUS_OK)
        return true;
    tw_render_file_close(file);
    return false;
}

void tw_render_file_close(tw_render_file *file)
{
    free(file->state.contacts);
    tw_scene_free(&file->scene);
}
