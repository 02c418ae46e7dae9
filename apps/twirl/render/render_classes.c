/* SPDX-License-Identifier: BSD-3-Clause */
#include "render/render_classes.h"

#include <stdio.h>

/* Most belong to the first of two classes: it stays in the background. */
static tw_colour colour_of_two(bool of_contacts, bool grey, uint32_t number)
{
    static const tw_colour quiet = {0.80, 0.80, 0.82}, firm = {0.45, 0.46, 0.50},
                           loud = {0.84, 0.37, 0.0};
    if (grey) return tw_colour_of_class(number, 2, 1);
    return number == 1 ? loud : of_contacts ? firm : quiet;
}

static void find_two(tw_render_classes *classes, const tw_render_quantity *quantity, bool grey)
{
    for (uint32_t i = 0; i < 2; i++) {
        tw_render_class *c = &classes->of[i];
        c->value = i;
        c->colour = colour_of_two(tw_render_quantity_of_contacts(quantity), grey, i);
        snprintf(c->name, sizeof c->name, "%s", quantity->classes[i]);
    }
    classes->count = 2;
}

/* Keeps the order of values. False: there is no room. */
static bool insert(tw_render_classes *classes, uint32_t value)
{
    size_t i = classes->count;
    if (i == TW_RENDER_CLASSES_MAX) return false;
    for (; i > 0 && classes->of[i - 1].value > value; i--)
        classes->of[i] = classes->of[i - 1];
    classes->of[i] = (tw_render_class){.value = value};
    classes->count++;
    return true;
}

tw_render_class *tw_render_classes_at(tw_render_classes *classes, double value)
{
    for (size_t i = 0; i < classes->count; i++)
        if ((double)classes->of[i].value == value) return &classes->of[i];
    return NULL;
}

/* Long names are cut. */
static void name_class(const tw_sim *sim, const tw_render_quantity *quantity, tw_render_class *c)
{
    const int most = sizeof c->name - 1;
    if (quantity->what == TW_RENDER_MATERIAL)
        snprintf(c->name, sizeof c->name, "%.*s", most, tw_sim_material_name(sim, c->value));
    else
        snprintf(c->name, sizeof c->name, "%s %u", quantity->title, (unsigned)c->value);
}

tw_render_classes tw_render_classes_find(const tw_sim *sim, const tw_render_quantity *quantity,
                                         bool grey, const double *values, size_t count)
{
    tw_render_classes classes = {.count = 0};
    if (quantity->scale != TW_RENDER_SCALE_CLASSES) return classes;
    if (quantity->classes[0]) {
        find_two(&classes, quantity, grey);
        return classes;
    }
    for (size_t i = 0; i < count; i++) {
        if (tw_render_classes_at(&classes, values[i]) || insert(&classes, (uint32_t)values[i]))
            continue;
        classes.count = 0;
        return classes;
    }
    for (size_t i = 0; i < classes.count; i++) {
        tw_render_class *c = &classes.of[i];
        c->colour = tw_colour_of_class((uint32_t)i, (uint32_t)classes.count, grey);
        name_class(sim, quantity, c);
    }
    return classes;
}
