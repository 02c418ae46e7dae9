/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TWIRL_APP_RUN_COMMAND_H
#define TWIRL_APP_RUN_COMMAND_H

int tw_run_command(int argc, char **argv);

#endif
