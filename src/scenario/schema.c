/* SPDX-License-Identifier: BSD-3-Clause */
/* The list of keys. Sections are defined innermost first. Meanings begin in lower case and have no
 * full stop. */
#include "scenario/schema.h"

#include <string.h>

#include <twirl/contact.h>
#include <twirl/scenario.h>

/* ---- Choices ---- */

#define CHOICE_OF(name, word, meaning) {word, TW_SCENARIO_##name, meaning},
static const tw_key_choice arrangements[] = {TW_SCENARIO_ARRANGEMENTS(CHOICE_OF)};
static const tw_key_choice shapes[] = {TW_SCENARIO_SHAPES(CHOICE_OF)};
static const tw_key_choice distributions[] = {TW_SCENARIO_DISTRIBUTIONS(CHOICE_OF)};
static const tw_key_choice weights[] = {TW_SCENARIO_WEIGHTS(CHOICE_OF)};
static const tw_key_choice axes[] = {TW_SCENARIO_AXES(CHOICE_OF)};
static const tw_key_choice planes[] = {TW_SCENARIO_PLANES(CHOICE_OF)};
static const tw_key_choice directions[] = {TW_SCENARIO_DIRECTIONS(CHOICE_OF)};
static const tw_key_choice constants[] = {TW_SCENARIO_CONSTANTS(CHOICE_OF)};
static const tw_key_choice shear_stresses[] = {TW_SCENARIO_SHEAR_STRESSES(CHOICE_OF)};
static const tw_key_choice holds[] = {TW_SCENARIO_HOLDS(CHOICE_OF)};
static const tw_key_choice shears[] = {TW_SCENARIO_SHEARS(CHOICE_OF)};
static const tw_key_choice spaces[] = {TW_SCENARIO_SPACES(CHOICE_OF)};
static const tw_key_choice methods[] = {TW_SCENARIO_METHODS(CHOICE_OF)};
static const tw_key_choice givens[] = {TW_SCENARIO_GIVENS(CHOICE_OF)};
static const tw_key_choice edges[] = {TW_SCENARIO_EDGES(CHOICE_OF)};
static const tw_key_choice forms[] = {TW_SCENARIO_FORMS(CHOICE_OF)};
#define FACE_OF(name, word, meaning, bit) {word, bit, meaning},
static const tw_key_choice faces[] = {TW_SCENARIO_FACES(FACE_OF)};
#define PATH_OF(name, word, meaning, along, keeps) {word, TW_SCENARIO_##name, meaning},
static const tw_key_choice paths[] = {TW_SCENARIO_PATHS(PATH_OF)};
#define BASE_OF(name, word, meaning, along, keeps) BASE_ALONG_##along(TW_SCENARIO_##name, word)
#define BASE_ALONG_AXIS(name, word) {word, name, ""},
#define BASE_ALONG_PLANE(name, word) {word, name, ""},
#define BASE_ALONG_LODE_ANGLE(name, word)
#define BASE_ALONG_VOLUME(name, word)
#define BASE_ALONG_COMPONENTS(name, word)
static const tw_key_choice bases[] = {TW_SCENARIO_PATHS(BASE_OF)};
static const tw_key_choice laws[] = {
    {"exact", TW_CONTACT_EXACT, "closed form, finite rotations, exact work"},
    {"paper", TW_CONTACT_PAPER, "Kuhn, Suzuki & Daouadji, misprints corrected"},
    {"conventional", TW_CONTACT_CONVENTIONAL,
     "incremental: add, scale back to the friction limit, project"}};
static const tw_key_choice law_set[] = {{"exact", 1 << TW_CONTACT_EXACT, ""},
                                        {"paper", 1 << TW_CONTACT_PAPER, ""},
                                        {"conventional", 1 << TW_CONTACT_CONVENTIONAL, ""}};
