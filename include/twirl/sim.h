/* SPDX-License-Identifier: BSD-3-Clause */
/* The discrete-element engine: rigid bodies of one or many spheres in a cell that deforms.
 *
 *     tw_error error;
 *     tw_sim_def def = tw_sim_def_default();
 *     def.cell.m[0] = def.cell.m[4] = def.cell.m[8] = 0.1;      // a cube of 0.1 m
 *     def.law.kn = def.law.kt = 1e6;
 *     def.law.mu = 0.5;
 *     tw_sim *sim = tw_sim_create(&def, &error);                 // NULL: error.text says why
 *     tw_body_def body = tw_body_def_default();
 *     body.size = 0.005;
 *     body.x = tw_vec3_make(0.01, 0.02, 0.03);
 *     if (tw_sim_add_body(sim, &body, NULL, &error) != TW_STATUS_OK) ...
 *     tw_mat3 rate = {{-1, 0, 0, 0, -1, 0, 0, 0, -1}};           // compression [1/s]
 *     tw_sim_set_velocity_gradient(sim, &rate);
 *     if (tw_sim_run(sim, 1000, &error) != TW_STATUS_OK) ...
 *     tw_measure m;
 *     if (tw_sim_measure(sim, &m, &error) != TW_STATUS_OK) ...
 *     tw_sim_free(sim);
 *
 * examples/shear.c is a complete program.
 *
 * Errors: a function that can fail returns a tw_status and takes a tw_error as its last argument,
 * which may be NULL; results go through pointers, which may be NULL for the numbers of new objects.
 * All others must be given, unless stated otherwise; builds of type Debug assert that. An array
 * that is filled has a `capacity`, its room in elements: if that is too small, nothing is written,
 * and TW_STATUS_INPUT says how many are needed. One that is read has a `count`. A struct that a
 * caller fills comes from its `_default` function, which sets its `struct_size`: one from
 * elsewhere, such as {0}, or of another version, is refused. Only tw_sim_create and tw_sim_load
 * return the new object, or NULL. After an error the simulation is as it was before the call,
 * unless stated otherwise. A function with the name of a value returns it (tw_sim_time), `_count`
 * how many there are, `get` gives a struct or an array.
 *
 * Preparation: contacts, forces and an automatic time step are known once the simulation is
 * prepared. tw_sim_prepare does that without taking a step; tw_sim_run, tw_sim_rotate,
 * tw_sim_measure, tw_sim_set_control and tw_sim_set_contacts begin with it. A new wall, or a body
 * by tw_sim_add_body, makes it necessary again. Until then tw_sim_contact_count,
 * tw_sim_get_contacts and tw_sim_get_stable_step return TW_STATUS_INPUT, and forces of bodies and
 * walls are NaN.
 *
 * Any number of simulations may exist in one process. Calls for different ones may overlap in
 * several threads; those for one may overlap only if all take it as const and it is on no device.
 * tw_sim_save and tw_sim_load wait for each other, as HDF5 may have one thread in it; a program
 * that calls HDF5 itself does not do so meanwhile. The library never
 * prints and never exits. Results do not depend on the number of threads, and a simulation loaded
 * from a checkpoint continues with the same bits. Units are SI in the comments; any consistent set
 * will do. Stresses are positive in compression, velocity gradients in extension.
 */
#ifndef TWIRL_SIM_H
#define TWIRL_SIM_H

#include <stddef.h>
#include <stdint.h>

#include <twirl/contact.h>
#include <twirl/contact_energies.h>
#include <twirl/control.h>
#include <twirl/mesh.h>
#include <twirl/types.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tw_sim tw_sim;

typedef struct tw_sim_def {
    size_t struct_size; /* set by tw_sim_def_default */
    tw_mat3 cell; /* edges of the cell as columns, corner at the origin [m]; default: a cube of 1 m.
                     Stress and porosity refer to its volume. Along an edge that is not periodic the
                     cell is not a boundary: bodies may be outside of it, and walls confine them */
    int periodic[3];     /* along each edge; default 1 */
    tw_contact_law law;  /* of all contacts, until there are other materials; kn must be set. kt and
                            mu are 0 by default: no friction. mu has no effect while kt is 0 */
    double density;      /* of the grains, material 0 [kg/m^3]; default 2650 */
    tw_vec3 gravity;     /* [m/s^2]; default 0 */
    double dt;           /* time step [s]; 0 (default): automatic, a fraction of the stable step */
    double dt_fraction;  /* that fraction; default 0.5, enough for dense packings; for single
                            collisions use 0.1 or less */
    int dt_forced;       /* 1: accept a dt above the stable step; default 0 */
    double mass_scale;   /* factor of masses and moments of inertia; default 1 */
    double damping_mass; /* force -damping_mass m v on the fluctuation velocity [1/s]; default 0 */
    double damping_spin; /* torque -damping_spin times the angular momentum [1/s]; default 0 */
    double damping_local; /* Cundall's local damping, 0 to below 1 [-]; default 0. It acts on the
                             total force, gravity included: use 0 for free fall */
    double skin;          /* margin of the neighbour list [m]; 0 (default): automatic */
    int threads;          /* 0 (default): OMP_NUM_THREADS, or one per processor */
    const char *device;   /* where steps are computed, as in tw_sim_set_device; NULL (default):
                             TWIRL_DEVICE, or the CPU */
} tw_sim_def;

TW_API tw_sim_def tw_sim_def_default(void);

TW_API tw_sim *tw_sim_create(const tw_sim_def *def, tw_error *error);
TW_API void tw_sim_free(tw_sim *sim);

/* ---- Materials ----
 *
 * Each body and each wall has a material, and a contact has the law of its pair of materials.
 * Materials are numbered 0, 1, 2 ...; a new simulation has material 0, "grains", with the law and
 * the density of its definition. twirl/material.h makes the law of two materials from their
 * constants. All laws of a simulation have the same kind and refinements; normal laws may differ.
 */

enum { TW_MATERIALS_MAX = 255, TW_MATERIAL_NAME_MAX = 63 /* bytes */ };

/* The laws of a new material are those of material 0 until they are set. Names are unique. *number
 * receives its number. */
