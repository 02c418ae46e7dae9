/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TWIRL_APP_SWEEP_COMMAND_H
#define TWIRL_APP_SWEEP_COMMAND_H

int tw_sweep_command(int argc, char **argv);

#endif
