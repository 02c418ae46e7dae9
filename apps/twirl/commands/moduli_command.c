/* SPDX-License-Identifier: BSD-3-Clause */
/* twirl moduli: the elastic stiffness of a state by statics. */
#include "commands/commands.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <twirl/figure.h>
#include <twirl/math.h>
#include <twirl/statics.h>

#include "base/file.h"
#include "base/json.h"
#include "common/args.h"
#include "common/output.h"
#include "common/row_writer.h"
#include "common/scene.h"
#include "plot/plot_paint.h"

enum { LABEL_WIDTH = 16, SIX = TW_COMPONENTS };

#define PRINT(...) tw_output_line(stdout, LABEL_WIDTH, __VA_ARGS__)

/* ---- Directions: points of a sphere, and triangles between them ---- */

enum { RINGS = 18, AROUND = 36, POINTS = (RINGS - 1) * AROUND + 2 };

static tw_vec3 direction_of(size_t k)
{
    if (k == 0) return tw_vec3_make(0.0, 0.0, 1.0);
    if (k == POINTS - 1) return tw_vec3_make(0.0, 0.0, -1.0);
    const double down = TW_MATH_PI * (double)((k - 1) / AROUND + 1) / RINGS;
    const double round = 2.0 * TW_MATH_PI * (double)((k - 1) % AROUND) / AROUND;
    return tw_vec3_make(tw_math_sin(down) * tw_math_cos(round),
                        tw_math_sin(down) * tw_math_sin(round), tw_math_cos(down));
}

static size_t point_at(size_t ring, size_t around)
{
    if (ring == 0) return 0;
    return ring == RINGS ? POINTS - 1 : 1 + (ring - 1) * AROUND + around % AROUND;
}

static void put_triangles(tw_figure_surface *s)
{
    for (size_t ring = 0; ring < RINGS; ring++)
        for (size_t k = 0; k < AROUND; k++) {
            const size_t upper[3] = {point_at(ring, k), point_at(ring + 1, k),
                                     point_at(ring + 1, k + 1)};
            const size_t lower[3] = {point_at(ring, k), point_at(ring + 1, k + 1),
                                     point_at(ring, k + 1)};
            if (ring + 1 < RINGS) memcpy(s->triangles[s->triangle_count++], upper, sizeof upper);
            if (ring > 0) memcpy(s->triangles[s->triangle_count++], lower, sizeof lower);
        }
}

/* Young's modulus as the distance of a surface from the origin; the colour is its place between the
 * smallest and the largest. */
static void fill_surface(tw_figure_surface *s, const tw_statics_moduli *m)
{
    double least = HUGE_VAL, most = 0.0;
    s->points = tw_exit_unless(calloc(POINTS, sizeof *s->points));
    s->shares = tw_exit_unless(calloc(POINTS, sizeof *s->shares));
    s->triangles = tw_exit_unless(calloc((size_t)2 * RINGS * AROUND, sizeof *s->triangles));
    s->point_count = POINTS;
    put_triangles(s);
    for (size_t k = 0; k < POINTS; k++) {
        const tw_vec3 n = direction_of(k);
        s->shares[k] = tw_statics_moduli_young(m, n) * 1e-6;
        least = tw_math_min(least, s->shares[k]);
        most = tw_math_max(most, s->shares[k]);
        s->points[k][0] = s->shares[k] * n.x;
        s->points[k][1] = s->shares[k] * n.y;
        s->points[k][2] = s->shares[k] * n.z;
    }
    for (size_t k = 0; k < POINTS; k++)
        s->shares[k] = most > least ? (s->shares[k] - least) / (most - least) : 0.0;
    s->reach = most;
    for (int k = 0; k < 3; k++) {
        s->radius[k] = 1e-6 * tw_statics_moduli_young(m, tw_vec3_make(k == 0, k == 1, k == 2));
        snprintf(s->labels[k], sizeof s->labels[k], "{E}_%c", "xyz"[k]);
    }
}

