/* SPDX-License-Identifier: BSD-3-Clause */
#include "sweep/sweep_folder.h"

#include "base/environment.h"
#include "base/error.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/text.h"
#include "common/output.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static const char lock_name[] = "sweep.lock";
static const double patience = 20.0; /* for runs of a killed sweep, which save their states [s] */
enum { FOLDER_MAX = 3000 };

static bool exists(const char *path)
{
    struct stat about;
    return stat(path, &about) == 0;
}

/* The summary is the last file that a run writes. */
bool tw_sweep_folder_is_finished(const char *run)
{
    return exists(tw_folder_path_join(run, "summary.json").text);
}

/* ---- What was asked for ---- */

static char *name_of(char *path)
{
    char *slash = path ? strrchr(path, '/') : NULL;
    return slash ? slash + 1 : path;
}

/* Projects may be moved: of a specimen's file only the name counts. */
static uint64_t scenario_hash(const tw_scenario *scenario)
{
    tw_scenario copy = *scenario;
    const size_t count = copy.surface_count;
    copy.surfaces = tw_exit_unless(calloc(count + 1, sizeof *copy.surfaces));
    for (size_t k = 0; k < count; k++) {
        copy.surfaces[k] = scenario->surfaces[k];
        copy.surfaces[k].file = name_of(copy.surfaces[k].file);
    }
    copy.specimen.file = name_of(copy.specimen.file);
    copy.specimen.checkpoint = name_of(copy.specimen.checkpoint);
    char *text = tw_exit_unless(tw_scenario_write_text(&copy));
    const uint64_t hash = tw_hash_of(text, strlen(text), 0);
    free(text);
    free(copy.surfaces);
    return hash;
}

static char *describe(const tw_sweep_grid *grid, const char *scenario, const char *const *settings,
                      size_t setting_count)
{
    tw_text_buffer text = {0};
    const char *slash = strrchr(scenario, '/');
    tw_text_buffer_add(
        &text, "# Written by twirl sweep: --resume continues this sweep, also with more cases.\n"
               "scenario: ");
    tw_text_buffer_add_json_string(&text, slash ? slash + 1 : scenario);
    tw_text_buffer_add(&text, "\nset: [");
    for (size_t i = 0; i < setting_count; i++) {
        tw_text_buffer_add(&text, i > 0 ? ", " : "");
        tw_text_buffer_add_json_string(&text, settings[i]);
    }
    tw_text_buffer_add(&text, "]\nvary:\n");
    for (size_t k = 0; k < grid->vary_count; k++) {
        tw_text_buffer_add(&text, "  ");
        tw_text_buffer_add_json_string(&text, grid->vary[k].key);
        for (size_t i = 0; i < grid->vary[k].count; i++) {
            tw_text_buffer_add(&text, i > 0 ? ", " : ": [");
            tw_text_buffer_add_json_string(&text, grid->vary[k].value[i]);
        }
        tw_text_buffer_add(&text, "]\n");
    }
    tw_text_buffer_add(&text, "cases: # with hashes of their resolved scenarios\n");
    for (size_t i = 0; i < grid->case_count; i++) {
        const tw_sweep_case *one = &grid->cases[i];
        tw_text_buffer_add(&text, "  \"%s\": {scenario: \"%016" PRIx64 "\"", one->name,
                           scenario_hash(one->scenario));
        if (one->specimen != SIZE_MAX)
            tw_text_buffer_add(&text, ", specimen: %s", grid->specimens[one->specimen].name);
        tw_text_buffer_add(&text, "}\n");
    }
    return tw_exit_unless(tw_text_buffer_take(&text));
}

static bool has_content(const char *path, const char *text)
{
    size_t length;
    char *found = tw_read_file_all(path, &length, NULL);
    const bool same = found && length == strlen(text) && memcmp(found, text, length) == 0;
    free(found);
    return same;
}

/* ---- Folder and lock ---- */

