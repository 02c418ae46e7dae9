/* SPDX-License-Identifier: BSD-3-Clause */
/* Checks across keys: single grains, boundaries, gravity, surfaces and their motions, and what the
 * stages ask of them. */
#include <math.h>
#include <string.h>

#include <twirl/sim.h>

#include "base/text.h"
#include "scenario/review.h"

static bool is_zero(const double v[3])
{
    return v[0] == 0.0 && v[1] == 0.0 && v[2] == 0.0; /* false if it is not set */
}

static bool is_set(const double v[3])
{
    return !isnan(v[0]);
}

/* ---- Motions ---- */

/* What a kind of motion has no key for is 0. */
static void review_directions(const tw_review *r, tw_tree_node *node, const tw_scenario_motion *m)
{
    const bool along = tw_tree_find(node, "along") && is_zero(m->along),
               axis = tw_tree_find(node, "axis") && is_zero(m->axis);
    const tw_review_row rows[] = {{along, "along", "is the zero vector"},
                                  {axis, "axis", "is the zero vector"}};
    TW_REVIEW_ROWS(r, node, rows);
}

static bool ascends(const tw_scenario_rows *rows)
{
    for (size_t i = 1; i < rows->count; i++)
        if (!(rows->value[2 * i] > rows->value[2 * i - 2])) return false;
    return true;
}

static void review_table(const tw_review *r, tw_tree_node *node, const tw_scenario_motion *m)
{
    const bool turns = m->angles.count > 0;
    if (!tw_review_is_valid(node)) return;
    const tw_review_row rows[] = {
        {!ascends(&m->points), "points", "times must increase"},
        {!ascends(&m->angles), "angles", "times must increase"},
        {!turns && !is_set(m->along), "along", "is missing: the direction of the displacements"},
        {turns && !is_set(m->axis), "axis", "is missing: the axis of the angles"},
        {turns && is_set(m->along), "along", "is for `points`; angles have an `axis`"},
        {!turns && (is_set(m->axis) || is_set(m->through)), is_set(m->axis) ? "axis" : "through",
         "is for `angles`; points have a direction `along`"}};
    TW_REVIEW_ROWS(r, node, rows);
}

/* Of a plane: it cannot tilt. */
static bool tilts(const tw_scenario_surface *plane, const tw_scenario_motion *m)
{
    const double *n = plane->normal, *a = m->axis;
    if (plane->form != TW_SCENARIO_FORM_PLANE || !is_set(a) || is_zero(a)) return false;
    const double x = n[1] * a[2] - n[2] * a[1], y = n[2] * a[0] - n[0] * a[2],
                 z = n[0] * a[1] - n[1] * a[0];
    const double square =
        (n[0] * n[0] + n[1] * n[1] + n[2] * n[2]) * (a[0] * a[0] + a[1] * a[1] + a[2] * a[2]);
    return x * x + y * y + z * z > 1e-18 * square;
}

/* `of`: the surface that it is of; NULL: one of a checkpoint. */
static void review_moves(const tw_review *r, tw_tree_node *map, const tw_scenario_surface *of,
                         const tw_scenario_move *move, size_t count)
{
    const tw_tree_node *list = tw_tree_find(map, "move");
    if (count > TW_WALL_MOTION_PARTS_MAX)
        tw_review_error(r, map, "move", "has %zu parts; expected at most %d", count,
                        (int)TW_WALL_MOTION_PARTS_MAX);
    for (size_t i = 0; i < count; i++) {
        const tw_scenario_move *m = &move[i];
        tw_tree_node *node = tw_tree_item(list, i + 1);
        if (!tw_review_is_valid(node)) continue;
        const struct {
            const char *key;
            const tw_scenario_motion *motion;
        } parts[] = {{"rotate", &m->rotate},
                     {"oscillate", &m->oscillate},
                     {"swing", &m->swing},
                     {"table", &m->table}};
        for (size_t k = 0; k < sizeof parts / sizeof *parts; k++) {
            tw_tree_node *part = tw_tree_find(node, parts[k].key);
            if (!part) continue;
            review_directions(r, part, parts[k].motion);
            if (parts[k].motion == &m->table) review_table(r, part, parts[k].motion);
            if (of && tw_review_is_valid(part) && tilts(of, parts[k].motion))
                tw_review_error(r, part, "axis",
                                "a plane has no place to turn about but its normal; use a "
                                "rectangle or a disc");
        }
    }
}

