/* SPDX-License-Identifier: BSD-3-Clause */
/* The tables probes.csv and fits.csv: docs/guide/run.md. */
#ifndef TW_RUN_PROBES_TABLE_H
#define TW_RUN_PROBES_TABLE_H

#include "base/text.h"
#include "run/probes_evaluation.h"

/* probes.csv: a row per law and direction. */
void tw_probes_table_add_header(tw_text_buffer *text);
void tw_probes_table_add_rows(tw_text_buffer *text, const tw_probes *probes, size_t law,
                              const tw_probes_evaluation *evaluation);

/* fits.csv: two rows per law and split that has a fit, loading and unloading. */
void tw_probes_table_add_fits_header(tw_text_buffer *text);
void tw_probes_table_add_fits(tw_text_buffer *text, const tw_probes *probes, size_t law,
                              const tw_probes_evaluation *evaluation);

#endif
