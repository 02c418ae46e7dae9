/* SPDX-License-Identifier: BSD-3-Clause */
#include "sweep/sweep_pool.h"

#include "base/environment.h"
#include "base/error.h"
#include "base/file.h"
#include "base/text.h"
#include "common/output.h"
#include "sweep/sweep_folder.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <twirl/run_progress.h>

#if defined(__linux__)
#include <sys/prctl.h>
#endif

/* ---- Tasks: shared specimens first, then the cases ---- */

static tw_sweep_pool_task *add_task(tw_sweep_pool *pool, const char *folder, const char *group,
                                    const char *name)
{
    tw_sweep_pool_task *task = &pool->task[pool->count++];
    *task = (tw_sweep_pool_task){.name = name, .after = SIZE_MAX};
    task->scenario = tw_exit_text("%s/inputs/%s.yaml", folder, name);
    task->out = tw_exit_text("%s/%s/%s", folder, group, name);
    task->log = tw_exit_text("%s/logs/%s.log", folder, name);
    return task;
}

/* Whether a case still has to start from it. */
static bool is_needed(const tw_sweep_grid *grid, size_t specimen, const char *folder)
{
    for (size_t i = 0; i < grid->case_count; i++) {
        const tw_sweep_case *one = &grid->cases[i];
        if (one->specimen == specimen &&
            !tw_sweep_folder_is_finished(tw_folder_path_in(folder, "cases", one->name, "").text))
            return true;
    }
    return false;
}

void tw_sweep_pool_make(tw_sweep_pool *pool, const tw_sweep_grid *grid, const char *folder)
{
    size_t *task_of = tw_exit_unless(calloc(grid->specimen_count + 1, sizeof *task_of));
    pool->count = 0;
    pool->task =
        tw_exit_unless(calloc(grid->case_count + grid->specimen_count, sizeof *pool->task));
    for (size_t i = 0; i < grid->specimen_count; i++) {
        task_of[i] = SIZE_MAX;
        if (grid->specimens[i].users < 2 || !is_needed(grid, i, folder)) continue;
        task_of[i] = pool->count;
        add_task(pool, folder, "specimens", grid->specimens[i].name);
    }
    for (size_t i = 0; i < grid->case_count; i++) {
        const tw_sweep_case *one = &grid->cases[i];
        tw_sweep_pool_task *task = add_task(pool, folder, "cases", one->name);
        if (one->specimen == SIZE_MAX || task_of[one->specimen] == SIZE_MAX) continue;
        task->after = task_of[one->specimen];
        task->specimen = pool->task[task->after].out;
    }
    free(task_of);
}

int tw_sweep_pool_finish(tw_sweep_pool *pool, tw_sweep_grid *grid)
{
    const size_t first = pool->count - grid->case_count; /* task of a case */
    int status = TW_EXIT_OK;
    for (size_t i = 0; i < pool->count; i++) {
        tw_sweep_pool_task *task = &pool->task[i];
        const bool failed = task->state == TW_SWEEP_POOL_FAILED;
        if (failed && status == TW_EXIT_OK) status = task->status;
        if (i >= first) grid->cases[i - first].failed = failed;
        free(task->scenario);
        free(task->out);
        free(task->log);
    }
    free(pool->task);
    return status;
}

/* ---- What a run has printed last ---- */

enum { TAIL = 4096 };

static void read_tail(const char *path, char tail[TAIL])
{
    tail[0] = '\0';
    FILE *file = tw_read_file_stream(path);
    if (!file) return;
    if (fseek(file, -(TAIL - 1), SEEK_END) != 0) rewind(file);
    tail[fread(tail, 1, TAIL - 1, file)] = '\0';
    fclose(file);
}

/* The last line that a run has printed, without the name of the command; "" if there is none. */
static void last_line(const char *path, char *line, size_t size)
{
    char tail[TAIL];
    read_tail(path, tail);
    size_t length = strlen(tail);
    while (length > 0 && tail[length - 1] == '\n')
        tail[--length] = '\0';
    const char *start = strrchr(tail, '\n');
    start = start ? start + 1 : tail;
    static const char command[] = "twirl run: ";
    if (strncmp(start, command, strlen(command)) == 0) start += strlen(command);
    snprintf(line, size, "%s", start);
}

