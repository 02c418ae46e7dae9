/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TWIRL_APP_WATCH_COMMAND_H
#define TWIRL_APP_WATCH_COMMAND_H

int tw_watch_command(int argc, char **argv);

#endif
