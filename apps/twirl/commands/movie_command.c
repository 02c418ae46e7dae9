/* SPDX-License-Identifier: BSD-3-Clause */
/* twirl movie: a film of a run, encoded by ffmpeg. */
#include "commands/commands.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <twirl/math.h>

#include "base/environment.h"
#include "base/error.h"
#include "base/file.h"
#include "base/text.h"
#include "common/args.h"
#include "common/output.h"
#include "common/process.h"
#include "plot/plot_paint.h"
#include "render/render_film.h"
#include "render/render_options.h"
#include "render/render_page.h"
#include "render/render_state.h"

/* ---- The command line ---- */

enum { FIGURES_MAX = 4 }; /* above each other */

typedef struct movie_options {
    tw_render_drawing drawing; /* set.input: the folder of the run */
    tw_args_list stages, figures;
    const char *pictures;
    double fps;
    bool quiet;
} movie_options;

enum { ENDINGS = 3 };
static const char *const endings[ENDINGS] = {".webm", ".mp4", ".gif"};

/* The number of the ending; ENDINGS: it is none of them. */
static size_t ending_of(const char *path)
{
    const char *mark = strrchr(path, '.');
    size_t k = 0;
    while (k < ENDINGS && (!mark || mark == path || strcmp(mark, endings[k]) != 0))
        k++;
    return k;
}

static void read_out(const struct argp_state *state, const char *option, char *text, void *member)
{
    if (ending_of(text) == ENDINGS)
        argp_error(state, "--%s: %s is not FILE.webm, FILE.mp4 or FILE.gif", option,
                   tw_text_quote(text, strlen(text)).text);
    tw_args_text(state, option, text, member);
}

#define SET(member) offsetof(movie_options, member)

static const tw_args_option options[] = {
    {NULL, "RUN", "the folder of the run", tw_args_once, SET(drawing.set.input)},
    {"out", "FILE", "FILE.webm, FILE.mp4 or FILE.gif; default: RUN/movie.webm", read_out,
     SET(drawing.set.output)},
    {"pictures", "DIR", "the pictures as DIR/0001.png ... and no film, without ffmpeg",
     tw_args_folder, SET(pictures)},
    {"fps", "N", "pictures per second; default: 15", tw_args_positive, SET(fps)},
    {"stage", "NAME,...", "stages to show; default: those that load the specimen", tw_args_words,
     SET(stages)},
    {"figure", "NAME,...",
     "the curves beside the grains, as 'twirl plot' names them, such as stress_path; none: "
     "without; "
     "default: the first of the path, such as stress_ratio",
     tw_args_words, SET(figures)},
    {"quiet", NULL, "no progress", tw_args_flag, SET(quiet)},
    {.name = "q"},
    {0}};

static void finish(const struct argp_state *state, void *settings)
{
    movie_options *set = settings;
    tw_render_options *drawing = &set->drawing.set;
    if (tw_render_quantity_is_certificate(drawing->choice.quantity))
        argp_error(state, "--color certificate is that of one state; twirl render draws it");
    if (drawing->transparent) argp_error(state, "--background: a film cannot be transparent");
    if (set->figures.count > FIGURES_MAX)
        argp_error(state, "--figure: %zu curves are more than %d", set->figures.count,
                   (int)FIGURES_MAX);
    if (set->pictures && drawing->output)
        argp_error(state, "--pictures and --out exclude each other");
    if (!(set->fps <= 100.0)) argp_error(state, "--fps: '%g' is above 100", set->fps);
    /* Colours of a film are stored for two by two pixels. */
    drawing->width -= drawing->width % 2;
    drawing->height -= drawing->height % 2;
    if (drawing->width < 64 || drawing->height < 64)
        argp_error(state, "a film of %zux%zu pixels is too small: 64x64 at least", drawing->width,
                   drawing->height);
}

static const char description[] =
    "Makes a film of a run from the states and frames in its folder: grains, force chains or a "
    "local field as "
    "'twirl render' draws them, with the same camera, scale and colours in all pictures, the "
    "strain, "
    "and the curve of the test with a mark. ffmpeg encodes it. The run may be in progress: the "
    "film "
    "shows what there is."
    "\vPictures are states and LAMMPS frames of the stages shown; walls and --color mobilisation "
    "need states. A run keeps them if its scenario says so:\n\n"
    "  twirl run sand.yaml --set 'output.states.strain=0.25 %'\n\n"
    "Exit status: 0 success, 1 ffmpeg is not installed or failed, or output not written, 2 bad "
    "options, or fewer than two pictures.";

