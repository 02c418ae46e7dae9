/* SPDX-License-Identifier: BSD-3-Clause */
#include "advance/history.h"

#include "base/error.h"
#include "base/file.h"
#include "base/text.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <twirl/history_columns.h>

/* Columns after the step, with their values from the measure m. */
#define COLUMNS(X)                                                                                 \
    X(time, m.time)                                                                                \
    X(volume, m.volume)                                                                            \
    X(porosity, m.porosity)                                                                        \
    X(p, m.p)                                                                                      \
    X(stress_xx, m.stress.m[0])                                                                    \
    X(stress_xy, m.stress.m[1])                                                                    \
    X(stress_xz, m.stress.m[2])                                                                    \
    X(stress_yx, m.stress.m[3])                                                                    \
    X(stress_yy, m.stress.m[4])                                                                    \
    X(stress_yz, m.stress.m[5])                                                                    \
    X(stress_zx, m.stress.m[6])                                                                    \
    X(stress_zy, m.stress.m[7])                                                                    \
    X(stress_zz, m.stress.m[8])                                                                    \
    X(coordination, m.coordination)                                                                \
    X(sliding_fraction, m.sliding_fraction)                                                        \
    X(unbalanced, m.unbalanced)                                                                    \
    X(kinetic, m.energy.kinetic)                                                                   \
    X(rotational, m.energy.rotational)                                                             \
    X(normal, m.energy.normal)                                                                     \
    X(tangential, m.energy.tangential)                                                             \
    X(friction, m.energy.friction)                                                                 \
    X(contact_damping, m.energy.contact_damping)                                                   \
    X(body_damping, m.energy.body_damping)                                                         \
    X(cell, m.energy.cell)                                                                         \
    X(walls, m.energy.walls)                                                                       \
    X(gravity, m.energy.gravity)                                                                   \
    X(start, m.energy.start)                                                                       \
    X(residual, m.energy.residual)                                                                 \
    X(stored_rolling, m.energy.stored_rolling)                                                     \
    X(stored_twisting, m.energy.stored_twisting)                                                   \
    X(micro_slip, m.energy.micro_slip)                                                             \
    X(rolling, m.energy.rolling)                                                                   \
    X(twisting, m.energy.twisting)

static const char header[] = "step" COLUMNS(TW_HISTORY_COLUMN_NAME) "\n";

static bool fail(tw_history *history, const char *what)
{
    snprintf(history->error, sizeof history->error, "--history: cannot %s %s: %s", what,
             history->path, tw_error_reason_of(errno).text);
    return false;
}

static bool write_text(tw_history *history, const char *text, size_t length)
{
    return tw_write_all(history->file, text, length) == length || fail(history, "write");
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
           write_text(history, header, sizeof header - 1);
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
        return write_text(history, header, sizeof header - 1);
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
    return kept > 0 || write_text(history, header, sizeof header - 1);
}

bool tw_history_add(tw_history *history, tw_sim *sim)
{
    const uint64_t step = tw_sim_steps(sim);
    if (!history->empty && history->latest == step) return true;
    tw_measure m;
    tw_error error;
    if (tw_sim_measure(sim, &m, &error) != TW_STATUS_OK) {
        snprintf(history->error, sizeof history->error, "%s", error.text);
        return false;
    }
    const double values[] = {COLUMNS(TW_HISTORY_COLUMN_VALUE)};
    tw_text_buffer row = {0};
    tw_text_buffer_add(&row, "%" PRIu64, step);
    /* Adding 0.0 turns -0 into 0 and changes nothing else. */
    for (size_t i = 0; i < sizeof values / sizeof *values; i++)
        tw_text_buffer_add(&row, ",%.17g", values[i] + 0.0);
    tw_text_buffer_add(&row, "\n");
    errno = ENOMEM;
    const bool written =
        row.failed ? fail(history, "write") : write_text(history, row.text, row.length);
    tw_text_buffer_free(&row);
    history->empty = false;
    history->latest = step;
    return written;
}

bool tw_history_sync(tw_history *history)
{
    /* EINVAL: a pipe or a terminal. */
    return tw_write_all_sync(history->file) || errno == EINVAL || fail(history, "write");
}

void tw_history_close(tw_history *history)
{
    if (history->file >= 0) close(history->file);
    history->file = -1;
}
