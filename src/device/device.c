/* SPDX-License-Identifier: BSD-3-Clause */
#include "device/device.h"

#include "base/error.h"

tw_status tw_device_open(const char *kind, tw_device **device, tw_error *error)
{
    *device = NULL;
    return tw_error_set(error, TW_STATUS_DEVICE, "no device of kind %s", kind);
}
