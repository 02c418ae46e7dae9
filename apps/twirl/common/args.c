/* SPDX-License-Identifier: BSD-3-Clause */
#include "common/args.h"

#include <assert.h>
#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <twirl/sim.h>
#include <twirl/version.h>

#include "base/text.h"
#include "common/output.h"

enum { AUTOMATIC = 3, ROWS_MAX = AUTOMATIC + 64, KEY_FIRST = 256 };

/* What argp adds to the options of every command. */
static const struct argp_option automatic[AUTOMATIC] = {
    {"help", '?', NULL, 0, "print a short form of this page", -1},
    {"usage", KEY_FIRST, NULL, 0, "print the options alone", -1},
    {"version", 'V', NULL, 0, "print the version of the program", -1}};

/* The rows of a command, as argp takes them, and where each one writes. */
typedef struct option_rows {
    const tw_args_command *command;
    void *settings;
    struct argp_option option[ROWS_MAX + 1]; /* after the automatic ones; ends with zeros */
    const tw_args_option *row[ROWS_MAX];
    char *member[ROWS_MAX];
    size_t count;
    const tw_args_option *positional; /* or NULL */
    char *positional_member;
} option_rows;

/* Text for roff: backslashes and hyphens as they are, no line that begins like a request. */
static void put_text(const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        if ((i == 0 || text[i - 1] == '\n') && (text[i] == '.' || text[i] == '\''))
            fputs("\\&", stdout);
        if (text[i] == '\\')
            fputs("\\e", stdout);
        else if (text[i] == '-')
            fputs("\\-", stdout);
        else
            putchar(text[i]);
    }
}

static void put(const char *text)
{
    put_text(text, strlen(text));
}

/* Lines that are indented, or follow a line that is, keep their line breaks. */
static void put_paragraph(const char *text, size_t length)
{
    static const char exit_status[] = "Exit status: ";
    const bool table = length > 2 && (text[0] == ' ' || memmem(text, length, "\n ", 2) != NULL);
    if (strncmp(text, exit_status, strlen(exit_status)) == 0) {
        puts(".SH EXIT STATUS");
        text += strlen(exit_status);
        length -= strlen(exit_status);
    } else {
        puts(".PP");
    }
    if (table) puts(".nf");
    put_text(text, length);
    putchar('\n');
    if (table) puts(".fi");
}

static void put_paragraphs(const char *text)
{
    while (*text) {
        const char *end = strstr(text, "\n\n");
        const size_t length = end ? (size_t)(end - text) : strlen(text);
        if (length > 0) put_paragraph(text, length);
        text += length;
        text += strspn(text, "\n");
    }
}

static void put_name(const struct argp_option *option)
{
    if (option->key > ' ' && option->key <= '~') printf("\\fB\\-%c\\fR, ", option->key);
    fputs("\\fB\\-\\-", stdout);
    put(option->name);
    fputs("\\fR", stdout);
    if (!option->arg) return;
    fputs("=\\fI", stdout);
    put(option->arg);
    fputs("\\fR", stdout);
}

/* Another name of the option above has no lines of its own. */
static void put_option(const struct argp_option *option)
{
    if (option->flags & OPTION_ALIAS) return;
    if (!option->name) {
        fputs(".SS ", stdout);
        put(option->doc);
        putchar('\n');
        return;
    }
    puts(".TP");
    put_name(option);
    if (option[1].flags & OPTION_ALIAS) {
        fputs(", ", stdout);
        put_name(option + 1);
    }
    putchar('\n');
    put(option->doc);
    putchar('\n');
}

static void put_title(const char *page)
{
    fputs(".TH ", stdout);
    for (const char *c = page; *c; c++)
        putchar(toupper((unsigned char)*c));
    printf(" 1 \"\" \"twirl %s\" \"twirl\"\n.SH NAME\n", tw_version());
}

void tw_manual_begin(const char *name, const char *summary)
{
    char page[64];
    snprintf(page, sizeof page, "twirl-%s", name);
    put_title(page);
    put(page);
    fputs(" \\- ", stdout);
    put(summary);
    putchar('\n');
}

