/* SPDX-License-Identifier: BSD-3-Clause */
#include "sweep/sweep_grid.h"

#include "base/hash.h"
#include "base/text.h"
#include "common/output.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <twirl/run.h>
#include <twirl/scenario.h>

/* ---- --vary ---- */

typedef struct vary_reading {
    tw_sweep_vary *vary;
    char *problem;
    size_t size;
} vary_reading;

static bool refuse(const vary_reading *r, const char *item, const char *what)
{
    snprintf(r->problem, r->size, "'%s': %s", item, what);
    return false;
}

static bool add_value(const vary_reading *r, const char *text)
{
    tw_sweep_vary *v = r->vary;
    for (size_t i = 0; i < v->count; i++)
        if (strcmp(v->value[i], text) == 0) return refuse(r, text, "is given twice");
    if (v->count == TW_SWEEP_VALUES_MAX) return refuse(r, v->key, "has more than 10000 values");
    v->value = tw_exit_unless(realloc(v->value, (v->count + 1) * sizeof *v->value));
    v->value[v->count++] = tw_exit_text("%s", text);
    return true;
}

/* A..B or A..B..STEP. `*is_range` is false for anything else. */
static bool add_whole_numbers(const vary_reading *r, const char *item, bool *is_range)
{
    static const long long most = 1000000000000000;
    long long from, to, step = 1;
    int end = 0, longer = 0;
    *is_range = sscanf(item, "%lld..%lld%n..%lld%n", &from, &to, &end, &step, &longer) >= 2 &&
                item[longer > 0 ? longer : end] == '\0';
    if (!*is_range) return true;
    if (step <= 0) return refuse(r, item, "the step of a range A..B..STEP must be above 0");
    if (to < from) return refuse(r, item, "the range is empty: A..B needs A <= B");
    if (from < -most || to > most || step > most)
        return refuse(r, item, "ranges of whole numbers go up to 1e15");
    if ((to - from) / step >= TW_SWEEP_VALUES_MAX)
        return refuse(r, item, "the range has more than 10000 values");
    char text[32];
    for (long long value = from; value <= to; value += step) {
        snprintf(text, sizeof text, "%lld", value);
        if (!add_value(r, text)) return false;
    }
    return true;
}

/* A:B:N, and a unit. Twelve digits: 0.3, where the sum has 0.30000000000000004. */
static bool add_numbers(const vary_reading *r, const char *item, bool *is_range)
{
    double from, to;
    long count;
    int end = 0;
    *is_range = sscanf(item, "%lf:%lf:%ld%n", &from, &to, &count, &end) == 3 && end > 0 &&
                (item[end] == '\0' || item[end] == ' ' || isalpha((unsigned char)item[end]) ||
                 item[end] == '%');
    if (!*is_range) return true;
    if (count < 2) return refuse(r, item, "A:B:N needs at least 2 values");
    if (count > TW_SWEEP_VALUES_MAX) return refuse(r, item, "the range has more than 10000 values");
    char text[128];
    for (long i = 0; i < count; i++) {
        const double part = (double)i / (double)(count - 1);
        snprintf(text, sizeof text, "%.12g%.64s", from + part * (to - from), item + end);
        if (!add_value(r, text)) return false;
    }
    return true;
}

static bool add_item(const vary_reading *r, char *item)
{
    bool is_range = false;
    item += strspn(item, " ");
    size_t length = strlen(item);
    while (length > 0 && item[length - 1] == ' ')
        item[--length] = '\0';
    if (length == 0) {
        snprintf(r->problem, r->size, "a value is empty");
        return false;
    }
    if (!add_whole_numbers(r, item, &is_range)) return false;
    if (!is_range && !add_numbers(r, item, &is_range)) return false;
    return is_range || add_value(r, item);
}

/* Length up to the next comma that separates values. */
static size_t item_length(const char *text)
{
    int depth = 0;
    char quote = '\0';
    size_t i = 0;
    for (; text[i] && (quote || depth > 0 || text[i] != ','); i++) {
        if (quote)
            quote = text[i] == quote ? '\0' : quote;
        else if (text[i] == '\'' || text[i] == '"')
            quote = text[i];
        else
            depth += (text[i] == '[' || text[i] == '{') - (text[i] == ']' || text[i] == '}');
    }
    return i;
}

static bool add_items(const vary_reading *r, char *text)
{
    for (;;) {
        const size_t length = item_length(text);
        const bool last = text[length] == '\0';
        text[length] = '\0';
        if (!add_item(r, text)) return false;
        if (last) return true;
        text += length + 1;
    }
}

