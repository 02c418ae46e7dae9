/* SPDX-License-Identifier: BSD-3-Clause */
/* Words from other programs: what is said about them. */
#include "support.h"

#include "scenario/values.h"

#define S SUPPORT_SMALL /* two lines */

/* ---- Messages ---- */

static void words_of_the_field_are_translated(void **state)
{
    (void)state;
    support_refused("specimen: {preparation: {pressure: 100 kPa}}\n"
                    "material: {normal_stiffness: 1e5, mu: 0.3}\n",
                    "a.yaml:2:12: material.normal_stiffness: unknown key; use 'kn'\n"
                    "a.yaml:2:35: material.mu: unknown key; use 'friction'\n");
    support_refused(
        S "stages: [{path: triaxial, confining_pressure: 1e5, end: {strain: 5 %}}]\n",
        "a.yaml:3:27: stages[1].confining_pressure: unknown key; use 'lateral_stress'\n");
    support_refused(
        S "stages: [{path: Shear, end: {strain: 5 %}}]\n",
        "a.yaml:3:17: stages[1].path: 'Shear' is unknown; use 'simple_shear'. Choices: "
        "isotropic, oedometer, triaxial, plane_strain, constant_p, true_triaxial, "
        "stress_path, undrained, "
        "simple_shear, cyclic, relax, creep, relaxation, rotate, free_flight, drive, general, "
        "probes, rates\n");
    support_refused(
        S "output: {paraview: yes}\n",
        "a.yaml:3:10: output.paraview: unknown key; frames for ParaView are 'vtk': 'vtk: "
        "{strain: 1 %}'\n");
}