/* A curve in the plane of axes a and b; without moduli the circle of the isotropic fit. */
static void add_section(tw_figure *f, const char *title, const tw_statics_moduli *m, int a, int b,
                        double circle)
{
    enum { STEPS = 180 };
    tw_figure_shape *s =
        tw_exit_unless(tw_figure_parts_shape(f, TW_FIGURE_CURVE, title, STEPS + 1));
    s->style = m ? 1 : -2;
    s->dash = m ? 1 : 2;
    s->width = m ? 1.8 : 1.0;
    for (int k = 0; k <= STEPS; k++) {
        const double angle = 2.0 * TW_MATH_PI * k / STEPS;
        double n[3] = {0.0, 0.0, 0.0};
        n[a] = tw_math_cos(angle);
        n[b] = tw_math_sin(angle);
        const double young =
            m ? 1e-6 * tw_statics_moduli_young(m, tw_vec3_make(n[0], n[1], n[2])) : circle;
        s->at[k][0] = young * n[a];
        s->at[k][1] = young * n[b];
    }
}

static void label_axis(tw_figure_axis *axis, int k)
{
    snprintf(axis->label, sizeof axis->label, "{E} along {%c}", "xyz"[k]);
    snprintf(axis->unit, sizeof axis->unit, "MPa");
}

/* The surface, and sections by the planes of the cell. */
static tw_status draw_young(const tw_statics_moduli *m, const char *directory, tw_error *error)
{
    static const int planes[3][2] = {{0, 1}, {0, 2}, {1, 2}};
    tw_figure_set set = {.run_count = 0};
    tw_plot_style style = tw_plot_style_default();
    double reach = 0.0;
    for (int k = 0; k < 4; k++) {
        tw_figure *f =
            tw_exit_unless(tw_figure_parts_figure(&set, "young", "own", "Young's modulus"));
        snprintf(f->sheet, sizeof f->sheet, "young");
        f->equal = 1;
        if (k == 0) {
            f->bare = 1;
            f->surface = tw_exit_unless(calloc(1, sizeof *f->surface));
            fill_surface(f->surface, m);
            reach = f->surface->reach;
            f->x = f->y = tw_figure_axis_around(-1.6 * reach, 1.6 * reach);
            continue;
        }
        const int a = planes[k - 1][0], b = planes[k - 1][1];
        snprintf(f->name, sizeof f->name, "young_%c%c", "xyz"[a], "xyz"[b]);
        f->x = f->y = tw_figure_axis_around(-1.05 * reach, 1.05 * reach);
        label_axis(&f->x, a);
        label_axis(&f->y, b);
        f->key = TW_FIGURE_KEY_ABOVE;
        add_section(f, "{E} by direction", m, a, b, 0.0);
        add_section(f, "isotropic fit", NULL, a, b, 1e-6 * m->young);
    }
    tw_plot_style_finish(&style);
    style.width = style.height = tw_math_max(style.width, style.height);
    const tw_status status = tw_plot_paint(NULL, set.figures, 4, &style, directory, error);
    tw_figure_set_free(&set);
    return status;
}

/* ---- Tables ---- */

static tw_status write_directions(const tw_statics_moduli *m, const char *directory,
                                  tw_error *error)
{
    tw_row_writer out;
    const tw_status status =
        tw_row_writer_open(&out, tw_folder_path_join(directory, "directions.csv").text, error);
    if (status != TW_STATUS_OK) return status;
    tw_row_writer_add(&out, "x,y,z,young,wave_1,wave_2,wave_3\n");
    for (size_t k = 0; k < POINTS; k++) {
        const tw_vec3 n = direction_of(k);
        double speed[3];
        tw_statics_moduli_waves(m, n, speed);
        tw_row_writer_add(&out, "%.17g,%.17g,%.17g,%.17g,%.17g,%.17g,%.17g\n", n.x, n.y, n.z,
                          tw_statics_moduli_young(m, n), speed[0], speed[1], speed[2]);
    }
    return tw_row_writer_finish(&out, error);
}

