/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TWIRL_APP_INFO_COMMAND_H
#define TWIRL_APP_INFO_COMMAND_H

int tw_info_command(int argc, char **argv);

#endif
