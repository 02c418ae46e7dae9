/* SPDX-License-Identifier: BSD-3-Clause */
/* Statics of a state: its tangent stiffness, moduli and incremental response, without steps.
 *
 *     tw_statics_def def = tw_statics_def_default();
 *     tw_statics *statics = tw_statics_create(sim, &def, &error);      // NULL: error.text says why
 *     tw_statics_moduli moduli;
 *     if (tw_statics_compute_moduli(statics, &moduli, &error) != TW_STATUS_OK) ...
 *     tw_statics_free(statics);
 *
 * The tangent holds every term of first order, the geometric ones included: docs/theory/statics.md.
 * It is that of the exact law; other laws are refused. Sparse systems are solved by MUMPS, which is
 * in a module of its own that is opened when it is first needed; without it functions that solve
 * return TW_STATUS_FILE and say what to install. Results are not the same to the last bit on
 * different machines, because linear algebra libraries choose their code by processor.
 *
 * Strains and stresses are positive in compression, with engineering shear strains, in the order of
 * twirl/control.h.
 *
 * One thread at a time in functions that solve: MUMPS makes no promise for more. Source compatible
 * only, before 1.0.
 */
#ifndef TWIRL_STATICS_H
#define TWIRL_STATICS_H

#include <stddef.h>
#include <stdint.h>

#include <twirl/control.h>
#include <twirl/sim.h>
#include <twirl/types.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tw_statics tw_statics;

typedef struct tw_statics_def {
    int geometric;   /* 1 (default): with all geometric terms; 0: springs alone */
    double shift;    /* stiffness added to every motion of a body, in mean normal stiffnesses of
                        contacts; it holds what nothing else holds. Default 1e-9 [-] */
    double zero_gap; /* for rates: pairs whose gap, or overlap, is below this, in mean overlaps,
                        are at zero gap; 0: none. Default 1e-5 [-] */
} tw_statics_def;

TW_API tw_statics_def tw_statics_def_default(void);

/* The state as it is now; `sim` is prepared if it is not, and not needed afterwards. */
TW_API tw_statics *tw_statics_create(tw_sim *sim, const tw_statics_def *def, tw_error *error);
TW_API void tw_statics_free(tw_statics *statics);

/* Unknowns: translation and rotation of each body, in order of id, the translation being relative
 * to the affine motion of the cell; then the nine components of the displacement gradient G of the
 * cell, row by row, positive in extension. */
TW_API size_t tw_statics_size(const tw_statics *statics);

/* The change, to first order, of minus force and minus torque on each body, and of the sum of
 * f_i b_j over contacts, f the force on p and b the branch vector, by the motion z. Contacts stick.
 * Of Hertz contacts, whose tangential force shrinks with the overlap but does not grow with it, the
 * mean of both directions is taken. */
TW_API void tw_statics_product(const tw_statics *statics, const double *z, double *out);

/* ---- Moduli ---- */

typedef struct tw_statics_moduli {
    double stiffness[TW_COMPONENTS * TW_COMPONENTS]; /* change of stress by strain without spin, by
                                                        rows; contacts stick [Pa] */
    double geometric[TW_COMPONENTS * TW_COMPONENTS]; /* the part of geometric terms in it [Pa] */
    double gradient[81];     /* change of nominal stress by displacement gradient, index
                                27 i + 9 j + 3 k + l: what waves follow [Pa] */
    tw_mat3 stress;          /* of the springs [Pa] */
    double density;          /* of the specimen, pores included [kg/m^3] */
    double asymmetry;        /* largest difference to the transpose over the largest element */
    int definite;            /* 0: some strain meets no resistance, or is driven on: in motion,
                                unstable, or not held in all directions */
    double bulk, shear;      /* nearest isotropic stiffness [Pa] */
    double young, poisson;   /* of it */
    double isotropic_misfit; /* norm of the rest over the norm of the stiffness [-] */
    int axis;                /* of the nearest transversely isotropic stiffness: 0, 1, 2 */
    double c33, c11, c13, c12, c44; /* of it, with 3 for the axis [Pa] */
    double transverse_misfit;       /* as isotropic_misfit */
    size_t bodies, contacts;        /* of the state */
    size_t rattlers;                /* as in tw_measure */
    size_t floppy; /* motions that nothing but the shift holds, without those of rattlers and the
                      translation of everything */
    double stable_step; /* 2 over the largest frequency of the tangent [s] */
    double engine_step; /* the engine's bound of it [s] */
    double unbalanced;  /* as in tw_measure */
    double seconds;     /* of processor time */
} tw_statics_moduli;

/* For a cell that is periodic along all edges, without walls. */
TW_API tw_status tw_statics_compute_moduli(tw_statics *statics, tw_statics_moduli *out,
                                           tw_error *error);

