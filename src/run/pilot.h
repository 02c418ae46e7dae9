/* SPDX-License-Identifier: BSD-3-Clause */
/* A run of a scenario with few grains, in a temporary folder, to learn how many steps each part of
 * it takes and how long they take. */
#ifndef TW_RUN_PILOT_H
#define TW_RUN_PILOT_H

#include <stdbool.h>

#include <twirl/run.h>

#include "run/file.h"

/* A phase of the specimen, a stage, or the probes of a stage. */
typedef struct tw_pilot_part {
    size_t stage;      /* from 1; 0: the specimen */
    const char *phase; /* as in tw_run_view */
    uint64_t first;    /* step of the run at which it began */
    double steps;      /* taken */
    double started;    /* processor time when its first step was done [s] */
    double seconds;    /* processor time of its other steps [s] */
    double each;       /* processor time of a step, by its second half if it was cut short [s] */
    double progress;   /* at its last step; NaN: unknown */
    bool cut;          /* it was ended before its time */
} tw_pilot_part;

typedef struct tw_pilot {
    uint64_t grains;
    tw_pilot_part *parts;
    size_t count;
    double dt_first;     /* before there were contacts [s] */
    double dt;           /* in the prepared specimen [s]; 0: not known */
    double void_ratio;   /* of the prepared specimen [-] */
    double dt_target;    /* what the engine would choose now: a fraction of the stable step [s] */
    double seconds;      /* processor time of all of it [s] */
    tw_file_path folder; /* temporary; "": none */
    tw_file_path state;  /* the prepared specimen */
} tw_pilot;

typedef struct tw_pilot_plan {
    uint64_t grains;            /* 0: as many as make a cell a few grains wide */
    uint64_t seed;              /* added to that of the specimen */
    double friction;            /* of the specimen, if that is to be searched for [-] */
    bool stages;                /* false: only the specimen */
    double seconds;             /* parts that take longer than a share of it are cut short */
    int (*stop)(void *context); /* polled; non-zero: TW_STATUS_INTERRUPTED. May be NULL */
    void *context;
} tw_pilot_plan;

/* After any status, tw_pilot_free must follow. */
tw_status tw_pilot_run(tw_pilot *pilot, const tw_scenario *scenario, const tw_pilot_plan *plan,
                       tw_error *error);

/* Removes the folder, too. */
void tw_pilot_free(tw_pilot *pilot);

#endif
