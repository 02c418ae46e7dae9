/* SPDX-License-Identifier: BSD-3-Clause */
#include "common/args.h"

#include "base/text.h"
#include "common/exit_status.h"
#include "common/manual.h"
#include "common/output.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <twirl/sim.h>

enum { OPTIONS_MAX = 64 };

/* The long options of a command, with the three that argp adds itself. */
typedef struct option_names {
    const char *name[OPTIONS_MAX];
    bool takes_value[OPTIONS_MAX];
    size_t count;
} option_names;

static void option_names_add(option_names *names, const char *name, bool takes_value)
{
    if (!name || names->count == OPTIONS_MAX) return;
    names->name[names->count] = name;
    names->takes_value[names->count] = takes_value;
    names->count++;
}

static void option_names_collect(option_names *names, const struct argp *argp)
{
    const struct argp_option *option = argp->options;
    for (; option && (option->name || option->key || option->doc); option++) {
        option_names_add(names, option->name,
                         option->arg && !(option->flags & OPTION_ARG_OPTIONAL));
    }
    for (const struct argp_child *child = argp->children; child && child->argp; child++)
        option_names_collect(names, child->argp);
}

static option_names option_names_of(const struct argp *argp)
{
    option_names names = {.count = 0};
    option_names_collect(&names, argp);
    option_names_add(&names, "help", false);
    option_names_add(&names, "usage", false);
    option_names_add(&names, "version", false);
    return names;
}

/* Like getopt, accepts any prefix of a name; -1 if there is none. */
static int option_names_find(const option_names *names, const char *word, size_t length)
{
    int found = -1;
    for (size_t i = 0; i < names->count; i++) {
        if (strncmp(names->name[i], word, length) != 0) continue;
        found = (int)i;
        if (names->name[i][length] == '\0') break;
    }
    return found;
}

static _Noreturn void refuse_option(const char *command, const option_names *names,
                                    const char *word)
{
    char name[64];
    snprintf(name, sizeof name, "%.*s", (int)strcspn(word, "="), word);
    const tw_text_quotation shown = tw_text_quote(word, strlen(word));
    const char *nearest = tw_nearest(name, names->name, names->count);
    fprintf(stderr, "%s: unknown option '--%s", command, shown.text + 1);
    if (nearest) fprintf(stderr, ": did you mean '--%s'?", nearest);
    fprintf(stderr, "%s See '%s --help'.\n", nearest ? "" : ".", command);
    exit(TW_EXIT_USAGE);
}

static void refuse_unknown_options(const struct argp *argp, int argc, char **argv)
{
    const option_names names = option_names_of(argp);
    for (int i = 1; i < argc; i++) {
        if (strncmp(argv[i], "--", 2) != 0) continue;
        const char *word = argv[i] + 2;
        if (*word == '\0') return;
        const size_t length = strcspn(word, "=");
        const int found = option_names_find(&names, word, length);
        if (found < 0) refuse_option(argv[0], &names, word);
        if (names.takes_value[found] && word[length] == '\0') i++;
    }
}

/* What the build and the shells ask for. */
static void answer(const struct argp *argp, int argc, char **argv)
{
    if (argc != 2) return;
    if (strcmp(argv[1], TW_MANUAL_PAGE) == 0)
        tw_manual_print(argp, argv[0]);
    else if (strcmp(argv[1], TW_MANUAL_OPTIONS) == 0)
        tw_manual_print_options(argp);
    else
        return;
    exit(tw_output_finish(argv[0], TW_EXIT_OK));
}

void tw_args_parse(const struct argp *argp, int argc, char **argv, void *input)
{
    answer(argp, argc, argv);
    refuse_unknown_options(argp, argc, argv);
    argp_err_exit_status = TW_EXIT_USAGE;
    if (argp_parse(argp, argc, argv, 0, NULL, input) != 0) exit(TW_EXIT_USAGE);
}

void tw_args_once(const struct argp_state *state, const char *name, const char *text,
                  const char **value)
{
    if (*value)
        argp_error(state, "unexpected argument %s: %s is already '%s'",
                   tw_text_quote(text, strlen(text)).text, name, *value);
    *value = text;
}

