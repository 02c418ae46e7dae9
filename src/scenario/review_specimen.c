/* SPDX-License-Identifier: BSD-3-Clause */
#include "scenario/review_specimen.h"

#include <math.h>

#include <twirl/math.h>

#include "scenario/review_shapes.h"

static const tw_key_path specimen_path = {NULL, "specimen", 0};

/* ---- Sizes ---- */

static void review_curve(const tw_review *r, const tw_scenario_rows *curve, tw_tree_node *sizes,
                         const tw_key_path *key_path)
{
    const double *v = curve->value;
    const size_t n = curve->count;
    if (n < 2) {
        tw_review_error(r, sizes, key_path, "curve", "has one point; expected at least two");
        return;
    }
    for (size_t i = 0; i < n; i++) {
        if (!(v[2 * i] > (i ? v[2 * i - 2] : 0.0)))
            tw_review_error(r, sizes, key_path, "curve",
                            "point %zu: diameter %g m is not above %g m; diameters must increase",
                            i + 1, v[2 * i], i ? v[2 * i - 2] : 0.0);
        if (i > 0 && !(v[2 * i + 1] >= v[2 * i - 1]))
            tw_review_error(r, sizes, key_path, "curve",
                            "point %zu: fraction %g is below %g; fractions must not decrease",
                            i + 1, v[2 * i + 1], v[2 * i - 1]);
    }
    if (v[1] != 0.0 || v[2 * n - 1] != 1.0)
        tw_review_error(r, sizes, key_path, "curve",
                        "fractions run from %g to %g; expected 0 to 1 (100 %%)", v[1],
                        v[2 * n - 1]);
}

static void review_sizes(const tw_review *r, const tw_tree_node *specimen)
{
    const tw_key_path key_path = {&specimen_path, "sizes", 0};
    const tw_scenario_sizes *s = &r->scenario->specimen.sizes;
    tw_tree_node *node = tw_tree_find(specimen, "sizes");
    if (!tw_review_is_valid(node)) return;
    if (s->distribution == TW_SCENARIO_GRADING) review_curve(r, &s->curve, node, &key_path);
    if (s->d_min >= s->d_max)
        tw_review_error(r, node, &key_path, "d_max", "%g m is not above d_min (%g m)", s->d_max,
                        s->d_min);
    if (s->d50 <= s->d_min)
        tw_review_error(r, node, &key_path, "d_min", "%g m is not below d50 (%g m)", s->d_min,
                        s->d50);
    if (s->d50 >= s->d_max)
        tw_review_error(r, node, &key_path, "d_max", "%g m is not above d50 (%g m)", s->d_max,
                        s->d50);
}

/* ---- Lattices ---- */

static void review_lattice_count(const tw_review *r, tw_tree_node *specimen)
{
    const tw_scenario_specimen *s = &r->scenario->specimen;
    const double each = s->arrangement == TW_SCENARIO_FCC ? 4.0 : 1.0;
    const double n = round(tw_math_cbrt((double)s->count / each));
    const double near = each * n * n * n;
    if (near == (double)s->count) return;
    const double lower = n > 1.0 && near > (double)s->count ? n - 1.0 : tw_math_max(n, 1.0);
    const double upper = lower + 1.0;
    tw_review_error(r, specimen, &specimen_path, "count",
                    "%.0f grains do not fill a lattice; use %.0f or %.0f", (double)s->count,
                    each * lower * lower * lower, each * upper * upper * upper);
}

static void refuse_on_lattice(const tw_review *r, tw_tree_node *map, const tw_key_path *key_path,
                              const char *const *keys)
{
    for (; *keys; keys++)
        if (tw_tree_find(map, *keys))
            tw_review_error(r, map, key_path, *keys,
                            "has no effect on a lattice, whose porosity is fixed");
}

static void review_lattice(const tw_review *r, tw_tree_node *specimen)
{
    static const char *const unused[] = {"porosity", "void_ratio", "start_porosity", "tolerance",
                                         NULL};
    const tw_key_path prepare_path = {&specimen_path, "preparation", 0};
    const tw_scenario_specimen *s = &r->scenario->specimen;
    tw_tree_node *prepare = tw_tree_find(specimen, "preparation");
    for (size_t i = 0; i < s->shape_count; i++)
        if (s->shapes[i].shape != TW_SCENARIO_SPHERE)
            tw_review_error(r, specimen, &specimen_path, "shapes", "a lattice needs spheres");
    if (s->sizes.distribution != TW_SCENARIO_MONO)
        tw_review_error(r, specimen, &specimen_path, "sizes",
                        "a lattice needs equal spheres; expected 'distribution: mono'");
    for (int i = 0; i < 3; i++)
        if (s->cell.aspect[i] != s->cell.aspect[0] || s->cell.tilt[i] != 0.0) {
            tw_review_error(r, specimen, &specimen_path, "cell", "a lattice needs a cubic cell");
            break;
        }
    review_lattice_count(r, specimen);
    if (!prepare) return;
    refuse_on_lattice(r, prepare, &prepare_path, unused);
    if (s->preparation.friction == TW_SCENARIO_AUTO)
        tw_review_error(r, prepare, &prepare_path, "friction",
                        "'auto' has no effect on a lattice, whose porosity is fixed");
    if (isnan(s->preparation.pressure) && !prepare->invalid)
        tw_review_error(r, prepare, &prepare_path, "pressure",
                        "is missing; without it the lattice is not compressed; expected a stress "
                        "above 0 [Pa]");
}

