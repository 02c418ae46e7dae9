/* SPDX-License-Identifier: BSD-3-Clause */
#include "commands/commands.h"

int main(int argc, char **argv)
{
    return tw_program_main("twirl", argc, argv);
}
