/* SPDX-License-Identifier: BSD-3-Clause */
#include "device/device.h"

#include "base/error.h"

static tw_status refuse(tw_error *error)
{
    return tw_error_set(error, TW_STATUS_DEVICE, "there is no device in this build");
}

tw_status tw_device_open(const char *kind, tw_device **device, tw_error *error)
{
    *device = NULL;
    return tw_error_set(error, TW_STATUS_DEVICE, "no device of kind %s", kind);
}

void tw_device_close(tw_device *device)
{
    (void)device;
}

tw_status tw_device_upload(tw_device *device, const tw_model *model, const tw_state *state,
                           const tw_schedule *schedule, const tw_servo *servo, tw_error *error)
{
    (void)device, (void)model, (void)state, (void)schedule, (void)servo;
    return refuse(error);
}

void tw_device_update(tw_device *device, const tw_model *model, const tw_state *state,
                      const tw_servo *servo)
{
    (void)device, (void)model, (void)state, (void)servo;
}

tw_status tw_device_advance(tw_device *device, uint64_t steps, tw_error *error)
{
    (void)device, (void)steps;
    return refuse(error);
}

tw_status tw_device_rotate(tw_device *device, tw_vec3 turn, tw_error *error)
{
    (void)device, (void)turn;
    return refuse(error);
}

void tw_device_numbers(tw_device *device, tw_state *state, tw_schedule *schedule, tw_servo *servo)
{
    (void)device, (void)state, (void)schedule, (void)servo;
}

tw_status tw_device_fetch(tw_device *device, const tw_model *model, tw_state *state,
                          tw_schedule *schedule, tw_error *error)
{
    (void)device, (void)model, (void)state, (void)schedule;
    return refuse(error);
}

size_t tw_device_room(tw_device *device)
{
    (void)device;
    return 0;
}
