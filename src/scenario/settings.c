/* SPDX-License-Identifier: BSD-3-Clause */
#include "scenario/settings.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "scenario/text_copy.h"
#include "scenario/tree_parse.h"
#include "scenario/word_list.h"

typedef struct one_setting {
    tw_diagnostics *diagnostics;
    tw_location location;
    char *key;         /* a copy, cut into steps */
    const char *value; /* after the equals sign */
} one_setting;

/* One step along the key: a name, or an item of a list. */
typedef struct setting_step {
    char *text;
    size_t length;
    bool item;
} setting_step;

enum { STEPS_MAX = TW_TREE_PARSE_DEPTH_MAX };

static bool refuse(const one_setting *s, const char *format, ...) TW_PRINTF_LIKE(2, 3);

static bool refuse(const one_setting *s, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    tw_diagnostics_add_list(s->diagnostics, s->location, NULL, format, arguments);
    va_end(arguments);
    return false;
}

static bool refuse_form(const one_setting *s)
{
    return refuse(s, "invalid setting; expected KEY=VALUE, where KEY is for example "
                     "material.friction or stages[2].rate");
}

/* Cuts the key into steps; 0: the key is malformed. */
static size_t split(const one_setting *s, setting_step steps[STEPS_MAX])
{
    size_t count = 0;
    for (char *at = s->key; *at; count++) {
        if (count == STEPS_MAX) return refuse_form(s);
        setting_step *next = &steps[count];
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

/* The item of that name, or NULL. */
static tw_tree_node *find_named(const tw_tree_node *list, const char *word)
{
    for (tw_tree_node *child = list->first; child; child = child->next) {
        const tw_tree_node *name = tw_tree_find(child, "name");
        if (name && name->text && strcmp(name->text, word) == 0) return child;
    }
    return NULL;
}

static void refuse_name(const one_setting *s, const tw_tree_node *list, const char *word)
{
    char names[400] = "";
    for (const tw_tree_node *child = list->first; child; child = child->next) {
        const tw_tree_node *name = tw_tree_find(child, "name");
        if (name && name->text)
            tw_word_list_add(names, sizeof names,
                             tw_text_quote(name->text, strlen(name->text)).text);
    }
    const tw_text_quotation quoted = tw_text_quote(word, strlen(word));
    if (*names)
        refuse(s, "no item named %s; named items: %s", quoted.text, names);
    else
        refuse(s, "no item named %s; the items have no names, give a number from 1", quoted.text);
}

static tw_tree_node *find_item(const one_setting *s, const tw_tree_node *list, const char *word)
{
    const tw_text_quotation quoted = tw_text_quote(word, strlen(word));
    char *end;
    const unsigned long number = strtoul(word, &end, 10);
    if (list->kind != TW_TREE_LIST) {
        refuse(s, "no item %s: its parent is not a list", quoted.text);
        return NULL;
    }
    if (*end == '\0') {
        tw_tree_node *item = tw_tree_item(list, number);
        if (!item)
            refuse(s, "no item %s; the list has %zu item%s, numbered from 1", quoted.text,
                   list->count, list->count == 1 ? "" : "s");
        return item;
    }
    tw_tree_node *item = find_named(list, word);
    if (!item) refuse_name(s, list, word);
    return item;
}

/* A key below a list, where an item is needed: stages.shear.rate. */
static bool refuse_list(const one_setting *s, const tw_tree_node *list, const char *word)
{
    const tw_text_quotation key = tw_text_quote(list->key, strlen(list->key)),
                            name = tw_text_quote(word, strlen(word));
    const char *bare = key.text + 1;
    const int length = (int)strlen(key.text) - 2;
    if (find_named(list, word))
        return refuse(s, "%s is a list: write %.*s[%.*s]", key.text, length, bare,
                      (int)strlen(name.text) - 2, name.text + 1);
    return refuse(s, "%s is a list: write %.*s[1] or %.*s[NAME] for one of its items", key.text,
                  length, bare, length, bare);
}

static tw_tree_node *make_child(const one_setting *s, tw_tree_node *map, const char *name)
{
    tw_tree_node *child = tw_tree_make(TW_TREE_MAP, NULL);
    if (child && tw_tree_append(map, child, name)) {
        child->location = child->key_location = s->location;
        return child;
    }
    tw_tree_free(child);
    tw_diagnostics_out_of_memory(s->diagnostics);
    return NULL;
}

/* One step down, to *child. A missing section is made, except at the last step, which leaves NULL.
 * False: the step is not possible. */
static bool walk(const one_setting *s, tw_tree_node *at, const setting_step *next, bool last,
                 tw_tree_node **child)
{
    if (next->item) {
        *child = find_item(s, at, next->text);
        return *child != NULL;
    }
    *child = NULL;
    if (at->kind == TW_TREE_LIST && at->key) return refuse_list(s, at, next->text);
    if (at->kind != TW_TREE_MAP)
        return refuse(s, "%s cannot be set: its parent is not a section",
                      tw_text_quote(next->text, strlen(next->text)).text);
    *child = tw_tree_find(at, next->text);
    if (!*child && !last) *child = make_child(s, at, next->text);
    return *child || last;
}

static void set_location(tw_tree_node *node, tw_location location)
{
    node->location = node->key_location = location;
    for (tw_tree_node *child = node->first; child; child = child->next)
        set_location(child, location);
}

static void set_value(const one_setting *s, tw_tree_node *parent, tw_tree_node *old,
                      const setting_step *last)
{
    if (*s->value == '\0') {
        if (old)
            tw_tree_remove(old);
        else
            refuse(s, "no such key to remove");
        return;
    }
    tw_tree_node *fresh =
        tw_tree_parse(s->value, strlen(s->value), s->location.source, s->diagnostics);
    if (!fresh) return;
    set_location(fresh, s->location);
    if (old) {
        tw_tree_replace(old, fresh);
    } else if (!tw_tree_append(parent, fresh, last->text)) {
        tw_tree_free(fresh);
        tw_diagnostics_out_of_memory(s->diagnostics);
    }
}

static void apply(const one_setting *s, tw_tree_node *root)
{
    setting_step steps[STEPS_MAX];
    const size_t count = split(s, steps);
    tw_tree_node *node = root;
    for (size_t i = 0; i < count; i++) {
        const bool last = i + 1 == count;
        tw_tree_node *child;
        if (!walk(s, node, &steps[i], last, &child)) return;
        if (last) set_value(s, node, child, &steps[i]);
        node = child;
    }
}

void tw_settings_apply(tw_tree_node *root, size_t source, tw_diagnostics *diagnostics)
{
    const char *text = diagnostics->settings[source - 1], *equals = strchr(text, '=');
    one_setting s = {.diagnostics = diagnostics, .location = {source, 0, 0}};
    if (!equals || equals == text) {
        refuse_form(&s);
        return;
    }
    s.value = equals + 1;
    s.key = tw_text_copy(text, (size_t)(equals - text));
    if (!s.key) {
        tw_diagnostics_out_of_memory(diagnostics);
        return;
    }
    apply(&s, root);
    free(s.key);
}
