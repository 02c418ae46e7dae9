/* SPDX-License-Identifier: BSD-3-Clause */
/* Figures of runs: which there are, what is drawn over what, with which axes. A figure is described
 * here and drawn elsewhere: by gnuplot (`twirl plot`), matplotlib (the Python package) or a page in
 * the browser (`twirl report`). Those that draw know no mechanics.
 *
 *     const char *inputs[] = {"dense", "loose"};
 *     tw_figure_request request = tw_figure_request_default();
 *     request.inputs = inputs;
 *     request.input_count = 2;
 *     char *text;                                           // JSON: src/figure/README.md
 *     if (tw_figure_document_write(&request, &text, &error) == TW_STATUS_OK) ... free(text);
 *
 * or, in C, tw_figure_set_make and the structures below.
 *
 * Texts of figures (labels, units, titles of axes, notes; not titles of lines) have a small markup:
 * {q} is a symbol in italics, _a is a subscript of one character, ^{-3} a superscript.
 *
 * Calls for different objects may overlap in several threads; those for one may not. Source
 * compatible only, before 1.0. */
#ifndef TWIRL_FIGURE_H
#define TWIRL_FIGURE_H

#include <stddef.h>

#include <twirl/history_columns.h>
#include <twirl/scenario.h>
#include <twirl/statics.h>
#include <twirl/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What kind of number something is. */
typedef enum tw_figure_dimension {
    TW_FIGURE_RATIO, /* also counts: no unit is shown */
    TW_FIGURE_STRAIN,
    TW_FIGURE_STRESS,
    TW_FIGURE_ENERGY,
    TW_FIGURE_TIME,
    TW_FIGURE_ANGLE, /* [degrees] */
    TW_FIGURE_VOLUME,
    TW_FIGURE_LENGTH, /* from here on not of histories, but of pictures of grains */
    TW_FIGURE_FORCE,
    TW_FIGURE_SPEED,
    TW_FIGURE_TORQUE,
    TW_FIGURE_DIMENSIONS
} tw_figure_dimension;

/* ---- Histories ----
 *
 * Of a run: history.csv. Columns are found by their names, in any order; an energy may also be
 * called energy_NAME. Others are ignored. */

enum {
    TW_FIGURE_NAME_MAX = 128,
    TW_FIGURE_TEXT_MAX = 256,
    TW_FIGURE_POINT_MAX = 64,
    TW_FIGURE_ERROR_MAX = 4608
};

typedef struct tw_figure_row {
    double value[TW_HISTORY_COLUMN_COUNT]; /* NaN: no such column, empty, "nan", or a text */
} tw_figure_row;

typedef struct tw_figure_rows {
    const tw_figure_row *row;
    size_t count;
} tw_figure_rows;

/* Successive rows of one stage. */
typedef struct tw_figure_part {
    char stage[TW_FIGURE_NAME_MAX]; /* "" if there is no column `stage`; longer names are cut */
    size_t first, count;
} tw_figure_part;

typedef struct tw_figure_history {
    int present[TW_HISTORY_COLUMN_COUNT]; /* by tw_history_column: 1, or 0 */
    tw_figure_part *parts;
    size_t part_count, part_capacity;
    tw_figure_row *rows;
    size_t count, capacity;
    tw_error error; /* why it has not been read, or not to its end */
} tw_figure_history;

/* Name of a column, what it is for people, and its dimension. */
TW_API const char *tw_figure_history_name(tw_history_column column);
TW_API const char *tw_figure_history_text(tw_history_column column);
TW_API tw_figure_dimension tw_figure_history_dimension(tw_history_column column);

/* 0: see error, which names file, line and column. Free the history even after a failure. */
TW_API int tw_figure_history_read(tw_figure_history *history, const char *path);
TW_API void tw_figure_history_free(tw_figure_history *history);

/* NULL: there is no row of this stage. */
TW_API const tw_figure_part *tw_figure_history_part(const tw_figure_history *history,
                                                    const char *stage);

/* The rows of a stage of the history read from `path`. 0: there are none, see error. */
TW_API int tw_figure_history_find(tw_figure_history *history, const char *path, const char *stage,
                                  tw_figure_rows *rows);

/* ---- Runs ---- */

