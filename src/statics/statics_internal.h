/* SPDX-License-Identifier: BSD-3-Clause */
/* The tangent of a state as it is stored, and its parts. Equation numbers are those of
 * docs/theory/statics.md. In here extension and tension are positive. */
#ifndef TW_STATICS_STATICS_INTERNAL_H
#define TW_STATICS_STATICS_INTERNAL_H

#include <stdbool.h>
#include <stdint.h>

#include <twirl/contact_inline.h>
#include <twirl/statics.h>

#include "statics/statics_lcp.h"
#include "statics/statics_solver.h"

enum {
    TW_STATICS_BODY = 6,      /* unknowns of a body */
    TW_STATICS_PAIR = 12,     /* of two bodies */
    TW_STATICS_CELL = 9,      /* of the cell */
    TW_STATICS_CONTACT = 21,  /* of a contact: those of p, of q, of the cell */
    TW_STATICS_BLOCK = 6 * 6, /* elements that couple two bodies */
};

/* A contact: geometry, forces and stiffnesses of its springs. */
typedef struct tw_statics_contact {
    uint32_t p, q;  /* bodies; q = TW_NO_BODY at a wall */
    uint32_t index; /* in the list of tw_sim_get_contacts */
    tw_vec3 n;
    double zeta, rp, rq;     /* rq is infinite at a wall */
    tw_vec3 dp, dq;          /* offsets of the spheres from the centres of their bodies */
    tw_vec3 b;               /* branch vector between bodies; at a wall from p to the origin */
    double fn, pressing, fw; /* springs, as in tw_contact_parts */
    tw_vec3 ft, fr;
    double kn, kt, kr, kw; /* tangent stiffnesses [N/m] */
    double mu, mu_r, mu_w;
    double lever;               /* reduced radius, of rolling and twisting [m] */
    tw_contact_law law;         /* for this contact: tw_contact_law_at */
    tw_contact_tangent tangent; /* of the springs */
    bool at_zero;               /* a pair at zero gap: its tangent is not put in */
} tw_statics_contact;

/* The tangent of its rate equations in a branch, or why there is none. */
const char *tw_statics_tangent(const tw_statics_contact *c, uint32_t branch,
                               tw_contact_tangent *tangent);

/* Maps of the 21 unknowns of a contact to its motions. */
typedef struct tw_statics_maps {
    double du[3][TW_STATICS_CONTACT];   /* relative motion at the contact (S22) */
    double dl[3][TW_STATICS_CONTACT];   /* of the centres of the spheres (S23) */
    double roll[3][TW_STATICS_CONTACT]; /* rolling, */
    double twist[TW_STATICS_CONTACT];   /* and twisting movement */
    tw_vec3 ap, aq;                     /* arms of the forces */
} tw_statics_maps;

/* Everything by bodies: blocks on the diagonal, and one for each way of each pair that touches. */
struct tw_statics {
    tw_statics_def def;
    size_t bodies, contacts, pairs;
    size_t carrying; /* contacts between bodies that are no rattlers */
    tw_statics_contact *contact;
    tw_statics_contact *near; /* pairs at zero gap that do not touch; linear contacts alone */
    size_t nears;
    double zero;     /* gaps and overlaps up to this are zero [m] */
    bool *pinched;   /* rattlers that several pairs at zero gap may hold; NULL: not looked for */
    uint32_t *pair;  /* p, q of each */
    double *self;    /* bodies x 36; the next three are in the same memory */
    double *across;  /* pairs x 2 x 36: rows of p by columns of q, rows of q by columns of p */
    double *by_cell; /* 6 bodies x 9: forces by the motion of the cell */
    double *of_cell; /* 9 x 6 bodies: moments by motions of bodies */
    double cell[TW_STATICS_CELL * TW_STATICS_CELL];
    double *size;           /* of bodies: a length that turns rotations into displacements [m] */
    double *mass;           /* in the same memory */
    tw_mat3 *mobility;      /* inverse inertia tensors, in space */
    unsigned char *rattler; /* 1: carries nothing: tw_sim_get_rattlers, and weak grains */
    double kn;              /* mean normal stiffness [N/m] */
    double volume, density;
    tw_mat3 moment; /* sum of f_i b_j */
    bool geometric; /* the tangent has geometric terms */
    bool closed;    /* periodic along all edges, without walls and fixed bodies */
    bool hertz;
    double engine_step, unbalanced, force_mean;
    uint32_t worst;     /* body with the largest unbalanced force, */
    double worst_force; /* which is this [N] */
    size_t rattlers;
    tw_statics_solver solver; /* of the bodies, once it was needed */
    size_t small_pivots;      /* of it, and spins that nothing holds */
};

void tw_statics_contact_maps(const tw_statics_contact *c, tw_statics_maps *maps);

