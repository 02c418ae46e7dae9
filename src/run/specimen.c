/* SPDX-License-Identifier: BSD-3-Clause */
/* The specimen before it is compressed. */
#include "run/specimen.h"

#include <assert.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <twirl/exchange.h>
#include <twirl/math.h>
#include <twirl/run.h>

#include "base/error.h"
#include "base/text.h"
#include "run/recipe.h"
#include "run/surfaces.h"

/* ---- Materials ---- */

/* Makes the materials of a new simulation, with the laws of their pairs. */
static bool add_materials(tw_sim *sim, const tw_scenario *s, tw_error *error)
{
    const size_t count = s->material_count;
    if (count == 0) return true;
    if (tw_sim_name_material(sim, 0, s->materials[0].name, error) != TW_STATUS_OK) return false;
    for (size_t k = 1; k < count; k++) {
        const tw_scenario_material *m = &s->materials[k];
        if (tw_sim_add_material(sim, m->name, m->density, NULL, error) != TW_STATUS_OK)
            return false;
    }
    tw_contact_law *laws = malloc(count * count * sizeof *laws);
    for (size_t i = 0; laws && i < count * count; i++)
        tw_scenario_put_law(s, NULL, i / count, i % count, &laws[i]);
    const tw_status status =
        laws ? tw_sim_set_laws(sim, laws, count * count, error) : tw_error_set_memory(error);
    free(laws);
    return status == TW_STATUS_OK;
}

/* Whether the list has exactly the materials of a checkpoint. */
static bool check_materials(const tw_sim *sim, const tw_scenario *s, tw_error *error)
{
    char names[300] = "";
    size_t found = 0;
    if (s->material_count == 0) return true;
    for (uint32_t k = 0; k < tw_sim_material_count(sim); k++) {
        const char *name = tw_sim_material_name(sim, k);
        tw_text_add_word(names, sizeof names, name);
        found += tw_scenario_find_material(s, name) < s->material_count;
    }
    if (found == tw_sim_material_count(sim) && found == s->material_count) return true;
    tw_error_set(error, TW_STATUS_INPUT,
                 "materials: they are not those of the checkpoint %s, which are: %s",
                 tw_error_shorten_path(s->specimen.checkpoint).text, names);
    return false;
}

/* Sets the material of each body of a file by its type. */
static bool find_materials(tw_specimen *specimen, const tw_scenario *s, tw_error *error)
{
    for (size_t i = 0; i < specimen->body_count; i++) {
        tw_body_def *body = &specimen->bodies[i];
        size_t k = 0;
        while (k < s->material_count && s->materials[k].type != body->type)
            k++;
        if (k == s->material_count) {
            tw_error_set(error, TW_STATUS_INPUT,
                         "specimen.file: %s has grains of type %u, but none of the materials has "
                         "this type; add 'type: %u' to one of them, or another material",
                         tw_error_shorten_path(s->specimen.file).text, body->type, body->type);
            return false;
        }
        body->material = (uint32_t)k;
    }
    return true;
}

/* ---- Grains ---- */

static void put_boundary(const tw_scenario *s, int periodic[3])
{
    for (int k = 0; k < 3; k++)
        if (s->boundary.edge[k] >= 0)
            periodic[k] = s->boundary.edge[k] == TW_SCENARIO_EDGE_PERIODIC;
}

tw_sim_def tw_run_grains_definition(const tw_scenario *s)
{
    tw_sim_def def = tw_sim_def_default();
    tw_scenario_put_law(s, NULL, 0, 0, &def.law);
    def.density = tw_scenario_material_at(s, 0)->density;
    def.damping_local = s->damping.local;
    def.damping_mass = s->damping.mass;
    def.damping_spin = s->damping.spin;
    def.mass_scale = s->time_step.mass_scale;
    if (!isnan(s->time_step.fraction)) def.dt_fraction = s->time_step.fraction;
    if (!isnan(s->time_step.dt)) def.dt = s->time_step.dt;
    def.dt_forced = s->time_step.force == 1;
    if (tw_scenario_has_gravity(s))
        def.gravity = tw_vec3_make(s->gravity[0], s->gravity[1], s->gravity[2]);
    put_boundary(s, def.periodic);
    return def;
}

/* ---- Platens ---- */

/* On the faces of the cell of a simulation that has its materials. */
static bool add_platens(const tw_scenario *s, tw_sim *sim, tw_error *error)
{
    const uint32_t material = (uint32_t)tw_scenario_platen_material(s);
    for (int k = 0; k < 3; k++)
        if (tw_scenario_has_platens(s, k) &&
            tw_sim_add_platens(sim, k, material, NULL, error) != TW_STATUS_OK)
            return false;
    return true;
}

