/* SPDX-License-Identifier: BSD-3-Clause */
/* Results as CSV. */
#ifndef TWIRL_APP_SWEEP_TABLE_H
#define TWIRL_APP_SWEEP_TABLE_H

#include <twirl/types.h>

#include "sweep/sweep_results.h"

/* FOLDER/table.csv: a row for each case. */
tw_status tw_sweep_table_write(const tw_sweep_results *results, const char *folder,
                               tw_error *error);

/* FOLDER/table_mean.csv: means and standard deviations over specimen.seed, which must vary. */
tw_status tw_sweep_table_write_means(const tw_sweep_results *results, const char *folder,
                                     tw_error *error);

#endif
