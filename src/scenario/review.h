/* SPDX-License-Identifier: BSD-3-Clause */
/* Checks across keys, which the list of keys cannot express, and what they are made with. A section
 * that already has an error is skipped. */
#ifndef TW_SCENARIO_REVIEW_H
#define TW_SCENARIO_REVIEW_H

#include <stdbool.h>

#include <twirl/scenario.h>

#include "scenario/tree.h"

typedef struct tw_review {
    const tw_scenario *scenario;
    tw_tree_node *root;
    tw_diagnostics *diagnostics;
} tw_review;

/* Whether a section is given and has no error so far. */
bool tw_review_is_valid(const tw_tree_node *node);

/* Whether a value is a number without unit or percent sign. */
bool tw_review_is_bare(const tw_tree_node *value);

/* Reports "KEY: message" at the value of `key` in `map`, or at the map if it has no such key. */
void tw_review_error(const tw_review *review, tw_tree_node *map, const char *key,
                     const char *format, ...) TW_PRINTF_LIKE(4, 5);

/* Reports a warning in the same way. It leaves the section valid. */
void tw_review_warn(const tw_review *review, tw_tree_node *map, const char *key, const char *format,
                    ...) TW_PRINTF_LIKE(4, 5);

/* What is wrong with a key of `map`, if it is. Each of a table is reported as above. */
typedef struct tw_review_row {
    bool wrong;
    const char *key, *why;
} tw_review_row;

#define TW_REVIEW_ROWS(review, map, rows)                                                          \
    tw_review_rows(review, map, rows, sizeof(rows) / sizeof *(rows))
void tw_review_rows(const tw_review *review, tw_tree_node *map, const tw_review_row *rows,
                    size_t count);

/* Sets defaults that depend on other keys in a scenario that has passed all checks. False: out of
 * memory. Idempotent. */
bool tw_scenario_resolve(tw_scenario *scenario);

/* What the kernel finds wrong with the law of two materials in a stage, NULL: the specimen, of a
 * resolved scenario; NULL: nothing. */
const char *tw_scenario_check_law(const tw_scenario *scenario, const tw_scenario_stage *stage,
                                  size_t a, size_t b);

/* Whether contacts of this material have a constant: tw_material_has. */
bool tw_scenario_has_constant(const tw_scenario_material *material, const char *name);

typedef struct tw_scenario_name {
    char text[96];
} tw_scenario_name;

/* The name of a stage, as given, or "2_triaxial". */
tw_scenario_name tw_scenario_stage_name(const tw_scenario *scenario, size_t stage);

/* The number of a state on the way in `stage` by its name, 3 for STAGE_000003; 0: not such a name,
 * or the stage saves none. */
uint64_t tw_scenario_on_way(const tw_scenario *scenario, size_t stage, const char *name);

/* The stage among the first `count` at whose end the state `name` is kept: the one that saves it,
 * or has this name; `count`: none. */
size_t tw_scenario_at_end(const tw_scenario *scenario, size_t count, const char *name);

/* The Lode angle of a true triaxial stage, given as such or as `b` [rad]. */
double tw_scenario_lode_angle(const tw_scenario_stage *stage);

/* What is known about the stress at the start of a stage before the scenario is run. */
typedef struct tw_scenario_stress {
    double p;       /* mean stress [Pa]; NaN: not known */
    bool isotropic; /* known to be isotropic */

    /* Direction of the deviator in the pi-plane: the stress along axis j is
     * p +- 2/3 q cos(angle - j 120 deg). NaN: isotropic, or not known [rad] */
    double angle;

    const tw_scenario_stage *before; /* the stage that this state is of; NULL: the specimen */
} tw_scenario_stress;

/* At the start of each stage, for the caller to free; NULL: out of memory, or no stages. */
tw_scenario_stress *tw_scenario_predict_stresses(const tw_scenario *scenario);

/* The direction in which a stage loads, as `angle` above; NaN: none. */
double tw_scenario_stress_direction(const tw_scenario_stage *stage);

/* Whether two directions are known and differ, apart from the sign. */
bool tw_scenario_stress_directions_differ(double a, double b);

/* What a distribution of diameters says about the grains. */
typedef struct tw_scenario_grain_sizes {
    double smallest, largest; /* diameters [m] */
    double mean;              /* diameter of the grain of mean volume [m] */
} tw_scenario_grain_sizes;

