/* SPDX-License-Identifier: BSD-3-Clause */
/* Does the specimen go together, and the material with it? */
#include <math.h>
#include <stdio.h>
#include <twirl/math.h>

#include "scenario/fill.h"
#include "scenario/review.h"

static const tw_trail specimen_trail = {NULL, "specimen", 0};

static bool sound(const tw_node *node)
{
    return node && !node->faulty;
}

/* ---- Shapes ---- */

static void review_cluster(const tw_review *r, const tw_scenario_shape *shape, tw_node *node,
                           const tw_trail *trail)
{
    for (size_t i = 0; i < shape->spheres.count; i++) {
        if (shape->spheres.value[4 * i + 3] > 0.0) continue;
        tw_review_say(r, node, trail, "spheres",
                      "sphere %zu has the radius %g; expected is a number above 0", i + 1,
                      shape->spheres.value[4 * i + 3]);
    }
}

static void review_shapes(const tw_review *r, const tw_node *specimen)
{
    const tw_trail shapes_trail = {&specimen_trail, "shapes", 0};
    const tw_node *list = tw_tree_find(specimen, "shapes");
    size_t i = 0;
    if (!list || list->kind != TW_NODE_LIST || list->count != r->scenario->specimen.shape_count)
        return; /* it has been refused */
    for (tw_node *node = list->first; node; node = node->next, i++) {
        const tw_trail trail = {&shapes_trail, NULL, i + 1};
        const tw_scenario_shape *shape = &r->scenario->specimen.shapes[i];
        if (node->faulty) continue;
        const uint64_t n = shape->satellites;
        if (shape->shape == TW_SCENARIO_BUMPY && (n == 5 || n == 7))
            tw_review_say(r, node, &trail, "satellites",
                          "%d is not possible; expected is 2, 3, 4, 6 or 8", (int)n);
        if (shape->shape == TW_SCENARIO_CLUSTER) review_cluster(r, shape, node, &trail);
    }
}

/* ---- Sizes ---- */

static void review_curve(const tw_review *r, const tw_scenario_rows *curve, tw_node *sizes,
                         const tw_trail *trail)
{
    const double *v = curve->value;
    const size_t n = curve->count;
    if (n < 2) {
        tw_review_say(r, sizes, trail, "curve", "has one point; at least two are expected");
        return;
    }
    for (size_t i = 0; i < n; i++) {
        if (!(v[2 * i] > (i ? v[2 * i - 2] : 0.0)))
            tw_review_say(r, sizes, trail, "curve",
                          "point %zu: the diameter %g is not above %g; they must ascend", i + 1,
                          v[2 * i], i ? v[2 * i - 2] : 0.0);
        if (i > 0 && !(v[2 * i + 1] >= v[2 * i - 1]))
            tw_review_say(r, sizes, trail, "curve",
                          "point %zu: the share %g is below %g; it must ascend", i + 1,
                          v[2 * i + 1], v[2 * i - 1]);
    }
    if (v[1] != 0.0 || v[2 * n - 1] != 1.0)
        tw_review_say(r, sizes, trail, "curve",
                      "goes from share %g to share %g; it must go from 0 to 1 (100 %%)", v[1],
                      v[2 * n - 1]);
}

static void review_sizes(const tw_review *r, const tw_node *specimen)
{
    const tw_trail trail = {&specimen_trail, "sizes", 0};
    const tw_scenario_sizes *s = &r->scenario->specimen.sizes;
    tw_node *node = tw_tree_find(specimen, "sizes");
    if (!sound(node)) return;
    if (s->distribution == TW_SCENARIO_GRADING) review_curve(r, &s->curve, node, &trail);
    if (s->d_min >= s->d_max)
        tw_review_say(r, node, &trail, "d_max", "%g m is not above d_min, which is %g m", s->d_max,
                      s->d_min);
    if (s->d50 <= s->d_min)
        tw_review_say(r, node, &trail, "d_min", "%g m is not below d50, which is %g m", s->d_min,
                      s->d50);
    if (s->d50 >= s->d_max)
        tw_review_say(r, node, &trail, "d_max", "%g m is not above d50, which is %g m", s->d_max,
                      s->d50);
}

/* ---- Lattices ---- */

static void review_lattice_count(const tw_review *r, tw_node *specimen)
{
    const tw_scenario_specimen *s = &r->scenario->specimen;
    const double each = s->arrangement == TW_SCENARIO_FCC ? 4.0 : 1.0;
    const double n = round(tw_math_cbrt((double)s->count / each));
    const double near = each * n * n * n;
    if (near == (double)s->count) return;
    const double lower = n > 1.0 && near > (double)s->count ? n - 1.0 : tw_math_max(n, 1.0);
    const double upper = lower + 1.0;
    tw_review_say(r, specimen, &specimen_trail, "count",
                  "%.0f grains make no whole lattice; %.0f or %.0f do", (double)s->count,
                  each * lower * lower * lower, each * upper * upper * upper);
}

static void refuse_on_lattice(const tw_review *r, tw_node *map, const tw_trail *trail,
                              const char *const *keys)
{
    for (; *keys; keys++)
        if (tw_tree_find(map, *keys))
            tw_review_say(r, map, trail, *keys,
                          "has no effect on a lattice, which has a porosity of its own");
}