TW_API tw_status tw_sim_add_material(tw_sim *sim, const char *name, double density,
                                     uint32_t *number, tw_error *error);

TW_API tw_status tw_sim_name_material(tw_sim *sim, uint32_t material, const char *name,
                                      tw_error *error);

TW_API size_t tw_sim_material_count(const tw_sim *sim);
TW_API const char *tw_sim_material_name(const tw_sim *sim,
                                        uint32_t material); /* NULL: no such material */
TW_API double tw_sim_material_density(const tw_sim *sim, uint32_t material); /* NaN likewise */

/* Laws may change between steps. Springs keep their overlaps and tangential forces, which are zero
 * where kt is 0; the change of stored energy is not work. Forces and stress follow the new laws
 * from the next step on: until then they are those of the old ones, and with another normal law or
 * stiffness the work of that step is the mean of both. tw_sim_set_contacts, given what
 * tw_sim_get_contacts returns, renews them at once. After a change an automatic dt is chosen anew;
 * a given dt above the new stable step is an error, and the laws stay as they were. Error texts
 * name the field. */
TW_API tw_status tw_sim_set_law(tw_sim *sim, const tw_contact_law *law,
                                tw_error *error); /* all pairs */
TW_API tw_status tw_sim_set_pair_law(tw_sim *sim, uint32_t a, uint32_t b, const tw_contact_law *law,
                                     tw_error *error);
/* All at once: `count` = materials x materials laws, the same for (a, b) and (b, a). */
TW_API tw_status tw_sim_set_laws(tw_sim *sim, const tw_contact_law *laws, size_t count,
                                 tw_error *error);

TW_API tw_status tw_sim_get_pair_law(const tw_sim *sim, uint32_t a, uint32_t b, tw_contact_law *law,
                                     tw_error *error);

/* ---- Shapes and bodies ---- */

/* A shape is a union of spheres; shape 0 is the sphere of radius 1. A body is a copy of a shape,
 * scaled by its size: a body of shape 0 and size s is a sphere of radius s. Volume, centre of mass
 * and moments of inertia are those of the union. *number receives the number of the new shape. */
TW_API tw_status tw_sim_add_shape(tw_sim *sim, const tw_sphere *spheres, size_t count,
                                  uint32_t *number, tw_error *error);

/* Kuhn's bumpy grain: a central sphere and 2, 3, 4, 6 or 8 satellites. */
TW_API tw_status tw_sim_add_shape_bumpy(tw_sim *sim, int satellites, double satellite_radius,
                                        double central_radius, double distance, uint32_t *number,
                                        tw_error *error);

/* In a deforming cell, v is the velocity relative to the affine motion: that of a body at x is
 * v + (velocity gradient) x in total. */
typedef struct tw_body_def {
    size_t struct_size; /* set by tw_body_def_default */
    uint32_t shape;     /* default 0 */
    double size;        /* must be set [m] */
    tw_vec3 x;          /* centre of mass [m] */
    tw_quat q;     /* orientation of the frame in which the shape was given; default: not rotated */
    tw_vec3 v;     /* velocity at the present time [m/s] */
    tw_vec3 w;     /* angular velocity at the present time, in space [rad/s] */
    int fixed;     /* 1: moves with v and w regardless of forces and of the cell; default 0 */
    int half_step; /* 1: v and w are velocities half a step earlier, such as v_half and w_half of a
                      tw_body_state, for exact copies; default 0 */
    uint32_t type; /* a number of the caller's, from 1; default 1. It is kept in checkpoints and
                      exports and has no other effect */
    uint32_t material; /* default 0 */
} tw_body_def;

TW_API tw_body_def tw_body_def_default(void);

/* Bodies are numbered 0, 1, 2 ... in the order in which they are added, for good: the id of one
 * that has been removed is never used again. *id receives the number. */
TW_API tw_status tw_sim_add_body(tw_sim *sim, const tw_body_def *def, uint32_t *id,
                                 tw_error *error);

/* Bodies that come and go between steps: many at once, as each call makes a new neighbour list. A
 * prepared simulation stays prepared. What stays keeps its velocities at the present time, its
 * contacts keep what they remember, and forces are those of the contacts that are left, and of new
 * ones without friction and damping where bodies come to touch others. An automatic dt is that of
 * the bodies there are before they move; with a given dt above the new stable step, or excessive
 * overlaps, nothing changes (TW_STATUS_PHYSICS). Kinetic and stored energies that come and go are
 * not work: they go into `start` of the energy balance. Not on the device lammps once it is
 * prepared (TW_STATUS_DEVICE). */

/* *first_id receives the id of the first; those of the others follow it. */
TW_API tw_status tw_sim_add_bodies(tw_sim *sim, const tw_body_def *defs, size_t count,
                                   uint32_t *first_id, tw_error *error);

/* Each id once. All bodies may be removed; the simulation runs again when others have come. */
TW_API tw_status tw_sim_remove_bodies(tw_sim *sim, const uint32_t *ids, size_t count,
                                      tw_error *error);

/* Arrays of bodies are in ascending order of ids. The id of the body in a row, TW_NO_BODY if there
 * is none; the row of the body with an id, SIZE_MAX likewise; and the id of the next body, above
 * all that there have been. */
TW_API uint32_t tw_sim_body_id(const tw_sim *sim, size_t row);
TW_API size_t tw_sim_body_row(const tw_sim *sim, uint32_t id);
TW_API uint32_t tw_sim_next_id(const tw_sim *sim);

/* All bodies of an empty simulation, at rest and without contacts, made where its steps are
 * computed: so many of them that no process could hold them. `body` gives each without its
 * position; `recipe` is what the device makes them from, with positions (lammps: the text of a
 * scenario with `arrangement: regions`). Unless *made is TW_SIM_MAKE_DONE nothing has changed:
 * without an error the device does not do that, and tw_sim_add_body adds them, or the cell has no
 * room. */
