/* SPDX-License-Identifier: BSD-3-Clause */
#include "scenario/faults.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <twirl/text.h>

#include "scenario/growing.h"

void tw_faults_memory(tw_faults *faults)
{
    faults->memory = true;
}

/* A key of the file may hold anything, and be of any length. */
static void append_name(tw_growing *g, const char *name)
{
    const tw_text_quotation shown = tw_text_quote(name, strlen(name));
    tw_growing_put(g, "%.*s", (int)(strlen(shown.text) - 2), shown.text + 1);
}

static void append_trail(tw_growing *g, const tw_trail *trail)
{
    if (trail->parent) append_trail(g, trail->parent);
    if (!trail->name)
        tw_growing_put(g, "[%zu]", trail->index);
    else {
        if (trail->parent) tw_growing_put(g, ".");
        append_name(g, trail->name);
    }
}

static void append_place(tw_growing *g, const tw_faults *faults, tw_place place)
{
    if (place.source > 0)
        tw_growing_put(g, "--set %s: ",
                       tw_text_quote(faults->settings[place.source - 1],
                                     strlen(faults->settings[place.source - 1]))
                           .text);
    else if (place.line > 0)
        tw_growing_put(g, "%s:%zu:%zu: ", faults->name, place.line, place.column);
    else
        tw_growing_put(g, "%s: ", faults->name);
}

static void keep(tw_faults *faults, tw_place place, char *text)
{
    if (faults->count == faults->capacity) {
        const size_t wanted = faults->capacity ? 2 * faults->capacity : 16;
        tw_faults_item *item = realloc(faults->item, wanted * sizeof *item);
        if (!item) {
            free(text);
            tw_faults_memory(faults);
            return;
        }
        faults->item = item;
        faults->capacity = wanted;
    }
    faults->item[faults->count++] = (tw_faults_item){place, text};
}

void tw_faults_add(tw_faults *faults, tw_place place, const tw_trail *trail, const char *format,
                   ...)
{
    if (tw_faults_full(faults)) return;
    tw_growing g = {0};
    append_place(&g, faults, place);
    if (trail) {
        append_trail(&g, trail);
        tw_growing_put(&g, ": ");
    }
    va_list arguments;
    va_start(arguments, format);
    tw_growing_put_list(&g, format, arguments);
    va_end(arguments);
    if (faults->count == TW_FAULTS_MAX - 1)
        tw_growing_put(&g, " (the last of %d errors that are listed)", (int)TW_FAULTS_MAX);
    if (g.failed) {
        free(g.text);
        tw_faults_memory(faults);
    } else {
        keep(faults, place, g.text);
    }
}

static bool later(tw_place a, tw_place b)
{
    if (a.source != b.source) return a.source > b.source;
    if (a.line != b.line) return a.line > b.line;
    return a.column > b.column;
}

/* By insertion: stable, and lists are short. */
static void sort(tw_faults *faults)
{
    for (size_t i = 1; i < faults->count; i++) {
        const tw_faults_item item = faults->item[i];
        size_t k = i;
        for (; k > 0 && later(faults->item[k - 1].place, item.place); k--)
            faults->item[k] = faults->item[k - 1];
        faults->item[k] = item;
    }
}

void tw_faults_give(tw_faults *faults, tw_scenario_errors *errors)
{
    sort(faults);
    *errors = (tw_scenario_errors){.memory = faults->memory};
    if (faults->count > 0) errors->text = malloc(faults->count * sizeof *errors->text);
    for (size_t i = 0; i < faults->count; i++) {
        if (errors->text)
            errors->text[errors->count++] = faults->item[i].text;
        else {
            free(faults->item[i].text);
            errors->memory = 1;
        }
    }
    free(faults->item);
    faults->item = NULL;
    faults->count = faults->capacity = 0;
}

void tw_scenario_errors_free(tw_scenario_errors *errors)
{
    for (size_t i = 0; i < errors->count; i++)
        free(errors->text[i]);
    free(errors->text);
    *errors = (tw_scenario_errors){0};
}
