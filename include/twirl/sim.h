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
 *     ... tw_sim_add_body(sim, &body, &error) ...
 *     tw_sim_set_velocity_gradient(sim, &rate);
 *     if (tw_sim_run(sim, 1000, &error) != TW_STATUS_OK) ...
 *     tw_sim_free(sim);
 *
 * No globals: any number of simulations may live in one process. The library never prints and never
 * exits. Results do not depend on the number of threads, and a simulation restored from a
 * checkpoint continues with the same bits. Units are SI in the comments; any consistent set will
 * do. Compression is positive in stresses, negative in velocity gradients (they are gradients of
 * velocity).
 */
#ifndef TWIRL_SIM_H
#define TWIRL_SIM_H

#include <stddef.h>
#include <stdint.h>

#include <twirl/contact.h>
#include <twirl/control.h>
#include <twirl/types.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tw_sim tw_sim;

typedef struct tw_sim_def {
    tw_mat3 cell;       /* edges of the cell as columns, corner at the origin [m] */
    int periodic[3];    /* along each edge; default 1 */
    tw_contact_law law; /* of every contact; kn, kt and mu must be set */
    double density;     /* of the grains [kg/m^3]; default 2650 */
    tw_vec3 gravity;    /* [m/s^2] */
    double dt; /* time-step [s]; 0 (default): dt_fraction of the stable step, found as needed */
    double dt_fraction;   /* default 0.5 */
    int dt_forced;        /* 1: run even with a step above the stable one */
    double mass_scale;    /* masses and moments of inertia are multiplied by this; default 1 */
    double damping_mass;  /* force -damping_mass m v on the fluctuation velocity [1/s]; default 0 */
    double damping_spin;  /* moment -damping_spin times the angular momentum [1/s]; default 0 */
    double damping_local; /* Cundall's non-viscous damping, 0 to 1 [-]; default 0 */
    double skin;          /* margin of the neighbour list [m]; 0 (default): chosen */
    int threads;          /* 0 (default): OMP_NUM_THREADS, or one per processor */
} tw_sim_def;

tw_sim_def tw_sim_def_default(void);

tw_sim *tw_sim_create(const tw_sim_def *def, tw_error *error);
void tw_sim_free(tw_sim *sim);

/* ---- Shapes and bodies ---- */

/* Shape 0 is the sphere of radius 1. A body is a copy of a shape, scaled by its size: a sphere of
 * size s has the radius s. Volume, centre of mass and inertia are those of the union of the
 * spheres. The functions return the number of the new shape, or -1. */
int32_t tw_sim_add_shape(tw_sim *sim, const tw_sphere *spheres, size_t count, tw_error *error);

/* Kuhn's bumpy grain: a central sphere and 2, 3, 4, 6 or 8 satellites. */
int32_t tw_sim_add_shape_bumpy(tw_sim *sim, int satellites, double satellite_radius,
                               double central_radius, double distance, tw_error *error);

typedef struct tw_body_def {
    uint32_t shape; /* default 0 */
    double size;    /* [m] */
    tw_vec3 x;      /* position of the centre of mass [m] */
    tw_quat q;      /* orientation of the shape's frame, as it was given to tw_sim_add_shape */
    tw_vec3 v;      /* velocity, without the affine part of the cell [m/s] */
    tw_vec3 w;      /* angular velocity, in space [rad/s] */
    int fixed;      /* 1: moves with its own v and w alone, whatever acts on it */
} tw_body_def;

tw_body_def tw_body_def_default(void);

/* Bodies are numbered 0, 1, 2 ... in the order in which they are added; the number is for life. */
tw_status tw_sim_add_body(tw_sim *sim, const tw_body_def *def, tw_error *error);

typedef struct tw_body_state {
    uint32_t id, shape;
    double size, mass;
    tw_vec3 inertia; /* principal moments [kg m^2] */
    tw_vec3 x;       /* in the cell along periodic edges, or as little outside as it moved since the
                        last search [m] */
    tw_quat q;       /* of the shape's frame as it was given */
    tw_vec3 v, w;    /* at the middle of the last step, as in tw_body_def */
    tw_vec3 force,
        torque; /* of contacts, walls and gravity, at the end of the last step [N], [N m] */
    int fixed;
    tw_quat axes; /* orientation of the principal axes, to which `inertia` belongs */
} tw_body_state;

size_t tw_sim_bodies(const tw_sim *sim);
/* By id. */
tw_body_state tw_sim_body(const tw_sim *sim, uint32_t id);
void tw_sim_set_body_velocity(tw_sim *sim, uint32_t id, tw_vec3 v, tw_vec3 w);

/* The spheres, body by body in order of id. */
typedef struct tw_sphere_state {
    tw_vec3 x; /* centre [m] */
    double radius;
    uint32_t body;   /* id */
    uint32_t member; /* which sphere of the shape */
} tw_sphere_state;

