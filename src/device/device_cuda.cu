/* SPDX-License-Identifier: BSD-3-Clause */
/* The code of the device, for CUDA. Headers of C++ come first: those of the project are C. */
#include <assert.h>
#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cub/cub.cuh>
#include <cuda_runtime.h>

extern "C" {
#include "device/device_runtime_cuda.h"

#define TW_DEVICE_KIND tw_device_cuda
#include "device/device_drive.h"
}
