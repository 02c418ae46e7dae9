/* SPDX-License-Identifier: BSD-3-Clause */
/* The frictional contact of two spheres, advanced over one time step: linear or Hertz-Mindlin
 * springs, with or without rolling and twisting resistance and damping.
 *
 * tw_contact_advance takes a law (constants of the pair), the motion of a step and the memory kept
 * between steps, and gives the load.
 *
 *     tw_contact_law law = tw_contact_law_default();
 *     law.kn = law.kt = 1e6;                            // [N/m]
 *     law.mu = 0.5;
 *     const char *why = tw_contact_law_check(&law);     // NULL: valid
 *     ...
 *     tw_contact_advance(&law, &motion, dt, &memory, NULL, &load);
 *
 * The library allocates nothing, prints nothing, has no state and is thread-safe. It computes in
 * the floating-point environment of the caller: rounding must be to nearest, and traps must be off.
 * twirl/contact_inline.h has the same code as inline functions (C11, C++17, CUDA device code);
 * tw_contact_derivative gives the derivative of a step by its motion, for static solvers;
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

/* How normal force and stiffnesses follow from the overlap zeta. */
typedef enum tw_contact_normal {
    TW_CONTACT_LINEAR = 0, /* fn = kn zeta; the other stiffnesses are constant */
    TW_CONTACT_HERTZ = 1, /* fn = kn zeta^(3/2); the other stiffnesses grow with zeta^(1/2), damping
                             coefficients with zeta^(1/4). Not for the law of the paper */
    TW_CONTACT_NORMALS = 2
} tw_contact_normal;

/* Refinements, as bits of tw_contact_law.refine. The conventional law has only TW_CONTACT_TILT and
 * TW_CONTACT_RESCALE. */
enum {
    TW_CONTACT_FRESH = 1,    /* 1: movement before a new contact touches is ignored */
    TW_CONTACT_INSTANT = 2,  /* 2: elastic until the instant at which slip starts */
    TW_CONTACT_TURNING = 4,  /* 3: while sliding, the force turns towards the movement */
    TW_CONTACT_TILT = 8,     /* 4a: the force follows the contact plane as it tilts */
    TW_CONTACT_TWIRL = 16,   /* 4b: the force follows the twist of the two bodies */
    TW_CONTACT_RESCALE = 32, /* Hertz: a tangential force shrinks with its stiffness while the
                                overlap shrinks; without this, unloading creates energy */
    TW_CONTACT_ALL = 63
};

/* Bits of tw_contact_law.flags. */
enum {
    TW_CONTACT_BY_RADIUS = 1,  /* kn, kt, k_r and k_w are to be multiplied by the reduced radius, of
                                  Hertz contacts by its root; see tw_contact_law_at */
    TW_CONTACT_BY_MASS = 2,    /* nu_n, nu_t, nu_r and nu_w are damping ratios; the coefficients
                                  follow from stiffness and reduced mass */
    TW_CONTACT_NO_TENSION = 4, /* damping does not pull: it takes no more than the normal force,
                                  and friction follows the sum of both */
    TW_CONTACT_YADE_LEVERS = 8 /* rolling and twisting as in YADE: the couple per angle is k_r Rp
                                  Rq, its limit mu_r fn min(Rp, Rq), and so for k_w and mu_w */
};