size_t tw_sim_spheres(const tw_sim *sim);
/* Fills out[0 .. tw_sim_spheres - 1]. */
void tw_sim_get_spheres(const tw_sim *sim, tw_sphere_state *out);

/* ---- Walls: rigid planes ---- */

typedef struct tw_wall_def {
    tw_vec3 point;  /* any point of the plane [m] */
    tw_vec3 normal; /* towards the grains; any length */
    tw_vec3 v;      /* velocity [m/s] */
    int servo;      /* 1: moves along its normal so as to be pressed with `force` */
    double force;   /* target of the servo: force of the grains against the normal [N] */
    double
        gain; /* velocity per force of the servo [m/(s N)]; 0: chosen from the contact stiffness */
    double v_max; /* of the servo [m/s]; 0: no limit */
} tw_wall_def;

tw_wall_def tw_wall_def_default(void);

/* Returns the number of the wall, or -1. A wall lies along the periodic edges of the cell: a body
 * that goes out by a face comes back by the opposite one, and must find itself at the same distance
 * from the wall. The cell may not tilt such an edge later: that ends a run with TW_STATUS_INPUT. */
int32_t tw_sim_add_wall(tw_sim *sim, const tw_wall_def *def, tw_error *error);

typedef struct tw_wall_state {
    tw_vec3 point, normal, v;
    tw_vec3 force; /* of the grains on the wall [N] */
    int servo;     /* as in tw_wall_def */
} tw_wall_state;

size_t tw_sim_walls(const tw_sim *sim);
tw_wall_state tw_sim_wall(const tw_sim *sim, size_t wall);
void tw_sim_set_wall_velocity(tw_sim *sim, size_t wall, tw_vec3 v);

/* ---- Running ---- */

/* grad v, imposed on the cell and on the bodies in it until it is changed [1/s]. Ends a control. */
void tw_sim_set_velocity_gradient(tw_sim *sim, const tw_mat3 *gradient);

/* The one of the last step, whoever chose it. */
tw_mat3 tw_sim_velocity_gradient(const tw_sim *sim);

/* Steers the cell in strain rate or stress, component by component, until it is told otherwise:
 * before each step the velocity gradient is chosen anew. Stress needs a cell that is periodic along
 * all edges. tw_sim_set_velocity_gradient ends it. The control belongs to the state: a checkpoint
 * takes it along. */
tw_status tw_sim_set_control(tw_sim *sim, const tw_control *control, tw_error *error);

/* Whether the targets are met, and how well so far. All zero without a control. */
tw_control_report tw_sim_control(const tw_sim *sim);

/* Constants that may change between steps. The texts of errors name the key. With other springs or
 * another viscosity a time-step that the engine chose is chosen anew; one that was given, and is
 * above the stable one then, is an error, and the law stays as it was. */
tw_status tw_sim_set_law(tw_sim *sim, const tw_contact_law *law, tw_error *error);
tw_status tw_sim_set_damping(tw_sim *sim, double mass, double spin, double local, tw_error *error);
tw_status tw_sim_set_dt(tw_sim *sim, double dt, int forced, tw_error *error);
void tw_sim_set_gravity(tw_sim *sim, tw_vec3 gravity);
void tw_sim_set_threads(tw_sim *sim, int threads);
int tw_sim_threads(const tw_sim *sim); /* those set, or the default */

/* Advances by `steps` steps. On TW_STATUS_PHYSICS (a number that is not finite, a runaway overlap)
 * the text names the bodies, and the state is that of the failing step: it can be looked at, but
 * neither be run on nor saved. */
tw_status tw_sim_run(tw_sim *sim, uint64_t steps, tw_error *error);

/* The same with a hand on it: `hook` is called after every step and may steer (set the velocity
 * gradient, wall velocities) or end the run by returning non-zero; then the status is
 * TW_STATUS_INTERRUPTED. */
typedef int (*tw_sim_hook)(tw_sim *sim, void *context);
tw_status tw_sim_run_hooked(tw_sim *sim, uint64_t steps, tw_sim_hook hook, void *context,
                            tw_error *error);

/* Turns everything, cell, bodies and walls, rigidly about the origin by the rotation vector `turn`
 * in `steps` equal increments, contacts advanced in each as by their law, nothing else moving. */
tw_status tw_sim_rotate(tw_sim *sim, tw_vec3 turn, uint64_t steps, tw_error *error);

/* An upper bound of the step that is stable with the present contacts, and what sets it. */
typedef struct tw_stable_step {
    double dt;              /* [s] */
    uint32_t body;          /* id of the body that sets it */
    double stiffness, mass; /* sum of its contact stiffnesses [N/m], its mass [kg] */
    uint32_t
        contacts; /* how many it has; 0: no contact yet, one is assumed for the lightest body */
} tw_stable_step;