static const tw_args_command command_line = {.own = {options, finish},
                                             .shared = &tw_render_options_shared,
                                             .shared_offset = SET(drawing),
                                             .arguments = "RUN",
                                             .description = description};

/* ---- The film ---- */

typedef struct movie {
    const char *command;
    const movie_options *set;
    tw_render_options page; /* of the grains: without the panel */
    const tw_figure_set *figures;
    tw_render_film film;
    bool states_only;
    tw_scene since;        /* sim NULL: none */
    tw_render_frame frame; /* of all pictures */
    tw_render_range range;
    double pixel;
    size_t panels; /* curves beside the grains; 0: there are none, or there is no room */
    tw_plot_style style;
    tw_plot_film curves;
    tw_progress progress;
} movie;

static bool is_quantity(const tw_render_options *set)
{
    const tw_render_scale scale = set->choice.quantity->scale;
    return scale != TW_RENDER_SCALE_CLASSES && scale != TW_RENDER_SCALE_NONE;
}

/* Whether frames do not have what is drawn: they do not know friction and walls. */
static bool needs_states(const tw_render_choice *choice, const tw_render_film *film)
{
    bool walls = false;
    for (size_t k = choice->walls ? film->count : 0; k-- > 0;) {
        tw_scene scene;
        if (!film->of[k].state || !tw_scene_open(&scene, film->of[k].file.text, NULL)) continue;
        walls = tw_sim_wall_count(scene.sim) > 0;
        tw_scene_free(&scene);
        break;
    }
    return walls || choice->quantity->what == TW_RENDER_MOBILISATION;
}

/* The parts of picture `k`. */
static int load(const movie *m, size_t k, tw_render_parts *parts, tw_render_legend *legend,
                int *threads)
{
    tw_render_file file;
    tw_error error;
    const char *path = m->film.of[k].file.text;
    const tw_render_choice *choice = &m->page.choice;
    if (!tw_render_file_open(&file, path, choice->quantity, &error))
        return tw_output_fail(m->command, tw_exit_status_reading(error.status), "%s", error.text);
    int status = TW_EXIT_OK;
    file.state.since = m->since.sim;
    if (tw_render_content(&file.state, choice, parts, legend, &error) != TW_STATUS_OK)
        status = tw_output_fail(m->command, tw_exit_status_reading(error.status), "%s: %s", path,
                                error.text);
    *threads = tw_sim_threads(file.state.sim);
    if (status == TW_EXIT_OK && parts->cut &&
        tw_vec3_dot(parts->plane.normal, choice->towards) < 0.05)
        status = tw_output_fail(m->command, TW_EXIT_USAGE,
                                "--cut: the section is seen edge-on from this --view");
    tw_render_file_close(&file);
    return status;
}

static void join_boxes(tw_vec3 *box, const tw_vec3 *more)
{
    box[0] = tw_vec3_make(tw_math_min(box[0].x, more[0].x), tw_math_min(box[0].y, more[0].y),
                          tw_math_min(box[0].z, more[0].z));
    box[1] = tw_vec3_make(tw_math_max(box[1].x, more[1].x), tw_math_max(box[1].y, more[1].y),
                          tw_math_max(box[1].z, more[1].z));
}

