/* SPDX-License-Identifier: BSD-3-Clause */
/* What the device holds of a simulation, and the phases of a step as functions of one item.
 *
 * Model, state, schedule and servo are the structures of the CPU, with arrays in the memory of the
 * device; besides them there are arrays that only the device needs. Every phase is a function
 * f(parts of the world, i) for items i = 0, 1, 2 ... that are computed at the same time, in any
 * order. It is written in the common subset of C11, C++17 and CUDA: device_cuda.cu runs it on a
 * GPU, a thread per item; device_host.c runs it on the CPU, in a loop, for tests. Arithmetic and
 * the order of sums are those of src/step and src/search, so the results have the same bits. */
#ifndef TW_DEVICE_WORLD_H
#define TW_DEVICE_WORLD_H

#include <stdint.h>

#include <twirl/contact.h>

#include "control/servo.h"
#include "device/device.h"
#include "search/bins.h"
#include "search/tiling.h"
#include "step/kick.h"
#include "step/motion.h"
#include "world/schedule.h"
#include "world/tally.h"

/* Workspace of the search on a device. */

typedef struct tw_device_search {
    /* Contacts on their way from one list to the next, or from the host, in the order of pairs of
     * the list they come from. If no list can be made they stay here, with schedule.valid = 0. */
    tw_pair *contact_pair;    /* spheres by the present order of bodies */
    uint32_t *contact_slot;   /* where its memory is now */
    uint32_t *contact_target; /* its pair in the new list */
    uint32_t *contact_given;  /* slot to assign, counted from the first of its tile, if `given` */
    uint32_t count;           /* contacts */
    int32_t given;            /* 0: slots are assigned in the order of pairs */

    /* What is wrong. */
    uint32_t flat;     /* the cell has no volume, or is not finite */
    uint64_t bad_body; /* the first that is not finite; UINT64_MAX: none */
    uint64_t lost;     /* the first contact that is not in the new list; UINT64_MAX: none */

    /* Bodies on their way to a new order. */
    int32_t reduced; /* the cell is described by other edges, */
    tw_mat3 change;  /* in which images are numbered so: tw_rearrange_cell */
    uint32_t *key, *order, *spare_key, *spare_order;
    uint32_t *now;     /* new index of a body, by its old one */
    uint32_t *first;   /* first sphere of a body in the new order; bodies + 1 entries */
    tw_shift *wrapped; /* image that a body was in, by its old index */
    tw_quat *column;   /* columns in their new order: room for the longest entries, */
    uint32_t column_first, column_end;  /* and which they are */
    double *lane_radius, *group_radius; /* sums of radii: of lanes of tiles, of 64 tiles */

    /* Bodies near each other. */
    tw_bins bins;
    uint64_t low[3], high[3];             /* range along free edges: tw_device_grid_ordered */
    uint64_t least;                       /* bits of the least bounding radius, */
    uint64_t radius_min;                  /* of the least radius of a sphere, */
    uint64_t radius_max[TW_BINS_CLASSES]; /* and of the largest bounding radius of each class */
    uint32_t members[TW_BINS_CLASSES];    /* bodies of each class */
    int32_t narrow;                       /* tw_bins_too_narrow */
    uint64_t bin_count;                   /* of all classes */
    uint64_t total;                       /* pairs */
    double *bound;                        /* bounding radius of a body [m] */
    uint32_t *start;                      /* first member of each bin, all classes in turn */
    uint32_t *member;
    uint32_t *place; /* of a body among the members of its bin; then pairs of a body so far */
    tw_vec3 *centre; /* of a sphere in the reference state; x_ref if every body is one sphere */
} tw_device_search;

/* Workspace of the tiling on a device. */

/* The least that a tile has beyond its contacts, in slots and as a part of them. */
enum { TW_DEVICE_TILING_SPARE = 32, TW_DEVICE_TILING_SHARE = 32 };

typedef struct tw_device_tiling {
    /* Hash tables of ghosts and their spheres: the first pair with each. For single spheres the two
     * are the same. */
    uint32_t *body_table, *sphere_table;
    uint32_t table; /* entries */
    /* By pair, with one entry more: how many of the pairs before it ... */
    uint32_t *ghost_before;  /* ... are the first one with their ghost */
    uint32_t *sphere_before; /* ... with their ghost sphere */
    uint32_t *wall_before;   /* ... are with a wall; NULL: there are no walls */
    uint32_t *touch_before;  /* ... are contacts of spheres */
    uint32_t *bundle_before; /* by tile: bundles of contact slots of the tiles before it */
    uint32_t pass;           /* of the move of memories */
    uint32_t share, spare;   /* a tile with n contacts gets n/share + spare slots more */

    /* Contacts for the host, from number `first` on. */
    uint32_t first;
    uint32_t *contact; /* their pairs */
    tw_pair *pair;
    uint32_t *slot; /* counted from the first of their tile; 0 for walls */
    tw_contact_memory *memory;
    double *extra; /* as in tw_contact_list; NULL: there are none */
    uint8_t *sliding;
} tw_device_tiling;

