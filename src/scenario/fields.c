/* SPDX-License-Identifier: BSD-3-Clause */
#include "scenario/fields.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <twirl/scenario.h>

tw_fields_list tw_fields_get_list(const tw_key *key, const void *structure)
{
    tw_fields_list list;
    memcpy(&list.items, (const char *)structure + key->offset, sizeof list.items);
    memcpy(&list.count, (const char *)structure + key->count_offset, sizeof list.count);
    return list;
}

void tw_fields_set_list(const tw_key *key, void *structure, tw_fields_list list)
{
    memcpy((char *)structure + key->offset, &list.items, sizeof list.items);
    memcpy((char *)structure + key->count_offset, &list.count, sizeof list.count);
}

void tw_fields_clear_one(const tw_key *key, void *field)
{
    switch (key->type) {
    case TW_KEY_NUMBER:
        *(double *)field = nan("");
        break;
    case TW_KEY_COUNT:
        *(uint64_t *)field = TW_SCENARIO_NONE;
        break;
    case TW_KEY_SWITCH:
    case TW_KEY_CHOICE:
        *(int32_t *)field = -1;
        break;
    case TW_KEY_SET:
        *(uint32_t *)field = TW_SCENARIO_NO_SET;
        break;
    case TW_KEY_TEXT:
    case TW_KEY_NAME:
    case TW_KEY_FILE:
        *(char **)field = NULL;
        break;
    case TW_KEY_PAIR:
        ((char **)field)[0] = ((char **)field)[1] = NULL;
        break;
    case TW_KEY_VECTOR:
        for (int i = 0; i < 3; i++)
            ((double *)field)[i] = nan("");
        break;
    case TW_KEY_ROWS:
        *(tw_scenario_rows *)field = (tw_scenario_rows){NULL, 0};
        break;
    case TW_KEY_MAP:
    case TW_KEY_LIST:
        break;
    }
}

void tw_fields_clear(const tw_key_section *section, void *structure)
{
    memset(structure, 0, section->size);
    for (size_t i = 0; i < section->key_count; i++) {
        const tw_key *key = &section->keys[i];
        if (key->type == TW_KEY_MAP)
            tw_fields_clear(key->section, tw_fields_at(key, structure));
        else
            tw_fields_clear_one(key, tw_fields_at(key, structure));
    }
}

static bool any_in_section(const tw_key_section *section, const void *structure)
{
    for (size_t i = 0; i < section->key_count; i++)
        if (tw_fields_any(&section->keys[i], structure)) return true;
    return false;
}

bool tw_fields_any(const tw_key *key, const void *structure)
{
    const void *field = tw_fields_at_const(key, structure);
    switch (key->type) {
    case TW_KEY_NUMBER:
    case TW_KEY_VECTOR:
        return !isnan(*(const double *)field);
    case TW_KEY_COUNT:
        return *(const uint64_t *)field != TW_SCENARIO_NONE;
    case TW_KEY_SWITCH:
    case TW_KEY_CHOICE:
        return *(const int32_t *)field >= 0;
    case TW_KEY_SET:
        return *(const uint32_t *)field != TW_SCENARIO_NO_SET;
    case TW_KEY_TEXT:
    case TW_KEY_NAME:
    case TW_KEY_FILE:
    case TW_KEY_PAIR:
        return *(char *const *)field != NULL;
    case TW_KEY_ROWS:
        return ((const tw_scenario_rows *)field)->count > 0;
    case TW_KEY_MAP:
        return any_in_section(key->section, field);
    case TW_KEY_LIST:
        return tw_fields_get_list(key, structure).count > 0;
    }
    return false;
}

static void free_list(const tw_key *key, const void *structure)
{
    const tw_fields_list list = tw_fields_get_list(key, structure);
    for (size_t i = 0; i < list.count; i++)
        tw_fields_free(key->section, list.items + i * key->section->size);
    free(list.items);
}

void tw_fields_free(const tw_key_section *section, void *structure)
{
    for (size_t i = 0; i < section->key_count; i++) {
        const tw_key *key = &section->keys[i];
        void *field = tw_fields_at(key, structure);
        if (key->type == TW_KEY_MAP) tw_fields_free(key->section, field);
        if (key->type == TW_KEY_LIST) free_list(key, structure);
        if (key->type == TW_KEY_ROWS) free(((tw_scenario_rows *)field)->value);
        if (key->type == TW_KEY_TEXT || key->type == TW_KEY_NAME || key->type == TW_KEY_FILE ||
            key->type == TW_KEY_PAIR)
            free(((char **)field)[0]);
        if (key->type == TW_KEY_PAIR) free(((char **)field)[1]);
    }
}
