/* SPDX-License-Identifier: BSD-3-Clause */
/* The start of a run: in a new folder, or from where an earlier run was interrupted. */
#ifndef TW_RUN_RUN_OPEN_H
#define TW_RUN_RUN_OPEN_H

#include "run/run.h"

tw_status tw_run_open(tw_run *run);

#endif
