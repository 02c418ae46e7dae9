/* SPDX-License-Identifier: BSD-3-Clause */
/* Contacts by one exact linear law that slid in the step before. Nearly all of them slide again, so
 * they are not tried with those that stick, but beside them: a bit for each contact that slides
 * says at the next step which they are. Where the bits do not say so, contacts that slide are
 * found with those that stick, and are among the rest: the bits need not be right. */
#ifndef TW_DEVICE_SLIDES_H
#define TW_DEVICE_SLIDES_H

#include "device/device_plain.h"

/* Teams of threads, each with some words of bits at a time. */
enum { TW_DEVICE_SLIDES_THREADS = 64, TW_DEVICE_SLIDES_WORDS = 64 };

typedef struct tw_device_slides_work {
    uint32_t count;
    uint16_t slot[32 * TW_DEVICE_SLIDES_WORDS]; /* those of the words, from the first one on */
} tw_device_slides_work;

/* Two to sixteen teams for each multiprocessor of a large device. Of a million spheres a team has
 * about as many contacts as threads. */
TW_INLINE uint32_t tw_device_slides_teams(const tw_device_world *host)
{
    const uint32_t least = 264, most = 2112, some = tw_device_bits_words(host->slots) / 32;
    if (some < least) return least;
    return some < most ? some : most;
}

/* Words of a team at a time. */
TW_INLINE uint32_t tw_device_slides_share(const tw_device_world *w)
{
    return tw_device_world_share(tw_device_bits_words(w->slots), tw_device_slides_teams(w),
                                 TW_DEVICE_SLIDES_WORDS);
}

/* Three for some words: a new list, the list, its contacts. */
TW_INLINE uint32_t tw_device_slides_stages(const tw_device_world *w, uint32_t i)
{
    const uint32_t round = tw_device_slides_teams(w) * tw_device_slides_share(w);
    (void)i;
    return 3 * ((tw_device_bits_words(w->slots) + round - 1) / round);
}

/* Lists the contacts of word number k of the team. */
TW_INLINE void tw_device_slides_list(const tw_device_world *w, tw_device_slides_work *work,
                                     uint32_t first, uint32_t k)
{
    if (first + k >= tw_device_bits_words(w->slots)) return;
    const uint32_t bits = w->sliders[1 - w->run.slider_buffer][first + k];
    uint32_t count = 0;
    for (uint32_t left = bits; left; left &= left - 1)
        count++;
    if (count == 0) return;
    uint32_t at = tw_device_atomic_add(&work->count, count);
    for (uint32_t left = bits; left; left &= left - 1)
        work->slot[at++] = (uint16_t)(32 * k + tw_device_bits_lowest(left));
}

TW_INLINE void tw_device_slides_advance(tw_device_world *w, uint32_t s)
{
    if (!tw_device_plain_is_old(w, s)) return;
    const tw_contact_law law = tw_device_plain_law(w);
    const tw_device_plain_carried by =
        tw_device_plain_carry(TW_CONTACT_EXACT, TW_CONTACT_ALL, w, s);
    const int result = tw_device_plain_stick(TW_CONTACT_EXACT, TW_CONTACT_ALL, w, s, &law, &by, 1);
    if (result == TW_DEVICE_PLAIN_DONE) return;
    if (result == TW_DEVICE_PLAIN_MAY_SLIDE && tw_device_plain_slide(w, s, &law, &by)) return;
    tw_device_plain_list(w, s, TW_DEVICE_PLAIN_GENERAL);
}

TW_INLINE void tw_device_slides(tw_device_world *w, tw_device_slides_work *work, uint32_t i,
                                uint32_t stage, uint32_t thread)
{
    const uint32_t share = tw_device_slides_share(w),
                   first = (stage / 3 * tw_device_slides_teams(w) + i) * share;
    if (stage % 3 == 0 && thread == 0) work->count = 0;
    if (stage % 3 == 1 && thread < share) tw_device_slides_list(w, work, first, thread);
    if (stage % 3 == 2)
        for (uint32_t k = thread; k < work->count; k += TW_DEVICE_SLIDES_THREADS)
            tw_device_slides_advance(w, 32 * first + work->slot[k]);
}

#endif
