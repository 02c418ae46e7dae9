/* SPDX-License-Identifier: BSD-3-Clause */
#include "sweep/sweep_log.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"

enum { TAIL = 4096 };

static void read_tail(const char *path, char tail[TAIL])
{
    tail[0] = '\0';
    FILE *file = tw_read_file_stream(path);
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

/* The percentage of "[2/3] shear 40.0 %  ...", "[0/3] specimen: settling 20.0 %"; 0: none. */
static double percentage(const char *line)
{
    const char *end = strstr(line, " %"), *gap = strstr(line, "  ");
    if (!end || end > line + strcspn(line, "\n") || (gap && gap < end)) return 0.0;
    const char *number = end;
    while (number > line && strchr("0123456789.", number[-1]))
        number--;
    return strtod(number, NULL);
}

double tw_sweep_log_share(const char *path)
{
    char tail[TAIL];
    double share = 0.0;
    unsigned stage, stages;
    read_tail(path, tail);
    for (const char *at = tail; (at = strchr(at, '[')) != NULL; at++)
        if (sscanf(at, "[%u/%u]", &stage, &stages) == 2) /* stage 0 is the preparation */
            share = (stage + percentage(at) / 100.0) / (stages + 1.0);
    return share;
}
