/* SPDX-License-Identifier: BSD-3-Clause */
#include "report/report_history.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/hash.h"

static bool find_rows(tw_report_history *history)
{
    const char *text = history->file.text;
    const size_t length = history->file.length;
    size_t lines = 0;
    for (size_t k = 0; k < length; k++)
        lines += text[k] == '\n';
    history->row = malloc((lines + 1) * sizeof *history->row);
    if (!history->row) return false;
    history->rows = lines > 0 ? lines - 1 : 0;
    size_t line = 0; /* line 0 is the header */
    for (size_t k = 0; k < length; k++)
        if (text[k] == '\n') history->row[line++] = k + 1;
    if (lines == 0) history->row[0] = length;
    return true;
}

bool tw_report_history_read(tw_report_history *history, const char *folder)
{
    *history = (tw_report_history){.file = tw_report_file_read(folder, "history.csv")};
    tw_report_file_cut(&history->file);
    if (!find_rows(history)) return false;
    if (history->rows > 0)
        snprintf(history->id, sizeof history->id, "%08x",
                 (unsigned)tw_crc32(0, history->file.text, history->row[1]));
    return true;
}

void tw_report_history_free(tw_report_history *history)
{
    tw_report_file_free(&history->file);
    free(history->row);
    *history = (tw_report_history){.rows = 0};
}
