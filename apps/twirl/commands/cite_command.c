/* SPDX-License-Identifier: BSD-3-Clause */
/* twirl cite: what to cite, as BibTeX. */
#include "commands/commands.h"

#include "commands/cite_entries.h"
#include "common/args.h"
#include "common/build.h"
#include "common/output.h"

#include <stdio.h>

static const tw_args_option options[] = {{0}};

static const char description[] =
    "Prints BibTeX entries of the program, in the version that prints them, and of the paper "
    "behind its contact law."
    "\vExit status: 0 success, 1 output not written, 2 bad options.";

static const tw_args_command command_line = {
    .own = {options, NULL}, .arguments = "", .description = description};

int tw_cite_command(int argc, char **argv)
{
    char none; /* no settings */
    tw_args_parse(&command_line, argc, argv, &none);
    printf(CITE_PROGRAM "\n" CITE_METHOD, tw_build_version());
    return tw_output_finish(argv[0], TW_EXIT_OK);
}