/* What a reader should know before trusting the rows of a stage (docs/guide/output.md): calls
 * `tell` with each sentence. */
TW_API void tw_figure_warnings(const tw_figure_history *history, const tw_scenario_stage *stage,
                               void (*tell)(void *target, const char *text), void *target);

/* Largest residual of the energy balance over the energy that the rows are about: put in,
 * dissipated by friction or stored, whichever is most. NaN: there is none. */
TW_API double tw_figure_energy_error(tw_figure_rows rows);

/* Above this the time step is too large. */
#define TW_FIGURE_ENERGY_LIMIT 1e-3

/* ---- Series: rows that are one curve ---- */

typedef struct tw_figure_series {
    size_t run;                          /* number of the input */
    char stage[TW_FIGURE_NAME_MAX];      /* "" if there is none */
    char label[TW_FIGURE_TEXT_MAX];      /* in keys */
    const tw_figure_history *history;    /* of which it has rows */
    size_t first, count;                 /* these */
    size_t part, part_count;             /* number of its first stage in the history; how many are
                                            one test, 0 or 1: it is a stage */
    const tw_scenario_stage *definition; /* of the stage that is of `kind`; NULL: not known */
    unsigned kinds;                      /* of paths: bit k is the kind k */
    int kind;        /* the first of these: a number that tw_figure_kind_name has a name for */
    int axis;        /* the axial direction, 0 to 2 */
    int drawn;       /* 1: figures show it; 0: only its numbers are there */
    double **values; /* by number of quantity; NULL: no row has a number */
} tw_figure_series;

/* "triaxial", "cyclic_undrained", "rest" ...; NULL: there is no such kind. */
TW_API const char *tw_figure_kind_name(int kind);

/* ---- Quantities ---- */

typedef struct tw_figure_quantity {
    const char *name;  /* in curves.csv and documents: "axial_strain" */
    const char *label; /* at an axis */
    const char *word;  /* in the key of a figure with several quantities */
    tw_figure_dimension dimension;
    int zero; /* 1: an axis of it includes 0 */
} tw_figure_quantity;

TW_API size_t tw_figure_quantity_count(void);
TW_API const tw_figure_quantity *tw_figure_quantity_at(size_t number);

/* SIZE_MAX: there is none of this name. */
TW_API size_t tw_figure_quantity_find(const char *name);

/* Fills `values` of a series from its rows, history, kind, axis and definition, for the caller to
 * free. 0: out of memory. */
TW_API int tw_figure_quantity_compute(tw_figure_series *series);

/* ---- Results: a test as numbers. docs/guide/sweep.md has the definitions ---- */

typedef struct tw_figure_result {
    const char *name, *text; /* "peak_ratio"; for people */
    tw_figure_dimension dimension;
} tw_figure_result;

/* "Pa", "deg"; "": none */
TW_API const char *tw_figure_result_unit(const tw_figure_result *result);

TW_API size_t tw_figure_result_count(void);
TW_API const tw_figure_result *tw_figure_result_at(size_t number);

/* Whether paths of this kind have the result. */
TW_API int tw_figure_result_applies(const tw_figure_series *series, size_t number);

/* Writes all results of a series with its quantities and history, by number; NaN: it does not have
 * it. 0: out of memory. */
TW_API int tw_figure_result_compute(const tw_figure_series *series, double *values);

/* y where x first reaches `at`, from either side, on the piecewise linear curve y(x); NaN: it does
 * not. */
TW_API double tw_figure_result_where(const double *x, const double *y, size_t count, double at);

/* ---- Figures ---- */

typedef struct tw_figure_axis {
    char label[TW_FIGURE_NAME_MAX];
    char unit[32];            /* "": none */
    const char *quantity;     /* or column that it shows; NULL: another number */
    int zero;                 /* 1: 0 belongs to the range */
    double factor;            /* shown value over value in SI units */
    double low, high;         /* as shown, here and below */
    double step;              /* between numbers; 0: logarithmic, or `words` */
    int decimals;             /* of the numbers */
    int log;                  /* 1: logarithmic */
    int plain;                /* 1: label and unit have no markup */
    const char *const *words; /* at 0, 1, 2 ... in place of numbers; NULL: none */
    size_t word_count;
} tw_figure_axis;

