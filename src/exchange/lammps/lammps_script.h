/* SPDX-License-Identifier: BSD-3-Clause */
/* The input script of a run that continues in LAMMPS. */
#ifndef TW_EXCHANGE_LAMMPS_LAMMPS_SCRIPT_H
#define TW_EXCHANGE_LAMMPS_LAMMPS_SCRIPT_H

#include "exchange/lammps/lammps_run.h"
#include "exchange/outfile.h"

void tw_lammps_script_print(tw_outfile *out, const tw_lammps_run *run);

#endif
