/* SPDX-License-Identifier: BSD-3-Clause */
/* Does the resolved scenario make sense as a computation? */
#include <math.h>
#include <stdio.h>

#include <twirl/math.h>

#include "base/mat3.h"
#include "scenario/review.h"
#include "scenario/schema.h"

/* ---- Contact laws ---- */

/* The laws of all contacts in the specimen, 0, or in a stage, from 1. False: one is wrong. */
static bool review_laws(const tw_review *r, size_t stage)
{
    const tw_scenario *s = r->scenario;
    const size_t count = tw_scenario_materials(s);
    const tw_scenario_stage *in = stage > 0 ? &s->stages[stage - 1] : NULL;
    for (size_t k = 0; k < count * count; k++) {
        const char *wrong = tw_scenario_check_law(s, in, k / count, k % count);
        tw_tree_node *node = in ? tw_tree_item(tw_tree_find(r->root, "stages"), stage)
                                : tw_review_material_node(r, k % count);
        if (!wrong) continue;
        tw_diagnostics_add(r->diagnostics, node->location, node, NULL, "%s", wrong);
        return false;
    }
    return true;
}

static void review_probes(const tw_review *r, const tw_scenario_probes *p, tw_tree_node *stage)
{
    bool paper = p->laws != TW_SCENARIO_NO_SET && p->laws & 1u << TW_CONTACT_PAPER;
    for (size_t k = 0; k < p->variant_count; k++)
        paper |= p->variants[k].law == TW_CONTACT_PAPER;
    if (paper)
        tw_review_error(r, stage, "probes",
                        "the law of the paper is for linear contacts, and these are Hertz "
                        "contacts");
}

/* A stiffness level may stand for a modulus that could not be read again. */
static void review_young(const tw_review *r, size_t material)
{
    tw_tree_node *node = tw_review_material_node(r, material);
    const double young = tw_scenario_material_at(r->scenario, material)->young;
    char why[200];
    if (!tw_tree_find(node, "stiffness_level") ||
        tw_unit_is_plausible(TW_UNIT_STRESS, young, why, sizeof why))
        return;
    tw_review_error(r, node, "stiffness_level", "means a Young's modulus of %.3g Pa, which %s",
                    young, why);
}

static bool is_not_exact(int32_t law, uint32_t without)
{
    return law == TW_CONTACT_PAPER || law == TW_CONTACT_CONVENTIONAL ||
           (without != 0 && without != TW_SCENARIO_NO_SET);
}

/* Statics is that of the exact law. */
static void review_statics(const tw_review *r)
{
    const tw_scenario *s = r->scenario;
    const tw_tree_node *list = tw_tree_find(r->root, "stages");
    bool other = s->material_count > 0 ? is_not_exact(s->law, s->without)
                                       : is_not_exact(s->material.law, s->material.without);
    for (size_t i = 0; i < s->stage_count; i++) {
        const bool here = is_not_exact(s->stages[i].law, s->stages[i].without);
        if (s->stages[i].path == TW_SCENARIO_RATES && here)
            tw_review_error(r, tw_tree_item(list, i + 1), "path",
                            "rates are those of the exact law, with all its parts; add 'law: "
                            "exact' and 'without: []'");
        other = other || here;
    }
    if (s->output.moduli == 1 && other)
        tw_review_error(r, tw_tree_find(r->root, "output"), "moduli",
                        "moduli are those of the exact law, with all its parts, in every stage");
}

void tw_review_law(const tw_review *r)
{
    const tw_scenario *s = r->scenario;
    const tw_tree_node *list = tw_tree_find(r->root, "stages");
    bool good = true;
    for (size_t i = 0; i <= s->stage_count && good; i++)
        good = review_laws(r, i);
    review_statics(r);
    if (!tw_scenario_has_constant(tw_scenario_material_at(s, 0), "young")) return;
    for (size_t i = 0; i < tw_scenario_materials(s); i++)
        review_young(r, i);
    for (size_t i = 0; i < s->stage_count; i++)
        if (s->stages[i].path == TW_SCENARIO_PROBES)
            review_probes(r, &s->stages[i].probes, tw_tree_item(list, i + 1));
}

