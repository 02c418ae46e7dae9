/* SPDX-License-Identifier: BSD-3-Clause */
/* golden: runs the golden scenes and compares their hashes with the recorded ones. */
#include <ftw.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <twirl/simd.h>

#include "golden.h"

static const char usage[] =
    "usage: golden list                 list the scenes\n"
    "       golden simds                values of TWIRL_SIMD this processor supports\n"
    "       golden run [NAME...]        run scenes, print NAME HASH and the marks\n"
    "       golden check FILE [NAME...] run scenes, compare with FILE\n"
    "       golden renew FILE           run all scenes, update FILE; keeps comments\n"
    "       golden dump NAME            print every number in the hash of a scene\n"
    "       golden long [STEPS]         1000 bumpy grains in slow shear (default: 100000 steps)\n"
    "  --threads N     threads per simulation (default: one per processor)\n"
    "  --simd NAME     set TWIRL_SIMD; exit status 77 if not supported\n"
    "  --device NAME   set TWIRL_DEVICE; exit status 77 if it cannot be used\n"
    "  --check FILE    for long: compare with the output of an earlier run\n"
    "  --times         print the time of each scene\n"
    "Exit status: 0 all hashes agree, 1 some differ, 2 a run failed, 77 skipped.\n";

typedef struct golden_options {
    int threads, times;
    const char *simd, *device, *check;
    char **words; /* the command and its arguments */
    int count;
} golden_options;

/* ---- Scenes ---- */

static const golden_scene *const groups[] = {golden_law_scenes, golden_grain_scenes,
                                             golden_contact_scenes, golden_path_scenes,
                                             golden_file_scenes};
enum { GROUPS = sizeof groups / sizeof *groups };

/* The k-th scene; NULL after the last. */
static const golden_scene *scene_at(size_t k)
{
    for (int group = 0; group < GROUPS; group++) {
        for (const golden_scene *scene = groups[group]; scene->name; scene++) {
            if (k-- == 0) return scene;
        }
    }
    return NULL;
}

static const golden_scene *scene_named(const char *name)
{
    const golden_scene *scene;
    for (size_t k = 0; (scene = scene_at(k)); k++) {
        if (strcmp(scene->name, name) == 0) return scene;
    }
    golden_fail("unknown scene %s; see 'golden list'", name);
}

/* ---- A folder for the files of the scenes ---- */

static char scratch[256];

static int remove_entry(const char *path, const struct stat *info, int type, struct FTW *where)
{
    (void)info;
    (void)type;
    (void)where;
    return remove(path);
}

