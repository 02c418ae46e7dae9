/* SPDX-License-Identifier: BSD-3-Clause */
/* Traits of loading paths, by the lists of twirl/scenario.h, and the stress that they lead to. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <twirl/math.h>
#include <twirl/scenario.h>

#include "scenario/review.h"

typedef struct path_row {
    const char *name;
    int32_t along, keeps;
} path_row;

static const path_row *find_row(int32_t path)
{
    static const path_row rows[] = {
#define ROW_OF(name, word, meaning, along, keeps)                                                  \
    {word, TW_SCENARIO_ALONG_##along, TW_SCENARIO_KEEPS_##keeps},
        TW_SCENARIO_PATHS(ROW_OF)
#undef ROW_OF
    };
    return path >= 0 && (size_t)path < sizeof rows / sizeof *rows ? &rows[path] : NULL;
}

const char *tw_scenario_path_name(int32_t path)
{
    const path_row *row = find_row(path);
    return row ? row->name : NULL;
}

tw_scenario_traits tw_scenario_stage_traits(const tw_scenario_stage *stage)
{
    static const tw_scenario_traits alongs[] = {
#define TRAITS_OF(name, ...) {0, 0, 0, TW_SCENARIO_ALONG_##name, __VA_ARGS__},
        TW_SCENARIO_ALONGS(TRAITS_OF)
#undef TRAITS_OF
    };
    const int32_t cyclic = stage->path == TW_SCENARIO_CYCLIC;
    const int32_t path = cyclic ? stage->cycle.base : stage->path;
    const path_row *row = find_row(path);
    tw_scenario_traits traits = alongs[row ? row->along : TW_SCENARIO_ALONG_VOLUME];
    traits.path = path;
    traits.cyclic = cyclic;
    traits.keeps = row ? row->keeps : TW_SCENARIO_KEEPS_NOTHING;
    if (traits.along == TW_SCENARIO_ALONG_PLANE && stage->constant == TW_SCENARIO_VOLUME_CONSTANT)
        traits.keeps = TW_SCENARIO_KEEPS_VOLUME;
    if (traits.along == TW_SCENARIO_ALONG_LODE_ANGLE && stage->constant == TW_SCENARIO_S3_CONSTANT)
        traits.keeps = TW_SCENARIO_KEEPS_LATERAL_STRESS;
    return traits;
}

int32_t tw_scenario_stage_followed(const tw_scenario_stage *stage)
{
    const tw_scenario_component *part = stage->control.component;
    int32_t found = -1;
    if (stage->axis >= 0) return stage->axis;
    for (int32_t k = 0; k < TW_SCENARIO_COMPONENTS; k++)
        if (fabs(part[k].rate) > (found < 0 ? 0.0 : fabs(part[found].rate))) found = k;
    for (int32_t k = 0; k < TW_SCENARIO_COMPONENTS && found < 0; k++)
        if (isfinite(part[k].stress)) found = k;
    return found < 0 ? TW_SCENARIO_Z : found;
}

double tw_scenario_lateral_stress(const tw_scenario_stage *stage, int32_t axis,
                                  const double normal[3])
{
    if (axis < 0) return nan("");
    const double free = normal[(axis + 2) % 3];
    const bool plane = stage && tw_scenario_stage_traits(stage).path == TW_SCENARIO_PLANE_STRAIN;
    return plane ? free : 0.5 * (normal[(axis + 1) % 3] + free);
}

int tw_scenario_has_platens(const tw_scenario *scenario, int edge)
{
    return scenario->boundary.edge[edge] == TW_SCENARIO_EDGE_WALLS;
}

int tw_scenario_is_walled(const tw_scenario *scenario)
{
    return tw_scenario_has_platens(scenario, 0) || tw_scenario_has_platens(scenario, 1) ||
           tw_scenario_has_platens(scenario, 2);
}

int tw_scenario_is_generated(const tw_scenario *scenario)
{
    const tw_scenario_specimen *s = &scenario->specimen;
    return !s->file && !s->checkpoint && s->grain_count == 0;
}

int tw_scenario_is_open(const tw_scenario *scenario)
{
    int open = scenario->specimen.grain_count > 0;
    for (int k = 0; k < 3; k++)
        open |= scenario->boundary.edge[k] == TW_SCENARIO_EDGE_OPEN;
    return open;
}

int tw_scenario_has_gravity(const tw_scenario *scenario)
{
    const double *g = scenario->gravity; /* or not set */
    return fabs(g[0]) + fabs(g[1]) + fabs(g[2]) > 0.0;
}

size_t tw_scenario_find_surface(const tw_scenario *scenario, const char *name)
{
    size_t i = 0;
    while (i < scenario->surface_count &&
           !(scenario->surfaces[i].name && strcmp(scenario->surfaces[i].name, name) == 0))
        i++;
    return i;
}

