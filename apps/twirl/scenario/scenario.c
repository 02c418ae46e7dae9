/* SPDX-License-Identifier: BSD-3-Clause */
#include "scenario/scenario.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include <twirl/contact.h>
#include <twirl/math.h>

#include "base/environment.h"
#include "base/text.h"
#include "common/args.h"
#include "common/output.h"
#include "common/scene.h"

static const tw_args_option options[] = {
    {NULL, "FILE", "a scenario", tw_args_once, offsetof(tw_scenario_options, path)},
    {"set", "KEY=VALUE",
     "override a key of FILE: material.friction=0.4, stages[2].rate=1e-3, "
     "stages[shear].end.strain=0.1; an empty VALUE removes the key; may be repeated",
     tw_args_add, offsetof(tw_scenario_options, set)},
    {0}};

const tw_args_table tw_scenario_options_table = {options, NULL};

void tw_scenario_options_free(tw_scenario_options *given)
{
    free(given->set.of);
    *given = (tw_scenario_options){0};
}

int tw_scenario_options_read(const tw_scenario_options *given, bool begun, const char *command,
                             tw_scenario **scenario)
{
    tw_scenario_errors errors;
    *scenario = (begun ? tw_scenario_read_begun : tw_scenario_read)(given->path, given->set.of,
                                                                    given->set.count, &errors);
    for (size_t i = 0; i < errors.warning_count; i++)
        fprintf(stderr, "%s\n", errors.warning[i]);
    for (size_t i = 0; i < errors.count; i++)
        fprintf(stderr, "%s\n", errors.text[i]);
    const int status = *scenario              ? TW_EXIT_OK
                       : errors.out_of_memory ? TW_EXIT_ENVIRONMENT
                                              : TW_EXIT_USAGE;
    if (errors.out_of_memory)
        fprintf(stderr, "%s: out of memory\n", command);
    else if (errors.count > 0)
        fprintf(stderr, "%s: %zu error%s in %s\n", command, errors.count,
                tw_output_plural(errors.count), given->path);
    tw_scenario_errors_free(&errors);
    return status;
}

enum { LABEL_WIDTH = 10 };

#define PRINT(...) tw_output_line(out, LABEL_WIDTH, __VA_ARGS__)

/* A quantity with its unit: "100 kPa" for 1e5. */
typedef struct quantity {
    char text[48];
} quantity;

