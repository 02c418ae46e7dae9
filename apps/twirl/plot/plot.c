/* SPDX-License-Identifier: BSD-3-Clause */
#include "plot/plot.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file.h"
#include "common/row_writer.h"

tw_status tw_plot_make_directory(const char *directory, tw_error *error)
{
    tw_folder_path path = tw_folder_path_join(directory, "");
    tw_status status = TW_STATUS_OK;
    if (!*path.text) {
        errno = ENAMETOOLONG;
        return tw_error_set_system(error, "create the folder", directory);
    }
    for (char *slash = path.text; status == TW_STATUS_OK && (slash = strchr(slash + 1, '/'));) {
        *slash = '\0';
        status = tw_folder_make(path.text, error);
        *slash = '/';
    }
    return status;
}

static tw_status write_script(const tw_plot *plot, const char *path, tw_error *error)
{
    tw_row_writer writer;
    tw_text_buffer outputs = {0};
    tw_plot_style_add_outputs(&outputs, plot->style, plot->name, plot->curves);
    tw_status status =
        outputs.failed ? tw_error_set_memory(error) : tw_row_writer_open(&writer, path, error);
    if (status == TW_STATUS_OK) {
        tw_row_writer_add(&writer, "# Draw again with: gnuplot %s.gp\nset encoding utf8\n%s%s",
                          plot->name, plot->settings, outputs.text);
        status = tw_row_writer_finish(&writer, error);
    }
    tw_text_buffer_free(&outputs);
    return status;
}

/* Without a shell, as names may contain anything. -d: ignore the user's own settings. Returns an
 * errno. */
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
    /* Scripts are in UTF-8, with decimal points, whatever the locale. */
    if (setenv("LC_ALL", "C.UTF-8", 1) != 0) return errno;
    int number = posix_spawn_file_actions_init(&actions);
    if (number) return number;
    number = posix_spawnattr_init(&attributes);
    if (number == 0) {
        sigemptyset(&signals);
        sigaddset(&signals, SIGPIPE); /* ignored here, which a child would inherit */
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

/* Blanks beside a symbol are lost in some viewers unless the file asks to keep them. */
static tw_status keep_blanks(const tw_plot *plot, tw_error *error)
{
    static const char before[] = "<text>", after[] = "<text xml:space=\"preserve\">";
    char path[PATH_MAX + NAME_MAX], *line = NULL;
    size_t capacity = 0;
    tw_row_writer writer;
    snprintf(path, sizeof path, "%s/%s.svg", plot->directory, plot->name);
    FILE *file = fopen(path, "r");
    if (!file) return tw_error_set_system(error, "read", path);
    tw_status status = tw_row_writer_open(&writer, path, error);
    if (status == TW_STATUS_OK) {
        while (getline(&line, &capacity, file) > 0) {
            char *at = strstr(line, before);
            if (at) *at = '\0';
            tw_row_writer_add(&writer, "%s%s%s", line, at ? after : "",
                              at ? at + sizeof before - 1 : "");
        }
        status = tw_row_writer_finish(&writer, error);
    }
    free(line);
    fclose(file);
    return status;
}

tw_status tw_plot_draw(const tw_plot *plot, tw_error *error)
{
    char script[PATH_MAX];
    snprintf(script, sizeof script, "%s/%s.gp", plot->directory, plot->name);
    const tw_status status = write_script(plot, script, error);
    if (status != TW_STATUS_OK) return status;
    pid_t child = -1;
    errno = spawn_gnuplot(plot, &child);
    if (errno == ENOENT)
        return tw_error_set(error, TW_STATUS_FILE,
                            "gnuplot not found: install it (Debian: gnuplot-nox) to draw %s",
                            tw_error_shorten_path(script).text);
    if (errno) return tw_error_set_system(error, "start", "gnuplot");
    int ended = 0;
    while (waitpid(child, &ended, 0) < 0) {
        if (errno != EINTR) return tw_error_set_system(error, "wait for", "gnuplot");
    }
    if (WIFEXITED(ended) && WEXITSTATUS(ended) == 0)
        return plot->style->pdf ? TW_STATUS_OK : keep_blanks(plot, error);
    return tw_error_set(error, TW_STATUS_FILE, "gnuplot failed on %s",
                        tw_error_shorten_path(script).text);
}
