/* SPDX-License-Identifier: BSD-3-Clause */
#include "common/args.h"

#include "base/text.h"
#include "common/exit_status.h"
#include "common/manual.h"
#include "common/output.h"

#include <assert.h>
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <twirl/sim.h>

enum { OPTIONS_MAX = 64, KEY_FIRST = 256 };

/* The rows of a command, as argp takes them, and where each one writes. */
typedef struct option_rows {
    const tw_args_command *command;
    void *settings;
    struct argp_option option[OPTIONS_MAX + 1]; /* ends with zeros */
    const tw_args_option *row[OPTIONS_MAX];
    char *member[OPTIONS_MAX];
    size_t count;
    const tw_args_option *positional; /* or NULL */
    char *positional_member;
} option_rows;

static void add_row(option_rows *p, const tw_args_option *row, char *settings)
{
    const bool heading = !row->name && !row->argument, alias = row->name && !row->read;
    if (!row->name && !heading) {
        p->positional = row;
        p->positional_member = settings + row->offset;
        return;
    }
    assert(p->count < OPTIONS_MAX);
    if (alias && row->name[1] == '\0') {
        p->option[p->count - 1].key = row->name[0];
        return;
    }
    p->row[p->count] = row;
    p->member[p->count] = settings + row->offset;
    p->option[p->count] =
        (struct argp_option){.name = row->name,
                             .key = heading || alias ? 0 : KEY_FIRST + (int)p->count,
                             .arg = row->argument,
                             .flags = alias ? OPTION_ALIAS : 0,
                             .doc = row->help};
    p->count++;
}

static void add_table(option_rows *p, const tw_args_table *table, char *settings)
{
    const tw_args_option *row = table->options;
    for (; row && (row->name || row->argument || row->help); row++)
        add_row(p, row, settings);
}

/* The long options of a command, with the three that argp adds itself. */
typedef struct option_names {
    const char *name[OPTIONS_MAX + 3];
    bool takes_value[OPTIONS_MAX + 3];
    size_t count;
} option_names;

static void option_names_add(option_names *names, const char *name, bool takes_value)
{
    if (!name) return;
    names->name[names->count] = name;
    names->takes_value[names->count] = takes_value;
    names->count++;
}

