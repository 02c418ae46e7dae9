/* SPDX-License-Identifier: BSD-3-Clause */
/* POSIX threads rather than OpenMP, whose threads spin while they wait: on a shared machine they
 * take the processor from the thread they wait for.
 *
 * Each thread gets a contiguous share of the parts, the same in every loop, so that its data are
 * still in its cache. A thread that has finished its share steals parts from the end of the
 * others'. So the loop waits for a thread that has lost its processor only until its current part
 * is done. */
#ifdef __linux__
#define _GNU_SOURCE /* sched_getaffinity */
#else
#define _POSIX_C_SOURCE 200809L
#endif
#include "base/parallel.h"

#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/environment.h"

enum { LINE = 64 /* size of a cache line [bytes] */ };

/* How long to spin, waiting for work or for the end of it, before going to sleep [s]: longer than
 * the parts of a loop differ. The loops of a step are microseconds apart, and waking a sleeping
 * thread takes several times as long, most of all on a virtual machine.
 * A thread that has spun in vain sleeps at once the next time, then the next two times, then four:
 * on a busy machine it would take the processor from the thread it waits for. So it does, too, if
 * it loses its processor for LOST_TIME meanwhile [s]. */
#define SPIN_TIME 400e-6
#define LOST_TIME 100e-6
enum { SLEEPS_MAX = 64 };

typedef struct team team;

typedef struct member {
    _Alignas(LINE) _Atomic uint64_t share; /* parts left: the first, and 2^32 times their end */
    _Alignas(LINE) atomic_bool asleep;
    pthread_mutex_t mutex;
    pthread_cond_t wake;
    pthread_t thread;
    team *team;
    uint32_t number;
    uint32_t seen;  /* the last loop it took part in */
    int sleeps;     /* times left to sleep without spinning */
    int sleeps_set; /* value that `sleeps` started from, after the last spin in vain */
    _Atomic(const tw_clock_sheet *) times; /* NULL: the thread has not begun yet */
} member;

struct team {
    /* The number of the loop (32 bits), of threads that may take part (16; 0: it is over) and of
     * members at work besides the owner (16). A member may read the loop only while it is counted.
     */
    _Alignas(LINE) _Atomic uint64_t state;
    atomic_bool quit;
    _Alignas(LINE) void (*body)(void *context, size_t part); /* not with the state, which changes */
    void *context;
    tw_sim_phase phase; /* of the owner at the start of the loop */
    uint32_t threads;   /* of the current loop */
    atomic_bool spin;   /* there is a processor for each member */
    bool lost;          /* in the child of a fork: the threads belong to the parent */
    uint32_t count;
    member *member[TW_TEAM_MAX]; /* the owner first */
};

static uint32_t loop_of(uint64_t state)
{
    return (uint32_t)(state >> 32);
}

static uint32_t threads_of(uint64_t state)
{
    return (uint32_t)(state >> 16 & 0xffff);
}

static uint32_t at_work(uint64_t state)
{
    return (uint32_t)(state & 0xffff);
}

/* ---- Waiting ---- */

static inline void pause_briefly(void)
{
#if defined __aarch64__
    __asm__ volatile("isb"); /* on most processors `yield` does nothing */
#elif defined __x86_64__ || defined __i386__
    __builtin_ia32_pause();
#endif
}

/* What the owner waits for: the others have finished their parts. */
static bool all_done(const member *m)
{
    return at_work(atomic_load(&m->team->state)) == 0;
}

/* What the others wait for. */
static bool has_work(const member *m)
{
    const uint64_t state = atomic_load(&m->team->state);
    return (m->number < threads_of(state) && loop_of(state) != m->seen) ||
           atomic_load(&m->team->quit);
}