typedef enum tw_sim_make_result {
    TW_SIM_MAKE_UNSUPPORTED,
    TW_SIM_MAKE_NO_ROOM,
    TW_SIM_MAKE_DONE
} tw_sim_make_result;
typedef void (*tw_sim_body_fn)(uint64_t id, tw_body_def *out, void *context); /* fills all of it */
TW_API tw_status tw_sim_make_bodies(tw_sim *sim, uint64_t count, tw_sim_body_fn body, void *context,
                                    const char *recipe, tw_sim_make_result *made, tw_error *error);

/* Sizes of all bodies: the mean and the largest diameter, of spheres of the same volume [m], volume
 * [m^3], mass [kg]. */
typedef struct tw_sim_sizes {
    double diameter, largest, volume, mass;
} tw_sim_sizes;

TW_API tw_status tw_sim_get_sizes(const tw_sim *sim, tw_sim_sizes *out, tw_error *error);

typedef struct tw_body_state {
    uint32_t id, shape;
    double size, mass;
    tw_vec3 inertia; /* principal moments [kg m^2] */
    tw_vec3 x;       /* wrapped into the cell along periodic edges, except for what it moved since
                        the last search [m] */
    tw_quat q;       /* orientation, as in tw_body_def */
    tw_vec3 v, w;    /* at the present time, as in tw_body_def: the mean of the engine's
                        velocities half a step earlier and half a step later */
    tw_vec3 v_half, w_half; /* half a step earlier; until the simulation is prepared, those of a new
                               body are as they were given */
    tw_vec3 force, torque;  /* of contacts, walls and gravity, at the present time [N], [N m]; NaN
                               until prepared */
    int fixed;
    tw_quat axes; /* orientation of the principal axes, to which `inertia` belongs */
    uint32_t type, material;
    tw_vec3 displacement; /* of the centre of mass since the body was added or since the last
                             tw_sim_reset_displacements, with the motion of the cell, and across
                             periodic faces without a jump [m] */
} tw_body_state;

TW_API size_t tw_sim_body_count(const tw_sim *sim);
TW_API tw_status tw_sim_get_body(const tw_sim *sim, uint32_t id, tw_body_state *out,
                                 tw_error *error);

/* Fills out[0 .. tw_sim_body_count - 1], in ascending order of ids. */
TW_API tw_status tw_sim_get_bodies(const tw_sim *sim, tw_body_state *out, size_t capacity,
                                   tw_error *error);

/* The engine's own arrays, without a copy, for programs that look at many bodies often. Row i is of
 * body id[i]; the order follows space. They may be read until the next call for this simulation
 * that is not const, which may move them or change their order. */
typedef struct tw_body_columns {
    size_t count;
    const uint32_t *id, *shape, *type, *material;
    const double *size, *mass;
    const tw_vec3 *inertia; /* principal moments [kg m^2] */
    const tw_vec3 *x;       /* centre of mass [m] */
    const tw_quat *axes;    /* as in tw_body_state */
    const tw_vec3 *v_half;  /* as in tw_body_state [m/s] */
    const tw_vec3 *force;   /* of contacts, without gravity; 0 until prepared [N] */
    const tw_vec3 *torque;  /* [N m] */
} tw_body_columns;

TW_API tw_status tw_sim_get_body_columns(const tw_sim *sim, tw_body_columns *out, tw_error *error);

/* Velocities at the present time, as in tw_body_def. The change of kinetic energy is not work: it
 * goes into `start` of the energy balance, and the residual stays as it is. */
TW_API tw_status tw_sim_set_body_velocity(tw_sim *sim, uint32_t id, tw_vec3 v, tw_vec3 w,
                                          tw_error *error);

TW_API tw_status tw_sim_set_body_type(tw_sim *sim, uint32_t id, uint32_t type, tw_error *error);

/* Contacts of the body change their laws, as in tw_sim_set_law; its mass stays. */
TW_API tw_status tw_sim_set_body_material(tw_sim *sim, uint32_t id, uint32_t material,
                                          tw_error *error);

/* Displacements of all bodies are counted from their present positions. */
TW_API void tw_sim_reset_displacements(tw_sim *sim);

typedef struct tw_sphere_state {
    tw_vec3 x; /* centre [m] */
    double radius;
    uint32_t body;   /* id */
    uint32_t member; /* number of the sphere in the shape */
} tw_sphere_state;

TW_API size_t tw_sim_sphere_count(const tw_sim *sim);
/* Fills out[0 .. tw_sim_sphere_count - 1], body by body in ascending order of ids. */
TW_API tw_status tw_sim_get_spheres(const tw_sim *sim, tw_sphere_state *out, size_t capacity,
                                    tw_error *error);

/* ---- Walls: rigid surfaces ---- */

/* A sphere touches a wall at each local minimum of its distance, and where two of them are parts of
 * one depression of the surface they share their load: how a mesh is cut into facets does not
 * matter, and force and memory go on over its edges (docs/theory/surfaces.md). */
enum {
    TW_WALL_PLANE,   /* through `point`, with the grains on the side of `normal` */
    TW_WALL_SPHERE,  /* about `point`, of `radius` */
    TW_WALL_PROFILE, /* of revolution: a chain of segments turned about the z axis of its frame */
    TW_WALL_MESH     /* of triangles */
};

/* A servo chooses the velocity along a direction, or the angular velocity about an axis through
 * `point`, so that the wall exerts a force along the one or a torque about the other, exactly
 * after each step but for what the grains do by themselves (docs/theory/engine.md). The other
 * movements of the wall are as they were given. */
enum { TW_WALL_SERVO_FORCE = 1, TW_WALL_SERVO_TORQUE };

enum { TW_WALL_NAME_MAX = 63 /* bytes */ };

