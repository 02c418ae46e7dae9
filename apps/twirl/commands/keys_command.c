/* SPDX-License-Identifier: BSD-3-Clause */
/* twirl keys: the reference of the scenario language, from the list that the reader uses. */
#include "commands/commands.h"

#include "base/text.h"
#include "common/args.h"
#include "common/output.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include <twirl/scenario.h>

typedef struct keys_options {
    const char *wanted; /* NULL: all */
    bool names;
} keys_options;

static const tw_args_option options[] = {
    {NULL, "KEY", NULL, tw_args_once, offsetof(keys_options, wanted)},
    {"names", NULL, "print the names of all keys that have a value, one in a line", tw_args_flag,
     offsetof(keys_options, names)},
    {0}};

static void check_settings(const struct argp_state *state, void *settings)
{
    const keys_options *set = settings;
    if (set->wanted && set->names) argp_error(state, "--names prints all keys and takes no KEY");
}

/* ---- One key ---- */

static void print_choices(size_t index, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const char *meaning;
        const char *word = tw_scenario_key_choice(index, i, &meaning);
        if (*meaning)
            printf("        %-15s %s\n", word, meaning);
        else
            printf("        %s\n", word);
    }
}

static void print_note(const char *label, const char *text)
{
    if (*text) printf("      %s: %s\n", label, text);
}

static void print_key(size_t index, const tw_scenario_key *k)
{
    printf("  %s: %s", k->name, k->type);
    if (*k->unit && strcmp(k->unit, "-") != 0) printf(" [%s]", k->unit);
    if (*k->range) printf(", %s", k->range);
    printf("\n      %s\n", k->meaning);
    print_note("default", k->default_value);
    print_note("required", k->required);
    print_note("used with", k->used);
    print_note("instead of", k->alternatives);
    print_choices(index, k->choices);
}

/* ---- Which keys ---- */

/* "stages[].rate" from section and name. */
static void path_of(const tw_scenario_key *k, char *path, size_t size)
{
    snprintf(path, size, "%s%s%s", k->section, *k->section ? "." : "", k->name);
}

/* Without brackets: "stages[2].rate" and "stages.rate" are the same. */
static void plain_path(const char *text, char *plain, size_t size)
{
    size_t used = 0;
    int depth = 0;
    for (; *text && used + 1 < size; text++) {
        depth += *text == '[';
        if (depth == 0) plain[used++] = *text;
        depth -= *text == ']';
    }
    plain[used] = '\0';
}

/* A full path, a section, or the last name of a path. */
static bool matches(const tw_scenario_key *k, const char *wanted)
{
    char path[200], plain[200], section[200], word[200];
    path_of(k, path, sizeof path);
    plain_path(path, plain, sizeof plain);
    plain_path(k->section, section, sizeof section);
    plain_path(wanted, word, sizeof word);
    return strcmp(plain, word) == 0 || strcmp(section, word) == 0 || strcmp(k->name, word) == 0;
}

static int refuse(const char *command, const char *wanted)
{
    char plain[200], nearest[200] = "";
    size_t shortest = SIZE_MAX;
    for (size_t i = 0; i < tw_scenario_key_count(); i++) {
        tw_scenario_key_buffer buffer;
        const tw_scenario_key k = tw_scenario_key_at(i, &buffer);
        char path[200];
        path_of(&k, path, sizeof path);
        plain_path(path, plain, sizeof plain);
        const size_t whole = tw_nearest_distance(wanted, plain);
        const size_t last = tw_nearest_distance(wanted, k.name);
        const size_t distance = whole < last ? whole : last;
        const bool near = tw_nearest_is_near(wanted, plain) || tw_nearest_is_near(wanted, k.name);
        if (distance >= shortest || !near) continue;
        shortest = distance;
        snprintf(nearest, sizeof nearest, "%s", path);
    }
    fprintf(stderr, "%s: unknown key %s", command, tw_text_quote(wanted, strlen(wanted)).text);
    if (*nearest) fprintf(stderr, ": did you mean '%s'?", nearest);
    fprintf(stderr, "%s 'twirl keys' lists all keys.\n", *nearest ? "" : ".");
    return TW_EXIT_USAGE;
}

static int print_keys(const char *command, const char *wanted)
{
    const char *section = NULL;
    for (size_t i = 0; i < tw_scenario_key_count(); i++) {
        tw_scenario_key_buffer buffer;
        const tw_scenario_key k = tw_scenario_key_at(i, &buffer);
        if (wanted && !matches(&k, wanted)) continue;
        if (!section || strcmp(section, k.section) != 0)
            printf("%s%s: %s\n", section ? "\n" : "", *k.section ? k.section : "(top)",
                   k.section_meaning);
        section = k.section;
        print_key(i, &k);
    }
    return section ? TW_EXIT_OK : refuse(command, wanted);
}

static int print_names(void)
{
    for (size_t i = 0; i < tw_scenario_key_count(); i++) {
        tw_scenario_key_buffer buffer;
        const tw_scenario_key k = tw_scenario_key_at(i, &buffer);
        if (strstr(k.type, "section")) continue;
        printf("%s%s%s\n", k.section, *k.section ? "." : "", k.name);
    }
    return TW_EXIT_OK;
}

static const char description[] =
    "Lists the keys of a scenario file, with type, unit, range, default and meaning. KEY is a key "
    "(stages[].rate), a section (material), or the name of a key in any section (rate)."
    "\vExit status: 0 success, 1 output not written, 2 bad options or unknown key.";

static const tw_args_command command_line = {
    .own = {options, check_settings}, .arguments = "[KEY]", .description = description};

int tw_keys_command(int argc, char **argv)
{
    keys_options set = {0};
    tw_args_parse(&command_line, argc, argv, &set);
    const int status = set.names ? print_names() : print_keys(argv[0], set.wanted);
    return tw_output_finish(argv[0], status);
}
