/* SPDX-License-Identifier: BSD-3-Clause */
/* The servo: chooses the velocity gradient of each step so that the rows of a tw_control hold.
 * docs/theory/engine.md has the equations. */
#ifndef TW_CONTROL_SERVO_H
#define TW_CONTROL_SERVO_H

#include "control/servo_steer.h"
#include "world/schedule.h"

/* Sum of m v (x) v of the bodies that are free [J]. */
void tw_servo_kinetic(const tw_bodies *bodies, double sum[TW_COMPONENTS]);

/* What a control must know of the bodies, in whose absence it is kept. */
typedef struct tw_servo_bodies {
    double kinetic[TW_COMPONENTS]; /* tw_servo_kinetic [J] */
    double diameter;               /* mean, of spheres of their volumes [m] */
    double density;                /* tw_model_density [kg/m^3] */
} tw_servo_bodies;
tw_servo_bodies tw_servo_bodies_of(const tw_model *model, const tw_bodies *bodies);

/* Starts a control that has passed tw_equations_check. Contacts and forces must be known. */
void tw_servo_set(tw_servo *servo, const tw_control *control, const tw_model *model,
                  const tw_state *state, const tw_servo_bodies *bodies);

/* Sets the velocity gradient of the next step. */
void tw_servo_steer(tw_servo *servo, const tw_model *model, tw_state *state,
                    const tw_schedule *schedule);

/* The state has changed by other means than steps. */
void tw_servo_forget(tw_servo *servo);

/* `kinetic`: as from tw_servo_kinetic, of a state whose bodies are elsewhere; else NULL. */
tw_control_report tw_servo_report(const tw_servo *servo, const tw_state *state,
                                  const double *kinetic);

#endif