/* Whether the file is still the one of this name. */
static bool is_current(int file, const char *path)
{
    struct stat mine, there;
    return fstat(file, &mine) == 0 && stat(path, &there) == 0 && mine.st_ino == there.st_ino &&
           mine.st_dev == there.st_dev;
}

/* Waits, as the runs of a killed sweep hold the lock until they have saved their states. */
static tw_status lock_folder(const char *folder, const char *command, tw_error *error)
{
    const tw_folder_path path = tw_folder_path_join(folder, lock_name);
    const double start = tw_clock();
    bool told = false;
    for (;;) {
        /* Inherited by the runs on purpose. Anew each time: whoever held it may have removed it. */
        const int file = open(path.text, O_RDWR | O_CREAT | O_NOFOLLOW, 0666);
        if (file < 0) return tw_error_set_system(error, "open", path.text);
        const bool held = flock(file, LOCK_EX | LOCK_NB) == 0;
        const int number = held ? EINTR : errno;
        if (held && is_current(file, path.text)) return TW_STATUS_OK;
        close(file);
        errno = number;
        if (number != EWOULDBLOCK && number != EINTR)
            return tw_error_set_system(error, "lock", path.text);
        if (tw_clock() - start > patience || tw_interrupt_signal())
            return tw_error_set(error, TW_STATUS_INPUT,
                                "%s is in use by another sweep, or by runs that it started",
                                tw_error_shorten_path(folder).text);
        if (!told && tw_clock() - start > 0.5) {
            fprintf(stderr, "%s: waiting for the runs of another sweep in %s\n", command, folder);
            told = true;
        }
        nanosleep(&(struct timespec){.tv_nsec = 50000000}, NULL);
    }
}

void tw_sweep_folder_close(const char *folder)
{
    (void)unlink(tw_folder_path_join(folder, lock_name).text);
}

/* The name of a file that is not ours; "": there is none. */
static void find_foreign(const char *folder, char *name, size_t size)
{
    name[0] = '\0';
    DIR *list = opendir(folder);
    if (!list) return;
    for (const struct dirent *entry; !name[0] && (entry = readdir(list)) != NULL;)
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0 &&
            strcmp(entry->d_name, lock_name) != 0)
            snprintf(name, size, "%s", entry->d_name);
    closedir(list);
}

static tw_status check_new(const char *folder, tw_error *error)
{
    char foreign[256];
    find_foreign(folder, foreign, sizeof foreign);
    if (!foreign[0]) return TW_STATUS_OK;
    return tw_error_set(error, TW_STATUS_INPUT,
                        "%s is not empty (%s) and holds no sweep: choose another folder with --out",
                        tw_error_shorten_path(folder).text, foreign);
}

/* Whether each case of the sweep in the folder is one of those asked for, with the same scenario:
 * there may be more. Otherwise its name, or "". */
static bool is_continued(char *found, const char *asked, const char **name)
{
    static const char start[] = "\ncases: ", first[] = "\n  \"", scenario[] = "\": {scenario: \"";
    char *at = found ? strstr(found, start) : NULL;
    *name = "";
    if (!at) return false;
    for (at = strstr(at, first); at; at = strstr(at + 1, first)) {
        char *end = strstr(at, scenario);
        if (!end || strlen(end) < sizeof scenario + 16) return false;
        char *rest = end + sizeof scenario - 1 + 16, after = *rest; /* a hash */
        *rest = '\0';
        if (!strstr(asked, at)) {
            *end = '\0';
            *name = at + sizeof first - 1;
            return false;
        }
        *rest = after;
    }
    return true;
}

