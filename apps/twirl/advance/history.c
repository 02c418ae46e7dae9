/* SPDX-License-Identifier: BSD-3-Clause */
#include "advance/history.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char header[] =
    "step,time,volume,porosity,p,stress_xx,stress_xy,stress_xz,stress_yx,stress_yy,stress_yz,"
    "stress_zx,stress_zy,stress_zz,coordination,sliding_fraction,unbalanced,kinetic,rotational,"
    "normal,tangential,friction,contact_damping,body_damping,cell,walls,gravity,start,residual\n";

static bool fail(tw_history *history, const char *what)
{
    snprintf(history->error, sizeof history->error, "--history: cannot %s %s: %s", what,
             history->path, strerror(errno));
    return false;
}

/* In one call, so that a killed program leaves whole rows. */
static bool write_all(tw_history *history, const char *text, size_t length)
{
    while (length > 0) {
        const ssize_t written = write(history->file, text, length);
        if (written < 0 && errno == EINTR) continue;
        if (written < 0) return fail(history, "write");
        text += written;
        length -= (size_t)written;
    }
    return true;
}

static bool open_file(tw_history *history, const char *path, int flags)
{
    *history = (tw_history){.path = path, .empty = true};
    history->file = open(path, O_CREAT | O_CLOEXEC | flags, 0666);
    return history->file >= 0 || fail(history, "open");
}

bool tw_history_create(tw_history *history, const char *path)
{
    return open_file(history, path, O_WRONLY | O_TRUNC) &&
           write_all(history, header, sizeof header - 1);
}

/* Length of the part to keep: the header and the complete rows up to `step`. 0: there is no
 * complete header; negative: not a history. */
static off_t keep_rows(tw_history *history, FILE *rows, uint64_t step)
{
    char *line = NULL;
    size_t capacity = 0;
    off_t kept = 0;
    for (ssize_t length; (length = getline(&line, &capacity, rows)) > 0;) {
        if (line[length - 1] != '\n') break;
        if (kept == 0) {
            if (strcmp(line, header) != 0) kept = -1;
        } else {
            const uint64_t at = strtoull(line, NULL, 10);
            if (at > step) break;
            history->latest = at;
            history->empty = false;
        }
        if (kept < 0) break;
        kept += length;
    }
    free(line);
    return kept;
}

bool tw_history_resume(tw_history *history, const char *path, uint64_t step)
{
    struct stat about;
    if (!open_file(history, path, O_RDWR)) return false;
    /* Nothing can be removed from a pipe or a terminal. */
    if (fstat(history->file, &about) == 0 && !S_ISREG(about.st_mode))
        return write_all(history, header, sizeof header - 1);
    FILE *rows = fopen(path, "r");
    if (!rows) return fail(history, "read");
    const off_t kept = keep_rows(history, rows, step);
    fclose(rows);
    if (kept < 0) {
        history->foreign = true;
        snprintf(history->error, sizeof history->error,
                 "--history: %s is not a history of 'twirl advance': its header differs; "
                 "choose another file",
                 path);
        return false;
    }
    if (ftruncate(history->file, kept) != 0 || lseek(history->file, kept, SEEK_SET) < 0)
        return fail(history, "truncate");
    return kept > 0 || write_all(history, header, sizeof header - 1);
}

/* Numbers of a row between the step and the line end. */
static size_t values_of(const tw_measure *m, double *v)
{
    const tw_energy *e = &m->energy;
    const double head[] = {m->time, m->volume, m->porosity, m->p};
    const double tail[] = {m->coordination,
                           m->sliding_fraction,
                           m->unbalanced,
                           e->kinetic,
                           e->rotational,
                           e->normal,
                           e->tangential,
                           e->friction,
                           e->contact_damping,
                           e->body_damping,
                           e->cell,
                           e->walls,
                           e->gravity,
                           e->start,
                           e->residual};
    memcpy(v, head, sizeof head);
    memcpy(v + 4, m->stress.m, sizeof m->stress.m);
    memcpy(v + 13, tail, sizeof tail);
    return 13 + sizeof tail / sizeof tail[0];
}

bool tw_history_add(tw_history *history, tw_sim *sim)
{
    char row[1024];
    double values[32];
    const uint64_t step = tw_sim_steps(sim);
    if (!history->empty && history->latest == step) return true;
    const tw_measure measure = tw_sim_measure(sim);
    const size_t count = values_of(&measure, values);
    size_t used = (size_t)snprintf(row, sizeof row, "%" PRIu64, step);
    /* Adding 0.0 turns -0 into 0 and changes nothing else. */
    for (size_t i = 0; i < count; i++)
        used += (size_t)snprintf(row + used, sizeof row - used, ",%.17g", values[i] + 0.0);
    row[used++] = '\n';
    history->empty = false;
    history->latest = step;
    return write_all(history, row, used);
}

bool tw_history_sync(tw_history *history)
{
    /* EINVAL: a pipe or a terminal. */
    return fdatasync(history->file) == 0 || errno == EINVAL || fail(history, "write");
}

void tw_history_close(tw_history *history)
{
    if (history->file >= 0) close(history->file);
    history->file = -1;
}
