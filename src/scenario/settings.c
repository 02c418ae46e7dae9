/* SPDX-License-Identifier: BSD-3-Clause */
#include "scenario/settings.h"

#include <stdlib.h>
#include <string.h>

#include <twirl/text.h>

typedef struct setting {
    tw_faults *faults;
    tw_place place;
    char *key;         /* a copy that is cut up */
    const char *value; /* behind the equals sign */
} setting;

/* One step of the way: a name, or an item of a list. */
typedef struct step {
    char *text;
    size_t length;
    bool item;
} step;

enum { STEPS_MAX = TW_TREE_DEPTH_MAX };

static bool refuse(const setting *s, const char *text)
{
    tw_faults_add(s->faults, s->place, NULL, "%s", text);
    return false;
}

static bool refuse_form(const setting *s)
{
    return refuse(s,
                  "is no setting; expected is KEY=VALUE, with a key such as material.friction or "
                  "stages[2].rate");
}

/* Cuts the key into steps; 0: this is no key. */
static size_t split(const setting *s, step steps[STEPS_MAX])
{
    size_t count = 0;
    for (char *at = s->key; *at; count++) {
        if (count == STEPS_MAX) return refuse_form(s);
        step *next = &steps[count];
        next->item = *at == '[';
        if (next->item || count > 0) {
            if (!next->item && *at != '.') return refuse_form(s);
            at++;
        }
        next->text = at;
        next->length = strcspn(at, next->item ? "]" : ".[");
        at += next->length;
        if (next->length == 0 || (next->item && *at != ']')) return refuse_form(s);
        if (next->item) at++;
    }
    for (size_t i = 0; i < count; i++)
        steps[i].text[steps[i].length] = '\0';
    return count;
}

static tw_node *find_item(const setting *s, const tw_node *list, const char *word)
{
    char *end;
    const unsigned long number = strtoul(word, &end, 10);
    if (list->kind == TW_NODE_LIST && *end == '\0') {
        tw_node *item = tw_tree_item(list, number);
        if (!item)
            tw_faults_add(s->faults, s->place, NULL,
                          "there is no item %s: the list has %zu, numbered from 1",
                          tw_text_quote(word, strlen(word)).text, list->count);
        return item;
    }
    for (tw_node *child = list->kind == TW_NODE_LIST ? list->first : NULL; child;
         child = child->next) {
        const tw_node *name = tw_tree_find(child, "name");
        if (name && name->text && strcmp(name->text, word) == 0) return child;
    }
    tw_faults_add(s->faults, s->place, NULL, "there is no item with the name %s",
                  tw_text_quote(word, strlen(word)).text);
    return NULL;
}

static tw_node *make_child(const setting *s, tw_node *map, const char *name)
{
    tw_node *child = tw_tree_make(TW_NODE_MAP, NULL);
    if (child && tw_tree_append(map, child, name)) {
        child->place = child->key_place = s->place;
        return child;
    }
    tw_tree_free(child);
    tw_faults_memory(s->faults);
    return NULL;
}

/* One step down, to *child; a section is made if it is not there, but not at the last step, where
 * NULL is left. False: it cannot be taken. */
static bool walk(const setting *s, tw_node *at, const step *next, bool last, tw_node **child)
{
    if (next->item) {
        *child = find_item(s, at, next->text);
        return *child != NULL;
    }
    *child = NULL;
    if (at->kind != TW_NODE_MAP) {
        tw_faults_add(s->faults, s->place, NULL, "%s cannot be set: what holds it is no section",
                      tw_text_quote(next->text, strlen(next->text)).text);
        return false;
    }
    *child = tw_tree_find(at, next->text);
    if (!*child && !last) *child = make_child(s, at, next->text);
    return *child || last;
}

static void mark(tw_node *node, tw_place place)
{
    node->place = node->key_place = place;
    for (tw_node *child = node->first; child; child = child->next)
        mark(child, place);
}

/* Puts `fresh` where `old` is, keeping the key and the place among its siblings. */
static void replace(tw_node *old, tw_node *fresh)
{
    tw_node *parent = old->parent;
    tw_node **link = &parent->first;
    while (*link != old)
        link = &(*link)->next;
    *link = fresh;
    fresh->next = old->next;
    fresh->parent = parent;
    if (parent->last == old) parent->last = fresh;
    fresh->key = old->key;
    old->key = NULL;
    tw_tree_free(old);
}

static void put(const setting *s, tw_node *parent, tw_node *old, const step *last)
{
    if (*s->value == '\0') {
        if (old)
            tw_tree_remove(old);
        else
            refuse(s, "there is no such key to take out");
        return;
    }
    tw_node *fresh = tw_tree_parse(s->value, strlen(s->value), s->place.source, NULL, s->faults);
    if (!fresh) return;
    mark(fresh, s->place);
    if (old) {
        replace(old, fresh);
    } else if (!tw_tree_append(parent, fresh, last->text)) {
        tw_tree_free(fresh);
        tw_faults_memory(s->faults);
    }
}

static void apply(const setting *s, tw_node *root)
{
    step steps[STEPS_MAX];
    const size_t count = split(s, steps);
    tw_node *node = root;
    for (size_t i = 0; i < count; i++) {
        const bool last = i + 1 == count;
        tw_node *child;
        if (!walk(s, node, &steps[i], last, &child)) return;
        if (last) put(s, node, child, &steps[i]);
        node = child;
    }
}

void tw_settings_apply(tw_node *root, size_t source, tw_faults *faults)
{
    const char *text = faults->settings[source - 1], *equals = strchr(text, '=');
    setting s = {.faults = faults, .place = {source, 0, 0}};
    if (!equals || equals == text) {
        refuse_form(&s);
        return;
    }
    const size_t length = (size_t)(equals - text);
    s.value = equals + 1;
    s.key = malloc(length + 1);
    if (!s.key) {
        tw_faults_memory(faults);
        return;
    }
    memcpy(s.key, text, length);
    s.key[length] = '\0';
    apply(&s, root);
    free(s.key);
}
