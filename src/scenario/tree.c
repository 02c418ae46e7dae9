/* SPDX-License-Identifier: BSD-3-Clause */
#include "scenario/tree.h"

#include <stdlib.h>
#include <string.h>

#include <yaml.h>

static char *copy_text(const char *text, size_t length)
{
    char *copy = malloc(length + 1);
    if (!copy) return NULL;
    memcpy(copy, text, length);
    copy[length] = '\0';
    return copy;
}

tw_node *tw_tree_make(tw_node_kind kind, const char *text)
{
    tw_node *node = calloc(1, sizeof *node);
    if (!node) return NULL;
    node->kind = kind;
    if (text) node->text = copy_text(text, strlen(text));
    if (!text || node->text) return node;
    free(node);
    return NULL;
}

/* The depth is limited when the tree is made. */
void tw_tree_free(tw_node *node)
{
    if (!node) return;
    for (tw_node *child = node->first, *next; child; child = next) {
        next = child->next;
        tw_tree_free(child);
    }
    free(node->key);
    free(node->text);
    free(node);
}

bool tw_tree_append(tw_node *parent, tw_node *child, const char *key)
{
    if (key) {
        child->key = copy_text(key, strlen(key));
        if (!child->key) return false;
    }
    child->parent = parent;
    if (parent->last)
        parent->last->next = child;
    else
        parent->first = child;
    parent->last = child;
    parent->count++;
    return true;
}

void tw_tree_remove(tw_node *child)
{
    tw_node *parent = child->parent, *before = NULL;
    for (tw_node *at = parent->first; at != child; at = at->next)
        before = at;
    if (before)
        before->next = child->next;
    else
        parent->first = child->next;
    if (parent->last == child) parent->last = before;
    parent->count--;
    tw_tree_free(child);
}

tw_node *tw_tree_find(const tw_node *map, const char *key)
{
    if (!map || map->kind != TW_NODE_MAP) return NULL;
    for (tw_node *child = map->first; child; child = child->next)
        if (strcmp(child->key, key) == 0) return child;
    return NULL;
}

tw_node *tw_tree_item(const tw_node *list, size_t index)
{
    if (!list || list->kind != TW_NODE_LIST || index == 0) return NULL;
    tw_node *child = list->first;
    while (child && --index > 0)
        child = child->next;
    return child;
}

void tw_tree_blame(tw_node *node)
{
    for (; node && !node->faulty; node = node->parent)
        node->faulty = true;
}

/* ---- From the events of libyaml ---- */

typedef struct builder {
    tw_faults *faults;
    const tw_trail *trail;
    size_t source;
    tw_node *root, *open; /* the innermost map or list that has not ended */
    size_t depth;
    char *key; /* of the value that comes next, in a map */
    tw_place key_place;
    bool key_given, failed;
} builder;

static tw_place place_of(const builder *b, yaml_mark_t mark)
{
    const tw_place place = {b->source, mark.line + 1, mark.column + 1};
    return place;
}

static void refuse(builder *b, yaml_mark_t mark, const char *text)
{
    tw_faults_add(b->faults, place_of(b, mark), b->trail, "%s", text);
    b->failed = true;
}

static void no_memory(builder *b)
{
    tw_faults_memory(b->faults);
    b->failed = true;
}

/* Puts a finished scalar, or the start of a map or list, into what is open. */
static void place_node(builder *b, tw_node *node)
{
    if (!b->open) {
        tw_tree_free(b->root); /* libyaml gives one root to a document */
        b->root = node;
        return;
    }
    node->key = b->key;
    node->key_place = b->key_place;
    b->key = NULL;
    b->key_given = false;
    if (!tw_tree_append(b->open, node, NULL)) no_memory(b);
}

static bool key_expected(const builder *b)
{
    return b->open && b->open->kind == TW_NODE_MAP && !b->key_given;
}

static void take_key(builder *b, const char *text, size_t length, yaml_mark_t mark)
{
    if (strcmp(text, "<<") == 0) {
        refuse(b, mark, "merge keys (<<) are not part of the language; write the keys out");
        return;
    }
    if (b->open->count == TW_TREE_KEYS_MAX) {
        refuse(b, mark, "more than 256 keys in one section: this is no scenario");
        return;
    }
    b->key = copy_text(text, length);
    b->key_place = place_of(b, mark);
    b->key_given = true;
    if (!b->key) no_memory(b);
}

static void take_scalar(builder *b, const yaml_event_t *event)
{
    const char *text = (const char *)event->data.scalar.value;
    const size_t length = event->data.scalar.length;
    if (memchr(text, '\0', length)) {
        refuse(b, event->start_mark, "a NUL character in a text");
        return;
    }
    if (key_expected(b)) {
        take_key(b, text, length, event->start_mark);
        return;
    }
    tw_node *node = tw_tree_make(TW_NODE_SCALAR, text);
    if (!node) {
        no_memory(b);
        return;
    }
    node->place = place_of(b, event->start_mark);
    node->quoted = event->data.scalar.style != YAML_PLAIN_SCALAR_STYLE;
    place_node(b, node);
}

