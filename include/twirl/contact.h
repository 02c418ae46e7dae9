/* SPDX-License-Identifier: BSD-3-Clause */
/* The linear-frictional contact of two spheres, advanced over one time step.
 *
 * tw_contact_advance takes a law (constants of the pair), the motion of a step and the memory kept
 * between steps, and gives the load.
 *
 *     tw_contact_law law = tw_contact_law_default();
 *     law.kn = law.kt = 1e6;                            // [N/m]
 *     law.mu = 0.5;
 *     const char *why = tw_contact_law_check(&law);     // NULL: valid
 *     ...
 *     tw_contact_advance(&law, &motion, dt, &memory, &load);
 *
 * The library allocates nothing, prints nothing, has no state and is thread-safe.
 * twirl/contact_inline.h has the same code as inline functions (C11, C++17, CUDA device code);
 * twirl/contact_law.h has forces, energies and stiffnesses of a contact without a step.
 * Units in the comments are SI; any consistent set works. The method: docs/theory/contact.md.
 */
#ifndef TWIRL_CONTACT_H
#define TWIRL_CONTACT_H

#include <stddef.h>
#include <stdint.h>

#include <twirl/vec3.h>

#ifdef __cplusplus
extern "C" {
#endif

/* How a step is computed. */
typedef enum tw_contact_kind {
    TW_CONTACT_EXACT = 0, /* closed form, finite rotations, exact work */
    TW_CONTACT_PAPER = 1, /* Kuhn, Suzuki & Daouadji, misprints corrected: first-order tilt and
                             twirl after the update, trapezoid work */
    TW_CONTACT_CONVENTIONAL = 2, /* add kt dxi, scale back to the friction circle, project */
    TW_CONTACT_KINDS = 3
} tw_contact_kind;

/* Refinements, as bits of tw_contact_law.refine. The conventional law has only TW_CONTACT_TILT. */
enum {
    TW_CONTACT_FRESH = 1,   /* 1: movement before a new contact touches is ignored */
    TW_CONTACT_INSTANT = 2, /* 2: elastic until the instant at which slip starts */
    TW_CONTACT_TURNING = 4, /* 3: while sliding, the force turns towards the movement */
    TW_CONTACT_TILT = 8,    /* 4a: the force follows the contact plane as it tilts */
    TW_CONTACT_TWIRL = 16,  /* 4b: the force follows the twist of the two bodies */
    TW_CONTACT_ALL = 31
};

typedef struct tw_contact_law {
    double kn;       /* normal stiffness [N/m] */
    double kt;       /* tangential stiffness [N/m] */
    double mu;       /* friction coefficient [-] */
    double nu;       /* contact damping, force per relative velocity [N s/m] */
    int32_t kind;    /* a tw_contact_kind */
    uint32_t refine; /* refinements in use */
} tw_contact_law;

/* Movement of a contact during one step. `p` and `q` are the two bodies. */
typedef struct tw_contact_motion {
    tw_vec3 n;      /* unit normal at the end of the step, outward from p [-] */
    double zeta;    /* overlap at the end of the step, negative for a gap [m] */
    tw_vec3 du;     /* movement of q relative to p at the contact, during the step [m] */
    tw_vec3 turn_p; /* rotation of p during the step, as a rotation vector [rad] */
    tw_vec3 turn_q; /* rotation of q [rad] */
} tw_contact_motion;

/* State kept between steps. */
typedef struct tw_contact_memory {
    tw_vec3 n;   /* unit normal [-] */
    double zeta; /* overlap, negative for a gap [m] */
    tw_vec3 ft;  /* tangential force on p [N] */
} tw_contact_memory;

/* Forces at the end of a step, and the work done in it. */
typedef struct tw_contact_load {
    tw_vec3 f;              /* force on p at the end of the step; q gets -f [N] */
    double fn;              /* normal force, compression positive, without damping [N] */
    double alpha_o;         /* fraction of the step at which a new contact touches, otherwise 0 */
    double alpha_s;         /* fraction of the step at which sliding starts, 1 if it does not */
    double work_normal;     /* normal energy stored at the end of the step [J] */
    double work_tangential; /* work done on the tangential spring and slider in this step [J] */
    double work_reversible; /* part of it that changed the stored tangential energy [J] */
    double work_dissipated; /* part of it dissipated by friction [J] */
    double work_viscous;    /* work dissipated by contact damping in this step [J] */
    int32_t touching;       /* 1: overlap at the end of the step */
    int32_t sliding;        /* 1: sliding at the end of the step */
} tw_contact_load;

/* Exact law, all refinements, no damping; kn, kt and mu are 0. kn must be set. */
tw_contact_law tw_contact_law_default(void);

/* NULL if the law is valid, otherwise a message that says what is expected. With a valid law every
 * finite motion with unit normals gives a finite load. */
const char *tw_contact_law_check(const tw_contact_law *law);

/* "exact", "paper", "conventional". kind_named returns -1 for any other name. */
const char *tw_contact_kind_name(int32_t kind);
int32_t tw_contact_kind_named(const char *name);

/* "fresh", "instant", "turning", "tilt", "twirl" <-> one bit. refinement_named returns 0 for any
 * other name; refinement_name returns NULL for anything that is not one of the five bits. */
const char *tw_contact_refinement_name(uint32_t refinement);
uint32_t tw_contact_refinement_named(const char *name);

/* Advances one contact over one step of duration dt [s], which only damping uses. */
void tw_contact_advance(const tw_contact_law *law, const tw_contact_motion *motion, double dt,
                        tw_contact_memory *memory, tw_contact_load *load);

/* The same for `count` contacts, bit for bit. Contact i has the law laws[law_of[i]]; if law_of is
 * NULL all have laws[0]. */
void tw_contact_advance_batch(const tw_contact_law *laws, const uint32_t *law_of,
                              const tw_contact_motion *motion, double dt, tw_contact_memory *memory,
                              tw_contact_load *load, size_t count);

/* Two spheres, for callers that have positions and rotations rather than a motion. A sphere may be
 * a member of a rigid cluster; its rotation is that of the cluster. */
typedef struct tw_contact_pair {
    tw_vec3 branch; /* centre of q minus centre of p at the end of the step [m] */
    tw_vec3 turn_p; /* rotation of p during the step, as a rotation vector [rad] */
    tw_vec3 turn_q; /* rotation of q [rad] */
    double radius_p;
    double radius_q;
} tw_contact_pair;

/* Initial memory of a pair. `branch` is the branch at the *start* of the step:
 * tw_contact_pair.branch minus the displacement of q's centre relative to p's. Pairs that do not
 * touch need no memory: call this in the step in which they come into contact. */
tw_contact_memory tw_contact_memory_fresh(tw_vec3 branch, double radius_p, double radius_q);

/* The motion of a pair since its memory was last written, as the law of this kind measures it. */
tw_contact_motion tw_contact_pair_motion(int32_t kind, const tw_contact_pair *pair,
                                         const tw_contact_memory *memory);

/* A sphere, p, and a plane, q, which may move but does not turn. */
typedef struct tw_contact_plane {
    tw_vec3 normal;  /* unit normal, towards the sphere [-] */
    double distance; /* from the plane to the centre at the end of the step, along the normal [m] */
    tw_vec3 moved;   /* movement of the plane minus that of the centre, during the step [m] */
    tw_vec3 turn_p;  /* rotation of the sphere during the step, as a rotation vector [rad] */
    double radius;   /* [m] */
} tw_contact_plane;

/* Memory and motion of a sphere at a plane: as tw_contact_memory_fresh and tw_contact_pair_motion
 * for a sphere q that does not turn, in the limit of an infinite radius. */
tw_contact_memory tw_contact_plane_memory_fresh(const tw_contact_plane *plane);
tw_contact_motion tw_contact_plane_motion(int32_t kind, const tw_contact_plane *plane,
                                          const tw_contact_memory *memory);

#ifdef __cplusplus
}
#endif

#endif
