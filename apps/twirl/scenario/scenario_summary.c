/* SPDX-License-Identifier: BSD-3-Clause */
#include "scenario/scenario_summary.h"

#include "common/args.h"
#include "common/scene.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include <twirl/contact.h>
#include <twirl/math.h>

static void say(const char *label, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void say(const char *label, const char *format, ...)
{
    va_list arguments;
    printf("%-10s ", label);
    va_start(arguments, format);
    vprintf(format, arguments);
    va_end(arguments);
    putchar('\n');
}

/* "100 kPa" for 1e5. */
typedef struct words {
    char text[48];
} words;

static words stress_words(double value)
{
    static const char *const symbols[] = {"Pa", "kPa", "MPa", "GPa"};
    words w;
    int k = 0;
    if (value == TW_SCENARIO_HOLD) {
        snprintf(w.text, sizeof w.text, "held");
        return w;
    }
    for (; k < 3 && fabs(value) >= 1000.0; k++)
        value /= 1000.0;
    snprintf(w.text, sizeof w.text, "%.6g %s", value, symbols[k]);
    return w;
}

static words length_words(double value)
{
    words w;
    const bool small = value < 1.0;
    snprintf(w.text, sizeof w.text, "%.6g %s", small ? 1000.0 * value : value, small ? "mm" : "m");
    return w;
}

/* ---- Specimen ---- */

static void say_shapes(const tw_scenario_specimen *s)
{
    static const char *const names[] = {"spheres", "bumpy grains", "clusters"};
    double sum = 0.0;
    for (size_t i = 0; i < s->shape_count; i++)
        sum += s->shapes[i].share;
    for (size_t i = 0; i < s->shape_count && s->shape_count > 1; i++)
        say("", "%.4g %% %s", 100.0 * s->shapes[i].share / sum, names[s->shapes[i].shape]);
}

static void say_generated(const tw_scenario_specimen *s)
{
    static const char *const nouns[] = {"spheres", "bumpy grains", "clusters"};
    static const char *const places[] = {"at random", "on a face-centred cubic lattice",
                                         "on a cubic lattice"};
    const tw_scenario_sizes *z = &s->sizes;
    say("specimen", "%" PRIu64 " %s %s, seed %" PRIu64, s->count,
        s->shape_count > 1 ? "grains" : nouns[s->shapes[0].shape], places[s->arrangement], s->seed);
    say_shapes(s);
    if (z->distribution == TW_SCENARIO_MONO)
        say("", "diameter %s", length_words(z->d).text);
    else if (z->distribution == TW_SCENARIO_GRADING)
        say("", "diameters %s to %s, grading of %zu points", length_words(z->curve.value[0]).text,
            length_words(z->curve.value[2 * z->curve.count - 2]).text, z->curve.count);
    else
        say("", "diameters %s to %s, %s by %s", length_words(z->d_min).text,
            length_words(z->d_max).text,
            z->distribution == TW_SCENARIO_UNIFORM ? "uniform" : "lognormal",
            z->by == TW_SCENARIO_VOLUME ? "volume" : "number");
}

static void say_preparation(const tw_scenario_preparation *p)
{
    char target[80] = "";
    if (!isnan(p->porosity)) snprintf(target, sizeof target, "porosity %.6g", p->porosity);
    if (!isnan(p->void_ratio)) snprintf(target, sizeof target, "void ratio %.6g", p->void_ratio);
    if (isnan(p->pressure) && !*target) return;
    say("", "compressed to %s%s%s", *target ? target : stress_words(p->pressure).text,
        *target && !isnan(p->pressure) ? " at " : "",
        *target && !isnan(p->pressure) ? stress_words(p->pressure).text : "");
    if (p->friction == TW_SCENARIO_AUTO)
        say("", "with a friction that is found, to %.3g of the void ratio", p->tolerance);
    else
        say("", "with friction %.6g", p->friction);
}

/* What the file holds, as far as it matters here. */
static int say_file(const char *path, bool checkpoint, const char *command)
{
    tw_error error;
    tw_scene scene;
    if (!tw_scene_open(&scene, path, &error)) {
        fprintf(stderr, "%s: %s\n", command, error.text);
        return tw_scene_exit_status(&error);
    }
    int status = TW_EXIT_OK;
    const bool is_checkpoint = scene.kind == TW_EXCHANGE_CHECKPOINT;
    if (is_checkpoint != checkpoint) {
        fprintf(stderr, "%s: %s: this is %s; use 'specimen.%s'\n", command, path,
                is_checkpoint ? "a checkpoint" : "no checkpoint but an assembly of grains",
                is_checkpoint ? "checkpoint" : "file");
        status = TW_EXIT_USAGE;
    } else if (!checkpoint && !scene.specimen->cell_given) {
        fprintf(stderr, "%s: %s: has no cell; a line '# cell:' is expected\n", command, path);
        status = TW_EXIT_USAGE;
    } else {
        say("specimen", "%zu grains from %s", tw_sim_bodies(scene.sim), path);
        if (checkpoint) say("", "a state of step %" PRIu64, tw_sim_steps(scene.sim));
    }
    tw_scene_free(&scene);
    return status;
}

static int say_specimen(const tw_scenario_specimen *s, const char *command)
{
    if (s->file) return say_file(s->file, false, command);
    if (s->checkpoint) return say_file(s->checkpoint, true, command);
    say_generated(s);
    say_preparation(&s->preparation);
    return TW_EXIT_OK;
}

static void say_material(const tw_scenario *s)
{
    const tw_scenario_material *m = &s->material;
    if (s->specimen.checkpoint) {
        say("material", "as in the checkpoint, unless given");
        return;
    }
    say("material", "kn %.6g N/m, kt/kn %.6g, friction %.6g, density %.6g kg/m^3, law %s", m->kn,
        m->kt_ratio, m->friction, m->density, tw_contact_kind_name(m->law));
}

/* ---- Stages ---- */

/* A line that grows, part by part; what does not fit ends in dots. */
typedef struct line {
    char text[400];
    size_t used;
} line;

static void add(line *l, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void add(line *l, const char *format, ...)
{
    va_list arguments;
    const size_t room = sizeof l->text - l->used;
    va_start(arguments, format);
    const int needed = vsnprintf(l->text + l->used, room, format, arguments);
    va_end(arguments);
    if (needed < 0) return;
    l->used += (size_t)needed < room ? (size_t)needed : room - 1;
    if ((size_t)needed >= room) memcpy(l->text + sizeof l->text - 4, "...", 4);
}

static void say_end(const tw_scenario_end *e, uint64_t steps)
{
    line l = {"", 0};
    int ways = 0;
    const struct {
        const char *name, *unit;
        double value;
    } ends[] = {{"strain", "", e->strain},
                {"stress", " Pa", e->stress},
                {"q", " Pa", e->q},
                {"p", " Pa", e->pressure},
                {"stress ratio", "", e->stress_ratio},
                {"time", " s", e->time},
                {"unbalanced force", "", e->unbalanced}};
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
        if (!isnan(ends[i].value))
            add(&l, "%s%s %.6g%s", ways++ ? " or " : "until ", ends[i].name, ends[i].value,
                ends[i].unit);
    if (e->cycles != TW_SCENARIO_NONE)
        add(&l, "%s%" PRIu64 " cycles", ways++ ? " or " : "until ", e->cycles);
    if (e->steps != TW_SCENARIO_NONE)
        add(&l, "%s%" PRIu64 " steps", ways++ ? " or " : "until ", e->steps);
    const bool bounded = !isnan(e->strain) || !isnan(e->time) || e->steps != TW_SCENARIO_NONE ||
                         e->cycles != TW_SCENARIO_NONE || !isnan(e->unbalanced);
    if (ways > 0 && !bounded) add(&l, " (no limit of strain, time or steps: it may never end)");
    if (steps > 0)
        add(&l, "%s%sabout %.2g steps", ways ? "; " : "", ways > 1 ? "at most " : "",
            (double)steps);
    if (l.used > 0) say("", "%s", l.text);
}

static void add_motion(line *l, const tw_scenario_stage *g)
{
    static const char axes[] = "xyz";
    static const char *const planes[] = {"xy", "xz", "yz"};
    static const char *const directions[] = {"compression", "extension", "forward", "backward"};
    if (g->axis >= 0 && g->direction >= 0)
        add(l, ", %s along %c", directions[g->direction], axes[g->axis]);
    if (g->plane >= 0) add(l, ", %s in the plane %s", directions[g->direction], planes[g->plane]);
    if (g->constant == TW_SCENARIO_VOLUME_CONSTANT) add(l, ", volume held");
    if (!isnan(g->pressure)) add(l, ", p %s", stress_words(g->pressure).text);
    if (!isnan(g->lateral_stress))
        add(l, ", lateral stress %s", stress_words(g->lateral_stress).text);
    if (!isnan(g->normal_stress)) add(l, ", normal stress %s", stress_words(g->normal_stress).text);
    if (!isnan(g->lode_angle))
        add(l, ", Lode angle %.6g deg", g->lode_angle * 180.0 / tw_math_acos(-1.0));
    if (!isnan(g->rate)) add(l, ", strain rate %.6g /s", g->rate);
    if (!isnan(g->inertial_number)) add(l, ", inertial number %.6g", g->inertial_number);
}

static void add_laws(line *l, const tw_scenario_probes *p)
{
    const char *between = "; laws: ";
    for (int32_t kind = 0; kind < TW_CONTACT_KINDS; kind++) {
        if (!(p->laws & 1u << kind)) continue;
        add(l, "%s%s", between, tw_contact_kind_name(kind));
        between = ", ";
    }
    if (p->variant_count > 0) add(l, "%s%zu variants", between, p->variant_count);
    if (p->unload == 1) add(l, "; and back");
    if (p->no_slip == 1) add(l, "; twins without slip");
}

static void add_special(line *l, const tw_scenario_stage *g)
{
    const tw_scenario_probes *p = &g->probes;
    if (g->path == TW_SCENARIO_CYCLIC && !isnan(g->cycle.strain))
        add(l, ", %s, strain amplitude %.6g", tw_scenario_path_name(g->cycle.base),
            g->cycle.strain);
    else if (g->path == TW_SCENARIO_CYCLIC)
        add(l, ", %s, stress amplitude %s", tw_scenario_path_name(g->cycle.base),
            stress_words(g->cycle.stress).text);
    if (g->path == TW_SCENARIO_RELAX)
        add(l, ", %s held", g->hold == TW_SCENARIO_HOLD_STRESS ? "stress" : "strain");
    if (g->path == TW_SCENARIO_ROTATE)
        add(l, " by %.6g deg about [%.6g, %.6g, %.6g] in %" PRIu64 " increments",
            g->rotation.angle * 180.0 / tw_math_acos(-1.0), g->rotation.axis[0],
            g->rotation.axis[1], g->rotation.axis[2], g->rotation.increments);
    if (g->path == TW_SCENARIO_PROBES)
        add(l, ", %" PRIu64 " directions, %s %.6g%s in %" PRIu64 " steps", p->count,
            isnan(p->strain) ? "stress" : "strain", isnan(p->strain) ? p->stress : p->strain,
            isnan(p->strain) ? " Pa" : "", p->steps);
    if (g->path == TW_SCENARIO_PROBES) add_laws(l, p);
}

static void say_stage(const tw_scenario *s, size_t i, double *total, bool *known)
{
    const tw_scenario_stage *g = &s->stages[i];
    const uint64_t steps = tw_scenario_stage_steps(s, i);
    char label[32];
    line l = {"", 0};
    snprintf(label, sizeof label, "stage %zu", i + 1);
    add(&l, "%s: %s", g->name, tw_scenario_path_name(g->path));
    if (g->from) add(&l, " from %s", g->from);
    add_motion(&l, g);
    add_special(&l, g);
    say(label, "%s", l.text);
    say_end(&g->end, steps);
    if (g->save) say("", "saved as %s", g->save);
    *total += (double)steps;
    *known = *known && steps > 0;
}

int tw_scenario_summary(const tw_scenario *scenario, const char *path, const char *command)
{
    double total = 0.0;
    bool known = true;
    say("scenario", "%s", scenario->title ? scenario->title : path);
    const int status = say_specimen(&scenario->specimen, command);
    if (status != TW_EXIT_OK) return status;
    say_material(scenario);
    for (size_t i = 0; i < scenario->stage_count; i++)
        say_stage(scenario, i, &total, &known);
    if (total > 0.0)
        say("in all", "about %.2g steps%s", total, known ? "" : ", and more that cannot be told");
    return TW_EXIT_OK;
}
