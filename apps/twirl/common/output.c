/* SPDX-License-Identifier: BSD-3-Clause */
#include "common/output.h"

#include "base/error.h"
#include "common/exit_status.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>

const char *tw_output_plural(uint64_t count)
{
    return count == 1 ? "" : "s";
}

void tw_output_line(int width, const char *label, const char *format, ...)
{
    va_list values;
    printf("%-*s ", width, label);
    va_start(values, format);
    vprintf(format, values);
    va_end(values);
    putchar('\n');
}

int tw_output_finish(const char *command, int status)
{
    if (fflush(stdout) == 0 && !ferror(stdout)) return status;
    /* Whoever reads has seen enough, as in "twirl keys | head". */
    if (errno == EPIPE) return TW_EXIT_ENVIRONMENT;
    fprintf(stderr, "%s: cannot write stdout: %s\n", command, tw_error_reason_of(errno).text);
    return TW_EXIT_ENVIRONMENT;
}