/* What camera, planes, colours and rods have to cover: all pictures. */
static int survey(movie *m)
{
    const tw_render_view view = tw_render_view_from(m->page.azimuth, m->page.elevation);
    double strong = 0.0;
    bool any = false, walls = false;
    int status = TW_EXIT_OK, threads;
    m->frame = tw_render_frame_empty();
    m->range = (tw_render_range){HUGE_VAL, -HUGE_VAL, HUGE_VAL, -HUGE_VAL};
    for (size_t k = 0; k < m->film.count && status == TW_EXIT_OK; k++) {
        tw_render_parts parts = {0};
        tw_render_legend legend = {0};
        status = load(m, k, &parts, &legend, &threads);
        tw_render_frame_add(&m->frame, &view, &parts);
        strong = tw_math_max(strong, legend.strong);
        any = any || legend.shown > 0;
        walls = walls || parts.wall_count > 0;
        if (k == 0) memcpy(m->page.choice.box, legend.box, sizeof legend.box);
        join_boxes(m->page.choice.box, legend.box);
        m->range.low = tw_math_min(m->range.low, legend.range.low);
        m->range.high = tw_math_max(m->range.high, legend.range.high);
        m->range.least = tw_math_min(m->range.least, legend.range.least);
        m->range.most = tw_math_max(m->range.most, legend.range.most);
        tw_render_parts_free(&parts);
    }
    if (status == TW_EXIT_OK && !any)
        return tw_output_fail(m->command, TW_EXIT_USAGE, "%s: nothing to draw in any picture",
                              m->set->drawing.set.input);
    m->page.choice.strong = strong;
    m->page.choice.boxed = true;
    for (int k = 0; walls && k < 8; k++) {
        const tw_vec3 *box = m->page.choice.box;
        const tw_vec3 corner = {box[k & 1].x, box[k >> 1 & 1].y, box[k >> 2].z};
        tw_render_frame_include(&m->frame, &view, corner, 0.0);
    }
    if (is_quantity(&m->page))
        m->page.choice.range =
            (tw_render_range_choice){TW_RENDER_RANGE_VALUES, m->range.low, m->range.high};
    return status;
}

/* Figure `panel` beside a picture; NULL: none. */
static const tw_figure *figure_of(const movie *m, const tw_render_picture *picture, size_t panel)
{
    const char *name = m->set->figures.count > 0 ? m->set->figures.of[panel] : NULL;
    for (size_t k = 0; k < m->figures->figure_count; k++) {
        const tw_figure *f = &m->figures->figures[k];
        if (f->bare || (name && strcmp(name, f->name) != 0 && strcmp(name, f->kind) != 0)) continue;
        for (size_t i = 0; i < f->line_count; i++)
            if (f->lines[i].series == picture->series) return f;
    }
    return NULL;
}

/* Starts gnuplot: a curve, or a few above each other, for each picture. */
static tw_status begin_panels(movie *m, tw_error *error)
{
    const tw_render_options *set = &m->set->drawing.set;
    const double px_per_cm = set->size.dpi / 2.54, em = set->font_size / 72.0 * set->size.dpi;
    const double width = (double)(set->width - m->page.width);
    const double height =
        tw_math_min((double)set->height / (double)m->panels, 0.85 * width + 8.0 * em);
    char background[8];
    if (width < 12.0 * em || height < 10.0 * em) m->panels = 0;
    if (m->panels == 0) return TW_STATUS_OK;
    m->style = (tw_plot_style){
        .width = width / px_per_cm, .height = height / px_per_cm, .font_size = set->font_size};
    snprintf(m->style.font, sizeof m->style.font, "%s", set->font);
    tw_colour_print(set->background, background);
    m->curves =
        (tw_plot_film){.style = &m->style,
                       .px_per_cm = px_per_cm,
                       .ink = tw_colour_lightness(set->background) > 0.5 ? "#000000" : "#ffffff",
                       .background = background};
    const size_t count = m->film.count * m->panels;
    tw_plot_picture *pictures = tw_exit_unless(calloc(count, sizeof *pictures));
    for (size_t k = 0; k < count; k++) {
        const tw_render_picture *picture = &m->film.of[k / m->panels];
        pictures[k] = (tw_plot_picture){figure_of(m, picture, k % m->panels), picture->series,
                                        picture->row, k % m->panels == 0 ? picture->stage : NULL};
    }
    const tw_status status = tw_plot_paint_film(m->figures, pictures, count, &m->curves, error);
    free(pictures);
    m->curves.background = NULL;
    if (status != TW_STATUS_OK) m->panels = 0;
    return status;
}

static cairo_status_t read_pipe(void *closure, unsigned char *bytes, unsigned int length)
{
    const int *pipe_end = closure;
    while (length > 0) {
        const ssize_t got = read(*pipe_end, bytes, length);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) return CAIRO_STATUS_READ_ERROR;
        bytes += got;
        length -= (unsigned int)got;
    }
    return CAIRO_STATUS_SUCCESS;
}

