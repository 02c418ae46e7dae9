/* SPDX-License-Identifier: BSD-3-Clause */
#include "common/manual.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ENTRIES_MAX = 96 };

/* An option, or the heading of a group. */
typedef struct manual_entry {
    const struct argp_option *option;
    const struct argp_option *alias; /* NULL: it has one name */
    int group;
} manual_entry;

typedef struct manual_entries {
    manual_entry list[ENTRIES_MAX];
    size_t count;
} manual_entries;

static const struct argp_option automatic[] = {
    {"help", '?', NULL, 0, "print a short form of this page", -1},
    {"usage", 256, NULL, 0, "print the options alone", -1},
    {"version", 'V', NULL, 0, "print the version of the program", -1},
    {0}};

static bool is_heading(const struct argp_option *option)
{
    return !option->name && !option->key;
}

/* Numbers of groups as argp assigns them: a heading opens the next one. */
static void entries_add(manual_entries *to, const struct argp_option *option)
{
    int group = 0;
    for (; option && (option->name || option->key || option->doc); option++) {
        if (option->group != 0)
            group = option->group;
        else if (is_heading(option))
            group++;
        if (option->flags & OPTION_ALIAS && to->count > 0) {
            to->list[to->count - 1].alias = option;
        } else if (to->count < ENTRIES_MAX && !(option->flags & OPTION_HIDDEN)) {
            to->list[to->count++] = (manual_entry){option, NULL, group};
        }
    }
}

/* Groups in ascending order, negative ones last; in a group the heading, then names. */
static int manual_entry_compare(const void *a, const void *b)
{
    const manual_entry *x = a, *y = b;
    const int hx = is_heading(x->option), hy = is_heading(y->option);
    if ((x->group < 0) != (y->group < 0)) return x->group < 0 ? 1 : -1;
    if (x->group != y->group) return x->group < y->group ? -1 : 1;
    if (hx || hy) return hy - hx;
    return strcmp(x->option->name, y->option->name);
}

static void entries_collect(manual_entries *to, const struct argp *argp)
{
    entries_add(to, argp->options);
    for (const struct argp_child *child = argp->children; child && child->argp; child++)
        entries_collect(to, child->argp);
}

static manual_entries entries_of(const struct argp *argp)
{
    manual_entries all = {.count = 0};
    entries_collect(&all, argp);
    entries_add(&all, automatic);
    qsort(all.list, all.count, sizeof all.list[0], manual_entry_compare);
    return all;
}

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

static void put_entry(const manual_entry *one)
{
    if (is_heading(one->option)) {
        fputs(".SS ", stdout);
        put(one->option->doc);
        putchar('\n');
        return;
    }
    puts(".TP");
    put_name(one->option);
    if (one->alias) {
        fputs(", ", stdout);
        put_name(one->alias);
    }
    putchar('\n');
    if (one->option->doc) put(one->option->doc);
    putchar('\n');
}

static void put_title(const char *page)
{
    fputs(".TH ", stdout);
    for (const char *c = page; *c; c++)
        putchar(toupper((unsigned char)*c));
    printf(" 1 \"\" \"twirl %s\" \"twirl\"\n.SH NAME\n", TWIRL_VERSION);
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

void tw_manual_print(const struct argp *argp, const char *command)
{
    const manual_entries all = entries_of(argp);
    const char *after = strchr(argp->doc, '\v');
    printf(".SH SYNOPSIS\n\\fB%s\\fR [\\fIOPTION\\fR...]", command);
    if (argp->args_doc) {
        putchar(' ');
        put(argp->args_doc);
    }
    puts("\n.SH DESCRIPTION");
    put_text(argp->doc, after ? (size_t)(after - argp->doc) : strlen(argp->doc));
    puts("\n.SH OPTIONS");
    for (size_t i = 0; i < all.count; i++) {
        if (i > 0 && all.list[i].group < 0 && all.list[i - 1].group > 0) puts(".SS Other options");
        put_entry(&all.list[i]);
    }
    if (after) {
        if (strncmp(after + 1, "Exit status:", 12) != 0) puts(".SH NOTES");
        put_paragraphs(after + 1);
    }
    puts(".SH SEE ALSO\n.BR twirl (1)");
}

void tw_manual_print_options(const struct argp *argp)
{
    const manual_entries all = entries_of(argp);
    for (size_t i = 0; i < all.count; i++) {
        const struct argp_option *option = all.list[i].option;
        if (is_heading(option)) continue;
        printf("--%s\t%s\t%s\n", option->name, option->arg ? option->arg : "",
               option->doc ? option->doc : "");
        if (all.list[i].alias)
            printf("--%s\t%s\t%s\n", all.list[i].alias->name, option->arg ? option->arg : "",
                   option->doc ? option->doc : "");
    }
}

void tw_manual_print_program(const char *purpose, const tw_manual_command *commands, size_t count)
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
