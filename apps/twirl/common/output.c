/* SPDX-License-Identifier: BSD-3-Clause */
#include "common/output.h"

#include <ctype.h>
#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/environment.h"
#include "base/error.h"

int tw_exit_status_reading(tw_status status)
{
    return status == TW_STATUS_MEMORY || status == TW_STATUS_DEVICE ? TW_EXIT_ENVIRONMENT
                                                                    : TW_EXIT_USAGE;
}

int tw_exit_status_running(tw_status status)
{
    switch (status) {
    case TW_STATUS_OK:
        return TW_EXIT_OK;
    case TW_STATUS_INPUT:
    case TW_STATUS_VERSION:
        return TW_EXIT_USAGE;
    case TW_STATUS_PHYSICS:
        return TW_EXIT_PHYSICS;
    default:
        return TW_EXIT_ENVIRONMENT;
    }
}

void *tw_exit_unless(void *memory)
{
    if (!memory) {
        fputs("twirl: out of memory\n", stderr);
        exit(TW_EXIT_ENVIRONMENT);
    }
    return memory;
}

char *tw_exit_text(const char *format, ...)
{
    va_list values;
    char *text = NULL;
    va_start(values, format);
    const bool made = vasprintf(&text, format, values) >= 0;
    va_end(values);
    return tw_exit_unless(made ? text : NULL);
}

int tw_output_fail(const char *command, int status, const char *format, ...)
{
    va_list values;
    fprintf(stderr, "%s: ", command);
    va_start(values, format);
    vfprintf(stderr, format, values);
    va_end(values);
    fputc('\n', stderr);
    return status;
}

const char *tw_output_plural(uint64_t count)
{
    return count == 1 ? "" : "s";
}

void tw_output_line(FILE *out, int width, const char *label, const char *format, ...)
{
    va_list values;
    fprintf(out, "%-*s ", width, label);
    va_start(values, format);
    vfprintf(out, format, values);
    va_end(values);
    fputc('\n', out);
}

int tw_output_finish(const char *command, int status)
{
    if (fflush(stdout) == 0 && !ferror(stdout)) return status;
    /* Whoever reads has seen enough, as in "twirl keys | head". */
    if (errno == EPIPE) return TW_EXIT_ENVIRONMENT;
    fprintf(stderr, "%s: cannot write stdout: %s\n", command, tw_error_reason_of(errno).text);
    return TW_EXIT_ENVIRONMENT;
}

tw_progress tw_progress_start(const char *command, bool quiet)
{
    tw_progress progress = {.command = command, .quiet = quiet};
    progress.terminal = isatty(STDERR_FILENO);
    progress.interval = progress.terminal ? 0.5 : 10.0;
    progress.started = progress.shown = tw_clock();
    return progress;
}

bool tw_progress_due(tw_progress *progress, double now)
{
    if (now - progress->shown < progress->interval) return false;
    progress->shown = now;
    return !progress->quiet;
}

static int terminal_width(void)
{
    struct winsize size;
    return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

void tw_progress_show(const tw_progress *progress, const char *line)
{
    if (progress->terminal)
        fprintf(stderr, "\r%.*s\033[K", terminal_width() - 1, line);
    else
        fprintf(stderr, "%s: %s\n", progress->command, line + strspn(line, " "));
}

void tw_progress_clear(const tw_progress *progress)
{
    if (progress->terminal && !progress->quiet) fputs("\r\033[K", stderr);
}

static volatile sig_atomic_t interrupt_flag;

static void handle_signal(int number)
{
    if (!interrupt_flag) {
        interrupt_flag = number;
        return;
    }
    signal(number, SIG_DFL);
    raise(number); /* blocked in its own handler; delivered when this returns */
}

void tw_interrupt_watch(void)
{
    static const int numbers[] = {SIGINT, SIGTERM, SIGHUP};
    for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++) {
        struct sigaction before, watch = {0};
        if (sigaction(numbers[k], NULL, &before) != 0 || before.sa_handler == SIG_IGN) continue;
        watch.sa_handler = handle_signal;
        watch.sa_flags = SA_RESTART; /* writes under way are completed */
        sigemptyset(&watch.sa_mask);
        sigaction(numbers[k], &watch, NULL);
    }
}

int tw_interrupt_signal(void)
{
    return interrupt_flag;
}

const char *tw_interrupt_name(int number)
{
    switch (number) {
    case SIGINT:
        return "SIGINT";
    case SIGTERM:
        return "SIGTERM";
    default:
        return "SIGHUP";
    }
}

/* One word of a command, quoted for a shell. */
static void print_word(const char *word)
{
    const char *plain = word;
    while (isalnum((unsigned char)*plain) || (*plain && strchr("_-+=./,:@%", *plain)))
        plain++;
    if (*word && !*plain) {
        fprintf(stderr, " %s", word);
        return;
    }
    fputs(" '", stderr);
    for (; *word; word++) {
        if (*word == '\'')
            fputs("'\\''", stderr);
        else
            fputc(*word, stderr);
    }
    fputc('\'', stderr);
}

/* Words of the command line that belong to the option `name`, of which `word` is the first; 0: it
 * is another. */
static int words_of(const char *name, const char *word)
{
    const size_t length = strcspn(name, "=");
    if (strncmp(word, name, length) != 0) return 0;
    if (word[length] == '=') return 1;
    if (word[length] != '\0') return 0;
    return name[length] == '=' ? 2 : 1;
}

void tw_command_line_print(const char *command, const char *const *extra,
                           const char *const *without, int argc, char **argv)
{
    fputs("   ", stderr);
    print_word(program_invocation_name);
    print_word(command);
    for (; *extra; extra++)
        print_word(*extra);
    for (int i = 1; i < argc;) {
        int skip = 0;
        for (const char *const *name = without; *name && skip == 0; name++)
            skip = words_of(*name, argv[i]);
        if (skip == 0) print_word(argv[i]);
        i += skip > 0 ? skip : 1;
    }
    fputc('\n', stderr);
}
