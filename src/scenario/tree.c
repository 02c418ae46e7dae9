/* SPDX-License-Identifier: BSD-3-Clause */
/* YAML documents and command-line settings as a tree of nodes. */
#include "scenario/tree.h"

#include <stdlib.h>
#include <string.h>
#include <yaml.h>

#include "base/text.h"
#include "scenario/schema.h"

/* ---- Nodes ---- */

/* A node without location; NULL: out of memory. `text` is the text of a scalar, otherwise NULL. */
static tw_tree_node *make_node(tw_tree_kind kind, const char *text)
{
    tw_tree_node *node = calloc(1, sizeof *node);
    if (!node) return NULL;
    node->kind = kind;
    if (text) node->text = strdup(text);
    if (!text || node->text) return node;
    free(node);
    return NULL;
}

/* Recursion is safe: the depth is limited when the tree is made. */
void tw_tree_free(tw_tree_node *node)
{
    if (!node) return;
    for (tw_tree_node *child = node->first, *next; child; child = next) {
        next = child->next;
        tw_tree_free(child);
    }
    free(node->key);
    free(node->text);
    free(node);
}

static void append_node(tw_tree_node *parent, tw_tree_node *child)
{
    child->parent = parent;
    if (parent->last)
        parent->last->next = child;
    else
        parent->first = child;
    parent->last = child;
    parent->count++;
}

/* Removes a child and frees it. */
static void remove_node(tw_tree_node *child)
{
    tw_tree_node *parent = child->parent, *before = NULL;
    for (tw_tree_node *at = parent->first; at != child; at = at->next)
        before = at;
    if (before)
        before->next = child->next;
    else
        parent->first = child->next;
    if (parent->last == child) parent->last = before;
    parent->count--;
    tw_tree_free(child);
}

