/* SPDX-License-Identifier: BSD-3-Clause */
/* A scenario that is written and read again has identical values. Random scenarios are made from
 * the list of keys, so new keys are covered automatically; TWIRL_TEST_SCALE scales their number. */
#include "support.h"

#include <dirent.h>
#include <math.h>

#include "base/random.h"
#include "base/text.h"
#include "scenario/values.h"

/* ---- Write and read again ---- */

/* JSON is YAML, except that an angle in a scenario needs a unit. Its digits are those of the YAML,
 * which is also read back. */
static void check_json(const tw_scenario *scenario)
{
    tw_scenario_errors errors;
    char *text = tw_scenario_write_json(scenario);
    assert_non_null(text);
    tw_scenario *again =
        tw_scenario_read_text(text, strlen(text), "written.json", NULL, 0, &errors);
    for (size_t k = 0; k < errors.count; k++)
        if (!strstr(errors.text[k], "has no unit")) fail_msg("%s\n%s", text, errors.text[k]);
    if (again && !support_equal(tw_key_root(), scenario, again))
        fail_msg("was written as\n%s", text);
    free(text);
    tw_scenario_errors_free(&errors);
    tw_scenario_free(again);
}

static void check_round_trip(const tw_scenario *scenario, const char *source)
{
    check_json(scenario);
    tw_scenario_errors errors;
    char *text = tw_scenario_write_text(scenario);
    assert_non_null(text);
    tw_scenario *again =
        tw_scenario_read_text(text, strlen(text), "written.yaml", NULL, 0, &errors);
    if (!again) fail_msg("%s\nwas written as\n%s\nand refused: %s", source, text, errors.text[0]);
    if (!support_equal(tw_key_root(), scenario, again))
        fail_msg("%s\nwas written as\n%s", source, text);
    char *twice = tw_scenario_write_text(again);
    assert_non_null(twice);
    assert_string_equal(text, twice);
    free(text);
    free(twice);
    tw_scenario_errors_free(&errors);
    tw_scenario_free(again);
}

/* ---- Random scenarios ---- */

typedef struct maker {
    tw_text_buffer out;
    tw_random random;
    unsigned names, materials;
    bool listed; /* there are `materials` */
    bool hertz, by_modulus, ratios, resists,
        both; /* the style of the materials, without which most would be invalid */
} maker;

static uint64_t draw(maker *m, uint64_t below)
{
    return tw_random_next(&m->random) % below;
}

static double part(maker *m)
{
    return (double)draw(m, 1u << 30) / (1u << 30);
}

static double in_range(maker *m, const tw_key_range *r)
{
    const double low = r->has & TW_KEY_RANGE_LOW ? r->low : -1e6;
    const double high =
        r->has & TW_KEY_RANGE_HIGH ? r->high : low + pow(10.0, 12.0 * part(m) - 5.0);
    return low + (high - low) * (0.001 + 0.998 * part(m));
}

static bool is_among(const char *name, const char *words)
{
    const char *found = strstr(words, name);
    const size_t length = strlen(name);
    return found && (found == words || found[-1] == ' ') &&
           (found[length] == ' ' || found[length] == '\0');
}

/* Values that may occur together: grains of a millimetre at 100 kPa. */
static double typical(maker *m, const tw_key *key)
{
    static const double middle[] = {
        [TW_UNIT_COUNT] = 0.0,     [TW_UNIT_VELOCITY] = 1.0,  [TW_UNIT_ACCELERATION] = 10.0,
        [TW_UNIT_SPIN] = 1.0,      [TW_UNIT_FREQUENCY] = 1.0, [TW_UNIT_FORCE] = 1.0,
        [TW_UNIT_TORQUE] = 1.0,    [TW_UNIT_AREA] = 1e-4,     [TW_UNIT_LENGTH] = 1e-3,
        [TW_UNIT_STRESS] = 1e5,    [TW_UNIT_TIME] = 1e-7,     [TW_UNIT_RATE] = 1e-3,
        [TW_UNIT_STIFFNESS] = 1e6, [TW_UNIT_DENSITY] = 1e3,   [TW_UNIT_VISCOSITY] = 1e-3};
    if (is_among(key->name, "young modulus")) return 1e9 * pow(10.0, part(m));
    if (key->unit == TW_UNIT_NONE || key->unit == TW_UNIT_ANGLE) return in_range(m, &key->range);
    return middle[key->unit] * pow(10.0, part(m));
}

