/* SPDX-License-Identifier: BSD-3-Clause */
#include "run/run_folder.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/error.h"
#include "base/file.h"

/* What a run writes; an empty folder does not count. `start`: present before the first pair of
 * checkpoint and run state is complete. */
static const struct {
    const char *name;
    bool start;
} known[] = {
    {"run_state_a.txt", true}, {"run_state_b.txt", false},
    {"run_state.txt", false},  {"checkpoint_a.h5", false},
    {"checkpoint_b.h5", true}, {"scenario.yaml", true},
    {"scenario.json", true},   {"history.csv", true},
    {"run.log", true},         {"files.txt", true},
    {"loose.h5", true},        {"states", true},
    {"stages", false},         {"vtk", false},
    {"lammps", false},         {"summary.json", false},
};

static bool is_empty_folder(const char *path)
{
    DIR *folder = opendir(path);
    bool empty = folder != NULL;
    for (struct dirent *entry; empty && (entry = readdir(folder)) != NULL;)
        empty = strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0;
    if (folder) closedir(folder);
    return empty;
}

static bool holds(const char *folder, const char *name)
{
    const tw_file_path path = tw_file_path_join(folder, name);
    struct stat about;
    return lstat(path.text, &about) == 0 && !is_empty_folder(path.text);
}

tw_run_folder_content tw_run_folder_look(const char *folder)
{
    tw_run_folder_content content = {0};
    for (size_t k = 0; k < sizeof known / sizeof *known; k++) {
        const size_t used = strlen(content.found);
        if (!holds(folder, known[k].name)) continue;
        snprintf(content.found + used, sizeof content.found - used, "%s%s", used ? ", " : "",
                 known[k].name);
        content.results |= !known[k].start;
    }
    content.state = holds(folder, "run_state_a.txt") || holds(folder, "run_state_b.txt");
    content.old_state = holds(folder, "run_state.txt");
    return content;
}

tw_status tw_run_folder_refuse(const char *folder, const tw_run_folder_content *content,
                               tw_error *error)
{
    const tw_error_path name = tw_error_shorten_path(folder);
    if (!*content->found) return TW_STATUS_OK;
    if (content->old_state)
        return tw_error_set(error, TW_STATUS_INPUT,
                            "%s holds a run of an earlier version of twirl: resume it with that "
                            "version, add --restart to move the folder aside and start over, or "
                            "choose another folder with --out",
                            name.text);
    return tw_error_set(error, TW_STATUS_INPUT,
                        "%s holds %s, but no run that can be resumed: run_state_a.txt and "
                        "run_state_b.txt are missing. Put them back, add --restart to move the "
                        "folder aside and start over, or choose another folder with --out",
                        name.text, content->found);
}

void tw_run_folder_clean(const char *folder, const tw_scenario *scenario)
{
    static const char *const parts[] = {".", "states", "stages", "vtk", "lammps"};
    for (size_t k = 0; k < sizeof parts / sizeof *parts; k++)
        tw_replace_file_clean(tw_file_path_join(folder, parts[k]).text);
    for (size_t i = 0; i < scenario->stage_count; i++)
        tw_replace_file_clean(tw_file_path_in(folder, "stages", scenario->stages[i].name, "").text);
}

tw_status tw_run_folder_set_aside(const char *folder, tw_file_path *aside, tw_error *error)
{
    enum { TRIES = 10000 };
    size_t length = strlen(folder);
    while (length > 1 && folder[length - 1] == '/')
        length--;
    errno = EEXIST;
    for (int k = 1; k < TRIES; k++) {
        char number[16] = "";
        struct stat about;
        if (k > 1) snprintf(number, sizeof number, "%d", k);
        snprintf(aside->text, sizeof aside->text, "%.*s.old%s", (int)length, folder, number);
        if (lstat(aside->text, &about) == 0) continue;
        if (rename(folder, aside->text) == 0) return TW_STATUS_OK;
        if (errno != EEXIST && errno != ENOTEMPTY) break;
    }
    return tw_error_set(error, TW_STATUS_FILE, "cannot rename %s to %s: %s",
                        tw_error_shorten_path(folder).text, tw_error_shorten_path(aside->text).text,
                        tw_error_reason_of(errno).text);
}
