/* SPDX-License-Identifier: BSD-3-Clause */
/* The probes of a stage: which there are, and what came out. For each law in turn: one that goes
 * nowhere and so shows how still the state is, those in the given directions, and, where strains
 * are given and there are twins, one without slip for each of the six components, for the elastic
 * tensor. */
#ifndef TW_RUN_PROBES_H
#define TW_RUN_PROBES_H

#include <stdbool.h>

#include "probe/directions.h"
#include "probe/fit.h"
#include "probe/probe.h"
#include "run/runner.h"

typedef struct tw_probes_law {
    char label[64]; /* "exact", "exact-instant-turning" */
    tw_contact_law law;
} tw_probes_law;

typedef struct tw_probes {
    const tw_scenario_stage *stage;
    tw_directions directions;
    bool by_stress;
    double magnitude; /* [Pa] or [-] */
    tw_probes_law *laws;
    size_t law_count, elastic; /* probes for the elastic tensor, of each law */
    size_t each, total;        /* probes of each law, and of all */
    tw_probe_result *result;
    bool *done;
    size_t finished;
} tw_probes;

/* The law of a probe, and where the probes of a law begin. */
size_t tw_probes_index(const tw_probes *probes, size_t law, size_t place);

/* FOLDER/stages/STAGE/name. */
tw_path tw_probes_path(const tw_runner *run, const char *stage, const char *name);

/* probes_part.c: the file of probes that are finished, in whatever order. What a crash has cut is
 * left out. */
tw_status tw_probes_part_open(tw_runner *run, tw_probes *probes, tw_growth *part);
tw_status tw_probes_part_add(tw_growth *part, size_t index, const tw_probe_result *result,
                             tw_error *error);

/* probes_read.c: what the probes of one law say. */
enum { TW_SPLIT_UNLOAD, TW_SPLIT_NO_SLIP, TW_SPLITS };

typedef struct tw_probes_reading {
    double (*irreversible[TW_SPLITS])[TW_COMPONENTS]; /* strain of each direction, by each split */
    bool fitted[TW_SPLITS];
    const char *unfit[TW_SPLITS]; /* why there is no fit of a split that was asked for */
    tw_fit_mechanism mechanism[TW_SPLITS];
    double difference; /* of the two splits, relative to the irreversible strain; NaN: no fit */
    bool elastic;      /* the following is known */
    double stiffness[TW_COMPONENTS * TW_COMPONENTS]; /* stress by engineering strain [Pa] */
    double elastic_rms; /* how far the twins are from linear, relative [-] */
    double plane[9];    /* of the twins in the space of directions: [Pa], by stress [1/Pa] */
    double plane_rms;   /* relative [-] */
    bool plane_known;
    double drift;    /* what the probe that goes nowhere saw, relative to the others [-] */
    size_t restless; /* runs that were measured before they were at rest */
    double missed;   /* largest stress left by the way back, relative to the probe [-] */
} tw_probes_reading;

/* False: no memory. To be freed in any case. */
bool tw_probes_read(const tw_probes *probes, size_t law, tw_probes_reading *out);
void tw_probes_reading_free(tw_probes_reading *reading);

/* probes_report.c: tables, summary and a few lines for people. */
tw_status tw_probes_report(tw_runner *run, const tw_probes *probes);

#endif