typedef struct tw_wall_def {
    size_t struct_size; /* set by tw_wall_def_default */
    tw_vec3 point;      /* any point of the plane [m] */
    tw_vec3 normal;     /* towards the grains, of any length; default z */
    tw_vec3 v;          /* velocity, unless a servo chooses it [m/s] */
    int servo;          /* TW_WALL_SERVO_FORCE or _TORQUE; 0 (default): none */
    tw_vec3 along;      /* direction or axis of the servo, of any length, by the right-hand rule;
                           0 (default): that of `normal` */
    double force;       /* on the grains along the direction, not negative [N] */
    double torque;      /* on the grains about the axis, not negative [N m] */
    double v_max;       /* servo: largest speed [m/s], with which it approaches grains that it does
                           not touch; 0: automatic, per step a tenth of the overlap at which one
                           contact carries `force`, at most a thousandth of the largest radius. For
                           a torque [rad/s], likewise at the largest distance of the wall from
                           `point`. INFINITY, only of a plane along its normal: no limit, and it
                           approaches by such a thousandth */
    uint32_t material;  /* default 0 */
    int form;           /* TW_WALL_PLANE ... */
    double radius;      /* of a sphere; negative: the grains are inside [m] */
    tw_quat q;          /* orientation of the frame of a profile or mesh; `point` is its origin */
    tw_vec3 spin;       /* angular velocity about `point` [rad/s], unless a servo chooses it; of a
                           plane along its normal */
    const tw_profile_point *corner; /* of a profile */
    size_t corners;                 /* 2 or more */
    int closed;                     /* 1: the profile goes on from its last corner to the first */
    const tw_mesh *mesh;            /* it is copied */
    int front; /* 1: grains touch facets from the side of their normals only, for closed plates that
                  are thinner than an overlap */
    const char *name; /* unlike those of other walls, at most TW_WALL_NAME_MAX bytes; it is copied.
                         NULL (default): none */
} tw_wall_def;

TW_API tw_wall_def tw_wall_def_default(void);

/* *number receives the number of the wall: 0, 1, 2 ... A plane must be parallel to the periodic
 * edges of the cell, so that all images of a body are at the same distance from it. A velocity
 * gradient that tilts such an edge ends a run with TW_STATUS_INPUT. Other walls need a cell that is
 * at rest and has no periodic edges. */
TW_API tw_status tw_sim_add_wall(tw_sim *sim, const tw_wall_def *def, size_t *number,
                                 tw_error *error);

/* Two platens: planes on the faces of the cell across an edge that is not periodic (0, 1, 2: a, b,
 * c), which is along its axis and perpendicular to the others. They move with the cell: the lower
 * one stays at 0, the upper one is where the edge ends, and a velocity gradient or a control moves
 * it. Bodies do not follow the gradient along this edge, they are pushed; their v is the whole
 * velocity. With periodic edges the faces are stretched. The normal stress across the platens is
 * the mean of the forces on both over their area, for the control and in `stress`, p and q of a
 * measure. A gradient that shears them ends a run with TW_STATUS_INPUT. *number receives the number
 * of the lower one; the upper one follows. Names: "x-" and "x+", and so on. */
TW_API tw_status tw_sim_add_platens(tw_sim *sim, int edge, uint32_t material, size_t *number,
                                    tw_error *error);
TW_API int tw_sim_has_platens(const tw_sim *sim, int edge);

typedef struct tw_wall_state {
    tw_vec3 point, normal, v;
    tw_vec3 force;  /* of the grains on the wall [N]; NaN until prepared */
    tw_vec3 torque; /* likewise about `point`, of grains where they are and not at images of the
                       cell [N m] */
    int servo;      /* as in tw_wall_def */
    tw_vec3 along;  /* unit; of a servo */
    double target;  /* of a servo [N or N m] */
    uint32_t material;
    int form;  /* TW_WALL_PLANE ... */
    tw_quat q; /* orientation */
    tw_vec3 spin;
    int driven;                      /* 1: by tw_sim_set_wall_motion */
    int absent;                      /* 1: by tw_sim_set_wall_present */
    int platen;                      /* 1: by tw_sim_add_platens */
    double work;                     /* on the grains since the start, by force and torque [J] */
    char name[TW_WALL_NAME_MAX + 1]; /* "": none */
} tw_wall_state;

TW_API size_t tw_sim_wall_count(const tw_sim *sim);
TW_API tw_status tw_sim_get_wall(const tw_sim *sim, size_t wall, tw_wall_state *out,
                                 tw_error *error);
/* Another servo, or none with servo = 0, from now on: servo, along, force, torque and v_max of
 * `def`. What the servo chooses, or chose, begins at rest. */
TW_API tw_status tw_sim_set_wall_servo(tw_sim *sim, size_t wall, const tw_wall_def *def,
                                       tw_error *error);

/* Refused where a servo chooses it, or a motion is prescribed. */
TW_API tw_status tw_sim_set_wall_velocity(tw_sim *sim, size_t wall, tw_vec3 v, tw_error *error);
TW_API tw_status tw_sim_set_wall_spin(tw_sim *sim, size_t wall, tw_vec3 spin, tw_error *error);

/* Prescribed motions: displacements along a direction, and rotations about a fixed axis, as
 * functions of the time t since the motion began. At the end of each step the wall is where they
 * put it: nothing is summed up, so there is no drift, whatever dt is. */
enum {
    TW_WALL_MOTION_VELOCITY,   /* by `along` in every second */
    TW_WALL_MOTION_ROTATE,     /* with `rate` about an axis */
    TW_WALL_MOTION_OSCILLATE,  /* by amplitude (sin(2 pi frequency t + phase) - sin(phase)) */
    TW_WALL_MOTION_SWING,      /* about an axis by an angle, likewise */
    TW_WALL_MOTION_TABLE,      /* by the value of a table, less that at t = 0 */
    TW_WALL_MOTION_TABLE_ANGLE /* about an axis by an angle, likewise */
};

/* Before the first and after the last row the value is that of this row. */
typedef struct tw_wall_motion_row {
    double time;  /* since the motion began; ascending [s] */
    double value; /* [m or rad] */
} tw_wall_motion_row;

/* A part of a motion; what its kind does not use is not looked at. */
typedef struct tw_wall_motion {
    int kind;                      /* TW_WALL_MOTION_VELOCITY ... */
    int cubic;                     /* of a table: without corners; 0: linear between rows */
    tw_vec3 along;                 /* velocity [m/s]; else a direction, or axis, of any length */
    tw_vec3 through;               /* a point of the axis [m] */
    double rate;                   /* [rad/s] */
    double amplitude;              /* [m or rad] */
    double frequency, phase;       /* [Hz], [rad] */
    const tw_wall_motion_row *row; /* they are copied */
    size_t rows;
} tw_wall_motion;