/* The percentage of "[2/3] shear 40.0 %  ...", "[0/3] specimen: settling 20.0 %"; 0: none. */
static double percentage(const char *line)
{
    const char *end = strstr(line, " %"), *gap = strstr(line, "  ");
    if (!end || end > line + strcspn(line, "\n") || (gap && gap < end)) return 0.0;
    const char *number = end;
    while (number > line && strchr("0123456789.", number[-1]))
        number--;
    return strtod(number, NULL);
}

/* The share of the run that is done, from its last line of progress, "[2/3] shear 40.0 %": stages
 * count the same. 0: not known. */
static double share_of(const char *path)
{
    char tail[TAIL];
    double share = 0.0;
    unsigned stage, stages;
    read_tail(path, tail);
    for (const char *at = tail; (at = strchr(at, '[')) != NULL; at++)
        if (sscanf(at, "[%u/%u]", &stage, &stages) == 2) /* stage 0 is the preparation */
            share = (stage + percentage(at) / 100.0) / (stages + 1.0);
    return share;
}

/* ---- One run ---- */

/* In the child. Its own process group: Ctrl-C on a terminal reaches the sweep alone, which
 * passes one signal on; a second one would end a run unsaved. */
static void become_run(const tw_sweep_pool *pool, const tw_sweep_pool_task *task, pid_t parent)
{
    char number[16];
    snprintf(number, sizeof number, "%d", pool->threads);
    const char *argv[16] = {"twirl",    "run",       task->scenario, "--out",      task->out,
                            "--resume", "--threads", number,         "--progress", "1"};
    size_t count = 10;
    if (task->specimen) {
        argv[count++] = "--specimen";
        argv[count++] = task->specimen;
    }
    if (pool->device) {
        argv[count++] = "--device";
        argv[count++] = pool->device;
    }
    setpgid(0, 0);
#if defined(__linux__)
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (getppid() != parent) _exit(TW_EXIT_SIGNAL + SIGTERM); /* it died before the call above */
#else
    (void)parent;
#endif
    const int nothing = open("/dev/null", O_RDONLY);
    const int log = open(task->log, O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW, 0666);
    if (nothing >= 0) dup2(nothing, STDIN_FILENO);
    if (log < 0 || dup2(log, STDOUT_FILENO) < 0 || dup2(log, STDERR_FILENO) < 0)
        _exit(TW_EXIT_ENVIRONMENT);
    close(log);
    /* This program, even if its file has been replaced by a new build. execv does not change argv.
     */
    execv("/proc/self/exe", (char *const *)(uintptr_t)argv);
    _exit(TW_EXIT_ENVIRONMENT);
}

static void start_task(const tw_sweep_pool *pool, tw_sweep_pool_task *task)
{
    const pid_t parent = getpid();
    fflush(NULL);
    task->process = fork();
    if (task->process == 0) become_run(pool, task, parent);
    if (task->process < 0) {
        fprintf(stderr, "%s: cannot start a run: %s\n", pool->command,
                tw_error_reason_of(errno).text);
        task->state = TW_SWEEP_POOL_FAILED;
        task->status = TW_EXIT_ENVIRONMENT;
        return;
    }
    task->state = TW_SWEEP_POOL_RUNNING;
}

static void report_failure(const tw_sweep_pool *pool, const tw_sweep_pool_task *task,
                           const tw_progress *progress)
{
    char last[400];
    tw_progress_clear(progress);
    last_line(task->log, last, sizeof last);
    fprintf(stderr, "%s: %s failed with exit status %d%s%s; see %s\n", pool->command, task->name,
            task->status, last[0] ? ": " : "", last, task->log);
}

static void end_task(const tw_sweep_pool *pool, tw_sweep_pool_task *task, int ended, bool stopping,
                     const tw_progress *progress)
{
    task->status = WIFEXITED(ended) ? WEXITSTATUS(ended) : TW_EXIT_SIGNAL + WTERMSIG(ended);
    if (task->status == TW_EXIT_OK) {
        task->state = TW_SWEEP_POOL_DONE;
    } else if (stopping && task->status >= TW_EXIT_SIGNAL) {
        task->state = TW_SWEEP_POOL_STOPPED;
    } else {
        task->state = TW_SWEEP_POOL_FAILED;
        report_failure(pool, task, progress);
    }
}

/* ---- All runs ---- */

static size_t count_of(const tw_sweep_pool *pool, tw_sweep_pool_state state)
{
    size_t count = 0;
    for (size_t i = 0; i < pool->count; i++)
        count += pool->task[i].state == state;
    return count;
}

