/* SPDX-License-Identifier: BSD-3-Clause */
/* The server of `twirl watch`: shows a run in progress. It listens on the loopback address only,
 * answers GET of three addresses below a secret one, and reads the files of one folder: no path of
 * a request is ever opened. web/DATA.md lists the addresses. */
#ifndef TWIRL_APP_REPORT_SERVER_H
#define TWIRL_APP_REPORT_SERVER_H

#include <stddef.h>
#include <stdint.h>

#include <twirl/types.h>

typedef struct tw_report_server tw_report_server;

typedef struct tw_report_server_plan {
    const char *folder; /* must outlive the server, and need not exist yet */
    uint16_t port;      /* 0: any free one */
    double interval;    /* at which the page asks for news [s] */
    size_t grains;      /* specimens with more are cut to a slab */
} tw_report_server_plan;

/* Answers requests to `address` in a thread of its own. NULL: see error, which says what to do if
 * this program has no server or no page. */
tw_report_server *tw_report_server_start(const tw_report_server_plan *plan, char address[96],
                                         tw_error *error);
void tw_report_server_stop(tw_report_server *server);

#endif