enum { TW_WALL_MOTION_PARTS_MAX = 16 };

/* Prescribes the motion of a wall from now on, from where it is. Parts act one after the other,
 * with directions and axes that are fixed in space: a wall that the first part displaces and the
 * second rotates goes round the axis of the second. A plane can turn about its normal only. count
 * = 0 ends a motion: the wall stands still, until it gets a velocity or spin. A simulation is not
 * rotated (tw_sim_rotate) while a motion is prescribed. A wall with a servo has none. */
TW_API tw_status tw_sim_set_wall_motion(tw_sim *sim, size_t wall, const tw_wall_motion *parts,
                                        size_t count, tw_error *error);

/* Whether grains touch a wall. One that is absent keeps its motion, and can be put back: without a
 * servo. Its contacts end, or those that it then has begin, as with bodies that leave and come. */
TW_API tw_status tw_sim_set_wall_present(tw_sim *sim, size_t wall, int present, tw_error *error);

/* ---- Walls to look at ---- */

/* Where a wall is, as polygons: the facets of a mesh in their order, of a sphere or profile facets
 * that it is cut into, of a plane one. */
typedef struct tw_wall_surface {
    tw_vec3 *vertex;  /* [m] */
    uint32_t *corner; /* vertices of the facets, one facet after the other */
    uint32_t *end;    /* where those of a facet end */
    tw_vec3 *force;   /* of the grains on each facet, as in tw_wall_state [N] */
    uint32_t *edge;   /* two vertices of each edge that has one facet, or a bend above 20 degrees */
    size_t vertex_count, facet_count, edge_count;
} tw_wall_surface;

/* box[0] and box[1] are the lowest and highest coordinates of grains and walls, and along periodic
 * edges of the cell; planes count where they are next to the middle of these [m]. */
TW_API tw_status tw_sim_get_extent(const tw_sim *sim, tw_vec3 *box, tw_error *error);

/* Of a plane what is in a box, a little larger than this one, between periodic faces of the cell,
 * and in front of other planes. `box` NULL: that of tw_sim_get_extent. The caller frees the
 * surface; on failure, and of an absent wall, it is empty. */
TW_API tw_status tw_sim_get_wall_surface(const tw_sim *sim, size_t wall, const tw_vec3 *box,
                                         tw_wall_surface *surface, tw_error *error);
TW_API void tw_wall_surface_free(tw_wall_surface *surface);

/* ---- Running ---- */

/* Finds contacts, forces and an automatic dt without taking a step; see the top of this file. Does
 * nothing if the simulation is prepared. */
TW_API tw_status tw_sim_prepare(tw_sim *sim, tw_error *error);
TW_API int tw_sim_is_prepared(const tw_sim *sim);

/* Velocity gradient of the cell and the bodies in it, constant until it is changed [1/s]. Ends a
 * control. A step refuses one with an element above 0.1/dt (TW_STATUS_INPUT; nothing is changed):
 * the cell would move by a tenth of itself. */
TW_API void tw_sim_set_velocity_gradient(tw_sim *sim, const tw_mat3 *gradient);

/* The velocity gradient used in the last step, imposed or chosen by a control; or the one set
 * since. */
TW_API tw_mat3 tw_sim_velocity_gradient(const tw_sim *sim);

/* Controls the cell in strain rate or stress, component by component: the velocity gradient is
 * chosen before each step, until tw_sim_set_velocity_gradient or another control ends it. Stress
 * control needs a cell whose edges are all periodic or have platens, whose shear components are
 * rates of 0. Checkpoints include the control. */
TW_API tw_status tw_sim_set_control(tw_sim *sim, const tw_control *control, tw_error *error);

/* Whether the targets are met, and how well so far. All zero without a control. */
TW_API tw_control_report tw_sim_get_control_report(const tw_sim *sim);

/* Other settings that may change between steps. */
TW_API tw_status tw_sim_set_damping(tw_sim *sim, double mass, double spin, double local,
                                    tw_error *error);
TW_API tw_status tw_sim_set_dt(tw_sim *sim, double dt, int forced, tw_error *error);
TW_API void tw_sim_set_gravity(tw_sim *sim, tw_vec3 gravity);
TW_API void tw_sim_set_threads(tw_sim *sim, int threads);
TW_API int tw_sim_threads(const tw_sim *sim); /* the number set, or the default */

/* Where steps are computed, with the same bits everywhere:
 *   "cpu"       here;
 *   "cuda"      on a GPU. Bodies and contacts stay there between runs, also when some come and go,
 *               and are brought back when a function of this file needs them: tw_sim_get_body,
 *               tw_sim_save ... Time, cell, walls and control are always here;
 *   "emulated"  here, by the code of the GPU: slow, for tests.
 * NULL is the one that the environment variable TWIRL_DEVICE names, or "cpu". A device is chosen at
 * any time between steps, and is neither saved nor part of the hash. TW_STATUS_DEVICE: it cannot be
 * used; TW_STATUS_MEMORY: it has too little memory for the bodies there are. Then the simulation
 * stays where it was. With a device, calls for one simulation must not overlap, not even read-only
 * ones. */
TW_API tw_status tw_sim_set_device(tw_sim *sim, const char *name, tw_error *error);
TW_API const char *tw_sim_device(const tw_sim *sim);

/* What a device does, by its name as above: TW_SIM_DEVICE_HOST ...; 0: there is no such device. */
TW_API unsigned tw_sim_device_traits(const char *name);

/* Memory of the device that its steps have needed so far, at its peak [bytes]; 0 on the CPU. */
TW_API double tw_sim_device_memory(const tw_sim *sim);

/* Whether a device can be used at all. */
TW_API tw_status tw_sim_check_device(const char *name, tw_error *error);

