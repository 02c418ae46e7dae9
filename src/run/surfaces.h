/* SPDX-License-Identifier: BSD-3-Clause */
/* Surfaces of a scenario: walls of its simulation. */
#ifndef TW_RUN_SURFACES_H
#define TW_RUN_SURFACES_H

#include "run/run.h"

/* Adds them, with their first motions. */
tw_status tw_run_surfaces_add(const tw_scenario *scenario, tw_sim *sim, tw_error *error);

/* Of a new run: writes the meshes as they are in the simulation, surfaces/NAME.stl, and says what
 * was found in their files. */
tw_status tw_run_surfaces_write(tw_run *run);

/* What a stage changes of them. */
tw_status tw_run_surfaces_begin(tw_run *run, const tw_scenario_stage *stage);

/* The wall of that name; SIZE_MAX: there is none. */
size_t tw_run_surfaces_find(const tw_run *run, const char *name);

/* Whether a grain is across a surface, or hardly fits into it; the text has its number. */
tw_status tw_run_surfaces_check(const tw_scenario *scenario, tw_sim *sim, tw_error *error);

/* ---- For end conditions, with the surface that they name ---- */

/* Force or torque of the grains on it: a component, or the magnitude. */
double tw_run_surfaces_force(const tw_run *run, const tw_scenario_reached *of);
double tw_run_surfaces_torque(const tw_run *run, const tw_scenario_reached *of);

/* Its place: point or centre. */
tw_vec3 tw_run_surfaces_place(const tw_run *run, const tw_scenario_reached *of);

#endif
