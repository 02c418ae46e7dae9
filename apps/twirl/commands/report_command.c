/* SPDX-License-Identifier: BSD-3-Clause */
/* twirl report: writes one HTML file that shows runs in a browser. */
#include "commands/commands.h"

#include "base/error.h"
#include "base/file.h"
#include "base/text.h"
#include "common/args.h"
#include "common/output.h"
#include "report/report_document.h"
#include "report/report_page.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct report_options {
    const char *output, *json;
    tw_report_snapshots_options snapshots;
    tw_args_list input, labels;
} report_options;

/* Text of a snapshot is base64 of numbers without pattern: it is about as long in the file, where
 * it is compressed and becomes base64 again. */
enum { ROOM = 12000000, GRAINS = 200000 };

static void read_snapshots(const struct argp_state *state, const char *option, char *text,
                           void *member)
{
    tw_report_snapshots_options *snapshots = member;
    if (strcmp(text, "none") == 0) {
        snapshots->most = 0;
        return;
    }
    snapshots->bytes = SIZE_MAX;
    if (strcmp(text, "all") == 0) return;
    char *end;
    const unsigned long number = strtoul(text, &end, 10);
    if (*text < '0' || *text > '9' || *end || number == 0)
        argp_error(state, "--%s: %s is not a number greater than 0, 'all' or 'none'", option,
                   tw_text_quote(text, strlen(text)).text);
    snapshots->most = number;
}

static void read_file(const struct argp_state *state, const char *option, char *text, void *member)
{
    if (!*text) argp_error(state, "--%s: '' is not a file", option);
    tw_args_text(state, option, text, member);
}

static const tw_args_option options[] = {
    {NULL, "RUN", "the folder of a run", tw_args_add, offsetof(report_options, input)},
    {"out", "FILE", "output file; default: RUN/report.html, or report.html for several runs",
     read_file, offsetof(report_options, output)},
    {.name = "o"},
    {"labels", "TEXT,...", "what the page calls the runs, one text for each; default: folders",
     tw_args_words, offsetof(report_options, labels)},
    {"snapshots", "N",
     "how many states of the specimen to show for each run, at most: a number, all or none; "
     "default: as many as keep the file below about 12 MB, at equal distances, and always the last "
     "one",
     read_snapshots, offsetof(report_options, snapshots)},
    {"grains", "N", "show a slab of about N grains of specimens that have more; default: 200000",
     tw_args_count, offsetof(report_options, snapshots.grains)},
    {"json", "FILE", "write the data alone, as JSON; - is standard output", read_file,
     offsetof(report_options, json)},
    {0}};

static void check_settings(const struct argp_state *state, void *settings)
{
    const report_options *set = settings;
    const size_t labels = set->labels.count, runs = set->input.count;
    if (set->json && set->output) argp_error(state, "--json and --out exclude each other");
    if (labels > 0 && labels != runs)
        argp_error(state, "--labels: %zu text%s for %zu run%s", labels, tw_output_plural(labels),
                   runs, tw_output_plural(runs));
}

static const char description[] =
    "Writes one HTML file that shows runs in a browser: what was run, stages and how they ended, "
    "curves, energies, probes, warnings, and the specimen in 3D. The file needs neither network "
    "nor server. Several RUNs are drawn over each other."
    "\v"
    "A run in progress can be shown too, as far as it is; 'twirl watch RUN' follows it.\n\n"
    "Exit status: 0 success, 1 output not written or no page in this program, 2 bad options or not "
    "the folder of a run.";

static const tw_args_command command_line = {
    .own = {options, check_settings}, .arguments = "RUN...", .description = description};

static int write_json(const char *command, const report_options *set, const tw_text_buffer *text)
{
    tw_error error;
    if (strcmp(set->json, "-") == 0) {
        (void)fwrite(text->text, 1, text->length, stdout); /* the next line sees a failure */
        return tw_output_finish(command, TW_EXIT_OK);
    }
    if (tw_replace_file_with(set->json, text->text, text->length, &error) == TW_STATUS_OK)
        return TW_EXIT_OK;
    return tw_output_fail(command, TW_EXIT_ENVIRONMENT, "%s", error.text);
}

