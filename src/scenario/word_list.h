/* SPDX-License-Identifier: BSD-3-Clause */
/* Comma-separated lists for messages. */
#ifndef TW_SCENARIO_WORD_LIST_H
#define TW_SCENARIO_WORD_LIST_H

#include <stddef.h>

/* Appends `word` to `text`, with ", " between words. Words that do not fit are dropped. */
void tw_word_list_add(char *text, size_t size, const char *word);

#endif
