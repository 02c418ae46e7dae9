/* SPDX-License-Identifier: BSD-3-Clause */
#include "sweep/sweep_log.h"

#include <stdio.h>
#include <string.h>

enum { TAIL = 4096 };

static void read_tail(const char *path, char tail[TAIL])
{
    tail[0] = '\0';
    FILE *file = fopen(path, "r");
    if (!file) return;
    if (fseek(file, -(TAIL - 1), SEEK_END) != 0) rewind(file);
    tail[fread(tail, 1, TAIL - 1, file)] = '\0';
    fclose(file);
}

void tw_sweep_log_last(const char *path, char *line, size_t size)
{
    char tail[TAIL];
    read_tail(path, tail);
    size_t length = strlen(tail);
    while (length > 0 && tail[length - 1] == '\n')
        tail[--length] = '\0';
    const char *start = strrchr(tail, '\n');
    start = start ? start + 1 : tail;
    static const char command[] = "twirl run: ";
    if (strncmp(start, command, strlen(command)) == 0) start += strlen(command);
    snprintf(line, size, "%s", start);
}

double tw_sweep_log_share(const char *path)
{
    char tail[TAIL];
    double share = 0.0, percent;
    unsigned stage, stages;
    read_tail(path, tail);
    for (const char *at = tail; (at = strchr(at, '[')) != NULL; at++) {
        const int found = sscanf(at, "[%u/%u] %*s %lf %%", &stage, &stages, &percent);
        if (found < 2 || stages == 0) continue;
        const double within = found == 3 ? percent / 100.0 : 0.0;
        share = ((double)stage + within) / (double)(stages + 1); /* stage 0 is the preparation */
    }
    return share;
}