/* A task whose predecessor failed fails with it. */
static bool may_start(const tw_sweep_pool *pool, tw_sweep_pool_task *task)
{
    if (task->state != TW_SWEEP_POOL_WAITING) return false;
    if (task->after == SIZE_MAX) return true;
    const tw_sweep_pool_task *before = &pool->task[task->after];
    if (before->state == TW_SWEEP_POOL_FAILED) {
        task->state = TW_SWEEP_POOL_FAILED;
        task->status = before->status;
    }
    return before->state == TW_SWEEP_POOL_DONE;
}

static void start_tasks(const tw_sweep_pool *pool)
{
    size_t running = count_of(pool, TW_SWEEP_POOL_RUNNING);
    for (size_t i = 0; i < pool->count && running < pool->jobs; i++) {
        if (!may_start(pool, &pool->task[i])) continue;
        start_task(pool, &pool->task[i]);
        running += pool->task[i].state == TW_SWEEP_POOL_RUNNING;
    }
}

static void collect_ended(const tw_sweep_pool *pool, bool stopping, const tw_progress *progress)
{
    for (size_t i = 0; i < pool->count; i++) {
        tw_sweep_pool_task *task = &pool->task[i];
        int ended = 0;
        if (task->state == TW_SWEEP_POOL_RUNNING &&
            waitpid(task->process, &ended, WNOHANG) == task->process)
            end_task(pool, task, ended, stopping, progress);
    }
}

static void stop_tasks(const tw_sweep_pool *pool)
{
    for (size_t i = 0; i < pool->count; i++)
        if (pool->task[i].state == TW_SWEEP_POOL_RUNNING) kill(pool->task[i].process, SIGTERM);
}

/* ---- Progress ---- */

static double share_done(const tw_sweep_pool *pool)
{
    double sum = 0.0;
    for (size_t i = 0; i < pool->count; i++) {
        const tw_sweep_pool_task *task = &pool->task[i];
        if (task->state == TW_SWEEP_POOL_DONE || task->state == TW_SWEEP_POOL_FAILED)
            sum += 1.0;
        else if (task->state == TW_SWEEP_POOL_RUNNING)
            sum += task->share;
    }
    return sum / (double)pool->count;
}

static void show_progress(const tw_sweep_pool *pool, const tw_progress *progress, double before)
{
    tw_text_buffer line = {0};
    const size_t running = count_of(pool, TW_SWEEP_POOL_RUNNING);
    const char *between = ": ";
    tw_text_buffer_add(&line, "%zu of %zu runs done, %zu running",
                       count_of(pool, TW_SWEEP_POOL_DONE), pool->count, running);
    for (size_t i = 0; i < pool->count; i++) {
        tw_sweep_pool_task *task = &pool->task[i];
        if (task->state != TW_SWEEP_POOL_RUNNING) continue;
        task->share = share_of(task->log);
        tw_text_buffer_add(&line, "%s%s %.0f %%", between, task->name, 100.0 * task->share);
        between = ", ";
    }
    const double share = share_done(pool), gained = share - before;
    if (gained > 0.0 && share < 1.0) {
        char left[32];
        tw_run_progress_duration(left, sizeof left,
                                 (1.0 - share) / gained * (tw_clock() - progress->started));
        tw_text_buffer_add(&line, "; about %s left", left);
    }
    if (!line.failed) tw_progress_show(progress, line.text);
    tw_text_buffer_free(&line);
}

void tw_sweep_pool_run(tw_sweep_pool *pool)
{
    tw_progress progress = tw_progress_start(pool->command, pool->quiet);
    const double before = share_done(pool);
    bool stopping = false;
    for (;;) {
        if (!stopping && tw_interrupt_signal()) {
            stopping = true;
            stop_tasks(pool);
        }
        collect_ended(pool, stopping, &progress);
        if (!stopping) start_tasks(pool);
        const bool idle = count_of(pool, TW_SWEEP_POOL_RUNNING) == 0;
        if (idle && (stopping || count_of(pool, TW_SWEEP_POOL_WAITING) == 0)) break;
        if (tw_progress_due(&progress, tw_clock())) show_progress(pool, &progress, before);
        nanosleep(&(struct timespec){.tv_nsec = 20000000}, NULL);
    }
    tw_progress_clear(&progress);
}