static bool spin(member *m, bool (*ready)(const member *))
{
    if (ready(m)) return true;
    if (!atomic_load(&m->team->spin)) return false;
    if (m->sleeps > 0) {
        m->sleeps--;
        return false;
    }
    const double start = tw_clock();
    for (double before = start, now = start; now - start < SPIN_TIME && now - before < LOST_TIME;) {
        for (int k = 0; k < 20; k++) {
            pause_briefly();
            if (!ready(m)) continue;
            m->sleeps_set = 0;
            return true;
        }
        before = now;
        now = tw_clock();
    }
    m->sleeps_set = m->sleeps_set == 0           ? 1
                    : m->sleeps_set < SLEEPS_MAX ? 2 * m->sleeps_set
                                                 : SLEEPS_MAX;
    m->sleeps = m->sleeps_set;
    return false;
}

static void await(member *m, bool (*ready)(const member *))
{
    if (spin(m, ready)) return;
    pthread_mutex_lock(&m->mutex);
    atomic_store(&m->asleep, true); /* before the state is read again: see awaken */
    while (!ready(m))
        pthread_cond_wait(&m->wake, &m->mutex);
    atomic_store(&m->asleep, false);
    pthread_mutex_unlock(&m->mutex);
}

/* Wakes a member after a change of the state. */
static void awaken(member *m)
{
    if (!atomic_load(&m->asleep)) return;
    pthread_mutex_lock(&m->mutex);
    pthread_cond_signal(&m->wake);
    pthread_mutex_unlock(&m->mutex);
}

/* ---- Working ---- */

static _Thread_local bool inside; /* the calling thread is running a part of a shared loop */

static bool take(_Atomic uint64_t *share, bool own, size_t *part)
{
    uint64_t left = atomic_load_explicit(share, memory_order_relaxed);
    for (;;) {
        const uint32_t begin = (uint32_t)left, end = (uint32_t)(left >> 32);
        if (begin == end) return false;
        *part = own ? begin : end - 1;
        const uint64_t rest = own ? left + 1 : left - (UINT64_C(1) << 32);
        if (atomic_compare_exchange_weak_explicit(share, &left, rest, memory_order_relaxed,
                                                  memory_order_relaxed))
            return true;
    }
}

/* Returns the number of parts it ran. */
static size_t work(const team *t, uint32_t number)
{
    size_t part, done = 0;
    inside = true;
    for (uint32_t k = 0; k < t->threads; k++) {
        const uint32_t whose = (number + k) % t->threads;
        for (; take(&t->member[whose]->share, k == 0, &part); done++)
            t->body(t->context, part);
    }
    inside = false;
    return done;
}

static void leave(const member *m)
{
    const uint64_t state = atomic_fetch_sub(&m->team->state, 1) - 1;
    if (threads_of(state) == 0 && at_work(state) == 0) awaken(m->team->member[0]);
}

/* False: the loop is over. An addition, since many that compare and exchange hinder each other. */
static bool join(member *m)
{
    const uint64_t state = atomic_fetch_add(&m->team->state, 1);
    if (m->number < threads_of(state)) {
        m->seen = loop_of(state);
        return true;
    }
    leave(m);
    return false;
}

static void *serve(void *argument)
{
    member *m = argument;
    (void)tw_arithmetic_enter(); /* a thread begins with that of its creator */
    atomic_store(&m->times, tw_clock_own());
    tw_clock_enter(TW_SIM_PHASE_WAITING);
    for (;;) {
        await(m, has_work);
        if (atomic_load(&m->team->quit)) return NULL;
        if (!join(m)) continue;
        tw_clock_enter(m->team->phase);
        work(m->team, m->number);
        tw_clock_enter(TW_SIM_PHASE_WAITING);
        leave(m);
    }
}

/* ---- The team of a thread ---- */

static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_key_t key;
static bool usable;
static _Thread_local team *mine;

static void dismiss(void *argument)
{
    team *t = argument;
    if (!t->lost) {
        atomic_store(&t->quit, true);
        for (uint32_t k = 1; k < t->count; k++)
            awaken(t->member[k]);
        for (uint32_t k = 1; k < t->count; k++)
            pthread_join(t->member[k]->thread, NULL);
    }
    for (uint32_t k = 0; k < t->count; k++) {
        if (!t->lost) {
            pthread_cond_destroy(&t->member[k]->wake);
            pthread_mutex_destroy(&t->member[k]->mutex);
        }
        free(t->member[k]);
    }
    free(t);
    mine = NULL;
}

