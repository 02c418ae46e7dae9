/* SPDX-License-Identifier: BSD-3-Clause */
/* Scenarios on the command line: FILE and --set, the summary of twirl check, the display of a run.
 */
#ifndef TWIRL_APP_SCENARIO_H
#define TWIRL_APP_SCENARIO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include <twirl/run_progress.h>
#include <twirl/scenario.h>

#include "common/args.h"
#include "common/output.h"

/* FILE and --set, for every command that takes a scenario. */

typedef struct tw_scenario_options {
    const char *path;
    tw_args_list set; /* KEY=VALUE, in order */
} tw_scenario_options;

/* FILE and --set, for settings of the type tw_scenario_options that are zero. */
extern const tw_args_table tw_scenario_options_table;

/* Reads the scenario, as tw_scenario_read_begun if the run has begun. Returns an exit status;
 * unless it is TW_EXIT_OK, errors have been printed and *scenario is NULL. */
int tw_scenario_options_read(const tw_scenario_options *given, bool begun, const char *command,
                             tw_scenario **scenario);

void tw_scenario_options_free(tw_scenario_options *given);

/* A short summary of a scenario. */

/* Prints the summary, with the steps and times of the estimate, or, if it is NULL, only with the
 * steps that follow from the scenario. Reads the file of the specimen, if there is one; returns an
 * exit status, as that may fail. */
int tw_scenario_summary(const tw_scenario *scenario, const char *path,
                        const tw_run_estimate *estimate, const char *command);

/* The part of it about the materials. */
void tw_scenario_summary_materials(FILE *out, const tw_scenario *scenario, int label_width);

/* What was run: the parts about specimen, materials and stages, without reading any file. A line
 * begins with a label of 10 characters, empty where it continues the one before. */
void tw_scenario_summary_all(FILE *out, const tw_scenario *scenario);

/* The progress of `twirl run` on standard error. */

typedef struct tw_run_display {
    tw_progress line;
    tw_run_progress progress;
    size_t messages;      /* from this process */
    tw_run_timing timing; /* so far; no steps: none yet */
} tw_run_display;

tw_run_display tw_run_display_start(const char *command, bool quiet);

/* Prints what is to be done: grains, stages, estimated steps. */
void tw_run_display_announce(const tw_run_display *display, const tw_scenario *scenario);

/* To be called after every step, or some of them; cheap unless a line is due. */
void tw_run_display_step(tw_run_display *display, const tw_run_view *view);

/* Prints a line that stays. */
void tw_run_display_message(tw_run_display *display, const char *text);

/* The last line: how fast the run was, or that there was nothing to do. */
void tw_run_display_end(const tw_run_display *display);

#endif
