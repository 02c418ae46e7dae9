/* SPDX-License-Identifier: BSD-3-Clause */
#include "device/device.h"

#include <string.h>

#include "base/error.h"

static const tw_device_kind *registered;

void tw_device_register(const tw_device_kind *kind)
{
    registered = kind;
}

tw_status tw_device_open(const char *kind, tw_device **device, tw_error *error)
{
    *device = NULL;
    if (strcmp(kind, "emulated") == 0) return tw_device_emulated.open(device, error);
#ifdef TWIRL_HAVE_CUDA
    if (strcmp(kind, "cuda") == 0) return tw_device_cuda.open(device, error);
#else
    if (strcmp(kind, "cuda") == 0)
        return tw_error_set(error, TW_STATUS_DEVICE,
                            "twirl was built without CUDA: install nvcc and configure with "
                            "-DTWIRL_CUDA=ON, or run on the CPU");
#endif
    if (registered && strcmp(kind, registered->name) == 0) return registered->open(device, error);
    if (strcmp(kind, "lammps") == 0)
        return tw_error_set(error, TW_STATUS_DEVICE,
                            "the device lammps is there in twirl-lmp only: mpirun -np 4 twirl-lmp "
                            "run scenario.yaml");
    return tw_error_set(error, TW_STATUS_DEVICE, "there is no device '%s': use cuda or emulated",
                        kind);
}

void tw_device_close(tw_device *device)
{
    if (device) device->kind->close(device->own);
}