typedef struct tw_figure_tick {
    double at;     /* as shown */
    char text[24]; /* "": a small one */
} tw_figure_tick;

/* A linear axis of numbers without unit: round ends near the data. */
TW_API tw_figure_axis tw_figure_axis_around(double low, double high);

/* The ticks in the range of the axis; at most `capacity` are written. Returns their number. */
TW_API size_t tw_figure_axis_ticks(const tw_figure_axis *axis, tw_figure_tick *ticks,
                                   size_t capacity);

/* Leaves a linear axis of a small figure at most six numbers, which it has room for. */
TW_API void tw_figure_axis_thin(tw_figure_axis *axis);

/* Number of characters of the longest number at a tick. */
TW_API int tw_figure_axis_characters(const tw_figure_axis *axis);

/* A line through numbers of a series. */
typedef struct tw_figure_line {
    size_t series, x, y; /* number of the series, numbers of quantities */
    const char *title;   /* in the key; "": none */
    int plain;           /* 1: the title has no markup */
    int style;           /* from 1: colour and dashes */
    int second;          /* 1: y is that of the second axis */
    int dash;            /* 0: as the style has it; 1: full, 2: dashed ... */
    char colour[8];      /* "#rrggbb"; "": as the style has it */
    double width;        /* [0.5 pt]; 0: the usual one */
} tw_figure_line;

typedef enum tw_figure_shape_kind {
    TW_FIGURE_CURVE,  /* a line through the points */
    TW_FIGURE_POINTS, /* marks */
    TW_FIGURE_ARROW,  /* from the first point to the second */
    TW_FIGURE_NOTE    /* the title, at the first point */
} tw_figure_shape_kind;

/* What has numbers of its own: circles, sections, strength, arrows. */
typedef struct tw_figure_shape {
    tw_figure_shape_kind kind;
    char title[TW_FIGURE_TEXT_MAX]; /* in the key; "": none */
    int plain;                      /* 1: the title has no markup */
    int style;    /* as that of lines; 0: black, -1: dark grey, -2: grey, -3: light grey */
    int dash;     /* 0: as the style has it; 1: full, 2: dashed ... */
    int mark;     /* of POINTS: 1 disc, 2 square, 3 triangle, 4 diamond, 5 cross, 6 plus; on a CURVE
                     0: none */
    int side;     /* of NOTE: -1 left of the point, 0 centred, 1 right of it */
    double width; /* of the line [0.5 pt] */
    double (*at)[2];                    /* in the units of the axes; NaN interrupts a curve */
    double *deviation;                  /* half length of error bars, or half the height of a band
                                           along a CURVE without marks; NULL: none */
    char (*texts)[TW_FIGURE_POINT_MAX]; /* what each point is: "probe 3, angle 45°"; NULL: none */
    size_t count;                       /* 0: only the entry in the key */
    char colour[8];                     /* as that of lines */
} tw_figure_shape;

/* A surface in space, of the view of a response envelope. */
typedef struct tw_figure_surface {
    double (*points)[3]; /* in the unit of the axes */
    double *shares;      /* of the points, 0 to 1: from white to the full colour; NaN: not known */
    size_t point_count;
    size_t (*triangles)[3]; /* counterclockwise from outside */
    size_t triangle_count;
    double reach;                       /* largest coordinate */
    double radius[3];                   /* from the origin to the surface along the axes */
    char labels[3][TW_FIGURE_NAME_MAX]; /* of the axes in space */
} tw_figure_surface;

typedef enum tw_figure_key {
    TW_FIGURE_KEY_NONE,
    TW_FIGURE_KEY_TOP_RIGHT,
    TW_FIGURE_KEY_TOP_LEFT,
    TW_FIGURE_KEY_BOTTOM_RIGHT,
    TW_FIGURE_KEY_BOTTOM_LEFT,
    TW_FIGURE_KEY_ABOVE,  /* the frame */
    TW_FIGURE_KEY_BESIDE, /* right of the frame */
} tw_figure_key;

