/* SPDX-License-Identifier: BSD-3-Clause */
/* Scenario files: a specimen, the stages of its loading, and the output.
 *
 *     tw_scenario_errors errors;
 *     tw_scenario *scenario = tw_scenario_read("triaxial.yaml", NULL, 0, &errors);
 *     if (!scenario)
 *         for (size_t i = 0; i < errors.count; i++) puts(errors.text[i]);
 *     ...
 *     tw_scenario_errors_free(&errors);
 *     tw_scenario_free(scenario);
 *
 * docs/guide/scenario.md describes the language, docs/guide/keys.md lists all keys. Fields are
 * named after their keys. A scenario that has been read is resolved: defaults are filled in, units
 * are SI, file paths are absolute. Fields that do not apply are not set: NaN for a number,
 * TW_SCENARIO_NONE for a count, -1 for a choice, TW_SCENARIO_NO_SET for a set, NULL for a text.
 *
 * Stresses and strains are positive in compression, as in soil mechanics; the engine's strain rates
 * are positive in extension. Strains are logarithmic.
 *
 * Calls for different objects may overlap in several threads; those for one may not. Source
 * compatible only, before 1.0.
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

/* Words in place of numbers. Numbers read from a file are always finite. */
#define TW_SCENARIO_AUTO (-HUGE_VAL) /* "auto": determined by the program */
#define TW_SCENARIO_HOLD HUGE_VAL    /* "hold": keep the value at the start of the stage */

#define TW_SCENARIO_NONE UINT64_MAX   /* a count that is not set */
#define TW_SCENARIO_NO_SET UINT32_MAX /* a set that is not set */

/* ---- Choices: constant, word in the file, meaning ---- */

#define TW_SCENARIO_ARRANGEMENTS(X)                                                                \
    X(RANDOM, "random", "random positions, then compressed")                                       \
    X(FCC, "fcc", "face-centred cubic lattice of touching spheres; count is 4 n^3")                \
    X(CUBIC, "cubic", "simple cubic lattice of touching spheres; count is n^3")                    \
    X(REGIONS, "regions", "random positions, made region by region, for very many grains")

#define TW_SCENARIO_SHAPES(X)                                                                      \
    X(SPHERE, "sphere", "a single sphere")                                                         \
    X(BUMPY, "bumpy", "Kuhn's bumpy grain: a central sphere and satellites")                       \
    X(CLUSTER, "cluster", "a rigid cluster of given spheres")

#define TW_SCENARIO_DISTRIBUTIONS(X)                                                               \
    X(MONO, "mono", "all grains have diameter d")                                                  \
    X(UNIFORM, "uniform", "uniform between d_min and d_max")                                       \
    X(LOGNORMAL, "lognormal", "lognormal, truncated at d_min and d_max")                           \
    X(GRADING, "grading", "grading curve, by mass")

#define TW_SCENARIO_WEIGHTS(X)                                                                     \
    X(NUMBER, "number", "distribution by number of grains")                                        \
    X(VOLUME, "volume", "distribution by volume of grains, as from sieving")

#define TW_SCENARIO_AXES(CHOICE)                                                                   \
    CHOICE(X, "x", "")                                                                             \
    CHOICE(Y, "y", "")                                                                             \
    CHOICE(Z, "z", "")

#define TW_SCENARIO_PLANES(X)                                                                      \
    X(XY, "xy", "shear along x, gradient along y")                                                 \
    X(XZ, "xz", "shear along x, gradient along z")                                                 \
    X(YZ, "yz", "shear along y, gradient along z")

#define TW_SCENARIO_DIRECTIONS(X)                                                                  \
    X(COMPRESSION, "compression", "the axis shortens")                                             \
    X(EXTENSION, "extension", "the axis lengthens")                                                \
    X(FORWARD, "forward", "simple shear in the positive direction")                                \
    X(BACKWARD, "backward", "simple shear in the negative direction")

#define TW_SCENARIO_CONSTANTS(X)                                                                   \
    X(NORMAL_STRESS, "normal_stress",                                                              \
      "simple_shear, drained: the height adjusts to keep the normal stress")                       \
    X(VOLUME_CONSTANT, "volume", "simple_shear, undrained: the height is fixed")                   \
    X(P_CONSTANT, "p", "true_triaxial: the mean stress")                                           \
    X(S3_CONSTANT, "s3", "true_triaxial: the smallest principal stress")

#define TW_SCENARIO_SHEAR_STRESSES(X)                                                              \
    X(SHEAR_FREE, "free", "the cell does not shear, and shear stresses are what they become")      \
    X(SHEAR_ZERO, "zero", "the cell shears as shear stresses of zero ask for")

#define TW_SCENARIO_HOLDS(X)                                                                       \
    X(HOLD_STRAIN, "strain", "the cell is fixed")                                                  \
    X(HOLD_STRESS, "stress", "the cell adjusts to keep all six stresses")