double tw_args_number(const struct argp_state *state, const char *option, const char *text)
{
    double value = 0.0;
    const char *problem = tw_text_number(text, &value);
    if (problem)
        argp_error(state, "--%s: %s %s", option, tw_text_quote(text, strlen(text)).text, problem);
    return value;
}

double tw_args_positive(const struct argp_state *state, const char *option, const char *text)
{
    const double value = tw_args_number(state, option, text);
    if (!(value > 0.0)) argp_error(state, "--%s: '%s' must be greater than 0", option, text);
    return value;
}

tw_mat3 tw_args_gradient(const struct argp_state *state, const char *option, const char *text)
{
    static const char between[] = " ,\t";
    double value[9];
    size_t count = 0;
    for (const char *next = text + strspn(text, between); *next; count++) {
        char word[64];
        const size_t length = strcspn(next, between);
        if (length >= sizeof word)
            argp_error(state, "--%s: %s is too long for a number", option,
                       tw_text_quote(next, length).text);
        snprintf(word, sizeof word, "%.*s", (int)length, next);
        const double number = tw_args_number(state, option, word);
        if (count < 9) value[count] = number;
        next += length;
        next += strspn(next, between);
    }
    if (count != 3 && count != 9) {
        argp_error(state, "--%s: %s has %zu number%s; expected 3 (the diagonal) or 9 (row by row)",
                   option, tw_text_quote(text, strlen(text)).text, count, tw_output_plural(count));
    }
    tw_mat3 gradient = {{0}};
    for (size_t i = 0; i < count && i < 9; i++)
        gradient.m[count == 3 ? 4 * i : i] = value[i];
    return gradient;
}

uint64_t tw_args_count(const struct argp_state *state, const char *option, const char *text)
{
    char *end = NULL;
    errno = 0;
    const unsigned long long value = strtoull(text, &end, 10);
    const bool digits = text[0] >= '0' && text[0] <= '9';
    if (!digits || *end != '\0' || errno == ERANGE || value == 0 || value > INT64_MAX) {
        argp_error(state, "--%s: %s is not an integer greater than 0", option,
                   tw_text_quote(text, strlen(text)).text);
    }
    return value;
}

int tw_args_threads(const struct argp_state *state, const char *text)
{
    enum { MOST = 4096 };
    const uint64_t value = tw_args_count(state, "threads", text);
    if (value > MOST) argp_error(state, "--threads: '%s' exceeds the limit of %d", text, MOST);
    return (int)value;
}

const char *tw_args_device(const struct argp_state *state, const char *text)
{
    tw_error error;
    if (tw_sim_check_device(text, &error) == TW_STATUS_INPUT)
        argp_error(state, "--device: %s", error.text);
    return text;
}

void tw_args_path(const struct argp_state *state, const char *option, const char *text, char *path,
                  size_t size)
{
    if (strlen(text) >= size) argp_error(state, "--%s: the path is too long", option);
    snprintf(path, size, "%s", text);
}

void tw_args_refuse_name(const struct argp_state *state, const char *option, const char *text,
                         size_t length, const char *what, const char *const *known, size_t count)
{
    char word[64];
    snprintf(word, sizeof word, "%.*s", (int)(length < sizeof word ? length : sizeof word), text);
    tw_text_buffer list = {0};
    for (size_t i = 0; i < count; i++)
        tw_text_buffer_add(&list, "%s%s", i ? ", " : "", known[i]);
    const char *nearest = tw_nearest(word, known, count), *all = list.failed ? "..." : list.text;
    const tw_text_quotation shown = tw_text_quote(text, length);
    if (nearest)
        argp_error(state, "%s: %s is not %s: did you mean '%s'? (%s)", option, shown.text, what,
                   nearest, all);
    else
        argp_error(state, "%s: %s is not %s: expected one of %s", option, shown.text, what, all);
    tw_text_buffer_free(&list);
}