/* A body slot that is q of a pair or contact, in the lists of a body slot. */
#define TW_DEVICE_AS_Q 0x80000000u

/* A contact in the list `general_queue` that did not stick, and may be a short slide. */
#define TW_DEVICE_MAY_SLIDE 0x80000000u

/* The rank of a pair that is a contact, or with a wall: not a candidate. */
#define TW_DEVICE_RANK_NONE 255

/* Why steps are halted. Phases after that do nothing; the host acts, and resumes. */
enum {
    TW_DEVICE_SEARCH = 1,    /* the list is stale: bodies have moved, contacts have not */
    TW_DEVICE_CHECK_DT = 2,  /* the step is complete; dt is to be checked */
    TW_DEVICE_STIFFNESS = 4, /* the step is complete; the stiffness for the servo is too old */
    TW_DEVICE_FAILED = 8,    /* an excessive overlap or a value that is not finite */
    TW_DEVICE_WALL = 16, /* the velocity gradient tilts an edge out of a wall: no step was made */
    TW_DEVICE_DONE = 32, /* all steps that were asked for */
    TW_DEVICE_ROOM = 64, /* a tile has no slots for its new contacts: bodies have moved */
    TW_DEVICE_EVENTS = 256, /* the step is complete; the host takes the events */
    TW_DEVICE_CELL = 128    /* the cell would move too far: tw_move_check_cell; no step was made */
};

/* Streams of phases that run concurrently with others: tw_device_runtime_fork. */
enum { TW_DEVICE_SIDE_SUMS, TW_DEVICE_SIDE_SLIDES, TW_DEVICE_SIDES };

/* Graphs of steps: tw_device_launch_replay. */
enum { TW_DEVICE_GRAPH_ONE, TW_DEVICE_GRAPH_SEVEN, TW_DEVICE_GRAPHS };

/* Classes of contact laws, each with kernels of its own. */
enum {
    TW_DEVICE_LAW_EXACT_LINEAR, /* one linear law without damping, rolling and twisting: exact, with
                                   all refinements; only contacts that slide lose anything */
    TW_DEVICE_LAW_LINEAR,       /* of any other kind */
    TW_DEVICE_LAW_HERTZ,        /* exact with all refinements: Hertz springs alone, */
    TW_DEVICE_LAW_HERTZ_DAMPED, /* with damping, */
    TW_DEVICE_LAW_LINEAR_DAMPED, /* linear ones of one pair of materials with damping */
    TW_DEVICE_LAW_ANY            /* all others */
};

/* How a contact was advanced in the last step: decides in which sum its work is. */
enum {
    TW_DEVICE_EMPTY,  /* no contact in this slot, or one that has just begun */
    TW_DEVICE_LANES,  /* stuck or slid: what the CPU computes in lanes */
    TW_DEVICE_SINGLE, /* one by one on the CPU */
    TW_DEVICE_ENDED   /* one by one, and parted; the slot is emptied when the forces are summed */
};

/* Parts of the sums of the move phase, by body. */
enum {
    TW_DEVICE_PART_DAMPING,
    TW_DEVICE_PART_CELL,
    TW_DEVICE_PART_GRAVITY,
    TW_DEVICE_PART_DRIVEN, /* of fixed bodies, summed one after the other; not in lanes */
    TW_DEVICE_PARTS
};

/* Energies of bodies in a kick. */
enum {
    TW_DEVICE_ENERGIES_DAMPING,
    TW_DEVICE_ENERGIES_CELL,
    TW_DEVICE_ENERGIES_TRANSLATION,
    TW_DEVICE_ENERGIES_ROTATION,
    TW_DEVICE_ENERGIES_SUMS
};