#define TW_SCENARIO_SHEARS(X)                                                                      \
    X(SHEAR_PURE, "pure", "pure shear, without spin: symmetric velocity gradient")                 \
    X(SHEAR_SIMPLE, "simple", "simple shear, as for the key `plane`: upper triangular gradient")

#define TW_SCENARIO_SPACES(X)                                                                      \
    X(RENDULIC, "rendulic", "axisymmetric directions at equal angles in the Rendulic plane")       \
    X(SPHERE_OF_DIRECTIONS, "sphere", "directions in principal space, evenly spread over a sphere")

#define TW_SCENARIO_METHODS(X)                                                                     \
    X(METHOD_DYNAMIC, "dynamic", "steps in time, with damping")                                    \
    X(METHOD_STATIC, "static", "from equilibrium to equilibrium, without time: twirl/statics.h")

#define TW_SCENARIO_GIVENS(X)                                                                      \
    X(GIVEN_STRAIN, "strain", "unit rates of strain")                                              \
    X(GIVEN_STRESS, "stress", "unit rates of stress")

#define TW_SCENARIO_EDGES(X)                                                                       \
    X(EDGE_PERIODIC, "periodic", "grains that leave the cell come back on its other side")         \
    X(EDGE_WALLS, "walls", "rigid platens on both faces of the cell, which move with it")          \
    X(EDGE_OPEN, "open", "the cell is no boundary: surfaces confine the grains, if anything does")

#define TW_SCENARIO_FORMS(X)                                                                       \
    X(FORM_PLANE, "plane", "through `point`, with the grains on the side of `normal`")             \
    X(FORM_SPHERE, "sphere", "about `centre`, with the grains outside, or inside")                 \
    X(FORM_PROFILE, "profile", "a chain of segments, turned about an axis")                        \
    X(FORM_CYLINDER, "cylinder", "a tube about the line between `from` and `to`, without lids")    \
    X(FORM_CONE, "cone", "likewise, with two radii")                                               \
    X(FORM_DISC, "disc", "a plate about `centre`, with or without a hole")                         \
    X(FORM_MESH, "mesh", "triangles from an STL or OBJ file")                                      \
    X(FORM_BOX, "box", "six faces along the axes, some of which may be open")                      \
    X(FORM_RECTANGLE, "rectangle", "one face along two axes")

#define TW_SCENARIO_FACES(X)                                                                       \
    X(FACE_LEFT, "left", "low x", 1)                                                               \
    X(FACE_RIGHT, "right", "high x", 2)                                                            \
    X(FACE_FRONT, "front", "low y", 4)                                                             \
    X(FACE_BACK, "back", "high y", 8)                                                              \
    X(FACE_BOTTOM, "bottom", "low z", 16)                                                          \
    X(FACE_TOP, "top", "high z", 32)

/* With each path: what it moves along and what it keeps constant, of the lists below. */
#define TW_SCENARIO_PATHS(X)                                                                       \
    X(ISOTROPIC, "isotropic", "normal stresses to a given pressure, shear stresses to zero",       \
      VOLUME, PRESSURE)                                                                            \
    X(OEDOMETER, "oedometer", "one axis is strained, the others are fixed", AXIS, LATERAL_STRAIN)  \
    X(TRIAXIAL, "triaxial", "drained: one axis is strained at constant lateral stress", AXIS,      \
      LATERAL_STRESS)                                                                              \
    X(PLANE_STRAIN, "plane_strain",                                                                \
      "drained: one axis is strained, the next is fixed, the stress along the third is constant",  \
      AXIS, LATERAL_STRESS)                                                                        \
    X(CONSTANT_P, "constant_p", "one axis is strained at constant mean stress", AXIS, MEAN_STRESS) \
    X(TRUE_TRIAXIAL, "true_triaxial",                                                              \
      "q increases at constant Lode angle and p or smallest stress, strain controlled",            \
      LODE_ANGLE, MEAN_STRESS)                                                                     \
    X(STRESS_PATH, "stress_path",                                                                  \
      "drained: stresses change in proportion, given by dq/dp, q/p at the end, or components",     \
      AXIS, STRESS_PATH)                                                                           \
    X(UNDRAINED, "undrained", "one axis is strained, the others equally, at constant volume",      \
      AXIS, VOLUME)                                                                                \
    X(SIMPLE_SHEAR, "simple_shear", "shear at constant normal stress or constant volume", PLANE,   \
      NORMAL_STRESS)                                                                               \
    X(CYCLIC, "cyclic", "another path, repeatedly reversed", VOLUME, NOTHING)                      \
    X(RELAX, "relax", "no loading, until equilibrium", VOLUME, NOTHING)                            \
    X(CREEP, "creep", "all six stresses are held, for a time", VOLUME, NOTHING)                    \
    X(RELAXATION, "relaxation", "the cell is held, for a time", VOLUME, NOTHING)                   \
    X(ROTATE, "rotate", "rigid rotation of cell and grains, in increments", VOLUME, NOTHING)       \
    X(FREE_FLIGHT, "free_flight", "the cell is fixed, the grains move freely", VOLUME, NOTHING)    \
    X(DRIVE, "drive", "in time, with the motions of the surfaces; the cell is fixed", VOLUME,      \
      NOTHING)                                                                                     \
    X(GENERAL, "general", "strain rate or stress control of each of the six components",           \
      COMPONENTS, NOTHING)                                                                         \
    X(PROBES, "probes", "many small loadings, all from the same state", VOLUME, NOTHING)           \
    X(RATES, "rates", "no loading: stability and rates of the state, by statics", VOLUME, NOTHING)

