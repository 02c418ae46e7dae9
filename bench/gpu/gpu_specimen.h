/* SPDX-License-Identifier: BSD-3-Clause */
/* The specimen of bench_gpu: copies of a packing of bench_peers_pack, sheared at constant mean
 * stress. */
#ifndef BENCH_GPU_SPECIMEN_H
#define BENCH_GPU_SPECIMEN_H

#include <twirl/sim.h>

typedef struct gpu_specimen {
    const char *packing; /* a checkpoint */
    int copies[3];       /* along each edge */
    int light;     /* copies have the contacts of the packing; no neighbour list on the host */
    int viscous;   /* keep the contact damping of the packing; otherwise local damping of 0.3 */
    double strain; /* axial, per step [-] */
} gpu_specimen;

/* Bodies at rest, without tangential forces; not steered, and prepared only if it is light. *p
 * receives the mean
 * stress of the packing. Exits with a message if it cannot be made. */
tw_sim *gpu_specimen_make(const gpu_specimen *specimen, double *p);

/* Shortens z at the given rate; x and y widen equally, so that the mean stress is p. */
void gpu_specimen_shear(tw_sim *sim, const gpu_specimen *specimen, double p);

#endif
