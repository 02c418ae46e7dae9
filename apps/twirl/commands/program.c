/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/text.h"
#include "commands/commands.h"
#include "common/args.h"
#include "common/build.h"
#include "common/output.h"

#include <argp.h>

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <twirl/simd.h>

/* In the order in which a newcomer needs them. */
static const tw_command commands[] = {
    {"run", tw_run_command, "run a scenario: prepare its specimen and load it"},
    {"check", tw_check_command, "check a scenario and summarise what it would run"},
    {"sweep", tw_sweep_command, "run a scenario with varied values, several at a time; one table"},
    {"keys", tw_keys_command, "list the keys of a scenario"},
    {"plot", tw_plot_command, "draw the curves of a run: stresses, strains, energies, contacts"},
    {"render", tw_render_command, "draw the grains or the force chains of a state"},
    {"movie", tw_movie_command, "make a film of a run: grains or force chains, and its curve"},
    {"report", tw_report_command, "write an HTML file that shows runs in a browser"},
    {"watch", tw_watch_command, "show a run in a browser while it is running"},
    {"info", tw_info_command, "describe the contents of a checkpoint or another state file"},
    {"moduli", tw_moduli_command, "print the elastic stiffness of a state, by statics"},
    {"rates", tw_rates_command, "find the response of a state to small loads, and if it is unique"},
    {"export", tw_export_command, "write a state for LAMMPS, OVITO or ParaView, or as CSV"},
    {"import", tw_import_command, "make a checkpoint from a file of another program"},
    {"contact", tw_contact_command, "move one contact along a path and print its forces and work"},
    {"cite", tw_cite_command, "print BibTeX entries of the program and of the method"},
};
enum { COMMANDS = sizeof commands / sizeof commands[0] };

static const char purpose[] =
    "Element tests on granular materials, with exact frictional contacts.";

static void print_help(FILE *out)
{
    fprintf(out, "Usage: twirl COMMAND [OPTION...]\n%s\n\n", purpose);
    for (size_t i = 0; i < COMMANDS; i++)
        fprintf(out, "  %-10s %s\n", commands[i].name, commands[i].summary);
    fputs("\n  --help     print this help; see also 'twirl COMMAND --help'\n"
          "  --version  print the version and the vector instructions in use\n",
          out);
}

/* Hidden options for manual pages and completion; 0 if `word` is none of them. */
static int answer(const char *word)
{
    if (strcmp(word, TW_MANUAL_PAGE) == 0)
        tw_manual_print_program(purpose, commands, COMMANDS);
    else if (strcmp(word, TW_MANUAL_OPTIONS) == 0)
        for (size_t i = 0; i < COMMANDS; i++)
            printf("%s\t\t%s\n", commands[i].name, commands[i].summary);
    else
        return 0;
    return 1;
}

static void print_version(FILE *out, struct argp_state *state)
{
    (void)state;
    fprintf(out, "twirl %s, %s\n", tw_build_version(), tw_simd_name());
}

/* Names that other programs have for a command. */
static const char *synonym_of(const char *word)
{
    static const char *const synonyms[][2] = {
        {"simulate", "run"},   {"start", "run"},      {"resume", "run"},   {"restart", "run"},
        {"solve", "run"},      {"validate", "check"}, {"verify", "check"}, {"lint", "check"},
        {"help", "--help"},    {"convert", "export"}, {"draw", "render"},  {"view", "render"},
        {"picture", "render"}, {"graph", "plot"},     {"curves", "plot"},  {"show", "info"},
        {"describe", "info"},  {"load", "import"},    {"continue", "run"}, {"film", "movie"},
        {"video", "movie"},    {"animate", "movie"}};
    for (size_t i = 0; i < sizeof synonyms / sizeof *synonyms; i++)
        if (strcmp(synonyms[i][0], word) == 0) return synonyms[i][1];
    return NULL;
}

/* Commands and options of earlier versions, and what to use instead; option "": the command. */
static const struct {
    const char *command, *word, *instead;
} removed[] = {
    {"advance", "",
     "'twirl run' a scenario that starts from the state, 'specimen: {checkpoint: ...}', and steps "
     "with "
     "'path: general'; 'twirl import' makes a checkpoint of a specimen"},
    {"figure", "", "paper/contact.c and contact.gp of the sources draw its figures"},
    {"export", "lammps",
     "use 'twirl-lmp run' for a scenario on many processes, 'twirl export dump' for the grains"},
    {"import", "--contacts", "continue the checkpoint itself, with 'twirl-lmp run'"},
    {"keys", "--markdown", "tools/keys_page of the sources makes docs/guide/keys.md"},
    {"contact", "--derivative",
     "use contact.derivative in Python, tw_contact_derivative in C or the inline kernel"},
    {"run", "--profile", "where the time goes is printed at the end of the run, also after Ctrl-C"},
    {"import", "--bodies", "use --density; masses and inertia are those of the unions of spheres"},
};

