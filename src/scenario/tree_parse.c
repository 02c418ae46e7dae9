/* SPDX-License-Identifier: BSD-3-Clause */
#include "scenario/tree_parse.h"

#include <stdlib.h>
#include <string.h>

#include <yaml.h>

#include "scenario/text_copy.h"

/* Builds the tree from libyaml's events. */
typedef struct tree_builder {
    tw_diagnostics *diagnostics;
    size_t source;
    tw_tree_node *root, *open; /* the innermost map or list still open */
    size_t depth;
    char *key; /* of the next value, in a map */
    tw_location key_location;
    bool key_given, failed;
} tree_builder;

static tw_location location_of(const tree_builder *b, yaml_mark_t mark)
{
    return (tw_location){b->source, mark.line + 1, mark.column + 1};
}

static void refuse(tree_builder *b, tw_location location, const char *format, ...)
    TW_PRINTF_LIKE(3, 4);

static void refuse(tree_builder *b, tw_location location, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    tw_diagnostics_add_list(b->diagnostics, location, NULL, format, arguments);
    va_end(arguments);
    b->failed = true;
}

static void run_out_of_memory(tree_builder *b)
{
    tw_diagnostics_out_of_memory(b->diagnostics);
    b->failed = true;
}

/* Adds a scalar, or a map or list that starts, to the open node. */
static void add_node(tree_builder *b, tw_tree_node *node)
{
    if (!b->open) {
        tw_tree_free(b->root); /* NULL: libyaml emits one root per document */
        b->root = node;
        return;
    }
    node->key = b->key;
    node->key_location = b->key_location;
    b->key = NULL;
    b->key_given = false;
    if (!tw_tree_append(b->open, node, NULL)) run_out_of_memory(b);
}

static bool key_expected(const tree_builder *b)
{
    return b->open && b->open->kind == TW_TREE_MAP && !b->key_given;
}

static void take_key(tree_builder *b, const char *text, size_t length, tw_location location)
{
    if (strcmp(text, "<<") == 0) {
        refuse(b, location, "merge keys (<<) are not supported; write the keys out");
        return;
    }
    if (b->open->count == TW_TREE_PARSE_KEYS_MAX) {
        refuse(b, location, "section exceeds the limit of %d keys", (int)TW_TREE_PARSE_KEYS_MAX);
        return;
    }
    b->key = tw_text_copy(text, length);
    b->key_location = location;
    b->key_given = true;
    if (!b->key) run_out_of_memory(b);
}

static void take_scalar(tree_builder *b, const yaml_event_t *event)
{
    const char *text = (const char *)event->data.scalar.value;
    const size_t length = event->data.scalar.length;
    const tw_location location = location_of(b, event->start_mark);
    if (memchr(text, '\0', length)) {
        refuse(b, location, "text contains a NUL character");
        return;
    }
    if (key_expected(b)) {
        take_key(b, text, length, location);
        return;
    }
    tw_tree_node *node = tw_tree_make(TW_TREE_SCALAR, text);
    if (!node) {
        run_out_of_memory(b);
        return;
    }
    node->location = location;
    node->quoted = event->data.scalar.style != YAML_PLAIN_SCALAR_STYLE;
    add_node(b, node);
}

static void take_start(tree_builder *b, const yaml_event_t *event, tw_tree_kind kind)
{
    const tw_location location = location_of(b, event->start_mark);
    if (key_expected(b)) {
        refuse(b, location, "a key must be a plain word, not a map or a list");
        return;
    }
    if (b->depth == TW_TREE_PARSE_DEPTH_MAX) {
        refuse(b, location, "nesting exceeds the limit of %d levels", (int)TW_TREE_PARSE_DEPTH_MAX);
        return;
    }
    tw_tree_node *node = tw_tree_make(kind, NULL);
    if (!node) {
        run_out_of_memory(b);
        return;
    }
    node->location = location;
    add_node(b, node);
    b->open = node;
    b->depth++;
}

static void refuse_anchor(tree_builder *b, const yaml_event_t *event)
{
    refuse(b, location_of(b, event->start_mark),
           "anchors (&) and aliases (*) are not supported; write the value out");
}

/* Anchors and tags are refused even if nothing refers to them. */
static bool is_plain(tree_builder *b, const yaml_event_t *event, const yaml_char_t *anchor,
                     const yaml_char_t *tag)
{
    if (anchor)
        refuse_anchor(b, event);
    else if (tag)
        refuse(b, location_of(b, event->start_mark), "tags (!) are not supported; remove the tag");
    return !b->failed;
}

static void take_event(tree_builder *b, const yaml_event_t *event)
{
    switch (event->type) {
    case YAML_ALIAS_EVENT:
        refuse_anchor(b, event);
        break;
    case YAML_SCALAR_EVENT:
        if (is_plain(b, event, event->data.scalar.anchor, event->data.scalar.tag))
            take_scalar(b, event);
        break;
    case YAML_SEQUENCE_START_EVENT:
        if (is_plain(b, event, event->data.sequence_start.anchor, event->data.sequence_start.tag))
            take_start(b, event, TW_TREE_LIST);
        break;
    case YAML_MAPPING_START_EVENT:
        if (is_plain(b, event, event->data.mapping_start.anchor, event->data.mapping_start.tag))
            take_start(b, event, TW_TREE_MAP);
        break;
    case YAML_SEQUENCE_END_EVENT:
    case YAML_MAPPING_END_EVENT:
        if (!b->open) break; /* libyaml never ends what has not started */
        b->open = b->open->parent;
        b->depth--;
        break;
    case YAML_DOCUMENT_START_EVENT:
        if (b->root)
            refuse(b, location_of(b, event->start_mark),
                   "second YAML document; a scenario is a single document");
        break;
    default:
        break;
    }
}

/* Quotes libyaml: "did not find expected ',' or ']'". */
static void refuse_syntax(tree_builder *b, const yaml_parser_t *parser)
{
    if (parser->error == YAML_MEMORY_ERROR) {
        run_out_of_memory(b);
        return;
    }
    const char *why = parser->problem ? parser->problem : "unknown reason";
    const tw_location location = location_of(b, parser->problem_mark);
    const bool tab = parser->error == YAML_SCANNER_ERROR && *parser->buffer.pointer == '\t';
    if (tab)
        refuse(b, location, "found a tab; YAML is indented with spaces");
    else if (parser->error == YAML_READER_ERROR)
        refuse(b, (tw_location){b->source, 0, 0}, "not valid UTF-8: %s at byte %zu", why,
               parser->problem_offset);
    else if (parser->context)
        refuse(b, location, "invalid YAML: %s, %s (starting at line %zu)", why, parser->context,
               parser->context_mark.line + 1);
    else
        refuse(b, location, "invalid YAML: %s", why);
}

static void take_all(tree_builder *b, yaml_parser_t *parser)
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
    if (!b->failed && !b->root) refuse(b, (tw_location){b->source, 0, 0}, "is empty");
}

tw_tree_node *tw_tree_parse(const char *text, size_t length, size_t source,
                            tw_diagnostics *diagnostics)
{
    tree_builder b = {.diagnostics = diagnostics, .source = source};
    yaml_parser_t parser;
    if (length > TW_TREE_PARSE_BYTES_MAX) {
        refuse(&b, (tw_location){source, 0, 0}, "exceeds the limit of %d bytes",
               (int)TW_TREE_PARSE_BYTES_MAX);
        return NULL;
    }
    if (!yaml_parser_initialize(&parser)) {
        tw_diagnostics_out_of_memory(diagnostics);
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