static void review_lattice(const tw_review *r, tw_node *specimen)
{
    static const char *const unused[] = {"porosity", "void_ratio", "start_porosity", "tolerance",
                                         NULL};
    const tw_trail prepare_trail = {&specimen_trail, "preparation", 0};
    const tw_scenario_specimen *s = &r->scenario->specimen;
    tw_node *prepare = tw_tree_find(specimen, "preparation");
    for (size_t i = 0; i < s->shape_count; i++)
        if (s->shapes[i].shape != TW_SCENARIO_SPHERE)
            tw_review_say(r, specimen, &specimen_trail, "shapes", "a lattice is made of spheres");
    if (s->sizes.distribution != TW_SCENARIO_MONO)
        tw_review_say(r, specimen, &specimen_trail, "sizes",
                      "a lattice is made of equal spheres; expected is 'distribution: mono'");
    for (int i = 0; i < 3; i++)
        if (s->cell.aspect[i] != s->cell.aspect[0] || s->cell.tilt[i] != 0.0) {
            tw_review_say(r, specimen, &specimen_trail, "cell", "a lattice has a cubic cell");
            break;
        }
    review_lattice_count(r, specimen);
    if (!prepare) return;
    refuse_on_lattice(r, prepare, &prepare_trail, unused);
    if (s->preparation.friction == TW_SCENARIO_AUTO)
        tw_review_say(r, prepare, &prepare_trail, "friction",
                      "auto has no effect on a lattice, which has a porosity of its own");
    if (isnan(s->preparation.pressure) && !prepare->faulty)
        tw_review_say(r, prepare, &prepare_trail, "pressure",
                      "is missing: without it a lattice is not compressed; expected is a stress "
                      "above 0 [Pa]");
}

/* ---- Preparation ---- */

static void review_friction(const tw_review *r, tw_node *node, const tw_trail *trail)
{
    const tw_scenario_preparation *p = &r->scenario->specimen.preparation;
    const bool target = !isnan(p->porosity) || !isnan(p->void_ratio),
               pressure = !isnan(p->pressure);
    const bool found =
        p->friction == TW_SCENARIO_AUTO || (isnan(p->friction) && target && pressure);
    if (isfinite(p->friction) && target && pressure)
        tw_review_say(r, node, trail, "friction",
                      "%g leaves no freedom: pressure and %s can both be met only with 'auto'",
                      p->friction, isnan(p->porosity) ? "void_ratio" : "porosity");
    if (p->friction == TW_SCENARIO_AUTO && !(target && pressure))
        tw_review_say(r, node, trail, "friction",
                      "auto is found from a pressure and a porosity or void_ratio: give both");
    if (!found && tw_tree_find(node, "tolerance"))
        tw_review_say(r, node, trail, "tolerance", "has no effect unless friction is 'auto'");
}

static void review_preparation(const tw_review *r, tw_node *specimen)
{
    const tw_trail trail = {&specimen_trail, "preparation", 0};
    const tw_scenario_preparation *p = &r->scenario->specimen.preparation;
    tw_node *node = tw_tree_find(specimen, "preparation");
    const double porosity =
        isnan(p->porosity) ? p->void_ratio / (1.0 + p->void_ratio) : p->porosity;
    if (node && node->faulty) return;
    if (isnan(p->pressure) && isnan(porosity)) {
        tw_faults_add(r->faults, node ? node->place : specimen->place, &trail,
                      "has no target; expected is 'pressure', 'porosity' or 'void_ratio', or a "
                      "pressure and one of the other two");
        tw_tree_blame(specimen);
        return;
    }
    if (!node) return; /* all is default */
    review_friction(r, node, &trail);
    if (isnan(p->pressure) && isnan(p->rate))
        tw_review_say(r, node, &trail, "rate",
                      "is missing: without a pressure there is no inertial number; expected is a "
                      "rate above 0 [1/s]");
    if (porosity >= p->start_porosity)
        tw_review_say(r, node, &trail, "start_porosity",
                      "%g is not above the porosity of the target, which is %g", p->start_porosity,
                      porosity);
}

void tw_review_specimen(const tw_review *r)
{
    tw_node *node = tw_tree_find(r->root, "specimen");
    const tw_scenario_specimen *s = &r->scenario->specimen;
    if (!node || node->kind != TW_NODE_MAP || s->file || s->checkpoint) return;
    if (tw_tree_find(node, "file") || tw_tree_find(node, "checkpoint")) return;
    review_shapes(r, node);
    review_sizes(r, node);
    if (s->arrangement != TW_SCENARIO_FCC && s->arrangement != TW_SCENARIO_CUBIC)
        review_preparation(r, node);
    else if (!node->faulty)
        review_lattice(r, node);
}

void tw_review_material(const tw_review *r)
{
    static const tw_trail material_trail = {NULL, "material", 0},
                          step_trail = {NULL, "time_step", 0};
    const tw_scenario *s = r->scenario;
    tw_node *material = tw_tree_find(r->root, "material"),
            *step = tw_tree_find(r->root, "time_step");
    const tw_node *specimen = tw_tree_find(r->root, "specimen");
    if (sound(material) && sound(specimen) && !isnan(s->material.stiffness_level) &&
        isnan(s->specimen.preparation.pressure))
        tw_review_say(r, material, &material_trail, "stiffness_level",
                      "needs a generated specimen with a pressure to refer to; give 'kn' instead");
    if (sound(step) && s->time_step.force == 1 && isnan(s->time_step.dt))
        tw_review_say(r, step, &step_trail, "force", "has no effect without 'dt'");
}
