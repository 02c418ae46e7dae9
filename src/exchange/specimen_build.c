/* SPDX-License-Identifier: BSD-3-Clause */
/* From a specimen to a simulation. */
#include "exchange/specimen.h"

#include <assert.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <twirl/exchange.h>

#include "base/error.h"
#include "base/mat3.h"
#include "base/quat.h"

/* From the types of a file with laws to the materials of a simulation. */

static tw_contact_law law_of(const tw_specimen *specimen, const tw_sim_def *def, uint32_t a,
                             uint32_t b)
{
    tw_contact_law law = specimen->laws[(size_t)a * specimen->types + b];
    law.kind = def->law.kind;
    law.refine = def->law.refine;
    return law;
}

/* Whether two types have the same laws with all others, and so are of one material. Laws come from
 * a calloc and have no padding. */
static bool are_alike(const tw_specimen *specimen, uint32_t a, uint32_t b)
{
    const size_t n = specimen->types;
    return memcmp(&specimen->laws[a * n], &specimen->laws[b * n], n * sizeof *specimen->laws) == 0;
}

/* Fills the material of each type and the first type of each material; returns the number of
 * materials. */
static uint32_t classify(const tw_specimen *specimen, uint32_t *material, uint32_t *first)
{
    uint32_t count = 0;
    for (uint32_t a = 0; a < specimen->types; a++) {
        uint32_t k = 0;
        while (k < count && !are_alike(specimen, a, first[k]))
            k++;
        if (k == count) first[count++] = a;
        material[a] = k;
    }
    return count;
}

static bool add_materials(const tw_specimen *specimen, const tw_sim_def *def, tw_sim *sim,
                          const uint32_t *first, uint32_t count, tw_error *error)
{
    for (uint32_t k = 1; k < count; k++) {
        char name[32];
        snprintf(name, sizeof name, "type%lu", (unsigned long)first[k] + 1);
        if (tw_sim_add_material(sim, name, def->density, NULL, error) != TW_STATUS_OK) return false;
    }
    tw_contact_law *laws = malloc((size_t)count * count * sizeof *laws);
    if (!laws) {
        tw_error_set_memory(error);
        return false;
    }
    for (uint32_t a = 0; a < count; a++)
        for (uint32_t b = 0; b < count; b++)
            laws[(size_t)a * count + b] = law_of(specimen, def, first[a], first[b]);
    const tw_status status = tw_sim_set_laws(sim, laws, (size_t)count * count, error);
    free(laws);
    return status == TW_STATUS_OK;
}

/* Adds materials and laws; returns the material of each type, [type - 1], to be freed, or NULL with
 * an error. The simulation has material 0 alone, with the law of the first type. */
static uint32_t *materials_add(const tw_specimen *specimen, const tw_sim_def *def, tw_sim *sim,
                               tw_error *error)
{
    uint32_t *material = calloc(specimen->types, sizeof *material);
    uint32_t *first = calloc(specimen->types, sizeof *first);
    bool added = material && first;
    if (!added) tw_error_set_memory(error);
    if (added)
        added =
            add_materials(specimen, def, sim, first, classify(specimen, material, first), error);
    free(first);
    if (added) return material;
    free(material);
    return NULL;
}

/* From a specimen to a simulation. */

static bool build_shapes(tw_sim *sim, const tw_specimen *specimen, tw_error *error)
{
    for (size_t i = 0; i < specimen->shape_count; i++) {
        const tw_specimen_shape *s = &specimen->shapes[i];
        const tw_status status =
            s->satellites > 0 ? tw_sim_add_shape_bumpy(sim, s->satellites, s->satellite_radius,
                                                       s->central_radius, s->distance, NULL, error)
                              : tw_sim_add_shape(sim, s->spheres, s->count, NULL, error);
        if (status != TW_STATUS_OK) return false;
    }
    return true;
}

/* Finds the centre of mass of each shape in its own frame: adds one body of each, of size 1 and not
 * rotated, to a scratch simulation, and compares sphere 0 there with sphere 0 as given. This layer
 * has no other access to the volumes of unions of spheres. */
static bool build_measure(tw_sim *scratch, const tw_specimen *specimen, tw_vec3 *centres,
                          tw_error *error)
{
    if (!build_shapes(scratch, specimen, error)) return false;
    for (size_t i = 0; i < specimen->shape_count; i++) {
        tw_body_def body = tw_body_def_default();
        body.shape = (uint32_t)(i + 1);
        body.size = 1.0;
        if (tw_sim_add_body(scratch, &body, NULL, error) != TW_STATUS_OK) return false;
    }
    const size_t count = tw_sim_sphere_count(scratch);
    tw_sphere_state *spheres = malloc(count * sizeof *spheres);
    if (!spheres) {
        tw_error_set_memory(error);
        return false;
    }
    tw_sim_get_spheres(scratch, spheres, count, NULL);
    for (size_t i = 0; i < count; i++) {
        const tw_sphere_state *s = &spheres[i];
        const tw_specimen_shape *shape = &specimen->shapes[s->body];
        if (s->member != 0 || shape->satellites > 0) continue; /* bumpy grains are symmetric */
        centres[s->body] = tw_vec3_sub(shape->spheres[0].centre, s->x);
    }
    free(spheres);
    return true;
}

