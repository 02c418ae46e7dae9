/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/pace.h"

enum { TOGETHER, ALONE };

/* A window lasts some turns of the system's scheduler [s]. A mode that was worse is tried again
 * after so many windows. The work of several threads is worth less than it seems, because what one
 * of them left in its cache the others fetch from there. */
#define WINDOW 0.04
#define MARGIN 1.25
enum { WINDOWS = 16 };

bool tw_pace_together(const tw_pace *pace)
{
    return pace->mode == TOGETHER;
}

static int choose(const tw_pace *p)
{
    if (p->rate[TOGETHER] >= 1.0) return TOGETHER; /* one thread has one processor at most */
    if (p->rate[ALONE] == 0.0) return ALONE;
    const int better = p->rate[TOGETHER] > MARGIN * p->rate[ALONE] ? TOGETHER : ALONE;
    return p->windows < WINDOWS ? better : 1 - better;
}

void tw_pace_note(tw_pace *p, double wall, double work)
{
    p->wall += wall;
    p->work += work;
    if (p->wall < WINDOW) return;
    const double now = p->work / p->wall, before = p->rate[p->mode];
    /* An idle processor is used at once; otherwise a single window is much of a chance. */
    p->rate[p->mode] = before == 0.0 || now >= 1.0 ? now : 0.5 * (before + now);
    p->wall = p->work = 0.0;
    p->windows++;
    p->mode = choose(p);
    if (p->windows >= WINDOWS) p->windows = 0;
}
