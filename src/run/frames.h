/* SPDX-License-Identifier: BSD-3-Clause */
/* Frames of a stage for viewers: VTK and LAMMPS dumps. */
#ifndef TW_RUN_FRAMES_H
#define TW_RUN_FRAMES_H

#include "run/run.h"

/* Adds the frames that are due; `end`: the stage has ended. */
tw_status tw_frames_add(tw_run *run, bool end);

/* Steps in which none is due, at least 1. */
uint64_t tw_frames_idle_steps(const tw_run *run);

/* Writes the lists of frames as they were at the run state, whatever followed. */
tw_status tw_frames_resume(tw_run *run);

/* Closes the lists of the stage: they are complete. */
tw_status tw_frames_end(tw_run *run);

void tw_frames_close(tw_run *run);

#endif