static void take_start(builder *b, const yaml_event_t *event, tw_node_kind kind)
{
    if (key_expected(b)) {
        refuse(b, event->start_mark, "a key must be a plain word, not a map or a list");
        return;
    }
    if (b->depth == TW_TREE_DEPTH_MAX) {
        refuse(b, event->start_mark, "nested too deeply: this is no scenario");
        return;
    }
    tw_node *node = tw_tree_make(kind, NULL);
    if (!node) {
        no_memory(b);
        return;
    }
    node->place = place_of(b, event->start_mark);
    place_node(b, node);
    b->open = node;
    b->depth++;
}

/* Anchors and tags are refused where they stand, whether or not anything refers to them. */
static bool is_plain(builder *b, const yaml_event_t *event, const yaml_char_t *anchor,
                     const yaml_char_t *tag)
{
    if (anchor)
        refuse(b, event->start_mark,
               "anchors (&) and aliases (*) are not part of the language; write the value out");
    else if (tag)
        refuse(b, event->start_mark, "tags (!) are not part of the language; leave it out");
    return !b->failed;
}

static void take_event(builder *b, const yaml_event_t *event)
{
    switch (event->type) {
    case YAML_ALIAS_EVENT:
        refuse(b, event->start_mark,
               "anchors (&) and aliases (*) are not part of the language; write the value out");
        break;
    case YAML_SCALAR_EVENT:
        if (is_plain(b, event, event->data.scalar.anchor, event->data.scalar.tag))
            take_scalar(b, event);
        break;
    case YAML_SEQUENCE_START_EVENT:
        if (is_plain(b, event, event->data.sequence_start.anchor, event->data.sequence_start.tag))
            take_start(b, event, TW_NODE_LIST);
        break;
    case YAML_MAPPING_START_EVENT:
        if (is_plain(b, event, event->data.mapping_start.anchor, event->data.mapping_start.tag))
            take_start(b, event, TW_NODE_MAP);
        break;
    case YAML_SEQUENCE_END_EVENT:
    case YAML_MAPPING_END_EVENT:
        if (!b->open) break; /* libyaml ends nothing that has not begun */
        b->open = b->open->parent;
        b->depth--;
        break;
    case YAML_DOCUMENT_START_EVENT:
        if (b->root)
            refuse(b, event->start_mark, "a second document begins; a scenario is one document");
        break;
    default:
        break;
    }
}

/* libyaml's words, as they are: "did not find expected ',' or ']'". */
static void refuse_syntax(builder *b, const yaml_parser_t *parser)
{
    b->failed = true;
    if (parser->error == YAML_MEMORY_ERROR) {
        no_memory(b);
        return;
    }
    const char *why = parser->problem ? parser->problem : "unknown reason";
    const tw_place place = place_of(b, parser->problem_mark);
    if (parser->error == YAML_READER_ERROR)
        tw_faults_add(b->faults, (tw_place){b->source, 0, 0}, b->trail,
                      "not a text in UTF-8: %s at byte %zu", why, parser->problem_offset);
    else if (parser->context)
        tw_faults_add(b->faults, place, b->trail, "not YAML: %s, %s (begun at line %zu)", why,
                      parser->context, parser->context_mark.line + 1);
    else
        tw_faults_add(b->faults, place, b->trail, "not YAML: %s", why);
}

static void take_all(builder *b, yaml_parser_t *parser)
{
    for (bool ended = false; !ended && !b->failed;) {
        yaml_event_t event;
        if (!yaml_parser_parse(parser, &event)) {
            refuse_syntax(b, parser);
            return;
        }
        take_event(b, &event);
        ended = event.type == YAML_STREAM_END_EVENT;
        yaml_event_delete(&event);
    }
    if (!b->failed && !b->root) {
        tw_faults_add(b->faults, (tw_place){b->source, 0, 0}, b->trail, "is empty");
        b->failed = true;
    }
}

tw_node *tw_tree_parse(const char *text, size_t length, size_t source, const tw_trail *trail,
                       tw_faults *faults)
{
    builder b = {.faults = faults, .trail = trail, .source = source};
    yaml_parser_t parser;
    if (length > TW_TREE_BYTES_MAX) {
        tw_faults_add(faults, (tw_place){source, 0, 0}, trail,
                      "larger than %d bytes: this is no scenario", (int)TW_TREE_BYTES_MAX);
        return NULL;
    }
    if (!yaml_parser_initialize(&parser)) {
        tw_faults_memory(faults);
        return NULL;
    }
    yaml_parser_set_input_string(&parser, (const unsigned char *)text, length);
    take_all(&b, &parser);
    yaml_parser_delete(&parser);
    free(b.key);
    if (!b.failed) return b.root;
    tw_tree_free(b.root);
    return NULL;
}
