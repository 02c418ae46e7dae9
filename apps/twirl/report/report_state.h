/* SPDX-License-Identifier: BSD-3-Clause */
/* Whether the run in a folder goes on. Only looks: a lock taken here, however briefly, could keep a
 * run from starting. */
#ifndef TWIRL_APP_REPORT_STATE_H
#define TWIRL_APP_REPORT_STATE_H

typedef enum tw_report_state {
    TW_REPORT_STATE_RUNNING,
    TW_REPORT_STATE_FINISHED,
    TW_REPORT_STATE_INTERRUPTED, /* or killed */
    TW_REPORT_STATE_FAILED
} tw_report_state;

extern const char *const tw_report_state_names[];

tw_report_state tw_report_state_of(const char *folder);

/* What the last line of a log says about a failure, or NULL; `log` may be NULL. */
const char *tw_report_state_failure(const char *log);

#endif