/* What a path moves along. It is driven if it is strained at a given rate in a direction, and can
 * then be reversed. Names of its strain, stress and stress ratio; the strain beyond which a value
 * is taken for a mistake. */
#define TW_SCENARIO_ALONGS(X)                                                                      \
    X(VOLUME, 0, "volumetric strain", "p", "q/p", 1.0)                                             \
    X(AXIS, 1, "axial strain", "axial stress", "q/p", 1.0)                                         \
    X(LODE_ANGLE, 1, "deviatoric strain", "q", "q/p", 1.0)                                         \
    X(PLANE, 1, "shear strain", "shear stress", "shear over normal stress", 10.0)                  \
    X(COMPONENTS, 1, "strain", "stress", "q/p", 1.0)

#define TW_SCENARIO_MEMBER(name, ...) TW_SCENARIO_##name,
enum tw_scenario_arrangement { TW_SCENARIO_ARRANGEMENTS(TW_SCENARIO_MEMBER) };
enum tw_scenario_shape_kind { TW_SCENARIO_SHAPES(TW_SCENARIO_MEMBER) };
enum tw_scenario_distribution { TW_SCENARIO_DISTRIBUTIONS(TW_SCENARIO_MEMBER) };
enum tw_scenario_weight { TW_SCENARIO_WEIGHTS(TW_SCENARIO_MEMBER) };
enum tw_scenario_axis { TW_SCENARIO_AXES(TW_SCENARIO_MEMBER) };
enum tw_scenario_plane { TW_SCENARIO_PLANES(TW_SCENARIO_MEMBER) };
enum tw_scenario_direction { TW_SCENARIO_DIRECTIONS(TW_SCENARIO_MEMBER) };
enum tw_scenario_constant { TW_SCENARIO_CONSTANTS(TW_SCENARIO_MEMBER) };
enum tw_scenario_shear_stress { TW_SCENARIO_SHEAR_STRESSES(TW_SCENARIO_MEMBER) };
enum tw_scenario_hold { TW_SCENARIO_HOLDS(TW_SCENARIO_MEMBER) };
enum tw_scenario_shear { TW_SCENARIO_SHEARS(TW_SCENARIO_MEMBER) };
enum tw_scenario_space { TW_SCENARIO_SPACES(TW_SCENARIO_MEMBER) };
enum tw_scenario_method { TW_SCENARIO_METHODS(TW_SCENARIO_MEMBER) };
enum tw_scenario_given { TW_SCENARIO_GIVENS(TW_SCENARIO_MEMBER) };
enum tw_scenario_edge { TW_SCENARIO_EDGES(TW_SCENARIO_MEMBER) };
enum tw_scenario_form { TW_SCENARIO_FORMS(TW_SCENARIO_MEMBER) };
enum tw_scenario_path { TW_SCENARIO_PATHS(TW_SCENARIO_MEMBER) };
#undef TW_SCENARIO_MEMBER
#define TW_SCENARIO_MEMBER(name, word, meaning, bit) TW_SCENARIO_##name = bit,
enum tw_scenario_face { TW_SCENARIO_FACES(TW_SCENARIO_MEMBER) };
#undef TW_SCENARIO_MEMBER
#define TW_SCENARIO_MEMBER(name, ...) TW_SCENARIO_ALONG_##name,
enum tw_scenario_along { TW_SCENARIO_ALONGS(TW_SCENARIO_MEMBER) };
#undef TW_SCENARIO_MEMBER
enum tw_scenario_keeps {
    TW_SCENARIO_KEEPS_NOTHING,
    TW_SCENARIO_KEEPS_PRESSURE,       /* all six stresses */
    TW_SCENARIO_KEEPS_LATERAL_STRAIN, /* both across the axis */
    TW_SCENARIO_KEEPS_LATERAL_STRESS,
    TW_SCENARIO_KEEPS_MEAN_STRESS,
    TW_SCENARIO_KEEPS_STRESS_PATH,   /* a straight line in the space of stresses */
    TW_SCENARIO_KEEPS_NORMAL_STRESS, /* on the plane of shear */
    TW_SCENARIO_KEEPS_VOLUME
};

/* ---- The specimen ---- */

/* `count` rows of numbers, contiguous. */
typedef struct tw_scenario_rows {
    double *value;
    size_t count;
} tw_scenario_rows;

typedef struct tw_scenario_shape {
    int32_t shape;
    double share; /* by number of grains, relative to the other shapes [-] */
    uint64_t satellites;
    double satellite_radius, central_radius, distance; /* relative lengths [-] */
    tw_scenario_rows spheres;                          /* x, y, z, radius, relative lengths [-] */
    char *file;     /* never set in a resolved scenario: replaced by spheres */
    char *material; /* name of one of `materials`; not set: there is only one */
} tw_scenario_shape;

