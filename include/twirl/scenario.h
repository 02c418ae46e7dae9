/* SPDX-License-Identifier: BSD-3-Clause */
/* Scenario files: a specimen, the stages of its loading, and what is written about it.
 *
 *     tw_scenario_errors errors;
 *     tw_scenario *scenario = tw_scenario_read("triaxial.yaml", NULL, 0, &errors);
 *     if (!scenario)
 *         for (size_t i = 0; i < errors.count; i++) puts(errors.text[i]);
 *     ...
 *     tw_scenario_errors_free(&errors);
 *     tw_scenario_free(scenario);
 *
 * The language is described in docs/guide/scenario.md; docs/guide/keys.md lists every key. A field
 * has the name of its key and means what the key means. What is here is resolved: defaults are
 * filled in, units are SI, paths of files are absolute. A key that does not apply is not set:
 * NaN for a number, TW_SCENARIO_NONE for a count, -1 for a choice, TW_SCENARIO_NO_SET for a set,
 * NULL for a text.
 *
 * Stresses and strains are positive in compression, as in soil mechanics; the engine's strain rates
 * are positive in extension. Strains are logarithmic.
 */
#ifndef TWIRL_SCENARIO_H
#define TWIRL_SCENARIO_H

#include <math.h>
#include <stddef.h>
#include <stdint.h>

#include <twirl/contact.h>
#include <twirl/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A word in place of a number. Numbers read from a file are always finite. */
#define TW_SCENARIO_AUTO (-HUGE_VAL) /* "auto": determined by the program */
#define TW_SCENARIO_HOLD HUGE_VAL    /* "hold": keep the value at the start of the stage */

#define TW_SCENARIO_NONE UINT64_MAX   /* a count that is not set */
#define TW_SCENARIO_NO_SET UINT32_MAX /* a set that is not set */

/* ---- Choices: constant, word in the file, meaning ---- */

#define TW_SCENARIO_ARRANGEMENTS(X)                                                                \
    X(RANDOM, "random", "grains at random places, then compressed")                                \
    X(FCC, "fcc", "face-centred cubic lattice of touching spheres; count is 4 n^3")                \
    X(CUBIC, "cubic", "simple cubic lattice of touching spheres; count is n^3")

#define TW_SCENARIO_SHAPES(X)                                                                      \
    X(SPHERE, "sphere", "a single sphere")                                                         \
    X(BUMPY, "bumpy", "Kuhn's bumpy grain: a central sphere and satellites")                       \
    X(CLUSTER, "cluster", "any rigid cluster, given by its spheres")

#define TW_SCENARIO_DISTRIBUTIONS(X)                                                               \
    X(MONO, "mono", "all grains have the diameter d")                                              \
    X(UNIFORM, "uniform", "equally likely between d_min and d_max")                                \
    X(LOGNORMAL, "lognormal", "the logarithm of the diameter is normal, cut at d_min and d_max")   \
    X(GRADING, "grading", "a grading curve, by mass")

#define TW_SCENARIO_WEIGHTS(X)                                                                     \
    X(NUMBER, "number", "the distribution counts grains")                                          \
    X(VOLUME, "volume", "the distribution counts their volume, as a sieve does")

#define TW_SCENARIO_AXES(CHOICE)                                                                   \
    CHOICE(X, "x", "")                                                                             \
    CHOICE(Y, "y", "")                                                                             \
    CHOICE(Z, "z", "")

#define TW_SCENARIO_PLANES(X)                                                                      \
    X(XY, "xy", "what lies ahead in y moves along x")                                              \
    X(XZ, "xz", "what lies ahead in z moves along x")                                              \
    X(YZ, "yz", "what lies ahead in z moves along y")

#define TW_SCENARIO_DIRECTIONS(X)                                                                  \
    X(COMPRESSION, "compression", "the axis gets shorter")                                         \
    X(EXTENSION, "extension", "the axis gets longer")                                              \
    X(FORWARD, "forward", "simple shear along the positive axis")                                  \
    X(BACKWARD, "backward", "simple shear along the negative axis")

#define TW_SCENARIO_CONSTANTS(X)                                                                   \
    X(NORMAL_STRESS, "normal_stress", "the height follows so that the normal stress stays")        \
    X(VOLUME_CONSTANT, "volume", "the height stays")

#define TW_SCENARIO_HOLDS(X)                                                                       \
    X(HOLD_STRAIN, "strain", "the cell stands still")                                              \
    X(HOLD_STRESS, "stress", "the cell follows so that the six stresses stay")

