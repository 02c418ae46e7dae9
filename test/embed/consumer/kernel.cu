/* SPDX-License-Identifier: BSD-3-Clause */
/* The inline header in device code and in host code of one file. Compiled only. */
#include <twirl/contact_inline.h>

__global__ void advance_all(const tw_contact_law *law, const tw_contact_motion *motion, double dt,
                            tw_contact_memory *memory, tw_contact_load *load, int count)
{
    const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    if (i < count) tw_contact_advance_inline(law, &motion[i], dt, &memory[i], NULL, &load[i]);
}

void advance_one(const tw_contact_law *law, const tw_contact_motion *motion, double dt,
                 tw_contact_memory *memory, tw_contact_load *load)
{
    tw_contact_advance_inline(law, motion, dt, memory, NULL, load);
}
