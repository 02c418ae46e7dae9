/* SPDX-License-Identifier: BSD-3-Clause */
#include <twirl/scenario.h>

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <twirl/text.h>

#include "scenario/faults.h"
#include "scenario/fill.h"
#include "scenario/keys.h"
#include "scenario/resolve.h"
#include "scenario/review.h"
#include "scenario/settings.h"
#include "scenario/tree.h"

void tw_scenario_free(tw_scenario *scenario)
{
    if (!scenario) return;
    tw_fill_free(tw_keys_root(), scenario);
    free(scenario);
}

const char *tw_scenario_path_name(int32_t path)
{
    static const char *const names[] = {
#define WORD_OF(name, word, meaning) word,
        TW_SCENARIO_PATHS(WORD_OF)
#undef WORD_OF
    };
    return path >= 0 && (size_t)path < sizeof names / sizeof *names ? names[path] : NULL;
}

void tw_scenario_put_law(const tw_scenario *scenario, const tw_scenario_stage *stage,
                         tw_contact_law *law)
{
    const tw_scenario_material *m = &scenario->material;
    const double ratio = isnan(m->kt_ratio) ? law->kt / law->kn : m->kt_ratio;
    if (!isnan(m->kn)) law->kn = m->kn;
    if (!isnan(m->kn) || !isnan(m->kt_ratio)) law->kt = ratio * law->kn;
    if (!isnan(m->contact_damping)) law->nu = m->contact_damping;
    const double mu = stage ? stage->friction : m->friction;
    const int32_t kind = stage && stage->law >= 0 ? stage->law : m->law;
    const uint32_t without = stage ? stage->without : m->without;
    if (!isnan(mu)) law->mu = mu;
    if (kind >= 0) law->kind = kind;
    if (without != TW_SCENARIO_NO_SET) law->refine = TW_CONTACT_ALL & ~without;
}

/* The folder of the file, "" where it has none: a copy. */
static char *folder_of(const char *name)
{
    const char *slash = strrchr(name, '/');
    const size_t length = slash ? (size_t)(slash - name) + (slash == name) : 0;
    char *folder = malloc(length + 1);
    if (!folder) return NULL;
    memcpy(folder, name, length);
    folder[length] = '\0';
    return folder;
}

static tw_scenario *make(tw_node *root, tw_faults *faults)
{
    char *folder = folder_of(faults->name);
    tw_scenario *scenario = malloc(sizeof *scenario);
    if (!folder || !scenario) {
        tw_faults_memory(faults);
        free(folder);
        free(scenario);
        return NULL;
    }
    const tw_fill fill = {faults, folder};
    tw_fill_clear(tw_keys_root(), scenario);
    tw_fill_map(&fill, tw_keys_root(), root, NULL, 0, scenario);
    free(folder);
    const tw_review review = {scenario, root, faults};
    tw_review_specimen(&review);
    tw_review_material(&review);
    tw_review_stages(&review);
    if (!tw_faults_any(faults) && !tw_resolve(scenario)) tw_faults_memory(faults);
    if (!tw_faults_any(faults)) return scenario;
    tw_scenario_free(scenario);
    return NULL;
}

static tw_scenario *read_tree(const char *text, size_t length, size_t settings, tw_faults *faults)
{
    tw_node *root = tw_tree_parse(text, length, 0, NULL, faults);
    tw_scenario *scenario = NULL;
    if (!root) return NULL;
    if (root->kind != TW_NODE_MAP) {
        tw_faults_add(faults, root->place, NULL,
                      "no keys: a scenario starts with 'specimen:', 'material:' or 'stages:'");
    } else {
        for (size_t i = 1; i <= settings; i++)
            tw_settings_apply(root, i, faults);
        scenario = make(root, faults);
    }
    tw_tree_free(root);
    return scenario;
}

tw_scenario *tw_scenario_read_text(const char *text, size_t length, const char *name,
                                   const char *const *settings, size_t count,
                                   tw_scenario_errors *errors)
{
    tw_faults faults = {.name = name, .settings = settings};
    tw_scenario *scenario = NULL;
    tw_plain plain;
    if (tw_plain_enter(&plain)) {
        scenario = read_tree(text, length, count, &faults);
        tw_plain_leave(&plain);
    } else {
        tw_faults_memory(&faults);
    }
    tw_faults_give(&faults, errors);
    return scenario;
}

/* The whole file, or one byte more than is allowed; NULL: `faults` says why. */
static char *read_bytes(const char *path, size_t *length, tw_faults *faults)
{
    FILE *file = fopen(path, "rb");
    char *bytes = file ? malloc(TW_TREE_BYTES_MAX + 1) : NULL;
    errno = file ? 0 : errno;
    *length = bytes ? fread(bytes, 1, TW_TREE_BYTES_MAX + 1, file) : 0;
    if (file && !bytes) {
        tw_faults_memory(faults);
    } else if (!file || ferror(file)) {
        char reason[128] = "unknown reason";
        if (strerror_r(errno, reason, sizeof reason) != 0) reason[sizeof reason - 1] = '\0';
        tw_faults_add(faults, (tw_place){0}, NULL, "cannot be read: %s", reason);
        free(bytes);
        bytes = NULL;
    }
    if (file) (void)fclose(file);
    return bytes;
}

tw_scenario *tw_scenario_read(const char *path, const char *const *settings, size_t count,
                              tw_scenario_errors *errors)
{
    tw_faults faults = {.name = path, .settings = settings};
    size_t length;
    char *bytes = read_bytes(path, &length, &faults);
    if (!bytes) {
        tw_faults_give(&faults, errors);
        return NULL;
    }
    tw_scenario *scenario = tw_scenario_read_text(bytes, length, path, settings, count, errors);
    free(bytes);
    return scenario;
}
