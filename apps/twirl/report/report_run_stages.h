/* SPDX-License-Identifier: BSD-3-Clause */
/* The stages of a run, with what they left in its folder. */
#ifndef TWIRL_APP_REPORT_RUN_STAGES_H
#define TWIRL_APP_REPORT_RUN_STAGES_H

#include "base/text.h"
#include "report/report_run.h"

/* , "stages": [...] */
void tw_report_run_stages_add(tw_text_buffer *out, const tw_report_run *run);

#endif