static void after_fork(void)
{
    if (mine) mine->lost = true;
}

static void set_up(void)
{
    usable = pthread_key_create(&key, dismiss) == 0 && pthread_atfork(NULL, NULL, after_fork) == 0;
}

static bool add_member(team *t)
{
    member *m = aligned_alloc(LINE, sizeof *m);
    if (!m) return false;
    atomic_init(&m->share, 0);
    atomic_init(&m->asleep, false);
    atomic_init(&m->times, NULL);
    pthread_mutex_init(&m->mutex, NULL);
    pthread_cond_init(&m->wake, NULL);
    m->team = t;
    m->number = t->count;
    m->sleeps = m->sleeps_set = 0;
    m->seen = loop_of(atomic_load(&t->state));
    t->member[t->count] = m;
    if (m->number > 0) {
        sigset_t all, before; /* signals are left to the threads of the caller */
        sigfillset(&all);
        pthread_sigmask(SIG_SETMASK, &all, &before);
        const int failed = pthread_create(&m->thread, NULL, serve, m);
        pthread_sigmask(SIG_SETMASK, &before, NULL);
        if (failed) {
            free(m);
            return false;
        }
    }
    t->count++;
    return true;
}

static team *make_team(void)
{
    team *t = aligned_alloc(LINE, sizeof *t);
    if (!t) return NULL;
    atomic_init(&t->state, 0);
    atomic_init(&t->quit, false);
    atomic_init(&t->spin, false);
    t->lost = false;
    t->count = 0;
    if (!add_member(t) || pthread_setspecific(key, t) != 0) {
        if (t->count > 0) free(t->member[0]);
        free(t);
        return NULL;
    }
    mine = t;
    return t;
}

/* The team of the calling thread, with `threads` members if they can be created; NULL if there is
 * none. */
static team *team_of(uint32_t threads)
{
    if (mine && mine->lost) {
        pthread_setspecific(key, NULL);
        dismiss(mine);
    }
    if (!mine) {
        pthread_once(&once, set_up);
        if (!usable || !make_team()) return NULL;
    }
    if (mine->count < threads) {
        while (mine->count < threads && add_member(mine))
            continue;
        atomic_store(&mine->spin, (int)mine->count <= tw_team_processors());
    }
    return mine;
}

int tw_team_processors(void)
{
#ifdef __linux__
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) == 0) return CPU_COUNT(&set);
#endif
    const long online = sysconf(_SC_NPROCESSORS_ONLN);
    return online > 0 ? (int)online : 1;
}

static void divide(team *t, size_t parts)
{
    uint64_t begin = 0;
    for (uint32_t k = 0; k < t->threads; k++) {
        const uint64_t end = begin + parts / t->threads + (k < parts % t->threads);
        atomic_store_explicit(&t->member[k]->share, begin | end << 32, memory_order_relaxed);
        begin = end;
    }
}

static size_t run_together(team *t, size_t parts)
{
    divide(t, parts);
    /* An addition: one that came too late for the last loop may still be counted. */
    atomic_fetch_add(&t->state, (UINT64_C(1) << 32) + ((uint64_t)t->threads << 16));
    for (uint32_t k = 1; k < t->threads; k++)
        awaken(t->member[k]);
    const size_t done = work(t, 0);
    atomic_fetch_and(&t->state, ~(UINT64_C(0xffff) << 16));
    return done;
}

/* Calls `body` for the parts 0 .. parts - 1 on at most `threads` threads, including the calling
 * one, and returns when all parts are done. Which thread runs which part is not defined. Fewer
 * threads run all parts if no more can be created; a loop within a part of another loop runs on the
 * calling thread. Returns the processor time of all parts, extrapolated from those that the calling
 * thread ran [s]; negative if it ran none. */