/* Puts the curves of the next picture to the right of the grains. */
static int draw_panels(movie *m, cairo_t *cairo)
{
    const double height = (double)m->set->drawing.set.height / (double)m->panels;
    for (size_t k = 0; k < m->panels; k++) {
        cairo_surface_t *panel =
            cairo_image_surface_create_from_png_stream(read_pipe, &m->curves.pipe_end);
        const bool good = cairo_surface_status(panel) == CAIRO_STATUS_SUCCESS;
        if (good) {
            const double room = height - (double)cairo_image_surface_get_height(panel);
            cairo_set_source_surface(cairo, panel, (double)m->page.width,
                                     floor((double)k * height + 0.5 * room));
            cairo_paint(cairo);
        }
        cairo_surface_destroy(panel);
        if (!good && tw_interrupt_signal()) return TW_EXIT_SIGNAL + tw_interrupt_signal();
        if (!good)
            return tw_output_fail(m->command, TW_EXIT_ENVIRONMENT, "gnuplot failed on the curve");
    }
    return TW_EXIT_OK;
}

/* Picture `k`, for the caller to destroy. NULL: see *status. */
static cairo_surface_t *draw(movie *m, size_t k, int *status)
{
    const tw_render_options *set = &m->set->drawing.set;
    tw_render_parts parts = {0};
    tw_render_legend legend = {0};
    int threads = 1;
    *status = load(m, k, &parts, &legend, &threads);
    legend.range = m->range;
    cairo_surface_t *grains =
        *status == TW_EXIT_OK
            ? tw_render_page_bitmap(&m->page, &m->frame, &parts, &legend, threads, &m->pixel)
            : NULL;
    tw_render_parts_free(&parts);
    if (*status != TW_EXIT_OK) return NULL;
    cairo_surface_t *all =
        cairo_image_surface_create(CAIRO_FORMAT_RGB24, (int)set->width, (int)set->height);
    cairo_t *cairo = cairo_create(all);
    cairo_set_source_rgb(cairo, set->background.r, set->background.g, set->background.b);
    cairo_paint(cairo);
    if (grains) cairo_set_source_surface(cairo, grains, 0.0, 0.0);
    cairo_paint(cairo);
    if (m->panels > 0) *status = draw_panels(m, cairo);
    cairo_destroy(cairo);
    cairo_surface_destroy(tw_exit_unless(grains));
    cairo_surface_flush(all);
    if (*status == TW_EXIT_OK) return all;
    cairo_surface_destroy(all);
    return NULL;
}

/* ---- ffmpeg ---- */

/* Returns an errno. */
static int start_ffmpeg(const movie *m, const char *path, pid_t *child, int *pipe_end)
{
    const tw_render_options *set = &m->set->drawing.set;
    char size[32], rate[32];
    snprintf(size, sizeof size, "%zux%zu", set->width, set->height);
    snprintf(rate, sizeof rate, "%.6g", m->set->fps);
    const char *const common[] = {
        "ffmpeg", "-y",          "-loglevel", "error",      "-f", "rawvideo", "-pixel_format",
        "bgr0",   "-video_size", size,        "-framerate", rate, "-i",       "-",
        "-an",    "-fflags",     "+bitexact"};
    enum { COMMON = sizeof common / sizeof *common, MORE = 24 };
    /* The colours of a GIF are chosen for the whole film; its end stays for a while. */
    static const char *const formats[ENDINGS][MORE] = {
        {"-c:v", "libvpx-vp9", "-pix_fmt", "yuv420p", "-crf", "24", "-b:v", "0", "-deadline",
         "good", "-cpu-used", "5", "-row-mt", "1", "-f", "webm"},
        {"-c:v", "libx264", "-pix_fmt", "yuv420p", "-crf", "18", "-movflags", "+faststart", "-f",
         "mp4"},
        {"-filter_complex",
         "split[a][b];[a]palettegen=stats_mode=diff[p];[b][p]paletteuse="
         "dither=none:diff_mode=rectangle",
         "-final_delay", "150", "-f", "gif"}};
    const char *const *more = formats[ending_of(set->output)];
    char *argv[COMMON + MORE + 2];
    size_t count = 0;
    for (size_t k = 0; k < COMMON; k++)
        argv[count++] = (char *)(uintptr_t)common[k];
    for (size_t k = 0; k < MORE && more[k]; k++)
        argv[count++] = (char *)(uintptr_t)more[k];
    argv[count++] = (char *)(uintptr_t)path;
    argv[count] = NULL;
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) return errno;
    const int number = tw_process_start(argv, NULL, ends[0], -1, child);
    close(ends[0]);
    if (number) close(ends[1]);
    *pipe_end = ends[1];
    return number;
}

