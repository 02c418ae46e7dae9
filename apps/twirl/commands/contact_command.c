/* SPDX-License-Identifier: BSD-3-Clause */
/* twirl contact: one contact along a prescribed path. */
#include "commands/commands.h"

#include "base/csv.h"
#include "base/text.h"
#include "common/args.h"
#include "common/law_options.h"
#include "common/output.h"
#include "common/row_writer.h"

#include <twirl/contact_law.h>
#include <twirl/contact_parts.h>

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

typedef struct contact_options {
    tw_law_options given;
    tw_contact_law law;
    double dt, radius_p, radius_q, mass; /* NaN: not given */
    const char *input;
    const char *output;
} contact_options;

static const tw_args_option options[] = {
    {NULL, "FILE", NULL, tw_args_once, offsetof(contact_options, input)},
    {"dt", "NUMBER", "duration of a step [s]; required for damping", tw_args_positive,
     offsetof(contact_options, dt)},
    {"radius-p", "NUMBER",
     "radius of p [m]; required for --young, --modulus, --rolling and --twisting", tw_args_positive,
     offsetof(contact_options, radius_p)},
    {"radius-q", "NUMBER", "radius of q [m]; default: q is a plane", tw_args_positive,
     offsetof(contact_options, radius_q)},
    {"mass", "NUMBER", "reduced mass mp mq/(mp + mq) [kg]; required for --restitution",
     tw_args_positive, offsetof(contact_options, mass)},
    {"out", "FILE", "write to FILE instead of standard output", tw_args_text,
     offsetof(contact_options, output)},
    {0}};

static bool has_damping(const tw_contact_law *law)
{
    return law->nu_n > 0.0 || law->nu_t > 0.0 || law->nu_r > 0.0 || law->nu_w > 0.0;
}

static bool needs_radius(const tw_contact_law *law)
{
    return law->mu_r > 0.0 || law->mu_w > 0.0 || (law->flags & (uint32_t)TW_CONTACT_BY_RADIUS);
}

static double reduced_radius(const contact_options *set)
{
    if (isnan(set->radius_p)) return 0.0;
    if (isnan(set->radius_q)) return set->radius_p;
    return set->radius_p / (1.0 + set->radius_p / set->radius_q);
}