/* The diameter of a grain is that of the sphere of equal volume. */
typedef struct tw_scenario_sizes {
    int32_t distribution, by;
    double d, d50, deviation, d_min, d_max; /* [m]; deviation of ln d [-] */
    tw_scenario_rows curve;                 /* diameter [m], mass fraction finer [-] */
    char *file;                             /* with the curve; NULL in a resolved scenario */
} tw_scenario_sizes;

typedef struct tw_scenario_cell {
    double aspect[3]; /* relative edge lengths [-] */
    double tilt[3];   /* xy, xz, yz: offset of an edge over its height [-] */
} tw_scenario_cell;

typedef struct tw_scenario_preparation {
    double pressure;              /* [Pa] */
    double porosity, void_ratio;  /* one of them, or none [-] */
    double friction;              /* or TW_SCENARIO_AUTO [-] */
    double tolerance;             /* of the void ratio, if friction is AUTO [-] */
    double start_porosity;        /* [-] */
    double rate, inertial_number; /* one of them [1/s], [-] */
    double unbalanced;            /* [-] */
} tw_scenario_preparation;

/* A sphere. */
typedef struct tw_scenario_grain {
    double x[3];        /* [m] */
    double d;           /* diameter [m] */
    double velocity[3]; /* [m/s] */
    double spin[3];     /* [rad/s] */
    char *material;     /* as of a shape */
} tw_scenario_grain;

/* From a file, from a checkpoint, one by one, or generated as the other fields say. */
typedef struct tw_scenario_specimen {
    char *file, *checkpoint;
    tw_scenario_grain *grains;
    size_t grain_count;
    uint64_t count, seed;
    int32_t arrangement;
    tw_scenario_shape *shapes;
    size_t shape_count;
    tw_scenario_sizes sizes;
    tw_scenario_cell cell;
    tw_scenario_preparation preparation;
} tw_scenario_specimen;

/* ---- Material and method; with a checkpoint, unset fields keep the values of the checkpoint ----
 */

/* Values that are not set: no damping, no rolling or twisting resistance. tw_scenario_put_law
 * makes the contact laws. */
typedef struct tw_scenario_material {
    char *name;             /* only in `materials` */
    uint64_t type;          /* of the grains of a file that have this material */
    int32_t normal;         /* a tw_contact_normal; not set: linear */
    double kn;              /* [N/m] */
    double stiffness_level; /* never set in a resolved scenario: replaced by kn or young */
    double modulus;         /* linear contacts, in place of kn: kn = 2 modulus R, R reduced [Pa] */
    double kt_ratio;        /* kt/kn, of linear contacts [-] */
    double young, poisson;  /* of Hertz contacts [Pa], [-] */
    double friction;        /* [-] */
    double rolling_friction, twisting_friction; /* [-] */
    double kr_ratio, kw_ratio;                  /* k_r/kt, k_w/kt [-] */
    int32_t levers;                             /* a tw_scenario_levers */
    double density;                             /* [kg/m^3] */
    double contact_damping;                     /* nu_n and nu_t together [N s/m] */
    double nu_n, nu_t;                          /* of linear contacts [N s/m] */
    double restitution;                         /* [-] */
    double tangential_damping, rolling_damping, twisting_damping; /* damping ratios [-] */
    int32_t no_tension;
    int32_t law;      /* a tw_contact_kind; only in `material` */
    uint32_t without; /* refinements switched off, bits of contact.h; only in `material` */
} tw_scenario_material;

/* On what lengths the couples of rolling and twisting act. */
typedef enum tw_scenario_levers {
    TW_SCENARIO_LEVERS_REDUCED = 0, /* the reduced radius, as in PFC */
    TW_SCENARIO_LEVERS_YADE = 1     /* TW_CONTACT_YADE_LEVERS */
} tw_scenario_levers;

/* Contacts of two materials: as if both had the values that are set here. */
typedef struct tw_scenario_pair {
    char *between[2]; /* names of materials */
    tw_scenario_material values;
} tw_scenario_pair;

typedef struct tw_scenario_damping {
    double local, mass, spin; /* [-], [1/s], [1/s] */
} tw_scenario_damping;

typedef struct tw_scenario_time_step {
    double fraction, dt; /* one of them: fraction of the stable step [-], [s] */
    int32_t force;
    double mass_scale; /* [-] */
} tw_scenario_time_step;

/* ---- Boundaries and surfaces ---- */

typedef struct tw_scenario_boundary {
    int32_t edge[3]; /* along x, y, z; not set: as the specimen has it, or periodic */
    char *material;  /* of platens: one of `materials`; not set: the first */
} tw_scenario_boundary;