/* ---- Cell, stiffness, time step ---- */

/* ---- Cell ---- */

/* The smallest distance of two opposite faces of a cell of volume 1. */
static double relative_height(const tw_scenario_cell *cell)
{
    const double *a = cell->aspect, *t = cell->tilt;
    const tw_mat3 h = {{a[0], t[0] * a[1], t[1] * a[2], 0.0, a[1], t[2] * a[2], 0.0, 0.0, a[2]}};
    const tw_mat3 inverse = tw_mat3_inverse(h);
    double least = HUGE_VAL;
    for (int i = 0; i < 3; i++) /* a row of the inverse is normal to two edges */
        least = tw_math_min(least, 1.0 / tw_vec3_norm(tw_mat3_row(inverse, i)));
    return least / tw_math_cbrt(a[0] * a[1] * a[2]);
}

/* Below two diameters a grain touches another one and its image at the same time. Lattices are
 * exact in a cell of any size. */
static void review_cell(const tw_review *r)
{
    const tw_scenario_specimen *s = &r->scenario->specimen;
    if (tw_scenario_is_lattice(s)) return;
    tw_tree_node *node = tw_tree_find(r->root, "specimen");
    const tw_scenario_grain_sizes d = tw_scenario_find_grain_sizes(&s->sizes);
    const double height = d.mean * tw_scenario_cell_side(s) * relative_height(&s->cell);
    if (height < 2.0 * d.mean)
        tw_review_error(r, node, "count",
                        "%.0f grain%s a cell of %.3g mean diameters between opposite faces; a "
                        "periodic cell needs 2",
                        (double)s->count, s->count == 1 ? " makes" : "s make", height / d.mean);
    else if (height < 5.0 * d.mean || height < 2.0 * d.largest)
        tw_review_warn(r, node, "count",
                       "%.0f grains make a cell of only %.3g mean diameters (%.3g of the largest "
                       "grain) between opposite faces; results depend on the cell below about 10",
                       (double)s->count, height / d.mean, height / d.largest);
}

/* ---- Sizes, density ---- */

/* Grains are drawn by number, and few of them have the coarsest part of the mass. Linear in ln d
 * between points, so that a part dF from a to b has dF (1/a^3 - 1/b^3)/(3 ln(b/a)) of the number.
 */
static void review_grading(const tw_review *r)
{
    const tw_scenario_specimen *s = &r->scenario->specimen;
    const double *v = s->sizes.curve.value;
    tw_tree_node *node = tw_tree_find(tw_tree_find(r->root, "specimen"), "sizes");
    double sum = 0.0, part = 0.0;
    size_t last = 0;
    for (size_t i = 0; i + 1 < s->sizes.curve.count; i++) {
        const double a = v[2 * i], b = v[2 * i + 2], mass = v[2 * i + 3] - v[2 * i + 1];
        if (!(mass > 0.0)) continue;
        part = mass * (1.0 / (a * a * a) - 1.0 / (b * b * b)) / (3.0 * tw_math_log(b / a));
        sum += part;
        last = i;
    }
    const double expected = (double)s->count * part / sum, enough = 10.0;
    if (expected < 1.0)
        tw_review_warn(r, node, tw_tree_find(node, "file") ? "file" : "curve",
                       "of %.0f grains %.2g would be in the coarsest part, %.3g mm to %.3g mm with "
                       "%.3g %% of the mass, so the specimen ends short of it; about %.2g grains "
                       "have ten there",
                       (double)s->count, expected, 1e3 * v[2 * last], 1e3 * v[2 * last + 2],
                       100.0 * (v[2 * last + 3] - v[2 * last + 1]),
                       (double)s->count * enough / expected);
}

#define LARGE 0.05 /* diameter [m] that suggests a missing unit */

/* The first diameter of a grading curve, from 5 cm, without unit; 0: none. */
static double bare_on_curve(const tw_tree_node *curve, const tw_scenario_rows *rows)
{
    const tw_tree_node *row = curve ? curve->first : NULL;
    for (size_t i = 0; row && i < rows->count; row = row->next, i++)
        if (tw_review_is_bare(row->first) && rows->value[2 * i] >= LARGE) return rows->value[2 * i];
    return 0.0;
}