/* Prints the rest of it, with options in the order of their tables. `name` is the full name. */
static void print_manual(const option_rows *p, const char *name)
{
    const char *doc = p->command->description, *after = strchr(doc, '\v');
    bool grouped = false;
    printf(".SH SYNOPSIS\n\\fB%s\\fR [\\fIOPTION\\fR...] ", name);
    put(p->command->arguments);
    puts("\n.SH DESCRIPTION");
    put_text(doc, after ? (size_t)(after - doc) : strlen(doc));
    puts("\n.SH OPTIONS");
    for (size_t i = AUTOMATIC; i < p->count; i++) {
        grouped = grouped || !p->option[i].name;
        put_option(&p->option[i]);
    }
    if (grouped) puts(".SS Other options");
    for (size_t i = 0; i < AUTOMATIC; i++)
        put_option(&p->option[i]);
    if (after) {
        if (strncmp(after + 1, "Exit status:", 12) != 0) puts(".SH NOTES");
        put_paragraphs(after + 1);
    }
    puts(".SH SEE ALSO\n.BR twirl (1)");
}

/* Prints the table of options, with those that argp adds. */
static void print_options(const option_rows *p)
{
    for (size_t i = 0; i < p->count; i++) {
        const struct argp_option *option = &p->option[i];
        if (option->name)
            printf("--%s\t%s\t%s\n", option->name, option->arg ? option->arg : "", option->doc);
    }
}

void tw_manual_print_program(const char *purpose, const tw_command *commands, size_t count)
{
    put_title("twirl");
    puts("twirl \\- element tests on granular materials\n"
         ".SH SYNOPSIS\n\\fBtwirl\\fR \\fICOMMAND\\fR [\\fIOPTION\\fR...]\n.SH DESCRIPTION");
    put(purpose);
    puts("\n.SH COMMANDS");
    for (size_t i = 0; i < count; i++) {
        printf(".TP\n.BR twirl\\-%s (1)\n", commands[i].name);
        put(commands[i].summary);
        putchar('\n');
    }
    puts(".SH OPTIONS\n.TP\n\\fB\\-?\\fR, \\fB\\-\\-help\\fR\nprint the commands\n"
         ".TP\n\\fB\\-V\\fR, \\fB\\-\\-version\\fR\n"
         "print the version and the vector instructions in use");
    puts(".SH ENVIRONMENT\n.TP\n\\fBOMP_NUM_THREADS\\fR\nnumber of threads\n"
         ".TP\n\\fBTWIRL_DEVICE\\fR\nwhere steps are computed: cpu or cuda");
}

static void add_row(option_rows *p, const tw_args_option *row, char *settings)
{
    const bool heading = !row->name && !row->argument, alias = row->name && !row->read;
    if (!row->name && !heading) {
        p->positional = row;
        p->positional_member = settings + row->offset;
        return;
    }
    assert(p->count < ROWS_MAX);
    struct argp_option *option = &p->option[p->count];
    if (alias && row->name[1] == '\0') {
        option[-1].key = row->name[0];
        return;
    }
    p->row[p->count] = row;
    p->member[p->count] = settings + row->offset;
    *option = (struct argp_option){.name = row->name, .arg = row->argument, .doc = row->help};
    if (alias) {
        *option = option[-1];
        option->name = row->name;
        option->key = 0;
        option->flags = OPTION_ALIAS;
    } else if (!heading) {
        option->key = KEY_FIRST + (int)p->count;
    }
    p->count++;
}

static void add_table(option_rows *p, const tw_args_table *table, char *settings)
{
    const tw_args_option *row = table->options;
    for (; row && (row->name || row->argument || row->help); row++)
        add_row(p, row, settings);
}

/* Like getopt, accepts any prefix of a name; NULL if there is none. */
static const struct argp_option *find_option(const option_rows *p, const char *word, size_t length)
{
    const struct argp_option *found = NULL;
    for (size_t i = 0; i < p->count; i++) {
        const char *name = p->option[i].name;
        if (!name || strncmp(name, word, length) != 0) continue;
        found = &p->option[i];
        if (name[length] == '\0') break;
    }
    return found;
}

static _Noreturn void refuse_option(const option_rows *p, const char *command, const char *word)
{
    char name[64];
    const char *known[ROWS_MAX];
    size_t count = 0;
    for (size_t i = 0; i < p->count; i++)
        if (p->option[i].name) known[count++] = p->option[i].name;
    snprintf(name, sizeof name, "%.*s", (int)strcspn(word, "="), word);
    const tw_text_quotation shown = tw_text_quote(word, strlen(word));
    const char *nearest = tw_nearest(name, known, count);
    fprintf(stderr, "%s: unknown option '--%s", command, shown.text + 1);
    if (nearest) fprintf(stderr, ": did you mean '--%s'?", nearest);
    fprintf(stderr, "%s See '%s --help'.\n", nearest ? "" : ".", command);
    exit(TW_EXIT_USAGE);
}