#define TW_SCENARIO_SHEARS(X)                                                                      \
    X(SHEAR_PURE, "pure", "shear without spin: the velocity gradient is symmetric")                \
    X(SHEAR_SIMPLE, "simple", "shear as in plane: the gradient is an upper triangle")

#define TW_SCENARIO_SPACES(X)                                                                      \
    X(RENDULIC, "rendulic", "axisymmetric directions, equal angles in the Rendulic plane")         \
    X(SPHERE_OF_DIRECTIONS, "sphere", "principal directions, spread evenly over a sphere")

#define TW_SCENARIO_PATHS(X)                                                                       \
    X(ISOTROPIC, "isotropic", "all three normal stresses to one pressure, shear stresses to zero") \
    X(OEDOMETER, "oedometer", "one axis is strained, the others stand still")                      \
    X(TRIAXIAL, "triaxial", "drained: one axis is strained, the lateral stress is constant")       \
    X(CONSTANT_P, "constant_p", "one axis is strained, the mean stress is constant")               \
    X(TRUE_TRIAXIAL, "true_triaxial",                                                              \
      "p and the Lode angle are constant, the deviator q grows by strain")                         \
    X(UNDRAINED, "undrained", "one axis is strained, the others equally so that the volume stays") \
    X(SIMPLE_SHEAR, "simple_shear", "one plane is sheared, the normal stress or volume constant")  \
    X(CYCLIC, "cyclic", "another path back and forth")                                             \
    X(RELAX, "relax", "no loading, until the grains are in equilibrium")                           \
    X(ROTATE, "rotate", "cell and grains turn rigidly, in increments")                             \
    X(FREE_FLIGHT, "free_flight", "the cell stands still, grains move as they will")               \
    X(GENERAL, "general", "each of the six components in strain rate or stress")                   \
    X(PROBES, "probes", "many small loadings, each from the same state")

#define TW_SCENARIO_MEMBER(name, word, meaning) TW_SCENARIO_##name,
enum tw_scenario_arrangement { TW_SCENARIO_ARRANGEMENTS(TW_SCENARIO_MEMBER) };
enum tw_scenario_shape_kind { TW_SCENARIO_SHAPES(TW_SCENARIO_MEMBER) };
enum tw_scenario_distribution { TW_SCENARIO_DISTRIBUTIONS(TW_SCENARIO_MEMBER) };
enum tw_scenario_weight { TW_SCENARIO_WEIGHTS(TW_SCENARIO_MEMBER) };
enum tw_scenario_axis { TW_SCENARIO_AXES(TW_SCENARIO_MEMBER) };
enum tw_scenario_plane { TW_SCENARIO_PLANES(TW_SCENARIO_MEMBER) };
enum tw_scenario_direction { TW_SCENARIO_DIRECTIONS(TW_SCENARIO_MEMBER) };
enum tw_scenario_constant { TW_SCENARIO_CONSTANTS(TW_SCENARIO_MEMBER) };
enum tw_scenario_hold { TW_SCENARIO_HOLDS(TW_SCENARIO_MEMBER) };
enum tw_scenario_shear { TW_SCENARIO_SHEARS(TW_SCENARIO_MEMBER) };
enum tw_scenario_space { TW_SCENARIO_SPACES(TW_SCENARIO_MEMBER) };
enum tw_scenario_path { TW_SCENARIO_PATHS(TW_SCENARIO_MEMBER) };
#undef TW_SCENARIO_MEMBER

/* ---- The specimen ---- */

/* `count` rows of numbers, one behind the other. */
typedef struct tw_scenario_rows {
    double *value;
    size_t count;
} tw_scenario_rows;

typedef struct tw_scenario_shape {
    int32_t shape;
    double share; /* by number of grains, relative to the other shapes [-] */
    uint64_t satellites;
    double satellite_radius, central_radius, distance; /* relative to each other [-] */
    tw_scenario_rows spheres; /* x, y, z, radius, relative to each other [-] */
} tw_scenario_shape;

/* Diameters are those of spheres of the same volume as the grain. */
typedef struct tw_scenario_sizes {
    int32_t distribution, by;
    double d, d50, deviation, d_min, d_max; /* [m], deviation of ln d [-] */
    tw_scenario_rows curve;                 /* diameter [m], share of the mass that is finer [-] */
} tw_scenario_sizes;

