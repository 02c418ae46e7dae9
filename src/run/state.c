/* SPDX-License-Identifier: BSD-3-Clause */
/* What a run resumes from: run states, checkpoints, and the list of finished files. */
#include <dirent.h>
#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/environment.h"
#include "base/error.h"
#include "base/hash.h"
#include "base/text.h"
#include "run/files.h"
#include "run/run.h"

static const char heading[] = "twirl run state 5\n";

/* The last line has the hash of everything before it. */
static const char check_name[] = "check ";
enum { CHECK_LINE = sizeof check_name - 1 + 16 + 1 };

static uint64_t check_of(const char *text, size_t length)
{
    return tw_hash_of(text, length, 2);
}

const char *tw_run_state_pair(const tw_run_state *state)
{
    return state->commit % 2 == 0 ? "a" : "b";
}

/* ---- Writing ---- */

static void write_counts(tw_text_buffer *text, const char *name, const uint64_t *value,
                         size_t length)
{
    for (size_t k = 0; k < length; k++)
        tw_text_buffer_add(text, "%s %" PRIu64 "\n", name, value[k]);
}

static void write_numbers(tw_text_buffer *text, const char *name, const double *value,
                          size_t length)
{
    for (size_t k = 0; k < length; k++)
        tw_text_buffer_add(text, "%s %a\n", name, value[k]);
}

tw_status tw_run_state_write(const tw_run_state *state, const char *path, tw_error *error)
{
    tw_text_buffer text = {0};
    tw_text_buffer_add(&text, "%s", heading);
#define COUNT(name) write_counts(&text, #name, &state->name, 1);
#define COUNTS(name, length) write_counts(&text, #name, state->name, length);
#define HASH(name) tw_text_buffer_add(&text, #name " %016" PRIx64 "\n", state->name);
#define NUMBER(name) write_numbers(&text, #name, &state->name, 1);
#define NUMBERS(name, length) write_numbers(&text, #name, state->name, length);
#include "run/run_state.def"
    if (!text.failed)
        tw_text_buffer_add(&text, "%s%016" PRIx64 "\n", check_name,
                           check_of(text.text, text.length));
    return tw_run_file_replace(path, &text, error);
}

/* ---- Reading ---- */

/* Moves *line to the next line and returns the text after `name`, or NULL if the line has another
 * name. */
static const char *next_value(const char **line, const char *name)
{
    const size_t length = strlen(name);
    const char *end = strchr(*line, '\n');
    if (!end || strncmp(*line, name, length) != 0 || (*line)[length] != ' ') return NULL;
    const char *value = *line + length + 1;
    *line = end + 1;
    return value;
}

static bool read_counts(const char **line, const char *name, uint64_t *value, size_t length,
                        int base)
{
    for (size_t k = 0; k < length; k++) {
        const char *text = next_value(line, name);
        char *end;
        if (!text) return false;
        value[k] = strtoull(text, &end, base);
        if (end != *line - 1) return false;
    }
    return true;
}

static bool read_numbers(const char **line, const char *name, double *value, size_t length)
{
    for (size_t k = 0; k < length; k++) {
        const char *text = next_value(line, name);
        char *end;
        if (!text) return false;
        value[k] = strtod(text, &end);
        if (end != *line - 1) return false;
    }
    return true;
}

static bool is_plausible(const tw_run_state *state)
{
    bool good = state->phase <= TW_RUN_STATE_DONE && state->begun <= 1 && state->probing <= 1 &&
                (state->commit == 0) == (state->phase == TW_RUN_STATE_START);
    const double finite[] = {state->time,         state->stage_time, state->clock,
                             state->volume,       state->travelled,  state->last_path_strain,
                             state->start_volume, state->start_work, state->worst};
    for (size_t k = 0; k < sizeof finite / sizeof *finite; k++)
        good = good && isfinite(finite[k]);
    for (int k = 0; k < TW_COMPONENTS; k++)
        good = good && isfinite(state->strain[k]) && isfinite(state->total_strain[k]);
    return good && !isinf(state->friction);
}

static bool parse(tw_run_state *state, const char *text)
{
    const char *line = text + sizeof heading - 1;
    bool good = true;
#define COUNT(name) good = good && read_counts(&line, #name, &state->name, 1, 10);
#define COUNTS(name, length) good = good && read_counts(&line, #name, state->name, length, 10);
#define HASH(name) good = good && read_counts(&line, #name, &state->name, 1, 16);
#define NUMBER(name) good = good && read_numbers(&line, #name, &state->name, 1);
#define NUMBERS(name, length) good = good && read_numbers(&line, #name, state->name, length);
#include "run/run_state.def"
    return good && strncmp(line, check_name, sizeof check_name - 1) == 0 &&
           strlen(line) == CHECK_LINE && is_plausible(state);
}