/* Sums over tiles, each joined by the tree of base/sum.h: those of every step, then others. */
enum {
    TW_DEVICE_SUM_MOMENT,                          /* of the contact phase */
    TW_DEVICE_SUM_LOST = TW_DEVICE_SUM_MOMENT + 9, /* friction and the others */
    TW_DEVICE_SUM_KINETIC = TW_DEVICE_SUM_LOST + TW_CONTACT_LOST_KINDS, /* of the servo: six */
    TW_DEVICE_SUM_PART = TW_DEVICE_SUM_KINETIC + TW_COMPONENTS,         /* of the move phase */
    TW_DEVICE_SUM_DRIVEN_GATHER = TW_DEVICE_SUM_PART + TW_DEVICE_PARTS,
    TW_DEVICE_SUM_CONTACTS, /* whole numbers */
    TW_DEVICE_SUM_SLIDING,
    TW_DEVICE_SUMS,
    TW_DEVICE_SUM_STORED = TW_DEVICE_SUMS,
    TW_DEVICE_SUM_ENERGIES = TW_DEVICE_SUM_STORED + TW_CONTACT_STORED_KINDS,
    TW_DEVICE_SUM_STIFFNESS = TW_DEVICE_SUM_ENERGIES + TW_DEVICE_ENERGIES_SUMS,
    TW_DEVICE_SUM_ROWS = TW_DEVICE_SUM_STIFFNESS + TW_STIFFNESS_SUMS
};

/* A ghost of a body. */
typedef struct tw_device_image {
    uint32_t tile; /* that it is in */
    tw_shift shift;
} tw_device_image;

/* The first contact slots of a body slot, as in `incident`; TW_DEVICE_NO_CONTACT where there is
 * none.
 */
#define TW_DEVICE_NO_CONTACT UINT32_MAX
enum { TW_DEVICE_INCIDENT_HEAD = 8 };
typedef struct tw_device_incident {
    uint32_t slot[TW_DEVICE_INCIDENT_HEAD];
} tw_device_incident;

/* What the phases of a step are asked to do, and what has happened. */
typedef struct tw_device_run {
    uint32_t halt;          /* TW_DEVICE_SEARCH ... */
    uint32_t slide_queue;   /* entries of `slide_queue`, */
    uint32_t general_queue; /* and of `general_queue` */
    uint32_t slider_buffer; /* the current one of `sliders`, a double buffer */
    int32_t law;            /* TW_DEVICE_LAW_EXACT_LINEAR ... */
    int32_t rigid;          /* everything rotates rigidly by `turn`; no time passes */
    int32_t fixed;          /* some body is fixed */
    uint32_t flags;         /* tw_model_flags */
    uint32_t extras;        /* tw_model_extras */
    uint32_t event_kinds;   /* of contacts, that are recorded: bits; */
    uint32_t event_limit;   /* the step halts if there are as many as this */
    uint32_t events;        /* of the list */
    uint32_t wall;          /* TW_DEVICE_WALL: its number, */
    uint32_t edge;          /* and the edge */
    uint64_t steps;         /* left of those asked for */
    uint32_t passed;        /* those that are complete: entries of `record`, in turn */
    size_t before;          /* contacts at the start of the step */
    uint64_t bad_pair;      /* TW_DEVICE_FAILED: the first pair; UINT64_MAX: none */
    uint64_t bad_body;      /* likewise */
    uint64_t own;      /* bits of the largest travel since the list was made; for single spheres
                          without walls, of its square */
    uint64_t absolute; /* likewise in space */
    uint64_t least_dt; /* bits of the stable step, where it is computed */
    double dt_before;  /* dt before it was chosen [s] */
    double shallow;    /* overlaps that contacts of a plain law are advanced with simply: from, */
    double deepest;    /* to [m] */
    tw_vec3 turn;
    tw_device_history_step record[TW_DEVICE_HISTORY_STEPS];
} tw_device_run;

/* Sums of a measure: those of world/tally.h, then kinetic energies. */
enum {
    TW_DEVICE_MEASURE_SECOND = TW_TALLY_CONTACT_SUMS,
    TW_DEVICE_MEASURE_BODY = TW_DEVICE_MEASURE_SECOND + TW_TALLY_SECOND_SUMS,
    TW_DEVICE_MEASURE_ENERGY = TW_DEVICE_MEASURE_BODY + TW_TALLY_BODY_SUMS,
    TW_DEVICE_MEASURE_SUMS = TW_DEVICE_MEASURE_ENERGY + TW_DEVICE_ENERGIES_SUMS
};

/* Workspace of a measure, and its results. */
typedef struct tw_device_measure {
    double *sum;    /* by sum, then chunk: of contacts, then of bodies */
    uint32_t *left; /* contacts of a body, without those of rattlers */
    uint32_t *gone; /* a bit by pair: the contact of a rattler that is known to be one */
    double total[TW_DEVICE_MEASURE_SUMS];
    uint32_t bins[TW_TALLY_BINS];
    uint32_t rattler[TW_TALLY_RATTLER_SUMS];
    uint32_t missed;     /* contacts of rattlers that are not `gone` */
    int32_t slippery;    /* no contact has friction */
    uint64_t overlap;    /* bits of the largest */
    double density;      /* mean of the bodies, in the order of */
    uint64_t density_of; /* this search; 0: not known */
} tw_device_measure;