static void review_servo(const tw_review *r, tw_tree_node *map, const tw_scenario_surface *of,
                         const tw_scenario_servo *s)
{
    const bool turns = !isnan(s->torque), flat = of && (of->form == TW_SCENARIO_FORM_DISC ||
                                                        of->form == TW_SCENARIO_FORM_RECTANGLE);
    tw_tree_node *node = tw_tree_find(map, "servo");
    if (!tw_review_is_valid(node)) return;
    const tw_review_row rows[] = {
        {is_zero(s->along), "along", "is the zero vector"},
        {!is_set(s->along) && !(of && of->form == TW_SCENARIO_FORM_PLANE), "along",
         "is missing: the direction in which it presses, or the axis of the torque"},
        {!isnan(s->pressure) && isnan(s->area) && !flat, "area",
         "is missing: the area on which the pressure acts"},
        {isnan(s->pressure) && !isnan(s->area), "area", "is for a pressure"},
        {turns && !isnan(s->v_max), "v_max", "is for a force; a torque has 'rate_max'"},
        {!turns && !isnan(s->rate_max), "rate_max", "is for a torque; a force has 'v_max'"}};
    TW_REVIEW_ROWS(r, node, rows);
}

/* ---- Surfaces ---- */

static void review_box(const tw_review *r, tw_tree_node *node, const tw_scenario_surface *s)
{
    const bool box = s->form == TW_SCENARIO_FORM_BOX;
    int flat = 0;
    for (int k = 0; k < 3; k++) {
        flat += s->from[k] == s->to[k];
        if (s->to[k] < s->from[k] || (box && s->to[k] == s->from[k]))
            tw_review_error(r, node, "to", "%g m is not above %g m of `from` along %c", s->to[k],
                            s->from[k], "xyz"[k]);
    }
    const bool all = s->open != TW_SCENARIO_NO_SET && s->open == 63;
    const tw_review_row rows[] = {
        {!box && flat != 1, "to",
         "has to agree with `from` in one of x, y, z, and differ in the others"},
        {box && all, "open", "no face is left"}};
    TW_REVIEW_ROWS(r, node, rows);
}

static void review_profile(const tw_review *r, tw_tree_node *node, const tw_scenario_surface *s)
{
    const double *v = s->points.value;
    const size_t n = s->points.count;
    if (n < 2) tw_review_error(r, node, "points", "has one corner; expected at least two");
    for (size_t i = 0; i < n; i++) {
        const double *a = &v[2 * i], *b = &v[2 * ((i + 1) % n)];
        const bool joined = i + 1 < n || s->closed == 1;
        if (a[0] < 0.0)
            tw_review_error(r, node, "points",
                            "corner %zu has the distance %g m; expected 0 or more", i + 1, a[0]);
        else if (joined && n > 1 && a[0] == b[0] && a[1] == b[1])
            tw_review_error(r, node, "points", "corner %zu is where the next one is", i + 1);
        else if (joined && n > 1 && a[0] == 0.0 && b[0] == 0.0)
            tw_review_error(r, node, "points", "the segment from corner %zu is on the axis", i + 1);
    }
}

static void review_form(const tw_review *r, tw_tree_node *node, const tw_scenario_surface *s)
{
    const bool tube = s->form == TW_SCENARIO_FORM_CYLINDER || s->form == TW_SCENARIO_FORM_CONE;
    bool same = true;
    for (int k = 0; k < 3; k++)
        same = same && s->from[k] == s->to[k];
    const tw_review_row rows[] = {
        {is_zero(s->normal), "normal", "is the zero vector"},
        {is_zero(s->axis), "axis", "is the zero vector"},
        {tube && same, "to", "is `from`: there is no axis between them"},
        {s->inner_radius >= s->radius, "inner_radius", "is not below `radius`"}};
    TW_REVIEW_ROWS(r, node, rows);
    if (s->form == TW_SCENARIO_FORM_BOX || s->form == TW_SCENARIO_FORM_RECTANGLE)
        review_box(r, node, s);
    if (s->form == TW_SCENARIO_FORM_PROFILE) review_profile(r, node, s);
}

static void review_surface(const tw_review *r, size_t i, tw_tree_node *node)
{
    const tw_scenario *all = r->scenario;
    const tw_scenario_surface *s = &all->surfaces[i];
    tw_review_mention(r, node, "material", s->material);
    if (!tw_review_is_valid(node)) return;
    const size_t first = tw_scenario_find_surface(all, s->name);
    if (first < i)
        tw_review_error(r, node, "name", "'%s' is already the name of surface %zu", s->name,
                        first + 1);
    review_form(r, node, s);
    review_moves(r, node, s, s->move, s->move_count);
    review_servo(r, node, s, &s->servo);
    if (s->present == 0 && tw_tree_find(node, "servo"))
        tw_review_error(r, node, "servo",
                        "needs the surface; give it in the stage in which the surface is present");
}