static const tw_key_choice normals[] = {
    {"linear", TW_CONTACT_LINEAR, "normal force kn times overlap, constant stiffnesses"},
    {"hertz", TW_CONTACT_HERTZ,
     "Hertz and Mindlin: normal force as overlap^(3/2), stiffnesses as overlap^(1/2)"}};
static const tw_key_choice lever_choices[] = {
    {"reduced", TW_SCENARIO_LEVERS_REDUCED,
     "stiffness times R^2, limit times R, R the reduced radius; as in PFC"},
    {"yade", TW_SCENARIO_LEVERS_YADE,
     "as in YADE: stiffness times R1 R2, limit times the smaller radius"}};
static const tw_key_choice refinements[] = {
    {"fresh", TW_CONTACT_FRESH, "motion before the grains touch does not count"},
    {"instant", TW_CONTACT_INSTANT, "elastic until the instant slip starts"},
    {"turning", TW_CONTACT_TURNING, "the force turns towards the direction of sliding"},
    {"tilt", TW_CONTACT_TILT, "the force rotates with the contact plane"},
    {"twirl", TW_CONTACT_TWIRL, "the force rotates with the twist of the two grains"},
    {"rescale", TW_CONTACT_RESCALE,
     "hertz: the force shrinks with the tangential stiffness when a contact is unloaded"}};
const tw_key_choice tw_key_specimen_kinds[TW_KEY_SPECIMEN_KINDS] = {
    {"a generated specimen", TW_KEY_SPECIMEN_GENERATED, ""},
    {"specimen.file", TW_KEY_SPECIMEN_FILE, ""},
    {"specimen.checkpoint", TW_KEY_SPECIMEN_CHECKPOINT, ""},
    {"materials", TW_KEY_SPECIMEN_LISTED, ""},
    {"specimen.grains", TW_KEY_SPECIMEN_GRAINS, ""}};

/* ---- Macros for keys.def ---- */

/* Offset of a field, with a pointer comparison that warns if the field has another type. */
#define FIELD(structure, field, kind)                                                              \
    (offsetof(structure, field) + 0 * sizeof((kind *)0 == &((structure *)0)->field))

#define NUMBER(s, field, of)                                                                       \
    .name = #field, .type = TW_KEY_NUMBER, .offset = FIELD(s, field, double), .unit = of
#define COUNT(s, field) .name = #field, .type = TW_KEY_COUNT, .offset = FIELD(s, field, uint64_t)
#define SWITCH(s, field) .name = #field, .type = TW_KEY_SWITCH, .offset = FIELD(s, field, int32_t)
#define TEXT(s, field, kind) .name = #field, .type = kind, .offset = FIELD(s, field, char *)
#define CHOICE(s, field, of)                                                                       \
    .name = #field, .type = TW_KEY_CHOICE, .offset = FIELD(s, field, int32_t), .choices = of,      \
    .choice_count = sizeof(of) / sizeof *(of)
#define SET(s, field, of)                                                                          \
    .name = #field, .type = TW_KEY_SET, .offset = FIELD(s, field, uint32_t), .choices = of,        \
    .choice_count = sizeof(of) / sizeof *(of)
#define VECTOR(s, field) .name = #field, .type = TW_KEY_VECTOR, .offset = FIELD(s, field[0], double)
#define VECTOR_OF(s, field, of)                                                                    \
    .name = #field, .type = TW_KEY_VECTOR, .offset = FIELD(s, field[0], double), .unit = of
#define ROWS(s, field, of)                                                                         \
    .name = #field, .type = TW_KEY_ROWS, .offset = FIELD(s, field, tw_scenario_rows),              \
    .columns = of, .column_count = sizeof(of) / sizeof *(of)
#define MAP(s, field, kind, of)                                                                    \
    .name = #field, .type = TW_KEY_MAP, .offset = FIELD(s, field, kind), .section = &of##_section
