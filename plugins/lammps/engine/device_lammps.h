/* SPDX-License-Identifier: GPL-2.0-only */
/* The device "lammps": a simulation whose bodies are divided among the processes of a job. The
 * first process has the program, and calls the others to do their parts. */
#ifndef TWIRL_LAMMPS_ENGINE_DEVICE_LAMMPS_H
#define TWIRL_LAMMPS_ENGINE_DEVICE_LAMMPS_H

#include "device/device.h"

namespace twirl_lammps
{

extern const tw_device_kind device_lammps; /* for the first process */

/* What the other processes do, until dismiss() is called on the first one. */
void serve();
void dismiss();

} // namespace twirl_lammps

#endif
