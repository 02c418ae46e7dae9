/* SPDX-License-Identifier: BSD-3-Clause */
/* The page of `twirl report` and `twirl watch`, with its data or the order to ask for them. */
#ifndef TWIRL_APP_REPORT_PAGE_H
#define TWIRL_APP_REPORT_PAGE_H

#include <stdbool.h>
#include <stddef.h>

#include <twirl/types.h>

#include "base/text.h"

/* Whether the page is part of this program. If not, the error says how to get it. */
tw_status tw_report_page_check(tw_error *error);

/* The page with a document in it, compressed. */
tw_status tw_report_page_add(tw_text_buffer *out, const char *title, const char *document,
                             size_t length, tw_error *error);

/* The page that asks the server it came from for the document, every `interval` seconds. */
tw_status tw_report_page_add_live(tw_text_buffer *out, const char *title, double interval,
                                  tw_error *error);

#endif
