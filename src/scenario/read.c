/* SPDX-License-Identifier: BSD-3-Clause */
/* From a file to a scenario, with all errors and warnings. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <twirl/scenario.h>

#include "base/environment.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/text.h"
#include "scenario/review.h"
#include "scenario/schema.h"
#include "scenario/tree.h"
#include "scenario/values.h"

/* ---- Errors and warnings ---- */

void tw_diagnostics_out_of_memory(tw_diagnostics *diagnostics)
{
    diagnostics->out_of_memory = true;
}

/* Keys come from the file: of any length, with any characters. */
static void add_name(tw_text_buffer *line, const char *name)
{
    const tw_text_quotation quoted = tw_text_quote(name, strlen(name));
    tw_text_buffer_add(line, "%.*s", (int)(strlen(quoted.text) - 2), quoted.text + 1);
}

static size_t number_in_list(const tw_tree_node *node)
{
    size_t number = 1;
    for (const tw_tree_node *at = node->parent->first; at != node; at = at->next)
        number++;
    return number;
}

/* "stages[2].end"; nothing for the root. */
static void add_key_path(tw_text_buffer *line, const tw_tree_node *node)
{
    if (!node->parent) return;
    add_key_path(line, node->parent);
    if (!node->key) {
        tw_text_buffer_add(line, "[%zu]", number_in_list(node));
        return;
    }
    if (node->parent->parent) tw_text_buffer_add(line, ".");
    add_name(line, node->key);
}

static void add_location(tw_text_buffer *line, const tw_diagnostics *diagnostics,
                         tw_tree_location location)
{
    if (location.source > 0) {
        const char *setting = diagnostics->settings[location.source - 1];
        tw_text_buffer_add(line, "--set %s: ", tw_text_quote(setting, strlen(setting)).text);
    } else if (location.line > 0) {
        tw_text_buffer_add(line, "%s:%zu:%zu: ", diagnostics->name, location.line, location.column);
    } else {
        tw_text_buffer_add(line, "%s: ", diagnostics->name);
    }
}

static void add(tw_diagnostics *diagnostics, bool warning, tw_tree_location location,
                const tw_tree_node *node, const char *key, const char *format, va_list arguments)
{
    tw_text_buffer line = {0};
    add_location(&line, diagnostics, location);
    if (node) add_key_path(&line, node);
    if (key && node->parent) tw_text_buffer_add(&line, ".");
    if (key) add_name(&line, key);
    if (node) tw_text_buffer_add(&line, ": ");
    if (warning) tw_text_buffer_add(&line, "warning: ");
    tw_text_buffer_add_list(&line, format, arguments);
    if (!warning && tw_diagnostics_errors(diagnostics) == TW_DIAGNOSTICS_MAX - 1)
        tw_text_buffer_add(&line, " (limit of %d errors reached)", (int)TW_DIAGNOSTICS_MAX);
    const bool room =
        tw_buffer_reserve(&diagnostics->item, &diagnostics->capacity, diagnostics->count + 1,
                          sizeof *diagnostics->item) == TW_STATUS_OK;
    char *text = room ? tw_text_buffer_take(&line) : NULL;
    tw_text_buffer_free(&line);
    if (!text) {
        tw_diagnostics_out_of_memory(diagnostics);
        return;
    }
    diagnostics->item[diagnostics->count++] = (tw_diagnostics_item){location, text, warning};
    diagnostics->warnings += warning;
}

void tw_diagnostics_add_list(tw_diagnostics *diagnostics, bool warning, tw_tree_location location,
                             tw_tree_node *node, const char *key, const char *format,
                             va_list arguments)
{
    if (!warning) tw_tree_mark_invalid(node);
    if (!tw_diagnostics_full(diagnostics) &&
        !(warning && diagnostics->warnings >= TW_DIAGNOSTICS_MAX))
        add(diagnostics, warning, location, node, key, format, arguments);
}

