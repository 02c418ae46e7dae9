/* SPDX-License-Identifier: BSD-3-Clause */
/* The one list of keys. Reader, checker, writer, reference and the texts of errors go by it; a new
 * key is a new field of twirl/scenario.h and a new line of keys.c. */
#ifndef TW_SCENARIO_KEYS_H
#define TW_SCENARIO_KEYS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "scenario/units.h"

typedef enum tw_key_type {
    TW_KEY_NUMBER, /* double */
    TW_KEY_COUNT,  /* uint64_t */
    TW_KEY_SWITCH, /* int32_t, 0 or 1 */
    TW_KEY_CHOICE, /* int32_t */
    TW_KEY_SET,    /* uint32_t, the values of the choices or'ed */
    TW_KEY_TEXT,   /* char * */
    TW_KEY_NAME,   /* char *, fit for the name of a file */
    TW_KEY_FILE,   /* char *, the absolute path of a file that is there */
    TW_KEY_VECTOR, /* double[3] */
    TW_KEY_ROWS,   /* tw_scenario_rows */
    TW_KEY_MAP,    /* the structure of a section */
    TW_KEY_LIST    /* pointer to structures of a section, and a size_t at `count_offset` */
} tw_key_type;

typedef struct tw_key_choice {
    const char *word;
    int64_t value;
    const char *meaning;
} tw_key_choice;

/* Bits of tw_key_range.has. */
enum { TW_RANGE_LOW = 1, TW_RANGE_LOW_OPEN = 2, TW_RANGE_HIGH = 4, TW_RANGE_HIGH_OPEN = 8 };

typedef struct tw_key_range {
    double low, high;
    unsigned has;
} tw_key_range;

/* A key may exist in some kinds of its section only: a pressure in some paths. Kinds are bits, from
 * the list of the section's selector. 0 stands for all. */
#define TW_KIND(value) (UINT32_C(1) << (value))
#define TW_KINDS_ALL UINT32_MAX

typedef struct tw_key {
    const char *name, *meaning;
    tw_key_type type;
    tw_unit unit; /* of a number or vector */
    size_t offset, count_offset;
    const tw_unit *columns; /* of rows */
    size_t column_count;
    const tw_key_choice *choices;
    size_t choice_count;
    const struct tw_section *section; /* of a map or list */
    tw_key_range range;               /* in SI; of every number of a vector */
    const char *word;                 /* may stand in place of a number: "auto" */
    double word_value;                /* what the field is then */
    const char *standard;             /* the default, as a file would have it */
    const char *standard_told; /* what the reference says of a default that is found otherwise */
    uint32_t standard_in;      /* kinds in which `standard` holds; 0: all */
    uint32_t used;             /* kinds; 0: all */
    uint32_t needed;           /* kinds; 0: none. Holds as soon as the section is there */
    int group; /* not 0: excludes the others of the group; `needed` is one of them */
} tw_key;

/* How the kind of a section is found. */
typedef enum tw_selector {
    TW_SELECT_ABOVE,    /* that of the section around it */
    TW_SELECT_SPECIMEN, /* how the specimen comes to be */
    TW_SELECT_CHOICE,   /* a choice of its own: the first key */
    TW_SELECT_PATH      /* the same, and the base path of a cyclic one */
} tw_selector;

typedef struct tw_section {
    const char *path; /* "stages[].end" */
    const char *meaning;
    const tw_key *keys;
    size_t key_count, size;
    tw_selector selector;
} tw_section;

/* Kinds of TW_SELECT_SPECIMEN, and their words. */
enum { TW_SPECIMEN_GENERATED, TW_SPECIMEN_FILE, TW_SPECIMEN_CHECKPOINT, TW_SPECIMEN_KINDS };
extern const tw_key_choice tw_keys_specimen_kinds[TW_SPECIMEN_KINDS];

const tw_section *tw_keys_root(void);

/* NULL where the section has none of that name. */
const tw_key *tw_keys_find(const tw_section *section, const char *name);

/* The choice of that word, or NULL. */
const tw_key_choice *tw_keys_choice(const tw_key *key, const char *word);

static inline bool tw_keys_in(uint32_t kinds, uint32_t of)
{
    return of == 0 || (kinds & of) != 0;
}

#endif
