/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TWIRL_APP_CONTACT_COMMAND_H
#define TWIRL_APP_CONTACT_COMMAND_H

int tw_contact_command(int argc, char **argv);

#endif
