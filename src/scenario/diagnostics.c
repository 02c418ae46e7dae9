/* SPDX-License-Identifier: BSD-3-Clause */
/* Errors and warnings with their source locations. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "scenario/tree.h"

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

void tw_diagnostics_release(tw_diagnostics *diagnostics, tw_scenario_errors *errors)
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
