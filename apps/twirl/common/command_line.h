/* SPDX-License-Identifier: BSD-3-Clause */
/* A command for the user to copy: how to continue what has ended. */
#ifndef TWIRL_APP_COMMAND_LINE_H
#define TWIRL_APP_COMMAND_LINE_H

/* Prints "    twirl COMMAND EXTRA ARGUMENTS" on standard error, quoted for a shell: the arguments
 * argv[1 .. argc - 1] of this call without the options in `without` and their values. Names that
 * end in '=' have a value; both lists end in NULL. */
void tw_command_line_print(const char *command, const char *const *extra,
                           const char *const *without, int argc, char **argv);

#endif