static void show(movie *m, size_t k)
{
    char line[80];
    if (!tw_progress_due(&m->progress, tw_clock())) return;
    snprintf(line, sizeof line, "picture %zu of %zu", k + 1, m->film.count);
    tw_progress_show(&m->progress, line);
}

enum { ENDED_EARLY = -1 }; /* ffmpeg has closed its end */

/* Pictures through the pipe. */
static int feed(movie *m, int pipe_end)
{
    int status = TW_EXIT_OK;
    for (size_t k = 0; k < m->film.count && status == TW_EXIT_OK; k++) {
        cairo_surface_t *bitmap = draw(m, k, &status);
        if (!bitmap) break;
        const size_t bytes = 4 * m->set->drawing.set.width * m->set->drawing.set.height;
        if (tw_interrupt_signal())
            status = TW_EXIT_SIGNAL + tw_interrupt_signal();
        else if (tw_write_all(pipe_end, cairo_image_surface_get_data(bitmap), bytes) < bytes)
            status = tw_interrupt_signal() ? TW_EXIT_SIGNAL + tw_interrupt_signal() : ENDED_EARLY;
        cairo_surface_destroy(bitmap);
        show(m, k);
    }
    return status;
}

static int encode(movie *m, const char *path)
{
    tw_replace_file file;
    tw_error error;
    pid_t child = -1;
    int pipe_end = -1;
    tw_replace_file_clean_target(path);
    if (tw_replace_file_begin(&file, path, TW_REPLACE_FILE_REGULAR, &error) != TW_STATUS_OK)
        return tw_output_fail(m->command, TW_EXIT_ENVIRONMENT, "%s", error.text);
    const int number = start_ffmpeg(m, file.temporary, &child, &pipe_end);
    if (number) {
        tw_replace_file_abort(&file);
        if (number == ENOENT)
            return tw_output_fail(m->command, TW_EXIT_ENVIRONMENT,
                                  "ffmpeg not found: install it (Debian: ffmpeg), or add "
                                  "--pictures DIR to get the pictures alone");
        return tw_output_fail(m->command, TW_EXIT_ENVIRONMENT, "ffmpeg cannot be started: %s",
                              strerror(number));
    }
    int status = feed(m, pipe_end);
    close(pipe_end);
    tw_progress_clear(&m->progress);
    struct stat about;
    const bool good = tw_process_end(child) && status != ENDED_EARLY &&
                      stat(file.temporary, &about) == 0 && about.st_size > 0;
    if (!good && (status == TW_EXIT_OK || status == ENDED_EARLY))
        status = tw_output_fail(m->command, TW_EXIT_ENVIRONMENT, "ffmpeg failed on %s%s", path,
                                status == ENDED_EARLY ? ": it ended before the last picture" : "");
    if (status != TW_EXIT_OK) {
        tw_replace_file_abort(&file);
        return status;
    }
    if (tw_replace_file_commit(&file, &error) != TW_STATUS_OK)
        return tw_output_fail(m->command, TW_EXIT_ENVIRONMENT, "%s", error.text);
    return TW_EXIT_OK;
}