bool tw_sweep_vary_parse(tw_sweep_vary *vary, const char *text, char *problem, size_t size)
{
    const vary_reading r = {vary, problem, size};
    const char *equals = strchr(text, '=');
    *vary = (tw_sweep_vary){0};
    if (!equals || equals == text)
        return refuse(&r, text, "expected KEY=VALUES, as in material.friction=0.1,0.3,0.5");
    vary->key = tw_exit_text("%.*s", (int)(equals - text), text);
    char *values = tw_exit_text("%s", equals + 1);
    const bool good = add_items(&r, values);
    free(values);
    return good;
}

static void vary_free(tw_sweep_vary *vary)
{
    for (size_t i = 0; i < vary->count; i++)
        free(vary->value[i]);
    free(vary->value);
    free(vary->key);
    *vary = (tw_sweep_vary){0};
}

const char *tw_sweep_vary_label(const tw_sweep_vary *vary)
{
    const char *dot = strrchr(vary->key, '.');
    return dot ? dot + 1 : vary->key;
}

bool tw_sweep_vary_is_seed(const tw_sweep_vary *vary)
{
    return strcmp(vary->key, "specimen.seed") == 0;
}

/* ---- Errors or warnings of all cases; the same text in several cases is printed once ---- */

typedef struct sweep_error {
    char *text, *first; /* first: the case */
    size_t cases;
} sweep_error;

typedef struct sweep_errors {
    sweep_error *error;
    size_t count;
    size_t grid_size; /* number of cases of the sweep */
} sweep_errors;

static void errors_add(sweep_errors *errors, const char *name, const char *text)
{
    for (size_t i = 0; i < errors->count; i++) {
        if (strcmp(errors->error[i].text, text) != 0) continue;
        errors->error[i].cases++;
        return;
    }
    errors->error =
        tw_exit_unless(realloc(errors->error, (errors->count + 1) * sizeof *errors->error));
    errors->error[errors->count++] =
        (sweep_error){tw_exit_text("%s", text), tw_exit_text("%s", name), 1};
}

static void print_one(const sweep_errors *errors, const sweep_error *e)
{
    if (e->cases == errors->grid_size)
        fprintf(stderr, "%s\n", e->text);
    else if (e->cases == 1)
        fprintf(stderr, "case %s: %s\n", e->first, e->text);
    else
        fprintf(stderr, "case %s and %zu more: %s\n", e->first, e->cases - 1, e->text);
}

static void errors_print(const sweep_errors *errors)
{
    for (size_t i = 0; i < errors->count; i++)
        print_one(errors, &errors->error[i]);
}

static void errors_free(sweep_errors *errors)
{
    for (size_t i = 0; i < errors->count; i++) {
        free(errors->error[i].text);
        free(errors->error[i].first);
    }
    free(errors->error);
    *errors = (sweep_errors){.count = 0};
}

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
    const tw_sweep_case **sorted = tw_exit_unless(malloc(grid->case_count * sizeof *sorted));
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

/* Groups are numbered in the order of their first cases. */
static void find_groups(tw_sweep_grid *grid)
{
    for (size_t i = 0; i < grid->case_count; i++) {
        tw_sweep_case *one = &grid->cases[i];
        size_t j = 0;
        while (!tw_sweep_grid_alike(grid, &grid->cases[j], one, SIZE_MAX))
            j++;
        one->first = j == i;
        one->group = j < i ? grid->cases[j].group : grid->group_count++;
    }
}

/* The last key varies fastest. */
static int make_cases(tw_sweep_grid *grid, const char *command)
{
    size_t count = 1;
    for (size_t k = 0; k < grid->vary_count; k++) {
        count *= grid->vary[k].count;
        if (count <= TW_SWEEP_CASES_MAX) continue;
        return tw_output_fail(command, TW_EXIT_USAGE, "the sweep has more than %d cases",
                              TW_SWEEP_CASES_MAX);
    }
    grid->cases = tw_exit_unless(calloc(count, sizeof *grid->cases));
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
    find_groups(grid);
    return TW_EXIT_OK;
}

/* The settings of all cases, then KEY=VALUE of this one. */
static tw_scenario *read_case(const tw_sweep_grid *grid, const tw_sweep_case *one, const char *path,
                              const char *const *settings, size_t count, tw_scenario_errors *errors)
{
    const char **all = tw_exit_unless(calloc(count + grid->vary_count, sizeof *all));
    char *own[TW_SWEEP_VARY_MAX];
    if (count > 0) memcpy(all, settings, count * sizeof *all);
    for (size_t k = 0; k < grid->vary_count; k++)
        all[count + k] = own[k] =
            tw_exit_text("%s=%s", grid->vary[k].key, tw_sweep_grid_value(grid, one, k));
    tw_scenario *scenario = tw_scenario_read(path, all, count + grid->vary_count, errors);
    for (size_t k = 0; k < grid->vary_count; k++)
        free(own[k]);
    free(all);
    return scenario;
}

/* A case reads its values as settings; the user gave them by --vary. Without the value the same
 * mistake has the same text in all cases; where the value is wrong the text names it again. */
