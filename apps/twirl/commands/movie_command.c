/* SPDX-License-Identifier: BSD-3-Clause */
/* twirl movie: a film of a run, encoded by ffmpeg. */
#include "commands/commands.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <twirl/math.h>

#include "base/environment.h"
#include "base/error.h"
#include "base/file.h"
#include "base/text.h"
#include "common/args.h"
#include "common/output.h"
#include "render/render_curve.h"
#include "render/render_film.h"
#include "render/render_options.h"
#include "render/render_page.h"
#include "render/render_state.h"

/* ---- The command line ---- */

typedef struct movie_options {
    tw_render_drawing drawing; /* set.input: the folder of the run */
    tw_args_list stages;
    const char *figure, *pictures;
    double fps;
    bool quiet;
} movie_options;

static const char *const endings[] = {".webm", ".gif"};

static bool is_gif(const char *path)
{
    return strcmp(strrchr(path, '.'), endings[1]) == 0;
}

static void read_out(const struct argp_state *state, const char *option, char *text, void *member)
{
    const char *mark = strrchr(text, '.');
    if (!mark || mark == text || (strcmp(mark, endings[0]) != 0 && strcmp(mark, endings[1]) != 0))
        argp_error(state, "--%s: %s is not FILE.webm or FILE.gif", option,
                   tw_text_quote(text, strlen(text)).text);
    tw_args_text(state, option, text, member);
}

#define SET(member) offsetof(movie_options, member)

static const tw_args_option options[] = {
    {NULL, "RUN", "the folder of the run", tw_args_once, SET(drawing.set.input)},
    {"out", "FILE", "FILE.webm or FILE.gif; default: RUN/movie.webm", read_out,
     SET(drawing.set.output)},
    {"pictures", "DIR", "the pictures as DIR/0001.png ... and no film, without ffmpeg",
     tw_args_folder, SET(pictures)},
    {"fps", "N", "pictures per second; default: 15", tw_args_positive, SET(fps)},
    {"stage", "NAME,...", "stages to show; default: those that load the specimen", tw_args_words,
     SET(stages)},
    {"figure", "NAME",
     "the curve beside the grains, as 'twirl plot' names it, such as stress_path; none: without; "
     "default: the first of the path, such as stress_ratio",
     tw_args_text, SET(figure)},
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
    "\vPictures are states and LAMMPS frames of the stages shown; --color mobilisation needs "
    "states. A run keeps them if its scenario says so:\n\n"
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
    tw_scene since;        /* sim NULL: none */
    tw_render_frame frame; /* of all pictures */
    tw_render_range range;
    double pixel;
    tw_progress progress;
} movie;

static bool is_quantity(const tw_render_options *set)
{
    const tw_render_scale scale = set->choice.quantity->scale;
    return scale != TW_RENDER_SCALE_CLASSES && scale != TW_RENDER_SCALE_NONE;
}

/* Whether frames do not have what is drawn: they do not know the friction. */
static bool needs_states(const tw_render_choice *choice)
{
    return choice->quantity->what == TW_RENDER_MOBILISATION;
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
    if (m->since.sim && tw_sim_bodies(m->since.sim) != tw_sim_bodies(file.state.sim)) {
        status = tw_output_fail(m->command, TW_EXIT_USAGE,
                                "--since: %s has %zu bodies, the state to compare it with %zu",
                                path, tw_sim_bodies(file.state.sim), tw_sim_bodies(m->since.sim));
    } else {
        if (tw_render_content(&file.state, choice, parts, legend, &error) != TW_STATUS_OK)
            status = tw_output_fail(m->command, tw_exit_status_reading(error.status), "%s: %s",
                                    path, error.text);
        *threads = tw_sim_threads(file.state.sim);
    }
    if (status == TW_EXIT_OK && parts->cut &&
        tw_vec3_dot(parts->plane.normal, choice->towards) < 0.05)
        status = tw_output_fail(m->command, TW_EXIT_USAGE,
                                "--cut: the section is seen edge-on from this --view");
    tw_render_file_close(&file);
    return status;
}

/* What camera, colours and rods have to cover: all pictures. */
static int survey(movie *m)
{
    const tw_render_view view = tw_render_view_from(m->page.azimuth, m->page.elevation);
    double strong = 0.0;
    bool any = false;
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
    if (is_quantity(&m->page))
        m->page.choice.range =
            (tw_render_range_choice){TW_RENDER_RANGE_VALUES, m->range.low, m->range.high};
    return status;
}