/* A rotation, a wave or a table, of which each has some. */
typedef struct tw_scenario_motion {
    double along[3];            /* of a displacement; of any length [-] */
    double axis[3], through[3]; /* of a rotation [-], [m] */
    double rate;                /* [rad/s] */
    double amplitude, angle;    /* [m], [rad] */
    double frequency, phase;    /* [Hz], [rad] */
    tw_scenario_rows points;    /* time [s], displacement [m] */
    tw_scenario_rows angles;    /* time [s], angle [rad] */
    int32_t cubic;
} tw_scenario_motion;

/* A part of a motion: one of them. */
typedef struct tw_scenario_move {
    double velocity[3]; /* [m/s] */
    tw_scenario_motion rotate, oscillate, swing, table;
} tw_scenario_move;

/* A force or a torque that a surface exerts on the grains. */
typedef struct tw_scenario_servo {
    double force, pressure, torque; /* one of them [N], [Pa], [N m] */
    double area;                    /* of the pressure; not set: that of the surface [m^2] */
    double along[3];                /* direction or axis, of any length [-] */
    double v_max, rate_max;         /* of the surface; not set: automatic [m/s], [rad/s] */
} tw_scenario_servo;

typedef struct tw_scenario_surface {
    int32_t form;
    char *name;
    char *material;                         /* one of `materials`; not set: there is only one */
    int32_t present;                        /* 0: not before a stage has it */
    double point[3], normal[3];             /* [m], [-] */
    double centre[3], axis[3];              /* [m], [-] */
    double from[3], to[3];                  /* [m] */
    double radius, radius_to, inner_radius; /* [m] */
    int32_t inside;
    tw_scenario_rows points; /* distance from the axis, and along it [m] */
    int32_t closed;
    char *file;
    double scale;
    int32_t front;
    uint32_t open; /* faces of a box */
    tw_scenario_move *move;
    size_t move_count;
    tw_scenario_servo servo; /* or none */
} tw_scenario_surface;

/* What a stage changes of a surface, from then on. */
typedef struct tw_scenario_stage_surface {
    char *name;
    int32_t present;
    int32_t rest; /* 1: it stands still */
    tw_scenario_move *move;
    size_t move_count;
    tw_scenario_servo servo;
} tw_scenario_stage_surface;

/* A number that a surface has to reach. */
typedef struct tw_scenario_reached {
    char *surface;
    double along[3];          /* component, of any length; not set: the magnitude [-] */
    double force, torque, by; /* one of them [N], [N m]; [m] or turns [-] */
} tw_scenario_reached;

/* ---- Output: of the run, or of one stage ---- */

/* Neither is set: rows as TW_SCENARIO_ROW_STEPS and the numbers after it say. */
typedef struct tw_scenario_history {
    uint64_t steps;
    double strain; /* in stages that are strained at a given rate; steps in the others */
} tw_scenario_history;

/* Without an interval there is a row every ROW_STEPS steps. A stage has them more often in the
 * beginning, at least so many up to any of its steps, and so many in each cycle. */
enum { TW_SCENARIO_ROW_STEPS = 100, TW_SCENARIO_STAGE_ROWS = 200, TW_SCENARIO_CYCLE_ROWS = 50 };

/* Checkpoints belong to the run, not to a stage. */
typedef struct tw_scenario_checkpoints {
    double wall_time; /* [s]; either this or steps */
    uint64_t steps;
} tw_scenario_checkpoints;

typedef struct tw_scenario_frames {
    uint64_t steps; /* either this or strain; neither: no frames during stages */
    double strain;
    int32_t stages; /* 1: a frame at the end of each stage */
} tw_scenario_frames;

/* States on the way. Those at the ends of stages are always kept. */
typedef struct tw_scenario_states {
    uint64_t steps; /* either this or strain; neither: none */
    double strain;
} tw_scenario_states;

typedef struct tw_scenario_output {
    tw_scenario_history history;
    tw_scenario_checkpoints checkpoint;
    tw_scenario_states states;
    tw_scenario_frames vtk, lammps;
    int32_t moduli; /* 1: of states that are kept, in the history; of the run only */
} tw_scenario_output;

/* ---- Stages ---- */

/* Either the rate or the stress is set. */
typedef struct tw_scenario_component {
    double rate;   /* [1/s] */
    double stress; /* or TW_SCENARIO_HOLD [Pa] */
    double ramp;   /* time to reach the target; neither it nor a strain: applied immediately [s] */
    double ramp_strain; /* of the component that the stage follows, instead of a time [-] */
} tw_scenario_component;

enum { TW_SCENARIO_COMPONENTS = 6 }; /* xx, yy, zz, yz, xz, xy */

/* The fluid in the pores of an undrained stage. */
typedef struct tw_scenario_fluid {
    double bulk;          /* bulk modulus; not set: incompressible [Pa] */
    double back_pressure; /* pore pressure at the start; not set: as before, or 0 [Pa] */
} tw_scenario_fluid;

typedef struct tw_scenario_increments {
    double component[TW_SCENARIO_COMPONENTS]; /* [-] */
} tw_scenario_increments;

typedef struct tw_scenario_control {
    int32_t shear;
    tw_scenario_component component[TW_SCENARIO_COMPONENTS];
} tw_scenario_control;

