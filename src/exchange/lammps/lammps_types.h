/* SPDX-License-Identifier: BSD-3-Clause */
/* Atom types of a run that continues in LAMMPS. The type of an atom says which material its body
 * has and what moves it; walls of a material that no body has get a type without atoms. */
#ifndef TW_EXCHANGE_LAMMPS_LAMMPS_TYPES_H
#define TW_EXCHANGE_LAMMPS_LAMMPS_TYPES_H

#include <stdbool.h>
#include <stdint.h>

#include <twirl/sim.h>

typedef struct tw_lammps_types {
    uint32_t labels;    /* largest type of a body in the simulation */
    uint32_t base;      /* types of single spheres: the labels, or, where bodies with one label have
                           several materials, a block of labels for each material */
    uint32_t movers;    /* blocks of base types */
    uint32_t count;     /* all types, with those of walls */
    uint32_t *material; /* of types 1 to count */
} tw_lammps_types;

tw_status tw_lammps_types_make(tw_lammps_types *types, const tw_sim *sim, uint32_t movers,
                               tw_error *error);
void tw_lammps_types_free(tw_lammps_types *types);

/* The type of the atoms of a body; mover 0 is the first block. */
uint32_t tw_lammps_types_of_body(const tw_lammps_types *types, const tw_body_state *body,
                                 uint32_t mover);

/* A type with this material. */
uint32_t tw_lammps_types_of_material(const tw_lammps_types *types, uint32_t material);

#endif
