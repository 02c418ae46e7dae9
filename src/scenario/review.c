/* SPDX-License-Identifier: BSD-3-Clause */
#include "scenario/review.h"

#include <string.h>

bool tw_review_is_valid(const tw_tree_node *node)
{
    return node && !node->invalid;
}

bool tw_review_is_bare(const tw_tree_node *value)
{
    return value && value->text && *value->text &&
           value->text[strspn(value->text, "+-.0123456789eE")] == '\0';
}

void tw_review_error(const tw_review *review, tw_tree_node *map, const tw_key_path *key_path,
                     const char *key, const char *format, ...)
{
    const tw_key_path here = {key_path, key, 0};
    va_list arguments;
    va_start(arguments, format);
    tw_diagnostics_add_list(review->diagnostics, tw_tree_locate(map, key), &here, format,
                            arguments);
    va_end(arguments);
    tw_tree_mark_invalid(map);
}

void tw_review_warn(const tw_review *review, const tw_tree_node *map, const tw_key_path *key_path,
                    const char *key, const char *format, ...)
{
    const tw_key_path here = {key_path, key, 0};
    va_list arguments;
    va_start(arguments, format);
    tw_diagnostics_warn_list(review->diagnostics, tw_tree_locate(map, key), &here, format,
                             arguments);
    va_end(arguments);
}