/* Without a film. */
static int save(movie *m, const char *folder)
{
    tw_error error;
    int status = TW_EXIT_OK;
    if (tw_folder_make(folder, &error) != TW_STATUS_OK)
        return tw_output_fail(m->command, TW_EXIT_ENVIRONMENT, "%s", error.text);
    for (size_t k = 0; k < m->film.count && status == TW_EXIT_OK; k++) {
        char name[32];
        cairo_surface_t *bitmap = draw(m, k, &status);
        if (!bitmap) break;
        snprintf(name, sizeof name, "%04zu.png", k + 1);
        const tw_folder_path path = tw_folder_path_join(folder, name);
        const cairo_status_t written = cairo_surface_write_to_png(bitmap, path.text);
        cairo_surface_destroy(bitmap);
        if (written != CAIRO_STATUS_SUCCESS)
            status = tw_output_fail(m->command, TW_EXIT_ENVIRONMENT, "cannot write %s: %s",
                                    path.text, cairo_status_to_string(written));
        show(m, k);
    }
    tw_progress_clear(&m->progress);
    return status;
}

/* ---- What there is to show ---- */

static int refuse_few(const movie *m, tw_run_status status)
{
    const bool states = m->states_only;
    const size_t count = m->film.count;
    const char *input = m->set->drawing.set.input;
    return tw_output_fail(
        m->command, TW_EXIT_USAGE,
        "%s: %s%s of the stages shown: a film needs two at least.%s The run keeps more if its "
        "scenario says so: twirl run SCENARIO.yaml --set '%s'",
        input, count == 0 ? "no " : "one ", states ? "state" : "state or frame",
        status == TW_RUN_STATUS_RUNNING  ? " It is in progress: try again later."
        : status == TW_RUN_STATUS_FAILED ? " It has failed."
                                         : "",
        "output.states.strain=0.25 %");
}

/* What the viewer should know. */
static void tell_status(const movie *m, tw_run_status status)
{
    const char *input = m->set->drawing.set.input;
    if (status == TW_RUN_STATUS_RUNNING || status == TW_RUN_STATUS_INTERRUPTED)
        fprintf(stderr, "%s: %s %s: the film shows what there is\n", m->command, input,
                status == TW_RUN_STATUS_RUNNING ? "is in progress" : "was interrupted");
    if (status != TW_RUN_STATUS_FAILED) return;
    char *reason = tw_run_status_failure(input);
    fprintf(stderr, "%s: %s failed%s%s: the film shows what there is\n", m->command, input,
            reason ? ": " : "", reason ? reason : "");
    free(reason);
}

/* A name that no figure has. */
static int refuse_figure(const movie *m, const char *name)
{
    tw_text_buffer names = {0};
    for (size_t k = 0; k < m->figures->figure_count; k++) {
        const tw_figure *f = &m->figures->figures[k];
        if (f->line_count > 0 && !f->bare) tw_text_buffer_add(&names, "%s, ", f->name);
    }
    const int status =
        tw_output_fail(m->command, TW_EXIT_USAGE,
                       "--figure: the run has no curve %s; right would be one of %sor none",
                       tw_text_quote(name, strlen(name)).text, names.text ? names.text : "");
    tw_text_buffer_free(&names);
    return status;
}

static bool has_figure(const movie *m, size_t panel)
{
    for (size_t k = 0; k < m->film.count; k++)
        if (figure_of(m, &m->film.of[k], panel)) return true;
    return false;
}

/* How many curves there are beside the grains. */
static int choose_panels(movie *m)
{
    const tw_args_list *names = &m->set->figures;
    if (names->count == 1 && strcmp(names->of[0], "none") == 0) return TW_EXIT_OK;
    m->panels = names->count > 0 ? names->count : has_figure(m, 0);
    for (size_t k = 0; k < names->count; k++)
        if (!has_figure(m, k)) return refuse_figure(m, names->of[k]);
    if (m->panels > 0) m->page.width = (size_t)(0.6 * (double)m->page.width);
    return TW_EXIT_OK;
}

static void print_result(const movie *m, const char *path)
{
    const tw_render_options *set = &m->page;
    const tw_render_quantity *quantity = set->choice.quantity;
    printf("%s: %zu pictures of %zux%zu", path, m->film.count, m->set->drawing.set.width,
           m->set->drawing.set.height);
    if (!m->set->pictures) printf(", %.3g s", (double)m->film.count / m->set->fps);
    printf(", pixels of %.6g m", m->pixel);
    if (is_quantity(set))
        printf(", %s %.6g to %.6g%s%s", quantity->name, m->range.low, m->range.high,
               *quantity->unit ? " " : "", quantity->unit);
    putchar('\n');
}

