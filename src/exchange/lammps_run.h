/* SPDX-License-Identifier: BSD-3-Clause */
/* A state on its way into LAMMPS: what the files of tw_export_lammps_run share. */
#ifndef TW_EXCHANGE_LAMMPS_RUN_H
#define TW_EXCHANGE_LAMMPS_RUN_H

#include <stdbool.h>

#include <twirl/exchange.h>

#include "exchange/frame.h"
#include "exchange/lammps_frame.h"
#include "exchange/outfile.h"

/* Types of atoms: what moves them. */
enum { TW_LAMMPS_SPHERE = 1, TW_LAMMPS_MEMBER = 2, TW_LAMMPS_FIXED = 3 };

typedef struct tw_lammps_run {
    const tw_sim *sim;
    tw_sim_def def;
    tw_lammps_options options;
    const char *prefix;
    tw_frame frame;
    tw_lammps_frame box;
    tw_mat3 gradient; /* in LAMMPS' frame, upper triangular [1/s] */
    tw_vec3 turning;  /* of that frame in space, seen in it [rad/s] */
    size_t atoms[4];  /* by type */
    size_t clusters;  /* bodies that fix rigid/small moves */
    bool molecules;   /* some body has more than one sphere */
    double extent;    /* largest distance of a member from the centre of its body [m] */
    double radius_mean, radius_max; /* of spheres [m] */
    double mass_mean;               /* of bodies [kg] */
} tw_lammps_run;

/* A body at the end of the step, in LAMMPS' frame. */
typedef struct tw_lammps_body {
    tw_body_state state; /* as the simulation gives it, in space */
    size_t first, count; /* spheres */
    int type;
    tw_vec3 x;    /* wrapped [m] */
    int image[3]; /* where it was before */
    tw_vec3 v;    /* with the stock pair style, affine part included [m/s] */
    tw_vec3 w;    /* [rad/s] */
    tw_vec3 l;    /* angular momentum [kg m^2/s] */
    tw_mat3 inertia;
} tw_lammps_body;

tw_lammps_body tw_lammps_run_body(const tw_lammps_run *run, uint32_t id);

void tw_lammps_print_data(tw_outfile *out, const tw_lammps_run *run);
void tw_lammps_print_bodies(tw_outfile *out, const tw_lammps_run *run);

/* In the form of pair_style twirl and fix wall/twirl; those between spheres where wall is -1. */
void tw_lammps_print_contacts(tw_outfile *out, const tw_lammps_run *run, int wall);

void tw_lammps_print_script(tw_outfile *out, const tw_lammps_run *run);

/* The lines of the script that deform the cell. */
void tw_lammps_print_deform(tw_outfile *out, const tw_lammps_run *run);

#endif