/* Whatever is not used is 0 or NULL. */
typedef struct tw_figure {
    char name[2 * TW_FIGURE_NAME_MAX]; /* of files; unique in a set */
    const char
        *kind; /* its entry in the table of figures: "stress_ratio" of "stress_ratio_shear" */
    const char *group;                  /* of paths: "axial", "shear" ...; "probes" */
    const char *title;                  /* for people: "Stress ratio" */
    const char *stage;                  /* of a figure of one series, or of probes; NULL: of all */
    size_t run;                         /* of that stage */
    char sheet[2 * TW_FIGURE_NAME_MAX]; /* figures with the same one are panels of one picture */
    tw_figure_axis x, y;
    tw_figure_axis second; /* at the right, of lines that say so; without quantity: none */
    int equal;             /* 1: both axes have the same scale */
    int bare;              /* 1: without frame, numbers and labels */
    tw_figure_line *lines;
    size_t line_count;
    tw_figure_shape *shapes; /* behind the lines, except marks, arrows and notes */
    size_t shape_count;
    tw_figure_surface *surface; /* NULL: it is flat */
    tw_figure_key key;
} tw_figure;

typedef struct tw_figure_request {
    const char *const *inputs; /* folders of runs, or histories */
    size_t input_count;
    /* One input: its stages that load, or those named. Several inputs: one curve of each, the last
     * that loads or the one named; a single name stands for all, "" for the last that loads.
     * "load,unload" are two stages of one input. */
    const char *const *stages;
    size_t stage_count;
    const char *const *labels; /* one for each curve, with `every` for each input; 0: chosen */
    size_t label_count;
    int apart;            /* 1: every stage is a curve; 0: successive ones without `from` are one */
    int axis;             /* 0 to 2: axial direction of histories without scenario */
    double width, height; /* of figures [cm], for the place of the key */
    double font_size;     /* [pt] */
    int percent;          /* 1: strains in per cent */
    int every; /* 1: the numbers of all stages, and of several inputs all figures that any of them
                  has, without those that cannot be read; 0: figures that all of them have */
    int mixed; /* 1: of several inputs all figures that any of them has; their rows are not kept */
    int columns;        /* 1: the document refers to columns of the history where it can */
    size_t from;        /* the document has numbers from this row of the history on */
    const char *x, *y;  /* quantities or columns of the history: one more figure, "curve". x NULL:
                           that of the path */
    int log[2];         /* 1: the axis x, y of figures of quantities is logarithmic */
    double range[2][2]; /* of these axes, as shown; NaN: chosen */
    const char *law; /* of response envelopes; NULL: the first of the probes, or with `every` all */
} tw_figure_request;

TW_API tw_figure_request tw_figure_request_default(void);

typedef struct tw_figure_run {
    const char *input; /* as given */
    int folder;        /* 1: the folder of a run; 0: a history on its own */
    tw_figure_history history;
    tw_scenario *scenario;             /* NULL: none */
    char warning[TW_FIGURE_ERROR_MAX]; /* "", or why there is none, or no history */
    struct tw_figure_table *tables;    /* series beside the history, by tw_run_series_at; or NULL */
} tw_figure_run;

typedef struct tw_figure_set {
    tw_figure_run *runs;
    size_t run_count;
    tw_figure_series *series;
    size_t series_count, series_capacity;
    tw_figure *figures;
    size_t figure_count, figure_capacity;
} tw_figure_set;

/* TW_STATUS_INPUT: the error names file, line and column, or the member of the request. A set
 * without figures is no error. Free the set even after a failure. */
TW_API tw_status tw_figure_set_make(tw_figure_set *set, const tw_figure_request *request,
                                    tw_error *error);

/* As tw_figure_set_make, without figures: runs and series only. */
TW_API tw_status tw_figure_set_read(tw_figure_set *set, const tw_figure_request *request,
                                    tw_error *error);

/* The series whose results stand for the run: the last one that shears, compresses or has cycles,
 * or the last one. NULL: there is none. */
TW_API const tw_figure_series *tw_figure_set_main(const tw_figure_set *set, size_t run);

TW_API void tw_figure_set_free(tw_figure_set *set);

/* ---- Strength over several tests ----
 *
 * Principal stresses, p and q at the largest stress ratio of tests, the envelope of their circles,
 * and the line through the origin of q over p, both by least squares. */

typedef struct tw_figure_strength_point {
    const char *label;
    double s1, s3, p, q; /* [Pa] */
} tw_figure_strength_point;