typedef struct tw_contact_law {
    double kn;   /* normal stiffness [N/m]; Hertz: fn/zeta^(3/2) [N/m^(3/2)] */
    double kt;   /* tangential stiffness [N/m]; Hertz: stiffness/zeta^(1/2) [N/m^(3/2)]. So are
                    k_r and k_w */
    double mu;   /* friction coefficient [-] */
    double nu_n; /* normal damping, force per relative velocity [N s/m]; Hertz:
                    force/velocity/zeta^(1/4) [N s/m^(5/4)]. So are nu_t, nu_r and nu_w */
    double nu_t; /* tangential damping. The sum of tangential force and damping stays within the
                    friction limit */
    double k_r;  /* rolling stiffness. The movement is the relative rotation times the reduced
                    radius: the couple per angle is k_r radius^2 */
    double mu_r; /* rolling friction: the limit of the couple is mu_r fn radius [-] */
    double nu_r; /* rolling damping */
    double k_w;  /* twisting stiffness, mu_w and nu_w likewise */
    double mu_w;
    double nu_w;
    int32_t kind;    /* a tw_contact_kind */
    uint32_t refine; /* refinements in use */
    int32_t normal;  /* a tw_contact_normal */
    uint32_t flags;
} tw_contact_law;

/* Movement of a contact during one step. `p` and `q` are the two bodies. */
typedef struct tw_contact_motion {
    tw_vec3 n;      /* unit normal at the end of the step, outward from p [-] */
    double zeta;    /* overlap at the end of the step, negative for a gap [m] */
    tw_vec3 du;     /* movement of q relative to p at the contact, during the step [m] */
    tw_vec3 turn_p; /* rotation of p during the step, as a rotation vector [rad] */
    tw_vec3 turn_q; /* rotation of q [rad] */
    double radius;  /* reduced radius Rp Rq/(Rp + Rq), or that of the sphere at a plane [m]; for
                       rolling, twisting and TW_CONTACT_BY_RADIUS */
    double mass;    /* reduced mass mp mq/(mp + mq), 0 for no damping [kg]; for
                       TW_CONTACT_BY_MASS */
    double ratio;   /* the smaller radius by the larger one, 0 at a plane [-]; for
                       TW_CONTACT_YADE_LEVERS */
} tw_contact_motion;

/* State kept between steps. */
typedef struct tw_contact_memory {
    tw_vec3 n;   /* unit normal [-] */
    double zeta; /* overlap, negative for a gap [m] */
    tw_vec3 ft;  /* tangential force on p [N] */
} tw_contact_memory;

/* The parts of what a contact remembers that only some laws need, as bits of
 * tw_contact_law_extras. */
enum {
    TW_CONTACT_EXTRA_ROLLING = 1,  /* fr: rolling force, the couple on q is radius n x fr [N] */
    TW_CONTACT_EXTRA_TWISTING = 2, /* fw: twisting force, the couple on p is radius fw n [N] */
    TW_CONTACT_EXTRA_DAMPING = 4,  /* drag: damping force on p at the end of the last step, rate:
                                      its mean in that step, without limits [N] */
    TW_CONTACT_EXTRA_ROLLING_DAMPING = 8,   /* drag_r, rate_r: the same for rolling, */
    TW_CONTACT_EXTRA_TWISTING_DAMPING = 16, /* drag_w, rate_w: and twisting */
    TW_CONTACT_EXTRA_ALIVE = 32, /* alive: 1 once a contact has begun that ends at a smaller overlap
                                    than that at which it begins. No law there is needs it */
    TW_CONTACT_EXTRA_SHARED = 64, /* ceded: what part of its tangential force and couple a contact
                                     leaves to others with the same wall; pass: what their pass adds
                                     to the force on p [N]; pass_energy [J]. Of walls of elements;
                                     no law needs it */
    TW_CONTACT_EXTRA_DAMPED = 4 + 8 + 16
};

/* One of these parts. There are tw_contact_part_count() of them; tw_contact_part_at gives NULL
 * beyond. Their list is twirl/detail/contact_parts.def; new ones may come at its end. */
typedef struct tw_contact_part {
    const char *name, *unit;
    uint32_t numbers; /* of one contact; a vector has three */
    uint32_t need;    /* the bit of tw_contact_law_extras it belongs to */
} tw_contact_part;

TW_API uint32_t tw_contact_part_count(void);
TW_API const tw_contact_part *tw_contact_part_at(uint32_t part);

/* The number of a part; tw_contact_part_count(): there is none with this name. */
TW_API uint32_t tw_contact_part_named(const char *name);

