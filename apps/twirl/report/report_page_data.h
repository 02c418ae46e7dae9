/* SPDX-License-Identifier: BSD-3-Clause */
/* The built page, part of the program; empty if it was not built. */
#ifndef TWIRL_APP_REPORT_PAGE_DATA_H
#define TWIRL_APP_REPORT_PAGE_DATA_H

#include <stddef.h>

/* *length receives its number of bytes. */
const char *tw_report_page_data(size_t *length);

#endif