static option_names option_names_of(const option_rows *p)
{
    option_names names = {.count = 0};
    for (size_t i = 0; i < p->count; i++)
        option_names_add(&names, p->option[i].name, p->option[i].arg != NULL);
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

/* getopt's own message does not suggest the nearest name. */
static void refuse_unknown_options(const option_rows *p, int argc, char **argv)
{
    const option_names names = option_names_of(p);
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

static void check(const struct argp_state *state, const option_rows *p)
{
    const tw_args_command *command = p->command;
    if (command->shared && command->shared->check)
        command->shared->check(state, (char *)p->settings + command->shared_offset);
    if (command->own.check) command->own.check(state, p->settings);
}

static error_t read_one(int key, char *text, struct argp_state *state)
{
    const option_rows *p = state->input;
    if (key == ARGP_KEY_ARG && p->positional) {
        p->positional->read(state, p->positional->argument, text, p->positional_member);
        return 0;
    }
    if (key == ARGP_KEY_END) {
        check(state, p);
        return 0;
    }
    for (size_t i = 0; key != ARGP_KEY_ARG && i < p->count; i++) {
        if (p->option[i].key != key) continue;
        p->row[i]->read(state, p->row[i]->name, text, p->member[i]);
        return 0;
    }
    return ARGP_ERR_UNKNOWN;
}

void tw_args_parse(const tw_args_command *command, int argc, char **argv, void *settings)
{
    option_rows p = {.command = command, .settings = settings};
    const struct argp argp = {p.option, read_one, command->arguments, command->description, NULL,
                              NULL,     NULL};
    add_table(&p, &command->own, settings);
    if (command->shared) add_table(&p, command->shared, (char *)settings + command->shared_offset);
    answer(&argp, argc, argv);
    refuse_unknown_options(&p, argc, argv);
    argp_err_exit_status = TW_EXIT_USAGE;
    if (argp_parse(&argp, argc, argv, 0, NULL, &p) != 0) exit(TW_EXIT_USAGE);
}

/* ---- Readers ---- */

void tw_args_flag(const struct argp_state *state, const char *option, char *text, void *member)
{
    (void)state, (void)option, (void)text;
    *(bool *)member = true;
}

void tw_args_no_flag(const struct argp_state *state, const char *option, char *text, void *member)
{
    (void)state, (void)option, (void)text;
    *(bool *)member = false;
}

void tw_args_text(const struct argp_state *state, const char *option, char *text, void *member)
{
    (void)state, (void)option;
    *(const char **)member = text;
}

void tw_args_once(const struct argp_state *state, const char *option, char *text, void *member)
{
    const char **value = member;
    if (*value)
        argp_error(state, "unexpected argument %s: %s is already '%s'",
                   tw_text_quote(text, strlen(text)).text, option, *value);
    *value = text;
}

void tw_args_folder(const struct argp_state *state, const char *option, char *text, void *member)
{
    if (!*text) argp_error(state, "--%s: the name of the folder is empty", option);
    *(const char **)member = text;
}

void tw_args_number(const struct argp_state *state, const char *option, char *text, void *member)
{
    const char *problem = tw_text_number(text, member);
    if (problem)
        argp_error(state, "--%s: %s %s", option, tw_text_quote(text, strlen(text)).text, problem);
}

void tw_args_positive(const struct argp_state *state, const char *option, char *text, void *member)
{
    double *value = member;
    tw_args_number(state, option, text, value);
    if (!(*value > 0.0)) argp_error(state, "--%s: '%s' must be greater than 0", option, text);
}

void tw_args_read_matrix(const struct argp_state *state, const char *option, char *text,
                         void *member)
{
    static const char between[] = " ,\t";
    tw_args_matrix *matrix = member;
    double value[9];
    size_t count = 0;
    for (const char *next = text + strspn(text, between); *next; count++) {
        char word[64];
        double number = 0.0;
        const size_t length = strcspn(next, between);
        if (length >= sizeof word)
            argp_error(state, "--%s: %s is too long for a number", option,
                       tw_text_quote(next, length).text);
        snprintf(word, sizeof word, "%.*s", (int)length, next);
        tw_args_number(state, option, word, &number);
        if (count < 9) value[count] = number;
        next += length;
        next += strspn(next, between);
    }
    if (count != 3 && count != 9) {
        argp_error(state, "--%s: %s has %zu number%s; expected 3 (the diagonal) or 9 (row by row)",
                   option, tw_text_quote(text, strlen(text)).text, count, tw_output_plural(count));
    }
    *matrix = (tw_args_matrix){.given = true};
    for (size_t i = 0; i < count && i < 9; i++)
        matrix->value.m[count == 3 ? 4 * i : i] = value[i];
}

void tw_args_count(const struct argp_state *state, const char *option, char *text, void *member)
{
    char *end = NULL;
    errno = 0;
    const unsigned long long value = strtoull(text, &end, 10);
    const bool digits = text[0] >= '0' && text[0] <= '9';
    if (!digits || *end != '\0' || errno == ERANGE || value == 0 || value > INT64_MAX) {
        argp_error(state, "--%s: %s is not an integer greater than 0", option,
                   tw_text_quote(text, strlen(text)).text);
    }
    *(uint64_t *)member = value;
}

void tw_args_threads(const struct argp_state *state, const char *option, char *text, void *member)
{
    enum { MOST = 4096 };
    uint64_t value = 0;
    tw_args_count(state, option, text, &value);
    if (value > MOST) argp_error(state, "--%s: '%s' exceeds the limit of %d", option, text, MOST);
    *(int *)member = (int)value;
}

void tw_args_device(const struct argp_state *state, const char *option, char *text, void *member)
{
    tw_error error;
    if (tw_sim_check_device(text, &error) == TW_STATUS_INPUT)
        argp_error(state, "--%s: %s", option, error.text);
    *(const char **)member = text;
}

void tw_args_path(const struct argp_state *state, const char *option, char *text, void *member)
{
    if (strlen(text) >= PATH_MAX) argp_error(state, "--%s: the path is too long", option);
    snprintf(member, PATH_MAX, "%s", text);
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
