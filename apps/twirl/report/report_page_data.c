/* SPDX-License-Identifier: BSD-3-Clause */
#include "report/report_page_data.h"

/* An array of a million numbers would take the compiler longer than all the rest. */
__asm__(".pushsection .rodata\n"
        ".global tw_report_page_data_begin, tw_report_page_data_end\n"
        "tw_report_page_data_begin:\n"
        ".incbin \"" TWIRL_PAGE_FILE "\"\n"
        "tw_report_page_data_end:\n"
        ".byte 0\n"
        ".popsection\n");

__attribute__((visibility("hidden"))) extern const char tw_report_page_data_begin[],
    tw_report_page_data_end[];

const char *tw_report_page_data(size_t *length)
{
    *length = (size_t)(tw_report_page_data_end - tw_report_page_data_begin);
    return tw_report_page_data_begin;
}
