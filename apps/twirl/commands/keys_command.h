/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TWIRL_APP_KEYS_COMMAND_H
#define TWIRL_APP_KEYS_COMMAND_H

int tw_keys_command(int argc, char **argv);

#endif