/* Advances by `steps` steps.
 *
 * TW_STATUS_PHYSICS (excessive overlap, a non-finite value, a given dt above the stable step): the
 * text names the bodies. If a step failed, the state is that of the failed step: it can be
 * inspected, but neither continued nor saved. If the preparation failed, the cause can be changed.
 *
 * TW_STATUS_DEVICE: the device has failed, and the steps since bodies and contacts were last
 * brought back are lost: go back to an earlier checkpoint. If none are lost, the state is that
 * before the call and can be continued elsewhere. The same holds for TW_STATUS_MEMORY on a device;
 * before its first step that means that the simulation does not fit.
 *
 * TW_STATUS_MEMORY on the CPU: the last step may be incomplete. The next call that prepares the
 * simulation completes it, with the same bits as if there had been enough memory; until then it
 * cannot be saved. */
TW_API tw_status tw_sim_run(tw_sim *sim, uint64_t steps, tw_error *error);

/* Like tw_sim_run, calling `hook` after each step. The hook may change settings (velocity gradient,
 * wall velocities), or end the run by returning non-zero: the status is then
 * TW_STATUS_INTERRUPTED. */
typedef int (*tw_sim_hook)(tw_sim *sim, void *context);
TW_API tw_status tw_sim_run_hooked(tw_sim *sim, uint64_t steps, tw_sim_hook hook, void *context,
                                   tw_error *error);

/* Like tw_sim_run_hooked, for a caller that can tell when it will have nothing to do. `after` is
 * called with the steps since it was last called, `count` of them, the last one being that of the
 * present state. It returns how many steps may follow until it must be called again, or 0 to end
 * the run. On the CPU it is called after every step; a device runs these steps as a batch. */
typedef struct tw_sim_step_record {
    double time;               /* at the end of the step [s] */
    tw_mat3 velocity_gradient; /* in it [1/s] */
} tw_sim_step_record;
typedef uint64_t (*tw_sim_step_fn)(tw_sim *sim, const tw_sim_step_record *steps, size_t count,
                                   void *context);
TW_API tw_status tw_sim_run_batched(tw_sim *sim, tw_sim_step_fn after, void *context,
                                    tw_error *error);

/* Rotates cell, bodies and walls rigidly about the origin by the rotation vector `turn`, in `steps`
 * equal increments. Contacts follow by their law; no time passes. Walls have no prescribed motions
 * and are no platens.
 * After an error the simulation cannot be continued. */
TW_API tw_status tw_sim_rotate(tw_sim *sim, tw_vec3 turn, uint64_t steps, tw_error *error);

/* Moves the cell and the bodies in one increment: x -> x + G x + u, each body turned about its
 * centre by a rotation vector. `moves` has `count` numbers, six for each body, in ascending order
 * of ids: u and the rotation vector. Walls stay. Contacts follow by their law; no time passes,
 * velocities stay, and the work of the movement is not in the energy balance. Not with platens.
 * After an error the simulation cannot be continued. */
TW_API tw_status tw_sim_displace(tw_sim *sim, const tw_mat3 *gradient, const double *moves,
                                 size_t count, tw_error *error);

/* A time step that is stable with the present contacts, and the body that limits it. */
typedef struct tw_stable_step {
    double dt;              /* [s] */
    uint32_t body;          /* id */
    double stiffness, mass; /* sum of its contact stiffnesses [N/m], its mass [kg] */
    uint32_t contacts;      /* of the body; 0: it has none, and one was assumed */
} tw_stable_step;

TW_API tw_status tw_sim_get_stable_step(tw_sim *sim, tw_stable_step *out, tw_error *error);

/* Time spent in each phase since the simulation was created or loaded, by functions that take steps
 * or measure; `end`, `output` and `other` are then those of functions that they have called. */
TW_API tw_sim_times tw_sim_get_times(const tw_sim *sim);

TW_API double tw_sim_time(const tw_sim *sim);
TW_API uint64_t tw_sim_steps(const tw_sim *sim);
TW_API double tw_sim_dt(const tw_sim *sim); /* 0: automatic, and not yet prepared */
TW_API tw_mat3 tw_sim_cell(const tw_sim *sim);
TW_API tw_sim_def tw_sim_get_definition(const tw_sim *sim); /* with the present values */

/* Hash of all that a checkpoint holds but marks that do not affect the motion: equal for states
 * that will continue with the same bits. 0: no memory. */
TW_API uint64_t tw_sim_hash(const tw_sim *sim);

/* 0: the grains are in the processes of a device, and the hash would bring all of them here. It is
 * known after a save, until the state changes. */
TW_API int tw_sim_hash_known(const tw_sim *sim);

/* ---- Contacts ---- */

typedef struct tw_contact_state {
    uint32_t body_p, body_q;     /* ids; q = TW_NO_BODY for a wall */
    uint32_t member_p, member_q; /* number of the sphere in the body; q: number of the wall */
    int8_t shift[3];             /* periodic image of q that touches p */
    tw_vec3 n;                   /* from p to q */
    double zeta;                 /* overlap [m] */
    tw_vec3 point;               /* middle of the overlap [m] */
    tw_vec3 branch;              /* from the centre of body p to that of q's image [m] */
    double fn;                   /* [N] */
    tw_vec3 ft;                  /* on p [N] */
    tw_vec3 force;               /* on p, damping included [N] */
    int sliding;
    tw_vec3 fr;     /* rolling force: its couple on q is R n x fr, R the reduced radius [N] */
    double mt;      /* twisting couple on p, along n [N m] */
    tw_vec3 couple; /* on p: rolling and twisting, damping included [N m] */
    tw_vec3 rate;   /* mean damping forces in the last step, as in tw_contact_parts [N] */
    tw_vec3 rate_r;
    double rate_w;
} tw_contact_state;

#define TW_NO_BODY UINT32_MAX

/* Volume of a body as tw_sim_get_body gives it: a union of spheres [m^3]. */
TW_API double tw_sim_body_volume(const tw_sim *sim, const tw_body_state *body);

/* The number of contacts, walls included. */
TW_API tw_status tw_sim_contact_count(const tw_sim *sim, size_t *count, tw_error *error);
/* Fills out[0 .. count - 1], ordered by ids and members. */
TW_API tw_status tw_sim_get_contacts(const tw_sim *sim, tw_contact_state *out, size_t capacity,
                                     tw_error *error);
/* Both, in memory that the caller frees in any case. None are known before preparation: NULL, 0. */
TW_API tw_status tw_sim_list_contacts(const tw_sim *sim, tw_contact_state **contacts, size_t *count,
                                      tw_error *error);

