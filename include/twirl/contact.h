/* SPDX-License-Identifier: BSD-3-Clause */
/* The linear-frictional contact of two spheres, advanced over one time-step.
 *
 * Four nouns and a verb: a LAW (constants of the pair), the MOTION of a step, the MEMORY that
 * survives to the next step, the LOAD that results, and tw_contact_advance.
 *
 *     tw_contact_law law = tw_contact_law_default();
 *     law.kn = law.kt = 1e6;                            // [N/m]
 *     law.mu = 0.5;
 *     const char *why = tw_contact_law_check(&law);     // NULL: all is well
 *     ...
 *     tw_contact_advance(&law, &motion, dt, &memory, &load);
 *
 * The library allocates nothing, prints nothing, keeps no state of its own, and is thread-safe.
 * twirl/contact_inline.h holds the same code as inline functions (C11, C++17, CUDA device code).
 * Units are SI in the comments; any consistent set will do. The method: docs/theory/contact.md.
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

/* Refinements, as bits of tw_contact_law.refine. The conventional law knows only TW_CONTACT_TILT.
 */
enum {
    TW_CONTACT_FRESH = 1,   /* 1: movement before a fresh contact touches does not count */
    TW_CONTACT_INSTANT = 2, /* 2: elastic until the instant at which slip starts */
    TW_CONTACT_TURNING = 4, /* 3: the force turns towards the movement while it slides */
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
    uint32_t refine; /* refinements that are on */
} tw_contact_law;

/* Movement of a contact during one step. `p` and `q` are the two bodies. */
typedef struct tw_contact_motion {
    tw_vec3 n;      /* unit normal at the end of the step, outward from p [-] */
    double zeta;    /* overlap at the end of the step, negative for a gap [m] */
    tw_vec3 du;     /* movement of q against p at the contact, during the step [m] */
    tw_vec3 turn_p; /* rotation of p during the step, as a rotation vector [rad] */
    tw_vec3 turn_q; /* rotation of q [rad] */
} tw_contact_motion;

/* What survives to the next step. */
typedef struct tw_contact_memory {
    tw_vec3 n;   /* unit normal [-] */
    double zeta; /* overlap, negative for a gap [m] */
    tw_vec3 ft;  /* tangential force on p [N] */
} tw_contact_memory;

/* What the contact does to the bodies, and where the work of the step went. */
typedef struct tw_contact_load {
    tw_vec3 f;              /* force on p at the end of the step; q gets -f [N] */
    double fn;              /* normal force, compression positive, without damping [N] */
    double alpha_o;         /* fraction of the step at which a fresh contact touches, otherwise 0 */
    double alpha_s;         /* fraction of the step at which sliding starts, 1 where it does not */
    double work_normal;     /* normal energy stored at the end of the step [J] */
    double work_tangential; /* work done on the tangential spring and slider in this step [J] */
    double work_reversible; /* its part that changed the stored tangential energy [J] */
    double work_dissipated; /* its part lost to friction [J] */
    double work_viscous;    /* work lost to contact damping in this step [J] */
    int32_t touching;       /* 1: overlap at the end of the step */
    int32_t sliding;        /* 1: sliding at the end of the step */
} tw_contact_load;

/* Exact law, every refinement on, no damping; kn, kt and mu are 0 and must be set. */
tw_contact_law tw_contact_law_default(void);

/* NULL if the law can be used, otherwise what is wrong with it and what would be right.
 * Past this check the kernel is total: any finite motion with unit normals gives a finite load. */
const char *tw_contact_law_check(const tw_contact_law *law);

/* "exact", "paper", "conventional". kind_named returns -1 for any other name. */
const char *tw_contact_kind_name(int32_t kind);
int32_t tw_contact_kind_named(const char *name);

/* "fresh", "instant", "turning", "tilt", "twirl" <-> one bit. refinement_named returns 0 for any
 * other name; refinement_name returns NULL for anything that is not one of the five bits. */
const char *tw_contact_refinement_name(uint32_t refinement);
uint32_t tw_contact_refinement_named(const char *name);

/* Advances one contact over one step of duration dt [s] (used by damping alone). */
void tw_contact_advance(const tw_contact_law *law, const tw_contact_motion *motion, double dt,
                        tw_contact_memory *memory, tw_contact_load *load);

/* The same for `count` contacts. Contact i obeys laws[law_of[i]]; law_of may be NULL: all obey
 * laws[0]. Contact i gives the same bits as tw_contact_advance alone would. */
void tw_contact_advance_batch(const tw_contact_law *laws, const uint32_t *law_of,
                              const tw_contact_motion *motion, double dt, tw_contact_memory *memory,
                              tw_contact_load *load, size_t count);

/* Two spheres, for callers who have positions and rotations rather than a motion. A member sphere
 * of a rigid cluster is a sphere; its rotation is its body's. */
typedef struct tw_contact_pair {
    tw_vec3 branch; /* centre of q minus centre of p at the end of the step [m] */
    tw_vec3 turn_p; /* rotation of p during the step, as a rotation vector [rad] */
    tw_vec3 turn_q; /* rotation of q [rad] */
    double radius_p;
    double radius_q;
} tw_contact_pair;

/* The memory of a pair that has none yet: `branch` is the branch at the *start* of the step, that
 * is tw_contact_pair.branch minus the displacement of q's centre against p's. Pairs that do not
 * touch need store nothing: call this in the step in which they come into contact. */
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