static bool check_is_right(const char *text, size_t length)
{
    char line[CHECK_LINE + 1];
    if (length < CHECK_LINE || strlen(text) != length) return false;
    const size_t before = length - CHECK_LINE;
    snprintf(line, sizeof line, "%s%016" PRIx64 "\n", check_name, check_of(text, before));
    return strcmp(text + before, line) == 0;
}

static tw_status judge(tw_run_state *state, const char *path, const char *text, size_t length,
                       tw_error *error)
{
    static const char any[] = "twirl run state ";
    const tw_error_path name = tw_error_shorten_path(path);
    const bool whole = check_is_right(text, length);
    const bool ours = strncmp(text, heading, sizeof heading - 1) == 0;
    if (whole && ours && parse(state, text)) return TW_STATUS_OK;
    if (strncmp(text, any, sizeof any - 1) == 0 && (whole || !ours))
        return tw_error_set(error, TW_STATUS_INPUT,
                            "%s: written by another version of twirl: resume with that version",
                            name.text);
    return tw_error_set(error, TW_STATUS_INPUT, "%s: damaged, or changed by hand", name.text);
}

tw_status tw_run_state_read(tw_run_state *state, const char *path, tw_error *error)
{
    size_t length;
    char *text = tw_read_file_all(path, &length, error);
    if (!text) return error->status;
    const tw_status status = judge(state, path, text, length, error);
    free(text);
    return status;
}

tw_status tw_run_state_newest(tw_run_state *state, const char *folder, bool *found, tw_error *error)
{
    static const char *const names[] = {"run_state_a.txt", "run_state_b.txt"};
    tw_error reason = {.status = TW_STATUS_OK};
    *found = false;
    for (int k = 0; k < 2; k++) {
        tw_run_state next;
        tw_error now;
        const tw_folder_path path = tw_folder_path_join(folder, names[k]);
        if (!tw_run_file_exists(path.text)) continue;
        if (tw_run_state_read(&next, path.text, &now) != TW_STATUS_OK) {
            reason = now;
        } else if (!*found || next.commit > state->commit) {
            *state = next;
            *found = true;
        }
    }
    if (*found || reason.status == TW_STATUS_OK) return TW_STATUS_OK;
    if (error) *error = reason;
    return reason.status;
}

/* ---- The list of files ---- */

tw_status tw_run_files_add(tw_run *run, const char *name, double time)
{
    uint64_t length, hash;
    const tw_folder_path path = tw_folder_path_join(run->plan->folder, name);
    const tw_status status = tw_run_file_hash(path.text, UINT64_MAX, &length, &hash, run->error);
    if (status != TW_STATUS_OK) return status;
    tw_text_buffer line = {0};
    tw_text_buffer_add(&line, "%016" PRIx64 " %" PRIu64 " %.17g %s\n", hash, length, time, name);
    return tw_run_append_file_add_text(&run->files, &line, run->error);
}

tw_status tw_run_files_withdraw(tw_run *run, const char *name)
{
    tw_text_buffer line = {0};
    if (!tw_run_files_has(run, name)) return TW_STATUS_OK;
    tw_text_buffer_add(&line, "%016d 0 0 %s\n", 0, name);
    return tw_run_append_file_add_text(&run->files, &line, run->error);
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
    char *text = tw_run_file_part(run->plan->folder, "files.txt", run->files.length, &unused);
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
    char *text = tw_run_file_part(run->plan->folder, "files.txt", run->files.length, run->error);
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
    return stat(tw_folder_path_join(run->plan->folder, name).text, &about) == 0 &&
           S_ISREG(about.st_mode);
}

/* Pictures, which twirl render puts beside the states: nothing takes them for results. */
static bool is_picture(const char *name)
{
    const char *end = strrchr(name, '.');
    return end &&
           (strcmp(end, ".png") == 0 || strcmp(end, ".pdf") == 0 || strcmp(end, ".svg") == 0);
}