static void make_number(maker *m, const tw_key *key, double value)
{
    char text[64];
    tw_unit_write(key->unit, value, text, sizeof text);
    tw_text_buffer_add(&m->out, "%s", text);
}

static void make_rows(maker *m, const tw_key *key)
{
    const size_t rows = 2 + (size_t)draw(m, 3);
    const bool curve = key->column_count == 2;
    for (size_t i = 0; i < rows; i++) {
        tw_text_buffer_add(&m->out, "%s[", i ? ", " : "[");
        if (curve) {
            tw_text_buffer_add(&m->out, "%.17g, %.17g]", 1e-4 * ((double)i + 1.0 + 0.5 * part(m)),
                               (double)i / (double)(rows - 1));
            continue;
        }
        for (int k = 0; k < 3; k++)
            tw_text_buffer_add(&m->out, "%.17g, ", part(m));
        tw_text_buffer_add(&m->out, "%.17g]", 0.1 + part(m));
    }
    tw_text_buffer_add(&m->out, "]");
}

static void make_text(maker *m)
{
    static const char *const parts[] = {"a",        "\\\\",    "\\\"",    "\\n",
                                        "\xc3\xa9", "\\u0085", "\\x01",   "\\u2028",
                                        " # ",      ": ",      "\\uFEFF", "\xe6\xb2\x99",
                                        "'",        "\\t",     "0x1",     "\xf0\x9f\x98\x80",
                                        "- ",       "\\u00A0", "~",       "{"};
    tw_text_buffer_add(&m->out, "\"");
    for (uint64_t i = draw(m, 12); i > 0; i--)
        tw_text_buffer_add(&m->out, "%s", parts[draw(m, sizeof parts / sizeof *parts)]);
    tw_text_buffer_add(&m->out, "x\"");
}

/* Materials are called m1, m2 ... */
static void make_name(maker *m, const tw_key_section *section, const tw_key *key)
{
    if (strcmp(section->path, "materials[]") == 0)
        tw_text_buffer_add(&m->out, "m%u", ++m->materials);
    else if (strcmp(section->path, "stages[].materials[]") == 0 ||
             strcmp(key->name, "material") == 0)
        tw_text_buffer_add(&m->out, "m%d", (int)draw(m, 2) + 1);
    else
        tw_text_buffer_add(&m->out, "n%u", m->names++);
}

/* Three materials, so that their names are known; each is mentioned once. */
static uint64_t items(maker *m, const tw_key *key)
{
    if (is_among(key->name, "materials pairs")) return key->group ? 3 : 1;
    return 1 + draw(m, 3);
}

static void make_section(maker *m, const tw_key_section *section, uint32_t above);

static void make_value(maker *m, const tw_key_section *section, const tw_key *key, uint32_t kinds)
{
    switch (key->type) {
    case TW_KEY_NUMBER:
        if (key->word && draw(m, 3) == 0)
            tw_text_buffer_add(&m->out, "%s", key->word);
        else
            make_number(m, key, typical(m, key));
        break;
    case TW_KEY_COUNT:
        tw_text_buffer_add(&m->out, "%.0f", floor(in_range(m, &key->range)));
        break;
    case TW_KEY_SWITCH:
        tw_text_buffer_add(&m->out, "%s", draw(m, 2) ? "yes" : "false");
        break;
    case TW_KEY_CHOICE:
        if (strcmp(key->name, "normal") == 0)
            tw_text_buffer_add(&m->out, "%s", m->hertz ? "hertz" : "linear");
        else if (strcmp(key->name, "levers") == 0) /* the same in all materials */
            tw_text_buffer_add(&m->out, "%s", m->ratios ? "yade" : "reduced");
        else
            tw_text_buffer_add(&m->out, "%s", key->choices[draw(m, key->choice_count)].word);
        break;
    case TW_KEY_SET:
        tw_text_buffer_add(&m->out, "[%s]", key->choices[draw(m, key->choice_count)].word);
        break;
    case TW_KEY_TEXT:
        make_text(m);
        break;
    case TW_KEY_NAME:
        make_name(m, section, key);
        break;
    case TW_KEY_PAIR:
        tw_text_buffer_add(&m->out, "[m1, m%d]", (int)draw(m, 3) + 1);
        break;
    case TW_KEY_FILE:
        tw_text_buffer_add(&m->out, "/dev/null"); /* never wanted */
        break;
    case TW_KEY_VECTOR:
        for (int i = 0; i < 3; i++) {
            tw_text_buffer_add(&m->out, i ? ", " : "[");
            make_number(m, key, in_range(m, &key->range));
        }
        tw_text_buffer_add(&m->out, "]");
        break;
    case TW_KEY_ROWS:
        make_rows(m, key);
        break;
    case TW_KEY_MAP:
        make_section(m, key->section, kinds);
        break;
    case TW_KEY_LIST:
        for (uint64_t i = 0, n = items(m, key); i < n; i++) {
            tw_text_buffer_add(&m->out, i ? ", " : "[");
            make_section(m, key->section, kinds);
        }
        tw_text_buffer_add(&m->out, "]");
        break;
    }
}

