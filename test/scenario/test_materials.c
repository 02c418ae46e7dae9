/* SPDX-License-Identifier: BSD-3-Clause */
/* Materials: the laws that follow from them, and what is said about mistakes. */
#include "support.h"

#include <math.h>

#include "scenario/review.h"

#define G "specimen: {preparation: {pressure: 100 kPa}}\n"
#define TWO                                                                                        \
    "specimen: {preparation: {pressure: 100 kPa}, shapes: [{material: sand}, {material: "          \
    "steel}]}\n"

/* Tolerance of comparisons with formulas written in another way: rounding. */
#define CLOSE 1e-14

static void expect_close(double found, double expected)
{
    if (!(fabs(found - expected) <= CLOSE * fabs(expected)))
        fail_msg("found %.17g, expected %.17g", found, expected);
}

static tw_contact_law law_of(const tw_scenario *s, const tw_scenario_stage *stage, size_t a,
                             size_t b)
{
    tw_contact_law law = tw_contact_law_default();
    tw_scenario_put_law(s, stage, a, b, &law);
    assert_null(tw_contact_law_check(&law));
    return law;
}

typedef struct mistake {
    const char *text, *lines;
} mistake;

/* ---- Laws ---- */

/* Two equal spheres: 1/E* = 2 (1 - nu^2)/E, 1/G* = 2 (2 - nu)/G. */
static void young_and_poisson_make_hertz_contacts(void **state)
{
    (void)state;
    const double young = 70e9, nu = 0.22, shear = young / (2.0 * (1.0 + nu));
    tw_scenario *s = support_read(G "material: {young: 70 GPa, poisson: 0.22}\n", NULL);
    const tw_contact_law law = law_of(s, NULL, 0, 0);
    assert_int_equal(law.normal, TW_CONTACT_HERTZ);
    assert_int_equal(law.flags, TW_CONTACT_BY_RADIUS);
    expect_close(law.kn, 2.0 / 3.0 * young / (1.0 - nu * nu));
    expect_close(law.kt, 4.0 * shear / (2.0 - nu));
    assert_true(law.mu == 0.5 && law.nu_n == 0.0 && law.nu_t == 0.0 && law.k_r == 0.0);
    tw_scenario_free(s);
}

/* kn = 2 E R with the reduced radius R, and kt in the same way; two materials in series. */
static void a_modulus_makes_linear_contacts_by_radius(void **state)
{
    (void)state;
    tw_scenario *s = support_read(
        G
        "material: {modulus: 0.3 GPa, kt_ratio: 0.2, rolling_friction: 0.7, kr_ratio: 0.1, levers: "
        "yade}\n",
        NULL);
    const tw_contact_law law = law_of(s, NULL, 0, 0);
    assert_int_equal(law.normal, TW_CONTACT_LINEAR);
    assert_int_equal(law.flags, TW_CONTACT_BY_RADIUS | TW_CONTACT_YADE_LEVERS);
    expect_close(law.kn, 0.6e9);
    expect_close(law.kt, 0.12e9);
    expect_close(law.k_r, 0.012e9);
    assert_true(law.mu_r == 0.7 && law.k_w == 0.0);
    tw_scenario_free(s);
    s = support_read(TWO "materials: [{name: sand, modulus: 1 GPa}, {name: steel, modulus: 3 GPa, "
                         "kt_ratio: 0.5}]\n",
                     NULL);
    const tw_contact_law mixed = law_of(s, NULL, 0, 1);
    assert_int_equal(mixed.flags, TW_CONTACT_BY_RADIUS);
    expect_close(mixed.kn, 3e9);
    expect_close(mixed.kt, 2.0 * 2.0 * 1.0e9 * 1.5e9 / 2.5e9);
    tw_scenario_free(s);
}

/* The smallest grain counts: kn/m goes with 1/d^2. With kn = E d/2 of two grains of diameter d, on
 * a sphere with 8 contacts, by hand. */
static void the_time_step_by_modulus_is_that_of_the_smallest_grain(void **state)
{
    (void)state;
    tw_scenario *s = support_read(
        "specimen: {preparation: {pressure: 100 kPa}, sizes: {distribution: uniform, d_min: 1 mm, "
        "d_max: 3 mm}}\nmaterial: {modulus: 0.4 GPa, kt_ratio: 0.5}\n",
        NULL);
    const double d = 1e-3, mass = 2650.0 * 3.14159265358979 / 6.0 * d * d * d;
    const double dt = 2.0 / sqrt(2.0 * 8.0 * (0.4e9 * d / 2.0) * 3.5 / mass);
    assert_true(fabs(tw_scenario_stable_step(s, NULL, 8.0, 1e5) / dt - 1.0) < 1e-12);
    const tw_scenario_material *softest = NULL;
    expect_close(tw_scenario_least_stiffness_level(s, 1e5, &softest), 0.4e9 / 2.0 / 1e5);
    tw_scenario_free(s);
}

