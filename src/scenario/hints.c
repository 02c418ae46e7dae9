/* SPDX-License-Identifier: BSD-3-Clause */
/* Words of other programs, from hints.def. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "scenario/values.h"

#define SAME(place, words, name) {place, words, name, NULL},
#define NOTE(place, words, note) {place, words, NULL, note},
static const tw_hint hints[] = {
#include "scenario/hints.def"
};
#undef SAME
#undef NOTE
enum { HINTS = sizeof hints / sizeof *hints };

const tw_hint *tw_hint_list(size_t *count)
{
    *count = HINTS;
    return hints;
}

static int folded(char c)
{
    return c == '-' || c == ' ' ? '_' : tolower((unsigned char)c);
}

/* Whether the first `length` characters of `known` are the word. */
static bool is_word(const char *known, size_t length, const char *word)
{
    for (size_t i = 0; i < length; i++)
        if (folded(word[i]) != known[i]) return false; /* also at the end of `word` */
    return word[length] == '\0';
}

static bool has_word(const char *words, const char *word)
{
    for (; *words; words += strspn(words, " ")) {
        const size_t length = strcspn(words, " ");
        if (is_word(words, length, word)) return true;
        words += length;
    }
    return false;
}

const tw_hint *tw_hint_find(const char *place, const char *word)
{
    for (size_t i = 0; i < HINTS; i++) {
        const bool here = strcmp(hints[i].place, place) == 0;
        const bool anywhere = *hints[i].place == '\0' && hints[i].note;
        if ((here || anywhere) && has_word(hints[i].words, word)) return &hints[i];
    }
    return NULL;
}

void tw_hint_describe(const tw_hint *hint, char *text, size_t size)
{
    if (hint->name)
        snprintf(text, size, "use '%s'", hint->name);
    else
        snprintf(text, size, "%s", hint->note);
}