typedef struct tw_scenario_cycle {
    int32_t base;          /* a path */
    double strain, stress; /* one of them [-], [Pa] */
    double return_to;      /* the other end of the cycles, as a part of it [-] */
} tw_scenario_cycle;

typedef struct tw_scenario_rotation {
    double axis[3]; /* need not be a unit vector [-] */
    double angle;   /* [rad] */
    uint64_t increments;
} tw_scenario_rotation;

/* A law with some refinements switched off, bits of contact.h. */
typedef struct tw_scenario_variant {
    int32_t law;
    uint32_t without;
} tw_scenario_variant;

typedef struct tw_scenario_probes {
    int32_t space, method;
    uint64_t count, steps;
    double strain, stress;         /* one of them [-], [Pa] */
    uint32_t laws;                 /* bit k: law k of tw_contact_kind */
    tw_scenario_variant *variants; /* run in addition */
    size_t variant_count;
    double settle, rest; /* unbalanced force before the probes, and before a measurement [-] */
    uint64_t settle_steps, rest_steps; /* limits for reaching them */
    int32_t unload, no_slip;
} tw_scenario_probes;

/* See tw_statics_survey_def. */
typedef struct tw_scenario_rates {
    int32_t control; /* what is prescribed */
    uint64_t count;  /* directions */
} tw_scenario_rates;

/* The first condition met ends the stage. */
typedef struct tw_scenario_end {
    double strain, stress, q, pressure, stress_ratio, past_peak, dilation_rate, void_ratio, ru;
    double time, unbalanced;
    double rest; /* largest speed of a grain over sqrt(g d) [-] */
    uint64_t steps, cycles;
    tw_scenario_reached force, torque, moved, turns;
} tw_scenario_end;

/* What a stage changes of one material: the values that are set. */
typedef struct tw_scenario_stage_material {
    char *name; /* in `materials` */
    tw_scenario_material values;
} tw_scenario_stage_material;

typedef struct tw_scenario_stage {
    char *name;
    int32_t path;
    char *from, *save; /* names of states; from not set: continue from the previous stage */
    int32_t axis, plane, direction;
    double rate, inertial_number;                   /* one of them [1/s], [-] */
    double pressure, lateral_stress, normal_stress; /* or TW_SCENARIO_HOLD [Pa] */
    double lode_angle;    /* 0: compression along `axis`. The stress along the k-th axis, counted
                             cyclically from `axis`, is p + 2/3 q cos(lode_angle - k 120 deg) [rad] */
    double b;             /* never set in a resolved scenario: replaced by lode_angle */
    double dq_dp, eta;    /* of a stress path, or increments: its slope, q/p at its end [-] */
    double lateral_ratio; /* never set in a resolved scenario: replaced by eta */
    tw_scenario_increments increments; /* of the stresses, in proportion */
    tw_scenario_fluid fluid;
    int32_t constant, shear_stress, hold;
    tw_scenario_control control;
    tw_scenario_cycle cycle;
    tw_scenario_rotation rotation;
    tw_scenario_probes probes;
    tw_scenario_rates rates;
    tw_scenario_end end;
    tw_scenario_stage_surface *surfaces;
    size_t surface_count;
    /* during this stage */
    double friction, rolling_friction, twisting_friction; /* of all contacts */
    tw_scenario_stage_material material;   /* other constants of `material`; its frictions are never
                                              set in a resolved scenario: replaced by those above */
    tw_scenario_stage_material *materials; /* or of single materials */
    size_t material_count;
    int32_t law;
    uint32_t without;
    tw_scenario_damping damping;
    tw_scenario_output output; /* what is set here replaces that of the scenario */
} tw_scenario_stage;

typedef struct tw_scenario {
    char *title;
    tw_scenario_specimen specimen;
    tw_scenario_boundary boundary;
    double gravity[3];               /* not set: that of a checkpoint, or none [m/s^2] */
    tw_scenario_material material;   /* not set with `materials` */
    tw_scenario_material *materials; /* or */
    size_t material_count;
    tw_scenario_pair *pairs; /* with `materials`, as are law and without */
    size_t pair_count;
    int32_t law;
    uint32_t without;
    tw_scenario_damping damping;
    tw_scenario_time_step time_step;
    tw_scenario_surface *surfaces;
    size_t surface_count;
    tw_scenario_stage *stages;
    size_t stage_count;
    tw_scenario_output output;
} tw_scenario;

/* ---- Reading and writing ---- */

/* Errors, one line each: "FILE:LINE:COLUMN: KEY: message", or "--set SETTING: KEY: message" for a
 * setting. Warnings, in which "warning: " precedes the message, do not make a scenario invalid. */
typedef struct tw_scenario_errors {
    char **text;
    size_t count;
    char **warning;
    size_t warning_count;
    int out_of_memory; /* 1: memory ran out; the lists may be incomplete or empty */
} tw_scenario_errors;

TW_API void tw_scenario_errors_free(tw_scenario_errors *errors);

