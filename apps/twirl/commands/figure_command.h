/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TWIRL_APP_FIGURE_COMMAND_H
#define TWIRL_APP_FIGURE_COMMAND_H

int tw_figure_command(int argc, char **argv);

#endif