void tw_diagnostics_add(tw_diagnostics *diagnostics, tw_tree_location location, tw_tree_node *node,
                        const char *key, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    tw_diagnostics_add_list(diagnostics, false, location, node, key, format, arguments);
    va_end(arguments);
}

static bool is_later(tw_tree_location a, tw_tree_location b)
{
    if (a.source != b.source) return a.source > b.source;
    if (a.line != b.line) return a.line > b.line;
    return a.column > b.column;
}

/* Insertion sort: stable, and the lists are short. */
static void sort(tw_diagnostics *diagnostics)
{
    for (size_t i = 1; i < diagnostics->count; i++) {
        const tw_diagnostics_item item = diagnostics->item[i];
        size_t k = i;
        for (; k > 0 && is_later(diagnostics->item[k - 1].location, item.location); k--)
            diagnostics->item[k] = diagnostics->item[k - 1];
        diagnostics->item[k] = item;
    }
}

/* All errors, or all warnings, into an array of their own. False: out of memory. */
static bool move_lines(const tw_diagnostics *diagnostics, bool warning, char ***text, size_t *count)
{
    const size_t most = warning ? diagnostics->warnings : tw_diagnostics_errors(diagnostics);
    if (most == 0) return true;
    *text = malloc(most * sizeof **text);
    for (size_t i = 0; i < diagnostics->count; i++) {
        const tw_diagnostics_item *item = &diagnostics->item[i];
        if (item->warning != warning) continue;
        if (*text)
            (*text)[(*count)++] = item->text;
        else
            free(item->text);
    }
    return *text != NULL;
}

/* Moves the lines to `errors`, sorted by location with settings last. Leaves `diagnostics` empty.
 */
static void release(tw_diagnostics *diagnostics, tw_scenario_errors *errors)
{
    sort(diagnostics);
    *errors = (tw_scenario_errors){.out_of_memory = diagnostics->out_of_memory};
    /* both, whatever happens: they also free */
    const bool moved = move_lines(diagnostics, false, &errors->text, &errors->count);
    if (!move_lines(diagnostics, true, &errors->warning, &errors->warning_count) || !moved)
        errors->out_of_memory = 1;
    free(diagnostics->item);
    diagnostics->item = NULL;
    diagnostics->count = diagnostics->capacity = diagnostics->warnings = 0;
}

/* ---- Reading ---- */

void tw_scenario_free(tw_scenario *scenario)
{
    if (!scenario) return;
    tw_values_free(tw_key_root(), scenario);
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

static tw_scenario *make_scenario(tw_tree_node *root, tw_diagnostics *diagnostics)
{
    tw_scenario *scenario = malloc(sizeof *scenario);
    if (!scenario) {
        tw_diagnostics_out_of_memory(diagnostics);
        return NULL;
    }
    tw_values_clear(tw_key_root(), scenario);
    tw_fill_section(diagnostics, tw_key_root(), root, 0, scenario);
    const tw_review review = {scenario, root, diagnostics};
    tw_scenario_read_shapes(&review, &scenario->specimen);
    tw_scenario_read_curve(&review, &scenario->specimen.sizes);
    turn_curve(&scenario->specimen.sizes.curve);
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
    tw_diagnostics diagnostics = {.name = name, .settings = settings};
    tw_scenario *scenario = read_text(text, length, count, &diagnostics);
    release(&diagnostics, errors);
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
    tw_diagnostics_add(diagnostics, (tw_tree_location){0}, NULL, NULL, "cannot be read: %s",
                       tw_error_reason_of(reason).text);
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
    release(&diagnostics, errors);
    free(bytes);
    return scenario;
}

tw_scenario *tw_scenario_read(const char *path, const char *const *settings, size_t count,
                              tw_scenario_errors *errors)
{
    return read_file(path, settings, count, false, errors);
}

tw_scenario *tw_scenario_read_begun(const char *path, const char *const *settings, size_t count,
                                    tw_scenario_errors *errors)
{
    return read_file(path, settings, count, true, errors);
}