static double run_team(size_t parts, int threads, void (*body)(void *context, size_t part),
                       void *context)
{
    if (threads > TW_TEAM_MAX) threads = TW_TEAM_MAX;
    if (threads > 0 && parts < (size_t)threads) threads = (int)parts;
    assert(parts <= UINT32_MAX);
    team *t = threads > 1 && !inside ? team_of((uint32_t)threads) : NULL;
    const double start = tw_clock_thread();
    if (!t || t->count < 2) {
        for (size_t part = 0; part < parts; part++)
            body(context, part);
        return tw_clock_thread() - start;
    }
    t->threads = t->count < (uint32_t)threads ? t->count : (uint32_t)threads;
    t->body = body;
    t->context = context;
    t->phase = tw_clock_phase();
    const size_t done = run_together(t, parts);
    const double own = tw_clock_thread() - start; /* without the time it waits */
    const tw_sim_phase phase = tw_clock_enter(TW_SIM_PHASE_WAITING);
    await(t->member[0], all_done);
    tw_clock_enter(phase);
    return done > 0 ? own * (double)parts / (double)done : -1.0;
}

tw_sim_times tw_parallel_times(int threads)
{
    tw_sim_times sum = {0};
    tw_clock_add(tw_clock_own(), &sum);
    for (uint32_t k = 1; k < (uint32_t)threads && mine && !mine->lost && k < mine->count; k++) {
        const tw_clock_sheet *sheet = atomic_load(&mine->member[k]->times);
        if (sheet) tw_clock_add(sheet, &sum);
    }
    return sum;
}

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

static _Thread_local int requested; /* 0: the default */
static _Thread_local tw_pace pace;

int tw_parallel_threads(void)
{
    if (inside) return 1;
    return requested > 0 ? requested : tw_parallel_default();
}

void tw_parallel_set_threads(int threads)
{
    requested = threads > 1 ? threads : 1;
}

int tw_parallel_default(void)
{
    const char *setting = getenv("OMP_NUM_THREADS");
    const long threads = setting ? strtol(setting, NULL, 10) : 0;
    return threads > 0 && threads <= TW_TEAM_MAX ? (int)threads : tw_team_processors();
}

tw_parallel_range tw_parallel_part(size_t n, size_t parts, size_t part)
{
    const size_t share = n / parts, longer = n % parts; /* the first `longer` parts have one more */
    tw_parallel_range range;
    range.begin = share * part + (part < longer ? part : longer);
    range.end = range.begin + share + (part < longer ? 1 : 0);
    return range;
}

size_t tw_parallel_parts(size_t n, size_t grain)
{
    size_t parts = (size_t)tw_parallel_threads();
    if (parts > TW_PARALLEL_PARTS_MAX) parts = TW_PARALLEL_PARTS_MAX;
    if (parts > n / grain) parts = n / grain;
    return parts > 1 ? parts : 1;
}

static double run(size_t parts, int threads, void (*body)(void *context, size_t part),
                  void *context)
{
    const int before = requested; /* a part may set its own */
    const double work = run_team(parts, threads, body, context);
    requested = before;
    return work;
}

void tw_parallel_run(size_t parts, void (*body)(void *context, size_t part), void *context)
{
    const int threads = parts > 1 ? tw_parallel_threads() : 1;
    const bool together = threads > 1 && tw_pace_together(&pace);
    const double start = threads > 1 ? tw_clock() : 0.0;
    const double work = run(parts, together ? threads : 1, body, context);
    if (threads > 1 && work >= 0.0) tw_pace_record(&pace, tw_clock() - start, work);
}

typedef struct parallel_chunks {
    size_t n, grain;
    void (*body)(void *context, size_t begin, size_t end);
    void *context;
} parallel_chunks;

static void run_chunk(void *context, size_t part)
{
    const parallel_chunks *c = context;
    const size_t begin = part * c->grain;
    c->body(c->context, begin, c->n - begin < c->grain ? c->n : begin + c->grain);
}

void tw_parallel_for(size_t n, size_t grain, void (*body)(void *context, size_t begin, size_t end),
                     void *context)
{
    assert(grain > 0);
    parallel_chunks c = {n, grain, body, context};
    tw_parallel_run(n / grain + (n % grain > 0), run_chunk, &c);
}

void tw_parallel_tasks(size_t n, int threads, void (*task)(void *context, size_t index),
                       void *context)
{
    run(n, threads > 0 ? threads : tw_parallel_default(), task, context);
}
