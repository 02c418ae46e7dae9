/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TWIRL_APP_CHECK_COMMAND_H
#define TWIRL_APP_CHECK_COMMAND_H

int tw_check_command(int argc, char **argv);

#endif
