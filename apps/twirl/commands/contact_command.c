/* SPDX-License-Identifier: BSD-3-Clause */
/* twirl contact: one contact along a path, row by row. */
#include "commands/commands.h"
#include "common/args.h"
#include "common/csv_reader.h"
#include "common/law_options.h"
#include "common/row_writer.h"

#include <twirl/contact.h>

#include <math.h>
#include <stdio.h>

enum { KEY_DT = 256, KEY_OUT };

static const struct argp_option options[] = {
    {"dt", KEY_DT, "NUMBER", 0, "duration of a step [s], required where --nu is above 0", 0},
    {"out", KEY_OUT, "FILE", 0, "write to FILE, once it is complete, instead of standard output",
     0},
    {0}};

static const struct argp_child children[] = {{&tw_law_options_argp, 0, NULL, 0}, {0}};

typedef struct settings {
    tw_law_options given;
    tw_contact_law law;
    double dt; /* NaN: not given */
    const char *input;
    const char *output;
} settings;

/* Every number has been seen; now they must make a law. */
static void check_settings(const struct argp_state *state, settings *set)
{
    char text[512];
    set->law = tw_law_options_start();
    tw_law_options_apply(&set->given, &set->law);
    if (!tw_law_options_check(&set->law, text, sizeof text)) argp_error(state, "%s", text);
    if (isnan(set->dt) && set->law.nu > 0.0) {
        argp_error(state, "--dt is missing: damping (--nu) needs the duration of a step [s]");
    }
    if (isnan(set->dt)) set->dt = 1.0;
}

static error_t parse_option(int key, char *text, struct argp_state *state)
{
    settings *set = state->input;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &set->given;
        break;
    case KEY_DT:
        set->dt = tw_args_positive(state, "dt", text);
        break;
    case KEY_OUT:
        set->output = text;
        break;
    case ARGP_KEY_ARG:
        if (set->input) argp_error(state, "one FILE at most: '%s' is the second", text);
        set->input = text;
        break;
    case ARGP_KEY_END:
        check_settings(state, set);
        break;
    default:
        return ARGP_ERR_UNKNOWN;
    }
    return 0;
}

static const char description[] =
    "Drives one contact along the path in FILE, or standard input, and prints its forces and work."
    "\vInput is CSV with a header, columns in any order, one row per step:\n"
    "  zeta         overlap at the end of the step [m], negative for a gap\n"
    "  nx,ny,nz     unit normal at the end of the step, outward from p\n"
    "  dux,duy,duz  movement of q against p at the contact during the step [m]\n"
    "  tpx,tpy,tpz  rotation vector of p during the step [rad], may be absent\n"
    "  tqx,tqy,tqz  rotation vector of q during the step [rad], may be absent\n"
    "The first row is the starting state: its movement and rotations do not count.\n\n"
    "Exit status: 0 done, 2 bad options or input, 1 the output could not be written.";

static const struct argp argp = {options,  parse_option, "[FILE]", description,
                                 children, NULL,         NULL};

enum {
    ZETA,
    NORMAL,
    MOVEMENT = NORMAL + 3,
    TURN_P = MOVEMENT + 3,
    TURN_Q = TURN_P + 3,
    COLUMNS = TURN_Q + 3
};

static const tw_csv_column columns[COLUMNS] = {
    {"zeta", 0}, {"nx", 0},  {"ny", 0},  {"nz", 0},  {"dux", 0}, {"duy", 0}, {"duz", 0},
    {"tpx", 1},  {"tpy", 1}, {"tpz", 1}, {"tqx", 2}, {"tqy", 2}, {"tqz", 2},
};

static tw_vec3 vector_at(const double *values)
{
    return tw_vec3_make(values[0], values[1], values[2]);
}

/* The next row as a motion with an exactly normalised normal. */
static tw_csv_status read_motion(tw_csv_reader *reader, tw_contact_motion *motion)
{
    double values[COLUMNS];
    const tw_csv_status status = tw_csv_reader_next(reader, values);
    if (status != TW_CSV_ROW) return status;
    const tw_vec3 normal = vector_at(values + NORMAL);
    const double length = tw_vec3_norm_scaled(normal);
    /* Wide enough for seven printed digits, narrow enough to catch a normal that is none. */
    if (!(fabs(length - 1.0) <= 1e-6)) {
        return tw_csv_reader_refuse(
            reader,
            "columns 'nx', 'ny', 'nz': the length of the normal is %.9g, it must be 1 "
            "within 1e-6",
            length);
    }
    motion->zeta = values[ZETA];
    motion->n = tw_vec3_make(normal.x / length, normal.y / length, normal.z / length);
    motion->du = vector_at(values + MOVEMENT);
    motion->turn_p = vector_at(values + TURN_P);
    motion->turn_q = vector_at(values + TURN_Q);
    return TW_CSV_ROW;
}