static void remove_scratch(void)
{
    if (*scratch) nftw(scratch, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
}

static void make_scratch(void)
{
    const char *place = getenv("TMPDIR");
    snprintf(scratch, sizeof scratch, "%s/golden-XXXXXX", place && *place ? place : "/tmp");
    if (!mkdtemp(scratch)) {
        char wanted[sizeof scratch];
        memcpy(wanted, scratch, sizeof wanted);
        *scratch = '\0';
        golden_fail("cannot create the folder %s; set TMPDIR to use another one", wanted);
    }
    atexit(remove_scratch);
}

/* ---- Running ---- */

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

enum { LINE = 2 * GOLDEN_MARKS };

/* "NAME HASH MARK:.... MARK:....", without an end of line. */
static void play(const golden_scene *scene, const golden_options *options, FILE *dump,
                 char line[LINE])
{
    static golden g;
    memset(&g, 0, sizeof g);
    g.threads = options->threads;
    g.dump = dump;
    g.whole = tw_hash_start(0);
    snprintf(g.folder, sizeof g.folder, "%s/%s", scratch, scene->name);
    if (mkdir(g.folder, 0700) != 0) golden_fail("cannot create %s", g.folder);
    const double start = seconds();
    scene->play(&g);
    if (options->times) fprintf(stderr, "%8.3f s  %s\n", seconds() - start, scene->name);
    snprintf(line, LINE, "%s %016" PRIx64 "%s", scene->name, tw_hash_value(&g.whole), g.marks);
}

/* ---- Files ---- */

/* The whole file, terminated by 0; the caller frees it. */
static char *read_file(const char *path)
{
    FILE *file = fopen(path, "rb");
    if (!file) golden_fail("cannot read %s", path);
    size_t length = 0, capacity = 1 << 16;
    char *text = malloc(capacity);
    for (size_t got = 1; text && got > 0; length += got) {
        if (capacity - length < 2) text = realloc(text, capacity *= 2);
        if (text) got = fread(text + length, 1, capacity - length - 1, file);
    }
    if (!text) golden_fail("out of memory");
    fclose(file);
    text[length] = '\0';
    return text;
}

/* Copies the line of a text that begins with this word to `line`; 0 if there is none. */
static int find_line(const char *text, const char *word, char line[LINE])
{
    const size_t length = strlen(word);
    for (const char *at = text; *at;) {
        const size_t whole = strcspn(at, "\n");
        if (strncmp(at, word, length) == 0 && at[length] == ' ') {
            snprintf(line, LINE, "%.*s", (int)whole, at);
            return 1;
        }
        at += whole + (at[whole] == '\n');
    }
    return 0;
}

/* ---- Comparing ---- */

/* Reports the mark and part at which two lines differ. */
static void print_difference(const char *expected, const char *got)
{
    static const char *const parts[] = {"bodies", "contacts", "measures", "energies", "state"};
    size_t k = strcspn(got, " ") + 18; /* skips the hash, which differs */
    if (k > strlen(expected) || k > strlen(got)) return;
    while (expected[k] && expected[k] == got[k])
        k++;
    if (!expected[k] && !got[k]) return;
    size_t start = k;
    while (start > 0 && got[start - 1] != ' ')
        start--;
    const char *const mark = got + start;
    const size_t length = strcspn(mark, ": ");
    if (mark[length] != ':' || start + length >= k ||
        strncmp(expected + start, mark, length) != 0) {
        printf("  the marks differ: the scene itself has changed\n");
        return;
    }
    size_t part = 0;
    for (size_t at = start + length; at < k; at++)
        part += got[at] == '.';
    if (strcspn(mark, " ") > length + 5) {
        printf("  first difference: %s, at the mark '%.*s'\n", parts[part % GOLDEN_PARTS],
               (int)length, mark);
    } else {
        printf("  first difference: at the mark '%.*s'\n", (int)length, mark);
    }
}

static int check_scene(const golden_scene *scene, const golden_options *options, const char *file,
                       const char *text)
{
    char got[LINE], expected[LINE];
    play(scene, options, NULL, got);
    if (!find_line(text, scene->name, expected)) {
        printf("%s: not in %s; 'golden renew' would add: %s\n", scene->name, file, got);
        return 1;
    }
    const size_t name = strlen(scene->name) + 1;
    if (strncmp(got, expected, name + 16) == 0) return 0;
    printf("%s: expected %.16s, got %.16s\n", scene->name, expected + name, got + name);
    print_difference(expected, got);
    printf("  'golden dump %s' prints all numbers, for comparison between two builds\n",
           scene->name);
    return 1;
}

/* Reports lines of the file that belong to no scene. */
static int check_strangers(const char *file, const char *text)
{
    int strangers = 0;
    for (const char *at = text; *at;) {
        const size_t whole = strcspn(at, "\n"), word = strcspn(at, " \n");
        int known = *at == '#' || whole == 0;
        const golden_scene *scene;
        for (size_t k = 0; !known && (scene = scene_at(k)); k++)
            known = strlen(scene->name) == word && strncmp(at, scene->name, word) == 0;
        if (!known) {
            printf("%.*s: in %s, but not a scene\n", (int)word, at, file);
            strangers++;
        }
        at += whole + (at[whole] == '\n');
    }
    return strangers;
}

/* ---- Commands ---- */

static int command_list(void)
{
    const golden_scene *scene;
    for (size_t k = 0; (scene = scene_at(k)); k++)
        printf("%-16s %s\n", scene->name, scene->about);
    return 0;
}

static int command_run(const golden_options *options)
{
    char line[LINE];
    const golden_scene *scene;
    if (options->count > 1) {
        for (int k = 1; k < options->count; k++) {
            play(scene_named(options->words[k]), options, NULL, line);
            puts(line);
        }
        return 0;
    }
    for (size_t k = 0; (scene = scene_at(k)); k++) {
        play(scene, options, NULL, line);
        puts(line);
        fflush(stdout);
    }
    return 0;
}

static int command_check(const golden_options *options)
{
    const char *file = options->words[1];
    char *text = read_file(file);
    const golden_scene *scene;
    int wrong = 0, played = 0;
    if (options->count > 2) {
        for (int k = 2; k < options->count; k++, played++)
            wrong += check_scene(scene_named(options->words[k]), options, file, text);
    } else {
        for (size_t k = 0; (scene = scene_at(k)); k++, played++)
            wrong += check_scene(scene, options, file, text);
        wrong += check_strangers(file, text);
    }
    free(text);
    printf("golden: %d scenes, %d differ\n", played, wrong);
    return wrong > 0;
}

static int command_renew(const golden_options *options)
{
    const char *path = options->words[1];
    char line[LINE], *text = read_file(path);
    size_t comments = 0;
    while (text[comments] == '#') {
        comments += strcspn(text + comments, "\n");
        comments += text[comments] == '\n';
    }
    FILE *file = fopen(path, "wb");
    if (!file) golden_fail("cannot write %s", path);
    fwrite(text, 1, comments, file);
    free(text);
    const golden_scene *scene;
    for (size_t k = 0; (scene = scene_at(k)); k++) {
        play(scene, options, NULL, line);
        fprintf(file, "%s\n", line);
    }
    if (fclose(file) != 0) golden_fail("cannot write %s", path);
    return 0;
}

static int command_dump(const golden_options *options)
{
    char line[LINE];
    play(scene_named(options->words[1]), options, stdout, line);
    puts(line);
    return 0;
}

static int command_long(const golden_options *options)
{
    static golden g;
    uint64_t steps = 100000;
    g.threads = options->threads;
    if (options->count > 1) steps = strtoull(options->words[1], NULL, 10);
    char *expected = options->check ? read_file(options->check) : NULL;
    const int wrong = golden_long(&g, steps, expected);
    free(expected);
    return wrong > 0;
}

static int command_simds(void)
{
    for (int k = 0; tw_simd_available(k); k++)
        puts(tw_simd_available(k));
    return 0;
}

/* Must be called before any function of the library. 0: not supported by this processor. */
static int use_simd(const char *name)
{
    char text[128];
    return setenv("TWIRL_SIMD", name, 1) == 0 && tw_simd_check(text, sizeof text);
}

/* Likewise; prints why it cannot be used. */
static int use_device(const char *name)
{
    tw_error error;
    if (tw_sim_check_device(name, &error) != TW_STATUS_OK) {
        printf("golden: %s, skipped\n", error.text);
        return 0;
    }
    return setenv("TWIRL_DEVICE", name, 1) == 0;
}

/* ---- The command line ---- */

static int usage_wrong(void)
{
    fputs(usage, stderr);
    return 2;
}

/* Removes options from the words. 0: wrong usage. */
static int read_options(golden_options *options, int argc, char **argv)
{
    options->words = argv;
    for (int k = 1; k < argc; k++) {
        const int more = k + 1 < argc;
        if (strcmp(argv[k], "--times") == 0) {
            options->times = 1;
        } else if (strcmp(argv[k], "--threads") == 0 && more) {
            options->threads = atoi(argv[++k]);
            if (options->threads < 1) return 0;
        } else if (strcmp(argv[k], "--simd") == 0 && more) {
            options->simd = argv[++k];
        } else if (strcmp(argv[k], "--device") == 0 && more) {
            options->device = argv[++k];
        } else if (strcmp(argv[k], "--check") == 0 && more) {
            options->check = argv[++k];
        } else if (argv[k][0] == '-') {
            return 0;
        } else {
            options->words[options->count++] = argv[k];
        }
    }
    return options->count > 0;
}

int main(int argc, char **argv)
{
    golden_options options = {0};
    if (argc == 2 && strcmp(argv[1], "--help") == 0) return fputs(usage, stdout) < 0;
    if (!read_options(&options, argc, argv)) return usage_wrong();
    const char *const command = options.words[0];
    if (strcmp(command, "list") == 0) return command_list();
    if (strcmp(command, "simds") == 0) return command_simds();
    if (options.simd && !use_simd(options.simd)) {
        printf("golden: this processor does not support %s, skipped\n", options.simd);
        return 77;
    }
    if (options.device && !use_device(options.device)) return 77;
    make_scratch();
    if (strcmp(command, "run") == 0) return command_run(&options);
    if (strcmp(command, "check") == 0 && options.count > 1) return command_check(&options);
    if (strcmp(command, "renew") == 0 && options.count == 2) return command_renew(&options);
    if (strcmp(command, "dump") == 0 && options.count == 2) return command_dump(&options);
    if (strcmp(command, "long") == 0 && options.count < 3) return command_long(&options);
    return usage_wrong();
}
