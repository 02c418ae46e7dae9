/* SPDX-License-Identifier: BSD-3-Clause */
#include "device/device.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"

static tw_device_instance *own(tw_device *device)
{
    return (tw_device_instance *)device;
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
    return tw_error_set(error, TW_STATUS_DEVICE, "there is no device '%s': use cuda or emulated",
                        kind);
}

void tw_device_close(tw_device *device)
{
    if (device) device->kind->close(own(device));
}

tw_status tw_device_fits(tw_device *device, const tw_model *model, const tw_state *state,
                         const tw_schedule *schedule, tw_error *error)
{
    return device->kind->fits(own(device), model, state, schedule, error);
}

tw_status tw_device_upload(tw_device *device, const tw_model *model, const tw_state *state,
                           const tw_schedule *schedule, const tw_servo *servo, tw_error *error)
{
    return device->kind->upload(own(device), model, state, schedule, servo, error);
}

void tw_device_update(tw_device *device, const tw_model *model, const tw_state *state,
                      const tw_servo *servo)
{
    device->kind->update(own(device), model, state, servo);
}

tw_status tw_device_advance(tw_device *device, uint64_t steps, tw_error *error)
{
    return device->kind->run(own(device), steps, error);
}

tw_status tw_device_rotate(tw_device *device, tw_vec3 turn, tw_error *error)
{
    return device->kind->rotate(own(device), turn, error);
}

void tw_device_numbers(tw_device *device, tw_state *state, tw_schedule *schedule, tw_servo *servo)
{
    device->kind->numbers(own(device), state, schedule, servo);
}

size_t tw_device_steps_passed(tw_device *device, tw_device_passed *out)
{
    return device->kind->passed(own(device), out);
}

tw_status tw_device_fetch(tw_device *device, const tw_model *model, tw_state *state,
                          tw_schedule *schedule, tw_error *error)
{
    return device->kind->fetch(own(device), model, state, schedule, error);
}

tw_status tw_device_tally(tw_device *device, const tw_model *model, tw_tally *tally,
                          tw_move_energy *energy, tw_error *error)
{
    return device->kind->tally(own(device), model, tally, energy, error);
}

void tw_device_time(tw_device *device)
{
    device->kind->time(own(device));
}

int tw_device_phase(tw_device *device, size_t number, const char **name, double *seconds,
                    uint64_t *calls)
{
    return device->kind->phase(own(device), number, name, seconds, calls);
}

int tw_device_array_size(tw_device *device, size_t number, const char **name, size_t *bytes,
                         size_t *peak)
{
    return device->kind->array(own(device), number, name, bytes, peak);
}

int tw_device_test(const char *name, uint64_t *value)
{
    const char *at = getenv("TWIRL_DEVICE_TEST");
    const size_t length = strlen(name);
    for (; at && *at; at += strcspn(at, " "), at += *at == ' ') {
        if (strncmp(at, name, length) != 0 || at[length] != '=') continue;
        *value = strtoull(at + length + 1, NULL, 10);
        return 1;
    }
    return 0;
}