typedef struct tw_scenario_cell {
    double aspect[3]; /* lengths of the edges, relative to each other [-] */
    double tilt[3];   /* xy, xz, yz: by how much of its height an edge leans [-] */
} tw_scenario_cell;

typedef struct tw_scenario_preparation {
    double pressure;              /* [Pa] */
    double porosity, void_ratio;  /* one of them, or none [-] */
    double friction;              /* or TW_SCENARIO_AUTO [-] */
    double tolerance;             /* of the void ratio, where friction is found [-] */
    double start_porosity;        /* [-] */
    double rate, inertial_number; /* one of them [1/s], [-] */
    double unbalanced;            /* [-] */
} tw_scenario_preparation;

/* One of file, checkpoint, or neither: then the rest says how it is made. */
typedef struct tw_scenario_specimen {
    char *file, *checkpoint;
    uint64_t count, seed;
    int32_t arrangement;
    tw_scenario_shape *shapes;
    size_t shape_count;
    tw_scenario_sizes sizes;
    tw_scenario_cell cell;
    tw_scenario_preparation preparation;
} tw_scenario_specimen;

/* ---- Material and method; with a checkpoint, what is not set is as the checkpoint has it ---- */

typedef struct tw_scenario_material {
    double kn;              /* [N/m] */
    double stiffness_level; /* not set: kn is, from it */
    double kt_ratio;        /* kt/kn [-] */
    double friction;        /* [-] */
    double density;         /* [kg/m^3] */
    double contact_damping; /* [N s/m] */
    int32_t law;            /* a tw_contact_kind */
    uint32_t without;       /* refinements that are off, bits of contact.h */
} tw_scenario_material;

typedef struct tw_scenario_damping {
    double local, mass, spin; /* [-], [1/s], [1/s] */
} tw_scenario_damping;

typedef struct tw_scenario_time_step {
    double fraction, dt; /* one of them: of the stable step [-], [s] */
    int32_t force;
    double mass_scale; /* [-] */
} tw_scenario_time_step;

/* ---- Stages ---- */

/* Of the six: in rate or in stress, the other is not set. */
typedef struct tw_scenario_component {
    double rate;   /* [1/s] */
    double stress; /* or TW_SCENARIO_HOLD [Pa] */
    double ramp;   /* time in which the target is approached; not set: at once [s] */
} tw_scenario_component;

enum { TW_SCENARIO_COMPONENTS = 6 }; /* xx, yy, zz, yz, xz, xy */

typedef struct tw_scenario_control {
    int32_t shear;
    tw_scenario_component component[TW_SCENARIO_COMPONENTS];
} tw_scenario_control;

typedef struct tw_scenario_cycle {
    int32_t base;          /* a path */
    double strain, stress; /* one of them [-], [Pa] */
} tw_scenario_cycle;

typedef struct tw_scenario_rotation {
    double axis[3]; /* of any length [-] */
    double angle;   /* [rad] */
    uint64_t increments;
} tw_scenario_rotation;

/* A law, and refinements that are off, bits of contact.h. */
typedef struct tw_scenario_variant {
    int32_t law;
    uint32_t without;
} tw_scenario_variant;

typedef struct tw_scenario_probes {
    int32_t space;
    uint64_t count, steps;
    double strain, stress;         /* one of them [-], [Pa] */
    uint32_t laws;                 /* bit k: law k of tw_contact_kind */
    tw_scenario_variant *variants; /* which run besides */
    size_t variant_count;
    double settle,
        rest; /* unbalanced forces to reach before the probes, and before a measure [-] */
    uint64_t settle_steps, rest_steps; /* the most that this may take */
    int32_t unload, no_slip;
} tw_scenario_probes;

/* The first that comes ends the stage. */
typedef struct tw_scenario_end {
    double strain, stress, q, pressure, stress_ratio, time, unbalanced;
    uint64_t steps, cycles;
} tw_scenario_end;

typedef struct tw_scenario_stage {
    char *name;
    int32_t path;
    char *from, *save; /* states; from: not set: go on from the stage before */
    int32_t axis, plane, direction;
    double rate, inertial_number;                   /* one of them [1/s], [-] */
    double pressure, lateral_stress, normal_stress; /* or TW_SCENARIO_HOLD [Pa] */
    double lode_angle; /* 0: compression along axis; the stress along the k-th axis, counted
                          cyclically from `axis`, is p + 2/3 q cos(lode_angle - k 120 deg) [rad] */
    int32_t constant, hold;
    tw_scenario_control control;
    tw_scenario_cycle cycle;
    tw_scenario_rotation rotation;
    tw_scenario_probes probes;
    tw_scenario_end end;
    /* in force during this stage */
    double friction;
    int32_t law;
    uint32_t without;
    tw_scenario_damping damping;
} tw_scenario_stage;

