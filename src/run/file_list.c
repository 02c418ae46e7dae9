/* SPDX-License-Identifier: BSD-3-Clause */
#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/error.h"
#include "base/text.h"
#include "run/file_list.h"

tw_status tw_run_files_add(tw_run *run, const char *name, double time)
{
    uint64_t length, hash;
    const tw_folder_path path = tw_folder_path_join(run->plan->folder, name);
    const tw_status status = tw_run_file_hash(path.text, UINT64_MAX, &length, &hash, run->error);
    if (status != TW_STATUS_OK) return status;
    tw_text_buffer line = {0};
    tw_text_buffer_add(&line, "%016" PRIx64 " %" PRIu64 " %.17g %s\n", hash, length, time, name);
    return tw_run_append_file_add_text(&run->output.files, &line, run->error);
}

tw_status tw_run_files_withdraw(tw_run *run, const char *name)
{
    tw_text_buffer line = {0};
    if (!tw_run_files_has(run, name)) return TW_STATUS_OK;
    tw_text_buffer_add(&line, "%016d 0 0 %s\n", 0, name);
    return tw_run_append_file_add_text(&run->output.files, &line, run->error);
}

/* `hash` 0: the file is withdrawn. */
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
    const tw_folder_path path = tw_folder_path_join(folder, e->name);
    if (!tw_run_file_exists(path.text))
        return all ? tw_error_set(error, TW_STATUS_INPUT, "%s: missing",
                                  tw_error_shorten_path(path.text).text)
                   : TW_STATUS_OK;
    if (!all && is_large(e->name) && has_length(path.text, e->length)) return TW_STATUS_OK;
    const tw_status status = tw_run_file_hash(path.text, UINT64_MAX, &length, &hash, error);
    if (status != TW_STATUS_OK || (length == e->length && hash == e->hash)) return status;
    return tw_error_set(error, TW_STATUS_INPUT,
                        "%s: not the file that the run has written: damaged, changed, or of "
                        "another run",
                        tw_error_shorten_path(path.text).text);
}

/* By name, and in the order of the list where names are equal. */
static int compare_entries(const void *a, const void *b)
{
    const entry *first = a, *second = b;
    const int order = strcmp(first->name, second->name);
    return order != 0 ? order : (first->name > second->name) - (first->name < second->name);
}

/* Keeps the last of the entries with the same name. Returns how many are left. */
static size_t keep_last(entry *list, size_t count)
{
    size_t kept = 0;
    qsort(list, count, sizeof *list, compare_entries);
    for (size_t k = 0; k < count; k++)
        if (k + 1 == count || strcmp(list[k].name, list[k + 1].name) != 0) list[kept++] = list[k];
    return kept;
}

tw_status tw_run_files_check(const char *folder, uint64_t length, bool all, tw_error *error)
{
    char *text = tw_run_file_part(folder, "files.txt", length, error);
    if (!text) return error->status;
    entry *list = malloc((strlen(text) / 16 + 1) * sizeof *list);
    tw_status status = list ? TW_STATUS_OK : tw_error_set_memory(error);
    size_t count = 0;
    for (char *line = text; list && next_entry(&line, &list[count]);)
        count++;
    if (list) count = keep_last(list, count);
    for (size_t k = 0; k < count && status == TW_STATUS_OK; k++)
        if (list[k].hash != 0) status = check_entry(folder, &list[k], all, error);
    free(list);
    free(text);
    return status;
}

bool tw_run_files_has(const tw_run *run, const char *name)
{
    tw_error unused;
    char *text =
        tw_run_file_part(run->plan->folder, "files.txt", run->output.files.length, &unused);
    bool has = false;
    entry e;
    for (char *line = text; text && next_entry(&line, &e);)
        if (strcmp(e.name, name) == 0) has = e.hash != 0;
    free(text);
    return has;
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
    char *text =
        tw_run_file_part(run->plan->folder, "files.txt", run->output.files.length, run->error);
    double *times = text ? malloc((run->output.files.length / 16 + 1) * sizeof *times) : NULL;
    entry e;
    *count = 0;
    for (char *line = text; times && next_entry(&line, &e);)
        if (fits(e.name, start, end)) times[(*count)++] = e.time;
    if (text && !times) tw_error_set_memory(run->error);
    free(text);
    return times;
}
