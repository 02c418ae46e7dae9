/* SPDX-License-Identifier: BSD-3-Clause */
#include "plot/plot.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/row_writer.h"

static bool fail(char *error, size_t size, const char *what, const char *which, int number)
{
    snprintf(error, size, "%s %s: %s", what, which, strerror(number));
    return false;
}

static bool make_one(const char *directory)
{
    if (mkdir(directory, 0777) == 0) return true;
    if (errno != EEXIST) return false;
    struct stat about;
    if (stat(directory, &about) != 0) return false;
    errno = ENOTDIR;
    return S_ISDIR(about.st_mode);
}

bool tw_plot_make_directory(const char *directory, char *error, size_t size)
{
    char path[PATH_MAX];
    const char what[] = "cannot make directory";
    if (strlen(directory) >= sizeof path) return fail(error, size, what, directory, ENAMETOOLONG);
    memcpy(path, directory, strlen(directory) + 1);
    for (char *slash = strchr(path + (path[0] == '/'), '/'); slash;
         slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        const bool made = make_one(path);
        *slash = '/';
        if (!made) return fail(error, size, what, directory, errno);
    }
    return make_one(path) || fail(error, size, what, directory, errno);
}

/* The terminals measure points differently: the two sizes look the same. */
static bool write_script(const tw_plot *plot, const char *path, char *error, size_t size)
{
    tw_row_writer writer;
    const bool written =
        tw_row_writer_open(&writer, path) &&
        tw_row_writer_add(&writer, "# Draw again with: gnuplot %s.gp\nset encoding utf8\n",
                          plot->name) &&
        tw_row_writer_add(&writer, "%s", plot->settings) &&
        tw_row_writer_add(&writer,
                          "set terminal svg size 1200,800 font 'Helvetica,Arial,sans-serif,25' "
                          "background rgb 'white' enhanced\n"
                          "set pointsize 0.8\n"
                          "set output '%s.svg'\n",
                          plot->name) &&
        tw_row_writer_add(&writer, "%s", plot->curves) &&
        tw_row_writer_add(&writer,
                          "set terminal pngcairo size 1200,800 font 'Sans,20' enhanced\n"
                          "set pointsize 2\n"
                          "set output '%s.png'\nreplot\nunset output\n",
                          plot->name);
    if (written && tw_row_writer_finish(&writer)) return true;
    snprintf(error, size, "%s", writer.error);
    if (!written) tw_row_writer_abandon(&writer);
    return false;
}

/* No shell: names of directories may hold anything. -d: a user's own settings do not interfere. */
static int spawn_gnuplot(const tw_plot *plot, pid_t *child)
{
    extern char **environ;
    char script[NAME_MAX + 1];
    snprintf(script, sizeof script, "%s.gp", plot->name);
    char program[] = "gnuplot", defaults[] = "-d";
    char *const argv[] = {program, defaults, script, NULL};

    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    sigset_t signals;
    /* Scripts are in UTF-8, with decimal points, whatever the locale of the caller is. */
    if (setenv("LC_ALL", "C.UTF-8", 1) != 0) return errno;
    int number = posix_spawn_file_actions_init(&actions);
    if (number) return number;
    number = posix_spawnattr_init(&attributes);
    if (number == 0) {
        sigemptyset(&signals);
        sigaddset(&signals, SIGPIPE); /* ignored in this program, which a child would inherit */
        posix_spawnattr_setsigdefault(&attributes, &signals);
        posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
        number = posix_spawn_file_actions_addchdir_np(&actions, plot->directory);
        if (number == 0)
            number = posix_spawnp(child, program, &actions, &attributes, argv, environ);
        posix_spawnattr_destroy(&attributes);
    }
    posix_spawn_file_actions_destroy(&actions);
    return number;
}

bool tw_plot_draw(const tw_plot *plot, char *error, size_t size)
{
    char script[PATH_MAX];
    snprintf(script, sizeof script, "%s/%s.gp", plot->directory, plot->name);
    if (!write_script(plot, script, error, size)) return false;
    pid_t child = -1;
    const int number = spawn_gnuplot(plot, &child);
    if (number == ENOENT) {
        snprintf(error, size, "gnuplot was not found: install it (Debian: gnuplot-nox) to draw %s",
                 script);
        return false;
    }
    if (number) return fail(error, size, "cannot start", "gnuplot", number);
    int status = 0;
    while (waitpid(child, &status, 0) < 0) {
        if (errno != EINTR) return fail(error, size, "cannot wait for", "gnuplot", errno);
    }
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return true;
    snprintf(error, size, "gnuplot failed on %s", script);
    return false;
}
