/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TW_RUN_RATES_H
#define TW_RUN_RATES_H

#include "run/run.h"

/* Rates of the state, by statics: rates.csv, datapackage.json and rates.json in stages/NAME, and
 * lines of the log. Sets run->ended, or run->stopped on the caller's request. */
tw_status tw_run_rates(tw_run *run);

#endif