/* A diameter of 0.5 or a pressure of 100 may lack a unit; both together are dimensionless units. */
static bool are_dimensionless(const tw_review *r)
{
    const tw_scenario_specimen *s = &r->scenario->specimen;
    const tw_tree_node *specimen = tw_tree_find(r->root, "specimen");
    tw_tree_node *sizes = tw_tree_find(specimen, "sizes"),
                 *preparation = tw_tree_find(specimen, "preparation");
    const struct {
        const char *key;
        double d;
    } all[] = {{"d", s->sizes.d},
               {"d50", s->sizes.d50},
               {"d_min", s->sizes.d_min},
               {"d_max", s->sizes.d_max},
               {"curve", bare_on_curve(tw_tree_find(sizes, "curve"), &s->sizes.curve)}};
    const bool low = tw_review_is_bare(tw_tree_find(preparation, "pressure")) &&
                     s->preparation.pressure <= 1000.0;
    bool large = false;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        const bool curve = i == sizeof all / sizeof *all - 1;
        if (!(all[i].d >= LARGE) || !(curve || tw_review_is_bare(tw_tree_find(sizes, all[i].key))))
            continue;
        large = true;
        if (!low)
            tw_review_warn(r, sizes, all[i].key,
                           "%s no unit and counts as %g m; write '%g mm' if that is meant",
                           curve ? "a diameter has" : "has", all[i].d, all[i].d);
    }
    if (low && !large)
        tw_review_warn(r, preparation, "pressure",
                       "has no unit and counts as %g Pa; write '%g kPa' if that is meant",
                       s->preparation.pressure, s->preparation.pressure);
    return low && large;
}

static void review_density(const tw_review *r, size_t material, bool dimensionless)
{
    const double density = tw_scenario_material_at(r->scenario, material)->density;
    tw_tree_node *node = tw_review_material_node(r, material);
    if (density > 25e3 || density < 1.0)
        tw_review_warn(r, node, "density",
                       "no solid has a density of %g kg/m^3; masses are scaled by "
                       "time_step.mass_scale",
                       density);
    else if (density < 100.0 && !dimensionless)
        tw_review_warn(r, node, "density",
                       "%g kg/m^3 is very light for grains; write '%g g/cm^3' if that is meant",
                       density, density);
}

static void review_grains(const tw_review *r)
{
    const tw_scenario *s = r->scenario;
    const tw_tree_node *sizes = tw_tree_find(tw_tree_find(r->root, "specimen"), "sizes");
    const bool dimensionless = are_dimensionless(r);
    const double smallest = tw_scenario_find_grain_sizes(&s->specimen.sizes).smallest;
    if (smallest < 1e-6 && sizes)
        tw_review_warn(r, sizes->parent, "sizes",
                       "grains of %g m: below 1 um adhesion, which is not modelled, dominates",
                       smallest);
    for (size_t i = 0; i < tw_scenario_materials(s); i++)
        review_density(r, i, dimensionless);
}

/* ---- Preparation ---- */

/* Fast compression overshoots the pressure; the packing then has the porosity of a higher one. */
static void review_compression(const tw_review *r)
{
    const tw_scenario *s = r->scenario;
    const tw_scenario_preparation *p = &s->specimen.preparation;
    tw_tree_node *node = tw_tree_find(tw_tree_find(r->root, "specimen"), "preparation");
    const double number =
        isnan(p->rate) ? p->inertial_number : p->rate * tw_scenario_inertial_time(s, p->pressure);
    const char *key = isnan(p->rate) ? "inertial_number" : "rate";
    if (number > 1.0)
        tw_review_error(r, node, key,
                        "the inertial number is %.3g: grains fly apart above 1; 0.01 is usual",
                        number);
    else if (number > 0.1)
        tw_review_warn(
            r, node, key,
            "at an inertial number of %.3g the compression overshoots the pressure; 0.01 "
            "is usual",
            number);
}

/* ---- Stiffness ---- */

/* "kn = 1e5 N/m: kn/(p d)" or "young = 1e9 Pa: the equivalent of kn/(p d)" */
typedef struct stiffness_words {
    char text[160];
} stiffness_words;

