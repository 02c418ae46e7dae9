/* SPDX-License-Identifier: BSD-3-Clause */
/* Copies of a simulation side by side, bodies and contacts, without a neighbour list: the device
 * makes its own, and that of the host would not fit into its memory. */
#ifndef BENCH_GPU_COPIES_H
#define BENCH_GPU_COPIES_H

#include <twirl/sim.h>

/* `one` is prepared, without walls; `sim` has its model and a cell that is larger by copies[k]
 * along edge k, and no bodies yet. Afterwards it is prepared, with the list deferred, and energies
 * and stresses are those of all copies. Exits with a message if there is not enough memory. */
void gpu_copies_make(const tw_sim *one, const int copies[3], tw_sim *sim);

#endif