/* "NAME, NAME - twirl" */
static void add_title(tw_text_buffer *out, const tw_report_run *runs, size_t count)
{
    for (size_t k = 0; k < count; k++)
        tw_text_buffer_add(out, "%s%s", k > 0 ? ", " : "", runs[k].name);
    tw_text_buffer_add(out, " - twirl");
}

static tw_status write_page(const report_options *set, const tw_report_run *runs,
                            const tw_text_buffer *document, const char *path, tw_error *error)
{
    tw_text_buffer title = {0}, page = {0};
    add_title(&title, runs, set->input.count);
    tw_exit_unless(title.failed ? NULL : title.text);
    tw_status status =
        tw_report_page_add(&page, title.text, document->text, document->length, error);
    if (status == TW_STATUS_OK) status = tw_replace_file_with(path, page.text, page.length, error);
    if (status == TW_STATUS_OK)
        printf("%s: %zu run%s, %.1f MB\n", path, set->input.count,
               tw_output_plural(set->input.count), 1e-6 * (double)page.length);
    tw_text_buffer_free(&title);
    tw_text_buffer_free(&page);
    return status;
}

static int write_html(const char *command, const report_options *set, const tw_report_run *runs,
                      const tw_text_buffer *document)
{
    char path[PATH_MAX] = "report.html";
    tw_error error;
    int used = 0;
    if (set->output)
        used = snprintf(path, sizeof path, "%s", set->output);
    else if (set->input.count == 1)
        used = snprintf(path, sizeof path, "%s/report.html", set->input.of[0]);
    if (used < 0 || (size_t)used >= sizeof path)
        return tw_output_fail(command, TW_EXIT_USAGE, "--out: the path is too long");
    if (write_page(set, runs, document, path, &error) != TW_STATUS_OK)
        return tw_output_fail(command, TW_EXIT_ENVIRONMENT, "%s", error.text);
    return tw_output_finish(command, TW_EXIT_OK);
}

static int report(const char *command, const report_options *set, const tw_report_run *runs)
{
    tw_error error;
    tw_text_buffer text = {0};
    int status;
    if (tw_report_document_add(&text, runs, set->input.count, &set->snapshots, &error) !=
        TW_STATUS_OK)
        status = tw_output_fail(command, TW_EXIT_ENVIRONMENT, "%s", error.text);
    else if (set->json)
        status = write_json(command, set, &text);
    else
        status = write_html(command, set, runs, &text);
    tw_text_buffer_free(&text);
    return status;
}

int tw_report_command(int argc, char **argv)
{
    report_options set = {.snapshots = {.most = SIZE_MAX, .bytes = ROOM, .grains = GRAINS}};
    tw_error error;
    tw_args_parse(&command_line, argc, argv, &set);
    if (!set.json && tw_report_page_check(&error) != TW_STATUS_OK) {
        free(set.input.of);
        return tw_output_fail(argv[0], TW_EXIT_ENVIRONMENT, "%s", error.text);
    }
    tw_report_run *runs = tw_exit_unless(calloc(set.input.count, sizeof *runs));
    tw_status good = TW_STATUS_OK;
    for (size_t k = 0; good == TW_STATUS_OK && k < set.input.count; k++) {
        good = tw_report_run_open(&runs[k], set.input.of[k], &error);
        if (good == TW_STATUS_OK && set.labels.count > 0)
            snprintf(runs[k].name, sizeof runs[k].name, "%s", set.labels.of[k]);
    }
    const int status = good == TW_STATUS_OK ? report(argv[0], &set, runs)
                                            : tw_output_fail(argv[0], tw_exit_status_reading(good),
                                                             "%s", error.text);
    for (size_t k = 0; k < set.input.count; k++)
        tw_report_run_free(&runs[k]);
    free(runs);
    free(set.input.of);
    free(set.labels.of);
    return status;
}
