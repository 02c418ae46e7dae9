/* SPDX-License-Identifier: BSD-3-Clause */
#include "scenario/text_copy.h"

#include <stdlib.h>
#include <string.h>

char *tw_text_copy(const char *text, size_t length)
{
    char *copy = malloc(length + 1);
    if (!copy) return NULL;
    memcpy(copy, text, length);
    copy[length] = '\0';
    return copy;
}