/* What was suggested for these once: exact, title, stiffness_level, vtk. */
static void what_is_absent_or_elsewhere_is_said_to_be(void **state)
{
    (void)state;
    static const struct {
        const char *text, *words;
    } cases[] = {
        {"specimen: {preparation: {pressure: 1e5}}\nmaterial: {kn: 1e5, law: hertz}\n",
         "'normal: hertz'"},
        {"specimen: {preparation: {pressure: 1e5}}\nmaterial: {kn: 1e5, law: Hertz-Mindlin}\n",
         "'normal: hertz'"},
        {S "weight: 9.81\n", "a.yaml:3:1: weight: unknown key; use 'gravity'"},
        {"specimen: {preparation: {pressure: 1e5}}\nmaterial: {kn: 1e5, rolling_resistance: 0.1}\n",
         "use 'rolling_friction'"},
        {"specimen: {preparation: {pressure: 1e5}}\nmaterial: {kn: 1e5, cohesion: 5 kPa}\n",
         "cohesionless"},
        {S "mu_r: 0.1\n", "'rolling_friction' and 'twisting_friction' of a material"},
        {S "walls: []\n", "walls are 'surfaces' at the top level"},
        {S "output: {ovito: yes}\n", "frames for OVITO are 'lammps'"},
        {"specimen: {preparation: {pressure: 1e5}, shapes: [{shape: polyhedron}]}\n"
         "material: {kn: 1e5}\n",
         "approximate the form by a 'cluster'"},
        {S "fluid: {viscosity: 1}\n", "an undrained stage has a fluid"},
        {S "gpu: yes\n", "--device cuda"},
        {S "dimensions: 2\n", "three-dimensional"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *lines = support_errors(cases[i].text, NULL);
        support_has(lines, cases[i].words);
        assert_null(strstr(lines, "did you mean"));
        free(lines);
    }
}

static void words_of_yade_and_pfc_are_known(void **state)
{
    (void)state;
    static const struct {
        const char *place, *word, *words;
    } cases[] = {
        {"material", "frictionAngle", "30 deg is 0.577"},
        {"material", "etaRoll", "use 'rolling_friction'"},
        {"material", "rr_fric", "use 'rolling_friction'"},
        {"materials[]", "mu_r", "use 'rolling_friction'"},
        {"pairs[]", "mu_twist", "use 'twisting_friction'"},
        {"material", "emod", "PFC's emod gives kn = pi r^2 emod/(R1 + R2)"},
        {"material", "lever_arms", "use 'levers'"},
        {"material", "E", "use 'young'"},
        {"material", "youngs_modulus", "use 'young'"},
        {"material", "poissons_ratio", "use 'poisson'"},
        {"material", "COR", "use 'restitution'"},
        {"material", "shear_modulus", "2 (1 + poisson) times"},
        {"materials[]", "law", "at the top level"},
        {"material", "kratio", "kn/ks, its inverse"},
        {"material", "krat", "'kt_ratio'"},
        {"material", "dp_nratio", "use 'restitution'"},
        {"material", "fric", "use 'friction'"},
        {"specimen", "rMean", "'sizes: {d: 2 mm}'"},
        {"specimen.sizes", "rMean", "a radius of 1 mm is 'd: 2 mm'"},
        {"specimen.sizes", "radius", "a radius of 1 mm is 'd: 2 mm'"},
        {"specimen.sizes", "rRelFuzz", "d_max = 2 rMean (1 + rRelFuzz)"},
        {"stages[]", "goal", "'path: general'"},
        {"stages[]", "stressMask", "'path: general'"},
        {"stages[]", "sigmaIso", "use 'pressure'"},
        {"", "sigmaIso", "'pressure'"},
        {"stages[].end", "maxUnbalanced", "use 'unbalanced'"},
        {"stages[]", "maxUnbalanced", "'unbalanced'"},
        {"", "local_damping", "'damping: {local: 0.7}'"},
        {"damping", "local_damping", "use 'local'"},
        {"specimen.sizes", "cu", "'distribution: lognormal'"},
        {"stages[]", "csr", "'cycle: {base: undrained, stress: 20 kPa}'"},
        {"stages[]", "drained", "'path: triaxial'"},
        {"stages[]", "velocity", "'rate'"},
        {"stages[].material", "mu", "use 'friction'"},
        {"path:", "CD_triaxial", "use 'triaxial'"},
        {"path:", "CU_triaxial", "use 'undrained'"},
        {"output.vtk", "count", "'strain: 0.05 %' gives 100 frames"},
        {"output.lammps", "count", "'strain: 0.05 %' gives 100 frames"},
        {"", "weight", "use 'gravity'"},
        {"", "walls", "'surfaces'"},
        {"", "pluviation", "'gravity'"},
        {"path:", "dynamic", "use 'drive'"},
        {"", "newton", "'damping: {local: 0.2}'"},
        {"", "dt", "'time_step: {dt: 1e-6 s}'"},
        {"", "O.dt", "'time_step: {dt: 1e-6 s}'"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[400];
        const tw_hint *hint = tw_hint_find(cases[i].place, cases[i].word);
        if (!hint) fail_msg("no hint for '%s'", cases[i].word);
        tw_hint_describe(hint, text, sizeof text);
        support_has(text, cases[i].words);
    }
    /* the examples in the hints are valid */
    tw_scenario_free(support_read(
        S "damping: {local: 0.2}\ntime_step: {dt: 1e-6 s}\nstages: [{path: general, control: "
          "{xx: {stress: 100 kPa}, zz: {rate: 0.01}}, end: {strain: 1 %}}]\n",
        NULL));
}

static void words_that_are_not_near_get_no_suggestion(void **state)
{
    (void)state;
    support_refused(S "frobnicate: 1\n",
                    "a.yaml:3:1: frobnicate: unknown key; known keys: title, specimen, boundary, "
                    "gravity, material, materials, pairs, law, without, damping, time_step, "
                    "surfaces, stages, output\n");
    support_refused("specimen: {preparation: {pressure: 1e5}}\nmaterial: {kn: 1e5, law: banana}\n",
                    "a.yaml:2:26: material.law: 'banana' is unknown; choices: exact, paper, "
                    "conventional\n");
}

static void one_mistake_is_one_error(void **state)
{
    (void)state;
    support_refused("specimen: {preparation: {pressure: 100 kpa}}\n"
                    "material: {stiffness_level: 1000}\n",
                    "a.yaml:1:36: specimen.preparation.pressure: '100 kpa' has an unknown unit; "
                    "write 'kPa'\n");
    support_refused("specimen: {sizes: {distibution: uniform, d_min: 1 mm, d_max: 2 mm}, "
                    "preparation: {pressure: 1e5}}\nmaterial: {kn: 1e5}\n",
                    "a.yaml:1:20: specimen.sizes.distibution: unknown key; did you mean "
                    "'distribution'?\n");
    support_refused(
        "specimen: {preparation: {pressure: 1e5}}\nmaterial: {kn: 1e5, friction: 0,5}\n",
        "a.yaml:2:33: material.5: is a key without value; is '0,5' meant to be one "
        "number? Use a decimal point: 0.5\n");
    support_refused(S "stages: [{path: triaxial, end: {strain: -5 %}}]\n",
                    "a.yaml:3:41: stages[1].end.strain: '-5 %' is out of range; expected a number "
                    "above 0, up to 10000; its sign is the 'direction' of the stage: compression "
                    "or extension, forward or backward\n");
    support_refused(S "output: {vtk: yes}\n",
                    "a.yaml:3:15: output.vtk: is a single value; expected a section, e.g. 'vtk: "
                    "{stages: yes}'\n");
}

/* ---- The list ---- */

static const tw_key_section *find_section(const tw_key_section *section, const char *path)
{
    const tw_key_section *found = strcmp(section->path, path) == 0 ? section : NULL;
    for (size_t i = 0; !found && i < section->key_count; i++)
        if (section->keys[i].section) found = find_section(section->keys[i].section, path);
    return found;
}

static const tw_key *find_value_key(const tw_key_section *section, const char *name, size_t length)
{
    const tw_key *found = NULL;
    for (size_t i = 0; !found && i < section->key_count; i++) {
        const tw_key *key = &section->keys[i];
        if (strlen(key->name) == length && strncmp(key->name, name, length) == 0 && !key->section)
            found = key;
        else if (key->section)
            found = find_value_key(key->section, name, length);
    }
    return found;
}

/* A word that is a key or choice of its place would never be looked up. */
static void see_words(const tw_hint *hint, const tw_key_section *section, const tw_key *key)
{
    char words[400];
    assert_true(strlen(hint->words) < sizeof words);
    strcpy(words, hint->words);
    for (char *word = strtok(words, " "); word; word = strtok(NULL, " ")) {
        if (section && tw_key_find(section, word)) fail_msg("%s is a key", word);
        if (key && tw_key_find_choice(key, word)) fail_msg("%s is a choice", word);
        if (tw_hint_find(hint->place, word) != hint)
            fail_msg("'%s' of '%s' is hidden by an earlier hint", word, hint->place);
    }
}

static void every_hint_has_a_place_and_names_what_exists(void **state)
{
    (void)state;
    size_t count;
    const tw_hint *hints = tw_hint_list(&count);
    for (size_t i = 0; i < count; i++) {
        const tw_hint *hint = &hints[i];
        const size_t length = strlen(hint->place);
        const bool choice = length > 0 && hint->place[length - 1] == ':';
        const tw_key *key = choice ? find_value_key(tw_key_root(), hint->place, length - 1) : NULL;
        const tw_key_section *section = choice ? NULL : find_section(tw_key_root(), hint->place);
        if (!key && !section) fail_msg("no place '%s'", hint->place);
        if (hint->name && section && !tw_key_find(section, hint->name))
            fail_msg("'%s' has no key '%s'", hint->place, hint->name);
        if (hint->name && key && !tw_key_find_choice(key, hint->name))
            fail_msg("'%s' has no choice '%s'", hint->place, hint->name);
        see_words(hint, section, key);
    }
    assert_true(count > 50);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_of_the_field_are_translated),
        cmocka_unit_test(what_is_absent_or_elsewhere_is_said_to_be),
        cmocka_unit_test(words_of_yade_and_pfc_are_known),
        cmocka_unit_test(words_that_are_not_near_get_no_suggestion),
        cmocka_unit_test(one_mistake_is_one_error),
        cmocka_unit_test(every_hint_has_a_place_and_names_what_exists),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
