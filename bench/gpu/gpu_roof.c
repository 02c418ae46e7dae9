/* SPDX-License-Identifier: BSD-3-Clause */
#define _POSIX_C_SOURCE 200809L
#include "gpu_roof.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "gpu_cuda.h"

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void processor_name(char name[GPU_ROOF_NAME])
{
    char line[512];
    FILE *in = fopen("/proc/cpuinfo", "r");
    while (in && fgets(line, sizeof line, in)) {
        const char *colon = strchr(line, ':');
        if (!colon || strncmp(line, "model name", 10) != 0) continue;
        snprintf(name, GPU_ROOF_NAME, "%.*s", (int)strcspn(colon + 2, "\n"), colon + 2);
        break;
    }
    if (in) fclose(in);
}

void gpu_roof_name(int cuda, char name[GPU_ROOF_NAME])
{
    snprintf(name, GPU_ROOF_NAME, "unknown");
    if (cuda)
        gpu_cuda_name(name, GPU_ROOF_NAME);
    else
        processor_name(name);
    for (char *c = name; *c; c++)
        if (*c == ',') *c = ' ';
}

double gpu_roof_copy(int cuda)
{
    const size_t bytes = (size_t)1 << 30;
    if (cuda) return gpu_cuda_copy(bytes);
    char *from = malloc(bytes / 8), *to = malloc(bytes / 8);
    double best = 0.0;
    if (from && to) memset(from, 1, bytes / 8);
    for (int k = 0; from && to && k < 10; k++) {
        const double start = now();
        memcpy(to, from, bytes / 8);
        const double speed = 2.0 * (double)(bytes / 8) / (now() - start);
        if (speed > best) best = speed;
    }
    free(from);
    free(to);
    return best;
}

size_t gpu_roof_used(int cuda)
{
    return cuda ? gpu_cuda_used() : 0;
}