/* getopt's own message does not suggest the nearest name. */
static void refuse_unknown_options(const option_rows *p, int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        if (strncmp(argv[i], "--", 2) != 0) continue;
        const char *word = argv[i] + 2;
        if (*word == '\0') return;
        const size_t length = strcspn(word, "=");
        const struct argp_option *found = find_option(p, word, length);
        if (!found) refuse_option(p, argv[0], word);
        if (found->arg && word[length] == '\0') i++;
    }
}

/* What the build and the shells ask for. */
static void answer(const option_rows *p, int argc, char **argv)
{
    if (argc != 2) return;
    if (strcmp(argv[1], TW_MANUAL_PAGE) == 0)
        print_manual(p, argv[0]);
    else if (strcmp(argv[1], TW_MANUAL_OPTIONS) == 0)
        print_options(p);
    else
        return;
    exit(tw_output_finish(argv[0], TW_EXIT_OK));
}

static void check(const struct argp_state *state, const option_rows *p)
{
    const tw_args_command *command = p->command;
    const tw_args_option *row = p->positional;
    const void *given = NULL;
    if (row) memcpy(&given, p->positional_member, sizeof given);
    if (row && row->help && !given)
        argp_error(state, "%s is missing: %s", row->argument, row->help);
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
    for (size_t i = AUTOMATIC; key != ARGP_KEY_ARG && i < p->count; i++) {
        if (p->option[i].key != key) continue;
        p->row[i]->read(state, p->row[i]->name, text, p->member[i]);
        return 0;
    }
    return ARGP_ERR_UNKNOWN;
}

void tw_args_parse(const tw_args_command *command, int argc, char **argv, void *settings)
{
    option_rows p = {.command = command, .settings = settings, .count = AUTOMATIC};
    const struct argp argp = {.options = p.option + AUTOMATIC,
                              .parser = read_one,
                              .args_doc = command->arguments,
                              .doc = command->description};
    memcpy(p.option, automatic, sizeof automatic);
    add_table(&p, &command->own, settings);
    if (command->shared) add_table(&p, command->shared, (char *)settings + command->shared_offset);
    answer(&p, argc, argv);
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

void tw_args_add(const struct argp_state *state, const char *option, char *text, void *member)
{
    tw_args_list *list = member;
    (void)state, (void)option;
    list->of = tw_exit_unless(realloc(list->of, (list->count + 1) * sizeof *list->of));
    list->of[list->count++] = text;
}

void tw_args_words(const struct argp_state *state, const char *option, char *text, void *member)
{
    for (char *end; text; text = end) {
        end = strchr(text, ',');
        if (end) *end++ = '\0';
        tw_args_add(state, option, text + strspn(text, " "), member);
    }
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

size_t tw_args_choice(const struct argp_state *state, const char *option, const char *text,
                      size_t length, const char *what, const char *const *known, size_t count)
{
    char word[64];
    tw_text_buffer list = {0};
    for (size_t i = 0; i < count; i++) {
        if (strlen(known[i]) == length && memcmp(known[i], text, length) == 0) return i;
        tw_text_buffer_add(&list, "%s%s", i ? ", " : "", known[i]);
    }
    snprintf(word, sizeof word, "%.*s", (int)(length < sizeof word ? length : sizeof word), text);
    const char *nearest = tw_nearest(word, known, count), *all = list.failed ? "..." : list.text;
    const tw_text_quotation shown = tw_text_quote(text, length);
    if (nearest)
        argp_error(state, "%s: %s is not %s: did you mean '%s'? (%s)", option, shown.text, what,
                   nearest, all);
    else
        argp_error(state, "%s: %s is not %s: expected one of %s", option, shown.text, what, all);
    exit(TW_EXIT_USAGE);
}

static const struct {
    const char *name;
    double centimetres; /* 0: pixels */
} units[] = {{"", 0.0}, {"px", 0.0}, {"cm", 1.0}, {"mm", 0.1}, {"in", 2.54}, {"pt", 2.54 / 72.0}};

bool tw_picture_length_read(const char *text, tw_picture_length *length)
{
    char number[32];
    size_t end = strlen(text);
    while (end > 0 && text[end - 1] >= 'a' && text[end - 1] <= 'z')
        end--;
    const char *name = text + end;
    while (end > 0 && text[end - 1] == ' ')
        end--;
    if (end >= sizeof number) return false;
    snprintf(number, sizeof number, "%.*s", (int)end, text);
    if (tw_text_number(number, &length->value) || !(length->value > 0.0)) return false;
    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        if (strcmp(name, units[i].name) != 0) continue;
        length->pixels = !(units[i].centimetres > 0.0);
        if (!length->pixels) length->value *= units[i].centimetres;
        return true;
    }
    return false;
}