enum { TW_CONTACT_PARTS_MAX = 32 };

/* What only some laws need to remember, of one contact or of several: the numbers of part k of
 * contact i begin at part[k] + i stride. NULL: no law needs it. All zero for a new contact. */
typedef struct tw_contact_extra {
    double *part[TW_CONTACT_PARTS_MAX];
    size_t stride; /* 0: each part's own numbers, so that it is an array of its own */
} tw_contact_extra;

/* Parts that some law needs, one after the other in `numbers`, and contact after contact. */
TW_API tw_contact_extra tw_contact_extra_of(uint32_t needs, double *numbers);

/* The numbers of one contact there. */
TW_API uint32_t tw_contact_extra_numbers(uint32_t needs);

/* Forces at the end of a step, and the work done in it. */
typedef struct tw_contact_load {
    tw_vec3 f;              /* force on p at the end of the step, damping included; q gets -f [N].
                               In the step in which a contact ends, what remains of the impulse
                               of its damping, or of a force that jumps */
    tw_vec3 couple;         /* of rolling and twisting resistance on p; q gets -couple [N m] */
    double fn;              /* normal force, compression positive, without damping [N] */
    double alpha_o;         /* fraction of the step at which a new contact touches, otherwise 0 */
    double alpha_s;         /* fraction of the step at which sliding starts, 1 if it does not */
    double work_normal;     /* normal energy stored at the end of the step [J] */
    double work_tangential; /* work done on the tangential spring and slider in this step [J] */
    double work_reversible; /* part of it that changed the stored tangential energy [J] */
    double work_dissipated; /* part of it dissipated by sliding, and what is given up where a normal
                               force jumps as the contact begins or ends [J] */
    double work_micro;      /* Hertz: part of it lost while sticking, as the stiffness changes: the
                               micro-slip at the rim of the contact area [J] */
    double work_rolling;    /* work done on the rolling spring and slider in this step [J] */
    double lost_rolling;    /* part of it that was dissipated [J] */
    double work_twisting;   /* the same for twisting */
    double lost_twisting;
    double work_viscous; /* work dissipated by damping of all kinds in this step [J] */
    int32_t touching;    /* 1: overlap at the end of the step */
    int32_t sliding;     /* 1: sliding at the end of the step */
} tw_contact_load;

/* Exact law, all refinements, no damping; kn, kt and mu are 0. kn must be set. */
TW_API tw_contact_law tw_contact_law_default(void);

/* NULL if the law is valid, otherwise a message that says what is expected. With a valid law every
 * finite motion with unit normals gives a finite load. */
TW_API const char *tw_contact_law_check(const tw_contact_law *law);

/* The parts that the law needs: bits such as TW_CONTACT_EXTRA_ROLLING, 0 for none. */
TW_API uint32_t tw_contact_law_extras(const tw_contact_law *law);

/* The law of a contact with this reduced radius, reduced mass and ratio of radii, as in
 * tw_contact_motion: the flags TW_CONTACT_BY_RADIUS, TW_CONTACT_BY_MASS and TW_CONTACT_YADE_LEVERS
 * are applied and cleared. At a plane, whose radius is infinite, the levers are the radius of the
 * sphere. A damping ratio of 1 is critical damping of a linear
 * spring; of a Hertz contact the coefficients are 2 sqrt(5/6) ratio sqrt(mass stiffness), with the
 * tangent stiffness in the normal direction, so that the coefficient of restitution follows from
 * the ratio as for a linear spring: see tw_contact_law_damping_ratio. tw_contact_advance does this
 * by itself. */
TW_API tw_contact_law tw_contact_law_at(const tw_contact_law *law, double radius, double mass,
                                        double ratio);

/* The damping ratio that gives a coefficient of restitution, in (0, 1], in a collision of two
 * spheres along the line of their centres: -ln(e)/sqrt(pi^2 + ln(e)^2). With TW_CONTACT_NO_TENSION
 * in `flags` damping does not pull, and the ratio is that of Schwager & Poeschel (2007). Linear
 * springs and Hertz contacts alike (Antypov & Elliott 2011). */