/* A damped oscillator of mass m and stiffness k rebounds with exp(-pi x/sqrt(1 - x^2)), where
 * x = nu/(2 sqrt(m k)). */
static void the_restitution_of_linear_contacts_is_that_of_an_oscillator(void **state)
{
    (void)state;
    tw_scenario *s =
        support_read(G "material: {kn: 1e5, restitution: 0.6, tangential_damping: 0.3}\n", NULL);
    const double mass = 2e-6;
    const tw_contact_law law = law_of(s, NULL, 0, 0), at = tw_contact_law_at(&law, 1e-3, mass, 1.0);
    const double x = at.nu_n / (2.0 * sqrt(mass * 1e5));
    assert_true(fabs(exp(-3.14159265358979 * x / sqrt(1.0 - x * x)) - 0.6) < 1e-12);
    expect_close(at.nu_t, 0.6 * sqrt(mass * 1e5));
    tw_scenario_free(s);
    /* Without a pull: exp(-2 x arccos(x)/sqrt(1 - x^2)). */
    s = support_read(G "material: {kn: 1e5, restitution: 0.6, no_tension: yes}\n", NULL);
    const double y = law_of(s, NULL, 0, 0).nu_n;
    assert_true(fabs(exp(-2.0 * y * acos(y) / sqrt(1.0 - y * y)) - 0.6) < 1e-12);
    tw_scenario_free(s);
}

static void coefficients_of_damping_are_taken_as_they_are(void **state)
{
    (void)state;
    tw_scenario *s =
        support_read(G "material: {kn: 1e5, nu_n: 2, nu_t: 3, no_tension: yes}\n", NULL);
    tw_contact_law law = law_of(s, NULL, 0, 0);
    assert_true(law.nu_n == 2.0 && law.nu_t == 3.0 && law.flags == TW_CONTACT_NO_TENSION);
    tw_scenario_free(s);
    s = support_read(G "material: {kn: 1e5, contact_damping: 2}\n", NULL);
    law = law_of(s, NULL, 0, 0);
    assert_true(law.nu_n == 2.0 && law.nu_t == 2.0 && law.flags == 0);
    tw_scenario_free(s);
}

static void rolling_and_twisting_springs_are_as_stiff_as_the_tangential_one(void **state)
{
    (void)state;
    tw_scenario *s = support_read(
        G "material: {kn: 1e5, kt_ratio: 0.5, rolling_friction: 0.1, twisting_friction: 0.2, "
          "kw_ratio: 0.4}\n"
          "stages: [{path: relax, rolling_friction: 0}, {path: relax, twisting_friction: 0.3}]\n",
        NULL);
    const tw_contact_law law = law_of(s, NULL, 0, 0), first = law_of(s, &s->stages[0], 0, 0),
                         second = law_of(s, &s->stages[1], 0, 0);
    assert_true(law.mu_r == 0.1 && law.mu_w == 0.2 && law.k_r == 5e4 && law.k_w == 2e4);
    assert_true(first.mu_r == 0.0 && first.k_r == 0.0 && first.mu_w == 0.2);
    assert_true(second.mu_r == 0.1 && second.k_r == 5e4 && second.mu_w == 0.3);
    tw_scenario_free(s);
}