/* Puts `fresh` where `old` is, with the same key, and frees `old`. */
static void replace_node(tw_tree_node *old, tw_tree_node *fresh)
{
    tw_tree_node *parent = old->parent;
    tw_tree_node **link = &parent->first;
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

tw_tree_node *tw_tree_find(const tw_tree_node *map, const char *key)
{
    if (!map || map->kind != TW_TREE_MAP) return NULL;
    for (tw_tree_node *child = map->first; child; child = child->next)
        if (strcmp(child->key, key) == 0) return child;
    return NULL;
}

tw_tree_location tw_tree_locate(const tw_tree_node *map, const char *key)
{
    const tw_tree_node *node = tw_tree_find(map, key);
    return node ? node->location : map->location;
}

tw_tree_node *tw_tree_item(const tw_tree_node *list, size_t index)
{
    if (!list || list->kind != TW_TREE_LIST || index == 0) return NULL;
    tw_tree_node *child = list->first;
    while (child && --index > 0)
        child = child->next;
    return child;
}

bool tw_tree_is_null(const tw_tree_node *node)
{
    return node->kind == TW_TREE_SCALAR && !node->quoted &&
           (*node->text == '\0' || strcmp(node->text, "~") == 0 || strcmp(node->text, "null") == 0);
}

/* ---- Parsing ---- */

/* Builds the tree from libyaml's events. */
typedef struct tree_builder {
    tw_diagnostics *diagnostics;
    size_t source;
    yaml_parser_t parser;
    bool failed; /* and it has been reported */
} tree_builder;

static tw_tree_location location_of(const tree_builder *b, yaml_mark_t mark)
{
    return (tw_tree_location){b->source, mark.line + 1, mark.column + 1};
}

static void refuse(tree_builder *b, tw_tree_location location, const char *format, ...)
    TW_PRINTF_LIKE(3, 4);

static void refuse(tree_builder *b, tw_tree_location location, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    tw_diagnostics_add_list(b->diagnostics, false, location, NULL, NULL, format, arguments);
    va_end(arguments);
    b->failed = true;
}

static void run_out_of_memory(tree_builder *b)
{
    tw_diagnostics_out_of_memory(b->diagnostics);
    b->failed = true;
}

/* Quotes libyaml: "did not find expected ',' or ']'". */
static void refuse_syntax(tree_builder *b)
{
    const yaml_parser_t *parser = &b->parser;
    if (parser->error == YAML_MEMORY_ERROR) {
        run_out_of_memory(b);
        return;
    }
    const char *why = parser->problem ? parser->problem : "unknown reason";
    const tw_tree_location location = location_of(b, parser->problem_mark);
    const bool tab = parser->error == YAML_SCANNER_ERROR && *parser->buffer.pointer == '\t';
    if (tab)
        refuse(b, location, "found a tab; YAML is indented with spaces");
    else if (parser->error == YAML_READER_ERROR)
        refuse(b, (tw_tree_location){b->source, 0, 0}, "not valid UTF-8: %s at byte %zu", why,
               parser->problem_offset);
    else if (parser->context)
        refuse(b, location, "invalid YAML: %s, %s (starting at line %zu)", why, parser->context,
               parser->context_mark.line + 1);
    else
        refuse(b, location, "invalid YAML: %s", why);
}

/* The next event, for the caller to delete; false: there is none. */
static bool next_event(tree_builder *b, yaml_event_t *event)
{
    const bool good = yaml_parser_parse(&b->parser, event);
    if (!good) refuse_syntax(b);
    return good;
}

/* Anchors and tags are refused even if nothing refers to them. */
static bool is_plain(tree_builder *b, const yaml_event_t *event)
{
    const tw_tree_location location = location_of(b, event->start_mark);
    const bool scalar = event->type == YAML_SCALAR_EVENT,
               list = event->type == YAML_SEQUENCE_START_EVENT;
    const yaml_char_t *anchor = scalar ? event->data.scalar.anchor
                                : list ? event->data.sequence_start.anchor
                                       : event->data.mapping_start.anchor;
    const yaml_char_t *tag = scalar ? event->data.scalar.tag
                             : list ? event->data.sequence_start.tag
                                    : event->data.mapping_start.tag;
    if (event->type == YAML_ALIAS_EVENT || anchor)
        refuse(b, location, "anchors (&) and aliases (*) are not supported; write the value out");
    else if (tag)
        refuse(b, location, "tags (!) are not supported; remove the tag");
    else if (scalar && memchr(event->data.scalar.value, '\0', event->data.scalar.length))
        refuse(b, location, "text contains a NUL character");
    return !b->failed;
}

/* A copy of the key that the event is, in this map; NULL: refused. */
static char *take_key(tree_builder *b, const tw_tree_node *map, const yaml_event_t *event)
{
    const char *text = (const char *)event->data.scalar.value;
    const tw_tree_location location = location_of(b, event->start_mark);
    char *key = NULL;
    if (!is_plain(b, event)) return NULL;
    if (event->type != YAML_SCALAR_EVENT)
        refuse(b, location, "a key must be a plain word, not a map or a list");
    else if (strcmp(text, "<<") == 0)
        refuse(b, location, "merge keys (<<) are not supported; write the keys out");
    else if (map->count == TW_TREE_PARSE_KEYS_MAX)
        refuse(b, location, "section exceeds the limit of %d keys", (int)TW_TREE_PARSE_KEYS_MAX);
    else if (!(key = strdup(text)))
        run_out_of_memory(b);
    return key;
}

static tw_tree_node *take_node(tree_builder *b, const yaml_event_t *event, size_t depth);

/* Adds the next child of a map or list; false: there is none, or it was refused. */
static bool take_child(tree_builder *b, tw_tree_node *parent, size_t depth)
{
    yaml_event_t event;
    if (!next_event(b, &event)) return false;
    const bool ended =
        event.type == YAML_SEQUENCE_END_EVENT || event.type == YAML_MAPPING_END_EVENT;
    const tw_tree_location key_location = location_of(b, event.start_mark);
    char *key = NULL;
    if (!ended && parent->kind == TW_TREE_MAP) {
        key = take_key(b, parent, &event);
        yaml_event_delete(&event);
        if (!key || !next_event(b, &event)) {
            free(key);
            return false;
        }
    }
    tw_tree_node *child = ended ? NULL : take_node(b, &event, depth);
    yaml_event_delete(&event);
    if (!child) {
        free(key);
        return false;
    }
    child->key = key;
    if (key) child->key_location = key_location;
    append_node(parent, child);
    return true;
}

/* The value that begins with the event, `depth` levels below the root; NULL: refused. */
static tw_tree_node *take_node(tree_builder *b, const yaml_event_t *event, size_t depth)
{
    const bool scalar = event->type == YAML_SCALAR_EVENT;
    if (!is_plain(b, event)) return NULL;
    if (!scalar && depth == TW_TREE_PARSE_DEPTH_MAX) {
        refuse(b, location_of(b, event->start_mark), "nesting exceeds the limit of %d levels",
               (int)TW_TREE_PARSE_DEPTH_MAX);
        return NULL;
    }
    tw_tree_node *node = make_node(scalar                                    ? TW_TREE_SCALAR
                                   : event->type == YAML_MAPPING_START_EVENT ? TW_TREE_MAP
                                                                             : TW_TREE_LIST,
                                   scalar ? (const char *)event->data.scalar.value : NULL);
    if (!node) {
        run_out_of_memory(b);
        return NULL;
    }
    node->location = location_of(b, event->start_mark);
    node->quoted = scalar && event->data.scalar.style != YAML_PLAIN_SCALAR_STYLE;
    while (!scalar && take_child(b, node, depth + 1)) {
    }
    if (!b->failed) return node;
    tw_tree_free(node);
    return NULL;
}

/* The root of the only document. */
static tw_tree_node *take_document(tree_builder *b)
{
    tw_tree_node *root = NULL;
    yaml_event_t event;
    for (bool ended = false; !ended && !b->failed && next_event(b, &event);) {
        ended = event.type == YAML_STREAM_END_EVENT;
        if (event.type == YAML_DOCUMENT_START_EVENT && root)
            refuse(b, location_of(b, event.start_mark),
                   "second YAML document; a scenario is a single document");
        else if (!ended && event.type != YAML_STREAM_START_EVENT &&
                 event.type != YAML_DOCUMENT_START_EVENT && event.type != YAML_DOCUMENT_END_EVENT)
            root = take_node(b, &event, 0);
        yaml_event_delete(&event);
    }
    if (!b->failed && !root) refuse(b, (tw_tree_location){b->source, 0, 0}, "is empty");
    if (!b->failed) return root;
    tw_tree_free(root);
    return NULL;
}

tw_tree_node *tw_tree_parse(const char *text, size_t length, size_t source,
                            tw_diagnostics *diagnostics)
{
    tree_builder b = {.diagnostics = diagnostics, .source = source};
    if (length > TW_TREE_PARSE_BYTES_MAX) {
        refuse(&b, (tw_tree_location){source, 0, 0}, "exceeds the limit of %d bytes",
               (int)TW_TREE_PARSE_BYTES_MAX);
        return NULL;
    }
    if (!yaml_parser_initialize(&b.parser)) {
        tw_diagnostics_out_of_memory(diagnostics);
        return NULL;
    }
    yaml_parser_set_input_string(&b.parser, (const unsigned char *)text, length);
    tw_tree_node *root = take_document(&b);
    yaml_parser_delete(&b.parser);
    return root;
}

/* ---- Settings ---- */

typedef struct one_setting {
    tw_diagnostics *diagnostics;
    tw_tree_location location;
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

static bool refuse_setting(const one_setting *s, const char *format, ...) TW_PRINTF_LIKE(2, 3);

static bool refuse_setting(const one_setting *s, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    tw_diagnostics_add_list(s->diagnostics, false, s->location, NULL, NULL, format, arguments);
    va_end(arguments);
    return false;
}

static bool refuse_form(const one_setting *s)
{
    return refuse_setting(s, "invalid setting; expected KEY=VALUE, where KEY is for example "
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
            tw_text_add_word(names, sizeof names,
                             tw_text_quote(name->text, strlen(name->text)).text);
    }
    const tw_text_quotation quoted = tw_text_quote(word, strlen(word));
    if (*names)
        refuse_setting(s, "no item named %s; named items: %s", quoted.text, names);
    else
        refuse_setting(s, "no item named %s; the items have no names, give a number from 1",
                       quoted.text);
}

static tw_tree_node *find_item(const one_setting *s, const tw_tree_node *list, const char *word)
{
    const tw_text_quotation quoted = tw_text_quote(word, strlen(word));
    char *end;
    const unsigned long number = strtoul(word, &end, 10);
    if (list->kind != TW_TREE_LIST) {
        refuse_setting(s, "no item %s: its parent is not a list", quoted.text);
        return NULL;
    }
    if (*end == '\0') {
        tw_tree_node *item = tw_tree_item(list, number);
        if (!item)
            refuse_setting(s, "no item %s; the list has %zu item%s, numbered from 1", quoted.text,
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
        return refuse_setting(s, "%s is a list: write %.*s[%.*s]", key.text, length, bare,
                              (int)strlen(name.text) - 2, name.text + 1);
    return refuse_setting(s, "%s is a list: write %.*s[1] or %.*s[NAME] for one of its items",
                          key.text, length, bare, length, bare);
}

static tw_tree_node *make_child(const one_setting *s, tw_tree_node *map, const char *name)
{
    tw_tree_node *child = make_node(TW_TREE_MAP, NULL);
    if (child && (child->key = strdup(name))) {
        child->location = child->key_location = s->location;
        append_node(map, child);
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
        return refuse_setting(s, "%s cannot be set: its parent is not a section",
                              tw_text_quote(next->text, strlen(next->text)).text);
    *child = tw_tree_find(at, next->text);
    if (!*child && !last) *child = make_child(s, at, next->text);
    return *child || last;
}

static void set_location(tw_tree_node *node, tw_tree_location location)
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
            remove_node(old);
        else
            refuse_setting(s, "no such key to remove");
        return;
    }
    tw_tree_node *fresh =
        tw_tree_parse(s->value, strlen(s->value), s->location.source, s->diagnostics);
    if (!fresh) return;
    set_location(fresh, s->location);
    if (old) {
        replace_node(old, fresh);
    } else if ((fresh->key = strdup(last->text))) {
        append_node(parent, fresh);
    } else {
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

void tw_tree_apply_setting(tw_tree_node *root, size_t source, tw_diagnostics *diagnostics)
{
    const char *text = diagnostics->settings[source - 1], *equals = strchr(text, '=');
    one_setting s = {.diagnostics = diagnostics, .location = {source, 0, 0}};
    if (!equals || equals == text) {
        refuse_form(&s);
        return;
    }
    s.value = equals + 1;
    s.key = strndup(text, (size_t)(equals - text));
    if (!s.key) {
        tw_diagnostics_out_of_memory(diagnostics);
        return;
    }
    apply(&s, root);
    free(s.key);
}
