/* SPDX-License-Identifier: BSD-3-Clause */
/* Small dense specimens in which much happens in few steps: contacts open, close, slide and hold,
 * bodies leave the cell and come back, the neighbour list is made several times. */
#ifndef TWIRL_TEST_SPECIMEN_H
#define TWIRL_TEST_SPECIMEN_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <twirl/sim.h>

typedef enum specimen_kind {
    SPECIMEN_SPHERES,  /* periodic, sheared and compressed, damped contacts */
    SPECIMEN_CLUSTERS, /* the same of bumpy and lopsided bodies */
    SPECIMEN_BOX,      /* clusters and spheres between two walls under gravity, one wall a servo */
    SPECIMEN_MIXTURE,  /* the box of three materials: Hertz, rolling, twisting and damping */
    SPECIMEN_KINDS
} specimen_kind;

/* Without bodies. */
tw_sim *specimen_make_empty(specimen_kind kind, double edge);

/* side^3 bodies. Fails the test where the engine refuses. */
tw_sim *specimen_make(specimen_kind kind, int side, uint64_t seed);

/* Runs, or fails the test with the engine's text. */
void specimen_run(tw_sim *sim, uint64_t steps);
void specimen_save(const tw_sim *sim, const char *path);
tw_sim *specimen_load(const char *path);

/* One more body, in the middle of the cell: with an even side, between the others. */
void specimen_drop_in(tw_sim *sim, double size);

#endif