static stiffness_words describe_stiffness(const tw_scenario_material *m)
{
    stiffness_words words;
    const char *of = m->name ? " of " : "", *name = m->name ? m->name : "";
    if (tw_scenario_has_constant(m, "young"))
        snprintf(words.text, sizeof words.text, "young = %g Pa%s%s: the equivalent of kn/(p d)",
                 m->young, of, name);
    else if (!isnan(m->modulus))
        snprintf(words.text, sizeof words.text, "modulus = %g Pa%s%s: kn/(p d)", m->modulus, of,
                 name);
    else
        snprintf(words.text, sizeof words.text, "kn = %g N/m%s%s: kn/(p d)", m->kn, of, name);
    return words;
}

static void review_pressure(const tw_review *r, tw_tree_node *map, const char *key, double p)
{
    const tw_scenario_material *softest = NULL;
    if (!isfinite(p) || p <= 0.0) return;
    const double level = tw_scenario_least_stiffness_level(r->scenario, p, &softest);
    if (level < 10.0)
        tw_review_error(r, map, key,
                        "%g Pa is too high for %s = %.3g, so grains would overlap "
                        "by about %.0f %% of a diameter; expected at least 10, better 1000",
                        p, describe_stiffness(softest).text, level, 100.0 / level);
    else if (level < 100.0)
        tw_review_warn(r, map, key,
                       "%g Pa is high for %s = %.3g, so grains overlap by about "
                       "%.2g %% of a diameter",
                       p, describe_stiffness(softest).text, level, 100.0 / level);
}

static void review_stage_pressures(const tw_review *r, const tw_scenario_stage *stage,
                                   tw_tree_node *node)
{
    tw_tree_node *end = tw_tree_find(node, "end");
    review_pressure(r, node, "pressure", stage->pressure);
    review_pressure(r, node, "lateral_stress", stage->lateral_stress);
    review_pressure(r, node, "normal_stress", stage->normal_stress);
    if (!end) return;
    review_pressure(r, end, "stress", stage->end.stress);
    review_pressure(r, end, "pressure", stage->end.pressure);
}

static void review_stiffness(const tw_review *r)
{
    const tw_scenario *s = r->scenario;
    const tw_tree_node *list = tw_tree_find(r->root, "stages");
    tw_tree_node *preparation = tw_tree_find(tw_tree_find(r->root, "specimen"), "preparation");
    if (preparation) review_pressure(r, preparation, "pressure", s->specimen.preparation.pressure);
    for (size_t i = 0; i < s->stage_count; i++) {
        review_stage_pressures(r, &s->stages[i], tw_tree_item(list, i + 1));
    }
}

/* ---- Time step ---- */

/* The run refuses dt as soon as the smallest grain has a contact; with eight, as in a dense
 * packing, the limit is lower. */
static void review_dt(const tw_review *r)
{
    const tw_scenario_time_step *t = &r->scenario->time_step;
    tw_tree_node *node = tw_tree_find(r->root, "time_step");
    const double p = r->scenario->specimen.preparation.pressure;
    const double single = tw_scenario_stable_step(r->scenario, NULL, 1.0, p),
                 packed = tw_scenario_stable_step(r->scenario, NULL, 8.0, p);
    if (isnan(t->dt) || t->force == 1) return;
    if (t->dt > single)
        tw_review_error(r, node, "dt",
                        "%g s is above the stable step: %.3g s for one contact on the smallest "
                        "grain, about %.3g s in a packing; use 'fraction', or 'force: yes'",
                        t->dt, single, packed);
    else if (t->dt > packed)
        tw_review_warn(r, node, "dt",
                       "%g s is above the stable step of a packing, about %.3g s: the run stops "
                       "when the smallest grain has too many contacts",
                       t->dt, packed);
}

void tw_review_method(const tw_review *r)
{
    if (!tw_scenario_is_generated(r->scenario)) return;
    review_cell(r);
    if (r->scenario->specimen.sizes.distribution == TW_SCENARIO_GRADING) review_grading(r);
    review_grains(r);
    review_compression(r);
    review_stiffness(r);
    review_dt(r);
}