/* Where the time went since the simulation was made or loaded. */
tw_sim_times tw_sim_time_spent(const tw_sim *sim);

tw_stable_step tw_sim_stable_step(const tw_sim *sim);

double tw_sim_time(const tw_sim *sim);
uint64_t tw_sim_steps(const tw_sim *sim);
double tw_sim_dt(const tw_sim *sim);
tw_mat3 tw_sim_cell(const tw_sim *sim);
tw_sim_def tw_sim_definition(const tw_sim *sim); /* as it stands now */

/* The same for states that will go on alike to the bit. */
uint64_t tw_sim_hash(const tw_sim *sim);

/* ---- Contacts ---- */

typedef struct tw_contact_state {
    uint32_t body_p, body_q;     /* ids; q = TW_NO_BODY for a wall */
    uint32_t member_p, member_q; /* which sphere of the body; the wall's number for a wall */
    int8_t shift[3];             /* periodic image of q that touches p */
    tw_vec3 n;                   /* from p to q */
    double zeta;                 /* overlap [m] */
    tw_vec3 point;               /* middle of the overlap [m] */
    tw_vec3 branch;              /* from the centre of body p to that of q's image [m] */
    double fn;                   /* [N] */
    tw_vec3 ft;                  /* on p [N] */
    tw_vec3 force;               /* on p, damping included [N] */
    int sliding;
} tw_contact_state;

#define TW_NO_BODY UINT32_MAX

size_t tw_sim_contacts(const tw_sim *sim);
/* Fills out[0 .. tw_sim_contacts - 1], ordered by ids and members. */
void tw_sim_get_contacts(const tw_sim *sim, tw_contact_state *out);

/* Gives contacts their memory, for a state that comes from elsewhere: normal, overlap, tangential
 * force, the damping force that is left when fn and ft are taken from `force`, sliding. Bodies and
 * members say which contact it is, or a wall, and n which periodic image; shift, fn, point and
 * branch are not looked at. Then the remembered forces act: no time passes. Contacts that are not
 * named stay as they are, those of bodies that overlap and have made no step without a tangential
 * force. Each must lie where the bodies are, up to 1e-4 of the radii: between two programs a cell
 * may have moved on by a step. TW_STATUS_INPUT where one does not: nothing has changed, and
 * *wrong, unless NULL, is its number, from 0. */
tw_status tw_sim_set_contacts(tw_sim *sim, const tw_contact_state *contacts, size_t count,
                              size_t *wrong, tw_error *error);

/* ---- Measures ---- */

typedef struct tw_energy {
    double kinetic, rotational;           /* of the fluctuations [J] */
    double normal, tangential;            /* stored in contacts [J] */
    double friction;                      /* dissipated since the start [J] */
    double contact_damping, body_damping; /* dissipated since the start [J] */
    double cell, walls, gravity;          /* work put in since the start [J] */
    double start;    /* kinetic and stored energy when the first step began [J] */
    double residual; /* work put in + start - stored - kinetic - dissipated [J] */
} tw_energy;

enum { TW_MOBILISATION_BINS = 20 };

typedef struct tw_measure {
    double time, volume;
    tw_mat3 cell;
    double solid_volume, porosity, void_ratio;
    tw_mat3 stress;         /* Love-Weber, body branches, static part [Pa] */
    tw_mat3 stress_kinetic; /* of the fluctuation velocities [Pa] */
    double p;               /* trace/3 of the static stress [Pa] */
    tw_mat3 fabric;         /* mean of n (x) n over contacts [-] */
    size_t contacts, sliding, wall_contacts;
    size_t rattlers; /* bodies with fewer than two contacts (spheres without friction: fewer than
                        four), contacts with other rattlers not counted */
    double coordination;            /* 2 contacts / bodies; wall contacts count once */
    double coordination_mechanical; /* without rattlers and their contacts */
    double sliding_fraction;
    double mobilisation[TW_MOBILISATION_BINS]; /* share of contacts by |ft|/(mu fn), 0 to 1 */
    double overlap_mean, overlap_max;          /* [m] */
    double force_mean;                         /* mean normal force [N] */
    double unbalanced;      /* mean |force on a body| over mean contact force [-] */
    double inertial_number; /* sqrt(2/3) |deviator of grad v| d sqrt(rho/p) [-] */
    tw_energy energy;
} tw_measure;

tw_measure tw_sim_measure(tw_sim *sim);

/* ---- Checkpoints (HDF5) ---- */

/* Written under a temporary name, synced and renamed: a file of that name is whole at any moment.
 */
tw_status tw_sim_save(const tw_sim *sim, const char *path, tw_error *error);
tw_sim *tw_sim_load(const char *path, tw_error *error);

#ifdef __cplusplus
}
#endif

#endif
