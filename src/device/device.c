/* SPDX-License-Identifier: BSD-3-Clause */
#include "device/device.h"

#include <stdlib.h>
#include <string.h>

#include <twirl/types.h>

#include "base/error.h"

#ifdef TWIRL_HAVE_CUDA
#define CUDA &tw_device_cuda
#else
#define CUDA NULL
#endif

static tw_device_place places[] = {
    {"cpu", TW_SIM_DEVICE_HOST, NULL, ""},
    {"cuda", TW_SIM_DEVICE_GPU, CUDA,
     "twirl was built without CUDA: install nvcc and configure with -DTWIRL_CUDA=ON, or run on the "
     "CPU"},
    {"emulated", TW_SIM_DEVICE_EMULATED, &tw_device_emulated, ""},
    {"lammps", TW_SIM_DEVICE_DIVIDED, NULL,
     "the device lammps is there in twirl-lmp only: mpirun -np 4 twirl-lmp run scenario.yaml"}};

void tw_device_register(const char *name, const tw_device_kind *kind)
{
    for (size_t k = 0; k < sizeof places / sizeof *places; k++)
        if (strcmp(name, places[k].name) == 0) places[k].kind = kind;
}

const tw_device_place *tw_device_find(const char *name, tw_error *error)
{
    const char *variable = getenv("TWIRL_DEVICE");
    const char *word = name ? name : variable && *variable ? variable : places[0].name;
    for (size_t k = 0; k < sizeof places / sizeof *places; k++)
        if (strcmp(word, places[k].name) == 0) return &places[k];
    tw_error_set(error, TW_STATUS_INPUT,
                 "%s%.40s: there is no such device; use cpu, cuda, lammps (in twirl-lmp), or "
                 "emulated (the code of the GPU run on the CPU, slow, for tests)",
                 name ? "device " : "TWIRL_DEVICE=", word);
    return NULL;
}

tw_status tw_device_open(const tw_device_place *place, tw_device **device, tw_error *error)
{
    *device = NULL;
    if (place->kind) return place->kind->open(device, error);
    return tw_error_set(error, TW_STATUS_DEVICE, "%s", place->missing);
}

void tw_device_close(tw_device *device)
{
    if (device) device->kind->close(device->own);
}
