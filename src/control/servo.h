/* SPDX-License-Identifier: BSD-3-Clause */
/* The servo: chooses the velocity gradient of each step so that the rows of a tw_control come true.
 * docs/theory/engine.md has the equations. */
#ifndef TW_CONTROL_SERVO_H
#define TW_CONTROL_SERVO_H

#include <twirl/control.h>

#include "base/hash.h"
#include "control/stiffness.h"
#include "world/world.h"

typedef struct tw_servo {
    int32_t on;       /* 0: the gradient is left alone */
    int32_t met;      /* all stresses were within tolerance of their set points */
    int32_t predicted; /* `expected` belongs to the last step */
    int32_t unused;
    tw_control request;                /* as it was set */
    double set[TW_COMPONENTS];      /* set points of the rows now [1/s] or [Pa] */
    double expected[TW_COMPONENTS]; /* stress after the last step, were all movement affine [Pa] */
    double drift[TW_COMPONENTS];    /* how stress goes otherwise than expected [Pa/s] */
    double rate_max;                /* in force [1/s] */
    double volume;                  /* set point of a row on the volume [m^3] */
    double worst;                   /* as in tw_control_report, with the counts */
    uint64_t steps, limited, missed;
    tw_stiffness stiffness;
} tw_servo;

/* From now on, with a control that tw_equations_check has passed; the world has its contacts and
 * forces.
 */
void tw_servo_set(tw_servo *servo, const tw_control *control, const tw_world *world);

/* Sets the velocity gradient for the step that comes. */
void tw_servo_steer(tw_servo *servo, tw_world *world);

/* The world has changed otherwise than by steps. */
void tw_servo_forget(tw_servo *servo);

tw_control_report tw_servo_report(const tw_servo *servo, const tw_world *world);

void tw_servo_hash(const tw_servo *servo, tw_hash *hash);

#endif