TW_API double tw_contact_law_damping_ratio(double restitution, uint32_t flags);

/* "linear", "hertz". normal_named returns -1 for any other name. */
TW_API const char *tw_contact_normal_name(int32_t normal);
TW_API int32_t tw_contact_normal_named(const char *name);

/* The unit of a constant of a law, such as "kn", without flags: "N/m", "N/m^1.5"; NULL: there is no
 * such constant, or no such normal law. */
TW_API const char *tw_contact_constant_unit(int32_t normal, const char *name);

/* "exact", "paper", "conventional". kind_named returns -1 for any other name. */
TW_API const char *tw_contact_kind_name(int32_t kind);
TW_API int32_t tw_contact_kind_named(const char *name);

/* "fresh", "instant", "turning", "tilt", "twirl", "rescale" <-> one bit. refinement_named returns 0
 * for any other name; refinement_name returns NULL for anything that is not one of the bits. */
TW_API const char *tw_contact_refinement_name(uint32_t refinement);
TW_API uint32_t tw_contact_refinement_named(const char *name);

/* Advances one contact over one step of duration dt [s], which only damping uses. `extra` may be
 * NULL if the law needs none (tw_contact_law_extras), and has all parts that it does need. */
TW_API void tw_contact_advance(const tw_contact_law *law, const tw_contact_motion *motion,
                               double dt, tw_contact_memory *memory, const tw_contact_extra *extra,
                               tw_contact_load *load);

/* As tw_contact_advance, for `count` contacts, bit for bit. Contact i has the law laws[law_of[i]];
 * if law_of is NULL all have laws[0]. */
TW_API void tw_contact_advance_batch(const tw_contact_law *laws, const uint32_t *law_of,
                                     const tw_contact_motion *motion, double dt,
                                     tw_contact_memory *memory, const tw_contact_extra *extra,
                                     tw_contact_load *load, size_t count);

/* What a contact does at the end of a step, as bits of tw_contact_tangent.branch. Where a bit
 * changes with the motion the derivative jumps. */
enum {
    TW_CONTACT_TOUCHES = 1,
    TW_CONTACT_SLIDES = 2,
    TW_CONTACT_ROLLS = 4,   /* rolling is at its limit */
    TW_CONTACT_TWISTS = 8,  /* twisting is at its limit */
    TW_CONTACT_UNLOADS = 16 /* its overlap shrinks, which matters to a Hertz contact */
};

/* How force and couple on p at the end of a step change with its motion: block[i][j] is the change
 * of component i with component j. `du` goes with the overlap, which changes by -n.du; the normal
 * at the end stays. Rotations are at fixed du. See docs/theory/statics.md for what a change of the
 * normal adds. */
typedef struct tw_contact_tangent {
    double f_du[3][3];          /* [N/m] */
    double f_turn_p[3][3];      /* twirl [N] */
    double f_turn_q[3][3];      /* [N] */
    double couple_du[3][3];     /* by the overlap: limits and stiffnesses go with it [N] */
    double couple_turn_p[3][3]; /* rolling, twisting, twirl [N m] */
    double couple_turn_q[3][3]; /* [N m] */
    uint32_t branch;
} tw_contact_tangent;

/* The derivative of the step that tw_contact_advance would make from `memory` and `extra`, in
 * closed form and without damping. `extra` may be NULL: no couples. NULL, or why there is none: the
 * law must be exact and have all its refinements. */
TW_API const char *tw_contact_derivative(const tw_contact_law *law, const tw_contact_motion *motion,
                                         const tw_contact_memory *memory,
                                         const tw_contact_extra *extra,
                                         tw_contact_tangent *tangent);

