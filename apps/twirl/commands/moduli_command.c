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

/* ---- Tables ---- */

static tw_status write_directions(const tw_statics_moduli *m, const char *directory,
                                  tw_error *error)
{
    tw_row_writer out;
    const tw_status status =
        tw_row_writer_open(&out, tw_folder_path_join(directory, "directions.csv").text, error);
    if (status != TW_STATUS_OK) return status;
    tw_row_writer_add(&out, "x,y,z,young,wave_1,wave_2,wave_3\n");
    for (size_t k = 0; k < TW_FIGURE_YOUNG_DIRECTIONS; k++) {
        const tw_vec3 n = tw_figure_young_direction(k);
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
    tw_text_buffer_add(&out, "\n");
    return tw_replace_file_text(tw_folder_path_join(directory, "moduli.json").text, &out, error);
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
    tw_figure_set figures = {.run_count = 0};
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
        if (status == TW_STATUS_OK) status = tw_figure_young_add(&figures, &m, &error);
        if (status == TW_STATUS_OK) status = tw_plot_paint_set(&figures, set.out, &error);
    }
    if (status != TW_STATUS_OK)
        return tw_output_fail(argv[0], tw_exit_status_running(status), "%s", error.text);
    return tw_output_finish(argv[0], TW_EXIT_OK);
}
