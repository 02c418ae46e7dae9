/* SPDX-License-Identifier: BSD-3-Clause */
/* The data file, the bodies and the contacts of a run that continues in LAMMPS. */
#ifndef TW_EXCHANGE_LAMMPS_LAMMPS_PRINT_H
#define TW_EXCHANGE_LAMMPS_LAMMPS_PRINT_H

#include "exchange/lammps/lammps_run.h"
#include "exchange/outfile.h"

void tw_lammps_print_data(tw_outfile *out, const tw_lammps_run *run);
void tw_lammps_print_bodies(tw_outfile *out, const tw_lammps_run *run);

/* In the form of pair_style twirl (wall -1: contacts between spheres) or fix wall/twirl. */
void tw_lammps_print_contacts(tw_outfile *out, const tw_lammps_run *run, int wall);

#endif
