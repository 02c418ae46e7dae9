/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TWIRL_APP_RENDER_COMMAND_H
#define TWIRL_APP_RENDER_COMMAND_H

int tw_render_command(int argc, char **argv);

#endif