/* The centres of mass of the shapes in their frames; NULL on failure. */
static tw_vec3 *build_centres(const tw_specimen *specimen, const tw_sim_def *def, tw_error *error)
{
    tw_vec3 *centres = calloc(specimen->shape_count + 1, sizeof *centres);
    if (!centres) tw_error_set_memory(error);
    bool clusters = false;
    for (size_t i = 0; i < specimen->shape_count; i++)
        clusters = clusters || specimen->shapes[i].satellites == 0;
    if (!centres || !clusters) return centres;
    tw_sim_def measuring = *def;
    measuring.cell = tw_mat3_identity();
    for (int k = 0; k < 3; k++)
        measuring.periodic[k] = 0;
    tw_sim *scratch = tw_sim_create(&measuring, error);
    const bool measured = scratch && build_measure(scratch, specimen, centres, error);
    tw_sim_free(scratch);
    if (measured) return centres;
    free(centres);
    return NULL;
}

/* `material` is that of each type, or NULL: as the bodies have it. */
static bool build_bodies(tw_sim *sim, const tw_specimen *specimen, const tw_vec3 *centres,
                         const uint32_t *material, tw_error *error)
{
    for (size_t i = 0; i < specimen->body_count; i++) {
        tw_body_def body = specimen->bodies[i];
        body.half_step = 1; /* as tw_frame_take reports them */
        if (material && body.type <= specimen->types) body.material = material[body.type - 1];
        if (body.shape > 0 && body.shape <= specimen->shape_count) {
            const tw_vec3 arm = tw_quat_rotate(body.q, centres[body.shape - 1]);
            body.x = tw_vec3_add_scaled(body.x, body.size, arm);
            body.v = tw_vec3_add_scaled(body.v, body.size, tw_vec3_cross(body.w, arm));
        }
        if (tw_sim_add_body(sim, &body, NULL, error) != TW_STATUS_OK) return false;
    }
    return true;
}

static bool build_all(tw_sim *sim, const tw_specimen *specimen, const uint32_t *material,
                      tw_error *error)
{
    const tw_sim_def def = tw_sim_get_definition(sim);
    tw_vec3 *centres = build_centres(specimen, &def, error);
    const bool built = centres && build_shapes(sim, specimen, error) &&
                       build_bodies(sim, specimen, centres, material, error);
    free(centres);
    return built;
}

tw_status tw_specimen_add(const tw_specimen *specimen, tw_sim *sim, tw_error *error)
{
    assert(specimen && sim);
    tw_error own;
    tw_error *where = error ? error : &own;
    tw_error_clear(where);
    return build_all(sim, specimen, NULL, where) ? TW_STATUS_OK : where->status;
}

tw_sim *tw_specimen_build(const tw_specimen *specimen, const tw_sim_def *def, tw_error *error)
{
    assert(specimen && def);
    tw_error_clear(error);
    tw_sim_def wanted = *def;
    wanted.cell = specimen->cell;
    for (int k = 0; k < 3; k++)
        wanted.periodic[k] = specimen->periodic[k];
    const bool laws = specimen->laws && def->law.kn == 0.0; /* those of the file */
    if (laws) wanted.law = law_of(specimen, def, 0, 0);
    tw_sim *sim = tw_sim_create(&wanted, error);
    uint32_t *material = sim && laws ? materials_add(specimen, def, sim, error) : NULL;
    const bool built = sim && (material || !laws) && build_all(sim, specimen, material, error);
    free(material);
    if (built) return sim;
    tw_sim_free(sim);
    return NULL;
}

/* The engine has one density for all grains. The tolerance is for LAMMPS: in a deforming box, a
 * cluster across a face is off by the strain of a step, because `fix deform` moves the box after
 * the atoms, and so are its volume and density. */
static const double density_slack = 1e-3;

/* Checks that the mass is that of a union of this density; the simulation has density 1. */
static tw_status check_body(const tw_specimen *specimen, const tw_sim *sim, uint32_t i,
                            double density, tw_error *error)
{
    tw_body_state b;
    const tw_status status = tw_sim_get_body(sim, i, &b, error);
    if (status != TW_STATUS_OK) return status;
    const double own = specimen->mass[i] / b.mass;
    if (!(fabs(own / density - 1.0) <= density_slack))
        return tw_error_set(error, TW_STATUS_INPUT,
                            "body %u has a density of %.9g kg/m^3, the mean is %.9g kg/m^3; all "
                            "grains must have the same density",
                            i, own, density);
    return TW_STATUS_OK;
}

tw_status tw_specimen_get_density(const tw_specimen *specimen, double *density, tw_error *error)
{
    assert(specimen && density);
    tw_error_clear(error);
    if (!specimen->mass) return tw_error_set(error, TW_STATUS_INPUT, "the file has no masses");
    tw_sim_def def = tw_sim_def_default();
    def.law.kn = 1.0;
    def.density = 1.0; /* masses are then volumes */
    tw_sim *sim = tw_specimen_build(specimen, &def, error);
    if (!sim) return error ? error->status : TW_STATUS_INPUT;
    double mass = 0.0, volume = 0.0;
    for (uint32_t i = 0; i < specimen->body_count; i++) {
        tw_body_state body;
        tw_sim_get_body(sim, i, &body, NULL); /* it exists */
        mass += specimen->mass[i];
        volume += body.mass;
    }
    *density = mass / volume;
    tw_status status = TW_STATUS_OK;
    for (uint32_t i = 0; i < specimen->body_count && status == TW_STATUS_OK; i++)
        status = check_body(specimen, sim, i, *density, error);
    tw_sim_free(sim);
    return status;
}