/* What contacts remember besides, by the name of a part (tw_contact_part of twirl/contact.h), in
 * the same order: `capacity` and `count` are numbers. Zero where no law needs it; to set it some
 * law has to. Forces follow in the next step. */
TW_API tw_status tw_sim_get_contact_part(const tw_sim *sim, const char *name, double *out,
                                         size_t capacity, tw_error *error);
TW_API tw_status tw_sim_set_contact_part(tw_sim *sim, const char *name, const double *values,
                                         size_t count, tw_error *error);

/* Which bodies carry nothing, as tw_measure counts them: one byte for each body, in
 * ascending order of ids. */
TW_API tw_status tw_sim_get_rattlers(tw_sim *sim, unsigned char *out, size_t capacity,
                                     tw_error *error);

/* Local fields of a state by coarse graining: a grain or contact at the distance r counts with the
 * weight 105/(32 pi w^3) (1 - r^2/w^2)^2, in the window r < w. The points divide the edges of the
 * cell: point i of an edge is at the fraction at + i/count. */
typedef struct tw_sim_field_grid {
    size_t count[3];
    double at[3];
    double window; /* w [m]: positive, not above the distance of opposite faces of the cell */
} tw_sim_field_grid;

/* At a point. What no file or state has is NaN. Near walls the room behind them counts as empty. */
typedef struct tw_sim_field {
    double grains;   /* number of those with their centre in the window */
    double porosity; /* 1 less the weighted sum of the volumes of grains */
    tw_mat3 stress;  /* weight of a contact: its mean along the branch [Pa] */
    double p, q;     /* of the stress [Pa]: a third of the trace; sqrt(3/2 s:s), s the deviator */
    /* The affine motion since the earlier state that fits the grains of the window best, by
     * weighted least squares: compression positive; rotation vector, half the vorticity [rad]. NaN
     * for fewer than four grains, or all in a plane. */
    tw_mat3 strain;
    double volumetric_strain, shear_strain; /* trace; sqrt(2/3 e:e), e the deviator */
    tw_vec3 rotation;
} tw_sim_field;

/* Mean diameter of the spheres of equal volume [m]; NaN without bodies. The usual window is three
 * of them. */
TW_API double tw_sim_mean_diameter(const tw_sim *sim);

/* Fills out[i + count[0] (j + count[1] k)]. `since` is an earlier state, or NULL: strains are those
 * of the bodies that both have, of which each has moved by less than half an edge relative to the
 * cell, whose edges have changed by less than half of themselves. `contacts` are those of the
 * state, or NULL: those of the simulation, none before preparation. */
TW_API tw_status tw_sim_get_fields(const tw_sim *sim, const tw_sim *since,
                                   const tw_contact_state *contacts, size_t contact_count,
                                   const tw_sim_field_grid *grid, tw_sim_field *out,
                                   size_t capacity, tw_error *error);

/* Sets the history of contacts, for a state that comes from elsewhere: normal, overlap, tangential
 * force, sliding, fr and mt, and the damping force, which is what remains of `force` without fn and
 * ft; the damping in `couple` likewise. Where a rate is zero, the damping at the end of the step is
 * taken for its mean.
 * Bodies, members and n identify a contact; shift, fn, point and branch are ignored. No time
 * passes. v_half and w_half of the bodies stay, and were chosen for the forces before: v and w,
 * half a kick later, change with the forces. For bodies whose velocities at the present time are
 * known, such as those at rest, call tw_sim_set_body_velocity after this. Contacts that are not
 * given stay as they are: without tangential force if they are new. Each contact must agree with
 * the positions of the bodies, to 1e-4 of the radii: programs may differ by the movement of the
 * cell in a step. If one does not, the status is TW_STATUS_INPUT, nothing has changed, and *wrong
 * (unless NULL) is the index of that contact. After TW_STATUS_MEMORY the simulation may be
 * unusable: it then refuses to run and to be saved. */
TW_API tw_status tw_sim_set_contacts(tw_sim *sim, const tw_contact_state *contacts, size_t count,
                                     size_t *wrong, tw_error *error);

/* ---- Measures ---- */

#define TW_ENERGY_STORED(to, NAME, name, column, text) double column;
#define TW_ENERGY_LOST(to, NAME, name, member, way) double name;

/* clang-format off */
typedef struct tw_energy {
    double kinetic, rotational; /* of the fluctuation velocities [J] */
    double normal, tangential;  /* stored in contacts [J] */
    TW_CONTACT_STORED_MORE(TW_ENERGY_STORED, ) /* stored_rolling, stored_twisting */
    double friction;                      /* dissipated by sliding since the start [J] */
    TW_CONTACT_LOST_MORE(TW_ENERGY_LOST, ) /* micro_slip, rolling, twisting */
    double contact_damping, body_damping; /* dissipated since the start [J] */
    double cell, walls, gravity;          /* work done since the start [J] */
    double start;    /* kinetic and stored energy at the start, and changes that were not work: new
                        velocities, laws, contacts, bodies that came and went [J] */
    double residual; /* start + work - kinetic - stored - dissipated: rounding, and the error of the
                        integration [J] */
} tw_energy;
/* clang-format on */
#undef TW_ENERGY_STORED
#undef TW_ENERGY_LOST

enum { TW_MOBILISATION_BINS = 20 };

/* Anisotropies of directions of contacts, branch lengths, normal and tangential forces, after
 * Rothenburg and Bathurst (docs/theory/measures.md): deviators a, and their components along the
 * deviator s of the stress, 3/2 a:s/q, which are sqrt(3/2 a:a) with a sign where both have the same
 * axes. 0 without contacts; components are NaN without deviator. */
typedef struct tw_anisotropy {
    tw_mat3 contacts, branches, normal, tangential;
    double a_c, a_d, a_n, a_t;
    double sum; /* 2/5 (a_c + a_d + a_n + 3/2 a_t): nearly q/p for spheres */
} tw_anisotropy;

