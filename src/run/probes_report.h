/* SPDX-License-Identifier: BSD-3-Clause */
/* Output of the probes of a stage: probes.csv, fits.csv, probes.json and lines of the log. */
#ifndef TW_RUN_PROBES_REPORT_H
#define TW_RUN_PROBES_REPORT_H

#include "run/probes.h"

tw_status tw_probes_report(tw_run *run, const tw_probes *probes);

#endif