/* The figure beside a picture; NULL: none. */
static const tw_figure *figure_of(const movie *m, const tw_render_picture *picture)
{
    const char *name = m->set->figure;
    for (size_t k = 0; k < m->figures->figure_count; k++) {
        const tw_figure *f = &m->figures->figures[k];
        if ((!name || strcmp(name, f->name) == 0 || strcmp(name, f->kind) == 0) && !f->bare &&
            tw_render_curve_shows(f, picture->series))
            return f;
    }
    return NULL;
}

/* The right part of the picture: what the abscissa of the path is, and the curve. */
static void draw_panel(const movie *m, cairo_surface_t *bitmap, const tw_render_picture *picture)
{
    const tw_render_options *set = &m->set->drawing.set;
    const tw_figure *figure = figure_of(m, picture);
    const double point = set->size.dpi / 72.0, left = (double)m->page.width;
    const double ink = tw_colour_lightness(set->background) > 0.5 ? 0.0 : 1.0;
    const tw_render_ink to = {.cairo = cairo_create(bitmap),
                              .font = set->font,
                              .em = set->font_size * point,
                              .line = 0.6 * point,
                              .colour = {ink, ink, ink}};
    const double em = to.em, width = (double)set->width - left, height = (double)set->height;
    const double plot = tw_math_min(0.85 * width + 5.0 * em, height - 5.0 * em);
    const double top = 0.5 * (height - plot), middle = left + 0.55 * width;
    tw_render_ink_begin(&to);
    if (figure) {
        const tw_figure_line *line = figure->lines;
        while (line->series != picture->series)
            line++;
        const double x =
            tw_render_curve_value(&m->figures->series[line->series], line->x, picture->row);
        char text[TW_FIGURE_NAME_MAX + 80];
        snprintf(text, sizeof text, "%s = %.*f%s%s", figure->x.label, figure->x.decimals + 1,
                 x * figure->x.factor, *figure->x.unit ? " " : "", figure->x.unit);
        tw_render_ink_label(&to, middle, top - 0.2 * em, TW_RENDER_MIDDLE, text);
        const tw_render_box box = {left, top + 0.6 * em, width, plot};
        tw_render_curve_draw(&to, box, m->figures, figure, picture->series, picture->row);
    }
    tw_render_ink_text(&to, middle, top - 1.9 * em, TW_RENDER_MIDDLE, picture->stage);
    cairo_destroy(to.cairo);
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
    cairo_destroy(cairo);
    cairo_surface_destroy(tw_exit_unless(grains));
    if (m->page.width < set->width) draw_panel(m, all, &m->film.of[k]);
    cairo_surface_flush(all);
    return all;
}

/* ---- ffmpeg ---- */

/* Without a shell. Returns an errno. */
static int spawn_ffmpeg(const movie *m, const char *path, pid_t *child, int *pipe_end)
{
    extern char **environ;
    const tw_render_options *set = &m->set->drawing.set;
    char size[32], rate[32];
    snprintf(size, sizeof size, "%zux%zu", set->width, set->height);
    snprintf(rate, sizeof rate, "%.6g", m->set->fps);
    const char *const common[] = {
        "ffmpeg", "-y",          "-loglevel", "error",      "-f", "rawvideo", "-pixel_format",
        "bgr0",   "-video_size", size,        "-framerate", rate, "-i",       "-",
        "-an"};
    /* The colours of a GIF are chosen for the whole film; its end stays for a while. */
    const char *const gif[] = {"-filter_complex",
                               "split[a][b];[a]palettegen=stats_mode=diff[p];[b][p]paletteuse="
                               "dither=none:diff_mode=rectangle",
                               "-final_delay",
                               "150",
                               "-f",
                               "gif",
                               path,
                               NULL};
    const char *const webm[] = {"-c:v",    "libvpx-vp9", "-pix_fmt",  "yuv420p", "-crf",      "24",
                                "-b:v",    "0",          "-deadline", "good",    "-cpu-used", "5",
                                "-row-mt", "1",          "-f",        "webm",    path,        NULL};
    enum { COMMON = sizeof common / sizeof *common, MORE = 24 };
    char *argv[COMMON + MORE];
    const char *const *more = is_gif(set->output) ? gif : webm;
    for (size_t k = 0; k < COMMON; k++)
        argv[k] = (char *)(uintptr_t)common[k];
    for (size_t k = 0; k == 0 || more[k - 1]; k++)
        argv[COMMON + k] = (char *)(uintptr_t)more[k];

    int ends[2];
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    sigset_t signals;
    if (pipe2(ends, O_CLOEXEC) != 0) return errno;
    int number = posix_spawn_file_actions_init(&actions);
    if (number == 0) number = posix_spawnattr_init(&attributes);
    if (number == 0) {
        sigemptyset(&signals);
        sigaddset(&signals, SIGPIPE); /* ignored here, which a child would inherit */
        posix_spawnattr_setsigdefault(&attributes, &signals);
        posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
        number = posix_spawn_file_actions_adddup2(&actions, ends[0], STDIN_FILENO);
        if (number == 0)
            number = posix_spawnp(child, "ffmpeg", &actions, &attributes, argv, environ);
        posix_spawnattr_destroy(&attributes);
        posix_spawn_file_actions_destroy(&actions);
    }
    close(ends[0]);
    if (number) close(ends[1]);
    *pipe_end = ends[1];
    return number;
}