int tw_program_has(const char *word)
{
    for (size_t i = 0; i < COMMANDS; i++)
        if (strcmp(word, commands[i].name) == 0) return 1;
    for (size_t i = 0; i < sizeof removed / sizeof *removed; i++)
        if (!removed[i].word[0] && strcmp(word, removed[i].command) == 0) return 1;
    return 0;
}

int tw_program_refuse_removed(int argc, char **argv)
{
    for (size_t i = 0; i < sizeof removed / sizeof *removed; i++) {
        if (strcmp(argv[1], removed[i].command) != 0) continue;
        bool has = removed[i].word[0] == '\0';
        for (int k = 2; k < argc && !has; k++) {
            const size_t length = strcspn(argv[k], "=");
            has =
                strlen(removed[i].word) == length && strncmp(argv[k], removed[i].word, length) == 0;
        }
        if (!has) continue;
        fprintf(stderr, "twirl %s%s%s was removed: %s\n", removed[i].command,
                removed[i].word[0] ? " " : "", removed[i].word, removed[i].instead);
        return 1;
    }
    return 0;
}

static int refuse(const char *word)
{
    const char *known[COMMANDS + 2] = {"--help", "--version"};
    for (size_t i = 0; i < COMMANDS; i++)
        known[i + 2] = commands[i].name;
    const char *meant = synonym_of(word);
    if (!meant) meant = tw_nearest(word, known, COMMANDS + 2);
    fprintf(stderr, "twirl: unknown %s %s", word[0] == '-' ? "option" : "command",
            tw_text_quote(word, strlen(word)).text);
    if (meant) fprintf(stderr, ": did you mean '%s'?", meant);
    fprintf(stderr, "%s See 'twirl --help'.\n", meant ? "" : ".");
    return TW_EXIT_USAGE;
}

/* If standard output or error is closed, the next file opened would take its place and get its
 * text. Reading and writing still fail as on a closed file. */
static void occupy_descriptors(void)
{
    for (int k = STDIN_FILENO; k <= STDERR_FILENO; k++)
        if (fcntl(k, F_GETFD) == -1)
            (void)!open("/dev/null", k == STDIN_FILENO ? O_WRONLY : O_RDONLY);
}

int tw_program_main(const char *program, int argc, char **argv)
{
    occupy_descriptors();
    /* A closed pipe or a limit on the size of files is then a write error, reported like any other.
     */
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN);
    /* If a caller has left it ignored, the system would take away the status of child processes. */
    signal(SIGCHLD, SIG_DFL);
    argp_program_version_hook = print_version;
    char problem[128];
    if (!tw_simd_check(problem, sizeof problem)) {
        fprintf(stderr, "twirl: %s\n", problem);
        return TW_EXIT_USAGE;
    }
    if (argc < 2) {
        print_help(stderr);
        return TW_EXIT_USAGE;
    }
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-?") == 0) {
        print_help(stdout);
        return tw_output_finish("twirl", TW_EXIT_OK);
    }
    if (strcmp(argv[1], "--version") == 0 || strcmp(argv[1], "-V") == 0) {
        print_version(stdout, NULL);
        return tw_output_finish("twirl", TW_EXIT_OK);
    }
    if (answer(argv[1])) return tw_output_finish("twirl", TW_EXIT_OK);
    if (tw_program_refuse_removed(argc, argv)) return TW_EXIT_USAGE;
    for (size_t i = 0; i < COMMANDS; i++) {
        if (strcmp(argv[1], commands[i].name) != 0) continue;
        char name[32];
        if (argc == 3 && strcmp(argv[2], TW_MANUAL_PAGE) == 0)
            tw_manual_begin(commands[i].name, commands[i].summary);
        snprintf(name, sizeof name, "%s %s", program, commands[i].name);
        argv[1] = name;
        return commands[i].run(argc - 1, argv + 1);
    }
    return refuse(argv[1]);
}
