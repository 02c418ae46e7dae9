/* SPDX-License-Identifier: BSD-3-Clause */
#include "scenario/growing.h"

#include <stdio.h>
#include <stdlib.h>

static void make_room(tw_growing *g, size_t more)
{
    if (g->failed || g->length + more < g->capacity) return;
    const size_t wanted = 2 * (g->length + more) + 256;
    char *text = realloc(g->text, wanted);
    if (!text) {
        g->failed = true;
        return;
    }
    g->text = text;
    g->capacity = wanted;
}

void tw_growing_put_list(tw_growing *g, const char *format, va_list arguments)
{
    va_list again;
    va_copy(again, arguments);
    const int needed = vsnprintf(NULL, 0, format, arguments);
    if (needed < 0) g->failed = true;
    if (needed >= 0) make_room(g, (size_t)needed + 1);
    if (!g->failed)
        g->length += (size_t)vsnprintf(g->text + g->length, g->capacity - g->length, format, again);
    va_end(again);
}

void tw_growing_put(tw_growing *g, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    tw_growing_put_list(g, format, arguments);
    va_end(arguments);
}
