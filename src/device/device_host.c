/* SPDX-License-Identifier: BSD-3-Clause */
/* The code of the device, run on the CPU. */
#include "device/device_runtime_host.h"

#include "device/device_drive.h"

static tw_status open_device(tw_device **device, tw_error *error)
{
    return tw_device_drive_open(&tw_device_emulated, device, error);
}

#define TW_DEVICE_KIND tw_device_emulated
#define TW_DEVICE_NAME "emulated"
#include "device/device_kind.inc"