/* Young's modulus in a direction of any length [Pa]; NaN for a stiffness that is not definite. */
TW_API double tw_statics_moduli_young(const tw_statics_moduli *moduli, tw_vec3 direction);

/* Speeds of the three plane waves along a direction, the slowest first; NaN for one that would grow
 * [m/s]. */
TW_API void tw_statics_moduli_waves(const tw_statics_moduli *moduli, tw_vec3 direction,
                                    double speed[3]);

/* ---- Rates: the response to a small further load, with contacts that slide ----
 *
 * A contact at its friction limit sticks or slides, and which of the two is part of the solution: a
 * linear complementarity problem. One factorisation and one solution for each contact at its limit
 * make it a dense problem for every direction of loading. So does, in the same problem, one for
 * each Hertz contact, whose tangential force falls with a shrinking overlap and does not rise with
 * a growing one; and for each pair of bodies at zero gap, which carries load if it closes. */

typedef struct tw_statics_rates tw_statics_rates;

/* A contact is at its limit if its force is within 1e-9 of it, relative; there is a verdict if no
 * body has an unbalanced force above 1e-6 mean normal forces.
 *
 * Takes over `statics`, whose weak grains become rattlers: those with fewer than four contacts, all
 * at their limits, which nothing holds; and whose Hertz contacts get the stiffness of a growing
 * overlap. It must outlive the rates. */
TW_API tw_statics_rates *tw_statics_rates_create(tw_statics *statics, tw_error *error);
TW_API void tw_statics_rates_free(tw_statics_rates *rates);

typedef enum tw_statics_found {
    TW_STATICS_STICKS, /* nothing slides */
    TW_STATICS_ACTIVE, /* by an active set */
    TW_STATICS_LEMKE,  /* by Lemke's algorithm */
    TW_STATICS_NOTHING /* no solution was found: rates are NaN */
} tw_statics_found;

typedef struct tw_statics_rate {
    double strain[TW_COMPONENTS], stress[TW_COMPONENTS]; /* [-], [Pa] */
    double no_slip[TW_COMPONENTS]; /* of what was not prescribed, if nothing slid */
    double work;                   /* second-order work, stress rate times strain rate [Pa] */
    double work_normalised;        /* by the norms of both: a cosine [-] */
    size_t sliding;                /* contacts that slide */
    tw_statics_found found;
    size_t turns; /* sets or pivots */
} tw_statics_rate;

/* The response to a strain rate, or to a stress rate. */
TW_API tw_status tw_statics_rates_solve(const tw_statics_rates *rates, int by_stress,
                                        const double direction[TW_COMPONENTS], tw_statics_rate *out,
                                        tw_error *error);

enum { TW_STATICS_CERTIFICATE = 10 };

typedef enum tw_statics_verdict {
    TW_STATICS_UNIQUE,     /* every load has one response */
    TW_STATICS_NOT_UNIQUE, /* some load has several responses or none: see the certificate */
    TW_STATICS_UNDECIDED,  /* neither could be shown */
    TW_STATICS_NO_VERDICT  /* the state is not in equilibrium */
} tw_statics_verdict;

typedef struct tw_statics_judgement {
    tw_statics_verdict verdict;
    size_t certificate[TW_STATICS_CERTIFICATE]; /* contacts, as tw_sim_get_contacts lists them,
                                                   whose minor is not positive */
    size_t certificate_count;                   /* 0: it is that of all */
} tw_statics_judgement;

TW_API tw_status tw_statics_rates_judge(const tw_statics_rates *rates, int by_stress,
                                        tw_statics_judgement *out, tw_error *error);

/* What the problem is made of. */
typedef struct tw_statics_problem {
    size_t bodies, contacts, at_limit, rattlers, weak;
    size_t zero_gap; /* pairs at zero gap, contacts that hardly touch among them */
    double residual; /* largest unbalanced force, in mean normal forces */
    uint32_t worst;  /* the body that it is on */
    double stiffness[TW_COMPONENTS * TW_COMPONENTS]; /* without slip, weak grains left out; Hertz:
                                                        of growing overlaps [Pa] */
    double force_mean;                               /* [N] */
    double seconds;                                  /* of processor time */
} tw_statics_problem;

TW_API tw_statics_problem tw_statics_rates_problem(const tw_statics_rates *rates);

/* ---- Increments: from one state in equilibrium to the next ----
 *
 * Newton's method with the exact law over the whole increment, however many contacts slide, open or
 * close in it. No time passes, and nothing is damped. */

