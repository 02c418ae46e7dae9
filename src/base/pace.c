/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/pace.h"

enum { TOGETHER, ALONE };

/* Length of a window [s]: a few time slices of the scheduler. */
#define WINDOW 0.04
/* By how much parallel work must exceed serial work: part of it only moves data between caches. */
#define MARGIN 1.25
/* The slower mode is tried again after this many windows. */
enum { WINDOWS = 16 };

bool tw_pace_together(const tw_pace *pace)
{
    return pace->mode == TOGETHER;
}

static int choose(const tw_pace *p)
{
    if (p->rate[TOGETHER] >= 1.0) return TOGETHER; /* a single thread cannot exceed one processor */
    if (p->rate[ALONE] == 0.0) return ALONE;
    const int better = p->rate[TOGETHER] > MARGIN * p->rate[ALONE] ? TOGETHER : ALONE;
    return p->windows < WINDOWS ? better : 1 - better;
}

void tw_pace_record(tw_pace *p, double wall, double work)
{
    p->wall += wall;
    p->work += work;
    if (p->wall < WINDOW) return;
    const double now = p->work / p->wall, before = p->rate[p->mode];
    /* Idle processors are used at once; otherwise windows are averaged, as one alone is noisy. */
    p->rate[p->mode] = before == 0.0 || now >= 1.0 ? now : 0.5 * (before + now);
    p->wall = p->work = 0.0;
    p->windows++;
    p->mode = choose(p);
    if (p->windows >= WINDOWS) p->windows = 0;
}