static tw_status write_json(const tw_statics_moduli *m, const char *state, const char *directory,
                            tw_error *error)
{
    static const char *const axes[] = {"x", "y", "z"};
    tw_text_buffer out = {0};
    tw_json_begin(&out, NULL, '{');
    tw_json_text(&out, "state", state);
    tw_json_count(&out, "bodies", m->bodies);
    tw_json_count(&out, "contacts", m->contacts);
    tw_json_count(&out, "rattlers", m->rattlers);
    tw_json_count(&out, "floppy", m->floppy);
    tw_json_number(&out, "unbalanced", m->unbalanced);
    tw_json_number(&out, "density", m->density);
    tw_json_numbers(&out, "stress", m->stress.m, 9, 1);
    tw_json_numbers(&out, "stiffness", m->stiffness, SIX * SIX, 1);
    tw_json_numbers(&out, "geometric", m->geometric, SIX * SIX, 1);
    tw_json_number(&out, "asymmetry", m->asymmetry);
    tw_json_truth(&out, "definite", m->definite);
    tw_json_begin(&out, "isotropic", '{');
    tw_json_number(&out, "bulk", m->bulk);
    tw_json_number(&out, "shear", m->shear);
    tw_json_number(&out, "young", m->young);
    tw_json_number(&out, "poisson", m->poisson);
    tw_json_number(&out, "misfit", m->isotropic_misfit);
    tw_json_end(&out, '}');
    tw_json_begin(&out, "transversely_isotropic", '{');
    tw_json_text(&out, "axis", axes[m->axis]);
    tw_json_number(&out, "c11", m->c11);
    tw_json_number(&out, "c12", m->c12);
    tw_json_number(&out, "c13", m->c13);
    tw_json_number(&out, "c33", m->c33);
    tw_json_number(&out, "c44", m->c44);
    tw_json_number(&out, "misfit", m->transverse_misfit);
    tw_json_end(&out, '}');
    tw_json_number(&out, "stable_step", m->stable_step);
    tw_json_number(&out, "engine_step", m->engine_step);
    tw_json_number(&out, "seconds", m->seconds);
    tw_json_end(&out, '}');
    return tw_row_writer_document(directory, "moduli.json", &out, error);
}

/* ---- For people ---- */

static double norm_of(const double *c)
{
    double sum = 0.0;
    for (int k = 0; k < SIX * SIX; k++)
        sum += c[k] * c[k];
    return sqrt(sum);
}

static void print_moduli(const tw_statics_moduli *m)
{
    static const char *const names[] = {"xx", "yy", "zz", "yz", "xz", "xy"};
    PRINT("state", "%zu bod%s, %zu contact%s, unbalanced force %.2g", m->bodies,
          m->bodies == 1 ? "y" : "ies", m->contacts, tw_output_plural(m->contacts), m->unbalanced);
    PRINT("not carrying", "%zu rattler%s, %zu floppy mode%s", m->rattlers,
          tw_output_plural(m->rattlers), m->floppy, tw_output_plural(m->floppy));
    for (int i = 0; i < SIX; i++) {
        const double *c = m->stiffness + (ptrdiff_t)SIX * i;
        PRINT(i == 0 ? "C [MPa]" : "", "%s  %10.4g %10.4g %10.4g %10.4g %10.4g %10.4g", names[i],
              1e-6 * c[0], 1e-6 * c[1], 1e-6 * c[2], 1e-6 * c[3], 1e-6 * c[4], 1e-6 * c[5]);
    }
    PRINT("", "geometric part %.2g of it, asymmetry %.2g",
          norm_of(m->geometric) / norm_of(m->stiffness), m->asymmetry);
    PRINT("isotropic", "K %.5g MPa, G %.5g MPa, E %.5g MPa, nu %.4g; misfit %.2g %%",
          1e-6 * m->bulk, 1e-6 * m->shear, 1e-6 * m->young, m->poisson,
          100.0 * m->isotropic_misfit);
    PRINT("about an axis",
          "%c: c33 %.5g, c11 %.5g, c13 %.5g, c12 %.5g, c44 %.5g MPa; misfit %.2g %%",
          "xyz"[m->axis], 1e-6 * (m->c33), 1e-6 * (m->c11), 1e-6 * (m->c13), 1e-6 * (m->c12),
          1e-6 * (m->c44), 100.0 * (m->transverse_misfit));
    if (!m->definite)
        PRINT("not stable", "some strain meets no resistance: C is not positive definite. Such a "
                            "state is in motion, or contacts do not hold it in all directions");
    for (int k = 0; k < 3; k++) {
        double speed[3];
        const tw_vec3 n = tw_vec3_make(k == 0, k == 1, k == 2);
        char young[40] = "none", waves[80];
        int grow = 0;
        tw_statics_moduli_waves(m, n, speed);
        for (int i = 0; i < 3; i++)
            grow += isnan(speed[i]) ? 1 : 0;
        if (grow > 0)
            snprintf(waves, sizeof waves, "waves that would grow: %d", grow);
        else
            snprintf(waves, sizeof waves, "waves %.4g, %.4g and %.4g m/s", speed[2], speed[1],
                     speed[0]);
        if (m->definite)
            snprintf(young, sizeof young, "%.5g MPa", 1e-6 * tw_statics_moduli_young(m, n));
        PRINT(k == 0 ? "along the axes" : "", "%c: Young's modulus %s, %s", "xyz"[k], young, waves);
    }
    PRINT("time step", "stable below %.4g s; the engine's bound is %.4g s", m->stable_step,
          m->engine_step);
}