/* Whether a key does not suit the style. */
static bool is_odd(const maker *m, const tw_key *key)
{
    const char *const resistance = "rolling_friction twisting_friction kr_ratio kw_ratio "
                                   "rolling_damping twisting_damping levers",
                      *const ratios = "restitution tangential_damping rolling_damping "
                                      "twisting_damping";
    return is_among(key->name,
                    m->hertz ? "kn modulus kt_ratio contact_damping nu_n nu_t" : "young poisson") ||
           strcmp(key->name, m->by_modulus ? "kn" : "modulus") == 0 ||
           (m->by_modulus && strcmp(key->name, "stiffness_level") == 0) ||
           is_among(key->name, m->ratios ? "contact_damping nu_n nu_t" : ratios) ||
           (!m->resists && is_among(key->name, resistance)) ||
           is_among(key->name, m->both ? "nu_n nu_t" : "contact_damping");
}

static bool wanted(maker *m, const tw_key *key, uint32_t kinds, uint32_t taken)
{
    if (is_odd(m, key) || strcmp(key->name, "type") == 0) return false;
    /* hardly ever right beside what else is drawn; test_surfaces.c has them */
    if (is_among(key->name, "boundary gravity surfaces grains") && draw(m, 50) > 0) return false;
    if (is_among(key->name, "force torque moved turns") && key->section) return false;
    if (is_among(key->name, "kn modulus young stiffness_level")) { /* the latter alone is linear */
        if (key->group && taken >> key->group & 1) return false;
        return m->hertz ? strcmp(key->name, "young") == 0
                        : strcmp(key->name, "kn") != 0 || draw(m, 2);
    }
    if (is_among(key->name, "rolling_friction twisting_friction")) return true;
    if (key->default_kinds == TW_KEY_KIND(TW_KEY_SPECIMEN_LISTED)) return m->listed && draw(m, 2);
    if (is_among(key->name, "material materials pairs")) {
        if (key->group) return m->listed == (key->type == TW_KEY_LIST);
        return m->listed && draw(m, 2);
    }
    if (!tw_key_in(kinds, key->used) || (key->group && taken >> key->group & 1)) return false;
    if (key->type == TW_KEY_FILE || strcmp(key->name, "from") == 0) return false;
    if (key->required & kinds || key->required == TW_KEY_KINDS_ALL)
        return !key->group || draw(m, 2);
    /* so that stages end and the preparation has a target */
    if (strcmp(key->name, "end") == 0 || strcmp(key->name, "time") == 0) return true;
    if (key->type == TW_KEY_LIST) return strcmp(key->name, "stages") == 0 || draw(m, 3) == 0;
    if (strcmp(key->name, "preparation") == 0) return true;
    if (strcmp(key->name, "pressure") == 0 && kinds != TW_KEY_KIND(TW_SCENARIO_TRUE_TRIAXIAL))
        return true; /* which may keep another stress constant */
    return draw(m, 3) == 0;
}

static void make_section(maker *m, const tw_key_section *section, uint32_t above)
{
    const tw_key *first = &section->keys[0];
    const bool chosen =
        section->selector == TW_KEY_SELECT_CHOICE || section->selector == TW_KEY_SELECT_PATH;
    const tw_key_choice *kind = chosen ? &first->choices[draw(m, first->choice_count)] : NULL;
    const uint32_t kinds = kind ? TW_KEY_KIND(kind->value) : above;
    const char *between = "";
    uint32_t taken = 0;
    tw_text_buffer_add(&m->out, "{");
    if (kind) tw_text_buffer_add(&m->out, "%s: %s", first->name, kind->word), between = ", ";
    for (size_t i = kind ? 1 : 0; i < section->key_count; i++) {
        const tw_key *key = &section->keys[i];
        if (!wanted(m, key, kinds, taken)) continue;
        if (key->group) taken |= 1u << key->group;
        tw_text_buffer_add(&m->out, "%s%s: ", between, key->name);
        make_value(m, section, key, kinds);
        between = ", ";
    }
    tw_text_buffer_add(&m->out, "}");
}