/* ---- From files ---- */

static tw_sim *from_checkpoint(const tw_scenario *s, tw_error *error)
{
    tw_sim *sim = tw_sim_load(s->specimen.checkpoint, error);
    if (!sim) return NULL;
    const double dt = s->time_step.dt, *g = s->gravity;
    if (!isnan(g[0])) tw_sim_set_gravity(sim, tw_vec3_make(g[0], g[1], g[2]));
    if (check_materials(sim, s, error) &&
        (isnan(dt) || tw_sim_set_dt(sim, dt, s->time_step.force == 1, error) == TW_STATUS_OK))
        return sim;
    tw_sim_free(sim);
    return NULL;
}

static tw_sim *build_specimen(tw_specimen *specimen, const tw_scenario *s, tw_error *error)
{
    tw_sim_def def = tw_run_grains_definition(s);
    put_boundary(s, specimen->periodic);
    if (s->material_count == 0) return tw_specimen_build(specimen, &def, error);
    if (!find_materials(specimen, s, error)) return NULL;
    def.cell = specimen->cell;
    memcpy(def.periodic, specimen->periodic, sizeof def.periodic);
    tw_sim *sim = tw_sim_create(&def, error);
    if (sim && add_materials(sim, s, error) &&
        tw_specimen_add(specimen, sim, error) == TW_STATUS_OK)
        return sim;
    tw_sim_free(sim);
    return NULL;
}

static tw_sim *from_file(const tw_scenario *s, tw_error *error)
{
    tw_specimen *specimen = tw_specimen_read(s->specimen.file, error);
    if (!specimen) return NULL;
    tw_sim *sim = NULL;
    bool open = true;
    for (int k = 0; k < 3; k++)
        open = open && s->boundary.edge[k] == TW_SCENARIO_EDGE_OPEN;
    if (specimen->cell_given || open)
        sim = build_specimen(specimen, s, error);
    else
        tw_error_set(error, TW_STATUS_INPUT,
                     "specimen.file: %s has no cell; add a line with its edges [m], '# cell: ax 0 "
                     "0 0 by 0 0 "
                     "0 cz' for a box, such as '# cell: 0.01 0 0 0 0.01 0 0 0 0.01', or give "
                     "'boundary: open'",
                     s->specimen.file);
    tw_specimen_free(specimen);
    if (!sim || add_platens(s, sim, error)) return sim;
    tw_sim_free(sim);
    return NULL;
}

/* ---- Single grains ---- */

static tw_sim *from_grains(const tw_scenario *s, tw_error *error)
{
    const tw_sim_def def = tw_run_grains_definition(s);
    tw_sim *sim = tw_sim_create(&def, error);
    bool good = sim && add_materials(sim, s, error);
    for (size_t i = 0; good && i < s->specimen.grain_count; i++) {
        const tw_scenario_grain *g = &s->specimen.grains[i];
        tw_body_def body = tw_body_def_default();
        body.size = 0.5 * g->d;
        body.x = tw_vec3_make(g->x[0], g->x[1], g->x[2]);
        body.v = tw_vec3_make(g->velocity[0], g->velocity[1], g->velocity[2]);
        body.w = tw_vec3_make(g->spin[0], g->spin[1], g->spin[2]);
        if (g->material) body.material = (uint32_t)tw_scenario_find_material(s, g->material);
        good = tw_sim_add_body(sim, &body, NULL, error) == TW_STATUS_OK;
    }
    if (good) return sim;
    tw_sim_free(sim);
    return NULL;
}

/* ---- Generated grains ---- */

/* An empty simulation with materials and shapes. */
static tw_sim *build_empty(const tw_scenario *s, tw_mat3 cell, tw_error *error)
{
    tw_sim_def def = tw_run_grains_definition(s);
    def.cell = cell;
    tw_sim *sim = tw_sim_create(&def, error);
    if (sim && add_materials(sim, s, error) &&
        tw_run_recipe_add_shapes(s, sim, error) == TW_STATUS_OK && add_platens(s, sim, error))
        return sim;
    tw_sim_free(sim);
    return NULL;
}

/* Between platens the grains, which are placed as in a periodic cell, have room beside them: of the
 * largest, `reach` from its centre. */
