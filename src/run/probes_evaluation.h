/* SPDX-License-Identifier: BSD-3-Clause */
/* Evaluation of the probes of one law: docs/theory/probes.md. */
#ifndef TW_RUN_PROBES_EVALUATION_H
#define TW_RUN_PROBES_EVALUATION_H

#include "probe/probe.h"
#include "run/probes.h"

/* Irreversible strain is found by unloading, or by comparison with the no-slip companion. */
enum { TW_PROBES_EVALUATION_UNLOAD, TW_PROBES_EVALUATION_NO_SLIP, TW_PROBES_EVALUATION_SPLITS };

typedef struct tw_probes_evaluation {
    /* For each split: */
    double (*irreversible[TW_PROBES_EVALUATION_SPLITS])[TW_COMPONENTS]; /* strain per direction */
    bool fitted[TW_PROBES_EVALUATION_SPLITS];
    const char *unfit[TW_PROBES_EVALUATION_SPLITS]; /* why a requested split has no fit */
    tw_fit_mechanism mechanism[TW_PROBES_EVALUATION_SPLITS];

    double difference; /* between the splits, relative to the irreversible strain; NaN: no fit */

    /* Elastic tensor, fitted to the no-slip companions. */
    bool elastic;                                    /* it is known */
    double stiffness[TW_COMPONENTS * TW_COMPONENTS]; /* stress by engineering strain [Pa] */
    double elastic_rms;                              /* residual, relative [-] */

    /* Elastic tensor in the space of the directions. */
    bool plane_known;
    double plane[9];  /* [Pa], or [1/Pa] for stress probes */
    double plane_rms; /* relative [-] */

    double drift;    /* response of the null probe, relative to the mean of the others [-] */
    size_t restless; /* measurements taken before equilibrium was reached */
    double missed;   /* largest stress left after unloading, relative to the probe [-] */
} tw_probes_evaluation;

/* "unload", "no_slip". */
const char *tw_probes_evaluation_split_name(int split);

/* False: out of memory. To be freed in any case. */
bool tw_probes_evaluation_make(const tw_probes *probes, size_t law, tw_probes_evaluation *out);
void tw_probes_evaluation_free(tw_probes_evaluation *evaluation);

#endif
