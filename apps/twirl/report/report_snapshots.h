/* SPDX-License-Identifier: BSD-3-Clause */
/* States of the specimen that a run has kept: before the first stage, on the way, at the end of
 * each stage and, while it has not finished, the one saved last. Bodies and contacts are binary
 * arrays in base64: little-endian, in single precision, which is enough to draw them. */
#ifndef TWIRL_APP_REPORT_SNAPSHOTS_H
#define TWIRL_APP_REPORT_SNAPSHOTS_H

#include <stdbool.h>
#include <stddef.h>

#include <twirl/types.h>

#include "base/text.h"
#include "report/report_run.h"

typedef struct tw_report_snapshot {
    char stage[TW_FIGURE_NAME_MAX];
    char file[TW_FIGURE_NAME_MAX + 32]; /* in the folder of the run */
    bool latest;                        /* of a run that has not finished */
    bool within;                        /* neither that nor the end of a stage */
} tw_report_snapshot;

typedef struct tw_report_snapshots {
    tw_report_snapshot *of;
    size_t count, capacity;
} tw_report_snapshots;

/* False: out of memory. */
bool tw_report_snapshots_find(tw_report_snapshots *list, const tw_report_run *run);
void tw_report_snapshots_free(tw_report_snapshots *list);

/* One snapshot, complete; `grains` is the number above which a specimen is cut to a slab of about
 * that many, *bodies (unless NULL) receives how many there are. Names the file if it cannot be
 * read. */
tw_status tw_report_snapshots_add_one(tw_text_buffer *out, const tw_report_run *run,
                                      const tw_report_snapshot *snapshot, size_t grains,
                                      size_t *bodies, tw_error *error);

/* A snapshot without its arrays: what can be told without reading the state. `version` changes when
 * the state does. */
void tw_report_snapshots_add_heading(tw_text_buffer *out, const tw_report_run *run,
                                     const tw_report_snapshot *snapshot, size_t number);

typedef struct tw_report_snapshots_options {
    size_t most;   /* snapshots of a run */
    size_t bytes;  /* of all snapshots together, as text; the last one of a run is always there */
    size_t grains; /* as above */
} tw_report_snapshots_options;

/* The elements of the list: the last snapshot, the first one, and as many others as there is room
 * for, at equal distances. `bytes` is the room for this run. States that cannot be read, and those
 * left out, are told in `warnings`, a list of strings. False: out of memory. */
bool tw_report_snapshots_add(tw_text_buffer *out, const tw_report_run *run,
                             const tw_report_snapshots_options *options, size_t bytes,
                             tw_text_buffer *warnings);

#endif