static bool write_header(tw_row_writer *writer)
{
    return tw_row_writer_add(writer,
                             "step,fn,ftx,fty,ftz,fx,fy,fz,sliding,alpha_o,alpha_s,work_normal,"
                             "work_tangential,work_reversible,work_dissipated\n");
}

/* Adding 0.0 turns the -0 of products such as -fn*0 into 0 and changes nothing else. */
static bool write_row(tw_row_writer *writer, unsigned long long step, tw_vec3 ft,
                      const tw_contact_load *load)
{
    return tw_row_writer_add(
        writer,
        "%llu,%.17g,%.17g,%.17g,%.17g,%.17g,%.17g,%.17g,%d,%.17g,%.17g,%.17g,%.17g,%.17g,%.17g\n",
        step, load->fn + 0.0, ft.x + 0.0, ft.y + 0.0, ft.z + 0.0, load->f.x + 0.0, load->f.y + 0.0,
        load->f.z + 0.0, (int)load->sliding, load->alpha_o + 0.0, load->alpha_s + 0.0,
        load->work_normal + 0.0, load->work_tangential + 0.0, load->work_reversible + 0.0,
        load->work_dissipated + 0.0);
}

/* Reads, advances and writes to the end. The starting state is a step in which nothing moves. */
static int follow_path(const settings *set, tw_csv_reader *reader, tw_row_writer *writer)
{
    tw_contact_motion motion;
    tw_contact_memory memory = {0};
    tw_contact_load load;
    tw_csv_status status;
    unsigned long long step = 0;
    while ((status = read_motion(reader, &motion)) == TW_CSV_ROW) {
        if (step == 0) {
            motion.du = motion.turn_p = motion.turn_q = tw_vec3_make(0.0, 0.0, 0.0);
            memory = (tw_contact_memory){.n = motion.n, .zeta = motion.zeta};
        }
        tw_contact_advance(&set->law, &motion, set->dt, &memory, &load);
        if (step == 0 && !write_header(writer)) return TW_EXIT_ENVIRONMENT;
        if (!write_row(writer, step, memory.ft, &load)) return TW_EXIT_ENVIRONMENT;
        step++;
    }
    if (status == TW_CSV_FAILED) return TW_EXIT_ENVIRONMENT;
    if (status == TW_CSV_BAD) return TW_EXIT_USAGE;
    if (step > 0) return TW_EXIT_OK;
    tw_csv_reader_refuse(reader, "no row after the header: the first row is the starting state");
    return TW_EXIT_USAGE;
}

static int run(const settings *set, tw_csv_reader *reader, tw_row_writer *writer)
{
    const tw_csv_status status = tw_csv_reader_open(reader, set->input, columns, COLUMNS);
    if (status == TW_CSV_FAILED) return TW_EXIT_ENVIRONMENT;
    if (status != TW_CSV_ROW) return TW_EXIT_USAGE;
    if (!tw_row_writer_open(writer, set->output)) return TW_EXIT_ENVIRONMENT;
    const int result = follow_path(set, reader, writer);
    if (result == TW_EXIT_OK && !tw_row_writer_finish(writer)) return TW_EXIT_ENVIRONMENT;
    if (result != TW_EXIT_OK) tw_row_writer_abandon(writer);
    return result;
}

int tw_contact_command(int argc, char **argv)
{
    settings set = {.given = tw_law_options_none(), .dt = nan("")};
    tw_args_parse(&argp, argc, argv, &set);
    tw_csv_reader reader = {0};
    tw_row_writer writer = {0};
    const int result = run(&set, &reader, &writer);
    tw_csv_reader_close(&reader);
    if (result != TW_EXIT_OK) {
        fprintf(stderr, "%s: %s\n", argv[0], reader.error[0] ? reader.error : writer.error);
    }
    return result;
}