static void check_settings(const struct argp_state *state, void *settings)
{
    contact_options *set = settings;
    tw_error error;
    if (tw_law_options_make(&set->given, &set->law, &error) != TW_STATUS_OK)
        argp_error(state, "%s", error.text);
    if (isnan(set->dt) && has_damping(&set->law))
        argp_error(state, "--dt is missing: damping requires the duration of a step [s]");
    if (isnan(set->radius_p) && !isnan(set->radius_q))
        argp_error(state, "--radius-p is missing: --radius-q requires it");
    if (isnan(set->radius_p) && needs_radius(&set->law))
        argp_error(state, "--radius-p is missing: --young, --modulus, --rolling and --twisting "
                          "require the radius of p [m]");
    if (isnan(set->mass) && (set->law.flags & (uint32_t)TW_CONTACT_BY_MASS))
        argp_error(state, "--mass is missing: --restitution requires the reduced mass [kg]");
    if (isnan(set->dt)) set->dt = 1.0;
    if (isnan(set->mass)) set->mass = 0.0;
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

static const tw_args_command command_line = {.own = {options, check_settings},
                                             .shared = &tw_law_options_table,
                                             .shared_offset = offsetof(contact_options, given),
                                             .arguments = "[FILE]",
                                             .description = description};

enum {
    ZETA,
    NORMAL,
    MOVEMENT = NORMAL + 3,
    TURN_P = MOVEMENT + 3,
    TURN_Q = TURN_P + 3,
    COLUMNS = TURN_Q + 3
};

/* Group 0 is required. The columns of any other group are all present, or all absent and 0. */
static const struct {
    const char *name;
    int group;
} columns[COLUMNS] = {
    {"zeta", 0}, {"nx", 0},  {"ny", 0},  {"nz", 0},  {"dux", 0}, {"duy", 0}, {"duz", 0},
    {"tpx", 1},  {"tpy", 1}, {"tpz", 1}, {"tqx", 2}, {"tqy", 2}, {"tqz", 2},
};

typedef struct path_reader {
    tw_csv csv;
    size_t field_of[COLUMNS]; /* TW_CSV_COLUMNS_MAX: none */
    tw_error error;
} path_reader;

static bool refuse_column(tw_csv *csv, const tw_csv_field *f)
{
    const char *known[COLUMNS];
    const tw_text_quotation shown = tw_text_quote(f->text, f->length);
    tw_text_buffer list = {0};
    double number;
    for (size_t i = 0; i < COLUMNS; i++) {
        known[i] = columns[i].name;
        tw_text_buffer_add(&list, "%s%s", i ? ", " : "", known[i]);
    }
    const char *nearest = tw_nearest(f->text, known, COLUMNS);
    if (strlen(f->text) == f->length && !tw_text_number(f->text, &number))
        tw_csv_refuse(csv, "%s is a number, but a column name is expected: the header is missing",
                      shown.text);
    else if (nearest)
        tw_csv_refuse(csv, "unknown column %s: did you mean '%s'?", shown.text, nearest);
    else
        tw_csv_refuse(csv, "unknown column %s: known columns are %s", shown.text,
                      list.failed ? "..." : list.text);
    tw_text_buffer_free(&list);
    return false;
}

/* Required columns are present, and groups are complete. */
static bool check_presence(path_reader *r)
{
    for (size_t i = 0; i < COLUMNS; i++) {
        if (r->field_of[i] < TW_CSV_COLUMNS_MAX) continue;
        if (columns[i].group == 0)
            return tw_csv_refuse(&r->csv, "column '%s' is missing", columns[i].name);
        for (size_t j = 0; j < COLUMNS; j++)
            if (columns[j].group == columns[i].group && r->field_of[j] < TW_CSV_COLUMNS_MAX)
                return tw_csv_refuse(&r->csv,
                                     "column '%s' is missing: '%s' is present and requires it",
                                     columns[i].name, columns[j].name);
    }
    return true;
}

/* `path` NULL or "-" is standard input. */
static bool open_path(path_reader *r, const char *path)
{
    const bool standard = !path || strcmp(path, "-") == 0;
    struct stat about;
    FILE *file = standard ? stdin : fopen(path, "r");
    if (file && fstat(fileno(file), &about) == 0 && S_ISDIR(about.st_mode)) {
        if (!standard) fclose(file);
        file = NULL;
        errno = EISDIR;
    }
    if (!tw_csv_open(&r->csv, file, standard ? "stdin" : path, &r->error)) return false;
    for (size_t i = 0; i < COLUMNS; i++)
        r->field_of[i] = TW_CSV_COLUMNS_MAX;
    for (size_t f = 0; f < r->csv.columns; f++) {
        const tw_csv_field *name = &r->csv.column[f];
        size_t i = 0;
        while (i < COLUMNS && (strlen(columns[i].name) != name->length ||
                               strcmp(columns[i].name, name->text) != 0))
            i++;
        if (i == COLUMNS) return refuse_column(&r->csv, name);
        if (r->field_of[i] < TW_CSV_COLUMNS_MAX)
            return tw_csv_refuse(&r->csv, "column '%s' appears twice", name->text);
        r->field_of[i] = f;
    }
    return check_presence(r);
}

static tw_vec3 vector_at(const double *values)
{
    return tw_vec3_make(values[0], values[1], values[2]);
}

/* The next row as a motion, with the normal normalised. False: there is none, or see error. */
static bool read_motion(path_reader *r, tw_contact_motion *motion)
{
    double values[COLUMNS] = {0.0};
    if (!tw_csv_next(&r->csv)) return false;
    for (size_t i = 0; i < COLUMNS; i++)
        if (r->field_of[i] < TW_CSV_COLUMNS_MAX &&
            !tw_csv_number(&r->csv, r->field_of[i], 0, &values[i]))
            return false;
    const tw_vec3 normal = vector_at(values + NORMAL);
    const double length = tw_vec3_norm_scaled(normal);
    /* Wide enough for seven printed digits, narrow enough to catch a bad normal. */
    if (!(fabs(length - 1.0) <= 1e-6))
        return tw_csv_refuse(
            &r->csv,
            "columns 'nx', 'ny', 'nz': the length of the normal is %.9g, expected 1 within 1e-6",
            length);
    motion->zeta = values[ZETA];
    motion->n = tw_vec3_make(normal.x / length, normal.y / length, normal.z / length);
    motion->du = vector_at(values + MOVEMENT);
    motion->turn_p = vector_at(values + TURN_P);
    motion->turn_q = vector_at(values + TURN_Q);
    return true;
}

/* Columns that only some laws have. */
typedef enum column_group {
    MICRO = 1,
    ROLLING = 2,
    TWISTING = 4,
    COUPLE = 8,
    VISCOUS = 16
} column_group;

static unsigned groups_of(const contact_options *set)
{
    const tw_contact_law *law = &set->law;
    unsigned groups = 0;
    if (tw_contact_normal_stiffens(law->normal)) groups |= MICRO;
    if (law->mu_r > 0.0) groups |= ROLLING | COUPLE;
    if (law->mu_w > 0.0) groups |= TWISTING | COUPLE;
    if (has_damping(law)) groups |= VISCOUS;
    return groups;
}

static void write_header(tw_row_writer *writer, unsigned groups)
{
    tw_row_writer_add(writer,
                      "step,fn,ftx,fty,ftz,fx,fy,fz,sliding,alpha_o,alpha_s,work_normal,"
                      "work_tangential,work_reversible,work_dissipated%s%s%s%s%s\n",
                      groups & MICRO ? ",work_micro" : "",
                      groups & ROLLING ? ",frx,fry,frz,work_rolling,lost_rolling" : "",
                      groups & TWISTING ? ",mt,work_twisting,lost_twisting" : "",
                      groups & COUPLE ? ",couple_x,couple_y,couple_z" : "",
                      groups & VISCOUS ? ",work_viscous" : "");
}

/* One row: at most 29 numbers of up to 25 characters. */
typedef struct row_text {
    char text[768];
    size_t length;
} row_text;

/* Adding 0.0 turns the -0 of products such as -fn*0 into 0 and changes nothing else. */
static void add_numbers(row_text *row, const double *numbers, size_t count)
{
    for (size_t i = 0; i < count; i++)
        row->length += (size_t)snprintf(row->text + row->length, sizeof row->text - row->length,
                                        ",%.17g", numbers[i] + 0.0);
}

static void add_vector(row_text *row, tw_vec3 v)
{
    add_numbers(row, (const double[]){v.x, v.y, v.z}, 3);
}

typedef struct contact_step {
    unsigned long long number;
    double radius; /* reduced */
    tw_contact_memory memory;
    tw_contact_parts extra;
    tw_contact_load load;
} contact_step;

static bool write_row(tw_row_writer *writer, const contact_step *step, unsigned groups)
{
    row_text row = {.length = 0};
    const tw_contact_load *load = &step->load;
    add_numbers(&row, &load->fn, 1);
    add_vector(&row, step->memory.ft);
    add_vector(&row, load->f);
    const double rest[] = {(double)load->sliding, load->alpha_o,         load->alpha_s,
                           load->work_normal,     load->work_tangential, load->work_reversible,
                           load->work_dissipated};
    add_numbers(&row, rest, sizeof rest / sizeof rest[0]);
    if (groups & MICRO) add_numbers(&row, &load->work_micro, 1);
    const tw_contact_shares shares =
        tw_contact_parts_shares(&step->extra, step->radius, step->memory.n);
    if (groups & ROLLING) {
        add_vector(&row, shares.fr);
        add_numbers(&row, (const double[]){load->work_rolling, load->lost_rolling}, 2);
    }
    if (groups & TWISTING) {
        add_numbers(&row, (const double[]){shares.mt, load->work_twisting, load->lost_twisting}, 3);
    }
    if (groups & COUPLE) add_vector(&row, load->couple);
    if (groups & VISCOUS) add_numbers(&row, &load->work_viscous, 1);
    return tw_row_writer_add(writer, "%llu%s\n", step->number, row.text);
}

/* False: a row was refused. A failed write ends the path; the writer reports it when it is
 * finished. The initial state is a step without movement. */
static bool follow_path(const contact_options *set, path_reader *reader, tw_row_writer *writer)
{
    const unsigned groups = groups_of(set);
    tw_contact_motion motion = {.radius = reduced_radius(set), .mass = set->mass};
    if (!isnan(set->radius_p) && !isnan(set->radius_q))
        motion.ratio =
            tw_math_min(set->radius_p, set->radius_q) / tw_math_max(set->radius_p, set->radius_q);
    contact_step step = {.radius = motion.radius};
    const tw_contact_extra extra = tw_contact_extra_of(TW_CONTACT_EXTRA_ALL, (double *)&step.extra);
    while (read_motion(reader, &motion)) {
        if (step.number == 0) {
            motion.du = motion.turn_p = motion.turn_q = tw_vec3_make(0.0, 0.0, 0.0);
            step.memory = (tw_contact_memory){.n = motion.n, .zeta = motion.zeta};
            write_header(writer, groups);
        }
        tw_contact_advance(&set->law, &motion, set->dt, &step.memory, &extra, &step.load);
        if (!write_row(writer, &step, groups)) return true;
        step.number++;
    }
    if (reader->error.status != TW_STATUS_OK) return false;
    return step.number > 0 ||
           tw_csv_refuse(&reader->csv,
                         "no row after the header: the first row is the initial state");
}

static int run(const char *command, const contact_options *set, path_reader *reader)
{
    tw_row_writer writer;
    tw_error *error = &reader->error;
    if (open_path(reader, set->input) &&
        tw_row_writer_open(&writer, set->output, error) == TW_STATUS_OK) {
        if (follow_path(set, reader, &writer))
            tw_row_writer_finish(&writer, error);
        else
            tw_row_writer_abandon(&writer);
    }
    if (error->status == TW_STATUS_OK) return TW_EXIT_OK;
    return tw_output_fail(command, tw_exit_status_running(error->status), "%s", error->text);
}

int tw_contact_command(int argc, char **argv)
{
    contact_options set = {.given = tw_law_options_none(),
                           .dt = nan(""),
                           .radius_p = nan(""),
                           .radius_q = nan(""),
                           .mass = nan("")};
    tw_args_parse(&command_line, argc, argv, &set);
    path_reader reader = {.error = {TW_STATUS_OK, ""}};
    const int result = run(argv[0], &set, &reader);
    tw_csv_close(&reader.csv);
    return result;
}