/* ---- The command ---- */

typedef struct moduli_options {
    const char *path, *out;
} moduli_options;

static const tw_args_option options[] = {
    {NULL, "STATE", "the state: a checkpoint", tw_args_once, offsetof(moduli_options, path)},
    {"out", "DIR",
     "write moduli.json, directions.csv (Young's modulus [Pa] and speeds of waves [m/s] by "
     "direction) and a picture of Young's modulus into this folder",
     tw_args_folder, offsetof(moduli_options, out)},
    {0}};

static const tw_args_command command_line = {
    .own = {.options = options},
    .arguments = "STATE",
    .description =
        "Prints the elastic stiffness of a state, with contacts that do not slide: the change of "
        "stress by strain, from the tangent stiffness of all contacts, without a step. Components "
        "are in the order xx, yy, zz, yz, xz, xy, with engineering shear strains. The cell must be "
        "periodic along all edges. It needs the sparse solver MUMPS.\n\n"
        "    twirl moduli run/states/isotropic.h5 --out moduli"
        "\vExit status: 0 success, 1 out of memory, no MUMPS or output not written, 2 bad options "
        "or a state that it cannot work on, 3 the equations have no solution."};

static tw_status moduli_of(tw_sim *sim, tw_statics_moduli *m, tw_error *error)
{
    const tw_statics_def def = tw_statics_def_default();
    tw_statics *statics = tw_statics_create(sim, &def, error);
    const tw_status status = statics ? tw_statics_compute_moduli(statics, m, error) : error->status;
    tw_statics_free(statics);
    return status;
}

int tw_moduli_command(int argc, char **argv)
{
    moduli_options set = {0};
    tw_error error;
    tw_statics_moduli m;
    tw_args_parse(&command_line, argc, argv, &set);
    tw_sim *sim = tw_sim_load(set.path, &error);
    if (!sim)
        return tw_output_fail(argv[0], tw_exit_status_reading(error.status), "%s", error.text);
    tw_status status = moduli_of(sim, &m, &error);
    tw_sim_free(sim);
    if (status != TW_STATUS_OK)
        return tw_output_fail(argv[0], tw_exit_status_running(status), "%s: %s", set.path,
                              error.text);
    print_moduli(&m);
    if (set.out) {
        status = tw_plot_make_directory(set.out, &error);
        if (status == TW_STATUS_OK) status = write_json(&m, set.path, set.out, &error);
        if (status == TW_STATUS_OK) status = write_directions(&m, set.out, &error);
        if (status == TW_STATUS_OK && m.definite) status = draw_young(&m, set.out, &error);
    }
    if (status != TW_STATUS_OK)
        return tw_output_fail(argv[0], tw_exit_status_running(status), "%s", error.text);
    return tw_output_finish(argv[0], TW_EXIT_OK);
}
