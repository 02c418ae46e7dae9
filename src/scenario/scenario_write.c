/* SPDX-License-Identifier: BSD-3-Clause */
/* Writes a scenario as YAML or as JSON: everything that is set, in the order of the list of keys.
 */
#include <twirl/scenario.h>

#include <stdbool.h>

#include "base/environment.h"
#include "base/text.h"
#include "scenario/key.h"
#include "scenario/values.h"

static void put_section(tw_values_writer *w, const tw_key_section *section, const void *structure,
                        int indent, bool item);

static void put_list(tw_values_writer *w, const tw_key *key, const void *structure, int indent)
{
    const tw_fields_list list = tw_fields_get_list(key, structure);
    for (size_t i = 0; i < list.count; i++) {
        if (w->json) tw_text_buffer_add(&w->text, "%s\n%*s", i ? "," : "[", indent + 2, "");
        put_section(w, key->section, list.items + i * key->section->size,
                    indent + (w->json ? 4 : 2), true);
    }
    if (w->json) tw_text_buffer_add(&w->text, "\n%*s]", indent, "");
}

static void put_key(tw_values_writer *w, const tw_key *key, const void *structure, int indent)
{
    const bool below = key->type == TW_KEY_MAP || key->type == TW_KEY_LIST;
    tw_text_buffer_add(&w->text, w->json ? "\"%s\": " : below ? "%s:\n" : "%s: ", key->name);
    if (key->type == TW_KEY_MAP)
        put_section(w, key->section, tw_fields_at_const(key, structure), indent + 2, false);
    else if (key->type == TW_KEY_LIST)
        put_list(w, key, structure, indent);
    else
        tw_values_put(w, key, tw_fields_at_const(key, structure));
    if (!w->json && !below) tw_text_buffer_add(&w->text, "\n");
}

/* `item`: an item of a list, in YAML with a dash before its first key. */
static void put_section(tw_values_writer *w, const tw_key_section *section, const void *structure,
                        int indent, bool item)
{
    bool first = true;
    if (w->json) tw_text_buffer_add(&w->text, "{");
    for (size_t i = 0; i < section->key_count; i++) {
        const tw_key *key = &section->keys[i];
        if (!tw_fields_any(key, structure)) continue;
        if (w->json) tw_text_buffer_add(&w->text, first ? "\n" : ",\n");
        const bool dash = item && first && !w->json;
        tw_text_buffer_add(&w->text, "%*s%s", indent, "", dash ? "- " : "");
        if (dash) indent += 2;
        first = false;
        put_key(w, key, structure, indent);
    }
    if (w->json) tw_text_buffer_add(&w->text, "\n%*s}", indent - 2, "");
}

static char *write_text(const tw_scenario *scenario, bool json)
{
    tw_values_writer w = {.json = json};
    tw_plain plain;
    if (!tw_plain_enter(&plain)) return NULL;
    put_section(&w, tw_key_root(), scenario, json ? 2 : 0, false);
    if (json) tw_text_buffer_add(&w.text, "\n");
    tw_plain_leave(&plain);
    return tw_text_buffer_take(&w.text);
}

char *tw_scenario_write_text(const tw_scenario *scenario)
{
    return write_text(scenario, false);
}

char *tw_scenario_write_json(const tw_scenario *scenario)
{
    return write_text(scenario, true);
}