/* Given constants change in their stage alone, ratios stay; several materials are mixed anew. */
static void a_stage_changes_constants_of_a_material(void **state)
{
    (void)state;
    tw_scenario *s = support_read(G "material: {kn: 1e5, kt_ratio: 0.5, rolling_friction: 0.1}\n"
                                    "stages: [{path: relax, material: {kn: 3e5}}, {path: relax, "
                                    "material: {kt_ratio: 1, friction: "
                                    "0.2, kr_ratio: 2, rolling_friction: 0.3}}, {path: relax}]\n",
                                  NULL);
    const tw_contact_law first = law_of(s, &s->stages[0], 0, 0),
                         second = law_of(s, &s->stages[1], 0, 0),
                         last = law_of(s, &s->stages[2], 0, 0);
    assert_true(first.kn == 3e5 && first.kt == 1.5e5 && first.k_r == 1.5e5 && first.mu == 0.5);
    assert_true(second.kn == 1e5 && second.kt == 1e5 && second.k_r == 2e5 && second.mu == 0.2 &&
                second.mu_r == 0.3);
    assert_true(last.kn == 1e5 && last.kt == 0.5e5 && last.mu == 0.5 && last.mu_r == 0.1);
    /* kn three times as large: the step is smaller by the root of that */
    expect_close(tw_scenario_stable_step(s, &s->stages[0], 8.0, 1e5),
                 tw_scenario_stable_step(s, NULL, 8.0, 1e5) / sqrt(3.0));
    tw_scenario_free(s);
    s = support_read(G "material: {kn: 1e5, contact_damping: 1, nu_t: 2}\n", NULL);
    assert_true(law_of(s, NULL, 0, 0).nu_n == 1.0 && law_of(s, NULL, 0, 0).nu_t == 2.0);
    tw_scenario_free(s);
    s = support_read(G "material: {young: 1 GPa, poisson: 0.2}\n"
                       "stages: [{path: relax, material: {young: 2 GPa}}]\n",
                     NULL);
    expect_close(law_of(s, &s->stages[0], 0, 0).kn, 2.0 * law_of(s, NULL, 0, 0).kn);
    expect_close(law_of(s, &s->stages[0], 0, 0).kt, 2.0 * law_of(s, NULL, 0, 0).kt);
    tw_scenario_free(s);
    s = support_read(TWO
                     "materials: [{name: sand, modulus: 1 GPa}, {name: steel, modulus: 3 GPa}]\n"
                     "stages: [{path: relax, materials: [{name: sand, modulus: 3 GPa}]}]\n",
                     NULL);
    assert_true(law_of(s, NULL, 0, 1).kn == 3e9 && law_of(s, &s->stages[0], 0, 1).kn == 6e9);
    assert_true(law_of(s, &s->stages[0], 0, 0).kn == 6e9);
    tw_scenario_free(s);
}

/* In the words of the kernel. */
#define MODULUS "modulus takes the place of kn and kt: give kt by kt_ratio\n"
#define BOTH                                                                                       \
    "damping must be given by coefficients (nu_n, nu_t) or by ratios (restitution, "               \
    "tangential_damping, rolling_damping, twisting_damping), not both\n"

