/* SPDX-License-Identifier: BSD-3-Clause */
#include <twirl/scenario.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/environment.h"
#include "base/file.h"
#include "scenario/diagnostics.h"
#include "scenario/fill.h"
#include "scenario/key.h"
#include "scenario/resolve.h"
#include "scenario/review_law.h"
#include "scenario/review_loading.h"
#include "scenario/review_material.h"
#include "scenario/review_materials.h"
#include "scenario/review_method.h"
#include "scenario/review_specimen.h"
#include "scenario/review_stages.h"
#include "scenario/settings.h"
#include "scenario/shape_file.h"
#include "scenario/text_copy.h"
#include "scenario/tree_parse.h"
#include "scenario/values.h"

void tw_scenario_free(tw_scenario *scenario)
{
    if (!scenario) return;
    tw_fields_free(tw_key_root(), scenario);
    free(scenario);
}

void tw_scenario_errors_free(tw_scenario_errors *errors)
{
    for (size_t i = 0; i < errors->count; i++)
        free(errors->text[i]);
    for (size_t i = 0; i < errors->warning_count; i++)
        free(errors->warning[i]);
    free(errors->text);
    free(errors->warning);
    *errors = (tw_scenario_errors){0};
}

/* The folder of the file, "" if the name has none, for the caller to free. */
static char *folder_of(const char *name)
{
    const char *slash = strrchr(name, '/');
    const size_t length = slash ? (size_t)(slash - name) + (slash == name) : 0;
    return tw_text_copy(name, length);
}

/* Values that make no sense together are known only now. */
static void resolve(const tw_review *review, tw_scenario *scenario)
{
    if (!tw_resolve_scenario(scenario)) {
        tw_diagnostics_out_of_memory(review->diagnostics);
        return;
    }
    tw_review_law(review);
    tw_review_method(review);
    tw_review_loading(review);
}

/* Sieve tables usually begin with the coarsest sieve. */
static void turn_curve(tw_scenario_rows *curve)
{
    double *v = curve->value;
    const size_t n = curve->count;
    if (n < 2 || !(v[0] > v[2 * n - 2])) return;
    for (size_t i = 0; i < n / 2; i++) {
        for (size_t k = 0; k < 2; k++) {
            const double value = v[2 * i + k];
            v[2 * i + k] = v[2 * (n - 1 - i) + k];
            v[2 * (n - 1 - i) + k] = value;
        }
    }
}

static tw_scenario *make_scenario(tw_tree_node *root, tw_diagnostics *diagnostics)
{
    char *folder = folder_of(diagnostics->name);
    tw_scenario *scenario = malloc(sizeof *scenario);
    if (!folder || !scenario) {
        tw_diagnostics_out_of_memory(diagnostics);
        free(folder);
        free(scenario);
        return NULL;
    }
    const tw_fill_context fill = {diagnostics, folder};
    tw_fields_clear(tw_key_root(), scenario);
    tw_fill_section(&fill, tw_key_root(), root, NULL, 0, scenario);
    free(folder);
    turn_curve(&scenario->specimen.sizes.curve);
    const tw_review review = {scenario, root, diagnostics};
    tw_shape_file_read_all(&review, &scenario->specimen);
    tw_review_specimen(&review);
    tw_review_material(&review);
    tw_review_materials(&review);
    tw_review_stages(&review);
    if (!tw_diagnostics_any(diagnostics)) resolve(&review, scenario);
    if (!tw_diagnostics_any(diagnostics)) return scenario;
    tw_scenario_free(scenario);
    return NULL;
}

static tw_scenario *read_tree(const char *text, size_t length, size_t settings,
                              tw_diagnostics *diagnostics)
{
    tw_tree_node *root = tw_tree_parse(text, length, 0, diagnostics);
    tw_scenario *scenario = NULL;
    if (!root) return NULL;
    if (root->kind != TW_TREE_MAP) {
        tw_diagnostics_add(diagnostics, root->location, NULL,
                           "has no keys; expected 'specimen:', 'material:' or 'stages:'");
    } else {
        for (size_t i = 1; i <= settings; i++)
            tw_settings_apply(root, i, diagnostics);
        scenario = make_scenario(root, diagnostics);
    }
    tw_tree_free(root);
    return scenario;
}

tw_scenario *tw_scenario_read_text(const char *text, size_t length, const char *name,
                                   const char *const *settings, size_t count,
                                   tw_scenario_errors *errors)
{
    tw_diagnostics diagnostics = {.name = name, .settings = settings};
    tw_scenario *scenario = NULL;
    tw_plain plain;
    if (tw_plain_enter(&plain)) {
        scenario = read_tree(text, length, count, &diagnostics);
        tw_plain_leave(&plain);
    } else {
        tw_diagnostics_out_of_memory(&diagnostics);
    }
    tw_diagnostics_release(&diagnostics, errors);
    return scenario;
}

/* Reads up to one byte beyond the limit. NULL: the error has been added to `diagnostics`. */
static char *read_bytes(const char *path, size_t *length, tw_diagnostics *diagnostics)
{
    FILE *file = tw_read_file_stream(path);
    char *bytes = file ? malloc(TW_TREE_PARSE_BYTES_MAX + 1) : NULL;
    int reason = file ? 0 : errno;
    *length = 0;
    if (file && !bytes) tw_diagnostics_out_of_memory(diagnostics);
    if (bytes) {
        errno = 0;
        *length = fread(bytes, 1, TW_TREE_PARSE_BYTES_MAX + 1, file);
        if (ferror(file)) reason = errno ? errno : EIO;
    }
    if (file) (void)fclose(file);
    if (reason == 0) return bytes;
    tw_diagnostics_add(diagnostics, (tw_location){0}, NULL, "cannot be read: %s",
                       tw_error_reason_of(reason).text);
    free(bytes);
    return NULL;
}

tw_scenario *tw_scenario_read(const char *path, const char *const *settings, size_t count,
                              tw_scenario_errors *errors)
{
    tw_diagnostics diagnostics = {.name = path, .settings = settings};
    size_t length;
    char *bytes = read_bytes(path, &length, &diagnostics);
    if (!bytes) {
        tw_diagnostics_release(&diagnostics, errors);
        return NULL;
    }
    tw_scenario *scenario = tw_scenario_read_text(bytes, length, path, settings, count, errors);
    free(bytes);
    return scenario;
}