/* ---- Output ---- */

typedef struct tw_scenario_history {
    uint64_t steps;
    double strain;
} tw_scenario_history;

typedef struct tw_scenario_checkpoints {
    double wall_time; /* or steps [s] */
    uint64_t steps;
} tw_scenario_checkpoints;

typedef struct tw_scenario_frames {
    uint64_t steps; /* or strain; neither: no frames on the way */
    double strain;
    int32_t stages; /* 1: a frame at the end of each stage */
} tw_scenario_frames;

typedef struct tw_scenario_output {
    tw_scenario_history history;
    tw_scenario_checkpoints checkpoint;
    tw_scenario_frames vtk, lammps;
} tw_scenario_output;

typedef struct tw_scenario {
    char *title;
    tw_scenario_specimen specimen;
    tw_scenario_material material;
    tw_scenario_damping damping;
    tw_scenario_time_step time_step;
    tw_scenario_stage *stages;
    size_t stage_count;
    tw_scenario_output output;
} tw_scenario;

/* ---- Reading and writing ---- */

/* What is wrong with a scenario, each a line "FILE:LINE:COLUMN: KEY: what is wrong; what is right",
 * or "--set SETTING: KEY: ..." for what came from a setting. */
typedef struct tw_scenario_errors {
    char **text;
    size_t count;
    int memory; /* 1: there was no memory; then `text` may be incomplete or empty */
} tw_scenario_errors;

void tw_scenario_errors_free(tw_scenario_errors *errors);

/* Reads, applies settings "KEY=VALUE" in their order, checks and resolves. NULL: `errors` lists all
 * that is wrong. Files the scenario names must be there; they are not read. */
tw_scenario *tw_scenario_read(const char *path, const char *const *settings, size_t count,
                              tw_scenario_errors *errors);

/* The same for text in memory. `name` stands for the file in messages; paths of files are relative
 * to its folder. */
tw_scenario *tw_scenario_read_text(const char *text, size_t length, const char *name,
                                   const char *const *settings, size_t count,
                                   tw_scenario_errors *errors);

void tw_scenario_free(tw_scenario *scenario);

/* As YAML: reading it gives the same scenario, to the bit. NULL: out of memory; else to be freed.
 */
char *tw_scenario_write_text(const tw_scenario *scenario);

/* Puts what is set of the material, and of a stage where it is not NULL, in place of what the law
 * has. */
void tw_scenario_put_law(const tw_scenario *scenario, const tw_scenario_stage *stage,
                         tw_contact_law *law);

/* A rough count of the steps of stage `stage`, 0 where it cannot be told before it is run. */
uint64_t tw_scenario_stage_steps(const tw_scenario *scenario, size_t stage);

/* Mean diameter of a generated specimen by number, roughly [m]; NaN for one from a file. */
double tw_scenario_diameter(const tw_scenario *scenario);

/* "isotropic"; NULL for what is no path. */
const char *tw_scenario_path_name(int32_t path);

/* ---- The list of keys ---- */

/* All texts; empty where there is nothing to say. */
typedef struct tw_scenario_key {
    const char *section; /* "stages[]"; empty for the top */
    const char *about;   /* what the section is */
    const char *name;    /* "rate" */
    const char *type;    /* "number", "count", "choice", "list of choices", "text", "section" ... */
    const char *unit;    /* "Pa" */
    const char *standard; /* the default */
    const char *range;    /* "above 0" */
    const char *used;     /* "path: triaxial, constant_p" */
    const char *needed;   /* "yes", "path: isotropic" */
    const char *instead;  /* keys that exclude this one: "inertial_number" */
    const char *meaning;
    size_t choices; /* how many */
} tw_scenario_key;

size_t tw_scenario_keys(void);

/* The texts are valid until the next call with the same `room`. */
typedef struct tw_scenario_key_room {
    char text[6][400];
} tw_scenario_key_room;
tw_scenario_key tw_scenario_key_at(size_t index, tw_scenario_key_room *room);

/* A choice of a key: word and meaning. */
const char *tw_scenario_key_choice(size_t index, size_t choice, const char **meaning);

#ifdef __cplusplus
}
#endif

#endif
