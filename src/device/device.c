/* SPDX-License-Identifier: BSD-3-Clause */
#include "device/device.h"

#include <string.h>

#include "base/error.h"

/* The first member of every tw_device. */
static const tw_device_kind *kind_of(const tw_device *device)
{
    const tw_device_kind *kind;
    memcpy(&kind, device, sizeof(void *));
    return kind;
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
    if (device) kind_of(device)->close(device);
}

tw_status tw_device_fits(tw_device *device, const tw_model *model, const tw_state *state,
                         const tw_schedule *schedule, tw_error *error)
{
    return kind_of(device)->fits(device, model, state, schedule, error);
}

tw_status tw_device_upload(tw_device *device, const tw_model *model, const tw_state *state,
                           const tw_schedule *schedule, const tw_servo *servo, tw_error *error)
{
    return kind_of(device)->upload(device, model, state, schedule, servo, error);
}

void tw_device_update(tw_device *device, const tw_model *model, const tw_state *state,
                      const tw_servo *servo)
{
    kind_of(device)->update(device, model, state, servo);
}

tw_status tw_device_advance(tw_device *device, uint64_t steps, tw_error *error)
{
    return kind_of(device)->run(device, steps, error);
}

tw_status tw_device_rotate(tw_device *device, tw_vec3 turn, tw_error *error)
{
    return kind_of(device)->rotate(device, turn, error);
}

void tw_device_numbers(tw_device *device, tw_state *state, tw_schedule *schedule, tw_servo *servo)
{
    kind_of(device)->numbers(device, state, schedule, servo);
}

size_t tw_device_steps_passed(tw_device *device, tw_device_passed *out)
{
    return kind_of(device)->passed(device, out);
}

tw_status tw_device_fetch(tw_device *device, const tw_model *model, tw_state *state,
                          tw_schedule *schedule, tw_error *error)
{
    return kind_of(device)->fetch(device, model, state, schedule, error);
}

tw_status tw_device_tally(tw_device *device, const tw_model *model, tw_tally *tally,
                          tw_move_energy *energy, tw_error *error)
{
    return kind_of(device)->tally(device, model, tally, energy, error);
}

int tw_device_phase(tw_device *device, size_t number, const char **name, double *seconds,
                    uint64_t *calls)
{
    return kind_of(device)->phase(device, number, name, seconds, calls);
}

int tw_device_array_size(tw_device *device, size_t number, const char **name, size_t *bytes,
                         size_t *peak)
{
    return kind_of(device)->array(device, number, name, bytes, peak);
}
