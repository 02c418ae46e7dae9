/* SPDX-License-Identifier: BSD-3-Clause */
/* What to say about a word that is not a key or choice, but known from elsewhere. */
#ifndef TW_SCENARIO_HINT_H
#define TW_SCENARIO_HINT_H

#include <stddef.h>

typedef struct tw_hint {
    const char *place; /* section of a key, or "KEY:" for a choice of KEY; a note for "" applies
                          everywhere */
    const char *words; /* separated by spaces */
    const char *name;  /* the name here, or NULL */
    const char *note;  /* without `name`: what to do instead */
} tw_hint;

/* All hints, in the order of hints.def. */
const tw_hint *tw_hint_list(size_t *count);

/* The hint for a word in a place, ignoring case and the difference of '-' and '_'; NULL: none. */
const tw_hint *tw_hint_find(const char *place, const char *word);

/* "use 'NAME'" or the note. */
void tw_hint_describe(const tw_hint *hint, char *text, size_t size);

#endif