/* Lists that a search makes, and their lengths: no phase of a step changes them. */
typedef struct tw_device_list {
    uint32_t tiles, bodies, spheres, pairs;
    uint32_t body_slots, ghosts, ghost_spheres; /* of all tiles */
    uint32_t slots;                             /* of all tiles, whole bundles */
    uint32_t walls, wall_pairs;

    uint32_t *bundle_tile;       /* tile of a bundle of contact slots */
    uint32_t *ghost_tile;        /* tile of a ghost */
    uint32_t *ghost_sphere_tile; /* tile of a sphere of a ghost */
    tw_device_image *image;      /* as schedule.tiles.ghost_slot: ghosts of a body */
    tw_tiling_ends *ends;        /* sphere slots of a pair; those of a plane are not set */
    uint32_t *near_first;        /* first pair of a body slot in `near`; body_slots + 1 entries */
    uint32_t *near; /* its pairs of spheres in their order, TW_DEVICE_AS_Q where it is q */
} tw_device_list;

typedef struct tw_device_world_tile {
    uint32_t hits;     /* candidates of this step that overlap: entries of `hit` */
    uint32_t ended;    /* contacts that parted in this step: entries of `ended` */
    uint32_t contacts; /* of spheres */
} tw_device_world_tile;

/* Contacts in a step: those that begin, are advanced, and part. */
typedef struct tw_device_touch {
    tw_device_world_tile *tile;
    uint8_t *rank;       /* of the gap of a pair, as for candidates: 0 .. 15; or none */
    uint32_t *hit;       /* pairs that overlap and are no contacts, from tile->pair on */
    uint32_t *ended;     /* slots of contacts that have parted, from tile->slot on */
    uint8_t *slot_state; /* TW_DEVICE_EMPTY ..., by contact slot */
    double *load; /* rows of six by contact slot: force on p, torque about the tile's origin */
    /* Lost in the last step, by contact slot; NULL where no law loses in this way. By
     * TW_DEVICE_LAW_EXACT_LINEAR that of a contact that sticks is 0, and not set. */
    double *lost[TW_CONTACT_LOST_KINDS];
    double *zeta_before;     /* overlap before the last step, where the law is Hertz' */
    uint32_t *slid, *single; /* bits: device_sums.h */
    uint32_t *sliders[2];    /* bits: contacts that slide, of two steps: device_plain.h */
    uint32_t *slide_queue;   /* contact slots of spheres that did not stick */
    uint32_t *general_queue; /* those that did not slide in the simple way either, new ones; with a
                                plain law all of both */
    double *wall_load;       /* by wall pair: TW_DEVICE_WALL_LOAD */
} tw_device_touch;

/* Contacts that begin and end: device_events.h. */
typedef struct tw_device_events {
    uint8_t *lived;  /* by pair: it was a contact after the last step */
    tw_event *event; /* not taken by the host yet, in no order */
} tw_device_events;

/* A flag of a body that leaves, until the next search drops it. */
enum { TW_DEVICE_LEAVES = 4 };

/* Bodies that come and go, and lists of what that changes: device_bodies.h. */
typedef struct tw_device_change {
    uint32_t *id;            /* of those that leave */
    uint32_t leaving, first; /* the id of the first body that comes */
    uint32_t what;           /* the list: TW_DEVICE_BODIES_ENDED ... */
    uint32_t items, count;   /* those it is chosen from: pairs or bodies; entries */
    uint32_t *before;        /* by item, and one more: entries before it */
    uint32_t *list;
    tw_move_energy *energy; /* by entry, of bodies */
    uint32_t kind;          /* of events, */
    tw_event *event;        /* and those for the host */
} tw_device_change;

/* Forces on body slots, and the contacts that they are summed over. */
typedef struct tw_device_forces {
    uint8_t *changed;         /* `incident` of this body slot is to be made from list.near */
    uint32_t *incident;       /* its contact slots in ascending order, as list.near */
    uint32_t *incident_count; /* number of these, */
    tw_device_incident *incident_head; /* and the first of them again, in one row */
    double *body_load; /* rows of six by body slot: force, torque about the body's centre */
} tw_device_forces;