static void changes_that_do_not_suit_the_material_are_refused(void **state)
{
    (void)state;
    static const mistake cases[] = {
        {G "material: {kn: 1e5}\nstages: [{path: relax, material: {modulus: 1 GPa}}]\n",
         "a.yaml:3:10: stages[1]: " MODULUS},
        {G "material: {modulus: 1 GPa}\nstages: [{path: relax, material: {kn: 1e5}}]\n",
         "a.yaml:3:10: stages[1]: " MODULUS},
        {G "material: {kn: 1e5}\nstages: [{path: relax, material: {young: 1 GPa}}]\n",
         "a.yaml:3:42: stages[1].material.young: is for hertz contacts, and these are linear "
         "contacts; give "
         "'kn', 'modulus' or 'stiffness_level', or 'normal: hertz'\n"},
        {G "material: {kn: 1e5}\nstages: [{path: relax, friction: 0.1, material: {friction: 1}}]\n",
         "a.yaml:3:60: stages[1].material.friction: cannot be combined with the friction of all "
         "contacts in this stage\n"},
        {G "material: {kn: 1e5, restitution: 0.5}\nstages: [{path: relax, material: {nu_n: 1}}]\n",
         "a.yaml:3:10: stages[1]: " BOTH},
        {TWO "materials: [{name: sand, kn: 1e5}, {name: steel, kn: 1e5}]\n"
             "stages: [{path: relax, material: {kn: 1e6}}]\n",
         "a.yaml:3:34: stages[1].material: there are several materials; give 'materials'\n"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        support_refused(cases[i].text, cases[i].lines);
}

/* A stage may switch resistance on that the material does not have. */
static void a_stage_can_switch_on_rolling_resistance(void **state)
{
    (void)state;
    tw_scenario *s = support_read(G "material: {kn: 1e5, kr_ratio: 2}\n"
                                    "stages: [{path: relax, rolling_friction: 0.2}]\n",
                                  NULL);
    assert_true(law_of(s, NULL, 0, 0).k_r == 0.0);
    const tw_contact_law law = law_of(s, &s->stages[0], 0, 0);
    assert_true(law.mu_r == 0.2 && law.k_r == 2e5);
    tw_scenario_free(s);
}

static void materials_are_mixed_in_series_with_the_smaller_friction(void **state)
{
    (void)state;
    tw_scenario *s = support_read(
        TWO "materials:\n"
            "  - {name: sand, kn: 1e5, friction: 0.5, nu_n: 1, nu_t: 2}\n"
            "  - {name: steel, kn: 3e5, kt_ratio: 0.5, friction: 0.2, density: 7800, nu_n: 3}\n"
            "law: conventional\nwithout: [tilt]\n"
            "stages: [{path: relax}, {path: relax, friction: 0.7, law: exact},\n"
            "         {path: relax, materials: [{name: steel, friction: 0.6}]}]\n",
        NULL);
    const tw_contact_law same = law_of(s, NULL, 0, 0), mixed = law_of(s, NULL, 0, 1),
                         turned = law_of(s, NULL, 1, 0);
    assert_true(same.kn == 1e5 && same.kt == 1e5 && same.mu == 0.5 && same.nu_t == 2.0);
    expect_close(mixed.kn, 2.0 / (1.0 / 1e5 + 1.0 / 3e5));
    expect_close(mixed.kt, 2.0 / (1.0 / 1e5 + 1.0 / 1.5e5));
    expect_close(mixed.nu_n, 1.5);
    assert_true(mixed.mu == 0.2 && mixed.nu_t == 0.0);
    assert_int_equal(mixed.kind, TW_CONTACT_CONVENTIONAL);
    assert_int_equal(mixed.refine, TW_CONTACT_ALL & ~TW_CONTACT_TILT);
    assert_memory_equal(&mixed, &turned, sizeof mixed);
    assert_true(law_of(s, &s->stages[0], 0, 1).mu == 0.2);
    for (size_t k = 0; k < 4; k++)
        assert_true(law_of(s, &s->stages[1], k / 2, k % 2).mu == 0.7);
    assert_int_equal(law_of(s, &s->stages[1], 0, 1).kind, TW_CONTACT_EXACT);
    assert_true(law_of(s, &s->stages[2], 0, 1).mu == 0.5 &&
                law_of(s, &s->stages[2], 1, 1).mu == 0.6);
    tw_scenario_free(s);
}

/* 1/E* = sum (1 - nu^2)/E and 1/G* = sum 2 (2 - nu) (1 + nu)/E; the pair counts as two grains with
 * its value. */
static void pairs_replace_what_is_mixed(void **state)
{
    (void)state;
    tw_scenario *s = support_read(
        TWO
        "materials:\n"
        "  - {name: sand, young: 70 GPa, poisson: 0.2, restitution: 0.9, rolling_friction: 0.3}\n"
        "  - {name: steel, young: 210 GPa, poisson: 0.3, restitution: 0.4}\n"
        "pairs:\n"
        "  - {between: [steel, sand], friction: 0.9, young: 100 GPa, rolling_friction: 0.1}\n"
        "  - {between: [steel, steel], restitution: 0.5}\n"
        "stages: [{path: relax, materials: [{name: sand, friction: 0.1}]}]\n",
        NULL);
    const tw_contact_law law = law_of(s, NULL, 0, 1), steel = law_of(s, NULL, 1, 1);
    expect_close(law.kn, 4.0 / 3.0 / ((1.0 - 0.04) / 100e9 + (1.0 - 0.09) / 100e9));
    expect_close(law.kt, 8.0 / (2.0 * 1.8 * 1.2 / 100e9 + 2.0 * 1.7 * 1.3 / 100e9));
    assert_true(law.mu == 0.9 && law.mu_r == 0.1);
    expect_close(law.k_r, law.kt);
    expect_close(law.nu_n, tw_contact_law_damping_ratio(0.6, 0)); /* the root of 0.9 times 0.4 */
    expect_close(steel.nu_n, tw_contact_law_damping_ratio(0.5, 0));
    assert_true(law_of(s, &s->stages[0], 0, 1).mu == 0.9 &&
                law_of(s, &s->stages[0], 0, 0).mu == 0.1);
    tw_scenario_free(s);
}

/* With a checkpoint, values that are not given stay. */
static void a_checkpoint_keeps_what_is_not_given(void **state)
{
    (void)state;
    FILE *file = fopen("materials.h5", "w"); /* must exist, is not read */
    assert_non_null(file);
    fclose(file);
    static const struct {
        const char *material;
        tw_contact_law expected;
    } cases[] = {
        {"friction: 0.1",
         {.kn = 8, .kt = 4, .mu = 0.1, .nu_n = 0.3, .k_r = 2, .mu_r = 0.5, .flags = 2}},
        {"kn: 16", {.kn = 16, .kt = 8, .mu = 0.7, .nu_n = 0.3, .k_r = 4, .mu_r = 0.5, .flags = 2}},
        {"kr_ratio: 1",
         {.kn = 8, .kt = 4, .mu = 0.7, .nu_n = 0.3, .k_r = 4, .mu_r = 0.5, .flags = 2}},
        {"nu_n: 3", {.kn = 8, .kt = 4, .mu = 0.7, .nu_n = 3, .k_r = 2, .mu_r = 0.5}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[200];
        snprintf(text, sizeof text, "specimen: {checkpoint: materials.h5}\nmaterial: {%s}\n",
                 cases[i].material);
        tw_scenario *s = support_read(text, NULL);
        tw_contact_law law = {
            .kn = 8, .kt = 4, .mu = 0.7, .nu_n = 0.3, .k_r = 2, .mu_r = 0.5, .flags = 2};
        tw_scenario_put_law(s, NULL, 0, 0, &law);
        assert_memory_equal(&law, &cases[i].expected, sizeof law);
        tw_scenario_free(s);
    }
    support_refused("specimen: {checkpoint: materials.h5}\nmaterial: {normal: hertz}\n",
                    "a.yaml:2:11: material.young: is missing; hertz contacts need it; expected a "
                    "stress above 0\n");
    support_refused("specimen: {checkpoint: materials.h5}\nmaterial: {normal: linear}\n",
                    "a.yaml:2:11: material.kn: is missing; linear contacts need it; expected a "
                    "stiffness above 0\n");
    remove("materials.h5");
}

/* ---- Stiffness and time step ---- */

/* A contact of two spheres of diameter d that carries p d^2 overlaps by d/level: fn = (4/3) E*
 * sqrt(d/4) zeta^(3/2). */
static void the_stiffness_level_of_hertz_contacts_is_that_of_the_overlap(void **state)
{
    (void)state;
    const double p = 1e5, d = 1e-3, zeta = d / 500.0;
    tw_scenario *s =
        support_read(G "material: {normal: hertz, stiffness_level: 500, poisson: 0.3}\n", NULL);
    assert_true(isnan(s->material.stiffness_level));
    const double effective = s->material.young / (2.0 * (1.0 - 0.09));
    assert_true(fabs(4.0 / 3.0 * effective * sqrt(d / 4.0) * pow(zeta, 1.5) / (p * d * d) - 1.0) <
                1e-12);
    tw_scenario_free(s);
}

/* By hand: the tangent stiffness at the overlap under p d^2, on a sphere with 8 contacts. */
static void the_time_step_of_hertz_contacts_follows_the_pressure(void **state)
{
    (void)state;
    const double young = 1e9, nu = 0.25, d = 1e-3;
    const double mass = 2650.0 * 3.14159265358979 / 6.0 * d * d * d;
    const double a = 2.0 / 3.0 * young / (1.0 - nu * nu) * sqrt(d / 4.0);
    tw_scenario *s = support_read(G "material: {young: 1 GPa}\n", NULL);
    for (double p = 1e3; p < 1e6; p *= 10.0) {
        const double zeta = pow(p * d * d / a, 2.0 / 3.0), k = 1.5 * a * sqrt(zeta);
        const double dt = 2.0 / sqrt(2.0 * 8.0 * k * 3.5 / mass);
        assert_true(fabs(tw_scenario_stable_step(s, NULL, 8.0, p) / dt - 1.0) < 1e-12);
    }
    assert_true(fabs(tw_scenario_dt(s) / (0.5 * tw_scenario_stable_step(s, NULL, 8.0, 1e5)) - 1.0) <
                1e-12);
    tw_scenario_free(s);
}

/* The stiffest pair on the lightest grain counts. */
static void the_time_step_is_that_of_the_stiffest_pair(void **state)
{
    (void)state;
    tw_scenario *stiff = support_read(G "material: {kn: 3e5, density: 7800}\n", NULL),
                *light = support_read(G "material: {kn: 1e5, density: 100}\n", NULL),
                *both = support_read(TWO "materials: [{name: sand, kn: 1e5, density: 100}, "
                                         "{name: steel, kn: 3e5, density: 7800}]\n",
                                     NULL);
    const double of_both = tw_scenario_stable_step(both, NULL, 8.0, 1e5);
    /* the light grain between heavy ones has springs of 1.5e5 N/m */
    expect_close(of_both, tw_scenario_stable_step(light, NULL, 8.0, 1e5) / sqrt(1.5));
    assert_true(of_both < tw_scenario_stable_step(stiff, NULL, 8.0, 1e5));
    assert_true(tw_scenario_density(both) == 0.5 * (100.0 + 7800.0));
    tw_scenario_free(stiff);
    tw_scenario_free(light);
    tw_scenario_free(both);
}

static void soft_hertz_grains_are_noticed(void **state)
{
    (void)state;
    support_warned(
        "specimen: {count: 8000, preparation: {pressure: 100 kPa}}\nmaterial: {young: 100 MPa}\n",
        "a.yaml:1:49: specimen.preparation.pressure: warning: 100000 Pa is high for young = 1e+08 "
        "Pa: the equivalent of kn/(p d) = 50.2, so grains overlap by about 2 % of a diameter\n");
    support_refused(
        "specimen: {count: 8000, preparation: {pressure: 100 kPa}}\nmaterial: {young: 70}\n",
        "a.yaml:1:49: specimen.preparation.pressure: 100000 Pa is too high for young = 70 Pa: the "
        "equivalent of kn/(p d) = 0.00396, so grains would overlap by about 25273 % of a diameter; "
        "expected at least 10, better 1000\n");
    support_warned(
        "specimen: {count: 8000, preparation: {pressure: 1}, sizes: {d: 1}}\n"
        "material: {young: 70000}\n",
        "a.yaml:2:19: material.young: warning: has no unit and counts as 70000 Pa; write '70000 "
        "GPa' if that is meant\n");
}

/* ---- Mistakes ---- */

static void refuse_all(const mistake *cases, size_t count)
{
    for (size_t i = 0; i < count; i++)
        support_refused(cases[i].text, cases[i].lines);
}
#define REFUSE_ALL(cases) refuse_all(cases, sizeof(cases) / sizeof *(cases))

static void keys_of_the_other_normal_law_are_refused(void **state)
{
    (void)state;
    static const mistake cases[] = {
        {G "material: {normal: hertz, kn: 1e5}\n",
         "a.yaml:2:31: material.kn: is for linear contacts, and these are hertz contacts; give "
         "'young' and 'poisson', or 'stiffness_level'\n"},
        {G "material: {kn: 1e5, young: 1 GPa}\n",
         "a.yaml:2:21: material.young: cannot be combined with 'kn'; remove one of them\n"},
        {G "material: {normal: linear, young: 1 GPa}\n",
         "a.yaml:2:35: material.young: is for hertz contacts, and these are linear contacts; give "
         "'kn', "
         "'modulus' or 'stiffness_level', or 'normal: hertz'\n"},
        {G "material: {kn: 1e5, poisson: 0.2}\n", "a.yaml:2:30: material.poisson: is for hertz "
                                                  "contacts, and these are linear contacts; give "
                                                  "'kt_ratio', or 'normal: hertz' with 'young'\n"},
        {G "material: {young: 1 GPa, kt_ratio: 0.5, contact_damping: 1}\n",
         "a.yaml:2:36: material.kt_ratio: is for linear contacts, and these are hertz contacts; "
         "the tangential stiffness follows from 'poisson'\n"
         "a.yaml:2:58: material.contact_damping: is for linear contacts, and these are hertz "
         "contacts; give 'restitution' and 'tangential_damping'\n"},
        {G "material: {young: 1 GPa, poisson: 0.6}\n",
         "a.yaml:2:35: material.poisson: '0.6' is out of range; expected a number above -1, up to "
         "0.5\n"},
        {G "material: {young: 1 GPa, restitution: 0}\n",
         "a.yaml:2:39: material.restitution: '0' is out of range; expected a number above 0, up to "
         "1\n"},
        {G "material: {young: 1e5 N/m}\n",
         "a.yaml:2:19: material.young: '1e5 N/m' is a stiffness; expected a stress [Pa, kPa, MPa, "
         "GPa]\n"},
        {TWO "materials: [{name: sand, kn: 1e5}, {name: steel, young: 1 GPa}]\n",
         "a.yaml:2:36: materials[2]: both materials must have the same normal law\n"},
        {TWO "materials: [{name: sand, kn: 1e5}, {name: steel, kn: 1e5}]\n"
             "pairs: [{between: [sand, steel], young: 1 GPa}]\n",
         "a.yaml:3:41: pairs[1].young: is for hertz contacts, and these are linear contacts; give "
         "'kn', "
         "'modulus' or 'stiffness_level', or 'normal: hertz'\n"},
        {G "material: {kn: 1e5, modulus: 1 GPa}\n",
         "a.yaml:2:21: material.modulus: cannot be combined with 'kn'; remove one of them\n"},
        {G "material: {stiffness_level: 1000, modulus: 1 GPa}\n",
         "a.yaml:2:35: material.modulus: cannot be combined with 'stiffness_level'; remove one of "
         "them\n"},
        {G "material: {normal: hertz, modulus: 1 GPa}\n",
         "a.yaml:2:36: material.modulus: is for linear contacts, and these are hertz contacts; "
         "give "
         "'young' and 'poisson'\n"},
        {TWO "materials: [{name: sand, modulus: 1 GPa}, {name: steel, kn: 1e5}]\n",
         "a.yaml:2:43: materials[2]: both materials must have stiffness of the same form: modulus, "
         "or kn and kt\n"},
        {TWO "materials: [{name: sand, modulus: 1 GPa}, {name: steel, modulus: 1 GPa}]\n"
             "pairs: [{between: [sand, steel], kn: 1e5}]\n",
         "a.yaml:2:43: materials[2]: " MODULUS},
        {G "material: {modulus: 1 GPa, levers: yade}\n",
         "a.yaml:2:36: material.levers: has no effect without 'rolling_friction' or "
         "'twisting_friction'\n"},
    };
    REFUSE_ALL(cases);
}

static void damping_has_one_form(void **state)
{
    (void)state;
    static const mistake cases[] = {
        {G "material: {kn: 1e5, contact_damping: 1, restitution: 0.5}\n",
         "a.yaml:2:41: material.restitution: cannot be combined with 'contact_damping'; remove one "
         "of them\n"},
        {G "material: {kn: 1e5, nu_t: 1, restitution: 0.5}\n", "a.yaml:2:11: material: " BOTH},
        {TWO
         "materials: [{name: sand, kn: 1e5, nu_n: 1}, {name: steel, kn: 1e5, restitution: 0.5}]\n",
         "a.yaml:2:45: materials[2]: both materials must have damping of the same form: "
         "coefficients (nu_n, nu_t) or ratios (restitution, tangential_damping, rolling_damping, "
         "twisting_damping)\n"},
        {TWO "materials: [{name: sand, kn: 1e5, nu_n: 1}, {name: steel, kn: 1e5}]\n"
             "pairs: [{between: [sand, steel], restitution: 0.5}]\n",
         "a.yaml:2:45: materials[2]: " BOTH},
    };
    REFUSE_ALL(cases);
}

static void the_law_of_the_paper_is_linear(void **state)
{
    (void)state;
#define PAPER                                                                                      \
    "the law of the paper is linear: normal must be linear, or kind exact or conventional\n"
    static const mistake cases[] = {
        {G "material: {young: 1 GPa, law: paper}\n", "a.yaml:2:11: material: " PAPER},
        {G "material: {young: 1 GPa}\nstages: [{path: relax, law: paper}]\n",
         "a.yaml:3:10: stages[1]: " PAPER},
        {TWO "materials: [{name: sand, young: 1 GPa}, {name: steel, young: 1 GPa}]\nlaw: paper\n",
         "a.yaml:2:13: materials[1]: " PAPER},
        {G "material: {young: 1 GPa}\n"
           "stages: [{path: probes, probes: {strain: 1e-6, laws: [paper]}}, {path: probes, probes: "
           "{strain: 1e-6, variants: [{law: paper, without: tilt}]}}]\n",
         "a.yaml:3:33: stages[1].probes: the law of the paper is for linear contacts, and these "
         "are Hertz contacts\n"
         "a.yaml:3:88: stages[2].probes: the law of the paper is for linear contacts, and these "
         "are Hertz contacts\n"},
    };
    REFUSE_ALL(cases);
}

static void materials_that_do_not_exist_are_named(void **state)
{
    (void)state;
#define LIST "materials: [{name: sand, kn: 1e5}, {name: steel, kn: 1e5}]\n"
    static const mistake cases[] = {
        {"specimen: {preparation: {pressure: 1e5}, shapes: [{material: snad}]}\n" LIST,
         "a.yaml:1:62: specimen.shapes[1].material: there is no material 'snad'; did you mean "
         "'sand'?\n"},
        {"specimen: {preparation: {pressure: 1e5}, shapes: [{material: glass}]}\n" LIST,
         "a.yaml:1:62: specimen.shapes[1].material: there is no material 'glass'; materials: sand, "
         "steel\n"},
        {"specimen: {preparation: {pressure: 1e5}, shapes: [{material: sand}]}\n"
         "material: {kn: 1e5}\n",
         "a.yaml:1:62: specimen.shapes[1].material: 'sand' is not known: there is no list "
         "'materials'\n"},
        {TWO LIST "pairs: [{between: [sand, glass]}, {between: [steel, sand]}, {between: [sand, "
                  "steel]}]\n",
         "a.yaml:3:19: pairs[1].between: there is no material 'glass'; materials: sand, steel\n"
         "a.yaml:3:71: pairs[3].between: this pair is already item 2\n"},
        {TWO LIST "stages: [{path: relax, materials: [{name: stel, friction: 0}]}]\n",
         "a.yaml:3:43: stages[1].materials[1].name: there is no material 'stel'; did you mean "
         "'steel'?\n"},
        {TWO LIST "stages: [{path: relax, friction: 0, materials: [{name: steel, friction: 0}]}]\n",
         "a.yaml:3:73: stages[1].materials[1].friction: cannot be combined with the friction of "
         "all contacts in this stage\n"},
        {TWO "materials: [{name: sand, kn: 1e5}, {name: sand, kn: 1e5}]\n",
         "a.yaml:1:84: specimen.shapes[2].material: there is no material 'steel'; materials: sand, "
         "sand\n"
         "a.yaml:2:43: materials[2].name: 'sand' is already the name of material 1\n"},
        {TWO LIST "material: {kn: 1e5}\n",
         "a.yaml:2:1: materials: cannot be combined with 'material'; remove one of them\n"},
        {G "material: {kn: 1e5}\nlaw: exact\n",
         "a.yaml:3:6: law: has no effect without 'materials'; give it in 'material'\n"},
        {TWO "materials: [{name: sand, kn: 1e5, type: 3}, {name: steel, kn: 1e5}]\n",
         "a.yaml:2:41: materials[1].type: has no effect here: only the grains of specimen.file "
         "have types\n"},
        {G "material: {kn: 1e5, kr_ratio: 2}\n",
         "a.yaml:2:31: material.kr_ratio: has no effect without 'rolling_friction'\n"},
    };
    REFUSE_ALL(cases);
    support_warned("specimen: {count: 8000, preparation: {pressure: 100 kPa}}\n" LIST,
                   "a.yaml:2:43: materials[2].name: warning: no grains are of this material; give "
                   "'material: steel' in one of specimen.shapes\n");
}

static void types_belong_to_one_material_each(void **state)
{
    (void)state;
    FILE *file = fopen("types.csv", "w"); /* must exist, is not read */
    assert_non_null(file);
    fclose(file);
    support_refused("specimen: {file: types.csv}\n"
                    "materials: [{name: a, kn: 1, type: 2}, {name: b, kn: 1, type: 2}, "
                    "{name: c, kn: 1}]\n",
                    "a.yaml:2:63: materials[2].type: 2 is already the type of material 1\n"
                    "a.yaml:2:67: materials[3].type: is missing; give the type of every material, "
                    "or of none\n");
    tw_scenario *s = support_read(
        "specimen: {file: types.csv}\nmaterials: [{name: a, kn: 1}, {name: b, kn: 2}]\n", NULL);
    assert_true(s->materials[0].type == 1 && s->materials[1].type == 2);
    tw_scenario_free(s);
    remove("types.csv");
}

/* ---- The resolved scenario ---- */

/* A linear material without damping, rolling or twisting is written as it always was. */
static void a_plain_material_is_written_without_the_new_keys(void **state)
{
    (void)state;
    tw_scenario *s = support_read(G "material: {kn: 1e5}\n", NULL);
    char *text = tw_scenario_write_text(s);
    support_has(text, "\nmaterial:\n"
                      "  kn: 100000\n"
                      "  kt_ratio: 1\n"
                      "  friction: 0.5\n"
                      "  density: 2650\n"
                      "  contact_damping: 0\n"
                      "  law: exact\n"
                      "  without: []\n"
                      "damping:\n");
    free(text);
    tw_scenario_free(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(young_and_poisson_make_hertz_contacts),
        cmocka_unit_test(a_modulus_makes_linear_contacts_by_radius),
        cmocka_unit_test(the_time_step_by_modulus_is_that_of_the_smallest_grain),
        cmocka_unit_test(the_restitution_of_linear_contacts_is_that_of_an_oscillator),
        cmocka_unit_test(coefficients_of_damping_are_taken_as_they_are),
        cmocka_unit_test(rolling_and_twisting_springs_are_as_stiff_as_the_tangential_one),
        cmocka_unit_test(a_stage_can_switch_on_rolling_resistance),
        cmocka_unit_test(a_stage_changes_constants_of_a_material),
        cmocka_unit_test(changes_that_do_not_suit_the_material_are_refused),
        cmocka_unit_test(materials_are_mixed_in_series_with_the_smaller_friction),
        cmocka_unit_test(pairs_replace_what_is_mixed),
        cmocka_unit_test(a_checkpoint_keeps_what_is_not_given),
        cmocka_unit_test(the_stiffness_level_of_hertz_contacts_is_that_of_the_overlap),
        cmocka_unit_test(the_time_step_of_hertz_contacts_follows_the_pressure),
        cmocka_unit_test(the_time_step_is_that_of_the_stiffest_pair),
        cmocka_unit_test(soft_hertz_grains_are_noticed),
        cmocka_unit_test(keys_of_the_other_normal_law_are_refused),
        cmocka_unit_test(damping_has_one_form),
        cmocka_unit_test(the_law_of_the_paper_is_linear),
        cmocka_unit_test(materials_that_do_not_exist_are_named),
        cmocka_unit_test(types_belong_to_one_material_each),
        cmocka_unit_test(a_plain_material_is_written_without_the_new_keys),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
