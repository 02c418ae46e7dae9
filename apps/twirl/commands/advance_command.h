/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TWIRL_APP_ADVANCE_COMMAND_H
#define TWIRL_APP_ADVANCE_COMMAND_H

int tw_advance_command(int argc, char **argv);

#endif
