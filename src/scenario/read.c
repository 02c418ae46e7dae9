/* SPDX-License-Identifier: BSD-3-Clause */
/* From a file to a scenario, with all errors and warnings. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include <twirl/scenario.h>

#include "base/environment.h"
#include "base/file.h"
#include "base/text.h"
#include "scenario/review.h"
#include "scenario/schema.h"
#include "scenario/tree.h"
#include "scenario/values.h"

void tw_scenario_free(tw_scenario *scenario)
{
    if (!scenario) return;
    tw_values_free(tw_key_root(), scenario);
    free(scenario);
}

/* Values that make no sense together are known only now. */
static void resolve(const tw_review *review, tw_scenario *scenario)
{
    if (!tw_scenario_resolve(scenario)) {
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

/* Local damping would brake the fall of grains. */
static void choose_damping(const tw_tree_node *root, tw_scenario *scenario)
{
    if (tw_scenario_has_gravity(scenario) && !tw_tree_find(tw_tree_find(root, "damping"), "local"))
        scenario->damping.local = 0.0;
}

static tw_scenario *make_scenario(tw_tree_node *root, tw_diagnostics *diagnostics)
{
    tw_scenario *scenario = malloc(sizeof *scenario);
    if (!scenario) {
        tw_diagnostics_out_of_memory(diagnostics);
        return NULL;
    }
    tw_values_clear(tw_key_root(), scenario);
    tw_fill_section(diagnostics, tw_key_root(), root, 0, scenario);
    choose_damping(root, scenario);
    const tw_review review = {scenario, root, diagnostics};
    tw_scenario_read_shapes(&review, &scenario->specimen);
    tw_scenario_read_curve(&review, &scenario->specimen.sizes);
    turn_curve(&scenario->specimen.sizes.curve);
    tw_review_specimen(&review);
    tw_review_material(&review);
    tw_review_materials(&review);
    tw_review_surfaces(&review);
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
        tw_diagnostics_add(diagnostics, root->location, NULL, NULL,
                           "has no keys; expected 'specimen:', 'material:' or 'stages:'");
    } else {
        for (size_t i = 1; i <= settings; i++)
            tw_tree_apply_setting(root, i, diagnostics);
        scenario = make_scenario(root, diagnostics);
    }
    tw_tree_free(root);
    return scenario;
}

static tw_scenario *read_text(const char *text, size_t length, size_t settings,
                              tw_diagnostics *diagnostics)
{
    tw_scenario *scenario = NULL;
    tw_c_locale plain;
    if (tw_c_locale_push(&plain)) {
        scenario = read_tree(text, length, settings, diagnostics);
        tw_c_locale_pop(&plain);
    } else {
        tw_diagnostics_out_of_memory(diagnostics);
    }
    return scenario;
}

tw_scenario *tw_scenario_read_text(const char *text, size_t length, const char *name,
                                   const char *const *settings, size_t count,
                                   tw_scenario_errors *errors)
{
    assert((text || length == 0) && name && (settings || count == 0) && errors);
    tw_diagnostics diagnostics = {.name = name, .settings = settings};
    tw_scenario *scenario = read_text(text, length, count, &diagnostics);
    tw_diagnostics_release(&diagnostics, errors);
    return scenario;
}

/* FILE.yaml in place of FILE.yml, or the other way round, if that is there. */
static bool has_other_ending(const char *path, char *other, size_t size)
{
    const char *dot = strrchr(path, '.');
    const bool long_one = dot && strcmp(dot, ".yaml") == 0;
    if (!dot || !(long_one || strcmp(dot, ".yml") == 0)) return false;
    snprintf(other, size, "%.*s%s", (int)(dot - path), path, long_one ? ".yml" : ".yaml");
    FILE *file = tw_read_file_stream(other);
    return file && fclose(file) == 0;
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
    char other[4096];
    const bool near = has_other_ending(path, other, sizeof other);
    tw_diagnostics_add(diagnostics, (tw_tree_location){0}, NULL, NULL, "cannot be read: %s%s%s%s",
                       tw_error_reason_of(reason).text, near ? "; did you mean '" : "",
                       near ? other : "", near ? "'?" : "");
    free(bytes);
    return NULL;
}

static tw_scenario *read_file(const char *path, const char *const *settings, size_t count,
                              bool begun, tw_scenario_errors *errors)
{
    tw_diagnostics diagnostics = {.name = path, .settings = settings, .begun = begun};
    size_t length;
    char *bytes = read_bytes(path, &length, &diagnostics);
    tw_scenario *scenario = bytes ? read_text(bytes, length, count, &diagnostics) : NULL;
    tw_diagnostics_release(&diagnostics, errors);
    free(bytes);
    return scenario;
}

tw_scenario *tw_scenario_read(const char *path, const char *const *settings, size_t count,
                              tw_scenario_errors *errors)
{
    assert(path && (settings || count == 0) && errors);
    return read_file(path, settings, count, false, errors);
}

tw_scenario *tw_scenario_read_begun(const char *path, const char *const *settings, size_t count,
                                    tw_scenario_errors *errors)
{
    assert(path && (settings || count == 0) && errors);
    return read_file(path, settings, count, true, errors);
}
