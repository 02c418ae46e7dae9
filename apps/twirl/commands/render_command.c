/* SPDX-License-Identifier: BSD-3-Clause */
/* twirl render: draws the grains or the force chains of a state as a PNG. */
#include "commands/render_command.h"

#include "common/args.h"
#include "common/exit_status.h"
#include "common/scene.h"
#include "render/render_bar.h"
#include "render/render_content.h"
#include "render/render_options.h"
#include "render/render_png.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
    const int used = set->output ? snprintf(path, size, "%s", set->output)
                                 : snprintf(path, size, "%.*s_%s.png", (int)stem, set->input,
                                            set->choice.chains ? "chains" : "grains");
    return used >= 0 && (size_t)used < size;
}

static const char *noun(bool chains, size_t count)
{
    if (chains) return count == 1 ? "contact" : "contacts";
    return count == 1 ? "body" : "bodies";
}

static void print_legend(const tw_render_options *set, const tw_render_view *view,
                         const tw_render_legend *legend, const char *path)
{
    static const char *const unit[] = {" m", " contacts", " m/s", ""};
    const tw_render_choice *choice = &set->choice;
    printf("%s: %zux%zu pixels of %.6g m, %zu %s", path, set->width, set->height, view->pixel,
           legend->shown, noun(choice->chains, legend->shown));
    if (choice->chains) {
        printf(", normal force up to %.6g N", legend->high);
    } else if (choice->by != TW_RENDER_BY_ID) {
        printf(", %s %.6g to %.6g%s", tw_render_colours[choice->by], legend->low, legend->high,
               unit[choice->by]);
    }
    putchar('\n');
}

static int refuse(const char *command, const char *text, int status)
{
    fprintf(stderr, "%s: %s\n", command, text);
    return status;
}

static int paint(const char *command, const tw_render_options *set, const tw_render_parts *parts,
                 const tw_render_legend *legend, int threads)
{
    char path[PATH_MAX];
    tw_error error;
    if (!choose_output(set, path, sizeof path))
        return refuse(command, "--out: the path is too long", TW_EXIT_USAGE);
    tw_render_view view = tw_render_view_from(set->azimuth, set->elevation);
    tw_render_view_fit(&view, parts, set->width, set->height);
    tw_render_picture picture = {set->width, set->height, NULL, set->bare};
    picture.rgb = malloc(3 * set->width * set->height);
    const bool painted = picture.rgb && tw_render_paint(&picture, &view, parts, threads);
    if (painted && !set->bare) tw_render_bar(&picture, &set->choice, legend);
    int status = TW_EXIT_OK;
    if (!painted) {
        status = refuse(command, "out of memory", TW_EXIT_ENVIRONMENT);
    } else if (tw_render_png_write(&picture, path, &error) != TW_STATUS_OK) {
        status = refuse(command, error.text, TW_EXIT_ENVIRONMENT);
    } else {
        print_legend(set, &view, legend, path);
    }
    free(picture.rgb);
    return status;
}

static int render(const char *command, const tw_render_options *set, const tw_sim *sim)
{
    char error[PATH_MAX + 256];
    tw_render_parts parts = {0};
    tw_render_legend legend;
    size_t contacts = 0;
    int status;
    tw_sim_contacts(sim, &contacts, NULL);
    if (!tw_render_content(sim, &set->choice, &parts, &legend)) {
        status = refuse(command, "out of memory", TW_EXIT_ENVIRONMENT);
    } else if (legend.shown == 0) {
        snprintf(error, sizeof error, "%s: no %s to draw%s%s%s", set->input,
                 set->choice.chains ? "contact" : "body",
                 set->choice.sliced ? " in this --slice" : "",
                 set->choice.above > 0.0 ? " with this --above" : "",
                 set->choice.chains && contacts == 0 ? ": the file has no contacts" : "");
        status = refuse(command, error, TW_EXIT_USAGE);
    } else {
        status = paint(command, set, &parts, &legend, tw_sim_threads(sim));
    }
    tw_render_parts_free(&parts);
    return status;
}

int tw_render_command(int argc, char **argv)
{
    tw_render_options set;
    tw_error error;
    tw_scene scene;
    tw_render_options_parse(&set, argc, argv);
    if (!tw_scene_open(&scene, set.input, &error))
        return refuse(argv[0], error.text, tw_exit_status_reading(error.status));
    const int status = render(argv[0], &set, scene.sim);
    tw_scene_free(&scene);
    return status;
}