typedef struct tw_figure_strength {
    double cohesion; /* [Pa] */
    double angle;    /* [degrees] */
    double ratio;    /* M of q = M p */
} tw_figure_strength;

/* Points of the series that are drawn and compress or extend along an axis, at the peak or in the
 * last row (end: 1); there is room for as many as there are series. Returns their number. */
TW_API size_t tw_figure_strength_points(const tw_figure_set *set, int end,
                                        tw_figure_strength_point *points);

/* 0: fewer than two points, or minor principal stresses within 25 % of each other, which tests at
 * one pressure may be. Points without numbers do not count. */
TW_API int tw_figure_strength_fit(const tw_figure_strength_point *points, size_t count,
                                  tw_figure_strength *strength);

/* ---- Figures of your own, in a set that begins as zeros ---- */

/* A new figure of the set, named as its kind; NULL: out of memory. It moves when another is added.
 */
TW_API tw_figure *tw_figure_parts_figure(tw_figure_set *set, const char *kind, const char *group,
                                         const char *title);

/* A shape with room for `count` points; NULL: out of memory. It moves when another is added. */
TW_API tw_figure_shape *tw_figure_parts_shape(tw_figure *figure, tw_figure_shape_kind kind,
                                              const char *title, size_t count);

/* A line through two quantities of a series; `title` NULL: its label. 0: out of memory. */
TW_API int tw_figure_parts_line(tw_figure *figure, const tw_figure_set *set, size_t series,
                                size_t x, size_t y, const char *title);

/* Characters of a title that are seen; one that is not plain has markup. */
TW_API size_t tw_figure_parts_characters(const char *text, int plain);

/* Widens linear axes without quantity to all shapes with their deviations, x beyond them by this
 * share of its range; an axis that has no range yet has low above high. */
TW_API void tw_figure_parts_cover(tw_figure *figure, double margin);

/* Replaces the lines of the first figure by means over each group of them, with bands of the
 * standard deviation, over the range of x that all of a group have. Returns the number of lines in
 * the largest group; 0: nothing has changed, as none has two lines, or x of one goes back and
 * forth; -1: out of memory. */
TW_API int tw_figure_means_replace(tw_figure_set *set, const size_t *group_of_line, size_t groups);

/* The figures mohr and failure, or mohr_end of points in the last rows, if they have a strength.
 * 0: out of memory. */
TW_API int tw_figure_strength_add(tw_figure_set *set, const tw_figure_strength_point *points,
                                  size_t count, int end);

/* "forces": probability density of normal forces [N] over their mean, of all contacts and of those
 * that slide. Strong contacts are those above the mean. TW_STATUS_INPUT: there are no forces. */
TW_API tw_status tw_figure_forces_add(tw_figure_set *set, const double *force,
                                      const unsigned char *sliding, size_t count, tw_error *error);

/* Figures of a table of rates by direction, as twirl/statics.h writes it: rates_envelope and
 * rates_work, with NAME_ in front unless `name` is "". */
TW_API tw_status tw_figure_rates_add(tw_figure_set *set, const char *path, const char *name,
                                     tw_error *error);

/* Directions over a sphere; the first is along z. */
enum { TW_FIGURE_YOUNG_DIRECTIONS = 1202 };
TW_API tw_vec3 tw_figure_young_direction(size_t number);

/* Young's modulus by direction: "young" is the surface, young_xy, young_xz and young_yz its
 * sections, with the isotropic fit. Nothing of a stiffness that is not definite. */
TW_API tw_status tw_figure_young_add(tw_figure_set *set, const tw_statics_moduli *moduli,
                                     tw_error *error);

/* ---- The document ---- */

/* The set as a JSON document (src/figure/README.md), for the caller to free; NULL: out of memory.
 */
TW_API char *tw_figure_document_text(const tw_figure_set *set, const tw_figure_request *request);

/* Its member `figures` alone, for figures of your own. */
TW_API char *tw_figure_document_figures(const tw_figure_set *set);

/* A set and its document in one. */
TW_API tw_status tw_figure_document_write(const tw_figure_request *request, char **text,
                                          tw_error *error);

#ifdef __cplusplus
}
#endif

#endif
