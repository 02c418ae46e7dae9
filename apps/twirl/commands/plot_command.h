/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TWIRL_APP_PLOT_COMMAND_H
#define TWIRL_APP_PLOT_COMMAND_H

int tw_plot_command(int argc, char **argv);

#endif
