// SPDX-License-Identifier: BSD-3-Clause
extern "C" {
#include "base/error.h"
}
#include "device/device.h"

static tw_status cuda_open(tw_device **device, tw_error *error)
{
    *device = NULL;
    return tw_error_set(error, TW_STATUS_DEVICE, "the CUDA device is not written yet");
}

extern "C" const tw_device_kind tw_device_cuda = {"cuda", cuda_open};