static tw_sim *build(const tw_scenario *s, const tw_body_def *bodies, tw_mat3 cell, double reach,
                     tw_error *error)
{
    double beside[3];
    for (int k = 0; k < 3; k++) {
        beside[k] = tw_scenario_has_platens(s, k) ? reach : 0.0;
        cell.m[4 * k] += 2.0 * beside[k];
    }
    tw_sim *sim = build_empty(s, cell, error);
    bool good = sim != NULL;
    for (uint64_t i = 0; good && i < s->specimen.count; i++) {
        tw_body_def body = bodies[i];
        body.x = tw_vec3_add(body.x, tw_vec3_make(beside[0], beside[1], beside[2]));
        good = tw_sim_add_body(sim, &body, NULL, error) == TW_STATUS_OK;
    }
    if (good) return sim;
    tw_sim_free(sim);
    return NULL;
}

/* What has come of the grains in a cell. */
static void tell(tw_run_scatter_result placed, tw_error *error)
{
    if (placed == TW_SCATTER_STOPPED)
        tw_error_set(error, TW_STATUS_INTERRUPTED, "interrupted while grains were placed");
    else if (placed == TW_SCATTER_NO_MEMORY)
        tw_error_set_memory(error);
}

static tw_mat3 cell_of(const tw_scenario_cell *c, double volume)
{
    const double *a = c->aspect;
    const double unit = tw_math_cbrt(volume / (a[0] * a[1] * a[2]));
    return (tw_mat3){{unit * a[0], c->tilt[0] * unit * a[1], c->tilt[1] * unit * a[2], /* */
                      0.0, unit * a[1], c->tilt[2] * unit * a[2],                      /* */
                      0.0, 0.0, unit * a[2]}};
}

/* Between platens the last layer ends the lattice, where a periodic cell has the next. */
static tw_mat3 place_on_lattice(const tw_run_recipe *r, const tw_scenario *scenario,
                                tw_body_def *bodies)
{
    const tw_scenario_specimen *s = &scenario->specimen;
    static const double fcc[4][3] = {{0, 0, 0}, {0.5, 0.5, 0}, {0.5, 0, 0.5}, {0, 0.5, 0.5}};
    const uint64_t each = s->arrangement == TW_SCENARIO_FCC ? 4 : 1;
    const uint64_t n = (uint64_t)llround(tw_math_cbrt((double)(s->count / each)));
    const double pitch = each == 4 ? sqrt(2.0) * s->sizes.d : s->sizes.d;
    for (uint64_t i = 0; i < s->count; i++) {
        const double *site = fcc[i % each];
        const uint64_t cube = i / each;
        tw_run_recipe_grain(r, i, &bodies[i]);
        bodies[i].x.x = pitch * ((double)(cube % n) + site[0]);
        bodies[i].x.y = pitch * ((double)(cube / n % n) + site[1]);
        bodies[i].x.z = pitch * ((double)(cube / n / n) + site[2]);
    }
    const double edge = pitch * (double)n, last = each == 4 ? 0.5 * pitch : pitch;
    tw_mat3 cell = {{edge, 0, 0, 0, edge, 0, 0, 0, edge}};
    for (int k = 0; k < 3; k++)
        if (tw_scenario_has_platens(scenario, k)) cell.m[4 * k] -= last;
    return cell;
}

/* NULL with *full: there is no room for the grains in this cell. */
static tw_sim *build_local(const tw_scenario *s, const tw_run_recipe *r, tw_mat3 cell,
                           double largest, const tw_run_scatter_watch *watch, bool *full,
                           tw_error *error)
{
    tw_body_def *bodies = malloc(s->specimen.count * sizeof *bodies);
    const tw_run_scatter_result placed =
        bodies ? tw_run_recipe_make_all(r, watch, bodies) : TW_SCATTER_NO_MEMORY;
    tw_sim *sim = placed == TW_SCATTER_DONE ? build(s, bodies, cell, largest, error) : NULL;
    *full = placed == TW_SCATTER_FULL;
    tell(placed, error);
    free(bodies);
    return sim;
}

static void grain_of(uint64_t id, tw_body_def *out, void *context)
{
    tw_run_recipe_grain(context, id, out);
}

/* *local: the device does not make grains. */
static tw_sim *build_on_device(const tw_scenario *s, tw_run_recipe *r, tw_mat3 cell,
                               const char *device, bool *local, bool *full, tw_error *error)
{
    tw_sim_make_result made = TW_SIM_MAKE_UNSUPPORTED;
    char *text = tw_scenario_write_text(s);
    tw_sim *sim = text ? build_empty(s, cell, error) : NULL;
    if (!text) tw_error_set_memory(error);
    *local = sim && tw_sim_set_device(sim, device, error) == TW_STATUS_OK &&
             tw_sim_make_bodies(sim, s->specimen.count, grain_of, r, text, &made, error) ==
                 TW_STATUS_OK &&
             made == TW_SIM_MAKE_UNSUPPORTED;
    *full = made == TW_SIM_MAKE_NO_ROOM;
    free(text);
    if (made == TW_SIM_MAKE_DONE) return sim;
    tw_sim_free(sim);
    return NULL;
}

