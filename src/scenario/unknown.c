/* SPDX-License-Identifier: BSD-3-Clause */
#include "scenario/unknown.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include <twirl/text.h>

#include "scenario/kinds.h"

void tw_unknown_here(tw_faults *faults, const tw_section *section, const tw_key *key, tw_node *node,
                     const tw_trail *trail)
{
    char used[400];
    tw_kinds_words(section, key->used, used, sizeof used);
    tw_faults_add(faults, node->key_place, trail, "has no effect here; it is for %s", used);
    tw_tree_blame(node);
}

/* Sections that have a key of that name, up to three: "material, stages[]". */
static void find_elsewhere(const tw_section *section, const char *name, char *text, size_t size,
                           size_t *found)
{
    for (size_t i = 0; i < section->key_count; i++) {
        const tw_key *key = &section->keys[i];
        if (key->section) find_elsewhere(key->section, name, text, size, found);
        if (strcmp(key->name, name) != 0) continue;
        if (*section->path && strstr(text, section->path)) continue; /* one of six components */
        const size_t used = strlen(text);
        if ((*found)++ < 3)
            snprintf(text + used, size - used, "%s%s", used ? ", " : "",
                     *section->path ? section->path : "the top");
    }
}

static void list_names(const char *const *names, size_t count, char *text, size_t size)
{
    size_t used = 0;
    for (size_t i = 0; i < count && used < size; i++)
        used += (size_t)snprintf(text + used, size - used, "%s%s", i ? ", " : "", names[i]);
}

uint64_t tw_unknown_key(tw_faults *faults, const tw_section *section, tw_node *node,
                        const tw_trail *trail)
{
    const char *known[64];
    char elsewhere[200] = "";
    size_t found = 0;
    tw_tree_blame(node);
    find_elsewhere(tw_keys_root(), node->key, elsewhere, sizeof elsewhere, &found);
    if (found > 0) {
        tw_faults_add(faults, node->key_place, trail,
                      "is not a key of this section; it belongs to %s", elsewhere);
        return 0;
    }
    assert(section->key_count <= 64);
    for (size_t i = 0; i < section->key_count; i++)
        known[i] = section->keys[i].name;
    const char *nearest = tw_nearest(node->key, known, section->key_count);
    if (tw_nearest_distance(node->key, nearest) >= strlen(node->key)) {
        char list[400] = "";
        list_names(known, section->key_count, list, sizeof list);
        tw_faults_add(faults, node->key_place, trail, "unknown key; known here: %s", list);
        return 0;
    }
    tw_faults_add(faults, node->key_place, trail, "unknown key; did you mean '%s'?", nearest);
    for (size_t i = 0; i < section->key_count; i++)
        if (known[i] == nearest) return UINT64_C(1) << i;
    return 0;
}