/* The tangent of one contact, (S18) to (S26): `geometric` terms may be left out. */
void tw_statics_contact_block(const tw_statics_contact *c, bool geometric,
                              double block[TW_STATICS_CONTACT][TW_STATICS_CONTACT]);

/* Whether a contact is part of the tangent: not those of rattlers, nor those at zero gap. */
bool tw_statics_carries(const tw_statics *s, const tw_statics_contact *c);

/* Which of two contacts comes first in a list of them: -1, 0, 1. */
int tw_statics_order_of(const tw_contact_state *a, const tw_contact_state *b);

/* The tangent of all contacts that carry. */
void tw_statics_assemble(tw_statics *s, bool geometric);

/* Strains e = xx, yy, zz, yz, xz, xy, with engineering shears: sum over j of m[i][j] at one of
 * them, for a row of 9 numbers, `step` apart; that of G; G without spin. */
double tw_statics_by_strain(const double *row, size_t step, int e);
double tw_statics_strain_of(const double *g, int e);
void tw_statics_put_gradient(const double strain[TW_COMPONENTS], double *g);

/* Factorises the matrix of the bodies, scaled and shifted. `hold`: a body is held against the
 * translation of everything, and what only the shift holds is counted and does not move. */
tw_status tw_statics_factor(tw_statics *s, double shift, bool hold, tw_error *error);

/* Solves for columns of 6 bodies numbers each, in the unknowns of the state. */
tw_status tw_statics_solve(tw_statics *s, size_t columns, double *x, tw_error *error);

/* Forces on bodies by six strains: the columns that are solved for their motions u. From these the
 * stiffness C (S28), tension positive; and stress by a motion of the bodies, without the change of
 * volume. */
void tw_statics_put_strains(const tw_statics *s, double *x);
void tw_statics_condense(const tw_statics *s, const double *u,
                         double c[TW_COMPONENTS * TW_COMPONENTS]);
double tw_statics_stress_by(const tw_statics *s, int component, const double *x);

/* x = C^-1 x; false: C is singular. */
bool tw_statics_soften(const double c[TW_COMPONENTS * TW_COMPONENTS], double x[TW_COMPONENTS]);

/* Both u and C, for a matrix that is factorised. */
tw_status tw_statics_put_stiffness(tw_statics *s, double *u,
                                   double c[TW_COMPONENTS * TW_COMPONENTS], tw_error *error);

/* The motion z, as in tw_statics_product, that answers a direction of strain or stress, tension
 * positive; 0: the problem has no solution. */
tw_status tw_statics_rates_move(const tw_statics_rates *rates, int by_stress,
                                const double direction[TW_COMPONENTS], double *z, tw_error *error);

/* ---- Rates: the unknowns of their problem ---- */

enum {
    TW_STATICS_CLOSES,  /* the normal spring of a pair at zero gap (S38) */
    TW_STATICS_UNLOADS, /* a Hertz contact, whose forces fall while its overlap shrinks (S36) */
    TW_STATICS_SLIDES,  /* a spring at its limit: tangential, rolling or twisting */
    TW_STATICS_GRIPS,   /* one of the two tangential springs of a pair at zero gap (S39) */
    TW_STATICS_SLIDER_KINDS
};

typedef struct tw_statics_slider {
    const tw_statics_contact *contact;
    double k;
    double slip[TW_STATICS_CONTACT];  /* its motion along the force: P */
    double yield[TW_STATICS_CONTACT]; /* how far its elastic force leaves the limit, over k: Q */
    size_t unloading; /* the slider for that of the same contact, or TW_STATICS_NO_SLIDER */
    double falls;     /* what that one takes off the yield (S37) */
} tw_statics_slider;

#define TW_STATICS_NO_SLIDER SIZE_MAX

/* By kind, and within a kind in the order of contacts. */
typedef struct tw_statics_sliders {
    tw_statics_slider *slider;
    size_t count, first[TW_STATICS_SLIDER_KINDS + 1]; /* those of kind k begin at first[k] */
    size_t weak; /* grains that hold by too few contacts, and are taken for rattlers */
} tw_statics_sliders;

/* Contacts that hardly touch and weak grains no longer carry in the tangent. `slack`: a force is at
 * its limit if it is within this of it, relative. */
tw_status tw_statics_sliders_find(tw_statics *s, double slack, tw_statics_sliders *out,
                                  tw_error *error);

/* The complementarity problem of the first `count` sliders, with the friction of pairs at zero gap;
 * m and q are of all sliders. */
tw_statics_lcp_end tw_statics_grips_solve(const tw_statics_sliders *sliders, size_t count,
                                          const double *m, const double *q, double *x,
                                          size_t *turns);

/* Finds rattlers that pairs at zero gap may hold: `pinched`. */
tw_status tw_statics_find_pinched(tw_statics *s, bool *any, tw_error *error);

/* That `what` can be had of the state. */
tw_status tw_statics_check(const tw_statics *s, const char *what, tw_error *error);

#endif
