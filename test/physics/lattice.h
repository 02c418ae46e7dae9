/* SPDX-License-Identifier: BSD-3-Clause */
/* Face-centred cubic lattices of equal spheres in rotated periodic cells. */
#ifndef TWIRL_TEST_PHYSICS_LATTICE_H
#define TWIRL_TEST_PHYSICS_LATTICE_H

#include "tensor.h"

typedef struct lattice {
    double radius, overlap; /* [m] */
    int cells;              /* cubic cells of four spheres along each edge */
    tw_vec3 turn;           /* orientation of lattice and cell */
    int primitive;          /* 1: edges along the bonds, `cells` spheres along each */
    tw_contact_law law;
    double dt;          /* [s]; 0: automatic */
    double dt_fraction; /* 0: the engine's default */
} lattice;

tw_sim *lattice_make(const lattice *def);

/* Simple cubic: side^3 equal spheres, each with six contacts. */
tw_sim *lattice_simple_cubic(double radius, double overlap, int side, const tw_contact_law *law);

/* Edge of the cubic cell of four spheres. */
double lattice_edge(const lattice *def);

/* Stress change (compression positive) due to the strain e (extension positive), in the frame of
 * the cube: -(C11 - C12 - 2 C44) e_ii on the diagonal - C12 tr e - 2 C44 e, with the closed forms
 *
 * C11 = (kn + kt)/(sqrt2 R), C12 = (kn - kt)/(2 sqrt2 R), C44 = (kn + kt)/(2 sqrt2 R): C_ijkl =
 * (1/V) sum over bonds of (2R)^2 [(kn - kt) n_i n_j n_k n_l
 *          + kt/4 (n_i n_k d_jl + n_j n_k d_il + n_i n_l d_jk + n_j n_l d_ik)]
 * with V = 4 sqrt2 R^3 and six bonds per sphere, where sum n_x^4 = 1, sum n_x^2 n_y^2 = 1/2 and sum
 * n_i n_k = 2 d_ik. Grains do not rotate: all torques balance by symmetry. kn and kt are tangent
 * stiffnesses: those of Hertz contacts are (3/2) kn zeta^(1/2) and kt zeta^(1/2). */
tw_mat3 lattice_stress(const lattice *def, const tw_mat3 *strain);

/* The k-th of six strains, in the frame of the cube. */
tw_mat3 lattice_strain(int k, double size);

/* The stress change that the engine finds, rotated back into the frame of the cube. Fails the test
 * if a contact opens or slides. */
tw_mat3 lattice_respond(const lattice *def, const tw_mat3 *strain);

#endif
