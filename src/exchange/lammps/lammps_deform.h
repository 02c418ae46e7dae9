/* SPDX-License-Identifier: BSD-3-Clause */
/* `fix deform` for a constant velocity gradient. */
#ifndef TW_EXCHANGE_LAMMPS_LAMMPS_DEFORM_H
#define TW_EXCHANGE_LAMMPS_LAMMPS_DEFORM_H

#include "exchange/lammps/lammps_run.h"
#include "exchange/outfile.h"

/* Prints nothing if the cell is at rest. */
void tw_lammps_deform_print(tw_outfile *out, const tw_lammps_run *run);

#endif