/* NaN where the distribution is not known. */
tw_scenario_grain_sizes tw_scenario_find_grain_sizes(const tw_scenario_sizes *sizes);

/* The side of a cube of the volume of the cell of a random specimen, before it is prepared, in mean
 * diameters. */
double tw_scenario_cell_side(const tw_scenario_specimen *specimen);

/* How stiff grains are at a pressure: about the inverse of the overlap, relative to the diameter.
 *
 * A contact that carries p d^2 has the overlap d/level. That is kn/(p d) for linear springs. Two
 * Hertz spheres of diameter d have fn = (2/3) E* sqrt(d) zeta^(3/2), 1/E* = 2 (1 -
 * poisson^2)/young, and hence the level (young/(3 p (1 - poisson^2)))^(2/3).
 *
 * The level of the softest material; NaN where p or d is not known. */
double tw_scenario_least_stiffness_level(const tw_scenario *scenario, double p,
                                         const tw_scenario_material **softest);

/* The stable time step, before there is a simulation: for the smallest grain of a generated
 * specimen, a sphere with that many contacts, by the laws of `stage` unless it is NULL; `p` is the
 * pressure, on which the stiffness of Hertz contacts depends. NaN where it is not known [s]. */
double tw_scenario_stable_step(const tw_scenario *scenario, const tw_scenario_stage *stage,
                               double contacts, double p);

/* The time step of a run at this pressure; NaN likewise [s]. */
double tw_scenario_expected_step(const tw_scenario *scenario, const tw_scenario_stage *stage,
                                 double p);

/* The inertial number of a strain rate of 1/s at this pressure; NaN likewise [s]. */
double tw_scenario_inertial_time(const tw_scenario *scenario, double p);

/* Strain rate of a stage at this pressure; NaN likewise [1/s]. */
double tw_scenario_stage_rate(const tw_scenario *scenario, const tw_scenario_stage *stage,
                              double p);

/* Reads the spheres of all shapes that name a file: one per line, x y z r, separated by blanks or
 * commas. A first line may name these columns, in any order; # begins a comment. What is wrong in a
 * file is reported at the key `file`, with its own name and line. */
void tw_scenario_read_shapes(const tw_review *review, tw_scenario_specimen *specimen);

/* Reads the grading curve if it is in a file: a diameter and the mass finer in each line, separated
 * by a comma, semicolon or tab. A value without a unit has that of its column, which a first line
 * names in brackets; # begins a comment. Errors as above. */
void tw_scenario_read_curve(const tw_review *review, tw_scenario_sizes *sizes);

/* Checks a generated specimen and its preparation. */
void tw_review_specimen(const tw_review *review);

/* The section of material `index`, of tw_scenario_material_at; NULL: it is not given. */
tw_tree_node *tw_review_material_node(const tw_review *review, size_t index);

/* Reports a name that is not that of a material; NULL: none is given. */
void tw_review_mention(const tw_review *review, tw_tree_node *map, const char *key,
                       const char *name);

/* Checks single grains, boundaries, gravity, surfaces and their motions, and what stages ask of
 * surfaces. */
void tw_review_surfaces(const tw_review *review);

/* Checks each material, frictions and the time step. */
void tw_review_material(const tw_review *review);

/* Checks the list of materials, the pairs, and every mention of a material. */
void tw_review_materials(const tw_review *review);

/* Checks the laws of the resolved scenario: by the kernel's own checks, for what statics needs, and
 * for an implausible modulus. */
void tw_review_law(const tw_review *review);

/* Checks whether a resolved scenario makes sense as a computation: size of the cell, stiffness,
 * time step. */
void tw_review_method(const tw_review *review);

/* Checks each stage, and the stages against each other. */
void tw_review_stages(const tw_review *review);

/* Checks the names of the stage at `node`, counted from 0, and of the states that it starts from
 * and saves. */
void tw_review_names(const tw_review *review, tw_tree_node *node, size_t number);

/* Checks whether the stages of a resolved scenario make sense as tests: rates, numbers of steps,
 * jumps of stress, targets beyond the strength of grains, fits of probes. */
void tw_review_loading(const tw_review *review);

#endif