static quantity stress_of(double value)
{
    static const char *const symbols[] = {"Pa", "kPa", "MPa", "GPa"};
    quantity w;
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

static quantity length_of(double value)
{
    quantity w;
    const bool small = value < 1.0;
    snprintf(w.text, sizeof w.text, "%.6g %s", small ? 1000.0 * value : value, small ? "mm" : "m");
    return w;
}

/* "21 MB", "8.0 GB". */
static quantity bytes_of(double value)
{
    quantity w;
    const bool giga = value >= 1e9;
    const double shown = value / (giga ? 1e9 : 1e6);
    snprintf(w.text, sizeof w.text, "%.*f %s", shown < 10.0 ? 1 : 0, shown, giga ? "GB" : "MB");
    return w;
}

/* ---- Specimen ---- */

static void print_shapes(FILE *out, const tw_scenario_specimen *s)
{
    static const char *const names[] = {"spheres", "bumpy grains", "clusters"};
    double sum = 0.0;
    for (size_t i = 0; i < s->shape_count; i++)
        sum += s->shapes[i].share;
    for (size_t i = 0; i < s->shape_count && s->shape_count > 1; i++) {
        const tw_scenario_shape *shape = &s->shapes[i];
        char form[40] = "";
        if (shape->shape == TW_SCENARIO_CLUSTER)
            snprintf(form, sizeof form, ", each %zu spheres", shape->spheres.count);
        PRINT("", "%.4g %% %s%s%s%s", 100.0 * shape->share / sum, names[shape->shape],
              shape->material ? " of " : "", shape->material ? shape->material : "", form);
    }
}

#define ONE(name, word, text) +1

static void print_generated(FILE *out, const tw_scenario_specimen *s)
{
    static const char *const nouns[] = {"spheres", "bumpy grains", "clusters"};
    static const char *const places[] = {"at random", "on a face-centred cubic lattice",
                                         "on a cubic lattice", "at random, by regions"};
    static_assert(sizeof nouns / sizeof *nouns == 0 TW_SCENARIO_SHAPES(ONE), "a noun of each");
    static_assert(sizeof places / sizeof *places == 0 TW_SCENARIO_ARRANGEMENTS(ONE), "all places");
    const tw_scenario_sizes *z = &s->sizes;
    PRINT("specimen", "%" PRIu64 " %s %s, seed %" PRIu64, s->count,
          s->shape_count > 1 ? "grains" : nouns[s->shapes[0].shape], places[s->arrangement],
          s->seed);
    print_shapes(out, s);
    if (z->distribution == TW_SCENARIO_MONO)
        PRINT("", "diameter %s", length_of(z->d).text);
    else if (z->distribution == TW_SCENARIO_GRADING)
        PRINT("", "diameters %s to %s, grading of %zu points", length_of(z->curve.value[0]).text,
              length_of(z->curve.value[2 * z->curve.count - 2]).text, z->curve.count);
    else
        PRINT("", "diameters %s to %s, %s by %s", length_of(z->d_min).text,
              length_of(z->d_max).text,
              z->distribution == TW_SCENARIO_UNIFORM ? "uniform" : "lognormal",
              z->by == TW_SCENARIO_VOLUME ? "volume" : "number");
}

/* ", 4.2 s", ", 2:03", or nothing if the time is not known. */
static quantity time_of(double seconds)
{
    quantity w = {""};
    char text[32];
    if (isnan(seconds)) return w;
    if (seconds < 100.0)
        snprintf(text, sizeof text, "%.2g s", seconds);
    else
        tw_run_progress_duration(text, sizeof text, ceil(seconds));
    snprintf(w.text, sizeof w.text, ", %s", text);
    return w;
}

static void print_preparation(FILE *out, const tw_scenario_preparation *p,
                              const tw_run_estimate *estimate)
{
    char target[80] = "";
    if (!isnan(p->porosity)) snprintf(target, sizeof target, "porosity %.6g", p->porosity);
    if (!isnan(p->void_ratio)) snprintf(target, sizeof target, "void ratio %.6g", p->void_ratio);
    if (isnan(p->pressure) && !*target) return;
    PRINT("", "compressed to %s%s%s", *target ? target : stress_of(p->pressure).text,
          *target && !isnan(p->pressure) ? " at " : "",
          *target && !isnan(p->pressure) ? stress_of(p->pressure).text : "");
    if (p->friction == TW_SCENARIO_AUTO)
        PRINT("", "with a friction coefficient searched for, void ratio within %.3g", p->tolerance);
    else if (isnan(p->friction))
        PRINT("", "with the friction of the materials");
    else
        PRINT("", "with friction %.6g", p->friction);
    if (estimate && estimate->parts[0].steps > 0.0)
        PRINT("", "about %.2g steps%s", estimate->parts[0].steps,
              time_of(estimate->parts[0].seconds).text);
}

/* The stage that holds a stress, which needs a periodic cell; NULL: none. */
static const char *find_stressed(const tw_scenario *scenario)
{
    for (size_t i = 0; i < scenario->stage_count; i++) {
        const int32_t keeps = tw_scenario_stage_traits(&scenario->stages[i]).keeps;
        if (keeps != TW_SCENARIO_KEEPS_NOTHING && keeps != TW_SCENARIO_KEEPS_LATERAL_STRAIN)
            return scenario->stages[i].name;
    }
    return NULL;
}

/* Checks and describes the file of a specimen. */
static int print_file(const tw_scenario *scenario, bool checkpoint, const char *command)
{
    const char *path = checkpoint ? scenario->specimen.checkpoint : scenario->specimen.file;
    FILE *const out = stdout;
    tw_error error;
    tw_scene scene;
    if (!tw_scene_open(&scene, path, &error))
        return tw_output_fail(command, tw_exit_status_reading(error.status), "%s", error.text);
    int status = TW_EXIT_OK;
    const bool is_checkpoint = scene.kind == TW_EXCHANGE_CHECKPOINT;
    const tw_sim_def def = tw_sim_definition(scene.sim);
    const bool open = !def.periodic[0] || !def.periodic[1] || !def.periodic[2];
    const char *stressed = checkpoint && open ? find_stressed(scenario) : NULL;
    if (is_checkpoint != checkpoint) {
        status =
            tw_output_fail(command, TW_EXIT_USAGE, "%s is %s; use 'specimen.%s'", path,
                           is_checkpoint ? "a checkpoint" : "not a checkpoint but a file of grains",
                           is_checkpoint ? "checkpoint" : "file");
    } else if (!checkpoint && !scene.specimen->cell_given) {
        status = tw_output_fail(command, TW_EXIT_USAGE,
                                "%s has no cell; expected a line with its edges [m], such as "
                                "'# cell: 0.01 0 0 0 0.01 0 0 0 0.01' for a cube",
                                path);
    } else if (stressed) {
        status = tw_output_fail(
            command, TW_EXIT_USAGE,
            "stage '%s' needs a cell that is periodic along all edges, and that of %s "
            "has open ones, as with walls",
            stressed, path);
    } else {
        PRINT("specimen", "%zu grain%s from %s", tw_sim_bodies(scene.sim),
              tw_output_plural(tw_sim_bodies(scene.sim)), path);
        if (checkpoint) PRINT("", "at step %" PRIu64, tw_sim_steps(scene.sim));
    }
    tw_scene_free(&scene);
    return status;
}

static int print_specimen(const tw_scenario *scenario, const tw_run_estimate *estimate,
                          const char *command)
{
    const tw_scenario_specimen *s = &scenario->specimen;
    if (!tw_scenario_is_generated(scenario))
        return print_file(scenario, s->checkpoint != NULL, command);
    print_generated(stdout, s);
    print_preparation(stdout, &s->preparation, estimate);
    return TW_EXIT_OK;
}

/* ---- Materials ---- */

static void add_number(tw_text_buffer *text, const char *what, double value, const char *unit)
{
    if (isnan(value)) return;
    tw_text_buffer_add(text, "%s%s %.6g%s", text->length > 0 ? ", " : "", what, value, unit);
}

/* What is set, of a material or a pair. */
static void add_material(tw_text_buffer *text, const tw_scenario_material *m)
{
    if (!isnan(m->young)) tw_text_buffer_add(text, "young %s", stress_of(m->young).text);
    add_number(text, "poisson", m->poisson, "");
    if (!isnan(m->modulus)) tw_text_buffer_add(text, "modulus %s", stress_of(m->modulus).text);
    add_number(text, "kn", m->kn, " N/m");
    add_number(text, "kt/kn", m->kt_ratio, "");
    add_number(text, "friction", m->friction, "");
    if (m->rolling_friction > 0.0) add_number(text, "rolling friction", m->rolling_friction, "");
    if (m->twisting_friction > 0.0) add_number(text, "twisting friction", m->twisting_friction, "");
    if (m->levers == TW_SCENARIO_LEVERS_YADE) tw_text_buffer_add(text, ", levers yade");
    add_number(text, "restitution", m->restitution, "");
}

static void print_materials(FILE *out, const tw_scenario *s, int width)
{
    for (size_t i = 0; i < s->material_count; i++) {
        const tw_scenario_material *m = &s->materials[i];
        tw_text_buffer text = {0};
        add_material(&text, m);
        add_number(&text, "density", m->density, " kg/m^3");
        tw_output_line(out, width, i == 0 ? "materials" : "", "%s: %s", m->name,
                       text.failed ? "" : text.text);
        tw_text_buffer_free(&text);
    }
    for (size_t i = 0; i < s->pair_count; i++) {
        const tw_scenario_pair *p = &s->pairs[i];
        tw_text_buffer text = {0};
        add_material(&text, &p->values);
        tw_output_line(out, width, "", "%s and %s: %s", p->between[0], p->between[1],
                       text.failed || text.length == 0 ? "as mixed" : text.text);
        tw_text_buffer_free(&text);
    }
    tw_output_line(out, width, "", "law %s", tw_contact_kind_name(s->law));
}

void tw_scenario_summary_materials(FILE *out, const tw_scenario *s, int label_width)
{
    tw_text_buffer text = {0};
    if (s->material_count > 0) {
        print_materials(out, s, label_width);
        return;
    }
    if (s->specimen.checkpoint) {
        tw_output_line(out, label_width, "material", "as in the checkpoint, unless set");
        return;
    }
    add_material(&text, &s->material);
    add_number(&text, "density", s->material.density, " kg/m^3");
    tw_output_line(out, label_width, "material", "%s, law %s", text.failed ? "" : text.text,
                   tw_contact_kind_name(s->material.law));
    tw_text_buffer_free(&text);
}

/* ---- Stages ---- */

/* Prints the text, if there is any, and frees it. */
static void print_text(FILE *out, const char *label, tw_text_buffer *text)
{
    if (text->length > 0) PRINT(label, "%s%s", text->text, text->failed ? "..." : "");
    tw_text_buffer_free(text);
}

/* By statics: it has iterations, no steps in time. */
static bool is_static(const tw_scenario_stage *stage)
{
    const bool probes = stage->path == TW_SCENARIO_PROBES;
    const bool statics = probes && stage->probes.method == TW_SCENARIO_METHOD_STATIC;
    return stage->path == TW_SCENARIO_RATES || statics;
}

static void print_end(FILE *out, const tw_scenario_stage *stage, double steps, double seconds,
                      bool bound)
{
    const tw_scenario_end *e = &stage->end;
    tw_text_buffer text = {0};
    int ways = 0;
    const struct {
        const char *name, *unit;
        double value;
    } ends[] = {{"strain", "", e->strain},
                {"stress", " Pa", e->stress},
                {"q", " Pa", e->q},
                {"p", " Pa", e->pressure},
                {"stress ratio", "", e->stress_ratio},
                {"strain past the peak", "", e->past_peak},
                {"dilation rate", "", e->dilation_rate},
                {"void ratio", "", e->void_ratio},
                {"pore pressure ratio", "", e->ru},
                {"time", " s", e->time},
                {"unbalanced force", "", e->unbalanced}};
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
        if (!isnan(ends[i].value))
            tw_text_buffer_add(&text, "%s%s %.6g%s", ways++ ? " or " : "until ", ends[i].name,
                               ends[i].value, ends[i].unit);
    if (e->cycles != TW_SCENARIO_NONE)
        tw_text_buffer_add(&text, "%s%" PRIu64 " cycle%s", ways++ ? " or " : "until ", e->cycles,
                           tw_output_plural(e->cycles));
    if (e->steps != TW_SCENARIO_NONE)
        tw_text_buffer_add(&text, "%s%" PRIu64 " step%s", ways++ ? " or " : "until ", e->steps,
                           tw_output_plural(e->steps));
    const bool bounded = !isnan(e->strain) || !isnan(e->time) || e->steps != TW_SCENARIO_NONE ||
                         e->cycles != TW_SCENARIO_NONE || !isnan(e->unbalanced) ||
                         (stage->path == TW_SCENARIO_OEDOMETER && !isnan(e->stress));
    if (ways > 0 && !bounded)
        tw_text_buffer_add(&text, " (no limit on strain, time or steps: may never end)");
    if (steps > 0.0)
        tw_text_buffer_add(&text, "%s%sabout %.2g %s%s", ways ? "; " : "",
                           bound && ways > 1 ? "up to " : "", steps,
                           is_static(stage) ? "iterations" : "steps", time_of(seconds).text);
    print_text(out, "", &text);
}

static void add_motion(tw_text_buffer *text, const tw_scenario_stage *g)
{
    static const char axes[] = "xyz";
    static const char *const planes[] = {"xy", "xz", "yz"};
    static const char *const components[] = {"xx", "yy", "zz", "yz", "xz", "xy"};
    static const char *const directions[] = {"compression", "extension", "forward", "backward"};
    if (g->axis >= 0 && g->direction >= 0)
        tw_text_buffer_add(text, ", %s along %c", directions[g->direction], axes[g->axis]);
    if (g->plane >= 0)
        tw_text_buffer_add(text, ", %s in the %s plane", directions[g->direction],
                           planes[g->plane]);
    if (g->constant == TW_SCENARIO_VOLUME_CONSTANT) tw_text_buffer_add(text, ", constant volume");
    if (g->constant == TW_SCENARIO_S3_CONSTANT)
        tw_text_buffer_add(text, ", constant smallest stress");
    if (!isnan(g->pressure))
        tw_text_buffer_add(text, ", %sp %s", g->fluid.bulk > 0.0 ? "total " : "",
                           stress_of(g->pressure).text);
    if (g->fluid.bulk > 0.0)
        tw_text_buffer_add(text, ", pore fluid of bulk modulus %s", stress_of(g->fluid.bulk).text);
    if (!isnan(g->fluid.back_pressure))
        tw_text_buffer_add(text, ", back pressure %s", stress_of(g->fluid.back_pressure).text);
    if (!isnan(g->lateral_stress))
        tw_text_buffer_add(text, ", lateral stress %s", stress_of(g->lateral_stress).text);
    if (!isnan(g->normal_stress))
        tw_text_buffer_add(text, ", normal stress %s", stress_of(g->normal_stress).text);
    if (g->shear_stress == TW_SCENARIO_SHEAR_ZERO)
        tw_text_buffer_add(text, ", without shear stresses");
    if (!isnan(g->lode_angle))
        tw_text_buffer_add(text, ", Lode angle %.6g deg",
                           g->lode_angle * 180.0 / tw_math_acos(-1.0));
    if (!isnan(g->dq_dp)) tw_text_buffer_add(text, ", dq/dp %.6g", g->dq_dp);
    if (!isnan(g->eta))
        tw_text_buffer_add(text, ", straight to q/p %.6g along %c", g->eta, axes[g->axis]);
    for (int k = 0, any = 0; k < TW_SCENARIO_COMPONENTS; k++)
        if (!isnan(g->increments.component[k]))
            tw_text_buffer_add(text, "%s %s %.6g", any++ ? "," : ", stress increments",
                               components[k], g->increments.component[k]);
    if (g->path == TW_SCENARIO_GENERAL)
        tw_text_buffer_add(text, ", strain and stress of %s",
                           components[tw_scenario_stage_followed(g)]);
    if (!isnan(g->rate)) tw_text_buffer_add(text, ", strain rate %.6g /s", g->rate);
    if (!isnan(g->inertial_number))
        tw_text_buffer_add(text, ", inertial number %.6g", g->inertial_number);
}

static void add_laws(tw_text_buffer *text, const tw_scenario_probes *p)
{
    const char *between = "; laws: ";
    for (int32_t kind = 0; kind < TW_CONTACT_KINDS; kind++) {
        if (!(p->laws & 1u << kind)) continue;
        tw_text_buffer_add(text, "%s%s", between, tw_contact_kind_name(kind));
        between = ", ";
    }
    if (p->variant_count > 0)
        tw_text_buffer_add(text, "%s%zu variant%s", between, p->variant_count,
                           tw_output_plural(p->variant_count));
    if (p->unload == 1) tw_text_buffer_add(text, "; with unloading");
    if (p->no_slip == 1) tw_text_buffer_add(text, "; with no-slip companions");
}

static void add_special(tw_text_buffer *text, const tw_scenario_stage *g)
{
    const tw_scenario_probes *p = &g->probes;
    if (g->path == TW_SCENARIO_CYCLIC && !isnan(g->cycle.strain))
        tw_text_buffer_add(text, ", %s, strain amplitude %.6g",
                           tw_scenario_path_name(g->cycle.base), g->cycle.strain);
    else if (g->path == TW_SCENARIO_CYCLIC)
        tw_text_buffer_add(text, ", %s, stress amplitude %s", tw_scenario_path_name(g->cycle.base),
                           stress_of(g->cycle.stress).text);
    if (g->path == TW_SCENARIO_CYCLIC && g->cycle.return_to > -1.0)
        tw_text_buffer_add(text, ", back to %.6g times the amplitude", g->cycle.return_to);
    if (g->path == TW_SCENARIO_RELAX)
        tw_text_buffer_add(text, ", %s held",
                           g->hold == TW_SCENARIO_HOLD_STRESS ? "stress" : "strain");
    if (g->path == TW_SCENARIO_ROTATE)
        tw_text_buffer_add(text, " by %.6g deg about [%.6g, %.6g, %.6g] in %" PRIu64 " increment%s",
                           g->rotation.angle * 180.0 / tw_math_acos(-1.0), g->rotation.axis[0],
                           g->rotation.axis[1], g->rotation.axis[2], g->rotation.increments,
                           tw_output_plural(g->rotation.increments));
    if (g->path == TW_SCENARIO_RATES)
        tw_text_buffer_add(text, ", %" PRIu64 " direction%s of %s about %c", g->rates.count,
                           tw_output_plural(g->rates.count),
                           g->rates.control == TW_SCENARIO_GIVEN_STRESS ? "stress" : "strain",
                           "xyz"[g->axis]);
    if (g->path != TW_SCENARIO_PROBES) return;
    tw_text_buffer_add(text, ", %" PRIu64 " direction%s, %s %.6g%s", p->count,
                       tw_output_plural(p->count), isnan(p->strain) ? "stress" : "strain",
                       isnan(p->strain) ? p->stress : p->strain, isnan(p->strain) ? " Pa" : "");
    if (p->method == TW_SCENARIO_METHOD_STATIC)
        tw_text_buffer_add(text, ", from equilibrium to equilibrium");
    else
        tw_text_buffer_add(text, " in %" PRIu64 " step%s", p->steps, tw_output_plural(p->steps));
    add_laws(text, p);
}

/* `steps` and `seconds` that it takes, NaN: not known; `bound`: at most so many steps. */
/* What a stage changes of a material. */
static void print_changes(FILE *out, const char *name, const tw_scenario_material *m)
{
    tw_text_buffer text = {0};
    add_material(&text, m);
    if (!text.failed && text.length > 0) PRINT("", "with %s: %s", name, text.text);
    tw_text_buffer_free(&text);
}

static double changed(double value, double before)
{
    return value == before ? nan("") : value;
}

static void print_stage(FILE *out, const tw_scenario *s, size_t i, double steps, double seconds,
                        bool bound)
{
    const tw_scenario_stage *g = &s->stages[i];
    const tw_scenario_material *m = &s->material;
    tw_scenario_material all = g->material.values;
    all.friction = changed(g->friction, m->friction);
    all.rolling_friction = changed(g->rolling_friction, m->rolling_friction);
    all.twisting_friction = changed(g->twisting_friction, m->twisting_friction);
    char label[32];
    tw_text_buffer text = {0};
    snprintf(label, sizeof label, "stage %zu", i + 1);
    tw_text_buffer_add(&text, "%s: %s", g->name, tw_scenario_path_name(g->path));
    if (g->from) tw_text_buffer_add(&text, " from %s", g->from);
    add_motion(&text, g);
    add_special(&text, g);
    print_text(out, label, &text);
    print_changes(out, s->material_count > 0 ? "all contacts" : "material", &all);
    for (size_t k = 0; k < g->material_count; k++)
        print_changes(out, g->materials[k].name, &g->materials[k].values);
    print_end(out, g, steps, seconds, bound);
    if (g->save) PRINT("", "saved as %s", g->save);
}

void tw_scenario_describe(FILE *out, const tw_scenario *scenario)
{
    const tw_scenario_specimen *s = &scenario->specimen;
    if (s->file || s->checkpoint) {
        PRINT("specimen", "from %s", s->file ? s->file : s->checkpoint);
    } else {
        print_generated(out, s);
        print_preparation(out, &s->preparation, NULL);
    }
    tw_scenario_summary_materials(out, scenario, LABEL_WIDTH);
    for (size_t i = 0; i < scenario->stage_count; i++)
        print_stage(out, scenario, i, nan(""), nan(""), false);
}

/* Steps in time, and iterations of statics; bound: at most. */
typedef struct counts {
    double steps, iterations;
    bool bound;
} counts;

static tw_text_buffer counts_text(const counts *total)
{
    tw_text_buffer text = {0};
    const bool steps = total->steps > 0.0 || total->iterations == 0.0;
    if (total->bound) tw_text_buffer_add(&text, "up to ");
    if (steps) tw_text_buffer_add(&text, "about %.2g steps", total->steps);
    if (total->iterations > 0.0)
        tw_text_buffer_add(&text, "%s %.2g iterations", steps ? " and" : "about",
                           total->iterations);
    return text;
}

static void print_estimate(FILE *out, const tw_run_estimate *e, const counts *total)
{
    if (isnan(e->steps)) {
        PRINT("total", "the length of some stages is not known before they are run");
    } else {
        tw_text_buffer total_text = counts_text(total);
        tw_text_buffer_add(&total_text, "%s on this machine", time_of(e->seconds).text);
        print_text(out, "total", &total_text);
    }
    tw_text_buffer text = {0};
    tw_text_buffer_add(&text, "memory %s", bytes_of(e->memory).text);
    if (e->made_there)
        tw_text_buffer_add(&text, " and %s per million of its grains in each process",
                           bytes_of(1e6 * e->grain_memory).text);
    else if (e->divided)
        tw_text_buffer_add(&text, " in the first process, which makes all grains");
    if (e->device_memory > 0.0)
        tw_text_buffer_add(&text, ", on the device %s", bytes_of(e->device_memory).text);
    tw_text_buffer_add(&text, ", disk %s without frames", bytes_of(e->disk).text);
    print_text(out, "", &text);
    PRINT("", "estimated by a trial with %" PRIu64 " grains", e->grains);
}

int tw_scenario_summary(const tw_scenario *scenario, const char *path,
                        const tw_run_estimate *estimate, const char *command)
{
    FILE *const out = stdout;
    counts total = {.steps = estimate ? estimate->parts[0].steps : 0.0};
    bool known = true;
    PRINT("scenario", "%s", scenario->title ? scenario->title : path);
    const int status = print_specimen(scenario, estimate, command);
    if (status != TW_EXIT_OK) return status;
    tw_scenario_summary_materials(out, scenario, LABEL_WIDTH);
    for (size_t i = 0; i < scenario->stage_count; i++) {
        const uint64_t by_strain = tw_scenario_stage_steps(scenario, i);
        const double steps = estimate        ? estimate->parts[i + 1].steps
                             : by_strain > 0 ? (double)by_strain
                                             : nan("");
        print_stage(out, scenario, i, steps, estimate ? estimate->parts[i + 1].seconds : nan(""),
                    !estimate || estimate->parts[i + 1].bound);
        known = known && !isnan(steps);
        total.bound = total.bound || (estimate && estimate->parts[i + 1].bound && !isnan(steps));
        *(is_static(&scenario->stages[i]) ? &total.iterations : &total.steps) +=
            isnan(steps) ? 0.0 : steps;
    }
    if (estimate) {
        print_estimate(out, estimate, &total);
    } else if (total.steps + total.iterations > 0.0) {
        tw_text_buffer text = counts_text(&total);
        tw_text_buffer_add(&text, "%s", known ? "" : ", plus stages of unknown length");
        print_text(out, "total", &text);
    }
    if (!estimate && !isnan(tw_scenario_memory(scenario)))
        PRINT("", "memory about %s", bytes_of(tw_scenario_memory(scenario)).text);
    return TW_EXIT_OK;
}

tw_run_display tw_run_display_start(const char *command, bool quiet)
{
    return (tw_run_display){.line = tw_progress_start(command, quiet),
                            .progress = tw_run_progress_start()};
}

void tw_run_display_announce(const tw_run_display *display, const tw_scenario *scenario)
{
    char text[200];
    if (display->line.quiet) return;
    tw_run_progress_plan(scenario, text, sizeof text);
    fprintf(stderr, "%s: %s\n", display->line.command, text);
}

static void print_times(const tw_run_timing *timing)
{
    char table[2000];
    tw_run_timing_table(timing, table, sizeof table);
    fputs(table, stderr);
}

/* Shares of at least 5 %: "search 12 %, force 61 %, waiting 8 %  ", which on a terminal come first:
 * the line is cut. */
static void write_shares(char *text, size_t size, const tw_run_timing *t)
{
    size_t at = 0;
    text[0] = '\0';
#define SHARE(NAME, name, what)                                                                    \
    if (t->phases.name >= 0.05 * t->total && at < size)                                            \
        at += (size_t)snprintf(text + at, size - at, "%s%s %.0f %%", at > 0 ? ", " : "", #name,    \
                               100.0 * t->phases.name / t->total);
    TW_SIM_PHASES(SHARE)
#undef SHARE
    if (at < size) snprintf(text + at, size - at, "  ");
}

void tw_run_display_step(tw_run_display *display, const tw_run_view *view)
{
    const bool times = display->profile && display->timing.steps > 0;
    char text[900] = "";
    tw_run_progress_step(&display->progress, view);
    if (!tw_progress_due(&display->line, tw_clock())) return;
    if (times && display->line.terminal) write_shares(text, sizeof text - 560, &display->timing);
    tw_run_progress_line(&display->progress, view, text + strlen(text), 560);
    tw_progress_show(&display->line, text);
    if (times && !display->line.terminal) print_times(&display->timing);
}

void tw_run_display_message(tw_run_display *display, const char *text)
{
    display->messages++;
    if (display->line.quiet) return;
    tw_progress_clear(&display->line);
    fprintf(stderr, "%s: %s\n", display->line.command, text);
}

void tw_run_display_end(const tw_run_display *display)
{
    const tw_progress *line = &display->line;
    const tw_run_progress *progress = &display->progress;
    char text[200] = "the run is complete; nothing is left to do"; /* resumed after its end */
    if (line->quiet) return;
    tw_progress_clear(line);
    if (progress->steps == 0 && progress->part.phase) return; /* stopped while grains were placed */
    if (progress->steps > 0 || display->messages > 0)
        tw_run_progress_total(progress, text, sizeof text);
    fprintf(stderr, "%s: %s\n", line->command, text);
    if (display->timing.steps > 0) print_times(&display->timing);
}
