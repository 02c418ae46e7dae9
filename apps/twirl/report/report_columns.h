/* SPDX-License-Identifier: BSD-3-Clause */
/* Units and texts of the columns of a history, for the axes of a report. */
#ifndef TWIRL_APP_REPORT_COLUMNS_H
#define TWIRL_APP_REPORT_COLUMNS_H

#include "base/text.h"

/* [{"name": ..., "unit": ..., "text": ...}, ...] */
void tw_report_columns_add(tw_text_buffer *out);

#endif
