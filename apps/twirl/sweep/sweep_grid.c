/* SPDX-License-Identifier: BSD-3-Clause */
#include "sweep/sweep_grid.h"

#include "common/output.h"
#include "sweep/sweep_errors.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <twirl/run.h>
#include <twirl/scenario.h>

#include "base/text.h"

/* ---- Names ---- */

/* Folders are named after cases: other characters become '_'. */
static void add_clean(tw_text_buffer *name, const char *text)
{
    static const char plain[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-+_";
    for (; *text; text++) {
        if (*text == '"' || *text == '\'') continue;
        tw_text_buffer_add(name, "%c", strchr(plain, *text) ? *text : '_');
    }
}

static bool label_is_unique(const tw_sweep_grid *grid, size_t k)
{
    for (size_t i = 0; i < grid->vary_count; i++)
        if (i != k &&
            strcmp(tw_sweep_vary_label(&grid->vary[i]), tw_sweep_vary_label(&grid->vary[k])) == 0)
            return false;
    return true;
}

/* "friction=0.1_seed=1", with a number before it if that is not unique or too long. */
static bool name_case(const tw_sweep_grid *grid, size_t index, bool numbered)
{
    tw_sweep_case *one = &grid->cases[index];
    tw_text_buffer name = {0};
    if (numbered) tw_text_buffer_add(&name, "%05zu_", index + 1);
    for (size_t k = 0; k < grid->vary_count; k++) {
        const tw_sweep_vary *vary = &grid->vary[k];
        if (k > 0) tw_text_buffer_add(&name, "_");
        add_clean(&name, label_is_unique(grid, k) ? tw_sweep_vary_label(vary) : vary->key);
        tw_text_buffer_add(&name, "=");
        add_clean(&name, tw_sweep_grid_value(grid, one, k));
    }
    const bool fits = name.length < sizeof one->name;
    if (!name.failed) snprintf(one->name, sizeof one->name, "%s", name.text);
    tw_text_buffer_free(&name);
    return fits;
}

static int compare_names(const void *a, const void *b)
{
    const tw_sweep_case *const *one = a, *const *other = b;
    return strcmp((*one)->name, (*other)->name);
}

static bool names_differ(const tw_sweep_grid *grid)
{
    const tw_sweep_case **sorted = malloc(grid->case_count * sizeof *sorted);
    if (!sorted) return false; /* numbers make them differ */
    for (size_t i = 0; i < grid->case_count; i++)
        sorted[i] = &grid->cases[i];
    qsort(sorted, grid->case_count, sizeof *sorted, compare_names);
    bool differ = true;
    for (size_t i = 1; i < grid->case_count; i++)
        differ = differ && strcmp(sorted[i - 1]->name, sorted[i]->name) != 0;
    free(sorted);
    return differ;
}

static void name_cases(const tw_sweep_grid *grid)
{
    bool good = true;
    for (size_t i = 0; i < grid->case_count; i++)
        good = name_case(grid, i, false) && good;
    if (good && names_differ(grid)) return;
    for (size_t i = 0; i < grid->case_count; i++)
        name_case(grid, i, true);
}

/* ---- Cases ---- */

/* The last key varies fastest. */
static int make_cases(tw_sweep_grid *grid, const char *command)
{
    size_t count = 1;
    for (size_t k = 0; k < grid->vary_count; k++) {
        count *= grid->vary[k].count;
        if (count <= TW_SWEEP_CASES_MAX) continue;
        fprintf(stderr, "%s: the sweep has more than %d cases\n", command, TW_SWEEP_CASES_MAX);
        return TW_EXIT_USAGE;
    }
    grid->cases = calloc(count, sizeof *grid->cases);
    if (!grid->cases) {
        fprintf(stderr, "%s: out of memory\n", command);
        return TW_EXIT_ENVIRONMENT;
    }
    grid->case_count = count;
    for (size_t i = 0; i < count; i++) {
        size_t rest = i;
        grid->cases[i].specimen = SIZE_MAX;
        for (size_t k = grid->vary_count; k-- > 0;) {
            grid->cases[i].pick[k] = rest % grid->vary[k].count;
            rest /= grid->vary[k].count;
        }
    }
    name_cases(grid);
    return TW_EXIT_OK;
}

/* The settings of all cases, then KEY=VALUE of this one. */
static tw_scenario *read_case(const tw_sweep_grid *grid, const tw_sweep_case *one, const char *path,
                              const char *const *settings, size_t count, tw_scenario_errors *errors)
{
    const char **all = calloc(count + grid->vary_count, sizeof *all);
    tw_text_buffer own[TW_SWEEP_VARY_MAX] = {{0}};
    tw_scenario *scenario = NULL;
    bool good = all != NULL;
    *errors = (tw_scenario_errors){.out_of_memory = 1};
    if (good && count > 0) memcpy(all, settings, count * sizeof *all);
    for (size_t k = 0; good && k < grid->vary_count; k++) {
        tw_text_buffer_add(&own[k], "%s=%s", grid->vary[k].key, tw_sweep_grid_value(grid, one, k));
        all[count + k] = own[k].text;
        good = !own[k].failed;
    }
    if (good) scenario = tw_scenario_read(path, all, count + grid->vary_count, errors);
    for (size_t k = 0; k < grid->vary_count; k++)
        tw_text_buffer_free(&own[k]);
    free(all);
    return scenario;
}

static void check_case(const tw_sweep_case *one, tw_sweep_errors *found)
{
    tw_error error;
    if (tw_run_check(one->scenario, &error) != TW_STATUS_OK)
        tw_sweep_errors_add(found, one->name, error.text);
}

/* A case reads its values as settings; the user gave them by --vary. */
static void add_error(const tw_sweep_grid *grid, const tw_sweep_case *one, const char *text,
                      tw_sweep_errors *found)
{
    tw_text_buffer setting = {0}, changed = {0};
    const char *said = text;
    for (size_t k = 0; k < grid->vary_count; k++) {
        tw_text_buffer_clear(&setting);
        tw_text_buffer_add(&setting, "--set '%s=", grid->vary[k].key);
        if (setting.failed || strncmp(text, setting.text, setting.length) != 0) continue;
        tw_text_buffer_add(&changed, "--vary %s", text + strlen("--set "));
        if (!changed.failed) said = changed.text;
    }
    tw_sweep_errors_add(found, one->name, said);
    tw_text_buffer_free(&setting);
    tw_text_buffer_free(&changed);
}

static void read_one(const tw_sweep_grid *grid, tw_sweep_case *one, const char *path,
                     const char *const *settings, size_t count, tw_sweep_errors *found,
                     tw_sweep_errors *warnings)
{
    tw_scenario_errors errors;
    one->scenario = read_case(grid, one, path, settings, count, &errors);
    for (size_t e = 0; e < errors.count; e++)
        add_error(grid, one, errors.text[e], found);
    for (size_t e = 0; e < errors.warning_count; e++)
        add_error(grid, one, errors.warning[e], warnings);
    found->out_of_memory |= errors.out_of_memory != 0;
    tw_scenario_errors_free(&errors);
    if (one->scenario) check_case(one, found);
}

static int read_cases(tw_sweep_grid *grid, const char *path, const char *const *settings,
                      size_t count, const char *command)
{
    tw_sweep_errors found = {.grid_size = grid->case_count};
    tw_sweep_errors warnings = {.grid_size = grid->case_count};
    for (size_t i = 0; i < grid->case_count; i++)
        read_one(grid, &grid->cases[i], path, settings, count, &found, &warnings);
    int status = TW_EXIT_OK;
    tw_sweep_errors_print(&warnings);
    tw_sweep_errors_print(&found);
    if (found.out_of_memory || warnings.out_of_memory) {
        fprintf(stderr, "%s: out of memory\n", command);
        status = TW_EXIT_ENVIRONMENT;
    } else if (found.count > 0) {
        fprintf(stderr, "%s: %zu error%s in %s with these values; nothing has been run\n", command,
                found.count, tw_output_plural(found.count), path);
        status = TW_EXIT_USAGE;
    }
    tw_sweep_errors_free(&found);
    tw_sweep_errors_free(&warnings);
    return status;
}

/* ---- Specimens ---- */

static bool find_specimen(tw_sweep_grid *grid, tw_sweep_case *one)
{
    char *text = one->scenario->stage_count > 0 ? tw_run_preparation(one->scenario) : NULL;
    if (!text) return true;
    size_t i = 0;
    while (i < grid->specimen_count && strcmp(grid->specimens[i].text, text) != 0)
        i++;
    if (i == grid->specimen_count) {
        tw_sweep_specimen *more = realloc(grid->specimens, (i + 1) * sizeof *more);
        if (!more) {
            free(text);
            return false;
        }
        grid->specimens = more;
        grid->specimens[i] = (tw_sweep_specimen){.text = text};
        snprintf(more[i].name, sizeof more[i].name, "specimen_%zu", i + 1);
        grid->specimen_count++;
    } else {
        free(text);
    }
    grid->specimens[i].users++;
    one->specimen = i;
    return true;
}

static int find_specimens(tw_sweep_grid *grid, const char *command)
{
    for (size_t i = 0; i < grid->case_count; i++) {
        if (find_specimen(grid, &grid->cases[i])) continue;
        fprintf(stderr, "%s: out of memory\n", command);
        return TW_EXIT_ENVIRONMENT;
    }
    for (size_t i = 0; i < grid->case_count; i++) {
        tw_sweep_case *one = &grid->cases[i];
        if (one->specimen != SIZE_MAX && grid->specimens[one->specimen].users < 2)
            one->specimen = SIZE_MAX;
    }
    return TW_EXIT_OK;
}

int tw_sweep_grid_make(tw_sweep_grid *grid, const char *path, const char *const *settings,
                       size_t setting_count, const char *command)
{
    int status = make_cases(grid, command);
    if (status == TW_EXIT_OK) status = read_cases(grid, path, settings, setting_count, command);
    if (status == TW_EXIT_OK) status = find_specimens(grid, command);
    return status;
}

void tw_sweep_grid_free(tw_sweep_grid *grid)
{
    for (size_t k = 0; k < grid->vary_count; k++)
        tw_sweep_vary_free(&grid->vary[k]);
    for (size_t i = 0; i < grid->case_count; i++)
        tw_scenario_free(grid->cases[i].scenario);
    for (size_t i = 0; i < grid->specimen_count; i++)
        free(grid->specimens[i].text);
    free(grid->cases);
    free(grid->specimens);
    *grid = (tw_sweep_grid){.vary_count = 0};
}

const char *tw_sweep_grid_value(const tw_sweep_grid *grid, const tw_sweep_case *one, size_t vary)
{
    return grid->vary[vary].value[one->pick[vary]];
}

bool tw_sweep_grid_has_seeds(const tw_sweep_grid *grid)
{
    for (size_t k = 0; k < grid->vary_count; k++)
        if (tw_sweep_vary_is_seed(&grid->vary[k])) return true;
    return false;
}