/* Reads a file, applies the settings "KEY=VALUE" in order, checks and resolves. NULL: `errors`
 * lists all errors. It has to be freed in any case. Files named in the scenario must exist; of
 * these only those of shapes and sizes are read. */
TW_API tw_scenario *tw_scenario_read(const char *path, const char *const *settings, size_t count,
                                     tw_scenario_errors *errors);

/* As tw_scenario_read, for a run that has begun, and has its specimen in its folder: the file or
 * checkpoint that it started from need not be there any more. */
TW_API tw_scenario *tw_scenario_read_begun(const char *path, const char *const *settings,
                                           size_t count, tw_scenario_errors *errors);

/* Reads text in memory. `name` is the file name used in messages; file paths are relative to
 * its folder. */
TW_API tw_scenario *tw_scenario_read_text(const char *text, size_t length, const char *name,
                                          const char *const *settings, size_t count,
                                          tw_scenario_errors *errors);

TW_API void tw_scenario_free(tw_scenario *scenario);

/* The scenario as YAML, for the caller to free; reading it back gives identical values. NULL: out
 * of memory. */
TW_API char *tw_scenario_write_text(const tw_scenario *scenario);

/* Values of a section in words, for the caller to free: "specimen", "material", or item `index` of
 * "materials", "pairs" or "stages", with their names first. Each section below it is a line more.
 * Without output and without what changes nothing. NULL: out of memory. */
TW_API char *tw_scenario_describe(const tw_scenario *scenario, const char *section, size_t index);

/* The scenario as a JSON object, in SI units and with the digits of the YAML; angles are in
 * radians. */
TW_API char *tw_scenario_write_json(const tw_scenario *scenario);

/* A key in which two scenarios differ. */
typedef struct tw_scenario_difference {
    char key[300];              /* "stages[shear].end.strain", as for a setting */
    size_t stage;               /* index; SIZE_MAX: not of a stage */
    const char *before, *after; /* as in the YAML, or "not set"; of a whole item of a list
                                   "present" or "absent" */
} tw_scenario_difference;

/* Calls `found` for each difference of two resolved scenarios, in the order of the keys. Of input
 * files only the names are compared. 0: out of memory. */
TW_API int tw_scenario_compare(const tw_scenario *before, const tw_scenario *after,
                               void (*found)(const tw_scenario_difference *difference,
                                             void *context),
                               void *context);

/* What acts in the preparation of the specimen: without title, stages and frames and, where the
 * preparation has a friction of its own, without that of the materials, which has the default. The
 * history counts: its rows are taken over. *out shares texts and lists with the scenario, and has
 * to be freed before it. 0: out of memory, and there is nothing to free. */
TW_API int tw_scenario_without_stages(const tw_scenario *scenario, tw_scenario *out);
TW_API void tw_scenario_without_stages_free(tw_scenario *out);

/* The output in a stage: each part as the stage sets it, or else as the scenario does. NULL: in the
 * preparation, which has neither frames nor states. */
TW_API tw_scenario_output tw_scenario_output_in(const tw_scenario *scenario,
                                                const tw_scenario_stage *stage);

/* No frames and no states. */
TW_API void tw_scenario_output_drop_frames(tw_scenario_output *output);

/* Whether the specimen is made as its numbers say: neither from a file or checkpoint nor of single
 * grains. */
TW_API int tw_scenario_is_generated(const tw_scenario *scenario);

/* Whether the cell is open along an edge, as far as the scenario says, and whether there is
 * gravity. */
TW_API int tw_scenario_is_open(const tw_scenario *scenario);
TW_API int tw_scenario_has_gravity(const tw_scenario *scenario);

TW_API int tw_scenario_has_servo(const tw_scenario_servo *servo);

/* The index of one of `surfaces`; their number if there is none of that name. */
TW_API size_t tw_scenario_find_surface(const tw_scenario *scenario, const char *name);

/* The `rotate` in the motion that one of `surfaces` has in a stage; NULL: none. */
TW_API const tw_scenario_motion *tw_scenario_rotation_of(const tw_scenario *scenario, size_t stage,
                                                         const char *name);

/* Whether the scenario asks for platens across edge 0, 1 or 2, or any; and their material, an
 * index. */
TW_API int tw_scenario_has_platens(const tw_scenario *scenario, int edge);
TW_API int tw_scenario_is_walled(const tw_scenario *scenario);
TW_API size_t tw_scenario_platen_material(const tw_scenario *scenario);

/* Whether the grains begin on a lattice, and not at random positions. */
TW_API int tw_scenario_is_lattice(const tw_scenario_specimen *specimen);

/* The number of materials, and material `index`: one of `materials`, or `material`. */
TW_API size_t tw_scenario_materials(const tw_scenario *scenario);
TW_API const tw_scenario_material *tw_scenario_material_at(const tw_scenario *scenario,
                                                           size_t index);

/* The index of one of `materials`; their number if there is none of that name. */
TW_API size_t tw_scenario_find_material(const tw_scenario *scenario, const char *name);