/* Waits for ffmpeg; false: it failed, and has said why. */
static bool end_ffmpeg(pid_t child)
{
    int ended = 0;
    while (waitpid(child, &ended, 0) < 0)
        if (errno != EINTR) return false;
    return WIFEXITED(ended) && WEXITSTATUS(ended) == 0;
}

static void show(movie *m, size_t k)
{
    char line[80];
    if (!tw_progress_due(&m->progress, tw_clock())) return;
    snprintf(line, sizeof line, "picture %zu of %zu", k + 1, m->film.count);
    tw_progress_show(&m->progress, line);
}

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
            status = TW_EXIT_ENVIRONMENT; /* ffmpeg has ended, and says why */
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
    if (tw_replace_file_begin(&file, path, TW_REPLACE_FILE_REGULAR, &error) != TW_STATUS_OK)
        return tw_output_fail(m->command, TW_EXIT_ENVIRONMENT, "%s", error.text);
    const int number = spawn_ffmpeg(m, file.temporary, &child, &pipe_end);
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
    if (!end_ffmpeg(child) && status <= TW_EXIT_ENVIRONMENT)
        status = tw_output_fail(m->command, TW_EXIT_ENVIRONMENT, "ffmpeg failed on %s", path);
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
    const bool states = needs_states(&m->page.choice);
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
    char *log = tw_read_file_all(tw_folder_path_join(input, "run.log").text, NULL, NULL);
    const char *reason = tw_run_status_failure(log);
    fprintf(stderr, "%s: %s failed%s%.*s: the film shows what there is\n", m->command, input,
            reason ? ": " : "", (int)strcspn(reason ? reason : "", "\n"), reason ? reason : "");
    free(log);
}

/* A name that no figure has. */
static int refuse_figure(const movie *m)
{
    tw_text_buffer names = {0};
    for (size_t k = 0; k < m->figures->figure_count; k++) {
        const tw_figure *f = &m->figures->figures[k];
        if (f->line_count > 0 && !f->bare) tw_text_buffer_add(&names, "%s, ", f->name);
    }
    const int status = tw_output_fail(
        m->command, TW_EXIT_USAGE,
        "--figure: the run has no curve %s; right would be one of %sor none",
        tw_text_quote(m->set->figure, strlen(m->set->figure)).text, names.text ? names.text : "");
    tw_text_buffer_free(&names);
    return status;
}

static bool has_figure(const movie *m)
{
    for (size_t k = 0; k < m->film.count; k++)
        if (figure_of(m, &m->film.of[k])) return true;
    return false;
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
    const char *figure = m->set->figure, *pictures = m->set->pictures;
    tw_error error;
    if (m->film.count < 2) return refuse_few(m, status);
    const bool panel = has_figure(m);
    if (figure && strcmp(figure, "none") != 0 && !panel) return refuse_figure(m);
    if (panel) m->page.width = (size_t)(0.6 * (double)m->page.width);
    if (tw_render_quantity_needs_since(m->page.choice.quantity)) {
        const char *since = m->page.since ? m->page.since : m->film.of[0].file.text;
        if (!tw_scene_open(&m->since, since, &error))
            return tw_output_fail(m->command, tw_exit_status_reading(error.status), "%s",
                                  error.text);
    }
    tell_status(m, status);
    int done = survey(m);
    if (done == TW_EXIT_OK)
        done = pictures ? save(m, pictures) : encode(m, m->set->drawing.set.output);
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
        tw_render_film_find(&m.film, &figures, needs_states(&m.page.choice), now);
        status = make(&m, now);
        tw_render_film_free(&m.film);
    }
    tw_figure_set_free(&figures);
    cairo_debug_reset_static_data(); /* frees the fonts, which cairo would keep */
    free(set.stages.of);
    return tw_output_finish(argv[0], status);
}
