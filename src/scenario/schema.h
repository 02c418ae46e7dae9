/* SPDX-License-Identifier: BSD-3-Clause */
/* The schema: units, the list of all keys, from which a scenario is read, checked, written and
 * documented, and kinds of sections. A new key is a new field in twirl/scenario.h and a new line in
 * keys.def. */
#ifndef TW_SCENARIO_SCHEMA_H
#define TW_SCENARIO_SCHEMA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Quantities as users write them: "100 kPa", "0.5 mm", "1e-3 /s", "30 deg", "5 %", or a plain
 * number in SI units. */
typedef enum tw_unit {
    TW_UNIT_NONE,
    TW_UNIT_LENGTH,
    TW_UNIT_STRESS,
    TW_UNIT_TIME,
    TW_UNIT_RATE,
    TW_UNIT_STIFFNESS,
    TW_UNIT_DENSITY,
    TW_UNIT_VISCOSITY, /* of a contact */
    TW_UNIT_ANGLE,     /* a plain number is refused: degrees or radians? */
    TW_UNIT_VELOCITY,
    TW_UNIT_ACCELERATION,
    TW_UNIT_SPIN,
    TW_UNIT_FREQUENCY,
    TW_UNIT_FORCE,
    TW_UNIT_TORQUE,
    TW_UNIT_AREA,
    TW_UNIT_COUNT
} tw_unit;

/* "Pa"; "-" for a dimensionless number. */
const char *tw_unit_symbol(tw_unit unit);

/* "a stress" */
const char *tw_unit_noun(tw_unit unit);

/* Reads `text`. False: `why` continues a sentence that begins with the quoted text. */
bool tw_unit_read(tw_unit unit, const char *text, double *value, char *why, size_t size);

/* The shortest text that reads back as the same double; an angle is given in rad. */
void tw_unit_write(tw_unit unit, double value, char *text, size_t size);

/* Six digits in a unit that suits the value: "100 kPa", "0.8 mm", "30 deg". */
void tw_unit_describe(tw_unit unit, double value, char *text, size_t size);

/* Whether a value is zero or within the limits beyond which it can only be a mistake: a wrong unit,
 * a missing exponent. If not, `why` continues a sentence that begins with the quoted text.
 * docs/guide/scenario.md has the table of limits. */
bool tw_unit_is_plausible(tw_unit unit, double value, char *why, size_t size);

typedef enum tw_key_type {
    TW_KEY_NUMBER, /* double */
    TW_KEY_COUNT,  /* uint64_t */
    TW_KEY_SWITCH, /* int32_t, 0 or 1 */
    TW_KEY_CHOICE, /* int32_t */
    TW_KEY_SET,    /* uint32_t, bitwise or of the values of the choices */
    TW_KEY_TEXT,   /* char * */
    TW_KEY_NAME,   /* char *, usable as a file name */
    TW_KEY_FILE,   /* char *, the absolute path of an existing file */
    TW_KEY_PAIR,   /* char *[2], names */
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
enum {
    TW_KEY_RANGE_LOW = 1,
    TW_KEY_RANGE_LOW_OPEN = 2,
    TW_KEY_RANGE_HIGH = 4,
    TW_KEY_RANGE_HIGH_OPEN = 8
};

typedef struct tw_key_range {
    double low, high;
    unsigned has;
} tw_key_range;

/* A section comes in kinds: a stage in one kind per path. A key may apply to some kinds only. Sets
 * of kinds are bits, one per choice of the section's selector. */
#define TW_KEY_KIND(value) (UINT32_C(1) << (value))
#define TW_KEY_KINDS_ALL UINT32_MAX

typedef struct tw_key {
    const char *name, *meaning;
    const char *negative; /* what a negative value may be meant for; NULL: nothing */
    const char *instead;  /* what to do where the key is not used; NULL: nothing */
    tw_key_type type;
    tw_unit unit; /* of a number or vector */
    size_t offset, count_offset;
    const tw_unit *columns; /* of rows */
    size_t column_count;
    const tw_key_choice *choices;
    size_t choice_count;
    const struct tw_key_section *section; /* of a map or list */
    tw_key_range range;                   /* in SI units; for every number of a vector */
    const char *word;                     /* allowed in place of a number: "auto" */
    double word_value;                    /* value of the field for `word` */
    const char *default_value;            /* as it would be written in a file */
    const char *default_note; /* for the reference, if the default depends on other keys */
    uint32_t default_kinds;   /* kinds to which `default_value` applies; 0: all */
    uint32_t used;            /* kinds; 0: all */
    uint32_t required;        /* kinds; 0: none. Applies if the section is given */
    int group; /* not 0: keys of a group exclude each other; `required` asks for one of them */
} tw_key;

/* What determines the kind of a section. */
typedef enum tw_key_selector {
    TW_KEY_SELECT_ABOVE,    /* the parent section */
    TW_KEY_SELECT_WORD,     /* likewise; a word in its place is the value of all its choices */
    TW_KEY_SELECT_SPECIMEN, /* the origin of the specimen, and whether there are materials */
    TW_KEY_SELECT_CHOICE,   /* its first key, a choice */
    TW_KEY_SELECT_PATH      /* its first key, plus the base path of a cyclic stage */
} tw_key_selector;

typedef struct tw_key_section {
    const char *path; /* "stages[].end" */
    const char *meaning;
    const tw_key *keys;
    size_t key_count, size;
    tw_key_selector selector;
} tw_key_section;

/* Kinds of TW_KEY_SELECT_SPECIMEN, and their words: one of them, and LISTED with a list of
 * materials. */
enum {
    TW_KEY_SPECIMEN_GENERATED,
    TW_KEY_SPECIMEN_FILE,
    TW_KEY_SPECIMEN_CHECKPOINT,
    TW_KEY_SPECIMEN_LISTED,
    TW_KEY_SPECIMEN_GRAINS,
    TW_KEY_SPECIMEN_KINDS
};
extern const tw_key_choice tw_key_specimen_kinds[TW_KEY_SPECIMEN_KINDS];

/* The top level. */
const tw_key_section *tw_key_root(void);

/* NULL if the section has no key of that name. */
const tw_key *tw_key_find(const tw_key_section *section, const char *name);

/* The choice with that word, or NULL. */
const tw_key_choice *tw_key_find_choice(const tw_key *key, const char *word);

/* Whether two different keys of a section exclude each other. */
static inline bool tw_key_excludes(const tw_key *key, const tw_key *other)
{
    return key != other && key->group != 0 && key->group == other->group;
}

/* Whether a property that holds in the kinds `of` (0: all) holds in one of `kinds`. */
static inline bool tw_key_in(uint32_t kinds, uint32_t of)
{
    return of == 0 || (kinds & of) != 0;
}

#endif
