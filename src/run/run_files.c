/* SPDX-License-Identifier: BSD-3-Clause */
#include "run/run_files.h"

#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

tw_status tw_run_files_add(tw_run *run, const char *name, double time)
{
    uint64_t length, hash;
    const tw_file_path path = tw_file_path_join(run->plan->folder, name);
    const tw_status status = tw_file_hash(path.text, UINT64_MAX, &length, &hash, run->error);
    if (status != TW_STATUS_OK) return status;
    tw_text_buffer line = {0};
    tw_text_buffer_add(&line, "%016" PRIx64 " %" PRIu64 " %.17g %s\n", hash, length, time, name);
    return tw_append_file_add_text(&run->files, &line, run->error);
}

typedef struct entry {
    uint64_t hash, length;
    double time;
    const char *name;
} entry;

/* Takes a line apart and moves *line to the next; false at the end or if it is not such a line. */
static bool next_entry(char **line, entry *found)
{
    char *at = *line, *end = strchr(*line, '\n');
    if (!end) return false;
    *end = '\0';
    *line = end + 1;
    found->hash = strtoull(at, &at, 16);
    found->length = strtoull(at, &at, 10);
    found->time = strtod(at, &at);
    found->name = at + 1;
    return *at == ' ';
}

/* States, which have a hash of their own, and frames; either may have gigabytes. */
static bool is_large(const char *name)
{
    const char *end = strrchr(name, '.');
    return (end && strcmp(end, ".h5") == 0) || strncmp(name, "vtk/", 4) == 0 ||
           strncmp(name, "lammps/", 7) == 0;
}

static bool has_length(const char *path, uint64_t length)
{
    struct stat about;
    return stat(path, &about) == 0 && (uint64_t)about.st_size == length;
}

static tw_status check_entry(const char *folder, const entry *e, bool all, tw_error *error)
{
    uint64_t length, hash;
    const tw_file_path path = tw_file_path_join(folder, e->name);
    if (!tw_file_exists(path.text))
        return all ? tw_error_set(error, TW_STATUS_INPUT, "%s: missing",
                                  tw_error_shorten_path(path.text).text)
                   : TW_STATUS_OK;
    if (!all && is_large(e->name) && has_length(path.text, e->length)) return TW_STATUS_OK;
    const tw_status status = tw_file_hash(path.text, UINT64_MAX, &length, &hash, error);
    if (status != TW_STATUS_OK || (length == e->length && hash == e->hash)) return status;
    return tw_error_set(error, TW_STATUS_INPUT,
                        "%s: not the file that the run has written: damaged, changed, or of "
                        "another run",
                        tw_error_shorten_path(path.text).text);
}

static char *read_list(const char *folder, uint64_t length, tw_error *error)
{
    size_t found;
    char *text = tw_file_read_bytes(tw_file_path_join(folder, "files.txt").text, &found, error);
    if (text && found > length) text[length] = '\0';
    return text;
}

tw_status tw_run_files_check(const char *folder, uint64_t length, bool all, tw_error *error)
{
    char *text = read_list(folder, length, error);
    if (!text) return error->status;
    tw_status status = TW_STATUS_OK;
    entry e;
    for (char *line = text; status == TW_STATUS_OK && next_entry(&line, &e);)
        status = check_entry(folder, &e, all, error);
    free(text);
    return status;
}

static bool fits(const char *name, const char *start, const char *end)
{
    const size_t length = strlen(name), front = strlen(start), back = strlen(end);
    return length >= front + back && strncmp(name, start, front) == 0 &&
           strcmp(name + length - back, end) == 0 &&
           strspn(name + front, "0123456789") == length - front - back;
}

double *tw_run_files_times(const tw_run *run, const char *start, const char *end, size_t *count)
{
    char *text = read_list(run->plan->folder, run->files.length, run->error);
    double *times = text ? malloc((run->files.length / 16 + 1) * sizeof *times) : NULL;
    entry e;
    *count = 0;
    for (char *line = text; times && next_entry(&line, &e);)
        if (fits(e.name, start, end)) times[(*count)++] = e.time;
    if (text && !times) tw_error_set_memory(run->error);
    free(text);
    return times;
}

/* ---- Files of others ---- */

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Sorted names of the list, which point into `text`. */
static const char **sort_names(char *text, size_t *count)
{
    const char **names = malloc((strlen(text) / 16 + 1) * sizeof *names);
    entry e;
    *count = 0;
    for (char *line = text; names && next_entry(&line, &e);)
        names[(*count)++] = e.name;
    if (names) qsort(names, *count, sizeof *names, compare_names);
    return names;
}

static bool is_file(const tw_run *run, const char *name)
{
    struct stat about;
    return stat(tw_file_path_join(run->plan->folder, name).text, &about) == 0 &&
           S_ISREG(about.st_mode);
}

/* Goes through one folder of the run. */
static size_t find_foreign(const tw_run *run, const char *part, const char **listed, size_t count,
                           char *names, size_t size)
{
    size_t found = 0;
    DIR *folder = opendir(tw_file_path_join(run->plan->folder, part).text);
    for (struct dirent *item; folder && (item = readdir(folder)) != NULL;) {
        const tw_file_path name = tw_file_path_join(part, item->d_name);
        const char *key = name.text;
        if (!is_file(run, key) || bsearch(&key, listed, count, sizeof *listed, compare_names))
            continue;
        const size_t used = strlen(names);
        snprintf(names + used, size - used, "%s%s", used ? ", " : "", key);
        found++;
    }
    if (folder) closedir(folder);
    return found;
}

size_t tw_run_files_foreign(const tw_run *run, char *names, size_t size)
{
    static const char *const parts[] = {"states", "stages", "vtk", "lammps"};
    tw_error error;
    size_t count = 0, found = 0;
    names[0] = '\0';
    char *text = read_list(run->plan->folder, run->files.length, &error);
    const char **listed = text ? sort_names(text, &count) : NULL;
    for (size_t k = 0; listed && k < sizeof parts / sizeof *parts; k++)
        found += find_foreign(run, parts[k], listed, count, names, size);
    free(listed);
    free(text);
    return found;
}
