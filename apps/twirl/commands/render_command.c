/* SPDX-License-Identifier: BSD-3-Clause */
/* twirl render: draws the grains, the force chains or a local field of a state as PNG, PDF or SVG.
 */
#include "commands/commands.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/args.h"
#include "common/output.h"
#include "render/render_options.h"
#include "render/render_page.h"
#include "render/render_state.h"

static bool ends_with(const char *text, size_t length, const char *ending)
{
    const size_t end = strlen(ending);
    return length > end && memcmp(text + length - end, ending, end) == 0;
}

/* sheared.h5 becomes sheared_grains.png in the same folder. False: too long. */
static bool choose_output(const tw_render_options *set, char *path, size_t size)
{
    size_t stem = strlen(set->input);
    if (ends_with(set->input, stem, ".h5")) stem -= 3;
    if (ends_with(set->input, stem, ".csv")) stem -= 4;
    const int used =
        set->output ? snprintf(path, size, "%s", set->output)
                    : snprintf(path, size, "%.*s_%s.%s", (int)stem, set->input,
                               set->choice.subject == TW_RENDER_FIELD ? set->choice.quantity->name
                               : set->choice.subject == TW_RENDER_CHAINS ? "chains"
                                                                         : "grains",
                               tw_render_format_names[set->format]);
    return used >= 0 && (size_t)used < size;
}

static const char *noun(bool chains, size_t count)
{
    if (chains) return count == 1 ? "contact" : "contacts";
    return count == 1 ? "body" : "bodies";
}

static void print_legend(const tw_render_options *set, double pixel, const tw_render_legend *legend,
                         const char *path)
{
    const tw_render_quantity *quantity = set->choice.quantity;
    const tw_render_range *range = &legend->range;
    const char *unit = quantity->unit, *space = *unit ? " " : "";
    printf("%s: %zux%zu pixels of %.6g m", path, set->width, set->height, pixel);
    if (set->choice.subject == TW_RENDER_FIELD)
        printf(", coarse graining in %.6g m", legend->window);
    else
        printf(", %zu %s", legend->shown,
               noun(set->choice.subject == TW_RENDER_CHAINS, legend->shown));
    for (size_t i = 0; i < legend->classes.count; i++)
        printf(", %s: %zu", legend->classes.of[i].name, legend->classes.of[i].shown);
    if (quantity->scale != TW_RENDER_SCALE_CLASSES && quantity->scale != TW_RENDER_SCALE_NONE) {
        printf(", %s %.6g to %.6g%s%s", quantity->name, range->low, range->high, space, unit);
        if (range->least != range->low || range->most != range->high)
            printf(" (values %.6g to %.6g%s%s)", range->least, range->most, space, unit);
    }
    putchar('\n');
}

static int draw(const char *command, const tw_render_options *set, const tw_render_parts *parts,
                const tw_render_legend *legend, int threads)
{
    char path[PATH_MAX];
    double pixel;
    tw_error error;
    if (!choose_output(set, path, sizeof path))
        return tw_output_fail(command, TW_EXIT_USAGE, "--out: the path is too long");
    if (tw_render_page(set, parts, legend, threads, path, &pixel, &error) != TW_STATUS_OK)
        return tw_output_fail(command, TW_EXIT_ENVIRONMENT, "%s", error.text);
    print_legend(set, pixel, legend, path);
    return TW_EXIT_OK;
}

static int refuse_empty(const char *command, const tw_render_options *set,
                        const tw_render_state *state)
{
    const tw_render_choice *choice = &set->choice;
    const char *none = state->results ? ": the file has no contacts, nor is there its .local file"
                                      : ": the file has no contacts";
    const bool chains = choice->subject == TW_RENDER_CHAINS;
    if (choice->subject == TW_RENDER_FIELD)
        return tw_output_fail(command, TW_EXIT_USAGE,
                              "%s: too few grains in a window of %g mean diameters", set->input,
                              choice->window);
    return tw_output_fail(command, TW_EXIT_USAGE, "%s: no %s to draw%s%s%s%s", set->input,
                          chains ? "contact" : "body", choice->sliced ? " in this --slice" : "",
                          choice->cut ? " with this --cut" : "",
                          choice->above > 0.0 ? " with this --above" : "",
                          chains && state->contact_count == 0 ? none : "");
}

/* As with --chains: what the file does not have is not drawn as 0. */
static int refuse_missing(const char *command, const tw_render_options *set)
{
    const tw_render_quantity *quantity = set->choice.quantity;
    const char *what = "contacts", *advice = ", or a dump of twirl, which says it";
    if (quantity->what == TW_RENDER_RATTLERS ||
        tw_render_quantity_subject(quantity) == TW_RENDER_FIELD)
        advice = ", or a dump of twirl with its contacts in a .local file beside it";
    if (quantity->what == TW_RENDER_VELOCITY || quantity->what == TW_RENDER_SPIN)
        what = "velocities";
    if (quantity->what == TW_RENDER_MOBILISATION) what = "friction", advice = "";
    return tw_output_fail(
        command, TW_EXIT_USAGE,
        "%s: the file has no %s, so there is nothing to colour by '%s'; draw a checkpoint%s",
        set->input, what, quantity->name, advice);
}

static int render(const char *command, const tw_render_options *set, const tw_render_state *state)
{
    tw_render_parts parts = {0};
    tw_render_legend legend;
    int status;
    if (!tw_render_values_exist(state, set->choice.quantity)) return refuse_missing(command, set);
    tw_error error;
    if (tw_render_content(state, &set->choice, &parts, &legend, &error) != TW_STATUS_OK) {
        status = tw_output_fail(command, tw_exit_status_reading(error.status), "%s: %s", set->input,
                                error.text);
    } else if (parts.cut && tw_vec3_dot(parts.plane.normal, set->choice.towards) < 0.05) {
        status = tw_output_fail(command, TW_EXIT_USAGE,
                                "--cut: the section is seen edge-on from this --view");
    } else if (legend.shown == 0) {
        status = refuse_empty(command, set, state);
    } else {
        status = draw(command, set, &parts, &legend, tw_sim_threads(state->sim));
    }
    tw_render_parts_free(&parts);
    return status;
}

/* With the earlier state, if one is needed. */
static int render_since(const char *command, const tw_render_options *set, tw_render_state *state)
{
    tw_scene since;
    tw_error error;
    if (!set->since) return render(command, set, state);
    if (!tw_scene_open(&since, set->since, &error))
        return tw_output_fail(command, tw_exit_status_reading(error.status), "%s", error.text);
    state->since = since.sim;
    const int status = render(command, set, state);
    tw_scene_free(&since);
    return status;
}

int tw_render_command(int argc, char **argv)
{
    tw_render_options set;
    tw_error error;
    tw_render_file file;
    tw_render_options_parse(&set, argc, argv);
    if (!tw_render_file_open(&file, set.input, set.choice.quantity, &error))
        return tw_output_fail(argv[0], tw_exit_status_reading(error.status), "%s", error.text);
    const int status = render_since(argv[0], &set, &file.state);
    tw_render_file_close(&file);
    return status;
}
