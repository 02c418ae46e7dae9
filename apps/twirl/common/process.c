/* SPDX-License-Identifier: BSD-3-Clause */
#include "common/process.h"

#include <errno.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

int tw_process_start(char *const *argv, const char *directory, int in, int out, pid_t *child)
{
    extern char **environ;
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    sigset_t signals;
    int number = posix_spawn_file_actions_init(&actions);
    if (number) return number;
    number = posix_spawnattr_init(&attributes);
    if (number == 0) {
        sigemptyset(&signals);
        sigaddset(&signals, SIGPIPE); /* ignored here, which a child would inherit */
        posix_spawnattr_setsigdefault(&attributes, &signals);
        posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
        if (directory) number = posix_spawn_file_actions_addchdir_np(&actions, directory);
        if (number == 0 && in >= 0)
            number = posix_spawn_file_actions_adddup2(&actions, in, STDIN_FILENO);
        if (number == 0 && out >= 0)
            number = posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO);
        if (number == 0)
            number = posix_spawnp(child, argv[0], &actions, &attributes, argv, environ);
        posix_spawnattr_destroy(&attributes);
    }
    posix_spawn_file_actions_destroy(&actions);
    return number;
}

bool tw_process_end(pid_t child)
{
    int ended = 0;
    while (waitpid(child, &ended, 0) < 0)
        if (errno != EINTR) return false;
    return WIFEXITED(ended) && WEXITSTATUS(ended) == 0;
}