/* ---- The cell ---- */

static void review_grains(const tw_review *r, tw_tree_node *specimen)
{
    const tw_scenario_specimen *s = &r->scenario->specimen;
    const tw_tree_node *list = tw_tree_find(specimen, "grains");
    for (size_t i = 0; i < s->grain_count; i++)
        tw_review_mention(r, tw_tree_item(list, i + 1), "material", s->grains[i].material);
}

static void review_cell(const tw_review *r, tw_tree_node *specimen)
{
    const tw_scenario *s = r->scenario;
    const int32_t *edge = s->boundary.edge;
    const bool single = s->specimen.grain_count > 0, open = tw_scenario_is_open(s),
               walled = tw_scenario_is_walled(s);
    const bool lattice = s->specimen.arrangement >= 0 && tw_scenario_is_lattice(&s->specimen) &&
                         isnan(s->specimen.preparation.pressure);
    const bool random = tw_scenario_is_generated(s) && !lattice;
    const bool given = edge[0] >= 0 || edge[1] >= 0 || edge[2] >= 0;
    tw_tree_node *cell = tw_tree_find(specimen, "cell");
    bool periodic = false, tilted = false; /* as it will be */
    for (int k = 0; k < 3; k++) {
        tilted = tilted || fabs(s->specimen.cell.tilt[k]) > 0.0;
        periodic = periodic || edge[k] == TW_SCENARIO_EDGE_PERIODIC ||
                   (single ? edge[k] == TW_SCENARIO_EDGE_WALLS : given && edge[k] < 0);
    }
    const tw_review_row rows[] = {
        {s->specimen.checkpoint && (open || periodic || walled), "boundary",
         "is that of the checkpoint; to change it, export its grains to CSV and give them as "
         "specimen.file"},
        {single && periodic, "boundary", "single grains have no cell; expected 'boundary: open'"},
        {random && open, "boundary",
         "random grains are compressed in a periodic cell; give specimen.file or "
         "specimen.grains, or a lattice without 'preparation'"},
        {random && s->surface_count > 0, "surfaces",
         "random grains are compressed in a periodic cell, without surfaces; give specimen.file or "
         "specimen.grains, or a lattice without 'preparation'"},
        {random && tw_scenario_has_gravity(s), "gravity",
         "random grains are compressed in a periodic cell, without gravity; give specimen.file or "
         "specimen.grains, or a lattice without 'preparation'"}};
    if (tw_review_is_valid(specimen)) TW_REVIEW_ROWS(r, r->root, rows);
    if (s->boundary.material && !walled)
        tw_review_error(r, tw_tree_find(r->root, "boundary"), "material",
                        "has no effect without 'walls'");
    if (walled && tilted && cell)
        tw_review_error(r, cell, "tilt", "a cell with 'walls' is rectangular: leave this out");
    for (size_t i = 0; i < s->surface_count; i++) {
        tw_tree_node *node = tw_tree_item(tw_tree_find(r->root, "surfaces"), i + 1);
        if (s->surfaces[i].form > TW_SCENARIO_FORM_PLANE && tw_review_is_valid(node) &&
            (periodic || (lattice && tw_scenario_is_generated(s) && !open)))
            tw_review_error(r, node, "form",
                            "surfaces other than planes need a cell that is open along all axes; "
                            "add 'boundary: open'");
    }
}

/* ---- Stages ---- */

static void review_known(const tw_review *r, tw_tree_node *map, const char *key, const char *name)
{
    const tw_scenario *s = r->scenario;
    char known[300] = "";
    if (!name || s->specimen.checkpoint || tw_scenario_find_surface(s, name) < s->surface_count)
        return; /* a checkpoint may have it */
    for (size_t i = 0; i < s->surface_count; i++)
        if (s->surfaces[i].name) tw_text_add_word(known, sizeof known, s->surfaces[i].name);
    tw_review_error(r, map, key, "there is no surface '%s'%s%s", name, *known ? "; surfaces: " : "",
                    known);
}