/* The index of the material of a shape. */
TW_API size_t tw_scenario_shape_material(const tw_scenario *scenario,
                                         const tw_scenario_shape *shape);

/* The law of contacts of materials a and b, in `stage` unless it is NULL. With `materials` a and b
 * are numbers in the list, and the whole law is set. Otherwise `law` is that of a checkpoint or
 * tw_contact_law_default(), and gets the values that `material` and the stage set. */
TW_API void tw_scenario_put_law(const tw_scenario *scenario, const tw_scenario_stage *stage,
                                size_t a, size_t b, tw_contact_law *law);

/* Mean density of the grains of a generated specimen; NaN if it is not known [kg/m^3]. */
TW_API double tw_scenario_density(const tw_scenario *scenario);

/* Estimated number of steps of stage `stage`; 0 if it cannot be known before the run. */
TW_API uint64_t tw_scenario_stage_steps(const tw_scenario *scenario, size_t stage);

/* Strain of a full cycle, and of the whole stage as far as it follows from its end conditions, to
 * and fro; NaN: not known before the run [-]. */
TW_API double tw_scenario_cycle_strain(const tw_scenario_stage *stage);
TW_API double tw_scenario_stage_strain(const tw_scenario_stage *stage);

/* How often probes load or unload a specimen. For each law: the probes, one without loading, and,
 * with a given strain and no_slip, six without slip for the elastic tensor. */
TW_API uint64_t tw_scenario_probe_loadings(const tw_scenario_probes *probes);

/* Estimated time step [s]; NaN if it cannot be known before the run. */
TW_API double tw_scenario_dt(const tw_scenario *scenario);

/* Rough estimate of the memory of a run [bytes]; NaN for a specimen from a file.
 * tw_run_estimate_make measures it. */
TW_API double tw_scenario_memory(const tw_scenario *scenario);

/* Typical diameter of a generated specimen [m]: the mean or median of the distribution. NaN for a
 * specimen from a file. */
TW_API double tw_scenario_diameter(const tw_scenario *scenario);

/* "isotropic"; NULL for an invalid path. */
TW_API const char *tw_scenario_path_name(int32_t path);

/* Traits of the path of a stage, of TW_SCENARIO_PATHS and TW_SCENARIO_ALONGS. A cyclic stage has
 * those of its base path. */
typedef struct tw_scenario_traits {
    int32_t path, cyclic, keeps;
    int32_t along, driven;
    const char *strain, *stress, *ratio; /* names: "axial strain", "axial stress", "q/p" */
    double strain_most;                  /* [-] */
} tw_scenario_traits;

TW_API tw_scenario_traits tw_scenario_stage_traits(const tw_scenario_stage *stage);

/* The component, in the order of tw_scenario_control, whose strain and stress a stage of the path
 * general is described by: that of `axis` or, if it is not set, that of the largest rate; without
 * rates the first with a stress that is not held. */
TW_API int32_t tw_scenario_stage_followed(const tw_scenario_stage *stage);

/* The stress across `axis`, of normal stresses along x, y and z: in plane strain that along the
 * axis which is free to move, otherwise, and without a stage (NULL), the mean of two. NaN: no axis.
 */
TW_API double tw_scenario_lateral_stress(const tw_scenario_stage *stage, int32_t axis,
                                         const double normal[3]);

/* Whether a stress, q, p or their ratio ends the stage or reverses its cycles. */
TW_API int tw_scenario_ends_at_stress(const tw_scenario_stage *stage);

/* Whether a stress has to be reached: it ends the stage or reverses its cycles, and neither a
 * strain nor a time nor a number of steps ends it. */
TW_API int tw_scenario_needs_stress(const tw_scenario_stage *stage);

/* ---- The list of keys ---- */

/* Texts that do not apply are empty. */
typedef struct tw_scenario_key {
    const char *section;         /* "stages[]"; empty for the top level */
    const char *section_meaning; /* "Loading stages, in order." */
    const char *name;            /* "rate" */
    const char *type;            /* "number", "whole number", "choice", "text", "section" ... */
    const char *unit;            /* "Pa" */
    const char *default_value;
    const char *range;        /* "above 0" */
    const char *used;         /* "path: triaxial, constant_p"; empty: always */
    const char *required;     /* "always", "path: isotropic" */
    const char *alternatives; /* keys that exclude this one: "inertial_number" */
    const char *meaning;
    size_t choices; /* number of choices */
} tw_scenario_key;

TW_API size_t tw_scenario_key_count(void);

/* Storage for the texts of one key, in use until the next call with the same buffer. */
typedef struct tw_scenario_key_buffer {
    char unit[400], default_value[400], range[400], used[400], required[400], alternatives[400];
} tw_scenario_key_buffer;

TW_API tw_scenario_key tw_scenario_key_at(size_t index, tw_scenario_key_buffer *buffer);

/* The word of a choice and, unless `meaning` is NULL, its meaning. NULL: no such choice. */
TW_API const char *tw_scenario_key_choice(size_t index, size_t choice, const char **meaning);

#ifdef __cplusplus
}
#endif

#endif