/* ---- Preparation ---- */

static void review_friction(const tw_review *r, tw_tree_node *node, const tw_key_path *key_path)
{
    const tw_scenario_preparation *p = &r->scenario->specimen.preparation;
    const bool target = !isnan(p->porosity) || !isnan(p->void_ratio),
               pressure = !isnan(p->pressure);
    const bool found =
        p->friction == TW_SCENARIO_AUTO || (isnan(p->friction) && target && pressure);
    if (isfinite(p->friction) && target && pressure)
        tw_review_error(r, node, key_path, "friction",
                        "pressure and %s cannot both be reached with friction %g; use 'auto'",
                        isnan(p->porosity) ? "void_ratio" : "porosity", p->friction);
    if (p->friction == TW_SCENARIO_AUTO && !(target && pressure))
        tw_review_error(r, node, key_path, "friction",
                        "'auto' needs both a pressure and a porosity or void_ratio");
    if (!found && tw_tree_find(node, "tolerance"))
        tw_review_error(r, node, key_path, "tolerance", "has no effect unless friction is 'auto'");
}

/* From the densest packing of equal spheres, 1 - pi/sqrt(18), to the loosest that carries a load.
 * Without a pressure grains need not touch. */
static void review_density(const tw_review *r, const tw_tree_node *node,
                           const tw_key_path *key_path, double porosity)
{
    const double densest = 0.26, loosest = 0.5;
    const tw_scenario_preparation *p = &r->scenario->specimen.preparation;
    const bool loose = porosity > loosest && !isnan(p->pressure);
    if (!(porosity < densest || loose)) return;
    if (isnan(p->porosity))
        tw_review_warn(r, node, key_path, "void_ratio",
                       "a void ratio of %g is beyond the %.2g to about %g that packings of spheres "
                       "can have",
                       p->void_ratio, densest / (1.0 - densest), loosest / (1.0 - loosest));
    else
        tw_review_warn(r, node, key_path, "porosity",
                       "a porosity of %g is beyond the %g to about %g that packings of spheres "
                       "can have",
                       porosity, densest, loosest);
}

static void review_preparation(const tw_review *r, tw_tree_node *specimen)
{
    const tw_key_path key_path = {&specimen_path, "preparation", 0};
    const tw_scenario_preparation *p = &r->scenario->specimen.preparation;
    tw_tree_node *node = tw_tree_find(specimen, "preparation");
    const double porosity =
        isnan(p->porosity) ? p->void_ratio / (1.0 + p->void_ratio) : p->porosity;
    if (node && node->invalid) return;
    if (isnan(p->pressure) && isnan(porosity)) {
        tw_diagnostics_add(r->diagnostics, node ? node->location : specimen->location, &key_path,
                           "has no target; give 'pressure', 'porosity' or 'void_ratio', or "
                           "'pressure' with one of the other two");
        tw_tree_mark_invalid(specimen);
        return;
    }
    if (!node) return; /* all defaults */
    review_friction(r, node, &key_path);
    if (isnan(p->pressure) && isnan(p->rate))
        tw_review_error(r, node, &key_path, "rate",
                        "is missing; without a pressure there is no inertial number; expected a "
                        "rate above 0 [1/s]");
    if (porosity >= p->start_porosity)
        tw_review_error(r, node, &key_path, "start_porosity",
                        "%g is not above the target porosity (%g)", p->start_porosity, porosity);
    else
        review_density(r, node, &key_path, porosity);
}

void tw_review_specimen(const tw_review *r)
{
    tw_tree_node *node = tw_tree_find(r->root, "specimen");
    const tw_scenario_specimen *s = &r->scenario->specimen;
    if (!node || node->kind != TW_TREE_MAP || s->file || s->checkpoint) return;
    if (tw_tree_find(node, "file") || tw_tree_find(node, "checkpoint")) return;
    tw_review_shapes(r, node, &specimen_path);
    review_sizes(r, node);
    if (s->arrangement != TW_SCENARIO_FCC && s->arrangement != TW_SCENARIO_CUBIC)
        review_preparation(r, node);
    else if (!node->invalid)
        review_lattice(r, node);
}
