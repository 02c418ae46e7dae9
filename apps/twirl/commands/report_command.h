/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TWIRL_APP_REPORT_COMMAND_H
#define TWIRL_APP_REPORT_COMMAND_H

/* Returns an exit status. */
int tw_report_command(int argc, char **argv);

#endif