/* Sums of a step, and what they are made of. */
typedef struct tw_device_sums {
    double *part[TW_DEVICE_PARTS]; /* by body; see tw_device_move_has */
    double *tile_sum;              /* by sum, then tile; 0 where there is no such sum */
    double *wall_sum;              /* TW_TILE_ACCUMULATOR for each wall */
    double total[TW_DEVICE_SUMS];
    double stiffness[TW_STIFFNESS_SUMS]; /* of the last refreshment */
    double kinetic[TW_COMPONENTS];       /* sum of m v (x) v after the last move [J] */
} tw_device_sums;

/* No phase takes it whole: see the parts below. */
typedef struct tw_device_world {
    tw_model model;
    tw_state state;
    tw_schedule schedule; /* without candidates, hits and workspace of the CPU */
    tw_servo servo;
    tw_move_context move; /* of the step; its pointers are not used */
    tw_device_run run;
    tw_device_list list;
    tw_device_touch touch;
    tw_device_events events;
    tw_device_change change;
    tw_device_forces forces;
    tw_device_sums sums;
    tw_device_measure measure;
    tw_sphere *shape_sphere; /* of all shapes */
    char *surface_block;     /* those of all surfaces */
    tw_device_search search; /* workspace of the search, */
    tw_device_tiling tiling; /* and of the tiling */
} tw_device_world;

/* The parts of a world that phases take, const where they only read: type, and where it is. A phase
 * that takes `state` or `schedule` takes no part of it separately. */
#define TW_DEVICE_PART_model(use) use(tw_model, model)
#define TW_DEVICE_PART_state(use) use(tw_state, state)
#define TW_DEVICE_PART_bodies(use) use(tw_bodies, state.bodies)
#define TW_DEVICE_PART_cell(use) use(tw_cell, state.cell)
#define TW_DEVICE_PART_contacts(use) use(tw_contacts, state.contacts)
#define TW_DEVICE_PART_schedule(use) use(tw_schedule, schedule)
#define TW_DEVICE_PART_tiles(use) use(tw_tiles, schedule.tiles)
#define TW_DEVICE_PART_slots(use) use(tw_slots, schedule.slots)
#define TW_DEVICE_PART_pairs(use) use(tw_pairs, schedule.pairs)
#define TW_DEVICE_PART_spheres(use) use(tw_spheres, schedule.spheres)
#define TW_DEVICE_PART_servo(use) use(tw_servo, servo)
#define TW_DEVICE_PART_move(use) use(tw_move_context, move)
#define TW_DEVICE_PART_run(use) use(tw_device_run, run)
#define TW_DEVICE_PART_list(use) use(tw_device_list, list)
#define TW_DEVICE_PART_touch(use) use(tw_device_touch, touch)
#define TW_DEVICE_PART_events(use) use(tw_device_events, events)
#define TW_DEVICE_PART_change(use) use(tw_device_change, change)
#define TW_DEVICE_PART_forces(use) use(tw_device_forces, forces)
#define TW_DEVICE_PART_sums(use) use(tw_device_sums, sums)
#define TW_DEVICE_PART_measure(use) use(tw_device_measure, measure)
#define TW_DEVICE_PART_search(use) use(tw_device_search, search)
#define TW_DEVICE_PART_tiling(use) use(tw_device_tiling, tiling)
#define TW_DEVICE_PART_none(use)

/* One linear law without damping, rolling and twisting. */
TW_INLINE int tw_device_world_is_plain(const tw_device_run *run)
{
    return run->law <= TW_DEVICE_LAW_LINEAR;
}

/* Some law has damping. */
TW_INLINE int tw_device_world_is_damped(const tw_device_run *run)
{
    return (run->extras & TW_CONTACT_EXTRA_DAMPED) != 0;
}

/* Whether contacts may lose energy in this way. */
TW_INLINE int tw_device_world_loses(const tw_device_run *run, int way)
{
    if (way == TW_CONTACT_LOST_FRICTION) return 1;
    if (way == TW_CONTACT_LOST_ROLLING) return (run->extras & TW_CONTACT_EXTRA_ROLLING) != 0;
    if (way == TW_CONTACT_LOST_TWISTING) return (run->extras & TW_CONTACT_EXTRA_TWISTING) != 0;
    if (way == TW_CONTACT_LOST_DAMPING) return tw_device_world_is_damped(run);
    return !tw_device_world_is_plain(run);
}

/* How many of n entries of a list each of some teams takes at a time. */
TW_INLINE uint32_t tw_device_world_share(uint32_t n, uint32_t teams, uint32_t most)
{
    const uint32_t each = n / teams + (n % teams > 0 ? 1 : 0);
    return each < most ? each : most;
}

#endif
