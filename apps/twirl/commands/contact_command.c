/* SPDX-License-Identifier: BSD-3-Clause */
/* twirl contact: one contact along a prescribed path. */
#include "commands/contact_command.h"

#include "common/args.h"
#include "common/csv_reader.h"
#include "common/exit_status.h"
#include "common/law_options.h"
#include "common/row_writer.h"

#include <twirl/contact.h>

#include <math.h>
#include <stdio.h>

enum { KEY_DT = 256, KEY_OUT };

static const struct argp_option options[] = {
    {"dt", KEY_DT, "NUMBER", 0, "duration of a step [s]; required if --nu is greater than 0", 0},
    {"out", KEY_OUT, "FILE", 0, "write to FILE instead of standard output", 0},
    {0}};

static const struct argp_child children[] = {{&tw_law_options_argp, 0, NULL, 0}, {0}};

typedef struct contact_options {
    tw_law_options given;
    tw_contact_law law;
    double dt; /* NaN: not given */
    const char *input;
    const char *output;
} contact_options;

static void check_settings(const struct argp_state *state, contact_options *set)
{
    tw_error error;
    if (tw_law_options_make(&set->given, &set->law, &error) != TW_STATUS_OK)
        argp_error(state, "%s", error.text);
    if (isnan(set->dt) && set->law.nu_n > 0.0) {
        argp_error(state,
                   "--dt is missing: contact damping (--nu) requires the duration of a step [s]");
    }
    if (isnan(set->dt)) set->dt = 1.0;
}

static error_t parse_option(int key, char *text, struct argp_state *state)
{
    contact_options *set = state->input;
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
        tw_args_once(state, "FILE", text, &set->input);
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
    "Moves one contact along the path in FILE, or from standard input, and prints its forces and "
    "work."
    "\vInput is CSV with a header, columns in any order, one row per step:\n"
    "  zeta         overlap at the end of the step [m], negative for a gap\n"
    "  nx,ny,nz     unit normal at the end of the step, outward from p\n"
    "  dux,duy,duz  displacement of q relative to p at the contact in the step [m]\n"
    "  tpx,tpy,tpz  rotation vector of p in the step [rad], optional\n"
    "  tqx,tqy,tqz  rotation vector of q in the step [rad], optional\n"
    "The first row is the initial state: its displacements are ignored.\n\n"
    "Exit status: 0 success, 1 output not written, 2 bad options or input.";

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

/* The next row as a motion, with the normal normalised. */
static tw_csv_status read_motion(tw_csv_reader *reader, tw_contact_motion *motion)
{
    double values[COLUMNS];
    const tw_csv_status status = tw_csv_reader_next(reader, values);
    if (status != TW_CSV_ROW) return status;
    const tw_vec3 normal = vector_at(values + NORMAL);
    const double length = tw_vec3_norm_scaled(normal);
    /* Wide enough for seven printed digits, narrow enough to catch a bad normal. */
    if (!(fabs(length - 1.0) <= 1e-6)) {
        return tw_csv_reader_refuse(
            reader,
            "columns 'nx', 'ny', 'nz': the length of the normal is %.9g, expected 1 within 1e-6",
            length);
    }
    motion->zeta = values[ZETA];
    motion->n = tw_vec3_make(normal.x / length, normal.y / length, normal.z / length);
    motion->du = vector_at(values + MOVEMENT);
    motion->turn_p = vector_at(values + TURN_P);
    motion->turn_q = vector_at(values + TURN_Q);
    return TW_CSV_ROW;
}

static void write_header(tw_row_writer *writer)
{
    tw_row_writer_add(writer, "step,fn,ftx,fty,ftz,fx,fy,fz,sliding,alpha_o,alpha_s,work_normal,"
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

/* TW_CSV_END at the end of the path or after a failed write, which the writer reports when it is
 * finished; otherwise the reader has the error. The initial state is a step without movement. */
static tw_csv_status follow_path(const contact_options *set, tw_csv_reader *reader,
                                 tw_row_writer *writer)
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
        tw_contact_advance(&set->law, &motion, set->dt, &memory, NULL, &load);
        if (step == 0) write_header(writer);
        if (!write_row(writer, step, memory.ft, &load)) return TW_CSV_END;
        step++;
    }
    if (status != TW_CSV_END || step > 0) return status;
    return tw_csv_reader_refuse(reader,
                                "no row after the header: the first row is the initial state");
}

static int run(const char *command, const contact_options *set, tw_csv_reader *reader)
{
    tw_row_writer writer;
    tw_error error = {TW_STATUS_OK, ""};
    tw_csv_status status = tw_csv_reader_open(reader, set->input, columns, COLUMNS);
    if (status == TW_CSV_ROW && tw_row_writer_open(&writer, set->output, &error) == TW_STATUS_OK) {
        status = follow_path(set, reader, &writer);
        if (status == TW_CSV_END)
            tw_row_writer_finish(&writer, &error);
        else
            tw_row_writer_abandon(&writer);
    }
    if (reader->error[0]) {
        fprintf(stderr, "%s: %s\n", command, reader->error);
        return status == TW_CSV_FAILED ? TW_EXIT_ENVIRONMENT : TW_EXIT_USAGE;
    }
    if (error.status == TW_STATUS_OK) return TW_EXIT_OK;
    fprintf(stderr, "%s: %s\n", command, error.text);
    return TW_EXIT_ENVIRONMENT;
}

int tw_contact_command(int argc, char **argv)
{
    contact_options set = {.given = tw_law_options_none(), .dt = nan("")};
    tw_args_parse(&argp, argc, argv, &set);
    tw_csv_reader reader = {0};
    const int result = run(argv[0], &set, &reader);
    tw_csv_reader_close(&reader);
    return result;
}