/* As tw_contact_derivative, in the limit of a short step from this state: the tangent of its rate
 * equations in the given branch, of which TW_CONTACT_SLIDES and others hold from the start. A force
 * of zero sticks. The law is one that tw_contact_law_at gives, `radius` the reduced radius. */
TW_API const char *tw_contact_derivative_rate(const tw_contact_law *law,
                                              const tw_contact_memory *memory,
                                              const tw_contact_extra *extra, double radius,
                                              uint32_t branch, tw_contact_tangent *tangent);

/* Two spheres, for callers that have positions and rotations rather than a motion. A sphere may be
 * a member of a rigid cluster; its rotation is that of the cluster. */
typedef struct tw_contact_pair {
    tw_vec3 branch; /* centre of q minus centre of p at the end of the step [m] */
    tw_vec3 turn_p; /* rotation of p during the step, as a rotation vector [rad] */
    tw_vec3 turn_q; /* rotation of q [rad] */
    double radius_p;
    double radius_q;
    double mass; /* reduced mass, as in tw_contact_motion */
} tw_contact_pair;

/* Initial memory of a pair. `branch` is the branch at the *start* of the step:
 * tw_contact_pair.branch minus the displacement of q's centre relative to p's. Pairs that do not
 * touch need no memory: call this in the step in which they come into contact. */
TW_API tw_contact_memory tw_contact_memory_fresh(tw_vec3 branch, double radius_p, double radius_q);

/* The motion of a pair since its memory was last written, as the law of this kind measures it. */
TW_API tw_contact_motion tw_contact_pair_motion(int32_t kind, const tw_contact_pair *pair,
                                                const tw_contact_memory *memory);

/* A sphere, p, and a wall, q, of any form, which may move and turn as a rigid body. */
typedef struct tw_contact_wall {
    tw_vec3 n;      /* unit, from the centre of the sphere to the contact, at the end of the step */
    tw_vec3 moved;  /* movement of the centre of the wall minus that of the sphere [m] */
    tw_vec3 from;   /* from the centre of the wall to that of the sphere, at the end [m] */
    tw_vec3 turn_p; /* rotation of the sphere during the step, as a rotation vector [rad] */
    tw_vec3 turn_q; /* of the wall, about its centre */
    double distance; /* of the centre of the sphere from the contact, at the end [m] */
    double radius;   /* of the sphere [m] */
    double mass;     /* of the body of the sphere, or 0, as in tw_contact_motion */
} tw_contact_wall;

/* Memory and motion of a sphere at a wall: as tw_contact_memory_fresh and tw_contact_pair_motion,
 * with the reduced radius of a plane whatever the curvature of the wall. */
TW_API tw_contact_memory tw_contact_wall_memory_fresh(const tw_contact_wall *wall);
TW_API tw_contact_motion tw_contact_wall_motion(int32_t kind, const tw_contact_wall *wall,
                                                const tw_contact_memory *memory);

/* A sphere, p, and a plane, q, which may move but does not turn. */
typedef struct tw_contact_plane {
    tw_vec3 normal;  /* unit normal, towards the sphere [-] */
    double distance; /* from the plane to the centre at the end of the step, along the normal [m] */
    tw_vec3 moved;   /* movement of the plane minus that of the centre, during the step [m] */
    tw_vec3 turn_p;  /* rotation of the sphere during the step, as a rotation vector [rad] */
    double radius;   /* [m] */
    double mass;     /* of the body of the sphere, or 0, as in tw_contact_motion */
} tw_contact_plane;

/* Memory and motion of a sphere at a plane: as tw_contact_memory_fresh and tw_contact_pair_motion
 * for a sphere q that does not turn, in the limit of an infinite radius. */
TW_API tw_contact_memory tw_contact_plane_memory_fresh(const tw_contact_plane *plane);
TW_API tw_contact_motion tw_contact_plane_motion(int32_t kind, const tw_contact_plane *plane,
                                                 const tw_contact_memory *memory);

#ifdef __cplusplus
}
#endif

#endif
