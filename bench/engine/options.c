/* SPDX-License-Identifier: BSD-3-Clause */
#include "options.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void stop(const char *usage, const char *what, const char *text)
{
    fprintf(stderr, "%s: %s\nusage: %s\n", what, text, usage);
    exit(2);
}

static unsigned long number(const char *usage, const char *what, const char *text)
{
    char *end;
    errno = 0;
    const unsigned long value = strtoul(text, &end, 10);
    if (errno || end == text || *end || text[0] == '-' || value == 0 || value > 1000000000)
        stop(usage, what, "expected a number from 1 to 1000000000");
    return value;
}

options options_read(int argc, char **argv, options known, const char *usage)
{
    options o = known;
    for (int i = 1; i < argc; i++) {
        const char *word = argv[i], *next = i + 1 < argc ? argv[i + 1] : NULL;
        if (strcmp(word, "--clusters") == 0) {
            o.scene.clusters = 1;
        } else if (strcmp(word, "--hertz") == 0) {
            o.scene.hertz = 1;
        } else if (strcmp(word, "--apart") == 0) {
            o.apart = 1;
        } else if (word[0] != '-') {
            if (o.counts == OPTIONS_COUNTS) stop(usage, word, "too many counts");
            o.count[o.counts++] = number(usage, word, word);
        } else if (!next) {
            stop(usage, word, "unknown option or missing value");
        } else {
            i++;
            if (strcmp(word, "--threads") == 0)
                o.scene.threads = (int)number(usage, word, next);
            else if (strcmp(word, "--steps") == 0)
                o.steps = number(usage, word, next);
            else if (strcmp(word, "--rounds") == 0)
                o.rounds = (int)number(usage, word, next);
            else if (strcmp(word, "--busy") == 0)
                o.busy = (int)number(usage, word, next);
            else if (strcmp(word, "--packing") == 0)
                o.scene.packing = next;
            else if (strcmp(word, "--csv") == 0)
                o.csv = next;
            else
                stop(usage, word, "unknown option");
        }
    }
    return o;
}
