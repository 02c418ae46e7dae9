/* SPDX-License-Identifier: BSD-3-Clause */
/* Contacts by one exact linear law that slid in the step before. Nearly all of them slide again, so
 * they are not tried with those that stick, but beside them: a bit for each contact that slides
 * says at the next step which they are. Where the bits do not say so, contacts that slide are
 * found with those that stick, and are among the rest: the bits need not be right. */
#ifndef TW_DEVICE_SLIDES_H
#define TW_DEVICE_SLIDES_H

#include "device/device_plain.h"

/* A team of threads takes the contacts of some words. */
enum { TW_DEVICE_SLIDES_THREADS = 64, TW_DEVICE_SLIDES_STAGES = 3, TW_DEVICE_SLIDES_WORDS = 32 };

typedef struct tw_device_slides_team {
    uint32_t count;
    uint32_t slot[32 * TW_DEVICE_SLIDES_WORDS];
} tw_device_slides_team;

TW_INLINE uint32_t tw_device_slides_teams(const tw_device_world *known)
{
    return tw_device_bits_words(known->slots) / TW_DEVICE_SLIDES_WORDS + 1;
}

/* Lists the contacts of a word. */
TW_INLINE void tw_device_slides_list(const tw_device_world *w, tw_device_slides_team *team,
                                     uint32_t word)
{
    if (word >= tw_device_bits_words(w->slots)) return;
    const uint32_t bits = w->sliders[1 - w->run.now][word];
    uint32_t count = 0;
    for (uint32_t left = bits; left; left &= left - 1)
        count++;
    if (count == 0) return;
    uint32_t at = tw_device_atomic_add(&team->count, count);
    for (uint32_t left = bits; left; left &= left - 1)
        team->slot[at++] = 32 * word + tw_device_bits_lowest(left);
}

TW_INLINE void tw_device_slides_advance(tw_device_world *w, uint32_t s)
{
    if (!tw_device_plain_is_old(w, s)) return;
    const tw_contact_law law = tw_device_plain_law(w);
    const tw_device_plain_carried by =
        tw_device_plain_carry(TW_CONTACT_EXACT, TW_CONTACT_ALL, w, s);
    const int result = tw_device_plain_stick(TW_CONTACT_EXACT, TW_CONTACT_ALL, w, s, &law, &by, 1);
    if (result == TW_DEVICE_PLAIN_DONE) return;
    if (result == TW_DEVICE_PLAIN_OPEN && tw_device_plain_slide(w, s, &law, &by)) return;
    tw_device_plain_list(w, s, TW_DEVICE_PLAIN_HARD);
}

TW_INLINE void tw_device_slides(tw_device_world *w, tw_device_slides_team *team, uint32_t i,
                                uint32_t stage, uint32_t thread)
{
    if (stage == 0 && thread == 0) team->count = 0;
    if (stage == 1 && thread < TW_DEVICE_SLIDES_WORDS)
        tw_device_slides_list(w, team, i * TW_DEVICE_SLIDES_WORDS + thread);
    if (stage == 2)
        for (uint32_t k = thread; k < team->count; k += TW_DEVICE_SLIDES_THREADS)
            tw_device_slides_advance(w, team->slot[k]);
}

#endif
