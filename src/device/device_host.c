/* SPDX-License-Identifier: BSD-3-Clause */
/* The code of the device, run on the CPU. */
#include "device/device_runtime_host.h"

#define TW_DEVICE_KIND tw_device_emulated
#include "device/device_drive.h"