#define LIST(s, field, count, kind, of)                                                            \
    .name = #field, .type = TW_KEY_LIST, .offset = FIELD(s, field, kind *),                        \
    .count_offset = FIELD(s, count, size_t), .section = &of##_section

#define AUTO .word = "auto", .word_value = TW_SCENARIO_AUTO
#define HOLD .word = "hold", .word_value = TW_SCENARIO_HOLD

#define ABOVE(a) .range = {a, 0, TW_KEY_RANGE_LOW | TW_KEY_RANGE_LOW_OPEN}
#define FROM(a) .range = {a, 0, TW_KEY_RANGE_LOW}
#define WITHIN(a, b) .range = {a, b, TW_KEY_RANGE_LOW | TW_KEY_RANGE_HIGH}
#define BETWEEN(a, b)                                                                              \
    .range = {a, b,                                                                                \
              TW_KEY_RANGE_LOW | TW_KEY_RANGE_HIGH | TW_KEY_RANGE_LOW_OPEN |                       \
                  TW_KEY_RANGE_HIGH_OPEN}
#define ABOVE_TO(a, b) .range = {a, b, TW_KEY_RANGE_LOW | TW_KEY_RANGE_HIGH | TW_KEY_RANGE_LOW_OPEN}
#define FROM_BELOW(a, b)                                                                           \
    .range = {a, b, TW_KEY_RANGE_LOW | TW_KEY_RANGE_HIGH | TW_KEY_RANGE_HIGH_OPEN}

#define SECTION_OF(list, variable, of, structure, select, about)                                   \
    static const tw_key_section variable##_section = {of,                                          \
                                                      about,                                       \
                                                      list##_keys,                                 \
                                                      sizeof list##_keys / sizeof *list##_keys,    \
                                                      sizeof(structure),                           \
                                                      select}
#define SECTION(variable, of, structure, select, about)                                            \
    SECTION_OF(variable, variable, of, structure, select, about)

#define NONE TW_UNIT_NONE
#define KIND(name) TW_KEY_KIND(TW_SCENARIO_##name)

/* Paths by their traits. */
#define IF(name, trait, wanted) | (TW_SCENARIO_##trait == TW_SCENARIO_##wanted ? KIND(name) : 0)
#define IF_AXIS(name, word, meaning, along, keeps) IF(name, ALONG_##along, ALONG_AXIS)
#define IF_LODE(name, word, meaning, along, keeps) IF(name, ALONG_##along, ALONG_LODE_ANGLE)
#define IF_PLANE(name, word, meaning, along, keeps) IF(name, ALONG_##along, ALONG_PLANE)
#define IF_MEAN(name, word, meaning, along, keeps) IF(name, KEEPS_##keeps, KEEPS_MEAN_STRESS)
#define IF_LATERAL(name, word, meaning, along, keeps) IF(name, KEEPS_##keeps, KEEPS_LATERAL_STRESS)
#define AXIS (0 TW_SCENARIO_PATHS(IF_AXIS))
#define LODE_ANGLE (0 TW_SCENARIO_PATHS(IF_LODE))
#define PLANE (0 TW_SCENARIO_PATHS(IF_PLANE))
#define MEAN_STRESS (0 TW_SCENARIO_PATHS(IF_MEAN))
#define LATERAL_STRESS (0 TW_SCENARIO_PATHS(IF_LATERAL))

/* ---- The list ---- */

#include "scenario/keys.def"

const tw_key_section *tw_key_root(void)
{
    return &root_section;
}

const tw_key *tw_key_find(const tw_key_section *section, const char *name)
{
    for (size_t i = 0; i < section->key_count; i++)
        if (strcmp(section->keys[i].name, name) == 0) return &section->keys[i];
    return NULL;
}

const tw_key_choice *tw_key_find_choice(const tw_key *key, const char *word)
{
    for (size_t i = 0; i < key->choice_count; i++)
        if (strcmp(key->choices[i].word, word) == 0) return &key->choices[i];
    return NULL;
}