/* Goes through one folder of the run. */
static size_t find_foreign(const tw_run *run, const char *part, const char **listed, size_t count,
                           char *names, size_t size)
{
    size_t found = 0;
    DIR *folder = opendir(tw_folder_path_join(run->plan->folder, part).text);
    for (struct dirent *item; folder && (item = readdir(folder)) != NULL;) {
        const tw_folder_path name = tw_folder_path_join(part, item->d_name);
        const char *key = name.text;
        if (!is_file(run, key) || is_picture(key) ||
            bsearch(&key, listed, count, sizeof *listed, compare_names))
            continue;
        tw_text_add_word(names, size, key);
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
    char *text = tw_run_file_part(run->plan->folder, "files.txt", run->files.length, &error);
    const char **listed = text ? sort_names(text, &count) : NULL;
    for (size_t k = 0; listed && k < sizeof parts / sizeof *parts; k++)
        found += find_foreign(run, parts[k], listed, count, names, size);
    free(listed);
    free(text);
    return found;
}

/* ---- Checkpoints ---- */

typedef struct label {
    char text[TW_SIM_LABEL_MAX + 1];
} label;

/* ---- Results ---- */

/* "run IDENTITY NAME step"; a long name loses its end. */
static label label_of(const tw_run *run, const char *name)
{
    label made;
    snprintf(made.text, sizeof made.text, "run %016" PRIx64 " %.180s step", run->state.identity,
             name);
    return made;
}

static tw_folder_path path_of(const tw_run *run, const char *name)
{
    tw_folder_path file;
    snprintf(file.text, sizeof file.text, "%s.h5", name);
    return tw_folder_path_join(run->plan->folder, file.text);
}

tw_status tw_run_checkpoint_keep(tw_run *run, const char *name)
{
    TW_CLOCK_HERE(TW_SIM_PHASE_OUTPUT);
    label made = label_of(run, name);
    const size_t used = strlen(made.text);
    snprintf(made.text + used, sizeof made.text - used, " %" PRIu64, tw_sim_steps(run->sim));
    const tw_status status =
        tw_sim_save_labelled(run->sim, path_of(run, name).text, made.text, run->error);
    char file[sizeof(tw_folder_path)];
    snprintf(file, sizeof file, "%s.h5", name);
    run->kept = status == TW_STATUS_OK;
    return status == TW_STATUS_OK ? tw_run_files_add(run, file, 0.0) : status;
}

tw_status tw_run_checkpoint_copy(tw_run *run, const char *name, const char *copy)
{
    tw_sim *own = run->sim;
    const bool kept = run->kept;
    run->sim = tw_run_checkpoint_open(run, name, run->error);
    const tw_status status = run->sim ? tw_run_checkpoint_keep(run, copy) : run->error->status;
    tw_sim_free(run->sim);
    run->sim = own;
    run->kept = kept;
    return status;
}

static tw_status refuse_label(const char *path, const tw_sim *sim, const char *expected,
                              tw_error *error)
{
    const char *found = tw_sim_label(sim);
    return tw_error_set(error, TW_STATUS_INPUT,
                        "%s: not the state that this run has saved: its label is '%.100s', "
                        "expected '%.100s'",
                        tw_error_shorten_path(path).text, found, expected);
}

tw_sim *tw_run_checkpoint_open(const tw_run *run, const char *name, tw_error *error)
{
    const tw_folder_path path = path_of(run, name);
    tw_sim *sim = tw_sim_load(path.text, error);
    if (!sim) return NULL;
    const label expected = label_of(run, name);
    if (strncmp(tw_sim_label(sim), expected.text, strlen(expected.text)) == 0) return sim;
    refuse_label(path.text, sim, expected.text, error);
    tw_sim_free(sim);
    return NULL;
}

static void replace_simulation(tw_run *run, tw_sim *sim)
{
    tw_sim_free(run->sim);
    run->sim = sim;
    tw_sim_set_threads(sim, run->plan->threads);
}

tw_status tw_run_checkpoint_return(tw_run *run, const char *name)
{
    tw_sim *sim = tw_run_checkpoint_open(run, name, run->error);
    if (!sim) return run->error->status;
    replace_simulation(run, sim);
    return tw_sim_set_device(sim, run->plan->device, run->error);
}

/* ---- Pairs of checkpoint and run state ---- */

static label label_of_pair(const tw_run_state *state)
{
    label made;
    snprintf(made.text, sizeof made.text, "run %016" PRIx64 " checkpoint %" PRIu64 " step %" PRIu64,
             state->identity, state->commit, state->steps);
    return made;
}

/* FOLDER/STEM_PAIR.ENDING */
static tw_folder_path pair_path(const tw_run *run, const char *stem, const char *ending)
{
    char name[40];
    snprintf(name, sizeof name, "%s_%s.%s", stem, tw_run_state_pair(&run->state), ending);
    return tw_folder_path_join(run->plan->folder, name);
}

/* The state at the end of a stage or of the preparation is a result, GROUP/NAME.h5, and the pair
 * that is committed there has it too. NULL: there is no such result. */
static const char *result_of_pair(const tw_run *run, const char **group)
{
    const tw_run_state *state = &run->state;
    const bool stages = state->phase == TW_RUN_STATE_STAGES || state->phase == TW_RUN_STATE_DONE;
    if (!stages || state->begun) return NULL;
    *group = state->stage == 0 ? "states" : "stages";
    return state->stage == 0 ? "specimen" : run->scenario->stages[state->stage - 1].name;
}

/* Where there is such a result, the pair has another name of its file: writing a large state again
 * takes as long as many steps. A file is never changed, only replaced, so that neither name depends
 * on the other. */
static tw_status save_pair(tw_run *run)
{
    const char *group, *result = run->kept ? result_of_pair(run, &group) : NULL;
    const tw_folder_path path = pair_path(run, "checkpoint", "h5");
    run->kept = false;
    if (result && tw_replace_file_link(
                      path.text, tw_folder_path_in(run->plan->folder, group, result, ".h5").text))
        return TW_STATUS_OK;
    return tw_sim_save_labelled(run->sim, path.text, label_of_pair(&run->state).text, run->error);
}

static bool is_label_of_pair(const tw_run *run, const char *found)
{
    const char *group, *result = result_of_pair(run, &group);
    if (strcmp(found, label_of_pair(&run->state).text) == 0) return true;
    if (!result) return false;
    const label expected = label_of(run, tw_folder_path_join(group, result).text);
    return strncmp(found, expected.text, strlen(expected.text)) == 0;
}

static tw_status sync_outputs(tw_run *run)
{
    tw_run_append_file *const files[] = {&run->history, &run->log, &run->warnings, &run->files};
    tw_status status = TW_STATUS_OK;
    for (size_t k = 0; k < sizeof files / sizeof *files && status == TW_STATUS_OK; k++)
        status = tw_run_append_file_sync(files[k], run->error);
    return status;
}

tw_status tw_run_checkpoint_commit(tw_run *run)
{
    TW_CLOCK_HERE(TW_SIM_PHASE_OUTPUT);
    tw_run_state *state = &run->state;
    tw_status status = sync_outputs(run);
    if (status != TW_STATUS_OK) return status;
    state->commit++;
    state->history = run->history.length;
    state->history_hash = tw_hash_value(&run->history.hash);
    state->log = run->log.length;
    state->log_hash = tw_hash_value(&run->log.hash);
    state->warnings = run->warnings.length;
    state->warnings_hash = tw_hash_value(&run->warnings.hash);
    state->files = run->files.length;
    state->files_hash = tw_hash_value(&run->files.hash);
    status = save_pair(run);
    state->state = tw_sim_hash(run->sim); /* after a save: it may be known from that */
    if (status == TW_STATUS_OK)
        status = tw_run_state_write(state, pair_path(run, "run_state", "txt").text, run->error);
    if (status != TW_STATUS_OK) {
        state->commit--; /* the pair last saved is still the one before */
        return status;
    }
    run->saved_at = tw_clock();
    run->saved_steps = state->steps;
    return TW_STATUS_OK;
}

tw_status tw_run_checkpoint_tell(const tw_run *run, tw_error *error)
{
    const tw_error why = *error;
    if (run->state.commit == 0) return why.status;
    return tw_error_set(error, why.status,
                        "%.330s; the run was last saved at step %" PRIu64
                        ", in checkpoint_%s.h5: continue from there on the CPU, with --resume "
                        "--device cpu",
                        why.text, run->saved_steps, tw_run_state_pair(&run->state));
}

tw_status tw_run_checkpoint_load(tw_run *run)
{
    const tw_folder_path path = pair_path(run, "checkpoint", "h5");
    tw_sim *sim = tw_sim_load(path.text, run->error);
    if (!sim) return run->error->status;
    tw_status status = TW_STATUS_OK;
    if (!is_label_of_pair(run, tw_sim_label(sim)))
        status = refuse_label(path.text, sim, label_of_pair(&run->state).text, run->error);
    else if (tw_sim_hash(sim) != run->state.state)
        status =
            tw_error_set(run->error, TW_STATUS_INPUT,
                         "%s: its state is not the one that belongs to run_state_%s.txt",
                         tw_error_shorten_path(path.text).text, tw_run_state_pair(&run->state));
    run->saved_steps = run->state.steps;
    if (status == TW_STATUS_OK)
        replace_simulation(run, sim);
    else
        tw_sim_free(sim);
    return status;
}
