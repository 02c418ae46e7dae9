/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TWIRL_APP_EXPORT_COMMAND_H
#define TWIRL_APP_EXPORT_COMMAND_H

int tw_export_command(int argc, char **argv);

#endif