#define ONE(...) +1
enum { PATHS = 0 TW_SCENARIO_PATHS(ONE) };
#undef ONE

static void random_scenarios_survive_a_round_trip(void **state)
{
    (void)state;
    const char *scale = getenv("TWIRL_TEST_SCALE");
    const int cases = (int)(10000 * (scale ? atof(scale) : 1.0)) + 1000;
    int seen[PATHS] = {0}, hertz = 0, listed = 0, pairs = 0;
    maker m = {.random = tw_random_seed(88)};
    for (int i = 0; i < cases; i++) {
        tw_scenario_errors errors;
        tw_text_buffer_clear(&m.out);
        m.names = m.materials = 0;
        m.listed = draw(&m, 4) == 0;
        m.hertz = draw(&m, 2);
        m.by_modulus = !m.hertz && draw(&m, 2);
        m.ratios = m.hertz || draw(&m, 2);
        m.resists = draw(&m, 2);
        m.both = draw(&m, 2);
        make_section(&m, tw_key_root(),
                     TW_KEY_KIND(TW_KEY_SPECIMEN_GENERATED) |
                         (m.listed ? TW_KEY_KIND(TW_KEY_SPECIMEN_LISTED) : 0));
        assert_false(m.out.failed);
        tw_scenario *s =
            tw_scenario_read_text(m.out.text, m.out.length, "a.yaml", NULL, 0, &errors);
        if (s) check_round_trip(s, m.out.text);
        for (size_t k = 0; s && k < s->stage_count; k++)
            seen[s->stages[k].path]++;
        hertz += s && tw_scenario_material_at(s, 0)->normal == TW_CONTACT_HERTZ;
        listed += s && s->material_count > 1;
        pairs += s && s->pair_count > 0;
        assert_true((s == NULL) == (errors.count > 0));
        tw_scenario_errors_free(&errors);
        tw_scenario_free(s);
    }
    tw_text_buffer_free(&m.out);
    if (cases < 10000) return; /* under sanitizers: what so few cases cover is left to chance */
    if (hertz < cases / 200 || listed < cases / 1000 || pairs < cases / 2000)
        fail_msg("only %d with Hertz contacts, %d with materials, %d with pairs", hertz, listed,
                 pairs);
    /* most scenarios are invalid; the valid ones must cover every path */
    for (int32_t path = 0; path < PATHS; path++)
        if (seen[path] < cases / 1000)
            fail_msg("%s: only %d in %d", tw_scenario_path_name(path), seen[path], cases);
}

/* ---- Files ---- */

/* Reads all scenarios in a folder and its subfolders and returns the number of valid ones, which
 * must survive a round trip. `all_valid`: none may be refused. */
static int try_folder(const char *folder, bool all_valid)
{
    int valid = 0;
    DIR *directory = opendir(folder);
    if (!directory) return 0; /* a file */
    for (struct dirent *entry = readdir(directory); entry; entry = readdir(directory)) {
        const size_t length = strlen(entry->d_name);
        char path[1000];
        tw_scenario_errors errors;
        if (entry->d_name[0] == '.') continue;
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        valid += try_folder(path, all_valid);
        if (length < 6 || strcmp(entry->d_name + length - 5, ".yaml") != 0) continue;
        tw_scenario *s = tw_scenario_read(path, NULL, 0, &errors);
        if (all_valid && !s) fail_msg("%s", errors.text[0]);
        if (s) check_round_trip(s, path);
        valid += s != NULL;
        tw_scenario_errors_free(&errors);
        tw_scenario_free(s);
    }
    closedir(directory);
    return valid;
}

/* A folder of the project, which may be elsewhere than where the test was compiled. */
static int try_source(const char *folder, bool all_valid)
{
    char path[1000];
    const char *source = getenv("TWIRL_SOURCE");
    if (!source) fail_msg("TWIRL_SOURCE is not set: run the test by ctest");
    snprintf(path, sizeof path, "%s/%s", source, folder);
    return try_folder(path, all_valid);
}

static void the_example_scenarios_survive_a_round_trip(void **state)
{
    (void)state;
    assert_true(try_source("scenarios", true) >= 10);
}

static void the_corpus_of_the_fuzzer_is_read(void **state)
{
    (void)state;
    assert_true(try_source("test/fuzz/corpus/scenario", false) >= 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_scenarios_survive_a_round_trip),
        cmocka_unit_test(the_example_scenarios_survive_a_round_trip),
        cmocka_unit_test(the_corpus_of_the_fuzzer_is_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
