/* SPDX-License-Identifier: BSD-3-Clause */
#include "scenario/word_list.h"

#include <stdio.h>
#include <string.h>

void tw_word_list_add(char *text, size_t size, const char *word)
{
    const size_t used = strlen(text);
    snprintf(text + used, size - used, "%s%s", used ? ", " : "", word);
}
