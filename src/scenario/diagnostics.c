/* SPDX-License-Identifier: BSD-3-Clause */
#include "scenario/diagnostics.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"

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

static void add_key_path(tw_text_buffer *line, const tw_key_path *key_path)
{
    if (key_path->parent) add_key_path(line, key_path->parent);
    if (!key_path->name) {
        tw_text_buffer_add(line, "[%zu]", key_path->index);
        return;
    }
    if (key_path->parent) tw_text_buffer_add(line, ".");
    add_name(line, key_path->name);
}

static void add_location(tw_text_buffer *line, const tw_diagnostics *diagnostics,
                         tw_location location)
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

static bool reserve_item(tw_diagnostics *diagnostics)
{
    if (diagnostics->count < diagnostics->capacity) return true;
    const size_t wanted = diagnostics->capacity ? 2 * diagnostics->capacity : 16;
    tw_diagnostics_item *item = realloc(diagnostics->item, wanted * sizeof *item);
    if (!item) return false;
    diagnostics->item = item;
    diagnostics->capacity = wanted;
    return true;
}

static void add(tw_diagnostics *diagnostics, bool warning, tw_location location,
                const tw_key_path *key_path, const char *format, va_list arguments)
{
    tw_text_buffer line = {0};
    add_location(&line, diagnostics, location);
    if (key_path) {
        add_key_path(&line, key_path);
        tw_text_buffer_add(&line, ": ");
    }
    if (warning) tw_text_buffer_add(&line, "warning: ");
    tw_text_buffer_add_list(&line, format, arguments);
    if (!warning && tw_diagnostics_errors(diagnostics) == TW_DIAGNOSTICS_MAX - 1)
        tw_text_buffer_add(&line, " (limit of %d errors reached)", (int)TW_DIAGNOSTICS_MAX);
    char *text = reserve_item(diagnostics) ? tw_text_buffer_take(&line) : NULL;
    tw_text_buffer_free(&line);
    if (!text) {
        tw_diagnostics_out_of_memory(diagnostics);
        return;
    }
    diagnostics->item[diagnostics->count++] = (tw_diagnostics_item){location, text, warning};
    diagnostics->warnings += warning;
}

void tw_diagnostics_add_list(tw_diagnostics *diagnostics, tw_location location,
                             const tw_key_path *key_path, const char *format, va_list arguments)
{
    if (!tw_diagnostics_full(diagnostics))
        add(diagnostics, false, location, key_path, format, arguments);
}

void tw_diagnostics_warn_list(tw_diagnostics *diagnostics, tw_location location,
                              const tw_key_path *key_path, const char *format, va_list arguments)
{
    if (!tw_diagnostics_full(diagnostics) && diagnostics->warnings < TW_DIAGNOSTICS_MAX)
        add(diagnostics, true, location, key_path, format, arguments);
}

void tw_diagnostics_add(tw_diagnostics *diagnostics, tw_location location,
                        const tw_key_path *key_path, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    tw_diagnostics_add_list(diagnostics, location, key_path, format, arguments);
    va_end(arguments);
}

static bool is_later(tw_location a, tw_location b)
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
