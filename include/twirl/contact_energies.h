/* SPDX-License-Identifier: BSD-3-Clause */
/* The energies that contacts store, and the ways in which they lose energy. Sums of a step, the
 * balance, checkpoints, hashes, the history and figures follow from these lists; a new one is a row
 * here, and what the kernel puts into tw_contact_stored_of or tw_contact_load.
 *
 * X(to, NAME, name, column, text): `name` in a checkpoint, `column` in tw_energy and history.csv.
 * X(to, NAME, name, member, way): `name` in all of them, `member` of tw_contact_load, `way`: "lost
 * by". `to` is passed on. Rows of ..._MORE come last in sums, checkpoints and columns.
 *
 * Source compatible only, before 1.0. */
#ifndef TWIRL_CONTACT_ENERGIES_H
#define TWIRL_CONTACT_ENERGIES_H

#include <twirl/contact.h>

#define TW_CONTACT_STORED_FIRST(X, to)                                                             \
    X(to, NORMAL, normal, normal, "stored in normal springs")                                      \
    X(to, TANGENTIAL, tangential, tangential, "stored in tangential springs")
#define TW_CONTACT_STORED_MORE(X, to)                                                              \
    X(to, ROLLING, rolling, stored_rolling, "stored by rolling resistance")                        \
    X(to, TWISTING, twisting, stored_twisting, "stored by twisting resistance")

#define TW_CONTACT_LOST_FIRST(X, to)                                                               \
    X(to, FRICTION, friction, work_dissipated, "sliding")                                          \
    X(to, DAMPING, contact_damping, work_viscous, "damping of contacts")
#define TW_CONTACT_LOST_MORE(X, to)                                                                \
    X(to, MICRO_SLIP, micro_slip, work_micro, "micro-slip") /* stiffness changes */                \
    X(to, ROLLING, rolling, lost_rolling, "rolling")                                               \
    X(to, TWISTING, twisting, lost_twisting, "twisting")

#define TW_CONTACT_STORED(X, to) TW_CONTACT_STORED_FIRST(X, to) TW_CONTACT_STORED_MORE(X, to)
#define TW_CONTACT_LOST(X, to) TW_CONTACT_LOST_FIRST(X, to) TW_CONTACT_LOST_MORE(X, to)

#define TW_CONTACT_ENERGY_NUMBER(kind, NAME, name, column, text) TW_CONTACT_##kind##_##NAME,
enum { TW_CONTACT_STORED(TW_CONTACT_ENERGY_NUMBER, STORED) TW_CONTACT_STORED_KINDS };
enum { TW_CONTACT_LOST(TW_CONTACT_ENERGY_NUMBER, LOST) TW_CONTACT_LOST_KINDS };
#undef TW_CONTACT_ENERGY_NUMBER

/* Number of those that come first. */
#define TW_CONTACT_ENERGY_ONE(to, NAME, name, column, text) +1
enum {
    TW_CONTACT_STORED_EARLY = 0 TW_CONTACT_STORED_FIRST(TW_CONTACT_ENERGY_ONE, ),
    TW_CONTACT_LOST_EARLY = 0 TW_CONTACT_LOST_FIRST(TW_CONTACT_ENERGY_ONE, )
};
#undef TW_CONTACT_ENERGY_ONE

/* Energies stored in a contact [J]. */
typedef struct tw_contact_stored {
    double of[TW_CONTACT_STORED_KINDS];
} tw_contact_stored;

/* What a contact has lost in a step [J]. */
typedef struct tw_contact_lost {
    double by[TW_CONTACT_LOST_KINDS];
} tw_contact_lost;

TW_INLINE tw_contact_lost tw_contact_lost_of(const tw_contact_load *load)
{
    tw_contact_lost lost;
#define TW_CONTACT_ENERGY_TAKE(to, NAME, name, member, text)                                       \
    lost.by[TW_CONTACT_LOST_##NAME] = load->member;
    TW_CONTACT_LOST(TW_CONTACT_ENERGY_TAKE, )
#undef TW_CONTACT_ENERGY_TAKE
    return lost;
}

#endif