/* The volume of the cell grows by this factor until all grains fit. */
static const double growth = 1.05;

static tw_sim *make_random(const tw_scenario *s, tw_run_recipe *r, double volume,
                           const char *device, const tw_run_scatter_watch *watch, tw_error *error)
{
    tw_sim *sim = NULL;
    bool full = true;
    for (double room = volume / (1.0 - s->specimen.preparation.start_porosity); full;
         room *= growth) {
        const tw_mat3 cell = cell_of(&s->specimen.cell, room);
        bool local = s->specimen.arrangement == TW_SCENARIO_RANDOM;
        full = false;
        const double largest = tw_run_recipe_divide(r, &cell)->largest;
        if (!local) sim = build_on_device(s, r, cell, device, &local, &full, error);
        if (local) sim = build_local(s, r, cell, largest, watch, &full, error);
    }
    return sim;
}

static tw_sim *make_lattice(const tw_scenario *s, const tw_run_recipe *r, tw_error *error)
{
    tw_body_def *bodies = malloc(s->specimen.count * sizeof *bodies);
    if (!bodies) tw_error_set_memory(error);
    const double radius = 0.5 * s->specimen.sizes.d;
    tw_sim *sim = bodies ? build(s, bodies, place_on_lattice(r, s, bodies), radius, error) : NULL;
    free(bodies);
    return sim;
}

static tw_sim *generate(const tw_scenario *s, const char *device, const tw_run_scatter_watch *watch,
                        double *porosity, tw_error *error)
{
    tw_run_recipe *r = tw_run_recipe_open(s, error);
    tw_sim *sim = NULL;
    double volume = 0.0;
    if (r && !tw_run_recipe_add_volumes(r, watch, &volume))
        tell(TW_SCATTER_STOPPED, error);
    else if (r && tw_scenario_is_lattice(&s->specimen))
        sim = make_lattice(s, r, error);
    else if (r)
        sim = make_random(s, r, volume, device, watch, error);
    tw_run_recipe_free(r);
    if (sim) {
        const tw_mat3 cell = tw_sim_cell(sim);
        *porosity = 1.0 - volume / (cell.m[0] * cell.m[4] * cell.m[8]);
    }
    return sim;
}

tw_sim *tw_run_grains_make(const tw_scenario *scenario, const char *device,
                           const tw_run_scatter_watch *watch, double *porosity, tw_error *error)
{
    const tw_scenario_specimen *s = &scenario->specimen;
    *porosity = nan("");
    tw_sim *sim = s->checkpoint        ? from_checkpoint(scenario, error)
                  : s->file            ? from_file(scenario, error)
                  : s->grain_count > 0 ? from_grains(scenario, error)
                                       : generate(scenario, device, watch, porosity, error);
    if (!sim || tw_run_surfaces_add(scenario, sim, error) == TW_STATUS_OK) return sim;
    tw_sim_free(sim);
    return NULL;
}

tw_status tw_run_grains_set_device(const tw_scenario *scenario, tw_sim *sim, const char *device,
                                   tw_error *error)
{
    const tw_status status = tw_sim_set_device(sim, device, error);
    const tw_scenario_specimen *s = &scenario->specimen;
    const char *file = s->checkpoint ? s->checkpoint : s->file;
    if (status != TW_STATUS_INPUT || !file) return status;
    const tw_error why = *error;
    return tw_error_set(error, status, "specimen.%s: %s: %s", s->checkpoint ? "checkpoint" : "file",
                        tw_error_shorten_path(file).text, why.text);
}

tw_status tw_run_check_device(const tw_scenario *scenario, const char *device, tw_error *error)
{
    assert(scenario);
    double porosity;
    tw_error unused;
    if (!error) error = &unused;
    if (tw_scenario_is_generated(scenario) && scenario->surface_count == 0)
        return tw_sim_check_device(device, error);
    tw_sim *sim = tw_run_grains_make(scenario, NULL, NULL, &porosity, error);
    if (!sim) return error->status;
    tw_status status = tw_run_grains_set_device(scenario, sim, device, error);
    if (status == TW_STATUS_OK) status = tw_run_surfaces_check(scenario, sim, error);
    tw_sim_free(sim);
    return status;
}