typedef struct tw_measure {
    double time, volume;
    tw_mat3 cell;
    double solid_volume, porosity, void_ratio;
    tw_mat3 stress;         /* Love-Weber stress of the contact forces, damping included, with
                               branch vectors between the centres of bodies; the normal stress
                               across platens is that on them [Pa] */
    tw_mat3 stress_volume;  /* likewise, of the contacts alone: the mean over the volume [Pa] */
    tw_mat3 stress_kinetic; /* of the fluctuation velocities, half a step earlier [Pa] */
    double p;               /* mean of the static stress, trace/3 [Pa] */
    double q;       /* its deviator: sqrt(3/2 s:s), s the symmetric part of stress - p [Pa] */
    tw_mat3 fabric; /* mean of n (x) n over contacts; 0 without contacts [-] */
    double fabric_deviator; /* sqrt(3/2 F':F') with F' = fabric - 1/3, as for q [-] */
    size_t contacts, sliding, wall_contacts;
    size_t rattlers; /* bodies with fewer than two contacts (spheres without friction: fewer than
                        four), contacts with other rattlers not counted */
    double coordination;            /* 2 contacts / bodies; wall contacts count once */
    double coordination_mechanical; /* without rattlers and their contacts */
    double redundancy; /* motions that contacts prevent over those of bodies, without rattlers: 1
                          for each contact, 2 more unless it slides or has no friction, 2 by rolling
                          and 1 by twisting resistance; 6 for each body, 3 for spheres if no contact
                          has friction */
    double sliding_fraction;
    double friction_mobilised;                 /* mean of |ft|/(mu fn) */
    double mobilisation[TW_MOBILISATION_BINS]; /* share of contacts by |ft|/(mu fn), 0 to 1 */
    double overlap_mean, overlap_max;          /* [m] */
    double force_mean;                         /* mean normal force [N] */
    tw_anisotropy anisotropy;
    double strong_fraction;    /* contacts with more than the mean normal force, of all; */
    double strong_p, strong_q; /* their shares of p, and of q along its deviator; the
                                  latter NaN for q < 0.02 p */
    double unbalanced;      /* mean |force on a body| over mean contact force [-]; INFINITY without
                               contacts */
    double inertial_number; /* sqrt(2/3) |deviator of grad v| d sqrt(rho/p) [-] */
    tw_energy energy;
} tw_measure;

TW_API tw_status tw_sim_measure(tw_sim *sim, tw_measure *measure, tw_error *error);

/* Likewise without what needs the network of contacts or a second pass over them: `rattlers`,
 * `mobilisation`, `overlap_max`, `anisotropy` and those of strong contacts are 0;
 * `coordination_mechanical` is `coordination`, and `redundancy` that with rattlers. For frequent
 * checks of equilibrium. */
TW_API tw_status tw_sim_measure_balance(tw_sim *sim, tw_measure *measure, tw_error *error);

/* The contacts between two materials. */
typedef struct tw_sim_pair_measure {
    uint32_t a, b; /* materials; a is not the larger number */
    size_t contacts, sliding;
    double share_p; /* of p, */
    double share_q; /* and of q along its deviator: 1 for all pairs together. NaN without p or q */
} tw_sim_pair_measure;

/* Measures all pairs of materials: (0, 0), (0, 1) ... (1, 1) ... *count (unless NULL) is how many
 * there are, also if `capacity` is too small for them. */
TW_API tw_status tw_sim_measure_pairs(tw_sim *sim, tw_sim_pair_measure *out, size_t capacity,
                                      size_t *count, tw_error *error);

/* ---- Events ----
 *
 * What happens to bodies and contacts, if it is asked for: bodies that come and go, contacts that
 * begin and end. Between two calls that run or change the simulation events are in the order of
 * (step, pair), the same with any number of threads and on every device: those of a step by the ids
 * of its bodies; where bodies leave, these, then the contacts that end with them; where bodies
 * come, these, then contacts that begin. A contact that begins and ends within a step has no
 * event. They stay until they are taken, also after an error; a simulation with events that have
 * not been taken is not saved (TW_STATUS_INPUT), so that none is lost between two files. Nothing
 * else depends on them: neither results nor checkpoints nor tw_sim_hash. A simulation that is
 * loaded or copied records none until it is asked to. */

/* From now on these kinds: bits 1 << TW_EVENT_BODY_CAME ...; 0 (default): none. Contacts take time
 * in each step, about a hundredth, and memory, 80 bytes for each event and each contact at a time.
 * Those that are there begin with the preparation, if they are asked for before. Not those of
 * contacts on the device lammps (TW_STATUS_DEVICE). */
TW_API tw_status tw_sim_record_events(tw_sim *sim, uint32_t kinds, tw_error *error);

/* "body_came" ...; NULL: there is no such kind. */
TW_API const char *tw_event_name(tw_event_kind kind);

/* How many have not been taken. */
TW_API size_t tw_sim_event_count(const tw_sim *sim);

/* Moves the first of these to `out`, at most `capacity` of them; *count (unless NULL) is how many.
 */
TW_API tw_status tw_sim_take_events(tw_sim *sim, tw_event *out, size_t capacity, size_t *count,
                                    tw_error *error);

/* ---- Checkpoints (HDF5) ---- */

/* The file is written under a temporary name, synced and renamed: `path` never holds an incomplete
 * checkpoint. */
TW_API tw_status tw_sim_save(const tw_sim *sim, const char *path, tw_error *error);
TW_API tw_sim *tw_sim_load(const char *path, tw_error *error);

/* A copy that continues with the same bits, as a checkpoint would be, without a file; it has no
 * label. NULL: the text of the error says why. */
TW_API tw_sim *tw_sim_copy(const tw_sim *sim, tw_error *error);

/* A checkpoint may have a label: one line of text that says what the state is. It is not part of
 * the state: neither results nor tw_sim_hash depend on it, and tw_sim_save does not pass it on. */
enum { TW_SIM_LABEL_MAX = 255 }; /* bytes */

TW_API tw_status tw_sim_save_labelled(const tw_sim *sim, const char *path, const char *label,
                                      tw_error *error);

/* The label of the file that the simulation was loaded from; "" if it has none. */
TW_API const char *tw_sim_label(const tw_sim *sim);

#ifdef __cplusplus
}
#endif

#endif