int tw_scenario_is_lattice(const tw_scenario_specimen *specimen)
{
    return specimen->arrangement == TW_SCENARIO_FCC || specimen->arrangement == TW_SCENARIO_CUBIC;
}

int tw_scenario_ends_at_stress(const tw_scenario_stage *stage)
{
    const tw_scenario_end *end = &stage->end;
    return !isnan(end->stress) || !isnan(end->q) || !isnan(end->pressure) ||
           !isnan(end->stress_ratio) || !isnan(end->past_peak) || !isnan(end->dilation_rate) ||
           !isnan(end->ru) || !isnan(stage->cycle.stress);
}

int tw_scenario_needs_stress(const tw_scenario_stage *stage)
{
    const tw_scenario_end *end = &stage->end;
    return tw_scenario_ends_at_stress(stage) && isnan(end->strain) && isnan(end->time) &&
           end->steps == TW_SCENARIO_NONE;
}

/* ---- Name and output of a stage ---- */

tw_scenario_name tw_scenario_stage_name(const tw_scenario *scenario, size_t stage)
{
    tw_scenario_name name;
    const tw_scenario_stage *s = &scenario->stages[stage];
    const char *path = tw_scenario_path_name(s->path);
    if (s->name)
        snprintf(name.text, sizeof name.text, "%s", s->name);
    else
        snprintf(name.text, sizeof name.text, "%zu_%s", stage + 1, path ? path : "");
    return name;
}

static bool has_interval(uint64_t steps, double strain)
{
    return steps != TW_SCENARIO_NONE || !isnan(strain);
}

static tw_scenario_frames frames_in(const tw_scenario_frames *stage, const tw_scenario_frames *all)
{
    return has_interval(stage->steps, stage->strain) || stage->stages >= 0 ? *stage : *all;
}

tw_scenario_output tw_scenario_output_in(const tw_scenario *scenario,
                                         const tw_scenario_stage *stage)
{
    tw_scenario_output all = scenario->output;
    if (!stage) {
        tw_scenario_output_drop_frames(&all);
        return all;
    }
    const tw_scenario_output *own = &stage->output;
    if (has_interval(own->history.steps, own->history.strain)) all.history = own->history;
    if (has_interval(own->states.steps, own->states.strain)) all.states = own->states;
    all.vtk = frames_in(&own->vtk, &all.vtk);
    all.lammps = frames_in(&own->lammps, &all.lammps);
    return all;
}

void tw_scenario_output_drop_frames(tw_scenario_output *output)
{
    const tw_scenario_frames none = {.steps = TW_SCENARIO_NONE, .strain = nan(""), .stages = -1};
    output->vtk = output->lammps = none;
    output->moduli = -1;
    output->states = (tw_scenario_states){.steps = TW_SCENARIO_NONE, .strain = nan("")};
}

/* ---- The stress at the start of each stage ---- */

double tw_scenario_stress_direction(const tw_scenario_stage *stage)
{
    const int32_t along = tw_scenario_stage_traits(stage).along;
    const double turn = 2.0 / 3.0 * TW_MATH_PI * stage->axis;
    if (along == TW_SCENARIO_ALONG_LODE_ANGLE) return turn + stage->lode_angle;
    const bool skew = stage->path == TW_SCENARIO_STRESS_PATH && isnan(stage->dq_dp) &&
                      isnan(stage->eta) && isnan(stage->lateral_ratio);
    return along == TW_SCENARIO_ALONG_AXIS && !skew ? turn : nan("");
}

bool tw_scenario_stress_directions_differ(double a, double b)
{
    return fabs(tw_math_sin(a - b)) > 1e-3; /* false for NaN */
}

static tw_scenario_stress stress_after(const tw_scenario_stage *stage, tw_scenario_stress start)
{
    tw_scenario_stress end = {.p = nan(""), .angle = tw_scenario_stress_direction(stage)};
    const tw_scenario_traits traits = tw_scenario_stage_traits(stage);
    if (traits.cyclic) return end;
    switch (traits.keeps) {
    case TW_SCENARIO_KEEPS_PRESSURE:
        end.p = stage->fluid.bulk > 0.0 ? nan("") : stage->pressure; /* total */
        end.isotropic = true;
        break;
    case TW_SCENARIO_KEEPS_MEAN_STRESS:
        end.p = isfinite(stage->pressure) ? stage->pressure : start.p;
        break;
    default:
        break;
    }
    switch (stage->path) {
    case TW_SCENARIO_CREEP:
    case TW_SCENARIO_RATES:
        return start;
    case TW_SCENARIO_RELAX:
    case TW_SCENARIO_RELAXATION:
        if (stage->hold == TW_SCENARIO_HOLD_STRESS) return start;
        end.angle = start.angle;
        break;
    case TW_SCENARIO_ROTATE:
        if (start.isotropic) return start;
        end.p = start.p;
        break;
    case TW_SCENARIO_PROBES:
        if (stage->probes.settle_steps == 0) return start;
        end.angle = start.angle;
        break;
    default:
        break;
    }
    return end;
}

