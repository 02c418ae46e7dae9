/* SPDX-License-Identifier: BSD-3-Clause */
#include "world/state.h"

#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/parallel.h"

void tw_state_init(tw_state *state)
{
    memset(state, 0, sizeof *state);
}

void tw_state_drop_arrays(tw_state *state)
{
#define TW_COLUMN(type, name) tw_buffer_drop(&state->bodies.name);
#include "world/body_columns.def"
    tw_buffer_drop(&state->contacts.bundle);
    tw_extras_free(&state->contacts.extras);
    tw_buffer_drop(&state->contacts.sliding);
    state->bodies.capacity = state->contacts.capacity = 0;
}

void tw_state_free(tw_state *state)
{
    tw_state_drop_arrays(state);
    tw_buffer_drop(&state->walls);
    tw_state_init(state);
}

static tw_status no_memory(tw_error *error, const char *what, size_t count)
{
    return tw_error_set(error, TW_STATUS_MEMORY, "not enough memory for %zu %s", count, what);
}

tw_status tw_state_reserve_bodies(tw_state *state, size_t count, tw_error *error)
{
    tw_bodies *b = &state->bodies;
    if (count <= b->capacity) return TW_STATUS_OK;
    int ok = 1;
#define TW_COLUMN(type, name)                                                                      \
    ok = ok && tw_buffer_grow(&b->name, b->capacity, count, sizeof *b->name);
#include "world/body_columns.def"
    if (!ok) return no_memory(error, "bodies", count);
    b->capacity = count; /* columns that grew before another failed have more: no harm */
    return TW_STATUS_OK;
}

tw_status tw_state_add_body(tw_state *state, tw_error *error)
{
    tw_bodies *b = &state->bodies;
    const size_t i = b->count;
    if (tw_state_next_id(state) >= UINT32_MAX / 2)
        return tw_error_set(error, TW_STATUS_INPUT, "too many bodies: the limit is %u",
                            UINT32_MAX / 2);
    if (i == b->capacity) {
        const tw_status status = tw_state_reserve_bodies(state, i + i / 2 + 16, error);
        if (status != TW_STATUS_OK) return status;
    }
#define TW_COLUMN(type, name) memset(&b->name[i], 0, sizeof b->name[i]);
#include "world/body_columns.def"
    b->count = i + 1;
    return TW_STATUS_OK;
}

tw_status tw_state_add_wall(tw_state *state, const tw_wall *wall, tw_error *error)
{
    const size_t count = state->wall_count;
    if (tw_buffer_reserve(&state->walls, &state->wall_capacity, count + 1, sizeof *state->walls) !=
        TW_STATUS_OK)
        return no_memory(error, "walls", count + 1);
    state->walls[count] = *wall;
    state->wall_count = count + 1;
    return TW_STATUS_OK;
}

size_t tw_state_find_body(const tw_state *state, uint32_t id)
{
    const tw_bodies *b = &state->bodies;
    for (size_t i = 0; i < b->count; i++) {
        if (b->id[i] == id) return i;
    }
    return SIZE_MAX;
}

typedef struct permuting {
    unsigned char *column, *room;
    size_t size; /* of an entry */
    const uint32_t *order;
} permuting;

static void permute_part(void *context, size_t begin, size_t end)
{
    const permuting *p = context;
    for (size_t i = begin; i < end; i++)
        memcpy(p->room + i * p->size, p->column + p->order[i] * p->size, p->size);
}

static void copy_part(void *context, size_t begin, size_t end)
{
    const permuting *p = context;
    memcpy(p->column + begin * p->size, p->room + begin * p->size, (end - begin) * p->size);
}

static void permute_column(void *column, size_t size, const uint32_t *order, size_t count,
                           void *room)
{
    enum { GRAIN = 2000 }; /* entries in a chunk of work */
    permuting p = {column, room, size, order};
    tw_parallel_for(count, GRAIN, permute_part, &p);
    tw_parallel_for(count, GRAIN, copy_part, &p);
}

void tw_state_permute_bodies(tw_state *state, const uint32_t *order, tw_bodies_value *room)
{
    tw_bodies *b = &state->bodies;
#define TW_COLUMN(type, name) permute_column(b->name, sizeof *b->name, order, b->count, room);
#include "world/body_columns.def"
}

tw_status tw_state_reserve_contacts(tw_state *state, size_t slots, tw_error *error)
{
    tw_contacts *c = &state->contacts;
    if (slots <= c->capacity && c->capacity > 0) return TW_STATUS_OK;
    const size_t bundles = slots / TW_BUNDLE + 1;
    const size_t had = c->capacity ? c->capacity / TW_BUNDLE + 1 : 0;
    tw_extras extras;
    uint8_t *sliding = NULL; /* not copied: pages that were never touched stay so */
    if (!tw_extras_copy(&extras, &c->extras, c->extras.parts, had, bundles))
        return no_memory(error, "contacts", slots);
    if (!tw_buffer_grow(&sliding, 0, slots + 1, sizeof *sliding) ||
        !tw_buffer_grow(&c->bundle, had, bundles, sizeof *c->bundle)) {
        tw_extras_free(&extras);
        tw_buffer_drop(&sliding);
        return no_memory(error, "contacts", slots);
    }
    tw_extras_free(&c->extras);
    tw_buffer_drop(&c->sliding);
    c->extras = extras;
    c->sliding = sliding;
    c->capacity = slots;
    return TW_STATUS_OK;
}

tw_status tw_state_need_extras(tw_state *state, uint32_t parts, tw_error *error)
{
    tw_contacts *c = &state->contacts;
    const size_t bundles = c->capacity ? c->capacity / TW_BUNDLE + 1 : 0;
    tw_extras extras;
    if (!(parts & ~c->extras.parts)) return TW_STATUS_OK;
    if (!tw_extras_copy(&extras, &c->extras, parts | c->extras.parts, bundles, bundles))
        return no_memory(error, "contacts", c->capacity);
    tw_extras_free(&c->extras);
    c->extras = extras;
    return TW_STATUS_OK;
}

static bool copy_array(void *to, const void *from, size_t had, size_t bundles, size_t size)
{
    unsigned char *array = NULL;
    if (!tw_buffer_grow(&array, 0, bundles, size)) return false;
    if (from && had > 0)
        memcpy(array, from, had * size);
    else if (had > 0)
        memset(array, 0, had * size);
    memcpy(to, &array, sizeof array); /* `to` is the address of a pointer of any type */
    return true;
}

bool tw_extras_copy(tw_extras *to, const tw_extras *from, uint32_t parts, size_t had,
                    size_t bundles)
{
    bool ok = true;
    memset(to, 0, sizeof *to);
    to->parts = parts;
#define TW_CONTACT_PART(name, form, count, unit, need, flips, partner)                             \
    if (parts & (need))                                                                            \
        ok = ok && copy_array(&to->name, from->name, had, bundles, (count) * sizeof *to->name);
#include <twirl/detail/contact_parts.def>
    if (!ok) tw_extras_free(to);
    return ok;
}

void tw_extras_free(tw_extras *extras)
{
    tw_extras_keep(extras, 0);
}

void tw_extras_keep(tw_extras *extras, uint32_t parts)
{
#define TW_CONTACT_PART(name, form, count, unit, need, flips, partner)                             \
    if (!(parts & (need))) tw_buffer_drop(&extras->name);
#include <twirl/detail/contact_parts.def>
    extras->parts &= parts;
}