static void add_error(const tw_sweep_grid *grid, const tw_sweep_case *one, const char *text,
                      sweep_errors *found)
{
    char *said = NULL;
    for (size_t k = 0; k < grid->vary_count && !said; k++) {
        char *setting =
            tw_exit_text("--set '%s=%s': ", grid->vary[k].key, tw_sweep_grid_value(grid, one, k));
        if (strncmp(text, setting, strlen(setting)) == 0)
            said = tw_exit_text("--vary %s: %s", grid->vary[k].key, text + strlen(setting));
        free(setting);
    }
    errors_add(found, one->name, said ? said : text);
    free(said);
}

static void read_one(const tw_sweep_grid *grid, tw_sweep_case *one, const char *path,
                     const char *const *settings, size_t count, sweep_errors *found,
                     sweep_errors *warnings)
{
    tw_scenario_errors errors;
    tw_error error;
    one->scenario = read_case(grid, one, path, settings, count, &errors);
    for (size_t e = 0; e < errors.count; e++)
        add_error(grid, one, errors.text[e], found);
    for (size_t e = 0; e < errors.warning_count; e++)
        add_error(grid, one, errors.warning[e], warnings);
    if (errors.out_of_memory) tw_exit_unless(NULL);
    tw_scenario_errors_free(&errors);
    if (one->scenario && tw_run_check(one->scenario, &error) != TW_STATUS_OK)
        errors_add(found, one->name, error.text);
}

static int read_cases(tw_sweep_grid *grid, const char *path, const char *const *settings,
                      size_t count, const char *command)
{
    sweep_errors found = {.grid_size = grid->case_count};
    sweep_errors warnings = {.grid_size = grid->case_count};
    for (size_t i = 0; i < grid->case_count; i++)
        read_one(grid, &grid->cases[i], path, settings, count, &found, &warnings);
    int status = TW_EXIT_OK;
    errors_print(&warnings);
    errors_print(&found);
    if (found.count > 0)
        status = tw_output_fail(command, TW_EXIT_USAGE,
                                "%zu error%s in %s with these values; nothing has been run",
                                found.count, tw_output_plural(found.count), path);
    errors_free(&found);
    errors_free(&warnings);
    return status;
}

/* ---- Specimens ---- */

static void find_specimen(tw_sweep_grid *grid, tw_sweep_case *one)
{
    char *text = one->scenario->stage_count > 0 ? tw_run_preparation(one->scenario) : NULL;
    if (!text) return;
    size_t i = 0;
    while (i < grid->specimen_count && strcmp(grid->specimens[i].text, text) != 0)
        i++;
    if (i == grid->specimen_count) {
        tw_sweep_specimen *more = realloc(grid->specimens, (i + 1) * sizeof *more);
        grid->specimens = tw_exit_unless(more);
        more[i] = (tw_sweep_specimen){.text = text};
        /* not by a number: a sweep that gets more cases finds its specimens again */
        snprintf(more[i].name, sizeof more[i].name, "specimen_%016" PRIx64,
                 tw_hash_of(text, strlen(text), 0));
        grid->specimen_count++;
    } else {
        free(text);
    }
    grid->specimens[i].users++;
    one->specimen = i;
}

static void find_specimens(tw_sweep_grid *grid)
{
    for (size_t i = 0; i < grid->case_count; i++)
        find_specimen(grid, &grid->cases[i]);
    for (size_t i = 0; i < grid->case_count; i++) {
        tw_sweep_case *one = &grid->cases[i];
        if (one->specimen != SIZE_MAX && grid->specimens[one->specimen].users < 2)
            one->specimen = SIZE_MAX;
    }
}

int tw_sweep_grid_make(tw_sweep_grid *grid, const char *path, const char *const *settings,
                       size_t setting_count, const char *command)
{
    int status = make_cases(grid, command);
    if (status == TW_EXIT_OK) status = read_cases(grid, path, settings, setting_count, command);
    if (status == TW_EXIT_OK) find_specimens(grid);
    return status;
}

void tw_sweep_grid_free(tw_sweep_grid *grid)
{
    for (size_t k = 0; k < grid->vary_count; k++)
        vary_free(&grid->vary[k]);
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

bool tw_sweep_grid_alike(const tw_sweep_grid *grid, const tw_sweep_case *a, const tw_sweep_case *b,
                         size_t except)
{
    for (size_t k = 0; k < grid->vary_count; k++)
        if (k != except && !tw_sweep_vary_is_seed(&grid->vary[k]) && a->pick[k] != b->pick[k])
            return false;
    return true;
}

bool tw_sweep_grid_has_seeds(const tw_sweep_grid *grid)
{
    for (size_t k = 0; k < grid->vary_count; k++)
        if (tw_sweep_vary_is_seed(&grid->vary[k])) return true;
    return false;
}