typedef struct tw_statics_increment_def {
    int by_stress;                /* all stresses are prescribed; default 0: all strains */
    double change[TW_COMPONENTS]; /* [Pa] or [-]; default 0: the state is brought to equilibrium */
    size_t parts;                 /* steps in which it is applied; default 1 */
    double tolerance; /* of the unbalanced forces, root mean square in mean normal forces; default
                         1e-10 */
    int (*watch)(void *context); /* called in each iteration unless NULL; non-zero ends it with
                                    TW_STATUS_INTERRUPTED */
    void *context;
} tw_statics_increment_def;

TW_API tw_statics_increment_def tw_statics_increment_def_default(void);

typedef struct tw_statics_increment {
    int reached;     /* 1: the whole change, in equilibrium */
    double fraction; /* of the change at the last state in equilibrium */
    double strain[TW_COMPONENTS], stress[TW_COMPONENTS]; /* changes up to there [-], [Pa] */
    double residual;     /* largest unbalanced force there, in mean normal forces at the start */
    uint32_t worst;      /* the body that it is on */
    double moved;        /* largest displacement of a body that is not affine [m] */
    size_t gained, lost; /* contacts */
    size_t iterations;
    size_t halvings; /* of a step without a solution */
    int limit; /* of a change that is not reached: 1: a limit state, whose tangent does not carry
                  more, not even a 64th of a part; 0: Newton's method did not converge, */
    double stalled;         /* with this root mean square of unbalanced forces, in mean normal
                               forces, at the end, */
    uint32_t stalled_worst; /* the largest of them on this body */
    size_t snaps; /* 1: no equilibrium was near, and the bodies moved, as in a viscous fluid, until
                     one was. Only without a change */
} tw_statics_increment;

/* The state at the end, at rest, with an automatic time step and laws without damping; NULL: the
 * text of the error says why. `from` is prepared if it is not, and stays as it is. A change that is
 * not reached is no error: the last state in equilibrium is returned. */
TW_API tw_sim *tw_statics_increase(tw_sim *from, const tw_statics_increment_def *def,
                                   tw_statics_increment *out, tw_error *error);

/* ---- A survey: equilibrium, rates in many directions and the verdict, all at once ---- */

typedef struct tw_statics_survey_def {
    size_t count;  /* directions, at equal angles in the Rendulic plane, from the volumetric axis
                      towards that of axial compression; default 72 */
    int axis;      /* of that plane; default 2 */
    int by_stress; /* what is prescribed, a tensor of norm 1; default 0: strains */
    int (*watch)(void *context); /* as in tw_statics_increment_def, and before each direction */
    void *context;
} tw_statics_survey_def;

TW_API tw_statics_survey_def tw_statics_survey_def_default(void);

typedef struct tw_statics_survey {
    tw_statics_survey_def def;
    tw_statics_increment equilibrium; /* if it was not reached, the rest is about the state as it
                                         is, without a verdict */
    tw_statics_problem problem;
    tw_statics_judgement judgement;
    tw_contact_state certificate[TW_STATICS_CERTIFICATE]; /* the contacts of it */
    tw_statics_rate *rate;                                /* by direction */
    size_t solved;                                        /* directions so far, for `watch` */
    size_t unsolved, negative; /* directions without a solution, with negative work */
    size_t sliding;            /* the most contacts that slide in any of them */
} tw_statics_survey;

/* `sim` is prepared if it is not, and stays as it is. To be freed if it succeeds. */
TW_API tw_status tw_statics_compute_survey(tw_sim *sim, const tw_statics_survey_def *def,
                                           tw_statics_survey *out, tw_error *error);
TW_API void tw_statics_survey_free(tw_statics_survey *survey);

/* Writes rates.csv, its dictionary datapackage.json, and rates.json into a folder: docs/guide/
 * statics.md. `state` is what the survey is of. */
TW_API tw_status tw_statics_survey_write(const tw_statics_survey *survey, const char *state,
                                         const char *folder, tw_error *error);

/* Reads back the verdict, and the bodies of the contacts of its certificate, from rates.json in a
 * folder; the rest is 0, and there is nothing to free. */
TW_API tw_status tw_statics_survey_read(const char *folder, tw_statics_survey *out,
                                        tw_error *error);

/* "unique", "not unique", "undecided", "no verdict"; "sticks", "active set", "lemke", "none". */
TW_API const char *tw_statics_verdict_name(tw_statics_verdict verdict);
TW_API const char *tw_statics_found_name(tw_statics_found found);

/* The bodies of a contact: "bodies 3 and 7", "body 3 and a wall". */
enum { TW_STATICS_BODIES_TEXT = 40 };
TW_API void tw_statics_print_bodies(const tw_contact_state *contact,
                                    char text[TW_STATICS_BODIES_TEXT]);

/* Whether the module with MUMPS can be opened; the text of the error says what to install. */
TW_API tw_status tw_statics_check_solver(tw_error *error);

#ifdef __cplusplus
}
#endif

#endif
