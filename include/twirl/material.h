/* SPDX-License-Identifier: BSD-3-Clause */
/* Materials, and the law of a contact between two of them. A material is in the words of scenarios,
 * a law in the symbols of the theory: friction is mu, rolling_friction mu_r.
 *
 *     tw_material glass = tw_material_default(), steel = glass;
 *     glass.normal = steel.normal = TW_CONTACT_HERTZ;
 *     glass.young = 70e9;  glass.poisson = 0.22; glass.friction = 0.3; glass.restitution = 0.9;
 *     steel.young = 210e9; steel.poisson = 0.30; steel.friction = 0.2; steel.restitution = 0.9;
 *     tw_contact_law law;
 *     const char *why = tw_material_pair_law(&glass, &steel, &law);   // NULL: valid
 *
 * Rules of mixing:
 * - Linear springs: kn, kt, nu_n and nu_t in series, such that two grains of one material have its
 *   constants: 2 a b/(a + b). With a modulus E, in series likewise, kn = 2 E R1 R2/(R1 + R2), as
 *   in YADE; at a plane, whose radius is infinite, kn = 2 E R.
 * - Hertz: 1/E* is the sum of (1 - poisson^2)/young, 1/G* that of 2 (2 - poisson) (1 +
 *   poisson)/young; kn = (4/3) E* sqrt(radius) and kt = 8 G* sqrt(radius), with the reduced radius.
 * - Frictions: the smaller one.
 * - Restitution: the geometric mean.
 * - Stiffnesses of rolling and twisting: kt times the mean of the ratios.
 * - Damping ratios: the mean.
 *
 * Functions have no state: any thread may call them.
 */
#ifndef TWIRL_MATERIAL_H
#define TWIRL_MATERIAL_H

#include <twirl/contact.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tw_material {
    size_t struct_size; /* set by tw_material_default */
    int32_t normal;     /* a tw_contact_normal, the same for both materials of a pair */
    double kn, kt;      /* linear: of a contact of two grains of this material [N/m] */
    double modulus;     /* linear, in place of kn and kt: kn = 2 modulus R with the reduced radius
                           R; 0 (default): kn and kt are given [Pa] */
    double kt_ratio;    /* with modulus: kt/kn; default 1 [-] */
    double young, poisson; /* Hertz: Young's modulus [Pa], Poisson's ratio, -1 to 0.5 [-] */
    double friction;       /* coefficient [-] */
    double restitution;    /* of a collision without friction, 0 < e <= 1; 1 (default): no normal
                              damping from this [-] */
    double tangential_damping; /* damping ratio; 0 (default): none [-] */
    double nu_n, nu_t; /* damping coefficients of linear springs, in place of restitution and
                          tangential_damping; 0 (default): none [N s/m] */
    double rolling_friction, twisting_friction; /* 0 (default): none [-] */
    double kr_ratio, kw_ratio;                  /* k_r/kt and k_w/kt; default 1 [-] */
    double rolling_damping, twisting_damping;   /* damping ratios; 0 (default): none [-] */
    int no_tension;  /* 1: damping does not pull; if of one of two materials, of the pair */
    int yade_levers; /* 1: TW_CONTACT_YADE_LEVERS for rolling and twisting; the same for both
                        materials of a pair */
} tw_material;

/* Linear, without friction and damping; kn and kt, modulus, or young must be set. */
TW_API tw_material tw_material_default(void);

/* NULL if the material is valid, otherwise a message that says what is expected. */
TW_API const char *tw_material_check(const tw_material *material);

/* Whether contacts with this normal law have a constant, by its name: linear ones "kn", those of
 * Hertz "young", and both "friction". */
TW_API int tw_material_has(int32_t normal, const char *name);

/* The first normal law that has it; -1: none. */
TW_API int32_t tw_material_normal_with(const char *name);

/* The law of a contact of a and b: of kind exact, with all refinements; its flags may include
 * TW_CONTACT_BY_RADIUS and TW_CONTACT_BY_MASS. Returns NULL, or a message: both must have the same
 * normal law, the same levers, and stiffness (kn, kt, or modulus) and damping (nu_n, nu_t, or
 * ratios) given in the same way. */
TW_API const char *tw_material_pair_law(const tw_material *a, const tw_material *b,
                                        tw_contact_law *law);

#ifdef __cplusplus
}
#endif

#endif
