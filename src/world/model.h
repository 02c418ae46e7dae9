/* SPDX-License-Identifier: BSD-3-Clause */
/* The model: what a run does not change. Shapes, materials and their laws, settings. */
#ifndef TW_WORLD_MODEL_H
#define TW_WORLD_MODEL_H

#include <stddef.h>
#include <stdint.h>

#include <twirl/contact_law.h>
#include <twirl/types.h>

#include "shape/facets.h"
#include "shape/grid.h"
#include "shape/profile.h"
#include "shape/shape.h"
#include "world/drive.h"
#include "world/state.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { TW_MODEL_NAME = 64 /* bytes, with the final zero */ };

typedef struct tw_model_material {
    char name[TW_MODEL_NAME];
    double density; /* [kg/m^3] */
} tw_model_material;

/* Forms of walls: kind and name of its functions; a is passed on. Those from TW_SURFACE_PROFILE on
 * consist of elements. */
#define TW_SURFACES(X, a)                                                                          \
    X(PLANE, plane, a) X(SPHERE, sphere, a) X(PROFILE, profile, a) X(MESH, mesh, a)

enum {
    TW_SURFACE_GRAIN,
#define TW_SURFACE_KIND(KIND, name, a) TW_SURFACE_##KIND,
    TW_SURFACES(TW_SURFACE_KIND, )
#undef TW_SURFACE_KIND
        TW_SURFACE_KINDS
};

TW_INLINE int tw_surface_has_elements(uint32_t kind)
{
    return kind >= TW_SURFACE_PROFILE;
}

/* A surface of elements, facets or segments, in its own frame. All arrays are in one block, so that
 * a device can have a copy. */
typedef struct tw_model_surface {
    uint32_t kind;
    uint32_t elements;
    uint32_t vertices, edges, entries; /* of a mesh, and of its grid */
    tw_vec3 middle, half;              /* of the box around it; of a profile half.y is 0 [m] */
    void *block;
    size_t bytes;
    tw_facets facets;
    tw_facets_grid grid;
    tw_profile profile;
    const tw_vec3 *vertex;
} tw_model_surface;

typedef struct tw_model {
    tw_shape *shapes;
    size_t shape_count, shape_capacity;
    tw_model_material *materials;
    size_t material_count;
    tw_model_surface *surfaces;
    size_t surface_count, surface_capacity;
    tw_drive_part *drive;    /* of prescribed motions of walls, */
    tw_drive_row *drive_row; /* and of their tables */
    size_t drive_count, drive_row_count;
    tw_contact_law *laws; /* of pairs of materials: tw_model_law. Kind and refinements are the same
                             for all */
    double mass_scale;    /* factor of masses and moments of inertia */
    tw_vec3 gravity;      /* [m/s^2] */
    double damping_mass, damping_spin, damping_local;
    double skin_requested; /* [m]; 0: automatic */
    double dt_fraction;    /* of the stable step, where dt is automatic */
    int32_t dt_automatic;  /* 1: dt follows the stable step */
    int32_t dt_forced;     /* 1: dt may exceed the stable step */
} tw_model;

void tw_model_init(tw_model *model);
void tw_model_free(tw_model *model);

/* Takes over the shape's spheres. Its number is shape_count - 1. */
tw_status tw_model_add_shape(tw_model *model, const tw_shape *shape, tw_error *error);

/* Facets or segments of a wall; the number is surface_count - 1. A closed profile goes on from its
 * last point to the first. */
tw_status tw_model_add_mesh(tw_model *model, const tw_mesh *mesh, tw_error *error);
tw_status tw_model_add_profile(tw_model *model, const tw_profile_point *point, size_t points,
                               int closed, tw_error *error);

/* Replaces the parts of the motion of a wall by these, which refer to rows of `row`. On failure
 * nothing has changed. */
tw_status tw_model_set_drive(tw_model *model, tw_state *state, size_t wall,
                             const tw_drive_part *part, size_t count, const tw_drive_row *row,
                             tw_error *error);

/* Sets the arrays of a surface to a block that has their contents. */
void tw_model_set_surface_block(tw_model_surface *surface, void *block);

/* One more material, with the laws of material 0; the first one gets the default law. */
tw_status tw_model_add_material(tw_model *model, const char *name, double density, tw_error *error);

/* Where `laws` has that of materials a and b. */
TW_INLINE uint16_t tw_model_law(const tw_model *model, uint32_t a, uint32_t b)
{
    return (uint16_t)(a * model->material_count + b);
}

/* Number of entries in `laws`. */
TW_INLINE size_t tw_model_law_count(const tw_model *model)
{
    return model->material_count * model->material_count;
}

/* The lowest overlap at which a contact begins by any law [m]. */
TW_INLINE double tw_model_begin(const tw_model *model)
{
    double lowest = 0.0;
    for (size_t k = 0; k < tw_model_law_count(model); k++)
        lowest = tw_math_min(lowest, tw_contact_law_begin(&model->laws[k]));
    return lowest;
}

/* The lowest overlap at which one lives [m]. */
TW_INLINE double tw_model_end(const tw_model *model)
{
    double lowest = 0.0;
    for (size_t k = 0; k < tw_model_law_count(model); k++)
        lowest = tw_math_min(lowest, tw_contact_law_end(&model->laws[k]));
    return lowest;
}

/* Whether all contacts have the same linear springs and dashpots, and no others: sums over contacts
 * can then be multiplied by their constants. */
TW_INLINE int tw_model_is_uniform(const tw_model *model)
{
    const tw_contact_law *law = model->laws;
    return model->material_count == 1 && tw_contact_normal_is_linear(law->normal) &&
           !(law->flags & TW_CONTACT_BY_SIZE) && !tw_contact_law_jumps(law);
}

/* Whether some laws have another normal law than the first, whose lanes and kernels a step uses:
 * their contacts are advanced one by one. */
TW_INLINE int tw_model_is_mixed(const tw_model *model)
{
    int mixed = 0;
    for (size_t k = 1; k < tw_model_law_count(model); k++)
        mixed |= model->laws[k].normal != model->laws->normal;
    return mixed;
}

/* Mean density of the bodies, scaled by mass_scale [kg/m^3]. */
double tw_model_density(const tw_model *model, const tw_bodies *bodies);

/* The parts of a tw_contact_parts that some law needs. */
uint32_t tw_model_extras(const tw_model *model);

/* The flags that some law has. */
uint32_t tw_model_flags(const tw_model *model);

#ifdef __cplusplus
}
#endif

#endif
