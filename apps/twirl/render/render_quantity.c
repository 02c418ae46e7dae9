/* SPDX-License-Identifier: BSD-3-Clause */
#include "render/render_quantity.h"

#include <string.h>

/* A vector is offered as its magnitude and its three components. */
#define VECTOR(name, what, title, unit)                                                            \
    {name, what, -1, title, unit, TW_RENDER_SCALE_ZERO, {NULL}},                                   \
        {name "_x", what, 0, title ", x", unit, TW_RENDER_SCALE_SIGN, {NULL}},                     \
        {name "_y", what, 1, title ", y", unit, TW_RENDER_SCALE_SIGN, {NULL}},                     \
    {                                                                                              \
        name "_z", what, 2, title ", z", unit, TW_RENDER_SCALE_SIGN,                               \
        {                                                                                          \
            NULL                                                                                   \
        }                                                                                          \
    }

static const tw_render_quantity quantities[TW_RENDER_QUANTITIES] = {
    {"size", TW_RENDER_SIZE, -1, "diameter", "m", TW_RENDER_SCALE_PLAIN, {NULL}},
    {"coordination",
     TW_RENDER_COORDINATION,
     -1,
     "contacts per grain",
     "",
     TW_RENDER_SCALE_COUNT,
     {NULL}},
    VECTOR("velocity", TW_RENDER_VELOCITY, "velocity", "m/s"),
    VECTOR("spin", TW_RENDER_SPIN, "spin", "rad/s"),
    VECTOR("displacement", TW_RENDER_DISPLACEMENT, "displacement", "m"),
    VECTOR("nonaffine", TW_RENDER_NONAFFINE, "non-affine displacement", "m"),
    {"pressure", TW_RENDER_PRESSURE, -1, "pressure", "Pa", TW_RENDER_SCALE_ZERO, {NULL}},
    {"rattlers",
     TW_RENDER_RATTLERS,
     -1,
     "",
     "",
     TW_RENDER_SCALE_CLASSES,
     {"loaded grain", "rattler"}},
    {"type", TW_RENDER_TYPE, -1, "type", "", TW_RENDER_SCALE_CLASSES, {NULL}},
    {"material", TW_RENDER_MATERIAL, -1, "", "", TW_RENDER_SCALE_CLASSES, {NULL}},
    {"id", TW_RENDER_ID, -1, "", "", TW_RENDER_SCALE_NONE, {NULL}},
    {"force", TW_RENDER_FORCE, -1, "normal force", "N", TW_RENDER_SCALE_ZERO, {NULL}},
    {"mobilisation",
     TW_RENDER_MOBILISATION,
     -1,
     "mobilised friction",
     "",
     TW_RENDER_SCALE_UNIT,
     {NULL}},
    {"sliding", TW_RENDER_SLIDING, -1, "", "", TW_RENDER_SCALE_CLASSES, {"sticks", "slides"}},
};

bool tw_render_quantity_of_contacts(const tw_render_quantity *quantity)
{
    return quantity->what >= TW_RENDER_FORCE;
}

const tw_render_quantity *tw_render_quantity_find(const char *name)
{
    for (size_t i = 0; i < TW_RENDER_QUANTITIES; i++)
        if (strcmp(name, quantities[i].name) == 0) return &quantities[i];
    return NULL;
}

size_t tw_render_quantity_names(bool of_contacts, const char *names[TW_RENDER_QUANTITIES])
{
    size_t count = 0;
    for (size_t i = 0; i < TW_RENDER_QUANTITIES; i++) {
        if (tw_render_quantity_of_contacts(&quantities[i]) == of_contacts)
            names[count++] = quantities[i].name;
    }
    return count;
}
