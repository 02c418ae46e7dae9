/* SPDX-License-Identifier: BSD-3-Clause */
/* The state that tw_export_lammps_run hands over to LAMMPS, and its bodies in LAMMPS' frame. */
#ifndef TW_EXCHANGE_LAMMPS_LAMMPS_RUN_H
#define TW_EXCHANGE_LAMMPS_LAMMPS_RUN_H

#include <stdbool.h>

#include <twirl/exchange.h>

#include "base/text_file.h"
#include "exchange/export.h"
#include "exchange/lammps/lammps.h"

/* What moves an atom. */
enum { TW_LAMMPS_RUN_SPHERE = 1, TW_LAMMPS_RUN_MEMBER = 2, TW_LAMMPS_RUN_FIXED = 3 };

typedef struct tw_lammps_run {
    const tw_sim *sim;
    tw_sim_def def;
    tw_lammps_options options;
    const char *prefix;
    tw_frame frame;
    tw_lammps_frame box;
    tw_mat3 gradient; /* velocity gradient in LAMMPS' frame, upper triangular [1/s] */
    tw_vec3 spin;     /* of that frame in space, in its own components [rad/s] */
    tw_lammps_types types;
    uint32_t extras; /* tw_contact_law_extras of all laws */
    size_t atoms[4]; /* by mover */
    size_t clusters; /* bodies moved by fix rigid/small */
    bool molecules;  /* some body has more than one sphere */
    double extent;   /* largest distance of a member from the centre of its body [m] */
    double radius_mean, radius_max; /* of the spheres [m] */
    double mass_mean;               /* of the bodies [kg] */
} tw_lammps_run;

/* A body at the end of the step, in LAMMPS' frame. */
typedef struct tw_lammps_run_body {
    tw_body_state state; /* as the simulation has it, in space */
    size_t first, count; /* spheres */
    int mover;
    uint32_t type; /* of its atoms */
    tw_vec3 x;     /* wrapped into the box [m] */
    int image[3];  /* how many edges were taken off */
    tw_vec3 v;     /* including the affine part for the stock pair style [m/s] */
    tw_vec3 w;     /* [rad/s] */
    tw_vec3 l;     /* angular momentum [kg m^2/s] */
    tw_mat3 inertia;
} tw_lammps_run_body;

/* The law of two materials, which exist. */
tw_contact_law tw_lammps_run_law(const tw_lammps_run *run, uint32_t a, uint32_t b);

/* The input script of a run that continues in LAMMPS. */

void tw_lammps_script_print(tw_outfile *out, const tw_lammps_run *run);

#endif
