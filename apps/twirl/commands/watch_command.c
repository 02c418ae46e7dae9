/* SPDX-License-Identifier: BSD-3-Clause */
/* twirl watch: shows a run in a browser while it is running. */
#include "commands/commands.h"

#include "base/error.h"
#include "common/args.h"
#include "common/output.h"
#include "report/report_run.h"
#include "report/report_server.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

static void read_port(const struct argp_state *state, const char *option, char *text, void *member)
{
    uint64_t port = 0;
    tw_args_count(state, option, text, &port);
    if (port > UINT16_MAX) argp_error(state, "--%s: '%s' exceeds the limit of 65535", option, text);
    *(uint16_t *)member = (uint16_t)port;
}

static const tw_args_option options[] = {
    {NULL, "RUN", "the folder of a run", tw_args_once, offsetof(tw_report_server_plan, folder)},
    {"port", "N", "port on this machine; default: any that is free", read_port,
     offsetof(tw_report_server_plan, port)},
    {"interval", "SECONDS", "time between updates of the page; default: 2", tw_args_positive,
     offsetof(tw_report_server_plan, interval)},
    {"grains", "N", "show a slab of about N grains of specimens that have more; default: 200000",
     tw_args_count, offsetof(tw_report_server_plan, grains)},
    {0}};

static const char description[] =
    "Shows a run in a browser while it is running, in the page of 'twirl report'. Prints the "
    "address "
    "to open, and serves it until Ctrl-C. Only this machine can reach it, and only with the whole "
    "address. The run is not disturbed: its files are read, nothing else."
    "\v"
    "RUN may be a folder that does not exist yet: the page waits for it. From another machine, "
    "choose a port and forward it: ssh -L N:127.0.0.1:N HOST.\n\n"
    "Exit status: 0 stopped by Ctrl-C, 1 the server could not be started or is not part of this "
    "program, 2 bad options.";

static const tw_args_command command_line = {
    .own = {options, NULL}, .arguments = "RUN", .description = description};

/* Tells what has become of the run, each time that changes. */
static void follow(const char *command, const char *folder)
{
    static const char *const texts[] = {"the run is in progress", "the run has finished",
                                        "the run was interrupted", "the run has failed"};
    int shown = -2;
    do {
        const struct timespec pause = {0, 200000000};
        const int now = tw_report_run_exists(folder) ? (int)tw_run_status_of(folder) : -1;
        if (now != shown)
            fprintf(stderr, "%s: %s\n", command,
                    now < 0 ? "there is no run in this folder yet: waiting" : texts[now]);
        shown = now;
        nanosleep(&pause, NULL); /* a signal ends it */
    } while (!tw_interrupt_signal());
}

int tw_watch_command(int argc, char **argv)
{
    tw_report_server_plan plan = {.interval = 2.0, .grains = 200000};
    char address[96];
    tw_error error;
    tw_args_parse(&command_line, argc, argv, &plan);
    tw_report_server *server = tw_report_server_start(&plan, address, &error);
    if (!server) return tw_output_fail(argv[0], TW_EXIT_ENVIRONMENT, "%s", error.text);
    tw_interrupt_watch();
    puts(address);
    (void)fflush(stdout);
    fprintf(stderr, "%s: open this address in a browser; Ctrl-C ends\n", argv[0]);
    follow(argv[0], plan.folder);
    tw_report_server_stop(server);
    return TW_EXIT_OK;
}