static void review_stage_surfaces(const tw_review *r, const tw_scenario_stage *stage,
                                  tw_tree_node *node)
{
    const tw_scenario *s = r->scenario;
    const tw_tree_node *list = tw_tree_find(node, "surfaces");
    for (size_t i = 0; i < stage->surface_count; i++) {
        const tw_scenario_stage_surface *c = &stage->surfaces[i];
        tw_tree_node *item = tw_tree_item(list, i + 1);
        if (!tw_review_is_valid(item) || !c->name) continue;
        review_known(r, item, "name", c->name);
        for (size_t k = 0; k < i; k++)
            if (stage->surfaces[k].name && strcmp(stage->surfaces[k].name, c->name) == 0)
                tw_review_error(r, item, "name", "'%s' is already item %zu", c->name, k + 1);
        const size_t at = tw_scenario_find_surface(s, c->name);
        const tw_scenario_surface *of = at < s->surface_count ? &s->surfaces[at] : NULL;
        review_moves(r, item, of, c->move, c->move_count);
        review_servo(r, item, of, &c->servo);
        if (c->present == 0 && tw_tree_find(item, "servo"))
            tw_review_error(r, item, "servo", "needs the surface, which is not there");
        if (c->rest == 0)
            tw_review_error(r, item, "rest", "has no effect; leave it out, and its motion goes on");
    }
}

static void review_ends(const tw_review *r, size_t number, tw_tree_node *node)
{
    const tw_scenario *s = r->scenario;
    const tw_scenario_end *e = &s->stages[number].end;
    const tw_tree_node *end = tw_tree_find(node, "end");
    const struct {
        const char *key;
        const tw_scenario_reached *of;
    } reached[] = {
        {"force", &e->force}, {"torque", &e->torque}, {"moved", &e->moved}, {"turns", &e->turns}};
    for (size_t k = 0; k < sizeof reached / sizeof *reached; k++) {
        tw_tree_node *map = tw_tree_find(end, reached[k].key);
        const tw_scenario_reached *of = reached[k].of;
        if (!tw_review_is_valid(map)) continue;
        review_known(r, map, "surface", of->surface);
        if (tw_tree_find(map, "along") && is_zero(of->along))
            tw_review_error(r, map, "along", "is the zero vector");
        if (of == &e->turns && tw_review_is_valid(map) &&
            !tw_scenario_rotation_of(s, number, of->surface))
            tw_review_error(r, map, "surface", "'%s' has no `rotate` in its motion", of->surface);
    }
    if (!isnan(e->rest) && !s->specimen.checkpoint && !tw_scenario_has_gravity(s))
        tw_review_error(r, tw_tree_find(node, "end"), "rest",
                        "compares with sqrt(g d), and there is no gravity; use 'unbalanced'");
}

/* Paths that need a periodic cell without anything in it but grains. */
static void review_path(const tw_review *r, const tw_scenario_stage *stage, tw_tree_node *node)
{
    const tw_scenario *s = r->scenario;
    const bool open = tw_scenario_is_open(s), walls = s->surface_count > 0;
    const int32_t path = stage->path;
    if (!(open || walls || tw_scenario_has_gravity(s)) || !tw_review_is_valid(node) || path < 0 ||
        path == TW_SCENARIO_DRIVE || path == TW_SCENARIO_FREE_FLIGHT)
        return;
    tw_review_error(r, node, "path", "%s; expected drive or free_flight",
                    path == TW_SCENARIO_RATES || path == TW_SCENARIO_PROBES
                        ? "probes and rates need a periodic cell without surfaces and gravity"
                    : walls ? "a stage with surfaces runs in time, with their motions"
                    : open  ? "the cell is open, so it has no stress and strain"
                            : "with gravity the cell has no uniform stress");
}

void tw_review_surfaces(const tw_review *r)
{
    const tw_scenario *s = r->scenario;
    const tw_tree_node *list = tw_tree_find(r->root, "surfaces");
    const tw_tree_node *stages = tw_tree_find(r->root, "stages");
    tw_tree_node *specimen = tw_tree_find(r->root, "specimen");
    for (size_t i = 0; list && list->count == s->surface_count && i < s->surface_count; i++)
        review_surface(r, i, tw_tree_item(list, i + 1));
    review_grains(r, specimen);
    review_cell(r, specimen);
    if (s->output.moduli == 1 &&
        (tw_scenario_is_open(s) || tw_scenario_is_walled(s) || s->surface_count > 0))
        tw_review_error(r, tw_tree_find(r->root, "output"), "moduli",
                        "moduli need a periodic cell without surfaces");
    for (size_t i = 0; stages && stages->count == s->stage_count && i < s->stage_count; i++) {
        tw_tree_node *node = tw_tree_item(stages, i + 1);
        review_path(r, &s->stages[i], node);
        review_stage_surfaces(r, &s->stages[i], node);
        review_ends(r, i, node);
    }
}