static tw_status check_old(const char *folder, const char *asked, bool resume, tw_error *error)
{
    if (!resume)
        return tw_error_set(error, TW_STATUS_INPUT,
                            "%s already holds a sweep: add --resume to continue it, or choose "
                            "another folder with --out",
                            tw_error_shorten_path(folder).text);
    const char *name;
    char *found = tw_read_file_all(tw_folder_path_join(folder, "sweep.yaml").text, NULL, NULL);
    tw_status status = TW_STATUS_OK;
    if (!is_continued(found, asked, &name))
        status = tw_error_set(
            error, TW_STATUS_INPUT,
            "%s holds another sweep, see its sweep.yaml%s%.100s%s: resume with the same scenario "
            "and settings, and at least its values, or choose another folder with --out",
            tw_error_shorten_path(folder).text, *name ? "; its case '" : "", name,
            *name ? "' is not one of this sweep, or its scenario has changed" : "");
    free(found);
    return status;
}

/* ---- Scenarios ---- */

static tw_status write_text(const char *folder, const char *name, const char *text, tw_error *error)
{
    const tw_folder_path path = tw_folder_path_in(folder, "inputs", name, ".yaml");
    if (has_content(path.text, text)) return TW_STATUS_OK;
    return tw_replace_file_with(path.text, text, strlen(text), error);
}

/* Runs read these, so that an edit of FILE during the sweep has no effect. */
static tw_status write_scenarios(const char *folder, const tw_sweep_grid *grid, tw_error *error)
{
    tw_status status = TW_STATUS_OK;
    for (size_t i = 0; status == TW_STATUS_OK && i < grid->specimen_count; i++)
        if (grid->specimens[i].users > 1)
            status = write_text(folder, grid->specimens[i].name, grid->specimens[i].text, error);
    for (size_t i = 0; status == TW_STATUS_OK && i < grid->case_count; i++) {
        char *text = tw_exit_unless(tw_scenario_write_text(grid->cases[i].scenario));
        status = write_text(folder, grid->cases[i].name, text, error);
        free(text);
    }
    return status;
}

static tw_status fill_folder(const char *folder, const tw_sweep_grid *grid, const char *asked,
                             tw_error *error)
{
    static const char *const groups[] = {"inputs", "specimens", "cases", "logs"};
    tw_status status = tw_replace_file_with(tw_folder_path_join(folder, "sweep.yaml").text, asked,
                                            strlen(asked), error);
    for (size_t k = 0; status == TW_STATUS_OK && k < sizeof groups / sizeof *groups; k++)
        status = tw_folder_make(tw_folder_path_join(folder, groups[k]).text, error);
    return status == TW_STATUS_OK ? write_scenarios(folder, grid, error) : status;
}

static tw_status open_folder(const char *folder, const tw_sweep_grid *grid, const char *asked,
                             bool resume, const char *command, tw_error *error)
{
    if (strlen(folder) > FOLDER_MAX)
        return tw_error_set(error, TW_STATUS_INPUT, "--out: the path is longer than %d characters",
                            (int)FOLDER_MAX);
    const tw_folder_path record = tw_folder_path_join(folder, "sweep.yaml");
    tw_status status = TW_STATUS_OK;
    /* Before the lock, so that it is not left in the folder of something else. */
    if (exists(record.text))
        status = check_old(folder, asked, resume, error);
    else
        status = check_new(folder, error);
    if (status == TW_STATUS_OK) status = tw_folder_make(folder, error);
    if (status == TW_STATUS_OK) status = lock_folder(folder, command, error);
    if (status == TW_STATUS_OK && exists(record.text))
        status = check_old(folder, asked, resume, error);
    return status == TW_STATUS_OK ? fill_folder(folder, grid, asked, error) : status;
}

int tw_sweep_folder_open(const char *folder, const tw_sweep_grid *grid, const char *scenario,
                         const char *const *settings, size_t setting_count, bool resume,
                         const char *command)
{
    tw_error error;
    char *asked = describe(grid, scenario, settings, setting_count);
    const tw_status status = open_folder(folder, grid, asked, resume, command, &error);
    free(asked);
    if (status == TW_STATUS_OK) return TW_EXIT_OK;
    return tw_output_fail(command, tw_exit_status_running(status), "%s", error.text);
}
