/* SPDX-License-Identifier: BSD-3-Clause */
#include "common/picture_length.h"

#include <stdio.h>
#include <string.h>

#include "base/text.h"

static const struct {
    const char *name;
    double centimetres; /* 0: pixels */
} units[] = {{"", 0.0}, {"px", 0.0}, {"cm", 1.0}, {"mm", 0.1}, {"in", 2.54}, {"pt", 2.54 / 72.0}};

bool tw_picture_length_read(const char *text, tw_picture_length *length)
{
    char number[32];
    size_t end = strlen(text);
    while (end > 0 && text[end - 1] >= 'a' && text[end - 1] <= 'z')
        end--;
    const char *name = text + end;
    while (end > 0 && text[end - 1] == ' ')
        end--;
    if (end >= sizeof number) return false;
    snprintf(number, sizeof number, "%.*s", (int)end, text);
    if (tw_text_number(number, &length->value) || !(length->value > 0.0)) return false;
    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        if (strcmp(name, units[i].name) != 0) continue;
        length->pixels = !(units[i].centimetres > 0.0);
        if (!length->pixels) length->value *= units[i].centimetres;
        return true;
    }
    return false;
}
