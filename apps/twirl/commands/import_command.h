/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TWIRL_APP_IMPORT_COMMAND_H
#define TWIRL_APP_IMPORT_COMMAND_H

int tw_import_command(int argc, char **argv);

#endif
