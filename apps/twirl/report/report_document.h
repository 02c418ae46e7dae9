/* SPDX-License-Identifier: BSD-3-Clause */
/* The JSON document of a report. web/DATA.md describes it. */
#ifndef TWIRL_APP_REPORT_DOCUMENT_H
#define TWIRL_APP_REPORT_DOCUMENT_H

#include <stddef.h>

#include <twirl/types.h>

#include "base/text.h"
#include "report/report_run.h"
#include "report/report_snapshots.h"

/* The whole document, of runs that are open. */
tw_status tw_report_document_add(tw_text_buffer *out, const tw_report_run *runs, size_t count,
                                 const tw_report_snapshots_options *options, tw_error *error);

/* The document for a page that asks for news: of one run, or of none if `run` is NULL. The history
 * begins with row `from`, unless the run is another one than `id` or has fewer rows; snapshots are
 * announced only. */
tw_status tw_report_document_add_live(tw_text_buffer *out, const tw_report_run *run, size_t from,
                                      const char *id, tw_error *error);

#endif