static tw_scenario_stress state_after(const tw_scenario_stage *stage, tw_scenario_stress start)
{
    tw_scenario_stress end = stress_after(stage, start);
    end.before = stage;
    return end;
}

uint64_t tw_scenario_on_way(const tw_scenario *scenario, size_t stage, const char *name)
{
    const tw_scenario_states asked =
        tw_scenario_output_in(scenario, &scenario->stages[stage]).states;
    const tw_scenario_name own = tw_scenario_stage_name(scenario, stage);
    const size_t length = strlen(own.text);
    if (asked.steps == TW_SCENARIO_NONE && isnan(asked.strain)) return 0;
    if (strncmp(name, own.text, length) != 0 || name[length] != '_') return 0;
    const char *digits = name + length + 1;
    const size_t count = strlen(digits);
    return count < 19 && strspn(digits, "0123456789") == count ? strtoull(digits, NULL, 10) : 0;
}

size_t tw_scenario_at_end(const tw_scenario *scenario, size_t count, const char *name)
{
    size_t k = 0;
    for (size_t i = 0; i < count; i++)
        if (scenario->stages[i].save && strcmp(scenario->stages[i].save, name) == 0) return i;
    while (k < count && strcmp(tw_scenario_stage_name(scenario, k).text, name) != 0)
        k++;
    return strcmp(name, "specimen") == 0 ? count : k;
}

/* ---- Surfaces ---- */

int tw_scenario_has_servo(const tw_scenario_servo *servo)
{
    return servo->force > 0.0 || servo->pressure > 0.0 || servo->torque > 0.0;
}

/* The stage before one, in the state that it starts from; `stage`: none. */
static size_t stage_before(const tw_scenario *s, size_t stage)
{
    const char *from = s->stages[stage].from;
    if (!from) return stage > 0 ? stage - 1 : stage;
    const size_t at = tw_scenario_at_end(s, stage, from);
    for (size_t k = 0; at >= stage && k < stage; k++)
        if (tw_scenario_on_way(s, k, from) > 0) return k;
    return at;
}

/* Whether a stage changes the motion of a surface, and how. */
static bool changes_motion(const tw_scenario_stage *stage, const char *name,
                           const tw_scenario_move **move, size_t *count)
{
    for (size_t k = 0; k < stage->surface_count; k++) {
        const tw_scenario_stage_surface *c = &stage->surfaces[k];
        if (!c->name || strcmp(c->name, name) != 0 ||
            (c->rest != 1 && c->move_count == 0 && !tw_scenario_has_servo(&c->servo)))
            continue;
        *move = c->move;
        *count = c->move_count;
        return true;
    }
    return false;
}

const tw_scenario_motion *tw_scenario_rotation_of(const tw_scenario *s, size_t stage,
                                                  const char *name)
{
    const size_t at = tw_scenario_find_surface(s, name);
    if (at == s->surface_count) return NULL;
    const tw_scenario_move *move = s->surfaces[at].move;
    size_t count = s->surfaces[at].move_count;
    size_t i = stage, last = s->stage_count;
    while (i != last && !changes_motion(&s->stages[i], name, &move, &count)) {
        last = i;
        i = stage_before(s, i);
    }
    for (size_t k = 0; k < count; k++)
        if (!isnan(move[k].rotate.rate)) return &move[k].rotate;
    return NULL;
}

/* What holds both at the start of a stage and at its end. */
static tw_scenario_stress state_within(const tw_scenario_stage *stage, tw_scenario_stress start)
{
    tw_scenario_stress now = state_after(stage, start);
    if (!(now.p == start.p)) now.p = nan("");
    now.isotropic = now.isotropic && start.isotropic;
    return now;
}

tw_scenario_stress *tw_scenario_predict_stresses(const tw_scenario *scenario)
{
    const tw_scenario_stress first = {
        .p = scenario->specimen.preparation.pressure, .isotropic = true, .angle = nan("")};
    tw_scenario_stress *states = calloc(scenario->stage_count, sizeof *states);
    tw_scenario_stress now = first;
    for (size_t i = 0; states && i < scenario->stage_count; i++) {
        const tw_scenario_stage *stage = &scenario->stages[i];
        if (stage->from && strcmp(stage->from, "specimen") == 0) now = first;
        const size_t at = stage->from ? tw_scenario_at_end(scenario, i, stage->from) : i;
        if (at < i) now = state_after(&scenario->stages[at], states[at]);
        for (size_t k = 0; stage->from && k < i; k++) {
            if (tw_scenario_on_way(scenario, k, stage->from) > 0)
                now = state_within(&scenario->stages[k], states[k]);
        }
        states[i] = now;
        now = state_after(stage, now);
    }
    return states;
}