static int make(movie *m, tw_run_status status)
{
    const char *pictures = m->set->pictures;
    tw_error error;
    if (m->film.count < 2) return refuse_few(m, status);
    int done = choose_panels(m);
    if (done != TW_EXIT_OK) return done;
    if (tw_render_quantity_needs_since(m->page.choice.quantity)) {
        const char *since = m->page.since ? m->page.since : m->film.of[0].file.text;
        if (!tw_scene_open(&m->since, since, &error))
            return tw_output_fail(m->command, tw_exit_status_reading(error.status), "%s",
                                  error.text);
    }
    tell_status(m, status);
    if (m->panels > 0 && begin_panels(m, &error) != TW_STATUS_OK)
        done =
            tw_output_fail(m->command, TW_EXIT_ENVIRONMENT, "%s, or add --figure none", error.text);
    if (done == TW_EXIT_OK) done = survey(m);
    if (done == TW_EXIT_OK)
        done = pictures ? save(m, pictures) : encode(m, m->set->drawing.set.output);
    if (m->panels > 0) {
        close(m->curves.pipe_end);
        (void)tw_process_end(m->curves.child); /* what it has drawn is there */
    }
    if (done == TW_EXIT_OK) print_result(m, pictures ? pictures : m->set->drawing.set.output);
    tw_scene_free(&m->since);
    return done;
}

static int open_run(const char *command, const movie_options *set, tw_figure_set *figures)
{
    const char *input = set->drawing.set.input;
    tw_error error;
    tw_figure_request request = tw_figure_request_default();
    request.inputs = &input;
    request.input_count = 1;
    request.stages = set->stages.of;
    request.stage_count = set->stages.count;
    request.percent = 1;
    *figures = (tw_figure_set){.run_count = 0};
    if (access(tw_folder_path_join(input, "scenario.yaml").text, F_OK) != 0 ||
        access(tw_folder_path_join(input, "history.csv").text, F_OK) != 0)
        return tw_output_fail(
            command, TW_EXIT_USAGE,
            "%s: not the folder of a run: it has no scenario.yaml with history.csv", input);
    if (tw_figure_set_make(figures, &request, &error) != TW_STATUS_OK)
        return tw_output_fail(command, tw_exit_status_running(error.status), "%s%s",
                              strncmp(error.text, "stage: ", 7) == 0 ? "--" : "", error.text);
    if (figures->runs[0].scenario) return TW_EXIT_OK;
    return tw_output_fail(command, TW_EXIT_USAGE, "%s", figures->runs[0].warning);
}

int tw_movie_command(int argc, char **argv)
{
    movie_options set = {.drawing = tw_render_options_default(), .fps = 15.0};
    tw_figure_set figures;
    char path[PATH_MAX];
    tw_render_options *drawing = &set.drawing.set;
    drawing->size = (tw_render_size){.dpi = 96.0, .usual = 25.4, .aspect = 9.0 / 16.0};
    drawing->fine = 2; /* enough for what moves */
    drawing->font_size = 10.0;
    tw_args_parse(&command_line, argc, argv, &set);
    snprintf(path, sizeof path, "%s/movie.webm", drawing->input);
    if (!drawing->output) drawing->output = path;
    int status = open_run(argv[0], &set, &figures);
    if (status == TW_EXIT_OK) {
        const tw_run_status now = tw_run_status_of(drawing->input);
        movie m = {.command = argv[0],
                   .set = &set,
                   .page = *drawing,
                   .figures = &figures,
                   .progress = tw_progress_start(argv[0], set.quiet)};
        tw_interrupt_watch();
        tw_render_film_find(&m.film, &figures, false, now);
        m.states_only = needs_states(&m.page.choice, &m.film);
        if (m.states_only) {
            tw_render_film_free(&m.film);
            tw_render_film_find(&m.film, &figures, true, now);
        }
        status = make(&m, now);
        tw_render_film_free(&m.film);
    }
    tw_figure_set_free(&figures);
    cairo_debug_reset_static_data(); /* frees the fonts, which cairo would keep */
    free(set.stages.of);
    free(set.figures.of);
    return tw_output_finish(argv[0], status);
}
